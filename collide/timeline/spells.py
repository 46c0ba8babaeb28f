"""The whole time span of a pair of bodies: when their surfaces are *proved* apart, and when *proved* to meet.

Of a gap in what is known a moment is looked at. Where the surfaces are apart then, they are so until the first contact after it, and since
the last one before it, which is the first one in time that runs backwards. Where they cross then, a common point is followed both ways. So
each look takes a whole spell of contact or of separation, up to its ends, and what is left are gaps where these meet.
"""

import itertools
import math
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from generative.backwards import backwards
from generative.rest import at_rest, carrier

from ..bodies.cells import Cell
from ..bodies.extent import extent_of
from ..bodies.numbers import Numbers
from ..bodies.thickened import MANY, Shift, gap_of
from ..culling.broad_phase import Window
from ..moment.pairs import Starts
from ..moment.start import Met, Start, common_points, surfaces_at
from ..moment.throughout import follow
from ..search.clock import Clock
from ..search.options import Options
from ..search.problem import Problem
from ..search.search import Search
from .along import searched
from .course import course_of
from .evidence import Evidence, SceneQuery
from .near_triangles import faces_at
from .scene import Scene

# All of these decide only effort: where in a gap it is looked, not at its middle, where symmetric motions have their contacts; how often in
# vain, and what of a gap a look must take not to be in vain; windows in which a common point is followed, against the tolerance; how many
# points are tried, at the end of one that was followed or to bridge a gap, and what one may leave of its way that gets far.
_SHARE, _TRIES, _WORTH, _LEAST, _POINTS, _FAR = 0.4714, 4, 0.0625, 0.125, 16, 0.75
# A look at thickened bodies takes so many boxes at most. Effort only.
_BOXES = 1 << 20

Point = tuple[Problem, np.ndarray]
"""A point that surfaces have in common: a problem, and about the values of its variables."""


class Spells:
    """The spells of contact of a pair over a span of time, as far as they are known.

    `windows`: (begin, end, meet), disjoint but for their ends: at every moment of [begin, end] the surfaces are proved to meet, or, but for
    the ends, proved not to. `met`: (begin, end), windows in which they are proved to meet at some moment.
    """

    def __init__(self, bodies: Sequence[Any], span: Window, near: Window, options: Options) -> None:
        """`near`: outside of it the bodies are proved apart. `options.simultaneity`: gaps as narrow are left."""
        self._span, self._options, self._ways = span, options, {way: _Way(bodies, span, way) for way in (1, -1)}
        self._still, self._thick = at_rest(*map(carrier, bodies)), any(gap_of(body) > 0.0 for body in bodies)
        self.windows = [(lo, hi, False) for lo, hi in ((span[0], near[0]), (near[1], span[1])) if lo < hi]
        self.met: list[Window] = []
        self._gaps, self._bridged = deque([(*near, 0)]), False

    @property
    def done(self) -> bool:
        return self._bridged

    def told(self, windows: list[tuple[float, float, bool]], met: list[Window]) -> None:
        """All is known of these bodies, and there is nothing to look at."""
        self.windows, self.met, self._bridged = windows, met, True
        self._gaps.clear()

    def look(self, clock: Clock) -> None:
        """Looks at a moment of the next gap; in the end at the gaps between spells of contact."""
        if not self._gaps:
            self._bridge(clock)
            return
        if self._thick:
            with clock.at_most(_BOXES, solutions=MANY):
                self._look(clock)
        else:
            self._look(clock)

    def _look(self, clock: Clock) -> None:
        begin, end, tries = self._gaps[0]
        moment = begin + _SHARE * (end - begin)
        met = self._ways[1].met_at(moment, 1, self._options.tolerance, clock)
        known: Window | None = None
        if met.state in (Start.DISJOINT, Start.OVERLAPPING):
            meet = met.state is Start.OVERLAPPING
            if self._still:
                known = begin, end
            elif meet:
                known = self._meet_until(moment, begin, met.search, clock), self._meet_until(moment, end, met.search, clock)
            else:
                known = self._apart_until(moment, begin, clock), self._apart_until(moment, end, clock)
            self.windows.append((*known, meet))
        self._gaps.popleft()
        lo, hi = known or (moment, moment)
        tries = 0 if hi - lo >= _WORTH * (end - begin) else tries + 1
        gaps = ((begin, lo, tries), (hi, end, tries)) if tries <= _TRIES and not (self._still and known is None) else ()
        self._gaps.extend(gap for gap in gaps if gap[1] - gap[0] > self._options.simultaneity)

    def _bridge(self, clock: Clock) -> None:
        """Bridge gaps between spells of contact: where it ended as far as one common point told, and soon goes on, another point may be
        common throughout.
        """
        pair, tolerance, meets = self._ways[1], self._options.tolerance, sorted(w for w in self.windows if w[2])
        for (_, begin, _), (end, *_) in itertools.pairwise(meets):
            held = pair.held(begin, 1)
            if begin < end <= held[1] and not any(lo < end and begin < hi for lo, hi, meet in self.windows if not meet):
                points = pair.common_points(begin, 1, tolerance, clock)
                if any(follow(problem, at, end, _LEAST * (end - begin), clock)[0] == end for problem, at in points[:_POINTS]):
                    self.windows.append((begin, end, True))
        self._bridged = True

    def _apart_until(self, moment: float, end: float, clock: Clock) -> float:
        """The time until which surfaces that are apart at a moment are apart, up to `end`, which may come before. It is looked to the next
        double, so that they are known to be apart at the end, too; at the end of the whole span that is known of a search that ends there.
        """
        way = 1 if end > moment else -1
        last = end * way if end in self._span else float(np.nextafter(end * way, math.inf))
        found = self._ways[way].first_contact(moment * way, last, self._options, clock)
        clear = min(max(found.clear_until(last), moment * way), last)
        if found.finished and clear == last and not found.located and not found.proved < math.inf:
            return way * float(np.nextafter(last, math.inf)) if end in self._span else way * last
        if found.proved < math.inf:
            lo, hi = sorted((way * clear, way * found.proved))
            self.met.append((lo, hi))
        return way * clear + 0.0

    def _meet_until(self, moment: float, end: float, search: Search | None, clock: Clock) -> float:
        """The time until which surfaces are proved to meet that cross at a moment, where a search says. A common point that is lost is
        found anew.
        """
        pair, way, time, fresh = self._ways[1], 1 if end > moment else -1, moment, True
        points = _proved(search)
        while points:
            held = pair.held(time, way)
            stop = min(max(end, held[0]), held[1])
            left, lost = self._followed(points, stop, clock)
            if left == end or clock.exceeded() or not (fresh or left != time) or not (lost or left == stop):
                return left
            fresh, time = left != time, left
            points = pair.common_points(time, way, self._options.tolerance, clock)
            if not points:
                met = pair.met_at(time, way, self._options.tolerance, clock)
                points = _proved(met.search if met.state is Start.OVERLAPPING else None)
        return time

    def _followed(self, points: Sequence[Point], stop: float, clock: Clock) -> tuple[float, bool]:
        """The time up to which points are followed towards `stop`: the first one that gets far, or the one of all that gets farthest."""
        tried = list[tuple[float, bool]]()
        for problem, at in points[:_POINTS]:
            tried.append(follow(problem, at, stop, _LEAST * self._options.simultaneity, clock))
            if abs(stop - tried[-1][0]) <= _FAR * abs(stop - at[-1]):
                break
        return min(tried, key=lambda found: abs(stop - found[0]))


