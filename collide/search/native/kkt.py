"""Local solves for the least objective among the zeros in the closed domain: Newton steps on the conditions of Karush, Kuhn and Tucker.

A variable that a step would carry over the end of its domain is held there; it is let go when the gradient of the
Lagrangian says that the objective falls towards the inside. So contacts on edges and corners of patches are found as
well as those inside. Ordinary arithmetic: what is found is a candidate, to be proved.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native
from codegen.machine.structures import Box

from .layout import LANES, ProblemRow, SearchMemory
from .local_solve import REACH, SMALL_RESIDUAL, SMALL_STEP, STEPS, measure

# What is found is a candidate, so all of these decide only effort (measured, where it is said: tests/benchmarks/constants.py, a quarter to
# four times).
# The damping at the first step and at the last ones: along a curve of contacts the conditions are singular, and without damping steps
# along it would be noise. (All within 5 % in the mean, but tips that meet take 7 times as many boxes with less at
# first or more at last, and a ball in a cup 2.5 times with most others.)
_FIRST, _LAST, _FADING = 4.0, 1e-3, 8.0
# A step below which another one changes nothing, and a residual at which a solve is given up after half of the steps, which spares steps
# and changes no boxes.
_NO_STEP, _HOPELESS = 3e-11, 3e-2
# Against the point, a step that is but rounding, some units of 2^-53: late in time, say.
_ROUNDING = 1e-15
# After so many steps the first point that has converged ends the solve. (2 takes 3 % more in the mean, 24 takes 1 % more.)
_ENOUGH = 8
# So many points stay near the box they come from: no step is longer than so many of its widths, and where it is no wider than
# this share of the domain, variables at the end of the domain start held there. (Alike in the mean.)
_NEAR_LANES, _NEAR, _SMALL_BOX = 4, 2.0, 0.07


@native
def descend(s: SearchMemory, p: ProblemRow) -> None:
    """Newton from the points in `point`, all lanes at once. `converged` is 1 in lanes that converged."""
    start(s, p)
    settle_down(s, p)


@native
def descend_near(s: SearchMemory, p: ProblemRow, box: Box) -> None:
    """The same from points in a box, which half of the lanes do not leave by far."""
    start(s, p)
    n, objective = p.variables, p.objective
    widest = 0.0
    for j in range(n):
        if j != objective and p.domain.width(j) > 0.0:
            widest = max(widest, box.width(j) / p.domain.width(j))
    for lane in range(_NEAR_LANES):
        s.reach[lane] = min(REACH, max(_NEAR * widest, SMALL_STEP))
        s.point[objective, lane] = box.lo(objective)
        for j in range(n):
            if widest <= _SMALL_BOX and j != objective and p.period[j] == 0.0:
                if box.lo(j) <= p.inner.lo(j):
                    s.point[j, lane] = p.inner.lo(j)
                    s.unheld[j, lane] = 0.0
                elif box.hi(j) >= p.inner.hi(j):
                    s.point[j, lane] = p.inner.hi(j)
                    s.unheld[j, lane] = 0.0
    settle_down(s, p)


@native
def start(s: SearchMemory, p: ProblemRow) -> None:
    """Nothing is held, nothing known of the multipliers."""
    s.local_solves += 1
    n = p.variables
    for lane in range(LANES):
        s.reach[lane] = REACH
        s.damping[lane] = _FIRST
        for k in range(p.equations):
            s.multiplier[k, lane] = 0.0
        for j in range(n):
            s.unheld[j, lane] = 1.0 if p.domain.width(j) > 0.0 else 0.0


@native
def settle_down(s: SearchMemory, p: ProblemRow) -> None:
    """Newton steps until every lane has converged or is given up."""
    n = p.variables
    for turn in range(STEPS):
        call_kernel(p.least, s.point, p.point_parameters, s.value)
        if turn == 0:
            measure(s, p, p.equations)
        call_kernel(p.least_step, s.value, s.multiplier, s.unheld, s.damping, s.unit, s.moves)
        busy, found = False, False
        for lane in range(LANES):
            size, residual = glide(s, p, lane), s.moves[2 * n, lane]
            s.damping[lane] = min(_FIRST, max(_LAST, _FADING * residual))
            s.converged[lane] = 1.0 if size < SMALL_STEP and residual < SMALL_RESIDUAL else 0.0
            found = found or s.converged[lane] > 0.5
            busy = busy or (size > _NO_STEP and (residual < _HOPELESS or 2 * turn < STEPS))
        if not busy or (found and turn >= _ENOUGH):
            return


@native
def usable(s: SearchMemory, p: ProblemRow, lane: int) -> bool:
    """Whether the step of a lane is finite. If not, its multipliers start again."""
    n = p.variables
    total = 0.0
    for j in range(2 * n + 1):
        total += abs(s.moves[j, lane])
    for k in range(p.equations):
        total += abs(s.multiplier[k, lane])
    if total < 1e100:
        return True
    for k in range(p.equations):
        s.multiplier[k, lane] = 0.0
    return False


@native
def glide(s: SearchMemory, p: ProblemRow, lane: int) -> float:
    """Take the step of a lane along the ends of the domain; its size against the domain, 1 where an end was met or left."""
    if not usable(s, p, lane):
        return np.inf
    size, far = 0.0, 0.0
    n, objective = p.variables, p.objective
    for j in range(n):
        whole = p.domain.width(j)
        if whole > 0.0:
            share = abs(s.moves[j, lane]) / whole
            size = max(size, share - _ROUNDING * abs(s.point[j, lane]) / whole)
            far = max(far, share / (REACH if j == objective else s.reach[lane]))
    scale = 1.0 / far if far > 1.0 else 1.0
    for j in range(n):
        lo, hi = p.inner.lo(j), p.inner.hi(j)
        x = s.point[j, lane]
        if s.unheld[j, lane] > 0.0:
            x += scale * s.moves[j, lane]
            if p.period[j] > 0.0:
                x += p.period[j] if x < lo else (-p.period[j] if x > hi else 0.0)
            elif x < lo or x > hi:
                s.unheld[j, lane] = 0.0
                size = max(size, 1.0)
            s.point[j, lane] = min(max(x, lo), hi)
        elif (hi > lo) and ((x <= lo and s.moves[n + j, lane] < 0.0) or (x >= hi and s.moves[n + j, lane] > 0.0)):
            s.unheld[j, lane] = 1.0
            size = max(size, 1.0)
    release(s, p, lane)
    return size


@native
def release(s: SearchMemory, p: ProblemRow, lane: int) -> None:
    """Let go of the variables with the least gradients while too many are held for the equations to have a zero."""
    n = p.variables
    for _ in range(n):
        held, weakest, least = 0, -1, np.inf
        for j in range(n):
            if s.unheld[j, lane] == 0.0:
                held += 1
                if p.domain.width(j) > 0.0 and abs(s.moves[n + j, lane]) < least:
                    weakest, least = j, abs(s.moves[n + j, lane])
        if held <= n - p.equations or weakest < 0:
            return
        s.unheld[weakest, lane] = 1.0
