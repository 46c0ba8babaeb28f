"""Ranges of solutions of differential equations, from their tables (`graph.flows.Table`) in exact arithmetic."""

from bisect import bisect_right
from fractions import Fraction

import numpy as np
from mpmath import libmp

from ..graph import flows
from .directed import DOWN, UP, Format, Number, Pair, infinite


def solution_range(value: bytes, lo: Number, hi: Number, format: Format) -> Pair | None:
    """The range over [lo, hi]; None if this is not in the table."""
    component, flow = flows.decoded(value)
    table = flows.table(flow)
    if infinite(lo) or infinite(hi) or not len(table.base):
        return None
    a, b = (Fraction(*libmp.to_rational(x)) for x in (lo, hi))
    ends = [Fraction(x) for x in table.ends.tolist()]
    if a < ends[0] or ends[-1] < b:
        return None
    # At an end in common the later cell counts.
    first, last = (min(bisect_right(ends, x), len(ends) - 1) - 1 for x in (a, b))
    found = [_within(table, k, component, max(a, ends[k]), min(b, ends[k + 1])) for k in range(first, last + 1)]
    down, up = (libmp.from_rational(x.numerator, x.denominator, format.precision, mode)
                for x, mode in ((min(p for p, _ in found), DOWN), (max(q for _, q in found), UP)))
    return format.down(down), format.up(up)


def _within(table: flows.FlowTable, k: int, i: int, a: Fraction, b: Fraction) -> tuple[Fraction, Fraction]:
    """The bounds in one cell: spanned by the ends where the derivative is seen to have no zero, and else widened by what it may turn."""
    c = [Fraction(x) for x in table.coefficients[k, i].tolist()]
    error, slope_error, bend = (Fraction(float(column[k, i])) for column in (table.error, table.slope_error, table.bend))
    base = Fraction(float(table.base[k]))
    p, q = (_at(c, x - base) for x in (a, b))
    slopes = sum(abs(_at([j * x for j, x in enumerate(c)][1:], x - base)) for x in (a, b))
    straight = slopes > (b - a) * bend + 2 * slope_error
    error += 0 if straight else (b - a) ** 2 * bend / 8
    least, most = (Fraction(x) for x in table.range[k, i].tolist())
    return max(min(p, q) - error, least), min(max(p, q) + error, most)


def _at(c: list[Fraction], z: Fraction) -> Fraction:
    total = Fraction(0)
    for x in reversed(c):
        total = total * z + x
    return total


def approximated(component: int, flow: flows.Flow, at: np.ndarray) -> np.ndarray:
    """Values at numbers, in doubles; NaN beyond the table."""
    table = flows.table(flow)
    if not len(table.base):
        return np.full(np.shape(at), np.nan)
    k = np.clip(np.searchsorted(table.ends, at, "right") - 1, 0, len(table.base) - 1)
    z, c = at - table.base[k], np.moveaxis(table.coefficients[k, component], -1, 0)
    total = np.zeros(np.shape(at))
    for x in c[::-1]:
        total = total * z + x
    return np.where((table.ends[0] <= at) & (at <= table.ends[-1]), total, np.nan)
