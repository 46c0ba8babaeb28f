"""Kernels that are interpreted at first and compiled when they turn out to be used much.

Native loops hold the address of a kernel for as long as they run. Here it is that of a stub, which jumps to whatever its cell says: to
the interpreter with a program, and later to machine code. Nothing else changes: the bits of all results are the same.

LLVM takes about a tenth of a millisecond for an operation, and machine code saves some nanoseconds each time: compiling pays after
tens of thousands of calls. For queries that come again it is made at the end of the second one, which takes longer for it
as far as its budget allows, and of later ones if some is left; once it is in the cache on disk nobody waits.
"""

import contextlib
import ctypes
import math
import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from ..deadline import TimeUp, check
from ..emit.lanes import Module
from ..emit.translate import Kind
from ..graph.expr import Expr
from . import cache
from .bytecode import Program
from .native import Code, code_key, object_code

# Compiled after so many calls; or at the end of this query that uses it, or a later one, if they made so many calls each on average, or
# so many together: of a long series of short queries more will come.
CALLS = 30_000
QUERIES, AGAIN, SERIES = 2, 30, 1000
# Seconds that lowering and LLVM take for a step of a program, at most (measured: 0.1e-3 to 0.5e-3).
_A_STEP = 0.5e-3
# Stubs a module.
_STUBS = 64

# Taken inside `linked._lock`, so nothing is built while it is held but what interprets (see there).
_lock = threading.RLock()
_queries = [0]


def begin_query() -> None:
    """A query begins: what several queries use is worth compiling sooner."""
    _queries[0] += 1
    for stubs in _all:
        stubs.queries += stubs.calls > stubs.before
        stubs.before[:] = stubs.calls


class Uses:
    """How many queries have used something."""

    def __init__(self) -> None:
        self._last, self.queries = -1, 0

    def note(self) -> int:
        """It is used now; by how many queries by now?"""
        if self._last != _queries[0]:
            self._last, self.queries = _queries[0], self.queries + 1
        return self.queries


class _Stubs:
    """Functions ``stub{k}(ptr x, ptr p, ptr out)`` that call what cell k says, a function and its last argument. Of each: how
    often it was interpreted, the same before this query, and how many queries before this one used it.
    """

    def __init__(self) -> None:
        names = tuple(f"stub{k}" for k in range(_STUBS))
        code = cache.kept(code_key("stubs", str(_STUBS)), lambda: object_code(_stubs(names), opt=0))
        self._code = Code(code, (*names, "cells"))
        self.addresses = [self._code.address[name] for name in names]
        self.cells = _array(self._code.address["cells"], 2 * _STUBS).reshape(_STUBS, 2)
        self.calls, self.before, self.queries = np.zeros((3, _STUBS), np.int64)
        self.taken: list[Tiered] = []


def _array(address: int, count: int) -> np.ndarray:
    return np.ctypeslib.as_array((ctypes.c_int64 * count).from_address(address))


def _stubs(names: Sequence[str]) -> str:
    module = Module(rounding="nearest")
    module.add("cells", f"@cells = global [{2 * len(names)} x i64] zeroinitializer, align 64")
    for k, name in enumerate(names):
        module.add(name, f"define void @{name}(ptr %x, ptr %p, ptr %out) #4 {{\n"
                         f"  %f = load ptr, ptr getelementptr (i64, ptr @cells, i64 {2 * k})\n"
                         f"  %i = load ptr, ptr getelementptr (i64, ptr @cells, i64 {2 * k + 1})\n"
                         "  tail call void %f(ptr %x, ptr %p, ptr %out, ptr %i)\n  ret void\n}")
    return module.text()


_all: list[_Stubs] = []


class Tiered:
    """The code of one kind of a kernel: `address` of its block entry. `build` makes linked machine code, when it is wanted."""

    def __init__(self, outputs: Sequence[Expr], kind: Kind, build: Callable[[], Code], bounded: bool = False) -> None:
        with _lock:
            if not _all or len(_all[-1].taken) == _STUBS:
                _all.append(_Stubs())
            self._stubs, self._k = _all[-1], len(_all[-1].taken)
            self._stubs.taken.append(self)
            self.address = self._stubs.addresses[self._k]
            self.program = Program(outputs, kind, self._stubs.calls.ctypes.data + 8 * self._k, bounded)
            self._stubs.cells[self._k] = self.program.entry, self.program.address
            self._build = build
            self._code: Code | None = None

    @property
    def calls(self) -> int:
        """Calls that were interpreted."""
        return int(self._stubs.calls[self._k])

    def compile(self) -> None:
        """Machine code from now on. (Built outside the lock: building takes locks that are held where a `Tiered` is made.)"""
        code = self._build()
        with _lock:
            self._code = code
            # The stub passes a fourth argument, in a register that a function of three does not look at.
            self._stubs.cells[self._k, 0] = code.address["block"]
            for counts in (self._stubs.calls, self._stubs.before, self._stubs.queries):
                counts[self._k] = 0


def compile_busy(seconds: float = math.inf) -> None:
    """Compile what has been called often, in about so many seconds: for the pauses of native loops."""
    _compile(lambda stubs: stubs.calls >= CALLS, seconds)


def compile_repeated(seconds: float = math.inf) -> None:
    """Compile what this query used, as several did before, in about so many seconds: for the end of a query. What is left then
    waits for the next query that uses it.
    """
    _compile(lambda stubs: (stubs.queries >= QUERIES - 1) & (stubs.calls > stubs.before)
             & ((stubs.calls >= AGAIN * (stubs.queries + 1)) | (stubs.calls >= SERIES)), seconds)


def _compile(wanted: Callable[[_Stubs], np.ndarray], seconds: float) -> None:
    """What is wanted, the most called first; nothing is begun after so many seconds, nor what would not be ready before the deadline."""
    end = time.perf_counter() + seconds
    found = [tiered for stubs in tuple(_all) for tiered in map(stubs.taken.__getitem__, np.flatnonzero(wanted(stubs)))]
    for tiered in sorted(found, key=lambda each: -each.calls):
        if time.perf_counter() >= end:
            return
        with contextlib.suppress(TimeUp):
            check(_A_STEP * tiered.program.length)
            tiered.compile()