def _proved(search: Search | None) -> list[Point]:
    """The point that a search proves to be common."""
    if search is None:
        return []
    problem = search.problems[search.best_problem]
    return [(problem, search.arrays["best"][:len(problem.variables)].mean(axis=1))]


class _Way:
    """A pair of bodies in time, or (`way` -1) in time that runs backwards. Of `met_at` and `held` the formulas are those that hold just
    after a time (1), or just before it (-1).
    """

    def __init__(self, bodies: Sequence[Any], span: Window, way: int) -> None:
        self._given, self._span, self._way = tuple(bodies), span, way
        self._made: Scene | None = None

    @property
    def _scene(self) -> Scene:
        """The bodies as members of families, over the whole span."""
        if self._made is None:
            bodies = self._given if self._way > 0 else tuple(map(backwards, self._given))
            self._given, span = bodies, self._span if self._way > 0 else (0.0 - self._span[1], 0.0 - self._span[0])
            self._made = Scene(bodies, _exact(span), span, (), course=course_of(bodies, span, Shift.CUBE),
                               shift=Shift.CUBE)
        return self._made

    def first_contact(self, begin: float, end: float, options: Options, clock: Clock) -> Evidence:
        """The evidence from a time on at which the surfaces are apart, in times of this way."""
        scene, found = self._within((begin, end)), Evidence(None, False, begin)
        scene.states = Starts(2, Start.DISJOINT)
        for more in searched(SceneQuery(scene, options, clock, features=False)):
            found = more
        return found

    def _within(self, span: Window) -> Scene:
        if self._scene.course is not None:
            return Scene(self._given, _exact(span), span, (), course=course_of(self._given, span, Shift.CUBE))
        scene = self._scene.within(span)
        # Solids are converted for a span: for the whole one, once.
        scene.time = self._scene.time
        return scene

    def held(self, time: float, side: int) -> Window:
        """The window in which these formulas hold."""
        return self._piece(time, side)[2]

    def met_at(self, time: float, side: int, tolerance: float, clock: Clock) -> Met:
        """Whether the surfaces meet at a time, with the search that tells."""
        (first, second), (a, b), _ = self._piece(time, side)
        return surfaces_at(first, second, time, tolerance, clock, self._faces_at(time, side), (a, b), patient=False)

    def common_points(self, time: float, side: int, tolerance: float, clock: Clock) -> list[Point]:
        """Some points that the surfaces have in common at a time."""
        (first, second), (a, b), _ = self._piece(time, side)
        return common_points(first, second, time, tolerance, clock, (a, b), self._faces_at(time, side))

    def _faces_at(self, time: float, side: int) -> list[tuple[Cell, Cell]] | None:
        """The pairs of faces that may meet at a time, where one of the bodies is a mesh; else None, which is all."""
        if self._scene.course is None:
            return self._scene.faces_at((0, 1), time)
        bodies, numbers, _ = self._piece(time, side)
        return faces_at(bodies, lambda k, part: extent_of(part, numbers[k]), time)

    def _piece(self, time: float, side: int) -> tuple[tuple[Any, ...], tuple[Numbers, ...], Window]:
        course = self._scene.course
        if course is None:
            return self._scene.bodies, self._scene.numbers, (-math.inf, math.inf)
        k = int(np.searchsorted(course.ends, time, "right" if side > 0 else "left")) - 1
        return course.piece(min(max(k, 0), len(course.ends) - 2))[:3]


def _exact(span: Window) -> tuple[Any, Any]:
    return sp.Rational(span[0]), sp.Rational(span[1])
