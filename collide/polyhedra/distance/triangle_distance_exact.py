"""Two triangles of meshes at poses, in integers and rationals: whether they have a common point, and their distance."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

import numpy as np

from ...bodies.dyadic import fractions, integers
from ...bodies.mesh import Mesh
from ..closest.feature_distance import crossing, nearest
from ..closest.memory import put_all
from ..closest.rational_memory import exact_memory

Point = Sequence[int]


class Exact:
    """Exact tests and distances of triangles of two meshes, at the poses (2, 4, 4) that are in an array now."""

    def __init__(self, meshes: tuple[Mesh, Mesh], arrays: Mapping[str, np.ndarray], poses: np.ndarray) -> None:
        self._meshes, self._arrays, self._poses = meshes, arrays, poses
        self._last, self._matrices, self._places = b"", list[list[list[int]]](), dict[tuple[int, int], list[int]]()

    @cached_property
    def _vertices(self) -> tuple[list[list[list[int]]], int]:
        """All coordinates in one unit, and what 1 is in it."""
        *whole, one = integers(np.concatenate([*(mesh.vertices[:, :3].ravel() for mesh in self._meshes), [1.0]])).tolist()
        rows = [whole[k:k + 3] for k in range(0, len(whole), 3)]
        n = len(self._meshes[0].vertices)
        return [rows[:n], rows[n:]], one

    def meet(self, i: int, j: int) -> bool:
        """Whether triangle i of the first and j of the second mesh have a common point."""
        known = have_common_point([self._place(0, k) for k in self._meshes[0].triangles[i].tolist()],
                                  [self._place(1, k) for k in self._meshes[1].triangles[j].tolist()])
        return self.square(i, j) == 0 if known is None else known

    def _place(self, side: int, vertex: int) -> Point:
        """In the world, in one unit for all."""
        now = self._poses.tobytes()
        if now != self._last:
            self._last, self._matrices = now, integers(self._poses[:, :3]).tolist()
            self._places.clear()
        at = self._places.get((side, vertex))
        if at is None:
            (x, y, z), one = self._vertices[0][side][vertex], self._vertices[1]
            at = self._places[side, vertex] = [a * x + b * y + c * z + d * one for a, b, c, d in self._matrices[side]]
        return at

    def square(self, i: int, j: int) -> Fraction:
        """The square of the distance of triangle i of the first and j of the second mesh."""
        pose = np.concatenate([np.append(p[:3, :3].ravel(), p[:3, 3]) for p in self._poses]).reshape(2, 12)
        first = int(self._arrays["begin"][1])
        corners = [mesh.vertices[mesh.triangles[k], :3] for mesh, k in zip(self._meshes, (i, j), strict=True)]
        s = exact_memory(self._arrays, fractions(np.concatenate(corners)), pose, (2, 2, 3 * i, first + 3 * j))
        s.start, s.after = list(range(6)), [1, 2, 0, 4, 5, 3]
        s.slot[:] = 0, 3
        memory = cast(Any, s)
        put_all(memory)
        if any(crossing(memory, side, k) for side in (0, 1) for k in range(3)):
            return Fraction(0)
        return cast(Fraction, nearest(memory))


def have_common_point(first: Sequence[Point], second: Sequence[Point]) -> bool | None:
    """Whether two triangles have a common point. None for those in one plane, or without area, of which this tells nothing.

    What triangles in two planes have in common lies on the line of both planes, and ends where a side of one of them comes to the plane of
    the other: so there is a side that meets the other triangle, and has an end off its plane.
    """
    for face, other in ((first, second), (second, first)):
        n = _cross(_minus(face[1], face[0]), _minus(face[2], face[0]))
        heights = [_dot(n, _minus(p, face[0])) for p in other]
        if min(heights) > 0 or max(heights) < 0:
            return False
        if not any(heights):
            return None
        for k in range(3):
            if min(heights[k], heights[k - 2]) <= 0 <= max(heights[k], heights[k - 2]) and heights[k] != heights[k - 2]:
                turns = _turns(other[k], other[k - 2], face)
                if min(turns) >= 0 or max(turns) <= 0:
                    return True
    return False


def _turns(p: Point, q: Point, face: Sequence[Point]) -> list[int]:
    """On which sides of a line the sides of a triangle pass."""
    way, corners = _minus(q, p), [_minus(c, p) for c in face]
    return [_dot(way, _cross(corners[k], corners[k - 2])) for k in range(3)]


def _minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def _cross(a: Point, b: Point) -> Point:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _dot(a: Point, b: Point) -> int:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
