"""The answer of `minimize`."""

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

import numpy as np

from codegen.interval import Interval

from ..answers.consistency import check_bracket
from ..answers.contacts import effort
from ..answers.table import ROWS, card, counted, interval


class MinimumStatus(Enum):
    """The outcome of `minimize`; each value is its sentence."""

    OPTIMAL = "The global minimum is proved to lie in the bracket, which is as narrow as asked for."
    INFEASIBLE = "No point of the domain satisfies the constraints: proved."
    UNRESOLVED = "The search ended with a bracket wider than asked for, or without a proof that a feasible point exists."
    BUDGET_SPENT = "The budget was spent before the bracket was as narrow as asked for."

    def __repr__(self) -> str:
        return f"MinimumStatus.{self.name}"


@dataclass(frozen=True, eq=False)
class Minimum:
    """The global minimum of a function over the feasible points of a box.

    `bracket` provably holds the minimum if there is a feasible point at all; its upper end is finite where one is
    proved, and then f is no larger there. `point` (n,) is the middle of `feasible` (n, 2), a box proved to hold such a
    feasible point; None where none was proved. `boxes` (k, n, 2) together hold every global minimizer. `unique` (k,): the
    box encloses a single zero of the necessary conditions (a point with its multipliers), to rounding; the others are
    hulls of undivided boxes. `notes` are further sentences of the summary.
    """

    status: MinimumStatus
    bracket: Interval
    boxes: np.ndarray
    unique: np.ndarray
    point: np.ndarray | None
    feasible: np.ndarray | None
    variables: tuple[str, ...]
    iterations: int
    seconds: float
    notes: tuple[str, ...] = ()
    _words: ClassVar[tuple[str, str]] = "minimum", "minimizers"

    def __post_init__(self) -> None:
        check_bracket(f"the {self._words[0]}", *self.bracket)

    @property
    def exists(self) -> bool:
        """Whether a feasible point is *proved* to exist, with a value in the bracket."""
        return self.feasible is not None

    def __repr__(self) -> str:
        lo, hi = self.bracket
        return f"{type(self).__name__}({self.status.name}, bracket=[{lo!r}, {hi!r}], {counted(len(self.boxes), 'box')})"

    def _repr_html_(self) -> str:
        """The summary, the bracket of the minimum, and the boxes that hold all minimizers."""
        rows = [[*map(interval, box)] for box in self.boxes[:ROWS]]
        return card(self.summary(), list(self.variables), rows, len(self.boxes), "box")

    def summary(self) -> str:
        """One paragraph: what was proved, and what was not."""
        sentences = [self.status.value]
        if self.status.name != "INFEASIBLE":
            extremum, places = self._words
            sure = "" if self.point is not None else ", if there is a feasible point,"
            sentences.append(f"The {extremum}{sure} lies in [{self.bracket.lo!r}, {self.bracket.hi!r}].")
            one = len(self.boxes) == 1
            sentences.append(f"All global {places} lie in {'one box' if one else f'{len(self.boxes)} boxes'}.")
        return " ".join([*sentences, *self.notes, effort(self.iterations, self.seconds)])
