"""Bodies with boxes that hold each of them for a while, and what is to be done when that is over."""

import math
from collections.abc import Iterable, Sequence

from codegen.interval import Interval
from generative.body import called

from ...answers.contacts import Contacts
from ..broad_phase.boxes import Frame, Neighbours, box_of
from ..motion.ballistic import RotationKind
from ..motion.moving_body import MovingBody
from ..reason import Activity, Reason, Undecided, Work
from .event_queue import EventKind, EventQueue, Key

# A series is followed for so much of the time for which it holds.
_MOST = 1.0 - 2.0**-20
# A body's box reaches so many radii beyond it, more than the least only as long as it does not come near more others than these; and more
# than all of them where nothing is near, for no longer than it has gone on like that. Effort only.
_REACHES, _FEW = (3.0, 12.0, 50.0, 200.0, 800.0, 3200.0), 6
_LONGER = tuple(_REACHES[-1] * 4.0**k for k in range(1, 48))


class Boxed:
    """`now`: up to this time all is known; `near`: which bodies come near each other; `queue`: what is to be done. `activity`: what the run
    did last.
    """

    def __init__(self, actors: Sequence[MovingBody], start: float) -> None:
        self.actors, self.now, self.start = actors, start, start
        self.near = Neighbours(len(actors))
        self.queue = EventQueue(self._versions)
        self.activity = Activity(Work.SET_UP, tuple(range(len(actors))), start)

    def called(self, k: int) -> str:
        return called([a.rigid for a in self.actors], k)

    def reason(self, bodies: Iterable[int], obstacle: str, advice: str, time: float | Interval | None = None) -> Reason:
        """Why the run cannot go on from now, or another time."""
        return Reason.of(self.called, bodies, self.now if time is None else time, obstacle, advice)

    def turn_to(self, work: Work, bodies: Iterable[int]) -> None:
        """Note an activity."""
        self.activity = Activity(work, tuple(bodies), self.now)

    def size(self, key: Key) -> float:
        """The radius of the smaller of two bodies, of those that are free."""
        return min(a.radius for a in (self.actors[k] for k in key[:2]) if a.free)

    def push(self, time: float, kind: EventKind, key: Key, found: Contacts | None = None) -> None:
        self.queue.push(time, kind, key, found)

    def _versions(self, key: Key) -> tuple[int, ...]:
        return tuple([self.actors[k].version for k in key[:2]])

    def speed(self, key: Key) -> float:
        """No two points of the bodies come together faster, now."""
        speed = math.dist(*(self.actors[k].course.velocity_at(self.now).tolist() for k in key[:2]))
        return speed + sum(self.actors[k].radius * self.actors[k].course.turning_at(self.now) for k in key[:2])

    def hold(self, k: int) -> None:
        """New boxes for a body."""
        self.near.falling(k, self.actors[k].falls)
        for frame in self.near.frames(k):
            self._box(k, frame)
        self.expect(k)

    def place(self, k: int) -> None:
        """The least boxes for a body, as long as others have none."""
        self.near.falling(k, self.actors[k].falls)
        for frame in self.near.frames(k):
            self._box(k, frame, _REACHES[:1])

    def hold_on(self, k: int) -> None:
        """New boxes for a body where the time of those it has is over."""
        for frame in self.near.frames(k):
            if self.near.until(k, frame) <= self.now:
                self._box(k, frame)
        self.expect(k)

    def _box(self, k: int, frame: Frame, reaches: Sequence[float] = _REACHES + _LONGER) -> None:
        actor, most = self.actors[k], _FEW
        for reach in reaches:
            if reach == _LONGER[0]:
                most = 0
            if reach > _REACHES[-1] and self.near.until(k, frame) - self.now >= self.now - actor.path[-1][0]:
                break
            lo, hi, until = box_of(actor, self.now, reach, self.start if frame is Frame.FALL else None)
            if not until > self.now:
                raise Undecided(self.reason((k,), "moves too fast for any proof of its path", "lower its speed, or end the run before"))
            count = self.near.count(k, frame, lo, hi)
            if reach > _REACHES[0] and (count > most or until <= self.near.until(k, frame)):
                break
            most = max(most, count)
            self.near.hold(k, frame, lo, hi, until)

    def expect(self, k: int) -> None:
        """Entries for the end of a body's boxes, and for that of its series in free flight."""
        actor, until = self.actors[k], min(self.near.until(k, frame) for frame in self.near.frames(k))
        if until < (actor.lasts if actor.course.solved else math.inf):
            self.push(until, EventKind.BOX, (k,))
        if actor.course.ballistic and actor.course.gait is RotationKind.SERIES:
            # Somewhat before its end: what is clear up to that is then known to be apart.
            self.push(self.now + _MOST * (actor.course.until - self.now), EventKind.SERIES, (k,))


def ordered(actors: Sequence[MovingBody], key: Key) -> tuple[int, int]:
    """A pair in the order of the kinds of its bodies: pairs of one kind share code."""
    i, j = key[:2]
    return (i, j) if (actors[i].shape_number, i) <= (actors[j].shape_number, j) else (j, i)
