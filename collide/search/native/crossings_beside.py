"""Contacts at tips: where a vertex meets a vertex or an edge, no square system holds, and nothing crosses at the time of contact.

Just after it parts that end there do cross. So the bound on the objective falls by proofs at crossings beside a box that was only
located, tried at growing distances from it. They prove contact by their time, which is all that the bound needs.
"""

from codegen.machine.loops import native

from .boxes import lower, share, upper
from .layout import (
    BESIDE,
    COLUMNS,
    EQUATIONS,
    EXISTENCE,
    IMAGE,
    LANES,
    LOCATED,
    OBJECTIVE,
    POINT,
    PROVED,
    ROOT,
    SIMULTANEITY,
    SOLUTIONS,
    STEPS,
    STRIDE,
    VARIABLES,
)
from .local_solve import extent, restore, scatter_points
from .prove import prove_exists, radius
from .queue import attribute
from .solutions import hold_zero, impossible, improve, record

# Distances against the domain: the first, the factor from one to the next, how many, and how often each is tried.
_FIRST, _FACTOR, _DISTANCES, _TRIALS = 1e-12, 4.0, 16, 3
# Against the domain, the width of a box that may say nothing of a variable: at a pole, say. Then all of the domain is tried, too.
_WIDE = 1e-3
# How far over a box points are spread from which a place in it is looked for.
_SPREAD = 0.8
# So many boxes of a problem are worth it.
_MOST = 4
# After so many steps without a bound a contact may be one that local solves do not find; after so many, one that cannot be proved.
LONG, HOPELESS = 700, 2000


@native
def prove_beside(s, p, boxes, i):
    """Lower u by a crossing near box i, or a little later."""
    objective = attribute(s, p, OBJECTIVE)
    if objective < 0 or attribute(s, p, EXISTENCE) == 0 or attribute(s, p, BESIDE) >= _MOST:
        return
    s.table[p * COLUMNS + BESIDE] += 1
    distance = _FIRST
    for k in range(_DISTANCES * _TRIALS):
        step = distance * extent(s, p, objective, lower(s, boxes, i, objective))
        if lower(s, boxes, i, objective) + step >= s.real[PROVED] - s.real[SIMULTANEITY]:
            return
        scatter_inside(s, p, boxes, i, distance, k)
        restore(s, p)
        if crossing(s, p):
            improve(s, p, s.tight, 0)
            return
        if k % _TRIALS == _TRIALS - 1:
            distance *= _FACTOR


@native
def scatter_inside(s, p, boxes, i, distance, k):
    """Points within a distance of box i, folded into the domain at its ends, and not before its objective; k: other ones each time."""
    objective = attribute(s, p, OBJECTIVE)
    for j in range(attribute(s, p, VARIABLES)):
        lo, hi = lower(s, s.inner, p, j), upper(s, s.inner, p, j)
        at, reach = anchor(s, p, boxes, i, j), distance * extent(s, p, j, 0.0)
        if j == objective:
            lo = at
        elif k % _TRIALS == 0 and share(s, p, boxes, i, j) > _WIDE:
            at, reach = 0.5 * (lo + hi), 0.5 * (hi - lo)
        for q in range(LANES):
            x = at + (((59 * q + 31 * j + 83 * k + q * j) % 97) / 48.0 - 1.0) * reach
            if x < lo:
                x = 2.0 * lo - x
            elif x > hi:
                x = 2.0 * hi - x
            s.point[j * LANES + q] = min(max(x, lo), hi)


@native
def anchor(s, p, boxes, i, j):
    """The end of the domain that box i reaches, or its middle; the lower end of its objective."""
    lo, hi = lower(s, boxes, i, j), upper(s, boxes, i, j)
    if j == attribute(s, p, OBJECTIVE):
        return lo
    if lo <= lower(s, s.inner, p, j):
        return lower(s, s.inner, p, j)
    return upper(s, s.inner, p, j) if hi >= upper(s, s.inner, p, j) else 0.5 * (lo + hi)


@native
def crossing(s, p):
    """Is there a feasible zero of the equations near one of the converged points that would lower u? Then `tight` holds it."""
    objective = attribute(s, p, OBJECTIVE)
    for q in range(LANES):
        s.trial[q] = 1 if s.flag[q] > 0.5 and s.point[objective * LANES + q] < s.real[PROVED] else 0
        for j in range(attribute(s, p, VARIABLES)):
            s.reached[s.count[STRIDE] * q + j] = s.point[j * LANES + q]
    for q in range(LANES):
        if s.trial[q] != 0:
            for j in range(attribute(s, p, VARIABLES)):
                s.centre[j] = s.reached[s.count[STRIDE] * q + j]
            if prove_exists(s, p):
                return True
    return False


@native
def locate_first(s, p):
    """Record a place near the first box of problem p where rounding may hide a zero of the equations, no later than that box begins but for
    what counts as simultaneous. Is there one?
    """
    i, objective = attribute(s, p, ROOT), attribute(s, p, OBJECTIVE)
    if i < 0 or objective < 0 or attribute(s, p, POINT) == 0 or attribute(s, p, IMAGE) == 0:
        return 0
    scatter_points(s, p, s.box, i, _SPREAD)
    restore(s, p)
    for q in range(LANES):
        if s.flag[q] > 0.5 and s.point[objective * LANES + q] <= lower(s, s.box, i, objective) + s.real[SIMULTANEITY]:
            for j in range(attribute(s, p, VARIABLES)):
                s.centre[j] = s.point[j * LANES + q]
            if surround_zero(s, p):
                record(s, p, LOCATED, s.tight, 0, s.tight, 0)
                return 1
    return 0


@native
def surround_zero(s, p):
    """The smallest box round `centre` in `tight`: may it hold a feasible zero of the equations?"""
    for j in range(attribute(s, p, VARIABLES)):
        r = radius(0) * extent(s, p, j, s.centre[j])
        s.tight[2 * j] = max(s.centre[j] - r, lower(s, s.domain, p, j))
        s.tight[2 * j + 1] = min(s.centre[j] + r, upper(s, s.domain, p, j))
    return not impossible(s, p, s.tight, 0) and hold_zero(s, attribute(s, p, EQUATIONS), 0)


@native
def locate(s, p):
    """Record `centre`, where no contact could be proved, as located if rounding may hide a zero of the equations there; after many steps
    only. Where surfaces meet without crossing such points stand for those round them like samples.
    """
    if s.count[STEPS] <= HOPELESS or attribute(s, p, IMAGE) == 0 or attribute(s, p, OBJECTIVE) < 0 or attribute(s, p, EXISTENCE) == 0:
        return
    if surround_zero(s, p):
        record(s, p, LOCATED, s.tight, 0, s.tight, 0)
        prove_beside(s, p, s.found, s.count[SOLUTIONS] - 1)
