"""Contacts at tips: where a vertex meets a vertex or an edge, no square system holds, and nothing crosses at the time of contact.

Just after it parts that end there do cross. So the bound on the objective falls by proofs at crossings beside a box that was only
located, tried at growing distances from it. They prove contact by their time, which is all that the bound needs.
"""

from codegen.machine.loops import native
from codegen.machine.structures import Box

from .boxes import share
from .layout import LANES, LOCATED, ProblemRow, SearchMemory
from .local_solve import extent, restore, scatter_points
from .prove import prove_exists, radius
from .solutions import hold_zero, impossible, improve, record

# All of these decide only effort: what they lead to is proved (measured, where it is said: tests/benchmarks/constants.py,
# a quarter to four times).
# Distances against the domain: the first, the factor from one to the next, how many, and how often each is tried. (The first
# and the last: alike but for cones, a fifth more.)
_FIRST, _FACTOR, _DISTANCES, _TRIALS = 1e-12, 4.0, 16, 3
# Against the domain, the width of a box that may say nothing of a variable: at a pole, say. Then all of the domain is tried, too.
# (Alike.)
_WIDE = 1e-3
# How far over a box points are spread from which a place in it is looked for.
_SPREAD = 0.8
# So many boxes of a problem are worth it. (One alone: a cone takes a fifth more.)
_MOST = 4
# After so many steps without a bound a contact may be one that local solves do not find; after so many, one that cannot be proved.
# (175 and 2,800 are alike; 500 takes 7 % fewer, by edges along edges, 8,000 a tenth more.)
LONG, HOPELESS = 700, 2000


@native
def prove_beside(s: SearchMemory, p: ProblemRow, box: Box) -> None:
    """Lower u by a crossing near box i, or a little later."""
    objective = p.objective
    if objective < 0 or p.existence == 0 or p.tried_beside >= _MOST:
        return
    p.tried_beside += 1
    distance = _FIRST
    for k in range(_DISTANCES * _TRIALS):
        step = distance * extent(s, p, objective, box.lo(objective))
        if box.lo(objective) + step >= s.proved - s.simultaneity:
            return
        scatter_inside(s, p, box, distance, k)
        restore(s, p)
        if crossing(s, p):
            improve(s, p, s.tight)
            return
        if k % _TRIALS == _TRIALS - 1:
            distance *= _FACTOR


@native
def scatter_inside(s: SearchMemory, p: ProblemRow, box: Box, distance: float, k: int) -> None:
    """Points within a distance of box i, folded into the domain at its ends, and not before its objective; k: other ones each time."""
    objective = p.objective
    for j in range(p.variables):
        lo, hi = p.inner.lo(j), p.inner.hi(j)
        at, reach = anchor(s, p, box, j), distance * extent(s, p, j, 0.0)
        if j == objective:
            lo = at
        elif k % _TRIALS == 0 and share(s, p, box, j) > _WIDE:
            at, reach = 0.5 * (lo + hi), 0.5 * (hi - lo)
        for q in range(LANES):
            x = at + (((59 * q + 31 * j + 83 * k + q * j) % 97) / 48.0 - 1.0) * reach
            if x < lo:
                x = 2.0 * lo - x
            elif x > hi:
                x = 2.0 * hi - x
            s.point[j, q] = min(max(x, lo), hi)


@native
def anchor(s: SearchMemory, p: ProblemRow, box: Box, j: int) -> float:
    """The end of the domain that box i reaches, or its middle; the lower end of its objective."""
    lo, hi = box.lo(j), box.hi(j)
    if j == p.objective:
        return lo
    if lo <= p.inner.lo(j):
        return p.inner.lo(j)
    return p.inner.hi(j) if hi >= p.inner.hi(j) else 0.5 * (lo + hi)


@native
def crossing(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether a feasible zero of the equations near one of the converged points would lower u. If so, `tight` holds it."""
    objective = p.objective
    for q in range(LANES):
        s.crossing[q] = 1 if s.converged[q] > 0.5 and s.point[objective, q] < s.proved else 0
        for j in range(p.variables):
            s.beneath[q, j] = s.point[j, q]
    for q in range(LANES):
        if s.crossing[q] != 0:
            for j in range(p.variables):
                s.centre[j] = s.beneath[q, j]
            if prove_exists(s, p):
                return True
    return False


@native
def locate_first(s: SearchMemory, p: ProblemRow) -> int:
    """Record a place near the first box of problem p where rounding may hide a zero of the equations, no later than that box begins except
    for what counts as simultaneous. Return whether there is one.
    """
    i, objective = p.root, p.objective
    if i < 0 or objective < 0 or p.point == 0 or p.image == 0:
        return 0
    scatter_points(s, p, s.box[i], _SPREAD)
    restore(s, p)
    for q in range(LANES):
        if s.converged[q] > 0.5 and s.point[objective, q] <= s.box[i].lo(objective) + s.simultaneity:
            for j in range(p.variables):
                s.centre[j] = s.point[j, q]
            if surround_zero(s, p):
                record(s, p, LOCATED, s.tight, s.tight)
                return 1
    return 0


@native
def surround_zero(s: SearchMemory, p: ProblemRow) -> bool:
    """Write the smallest box round `centre` into `tight`. Return whether it may hold a feasible zero of the equations."""
    for j in range(p.variables):
        r = radius(0) * extent(s, p, j, s.centre[j])
        s.tight.put(j, max(s.centre[j] - r, p.domain.lo(j)), min(s.centre[j] + r, p.domain.hi(j)))
    return not impossible(s, p, s.tight) and hold_zero(s, p.equations, 0)


@native
def locate(s: SearchMemory, p: ProblemRow) -> None:
    """Record `centre`, where no contact could be proved, as located if rounding may hide a zero of the equations there; after many steps
    only. Where surfaces meet without crossing such points stand for those round them like samples.
    """
    if s.steps <= HOPELESS or p.image == 0 or p.objective < 0 or p.existence == 0:
        return
    if surround_zero(s, p):
        record(s, p, LOCATED, s.tight, s.tight)
        prove_beside(s, p, s.found[s.solutions - 1])
