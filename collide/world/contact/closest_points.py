"""The conditions under which two parts of bodies are nearest to each other, as functions of the places on both (Snyder 1993, Equation 7):
as many as these have parameters.

On a face, the second part, the tangents of the first one lie in its tangent plane, and the way between the points is along its normal.
Where an edge meets an edge, or round a point goes a ball that meets an edge or a corner, the way between the points is across all tangents.
"""

from typing import NamedTuple

import numpy as np

from ..features.local_geometry import LocalGeometry, dots, inverse, products
from ..motion.rotation import crosses
from ..motion.state import BodyState


class ClosestJets(NamedTuple):
    """At m times: the jets of two parts in the world, the `normal` to the first one, from the point of the second to that of the first
    `way`, what is left of the conditions (m, n), and their derivatives by the parameters of both (m, n, n). `bend`: how the normal of a
    face turns along it; None of others.
    """

    one: LocalGeometry
    other: LocalGeometry
    normal: np.ndarray
    bend: np.ndarray | None
    way: np.ndarray
    wanting: np.ndarray
    slope: np.ndarray


def on_face(first: LocalGeometry, second: LocalGeometry, side: float) -> ClosestJets:
    normal, way = side * second.normal, first.point - second.point
    inner = products(second.along, second.along)
    # How the normal of the second part turns along it (Weingarten).
    bend = -_upright(second.bent, normal) @ inverse(inner) @ second.along
    wanting = np.concatenate([dots(first.along, normal), dots(second.along, way)], axis=1)
    m, k = first.along.shape[:2]
    slope = np.empty((m, k + 2, k + 2))
    slope[:, :k, :k], slope[:, :k, k:] = _upright(first.bent, normal), products(first.along, bend)
    slope[:, k:, :k], slope[:, k:, k:] = products(second.along, first.along), _upright(second.bent, way) - inner
    return ClosestJets(first, second, normal, bend, way, wanting, slope)


def across(first: LocalGeometry, second: LocalGeometry, side: float) -> ClosestJets:
    """The jets of two edges, or of a first part that is a point, round which a ball goes."""
    way, (m, k), n = first.point - second.point, first.along.shape[:2], second.along.shape[1]
    upright = side * crosses(first.along[:, 0], second.along[:, 0]) if k else way
    wanting = np.concatenate([dots(first.along, way), dots(second.along, way)], axis=1)
    slope, between = np.empty((m, k + n, k + n)), products(first.along, second.along)
    slope[:, :k, :k], slope[:, :k, k:] = _upright(first.bent, way) + products(first.along, first.along), -between
    slope[:, k:, :k], slope[:, k:, k:] = np.swapaxes(between, 1, 2), _upright(second.bent, way) - products(second.along, second.along)
    return ClosestJets(first, second, upright / np.maximum(sizes(upright), 1e-300)[:, None], None, way, wanting, slope)


def rates(found: ClosestJets, one: BodyState, other: BodyState) -> tuple[np.ndarray, np.ndarray]:
    """The rates of the places on both parts, by their parameters."""
    first, second, k = found.one, found.other, found.one.along.shape[1]
    apart = one.at(first.point) - other.at(second.point)
    turned, its = (crosses(place.spin[:, None], part.along) for place, part in ((one, first), (other, second)))
    begun = (dots(first.along, crosses(other.spin, found.normal)) + dots(turned, found.normal) if found.bend is not None else
             dots(first.along, apart) + dots(turned, found.way))
    moved = np.concatenate([begun, dots(its, found.way) + dots(second.along, apart)], axis=1)
    by = -np.linalg.solve(found.slope, moved[..., None])[..., 0]
    return by[:, :k], by[:, k:]


