"""Contact regions of two polyhedra that touch: the connected parts of the set of their common points, exactly.

The common points of two triangles are a convex set: a point, a segment or a polygon. Triangles of a mesh meet in common corners and sides
alone. A side bounds the common points, too, so two such sets meet only if they have a corner in common. Regions are then the components of
corners that are in one set.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..exact.planes import Plane, Point, cross, dot, place, sign, value
from ..location.brep import components
from .placed_brep import Place, PlacedBrep, clipped

Faces = frozenset[tuple[int, int]]


class ContactPlace(NamedTuple):
    """A contact: kinds and numbers of the entities of both bodies, and its point, exactly, in the frame of the second."""

    first: tuple[int, int]
    second: tuple[int, int]
    point: Place


class PlacedTriangle(NamedTuple):
    """A triangle in the frame of the second body, with the planes of which it is the part on and above all."""

    corners: Sequence[Point]
    planes: tuple[Plane, ...]


def regions_of(contacts: Sequence[ContactPlace], placed: tuple[PlacedBrep, PlacedBrep], exact: bool = True) -> np.ndarray:
    """(k,): the number of the region of each contact, counted from 0. `exact`: else contacts on a common pair of faces are one region."""
    own = [pairs_of_faces(placed, c) for c in contacts]
    if len({c.point for c in contacts}) < 2:
        label = np.zeros(len(contacts), int)
    elif exact:
        label = _components(contacts, placed, frozenset().union(*own))
    else:
        first = dict[tuple[int, int], int]()
        links = [(k, first.setdefault(pair, k)) for k, pairs in enumerate(own) for pair in sorted(pairs)]
        label = components(len(contacts), np.array(links, int).reshape(-1, 2))
    return np.unique(label, return_inverse=True)[1].reshape(-1)


def pairs_of_faces(placed: tuple[PlacedBrep, PlacedBrep], contact: ContactPlace) -> Faces:
    """The faces of both bodies that meet at a contact, in pairs."""
    one, other = (body.entities.faces_of(*entity) for body, entity in zip(placed, contact[:2], strict=True))
    return frozenset((f, g) for f in one for g in other)


def _components(contacts: Sequence[ContactPlace], placed: tuple[PlacedBrep, PlacedBrep], faces: Faces) -> np.ndarray:
    number = dict[Place, int]()
    found = [number.setdefault(c.point, len(number)) for c in contacts]
    links, bits = list[tuple[int, int]](), placed[0].tree.entities.scaled.bits
    homogeneous = {c.point: placed[0].tree.entities.scaled.points([c.point])[0] for c in contacts}
    for one, other in _near(placed, faces):
        common = [place(p, bits) for p in _above(_above(one.corners, other.planes), one.planes)]
        if len(set(common)) > 1:
            # The point of edges along each other is in the middle of a set.
            common += [p for p, at in homogeneous.items() if _above([at], (*one.planes, *other.planes))]
        nodes = [number.setdefault(p, len(number)) for p in common]
        links += [(nodes[0], n) for n in nodes[1:]]
    return components(len(number), np.array(links, int).reshape(-1, 2))[found]


def _above(polygon: Sequence[Point], planes: Iterable[Plane]) -> Sequence[Point]:
    """The part of a convex polygon, which may be a segment or a point, on or above planes."""
    for plane in planes:
        polygon = clipped(polygon, [sign(value(plane, p)) for p in polygon], plane)
    return polygon


def _near(placed: tuple[PlacedBrep, PlacedBrep], faces: Faces) -> Iterator[tuple[PlacedTriangle, PlacedTriangle]]:
    """Pairs of triangles of pairs of faces whose boxes overlap."""
    body, entities = placed[0], placed[1].entities
    scaled, known = body.tree.entities.scaled, dict[tuple[int, int], PlacedTriangle]()

    def first(k: int) -> PlacedTriangle:
        if (0, k) not in known:
            known[0, k] = _placed(scaled.points([body.vertex(c) for c in body.entities.corners[k].tolist()]))
        return known[0, k]

    def second(k: int) -> PlacedTriangle:
        if (1, k) not in known:
            known[1, k] = _placed([scaled.at_vertex(c) for c in entities.corners[k].tolist()])
        return known[1, k]

    low, high = body.triangle_boxes
    places = entities.vertices[entities.corners]
    lower, upper = places.min(axis=1), places.max(axis=1)
    for f, g in sorted(faces):
        one, other = np.flatnonzero(body.entities.face_of == f), np.flatnonzero(entities.face_of == g)
        near = ((low[one, None] <= upper[other]) & (high[one, None] >= lower[other])).all(axis=2)
        for a, b in np.argwhere(near).tolist():
            yield first(int(one[a])), second(int(other[b]))


def _placed(corners: Sequence[Point]) -> PlacedTriangle:
    """The triangle of three corners with one W, and its planes."""
    normal, w = cross(_way(corners[0], corners[1]), _way(corners[0], corners[2])), corners[0][3]
    sides = [cross(normal, _way(corners[k], corners[(k + 1) % 3])) for k in range(3)]
    ways = [(normal, corners[0]), ((-normal[0], -normal[1], -normal[2]), corners[0]), *zip(sides, corners, strict=True)]
    return PlacedTriangle(corners, tuple((n[0] * w, n[1] * w, n[2] * w, dot(n, p)) for n, p in ways))


def _way(p: Point, q: Point) -> tuple[int, int, int]:
    return q[0] - p[0], q[1] - p[1], q[2] - p[2]
