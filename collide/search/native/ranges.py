"""Bounds by the ranges of the rows, and by the inequalities, of boxes that `conservative_advancement` looks at."""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .boxes import load_lane
from .layout import LANES, ProblemRow, SearchMemory
from .solutions import may_hold_zero, measure, measure_left

# A time less so much of its size, and this, is at least the double before it: doubles are no farther apart than 2^-52 of their size.
_UNIT, _LEAST = 2.0**-52, 1e-300


@native
def evaluate_ranges(s: SearchMemory, p: ProblemRow, used: int) -> None:
    """The rows and the inequalities, or these alone, over the boxes from a moment before they begin."""
    objective = p.objective
    for lane in range(LANES):
        load_lane(s, p, s.before[lane if lane < used else 0], lane)
        begin = s.X.lo(objective, lane)
        s.X.put(objective, lane, begin - _UNIT * abs(begin) - _LEAST, s.X.hi(objective, lane))
    if p.possible != 0:
        know_sides(s, p)
    else:
        call_kernel(p.range, s.X, p.parameters, s.F)
        measure_left(s, p)


@native
def know_sides(s: SearchMemory, p: ProblemRow) -> None:
    """Mark the boxes in which the inequalities hold throughout: a zero of the single equation is a contact there, so there is none before
    the first one (see `codegen.time_bounds.directions`).
    """
    call_kernel(p.possible, s.X, p.parameters, s.F)
    measure(s, p, 0)
    for lane in range(LANES):
        s.N[0, lane] = 1.0 if s.F.lo(0, lane) >= 1.0 and p.border[p.objective, 0] == 0 else 0.0


@native
def drop_impossible(s: SearchMemory, p: ProblemRow, used: int) -> None:
    """Boxes in which the rows have no common zero, or the inequalities fail, as beyond the bounds of an implicit surface, or a formula is
    undefined: no contact.
    """
    for lane in range(used):
        holds = s.F.hi(0, lane) > 0.0 if p.possible != 0 else may_hold_zero(s, p, lane)
        if not holds:
            s.out[0, lane] = np.inf
            s.until[lane] = s.before[lane].hi(p.objective)
