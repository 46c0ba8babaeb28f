"""Rows of interval equations solved for their unknowns: Snyder's Linear_Solve (1993, Fig. 8), on rows as they are or after elimination."""

import math
from collections.abc import Sequence

from ..emit.elementary.arithmetic import add, divide, multiply_ends, negate, zero_excluded
from ..emit.lanes import Lanes
from .blocks import Interval, Value, dot, from_centre, read, write


def linear_solve(L: Lanes, m: int, n: int) -> None:
    _solve_rows(L, [[read(L, "%M", i * n + j) for j in range(n)] for i in range(m)], [read(L, "%f", i) for i in range(m)])


def _solve_rows(L: Lanes, rows: Sequence[Sequence[Interval]], f: Sequence[Interval]) -> None:
    y = from_centre(L, len(rows[0]))
    empty = L.mask_const(False)
    for row, value in zip(rows, f, strict=True):
        empty = L.either(empty, solve_row(L, row, negate(L, *value), y))
    for j in range(len(y)):
        c = L.load("%c", j)
        xn, xh = read(L, "%X", j)
        x = L.min(L.sub(y[j][0], c), xn), L.min(L.add(y[j][1], c), xh)
        empty = L.either(empty, is_reversed(L, *x))
        write(L, "%X", j, x)
    L.store("%flag", 0, L.select(empty, L.const(0.0), L.load("%flag", 0)))


def solve_row(L: Lanes, row: Sequence[Interval], b: Interval, y: list[Interval]) -> str:
    """Solve one row for each unknown in turn, y shrinking in place; the mask of lanes left without a solution.

    The sum over the others is a running sum of those before and stored sums of those after.
    """
    n = len(row)
    after: list[Interval] = [(L.const(0.0), L.const(0.0))] * (n + 1)
    for k in range(n - 1, 0, -1):
        after[k] = add(L, *after[k + 1], *multiply_ends(L, *row[k], *y[k]))
    before: Interval = negate(L, *b)
    empty = L.mask_const(False)
    for j in range(n):
        rest = add(L, *before, *after[j + 1])
        y[j] = intersect_quotient(L, negate(L, *rest), row[j], y[j])
        empty = L.either(empty, is_reversed(L, *y[j]))
        if j < n - 1:
            before = add(L, *before, *multiply_ends(L, *row[j], *y[j]))
    return empty


def intersect_quotient(L: Lanes, a: Interval, b: Interval, y: Interval) -> Interval:
    """The hull of { t in y : a' = b' t for some a' in a, b' in b }; reversed bounds where it is empty.

    0 not in b: y meets a / b. 0 in b and 0 in a: nothing is known. 0 in b, 0 not in a: t lies outside the open gap
    between the quotients of the end of a nearer to 0 by the two ends of b; an end of y inside the gap moves to its
    far side. y is bounded.
    """
    zero = L.const(0.0)
    quotient = divide(L, *a, *b)
    met = L.min(quotient[0], y[0]), L.min(quotient[1], y[1])
    # Flip signs so that a > 0: then t >= a.lo / b.hi or t <= a.lo / b.lo, with b.lo <= 0 <= b.hi.
    positive, negative = L.lt(a[0], zero), L.lt(a[1], zero)
    holds_zero = L.invert(zero_excluded(L, *b))
    gap = L.both(L.either(positive, negative), holds_zero)
    nearest = L.select(positive, L.neg(a[0]), L.neg(a[1]))
    bn, bh = L.select(positive, b[0], b[1]), L.select(positive, b[1], b[0])
    # Lower bounds of the sizes of the gap's ends, as negatives: division by +0 says the gap has no end on that side.
    right = L.div(L.neg(nearest), L.add(bh, zero))
    left = L.div(L.neg(nearest), L.add(bn, zero))
    # `right` is -(a.lo / b.hi) rounded up, so the gap reaches up to at least -right; `left` is (a.lo / b.lo)
    # rounded up, in size at most exact.
    inside_left = L.both(gap, L.gt(L.neg(y[0]), left))
    inside_right = L.both(gap, L.lt(y[1], L.neg(right)))
    n = L.select(inside_left, L.min(right, y[0]), L.select(holds_zero, y[0], met[0]))
    h = L.select(inside_right, L.min(left, y[1]), L.select(holds_zero, y[1], met[1]))
    return n, h


