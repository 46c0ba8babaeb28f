"""The loop of a simulation (Snyder 1993, Figure 2): the next event, the response, and on from there. Bodies that part from a contact are
searched for new incoming ones (Section 2).
"""


import numpy as np

from codegen.interval import Interval

from ...moment.start import Start
from ...search.clock import Clock
from ..broad_phase.boxes import balls_apart
from ..broad_phase.no_more_contacts import departed
from ..features.local_geometry import Lost
from ..narrow_phase import separating_planes
from ..narrow_phase.overlap import share_a_point
from ..narrow_phase.search import state_at
from ..reason import Undecided, WorkKind
from . import (
    contact_mode,
    contact_points,
    contact_regions,
    expiry,
    impact_points,
    low_bounces,
    next_contact,
    parting,
    response,
    transitions,
)
from .event_queue import BodyKey, EventEntry, EventKind, PairKey
from .pair import Manifold
from .state import Simulation, ordered

# So many events at one moment are no motion.
_MOST_AT_ONCE = 10_000


def begin(s: Simulation, clock: Clock) -> None:
    """The state of all pairs at the start. ValueError where bodies overlap."""
    set_up(s)
    transitions.force(s)
    for k in range(len(s.actors)):
        expiry.place(s, k)
    centres = np.array([a.course.centre_at(s.now) for a in s.actors])
    radii = np.array([a.radius if a.course.ballistic else np.inf for a in s.actors])
    for k in range(len(s.actors)):
        others = np.array([j for j in s.near.near(k) if j > k and (s.actors[k].free or s.actors[j].free)], int)
        for j in others[~balls_apart(k, others, centres, radii)]:
            first_state(s, PairKey(k, int(j)), clock)
    hit = [key for key in s.pairs.touched if impact_points.comes(s, key)]
    transitions.after(s, [key for key in s.pairs.touched if key not in hit])
    next_contact.changed(s, {k for k, a in enumerate(s.actors) if not a.rigid.fixed}, clock)
    if hit:
        response.respond(s, hit, Interval(s.now, s.now), clock)
    s.begun = True


def set_up(s: Simulation) -> None:
    """Motions of all bodies at the start, and what equations of motion take of them. What was set up stays when the step is undone."""
    for k, actor in enumerate(s.actors):
        if not actor.path:
            s.turn_to(WorkKind.SET_UP, (k,))
            actor.begin(s.now)
            s.before.clear()
    s.particulars = [a.particulars for a in s.actors]


def first_state(s: Simulation, key: PairKey, clock: Clock) -> None:
    if next_contact.not_before(s, key, (s.now, parting.known_until(s, key))) > s.now:
        return
    s.turn_to(WorkKind.START, key.bodies)
    a, b = ordered(s.actors, key.bodies)
    found = separating_planes.parted(s.actors[a], s.actors[b], (s.now, s.now)) if next_contact.both_flat(s, key) else None
    if found is not None and found.certain:
        return
    flat = separating_planes.touching(s.actors[a], s.actors[b], found, s.size(key)) if found is not None else None
    if flat is not None:
        begins_touching(s, key, impact_points.manifold_of(s, flat, key))
        return
    state = state_at(s.actors[a].moving, s.actors[b].moving, s.now, clock)
    if state is Start.DISJOINT:
        return
    # Surfaces may lie on each other; and what is proved to meet may only touch, as at the edges of a block.
    both = share_a_point(s.actors[a].moving, s.actors[b].moving, s.now, clock)
    touch = None if both else impact_points.touch_at_start(s, key, clock)
    if both or (state is Start.OVERLAPPING and touch is None):
        raise ValueError(f"{s.called(key.i)} and {s.called(key.j)} overlap at the start")
    begins_touching(s, key, touch)


def begins_touching(s: Simulation, key: PairKey, touch: Manifold | None) -> None:
    s.pairs[key] = s.pairs[key].unsure()
    if touch is not None:
        s.put(key, touch)
        contact_points.look_closely(s, key)
        if len(touch.points) == 1 and impact_points.comes(s, key):
            # It is found by a search.
            s.put(key, None)


