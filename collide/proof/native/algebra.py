"""Small matrices of one lane: elimination, and the steps of Newton's method within a box."""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import LANES

from .memory import AT, ROUNDED, ProverMemory, second_of, slope_of

# Sweeps of a quadratic least value; the least pivot, against the diagonal, and what is added for it; doublings of that.
_SWEEPS, _PIVOT, _ADDED, _TIMES = 6, 1e-9, 1e-6, 24
# A part of the weakest pivot that is to be kept by a weight of squares; the weights that are tried: 0, the least, each four times the one
# before, and the greatest.
_KEPT, _LEAST, _MOST = 0.2, 0.0625, 256.0
# Bends are tried from a part of the greatest entry on, each four times the one before.
_FIRST_BEND, _BENDS, _FINER = 2.0**-12, 10, 3
# Balls have no roundings. An entry of H is a sum of terms, each of less than 2^13 operations, which round by 2^-53: where nothing cancels
# within a term it is off by less than 2^-40 of the terms' sizes. A step of elimination rounds three times: the factor, the product and the
# difference. A matrix that is definite within such radii is so for the checker, whose balls are of 64 bits; it has the last word.
_ENTRY, _ELIMINATION = 2.0**-40, 2.0**-51


@native
def squared(s: ProverMemory, place: int, r: int, lane: int) -> bool:
    """Whether the square of a row counts. Those of equations do, and while nearest points are looked for, those of conditions that do not
    hold.
    """
    return r < s.equations or (s.nearest != 0 and s.jet[place, r, lane] > 0.0)


@native
def hessian(s: ProverMemory, place: int, lane: int, held: bool) -> None:
    """H: the second derivatives of w . F + (m/2) |F|^2, and their radii R; if `held`, those of the variables that the face leaves."""
    for i in range(s.n):
        for j in range(i + 1):
            mid, rad, size = 0.0, 0.0, 0.0
            for r in range(s.m):
                w, q = s.weight[r, lane], 0.0
                if squared(s, place, r, lane):
                    m = s.square[lane]
                    w += m * s.jet[place, r, lane]
                    q = m * s.jet[place, r, LANES + lane]
                    a, b = slope_of(s, r, i), slope_of(s, r, j)
                    p, x, g, y = s.jet[place, a, lane], s.jet[place, a, LANES + lane], s.jet[place, b, lane], s.jet[place, b, LANES + lane]
                    mid += m * p * g
                    rad += m * (abs(p) * y + x * (abs(g) + y))
                    size += m * abs(p * g)
                h = second_of(s, r, i, j)
                mid += w * s.jet[place, h, lane]
                size += abs(w * s.jet[place, h, lane])
                rad += abs(w) * s.jet[place, h, LANES + lane] + q * (abs(s.jet[place, h, lane]) + s.jet[place, h, LANES + lane])
            s.H[i, j] = mid
            s.H[j, i] = mid
            s.R[i, j] = rad * ROUNDED + _ENTRY * size
            s.R[j, i] = s.R[i, j]
    if held:
        for i in range(s.n):
            if not s.face_lo[i, lane] < s.face_hi[i, lane]:
                for j in range(s.n):
                    s.H[i, j] = 0.0
                    s.H[j, i] = 0.0
                    s.R[i, j] = 0.0
                    s.R[j, i] = 0.0
                s.H[i, i] = 1.0


@native
def weakest(s: ProverMemory, add: float) -> float:
    """The least pivot of H, with so much of its diagonal added, against the diagonal; not positive if H is not."""
    least = 1.0
    for i in range(s.n):
        for j in range(i + 1):
            s.L[i, j] = s.H[i, j]
    for k in range(s.n):
        size = s.spread[k]
        s.L[k, k] += add * size
        pivot = s.L[k, k]
        if not pivot > _PIVOT * size:
            return -1.0
        least = min(least, pivot / size)
        for i in range(k + 1, s.n):
            f = s.L[i, k] / pivot
            for j in range(k + 1, i + 1):
                s.L[i, j] -= f * s.L[j, k]
    return least


@native
def diagonal(s: ProverMemory) -> None:
    """The sizes of the diagonal of H, against which its pivots are measured."""
    most = 0.0
    for i in range(s.n):
        most = max(most, abs(s.H[i, i]))
    for i in range(s.n):
        s.spread[i] = max(abs(s.H[i, i]), 1e-6 * most + 1e-300)


