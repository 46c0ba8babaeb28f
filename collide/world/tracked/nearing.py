"""Which parts of two bodies come near each other, by balls round their points."""

import functools
import math

import numpy as np

from .contact import Place
from .features import Features
from .jets import Part
from .parts import Plane

# Against size: parts farther from each other than this and their spacings are not near each other.
_REACH = 0.3


def near_each_other(one: Features, other: Features, a: Place, b: Place, size: float) -> np.ndarray:
    """(k, n): which parts of two bodies come near each other at any of m times, as balls round their points tell?"""
    (middles, far), (its, wide) = _balls(one), _balls(other)
    reach, found = far[:, None] + wide + _REACH * size + one.radius + other.radius, np.zeros((len(far), len(wide)), bool)
    for k in range(len(a.centre)):
        way = (middles @ a.turn[k].T + a.centre[k])[:, None] - (its @ b.turn[k].T + b.centre[k])
        found |= ~((way * way).sum(axis=2) > reach * reach)
    return found


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
    """(m,): to which points (m, 3) does a part come so near?"""
    if isinstance(part, Plane):
        return np.asarray(np.abs(part.heights(points)) <= reach)
    middle, far = ball_of(part)
    found = np.linalg.norm(points - middle, axis=1) <= far + reach
    found[found] = np.linalg.norm(part.points - points[found, None], axis=2).min(axis=1) <= reach
    return found
