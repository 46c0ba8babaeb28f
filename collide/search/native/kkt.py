"""Local solves for the least objective among the zeros in the closed domain: Newton steps on the conditions of Karush, Kuhn and Tucker.

A variable that a step would carry over the end of its domain is held there; it is let go when the gradient of the
Lagrangian says that the objective falls towards the inside. So contacts on edges and corners of patches are found as
well as those inside. Ordinary arithmetic: what is found is a candidate, to be proved.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .boxes import lower, period, upper, width
from .layout import EQUATIONS, LANES, LEAST, LEAST_STEP, LOCAL_SOLVES, OBJECTIVE, POINT_PARAMETERS, VARIABLES
from .local_solve import measure
from .queue import attribute

# Newton steps, the longest step against the domain, the damping at the first step and at the last ones: along a curve
# of contacts the conditions are singular, and without damping steps along it would be noise.
_STEPS, _REACH, _FIRST, _LAST, _FADING = 24, 0.3, 4.0, 1e-3, 8.0
# A step and a residual at which a local solve has converged, a step below which another one changes nothing, and a
# residual at which it is given up after half of the steps.
_SMALL_STEP, _SMALL_RESIDUAL, _NO_STEP, _HOPELESS = 1e-9, 1e-7, 3e-11, 3e-2
# Against the point, a step that is but rounding: late in time, say.
_ROUNDING = 1e-15
# After so many steps the first point that has converged ends the solve.
_ENOUGH = 8
# So many points stay near the box they come from: no step is longer than so many of its widths, and where it is no wider than
# this share of the domain, variables at the end of the domain start held there.
_NEAR_LANES, _NEAR, _SMALL_BOX = 4, 2.0, 0.07


@native
def descend(s, p):
    """Newton from the points in `point`, all lanes at once. `flag` is 1 in lanes that converged."""
    start(s, p)
    settle_down(s, p)


@native
def descend_near(s, p, boxes, k):
    """The same from points in box k, which half of the lanes do not leave by far."""
    start(s, p)
    n, objective = attribute(s, p, VARIABLES), attribute(s, p, OBJECTIVE)
    widest = 0.0
    for j in range(n):
        if j != objective and width(s, s.domain, p, j) > 0.0:
            widest = max(widest, width(s, boxes, k, j) / width(s, s.domain, p, j))
    for lane in range(_NEAR_LANES):
        s.reach[lane] = min(_REACH, max(_NEAR * widest, _SMALL_STEP))
        s.point[objective * LANES + lane] = lower(s, boxes, k, objective)
        for j in range(n):
            at = j * LANES + lane
            if widest <= _SMALL_BOX and j != objective and period(s, p, j) == 0.0:
                if lower(s, boxes, k, j) <= lower(s, s.inner, p, j):
                    s.point[at] = lower(s, s.inner, p, j)
                    s.unheld[at] = 0.0
                elif upper(s, boxes, k, j) >= upper(s, s.inner, p, j):
                    s.point[at] = upper(s, s.inner, p, j)
                    s.unheld[at] = 0.0
    settle_down(s, p)


@native
def start(s, p):
    """Nothing is held, nothing known of the multipliers."""
    s.count[LOCAL_SOLVES] += 1
    n = attribute(s, p, VARIABLES)
    for lane in range(LANES):
        s.reach[lane] = _REACH
        s.damping[lane] = _FIRST
        for k in range(attribute(s, p, EQUATIONS)):
            s.multiplier[k * LANES + lane] = 0.0
        for j in range(n):
            s.unheld[j * LANES + lane] = 1.0 if width(s, s.domain, p, j) > 0.0 else 0.0


@native
def settle_down(s, p):
    """Newton steps until every lane has converged or is given up."""
    n = attribute(s, p, VARIABLES)
    for turn in range(_STEPS):
        call_kernel(attribute(s, p, LEAST), s.point, attribute(s, p, POINT_PARAMETERS), s.value)
        if turn == 0:
            measure(s, p, attribute(s, p, EQUATIONS))
        call_kernel(attribute(s, p, LEAST_STEP), s.value, s.multiplier, s.unheld, s.damping, s.unit, s.steps)
        busy, found = False, False
        for lane in range(LANES):
            size, residual = glide(s, p, lane), s.steps[2 * n * LANES + lane]
            s.damping[lane] = min(_FIRST, max(_LAST, _FADING * residual))
            s.flag[lane] = 1.0 if size < _SMALL_STEP and residual < _SMALL_RESIDUAL else 0.0
            found = found or s.flag[lane] > 0.5
            busy = busy or (size > _NO_STEP and (residual < _HOPELESS or 2 * turn < _STEPS))
        if not busy or (found and turn >= _ENOUGH):
            return


@native
def usable(s, p, lane):
    """Is the step of a lane finite? If not, its multipliers start again."""
    n = attribute(s, p, VARIABLES)
    total = 0.0
    for j in range(2 * n + 1):
        total += abs(s.steps[j * LANES + lane])
    for k in range(attribute(s, p, EQUATIONS)):
        total += abs(s.multiplier[k * LANES + lane])
    if total < 1e100:
        return True
    for k in range(attribute(s, p, EQUATIONS)):
        s.multiplier[k * LANES + lane] = 0.0
    return False


@native
def glide(s, p, lane):
    """Take the step of a lane along the ends of the domain; its size against the domain, 1 where an end was met or left."""
    if not usable(s, p, lane):
        return np.inf
    size, far = 0.0, 0.0
    n, objective = attribute(s, p, VARIABLES), attribute(s, p, OBJECTIVE)
    for j in range(n):
        whole = width(s, s.domain, p, j)
        if whole > 0.0:
            share = abs(s.steps[j * LANES + lane]) / whole
            size = max(size, share - _ROUNDING * abs(s.point[j * LANES + lane]) / whole)
            far = max(far, share / (_REACH if j == objective else s.reach[lane]))
    scale = 1.0 / far if far > 1.0 else 1.0
    for j in range(n):
        at = j * LANES + lane
        lo, hi = lower(s, s.inner, p, j), upper(s, s.inner, p, j)
        x = s.point[at]
        if s.unheld[at] > 0.0:
            x += scale * s.steps[at]
            if period(s, p, j) > 0.0:
                x += period(s, p, j) if x < lo else (-period(s, p, j) if x > hi else 0.0)
            elif x < lo or x > hi:
                s.unheld[at] = 0.0
                size = max(size, 1.0)
            s.point[at] = min(max(x, lo), hi)
        elif (hi > lo) and ((x <= lo and s.steps[n * LANES + at] < 0.0) or (x >= hi and s.steps[n * LANES + at] > 0.0)):
            s.unheld[at] = 1.0
            size = max(size, 1.0)
    release(s, p, lane)
    return size


@native
def release(s, p, lane):
    """Let go of the variables with the least gradients while too many are held for the equations to have a zero."""
    n = attribute(s, p, VARIABLES)
    for _ in range(n):
        held, weakest, least = 0, -1, np.inf
        for j in range(n):
            at = j * LANES + lane
            if s.unheld[at] == 0.0:
                held += 1
                if width(s, s.domain, p, j) > 0.0 and abs(s.steps[n * LANES + at]) < least:
                    weakest, least = j, abs(s.steps[n * LANES + at])
        if held <= n - attribute(s, p, EQUATIONS) or weakest < 0:
            return
        s.unheld[weakest * LANES + lane] = 1.0
