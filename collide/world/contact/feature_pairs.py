"""Nearest places of pairs of features of two bodies that touch, or nearly do (Snyder 1993, Appendix A, and Equation 7).

Each pair of a corner, an edge or a face of one with one of the other is tracked from where points of them are near each other.

What counts is a nearest place within the borders of both parts, where the way to the other body goes outward from all faces that meet
there. That this finds all of them is as good as the points of the parts are dense: it is not proved.
"""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from codegen.deadline import check

from ..features.contact_circles import facing, rings
from ..features.curved import LevelSet
from ..features.features import Features
from ..features.local_geometry import Lost, Part, least
from ..features.normal_cone import outward
from ..features.straight import CurvedEdge, FlatPlane
from ..motion.state import BodyState
from .closed_forms import ContactState, OnEdge, OnFace
from .coplanar_curves import Flats, Flush, bordered, flush
from .culling import ball_of, near_each_other, nears
from .tracked_pair import OnSmooth

# Against size: what is on a border, or one place; and normals that are out by no more.
_NEAR, _ASIDE = 1e-9, 1e-6
# So many least distances are looked at; and so many neighbours among the points of an edge touch where that is hardly bent, seen along a
# face.
_MANY, _SEVERAL = 16, 3
# Against size: bodies of which it is not told where they are inside are not deeper in each other when that is seen.
_DEEPEST = 0.25
# From a ring, steps to the place near it with the normal of a plane.
_TURNED = 3
_NO_PLANES = np.empty((0, 4))


class NearContact(NamedTuple):
    """A contact, whose first body is the other one of the two asked for if it is `turned`; and how far they are apart there. `flats`: of
    its two bodies, where curved edges lie in its plane.
    """

    contact: OnSmooth | OnFace | OnEdge
    turned: bool
    gap: float
    flats: Flats = (None, None)


def between(one: Features, other: Features, a: BodyState, b: BodyState, size: float, known: Flats = (None, None)) -> list[NearContact]:
    """`size`: of the smaller body. Where edges that are curved lie in the plane of a face, contacts are samples of them; Lost, where they
    touch otherwise along one. `known`: the flat faces of both as they were sampled.
    """
    planes = flush(one, other, a, b, size, known)
    found = [NearContact(c.contact, c.turned, c.gap, f.flats[::-1] if c.turned else f.flats) for f in planes for c in f.contacts]
    points: list[np.ndarray] = []
    for _, contact, turned, point in _all(one, other, a.lane(), b.lane(), size, (math.inf, math.inf), [planes], np.ones(1, bool)):
        if all(np.linalg.norm(point.point - p) > _NEAR * size for p in points):
            if contact.lies(*((b, a) if turned else (a, b))) and abs(point.gap) <= _NEAR * size:
                raise Lost("an edge")
            points.append(point.point)
            found.append(NearContact(contact, turned, point.gap))
    return found


def deeper(one: Features, other: Features, a: BodyState, b: BodyState, size: float, least: float,
           lying: bool = False) -> int:
    """The number of the first of m times at which bodies are deeper in each other than that at a contact; m if there is none. Lost as
    before, at times up to then. `lying`: edges lie in a plane, and samples that are kept tell how deep they are.
    """
    asked, curved = np.ones(len(a.centre), bool), bordered(one) or bordered(other)
    planes = [flush(one, other, a.of(k), b.of(k), size) if curved else [] for k in range(len(asked))]
    for k in () if lying else (k for k, found in enumerate(planes) if any(c.gap <= -least for f in found for c in f.contacts)):
        asked[k:] = False
    for k, contact, turned, point in _all(one, other, a, b, size, (-least, _NEAR * size), planes, asked):
        if point.gap <= -least:
            asked[k:] = False
        if contact.other.dimension < 2 and contact.lies(*(p.of(k) for p in ((b, a) if turned else (a, b)))):
            raise Lost("an edge")
    return int(np.count_nonzero(asked))


