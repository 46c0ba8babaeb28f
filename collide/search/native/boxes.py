"""Boxes in lanes and out of them, and what can be said of a box without a kernel."""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Box, Intervals

from .layout import ALONE, LANES, UNIQUE, ProblemRow, SearchMemory
from .queue import copy_box, pop


@native
def share(s: SearchMemory, p: ProblemRow, box: Box, j: int) -> float:
    """Width of variable j against its domain; 0 for a variable without width."""
    whole = p.domain.width(j)
    return box.width(j) / whole if whole > 0.0 else 0.0


@native
def load_lane(s: SearchMemory, p: ProblemRow, box: Box, lane: int) -> None:
    """Box k into a lane of X."""
    for j in range(p.variables):
        s.X.put(j, lane, box.lo(j), box.hi(j))


@native
def load_all(s: SearchMemory, p: ProblemRow, box: Box) -> None:
    for lane in range(LANES):
        load_lane(s, p, box, lane)


@native
def read_lane(s: SearchMemory, p: ProblemRow, block: Intervals, lane: int, box: Box) -> None:
    """A lane of a block of intervals into a box."""
    for j in range(p.variables):
        box.put(j, block.lo(j, lane), block.hi(j, lane))


@native
def centre_as_box(s: SearchMemory, p: ProblemRow) -> None:
    """The point `centre` as a box, in `tight`."""
    for j in range(p.variables):
        s.tight.put(j, s.centre[j], s.centre[j])


@native
def cut(s: SearchMemory) -> float:
    """A box whose least objective lies above this is of no interest."""
    return s.proved + s.simultaneity


@native
def too_late(s: SearchMemory, p: ProblemRow, box: Box) -> bool:
    objective = p.objective
    return objective >= 0 and box.lo(objective) > cut(s)


@native
def trim(s: SearchMemory, p: ProblemRow, box: Box) -> None:
    """Cut off what is too late of a box: then it may lie in the region of a solution."""
    objective = p.objective
    if objective >= 0:
        box.put_hi(objective, max(min(box.hi(objective), cut(s)), box.lo(objective)))


@native
def keep_clear(s: SearchMemory, p: ProblemRow, box: Box) -> None:
    """A box leaves the search without a proof that it holds no zero: remember its objective."""
    objective = p.objective
    if objective >= 0:
        s.clear = min(s.clear, box.lo(objective))
        s.latest = max(s.latest, box.hi(objective))


@native
def at_border(s: SearchMemory, p: ProblemRow, box: Box) -> bool:
    """Whether the box touches an end of the domain where the necessary conditions do not hold."""
    for j in range(p.variables):
        if p.border[j, 0] != 0 and box.lo(j) <= p.domain.lo(j):
            return True
        if p.border[j, 1] != 0 and box.hi(j) >= p.domain.hi(j):
            return True
    return False


@native
def at_pole(s: SearchMemory, p: ProblemRow, box: Box) -> bool:
    """Whether the box lies so near a pole that other parameters should take over. If so, the search stores where."""
    for j in range(p.variables):
        before = box.hi(j) <= p.polar.lo(j)
        if before or box.lo(j) >= p.polar.hi(j):
            s.pole_met = 1
            s.pole_problem = p.number
            s.pole_variable = j
            s.pole_end = 0 if before else 1
            return True
    return False


@native
def shift_into(s: SearchMemory, p: ProblemRow, j: int, middle: float, target: float) -> float:
    """The multiple of the period of variable j that brings `middle` nearest to `target`."""
    turn = p.period[j]
    return turn * np.round((target - middle) / turn) if turn > 0.0 else 0.0


@native
def inside_region(s: SearchMemory, p: ProblemRow, box: Box, solution: int) -> bool:
    """Whether the box lies in the uniqueness box of a solution, up to periods.

    A shifted box is compared with a margin: 1e-12 of the shift and of where it was is thousands of times its rounding
    and that of the period.
    """
    for j in range(p.variables):
        lo, hi = box.lo(j), box.hi(j)
        first, last = s.region[solution].lo(j), s.region[solution].hi(j)
        shift = shift_into(s, p, j, 0.5 * (lo + hi), 0.5 * (first + last))
        margin = 1e-12 * (abs(shift) + max(abs(lo), abs(hi))) if shift != 0.0 else 0.0
        if lo + shift < first + margin or hi + shift > last - margin:
            return False
    return True


@native
def encloses_one(s: SearchMemory, solution: int) -> bool:
    """Whether the solution is proved to be the only zero in its region."""
    return s.kind[solution] == UNIQUE or s.kind[solution] == ALONE


@native
def known(s: SearchMemory, p: ProblemRow, box: Box) -> bool:
    """Whether the box lies where a solution found before is the only zero."""
    for solution in range(s.solutions):
        if encloses_one(s, solution) and s.owner[solution] == p.number and inside_region(s, p, box, solution):
            return True
    return False


@native
def take(s: SearchMemory, p: ProblemRow) -> int:
    """Pop up to eight boxes that need work into the lanes and `before`; how many. Where they are nodes of trees, `parents` say so."""
    used = 0
    while used < LANES and p.root >= 0:
        i = pop(s, p)
        if too_late(s, p, s.box[i]):
            continue
        trim(s, p, s.box[i])
        # At such a border there may be zeros of the equations that the uniqueness proof does not know of.
        if not at_border(s, p, s.box[i]) and known(s, p, s.box[i]):
            continue
        copy_box(s, p, s.box[i], s.before[used])
        s.until[used] = s.horizon[i]
        s.tried_at[used] = s.solved_at[i]
        s.parents[used, 0] = s.pair[i, 0]
        used += 1
    for lane in range(LANES):
        load_lane(s, p, s.before[lane if lane < used else 0], lane)
    s.iterations += used
    return used


@native
def room_for_boxes(s: SearchMemory) -> bool:
    return s.unused >= 4 * LANES
