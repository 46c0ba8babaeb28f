"""Speeds at contacts that count as none: along the normal, where bodies stay together, and across it, where they stick."""

import math

import numpy as np

from . import contact_points, gap_rates
from .event_queue import PairKey
from .state import Simulation

# Bounces end in rest when all that are left come within so many units in the last place of the time; and against size, speeds that count as
# none.
_AT_ONCE, _STILL = 8.0, 1e-13
# Against the speed of a fall from a body's size, one with which nothing rises higher than 1e-10 of that.
_FALL = 1e-5
# Against their speeds, how well those of bodies that are followed are known.
FITTED = 1e-10
# Against size: bounces that rise no higher are none.
_FLAT = 1e-9
# Against the speed of a fall from a body's size, a slip that counts as none: it is stopped without a force, so momentum is out by so much.
_SLIP = 1e-9
# Against the speeds of bodies, a slip within rounding, also where nothing else draws them together.
_TOLD = 1e-11
# Against the speed of a hop within rounding, one that counts as none.
_NONE = 1e-5


def still_speed(s: Simulation, key: PairKey) -> float:
    """A speed that counts as none, along the normal."""
    pull = gap_rates.gap_acceleration(s, key)
    scale = gap_rates.speed_bounds(s, key)
    # Bodies that fall side by side are pulled together as soon as something holds one of them.
    fall = max(float(np.linalg.norm(s.actors[k].gravity)) for k in key.bodies)
    at_once = _AT_ONCE * math.ulp(s.now) * max(fall, -(pull or 0.0))
    least = max(at_once, _STILL * scale)
    return least if not s.touch(key).links or pull is not None else max(least, low_speed(s, key))


def low_speed(s: Simulation, key: PairKey) -> float:
    """A speed with which bodies that are followed rise no higher than the part of their motion that is not known."""
    fall = max(*(float(np.linalg.norm(s.actors[k].gravity)) for k in key.bodies), float(np.abs(contact_points.bends(s, key)).max()))
    return max(_FALL * math.sqrt(s.size(key) * fall), FITTED * gap_rates.speed_bounds(s, key))


def stays_together(s: Simulation, key: PairKey) -> np.ndarray:
    """(k,): whether two bodies stay together at each point: where they part no faster than `still_speed`; and, if that is so at some point,
    where they rise no higher than a billionth of the size.
    """
    speeds = gap_rates.parting_speeds(s, key)
    found = np.abs(speeds) <= still_speed(s, key)
    if found.any() and not found.all() and s.touch(key).links and gap_rates.gap_acceleration(s, key) is None:
        found |= (speeds > 0.0) & (speeds * speeds <= 2.0 * float(np.abs(contact_points.bends(s, key)).max()) * _FLAT * s.size(key))
    return found


def bounces_end(s: Simulation, key: PairKey, e: float) -> bool:
    """Whether bounces with a restitution e have come to their end: those left come at once, or, of bodies that rock or turn, none would
    rise higher than a billionth of the size.
    """
    pull, speed = gap_rates.gap_acceleration(s, key), float(np.abs(gap_rates.parting_speeds(s, key)).max())
    if (
        pull is not None
        and pull < 0.0
        and e < 1.0
        and gap_rates.is_low(s, key, speed, pull)
        and (2.0 * e * speed <= _AT_ONCE * math.ulp(s.now) * -pull * (1.0 - e))
    ):
        return True
    contact_points.look_closely(s, key)
    touch = s.touch(key)
    if e >= 1.0 or not touch.links or gap_rates.steady_acceleration(s, key) is not None:
        return False
    speed = e * float(np.abs(gap_rates.parting_speeds(s, key)).max())
    return speed * speed <= -2.0 * float(contact_points.bends(s, key).min()) * _FLAT * s.size(key)


def known_speed(s: Simulation, key: PairKey) -> float:
    """The speed along the normal below which motion may be rounding."""
    return max(FITTED * gap_rates.speed_bounds(s, key), _NONE * low_speed(s, key))


def still_slip(s: Simulation, key: PairKey) -> float:
    """A slip that counts as none."""
    pull = max(float(np.abs(gap_rates.accelerations(s, key)).max()), max(float(np.linalg.norm(s.actors[k].gravity)) for k in key.bodies))
    return max(_SLIP * math.sqrt(s.size(key) * pull), _TOLD * gap_rates.speed_bounds(s, key))
