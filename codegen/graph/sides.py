"""Both sides of every switch: derivatives on boxes that touch the place where a formula changes.

On a box the branch of a Piecewise is the one whose condition holds there. A derivative at a point of the box depends on all branches that
have points in every neighbourhood of it: on [-1, 0], x <= 0 holds, and the branch for x > 0 counts too. In the graph that `both_sides`
returns every operation that jumps has, on a box that touches its jump, the values of both sides of it. All other operations are
continuous where they are defined, so such a graph of a derivative encloses its limits from all sides, which span Clarke's gradient.
"""

from collections.abc import Callable, Sequence

from .expr import Expr, ExprPool, reachable

# Operations whose first argument is the value and whose others say where it counts.
_GUARDED = frozenset({"guarded", "trusted", "refined"})


def _where(p: ExprPool, e: Expr, condition: Expr, a: Expr, b: Expr) -> Expr:
    return p.where(p.node("around", condition), a, b)


def _restricted(p: ExprPool, e: Expr, condition: Expr, a: Expr) -> Expr:
    return p.where(p.node("around", condition), a, p.node("undefined"))


def _sign(p: ExprPool, e: Expr, x: Expr) -> Expr:
    return p.node("choice", x, p.constant(1), p.constant(-1))


def _heaviside(p: ExprPool, e: Expr, x: Expr) -> Expr:
    return p.node("choice", x, p.constant(1), p.constant(0))


def _floor(p: ExprPool, e: Expr, x: Expr) -> Expr:
    """At an integer the floor beside it is the ceiling less 1; elsewhere both are the same."""
    return p.node("hull", p.node("floor", x), p.node("ceiling", x) - 1)


def _ceiling(p: ExprPool, e: Expr, x: Expr) -> Expr:
    return p.node("hull", p.node("ceiling", x), p.node("floor", x) + 1)


def _atan2(p: ExprPool, e: Expr, y: Expr, x: Expr) -> Expr:
    """On the cut, y = 0 > x, the angle is pi, and near -pi below it; near the origin it is any."""
    angle, zero, pi = p.node("atan2", y, x), p.constant(0), p.constant("pi")
    off = p.node("or", p.node("lt", zero, x), p.not_(p.node("eq", y, zero)))
    return p.where(p.node("around", off), angle, p.node("hull", p.node("hull", angle, -pi), pi))


_JUMPS: dict[str, Callable[..., Expr]] = {
    "where": _where, "restricted": _restricted, "sign": _sign, "heaviside": _heaviside, "floor": _floor, "ceiling": _ceiling,
    "atan2": _atan2,
}  # fmt: skip


def both_sides(outputs: Sequence[Expr]) -> list[Expr]:
    """The outputs with the values of both sides wherever a box touches a jump; at points they are the same."""
    order = reachable(outputs)
    if not any(e.op in _JUMPS for e in order):
        return list(outputs)
    done: dict[int, Expr] = {}
    for e in order:
        args = tuple(done[a.index] for a in e.args)
        if e.op in _JUMPS:
            done[e.index] = _JUMPS[e.op](e.pool, e, *args)
        elif e.op == "refined":
            # The form beside it is one of this box alone.
            done[e.index] = args[0]
        elif e.op in _GUARDED:
            done[e.index] = e.pool.node(e.op, args[0], e.args[1], value=e.value)
        else:
            done[e.index] = e if args == e.args else e.pool.node(e.op, *args, value=e.value)
    return [done[e.index] for e in outputs]
