"""Outlines of flat faces, exactly: normals from all corners, whether an outline crosses itself, and how it is cut into convex patches.

Points are integers on one grid, so every sign is exact. Coordinates that are not rational are rounded to 180 bits of the largest; signs
of what is smaller than `grain` are then taken for zero.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp

FLAT = 10**9
"""A corner may be above the plane of its face by the size of the face over this; admits rounded coordinates."""

# Bits of a coordinate that is not rational, digits that are computed for these, and bits that are rounding.
_BITS, _DIGITS, _ROUNDED = 180, 70, 80

Point = tuple[int, int, int]
Flat = tuple[int, int]


class IntegerPoints:
    """Points (n, 3) as integers: `at`, each coordinate times one number. `grain`: lengths up to this are rounding; 0 for rational ones."""

    def __init__(self, points: Sequence[Sequence[Any]]) -> None:
        rational = all(isinstance(e, Fraction) for p in points for e in p)
        self.grain = 0 if rational else 1 << _ROUNDED
        numbers = points if rational else [[_near(e) for e in p] for p in points]
        scale = Fraction(math.lcm(*(e.denominator for p in numbers for e in p)))
        if not rational:
            largest = max((abs(e) for p in numbers for e in p), default=Fraction(0)) or Fraction(1)
            scale = Fraction(2) ** (_BITS - math.floor(math.log2(largest.numerator) - math.log2(largest.denominator)))
        self.at: list[Point] = [(round(p[0] * scale), round(p[1] * scale), round(p[2] * scale)) for p in numbers]


def _near(e: Any) -> Fraction:
    if isinstance(e, Fraction):
        return e
    near = sp.Rational(sp.N(e, _DIGITS))
    return Fraction(int(near.p), int(near.q))


def cut(ring: Sequence[Point], grain: int) -> list[tuple[int, ...]]:
    """The positions in an outline of the corners of its patches: quadrilaterals and triangles round the first corner if it is strictly
    convex, else triangles. All are convex, of positive area, and cover the face once.

    Raises ValueError that says what is wrong with the outline: it has no area, is not flat, or crosses itself.
    """
    normal = newell(ring)
    span = max(abs(e) for p in ring for e in minus(p, ring[0]))
    square = dot(normal, normal)
    if square <= (grain * span) ** 2:
        raise ValueError("is degenerate: its corners lie on a line")
    if len(ring) == 3:
        return [(0, 1, 2)]
    heights = [dot(normal, minus(p, ring[0])) for p in ring]
    if ((max(heights) - min(heights)) * FLAT) ** 2 > span**2 * square:
        raise ValueError(f"is not flat: not all of its {len(ring)} corners lie in one plane")
    return _pieces(projected(ring, normal), grain * span)


def triangulated(ring: Sequence[Point]) -> list[tuple[int, ...]]:
    """As `cut`, for an outline that need not be flat, in triangles alone, as seen along its mean normal."""
    normal = newell(ring)
    if not any(normal):
        raise ValueError("is degenerate: its corners lie on a line")
    return [(piece[0], *piece[k:k + 2]) for piece in _pieces(projected(ring, normal), 0) for k in range(1, len(piece) - 1)]


def _pieces(flat: Sequence[Flat], least: int) -> list[tuple[int, ...]]:
    """The patches of an outline in a plane. Areas up to `least` are rounding."""
    count = len(flat)
    turns = [area(flat[k - 1], flat[k], flat[(k + 1) % count]) for k in range(count)]
    if min(turns) > least and all(area(flat[0], flat[k], flat[k + 1]) > least for k in range(1, count - 1)):
        return fans(count)
    if _crossing(flat):
        raise ValueError("crosses itself")
    return list(_ears(flat, least))


def fans(count: int) -> list[tuple[int, ...]]:
    """Quadrilaterals and triangles that share corner 0 of a convex face of so many."""
    return [(0, *range(k, min(k + 3, count))) for k in range(1, count - 1, 2)]


def _ears(flat: Sequence[Flat], least: int) -> Iterator[tuple[int, ...]]:
    """Triangles cut off one after the other, each at a corner that turns left, with no other corner in it (Meisters 1975).

    Corners in the closed triangle count, so no triangle is without area, and none has a corner on a side. An outline may come to a place
    twice, as that of a face with a hole, whose outer and inner border are joined by a line that is gone along in both ways.
    """
    left, start = list(range(len(flat))), 0
    xs, ys = _rounded(flat).T
    while len(left) > 2:
        for step in range(len(left)):
            k = (start + step) % len(left)
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            if flat[a] == flat[c]:  # A line that is gone along forth and back.
                left = [e for e in left if e not in (b, c)]
                break
            if area(flat[a], flat[b], flat[c]) > least and not _within(flat, xs, ys, left, (a, b, c)):
                yield a, b, c
                del left[k]
                break
        else:
            raise ValueError("crosses itself")
        start = k


def _rounded(flat: Sequence[Flat]) -> np.ndarray:
    """Places (n, 2) in doubles, in units of the largest coordinate; their order is kept."""
    largest = max(abs(e) for p in flat for e in p) or 1
    return np.array([[e / largest for e in p] for p in flat])


def _within(flat: Sequence[Flat], xs: np.ndarray, ys: np.ndarray, left: Sequence[int], corners: tuple[int, int, int]) -> bool:
    """Whether a corner is in a closed triangle, at another place than its own. Rounding keeps order: what is in is in the rounded box."""
    own, rest = list(corners), np.array(left)
    x, y = xs[rest], ys[rest]
    near = (x >= xs[own].min()) & (x <= xs[own].max()) & (y >= ys[own].min()) & (y <= ys[own].max())
    a, b, c = (flat[k] for k in corners)
    return any(flat[k] not in (a, b, c) and area(a, b, flat[k]) >= 0 and area(b, c, flat[k]) >= 0 and area(c, a, flat[k]) >= 0
               for k in rest[near].tolist())


def _crossing(flat: Sequence[Flat]) -> bool:
    """Whether two sides cross, or one goes through a corner of another one."""
    points = _rounded(flat)
    ends = np.stack([points, np.roll(points, -1, axis=0)])
    low, high = ends.min(axis=0), ends.max(axis=0)
    for k in range(len(flat)):
        near = (low[k + 1:] <= high[k]).all(axis=1) & (low[k] <= high[k + 1:]).all(axis=1)
        a, b = flat[k], flat[(k + 1) % len(flat)]
        for j in (k + 1 + np.flatnonzero(near)).tolist():
            if _cross_at(a, b, flat[j], flat[(j + 1) % len(flat)]):
                return True
    return False


def _cross_at(a: Flat, b: Flat, c: Flat, d: Flat) -> bool:
    """Whether two segments meet elsewhere than in ends of both; sides that are gone along forth and back do not count."""
    if {a, b} == {c, d}:
        return False
    first, second, third, fourth = area(a, b, c), area(a, b, d), area(c, d, a), area(c, d, b)
    if first * second < 0 and third * fourth < 0:
        return True
    ends = (first, a, b, c), (second, a, b, d), (third, c, d, a), (fourth, c, d, b)
    return any(turn == 0 and _between(p, q, r) for turn, p, q, r in ends)


def _between(a: Flat, b: Flat, p: Flat) -> bool:
    """Whether a point of the line of a and b is strictly between these."""
    return (a[0] - p[0]) * (b[0] - p[0]) + (a[1] - p[1]) * (b[1] - p[1]) < 0


# -- signs ------------------------------------------------------------------------------------------------------------------


def minus(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def cross(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def area(a: Flat, b: Flat, c: Flat) -> int:
    """Twice the area of a triangle, positive if it is counterclockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def newell(ring: Sequence[Point]) -> Point:
    """The sum of the normals of all triangles from the first corner: twice the area, at right angles to the face."""
    sides = [minus(p, ring[0]) for p in ring[1:]]
    parts = [cross(a, b) for a, b in pairwise(sides)]
    return sum(n[0] for n in parts), sum(n[1] for n in parts), sum(n[2] for n in parts)


def projected(points: Sequence[Point], normal: Sequence[int]) -> list[Flat]:
    """Points in a coordinate plane that a plane with this normal is seen from most directly, counterclockwise if they are so about it."""
    k = max(range(3), key=lambda i: abs(normal[i]))
    i, j = ((k + 1) % 3, (k + 2) % 3) if normal[k] > 0 else ((k + 2) % 3, (k + 1) % 3)
    return [(p[i], p[j]) for p in points]
