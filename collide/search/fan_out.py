"""Rows of a batch on any executor: cut into chunks that take a fraction of a second each, which workers answer as calls of their own.

A row's answer depends on that row alone, so the answers are the same bits whatever the chunks and the workers. An executor is whatever has
`submit(function, *arguments)`, with futures that have `result()`, as those of `concurrent.futures`, of loky, and the clients of
`dask.distributed`; or at least `map(function, items)`, as `multiprocessing.Pool`. Workers of other processes find machine code in the
cache on disk.
"""

import contextlib
import inspect
import os
import pickle
import platform
import re
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import numpy as np

from codegen.given import shown

from .budget import Budget
from .clock import Clock, Stop, stopping

T = TypeVar("T")
# The rows lo to hi - 1.
Span = tuple[int, int]
# `ask(lo, hi)` is the question about these rows, as a function of a budget that other processes can be sent.
Ask = Callable[[int, int], partial[T]]

# Effort only. Seconds that a chunk is to take, rows of the first ones at most, and chunks under way for each worker.
_SECONDS, _FIRST, _AHEAD = 0.2, 32, 3
# What is left of a budget that is spent.
_NOTHING = Budget(seconds=1e-9)
# Seconds after Ctrl-C, and after the end of the budget, for which chunks under way are awaited; and seconds between two looks of other
# processes whether it was pressed.
_LAST, _LOOK = 0.4, 0.05
# What a worker sends back: an answer, the error that a question raised, and the seconds that it took.
Sent = tuple[Any, Exception | None, float]


class _Signal:
    """Tells workers of other processes that Ctrl-C was pressed: until then there is a file. Those of other machines are not told."""

    def __init__(self) -> None:
        handle, self._path = tempfile.mkstemp(prefix="collide-")
        os.close(handle)
        self._node, self._next, self._found = platform.node(), 0.0, False

    def set(self) -> None:
        Path(self._path).unlink(missing_ok=True)

    def is_set(self) -> bool:
        if not self._found and (now := time.monotonic()) >= self._next:
            self._next, self._found = now + _LOOK, platform.node() == self._node and not Path(self._path).exists()
        return self._found


@dataclass(frozen=True)
class _Task:
    """A chunk: what is asked, until when (seconds since the epoch, or None), and with which limits. `stop`: set by Ctrl-C."""

    ask: Any
    until: float | None
    boxes: int | None
    bytes: int | None
    stop: Stop | None = None

    def __call__(self) -> Sent:
        """Errors of the question are sent back: what is raised is then the end of a worker."""
        began, answer, raised = time.time(), None, None
        seconds = None if self.until is None else max(self.until - began, 1e-9)
        try:
            with stopping(self.stop):
                answer = self.ask(budget=Budget(seconds, self.boxes, self.bytes))
        except Exception as error:
            raised = error
        return answer, raised, time.time() - began


def fan_out(ask: Ask[T], count: int, executor: Any, clock: Clock) -> T:
    """The answer to all rows, put together from those of chunks. Rows that the budget or Ctrl-C leaves out, and those that were with a
    worker that died, are answered as by a spent budget.
    """
    check_executor(executor)
    answers, notes, waiting = dict[Span, Any](), list[str](), _Waiting(executor)
    with contextlib.closing(clock):
        try:
            for rows, answer in _answered(ask, count, executor, clock, notes, waiting):
                answers[rows] = answer
                clock.tell(count - rows[1], rows[1])
        except KeyboardInterrupt:
            clock.interrupted = True
            answers.update(waiting.end())
        finally:
            waiting.stop.set()
        for rows in _missing(answers, count):
            answers[rows] = ask(*rows)(budget=_NOTHING)
    return joined([answers[rows] for rows in sorted(answers)], notes)


def check_executor(executor: Any) -> None:
    if not (callable(getattr(executor, "submit", None)) or callable(getattr(executor, "map", None))):
        raise TypeError(f"executor must have a method submit or map, as concurrent.futures.ProcessPoolExecutor does, got {shown(executor)}")


def joined(answers: Sequence[T], notes: Sequence[str] = ()) -> T:
    """Answers to rows one after another as one: a dataclass whose fields are arrays of rows, and notes."""
    first: Any = answers[0]
    columns = {f.name: np.concatenate([getattr(a, f.name) for a in answers]) for f in fields(first) if f.name != "notes"}
    told = dict.fromkeys([*filter(None, notes), *(note for a in answers for note in getattr(a, "notes", ()))])
    return type(first)(**columns, notes=tuple(told))  # type: ignore[no-any-return]


class _Waiting:
    """The chunks that workers were given, in order, as futures."""

    def __init__(self, executor: Any) -> None:
        self.chunks: deque[tuple[Span, Any]] = deque()
        self.stop = Event() if isinstance(executor, ThreadPoolExecutor) else _Signal()

    def done(self) -> Iterator[tuple[Span, Any]]:
        """The parts that ended without an error."""
        for rows, future in self.chunks:
            with contextlib.suppress(BaseException):
                if future.done():
                    answer, raised, _ = future.result()
                    if raised is None:
                        yield rows, answer

    def end(self) -> Iterator[tuple[Span, Any]]:
        """Calls off the rest; what is done, or soon. Futures that are not Python's own may forget what is done when they are cancelled."""
        self.stop.set()
        self.cancel(Future)
        end = time.monotonic() + _LAST
        while not all(future.done() for _, future in self.chunks) and time.monotonic() < end:
            time.sleep(0.01)
        yield from self.done()
        self.cancel()

    def cancel(self, kind: Any = object) -> None:
        for _, future in self.chunks:
            if isinstance(future, kind):
                future.cancel()


