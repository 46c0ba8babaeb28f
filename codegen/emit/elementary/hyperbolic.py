"""Hyperbolic functions and their inverses.

For a = |x| = k ln 2 + r with C = cosh r, S = sinh r and q = 4^-k, sinh a = 2^(k-1) ((1 - q) C + (1 + q) S) and
cosh a = 2^(k-1) ((1 + q) C + (1 - q) S): nothing cancels for k = 0, where 1 - q = 0, nor later. With the k, C and S of 2a,
M = e^(2a) - 1 = 2^k (1 - 2^-k + (C - 1) + S) in the same way, and tanh a = M / (M + 2).

The inverses are logarithms of 1 + u with u known to twice a double's precision, so that results near 0 keep their relative
accuracy: asinh a = log(1 + a + a^2/(1 + sqrt(1 + a^2))), acosh x = log(1 + (x - 1) + sqrt((x - 1)(x + 1))),
atanh a = log(1 + 2a/(1 - a))/2. From 2^30 on, asinh and acosh are log 2x to within 2^-61.

sinh, tanh, asinh and atanh are odd and increasing: one function gives the upper bound at an end z for both ends, z = -lo and
z = hi. For a < 2^-30 they are a within a^3/2 < 2^-60 a, and that is the error used.
"""

import math

from ..lanes import Lanes
from .arithmetic import magnitudes
from .doubled import Approximation, fast_two_sum, negate_where, negated_lower, polynomial, two_product, two_sum, upper
from .exponential import COSH, INTEGERS, SINH, log_core, reduce_by_ln2, split_exponent

Value = str
Interval = tuple[Value, Value]
Doubled = tuple[Value, Value]

SINH_ERROR, COSH_ERROR, EXPM1_ERROR = 2.0 ** -51, 2.0 ** -52, 5 * 2.0 ** -53
TINY_ERROR = 2.0 ** -60
"""The sums for sinh, cosh and e^y - 1 are off by less than (r^2 ERROR + TINY_ERROR) |high|. Proved in test_hyperbolic.py."""

QUOTIENT_ERROR = 2.0 ** -90
"""Above what the roundings of a doubled quotient (2^-97) and of 1 - t (2^-52 of EXPM1_ERROR) add to the error of tanh."""

LOG1P_ERROR = 2.0 ** -53
"""Error relative to the high part: LOG_ERROR = 15/16 2^-53 and 2^-95 for the roundings of u and of the tail."""

TINY = 2.0 ** -30
LARGE = 2.0 ** 30
SINH_LARGEST = 710.5
"""Both sinh and cosh of it exceed every double, and of 710.4 they do not."""
TANH_LARGEST = 20.0
"""1 - tanh of it is 2^-56.7, so bounds there are bounds beyond."""



def _power_of_two(L: Lanes, k: Value, multiple: int, offset: int) -> Value:
    """2^(multiple k + offset) for multiple = 1, -1 or -2, from the exponent field."""
    shift = L.shift_left(L.to_bits(L.add(k, L.const(INTEGERS))), 52 if abs(multiple) == 1 else 53)
    one = L.bits_const((1023 + offset) << 52)
    return L.from_bits(L.bits_add(one, shift) if multiple > 0 else L.bits_sub(one, shift))


# -- sinh, cosh, tanh -------------------------------------------------------------------------------------------


def weighted_sum(L: Lanes, r: Value, low: Value, constant: Doubled, even_weight: Value, odd_weight: Doubled,
                 error: float) -> Approximation:
    """K + E (cosh y - 1) + O sinh y for y = r + low; exact for K = r = low = 0. E is a double, K and O are doubled.

    With w = y^2, cosh = 1 + w/2 + w^2 c and sinh = y + y w s: the terms K, O r and E r^2 / 2, whose sizes must descend (or
    K = 0), are summed without error, and w (O y s + E w c) is small. The error is relative to the high part.
    """
    o, o_low = odd_weight
    y = L.add(r, low)
    w, w_low = two_product(L, r, r)
    w_low = L.fma(L.add(r, r), low, w_low)
    odd_term, odd_low = two_product(L, o, r)
    even_term, even_low = two_product(L, even_weight, L.mul(w, L.const(0.5)))
    high, low_1 = fast_two_sum(L, constant[0], odd_term)
    high, low_2 = fast_two_sum(L, high, even_term)
    rest = L.add(low_1, L.fma(o_low, r, L.fma(o, low, L.add(odd_low, constant[1]))))
    rest = L.add(rest, L.add(low_2, L.fma(L.mul(even_weight, w_low), L.const(0.5), even_low)))
    w = L.add(w, w_low)
    even, odd = polynomial(L, w, COSH[1:]), polynomial(L, w, SINH)
    rest = L.fma(w, L.fma(L.mul(o, y), odd, L.mul(L.mul(even_weight, w), even)), rest)
    tiny = L.select(L.eq(y, L.const(0.0)), L.const(0.0), L.const(TINY_ERROR))
    return Approximation(high, rest, L.mul(L.abs(high), L.fma(w, L.const(error), tiny)))


