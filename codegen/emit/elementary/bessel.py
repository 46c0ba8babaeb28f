"""The functions g_k(x) = j_k(x)/x^k, j_k the spherical Bessel functions: g_0 = sin(x)/x and its relatives.

They are even and entire, g_k(0) = 1/(2k+1)!! is the largest value, and g_k' = -x g_(k+1) (DLMF 10.51.2, 10.53.1).
A value comes from the power series where |x| <= k + 1/2, elsewhere from g_(-1) = cos x, g_0 = sin(x)/x and
the recurrence g_(k+1) = ((2k+1) g_k - g_(k-1))/x^2 (DLMF 10.51.1), which is stable there; both carry error bounds.

Ranges. y = g_k solves y'' = -(2k+2) y'/x - y, so y^2 + y'^2 falls with x > 0. Its root at a is called the amplitude:
beyond a, |y| is no larger, and |y''| is at most 1 + (2k+2)/a times it. From the integral of (1-t^2)^k cos(x t)
(DLMF 10.54.1) follow |y''| <= g_(k+1)(0) and |y| <= g_k(0).
"""

from fractions import Fraction
from math import nan, prod

from ..lanes import Lanes
from .doubled import Approximation, Value, fast_two_sum, negated_lower, polynomial, upper
from .trigonometric import sine_and_cosine

LIMIT = 2.0**20
"""Largest size of an argument at which values are looked at: beyond it the bound of the amplitude there holds."""

POINT_LIMIT = 2.0**50
"""Largest size of an argument of a point operation; NaN beyond."""

ULP = Fraction(1, 2**52)
"""Bound of the relative error of one operation in directed rounding."""


def _up(x: Fraction) -> float:
    """A double not below x >= 0, and at most 2^-50 above it in relation."""
    return float(x * (1 + 2 * ULP))


def _coefficient(k: int, m: int) -> Fraction:
    """The coefficient of x^(2m) in g_k: (-1/2)^m / (m! (2m + 2k + 1)!!)."""
    return Fraction((-1) ** m, 2**m * prod(range(1, m + 1)) * prod(range(1, 2 * m + 2 * k + 2, 2)))


def _series_limit(k: int) -> float:
    return k + 0.5


def _series_terms(k: int) -> list[Fraction]:
    """Coefficients of as many terms as make the next one at the limit less than 2^-60 of g_k(0)."""
    square, terms = Fraction(_series_limit(k)) ** 2, [_coefficient(k, 0)]
    while abs(_coefficient(k, len(terms))) * square ** len(terms) > terms[0] / 2**60:
        terms.append(_coefficient(k, len(terms)))
    return terms


def _series_error(terms: list[Fraction], k: int) -> Fraction:
    """E such that the computed series is wrong by at most E x^2.

    In c_m x^(2m) go the rounding of c_m, at most 2m of the squares and powers, one for every level of the scheme and
    three more. The remainder of an alternating series with falling terms is less than the first term left out. The
    second part of g_k(0) is wrong by less than 2^-106 g_k(0), but by nothing that grows like x^2: `_series` adds that.
    """
    square = Fraction(_series_limit(k)) ** 2
    levels = len(terms).bit_length()
    roundings = sum(abs(terms[m]) * square ** (m - 1) * (2 * m + levels + 4) for m in range(1, len(terms)))
    return roundings * ULP * (1 + 2**12 * ULP) + abs(_coefficient(k, len(terms))) * square ** (len(terms) - 1)


def _series(L: Lanes, x: Value, k: int) -> Approximation:
    """g_k(x) for |x| <= _series_limit(k): g_k(0) in two parts, and the rest of the series."""
    terms = _series_terms(k)
    square = L.mul(x, x)
    high = float(terms[0])
    exact_low = terms[0] - Fraction(high)
    rest = polynomial(L, square, [float(c) for c in terms[1:]])
    low = L.fma(square, rest, L.const(float(exact_low)))
    start = abs(exact_low) * 4 * ULP
    return Approximation(L.const(high), low,
                         L.fma(square, L.const(_up(_series_error(terms, k))), L.const(_up(start))))


def _quotient(L: Lanes, a: Approximation, x: Value) -> Approximation:
    """a/x for x >= 1/2, corrected by the residual; the correction is wrong by less than 2^-100 of the quotient."""
    s, s_low = fast_two_sum(L, a.high, a.low)
    reciprocal = L.div(L.const(1.0), x)
    q = L.div(s, x)
    residual = L.add(L.fma(L.neg(q), x, s), s_low)
    error = L.fma(L.abs(q), L.const(2.0**-100), L.mul(a.error, reciprocal))
    return Approximation(q, L.mul(residual, reciprocal), error)


def _collapsed(L: Lanes, a: Approximation) -> tuple[Value, Value]:
    """The approximation as one double and its error bound."""
    value, low = fast_two_sum(L, a.high, a.low)
    return value, L.add(a.error, L.mul(L.abs(low), L.const(1.0 + 2.0**-50)))


