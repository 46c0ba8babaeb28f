"""Square interval systems: preconditioning, and two operators that prove that there is one zero in a box (Snyder 1993, Section 4).

Each holds every zero of f in the box X; where it lies in the interior of X, there is exactly one.
"""

from collections.abc import Sequence

from ..emit.elementary.arithmetic import add, divide, multiply_ends, negate, zero_excluded
from ..emit.lanes import Lanes
from .blocks import Interval, Value, dot, from_centre, read, write


def _approximate_inverse(L: Lanes, n: int) -> list[list[Value]]:
    """About the inverse of mid M, by Gauss-Jordan elimination with row exchanges. Any matrix is valid; a good one contracts.

    Entries that come out NaN or infinite (a singular midpoint, an unbounded M) become 0, so no NaN reaches interval
    arithmetic.
    """
    half = L.const(0.5)
    a = [[L.mul(half, L.sub(h, m)) for m, h in (read(L, "%M", i * n + j) for j in range(n))] for i in range(n)]
    y = [[L.const(1.0 if i == j else 0.0) for j in range(n)] for i in range(n)]
    for k in range(n):
        for r in range(k + 1, n):
            larger = L.gt(L.abs(a[r][k]), L.abs(a[k][k]))
            for matrix in (a, y):
                for j in range(n):
                    top, bottom = matrix[k][j], matrix[r][j]
                    matrix[k][j] = L.select(larger, bottom, top)
                    matrix[r][j] = L.select(larger, top, bottom)
        inverse = L.div(L.const(1.0), a[k][k])
        a[k] = [L.mul(x, inverse) for x in a[k]]
        y[k] = [L.mul(x, inverse) for x in y[k]]
        for r in range(n):
            if r != k:
                factor = L.neg(a[r][k])
                a[r] = [L.fma(factor, p, q) if j > k else q for j, (p, q) in enumerate(zip(a[k], a[r], strict=True))]
                y[r] = [L.fma(factor, p, q) for p, q in zip(y[k], y[r], strict=True)]
    zero, huge = L.const(0.0), L.const(1e300)
    return [[L.select(L.lt(L.abs(x), huge), x, zero) for x in row] for row in y]


def _preconditioned(L: Lanes, n: int) -> tuple[list[list[Interval]], list[Interval]]:
    """Y M and Y f."""
    y = _approximate_inverse(L, n)
    matrix = [[read(L, "%M", i * n + j) for j in range(n)] for i in range(n)]
    f = [read(L, "%f", i) for i in range(n)]
    product = [[dot(L, y[i], [matrix[k][j] for k in range(n)]) for j in range(n)] for i in range(n)]
    return product, [dot(L, y[i], f) for i in range(n)]


def precondition(L: Lanes, n: int) -> None:
    G, g = _preconditioned(L, n)
    for i in range(n):
        for j in range(n):
            write(L, "%G", i * n + j, G[i][j])
        write(L, "%g", i, g[i])


# -- operators with an existence test ------------------------------------------------------------------------------


def krawczyk(L: Lanes, n: int) -> None:
    G, g = _preconditioned(L, n)
    radius = [L.max(a, b) for a, b in from_centre(L, n)]
    result = []
    for i in range(n):
        spread = L.const(0.0)
        for j in range(n):
            one = 1.0 if i == j else 0.0
            spread = L.add(spread, row_sum_term(L, G[i][j], one, radius[j]))
        c = L.load("%c", i)
        result.append((L.add(L.add(g[i][1], spread), L.neg(c)), L.add(L.add(g[i][0], spread), c)))
    _finish(L, result, "%K")


def interval_inverse(L: Lanes, n: int) -> None:
    G, g = _preconditioned(L, n)
    b = [negate(L, *x) for x in g]
    failed = L.mask_const(False)
    for k in range(n):
        failed = L.either(failed, L.invert(zero_excluded(L, *G[k][k])))
        for r in range(k + 1, n):
            factor = negate(L, *divide(L, *G[r][k], *G[k][k]))
            for j in range(k + 1, n):
                G[r][j] = add(L, *G[r][j], *multiply_ends(L, *factor, *G[k][j]))
            b[r] = add(L, *b[r], *multiply_ends(L, *factor, *b[k]))
    solution: list[Interval] = [b[0]] * n
    for k in range(n - 1, -1, -1):
        total = b[k]
        for j in range(k + 1, n):
            total = add(L, *total, *negate(L, *multiply_ends(L, *G[k][j], *solution[j])))
        solution[k] = divide(L, *total, *G[k][k])
    infinity = L.const(float("inf"))
    result = []
    for j, (sn, sh) in enumerate(solution):
        c = L.load("%c", j)
        result.append((L.select(failed, infinity, L.sub(sn, c)), L.select(failed, infinity, L.add(sh, c))))
    _finish(L, result, "%Q")


def row_sum_term(L: Lanes, entry: Interval, one: float, radius: Value) -> Value:
    """|I - Y M| r for one entry of Y M, whose place in I holds `one`.

    The size of the entry is the larger of hi - 1 and 1 - lo; 0 * inf cannot add anything (the radius is then 0).
    """
    size = L.max(L.sub(entry[1], L.const(one)), L.add(entry[0], L.const(one)))
    term = L.mul(size, radius)
    return L.select(L.isnan(term), L.const(0.0), term)


def _finish(L: Lanes, result: Sequence[Interval], pointer: str) -> None:
    """Store the operator's value, and whether it lies in the interior of X."""
    inside = L.mask_const(True)
    for j, (rn, rh) in enumerate(result):
        xn, xh = read(L, "%X", j)
        inside = L.both(inside, L.both(L.lt(rn, xn), L.lt(rh, xh)))
        write(L, pointer, j, (rn, rh))
    L.store("%flag", 0, L.select(inside, L.const(1.0), L.const(0.0)))
