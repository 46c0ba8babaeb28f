"""Next contact of all pairs of bodies: a queue of times, of proved contacts and of pairs that must be looked at again.

Of every pair of bodies that are near each other it is known up to which time they are proved not to meet, or when they do. A body whose
motion changes has new boxes and a new version; what the queue holds of its old ones is passed over.
"""

import itertools
import math
from collections.abc import Iterable

import numpy as np

from generative import ImplicitBody

from ...answers.contacts import Contacts, Status
from ...culling.broad_phase import Window
from ...moment.start import Start
from ...search.clock import Clock
from ..broad_phase.sphere_bounds import move_alike
from ..motion.templates import QueryBody
from ..narrow_phase import bounding_trees, separating_planes
from ..narrow_phase.bounding_trees import ApartUntil
from ..narrow_phase.search import meet, surfaces_apart, surfaces_cross
from ..narrow_phase.time_of_impact import TimeOfImpact, provider_of
from ..reason import Activity, Undecided, Work
from . import expiry
from .event_queue import EventKind, PairKey
from .pair import State
from .state import Simulation, ordered

# How far bodies that part may move, against their size, before they are proved apart.
_SOON, _FINE = (1e-10, 1e-9), 1e-13
# And how far, in any direction, where it is told by an acceleration how deep they may come into each other by then.
_ALONG = 1e-4
# Of bodies of flat faces that part, steps begin with the time in which they move so far, against size. Effort only.
_STRIDING = 1e-9
# Against size and speed: they come no deeper, and no faster together, where they come out of each other.
_OUTWARD = 1e-12
# For that the time is halved so often, where they speed up; a bound may be so much more than the speed says.
_HALVINGS, _MORE = 80, 1.01
# Bodies that part too slowly for that are looked at when they may have moved so far, against size: do they cross?
_SLIPS = 1e-6, 1e-4, 1e-2
# A pair is looked at later if it cannot meet in so much of the time it is asked about.
_SHORT = 0.03
# Bodies that parted from an implicit one are searched first for the time in which they move by so much of their size, then twice as long
# and so on. Effort only: bounds along the surface of such bodies are good as long as little happens.
_STRIDE = 0.1
# Where it is known where bodies may meet, they are searched for the time in which they move by so much of their size. Effort only.
_AT_ONCE = 0.2
# The advice for contacts that depend on how bodies meet exactly.
_ELSEWHERE = "move a start a little, or end the run before"


def changed(s: Simulation, bodies: set[int], clock: Clock) -> None:
    """New boxes for bodies whose motion changed, and their pairs asked again from now on."""
    for k in sorted(bodies):
        expiry.hold(s, k)
    ask_all(s, bodies, clock)


def ask_all(s: Simulation, bodies: Iterable[int], clock: Clock) -> None:
    """Ask of all pairs near these bodies when they meet."""
    for key in sorted({PairKey(min(k, j), max(k, j)) for k in bodies for j in s.near.near(k)}):
        ask(s, key, clock)
        if key in s.pairs.held and (others := s.pairs[key].others) is not None:
            for n in range(len(others[1])):
                ask(s, key._replace(part=n), clock)


def ask(s: Simulation, key: PairKey, clock: Clock) -> None:
    """Ask when two bodies meet, as long as both are in their boxes. A contact comes into the queue."""
    one, other, pair = s.actors[key.i], s.actors[key.j], s.pairs[key]
    if pair.held:
        if pair.motions != s.versions(key):
            raise Undecided(s.reason(key.bodies, "touch while one of them changes its motion, and no rule says how they go on", _ELSEWHERE))
        return
    if not (one.free or other.free) or (one.still and other.still):
        return
    until = known_until(s, key)
    if pair.until >= until and pair.motions == s.versions(key):
        return
    if s.far.beyond(key, (one, other), until):
        is_clear(s, key, until)
        return
    begin = clear_until(s, key)
    if not until > begin or move_alike(one, other, s.now):
        return
    s.activity = Activity(Work.SEARCH, key.bodies, s.now)
    provider = provider_of(one, other) if key.whole else None
    if provider is not None and until < math.inf:
        enough, begin = begin + _SHORT * (until - begin), by_rules(s, provider, key, (begin, until))
        if begin >= until or s.pairs[key].impact is not None:
            return
        if begin > enough:
            s.push(begin, EventKind.LOOK, key)
            return
    s.activity, near = Activity.search(key.bodies, s.now, clock), None
    if s.pairs[key].state is State.PARTING:
        begin, near = parted_at(s, key, until, clock)
    start = s.pairs[key].start
    if start is Start.DISJOINT and begin < until:
        later, enough = not_before(s, key, (begin, until)), begin + _SHORT * (until - begin)
        near = near if near or later > enough else near_until(s, key, (begin, until), enough)
        later = near.until if near else later
        if later > enough:
            is_clear(s, key, later)
            if later < until:
                s.push(later, EventKind.LOOK, key)
            return
    begin, end, region = near or (begin, min(until, stride_of(s, key, begin)), None)
    if begin < end:
        if start is Start.TOUCHING:
            check_slips(s, key, end, clock)
        note(s, key, meet(*sides_of(s, key), (begin, end), start, s.size(key), clock, region), start, end)
    if begin < end < until and s.pairs[key].impact is None:
        s.push(end, EventKind.LOOK, key)


