"""Which bodies may meet within the next moments: boxes that hold each of them for a while, compared all at once.

A body that moves has a box for as long as it takes to move some of its sizes; when that time is over, or when its motion changes, it gets
a new one, and is compared with all others by arrays: some microseconds for hundreds of bodies. So the cost of an event is that of its
neighbourhood.
"""

import math

import numpy as np

from ..culling.broad_phase import Window
from .flight import Flight

# A box reaches so many radii beyond the body. Effort only.
_LEASH = 3.0
# Boxes and distances are widened by so much of what they are computed from: some hundred roundings.
_ROUNDINGS = 1e-13


class Neighbours:
    """Boxes (n, 3) from `lo` to `hi`, each good from `since` to `until`."""

    def __init__(self, count: int) -> None:
        self.lo, self.hi = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
        self.until = np.full(count, np.inf)

    def hold(self, body: int, lo: np.ndarray, hi: np.ndarray, until: float) -> None:
        """The body is in this box until then."""
        self.lo[body], self.hi[body], self.until[body] = lo, hi, until

    def near(self, body: int) -> list[int]:
        """The bodies whose boxes meet that of this one."""
        meet = ((self.lo <= self.hi[body]) & (self.lo[body] <= self.hi)).all(axis=1)
        meet[body] = False
        return [int(k) for k in np.flatnonzero(meet)]


def leash(flight: Flight, t: float, radius: float) -> float:
    """The time until which a body moves no farther than some radii from where it is at t."""
    speed, force = float(np.linalg.norm(flight.velocity_at(t))), float(np.linalg.norm(flight.acceleration))
    reach = _LEASH * radius
    # The positive root of force s^2 / 2 + speed s = reach, without cancellation.
    least = speed + math.sqrt(speed * speed + 2.0 * force * reach)
    return t + 2.0 * reach / least if least > 0.0 else math.inf


def box(flight: Flight, window: Window, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """That of a ball round the centre of mass, over a window of time that ends with the flight or before."""
    ends = [flight.centre_at(t) for t in window]
    lo, hi = np.minimum(*ends), np.maximum(*ends)
    # Where a coordinate turns round within the window.
    with np.errstate(divide="ignore", invalid="ignore"):
        turn = flight.start - flight.velocity / flight.acceleration
    for k in np.flatnonzero((turn > window[0]) & (turn < window[1])):
        at = flight.centre_at(float(turn[k]))[k]
        lo[k], hi[k] = min(lo[k], at), max(hi[k], at)
    far = radius + _ROUNDINGS * (radius + np.abs(lo) + np.abs(hi) + _sizes(flight, window))
    return lo - far, hi + far


def _sizes(flight: Flight, window: Window) -> float:
    """What roundings of the positions are measured against."""
    tau = max(abs(t - flight.start) for t in window)
    return float(np.abs(flight.centre).max() + tau * np.abs(flight.velocity).max() + tau * tau * np.abs(flight.acceleration).max()
                 + (abs(window[1]) + tau) * np.abs(flight.velocity).max())


def apart(first: Flight, second: Flight, window: Window, reach: float) -> bool:
    """Are the centres of two bodies of the same acceleration farther apart than `reach` throughout a window?"""
    if not np.array_equal(first.acceleration, second.acceleration):
        return False
    place = second.centre_at(window[0]) - first.centre_at(window[0])
    speed = second.velocity_at(window[0]) - first.velocity_at(window[0])
    square, toward = float(speed @ speed), float(place @ speed)
    tau = min(max(-toward / square, 0.0), window[1] - window[0]) if square else 0.0
    least = float(np.linalg.norm(place + tau * speed))
    return least > reach + 10.0 * _ROUNDINGS * (reach + _sizes(first, window) + _sizes(second, window))
