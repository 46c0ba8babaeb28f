"""Batches of queries about moving edges, points and triangles: decided in doubles where these tell, exactly elsewhere, within a budget."""

import contextlib
import math
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from codegen.deadline import TimeUp, check, interrupted, limited
from generative import Motion

from ...answers.batch import Batch, statuses
from ...given import check_span, check_tolerance
from ...search.budget import Budget, as_budget
from ..exact import feature_pairs as linear_exact
from .arguments import (
    Limit,
    Motions,
    Parameters,
    check_motions,
    check_moving_tolerance,
    check_straight,
    largest,
    refuse,
    shaped,
    symbols_of,
    values_of,
)
from .loop import GIVEN_UP, HIT, LANES, LARGEST, NOT_FINITE, UNDECIDED
from .memory import ANSWERS, NO_LIMIT, memory_of, run, single
from .motion_windows import motion_windows
from .moving_kernel import moving_window_kernel
from .straight_kernel import window_kernel

# 20 calls are twice what a straight contact at 1e-9 takes; the exact method then is quicker. A call takes about a microsecond. Queries
# of moving bodies that take more than _MOST_CALLS wait until all others are done, and then go on in such portions.
_CALLS, _MOST_CALLS = 20, 3000


class SpentLimit:
    """A budget being spent by one call: in one or several batches, of which those before the present one took `tests`."""

    def __init__(self, budget: Limit) -> None:
        self.budget, self.begin, self.tests, self.ended = as_budget(budget), perf_counter(), 0, False

    def left(self, tests: np.ndarray) -> int:
        """Calls of the kernel that are left when the present batch took `tests`, each of LANES windows."""
        b = self.budget
        if self.over:
            return 0
        return NO_LIMIT if b.boxes is None else max(0, int(b.boxes) - self.tests - int(tests.sum())) // LANES

    @property
    def over(self) -> bool:
        """Whether the time is up, or Ctrl-C was pressed."""
        self.ended = self.ended or interrupted() or perf_counter() - self.begin > (self.budget.seconds or math.inf)
        return self.ended

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """End the work within this context when the time is up, or by Ctrl-C; work after it ends at its first look at the clock."""
        end = self.begin + (self.budget.seconds or math.inf)
        try:
            with limited(lambda: -1.0 if self.ended else end - perf_counter()):
                yield
                self.ended = self.ended or interrupted()
        except (KeyboardInterrupt, TimeUp):
            self.ended = True


def first_contacts(q: Any, tolerance: float, face: bool, motions: Motions, time: Any, parameters: Parameters,
                    budget: "Limit | SpentLimit") -> Batch:
    if motions is not None:
        return _moving(q, tolerance, face, check_motions(motions), time, parameters, budget)
    limit = budget if isinstance(budget, SpentLimit) else SpentLimit(Budget(None) if budget is None else budget)
    if parameters:
        raise ValueError("parameters are for the symbols of motions=..., which are not given")
    tolerance = check_tolerance(tolerance, 1e-14)
    check_straight(time)
    if isinstance(q, np.ndarray) and q.shape == (1, 8, 3) and q.dtype == np.float64:
        # Half the time of a single query would go to memory made for it.
        out, left = single(window_kernel(face)).ask(q, tolerance, _CALLS)
    else:
        q = shaped(q, 8)
        out, left = _nothing(len(q), (0.0, 1.0)), 1
        with limit.working():
            check()
            memory = memory_of(None)
            memory.queries(window_kernel(face), q, out)
            memory.limits((0.0, 1.0), tolerance, _CALLS)
            left = run(memory, len(q), lambda: 0 if limit.over else NO_LIMIT)
    if left:
        _decide(q, tolerance, face, out, limit)
    verdict = out["verdict"]
    return Batch(statuses(verdict), verdict >= HIT, out["time"], out["parameters"], verdict == HIT, out["tests"])


def _nothing(n: int, span: tuple[float, float]) -> np.ndarray:
    """Answers to so many queries of which nothing is known."""
    out = np.empty(n, ANSWERS)
    out["time"], out["parameters"], out["verdict"], out["tests"] = span, np.nan, GIVEN_UP, 0
    return out


def _decide(q: np.ndarray, tolerance: float, face: bool, out: np.ndarray, limit: "SpentLimit") -> None:
    """The exact method for all undecided queries, as many as there is time for."""
    for k in np.flatnonzero(out["verdict"] == NOT_FINITE)[:1].tolist():
        refuse(k)
    which = np.flatnonzero(out["verdict"] >= UNDECIDED)
    out[which] = _nothing(1, (0.0, 1.0))
    with limit.working():
        for k, points in zip(which.tolist(), linear_exact.integers(q[which]), strict=True):
            check()
            answer = linear_exact.answer(points, face, tolerance)
            out["time"][k], out["parameters"][k] = (np.nan, np.nan) if answer is None else answer
            out["verdict"][k] = answer is not None


def _moving(q: Any, tolerance: float, face: bool, motions: tuple[Motion, Motion], time: Any, parameters: Parameters,
            budget: "Limit | SpentLimit") -> Batch:
    limit = budget if isinstance(budget, SpentLimit) else SpentLimit(budget)
    span = check_span(time)
    tolerance = check_moving_tolerance(tolerance, span)
    q = shaped(q, 4)
    if largest(q) > LARGEST:
        raise ValueError(f"coordinates of moving bodies must not exceed {LARGEST:g} in size, got {np.abs(q).max():g}")
    # What the budget leaves undone is given up.
    n, out = len(q), _nothing(len(q), span)
    values = values_of(parameters, n)
    bracket, places, verdict, tests = (out[name] for name in ("time", "parameters", "verdict", "tests"))
    with limit.working():
        check()
        memory = memory_of(motion_windows(*motions, symbols=symbols_of(parameters)))
        memory.queries(moving_window_kernel(face), q, out, values)
        # So that no query takes what others need.
        memory.limits(span, tolerance, min(_MOST_CALLS, max(_CALLS, limit.left(tests) // max(n, 1))))
        left = run(memory, n, lambda: limit.left(tests))
        while left and (verdict == GIVEN_UP).any() and limit.left(tests):
            memory.again()
            run(memory, n, lambda: limit.left(tests))
    limit.tests += int(tests.sum())
    if face:
        places[:, 1] = np.minimum(places[:, 1], 1.0 - places[:, 0])
    return Batch(statuses(verdict), verdict >= HIT, bracket, places, verdict == HIT, tests)


assert (HIT, UNDECIDED, GIVEN_UP) == (1, 2, 3), "the codes of `statuses`"
