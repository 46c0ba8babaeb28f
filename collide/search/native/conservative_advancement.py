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
from codegen.machine.structures import LaneArray

from .body_trees import gather, put_functions
from .boxes import cut, load_lane, share
from .contraction import respect_limits
from .layout import LANES, ProblemRow, SearchMemory
from .node_pairs import marching, model_boxes, pair_settled, take_pairs, wanted
from .queue import copy_box, pop, push
from .ranges import drop_impossible, evaluate_ranges
from .split import NEGLECTED

# These decide only effort (measured: tests/benchmarks/constants.py, a quarter to four times).
# A test that moves a window on by less than this share of it is not worth another one; nor are more than so many in a
# row; and the window of the next one, against the last advance. (Measured: all within 4 %.)
_WORTH, _MOST, _WINDOW = 0.1, 2, 4.0
# It is worth it all the same where the second derivative by time used up this share of the gap: over a shorter window there is less
# of it. (No scene needs it; patches that speed up over a hundred times their usual span do: tests/collide/search/test_search.py.)
_CURVED = 0.5
# After a test that gets this share of a window that ends before the box does, the count begins again: space need not be split. (Measured:
# without it alike; an eighth takes 3 % more.)
_MOSTLY = 0.5
# Where derivatives are unbounded, as over a window in which a motion has a kink, the parts of a box are tested over this share of its
# window: so a moment is passed where nothing but positions tells. (Measured over tests/collide/timeline: with the whole window contacts at
# kinks take half as many to twice as many.)
_SHORTER = 0.25
# A second variable is halved together with the first if it moves the point by at least this share as far. (Measured: 1/8 to 1 are alike.)
_COMPARABLE = 0.5
# Where some derivatives are unbounded, as on the axis of a cone: how much a variable whose derivatives are known counts against the others.
# (Measured: alike but for one cone, 0.8 to 1.25.)
_AHEAD = 0.125


@native
def march(s: SearchMemory, p: ProblemRow) -> None:
    """Test up to eight boxes of problem p: first ones that are due to be tested, or the parts of first ones."""
    used = take_pairs(s, p) if p.body[0] != 0 else take_boxes(s, p)
    if used == 0:
        return
    s.iterations += used
    for lane in range(LANES):
        prepare(s, p, lane, lane if lane < used else 0)
    if p.body[0] != 0:
        gather(s, p, 0, used, s.A)
        gather(s, p, 1, used, s.B)
    if p.ranged != 0:
        evaluate_ranges(s, p, used)
    bound_times(s, p)
    if p.ranged != 0:
        drop_impossible(s, p, used)
    if p.limited != 0:
        begin_within_limits(s, p, used)
    for lane in range(used):
        settle(s, p, lane)


@native
def begin_within_limits(s: SearchMemory, p: ProblemRow, used: int) -> None:
    """Move the windows on to where the inequalities may hold."""
    objective = p.objective
    for lane in range(LANES):
        load_lane(s, p, s.before[lane if lane < used else 0], lane)
        s.alive[lane] = 1.0
    respect_limits(s, p)
    for lane in range(used):
        if s.alive[lane] < 0.5:
            s.out[0, lane] = np.inf
            s.until[lane] = s.before[lane].hi(objective)
        else:
            s.out[0, lane] = max(s.out[0, lane], s.X.lo(objective, lane))


@native
def bound_times(s: SearchMemory, p: ProblemRow) -> None:
    """Lower bounds of the times of contact in the lanes of Z (of A, B and W for pairs of nodes), in `out`."""
    if p.distance != 0:
        for lane in range(LANES):
            s.N[0, lane] = 1.0 if clear_of_ends(s, p, lane) else 0.0
    elif p.equations == 3:
        for k in range(3):
            for lane in range(LANES):
                s.N[k, lane] = p.normal[k]
    if p.form != 0:
        put_functions(s, p, 0, s.A)
        call_kernel(p.taylor, s.g, p.parameters, s.T)
        put_functions(s, p, 1, s.B)
        call_kernel(p.form, s.g, p.parameters, s.U)
        call_kernel(p.time_bound, s.A, s.B, s.T, s.U, s.W, s.N, s.out)
    elif p.body[0] != 0:
        call_kernel(p.taylor, s.W, p.parameters, s.T)
        show(s, p)
    else:
        call_kernel(p.taylor, s.Z, p.parameters, s.T)
        call_kernel(p.time_bound, s.Z, s.T, s.N, s.out)


