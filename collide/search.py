"""The one search loop: best-first branch and bound over boxes, eight boxes a step, many problems with one bound.

A problem asks for zeros of a system over a box, and where it has an objective (one of its variables; time for a
collision) for those where the objective is least. All problems share the proved upper bound u of the objective
(Snyder 1993, Section 3.2: multiple element minimization), and each has its own queue.

A step pops up to eight boxes of the problem whose first box comes first and treats all at once: the natural
extension of the system kills most; Linear_Solve contracts the rest; what is left is split, or thinned, sampled and
accepted. From time to time a local solve supplies an early candidate for u, which an existence test proves.

What is proved, and by what (Fig. 6 made safe):

* u falls only to the upper end of the objective in a box that is proved to hold a feasible zero of the *equations*.
  Local solves, acceptance
  without proof and the tentative bound only order the search.
* A box is dropped if an extension or an operator says that it holds no zero; if its least objective exceeds u +
  simultaneity; if it lies in
  a uniqueness box, whose zero is recorded; or if it is thinned or accepted, and then its least objective goes into
  CLEAR.
* Rows beyond the equations (necessary conditions such as tangency) are used only where every zero of interest
  satisfies them: not in a
  box that touches a border marked in `border`.
"""

import numpy as np

from codegen.loops import call_kernel, native

from .boxes import (
    at_border,
    cut,
    keep_clear,
    load_lane,
    lower,
    read_lane,
    room_for_boxes,
    share,
    take,
    too_late,
    upper,
    width,
)
from .descend import descend
from .halves import contract_halves, propagate
from .layout import (
    BACKWARD,
    CLOSED,
    DECOUPLED,
    EQUATIONS,
    FINISHED,
    FIRST_ONLY,
    GAP,
    IMAGE,
    LANES,
    LEAST,
    LINEAR,
    LOCATED,
    NEED_BOXES,
    NEED_SOLUTIONS,
    NEWTON,
    NEXT_LOCAL,
    OBJECTIVE,
    PARAMETERS,
    POINT,
    PRECONDITION,
    PROBLEMS,
    PROVED,
    RANGE,
    ROOM,
    ROOT,
    ROWS,
    SAMPLE,
    SEARCHED,
    SEPARATION,
    SIMULTANEITY,
    SLICE,
    SOLUTIONS,
    SQUARE,
    STEPS,
    STRIDE,
    TAYLOR,
    TENTATIVE,
    TOLERANCE,
    UNIQUE,
    VARIABLES,
)
from .march import march, marching, narrow
from .prove import (
    image_of,
    improve,
    linearize,
    local_solve,
    prove,
    prove_exists,
    record,
    restore,
    scatter_points,
    shared_image,
    solved_before,
)
from .queue import attribute, copy_box, first_problem, push

# Sweeps of Linear_Solve a step, and the ratio of widths below which a contracted box is searched again before it is
# split.
_SWEEPS, _PROGRESS = 2, 0.6
# A box this small against its domain probably holds a zero if it holds none for sure: a local solve is worth its
# time.
_WORTH_SOLVING = 0.05
# A variable this much wider than the one with the greatest effect is split first.
_NEGLECTED = 100.0
# A local solve in a box is repeated in parts of it of this relative size.
_SOONER = 0.125

# Where the objective's range asks for it, a box is divided until it is this much smaller than the tolerance.
_FINEST = 1e-4

# What becomes of a lane.
_GONE, _AGAIN, _SPLIT, _LATE, _SMALLEST = 0, 1, 2, 3, 4


