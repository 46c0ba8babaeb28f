"""Derivatives on the expression graph: one rule an operation, forward accumulation, linear growth.

At a kink (abs, min, max) a derivative is a node whose inclusion function contains Clarke's gradient: the sign of a
box that holds 0 is [-1, 1], and an undecided `choice` is the hull of its branches. At a jump (sign, floor,
Piecewise) the derivative is that of the branches and says nothing about the jump; every derivative output is
therefore `guarded` by its function: its decoration is 0 unless the function is proved differentiable on the whole
box. `partials` are derivatives within a box: of a Piecewise whose box touches a switch they have the branch that holds on the box.
`jacobian` and `sparse_hessian` have `both_sides` of every switch that a box touches.
"""

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction

from . import flows, lattices, primitives
from .binders import bind
from .expr import Expr, ExprPool, reachable, substitute
from .sides import both_sides

Rule = Callable[[ExprPool, Expr, tuple[Expr, ...]], tuple[Expr | None, ...]]
"""(pool, node, its arguments) -> the partial derivative by each argument, None for a structural zero."""


def _half(p: ExprPool) -> Expr:
    return p.constant(Fraction(1, 2))


def _one_minus_square(p: ExprPool, x: Expr) -> Expr:
    return 1 - p.power_integer(x, 2)


def _pow(p: ExprPool, e: Expr, a: tuple[Expr, ...]) -> tuple[Expr | None, ...]:
    base, exponent = a
    by_base = exponent * p.node("pow", base, exponent - 1)
    return by_base, None if exponent.op == "constant" else e * p.node("log", base)


def _atan2(p: ExprPool, e: Expr, a: tuple[Expr, ...]) -> tuple[Expr | None, ...]:
    y, x = a
    squared = p.power_integer(x, 2) + p.power_integer(y, 2)
    return x / squared, -(y / squared)


def _bell(p: ExprPool, x: Expr) -> Expr:
    """erf' = 2 e^(-x^2) / sqrt(pi)."""
    return 2 / p.node("sqrt", p.constant("pi")) * p.node("exp", -p.power_integer(x, 2))


def _bessel_j(p: ExprPool, e: Expr, a: tuple[Expr, ...]) -> tuple[Expr | None, ...]:
    """J_0' = -J_1 and 2 J_n' = J_(n-1) - J_(n+1) (DLMF 10.6.1, 10.6.3)."""
    n, after = e.value, p.node("bessel_j", a[0], value=e.value + 1)
    return (_half(p) * (p.node("bessel_j", a[0], value=n - 1) - after) if n else -after,)


def _chebyshev(p: ExprPool, e: Expr, a: tuple[Expr, ...]) -> tuple[Expr | None, ...]:
    """d/dx of sum c_k T_k is a Chebyshev series again; d/dc_k is T_k."""
    x, *c = a
    by_x = p.node("chebyshev", x, *chebyshev_derivative(p, c)) if len(c) > 1 else None
    zero, one = p.constant(0), p.constant(1)
    return by_x, *(None if ck.op == "constant" else p.node("chebyshev", x, *[zero] * k, one) for k, ck in enumerate(c))


def chebyshev_derivative(p: ExprPool, c: Sequence[Expr]) -> list[Expr]:
    """Coefficients of the derivative: d_{k-1} = d_{k+1} + 2 k c_k, and half of that for d_0 (plain c_0 convention).
    """
    n = len(c) - 1
    d: list[Expr] = [p.constant(0)] * (n + 2)
    for k in range(n, 0, -1):
        d[k - 1] = d[k + 1] + 2 * k * c[k]
    d[0] = d[0] * Fraction(1, 2)
    return d[:n]


def _flow(p: ExprPool, e: Expr, a: tuple[Expr, ...]) -> tuple[Expr | None, ...]:
    """The derivatives of a flow: by the time the right-hand side, by the parameters the variational equations."""
    component, family = flows.decoded(e.value)
    values = (flows.encoded(family.states + component, varied(family, j)) for j in range(len(family.ranges)))
    return flows.slope(p, e.value, a), *(p.node("flow", *a, value=value) for value in values)


def _tricubic(p: ExprPool, e: Expr, a: tuple[Expr, ...]) -> tuple[Expr | None, ...]:
    """The derivatives of a spline: splines of a higher order."""
    values = [lattices.raised(e.value, axis) for axis in range(3)]
    return tuple(None if value is None else p.node("tricubic", *a, value=value) for value in values)


