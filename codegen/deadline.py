"""The time at which a caller wants control back from long work in Python.

Formulas of a few thousand terms take seconds to convert, to differentiate and to translate. Our loops call `check` from time to time; it
raises `TimeUp` once the time of the caller is up. SymPy cannot be asked to do so: a thread that is in it then is ended there (`_Watch`),
between two of its bytecodes, as by Ctrl-C: its values are pure, so nothing is left half done. What is `interruptible` ends wherever it is,
so it must be a pure function, too. What was finished before is kept in the caches; what was begun is dropped. Where no limit is set nothing
ever ends.

Ctrl-C within a limit of the first thread means that the time is up: so it, too, ends work only where nothing is left half done. Where it is
not heeded, and when it comes again, it is Python's own.

A process that is forked within a limit has none, and no thread that looks at the clock until it needs one.

Handlers are asked of `_signal`: `signal` looks each up in an enumeration that has none of them, which costs more than all else here.
"""

import _signal  # type: ignore[import-not-found]
import contextlib
import ctypes
import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar
from types import FrameType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_left: ContextVar[Callable[[], float] | None] = ContextVar("left", default=None)

# Packages in whose code a thread may be ended, but for the module that writes down what was found of an object.
_PURE, _WRITING = ("sympy", "mpmath"), ("sympy.core.facts",)
# Seconds by which a thread in these may be late, so that what calls `check` ends by itself; and after which Ctrl-C ends anything.
_LATE, _HEEDED = 0.1, 0.35
_SIGINT = int(signal.SIGINT)


class TimeUp(BaseException):
    """The time of a caller is up: for the caller that set the limit. Like KeyboardInterrupt it is no error that others should catch."""


class limited:
    """Within it, `check` raises `TimeUp` in this thread when `left` says that no seconds are left. The innermost limit counts."""

    def __init__(self, left: Callable[[], float]) -> None:
        self._work = _Work(left, _LATE, False)

    def __enter__(self) -> None:
        self._token = _left.set(self._work.limit)
        self._hears = _keyboard.hear()
        _watch.begin(self._work)

    def __exit__(self, *error: object) -> None:
        _left.reset(self._token)
        # Also what was interrupted within it just as it ended, or began.
        _watch.end(self._work)
        if self._hears:
            _keyboard.leave()


def check(needed: float = 0.0) -> None:
    """Raises `TimeUp` if fewer seconds are left than are `needed` for what comes next and cannot be interrupted."""
    left = _left.get()
    if left is not None and (left() < needed or interrupted()):
        raise TimeUp


# -- Ctrl-C ---------------------------------------------------------------------------------------------------------------


class _Keyboard:
    """Ctrl-C while the first thread has a limit: when it came, in seconds of the clock, or None; and whether anybody was told that it did.
    """

    def __init__(self) -> None:
        self.came: float | None = None
        self.told, self.again = False, False

    def hear(self) -> bool:
        """Note Ctrl-C here from now on, unless it is noted already, or means something else to the program."""
        if threading.get_ident() != _first() or _signal.getsignal(_SIGINT) is not signal.default_int_handler:
            return False
        self.__init__()  # type: ignore[misc]
        with contextlib.suppress(ValueError):
            _signal.signal(_SIGINT, self.note)
            return True
        return False

    def leave(self) -> None:
        """Raises KeyboardInterrupt for Ctrl-C that nobody was told of."""
        unheard = self.again or (self.came is not None and not self.told)
        self.came, self.again = None, False
        if _signal.getsignal(_SIGINT) == self.note:
            _signal.signal(_SIGINT, signal.default_int_handler)
        if unheard:
            raise KeyboardInterrupt

    def note(self, number: int, frame: FrameType | None) -> None:
        self.again = self.came is not None
        self.came = self.came or time.perf_counter()
        if self.again and not _begins_or_ends(frame):
            self.again = False
            signal.default_int_handler(number, frame)


def _first() -> int | None:
    return threading.main_thread().ident


_keyboard = _Keyboard()


def interrupted() -> bool:
    """Whether Ctrl-C came while this thread, the first one, had a limit that it still has."""
    if _keyboard.came is None or threading.get_ident() != _first():
        return False
    _keyboard.told = True
    return True


# -- what cannot look at the clock itself ---------------------------------------------------------------------------------


class _Work:
    """Work with a limit: a function that says what is left of its time, how late it may end, whether it may end `anywhere`, how often it
    was seen that it should have ended, and at which of these looks it was last ended. `outer`: the work that it is a part of.
    """

    def __init__(self, limit: Callable[[], float], late: float, anywhere: bool) -> None:
        self.limit, self.late, self.anywhere = limit, late, anywhere
        self.looks, self.ended = 0, 0
        self.outer: _Work | None = None


