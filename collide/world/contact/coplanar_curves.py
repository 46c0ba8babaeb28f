"""Edges that lie flat: where curved edges of a body are in the plane of what it touches, it does so at samples of them, as a polygon would;
and so do circles along which a curved face has one normal (`rings`).

How pressure is spread over such a place of touch is not determined by the motion of rigid bodies: contacts are those of its border, evenly
spaced along each curve, and where they slip, forces along the normals are the ones of least squares that the motion allows, so that a can
whose centre of mass is near the floor, or which spins upright, presses evenly. A plate that touches by all of its face would be turned by
less friction: of an even pressure on a disc by 2/3 of what its rim has.
"""

import functools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..features.contact_circles import ContactCircle, rings
from ..features.creases import Crease, Facet
from ..features.curved import CurvedPatch
from ..features.features import Features
from ..features.local_geometry import spread_of
from ..features.straight import CurvedEdge
from ..motion.state import BodyState
from ..shapes.polyhedral import Polyhedral
from ..shapes.simple import Flat
from .closed_forms import OnEdge
from .coplanar import InPlane, in_plane

# Points along a curve that lies flat, or nearly: of one that is larger than a body they say too little.
SAMPLES, _LARGE = 24, 2.5
# Against size: heights up to which a curve lies flat; what is in a plane of a face; and ways that are none.
FLUSH = 2e-7
_SAME, _NONE = 1e-9, 1e-13


Flats = tuple[Polyhedral | None, Polyhedral | None]


def low(points: np.ndarray, size: float) -> float:
    """The height of all these points of a curve above a plane, up to which it lies there."""
    return FLUSH * max(size, spread_of(points))


class Bordered(NamedTuple):
    """A plane of flat faces of a body with a curved surface, or of a ring: unit normal and level, and the edges there. `faces`: whether the
    region that these go round is part of the body.
    """

    normal: np.ndarray
    level: float
    edges: tuple[CurvedEdge | Crease | ContactCircle, ...]
    two_sided: bool
    faces: bool = True

    def lies(self, place: BodyState, point: np.ndarray, normal: np.ndarray, size: float) -> bool:
        """Whether all edges, of which one is curved, are in a plane through a point."""
        facing = -float(normal @ (place.turn @ self.normal))
        if (abs(facing) if self.two_sided else facing) <= 1.0 - _SAME or all(e.straight for e in self.edges):
            return False
        points = np.concatenate([e.points for e in self.edges])
        high = (points @ place.turn.T + place.centre - point) @ normal
        return spread_of(points) <= _LARGE * size and bool(np.abs(high).max() <= low(points, size))


@functools.lru_cache(maxsize=512)
def bordered(body: Features) -> tuple[Bordered, ...]:
    """The planes of flat faces and rings of a body; none of a polyhedron."""
    found: list[Bordered] = []
    rims = [e for e in body.parts if isinstance(e, (CurvedEdge, Crease))]
    for face in body.parts:
        if isinstance(face, (CurvedPatch, Facet)) and face.straight:
            jet, size = face.jet(face.start(np.zeros(1, int))), _SAME * float(np.abs(face.points).max())
            normal, level = jet.normal[0], float(jet.normal[0] @ jet.point[0])
            own = tuple(e for e in rims if np.abs(e.points @ normal - level).max() <= size)
            if own and not any(b.normal @ normal > 1.0 - _SAME and abs(b.level - level) <= size for b in found):
                found.append(Bordered(normal, level, own, face.two_sided))
    return (*found, *(Bordered(r.normal, r.level, (r,), False, False) for r in _lowest(body, found)))


def _lowest(body: Features, found: Sequence[Bordered]) -> Iterator[ContactCircle]:
    """Rings on whose planes no flat face is, and on the other side of which all of a body is."""
    for ring in (r for part in body.parts for r in rings(part)):
        least = _SAME * float(np.abs(ring.points).max())
        if any(b.normal @ ring.normal > 1.0 - _SAME and abs(b.level - ring.level) <= least for b in found):
            continue
        if all((part.points @ ring.normal).max() <= ring.level + least for part in body.parts):
            yield ring


