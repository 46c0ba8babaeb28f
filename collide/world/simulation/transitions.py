"""The transitions of pairs after a response: they part, bounce a little, or stay in contact; and the ends of motions in contact.

Small bounces, whose height rounding would hide, follow from the acceleration of the gap; infinitely many of them end in rest, or in motion
in contact (mode 2 of Snyder 1993, Section 1.1).
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...search.clock import Clock
from ..contact_solver.forces import ActiveConstraint
from ..dynamics.equations import MotionEquations
from ..dynamics.guards import BEYOND, GuardReason
from ..dynamics.projection import onward
from . import contact_mode, contact_motion, contact_points, gap_rates, holding, low_bounces, next_contact, steady_motion, thresholds
from .event_queue import PairKey
from .pair import PairState
from .state import Simulation


def after(s: Simulation, keys: Sequence[PairKey]) -> None:
    """The transitions of pairs after a response. A pair may stay in contact at some of its points, and part at the others."""
    for key in keys:
        s.pairs[key] = s.pairs[key].follows(())
        contact_points.look_closely(s, key)
        keep_lasting(s, key)
    begun = begin_contacts(s, keys)
    hops = [key for key in keys if s.pairs[key].state is PairState.PARTING and low_bounces.hops(s, key)]
    for key in hops:
        s.pairs[key] = s.pairs[key].separates()
    groups = with_hops(s, hops)
    for system, owners in begun:
        if not any(owners[0] in group for group in groups):
            contact_motion.solve(s, system, owners)
    for group in groups:
        follow_hops(s, hops, group)


def keep_lasting(s: Simulation, key: PairKey) -> None:
    """Keep those contacts of a pair that last, if some do and others part."""
    touch, stay = s.touch(key), thresholds.stays_together(s, key)
    # Samples of an edge that lies nearly flat are higher than others.
    which = np.flatnonzero(stay & (contact_points.gaps_of(s, key) <= BEYOND * s.size(key))) if touch.links else ()
    if 0 < len(which) < len(stay) and not stay.all():
        links = tuple(touch.links[k] for k in which)
        s.put(key, replace(touch, points=touch.points[which], normals=touch.normals[which], proved=touch.proved[which], links=links))


def with_hops(s: Simulation, hops: Sequence[PairKey]) -> list[list[PairKey]]:
    """The islands of pairs that hop, each with the pairs in contact that their bodies are followed in."""
    groups = holding.islands(s, [*hops, *(key for key in s.pairs.held if key in s.pairs.followed)]) if hops else []
    return [group for group in groups if not set(hops).isdisjoint(group)]


def follow_hops(s: Simulation, hops: Sequence[PairKey], group: Sequence[PairKey]) -> None:
    """Follow an island: pairs that hop, with a speed at each contact, and those that stay as they are."""
    links = [
        (key, low_bounces.hop(s, ActiveConstraint(link, 0.0, None, thresholds.still_slip(s, key)), key, speed))
        for key in hops
        if key in group
        for link, speed in zip(s.touch(key).links, gap_rates.parting_speeds(s, key), strict=True)
    ]
    links += [(key, kept) for key in group if key not in hops for kept in s.pairs[key].constraints]
    free = sorted({k for own in group for k in own.bodies if s.actors[k].free})
    contact_motion.go_on(s, [own for own, _ in links], [kept for _, kept in links], free)


def decide(s: Simulation, keys: Sequence[PairKey]) -> None:
    """Decide which pairs that touch, with their velocities after a response, part, bounce a little, or stay together."""
    for key in keys:
        s.pairs[key] = s.pairs[key].hits()
    stay = steady_motion.pressed(s, [key for key in keys if thresholds.stays_together(s, key).all()])
    steady_motion.keep(s, stay)
    again: dict[int, float] = {}
    for key in keys:
        time = None if key in s.pairs.held else gap_rates.landing_time(s, key)
        if time is not None:
            again |= {k: min(time, again.get(k, math.inf)) for k in key.bodies if s.actors[k].free}
            holding.hold_pair(s, key, PairState.BOUNCING)
            s.pairs[key] = s.pairs[key].bounces((s.now, 0.0))
            holding.expect_bounce(s, key, time)
    for key in keys:
        if key not in s.pairs.held and gap_rates.gap_stays_closed(s, key, min(again.get(k, math.inf) for k in key.bodies)):
            holding.hold_pair(s, key)
        elif key not in s.pairs.held:
            s.pairs[key] = s.pairs[key].parts()


def begin_contacts(s: Simulation, keys: Sequence[PairKey]) -> list[tuple[MotionEquations, Sequence[PairKey]]]:
    """The motions followed after a response, which have only begun: they are solved together with what hops beside them, once that is
    known.
    """
    s.waiting = [] if s.forces is None and len(keys) > 1 else None
    try:
        decide(s, keys)
        return s.waiting or []
    finally:
        s.waiting = None


def held_again(s: Simulation, k: int, clock: Clock) -> None:
    """A motion in contact ends: the slip is over, or the border of the face is reached."""
    keys = [key for key in s.pairs.held if k in key.bodies]
    for key in keys:
        s.put(key, contact_points.moved_touch(s, key))
    actor = s.actors[k]
    holding.fly(s, k, np.concatenate([actor.course.velocity_at(s.now), actor.course.spin_at(s.now)]))
    at_border = contact_points.at_border(s, keys) if s.contacts[k].leaving else keys
    if not at_border:
        for key in keys:
            pull = float(np.abs(s.touch(key).normals @ actor.gravity).max())
            s.pairs[key] = s.pairs[key].leaves(pull)
    else:
        after(s, at_border)
    next_contact.changed(s, {k}, clock)


def next_forced(s: Simulation, k: int, clock: Clock) -> Sequence[PairKey]:
    """The pairs that hit each other when a motion comes to its end: it goes on as it did, or contacts change."""
    end, keys = s.contacts[k].end, [key for key in s.contacts[k].owners if key in s.pairs.followed]
    free = (
        [j for j, a in enumerate(s.actors) if a.free]
        if s.forces is not None
        else sorted({j for key in keys for j in key.bodies if s.actors[j].free} | {k})
    )
    if end is not None and keys:
        contact_motion.check_repeats(s, free[0], keys[0])
    owners = [key for key in keys for _ in s.pairs[key].constraints]
    kept = [c for key in keys for c in s.pairs[key].constraints]
    goes_on = end is None or end.reason is GuardReason.SLIP_TURNS
    going = onward(contact_mode.system_of(s, kept, free), s.now, s.all_courses()) if goes_on else None
    if going is not None:
        contact_motion.go_on(s, owners, going, free)
        next_contact.changed(s, set(free), clock)
        return ()
    if end is not None and end.contact is not None:
        return (owners[end.contact],)
    return grip_again(s, keys, free, clock)


def grip_again(s: Simulation, keys: Sequence[PairKey], free: Sequence[int], clock: Clock) -> Sequence[PairKey]:
    """Grip again from a moment at which not all contacts last; those that come together then, after hops, are hits."""
    left = []
    for key in [*keys, *low_bounces.low_ones(s, free)]:
        touch = contact_points.moved_touch(s, key)
        if len(touch.points) and not low_bounces.has_risen(s, key):
            s.put(key, touch)
            left.append(key)
        else:
            holding.let_go(s, key)
    for k in free:
        course = s.actors[k].course
        holding.fly(s, k, np.concatenate([course.velocity_at(s.now), course.spin_at(s.now)]))
    hits = [key for key in left if gap_rates.parting_speeds(s, key).min() < -thresholds.still_speed(s, key)]
    if hits:
        if s.forces is None:
            # What does not hang together with what hits goes on by itself.
            with_hits = {key for group in holding.islands(s, left) if not set(hits).isdisjoint(group) for key in group}
            after(s, [key for key in left if key not in with_hits])
            next_contact.changed(s, set(free).difference(k for key in with_hits for k in key.bodies), clock)
        return hits
    changed = set(free) | force(s, left)
    after(s, left)
    next_contact.changed(s, changed, clock)
    return ()


def force(s: Simulation, hit: Sequence[PairKey] = ()) -> set[int]:
    """Move all bodies from now on as the forces let them, if there are any; return which ones."""
    if s.forces is None:
        return set()
    followed = [(key, kept) for key in s.pairs.followed if key not in hit for kept in s.pairs[key].constraints]
    free = [k for k, a in enumerate(s.actors) if a.free]
    contact_motion.go_on(s, [key for key, _ in followed], [kept for _, kept in followed], free)
    return set(free)
