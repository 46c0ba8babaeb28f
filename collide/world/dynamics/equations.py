"""Bodies under forces of any kind: differential equations are solved, and polynomials of the time are fitted to what is found (Snyder 1993,
Appendix B).

All bodies that hits move are solved together, for as long as polynomials of a given degree follow them: to 1e-11 of their size, and their
velocities to 1e-9 of it, as measured at the points of the window (`picard`); and between these, by so much at most do the velocities differ
from what the equations say of the polynomials, over the window. From then on the motion *is* these polynomials.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from codegen.deadline import check
from codegen.given import doubles, shown

from ..contact_solver.forces import ActiveConstraint, ContactDynamics, Solved, motion, solved
from ..features.local_geometry import Lost
from ..motion import rotation
from ..motion.polynomial import Polynomial, place_of
from ..motion.state import BodyState, Inertia, Particulars, State
from .picard import BETWEEN, INTEGRAL, NODES, POINTS, WEIGHTS, followed
from .step_size import NO_FIT, following, turned, turning

Forces = Callable[[State], Any]

# Against size: how far a fit may be from what was solved, and its velocities; and what no longer changes, or hardly.
_CLOSE, _CLOSE_RATE, _SOLVED, _NEARLY = 1e-11, 1e-9, 1e-13, 1e-7
# Windows of time that are tried, and rounds for each; after so many of these two rounds take changes to so much of themselves.
_TRIES, _ROUNDS, _FIRST, _NEARER = 40, 40, 8, 0.25
# Changes that get less by so much in each round are foreseen.
_EVENLY = 0.75
# Rates, over a window, by which friction takes back what turns its direction, from which on that is solved for; and from which on that is
# found only from near by.
_STIFF, _SUDDEN = 0.5, 10.0
_BACK = np.array([1.0, -1.0, -1.0, -1.0])


class MotionEquations:
    """The differential equations of n bodies under gravity (3,) and `forces`, if there are any, of which those that are `free` are solved;
    with contacts that are `kept`.
    """

    def __init__(self, forces: Forces | None, bodies: Sequence[Particulars], gravity: np.ndarray, free: Sequence[int] | None = None,
                 kept: Sequence[ActiveConstraint] = ()) -> None:
        self.forces, self.bodies, self.gravity, self.kept = forces, bodies, gravity, kept
        self.free = [k for k, b in enumerate(bodies) if b.free] if free is None else list(free)
        self.row = {k: n for n, k in enumerate(self.free)}
        self.linked = sorted({k for c in kept for k in c.link.pair})
        self.step = 1.0
        self.turning = turning(kept)
        self.failed: Exception | None = None
        self._asked: tuple[Any, ...] = ()
        self._seen: Any = None
        self._answer: Solved | None = None

    def courses(self, now: float, courses: Sequence[Any]) -> list[Polynomial] | None:
        """The courses of the bodies that are free, from their states at a time on; None if no polynomials follow them."""
        begin, self.failed = self._begin(now, courses), None
        # Forces that are none are told here; those at states that are not reached do not matter.
        self._forces(np.array([now]), [_place(own[None]) for own in begin], courses)
        self.step, known = min(self.step, self._turned(now, courses)), list[tuple[float, float]]()
        for _ in range(_TRIES):
            length = self.step
            if now + length == now:
                break
            found, off = self._fitted(now, begin, courses)
            known.append((length, off))
            self.step *= following(known)
            if found is not None:
                return found
        if self.failed is not None:
            raise self.failed
        return None

    def _turned(self, now: float, courses: Sequence[Any]) -> float:
        """About how long a window may be as slips turn."""
        if not self.turning:
            return math.inf
        motion, small = self.look(now, courses)[1], _CLOSE_RATE * min(self.bodies[k].radius for k in self.free)
        return turned(self.kept, motion, motion.free + motion.rows @ self.answer(now, courses).change, small)

    def _begin(self, now: float, courses: Sequence[Any]) -> np.ndarray:
        """(n, 13): centre, quaternion, velocity and spin of each free body."""
        return np.array([np.concatenate([courses[k].centre_at(now), rotation.quaternion(courses[k].turn_at(now)),
                                         courses[k].velocity_at(now), courses[k].spin_at(now)]) for k in self.free]).reshape(-1, 13)

    def look(self, now: float, courses: Sequence[Any]) -> tuple[dict[int, BodyState], ContactDynamics, np.ndarray, np.ndarray]:
        """The places at a time of bodies that are linked by the contacts, these, the inverse masses, and the accelerations (n, 6) of the
        free bodies without forces at contacts. The last answer is kept.
        """
        asked = (now, *(courses[k] for k in (*self.linked, *self.free)))
        if self._asked[:1] != asked[:1] or any(a is not b for a, b in zip(self._asked[1:], asked[1:], strict=True)):
            places, motion, inverse, rates = self.looks(np.array([now]), courses)
            self._seen = {k: p.of(0) for k, p in places.items()}, motion.of(0), inverse[0], rates[0]
            self._asked, self._answer = asked, None
        return self._seen

    def answer(self, now: float, courses: Sequence[Any]) -> Solved:
        """The forces at contacts at a time."""
        _, motion, inverse, _ = self.look(now, courses)
        if self._answer is None:
            self._answer = solved(self.kept, motion, inverse, bend=True)
        return self._answer

    def looks(self, times: np.ndarray, courses: Sequence[Any]) -> tuple[dict[int, BodyState], ContactDynamics, np.ndarray, np.ndarray]:
        """The same as `look` at m times, with m as the first axis of each."""
        places = {k: courses[k].places(times) for k in {*self.linked, *self.free}}
        rates = self._free_rates(times, [places[k] for k in self.free], courses)
        return places, self._motion(times, places, rates, self._given(times, courses)[1], self.kept), self._inverse(places), rates

    def _given(self, times: np.ndarray, courses: Sequence[Any]) -> tuple[dict[int, BodyState], dict[int, np.ndarray]]:
        """Places and rates of the other bodies that contacts link."""
        others = [k for k in self.linked if k not in self.row]
        rates = {k: courses[k].rates_along(times) for k in others}
        return {k: courses[k].places(times) for k in others}, rates

    def _fitted(self, now: float, begin: np.ndarray, courses: Sequence[Any]) -> tuple[list[Polynomial] | None, float]:
        """Polynomials for the present step, None if these are too far from what is solved; and their distance, against the distance that
        they may have.
        """
        try:
            with np.errstate(all="ignore"):
                solved = self._solved(now, begin, courses)
                if solved is None:
                    return None, NO_FIT
                each = list(zip(self.free, np.swapaxes(solved, 0, 1), strict=True))
                found = [_fit(now, self.step, own, self.bodies[k].inertia) for k, own in each]
                off = max([_off(course, own, self.bodies[k].radius) for (k, own), course in zip(each, found, strict=True)], default=0.0)
                off = max(off, self._between(now, found, courses)) if off <= 1.0 else off
        except (Lost, np.linalg.LinAlgError):
            return None, NO_FIT
        except (ArithmeticError, ValueError) as error:
            self.failed = error
            return None, NO_FIT
        return found if off <= 1.0 else None, off

    def _solved(self, now: float, begin: np.ndarray, courses: Sequence[Any]) -> np.ndarray | None:
        """(NODES, n, 13): the states at the points of the present step; None if they are not found."""
        _, _, _, rates = self.look(now, courses)
        answer = self.answer(now, courses)
        states = self._onward(begin, rates + answer.change.reshape(rates.shape))
        if answer.bend is not None and self._stiff(answer.bend[None], _SUDDEN):
            # Friction that turns so fast is found only from near by: from motion on which slips stay as they are.
            even = self._iterated(now, begin, states, courses, [replace(k, slip=None) for k in self.kept], _NEARLY)
            states = states if even is None else even
        return self._iterated(now, begin, states, courses, self.kept, _SOLVED)

    def _onward(self, begin: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """(NODES, n, 13): the states with rates (n, 6) that stay as they are, about."""
        times, states = self.step * POINTS[:, None, None], np.repeat(begin[None], NODES, axis=0)
        states[..., 7:] += times * rates
        states[..., :3] += times * (begin[:, 7:10] + states[..., 7:10]) / 2.0
        spins = np.concatenate([np.zeros((len(begin), 1)), begin[:, 10:]], axis=1)
        states[..., 3:7] += times * rotation.products(spins, begin[:, 3:7]) / 2.0
        return states

    def _stiff(self, bend: np.ndarray, least: float) -> bool:
        return bool(self.step * np.abs(np.trace(bend, axis1=1, axis2=2)).max() > least)

    def _iterated(self, now: float, begin: np.ndarray, states: np.ndarray, courses: Sequence[Any], kept: Sequence[ActiveConstraint],
                  close: float) -> np.ndarray | None:
        """Iterate from states near them, until no more than `close` changes."""
        times, integral = now + self.step * POINTS, self.step * INTEGRAL
        given, changes = self._given(times, courses), list[float]()
        scale = np.repeat([[self.bodies[k].radius, 1.0, self.bodies[k].radius, 1.0] for k in self.free], [3, 4, 3, 3], axis=1)
        for k in range(_ROUNDS):
            check()
            rates, bend = self._rates(times, [_place(own) for own in np.swapaxes(states, 0, 1)], given, courses, kept)
            found = np.empty(states.shape)
            found[..., 7:] = begin[:, 7:] + np.tensordot(integral, rates, 1)
            if bend is not None and self._stiff(bend, _STIFF):
                # What friction changes at once, as its direction turns, is solved for (Newton's method).
                change = (found - states)[..., 7:].reshape(NODES, -1)
                found[..., 7:] = states[..., 7:] + followed(integral, bend, change).reshape(*states.shape[:2], 6)
            found[..., :3] = begin[:, :3] + np.tensordot(integral, found[..., 7:10], 1)
            spins = np.concatenate([np.zeros((*states.shape[:2], 1)), found[..., 10:]], axis=2)
            found[..., 3:7] = begin[:, 3:7] + np.tensordot(integral, rotation.products(spins, states[..., 3:7]) / 2.0, 1)
            change = float((np.abs(found - states) / (scale + np.abs(found))).max()) if len(begin) else 0.0
            states = found
            changes.append(change)
            # Those that are left, if they go on to get less as they did.
            less = max(changes[-1] / changes[-2], changes[-2] / changes[-3]) if k > 1 else 1.0
            if change <= close or (less < _EVENLY and change * less <= close * (1.0 - less)):
                return states
            # Where it comes no nearer, it jumps to and fro across a slip that ends.
            if not np.isfinite(change) or (k > _FIRST and change > _NEARER * changes[-3]):
                return None
        return None

    def _between(self, now: float, found: Sequence[Polynomial], courses: Sequence[Any]) -> float:
        """The distance of velocities from what the equations say of these motions, over the step, against the distance that they may have.
        """
        if not found:
            return 0.0
        times = now + self.step * BETWEEN
        places = [course.states(times)[0] for course in found]
        rates, bend = self._rates(times, places, self._given(times, courses), courses, self.kept)
        own = np.stack([course.rates_at(times) for course in found], axis=1)
        off = self.step * WEIGHTS[:, None] * (own - rates).reshape(len(times), -1)
        if bend is not None:
            # Friction takes back what turns its direction.
            off = np.linalg.solve(np.eye(off.shape[1]) - self.step * WEIGHTS[:, None, None] * bend, off[..., None])[..., 0]
        sizes = np.concatenate([np.repeat([self.bodies[k].radius, 1.0], 3) for k in self.free])
        return float((np.abs(off).sum(axis=0) / sizes).max()) / _CLOSE_RATE

    def _rates(self, times: np.ndarray, places: Sequence[BodyState], given: tuple[dict[int, BodyState], dict[int, np.ndarray]],
               courses: Sequence[Any], kept: Sequence[ActiveConstraint]) -> tuple[np.ndarray, np.ndarray | None]:
        """(m, n, 6): how velocity and spin of every free body change, by Newton's and Euler's equations; and (m, 6 n, 6 n), how that
        changes with these by friction, if there is any.
        """
        # What hops exerts no force, wherever it is by then.
        rates, pressed = self._free_rates(times, places, courses), [k for k in kept if not k.loose]
        if not pressed:
            return rates, None
        linked = given[0] | dict(zip(self.free, places, strict=True))
        found = solved(pressed, self._motion(times, linked, rates, given[1], pressed), self._inverse(linked), bend=True)
        return rates + found.change.reshape(rates.shape), found.bend

    def _free_rates(self, times: np.ndarray, places: Sequence[BodyState], courses: Sequence[Any]) -> np.ndarray:
        force = self._forces(times, places, courses)
        rates = np.empty((len(times), len(places), 6))
        for n, (k, place) in enumerate(zip(self.free, places, strict=True)):
            body, back = self.bodies[k], np.swapaxes(place.turn, 1, 2)
            own = (back @ place.spin[..., None])[..., 0]
            torque = (back @ force[:, k, 1, :, None])[..., 0] - rotation.crosses(own, own @ body.inertia.matrix)
            rates[:, n, :3] = self.gravity + force[:, k, 0] / body.mass
            rates[:, n, 3:] = (place.turn @ (torque @ body.inertia.inverse)[..., None])[..., 0]
        return rates

    def _motion(self, times: np.ndarray, places: dict[int, BodyState], rates: np.ndarray, given: dict[int, np.ndarray],
                kept: Sequence[ActiveConstraint]) -> ContactDynamics:
        return motion([k.link for k in kept], places, given | {k: rates[:, n] for n, k in enumerate(self.free)}, self.row, len(times))

    def _inverse(self, places: dict[int, BodyState]) -> np.ndarray:
        """(m, 6 n, 6 n): of the masses and inertias of the free bodies."""
        m = len(places[self.free[0]].centre) if self.free else 1
        found = np.zeros((m, 6 * len(self.free), 6 * len(self.free)))
        for n, k in enumerate(self.free):
            body, at, turn = self.bodies[k], 6 * n, places[k].turn
            found[:, at:at + 3, at:at + 3] = np.eye(3) / body.mass
            found[:, at + 3:at + 6, at + 3:at + 6] = turn @ body.inertia.inverse @ np.swapaxes(turn, 1, 2)
        return found

    def _forces(self, times: np.ndarray, places: Sequence[BodyState], courses: Sequence[Any]) -> np.ndarray:
        """(m, n, 2, 3): forces and torques that act on the bodies."""
        if self.forces is None:
            return np.zeros((len(times), len(self.bodies), 2, 3))
        own = dict(zip(self.free, places, strict=True))
        return np.array([self._forces_at(self.forces, t, [own[k].of(n) if k in own else place_of(course, t)
                                                          for k, course in enumerate(courses)]) for n, t in enumerate(times.tolist())])

    def _forces_at(self, forces: Forces, time: float, places: Sequence[BodyState]) -> np.ndarray:
        state = State(time, np.array([p.centre - p.turn @ b.middle for p, b in zip(places, self.bodies, strict=True)]),
                      np.array([rotation.quaternion(p.turn) for p in places]), np.array([p.velocity for p in places]),
                      np.array([p.spin for p in places]))
        found = doubles(forces(state), "the forces", "(n, 3) or (n, 2, 3)")
        if found.shape not in ((len(places), 3), (len(places), 2, 3)) or not np.isfinite(found).all():
            raise ValueError(f"forces must be finite numbers of shape (n, 3), or (n, 2, 3) with torques, for n = {len(places)} bodies, got "
                             f"{shown(found.tolist())}")
        return found if found.ndim == 3 else np.stack([found, np.zeros_like(found)], axis=1)


def _place(own: np.ndarray) -> BodyState:
    """The places at m times, of states (m, 13)."""
    return BodyState(own[:, :3], rotation.matrices(own[:, 3:7]), own[:, 7:10], own[:, 10:])


def _fit(now: float, step: float, own: np.ndarray, inertia: Inertia) -> Polynomial:
    """The polynomials of one body, of its states (NODES, 13) at the points of a step."""
    q, powers = own[0, 3:7], np.arange(1, rotation.TERMS + 1)
    turned = rotation.products(own[:, 3:7], q * _BACK) / (q @ q)
    # Velocities are fitted, since differences of places say little of them where a step is short; it begins with just those it should.
    spun = rotation.products(np.column_stack([np.zeros(NODES), own[:, 10:]]), turned) / 2.0
    wanted = np.column_stack([own[:, 7:10], spun])
    basis = powers * POINTS[:, None] ** (powers - 1)
    rest = np.linalg.lstsq(basis[:, 1:], wanted - wanted[0], rcond=None)[0] / step ** (powers[1:, None] - 1)
    path, turning = (np.ascontiguousarray(e) for e in np.split(np.vstack([wanted[0], rest]), [3], axis=1))
    return Polynomial(now, now + step, own[0, :3], rotation.matrix(q), path, turning, inertia)


def _off(found: Polynomial, own: np.ndarray, size: float) -> float:
    """The distance of a fit from states (NODES, 13), against the distance that it may have."""
    place, p = found.states(found.start + (found.until - found.start) * POINTS)
    turned = rotation.products(own[:, 3:7], own[0, 3:7] * _BACK) / (own[0, 3:7] @ own[0, 3:7])
    off = np.concatenate([(place.centre - own[:, :3]) / size, p - turned], axis=1) / _CLOSE
    rates = np.concatenate([(place.velocity - own[:, 7:10]) / size, place.spin - own[:, 10:]], axis=1) / _CLOSE_RATE
    return float(max(np.abs(off).max(), np.abs(rates).max()))
