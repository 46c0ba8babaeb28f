"""Triangles divided along seams, so that the parts of both meshes fit together without T-junctions.

A seam is a straight segment with the triangles that hold it: the common segment of two triangles, a side of a triangle in the plane of
another one, or a side of a mesh. Each triangle is divided into convex polygons by the lines of its seams; a line divides only polygons
whose interior the seam meets. Then all points on a seam are passed to all triangles that hold it, until nothing changes, and inserted into
the sides of the polygons that they lie on.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from codegen.deadline import check

from .exact_points import DECISIVE, Point, Points, between, cross, minus, sign

Polygon = list[int]
Key = tuple[int, int]
"""A mesh, 0 or 1, and a triangle of it."""


class Seam:
    """A segment between two points, and the triangles that hold it. `cuts`: whether the surface may change its side of the other mesh."""

    def __init__(self, ends: tuple[int, int], holders: Iterable[Key], cuts: bool) -> None:
        self.ends, self.holders, self.cuts = ends, tuple(holders), cuts
        self.points = set(ends)


class Divided:
    """A triangle of corners (numbers of points) with its polygons, in the projection along an axis across which it is not degenerate."""

    def __init__(self, points: Points, corners: Sequence[int]) -> None:
        self.points, self.corners = points, tuple(corners)
        p, q, r = (points.exact[k] for k in corners)
        self.normal = cross(minus(q, p), minus(r, p))
        axis = max(range(3), key=lambda k: abs(self.normal[k]))
        self.axes = ((axis + 1) % 3, (axis + 2) % 3)
        self.turn = sign(self.normal[axis])
        self.polygons: list[Polygon] = [list(corners)]
        self.known: set[int] = set(corners)

    def side(self, a: int, b: int, c: int) -> int:
        """1 if point c is left of the line from a to b, as seen from outside, -1 if it is right of it, 0 on it."""
        (i, j), near = self.axes, self.points.nearby
        p, q, r = near[a], near[b], near[c]
        rough = (q[i] - p[i]) * (r[j] - p[j]) - (q[j] - p[j]) * (r[i] - p[i])
        if abs(rough) > DECISIVE:
            return self.turn if rough > 0 else -self.turn
        return self.turn * sign(self._distance((a, b), self.points.exact[c]))

    def along(self, ends: tuple[int, int]) -> int:
        """An axis along which the ends of a segment clearly differ in the projection, or else the one along which they differ most."""
        p, q = (self.points.nearby[k] for k in ends)
        rough = max(self.axes, key=lambda k: abs(q[k] - p[k]))
        a, b = (self.points.exact[k] for k in ends)
        return rough if abs(q[rough] - p[rough]) > DECISIVE else max(self.axes, key=lambda k: abs(b[k] - a[k]))

    def divide(self, ends: tuple[int, int]) -> None:
        """Divides the polygons whose interior a segment meets, each by the whole line."""
        self.polygons = [part for polygon in self.polygons for part in self._parts(polygon, ends)]

    def _parts(self, polygon: Polygon, ends: tuple[int, int]) -> list[Polygon]:
        sides = [self.side(*ends, k) for k in polygon]
        if min(sides) >= 0 or max(sides) <= 0:
            return [polygon]
        ring, exact, axis = self._ring(polygon, sides, ends), self.points.exact, self.along(ends)
        (low, high), (begin, end) = (sorted(exact[k][axis] for k in pair) for pair in ([k for k, s in ring if not s], ends))
        if not max(low, begin) < min(high, end):
            return [polygon]
        for k, _ in ring:
            self.known.add(k)
        return [[k for k, s in ring if s * way >= 0] for way in (1, -1)]

    def _ring(self, polygon: Polygon, sides: Sequence[int], line: tuple[int, int]) -> list[tuple[int, int]]:
        """The corners with their sides of the line, and the two points on it."""
        exact, found = self.points.exact, list[tuple[int, int]]()
        for k, last in enumerate(range(-1, len(polygon) - 1)):
            if sides[last] * sides[k] < 0:
                p, q = exact[polygon[last]], exact[polygon[k]]
                s, r = self._distance(line, p), self._distance(line, q)
                found.append((self.points.number(between(p, q, s / (s - r))), 0))
            found.append((polygon[k], sides[k]))
        return found

    def _distance(self, line: tuple[int, int], c: Point) -> Fraction:
        (i, j), (a, b) = self.axes, (self.points.exact[k] for k in line)
        return (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i])

    def on(self, ends: tuple[int, int], numbers: Sequence[int]) -> list[int]:
        """The points strictly inside a segment of the plane, from its first end to its last."""
        others = [k for k in numbers if k not in ends]
        if not others:
            return []
        places, (p, q) = self.points.doubles(others)[:, self.axes], self.points.doubles(ends)[:, self.axes]
        away = (q[0] - p[0]) * (places[:, 1] - p[1]) - (q[1] - p[1]) * (places[:, 0] - p[0])
        exact, axis = self.points.exact, self.along(ends)
        a, b = (exact[k][axis] for k in ends)
        low, high = min(a, b), max(a, b)
        found = [others[n] for n in np.flatnonzero(np.abs(away) <= DECISIVE).tolist()]
        found = [k for k in found if low < exact[k][axis] < high and not self.side(*ends, k)]
        return sorted(found, key=lambda k: exact[k][axis], reverse=a > b)


def spread(divided: dict[Key, Divided], seams: Sequence[Seam]) -> None:
    """Passes all points on each seam to all triangles that hold it, until nothing changes."""
    waiting, holding = list(range(len(seams))), dict[Key, list[int]]()
    for n, seam in enumerate(seams):
        for key in seam.holders:
            holding.setdefault(key, []).append(n)
            divided[key].known.update(seam.ends)
    queued = set(waiting)
    while waiting:
        check()
        n = waiting.pop()
        queued.discard(n)
        seam = seams[n]
        for key in seam.holders:
            seam.points.update(divided[key].on(seam.ends, sorted(divided[key].known)))
        for key in seam.holders:
            if not seam.points <= divided[key].known:
                divided[key].known |= seam.points
                waiting += [m for m in holding[key] if m not in queued and m != n]
                queued.update(holding[key])
                queued.discard(n)


def fitted(part: Divided) -> list[Polygon]:
    """The polygons of a triangle with all known points on their sides."""
    found, numbers = [], sorted(part.known)
    for polygon in part.polygons:
        ring = Polygon()
        for k, last in enumerate(range(-1, len(polygon) - 1)):
            ring += [*part.on((polygon[last], polygon[k]), numbers), polygon[k]]
        found.append(ring)
    return found


def triangles(part: Divided, polygon: Polygon) -> list[tuple[int, int, int]]:
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

