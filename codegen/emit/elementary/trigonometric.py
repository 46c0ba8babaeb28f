"""Sine, cosine and tangent of intervals and of points.

An argument x is reduced to x = k pi/2 + r + r', |r| <= pi/4 and a little, with k an integer and r' small against r
(`_reduce`). Two polynomials then give sin and cos of r + r' as unevaluated sums (`_sine_core`, `_cosine_core`); k mod 4
says which of the two and which sign is meant. An interval needs both ends and the extrema between them: an extremum of
the sine is passed where a count computed from k and the sign of r changes. All of it is straight-line code, but that
arguments beyond `LIMIT` are reduced by a function of their own, which is called where a lane has one.

Boxes wider than `WIDEST` get the sound wide answer, [-1, 1] or the whole line.
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from ..lanes import Lanes
from .arithmetic import LARGEST
from .doubled import Approximation, Value, fast_two_sum, negate_where, negated_lower, polynomial, two_product, upper
from .far_reduction import PERIOD, far_reduction

LIMIT = 2.0**20
"""Largest size of an argument which three parts of pi/2 reduce: there k has at most 20 bits."""

WIDEST = 2.0 * LIMIT
"""Largest width of a box whose extrema are counted: it has fewer than `PERIOD` of them."""

TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")

# pi/2 = HALF_PI[0] + ... + HALF_PI[3] + 2^-159.8. The first three are multiples of 2^-32, 2^-64 and 2^-96 nearest to
# what is left, hence of at most 33 bits: their products with an integer k of 20 bits are doubles.
HALF_PI = tuple(map(float.fromhex, (
    "0x1.921fb54400000p+0", "0x1.0b4611a800000p-34", "-0x1.d9cceba400000p-66", "0x1.b839a252049c1p-104")))

# (sin r - r)/r^3 and (cos r - 1 + r^2/2)/r^4 as polynomials in r^2, interpolated at Chebyshev nodes of
# [0, (pi/4 + 2^-20)^2] and rounded. Their errors, at most 2^-56.5 and 2^-58.5, are part of the bounds below.
SINE = tuple(map(float.fromhex, (
    "-0x1.5555555555555p-3", "0x1.1111111111110p-7", "-0x1.a01a01a019938p-13", "0x1.71de3a5460950p-19",
    "-0x1.ae645412c4390p-26", "0x1.61217f0a95ad6p-33", "-0x1.ab17d37ab5989p-41")))
COSINE = tuple(map(float.fromhex, (
    "0x1.5555555555555p-5", "-0x1.6c16c16c16967p-10", "0x1.a01a019f4eaf9p-16", "-0x1.27e4fa17d9624p-22",
    "0x1.1eeb68e88cbb9p-29", "-0x1.907da2e9cd397p-37")))

# Error bounds: |r| (REDUCTION_ERROR + SINE_ERROR r^2) for the sine, |r| (SMALL_COSINE_ERROR + COSINE_ERROR |r|) for the
# cosine, proved by the error analysis of the tests for |r'| <= 2^-51 |r| + 2^-82 and |r| >= 2^-61. (Below that r' = 0,
# and all terms but r and 1 - r^2/2 are smaller than the bounds.) They leave REDUCTION_ERROR/2 and SMALL_COSINE_ERROR/2
# to r + r' itself, which is wrong by less than 2^-102 |r| + 2^-132.
REDUCTION_ERROR = 2.0**-66
SINE_ERROR = 1.15 * 2.0**-52
SMALL_COSINE_ERROR = 2.0**-73
COSINE_ERROR = 0.45 * 2.0**-52

# For the tangent sin/cos: with |sin r| >= |r|/1.111 and cos r >= 1/1.415 on the range, the relative errors of the two
# add to less than 1.12 (REDUCTION_ERROR + SINE_ERROR r^2) + 1.42 (SMALL_COSINE_ERROR + COSINE_ERROR r^2); products of
# errors are in the slack.
TANGENT_REDUCTION_ERROR = 1.12 * REDUCTION_ERROR + 1.42 * SMALL_COSINE_ERROR
TANGENT_ERROR = 1.12 * SINE_ERROR + 1.42 * COSINE_ERROR

_INTEGER = 1.5 * 2.0**52
"""Added to an integer of size below 2^51, leaves it in the low bits of the encoding, in two's complement."""


class Reduced(NamedTuple):
    """x = k pi/2 + high + low; `quadrant` holds bits congruent to k modulo `PERIOD`."""

    high: Value
    low: Value
    quadrant: str