def go_on(s: Simulation, last: float, most: float, clock: Clock) -> bool:
    """Take the next step up to a time, and to so many events. Return whether there was none left."""
    try:
        finished = go_on_to(s, last, most, clock)
        contact_regions.note(s)
        return finished
    except Lost:
        raise Undecided(
            s.reason(
                s.activity.bodies,
                "have curved surfaces whose point of contact is not found, as where they touch along a curve",
                "end the run before, or give one of them more curvature there",
            )
        ) from None


def go_on_to(s: Simulation, last: float, most: float, clock: Clock) -> bool:
    s.over = ""
    if not s.begun:
        begin(s, clock)
        return False
    entry = s.queue.next()
    if len(s.events) < most and entry is not None and last == np.inf and is_over(s):
        s.over = f"No body meets another one after t = {s.now!r}: what moves goes away from all others for ever."
        return True
    if len(s.events) < most and entry is not None and entry.time <= last:
        step(s, s.queue.pop(), clock)
        return False
    if len(s.events) < most and last < np.inf:
        s.now = max(s.now, last)
    return True


def is_over(s: Simulation) -> bool:
    """Whether it is known for ever that nothing comes. It is asked for when each body may have had a new box since it was asked last."""
    s.since_asked += 1
    if s.since_asked < len(s.actors) or s.forces is not None:
        return False
    s.since_asked = 0
    waiting = any(e.kind in (EventKind.HIT, EventKind.BOUNCE, EventKind.HELD) for e in s.queue)
    held = any(not (s.actors[i].still or s.actors[i].rigid.fixed) for key in s.pairs.held for i in key.bodies)
    return not waiting and not held and departed(s.actors, s.near.box, s.now)


def step(s: Simulation, entry: EventEntry, clock: Clock) -> None:
    s.at_once = s.at_once + 1 if entry.time <= s.now else 0
    if s.at_once > _MOST_AT_ONCE:
        raise Undecided(
            s.reason(
                entry.key.bodies,
                f"come last of more than {_MOST_AT_ONCE} events at one moment",
                "lower the restitution there, or move a start a little",
            )
        )
    s.now = max(s.now, entry.time)
    if entry.kind is EventKind.BOX:
        expiry.hold_on(s, entry.body)
        next_contact.ask_all(s, entry.key.bodies, clock)
    elif entry.kind is EventKind.SERIES:
        next_series(s, entry.body, clock)
    elif entry.kind is EventKind.LOOK:
        next_contact.ask(s, [entry.pair], clock)
    elif entry.kind is EventKind.HELD:
        transitions.held_again(s, entry.body, clock)
    else:
        hits(s, entry, clock)


def next_series(s: Simulation, k: int, clock: Clock) -> None:
    actor = s.actors[k]
    if actor.course.solved:
        hit = transitions.next_forced(s, k, clock)
        for key in hit:
            s.put(key, contact_points.moved_touch(s, key, True))
            if not len(s.touch(key).points):
                contact_mode.not_followed(s, key)
        if hit:
            response.respond(s, hit, Interval(s.now, s.now), clock)
    elif actor.ball is not None:
        actor.take(actor.course.turned_on(s.now), s.now, seen=False)
        s.push(actor.course.until, EventKind.SERIES, BodyKey(k))
    else:
        with low_bounces.bouncing_on(s, [k]):
            actor.take(actor.course.again(s.now), s.now, onward=True)
        expiry.expect(s, k)
        next_contact.ask_all(s, {k}, clock)


def hits(s: Simulation, first: EventEntry, clock: Clock) -> None:
    """A hit, with all others that may come at the same time and share bodies with it."""
    latest = first.bracket[1]
    used, others = [first], list[EventEntry]()
    while (entry := s.queue.next()) is not None and entry.time <= latest:
        s.queue.pop()
        bodies = {k for e in used for k in e.key.bodies if s.actors[k].free}
        (used if entry.kind in (EventKind.HIT, EventKind.BOUNCE) and bodies.intersection(entry.key.bodies) else others).append(entry)
    for entry in others:
        s.queue.put_back(entry)
    for entry in used:
        s.put(entry.pair, impact_points.met(s, entry))
    times = [entry.bracket for entry in used]
    time = Interval(min(e[0] for e in times), max(e[1] for e in times))
    response.respond(s, [entry.pair for entry in used], time, clock)


