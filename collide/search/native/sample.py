"""Sampling: local solves from the boxes of a search, and proofs of what they find (Snyder 1993, Fig. 6)."""

import numpy as np

from codegen.machine.loops import native

from .boxes import at_pole, cut, lower, upper
from .crossings_beside import locate
from .kkt import descend, descend_near
from .layout import (
    CLOSED,
    EQUATIONS,
    EXISTENCE,
    EXISTS,
    IMAGE,
    LANES,
    LATE,
    LATE_STEPS,
    LEAST,
    OBJECTIVE,
    POINT,
    PROVED,
    ROOT,
    SOLUTIONS,
    STRIDE,
    VARIABLES,
    WANTED,
)
from .local_solve import local_solve, restore, scatter_points
from .prove import prove, prove_exists, prove_isolated
from .queue import attribute
from .solutions import image_of, improve, record, solved_before
from .split import largest_share
from .thinning import begin, close_to_sample, drop_beside, near_sample

# A local solve in a box is repeated in parts of it of this relative size.
_SOONER = 0.125
# After so many steps over what comes just after the first contact samples are taken where contact is proved, but not that it is
# tangential.
STUBBORN = 4000


@native
def load_reached(s, p, lane):
    """The point that a lane reached into `centre`, and as a box into `tight`."""
    for j in range(attribute(s, p, VARIABLES)):
        s.centre[j] = s.reached[s.count[STRIDE] * lane + j]
        s.tight[2 * j] = s.centre[j]
        s.tight[2 * j + 1] = s.centre[j]


@native
def candidate(s, p, lane):
    """The converged point of a lane into `centre`; False if it comes too late, or at a pole."""
    objective = attribute(s, p, OBJECTIVE)
    load_reached(s, p, lane)
    if objective >= 0 and s.centre[objective] > cut(s):
        return False
    return attribute(s, p, IMAGE) == 0 or not at_pole(s, p, s.tight, 0)


@native
def sampled(s, p):
    """Is there a sample near `centre`?"""
    if attribute(s, p, IMAGE) == 0:
        return False
    image_of(s, p, s.tight, 0, s.near, 0)
    return near_sample(s, p, False, begin(s, p, s.tight, 0)) >= 0


@native
def due(s, p, lane):
    """Is it time for a local solve in the lane's box: has there been none, or none since it was much larger? Not where its middle is in
    the region of a known solution, or near a sample and nothing else may be in the box: that is what would be found.
    """
    if s.action[lane] < LATE:
        return False
    before, final = -s.until[lane], s.beside[lane] >= 0 and s.final[lane] == 1
    if before >= 0.0 and not final and largest_share(s, p, lane) > _SOONER * before:
        return False
    for j in range(attribute(s, p, VARIABLES)):
        s.centre[j] = 0.5 * (lower(s, s.hold, lane, j) + upper(s, s.hold, lane, j))
    if solved_before(s, p):
        s.final[lane] = WANTED
        return False
    return attribute(s, p, IMAGE) == 0 or s.beside[lane] >= 0 or close_to_sample(s, p, lane, False) < 0


@native
def examine(s, p, lane):
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
def sample(s, p, used):
    """Local solves from the middles of the boxes that are due, and proofs of what they find; is there a new solution? Where samples are
    near, the nearest zero is looked for, which may be isolated, and not one of least objective: along a curve it would be another sample.
    """
    least, nearest = False, False
    for lane in range(used):
        s.trial[lane] = 1 if due(s, p, lane) else 0
        if s.trial[lane] != 0:
            s.until[lane] = -largest_share(s, p, lane)
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
    before = s.count[SOLUTIONS]
    for lane in range(used):
        if s.count[SOLUTIONS] > before and s.kind[s.count[SOLUTIONS] - 1] == EXISTS:
            # First a walk from this sample of a manifold, whose steps are even; then the other boxes again.
            s.until[lane] = np.inf
        elif s.trial[lane] != 0 and candidate(s, p, lane):
            examine(s, p, lane)
    return s.count[SOLUTIONS] > before


@native
def start_at_middles(s, p, used):
    """The middles of the boxes into `point`."""
    for lane in range(LANES):
        source = lane if lane < used else 0
        for j in range(attribute(s, p, VARIABLES)):
            s.point[j * LANES + lane] = 0.5 * (lower(s, s.hold, source, j) + upper(s, s.hold, source, j))


@native
def keep_reached(s, p, used, beside):
    """Where a local solve ended in the lanes that are beside a sample, or in the others."""
    for lane in range(used):
        if (s.beside[lane] >= 0) == beside:
            if s.flag[lane] < 0.5:
                s.trial[lane] = 0
            for j in range(attribute(s, p, VARIABLES)):
                s.reached[s.count[STRIDE] * lane + j] = s.point[j * LANES + lane]