@native
def newton_step(s: ProverMemory, lane: int) -> None:
    """From `point`, where the jets AT are, the step within the box to the least value of a quadratic function: `step`."""
    hessian(s, AT, lane, False)
    for i in range(s.n):
        total = 0.0
        for r in range(s.m):
            w = s.weight[r, lane] + (s.square[lane] * s.jet[AT, r, lane] if squared(s, AT, r, lane) else 0.0)
            total += w * s.jet[AT, slope_of(s, r, i), lane]
        s.slope[i] = total
    diagonal(s)
    add = 0.0
    for _ in range(_TIMES):
        if weakest(s, add) > 0.0:
            break
        add = max(_ADDED, 4.0 * add)
    _solve(s, lane)
    for i in range(s.n):
        s.H[i, i] += add * s.spread[i]
        low, high = s.lo[i, lane] - s.point[i, lane], s.hi[i, lane] - s.point[i, lane]
        s.step[i, lane] = min(max(s.step[i, lane], low), high)
    for _ in range(_SWEEPS):
        for i in range(s.n):
            total = s.slope[i]
            for j in range(s.n):
                total += s.H[i, j] * s.step[j, lane]
            low, high = s.lo[i, lane] - s.point[i, lane], s.hi[i, lane] - s.point[i, lane]
            s.step[i, lane] = min(max(s.step[i, lane] - total / max(s.H[i, i], 1e-300), low), high)


@native
def _solve(s: ProverMemory, lane: int) -> None:
    """The step to the least value where nothing bounds it, by the elimination in L."""
    for i in range(s.n):
        s.step[i, lane] = -s.slope[i]
    for k in range(s.n):
        for i in range(k + 1, s.n):
            s.step[i, lane] -= s.L[i, k] / s.L[k, k] * s.step[k, lane]
    for b in range(s.n):
        k = s.n - 1 - b
        total = s.step[k, lane]
        for i in range(k + 1, s.n):
            total -= s.L[i, k] * s.step[i, lane]
        s.step[k, lane] = total / s.L[k, k]


@native
def weigh_squares(s: ProverMemory, lane: int) -> None:
    """`square`: about as small as makes second derivatives positive at the point of AT, where any does."""
    s.square[lane] = 0.0
    hessian(s, AT, lane, False)
    h, q = 0.0, 0.0
    for i in range(s.n):
        for j in range(s.n):
            h += s.H[i, j] * s.H[i, j]
            total = 0.0
            for r in range(s.equations):
                total += s.jet[AT, slope_of(s, r, i), lane] * s.jet[AT, slope_of(s, r, j), lane]
            s.M[i, j] = total
            q += total * total
    unit = np.sqrt(h / q) if q > 0.0 else 0.0
    if not unit > 0.0 or not unit < 1e300:
        return
    best, m = _tried(s, unit * _MOST, unit), 0.0
    if best > 0.0:
        while m < _MOST * unit and not _tried(s, m, unit) >= _KEPT * best:
            m = max(4.0 * m, _LEAST * unit)
        s.square[lane] = m


@native
def _tried(s: ProverMemory, m: float, unit: float) -> float:
    """The weakest pivot with this weight of squares."""
    for i in range(s.n):
        s.spread[i] = abs(s.H[i, i]) + unit * s.M[i, i] + 1e-300
    for i in range(s.n):
        for j in range(s.n):
            s.H[i, j] += m * s.M[i, j]
    found = weakest(s, 0.0)
    for i in range(s.n):
        for j in range(s.n):
            s.H[i, j] -= m * s.M[i, j]
    return found


@native
def positive_definite(s: ProverMemory, bend: float) -> bool:
    """As `rules.positive_definite`, of H + bend I with radii R: with the roundings of elimination."""
    for i in range(s.n):
        for j in range(s.n):
            s.L[i, j] = s.H[i, j]
            s.M[i, j] = s.R[i, j]
        s.L[i, i] += bend
        s.M[i, i] += _ELIMINATION * abs(s.L[i, i])
    for k in range(s.n):
        pivot, off = s.L[k, k], s.M[k, k]
        away = pivot - off
        if not away > 0.0:
            return False
        for i in range(k + 1, s.n):
            f = s.L[i, k] / pivot
            e = off / (pivot * away)
            g = abs(s.L[i, k]) * e + s.M[i, k] * (1.0 / pivot + e)
            for j in range(k + 1, s.n):
                s.M[i, j] += abs(f) * s.M[k, j] + g * (abs(s.L[k, j]) + s.M[k, j]) + _ELIMINATION * (abs(s.L[i, j]) + abs(f * s.L[k, j]))
                s.L[i, j] -= f * s.L[k, j]
    return True


@native
def bend_of(s: ProverMemory) -> float:
    """The number to add to the diagonal for H to be positive definite: 0, or one of a few numbers; -1 if none of them will do."""
    if positive_definite(s, 0.0):
        return 0.0
    bend = 0.0
    for i in range(s.n):
        for j in range(s.n):
            bend = max(bend, abs(s.H[i, j]) + s.R[i, j])
    bend *= _FIRST_BEND
    for _ in range(_BENDS):
        if positive_definite(s, bend):
            for _ in range(_FINER):
                if not positive_definite(s, 0.7 * bend):
                    return bend
                bend *= 0.7
            return bend
        bend *= 4.0
    return -1.0