def _weights(L: Lanes, k: Value) -> tuple[Doubled, Doubled]:
    """1 - q and 1 + q, doubled, for q = 4^-k."""
    q = _power_of_two(L, L.min(k, L.const(500.0)), -2, 0)
    return fast_two_sum(L, L.const(1.0), L.neg(q)), fast_two_sum(L, L.const(1.0), q)


def _sinh_parts(L: Lanes, x: Value) -> tuple[Approximation, Value]:
    """(a, s) with sinh x = 2 a s, s a power of two."""
    a = L.min(L.abs(x), L.const(SINH_LARGEST))
    k, r, low = reduce_by_ln2(L, a)
    minus, plus = _weights(L, k)
    value = weighted_sum(L, r, low, minus, minus[0], plus, SINH_ERROR)
    return _signed(L, _exact_if_tiny(L, a, value, L.const(2.0)), x), _power_of_two(L, k, 1, -2)


def _exact_if_tiny(L: Lanes, a: Value, value: Approximation, factor: Value) -> Approximation:
    """a factor with error TINY_ERROR for a < TINY, the given value otherwise."""
    tiny, high = L.lt(a, L.const(TINY)), L.mul(a, factor)
    return Approximation(L.select(tiny, high, value.high), L.select(tiny, L.const(0.0), value.low),
                         L.select(tiny, L.mul(high, L.const(TINY_ERROR)), value.error))


def _signed(L: Lanes, a: Approximation, x: Value) -> Approximation:
    """a with the sign of x."""
    sign = L.bits_and(L.to_bits(x), L.to_bits(L.const(-0.0)))
    return Approximation(negate_where(L, sign, a.high), negate_where(L, sign, a.low), a.error)


def _doubled_product(L: Lanes, a: Value, scale: Value) -> Value:
    return L.mul(L.add(a, a), scale)


def _sinh_upper(L: Lanes, z: Value) -> Value:
    a, scale = _sinh_parts(L, z)
    return _doubled_product(L, upper(L, a), scale)


def sinh(L: Lanes, n: Value, h: Value) -> Interval:
    """sinh X; the product with the power of two overflows in the right direction."""
    return _sinh_upper(L, n), _sinh_upper(L, h)


def sinh_point(L: Lanes, x: Value) -> tuple[Value]:
    a, scale = _sinh_parts(L, x)
    return (L.select(L.isnan(x), x, _doubled_product(L, L.add(a.high, a.low), scale)),)


def _cosh_parts(L: Lanes, a: Value) -> tuple[Approximation, Value]:
    """(b, s) with cosh a = 2 b s for a >= 0, s a power of two."""
    k, r, low = reduce_by_ln2(L, L.min(a, L.const(SINH_LARGEST)))
    minus, plus = _weights(L, k)
    return weighted_sum(L, r, low, plus, plus[0], minus, COSH_ERROR), _power_of_two(L, k, 1, -2)


def cosh(L: Lanes, n: Value, h: Value) -> Interval:
    """cosh of the magnitudes; at least 1."""
    minus_a, b = magnitudes(L, n, h)
    value, scale = _cosh_parts(L, L.abs(minus_a))
    new_n = L.min(_doubled_product(L, negated_lower(L, value), scale), L.const(-1.0))
    value, scale = _cosh_parts(L, b)
    return new_n, _doubled_product(L, upper(L, value), scale)


def cosh_point(L: Lanes, x: Value) -> tuple[Value]:
    a, scale = _cosh_parts(L, L.abs(x))
    return (L.select(L.isnan(x), x, _doubled_product(L, L.add(a.high, a.low), scale)),)


