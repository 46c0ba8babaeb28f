"""Exponential and natural logarithm.

exp: x = k ln 2 + r with an integer k and |r| <= (ln 2)/2, e^x = 2^k e^r, and e^r = 1 + r + r^2 (p(r^2) + r q(r^2)) with two
polynomials, those of cosh and sinh. 1 + r is summed without error, the directed rounding is done before the scaling by
2^k, and again by it where the result is denormal.

log: x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt 2. With s = f / (2 + f), w = s^2,
log(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + w p(w)), p(w) = 2/3 + 2/5 w + ... The terms k ln 2, f and f^2/2 are
summed without error, and the rest is small against the sum (the arrangement of fdlibm's e_log.c, Sun, 1993).

ln 2 = LN2_HIGH + LN2_LOW + d: LN2_HIGH is ln 2 cut after 42 bits, so that k LN2_HIGH is exact for |k| < 2^11;
LN2_LOW is the remainder (< 2^-44) rounded to a double; |d| < 2^-102.
"""

import math

from ..lanes import Lanes
from .arithmetic import LARGEST
from .doubled import Approximation, fast_two_sum, negated_lower, polynomial, upper

Value = str
Interval = tuple[Value, Value]

LN2_HIGH = float.fromhex("0x1.62e42fefa3800p-1")
LN2_LOW = float.fromhex("0x1.ef35793c76730p-45")
INVERSE_LN2 = float.fromhex("0x1.71547652b82fep+0")
"""1/ln 2 to nearest. Only the size of r depends on it."""

ROOT_HALF = float.fromhex("0x1.6a09e667f3bcdp-1")
"""sqrt(1/2) to nearest: the least 1 + f."""

INTEGERS = 1.5 * 2.0 ** 52
"""k + INTEGERS is exact, and its low 51 bits are k, in two's complement."""

# Interpolation of (cosh(sqrt w) - 1)/w and (sinh(sqrt w)/sqrt w - 1)/w at the Chebyshev points of 0 <= w <= 0.3467^2.
COSH = (0.5, 0.04166666666666668, 0.0013888888888879054, 2.480158733649766e-05, 2.7557263219790347e-07,
        2.09181596693241e-09)
SINH = (0.16666666666666669, 0.008333333333330055, 0.00019841269863088255, 2.7557268406190795e-06,
        2.51004110820149e-08)

# Interpolation of (2 atanh(s) - 2 s)/s^3 at the Chebyshev points of 0 <= w = s^2 <= ((sqrt 2 - 1)/(sqrt 2 + 1))^2.
ATANH = (0.6666666666666666, 0.4000000000000088, 0.28571428570803614, 0.22222222391713917, 0.18181795640132906,
         0.15386239702814664, 0.13268773138656761, 0.13086626147841382)

EXP_ERROR, EXP_FLOOR = 3 * 2.0 ** -51, 2.0 ** -82
"""The absolute error of `exp_core` is below r^2 EXP_ERROR + EXP_FLOOR: the first for the roundings and the polynomials, the
second for what `reduce_by_ln2` neglects (below 2^-85) and for second-order terms. Proved in test_exponential.py."""

LOG_ERROR = 15 * 2.0 ** -57
"""Error of `log_core` relative to its high part; proved in test_exponential.py."""

EXP_LARGEST = 709.782712893384
"""The greatest double below 1024 ln 2: beyond it e^x exceeds every double."""

EXP_SMALLEST = -746.0
"""Below it e^x < 2^-1075, less than half the least positive double."""


# -- exponential ------------------------------------------------------------------------------------------------


def reduce_by_ln2(L: Lanes, x: Value, low: Value | None = None) -> tuple[Value, Value, Value]:
    """(k, r, r_low) with x + low = k ln 2 + r + r_low, |r| <= 0.3467, |r_low| < 2^-33 (+ |low|), for |x| <= 746.

    r is exact: for k = 0 it is x; otherwise |x| > 1/3, so x and k LN2_HIGH are multiples of 2^-54 and r < 1/2 too. r_low has
    the rounding of k LN2_LOW (below 2^-33-52) and k d (below 2^-91) as errors.
    """
    k = L.floor(L.fma(x, L.const(INVERSE_LN2), L.const(0.5)))
    r = L.fma(k, L.const(-LN2_HIGH), x)
    return k, r, L.mul(k, L.const(-LN2_LOW)) if low is None else L.fma(k, L.const(-LN2_LOW), low)


