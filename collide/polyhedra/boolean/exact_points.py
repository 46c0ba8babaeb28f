"""Points of rational coordinates, each stored once, with doubles beside them for filters.

The doubles are coordinates in a frame in which all points lie within 1 of the origin: shifted by an exact point and divided by a power of
two. Each is within 2^-52 of the exact coordinate, so the difference of two, of size 2 at most, is out by 2^-51 at most, roundings included.

`DECISIVE` bounds the error of a 3 x 3 determinant of such differences. It is a sum of 6 products of size 8 at most. Errors of the entries
change each product by at most 3 * 4 * 2^-51, two roundings by 16 * 2^-53 together, and five additions of sums of size 48 at most by
240 * 2^-53: in all less than 2^-43. A 2 x 2 determinant is less far out.
"""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

Point = tuple[Fraction, Fraction, Fraction]
DECISIVE = 2.0**-43


class Points:
    """Points by number."""

    def __init__(self, places: np.ndarray) -> None:
        """`places` (n, 3): doubles whose box holds all points to come."""
        low, high = places.min(axis=0), places.max(axis=0)
        self._origin = [Fraction(float(c)) for c in low]
        size = max(Fraction(float(b)) - Fraction(float(a)) for a, b in zip(low, high, strict=True))
        self._scale = Fraction(2) ** max(0, (size.numerator // size.denominator).bit_length()) if size >= 1 else Fraction(1)
        while size and size * 2 < self._scale:
            self._scale /= 2
        self.exact: list[Point] = []
        self.nearby: list[tuple[float, float, float]] = []
        self._number: dict[Point, int] = {}

    def number(self, point: Point) -> int:
        """The number of a point, a new one for a new point."""
        found = self._number.get(point)
        if found is None:
            found = self._number[point] = len(self.exact)
            self.exact.append(point)
            self.nearby.append(self.near(point))
        return found

    def near(self, point: Point) -> tuple[float, float, float]:
        """The doubles beside a point."""
        x, y, z = (float((c - o) / self._scale) for c, o in zip(point, self._origin, strict=True))
        return x, y, z

    def doubles(self, numbers: Iterable[int] | None = None) -> np.ndarray:
        """(n, 3): the doubles beside some points, or all."""
        return np.array(self.nearby if numbers is None else [self.nearby[k] for k in numbers]).reshape(-1, 3)


def minus(a: Point, b: Point) -> Point:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def cross(a: Point, b: Point) -> Point:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot(a: Point, b: Point) -> Fraction:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def determinant(a: Point, b: Point, c: Point) -> Fraction:
    return dot(a, cross(b, c))


def sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


def between(a: Point, b: Point, share: Fraction) -> Point:
    """The point a + share (b - a)."""
    x, y, z = (p + share * (q - p) for p, q in zip(a, b, strict=True))
    return x, y, z
