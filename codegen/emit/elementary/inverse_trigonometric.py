"""Arc sine, arc cosine, arc tangent and the angle of a vector (atan2), of intervals and of points.

Every angle here is m c + w a with m an integer, c = pi/4 or pi/2, w = +-1 or +-2 and a an angle small enough for a
polynomial in its tangent or sine (`_arctangent_core`, `_arcsine_core`), added as unevaluated sums. The tangent of an
angle from the nearest of 0, pi/4, pi/2 is one quotient; arcs of sines beyond 1/2 use asin x = pi/2 - 2 asin
sqrt((1-x)/2). Intervals follow by monotonicity from their ends, and of two arguments from the corners of their box.
"""

from math import inf
from sys import float_info

from ..lanes import Lanes
from .doubled import Approximation, Value, fast_two_sum, negate_where, negated_lower, polynomial, upper

# pi/4 = QUARTER_PI + QUARTER_PI_LOW + 2^-110: the first a multiple of 2^-50, so that it can be multiplied by 0, ..., 4.
QUARTER_PI = float.fromhex("0x1.921fb54442d18p-1")
QUARTER_PI_LOW = float.fromhex("0x1.1a62633145c07p-55")

PI_ABOVE = float.fromhex("0x1.921fb54442d19p+1")
"""Least double above pi."""

TANGENT_OF_EIGHTH_PI = float.fromhex("0x1.a827999fcef32p-2")

# (atan z - z)/z^3 on z^2 <= (tan pi/8 + 2^-20)^2 and (asin z - z)/z^3 on z^2 <= 1/4, as polynomials in z^2
# interpolated at Chebyshev nodes and rounded. Their errors, at most 2^-55.5 and 2^-55.3, are part of the bounds below.
ARCTANGENT = tuple(map(float.fromhex, (
    "-0x1.5555555555555p-2", "0x1.9999999999953p-3", "-0x1.249249248d7edp-3", "0x1.c71c71c304ac7p-4",
    "-0x1.745d165df2041p-4", "0x1.3b1392d9aee9bp-4", "-0x1.110e88068190cp-4", "0x1.e19a135ea72c7p-5",
    "-0x1.ac7a90eabcecfp-5", "0x1.74ddc80c4d405p-5", "-0x1.1b339a5048955p-5", "0x1.0ad325f270444p-6")))
ARCSINE = tuple(map(float.fromhex, (
    "0x1.5555555555556p-3", "0x1.3333333332ecap-4", "0x1.6db6db6e31f13p-5", "0x1.f1c71c1db0623p-6",
    "0x1.6e8bb1c8209a2p-6", "0x1.1c4d35cf95421p-6", "0x1.c9cf07674736ap-7", "0x1.782651caa6547p-7",
    "0x1.52420b04b37bep-7", "0x1.65a9c4dfcf8b2p-8", "0x1.1d189408314eep-6", "-0x1.e6aaa8a0a04ccp-7",
    "0x1.d72b2bc8155f8p-6")))

# Error bounds |z| (SMALL_ERROR + ARCTANGENT_ERROR z^2), and the same for the arc sine, proved by the error analysis of
# the tests for arguments z + z' with |z'| <= 6 * 2^-52 |z|, or 2^-51 |z| for the arc sine. They leave SMALL_ERROR/2 to
# the error of z + z' itself, see `_quotient` and `_arcsine`, and room for one more rounding of the low part, in
# `_angle`. Multiples of pi/4 add m MULTIPLE_ERROR there.
SMALL_ERROR = 2.0**-90
ARCTANGENT_ERROR = 3.6 * 2.0**-52
ARCSINE_ERROR = 2.1 * 2.0**-52
MULTIPLE_ERROR = 2.0**-96

UNDERFLOW = 2.0**-1070
"""More than the error of a quotient below 2^-1000 by underflow: five operations, each wrong by 2^-1074 at most."""

_EXPONENT = 0x7FF << 52


def _arctangent_core(L: Lanes, z: Value, low: Value) -> Approximation:
    """atan(z + low) = z + (low (1 - z^2) + z^3 ARCTANGENT(z^2))."""
    square = L.mul(z, z)
    cubed = L.mul(z, square)
    low = L.fma(cubed, polynomial(L, square, ARCTANGENT), L.fma(L.mul(low, square), L.const(-1.0), low))
    return Approximation(z, low, L.mul(L.abs(z), L.fma(square, L.const(ARCTANGENT_ERROR), L.const(SMALL_ERROR))))