def both_flat(s: Simulation, key: PairKey) -> bool:
    """Whether all corners of both bodies are known, and that they are all there is to them."""
    return key.whole and separating_planes.accepts(s.actors[key.i], s.actors[key.j])


def by_rules(s: Simulation, rules: TimeOfImpact, key: PairKey, window: Window) -> float:
    """The time up to which two bodies are proved apart, or barely in each other since they touched; and their next contact comes into the
    queue, if that is proved.
    """
    (a, b), size, doubtful = ordered(s.actors, key.bodies), s.size(key), s.pairs[key].start is not Start.DISJOINT
    speed, deep = expiry.closing_bound(s, key), _SOON[0] * size
    stride = _STRIDING * size / speed if speed > 0.0 else math.inf
    one, other = s.actors[a], s.actors[b]
    found = rules.parted(one, other, window, deep if doubtful else 0.0, stride)
    hit = rules.met(one, other, found, window[1], size) if window[0] < found.until < window[1] else None
    if (doubtful or s.pairs[key].motions is None) and not found.until > window[0] and found.gap > -_SOON[1] * size:
        # What hits another one is moved out of it, and may be moved into a third: it comes out again, or hits that at once.
        doubtful, gap = True, found.gap
        found = rules.parted(one, other, window, _OUTWARD * size - (1.0 + _OUTWARD) * gap, stride)
        hit = rules.met(one, other, found, window[1], size, _OUTWARD * speed) if found.until < window[1] else None
        if hit is None and not found.until > window[0]:
            found = rules.parted(one, other, window, max(deep, -2.0 * gap), stride)
    if hit is None and found.until < window[1] and speed * (window[1] - found.until) <= _SOON[1] * size:
        # They meet just before they are looked at again.
        rest = rules.parted(one, other, (found.until, window[1]), deep)
        found, doubtful = (rest, True) if rest.until >= window[1] else (found, doubtful)
    if hit is None and not found.until > window[0]:
        return window[0]
    pair = s.pairs[key]
    if found.since < math.inf:
        pair = pair.sure().separates()
    elif pair.state is not State.PARTING:
        # What may be hardly in each other is not searched as if it were apart.
        pair = pair.unsure()
    pair = pair.apart_from(found.since) if doubtful else pair
    s.pairs[key] = pair.clear(found.until, s.versions(key))
    if hit is not None:
        note(s, key, hit, Start.DISJOINT, window[1])
    return found.until


def known_until(s: Simulation, key: PairKey) -> float:
    """The time up to which both are in their boxes, and move as their formulas say."""
    i, j = key.bodies
    return min(s.near.both_until(i, j), s.actors[i].lasts, s.actors[j].lasts)


def near_until(s: Simulation, key: PairKey, window: tuple[float, float], soon: float = math.inf, anew: bool = True) -> ApartUntil | None:
    """The place and the time at which two bodies that fly may meet, looked at more closely, for a while from when they may on, if that is
    `soon`; None of balls, with each other or beside what is fixed, of which all is known, and where nothing is. `anew`: see
    `bounding_trees.near`.
    """
    one, other = (s.actors[k] for k in key.bodies)
    flying = one.course.ballistic and other.course.ballistic
    if not key.whole or not flying or all(a.ball or a.rigid.fixed for a in (one, other)):
        return None
    a, b = ordered(s.actors, key.bodies)
    speed = expiry.closing_bound(s, key)
    stride = _AT_ONCE * s.size(key) / speed if speed > 0.0 else math.inf
    found = bounding_trees.near(s.actors[a], s.actors[b], window, stride, soon, anew)
    return found if found and (found.region is None or found.until < found.horizon) else None


def stride_of(s: Simulation, key: PairKey, begin: float) -> float:
    """The time up to which a pair is searched at once."""
    if not any(isinstance(s.actors[k].rigid.outline, ImplicitBody) for k in key.bodies):
        return math.inf
    speed = expiry.closing_bound(s, key)
    pair = s.pairs[key]
    since = 0.0 if pair.state is State.PARTING else begin - (-math.inf if pair.apart_at is None else pair.apart_at)
    return begin + max(since, _STRIDE * s.size(key) / speed) if speed > 0.0 else math.inf


def clear_until(s: Simulation, key: PairKey) -> float:
    """The time up to which a pair is known not to meet. What was found for motions that were tells whether it is apart now."""
    pair = s.pairs[key]
    if pair.motions is None or pair.motions == s.versions(key):
        return max(s.now, pair.until)
    until = pair.until
    hit, apart_at = until if pair.impact is None else pair.impact, s.now if pair.apart_at is None else pair.apart_at
    # Apart up to later than now is apart now. Two bodies that were clear up to an earlier time, or that changed earlier, were not asked
    # about since then: boxes round them did not meet until now, or they moved alike, so they are apart.
    earlier = until < s.now or max(s.actors[k].path[-1][0] for k in key.bodies) < s.now
    doubtful = not (hit > s.now or (earlier and key.whole)) or apart_at > s.now
    s.pairs[key] = pair.moved_otherwise().unsure() if doubtful else pair.moved_otherwise()
    return s.now


