"""Kernels written instruction by instruction: compiled once for each shape, kept in the cache on disk, called by address."""

import threading
from collections.abc import Callable

from ..emit.entry import add_entry
from ..emit.lanes import Lanes, Module
from . import cache
from .native import Code, code_key, object_code

_alive: list[Code] = []
_known: dict[tuple[object, ...], int] = {}
_lock = threading.Lock()


def straight_line(name: str, shape: tuple[object, ...], arguments: str, write: Callable[[Module, Lanes], None],
                  rounding: str = "upward", quick: bool = False) -> int:
    """Address of ``void(pointers)`` with these arguments, whose body `write` emits; `name` and `shape` say all there is to
    know about it, and this package's source. `quick`: see `Kernel`.
    """
    with _lock:
        if (name, shape, quick) not in _known:
            code = cache.kept(code_key(name, repr(shape), str(quick)),
                              lambda: object_code(_text(arguments.split(), write, rounding), opt=0 if quick else 2))
            _alive.append(Code(code, ("kernel",)))
            _known[name, shape, quick] = _alive[-1].address["kernel"]
        return _known[name, shape, quick]


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
