"""Solids from faces alone: shared borders are found and become edges and vertices, and whatever does not close up is named.

Borders are compared at a few parameters in floating point, so that agreement is no proof. A side of a face's rectangle may be a
pole (one point), a seam (it coincides with the opposite side), or one half of an edge: then exactly one side of another face runs
along it with the same parameter up to a linear map, and, where both normals point outwards, in the opposite sense.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from .brep import Edge, Solid, Vertex
from .surface import ParametricSurface
from .symbols import t, u, v

Point = tuple[float, float, float]
FRACTIONS = (0.0, 0.21, 0.5, 0.83, 1.0)
CLOSE = 1e-9
"""Largest distance of points that count as one, relative to the size of the solid."""


@dataclass(frozen=True)
class _Side:
    """One side of a face's rectangle, run through forwards: `symbol` = its end number `end`, the other parameter free."""

    face: int
    symbol: Any
    end: int
    domain: tuple[Any, Any]
    fixed: Any
    points: tuple[Point, ...]
    back: tuple[Point, ...]
    sense: int

    def path(self, parameter: Any) -> tuple[Any, Any]:
        return (self.fixed, parameter) if self.symbol == u else (parameter, self.fixed)

    def __str__(self) -> str:
        return f"the side {self.symbol} = {self.fixed} of face {self.face}"


def sew(faces: Sequence[ParametricSurface]) -> Solid:
    """The solid bounded by these faces, normals outward; every side must be a pole, a seam, or shared with one other face.

    Raises ValueError that names the first side that is free, shared by three, or shared in the same sense (a flipped face).
    """
    if not faces or not all(isinstance(f, ParametricSurface) for f in faces):
        raise ValueError("a solid needs faces, each a ParametricSurface")
    functions = [sp.lambdify([u, v], [e.subs(t, 0) for e in face.expressions], "math") for face in faces]
    sides = [_side(k, face, functions[k], s, end) for k, face in enumerate(faces) for s in (u, v) for end in (0, 1)]
    size = max(abs(c) for side in sides for p in side.points for c in p) or 1.0
    near = CLOSE * size
    open_sides = [s for s in sides if not _pole(s, near) and not _seam(s, sides, near)]
    edges, ends = [], []
    while open_sides:
        side = open_sides.pop(0)
        partners = [other for other in open_sides if _meet(side.points, other.points, near) or _meet(side.points, other.back, near)]
        if len(partners) != 1:
            problem = "meets no other side: the solid is open there" if not partners else f"is shared by {len(partners) + 1} sides"
            raise ValueError(f"{side} {problem}")
        other = partners[0]
        open_sides.remove(other)
        reverse = not _meet(side.points, other.points, near)
        if side.sense * other.sense * (-1 if reverse else 1) > 0:
            raise ValueError(f"{side} and {other} coincide in the same sense: one of the two faces must be flipped")
        edges.append(_edge(side, other, reverse))
        if not _distance(side.points[0], side.points[-1]) <= near:
            ends += _corners(side, other, reverse)
    return Solid(faces, edges, _vertices(ends, near))


def cap(surface: ParametricSurface, side: tuple[Any, int], centre: Any, *, flipped: bool = False) -> ParametricSurface:
    """The straight lines from the side (symbol, 0 or 1) of a surface to `centre`, v = 0 there: a flat cap of a plane outline."""
    symbol, end = side
    fixed = surface.domain[symbol][end]
    border = [e.xreplace({symbol: fixed}).xreplace({v: u}) for e in surface.body]
    body = [c + v * (b - c) for b, c in zip(border, map(sp.sympify, centre), strict=True)]
    return ParametricSurface(body, {u: surface.domain[v if symbol == u else u], v: (0, 1)}, flipped=flipped, motion=surface.motion)


def _side(k: int, face: ParametricSurface, function: Any, symbol: Any, end: int) -> _Side:
    other = v if symbol == u else u
    domain, fixed = face.domain[other], face.domain[symbol][end]
    lo, hi, at = *map(float, domain), float(fixed)

    def point(share: float) -> Point:
        s = lo + share * (hi - lo)
        x, y, z = function(at, s) if symbol == u else function(s, at)
        return float(x), float(y), float(z)

    # Counterclockwise round the rectangle: v = lo and u = hi are run through forwards; a flipped face has it the other way.
    forwards = (symbol == v) == (end == 0)
    sense = 1 if forwards != face.flipped else -1
    back = tuple(point(1 - f) for f in FRACTIONS)
    return _Side(k, symbol, end, domain, fixed, tuple(map(point, FRACTIONS)), back, sense)


def _distance(a: Point, b: Point) -> float:
    return max(abs(p - q) for p, q in zip(a, b, strict=True))


def _meet(a: Sequence[Point], b: Sequence[Point], near: float) -> bool:
    return all(_distance(p, q) <= near for p, q in zip(a, b, strict=True))


def _pole(side: _Side, near: float) -> bool:
    return all(_distance(p, side.points[0]) <= near for p in side.points)


def _seam(side: _Side, sides: Sequence[_Side], near: float) -> bool:
    opposite = next(o for o in sides if (o.face, o.symbol, o.end) == (side.face, side.symbol, 1 - side.end))
    return _meet(side.points, opposite.points, near)


def _edge(side: _Side, other: _Side, reverse: bool) -> Edge:
    (lo, hi), (a, b) = side.domain, other.domain
    along = (u - lo) * (b - a) / (hi - lo)
    return Edge((side.face, other.face), (side.path(u), other.path(b - along if reverse else a + along)), side.domain)


def _corners(side: _Side, other: _Side, reverse: bool) -> list[tuple[Point, int, tuple[Any, Any]]]:
    """(place, face, parameters) of both ends of an edge on both of its faces."""
    found = []
    for k in (0, -1):
        found.append((side.points[k], side.face, side.path(side.domain[k])))
        found.append((side.points[k], other.face, other.path(other.domain[-1 - k if reverse else k])))
    return found


def _vertices(ends: Sequence[tuple[Point, int, tuple[Any, Any]]], near: float) -> list[Vertex]:
    groups: list[list[tuple[Point, int, tuple[Any, Any]]]] = []
    for end in ends:
        group = next((g for g in groups if _distance(g[0][0], end[0]) <= near), None)
        if group is None:
            groups.append([end])
        elif not any(e[1] == end[1] for e in group):
            group.append(end)
    return [Vertex(tuple(e[1] for e in g), tuple(e[2] for e in g)) for g in groups]