def _reduce(L: Lanes, x: Value) -> Reduced:
    """Reduce any double modulo pi/2; to NaN where it is not finite."""
    return _reduce_all(L, [x], L.gt(L.abs(x), L.const(LIMIT)))[0]


def _reduce_all(L: Lanes, xs: Sequence[Value], far: str) -> list[Reduced]:
    """The reductions of `xs`, right where the mask `far` holds, and elsewhere where they are no larger than LIMIT."""
    def reduced(L: Lanes, *xs: Value) -> tuple[Value, ...]:
        return tuple(part for x in xs for part in _reduce_any(L, x))

    usual = [part for x in xs for part in _encoded(L, _reduce_near(L, x))]
    made = L.rarely(far, f"reduce_{len(xs)}", reduced, xs, usual)
    return [Reduced(made[k], made[k + 1], L.to_bits(made[k + 2])) for k in range(0, len(made), 3)]


def _encoded(L: Lanes, r: Reduced) -> tuple[Value, Value, Value]:
    return r.high, r.low, L.from_bits(r.quadrant)


def _reduce_any(L: Lanes, x: Value) -> list[Value]:
    """The reduction of a double of any size."""
    size, limit, largest = L.abs(x), L.const(LIMIT), L.const(LARGEST)
    large = L.both(L.gt(size, limit), L.le(size, largest))
    far = far_reduction(L, L.copysign(L.min(L.max(size, limit), largest), x))
    return [L.select(large, a, b) for a, b in zip(far, _encoded(L, _reduce_near(L, x)), strict=True)]


def _reduce_near(L: Lanes, x: Value) -> Reduced:
    """Reduce x modulo pi/2, exactly except for the last product and sum.

    For |x| <= LIMIT: u is exact (a multiple of 2^-53 below 1). v and v' have the exact sum u - k HALF_PI[1]: the
    product is a multiple of 2^-64 and a double p, so either |u| >= |p| and fast_two_sum holds with a representable
    error, or |p| <= 2^-14 is larger and v is exact. The same argument, with multiples of 2^-96, makes r + r' = v - k
    HALF_PI[2] exact.

    What is left out is below 2^20 2^-159.8, and the two roundings of `low` below 2^-102 |r| + 2^-134. No double of
    size up to 2^20 comes closer to a multiple k pi/2, k != 0, than 2^-61 (the tests go through continued fractions),
    so high + low is right to 2^-70 in relation, and `high` has its sign.
    """
    k = L.floor(L.fma(x, L.const(TWO_OVER_PI), L.const(0.5)))
    c = [L.const(-part) for part in HALF_PI]
    u = L.fma(k, c[0], x)
    v = L.fma(k, c[1], u)
    v_low = L.fma(k, c[1], L.sub(u, v))
    r = L.fma(k, c[2], v)
    r_low = L.fma(k, c[2], L.sub(v, r))
    low = L.fma(k, c[3], L.add(v_low, r_low))
    return Reduced(r, low, L.to_bits(L.add(k, L.const(_INTEGER))))


def _sine_core(L: Lanes, r: Value, low: Value) -> Approximation:
    """sin(r + low) = r + (low (1 - r^2/2) + r^3 SINE(r^2)).

    Underflow: from 2^-1000 on the error bound is more than the few units of 2^-1074 which it may cost. Below, where
    r' is 0, r^3 SINE is computed as 0, and the bound, positive unless r = 0, covers it.
    """
    square = L.mul(r, r)
    cubed = L.mul(r, square)
    low = L.fma(L.mul(low, square), L.const(-0.5), low)
    error = L.mul(L.abs(r), L.fma(square, L.const(SINE_ERROR), L.const(REDUCTION_ERROR)))
    return Approximation(r, L.fma(cubed, polynomial(L, square, SINE), low), error)


def _cosine_core(L: Lanes, r: Value, low: Value) -> Approximation:
    """cos(r + low) = (1 - r^2/2) - r low + r^4 COSINE(r^2), the first part exactly as high + rest.

    Underflow: for |r| < 2^-500 `rest` is right up to a few units of 2^-1074, which a bound rounded up to one unit would
    not cover. Computed on a scale of 2^-10 and scaled back, the bound is 2^-1064 at least unless r = 0, and else the same.
    """
    square, square_low = two_product(L, r, r)
    high, rest = fast_two_sum(L, L.const(1.0), L.mul(square, L.const(-0.5)))
    rest = L.sub(rest, L.fma(r, low, L.mul(square_low, L.const(0.5))))
    rest = L.fma(L.mul(square, square), polynomial(L, square, COSINE), rest)
    size = L.abs(r)
    scale = 2.0**-10
    error = L.mul(size, L.fma(size, L.const(COSINE_ERROR * scale), L.const(SMALL_COSINE_ERROR * scale)))
    return Approximation(high, rest, L.mul(error, L.const(1.0 / scale)))


