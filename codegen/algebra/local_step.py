"""Steps of local solves in eight lanes at once, in ordinary arithmetic: they prove nothing.

`local_step` is a damped Gauss-Newton step towards a zero of a system. `least_step` is a Newton step towards the least value of
one variable among the zeros: a point where its gradient is a combination of those of the functions (Karush, Kuhn and
Tucker), some variables being held at the ends of their domain.
"""

from collections.abc import Sequence

from ..emit.lanes import Lanes
from ..machine.straight_line import straight_line

LARGEST = 10
"""Systems of up to so many variables are worth straight-line code."""

# The damping of a step at a large residual, and where the residual is none.
DAMPING, LEAST = 1e-3, 1e-15


def local_step(m: int, n: int, quick: bool = False) -> int:
    """Address of ``void(value, unit, step)``: a step of Levenberg and Marquardt for m functions of n variables.

    value (m + m n,) holds the functions and then their Jacobian row-major, unit (n + m,) what variables are measured in, and factors of
    the functions: so no unit of length or time is preferred. step (n + 1,) receives the step and the residual: the largest function,
    times its factor. The damping fades with the residual, so convergence stays quadratic at regular zeros and steps stay tame at
    singular ones; a lane without a step gets NaN. `quick`: see `straight_line`.
    """
    return straight_line("local step", (m, n), "value unit step", lambda module, L: _gauss_newton(L, m, n), "nearest", quick)


def least_step(m: int, n: int, objective: int, pairs: Sequence[tuple[int, int]], quick: bool = False) -> int:
    """Address of ``void(value, multiplier, free, damping, unit, step)``: towards the least x_objective among common zeros.

    value: m functions, their Jacobian row-major, then for each (i, j) of `pairs` their m second derivatives. multiplier
    (m,) is replaced. free (n,) is 1.0 for variables that may move, 0.0 for those held. unit (n + m,): as in `local_step`.
    step (2 n + 1,): the step, the gradient of the Lagrangian in the held variables (of no meaning in others), by their units, and the
    residual. `quick`: see `straight_line`.
    """
    return straight_line("least step", (m, n, objective, tuple(pairs)), "value multiplier free damping unit step",
                         lambda module, L: _lagrange(L, m, n, objective, pairs), "nearest", quick)


def _gauss_newton(L: Lanes, m: int, n: int) -> None:
    unit = [L.load("%unit", j) for j in range(n)]
    f, d, _ = _scaled(L, m, unit)
    residual = _largest(L, f)
    a, right, largest = _normal_equations(L, f, d)
    damping = L.mul(largest, L.add(L.const(LEAST), L.min(L.mul(residual, residual), L.const(DAMPING))))
    for j in range(n):
        a[j][j] = L.add(a[j][j], damping)
    for j, x in enumerate(_symmetric_solution(L, a, right)):
        L.store("%step", j, L.mul(unit[j], x))
    L.store("%step", n, residual)


def _scaled(L: Lanes, m: int, unit: Sequence[str]) -> tuple[list[str], list[list[str]], list[str]]:
    """The functions and their Jacobian, by the units of the variables and of the functions; and the factors of the functions."""
    n = len(unit)
    factors = [L.load("%unit", n + i) for i in range(m)]
    f = [L.mul(L.load("%value", i), factors[i]) for i in range(m)]
    d = [[L.mul(L.mul(L.load("%value", m + n * i + j), unit[j]), factors[i]) for j in range(n)] for i in range(m)]
    return f, d, factors


def _largest(L: Lanes, f: Sequence[str]) -> str:
    """The largest size."""
    size = L.abs(f[0])
    for x in f[1:]:
        size = L.max(L.abs(x), size)
    return size


def _normal_equations(L: Lanes, f: Sequence[str], d: Sequence[Sequence[str]]) -> tuple[list[list[str]], list[str], str]:
    """J^T J below and on its diagonal, -J^T f, and the largest entry of the diagonal."""
    a: list[list[str]] = []
    right, largest = [], L.const(0.0)
    for j in range(len(d[0])):
        a.append([_column_product(L, [row[j] for row in d], [row[k] for row in d]) for k in range(j + 1)])
        largest = L.max(a[j][j], largest)
        right.append(L.neg(_column_product(L, [row[j] for row in d], f)))
    return a, right, largest


def _column_product(L: Lanes, x: Sequence[str], y: Sequence[str]) -> str:
    total = L.mul(x[0], y[0])
    for p, q in zip(x[1:], y[1:], strict=True):
        total = L.fma(p, q, total)
    return total


