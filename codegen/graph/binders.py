"""Operations that bind a variable of their own: integrals, inverse functions, and the repetitions they are made of.

Their first two arguments are a body and the leaf `bound` that the operation binds; the others are outside its scope:

    integral(body, s, a, b)         the integral of the body from s = a to s = b; value: the number of panels
    inverse(body, s, y, lo, hi)     the s in [lo, hi] where the body is y; value: the number of Newton steps at points
    sum(body, k), union(body, k)    the sum and the hull of the bodies for k = 0, 1, ..., value - 1

The leaf of an operation differs from those bound inside its body (SymPy's side numbers them by nesting), so putting a
node in the place of a leaf captures nothing.
"""

from collections.abc import Sequence

from .expr import BOOLEAN, Expr, reachable, substitute

BINDERS = frozenset({"integral", "inverse", "sum", "union"})
EXPANDED = BINDERS | {"flow"}
"""Operations that a kernel computes as others (`quadrature.expand`)."""
_NONE: frozenset[int] = frozenset()


def bind(op: str, body: Expr, leaf: Expr, *args: Expr, value: int) -> Expr:
    """The node of a binding operation; an integrand that is constant makes a product.

    Raises ValueError if the body itself holds an operation that binds the same leaf.
    """
    order = reachable([body])
    if any(e.op in BINDERS and e.args[1] is leaf for e in order):
        raise ValueError("two nested integrals or inverse functions bind the same variable; substitute in SymPy, before compiling")
    if op == "integral" and leaf.index not in free_leaves(order).get(body.index, _NONE):
        return body * (args[1] - args[0])
    return body.pool.node(op, body, leaf, *args, value=value)


def free_leaves(order: Sequence[Expr]) -> dict[int, frozenset[int]]:
    """The indices of the leaves `bound` that a node depends on and does not bind; nodes that depend on none may be absent."""
    free: dict[int, frozenset[int]] = {}
    if not any(e.op == "bound" for e in order):
        return free
    for e in order:
        sets = [free[a.index] for a in e.args if a.index in free]
        if e.op == "bound":
            sets = [frozenset((e.index,))]
        elif e.op in BINDERS:
            outside = [free[a.index] for a in e.args[2:] if a.index in free]
            sets = [free.get(e.args[0].index, _NONE) - {e.args[1].index}, *outside]
        found = _NONE.union(*sets)
        if found:
            free[e.index] = found
    return free


def constants(order: Sequence[Expr]) -> dict[int, bool]:
    """For every node, whether it is a number that depends on no variable, no parameter and nothing bound outside it."""
    free = free_leaves(order)
    plain: dict[int, bool] = {}
    for e in order:
        leaf = e.op in ("variable", "parameter", "undefined", "captured", "loop")
        plain[e.index] = not leaf and e.op not in BOOLEAN and all(plain[a.index] for a in e.args)
    return {index: number and index not in free for index, number in plain.items()}


def unroll(outputs: Sequence[Expr]) -> list[Expr]:
    """The graph with every repetition written out, innermost ones first: for interpreters."""
    done: dict[int, Expr] = {}
    for e in reachable(outputs):
        args = tuple(done[a.index] for a in e.args)
        if e.op in ("sum", "union"):
            done[e.index] = _unrolled(e, args[0])
        else:
            done[e.index] = e if args == e.args else e.pool.node(e.op, *args, value=e.value)
    return [done[e.index] for e in outputs]


def _unrolled(e: Expr, body: Expr) -> Expr:
    pool, leaf = e.pool, e.args[1]
    parts = [substitute([body], {leaf.index: pool.constant(k)})[0] for k in range(e.value)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part if e.op == "sum" else pool.node("hull", total, part)
    return total
