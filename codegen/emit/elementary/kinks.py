"""Functions with kinks and steps: absolute value, minimum, maximum, sign, Heaviside, floor, ceiling. All are exact.

What `arithmetic` says of intervals, levels and points holds here too.
"""

from ..lanes import Lanes
from .arithmetic import Interval, Value, level_of, magnitudes, zero_excluded


def abs(L: Lanes, n: Value, h: Value) -> Interval:
    return magnitudes(L, n, h)


def abs_level(L: Lanes, n: Value, h: Value) -> tuple[Value]:
    return level_of(L, zero_excluded(L, n, h), 2.0)


def abs_point(L: Lanes, x: Value) -> tuple[Value]:
    return (L.abs(x),)


def min(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> Interval:
    return L.max(xn, yn), L.min(xh, yh)


def max(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> Interval:
    return L.min(xn, yn), L.max(xh, yh)


def min_level(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value) -> tuple[Value]:
    """3 where one operand is surely the smaller one, else 2: also the level of max."""
    return level_of(L, L.either(L.lt(xh, L.neg(yn)), L.lt(yh, L.neg(xn))), 2.0)


max_level = min_level


def min_point(L: Lanes, x: Value, y: Value) -> tuple[Value]:
    return (L.select(L.isnan(x), x, L.min(x, y)),)


def max_point(L: Lanes, x: Value, y: Value) -> tuple[Value]:
    return (L.select(L.isnan(x), x, L.max(x, y)),)


def sign(L: Lanes, n: Value, h: Value) -> Interval:
    """-1, 0 or 1; odd, so that both ends are the point function."""
    return (*sign_point(L, n), *sign_point(L, h))


def sign_level(L: Lanes, n: Value, h: Value) -> tuple[Value]:
    """3 where 0 is not in the box, else 1 (defined): also the level of heaviside."""
    return level_of(L, zero_excluded(L, n, h), 1.0)


def sign_point(L: Lanes, x: Value) -> tuple[Value]:
    zero = L.const(0.0)
    return (L.select(L.gt(x, zero), L.const(1.0), L.select(L.lt(x, zero), L.const(-1.0), x)),)


def heaviside(L: Lanes, n: Value, h: Value) -> Interval:
    """0 for x < 0, 1/2 at 0, 1 for x > 0."""
    return L.neg(*heaviside_point(L, L.neg(n))), *heaviside_point(L, h)


heaviside_level = sign_level


def heaviside_point(L: Lanes, x: Value) -> tuple[Value]:
    zero = L.const(0.0)
    at_zero = L.select(L.eq(x, zero), L.const(0.5), x)
    return (L.select(L.gt(x, zero), L.const(1.0), L.select(L.lt(x, zero), zero, at_zero)),)


def floor(L: Lanes, n: Value, h: Value) -> Interval:
    return L.neg(L.floor(L.neg(n))), L.floor(h)


def floor_level(L: Lanes, n: Value, h: Value) -> tuple[Value]:
    """3 where no integer is in the box, else 1."""
    lo = L.neg(n)
    below = L.floor(lo)
    return level_of(L, L.both(L.lt(below, lo), L.eq(below, L.floor(h))), 1.0)


def floor_point(L: Lanes, x: Value) -> tuple[Value]:
    return (L.floor(x),)


def ceiling(L: Lanes, n: Value, h: Value) -> Interval:
    return L.floor(n), L.neg(L.floor(L.neg(h)))


ceiling_level = floor_level
"""Floor and ceiling jump at the same points, the integers, and neither is continuous there."""


def ceiling_point(L: Lanes, x: Value) -> tuple[Value]:
    return (L.neg(L.floor(L.neg(x))),)
