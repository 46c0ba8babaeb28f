"""Which parts of bodies can touch at all, and when: Snyder 1993, Sections 6 and 7.

The time span is cut into slices. In each, every part is enclosed by a box (a bounding box through time) and, if it is rigid, by a sphere
round its moving centre R(t) O + T(t) (the printed formula of Section 6 omits R(t)). Boxes are compared by sweep and prune along one
axis. A pair whose boxes and spheres meet in some slices has these as its window of time; the beginning of the window is then moved on
by a search in one dimension, time (Section 6): as long as the two are proved apart, in steps that grow, and shrink where that fails.
There a part is a set of cells, compared in frames that turn with the bodies. Too many pairs may survive, never too few, and a window
never excludes a moment of contact.
"""

import functools
from collections.abc import Sequence

import numpy as np

from codegen.kernel import Kernel

from .extent import NO_NUMBERS, Crowd, Extent, carried, enclose, fixed_kernel, row_times

SLICES = 64
# Up to so many parts all pairs are compared at once.
_FEW = 24
# The beginning of a window is found to this fraction of a slice, in at most so many rounds.
_FINEST, _ROUNDS = 1.0 / 64, 48

# Distances are compared in ordinary arithmetic: fewer than 2^5 operations of relative error 2^-53 each. A rotation given as a
# matrix may be off by 1e-12 of a length. Both stay within this margin.
_MARGIN = 1.0 + 2.0**-36

Window = tuple[float, float]


def windows(parts: Sequence[Extent], owners: Sequence[int], span: Window, slices: int = SLICES) -> dict[tuple[int, int], Window]:
    """For every pair of parts (a, b), a < b, of different owners that may touch: the time outside of which they are *proved* apart."""
    times = np.linspace(*span, slices + 1)
    times[0], times[-1] = span
    crowd = Crowd(parts)
    a, b, when = _meeting(crowd, np.asarray(owners), np.stack([times[:-1], times[1:]], axis=-1))
    pairs, at = np.unique(a * len(parts) + b, return_inverse=True)
    first, last = np.full(len(pairs), slices), np.zeros(len(pairs), np.int64)
    np.minimum.at(first, at, when)
    np.maximum.at(last, at, when)
    a, b = pairs // len(parts), pairs % len(parts)
    ends = times[last + 1]
    begin = _advanced(crowd, a, b, times[first], ends, (span[1] - span[0]) / slices)
    keep = begin < ends
    return {(i, j): (lo, hi) for i, j, lo, hi in zip(*(values[keep].tolist() for values in (a, b, begin, ends)), strict=True)}


