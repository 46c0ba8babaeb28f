"""Where two bodies touch, or nearly do, by parts of both: each pair of a corner, an edge or a face of one with one of the other is tracked
from where points of them are near each other (Snyder 1993, Appendix A, and Equation 7).

What counts is a nearest place within the borders of both parts, where the way to the other body goes outward from all faces that meet
there. That this finds all of them is as good as the points of the parts are dense: it is not proved.
"""

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .contact import Course, Place
from .curved import OnSmooth
from .features import Features
from .jets import At, Lost, Part, Plane, Rim

# Against size: what is on a border, or one place; and normals that are out by no more.
_NEAR, _ASIDE = 1e-9, 1e-6
# Against size: bodies of which it is not told where they are inside are not deeper in each other when that is seen.
_DEEPEST = 0.25


class Near(NamedTuple):
    """A contact, whose first body is the other one of the two asked for if it is `turned`; and how far they are apart there."""

    contact: OnSmooth
    turned: bool
    gap: float


def between(one: Features, other: Features, a: Place, b: Place, size: float) -> list[Near]:
    """`size`: of the smaller body. Lost, where they touch along an edge that is curved."""
    found: list[Near] = []
    points: list[np.ndarray] = []
    for first, second, turned in _pairs(one, other):
        own, its = (b, a) if turned else (a, b)
        radius = (other if turned else one).radius
        starts = _starts(first, second, own, its, radius, one.convex and other.convex)
        if starts and isinstance(first, Rim) and _lies(first, second, own, its, size):
            raise Lost("an edge")
        for start in starts:
            near = _tracked(first, second, start, own, its, radius, size)
            if near is None:
                continue
            point = near.course(own, its)
            if point.gap < 0.0 and not _deep(near, point, (one, other)[turned], (other, one)[turned], own, its):
                continue
            if all(np.linalg.norm(point.point - p) > _NEAR * size for p in points):
                if near.lies(own, its) and abs(point.gap) <= _NEAR * size:
                    raise Lost("an edge")
                points.append(point.point)
                found.append(Near(near, turned, point.gap))
    return found


def _deep(near: OnSmooth, at: Course, first: Features, second: Features, own: Place, its: Place) -> bool:
    """May bodies be in each other as deep as this, and the second nowhere nearer to its surface? As far as that is known."""
    if near.radius:
        return at.gap > -near.radius
    place, slack = at.point + at.gap * at.normal, _NEAR * near.size
    inside = first.within[:, :3] @ ((at.point - own.centre) @ own.turn) - first.within[:, 3] <= slack
    deep = second.within[:, :3] @ ((place - its.centre) @ its.turn) - second.within[:, 3] <= (1.0 - _ASIDE) * at.gap + slack
    return bool(inside.all() and deep.all()) and (second.convex or at.gap > -_DEEPEST * near.size)


def alone(one: Features, other: Features) -> bool:
    """Do bodies touch at no more than one place, as convex ones of which one has a smooth surface do?"""
    return one.convex and other.convex and (one.strictly or other.strictly)


def followed(one: Features, other: Features) -> bool:
    """Is it told by their parts where they touch? Of bodies that are not convex, only as far as the other one is flat or a ball."""
    return one.followed and other.followed and all(f.convex or g.flat for f, g in ((one, other), (other, one)))


def _lies(edge: Rim, face: Part, own: Place, its: Place, size: float) -> bool:
    """Do several points of an edge touch a flat face, or one that is flat there?"""
    points = (edge.points @ own.turn.T + own.centre - its.centre) @ its.turn
    if edge.straight or face.dimension < 2:
        return False
    if isinstance(face, Plane):
        which = np.abs(points @ face.face.normal - face.face.level) <= _NEAR * size
        return bool(sum(face.beyond(face.place(p)) <= _NEAR * size for p in points[which]) > 1)
    starts = [face.start(int(np.argmin(np.linalg.norm(face.points - p, axis=1)))) for p in points]
    near = [(p, face.jet(at)) for p, at in zip(points, starts, strict=True)]
    return sum(bool(abs((p - e.point) @ e.normal) <= _NEAR * size and np.linalg.norm(p - e.point) <= face.spacing) for p, e in near) > 1


