"""`clearance_batch`: the least distance of bodies, for many values of the numbers in their formulas."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.walk import nesting_in_words

from ..answers.distances import ClearanceBatch, DistanceStatus
from ..bodies.mesh import Mesh
from ..bodies.parameters import substituted
from ..given import check_positive, check_span
from ..polyhedra.distance.mesh_distance import MeshDistanceBounds
from ..search.budget import Budget, as_budget
from ..search.clock import Clock
from ..timeline.nearest import Asked
from ..timeline.neighbourhood import Found
from .arguments import check_bodies, ignored_pairs
from .clearance_rows import RowBrackets as Together
from .clearance_rows import searched_together
from .coincident_notes import coincident_notes
from .distance import TINY, as_asked, nearest_of, search_pairs, status_of, verdict_of
from .distance_of_meshes import known
from .gaps import refuse_gaps
from .rows import RowFamilies, check_rows, checked, shared
from .undecided_rows import with_undecided


@nesting_in_words
def clearance_batch(bodies: Sequence[Any], time: tuple[Any, Any], at_least: float | None = None, *, parameters: Mapping[Any, Any],
                    tolerance: float = 1e-9, ignore: Iterable[Any] = (), executor: Any = None, budget: Budget | float | None = None,
                    progress: bool = False) -> ClearanceBatch:
    """Bracket how near moving bodies come to each other, for n values of the parameters in their formulas.

    Parameters
    ----------
    bodies, time, at_least
        As in `clearance`.
    parameters : mapping
        {symbol: array (n,)}, as in `contact_batch`.
    tolerance : float, optional
        `tolerance`, a bracket width: as in `clearance`.
    ignore, executor : optional
        As in `contact_batch`.
    budget : float or Budget, optional
        Seconds or a `Budget`, for all rows; None is 60 seconds.
    progress : bool, optional
        Show a bar.

    Returns
    -------
    ClearanceBatch
        For each row the bracket, the verdict and one pair of nearest points, as `clearance` gives them. Whether one body is inside another
        is not looked at.

    Raises
    ------
    TypeError, ValueError
        As `contact_batch`. ValueError also for a distance `at_least` that is not positive, for a solid with a gap (`Solid.gap`), and for a
        row in which an implicit body is too small for `clearance`.

    Notes
    -----
    Brackets *enclose* the least distances; a verdict is *proved*, or None. Points *approximate*.

    Examples
    --------
    >>> import numpy as np
    >>> from collide import clearance_batch
    >>> from generative import Parameter, ParametricSurface, Rigid, t, u, v
    >>> height = Parameter("height")
    >>> plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    >>> bowl = ParametricSurface([u, v, u**2 + v**2], {u: (-1, 1), v: (-1, 1)}).moved(Rigid(translation=[0, 0, height - t]))
    >>> clearance_batch([plate, bowl], (0, 1), 0.5, parameters={height: np.array([1.25, 2.0])}).verdict.tolist()
    [False, True]
    """
    span, clock = check_span(time), Clock(as_budget(budget), progress)
    values = checked(bodies, parameters)
    refuse_gaps(bodies, "clearance_batch counts none")
    asked = as_asked(tolerance, None, math.inf if at_least is None else check_positive("at_least", at_least))._replace(one=True)
    ignored = ignored_pairs(ignore, bodies)
    if executor is not None and len(next(iter(values.values()))):
        with clock.working():
            check_rows(bodies, time, span, values, ignored, TINY)
        together = shared(clearance_batch, bodies, time, values, executor, clock, at_least, tolerance=tolerance, ignore=ignore)
        return with_undecided(together, clock)
    answer = _Answer(len(next(iter(values.values()))), asked)
    with clock.query():
        rows = RowFamilies(bodies, time, span, values, ignored)
        rows.check_sizes(TINY)
        answer.solve_all(rows, clock)
    return with_undecided(answer.batch(), clock)


class _Answer:
    """The answers to the rows, filled in as they come."""

    def __init__(self, n: int, asked: Asked) -> None:
        self.asked, self.notes = asked, tuple[str, ...]()
        self.status, self.bracket = np.full(n, DistanceStatus.BUDGET_SPENT, object), np.tile([0.0, math.inf], (n, 1))
        self.times, self.pairs = np.full((n, 2), math.nan), np.full((n, 2), -1)
        self.points, self.tests = np.full((n, 2, 3), math.nan), np.zeros(n, np.int64)

    def solve_all(self, rows: RowFamilies, clock: Clock) -> None:
        self.notes = coincident_notes(rows.bodies, rows.span)
        clock.extend()
        for some in searched_together(rows, self.asked, clock):
            self._tell(some)
        for k in np.flatnonzero(self.status == DistanceStatus.BUDGET_SPENT).tolist():
            if clock.exceeded():
                return
            self.solve(k, rows, clock)

    def _tell(self, some: Together) -> None:
        """Notes what is known of some rows."""
        own, here = some.numbers, np.isfinite(some.bracket[:, 1])
        self.bracket[own], self.times[own], self.points[own], self.tests[own] = some.bracket, some.times, some.points, some.tests
        self.pairs[own[here]] = 0, 1
        found = DistanceStatus.MEASURED if self.asked.reach == math.inf else DistanceStatus.NEARER
        self.status[own[here]], self.status[own[~here]] = found, DistanceStatus.CLEAR

    def solve(self, k: int, rows: RowFamilies, clock: Clock) -> None:
        """One row: by the formulas of the families, or with numbers in them where these make formulas of their own, or for meshes."""
        given = {s: sp.Rational(float(array[k])) for s, array in rows.values.items()}
        meshes = any(isinstance(body, Mesh) for body in rows.bodies)
        own = self._with(given, k, rows) if rows.is_single(k) or rows.follows or meshes else rows.bodies
        ranges = {} if own is not rows.bodies else {s: (e, e) for s, e in given.items()}
        found, between, before = Found(), MeshDistanceBounds(), clock.boxes
        scene = search_pairs(own, (rows.time, rows.span), rows.ignored, ranges, (self.asked, clock), found, between)
        outcome = known(found, between)
        with clock.reporting():
            points = nearest_of(own, scene, found, between)
            if len(points.points):
                self.times[k], self.pairs[k], self.points[k] = points.times[0], points.pairs[0], points.points[0]
        self.status[k], self.tests[k] = status_of(outcome, self.asked), clock.boxes - before
        self.bracket[k] = (0.0, 0.0) if outcome.meets else (outcome.lower + 0.0, outcome.upper)

    @staticmethod
    def _with(given: Mapping[Any, Any], k: int, rows: RowFamilies) -> Sequence[Any]:
        """The bodies with the numbers of a row in their formulas."""
        own = [substituted(body, given) for body in rows.bodies]
        try:
            check_bodies(own, rows.span)
        except ValueError as error:
            raise ValueError(f"row {k}: {error}") from error
        return own

    def batch(self) -> ClearanceBatch:
        verdict = np.array([verdict_of(s) for s in self.status], object)
        return ClearanceBatch(self.status, self.bracket, verdict, self.times, self.pairs, self.points, self.tests, self.notes)