def _all(one: Features, other: Features, a: BodyState, b: BodyState, size: float, most: tuple[float, float],
         planes: Sequence[Sequence[Flush]], asked: np.ndarray) -> Iterator[tuple[int, OnSmooth, bool, ContactState]]:
    """Contacts at m times, as far as these are `asked` for when it comes to them, where bodies are no farther apart than `most`, on faces,
    and of edges and corners with each other: the number of the time, the contact, and its course; except for those in `planes` in which
    edges lie then.
    """
    for first, second, turned in _pairs(one, other, near_each_other(one, other, a, b, size)):
        check()
        own, its = (b, a) if turned else (a, b)
        radius = (other if turned else one).radius
        starts = _starts(first, second, own, its, radius, one.convex and other.convex, size, np.flatnonzero(asked))
        if first.dimension == 1 and any(_lies(first, second, own.of(k), its.of(k), size, planes[k]) for k in np.unique(starts.time)):
            raise Lost("an edge")
        within = (one if turned else other).within if second.dimension == 2 else _NO_PLANES
        for k, contact, point in _tracked(first, second, starts, own, its, radius, size, most[second.dimension < 2], within, asked):
            if any(f.holds(point.point, size) for f in planes[k]):
                continue
            if point.gap >= 0.0 or _deep(contact, point, (one, other)[turned], (other, one)[turned], own.of(k), its.of(k)):
                yield k, contact, turned, point


def _deep(near: OnSmooth, at: ContactState, first: Features, second: Features, own: BodyState, its: BodyState) -> bool:
    """Whether bodies may be in each other as deep as this, and the second nowhere nearer to its surface, if it touches with a face, as far
    as that is known. A point above a tip that is in the second body need not be in the first one.
    """
    if near.radius:
        return at.gap > -near.radius
    place, slack, face = at.point + at.gap * at.normal, _NEAR * near.size, near.other.dimension == 2
    inside = first.within[:, :3] @ ((at.point - own.centre) @ own.turn) - first.within[:, 3] <= slack
    nearest = (1.0 - _ASIDE) * at.gap if face else 0.0
    deep = second.within[:, :3] @ ((place - its.centre) @ its.turn) - second.within[:, 3] <= nearest + slack
    told = bool(inside.all()) or (face and len(second.within) > 0)
    # Sheets have no thickness that tells.
    thick = min((e.thick for e in ((second,) if face else (first, second)) if e.thick > 0.0), default=math.inf) / 2.0
    return told and bool(deep.all()) and (second.convex or at.gap > -min(_DEEPEST * near.size, thick))


def alone(one: Features, other: Features) -> bool:
    """Whether bodies touch at no more than one place, as convex ones of which one has a smooth surface do."""
    return one.convex and other.convex and (one.strictly or other.strictly)


def followed(one: Features, other: Features) -> bool:
    """Whether the parts of two bodies tell where these touch."""
    return one.followed and other.followed


def _lies(edge: Part, face: Part, own: BodyState, its: BodyState, size: float, planes: Sequence[Flush]) -> bool:
    """Whether several points of an edge touch a face that is curved, or a flat one that not all of it lies on."""
    at = edge.points @ own.turn.T + own.centre
    if edge.straight or face.dimension < 2 or any(f.holds(at, size) for f in planes):
        return False
    points = (at - its.centre) @ its.turn
    if isinstance(face, FlatPlane):
        which = np.abs(points @ face.face.normal - face.face.level) <= _NEAR * size
        return bool((face.beyond(face.toward(points[which])) <= _NEAR * size).sum() > _SEVERAL)
    jet = face.jet(face.start(np.linalg.norm(face.points - points[:, None], axis=2).argmin(axis=1)))
    way = points - jet.point
    return bool(((np.abs((way * jet.normal).sum(axis=1)) <= _NEAR * size) & (np.linalg.norm(way, axis=1) <= face.spacing)).sum() > _SEVERAL)


