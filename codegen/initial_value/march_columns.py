"""Coefficients and polynomials of several vectors at once, each in a lane: of m, lane 0, and of each column of Q and C, along which
derivatives are taken over the box of all states.
"""

from ..machine.loops import call_kernel, native
from ..machine.structures import LANES
from .march_memory import MarchMemory, give, is_finite


@native
def along_columns(s: MarchMemory, first: int) -> bool:
    """The coefficients of m and of the columns from this lane on. False where any is not finite. That the equations are analytic there is
    seen by `proved`, of a larger box.
    """
    k = give(s, 0, s.at, s.at)
    for i in range(s.n):
        for lane in range(LANES):
            if first + lane == 0:
                s.given.put(k, lane, s.m[i], s.m[i])
                s.given.put(k + s.n, lane, 0.0, 0.0)
            else:
                e = s.frame[min(first + lane, s.columns) - 1, i]
                s.given.put(k, lane, s.box[i, 0], s.box[i, 1])
                s.given.put(k + s.n, lane, e, e)
        k += 1
    call_kernel(s.along, s.given, s.none, s.found)
    for lane in range(min(LANES, s.columns + 1 - first)):
        if first + lane == 0:
            if not series_of_middle(s):
                return False
        elif not series_of_column(s, lane, first + lane - 1):
            return False
    return True


@native
def series_of_middle(s: MarchMemory) -> bool:
    for i in range(s.n):
        s.mid[0, i, 0], s.mid[0, i, 1] = s.m[i], s.m[i]
        for k in range(1, s.terms - 1):
            j = (k - 1) * s.n + i
            s.mid[k, i, 0], s.mid[k, i, 1] = s.found.lo(j, 0), s.found.hi(j, 0)
            if not is_finite(s.mid[k, i, 0], s.mid[k, i, 1]):
                return False
    return True


@native
def series_of_column(s: MarchMemory, lane: int, column: int) -> bool:
    """And over the box, which are the same for each column."""
    for i in range(s.n):
        s.x[0, i, 0], s.x[0, i, 1] = s.box[i, 0], s.box[i, 1]
        s.w[0, column, i, 0], s.w[0, column, i, 1] = s.frame[column, i], s.frame[column, i]
        for k in range(1, s.terms):
            j = (k - 1) * s.n + i
            s.x[k, i, 0], s.x[k, i, 1] = s.found.lo(j, lane), s.found.hi(j, lane)
            if not is_finite(s.x[k, i, 0], s.x[k, i, 1]):
                return False
        for k in range(1, s.terms - 1):
            j = (s.terms - 2 + k) * s.n + i
            s.w[k, column, i, 0], s.w[k, column, i, 1] = s.found.lo(j, lane), s.found.hi(j, lane)
            if not is_finite(s.w[k, column, i, 0], s.w[k, column, i, 1]):
                return False
    return True


@native
def moved_columns(s: MarchMemory, first: int) -> bool:
    """The polynomials of these lanes at the end of the step: `next`, with the remainder, and `moves`. False where they are not finite."""
    last, k = s.terms - 1, 0
    for j in range(s.terms):
        for i in range(s.n):
            for lane in range(LANES):
                column = min(first + lane, s.columns) - 1
                if column >= 0:
                    s.given.put(k, lane, s.w[j, column, i, 0], s.w[j, column, i, 1])
                elif j < last:
                    s.given.put(k, lane, s.mid[j, i, 0], s.mid[j, i, 1])
                else:
                    s.given.put(k, lane, s.over[j, i, 0], s.over[j, i, 1])
            k += 1
    k = give(s, k, s.h_lo, s.h_hi)
    call_kernel(s.polynomial, s.given, s.none, s.found)
    for lane in range(min(LANES, s.columns + 1 - first)):
        for i in range(s.n):
            lo, hi = s.found.lo(i, lane), s.found.hi(i, lane)
            if not is_finite(lo, hi):
                return False
            if first + lane == 0:
                s.next[i, 0], s.next[i, 1] = lo, hi
            else:
                s.moves[first + lane - 1, i, 0], s.moves[first + lane - 1, i, 1] = lo, hi
    return True
