"""The least value of one variable, the time or a parameter, at which bodies meet, over ranges of further ones: parameters, or the time.

All are variables of the same search, and what holds at the least value contracts them as tangency does (`situations.stationary`). Where the
sign of the derivative of the least value by a parameter is proved in all that is left, the least value is at that end of its range: there
the parameter is a number again (`settle`), and once all are numbers the question is that of ordinary bodies.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from generative.family import family_of
from generative.relative import by_factors

from ..bodies.cells import whole_of
from ..bodies.numbers import Numbers
from ..bodies.parameters import Ranges, in_ranges, variable_of
from ..bodies.thickened import Shift
from ..culling.broad_phase import Window
from ..moment.pairs import Pair, Pairs
from ..moment.start import Start
from ..search.clock import CONVERTING, Clock
from ..search.drive import drive
from ..search.native.layout import LANES
from ..search.options import Options
from ..search.prepare import prepare
from ..search.problem import Problem
from ..search.search import Search
from ..situations.contact import member, situation, with_numbers
from ..situations.stationary import ends_of, slope_kernel, symbols_of
from .examine import shortly_before
from .scene import Scene
from .situated import Meeting, divided_numbers, over

# Boxes between two looks at the signs of derivatives. Effort only.
_LOOK = 64
# So many boxes more, and so many times those that it took, are examined once the objective is bracketed. Effort only.
_LEAST, _MORE = 2000, 4
# Of so many solutions nothing is settled: they are samples of a curve or patch. Effort only.
_MANY = 32
_NO_WALKS = 1 << 40


class Left(NamedTuple):
    """A search that came to its end (`finished`) or to that of the budget, and what its parameters are proved to be where the objective is
    least: `ends` {symbol: number}, and `idle`, those that nothing of what is left depends on.
    """

    search: Search | None
    finished: bool
    ends: dict[Any, Any]
    idle: frozenset[Any]


class ParameterSearch:
    """Bodies with parameters that are variables in `ranges`. The `objective` is the time, or one of the parameters."""

    def __init__(self, bodies: Sequence[Any], ranges: Ranges, time: tuple[Any, Any], span: Window, ignored: Pairs,
                 objective: Any = None, shift: Shift = Shift.NONE) -> None:
        self.ranges, self.objective, self.time, self.span = dict(ranges), objective, time, span
        bodies = by_factors(bodies)
        members = [family_of(body) for body in bodies]
        numbers, free = in_ranges(members, ranges)
        self.resting: set[Pair] = set()
        self.scene = Scene([m.body for m in members], time, span, (), closed=False, numbers=numbers, ignored=ignored, carried=bodies,
                           shift=shift)
        # A shift is a number, and no variable.
        self.free = tuple((*own, *[""] * (len(n.symbols) - len(own))) for own, n in zip(free, self.scene.numbers, strict=True))

    def start(self, tolerance: float, clock: Clock) -> None:
        """Find how the pairs begin, for all values. Those of bodies with parameters that are not proved disjoint then count as apart, also
        if they are at rest: if they meet at the beginning, this is found.
        """
        scene = self.scene
        scene.look(tolerance, clock)
        scene.unproved = scene.begin
        asked = [label for label in scene.states.others if any(map(any, (self.free[k] for k in label)))]
        scene.undecided.update(asked)
        scene.states.others |= dict.fromkeys(asked, Start.UNKNOWN)
        scene.leave_out_resting(asked)
        self.resting = {label for label in asked if scene.rest(label)}

    def further(self, label: Pair) -> tuple[str, ...]:
        """The further variables of a pair of bodies, the objective last. Contact does not depend on parameters of nothing but a motion that
        both bodies share.
        """
        own = {name for _, names in self._sides(label)[:2] for name in names}
        names = [variable_of(s) for s in self.ranges if s is not self.objective and variable_of(s) in own]
        return (*names, "t") if self.objective is None else (*names, "t", variable_of(self.objective))

    def problem(self, m: Meeting) -> Problem:
        further, shared = self.further(m.label), self.scene.shared(m.label)
        (first, names), (second, others), *frame = self._sides(m.label)
        known = {variable_of(s): span for s, span in self.ranges.items()} | {"t": self.time}
        spans = [known[name] for name in further]
        build = member if self.scene.many else situation
        numbers = first, second, ends_of(further, spans), *(own for own, _ in frame)
        free = names, others, ("",) * len(symbols_of(further)), *(tuple(e if e in further else "" for e in own) for _, own in frame)
        whole = build(whole_of(m.first), whole_of(m.second), time=(0, 1), incoming=not self.scene.apart(m.label),
                      symbols=tuple(n.symbols for n in numbers), further=further, free=free, **({"shared": shared} if shared else {}))
        whole = with_numbers(whole, numbers, *spans).with_data(label=m.label)
        assert whole.border is not None
        border = whole.border.copy()
        # Where the objective begins they may cross.
        border[-1, 0] = 1
        window = (m.window[0], m.window[0]) if m.label in self.resting else m.window
        return over(whole, (m.first, m.second), (first, second), window, border)

    def _sides(self, label: Pair) -> list[tuple[Numbers, tuple[str, ...]]]:
        """The numbers of the first body, of the second one, and of a motion that they share, if there is one, each with what variables
        these are, "" for others.
        """
        shared, found = self.scene.shared(label), [(self.scene.numbers[k], self.free[k]) for k in label]
        if not shared:
            return found
        bodies = (self.scene.bodies[k] for k in label)
        (before, first), (_, second) = (divided_numbers(body, own, shared) for body, (own, _) in zip(bodies, found, strict=True))
        return [(n, _names(n, *found[side])) for n, side in ((first, 0), (second, 1), (before, 0))]

    # -- searches -----------------------------------------------------------------------------------------------------

    def search(self, options: Options, clock: Clock, proved: float = math.inf) -> Left:
        """Search until parameters are settled, or the objective is bracketed. `proved`: an upper bound of its least value that is known."""
        begin = -math.inf
        while True:
            search = self._begun(replace(options, spacing=0.0), clock, begin)
            if search is None:
                return Left(None, not clock.ended, {}, frozenset())
            # Nothing is to stand for anything else, and curves are not followed.
            search.proved, search.gap, search.walked = min(proved, search.proved), options.simultaneity, _NO_WALKS
            left = self._looked_at(search, clock)
            if left.finished or search.pole is None or clock.ended:
                return left
            proved, begin = search.proved, self._use_chart(search)

    def _looked_at(self, search: Search, clock: Clock) -> Left:
        """The search until parameters are settled, also for some time after the objective is bracketed."""
        finished, most = False, math.inf
        while not finished and search.pole is None and not clock.ended and search.iterations < most and search.solution_count < _MANY:
            finished = drive(search, clock, steps=1 + _LOOK // LANES, boxes=search.iterations + _LOOK)
            ends, idle = self._settled(search)
            if ends or (idle and finished):
                return Left(search, True, ends, idle)
            if finished and search.gap > 0.0:
                finished, search.gap, most = False, 0.0, _MORE * search.iterations + _LEAST
        return Left(search, finished, {}, frozenset())

    def to_the_end(self, options: Options, clock: Clock, proved: float, listed: float) -> tuple[Search | None, bool, float]:
        """The search of the least value, then of all that needs at most `listed` more, with samples of curves; whether it finished, and the
        value up to which all is proved to be clear.
        """
        clear = -math.inf
        while True:
            search = self._begun(options, clock, clear)
            if search is None:
                return None, not clock.ended, clear
            search.proved, search.gap = proved, options.simultaneity
            finished = drive(search, clock)
            clear = max(clear, search.clear_until(search.possible_ones(), math.inf))
            if finished and search.pole is None:
                search.gap, search.simultaneity = 0.0, listed
                finished = drive(search, clock)
            if search.pole is None or clock.ended:
                return search, finished, clear
            proved, clear = search.proved, self._use_chart(search)

    def _use_chart(self, search: Search) -> float:
        """Smooth parameters round a pole that was met; the value of the objective up to which all is clear."""
        assert search.pole is not None
        end = math.inf if self.objective is not None else self.span[1]
        self.scene.use_chart(*search.pole)
        return search.clear_until(search.possible_ones(), end)

    def _begun(self, options: Options, clock: Clock, clear: float) -> Search | None:
        """A search of what is not clear; None if that is nothing, or the time is up."""
        problems = []
        with clock.doing(CONVERTING):
            for m in self.scene.meetings():
                problem = self.problem(m)
                assert problem.border is not None
                lo, hi = problem.outer[-1]
                if clear > lo:
                    outer, inner = problem.outer.copy(), problem.inner.copy()
                    outer[-1, 0] = inner[-1, 0] = shortly_before(min(clear, hi), (lo, hi))
                    border = problem.border.copy()
                    border[-1, 0] = 0
                    problem = problem.with_data(outer=outer, inner=inner, border=border)
                problems.append(problem)
                prepare(problem, options.method)
                if clock.ended:
                    return None
        return Search(problems, options) if problems else None

    # -- what is settled ----------------------------------------------------------------------------------------------

    def _settled(self, search: Search) -> tuple[dict[Any, Any], frozenset[Any]]:
        """The parameters of which it is proved, in all that is left, at which end of its range the objective is least; and those on which
        nothing that is left depends.
        """
        signs: dict[str, set[int]] = {}
        used, something = set[str](), False
        for k, problem in enumerate(search.problems):
            boxes = self._left(search, k)
            if not len(boxes):
                continue
            further, something = self.further(problem.label)[:-1], True
            used |= {*further}
            for name, sign in zip(further, _signs(problem, boxes, len(further)), strict=True):
                signs.setdefault(name, set()).add(sign)
        ends = {s: span[0] if signs[name] == {1} else span[1] for s, span in self.ranges.items()
                for name in [variable_of(s)] if signs.get(name) in ({1}, {-1})}
        idle = frozenset(s for s in self.ranges if s is not self.objective and variable_of(s) not in used) if something else frozenset()
        return ends, idle

    @staticmethod
    def _left(search: Search, k: int) -> np.ndarray:
        """The boxes of problem k in which the least value may be: open ones, and those of what was found."""
        found = [i for i in search.possible_ones().tolist() if search.owner(i) == k]
        boxes = np.concatenate([search.open(k), search.boxes(k, np.array(found, np.int64))])
        return boxes[boxes[:, -1, 0] <= search.proved]


def _names(numbers: Numbers, whole: Numbers, free: tuple[str, ...]) -> tuple[str, ...]:
    """The names of variables of some numbers of a body, of which all have those that are `free`."""
    known = dict(zip(whole.symbols, free, strict=True))
    return tuple(known[s] for s in numbers.symbols)


def _signs(problem: Problem, boxes: np.ndarray, count: int) -> list[int]:
    """1 or -1 where the objective is proved to grow or to fall with a further variable in all boxes, 0 elsewhere, as where conditions do
    not hold at the border of what is searched.
    """
    kernel = slope_kernel(problem)
    assert problem.border is not None
    marked = ((boxes[..., 0] <= problem.outer[:, 0]) & (problem.border[:, 0] != 0)) | (
        (boxes[..., 1] >= problem.outer[:, 1]) & (problem.border[:, 1] != 0))
    if kernel is None or marked.any():
        return [0] * count
    lo, hi = kernel.interval(boxes[..., 0], boxes[..., 1], parameters=tuple(problem.parameters.T) if len(problem.parameters) else None)
    return [1 if (a > 0).all() else -1 if (b < 0).all() else 0 for a, b in zip(lo.T, hi.T, strict=True)]