def _pairs(one: Features, other: Features, near: np.ndarray) -> Iterator[tuple[Part, Part, bool]]:
    """Balls come first, faces second; flat and implicit ones last, since of these it is known well how far points are from them. What is
    neither meets faces, and edges other edges, except those at which faces go on in each other. Of parts that are `near`.
    """
    for n, f in enumerate(one.parts):
        for g in (other.parts[k] for k in np.flatnonzero(near[n])):
            if not (_sharp(f) and _sharp(g)):
                continue
            turned = (*_rank(f), -one.radius) > (*_rank(g), -other.radius)
            first, second, radius = (g, f, other.radius) if turned else (f, g, one.radius)
            crossing = first.dimension == 1 or radius > 0.0
            along = second.dimension == 2 and second.straight and first.dimension > 0 and first.straight
            if (second.dimension == 2 or crossing) and not along:
                yield first, second, turned


def _sharp(part: Part) -> bool:
    return not (isinstance(part, CurvedEdge) and part.smooth)


def _rank(part: Part) -> tuple[int, bool, bool]:
    return part.dimension, isinstance(part, FlatPlane), isinstance(part, LevelSet)


class NearPlaces(NamedTuple):
    """Places (n, :) on two parts that are near each other, and at which times (n,)."""

    time: np.ndarray
    first: np.ndarray
    second: np.ndarray


def _starts(first: Part, second: Part, own: BodyState, its: BodyState, radius: float, convex: bool, size: float,
            times: np.ndarray) -> NearPlaces:
    """Places from where parts may touch at some of m times; none where they are seen to be apart. Faces of `convex` bodies do so at one
    place.
    """
    own, its = own.of(times), its.of(times)
    # A corner may be below a plane by then.
    reach = (first.spacing + second.spacing or _DEEPEST * size) * (1.0 + _ASIDE) + radius
    (middle, far), back = ball_of(first), np.swapaxes(its.turn, 1, 2)
    turn, shift = back @ own.turn, (back @ (own.centre - its.centre)[..., None])[..., 0]
    near = nears(second, turn @ middle + shift, far + reach)
    times, turn, shift = times[near], turn[near], shift[near]
    points = first.points @ np.swapaxes(turn, 1, 2) + shift[:, None]
    if points.shape[1] == 1 and not isinstance(second, FlatPlane):
        row, k = _lows(second, np.linalg.norm(second.points - points, axis=2), convex, reach)
        return NearPlaces(times[row], first.start(0 * k), second.start(k))
    heights = second.heights(points.reshape(-1, 3)).reshape(points.shape[:2])
    side = np.ones(len(times))
    if isinstance(second, FlatPlane) and second.two_sided:
        side[shift @ second.face.normal < second.face.level] = -1.0
    row, k = _lows(first, side[:, None] * heights, convex, reach)
    at, there = first.start(k), second.toward(points[row, k])
    if isinstance(first, LevelSet) and isinstance(second, FlatPlane):
        rows, lowest = _near_rings(first, -side[:, None] * (second.face.normal @ turn), np.unique(row))
        row, at = np.concatenate([row, rows]), np.concatenate([at, lowest])
        there = np.concatenate([there, second.toward((turn[rows] @ first.jet(lowest).point[..., None])[..., 0] + shift[rows])])
    return NearPlaces(times[row], at, there)


