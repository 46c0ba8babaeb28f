"""Contractors as code: boxes narrowed by relations that are joined by "and" and "or", again and again until little changes.

A part of a formula is a function ``(x, p, flag)``, as those of `backward`: the block of boxes x shrinks in place and loses no point that
satisfies the part; the flag becomes 0.0 in lanes where there is none. Relations that must all hold share one forward-backward pass.
"And" is one part after the other; of "or" every part narrows a copy of the box, and the hull of what is left is kept.

A relation holds where both of its sides are defined and it is true. A relation that must *fail* does so too where a side is undefined,
so its opposite narrows a box only if both sides are proved to be defined on all of it: what is cut off then is proved to satisfy it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..emit.batch import add_batch, add_block
from ..emit.lanes import Kind, Lanes, Module
from ..emit.room import add_with_room, is_large, vector_bytes
from ..emit.translate import Translation, Values
from ..graph.binders import BINDERS, unroll
from ..graph.expr import Expr, reachable
from ..graph.quadrature import expand
from .backward import Narrowing, Value
from .inverses import RULES
from .shaving import EXACT

# Operations of one pass, which is written as one function: beyond, it takes seconds to compile.
LIMIT = 1500
# A box is narrowed again while some side has become shorter by this part of it.
RATIO = 0.1

_ARGUMENTS = "ptr {0}, ptr %p, ptr {1}"


@dataclass(frozen=True)
class Relation:
    """``first <= second``, ("le", "lt"; ``first = second``: "eq"), of nodes of one graph; that it holds, or that it fails."""

    op: str
    first: Expr
    second: Expr
    holds: bool = True

    @property
    def sides(self) -> tuple[Expr, Expr]:
        return self.first, self.second


@dataclass(frozen=True)
class All:
    """All parts hold; without parts, always."""

    parts: "tuple[Part, ...]"


@dataclass(frozen=True)
class Some:
    """Some part holds; without parts, never."""

    parts: "tuple[Part, ...]"


Part = Relation | All | Some


def relations(part: Part) -> list[Relation]:
    """All relations of a formula, from left to right."""
    return [part] if isinstance(part, Relation) else [r for p in part.parts for r in relations(p)]


def too_long(r: Relation) -> bool:
    """Whether a relation has more operations than a pass may have."""
    return len(_written(r.sides)) > LIMIT


def _written(sides: Sequence[Expr]) -> list[Expr]:
    """The operations of a pass."""
    return reachable(unroll(expand(sides, "rigorous")) if _binds(sides) else sides)


def _binds(sides: Sequence[Expr]) -> bool:
    return any(e.op in BINDERS for e in reachable(sides))


def write(module: Module, part: Part, variables: int, parameters: int, rounds: int, entry: str) -> str:
    """The text of a module with the entry "block" or "batch" (see `batch`): boxes in, contracted ones out, NaN where nothing is left."""
    writer = _Writer(module, variables)
    writer.body(writer.part(part), rounds)
    if entry == "block":
        add_block(module)
    else:
        add_batch(module, "interval", variables, parameters, variables)
    return module.text()


class _Writer:
    """Adds functions to a module, each with a name of its own."""

    def __init__(self, module: Module, variables: int) -> None:
        self.module, self.ends, self.count = module, 2 * variables, 0

    def part(self, part: Part) -> str:
        """Adds the function of a part; its name."""
        if isinstance(part, Some):
            return self._some([self.part(p) for p in part.parts])
        return self._all(part.parts if isinstance(part, All) else (part,))

    def _named(self) -> str:
        self.count += 1
        return f"part{self.count}"

    def _add(self, name: str, parameters: str, lines: Sequence[str]) -> str:
        body = "\n".join(lines)
        self.module.add(name, f"define internal void @{name}({parameters}) #2 {{\nstart:\n{body}\n  ret void\n}}")
        return name

    # -- and, or ------------------------------------------------------------------------------------------------------

    def _all(self, parts: Sequence[Part]) -> str:
        holding = [p for p in parts if isinstance(p, Relation) and p.holds]
        others = [p for p in parts if not (isinstance(p, Relation) and p.holds)]
        names = [self._pass(group) for group in _grouped(holding)]
        names += [self._pass([p]) if isinstance(p, Relation) else self.part(p) for p in others]
        return self._add(self._named(), _ARGUMENTS.format("%x", "%flag"), [_call(name, "%x", "%flag") for name in names])

    def _some(self, names: Sequence[str]) -> str:
        """In the room: a copy of the box, the hull of what was left of it so far, and the flag of the copy."""
        L, name, ends = self.module.lanes(), self._named(), self.ends
        L.lines += ["  br label %enter", "enter:", f"  %hull = getelementptr {L.vector}, ptr %room, i64 {ends}",
                    f"  %own = getelementptr {L.vector}, ptr %room, i64 {2 * ends}"]
        given, found, block = L.load("%flag", 0), L.mask_const(False), "enter"
        for k, inner in enumerate(names):
            block = _each(L, f"copy{k}", block, ends, lambda at: L.store("%room", at, L.load("%x", at)))
            L.store("%own", 0, given)
            L.lines.append(_call(inner, "%room", "%own"))
            alive = L.gt(L.load("%own", 0), L.const(0.5))

            def join(at: str, alive: Value = alive, found: Value = found) -> None:
                new, old = L.load("%room", at), L.load("%hull", at)
                L.store("%hull", at, L.select(alive, L.select(found, L.max(old, new), new), old))

            block = _each(L, f"join{k}", block, ends, join)
            found = L.either(found, alive)
        _each(L, "write", block, ends, lambda at: L.store("%x", at, L.select(found, L.load("%hull", at), L.load("%x", at))))
        L.store("%flag", 0, L.select(found, given, L.const(0.0)))
        size = vector_bytes(L, 2 * ends + 1)
        # Where memory is refused nothing is narrowed, here and below.
        add_with_room(self.module, name, _ARGUMENTS.format("%x", "%flag"), size, is_large(size), L.lines)
        return name

    # -- relations ----------------------------------------------------------------------------------------------------

    def _pass(self, group: Sequence[Relation]) -> str:
        sweep = _Pass(self.module, [e for r in group for e in r.sides], "interval" if group[0].holds else "decorated")
        for r in group:
            sweep.require(r)
        sweep.narrow()
        sweep.store()
        return self._add(self._named(), _ARGUMENTS.format("noalias %x", "noalias %flag").replace("%p", "noalias %p"), sweep.L.lines)

    # -- the loop -----------------------------------------------------------------------------------------------------

    def body(self, name: str, rounds: int) -> None:
        """The function ``body(x, p, out)``: `name` on a copy, up to `rounds` times. A lane that has come to rest stays as it is.

        In the room: the flag, what moved in a round, and the box before it.
        """
        L, ends = self.module.lanes(), self.ends
        L.lines += ["  br label %enter", "enter:", f"  %flag = getelementptr {L.vector}, ptr %room, i64 0",
                    f"  %moved = getelementptr {L.vector}, ptr %room, i64 1", f"  %old = getelementptr {L.vector}, ptr %room, i64 2"]
        L.store("%flag", 0, L.const(1.0))
        block = _each(L, "copy", "enter", ends, lambda at: L.store("%out", at, L.load("%x", at)))
        L.lines += ["  br label %round", "round:", f"  %turn = phi i64 [ 0, %{block} ], [ %next, %last ]",
                    f"  %active = phi {L.mask} [ {L.mask_const(True)}, %{block} ], [ %going, %last ]"]
        block = _each(L, "save", "round", ends, lambda at: L.store("%old", at, L.load("%out", at)))
        alive = L.load("%flag", 0)
        L.lines.append(_call(name, "%out", "%flag"))
        L.store("%moved", 0, L.const(0.0))
        _each(L, "settle", block, ends // 2, lambda at: self._settle(L, at))
        L.store("%flag", 0, L.select("%active", L.load("%flag", 0), alive))
        going = L.both(L.gt(L.load("%moved", 0), L.const(0.5)), L.gt(L.load("%flag", 0), L.const(0.5)))
        L.lines += ["  br label %last", "last:", f"  %going = and {L.mask} {going}, %active", "  %next = add i64 %turn, 1",
                    f"  %early = icmp slt i64 %next, {rounds}", f"  %again = and i1 %early, {_any(L, '%going')}",
                    "  br i1 %again, label %round, label %ended", "ended:"]
        empty, nan = L.lt(L.load("%flag", 0), L.const(0.5)), L.const(float("nan"))
        _each(L, "write", "ended", ends, lambda at: L.store("%out", at, L.select(empty, nan, L.load("%out", at))))
        size = vector_bytes(L, ends + 2)
        lines, L.lines = L.lines, []
        _each(L, "keep", "refused", ends, lambda at: L.store("%out", at, L.load("%x", at)))
        add_with_room(self.module, "body", "ptr %x, ptr %p, ptr %out", size, is_large(size), lines, L.lines)

    @staticmethod
    def _settle(L: Lanes, variable: str) -> None:
        """Keep what lanes at rest had; note in %moved where a side has become shorter by `RATIO`, or an infinite end finite."""
        infinity, moved, new, old = L.const(float("inf")), L.mask_const(False), list[Value](), list[Value]()
        first = L.emit(f"mul i64 {variable}, 2")
        for at in (first, L.emit(f"add i64 {first}, 1")):
            old.append(L.load("%old", at))
            new.append(L.select("%active", L.load("%out", at), old[-1]))
            L.store("%out", at, new[-1])
            moved = L.either(moved, L.both(L.eq(old[-1], infinity), L.lt(new[-1], infinity)))
        moved = L.either(moved, L.lt(L.add(*new), L.mul(L.const(1.0 - RATIO), L.add(*old))))
        L.store("%moved", 0, L.select(moved, L.const(1.0), L.load("%moved", 0)))


def _each(L: Lanes, name: str, before: str, count: int, body: Callable[[str], None]) -> str:
    """A loop: the body for every number below `count` (at least 1), after the block `before`; the block that comes then."""
    L.lines += [f"  br label %{name}", f"{name}:", f"  %{name}.k = phi i64 [ 0, %{before} ], [ %{name}.next, %{name} ]"]
    body(f"%{name}.k")
    L.lines += [f"  %{name}.next = add i64 %{name}.k, 1", f"  %{name}.more = icmp slt i64 %{name}.next, {count}",
                f"  br i1 %{name}.more, label %{name}, label %{name}.done", f"{name}.done:"]
    return f"{name}.done"


def _call(name: str, x: str, flag: str) -> str:
    return f"  call void @{name}({_ARGUMENTS.format(x, flag)})"


def _any(L: Lanes, mask: Value) -> Value:
    name = f"llvm.vector.reduce.or.v{L.width}i1"
    L.intrinsics.setdefault(name, f"declare i1 @{name}({L.mask})")
    return L.emit(f"call i1 @{name}({L.mask} {mask})")


def _grouped(holding: Sequence[Relation]) -> list[list[Relation]]:
    """Relations that share a pass, none of which is too long."""
    groups: list[list[Relation]] = []
    for r in holding:
        if groups and len(_written([e for other in (*groups[-1], r) for e in other.sides])) <= LIMIT:
            groups[-1].append(r)
        else:
            groups.append([r])
    return groups


class _Pass(Narrowing, Translation):
    """The code of one forward-backward pass; `box` holds the present enclosure of every node (see `backward`)."""

    def __init__(self, module: Module, sides: Sequence[Expr], kind: Kind) -> None:
        # What encloses an integral is no value of a formula at a point: then the pass only tells boxes without solutions.
        self._closed = _binds(sides)
        self.sides = list(sides)
        expanded = unroll(expand(sides, "rigorous")) if self._closed else self.sides
        super().__init__(expanded, kind)
        self.module, self.L = module, module.lanes()
        self.changed, self.steps = set(), EXACT
        self.empty = self.L.mask_const(False)
        for e in self.order:
            self.node(e)
        self.box = self.values
        self.side = {a.index: b for a, b in zip(self.sides, expanded, strict=True)}
        self.live = {e.index: None for e in expanded}

    # -- forward ------------------------------------------------------------------------------------------------------

    def number(self, x: float) -> Value:
        return self.L.const(x)

    def input(self, e: Expr) -> Values:
        pointer = "%x" if e.op == "variable" else "%p"
        return self.L.load(pointer, 2 * e.value), self.L.load(pointer, 2 * e.value + 1)

    def apply(self, name: str, emit: Callable[..., Any], *args: Value, short: bool = False) -> Values:
        return tuple(emit(self.L, *args)) if short else self.module.call(self.L, name, emit, *args)

    # -- backward -----------------------------------------------------------------------------------------------------

    def require(self, r: Relation) -> None:
        """Narrow the sides by what must be true of them."""
        infinity, op = self.L.const(float("inf")), r.op
        first, second = (self.side[e.index] for e in r.sides)
        if not r.holds:
            if op in ("eq", "ne"):
                op = "eq" if op == "ne" else "ne"
            else:
                first, second = second, first
        if op == "eq":
            self.meet(first, self.box[second.index])
            self.meet(second, self.box[first.index])
        elif op != "ne":
            self.meet(first, (infinity, self.box[second.index][1]))
            self.meet(second, (self.box[first.index][0], infinity))

    def narrow(self) -> None:
        for e in reversed(self.order):
            self.undo(e, RULES, not (self._closed or self.constant[e.index]))

    def store(self) -> None:
        """Write the variables where something is left, and the flag; nothing where a relation must fail and a side may be undefined."""
        L, kept = self.L, self.L.mask_const(False)
        for level in [self.levels[e.index] for e in self.outputs] if self.kind == "decorated" else ():
            kept = kept if level is None else L.either(kept, L.lt(level, L.const(0.5)))
        empty = L.both(self.empty, L.invert(kept))
        for e in self.order:
            if e.op == "variable" and e.index in self.changed:
                for side, new in enumerate(self.box[e.index]):
                    at = 2 * e.value + side
                    L.store("%x", at, L.select(L.either(self.empty, kept), L.load("%x", at), new))
        L.store("%flag", 0, L.select(empty, L.const(0.0), L.load("%flag", 0)))
