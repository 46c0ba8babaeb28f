"""Tricubic B-splines and their partial derivatives (`graph.lattices`), over boxes [r] of places in the lattice.

In a box that meets at most two cells along each axis all comes from the window of five coefficients a side that these depend on. With the
place m in the middle of the box, and the derivatives f_k, of which differences of the coefficients are B-spline coefficients again and so
bounds,

    f(r)  in  f(m) + sum_k [f_k] (r_k - m_k),

by the mean-value theorem, across knots too, where f is continuous; this is intersected with the hull of the coefficients of f itself. On
the way from m to r the mean of |f_k| is also |f_k(m)| + sum_l |f_kl| |r_l - m_l| / 2 at most, where f_k and all f_l are continuous: along
axes of which f is a derivative of order 0 or 1. The way goes along these first, and along others at the end. A larger box is enclosed by
the hull of a table: that of 2^j + 2^j cells a side for every 2^j-th cell, j = 1, 2, .... Bounds that may be rough are those of such tables,
of second derivatives with j = 0, too; and those for points have twice the largest coefficient for a bound of the differences, and no more
than a window.

Rounding. Places have three roundings, outward. With u = 2^-52 and |c| <= C for the coefficients, a weight is wrong by less than 30 u of
itself: those of the ends are products, the others are at least 1/6, and made of terms of at most 6. Each of the three sums adds 5 u, and
differences of order k, up to 2^k C in size, k u. Together that is less than 2^-45 2^k C.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

import numpy as np

from ...graph import lattices
from ...graph.lattices import DEGREE, Bounds, Lattice, Orders
from ..lanes import Lanes
from .solution import name
from .window import SeriesWindow, pairs, smooth, window

Value = str
Interval = tuple[Value, Value]

_ERROR = 2.0**-45
_INTEGER = 2.0**52
"""k + _INTEGER holds k in its low bits."""


class _Axis(NamedTuple):
    """The places of a box along an axis, from `lo` to `hi`, their cells, the `middle` with its cell, and how far it is from the ends."""

    lo: Value
    hi: Value
    first: Value
    last: Value
    middle: Value
    cell: Value
    reach: Value


def _axis(L: Lanes, lattice: Lattice, axis: int, n: Value, h: Value) -> _Axis:
    origin, spacing, degree = lattice.origin[axis], L.const(lattice.spacing[axis]), float(DEGREE)
    low = L.sub(L.div(L.add(n, L.const(origin)), spacing), L.const(degree))
    high = L.add(L.div(L.sub(h, L.const(origin)), spacing), L.const(degree))
    lo, hi = (_confined(L, lattice, axis, e) for e in (L.neg(low), high))
    middle = L.mul(L.add(lo, hi), L.const(0.5))
    return _Axis(lo, hi, L.floor(lo), L.floor(hi), middle, L.floor(middle), L.max(L.sub(middle, lo), L.sub(hi, middle)))


def _confined(L: Lanes, lattice: Lattice, axis: int, place: Value) -> Value:
    """Beyond the last coefficients nothing changes."""
    return L.max(L.min(place, L.const(float(lattice.shape[axis] + DEGREE))), L.const(0.0))


def _weights(L: Lanes, tau: Value, order: int) -> list[Value]:
    """`lattices.weights`."""
    one, half, sixth = L.const(1.0), L.const(0.5), L.const(1.0 / 6.0)
    rest = L.sub(one, tau)
    if order == 0:
        square = L.mul(tau, tau)
        second = L.fma(square, L.fma(tau, L.const(3.0), L.const(-6.0)), L.const(4.0))
        third = L.fma(square, L.fma(tau, L.const(-3.0), L.const(3.0)), L.fma(tau, L.const(3.0), one))
        return [L.mul(e, sixth) for e in (L.mul(L.mul(rest, rest), rest), second, third, L.mul(square, tau))]
    if order == 1:
        return [L.mul(L.mul(rest, rest), half), L.fma(tau, rest, half), L.mul(L.mul(tau, tau), half)]
    return [rest, tau] if order == 2 else [one]


def _placed(L: Lanes, axis: _Axis, order: int) -> list[Value]:
    """The weights of the middle, for the coefficients of the window."""
    zero, own, later = L.const(0.0), _weights(L, L.sub(axis.middle, axis.cell), order), L.gt(axis.cell, axis.first)
    return [L.select(later, a, b) for a, b in zip([zero, *own], [*own, zero], strict=True)]


class _Table:
    """The coefficients in the code, those at the ends repeated, and hulls of those of many cells."""

    def __init__(self, L: Lanes, value: bytes) -> None:
        self.L, (self.orders, self.lattice) = L, lattices.decoded(value)
        own = name(lattices.encoded((0, 0, 0), self.lattice))
        # Of one cell and one more a side, only where there is nothing better for small boxes, and these are too many to be kept for all.
        least = 0 if lattices.bounds_of(value) is Bounds.ROUGH and sum(self.orders) > 1 else 1
        self.levels = range(least, (max(self.lattice.shape) + DEGREE).bit_length() + 1)
        self.points, self.hulls = f"lattice_{own}", f"lattice_hulls_{own}_{'_'.join(map(str, self.orders))}_{least}"
        self.sides = [n + 2 * DEGREE + 1 for n in self.lattice.shape]

    def window(self, first: Sequence[Value], weights: Sequence[Sequence[Value]], slants: Sequence[Sequence[Value]] = ()) -> SeriesWindow:
        """The `SeriesWindow` of the coefficients from those of these cells on (see `window`)."""
        L, (_, b, c) = self.L, self.sides
        L.table(self.points, self._coefficients)
        start = L.fma(first[0], L.const(float(b * c)), L.fma(first[1], L.const(float(c)), first[2]))
        return window(L, self.points, (b * c, c), _bits(L, start), self.orders, weights, slants)

    def _coefficients(self) -> list[list[float]]:
        """Windows are read by whole rows of vectors, beyond the end, too."""
        return [_padded(self.lattice).ravel().tolist(), [0.0] * 8]

    def hull(self, axes: Sequence[_Axis]) -> Interval:
        """The hull of the coefficients of a box, after differences."""
        L, shapes = self.L, [[(n + DEGREE >> j) + 1 for n in self.lattice.shape] for j in self.levels]
        width = reduce(L.max, [L.sub(axis.last, axis.first) for axis in axes])
        index, total = L.const(0.0), 0
        for j, (a, b, c) in zip(self.levels, shapes, strict=True):
            x, y, z = (L.floor(L.mul(axis.first, L.const(0.5**j))) for axis in axes)
            here = L.fma(x, L.const(float(b * c)), L.fma(y, L.const(float(c)), L.add(z, L.const(float(total)))))
            # Of the levels on which two blocks hold the box the lowest.
            index = L.select(L.le(width, L.const(2.0 ** (j - 1))), index, here) if total else here
            total += a * b * c
        n, h = L.row(self.hulls, self._all_hulls, _bits(L, index), 2)
        return n, h

    def _all_hulls(self) -> list[list[float]]:
        low, high = _cells(self.lattice, self.orders)
        rows = []
        for j in self.levels:
            least, most = (_blocks(e, 1 << j, best) for e, best in ((low, np.minimum), (high, np.maximum)))
            rows.append(np.stack([-least.ravel(), most.ravel()], axis=1))
        return np.concatenate(rows).tolist()  # type: ignore[no-any-return]


def _padded(lattice: Lattice) -> np.ndarray:
    return np.pad(lattice.coefficients, [(DEGREE, DEGREE + 1)] * 3, mode="edge")


def _cells(lattice: Lattice, orders: Orders) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the differences of the coefficients of each cell; these are rounded `sum(orders)` times, by half an ulp each."""
    table = _padded(lattice)
    error = _error(orders) * float(np.abs(table).max())
    for axis, n in enumerate(orders):
        table = np.diff(table, n, axis=axis)
    low = high = table
    for axis, n in enumerate(orders):
        around = [range(a, a + lattice.shape[axis] + DEGREE + 1) for a in range(DEGREE + 1 - n)]
        low, high = (reduce(best, [np.take(e, r, axis=axis) for r in around]) for e, best in ((low, np.minimum), (high, np.maximum)))
    return low - error, high + error


