"""Gaps of pairs of convex bodies, many at once: bounds from below in windows of time, and points in common at a moment.

A body is a hull of corners, thickened by balls (`bodies.convex_cores`), and moves rigidly. For any vector w no longer than 1 the distance
of two hulls is at least the least of w (b - a) over their corners a and b. Over a window of time with the middle m each of these is, by the
mean value theorem for components that are continuous,

    w (b - a)(t) >= w (b - a)(m) - h |w (b' - a')|,   h being half the length of the window.

w is about the direction between the nearest points in the middle. Which it is decides effort alone.

Entries of motions are middles and how far values are off these at most (`Entries`). These are enlarged by 2^-44 of the size of the entries,
which is more than what the fewer than 2^6 operations after that lose, each 2^-53 of the same products of sizes.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..bodies.convex_cores import ConvexCore
from .approach_loop import MARGIN

_ROUNDING, _TINY = 2.0**-44, 2.0**-900
# Less is no length to divide by: its square is no double.
_SHORTEST = 2.0**-500
# Below the first, against squares, two edges count as parallel, and steps to where surfaces meet are as if they met at an angle with the
# square of the sine being the second at least. Effort only.
_PARALLEL, _STEEP = 1e-12, 1e-2
# Parts of pairs that are looked at together, and Newton's steps. Effort only.
_AT_ONCE, _NEWTON = 1 << 15, 16

Cores = tuple[ConvexCore, ConvexCore]
Edges = tuple[tuple[int, int], ...]
Triangles = tuple[tuple[int, int, int], ...]
Places = Sequence[np.ndarray]


class Entries(NamedTuple):
    """n times the nine entries of a rotation and the three of a translation, or their derivatives: within `off` (12, n) of `middle`."""

    middle: np.ndarray
    off: np.ndarray

    @property
    def bounded(self) -> np.ndarray:
        """(n,): whether all entries are."""
        return np.asarray(np.isfinite(self.off).all(axis=0))


def entries(bounds: np.ndarray) -> Entries:
    """Entries by their bounds (n, 12, 2)."""
    lo, hi = np.ascontiguousarray(bounds.transpose(2, 1, 0))
    with np.errstate(over="ignore", invalid="ignore"):
        return Entries(0.5 * (lo + hi), 0.5 * (hi - lo) + _ROUNDING * np.maximum(np.abs(lo), np.abs(hi)) + _TINY)


class Nearest(NamedTuple):
    """About the nearest points of two hulls, n times: the numbers of three corners (3, n) of either, and how much of the way to the second
    and to the third they are from the first (2, n), together at most the whole; and `distance` (n,).
    """

    corners: tuple[np.ndarray, np.ndarray]
    shares: tuple[np.ndarray, np.ndarray]
    distance: np.ndarray

    def points(self, cores: Cores, side: int) -> np.ndarray:
        """(3, n): those of a body in its own frame."""
        a, b, c = (cores[side].corners[own].T for own in self.corners[side])
        return np.asarray(a + self.shares[side][0] * (b - a) + self.shares[side][1] * (c - a))

    def beside(self, cores: Cores, motions: Sequence[np.ndarray]) -> np.ndarray:
        """(3, n): for bodies that overlap, with these entries (12, n) of motions, about points as far from the middle between the nearest
        ones as two balls would meet that overlap as much.
        """
        first, second = (carried(own, self.points(cores, side)) for side, own in enumerate(motions))
        way = (second - first) / np.maximum(self.distance, _SHORTEST)
        least = np.argmin(np.abs(way), axis=0) == np.arange(3)[:, None]
        across = _cross(way, np.where(least, 1.0, 0.0))
        reach = cores[0].outer + cores[1].outer
        chord = np.sqrt(np.maximum(reach - self.distance, 0.0) * reach / np.maximum(_dot(across, across), _STEEP))
        return np.asarray(0.5 * (first + second) + chord * across)


def nearest(cores: Cores, at: Places) -> Nearest:
    """About the nearest points of hulls whose corners are at these places (3, c, n), if they do not meet: of all edges of one and of the
    other, and of corners and triangles.
    """
    first, second = cores
    pairs, n = _features(first.edges, first.triangles, second.edges, second.triangles), max(own.shape[2] for own in at)
    squares, shares, edges = [], [], len(first.edges) * len(second.edges)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for own, of in ((pairs[:edges], _between_edges), (pairs[edges:], _to_triangle)):
            for begin in range(0, len(own), max(1, _AT_ONCE // n)):
                some = own[begin:begin + max(1, _AT_ONCE // n)]
                square, share = of(*([places[:, some[:, side, c]] for c in range(3)] for side, places in enumerate(at)))
                squares.append(square)
                shares.append(share)
    square, share = np.concatenate(squares), np.concatenate(shares, axis=1)
    which = np.argmin(square, axis=0)
    chosen, all_ = pairs[which].transpose(1, 2, 0), np.arange(n)
    share = share[:, which, all_]
    return Nearest((chosen[0], chosen[1]), (share[:2], share[2:]), np.sqrt(square[which, all_]))


@functools.lru_cache(maxsize=1024)
def _features(edges: Edges, triangles: Triangles, others: Edges, more: Triangles) -> np.ndarray:
    """(k, 2, 3): three corners each of parts of two hulls: of edges, and then of corners and triangles."""
    sides = [[(a, b, a) for a, b in own] for own in (edges, others)]
    ends = [[(c, c, c) for c in sorted({c for edge in own for c in edge})] for own in (edges, others)]
    found = [*itertools.product(*sides), *itertools.product(ends[0], more), *itertools.product(triangles, ends[1])]
    return np.array(found, np.int64).reshape(-1, 2, 3)


def _between_edges(first: Places, second: Places) -> tuple[np.ndarray, np.ndarray]:
    """The squares of the distances (k, n) of edges, and the shares (4, k, n) of the nearest points: those of lines, held to the edges in
    turn.
    """
    d, e, r = first[1] - first[0], second[1] - second[0], first[0] - second[0]
    a, b, c, f, g = _dot(d, d), _dot(d, e), _dot(e, e), _dot(d, r), _dot(e, r)
    whole = a * c - b * b
    s = np.where(whole > _PARALLEL * a * c, np.clip((b * g - c * f) / whole, 0.0, 1.0), 0.5)
    t = np.where(c > 0.0, np.clip((b * s + g) / c, 0.0, 1.0), 0.0)
    s = np.where(a > 0.0, np.clip((b * t - f) / a, 0.0, 1.0), 0.0)
    way, none = r + s * d - t * e, np.zeros(s.shape)
    return _dot(way, way), np.stack([s, none, t, none])


def _to_triangle(first: Places, second: Places) -> tuple[np.ndarray, np.ndarray]:
    """The same of corners and triangles, either ones the first; infinite where the nearest point of the plane is beyond the triangle."""
    # One of the two is a corner, so all its sides are 0.
    x, y = second[1] - second[0], second[2] - second[0]
    turned = ((x != 0.0) | (y != 0.0)).any(axis=0)
    d, e, r = first[1] - first[0] + x, first[2] - first[0] + y, np.where(turned, first[0] - second[0], second[0] - first[0])
    a, b, c, f, g = _dot(d, d), _dot(d, e), _dot(e, e), _dot(d, r), _dot(e, r)
    whole = a * c - b * b
    s, t = (c * f - b * g) / whole, (a * g - b * f) / whole
    way = r - s * d - t * e
    within = (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0)
    return np.where(within, _dot(way, way), np.inf), np.stack([s, t, s, t])


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def places_of(core: ConvexCore, motion: np.ndarray) -> np.ndarray:
    """(3, c, n): the corners of a body with the entries (12, n) of a motion."""
    x, y, z = core.corners.T[..., None]
    return np.stack([motion[3 * k] * x + motion[3 * k + 1] * y + motion[3 * k + 2] * z + motion[9 + k] for k in range(3)])


def apart(cores: Cores, places: Sequence[Entries], speeds: Sequence[Entries], half: np.ndarray) -> np.ndarray:
    """(n,): windows of time, of half the length `half`, throughout which two bodies are *proved* apart, by their motions in the middles and
    the derivatives of these throughout. Not where a bound is no number.
    """
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        way = _way(cores, [own.middle for own in places])
        (at, off), (to, room) = (_along(way, core, own) for core, own in zip(cores, places, strict=True))
        (slope, wide), (other, broad) = (_along(way, core, own) for core, own in zip(cores, speeds, strict=True))
        least = np.full(len(half), np.inf)
        for k in range(len(at)):
            gaps = to - at[k] - (off[k] + room) - half * (np.abs(other - slope[k]) + (wide[k] + broad))
            # A bound that is no number stays one.
            least = np.minimum(least, gaps.min(axis=0))
        return np.asarray(least > (cores[0].outer + cores[1].outer) * MARGIN + _TINY)


def _way(cores: Cores, motions: Sequence[np.ndarray]) -> np.ndarray:
    """(3, n): about the directions of length 1 from hulls to others, those of motions (12, n)."""
    at = [places_of(core, own) for core, own in zip(cores, motions, strict=True)]
    found = nearest(cores, at)
    first, second = (carried(own, found.points(cores, side)) for side, own in enumerate(motions))
    return np.asarray((second - first) / np.sqrt(_dot(second - first, second - first)))


def carried(motion: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (3, n) carried by the entries (12, n) of motions, in doubles."""
    return np.stack([_dot(motion[3 * k:3 * k + 3], points) + motion[9 + k] for k in range(3)])


