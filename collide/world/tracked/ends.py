"""How far bodies move on with the contacts that they have, and why that ends: looked at at some times, and closer and closer in between."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from codegen.deadline import check

from ..impact import least_impulses
from ..system import System
from .curved import OnSmooth
from .features import Features
from .flush import low
from .forces import Kept, Motion, Solved, missing, solved
from .grip import TOLERANCE
from .jets import Lost
from .manifold import Contact
from .pairs import alone, deeper
from .polyhedral import Polyhedral

# Against size: corners that are no higher are in the plane of a contact; how deep these may come, and how far a contact beyond a border.
IN_PLANE, _DEEP, BEYOND = 1e-9, 1e-10, 2e-9
_TIMES = 24
# Against the height up to which an edge lies in a plane, where it has risen from it.
_TILTED = 1.2
# Against size, what of a gap may be rounding.
_ROUNDING = 1e-14
# A slip that is so much along the direction that it is said to have goes on.
_AHEAD = 0.9
PARTS = (1.0 - np.cos(np.pi * np.arange(1, _TIMES + 1) / _TIMES)) / 2.0


@dataclass(frozen=True, eq=False)
class End:
    """The time; and the number of the contact in whose plane another corner lands, if that is why; or a slip has only `turned`."""

    time: float
    lands: int | None
    turned: bool = False


@dataclass(frozen=True, eq=False)
class Plane:
    """Corners (m, 3) of a body that are on their `side` of a contact's plane, seen from the centre of mass, how low each may come, and how
    high, of samples of an edge that lies there.
    """

    contact: int
    body: int
    side: float
    corners: np.ndarray
    least: np.ndarray
    most: np.ndarray


class Watch:
    """What is looked at while bodies move by `system`, from a time on. `shapes`: of the polyhedral ones; `parts`: of those whose contacts
    are tracked on both; `size`: of the smallest body.
    """

    def __init__(self, system: System, now: float, courses: Sequence[Any], shapes: dict[int, Polyhedral],
                 parts: Callable[[int], Features | None], size: float) -> None:
        self.system, self.size = system, size
        self.pairs = self._pairs(parts)
        radii = [system.bodies[k].radius for k in system.free]
        self.scales = np.concatenate([np.repeat([1.0, r], 3) for r in radii])
        self.slips, self.turned = np.zeros(len(system.kept), bool), False
        self.planes: list[Plane] = []
        places, motion, *_ = system.look(now, courses)
        # Bodies some of whose corners are beyond the plane of a contact.
        self.around: set[tuple[int, int]] = set()
        for c, kept in enumerate(system.kept):
            for body, side, flat in zip(kept.link.pair, (1.0, -1.0), kept.link.flats, strict=True):
                shape = shapes.get(body, flat)
                if shape is not None and not isinstance(kept.link.contact, OnSmooth):
                    self._add(c, body, side, shape.corners, motion, places, _TILTED if body not in shapes else math.inf)
        self._slipping(motion)

    def _pairs(self, parts: Callable[[int], Features | None]) -> dict[tuple[int, int], tuple[int, Features, Features]]:
        """Of pairs that may touch elsewhere, too: the first contact, and their parts."""
        found = {}
        for c, first in enumerate(self.system.kept):
            i, j = first.link.pair
            rims = first.link.flats != (None, None)
            if (rims or isinstance(first.link.contact, OnSmooth)) and (i, j) not in found and (j, i) not in found:
                one, other = parts(i), parts(j)
                assert one is not None and other is not None, "a contact of parts is of bodies that have them"
                if not (alone(one, other) or (rims and one.convex and other.convex)):
                    kept = [k.link.contact for k in self.system.kept if set(k.link.pair) == {i, j}]
                    found[i, j] = c, one, self._facing(other, kept) if one.convex else other
        return found

    @staticmethod
    def _facing(body: Features, kept: Sequence[Contact]) -> Features:
        """What of the second body of contacts may touch elsewhere one that is convex: of what is convex, too, a flat face alone, if it
        touches with that.
        """
        found = [c.other if isinstance(c, OnSmooth) else None for c in kept]
        face = found[0]
        if face is None or not body.convex or face.dimension < 2 or not face.straight or any(e is not face for e in found):
            return body
        return replace(body, parts=(face,))

    def _add(self, c: int, body: int, side: float, corners: np.ndarray, motion: Motion, places: dict[int, Any], rises: float) -> None:
        high = self._heights(c, side, corners, motion, places[body])
        if (high < -IN_PLANE * self.size).any():
            self.around.add((c, body))
        own = high >= -IN_PLANE * self.size
        # Neighbours of a sample that touches are hardly higher.
        lying = own & (high <= _TILTED * low(corners, self.size)) & (rises < math.inf)
        # What hops is not moved into the plane: what hangs over, and is below it already, may come so much deeper.
        least = np.where((high > IN_PLANE * self.size) & ~lying, 0.0, (np.minimum(high, 0.0) if self.system.kept[c].loose else 0.0)
                         - _DEEP * self.size)
        most = np.where(lying, rises * low(corners[lying], self.size) if lying.any() else 0.0, math.inf)
        self.planes.append(Plane(c, body, side, corners[own], least[own], most[own]))

    @staticmethod
    def _heights(c: int, side: float, corners: np.ndarray, motion: Motion, place: Any) -> np.ndarray:
        """(..., m), of m corners of the first body above what the second one touches with, or of this one's below the first, if `side` is
        -1.
        """
        normal = motion.frames[..., c, 0, :]
        point = motion.points[..., c, :] - (motion.gaps[..., c, None] * normal if side > 0.0 else 0.0)
        at = corners @ np.swapaxes(place.turn, -1, -2) + (place.centre - point)[..., None, :]
        return np.asarray(side * (at @ normal[..., None])[..., 0])

    def _slipping(self, motion: Motion) -> None:
        self.slips |= (alongside(self.system.kept, motion) > [k.still for k in self.system.kept]).reshape(-1, len(self.slips)).any(axis=0)

    def lands(self, time: float, courses: Sequence[Any]) -> int | None:
        """The contact in whose plane a corner is that was above it, if there is one."""
        try:
            places, motion, *_ = self.system.looks(np.array([time]), courses)
            return next((c for c, down in self._landing(places, motion) if down[0]), None)
        except Lost:
            return None

    def _landing(self, places: dict[int, Any], motion: Motion) -> Iterator[tuple[int, np.ndarray]]:
        """Contacts, and at which of some times a corner is in their planes."""
        for plane in self.planes:
            high = self._heights(plane.contact, plane.side, plane.corners, motion, places[plane.body])
            yield plane.contact, np.asarray((high <= plane.least).any(axis=-1))
        for c, kept in enumerate(self.system.kept):
            if kept.loose:
                # What falls lands when it is seen to be in what it hopped from, or hops would go on for ever, from ever the same depth.
                falls = (motion.speeds[:, c, 0] < -kept.still) & (motion.gaps[:, c] <= -_ROUNDING * self.size)
                yield c, np.asarray(falls | (motion.gaps[:, c] <= -_DEEP * self.size))
        for (i, j), (c, one, other) in self.pairs.items():
            check()
            yield c, np.arange(len(motion.gaps)) >= deeper(one, other, places[i], places[j], self.size, _DEEP * self.size)

    def _stops(self, motion: Motion) -> tuple[np.ndarray, np.ndarray]:
        """(m,): at which times does what slipped before stop, or has turned across?"""
        still = np.array([k.still for k in self.system.kept])
        along, fast = alongside(self.system.kept, motion), np.hypot(motion.speeds[..., 1], motion.speeds[..., 2]) > still
        since = np.logical_or.accumulate(np.vstack([self.slips, along[:-1] > still]), axis=0) & (along <= 0.0)
        return (since & ~fast).any(axis=1) | (~since & (along < -10.0 * still)).any(axis=1), (since & fast).any(axis=1)

    def _lasting(self, places: dict[int, Any], motion: Motion, solved: Solved) -> np.ndarray:
        """(m,): at which times do contacts last, but for what they can give, and for slips?"""
        kept, well = self.system.kept, solved.fits.copy()
        for c, k in enumerate(kept):
            well &= k.link.contact.outside(*(places[b] for b in k.link.pair)) <= BEYOND * self.size
            if k.loose:
                well &= motion.gaps[:, c] <= BEYOND * self.size
            if k.rises:
                well &= motion.speeds[:, c, 0] > 0.0
        return well & ~self._tilts(places, motion)

    def _tilts(self, places: dict[int, Any], motion: Motion) -> np.ndarray:
        """(m,): at which times does an edge that lay in a plane rise from it, or come to lie in one?"""
        found = np.zeros(len(motion.gaps), bool)
        for plane in self.planes:
            found |= (self._heights(plane.contact, plane.side, plane.corners, motion, places[plane.body]) > plane.most).any(axis=-1)
        for c, k in enumerate(self.system.kept):
            for points in k.link.contact.lying if isinstance(k.link.contact, OnSmooth) else ():
                found |= self._heights(c, 1.0, points, motion, places[k.link.pair[0]]).max(axis=-1) <= low(points, self.size)
        return found

    def first_bad(self, times: np.ndarray, courses: Sequence[Any]) -> int:
        """The number of the first of some times at which not all contacts last, or a corner lands; that of all times if there is none."""
        check()
        try:
            places, motion, inverse, _ = self.system.looks(times, courses)
            found = solved(self.system.kept, motion, inverse)
            stop, turned = self._stops(motion)
            well = self._lasting(places, motion, found) & ~stop
            self.turned = bool(well[-1] and turned[-1])
            well &= ~turned
            for _, down in self._landing(places, motion):
                well &= ~down
        except Lost:
            return next((k for k in range(len(times)) if not self.first_bad(times[k:k + 1], courses)), len(times)) if len(times) > 1 else 0
        count = len(times) if well.all() else int(np.argmin(well))
        bad = next((k for k in range(count)
                    if not missing(self.system.kept, motion.of(k), found.push[k], self.scales, TOLERANCE).none), count)
        self._slipping(motion.of(slice(0, bad)))
        return bad

    def end(self, now: float, until: float, courses: Sequence[Any]) -> End | None:
        """The first that is found after now: at some times, and then closer and closer in between."""
        times = np.minimum(until, now + PARTS * (until - now))
        bad = self.first_bad(times, courses)
        if bad == len(times):
            return None
        while True:
            lo, hi = (now if not bad else float(times[bad - 1])), float(times[bad])
            times = np.unique(lo + (hi - lo) * np.arange(1, _TIMES) / _TIMES)
            times = times[(times > lo) & (times < hi)]
            if not len(times):
                lands = self.lands(hi, courses)
                return End(hi, lands, lands is None and not self.first_bad(np.array([hi]), courses) and self.turned)
            now, times = lo, np.append(times, hi)
            # What was bad may be good by a rounding when it is looked at again.
            bad = min(self.first_bad(times, courses), len(times) - 1)


def alongside(kept: Sequence[Kept], motion: Motion, rates: np.ndarray | None = None) -> np.ndarray:
    """(..., k): how fast contacts slip the way they do at the beginning, 1 of those that do not; or what of `rates` (..., k,
    3) is that way.
    """
    found, speeds = np.ones(motion.gaps.shape), motion.speeds if rates is None else rates
    slips = [c for c, k in enumerate(kept) if not (k.slip is None or k.loose or not k.friction)]
    if slips:
        across = (motion.frames[..., slips, 1:, :] @ np.array([kept[c].slip for c in slips])[:, :, None])[..., 0]
        found[..., slips] = (speeds[..., slips, 1:] * across).sum(axis=-1)
    return found


def hopping(system: System, now: float, courses: Sequence[Any], size: float) -> float:
    """About the time until the first of what hops comes down again, is at its top, or rises higher than what is followed. Where to look
    only.
    """
    loose = [c for c, k in enumerate(system.kept) if k.loose]
    if not loose:
        return math.inf
    _, motion, inverse, _ = system.look(now, courses)
    bends = (motion.free + motion.rows @ solved(system.kept, motion, inverse).change)[loose, 0]
    found, high = [math.inf], BEYOND * size
    for c, speed, bend in zip(loose, np.maximum(motion.speeds[loose, 0], 0.0).tolist(), bends.tolist(), strict=True):
        root = speed * speed + 2.0 * bend * high
        if root > 0.0:
            found.append(2.0 * high / (speed + math.sqrt(root)))
        if bend < 0.0 < speed:
            found.append((1.0 if system.kept[c].rises else 2.0) * speed / -bend)
    return min(found)


def onward(system: System, now: float, courses: Sequence[Any]) -> list[Kept] | None:
    """The contacts with the directions in which they slip by now; None where a slip that counts as none grows less."""
    _, motion, inverse, _ = system.look(now, courses)
    rates = motion.free + motion.rows @ solved(system.kept, motion, inverse).change
    slow = alongside(system.kept, motion) <= [k.still for k in system.kept]
    if (slow & (alongside(system.kept, motion, rates) < 0.0)).any():
        return None
    return [k if k.slip is None or k.loose or np.hypot(*s[1:]) <= k.still else replace(k, slip=axes[1:].T @ (s[1:] / np.hypot(*s[1:])))
            for k, s, axes in zip(system.kept, motion.speeds, motion.frames, strict=True)]


def lifted(system: System, now: float, courses: Sequence[Any], size: float) -> np.ndarray | None:
    """(n, 6): the least shifts and turns of the free bodies after which they are no longer in each other at the contacts, and edges that
    lie in planes do just that; None where they are not, but for rounding.
    """
    _, motion, inverse, _ = system.look(now, courses)
    deep, lying = motion.gaps < -_ROUNDING * size, np.array([k.link.flats != (None, None) for k in system.kept])
    root = np.linalg.cholesky(inverse)
    normals = motion.rows[:, 0] @ root
    if lying.any():
        return np.asarray(root @ (np.linalg.pinv(normals[lying], rcond=1e-9) @ -motion.gaps[lying])).reshape(-1, 6)
    if not deep.any():
        return None
    found: np.ndarray = (root @ (normals.T @ least_impulses(normals, np.where(deep, -motion.gaps, 0.0)))).reshape(-1, 6)
    return found


def settled(system: System, now: float, courses: Sequence[Any]) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Centres, turns of (3,) and velocities and spins of the free bodies with which nothing lies between at the contacts, and nothing moves
    there that should not: the least change of the state, which takes energy at most. A slip that has just begun goes on.
    """
    _, motion, inverse, _ = system.look(now, courses)
    n, slow = 6 * len(system.free), [float(np.hypot(*s[1:])) for s in motion.speeds]
    sticks = [k.friction > 0.0 and s <= k.still and (k.slip is None or along <= _AHEAD * s)
              for k, s, along in zip(system.kept, slow, alongside(system.kept, motion), strict=True)]
    which = np.array([[not k.loose, e and not k.loose, e and not k.loose] for k, e in zip(system.kept, sticks, strict=True)])
    rows, speeds = motion.rows[which], motion.speeds[which]
    root = np.linalg.cholesky(inverse)
    moved = -root @ (np.linalg.pinv(motion.rows[which[:, 0], 0] @ root, rcond=1e-9) @ motion.gaps[which[:, 0]])
    sped = -root @ (np.linalg.pinv(rows @ root, rcond=1e-9) @ speeds)
    found = []
    for k, shift, change in zip(system.free, moved.reshape(-1, 6), sped.reshape(-1, 6), strict=True):
        course = courses[k]
        found.append((course.centre_at(now) + shift[:3], shift[3:], course.velocity_at(now) + change[:3], course.spin_at(now) + change[3:]))
    assert n == len(moved) and math.isfinite(float(np.abs(moved).sum()))
    return found
