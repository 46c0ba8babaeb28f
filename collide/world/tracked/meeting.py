"""The conditions under which two parts of bodies are nearest to each other, as functions of the places on both (Snyder 1993, Equation 7):
as many as these have parameters.

On a face, the second part, the tangents of the first one lie in its tangent plane, and the way between the points is along its normal.
Where an edge meets an edge, or round a point goes a ball that meets an edge or a corner, the way between the points is across all tangents.
"""

import math
from typing import NamedTuple

import numpy as np

from ..rotation import cross
from .contact import Place
from .jets import Jet


class Meeting(NamedTuple):
    """The jets of two parts in the world, the `normal` to the first one, from the point of the second to that of the first `way`, what is
    left of the conditions, and their derivatives by the parameters of both. `bend`: how the normal of a face turns along it; None of
    others.
    """

    one: Jet
    other: Jet
    normal: np.ndarray
    bend: np.ndarray | None
    way: np.ndarray
    wanting: np.ndarray
    slope: np.ndarray


def on_face(first: Jet, second: Jet, side: float) -> Meeting:
    normal, way = side * second.normal, first.point - second.point
    inner = second.along @ second.along.T
    # How the normal of the second part turns along it (Weingarten).
    bend = -(second.bent @ normal) @ inverse(inner) @ second.along
    wanting = np.concatenate([first.along @ normal, second.along @ way])
    k = len(first.along)
    slope = np.empty((k + 2, k + 2))
    slope[:k, :k], slope[:k, k:] = first.bent @ normal, first.along @ bend.T
    slope[k:, :k], slope[k:, k:] = second.along @ first.along.T, second.bent @ way - inner
    return Meeting(first, second, normal, bend, way, wanting, slope)


def across(first: Jet, second: Jet, side: float) -> Meeting:
    """Of edges, or round the first part, a point, goes a ball."""
    way, k, n = first.point - second.point, len(first.along), len(second.along)
    upright = side * cross(first.along[0], second.along[0]) if k else way
    wanting = np.concatenate([first.along @ way, second.along @ way])
    slope, between = np.empty((k + n, k + n)), first.along @ second.along.T
    slope[:k, :k], slope[:k, k:] = first.bent @ way + first.along @ first.along.T, -between
    slope[k:, :k], slope[k:, k:] = between.T, second.bent @ way - second.along @ second.along.T
    return Meeting(first, second, upright / max(_length(upright), 1e-300), None, way, wanting, slope)


def rates(found: Meeting, one: Place, other: Place) -> tuple[np.ndarray, np.ndarray]:
    """How the places on both parts move, by their parameters."""
    first, second, k = found.one, found.other, len(found.one.along)
    apart = one.at(first.point) - other.at(second.point)
    begun = (first.along @ cross(other.spin, found.normal) + _across(one.spin, first.along) @ found.normal if found.bend is not None else
             first.along @ apart + _across(one.spin, first.along) @ found.way)
    moved = np.concatenate([begun, _across(other.spin, second.along) @ found.way + second.along @ apart])
    by = -np.linalg.solve(found.slope, moved) if len(moved) else moved
    return by[:k], by[k:]


def turning(found: Meeting, one: Place, other: Place, by: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The rate (3,) of the normal, while the places on the parts move so."""
    if found.bend is not None:
        return cross(other.spin, found.normal) + at @ found.bend
    if len(by):
        (a,), (b,) = found.one.along, found.other.along
        first, second = cross(one.spin, a) + by[0] * found.one.bent[0, 0], cross(other.spin, b) + at[0] * found.other.bent[0, 0]
        turned = cross(first, b) + cross(a, second)
        upright = cross(a, b)
        turned, size = turned * math.copysign(1.0, float(upright @ found.normal)), _length(upright)
    else:
        turned, size = one.at(found.one.point) - other.at(found.other.point) - at @ found.other.along, _length(found.way)
    return np.asarray((turned - (turned @ found.normal) * found.normal) / size)


class Growth(NamedTuple):
    """How the distance, or its square, changes with k parameters, while others follow: the slope (k,) and the second derivative (k, k) by
    the parameters, the lengths' products (k, k), and the least and the greatest curvature.
    """

    slope: np.ndarray
    second: np.ndarray
    lengths: np.ndarray
    least: float
    most: float


def growth(found: Meeting) -> Growth:
    """Along the first part, while a face, the second one, follows; along the second, if the first is a point; else along both."""
    k, slope, wanting = len(found.one.along), found.slope, found.wanting
    if not len(wanting):
        return Growth(wanting, slope, slope, 1.0, 1.0)
    if k and found.bend is not None:
        follows = slope[:k, k:] @ inverse(slope[k:, k:])
        first, second, along = wanting[:k] - follows @ wanting[k:], slope[:k, :k] - follows @ slope[k:, :k], found.one.along
    else:
        signs = np.concatenate([np.ones(k), -np.ones(len(wanting) - k)])
        first, second, along = signs * wanting, signs[:, None] * slope, np.concatenate([found.one.along, found.other.along])
    lengths = along @ along.T if k == 0 or found.bend is not None else np.diag(np.einsum("ki,ki->k", along, along))
    return Growth(first, second, lengths, *_curvatures(second, lengths))


def _curvatures(second: np.ndarray, lengths: np.ndarray) -> tuple[float, float]:
    if len(second) == 1:
        only = float(second[0, 0] / lengths[0, 0])
        return only, only
    ((e, f), (_, g)), ((a, b), (c, d)) = lengths.tolist(), second.tolist()
    area = e * g - f * f
    mean, product = (a * g - (b + c) * f + d * e) / (2.0 * area), (a * d - b * c) / area
    apart = math.sqrt(max(mean * mean - product, 0.0))
    most = mean + math.copysign(apart, mean)
    least = product / most if most else 0.0
    return min(least, most), max(least, most)


def step(found: Meeting) -> np.ndarray:
    """To the least distance, also from where it does not bend that way."""
    grown, k = growth(found), len(found.one.along)
    if not len(found.wanting):
        return found.wanting
    if grown.least > 0.0:
        by = -inverse(grown.second) @ grown.slope
    else:
        root = np.linalg.inv(np.linalg.cholesky(grown.lengths))
        bends, axes = np.linalg.eigh(root @ grown.second @ root.T)
        by = -root.T @ axes @ (axes.T @ (root @ grown.slope) / np.maximum(np.abs(bends), 1e-300))
    if len(by) == len(found.wanting):
        return by
    return np.concatenate([by, -inverse(found.slope[k:, k:]) @ (found.wanting[k:] + found.slope[k:, :k] @ by)])


def inverse(matrix: np.ndarray) -> np.ndarray:
    """Of (1, 1) or (2, 2); of one that has none, what is not finite."""
    if len(matrix) == 1:
        return 1.0 / matrix if matrix[0, 0] else np.full((1, 1), math.nan)
    (a, b), (c, d) = matrix.tolist()
    size = a * d - b * c
    return np.array([[d, -b], [-c, a]]) / size if size else np.full((2, 2), math.nan)


def _across(spin: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.array([cross(spin, row) for row in rows]).reshape(-1, 3)


def _length(way: np.ndarray) -> float:
    return math.hypot(*way.tolist())
