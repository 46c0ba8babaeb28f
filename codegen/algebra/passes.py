"""A forward-backward pass over a system of constraints as machine code (see `backward`, which has its rules)."""

from collections.abc import Sequence

from ..emit.dispatch import INLINE, interval_operation
from ..emit.entry import add_entry
from ..emit.lanes import Module
from ..graph.expr import Expr, natural, reachable
from ..graph.serialize import serialize
from ..graph.signs import SignFacts, analyse
from ..machine import waited
from ..machine.native import Code, code_key
from ..reference.interpreter import enclose_constant
from .backward import Interval, Narrowing
from .inverses import RULES

# Nodes up to which the pass pays for its compilation; it is written as one function.
LIMIT = 1500

# Nodes that only proofs put into a graph, and those expanded into such, whose value depends on decorations that are not
# computed here.
_FOREIGN = frozenset({"trusted", "refined", "midpoint", "centre", "integral", "inverse", "flow"})


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
    for e in [*equations, *([] if condition is None else [condition])]:
        passes.lively(e, None)
    for e in reversed(order):
        passes.undo(e, RULES, True)
    passes.store()
    body = "\n".join(passes.L.lines)
    module.add("pass", f"define internal void @pass(ptr noalias %x, ptr noalias %p, ptr noalias %flag) #2 {{\n{body}\n  ret void\n}}")
    add_entry(module, "kernel", "pass", "ptr %x, ptr %p, ptr %flag", "ptr %x, ptr %p, ptr %flag")
    return module.text()


class _Pass(Narrowing):
    """The code of one pass; `box` holds the present enclosure of every node."""

    def __init__(self, module: Module, order: Sequence[Expr]) -> None:
        self.module, self.order, self.L = module, order, module.lanes()
        self.known: dict[int, SignFacts] = analyse(order)
        self.box, self.changed, self.live = {}, set(), {}
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

    def store(self) -> None:
        """Write the variables where something is left, and the flag."""
        L = self.L
        for e in self.order:
            if e.op == "variable" and e.index in self.changed:
                for side, new in enumerate(self.box[e.index]):
                    L.store("%x", 2 * e.value + side, L.select(self.empty, L.load("%x", 2 * e.value + side), new))
        L.store("%flag", 0, L.select(self.empty, L.const(0.0), L.load("%flag", 0)))
