"""Pairs that stay in contact: bodies that rest, roll or slide on what is fixed move in closed form; all others are followed."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..contact.closed_forms import OnFace
from ..contact.manifold import ContactConstraint
from ..contact_solver.impact import Contact
from ..dynamics import steady_contact
from ..dynamics.steady_contact import ContactMode, SteadyContact
from ..motion.polynomial import place_of
from . import contact_motion, gap_rates, holding
from .event_queue import PairKey
from .state import Simulation

# Against size, what is on the border of a face.
_BORDER = 1e-8


def pressed(s: Simulation, keys: list[PairKey]) -> list[PairKey]:
    """The pairs that gravity, forces or a driven body press on each other, and what touches these."""
    pressed = [key for key in keys if may_press(s, key) or (gap_rates.accelerations(s, key) < 0.0).any()]
    grown = True
    while grown:
        bodies = {k for key in pressed for k in key.bodies if s.actors[k].free}
        more = [key for key in keys if key not in pressed and bodies.intersection(key.bodies)]
        pressed, grown = pressed + more, bool(more)
    return pressed


def may_press(s: Simulation, key: PairKey) -> bool:
    """Only the equations of motion tell of bodies with corners that turn, and of what is curved."""
    if any(link.contact.tracked for link in s.touch(key).links):
        return True
    return bool(s.touch(key).links) and any(
        a.free and a.ball is None and a.course.spin_at(s.now).any() for a in (s.actors[k] for k in key.bodies)
    )


def keep(s: Simulation, keys: Sequence[PairKey]) -> None:
    if keys and s.forces is not None:
        others = [key for key in s.pairs.followed if key not in keys]
        contact_motion.follow(s, [*keys, *others], [k for k, a in enumerate(s.actors) if a.free])
    else:
        for group in holding.islands(s, keys):
            keep_island(s, group, sorted({k for key in group for k in key.bodies if s.actors[k].free}))


def keep_island(s: Simulation, keys: Sequence[PairKey], free: Sequence[int]) -> None:
    bodies = sorted({k for key in keys for k in key.bodies})
    actors = [s.actors[k] for k in bodies]
    contacts = [
        Contact((bodies.index(key.i), bodies.index(key.j)), p, n, 0.0, s.coefficients(*key.bodies)[1])
        for key in keys
        for p, n in zip(s.touch(key).points, s.touch(key).normals, strict=True)
    ]
    still = all(steady_contact.still(a.course, s.now, a.radius, a.gravity) for a in actors if a.free)
    if all(a.free or a.rigid.fixed for a in actors) and still and steady_contact.rest(actors, contacts, s.now):
        for k in free:
            holding.hold_body(s, k, SteadyContact(ContactMode.REST, steady_contact.at_rest(s.actors[k], s.now)))
    elif (held := evenly(s, keys, free, contacts)) is not None:
        holding.hold_body(s, free[0], held)
    else:
        contact_motion.follow(s, keys, free)
        return
    for key in keys:
        holding.hold_pair(s, key)


def evenly(s: Simulation, keys: Sequence[PairKey], free: Sequence[int], contacts: Sequence[Contact]) -> SteadyContact | None:
    """A body that goes along a parabola on what is fixed."""
    k, actor = free[0], s.actors[free[0]]
    if len(free) > 1 or not all(s.actors[j].rigid.fixed for key in keys for j in key.bodies if j != k):
        return None
    owners = [key for key in keys for _ in s.touch(key).points]
    toward = [c.normal if key.j == k else -c.normal for key, c in zip(owners, contacts, strict=True)]
    face = s.touch(keys[0]).face
    if actor.ball is not None:
        if len(keys) > 1 or face is None:
            return None
        normal = face[1].normal if face[1].normal @ toward[0] > 0 else -face[1].normal
        return steady_contact.ball_on(actor, face[1], normal, contacts[0].friction, s.now)
    held = steady_contact.block_on(actor, [replace(c, normal=n) for c, n in zip(contacts, toward, strict=True)], s.now)
    links = [link for key in keys for link in s.touch(key).links]
    if held is None:
        return None
    if not links:
        # Of a border that is not known it is not known when the body passes over it.
        points = np.concatenate([s.touch(key).points for key in keys])
        return (
            None
            if face is None or len(keys) > 1
            else replace(
                held,
                until=min(
                    held.until,
                    *(
                        held.course.start + steady_contact.leaving(face[1], p, held.course.velocity, held.course.acceleration)
                        for p in points
                    ),
                ),
            )
        )
    # The contacts are the body's own corners, as long as each of them is on its face.
    if not all(isinstance(link.contact, OnFace) and link.pair[0] == k and within(s, link) for link in links):
        return None
    return replace(held, until=min(held.until, *(leaving_time(s, link, held) for link in links)))


def within(s: Simulation, link: ContactConstraint) -> bool:
    """Whether a contact is not just at a border."""
    places = [place_of(s.actors[b].course, s.now) for b in link.pair]
    return link.contact.outside(*places) < -_BORDER * s.actors[link.pair[0]].radius


def leaving_time(s: Simulation, link: ContactConstraint, held: SteadyContact) -> float:
    """The time at which a corner that slides on a fixed face reaches its border."""
    contact, (_, j) = link.contact, link.pair
    assert isinstance(contact, OnFace)
    other, course = s.actors[j].course, held.course
    face = contact.face.moved(other.turn_at(s.now), other.centre_at(s.now))
    point = course.centre + course.turn @ contact.point
    return course.start + steady_contact.leaving(face, point, course.velocity, course.acceleration)
