"""Broad phase: pairs of parts that can touch, with windows of time (Snyder 1993, Sections 6 and 7).

A pair of parts has a window of time, outside of which it is *proved* apart: its ends are moved inwards by a search in one dimension, time
(Section 6), in steps that grow, and shrink where that fails (`approach`). Of many parts the pairs are found first: the time span is cut
into slices, and in each every part is enclosed by a box (a bounding box through time) and, if it is rigid, by a sphere round its moving
centre R(t) O + T(t) (the printed formula of Section 6 omits R(t)). Boxes are compared by sweep and prune (`sweep`). Too many pairs
may survive, never too few, and a window never excludes a moment of contact.
"""

from collections.abc import Callable, Sequence

import numpy as np

from codegen.deadline import check

from ..bodies.crowd import Crowd, crowd_of
from ..bodies.extent import Extent, swept
from .approach import Approach
from .approach_loop import MARGIN
from .sweep import Sweep, numbered

# All of these decide only effort: whatever is not proved apart is kept.
SLICES = 64
# Up to so many pairs are compared over the whole time span.
_FEW = 300
# Of more, parts are enclosed in windows of so many slices, after the whole span, and in slices: what meets nothing in a window is looked at
# no closer. Where more pairs for each part are to be tested than this, shorter windows come at once; so many parts in windows are enclosed
# at a time.
_LENGTHS, _LISTED, _ROWS = (8, 1), 64, 1 << 13
# Steps begin with twice the span, or a slice, and are halved no further than so often; backward, and in slices; tries of a pair.
_FINEST, _COARSE, _WITHIN, _TRIES = 12, 7, 6, 64
# Parts of so few bodies are compared with boxes round each other body first.
_BODIES = 32

Window = tuple[float, float]
Asked = Callable[[np.ndarray, np.ndarray], np.ndarray]
Shared = Callable[[np.ndarray, np.ndarray], np.ndarray]


def windows(parts: Sequence[Extent], owners: Sequence[int] | np.ndarray, span: Window, slices: int = SLICES,
            asked: Asked | None = None, shared: Shared | None = None) -> dict[tuple[int, int], Window]:
    """For every pair of parts (a, b), a < b, of different owners that may touch: the time outside of which they are *proved* apart.

    `asked`: of owners i < j, arrays, which pairs are looked at (default: all). `shared`: likewise, how many factors their motions begin
    with in common (default: none).
    """
    own, span = np.asarray(owners, np.int64), _extended(span)
    if (len(own)**2 - (np.bincount(own)**2).sum()) // 2 <= _FEW:
        pairs = _asked(np.argwhere(np.triu(own[:, None] != own)), own, asked)
        begin, end = (np.full(len(pairs), t) for t in span)
        step, finest = np.full(len(pairs), 2.0 * (span[1] - span[0])), _FINEST
    else:
        pairs, begin, end = _in_slices(parts, own, span, slices, asked)
        step, finest = np.full(len(pairs), (span[1] - span[0]) / slices), _WITHIN
    approach = Approach(parts, pairs, shared(*own[pairs].T) if shared else None)
    if finest == _FINEST:
        end = approach.moved_on(end, begin, step, tries=_TRIES, finest=_COARSE, backward=True)
    begin = approach.moved_on(begin, end, step, tries=_TRIES, finest=finest)
    keep = begin < end
    return {(i, j): (lo, hi) for (i, j), lo, hi in zip(*(values[keep].tolist() for values in (pairs, begin, end)), strict=True)}


def closer(pairs: Sequence[tuple[Extent, Extent]], begin: Sequence[float], end: Sequence[float], least: float = 0.0) -> list[Window]:
    """Windows of pairs of parts, of which each is *proved* apart outside of its time from `begin` to `end`, by more than `least`, that may
    be shorter; where they are proved so throughout they end as they begin.
    """
    parts, rows = _numbered(pairs)
    lo, hi = np.array(begin, float), np.array(end, float)
    step = np.where(lo < hi, 2.0 * (hi - lo), np.inf)
    approach = Approach(parts, rows)
    hi = approach.moved_on(hi, lo, step, tries=_TRIES, finest=_COARSE, backward=True, least=least)
    lo = approach.moved_on(lo, hi, step, tries=_TRIES, finest=_FINEST, least=least)
    return list(zip(lo.tolist(), hi.tolist(), strict=True))


def _numbered(pairs: Sequence[tuple[Extent, Extent]]) -> tuple[list[Extent], np.ndarray]:
    """The different parts, and of each pair their numbers (n, 2)."""
    parts = list(dict.fromkeys(p for pair in pairs for p in pair))
    number = {p: k for k, p in enumerate(parts)}
    return parts, np.array([[number[p] for p in pair] for pair in pairs], np.int64).reshape(-1, 2)


def may_meet(pairs: Sequence[tuple[Extent, Extent]], span: Window) -> np.ndarray:
    """Whether the parts of each pair may meet within a span of time. Where not, they are *proved* apart throughout."""
    parts, rows = _numbered(pairs)
    begin, end = (np.full(len(rows), t) for t in _extended(span))
    return Approach(parts, rows).moved_on(begin, end, np.full(len(rows), np.inf), tries=1) < end


def _extended(span: Window) -> Window:
    """The span; a single moment, which leaves no way to move on, with the next double."""
    return span if span[0] < span[1] else (span[0], float(np.nextafter(span[0], np.inf)))


