"""Contraction by propagation, and by propagation in both halves of every variable (constructive interval disjunction).

For problems whose rows hold on the whole closed domain. A box is replaced by the hull of what propagation and
Linear_Solve leave of its two halves, one variable after the other (Trombettoni and Chabert 2007). On the Broyden
tridiagonal system in 20 variables this takes 66 boxes where contraction of whole boxes alone takes 190,000.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .layout import LANES, ProblemRow, SearchMemory
from .prove import linearize

# Sweeps of propagation and of Linear_Solve in each half: by measurement on `tests/problems.py`.
_PROPAGATIONS, _SWEEPS = 6, 2


@native
def propagate(s: SearchMemory, p: ProblemRow, sweeps: int) -> None:
    """Forward-backward propagation in X; `alive` becomes 0 in lanes that hold no zero."""
    for _ in range(sweeps):
        call_kernel(p.backward, s.X, p.parameters, s.alive)


@native
def sweep(s: SearchMemory, p: ProblemRow) -> None:
    """Linear_Solve on the rows, linearized at the middles of the boxes in X."""
    for j in range(p.variables):
        for lane in range(LANES):
            s.C[j, lane] = s.X.inner(j, lane)
    linearize(s, p)
    call_kernel(p.linear, s.M, s.V, s.C, s.X, s.alive)


@native
def contract_halves(s: SearchMemory, p: ProblemRow) -> None:
    """Shrink the boxes in X; `alive` becomes 0 in lanes that hold no zero. `survives` says so of the boxes that are halved."""
    for lane in range(LANES):
        s.survives[lane] = s.alive[lane]
    for j in range(p.searched):
        for k in range(p.variables):
            for lane in range(LANES):
                s.Q.put(k, lane, s.X.lo(k, lane), s.X.hi(k, lane))
                s.hull.put(k, lane, np.inf, -np.inf)
        for half in range(2):
            take_half(s, p, j, half)
            propagate(s, p, _PROPAGATIONS)
            for _ in range(_SWEEPS):
                sweep(s, p)
            join(s, p)
        keep_hull(s, p)
    for lane in range(LANES):
        s.alive[lane] = s.survives[lane]


@native
def take_half(s: SearchMemory, p: ProblemRow, j: int, half: int) -> None:
    """The lower or upper half of the boxes in Q along variable j into X; the two share the middle."""
    for k in range(p.variables):
        for lane in range(LANES):
            s.X.put(k, lane, s.Q.lo(k, lane), s.Q.hi(k, lane))
    for lane in range(LANES):
        middle = s.Q.inner(j, lane)
        s.X.put(j, lane, s.Q.lo(j, lane) if half == 0 else middle, middle if half == 0 else s.Q.hi(j, lane))
        s.alive[lane] = s.survives[lane]


@native
def join(s: SearchMemory, p: ProblemRow) -> None:
    """Add the boxes in X that may hold a zero to `hull`."""
    for lane in range(LANES):
        if s.alive[lane] > 0.5:
            for j in range(p.variables):
                s.hull.put(j, lane, min(s.hull.lo(j, lane), s.X.lo(j, lane)), max(s.hull.hi(j, lane), s.X.hi(j, lane)))


@native
def keep_hull(s: SearchMemory, p: ProblemRow) -> None:
    """The hulls into X; a lane neither of whose halves can hold a zero dies, and keeps a box that is one."""
    for lane in range(LANES):
        if s.hull.lo(0, lane) == np.inf:
            s.survives[lane] = 0.0
        kept = s.hull if s.survives[lane] > 0.5 else s.Q
        for j in range(p.variables):
            s.X.put(j, lane, kept.lo(j, lane), kept.hi(j, lane))
