"""Contact of two bodies in one plane, of corners, edges and flat faces: contacts that hold them apart as the whole place of touch does."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..motion.rotation import crosses
from ..motion.state import BodyState
from ..shapes.polyhedral import Polyhedral
from ..shapes.simple import Flat, outside
from .closed_forms import OnEdge, OnFace

# Against size: what is on a border, or one place; what may be in a plane, whose point is that of some time within the bracket of a hit,
# while bodies move; and what is parallel to it.
_NEAR, _ABOUT, _PARALLEL = 1e-9, 1e-7, 1e-6


class InPlane(NamedTuple):
    """A contact, whose first body is the other one of the two asked for if it is `turned`; and how far they are apart there."""

    contact: OnFace | OnEdge
    turned: bool
    gap: float


def in_plane(one: Polyhedral, other: Polyhedral, a: BodyState, b: BodyState, point: np.ndarray, normal: np.ndarray, size: float,
             about: float = _ABOUT, near: float = _NEAR) -> list[InPlane]:
    """In a plane through a point, whose unit `normal` goes to the first. `about`: how far, against size, what is in it may be from it;
    `near`: how far apart bodies may be at a contact.
    """
    first, second = _part(one, a, point, -normal, about * size), _part(other, b, point, normal, about * size)
    found = [(OnFace(c, 0.0, f), False) for c, f in _inside(first.corners, a, second.faces, b, size)]
    found += [(OnFace(c, 0.0, f), True) for c, f in _inside(second.corners, b, first.faces, a, size)]
    return _once([*found, *((e, False) for e in _crossings(first, second, a, b, normal, size))], a, b, near * size, size)


def turned_face(face: Flat, side: float) -> Flat:
    return face if side > 0 else Flat(-face.normal, -face.level, face.border, face.cells)


def _own(place: BodyState, point: np.ndarray) -> np.ndarray:
    return np.asarray(place.turn.T @ (point - place.centre))


def _part(flat: Polyhedral, place: BodyState, point: np.ndarray, normal: np.ndarray, about: float) -> Polyhedral:
    """The part of a body in a plane through a point; its faces with their normals that way."""
    own, up = _own(place, point), place.turn.T @ normal
    high = np.abs((flat.corners - own) @ up) <= about
    edges = (np.abs((flat.edges - own) @ up) <= about).all(axis=1)
    faces = [turned_face(f, float(np.sign(f.normal @ up))) for f in flat.faces
             if abs(f.normal @ up) > 1.0 - _NEAR and abs(f.level - f.normal @ own) <= about]
    return Polyhedral(flat.corners[high], flat.edges[edges], tuple(faces))


def _inside(corners: np.ndarray, own: BodyState, faces: tuple[Flat, ...], its: BodyState, size: float) -> list[tuple[np.ndarray, Flat]]:
    at = (own.centre + corners @ own.turn.T - its.centre) @ its.turn
    on = np.array([outside(f, at) <= _NEAR * size for f in faces], bool).reshape(len(faces), len(corners))
    return [(corners[k], faces[np.argmax(on[:, k])]) for k in np.flatnonzero(on.any(axis=0))]


def _crossings(first: Polyhedral, second: Polyhedral, one: BodyState, other: BodyState, normal: np.ndarray, size: float) -> list[OnEdge]:
    """Edges that cross between their ends."""
    (a, along), (b, across) = _lines(first.edges, one), _lines(second.edges, other)
    upright, lengths = crosses(along[:, None], across), (_sizes(along)[:, None], _sizes(across))
    square, way = (upright * upright).sum(axis=2), b - a[:, None]
    crossing = np.sqrt(square) > _PARALLEL * lengths[0] * lengths[1]
    for other_way, length in zip((across, along[:, None]), lengths, strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            at = length * (crosses(way, other_way) * upright).sum(axis=2) / square
        crossing &= (at > _NEAR * size) & (at < length - _NEAR * size)
    return [OnEdge(first.edges[i], second.edges[j], float(np.sign(upright[i, j] @ normal))) for i, j in np.argwhere(crossing)]


def _lines(edges: np.ndarray, place: BodyState) -> tuple[np.ndarray, np.ndarray]:
    """(m, 3) each: a point and the way of edges, in the world."""
    return place.centre + edges[:, 0] @ place.turn.T, (edges[:, 1] - edges[:, 0]) @ place.turn.T


def _sizes(rows: np.ndarray) -> np.ndarray:
    return np.asarray(np.sqrt((rows * rows).sum(axis=1)))


def _once(contacts: Sequence[tuple[OnFace | OnEdge, bool]], one: BodyState, other: BodyState, near: float, size: float) -> list[InPlane]:
    """One contact at each point, and only where nothing lies between: where corners meet corners they are found twice."""
    found: list[InPlane] = []
    points: list[np.ndarray] = []
    for contact, turned in contacts:
        at = contact.course(*((other, one) if turned else (one, other)))
        if abs(at.gap) <= near and all(np.linalg.norm(at.point - p) > _NEAR * size for p in points):
            found.append(InPlane(contact, turned, float(at.gap)))
            points.append(at.point)
    return found
