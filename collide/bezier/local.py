"""Local solves for the earliest contact of two Bezier patches.

Minimize t subject to S1(u1, v1, t) = S2(u2, v2, t) with parameters in [0, 1] and t >= 0: Newton's method on the conditions
of Karush, Kuhn and Tucker, with the variables that have run into a bound held there, and released when their multiplier says
so. This proposes a point; nothing is claimed of it.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .memory import Candidate, PairsMemory, Subpatch
from .newton_step import constrained, convex, multipliers, step

_ITERATIONS = 20
# The first regularization, relative to the largest second derivative; later ones fade with the residual and the step.
_REGULAR, _FADING = 0.3, 100.0
# A parameter is near a bound if its interval touches it and is no wider than this.
_NEAR_BOUND = 0.07
# Convergence, relative to the size of the patches and for parameters in [0, 1]: Newton's next step is then at rounding level.
_RESIDUAL, _STEP = 1e-10, 1e-6


@native
def estimate(s: PairsMemory) -> bool:
    """The multipliers that make the gradient of the Lagrangian least, those of a regularized step that leaves F alone."""
    for i in range(3):
        s.multiplier[i] = 0.0
    differentiate(s)
    curvatures(s)
    return constrained(s, 0.0) and step(s, 1.0) and multipliers(s, 1.0)


@native
def hold(s: PairsMemory, box: Candidate) -> None:
    """Hold parameters, two at most, that are near a bound and would run into it; and the time, where it has not left 0."""
    held = 0
    for j in range(4):
        lo, hi = box.lo(j), box.hi(j)
        if hi - lo <= _NEAR_BOUND and held < 2:
            gradient = slope(s, j)
            if lo <= 0.0 and gradient > 0.0:
                s.x[j] = 0.0
                s.held[j] = -1
                held += 1
            elif hi >= 1.0 and gradient < 0.0:
                s.x[j] = 1.0
                s.held[j] = 1
                held += 1
    if box.widest() <= _NEAR_BOUND and s.x[4] <= 0.0:
        s.held[4] = -1
    if held > 0:
        differentiate(s)


@native
def slope(s: PairsMemory, j: int) -> float:
    """The derivative of the Lagrangian."""
    total = 1.0 if j == 4 else 0.0
    for i in range(3):
        total += s.G[i, j] * s.multiplier[i]
    return total


# -- the local solve ----------------------------------------------------------------------------------------------


@native
def descend(s: PairsMemory, reach: float) -> bool:
    """Newton's method from x, with steps no longer than `reach`; whether it converged."""
    regular = _REGULAR
    for _ in range(_ITERATIONS):
        residual = max(abs(s.F[0]), abs(s.F[1]), abs(s.F[2])) / s.scale
        largest = curvatures(s)
        if not (constrained(s, 1.0) and step(s, regular * largest)):
            return False
        if not convex(s, regular * largest):
            regular = max(4.0 * regular, 1.0)
            if not step(s, regular * largest):
                return False
        multipliers(s, regular * largest)
        length = advance(s, reach)
        differentiate(s)
        if residual < _RESIDUAL and length < _STEP:
            return True
        if not length < np.inf:
            return False
        # Quadratic at the end, so that Newton's method converges as quickly as without it.
        regular = min(0.5 * regular, (residual + length) * min(1.0, _FADING * (residual + length)))
    return False


@native
def differentiate(s: PairsMemory) -> None:
    """F, its derivatives and those of both patches at x."""
    for patch in range(2):
        evaluate(s, s.node[patch], patch, s.x[2 * patch], s.x[2 * patch + 1], s.x[4])
    for i in range(3):
        s.F[i] = s.S[0, 0, i] - s.S[1, 0, i]
        s.G[i, 0], s.G[i, 1] = s.S[0, 1, i], s.S[0, 2, i]
        s.G[i, 2], s.G[i, 3] = -s.S[1, 1, i], -s.S[1, 2, i]
        s.G[i, 4] = s.R[0, 0, i] - s.R[1, 0, i]


