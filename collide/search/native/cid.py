"""Contraction by propagation, and by propagation in both halves of every variable (constructive interval disjunction).

For problems whose rows hold on the whole closed domain. A box is replaced by the hull of what propagation and
Linear_Solve leave of its two halves, one variable after the other (Trombettoni and Chabert 2007). On the Broyden
tridiagonal system in 20 variables this takes 66 boxes where contraction of whole boxes alone takes 190,000.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .layout import BACKWARD, LANES, LINEAR, PARAMETERS, SEARCHED, VARIABLES
from .prove import linearize
from .queue import attribute

# Sweeps of propagation and of Linear_Solve in each half: by measurement on `tests/problems.py`.
_PROPAGATIONS, _SWEEPS = 6, 2


@native
def propagate(s, p, sweeps):
    """Forward-backward propagation in X; `flag` becomes 0 in lanes that hold no zero."""
    for _ in range(sweeps):
        call_kernel(attribute(s, p, BACKWARD), s.X, attribute(s, p, PARAMETERS), s.flag)


@native
def sweep(s, p):
    """Linear_Solve on the rows, linearized at the middles of the boxes in X."""
    for j in range(attribute(s, p, VARIABLES)):
        for lane in range(LANES):
            lo, hi = -s.X[2 * j * LANES + lane], s.X[(2 * j + 1) * LANES + lane]
            s.C[j * LANES + lane] = min(max(0.5 * (lo + hi), lo), hi)
    linearize(s, p)
    call_kernel(attribute(s, p, LINEAR), s.M, s.V, s.C, s.X, s.flag)


@native
def contract_halves(s, p):
    """Shrink the boxes in X; `flag` becomes 0 in lanes that hold no zero. `image` holds which lanes are alive meanwhile."""
    for lane in range(LANES):
        s.image[lane] = s.flag[lane]
    for j in range(attribute(s, p, SEARCHED)):
        for k in range(2 * attribute(s, p, VARIABLES) * LANES):
            s.Q[k] = s.X[k]
            s.hull[k] = -np.inf
        for half in range(2):
            take_half(s, p, j, half)
            propagate(s, p, _PROPAGATIONS)
            for _ in range(_SWEEPS):
                sweep(s, p)
            join(s, p)
        keep_hull(s, p)
    for lane in range(LANES):
        s.flag[lane] = s.image[lane]


@native
def take_half(s, p, j, half):
    """The lower or upper half of the boxes in Q along variable j into X; the two share the middle."""
    for k in range(2 * attribute(s, p, VARIABLES) * LANES):
        s.X[k] = s.Q[k]
    for lane in range(LANES):
        at = 2 * j * LANES + lane
        lo, hi = -s.Q[at], s.Q[at + LANES]
        middle = min(max(0.5 * (lo + hi), lo), hi)
        if half == 0:
            s.X[at + LANES] = middle
        else:
            s.X[at] = -middle
        s.flag[lane] = s.image[lane]


@native
def join(s, p):
    """Add the boxes in X that may hold a zero to `hull`."""
    for lane in range(LANES):
        if s.flag[lane] > 0.5:
            for k in range(2 * attribute(s, p, VARIABLES)):
                s.hull[k * LANES + lane] = max(s.hull[k * LANES + lane], s.X[k * LANES + lane])


@native
def keep_hull(s, p):
    """The hulls into X; a lane neither of whose halves can hold a zero dies, and keeps a box that is one."""
    for lane in range(LANES):
        if s.hull[lane] == -np.inf:
            s.image[lane] = 0.0
        for k in range(2 * attribute(s, p, VARIABLES)):
            at = k * LANES + lane
            s.X[at] = s.hull[at] if s.image[lane] > 0.5 else s.Q[at]
