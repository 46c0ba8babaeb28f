"""Bodies under forces of any kind: SciPy solves the differential equations, and polynomials of the time are fitted to what it finds (Snyder
1993, Appendix B).

All bodies that hits move are solved together, for as long as polynomials of a given degree follow them: to 1e-11 of their size, and their
velocities to 1e-9 of it, as measured at 40 points, and to the solver's own tolerance. From then on the motion *is* these polynomials.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.given import doubles, shown

from . import rotation
from .flight import Flight, Gait, Inertia, flight
from .state import State
from .tracked.contact import Place
from .tracked.forces import Kept, Motion, motion, solved
from .tracked.smooth import Lost

Forces = Callable[[State], Any]

# Against size: how far a fit may be from what was solved, and its velocities; and of the solver.
_CLOSE, _CLOSE_RATE, _SOLVED = 1e-11, 1e-9, 1e-13
# Points of a fit, windows of time that are tried, and how often the forces are asked for each.
_NODES, _TRIES, _ASKED = 40, 30, 600
_BACK = np.array([1.0, -1.0, -1.0, -1.0])
# Boxes are wider by so much of what they are computed from, which is more than all roundings.
_ROUNDINGS = 1e-12


@dataclass(frozen=True, eq=False)
class Forced:
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

    gait = Gait.FORCED
    still = False

    def _powers(self, t: float, derivative: int = 0) -> np.ndarray:
        """(1 + n,), of the time since the start, or their derivatives."""
        k, tau = np.arange(len(self.path) + 1), t - self.start
        return tau**k if not derivative else k * tau ** np.maximum(k - 1, 0)

    def centre_at(self, t: float) -> np.ndarray:
        return np.asarray(self.centre + self._powers(t)[1:] @ self.path)

    def velocity_at(self, t: float) -> np.ndarray:
        return np.asarray(self._powers(t, 1)[1:] @ self.path)

    def acceleration_at(self, t: float) -> np.ndarray:
        k = np.arange(2, len(self.path) + 1)
        return np.asarray((k * (k - 1) * (t - self.start) ** (k - 2)) @ self.path[1:])

    def _quaternion(self, t: float) -> np.ndarray:
        return np.asarray([1.0, 0.0, 0.0, 0.0] + self._powers(t)[1:] @ self.turning)

    def turn_at(self, t: float) -> np.ndarray:
        return np.asarray(rotation.matrix(self._quaternion(t)) @ self.turn)

    def spin_at(self, t: float) -> np.ndarray:
        p, rate = self._quaternion(t), self._powers(t, 1)[1:] @ self.turning
        return 2.0 * rotation.times(rate, p * _BACK)[1:] / (p @ p)

    def pace(self, begin: float, end: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Bounds (3,) of the velocity over a time, and of the size of the spin, but for rounding."""
        k, tau = np.arange(1, len(self.path) + 1), end - self.start
        change = (end - begin) * (np.abs(self.path[1:]).T @ (k[1:] * k[:-1] * tau ** (k[1:] - 2.0)))
        least = 1.0 - float(np.linalg.norm(self.turning, axis=1) @ tau**k)
        turning = 2.0 * float(np.linalg.norm(self.turning, axis=1) @ (k * tau ** (k - 1.0)))
        at = self.velocity_at(begin)
        return at - change, at + change, turning / least if least > 0.0 else np.inf

    def again(self, t: float, **changes: np.ndarray) -> Flight:
        """A free flight from its state at a time on, with changes."""
        zero = np.zeros(3)
        state = {"centre": self.centre_at(t), "velocity": self.velocity_at(t), "acceleration": zero,
                 "turn": rotation.orthonormal(self.turn_at(t)), "spin": self.spin_at(t), "spinning": zero} | changes
        return flight(t, inertia=self.inertia, **state)

    def box(self, t: float, radius: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Corners of a box that holds the body from t until the end."""
        half = (self.until - t) / 2.0
        moved = [np.polynomial.Polynomial([c, *row])(np.polynomial.Polynomial([t + half - self.start, 1.0])).coef
                 for c, row in zip(self.centre, self.path.T, strict=True)]
        middle = np.array([row[0] for row in moved])
        far = np.array([np.abs(row[1:]) @ half ** np.arange(1, len(row)) for row in moved])
        far = far + radius + _ROUNDINGS * (radius + np.abs(self.centre) + np.abs(self.path).T @ self._powers(self.until)[1:])
        return middle - far, middle + far, self.until


def place_of(course: Any, t: float) -> Place:
    """Where a body is at a time, and how it moves."""
    return Place(course.centre_at(t), course.turn_at(t), course.velocity_at(t), course.spin_at(t))


@dataclass(frozen=True, eq=False)
class Particulars:
    """Of one body: is it free, its mass, where its centre of mass is in the shape's coordinates, its inertia and its radius."""

    free: bool
    mass: float
    middle: np.ndarray
    inertia: Inertia
    radius: float


class System:
    """The differential equations of n bodies under gravity (3,) and `forces`, if there are any, of which those that are `free` are solved;
    with contacts that are `kept`.
    """

    def __init__(self, forces: Forces | None, bodies: Sequence[Particulars], gravity: np.ndarray, free: Sequence[int] | None = None,
                 kept: Sequence[Kept] = ()) -> None:
        self.forces, self.bodies, self.gravity, self.kept = forces, bodies, gravity, kept
        self.free = [k for k, b in enumerate(bodies) if b.free] if free is None else list(free)
        self.row = {k: n for n, k in enumerate(self.free)}
        self.linked = sorted({k for c in kept for k in c.link.pair})
        self.step, self.left = 1.0, 0

    def courses(self, now: float, courses: Sequence[Any]) -> list[Forced] | None:
        """Those of the bodies that are free, from their states at a time on; None if no polynomials follow them."""
        y = self._state(now, courses)
        for k in range(_TRIES):
            found = self._fitted(now, y, courses)
            if found is not None:
                # What was too long just now is not tried again at once.
                self.step *= 1.0 if k else 2.0
                return found
            self.step /= 2.0
        return None

    def _state(self, now: float, courses: Sequence[Any]) -> np.ndarray:
        begin = [(courses[k].centre_at(now), rotation.quaternion(courses[k].turn_at(now)), courses[k].velocity_at(now),
                  courses[k].spin_at(now)) for k in self.free]
        return np.concatenate([np.concatenate(state) for state in begin])

    def look(self, now: float, courses: Sequence[Any]) -> tuple[dict[int, Place], Motion, np.ndarray, np.ndarray]:
        """At a time: the places of bodies that are linked by the contacts, these, the inverse masses, and (m, 6), how the free bodies speed
        up without forces at contacts.
        """
        states = self._state(now, courses).reshape(-1, 13)
        turns = [rotation.matrix(s[3:7]) for s in states]
        rates = self._free_rates(now, states, turns, courses)[:, 7:]
        return *self._contacts(now, states, turns, rates, courses), self.inverse(turns), rates

    def _fitted(self, now: float, y: np.ndarray, courses: Sequence[Any]) -> list[Forced] | None:
        """By polynomials for the present step; None if these are too far from what is solved."""
        from scipy.integrate import solve_ivp

        tau = self.step * (1.0 - np.cos(np.pi * np.arange(_NODES) / (_NODES - 1))) / 2.0
        scale = np.concatenate([np.repeat([self.bodies[k].radius, 1.0, self.bodies[k].radius, 1.0], [3, 4, 3, 3]) for k in self.free])
        self.left = _ASKED
        try:
            solved = solve_ivp(lambda s, e: self._rates(now + s, e, courses), (0.0, self.step), y, method="DOP853", t_eval=tau,
                               rtol=_SOLVED, atol=_SOLVED * scale)
        except Lost:
            return None
        if not solved.success or self.left < 0 or now + self.step == now:
            return None
        found = [self._fit(k, now, tau, own) for k, own in zip(self.free, np.swapaxes(solved.y.reshape(-1, 13, _NODES), 1, 2), strict=True)]
        fitted = [course for course in found if course is not None]
        return fitted if len(fitted) == len(found) else None

    def _fit(self, k: int, now: float, tau: np.ndarray, own: np.ndarray) -> Forced | None:
        """The polynomials of one body, of its states (m, 13) after the times tau (m,); None if they are not close enough."""
        q, powers = own[0, 3:7], np.arange(1, rotation.TERMS + 1)
        turned = np.array([rotation.times(e, q * _BACK) for e in own[:, 3:7]]) / (q @ q)
        # Velocities are fitted, since differences of places say little of them where a step is short; it begins with just those it should.
        spun = np.array([rotation.times(np.array([0.0, *w]), e) / 2.0 for w, e in zip(own[:, 10:], turned, strict=True)])
        wanted = np.column_stack([own[:, 7:10], spun])
        basis = powers * (tau / self.step)[:, None] ** (powers - 1)
        rest = np.linalg.lstsq(basis[:, 1:], wanted - wanted[0], rcond=None)[0] / self.step ** (powers[1:, None] - 1)
        path, turning = (np.ascontiguousarray(e) for e in np.split(np.vstack([wanted[0], rest]), [3], axis=1))
        found = Forced(now, now + self.step, own[0, :3], rotation.matrix(q), path, turning, self.bodies[k].inertia)
        size = self.bodies[k].radius
        for s, row, p in zip(now + tau, own, turned, strict=True):
            off = np.concatenate([(found.centre_at(s) - row[:3]) / size, found._quaternion(s) - p]) / _CLOSE
            rates = np.concatenate([(found.velocity_at(s) - row[7:10]) / size, found.spin_at(s) - row[10:]]) / _CLOSE_RATE
            if not (np.abs(off).max() <= 1.0 and np.abs(rates).max() <= 1.0):
                return None
        return found

    def _rates(self, time: float, y: np.ndarray, courses: Sequence[Any]) -> np.ndarray:
        """Newton's and Euler's equations: of centre, quaternion, velocity and spin of every free body."""
        self.left -= 1
        if self.left < 0:
            # The solver takes this for rest, and comes to its end at once.
            return np.zeros_like(y)
        states = y.reshape(-1, 13)
        turns = [rotation.matrix(s[3:7]) for s in states]
        rates = self._free_rates(time, states, turns, courses)
        if self.kept:
            _, now = self._contacts(time, states, turns, rates[:, 7:], courses)
            rates[:, 7:] += solved(self.kept, now, self.inverse(turns)).change.reshape(-1, 6)
        return np.asarray(rates.ravel())

    def _free_rates(self, time: float, states: np.ndarray, turns: Sequence[np.ndarray], courses: Sequence[Any]) -> np.ndarray:
        force = self._forces(time, states, turns, courses)
        rates = np.empty_like(states)
        for s, r, k, turn in zip(states, rates, self.free, turns, strict=True):
            body, w = self.bodies[k], s[10:]
            r[:3], r[3:7] = s[7:10], rotation.times(np.array([0.0, *w]), s[3:7]) / 2.0
            r[7:10] = self.gravity + force[k, 0] / body.mass
            own = turn.T @ w
            r[10:] = turn @ body.inertia.inverse @ (turn.T @ force[k, 1] - rotation.cross(own, body.inertia.matrix @ own))
        return rates

    def _contacts(self, time: float, states: np.ndarray, turns: Sequence[np.ndarray], rates: np.ndarray,
                  courses: Sequence[Any]) -> tuple[dict[int, Place], Motion]:
        places = {k: Place(s[:3], turn, s[7:10], s[10:]) for k, s, turn in zip(self.free, states, turns, strict=True)}
        given = dict(zip(self.free, rates, strict=True))
        for k in self.linked:
            if k not in places:
                places[k], given[k] = place_of(courses[k], time), courses[k].rates_at(time)
        return places, motion([k.link for k in self.kept], places, given, self.row)

    def inverse(self, turns: Sequence[np.ndarray]) -> np.ndarray:
        """(6 m, 6 m): of the masses and inertias of the free bodies."""
        found = np.zeros((6 * len(self.free), 6 * len(self.free)))
        for n, (k, turn) in enumerate(zip(self.free, turns, strict=True)):
            body, at = self.bodies[k], 6 * n
            found[at:at + 3, at:at + 3] = np.eye(3) / body.mass
            found[at + 3:at + 6, at + 3:at + 6] = turn @ body.inertia.inverse @ turn.T
        return found

    def _forces(self, time: float, states: np.ndarray, turns: Sequence[np.ndarray], courses: Sequence[Any]) -> np.ndarray:
        """(n, 2, 3): forces and torques that act on the bodies."""
        if self.forces is None:
            return np.zeros((len(self.bodies), 2, 3))
        places = dict(zip(self.free, zip(states, turns, strict=True), strict=True))
        rows = []
        for k, (body, course) in enumerate(zip(self.bodies, courses, strict=True)):
            if k in places:
                s, turn = places[k]
                rows.append((s[:3] - turn @ body.middle, s[3:7] / np.linalg.norm(s[3:7]), s[7:10], s[10:]))
            else:
                turn = course.turn_at(time)
                rows.append((course.centre_at(time) - turn @ body.middle, rotation.quaternion(turn), course.velocity_at(time),
                             course.spin_at(time)))
        state = State(time, *(np.array([row[e] for row in rows]) for e in range(4)))
        found = doubles(self.forces(state), "the forces", "(n, 3) or (n, 2, 3)")
        if found.shape not in ((len(rows), 3), (len(rows), 2, 3)) or not np.isfinite(found).all():
            raise ValueError(f"forces must be finite numbers of shape (n, 3), or (n, 2, 3) with torques, for n = {len(rows)} bodies, got "
                             f"{shown(found.tolist())}")
        return found if found.ndim == 3 else np.stack([found, np.zeros_like(found)], axis=1)
