"""Rows of a batch on any executor: cut into chunks that take a fraction of a second each, which workers answer as calls of their own.

A row's answer depends on that row alone, so the answers are the same bits whatever the chunks and the workers. An executor is whatever has
`submit(function, *arguments)`, with futures that have `result()`, as those of `concurrent.futures`, of loky, and the clients of
`dask.distributed`; or at least `map(function, items)`, as `multiprocessing.Pool`. Workers of other processes find machine code in the
cache on disk.
"""

import contextlib
import os
import pickle
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from dataclasses import fields
from functools import partial
from threading import Event
from typing import Any, NamedTuple, TypeVar

import numpy as np

from codegen.given import shown

from .drive import Budget, Clock, stopping

T = TypeVar("T")
# The rows lo to hi - 1.
Span = tuple[int, int]
# `ask(lo, hi)` is the question about these rows, as a function of a budget that other processes can be sent.
Ask = Callable[[int, int], partial[T]]

# Effort only. Seconds that a chunk is to take, rows of the first ones at most, and chunks under way for each worker.
_SECONDS, _FIRST, _AHEAD = 0.2, 32, 3
# What is left of a budget that is spent.
_NOTHING = Budget(seconds=1e-9)
# Seconds after Ctrl-C for which it is waited for what is being done.
_LAST = 0.4


class _Task(NamedTuple):
    """A chunk: what is asked, until when (seconds since the epoch, or None), and with which limits. `stop`: of threads, set by Ctrl-C."""

    ask: Any
    until: float | None
    boxes: int | None
    bytes: int | None
    stop: Event | None = None

    def __call__(self) -> tuple[Any, float]:
        began = time.time()
        seconds = None if self.until is None else max(self.until - began, 1e-9)
        with stopping(self.stop):
            answer = self.ask(budget=Budget(seconds, self.boxes, self.bytes))
        return answer, time.time() - began


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
    told = dict.fromkeys([*notes, *(note for a in answers for note in getattr(a, "notes", ()))])
    return type(first)(**columns, notes=tuple(told))  # type: ignore[no-any-return]


class _Waiting:
    """The chunks that workers were given, in order, as futures."""

    def __init__(self, executor: Any) -> None:
        self.chunks: deque[tuple[Span, Any]] = deque()
        self.stop = Event() if isinstance(executor, ThreadPoolExecutor) else None

    def done(self) -> Iterator[tuple[Span, Any]]:
        """What came to its end, and not by an error."""
        for rows, future in self.chunks:
            with contextlib.suppress(BaseException):
                if future.done():
                    yield rows, future.result()[0]

    def end(self) -> Iterator[tuple[Span, Any]]:
        """Calls off the rest; what is done, or soon."""
        if self.stop is not None:
            self.stop.set()
        for _, future in self.chunks:
            future.cancel()
        end = time.monotonic() + _LAST
        while not all(future.done() for _, future in self.chunks) and time.monotonic() < end:
            time.sleep(0.01)
        yield from self.done()


def _answered(ask: Ask[T], count: int, executor: Any, clock: Clock, notes: list[str], waiting: _Waiting) -> Iterator[tuple[Span, T]]:
    """Rows and their answers, in order, but for those that were lost."""
    if not callable(getattr(executor, "submit", None)):
        yield from _mapped(ask, count, executor, clock)
        return
    ahead, size, next_ = _AHEAD * _workers(executor), min(_FIRST, 1 + count // (8 * _workers(executor))), 0
    chunks = waiting.chunks
    try:
        while next_ < count or chunks:
            while next_ < count and len(chunks) < ahead and not clock.over:
                rows = next_, min(next_ + size, count)
                chunks.append((rows, executor.submit(_task(ask, rows, clock, waiting.stop))))
                next_ = rows[1]
            if not chunks:
                return
            rows, future = chunks[0]
            answer, seconds = _result(rows, future)
            size = max(1, min(int((rows[1] - rows[0]) * _SECONDS / max(seconds, 1e-6)), 8 * size, 1 + count // ahead))
            yield rows, answer
            chunks.popleft()
    except BrokenExecutor as error:
        done = dict(waiting.done())
        yield from done.items()
        lost = [rows for rows, _ in chunks if rows not in done]
        if lost:
            notes.append(f"Workers died ({type(error).__name__}): of rows {', '.join(f'{lo} to {hi - 1}' for lo, hi in lost)} nothing is "
                         f"known.")
        yield from _here(ask, (next_, count), clock)
    except Exception:
        for _, future in chunks:
            future.cancel()
        raise


def _mapped(ask: Ask[T], count: int, executor: Any, clock: Clock) -> Iterator[tuple[Span, T]]:
    step = min(_FIRST, 1 + count // (8 * (os.cpu_count() or 1)))
    chunks = [(lo, min(lo + step, count)) for lo in range(0, count, step)]
    for rows, (answer, _) in zip(chunks, executor.map(_call, [_task(ask, rows, clock, None) for rows in chunks]), strict=True):
        yield rows, answer


def _call(task: _Task) -> tuple[Any, float]:
    return task()


def _here(ask: Ask[T], span: Span, clock: Clock) -> Iterator[tuple[Span, T]]:
    """What is left when workers are gone."""
    if span[0] < span[1] and not clock.over:
        yield span, _task(ask, span, clock, None)()[0]


def _task(ask: Ask[T], rows: Span, clock: Clock, stop: Event | None) -> _Task:
    budget = clock.budget
    until = None if budget.seconds is None else time.time() + max(clock.left, 0.0)
    return _Task(ask(*rows), until, budget.boxes, budget.bytes, stop)


def _result(rows: Span, future: Any) -> tuple[Any, float]:
    """Errors name the row of all rows, and what cannot be sent to another process is said."""
    try:
        answer, seconds = future.result()
    except ValueError as error:
        raise ValueError(re.sub(r"\brow (\d+)", lambda m: f"row {int(m[1]) + rows[0]}", str(error))) from error
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        if "pickle" in str(error):
            raise TypeError(f"the question cannot be sent to another process: {error}; use threads, or functions of a module") from error
        raise
    return answer, seconds


def _workers(executor: Any) -> int:
    return int(getattr(executor, "_max_workers", 0) or os.cpu_count() or 1)


def _missing(answers: dict[Span, Any], count: int) -> Iterator[Span]:
    """The rows between those that were answered."""
    at = 0
    for lo, hi in [*sorted(answers), (count, count)]:
        if at < lo:
            yield at, lo
        at = hi
