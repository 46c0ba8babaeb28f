"""Kernels that are interpreted at first and compiled when they turn out to be used much.

Native loops hold the address of a kernel for as long as they run. Here it is that of a stub, which jumps to whatever its cell says: to
the interpreter with a program, and later to machine code. Nothing else changes: the bits of all results are the same.

LLVM takes about a tenth of a millisecond for an operation, and machine code saves some nanoseconds each time: compiling pays after
some thousand calls. Nobody waits for it: it is made in the background (`compiler`), used from the moment when it is ready, and kept in
the cache on disk.

A stub belongs to a kernel as long as that lives, and to another one later.
"""

import ctypes
import threading
import weakref
from collections.abc import Callable

import numpy as np

from ..emit.lanes import Module
from . import cache, native
from .bytecode import Program
from .compiler import Work, compiler, urgent
from .native import Code, code_key, object_code

# Compiled after so many calls; or at the end of the second query that uses it, or a later one, if they made so many calls each on average,
# or so many together: of a long series of short queries more will come.
CALLS, QUERIES, AGAIN, SERIES = 5_000, 2, 30, 1000
# After so many calls interpreting has cost what compiling costs: a call saves 1.5 to 3.4 ns an operation, and compiling takes 0.3 to 0.7 ms
# for one (measured on kernels of 30 to 800 operations). Then other processes wait, too.
HURRIED = 200_000
# As many kernels are compiled at the end of the first query that uses them: those of short programs, which find them at their next run.
FIRST = 32
# Stubs a module.
_STUBS = 32

# Taken inside `linked._lock`, so nothing is built while it is held but what interprets (see there).
_lock = threading.RLock()
# How many were asked for.
_asked = [0]


def begin_query() -> None:
    """A query begins: what several queries use is worth compiling sooner."""
    for stubs in _all:
        if stubs.used:
            stubs.queries += stubs.calls > stubs.before
            stubs.before[:] = stubs.calls


class _Stubs:
    """Functions ``stub{k}(pointers)`` that call what cell k says, a function and one more argument. Of each: how often it was
    interpreted, the same before this query, and how many queries before this one used it.
    """

    def __init__(self, pointers: int) -> None:
        names, self.pointers = tuple(f"stub{k}" for k in range(_STUBS)), pointers
        code = cache.kept(code_key("stubs", f"{_STUBS} {pointers}"), lambda: object_code(_stubs(names, pointers), opt=0))
        self._code = Code(code, (*names, "cells"))
        self.addresses = [self._code.address[name] for name in names]
        self.cells = _array(self._code.address["cells"], 2 * _STUBS).reshape(_STUBS, 2)
        self.calls, self.before, self.queries = np.zeros((3, _STUBS), np.int64)
        self.shared = np.zeros(_STUBS, bool)
        self._taken: dict[int, weakref.ref[Tiered]] = {}
        # Numbers of stubs that belong to nobody; taken and given back by single operations, as the collector may come at any moment.
        self.free = list(range(_STUBS))

    @property
    def used(self) -> bool:
        """Whether any of them was interpreted in this query."""
        return self.calls.tobytes() != self.before.tobytes()

    def take(self, tiered: "Tiered") -> int:
        """The number of a free stub, which this code has as long as it lives."""
        k, free = self.free.pop(), self.free
        for counts in (self.calls, self.before, self.queries):
            counts[k] = 0
        self._taken[k] = weakref.ref(tiered, lambda _: free.append(k))
        return k

    def living(self, numbers: np.ndarray) -> list["Tiered"]:
        """The code that these stubs belong to."""
        found = (self._taken[k]() for k in numbers.tolist() if k in self._taken)
        return [tiered for tiered in found if tiered is not None]


def _array(address: int, count: int) -> np.ndarray:
    return np.ctypeslib.as_array((ctypes.c_int64 * count).from_address(address))


def _stubs(names: tuple[str, ...], pointers: int) -> str:
    module, given = Module(rounding="nearest"), ", ".join(f"ptr %a{k}" for k in range(pointers))
    module.add("cells", f"@cells = global [{2 * len(names)} x i64] zeroinitializer, align 64")
    for k, name in enumerate(names):
        module.add(name, f"define void @{name}({given}) #4 {{\n"
                         f"  %f = load ptr, ptr getelementptr (i64, ptr @cells, i64 {2 * k})\n"
                         f"  %i = load ptr, ptr getelementptr (i64, ptr @cells, i64 {2 * k + 1})\n"
                         f"  tail call void %f({given}, ptr %i)\n  ret void\n}}")
    return module.text()


