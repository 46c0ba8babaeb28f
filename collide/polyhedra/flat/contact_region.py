"""Contact of two bodies of flat convex faces at a root of a polynomial: the exact corners, edges and faces, by signs there.

What two convex faces have in common is the convex hull of corners of one on the other and of places where edges cross: a point, a segment,
or a polygon. Doubles only tell which parts are near each other, and where they are.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...bodies.flat import FlatBody, FlatFace
from ..exact.feature_pairs import FeaturePolynomials, Vector, first_touch, on_edge
from ..exact.motion import RationalMotion
from ..exact.real_roots import Root, compare, refined, sign_at

# Against the size of the bodies, how near parts are that may touch, in doubles.
_NEAR = 2.0**-30
# A root is told to so many bits before doubles are made of it.
_BITS = 80


class ContactPlace(NamedTuple):
    """A place of contact: a corner of the first body, or of the second (-1: none), or a crossing of two sides."""

    first: int
    second: int
    sides: tuple[tuple[int, int], tuple[int, int]] | None = None


class CommonRegion(NamedTuple):
    """The common region of two faces: the convex hull of some places."""

    faces: tuple[int, int]
    places: frozenset[ContactPlace]


class MovingTouch:
    """The first body moves by `window`; both are in units of 1 / `scale`. `at`: the moment."""

    def __init__(self, bodies: tuple[FlatBody, FlatBody], scale: int, window: RationalMotion, at: Root) -> None:
        while at.a != at.b and at.bits < _BITS:
            at = refined(at)
        self.bodies, self.scale, self.window, self.at = bodies, scale, window, at
        self.exact = tuple([[c * scale for c in p] for p in body.corners] for body in bodies)
        self._unit = math.lcm(*(c.denominator for points in self.exact for p in points for c in p))
        self._whole = tuple([[int(c * self._unit) for c in p] for p in points] for points in self.exact)
        middle = window.middle(at)
        self.own = tuple(np.array(points, float).reshape(-1, 3) for points in self.exact)
        self.seen = np.array([window.place(p, middle) for p in self.exact[0]], float).reshape(-1, 3), self.own[1]
        """Corners, of both bodies in the frame of the second."""
        self.size = float(max(np.abs(p).max() for p in self.seen))
        self._on: dict[Any, Any] = {}

    @cached_property
    def regions(self) -> list[CommonRegion]:
        """The largest ones; together they are all that the bodies have in common."""
        found = [CommonRegion((i, j), places) for i, j in self.close(_NEAR * self.size) if (places := frozenset(self._places(i, j)))]
        found.sort(key=lambda r: -len(r.places))
        kept: list[CommonRegion] = []
        for r in found:
            if not any(r.places <= other.places for other in kept):
                kept.append(r)
        return kept

    def close(self, room: float) -> Iterator[tuple[int, int]]:
        """Pairs of faces whose boxes are no farther from each other."""
        ends = []
        for body, points in zip(self.bodies, self.seen, strict=True):
            rings = [points[list(f.ring)] for f in body.faces]
            ends.append((np.array([r.min(axis=0) for r in rings]), np.array([r.max(axis=0) for r in rings])))
        (a, b), (c, d) = ends
        near = ((a[:, None] <= d[None] + room) & (c[None] <= b[:, None] + room)).all(axis=2)
        return iter(zip(*(k.tolist() for k in np.nonzero(near)), strict=True))

    def _places(self, i: int, j: int) -> Iterator[ContactPlace]:
        first, second = self.bodies[0].faces[i], self.bodies[1].faces[j]
        for a in first.ring:
            if self.corner_on(0, a, j):
                yield ContactPlace(a, next((b for b in second.ring if self.same(a, b)), -1))
        for b in second.ring:
            if self.corner_on(1, b, i):
                yield ContactPlace(next((a for a in first.ring if self.same(a, b)), -1), b)
        for s, r in itertools.product(first.sides, second.sides):
            s, r = (min(s), max(s)), (min(r), max(r))
            if self._cross(s, r):
                yield ContactPlace(-1, -1, (s, r))

    def paths(self, first: Sequence[int], second: Sequence[int]) -> tuple[list[Vector], list[Vector]]:
        """The paths of corners of both bodies; see `RationalMotion.paths`."""
        return self.window.whole_paths([self._whole[0][c] for c in first], [self._whole[1][c] for c in second], self._unit)

    def query(self, first: Sequence[int], second: Sequence[int]) -> FeaturePolynomials:
        """About a corner and three of a face, or two sides."""
        moved, still = self.paths(first, second)
        return FeaturePolynomials([*still, *moved] if len(first) == 3 else [*moved, *still], len(first) != 2)

    # -- signs at the root ------------------------------------------------------------------------------------------

    def _known(self, key: Any, ask: Any) -> bool:
        if key not in self._on:
            self._on[key] = ask()
        return bool(self._on[key])

    def same(self, a: int, b: int) -> bool:
        """Whether two corners are at one place."""
        if np.abs(self.seen[0][a] - self.seen[1][b]).max() > _NEAR * self.size:
            return False

        def ask() -> bool:
            (p,), (q,) = self.paths([a], [b])
            return on_edge(p, q, q, self.at)

        return self._known(("same", a, b), ask)

    def corner_on(self, side: int, k: int, face: int) -> bool:
        """Whether a corner of a body is on a face of the other."""
        return self._known((side, k, face), lambda: self._corner_on(side, k, self.bodies[1 - side].faces[face]))

    def _corner_on(self, side: int, k: int, face: FlatFace) -> bool:
        point, ring = self.seen[side][k], self.seen[1 - side][list(face.ring)]
        room = _NEAR * self.size
        if (point < ring.min(axis=0) - room).any() or (point > ring.max(axis=0) + room).any():
            return False
        for triangle in face.triangles:
            query = self.query((k,), triangle) if side == 0 else self.query(triangle, (k,))
            if sign_at(query.volume, self.at) == 0 and query.touches(self.at):
                return True
        return False

    def corner_on_side(self, side: int, k: int, ends: tuple[int, int]) -> bool:
        """Whether a corner of a body is on a segment between corners of the other."""
        def ask() -> bool:
            paths = self.paths((k,), ends) if side == 0 else self.paths(ends, (k,))
            (p,), (q, r) = paths if side == 0 else paths[::-1]
            return on_edge(p, q, r, self.at)

        p, (q, r) = self.seen[side][k], self.seen[1 - side][list(ends)]
        near = _NEAR * self.size
        if (p < np.minimum(q, r) - near).any() or (p > np.maximum(q, r) + near).any():
            return False
        return self._known((side, k, *sorted(ends)), ask)

    def _cross(self, s: tuple[int, int], r: tuple[int, int]) -> bool:
        """Whether inner points of two segments meet, and the segments are not parallel."""
        return self._known((s, r), lambda: self._crossed(s, r))

    def _crossed(self, s: tuple[int, int], r: tuple[int, int]) -> bool:
        first, second = self.seen[0][list(s)], self.seen[1][list(r)]
        room = _NEAR * self.size
        if (first.min(axis=0) > second.max(axis=0) + room).any() or (second.min(axis=0) > first.max(axis=0) + room).any():
            return False
        query = self.query(s, r)
        if sign_at(query.volume, self.at) or not any(sign_at(n, self.at) for n in query.normal) or not query.touches(self.at):
            return False
        return not any(self.corner_on_side(0, c, r) for c in s) and not any(self.corner_on_side(1, c, s) for c in r)

    # -- what a place is ------------------------------------------------------------------------------------------------

    def position(self, place: ContactPlace) -> np.ndarray:
        """(3,): in the frame of the second body, in doubles."""
        if place.first >= 0:
            return np.asarray(self.seen[0][place.first])
        if place.second >= 0:
            return np.asarray(self.seen[1][place.second])
        assert place.sides is not None
        (a, b), (c, d) = self.seen[0][list(place.sides[0])], self.seen[1][list(place.sides[1])]
        e, f = b - a, d - c
        normal = np.cross(e, f)
        return np.asarray(a + e * (np.cross(c - a, f) @ normal / (normal @ normal)))

    def sides_at(self, place: ContactPlace, side: int, face: int) -> frozenset[tuple[int, int]]:
        """On which sides of a face of a body a place is."""
        own, other = (place.first, place.second) if side == 0 else (place.second, place.first)
        sides = self.bodies[side].faces[face].sides
        if own >= 0:
            return frozenset(s for s in sides if own in s)
        if place.sides is not None:
            return frozenset(s for s in sides if set(s) == set(place.sides[side]))
        return frozenset(s for s in sides if self.corner_on_side(1 - side, other, s))


class FlatImpact(NamedTuple):
    """A moment at which two parts come to touch, and a corner of either, in the frame of the second body."""

    at: Root
    corners: tuple[np.ndarray, np.ndarray]


def events(bodies: tuple[FlatBody, FlatBody], scale: int, window: RationalMotion, reach: float) -> list[FlatImpact]:
    """The first impacts, in a short window, of parts that are within `reach` of each other at its beginning: one of the first, and of the
    others those that come later.
    """
    begin = MovingTouch(bodies, scale, window, Root((0, 1), 0, 0, 0))
    found: list[FlatImpact] = []
    room = reach + _NEAR * begin.size
    for first, second in parts(begin, begin.seen[0] - room, begin.seen[0] + room):
        at = first_touch(begin.query(first, second), 1.0)
        if at is not None:
            event, order = FlatImpact(at, (begin.seen[0][first[0]], begin.seen[1][second[0]])), compare(at, found[0].at) if found else -1
            found = [event, *found] if order < 0 else [*found, event] if order > 0 else found
    return found


def parts(touch: MovingTouch, low: np.ndarray, high: np.ndarray) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Corners of queries, of the first body and of the second, that may meet, as corners of the first are from `low` to `high` (n, 3)."""
    asked, still = set(), touch.seen[1]

    def near(first: Sequence[int], second: Sequence[int]) -> bool:
        p, q = list(first), still[list(second)]
        return bool((low[p].min(axis=0) <= q.max(axis=0)).all() and (q.min(axis=0) <= high[p].max(axis=0)).all())

    for own, other in itertools.product(touch.bodies[0].faces, touch.bodies[1].faces):
        if not near(own.ring, other.ring):
            continue
        pairs: list[Any] = [((a,), triangle) for a in own.ring for triangle in other.triangles]
        pairs += [(triangle, (b,)) for b in other.ring for triangle in own.triangles]
        pairs += [(tuple(sorted(s)), tuple(sorted(r))) for s in own.sides for r in other.sides]
        for both in pairs:
            if both not in asked:
                asked.add(both)
                if near(*both):
                    yield both


def hull_order(points: np.ndarray) -> Sequence[int]:
    """The order in which points (k, 3) of a convex polygon go round it."""
    away = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(away, full_matrices=False)
    return np.argsort(np.arctan2(away @ axes[1], away @ axes[0])).tolist()  # type: ignore[no-any-return]