def _arcsine_core(L: Lanes, z: Value, low: Value) -> Approximation:
    """asin(z + low) = z + (low (1 + z^2/2) + z^3 ARCSINE(z^2))."""
    square = L.mul(z, z)
    cubed = L.mul(z, square)
    low = L.fma(cubed, polynomial(L, square, ARCSINE), L.fma(L.mul(low, square), L.const(0.5), low))
    return Approximation(z, low, L.mul(L.abs(z), L.fma(square, L.const(ARCSINE_ERROR), L.const(SMALL_ERROR))))


def _sign(L: Lanes, negative: str) -> str:
    """The sign bit where the mask holds."""
    return L.to_bits(L.select(negative, L.const(-0.0), L.const(0.0)))


def _angle(L: Lanes, m: Value, negative: str, a: Approximation) -> Approximation:
    """m pi/4 + a, or m pi/4 - a where the mask `negative` holds; m = 0, ..., 4, and |a| <= pi/4 m unless m = 0.

    Exact for m = 0. Else the roundings of rest and multiple, below 2^-50, and 4 * 2^-110 are less than
    m MULTIPLE_ERROR; a.error has room for a rounding of a.low.
    """
    sign = _sign(L, negative)
    high, rest = fast_two_sum(L, L.mul(m, L.const(QUARTER_PI)), negate_where(L, sign, a.high))
    low = L.add(L.fma(m, L.const(QUARTER_PI_LOW), rest), negate_where(L, sign, a.low))
    return Approximation(high, low, L.fma(m, L.const(MULTIPLE_ERROR), a.error))


def _negate_where(L: Lanes, negative: str, a: Approximation) -> Approximation:
    sign = _sign(L, negative)
    return Approximation(negate_where(L, sign, a.high), negate_where(L, sign, a.low), a.error)


def _quotient(L: Lanes, a: Value, a_low: Value, b: Value, b_low: Value) -> tuple[Value, Value]:
    """(a + a_low)/(b + b_low) as an unevaluated sum z + z', for low parts of relative size 2^-52.

    z = a (1/b) is right to 2 roundings, and the residual against the divisor brings |z'| <= 6 * 2^-52 |z|; what is
    wrong with z' is a few units of 2^-52 of it: less than 2^-95 |z| together, barring underflow. (A reciprocal of
    b > 2^1022 is denormal. Then z < 2^-1022 is wrong by few units of 2^-1074, and a multiple of pi/4 is added, whose
    error bound covers them.)
    """
    reciprocal = L.div(L.const(1.0), b)
    z = L.mul(a, reciprocal)
    minus = L.neg(z)
    residual = L.fma(minus, b_low, L.add(L.fma(minus, b, a), a_low))
    return z, L.mul(residual, reciprocal)


def _direction(L: Lanes, y: Value, x: Value, leftward: str) -> Approximation:
    """Angle of the vector (x, y), or (-x, y) where `leftward` holds, for x, y >= 0 of which the larger is not tiny or
    huge.

    With a <= b the two sorted, atan(a/b) is the arc of a/b, or pi/4 minus that of (b-a)/(b+a) beyond tan(pi/8).
    Exchange of the two reflects at pi/4, a negative x at pi/2. NaN for the null vector.
    """
    steep = L.gt(y, x)
    a, b = L.select(steep, x, y), L.select(steep, y, x)
    near = L.gt(a, L.mul(b, L.const(TANGENT_OF_EIGHTH_PI)))
    difference, difference_low = fast_two_sum(L, b, L.neg(a))
    total, total_low = fast_two_sum(L, b, a)
    zero = L.const(0.0)
    z, low = _quotient(L, L.select(near, difference, a), L.select(near, difference_low, zero),
                       L.select(near, total, b), L.select(near, total_low, zero))
    m = L.select(near, L.const(1.0), L.select(steep, L.const(2.0), zero))
    m = L.select(leftward, L.sub(L.const(4.0), m), m)
    return _angle(L, m, L.differ(near, L.differ(steep, leftward)), _arctangent_core(L, z, low))


# -- arc tangent ------------------------------------------------------------------------------------------------------


def _arctangent(L: Lanes, x: Value) -> Approximation:
    """atan x. The largest double stands for infinity: the difference, 2^-1024, is less than the error bound."""
    size = L.min(L.const(float_info.max), L.abs(x))
    return _negate_where(L, L.lt(x, L.const(0.0)), _direction(L, size, L.const(1.0), L.mask_const(False)))


