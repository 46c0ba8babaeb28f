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
from typing import NamedTuple

from ..graph.expr import Expr, reachable
from ..graph.quadrature import expand
from ..graph.signs import analyse
from .branches import Branching
from .lanes import WIDTH, Emit, Kind, Module
from .repetition import loop_body, loop_function, outline
from .room import add_with_room, is_large, unknown, vector_bytes
from .translate import Values, vectors
from .unguarded import add_checked, pays

# Nodes a chunk: by measurement, smaller chunks hardly compile faster, and pass more through memory; larger ones compile more slowly.
CHUNK = 400
# LLVM's time grows with the square of the loads and stores in a function, too: 400 outputs of 1,400 nodes took 20 s, and take 1 s.
MANY, SMALL_CHUNK = 128, 32
# Of chains (see `batch_shape`).
SHORT_CHUNK = 8
# Outputs that are the same as another one are stored like this, in a loop from this many on.
COPIES = 16
# A kernel among others runs as fast as its instructions are fetched, so long library functions are written once and called, but in
# small graphs, which fit the processor's cache anyway: the two polynomials of a sine are some 180 instructions, a product 18 or 26. Of
# larger graphs products that need no guard are written in place, of the largest none: called, they compile several times faster.
ROOMY, MIDDLE, OUTLINE = 64, 500, 1500
_SHORT, _SHORTEST = 32, 20


class PassShape(NamedTuple):
    """Lanes a pass, and nodes a chunk of a body without guards."""

    width: int = WIDTH
    chunk: int | None = None


def lower(outputs: Sequence[Expr], kind: Kind, bounded: bool = False, shape: PassShape | None = None) -> Module:
    """A module with the internal function ``body(ptr x, ptr p, ptr out)`` that evaluates `outputs` for one block.
    `bounded`: see `Kernel`.
    """
    outputs = expand(outputs, "points" if kind == "points" else "rigorous")
    rounding = "nearest" if kind == "points" else "upward"
    nodes, shape = len(reachable(outputs)), shape or PassShape()
    module = Module(shape.width, rounding, _longest(nodes))
    if bounded or kind == "points" or nodes >= OUTLINE or not pays(outputs, analyse(reachable(outputs))):
        _Lowering(module, outline(outputs), kind, "", bounded).run()
    else:
        _lower_twice(module, outputs, kind, shape.chunk)
    return module


def _lower_twice(module: Module, outputs: Sequence[Expr], kind: Kind, chunk: int | None) -> None:
    """The body without guards, and with them, where speed is no matter and all library functions are called."""
    _Lowering(module, outputs, kind, "unguarded", guard=False, chunk=chunk).run()
    module.longest = 0
    _Lowering(module, outputs, kind, "guarded").run()
    add_checked(module, "body", "unguardedbody", "guardedbody", "ptr %x, ptr %p, ptr %out")


def _longest(nodes: int) -> float:
    """The length in instructions of the longest library function that is written in place."""
    if nodes >= OUTLINE:
        return 0
    return math.inf if nodes < ROOMY else _SHORT if nodes < MIDDLE else _SHORTEST


def batch_shape(outputs: Sequence[Expr], wide: bool) -> PassShape:
    """The shape of the batch loop: 8 lanes, and more for a formula that is one chain of operations, where each waits for the one before.
    `wide`: a register holds 8 lanes, and there are 32.

    By measurement (a chain of 50 multiplications and additions): 26, 19 and 16 ns a box at 8, 16 and 32 lanes with wide registers. With
    narrow ones 44 ns at any number, as LLVM puts the operations of a chunk in order register by register, and the processor sees one
    chain at a time; 24 ns at 16 lanes in short chunks. Formulas of ordinary shape are as fast or faster at 8, and compile faster.
    """
    depth: dict[int, int] = {}
    order = reachable(outputs)
    for e in order:
        depth[e.index] = 1 + max((depth[a.index] for a in e.args), default=0)
    deepest = max((depth[e.index] for e in outputs), default=0)
    if not (len(order) < 1.5 * deepest and 16 < len(order) <= CHUNK):
        return PassShape()
    return PassShape(32) if wide else PassShape(16, SHORT_CHUNK)