def exp_core(L: Lanes, r: Value, low: Value) -> Approximation:
    """e^(r + low) for |r| <= 0.3467, |low| <= 2^-33; exact for r = low = 0.

    w = 0 only for r = -low, which the reduction gives for x = 0 alone (tested for every k).
    """
    one = L.const(1.0)
    x = L.add(r, low)
    w = L.mul(x, x)
    even, odd = polynomial(L, w, COSH), polynomial(L, w, SINH)
    high, rest = fast_two_sum(L, one, r)
    rest = L.fma(w, L.fma(x, odd, even), L.add(rest, low))
    floor = L.select(L.eq(w, L.const(0.0)), L.const(0.0), L.const(EXP_FLOOR))
    return Approximation(high, rest, L.fma(w, L.const(EXP_ERROR), floor))


def scale(L: Lanes, m: Value, k: Value, small: Value) -> Value:
    """m 2^k for 1/2 < |m| < 2 and an integer |k| < 1077, rounded once, if at all, and k < -900 where `small` holds.

    The exponent field of m takes up k; where `small` holds it takes k + 128, and a product with 2^-128 does the rest.
    """
    shift = L.shift_left(L.to_bits(L.add(k, L.const(INTEGERS))), 52)
    exponents_128 = L.to_bits(L.select(small, L.const(2.0 ** (128 - 1023)), L.const(0.0)))     # the bits of 128 2^52
    scaled = L.from_bits(L.bits_add(L.to_bits(m), L.bits_add(shift, exponents_128)))
    return L.mul(scaled, L.select(small, L.const(2.0 ** -128), L.const(1.0)))


def _exp_parts(L: Lanes, x: Value) -> tuple[Approximation, Value, Value]:
    """e^x = 2^k a: (a, k, mask of small k), for x clamped to where e^x is neither 0 nor infinite."""
    x = L.max(L.min(x, L.const(EXP_LARGEST)), L.const(EXP_SMALLEST))
    k, r, low = reduce_by_ln2(L, x)
    return exp_core(L, r, low), k, L.lt(k, L.const(-1000.0))


def exp(L: Lanes, n: Value, h: Value) -> Interval:
    """e^X, increasing. Above EXP_LARGEST the upper end is +inf and the lower end the greatest double."""
    lower, largest = L.neg(n), L.const(EXP_LARGEST)
    a, k, small = _exp_parts(L, lower)
    new_n = scale(L, negated_lower(L, a), k, small)
    a, k, small = _exp_parts(L, h)
    new_h = scale(L, upper(L, a), k, small)
    return (L.select(L.gt(lower, largest), L.const(-LARGEST), new_n),
            L.select(L.gt(h, largest), L.const(math.inf), new_h))


def exp_point(L: Lanes, x: Value) -> tuple[Value]:
    a, k, small = _exp_parts(L, x)
    value = scale(L, L.add(a.high, a.low), k, small)
    # +inf above the range; NaN for NaN, which fails the comparison.
    return (L.select(L.le(x, L.const(EXP_LARGEST)), value, L.mul(x, L.const(math.inf))),)


# -- logarithm --------------------------------------------------------------------------------------------------


def split_exponent(L: Lanes, x: Value) -> tuple[Value, Value]:
    """(k, f) with x = 2^k (1 + f) exactly and sqrt(1/2) <= 1 + f < sqrt 2, for positive and finite x.

    Denormal x are multiplied by 2^54 first. The bits of x less those of sqrt(1/2) have k as their exponent field; 1024
    is added to keep that positive.
    """
    small = L.lt(x, L.const(2.0 ** -1022))
    x = L.select(small, L.mul(x, L.const(2.0 ** 54)), x)
    root = L.to_bits(L.const(ROOT_HALF))
    bits = L.bits_add(L.bits_sub(L.to_bits(x), root), L.bits_const(1024 << 52))
    exponent = L.from_bits(L.bits_add(L.shift_right(bits, 52), L.to_bits(L.const(2.0 ** 52))))
    k = L.sub(exponent, L.select(small, L.const(2.0 ** 52 + 1078), L.const(2.0 ** 52 + 1024)))
    m = L.from_bits(L.bits_add(L.bits_and(bits, L.bits_const((1 << 52) - 1)), root))
    return k, L.sub(m, L.const(1.0))


