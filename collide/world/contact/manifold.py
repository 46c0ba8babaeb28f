"""Contact manifold of two bodies, of corners, edges, flat faces and balls: contacts that hold them apart as the whole place of touch does.
"""

from dataclasses import dataclass

import numpy as np

from ..features.features import Features
from ..motion import rotation
from ..motion.state import BodyState
from ..shapes.polyhedral import Polyhedral
from ..shapes.simple import outside
from .closed_forms import ContactGeometry, OnBall, OnFace
from .coplanar import in_plane, turned_face
from .coplanar_curves import Flats
from .feature_pairs import between, followed

# Against size: what touches, or is on a border; and samples of an edge that do, of which the next ones are hardly higher.
_NEAR, _LANDED = 1e-9, 3e-10
# Against the largest, what is no length of a direction across two edges.
_NONE = 1e-12


@dataclass(frozen=True, eq=False)
class Side:
    """One of two bodies: its place, what is known of its shape, seen from its centre of mass, and the radius of a ball, if it is one.
    `features`: its parts, where they are asked for; `sampled`: its flat faces, if it lay on them already.
    """

    place: BodyState
    flat: Polyhedral | None
    ball: float | None
    features: Features | None = None
    sampled: Polyhedral | None = None


@dataclass(frozen=True, eq=False)
class ContactConstraint:
    """A contact of bodies `pair`, whose normal goes to the first of them. `flats`: of those with curved edges that lie in its plane, their
    flat faces, with borders of samples.
    """

    pair: tuple[int, int]
    contact: ContactGeometry
    flats: Flats = (None, None)


def manifold(i: int, j: int, one: Side, other: Side, point: np.ndarray, normal: np.ndarray, size: float,
             lands: bool = False) -> list[ContactConstraint]:
    """The contacts of bodies i and j in a plane through a point, whose unit `normal` goes to the first; none where it is not known how they
    touch. `size`: of the smaller body; `lands`: do they hit each other?
    """
    if one.ball is not None and other.ball is not None:
        return [ContactConstraint((i, j), OnBall(np.zeros(3), one.ball, np.zeros(3), other.ball))]
    if one.ball is not None or other.ball is not None:
        (a, b, k, m, toward) = (one, other, i, j, normal) if one.ball is not None else (other, one, j, i, -normal)
        found = _ball_on(a, b, k, m, point, toward, size)
        return found or by_parts(one, other, i, j, size)
    if one.flat is None or other.flat is None:
        return by_parts(one, other, i, j, size, lands)
    return [ContactConstraint((j, i) if at.turned else (i, j), at.contact)
            for at in in_plane(one.flat, other.flat, one.place, other.place, point, normal, size)]


def _ball_on(ball: Side, other: Side, k: int, m: int, point: np.ndarray, normal: np.ndarray, size: float) -> list[ContactConstraint]:
    """A ball on a flat face."""
    if other.flat is None:
        return []
    own = _own(other, point)
    for face in other.flat.faces:
        if abs(face.normal @ own - face.level) <= _NEAR * size and outside(face, own) <= _NEAR * size:
            side = float(np.sign(face.normal @ (other.place.turn.T @ normal)))
            if abs(face.normal @ (other.place.turn.T @ normal)) > 1.0 - _NEAR:
                return [ContactConstraint((k, m), OnFace(np.zeros(3), ball.ball or 0.0, turned_face(face, side)))]
    return []


def by_parts(one: Side, other: Side, i: int, j: int, size: float, lands: bool = False) -> list[ContactConstraint]:
    """Wherever two bodies touch, if it is known; of an edge that lies in a plane all of it, if it `lands`, else the samples that touch."""
    if one.features is None or other.features is None or not followed(one.features, other.features):
        return []
    found = between(one.features, other.features, one.place, other.place, size, (one.sampled, other.sampled))
    return [ContactConstraint((j, i) if near.turned else (i, j), near.contact, near.flats) for near in found
            if (near.flats != (None, None) and lands) or abs(near.gap) <= (_NEAR if near.flats == (None, None) else _LANDED) * size]


def _own(side: Side, point: np.ndarray) -> np.ndarray:
    return np.asarray(side.place.turn.T @ (point - side.place.centre))


def separating(one: Polyhedral, other: Polyhedral, way: np.ndarray, least: float, same: float) -> np.ndarray | None:
    """A direction from the first to the second along which none of their corners are deeper in each other than `least`, so that none of
    their points are; None if there is none among those of the faces, and across two edges. Of several by which they are apart alike, but
    for `same`, the one that is most along `way`.
    """
    edges = [e[:, 1] - e[:, 0] for e in (one.edges, other.edges)]
    across = rotation.crosses(edges[0][:, None], edges[1][None]).reshape(-1, 3)
    found = np.concatenate([[f.normal for f in (*one.faces, *other.faces)], across])
    sizes = np.linalg.norm(found, axis=1)
    found = (found / np.maximum(sizes, 1e-300)[:, None])[sizes > _NONE * sizes.max()]
    found = np.concatenate([found, -found])
    apart = (other.corners @ found.T).min(axis=0) - (one.corners @ found.T).max(axis=0)
    if not len(one.corners) or not len(other.corners) or not apart.max() >= -least:
        return None
    best = np.flatnonzero(apart >= apart.max() - same)
    return np.asarray(found[best[np.argmax(found[best] @ way)]])
