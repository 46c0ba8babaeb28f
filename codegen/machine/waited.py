"""Machine code that somebody waits for, made where the wait can end.

LLVM hears neither Ctrl-C nor a limit of time, so what takes it long is made by a process of its own (`compiler.hasty`), and the clock is
looked at meanwhile. What the time was too short for is made to its end, and found in the cache by the next question.
"""

import contextlib
import queue
from collections.abc import Callable
from typing import Any

from ..deadline import check
from . import cache
from .compiler import Work, hasty
from .compiler_process import made
from .native import announce

# Bytes of text up to which code is made at once, in some hundredths of a second, of which loops that are optimized take more; and seconds
# between two looks at the clock.
SHORT, _SHORT_LOOP, _LOOK = 60_000, 10_000, 0.02


def kept(name: str, how: str, given: Callable[[], tuple[Any, ...]]) -> bytes:
    """The stored object code; where there is none, what `compiler_process.made` makes, which is stored."""
    code = cache.load(name)
    if code is not None:
        return code
    work = Work(name, how, given())
    short = len(work.given[0]) < min(SHORT, _SHORT_LOOP if how == "loop" else SHORT)
    return cache.kept(name, lambda: made(how, work.given)) if short else awaited(work)


def awaited(work: Work) -> bytes:
    """Code from another process. This process makes code that the other one cannot, or raises why."""
    check()
    announce()
    answer = queue.SimpleQueue[bytes]()
    hasty.ask(work, answer.put)
    while True:
        working = hasty.works_at(work.name)
        with contextlib.suppress(queue.Empty):
            return answer.get(timeout=_LOOK if working else 0.0)
        check()
        if not working:
            return cache.kept(work.name, lambda: made(*work[1:]))
