"""Candidate places and times of contact of two bodies in flight, by trees of bounding spheres, without a search.

Balls round small parts of their surfaces are moved on in time by the native loop of `native.bounding_trees_loop`, in one call for a pair.
Numbers of flights are all that it takes.
"""

import functools
import itertools
import math
import threading
from typing import NamedTuple

import numpy as np
import sympy as sp

from codegen.deadline import check
from codegen.graph.autodiff import partials
from codegen.graph.expr import ExprPool
from codegen.kernel import Kernel
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory
from generative import t
from generative.motion import quaternion_matrix

from ...bodies.motions import entries_of
from ...culling.broad_phase import Window
from ...moment.region import Region
from ..motion.ballistic import RotationKind
from ..motion.moving_body import MovingBody
from ..motion.templates import about_centre
from ..shapes.bounding_spheres import BoundingSphereTree
from .native import bounding_trees_loop
from .native.bounding_trees_loop import NearingMemory
from .native.stretches_loop import STRETCHES

# Effort only: so far a body turns in a stretch of time; room for pairs.
_TURN, _ROOM = 0.25, 1 << 10
# Memories of the loop, in each thread; so many are kept.
_memories, _KEPT = threading.local(), 64


class ApartUntil(NamedTuple):
    """The time until which two bodies are *proved* not to meet; and the time `horizon` up to which they are so, except for what may be in
    the `region`.
    """

    until: float
    horizon: float
    region: Region | None


def near(one: MovingBody, other: MovingBody, window: Window, stride: float, soon: float = math.inf, anew: bool = True) -> ApartUntil | None:
    """The time until which two bodies do not meet in a window of time, and the region where they may meet after that, for so long, if that
    is before a time `soon`; None where nothing is known. The window ends with their flights or before; at least one of them is free and
    none is driven. `anew`: none is in the other one as it begins, and it is asked where they may touch for the first time, except for what
    touches then; else where their surfaces may be in one place.
    """
    ends, first, second = _stretches((one, other), window), one.tree, other.tree
    if not ends or first is None or second is None:
        return None
    memory = _memory(first, second)
    memory["ends"][:len(ends)] = ends
    kept = [_put(memory, side, actor) for side, actor in enumerate((one, other))]
    for name, value in (("stretches", len(ends) - 1), ("stride", stride), ("soon", soon), ("anew", anew)):
        memory.set(name, value)
    compiled(bounding_trees_loop.begin_nearing)(memory.address)
    _run(memory)
    del kept
    found, horizon = memory.number("found"), memory.number("until")
    if not found:
        return ApartUntil(horizon, horizon, None)
    one_cells, other_cells = (None if tree.parameters is None else tree.parameters[memory["hits"][:found, side]]
                              for side, tree in enumerate((first, second)))
    return ApartUntil(min(memory.number("first"), horizon), horizon, Region(one_cells, other_cells, memory["when"][:found].copy()))


def _run(memory: Memory) -> None:
    while (reason := compiled(bounding_trees_loop.nearing)(memory.address)) != bounding_trees_loop.FINISHED:
        check()
        if reason == bounding_trees_loop.NEED_FOUND:
            memory.double("found_room")
        else:
            old, kept = len(memory["key"]), memory.number("unused")
            memory.double("room")
            memory["free"][kept:kept + old] = np.arange(old, 2 * old)
            memory.set("unused", kept + old)


def _put(memory: Memory, side: int, actor: MovingBody) -> tuple[Kernel | None, np.ndarray | None]:
    """A body for the loop; what must stay alive while it runs."""
    flight, fixed = actor.course, actor.rigid.fixed
    memory["flight"][side] = _resting(*actor.rigid.position.tolist()) if fixed else flight.row
    turns = not fixed and actor.ball is None
    numbers = flight.turn_numbers if turns else None
    kernel = _kernel(flight.gait) if turns else None
    memory["turning"][side] = 0 if kernel is None else kernel.block_address()
    memory["numbers"][side] = 0 if numbers is None else numbers.ctypes.data
    if not turns:
        memory["still"][side] = _orientation(*(actor.rigid.orientation.tolist() if fixed else (1.0, 0.0, 0.0, 0.0)))
    return kernel, numbers


@functools.lru_cache(maxsize=512)
def _resting(*position: float) -> np.ndarray:
    """The `Ballistic.row` of what does not move."""
    return np.array([0.0, *position, *[0.0] * 6, max(map(abs, position)), 0.0, 0.0])


def _memory(one: BoundingSphereTree, other: BoundingSphereTree) -> Memory:
    """Kept for the next pair of the same trees, in each thread."""
    kept = vars(_memories).setdefault("kept", {})
    found = kept.get((id(one), id(other)))
    if found is None:
        if len(kept) >= _KEPT:
            kept.clear()
        memory = Memory(NearingMemory, {"nodes": 0, "room": _ROOM, "found_room": _ROOM, "pairs": one.groups * other.groups})
        memory["reach"][:] = one.reach, other.reach
        memory.set("groups", other.groups)
        for name, tree in (("1", one), ("2", other)):
            memory.refer(f"node{name}", tree.nodes.ctypes.data)
            memory.refer(f"child{name}", tree.child.ctypes.data)
            memory.refer(f"group{name}", tree.group.ctypes.data)
            memory.refer(f"slant{name}", tree.slants.ctypes.data)
        # Both trees are kept with it, so nothing else has their numbers.
        kept[id(one), id(other)] = found = memory, one, other
    return found[0]


def _stretches(actors: tuple[MovingBody, MovingBody], window: Window) -> list[float]:
    """The ends of stretches of time, as many as bodies turn far; none for a time that has no end."""
    begin, end = window
    if not begin < end < math.inf:
        return []
    speed = max([0.0] + [a.course.turning_at(begin) for a in actors if a.free and a.ball is None])
    count = min(STRETCHES, max(1, math.ceil(speed * (end - begin) / _TURN)))
    times = [begin, *(begin + k * ((end - begin) / count) for k in range(1, count)), end]
    return times if all(a < b for a, b in itertools.pairwise(times)) else [begin, end]


@functools.lru_cache(maxsize=8)
def _kernel(gait: RotationKind) -> Kernel:
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
def _orientation(*quaternion: float) -> np.ndarray:
    """The rotation (9,) of what does not turn."""
    return np.array([float(e) for e in quaternion_matrix([sp.Rational(e) for e in quaternion])])
