"""`contact_batch`: the earliest contact of a pair of bodies for many values of the numbers in their formulas, one compiled kernel for all.

The bodies are formulas that contain `generative.Parameter` symbols; every row of the values is one pair. Nothing is converted or compiled
again from row to row, nor for another batch of the same family (`generative.family`).
"""

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import enclose, framed
from generative import ParametricSurface, u, v
from generative.changes import with_formulas
from generative.chart import from_chart, pole_chart
from generative.creases import may_be_creased
from generative.family import Member, member_of
from generative.symbols import parameters_of

from ..answers.batch import Batch, statuses
from ..bodies.numbers import Numbers, end_kernel
from ..bodies.parts import Parametric, faces_of
from ..bodies.surface_points import position_kernel
from ..given import as_doubles, check_span, check_tolerance
from ..moment.start import Start
from ..search.drive import Budget, Clock, as_budget, drive
from ..search.problem import Problem
from ..search.search import Search
from ..situations.contact import situation
from ..timeline.evidence import Found, within
from ..timeline.scene import Meeting, Scene, closed_border
from .first_contact import shortly_before, stages

# As in `first_contact`: contacts this close to a known one are left out.
_SEPARATION, _TOLERANCE = 0.05, 1e-9
# Rows that need more boxes than this come last.
_PATIENCE = 20_000
_NONE, _CONTACT, _UNRESOLVED, _SPENT = range(4)
# Points of a domain and a span of time, as shares, where surfaces are looked at for a position.
_SOMEWHERE = np.array([[0.5] * 5, [0.31, 0.73, 0.67, 0.19, 0.41], [0.83, 0.23, 0.11, 0.59, 0.77], [0.07, 0.43, 0.37, 0.89, 0.13]])


