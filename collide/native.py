"""Search loops compiled and ready to be called: `codegen.loops` applied to the memory of `layout`.

The loops run in round-to-nearest and decide only what may be decided freely: order, where to split, when to try
what. Everything a theorem needs is computed by `codegen` kernels, which set the rounding mode themselves.
"""

import ctypes
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from codegen import cache
from codegen.loops import FLOATS, INT, INTS, STRUCT, loop_assembly
from codegen.native import Code, host, llvm_version, optimized_object_code

from .layout import FIELDS

_FIELDS = tuple(FIELDS.items())


_alive: list[Code] = []


@functools.cache
def compiled(entry: Callable[..., Any], integers: int, fields: tuple[tuple[str, type], ...] = _FIELDS) -> Callable[..., int]:
    """`entry` as native code: called with the address of a search's addresses and so many integers, returns an
    integer. `fields`: the arrays of its memory, in the order of their addresses.

    The contact search is large and spends its time in kernels: compiled with fewer optimizations it takes 0.6 s instead of
    1.6 s before the first answer, and runs 2 to 5 % slower (measured). The loops over Bezier pairs would lose 10 %.
    """
    kinds = {name: FLOATS if kind is float else INTS for name, kind in fields}
    text = loop_assembly(entry, [STRUCT, *[INT] * integers], kinds, "entry")
    quick = fields is _FIELDS
    key = cache.key("loop", str(quick), text, "\0".join(host()), llvm_version())
    code = cache.load(key)
    if code is None:
        code = optimized_object_code(text, quick=quick)
        cache.store(key, code)
    linked = Code(code, ("entry",))
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *[ctypes.c_int64] * integers)(linked.address["entry"])
    _alive.append(linked)
    return call


def call_block(address: int, x: np.ndarray, out: np.ndarray, parameters: np.ndarray | None = None) -> None:
    """Call a block kernel on one block of lanes (see `Kernel.block_address`)."""
    _BLOCK(address)(x.ctypes.data, None if parameters is None else parameters.ctypes.data, out.ctypes.data)


_BLOCK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
