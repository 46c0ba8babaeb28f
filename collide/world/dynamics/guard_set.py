"""The first end of a motion in contact: guards are looked at at some times, and closer and closer in between."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.deadline import check

from ..features.features import Features
from ..features.local_geometry import Lost
from ..shapes.polyhedral import Polyhedral
from .equations import MotionEquations
from .guards import BEYOND, Cones, Forces, Guard, GuardReason, MotionAt, Slips, SlipStops, SlipTurns, Tilts, TooHigh, Top, WithinBorder
from .landing import CornersLand, HopsLand, Landing, PartsLand
from .planes import Plane, corner_planes, time_to_land

_TIMES = 24
# Of a time in which a motion ends: into so many parts, and times closer and closer to where that is expected, by quarters.
_PARTS, _NEARER = 32, 27
PARTS = (1.0 - np.cos(np.pi * np.arange(1, _TIMES + 1) / _TIMES)) / 2.0


@dataclass(frozen=True, eq=False)
class GuardHit:
    """The time at which a motion ends, and the reason; None if it is found to go on when it is looked at again. `contact`: the number of
    the one in whose plane a corner lands, if that is the reason.
    """

    time: float
    reason: GuardReason | None
    contact: int | None = None


class GuardSet:
    """The guards that are looked at while bodies move by `system`, from a time on. `shapes`: of the polyhedral ones; `parts`: of those
    whose contacts are tracked on both; `size`: of the smallest body.
    """

    def __init__(self, system: MotionEquations, now: float, courses: Sequence[Any], shapes: dict[int, Polyhedral],
                 parts: Callable[[int], Features | None], size: float) -> None:
        self.system, self.size = system, size
        places, motion, *_ = system.look(now, courses)
        # Bodies some of whose corners are beyond the plane of a contact.
        self.planes, self.around = corner_planes(system, shapes, motion, places, size)
        self.slips = Slips(system.kept, motion)
        self.landings: tuple[Landing, ...] = CornersLand(self.planes), HopsLand(system.kept, size), PartsLand(system.kept, parts, size)
        self.guards = guards_of(system, self.planes, self.slips, size, self.landings)
        # Values at times that were looked at, whose signs tell when motions end.
        self.signs: list[tuple[np.ndarray, np.ndarray]] = []

    def soon(self, now: float, courses: Sequence[Any]) -> float:
        """About the time until a corner lands that is not in a plane. Where to look only."""
        return time_to_land(self.system, self.planes, self.size, now, courses)

    def lands(self, time: float, courses: Sequence[Any]) -> int | None:
        """The contact in whose plane a corner is that was above it, if there is one."""
        try:
            at = MotionAt.of(self.system, np.array([time]), courses)
            return next((c for guard in self.landings for c, down in guard.landing(at) if down[0]), None)
        except Lost:
            return None

    def first_bad(self, times: np.ndarray, courses: Sequence[Any]) -> tuple[int, GuardReason | None]:
        """The number of the first of some times at which a guard ends the motion, and its reason; that of all times if there is none."""
        check()
        try:
            return self._first_bad(times, courses)
        except Lost:
            if len(times) == 1:
                return 0, GuardReason.LOST
            each = ((k, self.first_bad(times[k:k + 1], courses)) for k in range(len(times)))
            return next(((k, reason) for k, (bad, reason) in each if not bad), (len(times), None))

    def _first_bad(self, times: np.ndarray, courses: Sequence[Any]) -> tuple[int, GuardReason | None]:
        at, first, reason = MotionAt.of(self.system, times, courses), len(times), None
        values = list[np.ndarray]()
        for guard in self.guards:
            found = guard.look(at, first)
            first, reason = (found.first, guard.reason) if found.first < first else (first, reason)
            values += found.values
        self.signs.append((times, np.column_stack(values)))
        self.slips.note(at.along[:first])
        return first, reason

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
        """The first end that is found after now: at some times, and then closer and closer in between."""
        times = np.minimum(until, now + PARTS * (until - now))
        bad, _ = self.first_bad(times, courses)
        if bad == len(times):
            return None
        while True:
            lo, hi = (now if not bad else float(times[bad - 1])), float(times[bad])
            times = self._closer(lo, hi)
            if not len(times):
                lands = self.lands(hi, courses)
                return GuardHit(hi, GuardReason.LANDS if lands is not None else self.first_bad(np.array([hi]), courses)[1], lands)
            now, times = lo, np.append(times, hi)
            # What was bad may be good by a rounding when it is looked at again.
            bad = min(self.first_bad(times, courses)[0], len(times) - 1)


def guards_of(system: MotionEquations, planes: Sequence[Plane], slips: Slips, size: float, landings: Sequence[Landing]) -> list[Guard]:
    """The guards of a motion in contact, in the order in which a reason is told where several end it at one time."""
    kept, scales = system.kept, np.concatenate([np.repeat([1.0, system.bodies[k].radius], 3) for k in system.free])
    return [Forces(), WithinBorder(kept, size), TooHigh(kept, size), Top(kept), Tilts(kept, planes, size), SlipStops(slips),
            SlipTurns(slips), *landings, Cones(kept, scales)]


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
