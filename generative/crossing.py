"""Whether triangles cross or lie on each other, exactly. Doubles with a bound of their error decide most pairs, integers the others."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from .outline import Flat, Point, area, cross, dot, minus, projected

# Pairs that are looked at together.
_ROWS = 1 << 18


def crossing(at: Sequence[Point], triangles: Sequence[tuple[int, ...]], grain: int) -> tuple[int, int, bool] | None:
    """The first two triangles whose interiors cross (True) or that lie on each other (False); None if there are none. `at`: integers, each
    place once; heights above planes of up to `grain` times the square of the size are rounding.

    Triangles that touch in points, or with an edge or a corner in the other one, do not cross: nor, then, do those that cross along an edge
    of one exactly.
    """
    largest = max((abs(e) for p in at for e in p), default=0) or 1
    points = np.array([[e / largest for e in p] for p in at])
    for pairs in _near(points[np.array(triangles)]):
        for i, j in _open(points, np.array(triangles), pairs).tolist():
            a, b = triangles[i], triangles[j]
            found = _meet([at[k] for k in a], [at[k] for k in b], grain * largest**2)
            if found is not None:
                return i, j, found
    return None


def _near(corners: np.ndarray) -> Iterator[np.ndarray]:
    """Pairs (k, 2) of triangles whose boxes meet. Rounding to doubles keeps the order of coordinates, so none is left out."""
    low, high = corners.min(axis=1), corners.max(axis=1)
    order = np.argsort(low[:, 0], kind="stable")
    low, high = low[order], high[order]
    # Those that begin along x before another one ends follow it directly.
    last = np.searchsorted(low[:, 0], high[:, 0], side="right")
    counts = np.maximum(last - np.arange(len(low)) - 1, 0)
    ends = np.searchsorted(np.cumsum(counts), np.arange(0, counts.sum() + _ROWS, _ROWS))
    for begin, end in pairwise(sorted({0, *(ends + 1).clip(0, len(low)).tolist(), len(low)})):
        own = counts[begin:end]
        first = np.repeat(np.arange(begin, end), own)
        second = first + 1 + np.arange(len(first)) - np.repeat(np.cumsum(own) - own, own)
        near = ((low[first] <= high[second]) & (low[second] <= high[first])).all(axis=1)
        yield np.sort(np.stack([order[first[near]], order[second[near]]], axis=1), axis=1)


def _open(points: np.ndarray, triangles: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The pairs of which neither triangle is proved to be on one side of the other's plane. Corners that both have are in that plane."""
    for one, other in ((0, 1), (1, 0)):
        a, b = triangles[pairs[:, one]], triangles[pairs[:, other]]
        p, q, r = (points[a[:, k]] for k in range(3))
        normal = np.cross(q - p, r - p)
        heights = ((points[b] - p[:, None]) * normal[:, None]).sum(axis=2)
        # Coordinates are at most 1, rounded by 2**-52 at most: differences are at most 2 and off by 2**-50, a component of the normal is at
        # most 8 and off by 2**-46, and a height, three products of a difference and a component, by 2**-42.
        sides = np.where(heights > 2.0**-42, 1, np.where(heights < -(2.0**-42), -1, 0))
        shared = (b[:, :, None] == a[:, None]).any(axis=2)
        clear = ((sides == 1) | shared).all(axis=1) | ((sides == -1) | shared).all(axis=1)
        pairs = pairs[~clear | shared.all(axis=1)]
    return pairs


def _meet(a: Sequence[Point], b: Sequence[Point], least: int) -> bool | None:
    """Whether triangles cross (True), lie on each other (False), or neither (None)."""
    normals = [cross(minus(q, p), minus(r, p)) for p, q, r in (a, b)]
    heights = [[0 if abs(h) <= least else h for h in (dot(n, minus(p, one[0])) for p in other)]
               for n, one, other in ((normals[1], b, a), (normals[0], a, b))]
    if not any(heights[0]) or not any(heights[1]):
        return False if _overlap(projected(a, normals[0]), projected(b, normals[0])) else None
    if not all(min(h) < 0 < max(h) for h in heights):
        return None
    along = cross(*normals)
    (low, high), (begin, end) = (_span([dot(along, p) for p in own], h) for own, h in zip((a, b), heights, strict=True))
    return True if max(low, begin) < min(high, end) else None


def _span(places: Sequence[int], heights: Sequence[int]) -> tuple[Fraction, Fraction]:
    """The ends of the cut that a plane makes in a triangle with corners on both sides of it, along the line of both planes."""
    cuts = [Fraction(p) for p, h in zip(places, heights, strict=True) if h == 0]
    for k in range(3):
        p, q, g, h = places[k - 1], places[k], heights[k - 1], heights[k]
        if g * h < 0:
            cuts.append(Fraction(p * h - q * g, h - g))
    return min(cuts), max(cuts)


def _overlap(a: Sequence[Flat], b: Sequence[Flat]) -> bool:
    """Whether triangles in a plane have an area in common: no side of one has the other on its outer side."""
    a, b = (own if area(*own) > 0 else own[::-1] for own in (a, b))  # type: ignore[call-arg]
    return not any(all(area(one[k - 1], one[k], p) <= 0 for p in other) for one, other in ((a, b), (b, a)) for k in range(3))
