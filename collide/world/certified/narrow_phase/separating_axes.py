"""Planes between two convex bodies, which move with their features: with a face of one, with an edge of each, or, of a ball, between its
centre and the nearest edge or corner.

While all heights of the other features above such a plane are positive the bodies are apart. If then the one of a corner above a face
falls through zero, or that between two edges, or that of a ball, while all others stay positive, they touch at that moment, at one
place, if it is within the face, or the edges; before it they do not.
"""

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np

from .facets import ConvexForm, Moved, PlacedForm

Pair = tuple[PlacedForm, PlacedForm]


class AxisKind(Enum):
    FACE, EDGES, EDGE, CORNER = range(4)


class MovingPlane(NamedTuple):
    """A plane that moves with face `one` of body `side` (0 or 1); with edges `one` of the first and `other` of the second body, where the
    way across both leads to the second one, or (`side` 1) away from it; or with edge, or corner, `one` of body `side` and the centre of
    the other, a ball.
    """

    kind: AxisKind
    side: int
    one: int
    other: int = 0


class Heights(NamedTuple):
    """Heights of features above a plane; the first `gaps` of them may end in a touch."""

    of: Moved
    gaps: int


def heights(axis: MovingPlane, bodies: Pair) -> Heights:
    host, guest = bodies[axis.side], bodies[1 - axis.side]
    if axis.kind is AxisKind.FACE:
        found = host.normals[axis.one].dot(guest.corners - host.corners[host.form.rings[axis.one][0]]).less(guest.form.radius)
        return Heights(found, len(guest.form.corners))
    if axis.kind is AxisKind.EDGES:
        (a, e), (b, f) = (bodies[k].edge(n) for k, n in enumerate((axis.one, axis.other)))
        across = -e.cross(f) if axis.side else e.cross(f)
        others = across.dot(a - bodies[0].but_edge(axis.one)), across.dot(bodies[1].but_edge(axis.other) - b)
        return Heights(_joined(across.dot(b - a), *others), 1)
    square = guest.form.radius * guest.form.radius
    if axis.kind is AxisKind.CORNER:
        away, at = guest.corners[0] - host.corners[axis.one], host.corners[axis.one]
        return Heights(_joined(away.dot(away).less(square), away.dot(at - host.but([axis.one]))), 1)
    start, e = host.edge(axis.one)
    way = guest.corners[0] - start
    across, length = way.cross(e), e.dot(e)
    away = way.times(length) - e.times(way.dot(e))
    far = across.dot(across) - Moved(square * length.at, square * length.rate)
    return Heights(_joined(far, away.dot(start - host.but_edge(axis.one))), 1)


def _joined(first: Moved, *others: Moved) -> Moved:
    return Moved(*(np.array([a, *(e for own in rest for e in own)], object) for a, rest in (
        (first.at, [o.at for o in others]), (first.rate, [o.rate for o in others]))))


def touch(axis: MovingPlane, number: int, bodies: Pair) -> tuple[np.ndarray, np.ndarray] | None:
    """The point and the unit normal, from the first body to the second, of a touch of that height at a time; None if it is not proved to be
    within what touches.
    """
    host, guest, sign = bodies[axis.side], bodies[1 - axis.side], -1 if axis.side else 1
    if axis.kind is AxisKind.FACE:
        normal = host.normals.at[axis.one]
        point = guest.corners.at[number] - guest.form.radius * normal
        ring = host.corners.at[[*host.form.rings[axis.one]]]
        inside = all(np.cross(normal, b - a) @ (point - a) > 0 for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True))
        return (point, sign * normal) if inside else None
    if axis.kind is AxisKind.EDGES:
        (a, e), (b, f) = ((m.at for m in bodies[k].edge(n)) for k, n in enumerate((axis.one, axis.other)))  # type: ignore[misc]
        across = np.cross(e, f)
        square = across @ across
        along = np.cross(b - a, f) @ across / square, np.cross(b - a, e) @ across / square
        return (a + along[0] * e, _unit(sign * across)) if all(0 < s < 1 for s in along) else None
    centre = guest.corners.at[0]
    if axis.kind is AxisKind.CORNER:
        point = host.corners.at[axis.one]
        return point, _unit(sign * (centre - point))
    start, along = (m.at for m in host.edge(axis.one))
    part = (centre - start) @ along / (along @ along)
    point = start + part * along
    return (point, _unit(sign * (centre - point))) if 0 < part < 1 else None