def is_reversed(L: Lanes, n: Value, h: Value) -> str:
    """Whether lo > hi. The comparison -n > h is exact."""
    return L.gt(L.neg(n), h)


# -- elimination ------------------------------------------------------------------------------------------------

# A pivot smaller than the first one by this factor is taken as rounding.
_NO_PIVOT = 2.0**-26


def eliminate(L: Lanes, m: int, n: int) -> None:
    matrix, f = [[read(L, "%M", i * n + j) for j in range(n)] for i in range(m)], [read(L, "%f", i) for i in range(m)]
    y = _eliminator(L, matrix, [L.add(*read(L, "%X", j)) for j in range(n)])
    _solve_rows(L, [[dot(L, row, column) for column in zip(*matrix, strict=True)] for row in y], [dot(L, row, f) for row in y])


def _eliminator(L: Lanes, matrix: Sequence[Sequence[Interval]], widths: Sequence[Value]) -> list[list[Value]]:
    """Y by Gauss-Jordan elimination with full pivoting on the middles of the matrix, its columns scaled by `widths`. Any Y is valid."""
    m = len(matrix)
    zero, half, first = L.const(0.0), L.const(0.5), L.const(math.inf)
    a = [[L.mul(w, L.mul(half, L.sub(h, low))) for w, (low, h) in zip(widths, row, strict=True)] for row in matrix]
    y = [[L.const(1.0 if i == j else 0.0) for j in range(m)] for i in range(m)]
    for k in range(m):
        best = zero
        for r in range(k, m):
            sizes = [L.abs(x) for x in a[r]]
            largest = zero
            for x in sizes:
                largest = L.select(L.gt(x, largest), x, largest)
            better = L.gt(largest, best)
            best = L.select(better, largest, best)
            if r > k:
                a[k], a[r] = _exchanged(L, better, a[k], a[r])
                y[k], y[r] = _exchanged(L, better, y[k], y[r])
        first = best if k == 0 else first
        found = L.both(L.gt(best, zero), L.gt(best, L.mul(L.const(_NO_PIVOT), first)))
        columns = _first_of(L, [L.ge(L.abs(x), best) for x in a[k]])
        pivot = _chosen(L, columns, a[k])
        for r in range(m):
            if r != k:
                factor = L.select(found, L.neg(L.div(_chosen(L, columns, a[r]), pivot)), zero)
                a[r] = [L.select(L.both(found, c), zero, L.fma(factor, p, q)) for c, p, q in zip(columns, a[k], a[r], strict=True)]
                y[r] = [L.fma(factor, p, q) for p, q in zip(y[k], y[r], strict=True)]
    huge = L.const(1e300)
    return [[L.select(L.lt(L.abs(x), huge), x, zero) for x in row] for row in y]


def _exchanged(L: Lanes, where: Value, a: Sequence[Value], b: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    return ([L.select(where, q, p) for p, q in zip(a, b, strict=True)], [L.select(where, p, q) for p, q in zip(a, b, strict=True)])


def _first_of(L: Lanes, masks: Sequence[Value]) -> list[Value]:
    """The first mask that holds, in every lane."""
    result, before = [], L.mask_const(False)
    for mask in masks:
        result.append(L.both(mask, L.invert(before)))
        before = L.either(before, mask)
    return result


def _chosen(L: Lanes, masks: Sequence[Value], values: Sequence[Value]) -> Value:
    """The value whose mask holds; 0 where none does."""
    total = L.const(0.0)
    for mask, x in zip(masks, values, strict=True):
        total = L.select(mask, x, total)
    return total
