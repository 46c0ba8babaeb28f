"""Bodies of flat faces that are not convex, or round others, as convex pieces of planes: each is apart from those of another, or touches
them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..arithmetic.enclosures import below
from .conservative_advancement import Closed, ClosingCourses
from .polyhedron import Point, Polyhedron
from .separating_axes import AxisKind

# Bodies of more pairs of pieces are searched.
MOST = 64

Parts = tuple[tuple[int, Any], ...]
"""Pairs of pieces, by their numbers, with the heights that are zero in a touch."""


def pieces(shape: Polyhedron) -> list[Polyhedron]:
    """All of the surface of a shape, from both sides: its faces, if it is that of a hull, else its patches; none if some are not flat and
    convex.
    """
    rings = [tuple(shape.corners[k] for k in ring) for ring in shape.faces] if shape.whole else shape.patches or ()
    return [_sheet(ring) for ring in rings]


def _sheet(ring: Sequence[Point]) -> Polyhedron:
    count = len(ring)
    around = tuple(range(count))
    return Polyhedron(tuple(ring), tuple((k, (k + 1) % count) for k in around), (around, around[::-1]), True, None)


class Pieces:
    """All pairs of the pieces of two bodies."""

    def __init__(self, parts: Sequence[ClosingCourses]) -> None:
        self.parts = parts

    def first(self, begin: float, end: float) -> Closed | float:
        """The first touch, as that of `ClosingCourses`: a touch comes first if no other pair may touch as soon, except at the same corner
        and face, or the same edges, which belong to several pieces.
        """
        found = [part.first(begin, end) for part in self.parts]
        touches = {k: f for k, f in enumerate(found) if isinstance(f, Closed)}
        until = min((f for f in found if isinstance(f, float)), default=end)
        if not touches:
            return until
        first = min(touches, key=lambda k: float(touches[k].time.mid()))
        key = _key(self.parts[first], touches[first])
        same = {k for k, f in touches.items() if _key(self.parts[k], f) == key}
        alone = all(k in same or touches[first].time < f.time for k, f in touches.items())
        if not alone or not touches[first].time < until:
            return min(until, *(below(f.time) for f in touches.values()))
        return replace(touches[first], by=tuple((k, touches[k].by) for k in sorted(same)))

    def parted(self, by: Parts, start: Any, after: float) -> bool:
        """Whether they are proved apart after a touch, as that of `ClosingCourses`."""
        own = dict(by)
        return all(part.parted(own[k], start, after) if k in own else not _number(part.first(below(start), after)) < after
                   for k, part in enumerate(self.parts))


def _number(found: Closed | float) -> float:
    return found if isinstance(found, float) else below(found.time)


def _key(part: ClosingCourses, touch: Closed) -> tuple[Any, ...]:
    """The features that touch, by exact coordinates: two touches with the same are one."""
    axis, number = touch.by
    forms = [c.form for c in part.courses]
    host, guest = forms[axis.side], forms[1 - axis.side]
    if axis.kind is AxisKind.FACE:
        return axis.kind, axis.side, frozenset(host.names[k] for k in host.rings[axis.one]), guest.names[number:number + 1]
    if axis.kind is AxisKind.CORNER:
        return axis.kind, axis.side, host.names[axis.one]
    if axis.kind is AxisKind.EDGE:
        return axis.kind, axis.side, frozenset(host.names[k] for k in host.edges[axis.one])
    return axis.kind, *(frozenset(f.names[k] for k in f.edges[n]) for f, n in zip(forms, (axis.one, axis.other), strict=True))
