"""A search observed: its bracket and its open boxes after every few steps, for pictures and for study.

The native loop is not touched: Python drives it in slices anyway, and only makes them short. A trace takes longer than the query
by itself, and the seconds that it takes for its snapshots count against the budget of the query: one that is nearly spent without a
trace may be spent with it. Otherwise the answer is the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from codegen.walk import nesting_in_words

from ..answers.table import ROWS, card
from ..given import takes_separation
from ..picture.search import search_figure
from ..search.clock import Driven, watched
from ..search.problem import Problem
from ..search.search import Search
from .first_contact import first_contact

MOST = 256
"""Snapshots kept; when there are more, every other is dropped and slices become twice as long."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state of a search between two slices.

    `iterations` boxes have been examined so far in `seconds` of the query. Before `lower` no contact is possible (*proved*; of what
    this stage of the search looks at); `upper` is the time by which one is *proved*, inf before that. `boxes`: pairs (problem,
    box (variables, 2)) of everything still queued.
    """

    iterations: int
    seconds: float
    lower: float
    upper: float
    boxes: Sequence[tuple[Problem, np.ndarray]] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Trace:
    """The answer of a query and the snapshots of its search, the first before the first step."""

    answer: Any
    snapshots: Sequence[Snapshot]

    def __len__(self) -> int:
        return len(self.snapshots)

    def __repr__(self) -> str:
        return f"Trace({len(self)} snapshots of {self.answer!r})"

    @property
    def iterations(self) -> np.ndarray:
        """(k,) boxes examined."""
        return np.array([s.iterations for s in self.snapshots])

    @property
    def seconds(self) -> np.ndarray:
        """(k,) seconds since the query began."""
        return np.array([s.seconds for s in self.snapshots])

    @property
    def bracket(self) -> np.ndarray:
        """(k, 2): lower and upper bound of the objective, the time of contact or the least value; infinite where not known."""
        return np.array([(s.lower, s.upper) for s in self.snapshots]).reshape(-1, 2)

    def boxes(self) -> dict[Problem, list[tuple[int, np.ndarray]]]:
        """For each problem all boxes that were seen open, once each, with the number of the snapshot that first saw them."""
        found: dict[Problem, dict[bytes, tuple[int, np.ndarray]]] = {}
        for k, snapshot in enumerate(self.snapshots):
            for problem, box in snapshot.boxes:
                found.setdefault(problem, {}).setdefault(box.tobytes(), (k, box))
        return {problem: list(boxes.values()) for problem, boxes in found.items()}

    def show(self) -> Any:
        """The figure of the search (plotly), shown in a notebook or browser: see `collide.picture.search.search_figure`."""
        return search_figure(self).show()

    def _repr_html_(self) -> str:
        """The answer, and how the bracket narrowed."""
        chosen = sorted({round(j * (len(self) - 1) / (ROWS - 1)) for j in range(ROWS)}) if len(self) else []
        seen = [self.snapshots[k] for k in chosen]
        rows = [[f"{s.iterations:,}", f"{s.lower:.12g}", f"{s.upper:.12g}", f"{len(s.boxes):,}"] for s in seen]
        return card(repr(self), ["boxes examined", "lower bound", "upper bound", "open boxes"], rows, len(rows), "row")


@takes_separation
@nesting_in_words
def trace(query: Any, *arguments: Any, **options: Any) -> Trace:
    """Run a query and record its search.

    Parameters
    ----------
    query : sequence or callable
        A list of bodies, for `first_contact`, or a function of `collide` that searches: `first_contact`, `solve`, `minimize`.
    *arguments, **options
        Handed to the query.

    Returns
    -------
    Trace
        With the `answer` of the query, and `snapshots`, the first before the first step.

    Raises
    ------
    TypeError, ValueError
        As the query.

    Notes
    -----
    The snapshots spend the query's own budget of seconds: for a long search give it more than the query alone needs. Otherwise the answer
    is the same.

    Examples
    --------
    >>> import sympy as sp
    >>> import collide
    >>> x = sp.Symbol("x", real=True)
    >>> traced = collide.trace(collide.solve, [x**2 - 2], {x: (0, 2)})
    >>> len(traced.answer), bool((traced.iterations[1:] >= traced.iterations[:-1]).all())
    (1, True)
    """
    run: Callable[..., Any] = query if callable(query) else first_contact
    recorder = _Recorder()
    with watched(recorder):
        answer = run(*(arguments if callable(query) else (query, *arguments)), **options)
    return Trace(answer, tuple(recorder.snapshots))


class _Recorder:
    """Takes the snapshots, and keeps their number within MOST."""

    def __init__(self) -> None:
        self.snapshots: list[Snapshot] = []
        self.steps = 1

    def __call__(self, s: Driven, before: int, seconds: float) -> int:
        if not isinstance(s, Search):
            return self.steps
        self.snapshots.append(_snapshot(s, before, seconds))
        if len(self.snapshots) > MOST:
            del self.snapshots[1:-1:2]
            self.steps *= 2
        return self.steps


def _snapshot(s: Search, before: int, seconds: float) -> Snapshot:
    boxes = [(s.problems[p], box.copy()) for p, box in s.open_boxes()]
    left = [*boxes, *((s.problems[s.owner(k)], s.found(k)) for k in s.solutions)]
    lows = [float(box[p.objective, 0]) for p, box in left if p.objective is not None]
    lower = min([s.clear, *lows]) if any(p.objective is not None for p in s.problems) else -np.inf
    return Snapshot(before + s.iterations, seconds, lower, s.proved, boxes)