def contact_batch(bodies: Sequence[Any], time: tuple[Any, Any], *, parameters: Mapping[Any, Any], tolerance: float = 1e-6,
                  budget: Budget | float | None = None) -> Batch:
    """When do two moving surfaces first meet, for n values of the parameters in their formulas?

    `bodies`: two ParametricSurface values with `generative.Parameter` symbols in their formulas, motions or domains. `parameters`
    {symbol: array (n,)} gives each of these symbols n numbers, doubles that count as exact; row k of the answer is for the k-th
    of each. `time`: as in `first_contact`. `tolerance`: of the time. `budget`: for all rows.

    The answer of a row is the least t of the span at which the closed surfaces meet, borders included: that of `first_contact` for
    bodies that start apart; surfaces that meet at time[0] do so at this very time. That one body may enclose another is not looked at.

    No hit is *proved* free of contact. CONTACT: `time` holds the earliest contact, and one is *proved* to exist within it; `parameters`
    (n, 4) are u1, v1, u2, v2 there, approximately. UNRESOLVED: no contact before time[0] of the bracket, and one is neither proved nor
    excluded near `parameters`; of a graze `time` is as wide as rounding leaves it open, some 1e-8, or more where bodies part slowly.
    BUDGET_SPENT: no contact before time[0], and one by time[1] where `proved`. Rotation matrices with parameters are taken on trust.

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
    rows = _Rows(bodies, time, _checked(bodies, parameters))
    answer = _Answer(rows, span, tolerance)
    try:
        answer.solve_all(clock)
    except KeyboardInterrupt:
        clock.interrupted = True
    finally:
        clock.close()
    return answer.batch()


def _checked(bodies: Any, parameters: Any) -> dict[Any, np.ndarray]:
    """The values of the parameters, arrays of one length."""
    if not isinstance(bodies, Sequence) or len(bodies) != 2 or not all(isinstance(b, ParametricSurface) for b in bodies):
        raise TypeError("contact_batch takes a list of two ParametricSurface values; call first_contact for other bodies, row by row with "
                        "numbers in the place of the parameters")
    if not isinstance(parameters, Mapping):
        raise TypeError(f"parameters must be a dictionary {{symbol: array}}, got a {type(parameters).__name__}")
    used = {s for b in bodies
            for s in parameters_of(*b.body, *itertools.chain(*b.domain.values()), b.motion.rotation, b.motion.translation)}
    if not used:
        raise ValueError("the bodies contain no Parameter symbols; call first_contact for a single pair")
    missing, unknown = sorted(used - set(parameters), key=str), [s for s in parameters if s not in used]
    if missing:
        raise ValueError(f"the bodies contain the parameter {missing[0]}, for which no values are given")
    if unknown:
        raise ValueError(f"values are given for {unknown[0]!r}, which is no Parameter symbol of the bodies")
    values = {s: as_doubles(array, f"the values of {s}", "(n,)") for s, array in parameters.items()}
    for s, array in values.items():
        if array.ndim != 1:
            raise ValueError(f"the values of {s} must have the shape (n,), got {array.shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"the values of {s} must be finite numbers, got {array[~np.isfinite(array)][0]} in row "
                             f"{np.flatnonzero(~np.isfinite(array))[0]}")
    lengths = {len(array): s for s, array in values.items()}
    if len(lengths) > 1:
        (a, first), (b, second) = list(lengths.items())[:2]
        raise ValueError(f"all parameters need equally many values, got {a} for {first} and {b} for {second}")
    return values


class _Rows:
    """The family of the pair, and the instances of it that the rows are."""

    def __init__(self, bodies: Sequence[ParametricSurface], time: tuple[Any, Any], values: Mapping[Any, np.ndarray]) -> None:
        self.bodies, self.time, self.values = tuple(bodies), tuple(time), values
        self.members = member_of(bodies[0]), member_of(bodies[1])
        self.count = len(next(iter(values.values())))
        self.numbers = [_table(m, values, self.count) for m in self.members]
        self.creased = any(may_be_creased(m.body.resting) for m in self.members)
        self.outer, self.inner = self._domains()
        self._check_positions()

    def _domains(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, 5, 2): boxes that hold the domains of the rows, and that lie within them."""
        sides = list(zip(self.members, self.numbers, strict=True))
        ends = [[_column(e, m, values) for e in m.body.domain[s]] for m, values in sides for s in (u, v)]
        for (lo, hi), (body, s) in zip(ends, itertools.product((0, 1), (u, v)), strict=True):
            empty = np.flatnonzero(~(hi[:, 0] > lo[:, 1]))
            if len(empty):
                raise ValueError(f"the domain of {s} of body {body} is empty or reversed in row {empty[0]}")
        outer, inner = np.empty((2, self.count, 5, 2))
        for j, (lo, hi) in enumerate(ends):
            outer[:, j] = np.stack([lo[:, 0], hi[:, 1]], axis=1)
            inner[:, j] = np.stack([lo[:, 1], hi[:, 0]], axis=1)
        first, last = (enclose(sp.sympify(e)) for e in self.time)
        outer[:, 4], inner[:, 4] = (ends[0] for ends in framed([(first, last)]))
        return outer, inner

    def _check_positions(self) -> None:
        """Refuses rows in which a body has no position at any of some points."""
        boxes = self.outer[:, None, :, 0] + _SOMEWHERE[None] * (self.outer[:, None, :, 1] - self.outer[:, None, :, 0])
        for body, (m, numbers) in enumerate(zip(self.members, self.numbers, strict=True)):
            at = boxes[..., [2 * body, 2 * body + 1, 4]].reshape(-1, 3)
            ends = numbers.repeat(len(_SOMEWHERE), axis=0)
            lo, hi = position_kernel(m.body, m.symbols).interval(at, at, parameters=(ends[..., 0], ends[..., 1]) if m.symbols else None)
            known = np.all((np.isfinite(lo) & np.isfinite(hi)).reshape(self.count, len(_SOMEWHERE), 3), axis=2)
            for row in np.flatnonzero(~np.any(known, axis=1))[:1]:
                raise ValueError(f"body {body} has no position in row {row}; look for numbers that its formulas cannot take, such as a "
                                 "rotation axis of length zero")

    @functools.cached_property
    def whole(self) -> Problem:
        """The situation of two faces that stand for their borders, which all rows share where no surface has creases."""
        first, second = (faces_of(m.body)[0] for m in self.members)
        assert isinstance(first, Parametric) and isinstance(second, Parametric) and not self.creased
        found = situation(first, second, (0, 1), symbols=(self.members[0].symbols, self.members[1].symbols))
        return found.instance(found.parameters, found.outer, found.inner, border=closed_border(first, second, unproved=True))

    def problem(self, k: int) -> Problem:
        return self.whole.instance(np.concatenate([values[k] for values in self.numbers]), self.outer[k], self.inner[k])

    def scene(self, k: int, span: tuple[float, float]) -> Scene:
        """The row as a scene of two bodies whose surfaces do not meet at the start, by the formulas of the family."""
        given = self._given(k)
        numbers = [Numbers(m.symbols, [given.get(e, e) for e in m.numbers], values[k])
                   for m, values in zip(self.members, self.numbers, strict=True)]
        return _apart(Scene([m.body for m in self.members], self.time, span, (), numbers=numbers))

    def single(self, k: int, span: tuple[float, float]) -> Scene | None:
        """The same as `first_contact` sees it, with its numbers in the formulas; None where SymPy finds no value for one, as for 0/0."""
        given = self._given(k)
        try:
            bodies = [with_formulas(body, lambda e: e.xreplace(given)) for body in self.bodies]
        except ValueError:
            return None
        return _apart(Scene(bodies, self.time, span, ()))

    def _given(self, k: int) -> dict[Any, Any]:
        """The parameters as they were given, each with its number in a row."""
        return {s: sp.Rational(float(array[k])) for s, array in self.values.items()}


