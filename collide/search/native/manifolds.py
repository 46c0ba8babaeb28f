"""Zeros in a box that lie on one curve or surface, as the rank of their Jacobian over the box tells. Ordinary arithmetic."""

from codegen.machine.loops import native

from .layout import LANES, ROWS, VARIABLES
from .local_solve import extent
from .queue import attribute

# What is less than one by so much is so beyond all rounding of it.
_SURELY = 1.0 - 1e-6
# Terms of the series tried.
_SUMS = 8


@native
def on_one_manifold(s, p, lane, free):
    """Do the zeros in the box of a lane, whose Jacobian is in M, lie on one graph over `free` variables (1 or 2)?

    They do where the Jacobian of n - free rows by the other variables, multiplied by the inverse of its middle, differs from the unit
    matrix by no more than N, entry by entry, with N v < v for a positive v: all such matrices are regular, and between two zeros that
    agree in the free variables the mean value theorem would find one that is not. Rows and variables are chosen by elimination with
    pivots.
    """
    if not 1 <= free <= 2:
        return False
    rank = attribute(s, p, VARIABLES) - free
    if not eliminate(s, p, lane, rank):
        return False
    n, m = attribute(s, p, VARIABLES), attribute(s, p, ROWS)
    for k in range(rank):
        s.step[k] = 1.0
        for q in range(rank):
            j = s.pick[q]
            error = 0.0
            for i in range(m):
                at, factor = 2 * (n * i + j) * LANES + lane, abs(s.G[k * (n + m) + n + i])
                error += factor * (0.5 * (s.M[at] + s.M[at + LANES])) if factor > 0.0 else 0.0
            s.small[k * n + q] = error * extent_at(s, p, j, lane)
    for _ in range(_SUMS):
        if contracts(s, n, rank):
            return True
    return False


@native
def contracts(s, n, rank):
    """Is N v < v, for N in `small` and v in `step`, both nowhere negative? If not, v becomes 1 + N v: so it sums N^k 1."""
    less = True
    for k in range(rank):
        s.gradient[k] = 0.0
        for q in range(rank):
            s.gradient[k] += s.small[k * n + q] * s.step[q]
        less = less and s.gradient[k] < _SURELY * s.step[k]
    for k in range(rank):
        s.step[k] = 1.0 + s.gradient[k]
    return less


@native
def extent_at(s, p, j, lane):
    """The width of the domain of variable j as seen from the box in a lane of X."""
    at = 2 * j * LANES + lane
    return extent(s, p, j, 0.5 * (s.X[at + LANES] - s.X[at]))


@native
def eliminate(s, p, lane, rank):
    """The middle of the Jacobian in a lane of M, with variables measured against their domains, reduced to `rank` unit columns (named in
    `pick`) in G, and beside it what the rows were multiplied by. False if the rank is less.
    """
    n, m = attribute(s, p, VARIABLES), attribute(s, p, ROWS)
    columns = n + m
    for i in range(m):
        largest = 0.0
        for j in range(n):
            at = 2 * (n * i + j) * LANES + lane
            largest = max(largest, max(abs(s.M[at]), abs(s.M[at + LANES])) * extent_at(s, p, j, lane))
        # A row of which nothing is known is of no use.
        scale = 1.0 / largest if 0.0 < largest < 1e300 else 0.0
        for j in range(n):
            at = 2 * (n * i + j) * LANES + lane
            s.G[i * columns + j] = 0.5 * scale * (s.M[at + LANES] - s.M[at]) * extent_at(s, p, j, lane) if scale > 0.0 else 0.0
        for q in range(m):
            s.G[i * columns + n + q] = scale if q == i else 0.0
    for k in range(rank):
        best, row, column = 0.0, -1, -1
        for i in range(k, m):
            for j in range(n):
                if abs(s.G[i * columns + j]) > best and not picked(s, k, j):
                    best, row, column = abs(s.G[i * columns + j]), i, j
        if row < 0:
            return False
        s.pick[k] = column
        clear_column(s, columns, m, k, row, column)
    return True


@native
def picked(s, k, j):
    for q in range(k):
        if s.pick[q] == j:
            return True
    return False


@native
def clear_column(s, columns, rows, k, row, column):
    """Row `row` of G becomes row k, with 1 in the column, where all others become 0."""
    for j in range(columns):
        s.G[row * columns + j], s.G[k * columns + j] = s.G[k * columns + j], s.G[row * columns + j]
    pivot = s.G[k * columns + column]
    for j in range(columns):
        s.G[k * columns + j] /= pivot
    for i in range(rows):
        factor = s.G[i * columns + column]
        if i != k:
            for j in range(columns):
                s.G[i * columns + j] -= factor * s.G[k * columns + j]
