"""Polyhedra from lists of vertices and faces, checked to close, to be oriented alike, to have flat faces, and not to cross themselves."""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from operator import index
from typing import Any, TypeVar

import sympy as sp

from codegen.given import shown

from .brep import Edge, Solid, Vertex
from .closedness import check_closed
from .crossing import crossing
from .motion import IDENTITY, Motion
from .outline import IntegerPoints, cross, cut, dot, fans
from .surface import ParametricSurface
from .symbols import items, u, v, vector

CLOSED = "closed: every edge joins two faces"

Corner = TypeVar("Corner")


def polyhedron(vertices: Sequence[Any], faces: Sequence[Sequence[int]], *, name: str | None = None) -> Solid:
    """The solid of flat faces, each a list of vertex indices, counterclockwise as seen from outside.

    Every edge must belong to two faces that run through it in opposite senses. A face may be concave, have corners on its straight sides,
    and come to a vertex twice, as one does whose inner border a line joins to its outer one. A strictly convex face of more than four
    corners is made of several patches, any other one of triangles; the lines between those are no edges. All is decided exactly for
    rational coordinates. `name`: what results call it.

    Raises ValueError that says how many holes or flipped faces there are, and where; and for a face that is not flat, of no area, or
    crosses itself, for two faces that cross or lie on each other, and for faces that are inside out, which it names.
    """
    points = [vector(p, [], "a vertex") for p in items(vertices, "the vertices of a polyhedron")]
    outlines = [_indices(k, face) for k, face in enumerate(items(faces, "the faces of a polyhedron"))]
    _check_indices(outlines, len(points))
    numbers = [[_number(e) for e in p] for p in points]
    grid = IntegerPoints(numbers)
    own = {p: k for k, p in reversed(list(enumerate(grid.at)))}
    places = [own[p] for p in grid.at]
    check_closed(points, [[places[c] for c in outline] for outline in outlines])
    cuts = [[tuple(outline[c] for c in piece) for piece in _cut(k, outline, grid)] for k, outline in enumerate(outlines)]
    triangles = [(k, tuple(places[c] for c in (piece[0], *piece[i:i + 2])))
                 for k, pieces in enumerate(cuts) for piece in pieces for i in range(1, len(piece) - 1)]
    _check_apart(grid, triangles)
    _check_outward(grid, triangles)
    return flat_faced(numbers, outlines, [piece for pieces in cuts for piece in pieces], name)


def flat_faced(points: Sequence[Sequence[Any]], outlines: Sequence[Sequence[int]], pieces: Sequence[Sequence[int]],
               name: str | None = None) -> Solid:
    """The solid of flat faces that are known to close, cut into these convex pieces."""
    return _Polyhedron(_Shape(points, outlines, pieces)).named(name)


class _Shape:
    """Faces, edges and vertices of a polyhedron at rest; they are made when they are asked for, which takes longer than all else."""

    def __init__(self, points: Sequence[Sequence[Any]], outlines: Sequence[Sequence[int]], pieces: Sequence[Sequence[int]]) -> None:
        self.points, self.outlines, self.pieces = points, outlines, pieces

    @cached_property
    def faces(self) -> tuple[ParametricSurface, ...]:
        points = [tuple(map(_exact, p)) for p in self.points]
        return tuple(patch([points[c] for c in corners]) for corners in self.pieces)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        return tuple(_edges(self.outlines, self.pieces))

    @cached_property
    def vertices(self) -> tuple[Vertex, ...]:
        return tuple(_corner_vertices(len(self.points), self.pieces))


class _Polyhedron(Solid):
    """A solid of flat faces that move alike."""

    _closed = CLOSED

    def __init__(self, shape: _Shape, motion: Motion = IDENTITY) -> None:
        self._shape, self._motion = shape, motion

    @cached_property
    def _faces(self) -> tuple[ParametricSurface, ...]:  # type: ignore[override]
        faces = self._shape.faces
        return faces if self._motion.is_identity else tuple(f.carried_by(self._motion) for f in faces)

    @property
    def _edges(self) -> tuple[Edge, ...]:  # type: ignore[override]
        return self._shape.edges

    @property
    def _vertices(self) -> tuple[Vertex, ...]:  # type: ignore[override]
        return self._shape.vertices

    def moved(self, motion: Motion) -> Solid:  # type: ignore[override]
        if not isinstance(motion, Motion):
            raise TypeError(f"a solid moves by a Motion, such as Rigid or Screw, got {shown(motion)}")
        other = _Polyhedron(self._shape, motion @ self._motion)
        other._name = self._name
        other.__dict__["resting"] = self.resting
        return other

    @cached_property
    def resting(self) -> Solid:
        return _Polyhedron(self._shape).named(self._name) if not self._motion.is_identity else self


def brick(sizes: Any = (1, sp.Rational(1, 2), sp.Rational(1, 4))) -> Solid:
    """A box about the origin with these edge lengths."""
    a, b, c = (e / 2 for e in vector(sizes, [], "the sizes of a brick"))
    corners = [(i * a, j * b, k * c) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    return polyhedron(corners, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])


def patches(outline: Sequence[Corner]) -> list[tuple[Corner, ...]]:
    """A convex face as quadrilaterals and triangles that share its first corner."""
    return [tuple(outline[k] for k in piece) for piece in fans(len(outline))]


