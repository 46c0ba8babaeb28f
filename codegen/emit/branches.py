"""Branches of choices in functions of their own, which run where some lane of a block takes them.

A branch holds the nodes that one side of choices by one condition needs and nothing else does (`where`, `restricted`, at points `either`).
It is left out of the order of a translation. Where the first of these choices is met, it is written as a function of the values that it
takes from outside, and called behind a test.
Results of lanes that do not take the side are not looked at by the choices, so no result depends on this.
"""

import hashlib
import heapq
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..graph.expr import BOOLEAN, Expr
from .lanes import Emit, Lanes
from .translate import Translation, Values

# A branch is worth a test and a call from so many steps on; a function counts as some of them. By measurement.
_WORTH, _FUNCTION = 8, 8
_STEPS = BOOLEAN | {"add", "sub", "neg", "mul", "div", "fma", "sqrt", "abs", "min", "max", "floor", "ceiling", "hull", "midpoint", "centre",
                    "constant", "undefined", "where", "choice", "restricted", "either", "guarded"}
# Operations that stay outside: inputs, and loops, which are written for a whole module.
_OUTSIDE = frozenset({"variable", "parameter", "captured", "bound", "loop"})
# Choices within choices that get functions of their own; deeper ones are computed with the branch.
_DEEPEST = 8


class Branch(NamedTuple):
    """Argument `side` of choices by one condition: `roots`, all `nodes` that are written in it, and those that it takes from `outside`."""

    side: int
    roots: list[Expr]
    nodes: list[Expr]
    outside: list[Expr]


class Branching(Translation):
    """A translation that writes branches as functions. `prefix`: of their names, in the module; `lanes`: writes the function at hand."""

    lanes: Lanes
    prefix: str
    depth = 0

    def divide(self) -> None:
        """Take the branches out of the order."""
        self.branches: dict[int, list[Branch]] = {}
        for together in (True, False) if self.depth < _DEEPEST else ():
            self.branches = _Division(self).branches(together)
            order = self._sorted()
            if order is not None:
                self.order = order
                break
        self.pairs = self._find_pairs()

    def _sorted(self) -> list[Expr] | None:
        """The order without the branches, each node after those that it uses; None if some wait for each other."""
        inside = {e.index for found in self.branches.values() for branch in found for e in branch.nodes if not self.alone(e)}
        left = {e.index: e for e in self.order if e.index not in inside}
        state: dict[int, bool] = {}
        order: list[Expr] = []
        for start in left.values():
            stack = [start]
            while stack:
                e = stack[-1]
                if e.index not in state:
                    state[e.index] = False
                    waits = [a for a in self.uses(e) if a.index in left and not state.get(a.index, False)]
                    if any(a.index in state for a in waits):
                        return None
                    stack += waits
                    continue
                stack.pop()
                if not state[e.index]:
                    state[e.index] = True
                    order.append(e)
        return order

    def alone(self, e: Expr) -> bool:
        """Whether a node is cheaper to write again than to pass on."""
        return (not e.args and e.op not in _OUTSIDE) or (self.kind != "points" and self.constant[e.index])

    def uses(self, e: Expr) -> list[Expr]:
        """The nodes whose values are needed where this one is written."""
        found = self.branches.get(e.index, [])
        roots = {a.index for branch in found for a in branch.roots}
        return [a for a in self.needed(e) if a.index not in roots] + [a for branch in found for a in branch.outside]

    def node(self, e: Expr) -> None:
        if e.index not in self.values:
            for branch in self.branches.get(e.index, ()):
                if branch.roots[0].index not in self.values:
                    self._take(e, branch)
        super().node(e)

    def _take(self, e: Expr, branch: Branch) -> None:
        given, shape = [], []
        for a in branch.outside:
            own, level = self.values[a.index], self.levels.get(a.index)
            shape.append((a.index, len(own), level is not None))
            given += [*own, *([] if level is None else [level])]
        said = branch.side, shape, [[a.index for a in own] for own in (branch.roots, branch.nodes)]
        name = f"{self.prefix}branch{hashlib.sha1(repr(said).encode(), usedforsecurity=False).hexdigest()}"
        made = iter(self.lanes.rarely(self._mask(e, branch.side), name,
                                      lambda L, *vectors: _Written(self, L, branch, _unpacked(shape, vectors)).made(), given,
                                      [self.lanes.const(0.0)] * sum(map(self._count, branch.roots)), cold=False))
        for root in branch.roots:
            self.values[root.index] = tuple(next(made) for _ in range(1 if self.kind == "points" else 2))
            self.levels[root.index] = next(made) if root.index in self.decorated else None

    def _count(self, e: Expr) -> int:
        """Vectors of a node, with its level."""
        return (1 if self.kind == "points" else 2) + (e.index in self.decorated)

    def _mask(self, e: Expr, side: int) -> str:
        """Where this argument of a choice counts: where the other one is not sure to be taken."""
        L = self.lanes
        if e.op == "either":
            near = L.lt(L.abs(self.values[e.args[3].index][0]), L.const(1.0))
            return near if side else L.invert(near)
        flags, half = self.values[e.args[0].index], L.const(0.5)
        if self.kind == "points":
            taken = L.gt(flags[0], half)
            return taken if side == 1 else L.invert(taken)
        return L.invert(L.gt(flags[1 if side == 1 else 0], half))