class interruptible:
    """Within it, or in a function that it decorates, `TimeUp` is raised wherever this thread is as the time is up: from another one, which
    looks at the clock meanwhile. So many seconds `late`: by then what calls `check` has ended by itself.
    """

    def __init__(self, late: float = 0.0) -> None:
        self._late = late

    def __enter__(self) -> None:
        left, before = _left.get(), _watch.work.get(threading.get_ident())
        self._work = None if left is None or (before is not None and before.anywhere) else _Work(left, self._late, True)
        if self._work is not None:
            _watch.begin(self._work)

    def __exit__(self, *error: object) -> None:
        if self._work is not None:
            _watch.end(self._work)

    def __call__(self, function: F) -> F:
        @functools.wraps(function)
        def within(*given: Any, **named: Any) -> Any:
            with interruptible(self._late):
                return function(*given, **named)

        return within  # type: ignore[return-value]


class _Watch:
    """A thread that looks at the clock for others that cannot; it ends when there are none for a while."""

    # Seconds between two looks, looks without work after which it ends, and looks between two interrupts, should the first one be caught.
    _PAUSE, _IDLE, _AGAIN = 0.02, 50, 50

    def __init__(self) -> None:
        self.work: dict[int, _Work] = {}
        self._lock, self._runs = threading.Lock(), False

    def begin(self, work: _Work) -> None:
        with self._lock:
            work.outer = self.work.get(threading.get_ident())
            self.work[threading.get_ident()] = work
            if not self._runs:
                # Where there can be no more threads, as while the interpreter ends, what calls `check` ends all the same.
                self._runs = True
                try:
                    threading.Thread(target=self._run, name="deadlines", daemon=True).start()
                except RuntimeError:
                    self._runs = False

    def end(self, work: _Work) -> None:
        """Nothing is raised in this thread from now on for this work and its parts, nor what was on its way."""
        thread, ended = threading.get_ident(), False
        with self._lock:
            parts = [self.work.get(thread)]
            while parts[-1] is not None and parts[-1] is not work:
                parts.append(parts[-1].outer)
            if parts[-1] is work:
                ended = any(part is not None and part.ended for part in parts)
                if work.outer is None:
                    del self.work[thread]
                else:
                    self.work[thread] = work.outer
        if ended:
            _settle(thread)

    def forget(self) -> None:
        """This process is a copy of another one, of which it has but one thread."""
        self.__init__()  # type: ignore[misc]

    def _run(self) -> None:
        idle = 0
        while self._runs:
            time.sleep(self._PAUSE)
            with self._lock:
                idle = 0 if self.work else idle + 1
                self._runs = idle < self._IDLE
                for thread, work in self.work.items():
                    self._look(thread, work)

    def _look(self, thread: int, work: _Work) -> None:
        came = _keyboard.came if thread == _first() else None
        unheeded = came is not None and time.perf_counter() > came + _HEEDED
        if not (unheeded or work.anywhere or _in_pure_code(thread)) or (came is None and not work.limit() + work.late < 0):
            return
        if _begins_or_ends(sys._current_frames().get(thread)):
            return
        work.looks += 1
        if not work.ended or work.looks - work.ended >= self._AGAIN:
            work.ended = work.looks
            _keyboard.told = _keyboard.told or came is not None
            _raise(thread, KeyboardInterrupt if unheeded else TimeUp)


def _in_pure_code(thread: int) -> bool:
    """Whether a thread is in code that may be left at any bytecode. While it waits for the interpreter it stays there, and what is raised
    in it is raised before it goes on.
    """
    frame = sys._current_frames().get(thread)
    name = "" if frame is None else frame.f_globals.get("__name__", "")
    return name.partition(".")[0] in _PURE and name not in _WRITING


def _begins_or_ends(frame: FrameType | None) -> bool:
    """Whether a thread is where a limit begins or ends. What is raised there would leave half of it. It was stopped in that frame, and what
    is raised in it is raised before it goes on.
    """
    while frame is not None:
        if frame.f_code in _WHOLE:
            return True
        frame = frame.f_back
    return False


def _raise(thread: int, error: type[BaseException]) -> None:
    """Raise an error in a thread, as soon as it runs Python again."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _settle(thread: int) -> None:
    """Raised and caught here: what may be on its way to this thread, replaced by one that is. To take it back instead would leave CPython's
    mark that something is (as of 3.13), and every call in the process the slower for it.
    """
    with contextlib.suppress(TimeUp, KeyboardInterrupt):
        _raise(thread, TimeUp)
        for _ in range(1000):
            pass


_WHOLE = {function.__code__ for kind in (limited, interruptible) for function in (kind.__enter__, kind.__exit__)}
_watch = _Watch()


def _copied() -> None:
    """Reset limits and Ctrl-C in a process that was forked just now."""
    _left.set(None)
    _watch.forget()
    with contextlib.suppress(KeyboardInterrupt, ValueError):
        _keyboard.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_copied)
