"""Proof that no contact can follow: the bounding spheres of all flying bodies separate for ever.

Two that fall alike move evenly against each other; what is fixed or rests has a box, of which one side is behind what flies away from it.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ..motion.moving_body import MovingBody
from ..shapes.margins import ROUNDINGS
from .boxes import sizes

# Radii are taken to be so much greater, and squares of speeds, which is more than all roundings.
_WIDER = 1.0 + 1e-6


def departed(actors: Sequence[MovingBody], boxed: Callable[[int], tuple[np.ndarray, np.ndarray]], now: float) -> bool:
    """Whether none of the bodies meets another one after now, as long as each moves along its parabola. `boxed`: the corners of the box of
    a body that is fixed.
    """
    flying = [a for a in actors if not (a.rigid.fixed or a.still)]
    if not all(a.course.ballistic for a in flying):
        return False
    resting = [_box(k, a, boxed, now) for k, a in enumerate(actors) if a.rigid.fixed or a.still]
    return all(_behind(a, lo, hi, now) for a in flying for lo, hi in resting) and _part(flying, now)


def _box(k: int, actor: MovingBody, boxed: Callable[[int], tuple[np.ndarray, np.ndarray]], now: float) -> tuple[np.ndarray, np.ndarray]:
    if actor.rigid.fixed:
        return boxed(k)
    centre = actor.course.centre_at(now)
    return centre - actor.radius * _WIDER, centre + actor.radius * _WIDER


def _behind(actor: MovingBody, lo: np.ndarray, hi: np.ndarray, now: float) -> bool:
    """Whether a plane at a side of the box is never reached again."""
    flight = actor.course
    centre, speed, force = flight.centre_at(now), flight.velocity_at(now), flight.acceleration
    wide = actor.radius * _WIDER + 10.0 * ROUNDINGS * sizes(flight, (now, now))
    for side, gaps in ((1.0, centre - hi - wide), (-1.0, lo - centre - wide)):
        away, pull = side * speed, side * force
        # gap + away s + pull s^2 / 2 for all s >= 0; without a pull the velocity is exact.
        turns = (pull > 0.0) & (2.0 * pull * gaps > away * away * _WIDER)
        if ((gaps > 0.0) & (((pull >= 0.0) & (away >= 0.0)) | turns)).any():
            return True
    return False


def _part(actors: Sequence[MovingBody], now: float) -> bool:
    """Whether no two of the bodies are ever so near as their radii. They must fall alike."""
    if len(actors) < 2:
        return True
    flights = [a.course for a in actors]
    places, speeds, forces = (np.array(e) for e in zip(*((f.centre_at(now), f.velocity_at(now), f.acceleration) for f in flights),
                                                        strict=True))
    if (forces != forces[0]).any():
        return False
    i, j = np.triu_indices(len(actors), 1)
    radii = np.array([a.radius for a in actors]) * _WIDER
    out = 10.0 * ROUNDINGS * np.array([sizes(f, (now, now)) for f in flights])
    # Velocities that gravity changes are rounded.
    rate = ROUNDINGS * np.array([np.linalg.norm(f.velocity) + abs(now - f.start) * np.linalg.norm(f.acceleration) for f in flights])
    rate = rate if forces[0].any() else np.zeros_like(rate)
    way, speed, wide = places[j] - places[i], speeds[j] - speeds[i], radii[i] + radii[j] + out[i] + out[j]
    off = rate[i] + rate[j] + ROUNDINGS * np.linalg.norm(speed, axis=1)
    far, fast, toward = np.linalg.norm(way, axis=1), np.linalg.norm(speed, axis=1), np.einsum("ki,ki->k", way, speed)
    leaving = toward >= far * off + (out[i] + out[j]) * fast
    with np.errstate(divide="ignore", invalid="ignore"):
        passing = np.linalg.norm(np.cross(way, speed), axis=1) / fast - 2.0 * far * off / fast > wide
    return bool(((far > wide) & (leaving | (passing & (fast > 2.0 * off)))).all())
