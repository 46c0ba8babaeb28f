"""How deep two convex bodies are in each other: the least translation that separates them, exactly.

It is the distance of the origin from the border of the difference of the bodies, which is a polyhedron. A face of that belongs to a face of
one body, or to an edge of each that are not parallel and whose four neighbouring triangles lie on the right sides. For all of these the
distance is computed in doubles, with bounds of all rounding errors (as in `closest_memory`); those that may be the least one are computed
in integers.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..bodies.dyadic import cross, dot, integers
from .convex import Convex

_UNIT, _TINY, _SLACK = 2.0**-51, 2.0**-1000, 1 + 2.0**-20


class Depth(NamedTuple):
    """`square` of the least length of a translation of the second body that separates the two; along `direction` (3,), doubles."""

    square: Fraction
    direction: np.ndarray


@dataclass(frozen=True, eq=False)
class _Rows:
    """Vectors (n, 3), the sums of sizes of their components, and bounds of the error of each component."""

    v: np.ndarray
    norm: np.ndarray
    radius: np.ndarray

    def __getitem__(self, k: Any) -> "_Rows":
        return _Rows(self.v[k], self.norm[k], self.radius[k])


def _rows(v: np.ndarray, radius: np.ndarray) -> _Rows:
    return _Rows(v, np.abs(v).sum(axis=-1), _SLACK * radius + _TINY)


def _error(a: _Rows, b: _Rows) -> np.ndarray:
    """Of products, dot or a component of cross."""
    known = a.norm * b.radius + b.norm * a.radius + 3 * a.radius * b.radius + _UNIT * a.norm * b.norm
    return np.asarray(_SLACK * known + _TINY)


def _cross(a: _Rows, b: _Rows) -> _Rows:
    return _rows(np.cross(a.v, b.v), _error(a, b))


class _Body:
    """A convex body at a pose in doubles: places, and half-edges and their triangles' normals."""

    def __init__(self, body: Convex, pose: np.ndarray) -> None:
        rotation, shift = pose[:9].reshape(3, 3), pose[9:]
        self.start, self.end = body.start, body.start[body.after]
        edges = body.vertices[self.end] - body.vertices[self.start]
        self.edge = _rows(edges @ rotation.T, 2 * _UNIT * np.abs(edges).sum(axis=1))
        size = np.abs(body.vertices).sum(axis=1).max() + np.abs(shift).max()
        place = body.vertices @ rotation.T + shift
        self.place = _rows(place, np.full(len(place), 2 * _UNIT * size))
        self.normal = _cross(self.edge[::3], self.edge[1::3])
        self.one_way = np.flatnonzero(np.arange(len(body.twin)) < body.twin)
        faces = np.arange(len(body.start)) // 3
        self.left, self.right = self.normal[faces[self.one_way]], self.normal[faces[body.twin[self.one_way]]]


def depth(bodies: tuple[Convex, Convex], poses: np.ndarray) -> Depth:
    """Of bodies that have a common point; 0 if they only touch."""
    a, b = (_Body(body, pose) for body, pose in zip(bodies, poses, strict=True))
    faces = [_of_faces(x, y) for x, y in ((a, b), (b, a))]
    first, second, low, high, sure = _of_edges(a, b)
    best = min(*(h.min() for _, h in faces), high[sure].min(initial=np.inf))
    places, scale = _exact(bodies, poses)
    found = [_faces_exactly(bodies, places, side, np.flatnonzero(faces[side][0] <= best)) for side in (0, 1)]
    some = low <= best
    found.append(_edges_exactly(bodies, places, a.one_way[first[some]], b.one_way[second[some]]))
    square, normal = min((f for f in found if f is not None), key=lambda f: f[0])
    largest = max(abs(x) for x in normal)
    direction = np.array([float(Fraction(x, largest)) for x in normal])
    return Depth(square / scale**2, direction / np.linalg.norm(direction))


def _largest(rows: _Rows) -> _Rows:
    """One vector that is as large, and as uncertain, as any."""
    return _Rows(rows.v[:1], rows.norm.max(keepdims=True), rows.radius.max(keepdims=True))