@native
def any_late(s, used):
    for lane in range(used):
        if s.action[lane] >= LATE:
            return True
    return False


@native
def sample_crossings(s, p, used):
    """Where a search has taken long over what comes just after the first contact, zeros of the equations in its boxes count as samples,
    whether the necessary conditions hold there or all but hold: as between bodies that touch in a point, and only just not in a curve.
    Is there a new one?
    """
    if not s.real[PROVED] < np.inf or attribute(s, p, OBJECTIVE) < 0 or attribute(s, p, CLOSED) != 0:
        return False
    s.count[LATE_STEPS] += 1
    if s.count[LATE_STEPS] <= STUBBORN or attribute(s, p, IMAGE) == 0 or attribute(s, p, EXISTENCE) == 0:
        return False
    wanted = False
    for lane in range(LANES):
        source = lane if lane < used else 0
        s.trial[lane] = 1 if lane < used and s.action[lane] >= LATE and close_to_sample(s, p, lane, False) < 0 else 0
        wanted = wanted or s.trial[lane] != 0
        for j in range(attribute(s, p, VARIABLES)):
            s.point[j * LANES + lane] = 0.5 * (lower(s, s.hold, source, j) + upper(s, s.hold, source, j))
    if not wanted:
        return False
    restore(s, p)
    for lane in range(used):
        s.trial[lane] = s.trial[lane] if s.flag[lane] > 0.5 else 0
        for j in range(attribute(s, p, VARIABLES)):
            s.reached[s.count[STRIDE] * lane + j] = s.point[j * LANES + lane]
    before = s.count[SOLUTIONS]
    for lane in range(used):
        if s.trial[lane] != 0 and s.count[SOLUTIONS] == before and candidate(s, p, lane) and not sampled(s, p) and prove_exists(s, p):
            record(s, p, EXISTS, s.tight, 0, s.tight, 0)
    return s.count[SOLUTIONS] > before


@native
def pole_at_centre(s, p):
    """Does `centre` lie at a pole? Then the search asks for other parameters: boxes would become small before one of them is seen to be."""
    for j in range(attribute(s, p, VARIABLES)):
        s.tight[2 * j] = s.centre[j]
        s.tight[2 * j + 1] = s.centre[j]
    return at_pole(s, p, s.tight, 0)


@native
def look_ahead(s, p):
    """Local solves from points spread over the first box of the queue: early upper bounds of the objective. Where the best one cannot be
    proved since it lies at a pole, as where two of them meet, POLE says so.
    """
    if attribute(s, p, POINT) == 0:
        return
    scatter_points(s, p, s.box, attribute(s, p, ROOT), 0.8)
    if attribute(s, p, LEAST) != 0:
        descend_near(s, p, s.box, attribute(s, p, ROOT))
    else:
        local_solve(s, p)
    if choose_best(s, p):
        keep_normal(s, p)
        if not prove(s, p, False):
            if pole_at_centre(s, p):
                return
            locate(s, p)
    if attribute(s, p, CLOSED) != 0 and attribute(s, p, OBJECTIVE) >= 0:
        prove_near(s, p, s.box, attribute(s, p, ROOT), 0.8)


@native
def solve_locally(s, p):
    """Local solves from the points in `point`, for the least objective where second derivatives are at hand."""
    if attribute(s, p, LEAST) != 0:
        descend(s, p)
    else:
        local_solve(s, p)


@native
def keep_normal(s, p):
    """The multipliers of the lane whose point is in `centre` make the common normal of a contact: a direction to test."""
    if attribute(s, p, LEAST) == 0 or attribute(s, p, EQUATIONS) != 3:
        return
    for lane in range(LANES):
        if s.flag[lane] > 0.5 and s.point[attribute(s, p, OBJECTIVE) * LANES + lane] == s.centre[attribute(s, p, OBJECTIVE)]:
            for k in range(3):
                s.normal[3 * p + k] = s.multiplier[k * LANES + lane]


@native
def prove_near(s, p, boxes, k, spread):
    """Lower u by a feasible zero of the equations near points spread over a box."""
    scatter_points(s, p, boxes, k, spread)
    restore(s, p)
    if choose_best(s, p) and prove_exists(s, p):
        improve(s, p, s.tight, 0)


@native
def choose_best(s, p):
    """The best converged point into `centre`; False if none would lower u."""
    objective = attribute(s, p, OBJECTIVE)
    best, chosen = s.real[PROVED], -1
    for lane in range(LANES):
        value = s.point[objective * LANES + lane] if objective >= 0 else 0.0
        if s.flag[lane] > 0.5 and value < best:
            best, chosen = value, lane
    if chosen >= 0:
        for j in range(attribute(s, p, VARIABLES)):
            s.centre[j] = s.point[j * LANES + chosen]
    return chosen >= 0
