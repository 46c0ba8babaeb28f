"""The driver that runs a search in slices within a budget."""

import math
import time
from collections.abc import Callable

from codegen.machine.loop_runtime import optimize_loops
from codegen.machine.tiers import compile_busy

from .clock import SEARCHING, Clock, Driven
from .native import layout

# Steps after which the clock is looked at first, and seconds between two looks from then on: so Ctrl-C and budgets are prompt, whatever a
# step takes. A search whose time is up before it begins has as many.
FIRST_PART, _PROMPT = 8, 0.05


def advance(s: Driven, steps: int, clock: Clock | None = None) -> bool:
    """Run one slice of the search. Return whether the search finished. It is the same slice in however many parts it is run, unless the
    clock ends it.
    """
    begin, reason, part, took = time.perf_counter(), layout.SLICE, FIRST_PART, 0.0
    while steps > 0 and reason == layout.SLICE and not (took > _PROMPT and clock and clock.over):
        part, before = min(steps, part), took
        reason, steps, took = s.run(part), steps - part, time.perf_counter() - begin
        part = next_part(part, took - before)
    if reason == layout.NEED_BOXES:
        s.grow_boxes()
    elif reason == layout.NEED_SOLUTIONS:
        s.grow_solutions()
    s.pause()
    return reason == layout.FINISHED


def next_part(part: int, seconds: float) -> int:
    """The amount of work before the next look at the clock, where a part took so many seconds."""
    return max(1, min(4 * part, int(part * _PROMPT / seconds))) if seconds > 0.0 else 4 * part


def compile_used() -> None:
    """Ask for machine code of what was used much; the search goes on meanwhile."""
    compile_busy()
    optimize_loops()


def drive(s: Driven, clock: Clock, between: Callable[[], None] | None = None, steps: int | None = None,
          boxes: float = math.inf) -> bool:
    """Run the search to its end or to the end of the budget, or until it asks for a chart, or has examined so many boxes. Return whether it
    finished. Ctrl-C ends it like a spent budget, and so does memory that the system refuses. `between` is called after every slice, of so
    many `steps`.
    """
    finished, before = False, s.iterations
    clock.boxes -= before
    clock.report(s)
    with clock.working(), clock.doing(SEARCHING):
        while not finished and s.pole is None and not clock.spent(s) and s.iterations < boxes:
            finished = advance(s, clock.steps(s, steps), clock)
            clock.report(s)
            if not finished:
                compile_used()
            if between is not None:
                between()
    clock.boxes += s.iterations
    return finished
