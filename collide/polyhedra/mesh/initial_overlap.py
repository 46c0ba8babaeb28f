"""Intersection of two triangles at rest: exactly, in rationals, with the place in doubles."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...bodies.flat import volume_of

Point = Sequence[Fraction]


def meet_exactly(first: Sequence[Point], second: Sequence[Point], border: bool = False) -> bool:
    """Whether an edge of one triangle strictly crosses the other, or its `border`. If none does, and the triangles meet, then a vertex or
    an edge touches one of the other's vertices, edges or faces, which is a matter of queries.
    """
    return any(_crosses(other[k], other[(k + 1) % 3], face, border) for face, other in ((first, second), (second, first)) for k in range(3))


def _crosses(p: Point, q: Point, face: Sequence[Point], border: bool) -> bool:
    if volume_of(p, *face) * volume_of(q, *face) >= 0:
        return False
    turns = [volume_of(p, q, face[k], face[(k + 1) % 3]) for k in range(3)]
    return any(all(way * x > 0 or (border and x == 0) for x in turns) for way in (1, -1))


def crossing(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Weights (2, 3) of the corners at a point where an edge crosses a triangle, in doubles; NaN where there is none to be found."""
    for side, face, other in ((0, first, second), (1, second, first)):
        for k in range(3):
            p, q = other[k], other[(k + 1) % 3]
            matrix = np.stack([face[1] - face[0], face[2] - face[0], p - q], axis=1)
            if np.linalg.det(matrix) != 0:
                y, z, s = np.linalg.solve(matrix, p - face[0])
                if min(y, z, s, 1 - s, 1 - y - z) >= 0:
                    out = np.zeros((2, 3))
                    out[side], out[1 - side, k], out[1 - side, (k + 1) % 3] = (1 - y - z, y, z), 1 - s, s
                    return out
    return np.full((2, 3), np.nan)
