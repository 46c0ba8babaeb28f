"""Boxes round parts of two bodies in a frame that is turned to the direction in which they are nearest.

Boxes along the axes of space are wide round what lies aslant: those of two blocks side by side overlap long before the blocks meet. With an
axis along the direction from one nearest point to the other, a part that holds no nearest point has its box farther away than these are.
Which direction it is decides effort alone: boxes in any frame bound distances from below.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..bodies.crowd import crowd_of
from ..bodies.extent import Extent, carried, swept
from .boxes_apart import least_distances

# Effort only: steps of the search for the nearest points of two hulls.
_STEPS = 24
# Against the size of coordinates, what hulls are apart at least to have a direction.
_APART, _TINY = 1e-9, 1e-300
# A frame is shorter than a rotation by so much: a rounding of its entries, some 2^-52, does not lengthen anything.
_SHORTER = 1.0 - 2.0**-40
# Of a shorter frame the squares of lengths are below 1 - 2^-39. That they are below this is seen in doubles, up to some 2^-50.
_SHORT = 1.0 - 2.0**-41
_CORNERS = np.array(list(itertools.product((0, 1), repeat=3)))


class Placed(NamedTuple):
    """Parts (n,) of a body at a moment: their motions (n, 12, 2) and cells (n, cells, 3, 2)."""

    motions: np.ndarray
    cells: np.ndarray

    @property
    def corners(self) -> np.ndarray:
        """(k, 3): the corners of all cells in space, except for rounding."""
        motions = self.motions.mean(axis=-1)
        corners = self.cells[:, :, np.arange(3), _CORNERS].reshape(len(motions), -1, 3)
        return (corners @ motions[:, :9].reshape(-1, 3, 3).swapaxes(1, 2) + motions[:, None, 9:]).reshape(-1, 3)

    def away(self, point: np.ndarray) -> np.ndarray:
        """(n,): how far the parts are from a point of space, by their cells, approximately."""
        motions = self.motions.mean(axis=-1)
        own = ((point - motions[:, 9:])[:, None] @ motions[:, :9].reshape(-1, 3, 3))[:, 0, None]
        gaps = np.maximum(np.maximum(self.cells[..., 0] - own, own - self.cells[..., 1]), 0.0)
        return np.asarray(np.abs(gaps).max(axis=-1).min(axis=1))

    def boxes(self, frame: np.ndarray) -> np.ndarray:
        """(n, 3, 2): boxes that hold the parts, in the coordinates `frame` p."""
        turn = np.repeat(np.append(frame.ravel(), np.zeros(3))[None, :, None], 2, axis=2)
        columns = self.motions.reshape(-1, 4, 3, 2)
        columns = np.concatenate([columns[:, :3].swapaxes(1, 2), columns[:, 3:]], axis=1)
        moved = carried(turn, columns.reshape(1, -1, 3, 2)).reshape(-1, 4, 3, 2)
        rotations = moved[:, :3].swapaxes(1, 2).reshape(-1, 9, 2)
        return swept(np.concatenate([rotations, moved[:, 3]], axis=1), self.cells)


def placed(parts: Sequence[Extent], moment: float) -> Placed:
    """The parts of a body at a moment."""
    crowd = crowd_of(tuple(parts))
    which, when = np.arange(len(parts)), np.full((len(parts), 2), moment)
    return Placed(crowd.motions(which, when), crowd.cells(which, when))


def turned_distances(first: Placed, second: Placed) -> tuple[np.ndarray, np.ndarray] | None:
    """(n, m): the distances of parts of two bodies, from below; and, as a promise alone, these and how far the parts are from the nearest
    points of the hulls. None where the hulls are not seen to be apart.

    The frame does not lengthen a vector, so points are as far from each other as their coordinates there at least.
    """
    found = nearest_of_hulls(first.corners, second.corners)
    frame = None if found is None else frame_along(found[1] - found[0])
    if found is None or frame is None:
        return None
    least = least_distances(first.boxes(frame)[:, None], second.boxes(frame)[None])
    return least, least + first.away(found[0])[:, None] + second.away(found[1])[None]


def frame_along(way: np.ndarray) -> np.ndarray | None:
    """(3, 3): about a rotation whose first row is along `way`. Its norm is proved to be at most 1; None where it is not."""
    basis, _ = np.linalg.qr(np.column_stack([way, np.eye(3)]))
    frame = np.asarray(basis.T * _SHORTER)
    # The square of the norm is at most the greatest sum of a row of |F F^T|.
    return frame if np.abs(frame @ frame.T).sum(axis=1).max() < _SHORT else None


def nearest_of_hulls(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The nearest points of the hulls of points (n, 3) and (m, 3), approximately; None where these are not seen to be apart.

    Differences of points are added where these reach farthest against the vector between the hulls (Wolfe 1976, "Finding the nearest point
    in a polytope").
    """
    if not (len(first) and len(second) and np.isfinite(first).all() and np.isfinite(second).all()):
        return None
    size = max(float(np.abs(first).max()), float(np.abs(second).max()), _TINY)
    pairs, shares = np.array([[0, 0]]), np.ones(1)
    for _ in range(_STEPS):
        near, far = shares @ first[pairs[:, 0]], shares @ second[pairs[:, 1]]
        apart = (far - near) / size
        if not np.abs(apart).max() > _APART:
            return None
        reached = [int(np.argmax(first @ apart)), int(np.argmin(second @ apart))]
        if (pairs == reached).all(axis=1).any():
            break
        pairs, shares = np.vstack([pairs, reached]), np.append(shares, 0.0)
        shares = _shortest((second[pairs[:, 1]] - first[pairs[:, 0]]) / size, shares)
        pairs, shares = pairs[shares > 0], shares[shares > 0]
    return near, far


def _shortest(vectors: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """The shares of vectors (n, 3), of a sum of 1 and not negative, with about the shortest sum, from shares on that are no worse."""
    shares, used = shares.copy(), np.arange(len(shares))
    while True:
        base, sides = vectors[used[0]], vectors[used[1:]] - vectors[used[0]]
        others = np.linalg.lstsq(sides.T, -base, rcond=None)[0] if len(used) > 1 else np.empty(0)
        wanted = np.append(1.0 - others.sum(), others)
        falling = wanted <= 0.0
        if not falling.any():
            shares[:], shares[used] = 0.0, wanted
            return shares
        # As far as to the first share that vanishes, and without it.
        steps = shares[used][falling] / np.maximum((shares[used] - wanted)[falling], _TINY)
        step, gone = float(steps.min()), used[falling][np.argmin(steps)]
        shares[used] += step * (wanted - shares[used])
        shares[gone] = 0.0
        used = used[used != gone]
