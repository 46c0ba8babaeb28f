"""Where two bodies touch, of corners, edges, flat faces and balls: contacts that hold them apart as the whole place of touch does."""

from dataclasses import dataclass

import numpy as np

from ..outline import Flat
from .contact import OnBall, OnEdge, OnFace, Place, outside
from .curved import OnSmooth
from .features import Features
from .pairs import between, followed
from .polyhedral import Polyhedral

# Against size: what touches, or is on a border; what may be in a plane, whose point is that of some time within the bracket of a hit, while
# bodies move; and what is parallel to it.
_NEAR, _ABOUT, _PARALLEL = 1e-9, 1e-7, 1e-6


Contact = OnFace | OnBall | OnEdge | OnSmooth


@dataclass(frozen=True, eq=False)
class Side:
    """One of two bodies: its place, what is known of its shape, seen from its centre of mass, and the radius of a ball, if it is one.
    `features`: its parts, where they are asked for.
    """

    place: Place
    flat: Polyhedral | None
    ball: float | None
    features: Features | None = None


@dataclass(frozen=True, eq=False)
class Link:
    """A contact of bodies `pair`, whose normal goes to the first of them."""

    pair: tuple[int, int]
    contact: Contact


def manifold(i: int, j: int, one: Side, other: Side, point: np.ndarray, normal: np.ndarray, size: float) -> list[Link]:
    """The contacts of bodies i and j in a plane through a point, whose unit `normal` goes to the first; none where it is not known how they
    touch. `size`: of the smaller body.
    """
    if one.ball is not None and other.ball is not None:
        return [Link((i, j), OnBall(np.zeros(3), one.ball, np.zeros(3), other.ball))]
    if one.ball is not None or other.ball is not None:
        (a, b, k, m, toward) = (one, other, i, j, normal) if one.ball is not None else (other, one, j, i, -normal)
        found = _ball_on(a, b, k, m, point, toward, size)
        return found or by_parts(one, other, i, j, size)
    if one.flat is None or other.flat is None:
        return by_parts(one, other, i, j, size)
    first, second = _in_plane(one, point, -normal, size), _in_plane(other, point, normal, size)
    links = [Link((i, j), OnFace(c, 0.0, f)) for c, f in _inside(first.corners, one, second.faces, other, size)]
    links += [Link((j, i), OnFace(c, 0.0, f)) for c, f in _inside(second.corners, other, first.faces, one, size)]
    links += [Link((i, j), e) for e in _crossings(first, second, one, other, normal, size)]
    return _once(links, {i: one.place, j: other.place}, size)


def _ball_on(ball: Side, other: Side, k: int, m: int, point: np.ndarray, normal: np.ndarray, size: float) -> list[Link]:
    """A ball on a flat face."""
    if other.flat is None:
        return []
    own = _own(other, point)
    for face in other.flat.faces:
        if abs(face.normal @ own - face.level) <= _NEAR * size and outside(face, own) <= _NEAR * size:
            side = float(np.sign(face.normal @ (other.place.turn.T @ normal)))
            if abs(face.normal @ (other.place.turn.T @ normal)) > 1.0 - _NEAR:
                return [Link((k, m), OnFace(np.zeros(3), ball.ball or 0.0, _turned(face, side)))]
    return []


def by_parts(one: Side, other: Side, i: int, j: int, size: float) -> list[Link]:
    """Wherever two bodies touch, if it is known."""
    if one.features is None or other.features is None or not followed(one.features, other.features):
        return []
    found = between(one.features, other.features, one.place, other.place, size)
    return [Link((j, i) if near.turned else (i, j), near.contact) for near in found if abs(near.gap) <= _NEAR * size]


def _own(side: Side, point: np.ndarray) -> np.ndarray:
    return np.asarray(side.place.turn.T @ (point - side.place.centre))


def _turned(face: Flat, side: float) -> Flat:
    return face if side > 0 else Flat(-face.normal, -face.level, face.border, face.cells)


def _in_plane(side: Side, point: np.ndarray, normal: np.ndarray, size: float) -> Polyhedral:
    """What of a body is in a plane through a point; its faces with their normals that way."""
    assert side.flat is not None
    own, up = _own(side, point), side.place.turn.T @ normal
    high = np.abs((side.flat.corners - own) @ up) <= _ABOUT * size
    edges = (np.abs((side.flat.edges - own) @ up) <= _ABOUT * size).all(axis=1)
    faces = [_turned(f, float(np.sign(f.normal @ up))) for f in side.flat.faces
             if abs(f.normal @ up) > 1.0 - _NEAR and abs(f.level - f.normal @ own) <= _ABOUT * size]
    return Polyhedral(side.flat.corners[high], side.flat.edges[edges], tuple(faces))


def _inside(corners: np.ndarray, own: Side, faces: tuple[Flat, ...], other: Side, size: float) -> list[tuple[np.ndarray, Flat]]:
    found = []
    for corner in corners:
        at = _own(other, own.place.centre + own.place.turn @ corner)
        found += [(corner, f) for f in faces if outside(f, at) <= _NEAR * size][:1]
    return found


def _crossings(first: Polyhedral, second: Polyhedral, one: Side, other: Side, normal: np.ndarray, size: float) -> list[OnEdge]:
    """Edges that cross between their ends."""
    found = []
    for edge in first.edges:
        a, along = one.place.centre + one.place.turn @ edge[0], one.place.turn @ (edge[1] - edge[0])
        for crossed in second.edges:
            b, across = other.place.centre + other.place.turn @ crossed[0], other.place.turn @ (crossed[1] - crossed[0])
            cross = np.cross(along, across)
            lengths = float(np.linalg.norm(along)), float(np.linalg.norm(across))
            if np.linalg.norm(cross) <= _PARALLEL * lengths[0] * lengths[1]:
                continue
            s, r, _ = np.linalg.solve(np.column_stack([along, -across, cross]), b - a)
            if all(_NEAR * size < x * length < length - _NEAR * size for x, length in zip((s, r), lengths, strict=True)):
                found.append(OnEdge(edge, crossed, float(np.sign(cross @ normal))))
    return found


def _once(links: list[Link], places: dict[int, Place], size: float) -> list[Link]:
    """One contact at each point, and only where nothing lies between: where corners meet corners they are found twice."""
    found: list[Link] = []
    points: list[np.ndarray] = []
    for link in links:
        at = link.contact.course(places[link.pair[0]], places[link.pair[1]])
        if abs(at.gap) <= _NEAR * size and all(np.linalg.norm(at.point - p) > _NEAR * size for p in points):
            found.append(link)
            points.append(at.point)
    return found