def log_core(L: Lanes, k: Value, f: Value, tail: Value | None = None) -> Approximation:
    """log(2^k (1 + f)) + tail for integers |k| <= 1075 and sqrt(1/2) <= 1 + f <= sqrt 2."""
    s = L.div(f, L.add(f, L.const(2.0)))
    w = L.mul(s, s)
    square = L.mul(f, f)
    square_low = L.fma(f, f, L.neg(square))
    rest = L.mul(s, L.fma(w, polynomial(L, w, ATANH), L.mul(square, L.const(0.5))))
    high, low_1 = fast_two_sum(L, L.mul(k, L.const(LN2_HIGH)), f)
    high, low_2 = fast_two_sum(L, high, L.mul(square, L.const(-0.5)))
    low = L.fma(k, L.const(LN2_LOW), L.fma(square_low, L.const(-0.5), L.add(low_1, low_2)))
    low = low if tail is None else L.add(low, tail)
    return Approximation(high, L.add(low, rest), L.mul(L.abs(high), L.const(LOG_ERROR)))


def log(L: Lanes, n: Value, h: Value) -> Interval:
    """log over x > 0, increasing: -inf below for lo <= 0, the whole line for hi <= 0."""
    zero, infinity = L.const(0.0), L.const(math.inf)
    new_n = negated_lower(L, log_core(L, *split_exponent(L, L.neg(n))))
    new_h = upper(L, log_core(L, *split_exponent(L, h)))
    finite = L.both(L.gt(h, zero), L.lt(h, infinity))
    return L.select(L.lt(n, zero), new_n, infinity), L.select(finite, new_h, infinity)


def log_level(L: Lanes, n: Value, h: Value) -> tuple[Value]:
    """3 for lo > 0, else 0."""
    return (L.select(L.lt(n, L.const(0.0)), L.const(3.0), L.const(0.0)),)


def log_point(L: Lanes, x: Value) -> tuple[Value]:
    zero, infinity = L.const(0.0), L.const(math.inf)
    a = log_core(L, *split_exponent(L, x))
    value = L.select(L.lt(x, infinity), L.add(a.high, a.low), x)
    at_zero = L.select(L.eq(x, zero), L.const(-math.inf), L.const(math.nan))
    return (L.select(L.gt(x, zero), value, at_zero),)


# -- x log x ----------------------------------------------------------------------------------------------------

# Doubles below and above 1/e.
INVERSE_E = float.fromhex("0x1.78b56362cef37p-2"), float.fromhex("0x1.78b56362cef38p-2")


def _entropy_at(L: Lanes, x: Value) -> Interval:
    """Bounds of x log x at one number x >= 0, with its limits: 0 at 0, and above all doubles at infinity."""
    a = log_core(L, *split_exponent(L, x))
    positive, finite = L.gt(x, L.const(0.0)), L.lt(x, L.const(math.inf))
    n, h = L.mul(x, negated_lower(L, a)), L.mul(x, upper(L, a))
    zero = L.const(0.0)
    return (L.select(finite, L.select(positive, n, zero), L.const(-LARGEST)),
            L.select(finite, L.select(positive, h, zero), L.const(math.inf)))


def entropy(L: Lanes, n: Value, h: Value) -> Interval:
    """x log x over x > 0, which tends to 0 at 0: it falls to -1/e at 1/e, and rises from there; the whole line for hi <= 0."""
    zero, infinity = L.const(0.0), L.const(math.inf)
    lower = L.max(L.neg(n), zero)
    first, last = _entropy_at(L, lower), _entropy_at(L, h)
    least = L.both(L.le(lower, L.const(INVERSE_E[1])), L.ge(h, L.const(INVERSE_E[0])))
    new_n = L.select(least, L.const(INVERSE_E[1]), L.max(first[0], last[0]))
    defined = L.gt(h, zero)
    return L.select(defined, new_n, infinity), L.select(defined, L.max(first[1], last[1]), infinity)


def entropy_point(L: Lanes, x: Value) -> tuple[Value]:
    """NaN at 0, where the formula is not defined."""
    return (L.mul(x, log_point(L, x)[0]),)
