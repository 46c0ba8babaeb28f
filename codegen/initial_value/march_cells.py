"""Record of each step: polynomials with bounds of all that they leave out (see `graph.flows.Table`)."""

from ..machine.loops import call_kernel, native
from ..machine.structures import LANES
from .march_memory import MarchMemory, give, is_finite

# Sums and products of numbers that are not negative, rounded to nearest, are below the exact ones by less than this part, as there are
# fewer than a thousand of them; and by what is lost to denormal numbers, times powers of steps up to `march_loop.LONGEST`.
_ABOVE, _DENORMAL = 1.0 + 2.0**-40, 2.0**-500


@native
def noted(s: MarchMemory) -> bool:
    """The coefficients of all states are x_k(m) + W_k (r, r0), in a lane for each order. False where they are not finite."""
    row = s.count
    s.cell[row, 0], s.cell[row, 1] = s.at, s.after
    for i in range(s.n):
        s.error[row, i], s.slope_error[row, i] = 0.0, 0.0
        s.range[row, i, 0], s.range[row, i, 1] = s.inside[i, 0], s.inside[i, 1]
    first, power, before = 0, 1.0, 0.0
    while first < s.degrees:
        spread_orders(s, first)
        for lane in range(min(LANES, s.degrees - first)):
            if not noted_order(s, first + lane, lane, power, before):
                return False
            before = power
            power *= max(abs(s.h_lo), abs(s.h_hi))
        first += LANES
    bounds(s, power, before)
    return True


@native
def spread_orders(s: MarchMemory, first: int) -> None:
    k = 0
    for i in range(s.n):
        for lane in range(LANES):
            order = min(first + lane, s.degrees - 1)
            s.given.put(k, lane, s.mid[order, i, 0], s.mid[order, i, 1])
        k += 1
    for i in range(s.n):
        for j in range(s.twice):
            for lane in range(LANES):
                order = min(first + lane, s.degrees - 1)
                s.given.put(k, lane, s.w[order, j, i, 0], s.w[order, j, i, 1])
            k += 1
    for j in range(s.twice):
        k = give(s, k, s.r[j, 0], s.r[j, 1])
    call_kernel(s.moved, s.given, s.none, s.found)


@native
def noted_order(s: MarchMemory, order: int, lane: int, power: float, before: float) -> bool:
    """Middles of the coefficients of an order, and what these leave out, times powers of the step, `before` the last but one."""
    row = s.count
    for i in range(s.n):
        lo, hi = s.found.lo(i, lane), s.found.hi(i, lane)
        if not is_finite(lo, hi):
            return False
        middle = 0.5 * lo + 0.5 * hi
        off = max(max(hi - middle, middle - lo), 0.0)
        s.c[row, i, order] = middle
        s.error[row, i] += off * power
        s.slope_error[row, i] += order * off * before
    return True


@native
def bounds(s: MarchMemory, power: float, before: float) -> None:
    """With Lagrange's remainder; and of second derivatives over the step."""
    row, last = s.count, s.terms - 1
    for i in range(s.n):
        rest = max(abs(s.over[last, i, 0]), abs(s.over[last, i, 1]))
        s.error[row, i] = (s.error[row, i] + rest * power) * _ABOVE + _DENORMAL
        s.slope_error[row, i] = (s.slope_error[row, i] + last * rest * before) * _ABOVE + _DENORMAL
        s.bend[row, i] = 2.0 * max(abs(s.over[2, i, 0]), abs(s.over[2, i, 1])) * _ABOVE + _DENORMAL
