"""Local solves for the earliest contact of two Bezier patches, and the proof of what they find.

Minimize t subject to S1(u1, v1, t) = S2(u2, v2, t) with parameters in [0, 1] and t >= 0: Newton's method on the conditions
of Karush, Kuhn and Tucker, with the variables that have run into a bound held there, and released when their multiplier says
so. This proposes a point; nothing is claimed of it.

The proof takes three unknowns, t and two free parameters (three parameters where t is held at 0), and freezes the others at
doubles in [0, 1], held ones at their bounds. The Krawczyk operator on a small box around the point, for three equations in
three unknowns with the frozen values put in, proves a zero in the box: a contact of the two patches if the box lies in the
domain. Eight sizes of the box are tried at once. The upper end of the time is an upper bound of the earliest contact's.
"""

import numpy as np

from codegen.loops import call_kernel, native

from .bezier_kernel import MEASURES
from .bezier_memory import (
    BASE,
    ENCLOSE,
    EVALUATE,
    KRAWCZYK,
    LANES,
    POINTS,
    PROBLEM,
    QUERIES,
    SCALE,
    SOLVES,
    UPPER,
    WEIGHTS,
)

_ITERATIONS = 20
_LONGEST = 0.3
_REGULAR = 0.3
# Convergence, relative to the size of the patches and for parameters in [0, 1]: Newton's next step is then at rounding level.
_RESIDUAL, _STEP = 1e-10, 1e-6
# Half widths of the boxes of a proof: 2**-46, eight times more in each lane.
_SMALLEST, _RATIO = 2.0**-46, 8.0
# Below this a determinant of the three columns, each scaled to 1, means no regular system.
_FLAT = 1e-9


