"""Low hops of bodies in contact: bounces too low for a search to resolve are followed with the contacts of the same bodies."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from ..contact_solver.forces import ActiveConstraint
from ..dynamics.planes import IN_PLANE
from ..motion.polynomial import place_of
from . import contact_points, gap_rates, holding, thresholds
from .event_queue import EventKind, PairKey
from .state import Simulation

# Against size: bounces that rise no higher are followed.
LOW = 1e-7


def hops(s: Simulation, key: PairKey) -> bool:
    """Whether the pair separates too slowly for a search to prove it apart before the next contact. False if another pair of these bodies
    is held but not followed.
    """
    touch, speeds = s.touch(key), gap_rates.parting_speeds(s, key)
    if s.forces is not None or not touch.links or gap_rates.steady_acceleration(s, key) is not None or not speeds.min() >= 0.0:
        return False
    free = {k for k in key.bodies if s.actors[k].free}
    followed = all(other in s.pairs.followed for other in s.pairs.held if free.intersection(other.bodies))
    bend = float(np.abs(contact_points.bends(s, key)).max())
    return followed and 0.0 < float(speeds.max()) ** 2 <= 2.0 * bend * LOW * s.size(key)


def hop(s: Simulation, kept: ActiveConstraint, key: PairKey, speed: float) -> ActiveConstraint:
    """A contact that parts with a speed."""
    return replace(kept, loose=True, rises=speed <= thresholds.low_speed(s, key))


def barely_parted(s: Simulation, key: PairKey) -> bool:
    """Whether bodies parted so slowly, when they touched last, that they rise no higher than what is followed."""
    if key not in s.pairs.touched:
        return False
    return float(np.abs(gap_rates.parting_speeds(s, key)).max()) ** 2 <= 2.0 * float(
        np.abs(contact_points.bends(s, key)).max()
    ) * LOW * s.size(key)


def has_risen(s: Simulation, key: PairKey) -> bool:
    """Whether what hops is higher by now than what touches. A search tells when it comes down."""
    kept = s.pairs[key].constraints
    if not kept or not all(k.loose for k in kept):
        return False
    places = {k: place_of(s.actors[k].course, s.now) for k in key.bodies}
    gaps = [k.link.contact.course(*(places[b] for b in k.link.pair)).gap for k in kept]
    return bool(min(gaps) > IN_PLANE * s.size(key))


def low_ones(s: Simulation, bodies: Sequence[int]) -> list[PairKey]:
    """Pairs of these bodies that are held, but not followed: small bounces, and what lasts no longer than these."""
    return [key for key in s.pairs.held if key not in s.pairs.followed and not set(bodies).isdisjoint(key.bodies)]


@contextmanager
def bouncing_on(s: Simulation, bodies: Sequence[int]) -> Iterator[None]:
    """Small bounces go on where bodies move on by other formulas: from as high as they are by now. Those that then rise higher are
    searched.
    """
    low = low_ones(s, bodies)
    bounces = [e for e in s.queue if e.kind is EventKind.BOUNCE and e.key in low] if low else []
    uneven = [key for key in low if s.pairs[key].height and s.pairs[key].motions == s.versions(key) and not gap_rates.is_even(s, key)]
    for key in uneven:
        since, high = s.pairs.height(key)
        high = max(0.0, high - float(gap_rates.rise_of(s, key, np.array([since - s.now]))[0]))
        s.pairs[key] = s.pairs[key].bounces((s.now, high))
    yield
    for key in low:
        s.pairs[key] = s.pairs[key].goes_on(s.versions(key))
    for e in bounces:
        if e.key not in uneven:
            s.push(e.time, EventKind.BOUNCE, e.pair)
    for key in uneven:
        high = s.pairs.height(key)[1]
        down = high == 0.0 and not gap_rates.parting_speeds(s, key).min() > 0.0
        time = s.now if down else gap_rates.landing_time(s, key, high)
        if time is None:
            s.pairs[key] = s.pairs[key].parts()
        else:
            holding.expect_bounce(s, key, time)
