"""Points of exact rational coordinates, each stored once, with doubles beside them for filters.

Exact coordinates are integers (x, y, z, w), w > 0, of the point (x, y, z) / w in a frame: shifted by a vertex and divided by the greatest
power of two that all coordinates are multiples of, so that w = 1 for all vertices. Integers of the vertices are made when they are needed.

The doubles are coordinates in the same frame divided by a power of two, so that all points lie in [0, 1]. Each is within 2^-53 of the
exact coordinate, so the difference of two is out by less than 2^-51, roundings included.

`DECISIVE` bounds the error of a 3 x 3 determinant of such differences. It is a sum of 6 products of size 1 at most. Errors of the entries
change each product by 3 * 2^-51 and a little, two roundings by 2 * 2^-53, and five additions of sums of size 6 at most by 30 * 2^-53: in
all less than 120 * 2^-53. A 2 x 2 determinant, and a difference, are less far out.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise

import numpy as np

Point = tuple[int, int, int, int]
Vector = tuple[int, int, int]
Place = tuple[float, float, float]
DECISIVE = 2.0**-46


class Points:
    """Points by number: first the vertices, in the order of their coordinates, each once; then those that were made of them.

    `vertices` (n, 3): doubles; `nearby`: the doubles beside all points.
    """

    def __init__(self, places: np.ndarray) -> None:
        """`places` (m, 3): doubles whose box holds all points to come. `owner` (m,): their numbers."""
        places = places + 0.0
        order = np.lexsort(places.T[::-1])
        new = np.append(True, (places[order[1:]] != places[order[:-1]]).any(axis=1))
        self.vertices = places[order[new]]
        self.owner = np.empty(len(places), np.int64)
        self.owner[order] = np.cumsum(new) - 1
        low = self.vertices.min(axis=0)
        self._unit = _least_bit(self.vertices)
        self.origin = tuple(_multiple(c, self._unit) for c in low.tolist())
        scale = int(np.frexp((self.vertices.max(axis=0) - low).max())[1])
        self.places = np.ldexp(self.vertices - low, -scale)
        self._shift = max(0, scale - self._unit)
        self.nearby: list[Place] = list(map(tuple, self.places.tolist()))
        self._exact: list[Point | None] = [None] * len(self.vertices)
        self._number: dict[Point, int] = {}
        self._numbered = False

    def __len__(self) -> int:
        return len(self.nearby)

    @property
    def unit(self) -> Fraction:
        """The size of the integers' unit."""
        return Fraction(2) ** self._unit

    def exact(self, number: int) -> Point:
        """The integers of a point."""
        found = self._exact[number]
        if found is None:
            found = self._exact[number] = self.integers(self.vertices[number].tolist())
        return found

    def integers(self, place: Sequence[float]) -> Point:
        """The integers of a double point."""
        least = min(self._unit, *map(_lowest, place))
        x, y, z = (_multiple(c, least) - (o << self._unit - least) for c, o in zip(place, self.origin, strict=True))
        return x, y, z, 1 << self._unit - least

    def number(self, point: Point) -> int:
        """The number of a point, a new one for a new point."""
        common = math.gcd(*point)
        point = (point[0] // common, point[1] // common, point[2] // common, point[3] // common)
        if point[3] == 1 and not self._numbered:
            self._numbered = True
            self._number |= {self.exact(k): k for k in range(len(self.vertices))}
        found = self._number.get(point)
        if found is None:
            found = self._number[point] = len(self.nearby)
            self._exact.append(point)
            self.nearby.append(self.near(point))
        return found

    def near(self, point: Point) -> Place:
        """The doubles beside a point."""
        x, y, z, w = point
        w <<= self._shift
        return x / w, y / w, z / w

    def doubles(self) -> np.ndarray:
        """(n, 3): the doubles beside all points."""
        made = self.nearby[len(self.places):]
        return np.concatenate([self.places, np.array(made).reshape(-1, 3)])

    def rounded(self, numbers: Sequence[int]) -> tuple[np.ndarray, float]:
        """(n, 3): the nearest doubles of points, not in the frame, and a bound of the distance along a coordinate."""
        vertices = [k for k in numbers if k < len(self.vertices)]
        exact = [(x + w * o, w << -self._unit) for *p, w in map(self.exact, numbers[len(vertices):])
                 for x, o in zip(p, self.origin, strict=True)]
        made = [c / w for c, w in exact]
        moved = max((abs(c * d - r * w) / (w * d) for (c, w), (r, d) in zip(exact, (r.as_integer_ratio() for r in made), strict=True)),
                    default=0.0)
        return np.concatenate([self.vertices[vertices], np.reshape(made, (-1, 3))]), math.nextafter(moved, math.inf) if moved else 0.0

    def ordered(self, numbers: Iterable[int], axis: int) -> list[int]:
        """Points sorted by a coordinate, which is different in all of them."""
        found = sorted(numbers, key=lambda k: self.nearby[k][axis])
        if all(self.nearby[b][axis] - self.nearby[a][axis] > DECISIVE for a, b in pairwise(found)):
            return found

        def beyond(a: int, b: int) -> int:
            p, q = self.exact(a), self.exact(b)
            return p[axis] * q[3] - q[axis] * p[3]

        return sorted(found, key=cmp_to_key(beyond))

    def axis(self, a: int, b: int) -> int:
        """A coordinate that is clearly different in two points, or else the one that is most different."""
        p, q = self.nearby[a], self.nearby[b]
        rough = max(range(3), key=lambda k: abs(q[k] - p[k]))
        if abs(q[rough] - p[rough]) > DECISIVE:
            return rough
        one, other = self.exact(a), self.exact(b)
        return max(range(3), key=lambda k: abs(one[k] * other[3] - other[k] * one[3]))


def _least_bit(places: np.ndarray) -> int:
    """The greatest e such that all coordinates are multiples of 2^e."""
    mantissa, exponent = np.frexp(places[places != 0])
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    last = np.frexp((whole & -whole).astype(float))[1] - 1
    return int((exponent - 53 + last).min(initial=0) if len(whole) else 0)


def _lowest(c: float) -> int:
    """The exponent of the lowest bit of a double."""
    return 1 - c.as_integer_ratio()[1].bit_length() if c else 0


def _multiple(c: float, exponent: int) -> int:
    """The integer c / 2^exponent."""
    numerator, denominator = c.as_integer_ratio()
    return numerator << -exponent - denominator.bit_length() + 1 if exponent <= 0 else numerator >> exponent


def minus(a: Sequence[int], b: Sequence[int]) -> Vector:
    """The vector from b to a, times the product of their w where these are not 1."""
    v, w = a[3], b[3]
    return a[0] * w - b[0] * v, a[1] * w - b[1] * v, a[2] * w - b[2] * v


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot(a: Sequence[int], b: Sequence[int]) -> int:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def determinant(a: Vector, b: Vector, c: Vector) -> int:
    return dot(a, cross(b, c))


def sign(x: int) -> int:
    return (x > 0) - (x < 0)


def crossing(p: Point, q: Point, s: int, r: int) -> Point:
    """The zero, between two points, of a homogeneous linear function with the values s at p and r at q, of opposite signs."""
    if s < 0:
        s, r = -s, -r
    return s * q[0] - r * p[0], s * q[1] - r * p[1], s * q[2] - r * p[2], s * q[3] - r * p[3]