_all: list[_Stubs] = []


class Tiered:
    """Code of so many pointers that begins as `first` and goes on as machine code with this `entry`, when `ask` was called and `work` is
    done: its `address`, valid as long as somebody holds this. `link`: the code that came, ready to be called. `shared`: of use to many
    problems, so it pays soon. `size`: bytes that it takes.
    """

    def __init__(self, pointers: int, first: Program | Code, work: Callable[[], Work], link: Callable[[bytes], Code],
                 entry: str, shared: bool = False, size: int = 0) -> None:
        self._work, self._link, self._entry, self.size = work, link, entry, size
        self.asked = self.hurried = False
        self._before: Program | Code | None = None
        with _lock:
            free = [stubs for stubs in _all if stubs.pointers == pointers and stubs.free]
            if not free:
                _all.append(_Stubs(pointers))
            self._stubs = free[-1] if free else _all[-1]
            self._k = self._stubs.take(self)
            self._stubs.shared[self._k] = shared
            self.address = self._stubs.addresses[self._k]
            self.code = first
            if isinstance(first, Code):
                self._stubs.cells[self._k] = first.address[entry], 0
            else:
                first.count_at(self._stubs.calls.ctypes.data + 8 * self._k)
                self._stubs.cells[self._k] = first.entry, first.address

    @property
    def calls(self) -> int:
        """Calls that were interpreted."""
        return int(self._stubs.calls[self._k])

    def ask(self) -> None:
        """Machine code as soon as it can be made."""
        if not self.asked:
            self.asked, self._stubs.shared[self._k] = True, False
            _asked[0] += 1
            compiler.ask(self._work(), self._adopt)

    def hurry(self) -> None:
        """Machine code from a process that does not come after all others: for what was asked for, and is still to come."""
        if self.asked and not self.hurried:
            self.hurried = True
            urgent.ask(self._work(), self._adopt)

    def _adopt(self, code: bytes) -> None:
        """Machine code from now on, unless there is too much of it. What it was before is kept: other threads may be running it."""
        if native.crowded():
            return
        linked = self._link(code)
        with _lock:
            if self._before is not None:
                return
            self._before, self.code = self.code, linked
            # The stub passes one argument more, where a function of fewer does not look.
            self._stubs.cells[self._k, 0] = linked.address[self._entry]
            for counts in (self._stubs.calls, self._stubs.before, self._stubs.queries):
                counts[self._k] = 0


def compile_busy() -> None:
    """Ask for code of what has been called often; where machine code would have cost less by now, for code in a hurry."""
    for tiered in _most_called(lambda stubs: stubs.calls >= CALLS):
        tiered.ask()
    for stubs in tuple(_all):
        for tiered in stubs.living(np.flatnonzero(stubs.calls >= HURRIED)):
            tiered.hurry()


def compile_repeated() -> None:
    """Ask for code of what this query used, if others will, too: for the end of a query."""
    if not any(stubs.used or stubs.shared.any() for stubs in tuple(_all)):
        return
    for tiered in _most_called(lambda stubs: stubs.shared | ((stubs.calls > stubs.before) & (stubs.queries >= QUERIES - 1)
                                                             & ((stubs.calls >= AGAIN * (stubs.queries + 1)) | (stubs.calls >= SERIES)))):
        tiered.ask()
    if _asked[0] < FIRST:
        for tiered in _most_called(lambda stubs: stubs.calls > stubs.before)[:FIRST - _asked[0]]:
            tiered.ask()


def compile_used() -> int:
    """Ask for code of all that was called and lives; return how many are new."""
    used = _most_called(lambda stubs: stubs.calls > 0)
    for tiered in used:
        tiered.ask()
    return len(used)


def _most_called(wanted: Callable[[_Stubs], np.ndarray]) -> list[Tiered]:
    """Works that are wanted and were not asked for yet, the most called first: a call saves time as code takes time to be made, both by
    the number of operations, so these save most for the time that they take.
    """
    found = [tiered for stubs in tuple(_all) for tiered in stubs.living(np.flatnonzero(wanted(stubs))) if not tiered.asked]
    return sorted(found, key=lambda each: -each.calls)
