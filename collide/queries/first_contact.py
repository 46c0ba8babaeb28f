"""`first_contact`: when and where do moving bodies first touch?

Parts of bodies that are proved apart over time are left out, pair by pair of parts (`broad_phase`), and the others come into play in the
order in which they may meet: those that could do so only after the first contact need no search, and are not even compiled. Where the
faces of bodies tell the time (`scene`), edges and vertices are searched only round the contacts found.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from codegen.given import shown
from codegen.walk import nesting_in_words

from ..answers.contacts import Contacts
from ..answers.report import contacts
from ..bezier.published import time_dependent
from ..culling.broad_phase import Window
from ..given import check_span
from ..moment.start import Start
from ..search.drive import CONVERTING, Budget, Clock, as_budget
from ..search.prepare import prepare
from ..search.problem import Problem
from ..search.search import Search
from ..situations.tracking import Tracked, check_tracked
from ..timeline.crossings import at_kink, beyond, crossed_by, past_touch, reach_of, touched_before, touches
from ..timeline.evidence import Found, jumped, within
from ..timeline.features import bordered, explained, features
from ..timeline.jumps import jumps_of
from ..timeline.kinks import stage_ends
from ..timeline.scene import Meeting, Scene
from ..timeline.stalls import Looks, drive_looking, drive_past
from .arguments import check_bodies, check_kinds, check_options

# So many pairs of parts of two bodies are culled once more, before they are converted, by their windows in the stage alone.
_MANY = 16
_TO_THE_END = Looks()
# At least so many pairs of parts come into play at a time, or this part of those before.
_BATCH, _GROWTH = 4, 2
# A search that gets on slowly begins anew over a shorter stage, so many times in a row at most; and no more where a shorter stage then
# takes more than this share of the boxes for its time.
_TRIES, _PAYS = 6, 0.5
# Where boxes gather along a curve, the time is known well enough for the search of features if no more than this share of it is left. From
# 1 to 5 hundredths are as good as each other; with 90 features have more to do than they save (measured).
_AHEAD = 0.02
# A search begins anew a little before what is clear, against the span: the smallest box in which `search.prove` tries to prove a contact is
# as wide, and what it proves must not lie before the beginning.
_MARGIN = 1e-12


@nesting_in_words
def first_contact(bodies: Sequence[Any], time: tuple[Any, Any], *, simultaneity: float = 1e-6, separation: float = 0.05,
                  tolerance: float = 1e-9, tracked: Sequence[Tracked] = (), method: str = "auto", order: str = "auto",
                  tangency: bool = True, budget: Budget | float | None = None, progress: bool = False) -> Contacts:
    """The earliest contact of moving, possibly deforming bodies in a time span, with what is proved about it.

    For pairs *proved* disjoint at time[0]: `time` of the result encloses the least t at which the closed surfaces
    meet, and before `clear_until` they are *proved* not to meet. For pairs that touch or overlap at the start: the
    same for new incoming tangential contacts (Snyder 1993, Section 2). An implicit surface is what lies within its bounds.
    Pairs that touch at the start, and are proved disjoint `simultaneity` before it by the formulas of their motions, are searched
    from there like those that start apart: of a contact just at time[0] rounding leaves a bracket that begins a little earlier. Likewise
    the bracket of a contact just at time[1] may end a little later, where the motions go on by the same formulas; it holds time[1] then.

    `bodies`: ParametricSurface, ImplicitSurface (and unions, intersections, differences of them) and Solid values.
    `simultaneity`: contacts at most this much later than the first are reported with it, where surfaces come to touch, from within too;
    not isolated ones where they part, or cross already. Where contacts form curves or patches the bracket of the time is narrowed to
    about this width. `separation`: distance between sampled points where contacts form curves or
    patches. Isolated contacts beside these are listed, too; one of the same two faces that is nearer to a curve or patch than an eighth
    of it may be missed. `tolerance`: the largest parameter width accepted without proof. `tracked`: contacts that are known already
    (`Tracked`). `method`, `order`, `tangency`: see the README; they change the work, not the meaning.
    `budget`: seconds or a `Budget`; it counts everything, compiling formulas included, but whatever was compiled is searched for
    at least some milliseconds. A search whose budget was spent goes on in a call over the time from its `clear_until` on.

    Raises TypeError for what is no list of bodies, and ValueError for fewer than two of them, for a body without a surface or a normal,
    with a free `Parameter`, or with edges that do not lie on its faces, for a time span that is not finite or does not go forward, for a
    tolerance or budget that is not positive, for an unknown option, and for tracked functions that do not follow the bodies. A spent
    budget, Ctrl-C and refused memory raise nothing: the result says what is proved so far.
    """
    span = check_span(time)
    check_options(method, order, simultaneity=simultaneity, separation=separation, tolerance=tolerance)
    if not isinstance(tangency, (bool, np.bool_)):
        raise TypeError(f"tangency must be True or False, got {shown(tangency)}")
    clock = Clock(as_budget(budget), progress)
    numbers = {"simultaneity": float(simultaneity), "separation": float(separation), "tolerance": float(tolerance)}
    options: dict[str, Any] = {"method": method, "order": order, **numbers}
    start = dict.fromkeys(itertools.combinations(range(len(bodies)), 2), Start.UNKNOWN) if isinstance(bodies, Sequence) else {}
    found = Found(None, False, span[0])
    notes: tuple[str, ...] = ()
    undecided: set[tuple[int, int]] = set()
    with clock.query():
        check_kinds(bodies)
        check_tracked(tracked, bodies, span)
        if method == "time-dependent":
            check_bodies(bodies, span)
            return time_dependent.first_contact(bodies, tuple(time), span, clock, tracked=bool(tracked), **numbers)
        scene = Scene(bodies, tuple(time), span, tracked, tangency=tangency, closed=tangency and method == "auto")
        check_bodies(bodies, span)
        start, undecided = scene.start(numbers["tolerance"], clock), scene.undecided
        scene.look_back(numbers["simultaneity"], numbers["tolerance"], clock)
        clock.extend()
        for known in to_the_end(scene, options, clock, _searches):
            found = known
        if found.proved < span[0]:
            # They met before the beginning: what counts is what comes after.
            scene.look_no_further_back(tuple(time))
            for known in to_the_end(scene, options, clock, _searches):
                found = known
        touched = found.note or touched_before(found, span, options)
        notes = (*_beginnings(scene), *_at_rest(scene), *filter(None, [touched]), *_ending(found, span))
    answer = contacts(found.search, found.finished, bodies, span, start, clock, found.seen, notes)
    return replace(answer, undecided=frozenset(undecided))


def _beginnings(scene: Scene) -> tuple[str, ...]:
    """Which pairs come together just as the time span begins."""
    if not scene.early:
        return ()
    pairs = [f"{i} and {j}" for i, j in sorted(scene.early)]
    named = "; ".join(pairs[:4]) + ("; and others" if len(pairs) > 4 else "")
    return (f"Bodies {named} come together as the time span begins: a little before it they are proved apart, and they were searched from "
            "there, so the bracket may begin before the span.",)


def _at_rest(scene: Scene) -> tuple[str, ...]:
    """Which pairs do not move against each other, and may touch."""
    pairs = [f"{i} and {j}" for i, j in sorted(scene.resting) if scene.states.get((i, j)) is not Start.DISJOINT]
    if not pairs:
        return ()
    return (f"Bodies {'; '.join(pairs[:4])}{'; and others' if len(pairs) > 4 else ''} do not move against each other, so no contact of "
            "theirs is new.",)


def _ending(found: Found, span: Window) -> tuple[str, ...]:
    """Whether bodies come together just as the time span ends."""
    if not span[1] < found.proved < math.inf:
        return ()
    return ("Bodies come together just as the time span ends: they were searched a little beyond it, by the formulas of their motions, so "
            "the bracket may end after the span.",)


def to_the_end(scene: Scene, options: dict[str, Any], clock: Clock, searches: Callable[..., Iterator[Found]]) -> Iterator[Found]:
    """What is known after each of the `searches`, ever more of it. Of a contact located just at the end of the span, which rounding cannot
    tell from one after it, it is asked whether it is proved by how the motions go on.
    """
    tried = False
    for found in searches(scene, options, clock):
        yield found
        if not tried and found.seen >= scene.span[1] and found.located and not found.proved < math.inf:
            tried = True
            sure = beyond(scene, found, options, clock, _whole(options, clock))
            if sure is not None:
                yield sure
                return


def _whole(options: dict[str, Any], clock: Clock) -> Callable[..., Iterator[Found]]:
    """Searches of scenes whose formulas need no stages, with some options changed."""
    return lambda scene, **changed: _searches(scene, options | changed, clock, changes=False)


def _searches(scene: Scene, options: dict[str, Any], clock: Clock, changes: bool = True) -> Iterator[Found]:
    """What is known, ever more of it: after every stage of the search for the time, and after that for what was hit."""
    found = Found(None, False, scene.span[0])
    for found in stages(scene, options, clock, changes):
        yield found
    while found.search is not None and found.features:
        found = _hit(scene, found, options, clock)
        yield found


def _hit(scene: Scene, found: Found, options: dict[str, Any], clock: Clock) -> Found:
    """Goes on with a search that stopped when the time was known, now with edges and vertices beside the faces."""
    search, meetings = found.search, found.meetings
    assert search is not None
    left = [k for k, m in enumerate(meetings) if not explained(scene, m)
            and (len(search.open(k)) or any(search.owner(i) == k for i in search.solutions))]
    inner = [replace(meetings[k], closed=False) for k in left]
    problems = _converted(scene, (*inner, *found.features), scene.span, options, clock)
    if problems is None:
        return Found(search, False, found.seen, meetings)
    starts = [*(search.open(k) for k in left), *(p.outer[None] for p in problems[len(left):])]
    again = Search(problems, starts=starts, **options)
    again.adopt(search, {k: new for new, k in enumerate(left)})
    # What stays behind, since other parts have the same contacts, was not excluded: it is told as something that may be thereabouts.
    again.latest_left = max([again.latest_left, *(search.latest(k) for k in search.solutions)])
    finished = drive_past(again, clock, scene.begin)
    if again.pole is not None:
        return _charted(scene, again, (scene.span[0], found.seen), options, clock)
    return Found(again, finished, found.seen, (*inner, *found.features))


def _charted(scene: Scene, search: Search, span: Window, options: dict[str, Any], clock: Clock) -> Found:
    """Begins anew, where a search met a pole, at the time up to which all is clear, with smooth parameters round that pole."""
    assert search.pole is not None
    scene.take_chart(*search.pole)
    begin = shortly_before(search.clear_until(search.solutions, span[1]), span)
    return _timed(scene, (begin, span[1]), options, clock, search.proved)


def stages(scene: Scene, options: dict[str, Any], clock: Clock, changes: bool = True) -> Iterator[Found]:
    """Stage after stage of the time span, in each the pairs that may meet then, until one holds a contact. `changes`: they end where
    formulas change; else there is but one, for a short time.

    A long stage in which bodies turn far is searched in shorter ones: boxes are divided in space for all of the time that they hold, so
    beginning anew, where the search got to, makes few of many.
    """
    begin, last = scene.span
    jumps = jumps_of(scene.bodies, scene.span, scene.numbers) if changes else []
    kinks = set(stage_ends(scene.bodies, scene.span) if changes else ())
    divided = kinks | {end for jump in jumps for end in jump if begin < end < last}
    ends = sorted({*_ends(scene.meetings(), scene.span), *divided} if changes else {last}, reverse=True)
    pace, doubt, proved, held, passed = _Pace(), None, math.inf, False, math.nan
    reach = reach_of((begin, last), options)
    crosses = functools.partial(crossed_by, scene, options=options, clock=clock)
    while ends and not (clock.interrupted or (clock.over and begin > scene.span[0])):
        end, before = min(ends[-1], begin + pace.length), clock.boxes
        kink = end in kinks and end - begin <= options["simultaneity"]
        if not (kink and held) and scene.passes((begin, end), options["tolerance"], clock):
            found = Found(None, True, end)
        elif any(lo <= begin and end <= hi for lo, hi in jumps):
            found, doubt = _passed(jumped(scene, (begin, end), options, clock), end, doubt)
        elif kink:
            found, end = at_kink(scene, (begin, end), options, clock, _whole(options, clock))
            found, doubt = _passed(found, end, doubt)
        else:
            near = 0.5 * options["simultaneity"] if end in kinks else 0.0
            looks = Looks(near, pace.hasty, reach if changes else 0.0, begin == passed, crosses)
            known = proved if proved <= end else math.inf
            found = _timed(scene, (begin, end), options, clock, known, looks, pace.length < math.inf)
            if found.slow:
                yield _told(found, doubt)
                pace.slow(begin, found.seen, clock.boxes - before)
                begin, proved = found.seen, min(proved, found.proved)
                continue
            if found.search is not None and found.finished and end not in divided and end < _later(scene, found.proved, options) < last:
                # What is simultaneous with the contact may lie just beyond the stage (not looked for across a change of motion).
                found = _timed(scene, (begin, _later(scene, found.proved, options)), options, clock)
            pace.passed(begin, end, clock.boxes - before)
            if changes and begin != passed and touches(found, end - 2.0 * reach):
                found, end = past_touch(scene, found, end, reach, options, clock)
                found, doubt = _passed(found, end, doubt)
                passed = end
        if end == last and found.located and found.finished and not found.proved < math.inf:
            found, doubt = _passed(found, end, doubt)
        if not found.finished or found.proved < math.inf:
            yield _told(found._replace(finished=found.finished and not found.features), doubt)
            return
        ends = [e for e in ends if e > end]
        held = found.located or found.seen < end
        if found.located:
            # Nothing is proved yet: a contact at the very end of the stage could not be.
            assert found.search is not None
            begin = max(begin, found.search.clear_until(found.search.solutions, end))
            continue
        begin = found.seen
        yield doubt if doubt and end == last else _told(Found(None, end == last, begin), doubt)


def _passed(found: Found, end: float, doubt: Found | None) -> tuple[Found, Found | None]:
    """Of what was found in a short stage that must be passed: itself if contact is proved, else what follows; and the first doubt."""
    if found.proved < math.inf:
        return found, doubt
    if not found.located and found.finished:
        return Found(None, True, end), doubt
    if doubt is not None and doubt.search is not None:
        # What comes first may be either.
        doubt.search.latest_left = max(doubt.search.latest_left, end)
    return Found(None, True, end), doubt or found


def _told(found: Found, doubt: Found | None) -> Found:
    """What is known after a stage where there was a doubtful jump or kink before it."""
    return found if doubt is None else found._replace(seen=min(found.seen, doubt.seen), note=doubt.note)


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


def _timed(scene: Scene, span: Window, options: dict[str, Any], clock: Clock, proved: float = math.inf,
           looks: Looks = _TO_THE_END, closer: bool = False) -> Found:
    """A search of what may meet in a span of time, where contact is proved by the time `proved`.

    Where faces stand for their borders tangency does not narrow contacts there, so it stops as soon as the time is known to within
    `simultaneity`, and goes on only if nothing is left at a border. Where contact is unlikely to be isolated it stops some way before:
    in the last of the time boxes gather along a curve, where samples thin them out, but those of edges do so only in what follows.
    `looks`: what it may be left for. `closer`: what may meet is looked at more closely before, as it is where
    that is much.
    """
    meetings = [m for m in scene.meetings() if within(m, span)]
    if closer or len(meetings) > _MANY * len({m.label for m in meetings}):
        meetings = scene.closer(meetings, span)
    if not meetings:
        return Found(None, True, span[1])
    problems = _converted(scene, meetings, span, options, clock)
    if problems is None:
        return Found(None, False, span[0])
    search = Search(problems, **options)
    search.proved = proved
    search.gap, search.ahead = (options["simultaneity"], _AHEAD) if bordered(scene, meetings) else (0.0, 0.0)
    clear = max(span[0], min(m.window[0] for m in meetings))
    outcome = drive_looking(search, clock, scene.begin, span, clear, looks)
    if outcome.reason:
        return Found(None, True, outcome.clear) if outcome.reason == "near" else Found(
            search, outcome.reason == "touch", outcome.clear, meetings, slow=outcome.reason == "slow")
    finished = outcome.finished
    if finished and search.pole is None and search.gap > 0.0:
        features = _features(scene, search, meetings, span, options)
        if features:
            return Found(search, True, span[1], meetings, features)
        search.gap = 0.0
        finished = drive_past(search, clock, scene.begin)
    return Found(search, finished, span[1], meetings) if search.pole is None else _charted(scene, search, span, options, clock)


def _converted(scene: Scene, meetings: Sequence[Meeting], span: Window, options: dict[str, Any], clock: Clock) -> list[Problem] | None:
    """The problems with their code, one after the other; None if the time is up before. What is converted is kept for later calls."""
    problems: list[Problem] = []
    with clock.doing(CONVERTING):
        for m in meetings:
            if problems and clock.over:
                return None
            problems.append(scene.problem(m, span))
            prepare(problems[-1], options["method"])
    return problems


def _features(scene: Scene, search: Search, meetings: Sequence[Meeting], span: Window, options: dict[str, Any]) -> list[Meeting]:
    """The features at what a search located of the first contact."""
    found = search.possible_ones()
    # What was thinned out may be later than all that stands for it.
    located = max([search.latest_left, *(search.latest(k) for k in found)])
    latest = min(search.proved, located if math.isfinite(located) else span[1])
    around = shortly_before(search.clear_until(found, span[1]), span), min(span[1], _later(scene, latest, options))
    return features(scene, search, meetings, around)


def shortly_before(clear: float, span: Window) -> float:
    """Where a search begins anew if all is clear until then."""
    return max(span[0], clear - _MARGIN * (span[1] - clear))


def _later(scene: Scene, time: float, options: dict[str, Any]) -> float:
    """The end of what is simultaneous with a time."""
    return min(scene.span[1], float(np.nextafter(time + options["simultaneity"], math.inf)))
