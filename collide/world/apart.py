"""Until when two bodies in flight are proved apart, without a search: boxes round parts of their surfaces are moved on in time by the
native loop of `culling.approach`.

One body is seen from the centre of the other: what both fall alike does not widen anything.
"""

import functools
import math
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import enclose
from codegen.graph.expr import ExprPool
from codegen.kernel import Kernel
from generative import t
from generative.motion import quaternion_matrix

from ..bodies.members import fixed_kernel
from ..bodies.motions import entries_of
from ..culling.approach import Approach, Native, blocks_of, lanes
from ..culling.broad_phase import Window
from .actor import Actor
from .cover import covers
from .flight import Gait
from .formulas import about_centre
from .neighbours import ROUNDINGS, rates

# Effort only: the most boxes of a body that is fixed, if it has fewer; tries, and how often the first step, the whole window, is halved.
_OF_FIXED = 1 << 11
_TRIES, _FINEST = 24, 8
_PAIR, _ORIGIN = np.array([[0, 1]]), lanes(np.zeros((3, 2)))


class Apart:
    """Two bodies in a window of time that ends with their flights or before, of which at least one is free and none is driven. `room`
    (3, 2): of a body that is fixed, a box in which the other one stays in that time.
    """

    def __init__(self, one: Actor, other: Actor, window: Window, room: np.ndarray) -> None:
        self._window, self._approach = window, None
        seen_from = None if one.rigid.fixed or other.rigid.fixed else one
        sides = [_fixed(a, room) if a.rigid.fixed else _flying(a, seen_from, window) for a in (one, other)]
        self._known = all(side is not None for side in sides) and window[1] < math.inf
        self._met = [side for side in sides if side is not None and len(side.cells)]
        if self._known and len(self._met) == 2:
            self._approach = Approach.of(self._met, _PAIR)

    def until(self) -> float:
        """A time of the window before which the surfaces are *proved* apart; its beginning if none is found."""
        return self._moved(*self._window, False)

    def since(self, begin: float, end: float) -> float:
        """A time between two of the window from which on they are apart up to the later one; that if none is found."""
        return self._moved(end, begin, True)

    def _moved(self, begin: float, goal: float, backward: bool) -> float:
        if self._approach is None:
            return goal if self._known else begin
        first, last = np.array([begin]), np.array([goal])
        return float(self._approach.moved_on(first, last, np.abs(last - first), tries=_TRIES, finest=_FINEST, backward=backward)[0])


def _side(kernel: Kernel, numbers: np.ndarray, blocks: np.ndarray, count: int, radius: float) -> Native:
    """A body for the native loop: the kernel of its motion, with numbers (p, 2), and so many boxes in blocks and a radius round the origin
    that it moves.
    """
    known = lanes(numbers)
    row = kernel.block_address(), known.ctypes.data, _ORIGIN.ctypes.data, count, 0, 0
    return Native(row, radius, blocks, (kernel, known))


def _flying(actor: Actor, seen_from: Actor | None, window: Window) -> Native | None:
    """A body that flies; its centre as seen from that of another, or of its own."""
    flight, begin = actor.course, window[0]
    place = np.stack([flight.centre_at(begin), flight.velocity_at(begin), flight.acceleration])
    if seen_from is not None:
        other = seen_from.course
        place = place - np.stack([other.centre_at(begin), other.velocity_at(begin), other.acceleration])
    off = np.zeros(3) if seen_from is actor else ROUNDINGS * sum(np.array(rates(f, window)) for f in {flight, (seen_from or actor).course})
    numbers = np.concatenate([[begin], place.ravel()])
    wide = np.concatenate([[0.0], np.repeat(off, 3)])
    if actor.ball is None:
        turn = np.concatenate([[flight.turned], flight.numbers, flight.turn.ravel()])
        numbers, wide = np.concatenate([numbers, turn]), np.concatenate([wide, np.zeros(len(turn))])
    boxes = _boxes(actor.rigid.shape, tuple(actor.middle.tolist()), actor.ball)
    intervals = np.stack([numbers - wide, numbers + wide], axis=1)
    gait, radius = (flight.gait, actor.radius) if actor.ball is None else (None, actor.ball)
    return None if boxes is None else _side(_kernel(gait), intervals, *boxes, radius)


@functools.lru_cache(maxsize=512)
def _boxes(shape: Any, middle: tuple[float, ...], ball: float | None) -> tuple[np.ndarray, int] | None:
    """Boxes that hold a shape, seen from its centre of mass, in blocks, and how many."""
    if ball is not None:
        return blocks_of(ball * np.array([[[-1.0, 1.0]] * 3])), 1
    levels = covers(shape)
    if not levels:
        return None
    found = levels[0].boxes - np.array(middle)[:, None]
    return blocks_of(found + ROUNDINGS * (np.abs(found).max() + np.abs(middle).max()) * np.array([-1.0, 1.0])), len(found)


@functools.lru_cache(maxsize=8)
def _kernel(gait: Gait | None) -> Kernel:
    motion, symbols = about_centre(gait)
    pool = ExprPool()
    time = pool.variable(0)
    known = {t: time, **{s: pool.parameter(k) for k, s in enumerate(symbols)}}
    return Kernel(entries_of(motion, known, pool, time), ["t"], [str(s) for s in symbols], quick=True)


def _fixed(actor: Actor, room: np.ndarray) -> Native | None:
    """A body that is fixed, and those of its boxes, in its own coordinates, that meet the room of another."""
    rotation, numbers = _orientation(tuple(actor.rigid.orientation.tolist()))
    levels, at = covers(actor.rigid.shape), actor.rigid.position
    if not levels:
        return None
    half, middle = 0.5 * (room[:, 1] - room[:, 0]), rotation.T @ (0.5 * (room[:, 0] + room[:, 1]) - at)
    reach = np.abs(rotation.T) @ half + ROUNDINGS * (np.abs(room).max() + np.abs(at).max())
    near, boxes = None, levels[0].boxes
    for cover in levels:
        near = cover.near(middle, reach, near)
        if cover is not levels[0] and len(near) > _OF_FIXED:
            break
        boxes = cover.boxes[near]
    numbers = np.concatenate([numbers, np.repeat(at[:, None], 2, axis=1)])
    return _side(_still(), numbers, blocks_of(boxes) if len(boxes) else boxes, len(boxes), math.inf)


@functools.lru_cache(maxsize=512)
def _orientation(quaternion: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of a quaternion in doubles, and its entries enclosed (9, 2)."""
    exact = list(quaternion_matrix([sp.Rational(e) for e in quaternion]))
    return np.array(exact, float).reshape(3, 3), np.array([enclose(e) for e in exact])


@functools.cache
def _still() -> Kernel:
    """A motion that is its twelve numbers."""
    return fixed_kernel(1, lambda time: [time.pool.parameter(k) for k in range(12)], 12)
