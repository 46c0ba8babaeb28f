"""Next contact of a pair of bodies: balls and flat faces by polynomials (`spheres`), all others by a search (`search`)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...moment.start import Start
from ...search.clock import Clock
from ..narrow_phase.search import state_at
from ..reason import Reason, Undecided
from ..simulation.state import ordered
from .arithmetic.enclosures import above, below, nearest, number, vector
from .arithmetic.first_root import Unclear
from .motion.ballistic import NONE, Flight, Parabola
from .motion.body import CertifiedBody
from .narrow_phase.conservative_advancement import Closed, ClosingCourses
from .narrow_phase.convex_pieces import MOST, Pieces
from .narrow_phase.facets import MovingForm, form_of_ball
from .narrow_phase.search import CertifiedContact, apart, first_meeting, parted
from .narrow_phase.separating_axes import MovingPlane
from .narrow_phase.sphere_obstacles import point
from .narrow_phase.spheres import Gap, first_hit, gap, together

# How much closer to what is undecided a search begins anew, and how often.
_CLOSER, _AGAIN = 1.0 - 2.0**-6, 2

Pair = tuple[int, int]
Touched = int | tuple[Any, ...]
"""The feature that touched: a number of a gap; a height above an axis; those of several pairs of pieces; or 0 where a search found it."""
# Windows of time, against that in which bodies move by the size of the smaller one: of the first search, where no end is given; and in
# which bodies that touched are proved to part. What is beyond the end of a run is looked at for so much of its time.
_STRIDE, _FLAT_STRIDE, _SOON, _BEYOND = 64.0, 8.0, tuple(2.0**-k for k in (3, 6, 9, 14, 20, 28, 36)), 2.0**-20


@dataclass(frozen=True, eq=False)
class Hit:
    """Facts known of a pair: the time at which it touches next, with the `gap` that closes then, or with the `contact`, and `by` what it
    touches, the number of the gap, or a height above an axis, if that is known; or `why` nothing is known from then on; or that it does not
    touch until then, and for which `stride` it is asked about next.
    """

    time: Any
    gap: Gap | None = None
    by: Touched = 0
    contact: CertifiedContact | Closed | None = None
    why: Reason | None = None
    stride: float = 0.0


@dataclass(frozen=True, eq=False)
class Question:
    """The question when a pair with these flights touches next. `touched`: the feature that touched, if the flights began with a touch;
    `since`: the time up to which it is known not to touch, in doubles; `until`: the time to which the run goes.
    """

    pair: Pair
    flights: tuple[Flight, Flight]
    touched: Touched | None
    since: float | None
    stride: float
    until: float
    clock: Clock


class Asking:
    """The bodies of a run, and what they are called; `start`: where it begins."""

    def __init__(self, bodies: Sequence[CertifiedBody], called: Callable[[int], str], start: float) -> None:
        self.bodies, self.called, self.start = bodies, called, start

    def both(self, pair: Pair) -> str:
        return " and ".join(map(self.called, pair))

    def ask(self, q: Question) -> Hit | None:
        """None: never again. Raises ValueError for bodies that overlap at the start, and Undecided if the budget is spent."""
        start = max((f.start for f, k in zip(q.flights, q.pair, strict=True) if self.bodies[k].rigid.free), key=lambda s: s.mid())
        gaps = self._gaps(q, start)
        if gaps is None:
            return self._searched(q, start)
        first: Hit | None = None
        for n, g in enumerate(gaps):
            try:
                tau = first_hit(g, q.touched == n, None)
            except Unclear as stop:
                found = self._unclear(q.pair, start + stop.time)
            except ValueError:
                raise self._overlap(q.pair) from None
            else:
                if tau is None:
                    continue
                found = Hit(start + tau, g, n)
            first = found if first is None else self._sooner(first, found, q.pair)
        return first

    def _overlap(self, pair: Pair) -> ValueError:
        return ValueError(f"{self.both(pair)} overlap at the start")

    def _unclear(self, pair: Pair, time: Any) -> Hit:
        return self._undecided(pair, time, "touch or part, which is not decided, or stay in contact", "run without certified=True, which "
                               "follows contacts that last, or end the run before")

    def _undecided(self, pair: Pair, time: Any, obstacle: str, advice: str) -> Hit:
        return Hit(time, why=Reason.of(self.called, pair, below(time), obstacle, advice))

    def _several(self, pair: Pair, time: float) -> Hit:
        return self._undecided(pair, number(time), "come together, where it is not proved that they touch at one place alone, a corner on "
                               "a face or two edges that cross", "turn one of them a little, or run without certified=True, which takes "
                               "hits along edges and faces and contacts that last")

    def _sooner(self, one: Hit, other: Hit, pair: Pair) -> Hit:
        if one.time < other.time or other.time < one.time:
            return one if one.time < other.time else other
        return self._undecided(pair, one.time.union(other.time), "touch at several places at once, or it is not decided which one is first",
                               "move a start a little")

    # -- by polynomials -----------------------------------------------------------------------------------------------

    def _gaps(self, q: Question, start: Any) -> list[Gap] | None:
        """The gaps of a ball from what is simple; None for other bodies."""
        order = q.pair if self.bodies[q.pair[0]].rigid.free else q.pair[::-1]
        one, other = (self.bodies[k] for k in order)
        if one.ball is None or (other.ball if other.rigid.free else other.obstacles) is None:
            return None
        ball, obstacles = self._relative(q, start), other.obstacles
        if obstacles is None:
            return [gap(ball, one.ball, point(vector((0, 0, 0)), other.ball))]
        return [gap(ball, one.ball, o) for o in obstacles]

    def _relative(self, q: Question, start: Any) -> Parabola:
        """The flight of the centre of the first body that is free, as seen from that of the other one, if that is free."""
        one, other = (f.falling(start) for f in (q.flights if self.bodies[q.pair[0]].rigid.free else q.flights[::-1]))
        if not self.bodies[q.pair[1]].rigid.free or not self.bodies[q.pair[0]].rigid.free:
            return one
        return Parabola(start, one.centre - other.centre, one.velocity - other.velocity, one.acceleration - other.acceleration)

    # -- by searches --------------------------------------------------------------------------------------------------

    def _searched(self, q: Question, start: Any) -> Hit | None:
        """Search a window of time from the start on, or from where the last one ended."""
        near = self._near(q, start)
        if near is None:
            return None
        pace = self._pace(q.pair, q.flights, start)
        closing = self._closing(q, pace)
        begun = self._begun(q, start, pace, closing)
        if isinstance(begun, Hit):
            return begun
        begin, beyond = max(begun, near[0]), q.until + _BEYOND * (q.until - self.start) if q.until < math.inf else math.inf
        if closing is not None:
            found = self._by_planes(q, closing, begin, beyond, near[1])
            if not isinstance(found, float):
                return found
            begin = found
        return self._by_search(q, begin, (beyond, near[1]), pace, _AGAIN)

    def _by_search(self, q: Question, begin: float, ends: tuple[float, float], pace: float, again: int) -> Hit | None:
        """The hit by a search. Where a series tells more of the flights at once than later, what is undecided is searched again, beginning
        shortly before it.
        """
        first, second = (self.bodies[k].seen(f, begin) for k, f in zip(q.pair, q.flights, strict=True))
        (beyond, near), stride = ends, q.stride or _STRIDE * pace
        end = beyond if beyond < math.inf else begin + stride
        end = min(max(min(end, near), begin + _BEYOND * pace), first.until, second.until)
        if not begin < end < math.inf or not apart(first, second, begin, q.clock):
            return self._unclear(q.pair, number(begin))
        answer = first_meeting(first, second, (begin, end), self._size(q.pair), q.clock)
        if answer.contact is not None:
            clear = answer.contact.closing > 0
            return Hit(answer.contact.time, contact=answer.contact) if clear else self._unclear(q.pair, answer.contact.time)
        if answer.open:
            closer = begin + _CLOSER * (answer.clear - begin)
            if again and begin < closer and min(first.until, second.until) < math.inf:
                return self._by_search(q, closer, ends, pace, again - 1)
            return self._undecided(q.pair, number(answer.clear), "may touch, which is not proved to be at one place, where faces, edges "
                                   "and corners are smooth", "turn one of them a little, or run without certified=True")
        return Hit(number(end), stride=2.0 * stride) if end < near else None

    def _by_planes(self, q: Question, closing: ClosingCourses, begin: float, beyond: float, apart: float) -> Hit | float | None:
        """The hit by planes in a window of time; or the time up to which nothing is touched, where a search may tell more."""
        stride = q.stride or _FLAT_STRIDE * closing.pace
        end = max(min(begin + stride, beyond, apart), begin + _BEYOND * closing.pace)
        found = closing.first(begin, end)
        if isinstance(found, Closed):
            return Hit(found.time, by=found.by, contact=found)
        if not found < end:
            return Hit(number(end), stride=2.0 * stride) if end < apart else None
        # Bodies of which both are convex, but whose hulls are never apart, may be in each other, as in a room.
        whole = all(c.form.whole for c in closing.courses)
        pieces = None if whole and found > begin else self._pieces(q, closing.pace)
        if pieces is not None:
            begin, found = found, pieces.first(found, end)
            if isinstance(found, Closed):
                return Hit(found.time, by=found.by, contact=found)
            if not found < end:
                return Hit(number(end), stride=2.0 * stride) if end < apart else None
        return self._several(q.pair, found) if found > begin and (whole or pieces is not None) else found

    def _pieces(self, q: Question, pace: float) -> Pieces | None:
        """The pieces of bodies with flat faces that are not both convex, or of which the larger one is round the other."""
        own = [self.bodies[k] for k in q.pair]
        whole = [b.form is not None and b.form.whole for b in own]
        larger = int(own[1].size > own[0].size)
        forms = [[b.form] if b.form is not None and whole[k] and not (all(whole) and k == larger) else b.pieces for k, b in enumerate(own)]
        if not 1 < len(forms[0]) * len(forms[1]) <= MOST:
            return None
        courses = [[MovingForm(f, flight, not b.rigid.free) for f in fs] for b, fs, flight in zip(own, forms, q.flights, strict=True)]
        return Pieces([ClosingCourses((a, b), [], pace, q.clock) for a in courses[0] for b in courses[1]])

    def _closing(self, q: Question, pace: float) -> ClosingCourses | None:
        """The closing courses of bodies with flat faces, and balls."""
        own = [self.bodies[k] for k in q.pair]
        found = [MovingForm(b.form, f, not b.rigid.free) for b, f in zip(own, q.flights, strict=True) if b.form is not None]
        if len(found) < 2:
            return None
        balls = [MovingForm(form_of_ball(NONE, b.reach), f, False) for b, f in zip(own, q.flights, strict=True)]
        # Of what is fixed it is soon told where it is.
        coarse = [] if all(b.rigid.free for b in own) else [(balls[0], found[1]) if own[0].rigid.free else (found[0], balls[1])]
        return ClosingCourses((found[0], found[1]), coarse, pace, q.clock)

    def _near(self, q: Question, start: Any) -> tuple[float, float] | None:
        """Times before which and after which balls about the bodies are apart; None if they always are."""
        one, other = (self.bodies[k] for k in (q.pair if self.bodies[q.pair[0]].rigid.free else q.pair[::-1]))
        centre = vector((0, 0, 0)) if other.rigid.free else other.centre
        found = together(gap(self._relative(q, start), one.reach, point(centre, other.reach)))
        if found is None:
            return None
        begin, end = found
        return below(start + begin) if begin > 0 else -math.inf, math.inf if end is None else above(start + end)

    def _begun(self, q: Question, start: Any, pace: float, closing: ClosingCourses | None) -> float | Hit:
        """A double from which on the pair is to be searched, since it is proved not to touch up to then, except for a touch at the start.
        """
        if q.since is not None:
            return q.since
        if q.touched is not None:
            return self._parted(q, start, pace, closing)
        if start != number(self.start):
            return below(start)
        if closing is not None and closing.apart(self.start):
            return self.start
        seen = {k: self.bodies[k].seen(f, self.start).moving for k, f in zip(q.pair, q.flights, strict=True)}
        first, second = (seen[k] for k in ordered([b.actor for b in self.bodies], q.pair))
        state = state_at(first, second, self.start, q.clock)
        if state is Start.OVERLAPPING:
            raise self._overlap(q.pair)
        if q.clock.over and state is not Start.DISJOINT:
            raise Undecided
        return self.start if state is Start.DISJOINT else self._unclear(q.pair, number(self.start))

    def _parted(self, q: Question, start: Any, pace: float, closing: ClosingCourses | None) -> float | Hit:
        for part in _SOON:
            after = above(start) + part * pace
            if isinstance(q.touched, tuple):
                if self._apart_by(q, q.touched, pace, closing, start, after):
                    return after
                continue
            first, second = (self.bodies[k].seen(f, -after, backward=True) for k, f in zip(q.pair, q.flights, strict=True))
            if parted(first, second, start, after, self._size(q.pair), q.clock):
                return after
        return self._unclear(q.pair, start)

    def _apart_by(self, q: Question, by: tuple[Any, ...], pace: float, closing: ClosingCourses | None, start: Any, after: float) -> bool:
        if isinstance(by[0], MovingPlane):
            return closing is not None and closing.parted(by, start, after)
        pieces = self._pieces(q, pace)
        return pieces is not None and pieces.parted(by, start, after)

    def _size(self, pair: Pair) -> float:
        return min(self.bodies[k].size for k in pair if self.bodies[k].rigid.free)

    def _pace(self, pair: Pair, flights: tuple[Flight, Flight], start: Any) -> float:
        """About the time in which the bodies move by the size of the smaller one. Effort only."""
        own = [f.falling(start) for f in flights]
        speed, pull = (float(np.linalg.norm(nearest(a - b))) for a, b in (
            (own[0].velocity, own[1].velocity), (own[0].acceleration, own[1].acceleration)))
        speed += sum(self.bodies[k].size * float(np.linalg.norm(nearest(f.spin_at(f.start)))) for k, f in zip(pair, flights, strict=True))
        size = self._size(pair)
        return min([size / e for e in (speed, math.sqrt(size * pull)) if e > 0.0], default=1.0)

