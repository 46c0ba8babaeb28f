"""Bodies in free flight from now on, and bodies and pairs that are held in contact."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..dynamics.steady_contact import SteadyContact
from . import contact_sides, expiry, gap_rates
from .event_queue import BodyKey, EventKind, PairKey
from .pair import PairState
from .state import ModeChange, Simulation


def fly(s: Simulation, k: int, velocity: np.ndarray) -> None:
    actor = s.actors[k]
    actor.take(actor.course.again(s.now, velocity=velocity[:3], spin=velocity[3:], acceleration=actor.gravity, spinning=np.zeros(3)), s.now)


def hold_body(s: Simulation, k: int, held: SteadyContact) -> None:
    # Beyond its end nobody looks.
    s.actors[k].take(replace(held.course, until=min(held.course.until, held.until)), s.now)
    s.rests.append(ModeChange(s.now, k, held.mode))
    if held.until < math.inf:
        s.push(max(held.until, s.now), EventKind.HELD, BodyKey(k))
    s.contacts[k] = s.contacts[k]._replace(leaving=held.leaves)


def hold_pair(s: Simulation, key: PairKey, state: PairState = PairState.STEADY) -> None:
    """Hold a pair, which is not searched for a while; the rest of a body, other than the face on which they touch, is, if they may meet
    there.
    """
    face = s.touch(key).face
    elsewhere = key.whole and face is not None and not contact_sides.watched(s, key)
    others = (face[0], s.actors[face[0]].without(face[1])) if elsewhere and face is not None else None
    s.pairs[key] = s.pairs[key].holds(state, s.versions(key), others)


def islands(s: Simulation, keys: Sequence[PairKey]) -> list[list[PairKey]]:
    """Pairs that hang together by free bodies."""
    left, found = [*dict.fromkeys(keys)], list[list[PairKey]]()
    while left:
        group, grown = [left.pop(0)], True
        while grown:
            bodies = {k for key in group for k in key.bodies if s.actors[k].free}
            more = [key for key in left if bodies.intersection(key.bodies)]
            grown, group, left = bool(more), group + more, [key for key in left if key not in more]
        found.append(group)
    return found


def let_go(s: Simulation, key: PairKey) -> None:
    """A contact beyond a border is none; the bodies part."""
    normals, speed = s.touch(key).normals, expiry.closing_bound(s, key)
    # What moves along a surface that bends comes nearer to it, too.
    pull = max(float(np.abs(normals @ s.actors[k].gravity).max()) for k in key.bodies) + speed * speed / s.size(key)
    s.pairs[key] = s.pairs[key].lets_go(pull)


def expect_bounce(s: Simulation, key: PairKey, time: float) -> None:
    if time < gap_rates.followed_until(s, key):
        s.push(time, EventKind.BOUNCE, key)
