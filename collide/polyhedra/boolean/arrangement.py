"""Triangles divided along seams, so that the parts of both meshes fit together without T-junctions.

A seam is a straight segment with the triangles that hold it: the common segment of two triangles, a side of a triangle in the plane of
another one, or a side of a mesh. Each triangle is divided into convex polygons by the lines of its seams; a line divides only polygons
whose interior the seam meets. Then all points on a seam are passed to all triangles that hold it, until nothing changes, and inserted into
the sides of the polygons that they lie on.
"""

from collections.abc import Iterable, Sequence

from codegen.deadline import check

from .exact_points import DECISIVE, Points, crossing, sign

Polygon = list[int]
Key = tuple[int, int]
"""A mesh, 0 or 1, and a triangle of it."""
Side = tuple[int, int]


class Seam:
    """A segment between two points, with points on it, and the triangles that hold it. `cuts`: whether the surface may change its side of
    the other mesh; `flat`: whether it is a side of one of two triangles in a plane, so that it may not lie in the other one.
    """

    def __init__(self, ends: Side) -> None:
        self.ends, self.cuts, self.flat = ends, False, False
        self.holders, self.points = dict[Key, None](), set(ends)


class Seams(dict[Side, Seam]):
    """Seams by their ends, the lesser one first."""

    def hold(self, ends: Side, holders: Iterable[Key], cuts: bool = False, flat: bool = False) -> Seam:
        """The seam with these ends, also held by these triangles."""
        ends = ends if ends[0] < ends[1] else ends[::-1]
        seam = self.get(ends)
        if seam is None:
            seam = self[ends] = Seam(ends)
        seam.holders.update(dict.fromkeys(holders))
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
        if c in (a, b):
            return 0
        (i, j), near = self.axes, self.points.nearby
        p, q, r = near[a], near[b], near[c]
        x, y = p[i], p[j]
        rough = (q[i] - x) * (r[j] - y) - (q[j] - y) * (r[i] - x)
        if rough > DECISIVE:
            return self.turn
        if rough < -DECISIVE:
            return -self.turn
        lines = self.lines
        if a in lines and b in lines and c in lines and lines[a] & lines[b] & lines[c]:
            return 0
        return self.turn * sign(self._distance(a, b, c))

    def _distance(self, a: int, b: int, c: int) -> int:
        """A homogeneous linear function of point c, 0 on the line."""
        (i, j), exact = self.axes, self.points.exact
        p, q, r = exact(a), exact(b), exact(c)
        u, v, w, x, y, z = p[i], p[j], p[3], q[i], q[j], q[3]
        return r[i] * (v * z - w * y) + r[j] * (w * x - u * z) + r[3] * (u * y - v * x)

    def divide(self, seam: int, ends: Side) -> None:
        """Divides the polygons whose interior a segment meets, each by the whole line."""
        if ends[0] not in self.corners or ends[1] not in self.corners:
            self.polygons = [part for polygon in self.polygons for part in self._parts(polygon, seam, ends)]

    def _parts(self, polygon: Polygon, seam: int, ends: Side) -> list[Polygon]:
        a, b = ends
        sides = [self.side(a, b, k) for k in polygon]
        if min(sides) >= 0 or max(sides) <= 0:
            return [polygon]
        for k in range(len(polygon)):
            # The line leaves the polygon here; a segment with both ends beyond this side, or on it, does not meet the interior.
            if sides[k - 1] * sides[k] <= 0 and all(self.side(polygon[k - 1], polygon[k], end) <= 0 for end in ends):
                return [polygon]
        ring = self._ring(polygon, sides, seam, ends)
        return [[k for k, s in ring if s * way >= 0] for way in (1, -1)]

    def _ring(self, polygon: Polygon, sides: Sequence[int], seam: int, line: Side) -> list[tuple[int, int]]:
        """The corners with their sides of the line of a seam, and the two points on it."""
        found = list[tuple[int, int]]()
        for k in range(len(polygon)):
            if sides[k - 1] * sides[k] < 0:
                p, q = polygon[k - 1], polygon[k]
                end = [e for e in line if not self.side(p, q, e)]
                point = end[0] if end else self._crossing(p, q, line)
                self.lines.setdefault(point, set()).update({seam}, self.lines[p] & self.lines[q])
                found.append((point, 0))
            found.append((polygon[k], sides[k]))
        return found

    def _crossing(self, p: int, q: int, line: Side) -> int:
        exact = self.points.exact
        return self.points.number(crossing(exact(p), exact(q), self._distance(*line, p), self._distance(*line, q)))

    def inside(self, ends: Side, numbers: Iterable[int]) -> list[int]:
        """The points strictly inside a segment of the plane, from its first end to its last."""
        (i, j), near = self.axes, self.points.nearby
        p, q = near[ends[0]], near[ends[1]]
        px, py = p[i], p[j]
        x, y = q[i] - px, q[j] - py
        found = []
        for k in numbers:
            r = near[k]
            z, w = r[i] - px, r[j] - py
            if abs(x * w - y * z) <= DECISIVE and k not in ends and self._between(ends, k, (z, x) if abs(x) > abs(y) else (w, y)):
                found.append(k)
        if len(found) < 2:
            return found
        ordered = self.points.ordered(found, axis := self.points.axis(*ends))
        return ordered if self.points.ordered((ends[0], found[0]), axis)[0] == ends[0] else ordered[::-1]

    def _between(self, ends: Side, k: int, rough: tuple[float, float]) -> bool:
        """Whether a point near the line of a segment is strictly inside it. `rough`: by how much a coordinate of the point, and of the
        second end, exceeds that of the first one.
        """
        along, length = rough if rough[1] > 0 else (-rough[0], -rough[1])
        if min(along, length - along) < -DECISIVE or self.side(*ends, k):
            return False
        return min(along, length - along) > DECISIVE or self.points.ordered((*ends, k), self.points.axis(*ends))[1] == k


def arranged(divided: dict[Key, DividedTriangle], seams: Sequence[Seam]) -> None:
    """Divides all triangles along the seams that cut, and passes points on seams to all triangles that hold them, until nothing changes."""
    holding = dict[Key, list[int]]()
    for n, seam in enumerate(seams):
        for key in seam.holders:
            holding.setdefault(key, []).append(n)
            for k in seam.points:
                divided[key].lines.setdefault(k, set()).add(n)
    for n, seam in enumerate(seams):
        if seam.cuts:
            check()
            for key in seam.holders:
                divided[key].divide(n, seam.ends)
    waiting = [(key, k) for key, part in divided.items() for k in part.lines]
    while waiting:
        check()
        key, k = waiting.pop()
        part = divided[key]
        for n in holding.get(key, ()):
            seam = seams[n]
            # A corner is strictly inside no segment of its triangle.
            if k not in seam.points and (seam.flat or k not in part.corners) and part.inside(seam.ends, (k,)):
                seam.points.add(k)
                for other in seam.holders:
                    if k not in divided[other].lines:
                        waiting.append((other, k))
                    divided[other].lines.setdefault(k, set()).add(n)


def fitted(part: DividedTriangle) -> list[Polygon]:
    """The polygons of a triangle with all known points on their sides."""
    found = []
    for polygon in part.polygons:
        numbers = [k for k in part.lines if k not in polygon]
        found.append([k for n in range(len(polygon)) for k in (*part.inside((polygon[n - 1], polygon[n]), numbers), polygon[n])])
    return found


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
