"""Contraction of boxes: propagation, Linear_Solve, and the square operators (Snyder 1993, Section 4)."""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .boxes import at_border
from .cid import contract_halves, propagate
from .layout import LANES, ProblemRow, SearchMemory
from .prove import linearize

# Sweeps of Linear_Solve a step. Effort only (measured: tests/benchmarks/constants.py, 1 and 4 are alike within 1 %).
_SWEEPS = 2


@native
def contract(s: SearchMemory, p: ProblemRow, used: int) -> None:
    """Shrink the boxes in X by the interval Newton method; `alive` becomes 0 in lanes that hold no zero."""
    if p.backward != 0:
        propagate(s, p, _SWEEPS)
        contract_halves(s, p)
    for j in range(p.variables):
        for lane in range(LANES):
            s.C[j, lane] = s.X.inner(j, lane)
    linearize(s, p)
    for lane in range(used):
        if at_border(s, p, s.before[lane]):
            ignore_necessary(s, p, lane)
    if s.newton < 3 or p.square == 0:
        for _ in range(_SWEEPS):
            call_kernel(p.linear, s.M, s.V, s.C, s.X, s.alive)
        if p.eliminate != 0:
            # It reads the equations only, which come before the necessary conditions.
            call_kernel(p.eliminate, s.M, s.V, s.C, s.X, s.alive)
    if p.precondition != 0:
        call_kernel(p.precondition, s.M, s.V, s.G, s.F)
        call_kernel(p.decoupled, s.G, s.F, s.C, s.X, s.alive)
    if s.newton > 1 and p.square != 0:
        intersect_operator(s, p)
    if p.limited != 0:
        respect_limits(s, p)


@native
def respect_limits(s: SearchMemory, p: ProblemRow) -> None:
    """Shrink the boxes in X by inequalities that hold at every zero of interest. `alive` becomes 0 in lanes where they do so nowhere."""
    for k in range(2):
        if p.narrowing[k] != 0:
            keep_on_surface(s, p, k)
    if p.limits != 0:
        keep_below(s, p)


@native
def take_centres(s: SearchMemory, p: ProblemRow) -> None:
    """Points of the boxes in X as C, and as boxes in K."""
    for j in range(p.variables):
        for lane in range(LANES):
            c = s.X.inner(j, lane)
            s.C[j, lane] = c
            s.K.put(j, lane, c, c)


@native
def keep_on_surface(s: SearchMemory, p: ProblemRow, k: int) -> None:
    """Shrink the boxes in X to where the points of part k may be on the surface of their body."""
    n = p.variables
    take_centres(s, p)
    call_kernel(p.place[k], s.X, p.parameters, s.at)
    call_kernel(p.place[k], s.K, p.parameters, s.central)
    call_kernel(p.place_slope[k], s.X, p.parameters, s.slopes)
    for lane in range(LANES):
        for i in range(3):
            s.linear.put(i, lane, s.at.lo(i, lane), s.at.hi(i, lane))
            s.linear.put(3 + i, lane, s.central.lo(i, lane), s.central.hi(i, lane))
        for i in range(3 * n):
            s.linear.put(6 + i, lane, s.slopes.lo(i, lane), s.slopes.hi(i, lane))
        for j in range(n):
            s.linear.put(6 + 3 * n + j, lane, s.X.lo(j, lane), s.X.hi(j, lane))
            s.linear.put(6 + 4 * n + j, lane, s.C[j, lane], s.C[j, lane])
    call_kernel(p.narrowing[k], s.linear, p.parameters, s.narrowed, p.narrows[k])
    for lane in range(LANES):
        if s.narrowed.hi(0, lane) < 0.0:
            s.alive[lane] = 0.0
        for j in range(n):
            s.X.put(j, lane, s.narrowed.lo(1 + j, lane), s.narrowed.hi(1 + j, lane))


@native
def keep_below(s: SearchMemory, p: ProblemRow) -> None:
    """By functions f that are at most 0: by the mean value theorem f(c) + f'(X) (x - c) is, too."""
    take_centres(s, p)
    call_kernel(p.limit_slope, s.X, p.parameters, s.slopes)
    call_kernel(p.limit_range, s.K, p.parameters, s.level)
    # f(c) plus anything that is not negative.
    for i in range(p.limits):
        for lane in range(LANES):
            s.level.put(i, lane, s.level.lo(i, lane), np.inf)
    call_kernel(p.limit_solve, s.slopes, s.level, s.C, s.X, s.alive)


@native
def ignore_necessary(s: SearchMemory, p: ProblemRow, lane: int) -> None:
    """Whole lines in the rows of the necessary conditions: nothing is learnt from them."""
    for i in range(p.equations, p.rows):
        for j in range(p.variables):
            s.M.put(p.variables * i + j, lane, -np.inf, np.inf)
        s.V.put(i, lane, -np.inf, np.inf)


@native
def intersect_operator(s: SearchMemory, p: ProblemRow) -> None:
    """Intersect X with the square operator on it, which keeps every zero.

    Linear_Solve may have moved the box away from the point of expansion; the operator then still bounds the zeros
    of the box it was linearized on, which holds the present one.
    """
    for lane in range(LANES):
        for j in range(p.variables):
            s.X.put(j, lane, min(s.X.lo(j, lane), s.C[j, lane]), max(s.X.hi(j, lane), s.C[j, lane]))
    call_kernel(p.square, s.M, s.V, s.C, s.X, s.K, s.success)
    for lane in range(LANES):
        for j in range(p.variables):
            s.X.put(j, lane, max(s.X.lo(j, lane), s.K.lo(j, lane)), min(s.X.hi(j, lane), s.K.hi(j, lane)))
            if s.X.lo(j, lane) > s.X.hi(j, lane):
                s.alive[lane] = 0.0
