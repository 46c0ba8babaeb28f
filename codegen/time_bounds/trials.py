"""Kernels that try directions one after the other, for the latest time before which there is no contact.

What all directions share waits in scratch memory, at ``%s``. One function inside the kernel tries a direction, at ``%n``, and lowers
`best`, which is minus the largest advance in time so far.
"""

import math
from collections.abc import Sequence

from ..emit.lanes import Lanes, Module
from .step import Ball, Value, Vector, unbounded


class DirectionTrials:
    """Writes such a kernel. Vectors wait by name in the scratch memory; what a direction is worth, `one_direction` says."""

    def __init__(self) -> None:
        self._place: dict[str, tuple[int, int]] = {}
        self._room = 0
        self.put(best=1, curved=2, finite=1)

    def put(self, **lengths: int) -> None:
        """Room for vectors of these lengths."""
        for name, length in lengths.items():
            self._place[name] = self._room, length
            self._room += length

    def put_balls(self, **lengths: int) -> None:
        for name, length in lengths.items():
            self.put(**{name: length, "rho" + name: length})

    def load(self, L: Lanes, name: str) -> Vector:
        start, length = self._place[name]
        return [L.load("%s", start + i) for i in range(length)]

    def number(self, L: Lanes, name: str, k: int = 0) -> Value:
        """Entry k of a vector."""
        return L.load("%s", self._place[name][0] + k)

    def ball(self, L: Lanes, name: str) -> Ball:
        return self.load(L, name), self.load(L, "rho" + name)

    def store(self, L: Lanes, name: str, values: Sequence[Value], start: int = 0) -> None:
        for i, value in enumerate(values):
            L.store("%s", self._place[name][0] + start + i, value)

    def store_ball(self, L: Lanes, name: str, ball: Ball) -> None:
        self.store(L, name, ball[0])
        self.store(L, "rho" + name, ball[1])

    def begin(self, L: Lanes, apart: Value) -> None:
        """No direction has been tried, and `finite` is there; lanes where there is no contact at all advance for ever."""
        self.store(L, "curved", [unbounded(L, self.number(L, "finite")), L.const(1.0)])
        self.store(L, "best", [L.select(apart, L.const(-math.inf), L.const(0.0))])

    def improve(self, L: Lanes, valid: Value, advance: Value, curved: Vector) -> Value:
        """Keep an advance, negated, where it is valid and the largest so far (returned), and the part of the gap that the second derivative
        used up, with the gap.
        """
        best = self.number(L, "best")
        advance = L.select(valid, advance, L.const(0.0))
        better = L.lt(advance, best)
        self.store(L, "best", [L.select(better, advance, best)])
        self.store(L, "curved", [L.select(better, x, kept) for x, kept in zip(curved, self.load(L, "curved"), strict=True)])
        return better

    def share_used(self, L: Lanes) -> Value:
        """About which share of the gap the second derivative used up in the best direction."""
        return L.div(*self.load(L, "curved"))

    def one_direction(self, L: Lanes, n: Vector) -> None:
        """Lower `best` by direction n."""
        raise NotImplementedError

    def try_all(self, module: Module, L: Lanes, directions: Sequence[Vector], pointers: Sequence[str] = ()) -> None:
        """Try directions, with `pointers` among the arguments of the kernel passed on. Called once, when all vectors have their places."""
        m = len(directions[0])
        inner, names = module.lanes(), [*pointers, "%s", "%n"]
        self.one_direction(inner, [inner.load("%n", i) for i in range(m)])
        module.add("direction", f"define internal void @direction({', '.join(f'ptr noalias {name}' for name in names)}) #2 {{\n"
                   + "\n".join(inner.lines) + "\n  ret void\n}")
        self.put(directions=m * len(directions))
        L.lines.insert(0, f"  %s = alloca {L.vector}, i64 {self._room}, align 64")
        for k, direction in enumerate(directions):
            self.store(L, "directions", direction, m * k)
        for k in range(len(directions)):
            at = L.emit(f"getelementptr {L.vector}, ptr %s, i64 {self._place['directions'][0] + m * k}")
            L.lines.append(f"  call void @direction({', '.join(f'ptr {name}' for name in [*names[:-1], at])})")
