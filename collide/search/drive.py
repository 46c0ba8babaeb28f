"""Budgets, and the driver that runs a search in slices within one."""

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from codegen.given import shown
from codegen.machine.loop_runtime import optimize_loops
from codegen.machine.tiers import begin_query, compile_busy, compile_repeated

from ..given import is_number
from .native import layout
from .progress import Progress

# Steps a slice: some tens of milliseconds, so that Ctrl-C, progress and budgets are prompt.
_SLICE = 2000
# The same where a step contracts by propagation in halves, which takes up to some milliseconds.
_SHORT = 20
# Seconds that an answer takes for each box that it lists, about.
READING = 2.5e-6
# With so many places found a slice is half as long, with twice as many a third, down to the least: each step compares boxes with them.
_PLACES, _LEAST = 500, 100
# A query with its answer ready begins to compile what makes later ones faster in so many seconds.
_WAIT = 2.0


class Search(Protocol):
    """What can be driven: a search that runs in slices (`state.Search`, and that of `bezier.time_dependent`)."""

    @property
    def steps(self) -> int: ...

    @property
    def iterations(self) -> int: ...

    @property
    def open_count(self) -> int: ...

    @property
    def solution_count(self) -> int: ...

    @property
    def problems(self) -> Any: ...

    @property
    def pole(self) -> Any: ...

    @property
    def bytes(self) -> int: ...

    def run(self, steps: int) -> int: ...

    def grow_boxes(self) -> None: ...

    def grow_solutions(self) -> None: ...


@dataclass(frozen=True)
class Budget:
    """What a search may use: `seconds` of time, `boxes` examined, `bytes` of memory for its queue, which grows by doubling: a search
    ends once it has more. None is no limit.
    """

    seconds: float | None = 60.0
    boxes: int | None = None
    bytes: int | None = None

    def __post_init__(self) -> None:
        for name in ("seconds", "boxes", "bytes"):
            value = getattr(self, name)
            if value is not None and not (is_number(value) and value > 0):
                raise ValueError(f"the budget's {name} must be positive or None, got {shown(value)}")


def as_budget(budget: "Budget | float | None") -> Budget:
    """Seconds, a Budget, or None for the default of 60 seconds."""
    if isinstance(budget, Budget):
        return budget
    return Budget() if budget is None else Budget(seconds=budget)


Watch = Callable[[Search, int, float], int]
"""Told of a search, the boxes examined before it, and the seconds since the query began; returns the steps of the next slice."""

_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextlib.contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Within it, every search of this thread reports to `watch`, before its first slice and after each (see `trace`)."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


class Clock:
    """A budget being spent, over one or several searches. `searched`: seconds of search, and of proofs for boxes before it; the others went
    to converting and compiling formulas. `boxes`: examined before the present search. `reading`: seconds that the answer takes for each box
    that is left: so much earlier a search stops.
    """

    def __init__(self, budget: Budget, progress: bool = False, reading: float = 0.0) -> None:
        self.budget, self.start, self.boxes = budget, time.perf_counter(), 0
        self.interrupted, self.searched, self._reading = False, 0.0, reading
        begin_query()
        self.slice: int | None = None
        self._watch = _watch.get()
        self._bar = Progress() if progress else None

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.start

    @property
    def over(self) -> bool:
        """Is the time up, or was Ctrl-C pressed, or memory refused?"""
        return bool(self.interrupted or (self.budget.seconds is not None and self.seconds > self.budget.seconds))

    @property
    def left(self) -> float:
        """Seconds that are left."""
        if self.interrupted:
            return 0.0
        return math.inf if self.budget.seconds is None else self.budget.seconds - self.seconds

    def exceeded(self) -> bool:
        """Is the time up, or were too many boxes examined, by what is no search?"""
        return self.over or (self.budget.boxes is not None and self.boxes > self.budget.boxes)

    def spent(self, s: Search) -> bool:
        """Is the budget spent? Before the first step of a search its time is not: what was compiled is used."""
        b = self.budget
        reading = self._reading * (s.open_count + s.solution_count)
        late = self.interrupted if s.steps == 0 else self.left <= reading
        return bool(late or (b.boxes is not None and self.boxes + s.iterations > b.boxes)
                    or (b.bytes is not None and s.bytes > b.bytes))

    def steps(self, s: Search, wanted: int | None = None) -> int:
        """Of the next slice; fewer, at 8 boxes a step, where the boxes of the budget end sooner."""
        usual = self.slice or wanted or (_SHORT if any(p.propagate for p in s.problems) else _SLICE)
        usual = min(usual, max(_LEAST, usual // (1 + s.solution_count // _PLACES)))
        if self.budget.boxes is None:
            return usual
        return max(1, min(usual, (self.budget.boxes - self.boxes - s.iterations) // 8))

    def report(self, s: Search) -> None:
        if self._bar is not None:
            self._bar.searching(self.boxes + s.iterations, s.open_count, s.solution_count)
        if self._watch is not None:
            self.slice = self._watch(s, self.boxes, self.seconds)

    def close(self) -> None:
        """The query ends: what is left of its time may make the next ones faster. Ctrl-C ends that, and changes no answer."""
        with contextlib.suppress(KeyboardInterrupt):
            end = self.seconds + min(self.left, _WAIT)
            compile_repeated(end - self.seconds)
            if self.seconds < end:
                optimize_loops(self.left, repeated=True)
        if self._bar is not None:
            self._bar.close()


def advance(s: Search, steps: int, seconds: float = math.inf) -> bool:
    """One slice of the search; did it finish? Kernels that it uses much are compiled if that begins within so many seconds."""
    reason = s.run(steps)
    if reason == layout.NEED_BOXES:
        s.grow_boxes()
    elif reason == layout.NEED_SOLUTIONS:
        s.grow_solutions()
    if reason == layout.FINISHED:
        return True
    compile_busy(seconds)
    optimize_loops(seconds)
    return False


def drive(s: Search, clock: Clock, between: Callable[[], None] | None = None, steps: int | None = None,
          boxes: float = math.inf) -> bool:
    """Run the search to its end or to the end of the budget, or until it asks for a chart, or has examined so many boxes; did it finish?
    Ctrl-C ends it like a spent budget, and so does memory that the system refuses. `between` is called after every slice, of so many
    `steps`.
    """
    finished, begin, before = False, time.perf_counter(), s.iterations
    clock.boxes -= before
    clock.report(s)
    try:
        while not finished and s.pole is None and not clock.spent(s) and s.iterations < boxes:
            finished = advance(s, clock.steps(s, steps), clock.left)
            clock.report(s)
            if between is not None:
                between()
    except (KeyboardInterrupt, MemoryError):
        clock.interrupted = True
    clock.searched += time.perf_counter() - begin
    clock.boxes += s.iterations
    return finished
