"""Creases of a patch: where its formulas change at a value of one parameter, as those with Abs(u), Max or Min do, or a Piecewise.

Such a surface is smooth on either side of the value, and each piece goes on smoothly up to it. So it is taken for a solid: the pieces are
faces, by the formulas that hold there, and the creases between them edges.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import sympy as sp

from . import Edge, ParametricSurface, Solid, Vertex, u, v
from .brep import UNCHECKED
from .changes import branch, continuous_along, kinks_along
from .chart import is_pole
from .seams import period

# A patch of more pieces is not divided.
_MOST = 16


def creased(surface: ParametricSurface) -> Solid | None:
    """A patch with creases as a solid of smooth faces, numbered along v and then along u; None where there are no creases."""
    found = _creased(surface.resting)
    if found is None or surface.motion.is_identity:
        return found
    return Solid._unchecked([f.placed(surface.motion) for f in found.faces], found.edges, found.vertices, found.closed)


@functools.lru_cache(maxsize=256)
def _creased(surface: ParametricSurface) -> Solid | None:
    lines = {s: _lines(surface, s) for s in (u, v)}
    shape = len(lines[u]) - 1, len(lines[v]) - 1
    if not 1 < shape[0] * shape[1] <= _MOST:
        return None
    faces = [_piece(surface, {u: lines[u][i:i + 2], v: lines[v][j:j + 2]}) for i in range(shape[0]) for j in range(shape[1])]
    grid = _Grid(faces, lines)
    edges = [edge for s in (u, v) for i in range(len(lines[s])) for j in range(len(lines[v if s is u else u]) - 1)
             for edge in grid.edge(s, i, j)]
    corners = [corner for i in range(len(lines[u])) for j in range(len(lines[v])) for corner in grid.corner(i, j)]
    return Solid._unchecked(faces, edges, corners, UNCHECKED)


def _lines(surface: ParametricSurface, symbol: Any) -> list[Any]:
    """The values of a parameter between which the surface is smooth along it, its ends among them; the ends alone where it may jump."""
    lo, hi = surface.domain[symbol]
    inside = [value for value in kinks_along(surface.body, symbol) if (lo < value) == sp.true and (value < hi) == sp.true]
    lines = [lo, *sorted(inside, key=sp.N), hi]
    middles = [(a + b) / 2 for a, b in itertools.pairwise(lines)]
    sound = all(continuous_along(surface.body, symbol, value, beside)
                for value, *beside in zip(lines[1:-1], middles[:-1], middles[1:], strict=True))
    return lines if sound else [lo, hi]


def _piece(surface: ParametricSurface, domain: dict[Any, Sequence[Any]]) -> ParametricSurface:
    body = list(surface.body)
    for s, (lo, hi) in domain.items():
        body = [branch(e, (lo + hi) / 2, s) for e in body]
    return ParametricSurface(body, {s: tuple(ends) for s, ends in domain.items()}, flipped=surface.flipped)


class _Grid(NamedTuple):
    """Faces and the lines between them."""

    faces: Sequence[ParametricSurface]
    lines: dict[Any, list[Any]]

    def _at(self, i: int, j: int) -> int | None:
        """The number of the face in a column and a row."""
        columns, rows = (len(self.lines[s]) - 1 for s in (u, v))
        return rows * i + j if 0 <= i < columns and 0 <= j < rows else None

    def edge(self, s: Any, i: int, j: int) -> list[Edge]:
        """Along line i of a parameter, between two lines of the other: none where it is a seam, or a point."""
        other = v if s is u else u
        sides = [((k, 1 - side)) for side in (0, 1) for k in [self._at(i - 1 + side, j) if s is u else self._at(j, i - 1 + side)]
                 if k is not None]
        if any(period(self.faces[k], s) > 0.0 or is_pole(self.faces[k], s, end) for k, end in sides):
            return []
        path = (self.lines[s][i], u) if s is u else (u, self.lines[s][i])
        lo, hi = self.lines[other][j:j + 2]
        return [Edge(tuple(k for k, _ in sides), (path,) * len(sides), (lo, hi))]

    def corner(self, i: int, j: int) -> list[Vertex]:
        """Where two lines cross: none where a line closes on itself there, or the faces have a pole."""
        around = [(k, a, b) for a in (0, 1) for b in (0, 1) for k in [self._at(i - 1 + a, j - 1 + b)] if k is not None]
        for k, a, b in around:
            if any(period(self.faces[k], s) > 0.0 or is_pole(self.faces[k], s, 1 - side) for s, side in ((u, a), (v, b))):
                return []
        point = self.lines[u][i], self.lines[v][j]
        return [Vertex(tuple(k for k, _, _ in around), (point,) * len(around))]
