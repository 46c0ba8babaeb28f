"""Logs of the first contact of meshes: sets of triangles are halved, and spans of time, until a direction tells them apart.

Directions are found in doubles; what the checker makes of them decides.
"""

import itertools
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from flint import arb

from codegen.given import expression

from ..answers.contacts import Contacts, Status
from ..bodies.mesh import Mesh
from ..moment.start import Start
from .checker.problem import Box, Case, Part, above
from .checker.rules import side
from .log import Alive, Log
from .statement import named, written
from .trees import Stuck, short
from .triangles import Triangles

# By how much less than what the search found a log proves, as parts of the time span; the most steps, and the shortest span of time.
_GAPS, _MOST, _SHORTEST = (2.0**-30, 2.0**-20, 2.0**-10), 100_000, 2.0**-45
# How long after a contact surfaces are seen to cross.
_LATER = (2.0**-30, 2.0**-20, 2.0**-14, 2.0**-10)
# Directions are rounded to so many parts of their length.
_DIGITS = 2.0**20


class MeshLog(Log):
    """Of meshes alone, each with a motion; `found` tells `status`, `clear_until`, `time`, and of each contact `pairs` and `points`."""

    def __init__(self, path: str | os.PathLike[str], meshes: Sequence[Mesh], motions: Sequence[Any], time: Sequence[Any],
                 span: tuple[float, float]) -> None:
        super().__init__(path)
        self.span, self.meshes = span, [*map(Triangles, meshes, motions)]
        rows = [row for k, mesh in enumerate(self.meshes) for row in mesh.rows(k)]
        self.texts = written([("variable t", list(map(expression, time))), *rows])

    def claims(self, found: Any, alive: Alive) -> list[str]:
        pairs = set(itertools.combinations(range(len(self.meshes)), 2))
        states = dict(found.start.items()) if hasattr(found, "start") else dict.fromkeys(pairs, Start.DISJOINT)
        left = sorted(pair for pair in pairs if states.get(pair) is not Start.DISJOINT and pair not in getattr(found, "undecided", ()))
        if len(left) == len(pairs):
            self.said = ["no two bodies are proved apart at the beginning."]
            return []
        self.begin(["question contact", *self.texts, *(f"except {i} {j}" for i, j in left)])
        return [*self._cleared(found, alive), *self._met(found)]

    def _cleared(self, found: Any, alive: Alive) -> list[str]:
        apart, begin = found.status is Status.NO_CONTACT, self.begins
        for gap in _GAPS:
            until = above(arb(self.span[1])) if apart else min(found.clear_until, self.span[1]) - gap * (self.span[1] - self.span[0])
            try:
                self.used = 0
                lines = [line for a, b in self.problem.tuples() if begin < until for line in (
                    self.pair(a, b, until, [*self._tree(a, b, (begin, until), alive)]))]
            except Stuck:
                continue
            if lines:
                told = until if apart else math.nextafter(until, -math.inf)
                self.said.append(f"that there is no contact until t = {told!r}")
                return [f"none {told.hex()}", *lines]
        return []

    # -- trees ----------------------------------------------------------------------------------------------------

    def _tree(self, a: Part, b: Part, span: tuple[float, float], alive: Alive) -> Iterator[str]:
        stack = [(a, b, span)]
        while stack:
            first, second, (lo, hi) = stack.pop()
            self.used += 1
            if self.used > _MOST or not alive():
                raise Stuck
            step = self._step(first, second, (lo, hi))
            middle = 0.5 * (lo + hi)
            if step:
                yield step
            elif self._moves(first, second, (lo, hi)):
                if hi - lo < _SHORTEST * (self.span[1] - self.span[0]) or not lo < middle < hi:
                    raise Stuck
                yield f"s {len(self.problem.ranges(Case((first, second)))) - 1} {short(middle)}"
                stack += [(first, second, (middle, hi)), (first, second, (lo, middle))]
            else:
                larger = int(self._size(second) > self._size(first) or first[2] - first[1] == 1)
                if second[2] - second[1] == 1:
                    larger = 0
                k, i, j = (first, second)[larger]
                yield f"h {larger}"
                halves = (k, (i + j) // 2, j), (k, i, (i + j) // 2)
                stack += [(first, half, (lo, hi)) if larger else (half, second, (lo, hi)) for half in halves]

    def _step(self, a: Part, b: Part, span: tuple[float, float]) -> str | None:
        """A step that tells two parts apart, if the checker finds so."""
        first, second = (self._points(part, 0.5 * sum(span)) for part in (a, b))
        ways = _ways(first, second)
        one, other = ways @ first.T, ways @ second.T
        gaps = np.concatenate([one.min(axis=1) - other.max(axis=1), other.min(axis=1) - one.max(axis=1)])
        best = int(gaps.argmax())
        if not gaps[best] > 0:
            return None
        way = np.concatenate([ways, -ways])[best]
        weights = [*(np.round(_DIGITS * way) / _DIGITS).tolist(), *_multipliers(a, way, first), *_multipliers(b, -way, second)]
        box: Box = (*self.domain(Case((a, b)), span),)
        follows = self.problem.system(Case((a, b))).excludes([side(*ends) for ends in box], [arb(w) for w in weights])
        return " ".join(["n", *map(short, weights)]) if follows else None

    def _points(self, part: Part, moment: float) -> np.ndarray:
        """Corners at a time: of a triangle, or of the box round several."""
        k, i, j = part
        now = self.meshes[k].in_frame(i, j, moment).reshape(-1, 3)
        if j - i > 1:
            now = np.array([*itertools.product(*np.stack([now.min(axis=0), now.max(axis=0)]).T)])
        return self.meshes[k].moved(now, moment)

    def _size(self, part: Part) -> float:
        k, i, j = part
        return float(np.ptp(self.meshes[k].corners[i:j].reshape(-1, 6)[:, :3], axis=0).max())

    def _moves(self, a: Part, b: Part, span: tuple[float, float]) -> bool:
        """Do two parts move farther against each other than they are large? Triangles are not halved, whatever they do."""
        if max(a[2] - a[1], b[2] - b[1]) == 1:
            return True
        way = np.diff([self._points(a, moment).mean(axis=0) - self._points(b, moment).mean(axis=0) for moment in span], axis=0)
        return bool(np.abs(way).max() > 2 * max(self._size(a), self._size(b)))

    # -- contacts -------------------------------------------------------------------------------------------------

    def _met(self, found: Any) -> list[str]:
        """Near a contact two triangles have a point in common a little later."""
        if found.status is not Status.CONTACT or found.time is None:
            return []
        for after in _LATER:
            moment = found.time[1] + after * (self.span[1] - self.span[0])
            for (i, j), point in zip(*_contacts(found), strict=True):
                for (p, _), (q, _) in itertools.product(*(self.meshes[k].nearest(point, moment) for k in (i, j))):
                    a, b = (i, *p), (j, *q)
                    line = self.solution(Case((a, b)), [1 / 3] * 4, 0.5, moment)
                    if line:
                        self.said.append(f"that there is one at t = {moment!r}")
                        return [f"some {named(a)} {named(b)}", line]
        return []


def _contacts(found: Any) -> tuple[list[list[int]], np.ndarray]:
    """Pairs of meshes that meet, and where."""
    return (found.pairs[:2].tolist(), found.points[:2]) if isinstance(found, Contacts) else ([[0, 1]], found.point[None])


def _ways(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Directions that may tell two triangles or boxes apart: normals, products of edges, and what lies between the middles."""
    edges = [np.stack([p[1] - p[0], p[2] - p[0], p[2] - p[1] if len(p) == 3 else p[4] - p[0]]) for p in (first, second)]
    normals = [np.cross(e, np.roll(e, 1, axis=0)) for e in edges]
    crossed = np.cross(edges[0][:, None], edges[1][None]).reshape(-1, 3)
    beside = [np.cross(e, n) for e, n in zip(edges, normals, strict=True)]
    ways = np.concatenate([*normals, crossed, *beside, (first.mean(axis=0) - second.mean(axis=0))[None]])
    length = np.linalg.norm(ways, axis=1)
    return np.asarray(ways[length > 0] / length[length > 0, None])


def _multipliers(part: Part, way: np.ndarray, points: np.ndarray) -> list[float]:
    """The weight of the condition that a place is within a triangle, for its least height to be that of a corner."""
    if part[2] - part[1] > 1:
        return []
    heights = (points - points[0]) @ way
    return [float(max(0.0, -heights[1:].min()))]
