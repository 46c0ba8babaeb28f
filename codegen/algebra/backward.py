"""Forward-backward contraction: a box shrunk by the operations of a system of constraints, one at a time.

The forward pass encloses every node of the graph over a box. The backward pass starts from what the constraints
demand (0 of an equation, truth of a condition) and solves each operation for its arguments in turn: where x + y = z,
x lies in z - y. Every point of the box that satisfies all constraints survives, because it gives every node a value
that satisfies every operation exactly. (Benhamou, Goualard, Granvilliers and Puget 1999, "Revising hull and box
consistency", algorithm HC4.)

A point where a node is undefined satisfies no constraint above it, so enclosures need only hold the values at points
where nodes are defined. A branch of `where` is entered in the boxes in which the other one is excluded: the branch not
taken may be undefined at a solution.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from ..emit.dispatch import interval_operation
from ..emit.elementary import arithmetic, exponential, primitive
from ..emit.lanes import Lanes, Module
from ..graph.expr import Expr
from ..graph.primitives import decoded, key
from ..graph.signs import SignFacts
from .rows import intersect_quotient
from .shaving import ROUGH, shaved

Value = str
Interval = tuple[Value, Value]

# Operations that have a value without some of their arguments: how many of the first ones they need.
_FIRST = {"either": 1, "guarded": 1, "or": 0, "not": 0, "around": 0, "hull": 0, "trusted": 1, "refined": 1, "choice": 1,
          "union": 0, "sum": 0}
# First forms of a function that are not the whole of it.
_PARTIAL = frozenset({"where", "restricted"})


class Narrowing:
    """The state that rules work on: `box` holds the present enclosure of every node."""

    module: Module
    L: Lanes
    box: dict[int, Any]
    changed: set[int]
    empty: Value
    steps: int = ROUGH
    live: dict[int, Value | None]
    """Masks of the lanes in which a node has a value at every solution; None for all. Nodes of branches that are not taken have none."""
    where: Value | None = None
    """The mask of the rule that is at work."""

    def meet(self, e: Expr, other: Interval) -> None:
        """Intersect the enclosure of a node with another one of the same values."""
        if e.op == "constant":
            return
        n, h = self.box[e.index]
        self.replace(e, (self.L.min(other[0], n), self.L.min(other[1], h)))

    def replace(self, e: Expr, new: Interval) -> None:
        L, own = self.L, self.where
        if own is not None:
            new = L.select(own, new[0], self.box[e.index][0]), L.select(own, new[1], self.box[e.index][1])
        self.box[e.index] = new
        self.changed.add(e.index)
        crossed = L.gt(L.neg(new[0]), new[1])
        self.empty = L.either(self.empty, crossed if own is None else L.both(own, crossed))

    def lively(self, e: Expr, mask: Value | None) -> None:
        """A node has a value in these lanes, too."""
        known = self.live.get(e.index, "")
        self.live[e.index] = mask if known == "" else None if known is None or mask is None else self.L.either(known, mask)

    def undo(self, e: Expr, rules: "Rules", narrow: bool) -> None:
        """Narrow the arguments of a node by its enclosure, in the lanes where it has a value, and say in which they have."""
        if e.index not in self.live:
            return
        self.where = self.live[e.index]
        if e.op == "where":
            _where(self, e, narrow and e.index in self.changed)
        else:
            for a in e.args[:_FIRST.get(e.op, len(e.args))] if not (e.op == "either" and _partial(e)) else ():
                self.lively(a, self.where)
            if narrow and e.index in self.changed and e.op in rules:
                rules[e.op](self, e)
        self.where = None

    def demand(self, condition: Expr, holds: bool = True) -> None:
        """Narrow by a condition that must be true, or false; other conditions than comparisons that must all be so say nothing here."""
        infinity, parts = self.L.const(float("inf")), [(condition, holds)]
        while parts:
            part, true = parts.pop()
            if part.op == "not":
                parts.append((part.args[0], not true))
            elif part.op == ("and" if true else "or"):
                parts += [(a, true) for a in reversed(part.args)]
            elif part.op in ("le", "lt"):
                a, b = part.args if true else part.args[::-1]
                self.meet(a, (infinity, self.box[b.index][1]))
                self.meet(b, (self.box[a.index][0], infinity))
            elif part.op == "eq" and true:
                self.meet(part.args[0], self.box[part.args[1].index])
                self.meet(part.args[1], self.box[part.args[0].index])

    def outside(self, e: Expr, end: Value) -> None:
        """Narrow by |e| >= end, for end >= 0: a bound of e inside the gap moves to its far side."""
        L = self.L
        n, h = self.box[e.index]
        up, down = L.lt(n, end), L.lt(h, end)     # lo > -end, hi < end
        self.replace(e, (L.select(up, L.min(L.neg(end), n), n), L.select(down, L.min(L.neg(end), h), h)))

    def call(self, name: str, function: Callable[..., Interval], *arguments: Value) -> Interval:
        n, h = self.module.call(self.L, f"{name}_backward", function, *arguments)
        return n, h


# -- rules: solve e = op(a, b) for its arguments ----------------------------------------------------------------------


def _add(s: Narrowing, e: Expr) -> None:
    a, b = e.args
    s.meet(a, arithmetic.subtract(s.L, *s.box[e.index], *s.box[b.index]))
    s.meet(b, arithmetic.subtract(s.L, *s.box[e.index], *s.box[a.index]))


def _sub(s: Narrowing, e: Expr) -> None:
    a, b = e.args
    s.meet(a, arithmetic.add(s.L, *s.box[e.index], *s.box[b.index]))
    s.meet(b, arithmetic.subtract(s.L, *s.box[a.index], *s.box[e.index]))


def _neg(s: Narrowing, e: Expr) -> None:
    s.meet(e.args[0], arithmetic.negate(s.L, *s.box[e.index]))


def _quotient(s: Narrowing, above: Interval, below: Interval, e: Expr) -> None:
    """Narrow e by above = below e."""
    if e.op != "constant":
        s.replace(e, s.call("quotient", lambda L, *v: intersect_quotient(L, v[:2], v[2:4], v[4:]), *above, *below, *s.box[e.index]))


def _mul(s: Narrowing, e: Expr) -> None:
    a, b = e.args
    _quotient(s, s.box[e.index], s.box[b.index], a)
    _quotient(s, s.box[e.index], s.box[a.index], b)


def _div(s: Narrowing, e: Expr) -> None:
    a, b = e.args
    if a.op != "constant":
        s.meet(a, s.call("multiply_ends", arithmetic.multiply_ends, *s.box[e.index], *s.box[b.index]))
    _quotient(s, s.box[a.index], s.box[e.index], b)


def _abs(s: Narrowing, e: Expr) -> None:
    n, h = s.box[e.index]
    s.meet(e.args[0], (h, h))
    s.outside(e.args[0], s.L.max(s.L.neg(n), s.L.const(0.0)))


def _power(s: Narrowing, e: Expr) -> None:
    """x^k for k a power of two, by square roots: |x| = the k-th root. Other powers are left alone."""
    L, k = s.L, e.value
    if k < 2 or k & (k - 1):
        return
    n, h = s.box[e.index]
    zero = L.const(0.0)
    root = L.min(n, zero), L.max(h, zero)
    while k > 1:
        root = s.call("sqrt", arithmetic.sqrt, *root)
        k //= 2
    s.meet(e.args[0], (root[1], root[1]))
    s.outside(e.args[0], L.max(L.neg(root[0]), zero))


def _sqrt(s: Narrowing, e: Expr) -> None:
    """x = e^2 for the e >= 0."""
    L, zero = s.L, s.L.const(0.0)
    n, h = s.box[e.index]
    s.meet(e.args[0], arithmetic.square(L, L.min(n, zero), L.max(h, zero)))


def _exp(s: Narrowing, e: Expr) -> None:
    s.meet(e.args[0], s.call("log", exponential.log, *s.box[e.index]))


def _log(s: Narrowing, e: Expr) -> None:
    s.meet(e.args[0], s.call("exp", exponential.exp, *s.box[e.index]))


def _entropy(s: Narrowing, e: Expr) -> None:
    """x log x = z: as a product, and by its second factor."""
    x = e.args[0]
    logarithm = s.call("log", exponential.log, *s.box[x.index])
    found = s.call("quotient", lambda L, *v: intersect_quotient(L, v[:2], v[2:4], v[4:]), *s.box[e.index], *s.box[x.index], *logarithm)
    _quotient(s, s.box[e.index], logarithm, x)
    s.meet(x, s.call("exp", exponential.exp, *found))


def _min(s: Narrowing, e: Expr) -> None:
    """Both arguments are at least the minimum."""
    for a in e.args:
        s.meet(a, (s.box[e.index][0], s.L.const(float("inf"))))


def _max(s: Narrowing, e: Expr) -> None:
    for a in e.args:
        s.meet(a, (s.L.const(float("inf")), s.box[e.index][1]))


def _partial(e: Expr) -> bool:
    """Whether the first form may not be the whole of a function: both are where the second holds everywhere, without a guard."""
    return e.args[0].op in _PARTIAL and e.args[2].op != "constant"


def _either(s: Narrowing, e: Expr) -> None:
    """The first of two forms, unless the function has a value where that one has none, or one of its own."""
    if not _partial(e):
        s.meet(e.args[0], s.box[e.index])


def _where(s: Narrowing, e: Expr, narrow: bool) -> None:
    """A branch has a value where the other one is excluded: by the condition, or as its box misses that of the choice."""
    L, (condition, *both), own = s.L, e.args, s.where
    s.lively(condition, own)
    truth, meets = s.box[condition.index], []
    for a in both:
        n, h = (L.min(x, y) for x, y in zip(s.box[a.index], s.box[e.index], strict=True))
        meets.append(L.mask_const(False) if a.op == "undefined" else L.le(L.neg(n), h))
    for k, a in enumerate(both):
        only = L.either(L.gt(truth[k], L.const(0.5)), L.invert(meets[1 - k]))
        s.where = only if own is None else L.both(own, only)
        s.lively(a, s.where)
        if narrow:
            s.meet(a, s.box[e.index])
            s.demand(condition, k == 0)


def _restricted(s: Narrowing, e: Expr) -> None:
    """It has a value where its condition holds alone."""
    s.meet(e.args[1], s.box[e.index])
    s.demand(e.args[0])


def _shaved(s: Narrowing, e: Expr) -> None:
    """Narrow the arguments of a function without an inverse: see `shaving`."""
    name, emit = interval_operation(e, [SignFacts(False, float("inf"))] * len(e.args))
    for k, a in enumerate(e.args):
        if a.op != "constant":
            rule = shaved(s.module, name, emit, k, s.steps)
            s.meet(a, s.call(f"{name}_shaved_{k}", rule, *s.box[e.index], *(end for b in e.args for end in s.box[b.index])))


def _primitive(s: Narrowing, e: Expr) -> None:
    """Narrow by the inverse that the user declared, of one argument after the other, or by slices."""
    if not decoded(e.value).inverses:
        _shaved(s, e)
        return
    for k, a in enumerate(e.args):
        boxes = [*s.box[e.index], *(end for b in e.args for end in s.box[b.index])]
        s.meet(a, s.call(f"undone_{k}_{key(e.value)}", partial(primitive.undone, value=e.value, argument=k), *boxes))


Rules = dict[str, Callable[[Narrowing, Expr], None]]
RULES: Rules = {
    "add": _add, "sub": _sub, "neg": _neg, "mul": _mul, "div": _div, "abs": _abs, "power_integer": _power, "sqrt": _sqrt,
    "exp": _exp, "log": _log, "entropy": _entropy, "min": _min, "max": _max, "primitive": _primitive,
    "guarded": lambda s, e: s.meet(e.args[0], s.box[e.index]), "restricted": _restricted,
    "either": _either,
    **dict.fromkeys(("atan2", "sinc", "erf", "erfc", "bessel_j", "sine_integral", "loggamma", "gamma", "polygamma", "tabled", "chebyshev",
                     "solution", "tricubic"), _shaved),
}  # fmt: skip
