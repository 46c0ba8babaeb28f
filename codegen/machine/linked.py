"""Machine code of kernels as functions of addresses, one for all kernels of the same formulas in a process."""

import ctypes
import functools
import threading
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..emit.batch import add_general_batch
from ..emit.lanes import Kind, Module
from ..graph.expr import Expr
from ..remembered import Bounded
from . import cache, native, waited
from .bytecode import Program, kernel_layout, known_layout
from .compiler import Work
from .native import Code, code_key
from .tiers import Tiered

# Locks are taken in one order: that of a kernel, this one or that of `straight_line`, `tiers._lock`, those of `interpreter`,
# `native._lock`. No lock is held where `compiler` or `urgent` is asked, and none but its own where it answers. `hasty` is asked, and waited
# for, with locks held (`waited`), so it needs none of these: it gets text, and no graph that must be lowered. Reentrant: lowering may run
# a kernel for the numbers that the code holds; that one is new, so no other thread holds its lock while it waits for this one.
_lock = threading.RLock()
# Machine code stays linked: a process in which much had been unlinked was ended by LLVM as it linked more (seen once, cause not known).
_codes: dict[str, Code] = {}
# So many bytes of programs with their packed graphs are kept for kernels that are made anew: those that anybody holds stay with them.
_MOST_PROGRAMS, _NOTHING = 24 << 20, 200
_tiers = Bounded[Tiered | None](_MOST_PROGRAMS, lambda tiered: _NOTHING if tiered is None else tiered.size)

# Programs of so many steps are worth keeping on disk: to write one takes some milliseconds, to read it a tenth of one.
_LONG = 60

_BATCH_ARGUMENTS = [ctypes.c_int64, *[ctypes.c_void_p] * 4, ctypes.c_int64, *[ctypes.c_void_p] * 4]

NONE = np.empty((0, 0))
"""An array for an argument that is not looked at."""


def address(array: Any) -> int | None:
    """The address of the numbers of a contiguous array; None for an empty one. (`array.ctypes.data` takes three times as long.)"""
    if not array.size:
        return None
    return ctypes.addressof(ctypes.c_byte.from_buffer(array)) if array.flags.writeable else int(array.ctypes.data)


def linked(name: str, entry: str, text: Callable[[], str], cpu: str | None = None) -> Code:
    """Linked code by cache name: once a process, from disk where it is there, else built and stored."""
    with _lock:
        if name not in _codes:
            _codes[name] = Code(waited.kept(name, "text", lambda: (text(), cpu)), (entry,))
        return _codes[name]


def _adopted(name: str, code: bytes) -> Code:
    """As `linked`, of code that has come."""
    with _lock:
        if name not in _codes:
            _codes[name] = Code(code, ("block",))
        return _codes[name]


def tiered(name: str, outputs: Sequence[Expr], graph: bytes, kind: Kind, bounded: bool = False) -> Tiered | None:
    """The block entry of kernels, interpreted at first, one for all of this cache name; None if its machine code is there already, and not
    too much is linked.

    `graph`: the outputs, serialized. It is kept, packed, for the compiler; the graph itself, with all others of its pool, is not.
    """
    with _lock:
        if name not in _tiers:
            there = name in _codes or (not native.crowded() and cache.stored(name))
            _tiers[name] = None if there else _interpreted(name, outputs, zlib.compress(graph, 1), kind, bounded)
        return _tiers[name]


def _interpreted(name: str, outputs: Sequence[Expr], packed: bytes, kind: Kind, bounded: bool) -> Tiered:
    program = _program(name, outputs, kind, bounded)
    return Tiered(3, program, lambda: Work(name, "block", (zlib.decompress(packed), kind, bounded)),
                  lambda code: _adopted(name, code), "block", size=program.size + len(packed))


def _program(name: str, outputs: Sequence[Expr], kind: Kind, bounded: bool) -> Program:
    """From disk, where it is there; long ones are stored: what is used a little by each process is never compiled."""
    place = cache.key("program", name)
    layout = known_layout(cache.load(place))
    if layout is None:
        layout = kernel_layout(outputs, kind, bounded)
        if layout.steps >= _LONG:
            cache.store(place, layout.packed())
    return Program(layout)


def batch_function(code: Code) -> Callable[..., None]:
    """The loop over arrays of a kernel's own code (see `batch`), as long as somebody holds that."""
    return ctypes.CFUNCTYPE(None, *_BATCH_ARGUMENTS)(code.address["batch"])


def general_batch_function(kind: Kind, large: bool) -> Callable[..., None]:
    """The loop over arrays for kernels that have none of their own. `large`: see `batch`."""
    return _general_batch(kind, large)[0]


@functools.cache
def _general_batch(kind: Kind, large: bool) -> tuple[Callable[..., None], Code]:
    """The loop, and the code that must stay alive for it."""
    def text() -> str:
        module = Module()
        add_general_batch(module, kind, large)
        return module.text()

    code = linked(code_key("general batch", kind, str(large)), "batch", text)
    return ctypes.CFUNCTYPE(None, *_BATCH_ARGUMENTS, ctypes.c_void_p, *[ctypes.c_int64] * 3)(code.address["batch"]), code