@native
def run(s, steps):
    """Take up to `steps` steps; the reason for returning."""
    if s.count[STEPS] == 0 and s.count[SAMPLE] != 0:
        # An upper bound from any problem spares work in all of them.
        s.count[STEPS] = 1
        for p in range(s.count[PROBLEMS]):
            if attribute(s, p, OBJECTIVE) >= 0 and attribute(s, p, ROOT) >= 0 and s.count[SOLUTIONS] + 2 * LANES < s.count[ROOM]:
                look_ahead(s, p)
    for _ in range(steps):
        if not room_for_boxes(s):
            return NEED_BOXES
        if s.count[SOLUTIONS] + 2 * LANES >= s.count[ROOM]:
            return NEED_SOLUTIONS
        p = first_problem(s)
        if p < 0 or (s.count[FIRST_ONLY] != 0 and s.real[PROVED] < np.inf) or bracketed(s, p):
            return FINISHED
        s.count[STEPS] += 1
        if s.count[SAMPLE] != 0 and s.count[STEPS] >= s.count[NEXT_LOCAL]:
            s.count[NEXT_LOCAL] *= 3
            look_ahead(s, p)
        if marching(s, p):
            march(s, p)
        else:
            step(s, p)
    return SLICE


@native
def bracketed(s, p):
    """Is the least objective known to within GAP? Boxes come first by the lower end of their objective."""
    u = s.real[PROVED]
    return s.real[GAP] > 0.0 and u < np.inf and s.key[attribute(s, p, ROOT)] >= u - s.real[GAP] * max(1.0, abs(u))


@native
def step(s, p):
    """Search up to eight boxes of problem p."""
    used = take(s, p)
    if used == 0:
        return
    call_kernel(attribute(s, p, RANGE), s.X, attribute(s, p, PARAMETERS), s.F)
    alive = 0.0
    for lane in range(LANES):
        s.flag[lane] = 1.0 if lane < used and may_hold_zero(s, p, lane) else 0.0
        alive += s.flag[lane]
    if alive == 0.0:
        return
    if s.count[NEWTON] > 0:
        contract(s, p, used)
    if attribute(s, p, TAYLOR) != 0:
        narrow(s, p)
    for lane in range(used):
        read_lane(s, p, s.X, lane, s.hold, lane)
        s.action[lane] = verdict(s, p, lane)
    # Splits use the slopes of this step; proofs overwrite them, so they come last.
    for lane in range(used):
        if s.action[lane] == _AGAIN:
            i = push(s, p, s.hold, lane)
            s.horizon[i] = s.until[lane]
        elif s.action[lane] == _SPLIT:
            split(s, p, lane, steepest(s, p, lane))
    conclude(s, p, used)


@native
def may_hold_zero(s, p, lane):
    """Does the range of the rows hold 0, and may the inequalities hold?"""
    rows = attribute(s, p, EQUATIONS) if at_border(s, p, s.before, lane) else attribute(s, p, ROWS)
    for i in range(rows):
        if s.F[2 * i * LANES + lane] < 0.0 or s.F[(2 * i + 1) * LANES + lane] < 0.0:
            return False
    return s.F[(2 * attribute(s, p, ROWS) + 1) * LANES + lane] > 0.0


# -- contraction --------------------------------------------------------------------------------------------------


@native
def contract(s, p, used):
    """Shrink the boxes in X by the interval Newton method; `flag` becomes 0 in lanes that hold no zero."""
    if attribute(s, p, BACKWARD) != 0:
        propagate(s, p, _SWEEPS)
        contract_halves(s, p)
    for j in range(attribute(s, p, VARIABLES)):
        for lane in range(LANES):
            lo, hi = -s.X[2 * j * LANES + lane], s.X[(2 * j + 1) * LANES + lane]
            s.C[j * LANES + lane] = min(max(0.5 * (lo + hi), lo), hi)
    linearize(s, p)
    for lane in range(used):
        if at_border(s, p, s.before, lane):
            ignore_necessary(s, p, lane)
    for _ in range(_SWEEPS):
        call_kernel(attribute(s, p, LINEAR), s.M, s.V, s.C, s.X, s.flag)
    if attribute(s, p, PRECONDITION) != 0:
        call_kernel(attribute(s, p, PRECONDITION), s.M, s.V, s.G, s.F)
        call_kernel(attribute(s, p, DECOUPLED), s.G, s.F, s.C, s.X, s.flag)
    if s.count[NEWTON] > 1 and attribute(s, p, SQUARE) != 0:
        intersect_operator(s, p)


