"""Free flights, of which all numbers are balls of Arb's: a parabola, and how the body turns.

A body whose inertia is that of a ball spins evenly. One with two equal moments A and a third one, C, about its axis turns by a constant
spin about the angular momentum L, |L| / A, after one about its own axis, L . axis (1/C - 1/A) (Landau and Lifshitz, Mechanics, Section 33).
Where L is enclosed about 0 both are, too. Others tumble, by validated Taylor series (`tumbling`).
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from flint import arb

from ..arithmetic.enclosures import matrix, product, vector
from .tumbling import Tumbling

Falling = TypeVar("Falling", bound="Parabola")
_AXES = vector(e for row in np.eye(3, dtype=int).tolist() for e in row).reshape(3, 3)
NONE = vector((0, 0, 0))


@dataclass(frozen=True, eq=False)
class CertifiedInertia:
    """`matrix` (3, 3) about the centre of mass, in the body's frame, and its `inverse`; the number of the coordinate `axis` about which
    it is one of revolution, -1 where it is that of a ball, None where it is neither.
    """

    matrix: np.ndarray
    inverse: np.ndarray
    axis: int | None

    @cached_property
    def rates(self) -> tuple[Any, Any]:
        """1/A and 1/C - 1/A."""
        along = max(self.axis or 0, 0)
        across = self.inverse[along - 1, along - 1]
        return across, self.inverse[along, along] - across


BALL = CertifiedInertia(_AXES, _AXES, -1)
"""The inertia of a ball of which only the spin matters."""


@dataclass(frozen=True, eq=False)
class Parabola:
    """Enclosures of a centre and a velocity (3,) at the time `start`, and the exact acceleration (3,)."""

    start: Any
    centre: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray

    def at(self, time: Any) -> np.ndarray:
        tau = time - self.start
        return np.asarray(self.centre + tau * (self.velocity + tau / 2 * self.acceleration))

    def velocity_at(self, time: Any) -> np.ndarray:
        return np.asarray(self.velocity + (time - self.start) * self.acceleration)

    def falling(self, time: Any) -> "Parabola":
        """Its centre from a time on."""
        return Parabola(time, self.at(time), self.velocity_at(time), self.acceleration)

    def since(self: Falling, time: Any) -> Falling:
        return self if time is self.start else replace(self, start=time, centre=self.at(time), velocity=self.velocity_at(time))


@dataclass(frozen=True, eq=False)
class Flight(Parabola):
    """A flight with a quaternion `turn` (4,) of length 1 at the start, and the angular momentum (3,), which is constant."""

    turn: np.ndarray
    momentum: np.ndarray
    inertia: CertifiedInertia

    @cached_property
    def steady(self) -> bool:
        """Whether the body does not turn at all."""
        return all(e.is_zero() for e in self.momentum)

    @cached_property
    def tumbling(self) -> Tumbling | None:
        """The turning of the body, where that has no closed form."""
        own = self.inertia
        return Tumbling(self.start, self.turn, self.momentum, own.inverse) if own.axis is None and not self.steady else None

    @cached_property
    def placed(self) -> np.ndarray:
        """(3, 3): the rotation at the start."""
        return matrix(self.turn)

    @cached_property
    def rates(self) -> tuple[np.ndarray, np.ndarray]:
        """Two constant spins (3,) in the world: that about the angular momentum, after that about the axis."""
        across, more = self.inertia.rates
        if self.steady or self.inertia.axis == -1:
            return across * self.momentum, NONE
        own = self.placed[:, self.inertia.axis]
        return across * self.momentum, more * (own @ self.momentum) * own

    def turn_at(self, time: Any) -> np.ndarray:
        if self.steady or time is self.start:
            return self.turn
        if self.tumbling is not None:
            return self.tumbling.turn_at(time)
        first, second = (_turned(rate, time - self.start) for rate in self.rates)
        return product(first, product(second, self.turn))

    def spin_at(self, time: Any) -> np.ndarray:
        if self.steady or self.inertia.axis == -1:
            return np.asarray(self.inertia.rates[0] * self.momentum)
        return np.asarray(self.mobility_at(time) @ self.momentum)

    def mobility_at(self, time: Any) -> np.ndarray:
        """(3, 3): the inverse of the inertia, in the world."""
        turn = matrix(self.turn_at(time))
        return np.asarray(turn @ self.inertia.inverse @ turn.T)

    def since(self, time: Any) -> "Flight":
        return self if time is self.start else replace(super().since(time), turn=self.turn_at(time))

    def backward(self) -> "Flight":
        """The same in the time -t."""
        return replace(self, start=-self.start, velocity=-self.velocity, momentum=-self.momentum)


def flight(start: Any, centre: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray, turn: np.ndarray, spin: np.ndarray,
           inertia: CertifiedInertia) -> Flight:
    """The flight from a state on, with the `spin` (3,) in the world."""
    placed = matrix(turn)
    momentum = placed @ inertia.matrix @ placed.T @ spin if any(not e.is_zero() for e in spin) else NONE
    return Flight(start, centre, velocity, acceleration, turn, momentum, inertia)


def axis_of(spin: np.ndarray) -> tuple[np.ndarray, Any]:
    """A direction (3,) and a speed about it. Where the spin may be 0 the direction may be any."""
    size = _size(spin)
    if size > 0:
        return spin / size, size
    if size.is_zero():
        return vector((0, 0, 1)), size
    return np.array([arb(0, 1)] * 3, object), size


def _size(w: np.ndarray) -> Any:
    return (w @ w).nonnegative_part().sqrt()


def _turned(spin: np.ndarray, tau: Any) -> np.ndarray:
    """The quaternion of a constant spin (3,) during a time."""
    half = _size(spin) * tau / 2
    return np.array([half.cos(), *(half.sinc() * tau / 2 * spin)], object)
