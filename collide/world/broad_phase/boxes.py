"""Pairs of bodies that may meet within the next moments: boxes that hold each of them for a while, compared all at once.

A body that moves has a box for as long as it takes to move some of its sizes; when that time is over, or when its motion changes, it gets
a new one, and is compared with all others by arrays: some microseconds for hundreds of bodies. So the cost of an event is that of its
neighbourhood. Bodies that fall alike are compared as they fall, where each moves evenly along a line, and has its box for long.
"""

import math
from dataclasses import replace
from enum import IntEnum

import numpy as np

from ...bodies.surface_points import extent
from ...culling.broad_phase import Window
from ..motion.ballistic import Ballistic
from ..motion.moving_body import MovingBody
from ..shapes.margins import ROUNDINGS, WIDER

# Beyond some radii a box is no longer good than for so much of a turn.
_TURN = 1.5
# Balls round bodies are taken to be a little wider than they are (`WIDER`), which is more than all roundings, as long as they are not so
# many radii from each other.
_FAR = 1e3
# A box is good for so many series, of which each may begin out by a rounding (see `ROUNDINGS`).
_SERIES = 64.0
# What is seen as it falls has a box until it has moved so many times as far at rest.
_FALLEN = 64.0
_NOWHERE = np.full(3, np.inf)


class BoxFrame(IntEnum):
    """The coordinates of boxes: `REST`, those of the world; `FALL`, those that fall with what flies freely."""

    REST = 0
    FALL = 1


