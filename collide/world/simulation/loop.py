"""The loop of a simulation (Snyder 1993, Figure 2): the next event, the response, and on from there. Bodies that part from a contact are
searched for new incoming ones (Section 2).
"""

import copy
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from codegen.interval import Interval

from ...moment.start import Start
from ...search.clock import Clock
from ..broad_phase.boxes import balls_apart
from ..broad_phase.no_more_contacts import departed
from ..contact.tracked_pair import found_last
from ..contact_solver.coulomb import Unsettled
from ..contact_solver.impact import LAWS, Contact, Impact, Law, rounded
from ..dynamics.equations import Forces
from ..event import Event
from ..features.local_geometry import Lost
from ..journal import Noted
from ..motion.moving_body import MovingBody
from ..narrow_phase import separating_planes
from ..narrow_phase.overlap import share_a_point
from ..narrow_phase.search import state_at
from ..reason import Undecided, Work, together
from .event_queue import EventEntry, EventKind, Key
from .expiry import ordered
from .impact_points import Hitting
from .pair import Manifold

# Against the speeds there, what counts as no approach after a law of the user's.
_INTO = 1e-9
# So many events at one moment are no motion.
_MOST_AT_ONCE = 10_000
_CHANGING = "now", "leaving", "begun", "at_once", "ends", "owners", "modes", "steps", "since", "over", "since_asked"


