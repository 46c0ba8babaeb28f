"""Boxes that hold each body for a while, and the end of their time."""

import math
from collections.abc import Sequence

from ..broad_phase.boxes import BoxFrame, box_of
from ..motion.ballistic import RotationKind
from ..reason import Undecided
from .event_queue import BodyKey, EventKind, PairKey
from .state import Simulation

# A series is followed for so much of the time for which it holds.
_MOST = 1.0 - 2.0**-20
# A body's box reaches so many radii beyond it, more than the least only as long as it does not come near more others than these; and more
# than all of them where nothing is near, for no longer than it has gone on like that. Effort only.
_REACHES, _FEW = (3.0, 12.0, 50.0, 200.0, 800.0, 3200.0), 6
_LONGER = tuple(_REACHES[-1] * 4.0**k for k in range(1, 48))


def closing_bound(s: Simulation, key: PairKey) -> float:
    """No two points of the bodies come together faster, now."""
    speed = math.dist(*(s.actors[k].course.velocity_at(s.now).tolist() for k in key.bodies))
    return speed + sum(s.actors[k].spread(s.now) for k in key.bodies)


def hold(s: Simulation, k: int) -> None:
    """New boxes for a body."""
    s.near.falling(k, s.actors[k].falls)
    for frame in s.near.frames(k):
        new_box(s, k, frame)
    expect(s, k)


def place(s: Simulation, k: int) -> None:
    """The least boxes for a body, as long as others have none."""
    s.near.falling(k, s.actors[k].falls)
    for frame in s.near.frames(k):
        new_box(s, k, frame, _REACHES[:1])


def hold_on(s: Simulation, k: int) -> None:
    """New boxes for a body where the time of those it has is over."""
    for frame in s.near.frames(k):
        if s.near.until(k, frame) <= s.now:
            new_box(s, k, frame)
    expect(s, k)


def new_box(s: Simulation, k: int, frame: BoxFrame, reaches: Sequence[float] = _REACHES + _LONGER) -> None:
    actor, most = s.actors[k], _FEW
    for reach in reaches:
        if reach == _LONGER[0]:
            most = 0
        if reach > _REACHES[-1] and s.near.until(k, frame) - s.now >= s.now - actor.path[-1][0]:
            break
        lo, hi, until = box_of(actor, s.now, reach, s.start if frame is BoxFrame.FALL else None)
        if not until > s.now:
            raise Undecided(s.reason((k,), "moves too fast for any proof of its path", "lower its speed, or end the run before"))
        count = s.near.count(k, frame, lo, hi)
        if reach > _REACHES[0] and (count > most or until <= s.near.until(k, frame)):
            break
        most = max(most, count)
        s.near.hold(k, frame, lo, hi, until)


def expect(s: Simulation, k: int) -> None:
    """Entries for the end of a body's boxes, and for that of its series in free flight."""
    actor, until = s.actors[k], min(s.near.until(k, frame) for frame in s.near.frames(k))
    if until < (actor.lasts if actor.course.solved else math.inf):
        s.push(until, EventKind.BOX, BodyKey(k))
    if actor.course.ballistic and actor.course.gait is RotationKind.SERIES:
        # Somewhat before its end: what is clear up to that is then known to be apart.
        s.push(s.now + _MOST * (actor.course.until - s.now), EventKind.SERIES, BodyKey(k))
