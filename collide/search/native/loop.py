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
  least objective goes into `clear`.
* Rows beyond the equations (necessary conditions such as tangency) are used only where every zero of interest
  satisfies them: not in a box that touches a border marked in `border`.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .body_trees import room_for_nodes
from .boxes import at_pole, read_lane, room_for_boxes, take
from .conservative_advancement import march, narrow
from .continuation import walk
from .contraction import contract
from .crossings_beside import HOPELESS, LONG, prove_beside
from .layout import (
    AGAIN,
    EXISTS,
    FINISHED,
    LANES,
    LATE,
    LOCATED,
    NEED_BOXES,
    NEED_CHART,
    NEED_SOLUTIONS,
    SLICE,
    SMALLEST,
    SPLIT,
    ProblemRow,
    SearchMemory,
)
from .node_pairs import marching, unlikely_isolated
from .queue import first_problem, push
from .sample import any_late, prove_near, sample, sample_crossings, seed_upper_bound
from .solutions import feasible, full_of_zeros, may_hold_zero, measure_left, record
from .split import gap_at, measure_space, split, steepest, verdict, widest
from .thinning import drop_final, thin

# So many boxes a time that is known to within `gap` is worth: it leaves least to do to searches that begin there. Effort only (measured:
# tests/benchmarks/constants.py, 64 and 1,024 are alike).
_PATIENCE = 256
# From so many problems an upper bound is looked for before the first step: there may be tens of thousands. Effort only.
_SEEDED = 512


@native
def run(s: SearchMemory, steps: int) -> int:
    """Take up to `steps` steps; the reason for returning."""
    s.reason = taken(s, steps)
    return s.reason


@native
def taken(s: SearchMemory, steps: int) -> int:
    """Take up to `steps` steps, as `run`; the reason for returning."""
    if s.steps == 0:
        for k in range(s.problems):
            measure_space(s, s.problem[k])
    if s.steps == 0 and s.sampling != 0:
        # An upper bound from any problem spares work in all of them.
        s.steps = 1
        for k in range(min(s.problems, _SEEDED)):
            p = s.problem[k]
            if p.objective >= 0 and p.root >= 0 and s.solutions + 2 * LANES < s.solution_room:
                seed_upper_bound(s, p)
    for _ in range(steps):
        if not room_for_boxes(s) or not room_for_nodes(s):
            return NEED_BOXES
        if s.solutions + 2 * LANES >= s.solution_room:
            return NEED_SOLUTIONS
        if s.sampling != 0 and s.walked < s.solutions:
            walk(s)
            continue
        first = first_problem(s)
        if first < 0 or (s.first_only != 0 and s.proved < np.inf) or bracketed(s, s.problem[first]):
            return FINISHED
        p = turn(s, s.problem[first])
        if s.pole_met != 0 or at_pole(s, p, s.box[p.root]):
            return NEED_CHART
        s.steps += 1
        if s.sampling != 0 and s.steps >= s.next_local:
            s.next_local *= 3 if s.solutions == 0 else 9
            seed_upper_bound(s, p)
            if s.proved == np.inf and s.steps > LONG:
                prove_beside(s, p, s.box[p.root])
        elif s.sampling != 0 and s.steps > HOPELESS and s.steps % LONG == 0 and behind(s, p):
            seed_upper_bound(s, p)
            if behind(s, p) and p.point != 0 and p.existence != 0:
                prove_near(s, p, s.box[p.root], 0.8)
        if marching(s, p):
            march(s, p)
        else:
            step(s, p)
    return SLICE


