"""The formulas of one step of Lohner's method, as kernels of a system x' = f(x, s).

The states at s lie in m + C r0 + Q r: r0 is what the start values leave open, C follows it, and Q is orthogonal up to rounding (Lohner
1987; Nedialkov, Jackson and Corliss 1999). With Taylor coefficients x_k, those of order d + 1 over a box B that holds the solution for the
whole step, and V_k the derivatives of x_k by the state over the box X of all states,

    x(s + h) in  sum_k x_k(m) h^k + x_(d+1)(B) h^(d+1) + (sum_k V_k(X) h^k) (C r0 + Q r),

by the mean-value theorem for each component, as m is in X: r0 and r hold 0 from the start on, since m is chosen inside the enclosure of
what they do not move.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

from ..graph import taylor
from ..graph.autodiff import along
from ..graph.expr import Expr, ExprPool, reachable
from ..graph.flows import Flow
from ..kernel import Kernel

ORDER = 20
"""d: of the polynomials that are kept."""

Vector = list[Expr]
Matrix = list[list[Expr]]


class Kernels(NamedTuple):
    """Kernels of n states, d = `ORDER`; all outputs row-major, and each argument a variable or a vector or matrix of such.

    `coefficients` of (s, X): x_1, ..., x_(d+1) over the box; `along` of (s, X, w): the same, then w_1, ..., w_d, where w_k = V_k w: the
    columns of a matrix are lanes of it. `polynomial` of (x_0, ..., x_(d+1), H): the values of Taylor's polynomial for h in H;
    `moved` of (a, W, z), W of n x 2n: a + W z; `turned`: see there.
    """

    coefficients: Kernel
    along: Kernel
    polynomial: Kernel
    moved: Kernel
    turned: Kernel


@functools.lru_cache(maxsize=32)
def kernels(flow: Flow) -> Kernels:
    return Kernels(_coefficients(flow), _along(flow), *_of_states(flow.states))


@functools.lru_cache(maxsize=32)
def _of_states(n: int) -> tuple[Kernel, Kernel, Kernel]:
    """The kernels that depend only on the number of states."""
    return _polynomial(n), _moved(n), _turned(n)


class _Inputs:
    """Hands out variables of a pool one after the other."""

    def __init__(self, pool: ExprPool) -> None:
        self.pool, self.count = pool, 0

    def one(self) -> Expr:
        self.count += 1
        return self.pool.variable(self.count - 1)

    def vector(self, n: int) -> Vector:
        return [self.one() for _ in range(n)]

    def matrix(self, n: int) -> Matrix:
        return [self.vector(n) for _ in range(n)]

    def kernel(self, outputs: Sequence[Expr]) -> Kernel:
        """Numbers in the graph of a right-hand side make it the only one of its kind, so it is interpreted at first."""
        return Kernel(outputs, [f"a{k}" for k in range(self.count)], quick=True)


def _coefficients(flow: Flow) -> Kernel:
    rates = flow.parts[0]
    inputs = _Inputs(rates[0].pool)
    time, states = inputs.one(), inputs.vector(flow.states)
    series = taylor.flow(dict(zip(states, rates, strict=True)), time, states, [ORDER + 1] * flow.states)
    zero = inputs.pool.constant(0)
    return inputs.kernel([x[k] or zero for k in range(1, ORDER + 2) for x in series])


def _along(flow: Flow) -> Kernel:
    """The series of w' = (df/dx) w beside that of x."""
    rates, n = flow.parts[0], flow.states
    inputs = _Inputs(rates[0].pool)
    time, states, way = inputs.one(), inputs.vector(n), inputs.vector(n)
    order = reachable(rates)
    free = 1 + max((e.value for e in order if e.op == "bound"), default=0)
    w, zero = [inputs.pool.node("bound", value=free + i) for i in range(n)], inputs.pool.constant(0)
    slopes = along(inputs.pool, order, {x.index: e for x, e in zip(states, w, strict=True)})
    moving = dict(zip([*states, *w], [*rates, *(slopes.get(rate.index, zero) for rate in rates)], strict=True))
    found = taylor.flow(moving, time, [*states, *way], [ORDER + 1] * n + [ORDER] * n)
    return inputs.kernel([x[k] or zero for part in (found[:n], found[n:]) for k in range(1, len(part[0])) for x in part])


def _polynomial(n: int) -> Kernel:
    inputs = _Inputs(ExprPool())
    x, steps = [inputs.vector(n) for _ in range(ORDER + 2)], inputs.one()
    return inputs.kernel([_horner([c[i] for c in x], steps) for i in range(n)])


def _moved(n: int) -> Kernel:
    inputs = _Inputs(ExprPool())
    a, w, z = inputs.vector(n), [inputs.vector(2 * n) for _ in range(n)], inputs.vector(2 * n)
    return inputs.kernel([p + q for p, q in zip(a, _times(w, z), strict=True)])


def _turned(n: int) -> Kernel:
    """The next r, x - m and x, of (states u, their middle m, the columns of M = J Q and of J C, those of the next Q and C, r, r0). With the
    error e of all else,

        C' r0 + Q' r'  holds  e + J C r0 + M r    if    r' = Q'^-1 (e + (J C - C') r0) + (Q'^-1 M) r,

    and Q'^-1 y = y' + (1 + G)^-1 y' - y' with y' = Q'^T y, G = Q'^T Q' - 1: each entry is off by at most |G| / (1 - |G|) times the largest
    of y', in the norm of row sums.
    """
    inputs = _Inputs(ExprPool())
    pool = inputs.pool
    u, middle = inputs.vector(n), inputs.vector(n)
    moved, jc, transposed, c = (inputs.matrix(n) for _ in range(4))
    r, r0 = inputs.vector(n), inputs.vector(n)
    moved, jc, q, c = (list(map(list, zip(*columns, strict=True))) for columns in (moved, jc, transposed, c))
    open_ = [[a - b for a, b in zip(*rows, strict=True)] for rows in zip(jc, c, strict=True)]
    e = [a - b + d for a, b, d in zip(u, middle, _times(open_, r0), strict=True)]
    y = [a + b for a, b in zip(_times(transposed, e), _times(_product(transposed, moved), r), strict=True)]
    square = _product(transposed, q)
    sums = [_sum([pool.node("abs", square[i][j] - 1 if i == j else square[i][j]) for j in range(n)]) for i in range(n)]
    norm, largest = (functools.reduce(functools.partial(pool.node, "max"), of) for of in (sums, [pool.node("abs", a) for a in y]))
    off = norm / (1 - norm) * largest
    new = [a + pool.node("hull", -off, off) for a in y]
    away = [a + b for a, b in zip(_times(c, r0), _times(q, new), strict=True)]
    return inputs.kernel([*new, *away, *(m + a for m, a in zip(middle, away, strict=True))])


def _horner(series: Sequence[Expr], at: Expr) -> Expr:
    return functools.reduce(lambda total, c: c + total * at, reversed(series))


def _sum(terms: Sequence[Expr]) -> Expr:
    return functools.reduce(lambda a, b: a + b, terms)


def _times(a: Matrix, x: Vector) -> Vector:
    return [_sum([p * q for p, q in zip(row, x, strict=True)]) for row in a]


def _product(a: Matrix, b: Matrix) -> Matrix:
    return [_times(list(map(list, zip(*b, strict=True))), row) for row in a]