def _unit(way: np.ndarray) -> np.ndarray:
    return np.asarray(way / (way @ way).sqrt())


# -- which of them ----------------------------------------------------------------------------------------------------


def widest(forms: Sequence[ConvexForm], corners: Sequence[np.ndarray], normals: Sequence[np.ndarray]) -> list[MovingPlane]:
    """The planes, in doubles, with the widest gap between two bodies, of each kind one, the widest first."""
    found = [*_faces(0, forms, corners, normals[0]), *_faces(1, forms, corners, normals[1])]
    for side in (0, 1):
        if len(corners[1 - side]) == 1:
            found += _of_ball(side, forms, corners)
    if all(len(f.edges) for f in forms):
        found += _edges(forms, corners)
    return [axis for gap, axis in sorted(found, key=lambda e: -e[0]) if gap > 0.0]


def _faces(side: int, forms: Sequence[ConvexForm], corners: Sequence[np.ndarray],
           normals: np.ndarray) -> Iterator[tuple[float, MovingPlane]]:
    if len(normals):
        refs = corners[side][[ring[0] for ring in forms[side].rings]]
        least = (normals @ corners[1 - side].T).min(axis=1) - (normals * refs).sum(axis=1) - float(forms[1 - side].radius)
        yield float(least.max()), MovingPlane(AxisKind.FACE, side, int(least.argmax()))


def _of_ball(side: int, forms: Sequence[ConvexForm], corners: Sequence[np.ndarray]) -> Iterator[tuple[float, MovingPlane]]:
    own, centre, radius = corners[side], corners[1 - side][0], float(forms[1 - side].radius)
    for kind, ends in ((AxisKind.EDGE, forms[side].edges), (AxisKind.CORNER, np.arange(len(own))[:, None])):
        if not len(ends):
            continue
        a, e = own[ends[:, 0]], own[ends[:, -1]] - own[ends[:, 0]]
        away = centre - a
        away = away - e * ((away * e).sum(axis=1) / np.maximum((e * e).sum(axis=1), 1e-300))[:, None]
        beyond = _others(away @ own.T, ends).max(axis=1) - (away * a).sum(axis=1)
        gap = np.where(beyond < 0.0, np.linalg.norm(away, axis=1) - radius, -np.inf)
        yield float(gap.max()), MovingPlane(kind, side, int(gap.argmax()))


def _edges(forms: Sequence[ConvexForm], corners: Sequence[np.ndarray]) -> Iterator[tuple[float, MovingPlane]]:
    (a, e), (b, f) = ((own[form.edges[:, 0]], own[form.edges[:, 1]] - own[form.edges[:, 0]])
                      for own, form in zip(corners, forms, strict=True))
    across = np.cross(e[:, None], f[None])
    size = np.linalg.norm(across, axis=-1, keepdims=True)
    across = across / np.maximum(size, 1e-300)
    at = np.einsum("ijk,ik->ij", across, a), np.einsum("ijk,jk->ij", across, b)
    for side, sign in ((0, 1.0), (1, -1.0)):
        under = _others(sign * (across @ corners[0].T), forms[0].edges[:, None]).max(axis=-1) - sign * at[0]
        over = _others(-sign * (across @ corners[1].T), forms[1].edges[None]).max(axis=-1) + sign * at[1]
        gap = np.where((under < 0.0) & (over < 0.0) & (size[..., 0] > 0.0), sign * (at[1] - at[0]), -np.inf)
        i, j = np.unravel_index(int(gap.argmax()), gap.shape)
        yield float(gap[i, j]), MovingPlane(AxisKind.EDGES, side, int(i), int(j))


def _others(levels: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Without the corners that an edge has."""
    ends = np.broadcast_to(ends, (*levels.shape[:-1], ends.shape[-1]))
    found = levels.copy()
    np.put_along_axis(found, ends, -np.inf, axis=-1)
    return found
