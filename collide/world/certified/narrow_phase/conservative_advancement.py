"""First touch of two convex bodies of flat faces, or of such a body and a ball, by planes between them, from one moment to the next.

Each is looked for among doubles, and then *proved* to be between the bodies, for all states in their flights and all times of a step, by
the mean value theorem over balls. At the end one height above such a plane is proved to fall through zero, by the sign of its rate, while
the others stay positive, which is all that there is to a first touch (`features`); Newton's method tells when.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb

from codegen.deadline import check

from ....search.clock import Clock
from ...reason import Undecided
from ..arithmetic.enclosures import above, below
from .facets import MovingForm, PlacedForm
from .separating_axes import MovingPlane, heights, touch, widest

# Steps double while they are proved, and are halved until they are, down to so much of the time in which bodies move by their size.
_LEAST = 2.0**-44
# A touch is looked for within so many times what the rate tells, if that is no more than so many steps. Roundings of doubles, and Newton's.
_FAR, _STEPS, _NEWTON = 1.75, 4.0, 40


By = tuple[MovingPlane, int]
"""A height above an axis: its number."""


@dataclass(frozen=True, eq=False)
class Closed:
    """The first touch: at the `time` the height `by` is zero, at the point (3,) with the unit normal (3,) from the first
    body to the second.
    """

    by: Any
    time: Any
    point: Any
    normal: Any


class ClosingCourses:
    """Conservative advancement of two courses; `coarse`: the same with balls that hold the bodies; `pace`: about the time in which they
    move by their size.
    """

    def __init__(self, courses: tuple[MovingForm, MovingForm], coarse: Sequence[tuple[MovingForm, MovingForm]], pace: float,
                 clock: Clock) -> None:
        self.courses, self.coarse, self.pace, self.clock = courses, coarse, pace, clock

    def first(self, begin: float, end: float) -> Closed | float:
        """The first touch after `begin`, if it is before `end` or a little later; or the time up to which there is none, which is less than
        `end` if the digits, or the planes, do not suffice. Raises Undecided if the budget is spent.
        """
        now, step = begin, self.pace
        while now < end:
            check()
            if self.clock.over:
                raise Undecided
            if (after := self._passed(now, end)) > now:
                now = after
                continue
            for axis in self._axes(self.courses, now):
                found = self._touch(axis, now, step)
                if found is not None:
                    return found
                after, step = self._step(self.courses, axis, now, 2.0 * step, end)
                if after > now:
                    break
                step = self.pace
            if not after > now:
                return now
            now = after
        return now

    def apart(self, moment: float) -> bool:
        return any(self.positive(self.courses, axis, arb(moment)) for axis in self._axes(self.courses, moment))

    def _passed(self, now: float, end: float) -> float:
        """The time up to which they are apart by balls about them, if that is long."""
        for courses in self.coarse:
            for axis in self._axes(courses, now)[:1]:
                after, _ = self._step(courses, axis, now, end - now, end, least=0.25 * self.pace)
                if after > now:
                    return after
        return now

    @staticmethod
    def _axes(courses: Sequence[MovingForm], now: float) -> list[MovingPlane]:
        (a, n), (b, m) = (c.rough(now) for c in courses)
        return widest([c.form for c in courses], (a, b), (n, m))

    def _step(self, courses: Sequence[MovingForm], axis: MovingPlane, now: float, step: float, end: float,
              least: float = 0.0) -> tuple[float, float]:
        """The time up to which the axis is between them, and the step to there."""
        # Over two series nothing is told.
        end = min(end, *(c.until(now) for c in courses))
        while step > max(least, _LEAST * self.pace):
            check()
            after = min(now + step, end)
            if after > now and self.positive(courses, axis, arb(now).union(arb(after))):
                return after, step
            step *= 0.5
        return now, step

    @staticmethod
    def positive(courses: Sequence[MovingForm], axis: MovingPlane, times: Any, but: int = -1) -> bool:
        """Whether all heights except one are positive at all times of a ball."""
        middle = times.mid()
        there, over = (heights(axis, placed(courses, x)).of for x in (middle, times))
        return all(h + rate * (times - middle) > 0 for k, (h, rate) in enumerate(zip(there.at, over.rate, strict=True)) if k != but)

    def _touch(self, axis: MovingPlane, now: float, step: float) -> Closed | None:
        found = heights(axis, placed(self.courses, arb(now)))
        least = min(range(found.gaps), key=lambda k: found.of.at[k].mid())
        height, rate = found.of.at[least], found.of.rate[least]
        if not (height > 0 and rate < 0):
            return None
        far = now + _FAR * float((height / -rate).mid())
        times = arb(now).union(arb(far))
        if not (now < far < now + _STEPS * step and self._of(axis, least, times).rate < 0 and self._of(axis, least, arb(far)).at < 0):
            return None
        if not self.positive(self.courses, axis, times, least):
            return None
        time = self._zero(axis, least, times)
        at = touch(axis, least, placed(self.courses, time))
        return None if at is None else Closed((axis, least), time, *at)

    def _zero(self, axis: MovingPlane, number: int, times: Any) -> Any:
        """The one zero of a height that falls."""
        for _ in range(_NEWTON):
            middle = times.mid()
            closer = times.intersection(middle - self._of(axis, number, middle).at / self._of(axis, number, times).rate)
            if not 2 * closer.rad() < times.rad():
                return closer
            times = closer
        return times

    def _of(self, axis: MovingPlane, number: int, times: Any) -> Any:
        return heights(axis, placed(self.courses, times)).of[number]

    def parted(self, by: By, start: Any, after: float) -> bool:
        """Whether they are proved apart from a touch at a time `start`, where this height is zero, up to the time `after`. They are if it
        rises, and all others are positive.
        """
        axis, number = by
        times = arb(below(start)).union(arb(after))
        return bool(above(start) < after and self._of(axis, number, times).rate > 0 and self.positive(self.courses, axis, times, number))


def placed(courses: Sequence[MovingForm], time: Any) -> tuple[PlacedForm, PlacedForm]:
    return courses[0].placed(time), courses[1].placed(time)
