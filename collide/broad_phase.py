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

from codegen.expr import Expr
from codegen.kernel import Kernel

from .extent import NO_NUMBERS, Crowd, Extent, carried, enclose, fixed_kernel, row_times, swept

SLICES = 64
# Up to so many parts all pairs are compared.
_FEW = 24
# The beginning of a window is found to this fraction of a slice, in at most so many rounds.
_FINEST, _ROUNDS = 1.0 / 64, 48
# Of up to so many pairs, steps of these lengths are tried at once, else of the second; and what is tried after a failure.
_FEW_PAIRS, _FACTORS, _SHORTER = 100, (4.0, 1.0), 0.25

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
    count = len(crowd.parts)
    motion = crowd.motions(np.repeat(np.arange(count), len(slices)), np.tile(slices, (count, 1)))
    balls = crowd.balls(np.repeat(np.arange(count), len(slices)), motion).reshape(count, len(slices), 7)
    boxes = np.empty((count, len(slices), 3, 2))
    if count <= _FEW:
        # Boxes cost more than balls, so they come second.
        a, b = np.triu_indices(count, 1)
        pair, when = np.nonzero(_balls_meet(balls[a], balls[b]) & (owners[a] != owners[b])[:, None])
        a, b = a[pair], b[pair]
        wanted = np.full((count, len(slices)), False)
        wanted[a, when] = wanted[b, when] = True
        boxes[wanted] = _boxes(crowd, np.argwhere(wanted), slices, motion)
        keep = ((boxes[a, when, :, 0] <= boxes[b, when, :, 1]) & (boxes[b, when, :, 0] <= boxes[a, when, :, 1])).all(axis=1)
    else:
        boxes[:] = _boxes(crowd, np.argwhere(np.full(boxes.shape[:2], True)), slices, motion).reshape(boxes.shape)
        a, b, when = _overlaps(boxes)
        a, b = np.minimum(a, b), np.maximum(a, b)
        keep = (owners[a] != owners[b]) & _balls_meet(balls[a, when], balls[b, when])
    return a[keep], b[keep], when[keep]


def _boxes(crowd: Crowd, rows: np.ndarray, slices: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """(rows, 3, 2): what holds a part throughout a slice, given as rows of their numbers; `motion` of all parts in all slices."""
    which, when = rows.T
    return swept(motion[which * len(slices) + when], crowd.cells(which, slices[when]))


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
    with np.errstate(invalid="ignore"):  # a centre that may be anywhere: NaN, which is not beyond anything
        square = np.zeros(a.shape[:-1])
        for k in range(3):
            square += np.maximum(0.0, np.maximum(a[..., k] - b[..., 3 + k], b[..., k] - a[..., 3 + k])) ** 2
        return ~(np.sqrt(square) > (a[..., 6] + b[..., 6]) * _MARGIN)


def may_meet(pairs: Sequence[tuple[Extent, Extent]], span: Window) -> np.ndarray:
    """Of each pair of parts: may they meet within a span of time? Where not, they are *proved* apart throughout."""
    parts = list({id(p): p for pair in pairs for p in pair}.values())
    number = {id(p): k for k, p in enumerate(parts)}
    a, b = (np.array([number[id(pair[side])] for pair in pairs], np.int64) for side in (0, 1))
    return ~_apart(Crowd(parts), a, b, np.tile(np.array(span), (len(pairs), 1)))


# -- the beginning of a window ----------------------------------------------------------------------------------------------


def _advanced(crowd: Crowd, a: np.ndarray, b: np.ndarray, begin: np.ndarray, end: np.ndarray, slice_width: float) -> np.ndarray:
    """Moments up to which the pairs are *proved* apart from `begin` on. A round tries steps of several lengths, as long as there are few
    pairs; if the longest succeeds the next ones are longer, else shorter.
    """
    begin, step = begin.copy(), np.full(len(a), slice_width)
    active = np.arange(len(a))
    for _ in range(_ROUNDS):
        if not len(active):
            break
        factors = np.array(_FACTORS if len(active) <= _FEW_PAIRS else _FACTORS[1:2])
        tries, rows = len(factors), np.repeat(active, len(factors))
        until = np.minimum(begin[rows] + step[rows] * np.tile(factors, len(active)), end[rows])
        gone = _apart(crowd, a[rows], b[rows], np.stack([begin[rows], until], axis=1)).reshape(-1, tries)
        best, some = gone.argmax(axis=1), gone.any(axis=1)
        begin[active] = np.where(some, until.reshape(-1, tries)[np.arange(len(active)), best], begin[active])
        grown = np.where(best == 0, 2.0 * factors[0], _SHORTER * factors[best])
        step[active] *= np.where(some, grown, _SHORTER * factors[-1])
        active = active[(begin[active] < end[active]) & ((some & (best == 0)) | (step[active] >= _FINEST * slice_width))]
    return begin


def _apart(crowd: Crowd, a: np.ndarray, b: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Of each pair of parts: are they *proved* apart throughout a time interval (rows, 2)?"""
    count, both, when = len(a), np.concatenate([a, b]), np.concatenate([times, times])
    motion = crowd.motions(both, when)
    balls = crowd.balls(both, motion)
    apart = ~_balls_meet(balls[:count], balls[count:])
    left = np.flatnonzero(~apart)
    if len(left):
        rows, others = np.concatenate([left, left + count]), np.concatenate([left + count, left])
        cells = crowd.cells(both[rows], when[rows])
        separate = _cells_apart(motion[rows], motion[others], cells, np.concatenate([cells[len(left):], cells[:len(left)]]))
        apart[left] = separate[:len(left)] | separate[len(left):]
    return apart


def _cells_apart(first: np.ndarray, second: np.ndarray, cells: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Do no two cells, carried by their motions (rows, 12, 2), share a point in any frame that turns with the first body?

    Both are mapped by a fixed matrix, about the inverse of the first rotation: where the images are apart, so are the cells, whatever the
    matrix. A common translation is taken away before.
    """
    count = len(first)
    back = 0.5 * (first[:, :9, 0] + first[:, :9, 1]).reshape(-1, 3, 3).transpose(0, 2, 1).reshape(-1, 9)
    back = np.where(np.isfinite(back), back, 0.0)
    turned = enclose(_turn_kernel(), np.concatenate([np.repeat(back[..., None], 2, axis=2), first, second], axis=1), NO_NUMBERS)
    images = carried(turned.reshape(2 * count, 12, 2), np.stack([cells, others], axis=1).reshape(2 * count, -1, 3, 2))
    a, b = images[::2], images[1::2]
    separate = np.full((count, a.shape[1], b.shape[1]), False)
    for k in range(3):
        separate |= a[:, :, None, k, 0] > b[:, None, :, k, 1]
        separate |= b[:, None, :, k, 0] > a[:, :, None, k, 1]
    return np.asarray(separate.reshape(count, -1).all(axis=1))


@functools.cache
def _turn_kernel() -> Kernel:
    """N R1 and 0, then N R2 and N (T2 - T1), in the 9 entries of N and the 12 of either motion."""
    def write(*w: Expr) -> list[Expr]:
        n, first, second = w[:9], w[9:21], w[21:]
        shift = [second[9 + i] - first[9 + i] for i in range(3)]
        turned = [[row_times(n[3 * i:3 * i + 3], r[j:9:3]) for i in range(3) for j in range(3)] for r in (first, second)]
        return [*turned[0], *[w[0].pool.constant(0)] * 3, *turned[1], *(row_times(n[3 * i:3 * i + 3], shift) for i in range(3))]

    return fixed_kernel(33, write)