class _Written(Branching):
    """A branch, in a function of its own; all that is known of the graph is known of it."""

    def __init__(self, whole: Branching, L: Lanes, branch: Branch, given: dict[int, tuple[Values, str | None]]) -> None:
        vars(self).update(vars(whole))
        self.lanes, self.outputs, self.order, self.depth = L, branch.roots, branch.nodes, whole.depth + 1
        self.values = {index: values for index, (values, _) in given.items()}
        self.levels = {index: level for index, (_, level) in given.items()}
        self.divide()
        for e in self.order:
            self.node(e)

    def made(self) -> Values:
        """The vectors of all roots."""
        return tuple(v for root in self.outputs for v in (
            *self.values[root.index], *([self._level_of(root)] if root.index in self.decorated else [])))

    def number(self, x: float) -> str:
        return self.lanes.const(x)

    def apply(self, name: str, emit: Emit, *args: str, short: bool = False) -> Values:
        return tuple(emit(self.lanes, *args)) if short else self.lanes.called(name, emit, *args)


def _unpacked(shape: Iterable[tuple[int, int, bool]], vectors: Sequence[str]) -> dict[int, tuple[Values, str | None]]:
    left, found = list(vectors), {}
    for index, count, leveled in shape:
        own, left = tuple(left[:count]), left[count:]
        found[index] = own, left.pop(0) if leveled else None
    return found


class _Division:
    """Finds the branches in the order of a translation."""

    def __init__(self, whole: Branching) -> None:
        self.order, self.needed, self.alone = whole.order, whole.needed, whole.alone
        self.users = Counter(a.index for e in self.order for a in self.needed(e))
        self.users.update(e.index for e in whole.outputs)
        self.present = {e.index for e in self.order}

    def branches(self, together: bool) -> dict[int, list[Branch]]:
        """Those worth a function, by the index of each of their choices. `together`: of choices by one condition."""
        groups: dict[tuple[int, ...], list[Expr]] = {}
        for e in self.order:
            for key in self._sides(e, together):
                groups.setdefault(key, []).append(e)
        found: dict[int, list[Branch]] = {}
        inside: set[int] = set()
        for e in reversed(self.order):
            for key in self._sides(e, together) if e.index not in inside else ():
                choices = [a for a in groups.pop(key, []) if a.index not in inside]
                branch = self._branch(key[1], choices)
                if branch is not None:
                    inside.update(a.index for a in branch.nodes if not self.alone(a))
                    for a in choices:
                        found.setdefault(a.index, []).append(branch)
        return found

    def _sides(self, e: Expr, together: bool) -> list[tuple[int, ...]]:
        """The sides of a choice, each as what it is chosen by and which argument it is."""
        sides = {"where": (1, 2), "restricted": (1,), "either": (0, 1)}.get(e.op, ())
        if sides and e.op == "either" and e.args[3] not in self.needed(e):
            return []
        by = e.args[3 if e.op == "either" else 0].index if sides else 0
        return [(by, side, e.op == "either") if together else (by, side, e.op == "either", e.index) for side in sides]

    def _branch(self, side: int, choices: Sequence[Expr]) -> Branch | None:
        edges = Counter(e.args[side].index for e in choices)
        roots = {e.args[side].index: e.args[side] for e in choices if self._movable(e.args[side])}
        own = self._own(roots, edges)
        if sum(1 if a.op in _STEPS else _FUNCTION for a in own.values()) < _WORTH:
            return None
        taken = {a.index: a for e in own.values() for a in self.needed(e) if a.index not in own}
        again = {index: a for index, a in taken.items() if self.alone(a)}
        nodes = own | again
        return Branch(side, [e for index, e in roots.items() if index in own], [nodes[k] for k in sorted(nodes)],
                      [taken[k] for k in sorted(taken) if k not in again])

    def _movable(self, e: Expr) -> bool:
        return e.index in self.present and e.op not in _OUTSIDE and not self.alone(e)

    def _own(self, roots: dict[int, Expr], uses: Counter[int]) -> dict[int, Expr]:
        """The nodes that nothing but these edges to roots needs, by index: users come before what they use."""
        own: dict[int, Expr] = {}
        waiting, seen = [(-e.index, e) for e in roots.values()], set(roots)
        heapq.heapify(waiting)
        while waiting:
            _, e = heapq.heappop(waiting)
            if uses[e.index] != self.users[e.index]:
                continue
            own[e.index] = e
            for a in self.needed(e):
                uses[a.index] += 1
                if a.index not in seen and self._movable(a):
                    seen.add(a.index)
                    heapq.heappush(waiting, (-a.index, a))
        return own
