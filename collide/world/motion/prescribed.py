"""The course of a body that follows a given motion."""

import functools
import math

import numpy as np
import sympy as sp

from codegen.kernel import compile
from generative import Motion, Rigid, t

from .state import BodyState

# A driven body gets a new box after so much time, against that in which it moves about its size.
_SOON, _SHORTEST = 1.0, 1e-6


class Prescribed:
    """A course that is given: a motion of t, evaluated with its derivative."""

    def __init__(self, motion: Motion) -> None:
        self.motion = motion
        entries = [*motion.rotation, *motion.translation]
        rates = [sp.diff(e, t) for e in entries]
        self._kernel = compile([*entries, *rates], [t], quick=True)
        self._rates = functools.cache(lambda: compile([*entries[:9], *(sp.diff(e, t) for e in rates)], [t], quick=True))
        self._place = compile(entries, [t], quick=True)

    ballistic, solved, still, finite, span = False, False, False, True, math.inf

    def __reduce__(self) -> tuple[type["Prescribed"], tuple[Motion]]:
        return Prescribed, (self.motion,)

    def _at(self, time: float) -> np.ndarray:
        return np.asarray(self._kernel.points(np.array([[time]])))[0]

    def places(self, times: np.ndarray) -> BodyState:
        """At times (m,): of the origin of the shape."""
        found = np.asarray(self._kernel.points(times[:, None]))
        turns = found[:, :9].reshape(-1, 3, 3)
        return BodyState(found[:, 9:12], turns, found[:, 21:24], _spin(found[:, 12:21].reshape(-1, 3, 3), turns))

    def held(self, time: float) -> Motion:
        """The place at a time, as it is in doubles."""
        entries = [sp.Rational(e) for e in self._at(time)[:12].tolist()]
        return Rigid._unchecked(sp.ImmutableMatrix(3, 3, entries[:9]), entries[9:])

    def centre_at(self, t: float) -> np.ndarray:
        """The place of the origin of the shape."""
        return self._at(t)[9:12]

    def velocity_at(self, t: float) -> np.ndarray:
        return self._at(t)[21:24]

    def turn_at(self, t: float) -> np.ndarray:
        return self._at(t)[:9].reshape(3, 3)

    def spin_at(self, t: float) -> np.ndarray:
        found = self._at(t)
        return _spin(found[12:21].reshape(3, 3), found[:9].reshape(3, 3))

    def turning_at(self, t: float) -> float:
        """The size of the spin."""
        return float(np.linalg.norm(self.spin_at(t)))

    def acceleration_at(self, t: float) -> np.ndarray:
        return self.rates_at(t)[:3]

    def rates_at(self, t: float) -> np.ndarray:
        """(6,): derivatives of the velocity of the origin of the shape and of the spin."""
        found = np.asarray(self._rates().points(np.array([[t]])))[0]
        return np.concatenate([found[18:21], _spin(found[9:18].reshape(3, 3), found[:9].reshape(3, 3))])

    def rates_along(self, times: np.ndarray) -> np.ndarray:
        """(m, 6): the same derivatives at times (m,)."""
        return np.array([self.rates_at(t) for t in times.tolist()]).reshape(-1, 6)

    def pace(self, begin: float, end: float) -> tuple[np.ndarray, np.ndarray, float]:
        """See `MovingBody.pace`; how fast points turn, against their distance from the origin of the shape."""
        lo, hi = (e[0] for e in self._kernel.interval(np.array([[begin]]), np.array([[end]])))
        return lo[21:24], hi[21:24], float(np.linalg.norm(np.maximum(np.abs(lo[12:21]), np.abs(hi[12:21]))))

    def box(self, start: float, radius: float, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        speed = float(np.linalg.norm(self.velocity_at(start)) + np.linalg.norm(self.spin_at(start)) * radius)
        reach = radius + float(np.linalg.norm(middle))
        until = start + max(_SOON if not speed > reach / _SOON else reach / speed, _SHORTEST)
        lo, hi = self._place.interval(np.array([[start]]), np.array([[until]]))
        return lo[0, 9:] - reach, hi[0, 9:] + reach, until



def _spin(rate: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """(..., 3): the spin by which turns (..., 3, 3) change at a rate."""
    w = rate @ np.swapaxes(turn, -1, -2)
    return np.stack([w[..., 2, 1] - w[..., 1, 2], w[..., 0, 2] - w[..., 2, 0], w[..., 1, 0] - w[..., 0, 1]], axis=-1) / 2