@native
def evaluate(s: PairsMemory, node: Subpatch, patch: int, u: float, v: float, t: float) -> None:
    """The point of a node and its derivatives, approximately, as those of one patch."""
    s.uv[0], s.uv[1] = u, v
    call_kernel(s.evaluate, node.vectors, s.uv, s.E)
    quotient(s, patch, t)


@native
def quotient(s: PairsMemory, patch: int, t: float) -> None:
    """From weighted coordinates and weights, and their derivatives, to points: S W = N, differentiated."""
    w = 1.0 / s.E[0, 3]
    wu, wv = s.E[1, 3] * w, s.E[2, 3] * w
    wuu, wuv, wvv = s.E[3, 3] * w, s.E[4, 3] * w, s.E[5, 3] * w
    for i in range(3):
        p = moved(s, 0, i, t) * w
        pu = moved(s, 1, i, t) * w - p * wu
        pv = moved(s, 2, i, t) * w - p * wv
        s.S[patch, 0, i], s.S[patch, 1, i], s.S[patch, 2, i] = p, pu, pv
        s.S[patch, 3, i] = moved(s, 3, i, t) * w - 2.0 * pu * wu - p * wuu
        s.S[patch, 4, i] = moved(s, 4, i, t) * w - pu * wv - pv * wu - p * wuv
        s.S[patch, 5, i] = moved(s, 5, i, t) * w - 2.0 * pv * wv - p * wvv
        r = s.E[0, 4 + i] * w
        s.R[patch, 0, i] = r
        s.R[patch, 1, i] = s.E[1, 4 + i] * w - r * wu
        s.R[patch, 2, i] = s.E[2, 4 + i] * w - r * wv


@native
def moved(s: PairsMemory, k: int, i: int, t: float) -> float:
    """A weighted coordinate, or a derivative of it, at time t."""
    return s.E[k, i] + t * s.E[k, 4 + i]


@native
def curvatures(s: PairsMemory) -> float:
    """H: the second derivative of multiplier . F; its largest entry, at least 1."""
    largest = 1.0
    for j in range(5):
        for k in range(j, 5):
            total, patch = 0.0, j // 2
            if k == 4 and j < 4:
                for i in range(3):
                    total += s.multiplier[i] * s.R[patch, 1 + j % 2, i]
            elif j < 4 and k // 2 == patch:
                for i in range(3):
                    total += s.multiplier[i] * s.S[patch, 3 + j % 2 + k % 2, i]
            if patch == 1:
                total = -total
            s.H[j, k], s.H[k, j] = total, total
            largest = max(largest, abs(total))
    return largest


@native
def advance(s: PairsMemory, reach: float) -> float:
    """Take the step, no longer than allowed, hold what runs into a bound, release at most one; the length of the step."""
    longest = 0.0
    for j in range(5):
        longest = max(longest, abs(s.d[j]))
    if not longest < np.inf:
        return np.inf
    share = min(1.0, reach / longest) if longest > 0.0 else 1.0
    release(s, longest)
    for j in range(5):
        if s.held[j] == 0:
            s.x[j] += share * s.d[j]
            if s.x[j] <= 0.0:
                s.x[j] = 0.0
                s.held[j] = -1
            elif s.x[j] >= 1.0:
                s.x[j] = 1.0
                s.held[j] = 1
    return longest


@native
def release(s: PairsMemory, longest: float) -> None:
    """Free the held variable whose multiplier asks for it most, once the others have settled."""
    if longest > 0.1:
        return
    worst, chosen = -1e-9, -1
    for j in range(5):
        if s.held[j] != 0:
            # Held at the lower bound: moving inwards helps if the slope is negative.
            gain = slope(s, j) if s.held[j] < 0 else -slope(s, j)
            if gain < worst:
                worst, chosen = gain, j
    if chosen >= 0:
        s.held[chosen] = 0
