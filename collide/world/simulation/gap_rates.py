"""Pairs of bodies that touch: how fast they part, and how that changes."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..motion.moving_body import MovingBody
from ..motion.rotation import crosses
from .event_queue import Key
from .next_contact import NextContact

# Bounces that rise no higher than this, against the size of the smaller body, are told by the acceleration of the gap. Against size and
# speeds: gaps that count as touching, and slip and spin that do not matter for a small bounce.
_LOW, _TOUCHING, _STEADY = 1e-7, 1e-12, 1e-9
# Times of a window at which it is looked whether bodies have come down. And points and weights by which what pulls over a time of length 1
# tells the way: Gauss's rule, exact for pulls that are polynomials of degree 14.
_PARTS = np.arange(1, 25) / 24.0
_POINTS = (1.0 + np.polynomial.legendre.leggauss(8)[0]) / 2.0
_WEIGHTS = (1.0 - _POINTS) * np.polynomial.legendre.leggauss(8)[1] / 2.0


class Parting(NextContact):
    """Pairs that touch, with the rates of their gaps."""

    def __init__(self, actors: Sequence[MovingBody], start: float) -> None:
        super().__init__(actors, start)
        self._asked: tuple[tuple[Any, ...], np.ndarray] = (), np.empty((0, 3))

    def still_touches(self, key: Key) -> bool:
        if key in self.pairs.held:
            return True
        one, other = (self.actors[k].course.velocity_at(self.now) for k in key[:2])
        return bool(np.linalg.norm(one - other) * (self.now - self.touch(key).time) <= _TOUCHING * self.size(key))

    def pace(self, k: int) -> float:
        """No point of a body is faster."""
        actor = self.actors[k]
        return float(np.linalg.norm(actor.course.velocity_at(self.now)) + actor.radius * np.linalg.norm(actor.course.spin_at(self.now)))

    def speeds(self, key: Key) -> np.ndarray:
        """(k,): how fast two bodies part at the points where they touch."""
        relative = self._relative(key)
        return np.asarray(np.einsum("ki,ki->k", relative, self.touch(key).normals))

    def _relative(self, key: Key) -> np.ndarray:
        """(k, 3): the velocities of the second body against the first where they touch; kept for the last question, which is asked again
        and again.
        """
        touch, courses = self.touch(key), [self.actors[k].course for k in key[:2]]
        asked = self.now, touch, *courses
        if asked != self._asked[0]:
            first, second = (c.velocity_at(self.now) + crosses(c.spin_at(self.now), touch.points - c.centre_at(self.now)) for c in courses)
            self._asked = asked, np.asarray(second - first)
        return self._asked[1]

    def _pull(self, key: Key) -> float | None:
        """The second derivative of the gap, where it is known: of balls, of balls on flat faces, and of what hardly slips or turns."""
        one, other = (self.actors[k] for k in key[:2])
        touch, relative = self.touch(key), self._relative(key)
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
        relative, normals = self._relative(key), self.touch(key).normals
        slip = float(np.abs(relative - np.einsum("ki,ki->k", relative, normals)[:, None] * normals).max())
        return slip + self.size(key) * sum(float(np.linalg.norm(self.actors[k].course.spin_at(self.now))) for k in key[:2])

    def _even(self, key: Key) -> bool:
        """Is the second derivative of the gap constant, where it is known?"""
        flies = all(self.actors[k].course.ballistic for k in key[:2])
        return flies and not all(self.actors[k].ball is not None for k in key[:2])

    def _pulls(self, key: Key, times: np.ndarray) -> np.ndarray:
        """(m,): that at m times at which both bodies move as they do now, where `_pull` tells it."""
        one, other = (self.actors[k] for k in key[:2])
        change = (other.course.rates_along(times) - one.course.rates_along(times))[:, :3]
        if one.ball is None or other.ball is None:
            return np.asarray((change @ self.touch(key).normals.T).max(axis=1))
        first, second = one.course.places(times), other.course.places(times)
        way, drift = second.centre - first.centre, second.velocity - first.velocity
        normal = way / np.linalg.norm(way, axis=1)[:, None]
        drift -= np.einsum("mi,mi->m", drift, normal)[:, None] * normal
        return np.asarray(np.einsum("mi,mi->m", change, normal) + (drift * drift).sum(axis=1) / (one.ball + other.ball))

    def _rise(self, key: Key, spans: np.ndarray) -> np.ndarray:
        """(m,): by how much the gap grows from now on in each of these times, which may be negative: by Taylor's formula, whose integral is
        exact, but for rounding, where bodies move along polynomials.
        """
        pulls = self._pulls(key, (self.now + spans[:, None] * _POINTS).ravel()).reshape(-1, len(_POINTS))
        return np.asarray(spans * (float(self.speeds(key).min()) + spans * (pulls @ _WEIGHTS)))

    def _followed(self, key: Key) -> float:
        """Up to when do bodies move by their present polynomials, if they do?"""
        return min(self.actors[k].course.until if self.actors[k].course.solved else math.inf for k in key[:2])

    def _lands(self, key: Key, high: float = 0.0) -> float | None:
        """When bodies touch again that part now, or are so high; the end of their present motions, if that comes first; None where it is
        not known, they rise higher than bounces that are low, or it is now, but for rounding.
        """
        speed, pull, most = float(self.speeds(key).min()), self._steady_pull(key), _LOW * self.size(key)
        if pull is None or not (high > 0.0 or speed > 0.0):
            return None
        if self._even(key):
            return self.now + 2.0 * speed / -pull if pull < 0.0 < speed and self._is_low(key, speed, pull) else None
        last, quick = self._followed(key) - self.now, max(abs(pull), speed * speed / most)
        length = min(last, 2.0 * speed / -pull if pull < 0.0 < speed else math.sqrt(most / quick) if quick else math.inf)
        if not 0.0 < length < math.inf:
            return None
        lo = 0.0
        while not (down := (gaps := high + self._rise(key, lo + (length - lo) * _PARTS)) <= 0.0).any():
            if gaps.max() > most:
                return None
            if length >= last:
                return self._followed(key)
            lo, length = length, min(2.0 * length, last)
        hi = length
        while down.any():
            times = lo + (hi - lo) * _PARTS
            first = int(np.argmax(down))
            near = (float(times[first - 1]) if first else lo), float(times[first])
            if near == (lo, hi) or not near[1] - near[0] > math.ulp(near[1]):
                break
            (lo, hi), down = near, high + self._rise(key, near[0] + (near[1] - near[0]) * _PARTS) <= 0.0
        return self.now + hi if self.now + hi > self.now else None

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
        touch = self.touch(key)
        one, other = (self.actors[k].accelerations(touch.points, self.now) for k in key[:2])
        return np.asarray(np.einsum("ki,ki->k", touch.normals, other - one))

    def bends(self, key: Key) -> np.ndarray:
        raise NotImplementedError
