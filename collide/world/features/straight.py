"""Points, edges and flat faces as parts of bodies that can touch; curved faces are in `smooth`."""

import functools
from dataclasses import dataclass, field

import numpy as np
import sympy as sp

from codegen.kernel import compile
from generative import u, v

from ...bodies.cells import Parametric
from ..motion.rotation import frame
from ..shapes.simple import Flat, outside
from .local_geometry import LocalGeometry, away, least, lows, units

# Cells of an edge, from whose middles places are found.
_CELLS = 32
# Normals that are out by no more are one.
_SAME = 1e-12
# An edge is measured by so many chords for each point that is asked for; and steps of Newton's method.
_FINE, _NEWTON = 8, 6


@dataclass(frozen=True, eq=False)
class CornerPoint:
    """A point, as of a corner, where faces with these normals meet, or in the middle of a ball."""

    point: np.ndarray
    outward: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))

    dimension, straight, spacing = 0, True, 0.0

    @property
    def points(self) -> np.ndarray:
        return self.point[None]

    def jet(self, at: np.ndarray) -> LocalGeometry:
        m = len(at)
        return LocalGeometry(np.broadcast_to(self.point, (m, 3)), np.empty((m, 0, 3)), np.empty((m, 0, 0, 3)), np.zeros((m, 3)))

    def moved(self, at: np.ndarray, by: np.ndarray) -> np.ndarray:
        return at

    def beyond(self, at: np.ndarray) -> np.ndarray:
        return np.full(len(at), -np.inf)

    def start(self, which: np.ndarray) -> np.ndarray:
        return np.empty((len(which), 0))

    def normals(self, at: np.ndarray) -> np.ndarray:
        return self.outward

    def heights(self, points: np.ndarray) -> np.ndarray:
        return away(self.points, points)[0]

    def toward(self, points: np.ndarray) -> np.ndarray:
        return np.empty((len(points), 0))

    def lows(self, values: np.ndarray) -> np.ndarray:
        return np.ones(values.shape, bool)


@dataclass(frozen=True, eq=False)
class StraightSegment:
    """A straight edge from a point along a vector, between flat faces with these normals."""

    begin: np.ndarray
    way: np.ndarray
    outward: np.ndarray

    dimension, straight = 1, True

    @functools.cached_property
    def points(self) -> np.ndarray:
        return np.asarray(self.begin + (np.arange(_CELLS) + 0.5)[:, None] / _CELLS * self.way)

    @property
    def spacing(self) -> float:
        return float(np.linalg.norm(self.way)) / _CELLS

    def jet(self, at: np.ndarray) -> LocalGeometry:
        m = len(at)
        return LocalGeometry(self.begin + at * self.way, np.broadcast_to(self.way, (m, 1, 3)), np.zeros((m, 1, 1, 3)), np.zeros((m, 3)))

    def moved(self, at: np.ndarray, by: np.ndarray) -> np.ndarray:
        return at + by

    def beyond(self, at: np.ndarray) -> np.ndarray:
        return np.asarray(np.maximum(-at[:, 0], at[:, 0] - 1.0) * float(np.linalg.norm(self.way)))

    def start(self, which: np.ndarray) -> np.ndarray:
        return (which[:, None] + 0.5) / _CELLS

    def normals(self, at: np.ndarray) -> np.ndarray:
        return self.outward

    def heights(self, points: np.ndarray) -> np.ndarray:
        return away(self.points, points)[0]

    def toward(self, points: np.ndarray) -> np.ndarray:
        return self.start(away(self.points, points)[1])

    def lows(self, values: np.ndarray) -> np.ndarray:
        return lows(values, False)


