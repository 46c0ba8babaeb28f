"""Contacts of two bodies of flat faces at a moment: samples of the points, segments and polygons that they have in common.

That a place is one of contact is exact (`contact_region`). Where it is, in space and in the parameters of the parts, is in doubles; the
boxes round it are wider than these can be off.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from codegen.deadline import check

from ...bodies.flat import FlatEdge, FlatFace
from .contact_region import CommonRegion, ContactPlace, MovingTouch, hull_order

# Half the width of a box, against the range of a parameter; and how far doubles are off, against the size, at most.
_WIDTH, _ROUNDING = 2.0**-34, 2.0**-42
# Samples along a side, at most; a step in the unit of time, for speeds, and what is no speed against the size.
_MOST, _STEP, _FLAT = 100, 2.0**-40, 2.0**-30
# Against the size: places are the same, and on a face, that are nearer to each other.
_CLOSE = 2.0**-26

Side = tuple[int, int]


class ContactSample(NamedTuple):
    """One contact: in the frame of the second body, `point` and `normal` (NaN where nothing separates); `parameters` (k, 2), of the first
    feature, then of the second.
    """

    point: np.ndarray
    normal: np.ndarray
    features: tuple[str, str]
    names: tuple[str, ...]
    parameters: np.ndarray
    isolated: bool


def contacts(touch: MovingTouch, spacing: float) -> list[ContactSample]:
    """Samples of all regions, each place once: no point is farther from all of them than `spacing`, unless they were too many
    (`is_sparse`).
    """
    rows, seen = [], set[tuple[int, ...]]()
    single = _Rows(touch)
    for region in touch.regions:
        for weights, places in _samples(touch, region, spacing * touch.scale):
            check()
            point = sum(w * touch.position(p) for w, p in zip(weights, places, strict=True))
            key = tuple(np.round(point / (_CLOSE * touch.size)).astype(np.int64).tolist())
            if key not in seen:
                seen.add(key)
                rows.append(single.row(region, places, np.asarray(point)))
    return rows


def is_sparse(touch: MovingTouch, spacing: float) -> bool:
    """Whether there are so many places that samples are farther apart."""
    spread = [np.array([touch.position(p) for p in r.places]) for r in touch.regions]
    return any(float(np.ptp(at, axis=0).max()) > _MOST * spacing * touch.scale for at in spread)


def _samples(touch: MovingTouch, region: CommonRegion, apart: float) -> Iterator[tuple[Sequence[float], Sequence[ContactPlace]]]:
    """Averages of places: their weights, which are positive, and they."""
    places = sorted(region.places, key=lambda p: (p.first, p.second, p.sides or ()))
    yield from (((1.0,), (p,)) for p in places)
    if len(places) == 1:
        return
    at = np.array([touch.position(p) for p in places])
    if len(places) == 2:
        triangles = [(0, 1)]
    else:
        order = hull_order(at)
        triangles = [(order[0], a, b) for a, b in itertools.pairwise(order[1:])]  # type: ignore[misc]
    for corners in triangles:
        length = max(float(np.linalg.norm(at[i] - at[j])) for i, j in itertools.combinations(corners, 2))
        # Halves of squares with sides of `apart`; no point of a triangle is farther than its longest side / sqrt(3) from all corners.
        n = min(_MOST, max(1, int(np.ceil(length / (apart if len(corners) == 2 else 1.4143 * apart)))))
        for counts in itertools.product(range(n + 1), repeat=len(corners) - 1):
            last = n - sum(counts)
            if last >= 0:
                shares = [(c / n, places[k]) for c, k in zip((*counts, last), corners, strict=True) if c]
                yield tuple(w for w, _ in shares), tuple(p for _, p in shares)


class _Rows:
    def __init__(self, touch: MovingTouch) -> None:
        self.touch = touch
        middle = touch.window.middle(touch.at)
        origin, *axes = (np.array(touch.window.place(p, middle), float) for p in ([0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]))
        self.rotation, self.shift = np.stack(axes, axis=1) - origin[:, None], origin
        later = np.array([[float(e) for e in touch.window.place(p, middle + type(middle)(_STEP))] for p in touch.exact[0]])
        self.velocity = (later - touch.seen[0]) / _STEP
        self.planes = [[_plane(points[list(f.ring)]) for f in body.faces] for body, points in zip(touch.bodies, touch.seen, strict=True)]
        self._normals: dict[tuple[str, ...], np.ndarray] = {}
        self.alone = {p for r in touch.regions if len(r.places) == 1 for p in r.places}

    def row(self, region: CommonRegion, places: Sequence[ContactPlace], point: np.ndarray) -> ContactSample:
        features, names, parameters = [], [], []
        for side, frame in ((0, (point - self.shift) @ self.rotation), (1, point)):
            face = self.touch.bodies[side].faces[region.faces[side]]
            feature, part = self._part(side, face, region.faces[side], places)
            features.append(feature)
            for name, ends in zip("uv", self._parameters(side, part, frame / self.touch.scale), strict=False):
                names.append(f"{name}{side + 1}")
                parameters.append(ends)
        if (*features,) not in self._normals:
            self._normals[*features,] = self._normal(point)
        isolated = len(places) == 1 and places[0] in self.alone
        return ContactSample(point / self.touch.scale, self._normals[*features,], (features[0], features[1]), tuple(names),
                   np.array(parameters).reshape(-1, 2), isolated)

    def _part(self, side: int, face: FlatFace, number: int, places: Sequence[ContactPlace]) -> tuple[str, FlatFace | FlatEdge | None]:
        """The vertex, the edge or else the face of a body on which averages of places lie."""
        flat = self.touch.bodies[side]
        sides = frozenset.intersection(*(self.touch.sides_at(p, side, number) for p in places))
        corner = frozenset.intersection(*map(frozenset, sides)) if len(sides) > 1 else frozenset()
        for c in corner:
            if c in flat.vertices:
                return flat.vertices[c], None
        for s in sides:
            edge = flat.edges.get(frozenset(s))
            if edge is not None:
                return edge.feature, edge
        return face.feature, face

    def _parameters(self, side: int, part: FlatFace | FlatEdge | None, point: np.ndarray) -> Sequence[tuple[float, float]]:
        """Ranges of the parameters of a part round a point, in its own frame."""
        off = _ROUNDING * self.touch.size / self.touch.scale
        if part is None:
            return []
        if isinstance(part, FlatFace):
            return on_face(part, point, off)
        a, b = (self.touch.own[side][c] / self.touch.scale for c in part.ends)
        share = float((point - a) @ (b - a) / ((b - a) @ (b - a)))
        lo, hi = part.at
        return [_around(lo + share * (hi - lo), (lo, hi), off * (hi - lo) / float(np.linalg.norm(b - a)))]

    # -- normals --------------------------------------------------------------------------------------------------------

    def _normal(self, point: np.ndarray) -> np.ndarray:
        """The direction outward from the first body that separates both near a point, of several that in which they approach fastest."""
        (normals, own), (against, other) = (self._cone(side, point) for side in (0, 1))
        crosses = np.cross(own[:, None], other[None]).reshape(-1, 3)
        lengths = np.linalg.norm(crosses, axis=1)
        crosses = crosses[lengths > _FLAT] / lengths[lengths > _FLAT, None]
        candidates = np.concatenate([normals, -against, crosses, -crosses])
        apart = (candidates @ own.T <= _FLAT).all(axis=1) & (candidates @ other.T >= -_FLAT).all(axis=1)
        if not apart.any():
            return np.full(3, np.nan)
        speeds = np.where(apart, candidates @ self._speed(point), -np.inf)
        # The first of those that are as good as the best.
        return np.asarray(candidates[int(np.argmax(speeds >= speeds.max() - _FLAT * self.touch.size))])

    def _speed(self, point: np.ndarray) -> np.ndarray:
        """The velocity of the first body at a point, as the second sees it: a rigid motion is affine in space."""
        own, velocity = self.touch.seen[0], self.velocity
        away = np.concatenate([own, np.ones((len(own), 1))], axis=1)
        return np.asarray(np.append(point, 1.0) @ np.linalg.lstsq(away, velocity, rcond=None)[0])

    def _cone(self, side: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Unit normals of the faces of a body at a point, and unit directions that span what it covers there."""
        near = _CLOSE * self.touch.size
        normals, directions = [], [np.empty((0, 3))]
        for ring, normal, across in self.planes[side]:
            if abs((point - ring[0]) @ normal) <= near and (((point - ring) * across).sum(axis=1) >= -near).all():
                normals.append(normal)
                away = ring - point
                lengths = np.linalg.norm(away, axis=1)
                directions.append(away[lengths > near] / lengths[lengths > near, None])
        return np.array(normals).reshape(-1, 3), np.concatenate(directions)


