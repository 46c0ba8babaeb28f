"""The time span, gone through in stages until one holds a contact.

In each stage the pairs of parts are searched that may meet then. Stages end where formulas of motions change: across such a moment lies a
short one, of which only positions count (`at_jump`), or which formulas cross that hold on both sides and are *proved* continuous, so that
one search sees what leads into contact and what goes on from there; their derivatives by time enclose those of both sides (Clarke's).
Rounding cannot tell whether a contact just at such a moment, or at the end of the span, comes before it or after it.
"""

import collections
import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from generative.changes import joined_bodies

from ..culling.broad_phase import Window
from .at_jump import at_jump
from .common_points import met_by
from .crossings import TOUCH, bounded, crossed_by, past_touch, reach_of, touches
from .evidence import Doubts, Evidence, SceneQuery, about
from .examine import first_meeting, hit, simultaneous_until
from .jumps import free_of_jumps, jumps_of
from .kinks import stage_ends
from .pace import Pace
from .situated import Meeting
from .stalls import Looks

# At least so many pairs of parts come into play at a time, or this part of those before. Effort only (measured:
# tests/benchmarks/constants.py, 1 and 16 are alike within 2 %).
_BATCH, _GROWTH = 4, 2
# So many pairs of triangles of a mesh are found at first, twice as many each time after that.
_AHEAD = 16
# Boxes in which more places of a touch are located, of which one may have simple numbers.
_PLACES = 1 << 14
# Of what is located at a kink, the difference of times that counts as none, against the time span; and of parameters, see `tolerance`:
# some thousand roundings. It orders searches, and proves nothing.
_CLOSE = 1e-12


def searches(query: SceneQuery, changes: bool = True, goes_on: bool = False) -> Iterator[Evidence]:
    """The evidence, ever more of it: after every stage of the search for the time, and after that for what was hit. `goes_on`: other
    formulas hold after the span, which is left just before its end if something may be there.
    """
    found = Evidence(None, False, query.scene.span[0])
    for found in Stages(query, changes, goes_on).times():
        yield found
    while query.features and found.search is not None and found.features:
        found = hit(query, found)._replace(touched=found.touched)
        yield found


def to_the_end(query: SceneQuery, evidence: Iterator[Evidence]) -> Iterator[Evidence]:
    """The evidence, ever more of it. Of a contact located just at the end of the span, which rounding cannot tell from one after it, it is
    asked whether it is proved by how the motions go on.
    """
    tried = False
    for found in evidence:
        yield found
        if not tried and found.seen >= query.scene.span[1] and found.located and not found.proved < math.inf:
            tried = True
            sure = beyond(query, found)
            if sure is not None:
                yield sure
                return