def _select(L: Lanes, mask: str, a: Approximation, b: Approximation) -> Approximation:
    return Approximation(*(L.select(mask, s, t) for s, t in zip(a, b, strict=True)))


def _is_odd(L: Lanes, quadrant: str) -> str:
    return L.bits_eq(L.bits_and(quadrant, L.bits_const(1)), L.bits_const(1))


def _sine_of_quadrant(L: Lanes, quadrant: str, sine: Approximation, cosine: Approximation) -> Approximation:
    """sin(k pi/2 + r) from sin r and cos r: the cosine for odd k, negated for k = 2, 3 modulo 4."""
    chosen = _select(L, _is_odd(L, quadrant), cosine, sine)
    sign = L.shift_left(L.bits_and(quadrant, L.bits_const(2)), 62)
    return Approximation(negate_where(L, sign, chosen.high), negate_where(L, sign, chosen.low), chosen.error)


def _next_quadrant(L: Lanes, x: Reduced) -> Reduced:
    """The reduction of x + pi/2: cos x = sin(x + pi/2)."""
    return x._replace(quadrant=L.bits_add(x.quadrant, L.bits_const(1)))


def _multiples_passed(L: Lanes, x: Reduced, offset: int, period: int) -> str:
    """floor((k' + offset)/period) period as bits, where k' = k - 1 for negative r, else k: the quadrant of x, counted
    in quarter turns from 0, modulo `PERIOD`. It changes only where x passes a multiple of pi/2 which offset and period select."""
    sign = L.shift_right(L.to_bits(x.high), 63)
    quarter = L.bits_add(L.bits_sub(x.quadrant, sign), L.bits_const(offset))
    return L.bits_and(quarter, L.bits_const(PERIOD - period))


class ReducedEnds(NamedTuple):
    """Both ends of boxes, reduced, and where the boxes are finite and narrow enough for extrema between them to be counted."""

    first: Reduced
    last: Reduced
    narrow: str


def _reduced_ends(L: Lanes, n: Value, h: Value) -> ReducedEnds:
    """The width is rounded upwards, and infinite where an end is; max(n, h) is the larger size of an end."""
    narrow = L.le(L.add(n, h), L.const(WIDEST))
    far = L.both(L.gt(L.max(n, h), L.const(LIMIT)), narrow)
    first, last = _reduce_all(L, (L.neg(n), h), far)
    return ReducedEnds(first, last, narrow)


Cores = tuple[Approximation, Approximation]


def _cores(L: Lanes, x: Reduced) -> Cores:
    return _sine_core(L, x.high, x.low), _cosine_core(L, x.high, x.low)


def _sine_ends(L: Lanes, ends: ReducedEnds, cores: tuple[Cores, Cores]) -> tuple[Value, Value]:
    """Enclosure of the sine between two reduced ends: the hull of the values there, and 1 or -1 where an extremum at
    pi/2 or 3 pi/2 (a quarter or three quarters of a turn) lies between them."""
    first, last = (_sine_of_quadrant(L, x.quadrant, *core) for x, core in zip(ends[:2], cores, strict=True))
    one = L.const(1.0)

    def end(bound: tuple[Value, Value], offset: int) -> Value:
        passed = [_multiples_passed(L, x, offset, 4) for x in ends[:2]]
        inside = L.both(ends.narrow, L.bits_eq(*passed))
        return L.select(inside, L.min(L.max(*bound), one), one)

    return (end((negated_lower(L, first), negated_lower(L, last)), 1), end((upper(L, first), upper(L, last)), 3))


def _shifted(L: Lanes, ends: ReducedEnds) -> ReducedEnds:
    return ReducedEnds(_next_quadrant(L, ends.first), _next_quadrant(L, ends.last), ends.narrow)


def sine_and_cosine(L: Lanes, x: Value) -> tuple[Approximation, Approximation]:
    """The sine and the cosine of a finite double, with error bounds."""
    r = _reduce(L, x)
    cores = _cores(L, r)
    return (_sine_of_quadrant(L, r.quadrant, *cores),
            _sine_of_quadrant(L, _next_quadrant(L, r).quadrant, *cores))


