"""Tangents of a set of contacts: the kernel of the Jacobian of the rows, with the objective fixed. Ordinary arithmetic."""

from codegen.machine.loops import native

from .layout import LANES, ProblemRow, SearchMemory
from .local_solve import evaluate_points, extent, slope_at

# Against the largest, a slope that counts as none: candidates for samples follow from it, and no claim.
NO_SLOPE = 1e-6


@native
def find_kernel(s: SearchMemory, p: ProblemRow) -> bool:
    """The kernel of the Jacobian of the rows at `base`, with the objective fixed: its first two vectors into `along`.
    False if it is not of one or two dimensions.
    """
    free = nullity(s, p, NO_SLOPE)
    if 1 <= free <= 2:
        read_kernel(s, p)
    return 1 <= free <= 2


@native
def nullity(s: SearchMemory, p: ProblemRow, least: float) -> int:
    """The dimension of the kernel of the Jacobian of the rows at `base`, with the objective fixed: 0 at an isolated zero, 1 on a curve of
    them, 2 on a surface. Slopes below `least` count as none, see `load_slopes`. `small` is left reduced, and `pivot` names the
    pivot of each column.
    """
    n, m = p.variables, p.rows
    objective = p.objective
    load_slopes(s, p)
    for j in range(n):
        s.pivot[j] = -1
    rank = 0
    while rank < m:
        best, row, column = least, -1, -1
        for i in range(rank, m):
            for j in range(n):
                if j != objective and s.pivot[j] < 0 and abs(s.small[i * n + j]) > best:
                    best, row, column = abs(s.small[i * n + j]), i, j
        if row < 0:
            break
        s.pivot[column] = rank
        for j in range(n):
            s.small[row * n + j], s.small[rank * n + j] = s.small[rank * n + j], s.small[row * n + j]
        for i in range(m):
            factor = s.small[i * n + column] / s.small[rank * n + column]
            if i != rank:
                for j in range(n):
                    s.small[i * n + j] -= factor * s.small[rank * n + j]
        rank += 1
    return n - 1 - rank


@native
def load_slopes(s: SearchMemory, p: ProblemRow) -> None:
    """The Jacobian at `base` into `small`: variables against their domains, rows against their largest slopes there and
    at a few other points of the domain. What is nearly zero everywhere, beside other equations or other necessary conditions (which
    come in other units), is rounding.
    """
    n, m = p.variables, p.rows
    for j in range(n):
        for lane in range(LANES):
            at = ((3 * lane + 5 * j) % 8 + 0.5) / 8.0
            x = p.inner.lo(j) + at * extent(s, p, j, s.base[j])
            s.point[j, lane] = s.base[j] if lane == 0 else min(x, p.inner.hi(j))
    evaluate_points(s, p)
    most = 0.0
    for i in range(m):
        most = 0.0 if i == p.equations else most
        largest = 0.0
        for j in range(n):
            s.small[i * n + j] = slope_at(s, p, i, j, 0) * extent(s, p, j, s.base[j])
            for lane in range(LANES):
                size = abs(slope_at(s, p, i, j, lane)) * extent(s, p, j, s.base[j])
                largest = max(largest, size) if size < 1e300 else largest
        most = max(most, largest)
        scale = 1.0 / largest if largest > 1e-9 * most else 0.0
        for j in range(n):
            s.small[i * n + j] *= scale


@native
def read_kernel(s: SearchMemory, p: ProblemRow) -> None:
    """The kernel of the reduced matrix in `small`, whose pivots `pivot` names, one vector a free variable."""
    n, free = p.variables, 0
    for f in range(n):
        if f != p.objective and s.pivot[f] < 0:
            for j in range(n):
                pivot = s.pivot[j]
                slope = -s.small[pivot * n + f] / s.small[pivot * n + j] if pivot >= 0 else (1.0 if j == f else 0.0)
                s.along[free * n + j] = slope * extent(s, p, j, s.base[j])
            free += 1
    for j in range(n):
        if free == 1:
            s.along[n + j] = 0.0