class Stages:
    """Stage after stage of the time span, in each the pairs that may meet then. `changes`: they end where formulas change; else there is
    but one, for a short time.

    A long stage in which bodies turn far is searched in shorter ones: boxes are divided in space for all of the time that they hold, so
    beginning anew, where the search got to, makes few of many.
    """

    def __init__(self, query: SceneQuery, changes: bool, goes_on: bool = False) -> None:
        scene, self.query, self.simultaneity = query.scene, query, query.options.simultaneity
        self.begin, self.last = scene.span
        self.end, self.boxes = self.begin, 0
        self.reach = reach_of(scene.span, self.simultaneity) if changes else 0.0
        self.jumps = jumps_of(scene.bodies, scene.span, scene.numbers) if changes else []
        self.kinks = set(stage_ends(scene.bodies, scene.span) if changes else ())
        self.divided = self.kinks | {end for jump in self.jumps for end in jump if self.begin < end < self.last}
        self.left_at = {*self.kinks, self.last} if goes_on else self.kinks
        # Up to this time all meetings are known.
        self.known, self.ahead = self.begin if changes else self.last, _AHEAD
        self.ends = self._known_ends() if changes else [self.last]
        self.pace, self.doubts = Pace(), Doubts()
        # A time by which contact is proved; was something located in the stage before; and the end of the last touch that was passed.
        self.proved, self.held, self.passed = math.inf, False, math.nan

    def times(self) -> Iterator[Evidence]:
        """The evidence after each stage, up to the one that holds a contact."""
        while self.ends and not self._over():
            self.end, self.boxes = min(self.ends[0], self.begin + self.pace.length), self.query.clock.boxes
            found = self._examined()
            if found.slow:
                yield self.doubts.told(found)
                self._shorten(found)
                continue
            if self.end == self.last and found.open:
                found = self._passed(found)
            if not found.finished or found.proved < math.inf:
                yield self.doubts.told(found._replace(finished=found.finished and not found.features))
                return
            yield from self._went_on(found)
            if not self.ends:
                self.ends = self._known_ends()

    def _known_ends(self) -> list[float]:
        """The ends of the next stages: of those in which all meetings are known, after looking on ahead."""
        before = self.known
        if before >= self.last:
            return []
        while self.known <= before:
            self.known, self.ahead = self.query.scene.look_ahead(self.ahead), 2 * self.ahead
        span = self.query.scene.span[0], self.known
        inner = {*_ends(self.query.scene.of_parts(self.known), span), *self.divided}
        return sorted(end for end in inner if before < end <= self.known)

    def _over(self) -> bool:
        clock = self.query.clock
        return clock.interrupted or (clock.over and self.begin > self.query.scene.span[0])

    def _went_on(self, found: Evidence) -> Iterator[Evidence]:
        """The next stage begins where this one proves nothing."""
        self.ends = [e for e in self.ends if e > self.end]
        self.held = found.located or found.seen < self.end
        if found.located:
            # Nothing is proved yet: a contact at the very end of the stage could not be.
            assert found.search is not None
            self.begin = max(self.begin, found.search.clear_until(found.search.solutions, self.end))
            return
        self.begin = found.seen
        clear = self.doubts.told(Evidence(None, self.end == self.last, self.begin))
        yield self.doubts.at_end(clear) if self.end == self.last else clear

    def _shorten(self, found: Evidence) -> None:
        """After a search that was left as it took so many boxes: from where it came to the stages are shorter."""
        self.pace.slow(self.begin, found.seen, self.query.clock.boxes - self.boxes)
        self.begin, self.proved = found.seen, min(self.proved, found.proved)

    def _passed(self, found: Evidence) -> Evidence:
        return self.doubts.passed(found, self.end)

    def _examined(self) -> Evidence:
        """The evidence of the present stage. Of one that must be passed `end` becomes the time from which on more is to be searched."""
        query, stage = self.query, (self.begin, self.end)
        kink = self.end in self.kinks and self.end - self.begin <= self.simultaneity
        if not (kink and self.held) and query.scene.is_clear(stage, query.options.tolerance, query.clock):
            return Evidence(None, True, self.end)
        if any(lo <= self.begin and self.end <= hi for lo, hi in self.jumps):
            return self._passed(at_jump(query, stage))
        if kink:
            found, self.end = at_kink(query, stage)
            return self._passed(found)
        return self._smooth()

    def _smooth(self) -> Evidence:
        """The evidence found in a stage in which formulas stay the same."""
        query, begin, end = self.query, self.begin, self.end
        looks = Looks(0.5 * self.simultaneity if end in self.left_at else 0.0, self.pace.hasty, self.reach, begin == self.passed,
                      functools.partial(crossed_by, query))
        known = self.proved if self.proved <= end else math.inf
        found = first_meeting(query, (begin, end), known, looks, self.pace.length < math.inf)
        if found.slow:
            return found
        later = simultaneous_until(query, found.proved)
        if found.search is not None and found.finished and end not in self.divided and end < later < self.last:
            # What is simultaneous may lie just beyond the stage (not looked for across a change of motion).
            found = first_meeting(query, (begin, later))
        self.pace.passed(begin, end, query.clock.boxes - self.boxes)
        if self.reach > 0.0 and begin != self.passed and touches(found, end - 2.0 * self.reach):
            found, self.end = past_touch(query, found, end, self.reach)
            self.passed = self.end
            return self._passed(self._touched(found))
        return found

    def _touched(self, found: Evidence) -> Evidence:
        """The evidence of a touch whose search was left, after a look at more places of it; if it is proved, of all that touches then."""
        query, proved = self.query, found.proved
        if not found.touched:
            with query.clock.at_most(_PLACES):
                more = first_meeting(query, (self.begin, self.end))
            proved = math.inf if more.search is None else met_by(query, more.search)
        if not proved < math.inf:
            return found
        more = first_meeting(query, (self.begin, simultaneous_until(query, proved)), proved)
        return more._replace(touched=True) if more.proved < math.inf else found


