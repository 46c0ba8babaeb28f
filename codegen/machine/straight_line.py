"""Kernels written instruction by instruction: made once for each shape, kept in the cache on disk, called by address."""

import threading
import zlib
from collections.abc import Callable

from ..emit.entry import add_entry
from ..emit.lanes import Lanes, Module
from . import cache, waited
from .compiler import Work
from .native import Code, code_key
from .recording import recorded
from .tiers import Tiered

_known: dict[tuple[object, ...], tuple[int, Code | Tiered]] = {}
_lock = threading.Lock()
_ENTRY = "kernel"


def straight_line(name: str, shape: tuple[object, ...], arguments: str, write: Callable[[Module, Lanes], None],
                  rounding: str = "upward", quick: bool = False) -> int:
    """Address of ``void(pointers)`` with these arguments, whose body `write` emits; `name` and `shape` tell it from all others in the
    process. `quick`: it is interpreted, or made without LLVM's efforts, until better machine code is there (see `tiers`).

    On disk the source of this package tells what was written by it; what others write is told by its text.
    """
    key = name, shape, quick
    with _lock:
        if key not in _known:
            _known[key] = _made(name, shape, arguments.split(), write, rounding, quick)
        return _known[key][0]


def _made(name: str, shape: tuple[object, ...], arguments: list[str], write: Callable[[Module, Lanes], None], rounding: str,
          quick: bool) -> tuple[int, Code | Tiered]:
    own = write.__module__.partition(".")[0] == __name__.partition(".")[0]
    told = repr(shape) if own else _written(arguments, write, rounding)[1]
    key = code_key(name, told)
    stored = cache.load(key)
    if stored is None and quick:
        tiered = _tiered(key, arguments, *_written(arguments, write, rounding))
        return tiered.address, tiered
    code = Code(stored or waited.kept(key, "text", lambda: (_written(arguments, write, rounding)[1],)), (_ENTRY,))
    return code.address[_ENTRY], code


def _tiered(key: str, arguments: list[str], L: Lanes, text: str) -> Tiered:
    """Code that is interpreted at first, or compiled without effort."""
    program = recorded(L, arguments)
    first = Code(waited.kept(code_key("effortless", key), "text", lambda: (text, None, 0)), (_ENTRY,)) if program is None else program
    packed = zlib.compress(text.encode(), 1)
    return Tiered(len(arguments), first, lambda: Work(key, "text", (zlib.decompress(packed).decode(),)),
                  lambda code: Code(code, (_ENTRY,)), _ENTRY, shared=True)


def _written(arguments: list[str], write: Callable[[Module, Lanes], None], rounding: str) -> tuple[Lanes, str]:
    """The body, and the text of the module."""
    module = Module(rounding=rounding)
    L = module.lanes()
    write(module, L)
    body = "\n".join(L.lines)
    declared = ", ".join(f"ptr %{a}" for a in arguments)
    restricted = ", ".join(f"ptr noalias %{a}" for a in arguments)
    module.add("body", f"define internal void @body({restricted}) #2 {{\n{body}\n  ret void\n}}")
    add_entry(module, _ENTRY, "body", declared, declared)
    return L, module.text()