@native
def clear_of_ends(s: SearchMemory, p: ProblemRow, lane: int) -> bool:
    """Whether the box in a lane of Z lies inside the domain; variables that close on themselves and the objective do not count."""
    for j in range(p.objective):
        if p.period[j] == 0.0 and (s.Z.lo(j, lane) <= p.domain.lo(j) or s.Z.hi(j, lane) >= p.domain.hi(j)):
            return False
    return True


@native
def show(s: SearchMemory, p: ProblemRow) -> None:
    """Bounds for two bodies whose shape and motion are apart, of which those that deform are looked at as they are when windows begin."""
    if p.net[0] != 0:
        call_kernel(p.net[0], s.A, s.T, s.W, s.shown)
    if p.net[1] != 0:
        call_kernel(p.net[1], s.B, s.T, s.W, s.other)
    if p.net[0] == 0:
        bound_with(s, p, s.A)
    else:
        bound_with(s, p, s.shown)


@native
def bound_with(s: SearchMemory, p: ProblemRow, first: LaneArray) -> None:
    if p.net[1] == 0:
        call_kernel(p.time_bound, first, s.B, s.T, s.W, s.N, s.out)
    else:
        call_kernel(p.time_bound, first, s.other, s.T, s.W, s.N, s.out)


@native
def narrow(s: SearchMemory, p: ProblemRow) -> None:
    """Move on the windows of the boxes in X, in lanes where `alive` is not 0; it becomes 0 where that empties them."""
    objective, n = p.objective, p.variables
    if p.body[0] != 0:
        model_boxes(s, p)
    for lane in range(LANES):
        put_window(s, lane, s.X.lo(objective, lane), s.X.hi(objective, lane))
        for j in range(n if p.body[0] == 0 else 0):
            lo, hi = s.X.lo(j, lane), s.X.hi(j, lane)
            put_lane(s, n, j, lane, lo, hi, lo if j == objective else min(max(0.5 * (lo + hi), lo), hi))
        if p.equations == 1:
            s.N[0, lane] = 0.0
    bound_times(s, p)
    for lane in range(LANES):
        bound = s.out[0, lane]
        if bound > s.X.hi(objective, lane):
            s.alive[lane] = 0.0
        else:
            s.X.put(objective, lane, max(s.X.lo(objective, lane), bound), s.X.hi(objective, lane))


@native
def put_window(s: SearchMemory, lane: int, lo: float, hi: float) -> None:
    """The window of time and its beginning in a lane of W."""
    s.W.put(0, lane, lo, hi)
    s.W.put(1, lane, lo, lo)


@native
def put_lane(s: SearchMemory, n: int, j: int, lane: int, lo: float, hi: float, centre: float) -> None:
    """Variable j in a lane of Z: its interval and its centre."""
    s.Z.put(j, lane, lo, hi)
    s.Z.put(n + j, lane, centre, centre)


@native
def take_boxes(s: SearchMemory, p: ProblemRow) -> int:
    """First boxes, or the parts they are planned to be cut into, in `before`; how many."""
    used = 0
    while used + 4 <= LANES and p.root >= 0 and marching(s, p):
        i = pop(s, p)
        if wanted(s, p, i):
            used = spread(s, p, i, used)
    return used


@native
def spread(s: SearchMemory, p: ProblemRow, i: int, used: int) -> int:
    """Box i, or its parts, into the lanes from `used` on; the number of lanes used then."""
    copy_box(s, p, s.box[i], s.before[used])
    s.tested[used] = s.tests[i]
    s.until[used] = s.horizon[i]
    count = used + 1
    for q in range(2):
        if s.halved[i, q] >= 0:
            count = halve(s, p, used, count, s.halved[i, q])
    return count


@native
def halve(s: SearchMemory, p: ProblemRow, begin: int, end: int, j: int) -> int:
    """Replace the boxes in lanes `begin` to `end` by their halves along variable j; the end of those."""
    for lane in range(begin, end):
        new = lane + end - begin
        middle = s.before[lane].middle(j)
        copy_box(s, p, s.before[lane], s.before[new])
        s.before[lane].put_hi(j, middle)
        s.before[new].put_lo(j, middle)
        s.tested[new] = 0
        s.until[new] = s.until[lane]
    return 2 * end - begin


@native
def prepare(s: SearchMemory, p: ProblemRow, lane: int, source: int) -> None:
    """The box with the window to be tested into a lane of Z, or the window into one of W."""
    objective, n = p.objective, p.variables
    begin = s.before[source].lo(objective)
    end = max(begin, min(min(s.before[source].hi(objective), cut(s)), s.until[source]))
    s.until[source] = end
    if p.body[0] != 0:
        put_window(s, lane, begin, end)
        return
    for j in range(n):
        lo, hi = s.before[source].lo(j), s.before[source].hi(j)
        if j == objective:
            put_lane(s, n, j, lane, begin, end, begin)
        else:
            put_lane(s, n, j, lane, lo, hi, min(max(0.5 * (lo + hi), lo), hi))


