"""A question about a time span, asked of each of equal parts of it."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from codegen.given import shown
from generative.symbols import exact

from ..answers.distances import Clearance, DistanceStatus
from ..search.budget import Budget, as_budget
from ..search.clock import Clock

_AT_ONCE = 1e-3


@dataclass(frozen=True, eq=False)
class TimeParts:
    """A question to `query`, which is `clearance`, about some bodies and a time span."""

    query: Callable[..., Clearance]
    bodies: Sequence[Any]
    time: tuple[Any, Any]
    ignore: Iterable[Any]
    parameters: Mapping[Any, Any] | None

    def __call__(self, parts: int, tolerance: float, budget: Budget | float | None) -> list[Clearance]:
        """The answers for equal parts of the time span, all within one budget."""
        if isinstance(parts, bool) or not isinstance(parts, (int, np.integer)) or parts < 1:
            raise ValueError(f"parts must be a positive whole number, got {shown(parts)}")
        clock, (begin, end) = Clock(as_budget(budget)), (exact(e) for e in self.time)
        ends = [begin + (end - begin) * sp.Rational(k, int(parts)) for k in range(int(parts) + 1)]
        answers, spent = list[Clearance](), False
        for span in itertools.pairwise(ends):
            # After a spent budget, or Ctrl-C, boxes round the bodies say of each part what they do at once.
            rest = Budget(seconds=_AT_ONCE) if spent else clock.rest
            answers.append(self.query(self.bodies, span, tolerance=tolerance, ignore=self.ignore, parameters=self.parameters, budget=rest))
            spent = spent or answers[-1].status is DistanceStatus.BUDGET_SPENT
        return answers
