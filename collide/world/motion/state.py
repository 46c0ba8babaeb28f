"""State of the bodies of a world at a time: places and velocities."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..contact.closed_forms import Place


@dataclass(frozen=True, eq=False)
class State:
    """Of n bodies at a time: `positions` (n, 3) of the origins of their shapes and `quaternions` (n, 4), [w, x, y, z] of length 1, which
    place these; `velocities` (n, 3) of their centres of mass (of driven bodies, of their origins), and `spins` (n, 3), in the world. Of an
    array of times, `time` is that array, and its axes come before those of the bodies.
    """

    time: Any
    positions: np.ndarray
    quaternions: np.ndarray
    velocities: np.ndarray
    spins: np.ndarray


def places_along(path: Sequence[tuple[float, Any]], times: np.ndarray) -> Place:
    """Of a body, at times (m,) in any order, by its courses, each with its beginning; where one begins, by that one."""
    which = np.maximum(np.searchsorted([begin for begin, _ in path], times, side="right") - 1, 0)
    found = Place(np.empty((len(times), 3)), np.empty((len(times), 3, 3)), np.empty((len(times), 3)), np.empty((len(times), 3)))
    for k in np.unique(which).tolist():
        own = which == k
        for all_, some in zip(found, path[k][1].places(times[own]), strict=True):
            all_[own] = some
    return found


def at_each(asked: Callable[[Any], Any], times: Any) -> Any:
    """What is asked for at a time, at each of an array of times, stacked along the axes of these."""
    return _stacked([asked(time) for time in np.ravel(times)], np.shape(times))


def _stacked(answers: Sequence[Any], shape: tuple[int, ...]) -> Any:
    if answers and isinstance(answers[0], State):
        return State(*(_stacked([getattr(a, f.name) for a in answers], shape) for f in fields(State)))
    found = np.array(answers)
    return found.reshape(shape + found.shape[1:])
