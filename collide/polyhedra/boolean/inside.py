"""Exact location of points in closed surfaces of triangles, by the parity of crossings with a ray.

Let d be the differences of the corners to the point, and w the direction of the ray. Its line goes through the interior of a triangle if
the determinants (w, d_i, d_j) of its three sides have one sign. It does so ahead of the point if (d_0, d_1, d_2) has that sign too, and
the point lies on the triangle if that is 0. If one of the first three is 0, another direction is taken.
"""

import random
from collections.abc import Iterator

import numpy as np

from codegen.deadline import check

from .exact_points import DECISIVE, Point, Points, Vector, cross, determinant, dot, minus, sign

# Entries of directions, over 2^10.
_LARGEST = 1 << 10


class ClosedTriangles:
    """Triangles (m, 3) of numbers of points, which close up."""

    def __init__(self, points: Points, triangles: np.ndarray) -> None:
        self.points, self.triangles = points, np.asarray(triangles, np.int64).reshape(-1, 3)
        self.corners = points.doubles()[self.triangles]
        # Of no triangles the box is empty.
        self.low = self.corners.min(axis=(0, 1), initial=np.inf)
        self.high = self.corners.max(axis=(0, 1), initial=-np.inf)

    def contains(self, point: Point) -> bool | None:
        """Whether a point is inside; None on a triangle."""
        near = np.array(self.points.near(point))
        if (near < self.low - DECISIVE).any() or (near > self.high + DECISIVE).any():
            return False
        for way in _directions():
            check()
            count = self._crossings(point, near, way)
            if count is not None:
                return None if count < 0 else count % 2 == 1
        raise AssertionError("directions do not end")

    def _crossings(self, point: Point, near: np.ndarray, way: tuple[int, int, int]) -> int | None:
        """The number of times that a ray crosses the surface; -1 for a point on it, None where the ray meets a side."""
        d, w = self.corners - near, np.array(way) / _LARGEST
        turned = np.cross(d, np.roll(d, -1, axis=1))
        sides = turned @ w
        clear = np.abs(sides) > DECISIVE
        signs = np.where(clear, np.sign(sides), 2).astype(int)
        missed = clear.all(axis=1) & (np.ptp(signs, axis=1) > 0) | ((signs == 1).any(axis=1) & (signs == -1).any(axis=1))
        height = (d[:, 0] * np.cross(d[:, 1], d[:, 2])).sum(axis=1)
        told = clear.all(axis=1) & (np.abs(height) > DECISIVE)
        count = int((told & ~missed & (np.sign(height) == signs[:, 0])).sum())
        for k in np.flatnonzero(~told & ~missed).tolist():
            one = self._crossing(point, way, self.triangles[k].tolist())
            if one is None or one < 0:
                return one
            count += one
        return count

    def _crossing(self, point: Point, way: tuple[int, int, int], corners: list[int]) -> int | None:
        # Each is the exact difference times a positive number.
        d = [minus(self.points.exact(k), point) for k in corners]
        height = sign(determinant(*d))
        sides = [sign(determinant(way, d[k - 1], d[k])) for k in (1, 2, 0)]
        if min(sides) == -1 and max(sides) == 1:
            return 0
        if 0 in sides:
            # A side, or a triangle along the ray: a point on the triangle is seen in any direction.
            return -1 if height == 0 and _is_on(d) else None
        return -1 if height == 0 else int(height == sides[0])


def _is_on(d: list[Vector]) -> bool:
    """Whether the origin, in the plane of a triangle, lies in it, its sides included: seen from there, no sides run in opposite senses."""
    turned = [cross(d[k - 1], d[k]) for k in range(3)]
    normal = next(n for n in turned if any(n))
    sides = [sign(dot(normal, n)) for n in turned]
    return min(sides) >= 0 or max(sides) <= 0


def _directions() -> Iterator[tuple[int, int, int]]:
    """Directions without end, the same ones each time."""
    rng = random.Random(0)
    while True:
        x, y, z = (rng.randrange(-_LARGEST, _LARGEST + 1) for _ in range(3))
        if x and y and z:
            yield x, y, z
