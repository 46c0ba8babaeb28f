"""States of bodies at a time: places and velocities of one or of all, masses and inertias."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .rotation import crosses

# Principal moments that differ by no more than this count as the same.
_SAME = 1e-10


@dataclass(frozen=True, eq=False)
class Inertia:
    """`matrix` (3, 3) in the body's frame, about its centre of mass."""

    matrix: np.ndarray

    @cached_property
    def inverse(self) -> np.ndarray:
        return np.linalg.inv(self.matrix)

    @cached_property
    def principal(self) -> tuple[np.ndarray, np.ndarray]:
        """Moments (3,), least first, and their axes, columns."""
        moments, axes = np.linalg.eigh(self.matrix)
        return moments, axes

    @cached_property
    def spherical(self) -> bool:
        moments = self.principal[0]
        return bool(moments[2] - moments[0] <= _SAME * moments[2])

    @cached_property
    def axis(self) -> np.ndarray | None:
        """The axis of a body of revolution that is no ball; else None."""
        moments, axes = self.principal
        close = _SAME * moments[2]
        if self.spherical:
            return None
        if moments[1] - moments[0] <= close:
            return np.asarray(axes[:, 2])
        return np.asarray(axes[:, 0]) if moments[2] - moments[1] <= close else None


class BodyState(NamedTuple):
    """The place and the motion of a body: a point of it, its turn, the velocity of the point, and its spin, in the world; or at m times,
    with m as the first axis of each.
    """

    centre: np.ndarray
    turn: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray

    def at(self, point: np.ndarray) -> np.ndarray:
        """The velocity of what is there."""
        return self.velocity + crosses(self.spin, point - self.centre)

    def of(self, k: Any) -> "BodyState":
        """At the k-th of the times, or at some of them."""
        return BodyState(*(e[k] for e in self))

    def lane(self) -> "BodyState":
        """As of one of several times."""
        return BodyState(*(e[None] for e in self))


@dataclass(frozen=True, eq=False)
class Mass:
    """A body at a moment: its centre, inverse mass and inverse inertia (3, 3) in the world (0 for bodies that nothing moves), velocity and
    spin.
    """

    centre: np.ndarray
    inverse: float
    turning: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray


@dataclass(frozen=True, eq=False)
class Particulars:
    """Facts of one body: whether it is free, its mass, the place of its centre of mass in the shape's coordinates, its inertia and its
    radius.
    """

    free: bool
    mass: float
    middle: np.ndarray
    inertia: Inertia
    radius: float


@dataclass(frozen=True, eq=False)
class State:
    """The state of n bodies at a time: `positions` (n, 3) of the origins of their shapes and `quaternions` (n, 4), [w, x, y, z] of length
    1, which place these; `velocities` (n, 3) of their centres of mass (of driven bodies, of their origins), and `spins` (n, 3), in the
    world. Of an array of times, `time` is that array, and its axes come before those of the bodies.
    """

    time: Any
    positions: np.ndarray
    quaternions: np.ndarray
    velocities: np.ndarray
    spins: np.ndarray


def places_along(path: Sequence[tuple[float, Any]], times: np.ndarray) -> BodyState:
    """The place and the motion of a body at times (m,) in any order, by its courses, each with its beginning; where one begins, by that
    one.
    """
    which = np.maximum(np.searchsorted([begin for begin, _ in path], times, side="right") - 1, 0)
    found = BodyState(np.empty((len(times), 3)), np.empty((len(times), 3, 3)), np.empty((len(times), 3)), np.empty((len(times), 3)))
    for k in np.unique(which).tolist():
        own = which == k
        for all_, some in zip(found, path[k][1].places(times[own]), strict=True):
            all_[own] = some
    return found


def at_each(asked: Callable[[Any], Any], times: Any) -> Any:
    """The answers of a function of time at each of an array of times, stacked along the axes of these."""
    return _stacked([asked(time) for time in np.ravel(times)], np.shape(times))


def _stacked(answers: Sequence[Any], shape: tuple[int, ...]) -> Any:
    if answers and isinstance(answers[0], State):
        return State(*(_stacked([getattr(a, f.name) for a in answers], shape) for f in fields(State)))
    found = np.array(answers)
    return found.reshape(shape + found.shape[1:])