class _Lowering(Branching):
    """Walks the nodes in order, chunk by chunk, and adds the function ``{prefix}body`` and what it calls. `inside`: it is the body of a
    loop, which takes captured values.
    """

    def __init__(self, module: Module, outputs: Sequence[Expr], kind: Kind, prefix: str, bounded: bool = False, guard: bool = True,
                 inside: bool = False, chunk: int | None = None) -> None:
        super().__init__(outputs, kind, bounded, guard)
        self.module, self.prefix, self.inside, self.chunk = module, prefix, inside, chunk or CHUNK
        self.lanes = module.lanes()
        self.divide()
        self.places: dict[int, list[int]] = {}
        for k, e in enumerate(outputs):
            self.places.setdefault(e.index, []).append(k)
        self.repeated: list[tuple[int, int, int]] = []

    # -- operations ---------------------------------------------------------------------------------------------

    def number(self, x: float) -> str:
        return self.lanes.const(x)

    def input(self, e: Expr) -> Values:
        pointer, count = ("%x" if e.op == "variable" else "%p"), vectors(self.kind)[0]
        return tuple(self.lanes.load(pointer, e.value * count + k) for k in range(count))

    def apply(self, name: str, emit: Emit, *args: str, short: bool = False) -> Values:
        return tuple(emit(self.lanes, *args)) if short else self.module.call(self.lanes, name, emit, *args)

    def special(self, e: Expr) -> bool:
        if e.op == "captured":
            self._captured(e)
        elif e.op == "loop":
            self._loop(e)
        return e.op in ("captured", "loop")

    # -- chunks -------------------------------------------------------------------------------------------------

    def run(self) -> None:
        size = self.chunk if len(self.places) <= MANY else min(self.chunk, SMALL_CHUNK)
        chunks = [self.order[k:k + size] for k in range(0, len(self.order), size)] or [[]]
        slots = _Slots(chunks, self._leaf, self.uses)
        stored: dict[int, bool] = {}
        self._last_slot = slots.count * self._slot_vectors
        self._after_slots = self._last_slot + self.bounded
        for number, chunk in enumerate(chunks):
            self.lanes = self.module.lanes()
            if self.bounded and number == 0:
                self.lanes.store("%s", self._last_slot, self.make_excess())
            self.values, self.levels = {}, {}
            for e in slots.read[number]:
                self._load_slot(e, slots, stored)
            for e in slots.leaves[number]:
                self.node(e)
            for e in chunk:
                self.node(e)
            for e in slots.written[number]:
                stored[e.index] = self._store_slot(e, slots)
            self._store_outputs(chunk)
            self._finish(f"{self.prefix}chunk{number}")
        self._body(len(chunks))

    def _leaf(self, e: Expr) -> bool:
        """Whether the node is cheaper to write again in another chunk than to pass through memory."""
        return e.op in ("variable", "parameter", "captured", "constant") or (self.constant[e.index] and self.kind != "points")

    def _finish(self, name: str) -> None:
        body = "\n".join(self.lanes.lines)
        self.module.add(name, f"define internal void @{name}(ptr noalias %x, ptr noalias %p, ptr noalias %out, "
                              f"ptr noalias %s, ptr noalias %c) #2 {{\n{body}\n  ret void\n}}")

    def _body(self, chunks: int) -> None:
        L = self.lanes
        size = vector_bytes(L, self._after_slots + max((self._loop_room(e) for e in self.order if e.op == "loop"), default=0))
        outside = "ptr %c" if self.inside else "ptr null"
        calls = [f"  call void @{self.prefix}chunk{k}(ptr %x, ptr %p, ptr %out, ptr %room, {outside})" for k in range(chunks)]
        if self.repeated:
            self.module.add(f"{self.prefix}repeat", self._repeat())
            calls.append(f"  call void @{self.prefix}repeat(ptr %out)")
        parameters = "ptr %x, ptr %p, ptr %out" + (", ptr %c" if self.inside else "")
        add_with_room(self.module, f"{self.prefix}body", parameters, size, is_large(size), calls, unknown(L, self.kind, len(self.outputs)))

    @property
    def _slot_vectors(self) -> int:
        return 1 if self.kind == "points" else 3

    def excess(self) -> str:
        return self.lanes.load("%s", self._last_slot)

    def _load_slot(self, e: Expr, slots: "_Slots", stored: dict[int, bool]) -> None:
        base = slots.place[e.index] * self._slot_vectors
        count = self._value_vectors
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

    @property
    def _value_vectors(self) -> int:
        return 1 if self.kind == "points" else 2

    def _store_outputs(self, chunk: Sequence[Expr]) -> None:
        """Write the outputs computed in this chunk. Of many that are the same, as the zeros of a sparse Jacobian, the others are copies."""
        count = vectors(self.kind)[1]
        for e in chunk:
            if e.index in self.places:
                first, *others = self.places[e.index]
                copied = others if len(others) > COPIES else []
                for j, value in enumerate(self.results(e)):
                    for k in [first] if copied else [first, *others]:
                        self.lanes.store("%out", k * count + j, value)
                self.repeated += [(first, *run) for run in _runs(copied)]

    def _repeat(self) -> str:
        """The function ``repeat(ptr out)``, which copies outputs to runs of others."""
        L, runs = self.lanes, ", ".join(f"[3 x i64] [i64 {first}, i64 {begin}, i64 {end}]" for first, begin, end in self.repeated)
        L.intrinsics["repeated"] = f"@repeated = private constant [{len(self.repeated)} x [3 x i64]] [{runs}]"
        output = f"[{vectors(self.kind)[1]} x {L.vector}]"
        lines = ["entry:", "  br label %next", "next:", "  %i = phi i64 [ 0, %entry ], [ %after, %last ]",
                 "  %run = getelementptr [3 x i64], ptr @repeated, i64 %i", "  %ends = load [3 x i64], ptr %run",
                 "  %first = extractvalue [3 x i64] %ends, 0", "  %begin = extractvalue [3 x i64] %ends, 1",
                 "  %end = extractvalue [3 x i64] %ends, 2", f"  %from = getelementptr {output}, ptr %out, i64 %first",
                 f"  %values = load {output}, ptr %from, align 8", "  br label %copy", "copy:",
                 "  %k = phi i64 [ %begin, %next ], [ %onward, %copy ]", f"  %to = getelementptr {output}, ptr %out, i64 %k",
                 f"  store {output} %values, ptr %to, align 8", "  %onward = add i64 %k, 1", "  %same = icmp slt i64 %onward, %end",
                 "  br i1 %same, label %copy, label %last", "last:", "  %after = add i64 %i, 1",
                 f"  %more = icmp slt i64 %after, {len(self.repeated)}", "  br i1 %more, label %next, label %done", "done:", "  ret void"]
        return "\n".join([f"define internal void @{self.prefix}repeat(ptr %out) #2 {{", *lines, "}"])

    # -- loops --------------------------------------------------------------------------------------------------

    def _captured(self, e: Expr) -> None:
        base = e.value * self._slot_vectors
        self.values[e.index] = tuple(self.lanes.load("%c", base + k) for k in range(self._value_vectors))
        self.levels[e.index] = self.lanes.load("%c", base + 2) if e.index in self.decorated else None

    def _loop_room(self, e: Expr) -> int:
        """Vectors for what a loop takes from outside, its counter, and its result."""
        return (len(e.args) + 1) * self._slot_vectors + 3

    def _loop(self, e: Expr) -> None:
        """Write what the body takes from outside into memory, call the loop, read its result."""
        L, body = self.lanes, loop_body(e)
        kind: Kind = "points" if self.kind == "points" else "decorated" if e.index in self.decorated else "interval"
        name = f"loop{e.index}{kind}"
        if name not in self.module.functions:
            _Lowering(self.module, outline([body]), kind, name, inside=True).run()
            self.module.add(name, loop_function(self.module.lanes(), name, e, vectors(kind)[1], self._slot_vectors))
        # Behind the slots, where every loop has its turn.
        captured, result = (L.emit(f"getelementptr inbounds {L.vector}, ptr %s, i64 {at}") for at in
                            (self._after_slots, self._after_slots + self._loop_room(e) - 3))
        for k, a in enumerate(e.args):
            for j, value in enumerate(self.values[a.index]):
                L.store(captured, k * self._slot_vectors + j, value)
            if kind != "points":
                L.store(captured, k * self._slot_vectors + 2, self.levels[a.index] or L.const(3.0))
        L.lines.append(f"  call void @{name}(ptr %x, ptr %p, ptr {result}, ptr {captured})")
        self.values[e.index] = tuple(L.load(result, k) for k in range(self._value_vectors))
        self.levels[e.index] = L.load(result, 2) if kind == "decorated" else None


class _Slots:
    """The values that cross from chunk to chunk, and the memory slot in which each one waits.

    For every chunk: `read` (values to load), `written` (values to store) and `leaves` (to write again).
    """

    def __init__(self, chunks: Sequence[Sequence[Expr]], leaf: Callable[[Expr], bool],
                 uses: Callable[[Expr], Sequence[Expr]] = lambda e: e.args) -> None:
        where = {e.index: k for k, chunk in enumerate(chunks) for e in chunk}
        last_use = dict(where)
        self.read: list[list[Expr]] = []
        self.leaves: list[list[Expr]] = []
        for k, chunk in enumerate(chunks):
            used = [a for e in chunk for a in uses(e)]
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


def _runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending numbers as ranges from begin to end."""
    cuts = [k for k in range(1, len(places)) if places[k] != places[k - 1] + 1]
    return [(places[a], places[b - 1] + 1) for a, b in zip([0, *cuts], [*cuts, len(places)], strict=True)] if places else []
