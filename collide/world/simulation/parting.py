"""Bodies that part from a touch: until when they are proved apart, or move too little to matter; and slow ones, which may cross."""

import itertools
import math

import numpy as np

from ...culling.broad_phase import Window
from ...search.clock import Clock
from ..motion.templates import QueryBody
from ..narrow_phase import bounding_trees
from ..narrow_phase.bounding_trees import ApartUntil
from ..narrow_phase.search import surfaces_apart, surfaces_cross
from ..narrow_phase.time_of_impact import BoundingTrees
from ..reason import Undecided
from . import expiry
from .event_queue import PairKey
from .state import Simulation, ordered

# How far bodies that part may move, against their size, before they are proved apart.
SOON, _FINE = (1e-10, 1e-9), 1e-13
# And how far, in any direction, where it is told by an acceleration how deep they may come into each other by then.
_ALONG = 1e-4
# For that the time is halved so often, where they speed up; a bound may be so much more than the speed says.
_HALVINGS, _MORE = 80, 1.01
# Bodies that part too slowly for that are looked at when they may have moved so far, against size: do they cross?
_SLIPS = 1e-6, 1e-4, 1e-2
# A pair is looked at later if it cannot meet in so much of the time it is asked about.
SHORT = 0.03
# Where it is known where bodies may meet, they are searched for the time in which they move by so much of their size. Effort only.
AT_ONCE = 0.2
# The advice for contacts that depend on how bodies meet exactly.
ELSEWHERE = "move a start a little, or end the run before"


def known_until(s: Simulation, key: PairKey) -> float:
    """The time up to which both are in their boxes, and move as their formulas say."""
    i, j = key.bodies
    return min(s.near.both_until(i, j), s.actors[i].lasts, s.actors[j].lasts)


def sides_of(s: Simulation, key: PairKey) -> tuple[QueryBody, QueryBody]:
    a, b = ordered(s.actors, key.bodies)
    sides = {k: s.actors[k].moving for k in (a, b)}
    if not key.whole:
        others = s.pairs[PairKey(*key.bodies)].others
        assert others is not None
        sides[others[0]] = others[1][key.part]
    return sides[a], sides[b]


def parted_at(s: Simulation, key: PairKey, until: float, clock: Clock) -> tuple[float, ApartUntil | None]:
    """Bodies that part from a touch: a time at which they are proved apart, and until which they move so little that they cannot be in
    each other deeper than a billionth of their size; if none is found, now. And where they may meet up to a time, if that is known.
    """
    speed, pull = expiry.closing_bound(s, key), s.pairs[key].pull
    s.pairs[key] = s.pairs[key].pulled(None)
    near = near_until(s, key, (s.now, until), s.now + SHORT * (until - s.now)) if pull is None else None
    # Where what is left of a touch comes together slowly, another part may come down at once.
    for drawn, part in itertools.product(dict.fromkeys((pull, None)), SOON) if speed > 0.0 else ():
        later = (
            while_near(s, key, part * s.size(key) / speed)
            if drawn is None
            else while_near(s, key, math.sqrt(2.0 * part * s.size(key) / drawn), _ALONG)
        )
        if not later > s.now:
            continue
        # Where all that touches is proved to part they leave each other from now on.
        leaves = near is not None and near.until >= later
        known = None if leaves else near_until(s, key, (s.now, later), anew=False)
        if leaves or (known and known.until >= later) or surfaces_apart(*sides_of(s, key), later, clock, _FINE, known and known.region):
            s.pairs[key] = s.pairs[key].separates().clear(later, s.versions(key)).apart_from(later)
            return later, near if leaves else None
    return s.now, None


def near_until(s: Simulation, key: PairKey, window: Window, soon: float = math.inf, anew: bool = True) -> ApartUntil | None:
    """The time and the place at which two bodies in flight may meet, by trees of spheres; None where there are no trees, or no bound.
    `soon`, `anew`: see `bounding_trees.near`.
    """
    one, other = (s.actors[k] for k in ordered(s.actors, key.bodies))
    if not key.whole or not BoundingTrees().accepts(one, other):
        return None
    found = bounding_trees.near(one, other, window, stride_at_once(s, key), soon, anew)
    return found if found and (found.region is None or found.until < found.horizon) else None


def stride_at_once(s: Simulation, key: PairKey) -> float:
    """The time in which two bodies move by a part of their size."""
    speed = expiry.closing_bound(s, key)
    return AT_ONCE * s.size(key) / speed if speed > 0.0 else math.inf


def while_near(s: Simulation, key: PairKey, most: float, reach: float = SOON[-1]) -> float:
    """A time, `most` from now at the latest, until which no two points of the bodies come together by more than that, against size."""
    later = min(s.now + most, known_until(s, key))
    for _ in range(_HALVINGS if later < math.inf else 0):
        (lo, hi, turning), (low, high, other) = (s.actors[k].pace(s.now, later) for k in key.bodies)
        speed = float(np.linalg.norm(np.maximum(np.abs(hi - low), np.abs(high - lo)))) + turning + other
        if (later - s.now) * speed <= _MORE * reach * s.size(key):
            return later
        later = s.now + (later - s.now) / 2.0
    return s.now


def check_slips(s: Simulation, key: PairKey, end: float, clock: Clock) -> None:
    """Check bodies that touch, and barely part: raises Undecided where they are found to cross before they are found apart, since then they
    do not part at all.
    """
    for moment in (*(min(end, while_near(s, key, math.inf, reach)) for reach in _SLIPS), end):
        if moment > s.now and surfaces_apart(*sides_of(s, key), moment, clock):
            return
        if moment > s.now and surfaces_cross(*sides_of(s, key), moment, clock):
            raise Undecided(s.reason(key.bodies, f"stay in contact in a way that is not followed, and cross by t = {moment!r}", ELSEWHERE))