@native
def ignore_necessary(s, p, lane):
    """Whole lines in the rows of the necessary conditions: nothing is learnt from them."""
    n = attribute(s, p, VARIABLES)
    for i in range(attribute(s, p, EQUATIONS), attribute(s, p, ROWS)):
        for j in range(2 * n):
            s.M[(2 * n * i + j) * LANES + lane] = np.inf
        s.V[2 * i * LANES + lane] = np.inf
        s.V[(2 * i + 1) * LANES + lane] = np.inf


@native
def intersect_operator(s, p):
    """Intersect X with the square operator on it, which keeps every zero.

    Linear_Solve may have moved the box away from the point of expansion; the operator then still bounds the zeros
    of the box it was linearized on, which holds the present one.
    """
    for lane in range(LANES):
        s.image[lane] = s.flag[lane]
        for j in range(attribute(s, p, VARIABLES)):
            at = 2 * j * LANES + lane
            s.X[at] = max(s.X[at], -s.C[j * LANES + lane])
            s.X[at + LANES] = max(s.X[at + LANES], s.C[j * LANES + lane])
    call_kernel(attribute(s, p, SQUARE), s.M, s.V, s.C, s.X, s.K, s.flag)
    for lane in range(LANES):
        s.flag[lane] = s.image[lane]
        for j in range(attribute(s, p, VARIABLES)):
            at = 2 * j * LANES + lane
            s.X[at] = min(s.X[at], s.K[at])
            s.X[at + LANES] = min(s.X[at + LANES], s.K[at + LANES])
            if -s.X[at] > s.X[at + LANES]:
                s.flag[lane] = 0.0


# -- decisions ----------------------------------------------------------------------------------------------------


@native
def verdict(s, p, lane):
    """What becomes of the contracted box of a lane."""
    if s.flag[lane] < 0.5 or too_late(s, p, s.hold, lane):
        return _GONE
    widest, progress = 0.0, 1.0
    for j in range(attribute(s, p, SEARCHED)):
        widest = max(widest, width(s, s.hold, lane, j))
        old = width(s, s.before, lane, j)
        if old > 0.0:
            progress = min(progress, width(s, s.hold, lane, j) / old)
    if widest <= s.real[TOLERANCE] and (widest <= _FINEST * s.real[TOLERANCE] or fine(s, p, lane)):
        # A box that has just shrunk may be seen to hold no zero.
        return _SMALLEST if progress >= _PROGRESS else _AGAIN
    if s.count[SAMPLE] != 0 and worth_solving(s, p, lane):
        return _LATE
    return _AGAIN if progress < _PROGRESS else _SPLIT


@native
def fine(s, p, lane):
    """Is the range of the objective in the box no wider than GAP asks for?"""
    objective = attribute(s, p, OBJECTIVE)
    if objective < 0 or s.real[GAP] <= 0.0:
        return True
    return width(s, s.hold, lane, objective) <= s.real[GAP] * max(1.0, abs(lower(s, s.hold, lane, objective)))


@native
def worth_solving(s, p, lane):
    """Is nothing to be gained by waiting: does every zero in the box count as a solution, or is the box small?"""
    objective = attribute(s, p, OBJECTIVE)
    if objective >= 0 and attribute(s, p, CLOSED) == 0:
        best = min(s.real[PROVED], s.real[TENTATIVE])
        return lower(s, s.hold, lane, objective) >= best - s.real[SIMULTANEITY]
    return largest_share(s, p, lane) < _WORTH_SOLVING


@native
def largest_share(s, p, lane):
    """The width of the lane's box against its domain."""
    largest = 0.0
    for j in range(attribute(s, p, SEARCHED)):
        largest = max(largest, share(s, p, s.hold, lane, j))
    return largest


@native
def divisible(s, boxes, k, j):
    lo, hi = lower(s, boxes, k, j), upper(s, boxes, k, j)
    return lo < 0.5 * (lo + hi) < hi


