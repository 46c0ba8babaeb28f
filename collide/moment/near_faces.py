"""Faces of two bodies that may meet at a moment, by their extents along some directions."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.kernel import Kernel

from ..bodies.cells import Cell
from ..bodies.crowd import crowd_of
from ..bodies.extent import Extent, extent_of
from ..bodies.members import fixed_kernel
from ..bodies.motions import row_times
from ..bodies.numbers import Numbers
from ..bodies.parts import faces_of
from ..situations.presence import closely

# Effort only: of no more pairs of faces all are searched.
_FEW = 4


def near_faces(first: Any, second: Any, moment: float, numbers: tuple[Numbers, Numbers]) -> list[tuple[Cell, Cell]] | None:
    """The pairs of faces that may meet at a moment: all others are *proved* apart, along an axis of the world, or of one of the bodies.
    None, which is all, where they are few.
    """
    faces = faces_of(first), faces_of(second)
    if len(faces[0]) * len(faces[1]) <= _FEW:
        return None
    (some, one), (others, other) = (_placed(own, known, moment) for own, known in zip(faces, numbers, strict=True))
    if not one or not other:
        return []
    ways = np.concatenate([np.eye(3), *(_axes(extents[0], moment) for extents in (one, other))])
    p, q = (_reaches(extents, moment, ways) for extents in (one, other))
    apart = ((p[:, None, :, 0] > q[:, :, 1]) | (q[:, :, 0] > p[:, None, :, 1])).any(axis=2)
    return [(some[i], others[j]) for i, j in np.argwhere(~apart)]


def _placed(faces: Sequence[Cell], numbers: Numbers, moment: float) -> tuple[list[Cell], list[Extent]]:
    """Faces, and where they are; without implicit ones of which nothing is there."""
    places = [closely(face, numbers, (moment, moment)) if face.leaves else None for face in faces]
    kept = [(face, box) for face, box in zip(faces, places, strict=True) if box is not None or not face.leaves]
    return ([face for face, _ in kept],
            [extent_of(face, numbers, None if box is None else tuple(map(tuple, box.tolist()))) for face, box in kept])


def _axes(extent: Extent, moment: float) -> np.ndarray:
    """(3, 3): about the axes of a body's own coordinates, in the world. Any directions will do."""
    motion = crowd_of((extent,)).motions(np.zeros(1, np.int64), np.full((1, 2), moment))[0]
    return np.nan_to_num(motion[:9].mean(axis=1)).reshape(3, 3).T


def _reaches(extents: Sequence[Extent], moment: float, ways: np.ndarray) -> np.ndarray:
    """(parts, ways, 2): enclosures of the products of directions with all points of parts at a moment."""
    crowd, which, when = crowd_of(tuple(extents)), np.arange(len(extents)), np.full((len(extents), 2), moment)
    motions, cells = crowd.motions(which, when), crowd.cells(which, when)
    count, ends = cells.shape[1], np.empty((2, *cells.shape[:2], len(ways), 18))
    for k in range(2):
        ends[k, ..., :12], ends[k, ..., 12:15] = motions[:, None, None, :, k], cells[:, :, None, :, k]
        ends[k, ..., 15:] = ways
    lo, hi = _along().interval(*ends.reshape(2, len(extents) * count * len(ways), 18))
    return np.stack([lo.reshape(-1, count, len(ways)).min(axis=1), hi.reshape(-1, count, len(ways)).max(axis=1)], axis=-1)


@functools.cache
def _along() -> Kernel:
    """d (R p + T) in the 9 entries of R, the 3 of T, of p and of d: each of p once, so that p is known as well as that."""
    return fixed_kernel(18, lambda *w: [row_times([row_times(w[15:], w[j:9:3]) for j in range(3)], w[12:15])
                                        + row_times(w[15:], w[9:12])])
