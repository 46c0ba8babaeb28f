"""Ranges of tricubic B-splines and of their derivatives, in exact arithmetic: the reference of `emit.elementary.tricubic`."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from mpmath import libmp

from ..graph import lattices
from ..graph.lattices import DEGREE, Lattice
from .directed import DOWN, UP, Format, Pair, infinite

_HALF = Fraction(1, 2)


def spline_range(value: bytes, box: Sequence[Pair], format: Format) -> Pair:
    """By the coefficients of all cells, and where these are at most two along each axis by the mean-value theorem, also of derivatives."""
    orders, lattice = lattices.decoded(value)
    ends = [_places(lattice, k, e) for k, e in enumerate(box)]
    cells = [(a.numerator // a.denominator, b.numerator // b.denominator) for a, b in ends]
    block = lattices.differences(lattice, cells, orders)
    low, high = block.min(), block.max()
    if all(b - a <= 1 for a, b in cells) and DEGREE not in orders:
        middle = [(a + b) * _HALF for a, b in ends]
        place = [m - a for m, (a, _) in zip(middle, cells, strict=True)]
        off = sum((_slope(block, k, place, orders, [(b - a) * _HALF for a, b in ends]) * (b - a) * _HALF for k, (a, b) in enumerate(ends)),
                  Fraction(0))
        centre = _at(block, place, orders)
        low, high = max(low, centre - off), min(high, centre + off)
    s = lattices.scale(orders, lattice.spacing)
    down, up = (libmp.from_rational(x.numerator, x.denominator, format.precision, mode) for x, mode in ((low * s, DOWN), (high * s, UP)))
    return format.down(down), format.up(up)


def spline_level(value: bytes, box: Sequence[Pair]) -> int:
    """The level that holds on the whole box."""
    orders, lattice = lattices.decoded(value)
    level = 3
    for k, n in enumerate(orders):
        a, b = _places(lattice, k, box[k])
        if n >= DEGREE - 1 and not a.numerator // a.denominator < a <= b < a.numerator // a.denominator + 1:
            level = min(level, 2 if n < DEGREE else 1)
    return level


def _places(lattice: Lattice, axis: int, ends: Pair) -> tuple[Fraction, Fraction]:
    beyond = Fraction(0), Fraction(lattice.shape[axis] + DEGREE)
    a, b = (end if infinite(x) else _place(lattice, axis, Fraction(*libmp.to_rational(x))) for x, end in zip(ends, beyond, strict=True))
    return a, b


def _place(lattice: Lattice, axis: int, x: Fraction) -> Fraction:
    cell, tau = lattices.place(lattice, axis, x)
    return cell + tau


def _steepest(block: np.ndarray, axis: int) -> Fraction:
    return abs(np.diff(block, axis=axis)).max()  # type: ignore[no-any-return]


def _slope(block: np.ndarray, axis: int, place: Sequence[Fraction], orders: lattices.Orders, reach: Sequence[Fraction]) -> Fraction:
    """The mean size of the derivative along an axis, on the way from the middle to any other place."""
    least = _steepest(block, axis)
    if orders[axis] < DEGREE - 1:
        step = np.diff(block, axis=axis)
        a, b, c = (n + (k == axis) for k, n in enumerate(orders))
        about = abs(_at(step, place, (a, b, c)))
        least = min(least, about + sum(_steepest(step, k) * reach[k] * _HALF for k, n in enumerate(orders) if n < DEGREE - 1))
    return least


def _at(block: np.ndarray, place: Sequence[Fraction], orders: lattices.Orders) -> Fraction:
    """The value at a place that is counted from the first cell of the block."""
    for tau, n in zip(place, orders, strict=True):
        cell = tau.numerator // tau.denominator
        own = lattices.weights(tau - cell, n)
        block = sum(w * block[cell + k] for k, w in enumerate(own))
    return block  # type: ignore[return-value]
