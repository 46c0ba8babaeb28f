"""A common point of two convex bodies, carried along from pose to pose: as long as it is inside both, they meet.

The point x is kept in the frame of the first body. At a pose it is y in that of the second one: R y + s = Q x + q, where the columns of the
rotations Q, R need not be exactly orthonormal. With y' the double near R^T (Q x + q - s) and e = R y' + s - Q x - q, the point y is within
1.01 |e| of y', as columns are orthonormal up to 1e-6. A point is inside a convex body if it is below the planes of all its faces.
"""

from functools import cached_property

import numpy as np

from .convex_mesh import Convex

# Steps from face to face, and how often the depth that is looked for is divided by four.
_STEPS, _ROUNDS = 24, 12
_ROUNDOFF = 2.0**-50


class FacePlanes:
    """The planes of a body: a point x with |x|_1 <= 2 `size` is inside by more than `by` if `normal` x - `offset` + `off` < -`by` for all.

    Components of the product of two sides of a triangle are out by 8 * 2^-53 of the product of their sums |.|_1: three roundings in each of
    two products, and one. Over the length of the normal, for distances of 4 `size` at most, that is less than the first term of `off`; the
    second one covers the roundings of normal, offset and distance, less than 64 * 2^-53 `size`.
    """

    def __init__(self, body: Convex) -> None:
        corners = body.vertices[body.start].reshape(-1, 3, 3)
        sides = corners[:, 1:] - corners[:, :1]
        normals = np.cross(sides[:, 0], sides[:, 1])
        length = np.sqrt((normals**2).sum(axis=1))
        known = _ROUNDOFF * np.abs(sides).sum(axis=2).prod(axis=1)
        self.size = float(np.abs(body.vertices).sum(axis=1).max())
        with np.errstate(divide="ignore", invalid="ignore"):
            self.normal = np.where(length[:, None] > 0, normals / length[:, None], 0.0)
            self.off = np.where(length > 4 * known, self.size * (16 * known / length + 2.0**-46), np.inf)
        self.offset = (self.normal * corners[:, 0]).sum(axis=1)

    def depth(self, point: np.ndarray) -> float:
        """A bound: the point is inside by more, if it is positive."""
        if not np.abs(point).sum() <= 2 * self.size:
            return -np.inf
        return -float((self.normal @ point - self.offset + self.off).max())


class CommonPoint:
    """`point` (3,): in the frame of the first body, or None where none is known."""

    def __init__(self, bodies: tuple[Convex, Convex]) -> None:
        self.bodies = bodies
        self.point: np.ndarray | None = None

    @cached_property
    def planes(self) -> tuple[FacePlanes, FacePlanes]:
        """Those of both bodies."""
        return FacePlanes(self.bodies[0]), FacePlanes(self.bodies[1])

    def proved(self, pose: np.ndarray) -> np.ndarray | None:
        """The point in the world if it is *proved* inside both bodies at poses (2, 12), moved to be so if need be; else None."""
        if self.point is None:
            return None
        if not self._inside(pose, self.point):
            self.point = self._moved(pose, self.point)
        return None if self.point is None else pose[0, :9].reshape(3, 3) @ self.point + pose[0, 9:]

    def look(self, pose: np.ndarray, place: np.ndarray) -> None:
        """Look for one near a place (3,) in the world that is in both bodies."""
        self.point = self._moved(pose, pose[0, :9].reshape(3, 3).T @ (place - pose[0, 9:]))

    def _inside(self, pose: np.ndarray, point: np.ndarray) -> bool:
        (q, shift), (r, other) = ((p[:9].reshape(3, 3), p[9:]) for p in pose)
        place = q @ point + shift
        seen = r.T @ (place - other)
        error = np.abs(r @ seen + other - place).sum()
        # Roundings of both sums, whose terms are no larger than this.
        largest = np.abs(shift).sum() + np.abs(other).sum() + 2 * (np.abs(point).sum() + np.abs(seen).sum())
        first, second = self.planes
        return bool(first.depth(point) > 0 and second.depth(seen) > 1.01 * error + 16 * _ROUNDOFF * largest)

    def _moved(self, pose: np.ndarray, point: np.ndarray) -> np.ndarray | None:
        """A point inside both, as deep as is easily found: from one nearby, away from the face that is nearest (Motzkin and Schoenberg
        1954). None for none.
        """
        (q, shift), (r, other) = ((p[:9].reshape(3, 3), p[9:]) for p in pose)
        first, second = self.planes
        normals = np.concatenate([first.normal, second.normal @ (r.T @ q)])
        offsets = np.concatenate([first.offset, second.offset - second.normal @ (r.T @ (shift - other))])
        depth = 0.25 * min(first.size, second.size)
        for _ in range(_ROUNDS):
            for _ in range(_STEPS):
                heights = normals @ point - offsets
                k = int(heights.argmax())
                if heights[k] <= -depth:
                    return point if self._inside(pose, point) else None
                point = point - (heights[k] + 1.5 * depth) * normals[k]
            depth *= 0.25
        return None