def _symmetric_solution(L: Lanes, a: list[list[str]], right: list[str]) -> list[str]:
    """a x = right for a positive definite matrix, of which the lower half is given: a = L D L^T without exchanges, which is stable
    then; below its diagonal `a` becomes L.
    """
    n, inverse = len(right), list[str]()
    for j in range(n):
        scaled: list[str] = []
        for k in range(j):
            total = a[j][k]
            for i in range(k):
                total = L.fma(L.neg(scaled[i]), a[k][i], total)
            scaled.append(total)
            a[j][k] = L.mul(total, inverse[k])
        pivot = a[j][j]
        for k in range(j):
            pivot = L.fma(L.neg(scaled[k]), a[j][k], pivot)
        inverse.append(L.div(L.const(1.0), pivot))
    for j in range(n):
        for k in range(j):
            right[j] = L.fma(L.neg(a[j][k]), right[k], right[j])
    right = [L.mul(x, inverse[j]) for j, x in enumerate(right)]
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, n):
            right[j] = L.fma(L.neg(a[k][j]), right[k], right[j])
    return right


def _lagrange(L: Lanes, m: int, n: int, objective: int, pairs: Sequence[tuple[int, int]]) -> None:
    """Solve [W + damping, J^T; J, 0] (dx, multiplier) = (-e, -f), W the second derivatives weighted by the multipliers, all by units of the
    variables, and rows scaled.

    Rows and columns of held variables become those of the identity. Multipliers are stored as those of the functions as they are.
    """
    zero, one = L.const(0.0), L.const(1.0)
    unit = [L.load("%unit", j) for j in range(n)]
    f, J, factors = _scaled(L, m, unit)
    old = [L.load("%multiplier", i) for i in range(m)]
    free = [L.load("%free", j) for j in range(n)]
    damping = L.load("%damping", 0)
    curved = _weighted_curvature(L, m, unit, old, pairs)
    a = _bordered(L, curved, J, free, damping)
    right = [L.neg(free[j]) if j == objective else zero for j in range(n)] + [L.neg(x) for x in f]
    x = _eliminated(L, a, right)
    residual = _largest(L, f)
    for j in range(n):
        L.store("%step", j, L.mul(unit[j], x[j]))
        gradient = one if j == objective else zero
        for k in range(m):
            gradient = L.fma(x[n + k], J[k][j], gradient)
        for i in range(n):
            if curved[j][i] != zero:
                gradient = L.fma(curved[j][i], x[i], gradient)
        L.store("%step", n + j, gradient)
    for k in range(m):
        L.store("%multiplier", k, L.mul(x[n + k], factors[k]))
    L.store("%step", 2 * n, residual)


def _weighted_curvature(L: Lanes, m: int, unit: Sequence[str], weights: Sequence[str], pairs: Sequence[tuple[int, int]]) -> list[list[str]]:
    """The second derivatives by units of the variables, weighted by the multipliers, 0 literally where there are none."""
    n = len(unit)
    curved = [[L.const(0.0)] * n for _ in range(n)]
    for q, (i, j) in enumerate(pairs):
        total = _column_product(L, weights, [L.load("%value", m + n * m + m * q + k) for k in range(m)])
        curved[i][j] = curved[j][i] = L.mul(L.mul(total, unit[i]), unit[j])
    return curved


def _bordered(L: Lanes, curved: Sequence[Sequence[str]], J: Sequence[Sequence[str]], free: Sequence[str], damping: str) -> list[list[str]]:
    """[curved + damping, J^T; J, 0] with rows and columns of held variables replaced by those of the identity."""
    zero, one, n = L.const(0.0), L.const(1.0), len(curved)
    a = [[*row, *[zero] * len(J)] for row in curved] + [[zero] * (n + len(J)) for _ in J]
    for j in range(n):
        a[j][j] = L.add(a[j][j], damping)
        for i in range(n):
            if a[j][i] != zero:
                a[j][i] = L.mul(L.mul(a[j][i], free[i]), free[j])
        a[j][j] = L.add(a[j][j], L.sub(one, free[j]))
        for k, row in enumerate(J):
            a[j][n + k] = a[n + k][j] = L.mul(row[j], free[j])
    return a


def _eliminated(L: Lanes, a: list[list[str]], right: list[str]) -> list[str]:
    """a x = right by Gaussian elimination with row exchanges; NaN or infinite where a is singular."""
    size = len(right)
    for k in range(size):
        for r in range(k + 1, size):
            larger = L.gt(L.abs(a[r][k]), L.abs(a[k][k]))
            for j in range(k, size):
                a[k][j], a[r][j] = L.select(larger, a[r][j], a[k][j]), L.select(larger, a[k][j], a[r][j])
            right[k], right[r] = L.select(larger, right[r], right[k]), L.select(larger, right[k], right[r])
        inverse = L.div(L.const(1.0), a[k][k])
        for r in range(k + 1, size):
            factor = L.neg(L.mul(a[r][k], inverse))
            for j in range(k + 1, size):
                a[r][j] = L.fma(factor, a[k][j], a[r][j])
            right[r] = L.fma(factor, right[k], right[r])
    for k in range(size - 1, -1, -1):
        for j in range(k + 1, size):
            right[k] = L.fma(L.neg(a[k][j]), right[j], right[k])
        right[k] = L.div(right[k], a[k][k])
    return right
