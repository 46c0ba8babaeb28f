"""Pairs of bodies that touch: how fast they part, and how that changes."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contact.manifold import ContactConstraint
from ..motion.moving_body import MovingBody
from ..motion.rotation import crosses
from ..shapes.simple import Flat
from .event_queue import Key
from .next_contact import NextContact

# Bounces that rise no higher than this, against the size of the smaller body, are told by the acceleration of the gap. Against size and
# speeds: gaps that count as touching, and slip and spin that do not matter for a small bounce.
_LOW, _TOUCHING, _STEADY = 1e-7, 1e-12, 1e-9


@dataclass(frozen=True, eq=False)
class Manifold:
    """Where two bodies touched at a time: points and normals (k, 3), from the first to the second, and whether that was found by a search.
    `face`: the number of the body that touches with a flat face, and that, in the world. `links`: these contacts as they can be followed.
    """

    time: float
    points: np.ndarray
    normals: np.ndarray
    proved: np.ndarray
    face: tuple[int, Flat] | None = None
    links: tuple[ContactConstraint, ...] = ()


class Parting(NextContact):
    """`touching`: what touched last."""

    def __init__(self, actors: Sequence[MovingBody], start: float) -> None:
        super().__init__(actors, start)
        self.touching: dict[Key, Manifold] = {}
        self._asked: tuple[tuple[Any, ...], np.ndarray] = (), np.empty((0, 3))

    def still_touches(self, key: Key) -> bool:
        if key in self.held:
            return True
        one, other = (self.actors[k].course.velocity_at(self.now) for k in key[:2])
        return bool(np.linalg.norm(one - other) * (self.now - self.touching[key].time) <= _TOUCHING * self.size(key))

    def pace(self, k: int) -> float:
        """No point of a body is faster."""
        actor = self.actors[k]
        return float(np.linalg.norm(actor.course.velocity_at(self.now)) + actor.radius * np.linalg.norm(actor.course.spin_at(self.now)))

    def speeds(self, key: Key) -> np.ndarray:
        """(k,): how fast two bodies part at the points where they touch."""
        relative = self._relative(key)
        return np.asarray(np.einsum("ki,ki->k", relative, self.touching[key].normals))

    def _relative(self, key: Key) -> np.ndarray:
        """(k, 3): the velocities of the second body against the first where they touch; kept for the last question, which is asked again
        and again.
        """
        touch, courses = self.touching[key], [self.actors[k].course for k in key[:2]]
        asked = self.now, touch, *courses
        if asked != self._asked[0]:
            first, second = (c.velocity_at(self.now) + crosses(c.spin_at(self.now), touch.points - c.centre_at(self.now)) for c in courses)
            self._asked = asked, np.asarray(second - first)
        return self._asked[1]

    def _pull(self, key: Key) -> float | None:
        """The second derivative of the gap, where it is known: of balls, of balls on flat faces, and of what hardly slips or turns."""
        one, other = (self.actors[k] for k in key[:2])
        touch, relative = self.touching[key], self._relative(key)
        pull = touch.normals @ (other.course.acceleration_at(self.now) - one.course.acceleration_at(self.now))
        speeds = np.einsum("ki,ki->k", relative, touch.normals)
        if one.ball is not None and other.ball is not None:
            drift = other.course.velocity_at(self.now) - one.course.velocity_at(self.now)
            drift = drift - (drift @ touch.normals[0]) * touch.normals[0]
            return float(pull[0] + drift @ drift / (one.ball + other.ball))
        if (one.ball is not None or other.ball is not None) and touch.face is not None:
            return float(pull[0])
        slow = self._drift(key) <= _STEADY * math.sqrt(self.size(key) * float(np.abs(pull).max()))
        return float(pull.max()) if slow and np.ptp(speeds) <= _STEADY * np.abs(speeds).max() else None

    def _drift(self, key: Key) -> float:
        """How fast two bodies slip, and turn, where they touch."""
        relative, normals = self._relative(key), self.touching[key].normals
        slip = float(np.abs(relative - np.einsum("ki,ki->k", relative, normals)[:, None] * normals).max())
        return slip + self.size(key) * sum(float(np.linalg.norm(self.actors[k].course.spin_at(self.now))) for k in key[:2])

    def _steady_pull(self, key: Key) -> float | None:
        """Where it is that also for a while."""
        return self._pull(key)

    def _is_low(self, key: Key, speed: float, pull: float) -> bool:
        """Is a bounce too low to be searched?"""
        return speed * speed <= -2.0 * pull * _LOW * self.size(key)

    def _hardly_parts(self, key: Key, until: float) -> bool:
        """Is the gap, which nothing closes, still none when one of two bodies bounces elsewhere? What touches is looked at again then."""
        speed, pull = float(self.speeds(key).min()), self._steady_pull(key)
        return pull is not None and pull >= 0.0 <= speed and (until - self.now) * (
            speed + pull * (until - self.now)) <= _TOUCHING * self.size(key)

    def _accelerations(self, key: Key) -> np.ndarray:
        touch = self.touching[key]
        one, other = (self.actors[k].accelerations(touch.points, self.now) for k in key[:2])
        return np.asarray(np.einsum("ki,ki->k", touch.normals, other - one))

    def bends(self, key: Key) -> np.ndarray:
        raise NotImplementedError
