"""Zeros in a box that lie on one curve or surface, as the rank of their Jacobian over the box tells. Ordinary arithmetic."""

from codegen.machine.loops import native

from .layout import ProblemRow, SearchMemory
from .local_solve import extent

# What is less than one by so much is so beyond all rounding of it: sums of ten products or so, each off by 2^-52.
_SURELY = 1.0 - 1e-6
# Terms of the series tried. Effort only (measured: tests/benchmarks/constants.py, 2 takes 2 % more in the mean, 32 no less).
_SUMS = 8


@native
def on_one_manifold(s: SearchMemory, p: ProblemRow, lane: int, free: int) -> bool:
    """Whether the zeros in the box of a lane, whose Jacobian is in M, lie on one graph over `free` variables (1 or 2).

    They do where the Jacobian of n - free rows by the other variables, multiplied by the inverse of its middle, differs from the unit
    matrix by no more than N, entry by entry, with N v < v for a positive v: all such matrices are regular, and between two zeros that
    agree in the free variables the mean value theorem would find one that is not. Rows and variables are chosen by elimination with
    pivots.
    """
    if not 1 <= free <= 2:
        return False
    rank = p.variables - free
    if not eliminate(s, p, lane, rank):
        return False
    n, m = p.variables, p.rows
    for k in range(rank):
        s.step[k] = 1.0
        for q in range(rank):
            j = s.pick[q]
            error = 0.0
            for i in range(m):
                factor = abs(s.reduced[k * (n + m) + n + i])
                error += factor * (0.5 * s.M.width(n * i + j, lane)) if factor > 0.0 else 0.0
            s.small[k * n + q] = error * extent_at(s, p, j, lane)
    for _ in range(_SUMS):
        if contracts(s, n, rank):
            return True
    return False


@native
def contracts(s: SearchMemory, n: int, rank: int) -> bool:
    """Whether N v < v, for N in `small` and v in `step`, both nowhere negative. If not, v becomes 1 + N v: so it sums N^k 1."""
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
def extent_at(s: SearchMemory, p: ProblemRow, j: int, lane: int) -> float:
    """The width of the domain of variable j as seen from the box in a lane of X."""
    return extent(s, p, j, s.X.middle(j, lane))


@native
def eliminate(s: SearchMemory, p: ProblemRow, lane: int, rank: int) -> bool:
    """The middle of the Jacobian in a lane of M, with variables measured against their domains, reduced to `rank` unit columns (named in
    `pick`) in `reduced`, and beside it what the rows were multiplied by. False if the rank is less.
    """
    n, m = p.variables, p.rows
    columns = n + m
    for i in range(m):
        largest = 0.0
        for j in range(n):
            largest = max(largest, s.M.magnitude(n * i + j, lane) * extent_at(s, p, j, lane))
        # A row of which nothing is known is of no use.
        scale = 1.0 / largest if 0.0 < largest < 1e300 else 0.0
        for j in range(n):
            s.reduced[i * columns + j] = scale * s.M.middle(n * i + j, lane) * extent_at(s, p, j, lane) if scale > 0.0 else 0.0
        for q in range(m):
            s.reduced[i * columns + n + q] = scale if q == i else 0.0
    for k in range(rank):
        best, row, column = 0.0, -1, -1
        for i in range(k, m):
            for j in range(n):
                if abs(s.reduced[i * columns + j]) > best and not picked(s, k, j):
                    best, row, column = abs(s.reduced[i * columns + j]), i, j
        if row < 0:
            return False
        s.pick[k] = column
        clear_column(s, columns, m, k, row, column)
    return True


@native
def picked(s: SearchMemory, k: int, j: int) -> bool:
    for q in range(k):
        if s.pick[q] == j:
            return True
    return False


@native
def clear_column(s: SearchMemory, columns: int, rows: int, k: int, row: int, column: int) -> None:
    """Row `row` of `reduced` becomes row k, with 1 in the column, where all others become 0."""
    for j in range(columns):
        s.reduced[row * columns + j], s.reduced[k * columns + j] = s.reduced[k * columns + j], s.reduced[row * columns + j]
    pivot = s.reduced[k * columns + column]
    for j in range(columns):
        s.reduced[k * columns + j] /= pivot
    for i in range(rows):
        factor = s.reduced[i * columns + column]
        if i != k:
            for j in range(columns):
                s.reduced[i * columns + j] -= factor * s.reduced[k * columns + j]
