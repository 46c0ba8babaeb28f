"""The fast part of a search for the least time: boxes are split in space, and their time only ever moves forward.

A box holds a piece of every parameter and a window of time. Testing it moves the beginning of its window to a proved
lower bound of the time of any contact in the box (`codegen.directions`), which drops it when the window is then empty.
The box whose window begins first is split next, along the parameter that moves its point furthest in space; its children
are tested before they are queued. A child that got on by a good part of its window is tested again, from there and
over a shorter window, before it is split: there the second derivative by time is better known.

No condition but contact itself is used, so a box is dropped only if the closed surfaces do not meet in it. Boxes whose
window begins within `simultaneity` of the proved bound are left to `search.step`.
"""

import numpy as np

from codegen.loops import call_kernel, native

from .boxes import at_border, cut, known, lower, too_late, upper, width
from .layout import (
    EQUATIONS,
    ITERATIONS,
    LANES,
    NO_PLAN,
    OBJECTIVE,
    PARAMETERS,
    PROVED,
    ROOT,
    SIMULTANEITY,
    STRIDE,
    TAYLOR,
    TENTATIVE,
    TIME_BOUND,
    TOLERANCE,
    VARIABLES,
)
from .queue import attribute, copy_box, pop, push

# A plan names the one or two variables to halve, _NONE for none, and counts the tests in a row without a split.
# NO_PLAN is none and none. _SETTLED: no variable moves the point by more than the tolerance.
_NONE, _SECOND, _TEST, _SETTLED = 15, 16, 256, -1
# A test that moves a window on by less than this share of it is not worth another one; nor are more than so many in a
# row; and the window of the next one, against the last advance.
_WORTH, _MOST, _WINDOW = 0.1, 2, 4.0
# A second variable is halved together with the first if it moves the point by at least this share as far.
_COMPARABLE = 0.5


@native
def marching(s, p):
    """Is the first box of problem p one for `march`?"""
    if attribute(s, p, TAYLOR) == 0:
        return False
    i = attribute(s, p, ROOT)
    if s.plan[i] == _SETTLED:
        return False
    if lower(s, s.box, i, attribute(s, p, OBJECTIVE)) >= min(s.real[PROVED], s.real[TENTATIVE]) - s.real[SIMULTANEITY]:
        return False
    for j in range(attribute(s, p, VARIABLES)):
        if j != attribute(s, p, OBJECTIVE) and width(s, s.box, i, j) > s.real[TOLERANCE]:
            return True
    return False


@native
def march(s, p):
    """Test up to eight boxes of problem p: first ones that are due to be tested, or the parts of first ones."""
    used = 0
    while used + 4 <= LANES and attribute(s, p, ROOT) >= 0 and marching(s, p):
        i = pop(s, p)
        if not too_late(s, p, s.box, i) and (at_border(s, p, s.box, i) or not known(s, p, s.box, i)):
            used = spread(s, p, i, used)
    if used == 0:
        return
    s.count[ITERATIONS] += used
    for lane in range(LANES):
        prepare(s, p, lane, lane if lane < used else 0)
    if attribute(s, p, EQUATIONS) == 3:
        for k in range(3):
            for lane in range(LANES):
                s.N[k * LANES + lane] = s.normal[3 * p + k]
    call_kernel(attribute(s, p, TAYLOR), s.Z, attribute(s, p, PARAMETERS), s.T)
    call_kernel(attribute(s, p, TIME_BOUND), s.Z, s.T, s.N, s.out)
    for lane in range(used):
        settle(s, p, lane)


@native
def narrow(s, p):
    """Move on the windows of the boxes in X, in lanes where `flag` is not 0; it becomes 0 where that empties them."""
    objective, n = attribute(s, p, OBJECTIVE), attribute(s, p, VARIABLES)
    for lane in range(LANES):
        for j in range(n):
            lo, hi = -s.X[2 * j * LANES + lane], s.X[(2 * j + 1) * LANES + lane]
            put_lane(s, n, j, lane, lo, hi, lo if j == objective else min(max(0.5 * (lo + hi), lo), hi))
    call_kernel(attribute(s, p, TAYLOR), s.Z, attribute(s, p, PARAMETERS), s.T)
    call_kernel(attribute(s, p, TIME_BOUND), s.Z, s.T, s.N, s.out)
    for lane in range(LANES):
        bound = s.out[lane]
        if bound > s.X[(2 * objective + 1) * LANES + lane]:
            s.flag[lane] = 0.0
        else:
            s.X[2 * objective * LANES + lane] = min(s.X[2 * objective * LANES + lane], -bound)


