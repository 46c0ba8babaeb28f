"""Pieces of an implicit surface inside another body, whose surface they do not meet.

A piece inside is a compact set. Space is divided into boxes, and those are left out that hold no point of the surface, or lie outside the
other body. What is left falls into clusters of boxes that hang together. In the hull of a cluster that lies within the bounds of the
surfaces there is no piece where a derivative of F along some direction d is nowhere zero: at the point of the piece that is farthest along
a direction across d, F = 0 is a graph over the plane across d (by the implicit function theorem, of Clarke 1976 where F has kinks), so the
piece goes on in that direction.
"""

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from codegen.kernel import Kernel
from generative import ImplicitBody

from ..bodies.mesh import Mesh
from ..bodies.numbers import Numbers
from ..bodies.surface_points import at_moment, cells, extent, faces, grid, space_kernel, vertices_at, zero_between
from ..culling.sweep import Sweep
from ..search.paving import Paving, divided

Contained = Callable[[np.ndarray], bool | None]

# All of these decide only effort: beyond them the answer is None.
# The sides that boxes are halved across in a round, and so many rounds at most, while boxes are no more than this.
_WIDEST, _ROUNDS, _MOST = (None,) * 3, 12, 3000
# So many clusters are looked at one by one; of each at most so many places where F changes its sign, at corners of about so many boxes.
_CLUSTERS, _PLACES, _LOOKED_AT = 16, 2, 64
_CORNERS = np.array(list(itertools.product((False, True), repeat=3)))
# Cells of a face that are divided further.
_CELLS = 512


def any_inside(body: ImplicitBody, other: Any, moment: float, contained: Contained, numbers: tuple[Numbers, Numbers]) -> bool | None:
    """True and False are proved, None is neither. `contained` tells of a box that does not meet the surface of `other` if it is inside."""
    mine = _Levels(body, moment, numbers[0])
    theirs = _Levels(other, moment, numbers[1]) if isinstance(other, ImplicitBody) else _Cells(other, moment, numbers[1], contained)
    ends = np.stack([extent(body, moment, numbers[0]), extent(other, moment, numbers[1])])
    boxes = np.stack([ends[..., 0].max(axis=0), ends[..., 1].min(axis=0)], axis=1)[None]
    if (boxes[..., 0] > boxes[..., 1]).any():
        return False
    if not np.isfinite(boxes).all():
        return None
    if not mine.may_hold(boxes).any():
        return False
    paving = Paving(divided(boxes, *_WIDEST, *_WIDEST), axes=_WIDEST)
    for boxes in itertools.islice(paving, _ROUNDS):
        paving.keep(theirs.not_outside(boxes[mine.may_hold(boxes)]))
        if len(paving.left) > _MOST:
            return None
        found = list(_clusters(paving.left))
        if len(found) <= _CLUSTERS:
            if all(_holds_none(mine, theirs, c) for c in found):
                return False
            if any(contained(place) for cluster in found for place in mine.zeros(cluster)):
                return True
    return None


def _holds_none(mine: "_Levels", theirs: "_Levels | _Cells", cluster: np.ndarray) -> bool:
    """Whether it is proved that no piece lies in the boxes of a cluster."""
    hull = _hull(cluster)
    return mine.clear_of_bounds(hull) and theirs.clear_of_bounds(hull) and mine.slopes_one_way(hull)


def _hull(boxes: np.ndarray) -> np.ndarray:
    return np.stack([boxes[..., 0].min(axis=0), boxes[..., 1].max(axis=0)], axis=1)


def _clusters(boxes: np.ndarray) -> Iterator[np.ndarray]:
    """The boxes that hang together."""
    while len(boxes):
        near = np.zeros(len(boxes), bool)
        new = [0]
        near[0] = True
        while len(new):
            touched = np.zeros(len(boxes), bool)
            for k in new:
                touched |= ((boxes[..., 0] <= boxes[k, :, 1]) & (boxes[..., 1] >= boxes[k, :, 0])).all(axis=1)
            new = np.flatnonzero(touched & ~near).tolist()
            near |= touched
        yield boxes[near]
        boxes = boxes[~near]


