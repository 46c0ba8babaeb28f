"""Enclosures of g_k(x) = j_k(x) / x^k, the spherical Bessel functions without their zero (or pole) at the origin.

g_k is even and entire, g_0 = sin(x)/x, and g_k' = -x g_(k+1) (DLMF 10.51.2): the extrema of g_k are 0 and the zeros
of j_(k+1). Values are summed from the power series (DLMF 10.53.1) near 0 and from the recurrence (DLMF 10.51.1)
elsewhere.

Ranges. y = g_k solves x y'' + (2k+2) y' + x y = 0, so that (y^2 + y'^2)' = -2 (2k+2) y'^2 / x <= 0: from one extremum
to the next |y| falls. On [a, b] with a >= 0 the range is therefore spanned by the two ends and the first two extrema
after a.
"""

import functools
import itertools
import math
from collections.abc import Iterator

from mpmath import libmp
from mpmath.libmp import (
    from_int,
    from_man_exp,
    from_rational,
    fzero,
    mpf_abs,
    mpf_add,
    mpf_div,
    mpf_mul,
    mpf_neg,
    mpf_sub,
)

from .directed import DOUBLE, DOWN, LARGEST_ANGLE, UP, Format, Number, Pair, greatest, infinite, least, less, magnitude, sign

# The zeros of j_n lie more than 3 apart (their distances decrease to pi, by Sturm's comparison with y'' + y = 0).
_CELL = 3
_SERIES_BELOW = 6  # the power series serves |x| < 2**6


def _series(order: int, x: Number, bits: int) -> Pair:
    """sum over m of (-x^2/2)^m / (m! (2m + 2k + 1)!!), in fixed point.

    For |x| < 64 no term exceeds e^64 / 64 < 2^87. The m-th term carries at most 2m + 1 truncations, each of one unit
    times a term before it, and from m = 64 on the terms fall to a quarter and less each time: the sum of some hundred
    terms errs by less than 2^110 units, what is left out by less than one.
    """
    point = bits + 200 + 16 * order.bit_length() * (order + 1)
    half_square = libmp.to_fixed(libmp.mpf_shift(mpf_mul(x, x), -1), point)
    term = 1 << point
    for m in range(order):
        term //= 2 * m + 3
    total, m = term, 0
    while abs(term) > 1 or m < 64:
        m += 1
        term = -((term * half_square) >> point) // (m * (2 * m + 2 * order + 1))
        total += term
    slack = 1 << 110
    return from_man_exp(total - slack, -point, bits, DOWN), from_man_exp(total + slack, -point, bits, UP)


def _recurrence(order: int, x: Number, bits: int) -> Pair:
    """j_(n+1) = (2n+1)/x j_n - j_(n-1), for |x| >= 64; from j_0 = sin(x)/x and j_-1 = cos(x)/x.

    A step multiplies the absolute error by at most (2n+1)/64 + 1 and adds a few roundings of numbers below 1: `lost`
    bits in all.
    """
    lost = sum((2 + (2 * n + 1) // 64).bit_length() for n in range(order)) + 8
    wp = bits + lost + order * magnitude(x)
    cosine, sine = libmp.mpf_cos_sin(x, wp)
    before, now = mpf_div(cosine, x, wp), mpf_div(sine, x, wp)
    for n in range(order):
        before, now = now, mpf_sub(mpf_mul(mpf_div(from_int(2 * n + 1), x, wp), now, wp), before, wp)
    value = mpf_div(now, libmp.mpf_pow_int(x, order, wp), wp)
    slack = from_man_exp(1, lost - wp - (magnitude(x) - 1) * order)
    return mpf_sub(value, slack, bits, DOWN), mpf_add(value, slack, bits, UP)


def value(order: int, x: Number, format: Format = DOUBLE) -> Pair:
    """The tight enclosure of g_order at x >= 0 (0 at infinity); |g_order| is at most its value 1/(2k+1)!! at 0."""
    if infinite(x):
        return fzero, fzero
    if x != fzero and magnitude(x) > LARGEST_ANGLE:
        far = from_man_exp(1, -(LARGEST_ANGLE - 1) * (order + 1))
        return mpf_neg(far), far
    most = [from_rational(1, math.prod(range(3, 2 * order + 2, 2)), format.precision, way) for way in (DOWN, UP)]
    if x == fzero:
        return format.down(most[0]), format.up(most[1])
    enclose = _series if magnitude(x) <= _SERIES_BELOW else _recurrence
    lo, hi = format.tight(lambda bits: enclose(order, x, bits))
    return lo, least(hi, format.up(most[1]))


def _positive(order: int, x: Number) -> bool:
    """Whether g_order(x) > 0. (The derivative of g_k has the sign of -g_(k+1).)"""
    return sign(value(order, x, Format(60))[0]) > 0


@functools.lru_cache(maxsize=4096)
def _extremum(order: int, cell: int, bits: int) -> Number | None:
    """A number less than 2^-bits above the extremum of g_order in [3 cell, 3 cell + 3]; None when there is none."""
    lo, hi = from_int(_CELL * cell), from_int(_CELL * (cell + 1))
    start = _positive(order + 1, lo)
    if _positive(order + 1, hi) == start:
        return None
    while less(from_man_exp(1, -bits), mpf_sub(hi, lo, 60, UP)):
        middle = libmp.mpf_shift(mpf_add(lo, hi), -1)
        lo, hi = (middle, hi) if _positive(order + 1, middle) == start else (lo, middle)
    return hi


def _extrema(order: int, a: Number, b: Number, bits: int) -> Iterator[Number]:
    """The extrema of g_order in [a, b] from a on, as `_extremum` gives them; one just outside may be among them."""
    cell = 0
    if a != fzero:
        cell = int(libmp.to_int(mpf_div(a, from_int(_CELL), max(magnitude(a), 0) + 60, DOWN)))
    error = from_man_exp(-1, -bits)
    while not less(b, from_int(_CELL * cell)):
        place = _extremum(order, cell, bits)
        if place is not None and not less(place, a) and not less(b, mpf_add(place, error)):
            yield place
        cell += 1


def quotient_range(order: int, lo: Number, hi: Number, format: Format = DOUBLE) -> Pair:
    """The enclosure of the range of g_order over [lo, hi], tight up to the place of an extremum.

    At an extremum c the derivative vanishes and |g''| < 1, so g(c + d) is within d^2 of g(c): the place is found to
    more bits than the format has, and the value there widened by d^2.
    """
    a = greatest(fzero, lo, mpf_neg(hi))
    b = greatest(mpf_abs(lo), mpf_abs(hi))
    bounds = [value(order, end, format) for end in (a, b)]
    if infinite(a) or (a != fzero and magnitude(a) > LARGEST_ANGLE):
        return bounds[0]
    bits = format.precision + 10 if format.least is None else 80
    # Three: the first may lie before a, by less than 2^-bits.
    places = itertools.islice(_extrema(order, a, b, bits), 3)
    bounds += [_extreme_value(order, place, bits, format) for place in places]
    return least(*(p[0] for p in bounds)), greatest(*(p[1] for p in bounds))


def _extreme_value(order: int, place: Number, bits: int, format: Format) -> Pair:
    slack = from_man_exp(1, -2 * bits)
    lo, hi = value(order, place, Format(2 * bits))
    return format.down(mpf_sub(lo, slack)), format.up(mpf_add(hi, slack))
