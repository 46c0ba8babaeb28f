"""Lower bound of the distance of parts of bodies, by boxes round them in slices of the time."""

from collections.abc import Sequence

import numpy as np

from codegen.deadline import check

from ..bodies.crowd import crowd_of
from ..bodies.extent import Extent, carried, extent_of, swept
from ..bodies.members import enclose
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


def slices_in(ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, 2) slices that cover the stages that end at these times (k + 1,), and the stage (n,) of each; one if there is one moment."""
    if len(ends) == 1:
        return np.array([[ends[0], ends[0]]]), np.zeros(1, np.int64)
    count = -(-SLICES // (len(ends) - 1))
    inner = np.linspace(ends[:-1], ends[1:], count + 1, axis=1)
    inner[:, 0], inner[:, -1] = ends[:-1], ends[1:]
    slices = np.stack([inner[:, :-1], inner[:, 1:]], axis=-1).reshape(-1, 2)
    return slices, np.repeat(np.arange(len(ends) - 1), count)


def boxes_through(parts: Sequence[Extent], slices: np.ndarray, numbers: np.ndarray | None = None) -> np.ndarray:
    """(parts, slices, 3, 2): boxes that hold the parts throughout each slice (slices, 2). `numbers` (slices, p, 2): of a body that follows
    splines, in each slice.
    """
    crowd, count = crowd_of(tuple(parts)), len(slices)
    which, when = np.repeat(np.arange(len(parts)), count), np.tile(slices, (len(parts), 1))
    if numbers is None:
        motions = crowd.motions(which, when)
    else:
        moves = {part.motion: _motions(part, slices, numbers) for part in {p.motion: p for p in parts}.values()}
        motions = np.concatenate([moves[part.motion] for part in parts])
    found = np.empty((len(which), 3, 2))
    for begin in range(0, len(which), _AT_ONCE):
        check()
        some = slice(begin, begin + _AT_ONCE)
        found[some] = swept(motions[some], crowd.cells(which[some], when[some]))
    return np.where(np.isfinite(found), found, [-np.inf, np.inf]).reshape(len(parts), count, 3, 2)


def _motions(part: Extent, slices: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """(slices, 12, 2): the motion of a part with these numbers of its body in each slice."""
    return enclose(part.placing.kernel, slices[:, None], numbers[:, part.moving])


def boxes_of_faces(faces: Faces, numbers: Numbers, slices: np.ndarray, table: np.ndarray | None = None) -> np.ndarray:
    """The same of the triangles of a mesh; `table` as `numbers` there."""
    whole = extent_of(faces.whole, numbers)
    motions = crowd_of((whole,)).motions(np.zeros(len(slices), np.int64), slices) if table is None else _motions(whole, slices, table)
    still, found = faces.whole.boxes(), np.empty((len(faces), len(slices), 3, 2))
    for begin in range(0, len(faces), _AT_ONCE):
        check()
        some = slice(begin, begin + _AT_ONCE)
        moved = carried(motions, np.broadcast_to(still[some], (len(slices), *still[some].shape))).swapaxes(0, 1)
        found[some] = np.where(np.isfinite(moved), moved, [-np.inf, np.inf])
    return found


def meeting(boxes: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(n,): whether boxes (n, slices, 3, 2) meet those of another body (slices, 3, 2) in a slice."""
    found = np.empty(len(boxes), bool)
    for begin in range(0, len(boxes), _AT_ONCE):
        check()
        some = boxes[begin:begin + _AT_ONCE]
        shared = (some[..., 0] <= other[..., 1]) & (other[..., 0] <= some[..., 1])
        found[begin:begin + _AT_ONCE] = np.any(np.all(shared, axis=2), axis=1)
    return found


def least_distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The distances between boxes (..., 3, 2), from below."""
    gaps = np.maximum(np.maximum(first[..., 0] - second[..., 1], second[..., 0] - first[..., 1]), 0.0)
    return np.where(np.isfinite(gaps).all(axis=-1), _length(gaps, gaps.max(axis=-1)) * (1.0 - _ROUNDING), 0.0)


def greatest_distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The distances between points of boxes (..., 3, 2), from above."""
    return greatest_lengths(np.maximum(first[..., 1] - second[..., 0], second[..., 1] - first[..., 0]))


def greatest_lengths(sizes: np.ndarray) -> np.ndarray:
    """The lengths of vectors whose coordinates have at most these sizes (..., 3), from above."""
    with np.errstate(over="ignore"):
        return np.asarray(_length(sizes, sizes.sum(axis=-1)) * (1.0 + _ROUNDING))


def _length(sizes: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """The lengths of vectors (..., 3), except for rounding; what is given for those whose squares are no good."""
    with np.errstate(over="ignore", invalid="ignore"):
        squared = (sizes**2).sum(axis=-1)
    return np.where((squared > _FAITHFUL) & (squared < np.inf), np.sqrt(squared), otherwise)
