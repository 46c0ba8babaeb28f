"""Segments along which triangles of two meshes meet, exactly.

Two triangles that are not in one plane meet in a segment of the line of both planes, if at all; single points divide nothing. Triangles in
one plane divide each other along their sides.

Most pairs are decided at once, by signs of determinants in doubles that are clear (`DECISIVE`), and by corners that are one point:

- If all corners of one triangle are on one side of the other plane, but at most one that is a corner of the other triangle, too, the
  triangles meet in no segment. If two are corners of both, and the third one is on a side, they meet in that side alone.
- If no corner is in the other plane, the ends of the segment are the points where a side of one triangle goes through the other triangle:
  its ends are on different sides of the plane, and it passes the three sides of the triangle in one sense.

The others are decided by integers, one by one.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from codegen.deadline import check

from ...culling.sweep import Sweep
from .exact_points import DECISIVE, Point, Points, Vector, cross, crossing, dot, minus, sign

UNCLEAR = 2
Corners = tuple[int, int, int]
Side = tuple[int, int]


class TriangleCrossing(NamedTuple):
    """Triangle `a` of the first mesh and `b` of the second: the ends of their common segment, or none where they lie in one plane."""

    a: int
    b: int
    ends: tuple[int, int] | None


class TriangleMeetings(NamedTuple):
    """`beside` (k, 4): pairs of triangles that clearly meet in a common side alone, and its ends; `crossings`: all others that meet in a
    segment, or lie in one plane and overlap by their boxes; `on`: of sides, the lesser end first, points on them.
    """

    beside: np.ndarray
    crossings: list[TriangleCrossing]
    on: dict[Side, list[int]]


def meetings(points: Points, first: np.ndarray, second: np.ndarray) -> TriangleMeetings:
    """All pairs of triangles, (m, 3) numbers of vertices, that meet."""
    close = _close(points.places, first, second)
    one, other = first[close[:, 0]], second[close[:, 1]]
    same = one[:, :, None] == other[:, None, :]
    sides = np.stack([np.where(same.any(axis=2), 0, _sides(points.places, other, one)),
                      np.where(same.any(axis=1), 0, _sides(points.places, one, other))], axis=1)
    clear = (sides != UNCLEAR).all(axis=(1, 2))
    apart = (_on_one_side(sides) & ((sides == 0).sum(axis=2) < 2)).any(axis=1)
    beside = clear & ((sides == 0).sum(axis=2) == 2).all(axis=1)
    crossed = clear & (sides != 0).all(axis=(1, 2)) & ~apart
    passed = np.full((len(close), 3, 3), np.int8(UNCLEAR))
    passed[crossed] = _signs(_turns(points.places, one[crossed], other[crossed]))
    decided = (passed != UNCLEAR).all(axis=(1, 2))
    made = dict[Side, dict[Corners, int]]()
    found = _crossed(points, made, close[decided], one[decided], other[decided], sides[decided], passed[decided])
    left, planes = ~(apart | beside | decided), ExactPlanes(points)
    for pair, a, b in zip(close[left].tolist(), one[left].tolist(), other[left].tolist(), strict=True):
        check()
        meeting = _meeting(planes, pair, tuple(a), tuple(b))
        if meeting is not None:
            found.append(meeting)
    common = one[beside][same[beside].any(axis=2)].reshape(-1, 2)
    return TriangleMeetings(np.concatenate([close[beside], common], axis=1), found, {side: list(on.values()) for side, on in made.items()})


def _close(places: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """(k, 2): pairs whose boxes, a little widened, overlap."""
    boxes = [(places[faces].min(axis=1) - DECISIVE, places[faces].max(axis=1) + DECISIVE) for faces in (first, second)]
    (low, high), (lower, upper) = boxes
    # Triangles outside the box of the other mesh meet nothing.
    near = [np.flatnonzero(((a <= d.max(axis=0, initial=-1)) & (b >= c.min(axis=0, initial=2))).all(axis=1))
            for (a, b), (c, d) in ((boxes[0], boxes[1]), (boxes[1], boxes[0]))]
    lows, highs = np.concatenate([low[near[0]], lower[near[1]]]), np.concatenate([high[near[0]], upper[near[1]]])
    pairs = np.sort(Sweep(lows, highs).pairs(), axis=1)
    pairs = pairs[(pairs[:, 0] < len(near[0])) & (pairs[:, 1] >= len(near[0]))]
    return np.stack([near[0][pairs[:, 0]], near[1][pairs[:, 1] - len(near[0])]], axis=1)


def _signs(values: np.ndarray) -> np.ndarray:
    return np.where(np.abs(values) > DECISIVE, np.sign(values), UNCLEAR).astype(np.int8)


def _sides(places: np.ndarray, planes: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """(k, 3): on which side of the plane of a triangle the corners of another one are, 1 above it."""
    p, q, r = (places[planes[:, k]] for k in range(3))
    normals = np.cross(q - p, r - p)
    return _signs(((places[corners] - p[:, None]) * normals[:, None]).sum(axis=2))


def _on_one_side(sides: np.ndarray) -> np.ndarray:
    return np.asarray(np.isin(sides, (0, 1)).all(axis=2) | np.isin(sides, (0, -1)).all(axis=2))


def _crossed(points: Points, made: dict[Side, dict[Corners, int]], close: np.ndarray, one: np.ndarray, other: np.ndarray, sides: np.ndarray,
             passed: np.ndarray) -> list[TriangleCrossing]:
    """The meetings of pairs of triangles by clear signs: `sides` of corners and planes, and in which sense sides pass each other."""
    through = np.stack([(sides[:, 0] != np.roll(sides[:, 0], -1, axis=1)) & (np.ptp(passed, axis=2) == 0),
                        (sides[:, 1] != np.roll(sides[:, 1], -1, axis=1)) & (np.ptp(passed, axis=1) == 0)], axis=1)
    met = through.any(axis=(1, 2))
    found = list[TriangleCrossing]()
    for pair, a, b, (begin, end) in zip(close[met].tolist(), one[met].tolist(), other[met].tolist(),
                                        np.argwhere(through[met])[:, 1:].reshape(-1, 2, 2).tolist(), strict=True):
        check()
        ends = [_through(points, made, (side := (a, b)[m])[i], side[i - 2], (b, a)[m]) for m, i in (begin, end)]
        found.append(TriangleCrossing(pair[0], pair[1], (ends[0], ends[1])))
    return found


def _turns(places: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(k, 3, 3): the determinants that tell in which sense the sides of one triangle pass those of the other one."""
    p, q = places[one], places[np.roll(one, -1, axis=1)]
    r, s = places[other], places[np.roll(other, -1, axis=1)]
    d = r[:, None] - p[:, :, None]
    return np.asarray((np.cross((q - p)[:, :, None], d) * (s[:, None] - p[:, :, None])).sum(axis=3))


