"""Parts of two bodies that come near each other, by balls round their points."""

import functools
import math

import numpy as np

from ..features.features import Features
from ..features.local_geometry import Part
from ..features.straight import FlatPlane, StraightSegment
from ..motion.state import BodyState

# Against size: parts farther from each other than this and their spacings are not near each other.
_REACH = 0.3


def near_each_other(one: Features, other: Features, a: BodyState, b: BodyState, size: float) -> np.ndarray:
    """(k, n): which parts of two bodies come near each other at any of m times, as balls round their points tell, and how far these are
    from flat faces and straight edges, most of which large ones are far from?
    """
    (middles, far), (its, wide) = _balls(one), _balls(other)
    most = _REACH * size + one.radius + other.radius
    places, there = (e @ np.swapaxes(p.turn, 1, 2) + p.centre[:, None] for e, p in ((middles, a), (its, b)))
    way = places[:, :, None] - there[:, None]
    found = ~((way * way).sum(axis=3) > (far[:, None] + wide + most) ** 2)
    for n, part in enumerate(other.parts):
        found[:, :, n] &= _off(part, (places - b.centre[:, None]) @ b.turn) <= far + most
    for n, part in enumerate(one.parts):
        found[:, n] &= _off(part, (there - a.centre[:, None]) @ a.turn) <= wide + most
    return np.asarray(found.any(axis=0))


def _off(part: Part, points: np.ndarray) -> np.ndarray:
    """(m, k): how far points (m, k, 3) are from the plane of a flat face, or from a straight edge, at least; 0 of others."""
    if isinstance(part, FlatPlane):
        return np.abs(part.heights(points))
    if not isinstance(part, StraightSegment):
        return np.zeros(points.shape[:2])
    way = points - part.begin
    along = np.clip((way @ part.way) / (part.way @ part.way), 0.0, 1.0)
    return np.asarray(np.linalg.norm(way - along[..., None] * part.way, axis=2))


@functools.lru_cache(maxsize=512)
def _balls(body: Features) -> tuple[np.ndarray, np.ndarray]:
    """Middles (k, 3) and radii of balls round its parts; of a plane without a border, all there is."""
    known = [ball_of(p) if len(p.points) else (np.zeros(3), math.inf) for p in body.parts]
    return np.array([middle for middle, _ in known]), np.array([far + p.spacing for (_, far), p in zip(known, body.parts, strict=True)])


@functools.lru_cache(maxsize=2048)
def ball_of(part: Part) -> tuple[np.ndarray, float]:
    """Round the points of a part: its middle and radius."""
    middle = part.points.mean(axis=0)
    return middle, float(np.linalg.norm(part.points - middle, axis=1).max())


def nears(part: Part, points: np.ndarray, reach: float) -> np.ndarray:
    """(m,): whether a part comes so near to points (m, 3)."""
    if isinstance(part, FlatPlane):
        return np.asarray(np.abs(part.heights(points)) <= reach)
    middle, far = ball_of(part)
    found = np.linalg.norm(points - middle, axis=1) <= far + reach
    found[found] = np.linalg.norm(part.points - points[found, None], axis=2).min(axis=1) <= reach
    return found