class Simulation(Hitting):
    """Actors, and what they did: `events`. `law`: what contacts do. `forces`: those that act on bodies besides `gravity`, if there are."""

    def __init__(self, actors: Sequence[MovingBody], law: Law, coefficients: Callable[[int, int], tuple[float, float]], start: float,
                 forces: Forces | None = None, gravity: np.ndarray | None = None) -> None:
        super().__init__(actors, coefficients, start, forces, np.zeros(3) if gravity is None else gravity)
        self.law, self.begun, self.at_once, self.stuck, self.over, self.since_asked = law, False, 0, "", "", 0
        self.events: list[Event] = []
        self.before: list[Any] = []
        for actor in self.actors:
            actor.before = self.before

    def snapshot(self) -> Any:
        """What a step may change, so that one that does not come to its end can be undone; of actors, and of what is large, the changes are
        kept.
        """
        self.before.clear()
        for known in self._undoable():
            known.mark()
        links = [e for key in self.pairs.touched for e in self.touch(key).links]
        links += [k.link for key in self.pairs.followed for k in self.pairs[key].constraints]
        places = found_last(link.contact for link in links)
        return {name: copy.copy(getattr(self, name)) for name in _CHANGING}, len(self.events), len(self.rests), places

    def restore(self, saved: Any) -> None:
        values, events, rests, contacts = saved
        for name, value in values.items():
            setattr(self, name, value)
        del self.events[events:], self.rests[rests:]
        for known in self._undoable():
            known.undo()
        for actor, *was in reversed(self.before):
            actor.undone(*was)
        for contact, *known in contacts:
            contact.recall(*known)
        self.before.clear()

    def _undoable(self) -> tuple[Noted, ...]:
        return self.near, self.queue, self.pairs, self.far.known

    def begin(self, clock: Clock) -> None:
        """The state of all pairs at the start. ValueError where bodies overlap."""
        self.set_up()
        self._force()
        for k in range(len(self.actors)):
            self.place(k)
        centres = np.array([a.course.centre_at(self.now) for a in self.actors])
        radii = np.array([a.radius if a.course.ballistic else np.inf for a in self.actors])
        for k in range(len(self.actors)):
            others = np.array([j for j in self.near.near(k) if j > k and (self.actors[k].free or self.actors[j].free)], int)
            for j in others[~balls_apart(k, others, centres, radii)]:
                self._first_state((k, int(j)), clock)
        hit = [key for key in self.pairs.touched if self._comes(key)]
        self.after([key for key in self.pairs.touched if key not in hit])
        self.changed({k for k, a in enumerate(self.actors) if not a.rigid.fixed}, clock)
        if hit:
            self._respond(hit, Interval(self.now, self.now), clock)
        self.begun = True

    def set_up(self) -> None:
        """Motions of all bodies at the start, and what equations of motion take of them. What was set up stays when the step is undone."""
        for k, actor in enumerate(self.actors):
            if not actor.path:
                self.turn_to(Work.SET_UP, (k,))
                actor.begin(self.now)
                self.before.clear()
        self.particulars = [a.particulars for a in self.actors]

    def _first_state(self, key: Key, clock: Clock) -> None:
        if self.not_before(key, (self.now, self._known_until(key))) > self.now:
            return
        self.turn_to(Work.START, key[:2])
        a, b = ordered(self.actors, key)
        found = separating_planes.parted(self.actors[a], self.actors[b], (self.now, self.now)) if self.flat(key) else None
        if found is not None and found.certain:
            return
        flat = separating_planes.touching(self.actors[a], self.actors[b], found, self.size(key)) if found is not None else None
        if flat is not None:
            self._begins_touching(key, self._touch(flat, key))
            return
        state = state_at(self.actors[a].moving, self.actors[b].moving, self.now, clock)
        if state is Start.DISJOINT:
            return
        # Surfaces may lie on each other; and what is proved to meet may only touch, as at the edges of a block.
        both = share_a_point(self.actors[a].moving, self.actors[b].moving, self.now, clock)
        touch = None if both else self._touch_at_start(key, clock)
        if both or (state is Start.OVERLAPPING and touch is None):
            raise ValueError(f"{self.called(key[0])} and {self.called(key[1])} overlap at the start")
        self._begins_touching(key, touch)

    def _begins_touching(self, key: Key, touch: Manifold | None) -> None:
        self.pairs[key] = self.pairs[key].unsure()
        if touch is not None:
            self.put(key, touch)
            self.look_closely(key)
            if len(touch.points) == 1 and self._comes(key):
                # It is found by a search.
                self.put(key, None)

    # -- events -------------------------------------------------------------------------------------------------------

    def go_on(self, last: float, most: float, clock: Clock) -> bool:
        """The next step up to a time, and to so many events. Was there none left?"""
        try:
            return self._go_on_to(last, most, clock)
        except Lost:
            raise Undecided(self.reason(self.activity.bodies, "have curved surfaces whose point of contact is not found, as where they "
                                        "touch along a curve", "end the run before, or give one of them more curvature there")) from None

    def _go_on_to(self, last: float, most: float, clock: Clock) -> bool:
        self.over = ""
        if not self.begun:
            self.begin(clock)
            return False
        entry = self.queue.next()
        if len(self.events) < most and entry is not None and last == np.inf and self._over():
            self.over = f"No body meets another one after t = {self.now!r}: what moves goes away from all others for ever."
            return True
        if len(self.events) < most and entry is not None and entry.time <= last:
            self._step(self.queue.pop(), clock)
            return False
        if len(self.events) < most and last < np.inf:
            self.now = max(self.now, last)
        return True

    def _over(self) -> bool:
        """Is it known for ever that nothing comes? Asked for when each body may have had a new box since it was asked last."""
        self.since_asked += 1
        if self.since_asked < len(self.actors) or self.forces is not None:
            return False
        self.since_asked = 0
        waiting = any(e.kind in (EventKind.HIT, EventKind.BOUNCE, EventKind.HELD) for e in self.queue)
        held = any(not (self.actors[i].still or self.actors[i].rigid.fixed) for key in self.pairs.held for i in key[:2])
        return not waiting and not held and departed(self.actors, self.near.box, self.now)

    def _step(self, entry: EventEntry, clock: Clock) -> None:
        self.at_once = self.at_once + 1 if entry.time <= self.now else 0
        if self.at_once > _MOST_AT_ONCE:
            raise Undecided(self.reason(entry.key[:2], f"come last of more than {_MOST_AT_ONCE} events at one moment",
                                        "lower the restitution there, or move a start a little"))
        self.now = max(self.now, entry.time)
        if entry.kind is EventKind.BOX:
            self.hold_on(entry.key[0])
            self.ask_all(entry.key, clock)
        elif entry.kind is EventKind.SERIES:
            self._next_series(entry.key[0], clock)
        elif entry.kind is EventKind.LOOK:
            self.ask(entry.key, clock)
        elif entry.kind is EventKind.HELD:
            self.held_again(entry.key[0], clock)
        else:
            self._hits(entry, clock)

    def _next_series(self, k: int, clock: Clock) -> None:
        actor = self.actors[k]
        if actor.course.solved:
            hit = self.next_forced(k, clock)
            for key in hit:
                self.put(key, self.moved_touch(key, True))
                if not len(self.touch(key).points):
                    self.not_followed(key)
            if hit:
                self._respond(hit, Interval(self.now, self.now), clock)
        elif actor.ball is not None:
            actor.take(actor.course.turned_on(self.now), self.now, seen=False)
            self.push(actor.course.until, EventKind.SERIES, (k,))
        else:
            with self.bouncing_on([k]):
                actor.take(actor.course.again(self.now), self.now, onward=True)
            self.expect(k)
            self.ask_all({k}, clock)

    def _hits(self, first: EventEntry, clock: Clock) -> None:
        """A hit, with all others that may come at the same time and share bodies with it."""
        latest = first.bracket[1]
        used, others = [first], list[EventEntry]()
        while (entry := self.queue.next()) is not None and entry.time <= latest:
            self.queue.pop()
            bodies = {k for e in used for k in e.key[:2] if self.actors[k].free}
            (used if entry.kind in (EventKind.HIT, EventKind.BOUNCE) and bodies.intersection(entry.key[:2]) else others).append(entry)
        for entry in others:
            self.queue.put_back(entry)
        for entry in used:
            self.put(entry.key, self._met(entry))
        times = [entry.bracket for entry in used]
        time = Interval(min(e[0] for e in times), max(e[1] for e in times))
        self._respond([entry.key for entry in used], time, clock)

    # -- response -----------------------------------------------------------------------------------------------------

    def _respond(self, hit: Sequence[Key], time: Interval, clock: Clock) -> None:
        keys, alone = self._together(hit)
        self.lift(keys)
        bodies = sorted({k for key in keys for k in key[:2]})
        self.turn_to(Work.IMPACT, bodies)
        # What only stays in touch bounces as fast as these hits push it: hardly, if they hardly do.
        ended = {key for key in hit if self.bounces_end(key, self.coefficients(*key[:2])[0])}
        contacts, owners = [], []
        for key in keys:
            e, friction = self.coefficients(*key[:2])
            e = 0.0 if key in ended or ended.issuperset(hit) else e
            touch = self.touch(key)
            contacts += [Contact((bodies.index(key[0]), bodies.index(key[1])), p, n, e, friction)
                         for p, n in zip(touch.points, touch.normals, strict=True)]
            owners += [key] * len(touch.points)
        impact = Impact([self.actors[k].mass(self.now) for k in bodies], contacts)
        try:
            self.law(impact)
        except Unsettled:
            raise Undecided(self.reason(bodies, "hit each other, and no impulses are found that obey Coulomb's law at all of their "
                                        f"{len(contacts)} contacts", "lower the friction there")) from None
        if self.law not in LAWS.values():
            self._check(impact, bodies)
        for k in alone.difference(bodies):
            course = self.actors[k].course
            self.fly(k, np.concatenate([course.velocity_at(self.now), course.spin_at(self.now)]))
        changed = {k for k in bodies if self.actors[k].free} | alone
        for velocity, k in zip(rounded(impact, [self.actors[k].radius for k in bodies]), bodies, strict=True):
            if k in changed:
                self.fly(k, velocity)
        told = [n for n, key in enumerate(owners) if key in hit or impact.total[n].any()]
        proved = np.concatenate([self.touch(key).proved for key in keys])
        self.events.append(Event(time, np.array([owners[n][:2] for n in told]), np.array([contacts[n].point for n in told]),
                                 np.array([contacts[n].normal for n in told]), impact.impulses[told], proved[told]))
        changed |= self._force(keys)
        self.after(keys)
        self.changed(changed, clock)

    def _check(self, impact: Impact, bodies: Sequence[int]) -> None:
        """What a law of the user's made of velocities."""
        if not math.isfinite(sum(e * e for e in impact.velocity.tolist())):
            named = together(tuple(map(self.called, bodies)))
            raise ValueError(f"the response of the world gives {named} velocities that are not finite")
        if (impact.speeds()[:, 0] < -_INTO * impact.scale).any():
            raise Undecided(self.reason(bodies, "go into each other by the response of the world", "let that function give velocities that "
                                        "part at every contact"))

    def _force(self, hit: Sequence[Key] = ()) -> set[int]:
        """From now on all bodies move as the forces let them, if there are any; which ones."""
        if self.forces is None:
            return set()
        followed = [(key, kept) for key in self.pairs.followed if key not in hit for kept in self.pairs[key].constraints]
        free = [k for k, a in enumerate(self.actors) if a.free]
        self._go_on([key for key, _ in followed], [kept for _, kept in followed], free)
        return set(free)

    def _together(self, hit: Sequence[Key]) -> tuple[list[Key], set[int]]:
        """These pairs, and all that touch and hang together with them by bodies that are free; and free bodies that hung together with
        them, and touch them no longer: their motion ends here, too.
        """
        found, bodies = [*dict.fromkeys(hit)], {k for key in hit for k in key[:2] if self.actors[k].free}
        alone = set[int]()
        for key in (rest := [key for key in self.pairs.touched if key not in found]):
            if not self.still_touches(key):
                self.put(key, None)
        grown = True
        while grown:
            more = [key for key in rest if key in self.pairs.touched and key not in found and bodies.intersection(key[:2])]
            grown = bool(more)
            for key in more:
                moved = self.moved_touch(key)
                if not len(moved.points):
                    self.let_go(key)
                    alone |= {k for k in key[:2] if self.actors[k].free}
                    bodies |= alone
                    continue
                self.put(key, moved)
                found.append(key)
                bodies |= {k for k in key[:2] if self.actors[k].free}
        return found, alone
