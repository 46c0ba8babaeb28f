"""The memory of `loop` in one piece: addresses, counts, numbers and blocks of lanes."""

import functools
import threading
from collections.abc import Callable, Sequence

import numpy as np

from codegen.machine.loop_runtime import compiled

from .loop import (
    AGAIN,
    ANSWER,
    BEGINNING,
    BYTES,
    COLUMNS,
    CONTROL,
    COUNTS,
    END,
    FIELDS,
    FIRST,
    KERNEL,
    LANES,
    LEFT,
    MOST_CALLS,
    MOTION,
    PARAMETERS,
    REALS,
    ROOM,
    SHORTEST,
    TOLERANCE,
    search,
)
from .motion_windows import CLOCK, TABLE, Windows

_SIZES = {"count": COUNTS, "real": REALS, "clock": CLOCK * LANES, "out": 3 * LANES, "stack": COLUMNS * ROOM, "answer": 4,
          "table": TABLE * LANES, "first": TABLE * LANES}
# Windows of 2**-45 of the span, or of the time itself, are near the resolution of doubles.
_FINEST = 2.0**-45
_BATCH = list(FIELDS).index("time")
_KEPT = 8
ANSWERS = np.dtype([("time", float, 2), ("parameters", float, 2), ("verdict", np.int64), ("tests", np.int64)])
assert ANSWERS.itemsize == 8 * ANSWER
NO_LIMIT = 1 << 62
_local = threading.local()


class Memory:
    """Of searches, one at a time, of straight or, with `windows`, of rigid motions. `extra`: the addresses of further fields, in order."""

    def __init__(self, windows: Windows | None = None, extra: Sequence[int] = ()) -> None:
        self.windows = windows
        own = 0 if windows is None else len(windows.symbols)
        sizes = _SIZES if windows is None else {**_SIZES, "raw": windows.raw * LANES, "clock": (CLOCK + 2 * own) * LANES}
        self.scratch = np.empty(len(FIELDS) + len(extra) + sum(sizes.values()), np.int64)
        self.address = at = self.scratch.ctypes.data
        places = {"numbers": 0, "raw": 0}
        at += 8 * (len(FIELDS) + len(extra))
        for name, size in sizes.items():
            places[name] = at
            at += 8 * size
        clock, numbers = places["clock"], 0 if windows is None else windows.numbers.ctypes.data
        self.scratch[:len(FIELDS) + len(extra)] = (
            places["count"], places["real"], clock, clock + 8 * 3 * LANES, clock + 8 * 5 * LANES, numbers, places["raw"], places["table"],
            places["first"], places["out"], places["stack"], places["answer"], 0, 0, 0, 0, 0, 0, *extra)
        start = len(FIELDS) + len(extra)
        self.count, self.real = self.scratch[start:start + COUNTS], self.scratch[start + COUNTS:start + COUNTS + REALS].view(np.float64)
        self.count[PARAMETERS], self.count[AGAIN] = own, 0
        if windows is None:
            self.count[MOTION] = 0
        else:
            self.count[MOTION], self.count[CONTROL] = windows.kernel.block_address(), windows.control

    def queries(self, kernel: int, q: np.ndarray, answers: np.ndarray, values: np.ndarray | None = None) -> None:
        """Queries (n, k, 3) for the kernel at this address, what takes their answers, (n,) of ANSWERS, and the `values` (n, k) of the
        symbols of the motions.
        """
        at = answers.ctypes.data
        self.scratch[_BATCH:_BATCH + 4] = at, at + 16, at + 32, at + 40
        self.scratch[_BATCH + 5] = self.count[FIRST] = q.ctypes.data
        self.count[KERNEL], self.count[BYTES], self.count[AGAIN] = kernel, 24 * q.shape[1], 0
        if values is not None:
            self.scratch[_BATCH + 4] = values.ctypes.data

    def again(self) -> None:
        """The next run goes on with those of the same queries that were given up."""
        self.count[AGAIN] = 1

    def limits(self, span: tuple[float, float], tolerance: float, calls: int) -> None:
        self.count[MOST_CALLS] = calls
        self.real[TOLERANCE], self.real[SHORTEST] = tolerance, finest(span)
        self.real[BEGINNING], self.real[END] = span


def finest(span: tuple[float, float]) -> float:
    """Below this length windows are not cut."""
    return _FINEST * max(span[1] - span[0], abs(span[0]), abs(span[1]))


def memory_of(windows: Windows | None) -> Memory:
    """One that this thread keeps: to make it takes as long as a query."""
    held: dict[Windows | None, Memory] = _local.__dict__.setdefault("held", {})
    if windows not in held:
        if len(held) >= _KEPT:
            held.clear()
        held[windows] = Memory(windows)
    return held[windows]


class Single:
    """A search of one straight query at a time, whose memory is ready."""

    def __init__(self, kernel: int) -> None:
        self.memory, self.q, self.answer = Memory(), np.empty((1, 8, 3)), np.empty(1, ANSWERS)
        self.memory.queries(kernel, self.q, self.answer)
        self.limits, self.call = (0.0, 0), _searching()

    def ask(self, q: np.ndarray, tolerance: float, calls: int) -> tuple[np.ndarray, int]:
        """The answer (1,) to a query (1, 8, 3), and whether it is neither hit nor missed."""
        if (tolerance, calls) != self.limits:
            self.limits = tolerance, calls
            self.memory.limits((0.0, 1.0), *self.limits)
        self.q[:] = q
        self.call(self.memory.address, 0, 1, NO_LIMIT)
        return self.answer.copy(), int(self.memory.count[LEFT])


def single(kernel: int) -> Single:
    """One that this thread keeps."""
    held: dict[int, Single] = _local.__dict__.setdefault("single", {})
    if kernel not in held:
        held[kernel] = Single(kernel)
    return held[kernel]


def run(memory: Memory, queries: int, left: Callable[[], int] = lambda: NO_LIMIT) -> int:
    """All queries, or as many as are done before no calls of the kernel are `left`; the number of those neither hit nor missed."""
    at, memory.count[LEFT] = 0, 0
    while at < queries and (calls := left()) > 0:
        at = _searching()(memory.address, at, queries, calls)
    return int(memory.count[LEFT])


@functools.cache
def _searching() -> Callable[..., int]:
    return compiled(search, 3, tuple(FIELDS.items()))
