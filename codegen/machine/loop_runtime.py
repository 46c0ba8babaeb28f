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

from . import cache, waited
from .compiler import Work, compiler, hasty
from .loops import argument_kinds, loop_assembly, told
from .native import Code, code_key, first_object_code

# Better code of a loop is asked for once it ran so many seconds, or at the end of a query.
_SECONDS, _USED = 0.5, 1e-9
_loops: list["Loop"] = []


class Loop:
    """A loop as native code: called with the address of a search's addresses and some integers, returns an integer.

    At first it is code that LLVM hardly optimized, which is ready ten times sooner and runs up to 1.7 times slower (measured), unless
    better code is in the cache on disk. That is made in the background as soon as there is a `Loop`, and waited for when it is called.

    With `quick`, better code has fewer optimizations: the contact search is large and spends its time in kernels, so that takes 0.6 s
    instead of 1.6 s and runs 2 to 5 % slower (measured). The loops over Bezier pairs would lose 10 %, and have the best code at once.
    """

    def __init__(self, name: str, text: Callable[[], str], integers: int, quick: bool) -> None:
        self._name, self._text, self._integers, self._quick = name, text, integers, quick
        self._seconds, self._codes, self._lock = 0.0, list[Code](), threading.Lock()
        self._call: Callable[..., int] | None = None
        code = cache.load(name)
        self._best = code is not None or not quick
        if code is not None or not quick:
            self._adopt(code or waited.kept(name, "loop", lambda: (text(), quick)))
        elif len(text()) < waited.SHORT:
            self._adopt(first_object_code(text()))
        else:
            self._first = Work(code_key("first", name), "first", (text(),))
            hasty.ask(self._first, self._adopt_first)

    def _adopt(self, code: bytes) -> None:
        # The one before is kept: other threads may be running it.
        self._codes.append(Code(code, ("entry",)))
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *[ctypes.c_int64] * self._integers)(self._codes[-1].address["entry"])

    def _adopt_first(self, code: bytes) -> None:
        with self._lock:
            if self._call is None:
                self._adopt(code)

    def _waited(self) -> Callable[..., int]:
        """The first code, which was asked for."""
        self._adopt_first(waited.awaited(self._first))
        assert self._call is not None
        return self._call

    def __call__(self, *arguments: int) -> int:
        call = self._call or self._waited()
        if self._best:
            return call(*arguments)
        begin = time.perf_counter()
        result = call(*arguments)
        self._seconds += time.perf_counter() - begin
        return result

    def address(self) -> int:
        """The address of its code, for native code that calls it by itself, which is a use as well."""
        if self._call is None:
            self._waited()
        self._seconds = max(self._seconds, _USED)
        return self._codes[-1].address["entry"]

    def optimize(self, seconds: float) -> None:
        """Better code as soon as it can be made, if this one ran for longer."""
        if not self._best and self._seconds > seconds:
            self._best = True
            compiler.ask(Work(self._name, "loop", (self._text(), self._quick)), self._adopt)


def optimize_loops(ended: bool = False) -> None:
    """Ask for better code of the loops that are used much; or of all that were used, where a query has `ended`."""
    for loop in tuple(_loops):
        loop.optimize(0.0 if ended else _SECONDS)


@functools.cache
def compiled(entry: Callable[..., Any]) -> Loop:
    """`entry`, whose first argument is a structure, as native code; the other arguments are integers, or rows by their numbers."""
    kinds = argument_kinds(entry)
    structure = next(iter(inspect.signature(entry).parameters.values())).annotation
    text = functools.cache(lambda: loop_assembly(entry, kinds, structure, "entry"))
    loop = Loop(code_key("loop", str(structure.quick), told(entry)), text, len(kinds) - 1, structure.quick)
    _loops.append(loop)
    return loop


def call_block(address: int, x: np.ndarray, out: np.ndarray, parameters: np.ndarray | None = None) -> None:
    """Call a block kernel on one block of lanes (see `Kernel.block_address`)."""
    _BLOCK(address)(x.ctypes.data, None if parameters is None else parameters.ctypes.data, out.ctypes.data)


_BLOCK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
