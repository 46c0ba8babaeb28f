"""Lower bound of the distance of parts of bodies, by boxes round them in slices of the time."""

import functools
from collections.abc import Sequence

import numpy as np

from codegen.deadline import check

from ..bodies.crowd import crowd_of
from ..bodies.extent import Extent, carried, extent_of, swept
from ..bodies.mesh_cells import Faces
from ..bodies.numbers import Numbers

# The span is cut into so many slices.
SLICES = 16
# So many triangles are looked at between two looks at the clock.
_AT_ONCE = 1 << 12
# What a length of three coordinates may lose by rounding: some units of 2^-53.
_ROUNDING = 2.0**-46
# Sums of squares above this, and below infinity, have lost no digits: squares that are less than the smallest normal double, 2^-1022, are
# off by 2^-1074 at most.
_FAITHFUL = 2.0**-960


@functools.lru_cache(maxsize=64)
def slices_of(span: tuple[float, float]) -> np.ndarray:
    """(n, 2), not to be written to: slices that cover the span of time; one if it is a moment."""
    if span[0] == span[1]:
        return np.array([span])
    ends = np.linspace(*span, SLICES + 1)
    ends[0], ends[-1] = span
    return np.column_stack([ends[:-1], ends[1:]])


def boxes_through(parts: Sequence[Extent], slices: np.ndarray) -> np.ndarray:
    """(parts, slices, 3, 2): boxes that hold the parts throughout each slice (slices, 2)."""
    crowd, count = crowd_of(tuple(parts)), len(slices)
    which, when = np.repeat(np.arange(len(parts)), count), np.tile(slices, (len(parts), 1))
    found = swept(crowd.motions(which, when), crowd.cells(which, when)).reshape(len(parts), count, 3, 2)
    return np.where(np.isfinite(found), found, [-np.inf, np.inf])


def boxes_of_faces(faces: Faces, numbers: Numbers, slices: np.ndarray) -> np.ndarray:
    """The same of the triangles of a mesh."""
    motions = crowd_of((extent_of(faces.whole, numbers),)).motions(np.zeros(len(slices), np.int64), slices)
    still, found = faces.whole.boxes(), np.empty((len(faces), len(slices), 3, 2))
    for begin in range(0, len(faces), _AT_ONCE):
        check()
        some = slice(begin, begin + _AT_ONCE)
        moved = carried(motions, np.broadcast_to(still[some], (len(slices), *still[some].shape))).swapaxes(0, 1)
        found[some] = np.where(np.isfinite(moved), moved, [-np.inf, np.inf])
    return found


def meeting(boxes: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(n,): which of the boxes (n, slices, 3, 2) meet those of another body (slices, 3, 2) in a slice?"""
    found = np.empty(len(boxes), bool)
    for begin in range(0, len(boxes), _AT_ONCE):
        check()
        some = boxes[begin:begin + _AT_ONCE]
        shared = (some[..., 0] <= other[..., 1]) & (other[..., 0] <= some[..., 1])
        found[begin:begin + _AT_ONCE] = np.any(np.all(shared, axis=2), axis=1)
    return found


def least_distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Between boxes (..., 3, 2), from below."""
    gaps = np.maximum(np.maximum(first[..., 0] - second[..., 1], second[..., 0] - first[..., 1]), 0.0)
    return np.where(np.isfinite(gaps).all(axis=-1), _length(gaps, gaps.max(axis=-1)) * (1.0 - _ROUNDING), 0.0)


def greatest_distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Between points of boxes (..., 3, 2), from above."""
    return greatest_lengths(np.maximum(first[..., 1] - second[..., 0], second[..., 1] - first[..., 0]))


def greatest_lengths(sizes: np.ndarray) -> np.ndarray:
    """Of vectors whose coordinates have at most these sizes (..., 3), from above."""
    with np.errstate(over="ignore"):
        return np.asarray(_length(sizes, sizes.sum(axis=-1)) * (1.0 + _ROUNDING))


def _length(sizes: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """But for rounding, of vectors (..., 3); what is given for those whose squares are no good."""
    with np.errstate(over="ignore", invalid="ignore"):
        squared = (sizes**2).sum(axis=-1)
    return np.where((squared > _FAITHFUL) & (squared < np.inf), np.sqrt(squared), otherwise)
