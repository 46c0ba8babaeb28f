"""Circles along which a curved face has one normal, such as that on which a torus lies: a plane touches all of it at once.

A surface goes into itself under a turn whose velocities c x p + d are along it: at points p with normals n, (p x n, n) (c, d) = 0 (Pottmann
and Wallner 2001, Computational Line Geometry, 3.4). So the axis of a surface of revolution is found by any points of it, up to rounding,
and by the same numbers that it has one. On it, circles go through the places at which the normal is along the axis.
"""

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..motion.rotation import frame
from .local_geometry import Part, inverse, products

# Against the largest: what counts as nothing in the rank of the rows, and as something.
_NONE, _SOME = 1e-10, 1e-6
# Against size: what is one circle, or on it.
_SAME = 1e-9
# Places are found from where the normal is so much along the axis, with so many steps; directions in which it hardly turns are left.
_ALONG, _STEPS, _BENT = 0.8, 12, 1e-2
_POINTS = 32


@dataclass(frozen=True, eq=False)
class ContactCircle:
    """A circle with a unit `normal`, that of the face, outward: all points of that are on the other side of its plane."""

    centre: np.ndarray
    normal: np.ndarray
    radius: float

    straight, closed = False, True

    @functools.cached_property
    def points(self) -> np.ndarray:
        return self.spread(_POINTS, None)

    @property
    def level(self) -> float:
        return float(self.normal @ self.centre)

    def spread(self, count: int, way: np.ndarray | None) -> np.ndarray:
        """(count, 3): points evenly spaced, from the one on that is farthest along a direction, if that is given."""
        axes = frame(self.normal)[1:]
        first = 0.0 if way is None else math.atan2(float(axes[1] @ way), float(axes[0] @ way))
        angles = first + 2.0 * math.pi * np.arange(count) / count
        return np.asarray(self.centre + self.radius * np.stack([np.cos(angles), np.sin(angles)], axis=1) @ axes)


class _Axis(NamedTuple):
    point: np.ndarray
    way: np.ndarray


@functools.lru_cache(maxsize=512)
def rings(face: Part) -> tuple[ContactCircle, ...]:
    """None of what is flat, and of what is no surface of revolution. That of a face which is one they are all is as good as its points are
    dense.
    """
    if face.dimension < 2 or face.straight or not len(face.points):
        return ()
    at = face.start(np.arange(len(face.points)))
    jet = face.jet(at)
    size, axis = float(np.abs(face.points).max()), _axis(jet.point, jet.normal)
    if axis is None:
        return ()
    some = np.abs(jet.normal @ axis.way) > _ALONG
    found = list[ContactCircle]()
    for side in (1.0, -1.0):
        there = _touching(face, at[some & (side * (jet.normal @ axis.way) > 0.0)], side * axis.way, size)
        points = face.jet(there).point
        for ring in _circles(points, _Axis(axis.point, side * axis.way), size, face.spacing):
            if (face.points @ ring.normal).max() <= ring.level + _SAME * size:
                found.append(ring)
    return tuple(found)


def _axis(points: np.ndarray, normals: np.ndarray) -> _Axis | None:
    """The axis of the only turn under which a surface goes into itself; None where there is none, or more than one."""
    middle = points.mean(axis=0)
    size = float(np.abs(points - middle).max())
    rows = np.concatenate([np.cross((points - middle) / size, normals), normals], axis=1)
    if not np.isfinite(rows).all():
        return None
    _, values, ways = np.linalg.svd(rows, full_matrices=False)
    if len(values) < 6 or values[5] > _NONE * values[0] or values[4] <= _SOME * values[0]:
        return None
    turn, along = ways[5, :3], ways[5, 3:]
    length = float(np.linalg.norm(turn))
    if length <= _SOME or abs(turn @ along) > _SAME * length:
        # It shifts, or screws.
        return None
    return _Axis(middle + size * np.cross(turn, along) / length**2, turn / length)


def _touching(face: Part, at: np.ndarray, way: np.ndarray, size: float) -> np.ndarray:
    """Places near these at which the normal goes along a direction."""
    at = facing(face, at, way, _STEPS)
    at = at[np.isfinite(at).all(axis=1)]
    with np.errstate(invalid="ignore"):
        return at[(np.abs(face.jet(at).normal - way).max(axis=1) <= _SAME) & (face.beyond(at) <= _SAME * size)]


def facing(face: Part, at: np.ndarray, way: np.ndarray, steps: int) -> np.ndarray:
    """Places near some, at which the normal goes along a direction (3,), or those of rows (n, 3): by Newton's method, each time by the
    least step, and not where the normal turns little. Not finite where none is found.
    """
    for _ in range(steps if len(at) else 0):
        jet = face.jet(at)
        with np.errstate(all="ignore"):
            bend = -(jet.bent @ jet.normal[:, None, :, None])[..., 0] @ inverse(products(jet.along, jet.along)) @ jet.along
            known = np.isfinite(bend).all(axis=(1, 2))
            by = ((way - jet.normal)[:, None] @ np.linalg.pinv(np.where(known[:, None, None], bend, 0.0), rcond=_BENT))[:, 0]
        at = face.moved(at, np.where(known[:, None], by, np.nan))
    return at


def _circles(points: np.ndarray, axis: _Axis, size: float, spacing: float) -> list[ContactCircle]:
    """Round an axis, of points that are all along them."""
    high, left = (points - axis.point) @ axis.way, np.ones(len(points), bool)
    off = points - axis.point - high[:, None] * axis.way
    radii, found, axes = np.linalg.norm(off, axis=1), list[ContactCircle](), frame(axis.way)[1:]
    angles = np.arctan2(off @ axes[1], off @ axes[0])
    while left.any():
        first = np.argmax(left)
        own = left & (np.abs(radii - radii[first]) <= _SAME * size) & (np.abs(high - high[first]) <= _SAME * size)
        left &= ~own
        if radii[first] > _SOME * size:
            gaps = np.diff(np.sort(angles[own]), append=angles[own].min() + 2.0 * math.pi)
            if gaps.max() * radii[first] <= 2.0 * spacing:
                found.append(ContactCircle(axis.point + high[own].mean() * axis.way, axis.way, float(radii[own].mean())))
    return found


def lying(part: Part) -> tuple[np.ndarray, ...]:
    """(n, 3) each: points of what of a part may lie in a plane with which it touches at a point."""
    if part.dimension == 1:
        return () if part.straight else (part.points,)
    return tuple(ring.points for ring in rings(part))
