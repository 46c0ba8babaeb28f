"""Derivatives of an isolated contact by parameters: the implicit function theorem, on the system whose unique zero was proved.

C(x, p) = 0 are the equations of two parts and the conditions of a first contact, as many as x, which are the parts' own parameters and the
time. Where dC/dx is regular, dx/dp = -(dC/dx)^-1 dC/dp. Cramer's rule gives it as quotients of determinants on the expression graph, whose
minors are shared; the one kernel of them encloses the derivatives over a box, and is the whole line where the matrix may be singular.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from codegen.graph.autodiff import partials
from codegen.graph.expr import Expr
from codegen.kernel import Kernel

from ..bodies.cells import Cell
from ..search.problem import Problem, formula_kernel
from .contact import situation
from .stationary import symbols_of


class Derivatives(NamedTuple):
    """A kernel over the problem's variables: dt/dp, then dx/dp, dy/dp and dz/dp of the point in space, each for all parameters asked about.
    """

    problem: Problem
    kernel: Kernel


@functools.lru_cache(maxsize=1024)
def derivatives(first: Cell, second: Cell, symbols: tuple[tuple[Any, ...], ...], free: tuple[tuple[str, ...], ...],
                further: tuple[str, ...], wanted: tuple[str, ...]) -> Derivatives | None:
    """The derivatives of the situation of two parts by the `wanted` of the further variables; None where the system is not square.
    `symbols`, `free`, `further`: see `situation`.
    """
    problem = situation(first, second, (0, 1), symbols=(*symbols, symbols_of(further)), further=further, free=free)
    x = [k for k, name in enumerate(problem.variables) if name not in further[:-1]]
    rows = problem.rows[:len(x)]
    if len(rows) < len(x) or len(problem.equations) > len(x):
        return None
    names = [*(problem.variables[k] for k in x), *wanted]
    by = [problem.coordinates[problem.variables.index(name)] for name in names]
    moves = solved(partials(rows, by), (*rows, *problem.image[:3]))
    place, count = partials(problem.image[:3], by), len(x)
    outputs = list(moves[-1])
    for row in place:
        outputs += [sum((row[i] * moves[i][j] for i in range(count)), row[count + j]) for j in range(len(wanted))]
    return Derivatives(problem, formula_kernel(outputs, problem.variables, len(problem.parameters)))


def solved(matrix: Sequence[Sequence[Expr]], guards: Sequence[Expr] = ()) -> list[list[Expr]]:
    """-A^-1 B of the rows (A B) of a matrix, A square, as nodes: the whole line where A may be singular, or a guard is not differentiable
    on the whole box.
    """
    n, columns, known = len(matrix), len(matrix[0]), dict[tuple[int, ...], Expr]()
    zero = matrix[0][0].pool.constant(0)

    def minor(kept: tuple[int, ...]) -> Expr:
        """The determinant of these columns of the last rows."""
        row = matrix[n - len(kept)]
        if len(kept) == 1:
            return row[kept[0]]
        if kept not in known:
            total = zero
            for k, j in enumerate(kept):
                if not (row[j].op == "constant" and row[j].value == 0):
                    term = row[j] * minor(kept[:k] + kept[k + 1:])
                    total = total + term if k % 2 == 0 else total - term
            known[kept] = total
        return known[kept]

    whole = minor(tuple(range(n)))
    for guard in guards:
        whole = whole.pool.trusted(whole, guard, 3)
    found = []
    for i in range(n):
        others = tuple(k for k in range(n) if k != i)
        # Column j stands behind all others here, and would stand in the place i: so many exchanges, and the minus of -A^-1 B.
        sign = -1 if (n - 1 - i) % 2 == 0 else 1
        found.append([sign * minor((*others, j)) / whole for j in range(n, columns)])
    return found
