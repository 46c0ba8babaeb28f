"""Contacts at tips: where a vertex meets a vertex or an edge, no square system holds, and nothing crosses at the time of contact.

Just after it parts that end there do cross. So the bound on the objective falls by proofs at crossings beside a box that was only
located, tried at growing distances from it. They prove contact by their time, which is all that the bound needs.
"""

from codegen.loops import native

from .boxes import lower, share, upper
from .layout import EXISTENCE, LANES, LATER, OBJECTIVE, PROVED, SIMULTANEITY, STRIDE, VARIABLES
from .local_solve import extent, restore
from .prove import prove_exists
from .queue import attribute
from .solutions import improve

# Distances against the domain: the first, the factor from one to the next, how many, and how often each is tried.
_FIRST, _FACTOR, _DISTANCES, _TRIALS = 1e-12, 4.0, 16, 3
# Against the domain, the width of a box that says nothing of a variable: at a pole, say. Then all of the domain is tried.
_WIDE = 1e-3
# So many boxes of a search are worth it.
_MOST = 12


@native
def prove_beside(s, p, lane):
    """Lower u by a crossing near the box of a lane, in `hold`, or a little later."""
    objective = attribute(s, p, OBJECTIVE)
    if objective < 0 or attribute(s, p, EXISTENCE) == 0 or s.count[LATER] >= _MOST:
        return
    s.count[LATER] += 1
    distance = _FIRST
    for k in range(_DISTANCES * _TRIALS):
        step = distance * extent(s, p, objective, lower(s, s.hold, lane, objective))
        if lower(s, s.hold, lane, objective) + step >= s.real[PROVED] - s.real[SIMULTANEITY]:
            return
        scatter_inside(s, p, lane, distance, k)
        restore(s, p)
        if crossing(s, p):
            improve(s, p, s.tight, 0)
            return
        if k % _TRIALS == _TRIALS - 1:
            distance *= _FACTOR


@native
def scatter_inside(s, p, lane, distance, k):
    """Points within a distance of the box of a lane, folded into the domain at its ends; k: other ones each time."""
    for j in range(attribute(s, p, VARIABLES)):
        lo, hi = lower(s, s.inner, p, j), upper(s, s.inner, p, j)
        at, reach = anchor(s, p, lane, j), distance * extent(s, p, j, 0.0)
        if share(s, p, s.hold, lane, j) > _WIDE:
            at, reach = 0.5 * (lo + hi), 0.5 * (hi - lo)
        for q in range(LANES):
            x = at + (((59 * q + 31 * j + 83 * k + q * j) % 97) / 48.0 - 1.0) * reach
            if x < lo:
                x = 2.0 * lo - x
            elif x > hi:
                x = 2.0 * hi - x
            s.point[j * LANES + q] = min(max(x, lo), hi)


@native
def anchor(s, p, lane, j):
    """The end of the domain that the box of a lane reaches, or its middle."""
    lo, hi = lower(s, s.hold, lane, j), upper(s, s.hold, lane, j)
    if share(s, p, s.hold, lane, j) < _WIDE:
        if lo <= lower(s, s.inner, p, j):
            return lower(s, s.inner, p, j)
        if hi >= upper(s, s.inner, p, j):
            return upper(s, s.inner, p, j)
    return 0.5 * (lo + hi)


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
