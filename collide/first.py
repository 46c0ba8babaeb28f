"""`first_contact`: when and where do moving bodies first touch?

Parts of bodies that are proved apart over time are left out, pair by pair of parts (`broad_phase`), and the others come into play in the
order in which they may meet: those that could do so only after the first contact need no search, and are not even compiled. Where the
faces of bodies tell the time (`scene`), edges and vertices are searched only round the contacts found.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .answer import clear_until, contacts, possible
from .bezier import time_dependent
from .breaks import stage_ends
from .broad_phase import Window
from .budget import Budget, Clock, as_budget, drive
from .checks import check_bodies, check_kinds, check_options, check_span
from .features import bordered, explained, features
from .jumps import jumps_of
from .problem import Problem
from .result import Contacts, Start
from .scene import Meeting, Scene
from .search import layout
from .standing import drive_past
from .state import Search, prepare
from .tracking import Tracked, check_tracked

# At least so many pairs of parts come into play at a time, or this part of those before.
_BATCH, _GROWTH = 4, 2
# A search that with so many boxes gets on by less than this share of the time ahead begins anew over a shorter stage, so many times in a
# row at most; and no more where a shorter stage then takes more than this share of the boxes for its time.
_PATIENCE, _SHARE, _TRIES, _PAYS = 1 << 14, 0.25, 6, 0.25
# Boxes in which it may be seen that nothing meets while a motion jumps, and after how many it is looked whether something was located.
_JUMP, _GLANCE = 100_000, 2_000


class _Found(NamedTuple):
    """A search of meetings, whether it came to its end, and the time up to which everything was looked at; and the features to search yet
    to say what was hit. `slow`: it got on so slowly that it was left.
    """

    search: Search | None
    finished: bool
    seen: float
    meetings: Sequence[Meeting] = ()
    features: Sequence[Meeting] = ()
    slow: bool = False

    @property
    def proved(self) -> float:
        """A time by which contact is proved."""
        return math.inf if self.search is None else float(self.search.real[layout.PROVED])

    @property
    def located(self) -> bool:
        return self.search is not None and any(possible(self.search, k) for k in self.search.solutions)


def first_contact(bodies: Sequence[Any], time: tuple[Any, Any], *, simultaneity: float = 1e-6, separation: float = 0.05,
                  tolerance: float = 1e-9, tracked: Sequence[Tracked] = (), method: str = "auto", order: str = "auto",
                  tangency: bool = True, budget: Budget | float | None = None, progress: bool = False) -> Contacts:
    """The earliest contact of moving, possibly deforming bodies in a time span, with what is proved about it.

    For pairs *proved* disjoint at time[0]: `time` of the result encloses the least t at which the closed surfaces
    meet, and before `clear_until` they are *proved* not to meet. For pairs that touch or overlap at the start: the
    same for new incoming tangential contacts (Snyder 1993, Section 2). An implicit surface is what lies within its bounds.
    Pairs that touch at the start, and are proved disjoint `simultaneity` before it by the formulas of their motions, are searched
    from there like those that start apart: of a contact just at time[0] rounding leaves a bracket that begins a little earlier.

    `bodies`: ParametricSurface, ImplicitSurface (and unions, intersections, differences of them) and Solid values.
    `simultaneity`: contacts at most this much later than the first are reported with it. `separation`: distance between
    sampled points where contacts form curves or patches. `tolerance`: the largest parameter width accepted without
    proof. `tracked`: contacts that are known already (`Tracked`). `method`, `order`, `tangency`: see the README; they
    change the work, not the meaning. `budget`: seconds or a `Budget`; it counts everything, compiling formulas included,
    but whatever was compiled is searched for at least some milliseconds.
    """
    span = check_span(time)
    check_options(method, order, simultaneity=simultaneity, separation=separation, tolerance=tolerance)
    if not isinstance(tangency, (bool, np.bool_)):
        raise TypeError(f"tangency must be True or False, got {tangency!r}")
    clock = Clock(as_budget(budget), progress)
    numbers = {"simultaneity": float(simultaneity), "separation": float(separation), "tolerance": float(tolerance)}
    options: dict[str, Any] = {"method": method, "order": order, **numbers}
    start = dict.fromkeys(itertools.combinations(range(len(bodies)), 2), Start.UNKNOWN) if isinstance(bodies, Sequence) else {}
    found = _Found(None, False, span[0])
    notes: tuple[str, ...] = ()
    try:
        check_kinds(bodies)
        check_tracked(tracked, bodies, span)
        if method == "time-dependent":
            check_bodies(bodies, span)
            return time_dependent.first_contact(bodies, tuple(time), span, clock, tracked=bool(tracked), **numbers)
        scene = Scene(bodies, tuple(time), span, tracked, tangency=tangency, closed=tangency and method == "auto")
        check_bodies(bodies, span)
        start = scene.start(numbers["tolerance"], clock)
        scene.look_back(numbers["simultaneity"], numbers["tolerance"], clock)
        for known in _searches(scene, options, clock):
            found = known
        if found.proved < span[0]:
            # They met before the beginning: what counts is what comes after.
            scene.look_no_further_back(tuple(time))
            for known in _searches(scene, options, clock):
                found = known
        notes = _beginnings(scene)
    except KeyboardInterrupt:
        clock.interrupted = True
    finally:
        clock.close()
    return contacts(found.search, found.finished, bodies, span, start, clock, found.seen, notes)


def _beginnings(scene: Scene) -> tuple[str, ...]:
    """Which pairs come together just as the time span begins."""
    if not scene.early:
        return ()
    pairs = [f"{i} and {j}" for i, j in sorted(scene.early)]
    named = "; ".join(pairs[:4]) + ("; and others" if len(pairs) > 4 else "")
    return (f"Bodies {named} come together as the time span begins: a little before it they are proved apart, and they were searched from "
            "there, so the bracket may begin before the span.",)


def _searches(scene: Scene, options: dict[str, Any], clock: Clock) -> Iterator[_Found]:
    """What is known, ever more of it: after every stage of the search for the time, and after that for what was hit."""
    found = _Found(None, False, scene.span[0])
    for found in _stages(scene, options, clock):
        yield found
    while found.search is not None and found.features:
        found = _hit(scene, found, options, clock)
        yield found


def _hit(scene: Scene, found: _Found, options: dict[str, Any], clock: Clock) -> _Found:
    """Goes on with a search that stopped when the time was known, now with edges and vertices beside the faces."""
    search, meetings = found.search, found.meetings
    assert search is not None
    left = [k for k, m in enumerate(meetings) if not explained(scene, m)
            and (len(search.open(k)) or any(search.owner(i) == k for i in search.solutions))]
    inner = [replace(meetings[k], closed=False) for k in left]
    problems = [scene.problem(m, scene.span) for m in (*inner, *found.features)]
    starts = [*(search.open(k) for k in left), *(p.outer[None] for p in problems[len(left):])]
    again = Search(problems, starts=starts, **options)
    again.adopt(search, {k: new for new, k in enumerate(left)})
    finished = drive_past(again, clock, scene.begin)
    if again.pole is not None:
        return _charted(scene, again, (scene.span[0], found.seen), options, clock)
    return _Found(again, finished, found.seen)


def _charted(scene: Scene, search: Search, span: Window, options: dict[str, Any], clock: Clock) -> _Found:
    """Begins anew, where a search met a pole, at the time up to which all is clear, with smooth parameters round that pole."""
    assert search.pole is not None
    scene.take_chart(*search.pole)
    clear = max(span[0], clear_until(search, search.solutions, span[1]))
    return _timed(scene, (clear, span[1]), options, clock, float(search.real[layout.PROVED]))


def _stages(scene: Scene, options: dict[str, Any], clock: Clock) -> Iterator[_Found]:
    """Stage after stage of the time span, in each the pairs that may meet then, until one holds a contact.

    A long stage in which bodies turn far is searched in shorter ones: boxes are divided in space for all of the time that they hold, so
    beginning anew, where the search got to, makes few of many.
    """
    begin, last = scene.span
    jumps = jumps_of(scene.bodies, scene.span, scene.numbers)
    changes = {*stage_ends(scene.bodies, scene.span), *(end for jump in jumps for end in jump if begin < end < last)}
    ends = sorted({*_ends(scene.meetings(), scene.span), *changes}, reverse=True)
    pace, doubt, proved = _Pace(), None, math.inf
    while ends and not (clock.interrupted or (clock.over and begin > scene.span[0])):
        end, before = min(ends[-1], begin + pace.length), clock.boxes
        if scene.passes((begin, end), options["tolerance"], clock):
            found = _Found(None, True, end)
        elif any(lo <= begin and end <= hi for lo, hi in jumps):
            found = _jumped(scene, (begin, end), options, clock)
            if not found.proved < math.inf:
                if found.located or not found.finished:
                    doubt = doubt or found
                found = _Found(None, True, end)
        else:
            found = _timed(scene, (begin, end), options, clock, proved if proved <= end else math.inf, pace.hasty, pace.length < math.inf)
            if found.slow:
                yield _told(found, doubt)
                pace.slow(begin, found.seen, clock.boxes - before)
                begin, proved = found.seen, min(proved, found.proved)
                continue
            if found.search is not None and found.finished and end not in changes and end < _later(scene, found.proved, options) < last:
                # What is simultaneous with the contact may lie just beyond the stage (not looked for across a change of motion).
                found = _timed(scene, (begin, _later(scene, found.proved, options)), options, clock)
            pace.passed(begin, end, clock.boxes - before)
        if not found.finished or found.proved < math.inf or (end == last and found.located):
            yield _told(found._replace(finished=found.finished and not found.features), doubt)
            return
        ends = [e for e in ends if e > end]
        if found.located:
            # Nothing is proved yet: a contact at the very end of the stage could not be.
            assert found.search is not None
            begin = max(begin, clear_until(found.search, found.search.solutions, end))
            continue
        begin = end
        yield doubt if doubt and end == last else _told(_Found(None, end == last, end), doubt)


def _told(found: _Found, doubt: _Found | None) -> _Found:
    """What is known after a stage where there was a doubtful jump before it."""
    return found if doubt is None else found._replace(seen=min(found.seen, doubt.seen))


class _Pace:
    """How long the stages are that a search is left for where it gets on slowly."""

    def __init__(self) -> None:
        self.length, self.tries, self.cost = math.inf, 0, math.inf

    @property
    def hasty(self) -> bool:
        """May a search that gets on slowly be left?"""
        return self.tries < _TRIES

    def slow(self, begin: float, seen: float, boxes: int) -> None:
        """A search took so many boxes from `begin` to `seen`."""
        self.cost, self.length, self.tries = boxes / (seen - begin), 0.5 * (seen - begin), self.tries + 1

    def passed(self, begin: float, end: float, boxes: int) -> None:
        """A stage came to its end."""
        if self.tries and boxes > _PAYS * self.cost * (end - begin):
            self.length, self.tries = math.inf, _TRIES
        elif self.length < math.inf:
            self.length, self.tries = 2.0 * self.length, 0


def _jumped(scene: Scene, span: Window, options: dict[str, Any], clock: Clock) -> _Found:
    """What may meet while a motion jumps. It is excluded wherever the bodies may be meanwhile, or by each of the formulas that may hold
    then; or it is proved of the moment after it, where bodies cross then.
    """
    within = [m for m in scene.meetings() if _within(m, span)]
    if not within:
        return _Found(None, True, span[1])
    search = Search([scene.problem(m, span) for m in within], **options)
    found = _Found(search, drive_past(search, clock, scene.begin, _GLANCE), span[0])
    if search.pole is not None:
        scene.take_chart(*search.pole)
        return _jumped(scene, span, options, clock)
    if found.finished and not found.located:
        return found
    return _crossed(scene, span, options, clock) or (
        _Found(None, True, span[1]) if scene.passes(span, options["tolerance"], clock, jump=True) else _looked_at(scene, found, clock))


def _looked_at(scene: Scene, found: _Found, clock: Clock) -> _Found:
    """Goes on with a search for what meets while a motion jumps. What is located once cannot be excluded."""
    search, boxes = found.search, _GLANCE
    assert search is not None
    while not (found.finished or found.located or search.pole) and boxes <= search.count[layout.ITERATIONS] and boxes < _JUMP:
        boxes += _GLANCE
        found = found._replace(finished=drive_past(search, clock, scene.begin, boxes))
    return found


def _crossed(scene: Scene, span: Window, options: dict[str, Any], clock: Clock) -> _Found | None:
    """Where bodies that were apart before a jump, at the beginning of the span, *provably* cross after it, at its end."""
    problems = scene.crossings(span[1])
    if not problems:
        return None
    search = Search(problems, **options)
    drive(search, clock, boxes=_JUMP)
    # The time is known, whatever is still open.
    return _Found(search, True, span[0]) if search.real[layout.PROVED] < math.inf else None


def _ends(meetings: Sequence[Meeting], span: Window) -> Iterator[float]:
    """The ends of the stages: where the next pairs come into play, a few at a time."""
    count, previous = 0, span[0]
    while count < len(meetings):
        count += max(_BATCH, count // _GROWTH)
        end = meetings[count].window[0] if count < len(meetings) else span[1]
        if previous < end < span[1]:
            previous = end
            yield end
    yield span[1]


def _within(m: Meeting, span: Window) -> bool:
    return m.window[0] <= span[1] and m.window[1] >= span[0]


def _timed(scene: Scene, span: Window, options: dict[str, Any], clock: Clock, proved: float = math.inf, hasty: bool = False,
           closer: bool = False) -> _Found:
    """A search of what may meet in a span of time, where contact is proved by the time `proved`.

    Where faces stand for their borders tangency does not narrow contacts there, so it stops as soon as the time is known to within
    `simultaneity`, and goes on only if nothing is left at a border. `hasty`: it may be left where it gets on slowly. `closer`: what may
    meet is looked at more closely before.
    """
    within = [m for m in scene.meetings() if _within(m, span)]
    if closer:
        within = scene.closer(within, span)
    if not within:
        return _Found(None, True, span[1])
    problems = _converted(scene, within, span, options, clock)
    if problems is None:
        return _Found(None, False, span[0])
    search = Search(problems, **options)
    search.real[layout.PROVED] = proved
    search.real[layout.GAP] = options["simultaneity"] if bordered(scene, within) else 0.0
    clear, patience = max(span[0], min(m.window[0] for m in within)), _PATIENCE if hasty else math.inf
    finished = drive_past(search, clock, scene.begin, patience)
    while not finished and search.pole is None and search.count[layout.ITERATIONS] >= patience:
        before, clear = clear, clear_until(search, search.solutions, span[1])
        if _slow(search, before, clear, span[1]):
            return _Found(search, False, clear, slow=True)
        patience += _PATIENCE
        finished = drive_past(search, clock, scene.begin, patience)
    if finished and search.pole is None and search.real[layout.GAP] > 0.0:
        features = _features(scene, search, within, span, options)
        if features:
            return _Found(search, True, span[1], within, features)
        search.real[layout.GAP] = 0.0
        finished = drive_past(search, clock, scene.begin)
    return _Found(search, finished, span[1]) if search.pole is None else _charted(scene, search, span, options, clock)


def _converted(scene: Scene, meetings: Sequence[Meeting], span: Window, options: dict[str, Any], clock: Clock) -> list[Problem] | None:
    """The problems with their code, one after the other; None if the time is up before. What is converted is kept for later calls."""
    problems: list[Problem] = []
    for m in meetings:
        if problems and clock.over:
            return None
        problems.append(scene.problem(m, span))
        prepare(problems[-1], options["method"])
    return problems


def _slow(search: Search, begin: float, clear: float, end: float) -> bool:
    """Did a search that found nothing get on from `begin` to `clear`, but by little of what is ahead?"""
    ahead = min(end, float(search.real[layout.PROVED])) - clear
    return not len(search.solutions) and begin < clear and clear - begin < _SHARE * ahead


def _features(scene: Scene, search: Search, meetings: Sequence[Meeting], span: Window, options: dict[str, Any]) -> list[Meeting]:
    """The features at what a search located of the first contact."""
    found = [k for k in search.solutions if possible(search, k)]
    latest = min(float(search.real[layout.PROVED]), max((search.latest(k) for k in found), default=span[1]))
    around = clear_until(search, found, span[1]), min(span[1], _later(scene, latest, options))
    return features(scene, search, meetings, around)


def _later(scene: Scene, time: float, options: dict[str, Any]) -> float:
    """The end of what is simultaneous with a time."""
    return min(scene.span[1], float(np.nextafter(time + options["simultaneity"], math.inf)))
