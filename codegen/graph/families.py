"""Solutions of differential equations that depend on parameters in ranges: the operation ``flow(s, p_1, ..., p_m)``.

Its value is that of a `solution`, with a `Flow` that has ranges. Its derivative by s is the right-hand side, at such operations, and by p_j
a component of the variational equations, which is one, too. A kernel encloses it by the mean-value theorem: with the middle c of all
ranges, and the derivatives Y_j for all parameters in them,

    x(s, p)  in  x(s, c) + sum_j Y_j(s) (p_j - c_j),

intersected with the enclosure for all parameters at once; derivatives have this one alone, since every one costs an integration of twice
as many states. All are solutions of systems without parameters (`flows`), and so tables of
numbers. Beyond the ranges it is undefined.
"""

import functools
import math
from collections.abc import Sequence

from .autodiff import varied
from .expr import Expr, ExprPool, substitute
from .flows import Flow, decoded, described, encoded


def opened(outputs: Sequence[Expr], order: Sequence[Expr]) -> list[Expr]:
    """The graph, whose nodes are in `order`, with every ``flow`` as what encloses it. Derivatives are taken before."""
    done: dict[int, Expr] = {}
    if not any(e.op == "flow" for e in order):
        return list(outputs)
    for e in order:
        args = tuple(done[a.index] for a in e.args)
        if e.op == "flow":
            done[e.index] = _enclosure(e.pool, e.value, args)
        else:
            done[e.index] = e if args == e.args else e.pool.node(e.op, *args, value=e.value)
    return [done[e.index] for e in outputs]


def _enclosure(pool: ExprPool, value: bytes, args: Sequence[Expr]) -> Expr:
    component, family = decoded(value)
    s, *parameters = args
    inside = pool.node("true")
    for p, (lo, hi) in zip(parameters, family.ranges, strict=True):
        # Of ends that are doubles the same as lo <= p <= hi, but a box that reaches these touches no switch: the function goes on there.
        below, above = (pool.constant(math.nextafter(end, away)) for end, away in ((lo, -math.inf), (hi, math.inf)))
        inside = pool.node("and", inside, pool.node("and", pool.node("lt", below, p), pool.node("lt", p, above)))
    found = pool.node("solution", s, value=encoded(component, for_all(family)))
    if not family.depth:
        found = pool.node("refined", found, _mean_value(pool, component, family, s, parameters))
    return pool.where(inside, found, pool.node("undefined"))


def _mean_value(pool: ExprPool, component: int, family: Flow, s: Expr, parameters: Sequence[Expr]) -> Expr:
    total = pool.node("solution", s, value=encoded(component, at_centre(family)))
    for j, (p, ends) in enumerate(zip(parameters, family.ranges, strict=True)):
        slope = pool.node("solution", s, value=encoded(family.states + component, for_all(varied(family, j))))
        total = total + slope * (p - _middle(*ends))
    return total


def _middle(lo: float, hi: float) -> float:
    return 0.5 * lo + 0.5 * hi


@functools.lru_cache(maxsize=256)
def at_centre(family: Flow) -> Flow:
    """The flow with the parameters in the middle of their ranges."""
    rates, low, high = family.parts
    pool = rates[0].pool
    place = {pool.variable(family.states + 1 + j).index: pool.constant(_middle(*ends)) for j, ends in enumerate(family.ranges)}
    rates, low, high = (substitute(part, place) for part in (rates, low, high))
    return described(rates, low, high, family.begin, family.end, family.steps)


@functools.lru_cache(maxsize=256)
def for_all(family: Flow) -> Flow:
    """The flow with the parameters as further states, which stand still and begin anywhere in their ranges."""
    rates, low, high = family.parts
    pool = rates[0].pool
    ends = [(pool.constant(lo), pool.constant(hi)) for lo, hi in family.ranges]
    place = {pool.variable(family.states + 1 + j).index: pool.node("hull", *pair) for j, pair in enumerate(ends)}
    low, high = ([*substitute(part, place), *(pair[k] for pair in ends)] for k, part in enumerate((low, high)))
    still = [pool.constant(0)] * len(ends)
    return described([*rates, *still], low, high, family.begin, family.end, family.steps, divisions=family.divisions)
