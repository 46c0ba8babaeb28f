"""How far bodies move on with the contacts that they have, and why that ends: looked at at some times, and in between by halving."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..forced import System
from .curved import OnSmooth
from .forces import Motion, missing, solved
from .grip import TOLERANCE
from .polyhedral import Polyhedral
from .smooth import Lost

# Against size: corners that are no higher are in the plane of a contact; how deep these may come, and how far a contact beyond a border.
IN_PLANE, _DEEP, _BEYOND = 1e-9, 1e-10, 2e-9
_TIMES = 40


@dataclass(frozen=True, eq=False)
class End:
    """The time; and the number of the contact in whose plane another corner lands, if that is why."""

    time: float
    lands: int | None


@dataclass(frozen=True, eq=False)
class Plane:
    """Corners (m, 3) of a body that are on their `side` of a contact's plane, seen from the centre of mass, and how low each may come."""

    contact: int
    body: int
    side: float
    corners: np.ndarray
    least: np.ndarray


class Watch:
    """What is looked at while bodies move by `system`, from a time on. `shapes`: of the polyhedral ones; `size`: of the smallest body."""

    def __init__(self, system: System, now: float, courses: Sequence[Any], shapes: dict[int, Polyhedral], size: float) -> None:
        self.system, self.size = system, size
        radii = [system.bodies[k].radius for k in system.free]
        self.scales = np.concatenate([np.repeat([1.0, r], 3) for r in radii])
        self.slips = np.zeros(len(system.kept), bool)
        self.planes: list[Plane] = []
        places, motion, *_ = system.look(now, courses)
        # Bodies some of whose corners are beyond the plane of a contact.
        self.around: set[tuple[int, int]] = set()
        for c, kept in enumerate(system.kept):
            for body, side in zip(kept.link.pair, (1.0, -1.0), strict=True):
                if body in shapes:
                    self._add(c, body, side, shapes[body].corners, motion, places)
        self._slipping(motion)
        self.begun = motion

    def _add(self, c: int, body: int, side: float, corners: np.ndarray, motion: Motion, places: dict[int, Any]) -> None:
        high = self._heights(c, side, corners, motion, places[body])
        if (high < -IN_PLANE * self.size).any():
            self.around.add((c, body))
        own = high >= -IN_PLANE * self.size
        least = np.where(high[own] > IN_PLANE * self.size, 0.0, -_DEEP * self.size)
        self.planes.append(Plane(c, body, side, corners[own], least))

    @staticmethod
    def _heights(c: int, side: float, corners: np.ndarray, motion: Motion, place: Any) -> np.ndarray:
        """Of corners of the first body above what the second one touches with, or of this one's below the first, if `side` is -1."""
        normal = motion.frames[c, 0]
        point = motion.points[c] - (motion.gaps[c] * normal if side > 0.0 else 0.0)
        return np.asarray(side * ((corners @ place.turn.T + place.centre - point) @ normal))

    def _along(self, motion: Motion) -> np.ndarray:
        """(k,): how fast contacts slip the way they do at the beginning."""
        return np.array([1.0 if k.slip is None or k.loose or not k.friction else float(s[1:] @ (f[1:] @ k.slip))
                         for k, s, f in zip(self.system.kept, motion.speeds, motion.frames, strict=True)])

    def _slipping(self, motion: Motion) -> None:
        self.slips |= self._along(motion) > [k.still for k in self.system.kept]

    def look(self, time: float, courses: Sequence[Any]) -> tuple[bool, int | None, Motion]:
        """Do all contacts last? And the contact in whose plane a corner is that was above it, if there is one."""
        try:
            places, motion, inverse, _ = self.system.look(time, courses)
        except Lost:
            return False, None, self.begun
        return self._last(places, motion, inverse), self._lands(places, motion), motion

    def _lands(self, places: dict[int, Any], motion: Motion) -> int | None:
        for plane in self.planes:
            high = self._heights(plane.contact, plane.side, plane.corners, motion, places[plane.body])
            if (high <= plane.least).any():
                return plane.contact
        for c, kept in enumerate(self.system.kept):
            if kept.loose and motion.gaps[c] <= -_DEEP * self.size:
                return c
            if isinstance(kept.link.contact, OnSmooth):
                others = kept.link.contact.others(*(places[b] for b in kept.link.pair))
                if any(gap <= -_DEEP * self.size for _, gap in others):
                    return c
        return None

    def _last(self, places: dict[int, Any], motion: Motion, inverse: np.ndarray) -> bool:
        kept = self.system.kept
        along = self._along(motion)
        if (self.slips & (along <= 0.0)).any() or (along < [-10.0 * k.still for k in kept]).any():
            return False
        if any(k.link.contact.outside(*(places[b] for b in k.link.pair)) > _BEYOND * self.size for k in kept):
            return False
        if any(k.loose and gap > _BEYOND * self.size for k, gap in zip(kept, motion.gaps, strict=True)):
            return False
        found = solved(kept, motion, inverse)
        return found.fits and missing(kept, motion, found.push, self.scales, TOLERANCE).none

    def end(self, now: float, until: float, courses: Sequence[Any]) -> End | None:
        """The first that is found after now."""
        def well(s: float) -> bool:
            lasts, lands, _ = self.look(s, courses)
            return lasts and lands is None

        before = now
        for part in (1.0 - np.cos(np.pi * np.arange(1, _TIMES) / (_TIMES - 1))) / 2.0:
            moment = min(until, now + float(part) * (until - now))
            lasts, lands, motion = self.look(moment, courses)
            if not lasts or lands is not None:
                last = _halved(well, before, moment)
                return End(last, self.look(last, courses)[1])
            self._slipping(motion)
            before = moment
        return None


def _halved(well: Callable[[float], bool], lo: float, hi: float) -> float:
    while lo < (middle := lo + (hi - lo) / 2.0) < hi:
        lo, hi = (middle, hi) if well(middle) else (lo, middle)
    return hi


def settled(system: System, now: float, courses: Sequence[Any]) -> list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Centres, turns of (3,) and velocities and spins of the free bodies with which nothing lies between at the contacts, and nothing moves
    there that should not: the least change of the state.
    """
    _, motion, inverse, _ = system.look(now, courses)
    n = 6 * len(system.free)
    sticks = [k.friction > 0.0 and float(np.hypot(*s[1:])) <= k.still for k, s in zip(system.kept, motion.speeds, strict=True)]
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
