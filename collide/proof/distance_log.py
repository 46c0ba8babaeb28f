"""Logs of `distance` and `clearance`: how far surfaces are from each other at least, and how near they come."""

import itertools
import os
from collections.abc import Sequence
from typing import Any

from ..answers.distances import Clearance, Distance, DistanceStatus
from .checker.problem import Case, Part
from .log import Alive, Log
from .statement import Ranges, named, stated
from .trees import Stuck

# By which part of the distance a log proves less than the search, and the most steps of a tree then.
_GAPS = ((0.0, 20_000), (2.0**-30, 40_000), (2.0**-20, 40_000), (2.0**-14, 60_000), (2.0**-10, 80_000), (2.0**-7, 100_000))


class DistanceLog(Log):
    def __init__(self, path: str | os.PathLike[str], bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float],
                 ignored: Sequence[tuple[int, int]], ranges: Ranges) -> None:
        super().__init__(path)
        self.span, self.ranges, self.statement = span, ranges, stated("distance", bodies, time, span, ignored, ranges)

    def claims(self, found: Distance, alive: Alive) -> list[str]:
        if found.status in (DistanceStatus.MEETING, DistanceStatus.NOWHERE):
            self.said = ["the surfaces meet." if found.status is DistanceStatus.MEETING else "a body has no surface."]
            return []
        self.begin(self.statement.lines)
        return [*self._farther(found, alive), *self._nearer(found)]

    def _farther(self, found: Distance, alive: Alive) -> list[str]:
        pairs = {(int(i), int(j)) for i, j in found.pairs} if isinstance(found, Clearance) else set()
        for gap, most in _GAPS:
            least = found.bracket.lo * (1 - gap)
            if not least > 0:
                return []
            try:
                trees = {(a, b): self.tree(Case((a, b), least), most, alive) for a, b in self.pairs(pairs)}
            except Stuck:
                continue
            self.said.append(f"that the distance is greater than {least!r}")
            return [f"none {least.hex()}", *(line for _, tree in sorted(trees.items()) for line in tree)]
        return []

    def _nearer(self, found: Distance) -> list[str]:
        """A pair of points at most this far from each other."""
        for gap, _ in _GAPS[1:]:
            most = found.bracket.hi * (1 + gap)
            for k in range(min(len(found), 4) if most < float("inf") else 0):
                lines = self._near_pair(found, k, most)
                if lines:
                    self.said.append(f"that it is at most {most!r} somewhere")
                    return lines
        return []

    def _near_pair(self, found: Distance, k: int, most: float) -> list[str]:
        box = dict(zip(found.variables[k], found.boxes[k].mean(axis=1).tolist(), strict=True))
        bodies = found.pairs[k].tolist() if isinstance(found, Clearance) else [0, 1]
        time = float(found.times[k].mean()) if isinstance(found, Clearance) else self.span[0]
        time = min(max(time, self.span[0]), self.span[1])
        values = [0.5 * sum(found.parameters[k][s]) for s in self.ranges]
        places = [self._places(body, side, found, k, box, time) for side, body in enumerate(bodies)]
        for (a, near), (b, other) in itertools.product(*places):
            line = self.solution(Case((a, b), most), [*near, *other, *values], 0.0, time)
            if line:
                return [f"some {most.hex()} {named(a)} {named(b)}", line]
        return []

    def _places(self, body: int, side: int, found: Distance, k: int, box: dict[str, float], time: float) -> list[tuple[Part, list[float]]]:
        """Parts of a body on which its nearest point may be, and where, about."""
        own = self.statement.faces[body]
        if body in self.statement.meshes:
            return [((*own, *part), uv) for part, uv in self.statement.meshes[body].nearest(found.points[k, side], time)]
        return [((piece,), self._start(piece, side, found, k, box)) for piece in own]

    def _start(self, piece: int, side: int, found: Distance, k: int, box: dict[str, float]) -> list[float]:
        """The approximate place of the nearest point on a piece."""
        if self.problem.part((piece,)).rows["equation"]:
            return [float(x) for x in found.points[k, side]]
        names = [f"{letter}{side + 1}" for letter in "uv"]
        middle = [0.5 * (lo + hi) for lo, hi in self.ends(piece)]
        return [box.get(name, w) for name, w in zip(names, middle, strict=True)]