def _near_rings(face: LevelSet, down: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some rows of directions (m, 3), and places (n, :) near rings of a face that are farthest along them: from others beside a circle,
    which a plane nearly touches all along, the way to where it does is long.
    """
    found = [(k, ring.spread(1, down[k])[0]) for ring in rings(face) for k in rows.tolist() if ring.normal @ down[k] > 0.0]
    own = np.array([k for k, _ in found], int)
    at = facing(face, face.toward(np.array([p for _, p in found]).reshape(-1, 3)), down[own], _TURNED)
    known = np.isfinite(at).all(axis=1)
    return own[known], at[known]


def _lows(part: Part, values: np.ndarray, convex: bool, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of values (m, n) that are least, and no greater than that; of many in a row only some: they are equal then."""
    found = least(values) if convex and part.dimension == 2 else part.lows(values)
    row, k = np.nonzero(found & (values <= reach))
    counts = np.bincount(row, minlength=len(values))
    some = (np.arange(len(row)) - (np.cumsum(counts) - counts)[row]) % (1 + counts // _MANY)[row] == 0
    return row[some], k[some]


def _tracked(first: Part, second: Part, starts: NearPlaces, own: BodyState, its: BodyState, radius: float, size: float, most: float,
             within: np.ndarray, asked: np.ndarray) -> Iterator[tuple[int, OnSmooth, ContactState]]:
    """The contacts that are found from some places, with the numbers of their times, one after the other, as long as these are `asked` for.
    `within`: planes that hold the second body.
    """
    sides = _sides(first, second, starts.second, own.of(starts.time), its.of(starts.time))
    for side in np.unique(sides).tolist():
        rows = np.flatnonzero(sides == side)
        times, contact = starts.time[rows], OnSmooth(first, second, (starts.first[0], starts.second[0]), radius, side, size)
        a, b, gaps = contact.found(own.of(times), its.of(times), starts.first[rows], starts.second[rows])
        for n in np.flatnonzero((gaps <= most) & _nearest(contact, a, gaps, own.of(times), its.of(times), within)):
            if not asked[times[n]]:
                continue
            one, other = own.of(times[n]), its.of(times[n])
            for way in (side, -side) if second.dimension < 2 and first.dimension else (side,):
                contact = OnSmooth(first, second, (a[n], b[n]), radius, way, size)
                course = _course(contact, one, other)
                if course is not None and course.gap <= most and _may_touch(contact, course, one, other):
                    yield int(times[n]), contact, course
                    break


def _nearest(contact: OnSmooth, at: np.ndarray, gaps: np.ndarray, own: BodyState, its: BodyState, within: np.ndarray) -> np.ndarray:
    """(n,): whether no plane that holds the second body is nearer to places of the first one that are in it (see `_deep`)."""
    if not len(within):
        return np.ones(len(gaps), bool)
    points = (own.turn @ contact.one.jet(at).point[..., None])[..., 0] + own.centre - its.centre
    far = (points[:, None] @ its.turn)[:, 0] @ within[:, :3].T - within[:, 3]
    return np.asarray((gaps >= 0.0) | (far <= ((1.0 - _ASIDE) * gaps + _NEAR * contact.size)[:, None]).all(axis=1))


def _course(contact: OnSmooth, own: BodyState, its: BodyState) -> ContactState | None:
    """The state of a contact, if it is one and within the borders; else None."""
    try:
        course = contact.course(own, its)
    except (Lost, np.linalg.LinAlgError):
        return None
    a, b = (e[None] for e in contact.at)
    return None if contact.past(a, b, course.normal[None], own.lane(), its.lane())[0] > _NEAR * contact.size else course


def _may_touch(contact: OnSmooth, course: ContactState, own: BodyState, its: BodyState) -> bool:
    """Whether the bodies are on the two sides of the contact."""
    before, after = contact.normals(own, its)
    if contact.one.dimension == 2 and not len(before) and (its.centre - course.point) @ course.normal > course.gap:
        # An open surface on the other side of the second body.
        return False
    return bool(contact.radius or outward(-course.normal, before)) and outward(course.normal, after)


def _sides(first: Part, second: Part, at: np.ndarray, own: BodyState, its: BodyState) -> np.ndarray:
    """(n,): on which side of a face the first body is; 1 of others."""
    if second.dimension < 2 or not len(at) or len(second.normals(at[0])):
        return np.ones(len(at))
    jet, shift = second.jet(at), own.centre - its.centre
    way = (np.swapaxes(its.turn, 1, 2) @ shift[..., None])[..., 0] - jet.point
    return np.where((way * jet.normal).sum(axis=1) > 0.0, 1.0, -1.0)
