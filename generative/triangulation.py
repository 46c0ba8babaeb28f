"""Triangulation of a region of the plane inside polygons, in doubles: constrained Delaunay (Lawson 1977), from ears.

Nothing is proved here: those who use the triangles prove what they need of them.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .outline import area, triangulated

Point = tuple[float, float]
Triangle = tuple[int, int, int]
Side = tuple[int, int]

# Coordinates become integers of so many bits, so that ears are cut exactly.
_BITS = 40


def triangulation(points: np.ndarray, rings: Sequence[Sequence[int]]) -> list[Triangle]:
    """Triangles, counterclockwise, of the region between rings of the `points` (n, 2): outer ones counterclockwise, holes clockwise. Points
    of no ring are corners of triangles, too, if they are inside.

    Raises ValueError where rings cross.
    """
    size = float(np.abs(points).max()) or 1.0
    grid = [(round(math.ldexp(x / size, _BITS)), round(math.ldexp(y / size, _BITS))) for x, y in points.tolist()]
    fixed = {_side(a, b) for ring in rings for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)}
    found: list[Triangle] = []
    for ring in _bridged(grid, rings):
        for i, j, k in triangulated([(*grid[p], 0) for p in ring]):
            found.append((ring[i], ring[j], ring[k]))
    for k in sorted(set(range(len(points))) - {k for ring in rings for k in ring}):
        found = [part for triangle in found for part in _split(points, triangle, k)]
    return _delaunay(points, found, fixed)


def _split(points: np.ndarray, triangle: Triangle, k: int) -> list[Triangle]:
    """A triangle, or three round a point that is in it."""
    a, b, c = triangle
    parts = [(a, b, k), (b, c, k), (c, a, k)]
    return parts if all(_area(points, part) > 0.0 for part in parts) else [triangle]


def crossing_sides(points: np.ndarray, rings: Sequence[Sequence[int]]) -> set[int]:
    """The points at which sides begin that cross or touch another one, apart from those that follow each other."""
    first = np.array([k for ring in rings for k in ring])
    last = np.array([k for ring in rings for k in (*ring[1:], ring[0])])
    a, b = points[first], points[last]

    def turn(p: np.ndarray, q: np.ndarray, r: np.ndarray) -> np.ndarray:
        return np.sign((q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0]))

    one = turn(a[:, None], b[:, None], a[None]) * turn(a[:, None], b[:, None], b[None]) <= 0
    other = one.T
    apart = (first[:, None] != first) & (first[:, None] != last) & (last[:, None] != first)
    boxes = (np.minimum(a, b)[:, None] <= np.maximum(a, b)[None]).all(axis=2)
    found = one & other & apart & boxes & boxes.T
    return {int(first[k]) for k in np.flatnonzero(found.any(axis=1))}


def winding(ring: Sequence[Sequence[Any]], x: Any, y: Any) -> int:
    """The winding number of a polygon about a point that is not on it, by the crossings of a ray."""
    total = 0
    for (a, b), (c, d) in zip(ring, [*ring[1:], ring[0]], strict=True):
        if (b > y) != (d > y):
            left = (c - a) * (y - b) - (x - a) * (d - b)
            total += (1 if left > 0 else 0) if d > b else (-1 if left < 0 else 0)
    return total


def _side(a: int, b: int) -> Side:
    return (a, b) if a < b else (b, a)


def _bridged(grid: Sequence[tuple[int, int]], rings: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Rings without holes: every hole is joined to the ring round it by a line that is gone along forth and back."""
    turned = [sum(grid[a][0] * grid[b][1] - grid[b][0] * grid[a][1] for a, b in zip(r, [*r[1:], r[0]], strict=True)) for r in rings]
    outer = [list(r) for r, turn in zip(rings, turned, strict=True) if turn > 0]
    holes = [list(r) for r, turn in zip(rings, turned, strict=True) if turn < 0]
    sides = [(a, b) for r in rings for a, b in zip(r, [*r[1:], r[0]], strict=True)]
    for ring in outer:
        around = [[float(e) for e in grid[p]] for p in ring]
        own = [h for h in holes if winding(around, *map(float, grid[h[0]])) > 0]
        # A hole within an island of this ring belongs to that island.
        own = [h for h in own if not any(o is not ring and winding([[float(e) for e in grid[p]] for p in o], *map(float, grid[h[0]])) > 0
                                         and winding(around, *map(float, grid[o[0]])) > 0 for o in outer)]
        while own:
            ring, own = _joined(grid, ring, own, sides)
        yield ring