@native
def put_lane(s, n, j, lane, lo, hi, centre):
    """Variable j in a lane of Z: its interval and its centre."""
    s.Z[2 * j * LANES + lane] = -lo
    s.Z[(2 * j + 1) * LANES + lane] = hi
    s.Z[2 * (n + j) * LANES + lane] = -centre
    s.Z[(2 * (n + j) + 1) * LANES + lane] = centre


@native
def spread(s, p, i, used):
    """Box i, or its parts, into the lanes from `used` on; the number of lanes used then."""
    first, second = s.plan[i] % _SECOND, s.plan[i] // _SECOND % _SECOND
    copy_box(s, p, s.box, i, s.before, used)
    s.trial[used] = s.plan[i] // _TEST
    s.until[used] = s.horizon[i]
    count = used + 1
    if first != _NONE:
        count = halve(s, p, used, count, first)
        if second != _NONE:
            count = halve(s, p, used, count, second)
    return count


@native
def halve(s, p, begin, end, j):
    """Replace the boxes in lanes `begin` to `end` by their halves along variable j; the end of those."""
    n = s.count[STRIDE]
    for lane in range(begin, end):
        new = lane + end - begin
        lo, hi = lower(s, s.before, lane, j), upper(s, s.before, lane, j)
        middle = 0.5 * (lo + hi)
        copy_box(s, p, s.before, lane, s.before, new)
        s.before[2 * (n * lane + j) + 1] = middle
        s.before[2 * (n * new + j)] = middle
        s.trial[new] = 0
        s.until[new] = np.inf
    return 2 * end - begin


@native
def prepare(s, p, lane, source):
    """A lane of Z: the box with the window to be tested, its centre, and the beginning of the window."""
    objective, n = attribute(s, p, OBJECTIVE), attribute(s, p, VARIABLES)
    for j in range(n):
        lo, hi = lower(s, s.before, source, j), upper(s, s.before, source, j)
        centre = min(max(0.5 * (lo + hi), lo), hi)
        if j == objective:
            hi = max(lo, min(min(hi, cut(s)), s.until[source]))
            s.until[source] = hi
            centre = lo
        put_lane(s, n, j, lane, lo, hi, centre)


@native
def settle(s, p, lane):
    """Drop the box of a lane, or queue it with what was learnt."""
    objective, n = attribute(s, p, OBJECTIVE), s.count[STRIDE]
    begin, until = lower(s, s.before, lane, objective), s.until[lane]
    bound = max(s.out[lane], begin)
    if bound > until:
        if until >= min(upper(s, s.before, lane, objective), cut(s)):
            return
        bound = until
    s.before[2 * (n * lane + objective)] = bound
    i = push(s, p, s.before, lane)
    s.horizon[i] = np.inf
    if bound - begin > _WORTH * (until - begin) and s.trial[lane] < _MOST:
        s.plan[i] = NO_PLAN + _TEST * (s.trial[lane] + 1)
        s.horizon[i] = bound + _WINDOW * (bound - begin)
    else:
        s.plan[i] = plan_of(s, p, lane)


@native
def divisible(s, k, j):
    lo, hi = lower(s, s.before, k, j), upper(s, s.before, k, j)
    return lo < 0.5 * (lo + hi) < hi


@native
def plan_of(s, p, lane):
    """The variables to halve: those that move the point furthest."""
    first, second = -1, -1
    most, more = -1.0, -1.0
    q = 0
    for j in range(attribute(s, p, VARIABLES)):
        if j != attribute(s, p, OBJECTIVE):
            q += 1
            extent = s.out[q * LANES + lane]
            if divisible(s, lane, j):
                if extent > most:
                    second, more = first, most
                    first, most = j, extent
                elif extent > more:
                    second, more = j, extent
    if first < 0:
        return NO_PLAN
    if most <= s.real[TOLERANCE]:
        return _SETTLED
    if second < 0 or more < _COMPARABLE * most:
        second = _NONE
    return first + _SECOND * second
