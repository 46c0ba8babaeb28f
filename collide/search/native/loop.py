"""The one search loop: best-first branch and bound over boxes, eight boxes a step, many problems with one bound.

A problem asks for zeros of a system over a box, and where it has an objective (one of its variables; time for a
collision) for those where the objective is least. All problems share the proved upper bound u of the objective
(Snyder 1993, Section 3.2: multiple element minimization), and each has its own queue.

A step pops up to eight boxes of the problem whose first box comes first and treats all at once: the natural
extension of the system kills most; Linear_Solve contracts the rest; what is left is split, or thinned, sampled and
accepted. From time to time a local solve supplies an early candidate for u, which an existence test proves.

What is proved, and by what (Fig. 6 made safe):

* u falls only to the upper end of the objective in a box that is proved to hold a feasible zero of the *equations*.
  Local solves, acceptance without proof and the tentative bound only order the search.
* A box is dropped if an extension or an operator says that it holds no zero; if its least objective exceeds u +
  simultaneity; if it lies in a uniqueness box, whose zero is recorded; or if it is thinned or accepted, and then its
  least objective goes into CLEAR.
* Rows beyond the equations (necessary conditions such as tangency) are used only where every zero of interest
  satisfies them: not in a box that touches a border marked in `border`.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .body_trees import room_for_nodes
from .boxes import at_pole, lower, read_lane, room_for_boxes, take
from .conservative_advancement import march, narrow
from .continuation import walk
from .contraction import contract
from .crossings_beside import HOPELESS, LONG, prove_beside
from .layout import (
    AGAIN,
    AHEAD,
    BODY,
    CLOSED,
    EXISTENCE,
    EXISTS,
    FINISHED,
    FIRST_ONLY,
    FREE,
    GAP,
    ITERATIONS,
    LANES,
    LATE,
    LOCATED,
    NEED_BOXES,
    NEED_CHART,
    NEED_SOLUTIONS,
    NEWTON,
    NEXT_LOCAL,
    OBJECTIVE,
    PARAMETERS,
    POINT,
    POLE,
    PROBLEMS,
    PROVED,
    RANGE,
    RANGED,
    ROOM,
    ROOT,
    SAMPLE,
    SIMULTANEITY,
    SLICE,
    SMALLEST,
    SOLUTIONS,
    SPLIT,
    STEPS,
    TAYLOR,
    TENTATIVE,
    WALKED,
)
from .node_pairs import marching, unlikely_isolated
from .queue import attribute, first_problem, push
from .sample import any_late, look_ahead, prove_near, sample, sample_crossings
from .solutions import feasible, may_hold_zero, record
from .split import gap_at, measure_space, split, steepest, verdict, widest
from .thinning import drop_final, thin

# So many boxes a time that is known to within GAP is worth: it leaves least to do to searches that begin there.
_PATIENCE = 256


@native
def run(s, steps):
    """Take up to `steps` steps; the reason for returning."""
    if s.count[STEPS] == 0:
        for p in range(s.count[PROBLEMS]):
            measure_space(s, p)
    if s.count[STEPS] == 0 and s.count[SAMPLE] != 0:
        # An upper bound from any problem spares work in all of them.
        s.count[STEPS] = 1
        for p in range(s.count[PROBLEMS]):
            if attribute(s, p, OBJECTIVE) >= 0 and attribute(s, p, ROOT) >= 0 and s.count[SOLUTIONS] + 2 * LANES < s.count[ROOM]:
                look_ahead(s, p)
    for _ in range(steps):
        if not room_for_boxes(s) or not room_for_nodes(s):
            return NEED_BOXES
        if s.count[SOLUTIONS] + 2 * LANES >= s.count[ROOM]:
            return NEED_SOLUTIONS
        if s.count[SAMPLE] != 0 and s.count[WALKED] < s.count[SOLUTIONS]:
            walk(s)
            continue
        p = first_problem(s)
        if p < 0 or (s.count[FIRST_ONLY] != 0 and s.real[PROVED] < np.inf) or bracketed(s, p):
            return FINISHED
        p = turn(s, p)
        if s.count[POLE] > 0 or at_pole(s, p, s.box, attribute(s, p, ROOT)):
            return NEED_CHART
        s.count[STEPS] += 1
        if s.count[SAMPLE] != 0 and s.count[STEPS] >= s.count[NEXT_LOCAL]:
            s.count[NEXT_LOCAL] *= 3 if s.count[SOLUTIONS] == 0 else 9
            look_ahead(s, p)
            if s.real[PROVED] == np.inf and s.count[STEPS] > LONG:
                prove_beside(s, p, s.box, attribute(s, p, ROOT))
        elif s.count[SAMPLE] != 0 and s.count[STEPS] > HOPELESS and s.count[STEPS] % LONG == 0 and behind(s, p):
            look_ahead(s, p)
            if behind(s, p) and attribute(s, p, POINT) != 0 and attribute(s, p, EXISTENCE) != 0:
                prove_near(s, p, s.box, attribute(s, p, ROOT), 0.8)
        if marching(s, p):
            march(s, p)
        else:
            step(s, p)
    return SLICE


@native
def behind(s, p):
    """Is no candidate for the least objective known that is near that of the first box of problem p?"""
    best = min(s.real[PROVED], s.real[TENTATIVE])
    return attribute(s, p, OBJECTIVE) >= 0 and best > s.key[attribute(s, p, ROOT)] + s.real[SIMULTANEITY]


@native
def turn(s, p):
    """The problem to step in, p being the one that comes first. Unless only a bound is made tighter, every other step goes in turn to
    those that come as early: one of them may hold the contact, or its samples, and never come first.
    """
    bounding = s.real[GAP] > 0.0 and s.real[PROVED] < np.inf
    if s.count[STEPS] % 2 == 0 and not bounding and attribute(s, p, OBJECTIVE) >= 0:
        for k in range(s.count[PROBLEMS]):
            q = (s.count[STEPS] // 2 + k) % s.count[PROBLEMS]
            if attribute(s, q, ROOT) >= 0 and s.key[attribute(s, q, ROOT)] <= s.key[attribute(s, p, ROOT)] + s.real[SIMULTANEITY]:
                return q
    return p


@native
def bracketed(s, p):
    """Is the least objective known to within GAP? Boxes come first by the lower end of their objective.

    Where that took many boxes, and contact is unlikely to be isolated, it is enough to know it to AHEAD of the time from the beginning.
    """
    u = s.real[PROVED]
    if not (s.real[GAP] > 0.0 and u < np.inf):
        return False
    gap = gap_at(s, u)
    if s.real[AHEAD] > 0.0 and s.count[ITERATIONS] > _PATIENCE and unlikely_isolated(s):
        gap = max(gap, s.real[AHEAD] * (u - lower(s, s.domain, p, attribute(s, p, OBJECTIVE))))
    return s.key[attribute(s, p, ROOT)] >= u - gap


@native
def step(s, p):
    """Search up to eight boxes of problem p."""
    used = take(s, p)
    if used == 0:
        return
    if excluded(s, p, used):
        return
    if s.count[NEWTON] > 0:
        contract(s, p, used)
    if attribute(s, p, TAYLOR) != 0:
        narrow(s, p)
    for lane in range(used):
        read_lane(s, p, s.X, lane, s.hold, lane)
    for lane in range(used):
        s.action[lane] = verdict(s, p, lane)
    # Splits use the slopes of this step; proofs overwrite them, so they come last.
    for lane in range(used):
        if s.action[lane] == AGAIN:
            i = push(s, p, s.hold, lane)
            s.horizon[i] = s.until[lane]
        elif s.action[lane] == SPLIT:
            split(s, p, lane, steepest(s, p, lane))
    conclude(s, p, used)


@native
def excluded(s, p, used):
    """Does the natural extension of the system exclude all boxes in the lanes? `flag` says which may hold a zero. Boxes that come from
    `march` have been looked at, and the extension seldom knows more than the bounds there.
    """
    marched = attribute(s, p, BODY) != 0 and attribute(s, p, RANGED) == 0
    for lane in range(used):
        marched = marched and s.parents[2 * lane] >= 0
    if not marched:
        call_kernel(attribute(s, p, RANGE), s.X, attribute(s, p, PARAMETERS), s.F)
    alive = False
    for lane in range(LANES):
        holds = lane < used and (marched or may_hold_zero(s, p, lane))
        s.flag[lane] = 1.0 if holds else 0.0
        alive = alive or holds
    return not alive


@native
def conclude(s, p, used):
    """Boxes that are late or smallest: thin them, sample them and thin again, accept the smallest, split the others."""
    if not any_late(s, used):
        return
    for lane in range(used):
        s.final[lane] = 0
    thin(s, p, used)
    if attribute(s, p, POINT) != 0 and sample(s, p, used):
        thin(s, p, used)
    if attribute(s, p, POINT) != 0 and sample_crossings(s, p, used):
        thin(s, p, used)
    drop_final(s, p, used)
    for lane in range(used):
        if s.action[lane] == SMALLEST:
            if attribute(s, p, CLOSED) != 0 and attribute(s, p, OBJECTIVE) >= 0:
                prove_near(s, p, s.hold, lane, 0.0)
            else:
                prove_beside(s, p, s.hold, lane)
            record(s, p, LOCATED, s.hold, lane, s.hold, lane)
        elif s.action[lane] == LATE:
            split(s, p, lane, widest(s, p, lane))


@native
def push_written(s, p, count):
    """Queue for problem p so many boxes, which are written already to the places that come next."""
    for _ in range(count):
        push(s, p, s.box, s.free[s.count[FREE] - 1])
    return 0


@native
def record_held(s, p, kind):
    """The first box of `hold` as a solution of problem p: LOCATED, or EXISTS where it is proved to hold a zero of the equations, and then
    lies in the domain and is feasible. Was it recorded?
    """
    if kind == EXISTS and not feasible(s, p, s.hold, 0):
        return 0
    record(s, p, kind, s.hold, 0, s.hold, 0)
    return 1