def quotient(L: Lanes, a: Doubled, b: Doubled) -> Doubled:
    """a / b for doubled numbers, to 2^-98 relative: the residual of the high quotient, divided."""
    t = L.div(a[0], b[0])
    minus_t = L.neg(t)
    residual = L.fma(minus_t, b[1], L.add(L.fma(minus_t, b[0], a[0]), a[1]))
    return t, L.div(residual, b[0])


def _tanh_parts(L: Lanes, x: Value) -> Approximation:
    """t = N / D with N = 2^-k M, D = N + 2 2^-k. As dt/dN = 2 2^-k / D^2, t has 1 - t times the relative error of N.

    That is below |error / high|, since the even term, which outweighs the odd one, makes N larger than the high part.
    """
    one = L.const(1.0)
    a = L.min(L.abs(x), L.const(TANH_LARGEST))
    k, r, low = reduce_by_ln2(L, L.add(a, a))
    p = _power_of_two(L, k, -1, 0)
    s = weighted_sum(L, r, low, fast_two_sum(L, one, L.neg(p)), one, (one, L.const(0.0)), EXPM1_ERROR)
    numerator, numerator_low = fast_two_sum(L, s.high, s.low)
    d, d_low = two_sum(L, numerator, L.add(p, p))
    t, t_low = quotient(L, (numerator, numerator_low), (d, L.add(d_low, numerator_low)))
    relative = L.fma(L.mul(r, r), L.const(EXPM1_ERROR), L.const(TINY_ERROR))
    error = L.mul(t, L.fma(L.sub(one, t), relative, L.const(QUOTIENT_ERROR)))
    return _signed(L, _exact_if_tiny(L, a, Approximation(t, t_low, error), one), x)


def _tanh_upper(L: Lanes, z: Value) -> Value:
    return L.min(upper(L, _tanh_parts(L, z)), L.const(1.0))


def tanh(L: Lanes, n: Value, h: Value) -> Interval:
    """tanh X, within [-1, 1]."""
    return _tanh_upper(L, n), _tanh_upper(L, h)


def tanh_point(L: Lanes, x: Value) -> tuple[Value]:
    a = _tanh_parts(L, x)
    return (L.select(L.isnan(x), x, L.add(a.high, a.low)),)


# -- inverses ---------------------------------------------------------------------------------------------------


def log1p_doubled(L: Lanes, u: Value, u_low: Value, large: Value, x: Value) -> Approximation:
    """log(1 + u + u_low) for u >= 0, or log 2x where the mask `large` holds.

    1 + u = 2^k (1 + f) + rest. For k = 0, f is u itself and nothing is lost; log(1 + f + g) = log(1 + f) + g/(1 + f), up to
    the square of the last term, 2^-104.
    """
    zero, one = L.const(0.0), L.const(1.0)
    z, z_low = two_sum(L, one, u)
    k, f = split_exponent(L, L.select(large, x, z))
    near = L.eq(k, zero)
    g = L.select(near, u_low, L.mul(L.add(z_low, u_low), _power_of_two(L, k, -1, 0)))
    f = L.select(near, u, f)
    tail = L.select(large, zero, L.div(g, L.add(f, one)))
    a = log_core(L, L.add(k, L.select(large, one, zero)), f, tail)
    return Approximation(a.high, a.low, L.mul(L.abs(a.high), L.const(LOG1P_ERROR)))


def root(L: Lanes, p: Value, p_low: Value) -> Doubled:
    """The square root of p + p_low > 0, to 2^-98 relative (one Newton step)."""
    g = L.sqrt(p)
    residual = L.add(L.fma(L.neg(g), g, p), p_low)
    return g, L.div(residual, L.mul(g, L.const(2.0)))


def _asinh_parts(L: Lanes, x: Value) -> Approximation:
    a = L.abs(x)
    square, square_low = two_product(L, a, a)
    s, s_low = two_sum(L, L.const(1.0), square)
    g, g_low = root(L, s, L.add(s_low, square_low))
    d, d_low = fast_two_sum(L, g, L.const(1.0))
    t, t_low = quotient(L, (square, square_low), (d, L.add(d_low, g_low)))
    u, u_low = fast_two_sum(L, a, t)
    value = log1p_doubled(L, u, L.add(u_low, t_low), L.ge(a, L.const(LARGE)), a)
    return _signed(L, _exact_if_tiny(L, a, value, L.const(1.0)), x)


def _unless_infinite(L: Lanes, z: Value, value: Value) -> Value:
    return L.select(L.lt(z, L.const(math.inf)), value, L.const(math.inf))


