"""The steps that exclude eight boxes: which weights of rows, and which of the checker's rules (`checker.rules`) will do.

The weights are those of the residual of the linearized rows, made least within the box: of two surfaces the direction between their nearest
points. Where that does not do, Newton's method looks for the nearest points, and the method of multipliers for better weights. What the
checker will find in Arb is computed here in the same way, nearly.
"""

import numpy as np

from codegen.machine.loops import native, parallel
from codegen.machine.structures import LANES

from .algebra import bend_of, hessian, weigh_squares
from .descent import descend, height
from .evaluate import at_trials, evaluate, over_faces
from .memory import AT, CONVEX, FACE, MEAN, NATURAL, NEW, OPEN, OVER, ROUNDED, SINGLE, ProverMemory, slope_of

# Part of all sizes that numbers may be off; sweeps of a linear least value; weights as integers up to this. Where the value in the middle
# is more than such a part of what slopes may take from it, halves will do without second derivatives.
_EXACT, _SWEEPS, _DIGITS, _NEARLY = 1e-13, 4, 200.0, 0.5
# Steps of Newton's method to the nearest points, at most.
_MOST = 6


@native
def weigh_rows(s: ProverMemory) -> None:
    """Weights of rows, and the steps from the middles of boxes, the points of AT, that make the linearized rows least within these."""
    for r in range(s.m):
        _scale(s, r)
        for lane in parallel(LANES):
            s.rest[r, lane] = s.scale[r, lane] * s.jet[AT, r, lane]
    for j in range(s.n):
        for lane in parallel(LANES):
            s.step[j, lane], s.inverse[j, lane] = 0.0, 0.0
        for r in range(s.m):
            k = slope_of(s, r, j)
            for lane in parallel(LANES):
                s.inverse[j, lane] += (s.scale[r, lane] * s.jet[AT, k, lane])**2
        for lane in parallel(LANES):
            total = s.inverse[j, lane]
            s.inverse[j, lane] = 1.0 / total if total > 0.0 else 0.0
    for _ in range(_SWEEPS):
        for j in range(s.n):
            _least(s, j)
    for lane in range(LANES):
        _rounded(s, lane)


@native
def _least(s: ProverMemory, j: int) -> None:
    """Make the linearized rows least by one variable."""
    for lane in parallel(LANES):
        s.best[lane] = 0.0
    for r in range(s.m):
        k, least = slope_of(s, r, j), 0.0 if r >= s.equations else -np.inf
        for lane in parallel(LANES):
            s.best[lane] += s.scale[r, lane] * s.jet[AT, k, lane] * max(s.rest[r, lane], least)
    for lane in parallel(LANES):
        half = 0.5 * (s.hi[j, lane] - s.lo[j, lane])
        new = min(max(s.step[j, lane] - s.best[lane] * s.inverse[j, lane], -half), half)
        change = new - s.step[j, lane]
        s.best[lane] = change if change == change else 0.0
        s.step[j, lane] += s.best[lane]
    for r in range(s.m):
        k = slope_of(s, r, j)
        for lane in parallel(LANES):
            s.rest[r, lane] += s.best[lane] * s.scale[r, lane] * s.jet[AT, k, lane]


@native
def _rounded(s: ProverMemory, lane: int) -> None:
    """The weights, as integers."""
    most = 0.0
    for r in range(s.m):
        w = 0.0 if r >= s.equations and s.rest[r, lane] < 0.0 else s.scale[r, lane] * s.rest[r, lane]
        s.weight[r, lane] = w if abs(w) < np.inf else 0.0
        most = max(most, abs(s.weight[r, lane]))
    for r in range(s.m):
        s.weight[r, lane] = np.round(_DIGITS * s.weight[r, lane] / most) if most > 0.0 else 0.0


@native
def _scale(s: ProverMemory, r: int) -> None:
    """By how much a row is multiplied for all to be of one size; conditions that hold on the whole box do not count."""
    for lane in parallel(LANES):
        s.best[lane] = 0.0
    for j in range(s.n):
        k = slope_of(s, r, j)
        for lane in parallel(LANES):
            s.best[lane] += abs(s.jet[OVER, k, lane]) * 0.5 * (s.hi[j, lane] - s.lo[j, lane])
    for lane in range(LANES):
        size = s.best[lane]
        s.scale[r, lane] = 1.0 / size if s.scaled != 0 and size > 0.0 and size < np.inf else 1.0
        if r >= s.equations and s.jet[OVER, r, lane] + s.jet[OVER, r, LANES + lane] <= 0.0:
            s.scale[r, lane] = 0.0