@native
def widest_share(s, p, lane):
    """The variable that is widest against its domain, -1 if none can be halved."""
    best, chosen = -1.0, -1
    for j in range(attribute(s, p, SEARCHED)):
        if divisible(s, s.hold, lane, j) and share(s, p, s.hold, lane, j) > best:
            best, chosen = share(s, p, s.hold, lane, j), j
    return chosen


@native
def steepest(s, p, lane):
    """The variable of greatest scaled width s_j w_j, s_j the sum over the rows of |df_i/dx_j| (Snyder 1993, Section 3.2).

    Where slopes say nothing, or a variable was neglected for too long, the one that is widest against its domain.
    """
    fallback = widest_share(s, p, lane)
    if s.count[NEWTON] == 0 or fallback < 0:
        return fallback
    n = attribute(s, p, VARIABLES)
    best, chosen = 0.0, -1
    for j in range(attribute(s, p, SEARCHED)):
        effect = 0.0
        for i in range(attribute(s, p, ROWS)):
            at = 2 * (n * i + j) * LANES + lane
            size = max(abs(s.M[at]), abs(s.M[at + LANES]))
            effect += size if size < np.inf else 0.0
        effect *= width(s, s.hold, lane, j)
        if effect > best and divisible(s, s.hold, lane, j):
            best, chosen = effect, j
    if chosen < 0 or share(s, p, s.hold, lane, chosen) * _NEGLECTED < share(s, p, s.hold, lane, fallback):
        return fallback
    return chosen


@native
def split(s, p, lane, j):
    """Queue the halves of the lane's box along variable j; a box that cannot be halved is kept as located."""
    if j < 0:
        record(s, p, LOCATED, s.hold, lane, s.hold, lane)
        return
    lo, hi = lower(s, s.hold, lane, j), upper(s, s.hold, lane, j)
    middle = 0.5 * (lo + hi)
    for half in range(2):
        copy_box(s, p, s.hold, lane, s.wide, 0)
        s.wide[2 * j] = lo if half == 0 else middle
        s.wide[2 * j + 1] = middle if half == 0 else hi
        i = push(s, p, s.wide, 0)
        s.horizon[i] = s.until[lane]


@native
def begin(s, p, boxes, k):
    """The least objective of a box, where there is one."""
    objective = attribute(s, p, OBJECTIVE)
    return lower(s, boxes, k, objective) if objective >= 0 else 0.0


@native
def near_sample(s, p, whole, moment):
    """Is the image `near` close to a point accepted before: all of it within `separation`, or else its middle?

    A sample counts in its own problem, lest it hide an isolated contact of another, for boxes that begin at `moment` if
    it is not later than they may be (Snyder 1993, footnote 9).
    """
    for k in range(s.count[SOLUTIONS]):
        if s.kind[k] == UNIQUE or s.owner[k] != p:
            continue
        objective = attribute(s, p, OBJECTIVE)
        if objective >= 0 and lower(s, s.found, k, objective) > moment + s.real[SIMULTANEITY]:
            continue
        square = 0.0
        for c in range(3):
            middle = 0.5 * (s.place[6 * k + 2 * c] + s.place[6 * k + 2 * c + 1])
            lo, hi = s.near[2 * c] - middle, s.near[2 * c + 1] - middle
            square += max(abs(lo), abs(hi)) ** 2 if whole else (0.5 * (lo + hi)) ** 2
        if square < s.real[SEPARATION] ** 2:
            return True
    return False


@native
def see(s, p):
    """The images of the boxes in `hold`, all lanes at once."""
    for lane in range(LANES):
        load_lane(s, p, s.hold, lane, lane)
    call_kernel(attribute(s, p, IMAGE), s.X, attribute(s, p, PARAMETERS), s.image)


@native
def close_to_sample(s, p, lane, whole):
    """Is the image of the lane's box close to an accepted point, all of it or its middle?"""
    shared_image(s, lane, s.near, 0)
    return near_sample(s, p, whole, begin(s, p, s.hold, lane))


