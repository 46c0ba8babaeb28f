"""Next contact of all pairs of bodies: a queue of times, of proved contacts and of pairs that must be looked at again.

Of every pair of bodies that are near each other it is known up to which time they are proved not to meet, or when they do. A body whose
motion changes has new boxes and a new version; what the queue holds of its old ones is passed over.
"""

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from generative import ImplicitBody

from ...answers.contacts import Contacts, Status
from ...culling.broad_phase import Window
from ...moment.start import Start
from ...search.clock import Clock
from ..broad_phase.sphere_bounds import Far, move_alike
from ..motion.moving_body import MovingBody
from ..motion.templates import Moving
from ..narrow_phase import bounding_trees, separating_planes, spheres
from ..narrow_phase.bounding_trees import Near
from ..narrow_phase.search import meet, surfaces_apart, surfaces_cross
from ..reason import Activity, Undecided
from .event_queue import EventKind, Key
from .expiry import Boxed, ordered
from .pair import Manifold, Pairs, State

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


class NextContact(Boxed):
    """`pairs`: all that is known of pairs. `far`: until when pairs are apart, however they turn."""

    def __init__(self, actors: Sequence[MovingBody], start: float) -> None:
        super().__init__(actors, start)
        self.pairs = Pairs()
        self.far = Far()

    def touch(self, key: Key) -> Manifold:
        """The latest contact of a pair."""
        return self.pairs.manifold(key)

    def put(self, key: Key, manifold: Manifold | None) -> None:
        """A pair touches; or what touched is forgotten."""
        self.pairs[key] = self.pairs[key].touched(manifold)

    def changed(self, bodies: set[int], clock: Clock) -> None:
        """New boxes for bodies whose motion changed, and their pairs asked again from now on."""
        for k in sorted(bodies):
            self.hold(k)
        self.ask_all(bodies, clock)

    def ask_all(self, bodies: Iterable[int], clock: Clock) -> None:
        """Of all pairs near these bodies: when do they meet?"""
        for key in sorted({(min(k, j), max(k, j)) for k in bodies for j in self.near.near(k)}):
            self.ask(key, clock)
            pair = self.pairs[key]
            if pair.held and pair.others is not None:
                for n in range(len(pair.others[1])):
                    self.ask((*key, n), clock)

    def ask(self, key: Key, clock: Clock) -> None:
        """When do two bodies meet, as long as both are in their boxes? A contact comes into the queue."""
        one, other, pair = self.actors[key[0]], self.actors[key[1]], self.pairs[key]
        if pair.held and pair.motions != self._versions(key):
            raise Undecided(self.reason(key[:2], "touch while one of them changes its motion, and no rule says how they go on", _ELSEWHERE))
        if pair.held or not (one.free or other.free) or (one.still and other.still):
            return
        until = self._known_until(key)
        if pair.until >= until and pair.motions == self._versions(key):
            return
        if self.far.beyond(key, (one, other), until):
            self._is_clear(key, until)
            return
        begin = self._clear_until(key)
        if not until > begin or move_alike(one, other, self.now):
            return
        self.activity = Activity.search(key[:2], self.now, clock)
        rules = self._rules(key)
        if rules is not None and until < math.inf:
            enough, begin = begin + _SHORT * (until - begin), self._by_rules(rules, key, (begin, until))
            if begin >= until or self.pairs[key].impact is not None:
                return
            if begin > enough:
                self.push(begin, EventKind.LOOK, key)
                return
        near = None
        if self.pairs[key].state is State.PARTING:
            begin, near = self._parted(key, until, clock)
        start = self.pairs[key].start
        if start is Start.DISJOINT and begin < until:
            later, enough = self.not_before(key, (begin, until)), begin + _SHORT * (until - begin)
            near = near if near or later > enough else self._near(key, (begin, until), enough)
            later = near.until if near else later
            if later > enough:
                self._is_clear(key, later)
                if later < until:
                    self.push(later, EventKind.LOOK, key)
                return
        begin, end, region = near or (begin, min(until, self._stride(key, begin)), None)
        if begin < end:
            if start is Start.TOUCHING:
                self._slips(key, end, clock)
            self._note(key, meet(*self._sides(key), (begin, end), start, self.size(key), clock, region), start, end)
        if begin < end < until and self.pairs[key].impact is None:
            self.push(end, EventKind.LOOK, key)

    def flat(self, key: Key) -> bool:
        """Are all corners of both bodies known, and that they are all there is to them?"""
        return len(key) == 2 and all(separating_planes.flat(self.actors[k]) is not None for k in key)

    def _rules(self, key: Key) -> Any:
        """What tells of two bodies, without a search, until when they are apart, and that they meet then; if there is such."""
        if len(key) > 2:
            return None
        return separating_planes if self.flat(key) else spheres if spheres.known(self.actors[key[0]], self.actors[key[1]]) else None

    def _by_rules(self, rules: Any, key: Key, window: Window) -> float:
        """Up to when two bodies are proved apart, or hardly in each other since they touched; and their next contact comes into the queue,
        if that is proved.
        """
        (a, b), size, doubtful = ordered(self.actors, key), self.size(key), self.pairs[key].start is not Start.DISJOINT
        speed, deep = self.speed(key), _SOON[0] * size
        stride = _STRIDING * size / speed if speed > 0.0 else math.inf
        one, other = self.actors[a], self.actors[b]
        found = rules.parted(one, other, window, deep if doubtful else 0.0, stride)
        hit = rules.met(one, other, found, window[1], size) if window[0] < found.until < window[1] else None
        if (doubtful or self.pairs[key].motions is None) and not found.until > window[0] and found.gap > -_SOON[1] * size:
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
        pair = self.pairs[key]
        if found.since < math.inf:
            pair = pair.sure().separates()
        elif pair.state is not State.PARTING:
            # What may be hardly in each other is not searched as if it were apart.
            pair = pair.unsure()
        self.pairs[key] = pair.apart_from(found.since) if doubtful else pair
        self._is_clear(key, found.until)
        if hit is not None:
            self._note(key, hit, Start.DISJOINT, window[1])
        return found.until

    def _known_until(self, key: Key) -> float:
        """As long as both are in their boxes, and move as their formulas say."""
        i, j = key[:2]
        return min(self.near.both_until(i, j), self.actors[i].lasts, self.actors[j].lasts)

    def _near(self, key: Key, window: tuple[float, float], soon: float = math.inf, anew: bool = True) -> Near | None:
        """Where and when two bodies that fly may meet, looked at more closely, for a while from when they may on, if that is `soon`; None
        of balls, with each other or beside what is fixed, of which all is known, and where nothing is. `anew`: see `bounding_trees.near`.
        """
        one, other = (self.actors[k] for k in key[:2])
        flying = one.course.ballistic and other.course.ballistic
        if len(key) > 2 or not flying or all(a.ball or a.rigid.fixed for a in (one, other)):
            return None
        a, b = ordered(self.actors, key)
        speed = self.speed(key)
        stride = _AT_ONCE * self.size(key) / speed if speed > 0.0 else math.inf
        found = bounding_trees.near(self.actors[a], self.actors[b], window, stride, soon, anew)
        return found if found and (found.region is None or found.until < found.horizon) else None

    def _stride(self, key: Key, begin: float) -> float:
        """Up to when a pair is searched at once."""
        if not any(isinstance(self.actors[k].rigid.outline, ImplicitBody) for k in key[:2]):
            return math.inf
        speed = self.speed(key)
        pair = self.pairs[key]
        since = 0.0 if pair.state is State.PARTING else begin - (-math.inf if pair.apart_at is None else pair.apart_at)
        return begin + max(since, _STRIDE * self.size(key) / speed) if speed > 0.0 else math.inf

    def _clear_until(self, key: Key) -> float:
        """Up to which time is a pair known not to meet? What was found for motions that were tells whether it is apart now."""
        pair = self.pairs[key]
        if pair.motions is None or pair.motions == self._versions(key):
            return max(self.now, pair.until)
        until = pair.until
        hit, apart_at = until if pair.impact is None else pair.impact, self.now if pair.apart_at is None else pair.apart_at
        # Apart up to later than now is apart now. Two bodies that were clear up to an earlier time, or that changed earlier, were not asked
        # about since then: boxes round them did not meet until now, or they moved alike, so they are apart.
        earlier = until < self.now or max(self.actors[k].path[-1][0] for k in key[:2]) < self.now
        doubtful = not (hit > self.now or (earlier and len(key) == 2)) or apart_at > self.now
        self.pairs[key] = pair.moved_otherwise().unsure() if doubtful else pair.moved_otherwise()
        return self.now

    def _is_clear(self, key: Key, until: float) -> None:
        self.pairs[key] = self.pairs[key].clear(until, self._versions(key))

    def _sides(self, key: Key) -> tuple[Moving, Moving]:
        a, b = ordered(self.actors, key)
        sides = {k: self.actors[k].moving for k in (a, b)}
        if len(key) > 2:
            others = self.pairs[key[:2]].others
            assert others is not None
            sides[others[0]] = others[1][key[2]]
        return sides[a], sides[b]

    def _parted(self, key: Key, until: float, clock: Clock) -> tuple[float, Near | None]:
        """Bodies that part from a touch: a time at which they are proved apart, and until which they move so little that they cannot be in
        each other deeper than a billionth of their size; if none is found, now. And where they may meet up to a time, if that is known.
        """
        speed, pull = self.speed(key), self.pairs[key].pull
        self.pairs[key] = self.pairs[key].pulled(None)
        near = self._near(key, (self.now, until), self.now + _SHORT * (until - self.now)) if pull is None else None
        # Where what is left of a touch comes together slowly, another part may come down at once.
        for drawn, part in itertools.product(dict.fromkeys((pull, None)), _SOON) if speed > 0.0 else ():
            later = (self._while_near(key, part * self.size(key) / speed) if drawn is None
                     else self._while_near(key, math.sqrt(2.0 * part * self.size(key) / drawn), _ALONG))
            if not later > self.now:
                continue
            # Where all that touches is proved to part they leave each other from now on.
            leaves = near is not None and near.until >= later
            known = None if leaves else self._near(key, (self.now, later), anew=False)
            if leaves or (known and known.until >= later) or surfaces_apart(*self._sides(key), later, clock, _FINE, known and known.region):
                self.pairs[key] = self.pairs[key].separates().clear(later, self._versions(key)).apart_from(later)
                return later, near if leaves else None
        return self.now, None

    def _while_near(self, key: Key, most: float, reach: float = _SOON[-1]) -> float:
        """A time, `most` from now at the latest, until which no two points of the bodies come together by more than that, against size."""
        later = min(self.now + most, self._known_until(key))
        for _ in range(_HALVINGS if later < math.inf else 0):
            (lo, hi, turning), (low, high, other) = (self.actors[k].pace(self.now, later) for k in key[:2])
            speed = float(np.linalg.norm(np.maximum(np.abs(hi - low), np.abs(high - lo)))) + turning + other
            if (later - self.now) * speed <= _MORE * reach * self.size(key):
                return later
            later = self.now + (later - self.now) / 2.0
        return self.now

    def _slips(self, key: Key, end: float, clock: Clock) -> None:
        """Of bodies that touch, and hardly part: raises Undecided where they are found to cross before they are found apart, since then
        they do not part at all.
        """
        for moment in (*(min(end, self._while_near(key, math.inf, reach)) for reach in _SLIPS), end):
            if moment > self.now and surfaces_apart(*self._sides(key), moment, clock):
                return
            if moment > self.now and surfaces_cross(*self._sides(key), moment, clock):
                raise Undecided(self.reason(key[:2], f"stay in contact in a way that is not followed, and cross by t = {moment!r}",
                                            _ELSEWHERE))

    def _note(self, key: Key, found: Contacts, start: Start | None, end: float) -> None:
        i, j = key[:2]
        if found.status is Status.BUDGET_SPENT:
            raise Undecided
        if start is None and found.start[0, 1] is Start.OVERLAPPING:
            raise Undecided(self.reason((i, j), "overlap, after a contact that did not keep them apart", _ELSEWHERE, found.time_span[0]))
        if found.status is not Status.NO_CONTACT:
            assert found.time is not None
            # Nothing more is asked until then, or until one of them moves otherwise.
            self.pairs[key] = self.pairs[key].clear(math.inf, self._versions(key), found.clear_until)
            self.push(max(found.time[0], self.now), EventKind.HIT, key, found)
            return
        # What parted is looked at once more; what is then proved apart stays so.
        doubtful = start is Start.TOUCHING or (start is None and found.start[0, 1] is not Start.DISJOINT)
        pair = self.pairs[key].clear(end, self._versions(key)).sure()
        self.pairs[key] = pair.separates().unsure() if doubtful else pair

    def not_before(self, key: Key, window: tuple[float, float]) -> float:
        """A time before which balls round two bodies are apart, or a ball and the box of a body that is fixed; without any search."""
        i, j = key[:2]
        one, other = self.actors[i], self.actors[j]
        if not (one.course.ballistic and other.course.ballistic):
            return window[0]
        still = i if one.rigid.fixed else j if other.rigid.fixed else None
        return self.far.until((i, j), (one, other), None if still is None else self.near.box(still), window)
