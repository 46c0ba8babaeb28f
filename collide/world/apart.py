"""Where and when two bodies in flight may meet, without a search: balls round small parts of their surfaces are moved on in time by the
native loop of `culling.nearing`.

The time is cut into stretches, in each of which a rotation is R + s R' + s^2 R'' / 2, with R and R' of its beginning and R'' enclosed.
"""

import functools
import itertools
import math
import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import sympy as sp

from codegen.graph.autodiff import partials
from codegen.graph.expr import ExprPool
from codegen.kernel import Kernel
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory, Number
from generative import t
from generative.motion import quaternion_matrix

from ..bodies.motions import entries_of
from ..culling import nearing_loop
from ..culling.broad_phase import Window
from ..culling.nearing_loop import NearingMemory
from ..moment.region import Region
from .actor import Actor
from .cover import BallTree, ball_tree
from .flight import Flight, Gait
from .formulas import about_centre
from .neighbours import ROUNDINGS, WIDER, rates

# Effort only: so far a body turns in a stretch, and so many stretches are looked at; room for pairs.
_TURN, _STRETCHES, _ROOM, _ALL = 0.25, 32, 1 << 10, 1 << 62
# Products and sums of some ten terms are rounded: by less than this share of the sum of their sizes.
_ROUNDING = 1e-14
# Memories of the loop, in each thread; so many are kept.
_memories, _KEPT = threading.local(), 64


class Near(NamedTuple):
    """Two bodies are *proved* apart until a time; and up to the time `horizon`, but for what may be in the `region`."""

    until: float
    horizon: float
    region: Region | None


class Side(NamedTuple):
    """A body in n stretches of time: its tree; its centre, velocity and acceleration as each begins (n, 3, 3), and by how much these may be
    out (n, 3); its rotation and how that changes (n, 18), how much these may be out, and the size of the second derivative (n, 3); and that
    of the first (n,).
    """

    tree: BallTree
    path: np.ndarray
    off: np.ndarray
    turn: np.ndarray
    out: np.ndarray
    speed: np.ndarray


class Apart:
    """Two bodies in a window of time that ends with their flights or before, of which at least one is free and none is driven."""

    def __init__(self, one: Actor, other: Actor, window: Window) -> None:
        self._times = _stretches((one, other), window)
        trees = [_tree(a) for a in (one, other)] if len(self._times) else []
        self.known = bool(trees) and None not in trees
        self._sides = [_side(a, tree, self._times) for a, tree in zip((one, other), trees, strict=False) if tree is not None]

    def near(self, stride: float) -> Near:
        """Until when they are apart, and where they may meet after that, for so long."""
        times = self._times
        found, rows, horizon = math.inf, list[tuple[np.ndarray, np.ndarray]](), times[-1]
        memory = _memory(*(side.tree for side in self._sides))
        for k, begin in enumerate(times[:-1]):
            self._set(memory, k)
            search = _Stretch(memory, found < math.inf)
            limit = (found + stride - begin) if found < math.inf else math.inf
            pairs, when, until = search.found(limit, stride)
            if len(pairs):
                found = min(found, begin + float(when[0]))
                rows.append((pairs, begin + when))
            if until < math.inf:
                horizon = min(horizon, begin + until)
                break
        if not rows:
            return Near(horizon, horizon, None)
        pairs, when = (np.concatenate(part) for part in zip(*rows, strict=True))
        return Near(min(found, horizon), horizon, self._region(pairs, when))

    def _region(self, pairs: np.ndarray, when: np.ndarray) -> Region:
        one, other = (None if side.tree.parameters is None else side.tree.parameters[column]
                      for side, column in zip(self._sides, pairs.T, strict=True))
        return Region(one, other, when)

    def _set(self, memory: Memory, k: int) -> None:
        """A stretch of time for the loop."""
        one, other = self._sides
        last, until = self._times[k + 1] - self._times[k], abs(self._times[k + 1])
        place = other.path[k] - one.path[k]
        memory["place"][:] = place.ravel()
        error, bend, sizes = 0.0, 0.0, _size(np.abs(place).sum(axis=1), last)
        for number, side in enumerate((one, other)):
            memory["turn"][18 * number:18 * number + 18] = side.turn[k]
            (first, second, third), reach, speed = side.out[k].tolist(), side.tree.reach, side.speed[k].item()
            memory["whirl"][number], memory["skew"][number] = speed + last * third, _size(side.out[k], last)
            error += 2.0 * _size(side.off[k], last) + reach * (first + last * second + ROUNDINGS * until * speed)
            sizes += reach * (2.0 + last * speed)
            bend += reach * third
        for name, value in (("last", last), ("error", (error + _ROUNDING * sizes) * WIDER), ("bend", bend * WIDER)):
            memory.set(name, value)


