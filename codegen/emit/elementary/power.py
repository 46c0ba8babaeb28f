"""Powers: x^k for a constant integer k, and the real power x^y = e^(y log x) for x >= 0.

Integer powers are products: |x|^k carried with the sign of x and rounded upward bounds x^k from above for x >= 0, and
-|x|^k from above for x < 0, so that one chain of products serves both ends.

Real powers take log x and y log x as unevaluated sums of two doubles, since e^z needs z to an absolute error: |z| 2^-62 is
below the accuracy of a double for |z| <= 700. y log x is bilinear, so its extrema over a box are at corners; they are chosen
before the exponential.
"""

import math
from collections.abc import Callable

from ..lanes import Lanes
from .arithmetic import magnitudes
from .doubled import Approximation, fast_two_sum, negated_lower, polynomial, upper
from .exponential import LN2_HIGH, LN2_LOW, exp_core, reduce_by_ln2, scale, split_exponent

Value = str
Interval = tuple[Value, Value]
Doubled = tuple[Value, Value]

TWO_THIRDS = 2.0 / 3.0
TWO_THIRDS_LOW = 2.0 ** -54 * TWO_THIRDS
"""2/3 rounded down, by 2/3 2^-54: its binary digits are 1010..., cut after 53 of them."""

# Interpolation of (2 atanh(s) - 2 s - 2/3 s^3)/s^5 at the Chebyshev points of 0 <= w = s^2 <= ((sqrt 2 - 1)/(sqrt 2 + 1))^2.
ATANH_REST = (0.4, 0.28571428571429364, 0.22222222221656232, 0.18181818335314404, 0.15384594970895457,
              0.13334804238225348, 0.11706248540922275, 0.11723051028098913)

LOG_ERROR = 5 * 2.0 ** -65
"""Error of `log_doubled` relative to its high part; proved in test_power.py."""

EXPONENT_ERROR = 1.5 * LOG_ERROR
"""An error d of z makes one below 1.42 d in e^r. The rest is above what the product y log x adds (2^-100 relative)."""

EXPONENT_LARGEST = 709.75
"""Beyond this exponent, just below 1024 ln 2, the upper end is +inf; the low part of z cannot lead to an overflow below it."""

CLIP = 1000.0
"""Exponents are clipped to +-CLIP, where e^z overflows or underflows."""


# -- integer powers ---------------------------------------------------------------------------------------------


def _power_upward(L: Lanes, z: Value, k: int, magnitude: Callable[[Value], Value]) -> Value:
    """sign(z) |z|^k rounded upward, by repeated squaring: v_(i+j) = v_i |v_j| with the sign of z.

    For z < 0 each |v| is a lower bound and each product rounds towards 0; for z >= 0 each is an upper bound.
    """
    result, square = None, z
    while True:
        if k & 1:
            result = square if result is None else L.mul(result, magnitude(square))
        k >>= 1
        if not k:
            return result if result is not None else square
        square = L.mul(square, magnitude(square))


def power_integer(L: Lanes, n: Value, h: Value, k: int) -> Interval:
    """X^k for k >= 2: by magnitudes if k is even, by each end's own sign if it is odd."""
    if k % 2 == 0:
        minus_a, b = magnitudes(L, n, h)
        return _power_upward(L, minus_a, k, L.abs), _power_upward(L, b, k, lambda v: v)
    return _power_upward(L, n, k, L.abs), _power_upward(L, h, k, L.abs)


def power_integer_point(L: Lanes, x: Value, k: int) -> tuple[Value]:
    return (_power_upward(L, x, k, lambda v: v),)


# -- real powers ------------------------------------------------------------------------------------------------


def quotient_doubled(L: Lanes, f: Value) -> Doubled:
    """s = f / (2 + f) as s_high + s_low, for -0.3 < f < 0.42, with relative error below 2^-98.

    With d = d_high + d_low = 2 + f (to 2^-104) and v = 1/d_high (1 + 2^-52), s_high = f v is off by less than 2^-50 s. The
    residual f - s_high d and s_low = v (f - s_high d) have three roundings and the error of v, each 2^-52 of at most 2^-50 s.
    """
    d_high, d_low = fast_two_sum(L, L.const(2.0), f)
    v = L.div(L.const(1.0), d_high)
    s = L.mul(f, v)
    minus_s = L.neg(s)
    return s, L.mul(L.fma(minus_s, d_low, L.fma(minus_s, d_high, f)), v)


def log_from_quotient(L: Lanes, k: Value, s: Value, s_low: Value) -> Approximation:
    """log(2^k (1 + f)) = k ln 2 + 2 s + s^3 (2/3 + w (2/5 + ...)), w = s^2; the products s^2, s^3 and s^3 2/3 are doubled."""
    w = L.mul(s, s)
    w_low = L.fma(L.mul(s, L.const(2.0)), s_low, L.fma(s, s, L.neg(w)))
    two_fifths = L.const(ATANH_REST[0])
    rest = L.mul(w, L.fma(w, polynomial(L, w, ATANH_REST[1:]), two_fifths))
    c, c_low = fast_two_sum(L, L.const(TWO_THIRDS), rest)
    c_low = L.add(L.fma(w_low, two_fifths, L.const(TWO_THIRDS_LOW)), c_low)
    t = L.mul(s, w)
    t_low = L.fma(s_low, w, L.fma(s, w_low, L.fma(s, w, L.neg(t))))
    p = L.mul(t, c)
    p_low = L.fma(t_low, c, L.fma(t, c_low, L.fma(t, c, L.neg(p))))
    high, low_1 = fast_two_sum(L, L.mul(k, L.const(LN2_HIGH)), L.mul(s, L.const(2.0)))
    high, low_2 = fast_two_sum(L, high, p)
    low = L.fma(s_low, L.const(2.0), L.add(L.add(low_1, low_2), p_low))
    high, low = fast_two_sum(L, high, L.fma(k, L.const(LN2_LOW), low))
    return Approximation(high, low, L.mul(L.abs(high), L.const(LOG_ERROR)))