def _blocks(cells: np.ndarray, size: int, best: np.ufunc) -> np.ndarray:
    """The extreme value of the cells i to i + 2 size, for every i that is a multiple of the size, along each axis."""
    for axis in range(3):
        starts = np.arange(0, cells.shape[axis], size)
        single = best.reduceat(cells, starts, axis=axis)
        after = np.minimum(starts // size + 1, len(starts) - 1)
        cells = best(single, np.take(single, after, axis=axis))
    return cells


def _error(orders: Orders) -> float:
    """Against the largest coefficient."""
    return _ERROR * 2.0 ** sum(orders)


def _bits(L: Lanes, k: Value) -> Value:
    return L.bits_and(L.to_bits(L.add(k, L.const(_INTEGER))), L.bits_const(0xFFFFFFFF))


def tricubic(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value, zn: Value, zh: Value, value: bytes) -> Interval:
    """The values in a box."""
    t, bounds = _Table(L, value), lattices.bounds_of(value)
    axes = [_axis(L, t.lattice, k, n, h) for k, (n, h) in enumerate(((xn, xh), (yn, yh), (zn, zh)))]
    low, high = t.hull(axes) if bounds is Bounds.ROUGH else _near(L, t, axes, bounds is Bounds.POINT and DEGREE not in t.orders)
    below, above = _around(lattices.scale(t.orders, t.lattice.spacing))
    return (L.max(L.mul(low, L.const(below)), L.mul(low, L.const(above))),
            L.max(L.mul(high, L.const(below)), L.mul(high, L.const(above))))


def _around(s: Fraction) -> tuple[float, float]:
    """Doubles below and above a positive number."""
    near = float(s)
    return (math.nextafter(near, 0.0) if Fraction(near) > s else near, math.nextafter(near, math.inf) if Fraction(near) < s else near)


def _near(L: Lanes, t: _Table, axes: Sequence[_Axis], point: bool) -> Interval:
    """Before scaling: over a box of at most two cells along each axis what the window says; over others the hull, or nothing."""
    near = reduce(L.both, [L.le(L.sub(axis.last, axis.first), L.const(1.0)) for axis in axes])
    slants = [] if point else [_placed(L, axis, k + 1) if k < DEGREE - 1 else [] for axis, k in zip(axes, t.orders, strict=True)]
    w = t.window([axis.first for axis in axes], [_placed(L, axis, k) for axis, k in zip(axes, t.orders, strict=True)], slants)
    if point:
        return _at_point(L, t, axes, w, near)
    n, h = _in_window(L, t, axes, w)
    low, high = t.hull(axes)
    return L.select(near, n, low), L.select(near, h, high)


def _at_point(L: Lanes, t: _Table, axes: Sequence[_Axis], w: SeriesWindow, near: Value) -> Interval:
    """After k differences coefficients, and what they differ by, are no more than 2^k and 2^(k + 1) as large."""
    reach = reduce(L.add, [axis.reach for axis in axes])
    error = L.mul(w.size, L.fma(reach, L.const(2.0 ** (sum(t.orders) + 1)), L.const(_error(t.orders))))
    error = L.select(near, error, L.const(math.inf))
    return L.sub(error, w.value), L.add(w.value, error)


def _in_window(L: Lanes, t: _Table, axes: Sequence[_Axis], w: SeriesWindow) -> Interval:
    error = L.mul(w.size, L.const(_error(t.orders)))
    n, h = L.sub(error, w.least), L.add(w.most, error)
    if DEGREE in t.orders:
        return n, h
    off, far = L.mul(w.size, L.const(2.0 * _error(t.orders))), L.mul(w.size, L.const(4.0 * _error(t.orders)))
    steepest = [L.add(e, off) for e in w.steepest]
    about = {k: L.add(L.abs(e), off) for k, e in zip(smooth(t.orders), w.slopes, strict=True)}
    for (k, j), bend in zip(pairs(t.orders), w.bends, strict=True):
        for one, other in dict.fromkeys(((k, j), (j, k))):
            about[one] = L.fma(L.add(bend, far), L.mul(axes[other].reach, L.const(0.5)), about[one])
    for k, axis in enumerate(axes):
        error = L.fma(L.min(about[k], steepest[k]) if k in about else steepest[k], axis.reach, error)
    return L.min(L.sub(error, w.value), n), L.min(L.add(w.value, error), h)


def tricubic_level(L: Lanes, xn: Value, xh: Value, yn: Value, yh: Value, zn: Value, zh: Value, value: bytes) -> tuple[Value]:
    """Second derivatives have kinks at knots, third ones jump."""
    orders, lattice = lattices.decoded(value)
    level = L.const(3.0)
    for k, (n, h) in enumerate(((xn, xh), (yn, yh), (zn, zh))):
        if orders[k] >= DEGREE - 1:
            axis = _axis(L, lattice, k, n, h)
            inside = L.both(L.eq(axis.first, axis.last), L.gt(axis.lo, axis.first))
            level = L.min(L.select(inside, L.const(3.0), L.const(2.0 if orders[k] < DEGREE else 1.0)), level)
    return (level,)


def tricubic_point(L: Lanes, x: Value, y: Value, z: Value, value: bytes) -> tuple[Value]:
    """Approximates."""
    t, cells, weights = _Table(L, value), [], []
    for k, e in enumerate((x, y, z)):
        r = L.add(L.div(L.sub(e, L.const(t.lattice.origin[k])), L.const(t.lattice.spacing[k])), L.const(float(DEGREE)))
        r = _confined(L, t.lattice, k, r)
        cells.append(L.floor(r))
        weights.append([*_weights(L, L.sub(r, cells[k]), t.orders[k]), L.const(0.0)])
    found = L.mul(t.window(cells, weights).value, L.const(float(lattices.scale(t.orders, t.lattice.spacing))))
    # What is no number stays so.
    known = L.add(L.add(x, y), z)
    return (L.select(L.isnan(known), known, found),)