@native
def look(s, box, reach):
    """A local solve from the middle of a box, with steps of at most `reach` of its width, and a proof: is there a better
    upper bound now?
    """
    s.count[SOLVES] += 1
    widest = 0.0
    for i in range(4):
        at = 4 * s.pair[2 * box + i // 2] + 2 * (i % 2)
        widest = max(widest, s.rectangle[at + 1] - s.rectangle[at])
        s.x[i] = 0.5 * (s.rectangle[at] + s.rectangle[at + 1])
        s.held[i] = 0
    s.x[4] = s.window[2 * box]
    s.held[4] = 0
    if not descend(s, min(_LONGEST, reach * widest)) or s.x[4] >= s.real[UPPER]:
        return False
    return prove(s)


# -- the local solve ----------------------------------------------------------------------------------------------


@native
def descend(s, reach):
    """Newton's method from x, with steps no longer than `reach`; did it converge?"""
    for i in range(3):
        s.multiplier[i] = 0.0
    differentiate(s)
    system(s, 1.0, 0.0)
    if not eliminate(s):
        return False
    for i in range(3):
        s.multiplier[i] = s.H[9 * (5 + i) + 8]
    regular = _REGULAR
    for _ in range(_ITERATIONS):
        residual = max(abs(s.F[0]), abs(s.F[1]), abs(s.F[2])) / s.real[SCALE]
        system(s, regular, 1.0)
        if not eliminate(s):
            return False
        if not convex(s, regular):
            regular = max(4.0 * regular, 1.0)
            system(s, regular, 1.0)
            if not eliminate(s):
                return False
        step = advance(s, reach)
        differentiate(s)
        if residual < _RESIDUAL and step < _STEP:
            return True
        if not step < np.inf:
            return False
        regular = min(0.5 * regular, residual + step)
    return False


@native
def convex(s, regular):
    """Does the Lagrangian with its regularization curve upwards along the step?"""
    curvature, square, largest = 0.0, 0.0, 0.0
    for j in range(5):
        for k in range(j, 5):
            h = hessian(s, j, k)
            largest = max(largest, abs(h))
            curvature += (1.0 if j == k else 2.0) * h * s.H[9 * j + 8] * s.H[9 * k + 8]
        if j < 4:
            square += s.H[9 * j + 8] * s.H[9 * j + 8]
    return curvature + regular * max(largest, 1.0) * square >= 0.0


@native
def differentiate(s):
    """F, its derivatives and those of both patches at x."""
    for patch in range(2):
        s.T[0] = s.x[2 * patch]
        s.T[1] = s.x[2 * patch + 1]
        call_kernel(s.count[EVALUATE], s.count[BASE] + patch * (s.count[POINTS] + MEASURES) * LANES * 8, s.T, s.E)
        quotient(s, patch, s.x[4])
    for i in range(3):
        s.F[i] = s.S[i] - s.S[18 + i]
        s.G[5 * i] = s.S[3 + i]
        s.G[5 * i + 1] = s.S[6 + i]
        s.G[5 * i + 2] = -s.S[21 + i]
        s.G[5 * i + 3] = -s.S[24 + i]
        s.G[5 * i + 4] = s.R[i] - s.R[9 + i]


@native
def quotient(s, patch, t):
    """From weighted coordinates and weights, and their derivatives, to points: S W = N, differentiated."""
    w = 1.0 / s.E[3]
    wu, wv = s.E[LANES + 3] * w, s.E[2 * LANES + 3] * w
    wuu, wuv, wvv = s.E[3 * LANES + 3] * w, s.E[4 * LANES + 3] * w, s.E[5 * LANES + 3] * w
    for i in range(3):
        at, rate = 18 * patch + i, 9 * patch + i
        p = (s.E[i] + t * s.E[4 + i]) * w
        pu = (s.E[LANES + i] + t * s.E[LANES + 4 + i]) * w - p * wu
        pv = (s.E[2 * LANES + i] + t * s.E[2 * LANES + 4 + i]) * w - p * wv
        s.S[at] = p
        s.S[at + 3] = pu
        s.S[at + 6] = pv
        s.S[at + 9] = (s.E[3 * LANES + i] + t * s.E[3 * LANES + 4 + i]) * w - 2.0 * pu * wu - p * wuu
        s.S[at + 12] = (s.E[4 * LANES + i] + t * s.E[4 * LANES + 4 + i]) * w - pu * wv - pv * wu - p * wuv
        s.S[at + 15] = (s.E[5 * LANES + i] + t * s.E[5 * LANES + 4 + i]) * w - 2.0 * pv * wv - p * wvv
        r = s.E[4 + i] * w
        s.R[rate] = r
        s.R[rate + 3] = s.E[LANES + 4 + i] * w - r * wu
        s.R[rate + 6] = s.E[2 * LANES + 4 + i] * w - r * wv


@native
def hessian(s, j, k):
    """Entry (j, k), j <= k, of the second derivative of multiplier . F."""
    total = 0.0
    patch = j // 2
    if k == 4 and j < 4:
        for i in range(3):
            total += s.multiplier[i] * s.R[9 * patch + 3 * (1 + j % 2) + i]
    elif j < 4 and k // 2 == patch:
        for i in range(3):
            total += s.multiplier[i] * s.S[18 * patch + 3 * (3 + j % 2 + k % 2) + i]
    return -total if patch == 1 else total


@native
def system(s, regular, restore):
    """The linear system of one step: unknowns dx and the new multipliers; rows of held variables say dx = 0. `restore`: the
    part of F to be removed.
    """
    for i in range(72):
        s.H[i] = 0.0
    largest = 0.0
    for j in range(5):
        for k in range(j, 5):
            h = hessian(s, j, k)
            s.H[9 * j + k] = h
            s.H[9 * k + j] = h
            largest = max(largest, abs(h))
    for j in range(4):
        s.H[10 * j] += regular * max(largest, 1.0)
    s.H[9 * 4 + 8] = -1.0
    for i in range(3):
        for j in range(5):
            s.H[9 * (5 + i) + j] = s.G[5 * i + j]
            s.H[9 * j + 5 + i] = s.G[5 * i + j]
        s.H[9 * (5 + i) + 8] = -restore * s.F[i]
    for j in range(5):
        if s.held[j] != 0:
            for k in range(9):
                s.H[9 * j + k] = 0.0
            for k in range(8):
                s.H[9 * k + j] = 0.0
            s.H[10 * j] = 1.0


@native
def eliminate(s):
    """Gaussian elimination with partial pivoting on the 8 x 9 system; the solution is in its last column. Regular?"""
    for p in range(8):
        best, chosen = abs(s.H[10 * p]), p
        for r in range(p + 1, 8):
            if abs(s.H[9 * r + p]) > best:
                best, chosen = abs(s.H[9 * r + p]), r
        if best < 1e-14:
            return False
        if chosen != p:
            for k in range(p, 9):
                s.H[9 * p + k], s.H[9 * chosen + k] = s.H[9 * chosen + k], s.H[9 * p + k]
        inverse = 1.0 / s.H[10 * p]
        for r in range(p + 1, 8):
            factor = s.H[9 * r + p] * inverse
            if factor != 0.0:
                for k in range(p + 1, 9):
                    s.H[9 * r + k] -= factor * s.H[9 * p + k]
    for r in range(7, -1, -1):
        total = s.H[9 * r + 8]
        for k in range(r + 1, 8):
            total -= s.H[9 * r + k] * s.H[9 * k + 8]
        s.H[9 * r + 8] = total / s.H[10 * r]
    return True


@native
def advance(s, reach):
    """Take the step, no longer than allowed, hold what runs into a bound, release at most one; the length of the step."""
    longest = 0.0
    for j in range(5):
        longest = max(longest, abs(s.H[9 * j + 8]))
    if not longest < np.inf:
        return np.inf
    share = min(1.0, reach / longest) if longest > 0.0 else 1.0
    for i in range(3):
        s.multiplier[i] = s.H[9 * (5 + i) + 8]
    release(s, longest)
    for j in range(5):
        if s.held[j] == 0:
            s.x[j] += share * s.H[9 * j + 8]
            if s.x[j] <= 0.0:
                s.x[j] = 0.0
                s.held[j] = -1
            elif s.x[j] >= 1.0:
                s.x[j] = 1.0
                s.held[j] = 1
    return longest


@native
def release(s, longest):
    """Free the held variable whose multiplier asks for it most, once the others have settled."""
    if longest > 0.1:
        return
    worst, chosen = -1e-9, -1
    for j in range(5):
        if s.held[j] != 0:
            slope = 1.0 if j == 4 else 0.0
            for i in range(3):
                slope += s.G[5 * i + j] * s.multiplier[i]
            # Held at the lower bound: moving inwards helps if the slope is negative.
            gain = slope if s.held[j] < 0 else -slope
            if gain < worst:
                worst, chosen = gain, j
    if chosen >= 0:
        s.held[chosen] = 0


# -- the proof ----------------------------------------------------------------------------------------------------


@native
def determinant(s, a, b, c):
    """Of three columns of the derivative, over the product of their sizes."""
    scale = 1.0
    for k in range(3):
        j = a if k == 0 else b if k == 1 else c
        scale *= max(abs(s.G[j]), abs(s.G[5 + j]), abs(s.G[10 + j]))
    if scale <= 0.0:
        return 0.0
    d = s.G[a] * (s.G[5 + b] * s.G[10 + c] - s.G[10 + b] * s.G[5 + c])
    d -= s.G[b] * (s.G[5 + a] * s.G[10 + c] - s.G[10 + a] * s.G[5 + c])
    d += s.G[c] * (s.G[5 + a] * s.G[10 + b] - s.G[10 + a] * s.G[5 + b])
    return abs(d) / scale


@native
def choose(s):
    """The three unknowns among the free variables whose columns are most independent; t is one if it is free."""
    best = _FLAT
    for a in range(3):
        for b in range(a + 1, 4):
            for c in range(b + 1, 5):
                if s.held[a] == 0 and s.held[b] == 0 and s.held[c] == 0 and (c == 4 or s.held[4] != 0):
                    d = determinant(s, a, b, c)
                    if d > best:
                        best = d
                        s.columns[0], s.columns[1], s.columns[2] = a, b, c
    return best > _FLAT


@native
def prove(s):
    """Prove a contact at x; then it is the new upper bound, and its normal a direction of tests. Was it proved?"""
    differentiate(s)
    if not choose(s):
        return False
    place_boxes(s)
    k = s.count[PROBLEM]
    points = s.count[POINTS]
    call_kernel(s.count[ENCLOSE], s.count[QUERIES] + k * points * 96, s.count[WEIGHTS] + k * points * 16, s.C, s.X, s.f, s.J)
    for lane in range(LANES):
        for m in range(3):
            j = s.columns[m]
            s.c[m * LANES + lane] = s.C[j * LANES + lane]
            for end in range(2):
                s.Y[(2 * m + end) * LANES + lane] = s.X[(2 * j + end) * LANES + lane]
                for i in range(3):
                    s.A[(2 * (3 * i + m) + end) * LANES + lane] = s.J[(2 * (5 * i + j) + end) * LANES + lane]
    call_kernel(s.count[KRAWCZYK], s.A, s.f, s.c, s.Y, s.K, s.flag)
    for lane in range(LANES):
        if s.flag[lane] > 0.5 and within(s, lane):
            upper = s.x[4] if s.held[4] != 0 else s.K[5 * LANES + lane]
            if upper < s.real[UPPER]:
                accept(s, upper)
                return True
            return False
    return False


@native
def place_boxes(s):
    """Points and boxes of the proof: thin but for the three unknowns, whose widths grow from lane to lane."""
    for lane in range(LANES):
        for j in range(5):
            s.C[j * LANES + lane] = s.x[j]
            s.X[2 * j * LANES + lane] = -s.x[j]
            s.X[(2 * j + 1) * LANES + lane] = s.x[j]
    reach = max(abs(s.G[4]), abs(s.G[9]), abs(s.G[14]))
    for m in range(3):
        j = s.columns[m]
        width = _SMALLEST
        if j < 4:
            own = max(abs(s.G[j]), abs(s.G[5 + j]), abs(s.G[10 + j]))
            width *= min(max(reach / own, 1.0), 1e3)
        for lane in range(LANES):
            s.X[2 * j * LANES + lane] = min(width - s.x[j], 0.0)
            s.X[(2 * j + 1) * LANES + lane] = min(s.x[j] + width, 1.0)
            width *= _RATIO


@native
def within(s, lane):
    """Does the box of the lane lie in the unit cube?"""
    for m in range(3):
        if s.Y[2 * m * LANES + lane] > 0.0 or s.Y[(2 * m + 1) * LANES + lane] > 1.0:
            return False
    return True


@native
def accept(s, upper):
    s.real[UPPER] = upper
    for i in range(4):
        s.best[i] = s.x[i]
    largest = max(abs(s.multiplier[0]), abs(s.multiplier[1]), abs(s.multiplier[2]))
    if largest > 0.0:
        for i in range(3):
            s.normal[i] = s.multiplier[i] * s.real[SCALE] / largest