@native
def thin(s, p, used):
    """Drop the late boxes of which all of the image is near an accepted point."""
    if attribute(s, p, IMAGE) != 0:
        see(s, p)
        for lane in range(used):
            if s.action[lane] >= _LATE and close_to_sample(s, p, lane, True):
                keep_clear(s, p, s.hold, lane)
                s.action[lane] = _GONE


@native
def conclude(s, p, used):
    """Boxes that are late or smallest: thin them, sample them and thin again, accept the smallest, split the others."""
    thin(s, p, used)
    if attribute(s, p, POINT) != 0 and sample(s, p, used):
        thin(s, p, used)
    for lane in range(used):
        if s.action[lane] == _SMALLEST:
            if attribute(s, p, CLOSED) != 0 and attribute(s, p, OBJECTIVE) >= 0:
                prove_near(s, p, s.hold, lane, 0.0)
            record(s, p, LOCATED, s.hold, lane, s.hold, lane)
        elif s.action[lane] == _LATE:
            split(s, p, lane, widest_share(s, p, lane))


@native
def candidate(s, p, lane):
    """The converged point of a lane into `centre`; False if it comes too late, or near a sample."""
    objective = attribute(s, p, OBJECTIVE)
    for j in range(attribute(s, p, VARIABLES)):
        s.centre[j] = s.reached[s.count[STRIDE] * lane + j]
        s.tight[2 * j] = s.centre[j]
        s.tight[2 * j + 1] = s.centre[j]
    if objective >= 0 and s.centre[objective] > cut(s):
        return False
    if attribute(s, p, IMAGE) != 0:
        image_of(s, p, s.tight, 0, s.near, 0)
        return not near_sample(s, p, False, begin(s, p, s.tight, 0))
    return True


@native
def due(s, p, lane):
    """Is it time for a local solve in the lane's box: has there been none, or none since it was much larger? Not where
    its middle is near a sample, or in the region of a known solution: that is what would be found.
    """
    if s.action[lane] < _LATE:
        return False
    before = -s.until[lane]
    if before >= 0.0 and largest_share(s, p, lane) > _SOONER * before:
        return False
    for j in range(attribute(s, p, VARIABLES)):
        s.centre[j] = 0.5 * (lower(s, s.hold, lane, j) + upper(s, s.hold, lane, j))
    return not solved_before(s, p) and not (attribute(s, p, IMAGE) != 0 and close_to_sample(s, p, lane, False))


@native
def sample(s, p, used):
    """Local solves from the middles of the boxes that are due, and proofs of what they find; is there a new solution?"""
    wanted = False
    for lane in range(used):
        s.trial[lane] = 1 if due(s, p, lane) else 0
        if s.trial[lane] != 0:
            s.until[lane] = -largest_share(s, p, lane)
            wanted = True
    if not wanted:
        return False
    for lane in range(LANES):
        source = lane if lane < used else 0
        for j in range(attribute(s, p, VARIABLES)):
            s.point[j * LANES + lane] = 0.5 * (lower(s, s.hold, source, j) + upper(s, s.hold, source, j))
    solve_locally(s, p)
    for lane in range(used):
        if s.flag[lane] < 0.5:
            s.trial[lane] = 0
        for j in range(attribute(s, p, VARIABLES)):
            s.reached[s.count[STRIDE] * lane + j] = s.point[j * LANES + lane]
    before = s.count[SOLUTIONS]
    for lane in range(used):
        if s.trial[lane] != 0 and candidate(s, p, lane):
            prove(s, p, True)
    return s.count[SOLUTIONS] > before


@native
def look_ahead(s, p):
    """Local solves from points spread over the first box of the queue: early upper bounds of the objective."""
    if attribute(s, p, POINT) == 0:
        return
    scatter_points(s, p, s.box, attribute(s, p, ROOT), 0.8)
    solve_locally(s, p)
    if choose_best(s, p):
        keep_normal(s, p)
        prove(s, p, False)
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


@native
def push_held(s, p):
    """Queue the first box of `hold` for problem p."""
    push(s, p, s.hold, 0)
    return 0