def log_doubled(L: Lanes, x: Value) -> Doubled:
    """log x for x >= 0 as high + low; (-inf, 0) at 0 and (+inf, 0) at +inf."""
    k, f = split_exponent(L, x)
    a = log_from_quotient(L, k, *quotient_doubled(L, f))
    zero, infinity = L.const(0.0), L.const(math.inf)
    finite = L.both(L.gt(x, zero), L.lt(x, infinity))
    limit = L.select(L.gt(x, zero), infinity, L.const(-math.inf))
    return L.select(finite, a.high, limit), L.select(finite, a.low, zero)


def _exponent(L: Lanes, y: Value, log: Doubled) -> Doubled:
    """y log x clipped to +-CLIP, doubled; 0 * inf stands for 0, which belongs to x^0 = 1 and 1^y = 1 near the corner."""
    high = L.mul(y, log[0])
    low = L.fma(y, log[1], L.fma(y, log[0], L.neg(high)))
    clipped = L.max(L.min(high, L.const(CLIP)), L.const(-CLIP))
    low = L.select(L.lt(L.abs(high), L.const(CLIP)), low, L.const(0.0))
    return L.select(L.isnan(high), L.const(0.0), clipped), low


def _largest_exponent(L: Lanes, a: Value, b: Value, log_x: tuple[Doubled, Doubled]) -> Doubled:
    """The larger one of y log x for both ends of X, with y = a where log x >= 0 and y = b elsewhere.

    The difference of either one to the larger high part is added to its low part, and the larger low part is taken.
    """
    (p, p_low), (q, q_low) = [_exponent(L, L.select(L.ge(log[0], L.const(0.0)), a, b), log) for log in log_x]
    high = L.max(p, q)
    return high, L.max(L.add(L.sub(p, high), p_low), L.add(L.sub(q, high), q_low))


def _exponential(L: Lanes, z: Value, z_low: Value) -> tuple[Approximation, Value, Value]:
    """e^(z + z_low) = 2^k a for |z| <= CLIP: (a, k, mask of small k), for z clamped to where e^z is neither 0 nor infinite."""
    clamped = L.max(L.min(z, L.const(EXPONENT_LARGEST)), L.const(-746.0))
    z_low = L.select(L.eq(z, clamped), z_low, L.const(0.0))
    k, r, low = reduce_by_ln2(L, clamped, z_low)
    a = exp_core(L, r, low)
    error = L.fma(L.abs(clamped), L.const(EXPONENT_ERROR), a.error)
    return Approximation(a.high, a.low, error), k, L.lt(k, L.const(-1000.0))


def pow(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> Interval:
    """X^Y over x > 0, and over x = 0 where y > 0 (0^y = 0); the whole line where there is no such point."""
    zero, infinity = L.const(0.0), L.const(math.inf)
    log_x = log_doubled(L, L.max(L.neg(xn), zero)), log_doubled(L, L.max(xh, zero))
    z, z_low = _largest_exponent(L, yh, L.neg(yn), log_x)
    a, k, small = _exponential(L, z, z_low)
    h = L.select(L.gt(z, L.const(EXPONENT_LARGEST)), infinity, scale(L, upper(L, a), k, small))
    h = L.select(L.gt(xh, zero), h, zero)
    z, z_low = _largest_exponent(L, yn, L.neg(yh), log_x)
    a, k, small = _exponential(L, L.neg(z), L.neg(z_low))
    n = scale(L, negated_lower(L, a), k, small)
    outside = L.either(L.lt(xh, zero), L.both(L.le(xh, zero), L.le(yh, zero)))
    return L.select(outside, infinity, n), L.select(outside, infinity, h)


def pow_level(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> tuple[Value]:
    """3 for X > 0; 2 for X >= 0 and Y > 0; else 0."""
    zero = L.const(0.0)
    continuous = L.both(L.le(xn, zero), L.lt(yn, zero))
    return (L.select(L.lt(xn, zero), L.const(3.0), L.select(continuous, L.const(2.0), zero)),)


def pow_point(L: Lanes, x: Value, y: Value) -> tuple[Value]:
    """x^y for x >= 0, with x^0 = 1^y = 1; NaN for x < 0 and for NaN."""
    z, z_low = _exponent(L, y, log_doubled(L, L.abs(x)))
    a, k, small = _exponential(L, z, z_low)
    half = scale(L, L.add(a.high, a.low), L.sub(k, L.const(1.0)), small)
    value = L.select(L.gt(z, L.const(EXPONENT_LARGEST)), L.const(math.inf), L.add(half, half))
    defined = L.both(L.ge(x, L.const(0.0)), L.eq(y, y))
    return (L.select(defined, value, L.const(math.nan)),)
