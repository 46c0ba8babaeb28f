"""The time span of bodies that follow splines, gone through from knot to knot.

Between two knots the bodies are members of families, with the numbers of one piece. What may be just at a knot is searched with formulas
that hold on both sides of it, so that contact there is proved as in the middle of a piece. Stages overlap, and none is left out but those
in which it is *proved* that no bodies come near each other.
"""

import functools
import math
from collections.abc import Collection, Iterator, Sequence

from ..bodies.cells import Cell
from ..culling.broad_phase import Window
from ..moment.pairs import Pair
from .course import Course
from .evidence import Doubts, Evidence, SceneQuery
from .scene import Scene
from .stages import at_kink, searches, to_the_end

Near = tuple[Pair, Cell, Cell]


def searched(query: SceneQuery) -> Iterator[Evidence]:
    """The evidence of all of the time span, ever more of it, however the bodies move."""
    course = query.scene.course
    if course is not None:
        return along(query._replace(features=True), course)
    return to_the_end(query, searches(query))


def along(query: SceneQuery, course: Course) -> Iterator[Evidence]:
    """The evidence, ever more of it: after every stage, and after that for what was hit."""
    way, last = _Way(query, course), float(course.ends[-1])
    for k, near in _near(query.scene.first, course):
        yield from way.stage(k, near)
        if way.decided:
            return
    yield way.doubts.at_end(way.doubts.told(Evidence(None, True, last)))


def _near(scene: Scene, course: Course) -> Iterator[tuple[int, list[Near]]]:
    """The stages in which parts of bodies come near each other, each with these parts. Where faces tell when bodies meet, they alone count.
    """
    parts = [scene.lasting(k) for k in range(len(scene.bodies))]
    by_faces = functools.cache(scene.by_faces)

    def wanted(i: int, p: int, j: int, q: int) -> bool:
        return (parts[i][p].is_face and parts[j][q].is_face) or not by_faces((i, j))

    found = course.near([scene.lasting_extents(k) for k in range(len(parts))], scene.asked, wanted)
    return ((k, [((i, j), parts[i][p], parts[j][q]) for i, p, j, q in near]) for k, near in found)


def near_after(scene: Scene, course: Course, time: float) -> list[tuple[Pair, Window]]:
    """The pairs of bodies that come near each other in stages that end after a time, with these stages."""
    ends = course.ends.tolist()
    return [(label, (ends[k], ends[k + 1])) for k, near in _near(scene, course) if ends[k + 1] > time for label in {m[0] for m in near}]


class _Way:
    """The time `begin` up to which the stages are searched, and the doubts that stay."""

    def __init__(self, query: SceneQuery, course: Course) -> None:
        self._query, self._course = query, course
        self.begin, self.doubts, self.decided = query.scene.span[0], Doubts(), False
        # What stands in one piece is not looked at in others: it would not be told from what it was.
        self._left: set[Pair] = set()

    def stage(self, k: int, near: Sequence[Near]) -> Iterator[Evidence]:
        """Stage k, in which these parts come near each other, and what may be at the knots at its ends."""
        end, first = float(self._course.ends[k + 1]), True
        near = [m for m in near if m[0] not in self._left]
        if k:
            self.begin = max(self.begin, float(self._course.ends[k]))
        while self.begin < end and near and not self.decided:
            found = Evidence(None, False, self.begin)
            if not self._over():
                for found in self._piece(k, near):
                    yield self.doubts.told(found)
            clear = found.clear_until(end)
            self.decided = not found.finished or found.proved < math.inf
            if not self.decided and not (clear >= end and not found.located):
                found = self._doubtful(k, {m[0] for m in near}, found, clear, first)
                yield self.doubts.told(found)
                self.decided = found.proved < math.inf or not found.finished
            elif not self.decided:
                self.begin = end
            first = False

    def _over(self) -> bool:
        clock = self._query.clock
        return clock.interrupted or (clock.over and self.begin > self._query.scene.begin)

    def _piece(self, k: int, near: Sequence[Near]) -> Iterator[Evidence]:
        """A search of the rest of a stage."""
        query, (begin, end) = self._query, self._course.ends[k:k + 2].tolist()
        if self.begin > query.scene.span[0]:
            _, numbers, holds, _ = self._course.piece(k)
            query = query._replace(scene=query.scene.first.stage(numbers, holds, (max(begin, self.begin), end), near))
        if k + 2 < len(self._course.ends):
            return searches(query, goes_on=True)
        return to_the_end(query, searches(query))

    def _doubtful(self, k: int, labels: Collection[Pair], found: Evidence, clear: float, first: bool) -> Evidence:
        """The evidence of what a stage left open: near a knot, after a search across that."""
        (begin, end), reach = self._course.ends[k:k + 2].tolist(), self._query.options.simultaneity
        if first and k > 0 and clear - begin <= reach:
            return self._across(k, labels, (begin, clear))
        if end - clear <= 2.0 * reach and k + 2 < len(self._course.ends):
            return self._across(k + 1, labels, (clear, end))
        if found.search is not None:
            self._left |= {found.search.problems[p].label for p in found.search.left}
        self.begin = end
        return self.doubts.passed(found, end)

    def _across(self, k: int, labels: Collection[Pair], stage: tuple[float, float]) -> Evidence:
        """The evidence of what may be at knot k, in a short stage that begins or ends there."""
        ends, scene = self._course.ends, self._query.scene
        held = self._course.across(float(ends[k]))
        around = max(held.window[0], scene.span[0]), min(held.window[1], float(ends[-1]))
        found, self.begin = at_kink(self._query.held(held, around, labels), stage)
        return self.doubts.passed(found, self.begin)
