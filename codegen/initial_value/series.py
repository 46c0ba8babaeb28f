"""The formulas of one step of Lohner's method, as kernels of a system x' = f(x, s).

The states at s lie in m + C r0 + Q r: r0 is what the start values leave open, C follows it, and Q is orthogonal up to rounding (Lohner
1987; Nedialkov, Jackson and Corliss 1999). With Taylor coefficients x_k, those of order d + 1 over a box B that holds the solution for the
whole step, and V_k the derivatives of x_k by the state over the box X of all states,

    x(s + h) in  sum_k x_k(m) h^k + x_(d+1)(B) h^(d+1) + (sum_k V_k(X) h^k) (C r0 + Q r).
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

from ..graph import taylor
from ..graph.autodiff import forward
from ..graph.expr import Expr, ExprPool, reachable
from ..graph.flows import Flow
from ..kernel import Kernel

ORDER = 20
"""d: of the polynomials that are kept."""

Vector = list[Expr]
Matrix = list[list[Expr]]


class Kernels(NamedTuple):
    """Of n states, d = `ORDER`; all outputs row-major, and each argument a variable or a vector or matrix of such.

    `coefficients` of (s, X): x_1, ..., x_(d+1) over the box; `advance` of (s, X, m, h, x_(d+1)(B), C, Q, x - m): the states at s + h if r0
    and r were 0, then J C and J Q with J = sum V_k h^k, and enclosures of the coefficients 0, ..., d of all states;
    `spread` of (x_0, ..., x_(d+1), H): the values of Taylor's polynomial for h in H; `turned`: see there.
    """

    coefficients: Kernel
    advance: Kernel
    spread: Kernel
    turned: Kernel


@functools.lru_cache(maxsize=32)
def kernels(flow: Flow) -> Kernels:
    return Kernels(_coefficients(flow), _advance(flow), _spread(flow.states), _turned(flow.states))


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
    series = taylor.flow(dict(zip(states, rates, strict=True)), time, states, ORDER + 1)
    zero = inputs.pool.constant(0)
    return inputs.kernel([x[k] or zero for k in range(1, ORDER + 2) for x in series])


def _advance(flow: Flow) -> Kernel:
    rates, n = flow.parts[0], flow.states
    inputs = _Inputs(rates[0].pool)
    time, states, middle, step = inputs.one(), inputs.vector(n), inputs.vector(n), inputs.one()
    rest, c, q, off = inputs.vector(n), inputs.matrix(n), inputs.matrix(n), inputs.vector(n)
    moving = dict(zip(states, rates, strict=True))
    zero = inputs.pool.constant(0)
    at_middle = [[e or zero for e in x] for x in taylor.flow(moving, time, middle, ORDER)]
    slopes = _variations(moving, time)
    jacobian = [[_horner(v, step) for v in row] for row in slopes]
    ends = [_horner([*x, r], step) for x, r in zip(at_middle, rest, strict=True)]
    kept = [_sum([x[k], *(e * d for v, d in zip(row, off, strict=True) if (e := v[k]) is not None)])
            for k in range(ORDER + 1) for x, row in zip(at_middle, slopes, strict=True)]
    return inputs.kernel([*ends, *_flat(_product(jacobian, c)), *_flat(_product(jacobian, q)), *kept])


def _variations(moving: dict[Expr, Expr], time: Expr) -> list[list[taylor.Series]]:
    """V_0, ..., V_d at the states: the series of V' = (df/dx) V, V = 1 at first."""
    pool, states, n = time.pool, list(moving), len(moving)
    order = reachable(moving.values())
    columns = [forward(pool, order, x) for x in states]
    free = 1 + max((e.value for e in order if e.op == "bound"), default=0)
    v = [[pool.node("bound", value=free + n * i + j) for j in range(n)] for i in range(n)]
    rates = dict(moving)
    for i, rate in enumerate(moving.values()):
        row = [d.get(rate.index) for d in columns]
        rates |= {v[i][j]: _sum([d * v[l][j] for l, d in enumerate(row) if d is not None] or [pool.constant(0)]) for j in range(n)}
    begin = [*states, *(pool.constant(1) if i == j else None for i in range(n) for j in range(n))]
    found = taylor.flow(rates, time, begin, ORDER)[n:]
    return [found[n * i:n * (i + 1)] for i in range(n)]


def _spread(n: int) -> Kernel:
    inputs = _Inputs(ExprPool())
    x, steps = [inputs.vector(n) for _ in range(ORDER + 2)], inputs.one()
    return inputs.kernel([_horner([c[i] for c in x], steps) for i in range(n)])


def _turned(n: int) -> Kernel:
    """Of (states u, their middle m, J C, J Q, the next C and Q, r0, r): the next r, x - m and x. With M = J Q, and the error e of all else,

        C' r0 + Q' r'  holds  e + J C r0 + M r    if    r' = Q'^-1 (e + (J C - C') r0) + (Q'^-1 M) r,

    and Q'^-1 y = y' + (1 + G)^-1 y' - y' with y' = Q'^T y, G = Q'^T Q' - 1: each entry is off by at most |G| / (1 - |G|) times the largest
    of y', in the norm of row sums.
    """
    inputs = _Inputs(ExprPool())
    pool = inputs.pool
    u, middle = inputs.vector(n), inputs.vector(n)
    jc, jq, c, q = (inputs.matrix(n) for _ in range(4))
    r0, r = inputs.vector(n), inputs.vector(n)
    transposed = [[q[j][i] for j in range(n)] for i in range(n)]
    open_ = [[a - b for a, b in zip(*rows, strict=True)] for rows in zip(jc, c, strict=True)]
    e = [a - b + d for a, b, d in zip(u, middle, _times(open_, r0), strict=True)]
    y = [a + b for a, b in zip(_times(transposed, e), _times(_product(transposed, jq), r), strict=True)]
    square = _product(transposed, q)
    sums = [_sum([pool.node("abs", square[i][j] - 1 if i == j else square[i][j]) for j in range(n)]) for i in range(n)]
    norm, largest = (functools.reduce(functools.partial(pool.node, "max"), of) for of in (sums, [pool.node("abs", a) for a in y]))
    off = norm / (1 - norm) * largest
    new = [a + pool.node("hull", -off, off) for a in y]
    away = [a + b for a, b in zip(_times(c, r0), _times(q, new), strict=True)]
    return inputs.kernel([*new, *away, *(m + a for m, a in zip(middle, away, strict=True))])


def _horner(series: Sequence[Expr | None], at: Expr) -> Expr:
    total: Expr | None = None
    for c in reversed(series):
        total = c if total is None else total * at if c is None else c + total * at
    return at.pool.constant(0) if total is None else total


def _sum(terms: Sequence[Expr]) -> Expr:
    return functools.reduce(lambda a, b: a + b, terms)


def _times(a: Matrix, x: Vector) -> Vector:
    return [_sum([p * q for p, q in zip(row, x, strict=True)]) for row in a]


def _product(a: Matrix, b: Matrix) -> Matrix:
    return [_times(list(map(list, zip(*b, strict=True))), row) for row in a]


def _flat(a: Matrix) -> Vector:
    return [e for row in a for e in row]
