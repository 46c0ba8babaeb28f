"""Sides of contacts: the parts of bodies that may touch, and the planes that prove on which side of each other they are."""

import numpy as np

from ..contact.manifold import Side, manifold, separating
from ..features.features import Features, ball, features
from ..motion.polynomial import place_of
from ..shapes.polyhedral import Polyhedral, polyhedral
from ..shapes.simple import Flat, outside
from . import next_contact
from .event_queue import PairKey
from .state import Simulation

# Against size: points that are one, and normals that are out by no more.
SAME = 1e-9
# Against size: how deep corners may be in each other where a search finds that they touch.
_DEEP = 1e-7


def shape_of(s: Simulation, k: int) -> Polyhedral | None:
    actor = s.actors[k]
    middle = float(actor.middle[0]), float(actor.middle[1]), float(actor.middle[2])
    return polyhedral(actor.rigid.outline, middle) if actor.ball is None else None


def features_of(s: Simulation, k: int) -> Features | None:
    actor = s.actors[k]
    middle = float(actor.middle[0]), float(actor.middle[1]), float(actor.middle[2])
    return ball(actor.ball) if actor.ball is not None else features(actor.rigid.outline, middle)


def corners_of(s: Simulation, k: int, shape: Polyhedral) -> np.ndarray:
    place = place_of(s.actors[k].course, s.now)
    return np.asarray(place.centre + shape.corners @ place.turn.T)


def separating_normal(s: Simulation, key: PairKey) -> np.ndarray | None:
    """A normal of bodies with corners that touch where a search finds none, as where edges are parallel."""
    shapes, places = [shape_of(s, k) for k in key.bodies], [place_of(s.actors[k].course, s.now) for k in key.bodies]
    if shapes[0] is None or shapes[1] is None:
        return None
    one, other = (shape.moved(p.turn, p.centre) for shape, p in zip((shapes[0], shapes[1]), places, strict=True))
    # They come together that way.
    way = places[0].velocity - places[1].velocity
    return separating(one, other, way, _DEEP * s.size(key), SAME * s.size(key))


def refuted(s: Simulation, key: PairKey, points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """(k,): whether normals are those of no planes between two bodies, since one of them is convex, and is beyond: a corner of it, where
    both have flat faces, or the centre of a ball.
    """
    found, shapes = np.zeros(len(points), bool), [shape_of(s, k) for k in key.bodies]
    for k, shape, side in zip(key.bodies, shapes, (1.0, -1.0), strict=True):
        # The centre of a patch is on its surface, so it tells nothing; that of a ball does.
        corners = corners_of(s, k, shape) if shape is not None and None not in shapes and len(shape.corners) else None
        parts = features_of(s, k) if corners is not None or s.actors[k].ball is not None else None
        if parts is not None and parts.convex:
            way = (s.actors[k].course.centre_at(s.now)[None] if corners is None else corners)[:, None] - points
            # Of large bodies, by as much as a normal may be out.
            found |= (side * (way * normals).sum(axis=2) > _DEEP * (s.size(key) + np.linalg.norm(way, axis=2))).any(axis=0)
    return found


def in_planes(s: Simulation, key: PairKey, points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """(k,): whether normals are those of planes between two bodies of flat faces. Edges that end at corners, or whose faces go on in each
    other, may be listed with others, or with none: at points in such a plane these say nothing. All are, where one is elsewhere.
    """
    sides = [Side(place_of(s.actors[k].course, s.now), shape_of(s, k), None) for k in key.bodies]
    if any(side.flat is None for side in sides):
        return np.ones(len(points), bool)
    size = s.size(key)
    known = np.array([bool(manifold(key.i, key.j, sides[0], sides[1], p, -n, size)) for p, n in zip(points, normals, strict=True)])
    near = [np.abs(((points[known] - p) * normals[known]).sum(axis=1)) for p in points]
    return known if all((e <= SAME * size).any() for e in near) else np.ones(len(points), bool)


def watched(s: Simulation, key: PairKey) -> bool:
    """Whether all parts of two bodies are known not to touch elsewhere while these stay in contact: where curved surfaces are tracked, of
    balls on solids that are convex, of convex bodies of flat faces, whose corners stay on both sides of the planes of contacts that are
    followed, and of bodies on the two sides of the plane of a face.
    """
    plain = any(s.actors[k].ball is not None for k in key.bodies) or (next_contact.both_flat(s, key) and bool(s.touch(key).links))
    parts = [features_of(s, k) for k in key.bodies] if plain else [None]
    face = s.touch(key).face
    return (
        any(link.contact.tracked for link in s.touch(key).links)
        or all(p is not None and p.convex for p in parts)
        or (face is not None and parted_by(s, key, *face))
    )


def parted_by(s: Simulation, key: PairKey, k: int, face: Flat) -> bool:
    """Whether two bodies are on different sides of the plane of a face of body k, which is all that this one has there."""
    fixed, other, near = shape_of(s, k), sum(key.bodies) - k, SAME * s.size(key)
    if fixed is None:
        return False
    corners = corners_of(s, k, fixed)
    side = float(np.sign(face.normal @ s.actors[other].course.centre_at(s.now) - face.level))
    high = side * (corners @ face.normal - face.level)
    if (high > near).any() or (outside(face, corners[high >= -near]) > near).any():
        return False
    shape, parts = shape_of(s, other), features_of(s, other)
    if shape is not None:
        return bool((side * (corners_of(s, other, shape) @ face.normal - face.level) >= -near).all())
    return parts is not None and parts.convex
