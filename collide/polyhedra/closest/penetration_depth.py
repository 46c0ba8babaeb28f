"""Penetration depth of two convex bodies: the least translation that separates them, exactly.

It is the distance of the origin from the border of the difference of the bodies, which is a polyhedron. A face of that belongs to a face of
one body, or to an edge of each that are not parallel and whose four neighbouring triangles lie on the right sides. For all of these the
distance is computed in doubles, with bounds of all rounding errors (as in `closest.memory`); those that may be the least one are computed
in integers. Pairs of edges are found by sweep and prune on the sphere of directions.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...bodies.dyadic import cross, dot, integers
from ...culling.sweep import sweep_and_prune
from .convex_mesh import Convex

_UNIT, _TINY, _SLACK = 2.0**-51, 2.0**-1000, 1 + 2.0**-20
# Beyond all directions and what they may be off.
_ALL = 8.0
# That many are computed at once.
_PRODUCTS = 1 << 20


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
    """Bounds of the errors of products, dot or a component of cross."""
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
        # The triangles beside each edge.
        self.beside = self.one_way // 3, body.twin[self.one_way] // 3


def depth(bodies: tuple[Convex, Convex], poses: np.ndarray) -> Depth:
    """The penetration depth of bodies that have a common point; 0 if they only touch."""
    a, b = (_Body(body, pose) for body, pose in zip(bodies, poses, strict=True))
    faces = [_of_faces(x, y) for x, y in ((a, b), (b, a))]
    best = min(h.min() for _, h in faces)
    far = _farthest(a.place, b.place)
    first, second, low, high, sure = _of_edges(*(_low_edges(x, h, best, far) for x, (h, _) in zip((a, b), faces, strict=True)))
    best = min(best, high[sure].min(initial=np.inf))
    places, scale = _exact(bodies, poses)
    found = [_faces_exactly(bodies, places, side, np.flatnonzero(faces[side][0] <= best)) for side in (0, 1)]
    some = low <= best
    found.append(_edges_exactly(bodies, places, first[some], second[some]))
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
    many = max(_PRODUCTS // len(b.place.v), 1)
    least = [(n.v[k:k + many] @ b.place.v.T).min(axis=1) for k in range(0, len(n.v), many)]
    height = (n.v * corner.v).sum(axis=1) - np.concatenate(least)
    off = _error(n, corner) + _error(n, _largest(b.place))
    return _between(height, _SLACK * off + _UNIT * np.abs(height), n)


def _farthest(a: _Rows, b: _Rows) -> float:
    """No point of the difference is farther from the origin."""
    ends = [(p.v.min(axis=0) - p.radius.max(), p.v.max(axis=0) + p.radius.max()) for p in (a, b)]
    return float(np.linalg.norm(np.maximum(ends[0][1] - ends[1][0], ends[1][1] - ends[0][0]))) * _SLACK


class _Edges(NamedTuple):
    """Edges of a body, by their half-edges; the normals beside them, between which an arc of directions belongs to each; and where they
    begin.
    """

    slots: np.ndarray
    edge: _Rows
    left: _Rows
    right: _Rows
    place: _Rows


def _low_edges(body: _Body, heights: np.ndarray, best: float, far: float) -> _Edges:
    """Those on whose arcs the difference, of which no point is farther than `far`, may have a height of `best`; at the normals it has at
    least the `heights`.
    """
    directions, off = _directions(body.normal)
    i, j = body.beside
    apart = np.sqrt(((directions[i] - directions[j])**2).sum(axis=1)) + off[i] + off[j]
    # Points of an arc of a quarter turn or less are less than 0.55 times its chord from the nearer end; of any arc, 1.42.
    reach = far * np.where(apart < 1.4, 0.55 * apart, 1.42)
    low = np.flatnonzero(~(np.minimum(heights[i], heights[j]) - reach > best))
    slots = body.one_way[low]
    return _Edges(slots, body.edge[slots], body.normal[i[low]], body.normal[j[low]], body.place[body.start[slots]])


def _directions(n: _Rows) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors, and how far each may be off; infinite or NaN for those that are not known."""
    size = np.sqrt((n.v**2).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return n.v / size[:, None], 4 * n.radius / size + 2.0**-40


def _of_edges(a: _Edges, b: _Edges) -> tuple[np.ndarray, ...]:
    """Pairs of edges that may be a face of the difference: their half-edges, bounds for them, and whether they surely are one."""
    first, second = _crossings(a, b)
    e, f = a.edge[first], b.edge[second]
    # Signs that must be + - + - or - + - +.
    pairs = (a.left[first], f), (a.right[first], f), (b.left[second], e), (b.right[second], e)
    signs, offs = np.array([(x.v * y.v).sum(axis=1) for x, y in pairs]), np.array([_error(x, y) for x, y in pairs])
    signs[1::2] *= -1
    possible = (signs >= -offs).all(axis=0) | (signs <= offs).all(axis=0)
    certain = (signs > offs).all(axis=0) | (signs < -offs).all(axis=0)
    n, p, q = _cross(e, f), a.place[first], b.place[second]
    between = _rows(p.v - q.v, p.radius + q.radius + _UNIT * (p.norm + q.norm))
    height = np.abs((n.v * between.v).sum(axis=1))
    low, high = _between(height, _error(n, between), n)
    return a.slots[first[possible]], b.slots[second[possible]], low[possible], high[possible], np.asarray(certain)[possible]


def _crossings(a: _Edges, b: _Edges) -> tuple[np.ndarray, np.ndarray]:
    """Edges, one of each body, that may be a face of the difference: on the sphere of directions the arc between the normals of the
    triangles beside the first one crosses that of the other one, turned round, so boxes about them overlap.
    """
    (low, high), (least, most) = _boxes(a), _boxes(b)
    pairs = np.sort(sweep_and_prune(np.concatenate([low, -most]), np.concatenate([high, -least])), axis=1)
    pairs = pairs[(pairs[:, 0] < len(low)) & (pairs[:, 1] >= len(low))]
    return pairs[:, 0], pairs[:, 1] - len(low)


def _boxes(edges: _Edges) -> tuple[np.ndarray, np.ndarray]:
    """About arcs of the unit sphere: no point of one is farther from the chord than its middle."""
    (first, a), (last, b) = (_directions(n) for n in (edges.left, edges.right))
    off = np.asarray(a + b + 1 - np.sqrt(((first + last)**2).sum(axis=1)) / 2)[:, None]
    low, high = np.minimum(first, last) - off, np.maximum(first, last) + off
    known = np.isfinite(low) & np.isfinite(high)
    return np.where(known, low, -_ALL), np.where(known, high, _ALL)


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