def _pairs(one: Features, other: Features) -> Iterator[tuple[Part, Part, bool]]:
    """Balls come first, faces second, flat ones last; what is neither meets faces, and edges other edges."""
    for f in one.parts:
        for g in other.parts:
            turned = (f.dimension, isinstance(f, Plane), -one.radius) > (g.dimension, isinstance(g, Plane), -other.radius)
            first, second, radius = (g, f, other.radius) if turned else (f, g, one.radius)
            crossing = first.dimension == 1 or radius > 0.0
            along = second.dimension == 2 and second.straight and first.dimension > 0 and first.straight
            if (second.dimension == 2 or crossing) and not along:
                yield first, second, turned


def _starts(first: Part, second: Part, own: Place, its: Place, radius: float, convex: bool) -> list[tuple[At, At]]:
    """Places from where parts may touch; none where they are seen to be apart. Faces of `convex` bodies do so at one place."""
    reach = (first.spacing + second.spacing) * (1.0 + _ASIDE) + radius
    middle, far = _ball(first)
    at = (middle @ own.turn.T + own.centre - its.centre) @ its.turn
    if not _nears(second, at, far + reach):
        return []
    points = (first.points @ own.turn.T + own.centre - its.centre) @ its.turn
    if isinstance(second, Plane):
        heights = points @ second.face.normal - second.face.level
        if second.two_sided and (own.centre - its.centre) @ (its.turn @ second.face.normal) < second.face.level:
            heights = -heights
        return [(first.start(k), second.place(points[k])) for k in _lows(first, heights, convex) if heights[k] <= reach]
    if len(points) == 1:
        away = np.linalg.norm(second.points - points[0], axis=1)
        return [(first.start(0), second.start(k)) for k in _lows(second, away, convex) if away[k] <= reach]
    off, nearest = _tree(second).query(points)
    return [(first.start(k), second.start(int(nearest[k]))) for k in _lows(first, off, convex) if off[k] <= reach]


@functools.lru_cache(maxsize=2048)
def _ball(part: Part) -> tuple[np.ndarray, float]:
    """Round the points of a part: its middle and radius."""
    middle = part.points.mean(axis=0)
    return middle, float(np.linalg.norm(part.points - middle, axis=1).max())


@functools.lru_cache(maxsize=512)
def _tree(part: Part) -> Any:
    from scipy.spatial import cKDTree

    return cKDTree(part.points)


def _nears(part: Part, point: np.ndarray, reach: float) -> bool:
    """Does a part come so near to a point?"""
    if isinstance(part, Plane):
        return bool(abs(point @ part.face.normal - part.face.level) <= reach)
    way = part.points - point
    return bool(np.einsum("ni,ni->n", way, way).min() <= reach * reach)


def _lows(part: Part, values: np.ndarray, convex: bool) -> list[int]:
    return [int(np.argmin(values))] if convex and part.dimension == 2 else part.lows(values)


def _tracked(first: Part, second: Part, start: tuple[At, At], own: Place, its: Place, radius: float, size: float) -> OnSmooth | None:
    """The contact that is found from a start, if it is one."""
    for side in _sides(first, second, start[1], own, its):
        contact = OnSmooth(first, second, start, radius, side, size)
        try:
            if not contact.found(own, its) or contact.outside(own, its) > _NEAR * size:
                return None
            course = contact.course(own, its)
        except (Lost, np.linalg.LinAlgError):
            return None
        before, after = contact.normals(own, its)
        if first.dimension == 2 and not len(before) and (its.centre - course.point) @ course.normal > course.gap:
            # An open surface on the other side of the second body.
            continue
        if (radius or _outward(-course.normal, before)) and _outward(course.normal, after):
            return contact
    return None


def _sides(first: Part, second: Part, at: At, own: Place, its: Place) -> tuple[float, ...]:
    """On which sides of a face, or of crossing edges, the first body may be."""
    if second.dimension < 2:
        return (1.0, -1.0) if first.dimension else (1.0,)
    jet = second.jet(at)
    if len(second.normals(at)):
        return (1.0,)
    return (1.0,) if (own.centre - its.centre - its.turn @ jet.point) @ (its.turn @ jet.normal) > 0.0 else (-1.0,)


def _outward(way: np.ndarray, normals: np.ndarray) -> bool:
    """Is a direction a sum of some of the outward normals, where they are known?"""
    from scipy.optimize import nnls

    return not len(normals) or bool(nnls(normals.T, way)[1] <= _ASIDE)
