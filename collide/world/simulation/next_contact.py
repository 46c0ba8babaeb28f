"""Next contacts: all pairs near some bodies are asked about at once, from provider to provider, the cheapest first.

What a provider leaves open, the next one is asked about. A contact that is proved comes into the queue; where bodies are proved apart for a
while, they are looked at again at its end.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from generative import ImplicitBody

from ...answers.contacts import Contacts, Status
from ...culling.broad_phase import Window
from ...moment.region import Region
from ...moment.start import Start
from ...search.clock import Clock
from ..broad_phase.sphere_bounds import move_alike
from ..narrow_phase import separating_planes
from ..narrow_phase.bounding_trees import ApartUntil
from ..narrow_phase.pair_batch import PairBatch
from ..narrow_phase.time_of_impact import CLOSED_FORMS, SEARCH, TimeOfImpact
from ..reason import Activity, Undecided, WorkKind
from . import expiry
from .closed_forms import OpenPair, by_closed_form, proved_apart
from .event_queue import EventKind, PairKey
from .pair import PairState
from .parting import ELSEWHERE, SHORT, check_slips, known_until, parted_at, sides_of, stride_at_once
from .state import Simulation, ordered

# Bodies that parted from an implicit one are searched first for the time in which they move by so much of their size, then twice as long
# and so on. Effort only: bounds along the surface of such bodies are good as long as little happens.
_STRIDE = 0.1


class Due:
    """Entries for the queue, which go in by the order of the pairs, whichever provider told them."""

    def __init__(self, keys: Iterable[PairKey]) -> None:
        self._entries: dict[PairKey, list[tuple[float, EventKind, Contacts | None]]] = {key: [] for key in keys}

    def push(self, time: float, kind: EventKind, key: PairKey, found: Contacts | None = None) -> None:
        self._entries[key].append((time, kind, found))

    def put(self, s: Simulation) -> None:
        """Put all into the queue."""
        for key, entries in self._entries.items():
            for time, kind, found in entries:
                s.push(time, kind, key, found)


class LeftPair(NamedTuple):
    """A pair that is left for a search; where and until when it may meet, if trees tell that."""

    asked: OpenPair
    near: ApartUntil | None


def changed(s: Simulation, bodies: set[int], clock: Clock) -> None:
    """New boxes for bodies whose motion changed, and their pairs asked again from now on."""
    for k in sorted(bodies):
        expiry.hold(s, k)
    ask_all(s, bodies, clock)


def ask_all(s: Simulation, bodies: Iterable[int], clock: Clock) -> None:
    """Ask of all pairs near these bodies when they meet."""
    keys = list[PairKey]()
    for key in sorted({PairKey(min(k, j), max(k, j)) for k in bodies for j in s.near.near(k)}):
        keys.append(key)
        if key in s.pairs.held and (others := s.pairs[key].others) is not None:
            keys += [key._replace(part=n) for n in range(len(others[1]))]
    ask(s, keys, clock)


def ask(s: Simulation, keys: Sequence[PairKey], clock: Clock) -> None:
    """Ask when pairs meet, as long as their bodies are in their boxes."""
    due = Due(keys)
    left = [asked for key in keys if (asked := opened(s, key)) is not None]
    for form in CLOSED_FORMS:
        mine = [a for a in left if a.key.whole and a.until < math.inf and form.accepts(s.actors[a.key.i], s.actors[a.key.j])]
        if mine:
            known = {a.key: None for a in mine} | {a.key: a for a in ask_closed_form(s, due, form, mine)}
            left = [a for a in (known.get(a.key, a) for a in left) if a is not None]
    search(s, due, ask_bounds(s, due, [parted(s, a, clock) for a in left]), clock)
    due.put(s)


def opened(s: Simulation, key: PairKey) -> OpenPair | None:
    """The pair with the times about which it is to be asked; None if all of these are known. Raises Undecided for a pair that is held, of
    which a body moves otherwise.
    """
    one, other, pair = s.actors[key.i], s.actors[key.j], s.pairs[key]
    if pair.held:
        if pair.motions != s.versions(key):
            raise Undecided(s.reason(key.bodies, "touch while one of them changes its motion, and no rule says how they go on", ELSEWHERE))
        return None
    if not (one.free or other.free) or (one.still and other.still):
        return None
    until = known_until(s, key)
    if pair.until >= until and pair.motions == s.versions(key):
        return None
    if s.far.beyond(key, (one, other), until):
        is_clear(s, key, until)
        return None
    begin = clear_until(s, key)
    s.activity = Activity(WorkKind.SEARCH, key.bodies, s.now)
    return None if not until > begin or move_alike(one, other, s.now) else OpenPair(key, begin, until)


def ask_closed_form(s: Simulation, due: Due, form: TimeOfImpact, asked: Sequence[OpenPair]) -> list[OpenPair]:
    """Ask a closed form; return the pairs that are left open, from when on."""
    left = list[OpenPair]()
    for a, known in zip(asked, by_closed_form(s, form, asked), strict=True):
        if known.hit is None and not known.found.until > a.begin:
            left.append(a)
            continue
        proved_apart(s, a.key, known)
        begin = known.found.until
        if known.hit is not None:
            note(s, due, a.key, known.hit, Start.DISJOINT, a.until)
        if begin >= a.until or s.pairs[a.key].impact is not None:
            continue
        if begin > enough_of(a):
            due.push(begin, EventKind.LOOK, a.key)
        else:
            left.append(a._replace(begin=begin))
    return left


def enough_of(asked: OpenPair) -> float:
    """A bound that is as late as this is enough for now."""
    return asked.begin + SHORT * (asked.until - asked.begin)


def parted(s: Simulation, asked: OpenPair, clock: Clock) -> LeftPair:
    """The pair from when on it is apart, if it parts from a touch, and where it may meet then."""
    s.activity = Activity.search(asked.key.bodies, s.now, clock)
    if s.pairs[asked.key].state is not PairState.PARTING:
        return LeftPair(asked, None)
    begin, near = parted_at(s, asked.key, asked.until, clock)
    return LeftPair(asked._replace(begin=begin), near)


def ask_bounds(s: Simulation, due: Due, left: Sequence[LeftPair]) -> list[LeftPair]:
    """Ask spheres about pairs that are apart, and trees about those that spheres leave open; return the pairs left for a search."""
    apart = {n.asked.key: n for n in left if s.pairs[n.asked.key].start is Start.DISJOINT and n.asked.begin < n.asked.until}
    later = sphere_bounds(s, [n.asked for n in apart.values()])
    near = {key: n.near for key, n in apart.items()}
    near |= tree_bounds(s, [n.asked for key, n in apart.items() if n.near is None and not later[key] > enough_of(n.asked)])
    found = list[LeftPair]()
    for n in left:
        key, told = n.asked.key, near.get(n.asked.key, n.near)
        until = later.get(key, -math.inf) if told is None else told.until
        if key in apart and until > enough_of(n.asked):
            is_clear(s, key, until)
            if until < n.asked.until:
                due.push(until, EventKind.LOOK, key)
        else:
            found.append(LeftPair(n.asked, told))
    return found


def sphere_bounds(s: Simulation, asked: Sequence[OpenPair]) -> dict[PairKey, float]:
    """The times before which bounding spheres of pairs are apart; the beginning where nothing is known."""
    later, (spheres, _) = {a.key: a.begin for a in asked}, s.bounds
    bodies = {a.key: (s.actors[a.key.i], s.actors[a.key.j]) for a in asked}
    mine = [a for a in asked if spheres.accepts(*bodies[a.key])]
    if mine:
        pairs = PairBatch.of([bodies[a.key] for a in mine], [(a.begin, a.until) for a in mine], [0.0] * len(mine),
                             [a.key.bodies for a in mine])
        later.update(zip((a.key for a in mine), spheres.separated_until(pairs).until.tolist(), strict=True))
    return later


def tree_bounds(s: Simulation, asked: Sequence[OpenPair]) -> dict[PairKey, ApartUntil]:
    """The times and places at which pairs may meet, of those of which trees know that."""
    _, trees = s.bounds
    pairs_of = {a.key: ordered(s.actors, a.key.bodies) for a in asked}
    bodies = {key: (s.actors[i], s.actors[j]) for key, (i, j) in pairs_of.items()}
    mine = [a for a in asked if a.key.whole and trees.accepts(*bodies[a.key])]
    if not mine:
        return {}
    pairs = PairBatch.of([bodies[a.key] for a in mine], [(a.begin, a.until) for a in mine], [s.size(a.key) for a in mine],
                         strides=[stride_at_once(s, a.key) for a in mine], soon=[enough_of(a) for a in mine])
    found = trees.separated_until(pairs)
    rows = zip(mine, found.until.tolist(), found.horizons.tolist(), found.regions, strict=True)
    return {a.key: ApartUntil(until, horizon, region) for a, until, horizon, region in rows if until > -math.inf}


def search(s: Simulation, due: Due, left: Sequence[LeftPair], clock: Clock) -> None:
    """Search pairs one after the other, so that a search that does not come to its end is that of the pair it is told of."""
    for (key, begin, until), near in left:
        s.activity = Activity.search(key.bodies, s.now, clock)
        begin, end, region = near or (begin, min(until, stride_of(s, key, begin)), None)
        start = s.pairs[key].start
        if begin < end:
            if start is Start.TOUCHING:
                check_slips(s, key, end, clock)
            note(s, due, key, searched(s, key, (begin, end), start, region, clock), start, end)
        if begin < end < until and s.pairs[key].impact is None:
            due.push(end, EventKind.LOOK, key)


def searched(s: Simulation, key: PairKey, window: Window, start: Start | None, region: Region | None, clock: Clock) -> Contacts:
    """The answer of a search for the first contact of a pair."""
    i, j = ordered(s.actors, key.bodies)
    pairs = PairBatch.of([(s.actors[i], s.actors[j])], [window], [s.size(key)], starts=[start], sides=[sides_of(s, key)], regions=[region])
    found, = SEARCH.first_contacts(pairs, SEARCH.separated_until(pairs), clock)
    assert found is not None, "a search has an answer"
    return found


def both_flat(s: Simulation, key: PairKey) -> bool:
    """Whether all corners of both bodies are known, and that they are all there is to them."""
    return key.whole and separating_planes.accepts(s.actors[key.i], s.actors[key.j])


def stride_of(s: Simulation, key: PairKey, begin: float) -> float:
    """The time up to which a pair is searched at once."""
    if not any(isinstance(s.actors[k].rigid.outline, ImplicitBody) for k in key.bodies):
        return math.inf
    speed = expiry.closing_bound(s, key)
    pair = s.pairs[key]
    since = 0.0 if pair.state is PairState.PARTING else begin - (-math.inf if pair.apart_at is None else pair.apart_at)
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


def note(s: Simulation, due: Due, key: PairKey, found: Contacts, start: Start | None, end: float) -> None:
    """Note the answer of a search, or of a closed form. A contact comes into the queue."""
    i, j = key.bodies
    if found.status is Status.BUDGET_SPENT:
        raise Undecided
    if start is None and found.start[0, 1] is Start.OVERLAPPING:
        raise Undecided(s.reason((i, j), "overlap, after a contact that did not keep them apart", ELSEWHERE, found.time_span[0]))
    if found.status is not Status.NO_CONTACT:
        assert found.time is not None
        # Nothing more is asked until then, or until one of them moves otherwise.
        s.pairs[key] = s.pairs[key].clear(math.inf, s.versions(key), found.clear_until)
        due.push(max(found.time[0], s.now), EventKind.HIT, key, found)
        return
    # What parted is looked at once more; what is then proved apart stays so.
    doubtful = start is Start.TOUCHING or (start is None and found.start[0, 1] is not Start.DISJOINT)
    pair = s.pairs[key].clear(end, s.versions(key)).sure()
    s.pairs[key] = pair.separates().unsure() if doubtful else pair


def not_before(s: Simulation, key: PairKey, window: Window) -> float:
    """A time before which bounding spheres of two bodies are apart; the beginning of the window where nothing is known."""
    return sphere_bounds(s, [OpenPair(key, *window)])[key]
