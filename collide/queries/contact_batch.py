"""`contact_batch`: the earliest contact of a pair of bodies, for many values of the numbers in their formulas, with one compiled kernel for
all.

The formulas contain `generative.Parameter` symbols, and each row of values makes one pair (`rows`). Nothing is converted or compiled again
from row to row, nor for another batch of the same family (`generative.family`). Only rows that take long, or end in doubt, are asked like
single pairs.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from codegen.walk import nesting_in_words

from ..answers.batch import Batch, statuses
from ..bodies.on_face import on_face, own_box
from ..given import check_span, check_tolerance
from ..search.drive import CONVERTING, Budget, Clock, as_budget, drive
from ..search.options import Options, resolved
from ..search.search import Search
from ..timeline.evidence import Evidence, Query, within
from ..timeline.examine import shortly_before
from ..timeline.scene import Meeting, Scene
from ..timeline.stages import times, to_the_end
from .rows import Rows, checked

# As in `first_contact`: contacts this close to a known one are left out. A time is told alike in any unit of length (measured: patches
# from 1e-6 to 1e6 in size, in as many boxes; a graze in up to twice as many).
_SEPARATION, _TOLERANCE = 0.05, 1e-9
# Rows that need more boxes than this come last.
_PATIENCE = 20_000
_NONE, _CONTACT, _UNRESOLVED, _SPENT = range(4)


@nesting_in_words
def contact_batch(bodies: Sequence[Any], time: tuple[Any, Any], *, parameters: Mapping[Any, Any], tolerance: float = 1e-6,
                  budget: Budget | float | None = None) -> Batch:
    """When do two moving surfaces first meet, for n values of the parameters in their formulas?

    `bodies`: two ParametricSurface values with `generative.Parameter` symbols in their formulas, motions or domains. `parameters`
    {symbol: array (n,)} gives each of these symbols n numbers, doubles that count as exact; row k of the answer is for the k-th
    of each. `time`: as in `first_contact`. `tolerance`, a bracket width: that of the time. `budget`: seconds or a `Budget`, for
    all rows.

    The answer of a row is the least t of the span at which the closed surfaces meet, borders included: that of `first_contact` for
    bodies that start apart; surfaces that meet at time[0] do so at this very time. That one body may enclose another is not looked at.

    No hit is *proved* free of contact. CONTACT: `time` holds the earliest contact, and one is *proved* to exist within it; `parameters`
    (n, 4) are u1, v1, u2, v2 there, approximately. UNRESOLVED: no contact before time[0] of the bracket, and one is neither proved nor
    excluded near `parameters`; of a graze `time` is as wide as rounding leaves it open, some 1e-8, or more where bodies part slowly.
    BUDGET_SPENT: no contact before time[0], and one by time[1] where `proved`. Rotation matrices with parameters are taken on trust. Of a
    contact just at the end of the span the bracket may end a little later, as that of `first_contact`.

    Raises TypeError for other bodies than two ParametricSurface values, and ValueError for a symbol without values, values without a
    symbol, arrays of different lengths or with numbers that are not finite, a tolerance outside 1e-12 to 1, a time span that does not go
    forward, and a row in which a body has no position, as with a rotation axis of length zero.

    >>> import numpy as np
    >>> from collide import contact_batch
    >>> from generative import Parameter, ParametricSurface, Rigid, t, u, v
    >>> speed = Parameter("speed")
    >>> plate = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})
    >>> bowl = ParametricSurface([u, v, u**2 + v**2], {u: (-1, 1), v: (-1, 1)}).moved(Rigid(translation=[0, 0, 1 - speed * t]))
    >>> contact_batch([plate, bowl], (0, 2), parameters={speed: np.array([0.25, 1.0, 2.0])})
    Batch(3 problems, 2 hits, 2 of them proved)
    """
    span, tolerance, clock = check_span(time), check_tolerance(tolerance, 1e-12), Clock(as_budget(budget))
    values = checked(bodies, parameters)
    answer = _Answer(len(next(iter(values.values()))), span, tolerance)
    with clock.query():
        answer.solve_all(Rows(bodies, time, values), clock)
    return answer.batch()


class _Answer:
    """The answers to the rows, filled in as they come. A row that was not looked at is one of which nothing is known."""

    rows: Rows

    def __init__(self, n: int, span: tuple[float, float], tolerance: float) -> None:
        self.span, self.gap = span, tolerance
        self.codes, self.time = np.full(n, _SPENT), np.tile(np.array(span), (n, 1))
        self.where, self.proved, self.tests = np.full((n, 4), math.nan), np.zeros(n, bool), np.zeros(n, np.int64)

    def solve_all(self, rows: Rows, clock: Clock) -> None:
        """Rows that take long wait until the others are done. Then they, and rows in doubt, are asked like single pairs."""
        self.rows = rows
        clock.extend()
        for solve, open_ in ((self.solve, (_SPENT,)), (self.solve_in_stages, (_SPENT, _UNRESOLVED))):
            for k in np.flatnonzero(np.isin(self.codes, open_)).tolist():
                if clock.over:
                    return
                solve(k, clock)

    def solve_in_stages(self, k: int, clock: Clock) -> None:
        """Searches a row like a single pair: between the moments at which formulas change, and at each of these moments."""
        options = Options(simultaneity=resolved(self.gap, self.span), separation=_SEPARATION, tolerance=_TOLERANCE)
        before, found = clock.boxes, Evidence(None, False, self.span[0])
        scene = self.rows.single(k, self.span)
        if scene is None:
            return
        query = Query(scene, options, clock)
        for known in to_the_end(query, times(query)):
            found = known
        self.tests[k] += clock.boxes - before
        if found.search is None:
            if found.finished:
                self._set(k, _NONE, (math.nan, math.nan), False, None)
            else:
                self._spent(k, found.seen, math.inf, None)
            return
        own = _Known(found.search, found.meetings, scene)
        self._judge(k, own, found.finished or bool(found.features), (self.span[0], found.seen), found.proved, own.first())

    def solve(self, k: int, clock: Clock) -> None:
        """Searches a row. At each pole that the search meets it begins again where all is clear, with smooth parameters round that pole."""
        scene = self.rows.scene(k, self.span) if self.rows.creased else None
        (begin, end), proved, where = self.span, math.inf, None
        while True:
            with clock.doing(CONVERTING):
                meetings = [] if scene is None else [m for m in scene.meetings() if within(m, (begin, end))]
                problems = [self.rows.problem(k)] if scene is None else [scene.problem(m, (begin, end)) for m in meetings]
            if not problems:
                self._set(k, _NONE, (math.nan, math.nan), False, None)
                return
            with clock.doing(CONVERTING):
                search = Search(problems, Options(separation=_SEPARATION))
            search.proved, search.gap, search.share = proved, self.gap, 0.0
            finished = drive(search, clock, boxes=_PATIENCE)
            self.tests[k] += search.iterations
            if search.proved < proved:
                proved, where = search.proved, _Known(search, meetings, scene).first()
            if search.pole is None or clock.over:
                break
            clear = search.clear_until(search.possible_ones(), end)
            begin = shortly_before(clear, (begin, end))
            scene = scene or self.rows.scene(k, self.span)
            scene.use_chart(*search.pole)
        self._judge(k, _Known(search, meetings, scene), finished, (begin, end), proved, where)

    def _judge(self, k: int, known: "_Known", finished: bool, span: tuple[float, float], proved: float, where: np.ndarray | None) -> None:
        """Notes what a search of a row over a span of time tells. Contact is proved by the time `proved`, at the parameters `where`, or, if
        these are not known, at those of the first contact found.
        """
        search = known.search
        begins = search.times(search.solutions)[:, 0]
        found = [i for i in np.argsort(begins, kind="stable").tolist() if begins[i] <= proved and search.possible(i)]
        clear, end = max(span[0], search.clear_until(found, span[1])), self.span[1]
        if where is None and found:
            where = known.solution(found[0])
        if not finished:
            self._spent(k, clear, proved, where)
        elif proved < math.inf:
            self._set(k, _CONTACT, (clear, proved), True, where)
        elif found or search.clear < math.inf:
            latest = max([search.latest_left, *(search.latest(i) for i in found)])
            self._set(k, _UNRESOLVED, (clear, min(end, latest)), False, where)
        else:
            self._set(k, _NONE, (math.nan, math.nan), False, None)

    def _set(self, k: int, code: int, time: tuple[float, float], proved: bool, where: np.ndarray | None) -> None:
        self.codes[k], self.time[k], self.proved[k] = code, time, proved
        if where is not None:
            self.where[k] = where

    def _spent(self, k: int, clear: float, proved: float, where: np.ndarray | None) -> None:
        """Adds what is known of a row to what was known before. If there were doubts, they stay."""
        if self.codes[k] == _SPENT:
            (lo, hi), sure = self.time[k], bool(self.proved[k]) or proved < math.inf
            self._set(k, _SPENT, (max(lo, clear), min(hi, proved)), sure, where)

    def batch(self) -> Batch:
        return Batch(status=statuses(self.codes), hit=self.codes != _NONE, time=self.time, parameters=self.where, proved=self.proved,
                     tests=self.tests)


class _Known(NamedTuple):
    """A search of a row, and the meetings of a scene that it searched; without a scene it searched whole faces."""

    search: Search
    meetings: Sequence[Meeting]
    scene: Scene | None

    def first(self) -> np.ndarray | None:
        """u1, v1, u2, v2 of the contact that is proved to be the first. None if the search knows only its time."""
        number, box = self.search.best_problem, self.search.arrays["best"]
        known = box[self.search.problems[number].objective, 1] == self.search.proved
        return self._place(number, box) if known else None

    def solution(self, k: int) -> np.ndarray:
        """u1, v1, u2, v2 of a solution."""
        return self._place(self.search.owner(k), self.search.found(k))

    def _place(self, number: int, box: np.ndarray) -> np.ndarray:
        if self.scene is None:
            return np.asarray(box[:4].mean(axis=1))
        meeting, variables = self.meetings[number], self.search.problems[number].variables
        return np.array([on_face(part, own_box(variables, box, side), numbers) for side, (part, numbers) in enumerate(
            zip((meeting.first, meeting.second), self.scene.numbers, strict=True))]).ravel()