class _Levels:
    """The function of an implicit body at a moment, over boxes in space."""

    def __init__(self, body: ImplicitBody, moment: float, numbers: Numbers) -> None:
        self.body, self.moment, self.numbers = body, moment, numbers
        self.bounds = [numbers.bounds(leaf.bounds) for leaf in body.leaves]
        self.kernel, self.slopes = _kernels(body, numbers.symbols)

    def _values(self, boxes: np.ndarray) -> np.ndarray:
        """(n, outputs, 2): F, the functions of the leaves, the coordinates of each leaf."""
        ends = (at_moment(boxes[..., end], self.moment) for end in (0, 1))
        return np.stack(self.kernel.interval(*ends, parameters=self.numbers.parameters), axis=-1)

    def _leaves(self, values: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Three arrays over leaves: whether it may be zero in a box, whether the box may meet its bounds, whether it lies strictly within
        them.
        """
        count = len(self.bounds)
        for k, (outer, inner) in enumerate(self.bounds):
            own, at = values[:, 1 + k], values[:, 1 + count + 3 * k:][:, :3]
            meets = np.all((at[..., 0] <= outer[:, 1]) & (at[..., 1] >= outer[:, 0]), axis=1)
            within = np.all((at[..., 0] > inner[:, 0]) & (at[..., 1] < inner[:, 1]), axis=1)
            yield ~((own[:, 0] > 0) | (own[:, 1] < 0)), np.asarray(meets), np.asarray(within)

    def may_hold(self, boxes: np.ndarray) -> np.ndarray:
        """The boxes that may hold a point of the surface."""
        values = self._values(boxes)
        zero = ~((values[:, 0, 0] > 0) | (values[:, 0, 1] < 0))
        return np.asarray(zero & np.any([may & meets for may, meets, _ in self._leaves(values)], axis=0))

    def not_outside(self, boxes: np.ndarray) -> np.ndarray:
        """The boxes that are not proved to lie outside the body."""
        values = self._values(boxes)
        return boxes[~(values[:, 0, 0] > 0) & np.any([meets for _, meets, _ in self._leaves(values)], axis=0)]

    def clear_of_bounds(self, hull: np.ndarray) -> bool:
        """Whether each leaf lies away from the ends of its bounds in a box: the box within them, or apart from them and from its zeros."""
        return all(bool(within[0] or not (may[0] or meets[0])) for may, meets, within in self._leaves(self._values(hull[None])))

    def slopes_one_way(self, hull: np.ndarray) -> bool:
        """Whether F is continuous in a box, with a derivative along an axis that is nowhere zero."""
        ends = [at_moment(hull[None, :, end], self.moment) for end in (0, 1)]
        _, _, level = self.kernel.decorated(*ends, parameters=self.numbers.parameters)
        lo, hi = (e[0, :3] for e in self.slopes.interval(*ends, parameters=self.numbers.parameters))
        return bool(level[0, 0] >= 2 and ((lo > 0) | (hi < 0)).any())

    def zeros(self, cluster: np.ndarray) -> Iterator[np.ndarray]:
        """Short boxes that are proved to hold a point of the surface, between corners of some boxes of a cluster."""
        some = cluster[:: -(-len(cluster) // _LOOKED_AT)]
        corners = np.stack([np.where(_CORNERS, b[:, 1], b[:, 0]) for b in some])
        values = self.kernel.points(at_moment(corners.reshape(-1, 3), self.moment), parameters=self.numbers.middles)[:, 0].reshape(-1, 8)
        for k in np.flatnonzero((values < 0).any(axis=1) & (values > 0).any(axis=1))[:_PLACES]:
            inner, outer = corners[k, np.nanargmin(values[k])], corners[k, np.nanargmax(values[k])]
            place = zero_between(self.body, inner, outer, self.moment, self.numbers)
            if place is not None and all(within[0] or not may[0] for may, _, within in self._leaves(self._values(place[None]))):
                yield place


@functools.lru_cache(maxsize=256)
def _kernels(body: ImplicitBody, symbols: tuple[Any, ...]) -> tuple[Kernel, Kernel]:
    leaves = body.leaves
    formulas = [body.expression, *(leaf.expression for leaf in leaves), *(c for leaf in leaves for c in leaf.coordinates)]
    return space_kernel(tuple(formulas), symbols), space_kernel((body.expression,), symbols).jacobian()


class _Cells:
    """Boxes in space that cover a closed parametric body, or a mesh, at a moment, finer where it matters."""

    def __init__(self, body: Any, moment: float, numbers: Numbers, contained: Contained) -> None:
        self.moment, self.numbers, self.contained = moment, numbers, contained
        self.faces = [] if isinstance(body, Mesh) else [(face, grid(face, numbers)) for face in faces(body)]
        self.corners = np.empty((0, 3, 3, 2))
        if isinstance(body, Mesh):
            self.corners = vertices_at(body, np.arange(len(body.vertices)), moment, numbers)[body.triangles]

    def not_outside(self, boxes: np.ndarray) -> np.ndarray:
        """The boxes that are not proved to lie outside the body: of those that do not meet its surface, clusters that lie inside."""
        met, near = _met(boxes, np.stack([self.corners[..., 0].min(axis=1), self.corners[..., 1].max(axis=1)], axis=-1))
        self.corners = self.corners[near] if near.sum() > _CELLS else _quarters(self.corners[near])
        for k, (face, parameters) in enumerate(self.faces):
            places = cells(face, parameters, self.moment, self.numbers)
            meets = _meeting(boxes, places)
            met |= meets.any(axis=1)
            near = parameters[meets.any(axis=0)]
            self.faces[k] = face, divided(near, 0, 1) if len(near) <= _CELLS else near
        free = list(_clusters(boxes[~met]))
        kept = free if len(free) > _CLUSTERS else [c for c in free if self.contained(np.tile(c[0].mean(axis=1)[:, None], 2)) is not False]
        return np.concatenate([boxes[met], *kept])

    def clear_of_bounds(self, hull: np.ndarray) -> bool:
        """Whether it lies away from the ends of its bounds: it has none."""
        return True


def _met(boxes: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(boxes,) and (places,): whether each meets any of the others."""
    every = np.concatenate([boxes, places])
    pairs = Sweep(every[..., 0], every[..., 1]).pairs() if len(boxes) and len(places) else np.empty((0, 2), np.int64)
    first, second = np.sort(pairs, axis=1).T
    both = (first < len(boxes)) & (second >= len(boxes))
    found = np.zeros(len(every), bool)
    found[first[both]] = found[second[both]] = True
    return found[:len(boxes)], found[len(boxes):]


def _quarters(corners: np.ndarray) -> np.ndarray:
    """Each triangle, of corners in boxes (n, 3, 3, 2), divided at the middles of its sides, outward rounded."""
    middles = 0.5 * (corners + np.roll(corners, -1, axis=1))
    middles = np.stack([np.nextafter(middles[..., 0], -np.inf), np.nextafter(middles[..., 1], np.inf)], axis=-1)
    parts = [np.stack([corners[:, k], middles[:, k], middles[:, k - 1]], axis=1) for k in range(3)]
    return np.concatenate([*parts, middles])


def _meeting(boxes: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(boxes, places): which meet."""
    found = np.ones((len(boxes), len(places)), bool)
    for k in range(3):
        found &= ~((boxes[:, None, k, 0] > places[None, :, k, 1]) | (boxes[:, None, k, 1] < places[None, :, k, 0]))
    return found
