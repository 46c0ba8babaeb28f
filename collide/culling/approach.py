"""Pairs of parts moved on in time as long as they are *proved* apart: the memory of `approach_loop`."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from codegen.deadline import check
from codegen.graph.expr import Expr
from codegen.kernel import Kernel
from codegen.machine.loop_runtime import compiled

from ..bodies.extent import Extent, fixed_kernel, row_times
from . import approach_loop as loop
from .approach_loop import COLUMNS, COUNTS, ENTRIES, FIELDS, LANES

_POINT = 3 * 2 * LANES
# The arrays with an entry for each pair; so many pairs are moved on before the clock is looked at.
_OF_PAIRS, _AT_ONCE = ("pair", "time", "goal", "step"), 512


def moved_on(parts: Sequence[Extent], pairs: np.ndarray, begin: np.ndarray, goal: np.ndarray, step: np.ndarray, *, tries: int,
             finest: int = 0, backward: bool = False) -> np.ndarray:
    """(n,): times up to which pairs (n, 2) of parts are *proved* apart from `begin` on, at most their goals; `backward`: down to which.

    The first step of a pair is given. It is left after so many `tries`, or where steps are shorter than that times 2^-finest.
    """
    known = [_native(p) for p in parts]
    blocks = max((len(k.cells) for k in known), default=1)
    arrays = {"pair": np.ascontiguousarray(pairs, np.int64), "time": np.array(begin, float), "goal": np.array(goal, float),
              "step": np.array(step, float), **_arrays(known), **_scratch(blocks)}
    count = arrays["count"]
    count[loop.RIGID], count[loop.TURN] = _rigid_kernel().block_address(), _turn_kernel().block_address()
    count[loop.BACKWARD], count[loop.TRIES], count[loop.FINEST], count[loop.STRIDE] = backward, tries, finest, blocks * _POINT
    at = {name: array.ctypes.data for name, array in arrays.items()}
    count[[loop.GRIDS, loop.MOTIONS, loop.TURNS, loop.CELL, loop.IMAGES]] = [
        at[name] for name in ("grid", "motion", "turned", "cell", "image")]
    step_by = np.array([arrays[name].strides[0] if name in _OF_PAIRS else 0 for name in FIELDS])
    for first in range(0, len(pairs), _AT_ONCE):
        check()
        addresses = np.array([at[name] for name in FIELDS], np.int64) + first * step_by
        compiled(loop.approach, 1, tuple(FIELDS.items()))(addresses.ctypes.data, min(_AT_ONCE, len(pairs) - first))
    return arrays["time"]


def _arrays(parts: "Sequence[_Native]") -> dict[str, np.ndarray]:
    """What the loop knows of the parts."""
    grids = [p.cells for p in parts if p.deforming]
    rows = np.array([p.row for p in parts], np.int64).reshape(-1, COLUMNS)
    lengths = [len(p.cells) if p.deforming else 0 for p in parts]
    rows[:, loop.GRID] = np.cumsum([0, *lengths])[:-1]
    # A copy: the loop writes the time into it.
    return {"part": rows, "radius": np.array([p.radius for p in parts]), "grid": np.concatenate(grids) if grids else np.empty(0)}


def _scratch(blocks: int) -> dict[str, np.ndarray]:
    motion = ENTRIES * 2 * LANES
    sizes = {"clock": 2 * LANES, "motion": 2 * motion, "frame": 9 * 2 * LANES, "turned": 2 * motion, "cell": _POINT,
             "image": 2 * blocks * _POINT}
    return {"count": np.zeros(COUNTS, np.int64), **{name: np.empty(size) for name, size in sizes.items()}}


class _Native(NamedTuple):
    """A part for the native loop: its row, the radius of its ball, and its cells in blocks (n, 3, 2, LANES), where it is, or in its
    parameters if it deforms; and what must stay alive.
    """

    row: list[int]
    radius: float
    cells: np.ndarray
    deforming: bool
    kept: tuple[object, ...]


@functools.lru_cache(maxsize=4096)
def _native(part: Extent) -> _Native:
    move, ball = part.placing, part.ball
    numbers, centre = _lanes(move.numbers), _lanes(np.repeat(ball[:3, None], 2, axis=1))
    row = [0] * COLUMNS
    row[loop.MOVE], row[loop.NUMBERS], row[loop.CENTRE] = move.kernel.block_address(), numbers.ctypes.data, centre.ctypes.data
    row[loop.CELLS] = len(part.grid)
    if not part.deforming:
        cells = _blocks(part.cells(np.zeros((1, 2)))[0])
        row[loop.RESTING] = cells.ctypes.data
        return _Native(row, float(ball[3]), cells, False, (move.kernel, numbers, centre))
    at, shape = part.on_surface(part.grid), part.shape
    cells = _blocks(np.concatenate([at, np.zeros((len(at), 1, 2))], axis=1))
    shape_numbers = _lanes(shape.numbers)
    row[loop.SHAPE], row[loop.SHAPE_NUMBERS] = shape.kernel.block_address(), shape_numbers.ctypes.data
    return _Native(row, float(ball[3]), cells, True, (move.kernel, numbers, centre, shape.kernel, shape_numbers))


def _lanes(intervals: np.ndarray) -> np.ndarray:
    """Intervals (n, 2), the same in all lanes, as kernels take them: (n, 2, LANES) of -lo and hi."""
    return np.ascontiguousarray(np.repeat((intervals * [-1.0, 1.0])[:, :, None], LANES, axis=2))


def _blocks(cells: np.ndarray) -> np.ndarray:
    """Cells (n, 3, 2) in blocks of lanes, (n / LANES, 3, 2, LANES), the last one repeated."""
    padded = cells[np.minimum(np.arange(-(-len(cells) // LANES) * LANES), len(cells) - 1)]
    return np.ascontiguousarray((padded * [-1.0, 1.0]).reshape(-1, LANES, 3, 2).transpose(0, 2, 3, 1))


@functools.cache
def _rigid_kernel() -> Kernel:
    """R p + T in the 9 entries of R and the 3 of T; p are parameters."""
    def write(*w: Expr) -> list[Expr]:
        p = [w[0].pool.parameter(k) for k in range(3)]
        return [row_times(w[3 * i:3 * i + 3], p) + w[9 + i] for i in range(3)]

    return fixed_kernel(12, write, 3)


@functools.cache
def _turn_kernel() -> Kernel:
    """N R1 and 0, then N R2 and N (T2 - T1), in the 9 entries of N; the 12 of either motion are parameters."""
    def write(*n: Expr) -> list[Expr]:
        first, second = ([n[0].pool.parameter(12 * side + k) for k in range(12)] for side in (0, 1))
        shift = [second[9 + i] - first[9 + i] for i in range(3)]
        turned = [[row_times(n[3 * i:3 * i + 3], r[j:9:3]) for i in range(3) for j in range(3)] for r in (first, second)]
        return [*turned[0], *[n[0].pool.constant(0)] * 3, *turned[1], *(row_times(n[3 * i:3 * i + 3], shift) for i in range(3))]

    return fixed_kernel(9, write, 24)