RULES: dict[str, Rule] = {
    "add": lambda p, e, a: (p.constant(1), p.constant(1)),
    "sub": lambda p, e, a: (p.constant(1), p.constant(-1)),
    "neg": lambda p, e, a: (p.constant(-1),),
    "mul": lambda p, e, a: (a[1], a[0]),
    "div": lambda p, e, a: (1 / a[1], -(e / a[1])),
    "fma": lambda p, e, a: (a[1], a[0], p.constant(1)),
    "power_integer": lambda p, e, a: (e.value * p.power_integer(a[0], e.value - 1),),
    "pow": _pow,
    "sqrt": lambda p, e, a: (_half(p) / e,),
    "abs": lambda p, e, a: (p.node("choice", a[0], p.constant(1), p.constant(-1)),),
    "exp": lambda p, e, a: (e,),
    "log": lambda p, e, a: (1 / a[0],),
    "entropy": lambda p, e, a: (p.node("log", a[0]) + 1,),
    "sin": lambda p, e, a: (p.node("cos", a[0]),),
    "cos": lambda p, e, a: (-p.node("sin", a[0]),),
    "tan": lambda p, e, a: (1 + p.power_integer(e, 2),),
    "asin": lambda p, e, a: (1 / p.node("sqrt", _one_minus_square(p, a[0])),),
    "acos": lambda p, e, a: (-(1 / p.node("sqrt", _one_minus_square(p, a[0]))),),
    "atan": lambda p, e, a: (1 / (1 + p.power_integer(a[0], 2)),),
    "atan2": _atan2,
    "sinh": lambda p, e, a: (p.node("cosh", a[0]),),
    "cosh": lambda p, e, a: (p.node("sinh", a[0]),),
    "tanh": lambda p, e, a: (_one_minus_square(p, e),),
    "asinh": lambda p, e, a: (1 / p.node("sqrt", p.power_integer(a[0], 2) + 1),),
    "acosh": lambda p, e, a: (1 / p.node("sqrt", p.power_integer(a[0], 2) - 1),),
    "atanh": lambda p, e, a: (1 / _one_minus_square(p, a[0]),),
    # g_k = j_k(x)/x^k of the spherical Bessel functions satisfies g_k' = -x g_{k+1} (DLMF 10.51.2).
    "sinc": lambda p, e, a: (-(a[0] * p.node("sinc", a[0], value=e.value + 1)),),
    "chebyshev": _chebyshev,
    "erf": lambda p, e, a: (_bell(p, a[0]),),
    "erfc": lambda p, e, a: (-_bell(p, a[0]),),
    "sine_integral": lambda p, e, a: (p.node("sinc", a[0], value=0),),
    "bessel_j": _bessel_j,
    "loggamma": lambda p, e, a: (p.node("polygamma", a[0], value=0),),
    "gamma": lambda p, e, a: (e * p.node("polygamma", a[0], value=0),),
    "polygamma": lambda p, e, a: (p.node("polygamma", a[0], value=e.value + 1),),
    "solution": lambda p, e, a: (flows.slope(p, e.value, a),), "flow": _flow, "tricubic": _tricubic,
    "primitive": lambda p, e, a: tuple(primitives.slopes(p, e, a)), "tabled": lambda p, e, a: (p.node("undefined"),),
    **{op: lambda p, e, a: (None,) for op in ("sign", "heaviside", "floor", "ceiling")},
    **{op: lambda p, e, a: () for op in ("constant", "variable", "parameter", "bound", "undefined")},
}  # fmt: skip


# Operations that are one of their arguments, where they are defined or trusted: which one.
THROUGH = {"guarded": 0, "refined": 0, "trusted": 0, "restricted": 1}


def branches(p: ExprPool, e: Expr) -> tuple[str, Expr, Expr, Expr] | None:
    """An operation that takes the value of one of two nodes: how (`where` or `choice`), by what, and the two."""
    if e.op in ("where", "choice"):
        return e.op, *e.args  # type: ignore[return-value]
    if e.op in ("min", "max"):
        a, b = e.args
        return "choice", a - b if e.op == "max" else b - a, a, b
    return None


def forward(p: ExprPool, order: Sequence[Expr], seed: Expr) -> dict[int, Expr]:
    """Derivative by the variable `seed` of every node in `order`; a missing entry is a structural zero."""
    return _accumulated(p, order, {seed.index: p.constant(1)})


def along(p: ExprPool, order: Sequence[Expr], seeds: dict[int, Expr]) -> dict[int, Expr]:
    """The derivative of every node as in `forward`, of variables that all move at once, with the derivatives `seeds` by their indices.
    Quotients e = a / b have e' = (a' - e b') / b at once: partial derivatives by a and b would serve several directions, and here there is
    one.
    """
    return _accumulated(p, order, seeds, together=True)


