"""How near do bodies come to each other, and where: the searches for the least distance of all pairs.

Boxes round the parts of bodies, in slices of the time, bound the distance of each pair from below. Pairs are searched in that order, a few
at first and then ever more of them, and those that are farther from each other than points that are known already are never searched: all
share one bound. A pair whose distance is not told from 0 is asked whether its surfaces meet, which needs other equations.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from generative import u, v
from generative.creases import divided
from generative.family import member_of

from ..bodies.cells import Cell
from ..bodies.extent import Extent, extent_of
from ..bodies.numbers import check_numbers, numbers_of
from ..bodies.parts import Pole, faces_of, parts_of
from ..bodies.surface_points import FEW
from ..culling.boxes_apart import boxes_through, greatest_distances, least_distances, slices_of
from ..moment.inside import inside
from ..moment.pairs import Pair, Pairs
from ..moment.start import crossings, met
from ..search.drive import CONVERTING, Clock, drive
from ..search.native.layout import LOCATED
from ..search.options import Options
from ..search.prepare import prepare
from ..search.problem import Problem
from ..search.search import Search
from ..situations.distance import both_points, nearest
from ..situations.points_at import approached, distances_at, rounded
from ..situations.presence import where, without_absent

# Effort only. So many pairs of bodies are searched first, and then each time so many times more.
_FIRST, _MORE = 4, 4
# Boxes after which it is asked whether surfaces meet whose distance is not told from 0, and in how many that is decided, if it can be.
_PATIENCE, _MEETING = 3000, 20_000
# Boxes for an upper bound where there are many parts.
_SEEDING = 200
# Boxes for the nearest points once the distance is known: so many times those for the distance, and at least so many.
_AGAIN, _LEAST = 0.5, 1000
# What is searched again is given a bound a little larger than what is known: what attains it is found again.
_AGAIN_FOUND = 1.0 + 1e-6
# So many places where surfaces seem to meet are looked at.
_LOOKED_AT = 64
# Where Newton's method begins, as shares of the ranges of all parameters.
_SHARES = 0.5, 0.3, 0.8
# Beyond the box round an implicit part, against its size, what it is searched in reaches: so what is enclosed lies inside.
_ROOM = 0.01
# The parameter width of the smallest boxes.
_WIDTH = 1e-9
# Against the size of what is asked about, a distance that is not told from 0, and that below which nothing narrower is asked for.
_SMALL, _FINEST = 1e-6, 1e-13


class Meeting(NamedTuple):
    """Two parts of the bodies `label`, which come as near as `least` at most, within `window`."""

    label: Pair
    first: Cell
    second: Cell
    least: float
    window: tuple[float, float]


class Asked(NamedTuple):
    """What is asked of a search: how closely the distance is told, against itself; how far from each other points are listed on curves of
    nearest points, None: by the size of the bodies; and, if that is finite, whether bodies come nearer than `reach`, and no more.
    """

    tolerance: float = 1e-9
    separation: float | None = None
    reach: float = math.inf


@dataclass
class Found:
    """What is known: `lower` and `upper` bound the least distance; `finished`: the search came to its end; `boxes` may hold nearest points,
    each of a problem with what is known of it (`native.layout`); `meets`: the surfaces are proved to meet there; `best` holds points that
    are as near as `upper`; `nearer`: that is nearer than asked.
    """

    lower: float = 0.0
    upper: float = math.inf
    finished: bool = False
    boxes: list[tuple[Problem, int, np.ndarray]] = field(default_factory=list)
    best: tuple[Problem, np.ndarray] | None = None
    meets: tuple[Problem, np.ndarray] | None = None
    nearer: bool = False

    def open(self, asked: Asked) -> bool:
        """Is there more to be searched?"""
        return self.meets is None and not self.upper < asked.reach < math.inf


class Neighbours:
    """Bodies in a span of time, or at one moment, and their least distance."""

    def __init__(self, bodies: Sequence[Any], time: tuple[Any, Any], span: tuple[float, float], ignored: Pairs) -> None:
        members = [member_of(b) for b in bodies]
        check_numbers(bodies, members)
        self.time, self.span, self.ignored = time, span, ignored
        self.numbers = tuple(map(numbers_of, members))
        self.bodies = tuple(divided(m.body, own.pairs) for m, own in zip(members, self.numbers, strict=True))
        self.charts: list[frozenset[Pole]] = [frozenset()] * len(bodies)
        self.slices = slices_of(span)
        self._parts = {k: self._parts_of(k) for k in range(len(bodies))}
        self._boxes = {k: self._boxes_of(k) for k in range(len(bodies))}
        self.around = np.stack([_hull(self._boxes[k]) for k in range(len(bodies))])
        self.size = float(max(np.ptp(self.around[..., :], axis=(0, 1, 3)).max(), 1e-300))

    def _parts_of(self, k: int) -> tuple[Cell, ...]:
        """All parts of an implicit body; of another one its closed faces, and the poles that have no smooth parameters."""
        found = without_absent(parts_of(self.bodies[k], self.charts[k]), self.numbers[k], self.span)
        return tuple(p for p in found if p.leaves or p.dimension == 2 or p.around is not None)

    def _boxes_of(self, k: int) -> np.ndarray:
        if not self._parts[k]:
            return np.empty((0, len(self.slices), 3, 2))
        return boxes_through([self._extent(k, p) for p in self._parts[k]], self.slices)

    def _extent(self, k: int, part: Cell) -> Extent:
        found = where(part, self.numbers[k], self.span) if part.leaves else None
        return extent_of(part, self.numbers[k], None if found is None else tuple(map(tuple, found.tolist())))

    # -- pairs --------------------------------------------------------------------------------------------------------

    def pairs(self) -> list[tuple[float, Pair]]:
        """The pairs of bodies that are asked about, those that may be nearest first."""
        i, j = np.triu_indices(len(self.bodies), 1)
        asked = ~self.ignored.holds(i, j)
        i, j = i[asked], j[asked]
        least = np.full(len(i), math.inf)
        for k in range(len(self.slices)):
            least = np.minimum(least, least_distances(self.around[i, k], self.around[j, k]))
        order = np.argsort(least, kind="stable")
        return [(float(least[k]), (int(i[k]), int(j[k]))) for k in order]

    def meetings(self, label: Pair, upper: float) -> Iterator[Meeting]:
        """The pairs of parts of two bodies that may be as near as `upper`."""
        a, b = (self._boxes[k] for k in label)
        least = least_distances(a[:, None], b[None])
        for i, j in np.argwhere(least.min(axis=2, initial=math.inf) <= upper).tolist():
            near = np.flatnonzero(least[i, j] <= upper)
            window = float(self.slices[near[0], 0]), float(self.slices[near[-1], 1])
            yield Meeting(label, self._parts[label[0]][i], self._parts[label[1]][j], float(least[i, j].min()), window)

    def reach(self, label: Pair) -> float:
        """How far two bodies are from each other at most."""
        i, j = label
        return float(greatest_distances(self.around[i], self.around[j]).max(initial=0.0))

    def problem(self, m: Meeting, reach: float, many: bool) -> Problem:
        numbers = self.numbers[m.label[0]], self.numbers[m.label[1]]
        first, second = (self.around[k, 0].mean(axis=1) for k in m.label)
        found = nearest(m.first, m.second, numbers, self.time, reach, m.label, many, first - second)
        limits = {} if self.span[0] == self.span[1] else {"t": m.window}
        for k, side, part in ((m.label[0], 1, m.first), (m.label[1], 2, m.second)):
            if part.leaves:
                box = self._extent(k, part).domain
                room = _ROOM * float(np.ptp(box, axis=1).max())
                limits |= {f"{name}{side}": (lo - room, hi + room) for name, (lo, hi) in zip("xyz", box.tolist(), strict=True)}
        outer, inner = found.outer.copy(), found.inner.copy()
        for j in range(len(outer) - 1):
            lo, hi = limits.get(found.variables[j], (-math.inf, math.inf))
            for box in (outer, inner):
                box[j] = max(box[j, 0], lo), min(box[j, 1], hi)
        return found.with_data(outer=outer, inner=inner)

    # -- searches -----------------------------------------------------------------------------------------------------

    def search(self, asked: Asked, clock: Clock, found: Found) -> None:
        """The least distance, and where it is; as it becomes known."""
        open_, count, lower, finished = self.pairs(), _FIRST, math.inf, True
        while open_ and finished and found.open(asked):
            some = [label for least, label in open_[:count] if least <= min(found.upper, asked.reach)]
            open_, count = open_[count:], _MORE * count
            if not some:
                break
            least, finished = self._search_some(some, asked, clock, found)
            lower = min(lower, least)
        found.nearer = found.upper < asked.reach < math.inf
        # Pairs that were not searched are as far as their boxes at least.
        rest = [least for least, _ in open_]
        found.lower, found.finished = min(lower, found.upper, asked.reach, *rest), finished

    def _search_some(self, labels: Sequence[Pair], asked: Asked, clock: Clock, found: Found) -> tuple[float, bool]:
        """Search all parts of these pairs of bodies; again with smooth parameters round each pole that is met. What their distance is at
        least, and whether the search came to its end.
        """
        pole: Any = True
        self._meet([label for label in labels if self._seem_to_meet(label, found)], clock, found)
        if found.meets is not None:
            return 0.0, True
        while pole is not None:
            problems, complete = self._problems(labels, asked, clock, found)
            if not problems or not complete:
                return (math.inf, True) if complete else (0.0, False)
            search = Search(problems, Options(tolerance=_WIDTH, first_only=asked.reach < math.inf))
            search.share, search.gap = asked.tolerance, _FINEST * self.size
            if not asked.reach < math.inf:
                search.proved = found.upper * _AGAIN_FOUND
            finished = drive(search, clock, boxes=_PATIENCE)
            if search.pole is None and _lower(search) <= _SMALL * self.size:
                self._meet(labels, clock, found)
                if found.meets is not None:
                    return 0.0, True
                if not asked.reach < math.inf:
                    search.proved = min(search.proved, found.upper * _AGAIN_FOUND)
            finished = finished or (search.pole is None and drive(search, clock))
            known, pole = (_lower(search), finished), search.pole
            if finished and not asked.reach < math.inf:
                search.gap, search.separation = 0.0, self._separation(labels) if asked.separation is None else asked.separation
                search.simultaneity = asked.tolerance * search.proved
                drive(search, clock, boxes=search.iterations + max(_AGAIN * search.iterations, _LEAST))
                pole = search.pole
            self._note_best(search, found)
            if pole is not None:
                self._use_chart(*pole)
        self._keep(search, found)
        return known

    def _problems(self, labels: Sequence[Pair], asked: Asked, clock: Clock, found: Found) -> tuple[list[Problem], bool]:
        """Those of all parts of some pairs of bodies, and whether there was time for all."""
        meetings = [m for label in labels for m in self.meetings(label, min(found.upper, asked.reach))]
        reach, problems = min(max(map(self.reach, labels)), asked.reach), list[Problem]()
        if len(meetings) > 2 * FEW and not found.upper < math.inf:
            self._seed(sorted(meetings, key=attrgetter("least"))[:FEW], reach, clock, found)
            meetings = [m for m in meetings if m.least <= found.upper]
        with clock.doing(CONVERTING):
            for m in meetings:
                problems.append(self.problem(m, reach, len(meetings) > FEW))
                prepare(problems[-1], "auto")
                both_points(problems[-1])
                if clock.over:
                    break
        return problems, len(problems) == len(meetings)

    def _seed(self, meetings: Sequence[Meeting], reach: float, clock: Clock, found: Found) -> None:
        """An upper bound from the pairs of parts that may be nearest, that spares others."""
        problems = [self.problem(m, reach, True) for m in meetings]
        for problem in problems:
            prepare(problem, "auto")
        search = Search(problems, Options(tolerance=_WIDTH))
        search.gap = _FINEST * self.size
        drive(search, clock, boxes=_SEEDING)
        self._note_best(search, found)

    def _use_chart(self, problem: Problem, variable: int, end: int) -> None:
        """Smooth parameters round the pole at an end of a variable of a problem."""
        name = problem.variables[variable]
        side = int(name[-1]) - 1
        k = problem.label[side]
        self.charts[k] |= {(int(problem.features[side].split()[1]), u if name[0] == "u" else v, end)}
        self._parts[k] = self._parts_of(k)
        self._boxes[k] = self._boxes_of(k)

    def _separation(self, labels: Sequence[Pair]) -> float:
        """A tenth of the size of the smallest body."""
        sizes = [float(np.ptp(self.around[k, 0], axis=1).max()) for label in labels for k in label]
        return 0.1 * (min(sizes) or 1.0)

    @staticmethod
    def _keep(search: Search, found: Found) -> None:
        for k in search.possible_ones().tolist():
            found.boxes.append((search.problem_of(k), search.kind(k), search.found(k).copy()))
        for p in range(len(search.problems)):
            boxes = search.open(p)
            first = np.argsort(boxes[:, -1, 0], kind="stable")[:_LOOKED_AT]
            found.boxes += [(search.problems[p], LOCATED, box) for box in boxes[first]]

    @staticmethod
    def _note_best(search: Search, found: Found) -> None:
        if search.proved < found.upper:
            problem = search.problems[search.best_problem]
            found.upper, found.best = search.proved, (problem, search.arrays["best"][:len(problem.variables)].copy())

    def _meet(self, labels: Sequence[Pair], clock: Clock, found: Found) -> None:
        """Where are the surfaces of pairs of bodies proved to meet? Where they seem to, the distance is at most that of points there."""
        for label in labels:
            if least_distances(*(self.around[k] for k in label)).min() > 0.0:
                continue
            pairs = [(a, b) for a in faces_of(self.bodies[label[0]]) for b in faces_of(self.bodies[label[1]])]
            search, _ = met(pairs, self.span, _WIDTH, clock, (self.numbers[label[0]], self.numbers[label[1]]), _MEETING)
            if search.proved < math.inf:
                problem = search.problems[search.best_problem].with_data(label=label)
                found.meets = problem, search.arrays["best"][:len(problem.variables)].copy()
                return
            for k in search.possible_ones().tolist()[:_LOOKED_AT]:
                domain = self._domain(label, *pairs[search.owner(k)])
                self._look_at(search.problem_of(k).with_data(label=label), search.found(k).mean(axis=1), domain, found)

    def _domain(self, label: Pair, a: Cell, b: Cell) -> np.ndarray:
        """What lies within the domains of two faces, and the time: problems of crossings keep clear of borders."""
        ends = [self.numbers[k].bounds(part.domain)[1].reshape(-1, 2) for k, part in zip(label, (a, b), strict=True)]
        return np.concatenate([*ends, [self.span]])

    def _seem_to_meet(self, label: Pair, found: Found) -> bool:
        """Do surfaces come together by Newton's method from places on faces? Of implicit ones that is not known. Not if they are proved to
        meet there.
        """
        faces = [[(p, box) for p, box in zip(self._parts[k], self._boxes[k], strict=True) if p.dimension == 2 and not p.leaves]
                 for k in label]
        numbers = self.numbers[label[0]], self.numbers[label[1]]
        for (a, box), (b, other) in itertools.islice(itertools.product(*faces), _LOOKED_AT):
            if least_distances(box, other).min() == 0.0:
                problem = crossings([(a, b)], self.span[0], numbers, label)[0]
                for share in _SHARES:
                    domain = self._domain(label, a, b)
                    self._look_at(problem, domain @ [1.0 - share, share], domain, found)
                    if found.meets is not None:
                        return False
        return found.upper <= _SMALL * self.size

    @staticmethod
    def _look_at(problem: Problem, at: np.ndarray, domain: np.ndarray, found: Found) -> None:
        """How far from each other are points near which surfaces may meet? Of parametric ones, as they come nearest by Newton's method."""
        if len(problem.equations) != 3 or len(domain) != len(problem.variables):
            return
        places = rounded(problem, approached(problem, at, domain), domain)
        far = distances_at(problem, places)
        k = int(np.argmin(far))
        if far[k] < found.upper:
            found.upper, found.best = float(far[k]), (problem, np.repeat(places[k][:, None], 2, axis=1))
        if far[k] == 0.0:
            found.meets = found.best

    def nested(self, clock: Clock) -> tuple[list[Pair], list[Pair]]:
        """Of bodies whose surfaces are proved apart: the pairs of which the first is proved to have a piece inside the second, when the
        time begins, and those where that is not decided.
        """
        proved, unknown = [], []
        for _, label in self.pairs():
            for i, j in (label, label[::-1]):
                if self._may_be_inside(i, j):
                    answer = inside(self.bodies[i], self.bodies[j], self.span[0], clock, (self.numbers[i], self.numbers[j]))
                    proved += [(i, j)] if answer else []
                    unknown += [(i, j)] if answer is None else []
        return proved, unknown

    def _may_be_inside(self, i: int, j: int) -> bool:
        """Does the box round a part of body i lie in that round body j? Those of bodies that deform are of the first slice."""
        boxes, around = self._boxes[i][:, 0], self.around[j, 0]
        return bool(((boxes[..., 0] >= around[:, 0]) & (boxes[..., 1] <= around[:, 1])).all(axis=1).any())


def _lower(search: Search) -> float:
    """What the distance is at least, by all boxes that were not excluded."""
    return min(search.clear_until(search.possible_ones(), math.inf), search.proved)


def _hull(boxes: np.ndarray) -> np.ndarray:
    """(slices, 3, 2) of (parts, slices, 3, 2)."""
    return np.stack([boxes[..., 0].min(axis=0, initial=math.inf), boxes[..., 1].max(axis=0, initial=-math.inf)], axis=-1)
