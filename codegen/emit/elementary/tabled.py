"""Analytic functions from tables of Taylor polynomials that a program has made with Arb (``python -m tests.special_tables``).

The operation ``tabled(x)`` has the name of its table as value. A table covers positive numbers in one of two ways:

    geometric   cells between numbers of `bits` leading bits of the mantissa, from `first` to `last`, powers of two: the bits of x say which
    linear      cells |x - k w| <= w/2 of a width w = 2^-bits, from `first` to `last`

t = x - centre is exact: x and the centre are multiples of the last place of x, and their difference is no larger than x. Of geometric
cells it is measured in the power of two that x is a multiple of, less than twice, which is exact, too. A row is

    c_0 as two doubles, c_1, ..., c_d, E

with |f(x) - (c_0 + c_1 t + ... + c_d t^d)| and the roundings of Horner's scheme together at most E (see `tests.special_tables.rows`), in
any rounding mode. The sums with c_0 are rounded outward here. f is monotone on the whole table, as the program proves, so the ends of a
box span its range; or the table is for points, and longer boxes have no bounds. Those get the whole line at level 0, as boxes do that are
not within the table.
"""

import math

import numpy as np

from ...graph.tables import NEITHER, TableLayout, layout, rows
from ..lanes import Lanes
from .doubled import Approximation, Value, negated_lower, upper

Interval = tuple[Value, Value]
_INTEGER = 2.0**52


def _cell(L: Lanes, table: TableLayout, x: Value) -> tuple[Value, Value]:
    """t, and the number of the row (bits), for an x of the table."""
    if table.linear:
        width = 2.0**-table.bits
        k = L.floor(L.fma(x, L.const(1 / width), L.const(math.nextafter(0.5, 0.0))))
        row = L.sub(k, L.const(table.first / width))
        return L.fma(k, L.const(-width), x), L.bits_and(L.to_bits(L.add(row, L.const(_INTEGER))), L.bits_const(0xFFFFFF))
    bits, low = L.to_bits(x), 52 - table.bits
    head = L.shift_right(bits, low)
    centre = L.from_bits(L.bits_add(L.shift_left(head, low), L.bits_const(1 << (low - 1))))
    start = int(np.float64(table.first).view(np.int64)) >> low
    scale = L.from_bits(L.bits_sub(L.bits_const(2046 << 52), L.bits_and(bits, L.bits_const(0x7FF << 52))))
    return L.mul(L.sub(x, centre), scale), L.bits_sub(head, L.bits_const(start))


def value(L: Lanes, name: str, x: Value) -> Approximation:
    """f at a number, which is taken to the nearest one of the table."""
    table = layout(name)
    last = table.last if table.linear else math.nextafter(table.last, 0.0)
    x = L.max(L.min(x, L.const(last)), L.const(table.first))
    t, row = _cell(L, table, x)
    high, low, *c, error = L.row(f"tabled_{name}", lambda: rows(name).tolist(), row, table.degree + 3)
    total = c[-1]
    for a in reversed(c[:-1]):
        total = L.fma(total, t, a)
    return Approximation(high, L.fma(total, t, low), error)


def tabled(L: Lanes, n: Value, h: Value, name: str) -> Interval:
    """The range over a box within the table."""
    table = layout(name)
    first, last = value(L, name, L.neg(n)), value(L, name, h)
    low, high = (last, first) if table.rising == 0 else (first, last)
    inside, infinity = _within(L, table, n, h), L.const(math.inf)
    return L.select(inside, negated_lower(L, low), infinity), L.select(inside, upper(L, high), infinity)


def _within(L: Lanes, table: TableLayout, n: Value, h: Value) -> Value:
    beyond = L.le(h, L.const(table.last)) if table.linear else L.lt(h, L.const(table.last))
    within = L.both(L.le(n, L.const(-table.first)), beyond)
    return L.both(within, L.eq(L.neg(n), h)) if table.rising == NEITHER else within


def tabled_level(L: Lanes, n: Value, h: Value, name: str) -> tuple[Value]:
    return (L.select(_within(L, layout(name), n, h), L.const(3.0), L.const(0.0)),)


def tabled_point(L: Lanes, x: Value, name: str) -> tuple[Value]:
    """Approximates; NaN outside the table."""
    y = value(L, name, x)
    return (L.select(_within(L, layout(name), L.neg(x), x), L.add(y.high, y.low), L.const(math.nan)),)