def _apart(scene: Scene) -> Scene:
    """As if the surfaces were known not to meet before the start, at rest or not: those that do at the start are found to meet then."""
    scene.states[0, 1], scene.unproved = Start.DISJOINT, scene.begin
    scene.resting = set()
    return scene


def _table(member: Member, values: Mapping[Any, np.ndarray], count: int) -> np.ndarray:
    """(n, p, 2): intervals that hold the numbers of a body in each row."""
    table = np.empty((count, len(member.symbols), 2))
    for j, e in enumerate(member.numbers):
        table[:, j] = values[e][:, None] if e in values else enclose(e)
    return table


def _column(e: Any, member: Member, values: np.ndarray) -> np.ndarray:
    """(n, 2): an end of a domain in each row, enclosed."""
    if not e.free_symbols:
        return np.tile(enclose(e), (len(values), 1))
    if e in member.symbols:
        return np.asarray(values[:, member.symbols.index(e)])
    none = np.empty((len(values), 0))
    lo, hi = end_kernel(e, member.symbols).interval(none, none, parameters=(values[..., 0], values[..., 1]))
    return np.concatenate([lo, hi], axis=1)


class _Answer:
    """The answers to the rows, as they come; what was not looked at is as nothing is known of it."""

    def __init__(self, rows: _Rows, span: tuple[float, float], tolerance: float) -> None:
        n = rows.count
        self.rows, self.span, self.gap = rows, span, tolerance
        self.codes, self.time = np.full(n, _SPENT), np.tile(np.array(span), (n, 1))
        self.where, self.proved, self.tests = np.full((n, 4), math.nan), np.zeros(n, bool), np.zeros(n, np.int64)

    def solve_all(self, clock: Clock) -> None:
        """Rows that take long wait for the others, and are then, with those that are in doubt, asked like single pairs."""
        for solve, open_ in ((self.solve, (_SPENT,)), (self.solve_in_stages, (_SPENT, _UNRESOLVED))):
            for k in np.flatnonzero(np.isin(self.codes, open_)).tolist():
                if clock.over:
                    return
                solve(k, clock)

    def solve_in_stages(self, k: int, clock: Clock) -> None:
        """Searches a row like a single pair: between the moments at which formulas change, and at each."""
        options = {"method": "auto", "order": "auto", "simultaneity": self.gap, "separation": _SEPARATION, "tolerance": _TOLERANCE}
        before, found = clock.boxes, Found(None, False, self.span[0])
        scene = self.rows.single(k, self.span)
        if scene is None:
            return
        for known in stages(scene, options, clock):
            found = known
        self.tests[k] += clock.boxes - before
        if found.search is None:
            if found.finished:
                self._set(k, _NONE, (math.nan, math.nan), False, None)
            else:
                self._spent(k, found.seen, math.inf, None)
            return
        search, finished = found.search, found.finished or bool(found.features)
        where = None if found.proved == math.inf else _first_place(scene, search, found.meetings)
        self._judge(k, search, finished, (self.span[0], found.seen), found.proved, where, (scene, found.meetings))

    def solve(self, k: int, clock: Clock) -> None:
        """Searches a row, and again from where all is clear on with smooth parameters round each pole that it meets."""
        scene = self.rows.scene(k, self.span) if self.rows.creased else None
        (begin, end), proved, where = self.span, math.inf, None
        while True:
            meetings = [] if scene is None else [m for m in scene.meetings() if within(m, (begin, end))]
            problems = [self.rows.problem(k)] if scene is None else [scene.problem(m, (begin, end)) for m in meetings]
            if not problems:
                self._set(k, _NONE, (math.nan, math.nan), False, None)
                return
            search = Search(problems, separation=_SEPARATION)
            search.proved, search.gap, search.share = proved, self.gap, 0.0
            finished = drive(search, clock, boxes=_PATIENCE)
            self.tests[k] += search.iterations
            if search.proved < proved:
                proved, where = search.proved, _first_place(scene, search, meetings)
            if search.pole is None or clock.over:
                break
            clear = search.clear_until([i for i in search.solutions if search.possible(i)], end)
            begin = shortly_before(clear, (begin, end))
            scene = scene or self.rows.scene(k, self.span)
            scene.take_chart(*search.pole)
        self._judge(k, search, finished, (begin, end), proved, where, (scene, meetings))

    def _judge(self, k: int, search: Search, finished: bool, span: tuple[float, float], proved: float, where: np.ndarray | None,
               known: tuple[Scene | None, Sequence[Meeting]]) -> None:
        """What a search of a row over a span of time tells, where contact is proved by the time `proved`, at the parameters `where`."""
        found = [i for i in search.solutions if search.found(i)[4, 0] <= proved and search.possible(i)]
        clear, end = max(span[0], search.clear_until(found, span[1])), self.span[1]
        if not finished:
            self._spent(k, clear, proved, where)
        elif proved < math.inf:
            self._set(k, _CONTACT, (clear, proved), True, where)
        elif found or search.clear < math.inf:
            latest = max([search.latest_left, *(search.latest(i) for i in found)])
            where = _place(known[0], search.found(found[0]), known[1][search.owner(found[0]):][:1]) if found else None
            self._set(k, _UNRESOLVED, (clear, min(end, latest)), False, where)
        else:
            self._set(k, _NONE, (math.nan, math.nan), False, None)

    def _set(self, k: int, code: int, time: tuple[float, float], proved: bool, where: np.ndarray | None) -> None:
        self.codes[k], self.time[k], self.proved[k] = code, time, proved
        if where is not None:
            self.where[k] = where

    def _spent(self, k: int, clear: float, proved: float, where: np.ndarray | None) -> None:
        """What is known of a row is added to what was known before; doubts stay."""
        if self.codes[k] == _SPENT:
            (lo, hi), sure = self.time[k], bool(self.proved[k]) or proved < math.inf
            self._set(k, _SPENT, (max(lo, clear), min(hi, proved)), sure, where)

    def batch(self) -> Batch:
        return Batch(status=statuses(self.codes), hit=self.codes != _NONE, time=self.time, parameters=self.where, proved=self.proved,
                     tests=self.tests)


