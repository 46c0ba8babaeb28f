"""Answers to the rows of a `contact_batch`, filled in as they come.

Rows of two patches are searched together first; then one by one, exactly where faces are flat, or like a single call, stage by stage.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from generative import ImplicitBody

from ..answers.batch import BodyBatch, statuses
from ..bodies.mesh import Mesh
from ..bodies.nearest_parameters import nearest_faces
from ..bodies.on_face import on_face, own_box, place_on
from ..bodies.parameters import substituted
from ..bodies.parts import faces_of
from ..bodies.thickened import MANY, gap_of
from ..culling.core_contacts import RowsDecided
from ..moment.pairs import Pair
from ..moment.start import Start, surfaces_at
from ..search.clock import CONVERTING, Clock
from ..search.drive import drive
from ..search.options import Options, resolved
from ..search.problem import Problem
from ..search.rows import RowSearch, Told
from ..search.search import Search
from ..timeline.along import searched
from ..timeline.evidence import Evidence, SceneQuery, within
from ..timeline.examine import shortly_before
from ..timeline.scene import Scene
from ..timeline.situated import Meeting
from .coincident_notes import coincident_notes
from .flat_rows import FaceMeeting, flat_row
from .gaps import gap_notes
from .rows import RowFamilies

# As in `first_contact`: contacts this close to a known one are left out. A time is told alike in any unit of length (measured: patches
# from 1e-6 to 1e6 in size, in as many boxes; a graze in up to twice as many).
_SPACING, _TOLERANCE = 0.05, 1e-9
_OPTIONS = Options(spacing=_SPACING)
# Rows that need more boxes than this come last; rows of flat faces are answered exactly.
_PATIENCE, _SHORT = 20_000, 2000
# A row of thickened bodies takes so many boxes at most. Effort only.
_THICK = 1 << 14
_NONE, _CONTACT, _UNRESOLVED, _SPENT = range(4)


def row_bodies(bodies: Sequence[Any], values: Mapping[Any, np.ndarray], k: int) -> list[Any]:
    """The bodies with the numbers of a row."""
    return [substituted(body, {s: sp.Rational(float(array[k])) for s, array in values.items()}) for body in bodies]


class RowAnswers:
    """The answers to the rows, filled in as they come. A row that was not looked at is one of which nothing is known."""

    rows: RowFamilies

    def __init__(self, n: int, span: tuple[float, float], tolerance: float) -> None:
        self.span, self.gap = span, tolerance
        self.codes, self.time = np.full(n, _SPENT), np.tile(np.array(span), (n, 1))
        self.where, self.proved, self.tests = np.full((n, 4), math.nan), np.zeros(n, bool), np.zeros(n, np.int64)
        self.staged, self.notes = np.zeros(n, bool), tuple[str, ...]()
        self.pairs, self.faces, self.points = np.full((n, 2), -1), np.full((n, 2), -1), np.full((n, 3), math.nan)

    def solve_all(self, rows: RowFamilies, clock: Clock) -> None:
        """Rows that are one problem each come first, and those that are decided before they are looked at; those that take long or end in
        doubt come last.
        """
        self.rows, self.notes = rows, (*gap_notes(rows.bodies), *coincident_notes(rows.bodies, rows.span))
        clock.extend()
        if rows.quick and not rows.creased and not clock.counts and rows.count:
            self.solve_together(clock)
        self._decide(rows.decide(self.gap))
        in_doubt = (_SPENT, _UNRESOLVED)
        for solve, open_ in (*([(self.solve, (_SPENT,))] if rows.quick else []), *([(self.solve_flat, in_doubt)] if rows.flat else []),
                             (self.solve_in_stages, in_doubt)):
            for k in np.flatnonzero(np.isin(self.codes, open_) & ~self.staged).tolist():
                if clock.exceeded():
                    return
                with clock.at_most(_THICK, solutions=MANY) if rows.thick else nullcontext():
                    solve(k, clock)

    def _decide(self, known: RowsDecided | None) -> None:
        """Set the answers of rows that are decided before any is looked at."""
        if known is None:
            return
        for k in np.flatnonzero(known.apart.all(axis=1)).tolist():
            self._set(k, _NONE, (math.nan, math.nan), False, None)
        own = known.hits
        self.codes[own], self.time[own], self.proved[own], self.pairs[own] = _CONTACT, known.times, True, known.pairs
        for side, bodies in enumerate(known.pairs.T):
            for body in np.unique(bodies).tolist():
                some = bodies == body
                self.faces[own[some], side], self.where[own[some], 2 * side:2 * side + 2] = nearest_faces(
                    self.rows.bodies[body], known.points[some, side])
                if not side:
                    self.points[own[some]] = self.rows.in_space(body, own[some], self.time[own[some], 1], known.points[some, 0])

    def solve_together(self, clock: Clock) -> None:
        """Searches the rows of two patches; those that take longer, or end in doubt, are left."""
        with clock.doing(CONVERTING):
            instances, problem = self.rows.instances, self.rows.problem(0)
            own = np.flatnonzero(instances.bounded() == problem.bounded)
            search = RowSearch(problem, _OPTIONS, self.gap)
        for told in search.told(instances.some(own), clock):
            with clock.reporting():
                self._tell(own[told.first:told.first + len(told.finished)], told, problem)

    def _tell(self, rows: np.ndarray, told: Told, problem: Problem) -> None:
        """Notes what is known of some rows."""
        known = told.finished
        hit = known & np.isfinite(told.proved)
        self.tests[rows[known]] = told.iterations[known]
        self.codes[rows[known & ~hit]], self.time[rows[known & ~hit]] = _NONE, math.nan
        own, middles = rows[hit], told.boxes[hit].mean(axis=2)
        self.codes[own], self.proved[own], self.pairs[own], self.faces[own] = _CONTACT, True, (0, 1), (0, 0)
        begin, end = self.span
        self.time[own] = np.stack([np.maximum(begin, np.minimum(told.least[hit], end)), told.proved[hit]], axis=1)
        self.where[own], self.points[own] = middles[:, :4], _points(problem, middles, self.rows.instances.numbers[own])

    def solve(self, k: int, clock: Clock) -> None:
        """Searches a row of two patches. At each pole that the search meets it begins again where all is clear, with smooth parameters
        round that pole.
        """
        scene = self.rows.family(k) if self.rows.creased else None
        (begin, end), proved, where = self.span, math.inf, None
        while True:
            with clock.doing(CONVERTING):
                meetings = [] if scene is None else [m for m in scene.meetings(end) if within(m, (begin, end))]
                problems = [self.rows.problem(k)] if scene is None else [scene.problem(m, (begin, end)) for m in meetings]
            if not problems:
                self._set(k, _NONE, (math.nan, math.nan), False, None)
                return
            with clock.doing(CONVERTING):
                search = Search(problems, _OPTIONS)
            search.proved, search.gap, search.share = proved, self.gap, 0.0
            finished = drive(search, clock, boxes=_PATIENCE)
            self.tests[k] += search.iterations
            known = _Known(search, meetings, scene)
            if search.proved < proved:
                proved, where = search.proved, known.first()
            if search.pole is None or clock.over:
                break
            begin = shortly_before(search.clear_until(search.possible_ones(), end), (begin, end))
            scene = scene or self.rows.family(k)
            scene.use_chart(*search.pole)
        self._judge(k, known, finished, (begin, end), where)

    def solve_flat(self, k: int, clock: Clock) -> None:
        """Rows of flat faces: a short search, and what that leaves open exactly, where bodies move in an exact form."""
        if not self.rows.quick:
            with clock.at_most(_SHORT):
                self.solve_in_stages(k, clock)
        if self.codes[k] not in (_SPENT, _UNRESOLVED):
            return
        before = clock.boxes
        known = flat_row(row_bodies(self.rows.bodies, self.rows.values, k), self.span, self.rows.ignored, clock)
        self.tests[k] += clock.boxes - before
        if known is None:
            # What a short search has come to the end of is searched once.
            self.staged[k] = not self.rows.quick and self.codes[k] == _UNRESOLVED
            return
        self.pairs[k], self.faces[k], self.where[k], self.points[k] = -1, -1, math.nan, math.nan
        met = known.time is not None
        self._set(k, _CONTACT if met else _NONE, known.time or (math.nan, math.nan), met, known.place)

    def solve_in_stages(self, k: int, clock: Clock) -> None:
        """Searches a row like a single call: between the moments at which formulas change, and at each of these moments."""
        # Boxes that are divided no further leave a time open that grows with their width.
        options = Options(simultaneity=resolved(self.gap, self.span), spacing=_SPACING, tolerance=min(_TOLERANCE, self.gap))
        before, found = clock.boxes, Evidence(None, False, self.span[0])
        scene = self.rows.scene(k)
        if scene is None:
            return
        met = _met_at_first(scene, clock)
        if met is None:
            for more in searched(SceneQuery(scene, options, clock, features=False)):
                found = more
        self.tests[k] += clock.boxes - before
        if met is not None:
            self._begins(k, *met)
        elif found.search is not None:
            known = _Known(found.search, found.meetings, scene)
            self._judge(k, known, found.finished or bool(found.features), (self.span[0], found.seen), known.first())
        elif found.finished:
            self._set(k, _NONE, (math.nan, math.nan), False, None)
        else:
            self._spent(k, found.seen, math.inf, None)

    def _begins(self, k: int, state: Start, known: "_Known") -> None:
        """Set the answer of a row in which surfaces may meet at the beginning of the time span."""
        begin = self.span[0]
        where = known.first()
        if state is Start.UNKNOWN:
            self._spent(k, begin, math.inf, where)
        else:
            self._set(k, _CONTACT if state is Start.OVERLAPPING else _UNRESOLVED, (begin, begin), state is Start.OVERLAPPING, where)

    def _judge(self, k: int, known: "_Known", finished: bool, span: tuple[float, float], where: FaceMeeting | None) -> None:
        """Notes what a search of a row over a span of time tells. Contact is proved at `where`, or, if that is not known, at the first one
        found.
        """
        search, proved = known.search, known.search.proved
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

    def _set(self, k: int, code: int, time: tuple[float, float], proved: bool, where: FaceMeeting | None) -> None:
        self.codes[k], self.time[k], self.proved[k] = code, time, proved
        if where is not None:
            self.pairs[k], self.faces[k], self.where[k], self.points[k] = where

    def _spent(self, k: int, clear: float, proved: float, where: FaceMeeting | None) -> None:
        """Adds what is known of a row to what was known before. If there were doubts, they stay."""
        if self.codes[k] == _SPENT:
            (lo, hi), sure = self.time[k], bool(self.proved[k]) or proved < math.inf
            self._set(k, _SPENT, (max(lo, clear), min(hi, proved)), sure, where)

    @property
    def doubtful(self) -> np.ndarray:
        """The rows (k,) in which contact is neither proved nor excluded."""
        return np.flatnonzero(np.isin(self.codes, (_SPENT, _UNRESOLVED)))

    def meet(self, rows: np.ndarray, drawn: "RowAnswers") -> None:
        """Of doubtful rows of thickened bodies, take the contacts of the bodies as they are: they come no earlier. Where these do not meet,
        thickened bodies may meet alone.
        """
        own, met = rows[drawn.codes != _SPENT], (drawn.codes == _CONTACT)[drawn.codes != _SPENT]
        self.codes[own], self.proved[own] = np.where(met, _CONTACT, _UNRESOLVED), met
        for mine, other in ((self.pairs, drawn.pairs), (self.faces, drawn.faces), (self.where, drawn.where), (self.points, drawn.points)):
            mine[own[met]] = other[drawn.codes == _CONTACT]
        self.time[own, 1] = self.span[1]
        self.time[own[met], 1] = drawn.time[drawn.codes == _CONTACT, 1]
        self.tests[rows] += drawn.tests

    def batch(self) -> BodyBatch:
        return BodyBatch(status=statuses(self.codes), hit=self.codes != _NONE, time=self.time, parameters=self.where, proved=self.proved,
                         tests=self.tests, pairs=self.pairs, faces=self.faces, points=self.points, notes=self._notes())

    def _notes(self) -> tuple[str, ...]:
        """Whether brackets of contacts are wider than the tolerance, by more than a rounding of their ends."""
        (lo, hi), contact = self.time.T, self.codes == _CONTACT
        if not (contact & (hi > np.nextafter(lo + self.gap, math.inf))).any():
            return self.notes
        why = "a gap or rounding leaves" if any(gap_of(body) > 0.0 for body in self.rows.bodies) else "rounding leaves"
        return (*self.notes, f"Some rows of CONTACT have a bracket wider than the tolerance of {self.gap:g}: {why} their time open.")


def _met_at_first(scene: Scene, clock: Clock) -> tuple[Start, "_Known"] | None:
    """The state, with its search, of a pair that may meet as the time span begins, of those whose closed faces do not tell when they meet;
    None where all are proved apart.
    """
    close: dict[Pair, list[Meeting]] = {}
    near = [m for m in scene.near if m.window[0] <= scene.begin and not scene.by_faces(m.label)]
    for m in scene.single(near, (scene.begin, scene.begin)):
        close.setdefault(m.label, []).append(m)
    found = None
    for label, own in close.items():
        first, second = (scene.bodies[k] for k in label)
        met = surfaces_at(first, second, scene.begin, _TOLERANCE, clock, [(m.first, m.second) for m in own], scene.pair_numbers(label))
        if met.search is not None and met.state is not Start.DISJOINT:
            found = met.state, _Known(met.search, own, scene)
            if met.state is Start.OVERLAPPING:
                break
    return found


class _Known(NamedTuple):
    """A search of a row, and the meetings of a scene that it searched; without a scene it searched two patches."""

    search: Search
    meetings: Sequence[Meeting] = ()
    scene: Scene | None = None

    def first(self) -> FaceMeeting | None:
        """The contact that is proved to be the first. None if the search knows only its time."""
        number, box = self.search.best_problem, self.search.arrays["best"]
        problem = self.search.problems[number]
        known = self.search.proved < math.inf and box[problem.objective, 1] == self.search.proved
        return self._place(number, box[:len(problem.variables)]) if known else None

    def solution(self, k: int) -> FaceMeeting:
        return self._place(self.search.owner(k), self.search.found(k))

    def _place(self, number: int, box: np.ndarray) -> FaceMeeting:
        problem = self.search.problems[number]
        middle = box.mean(axis=1)
        point = _point(problem, middle)
        if self.scene is None:
            return FaceMeeting((0, 1), (0, 0), middle[:4], point)
        meeting = self.meetings[number]
        places = [_on(self.scene, body, part, own_box(problem.variables, box, side))
                  for side, (body, part) in enumerate(zip(meeting.label, (meeting.first, meeting.second), strict=True))]
        return FaceMeeting(meeting.label, (places[0][0], places[1][0]), np.array([e for _, *at in places for e in at]), point)


def _on(scene: Scene, body: int, part: Any, own: np.ndarray) -> tuple[int, float, float]:
    """The face of a body on which a place of a part is, and about u and v there."""
    if isinstance(scene.bodies[body], (ImplicitBody, Mesh)):
        return place_on(scene.bodies[body], part.feature, (), own, whole=True)
    faces = [p.surface for p in faces_of(scene.bodies[body])]
    face = next((k for k, surface in enumerate(faces) if surface is part.surface), 0)
    return face, *on_face(part, own, scene.numbers[body])


def _point(problem: Problem, at: np.ndarray) -> np.ndarray:
    """About where in space the bodies meet at a value of the variables."""
    return _points(problem, at[None], problem.parameters[None])[0]


def _points(problem: Problem, at: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """(n, 3): about where in space the bodies meet, at n values of the variables, with parameters (n, p, 2)."""
    assert problem.image_kernel is not None
    values = numbers.mean(axis=2) if numbers.shape[1] else None
    return np.asarray(problem.image_kernel.points(at, parameters=values)[:, :3])