def patch(corners: Sequence[Any]) -> ParametricSurface:
    """The triangle a + u (b - a) + u v (c - b), whose side u = 0 is the corner a, or the bilinear quadrilateral."""
    if len(corners) == 3:
        a, b, c = corners
        body = [sp.Add(p, sp.Mul(q - p, u), sp.Mul(r - q, u, v)) for p, q, r in zip(a, b, c, strict=True)]
    else:
        body = [sp.expand((1 - u) * (1 - v) * p + u * (1 - v) * q + u * v * r + (1 - u) * v * s)
                for p, q, r, s in zip(*corners, strict=True)]
    return ParametricSurface(body, {u: (0, 1), v: (0, 1)})


def parameters(corners: Sequence[Corner], corner: Corner) -> tuple[int, int]:
    """The parameters of a corner on its patch; any point of the side u = 0 stands for the first corner of a triangle."""
    places = ((0, 0), (1, 0), (1, 1)) if len(corners) == 3 else ((0, 0), (1, 0), (1, 1), (0, 1))
    return places[list(corners).index(corner)]


def _edges(outlines: Sequence[Sequence[int]], places: Sequence[Sequence[int]]) -> list[Edge]:
    """One edge a pair of neighbouring corners of a face, each counted once: straight paths in the parameters of both patches."""
    found, beside = [], defaultdict[tuple[int, int], list[int]](list)
    for k, corners in enumerate(places):
        for a, b in zip(corners, (*corners[1:], corners[0]), strict=True):
            beside[min(a, b), max(a, b)].append(k)
    for outline in outlines:
        for a, b in zip(outline, (*outline[1:], outline[0]), strict=True):
            if a < b:
                faces = beside[a, b]
                found.append(Edge(tuple(faces), tuple(path(places[k], a, b) for k in faces), (0, 1)))
    return found


def path(corners: Sequence[Corner], a: Corner, b: Corner) -> tuple[Any, Any]:
    """From a to b; along the sides of a triangle through its first corner, v is constant."""
    (p, q), (r, s) = parameters(corners, a), parameters(corners, b)
    if len(corners) == 3 and corners[0] in (a, b):
        q = s = s if a == corners[0] else q
    return p + u * (r - p), q + u * (s - q)


def _corner_vertices(count: int, places: Sequence[Sequence[int]]) -> list[Vertex]:
    found: list[list[int]] = [[] for _ in range(count)]
    for k, corners in enumerate(places):
        for corner in corners:
            found[corner].append(k)
    return [Vertex(tuple(ks), tuple(parameters(places[k], c) for k in ks)) for c, ks in enumerate(found) if ks]


def _indices(k: int, face: Sequence[Any]) -> tuple[int, ...]:
    try:
        return tuple(map(index, items(face, "a face")))
    except TypeError:
        raise ValueError(f"face {k} must be a list of vertex numbers, whole ones, got {shown(face)}") from None


def _check_indices(outlines: Sequence[Sequence[int]], count: int) -> None:
    for k, outline in enumerate(outlines):
        if len(set(outline)) < 3 or any(a == b for a, b in zip(outline, (*outline[1:], outline[0]), strict=True)):
            raise ValueError(f"face {k} needs at least three different vertices, none of them twice in a row, got {list(outline)}")
        if not all(0 <= c < count for c in outline):
            raise ValueError(f"face {k} names a vertex outside 0 to {count - 1}: {list(outline)}")
    if len(outlines) < 4:
        raise ValueError(f"a polyhedron needs at least four faces, got {len(outlines)}")


def _number(e: Any) -> Any:
    """Fractions are much faster than SymPy's rational numbers."""
    return Fraction(int(e.p), int(e.q)) if e.is_Rational else e


def _exact(e: Any) -> Any:
    return sp.Rational(*e.as_integer_ratio()) if isinstance(e, (Fraction, float)) else e


def _cut(k: int, outline: Sequence[int], grid: IntegerPoints) -> list[tuple[int, ...]]:
    try:
        return cut([grid.at[c] for c in outline], grid.grain)
    except ValueError as error:
        raise ValueError(f"face {k} {error}") from None


def _check_apart(grid: IntegerPoints, triangles: Sequence[tuple[int, tuple[int, ...]]]) -> None:
    """No two faces may cross, or lie on each other."""
    found = crossing(grid.at, [corners for _, corners in triangles], grid.grain)
    if found is not None:
        first, second = sorted(triangles[k][0] for k in found[:2])
        if first == second:
            raise ValueError(f"face {first} crosses itself")
        if found[2]:
            raise ValueError(f"the polyhedron crosses itself: faces {first} and {second} do")
        raise ValueError(f"the polyhedron is degenerate: faces {first} and {second} lie on each other")


def _check_outward(grid: IntegerPoints, triangles: Sequence[tuple[int, tuple[int, ...]]]) -> None:
    """The volume, by Gauss' theorem a sum of tetrahedra, must be positive."""
    at = grid.at
    if sum(dot(at[a], cross(at[b], at[c])) for _, (a, b, c) in triangles) <= 0:
        raise ValueError("the polyhedron is inside out: its faces run clockwise as seen from outside; reverse every face")
