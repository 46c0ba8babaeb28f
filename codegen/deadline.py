"""The time at which a caller wants control back from long work in Python.

Formulas of a few thousand terms take seconds to convert, to differentiate and to translate. Our loops call `check` from time to time; it
raises `TimeUp` once the time of the caller is up. SymPy cannot be asked to do so: what is `interruptible` ends wherever it is, as by
Ctrl-C, so it must be a pure function of SymPy's values. What was finished before is kept in the caches; what was begun is dropped.
Where no limit is set nothing ever ends.
"""

import contextlib
import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass

_left: ContextVar[Callable[[], float] | None] = ContextVar("left", default=None)


class TimeUp(BaseException):
    """The time of a caller is up: for the caller that set the limit. Like KeyboardInterrupt it is no error that others should catch."""


class limited:
    """Within it, `check` raises `TimeUp` in this thread when `left` says that no seconds are left. The innermost limit counts."""

    def __init__(self, left: Callable[[], float]) -> None:
        self._limit = left

    def __enter__(self) -> None:
        self._token = _left.set(self._limit)

    def __exit__(self, *error: object) -> None:
        _left.reset(self._token)
        work = _watch.work.get(threading.get_ident())
        if work is not None and work.limit is self._limit:
            # It was interrupted just as it ended, or began.
            _watch.end()


def check(needed: float = 0.0) -> None:
    """Raises `TimeUp` if fewer seconds are left than are `needed` for what comes next and cannot be interrupted."""
    left = _left.get()
    if left is not None and left() < needed:
        raise TimeUp


# -- what cannot look at the clock itself ---------------------------------------------------------------------------------


@contextlib.contextmanager
def interruptible(late: float = 0.0) -> Iterator[None]:
    """Within it, `TimeUp` is raised wherever this thread is as the time is up: from another one, which looks at the clock meanwhile. So
    many seconds `late`: by then what calls `check` has ended by itself.
    """
    left = _left.get()
    if left is None or threading.get_ident() in _watch.work:
        yield
        return
    try:
        _watch.begin(left, late)
        yield
    finally:
        _watch.end()


class _Watch:
    """A thread that looks at the clock for others that cannot; it ends when there are none for a while."""

    # Seconds between two looks, looks without work after which it ends, and looks between two interrupts, should the first one be caught.
    _PAUSE, _IDLE, _AGAIN = 0.02, 50, 50

    def __init__(self) -> None:
        self.work: dict[int, _Work] = {}
        self._lock, self._runs = threading.Lock(), False

    def begin(self, limit: Callable[[], float], late: float) -> None:
        with self._lock:
            self.work[threading.get_ident()] = _Work(limit, late)
            if not self._runs:
                self._runs = True
                threading.Thread(target=self._run, name="deadlines", daemon=True).start()

    def end(self) -> None:
        """Nothing is raised in this thread from now on, nor what was on its way."""
        with self._lock:
            work = self.work.pop(threading.get_ident(), None)
        if work is not None and work.looks:
            _settle(threading.get_ident())

    def _run(self) -> None:
        idle = 0
        while self._runs:
            time.sleep(self._PAUSE)
            with self._lock:
                idle = 0 if self.work else idle + 1
                self._runs = idle < self._IDLE
                for thread, work in self.work.items():
                    if work.limit() + work.late < 0:
                        if work.looks % self._AGAIN == 0:
                            _raise(thread, TimeUp)
                        work.looks += 1


@dataclass
class _Work:
    """What says what is left of the time of some work, how late it ends, and how often it was looked at since then."""

    limit: Callable[[], float]
    late: float = 0.0
    looks: int = 0


def _raise(thread: int, error: type[BaseException]) -> None:
    """In a thread, as soon as it runs Python again."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _settle(thread: int) -> None:
    """Raised and caught here: what may be on its way to this thread, replaced by one that is. To take it back instead would leave CPython's
    mark that something is (as of 3.13), and every call in the process the slower for it.
    """
    with contextlib.suppress(TimeUp):
        _raise(thread, TimeUp)
        for _ in range(1000):
            pass


_watch = _Watch()
