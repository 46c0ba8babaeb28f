"""The convex hull of points, exactly: each point in turn sees faces, which are replaced by triangles from it to their horizon.

Which faces a point sees is the sign of a determinant, in doubles with a bound of its rounding error, else in integers. A face is seen if
the point is strictly above it; so faces in one plane with it stay, and no triangle is without area.
"""

import numpy as np

from codegen.deadline import check

from .dyadic import cross, dot, integers


def convex_hull(points: np.ndarray) -> np.ndarray:
    """(m, 3): triangles of the hull of points (n, 3), counterclockwise as seen from outside. Points inside of its faces and edges may be
    corners, too. ValueError if all points lie in a plane.
    """
    hull = _Hull(points)
    for p in np.random.default_rng(0).permutation(len(points)).tolist():
        hull.add(p)
    return hull.triangles


class _Hull:
    def __init__(self, points: np.ndarray) -> None:
        self.points, self.whole = points, integers(points)
        self.size = np.abs(points).max(initial=0.0)
        first = self._simplex()
        a, b, c, d = first
        turned = dot(cross(self.whole[b] - self.whole[a], self.whole[c] - self.whole[a]), self.whole[d] - self.whole[a]) > 0
        if turned:
            b, c = c, b
        self.triangles = np.empty((0, 3), np.int64)
        self.normals, self.offsets, self.errors = np.empty((0, 3)), np.empty(0), np.empty(0)
        self._append(np.array([[a, b, c], [a, d, b], [b, d, c], [c, d, a]]))

    def _simplex(self) -> tuple[int, ...]:
        """Four points not in a plane."""
        p = self.whole - self.whole[:1]
        off = np.flatnonzero((p != 0).any(axis=1))
        if len(off):
            across = cross(p, p[off[:1]])
            aside = np.flatnonzero((across != 0).any(axis=1))
            if len(aside):
                above = np.flatnonzero(dot(p, across[aside[0]]) != 0)
                if len(above):
                    return 0, int(off[0]), int(aside[0]), int(above[0])
        raise ValueError(f"the {len(p)} points lie in a plane: their hull is no body")

    def _append(self, triangles: np.ndarray) -> None:
        a, b, c = (self.points[triangles[:, k]] for k in range(3))
        with np.errstate(under="ignore"):
            normals = np.cross(b - a, c - a)
        # With u = 2**-53 and size s, a component of the normal is at most 8 s**2 and off by 32 u s**2: a height by 192 u s**3 for that, and
        # by as much for the two products and their difference. Beside it for what underflows.
        self.errors = np.append(self.errors, np.full(len(triangles), 2.0**-44 * self.size**3 + 2.0**-1000))
        self.normals, self.offsets = np.vstack([self.normals, normals]), np.append(self.offsets, (normals * a).sum(axis=1))
        self.triangles = np.vstack([self.triangles, triangles])

    def add(self, p: int) -> None:
        """The hull with one point more."""
        check()
        heights = self.normals @ self.points[p] - self.offsets
        seen = heights > self.errors
        near = np.flatnonzero(np.abs(heights) <= self.errors)
        if len(near):
            a, b, c = (self.whole[self.triangles[near, k]] for k in range(3))
            seen[near] = dot(cross(b - a, c - a), self.whole[p] - a) > 0
        if not seen.any():
            return
        corners = self.triangles[seen]
        start, end = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
        horizon = ~np.isin(start << 32 | end, end << 32 | start)
        keep = ~seen
        self.triangles, self.normals = self.triangles[keep], self.normals[keep]
        self.offsets, self.errors = self.offsets[keep], self.errors[keep]
        self._append(np.column_stack([start[horizon], end[horizon], np.full(horizon.sum(), p)]))