def turning(found: ClosestJets, one: BodyState, other: BodyState, by: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The rate (m, 3) of the normal, while the places on the parts move so."""
    if found.bend is not None:
        return np.asarray(crosses(other.spin, found.normal) + (at[:, None] @ found.bend)[:, 0])
    if by.shape[1]:
        a, b = found.one.along[:, 0], found.other.along[:, 0]
        first = crosses(one.spin, a) + by[:, :1] * found.one.bent[:, 0, 0]
        second = crosses(other.spin, b) + at[:, :1] * found.other.bent[:, 0, 0]
        upright = crosses(a, b)
        turned = (crosses(first, b) + crosses(a, second)) * np.copysign(1.0, (upright * found.normal).sum(axis=1))[:, None]
        size = sizes(upright)
    else:
        turned = one.at(found.one.point) - other.at(found.other.point) - (at[:, None] @ found.other.along)[:, 0]
        size = sizes(found.way)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((turned - (turned * found.normal).sum(axis=1)[:, None] * found.normal) / size[:, None])


class Growth(NamedTuple):
    """Growth of the distance, or its square, with k parameters, while others follow: the slope (m, k) and the second derivative (m, k, k)
    by the parameters, the lengths' products (m, k, k), and the least and the greatest curvature (m,).
    """

    slope: np.ndarray
    second: np.ndarray
    lengths: np.ndarray
    least: np.ndarray
    most: np.ndarray


def growth(found: ClosestJets) -> Growth:
    """Along the first part, while a face, the second one, follows; along the second, if the first is a point; else along both."""
    (m, k), slope, wanting = found.one.along.shape[:2], found.slope, found.wanting
    if not wanting.shape[1]:
        return Growth(wanting, slope, slope, np.ones(m), np.ones(m))
    if k and found.bend is not None:
        follows = slope[:, :k, k:] @ inverse(slope[:, k:, k:])
        first = wanting[:, :k] - (follows @ wanting[:, k:, None])[..., 0]
        second, lengths = slope[:, :k, :k] - follows @ slope[:, k:, :k], products(found.one.along, found.one.along)
    else:
        signs = np.concatenate([np.ones(k), -np.ones(wanting.shape[1] - k)])
        along = np.concatenate([found.one.along, found.other.along], axis=1)
        first, second, lengths = signs * wanting, signs[:, None] * slope, products(along, along)
        lengths = lengths if k == 0 else lengths * np.eye(len(signs))
    return Growth(first, second, lengths, *_curvatures(second, lengths))


def _curvatures(second: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with np.errstate(all="ignore"):
        if second.shape[1] == 1:
            only = second[:, 0, 0] / lengths[:, 0, 0]
            return only, only
        e, f, g = lengths[:, 0, 0], lengths[:, 0, 1], lengths[:, 1, 1]
        area = e * g - f * f
        mean = (second[:, 0, 0] * g - (second[:, 0, 1] + second[:, 1, 0]) * f + second[:, 1, 1] * e) / (2.0 * area)
        product = (second[:, 0, 0] * second[:, 1, 1] - second[:, 0, 1] * second[:, 1, 0]) / area
        most = mean + np.copysign(np.sqrt(np.maximum(mean * mean - product, 0.0)), mean)
        least = np.where(most == 0.0, 0.0, product / most)
        return np.minimum(least, most), np.maximum(least, most)


def step(found: ClosestJets) -> np.ndarray:
    """(m, n): to the least distance, also from where it does not bend that way; not finite where there is none."""
    grown, k = growth(found), found.one.along.shape[1]
    if not found.wanting.shape[1]:
        return found.wanting
    with np.errstate(all="ignore"):
        by = -(inverse(grown.second) @ grown.slope[..., None])[..., 0]
        bent = ~(grown.least > 0.0)
        if bent.any():
            by[bent] = _downward(Growth(*(e[bent] for e in grown)))
        if by.shape[1] == found.wanting.shape[1]:
            return by
        rest = found.wanting[:, k:] + (found.slope[:, k:, :k] @ by[..., None])[..., 0]
        return np.concatenate([by, -(inverse(found.slope[:, k:, k:]) @ rest[..., None])[..., 0]], axis=1)


def _downward(grown: Growth) -> np.ndarray:
    """Along the axes of the second derivative, each as if it bent the other way."""
    root = _root(grown.lengths)
    turned = root @ grown.second @ np.swapaxes(root, 1, 2)
    known = np.isfinite(turned).all(axis=(1, 2))
    bends, axes = np.linalg.eigh(np.where(known[:, None, None], turned, 0.0))
    back = np.swapaxes(axes, 1, 2) @ root @ grown.slope[..., None]
    by = -np.swapaxes(root, 1, 2) @ axes @ (back / np.maximum(np.abs(bends), 1e-300)[..., None])
    return np.where(known[:, None], by[..., 0], np.nan)


def _root(lengths: np.ndarray) -> np.ndarray:
    """R with R lengths R^T = 1, of (m, 1, 1) or (m, 2, 2)."""
    found = np.zeros(lengths.shape)
    found[:, 0, 0] = 1.0 / np.sqrt(lengths[:, 0, 0])
    if lengths.shape[1] == 2:
        aside = lengths[:, 1, 0] * found[:, 0, 0]
        found[:, 1, 1] = 1.0 / np.sqrt(lengths[:, 1, 1] - aside * aside)
        found[:, 1, 0] = -aside * found[:, 0, 0] * found[:, 1, 1]
    return found


def _upright(bent: np.ndarray, way: np.ndarray) -> np.ndarray:
    """(m, k, k): products of (m, k, k, 3) and (m, 3)."""
    return np.asarray((bent @ way[:, None, :, None])[..., 0])


def sizes(rows: np.ndarray) -> np.ndarray:
    return np.asarray(np.sqrt((rows * rows).sum(axis=-1)))
