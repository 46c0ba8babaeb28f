"""What of a body can touch, near a point of it: the point, the tangents there, and how these bend. Points, edges and flat faces; curved
faces are in `smooth`.

A place on a part is a tuple of numbers: none on a point, one on an edge, two on a flat face.
"""

import functools
import math
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import sympy as sp

from codegen.kernel import compile
from generative import u, v

from ...bodies.cells import Parametric
from ..impact import frame
from ..outline import Flat
from .contact import outside

At = tuple[float, ...]

# Cells of an edge, from whose middles places are found; and so many least distances are looked at.
_CELLS, _MANY = 32, 16


class Lost(Exception):
    """There is no place, or not one alone, that was to be found."""


class Jet(NamedTuple):
    """Of a part of k dimensions: `point` (3,), tangents `along` (k, 3), their derivatives `bent` (k, k, 3), the unit `normal` outward."""

    point: np.ndarray
    along: np.ndarray
    bent: np.ndarray
    normal: np.ndarray


class Part(Protocol):
    """What of a body touches, as seen from its centre of mass, of a `dimension`, `straight` if it does not bend, with `points` (n, 3) of
    it, no part of it farther than `spacing` from all of these but for its bend. `moved`: to the place whose parameters are so much greater,
    to first order; `beyond`: how far outside the border a place is, less than 0 inside; `start`: the place of one of the points; `normals`
    (m, 3): outward, of the faces that meet in an edge or a corner; none where that is not known, or where no side is the inside.
    """

    def __hash__(self) -> int: ...

    @property
    def dimension(self) -> int: ...

    @property
    def straight(self) -> bool: ...

    @property
    def points(self) -> np.ndarray: ...

    @property
    def spacing(self) -> float: ...

    def jet(self, at: At) -> Jet: ...

    def moved(self, at: At, by: np.ndarray) -> At: ...

    def beyond(self, at: At) -> float: ...

    def start(self, k: int) -> At: ...

    def normals(self, at: At) -> np.ndarray: ...

    def lows(self, values: np.ndarray) -> list[int]:
        """The points with values (n,) that are not greater than those of their neighbours."""
        ...


@dataclass(frozen=True, eq=False)
class Core:
    """A point, as of a corner, where faces with these normals meet, or in the middle of a ball."""

    point: np.ndarray
    outward: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))

    dimension, straight, spacing = 0, True, 0.0

    @property
    def points(self) -> np.ndarray:
        return self.point[None]

    def jet(self, at: At) -> Jet:
        return Jet(self.point, np.empty((0, 3)), np.empty((0, 0, 3)), np.zeros(3))

    def moved(self, at: At, by: np.ndarray) -> At:
        return at

    def beyond(self, at: At) -> float:
        return -math.inf

    def start(self, k: int) -> At:
        return ()

    def normals(self, at: At) -> np.ndarray:
        return self.outward

    def lows(self, values: np.ndarray) -> list[int]:
        return [0]


@dataclass(frozen=True, eq=False)
class Segment:
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

    def jet(self, at: At) -> Jet:
        return Jet(self.begin + at[0] * self.way, self.way[None], np.zeros((1, 1, 3)), np.zeros(3))

    def moved(self, at: At, by: np.ndarray) -> At:
        return (at[0] + float(by[0]),)

    def beyond(self, at: At) -> float:
        return max(-at[0], at[0] - 1.0) * float(np.linalg.norm(self.way))

    def start(self, k: int) -> At:
        return ((k + 0.5) / _CELLS,)

    def normals(self, at: At) -> np.ndarray:
        return self.outward

    def lows(self, values: np.ndarray) -> list[int]:
        return lows(values, False)


class Rim:
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
        self.spacing = float(np.linalg.norm(found[:, 3:6], axis=1).max()) * (self.hi - self.lo) / _CELLS

    def _row(self, at: At) -> np.ndarray:
        return np.asarray(self._kernel.points(np.array([at]))[0])

    def jet(self, at: At) -> Jet:
        row = self._row(at)
        return Jet(row[:3] - self.middle, row[None, 3:6], row[None, None, 6:9], np.zeros(3))

    def moved(self, at: At, by: np.ndarray) -> At:
        return (at[0] + float(by[0]),)

    def beyond(self, at: At) -> float:
        if self.closed:
            return -math.inf
        return max(self.lo - at[0], at[0] - self.hi) * float(np.linalg.norm(self._row(at)[3:6]))

    def start(self, k: int) -> At:
        return (float(self._starts[k]),)

    def normals(self, at: At) -> np.ndarray:
        return units(self._row(at)[9:].reshape(-1, 3))

    def lows(self, values: np.ndarray) -> list[int]:
        return lows(values, self.closed)


@dataclass(frozen=True, eq=False)
class Plane:
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

    def jet(self, at: At) -> Jet:
        axes = self._axes
        return Jet(np.array([self.face.level, *at]) @ axes, axes[1:], np.zeros((2, 2, 3)), axes[0])

    def moved(self, at: At, by: np.ndarray) -> At:
        return at[0] + float(by[0]), at[1] + float(by[1])

    def beyond(self, at: At) -> float:
        return outside(self.face, self.jet(at).point)

    def place(self, point: np.ndarray) -> At:
        a, b = self._axes[1:] @ point
        return float(a), float(b)

    def start(self, k: int) -> At:
        return self.place(self.points[k])

    def normals(self, at: At) -> np.ndarray:
        return np.empty((0, 3)) if self.two_sided else self.face.normal[None]

    def lows(self, values: np.ndarray) -> list[int]:
        return [int(np.argmin(values))]


def lows(values: np.ndarray, closed: bool) -> list[int]:
    """The numbers of the values in a row, or a ring, that are not greater than their neighbours."""
    around = np.pad(values, 1, "wrap" if closed else "edge")
    return some((values <= around[:-2]) & (values <= around[2:]))


def some(which: np.ndarray) -> list[int]:
    """Where it is true, of many only some: they are equal then."""
    found = np.flatnonzero(which)
    return [int(k) for k in found[::1 + len(found) // _MANY]]


def units(rows: np.ndarray) -> np.ndarray:
    """Vectors (m, 3) of length 1; those that have none are left out."""
    sizes = np.linalg.norm(rows, axis=1)
    return rows[sizes > 0.0] / sizes[sizes > 0.0, None]