def _joined(grid: Sequence[tuple[int, int]], ring: list[int], holes: list[list[int]],
            sides: list[Side]) -> tuple[list[int], list[list[int]]]:
    """A ring with one of the holes joined to it, by the shortest line that crosses no side, and the other holes."""
    lines = [((grid[p][0] - grid[q][0]) ** 2 + (grid[p][1] - grid[q][1]) ** 2, i, h, j)
             for i, p in enumerate(ring) for h, hole in enumerate(holes) for j, q in enumerate(hole)]
    for _, i, h, j in sorted(lines):
        if not any(_cross(grid, ring[i], holes[h][j], *side) for side in sides):
            hole = holes[h]
            sides.append((ring[i], hole[j]))
            return [*ring[:i + 1], *hole[j:], *hole[:j + 1], *ring[i:]], holes[:h] + holes[h + 1:]
    raise ValueError("the loops cross each other")


def _cross(grid: Sequence[tuple[int, int]], a: int, b: int, c: int, d: int) -> bool:
    """Whether the segments a b and c d meet elsewhere than at a common end."""
    if {a, b} & {c, d}:
        shared = a if a in (c, d) else b
        other, far = (b if shared == a else a), (d if shared == c else c)
        p, q, r = grid[shared], grid[other], grid[far]
        same = (q[0] - p[0]) * (r[0] - p[0]) + (q[1] - p[1]) * (r[1] - p[1]) > 0
        return other != far and area(p, q, r) == 0 and same
    p, q, r, s = grid[a], grid[b], grid[c], grid[d]
    return area(p, q, r) * area(p, q, s) <= 0 and area(r, s, p) * area(r, s, q) <= 0 and (area(p, q, r) != 0 or area(p, q, s) != 0)


def _delaunay(points: np.ndarray, triangles: Sequence[Triangle], fixed: set[Side]) -> list[Triangle]:
    """Flip sides that are not fixed while that makes the least angle of the two triangles at it larger."""
    found = dict(enumerate(triangles))
    users: dict[Side, list[int]] = {}
    for k, triangle in found.items():
        for side in _sides(triangle):
            users.setdefault(side, []).append(k)
    waiting = [side for side in users if side not in fixed]
    for _ in range(20 * len(waiting) + 20):
        if not waiting:
            break
        side = waiting.pop()
        if len(users.get(side, ())) != 2:
            continue
        first, second = users[side]
        a, b = _from(found[first], side), _from(found[second], side)
        if not _encloses(points, (a[0], a[1], a[2]), b[0]):
            continue
        new = (a[0], a[1], b[0]), (b[0], b[1], a[0])
        if any(_area(points, t) <= 0.0 for t in new) or (a[0], b[0]) in fixed or _side(a[0], b[0]) in users:
            continue
        for k in (first, second):
            for own in _sides(found[k]):
                users[own].remove(k)
        found[first], found[second] = new
        for k in (first, second):
            for own in _sides(found[k]):
                users.setdefault(own, []).append(k)
                if own not in fixed and own != _side(a[0], b[0]):
                    waiting.append(own)
        del users[side]
    return list(found.values())


def _sides(triangle: Triangle) -> list[Side]:
    a, b, c = triangle
    return [_side(a, b), _side(b, c), _side(c, a)]


def _from(triangle: Triangle, side: Side) -> Triangle:
    """The triangle from the corner on that is not on a side."""
    a, b, c = triangle
    return (a, b, c) if a not in side else (b, c, a) if b not in side else (c, a, b)


def _area(points: np.ndarray, triangle: Triangle) -> float:
    (a, b), (c, d), (e, f) = points[list(triangle)].tolist()
    return float((c - a) * (f - b) - (e - a) * (d - b))


def _encloses(points: np.ndarray, triangle: Triangle, other: int) -> bool:
    """Whether a point is clearly within the circle round a triangle."""
    rows = points[list(triangle)] - points[other]
    square = (rows**2).sum(axis=1)
    value = float(np.linalg.det(np.column_stack([rows, square])))
    return value > 1e-12 * float(square.max()) ** 2
