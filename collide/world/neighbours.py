"""Which bodies may meet within the next moments: boxes that hold each of them for a while, compared all at once.

A body that moves has a box for as long as it takes to move some of its sizes; when that time is over, or when its motion changes, it gets
a new one, and is compared with all others by arrays: some microseconds for hundreds of bodies. So the cost of an event is that of its
neighbourhood.
"""

import math

import numpy as np

from ..culling.broad_phase import Window
from .flight import Flight

# Beyond some radii a box is no longer good than for so much of a turn.
_TURN = 1.5
# Boxes and distances are widened by so much of what they are computed from: some hundred roundings.
ROUNDINGS = 1e-13
# Balls round bodies are taken to be so much wider than they are, which is more than all roundings, as long as they are not so many radii
# from each other.
WIDER, _FAR = 1.0 + 1e-6, 1e3


class Neighbours:
    """Boxes (n, 3) from `lo` to `hi`, each good from `since` to `until`."""

    def __init__(self, count: int) -> None:
        self.lo, self.hi = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
        self.until = np.full(count, np.inf)

    def __copy__(self) -> "Neighbours":
        other = Neighbours(0)
        other.lo, other.hi, other.until = self.lo.copy(), self.hi.copy(), self.until.copy()
        return other

    def hold(self, body: int, lo: np.ndarray, hi: np.ndarray, until: float) -> None:
        """The body is in this box until then."""
        self.lo[body], self.hi[body], self.until[body] = lo, hi, until

    def near(self, body: int) -> list[int]:
        """The bodies whose boxes meet that of this one."""
        return [int(k) for k in np.flatnonzero(self._meet(body, self.lo[body], self.hi[body]))]

    def count(self, body: int, lo: np.ndarray, hi: np.ndarray) -> int:
        """How many others would be near a body in another box?"""
        return int(np.count_nonzero(self._meet(body, lo, hi)))

    def _meet(self, body: int, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
        meet = np.asarray(((self.lo <= hi) & (lo <= self.hi)).all(axis=1))
        meet[body] = False
        return meet


def leash(flight: Flight, t: float, reach: float) -> float:
    """The time until which a body moves no farther than that from where it is at t."""
    speed, force = float(np.linalg.norm(flight.velocity_at(t))), float(np.linalg.norm(flight.acceleration))
    # The positive root of force s^2 / 2 + speed s = reach, without cancellation.
    least = speed + math.sqrt(speed * speed + 2.0 * force * reach)
    return t + 2.0 * reach / least if least > 0.0 else math.inf


def turns_little(flight: Flight, t: float) -> float:
    """A time until which a body does not turn far."""
    speed = float(np.linalg.norm(flight.spin_at(t)))
    return t + _TURN / speed if speed > 0.0 else math.inf


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
    far = radius + ROUNDINGS * (radius + np.abs(lo) + np.abs(hi) + sizes(flight, window))
    return lo - far, hi + far


def sizes(flight: Flight, window: Window) -> float:
    """What roundings of the positions are measured against."""
    tau, (place, speed, force) = max(abs(t - flight.start) for t in window), flight.largest
    return place + tau * speed + tau * tau * force + (abs(window[1]) + tau) * speed


def rates(flight: Flight, window: Window) -> tuple[float, float, float]:
    """What roundings of positions, velocities and accelerations at the beginning of a window are measured against: some hundred of them."""
    force = float(np.abs(flight.acceleration).max())
    return 10.0 * sizes(flight, window), 10.0 * (float(np.abs(flight.velocity).max()) + abs(window[0] - flight.start) * force), 10.0 * force


def not_before(first: Flight, second: Flight, window: Window, reach: float) -> float:
    """A time of a window, its end at most, before which the centres of two bodies that fly are farther apart than `reach`."""
    begin, end = window
    wide = reach * WIDER + 10.0 * ROUNDINGS * (sizes(first, window) + sizes(second, window))
    place = second.centre_at(begin) - first.centre_at(begin)
    speed = second.velocity_at(begin) - first.velocity_at(begin)
    force = float(np.linalg.norm(second.acceleration - first.acceleration))
    far = float(np.linalg.norm(place))
    if force or far > _FAR * reach:
        return _sooner(far - wide, float(np.linalg.norm(speed)), force, window)
    # Where |place + s speed| = wide, first.
    square, toward, outside = float(speed @ speed), float(place @ speed), far * far - wide * wide
    least = toward * toward - square * outside
    if outside <= 0.0:
        return begin
    if toward >= 0.0 or least <= 0.0:
        return end
    return min(end, begin + outside / (-toward + math.sqrt(least)))


def not_before_box(flight: Flight, lo: np.ndarray, hi: np.ndarray, window: Window, radius: float) -> float:
    """Likewise, before which a body is not within its radius of a box."""
    centre = flight.centre_at(window[0])
    gap = float(np.linalg.norm(np.maximum(0.0, np.maximum(lo - centre, centre - hi))))
    wide = radius * WIDER + 10.0 * ROUNDINGS * sizes(flight, window)
    return _sooner(gap - wide, float(np.linalg.norm(flight.velocity_at(window[0]))), float(np.linalg.norm(flight.acceleration)), window)


def _sooner(gap: float, speed: float, force: float, window: Window) -> float:
    """When a gap may be closed by a speed, and a force that makes it greater."""
    if gap <= 0.0:
        return window[0]
    least = speed + math.sqrt(speed * speed + 2.0 * force * gap)
    return min(window[1], window[0] + 2.0 * gap / least / WIDER) if least > 0.0 else window[1]
