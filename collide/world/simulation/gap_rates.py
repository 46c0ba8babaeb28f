"""Pairs of bodies that touch: how fast they part, and how that changes."""

import math

import numpy as np

from .event_queue import PairKey
from .state import Simulation

# Bounces that rise no higher than this, against the size of the smaller body, are told by the acceleration of the gap. Against size and
# speeds: gaps that count as touching, and slip and spin that do not matter for a small bounce.
_LOW, _TOUCHING, _STEADY = 1e-7, 1e-12, 1e-9
# Times of a window at which it is looked whether bodies have come down. And points and weights by which what pulls over a time of length 1
# tells the way: Gauss's rule, exact for pulls that are polynomials of degree 14.
_PARTS = np.arange(1, 25) / 24.0
_POINTS = (1.0 + np.polynomial.legendre.leggauss(8)[0]) / 2.0
_WEIGHTS = (1.0 - _POINTS) * np.polynomial.legendre.leggauss(8)[1] / 2.0


def still_touches(s: Simulation, key: PairKey) -> bool:
    if key in s.pairs.held:
        return True
    one, other = (s.actors[k].course.velocity_at(s.now) for k in key.bodies)
    return bool(np.linalg.norm(one - other) * (s.now - s.touch(key).time) <= _TOUCHING * s.size(key))


def speed_bound(s: Simulation, k: int) -> float:
    """No point of a body is faster."""
    return float(np.linalg.norm(s.actors[k].course.velocity_at(s.now))) + s.actors[k].spread(s.now)


def parting_speeds(s: Simulation, key: PairKey) -> np.ndarray:
    """(k,): how fast two bodies part at the points where they touch."""
    relative = relative_velocities(s, key)
    return np.asarray(np.einsum("ki,ki->k", relative, s.touch(key).normals))


def relative_velocities(s: Simulation, key: PairKey) -> np.ndarray:
    """(k, 3): the velocities of the second body against the first where they touch; kept for the last question, which is asked again
    and again.
    """
    touch, courses = s.touch(key), [s.actors[k].course for k in key.bodies]
    asked = s.now, touch, *courses
    if asked != s.asked[0]:
        first, second = (s.actors[k].velocities(touch.points, s.now) for k in key.bodies)
        s.asked = asked, np.asarray(second - first)
    return s.asked[1]


def deformations(s: Simulation, key: PairKey) -> np.ndarray:
    """(k, 3): the part of the relative velocities by which the two bodies deform."""
    one, other = (s.actors[k].deformation(s.touch(key).points, s.now) for k in key.bodies)
    return np.asarray(other - one)


def gap_acceleration(s: Simulation, key: PairKey) -> float | None:
    """The second derivative of the gap of bodies that do not deform, where it is known: of balls, of balls on flat faces, and of what
    barely slips or turns.
    """
    one, other = (s.actors[k] for k in key.bodies)
    if one.rigid.deforms or other.rigid.deforms:
        return None
    touch, relative = s.touch(key), relative_velocities(s, key)
    pull = touch.normals @ (other.course.acceleration_at(s.now) - one.course.acceleration_at(s.now))
    speeds = np.einsum("ki,ki->k", relative, touch.normals)
    if one.ball is not None and other.ball is not None:
        drift = other.course.velocity_at(s.now) - one.course.velocity_at(s.now)
        drift = drift - (drift @ touch.normals[0]) * touch.normals[0]
        return float(pull[0] + drift @ drift / (one.ball + other.ball))
    if (one.ball is not None or other.ball is not None) and touch.face is not None:
        return float(pull[0])
    slow = slip_speed(s, key) <= _STEADY * math.sqrt(s.size(key) * float(np.abs(pull).max()))
    return float(pull.max()) if slow and np.ptp(speeds) <= _STEADY * np.abs(speeds).max() else None


def slip_speed(s: Simulation, key: PairKey) -> float:
    """The speed at which two bodies slip, and turn, where they touch."""
    relative, normals = relative_velocities(s, key), s.touch(key).normals
    slip = float(np.abs(relative - np.einsum("ki,ki->k", relative, normals)[:, None] * normals).max())
    return slip + s.size(key) * sum(float(np.linalg.norm(s.actors[k].course.spin_at(s.now))) for k in key.bodies)


def is_even(s: Simulation, key: PairKey) -> bool:
    """Whether the second derivative of the gap is constant, where it is known."""
    flies = all(s.actors[k].course.ballistic for k in key.bodies)
    return flies and not all(s.actors[k].ball is not None for k in key.bodies)


