"""Motions that are polynomials of the time, as those of bodies under forces of any kind (Snyder 1993, Appendix B)."""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import rotation
from .ballistic import Ballistic, RotationKind, flight
from .state import BodyState, Inertia
from .trajectory import Trajectory

_BACK = np.array([1.0, -1.0, -1.0, -1.0])
# Boxes are wider by so much of what they are computed from, which is more than all roundings.
_ROUNDINGS = 1e-12


@dataclass(frozen=True, eq=False)
class Polynomial:
    """From `start` until `until`: the centre of mass goes along the polynomial `centre` + sum of `path` (n, 3), and the body turns from
    `turn` (3, 3) by the quaternion 1 + sum of `turning` (n, 4), of the powers 1 to n of the time since the start.
    """

    start: float
    until: float
    centre: np.ndarray
    turn: np.ndarray
    path: np.ndarray
    turning: np.ndarray
    inertia: Inertia

    gait = RotationKind.SERIES
    ballistic, solved, still = False, True, False

    @property
    def span(self) -> float:
        return self.until - self.start

    @property
    def coefficients(self) -> list[list[float]]:
        """Those of the path of the centre, by the time since its start."""
        return [self.centre.tolist(), *self.path.tolist()]

    @property
    def finite(self) -> bool:
        """Whether all its numbers are."""
        return bool(np.isfinite(np.concatenate([*map(np.ravel, (self.centre, self.turn, self.path, self.turning))])).all())

    def _powers(self, t: Any, derivative: int = 0) -> np.ndarray:
        """(..., 1 + n), of the time since the start, or their derivatives."""
        k, tau = np.arange(len(self.path) + 1), np.asarray(t - self.start)[..., None]
        return np.asarray(tau**k if not derivative else k * tau ** np.maximum(k - 1, 0))

    def places(self, times: np.ndarray) -> BodyState:
        """At times (m,)."""
        return self.states(times)[0]

    def states(self, times: np.ndarray) -> "tuple[BodyState, np.ndarray]":
        """At times (m,): places, and the quaternions (m, 4) by which it has turned since the start."""
        powers, rates = self._powers(times)[:, 1:], self._powers(times, 1)[:, 1:]
        p, change = [1.0, 0.0, 0.0, 0.0] + powers @ self.turning, rates @ self.turning
        spin = 2.0 * rotation.products(change, p * _BACK)[:, 1:] / (p * p).sum(axis=1)[:, None]
        return BodyState(self.centre + powers @ self.path, rotation.matrices(p) @ self.turn, rates @ self.path, spin), p

    def centre_at(self, t: float) -> np.ndarray:
        return np.asarray(self.centre + self._powers(t)[1:] @ self.path)

    def velocity_at(self, t: float) -> np.ndarray:
        return np.asarray(self._powers(t, 1)[1:] @ self.path)

    def acceleration_at(self, t: float) -> np.ndarray:
        k = np.arange(2, len(self.path) + 1)
        return np.asarray((k * (k - 1) * (t - self.start) ** (k - 2)) @ self.path[1:])

    def rates_at(self, times: Any) -> np.ndarray:
        """(..., 6): derivatives of velocity and spin at times (...)."""
        k, tau = np.arange(2, len(self.path) + 1), np.asarray(times - self.start)[..., None]
        bends = k * (k - 1) * tau ** (k - 2)
        powers, rates = self._powers(times)[..., 1:], self._powers(times, 1)[..., 1:]
        p, change, bent = [1.0, 0.0, 0.0, 0.0] + powers @ self.turning, rates @ self.turning, bends @ self.turning[1:]
        size = (p * p).sum(axis=-1)[..., None]
        spin = 2.0 * rotation.products(change, p * _BACK)[..., 1:] / size
        spinning = 2.0 * (rotation.products(bent, p * _BACK)[..., 1:] - spin * (p * change).sum(axis=-1)[..., None]) / size
        return np.concatenate([bends @ self.path[1:], spinning], axis=-1)

    def rates_along(self, times: np.ndarray) -> np.ndarray:
        """(m, 6): derivatives of velocity and spin at times (m,)."""
        return self.rates_at(times)

    def _quaternion(self, t: float) -> np.ndarray:
        return np.asarray([1.0, 0.0, 0.0, 0.0] + self._powers(t)[1:] @ self.turning)

    def turn_at(self, t: float) -> np.ndarray:
        return np.asarray(rotation.matrix(self._quaternion(t)) @ self.turn)

    def spin_at(self, t: float) -> np.ndarray:
        p, rate = self._quaternion(t), self._powers(t, 1)[1:] @ self.turning
        return 2.0 * rotation.times(rate, p * _BACK)[1:] / (p @ p)

    def turning_at(self, t: float) -> float:
        """The size of the spin."""
        return float(np.linalg.norm(self.spin_at(t)))

    def pace(self, begin: float, end: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Bounds (3,) of the velocity over a time, and of the size of the spin, except for rounding."""
        k, tau = np.arange(1, len(self.path) + 1), end - self.start
        change = (end - begin) * (np.abs(self.path[1:]).T @ (k[1:] * k[:-1] * tau ** (k[1:] - 2.0)))
        least = 1.0 - float(np.linalg.norm(self.turning, axis=1) @ tau**k)
        turning = 2.0 * float(np.linalg.norm(self.turning, axis=1) @ (k * tau ** (k - 1.0)))
        at = self.velocity_at(begin)
        return at - change, at + change, turning / least if least > 0.0 else np.inf

    def again(self, t: float, **changes: np.ndarray) -> Ballistic:
        """A free flight from its state at a time on, with changes."""
        zero = np.zeros(3)
        state = {"centre": self.centre_at(t), "velocity": self.velocity_at(t), "acceleration": zero,
                 "turn": rotation.orthonormal(self.turn_at(t)), "spin": self.spin_at(t), "spinning": zero} | changes
        return flight(t, inertia=self.inertia, **state)

    def box(self, t: float, radius: float, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Corners of a box that holds the body from t until the end."""
        half = (self.until - t) / 2.0
        middle, *moved = _shifted(len(self.path) + 1, t + half - self.start) @ np.vstack([self.centre, self.path])
        far = half ** np.arange(1, len(moved) + 1) @ np.abs(np.array(moved))
        far = far + radius + _ROUNDINGS * (radius + np.abs(self.centre) + np.abs(self.path).T @ self._powers(self.until)[1:])
        return middle - far, middle + far, self.until


def onset(course: Any, t: float, until: float, rates: np.ndarray) -> Polynomial:
    """The polynomial by which a body begins to move on at a time, from its state there: `rates` (6,) are those at which its velocity and
    spin change then.
    """
    spin = course.spin_at(t)
    turning = np.array([[0.0, *(spin / 2.0)], [-spin @ spin / 8.0, *(rates[3:] / 4.0)]])
    path = np.array([course.velocity_at(t), rates[:3] / 2.0])
    return Polynomial(t, until, course.centre_at(t), rotation.orthonormal(course.turn_at(t)), path, turning, course.inertia)


@functools.cache
def _binomials(count: int) -> tuple[np.ndarray, np.ndarray]:
    """(count, count): k over j, and k - j."""
    k = np.arange(count)
    return np.array([[math.comb(m, j) for m in k.tolist()] for j in k.tolist()], float), np.maximum(k[None] - k[:, None], 0)


def _shifted(count: int, by: float) -> np.ndarray:
    """(count, count): takes the coefficients of a polynomial in x + `by` to those in x."""
    over, power = _binomials(count)
    return np.asarray(over * by**power)


def place_of(course: Trajectory, t: float) -> BodyState:
    """The place and the motion of a body at a time."""
    return BodyState(course.centre_at(t), course.turn_at(t), course.velocity_at(t), course.spin_at(t))
