"""Brackets of distances and clearances against samples of the surfaces: no two samples are nearer than the lower end, and the nearest ones
are no nearer than the upper end by more than what lies between samples.
"""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

import collide
from collide import DistanceStatus

from .compared import Scene, boundary
from .drawn import Array

MOMENTS, POINTS = 40, 30_000
# So far off the surfaces samples may be; and so much nearer than the nearest samples are points between them, against the size.
OFF, BETWEEN = 1e-5, 0.1


class Near(Scene):
    """Drawn bodies, at rest at a moment, or in the times from 0 to 1."""

    def __init__(self, kind: str, seed: int) -> None:
        super().__init__(kind, seed)
        rng = np.random.default_rng([seed, 1])
        self.span = (0.5, 0.5) if kind == "distances" else (0.0, 1.0)
        self.surfaces: list[Array] = [boundary(rng, shape, POINTS) for shape in self.shapes]

    def found(self, budget: float, log: Path | None = None) -> collide.Distance | collide.Clearance:
        bodies = [s.body.moved(f.motion) for s, f in zip(self.shapes, self.flights, strict=True)]
        if self.span[0] == self.span[1]:
            return collide.distance(*bodies[:2], at=self.span[0], budget=budget, log=log)
        return collide.clearance(bodies, self.span, budget=budget, log=log)

    def least(self) -> float:
        """The distance of the nearest samples."""
        pairs = [(0, 1)] if self.span[0] == self.span[1] else list(combinations(range(len(self.shapes)), 2))
        return min(self._least(i, j, moment) for moment in np.linspace(*self.span, 1 if self.span[0] == self.span[1] else MOMENTS)
                   for i, j in pairs)

    def _least(self, i: int, j: int, moment: float) -> float:
        first, second = (self.flights[k].world(self.surfaces[k], moment) for k in (i, j))
        return float(cKDTree(first).query(second)[0].min())


def wrong(scene: Near, answer: collide.Distance | collide.Clearance) -> Iterator[str]:
    least, size = scene.least(), max(s.radius for s in scene.shapes)
    if answer.bracket.lo > least + OFF:
        yield f"samples are {least!r} apart, less than {answer.bracket.lo!r}"
    if answer.status is DistanceStatus.MEASURED and answer.bracket.hi < least - OFF - BETWEEN * size:
        yield f"samples are {least!r} apart at least, far more than {answer.bracket.hi!r}"
    if answer.status is DistanceStatus.MEASURED:
        # Its own points are on the surfaces, and as far from each other.
        for points, (i, j), moment in zip(answer.points, _pairs(answer), _moments(answer), strict=True):
            off = max(abs(float(scene.shapes[k].inside(scene.flights[k].local(p[None], moment))[0]))
                      for k, p in zip((i, j), points, strict=True))
            if off > OFF or abs(np.linalg.norm(points[0] - points[1]) - answer.bracket.hi) > OFF:
                yield f"the points {points.tolist()} are {off:.3g} off bodies {i} and {j}, or not as near as {answer.bracket!r}"


def _pairs(answer: collide.Distance | collide.Clearance) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in answer.pairs] if isinstance(answer, collide.Clearance) else [(0, 1)] * len(answer)


def _moments(answer: collide.Distance | collide.Clearance) -> list[float]:
    return answer.times.mean(axis=1).tolist() if isinstance(answer, collide.Clearance) else [answer.moment] * len(answer)
