"""From a candidate point to a proof: the existence and uniqueness tests of Snyder 1993, Section 5.

A candidate is proved in two ways, each tried in eight boxes of growing radius at once. Uniqueness: an interval Newton
operator of the square system maps a box round the point into its interior. Existence alone needs no square system: all
but as many variables as there are equations are frozen at the point, and the operator is applied to the rest; that works
on contact curves and surfaces too, where uniqueness must fail.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .boxes import at_border, lower, period, read_lane, upper, width
from .layout import (
    ALONE,
    ALONG,
    BEST,
    CLOSED,
    EQUATIONS,
    EXISTENCE,
    EXISTS,
    GAP,
    LANES,
    LOCATED,
    OBJECTIVE,
    PARAMETERS,
    RANGE,
    ROWS,
    SLOPE,
    STRIDE,
    UNIQUE,
    UNIQUENESS,
    VARIABLES,
)
from .local_solve import evaluate_points, extent, row_scale, slope_at
from .queue import attribute
from .solutions import feasible, impossible, improve, record, solved_before
from .split import spatial

# Against the domain, a distance from its end that counts as none.
_NEAR = 1e-8
# Against its change across the domain, the size of a necessary condition that counts as zero at a sample.
_TANGENT = 1e-3


@native
def radius(lane):
    """Radii of the boxes in which a proof is tried, against the domain: from a few roundings to a large box."""
    return (1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 6e-2)[lane]


@native
def larger(lane):
    """Factors for more radii between one of these and the next, a third root of two apart."""
    return (1.26, 1.59, 2.0, 2.52, 3.17, 4.0, 5.04, 6.35)[lane]


@native
def chosen(s, p, j):
    """Is variable j one of those that an existence proof solves for?"""
    for k in range(attribute(s, p, EQUATIONS)):
        if s.pick[k] == j:
            return True
    return False


@native
def surround(s, p, frozen, base):
    """Boxes of the eight radii round `centre` in X, or of eight beyond number `base` if that is not negative; with `frozen`, variables
    that are not solved for stay points.
    """
    for j in range(attribute(s, p, VARIABLES)):
        moves = not frozen or chosen(s, p, j)
        for lane in range(LANES):
            r = radius(lane) if base < 0 else radius(base) * larger(lane)
            r = r * extent(s, p, j, s.centre[j]) if moves else 0.0
            s.X[2 * j * LANES + lane] = -(s.centre[j] - r)
            s.X[(2 * j + 1) * LANES + lane] = s.centre[j] + r
            s.C[j * LANES + lane] = s.centre[j]


@native
def linearize(s, p):
    """The Jacobian over the boxes in X, in M, and the rows at the points in C, in V."""
    call_kernel(attribute(s, p, SLOPE), s.X, attribute(s, p, PARAMETERS), s.M)
    for j in range(attribute(s, p, VARIABLES)):
        for lane in range(LANES):
            s.K[2 * j * LANES + lane] = -s.C[j * LANES + lane]
            s.K[(2 * j + 1) * LANES + lane] = s.C[j * LANES + lane]
    call_kernel(attribute(s, p, RANGE), s.K, attribute(s, p, PARAMETERS), s.V)


@native
def prove_unique(s, p):
    """Has the square system exactly one zero near `centre`? Then `tight` encloses it, and it is the only one in
    `wide`. Whether it lies in the domain and satisfies the inequalities is another question.
    """
    if attribute(s, p, UNIQUENESS) == 0:
        return False
    if not try_radii(s, p, -1):
        return False
    first, last = -1, -1
    for lane in range(LANES):
        if s.flag[lane] > 0.5:
            last = lane
            first = lane if first < 0 else first
    read_lane(s, p, s.K, first, s.tight, 0)
    read_lane(s, p, s.X, last, s.wide, 0)
    # Every box that lies in the region needs no more search, so more is tried than the next radius.
    if try_radii(s, p, last):
        for lane in range(LANES):
            if s.flag[lane] > 0.5:
                read_lane(s, p, s.X, lane, s.wide, 0)
    return not at_border(s, p, s.tight, 0)


@native
def try_radii(s, p, base):
    """The operator that proves uniqueness, on boxes of eight radii (see `surround`): is any a success? `flag` says which are."""
    surround(s, p, False, base)
    linearize(s, p)
    call_kernel(attribute(s, p, UNIQUENESS), s.M, s.V, s.C, s.X, s.K, s.flag)
    for lane in range(LANES):
        if s.flag[lane] > 0.5:
            return True
    return False


@native
def choose_variables(s, p):
    """Pick the variables to solve for by pivoting on the equations' Jacobian, those at the end of their domain
    last; False if its rank is short.
    """
    n, e = attribute(s, p, VARIABLES), attribute(s, p, EQUATIONS)
    for i in range(e):
        s.pick[i] = -1
        for j in range(n):
            s.small[i * n + j] = slope_at(s, p, i, j, 0)
    for i in range(e):
        best, row, column = 0.0, -1, -1
        for r in range(i, e):
            for j in range(n):
                size = abs(s.small[r * n + j]) * width(s, s.domain, p, j) * (1e-6 if s.bound[j] != 0 else 1.0)
                if size > best and not chosen(s, p, j):
                    best, row, column = size, r, j
        if row < 0:
            return False
        for j in range(n):
            s.small[i * n + j], s.small[row * n + j] = s.small[row * n + j], s.small[i * n + j]
        s.pick[i] = column
        for r in range(i + 1, e):
            factor = s.small[r * n + column] / s.small[i * n + column]
            for j in range(n):
                s.small[r * n + j] -= factor * s.small[i * n + j]
    return True


@native
def note_bounds(s, p):
    """Which coordinates of `centre` are at the end of their domain; and `centre` into every lane of `point`.

    Where the rows hold up to the border, a coordinate that is nearly at the end moves there: a minimizer often lies there.
    """
    for j in range(attribute(s, p, VARIABLES)):
        lo, hi = lower(s, s.inner, p, j), upper(s, s.inner, p, j)
        near = _NEAR * min(hi - lo, 1.0 + abs(s.centre[j])) if attribute(s, p, CLOSED) != 0 else 0.0
        if s.centre[j] - lo <= near:
            s.centre[j] = lo
        elif hi - s.centre[j] <= near:
            s.centre[j] = hi
        x = s.centre[j]
        end = x <= lo or x >= hi
        s.bound[j] = 1 if end and period(s, p, j) == 0.0 else 0
        for lane in range(LANES):
            s.point[j * LANES + lane] = x


@native
def bound_at_border(s, p):
    """Is a coordinate of `centre` at an end of its domain where the necessary conditions do not hold?"""
    for j in range(attribute(s, p, VARIABLES)):
        end = 0 if s.centre[j] <= lower(s, s.inner, p, j) else 1
        if s.bound[j] != 0 and s.border[2 * (s.count[STRIDE] * p + j) + end] != 0:
            return True
    return False


@native
def restrict(s, p):
    """The columns of M, C and X of the variables to solve for, in G, C and Q."""
    n, e = attribute(s, p, VARIABLES), attribute(s, p, EQUATIONS)
    for k in range(e):
        j = s.pick[k]
        for lane in range(LANES):
            s.C[k * LANES + lane] = s.centre[j]
        for side in range(2 * LANES):
            s.Q[2 * k * LANES + side] = s.X[2 * j * LANES + side]
            for i in range(e):
                s.G[2 * (e * i + k) * LANES + side] = s.M[2 * (n * i + j) * LANES + side]


@native
def prove_exists(s, p):
    """Have the equations a feasible zero near `centre`, with the other variables frozen there? Then `tight` holds
    one.
    """
    if attribute(s, p, EXISTENCE) == 0:
        return False
    note_bounds(s, p)
    evaluate_points(s, p)
    if not choose_variables(s, p):
        return False
    surround(s, p, True, -1)
    linearize(s, p)
    restrict(s, p)
    call_kernel(attribute(s, p, EXISTENCE), s.G, s.V, s.C, s.Q, s.K, s.flag)
    for lane in range(LANES):
        if s.flag[lane] > 0.5:
            for j in range(attribute(s, p, VARIABLES)):
                s.tight[2 * j] = s.centre[j]
                s.tight[2 * j + 1] = s.centre[j]
            for k in range(attribute(s, p, EQUATIONS)):
                s.tight[2 * s.pick[k]] = -s.K[2 * k * LANES + lane]
                s.tight[2 * s.pick[k] + 1] = s.K[(2 * k + 1) * LANES + lane]
            return feasible(s, p, s.tight, 0)
    return False


@native
def at_an_end(s, p):
    """Is a variable other than the objective at the end of its domain?"""
    for j in range(attribute(s, p, VARIABLES)):
        if s.bound[j] != 0 and j != attribute(s, p, OBJECTIVE):
            return True
    return False


@native
def tangential(s, p):
    """Do the necessary conditions about hold at the proved point, where they must? Not where the least objective of a part of a face is
    at an end of that part (which `note_bounds` has noted), beyond which the face goes on: it is less there.
    """
    if not spatial(s, p) or not at_an_end(s, p) or at_border(s, p, s.tight, 0):
        return True
    for j in range(attribute(s, p, VARIABLES)):
        for lane in range(LANES):
            s.point[j * LANES + lane] = s.centre[j]
    evaluate_points(s, p)
    for i in range(attribute(s, p, EQUATIONS), attribute(s, p, ROWS)):
        if abs(s.value[i * LANES]) * row_scale(s, p, i, 0) > _TANGENT:
            return False
    return True


@native
def note_along(s, p):
    """The zero in `tight`, where a local solve for the least objective ended, is proved, but not to be isolated."""
    objective = attribute(s, p, OBJECTIVE)
    if objective >= 0:
        s.real[ALONG] = min(s.real[ALONG], upper(s, s.tight, 0, objective))


@native
def note_isolated(s, p):
    """That in `tight` is: so the one that u stands for is, if it is of the same problem. At the end of a curve of contacts that of an edge
    is isolated, which says nothing of those of faces.
    """
    if s.count[BEST] == p:
        s.real[ALONG] = np.inf


@native
def prove(s, p, sample):
    """Try to prove the candidate `centre`; is it a zero that is now known?

    A unique zero is recorded. One that only exists is recorded where it may be a `sample` of a manifold of them;
    otherwise it lowers the bound u. While just the time is wanted (GAP), one at a border is no sample: it would stand for the contact of an
    edge there.
    """
    if solved_before(s, p):
        return True
    alone = False
    if prove_unique(s, p):
        if feasible(s, p, s.tight, 0):
            record(s, p, UNIQUE, s.tight, 0, s.wide, 0)
            note_isolated(s, p)
            return True
        if attribute(s, p, CLOSED) != 0:
            record(s, p, ALONE, s.tight, 0, s.wide, 0)
            alone = True
        elif attribute(s, p, EXISTENCE) == 0:
            return False
    elif attribute(s, p, EXISTENCE) == 0 and sample and not impossible(s, p, s.tight, 0):
        # Nothing less than a unique zero can be proved here: a point of a manifold is only located.
        record(s, p, LOCATED, s.tight, 0, s.tight, 0)
        return True
    if not prove_exists(s, p):
        return alone
    note_along(s, p)
    if sample and not alone and not (s.real[GAP] > 0.0 and bound_at_border(s, p)) and tangential(s, p):
        record(s, p, EXISTS, s.tight, 0, s.tight, 0)
    else:
        improve(s, p, s.tight, 0)
    return True


@native
def prove_isolated(s, p):
    """Is the candidate `centre`, beside samples of a manifold, a unique zero that is now known? It says nothing of the one that u stands
    for, see `note_isolated`.
    """
    if solved_before(s, p):
        return True
    isolated = prove_unique(s, p) and feasible(s, p, s.tight, 0)
    if isolated:
        record(s, p, UNIQUE, s.tight, 0, s.wide, 0)
    return isolated
