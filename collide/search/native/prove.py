"""From a candidate point to a proof: the existence and uniqueness tests of Snyder 1993, Section 5.

A candidate is proved in two ways, each tried in eight boxes of growing radius at once. Uniqueness: an interval Newton
operator of the square system maps a box round the point into its interior. Existence alone needs no square system: all
but as many variables as there are equations are frozen at the point, and the operator is applied to the rest; that works
on contact curves and surfaces too, where uniqueness must fail.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .boxes import at_border, centre_as_box, read_lane
from .layout import ALONE, EXISTS, LANES, LOCATED, UNIQUE, ProblemRow, SearchMemory
from .local_solve import evaluate_points, extent, row_scale, slope_at
from .solutions import feasible, impossible, improve, record, solved_before
from .split import spatial

# Against the domain, a distance from its end that counts as none: the candidate moves there, and is proved there or not.
_NEAR = 1e-8
# Against its change across the domain, the size of a necessary condition that counts as zero at a sample: where more, it is
# not listed, and only bounds the time. (Measured: tests/benchmarks/constants.py, a quarter and four times are alike.)
_TANGENT = 1e-3


@native
def radius(lane: int) -> float:
    """Radii of the boxes in which a proof is tried, against the domain: from a few roundings to a large box."""
    return (1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 6e-2)[lane]


@native
def larger(lane: int) -> float:
    """Factors for more radii between one of these and the next, a third root of two apart."""
    return (1.26, 1.59, 2.0, 2.52, 3.17, 4.0, 5.04, 6.35)[lane]


@native
def chosen(s: SearchMemory, p: ProblemRow, j: int) -> bool:
    """Whether variable j is one of those that an existence proof solves for."""
    for k in range(p.equations):
        if s.pick[k] == j:
            return True
    return False


@native
def surround(s: SearchMemory, p: ProblemRow, frozen: bool, base: int) -> None:
    """Boxes of the eight radii round `centre` in X, or of eight beyond number `base` if that is not negative; with `frozen`, variables
    that are not solved for stay points.
    """
    for j in range(p.variables):
        moves = not frozen or chosen(s, p, j)
        for lane in range(LANES):
            r = radius(lane) if base < 0 else radius(base) * larger(lane)
            r = r * extent(s, p, j, s.centre[j]) if moves else 0.0
            s.X.put(j, lane, s.centre[j] - r, s.centre[j] + r)
            s.C[j, lane] = s.centre[j]


@native
def linearize(s: SearchMemory, p: ProblemRow) -> None:
    """The Jacobian over the boxes in X, in M, and the rows at the points in C, in V."""
    call_kernel(p.slope, s.X, p.parameters, s.M)
    for j in range(p.variables):
        for lane in range(LANES):
            s.K.put(j, lane, s.C[j, lane], s.C[j, lane])
    call_kernel(p.range, s.K, p.parameters, s.V)


@native
def prove_unique(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether the square system has exactly one zero near `centre`. If so, `tight` encloses it, and it is the only one in `wide`. Whether
    it lies in the domain and satisfies the inequalities is another question.
    """
    if p.uniqueness == 0:
        return False
    if not try_radii(s, p, -1):
        return False
    first, last = -1, -1
    for lane in range(LANES):
        if s.success[lane] > 0.5:
            last = lane
            first = lane if first < 0 else first
    read_lane(s, p, s.K, first, s.tight)
    read_lane(s, p, s.X, last, s.wide)
    # Every box that lies in the region needs no more search, so more is tried than the next radius.
    if try_radii(s, p, last):
        for lane in range(LANES):
            if s.success[lane] > 0.5:
                read_lane(s, p, s.X, lane, s.wide)
    return not at_border(s, p, s.tight)


@native
def try_radii(s: SearchMemory, p: ProblemRow, base: int) -> bool:
    """Apply the operator that proves uniqueness to boxes of eight radii (see `surround`). Return whether any is a success; `success` says
    which are.
    """
    surround(s, p, False, base)
    linearize(s, p)
    call_kernel(p.uniqueness, s.M, s.V, s.C, s.X, s.K, s.success)
    for lane in range(LANES):
        if s.success[lane] > 0.5:
            return True
    return False


@native
def choose_variables(s: SearchMemory, p: ProblemRow) -> bool:
    """Pick the variables to solve for by pivoting on the equations' Jacobian, those at the end of their domain
    last; False if its rank is short.
    """
    n, e = p.variables, p.equations
    for i in range(e):
        s.pick[i] = -1
        for j in range(n):
            s.small[i * n + j] = slope_at(s, p, i, j, 0)
    for i in range(e):
        best, row, column = 0.0, -1, -1
        for r in range(i, e):
            for j in range(n):
                size = abs(s.small[r * n + j]) * p.domain.width(j) * (1e-6 if s.bound[j] != 0 else 1.0)
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
def note_bounds(s: SearchMemory, p: ProblemRow) -> None:
    """The coordinates of `centre` that are at the end of their domain. Stores `centre` in every lane of `point`.

    Where the rows hold up to the border, a coordinate that is nearly at the end moves there: a minimizer often lies there.
    """
    for j in range(p.variables):
        lo, hi = p.inner.lo(j), p.inner.hi(j)
        size = hi - lo if p.image != 0 else min(hi - lo, 1.0 + abs(s.centre[j]))
        near = _NEAR * size if p.closed != 0 else 0.0
        if s.centre[j] - lo <= near:
            s.centre[j] = lo
        elif hi - s.centre[j] <= near:
            s.centre[j] = hi
        x = s.centre[j]
        end = x <= lo or x >= hi
        s.bound[j] = 1 if end and p.period[j] == 0.0 else 0
        for lane in range(LANES):
            s.point[j, lane] = x


