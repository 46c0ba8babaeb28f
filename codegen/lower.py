"""Expression graphs as LLVM functions: interval bounds, decorations, or point values of one block of lanes.

The body computed for a block of `WIDTH` boxes is straight-line code. It reads and writes blocks in memory:

    x      (variables, 2, WIDTH) doubles: -lo and hi of every variable      points: (variables, 1, WIDTH)
    p      the same for parameters
    out    (outputs, 2, WIDTH): -lo and hi of every output; decorated: (outputs, 3, WIDTH), the third the level;
           points: (outputs, 1, WIDTH)

A long graph is cut into chunks, each a function of its own, since LLVM's time grows faster than the size of a
function. Values that outlive their chunk pass through slots in memory, which are used again when their value is
dead.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal

from .binders import constants
from .elementary import logic
from .expr import Expr, reachable
from .lanes import WIDTH, Emit, Module
from .operations import INLINE, LEVEL, PAIRED, POINT, interval_operation
from .quadrature import expand
from .reference import enclose_constant
from .repetition import loop_body, loop_function, outline
from .signs import Known, analyse

Kind = Literal["interval", "decorated", "points"]

# Nodes a chunk: by measurement, smaller chunks no longer compile faster and larger ones do more slowly.
CHUNK = 256
# From this many nodes on, library functions are called instead of inlined: a little slower, several times faster to
# compile.
OUTLINE = 500

Values = tuple[str, ...]

# Operations whose value depends on the level of one of their arguments, and which one that is.
_GUARD = {"refined": 0, "trusted": 1}


def lower(outputs: Sequence[Expr], kind: Kind, width: int = WIDTH) -> Module:
    """A module with the internal function ``body(ptr x, ptr p, ptr out)`` that evaluates `outputs` for one block."""
    outputs = expand(outputs, "points" if kind == "points" else "rigorous")
    rounding = "nearest" if kind == "points" else "upward"
    module = Module(width, rounding, inline=len(reachable(outputs)) < OUTLINE)
    _lower(module, outputs, kind, "")
    return module


def _lower(module: Module, outputs: Sequence[Expr], kind: Kind, prefix: str) -> None:
    """Add the function ``{prefix}body`` and what it calls."""
    outputs = outline(outputs, numbers=kind != "points")
    decorated = _decorated(outputs, kind)
    _Lowering(module, outputs, _live(outputs, kind, decorated), kind, decorated, prefix).run()


def batch_width(outputs: Sequence[Expr]) -> int:
    """Lanes a pass of the batch loop: 8, or 32 for a formula that is one chain of operations, where each waits for the one before.

    By measurement (a chain of 50 multiplications and additions: 35, 22 and 20 ns a box at 8, 16 and 32 lanes);
    formulas of ordinary shape are as fast or faster at 8, and compile faster.
    """
    depth: dict[int, int] = {}
    order = reachable(outputs)
    for e in order:
        depth[e.index] = 1 + max((depth[a.index] for a in e.args), default=0)
    deepest = max(depth[e.index] for e in outputs)
    return 32 if len(order) < 1.5 * deepest and 16 < len(order) <= CHUNK else WIDTH


def vectors(kind: Kind) -> tuple[int, int]:
    """Vectors an input and vectors an output in the blocks of this kind."""
    return {"interval": (2, 2), "decorated": (2, 3), "points": (1, 1)}[kind]


def _decorated(outputs: Sequence[Expr], kind: Kind) -> set[int]:
    """The nodes whose level is needed: all for a decorated kernel, else those below the functions being refined."""
    if kind == "points":
        return set()
    order = reachable(outputs)
    if kind == "decorated":
        return {e.index for e in order}
    roots = [e.args[_GUARD[e.op]] for e in order if e.op in _GUARD]
    # The body of a loop may ask for the levels of what it takes from outside.
    roots += [a for e in order if e.op == "loop" for a in e.args]
    return {e.index for e in reachable(roots)}


def _live(outputs: Sequence[Expr], kind: Kind, decorated: set[int]) -> list[Expr]:
    """The nodes to compute. A guard counts for decorations only, an enclosed constant has no arguments."""
    seen: dict[int, Expr] = {}
    constant = constants(reachable(outputs))
    stack = list(outputs)
    while stack:
        e = stack.pop()
        if e.index in seen:
            continue
        seen[e.index] = e
        if (kind == "points" and e.op in _GUARD) or (e.op == "guarded" and e.index not in decorated):
            stack.append(e.args[0])
        elif not constant[e.index] or kind == "points":
            stack.extend(e.args)
    return [seen[k] for k in sorted(seen)]


class _Lowering:
    """Walks the nodes in order, chunk by chunk."""

    def __init__(self, module: Module, outputs: Sequence[Expr], order: Sequence[Expr], kind: Kind,
                 decorated: set[int], prefix: str) -> None:
        self.prefix = prefix
        self.module, self.outputs, self.order, self.kind = module, outputs, order, kind
        self.decorated = decorated
        self.known: dict[int, Known] = analyse(reachable(outputs)) if kind != "points" else {}
        self.constant = constants(reachable(outputs))
        self.enclosures: dict[int, tuple[float, float]] = {}
        self.values: dict[int, Values] = {}
        self.levels: dict[int, str | None] = {}
        self.pairs = self._find_pairs()
        self.lanes = module.lanes()

    # -- chunks -------------------------------------------------------------------------------------------------

    def run(self) -> None:
        chunks = [self.order[k:k + CHUNK] for k in range(0, len(self.order), CHUNK)] or [[]]
        slots = _Slots(chunks, self._leaf)
        stored: dict[int, bool] = {}
        for number, chunk in enumerate(chunks):
            self.lanes = self.module.lanes()
            self.values, self.levels = {}, {}
            for e in slots.read[number]:
                self._load_slot(e, slots, stored)
            for e in slots.leaves[number]:
                self._node(e)
            for e in chunk:
                self._node(e)
            for e in slots.written[number]:
                stored[e.index] = self._store_slot(e, slots)
            self._store_outputs(chunk)
            self._finish(f"{self.prefix}chunk{number}")
        self._body(len(chunks), slots.count)

    def _leaf(self, e: Expr) -> bool:
        """Is the node cheaper to write again in another chunk than to pass through memory?"""
        return e.op in ("variable", "parameter", "captured", "constant") or (self.constant[e.index] and self.kind != "points")

    def _finish(self, name: str) -> None:
        body = "\n".join(self.lanes.lines)
        self.module.add(name, f"define internal void @{name}(ptr noalias %x, ptr noalias %p, ptr noalias %out, "
                              f"ptr noalias %s, ptr noalias %c) #2 {{\n{body}\n  ret void\n}}")

    def _body(self, chunks: int, slots: int) -> None:
        L = self.lanes
        size = slots * self._slot_vectors
        outside = "ptr %c" if self.prefix else "ptr null"
        calls = "\n".join(f"  call void @{self.prefix}chunk{k}(ptr %x, ptr %p, ptr %out, ptr %s, {outside})" for k in range(chunks))
        parameters = "ptr %x, ptr %p, ptr %out" + (", ptr %c" if self.prefix else "")
        self.module.add(f"{self.prefix}body", f"define internal void @{self.prefix}body({parameters}) #2 {{\n"
                                f"  %s = alloca {L.vector}, i64 {max(size, 1)}, align 64\n{calls}\n  ret void\n}}")

    @property
    def _slot_vectors(self) -> int:
        return 1 if self.kind == "points" else 3

    def _load_slot(self, e: Expr, slots: "_Slots", stored: dict[int, bool]) -> None:
        base = slots.place[e.index] * self._slot_vectors
        count = self._vectors_of(e)
        self.values[e.index] = tuple(self.lanes.load("%s", base + k) for k in range(count))
        self.levels[e.index] = self.lanes.load("%s", base + 2) if stored[e.index] else None

    def _store_slot(self, e: Expr, slots: "_Slots") -> bool:
        base = slots.place[e.index] * self._slot_vectors
        for k, value in enumerate(self.values[e.index]):
            self.lanes.store("%s", base + k, value)
        level = self.levels.get(e.index)
        if level is not None:
            self.lanes.store("%s", base + 2, level)
        return level is not None

    def _vectors_of(self, e: Expr) -> int:
        return 1 if self.kind == "points" else 2

    def _store_outputs(self, chunk: Sequence[Expr]) -> None:
        """Write the outputs computed in this chunk."""
        _, count = vectors(self.kind)
        here = {e.index for e in chunk}
        for k, e in enumerate(self.outputs):
            if e.index not in here:
                continue
            vs = self.values[e.index]
            if self.kind == "decorated":
                vs = (*vs, self.levels[e.index] or self.lanes.const(3.0))
            for j, value in enumerate(vs):
                self.lanes.store("%out", k * count + j, value)

    # -- nodes --------------------------------------------------------------------------------------------------

    def _node(self, e: Expr) -> None:
        if e.index in self.values:
            return
        self.levels[e.index] = None
        if e.op in ("variable", "parameter"):
            pointer, count = ("%x" if e.op == "variable" else "%p"), vectors(self.kind)[0]
            self.values[e.index] = tuple(self.lanes.load(pointer, e.value * count + k) for k in range(count))
        elif e.op == "captured":
            self._captured(e)
        elif e.op == "loop":
            self._loop(e)
        elif self.kind == "points":
            self.values[e.index] = self._point(e)
        elif self.constant[e.index]:
            self._constant(e)
        else:
            self.values[e.index] = self._interval(e)
            if e.index in self.decorated:
                self.levels[e.index] = self._level(e)

    def _captured(self, e: Expr) -> None:
        base = e.value * self._slot_vectors
        self.values[e.index] = tuple(self.lanes.load("%c", base + k) for k in range(self._vectors_of(e)))
        self.levels[e.index] = self.lanes.load("%c", base + 2) if e.index in self.decorated else None

    def _loop(self, e: Expr) -> None:
        """Write what the body takes from outside into memory, call the loop, read its result."""
        L, body = self.lanes, loop_body(e)
        kind: Kind = "points" if self.kind == "points" else "decorated" if e.index in self.decorated else "interval"
        name = f"loop{e.index}{kind}"
        if name not in self.module.functions:
            _lower(self.module, [body], kind, name)
            self.module.add(name, loop_function(self.module.lanes(), name, e, vectors(kind)[1], self._slot_vectors))
        room = (len(e.args) + 1) * self._slot_vectors
        captured, result = f"%captured{e.index}", f"%result{e.index}"
        L.lines += [f"  {captured} = alloca {L.vector}, i64 {room}, align 64", f"  {result} = alloca {L.vector}, i64 3, align 64"]
        for k, a in enumerate(e.args):
            for j, value in enumerate(self.values[a.index]):
                L.store(captured, k * self._slot_vectors + j, value)
            if kind != "points":
                L.store(captured, k * self._slot_vectors + 2, self.levels[a.index] or L.const(3.0))
        L.lines.append(f"  call void @{name}(ptr %x, ptr %p, ptr {result}, ptr {captured})")
        self.values[e.index] = tuple(L.load(result, k) for k in range(self._vectors_of(e)))
        self.levels[e.index] = L.load(result, 2) if kind == "decorated" else None

    def _arguments(self, e: Expr) -> Values:
        return tuple(v for a in e.args for v in self.values[a.index])

    def _constant(self, e: Expr) -> None:
        """A constant expression is a constant function: differentiable wherever it is defined at all."""
        lo, hi = self._enclosed(e)
        self.values[e.index] = (self.lanes.const(-lo), self.lanes.const(hi))
        self.levels[e.index] = self.lanes.const(0.0) if math.isinf(lo) and math.isinf(hi) else None

    def _enclosed(self, e: Expr) -> tuple[float, float]:
        if e.index not in self.enclosures:
            self.enclosures[e.index] = enclose_constant(e)
        return self.enclosures[e.index]

    def _interval(self, e: Expr) -> Values:
        if e.op == "guarded":
            return self.values[e.args[0].index]
        if e.op == "undefined":
            return self.lanes.const(math.inf), self.lanes.const(math.inf)
        if e.op == "refined":
            return self._refined(e)
        if e.op == "trusted":
            return self._trusted(e)
        if e.index in self.pairs:
            return self._paired(e)
        if e.op == "mul" and any(self.constant[a.index] for a in e.args):
            return self._scaled(e)
        inline = INLINE.get(e.op)
        if inline is not None:
            return inline(self.lanes, *self._arguments(e))
        name, emit = interval_operation(e, [self.known[a.index] for a in e.args])
        return self.module.call(self.lanes, name, emit, *self._ordered(e, name))

    def _refined(self, e: Expr) -> Values:
        """Both are bounds where f is continuous on the whole box; elsewhere only the natural extension is."""
        L = self.lanes
        (fn, fh), (n, h) = (self.values[a.index] for a in e.args)
        both = L.min(n, fn), L.min(h, fh)
        level = self.levels[e.args[0].index]
        if level is None:
            return both
        continuous = L.ge(level, L.const(2.0))
        return L.select(continuous, both[0], fn), L.select(continuous, both[1], fh)

    def _trusted(self, e: Expr) -> Values:
        L, level = self.lanes, self.levels[e.args[1].index]
        n, h = self.values[e.args[0].index]
        if level is None:
            return n, h
        enough, infinity = L.ge(level, L.const(float(e.value))), L.const(math.inf)
        return L.select(enough, n, infinity), L.select(enough, h, infinity)

    def _ordered(self, e: Expr, name: str) -> Values:
        """The arguments, the nonnegative factor first where the product is specialized for it."""
        if name.startswith("multiply_nonnegative") and not self.known[e.args[0].index].nonnegative:
            a, b = e.args
            return (*self.values[b.index], *self.values[a.index])
        return self._arguments(e)

    def _scaled(self, e: Expr) -> Values:
        a, b = e.args
        if not self.constant[a.index]:
            a, b = b, a
        lo, hi = self._enclosed(a)
        return INLINE["scale"](self.lanes, *self.values[b.index], lo, hi)

    def _find_pairs(self) -> dict[int, Expr]:
        """sin and cos of the same argument share one argument reduction: each points at the other."""
        first: dict[tuple[int, ...], Expr] = {}
        pairs: dict[int, Expr] = {}
        for e in self.order:
            if e.op in ("sin", "cos") and not (self.constant[e.index] and self.kind != "points"):
                other = first.setdefault((e.args[0].index,), e)
                if other is not e:
                    pairs[e.index], pairs[other.index] = other, e
        return pairs

    def _paired(self, e: Expr) -> Values:
        name = "sincos" if self.kind != "points" else "sincos_point"
        both = self.module.call(self.lanes, name, PAIRED[name], *self._arguments(e))
        half = len(both) // 2
        sine, cosine = both[:half], both[half:]
        other = self.pairs[e.index]
        self.values[other.index] = sine if other.op == "sin" else cosine
        self.levels[other.index] = self._level(other) if other.index in self.decorated else None
        return sine if e.op == "sin" else cosine

    # -- decorations --------------------------------------------------------------------------------------------

    def _level(self, e: Expr) -> str | None:
        """min of the arguments' levels and the operation's own; None stands for 3 everywhere."""
        if e.op == "undefined":
            return self.lanes.const(0.0)
        if e.op in _GUARD:
            return self.levels[e.args[0].index]
        if e.op in ("where", "choice", "guarded"):
            return self._chosen_level(e)
        own: str | None = None
        if e.op in LEVEL:
            (own,) = self.module.call(self.lanes, f"{e.op}_level", LEVEL[e.op], *self._arguments(e))
        for a in e.args:
            level = self.levels[a.index]
            if level is not None:
                own = level if own is None else self.lanes.min(own, level)
        return own

    def _chosen_level(self, e: Expr) -> str | None:
        L, three = self.lanes, self.lanes.const(3.0)
        levels = [self.levels[a.index] or three for a in e.args]
        if e.op == "guarded":
            if self.levels[e.args[1].index] is None:
                return self.levels[e.args[0].index]
            return L.select(L.eq(levels[1], three), levels[0], L.const(0.0))
        first, second = self.values[e.args[0].index]
        chosen = logic.chosen_level if e.op == "where" else logic.choice_level
        return L.min(chosen(L, first, second, levels[1], levels[2]), levels[0])

    # -- points -------------------------------------------------------------------------------------------------

    def _point(self, e: Expr) -> Values:
        if e.op == "constant":
            return (self.lanes.const(_nearest(e)),)
        if e.op == "undefined":
            return (self.lanes.const(math.nan),)
        if e.op == "guarded" or e.op in _GUARD:
            return self.values[e.args[0].index]
        if e.index in self.pairs:
            return self._paired(e)
        name, emit, inline = _point_operation(e)
        if inline:
            return tuple(emit(self.lanes, *self._arguments(e)))
        return self.module.call(self.lanes, name, emit, *self._arguments(e))


def _point_operation(e: Expr) -> tuple[str, Emit, bool]:
    emit, inline = POINT[e.op]
    if e.value is None:
        return f"{e.op}_{len(e.args)}_point", emit, inline
    return f"{e.op}_{e.value}_point", lambda L, *a: emit(L, *a, e.value), inline


def _nearest(e: Expr) -> float:
    if isinstance(e.value, Fraction):
        try:
            return float(e.value)
        except OverflowError:
            return math.inf if e.value > 0 else -math.inf
    lo, hi = enclose_constant(e)
    return lo if lo == hi else 0.5 * (lo + hi)


class _Slots:
    """Which values cross from chunk to chunk, and in which memory slot each one waits.

    For every chunk: `read` (values to load), `written` (values to store) and `leaves` (to write again).
    """

    def __init__(self, chunks: Sequence[Sequence[Expr]], leaf: Callable[[Expr], bool]) -> None:
        where = {e.index: k for k, chunk in enumerate(chunks) for e in chunk}
        last_use = dict(where)
        self.read: list[list[Expr]] = []
        self.leaves: list[list[Expr]] = []
        for k, chunk in enumerate(chunks):
            used = [a for e in chunk for a in e.args]
            earlier = {a.index: a for a in used if where.get(a.index, k) < k}
            last_use.update(dict.fromkeys(earlier, k))
            self.read.append([a for a in earlier.values() if not leaf(a)])
            self.leaves.append([a for a in earlier.values() if leaf(a)])
        self.written = [[e for e in chunk if last_use[e.index] > k and not leaf(e)] for k, chunk in enumerate(chunks)]
        self.place: dict[int, int] = {}
        self.count = self._assign(last_use)

    def _assign(self, last_use: dict[int, int]) -> int:
        """A slot for every written value, free again after the chunk of its last use; the number of slots."""
        free: list[int] = []
        dying: dict[int, list[int]] = {}
        count = 0
        for k, written in enumerate(self.written):
            for e in written:
                if not free:
                    free.append(count)
                    count += 1
                self.place[e.index] = slot = free.pop()
                dying.setdefault(last_use[e.index], []).append(slot)
            free.extend(dying.pop(k, []))
        return count