def gap_accelerations(s: Simulation, key: PairKey, times: np.ndarray) -> np.ndarray:
    """(m,): `gap_acceleration` at m times at which both bodies move as they do now, where it is known."""
    one, other = (s.actors[k] for k in key.bodies)
    change = (other.course.rates_along(times) - one.course.rates_along(times))[:, :3]
    if one.ball is None or other.ball is None:
        return np.asarray((change @ s.touch(key).normals.T).max(axis=1))
    first, second = one.course.places(times), other.course.places(times)
    way, drift = second.centre - first.centre, second.velocity - first.velocity
    normal = way / np.linalg.norm(way, axis=1)[:, None]
    drift -= np.einsum("mi,mi->m", drift, normal)[:, None] * normal
    return np.asarray(np.einsum("mi,mi->m", change, normal) + (drift * drift).sum(axis=1) / (one.ball + other.ball))


def rise_of(s: Simulation, key: PairKey, spans: np.ndarray) -> np.ndarray:
    """(m,): the growth of the gap from now on in each of these times, which may be negative: by Taylor's formula, whose integral is exact,
    except for rounding, where bodies move along polynomials.
    """
    pulls = gap_accelerations(s, key, (s.now + spans[:, None] * _POINTS).ravel()).reshape(-1, len(_POINTS))
    return np.asarray(spans * (float(parting_speeds(s, key).min()) + spans * (pulls @ _WEIGHTS)))


def followed_until(s: Simulation, key: PairKey) -> float:
    """The time up to which bodies move by their present polynomials, if they do."""
    return min(s.actors[k].course.until if s.actors[k].course.solved else math.inf for k in key.bodies)


def landing_time(s: Simulation, key: PairKey, high: float = 0.0) -> float | None:
    """The time at which bodies touch again that part now, or are so high; the end of their present motions, if that comes first; None where
    it is not known, they rise higher than bounces that are low, or it is now, except for rounding.
    """
    speed, pull, most = float(parting_speeds(s, key).min()), steady_acceleration(s, key), _LOW * s.size(key)
    if pull is None or not (high > 0.0 or speed > 0.0):
        return None
    if is_even(s, key):
        return s.now + 2.0 * speed / -pull if pull < 0.0 < speed and is_low(s, key, speed, pull) else None
    if not high > 0.0 and all(s.actors[k].course.ballistic for k in key.bodies) and not (pull < 0.0 and is_low(s, key, speed / 2.0, pull)):
        # The acceleration of the gap of balls in free flight hardly changes while they move by so little.
        return None
    last, quick = followed_until(s, key) - s.now, max(abs(pull), speed * speed / most)
    length = min(last, 2.0 * speed / -pull if pull < 0.0 < speed else math.sqrt(most / quick) if quick else math.inf)
    if not 0.0 < length < math.inf:
        return None
    lo = 0.0
    while not (down := (gaps := high + rise_of(s, key, lo + (length - lo) * _PARTS)) <= 0.0).any():
        if gaps.max() > most:
            return None
        if length >= last:
            return followed_until(s, key)
        lo, length = length, min(2.0 * length, last)
    hi = length
    while down.any():
        times = lo + (hi - lo) * _PARTS
        first = int(np.argmax(down))
        near = (float(times[first - 1]) if first else lo), float(times[first])
        if near == (lo, hi) or not near[1] - near[0] > math.ulp(near[1]):
            break
        (lo, hi), down = near, high + rise_of(s, key, near[0] + (near[1] - near[0]) * _PARTS) <= 0.0
    return s.now + hi if s.now + hi > s.now else None


def steady_acceleration(s: Simulation, key: PairKey) -> float | None:
    """Second derivative of the gap where it stays as it is for a while; None of bodies that others push which are followed with them."""
    followed = s.forces is None and any(s.actors[k].course.solved for k in key.bodies)
    return None if followed else gap_acceleration(s, key)


def is_low(s: Simulation, key: PairKey, speed: float, pull: float) -> bool:
    """Whether a bounce is too low to be searched."""
    return speed * speed <= -2.0 * pull * _LOW * s.size(key)


def gap_stays_closed(s: Simulation, key: PairKey, until: float) -> bool:
    """Whether a gap that nothing closes is within rounding of zero until a time, at which one of the bodies bounces elsewhere, and contacts
    are looked at again.
    """
    speed, pull = float(parting_speeds(s, key).min()), steady_acceleration(s, key)
    return pull is not None and pull >= 0.0 <= speed and (until - s.now) * (speed + pull * (until - s.now)) <= _TOUCHING * s.size(key)


def accelerations(s: Simulation, key: PairKey) -> np.ndarray:
    touch = s.touch(key)
    one, other = (s.actors[k].accelerations(touch.points, s.now) for k in key.bodies)
    return np.asarray(np.einsum("ki,ki->k", touch.normals, other - one))


def speed_bounds(s: Simulation, key: PairKey) -> float:
    """Sum of the bounds of two bodies."""
    return sum(speed_bound(s, k) for k in key.bodies)
