"""A certified run: hit after hit, each a theorem about the exact initial value problem.

The states of the bodies are balls of Arb's, which hold the true states. The first hit is known where the times of hits are proved to be in
order; where the digits do not suffice the run begins anew with more of them, and where there are plenty it ends, and says so.
"""

import copy
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from flint import arb, ctx

from ...bodies.parts import is_closed
from ...moment.start import Start
from ...search.clock import Clock
from ..event import Event
from ..motion.moving_body import MovingBody
from ..narrow_phase.overlap import share_a_point
from ..narrow_phase.search import state_at
from ..reason import Activity, Reason, Undecided, WorkKind
from ..simulation.state import ordered
from .arithmetic.enclosures import above, below, interval, nearest, number
from .motion.ballistic import Flight
from .motion.body import CertifiedBody
from .narrow_phase.search import CertifiedContact
from .next_contact import Asking, Hit, Pair, Question, Touched
from .restitution import CertifiedTouch, pushed

# Bits of the numbers at first, at most, and by how many times they become more; and the bits of a time which suffice to tell that more of
# them will not help.
_BITS, _MOST_BITS, _MORE, _PLENTY = 256, 1 << 15, 2, 128
_CHANGING = "events", "now", "bits", "version", "last", "flights", "bodies", "hits", "stuck", "begun"


