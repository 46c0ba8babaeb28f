"""The time until which parts of a mesh are proved farther from each other than a distance.

For a direction n of length 1 at most, two triangles, edges or points are no nearer than the least of n (p - q) over their corners p, q; on
straight paths that is a linear function of time for each p and q. So a direction, taken from the closest points at a time, proves a stretch
of time, at whose end a new direction is taken: conservative advancement (Mirtich 1996) with directions in the place of speeds.
"""

import numpy as np

from codegen.deadline import check

# Stretches, the last of which are short; and the least part of the remaining time that a stretch adds.
_ROUNDS, _LEAST = 40, 2.0**-20
_ROUNDOFF = 2.0**-49


def kept_until(before: np.ndarray, after: np.ndarray, groups: np.ndarray, first: int, distance: float) -> float:
    """A time in [0, 1] up to which all groups (k, 4) of vertices, the `first` ones against the others, are *proved* farther from each other
    than a distance, the time included; -1 if not even at the start.
    """
    size = max(float(np.abs(before).max(initial=0.0)), float(np.abs(after).max(initial=0.0)))
    corners = np.stack([before[groups], after[groups]], axis=1)
    reached, rows = np.full(len(groups), -1.0), np.arange(len(groups))
    limit = 1.0
    for _ in range(_ROUNDS):
        check()
        if not len(rows):
            break
        begin = np.maximum(reached[rows], 0.0)
        until = _stretch(corners[rows], first, begin, distance + 64 * _ROUNDOFF * size)
        stuck = until <= begin + _LEAST * (1.0 - begin)
        reached[rows] = np.maximum(reached[rows], np.where(until >= begin, until, -1.0))
        limit = min(limit, float(reached[rows[stuck & (until < 1.0)]].min(initial=limit)))
        rows = rows[~stuck & (reached[rows] < limit)]
    return min(limit, float(reached[rows].min(initial=limit)))


def _stretch(corners: np.ndarray, first: int, begin: np.ndarray, distance: float) -> np.ndarray:
    """The ends of stretches from `begin` on; an earlier time where there is none."""
    places = corners[:, 0] + begin[:, None, None] * (corners[:, 1] - corners[:, 0])
    n = directions(places, first)
    heights = np.einsum("ktpc,kc->ktp", corners, n)
    gaps = (heights[:, :, :first, None] - heights[:, :, None, first:]).reshape(len(n), 2, -1) - distance
    start, end = gaps[:, 0], gaps[:, 1]
    here = start + begin[:, None] * (end - start)
    with np.errstate(divide="ignore", invalid="ignore"):
        zero = np.where(end > 0, 1.0, start / (start - end) * (1 - 2.0**-40))
    # Linear functions positive at both ends of a stretch are so on it; the last check covers the rounding of the zero.
    until = np.where(zero < begin[:, None], -1.0, zero).min(axis=1)
    there = start + until[:, None] * (end - start)
    return np.where((here > 0).all(axis=1) & (there > 0).all(axis=1), until, -1.0)


def directions(places: np.ndarray, first: int) -> np.ndarray:
    """(k, 3): from the closest point of the others to that of the `first` ones, roughly; of length 1 at most."""
    if first == 1:
        p, (a, b, c) = places[:, 0], places[:, 1:].transpose(1, 0, 2)
        n = np.stack([p - x for x in _nearest_of_triangle(p, a, b, c)], axis=1)
    else:
        n = _between_edges(*places.transpose(1, 0, 2))
    length = np.sqrt((n**2).sum(axis=2))
    k = np.where(length > 0, length, np.inf).argmin(axis=1)
    rows = np.arange(len(n))
    return np.asarray(n[rows, k] / np.maximum(length[rows, k], 1e-300)[:, None] * (1 - 2.0**-40))


def _on_segment(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    d = b - a
    share = ((p - a) * d).sum(axis=1) / np.maximum((d**2).sum(axis=1), 1e-300)
    return np.asarray(a + np.clip(share, 0, 1)[:, None] * d)


def _nearest_of_triangle(p: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> list[np.ndarray]:
    """Points of a triangle the nearest of which is closest to p: on the sides, and the foot if it is inside."""
    n = np.cross(b - a, c - a)
    square = np.maximum((n**2).sum(axis=1), 1e-300)
    foot = p - (((p - a) * n).sum(axis=1) / square)[:, None] * n
    inside = np.all([(np.cross(y - x, foot - x) * n).sum(axis=1) >= 0 for x, y in ((a, b), (b, c), (c, a))], axis=0)
    sides = [_on_segment(p, x, y) for x, y in ((a, b), (b, c), (c, a))]
    return [*sides, np.where(inside[:, None], foot, sides[0])]


def _between_edges(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """(k, 5, 3): differences of points of two edges, the shortest of which is between the closest ones."""
    u, v, w = b - a, d - c, a - c
    n = np.cross(u, v)
    square = np.maximum((n**2).sum(axis=1), 1e-300)
    s, r = (np.cross(v, w) * n).sum(axis=1) / square, (np.cross(u, w) * n).sum(axis=1) / square
    inside = (s >= 0) & (s <= 1) & (r >= 0) & (r <= 1)
    ends = [a - _on_segment(a, c, d), b - _on_segment(b, c, d), _on_segment(c, a, b) - c, _on_segment(d, a, b) - d]
    inner = a + s[:, None] * u - c - r[:, None] * v
    return np.stack([*ends, np.where(inside[:, None], inner, ends[0])], axis=1)
