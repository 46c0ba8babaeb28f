"""Planes and points of a mesh in integers: the side of a plane on which a point is, exactly.

Coordinates are doubles, that is integers after scaling by a power of two. A point is homogeneous, (X, Y, Z, W) with W > 0, so that an
intersection of planes is one, too; a plane is (A, B, C, D), of which the value A X + B Y + C Z - D W has the sign that is asked for.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

Point = tuple[int, int, int, int]
Plane = tuple[int, int, int, int]


def cross(u: Sequence[int], v: Sequence[int]) -> tuple[int, int, int]:
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


def dot(u: Sequence[int], v: Sequence[int]) -> int:
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def value(plane: Plane, point: Point) -> int:
    """Positive above the plane; to be divided by W."""
    return plane[0] * point[0] + plane[1] * point[1] + plane[2] * point[2] - plane[3] * point[3]


def sign(x: int) -> int:
    return (x > 0) - (x < 0)


def between(p: Point, q: Point, plane: Plane) -> Point:
    """The point where the line through p and q, of which one is not on the plane, meets the plane, which is not parallel to it."""
    a, b = value(plane, p), value(plane, q)
    mixed = [a * y - b * x for x, y in zip(p, q, strict=True)]
    return _positive(mixed)


def meeting(first: Plane, second: Plane, third: Plane) -> Point:
    """The one point of three planes."""
    parts = [cross(second, third), cross(third, first), cross(first, second)]
    place = [first[3] * x + second[3] * y + third[3] * z for x, y, z in zip(*parts, strict=True)]
    return _positive([*place, dot(first, parts[0])])


def _positive(point: Sequence[int]) -> Point:
    x, y, z, w = point
    return (x, y, z, w) if w > 0 else (-x, -y, -z, -w)


def mixture(points: Sequence[Point], weights: Sequence[int]) -> Point:
    """The mean of points, by positive weights."""
    x, y, z, w = 0, 0, 0, 1
    for (a, b, c, d), share in zip(points, weights, strict=True):
        x, y, z, w = x * d + share * a * w, y * d + share * b * w, z * d + share * c * w, w * d
    return x, y, z, w * sum(weights)


class Scaled:
    """The vertices (n, 3) of a mesh as integers, in units of 2**-bits."""

    def __init__(self, vertices: np.ndarray) -> None:
        self._vertices, self._known = vertices, dict[int, tuple[int, int, int]]()

    @cached_property
    def bits(self) -> int:
        """So many suffice for all coordinates."""
        _, exponent = np.frexp(self._vertices)
        return int(max(0, (53 - exponent)[self._vertices != 0].max(initial=0)))

    @cached_property
    def _rows(self) -> list[list[float]]:
        return self._vertices.tolist()  # type: ignore[no-any-return]

    def vertex(self, k: int) -> tuple[int, int, int]:
        found = self._known.get(k)
        if found is None:
            x, y, z = ((above << self.bits) // below for above, below in map(float.as_integer_ratio, self._rows[k]))
            found = self._known[k] = x, y, z
        return found

    def points(self, places: Sequence[Sequence[Fraction | float]]) -> list[Point]:
        """Any points of rational coordinates, all with the same W."""
        whole = [[Fraction(c) for c in p] for p in places]
        w = math.lcm(*(c.denominator for p in whole for c in p))
        x, y, z = ([c.numerator * (w // c.denominator) << self.bits for c in column] for column in zip(*whole, strict=True))
        return [(*p, w) for p in zip(x, y, z, strict=True)]

    def at_vertex(self, k: int) -> Point:
        return *self.vertex(k), 1

    def through(self, a: int, b: int, c: int) -> Plane:
        """The plane of three vertices, which they go round counterclockwise as seen from above."""
        p, q, r = map(self.vertex, (a, b, c))
        normal = cross(_minus(q, p), _minus(r, p))
        return *normal, dot(normal, p)

    def along(self, a: int, b: int, k: int) -> Plane:
        """The plane of two vertices that is parallel to an axis; see `location.tree`."""
        p, q = self.vertex(a), self.vertex(b)
        i, j = (k + 1) % 3, (k + 2) % 3
        normal = [0, 0, 0]
        normal[i], normal[j] = p[j] - q[j], q[i] - p[i]
        return normal[0], normal[1], normal[2], dot(normal, p)

    def across(self, k: int, place: float, way: int) -> Plane:
        """The plane x_k = place, which need not be a coordinate of a vertex; above is where x_k is greater, or less."""
        above, below = place.as_integer_ratio()
        normal = [0, 0, 0]
        normal[k] = way * below
        return normal[0], normal[1], normal[2], way * above << self.bits


def _minus(p: Sequence[int], q: Sequence[int]) -> tuple[int, int, int]:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def place(point: Point, bits: int) -> tuple[Fraction, Fraction, Fraction]:
    """The coordinates, exactly."""
    x, y, z, w = point
    return Fraction(x, w << bits), Fraction(y, w << bits), Fraction(z, w << bits)
