"""Sampling: local solves from the boxes of a search, and proofs of what they find (Snyder 1993, Fig. 6)."""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Box

from .boxes import at_pole, centre_as_box, cut
from .crossings_beside import locate
from .kkt import descend, descend_near
from .layout import EXISTS, LANES, LATE, WANTED, ProblemRow, SearchMemory
from .local_solve import local_solve, restore, scatter_points
from .prove import prove, prove_exists, prove_isolated
from .solutions import image_of, improve, record, solved_before
from .split import largest_share
from .thinning import begin, close_to_sample, drop_beside, near_sample

# A local solve in a box is repeated in parts of it of this relative size. Effort only (measured: tests/benchmarks/constants.py, 1/32 to
# 1/2 are alike within 2 %).
_SOONER = 0.125
# After so many steps over what comes just after the first contact samples are taken where contact is proved, but not that it is
# tangential. (Measured likewise: 1,000 takes 20 % fewer boxes, by tori that are nearly coaxial, 16,000 nearly twice as many.)
STUBBORN = 4000


@native
def load_reached(s: SearchMemory, p: ProblemRow, lane: int) -> None:
    """The point that a lane reached into `centre`, and as a box into `tight`."""
    for j in range(p.variables):
        s.centre[j] = s.reached[lane, j]
    centre_as_box(s, p)


@native
def candidate(s: SearchMemory, p: ProblemRow, lane: int) -> bool:
    """The converged point of a lane into `centre`; False if it comes too late, or at a pole."""
    objective = p.objective
    load_reached(s, p, lane)
    if objective >= 0 and s.centre[objective] > cut(s):
        return False
    return p.image == 0 or not at_pole(s, p, s.tight)


