"""Contraction of boxes: propagation, Linear_Solve, and the square operators (Snyder 1993, Section 4)."""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .boxes import at_border
from .cid import contract_halves, propagate
from .layout import (
    BACKWARD,
    DECOUPLED,
    ELIMINATE,
    EQUATIONS,
    LANES,
    LIMIT_RANGE,
    LIMIT_SLOPE,
    LIMIT_SOLVE,
    LIMITS,
    LINEAR,
    NEWTON,
    PARAMETERS,
    PRECONDITION,
    ROWS,
    SQUARE,
    VARIABLES,
)
from .prove import linearize
from .queue import attribute

# Sweeps of Linear_Solve a step.
_SWEEPS = 2


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
    if s.count[NEWTON] < 3 or attribute(s, p, SQUARE) == 0:
        for _ in range(_SWEEPS):
            call_kernel(attribute(s, p, LINEAR), s.M, s.V, s.C, s.X, s.flag)
        if attribute(s, p, ELIMINATE) != 0:
            # It reads the equations only, which come before the necessary conditions.
            call_kernel(attribute(s, p, ELIMINATE), s.M, s.V, s.C, s.X, s.flag)
    if attribute(s, p, PRECONDITION) != 0:
        call_kernel(attribute(s, p, PRECONDITION), s.M, s.V, s.G, s.F)
        call_kernel(attribute(s, p, DECOUPLED), s.G, s.F, s.C, s.X, s.flag)
    if s.count[NEWTON] > 1 and attribute(s, p, SQUARE) != 0:
        intersect_operator(s, p)
    if attribute(s, p, LIMITS) != 0:
        respect_limits(s, p)


@native
def respect_limits(s, p):
    """Shrink the boxes in X by functions that are at most 0 at every zero of interest: by the mean value theorem f(c) + f'(X) (x - c) is,
    too. `flag` becomes 0 in lanes where one is positive throughout.
    """
    for j in range(attribute(s, p, VARIABLES)):
        for lane in range(LANES):
            lo, hi = -s.X[2 * j * LANES + lane], s.X[(2 * j + 1) * LANES + lane]
            c = min(max(0.5 * (lo + hi), lo), hi)
            s.C[j * LANES + lane] = c
            s.K[2 * j * LANES + lane] = -c
            s.K[(2 * j + 1) * LANES + lane] = c
    call_kernel(attribute(s, p, LIMIT_SLOPE), s.X, attribute(s, p, PARAMETERS), s.slopes)
    call_kernel(attribute(s, p, LIMIT_RANGE), s.K, attribute(s, p, PARAMETERS), s.level)
    # f(c) plus anything that is not negative.
    for i in range(attribute(s, p, LIMITS)):
        for lane in range(LANES):
            s.level[(2 * i + 1) * LANES + lane] = np.inf
    call_kernel(attribute(s, p, LIMIT_SOLVE), s.slopes, s.level, s.C, s.X, s.flag)


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
