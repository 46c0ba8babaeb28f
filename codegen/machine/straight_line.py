"""Kernels written instruction by instruction: compiled once for each shape, kept in the cache on disk, called by address."""

import threading
from collections.abc import Callable

from ..emit.entry import add_entry
from ..emit.lanes import Lanes, Module
from . import cache
from .native import Code, code_key, object_code

_known: dict[tuple[object, ...], Code] = {}
_lock = threading.Lock()


def straight_line(name: str, shape: tuple[object, ...], arguments: str, write: Callable[[Module, Lanes], None],
                  rounding: str = "upward", quick: bool = False) -> int:
    """Address of ``void(pointers)`` with these arguments, whose body `write` emits; `name` and `shape` tell it from all others in the
    process. `quick`: see `Kernel`.

    On disk the source of this package tells what was written by it; what others write is told by its text.
    """
    key = name, shape, quick
    with _lock:
        if key not in _known:
            told = repr(shape) if _own(write) else _text(arguments.split(), write, rounding)
            code = cache.kept(code_key(name, told, str(quick)),
                              lambda: object_code(_text(arguments.split(), write, rounding), opt=0 if quick else 2))
            _known[key] = Code(code, ("kernel",))
        return _known[key].address["kernel"]


def _own(write: Callable[[Module, Lanes], None]) -> bool:
    return write.__module__.partition(".")[0] == __name__.partition(".")[0]


def _text(arguments: list[str], write: Callable[[Module, Lanes], None], rounding: str) -> str:
    module = Module(rounding=rounding)
    L = module.lanes()
    write(module, L)
    body = "\n".join(L.lines)
    declared = ", ".join(f"ptr %{a}" for a in arguments)
    restricted = ", ".join(f"ptr noalias %{a}" for a in arguments)
    module.add("body", f"define internal void @body({restricted}) #2 {{\n{body}\n  ret void\n}}")
    add_entry(module, "kernel", "body", declared, declared)
    return module.text()
