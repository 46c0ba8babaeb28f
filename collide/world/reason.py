"""Reasons of runs that end before their end: one sentence each, of bodies, a time, the obstacle, and the advice.

Reasons of UNRESOLVED runs and activities of BUDGET_SPENT runs share the form: "At t = 0.5, body 0 and body 1 ("cup") hit each other, and
no impulses obey Coulomb's law at all of their contacts; lower their friction."
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from codegen.interval import Interval

from ..search.clock import CONVERTING, Clock

Called = Callable[[int], str]
"""The name of a body in messages, by its number."""


@dataclass(frozen=True)
class Reason:
    """The reason why a run cannot go on: `bodies`, by the names that messages give them; the `time`, or the bracket of one; the `obstacle`,
    a predicate of these bodies; and the `advice`, an imperative.
    """

    bodies: tuple[str, ...]
    time: float | Interval
    obstacle: str
    advice: str

    def __str__(self) -> str:
        if isinstance(self.time, float):
            when = f"At t = {self.time!r}"
        else:
            when = f"Between t = {self.time[0]!r} and t = {self.time[1]!r}"
        return f"{when}, {together(self.bodies)} {self.obstacle}; {self.advice}."

    @classmethod
    def of(cls, called: Called, bodies: Iterable[int], time: float | Interval, obstacle: str, advice: str) -> "Reason":
        """With bodies by their numbers."""
        return cls(tuple(map(called, bodies)), time, obstacle, advice)


class Undecided(Exception):
    """A run cannot go on for a `reason`, or, if that is None, since the budget is spent."""

    def __init__(self, reason: Reason | None = None) -> None:
        super().__init__("" if reason is None else str(reason))
        self.reason = reason


class WorkKind(Enum):
    """Activities of a run; each value is a clause about the bodies `{}`."""

    SET_UP = "the formulas of {} were being set up"
    START = "the state of {} at the start was being decided"
    SEARCH = "the next contact of {} was being searched"
    COMPILE = "formulas for the next contact of {} were being compiled"
    CONTACT = "the contact of {} was being followed"
    IMPACT = "the impulses between {} were being computed"


class Activity(NamedTuple):
    """The latest activity of a run: `work` on `bodies`, at a `time` of the run; `since`: a time of the computer, and `converted`: the
    seconds that went to compiling up to then.
    """

    work: WorkKind
    bodies: tuple[int, ...]
    time: float
    since: float = 0.0
    converted: float = 0.0

    @classmethod
    def search(cls, bodies: tuple[int, ...], when: float, clock: Clock) -> "Activity":
        """A search of a pair, which begins by compiling its formulas."""
        return cls(WorkKind.SEARCH, bodies, when, time.perf_counter(), clock.went_to.get(CONVERTING, 0.0))

    def now(self, clock: Clock) -> "Activity":
        """The same, or compiling where most of the time of a search went to that."""
        compiling = clock.went_to.get(CONVERTING, 0.0) - self.converted
        most = self.work is WorkKind.SEARCH and 2.0 * compiling > time.perf_counter() - self.since
        return Activity(WorkKind.COMPILE, self.bodies, self.time) if most else self

    def spent(self, called: Called) -> str:
        """A sentence for a run that was interrupted in it."""
        doing = self.work.value.format(together(tuple(map(called, self.bodies))))
        return f"At t = {self.time!r}, {doing}; resume the run with more budget."


def together(names: tuple[str, ...]) -> str:
    """Names in words: "a", "a and b", "a, b and c"; of more than six, the first five and the number of the others."""
    if len(names) > 6:
        names = *names[:5], f"{len(names) - 5} more"
    return " and ".join([", ".join(names[:-1])] * (len(names) > 1) + [*names[-1:]])
