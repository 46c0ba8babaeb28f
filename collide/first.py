"""`first_contact`: when and where do moving bodies first touch?

Parts of bodies that are proved apart over time are left out, pair by pair of parts (`broad_phase`). Where many situations
remain, the time span is searched in stages, each with the situations that matter in it: those that come into play after
the first contact need no search, and are not even compiled.
"""

import copy
import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from generative import u, v, x, y, z

from . import layout, time_dependent
from .answer import clear_until, contacts, possible
from .broad_phase import Extent, windows
from .budget import Budget, Clock, as_budget, drive
from .checks import check_bodies, check_options, check_span
from .contact import member, situation
from .parts import Implicit, Parametric, Part, Pole, parts_of
from .patch import bounds
from .problem import Problem
from .result import Contacts, Start
from .start import start_of
from .state import Search
from .tracking import Tracked, check_tracked, known_point

# Up to so many situations are searched over the whole time span at once; more in so many stages.
_FEW, _STAGES = 8, 16

Pair = tuple[int, int]
Window = tuple[float, float]


def first_contact(bodies: Sequence[Any], time: tuple[Any, Any], *, simultaneity: float = 1e-6, separation: float = 0.05,
                  tolerance: float = 1e-9, tracked: Sequence[Tracked] = (), method: str = "auto", order: str = "auto",
                  tangency: bool = True, budget: Budget | float | None = None, progress: bool = False) -> Contacts:
    """The earliest contact of moving, possibly deforming bodies in a time span, with what is proved about it.

    For pairs *proved* disjoint at time[0]: `time` of the result encloses the least t at which the closed surfaces
    meet, and before `clear_until` they are *proved* not to meet. For pairs that touch or overlap at the start: the
    same for new incoming tangential contacts (Snyder 1993, Section 2). An implicit surface is what lies within its bounds.

    `bodies`: ParametricSurface, ImplicitSurface (and unions, intersections, differences of them) and Solid values.
    `simultaneity`: contacts at most this much later than the first are reported with it. `separation`: distance between
    sampled points where contacts form curves or patches. `tolerance`: the largest parameter width accepted without
    proof. `tracked`: contacts that are known already (`Tracked`). `method`, `order`, `tangency`: see the README; they
    change the work, not the meaning. `budget`: seconds or a `Budget`.
    """
    span = check_span(time)
    check_options(method, order, simultaneity=simultaneity, separation=separation, tolerance=tolerance)
    check_bodies(bodies, span)
    check_tracked(tracked, bodies, span)
    numbers = {"simultaneity": simultaneity, "separation": separation, "tolerance": tolerance}
    options: dict[str, Any] = {"method": method, "order": order, **numbers}
    clock = Clock(as_budget(budget), progress)
    try:
        if method == "time-dependent":
            return time_dependent.first_contact(bodies, tuple(time), span, clock, tracked=bool(tracked), **numbers)
        scene = _Scene(bodies, tuple(time), span, tangency, tracked)
        start = scene.start(tolerance, clock)
        search, finished, seen = _search(scene, options, clock)
    finally:
        clock.close()
    return contacts(search, finished, bodies, span, start, clock, seen)


def _search(scene: "_Scene", options: dict[str, Any], clock: Clock) -> tuple[Search | None, bool, float]:
    """Search stage after stage of the time span, in each the situations of parts that may meet then, until one holds a
    contact. The last search, whether it came to its end, and the time up to which everything was looked at.
    """
    begin = scene.span[0]
    for end in scene.stages():
        search, finished = _stage(scene, (begin, end), options, clock)
        if search is not None:
            if not finished:
                return search, False, end
            proved = float(search.real[layout.PROVED])
            if proved < math.inf and proved + options["simultaneity"] > end < scene.span[1]:
                # What is simultaneous with the contact may lie just beyond the stage.
                end = min(scene.span[1], float(np.nextafter(proved + options["simultaneity"], math.inf)))
                return *_stage(scene, (begin, end), options, clock), end
            if proved < math.inf or (end == scene.span[1] and search.solutions):
                return search, True, end
            if any(possible(search, k) for k in search.solutions):
                # Nothing is proved yet: a contact at the very end of the stage could not be.
                continue
        begin = end
    return None, True, scene.span[1]


def _stage(scene: "_Scene", window: Window, options: dict[str, Any], clock: Clock) -> tuple[Search | None, bool]:
    """Search the situations of one stage; whether it came to its end. Where the first open box is at a pole, it begins anew
    at the time up to which all is clear, with smooth parameters round that pole.
    """
    proved = math.inf
    while problems := scene.problems(window):
        search = Search(problems, **options)
        search.real[layout.PROVED] = proved
        finished = drive(search, clock)
        pole = search.pole
        if pole is None:
            return search, finished
        scene.take_chart(*pole)
        proved = float(search.real[layout.PROVED])
        window = max(window[0], clear_until(search, search.solutions, window[1])), window[1]
    return None, True


