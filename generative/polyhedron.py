"""Polyhedra from lists of vertices and faces, checked to close, to be oriented alike, and to have flat faces."""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from operator import index
from typing import Any, TypeVar

import sympy as sp

from codegen.given import shown

from .brep import Edge, Solid, Vertex
from .closedness import check_closed
from .surface import ParametricSurface
from .symbols import items, text, u, v, vector

FLAT = Fraction(1, 10**9)
"""Largest height, relative to the size of the face, of a corner above the plane of its face; admits rounded coordinates."""

CLOSED = "closed: every edge joins two faces"

Corner = TypeVar("Corner")


def polyhedron(vertices: Sequence[Any], faces: Sequence[Sequence[int]], *, name: str | None = None) -> Solid:
    """The solid of flat convex faces, each a list of vertex indices, counterclockwise as seen from outside.

    Every edge must belong to two faces that run through it in opposite senses; ValueError says how many holes or flipped faces there
    are, and where. A face of more than four corners is made of several patches; the lines between those are no edges. `name`: what results
    call it.
    """
    points = [vector(p, [], "a vertex") for p in items(vertices, "the vertices of a polyhedron")]
    outlines = [_indices(k, face) for k, face in enumerate(items(faces, "the faces of a polyhedron"))]
    _check_indices(outlines, len(points))
    check_closed(points, outlines)
    _check_flat(points, outlines)
    _check_outward(points, outlines)
    made, places = [], []
    for outline in outlines:
        for corners in patches(outline):
            made.append(patch([points[c] for c in corners]))
            places.append(corners)
    return Solid._unchecked(made, _edges(outlines, places), _corner_vertices(len(points), places), CLOSED).named(name)


def brick(sizes: Any = (1, sp.Rational(1, 2), sp.Rational(1, 4))) -> Solid:
    """A box about the origin with these edge lengths."""
    a, b, c = (e / 2 for e in vector(sizes, [], "the sizes of a brick"))
    corners = [(i * a, j * b, k * c) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    return polyhedron(corners, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])


def patches(outline: Sequence[Corner]) -> list[tuple[Corner, ...]]:
    """A face as quadrilaterals and triangles that share its first corner."""
    rest = outline[1:]
    return [(outline[0], *rest[k:k + 3]) for k in range(0, len(rest) - 1, 2)]


def patch(corners: Sequence[Any]) -> ParametricSurface:
    """The triangle a + u (b - a) + u v (c - b), whose side u = 0 is the corner a, or the bilinear quadrilateral."""
    if len(corners) == 3:
        a, b, c = corners
        body = [p + u * (q - p) + u * v * (r - q) for p, q, r in zip(a, b, c, strict=True)]
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
        if len(set(outline)) < max(3, len(outline)):
            raise ValueError(f"face {k} needs at least three different vertices, got {list(outline)}")
        if not all(0 <= c < count for c in outline):
            raise ValueError(f"face {k} names a vertex outside 0 to {count - 1}: {list(outline)}")
    if len(outlines) < 4:
        raise ValueError(f"a polyhedron needs at least four faces, got {len(outlines)}")


def _check_flat(points: Sequence[Any], outlines: Sequence[Sequence[int]]) -> None:
    at = [[_number(e) for e in p] for p in points]
    for k, outline in enumerate(outlines):
        first, second, third = (at[i] for i in outline[:3])
        normal = _cross(_minus(second, first), _minus(third, first))
        square, size = _size(_dot(normal, normal)), max(_size(e) for i in outline for e in _minus(at[i], first))
        if square <= FLAT**2 * size**4:
            raise ValueError(f"face {k} is degenerate: its first three corners {text([points[i] for i in outline[:3]])} lie on a line")
        if len(outline) > 3 and not all(_turns_left([at[i] for i in outline], normal)):
            raise ValueError(f"face {k} is not convex: its outline turns right at a corner; split it")
        if any(_size(_dot(normal, _minus(at[i], first)))**2 > FLAT**2 * size**2 * square for i in outline[3:]):
            raise ValueError(f"face {k} is not flat: not all of its {len(outline)} corners lie in one plane")


def _turns_left(corners: Sequence[Any], normal: Sequence[Any]) -> list[bool]:
    """For each corner, whether the outline turns left there or goes straight on, as seen against the normal."""
    sides = [_minus(b, a) for a, b in zip(corners, [*corners[1:], corners[0]], strict=True)]
    turns = [_dot(_cross(a, b), normal) for a, b in zip(sides, [*sides[1:], sides[0]], strict=True)]
    return [bool((e if isinstance(e, Fraction) else sp.N(e)) >= 0) for e in turns]


def _number(e: Any) -> Any:
    """Fractions are much faster than SymPy's rational numbers."""
    return Fraction(int(e.p), int(e.q)) if e.is_Rational else e


def _size(e: Any) -> Any:
    return abs(e) if isinstance(e, Fraction) else abs(sp.N(e))


def _minus(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [p - q for p, q in zip(a, b, strict=True)]


def _cross(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3] for k in range(3)]


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _check_outward(points: Sequence[Any], outlines: Sequence[Sequence[int]]) -> None:
    """The volume, by Gauss' theorem a sum of tetrahedra, must be positive."""
    at = [[float(e) for e in p] for p in points]
    volume = sum(_triple(at[o[0]], at[o[k]], at[o[k + 1]]) for o in outlines for k in range(1, len(o) - 1))
    if volume < 0:
        raise ValueError("the polyhedron is inside out: its faces run clockwise as seen from outside; reverse every face")


def _triple(a: Sequence[float], b: Sequence[float], c: Sequence[float]) -> float:
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]))
