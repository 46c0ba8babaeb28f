"""The memory of `loop`, filled with queries."""

import threading
from collections.abc import Callable, Mapping

import numpy as np

from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory, Number

from .loop import ANSWER, LinearMemory, search
from .motion_windows import CLOCK, TABLE, Windows

# Windows of 2**-45 of the span, or of the time itself, are near the resolution of doubles.
_FINEST = 2.0**-45
_KEPT = 8
ANSWERS = np.dtype([("time", float, 2), ("parameters", float, 2), ("verdict", np.int64), ("tests", np.int64)])
assert ANSWERS.itemsize == 8 * ANSWER
NO_LIMIT = 1 << 62
_local = threading.local()


class Searches:
    """Searches, one at a time, of straight or, with `windows`, of rigid motions. `structure` and `sizes`: with more in the memory."""

    left = Number[int](LinearMemory)

    def __init__(self, windows: Windows | None = None, structure: type[LinearMemory] = LinearMemory,
                 sizes: Mapping[str, int] | None = None) -> None:
        self.windows = windows
        own, raw = (0, 0) if windows is None else (len(windows.symbols), windows.raw)
        self.arrays = Memory(structure, {"clocks": CLOCK // 2 + own, "raws": raw, "entries": TABLE, "queries": 0, "symbols": own,
                                         **(sizes or {})})
        if windows is not None:
            self._set(motion=windows.kernel.block_address(), control=windows.control, numbers=windows.numbers.ctypes.data)

    def _set(self, **numbers: float) -> None:
        for name, value in numbers.items():
            self.arrays.set(name, value)

    def queries(self, kernel: int, q: np.ndarray, answers: np.ndarray, values: np.ndarray | None = None) -> None:
        """Queries (n, k, 3) for the kernel at this address, what takes their answers, (n,) of ANSWERS, and the `values` (n, k) of the
        symbols of the motions.
        """
        at, first = answers.ctypes.data, q.ctypes.data
        for name, address in (("time", at), ("parameters", at + 16), ("verdict", at + 32), ("tests", at + 40), ("given", first)):
            self.arrays.refer(name, address)
        self._set(first=first, kernel=kernel, bytes=24 * q.shape[1], again=0)
        if values is not None:
            self.arrays.refer("values", values.ctypes.data)

    def again(self) -> None:
        """The next run goes on with those of the same queries that were given up."""
        self._set(again=1)

    def limits(self, span: tuple[float, float], tolerance: float, calls: int) -> None:
        self._set(most_calls=calls, tolerance=tolerance, shortest=finest(span), beginning=span[0], end=span[1])


def finest(span: tuple[float, float]) -> float:
    """Below this length windows are not cut."""
    return _FINEST * max(span[1] - span[0], abs(span[0]), abs(span[1]))


def memory_of(windows: Windows | None) -> Searches:
    """One that this thread keeps: to make it takes as long as a query."""
    held: dict[Windows | None, Searches] = _local.__dict__.setdefault("held", {})
    if windows not in held:
        if len(held) >= _KEPT:
            held.clear()
        held[windows] = Searches(windows)
    return held[windows]


class Single:
    """A search of one straight query at a time, whose memory is ready."""

    def __init__(self, kernel: int) -> None:
        self.memory, self.q, self.answer = Searches(), np.empty((1, 8, 3)), np.empty(1, ANSWERS)
        self.memory.queries(kernel, self.q, self.answer)
        self.limits, self.call = (0.0, 0), compiled(search)

    def ask(self, q: np.ndarray, tolerance: float, calls: int) -> tuple[np.ndarray, int]:
        """The answer (1,) to a query (1, 8, 3), and whether it is neither hit nor missed."""
        if (tolerance, calls) != self.limits:
            self.limits = tolerance, calls
            self.memory.limits((0.0, 1.0), *self.limits)
        self.q[:] = q
        self.call(self.memory.arrays.address, 0, 1, NO_LIMIT)
        return self.answer.copy(), self.memory.left


def single(kernel: int) -> Single:
    """One that this thread keeps."""
    held: dict[int, Single] = _local.__dict__.setdefault("single", {})
    if kernel not in held:
        held[kernel] = Single(kernel)
    return held[kernel]


def run(memory: Searches, queries: int, left: Callable[[], int] = lambda: NO_LIMIT) -> int:
    """All queries, or as many as are done before no calls of the kernel are `left`; the number of those neither hit nor missed."""
    at = memory.left = 0
    while at < queries and (calls := left()) > 0:
        at = compiled(search)(memory.arrays.address, at, queries, calls)
    return memory.left