def _answered(ask: Ask[T], count: int, executor: Any, clock: Clock, notes: list[str], waiting: _Waiting) -> Iterator[tuple[Span, T]]:
    """Rows and their answers, in order, except those that were lost."""
    if not callable(getattr(executor, "submit", None)):
        yield from _mapped(ask, count, executor, clock)
        return
    workers = _workers(executor)
    ahead, size, next_ = _AHEAD * workers, min(_FIRST, 1 + count // (8 * workers)), 0
    chunks, end = waiting.chunks, None if clock.budget.seconds is None else time.monotonic() + max(clock.left, 0.0) + _LAST
    try:
        while next_ < count or chunks:
            while next_ < count and len(chunks) < ahead and not clock.over:
                rows = next_, min(next_ + size, count)
                chunks.append((rows, _submitted(executor, _task(ask, rows, clock, waiting.stop))))
                next_ = rows[1]
            if not chunks:
                return
            rows, future = chunks[0]
            try:
                answer, seconds = _result(rows, future, end)
            except _LostError as lost:
                notes.append(_of_lost(lost, [rows]))
            else:
                size = max(1, min(int((rows[1] - rows[0]) * _SECONDS / max(seconds, 1e-6)), 8 * size, 1 + count // ahead))
                yield rows, answer
            chunks.popleft()
    except (BrokenExecutor, _LateError) as error:
        done = dict(waiting.done())
        yield from done.items()
        notes.append(_of_lost(error, [rows for rows, _ in chunks if rows not in done]))
        waiting.cancel()
        yield from _here(ask, (next_, count), clock)
    except Exception:
        waiting.cancel()
        raise


class _LostError(Exception):
    """The worker of a chunk ended before it did, by the cause of this."""


class _LateError(Exception):
    """No worker answered by the end of the budget: an executor may have none left, and say nothing of it."""


class _UnsentError(TypeError):
    """The question cannot be sent to another process."""


def _of_lost(error: BaseException, lost: Sequence[Span]) -> str:
    """The rows of which nothing is known, in words."""
    why = "gave no answer within the budget" if isinstance(error, _LateError) else f"died ({type(error.__cause__ or error).__name__})"
    return f"Workers {why}: of rows {', '.join(f'{lo} to {hi - 1}' for lo, hi in lost)} nothing is known." if lost else ""


def _mapped(ask: Ask[T], count: int, executor: Any, clock: Clock) -> Iterator[tuple[Span, T]]:
    step = min(_FIRST, 1 + count // (8 * (os.cpu_count() or 1)))
    chunks = [(lo, min(lo + step, count)) for lo in range(0, count, step)]
    for rows, sent in zip(chunks, executor.map(_call, [_task(ask, rows, clock, None) for rows in chunks]), strict=True):
        yield rows, _read(rows, sent)[0]


def _call(task: _Task) -> Sent:
    return task()


def _here(ask: Ask[T], span: Span, clock: Clock) -> Iterator[tuple[Span, T]]:
    """The work that is left when workers are gone."""
    if span[0] < span[1] and not clock.over:
        yield span, _read(span, _task(ask, span, clock, None)())[0]


def _task(ask: Ask[T], rows: Span, clock: Clock, stop: Stop | None) -> _Task:
    budget = clock.budget
    until = None if budget.seconds is None else time.time() + max(clock.left, 0.0)
    return _Task(ask(*rows), until, budget.boxes, budget.bytes, stop)


def _submitted(executor: Any, task: _Task) -> Any:
    with _sending():
        return executor.submit(task)


def _result(rows: Span, future: Any, end: float | None) -> tuple[Any, float]:
    """The answer, and the seconds that it took. `end`: the time of the clock up to which it is awaited."""
    try:
        with _sending():
            sent: Sent = future.result(**_until(future, end))
    except (BrokenExecutor, _UnsentError):
        raise
    except TimeoutError as error:
        raise _LateError from error
    except Exception as error:
        raise _LostError from error
    return _read(rows, sent)


def _until(future: Any, end: float | None) -> dict[str, float]:
    """The arguments of `result` by which a future is awaited up to `end`. Futures of simple executors take none."""
    if end is None or "timeout" not in inspect.signature(future.result).parameters:
        return {}
    return {"timeout": max(end - time.monotonic(), 0.0)}


@contextlib.contextmanager
def _sending() -> Iterator[None]:
    """Name the value that cannot be sent to another process."""
    try:
        yield
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        if not re.search("pickle|serialize", str(error)):
            raise
        raise _UnsentError(f"the question cannot be sent to another process: {error}; use threads, or functions of a module") from error


def _read(rows: Span, sent: Sent) -> tuple[Any, float]:
    answer, raised, seconds = sent
    if isinstance(raised, ValueError):
        raise ValueError(renumbered(raised, rows[0])) from raised
    if raised is not None:
        raise raised
    return answer, seconds


def renumbered(error: ValueError, first: int) -> str:
    """Rewrite the row numbers of an error of some rows, from row `first` on, as numbers of all rows."""
    return re.sub(r"\brow (\d+)", lambda m: f"row {int(m[1]) + first}", str(error))


def _workers(executor: Any) -> int:
    """As many as it says that it has: those of `concurrent.futures` and loky, and clients of `dask.distributed`."""
    threads = getattr(executor, "nthreads", None)
    known = sum(threads().values()) if callable(threads) else getattr(executor, "_max_workers", 0)
    return int(known or os.cpu_count() or 1)


def _missing(answers: dict[Span, Any], count: int) -> Iterator[Span]:
    """The rows between those that were answered."""
    at = 0
    for lo, hi in [*sorted(answers), (count, count)]:
        if at < lo:
            yield at, lo
        at = hi