@native
def natural(s: ProverMemory, lane: int) -> None:
    """One row alone that does not vanish, or rows with weights; and until when a row alone may well do (`soon`)."""
    total, size, rad = 0.0, 0.0, 0.0
    s.soon[lane] = s.lo[s.n - 1, lane]
    single(s, lane)
    for r in range(s.m):
        value, off, w = s.jet[OVER, r, lane], s.jet[OVER, r, LANES + lane], s.weight[r, lane]
        bound = (abs(value) if r < s.equations else value) - off * ROUNDED
        k = slope_of(s, r, s.n - 1)
        falls = (-s.jet[OVER, k, lane] if value > 0.0 or r >= s.equations else s.jet[OVER, k, lane]) - s.jet[OVER, k, LANES + lane]
        if falls > 0.0:
            s.soon[lane] = max(s.soon[lane], s.hi[s.n - 1, lane] + bound / falls)
        # A row that is undefined makes the sum undefined, whatever its weight, as the checker has it.
        total += w * value
        rad += abs(w) * off
        size += abs(w)
    if s.verdict[lane] == OPEN and total - rad * ROUNDED > _EXACT * size:
        s.verdict[lane] = NATURAL


@native
def single(s: ProverMemory, lane: int) -> None:
    """The row alone that tells most clearly that there is no solution, if one does, where all are defined."""
    best = _EXACT
    for r in range(s.m):
        if s.jet[OVER, r, lane] != s.jet[OVER, r, lane]:
            best = np.inf
    for r in range(s.m):
        value, off = s.jet[OVER, r, lane], s.jet[OVER, r, LANES + lane]
        bound = (abs(value) if r < s.equations else value) - off * ROUNDED
        if bound > best * (1.0 + abs(value)):
            best = bound / (1.0 + abs(value))
            s.verdict[lane] = SINGLE
            s.bend[lane] = (r + 1) if value > 0.0 else -(r + 1)


@native
def _slopes(s: ProverMemory, lane: int, square: float) -> None:
    """The face on which w . F + (m/2) |F|^2 is least: a variable in which it is monotone is held at an end; its slopes."""
    for j in range(s.n):
        mid, rad, size = 0.0, 0.0, 0.0
        for r in range(s.m):
            w, q = s.weight[r, lane], 0.0
            if r < s.equations:
                w += square * s.jet[OVER, r, lane]
                q = square * s.jet[OVER, r, LANES + lane]
            k = slope_of(s, r, j)
            if s.where[0, k] >= 0:
                p, x = s.jet[OVER, k, lane], s.jet[OVER, k, LANES + lane]
                size += abs(w) * max(abs(p), 1.0) + q
                mid += w * p
                rad += abs(w) * x + q * (abs(p) + x)
        s.slope[j] = mid
        s.spread[j] = rad
        off = rad * ROUNDED + _EXACT * size
        up, down = mid - off > 0.0 or size == 0.0, mid + off < 0.0
        s.face_lo[j, lane] = s.hi[j, lane] if down else s.lo[j, lane]
        s.face_hi[j, lane] = s.lo[j, lane] if up else s.hi[j, lane]


@native
def mean_value(s: ProverMemory) -> None:
    """By the slopes over the boxes."""
    for lane in range(LANES):
        _slopes(s, lane, 0.0)
        change = 0.0
        for j in range(s.n):
            low, high = s.face_lo[j, lane], s.face_hi[j, lane]
            s.trial[j, lane] = 0.5 * (low + high)
            change += (abs(s.slope[j]) + s.spread[j]) * 0.5 * (high - low)
        s.best[lane] = change
        s.length[lane] = abs(s.slope[s.n - 1]) - s.spread[s.n - 1] * ROUNDED
        for r in range(s.m):
            s.first[r, lane] = s.weight[r, lane]
    at_trials(s)
    evaluate(s, 1, NEW)
    for lane in range(LANES):
        total, size = 0.0, 0.0
        for r in range(s.m):
            total += s.weight[r, lane] * s.jet[NEW, r, lane]
            size += abs(s.weight[r, lane])
        s.tried[lane] = 1 if total < _NEARLY * s.best[lane] else 0
        total -= s.best[lane] * ROUNDED
        if s.verdict[lane] == OPEN and total > _EXACT * size:
            s.verdict[lane] = MEAN
        s.reach[lane] = _apart_until(s, lane, total)