@native
def sampled(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether there is a sample near `centre`."""
    if p.image == 0:
        return False
    image_of(s, p, s.tight, s.near)
    return near_sample(s, p, False, begin(s, p, s.tight)) >= 0


@native
def due(s: SearchMemory, p: ProblemRow, lane: int) -> bool:
    """Whether it is time for a local solve in the lane's box: there was none, or none since it was much larger. It is not where its middle
    is in the region of a known solution, or near a sample and nothing else may be in the box: that is what would be found.
    """
    if s.action[lane] < LATE:
        return False
    final = s.beside[lane] >= 0 and s.final[lane] == 1
    if not final and largest_share(s, p, lane) > _SOONER * s.tried_at[lane]:
        return False
    for j in range(p.variables):
        s.centre[j] = s.hold[lane].middle(j)
    if solved_before(s, p):
        s.final[lane] = WANTED
        return False
    return p.image == 0 or s.beside[lane] >= 0 or close_to_sample(s, p, lane, False) < 0


@native
def examine(s: SearchMemory, p: ProblemRow, lane: int) -> None:
    """The converged point of a lane: prove it, or locate it. Beside a sample isolated contacts are to be found, and no more samples; where
    there is one, there may be others.
    """
    if not sampled(s, p):
        if not prove(s, p, True):
            load_reached(s, p, lane)
            locate(s, p)
    elif s.beside[lane] >= 0 and prove_isolated(s, p):
        s.final[lane] = WANTED
    elif s.beside[lane] >= 0:
        load_reached(s, p, lane)
        drop_beside(s, p, lane)


@native
def sample(s: SearchMemory, p: ProblemRow, used: int) -> bool:
    """Solve locally from the middles of the boxes that are due, and prove what is found. Return whether there is a new solution. Where
    samples are near, the nearest zero is looked for, which may be isolated, and not one of least objective: along a curve it would be
    another sample.
    """
    least, nearest = False, False
    for lane in range(used):
        s.solving[lane] = 1 if due(s, p, lane) else 0
        if s.solving[lane] != 0:
            s.tried_at[lane] = largest_share(s, p, lane)
            least = least or s.beside[lane] < 0
            nearest = nearest or s.beside[lane] >= 0
    if not (least or nearest):
        return False
    if least:
        start_at_middles(s, p, used)
        solve_locally(s, p)
        keep_reached(s, p, used, False)
    if nearest:
        start_at_middles(s, p, used)
        local_solve(s, p)
        keep_reached(s, p, used, True)
    before = s.solutions
    for lane in range(used):
        if s.solutions > before and s.kind[s.solutions - 1] == EXISTS:
            # First a walk from this sample of a manifold, whose steps are even; then the other boxes again.
            s.tried_at[lane] = np.inf
        elif s.solving[lane] != 0 and candidate(s, p, lane):
            examine(s, p, lane)
    return s.solutions > before


@native
def start_at_middles(s: SearchMemory, p: ProblemRow, used: int) -> None:
    """The middles of the boxes into `point`."""
    for lane in range(LANES):
        source = lane if lane < used else 0
        for j in range(p.variables):
            s.point[j, lane] = s.hold[source].middle(j)


@native
def keep_reached(s: SearchMemory, p: ProblemRow, used: int, beside: bool) -> None:
    """The ends of local solves in the lanes that are beside a sample, or in the others."""
    for lane in range(used):
        if (s.beside[lane] >= 0) == beside:
            if s.converged[lane] < 0.5:
                s.solving[lane] = 0
            for j in range(p.variables):
                s.reached[lane, j] = s.point[j, lane]


@native
def any_late(s: SearchMemory, used: int) -> bool:
    for lane in range(used):
        if s.action[lane] >= LATE:
            return True
    return False


@native
def sample_crossings(s: SearchMemory, p: ProblemRow, used: int) -> bool:
    """Whether there is a new sample, in a search that has taken long over boxes just after the first contact. Zeros of the equations in its
    boxes count as samples there, though the necessary conditions may fail by little: as between bodies that touch in a point, and only just
    not in a curve.
    """
    if not s.proved < np.inf or p.objective < 0 or p.closed != 0:
        return False
    s.late_steps += 1
    if s.late_steps <= STUBBORN or p.image == 0 or p.existence == 0:
        return False
    wanted = False
    for lane in range(LANES):
        source = lane if lane < used else 0
        s.solving[lane] = 1 if lane < used and s.action[lane] >= LATE and close_to_sample(s, p, lane, False) < 0 else 0
        wanted = wanted or s.solving[lane] != 0
        for j in range(p.variables):
            s.point[j, lane] = s.hold[source].middle(j)
    if not wanted:
        return False
    restore(s, p)
    for lane in range(used):
        s.solving[lane] = s.solving[lane] if s.converged[lane] > 0.5 else 0
        for j in range(p.variables):
            s.reached[lane, j] = s.point[j, lane]
    before = s.solutions
    for lane in range(used):
        if s.solving[lane] != 0 and s.solutions == before and candidate(s, p, lane) and not sampled(s, p) and prove_exists(s, p):
            record(s, p, EXISTS, s.tight, s.tight)
    return s.solutions > before


@native
def pole_at_centre(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether `centre` lies at a pole. If so, the search asks for other parameters: boxes would become small before one of them is seen to
    be.
    """
    centre_as_box(s, p)
    return at_pole(s, p, s.tight)


@native
def seed_upper_bound(s: SearchMemory, p: ProblemRow) -> None:
    """Local solves from points spread over the first box of the queue: early upper bounds of the objective. Where the best one cannot be
    proved since it lies at a pole, as where two of them meet, `pole_met` says so.
    """
    if p.point == 0:
        return
    scatter_points(s, p, s.box[p.root], 0.8)
    if p.least != 0:
        descend_near(s, p, s.box[p.root])
    else:
        local_solve(s, p)
    if choose_best(s, p):
        keep_normal(s, p)
        if not prove(s, p, False):
            if pole_at_centre(s, p):
                return
            locate(s, p)
    if p.closed != 0 and p.objective >= 0:
        prove_near(s, p, s.box[p.root], 0.8)


@native
def solve_locally(s: SearchMemory, p: ProblemRow) -> None:
    """Local solves from the points in `point`, for the least objective where second derivatives are at hand."""
    if p.least != 0:
        descend(s, p)
    else:
        local_solve(s, p)


@native
def keep_normal(s: SearchMemory, p: ProblemRow) -> None:
    """The multipliers of the lane whose point is in `centre` make the common normal of a contact: a direction to test."""
    if p.least == 0 or p.equations != 3:
        return
    for lane in range(LANES):
        if s.converged[lane] > 0.5 and s.point[p.objective, lane] == s.centre[p.objective]:
            for k in range(3):
                p.normal[k] = s.multiplier[k, lane]


@native
def prove_near(s: SearchMemory, p: ProblemRow, box: Box, spread: float) -> None:
    """Lower u by a feasible zero of the equations near points spread over a box."""
    scatter_points(s, p, box, spread)
    restore(s, p)
    if choose_best(s, p) and prove_exists(s, p):
        improve(s, p, s.tight)


@native
def choose_best(s: SearchMemory, p: ProblemRow) -> bool:
    """The best converged point into `centre`; False if none would lower u."""
    objective = p.objective
    best, chosen = s.proved, -1
    for lane in range(LANES):
        value = s.point[objective, lane] if objective >= 0 else 0.0
        if s.converged[lane] > 0.5 and value < best:
            best, chosen = value, lane
    if chosen >= 0:
        for j in range(p.variables):
            s.centre[j] = s.point[j, chosen]
    return chosen >= 0