def asinh(L: Lanes, n: Value, h: Value) -> Interval:
    """asinh X."""
    new_n, new_h = (upper(L, _asinh_parts(L, z)) for z in (n, h))
    return _unless_infinite(L, n, new_n), _unless_infinite(L, h, new_h)


def asinh_point(L: Lanes, x: Value) -> tuple[Value]:
    a = _asinh_parts(L, x)
    return (L.select(L.lt(L.abs(x), L.const(math.inf)), L.add(a.high, a.low), x),)


def _acosh_parts(L: Lanes, x: Value) -> Approximation:
    """acosh x for x >= 1; 0 at 1, where the low part of the root would be 0/0."""
    one = L.const(1.0)
    t, t_low = fast_two_sum(L, x, L.neg(one))
    v, v_low = fast_two_sum(L, x, one)
    p, p_low = two_product(L, t, v)
    g, g_low = root(L, p, L.fma(t_low, v, L.fma(t, v_low, p_low)))
    g_low = L.select(L.gt(p, L.const(0.0)), g_low, L.const(0.0))
    u, u_low = fast_two_sum(L, g, t)
    return log1p_doubled(L, u, L.add(L.add(u_low, t_low), g_low), L.ge(x, L.const(LARGE)), x)


def acosh(L: Lanes, n: Value, h: Value) -> Interval:
    """acosh over x >= 1; the whole line for hi < 1."""
    one, infinity = L.const(1.0), L.const(math.inf)
    new_n = L.min(negated_lower(L, _acosh_parts(L, L.max(L.neg(n), one))), L.const(0.0))
    new_h = _unless_infinite(L, h, upper(L, _acosh_parts(L, L.max(h, one))))
    outside = L.lt(h, one)
    return L.select(outside, infinity, new_n), L.select(outside, infinity, new_h)


def acosh_level(L: Lanes, n: Value, h: Value) -> tuple[Value]:
    """3 for lo > 1, 2 for lo >= 1 (the derivative is infinite at 1), else 0."""
    minus_one = L.const(-1.0)
    closed = L.select(L.le(n, minus_one), L.const(2.0), L.const(0.0))
    return (L.select(L.lt(n, minus_one), L.const(3.0), closed),)


def acosh_point(L: Lanes, x: Value) -> tuple[Value]:
    one = L.const(1.0)
    a = _acosh_parts(L, L.max(x, one))
    value = L.select(L.lt(x, L.const(math.inf)), L.add(a.high, a.low), x)
    return (L.select(L.ge(x, one), value, L.const(math.nan)),)


def _atanh_parts(L: Lanes, x: Value) -> Approximation:
    """atanh x for |x| < 1, clamped to it."""
    a = L.min(L.abs(x), L.const(1.0 - 2.0 ** -53))
    d, d_low = fast_two_sum(L, L.const(1.0), L.neg(a))
    u, u_low = quotient(L, (L.add(a, a), L.const(0.0)), (d, d_low))
    never = L.mask_const(False)
    half = L.const(0.5)
    value = Approximation(*(L.mul(part, half) for part in log1p_doubled(L, u, u_low, never, u)))
    return _signed(L, _exact_if_tiny(L, a, value, L.const(1.0)), x)


def atanh(L: Lanes, n: Value, h: Value) -> Interval:
    """atanh over -1 < x < 1; the whole line where there is no such point."""
    one, infinity = L.const(1.0), L.const(math.inf)
    new_n, new_h = (L.select(L.lt(z, one), upper(L, _atanh_parts(L, z)), infinity) for z in (n, h))
    outside = L.le(L.min(n, h), L.const(-1.0))
    return L.select(outside, infinity, new_n), L.select(outside, infinity, new_h)


def atanh_level(L: Lanes, n: Value, h: Value) -> tuple[Value]:
    """3 inside (-1, 1), else 0."""
    return (L.select(L.lt(L.max(n, h), L.const(1.0)), L.const(3.0), L.const(0.0)),)


def atanh_point(L: Lanes, x: Value) -> tuple[Value]:
    one = L.const(1.0)
    a = _atanh_parts(L, x)
    magnitude = L.abs(x)
    outside = L.select(L.eq(magnitude, one), L.copysign(L.const(math.inf), x), L.const(math.nan))
    return (L.select(L.lt(magnitude, one), L.add(a.high, a.low), outside),)
