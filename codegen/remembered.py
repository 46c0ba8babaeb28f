"""Caches of results, bounded together in bytes.

Formulas, parts and problems of a body are kept for the next question about it, in caches (`functools.lru_cache`) with room for thousands of
bodies. Some bodies take a hundred bytes there and others megabytes, so the caches are bounded together: where the process has grown by much
since they were last emptied, they are emptied before the next question, which costs it as much as a first one about its bodies, but for
machine code. What is there once for a process (`functools.cache`) stays, and so does all that anybody holds.
"""

import contextlib
import functools
import math
import mmap
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Bytes by which the process may grow meanwhile, and seconds from one look to the next.
GROWTH, _PAUSE = 1 << 29, 1.0
_PACKAGES = ("codegen", "generative", "collide")
_lock = threading.Lock()


class Working:
    """Within it nothing is forgotten: what is worked with may be told apart by identity."""

    count = 0

    def __enter__(self) -> None:
        with _lock:
            Working.count += 1

    def __exit__(self, *error: object) -> None:
        with _lock:
            Working.count -= 1


class _Size:
    """Bytes that the process had after the caches were last emptied, or fewer since; and when that was last looked at."""

    least, looked = 0, -math.inf


def forget_if_much() -> None:
    """Before a question: the caches are emptied if the process has grown by much, and no thread is at work."""
    now = time.monotonic()
    if now < _Size.looked + _PAUSE:
        return
    _Size.looked, size = now, _resident()
    _Size.least = min(_Size.least or size, size)
    if size <= _Size.least + GROWTH:
        return
    with _lock:
        if Working.count:
            return
        forget()
    _Size.least = _resident()


def forget() -> None:
    """Empties the caches of all functions of this project that hold a limited number of values. Python's collector comes to what is left
    when it wants to: to call it takes ten times as long.
    """
    for function in tuple(_caches()):
        function.cache_clear()


def _caches() -> Iterator[Any]:
    for name, module in tuple(sys.modules.items()):
        if name.partition(".")[0] in _PACKAGES:
            for value in tuple(vars(module).values()):
                if isinstance(value, functools._lru_cache_wrapper) and value.cache_info().maxsize is not None:
                    yield value


def _resident() -> int:
    """Bytes of memory that the process has now; where the system does not tell, the most it had, or 0."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE
    with contextlib.suppress(ImportError):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else 1024 * most
    return 0