@native
def _apart_until(s: ProverMemory, lane: int, bound: float) -> float:
    """The first time at which a function that is at least `bound` at the end of the time may be 0: before it the mean value excludes the
    box.
    """
    t = s.n - 1
    begin, end = s.lo[t, lane], s.hi[t, lane]
    if s.face_lo[t, lane] == end and s.length[lane] > 0.0:
        begin = max(begin, end + bound / s.length[lane])
    return begin


# -- second order -----------------------------------------------------------------------------------------------------


@native
def convex(s: ProverMemory) -> None:
    """With the weights of the nearest points, of the boxes that are `tried`."""
    for lane in range(LANES):
        for r in range(s.m):
            s.weight[r, lane] = 0.0
        s.square[lane] = 1.0
    s.nearest = 1
    descend(s, _MOST)
    s.nearest = 0
    for lane in range(LANES):
        if s.tried[lane] != 0:
            for r in range(s.m):
                s.weight[r, lane] = s.jet[AT, r, lane]
            _unit(s, lane)
            weigh_squares(s, lane)
    descend(s, 1)
    _second_order(s)


@native
def _unit(s: ProverMemory, lane: int) -> None:
    """Weights of length 1; of conditions none is negative."""
    size = 0.0
    for r in range(s.m):
        if r >= s.equations:
            s.weight[r, lane] = max(s.weight[r, lane], 0.0)
        size += s.weight[r, lane]**2
    size = np.sqrt(size)
    for r in range(s.m):
        s.weight[r, lane] = s.weight[r, lane] / size if size > 0.0 and size < np.inf else 0.0


@native
def _second_order(s: ProverMemory) -> None:
    """As `System.convex`: on the face where the function is least, which lies above its tangent plane at the point, less the bend."""
    for lane in range(LANES):
        if s.tried[lane] != 0:
            _slopes(s, lane, s.square[lane])
        for j in range(s.n):
            s.trial[j, lane] = min(max(s.point[j, lane], s.face_lo[j, lane]), s.face_hi[j, lane])
    over_faces(s)
    evaluate(s, 2, FACE)
    at_trials(s)
    evaluate(s, 1, NEW)
    for lane in range(LANES):
        if s.tried[lane] != 0:
            hessian(s, FACE, lane, True)
            s.bend[lane] = bend_of(s)
            if s.bend[lane] >= 0.0 and _above_plane(s, lane) > 1e-14:
                s.verdict[lane] = CONVEX
                _note(s, lane)


@native
def _note(s: ProverMemory, lane: int) -> None:
    """Write down the step, before other lanes are looked at again."""
    k = s.node[lane]
    s.more[k, 0], s.more[k, 1] = s.square[lane], s.bend[lane]
    for r in range(s.m):
        s.weights[k, r] = s.weight[r, lane]
    for j in range(s.n):
        s.near[k, j] = s.trial[j, lane]


@native
def _above_plane(s: ProverMemory, lane: int) -> float:
    """A lower bound of the function on the face."""
    bound = height(s, NEW, lane)
    for j in range(s.n):
        low, high, at = s.face_lo[j, lane], s.face_hi[j, lane], s.trial[j, lane]
        if low < high:
            slope = 0.0
            for r in range(s.m):
                w = s.weight[r, lane] + (s.square[lane] * s.jet[NEW, r, lane] if r < s.equations else 0.0)
                slope += w * s.jet[NEW, slope_of(s, r, j), lane]
            away = max(at - low, high - at)
            bound += min(slope * (low - at), slope * (high - at)) * ROUNDED - 0.5 * s.bend[lane] * away * away * ROUNDED
            bound -= (ROUNDED - 1.0) * abs(slope) * 0.5 * (high - low)
    return bound