def _size(motion: np.ndarray, time: float) -> float:
    """How far a motion goes in a time, at most, that has these sizes of its place, velocity and acceleration (3,)."""
    place, speed, force = motion.tolist()
    return float(place + time * (speed + 0.5 * time * force))


class _Stretch:
    """The loop over one stretch of time."""

    _root, _found, _unused = Number[int](NearingMemory, "root"), Number[int](NearingMemory, "found"), Number[int](NearingMemory, "unused")
    _limit = Number[float](NearingMemory, "limit")

    def __init__(self, memory: Memory, coarse: bool) -> None:
        self.arrays, before = memory, memory["hits"][:memory.number("found")]
        memory["seen"][before[:, 0] * memory.number("groups") + before[:, 1]] = 0
        memory.set("coarse", int(coarse))
        self._found, self._unused = 0, len(memory["free"])
        memory["free"][:] = np.arange(len(memory["free"]))
        compiled(nearing_loop.begin_nearing)(memory.address)

    def found(self, limit: float, stride: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Pairs (n, 2) of groups, the times (n,) before which they are apart, and the time up to which all are found; infinite: all of the
        stretch.
        """
        if limit == math.inf:
            self._run(math.inf, 1)
            limit = float(self.arrays["when"][0]) + stride if self._found else math.inf
        self._run(limit, _ALL)
        until = float(self.arrays["key"][self._root]) if self._root >= 0 else math.inf
        return self.arrays["hits"][:self._found].copy(), self.arrays["when"][:self._found].copy(), until

    def _run(self, limit: float, wanted: int) -> None:
        self._limit = limit
        while (reason := compiled(nearing_loop.nearing)(self.arrays.address, wanted)) != nearing_loop.FINISHED:
            if reason == nearing_loop.NEED_FOUND:
                self.arrays.double("found_room")
            else:
                old, kept = len(self.arrays["key"]), self._unused
                self.arrays.double("room")
                self.arrays["free"][kept:kept + old] = np.arange(old, 2 * old)
                self._unused = kept + old


def _memory(one: BallTree, other: BallTree) -> Memory:
    """Kept for the next pair of the same trees, in each thread."""
    kept = vars(_memories).setdefault("kept", {})
    found = kept.get((id(one), id(other)))
    if found is None:
        if len(kept) >= _KEPT:
            kept.clear()
        memory = Memory(NearingMemory, {"nodes": 0, "room": _ROOM, "found_room": _ROOM, "pairs": one.groups * other.groups})
        memory.set("groups", other.groups)
        for name, tree in (("1", one), ("2", other)):
            memory.refer(f"node{name}", tree.nodes.ctypes.data)
            memory.refer(f"child{name}", tree.child.ctypes.data)
            memory.refer(f"group{name}", tree.group.ctypes.data)
        # Both trees are kept with it, so nothing else has their numbers.
        kept[id(one), id(other)] = found = memory, one, other
    return found[0]


def _stretches(actors: tuple[Actor, Actor], window: Window) -> list[float]:
    """The ends of stretches of time, as many as bodies turn far; none for a time that has no end."""
    begin, end = window
    if not begin < end < math.inf:
        return []
    speed = max([0.0] + [float(np.linalg.norm(a.course.spin_at(begin))) for a in actors if a.free and a.ball is None])
    count = min(_STRETCHES, max(1, math.ceil(speed * (end - begin) / _TURN)))
    times = [begin, *(begin + k * ((end - begin) / count) for k in range(1, count)), end]
    return times if all(a < b for a, b in itertools.pairwise(times)) else [begin, end]


def _side(actor: Actor, tree: BallTree, times: Sequence[float]) -> Side:
    count = len(times) - 1
    if actor.rigid.fixed:
        turn, out = _orientation(tuple(actor.rigid.orientation.tolist()))
        path = np.zeros((count, 3, 3))
        path[:, 0] = actor.rigid.position
        off = np.zeros((count, 3))
        off[:, 0] = ROUNDINGS * np.abs(actor.rigid.position).max()
        return Side(tree, path, off, np.broadcast_to(turn, (count, 18)), np.broadcast_to(out, (count, 3)), np.zeros(count))
    flight: Flight = actor.course
    path = np.array([[flight.centre_at(s), flight.velocity_at(s), flight.acceleration] for s in times[:-1]])
    off = ROUNDINGS * np.array([rates(flight, w) for w in itertools.pairwise(times)])
    return Side(tree, path, off, *_turns(flight, actor.ball is not None, times))


def _tree(actor: Actor) -> BallTree | None:
    """As its rotation and the path of its centre take it; of what is fixed, as its shape is."""
    if actor.ball is not None and not actor.rigid.fixed:
        return _ball(actor.ball)
    return ball_tree(actor.rigid.outline, (0.0, 0.0, 0.0) if actor.rigid.fixed else tuple(actor.middle.tolist()))


@functools.lru_cache(maxsize=512)
def _ball(radius: float) -> BallTree:
    """The tree of a ball is that ball, a little wider than it is."""
    return BallTree(np.array([[0.0, 0.0, 0.0, radius * WIDER, radius * WIDER, 1.0, 0.0, 0.0]]), np.array([-1]), np.array([0]), 0.0)


def _turns(flight: Flight, ball: bool, times: Sequence[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    count = len(times) - 1
    if ball:
        still, out = _orientation((1.0, 0.0, 0.0, 0.0))
        return np.broadcast_to(still, (count, 18)), np.broadcast_to(out, (count, 3)), np.zeros(count)
    numbers = np.concatenate([[flight.turned], flight.numbers, flight.turn.ravel()])
    begin, end = np.array([*times[:-1], *times[:-1]])[:, None], np.array([*times[:-1], *times[1:]])[:, None]
    low, high = _kernel(flight.gait).interval(begin, end, parameters=(numbers, numbers))
    out = (high - low)[:count]
    out[:, 18:] = np.maximum(np.abs(low), np.abs(high))[count:, 18:]
    middle = low[:count, :18] + 0.5 * out[:, :18]
    out[:, :18] *= 0.5
    sizes = np.sqrt(np.square(np.concatenate([out, middle[:, 9:]], axis=1)).reshape(count, 4, 9).sum(axis=2)) * WIDER
    return middle, sizes[:, :3], sizes[:, 3]


@functools.lru_cache(maxsize=8)
def _kernel(gait: Gait) -> Kernel:
    """The rotation of a gait, and its first two derivatives by time (27)."""
    motion, symbols = about_centre(gait)
    own = symbols[10:]
    pool = ExprPool()
    time = pool.variable(0)
    known = {t: time, **{s: pool.constant(0) for s in symbols[:10]}, **{s: pool.parameter(k) for k, s in enumerate(own)}}
    turn = entries_of(motion, known, pool, None)[:9]
    rate = [row[0] for row in partials(turn, [time])]
    return Kernel([*turn, *rate, *(row[0] for row in partials(rate, [time]))], ["t"], [str(s) for s in own], quick=True)


@functools.lru_cache(maxsize=512)
def _orientation(quaternion: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The rotation of what does not turn, and its derivative (18,), and by how much it may be out (3,)."""
    exact = [float(e) for e in quaternion_matrix([sp.Rational(e) for e in quaternion])]
    return np.array([*exact, *[0.0] * 9]), np.array([ROUNDINGS, 0.0, 0.0])
