"""Trajectory: what each kind of motion of a body answers."""

from typing import Any, Protocol

import numpy as np

from .state import BodyState


class Trajectory(Protocol):
    """Motion of a body in time: `Ballistic`, `Polynomial` or `Prescribed`.

    Positions and velocities are those of the centre of mass; of a prescribed motion, those of the origin of the shape. All are in the
    world, and spins are in radians per unit of time.

    Attributes
    ----------
    ballistic : bool
        Whether the centre of mass falls along a parabola, in closed form.
    solved : bool
        Whether the motion was found by solving equations with forces or contacts.
    still : bool
        Whether the body rests.
    finite : bool
        Whether all numbers of the motion are finite.
    span : float
        Length of the time for which its formula holds; inf without an end.
    """

    @property
    def ballistic(self) -> bool: ...

    @property
    def solved(self) -> bool: ...

    @property
    def still(self) -> bool: ...

    @property
    def finite(self) -> bool: ...

    @property
    def span(self) -> float: ...

    def places(self, times: np.ndarray) -> BodyState:
        """States at times (m,), with m as the first axis of each array."""
        ...

    def centre_at(self, t: float) -> np.ndarray: ...

    def velocity_at(self, t: float) -> np.ndarray: ...

    def acceleration_at(self, t: float) -> np.ndarray: ...

    def turn_at(self, t: float) -> np.ndarray: ...

    def spin_at(self, t: float) -> np.ndarray: ...

    def turning_at(self, t: float) -> float:
        """Size of the spin; an approximation where no closed form gives it."""
        ...

    def rates_at(self, t: Any) -> np.ndarray:
        """(6,): derivatives of velocity and spin."""
        ...

    def rates_along(self, times: np.ndarray) -> np.ndarray:
        """(m, 6): derivatives of velocity and spin at times (m,)."""
        ...

    def pace(self, begin: float, end: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Bounds (3,) of the velocity over a time, and of the size of the spin, except for rounding."""
        ...
