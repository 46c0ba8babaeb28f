"""Triangles divided along seams, so that the parts of both meshes fit together without T-junctions.

A seam is a straight segment with the triangles that hold it: the common segment of two triangles, a side of a triangle in the plane of
another one, or a side of a mesh. Each triangle is divided into convex polygons by the lines of its seams; a line divides only polygons
whose interior the seam meets. Then all points on a seam are passed to all triangles that hold it, until nothing changes, and inserted into
the sides of the polygons that they lie on.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from codegen.deadline import check

from .exact_points import DECISIVE, Points, crossing, sign

Polygon = list[int]
Side = tuple[int, int]
# Pairs of a segment and a point that arrays are made for.
_AT_ONCE = 1 << 18


class Seam:
    """A segment between two points, with points on it, and the triangles that hold it. `cuts`: whether the surface may change its side of
    the other mesh; `flat`: whether it is a side of one of two triangles in a plane, so that it may not lie in the other one.
    """

    def __init__(self, ends: Side) -> None:
        self.ends, self.cuts, self.flat = ends, False, False
        self.holders, self.points = dict[DividedTriangle, None](), set(ends)


class Seams(dict[Side, Seam]):
    """Seams by their ends, the lesser one first."""

    def hold(self, ends: Side, holders: Iterable["DividedTriangle"], cuts: bool = False, flat: bool = False) -> Seam:
        """The seam with these ends, also held by these triangles."""
        ends = ends if ends[0] < ends[1] else ends[::-1]
        seam = self.get(ends)
        if seam is None:
            seam = self[ends] = Seam(ends)
        for part in holders:
            seam.holders[part] = None
        seam.cuts |= cuts
        seam.flat |= flat
        return seam


class DividedTriangle:
    """A triangle of corners (numbers of points) with its polygons, in the projection along `axis`, across which it is not degenerate;
    `turn` is the sign of its normal along it.
    """

    def __init__(self, points: Points, corners: Sequence[int], axis: int, turn: int) -> None:
        self.points, self.corners, self.axis, self.turn = points, tuple(corners), axis, turn
        self.axes = ((axis + 1) % 3, (axis + 2) % 3)
        self.polygons: list[Polygon] = [list(corners)]
        self.lines: dict[int, set[int]] = {k: set() for k in corners}
        """All known points of it, with the seams that they are known to lie on the lines of."""

    def side(self, a: int, b: int, c: int) -> int:
        """1 if point c is left of the line from a to b, as seen from outside, -1 if it is right of it, 0 on it."""
        return self.sides(a, b, (c,))[0]

    def sides(self, a: int, b: int, numbers: Iterable[int]) -> list[int]:
        """The `side` of each point."""
        (i, j), near, turn = self.axes, self.points.nearby, self.turn
        p, q = near[a], near[b]
        x, y = p[i], p[j]
        u, v = q[i] - x, q[j] - y
        found = []
        for k in numbers:
            r = near[k]
            rough = u * (r[j] - y) - v * (r[i] - x)
            found.append(turn if rough > DECISIVE else -turn if rough < -DECISIVE else self._side(a, b, k))
        return found

    def _side(self, a: int, b: int, c: int) -> int:
        lines = self.lines
        if c in (a, b) or (a in lines and b in lines and c in lines and lines[a] & lines[b] & lines[c]):
            return 0
        return self.turn * sign(self._distance(a, b, c))

    def _distance(self, a: int, b: int, c: int) -> int:
        """A homogeneous linear function of point c, 0 on the line."""
        (i, j), exact = self.axes, self.points.exact
        p, q, r = exact(a), exact(b), exact(c)
        u, v, w, x, y, z = p[i], p[j], p[3], q[i], q[j], q[3]
        return r[i] * (v * z - w * y) + r[j] * (w * x - u * z) + r[3] * (u * y - v * x)

    def divide(self, seam: int, ends: Side, flat: bool) -> None:
        """Divides the polygons whose interior a segment meets, each by the whole line. `flat`: whether it may leave the triangle."""
        if ends[0] not in self.corners or ends[1] not in self.corners:
            self.polygons = [part for polygon in self.polygons for part in self._parts(polygon, seam, ends, flat)]

    def _parts(self, polygon: Polygon, seam: int, ends: Side, flat: bool) -> list[Polygon]:
        a, b = ends
        sides = self.sides(a, b, polygon)
        if min(sides) >= 0 or max(sides) <= 0:
            return [polygon]
        # A segment in the triangle meets its interior if its line does.
        for k in range(len(polygon)) if flat or len(self.polygons) > 1 else ():
            # The line leaves the polygon here; a segment with both ends beyond this side, or on it, does not meet the interior.
            if sides[k - 1] * sides[k] <= 0 and max(self.sides(polygon[k - 1], polygon[k], ends)) <= 0:
                return [polygon]
        ring = self._ring(polygon, sides, seam, ends)
        return [[k for k, s in ring if s * way >= 0] for way in (1, -1)]

    def _ring(self, polygon: Polygon, sides: Sequence[int], seam: int, line: Side) -> list[tuple[int, int]]:
        """The corners with their sides of the line of a seam, and the two points on it."""
        found = list[tuple[int, int]]()
        for k in range(len(polygon)):
            if sides[k - 1] * sides[k] < 0:
                p, q = polygon[k - 1], polygon[k]
                end = [e for e, s in zip(line, self.sides(p, q, line), strict=True) if not s]
                point = end[0] if end else self._crossing(p, q, line)
                self.lines.setdefault(point, set()).update({seam}, self.lines[p] & self.lines[q])
                found.append((point, 0))
            found.append((polygon[k], sides[k]))
        return found

    def _crossing(self, p: int, q: int, line: Side) -> int:
        exact = self.points.exact
        return self.points.number(crossing(exact(p), exact(q), self._distance(*line, p), self._distance(*line, q)))

    def holds(self, ends: Side, k: int, clear: bool) -> bool:
        """Whether a point is strictly inside a segment of the plane. `clear`: whether it is between the ends, if it is on the line."""
        a, b = ends
        on = self.lines[k] & self.lines[a] & self.lines[b] or not self._distance(a, b, k)
        return bool(on) and (clear or self.points.ordered((a, b, k), self.points.axis(a, b))[1] == k)


def near(points: Points, axes: Sequence[int], numbers: Sequence[Sequence[int]], owner: np.ndarray, ends: np.ndarray,
         ) -> Iterator[tuple[int, int, bool]]:
    """The points that may lie strictly inside segments in the planes of triangles, by doubles.

    `axes`, `numbers`: the projection of each triangle, and points of it; `owner` (n,), `ends` (n, 2): the triangle, and the ends, of each
    segment. For each find: the segment, the point, and whether it is between the ends, if it is on the line. All others are clearly off the
    line, or beyond its ends.
    """
    lengths = np.array([len(own) for own in numbers], np.int64)
    known, starts, counts = np.array([k for own in numbers for k in own], np.int64), np.cumsum(lengths) - lengths, lengths[owner]
    places, axis = points.doubles(), np.array(axes, np.int64)
    for rows in np.split(np.arange(len(owner)), np.flatnonzero(np.diff(np.cumsum(counts) // _AT_ONCE)) + 1):
        check()
        many, at = counts[rows], starts[owner[rows]]
        row = np.repeat(rows, many)
        k = known[np.arange(len(row)) + np.repeat(at - np.cumsum(many) + many, many)]
        i, j = (axis[owner[row]] + 1) % 3, (axis[owner[row]] + 2) % 3
        p, q = ends[row].T
        x, y, z, w = places[q, i] - places[p, i], places[q, j] - places[p, j], places[k, i] - places[p, i], places[k, j] - places[p, j]
        length, along = np.where(np.abs(x) > np.abs(y), (x, z), (y, w))
        inside = np.minimum(along * np.sign(length), np.abs(length) - along * np.sign(length))
        found = np.flatnonzero((np.abs(x * w - y * z) <= DECISIVE) & (inside >= -DECISIVE) & (k != p) & (k != q))
        yield from zip(row[found].tolist(), k[found].tolist(), (inside[found] > DECISIVE).tolist(), strict=True)


def arranged(points: Points, divided: Sequence[DividedTriangle], seams: Sequence[Seam]) -> None:
    """Divides all triangles along the seams that cut, and passes points on seams to all triangles that hold them, until nothing changes."""
    holding: dict[DividedTriangle, list[int]] = {part: [] for part in divided}
    for n, seam in enumerate(seams):
        for part in seam.holders:
            holding[part].append(n)
            for k in seam.points:
                part.lines.setdefault(k, set()).add(n)
    for n, seam in enumerate(seams):
        if seam.cuts:
            check()
            for part in seam.holders:
                part.divide(n, seam.ends, seam.flat)
    # All seams of a triangle without other points than its corners are its sides.
    news = {part: list(part.lines) for part in divided if len(part.lines) > 3}
    while news:
        more = dict[DividedTriangle, list[int]]()
        for n, k in _passed(points, seams, holding, news):
            seams[n].points.add(k)
            for part in seams[n].holders:
                if k not in part.lines:
                    more.setdefault(part, []).append(k)
                part.lines.setdefault(k, set()).add(n)
        news = more


def _passed(points: Points, seams: Sequence[Seam], holding: dict[DividedTriangle, list[int]], news: dict[DividedTriangle, list[int]],
            ) -> Iterator[tuple[int, int]]:
    """Seams, and points on them that they do not have yet, of new points of triangles."""
    parts, lots = list(news), [holding[part] for part in news]
    held, owner = [n for lot in lots for n in lot], np.repeat(np.arange(len(lots)), [len(lot) for lot in lots])
    ends = np.array([seams[n].ends for n in held], np.int64).reshape(-1, 2)
    for row, k, clear in near(points, [part.axis for part in parts], list(news.values()), owner, ends):
        n, part = held[row], parts[owner[row]]
        seam = seams[n]
        # A corner is strictly inside no segment of its triangle.
        if k not in seam.points and (seam.flat or k not in part.corners) and part.holds(seam.ends, k, clear):
            yield n, k


def fitted(points: Points, parts: Sequence[DividedTriangle]) -> list[list[Polygon]]:
    """The polygons of triangles with all known points on their sides."""
    polygons = [polygon for part in parts for polygon in part.polygons]
    of = np.repeat(np.arange(len(parts)), [len(part.polygons) for part in parts])
    which = np.repeat(np.arange(len(polygons)), [len(polygon) for polygon in polygons])
    ends = np.array([end for polygon in polygons for end in itertools.pairwise((polygon[-1], *polygon))], np.int64).reshape(-1, 2)
    on = dict[int, dict[Side, list[int]]]()
    for row, k, clear in near(points, [part.axis for part in parts], [list(part.lines) for part in parts], of[which], ends):
        n, (a, b) = int(which[row]), ends[row].tolist()
        if parts[of[n]].holds((a, b), k, clear):
            on.setdefault(n, {}).setdefault((a, b), []).append(k)
    for n, sides in on.items():
        polygon = polygons[n]
        polygons[n] = [k for end in itertools.pairwise((polygon[-1], *polygon)) for k in (*_along(points, end, sides.get(end, ())), end[1])]
    left = iter(polygons)
    return [list(itertools.islice(left, len(part.polygons))) for part in parts]


def _along(points: Points, ends: Side, numbers: Sequence[int]) -> Sequence[int]:
    """Points inside a segment, from its first end to its last."""
    if len(numbers) < 2:
        return numbers
    axis = points.axis(*ends)
    ordered = points.ordered([ends[0], *numbers], axis)
    return ordered[1:] if ordered[0] == ends[0] else ordered[-2::-1]


def triangles(part: DividedTriangle, polygon: Polygon) -> list[tuple[int, int, int]]:
    """A convex polygon, with points on its sides, as triangles of positive area: ears are cut as long as the rest has an area."""
    left, found = list(polygon), []
    while len(left) > 3:
        for k in range(len(left)):
            ear = left[k - 1], left[k], left[(k + 1) % len(left)]
            rest = left[:k] + left[k + 1:]
            if part.side(*ear) > 0 and any(part.side(rest[0], rest[n], rest[n + 1]) > 0 for n in range(1, len(rest) - 1)):
                found.append(ear)
                left = rest
                break
    return [*found, (left[0], left[1], left[2])]