def is_clear(s: Simulation, key: PairKey, until: float) -> None:
    s.pairs[key] = s.pairs[key].clear(until, s.versions(key))


def sides_of(s: Simulation, key: PairKey) -> tuple[QueryBody, QueryBody]:
    a, b = ordered(s.actors, key.bodies)
    sides = {k: s.actors[k].moving for k in (a, b)}
    if not key.whole:
        others = s.pairs[PairKey(*key.bodies)].others
        assert others is not None
        sides[others[0]] = others[1][key.part]
    return sides[a], sides[b]


def parted_at(s: Simulation, key: PairKey, until: float, clock: Clock) -> tuple[float, ApartUntil | None]:
    """Bodies that part from a touch: a time at which they are proved apart, and until which they move so little that they cannot be in
    each other deeper than a billionth of their size; if none is found, now. And where they may meet up to a time, if that is known.
    """
    speed, pull = expiry.closing_bound(s, key), s.pairs[key].pull
    s.pairs[key] = s.pairs[key].pulled(None)
    near = near_until(s, key, (s.now, until), s.now + _SHORT * (until - s.now)) if pull is None else None
    # Where what is left of a touch comes together slowly, another part may come down at once.
    for drawn, part in itertools.product(dict.fromkeys((pull, None)), _SOON) if speed > 0.0 else ():
        later = (
            while_near(s, key, part * s.size(key) / speed)
            if drawn is None
            else while_near(s, key, math.sqrt(2.0 * part * s.size(key) / drawn), _ALONG)
        )
        if not later > s.now:
            continue
        # Where all that touches is proved to part they leave each other from now on.
        leaves = near is not None and near.until >= later
        known = None if leaves else near_until(s, key, (s.now, later), anew=False)
        if leaves or (known and known.until >= later) or surfaces_apart(*sides_of(s, key), later, clock, _FINE, known and known.region):
            s.pairs[key] = s.pairs[key].separates().clear(later, s.versions(key)).apart_from(later)
            return later, near if leaves else None
    return s.now, None


def while_near(s: Simulation, key: PairKey, most: float, reach: float = _SOON[-1]) -> float:
    """A time, `most` from now at the latest, until which no two points of the bodies come together by more than that, against size."""
    later = min(s.now + most, known_until(s, key))
    for _ in range(_HALVINGS if later < math.inf else 0):
        (lo, hi, turning), (low, high, other) = (s.actors[k].pace(s.now, later) for k in key.bodies)
        speed = float(np.linalg.norm(np.maximum(np.abs(hi - low), np.abs(high - lo)))) + turning + other
        if (later - s.now) * speed <= _MORE * reach * s.size(key):
            return later
        later = s.now + (later - s.now) / 2.0
    return s.now


def check_slips(s: Simulation, key: PairKey, end: float, clock: Clock) -> None:
    """Check bodies that touch, and barely part: raises Undecided where they are found to cross before they are found apart, since then they
    do not part at all.
    """
    for moment in (*(min(end, while_near(s, key, math.inf, reach)) for reach in _SLIPS), end):
        if moment > s.now and surfaces_apart(*sides_of(s, key), moment, clock):
            return
        if moment > s.now and surfaces_cross(*sides_of(s, key), moment, clock):
            raise Undecided(s.reason(key.bodies, f"stay in contact in a way that is not followed, and cross by t = {moment!r}", _ELSEWHERE))


def note(s: Simulation, key: PairKey, found: Contacts, start: Start | None, end: float) -> None:
    i, j = key.bodies
    if found.status is Status.BUDGET_SPENT:
        raise Undecided
    if start is None and found.start[0, 1] is Start.OVERLAPPING:
        raise Undecided(s.reason((i, j), "overlap, after a contact that did not keep them apart", _ELSEWHERE, found.time_span[0]))
    if found.status is not Status.NO_CONTACT:
        assert found.time is not None
        # Nothing more is asked until then, or until one of them moves otherwise.
        s.pairs[key] = s.pairs[key].clear(math.inf, s.versions(key), found.clear_until)
        s.push(max(found.time[0], s.now), EventKind.HIT, key, found)
        return
    # What parted is looked at once more; what is then proved apart stays so.
    doubtful = start is Start.TOUCHING or (start is None and found.start[0, 1] is not Start.DISJOINT)
    pair = s.pairs[key].clear(end, s.versions(key)).sure()
    s.pairs[key] = pair.separates().unsure() if doubtful else pair


def not_before(s: Simulation, key: PairKey, window: tuple[float, float]) -> float:
    """A time before which balls round two bodies are apart, or a ball and the box of a body that is fixed; without any search."""
    i, j = key.bodies
    one, other = s.actors[i], s.actors[j]
    if not (one.course.ballistic and other.course.ballistic):
        return window[0]
    still = i if one.rigid.fixed else j if other.rigid.fixed else None
    return s.far.until((i, j), (one, other), None if still is None else s.near.box(still), window)