class CurvedEdge:
    """An edge that is a curve."""

    dimension = 1

    def __init__(self, edge: Parametric, middle: np.ndarray) -> None:
        path = {u: edge.path[0], v: edge.path[1]}
        place = [e.xreplace(path) for e in edge.surface.expressions]
        first = [sp.diff(e, u) for e in place]
        second = [sp.diff(e, u) for e in first]
        self.straight = all(sp.expand(e) == 0 for e in second)
        upright = [] if edge.two_sided else [e.xreplace({u: a, v: b}) for face, (a, b) in edge.outward for e in face.normal]
        self._kernel = compile([*place, *first, *second, *upright], [u], quick=True)
        self.middle, self.closed = middle, edge.periods[0] > 0.0
        self.lo, self.hi = (float(e) for e in edge.domain[0])
        self._starts = self.lo + (np.arange(_CELLS) + 0.5) / _CELLS * (self.hi - self.lo)
        found = self._kernel.points(self._starts[:, None])
        self.points = found[:, :3] - middle
        # Do faces go on in each other there? Then it is no edge that touches anything.
        faces = [units(normals.reshape(-1, 3)) for normals in found[:, 9:]]
        self.smooth = all(len(own) > 1 and bool((np.abs(own - own[0]) <= _SAME).all()) for own in faces)
        self.spacing = float(np.linalg.norm(found[:, 3:6], axis=1).max()) * (self.hi - self.lo) / _CELLS

    def jet(self, at: np.ndarray) -> LocalGeometry:
        rows = self._kernel.points(at)
        return LocalGeometry(rows[:, :3] - self.middle, rows[:, None, 3:6], rows[:, None, None, 6:9], np.zeros((len(at), 3)))

    def moved(self, at: np.ndarray, by: np.ndarray) -> np.ndarray:
        return at + by

    def beyond(self, at: np.ndarray) -> np.ndarray:
        if self.closed:
            return np.full(len(at), -np.inf)
        lengths = np.linalg.norm(self._kernel.points(at)[:, 3:6], axis=1)
        return np.asarray(np.maximum(self.lo - at[:, 0], at[:, 0] - self.hi) * lengths)

    def start(self, which: np.ndarray) -> np.ndarray:
        return self._starts[which, None]

    def normals(self, at: np.ndarray) -> np.ndarray:
        return units(self._kernel.points(at[None])[0, 9:].reshape(-1, 3))

    def heights(self, points: np.ndarray) -> np.ndarray:
        return away(self.points, points)[0]

    def toward(self, points: np.ndarray) -> np.ndarray:
        return self.start(away(self.points, points)[1])

    def lows(self, values: np.ndarray) -> np.ndarray:
        return lows(values, self.closed)

    def spread(self, count: int, way: np.ndarray | None) -> np.ndarray:
        """(count, 3), and one more if it has ends: points evenly spaced; on a closed edge from the one on that is farthest along a
        direction, if that is given.
        """
        grid = np.linspace(self.lo, self.hi, _FINE * count + 1)
        points = self._kernel.points(grid[:, None])[:, :3]
        lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        first = self.lo if way is None or not self.closed else self._farthest(float(grid[np.argmax(points @ way)]), way)
        along = np.interp(first, grid, lengths) + lengths[-1] * np.arange(count + (not self.closed)) / count
        places = np.interp(along % lengths[-1] if self.closed else along, lengths, grid)
        places[0] = first
        return np.asarray(self._kernel.points(places[:, None])[:, :3] - self.middle)

    def _farthest(self, place: float, way: np.ndarray) -> float:
        """Along a direction, from a place near that (Newton's method)."""
        for _ in range(_NEWTON):
            row = self._kernel.points(np.array([[place]]))[0]
            slope, bend = float(row[3:6] @ way), float(row[6:9] @ way)
            place -= slope / bend if bend < 0.0 else 0.0
        return self.lo + (place - self.lo) % (self.hi - self.lo)


@dataclass(frozen=True, eq=False)
class FlatPlane:
    """A flat face, by its plane; `two_sided`: of a body of which no side is the inside."""

    face: Flat
    two_sided: bool = True

    dimension, straight, spacing = 2, True, 0.0

    @functools.cached_property
    def _axes(self) -> np.ndarray:
        return frame(self.face.normal)

    @property
    def points(self) -> np.ndarray:
        return np.asarray(self.face.border[:, 0])

    def jet(self, at: np.ndarray) -> LocalGeometry:
        m, axes = len(at), self._axes
        return LocalGeometry(self.face.level * axes[0] + at @ axes[1:], np.broadcast_to(axes[1:], (m, 2, 3)), np.zeros((m, 2, 2, 3)),
                             np.broadcast_to(axes[0], (m, 3)))

    def moved(self, at: np.ndarray, by: np.ndarray) -> np.ndarray:
        return at + by

    def beyond(self, at: np.ndarray) -> np.ndarray:
        return np.asarray(outside(self.face, self.jet(at).point))

    def toward(self, points: np.ndarray) -> np.ndarray:
        return np.asarray(points @ self._axes[1:].T)

    def start(self, which: np.ndarray) -> np.ndarray:
        return self.toward(self.points[which])

    def normals(self, at: np.ndarray) -> np.ndarray:
        return np.empty((0, 3)) if self.two_sided else self.face.normal[None]

    def heights(self, points: np.ndarray) -> np.ndarray:
        return np.asarray(points @ self.face.normal - self.face.level)

    def lows(self, values: np.ndarray) -> np.ndarray:
        return least(values)
