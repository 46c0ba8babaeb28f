"""Segments along which triangles of two meshes meet, exactly.

Two triangles that are not in one plane meet in a segment of the line of both planes, if at all; single points divide nothing. Triangles in
one plane divide each other along their sides.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from codegen.deadline import check

from ...culling.sweep import sweep_and_prune
from .exact_points import DECISIVE, Point, Points, between, cross, dot, minus, sign

Corners = tuple[int, int, int]


class Meeting(NamedTuple):
    """Triangle `a` of the first mesh and `b` of the second: the ends of their common segment, or none where they lie in one plane."""

    a: int
    b: int
    ends: tuple[int, int] | None


def meetings(points: Points, first: np.ndarray, second: np.ndarray) -> list[Meeting]:
    """All pairs of triangles, (m, 3) numbers of points, that meet in a segment, or lie in one plane and overlap by their boxes."""
    places = points.doubles()
    close = _close(places, first, second)
    rows = np.stack([_sides(places, second[close[:, 1]], first[close[:, 0]]), _sides(places, first[close[:, 0]], second[close[:, 1]])])
    # All corners are clearly on one side of the other plane.
    apart = ((rows > DECISIVE).all(axis=2) | (rows < -DECISIVE).all(axis=2)).any(axis=0)
    found = []
    for a, b in close[~apart].tolist():
        check()
        meeting = _meeting(points, (a, b), first[a].tolist(), second[b].tolist())
        if meeting is not None:
            found.append(meeting)
    return found


def _close(places: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(k, 2): pairs whose boxes, a little widened, overlap."""
    corners = places[np.concatenate([first, second])]
    low, high = corners.min(axis=1) - DECISIVE, corners.max(axis=1) + DECISIVE
    pairs = np.sort(sweep_and_prune(low, high), axis=1)
    pairs = pairs[(pairs[:, 0] < len(first)) & (pairs[:, 1] >= len(first))]
    return np.asarray(pairs - [0, len(first)])


def _sides(places: np.ndarray, planes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """(k, 3): determinants whose signs tell on which side of the plane of a triangle the corners of another one are."""
    p, q, r = (places[planes[:, k]] for k in range(3))
    normals = np.cross(q - p, r - p)
    return np.asarray(np.stack([((places[corners[:, k]] - p) * normals).sum(axis=1) for k in range(3)], axis=1))


def _meeting(points: Points, pair: tuple[int, int], first: Sequence[int], second: Sequence[int]) -> Meeting | None:
    one, other = ([points.exact[k] for k in corners] for corners in (first, second))
    n, m = _normal(one), _normal(other)
    if not any(n) or not any(m):
        return None
    heights = [dot(m, minus(p, other[0])) for p in one]
    if not any(heights):
        return Meeting(*pair, None)
    depths = [dot(n, minus(p, one[0])) for p in other]
    cuts = _cut(one, heights), _cut(other, depths)
    if min(map(len, cuts)) < 2:
        return None
    way = cross(n, m)
    axis = max(range(3), key=lambda k: abs(way[k]))
    (a, b), (c, d) = (sorted(cut, key=lambda p: p[axis]) for cut in cuts)
    begin, end = max(a, c, key=lambda p: p[axis]), min(b, d, key=lambda p: p[axis])
    return Meeting(*pair, (points.number(begin), points.number(end))) if begin[axis] < end[axis] else None


def _normal(corners: Sequence[Point]) -> Point:
    return cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]))


def _cut(corners: Sequence[Point], heights: Sequence[Fraction]) -> list[Point]:
    """The ends of the part of a triangle at height 0: none, one or two points."""
    found = [p for p, h in zip(corners, heights, strict=True) if not h]
    for k in range(3):
        a, b = heights[k - 1], heights[k]
        if sign(a) * sign(b) < 0:
            found.append(between(corners[k - 1], corners[k], a / (a - b)))
    return found
