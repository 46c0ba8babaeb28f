"""Directions between the outward normals of the faces that meet in an edge or a corner: those of contacts there."""

import numpy as np

from ..motion.rotation import crosses
from ..motion.state import BodyState
from .local_geometry import Part

# Normals that are out by no more are parallel; and a direction that is a sum of normals but for so much counts as one.
_PARALLEL, _ASIDE = 1e-9, 1e-6


def outward(way: np.ndarray, normals: np.ndarray) -> bool:
    """Whether a direction is a sum of some of the outward normals, where they are known."""
    from scipy.optimize import nnls

    return not len(normals) or bool(nnls(normals.T, way)[1] <= _ASIDE)


def aside(part: Part, at: np.ndarray, way: np.ndarray, place: BodyState) -> np.ndarray:
    """(m,): how far unit directions are outside of those between the outward normals of an edge or a corner, at places on it."""
    own = (way[:, None] @ place.turn)[:, 0]
    if part.dimension == 2 or not len(own):
        return np.full(len(own), -np.inf)
    along = [inward(part.normals(at[0]))] * len(own) if part.straight else [inward(part.normals(e)) for e in at]
    return np.array([(e @ w).max(initial=-np.inf) for e, w in zip(along, own, strict=True)])


def inward(normals: np.ndarray) -> np.ndarray:
    """(d, 3): unit directions along the faces that meet in an edge or a corner with these outward normals (k, 3), whose sums are all that
    lead into the body there: a direction is a sum of the normals if it goes along none of these. None of fewer than two faces.
    """
    if len(normals) < 2:
        return np.empty((0, 3))
    dots = normals @ normals.T
    found = crosses(normals[:, None], normals[None]).reshape(-1, 3) if len(normals) > 2 else -(normals[::-1] - dots[0, 1] * normals)
    lengths = np.linalg.norm(found, axis=1)
    found = found[lengths > _PARALLEL] / lengths[lengths > _PARALLEL, None]
    return np.asarray(found[(found @ normals.T <= _PARALLEL).all(axis=1)])