def atan(L: Lanes, n: Value, h: Value) -> tuple[Value, Value]:
    """Encloses the arc tangent of [-n, h]; it is odd and increasing."""
    return upper(L, _arctangent(L, n)), upper(L, _arctangent(L, h))


def atan_point(L: Lanes, x: Value) -> tuple[Value]:
    """Approximates the arc tangent of x."""
    value = _arctangent(L, x)
    return (L.add(value.high, value.low),)


# -- angle of a vector ------------------------------------------------------------------------------------------------


def _scaled(L: Lanes, y: Value, x: Value) -> tuple[Value, Value]:
    """|y| and |x| times a power of two which brings the larger to [1, 4) (to [2^-51, 1) if it is denormal), and an
    infinite one to 1. A product is inexact only where it is denormal."""
    y, x = L.abs(y), L.abs(x)
    larger, infinite = L.max(y, x), L.const(inf)
    exponent = L.bits_and(L.to_bits(larger), L.bits_const(_EXPONENT))
    scale = L.max(L.from_bits(L.bits_sub(L.bits_const(2046 << 52), exponent)), L.const(2.0**-1022))
    scale = L.select(L.eq(larger, infinite), L.const(0.0), scale)

    def scaled(v: Value) -> Value:
        return L.select(L.eq(v, infinite), L.const(1.0), L.mul(v, scale))

    return scaled(y), scaled(x)


def _vector_angle(L: Lanes, y: Value, x: Value) -> Approximation:
    """atan2(y, x), NaN at the origin; one of the two may be infinite. Quotients may underflow."""
    zero = L.const(0.0)
    b, a = _scaled(L, y, x)
    angle = _direction(L, b, a, L.lt(x, zero))
    slack = L.select(L.eq(b, zero), zero, L.const(UNDERFLOW))
    return _negate_where(L, L.lt(y, zero), angle._replace(error=L.add(angle.error, slack)))


def atan2(L: Lanes, yn: Value, yh: Value, xn: Value, xh: Value) -> tuple[Value, Value]:
    """Encloses the angles in (-pi, pi] of the vectors of the box x in [-xn, xh], y in [-yn, yh].

    The angle falls with x above the x-axis and rises below it; it rises with y on the right and falls on the left. So
    its extremes are at corners, unless the box meets the cut from below, where the answer is [-pi, pi]. A corner at
    the origin gives NaN, which the comparisons with pi turn into pi. The box of the origin alone gives the whole line.
    """
    zero, pi = L.const(0.0), L.const(PI_ABOVE)
    yl, xl = L.neg(yn), L.neg(xn)
    above = L.ge(yl, zero)
    below = L.both(L.le(yh, zero), L.invert(above))
    right = L.ge(xl, zero)
    x_last, x_first = L.select(below, xh, xl), L.select(above, xh, xl)
    rightmost = L.gt(xh, zero)
    ends_rising = L.either(L.both(below, rightmost), L.both(L.invert(below), right))
    starts_rising = L.either(L.both(above, rightmost), L.both(L.invert(above), right))
    last = _vector_angle(L, L.select(ends_rising, yh, yl), x_last)
    first = _vector_angle(L, L.select(starts_rising, yl, yh), x_first)
    cut = L.both(L.invert(above), L.both(L.lt(xl, zero), L.ge(yh, zero)))
    widest = L.select(_is_origin(L, yn, yh, xn, xh), L.const(inf), pi)
    wide = L.either(cut, L.eq(widest, L.const(inf)))
    return (L.select(wide, widest, L.min(negated_lower(L, first), pi)),
            L.select(wide, widest, L.min(upper(L, last), pi)))


def _is_origin(L: Lanes, yn: Value, yh: Value, xn: Value, xh: Value) -> str:
    zero = L.const(0.0)
    return L.both(L.both(L.eq(yn, zero), L.eq(yh, zero)), L.both(L.eq(xn, zero), L.eq(xh, zero)))


def atan2_level(L: Lanes, yn: Value, yh: Value, xn: Value, xh: Value) -> tuple[Value]:
    """0 if the box holds the origin, 1 if it meets the cut x < 0, y = 0 elsewhere, else 3."""
    zero = L.const(0.0)
    axis = L.both(L.ge(yn, zero), L.ge(yh, zero))
    origin = L.both(axis, L.both(L.ge(xn, zero), L.ge(xh, zero)))
    cut = L.both(axis, L.gt(xn, zero))
    return (L.select(origin, zero, L.select(cut, L.const(1.0), L.const(3.0))),)


