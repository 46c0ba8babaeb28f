"""Ends of motions in contact: conditions looked at at some times, and closer and closer in between."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from codegen.deadline import check

from ..contact.closed_forms import ContactGeometry
from ..contact.coplanar_curves import low
from ..contact.feature_pairs import alone, deeper
from ..contact.tracked_pair import OnSmooth
from ..contact_solver.forces import ContactDynamics, Solved, missing, solved
from ..contact_solver.stick_slip import TOLERANCE
from ..features.features import Features
from ..features.local_geometry import Lost
from ..motion.rotation import crosses
from ..shapes.polyhedral import Polyhedral
from .equations import MotionEquations
from .projection import ROUNDING, alongside

# Against size: corners that are no higher are in the plane of a contact; how deep these may come, and how far a contact beyond a border.
IN_PLANE, _DEEP, BEYOND = 1e-9, 1e-10, 2e-9
_TIMES = 24
# Of a time in which a motion ends: into so many parts, and times closer and closer to where that is expected, by quarters.
_PARTS, _NEARER = 32, 27
# Against the height up to which an edge lies in a plane, where it has risen from it.
_TILTED = 1.2
PARTS = (1.0 - np.cos(np.pi * np.arange(1, _TIMES + 1) / _TIMES)) / 2.0


@dataclass(frozen=True, eq=False)
class GuardHit:
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


class GuardSet:
    """The guards that are looked at while bodies move by `system`, from a time on. `shapes`: of the polyhedral ones; `parts`: of those
    whose contacts are tracked on both; `size`: of the smallest body.
    """

    def __init__(self, system: MotionEquations, now: float, courses: Sequence[Any], shapes: dict[int, Polyhedral],
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
                if shape is not None and not kept.link.contact.tracked:
                    self._add(c, body, side, shape.corners, motion, places, _TILTED if body not in shapes else math.inf)
        self._slipping(motion)
        # What was seen at times that were looked at, whose signs tell when motions end.
        self.signs: list[tuple[np.ndarray, np.ndarray]] = []
        self.seen: list[np.ndarray] = []

    def _pairs(self, parts: Callable[[int], Features | None]) -> dict[tuple[int, int], tuple[int, Features, Features]]:
        """The first contact of pairs that may touch elsewhere, too, and their parts."""
        found = {}
        for c, first in enumerate(self.system.kept):
            i, j = first.link.pair
            rims = first.link.flats != (None, None)
            if (rims or first.link.contact.tracked) and (i, j) not in found and (j, i) not in found:
                one, other = parts(i), parts(j)
                assert one is not None and other is not None, "a contact of parts is of bodies that have them"
                if not (alone(one, other) or (rims and one.convex and other.convex)):
                    kept = [k.link.contact for k in self.system.kept if set(k.link.pair) == {i, j}]
                    found[i, j] = c, one, self._facing(other, kept) if one.convex else other
        return found

    @staticmethod
    def _facing(body: Features, kept: Sequence[ContactGeometry]) -> Features:
        """The parts of the second body of contacts that may touch elsewhere one that is convex: of what is convex, too, a flat face alone,
        if it touches with that.
        """
        found = [c.other if isinstance(c, OnSmooth) else None for c in kept]
        face = found[0]
        if face is None or not body.convex or face.dimension < 2 or not face.straight or any(e is not face for e in found):
            return body
        return replace(body, parts=(face,))

    def _add(self, c: int, body: int, side: float, corners: np.ndarray, motion: ContactDynamics, places: dict[int, Any],
             rises: float) -> None:
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
    def _heights(c: int, side: float, corners: np.ndarray, motion: ContactDynamics, place: Any) -> np.ndarray:
        """(..., m), of m corners of the first body above what the second one touches with, or of this one's below the first, if `side` is
        -1.
        """
        normal = motion.frames[..., c, 0, :]
        point = motion.points[..., c, :] - (motion.gaps[..., c, None] * normal if side > 0.0 else 0.0)
        at = corners @ np.swapaxes(place.turn, -1, -2) + (place.centre - point)[..., None, :]
        return np.asarray(side * (at @ normal[..., None])[..., 0])

    def _slipping(self, motion: ContactDynamics) -> None:
        self.slips |= (alongside(self.system.kept, motion) > [k.still for k in self.system.kept]).reshape(-1, len(self.slips)).any(axis=0)

    def soon(self, now: float, courses: Sequence[Any]) -> float:
        """About the time until a corner lands that is not in a plane. Where to look only."""
        (places, motion, _, rates), found = self.system.look(now, courses), math.inf
        rates = rates + self.system.answer(now, courses).change.reshape(-1, 6)
        for plane in self.planes:
            high = self._heights(plane.contact, plane.side, plane.corners, motion, places[plane.body]) - plane.least
            at = plane.corners @ places[plane.body].turn.T + places[plane.body].centre
            ways, signs = np.zeros((2, *at.shape)), (1.0, -1.0)
            for k, sign in zip((plane.body, sum(self.system.kept[plane.contact].link.pair) - plane.body), signs, strict=True):
                arm, rate = at - places[k].centre, rates[self.system.row[k]] if k in self.system.row else np.zeros(6)
                moving = crosses(places[k].spin, arm)
                ways += sign * np.array([places[k].velocity + moving, rate[:3] + crosses(rate[3:], arm) + crosses(places[k].spin, moving)])
            speed, pull = plane.side * ways @ motion.frames[plane.contact, 0]
            with np.errstate(all="ignore"):
                times = 2.0 * high / (np.sqrt(speed * speed - 2.0 * pull * high) - speed)
            found = min([found, *times[(high > IN_PLANE * self.size) & (times > 0.0)].tolist()])
        return found

    def lands(self, time: float, courses: Sequence[Any]) -> int | None:
        """The contact in whose plane a corner is that was above it, if there is one."""
        try:
            places, motion, *_ = self.system.looks(np.array([time]), courses)
            return next((c for c, down in self._landing(places, motion) if down[0]), None)
        except Lost:
            return None

    def _landing(self, places: dict[int, Any], motion: ContactDynamics) -> Iterator[tuple[int, np.ndarray]]:
        """Contacts, and at which of some times a corner is in their planes."""
        for plane in self.planes:
            high = self._heights(plane.contact, plane.side, plane.corners, motion, places[plane.body]) - plane.least
            self.seen.append(high.min(axis=-1, initial=1.0))
            yield plane.contact, self.seen[-1] <= 0.0
        for c, kept in enumerate(self.system.kept):
            if kept.loose:
                # What falls lands when it is seen to be in what it hopped from, or hops would go on for ever, from ever the same depth.
                falls = (motion.speeds[:, c, 0] < -kept.still) & (motion.gaps[:, c] <= -ROUNDING * self.size)
                yield c, np.asarray(falls | (motion.gaps[:, c] <= -_DEEP * self.size))
        for (i, j), (c, one, other) in self.pairs.items():
            check()
            lying = any(k.link.flats != (None, None) for k in self.system.kept if set(k.link.pair) == {i, j})
            yield c, np.arange(len(motion.gaps)) >= deeper(one, other, places[i], places[j], self.size, _DEEP * self.size, lying)

    def _stops(self, motion: ContactDynamics) -> tuple[np.ndarray, np.ndarray]:
        """(m,): whether what slipped before stops at each time, and whether it has turned across."""
        still = np.array([k.still for k in self.system.kept])
        along, fast = alongside(self.system.kept, motion), np.hypot(motion.speeds[..., 1], motion.speeds[..., 2]) > still
        since = np.logical_or.accumulate(np.vstack([self.slips, along[:-1] > still]), axis=0) & (along <= 0.0)
        return (since & ~fast).any(axis=1) | (~since & (along < -10.0 * still)).any(axis=1), (since & fast).any(axis=1)

    def _lasting(self, places: dict[int, Any], motion: ContactDynamics, solved: Solved) -> np.ndarray:
        """(m,): whether contacts last at each time, except for what they can give, and for slips."""
        kept, well = self.system.kept, solved.fits.copy()
        self.seen = [motion.gaps + ROUNDING * self.size, BEYOND * self.size - motion.gaps, motion.speeds[..., 0], alongside(kept, motion)]
        for c, k in enumerate(kept):
            off = k.link.contact.outside(*(places[b] for b in k.link.pair))
            self.seen.append(BEYOND * self.size - off)
            well &= off <= BEYOND * self.size
            if k.loose:
                well &= motion.gaps[:, c] <= BEYOND * self.size
            if k.rises:
                well &= motion.speeds[:, c, 0] > 0.0
        return well & ~self._tilts(places, motion)

    def _tilts(self, places: dict[int, Any], motion: ContactDynamics) -> np.ndarray:
        """(m,): whether an edge that lay in a plane rises from it at each time, or comes to lie in one."""
        found = np.zeros(len(motion.gaps), bool)
        for plane in self.planes:
            found |= (self._heights(plane.contact, plane.side, plane.corners, motion, places[plane.body]) > plane.most).any(axis=-1)
        for c, k in enumerate(self.system.kept):
            for points in k.link.contact.lying:
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
        spare = self._spare(motion, found)
        bad = next((k for k in np.flatnonzero(spare[:count].min(axis=1, initial=1.0) < 0.0).tolist()
                    if not missing(self.system.kept, motion.of(k), found.push[k], self.scales, TOLERANCE).none), count)
        self.signs.append((times, np.column_stack([*self.seen, spare])))
        self._slipping(motion.of(slice(0, bad)))
        return bad

    def _spare(self, motion: ContactDynamics, found: Solved) -> np.ndarray:
        """(m, 2 k): how far the forces that were found press, and how far within their cones of friction: others may do, too."""
        spare = found.forces.copy()[..., :2]
        for c, k in enumerate(self.system.kept):
            sticks = k.slip is None and not k.loose
            spare[:, c, 1] = k.friction * spare[:, c, 0] - np.hypot(*found.forces[:, c, 1:].T) if sticks else 0.0
        return spare.reshape(len(spare), -1)

    def _closer(self, lo: float, hi: float) -> np.ndarray:
        """Times between these, close to where what was seen changes its sign, as polynomials through what is known tell. Where to look
        only.
        """
        parts, found = lo + (hi - lo) * np.arange(1, _PARTS) / _PARTS, math.inf
        times, rows = np.unique(np.concatenate([[], *(t for t, _ in self.signs)]), return_index=True)
        after = int(np.searchsorted(times, hi))
        if 0 < after < len(times) and times[after - 1] == lo:
            near = slice(max(after - 2, 0), after + 2)
            values, at = np.concatenate([e for _, e in self.signs])[rows[near]], min(after, 2)
            for column in np.flatnonzero((values[at - 1] > 0.0) & (values[at] <= 0.0)):
                found = min(found, _root(times[near].tolist(), values[:, column].tolist(), lo, hi))
        off = (hi - lo) * 0.25 ** np.arange(1, _NEARER)
        times = np.unique(np.concatenate([parts, found - off, [found], found + off]))
        return times[(times > lo) & (times < hi)]

    def end(self, now: float, until: float, courses: Sequence[Any]) -> GuardHit | None:
        """The first that is found after now: at some times, and then closer and closer in between."""
        times = np.minimum(until, now + PARTS * (until - now))
        bad = self.first_bad(times, courses)
        if bad == len(times):
            return None
        while True:
            lo, hi = (now if not bad else float(times[bad - 1])), float(times[bad])
            times = self._closer(lo, hi)
            if not len(times):
                lands = self.lands(hi, courses)
                return GuardHit(hi, lands, lands is None and not self.first_bad(np.array([hi]), courses) and self.turned)
            now, times = lo, np.append(times, hi)
            # What was bad may be good by a rounding when it is looked at again.
            bad = min(self.first_bad(times, courses), len(times) - 1)


def _root(times: list[float], values: list[float], lo: float, hi: float) -> float:
    """A root, between `lo` and `hi`, of the polynomial through values, which has two signs at these."""
    slopes = list(values)
    for n in range(1, len(times)):
        slopes[n:] = [(b - a) / (t - s) for a, b, s, t in zip(slopes[n - 1:], slopes[n:], times, times[n:], strict=False)]
    while lo < (middle := (lo + hi) / 2.0) < hi:
        high = 0.0
        for s, t in zip(reversed(slopes), reversed(times), strict=True):
            high = high * (middle - t) + s
        lo, hi = (middle, hi) if high > 0.0 else (lo, middle)
    return hi


def hopping(system: MotionEquations, now: float, courses: Sequence[Any], size: float) -> float:
    """About the time until the first of what hops comes down again, is at its top, or rises higher than what is followed. Where to look
    only.
    """
    loose = [c for c, k in enumerate(system.kept) if k.loose]
    if not loose:
        return math.inf
    motion = system.look(now, courses)[1]
    bends = (motion.free + motion.rows @ system.answer(now, courses).change)[loose, 0]
    found, high = [math.inf], BEYOND * size
    for c, speed, bend in zip(loose, np.maximum(motion.speeds[loose, 0], 0.0).tolist(), bends.tolist(), strict=True):
        root = speed * speed + 2.0 * bend * high
        if root > 0.0:
            found.append(2.0 * high / (speed + math.sqrt(root)))
        if bend < 0.0 < speed:
            found.append((1.0 if system.kept[c].rises else 2.0) * speed / -bend)
    return min(found)
