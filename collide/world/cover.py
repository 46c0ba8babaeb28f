"""Boxes that together hold the surface of a shape, in its own coordinates."""

import functools
import heapq
import itertools
from typing import Any, NamedTuple

import numpy as np

from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool
from codegen.graph.meanvalue import second_order_form
from codegen.kernel import Kernel
from generative import ImplicitBody, t, x, y, z

from ..bodies.mesh import Mesh
from ..bodies.numbers import NONE
from ..bodies.surface_points import cells, extent, faces, grid
from .mass import triangles_of

# Effort only: boxes of all parametric faces together, about; an implicit body is divided until there are so many boxes; a side is halved
# that is no shorter than this part of the longest; coarser covers have so many boxes.
_PARAMETRIC, _IMPLICIT, _LONG, _FEW = 1 << 11, 1 << 15, 0.6, (64, 512)
# Corners of triangles that are moved are rounded: boxes are wider by so much of their size.
_ROUNDINGS = 1e-13


class Cover(NamedTuple):
    """Boxes (n, 3, 2) that hold the surface, and where each is within one of the cover before, the number of that."""

    boxes: np.ndarray
    within: np.ndarray | None = None

    def near(self, middle: np.ndarray, reach: np.ndarray, before: np.ndarray | None) -> np.ndarray:
        """The numbers of those that meet a box, where it is known which ones `before` do; all if it is not."""
        if before is None or self.within is None:
            some = np.arange(len(self.boxes))
        else:
            known = np.zeros(self.within.max() + 1, bool)
            known[before[before < len(known)]] = True
            some = np.flatnonzero(known[self.within])
        lo, hi = self.boxes[some, :, 0], self.boxes[some, :, 1]
        return np.asarray(some[((lo <= middle + reach) & (hi >= middle - reach)).all(axis=1)])


@functools.lru_cache(maxsize=512)
def covers(shape: Any) -> tuple[Cover, ...]:
    """Covers of a surface: of a few large boxes, then of more that are smaller; none where it is not known to be in any."""
    if isinstance(shape, ImplicitBody):
        found = _where_zero(shape)
    elif isinstance(shape, Mesh):
        corners = triangles_of(shape)
        far = _ROUNDINGS * np.abs(corners).max()
        found = _coarser(np.stack([corners.min(axis=1) - far, corners.max(axis=1) + far], axis=-1))
    else:
        own = faces(shape)
        count = max(1, int(np.sqrt(_PARAMETRIC / len(own))))
        found = _coarser(np.concatenate([cells(face, grid(face, NONE, count), 0.0, NONE) for face in own]))
    return found if all(len(cover.boxes) and np.isfinite(cover.boxes).all() for cover in found) else ()


def _coarser(boxes: np.ndarray) -> tuple[Cover, ...]:
    return (*(Cover(clustered(boxes, few)) for few in _FEW if few < len(boxes)), Cover(boxes))


def _where_zero(body: ImplicitBody) -> tuple[Cover, ...]:
    """Boxes within the bounds of a body in which its function may be zero, each time halved along some axes."""
    pool = ExprPool()
    variables = [pool.variable(k) for k in range(3)]
    function = convert([body.expression], {**dict(zip((x, y, z), variables, strict=True)), t: pool.constant(0)}, pool)
    kernel, levels = Kernel(second_order_form(function, variables), ["x", "y", "z"], [], quick=True), [Cover(extent(body, 0.0)[None])]
    while 0 < len(levels[-1].boxes) < _IMPLICIT and len(levels) <= _IMPLICIT.bit_length():
        boxes, within = levels[-1].boxes, np.arange(len(levels[-1].boxes))
        sides = boxes[0, :, 1] - boxes[0, :, 0]
        for axis in np.flatnonzero(sides >= _LONG * sides.max()).tolist():
            boxes, within = np.concatenate(_halves(boxes, axis)), np.tile(within, 2)
        lo, hi = kernel.interval(boxes[..., 0], boxes[..., 1])
        left = ~((lo[:, 0] > 0.0) | (hi[:, 0] < 0.0))
        levels.append(Cover(boxes[left], within[left]))
    return tuple(itertools.dropwhile(lambda cover: len(cover.boxes) < _FEW[0], levels))


def _halves(boxes: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    low, high = boxes.copy(), boxes.copy()
    low[:, axis, 1] = high[:, axis, 0] = 0.5 * (boxes[:, axis, 0] + boxes[:, axis, 1])
    return low, high


def clustered(boxes: np.ndarray, most: int) -> np.ndarray:
    """Boxes (n, 3, 2) round no more than so many groups of boxes that lie close together: the largest is divided first."""
    done, queue = list[np.ndarray](), [(-_size(boxes), 0, boxes)]
    while queue and len(done) + len(queue) < most:
        _, _, group = heapq.heappop(queue)
        if len(group) == 1:
            done.append(group)
            continue
        middles = group.sum(axis=2)
        order = np.argsort(middles[:, np.argmax(np.ptp(middles, axis=0))], kind="stable")
        for number, half in enumerate(np.array_split(order, 2), 2 * (len(done) + len(queue))):
            heapq.heappush(queue, (-_size(group[half]), number, group[half]))
    return np.stack([_hull(group) for group in (*done, *(group for *_, group in queue))])


def _hull(boxes: np.ndarray) -> np.ndarray:
    return np.stack([boxes[..., 0].min(axis=0), boxes[..., 1].max(axis=0)], axis=1)


def _size(boxes: np.ndarray) -> float:
    """The sides of a box round boxes, together."""
    return float((boxes[..., 1].max(axis=0) - boxes[..., 0].min(axis=0)).sum())
