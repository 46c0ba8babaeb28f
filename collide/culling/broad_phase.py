"""Which parts of bodies can touch at all, and when: Snyder 1993, Sections 6 and 7.

A pair of parts has a window of time, outside of which it is *proved* apart: its ends are moved inwards by a search in one dimension, time
(Section 6), in steps that grow, and shrink where that fails (`approach`). Of many parts the pairs are found first: the time span is cut
into slices, and in each every part is enclosed by a box (a bounding box through time) and, if it is rigid, by a sphere round its moving
centre R(t) O + T(t) (the printed formula of Section 6 omits R(t)). Boxes are compared by sweep and prune along one axis. Too many pairs
may survive, never too few, and a window never excludes a moment of contact.
"""

from collections.abc import Sequence

import numpy as np

from ..bodies.extent import Crowd, Extent, swept
from .approach import moved_on
from .approach_loop import MARGIN

# All of these decide only effort: whatever is not proved apart is kept.
SLICES = 64
# Up to so many pairs are compared over the whole time span.
_FEW = 300
# Steps begin with twice the span, or a slice, and are halved no further than so often; backward, and in slices; tries of a pair.
_FINEST, _COARSE, _WITHIN, _TRIES = 12, 7, 6, 64

Window = tuple[float, float]


def windows(parts: Sequence[Extent], owners: Sequence[int], span: Window, slices: int = SLICES) -> dict[tuple[int, int], Window]:
    """For every pair of parts (a, b), a < b, of different owners that may touch: the time outside of which they are *proved* apart."""
    own, span = np.asarray(owners, np.int64), _extended(span)
    if (len(own)**2 - (np.bincount(own)**2).sum()) // 2 <= _FEW:
        pairs = np.argwhere(np.triu(own[:, None] != own))
        begin, end = (np.full(len(pairs), t) for t in span)
        step, finest = np.full(len(pairs), 2.0 * (span[1] - span[0])), _FINEST
        end = moved_on(parts, pairs, end, begin, step, tries=_TRIES, finest=_COARSE, backward=True)
    else:
        pairs, begin, end = _in_slices(parts, own, span, slices)
        step, finest = np.full(len(pairs), (span[1] - span[0]) / slices), _WITHIN
    begin = moved_on(parts, pairs, begin, end, step, tries=_TRIES, finest=finest)
    keep = begin < end
    return {(i, j): (lo, hi) for (i, j), lo, hi in zip(*(values[keep].tolist() for values in (pairs, begin, end)), strict=True)}


def may_meet(pairs: Sequence[tuple[Extent, Extent]], span: Window) -> np.ndarray:
    """Of each pair of parts: may they meet within a span of time? Where not, they are *proved* apart throughout."""
    parts = list(dict.fromkeys(p for pair in pairs for p in pair))
    number = {p: k for k, p in enumerate(parts)}
    rows = np.array([[number[p] for p in pair] for pair in pairs], np.int64).reshape(-1, 2)
    begin, end = (np.full(len(rows), t) for t in _extended(span))
    return moved_on(parts, rows, begin, end, np.full(len(rows), np.inf), tries=1) < end


def _extended(span: Window) -> Window:
    """The span; a single moment, which leaves no way to move on, with the next double."""
    return span if span[0] < span[1] else (span[0], float(np.nextafter(span[0], np.inf)))


# -- many parts -------------------------------------------------------------------------------------------------------------


def _in_slices(parts: Sequence[Extent], owners: np.ndarray, span: Window, slices: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs (n, 2) of parts that may touch, and their windows as ends of slices."""
    times = np.linspace(*span, slices + 1)
    times[0], times[-1] = span
    a, b, when = _meeting(Crowd(parts), owners, np.stack([times[:-1], times[1:]], axis=-1))
    pairs, at = np.unique(a * len(parts) + b, return_inverse=True)
    first, last = np.full(len(pairs), slices), np.zeros(len(pairs), np.int64)
    np.minimum.at(first, at, when)
    np.maximum.at(last, at, when)
    return np.stack([pairs // len(parts), pairs % len(parts)], axis=1), times[first], times[last + 1]


def _meeting(crowd: Crowd, owners: np.ndarray, slices: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parts a < b of different owners and slices k in which their boxes and balls meet."""
    count = len(crowd.parts)
    which, when = np.repeat(np.arange(count), len(slices)), np.tile(slices, (count, 1))
    motion = crowd.motions(which, when)
    balls = crowd.balls(which, motion).reshape(count, len(slices), 7)
    a, b, k = _overlaps(swept(motion, crowd.cells(which, when)).reshape(count, len(slices), 3, 2))
    a, b = np.minimum(a, b), np.maximum(a, b)
    keep = (owners[a] != owners[b]) & _balls_meet(balls[a, k], balls[b, k])
    return a[keep], b[keep], k[keep]


def _overlaps(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parts and slices (a, b, k) in which two boxes (parts, slices, 3, 2) overlap."""
    swept = [np.column_stack([ends, np.full(len(ends), k)]) for k in range(boxes.shape[1])
             for ends in [sweep_and_prune(boxes[:, k, :, 0], boxes[:, k, :, 1])]]
    a, b, k = np.concatenate(swept).T
    return a, b, k


def sweep_and_prune(lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Pairs (k, 2) of boxes (n, 3) that overlap: those that do along the axis of widest spread, tested on the others (Six, Wood 1982)."""
    axis = int(np.argmax(np.ptp(np.where(np.isfinite(lo), lo, 0.0), axis=0)))
    order = np.argsort(lo[:, axis], kind="stable")
    # A box meets along the axis those after it in this order that start before it ends.
    ends = np.searchsorted(lo[order, axis], hi[order, axis], side="right")
    counts = np.maximum(ends - np.arange(1, len(order) + 1), 0)
    left = np.repeat(np.arange(len(order)), counts)
    right = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts) + left + 1
    a, b = order[left], order[right]
    meet = np.all((lo[a] <= hi[b]) & (lo[b] <= hi[a]), axis=1)
    return np.column_stack([a[meet], b[meet]])


def _balls_meet(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Balls (..., 7), 3 lower ends and 3 upper ends of the centre and the radius; a radius of infinity stands for no ball."""
    # A centre that may be anywhere gives NaN, which is not beyond anything; one beyond the square root of the largest double, infinity.
    with np.errstate(invalid="ignore", over="ignore"):
        square = np.zeros(a.shape[:-1])
        for k in range(3):
            square += np.maximum(0.0, np.maximum(a[..., k] - b[..., 3 + k], b[..., k] - a[..., 3 + k])) ** 2
        return ~(np.sqrt(square) > (a[..., 6] + b[..., 6]) * MARGIN)
