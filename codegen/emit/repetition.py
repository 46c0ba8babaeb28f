"""Repetitions (`sum`, `union`) as loops: their bodies outlined into functions, with what they take from outside in memory.

The node ``loop`` stands for a repetition whose body has been cut off: its arguments are the values that the body takes from
outside its scope, its value says how to gather, how often, and which node is the body. In the body, ``captured`` nodes stand for
those values, in order, and the one after the last is the counter.

    c      (values from outside + 1, 3, WIDTH): -lo, hi and level of each; points: (values + 1, 1, WIDTH)
"""

import math
from collections.abc import Callable, Sequence

from ..graph.binders import constants, free_leaves
from ..graph.expr import Expr, ExprPool, reachable, substitute
from .lanes import Lanes

_REPEATED = ("sum", "union")


def outline(outputs: Sequence[Expr]) -> list[Expr]:
    """Every repetition that depends on nothing bound outside it as a loop; inner ones wait until their body is lowered."""
    order = reachable(outputs)
    if not any(e.op in _REPEATED for e in order):
        return list(outputs)
    free = free_leaves(order)
    done: dict[int, Expr] = {}
    for e in order:
        args = tuple(done[a.index] for a in e.args)
        if e.op in _REPEATED and e.index not in free:
            done[e.index] = _loop(e, args[0])
        else:
            done[e.index] = e if args == e.args else e.pool.node(e.op, *args, value=e.value)
    return [done[e.index] for e in outputs]


def fold(outputs: Sequence[Expr], enclose: Callable[[Sequence[Expr]], Sequence[tuple[float, float]]]) -> list[Expr]:
    """The largest constant parts that hold repetitions as thick numbers, by their enclosures, unless all outputs are constant. (A constant
    is differentiable wherever it is defined.)
    """
    order = reachable(outputs)
    constant, repeats = constants(order), dict[int, bool]()
    for e in order:
        repeats[e.index] = e.op in _REPEATED or any(repeats[a.index] for a in e.args)
    used = [*outputs, *(a for e in order if not constant[e.index] for a in e.args)]
    parts = list({e.index: e for e in used if constant[e.index] and repeats[e.index]}.values())
    if not parts or all(constant[e.index] for e in outputs):
        return list(outputs)
    return substitute(outputs, {e.index: _thick(e.pool, *ends) for e, ends in zip(parts, enclose(parts), strict=True)})


def _thick(pool: ExprPool, lo: float, hi: float) -> Expr:
    if math.isinf(lo) or math.isinf(hi):
        return pool.node("undefined")
    return pool.node("hull", pool.constant(lo), pool.constant(hi))


def _loop(e: Expr, body: Expr) -> Expr:
    pool, counter = e.pool, e.args[1]
    outside = _outside(body)
    places = {a.index: pool.node("captured", value=k) for k, a in enumerate([*outside, counter])}
    (body,) = substitute([body], places)
    return pool.node("loop", *outside, value=(e.op, e.value, body.index))


def _outside(body: Expr) -> list[Expr]:
    """The largest parts that depend on nothing bound, cheap ones and conditions excepted."""
    order = reachable([body])
    free, constant = free_leaves(order), constants(order)
    found: dict[int, Expr] = {}
    seen: set[int] = set()
    stack = [body]
    while stack:
        e = stack.pop()
        if e.index in seen or constant[e.index] or e.op in ("variable", "parameter"):
            continue
        seen.add(e.index)
        if e.index in free or e.boolean or e.op == "undefined":
            stack.extend(e.args)
        else:
            found[e.index] = e
    return [found[index] for index in sorted(found)]


def loop_body(e: Expr) -> Expr:
    """The body of a loop."""
    return e.pool.nodes[e.value[2]]


def loop_function(L: Lanes, name: str, e: Expr, vectors: int, slot: int) -> str:
    """The function ``{name}(ptr x, ptr p, ptr acc, ptr c)``, which calls ``{name}body`` and gathers its results in acc.

    Sums round as the lanes do; the counter is exact in every mode of rounding.
    """
    how, times, _ = e.value
    counter = len(e.args) * slot
    start = [0.0, 0.0, 3.0] if how == "sum" else [float("-inf"), float("-inf"), 3.0]
    for k in range(vectors):
        L.store("%acc", k, L.const(start[k]))
    L.lines += [f"  %value = alloca {L.vector}, i64 3, align 64", "  br label %next", "next:",
                "  %i = phi i64 [ 0, %entry ], [ %i1, %next ]",
                f"  %k = phi {L.vector} [ {L.const(0.0)}, %entry ], [ %k1, %next ]"]
    values = ["%k"] if slot == 1 else [L.neg("%k"), "%k", L.const(3.0)]
    for j, value in enumerate(values):
        L.store("%c", counter + j, value)
    L.lines.append(f"  call void @{name}body(ptr %x, ptr %p, ptr %value, ptr %c)")
    gather = [L.add, L.add, L.min] if how == "sum" else [L.max, L.max, L.min]
    for k in range(vectors):
        L.store("%acc", k, gather[k](L.load("%acc", k), L.load("%value", k)))
    L.lines += [f"  %k1 = {_increment(L)}", "  %i1 = add i64 %i, 1", f"  %more = icmp slt i64 %i1, {times}",
                "  br i1 %more, label %next, label %done", "done:", "  ret void"]
    body = "\n".join(L.lines)
    return (f"define internal void @{name}(ptr noalias %x, ptr noalias %p, ptr noalias %acc, ptr noalias %c) #2 {{\n"
            f"entry:\n{body}\n}}")


def _increment(L: Lanes) -> str:
    """The instruction that adds 1 to the counter."""
    L.add("%k", L.const(1.0))
    return L.lines.pop().split(" = ", 1)[1]