def _plane(ring: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The corners of a face, its unit normal, and inward ones of its sides."""
    sides = np.roll(ring, -1, axis=0) - ring
    normal = np.cross(ring - ring[0], np.roll(ring, -1, axis=0) - ring[0]).sum(axis=0)
    normal /= np.linalg.norm(normal)
    across = np.cross(normal, sides)
    return ring, normal, across / np.linalg.norm(across, axis=1)[:, None]


def _around(value: float, ends: tuple[float, float], off: float) -> tuple[float, float]:
    """A range of a parameter within its domain."""
    reach = _WIDTH * (ends[1] - ends[0]) + 2.0 * off + 2.0**-48 * max(map(abs, ends))
    return max(ends[0], value - reach), min(ends[1], value + reach)


def on_face(face: FlatFace, point: np.ndarray, off: float) -> list[tuple[float, float]]:
    """u and v of a point on a bilinear face, by Newton's method."""
    (a, d), (b, c) = face.ends
    along, across, mixed, away = b - a, d - a, a - b + c - d, point - a
    x, y, narrow = 0.5, 0.5, 0.0
    for _ in range(50):
        first, second = along + y * mixed, across + x * mixed
        rest = away - x * along - y * across - x * y * mixed
        e, f, g = float(first @ first), float(first @ second), float(second @ second)
        area = e * g - f * f
        if not area > 0.0:
            break
        p, q = float(first @ rest), float(second @ rest)
        step, other = (g * p - f * q) / area, (e * q - f * p) / area
        x, y, narrow = min(max(x + step, 0.0), 1.0), min(max(y + other, 0.0), 1.0), math.sqrt(area / (e + g))
        if abs(step) + abs(other) < 2.0**-50:
            break
    lost = np.linalg.norm(away - x * along - y * across - x * y * mixed) > 4.0 * off
    room = 1.0 if lost or narrow <= 4.0 * off else off / narrow
    return [_around(lo + s * (hi - lo), (lo, hi), room * (hi - lo)) for s, (lo, hi) in zip((x, y), face.domain.tolist(), strict=True)]