def sampled(body: Features, way: np.ndarray, known: Polyhedral | None = None) -> Polyhedral | None:
    """The flat faces of a body with polygons for their borders, whose corners are on these: on closed ones, from the point on that is
    farthest along a direction in its coordinates. A polyhedron is what it is; None of what has no flat faces. `known`: as it was found
    when the body came to lie.
    """
    if body.polyhedron is not None or known is not None:
        return body.polyhedron or known
    faces, edges = list[Flat](), list[np.ndarray]()
    for b in bordered(body):
        border = np.concatenate([_polygon(e, way - (way @ b.normal) * b.normal) for e in b.edges])
        faces += [Flat(b.normal, b.level, border)] if b.faces else []
        edges.append(border)
    if not edges:
        return None
    every = np.concatenate(edges)
    size = float(np.abs(every).max())
    _, first = np.unique(np.round(every.reshape(-1, 3) / (_SAME * size)), axis=0, return_index=True)
    return Polyhedral(every.reshape(-1, 3)[np.sort(first)], every, tuple(faces))


def _polygon(edge: CurvedEdge | Crease | ContactCircle, way: np.ndarray) -> np.ndarray:
    """(m, 2, 3): its sides."""
    points = edge.spread(1 if edge.straight else SAMPLES, way if np.linalg.norm(way) > _NONE else None)
    after = np.roll(points, -1, axis=0) if edge.closed else points[1:]
    return np.stack([points[:len(after)], after], axis=1)


class Flush(NamedTuple):
    """A plane, by a point of it and the normal to the first of two bodies, the flat faces of both, and the contacts in it."""

    point: np.ndarray
    normal: np.ndarray
    flats: Flats
    contacts: Sequence[InPlane]

    def holds(self, points: np.ndarray, size: float) -> bool:
        return bool((np.abs((points - self.point) @ self.normal) <= _LARGE * FLUSH * size).all())


def flush(one: Features, other: Features, a: BodyState, b: BodyState, size: float, known: Flats = (None, None)) -> list[Flush]:
    """The planes in which curved edges of one of two bodies lie on the other one. `known`: their flat faces as they were sampled."""
    found: list[Flush] = []
    for own, its, place, there, side in ((one, other, a, b, 1.0), (other, one, b, a, -1.0)):
        for border in bordered(own):
            for normal, level, two_sided in _planes(its):
                outward = there.turn @ normal
                point = there.centre + level * outward
                if two_sided and (place.centre - point) @ outward < 0.0:
                    outward = -outward
                if border.lies(place, point, outward, size) and not any(_same(f, point, outward, size) for f in found):
                    found += _at((one, other), known, (a, b), point, side * outward, size)
    return found


def _planes(body: Features) -> list[tuple[np.ndarray, float, bool]]:
    if body.polyhedron is not None:
        return [(f.normal, f.level, len(body.polyhedron.faces) == 1) for f in body.polyhedron.faces]
    return [(b.normal, b.level, b.two_sided) for b in bordered(body)]


def _same(one: Flush, point: np.ndarray, normal: np.ndarray, size: float) -> bool:
    return bool(abs(one.normal @ normal) > 1.0 - _SAME and one.holds(point, size))


def _at(bodies: tuple[Features, Features], known: Flats, places: tuple[BodyState, BodyState], point: np.ndarray, normal: np.ndarray,
        size: float) -> list[Flush]:
    one, other = (sampled(body, place.turn.T @ way, flat)
                  for body, place, way, flat in zip(bodies, places, (-normal, normal), known, strict=True))
    if one is None or other is None:
        return []
    contacts = in_plane(one, other, *places, point, normal, size, _LARGE * FLUSH, _LARGE * FLUSH)
    # Where no curved edge touches, contacts are those of parts as they are.
    touch = any(isinstance(c.contact, OnEdge) or bodies[c.turned].polyhedron is None for c in contacts)
    return [Flush(point, normal, (one, other), contacts)] if touch else []
