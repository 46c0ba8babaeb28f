"""Local geometry of a feature at a point: position, tangents, second derivatives.

The features are in `straight`, `curved` and `creases`.

A place on a part is a row of numbers: none on a point, one on an edge, two on a flat face. All is asked of m places at once.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np


class Lost(Exception):
    """There is no place, or not one alone, that was to be found."""


class LocalGeometry(NamedTuple):
    """At m places of a part of k dimensions: `point` (m, 3), tangents `along` (m, k, 3), their derivatives `bent` (m, k, k, 3), and unit
    `normal` (m, 3) outward.
    """

    point: np.ndarray
    along: np.ndarray
    bent: np.ndarray
    normal: np.ndarray


class Part(Protocol):
    """A part with which a body touches, as seen from its centre of mass, of a `dimension`, `straight` if it does not bend, with `points`
    (n, 3) of it, no part of it farther than `spacing` from all of these except for its bend. Of places (m, :) `moved` are those whose
    parameters are so much greater, (m, k), to first order, NaN where there is none; `beyond` (m,): how far outside the border they are,
    less than 0 inside; `start`: those of some of the points; `normals` (j, 3) at one place (:,): outward, of the faces that meet in an edge
    or a corner; none where that is not known, or where no side is the inside.
    """

    def __hash__(self) -> int: ...

    @property
    def dimension(self) -> int: ...

    @property
    def straight(self) -> bool: ...

    @property
    def points(self) -> np.ndarray: ...

    @property
    def spacing(self) -> float: ...

    def jet(self, at: np.ndarray) -> LocalGeometry: ...

    def moved(self, at: np.ndarray, by: np.ndarray) -> np.ndarray: ...

    def beyond(self, at: np.ndarray) -> np.ndarray: ...

    def start(self, which: np.ndarray) -> np.ndarray: ...

    def normals(self, at: np.ndarray) -> np.ndarray: ...

    def heights(self, points: np.ndarray) -> np.ndarray:
        """(n,): about how far points (n, 3) near to it are from it, less than 0 inside, where that is known."""
        ...

    def toward(self, points: np.ndarray) -> np.ndarray:
        """Places (n, :) near points (n, 3); NaN where none is found."""
        ...

    def lows(self, values: np.ndarray) -> np.ndarray:
        """(m, n): whether values (m, n) at its points are not greater than those of their neighbours."""
        ...


def spread_of(points: np.ndarray) -> float:
    """The greatest distance of points (m, 3) from the middle of them."""
    return float(np.linalg.norm(points - points.mean(axis=0), axis=1).max())


def away(own: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,): how far points (n, 3) are from the nearest of a few others, and which these are."""
    far = np.linalg.norm(own - points[:, None], axis=2)
    which = far.argmin(axis=1)
    return far[np.arange(len(points)), which], which


def onto(points: np.ndarray, way: Callable[[np.ndarray], np.ndarray], close: float, steps: int) -> np.ndarray:
    """The places where steps `way` from points (n, 3), one after the other, come to no more than `close`; NaN where they do not."""
    found, left = np.full(points.shape, np.nan), np.arange(len(points))
    for _ in range(steps if len(points) else 0):
        by = way(points)
        points = points + by
        there = np.abs(by).max(axis=1) <= close
        found[left[there]] = points[there]
        on = ~there & np.isfinite(by).all(axis=1)
        left, points = left[on], points[on]
        if not len(left):
            break
    return found


def least(values: np.ndarray) -> np.ndarray:
    """(m, n): where the least of each row is."""
    found = np.zeros(values.shape, bool)
    found[np.arange(len(values)), values.argmin(axis=1)] = True
    return found


def lows(values: np.ndarray, closed: bool) -> np.ndarray:
    """(m, n): whether values in rows, or rings, are not greater than their neighbours."""
    around = np.pad(values, ((0, 0), (1, 1)), "wrap" if closed else "edge")
    return np.asarray((values <= around[:, :-2]) & (values <= around[:, 2:]))


def units(rows: np.ndarray) -> np.ndarray:
    """Vectors (m, 3) of length 1; those that have none are left out."""
    sizes = np.linalg.norm(rows, axis=1)
    return rows[sizes > 0.0] / sizes[sizes > 0.0, None]


def inverse(matrix: np.ndarray) -> np.ndarray:
    """The inverses of matrices (m, 1, 1) or (m, 2, 2); of one that has none, numbers that are not finite."""
    with np.errstate(all="ignore"):
        if matrix.shape[1] == 1:
            return np.where(matrix == 0.0, np.nan, 1.0 / matrix)
        found, (a, b, c, d) = np.empty(matrix.shape), (matrix[:, i, j] for i in (0, 1) for j in (0, 1))
        size = a * d - b * c
        found[:, 0, 0], found[:, 0, 1], found[:, 1, 0], found[:, 1, 1] = d, -b, -c, a
        return found / np.where(size == 0.0, np.nan, size)[:, None, None]


def dots(rows: np.ndarray, way: np.ndarray) -> np.ndarray:
    """(m, k): products of vectors (m, k, 3) and (m, 3)."""
    return np.asarray((rows @ way[..., None])[..., 0])


def products(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(m, k, n): of vectors (m, k, 3) and (m, n, 3)."""
    return np.asarray(one @ np.swapaxes(other, 1, 2))
