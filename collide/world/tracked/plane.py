"""Where two bodies touch in one plane, of corners, edges and flat faces: contacts that hold them apart as the whole place of touch does."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..outline import Flat
from .contact import OnEdge, OnFace, Place, outside
from .polyhedral import Polyhedral

# Against size: what is on a border, or one place; what may be in a plane, whose point is that of some time within the bracket of a hit,
# while bodies move; and what is parallel to it.
_NEAR, _ABOUT, _PARALLEL = 1e-9, 1e-7, 1e-6


class InPlane(NamedTuple):
    """A contact, whose first body is the other one of the two asked for if it is `turned`; and how far they are apart there."""

    contact: OnFace | OnEdge
    turned: bool
    gap: float


def in_plane(one: Polyhedral, other: Polyhedral, a: Place, b: Place, point: np.ndarray, normal: np.ndarray, size: float,
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


def _own(place: Place, point: np.ndarray) -> np.ndarray:
    return np.asarray(place.turn.T @ (point - place.centre))


def _part(flat: Polyhedral, place: Place, point: np.ndarray, normal: np.ndarray, about: float) -> Polyhedral:
    """What of a body is in a plane through a point; its faces with their normals that way."""
    own, up = _own(place, point), place.turn.T @ normal
    high = np.abs((flat.corners - own) @ up) <= about
    edges = (np.abs((flat.edges - own) @ up) <= about).all(axis=1)
    faces = [turned_face(f, float(np.sign(f.normal @ up))) for f in flat.faces
             if abs(f.normal @ up) > 1.0 - _NEAR and abs(f.level - f.normal @ own) <= about]
    return Polyhedral(flat.corners[high], flat.edges[edges], tuple(faces))


def _inside(corners: np.ndarray, own: Place, faces: tuple[Flat, ...], its: Place, size: float) -> list[tuple[np.ndarray, Flat]]:
    found = []
    for corner in corners:
        at = _own(its, own.centre + own.turn @ corner)
        found += [(corner, f) for f in faces if outside(f, at) <= _NEAR * size][:1]
    return found


def _crossings(first: Polyhedral, second: Polyhedral, one: Place, other: Place, normal: np.ndarray, size: float) -> list[OnEdge]:
    """Edges that cross between their ends."""
    found = []
    for edge in first.edges:
        a, along = one.centre + one.turn @ edge[0], one.turn @ (edge[1] - edge[0])
        for crossed in second.edges:
            b, across = other.centre + other.turn @ crossed[0], other.turn @ (crossed[1] - crossed[0])
            cross = np.cross(along, across)
            lengths = float(np.linalg.norm(along)), float(np.linalg.norm(across))
            if np.linalg.norm(cross) <= _PARALLEL * lengths[0] * lengths[1]:
                continue
            s, r, _ = np.linalg.solve(np.column_stack([along, -across, cross]), b - a)
            if all(_NEAR * size < x * length < length - _NEAR * size for x, length in zip((s, r), lengths, strict=True)):
                found.append(OnEdge(edge, crossed, float(np.sign(cross @ normal))))
    return found


def _once(contacts: Sequence[tuple[OnFace | OnEdge, bool]], one: Place, other: Place, near: float, size: float) -> list[InPlane]:
    """One contact at each point, and only where nothing lies between: where corners meet corners they are found twice."""
    found: list[InPlane] = []
    points: list[np.ndarray] = []
    for contact, turned in contacts:
        at = contact.course(*((other, one) if turned else (one, other)))
        if abs(at.gap) <= near and all(np.linalg.norm(at.point - p) > _NEAR * size for p in points):
            found.append(InPlane(contact, turned, float(at.gap)))
            points.append(at.point)
    return found