class Certified:
    """Bodies in free flight between hits at which nothing rubs, and fixed ones. `now`: up to this time all is proved. `flights`: of each
    body all so far. `last`: of pairs that have touched, the versions of their motions after it and by what it did.
    """

    def __init__(self, actors: Sequence[MovingBody], coefficients: Callable[[int, int], tuple[float, float]], start: float,
                 called: Callable[[int], str]) -> None:
        self.actors, self.coefficients, self.start, self.called = actors, coefficients, start, called
        self.rests: list[Any] = []
        # Where bodies stay in contact, a certified run ends.
        self.region_begins: tuple[Any, ...] = ()
        self.region_changes: tuple[Any, ...] = ()
        self.events: list[Event] = []
        self.bits, self.stuck, self.over, self.now, self.begun = _BITS, "", "", start, False
        self.known: Any = None
        self.activity = Activity(WorkKind.SET_UP, tuple(range(len(actors))), start)
        self._check()
        self._begin()

    # -- the start ----------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        """Refuses worlds of which nothing is proved yet."""
        for k, actor in enumerate(self.actors):
            if actor.rigid.motion is not None:
                raise ValueError(f"certified runs are of bodies that fly freely or are fixed, and {self.called(k)} is driven")
        for i, j in self._pairs():
            if self.coefficients(i, j)[1]:
                raise ValueError(f"certified runs are without friction, and {self.called(i)} and {self.called(j)} have some")

    def _check_inside(self, clock: Clock) -> None:
        """Refuses balls in closed bodies that do not move, and bodies whose surfaces lie on each other."""
        for pair in self._pairs():
            one, other = (self.actors[k].moving for k in ordered(self.actors, pair))
            if share_a_point(one, other, self.start, clock):
                raise ValueError(f"{self.asking.both(pair)} overlap at the start")
            still = next((k for k in pair if self.bodies[k].obstacles is not None and self.actors[k].ball is None), None)
            if still is not None and is_closed(self.actors[still].rigid.shape):
                state = state_at(one, other, self.start, clock)
                if state is Start.OVERLAPPING:
                    raise ValueError(f"{self.asking.both(pair)} overlap at the start")
                if clock.over and state is not Start.DISJOINT:
                    raise Undecided

    def _pairs(self) -> list[Pair]:
        return [(i, j) for i, j in itertools.combinations(range(len(self.actors)), 2) if self.actors[i].free or self.actors[j].free]

    def _begin(self) -> None:
        """Set everything as it is at the start, except what takes its time, and is looked at once there is a clock."""
        self.events, self.now, self.begun = [], self.start, False
        self.version = [0] * len(self.actors)
        self.last: dict[Pair, tuple[int, int, Touched]] = {}
        for actor in self.actors:
            actor.path.clear()
        self.bodies: list[CertifiedBody] = []
        self.flights: list[list[Flight]] = []
        self.hits: dict[Pair, Hit] = {}

    def _look_at_bodies(self) -> None:
        """Their exact mass properties, and the flights with which they begin."""
        bodies = [CertifiedBody(actor) for actor in self.actors]
        self.asking = Asking(bodies, self.called, self.start)
        self.flights = [[body.begun(self.start, body.actor.gravity)] for body in bodies]
        self.bodies = bodies

    def _begin_to_ask(self, last: float, clock: Clock) -> None:
        self.begun = True
        for k, actor in enumerate(self.actors):
            self.activity = Activity(WorkKind.SET_UP, (k,), self.now)
            actor.path.clear()
            actor.begin(self.start)
        self._look_at_bodies()
        if not self.bits > _BITS:
            self._check_inside(clock)
        for pair in self._pairs():
            self._ask(pair, last, clock)

    # -- the loop -----------------------------------------------------------------------------------------------------

    def snapshot(self) -> Any:
        """The state that a step may change, so that a step that does not come to its end can be undone."""
        own = {name: copy.copy(getattr(self, name)) for name in _CHANGING} | {"flights": [list(s) for s in self.flights]}
        return own, [(a.course, list(a.path)) for a in self.actors]

    def restore(self, saved: Any) -> None:
        # What was known with fewer digits is not forgotten before more of them tell more.
        own, actors = self.known if self.known is not None and self.known[0]["now"] > saved[0]["now"] else saved
        for name, value in own.items():
            setattr(self, name, value)
        for a, (course, path) in zip(self.actors, actors, strict=True):
            a.course, a.path = course, path

    def go_on(self, last: float, most: float, clock: Clock) -> bool:
        """Take the next event up to a time, and to so many events. Return whether there was none left."""
        with ctx.workprec(self.bits):
            if len(self.events) >= most:
                return True
            if not self.begun:
                self._begin_to_ask(last, clock)
            pair = min(self.hits, key=lambda p: self.hits[p].time.lower(), default=None)
            if pair is None or self.hits[pair].time > last:
                self.now = max(self.now, last) if last < np.inf else self.now
                return True
            hit = self.hits[pair]
            if hit.stride:
                self.now = max(self.now, float(hit.time))
                self._ask(pair, last, clock, hit)
                return False
            own, known = self._known(pair, hit.time)
            accurate, most_bits = own > _PLENTY, self.bits * _MORE > _MOST_BITS
            # Searches are with doubles, which shall tell of flights all that they can.
            good = not isinstance(hit.contact, CertifiedContact) or most_bits or known > _PLENTY
            why = (self._doubt(pair) or self._respond(pair, last, clock)) if good else None
            if good and why is None:
                return False
        if good and (accurate or most_bits):
            self.now = max(self.now, below(hit.time))
            raise Undecided(why)
        if self.known is None or self.now > self.known[0]["now"]:
            self.known = self.snapshot()
        self.bits *= _MORE
        self._begin()
        return False

    def _known(self, pair: Pair, time: Any) -> tuple[float, float]:
        """The number of bits of a time, and of those at which its flights began, that are known, against these and against 1; in both cases
        with the bits of the turns of bodies then.
        """
        flights = [self.flights[k][-1] for k in pair]
        times, turns = [time, *(f.start for f in flights)], [e for f in flights if f.tumbling is not None for e in f.turn_at(time)]
        turned = min((e.rel_one_accuracy_bits() for e in turns), default=math.inf)
        found = [min(turned, *map(bits, times)) for bits in (arb.rel_accuracy_bits, arb.rel_one_accuracy_bits)]
        return found[0], found[1]

    def _doubt(self, pair: Pair) -> Reason | None:
        """The reason why it is not decided that this is the next event; None if it is."""
        hit = self.hits[pair]
        if hit.why is not None:
            return hit.why
        free = {k for k in pair if self.actors[k].free}
        for other, its in self.hits.items():
            if other != pair and free.intersection(other) and not hit.time < its.time:
                return Reason.of(self.called, sorted({*pair, *other}), below(hit.time), "touch at once, or it is not decided which one is "
                                 "first", "move a start a little, or run without certified=True, which takes several hits at once")
        before = next((e.time for e in reversed(self.events) if tuple(e.pairs[0]) == pair), None)
        if before is not None and not above(hit.time) > before[1]:
            return Reason.of(self.called, pair, before[0], "hit each other ever sooner, at times that doubles do not tell apart", "end the "
                             "run before, or run without certified=True, which goes on in contact")
        return None

    # -- which hit comes next -----------------------------------------------------------------------------------------

    def _ask(self, pair: Pair, last: float, clock: Clock, before: Hit | None = None) -> None:
        """Ask when a pair touches next; `before`: what was known, up to the time at which it was to be asked again."""
        self.hits.pop(pair, None)
        self.activity = Activity.search(pair, self.now, clock)
        (i, j), known = pair, self.last.get(pair)
        touched = known[2] if known is not None and known[:2] == (self.version[i], self.version[j]) else None
        since, stride = (None, 0.0) if before is None else (float(before.time), before.stride)
        flights = self.flights[i][-1], self.flights[j][-1]
        found = self.asking.ask(Question(pair, flights, touched, since, stride, last, clock))
        if found is not None:
            self.hits[pair] = found

    # -- what a hit does ----------------------------------------------------------------------------------------------

    def _respond(self, pair: Pair, last: float, clock: Clock) -> Reason | None:
        """Newton's restitution, and new flights for the bodies that move; or why it is not decided what comes first."""
        hit = self.hits[pair]
        self.activity = Activity(WorkKind.IMPACT, pair, self.now)
        before = {k: self.flights[k][-1].since(hit.time) for k in pair}
        touch = CertifiedTouch.of(hit, pair, [self.bodies[k] for k in pair], [before[k] for k in pair])
        impulse = touch.impulse(number(self.coefficients(*pair)[0]))
        after = {k: pushed(self.bodies[k], before[k], touch.point, sign * impulse * touch.normal)
                 for k, sign in zip(pair, (-1, 1), strict=True) if self.actors[k].free}
        if (why := self._near_others(after, hit.time)) is not None:
            return why
        for k, state in after.items():
            self._fly(k, state)
        self.events.append(Event(interval(hit.time), np.array([pair]), nearest(touch.point)[None], nearest(touch.normal)[None],
                                 nearest(impulse * touch.normal)[None], np.array([True])))
        self.now = max(self.now, below(hit.time))
        self.last[pair] = self.version[pair[0]], self.version[pair[1]], hit.by
        for other in [p for p in self._pairs() if set(after).intersection(p)]:
            self._ask(other, last, clock)
        return None

    def _fly(self, k: int, state: Flight) -> None:
        actor, time = self.actors[k], float(state.start.mid())
        self.flights[k].append(state)
        self.version[k] += 1
        own = {"centre": nearest(state.centre), "velocity": nearest(state.velocity)}
        if self.bodies[k].ball is None:
            own |= {"turn": nearest(state.placed), "spin": nearest(state.spin_at(state.start))}
        actor.take(actor.course.again(time, **own), time, seen=False)

    def _near_others(self, after: dict[int, Flight], time: Any) -> Reason | None:
        """Hits without a common body may come in either order: then bodies of both must be proved to be apart meanwhile, too."""
        for (k, new), (other, states) in itertools.product(after.items(), enumerate(self.flights)):
            recent = itertools.takewhile(lambda n, own=states: not own[n].start < time, range(len(states) - 1, 0, -1))  # type: ignore[misc]
            for n in () if other in after else recent:
                both = time.union(states[n].start)
                way, far = new.at(both) - states[n - 1].at(both), self.bodies[k].reach + self.bodies[other].reach
                if not way @ way > far * far:
                    return Reason.of(self.called, (k, other), below(both), "are near each other while others hit them, and it is not "
                                     "decided which one is first", "move a start a little")
        return None

    # -- states -------------------------------------------------------------------------------------------------------

    def bounds(self, k: int, time: float) -> list[np.ndarray]:
        """Doubles that enclose the position (3, 2) of a body at a time, its quaternion (4, 2), velocity and spin (3, 2)."""
        with ctx.workprec(self.bits):
            if not self.bodies:
                self._look_at_bodies()
            found = [self._state(k, flight, number(time)) for n, flight in enumerate(self.flights[k])
                     if not flight.start > time and not (n + 1 < len(self.flights[k]) and self.flights[k][n + 1].start < time)]
            return [np.array([[min(below(e[n][d]) for e in found), max(above(e[n][d]) for e in found)] for d in range(len(found[0][n]))])
                    for n in range(4)]

    def _state(self, k: int, flight: Flight, time: Any) -> list[np.ndarray]:
        turn = flight.turn_at(time)
        return [self.bodies[k].position(flight, time), turn, flight.velocity_at(time), flight.spin_at(time)]
