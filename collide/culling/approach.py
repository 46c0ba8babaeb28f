"""Pairs of parts moved on in time as long as they are *proved* apart: the memory of `approach_loop`."""

import functools
import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from codegen.deadline import check
from codegen.graph.expr import Expr
from codegen.kernel import Kernel
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory
from codegen.machine.structures import LANES

from ..bodies.extent import Extent
from ..bodies.members import fixed_kernel
from ..bodies.motions import row_times
from .approach_loop import ApproachMemory, MovingPart, approach

# So many pairs are moved on before the clock is looked at.
_AT_ONCE = 512


class Approach:
    """Pairs (n, 2) of parts, ready to be moved on. `shared`: how many factors the motions of a pair begin with in common, which are left
    out.
    """

    def __init__(self, parts: Sequence[Extent], pairs: np.ndarray, shared: np.ndarray | None = None) -> None:
        frames = np.zeros((len(pairs), 1), np.int64) if shared is None else shared[:, None]
        used, own = np.unique(pairs + len(parts) * frames, return_inverse=True)
        known = [native_part(parts[k % len(parts)].seen(k // len(parts))) for k in used.tolist()]
        self._pairs, lengths = own.reshape(-1, 2), [len(k.cells) for k in known]
        blocks, ends = max(lengths, default=1), list(itertools.accumulate(lengths, initial=0))
        self._arrays = Memory(ApproachMemory, {"parts": len(known), "pairs": min(len(pairs), _AT_ONCE), "blocks": blocks,
                                               "grids": ends[-1], "images": 2 * blocks})
        for name, value in kernels():
            self._arrays.set(name, value)
        rows, radius, grid = self._arrays.table(MovingPart), self._arrays["radius"], self._arrays["grid"]
        for k, part in enumerate(known):
            rows[k] = (*part.row[:4], ends[k], *part.row[4:])
            radius[k], grid[ends[k]:ends[k + 1]] = part.radius, part.cells
        self._kept = known

    def moved_on(self, begin: np.ndarray, goal: np.ndarray, step: np.ndarray, *, tries: int, finest: int = 0,
                 backward: bool = False, least: float = 0.0) -> np.ndarray:
        """(n,): times up to which the pairs are *proved* apart from `begin` on, by more than `least`, at most their goals; `backward`: down
        to which.

        The first step of a pair is given. It is left after so many `tries`, or where steps are shorter than that times 2^-finest.
        """
        arrays, times = self._arrays, np.array(begin, float)
        for name, value in (("backward", backward), ("tries", tries), ("finest", finest), ("required", least)):
            arrays.set(name, value)
        for first in range(0, len(times), _AT_ONCE):
            check()
            some = slice(first, min(first + _AT_ONCE, len(times)))
            count = some.stop - first
            arrays.set("pairs", count)
            for name, values in (("pair", self._pairs), ("time", times), ("goal", goal), ("step", step)):
                arrays[name][:count] = values[some]
            compiled(approach)(arrays.address)
            times[some] = arrays["time"][:count]
        return times


def kernels() -> tuple[tuple[str, int], tuple[str, int]]:
    """The addresses of the kernels that carry points and turn motions."""
    return ("rigid", _rigid_kernel().block_address()), ("turn", _turn_kernel().block_address())


class NativePart(NamedTuple):
    """A part for the native loop: its row except the first block, the radius of its ball, and its cells in blocks (n, 3, 2, LANES), where
    it is, or in its parameters if it deforms; and what must stay alive.
    """

    row: tuple[int, ...]
    radius: float
    cells: np.ndarray
    kept: tuple[object, ...]


@functools.lru_cache(maxsize=1 << 14)
def native_part(part: Extent) -> NativePart:
    """A part as the native loops take it."""
    move, ball = part.placing, part.still.ball
    numbers, centre = lanes(move.numbers), lanes(np.repeat(ball[:3, None], 2, axis=1))
    row = move.kernel.block_address(), numbers.ctypes.data, centre.ctypes.data, len(part.still.grid)
    if not part.deforming:
        return NativePart((*row, 0, 0), float(ball[3]), blocks_of(part.still.resting), (move.kernel, numbers, centre))
    at, shape = part.on_surface(part.grid), part.shape
    cells = blocks_of(np.concatenate([at, np.zeros((len(at), 1, 2))], axis=1))
    shape_numbers = lanes(shape.numbers)
    return NativePart((*row, shape.kernel.block_address(), shape_numbers.ctypes.data), float(ball[3]), cells,
                   (move.kernel, numbers, centre, shape.kernel, shape_numbers))


def lanes(intervals: np.ndarray) -> np.ndarray:
    """Intervals (n, 2), the same in all lanes, as kernels take them: (n, 2, LANES) of -lo and hi."""
    return np.ascontiguousarray(np.repeat((intervals * [-1.0, 1.0])[:, :, None], LANES, axis=2))


def blocks_of(cells: np.ndarray) -> np.ndarray:
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