def _first_place(scene: Scene | None, search: Search, meetings: Sequence[Meeting]) -> np.ndarray:
    """u1, v1, u2, v2 of the contact that is proved to be the first."""
    best = search.best_problem
    return _place(scene, search.arrays["best"], meetings[best:best + 1])


def _place(scene: Scene | None, box: np.ndarray, meeting: Sequence[Meeting]) -> np.ndarray:
    """u1, v1, u2, v2 in the middle of a box of a meeting, or of the whole faces."""
    where = box[:4].mean(axis=1)
    for side, part in ((side, part) for m in meeting for side, part in enumerate((m.first, m.second))):
        assert isinstance(part, Parametric)
        if scene is not None and part.names == ("p", "q"):
            own = slice(2 * side, 2 * side + 2)
            where[own] = _from_pole(part, scene.bodies[side], scene.numbers[side], where[own])
    return where


def _from_pole(part: Parametric, body: Any, numbers: Numbers, at: np.ndarray) -> tuple[float, float]:
    """u and v of a point near a pole, whose smooth parameters are given."""
    face = next(p for p in faces_of(body) if p.feature == part.feature)
    assert isinstance(face, Parametric)
    for s, end in itertools.product((u, v), (0, 1)):
        if (pole_chart(face.surface, s, end) or (None,))[0] == part.surface:
            return from_chart(face.surface, s, end, numbers.enclose(face.surface.domain[v if s is u else u][0])[0], *at)
    raise AssertionError("smooth parameters are those of a pole")