def _meeting(crowd: Crowd, owners: np.ndarray, slices: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parts a < b of different owners and slices k in which their boxes and balls meet."""
    boxes, balls = _enclosures(crowd, slices)
    a, b, when = _overlaps(boxes)
    a, b = np.minimum(a, b), np.maximum(a, b)
    keep = (owners[a] != owners[b]) & _balls_meet(balls[a, when], balls[b, when])
    return a[keep], b[keep], when[keep]


def _overlaps(boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parts and slices (a, b, k) in which two boxes (parts, slices, 3, 2) overlap: all pairs of a few, else by sweep and prune."""
    if len(boxes) <= _FEW:
        a, b = np.triu_indices(len(boxes), 1)
        meet = np.all((boxes[a, ..., 0] <= boxes[b, ..., 1]) & (boxes[b, ..., 0] <= boxes[a, ..., 1]), axis=-1)
        pair, k = np.nonzero(meet)
        return a[pair], b[pair], k
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
    """Balls as rows (3 lower ends, 3 upper ends of the centre, radius); a radius of infinity stands for no ball."""
    with np.errstate(invalid="ignore"):  # a centre that may be anywhere: NaN, which is not beyond anything
        apart = np.maximum(0.0, np.maximum(a[:, :3] - b[:, 3:6], b[:, :3] - a[:, 3:6]))
        return ~(np.sqrt((apart**2).sum(axis=1)) > (a[:, 6] + b[:, 6]) * _MARGIN)


def _enclosures(crowd: Crowd, slices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Boxes (parts, slices, 3, 2) and balls (parts, slices, 7) that hold every part throughout every slice."""
    count = len(crowd.parts), len(slices)
    which, times = np.repeat(np.arange(count[0]), count[1]), np.tile(slices, (count[0], 1))
    motion = crowd.motions(which, times)
    cells = carried(motion, crowd.cells(which, times))
    boxes = np.stack([cells[..., 0].min(axis=1), cells[..., 1].max(axis=1)], axis=-1)
    return boxes.reshape(*count, 3, 2), crowd.balls(which, motion).reshape(*count, 7)


def may_meet(pairs: Sequence[tuple[Extent, Extent]], span: Window) -> np.ndarray:
    """Of each pair of parts: may they meet within a span of time? Where not, they are *proved* apart throughout."""
    parts = list({id(p): p for pair in pairs for p in pair}.values())
    number = {id(p): k for k, p in enumerate(parts)}
    a, b = (np.array([number[id(pair[side])] for pair in pairs], np.int64) for side in (0, 1))
    return ~_apart(Crowd(parts), a, b, np.tile(np.array(span), (len(pairs), 1)))


# -- the beginning of a window ----------------------------------------------------------------------------------------------


def _advanced(crowd: Crowd, a: np.ndarray, b: np.ndarray, begin: np.ndarray, end: np.ndarray, slice_width: float) -> np.ndarray:
    """Moments up to which the pairs are *proved* apart from `begin` on: steps that succeed double, others become a quarter."""
    begin, step = begin.copy(), np.full(len(a), slice_width)
    active = np.arange(len(a))
    for _ in range(_ROUNDS):
        if not len(active):
            break
        until = np.minimum(begin[active] + step[active], end[active])
        gone = _apart(crowd, a[active], b[active], np.stack([begin[active], until], axis=1))
        begin[active] = np.where(gone, until, begin[active])
        step[active] *= np.where(gone, 2.0, 0.25)
        active = active[np.where(gone, until < end[active], step[active] >= _FINEST * slice_width)]
    return begin


def _apart(crowd: Crowd, a: np.ndarray, b: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Of each pair of parts: are they *proved* apart throughout a time interval (rows, 2)?"""
    motions = [crowd.motions(which, times) for which in (a, b)]
    apart = ~_balls_meet(crowd.balls(a, motions[0]), crowd.balls(b, motions[1]))
    left = np.flatnonzero(~apart)
    if len(left):
        cells = [crowd.cells(which[left], times[left]) for which in (a, b)]
        near = [m[left] for m in motions]
        apart[left] = _cells_apart(*near, *cells) | _cells_apart(*near[::-1], *cells[::-1])
    return apart


def _cells_apart(first: np.ndarray, second: np.ndarray, cells: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Do no two cells, carried by their motions (rows, 12, 2), share a point in any frame that turns with the first body?

    Both are mapped by a fixed matrix, about the inverse of the first rotation: where the images are apart, so are the cells, whatever the
    matrix. A common translation is taken away before.
    """
    count = len(first)
    back = 0.5 * (first[:, :9, 0] + first[:, :9, 1]).reshape(-1, 3, 3).transpose(0, 2, 1).reshape(-1, 9)
    back = np.where(np.isfinite(back), back, 0.0)
    still = np.repeat(back[..., None], 2, axis=2)
    shift = enclose(_shift_kernel(), np.concatenate([first[:, 9:], second[:, 9:]], axis=1), NO_NUMBERS)
    zero = np.zeros((count, 3, 2))
    turned = [enclose(_turn_kernel(), np.concatenate([still, m[:, :9], s], axis=1), NO_NUMBERS)
              for m, s in ((first, zero), (second, shift))]
    a, b = carried(turned[0], cells), carried(turned[1], others)
    separate = (a[:, :, None, :, 0] > b[:, None, :, :, 1]) | (b[:, None, :, :, 0] > a[:, :, None, :, 1])
    return np.asarray(np.all(np.any(separate, axis=-1), axis=(1, 2)))


@functools.cache
def _shift_kernel() -> Kernel:
    return fixed_kernel(6, lambda *w: [w[3 + i] - w[i] for i in range(3)])


@functools.cache
def _turn_kernel() -> Kernel:
    """N R and N T in the 9 entries of N, the 9 of R and the 3 of T."""
    return fixed_kernel(21, lambda *w: [*(row_times(w[3 * i:3 * i + 3], w[9 + j:18:3]) for i in range(3) for j in range(3)),
                                        *(row_times(w[3 * i:3 * i + 3], w[18:]) for i in range(3))])
