"""Search loops compiled and ready to be called: `loops` applied to a memory of named arrays.

The loops run in round-to-nearest and decide only what may be decided freely: order, where to split, when to try
what. Everything a theorem needs is computed by `codegen` kernels, which set the rounding mode themselves.
"""

import ctypes
import functools
import inspect
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from . import cache
from .loops import argument_kinds, loop_assembly
from .native import Code, code_key, first_object_code, optimized_object_code
from .tiers import Uses

# A loop is compiled with optimizations once it ran so many seconds, which is half of what that takes, or when so many queries came.
_SECONDS, _QUERIES = 0.5, 2
_loops: list["Loop"] = []
_lock = threading.Lock()


class Loop:
    """A loop as native code: called with the address of a search's addresses and some integers, returns an integer.

    At first it is code that LLVM hardly optimized, which is ready ten times sooner and runs up to 1.7 times slower (measured), unless
    better code is in the cache on disk.
    """

    def __init__(self, text: str, integers: int, quick: bool) -> None:
        self._text, self._integers, self._quick = text, integers, quick
        self._uses, self._seconds, self._codes = Uses(), 0.0, list[Code]()
        self._best = not quick or cache.stored(self._key)
        self._call = self._linked(self._optimized if self._best else lambda: first_object_code(text), self._best)

    @property
    def _key(self) -> str:
        return code_key("loop", str(self._quick), self._text)

    def _optimized(self) -> bytes:
        """The contact search is large and spends its time in kernels: compiled with fewer optimizations it takes 0.6 s instead of 1.6 s,
        and runs 2 to 5 % slower (measured). The loops over Bezier pairs would lose 10 %.
        """
        return optimized_object_code(self._text, quick=self._quick)

    def _linked(self, build: Callable[[], bytes], keep: bool) -> Callable[..., int]:
        code = cache.kept(self._key, build) if keep else build()
        # The one before is kept: other threads may be running it.
        self._codes.append(Code(code, ("entry",)))
        return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *[ctypes.c_int64] * self._integers)(self._codes[-1].address["entry"])

    def __call__(self, *arguments: int) -> int:
        if self._best:
            return self._call(*arguments)
        begin = time.perf_counter()
        result = self._call(*arguments)
        self._uses.note()
        self._seconds += time.perf_counter() - begin
        return result

    def optimize(self, repeated: bool) -> None:
        """Better code from now on, if that pays: after half a second, and where queries were `repeated`."""
        if not self._best and (self._seconds > _SECONDS or (repeated and self._uses.queries >= _QUERIES)):
            self._best, self._call = True, self._linked(self._optimized, True)


def optimize_loops(seconds: float, repeated: bool = False) -> None:
    """Compile the loops that are used much, `repeated`: by several queries, where that takes no longer than so many seconds. One
    thread does so; others go on meanwhile.
    """
    if seconds > 2 * _SECONDS and _lock.acquire(blocking=False):
        try:
            for loop in tuple(_loops):
                loop.optimize(repeated)
        finally:
            _lock.release()


@functools.cache
def compiled(entry: Callable[..., Any]) -> Callable[..., int]:
    """`entry`, whose first argument is a structure, as native code; the other arguments are integers, or rows by their numbers."""
    kinds = argument_kinds(entry)
    structure = next(iter(inspect.signature(entry).parameters.values())).annotation
    loop = Loop(loop_assembly(entry, kinds, structure, "entry"), len(kinds) - 1, structure.quick)
    _loops.append(loop)
    return loop


def call_block(address: int, x: np.ndarray, out: np.ndarray, parameters: np.ndarray | None = None) -> None:
    """Call a block kernel on one block of lanes (see `Kernel.block_address`)."""
    _BLOCK(address)(x.ctypes.data, None if parameters is None else parameters.ctypes.data, out.ctypes.data)


_BLOCK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