def _recurrence(L: Lanes, x: Value, k: int) -> tuple[Approximation, Approximation]:
    """g_k(x) and g_(k+1)(x) for x >= 1/2.

    A step has five roundings: of the difference, of x^2, its reciprocal, the product, and one for products of them. The
    factor 1 + 2^-49 of the inherited errors covers the reciprocal, which may fall below 1/x^2 by a rounding.
    """
    sine, cosine = sine_and_cosine(L, x)
    first = _quotient(L, sine, x)
    (before, before_error), (value, error) = _collapsed(L, cosine), _collapsed(L, first)
    reciprocal = L.div(L.const(1.0), L.mul(x, x))
    inflated = L.mul(reciprocal, L.const(1.0 + 2.0**-49))
    previous = current = first
    for j in range(k + 1):
        factor = L.const(2.0 * j + 1.0)
        after = L.mul(L.fma(factor, value, L.neg(before)), reciprocal)
        inherited = L.mul(L.fma(factor, error, before_error), inflated)
        before, before_error = value, error
        value, error = after, L.fma(L.abs(after), L.const(5 * float(ULP)), inherited)
        previous, current = current, Approximation(value, L.const(0.0), error)
    return previous, current


def _values(L: Lanes, x: Value, k: int) -> tuple[Approximation, Approximation]:
    """g_k(x) and g_(k+1)(x) for 0 <= x <= LIMIT."""
    near = _series(L, x, k), _series(L, x, k + 1)
    results = []
    for order, series, far in zip((k, k + 1), near, _recurrence(L, x, k), strict=True):
        small = L.le(x, L.const(_series_limit(order)))
        results.append(Approximation(*(L.select(small, s, t) for s, t in zip(series, far, strict=True))))
    return results[0], results[1]


def _first_extremum(k: int) -> float:
    """A number below the first positive zero z of j_(k+1), up to which g_k falls.

    By Rayleigh's sum of the inverse sixth powers of the zeros, z^6 > 32 (v+1)^3 (v+2) (v+3), v = k + 3/2 (Watson, A
    treatise on the theory of Bessel functions, 15.51). Rounded down at 2^-20 or so.
    """
    v = Fraction(2 * k + 3, 2)
    sixth = int(32 * (v + 1) ** 3 * (v + 2) * (v + 3) * 2**120)
    low, high = 0, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**6 <= sixth else (low, middle)
    return low / 2**20


def _magnitude(L: Lanes, a: Approximation) -> Value:
    return L.max(upper(L, a), negated_lower(L, a))


def _amplitude(L: Lanes, x: Value, y: Approximation, z: Approximation) -> Value:
    """Upper bound of the root of y^2 + y'^2 at x, y' = -x z."""
    slope, value = L.mul(x, _magnitude(L, z)), _magnitude(L, y)
    return L.sqrt(L.fma(slope, slope, L.mul(value, value)))


def _without_extremum(L: Lanes, z: tuple[Approximation, Approximation], a: Value, b: Value, bend: Value) -> str:
    """Mask: y' = -x z is proved to have one sign on [a, b], |y''| (b - a) <= bend: it has one sign s at both ends, and |y'(a)| + |y'(b)| >
    bend, while a zero between them would make the sum at most that.
    """
    def steep(bound: tuple[Value, Value]) -> str:
        # negated bounds of s z: positive lower ends p and q mean negated ones -p and -q
        first, last = bound
        negative = L.both(L.lt(first, L.const(0.0)), L.lt(last, L.const(0.0)))
        return L.both(negative, L.lt(L.fma(a, first, L.fma(b, last, bend)), L.const(0.0)))

    below = negated_lower(L, z[0]), negated_lower(L, z[1])
    above = upper(L, z[0]), upper(L, z[1])
    return L.either(steep(below), steep(above))


def sinc(L: Lanes, n: Value, h: Value, k: int = 0) -> tuple[Value, Value]:
    """Encloses g_k on [-n, h].

    Where g_k is proved monotone (up to the first extremum, or by `_without_extremum`) the ends enclose. Elsewhere the
    ends, widened by |y''| (b - a)^2/8, are intersected with the amplitude and with g_k(0). Only the last two
    hold beyond LIMIT.
    """
    limit, zero = L.const(LIMIT), L.const(0.0)
    nearest = L.max(L.max(L.neg(n), L.neg(h)), zero)
    farthest = L.max(n, h)
    a, b = L.min(nearest, limit), L.min(farthest, limit)
    (ya, za), (yb, zb) = _values(L, a, k), _values(L, b, k)
    amplitude = _amplitude(L, a, ya, za)
    curvature = L.mul(L.add(L.div(L.const(2.0 * k + 2.0), a), L.const(1.0)), amplitude)
    curvature = L.min(curvature, L.const(_up(_coefficient(k + 1, 0))))
    width = L.sub(b, a)
    bend = L.mul(width, curvature)
    monotone = L.either(L.le(b, L.const(_first_extremum(k))), _without_extremum(L, (za, zb), a, b, bend))
    excess = L.select(monotone, zero, L.mul(L.mul(width, bend), L.const(0.125)))
    largest = L.min(amplitude, L.const(_up(_coefficient(k, 0))))
    reducible = L.le(farthest, limit)

    def end(first: Value, last: Value) -> Value:
        return L.select(reducible, L.min(L.add(L.max(first, last), excess), largest), largest)

    return end(negated_lower(L, ya), negated_lower(L, yb)), end(upper(L, ya), upper(L, yb))


def sinc_point(L: Lanes, x: Value, k: int = 0) -> tuple[Value]:
    """Approximates g_k(x); NaN beyond POINT_LIMIT."""
    x = L.abs(x)
    value, _ = _values(L, x, k)
    return (L.select(L.le(x, L.const(POINT_LIMIT)), L.add(value.high, value.low), L.const(nan)),)
