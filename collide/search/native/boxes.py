"""Boxes in lanes and out of them, and what can be said of a box without a kernel."""

import numpy as np

from codegen.machine.loops import native

from .layout import (
    ALONE,
    CLEAR,
    FREE,
    ITERATIONS,
    LANES,
    LATEST,
    OBJECTIVE,
    POLE,
    POLE_END,
    PROVED,
    ROOT,
    SIMULTANEITY,
    SOLUTIONS,
    STRIDE,
    UNIQUE,
    VARIABLES,
)
from .queue import attribute, copy_box, pop


@native
def lower(s, boxes, k, j):
    """Lower end of variable j in box k of an array of boxes."""
    return boxes[2 * (s.count[STRIDE] * k + j)]


@native
def upper(s, boxes, k, j):
    return boxes[2 * (s.count[STRIDE] * k + j) + 1]


@native
def width(s, boxes, k, j):
    return upper(s, boxes, k, j) - lower(s, boxes, k, j)


@native
def share(s, p, boxes, k, j):
    """Width of variable j against its domain; 0 for a variable without width."""
    whole = width(s, s.domain, p, j)
    return width(s, boxes, k, j) / whole if whole > 0.0 else 0.0


@native
def load_lane(s, p, boxes, k, lane):
    """Box k into a lane of X."""
    for j in range(attribute(s, p, VARIABLES)):
        s.X[2 * j * LANES + lane] = -lower(s, boxes, k, j)
        s.X[(2 * j + 1) * LANES + lane] = upper(s, boxes, k, j)


@native
def load_all(s, p, boxes, k):
    for lane in range(LANES):
        load_lane(s, p, boxes, k, lane)


@native
def read_lane(s, p, block, lane, boxes, k):
    """A lane of a block of intervals into box k."""
    for j in range(attribute(s, p, VARIABLES)):
        boxes[2 * (s.count[STRIDE] * k + j)] = -block[2 * j * LANES + lane]
        boxes[2 * (s.count[STRIDE] * k + j) + 1] = block[(2 * j + 1) * LANES + lane]


@native
def cut(s):
    """A box whose least objective lies above this is of no interest."""
    return s.real[PROVED] + s.real[SIMULTANEITY]


@native
def too_late(s, p, boxes, k):
    objective = attribute(s, p, OBJECTIVE)
    return objective >= 0 and lower(s, boxes, k, objective) > cut(s)


@native
def trim(s, p, boxes, k):
    """Cut off what is too late of a box: then it may lie in the region of a solution."""
    objective = attribute(s, p, OBJECTIVE)
    if objective >= 0:
        at = 2 * (s.count[STRIDE] * k + objective) + 1
        boxes[at] = max(min(boxes[at], cut(s)), boxes[at - 1])


@native
def keep_clear(s, p, boxes, k):
    """A box leaves the search without a proof that it holds no zero: remember its objective."""
    objective = attribute(s, p, OBJECTIVE)
    if objective >= 0:
        s.real[CLEAR] = min(s.real[CLEAR], lower(s, boxes, k, objective))
        s.real[LATEST] = max(s.real[LATEST], upper(s, boxes, k, objective))


@native
def at_border(s, p, boxes, k):
    """Does the box touch an end of the domain where the necessary conditions do not hold?"""
    for j in range(attribute(s, p, VARIABLES)):
        at = 2 * (s.count[STRIDE] * p + j)
        if s.border[at] != 0 and lower(s, boxes, k, j) <= s.domain[at]:
            return True
        if s.border[at + 1] != 0 and upper(s, boxes, k, j) >= s.domain[at + 1]:
            return True
    return False


@native
def at_pole(s, p, boxes, k):
    """Does the box lie so near a pole that other parameters should take over? Then POLE and POLE_END say where."""
    for j in range(attribute(s, p, VARIABLES)):
        at = 2 * (s.count[STRIDE] * p + j)
        if upper(s, boxes, k, j) <= s.polar[at] or lower(s, boxes, k, j) >= s.polar[at + 1]:
            s.count[POLE] = p + 1
            s.count[POLE_END] = 2 * j + (0 if upper(s, boxes, k, j) <= s.polar[at] else 1)
            return True
    return False


@native
def period(s, p, j):
    return s.period[s.count[STRIDE] * p + j]


@native
def shift_into(s, p, j, middle, target):
    """The multiple of the period of variable j that brings `middle` nearest to `target`."""
    turn = period(s, p, j)
    return turn * np.round((target - middle) / turn) if turn > 0.0 else 0.0


@native
def inside_region(s, p, boxes, k, solution):
    """Does box k lie in the uniqueness box of a solution, up to periods?

    A shifted box is compared with a margin: 1e-12 of the shift is thousands of times its rounding and that of the
    period.
    """
    for j in range(attribute(s, p, VARIABLES)):
        lo, hi = lower(s, boxes, k, j), upper(s, boxes, k, j)
        first, last = lower(s, s.region, solution, j), upper(s, s.region, solution, j)
        shift = shift_into(s, p, j, 0.5 * (lo + hi), 0.5 * (first + last))
        margin = 1e-12 * abs(shift)
        if lo + shift < first + margin or hi + shift > last - margin:
            return False
    return True


@native
def encloses_one(s, solution):
    """Is the solution proved to be the only zero in its region?"""
    return s.kind[solution] == UNIQUE or s.kind[solution] == ALONE


@native
def known(s, p, boxes, k):
    """Does box k lie where a solution found before is the only zero?"""
    for solution in range(s.count[SOLUTIONS]):
        if encloses_one(s, solution) and s.owner[solution] == p and inside_region(s, p, boxes, k, solution):
            return True
    return False


@native
def take(s, p):
    """Pop up to eight boxes that need work into the lanes and `before`; how many. Where they are nodes of trees, `parents` say so."""
    used = 0
    while used < LANES and attribute(s, p, ROOT) >= 0:
        i = pop(s, p)
        if too_late(s, p, s.box, i):
            continue
        trim(s, p, s.box, i)
        # At such a border there may be zeros of the equations that the uniqueness proof does not know of.
        if not at_border(s, p, s.box, i) and known(s, p, s.box, i):
            continue
        copy_box(s, p, s.box, i, s.before, used)
        s.until[used] = s.horizon[i]
        s.parents[2 * used] = s.pair[2 * i]
        used += 1
    for lane in range(LANES):
        load_lane(s, p, s.before, lane if lane < used else 0, lane)
    s.count[ITERATIONS] += used
    return used


@native
def room_for_boxes(s):
    return s.count[FREE] >= 4 * LANES