def atan2_point(L: Lanes, y: Value, x: Value) -> tuple[Value]:
    """Approximates the angle of (x, y) in (-pi, pi]; NaN at the origin and where both are infinite."""
    value = _vector_angle(L, y, x)
    return (L.add(value.high, value.low),)


# -- arc sine and arc cosine ------------------------------------------------------------------------------------------


def _arcsine(L: Lanes, x: Value) -> tuple[str, Approximation]:
    """Mask: |x| <= 1/2; and asin |x| there, elsewhere 2 asin sqrt((1 - |x|)/2), NaN beyond 1.

    (1 - |x|)/2 is exact from 1/2 on, zero or at least 2^-54. Its root s has the correction (t - s^2)/(2 s), right to
    2^-50 in relation and at most 2^-51 s, so that s + s' is right to 2^-100.
    """
    x = L.abs(x)
    small = L.le(x, L.const(0.5))
    t = L.mul(L.sub(L.const(1.0), x), L.const(0.5))
    s = L.sqrt(t)
    s_low = L.div(L.fma(L.neg(s), s, t), L.mul(L.max(s, L.const(2.0**-60)), L.const(2.0)))
    core = _arcsine_core(L, L.select(small, x, s), L.select(small, L.const(0.0), s_low))
    weight = L.select(small, L.const(1.0), L.const(2.0))
    return small, Approximation(*(L.mul(part, weight) for part in core))


def _asin(L: Lanes, x: Value) -> Approximation:
    small, arc = _arcsine(L, x)
    angle = _angle(L, L.select(small, L.const(0.0), L.const(2.0)), L.invert(small), arc)
    return _negate_where(L, L.lt(x, L.const(0.0)), angle)


def _acos(L: Lanes, x: Value) -> Approximation:
    small, arc = _arcsine(L, x)
    positive = L.gt(x, L.const(0.0))
    m = L.select(small, L.const(2.0), L.select(positive, L.const(0.0), L.const(4.0)))
    return _angle(L, m, L.invert(L.differ(small, positive)), arc)


def _clipped(L: Lanes, n: Value, h: Value) -> tuple[str, Value, Value]:
    """Mask: [-n, h] meets [-1, 1]; and their intersection."""
    one = L.const(1.0)
    return L.both(L.ge(n, L.neg(one)), L.ge(h, L.neg(one))), L.min(n, one), L.min(h, one)


def _where(L: Lanes, meets: str, n: Value, h: Value) -> tuple[Value, Value]:
    return L.select(meets, n, L.const(inf)), L.select(meets, h, L.const(inf))


def asin(L: Lanes, n: Value, h: Value) -> tuple[Value, Value]:
    """Encloses the arc sine of [-n, h], odd and increasing on [-1, 1]."""
    meets, n, h = _clipped(L, n, h)
    return _where(L, meets, upper(L, _asin(L, n)), upper(L, _asin(L, h)))


def acos(L: Lanes, n: Value, h: Value) -> tuple[Value, Value]:
    """Encloses the arc cosine of [-n, h], decreasing on [-1, 1]."""
    meets, n, h = _clipped(L, n, h)
    return _where(L, meets, negated_lower(L, _acos(L, h)), upper(L, _acos(L, L.neg(n))))


def asin_level(L: Lanes, n: Value, h: Value) -> tuple[Value]:
    """3 inside (-1, 1), 2 inside [-1, 1], else 0."""
    one = L.const(1.0)
    inside, closed = L.both(L.lt(n, one), L.lt(h, one)), L.both(L.le(n, one), L.le(h, one))
    return (L.select(inside, L.const(3.0), L.select(closed, L.const(2.0), L.const(0.0))),)


acos_level = asin_level


def asin_point(L: Lanes, x: Value) -> tuple[Value]:
    """Approximates the arc sine of x; NaN beyond [-1, 1]."""
    value = _asin(L, x)
    return (L.add(value.high, value.low),)


def acos_point(L: Lanes, x: Value) -> tuple[Value]:
    """Approximates the arc cosine of x; NaN beyond [-1, 1]."""
    value = _acos(L, x)
    return (L.add(value.high, value.low),)