class MovingBoxes:
    """Boxes (2, 3, n) from `lo` to `hi`, those of each frame, each good until a time. Of a body that does not fall there are but those at
    rest. What changes from a mark on is noted (see `journal`).
    """

    def __init__(self, count: int) -> None:
        self._lo, self._hi = np.full((2, 3, count), np.inf), np.full((2, 3, count), -np.inf)
        self._until = [[math.inf] * count, [math.inf] * count]
        self.falls = np.zeros(count, bool)
        self._noted: list[tuple[BoxFrame, int, np.ndarray, np.ndarray, float, bool]] = []

    def hold(self, body: int, frame: BoxFrame, lo: np.ndarray, hi: np.ndarray, until: float) -> None:
        """The body is in this box until then."""
        self._noted.append((frame, body, self._lo[frame, :, body].copy(), self._hi[frame, :, body].copy(), self._until[frame][body],
                            bool(self.falls[body])))
        self._put(frame, body, lo, hi, until)

    def _put(self, frame: BoxFrame, body: int, lo: np.ndarray, hi: np.ndarray, until: float) -> None:
        self._lo[frame, :, body], self._hi[frame, :, body], self._until[frame][body] = lo, hi, until

    def falling(self, body: int, falls: bool) -> None:
        """Note whether a body falls from now on. One that does not has no box that falls."""
        self.hold(body, BoxFrame.FALL, _NOWHERE, -_NOWHERE, math.inf)
        self.falls[body] = falls

    def frames(self, body: int) -> tuple[BoxFrame, ...]:
        return (BoxFrame.REST, BoxFrame.FALL) if self.falls[body] else (BoxFrame.REST,)

    def until(self, body: int, frame: BoxFrame) -> float:
        return self._until[frame][body]

    def both_until(self, i: int, j: int) -> float:
        """The time until which the boxes are good by which two bodies are compared."""
        known = self._until[BoxFrame.FALL if self.falls[i] and self.falls[j] else BoxFrame.REST]
        return min(known[i], known[j])

    def box(self, body: int) -> tuple[np.ndarray, np.ndarray]:
        """The box of a body in the coordinates of the world."""
        return self._lo[0, :, body], self._hi[0, :, body]

    def near(self, body: int) -> list[int]:
        """The bodies whose boxes meet that of this one: those of two that fall are compared as they fall."""
        meet = self._meet(body, BoxFrame.REST, *self.box(body))
        if self.falls[body]:
            meet |= self._meet(body, BoxFrame.FALL, self._lo[1, :, body], self._hi[1, :, body])
        return [int(k) for k in np.flatnonzero(meet)]

    def count(self, body: int, frame: BoxFrame, lo: np.ndarray, hi: np.ndarray) -> int:
        """The number of others that would be near a body in another box."""
        return int(np.count_nonzero(self._meet(body, frame, lo, hi)))

    def _meet(self, body: int, frame: BoxFrame, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
        meet = np.asarray(((self._lo[frame] <= hi[:, None]) & (lo[:, None] <= self._hi[frame])).all(axis=0))
        if frame is BoxFrame.REST and self.falls[body]:
            meet &= ~self.falls
        meet[body] = False
        return meet

    def mark(self) -> None:
        self._noted.clear()

    def undo(self) -> None:
        for frame, body, lo, hi, until, falls in reversed(self._noted):
            self._put(frame, body, lo, hi, until)
            self.falls[body] = falls
        self._noted.clear()


def box_of(body: MovingBody, t: float, reach: float, since: float | None = None) -> tuple[np.ndarray, np.ndarray, float]:
    """Corners of a box that holds a body from t on, some radii around it, and until when; of one that falls, as it is seen from what has
    fallen `since` a time, if that is given.
    """
    if body.rigid.fixed:
        ends = extent(body.moving.body, 0.0, body.moving.numbers)
        return ends[:, 0], ends[:, 1], np.inf
    if not body.course.ballistic:
        corner, opposite, until = body.course.box(t, body.radius, body.middle)
        return corner, opposite, until
    course = body.course if since is None else falling(body.course, since)
    until = min(leash(course, t, reach * body.radius), t + _SERIES * (body.lasts - t))
    if since is not None:
        until = min(until, leash(body.course, t, _FALLEN * reach * body.radius))
    if body.ball is None:
        near = leash(course, t, body.radius)
        until = min(until, max(near, turns_little(body.course, t)))
    window = t, until if until < np.inf else t
    if since is None:
        return *box(body.course, window, body.radius), until
    return *falling_box(body.course, since, window, body.radius), until


def leash(flight: Ballistic, t: float, reach: float) -> float:
    """The time until which a body moves no farther than that from where it is at t."""
    speed, force = math.hypot(*flight.at(t)[1]), math.hypot(*flight.floats[2])
    # The positive root of force s^2 / 2 + speed s = reach, without cancellation.
    least = speed + math.sqrt(speed * speed + 2.0 * force * reach)
    return t + 2.0 * reach / least if least > 0.0 else math.inf


def falling(flight: Ballistic, since: float) -> Ballistic:
    """The flight as seen from what has fallen since a time with the same acceleration: evenly along a line."""
    fallen = flight.start - since
    return replace(flight, centre=flight.centre - (fallen * fallen / 2) * flight.acceleration,
                   velocity=flight.velocity - fallen * flight.acceleration, acceleration=np.zeros(3))


def turns_little(flight: Ballistic, t: float) -> float:
    """A time until which a body does not turn far."""
    speed = flight.turning_at(t)
    return t + _TURN / speed if speed > 0.0 else math.inf


def box(flight: Ballistic, window: Window, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """The box of a ball round the centre of mass, over a window of time that ends with the flight or before."""
    (first, last), rest, (_, velocity, acceleration) = [flight.at(t)[0] for t in window], sizes(flight, window), flight.floats
    lo, hi = [0.0] * 3, [0.0] * 3
    for k, (a, b, speed, force) in enumerate(zip(first, last, velocity, acceleration, strict=True)):
        low, high = min(a, b), max(a, b)
        # Where a coordinate turns round within the window.
        turn = flight.start - speed / force if force else math.inf
        if window[0] < turn < window[1]:
            at = flight.at(turn)[0][k]
            low, high = min(low, at), max(high, at)
        far = radius + ROUNDINGS * (radius + abs(low) + abs(high) + rest)
        lo[k], hi[k] = low - far, high + far
    return np.array(lo), np.array(hi)


def falling_box(flight: Ballistic, since: float, window: Window, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """The `box` of a ball as seen from what has fallen since a time."""
    fallen, tau = abs(flight.start - since), max(abs(t - flight.start) for t in window)
    return box(falling(flight, since), window, radius + ROUNDINGS * (sizes(flight, window) + fallen * (fallen + tau) * flight.largest[2]))


def sizes(flight: Ballistic, window: Window) -> float:
    """The size against which roundings of the positions are measured; of what does not move, for ever."""
    tau, (place, speed, force) = max(abs(t - flight.start) for t in window), flight.largest
    return place + ((abs(window[1]) + 2.0 * tau) * speed if speed else 0.0) + (tau * tau * force if force else 0.0)


def not_before(first: Ballistic, second: Ballistic, window: Window, reach: float) -> float:
    """A time of a window, its end at most, before which the centres of two bodies that fly are farther apart than `reach`."""
    begin, end = window
    wide = reach * WIDER + 10.0 * ROUNDINGS * (sizes(first, window) + sizes(second, window))
    (place, speed), (other, moves) = first.at(begin), second.at(begin)
    place, speed = [b - a for a, b in zip(place, other, strict=True)], [b - a for a, b in zip(speed, moves, strict=True)]
    force, far = math.dist(first.floats[2], second.floats[2]), math.hypot(*place)
    if force or far > _FAR * reach:
        return _sooner(far - wide, math.hypot(*speed), force, window)
    # Where |place + s speed| = wide, first.
    square, toward, outside = sum(s * s for s in speed), sum(p * s for p, s in zip(place, speed, strict=True)), far * far - wide * wide
    least = toward * toward - square * outside
    if not outside > 0.0:
        return begin
    if toward >= 0.0 or least <= 0.0:
        return end
    return min(end, begin + outside / (-toward + math.sqrt(least)))


def balls_apart(k: int, others: np.ndarray, centres: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """(m,): whether the balls of `others` (m,), round centres (n, 3) of bodies, are apart from that of body k."""
    sizes = np.abs(centres).max(axis=1)
    far = np.linalg.norm(centres[others] - centres[k], axis=1)
    return np.asarray(far > (radii[others] + radii[k]) * WIDER + 10.0 * ROUNDINGS * (sizes[others] + sizes[k]))


def not_before_box(flight: Ballistic, lo: np.ndarray, hi: np.ndarray, window: Window, radius: float) -> float:
    """A time of a window, its end at most, before which a body is not within its radius of a box."""
    centre, speed = flight.at(window[0])
    gap = math.hypot(*(max(0.0, a - c, c - b) for a, b, c in zip(lo.tolist(), hi.tolist(), centre, strict=True)))
    wide = radius * WIDER + 10.0 * ROUNDINGS * sizes(flight, window)
    return _sooner(gap - wide, math.hypot(*speed), math.hypot(*flight.floats[2]), window)


def _sooner(gap: float, speed: float, force: float, window: Window) -> float:
    """The time at which a gap may be closed by a speed, and a force that makes it greater."""
    if not gap > 0.0:
        return window[0]
    least = speed + math.sqrt(speed * speed + 2.0 * force * gap)
    return min(window[1], window[0] + 2.0 * gap / least / WIDER) if least > 0.0 else window[1]