class _Scene:
    """The parts of all bodies, and the situations of those that come near each other."""

    def __init__(self, bodies: Sequence[Any], time: tuple[Any, Any], span: Window, tangency: bool, tracked: Sequence[Tracked]) -> None:
        self.bodies, self.time, self.span, self.tangency = tuple(bodies), time, span, tangency
        self.tracked = {pair: tuple(known_point(item, bodies) for item in tracked if item.pair == pair)
                        for pair in {item.pair for item in tracked}}
        self.charts: list[frozenset[Pole]] = [frozenset()] * len(self.bodies)
        self.states: dict[Pair, Start] = {}
        self._place()

    def _place(self) -> None:
        self.parts = [(k, part) for k, body in enumerate(self.bodies) for part in parts_of(body, self.charts[k])]
        self.near = self._windows()

    def take_chart(self, problem: Problem, variable: int, end: int) -> None:
        """Use smooth parameters round the pole at an end of a variable of a problem."""
        name = problem.variables[variable]
        side = int(name[-1]) - 1
        body, face = problem.label[side], int(problem.features[side].split()[1])
        self.charts[body] |= {(face, u if name[0] == "u" else v, end)}
        self._place()

    def _windows(self) -> dict[Pair, Window]:
        """The windows of time in which two parts, by number, of different bodies may meet. Few are not worth the culling."""
        pairs = [(a, b) for a, b in itertools.combinations(range(len(self.parts)), 2) if self.parts[a][0] != self.parts[b][0]]
        if len(pairs) <= _FEW:
            return dict.fromkeys(pairs, self.span)
        found = windows([_extent(owner, part) for owner, (_, part) in enumerate(self.parts)], self.span)
        return {(a, b): window for (a, b), window in found.items() if self.parts[a][0] != self.parts[b][0]}

    def start(self, tolerance: float, clock: Clock) -> dict[Pair, Start]:
        """The state of every pair at the beginning; apart if all their parts are apart then."""
        close = {(self.parts[a][0], self.parts[b][0]) for (a, b), w in self.near.items() if w[0] <= self.span[0]}
        for i, j in itertools.combinations(range(len(self.bodies)), 2):
            self.states[i, j] = Start.DISJOINT
            if (i, j) in close:
                self.states[i, j] = start_of(self.bodies[i], self.bodies[j], self.span[0], tolerance, clock)
        return self.states

    def stages(self) -> list[float]:
        """The ends of the stages: one for a few situations; more, evenly spaced, where it pays not to look at most of them.

        The ends are off the simple fractions of the span, where contact is likelier than elsewhere.
        """
        if len(self.near) <= _FEW:
            return [self.span[1]]
        first, last = self.span
        inner = [first + (last - first) * (k - 0.382) / _STAGES for k in range(1, _STAGES + 1)]
        return [*(e for e in inner if first < e < last), last]

    def problems(self, span: Window) -> list[Problem]:
        """The situations of parts that may meet in a time span, each over its own window; only incoming contacts count
        unless the bodies start apart.
        """
        result = []
        for (a, b), window in self.near.items():
            if window[0] > span[1] or window[1] < span[0]:
                continue
            (i, first), (j, second) = self.parts[a], self.parts[b]
            incoming = self.states[i, j] is not Start.DISJOINT
            build = situation if len(self.bodies) == 2 and len(self.near) <= _FEW else member
            whole = build(_whole(first), _whole(second), self.time, tangency=self.tangency, incoming=incoming,
                          tracked=self.tracked.get((i, j), ()), label=(i, j))
            result.append(_over(whole, (first, second), (max(window[0], span[0]), min(window[1], span[1]))))
        return result


def _whole(part: Part) -> Part:
    return part.whole or part if isinstance(part, Parametric) else part


def _over(problem: Problem, parts: tuple[Part, Part], window: Window) -> Problem:
    """The problem, with the same kernels, over a window of time and the domains of parts of those it was built for."""
    time = problem.objective
    assert time is not None
    limits = {time: window}
    for side, part in enumerate(parts, 1):
        if isinstance(part, Parametric) and part.whole:
            columns = [problem.variables.index(f"{name}{side}") for name in part.names]
            limits |= zip(columns, bounds(part.domain)[0], strict=True)
    if all(ends[0] <= problem.outer[j, 0] and ends[1] >= problem.outer[j, 1] for j, ends in limits.items()):
        return problem
    narrowed = copy.copy(problem)
    for name, box in (("outer", problem.outer.copy()), ("inner", problem.inner.copy())):
        for j, ends in limits.items():
            box[j] = max(box[j, 0], ends[0]), min(box[j, 1], ends[1])
        object.__setattr__(narrowed, name, box)
    return narrowed


def _extent(owner: int, part: Part) -> Extent:
    return replace(_shape(part), owner=owner)


@functools.lru_cache(maxsize=4096)
def _shape(part: Part) -> Extent:
    """A part for the broad phase: an implicit one is somewhere within the bounds of its first leaf."""
    if isinstance(part, Implicit):
        leaf = part.leaves[0]
        return Extent(0, (x, y, z), (x, y, z), bounds(leaf.bounds)[0], leaf.motion)
    at = {u: part.path[0], v: part.path[1]}
    a, b, c = (e.subs(at, simultaneous=True) for e in part.surface.body)
    domain = bounds(part.domain)[0] if part.domain else np.empty((0, 2))
    return Extent(0, (a, b, c), part.symbols, domain, part.surface.motion)