def _between(height: np.ndarray, off: np.ndarray, n: _Rows) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of heights, over the lengths of normals."""
    size = np.sqrt((n.v**2).sum(axis=-1))
    wide = 2 * n.radius + _UNIT * size
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.maximum(height - off, 0.0) / (size + wide) * (1 - _UNIT)
        high = np.where(size > wide, (height + off) / (size - wide) * (1 + _UNIT), np.inf)
    return low, high


def _of_faces(a: _Body, b: _Body) -> tuple[np.ndarray, np.ndarray]:
    """Bounds for the faces of one body."""
    n = a.normal
    corner = a.place[a.start[::3]]
    height = (n.v * corner.v).sum(axis=1) - (n.v @ b.place.v.T).min(axis=1)
    off = _error(n, corner) + _error(n, _largest(b.place))
    return _between(height, _SLACK * off + _UNIT * np.abs(height), n)


def _of_edges(a: _Body, b: _Body) -> tuple[np.ndarray, ...]:
    """Pairs of edges that may be a face of the difference; bounds for them, and whether they surely are one."""
    e, f = a.edge[a.one_way], b.edge[b.one_way]
    # Signs that must be + - + - or - + - +.
    signs, offs = [], []
    for x, y, turned in ((a.left, f, False), (a.right, f, False), (b.left, e, True), (b.right, e, True)):
        # One bound for all of a row: in general position that leaves hardly more open.
        product, off = x.v @ y.v.T, _error(x, _largest(y))[:, None]
        signs.append(product.T if turned else product)
        offs.append(off.T if turned else off)
    possible, certain = (np.zeros(signs[0].shape, bool) for _ in range(2))
    for way in (1, -1):
        values = [way * s if k % 2 == 0 else -way * s for k, s in enumerate(signs)]
        possible |= np.logical_and.reduce([v >= -off for v, off in zip(values, offs, strict=True)])
        certain |= np.logical_and.reduce([v > off for v, off in zip(values, offs, strict=True)])
    first, second = np.nonzero(possible)
    n = _cross(e[first], f[second])
    p, q = a.place[a.start[a.one_way[first]]], b.place[b.start[b.one_way[second]]]
    between = _rows(p.v - q.v, p.radius + q.radius + _UNIT * (p.norm + q.norm))
    height = np.abs((n.v * between.v).sum(axis=1))
    low, high = _between(height, _error(n, between), n)
    return first, second, low, high, certain[first, second]


# -- in integers --------------------------------------------------------------------------------------------------


def _exact(bodies: tuple[Convex, Convex], poses: np.ndarray) -> tuple[list[np.ndarray], int]:
    """The places (n, 3) of the vertices, all times the same number, and that."""
    numbers = integers(np.concatenate([np.ones(1), poses.ravel(), *(b.vertices.ravel() for b in bodies)]))
    one, given, values = numbers[0], numbers[1:25].reshape(2, 12), numbers[25:]
    n = 3 * len(bodies[0].vertices)
    places = [v.reshape(-1, 3) @ pose[:9].reshape(3, 3).T + one * pose[9:] for v, pose in zip((values[:n], values[n:]), given, strict=True)]
    return places, one * one


def _faces_exactly(bodies: tuple[Convex, Convex], places: list[np.ndarray], side: int, faces: np.ndarray) -> Any:
    corners = places[side][bodies[side].start.reshape(-1, 3)[faces]]
    found = None
    for p, q, r in corners:
        n = cross(q - p, r - p)
        height = dot(n, p) - min(dot(places[1 - side], n))
        found = _lesser(found, height, n if side == 0 else -n)
    return found


def _edges_exactly(bodies: tuple[Convex, Convex], places: list[np.ndarray], first: np.ndarray, second: np.ndarray) -> Any:
    ends = []
    for body, place, slots in zip(bodies, places, (first, second), strict=True):
        apex = [body.start[body.after[body.after[k]]] for k in (slots, body.twin[slots])]
        begin = place[body.start[slots]]
        ends.append((begin, *(place[k] - begin for k in (body.start[body.after[slots]], *apex))))
    (p, e, *inner), (q, f, *outer) = ends
    n = cross(e, f)
    height = dot(n, p - q)
    beyond = [dot(n, x) for x in inner] + [-dot(n, x) for x in outer]
    found = None
    for k in range(len(n)):
        for way in (1, -1):
            # An edge within a plane face is none: both its triangles are at right angles to n.
            if all(way * x[k] <= 0 for x in beyond) and any(x[k] for x in beyond[:2]) and any(x[k] for x in beyond[2:]):
                found = _lesser(found, way * height[k], way * n[k])
    return found


def _lesser(found: Any, height: Any, normal: np.ndarray) -> Any:
    square = Fraction(height * height, dot(normal, normal))
    return (square, normal) if found is None or square < found[0] else found
