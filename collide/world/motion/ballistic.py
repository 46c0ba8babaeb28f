"""The motion of a body between two events, by numbers: a parabola, and a rotation in closed form where there is one.

Spin is constant in the world for balls, for bodies that spin about a principal axis and for those without spin. A body of revolution turns
by two constant spins: the precession about the angular momentum, after the spin about its axis. Others, and balls whose spin changes while
they slide or roll, follow a Taylor series of quaternions for a while, whose last terms are some roundings.
"""

import math
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

import numpy as np

from ...culling.approach import lanes
from . import rotation
from .state import BodyState, Inertia

# Principal moments, and directions, that differ by no more than this count as the same.
_SAME = 1e-10


class RotationKind(Enum):
    """The way a body turns: `SPIN` by an angle that is quadratic in time about an axis, `TOP` by two such, `SERIES` by a series, while it
    goes along one, as a parabola is; `PUSHED`, of balls: without any turn that matters, along a series.
    """

    SPIN = "spin"
    TOP = "top"
    SERIES = "series"
    PUSHED = "pushed"


@dataclass(frozen=True, eq=False)
class Ballistic:
    """A state at the time `start`, and how it goes on: `centre` of mass, `velocity`, `acceleration` (3,); `turn` (3, 3), the rotation;
    `spin` (3,) in the world, and how it changes in time, `spinning` (3,), of what is no free flight. `numbers`: those of the rotation, as
    the formula of its gait takes them; `turn` and `spin` are those at the time `turned`. It holds to the time `until`.
    """

    start: float
    centre: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray
    turn: np.ndarray
    spin: np.ndarray
    inertia: Inertia
    spinning: np.ndarray
    gait: RotationKind
    numbers: np.ndarray
    until: float
    turned: float

    ballistic, solved = True, False

    @property
    def span(self) -> float:
        return self.until - self.start

    @property
    def coefficients(self) -> list[list[float]]:
        """Those of the path of the centre, by the time since its start."""
        centre, velocity, acceleration = self.floats
        return [centre, velocity, [e / 2.0 for e in acceleration]]

    def centre_at(self, t: float) -> np.ndarray:
        tau = t - self.start
        return np.asarray(self.centre + tau * self.velocity + (tau * tau / 2) * self.acceleration)

    def velocity_at(self, t: float) -> np.ndarray:
        return np.asarray(self.velocity + (t - self.start) * self.acceleration)

    @property
    def finite(self) -> bool:
        """Whether all its numbers are."""
        return bool(np.isfinite(np.concatenate([*map(np.ravel, (self.centre, self.velocity, self.turn, self.spin, self.numbers))])).all())

    @cached_property
    def floats(self) -> tuple[list[float], list[float], list[float]]:
        """Centre, velocity and acceleration at the start."""
        return self.centre.tolist(), self.velocity.tolist(), self.acceleration.tolist()

    def at(self, t: float) -> tuple[list[float], list[float]]:
        """Centre and velocity, bit for bit as `centre_at` and `velocity_at` have them, in a fraction of their time."""
        tau, ((c0, c1, c2), (v0, v1, v2), (a0, a1, a2)) = t - self.start, self.floats
        half = tau * tau / 2
        return ([c0 + tau * v0 + half * a0, c1 + tau * v1 + half * a1, c2 + tau * v2 + half * a2],
                [v0 + tau * a0, v1 + tau * a1, v2 + tau * a2])

    def places(self, times: np.ndarray) -> BodyState:
        """At times (m,)."""
        if self.still:
            return BodyState(*(np.broadcast_to(e, (len(times), *e.shape)) for e in (self.centre, self.turn, self.velocity, self.spin)))
        since, tau, turns = (times - self.turned)[:, None], (times - self.start)[:, None], self._turns(times - self.turned)
        spins = self.spin + since * self.spinning if self._closed else (
            turns @ (self.inertia.inverse @ (np.swapaxes(turns, 1, 2) @ self.momentum)[..., None]))[..., 0]
        return BodyState(self.centre + tau * self.velocity + (tau * tau / 2) * self.acceleration, turns,
                         self.velocity + tau * self.acceleration, spins)

    def _turns(self, since: np.ndarray) -> np.ndarray:
        n = self.numbers
        if self.gait is RotationKind.SERIES:
            powers = since[:, None] ** np.arange(1, len(n) // 4 + 1)
            return np.asarray(rotation.matrices([1.0, 0.0, 0.0, 0.0] + powers @ n.reshape(-1, 4)) @ self.turn)
        turns = rotation.abouts(n[:3], since * (n[3] + since * n[4] / 2))
        if self.gait is RotationKind.TOP:
            turns = turns @ rotation.abouts(n[5:8], since * n[8])
        return np.asarray(turns @ self.turn)

    def acceleration_at(self, t: float) -> np.ndarray:
        return self.acceleration

    def turn_at(self, t: float) -> np.ndarray:
        """Kept for the last time that was asked for: a response asks for one again and again."""
        known = vars(self).get("_last_turn")
        if known is None or known[0] != t:
            known = vars(self)["_last_turn"] = t, self._turn_at(t)
            known[1].flags.writeable = False
        return known[1]

    def _turn_at(self, t: float) -> np.ndarray:
        tau, n = t - self.turned, self.numbers
        if self.gait is RotationKind.SERIES:
            return np.asarray(rotation.at(np.concatenate([[[1.0, 0.0, 0.0, 0.0]], n.reshape(-1, 4)]), tau) @ self.turn)
        turned = rotation.about(n[:3], tau * (n[3] + tau * n[4] / 2)) @ (
            rotation.about(n[5:8], tau * n[8]) if self.gait is RotationKind.TOP else np.eye(3))
        return np.asarray(turned @ self.turn)

    @property
    def _closed(self) -> bool:
        """Whether the spin is linear in time."""
        return self.inertia.spherical or self.gait is RotationKind.SPIN

    def spin_at(self, t: float) -> np.ndarray:
        if self._closed:
            return np.asarray(self.spin + (t - self.turned) * self.spinning)
        return self._spin_as(self.turn_at(t))

    def _spin_as(self, turn: np.ndarray) -> np.ndarray:
        """The spin of free flight by how the body is turned then."""
        return np.asarray(turn @ self.inertia.inverse @ turn.T @ self.momentum)

    @cached_property
    def _steady(self) -> bool:
        return not self.spinning.any()

    @cached_property
    def _turning(self) -> float:
        return float(np.linalg.norm(self.spin))

    def turning_at(self, t: float) -> float:
        """Approximates the size of the spin: where it is not constant, and no closed form tells it, that at the start."""
        return self._turning if self._steady else float(np.linalg.norm(self.spin_at(t)))

    def rates_at(self, t: float) -> np.ndarray:
        """(6,): derivatives of velocity and spin."""
        if self._closed or self.spinning.any():
            return np.concatenate([self.acceleration, self.spinning])
        turn, spin = self.turn_at(t), self.spin_at(t)
        return np.concatenate([self.acceleration, turn @ self.inertia.inverse @ turn.T @ rotation.cross(self.momentum, spin)])

    def rates_along(self, times: np.ndarray) -> np.ndarray:
        """(m, 6): derivatives of velocity and spin at times (m,)."""
        return np.zeros((len(times), 6)) if self.still else np.array([self.rates_at(t) for t in times.tolist()]).reshape(-1, 6)

    def pace(self, begin: float, end: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Bounds (3,) of the velocity over a time, and of the size of the spin, except for rounding."""
        ends = self.velocity_at(begin), self.velocity_at(end)
        if self._closed:
            turning = float(np.linalg.norm(self.spin_at(begin)) + (end - begin) * np.linalg.norm(self.spinning))
        else:
            turning = float(np.linalg.norm(self.momentum) / self.inertia.principal[0][0])
        return np.minimum(*ends), np.maximum(*ends), turning

    @cached_property
    def largest(self) -> tuple[float, float, float]:
        """The sizes of the largest coordinates of the centre, the velocity and the acceleration."""
        centre, velocity, acceleration = (max(map(abs, e.tolist())) for e in (self.centre, self.velocity, self.acceleration))
        return centre, velocity, acceleration

    @cached_property
    def row(self) -> np.ndarray:
        """(13,): its beginning, the centre, the velocity and the acceleration, and `largest`, as native loops take them."""
        return np.array([self.start, *self.centre, *self.velocity, *self.acceleration, *self.largest])

    @cached_property
    def turn_numbers(self) -> np.ndarray:
        """The numbers of the rotation for a kernel of its gait (see `templates.about_centre`), in all lanes."""
        return lanes(np.repeat(np.concatenate([[self.turned], self.numbers, self.turn.ravel()])[:, None], 2, axis=1))

    @cached_property
    def momentum(self) -> np.ndarray:
        """The angular momentum at the start; it is constant in free flight."""
        return np.asarray(self.turn @ self.inertia.matrix @ self.turn.T @ self.spin)

    @cached_property
    def still(self) -> bool:
        """Whether the body rests."""
        return not (self.velocity.any() or self.acceleration.any() or self.spin.any() or self.spinning.any())

    def turned_on(self, t: float) -> "Ballistic":
        """The same parabola, with the rotation from a time on."""
        other = self.again(t)
        return replace(other, start=self.start, centre=self.centre, velocity=self.velocity)

    def again(self, t: float, **changes: np.ndarray) -> "Ballistic":
        """From its state at a time on, with changes."""
        turn = self.turn_at(t)
        state = {"centre": self.centre_at(t), "velocity": self.velocity_at(t), "acceleration": self.acceleration,
                 "turn": rotation.orthonormal(turn), "spin": self.spin_at(t) if self._closed else self._spin_as(turn),
                 "spinning": self.spinning} | changes
        return flight(t, inertia=self.inertia, **state)


def flight(start: float, centre: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray, turn: np.ndarray, spin: np.ndarray,
           inertia: Inertia, spinning: np.ndarray | None = None) -> Ballistic:
    """The flight from a state on; `spinning`: of a body that is in contact and whose spin changes so."""
    change = np.zeros(3) if spinning is None else spinning
    gait, numbers, lasts = _rotation(turn, spin, change, inertia)
    return Ballistic(start, centre, velocity, acceleration, turn, spin, inertia, change, gait, numbers, start + lasts, start)


def _rotation(turn: np.ndarray, spin: np.ndarray, change: np.ndarray, inertia: Inertia) -> tuple[RotationKind, np.ndarray, float]:
    speed, rate = float(np.linalg.norm(spin)), float(np.linalg.norm(change))
    axis = spin / speed if speed else change / rate if rate else np.array([0.0, 0.0, 1.0])
    if np.linalg.norm(rotation.cross(axis, change)) <= _SAME * rate and (rate or _steady(turn, axis, speed, inertia)):
        return RotationKind.SPIN, np.array([*axis, speed, axis @ change]), math.inf
    if not rate and inertia.axis is not None:
        own, moments = turn @ inertia.axis, np.sort(inertia.principal[0])
        across, along = moments[1], float(inertia.axis @ inertia.matrix @ inertia.axis)
        momentum = turn @ inertia.matrix @ turn.T @ spin
        size = float(np.linalg.norm(momentum))
        return RotationKind.TOP, np.array([*(momentum / size), size / across, 0.0, *own, (own @ spin) * (1.0 - along / across)]), math.inf
    series = rotation.steady_series(spin, change) if rate else rotation.free_series(turn, spin, inertia.matrix, inertia.inverse)
    return RotationKind.SERIES, series[1:].ravel(), rotation.length_of_step(series)


def _steady(turn: np.ndarray, axis: np.ndarray, speed: float, inertia: Inertia) -> bool:
    """Whether the spin is constant without a torque, as it is about a principal axis."""
    own = turn.T @ axis
    moved = inertia.matrix @ own
    return bool(speed == 0.0 or inertia.spherical or np.linalg.norm(rotation.cross(own, moved)) <= _SAME * np.linalg.norm(moved))