def _ends(meetings: Sequence[Meeting], span: Window) -> Iterator[float]:
    """The ends of the stages: where the next pairs come into play, a few at a time."""
    count, previous = 0, span[0]
    while count < len(meetings):
        count += max(_BATCH, count // _GROWTH)
        end = meetings[count].window[0] if count < len(meetings) else span[1]
        if previous < end < span[1]:
            previous = end
            yield end
    yield span[1]


# -- contacts just where formulas end or change -------------------------------------------------------------------


def beyond(query: SceneQuery, found: Evidence) -> Evidence | None:
    """A search from where all is clear to `simultaneity` after the span, if that decides what is located at the end of it; the formulas
    must not change there.
    """
    scene, (begin, end), reach = query.scene, query.scene.span, query.options.simultaneity
    clear = found.clear_until(end)
    # A little before all is clear, lest a proof find its border there.
    span = max(begin, clear - reach), end + reach
    if end - clear > reach or not begin < clear or not span[0] < end < span[1] or query.clock.exceeded():
        return None
    if span[1] > scene.holds[1]:
        assert scene.course is not None
        held = scene.course.across(scene.holds[1])
        if not held.window[0] <= span[0] < span[1] <= held.window[1]:
            return None
        query = query.held(held, span, {m.label for m in found.meetings})
        scene = query.scene
    if stage_ends(scene.bodies, _around(span)) or not free_of_jumps(scene.bodies, scene.numbers, _around(span)):
        return None
    later = _short(query.within(span)) or found
    if later.finished and later.proved < math.inf:
        assert later.search is not None
        first = later.search.clear_until(later.search.solutions, span[1])
        return later if first <= end else Evidence(None, True, end)
    return None


def at_kink(query: SceneQuery, stage: Window) -> tuple[Evidence, float]:
    """The evidence found in a short stage that ends beside a change of motion, and the time up to which it tells all.

    Where no contact is proved, places located there stay an open question: the search can but go on after them.
    """
    (begin, last), reach = query.scene.span, query.options.simultaneity
    found, end, close = _joined(query, stage, reach), min(last, stage[1] + reach), _CLOSE * (last - begin)
    if found is not None and found.clear_until(end) < stage[1] - close and not found.proved < math.inf:
        # What is located stands for all that is simultaneous with it: the time is better known where that is less.
        finer = query._replace(options=replace(query.options, simultaneity=close, tolerance=_CLOSE))
        found = _joined(finer, stage, reach) or found
    if found is None:
        found, end = _by_itself(query, stage), stage[1]
    if found.search is None or found.proved < math.inf:
        return found, end
    found = found._replace(seen=found.clear_until(end))
    if found.located:
        found = bounded(query, found, min(last, stage[1] + 0.5 * reach),
                        f"Just as a motion changes its formula, at {about(stage[1])}, {TOUCH}")
    return found, end


def _by_itself(query: SceneQuery, stage: Window) -> Evidence:
    """The evidence found in a short stage by itself: where motions are not known to be continuous, they may jump."""
    if not (query.scene.across or joined_bodies(query.scene.bodies, _around(stage))):
        return at_jump(query, stage)
    return _short(query.within(stage)) or Evidence(None, False, stage[0])


def _joined(query: SceneQuery, stage: Window, reach: float) -> Evidence | None:
    """A search from `reach` before the stage to as much after it; None where motions are not known to be continuous then, and to
    change once.
    """
    scene = query.scene
    span = max(scene.span[0], stage[0] - reach), min(scene.span[1], stage[1] + reach)
    if not span[0] < stage[0] or not stage[1] < span[1] or query.clock.exceeded():
        return None
    bodies = scene.bodies if scene.across else joined_bodies(scene.bodies, _around(span))
    if not bodies or not free_of_jumps(bodies, scene.numbers, _around(span)):
        return None
    found = _short(query.within(span, bodies))
    return found if found is not None and found.finished else None


def _around(span: Window) -> Window:
    return float(np.nextafter(span[0], -math.inf)), float(np.nextafter(span[1], math.inf))


def _short(query: SceneQuery) -> Evidence | None:
    """The evidence of a short span in the end, also of what is hit."""
    found = searches(query._replace(features=True), changes=False)
    return (collections.deque(found, maxlen=1) or [None])[0]