@native
def behind(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether no candidate for the least objective is known that is near that of the first box of problem p."""
    best = min(s.proved, s.tentative)
    return p.objective >= 0 and best > s.key[p.root] + s.simultaneity


@native
def turn(s: SearchMemory, p: ProblemRow) -> ProblemRow:
    """The problem to step in, p being the one that comes first. Unless only a bound is made tighter, every other step goes in turn to
    those that come as early: one of them may hold the contact, or its samples, and never come first.
    """
    bounding = s.gap > 0.0 and s.proved < np.inf
    if s.steps % 2 == 0 and not bounding and p.objective >= 0:
        for k in range(s.problems):
            q = s.problem[(s.steps // 2 + k) % s.problems]
            if q.root >= 0 and s.key[q.root] <= s.key[p.root] + s.simultaneity:
                return q
    return p


@native
def bracketed(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether the least objective is known to within `gap`. Boxes come first by the lower end of their objective.

    Where that took many boxes, and contact is unlikely to be isolated, it is enough to know it to `ahead` of the time from the beginning.
    """
    u = s.proved
    if not (s.gap > 0.0 and u < np.inf):
        return False
    gap = gap_at(s, u)
    if s.ahead > 0.0 and s.iterations > _PATIENCE and unlikely_isolated(s):
        gap = max(gap, s.ahead * (u - p.domain.lo(p.objective)))
    return s.key[p.root] >= u - gap


@native
def step(s: SearchMemory, p: ProblemRow) -> None:
    """Search up to eight boxes of problem p."""
    used = take(s, p)
    if used == 0:
        return
    if excluded(s, p, used):
        return
    if s.newton > 0:
        contract(s, p, used)
    if p.taylor != 0:
        narrow(s, p)
    for lane in range(used):
        read_lane(s, p, s.X, lane, s.hold[lane])
    for lane in range(used):
        s.action[lane] = verdict(s, p, lane)
    # Splits use the slopes of this step; proofs overwrite them, so they come last.
    for lane in range(used):
        if s.action[lane] == AGAIN:
            i = push(s, p, s.hold[lane])
            s.horizon[i] = s.until[lane]
            s.solved_at[i] = s.tried_at[lane]
        elif s.action[lane] == SPLIT:
            split(s, p, lane, steepest(s, p, lane))
    conclude(s, p, used)


@native
def excluded(s: SearchMemory, p: ProblemRow, used: int) -> bool:
    """Whether the natural extension of the system excludes all boxes in the lanes. `alive` says which may hold a zero. Boxes that come from
    `march` have been looked at, and the extension seldom knows more than the bounds there.
    """
    marched = p.body[0] != 0 and p.ranged == 0
    for lane in range(used):
        marched = marched and s.parents[lane, 0] >= 0
    if not marched:
        call_kernel(p.range, s.X, p.parameters, s.F)
        measure_left(s, p)
    alive = False
    for lane in range(LANES):
        holds = lane < used and (marched or may_hold_zero(s, p, lane))
        s.alive[lane] = 1.0 if holds else 0.0
        s.filled[lane] = 1 if holds and not marched and full_of_zeros(s, p, lane) else 0
        alive = alive or holds
    return not alive


@native
def conclude(s: SearchMemory, p: ProblemRow, used: int) -> None:
    """Boxes that are late or smallest: thin them, sample them and thin again, accept the smallest, split the others."""
    if not any_late(s, used):
        return
    for lane in range(used):
        s.final[lane] = 0
    thin(s, p, used)
    if p.point != 0 and sample(s, p, used):
        thin(s, p, used)
    if p.point != 0 and sample_crossings(s, p, used):
        thin(s, p, used)
    drop_final(s, p, used)
    for lane in range(used):
        if s.action[lane] == SMALLEST:
            if p.closed != 0 and p.objective >= 0:
                prove_near(s, p, s.hold[lane], 0.0)
            else:
                prove_beside(s, p, s.hold[lane])
            record(s, p, LOCATED, s.hold[lane], s.hold[lane])
        elif s.action[lane] == LATE:
            split(s, p, lane, widest(s, p, lane))


@native
def push_written(s: SearchMemory, p: ProblemRow, count: int) -> int:
    """Queue for problem p so many boxes, which are written already to the places that come next."""
    for _ in range(count):
        push(s, p, s.box[s.free[s.unused - 1]])
    return 0


@native
def record_held(s: SearchMemory, p: ProblemRow, kind: int) -> int:
    """Record the first box of `hold` as a solution of problem p: LOCATED, or EXISTS where it is proved to hold a zero of the equations, and
    then lies in the domain and is feasible. Return whether it was recorded.
    """
    if kind == EXISTS and not feasible(s, p, s.hold[0]):
        return 0
    record(s, p, kind, s.hold[0], s.hold[0])
    return 1
