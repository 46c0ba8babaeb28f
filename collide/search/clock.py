"""A budget being spent, and what the time goes to."""

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from codegen.deadline import TimeUp, interrupted, limited
from codegen.machine.loop_runtime import optimize_loops
from codegen.machine.tiers import begin_query, compile_repeated
from codegen.remembered import Working, forget_if_much

from .budget import Budget
from .progress import Progress, duration

T = TypeVar("T")

# Steps a slice: some tens of milliseconds, for progress; and where a step contracts by propagation in halves.
_SLICE, _SHORT = 2000, 20
# Seconds that an answer takes for each box that it lists, about: so much earlier a search stops (`Clock.spent`).
READING = 2.5e-6
# Seconds for which the conversion of a formula may go on when the time is up, again as much what is set up then (`extend`), and what an
# answer may take: a fifth of a second in all.
GRACE = _REPORT = 0.06
# What the time of a query goes to.
PREPARING, CONVERTING = "looking at the bodies", "converting and compiling formulas"
SEARCHING, REPORTING = "searching", "comparing what was found"


class Driven(Protocol):
    """Work that can be driven: a search that runs in slices (`state.Search`, and that of `bezier.time_dependent`)."""

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
    def proved(self) -> float: ...

    @property
    def pole(self) -> Any: ...

    @property
    def bytes(self) -> int: ...

    def run(self, steps: int) -> int: ...

    def pause(self) -> None: ...

    def grow_boxes(self) -> None: ...

    def grow_solutions(self) -> None: ...


Watch = Callable[[Driven, int, float], int]
"""Told of a search, the boxes examined before it, and the seconds since the query began; returns the steps of the next slice."""

_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


class Stop(Protocol):
    """A flag like `threading.Event`."""

    def set(self) -> None: ...

    def is_set(self) -> bool: ...


_stop: ContextVar[Stop | None] = ContextVar("stop", default=None)


@contextlib.contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Within it, every search of this thread reports to `watch`, before its first slice and after each (see `trace`)."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


@contextlib.contextmanager
def stopping(stop: Stop | None) -> Iterator[None]:
    """Within it, every query of this thread ends as by Ctrl-C once `stop` is set."""
    token = _stop.set(stop)
    try:
        yield
    finally:
        _stop.reset(token)