def sincos(L: Lanes, n: Value, h: Value) -> tuple[Value, Value, Value, Value]:
    """Encloses the sine and the cosine of [-n, h]: (sin_n, sin_h, cos_n, cos_h)."""
    ends = _reduced_ends(L, n, h)
    cores = _cores(L, ends.first), _cores(L, ends.last)
    return (*_sine_ends(L, ends, cores), *_sine_ends(L, _shifted(L, ends), cores))


def sin(L: Lanes, n: Value, h: Value) -> tuple[Value, Value]:
    """Encloses the sine of [-n, h]."""
    ends = _reduced_ends(L, n, h)
    return _sine_ends(L, ends, (_cores(L, ends.first), _cores(L, ends.last)))


def cos(L: Lanes, n: Value, h: Value) -> tuple[Value, Value]:
    """Encloses the cosine of [-n, h]."""
    ends = _reduced_ends(L, n, h)
    return _sine_ends(L, _shifted(L, ends), (_cores(L, ends.first), _cores(L, ends.last)))


# -- tangent ----------------------------------------------------------------------------------------------------------


def _tangent(L: Lanes, x: Reduced) -> Approximation:
    """sin/cos of x for even k, -cos/sin for odd k: quotient of the sums, corrected by its residual.

    Below 2^-1000 three operations on the residual may underflow, each wrong by less than 2^-1074, and q itself become
    0. The error bound is positive for r != 0 (|tan r| >= |r|), and multiplied by 4 last at least 4 times 2^-1074.
    """
    odd = _is_odd(L, x.quadrant)
    sine, cosine = _sine_core(L, x.high, x.low), _cosine_core(L, x.high, x.low)
    s, s_low = fast_two_sum(L, sine.high, sine.low)
    c, c_low = fast_two_sum(L, cosine.high, cosine.low)
    a, a_low = L.select(odd, L.neg(c), s), L.select(odd, L.neg(c_low), s_low)
    b, b_low = L.select(odd, s, c), L.select(odd, s_low, c_low)
    q = L.div(a, b)
    residual = L.fma(L.neg(q), b_low, L.add(L.fma(L.neg(q), b, a), a_low))
    square = L.mul(x.high, x.high)
    quarter = L.fma(square, L.const(TANGENT_ERROR / 4), L.const(TANGENT_REDUCTION_ERROR / 4))
    size = L.max(L.abs(q), L.abs(x.high))
    return Approximation(q, L.div(residual, b), L.mul(L.mul(size, quarter), L.const(4.0)))


def _without_pole(L: Lanes, ends: ReducedEnds) -> str:
    """Mask: no odd multiple of pi/2 lies in the box, and the box is narrow enough to decide that."""
    return L.both(ends.narrow, L.bits_eq(*(_multiples_passed(L, x, 1, 2) for x in ends[:2])))


def tan(L: Lanes, n: Value, h: Value) -> tuple[Value, Value]:
    """Encloses the tangent of [-n, h]: the whole line if the box holds a pole, else it is increasing."""
    ends = _reduced_ends(L, n, h)
    defined, whole = _without_pole(L, ends), L.const(inf)
    return (L.select(defined, negated_lower(L, _tangent(L, ends.first)), whole),
            L.select(defined, upper(L, _tangent(L, ends.last)), whole))


def tan_level(L: Lanes, n: Value, h: Value) -> tuple[Value]:
    """3 where the box is proved to hold no pole, else 0."""
    return (L.select(_without_pole(L, _reduced_ends(L, n, h)), L.const(3.0), L.const(0.0)),)


# -- points -----------------------------------------------------------------------------------------------------------


def sincos_point(L: Lanes, x: Value) -> tuple[Value, Value]:
    """Approximates the sine and the cosine of x; NaN where x is not finite."""
    s, c = sine_and_cosine(L, x)
    return L.add(s.high, s.low), L.add(c.high, c.low)


def sin_point(L: Lanes, x: Value) -> tuple[Value]:
    """Approximates the sine of x; NaN where x is not finite."""
    return (sincos_point(L, x)[0],)


def cos_point(L: Lanes, x: Value) -> tuple[Value]:
    """Approximates the cosine of x; NaN where x is not finite."""
    return (sincos_point(L, x)[1],)


def tan_point(L: Lanes, x: Value) -> tuple[Value]:
    """Approximates the tangent of x; NaN where x is not finite."""
    value = _tangent(L, _reduce(L, x))
    return (L.add(value.high, value.low),)
