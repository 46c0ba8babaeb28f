"""The fast part of a search for the least time: boxes are split in space, and their time only ever moves forward.

A box holds a piece of every parameter and a window of time. Testing it moves the beginning of its window to a proved
lower bound of the time of any contact in the box (`codegen.time_bounds.directions`), which drops it when the window is then empty.
The box whose window begins first is split next, along the parameter that moves its point furthest in space; its children
are tested before they are queued. A child that got on by a good part of its window is tested again, from there and
over a shorter window, before it is split: there the second derivative by time is better known.

For two bodies whose shape and motion are apart, such as rigid ones, a box is a pair of nodes of two trees (`node_pairs`, `body_trees`), and
what a body looks like is evaluated once a node (`codegen.time_bounds.separable`).

Of two parametric surfaces no condition but contact itself is used, so a box is dropped only if the closed surfaces do not meet in it.
Boxes whose window begins within `simultaneity` of the proved bound are left to `search.step`, and so are small ones where necessary
conditions hold, which contract these; so are all once contact is proved and unlikely to be isolated (`node_pairs.marching`).
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .body_trees import gather, put_functions
from .boxes import cut, load_lane, lower, share, upper, width
from .contraction import respect_limits
from .layout import (
    BODY,
    EQUATIONS,
    FORM,
    ITERATIONS,
    LANES,
    LIMITS,
    NET,
    NO_PLAN,
    OBJECTIVE,
    PARAMETERS,
    RANGE,
    RANGED,
    ROOT,
    SETTLED,
    STRIDE,
    TAYLOR,
    TEST,
    TIME_BOUND,
    TOLERANCE,
    VARIABLES,
    VARYING,
)
from .node_pairs import marching, model_boxes, plan_of_pair, take_pairs, wanted
from .queue import attribute, copy_box, pop, push
from .solutions import may_hold_zero

# A plan names the one or two variables to halve, _NONE for none, and counts, times TEST, the tests in a row without a split.
# NO_PLAN is none and none.
_NONE, _SECOND = 15, 16
# A test that moves a window on by less than this share of it is not worth another one; nor are more than so many in a
# row; and the window of the next one, against the last advance.
_WORTH, _MOST, _WINDOW = 0.1, 2, 4.0
# It is worth it all the same where the second derivative by time used up this share of the gap: over a shorter window there is less
# of it. After a test that gets so far in a window that ends before the box does, the count begins again: space need not be split.
_CURVED, _MOSTLY = 0.5, 0.5
# Where derivatives are unbounded, as over a window in which a motion has a kink, the parts of a box are tested over this share of its
# window: so a moment is passed where nothing but positions tells.
_SHORTER = 0.25
# A second variable is halved together with the first if it moves the point by at least this share as far.
_COMPARABLE = 0.5
# A variable this much wider than the one that moves the point furthest is halved first.
_NEGLECTED = 100.0
# Where some derivatives are unbounded, as on the axis of a cone: how much a variable whose derivatives are known counts against the others.
_AHEAD = 0.125


@native
def march(s, p):
    """Test up to eight boxes of problem p: first ones that are due to be tested, or the parts of first ones."""
    used = take_pairs(s, p) if attribute(s, p, BODY) != 0 else take_boxes(s, p)
    if used == 0:
        return
    s.count[ITERATIONS] += used
    for lane in range(LANES):
        prepare(s, p, lane, lane if lane < used else 0)
    if attribute(s, p, BODY) != 0:
        gather(s, p, 0, used, s.A)
        gather(s, p, 1, used, s.B)
    bound_times(s, p)
    if attribute(s, p, RANGED) != 0:
        drop_impossible(s, p, used)
    if attribute(s, p, LIMITS) != 0:
        begin_within_limits(s, p, used)
    for lane in range(used):
        settle(s, p, lane)


@native
def drop_impossible(s, p, used):
    """Boxes in which the rows have no common zero, or the inequalities fail, as beyond the bounds of an implicit surface, or a formula is
    undefined: no contact.
    """
    for lane in range(LANES):
        load_lane(s, p, s.before, lane if lane < used else 0, lane)
    call_kernel(attribute(s, p, RANGE), s.X, attribute(s, p, PARAMETERS), s.F)
    for lane in range(used):
        if not may_hold_zero(s, p, lane):
            s.out[lane] = np.inf
            s.until[lane] = upper(s, s.before, lane, attribute(s, p, OBJECTIVE))


@native
def begin_within_limits(s, p, used):
    """Move the windows on to where the inequalities may hold."""
    objective = attribute(s, p, OBJECTIVE)
    for lane in range(LANES):
        load_lane(s, p, s.before, lane if lane < used else 0, lane)
        s.flag[lane] = 1.0
    respect_limits(s, p)
    for lane in range(used):
        if s.flag[lane] < 0.5:
            s.out[lane] = np.inf
            s.until[lane] = upper(s, s.before, lane, objective)
        else:
            s.out[lane] = max(s.out[lane], -s.X[2 * objective * LANES + lane])


@native
def bound_times(s, p):
    """Lower bounds of the times of contact in the lanes of Z (of A, B and W for pairs of nodes), in `out`."""
    if attribute(s, p, EQUATIONS) == 3:
        for k in range(3):
            for lane in range(LANES):
                s.N[k * LANES + lane] = s.normal[3 * p + k]
    if attribute(s, p, FORM) != 0:
        put_functions(s, p, 0, s.A)
        call_kernel(attribute(s, p, TAYLOR), s.g, attribute(s, p, PARAMETERS), s.T)
        put_functions(s, p, 1, s.B)
        call_kernel(attribute(s, p, FORM), s.g, attribute(s, p, PARAMETERS), s.U)
        call_kernel(attribute(s, p, TIME_BOUND), s.A, s.B, s.T, s.U, s.W, s.N, s.out)
    elif attribute(s, p, BODY) != 0:
        call_kernel(attribute(s, p, TAYLOR), s.W, attribute(s, p, PARAMETERS), s.T)
        show(s, p)
    else:
        call_kernel(attribute(s, p, TAYLOR), s.Z, attribute(s, p, PARAMETERS), s.T)
        call_kernel(attribute(s, p, TIME_BOUND), s.Z, s.T, s.N, s.out)


@native
def show(s, p):
    """Bounds for two bodies whose shape and motion are apart, of which those that deform are looked at as they are when windows begin."""
    if attribute(s, p, NET) != 0:
        call_kernel(attribute(s, p, NET), s.A, s.T, s.W, s.shown)
    if attribute(s, p, NET + 1) != 0:
        call_kernel(attribute(s, p, NET + 1), s.B, s.T, s.W, s.other)
    if attribute(s, p, NET) == 0:
        bound_with(s, p, s.A)
    else:
        bound_with(s, p, s.shown)


@native
def bound_with(s, p, first):
    if attribute(s, p, NET + 1) == 0:
        call_kernel(attribute(s, p, TIME_BOUND), first, s.B, s.T, s.W, s.N, s.out)
    else:
        call_kernel(attribute(s, p, TIME_BOUND), first, s.other, s.T, s.W, s.N, s.out)


@native
def narrow(s, p):
    """Move on the windows of the boxes in X, in lanes where `flag` is not 0; it becomes 0 where that empties them."""
    objective, n = attribute(s, p, OBJECTIVE), attribute(s, p, VARIABLES)
    if attribute(s, p, BODY) != 0:
        model_boxes(s, p)
    for lane in range(LANES):
        put_window(s, lane, -s.X[2 * objective * LANES + lane], s.X[(2 * objective + 1) * LANES + lane])
        for j in range(n if attribute(s, p, BODY) == 0 else 0):
            lo, hi = -s.X[2 * j * LANES + lane], s.X[(2 * j + 1) * LANES + lane]
            put_lane(s, n, j, lane, lo, hi, lo if j == objective else min(max(0.5 * (lo + hi), lo), hi))
    bound_times(s, p)
    for lane in range(LANES):
        bound = s.out[lane]
        if bound > s.X[(2 * objective + 1) * LANES + lane]:
            s.flag[lane] = 0.0
        else:
            s.X[2 * objective * LANES + lane] = min(s.X[2 * objective * LANES + lane], -bound)


@native
def put_window(s, lane, lo, hi):
    """The window of time and its beginning in a lane of W."""
    s.W[lane] = -lo
    s.W[LANES + lane] = hi
    s.W[2 * LANES + lane] = -lo
    s.W[3 * LANES + lane] = lo


@native
def put_lane(s, n, j, lane, lo, hi, centre):
    """Variable j in a lane of Z: its interval and its centre."""
    s.Z[2 * j * LANES + lane] = -lo
    s.Z[(2 * j + 1) * LANES + lane] = hi
    s.Z[2 * (n + j) * LANES + lane] = -centre
    s.Z[(2 * (n + j) + 1) * LANES + lane] = centre


@native
def take_boxes(s, p):
    """First boxes, or the parts they are planned to be cut into, in `before`; how many."""
    used = 0
    while used + 4 <= LANES and attribute(s, p, ROOT) >= 0 and marching(s, p):
        i = pop(s, p)
        if wanted(s, p, i):
            used = spread(s, p, i, used)
    return used


@native
def spread(s, p, i, used):
    """Box i, or its parts, into the lanes from `used` on; the number of lanes used then."""
    first, second = s.plan[i] % _SECOND, s.plan[i] // _SECOND % _SECOND
    copy_box(s, p, s.box, i, s.before, used)
    s.trial[used] = s.plan[i] // TEST
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
        s.until[new] = s.until[lane]
    return 2 * end - begin


@native
def prepare(s, p, lane, source):
    """The box with the window to be tested into a lane of Z, or the window into one of W."""
    objective, n = attribute(s, p, OBJECTIVE), attribute(s, p, VARIABLES)
    begin = lower(s, s.before, source, objective)
    end = max(begin, min(min(upper(s, s.before, source, objective), cut(s)), s.until[source]))
    s.until[source] = end
    if attribute(s, p, BODY) != 0:
        put_window(s, lane, begin, end)
        return
    for j in range(n):
        lo, hi = lower(s, s.before, source, j), upper(s, s.before, source, j)
        if j == objective:
            put_lane(s, n, j, lane, begin, end, begin)
        else:
            put_lane(s, n, j, lane, lo, hi, min(max(0.5 * (lo + hi), lo), hi))


@native
def settle(s, p, lane):
    """Drop the box of a lane, or queue it with what was learnt."""
    objective, n = attribute(s, p, OBJECTIVE), s.count[STRIDE]
    begin, until = lower(s, s.before, lane, objective), s.until[lane]
    end = min(upper(s, s.before, lane, objective), cut(s))
    bound = max(s.out[lane], begin)
    if bound > until:
        if until >= end:
            return
        bound = until
    s.before[2 * (n * lane + objective)] = bound
    i = push(s, p, s.before, lane)
    s.horizon[i] = begin + _SHORTER * (until - begin) if bound == begin and curved(s, p, lane) == np.inf else np.inf
    if attribute(s, p, BODY) != 0:
        s.pair[2 * i] = s.both[2 * lane]
        s.pair[2 * i + 1] = s.both[2 * lane + 1]
    share = (bound - begin) / (until - begin) if until > begin else 0.0
    far = share > _MOSTLY and until < end
    if far or (s.trial[lane] < _MOST and worth_another(s, p, lane, share)):
        s.plan[i] = NO_PLAN + TEST * (1 if far else s.trial[lane] + 1)
        s.horizon[i] = bound + _WINDOW * (bound - begin)
    else:
        s.plan[i] = plan_of(s, p, lane) if attribute(s, p, BODY) == 0 else plan_of_pair(s, p, lane)


@native
def worth_another(s, p, lane, share):
    """Might another test, from where this one got to, get on? Of bodies that move in a straight line, steadily, it knows no more."""
    steady = attribute(s, p, VARYING) == 0 and curved(s, p, lane) == 0.0
    return (share > _WORTH and not steady) or (share > 0.0 and curved(s, p, lane) > _CURVED)


@native
def curved(s, p, lane):
    """About which share of the gap the second derivative by time used up; infinity where derivatives are unbounded."""
    return s.out[(1 if attribute(s, p, BODY) != 0 else attribute(s, p, VARIABLES)) * LANES + lane]


@native
def divisible(s, k, j):
    lo, hi = lower(s, s.before, k, j), upper(s, s.before, k, j)
    return lo < 0.5 * (lo + hi) < hi


@native
def widest_share(s, p, lane, j):
    """The variable that is widest against its domain, j if none is wider. Not the angle between two implicit surfaces, which comes before
    the time: of that the equations say nothing anywhere.
    """
    n, objective = attribute(s, p, VARIABLES), attribute(s, p, OBJECTIVE)
    angle = n - 2 if attribute(s, p, EQUATIONS) == 2 and n == 5 else -1
    for k in range(n):
        if k != objective and k != angle and divisible(s, lane, k) and share(s, p, s.before, lane, k) > share(s, p, s.before, lane, j):
            j = k
    return j


@native
def all_known(s, p, lane):
    """Is it known how far each variable moves the point?"""
    for q in range(1, attribute(s, p, VARIABLES)):
        if not s.out[q * LANES + lane] < np.inf:
            return False
    return True


@native
def plan_of(s, p, lane):
    """The variables to halve: those that move the point furthest, or one that was neglected for too long, as one on which the equations
    do not depend.
    """
    first, second = -1, -1
    most, more = -1.0, -1.0
    known = all_known(s, p, lane)
    q = 0
    for j in range(attribute(s, p, VARIABLES)):
        if j != attribute(s, p, OBJECTIVE):
            q += 1
            extent = s.out[q * LANES + lane]
            if not known:
                # Nothing is known of some derivatives: the variable that is widest against its domain, first such of unknown ones.
                ahead = _AHEAD if extent < np.inf else 1.0
                extent = ahead * (width(s, s.before, lane, j) / width(s, s.domain, p, j))
            if divisible(s, lane, j):
                if extent > most:
                    second, more = first, most
                    first, most = j, extent
                elif extent > more:
                    second, more = j, extent
    if first < 0:
        return NO_PLAN
    if known and most <= s.real[TOLERANCE] * s.space[p]:
        return SETTLED
    widest = widest_share(s, p, lane, first)
    if share(s, p, s.before, lane, first) * _NEGLECTED < share(s, p, s.before, lane, widest):
        return widest + _SECOND * _NONE
    if second < 0 or more < _COMPARABLE * most:
        second = _NONE
    return first + _SECOND * second
