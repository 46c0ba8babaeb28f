"""Instances of one problem, searched by the hundred in a call of native code."""

import ctypes
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from codegen.emit.lanes import WIDTH
from codegen.graph.signs import LARGEST
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import columns

from .clock import Clock
from .drive import next_part
from .native import layout
from .native.layout import SearchMemory
from .native.loop import run
from .native.rows import search_rows
from .options import Options
from .problem import Problem
from .search import Search

# Effort only: instances in memory at a time, and in the first call; steps of each, those that take more being few.
_ROWS, _FIRST, _STEPS = 256, 4, 500
_AT = columns(SearchMemory, layout.ProblemRow)


class Instances(NamedTuple):
    """n instances of a problem: `outer` and `inner` (n, variables, 2), their domains, and `numbers` (n, parameters, 2)."""

    outer: np.ndarray
    inner: np.ndarray
    numbers: np.ndarray

    def bounded(self) -> np.ndarray:
        """(n,): see `Problem.bounded`."""
        return (np.abs(self.outer) <= LARGEST).all(axis=(1, 2)) & ~(np.abs(self.numbers) > LARGEST).any(axis=(1, 2))

    def some(self, chosen: slice | np.ndarray) -> "Instances":
        return Instances(*(array[chosen] for array in self))


class Told(NamedTuple):
    """Results of n instances, from number `first` on: `finished` (n,), whether it is known that there is a contact, and where, or that
    there is none; `proved` (n,), the least time by which one is proved, infinite for none; `least` (n,), before which there is none;
    `boxes` (n, variables, 2), where one is; `iterations` (n,).
    """

    first: int
    finished: np.ndarray
    proved: np.ndarray
    least: np.ndarray
    boxes: np.ndarray
    iterations: np.ndarray


class RowSearch:
    """Searches of instances of a problem, of each as it would be by itself."""

    def __init__(self, problem: Problem, options: Options, gap: float, share: float = 0.0, steps: int | None = None) -> None:
        self._problem = problem
        views = [matrix[0].size for matrix in problem.views_with(problem.parameter_blocks[0])] if problem.viewed else []
        self._search = Search([problem], options, starts=[np.empty((0, *problem.outer.shape))],
                              room={"rows": _ROWS, "numbers": len(problem.parameters), "viewed": sum(views)})
        self._search.gap, self._search.share = gap, share
        a, own = self._search.arrays, self._search.arrays["problem"][0]
        if len(problem.parameters):
            own[_AT["parameters"]], own[_AT["point_parameters"]] = a["given"].ctypes.data, a["given_points"].ctypes.data
        for side, before in enumerate(np.cumsum([0, *views])[:-1].tolist()):
            own[_AT["view"] + side] = a["view"][before:].ctypes.data
        # What each search begins with.
        self._first = np.empty_like(a.beginning), a["free"].copy()
        for name, value in (("own", a.address), ("zero", a.beginning.ctypes.data), ("first", self._first[0].ctypes.data),
                            ("zero_bytes", a.beginning.nbytes), ("first_free", self._first[1].ctypes.data),
                            ("free_bytes", a["free"].nbytes), ("most_steps", _STEPS if steps is None else steps),
                            ("copying", ctypes.cast(ctypes.memmove, ctypes.c_void_p).value or 0)):
            a.set(name, value)
        self._first[0][:] = a.beginning

    def told(self, instances: Instances, clock: Clock) -> Iterator[Told]:
        """Yield their results, some at a time, until the clock ends it."""
        a, part, count = self._search.arrays, _FIRST, len(instances.outer)
        for first in range(0, count, _ROWS):
            some, done = instances.some(slice(first, first + _ROWS)), 0
            self._load(some)
            while done < len(some.outer) and not clock.over:
                begin, last = time.perf_counter(), min(done + part, len(some.outer))
                try:
                    compiled(search_rows)(a.address, done, last, compiled(run).address())
                except KeyboardInterrupt:
                    clock.interrupted = True
                else:
                    part, done = next_part(part, time.perf_counter() - begin), last
            yield self._read(first, done, clock)
            clock.tell(count - first - done, first + done)
            if done < len(some.outer):
                return

    def _load(self, some: Instances) -> None:
        a, n = self._search.arrays, len(some.outer)
        a["row_outer"][:n], a["row_inner"][:n], a["row_numbers"][:n] = some
        if not len(a["view"]):
            return
        for first in range(0, n, WIDTH):
            numbers = some.numbers[first:first + WIDTH]
            block = np.zeros((numbers.shape[1], 2, WIDTH))
            block[:, 0, :len(numbers)], block[:, 1, :len(numbers)] = -numbers[..., 0].T, numbers[..., 1].T
            matrices = [matrix.reshape(WIDTH, -1) for matrix in self._problem.views_with(block)]
            a["row_view"][first:first + len(numbers)] = np.concatenate(matrices, axis=1)[:len(numbers)]

    def _read(self, first: int, n: int, clock: Clock) -> Told:
        a = self._search.arrays
        proved, left, found, boxes = a["row_found"][:n].T
        clock.boxes += int(boxes.sum())
        return Told(first, a["row_end"][:n] == layout.FINISHED, proved, np.minimum(left, found), a["row_box"][:n], boxes.astype(np.int64))
