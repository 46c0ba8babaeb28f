"""Forward-backward contraction: a box shrunk by the operations of a system of constraints, one at a time.

The forward pass encloses every node of the graph over a box. The backward pass starts from what the constraints
demand (0 of an equation, truth of a condition) and solves each operation for its arguments in turn: where x + y = z,
x lies in z - y. Every point of the box that satisfies all constraints survives, because it gives every node a value
that satisfies every operation exactly. (Benhamou, Goualard, Granvilliers and Puget 1999, "Revising hull and box
consistency", algorithm HC4.)

A point where a node is undefined satisfies no constraint above it, so enclosures need only hold the values at points
where nodes are defined. Branches of `where` are not entered: the branch not taken may be undefined at a solution.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..emit.dispatch import INLINE, interval_operation
from ..emit.elementary import arithmetic, exponential, primitive
from ..emit.entry import add_entry
from ..emit.lanes import Lanes, Module
from ..graph.expr import Expr, natural, reachable
from ..graph.primitives import decoded, key
from ..graph.serialize import serialize
from ..graph.signs import SignFacts, analyse
from ..machine import waited
from ..machine.native import Code, code_key
from ..reference.interpreter import enclose_constant
from .rows import intersect_quotient

Value = str
Interval = tuple[Value, Value]

# Nodes up to which the pass pays for its compilation; it is written as one function.
LIMIT = 1500

# Nodes that only proofs put into a graph, and those expanded into such, whose value depends on decorations that are not
# computed here.
_FOREIGN = frozenset({"trusted", "refined", "midpoint", "integral", "inverse", "flow"})


# First forms of a function that are not the whole of it.
_PARTIAL = frozenset({"where", "restricted"})


def backward_code(equations: Sequence[Expr], condition: Expr | None) -> Code | None:
    """Machine code with the entry ``kernel``: ``void(X, p, flag)``, one pass for equations = 0 and a truth value.

    X (variables, 2) is a block of boxes as -lo and hi, p one of parameters. X shrinks in place and keeps every point
    at which all equations vanish and the condition holds. The flag becomes 0.0 in lanes where there is none, and
    their boxes stay. None for graphs that are too large, or hold nodes of proofs.
    """
    roots = [*equations, *([] if condition is None else [condition])]
    roots = natural(roots, whole=False)
    equations, condition = (roots, None) if condition is None else (roots[:-1], roots[-1])
    order = reachable(roots)
    if len(order) > LIMIT or any(e.op in _FOREIGN for e in order):
        return None
    key = code_key("backward", serialize(roots), str(condition is not None))
    return Code(waited.kept(key, "text", lambda: (_text(equations, condition, order),)), ("kernel",))


def _text(equations: Sequence[Expr], condition: Expr | None, order: Sequence[Expr]) -> str:
    module = Module(longest=0)
    passes = _Pass(module, order)
    zero = passes.L.const(0.0)
    for e in equations:
        passes.meet(e, (zero, zero))
    if condition is not None:
        passes.demand(condition)
    for e in reversed(order):
        passes.backward(e)
    passes.store()
    body = "\n".join(passes.L.lines)
    module.add("pass", f"define internal void @pass(ptr noalias %x, ptr noalias %p, ptr noalias %flag) #2 {{\n{body}\n  ret void\n}}")
    add_entry(module, "kernel", "pass", "ptr %x, ptr %p, ptr %flag", "ptr %x, ptr %p, ptr %flag")
    return module.text()


class Narrowing:
    """The state that rules work on: `box` holds the present enclosure of every node."""

    module: Module
    L: Lanes
    box: dict[int, Any]
    changed: set[int]
    empty: Value

    def meet(self, e: Expr, other: Interval) -> None:
        """Intersect the enclosure of a node with another one of the same values."""
        if e.op == "constant":
            return
        n, h = self.box[e.index]
        self.replace(e, (self.L.min(other[0], n), self.L.min(other[1], h)))

    def replace(self, e: Expr, new: Interval) -> None:
        self.box[e.index] = new
        self.changed.add(e.index)
        self.empty = self.L.either(self.empty, self.L.gt(self.L.neg(new[0]), new[1]))

    def outside(self, e: Expr, end: Value) -> None:
        """Narrow by |e| >= end, for end >= 0: a bound of e inside the gap moves to its far side."""
        L = self.L
        n, h = self.box[e.index]
        up, down = L.lt(n, end), L.lt(h, end)     # lo > -end, hi < end
        self.replace(e, (L.select(up, L.min(L.neg(end), n), n), L.select(down, L.min(L.neg(end), h), h)))

    def call(self, name: str, function: Callable[..., Interval], *arguments: Value) -> Interval:
        n, h = self.module.call(self.L, f"{name}_backward", function, *arguments)
        return n, h


class _Pass(Narrowing):
    """The code of one pass; `box` holds the present enclosure of every node."""

    def __init__(self, module: Module, order: Sequence[Expr]) -> None:
        self.module, self.order, self.L = module, order, module.lanes()
        self.known: dict[int, SignFacts] = analyse(order)
        self.box, self.changed = {}, set()
        self.empty = self.L.mask_const(False)
        for e in order:
            self.box[e.index] = self._forward(e)

    def _forward(self, e: Expr) -> Interval:
        L = self.L
        if e.op in ("variable", "parameter"):
            pointer = "%x" if e.op == "variable" else "%p"
            return L.load(pointer, 2 * e.value), L.load(pointer, 2 * e.value + 1)
        if e.op == "constant":
            lo, hi = enclose_constant(e)
            return L.const(-lo), L.const(hi)
        if e.op == "undefined":
            return L.const(float("inf")), L.const(float("inf"))
        if e.op == "guarded":
            return self.box[e.args[0].index]
        arguments = tuple(v for a in e.args for v in self.box[a.index])
        if e.op in INLINE:
            n, h = INLINE[e.op](L, *arguments)
            return n, h
        known = [self.known[a.index] for a in e.args]
        name, emit = interval_operation(e, known)
        if name.startswith("multiply_nonnegative") and not known[0].nonnegative:
            arguments = arguments[2:] + arguments[:2]
        n, h = self.module.call(L, name, emit, *arguments)
        return n, h

    # -- narrowing ----------------------------------------------------------------------------------------------

    def demand(self, condition: Expr) -> None:
        """Narrow by a condition that must be true; conditions other than comparisons and their conjunctions say nothing here."""
        infinity, parts = self.L.const(float("inf")), [condition]
        while parts:
            part = parts.pop()
            if part.op == "and":
                parts += reversed(part.args)
            elif part.op in ("le", "lt"):
                a, b = part.args
                self.meet(a, (infinity, self.box[b.index][1]))
                self.meet(b, (self.box[a.index][0], infinity))
            elif part.op == "eq":
                self.meet(part.args[0], self.box[part.args[1].index])
                self.meet(part.args[1], self.box[part.args[0].index])

    def backward(self, e: Expr) -> None:
        """Narrow the arguments of a node by its enclosure."""
        rule = RULES.get(e.op)
        if rule is not None and e.index in self.changed:
            rule(self, e)

    def store(self) -> None:
        """Write the variables where something is left, and the flag."""
        L = self.L
        for e in self.order:
            if e.op == "variable" and e.index in self.changed:
                for side, new in enumerate(self.box[e.index]):
                    L.store("%x", 2 * e.value + side, L.select(self.empty, L.load("%x", 2 * e.value + side), new))
        L.store("%flag", 0, L.select(self.empty, L.const(0.0), L.load("%flag", 0)))


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
        s.meet(a, s.call("multiply", arithmetic.multiply, *s.box[e.index], *s.box[b.index]))
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


def _either(s: Narrowing, e: Expr) -> None:
    """The first of two forms, unless the function has a value where that one has none, or one of its own."""
    if e.args[0].op not in _PARTIAL:
        s.meet(e.args[0], s.box[e.index])


def _primitive(s: Narrowing, e: Expr) -> None:
    """Narrow by the inverse that the user declared, of one argument after the other."""
    if not decoded(e.value).inverses:
        return
    for k, a in enumerate(e.args):
        boxes = [*s.box[e.index], *(end for b in e.args for end in s.box[b.index])]
        s.meet(a, s.call(f"undone_{k}_{key(e.value)}", partial(primitive.undone, value=e.value, argument=k), *boxes))


RULES: dict[str, Callable[[Narrowing, Expr], None]] = {
    "add": _add, "sub": _sub, "neg": _neg, "mul": _mul, "div": _div, "abs": _abs, "power_integer": _power, "sqrt": _sqrt,
    "exp": _exp, "log": _log, "entropy": _entropy, "min": _min, "max": _max, "primitive": _primitive,
    "guarded": lambda s, e: s.meet(e.args[0], s.box[e.index]), "restricted": lambda s, e: s.meet(e.args[1], s.box[e.index]),
    "either": _either,
}  # fmt: skip
