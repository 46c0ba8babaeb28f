"""Bodies combined of half-spaces as solids with flat faces: of these all corners and edges are known, with which contacts are followed."""

import functools
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from generative import ImplicitBody, Solid, u
from generative.brep import Edge, Vertex
from generative.polyhedron import CLOSED, patch, patches, path

from ...bodies.halfspace_faces import HalfspaceFace, Point, Polygon, faces_of


@functools.lru_cache(maxsize=256)
def _faces(shape: Any) -> list[HalfspaceFace]:
    return faces_of(shape) or [] if isinstance(shape, ImplicitBody) else []


def sides_of(shape: Any) -> np.ndarray | None:
    """(n, 3, 3): triangles round such a body, in doubles; None of others."""
    polygons = [np.array(polygon, float) for face in _faces(shape) for polygon in face.polygons]
    found = [[p[0], p[k], p[k + 1]] for p in polygons for k in range(1, len(p) - 1)]
    return np.array(found) if found else None


@functools.lru_cache(maxsize=256)
def solid_of(shape: Any) -> Solid | None:
    """The same points as a Solid, *proved*: of a union, intersection or difference of half-spaces with rational coefficients that has an
    end, and two faces at each edge; else None.

    Faces are cut out exactly, as convex patches. Sides of patches are cut where others on the same line end: then what is along a part of a
    line are two patches that go through it in opposite senses, either of one face, or of two, whose edge it is.
    """
    faces = _faces(shape)
    if not faces:
        return None
    parts = [PatchCorners(k, n, corners) for k, (n, corners) in enumerate(
        (n, corners) for n, face in enumerate(faces) for polygon in face.polygons for corners in patches(polygon))]
    segments = _segments(parts)
    if not all(s.closed for s in segments):
        return None
    made = [patch([tuple(map(_exact, c)) for c in part.corners]) for part in parts]
    return Solid._unchecked(made, [_edge(s) for s in segments if len(s.faces) == 2], _vertices(segments), CLOSED).named(shape.name)


class PatchCorners(NamedTuple):
    """A patch, by its number, that of its face, and its corners."""

    number: int
    face: int
    corners: Polygon


class PatchSide(NamedTuple):
    """A side of a patch: the way from one of its corners to the next, by their places on a line."""

    part: PatchCorners
    begin: Point
    end: Point
    first: Fraction
    last: Fraction

    def along(self, at: Fraction) -> tuple[Any, Any]:
        """The parameters of the patch where it is that far along the line."""
        way = _exact((at - self.first) / (self.last - self.first))
        a, b = (e.xreplace({u: way}) for e in path(self.part.corners, self.begin, self.end))
        return a, b


class LinePart(NamedTuple):
    """A part of a line, from one place on it to another, and the sides that go through it."""

    begin: Point
    end: Point
    first: Fraction
    last: Fraction
    sides: tuple[PatchSide, ...]

    @property
    def faces(self) -> set[int]:
        return {side.part.face for side in self.sides}

    @property
    def closed(self) -> bool:
        return len(self.sides) == 2 and len({side.first < side.last for side in self.sides}) == 2


def _segments(parts: Sequence[PatchCorners]) -> list[LinePart]:
    lines, found = defaultdict[Any, list[PatchSide]](list), list[LinePart]()
    for part in parts:
        for k, begin in enumerate(part.corners):
            end = part.corners[(k + 1) % len(part.corners)]
            way = [b - a for a, b in zip(begin, end, strict=True)]
            axis = next(k for k in range(3) if way[k])
            unit = tuple(e / way[axis] for e in way)
            # Where the line goes through the plane in which that coordinate is 0.
            foot = tuple(e - begin[axis] * f for e, f in zip(begin, unit, strict=True))
            lines[unit, foot].append(PatchSide(part, begin, end, begin[axis], end[axis]))
    for sides in lines.values():
        points = {at: c for side in sides for at, c in ((side.first, side.begin), (side.last, side.end))}
        for first, last in zip(sorted(points), sorted(points)[1:], strict=False):
            own = tuple(s for s in sides if min(s.first, s.last) <= first and last <= max(s.first, s.last))
            if own and found and found[-1].end == points[first] and found[-1].sides == own:
                found[-1] = found[-1]._replace(end=points[last], last=last)
            elif own:
                found.append(LinePart(points[first], points[last], first, last, own))
    return found


def _edge(segment: LinePart) -> Edge:
    paths = []
    for side in segment.sides:
        (a, b), (c, d) = side.along(segment.first), side.along(segment.last)
        paths.append((a + u * (c - a), b + u * (d - b)))
    return Edge(tuple(side.part.number for side in segment.sides), tuple(paths), (0, 1))


def _vertices(segments: Sequence[LinePart]) -> list[Vertex]:
    """The corners at which three or more faces meet."""
    found = defaultdict[Point, dict[int, tuple[Any, Any]]](dict)
    faces = defaultdict[Point, set[int]](set)
    for segment in segments:
        for point, at in ((segment.begin, segment.first), (segment.end, segment.last)):
            faces[point] |= segment.faces
            for side in segment.sides:
                found[point].setdefault(side.part.number, side.along(at))
    return [Vertex(tuple(own), tuple(own.values())) for point, own in found.items() if len(faces[point]) > 2]


def _exact(e: Fraction) -> Any:
    return sp.Rational(e.numerator, e.denominator)
