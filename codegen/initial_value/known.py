"""Knowledge of a solution of differential equations: its span, the reason for its end, and values in doubles."""

from typing import Any, NamedTuple

import numpy as np

from ..from_sympy import flow_of
from ..functions.solutions import Solution
from ..graph import flows
from ..graph.families import for_all
from ..interval import Interval
from ..reference.solution import approximated


class ProvedSpan(NamedTuple):
    """The times from the start for which a solution is proved to exist and enclosed; and sentences that say why no earlier and no later
    ones are, empty where the span that was asked for is covered.
    """

    span: Interval
    before: str
    after: str


def known(solution: Solution) -> ProvedSpan:
    """ValueError where nothing is proved of it."""
    flow = flow_of(solution.problem)
    table = flows.table(for_all(flow) if flow.ranges else flow)
    if not len(table.base):
        raise ValueError(f"nothing is proved of {solution} beside its start: {table.reason[1] or table.reason[0]}")
    return ProvedSpan(Interval(float(table.ends[0]), float(table.ends[-1])), *table.reason)


def approximate(solution: Any, at: np.ndarray) -> np.ndarray:
    """Values at times from the start, in doubles; NaN beyond what is known. ValueError for one that depends on parameters."""
    if solution.problem.parameters:
        raise ValueError(f"{solution} has no value without numbers for its parameters; substitute numbers")
    return approximated(solution.component, flow_of(solution.problem), at)
