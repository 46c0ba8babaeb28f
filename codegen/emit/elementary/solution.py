"""Solutions of differential equations from their tables (`graph.flows.Table`).

Range over [a, b] within a cell: where |x'(a)| + |x'(b)| > (b - a) max |x''|, x' has no zero in between, so the ends span the range;
elsewhere they do, widened by (b - a)^2 max |x''| / 8; and no further than the cell's range. A box over several cells is taken apart into
what it has of the first one, of the last one, and the cells between, whose hull comes from one of 2^j cells from either side. Beyond the
table nothing is known: the whole line.
"""

import functools
import hashlib
import math
from collections.abc import Sequence

import numpy as np

from ...graph import flows
from ..lanes import Lanes

Value = str
Interval = tuple[Value, Value]

_INTEGER = 2.0**52
"""k + _INTEGER holds k in its low bits."""

# Of one rounding; more than the rounding of some hundred sums and products of numbers that are not negative; more than what denormal
# numbers lose.
_ULP, _ABOVE, _DENORMAL = 2.0**-52, 1.0 + 2.0**-40, 2.0**-500


def name(value: bytes) -> str:
    """A name that tells a function from others."""
    return hashlib.sha1(value, usedforsecurity=False).hexdigest()


class _Columns:
    """A component's table in the code: `rows` (base, c_0, ..., c_d, error, error of the slope, bend, range), the ends of cells, and the
    hulls of 2^j cells each.
    """

    def __init__(self, L: Lanes, value: bytes) -> None:
        component, flow = flows.decoded(value)
        table, own = flows.table(flow), name(value)
        self.L, self.cells, self.order = L, len(table.base), table.coefficients.shape[2] - 1
        self.rows, self.ends, self.hulls = (f"solution_{part}_{own}" for part in ("rows", "ends", "hulls"))
        self.levels = max(self.cells, 1).bit_length()
        if self.cells:
            self.first, self.last = float(table.ends[0]), float(table.ends[-1])
            padded = [*table.ends.tolist(), *[math.inf] * (1 << self.levels)]
            self.all_ends = lambda: [[x, y] for x, y in zip(padded, [*padded[1:], math.inf], strict=True)]
            self.all_rows = lambda: _rows(table, component)
            self.all_hulls = lambda: _hulls(table.range[:, component], self.levels)

    def cell(self, x: Value) -> Value:
        """The number of the cell, as a double, of a number of the table; the later one at an end in common."""
        L, k = self.L, self.L.const(0.0)
        for j in reversed(range(self.levels)):
            after = L.add(k, L.const(2.0**j))
            k = L.select(L.le(self.bounds(after)[0], x), after, k)
        # The last number of the table ends the last cell.
        return L.min(k, L.const(self.cells - 1.0))

    def bounds(self, k: Value) -> list[Value]:
        """The ends of cell k."""
        return self.L.row(self.ends, self.all_ends, _bits(self.L, k), 2)

    def row(self, k: Value) -> list[Value]:
        return self.L.row(self.rows, self.all_rows, _bits(self.L, k), self.order + 7)

    def hull(self, k: Value) -> list[Value]:
        return self.L.row(self.hulls, self.all_hulls, _bits(self.L, k), 2)


def _bits(L: Lanes, k: Value) -> Value:
    return L.bits_and(L.to_bits(L.add(k, L.const(_INTEGER))), L.bits_const(0xFFFFFFFF))


def _rows(table: flows.FlowTable, i: int) -> list[list[float]]:
    """With the rounding of Horner's scheme: for |z| <= H and u = 2^-52 the computed term c_k z^k carries at most 2 k + 2 roundings, z being
    rounded, and that of the slope 2 k + 4. The last factor makes up for the rounding of these sums themselves.
    """
    columns = table.coefficients[:, i].T
    reach = np.maximum(np.abs(table.ends[1:] - table.base), np.abs(table.ends[:-1] - table.base)) * _ABOVE
    error, slope_error, power = table.error[:, i], table.slope_error[:, i], np.ones(len(reach))
    for k, c in enumerate(columns):
        error = error + (2 * k + 2) * _ULP * np.abs(c) * power
        if k + 1 < len(columns):
            slope_error = slope_error + (k + 1) * (2 * k + 6) * _ULP * np.abs(columns[k + 1]) * power
        power = power * reach
    rows = np.stack([table.base, *columns, (error + _DENORMAL) * _ABOVE, (slope_error + _DENORMAL) * _ABOVE, table.bend[:, i],
                     -table.range[:, i, 0], table.range[:, i, 1]], axis=1)
    return rows.tolist()  # type: ignore[no-any-return]