def _accumulated(p: ExprPool, order: Sequence[Expr], seeds: dict[int, Expr], together: bool = False) -> dict[int, Expr]:
    d = dict(seeds)
    for e in order:
        # A centre is part of a mean-value form only, of which the natural extension beside it is differentiated.
        if e.boolean or e.index in seeds or e.op in ("midpoint", "centre"):
            continue
        if e.op in THROUGH:
            value = e.args[THROUGH[e.op]].index
            if value in d:
                d[e.index] = d[value]
            continue
        if e.op == "either":
            if any(a.index in d for a in e.args[:2]):
                d[e.index] = _either(p, e, d)
            continue
        chosen = branches(p, e)
        if chosen is not None:
            how, by, a, b = chosen
            if a.index in d or b.index in d:
                zero = p.constant(0)
                d[e.index] = p.node(how, by, d.get(a.index, zero), d.get(b.index, zero))
            continue
        if not any(a.index in d for a in e.args):
            continue
        if e.op == "hull":
            d[e.index] = p.node("hull", *(d.get(a.index, p.constant(0)) for a in e.args))
            continue
        if together and e.op == "div":
            above, below = (d.get(a.index) for a in e.args)
            change = above if below is None else -(e * below) if above is None else above - e * below
            d[e.index] = change / e.args[1]  # type: ignore[operator]
            continue
        if e.op in _BINDING:
            derivative = _BINDING[e.op](p, e, [d.get(a.index) for a in e.args])
            if derivative is not None:
                d[e.index] = derivative
            continue
        if e.op == "power_integer" and e.args[0].op == "sqrt":
            # (x^(k/2))' = k/2 x^(k/2 - 1): the square root alone has no derivative at 0.
            root = e.args[0]
            d[e.index] = p.constant(Fraction(e.value, 2)) * p.power_integer(root, e.value - 2) * d[root.args[0].index]
            continue
        total: Expr | None = None
        for argument, partial in zip(e.args, RULES[e.op](p, e, e.args), strict=True):
            if partial is not None and argument.index in d:
                term = partial * d[argument.index]
                total = term if total is None else total + term
        if total is not None:
            d[e.index] = total
    return d


def _integral(p: ExprPool, e: Expr, d: Sequence[Expr | None]) -> Expr | None:
    """Leibniz: f(b) b' - f(a) a' + the integral of f'."""
    body, leaf, a, b = e.args
    total = None if d[0] is None else bind("integral", d[0], leaf, a, b, value=e.value)
    for sign, end, slope in ((1, b, d[3]), (-1, a, d[2])):
        if slope is not None:
            term = sign * _at(body, leaf, end) * slope
            total = term if total is None else total + term
    return total


def _inverse(p: ExprPool, e: Expr, d: Sequence[Expr | None]) -> Expr | None:
    """The derivative of s with f(s, x) = y(x): s' = (y' - f_x) / f_s. The ends of the range searched do not matter."""
    body, leaf, *_ = e.args
    above = p.constant(0) if d[2] is None else d[2]
    if d[0] is not None:
        above = above - _at(d[0], leaf, e)
    return None if d[0] is None and d[2] is None else above / _at(slope(body, leaf), leaf, e)


def slope(body: Expr, leaf: Expr) -> Expr:
    """The derivative of a body by the leaf it binds."""
    return forward(body.pool, reachable([body]), leaf).get(body.index, body.pool.constant(0))


def _at(body: Expr, leaf: Expr, value: Expr) -> Expr:
    return substitute([body], {leaf.index: value})[0]


def _either(p: ExprPool, e: Expr, d: dict[int, Expr]) -> Expr:
    """Each form has its own derivative; that of the second counts where it is differentiable, and its guard with it. At a point where
    the first form is a number chosen by hand, the derivative of that number is none of the function: there the second form counts at
    points, so `near` is no constant.
    """
    first, second, guard, near = e.args
    zero = p.constant(0)
    slope = d.get(first.index, zero)
    if first.op == "where" and near.op != "constant":
        slope = p.where(first.args[0], d.get(first.args[1].index, zero), p.node("undefined"))
    return p.node("either", slope, d.get(second.index, zero), p.guarded(second, guard), near, value=3)


_BINDING = {"integral": _integral, "inverse": _inverse}


