"""Bodies that are followed while they stay in contact, by differential equations: where forces act, where what they touch moves, and where
they rock, slip or push each other. Which contacts press, which stick, and when that ends, is in `tracked`.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from ..contact_solver.forces import ActiveConstraint
from ..contact_solver.stick_slip import gripped
from ..dynamics.equations import MotionEquations
from ..dynamics.guard_set import GuardHit, GuardSet, hopping
from ..dynamics.projection import lifted, settled
from ..dynamics.steady_contact import ContactMode, SteadyContact, at_rest
from ..motion import rotation
from ..motion.polynomial import Polynomial, onset
from ..reason import Undecided, WorkKind
from . import contact_mode, contact_points, contact_sides, holding, low_bounces, thresholds
from .event_queue import BodyKey, EventKind, PairKey
from .pair import PairState
from .state import Simulation

# Against a slip that counts as none, those that are stopped where there is no other answer.
_STOPPED = (1.0, 10.0, 100.0)
# A window goes on for so much longer than what hops or lands is expected to. Effort only.
_PAST = 2.0
# Against size: what hits each other is moved by no more, so as not to be in each other.
_FAR = 1e-5
# Against what acts at contacts, what counts as no force. More ends of motions than this within so much of one moment end the run; a block
# that rocks to rest has 30 to 40.
_QUIET, _AT_ONCE, _SAME = 1e-11, 100, 1e-9


def follow(s: Simulation, keys: Sequence[PairKey], free: Sequence[int]) -> None:
    """Motion in contact by differential equations, of pairs that touch."""
    found = [(key, link) for key in keys for link in s.touch(key).links]
    for key in keys:
        if not s.touch(key).links:
            contact_mode.not_followed(s, key)
    kept = [ActiveConstraint(link, s.coefficients(*key.bodies)[1], None, thresholds.still_slip(s, key)) for key, link in found]
    system = contact_mode.system_of(s, kept, free)
    _, motion, inverse, rates = system.look(s.now, s.all_courses())
    # What still parts hops before it presses: nothing pulls it down.
    up = [c for c, (key, _) in enumerate(found) if motion.speeds[c, 0] > thresholds.known_speed(s, key)]
    down = [c for c in range(len(found)) if c not in up]
    scales = np.concatenate([np.repeat([1.0, s.actors[k].radius], 3) for k in free])
    quiet = _QUIET * strength(s, system, rates)
    # Friction at slips that end at once may have no answer; what is left of these is taken then.
    ways = (
        gripped([replace(kept[c], still=part * kept[c].still) for c in down], motion.of(down), inverse, scales, quiet) for part in _STOPPED
    )
    chosen = next((way for way in ways if way is not None), None)
    if chosen is None:
        contact_mode.not_followed(s, keys[0])
    assert chosen is not None
    pairs = list(zip((found[c][0] for c in down), chosen, strict=False))
    pressed = {key for key, k in pairs if not k.loose}
    pairs = [(key, k) for key, k in pairs if not k.loose or key not in pressed]
    pairs += [(found[c][0], low_bounces.hop(s, kept[c], found[c][0], float(motion.speeds[c, 0]))) for c in up]
    go_on(s, [key for key, _ in pairs], [k for _, k in pairs], free)


def go_on(s: Simulation, owners: Sequence[PairKey], chosen: Sequence[ActiveConstraint], free: Sequence[int]) -> None:
    """Go on with the contacts that stay, each of a pair of `owners`."""
    if s.forces is not None:
        with low_bounces.bouncing_on(s, free):
            go_on_together(s, owners, chosen, free)
        return
    # Bodies that do not hang together any more go on by themselves: the end of the motion of some is none of others.
    for group in holding.islands(s, owners):
        own = [n for n, key in enumerate(owners) if key in group]
        go_on_together(
            s, [owners[n] for n in own], [chosen[n] for n in own], sorted({k for key in group for k in key.bodies if s.actors[k].free})
        )


def go_on_together(s: Simulation, owners: Sequence[PairKey], chosen: Sequence[ActiveConstraint], free: Sequence[int]) -> None:
    chosen = renew(s, owners, chosen)
    system = contact_mode.system_of(s, chosen, free)
    s.turn_to(WorkKind.CONTACT, system.linked)
    system.step = max([s.steps.get((k, system.turning), 0.0) for k in free], default=0.0) or system.step
    if chosen:
        for k, (centre, shift, velocity, spin) in zip(free, settled(system, s.now, s.all_courses()), strict=True):
            course = s.actors[k].course
            s.actors[k].take(course.again(s.now, centre=centre, turn=turned(s, k, shift), velocity=velocity, spin=spin), s.now, seen=False)
    if chosen and s.forces is None and contact_mode.rests_now(s, system):
        for k in free:
            holding.hold_body(s, k, SteadyContact(ContactMode.REST, at_rest(s.actors[k], s.now)))
        for key in dict.fromkeys(owners):
            holding.hold_pair(s, key)
    elif s.waiting is None:
        solve(s, system, owners)
    else:
        s.waiting.append((system, owners))
        rates = system.look(s.now, s.all_courses())[3] + system.answer(s.now, s.all_courses()).change.reshape(-1, 6)
        for k, own in zip(free, rates, strict=True):
            s.actors[k].take(onset(s.actors[k].course, s.now, s.now + system.step, own), s.now, seen=False)
        hold_kept(s, system, owners)


def turned(s: Simulation, k: int, shift: np.ndarray) -> np.ndarray:
    turn, angle = s.actors[k].course.turn_at(s.now), float(np.linalg.norm(shift))
    return np.asarray(rotation.about(shift / angle, angle) @ turn if angle else turn)


def lift(s: Simulation, keys: Sequence[PairKey]) -> None:
    """Lift pairs that hit each other out of each other: what landed was seen when it was a little too deep, and if it then barely parts, it
    would be found to touch as it comes out.
    """
    links, free = [link for key in keys for link in s.touch(key).links], sorted({k for key in keys for k in key.bodies if s.actors[k].free})
    if not links:
        return
    size = min(s.size(key) for key in keys)
    shifts = lifted(
        contact_mode.system_of(s, [ActiveConstraint(link, 0.0, None, 0.0) for link in links], free), s.now, s.all_courses(), size
    )
    if shifts is None:
        return
    moved = (np.linalg.norm(e[:3]) + s.actors[k].radius * np.linalg.norm(e[3:]) for k, e in zip(free, shifts, strict=True))
    far = float(max(moved))
    if far > _FAR * size:
        both = sorted({k for key in keys for k in key.bodies})
        raise Undecided(
            s.reason(
                both,
                f"hit each other {far:.3g} deep, since their points of contact are not known well enough",
                "end the run before, or give them surfaces that are less flat where they touch",
            )
        )
    for k, shift in zip(free, shifts, strict=True):
        course, pull = s.actors[k].course, s.actors[k].gravity
        # As it flies from the hit on, or bounces would not be seen to end.
        s.actors[k].take(
            course.again(
                s.now, centre=course.centre_at(s.now) + shift[:3], turn=turned(s, k, shift[3:]), acceleration=pull, spinning=np.zeros(3)
            ),
            s.now,
            seen=False,
        )


def renew(s: Simulation, owners: Sequence[PairKey], chosen: Sequence[ActiveConstraint]) -> list[ActiveConstraint]:
    """These contacts alone are what touches from now on; those of curved surfaces from where they are."""
    found = [replace(k, link=contact_points.renewed(s, k.link)) for k in chosen]
    for key in dict.fromkeys(owners):
        links = tuple(k.link for k, own in zip(found, owners, strict=True) if own == key)
        points, normals = contact_points.points_of(s, key, links)
        s.put(key, replace(s.touch(key), time=s.now, points=points, normals=normals, proved=np.zeros(len(links), bool), links=links))
    return found


def solve(s: Simulation, system: MotionEquations, owners: Sequence[PairKey]) -> None:
    s.turn_to(WorkKind.CONTACT, system.linked)
    step, watch = system.step, watch_of(s, system, owners) if system.kept else None
    system.step = min(step, _PAST * hopping(system, s.now, s.all_courses(), min(map(s.size, owners), default=1.0)))
    if watch and any(s.contacts[k].end for k in system.free):
        # Where one end came, the next one may be near.
        system.step = min(system.step, _PAST * watch.soon(s.now, s.all_courses()))
    soon = system.step < step
    found = system.courses(s.now, s.all_courses())
    if found is None:
        check_curves(s, system, owners)
        raise Undecided(
            s.reason(
                system.free,
                "cannot be followed by a polynomial, since the forces change so much",
                "use smoother forces, or weaker springs and heavier bodies",
            )
        )
    end = end_of(s, watch, owners, found) if watch else None
    for k, course in zip(system.free, found, strict=True):
        s.actors[k].take(course if end is None else replace(course, until=end.time), s.now)
        # So nothing comes after it that does not know how the body moves on.
        s.push(s.actors[k].course.until, EventKind.SERIES, BodyKey(k))
        # How long a slip can be followed at once, which gets less and less as it ends, says nothing of what sticks then.
        for turning in {system.turning, True}:
            s.steps[k, turning] = step if soon else system.step
        s.contacts[k] = s.contacts[k]._replace(end=end, owners=tuple(dict.fromkeys(owners)))
    hold_kept(s, system, owners)
    contact_mode.tell(s, system)


def hold_kept(s: Simulation, system: MotionEquations, owners: Sequence[PairKey]) -> None:
    for key in dict.fromkeys(owners):
        s.pairs[key] = s.pairs[key].follows(tuple(k for k, own in zip(system.kept, owners, strict=True) if own == key))
        holding.hold_pair(s, key, PairState.FOLLOWED)


def check_curves(s: Simulation, system: MotionEquations, owners: Sequence[PairKey]) -> None:
    """Bodies that come to touch along a curve are not followed (as a ring that comes to lie on a floor)."""
    places, *_ = system.look(s.now, s.all_courses())
    for key, kept in zip(owners, system.kept, strict=True):
        contact = kept.link.contact
        if contact.flattens(*(places[b] for b in kept.link.pair)):
            raise Undecided(
                s.reason(
                    key.bodies,
                    "come to touch along a curve, or where both are flat, which is not followed",
                    "end the run before, or give one of them more curvature there",
                )
            )


def watch_of(s: Simulation, system: MotionEquations, owners: Sequence[PairKey]) -> GuardSet:
    shapes = {k: shape for k in system.linked if (shape := contact_sides.shape_of(s, k)) is not None}
    watch = GuardSet(system, s.now, s.all_courses(), shapes, partial(contact_sides.features_of, s), min(s.size(key) for key in owners))
    for c, k in watch.around:
        if not (s.actors[k].rigid.fixed and s.touch(owners[c]).face is not None):
            contact_mode.not_followed(s, owners[c])
    return watch


def end_of(s: Simulation, watch: GuardSet, owners: Sequence[PairKey], found: Sequence[Polynomial]) -> GuardHit | None:
    courses = s.all_courses()
    for k, course in zip(watch.system.free, found, strict=True):
        courses[k] = course
    return watch.end(s.now, found[0].until, courses)


def check_repeats(s: Simulation, k: int, key: PairKey) -> None:
    """Counts an end that has come: one that was expected may be expected again whenever other bodies hit each other."""
    begin, count = s.contacts[k].since
    since = (begin, count + 1) if s.now - begin <= _SAME * (1.0 + abs(begin)) else (s.now, 0)
    s.contacts[k] = s.contacts[k]._replace(since=since)
    if count > _AT_ONCE:
        raise Undecided(
            s.reason(
                key.bodies,
                f"begin or end to stick, slip or press more than {_AT_ONCE} times at once",
                "change their friction or restitution a little, or end the run before",
            )
        )


def strength(s: Simulation, system: MotionEquations, rates: np.ndarray) -> float:
    spins = [float(np.linalg.norm(s.actors[k].course.spin_at(s.now))) for k in system.linked]
    radii = [s.actors[k].radius for k in system.linked if s.actors[k].free]
    return float(np.abs(rates[:, :3]).max()) + max(spins) ** 2 * min(radii)