@native
def bound_at_border(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether a coordinate of `centre` is at an end of its domain where the necessary conditions do not hold."""
    for j in range(p.variables):
        end = 0 if s.centre[j] <= p.inner.lo(j) else 1
        if s.bound[j] != 0 and p.border[j, end] != 0:
            return True
    return False


@native
def restrict(s: SearchMemory, p: ProblemRow) -> None:
    """The columns of M, C and X of the variables to solve for, in G, C and Q."""
    n, e = p.variables, p.equations
    for k in range(e):
        j = s.pick[k]
        for lane in range(LANES):
            s.C[k, lane] = s.centre[j]
            s.Q.put(k, lane, s.X.lo(j, lane), s.X.hi(j, lane))
            for i in range(e):
                s.G.put(e * i + k, lane, s.M.lo(n * i + j, lane), s.M.hi(n * i + j, lane))


@native
def prove_exists(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether the equations have a feasible zero near `centre`, with the other variables frozen there. If so, `tight` holds one."""
    if p.existence == 0:
        return False
    note_bounds(s, p)
    evaluate_points(s, p)
    if not choose_variables(s, p):
        return False
    surround(s, p, True, -1)
    linearize(s, p)
    restrict(s, p)
    call_kernel(p.existence, s.G, s.V, s.C, s.Q, s.K, s.success)
    for lane in range(LANES):
        if s.success[lane] > 0.5:
            centre_as_box(s, p)
            for k in range(p.equations):
                s.tight.put(s.pick[k], s.K.lo(k, lane), s.K.hi(k, lane))
            return feasible(s, p, s.tight)
    return False


@native
def at_an_end(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether a variable other than the objective is at the end of its domain."""
    for j in range(p.variables):
        if s.bound[j] != 0 and j != p.objective:
            return True
    return False


@native
def tangential(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether the necessary conditions about hold at the proved point, where they must. They need not where the least objective of a part
    of a face is at an end of that part (which `note_bounds` has noted), beyond which the face goes on: it is less there.
    """
    if not spatial(s, p) or not at_an_end(s, p) or at_border(s, p, s.tight):
        return True
    for j in range(p.variables):
        for lane in range(LANES):
            s.point[j, lane] = s.centre[j]
    evaluate_points(s, p)
    for i in range(p.equations, p.rows):
        if abs(s.value[i, 0]) * row_scale(s, p, i, 0) > _TANGENT:
            return False
    return True


@native
def note_along(s: SearchMemory, p: ProblemRow) -> None:
    """The zero in `tight`, where a local solve for the least objective ended, is proved, but not to be isolated."""
    objective = p.objective
    if objective >= 0:
        s.proved_along = min(s.proved_along, s.tight.hi(objective))


@native
def note_isolated(s: SearchMemory, p: ProblemRow) -> None:
    """Note that the zero in `tight` is isolated: so the one that u stands for is, if it is of the same problem. At the end of a curve of
    contacts that of an edge is isolated, which says nothing of those of faces.
    """
    if s.best_problem == p.number:
        s.proved_along = np.inf


@native
def prove(s: SearchMemory, p: ProblemRow, sample: bool) -> bool:
    """Try to prove the candidate `centre`. Return whether it is a zero that is now known.

    A unique zero is recorded. One that only exists is recorded where it may be a `sample` of a manifold of them;
    otherwise it lowers the bound u. While just the time is wanted (`gap`), one at a border is no sample: it would stand for the contact of
    an edge there. Of distances none is, so that no boxes are thinned before the least one is known.
    """
    if solved_before(s, p):
        return True
    alone = False
    if prove_unique(s, p):
        if feasible(s, p, s.tight):
            record(s, p, UNIQUE, s.tight, s.wide)
            note_isolated(s, p)
            return True
        if p.closed != 0:
            record(s, p, ALONE, s.tight, s.wide)
            alone = True
        elif p.existence == 0:
            return False
    elif p.existence == 0 and sample and not impossible(s, p, s.tight):
        # Nothing less than a unique zero can be proved here: a point of a manifold is only located.
        record(s, p, LOCATED, s.tight, s.tight)
        return True
    if not prove_exists(s, p):
        return alone
    note_along(s, p)
    if sample and not alone and not (s.gap > 0.0 and (p.distance != 0 or bound_at_border(s, p))) and tangential(s, p):
        record(s, p, EXISTS, s.tight, s.tight)
    else:
        improve(s, p, s.tight)
    return True


@native
def prove_isolated(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether the candidate `centre`, beside samples of a manifold, is a unique zero that is now known. It says nothing of the one that u
    stands for, see `note_isolated`.
    """
    if solved_before(s, p):
        return True
    isolated = prove_unique(s, p) and feasible(s, p, s.tight)
    if isolated:
        record(s, p, UNIQUE, s.tight, s.wide)
    return isolated