def _through(points: Points, made: dict[Side, dict[Corners, int]], a: int, b: int, plane: Sequence[int]) -> int:
    """The point of a side in a plane."""
    on, key = made.setdefault((a, b) if a < b else (b, a), {}), (plane[0], plane[1], plane[2])
    if key not in on:
        corners = [points.exact(k) for k in plane]
        normal, p, q = _normal(corners), points.exact(a), points.exact(b)
        on[key] = points.number(crossing(p, q, dot(normal, minus(p, corners[0])), dot(normal, minus(q, corners[0]))))
    return on[key]


class ExactPlanes(dict[Corners, tuple[Vector, int]]):
    """The planes of triangles by their corners, vertices: an outer normal, and the product of it and a point of the plane."""

    def __init__(self, points: Points) -> None:
        self.points = points

    def __missing__(self, corners: Corners) -> tuple[Vector, int]:
        places = [self.points.exact(k) for k in corners]
        normal = _normal(places)
        found = self[corners] = normal, dot(normal, places[0])
        return found

    def heights(self, corners: Sequence[int], over: Corners) -> list[int]:
        """By how much corners are above the plane of a triangle, times the length of its normal."""
        (x, y, z), least = self[over]
        return [x * p[0] + y * p[1] + z * p[2] - least for p in map(self.points.exact, corners)]


def _meeting(planes: ExactPlanes, pair: Sequence[int], first: Corners, second: Corners) -> TriangleCrossing | None:
    """The meeting of two triangles by integers."""
    alone = [k for k in first if k not in second]
    if len(alone) < 2:
        # In different planes, they meet in their common side alone.
        flat = not alone or not planes.heights(alone, second)[0]
        a, b = [k for k in first if k not in alone][:2]
        return TriangleCrossing(pair[0], pair[1], None if flat else (a, b))
    heights = planes.heights(first, second)
    if not any(heights):
        return TriangleCrossing(pair[0], pair[1], None)
    if min(heights) > 0 or max(heights) < 0:
        return None
    points = planes.points
    cuts = _cut(points, first, heights), _cut(points, second, planes.heights(second, first))
    if min(map(len, cuts)) < 2:
        return None
    axis = points.axis(*cuts[0])
    (a, b), (c, d) = (points.ordered(cut, axis) for cut in cuts)
    begin, end = points.ordered({a, c}, axis)[-1], points.ordered({b, d}, axis)[0]
    return TriangleCrossing(pair[0], pair[1], (begin, end)) if begin != end and points.ordered((begin, end), axis)[0] == begin else None


def _normal(corners: Sequence[Point]) -> Vector:
    return cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]))


def _cut(points: Points, corners: Sequence[int], heights: Sequence[int]) -> list[int]:
    """The ends of the part of a triangle at height 0: none, one or two points."""
    found = [k for k, h in zip(corners, heights, strict=True) if not h]
    for k in range(3):
        a, b = heights[k - 1], heights[k]
        if sign(a) * sign(b) < 0:
            found.append(points.number(crossing(points.exact(corners[k - 1]), points.exact(corners[k]), a, b)))
    return found