class Clock:
    """A budget being spent, over one or several searches. `boxes`: examined before the present search. `reading`: seconds that the answer
    takes for each box that is left: so much earlier a search stops. `went_to`: the seconds that each kind of work took, see `doing`.
    """

    def __init__(self, budget: Budget, progress: bool = False, reading: float = 0.0) -> None:
        self.budget, self.start, self.boxes = budget, time.perf_counter(), 0
        self._end = math.inf if budget.seconds is None else self.start + budget.seconds
        self._interrupted, self.refused, self._late, self.reached = False, False, False, ""
        self._stop = _stop.get()
        self._reading, self._grace = reading, GRACE
        # So many solutions end a search.
        self._solutions: int | None = None
        self.went_to: dict[str, float] = {}
        # The bodies whose formulas are being converted.
        self.converting: tuple[int, int] | None = None
        self.work, self._since = PREPARING, self.start
        begin_query()
        forget_if_much()
        self.slice: int | None = None
        self._watch = _watch.get()
        self._bar = Progress() if progress else None

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.start

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C was pressed, also in the thread that shares the work out, or memory was refused."""
        return self._interrupted or interrupted() or (self._stop is not None and self._stop.is_set())

    @interrupted.setter
    def interrupted(self, value: bool) -> None:
        self._interrupted = value

    @property
    def over(self) -> bool:
        """Whether the time is up, Ctrl-C was pressed, or memory was refused."""
        return self.interrupted or time.perf_counter() > self._end

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return 0.0 if self.interrupted else self._end - time.perf_counter()

    @property
    def rest(self) -> Budget:
        """The rest of the budget."""
        seconds = None if self.budget.seconds is None else max(self.left, 1e-3)
        return Budget(seconds, None if self.budget.boxes is None else max(self.budget.boxes - self.boxes, 1), self.budget.bytes)

    @property
    def counts(self) -> bool:
        """Whether a limit other than the time ends the work, or a caller hears of every slice."""
        return self._watch is not None or not self.budget.boxes is self.budget.bytes is None

    @contextlib.contextmanager
    def at_most(self, boxes: int, share: float = 1.0, solutions: int | None = None) -> Iterator[None]:
        """Context in which work ends after so many boxes more, after that share of the time that is left, or when a search has found so
        many solutions and proved none.
        """
        whole, reached, end, late, self._solutions = self.budget, self.reached, self._end, self._late, solutions
        most = self.boxes + boxes
        self.budget = replace(whole, boxes=most if whole.boxes is None else min(most, whole.boxes))
        self._end = end - (1.0 - share) * self.left if share < 1.0 and math.isfinite(end) else end
        try:
            yield
        finally:
            self.budget, self.reached, self._end, self._late, self._solutions = whole, reached, end, late, None
            self.exceeded()

    # -- what ends the work -------------------------------------------------------------------------------------------

    def working(self) -> "_Work":
        """Context in which work ends when the time is up, by Ctrl-C, and where the system refuses memory. Work that does not look at the
        clock itself, as the conversion of formulas, has `GRACE` seconds more to come to its end.
        """
        return _Work(self, lambda: -1.0 if self.interrupted else self.left + self._grace)

    @contextlib.contextmanager
    def query(self) -> Iterator[None]:
        """A whole query, except its answer."""
        try:
            with self.working():
                yield
        finally:
            self.close()

    def read(self, make: Callable[[], T]) -> T:
        """Read the result of a search that has ended by `make`. Ctrl-C meanwhile is noted, and it is read once more."""
        try:
            return make()
        except KeyboardInterrupt:
            self.interrupted = True
            return make()

    def extend(self) -> None:
        """Leave at least `GRACE` from now on for what is set up, so that what is known already is searched."""
        self._grace = max(self._grace, GRACE - self.left)

    def reporting(self) -> "_Work":
        """The context of `working` for what makes the answer: it has what is left of the budget, and some milliseconds more."""
        end = self.seconds + max(self.left, 0.0) + _REPORT
        return _Work(self, lambda: end - self.seconds, REPORTING)

    def end_by(self, error: type[BaseException] | None) -> bool:
        """Whether the exception is one that ends work before its end. It is noted."""
        if error is None or not issubclass(error, (KeyboardInterrupt, MemoryError, TimeUp)):
            return False
        self.interrupted = self.interrupted or not issubclass(error, TimeUp)
        self.refused = self.refused or issubclass(error, MemoryError)
        return True

    def exceeded(self) -> bool:
        """Whether the time is up, or too many boxes were examined, by work that is no search."""
        return self.over or self._counted(self.boxes, 0)

    def spent(self, s: Driven) -> bool:
        """Whether the budget is spent. Before the first step of a search its time is not, so that compiled code is used."""
        reading = self._reading * (s.open_count + s.solution_count)
        late = s.steps > 0 and self.left <= reading
        self._late = self._late or bool(late and not self.reached)
        many = self._solutions is not None and s.solution_count > self._solutions and not s.proved < math.inf
        return bool(late or many or self.interrupted or self._counted(self.boxes + s.iterations, s.bytes))

    def _counted(self, boxes: int, size: int) -> bool:
        """Whether a limit of boxes or of bytes is reached. The first one is remembered."""
        if self.budget.boxes is self.budget.bytes is None:
            return False
        for limit, used, name in ((self.budget.boxes, boxes, "boxes"), (self.budget.bytes, size, "bytes")):
            if limit is not None and used > limit:
                self.reached = self.reached or f"the limit of {name}, {limit:,}"
                return True
        return False

    @property
    def late(self) -> bool:
        """Whether the time ended the work."""
        return not (self.interrupted or self.reached) and (self._late or self.over)

    @property
    def ended(self) -> bool:
        """Whether a limit of the budget ended a search, or Ctrl-C did."""
        return bool(self.interrupted or self.reached or self.late)

    def reason(self) -> str:
        """The cause that ended the work before its end, in words."""
        if self.interrupted:
            return "The work ended as the system refused memory." if self.refused else "The work was interrupted."
        limit = f"the limit of {duration(self.budget.seconds or 0.0)}" if self.late else self.reached
        return f"What ended the work is {limit}." if limit else "The work was given up, with some of the budget left."

    # -- what the time goes to ----------------------------------------------------------------------------------------

    def doing(self, work: str) -> "_Kind":
        """The time within it counts as that kind of work, and as no other."""
        return _Kind(self, work)

    def turn_to(self, work: str) -> str:
        """Count the time from now on as that kind of work. Return what it counted as before."""
        now, before = time.perf_counter(), self.work
        self.went_to[before] = self.went_to.get(before, 0.0) + now - self._since
        self.work, self._since = work, now
        return before

    def account(self) -> str:
        """The kinds of work that the seconds went to so far, in words, the most first."""
        self.turn_to(self.work)
        parts = [f"{duration(seconds)} to {work}" for work, seconds in sorted(self.went_to.items(), key=lambda item: -item[1])]
        return f"Of {duration(self.seconds)} went {', '.join(parts)}."

    # -- slices -------------------------------------------------------------------------------------------------------

    def steps(self, s: Driven, wanted: int | None = None) -> int:
        """Steps of the next slice; fewer, at 8 boxes a step, where the boxes of the budget end sooner."""
        usual = self.slice or wanted or (_SHORT if any(p.propagate for p in s.problems) else _SLICE)
        if self.budget.boxes is None:
            return usual
        return max(1, min(usual, (self.budget.boxes - self.boxes - s.iterations) // 8))

    def report(self, s: Driven) -> None:
        self.tell(s.open_count, s.solution_count, s.iterations)
        if self._watch is not None:
            self.slice = self._watch(s, self.boxes, self.seconds)

    def tell(self, still_open: int, found: int, iterations: int = 0) -> None:
        """Let the progress bar, if there is one, show so many boxes."""
        if self._bar is not None:
            self._bar.searching(self.boxes + iterations, still_open, found)

    def close(self) -> None:
        """The query ends: code that makes the next ones faster is asked for. Ctrl-C ends that, and changes no answer."""
        with contextlib.suppress(KeyboardInterrupt):
            optimize_loops(ended=True)
            compile_repeated()
        if self._bar is not None:
            self._bar.close()


class _Kind:
    """See `Clock.doing`."""

    def __init__(self, clock: Clock, work: str) -> None:
        self._clock, self._work = clock, work

    def __enter__(self) -> None:
        self._before = self._clock.turn_to(self._work)

    def __exit__(self, *error: object) -> None:
        self._clock.turn_to(self._before)


class _Work:
    """See `Clock.working`; of a kind, or of that it is in. What ends it is noted, also where it comes just as the work does end."""

    def __init__(self, clock: Clock, left: Callable[[], float], work: str = "") -> None:
        self._clock, self._limit, self._kind = clock, limited(left), _Kind(clock, work or clock.work)
        self._working = Working()

    def __enter__(self) -> None:
        self._working.__enter__()
        self._kind.__enter__()
        self._limit.__enter__()

    def __exit__(self, error: type[BaseException] | None, *rest: object) -> bool:
        self._clock.interrupted = self._clock.interrupted
        try:
            self._limit.__exit__()
        except BaseException as late:
            if not self._clock.end_by(type(late)):
                raise
        finally:
            self._kind.__exit__()
            self._working.__exit__()
        return self._clock.end_by(error)