def seen_from(motion: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (3, n) of space in the frames of motions with these entries (12, n), in doubles."""
    return turned_back(motion, points - motion[9:])


def turned_back(motion: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """Directions (3, n) in the frames of motions with these entries (12, n), in doubles."""
    return np.stack([_dot(motion[k:9:3], ways) for k in range(3)])


def _along(way: np.ndarray, core: ConvexCore, own: Entries) -> tuple[np.ndarray, np.ndarray]:
    """The middles (c, n) of the coordinates of all corners along a direction (3, n), and how far they are off."""
    found = []
    for w, m, points in ((way, own.middle, core.corners), (np.abs(way), own.off, np.abs(core.corners))):
        rows = [w[0] * m[k] + w[1] * m[3 + k] + w[2] * m[6 + k] for k in range(3)]
        x, y, z = points.T[..., None]
        found.append(rows[0] * x + rows[1] * y + rows[2] * z + _dot(w, m[9:]))
    return found[0], found[1]


def meeting(cores: Cores, places: Sequence[Entries], near: Nearest) -> np.ndarray:
    """(n,): moments at which two bodies are *proved* to have points in common: by points of both hulls that are near enough."""
    reach = (cores[0].inner + cores[1].inner) / MARGIN
    if not reach > 0.0:
        return np.zeros(places[0].middle.shape[1], bool)
    points = [near.points(cores, side) for side in (0, 1)]
    first, second = (carried(own.middle, p) for own, p in zip(places, points, strict=True))
    off = sum(carried(own.off, np.abs(p)) for own, p in zip(places, points, strict=True))
    far = np.abs(second - first) + off
    return np.asarray(_dot(far, far) * MARGIN <= reach * reach)


def crossing(cores: Cores, places: Sequence[Entries], near: Nearest) -> np.ndarray:
    """(n,): moments at which the surfaces of two bodies are *proved* to meet: they have points in common, and neither is in the other, as
    it reaches farther along an axis. If the surface of one were apart from that of the other it would be inside of it, or outside, all of
    it; so would then be one of the bodies, both being convex.
    """
    (least, most), (low, high) = (_reaches(core, own) for core, own in zip(cores, places, strict=True))
    return np.asarray(meeting(cores, places, near) & (least > high).any(axis=(0, 1)) & (low > most).any(axis=(0, 1)))


def _reaches(core: ConvexCore, own: Entries) -> tuple[np.ndarray, np.ndarray]:
    """How far a body reaches along the axes (2, 3, n), and against them, at least, and at most."""
    at = places_of(core, own.middle)
    off = np.stack([_along(np.eye(3)[k][:, None], core, own)[1] for k in range(3)])
    inner, outer = core.inner / MARGIN if core.inner > 0.0 else core.inner, core.outer * MARGIN
    ends = [(sign * at - off).max(axis=1) + inner for sign in (1.0, -1.0)], [(sign * at + off).max(axis=1) + outer for sign in (1.0, -1.0)]
    return np.stack(ends[0]), np.stack(ends[1])


_POINT = ConvexCore(np.zeros((1, 3)), ((0, 0),), (), 0.0, 0.0)


def common_points(cores: Cores, at: Places, guess: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """About points (3, n) on the surfaces of two bodies whose corners are at (3, c, n), from such near both, by Newton's steps of least
    length; and how far they are off either at most (n,).
    """
    found = guess
    with np.errstate(over="ignore", invalid="ignore"):
        for step in range(_NEWTON + 1):
            (far, way), (other, across) = (_from_surface(core, own, found) for core, own in zip(cores, at, strict=True))
            slant = _dot(way, across)
            whole = np.maximum(1.0 - slant * slant, _STEEP)
            if step < _NEWTON:
                found = found - ((far - slant * other) * way + (other - slant * far) * across) / whole
    return found, np.maximum(np.abs(far), np.abs(other))


def _from_surface(core: ConvexCore, corners: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """About how far points (3, n) are outside of a body with corners at (3, c, n), less than 0 inside; and the direction (3, n) in which
    this grows.
    """
    near = nearest((_POINT, core), [points[:, None], corners])
    a, b, c = (np.take_along_axis(corners + np.zeros((1, 1, points.shape[1])), own[None, None], axis=1)[:, 0] for own in near.corners[1])
    way = points - (a + near.shares[1][0] * (b - a) + near.shares[1][1] * (c - a))
    inside = np.full(points.shape[1], bool(core.triangles))
    for first, second, third in core.triangles:
        normal = _cross(corners[:, second] - corners[:, first], corners[:, third] - corners[:, first])
        inside &= _dot(normal, points - corners[:, first]) < 0.0
    sign = np.where(inside, -1.0, 1.0)
    return sign * near.distance - max(core.inner, 0.0), sign * way / np.maximum(near.distance, _SHORTEST)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.stack([a[k - 2] * b[k - 1] - a[k - 1] * b[k - 2] for k in range(3)])