# -- many parts -------------------------------------------------------------------------------------------------------------


def _in_slices(parts: Sequence[Extent], owners: np.ndarray, span: Window, slices: int,
               asked: Asked | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs (n, 2) of parts that may touch, and their windows as ends of slices."""
    times = np.linspace(*span, slices + 1)
    times[0], times[-1] = span
    a, b, when = _meeting(crowd_of(tuple(parts)), owners, times, asked)
    pairs, at = np.unique(a * len(parts) + b, return_inverse=True)
    first, last = np.full(len(pairs), slices), np.zeros(len(pairs), np.int64)
    np.minimum.at(first, at, when)
    np.maximum.at(last, at, when)
    return np.stack([pairs // len(parts), pairs % len(parts)], axis=1), times[first], times[last + 1]


def _meeting(crowd: Crowd, owners: np.ndarray, times: np.ndarray, asked: Asked | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parts a < b of different owners and slices k in which their boxes and balls meet.

    Windows of many slices come first: a part goes on to the shorter ones of those windows alone in which it meets another one. So do boxes
    round boxes, before those round all cells.
    """
    slices = len(times) - 1
    which, first, long = np.arange(len(crowd.parts)), np.zeros(len(crowd.parts), np.int64), slices
    for length in (slices, *(n for n in _LENGTHS if n < slices), 0):
        check()
        which, first, long = *_divided(which, first, np.minimum(first + long, slices), max(length, 1)), max(length, 1)
        motion, boxes = _swept(crowd, which, times[np.stack([first, np.minimum(first + long, slices)], axis=1)], closely=length == 0)
        some = _near_others(boxes, owners[which], first)
        which, first, motion, boxes = which[some], first[some], motion[some], boxes[some]
        sweep = Sweep(boxes[..., 0], boxes[..., 1], first)
        if length == 0 or sweep.tests < _LISTED * len(which):
            pairs = _asked(sweep.pairs(), owners[which], asked)
            some = np.unique(pairs) if length else np.arange(len(which))
            which, first = which[some], first[some]
    balls = crowd.balls(which, motion)
    a, b = pairs[_balls_meet(*(balls[pairs[:, side]] for side in (0, 1)))].T
    return np.minimum(which[a], which[b]), np.maximum(which[a], which[b]), first[a]


def _near_others(boxes: np.ndarray, owners: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """(n,): whether boxes (n, 3, 2) may meet one of another owner in the same group. All where there are many owners.

    So parts of one body, which meet each other everywhere, are not compared.
    """
    found, bodies = np.zeros(len(boxes), bool), np.unique(owners)
    if len(bodies) > _BODIES:
        return ~found
    # An end that is not known may be anywhere.
    lo, hi = np.where(np.isnan(boxes[..., 0]), -np.inf, boxes[..., 0]), np.where(np.isnan(boxes[..., 1]), np.inf, boxes[..., 1])
    numbers, group = np.unique(groups, return_inverse=True)
    for body in bodies.tolist():
        own = owners == body
        least, most = np.full((len(numbers), 3), np.inf), np.full((len(numbers), 3), -np.inf)
        np.minimum.at(least, group[own], lo[own])
        np.maximum.at(most, group[own], hi[own])
        found |= ~own & ((lo <= most[group]) & (least[group] <= hi)).all(axis=1)
    return found


def _divided(which: np.ndarray, first: np.ndarray, end: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Parts in windows of slices, from `first` to `end`, as parts in windows of so many slices each."""
    counts = -(-(end - first) // length)
    return np.repeat(which, counts), np.repeat(first, counts) + length * numbered(counts)


def _swept(crowd: Crowd, which: np.ndarray, times: np.ndarray, closely: bool) -> tuple[np.ndarray, np.ndarray]:
    """Motions (rows, 12, 2) of parts in windows of time (rows, 2), and boxes (rows, 3, 2) that hold the parts throughout: round their cells
    (`closely`), or round boxes that hold these.
    """
    motion = crowd.motions(which, times)
    rows = [slice(k, k + _ROWS) for k in range(0, len(which), _ROWS)]
    boxes = [swept(motion[some], (crowd.cells if closely else crowd.hulls)(which[some], times[some])) for some in rows]
    return motion, np.concatenate([np.empty((0, 3, 2)), *boxes])


def _asked(pairs: np.ndarray, owners: np.ndarray, asked: Asked | None) -> np.ndarray:
    """Those of the pairs (n, 2) of different owners that are asked about."""
    i, j = owners[pairs].reshape(-1, 2).T
    keep = i != j
    if asked is not None:
        keep &= asked(np.minimum(i, j), np.maximum(i, j))
    return np.asarray(pairs[keep])


def _balls_meet(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Balls (..., 7), 3 lower ends and 3 upper ends of the centre and the radius; a radius of infinity stands for no ball."""
    # A centre that may be anywhere gives NaN, which is not beyond anything; one beyond the square root of the largest double, infinity.
    with np.errstate(invalid="ignore", over="ignore"):
        square = np.zeros(a.shape[:-1])
        for k in range(3):
            square += np.maximum(0.0, np.maximum(a[..., k] - b[..., 3 + k], b[..., k] - a[..., 3 + k])) ** 2
        return ~(np.sqrt(square) > (a[..., 6] + b[..., 6]) * MARGIN)