@functools.lru_cache(maxsize=256)
def varied(family: flows.Flow, parameter: int) -> flows.Flow:
    """Together with the derivatives y of all states by a parameter, after them: y' = (df/dx) y + df/dp. Parameters move behind these."""
    rates, low, high = family.parts
    pool, n, m = rates[0].pool, family.states, len(family.ranges)
    own = [pool.variable(k) for k in range(2 * n + m + 1)]
    moved = {own[n + 1 + j].index: own[2 * n + 1 + j] for j in range(m)}
    rates, low, high = (substitute(part, moved) for part in (rates, low, high))
    seeds = {own[2 * n + 1 + parameter].index: pool.constant(1), **{own[k + 1].index: own[n + 1 + k] for k in range(n)}}
    found = along(pool, reachable([*rates, *low, *high]), seeds)
    rates, low, high = ([*part, *(found.get(e.index, pool.constant(0)) for e in part)] for part in (rates, low, high))
    return flows.described(rates, low, high, family.begin, family.end, family.steps, family.ranges, family.depth + 1,
                           family.divisions)


def partials(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
    """The partial derivatives of each output by each variable (variable nodes of the same pool), as plain nodes.

    Graph growth is linear in the size of the graph for each variable. The caller answers for differentiability.
    """
    if not outputs:
        return []
    rows = sparse_partials(outputs, variables)
    zero = outputs[0].pool.constant(0)
    return [[row.get(j, zero) for j in range(len(variables))] for row in rows]


def sparse_partials(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[dict[int, Expr]]:
    """The same without what is 0 for all values: of each output {position of the variable: derivative}, positions ascending.

    A variable costs time only at nodes that depend on it.
    """
    rows: list[dict[int, Expr]] = [{} for _ in outputs]
    places: dict[int, list[int]] = {}
    for i, e in enumerate(outputs):
        places.setdefault(e.index, []).append(i)
    for j, (seed, order) in enumerate(zip(variables, _dependents(reachable(outputs), variables), strict=True)):
        column = forward(seed.pool, order, seed)
        for index in places.keys() & column.keys():
            if not (column[index].op == "constant" and column[index].value == 0):
                for i in places[index]:
                    rows[i][j] = column[index]
    return rows


def _dependents(order: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
    """For each variable the nodes that depend on it, itself included, in order."""
    found: list[list[Expr]] = [[] for _ in variables]
    on: dict[int, frozenset[int]] = {}
    own: dict[int, frozenset[int]] = {}
    for j, v in enumerate(variables):
        own[v.index] = own.get(v.index, frozenset()) | {j}
    for e in order:
        sets = {on[a.index] for a in e.args if a.index in on}
        depends = own[e.index] if e.index in own else next(iter(sets)) if len(sets) == 1 else frozenset().union(*sets)
        if depends:
            on[e.index] = depends
            for j in depends:
                found[j].append(e)
    return found


def jacobian(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[Expr]:
    """The partial derivatives, row-major (output, variable), each guarded by its output."""
    slopes = partials(outputs, variables)
    wide = iter(both_sides([d for row in slopes for d in row]))
    return [d.pool.guarded(next(wide), e) for e, row in zip(outputs, slopes, strict=True) for d in row]


def sparse_jacobian(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[dict[int, Expr]]:
    """The rows of `jacobian` without what is 0 for all values: {position of the variable: derivative}."""
    slopes = sparse_partials(outputs, variables)
    wide = iter(both_sides([d for row in slopes for d in row.values()]))
    return [{j: d.pool.guarded(next(wide), e) for j, d in row.items()} for e, row in zip(outputs, slopes, strict=True)]


def sparse_hessian(outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[dict[int, Expr]]:
    """The lower triangles of the second derivatives, a row {position: derivative} for each (output, variable), each guarded by the
    derivative it is taken of, and so by the output.
    """
    rows = []
    for e, gradient in zip(outputs, sparse_partials(outputs, variables), strict=True):
        # Guards are not differentiated, so they come last.
        second = dict(zip(gradient, sparse_partials(list(gradient.values()), variables), strict=True))
        guards = {i: d.pool.guarded(d, e) for i, d in gradient.items()}
        wide = {i: dict(zip(row, both_sides(list(row.values())), strict=True)) for i, row in second.items()}
        rows += [{j: d.pool.guarded(d, guards[i]) for j, d in wide.get(i, {}).items() if j <= i} for i in range(len(variables))]
    return rows


def mirrored(triangles: Sequence[dict[int, Expr]], gradients: Sequence[Expr], n: int) -> list[Expr]:
    """Whole matrices, row-major, of the lower triangles that `sparse_hessian` gives; a zero is guarded by its row's gradient."""
    whole = []
    for row, gradient in enumerate(gradients):
        first, i = row - row % n, row % n
        zero = gradient.pool.guarded(gradient.pool.constant(0), gradient)
        whole += [triangles[first + max(i, j)].get(min(i, j), zero) for j in range(n)]
    return whole
