"""Creases of a patch: lines along which its formulas change at a value of one parameter, as those of Abs(u), Max, Min or a Piecewise do.

The surface is smooth on either side of the line, and each piece goes on smoothly up to it. So the surface counts as a solid: its faces are
the pieces, by the formulas that hold there, and its edges are the creases between them.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import sympy as sp

from . import Edge, ParametricSurface, Solid, Vertex, u, v
from .brep import UNCHECKED
from .changes import Known, branch, changes_along, continuous_along, kinks_along
from .chart import is_pole
from .divided import Divided
from .seams import period

# A patch is not divided into more pieces than this.
_MOST = 16


def creased(surface: ParametricSurface) -> Solid | None:
    """A patch with creases as a solid of smooth faces, numbered along v and then along u; None where there are no creases."""
    found = surface.pieces if isinstance(surface, Divided) else _creased(surface.resting, ())
    if found is None or surface.motion.is_identity:
        return found
    return Solid._unchecked([f.carried_by(surface.motion) for f in found.faces], found.edges, found.vertices, found.closed)


@functools.lru_cache(maxsize=512)
def may_be_creased(surface: ParametricSurface) -> bool:
    """Whether a formula of the surface may change along u or v, for some numbers of its family."""
    return any(changes_along(surface.body, s) for s in (u, v))


def asks_numbers(body: Any) -> bool:
    """Whether it may matter to `divided` which numbers the symbols of a body stand for."""
    return isinstance(body, ParametricSurface) and may_be_creased(body.resting)


def divided(body: Any, known: Known) -> Any:
    """A body of a family, where its symbols stand for these numbers. A patch is divided at its creases, which lie where the numbers say."""
    if not (known and asks_numbers(body)):
        return body
    ends = set(itertools.chain(*body.domain.values()))
    telling = set().union(*(e.free_symbols for e in ends.union(*(changes_along(body.body, s) for s in (u, v)))))
    pieces = _creased(body.resting, tuple((s, number) for s, number in known if s in telling))
    return body if pieces is None else _divided(body, pieces)


@functools.lru_cache(maxsize=256)
def _divided(surface: ParametricSurface, pieces: Solid) -> Divided:
    return Divided(surface, pieces)


@functools.lru_cache(maxsize=256)
def _creased(surface: ParametricSurface, known: Known) -> Solid | None:
    lines = {s: _lines(surface, s, known) for s in (u, v)}
    shape = len(lines[u]) - 1, len(lines[v]) - 1
    if not 1 < shape[0] * shape[1] <= _MOST:
        return None
    return _solid(tuple(_piece(surface, {u: lines[u][i:i + 2], v: lines[v][j:j + 2]}, known)
                        for i in range(shape[0]) for j in range(shape[1])), (tuple(lines[u]), tuple(lines[v])))


@functools.lru_cache(maxsize=256)
def _solid(faces: tuple[ParametricSurface, ...], ends: tuple[tuple[Any, ...], tuple[Any, ...]]) -> Solid:
    """The pieces, with the creases between them. Members of a family that are divided alike share them."""
    lines = dict(zip((u, v), ends, strict=True))
    grid = _Grid(faces, lines)
    edges = [edge for s in (u, v) for i in range(len(lines[s])) for j in range(len(lines[v if s is u else u]) - 1)
             for edge in grid.edge(s, i, j)]
    corners = [corner for i in range(len(lines[u])) for j in range(len(lines[v])) for corner in grid.corner(i, j)]
    return Solid._unchecked(faces, edges, corners, UNCHECKED)


def _lines(surface: ParametricSurface, symbol: Any, known: Known) -> list[Any]:
    """The values of a parameter between which the surface is smooth along it, with the ends of its range. Only these ends if the surface
    may jump, or if the order of the values is not seen.
    """
    lo, hi = surface.domain[symbol]
    inside = [value for value in kinks_along(surface.body, symbol, known) if _less(lo, value, known) and _less(value, hi, known)]
    order = _ordered(inside, known)
    if order is None:
        return [lo, hi]
    lines = [lo, *order, hi]
    middles = [(a + b) / 2 for a, b in itertools.pairwise(lines)]
    sound = all(continuous_along(surface.body, symbol, value, beside, known)
                for value, *beside in zip(lines[1:-1], middles[:-1], middles[1:], strict=True))
    return lines if sound else [lo, hi]


def _less(a: Any, b: Any, known: Known) -> bool:
    """Whether a number is seen to be less than another one."""
    numbers = dict(known)
    return bool((a.xreplace(numbers) < b.xreplace(numbers)) == sp.true)


def _ordered(values: Sequence[Any], known: Known) -> list[Any] | None:
    """The numbers in order, equal ones once. None if it is not seen whether two of them are equal."""
    order: list[Any] = []
    for value in sorted(values, key=sp.default_sort_key):
        at = sum(_less(other, value, known) for other in order)
        if at == len(order) or _less(value, order[at], known):
            order.insert(at, value)
        elif sp.expand((value - order[at]).xreplace(dict(known))) != 0:
            return None
    return order


def _piece(surface: ParametricSurface, domain: dict[Any, Sequence[Any]], known: Known) -> ParametricSurface:
    body = list(surface.body)
    for s, (lo, hi) in domain.items():
        body = [branch(e, (lo + hi) / 2, s, known) for e in body]
    return ParametricSurface(body, {s: tuple(ends) for s, ends in domain.items()}, flipped=surface.flipped)


class _Grid(NamedTuple):
    """Faces and the lines between them."""

    faces: Sequence[ParametricSurface]
    lines: dict[Any, tuple[Any, ...]]

    def _at(self, i: int, j: int) -> int | None:
        """The number of the face in a column and a row."""
        columns, rows = (len(self.lines[s]) - 1 for s in (u, v))
        return rows * i + j if 0 <= i < columns and 0 <= j < rows else None

    def edge(self, s: Any, i: int, j: int) -> list[Edge]:
        """Line i of a parameter, between two lines of the other, as an edge. None if it is a seam, or a point."""
        other = v if s is u else u
        sides = [((k, 1 - side)) for side in (0, 1) for k in [self._at(i - 1 + side, j) if s is u else self._at(j, i - 1 + side)]
                 if k is not None]
        if any(period(self.faces[k], s) > 0.0 or is_pole(self.faces[k], s, end) for k, end in sides):
            return []
        path = (self.lines[s][i], u) if s is u else (u, self.lines[s][i])
        lo, hi = self.lines[other][j:j + 2]
        return [Edge(tuple(k for k, _ in sides), (path,) * len(sides), (lo, hi))]

    def corner(self, i: int, j: int) -> list[Vertex]:
        """The place where two lines cross, as a vertex. None if a line closes on itself there, or the faces have a pole."""
        around = [(k, a, b) for a in (0, 1) for b in (0, 1) for k in [self._at(i - 1 + a, j - 1 + b)] if k is not None]
        for k, a, b in around:
            if any(period(self.faces[k], s) > 0.0 or is_pole(self.faces[k], s, 1 - side) for s, side in ((u, a), (v, b))):
                return []
        point = self.lines[u][i], self.lines[v][j]
        return [Vertex(tuple(k for k, _, _ in around), (point,) * len(around))]
