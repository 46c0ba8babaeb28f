"""Least distance of bodies, and the nearest points: the searches of all pairs.

Boxes round the parts of bodies, in slices of the time, bound the distance of each pair from below. Pairs are searched in that order, a few
at first and then ever more of them, and those that are farther from each other than points that are known already are never searched: all
share one bound. A pair whose distance is not told from 0 is asked whether its surfaces meet, which needs other equations.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from generative import u, v

from ..bodies.surface_points import FEW
from ..moment.pairs import Pair
from ..search.clock import CONVERTING, Clock
from ..search.drive import drive
from ..search.native.layout import LOCATED
from ..search.options import Options
from ..search.prepare import prepare
from ..search.problem import Problem
from ..search.search import Search
from ..search.windows import drive_in_windows
from ..situations.distance import both_points
from ..situations.touch import brought_together
from .meetings import Meetings, NearMeeting
from .neighbourhood import LOOKED_AT, SMALL, WIDTH, Found
from .whereabouts import Whereabouts, left_of, together, whereabouts

# Effort only. So many pairs of bodies are searched first, and then each time so many times more.
_FIRST, _MORE = 4, 4
# Boxes, and boxes for each pair of parts, after which it is asked whether surfaces meet whose distance is not told from 0.
_PATIENCE, _EACH = 3000, 16
# So many pairs of parts are looked at in between, where points may be nearest.
_BROUGHT = 4
# Boxes after which it is asked whether both bodies turn into themselves about one axis.
_UNSLICED = 3000
# Boxes for an upper bound where there are many parts.
_SEEDING = 200
# Boxes a pair of closed faces, that parts which are elsewhere need not be searched; and how near, against the size of what is asked about,
# bodies are that may well meet.
_ROUGH, _MAY_MEET = 4000, 1e-2
# Boxes for the nearest points once the distance is known: so many times those for the distance, and at least so many.
_AGAIN, _LEAST = 0.5, 1000
# What is searched again is given a bound a little larger than what is known: what attains it is found again.
_AGAIN_FOUND = 1.0 + 1e-6
# Against the size of what is asked about, a distance below which nothing narrower is asked for.
_FINEST = 1e-13


class Asked(NamedTuple):
    """The question of a search: how closely the distance is to be known, against itself; how far from each other points are listed on
    curves of nearest points, None: by the size of the bodies; and, if that is finite, whether bodies come nearer than `reach`, and no more.
    `one`: one pair of nearest points is enough.
    """

    tolerance: float = 1e-9
    spacing: float | None = None
    reach: float = math.inf
    one: bool = False


class Neighbours(Meetings):
    """Their least distance."""

    # -- searches -----------------------------------------------------------------------------------------------------

    def search(self, asked: Asked, clock: Clock, found: Found) -> None:
        """The least distance, and where it is; as it becomes known."""
        open_, count, lower, finished = self.pairs(), _FIRST, math.inf, True
        found.waiting = {self.relative.given(label): least for least, label in open_}
        while open_ and finished and found.open(asked.reach):
            some = [label for least, label in open_[:count] if least <= min(found.upper, asked.reach)]
            open_, count = open_[count:], _MORE * count
            if not some:
                break
            least, finished = self._search_some(some, asked, clock, found)
            lower = min(lower, least)
            for label in some if finished else ():
                del found.waiting[self.relative.given(label)]
        found.nearer = found.upper < asked.reach < math.inf
        # Pairs that were not searched are as far as their boxes at least.
        rest = [least for least, _ in open_]
        found.lower, found.finished = min(lower, found.upper, asked.reach, *rest), finished

    def _search_some(self, labels: Sequence[Pair], asked: Asked, clock: Clock, found: Found) -> tuple[float, bool]:
        """Search all parts of these pairs of bodies; again with smooth parameters round each pole that is met. What their distance is at
        least, and whether the search came to its end.
        """
        pole: Any = True
        # With many parts the search takes longer than the question.
        self.slice([label for label in labels if not self.crowded.isdisjoint(label)])
        self.meet([label for label in labels if self.seem_to_meet(label, found)], clock, found)
        if found.meets is not None:
            return 0.0, True
        while pole is not None:
            meetings, problems, complete = self._problems(labels, asked, clock, found)
            if found.meets is not None:
                return 0.0, True
            if not problems or not complete:
                return (math.inf, True) if complete else (0.0, False)
            search = Search(problems, Options(tolerance=WIDTH, first_only=asked.reach < math.inf))
            search.share, search.gap = asked.tolerance, _FINEST * self.size
            if not asked.reach < math.inf:
                search.proved = found.upper * _AGAIN_FOUND
            finished = drive(search, clock, steps=_UNSLICED // 8, boxes=_UNSLICED)
            if not finished and search.pole is None and not clock.over and self.slice(labels):
                self._note_best(search, found)
                continue
            finished = finished or drive(search, clock, boxes=max(_PATIENCE, _EACH * len(problems)))
            if search.pole is None and _lower(search) <= SMALL * self.size:
                stages = self._undecided(search, meetings)
                self.meet(stages, clock, found, stages)
                if found.meets is not None:
                    return 0.0, True
                if not asked.reach < math.inf:
                    search.proved = min(search.proved, found.upper * _AGAIN_FOUND)
            finished = finished or self._search_on(search, asked, clock, found)
            known, pole = (_lower(search), finished), search.pole
            self._note_best(search, found)
            if finished and not asked.one and not asked.reach < math.inf:
                search = self._listed(search, meetings, asked, clock, found)
                pole = search.pole
            if pole is not None and not self._use_chart(*pole):
                break
        if not (asked.one and known[1] and found.best is not None):
            self._keep(search, found)
        self._note_open(search, [self.relative.given(label) for label in labels], known[1], min(found.upper, asked.reach), found)
        return known

    def _undecided(self, search: Search, meetings: Sequence[NearMeeting]) -> dict[Pair, set[int]]:
        """The pairs of bodies whose distance a search does not tell from 0, and the stages in which it does not."""
        stages, near = dict[Pair, set[int]](), {search.owner(k) for k in search.possible_ones().tolist()}
        for k, m in enumerate(meetings):
            if k in near or k in search.left or search.least_open(k) <= SMALL * self.size:
                stages.setdefault(m.label, set()).add(m.stage)
        return stages

    def _listed(self, search: Search, meetings: Sequence[NearMeeting], asked: Asked, clock: Clock, found: Found) -> Search:
        """The nearest points, once the distance is known; of bodies that were sliced, those of the whole bodies."""
        upper, labels = search.proved, list(dict.fromkeys(m.label for m in meetings))
        for whole in (False, True):
            search.gap, search.spacing = 0.0, self._spacing(labels) if asked.spacing is None else asked.spacing
            search.simultaneity = asked.tolerance * upper
            drive(search, clock, boxes=search.iterations + max(_AGAIN * search.iterations, _LEAST))
            self._note_best(search, found)
            if whole or self.turned.keys().isdisjoint(labels) or search.pole is not None or clock.over:
                break
            places = [(meetings[search.owner(k)], search.problem_of(k).variables, search.found(k))
                      for k in search.possible_ones().tolist()[:LOOKED_AT]]
            problems = (p for m, names, box in places for p in self.turned_back(m, dict(zip(names[:-1], box, strict=False))))
            search = Search(_converted(problems, clock), Options(tolerance=WIDTH))
            search.proved = upper * _AGAIN_FOUND
        return search

    def _problems(self, labels: Sequence[Pair], asked: Asked, clock: Clock, found: Found,
                  ) -> tuple[list[NearMeeting], list[Problem], bool]:
        """Those of all parts of some pairs of bodies, each of a meeting, and whether there was time for all."""
        reach = min(max(map(self.reach, labels)), asked.reach)
        crowded = [label for label in labels if label not in self.turned and not self.crowded.isdisjoint(label)]
        if crowded and not self._narrow(crowded, reach, clock, found):
            return [], [], False
        if found.meets is not None:
            return [], [], True
        near = self.near([label for label in labels if label not in self.apart], min(found.upper, asked.reach))
        if len(near) > 2 * FEW and not found.upper < math.inf:
            self._seed(near.promising(FEW), reach, clock, found)
            near = near.within(found.upper)
        meetings = self.nearer(list(near), min(found.upper, asked.reach))
        problems = _converted((self.problem(m, reach, len(meetings) > FEW) for m in meetings), clock)
        return meetings, problems, len(problems) == len(meetings)

    def _narrow(self, labels: Sequence[Pair], reach: float, clock: Clock, found: Found) -> bool:
        """Learn about where pairs of bodies may be nearest, from searches of their closed parts; return whether there was time for it.
        Where they seem to meet, that is asked.
        """
        closed = self.near(labels, min(found.upper, reach), True).nearest_first()
        known, count = dict[Pair, list[Whereabouts]](), FEW
        while len(closed.within(found.upper)):
            some, closed, count = closed[:count], closed[count:], 2 * count
            search = self._roughly(some.within(found.upper), reach, clock, found)
            if clock.over:
                return False
            if search.pole is not None and self._use_chart(*search.pole):
                return self._narrow(labels, reach, clock, found)
            for p, boxes in left_of(search):
                there = whereabouts(p, boxes, self.slices, functools.partial(self._met, p))
                known.setdefault(self.relative.label(p.label), []).append(there)
            meeting = self._may_meet(labels, found)
            if meeting is not None and len(labels) > 1:
                # That pair first: if its surfaces are proved to meet, no other one matters.
                if not self._narrow([meeting], reach, clock, found) or found.meets is not None:
                    return found.meets is not None
                known.pop(meeting, None)
                labels, closed = [label for label in labels if label != meeting], closed.without(meeting)
        self.whereabouts |= {label: together(own).within(found.upper) for label, own in known.items()}
        # What was not searched is farther.
        self.apart |= {label for label in labels if label not in known}
        if found.upper <= _MAY_MEET * self.size:
            self.meet([label for label in known if (self.whereabouts[label].least <= 0.0).any()], clock, found)
        return True

    def _may_meet(self, labels: Sequence[Pair], found: Found) -> Pair | None:
        """The one of these pairs of bodies that is as near as is known, if that is so near that their surfaces may well meet."""
        label = self.relative.label(found.best[0].label) if found.best is not None and found.upper <= _MAY_MEET * self.size else None
        return label if label in labels else None

    def _roughly(self, meetings: Sequence[NearMeeting], reach: float, clock: Clock, found: Found) -> Search:
        """A search of these closed parts by the equations of the distance alone; none of its boxes is lost (`left_of`)."""
        problems = _converted((self.problem(m, reach, True, critical=False) for m in meetings), clock)
        search = Search(problems, Options(tolerance=WIDTH))
        search.proved = min(search.proved, found.upper * _AGAIN_FOUND)
        drive(search, clock, boxes=_ROUGH * len(problems))
        self._note_best(search, found)
        return search

    def _seed(self, meetings: Sequence[NearMeeting], reach: float, clock: Clock, found: Found) -> None:
        """An upper bound from the pairs of parts that may be nearest, that spares others."""
        problems = [self.problem(m, reach, True) for m in meetings]
        for problem in problems:
            prepare(problem, "auto")
        search = Search(problems, Options(tolerance=WIDTH))
        search.gap = _FINEST * self.size
        drive(search, clock, boxes=_SEEDING)
        self._note_best(search, found)

    def _search_on(self, search: Search, asked: Asked, clock: Clock, found: Found) -> bool:
        """Search to the end; return whether the search came to it. As long as surfaces may touch, the nearest points are now and then
        brought together.
        """
        finished = False
        while not finished and search.pole is None and not clock.over and _lower(search) <= SMALL * self.size:
            self._bring_together(search, found)
            if not asked.reach < math.inf:
                search.proved = min(search.proved, found.upper * _AGAIN_FOUND)
            boxes = 2 * max(search.iterations, _PATIENCE)
            finished = drive_in_windows(search, clock, boxes)
            if not finished and search.iterations < boxes:
                return False
        return finished or (search.pole is None and drive_in_windows(search, clock))

    @staticmethod
    def _bring_together(search: Search, found: Found) -> None:
        """From where points may be nearest to such as are, also where surfaces touch. (A search tells the square of a distance.)"""
        first = sorted(range(len(search.problems)), key=search.least_open)[:_BROUGHT]
        for problem, boxes in ((search.problems[p], search.open(p)) for p in first):
            if len(boxes):
                box = brought_together(problem, boxes[int(np.argmin(boxes[:, -1, 0]))].mean(axis=1))
                if box is not None and box[-1, 1] < found.upper:
                    found.upper, found.best = float(box[-1, 1]), (problem, box, {})

    def _use_chart(self, problem: Problem, variable: int, end: int) -> bool:
        """Use smooth parameters round the pole at an end of a variable of a problem; return whether the problem had others."""
        name = problem.variables[variable]
        if variable == problem.objective:
            # A distance is without any bound where a formula is not defined.
            return False
        side = int(name[-1]) - 1
        k, pole = self.relative.label(problem.label)[side], (int(problem.features[side].split()[1]), u if name[0] == "u" else v, end)
        if pole in self.charts[k]:
            return False
        self.charts[k] |= {pole}
        self._look_at_parts(k)
        return True

    def _spacing(self, labels: Sequence[Pair]) -> float:
        """A tenth of the size of the smallest body."""
        sizes = [float(np.ptp(self.around[k, 0], axis=1).max()) for label in labels for k in label]
        return 0.1 * (min(sizes) or 1.0)

    @staticmethod
    def _keep(search: Search, found: Found) -> None:
        for k in search.possible_ones().tolist():
            found.boxes.append((search.problem_of(k), search.kind(k), search.found(k).copy()))
        for p in range(len(search.problems)):
            boxes = search.open(p)
            first = np.argsort(boxes[:, -1, 0], kind="stable")[:LOOKED_AT]
            found.boxes += [(search.problems[p], LOCATED, box) for box in boxes[first]]

    @staticmethod
    def _note_open(search: Search, labels: Sequence[Pair], finished: bool, upper: float, found: Found) -> None:
        """Note a search that was not finished: of its pairs, those of which nothing is left are not waiting."""
        found.stands = None if finished else search
        left = {p.label for k, p in enumerate(search.problems) if k in search.left or search.least_open(k) <= upper}
        for label in labels if not finished else ():
            if label not in left and found.waiting is not None:
                found.waiting.pop(label, None)

    @staticmethod
    def _note_best(search: Search, found: Found) -> None:
        if search.proved < found.upper:
            problem = search.problems[search.best_problem]
            found.upper, found.best = search.proved, (problem, search.arrays["best"][:len(problem.variables)].copy(), {})



def _converted(problems: Iterable[Problem], clock: Clock) -> list[Problem]:
    """Those for which there is time, ready to be searched."""
    found = []
    with clock.doing(CONVERTING):
        for problem in problems:
            clock.converting = problem.label
            both_points(problem)
            prepare(problem, "auto")
            found.append(problem)
            if clock.over:
                return found
    clock.converting = None
    return found


def _lower(search: Search) -> float:
    """A lower bound of the distance, by all boxes that were not excluded."""
    return min(search.clear_until(search.possible_ones(), math.inf), search.proved)