@native
def settle(s: SearchMemory, p: ProblemRow, lane: int) -> None:
    """Drop the box of a lane, or queue it with what was learnt."""
    objective = p.objective
    begin, until = s.before[lane].lo(objective), s.until[lane]
    end = min(s.before[lane].hi(objective), cut(s))
    bound = max(s.out[0, lane], begin)
    if bound > until:
        if until >= end:
            return
        bound = until
    s.before[lane].put_lo(objective, bound)
    i = push(s, p, s.before[lane])
    s.horizon[i] = begin + _SHORTER * (until - begin) if bound == begin and curved(s, p, lane) == np.inf else np.inf
    if p.body[0] != 0:
        s.pair[i, 0] = s.both[lane, 0]
        s.pair[i, 1] = s.both[lane, 1]
    share = (bound - begin) / (until - begin) if until > begin else 0.0
    far = share > _MOSTLY and until < end
    if far or (s.tested[lane] < _MOST and worth_another(s, p, lane, share)):
        s.tests[i] = 1 if far else s.tested[lane] + 1
        s.horizon[i] = bound + _WINDOW * (bound - begin)
    elif p.body[0] == 0:
        plan(s, p, lane, i)
    else:
        s.settled[i] = 1 if pair_settled(s, p, lane) else 0


@native
def worth_another(s: SearchMemory, p: ProblemRow, lane: int, share: float) -> bool:
    """Whether another test, from where this one got to, might get on. Of bodies that move in a straight line, steadily, it knows no more.
    """
    steady = p.varying == 0 and curved(s, p, lane) == 0.0
    return (share > _WORTH and not steady) or (share > 0.0 and curved(s, p, lane) > _CURVED)


@native
def curved(s: SearchMemory, p: ProblemRow, lane: int) -> float:
    """About which share of the gap the second derivative by time used up; infinity where derivatives are unbounded."""
    return s.out[1 if p.body[0] != 0 else p.variables, lane]


@native
def divisible(s: SearchMemory, k: int, j: int) -> bool:
    lo, hi = s.before[k].lo(j), s.before[k].hi(j)
    return lo < 0.5 * (lo + hi) < hi


@native
def widest_share(s: SearchMemory, p: ProblemRow, lane: int, j: int) -> int:
    """The variable that is widest against its domain, j if none is wider. Not the angle between two implicit surfaces, which comes before
    the time: of that the equations say nothing anywhere.
    """
    objective = p.objective
    for k in range(p.variables):
        if k != objective and k != p.angle and divisible(s, lane, k) and share(s, p, s.before[lane], k) > share(s, p, s.before[lane], j):
            j = k
    return j


@native
def all_known(s: SearchMemory, p: ProblemRow, lane: int) -> bool:
    """Whether it is known how far each variable moves the point."""
    for q in range(1, p.variables):
        if not s.out[q, lane] < np.inf:
            return False
    return True


@native
def plan(s: SearchMemory, p: ProblemRow, lane: int, i: int) -> None:
    """The variables to halve of box i, which comes from a lane: those that move the point furthest, or one that was neglected for too long,
    as one on which the equations do not depend.
    """
    first, second = -1, -1
    most, more = -1.0, -1.0
    known = all_known(s, p, lane)
    q = 0
    for j in range(p.variables):
        if j != p.objective:
            q += 1
            extent = s.out[q, lane]
            if not known:
                # Nothing is known of some derivatives: the variable that is widest against its domain, first such of unknown ones.
                ahead = _AHEAD if extent < np.inf else 1.0
                extent = ahead * (s.before[lane].width(j) / p.domain.width(j))
            if divisible(s, lane, j):
                if extent > most:
                    second, more = first, most
                    first, most = j, extent
                elif extent > more:
                    second, more = j, extent
    if first < 0:
        return
    if known and most <= s.tolerance * p.space:
        s.settled[i] = 1
        return
    widest = widest_share(s, p, lane, first)
    if share(s, p, s.before[lane], first) * NEGLECTED < share(s, p, s.before[lane], widest):
        s.halved[i, 0] = widest
        return
    s.halved[i, 0] = first
    s.halved[i, 1] = second if more >= _COMPARABLE * most else -1