def _hulls(ranges: np.ndarray, levels: int) -> list[list[float]]:
    """Negated lower and upper bounds over the cells k, ..., k + 2^j - 1, in row j N + k."""
    found, n = [np.stack([-ranges[:, 0], ranges[:, 1]], axis=1)], len(ranges)
    for j in range(levels - 1):
        later = np.minimum(np.arange(n) + (1 << j), n - 1)
        found.append(np.maximum(found[-1], found[-1][later]))
    return np.concatenate(found).tolist()  # type: ignore[no-any-return]


def _polynomial(L: Lanes, z: Value, c: Sequence[Value]) -> tuple[Value, Value]:
    """Value and derivative by Horner's scheme, without their errors."""
    value, slope = c[-1], L.mul(c[-1], L.const(len(c) - 1.0))
    for k in range(len(c) - 2, -1, -1):
        value = L.fma(value, z, c[k])
        if k:
            slope = L.fma(slope, z, L.mul(c[k], L.const(float(k))))
    return value, slope


def _within(t: _Columns, k: Value, a: Value, b: Value) -> Interval:
    """The range over [a, b] in cell k."""
    L = t.L
    base, *c, error, slope_error, bend, least, most = t.row(k)
    (p, p1), (q, q1) = (_polynomial(L, L.sub(x, base), c) for x in (a, b))
    width = L.sub(b, a)
    turning = L.fma(width, bend, L.add(slope_error, slope_error))
    straight = L.lt(L.sub(L.sub(turning, L.abs(p1)), L.abs(q1)), L.const(0.0))
    more = L.select(straight, L.const(0.0), L.mul(L.mul(width, width), L.mul(bend, L.const(0.125))))
    error = L.add(error, more)
    return L.min(L.add(L.max(L.neg(p), L.neg(q)), error), least), L.min(L.add(L.max(p, q), error), most)


def _between(t: _Columns, first: Value, last: Value) -> Interval:
    """The hull of the cells after the first and before the last one; -inf where there are none."""
    L, one = t.L, t.L.const(1.0)
    count = L.sub(L.sub(last, first), one)
    some = L.ge(count, one)
    power = L.from_bits(L.bits_and(L.to_bits(L.max(count, one)), L.bits_const(0x7FF0000000000000)))
    level = L.sub(L.from_bits(L.bits_xor(L.shift_right(L.to_bits(power), 52), L.to_bits(L.const(_INTEGER)))), L.const(_INTEGER + 1023.0))
    start = L.mul(level, L.const(float(t.cells)))
    places = [L.add(start, L.select(some, k, L.const(0.0))) for k in (L.add(first, one), L.sub(last, power))]
    n, h = (L.max(*ends) for ends in zip(*map(t.hull, places), strict=True))
    return L.select(some, n, L.const(-math.inf)), L.select(some, h, L.const(-math.inf))


def solution(L: Lanes, n: Value, h: Value, value: bytes) -> Interval:
    """The values for the times of a box."""
    t = _Columns(L, value)
    whole = L.const(math.inf)
    if not t.cells:
        return whole, whole
    known = _known(t, n, h)
    a, b = (L.max(L.min(x, L.const(t.last)), L.const(t.first)) for x in (L.neg(n), h))
    first, last = t.cell(a), t.cell(b)
    pieces = [_within(t, first, a, L.min(b, t.bounds(first)[1])), _within(t, last, L.max(a, t.bounds(last)[0]), b),
              _between(t, first, last)]
    low, high = (functools.reduce(L.max, ends) for ends in zip(*pieces, strict=True))
    return L.select(known, low, whole), L.select(known, high, whole)


def _known(t: _Columns, n: Value, h: Value) -> Value:
    """Mask: the box lies in the table."""
    return t.L.both(t.L.le(n, t.L.const(-t.first)), t.L.le(h, t.L.const(t.last)))


def solution_level(L: Lanes, n: Value, h: Value, value: bytes) -> tuple[Value]:
    t = _Columns(L, value)
    return (L.select(_known(t, n, h), L.const(3.0), L.const(0.0)) if t.cells else L.const(0.0),)


def solution_point(L: Lanes, x: Value, value: bytes) -> tuple[Value]:
    """Approximates; NaN beyond the table."""
    t = _Columns(L, value)
    if not t.cells:
        return (L.const(math.nan),)
    at = L.max(L.min(x, L.const(t.last)), L.const(t.first))
    k = t.cell(at)
    base, *c = t.row(k)[:t.order + 2]
    known = L.both(L.ge(x, L.const(t.first)), L.le(x, L.const(t.last)))
    return (L.select(known, _polynomial(L, L.sub(at, base), c)[0], L.const(math.nan)),)
