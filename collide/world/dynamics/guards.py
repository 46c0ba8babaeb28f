"""Guards: conditions that end a motion in contact, each positive as long as the motion may go on.

A guard decides at some times at once, in arrays; `guard_set` finds the first time at which one of them ends the motion.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np

from ..contact.coplanar_curves import low
from ..contact_solver.forces import ActiveConstraint, ContactDynamics, Solved, missing, solved
from ..contact_solver.stick_slip import TOLERANCE
from .equations import MotionEquations
from .planes import Plane, heights
from .projection import alongside

# Against size: how far a contact may be beyond a border, and how high what hops.
BEYOND = 2e-9
# Against the slip that counts as none: what slips back, beside what has not begun to slip, by more has passed its end.
_BACK = 10.0


class GuardReason(Enum):
    """The condition that ends a motion in contact."""

    LANDS = "a part lands that was apart"
    TOO_HIGH = "a hop rises higher than hops that are followed"
    TOP = "a hop that hardly rises is at its top"
    FORCES = "no forces are found that keep the contacts"
    BORDER = "a contact leaves its face or edge"
    TILTS = "an edge rises from a plane, or comes to lie in one"
    SLIP_STOPS = "a slip stops"
    SLIP_TURNS = "a slip has turned across"
    CONE_LEFT = "forces leave the cones of friction, or pull"
    LOST = "a contact of curved surfaces is not found"


class MotionAt(NamedTuple):
    """A motion in contact at m times: places of bodies by number, the kinematics of contacts, the forces that keep these, and how fast they
    slip (m, k) the way they did as the motion began.
    """

    places: dict[int, Any]
    motion: ContactDynamics
    forces: Solved
    along: np.ndarray

    @classmethod
    def of(cls, system: MotionEquations, times: np.ndarray, courses: Sequence[Any]) -> "MotionAt":
        """The motion by equations, and the courses of all bodies."""
        places, motion, inverse, _ = system.looks(times, courses)
        return cls(places, motion, solved(system.kept, motion, inverse), alongside(system.kept, motion))


class Signs(NamedTuple):
    """Answer of a guard: the number of the first time at which the motion ends, or that of the times asked about; and values (m, n) that
    fall through zero where it does, which tell where to look, and decide nothing.
    """

    first: int
    values: Sequence[np.ndarray] = ()


class Guard(Protocol):
    """A condition that ends a motion in contact, for a `reason`."""

    reason: GuardReason

    def look(self, at: MotionAt, count: int) -> Signs:
        """The first of `count` times at which the motion may not go on."""
        ...


def first_of(ends: np.ndarray, count: int) -> int:
    """The number of the first of `count` times at which a motion ends; `count` if there is none."""
    return int(np.argmax(ends[:count])) if ends[:count].any() else count


class Forces:
    """Forces are found that keep the contacts as they are."""

    reason = GuardReason.FORCES

    def look(self, at: MotionAt, count: int) -> Signs:
        return Signs(first_of(~at.forces.fits, count))


class WithinBorder:
    """Contacts stay on their faces and edges."""

    reason = GuardReason.BORDER

    def __init__(self, kept: Sequence[ActiveConstraint], size: float) -> None:
        self.kept, self.least = kept, BEYOND * size

    def look(self, at: MotionAt, count: int) -> Signs:
        left = [self.least - k.link.contact.outside(*(at.places[b] for b in k.link.pair)) for k in self.kept]
        return Signs(min((first_of(~(e >= 0.0), count) for e in left), default=count), left)


class TooHigh:
    """A body that hops stays as low as hops that are followed."""

    reason = GuardReason.TOO_HIGH

    def __init__(self, kept: Sequence[ActiveConstraint], size: float) -> None:
        self.loose, self.least = [c for c, k in enumerate(kept) if k.loose], BEYOND * size

    def look(self, at: MotionAt, count: int) -> Signs:
        return Signs(first_of(np.asarray(~(at.motion.gaps[:, self.loose] <= self.least).all(axis=1)), count), [self.least - at.motion.gaps])


class Top:
    """A body that hops, and rises little, still rises."""

    reason = GuardReason.TOP

    def __init__(self, kept: Sequence[ActiveConstraint]) -> None:
        self.rising = [c for c, k in enumerate(kept) if k.rises]

    def look(self, at: MotionAt, count: int) -> Signs:
        speeds = at.motion.speeds[..., 0]
        return Signs(first_of(np.asarray(~(speeds[:, self.rising] > 0.0).all(axis=1)), count), [speeds])


class Tilts:
    """Edges that lay in a plane as the motion began do so, and no others come to lie in one."""

    reason = GuardReason.TILTS

    def __init__(self, kept: Sequence[ActiveConstraint], planes: Sequence[Plane], size: float) -> None:
        self.kept, self.planes, self.size = kept, planes, size

    def look(self, at: MotionAt, count: int) -> Signs:
        found = np.zeros(len(at.motion.gaps), bool)
        for p in self.planes:
            found |= (heights(p.contact, p.side, p.corners, at.motion, at.places[p.body]) > p.most).any(axis=-1)
        for c, k in enumerate(self.kept):
            for points in k.link.contact.lying:
                found |= heights(c, 1.0, points, at.motion, at.places[k.link.pair[0]]).max(axis=-1) <= low(points, self.size)
        return Signs(first_of(found, count))


class Slips:
    """Memory of slips: which contacts have slipped since the motion began."""

    def __init__(self, kept: Sequence[ActiveConstraint], motion: ContactDynamics) -> None:
        self.still = np.array([k.still for k in kept])
        self.begun = np.zeros(len(kept), bool)
        self.note(alongside(kept, motion))

    def note(self, along: np.ndarray) -> None:
        """Note the slips of some times, which are known to be of the motion."""
        self.begun |= (along > self.still).reshape(-1, len(self.begun)).any(axis=0)

    def ended(self, at: MotionAt) -> np.ndarray:
        """(m, k): whether contacts that have slipped do so no longer, or the other way."""
        before = np.vstack([self.begun, at.along[:-1] > self.still])
        return np.asarray(np.logical_or.accumulate(before, axis=0) & (at.along <= 0.0))

    def fast(self, at: MotionAt) -> np.ndarray:
        """(m, k): whether contacts slip in any direction."""
        return np.asarray(np.hypot(at.motion.speeds[..., 1], at.motion.speeds[..., 2]) > self.still)


class SlipStops:
    """A contact that slips goes on, and one that has not begun to slip does not slip back."""

    reason = GuardReason.SLIP_STOPS

    def __init__(self, slips: Slips) -> None:
        self.slips = slips

    def look(self, at: MotionAt, count: int) -> Signs:
        ended = self.slips.ended(at)
        back = ~ended & (at.along < -_BACK * self.slips.still)
        return Signs(first_of(((ended & ~self.slips.fast(at)) | back).any(axis=1), count), [at.along])


class SlipTurns:
    """A contact that slips does so about the way it did as the motion began."""

    reason = GuardReason.SLIP_TURNS

    def __init__(self, slips: Slips) -> None:
        self.slips = slips

    def look(self, at: MotionAt, count: int) -> Signs:
        return Signs(first_of((self.slips.ended(at) & self.slips.fast(at)).any(axis=1), count))


class Cones:
    """Forces that keep the contacts press, within the cones of friction: those that were found, or others that do the same."""

    reason = GuardReason.CONE_LEFT

    def __init__(self, kept: Sequence[ActiveConstraint], scales: np.ndarray) -> None:
        self.kept, self.scales = kept, scales

    def look(self, at: MotionAt, count: int) -> Signs:
        spare = self._spare(at.forces)
        doubtful = np.flatnonzero(spare[:count].min(axis=1, initial=1.0) < 0.0).tolist()
        return Signs(next((k for k in doubtful if self._lacks(at, k)), count), [spare])

    def _lacks(self, at: MotionAt, k: int) -> bool:
        return not missing(self.kept, at.motion.of(k), at.forces.push[k], self.scales, TOLERANCE).none

    def _spare(self, found: Solved) -> np.ndarray:
        """(m, 2 k): how far the forces that were found press, and how far within their cones of friction."""
        spare = found.forces.copy()[..., :2]
        for c, k in enumerate(self.kept):
            sticks = k.slip is None and not k.loose
            spare[:, c, 1] = k.friction * spare[:, c, 0] - np.hypot(*found.forces[:, c, 1:].T) if sticks else 0.0
        return spare.reshape(len(spare), -1)
