"""Response to hits: impulses on all bodies that hang together, and how they go on from there (Snyder 1993, Figure 2)."""

import math
from collections.abc import Sequence

import numpy as np

from codegen.interval import Interval

from ...search.clock import Clock
from ..contact_solver.coulomb import Unsettled
from ..contact_solver.impact import LAWS, Contact, Impact, rounded
from ..event import Event
from ..reason import Undecided, WorkKind, together
from . import contact_motion, contact_points, gap_rates, holding, next_contact, thresholds, transitions
from .event_queue import PairKey
from .state import Simulation

# Against the speeds there, what counts as no approach after a law of the user's.
_INTO = 1e-9


def respond(s: Simulation, hit: Sequence[PairKey], time: Interval, clock: Clock) -> None:
    """The impulses of hits at a time, the event, and the contacts and motions that follow."""
    keys, alone = together_with(s, hit)
    contact_motion.lift(s, keys)
    bodies = sorted({k for key in keys for k in key.bodies})
    s.turn_to(WorkKind.IMPACT, bodies)
    contacts, owners = contacts_of(s, keys, hit, bodies)
    impact = impulses(s, contacts, bodies)
    for k in alone.difference(bodies):
        course = s.actors[k].course
        holding.fly(s, k, np.concatenate([course.velocity_at(s.now), course.spin_at(s.now)]))
    changed = {k for k in bodies if s.actors[k].free} | alone
    for velocity, k in zip(rounded(impact, [s.actors[k].radius for k in bodies]), bodies, strict=True):
        if k in changed:
            holding.fly(s, k, velocity)
    s.events.append(event_of(s, keys, hit, time, contacts, owners, impact))
    changed |= transitions.force(s, keys)
    transitions.after(s, keys)
    next_contact.changed(s, changed, clock)


def contacts_of(s: Simulation, keys: Sequence[PairKey], hit: Sequence[PairKey],
                bodies: Sequence[int]) -> tuple[list[Contact], list[PairKey]]:
    """The contacts of pairs, of bodies by their places among `bodies`, with restitution and friction; and the pair that each is of."""
    # Contacts that persist bounce as fast as these hits push them: not at all if all hits have come to rest.
    ended = {key for key in hit if thresholds.bounces_end(s, key, s.coefficients(*key.bodies)[0])}
    contacts, owners = list[Contact](), list[PairKey]()
    for key in keys:
        e, friction = s.coefficients(*key.bodies)
        e = 0.0 if key in ended or ended.issuperset(hit) else e
        touch, pair = s.touch(key), (bodies.index(key.i), bodies.index(key.j))
        rows = zip(touch.points, touch.normals, gap_rates.deformations(s, key), strict=True)
        contacts += [Contact(pair, p, n, e, friction, drift) for p, n, drift in rows]
        owners += [key] * len(touch.points)
    return contacts, owners


def impulses(s: Simulation, contacts: list[Contact], bodies: Sequence[int]) -> Impact:
    """The impact by the law of the world. Raises Undecided where no impulses obey it."""
    impact = Impact([s.actors[k].mass(s.now) for k in bodies], contacts)
    try:
        s.law(impact)
    except Unsettled:
        raise Undecided(
            s.reason(
                bodies,
                f"hit each other, and no impulses are found that obey Coulomb's law at all of their {len(contacts)} contacts",
                "lower the friction there",
            )
        ) from None
    if s.law not in LAWS.values():
        check_law(s, impact, bodies)
    return impact


def event_of(s: Simulation, keys: Sequence[PairKey], hit: Sequence[PairKey], time: Interval, contacts: Sequence[Contact],
             owners: Sequence[PairKey], impact: Impact) -> Event:
    """The event: contacts of pairs that hit each other, and others at which an impulse acts."""
    told = [n for n, key in enumerate(owners) if key in hit or impact.total[n].any()]
    proved = np.concatenate([s.touch(key).proved for key in keys])
    return Event(time, np.array([owners[n].bodies for n in told]), np.array([contacts[n].point for n in told]),
                 np.array([contacts[n].normal for n in told]), impact.impulses[told], proved[told])


def check_law(s: Simulation, impact: Impact, bodies: Sequence[int]) -> None:
    """Check the velocities that a law of the user's made."""
    if not math.isfinite(sum(e * e for e in impact.velocity.tolist())):
        named = together(tuple(map(s.called, bodies)))
        raise ValueError(f"the response of the world gives {named} velocities that are not finite")
    if (impact.speeds()[:, 0] < -_INTO * impact.scale).any():
        raise Undecided(
            s.reason(
                bodies, "go into each other by the response of the world", "let that function give velocities that part at every contact"
            )
        )


def together_with(s: Simulation, hit: Sequence[PairKey]) -> tuple[list[PairKey], set[int]]:
    """These pairs, and all that touch and hang together with them by bodies that are free; and free bodies that hung together with
    them, and touch them no longer: their motion ends here, too.
    """
    found, bodies = [*dict.fromkeys(hit)], {k for key in hit for k in key.bodies if s.actors[k].free}
    alone = set[int]()
    for key in (rest := [key for key in s.pairs.touched if key not in found]):
        if not gap_rates.still_touches(s, key):
            s.put(key, None)
    grown = True
    while grown:
        more = [key for key in rest if key in s.pairs.touched and key not in found and bodies.intersection(key.bodies)]
        grown = bool(more)
        for key in more:
            moved = contact_points.moved_touch(s, key)
            if not len(moved.points):
                holding.let_go(s, key)
                alone |= {k for k in key.bodies if s.actors[k].free}
                bodies |= alone
                continue
            s.put(key, moved)
            found.append(key)
            bodies |= {k for k in key.bodies if s.actors[k].free}
    return found, alone
