"""What becomes of a contracted box, and along which variable it is split."""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .boxes import load_all, lower, share, too_late, upper, width
from .layout import (
    AGAIN,
    CLOSED,
    EQUATIONS,
    GAP,
    GONE,
    IMAGE,
    LANES,
    LATE,
    LOCATED,
    NEWTON,
    OBJECTIVE,
    PARAMETERS,
    PROVED,
    ROWS,
    SAMPLE,
    SEARCHED,
    SHARE,
    SIMULTANEITY,
    SMALLEST,
    SPLIT,
    TENTATIVE,
    TOLERANCE,
    VARIABLES,
)
from .queue import attribute, copy_box, push
from .solutions import record

# The ratio of widths below which a contracted box is searched again before it is split.
_PROGRESS = 0.6
# A box this small against its domain probably holds a zero if it holds none for sure: a local solve is worth its
# time.
_WORTH_SOLVING = 0.05
# A variable this much wider than the one with the greatest effect is split first.
_NEGLECTED = 100.0
# Where the objective's range asks for it, a box is divided until it is this much smaller than the tolerance.
_FINEST = 1e-4
# No box is wanted narrower than some roundings of where it is.
_ROUNDINGS = 2.0**-50


@native
def verdict(s, p, lane):
    """What becomes of the contracted box of a lane."""
    if s.flag[lane] < 0.5 or too_late(s, p, s.hold, lane):
        return GONE
    progress = 1.0
    note_idle(s, p, lane)
    for j in range(attribute(s, p, SEARCHED)):
        old = width(s, s.before, lane, j)
        if old > 0.0:
            progress = min(progress, width(s, s.hold, lane, j) / old)
    if (within_tolerance(s, p, lane, 1.0) or shrunk_to_a_point(s, p, lane)) and (within_tolerance(s, p, lane, _FINEST) or fine(s, p, lane)):
        # A box that has just shrunk may be seen to hold no zero.
        return SMALLEST if progress >= _PROGRESS else AGAIN
    if s.count[SAMPLE] != 0 and worth_solving(s, p, lane):
        return LATE
    return AGAIN if progress < _PROGRESS else SPLIT


@native
def tolerance(s, p, boxes, k, j):
    """The width of variable j that counts as small where box k is: the tolerance, of a domain that is narrower than 1 that share."""
    rounding = _ROUNDINGS * max(abs(lower(s, boxes, k, j)), abs(upper(s, boxes, k, j)))
    return max(s.real[TOLERANCE] * min(1.0, width(s, s.domain, p, j)), rounding)


@native
def within_tolerance(s, p, lane, share):
    """Is the lane's box no wider than a share of the tolerance?"""
    for j in range(attribute(s, p, SEARCHED)):
        if j != s.idle[lane] and width(s, s.hold, lane, j) > share * tolerance(s, p, s.hold, lane, j):
            return False
    return True


@native
def measure_space(s, p):
    """The size of the smaller body of problem p when the domain begins, but no more than 1, into `space`."""
    s.space[p] = 1.0
    if not spatial(s, p):
        return
    load_all(s, p, s.domain, p)
    objective = attribute(s, p, OBJECTIVE)
    for lane in range(LANES):
        s.X[(2 * objective + 1) * LANES + lane] = lower(s, s.domain, p, objective)
    call_kernel(attribute(s, p, IMAGE), s.X, attribute(s, p, PARAMETERS), s.image)
    for body in range(2):
        size = 0.0
        for c in range(3 * body, 3 * body + 3):
            size = max(size, s.image[2 * c * LANES] + s.image[(2 * c + 1) * LANES])
        if size > 0.0:
            s.space[p] = min(s.space[p], size)


@native
def note_idle(s, p, lane):
    """Is there a variable in necessary conditions alone, and is nothing known of these, as of the angle between gradients at a kink? Not
    one that moves the point in space.
    """
    n = attribute(s, p, VARIABLES)
    s.idle[lane] = -1
    if s.count[NEWTON] == 0 or attribute(s, p, EQUATIONS) == attribute(s, p, ROWS) or spatial(s, p):
        return
    for j in range(attribute(s, p, SEARCHED)):
        idle = j != attribute(s, p, OBJECTIVE)
        for i in range(attribute(s, p, ROWS)):
            at = 2 * (n * i + j) * LANES + lane
            size = max(abs(s.M[at]), abs(s.M[at + LANES]))
            idle = idle and (size == 0.0 if i < attribute(s, p, EQUATIONS) else size == np.inf)
        if idle:
            s.idle[lane] = j


@native
def stretch(s, p, lane):
    """How far each variable alone moves the point in space of either body, into `goal`; the objective, at least by its own
    width. X and `image` are overwritten.
    """
    n = attribute(s, p, VARIABLES)
    for k in range(LANES):
        for j in range(n):
            lo, hi = lower(s, s.hold, lane, j), upper(s, s.hold, lane, j)
            middle = min(max(0.5 * (lo + hi), lo), hi)
            s.X[2 * j * LANES + k] = -(lo if j == k else middle)
            s.X[(2 * j + 1) * LANES + k] = hi if j == k else middle
    call_kernel(attribute(s, p, IMAGE), s.X, attribute(s, p, PARAMETERS), s.image)
    for k in range(n):
        s.goal[k] = width(s, s.hold, lane, k) if k == attribute(s, p, OBJECTIVE) else 0.0
        for c in range(6):
            s.goal[k] = max(s.goal[k], s.image[2 * c * LANES + k] + s.image[(2 * c + 1) * LANES + k])


@native
def spatial(s, p):
    """Does every variable move the point in space? Not the angle between two implicit surfaces."""
    return attribute(s, p, IMAGE) != 0 and attribute(s, p, OBJECTIVE) >= 0 and not (
        attribute(s, p, EQUATIONS) == 2 and attribute(s, p, VARIABLES) == 5)


@native
def shrunk_to_a_point(s, p, lane):
    """Is the box as small as the tolerance but for variables that hardly move the point, as at the tip of a cone?"""
    narrow = False
    for j in range(attribute(s, p, SEARCHED)):
        narrow = narrow or (width(s, s.domain, p, j) > 0.0 and width(s, s.hold, lane, j) <= tolerance(s, p, s.hold, lane, j))
    if not narrow or not spatial(s, p):
        return False
    stretch(s, p, lane)
    for j in range(attribute(s, p, SEARCHED)):
        if width(s, s.hold, lane, j) > tolerance(s, p, s.hold, lane, j) and s.goal[j] > s.real[TOLERANCE] * s.space[p]:
            return False
    return True


@native
def fine(s, p, lane):
    """Is the range of the objective in the box no wider than GAP asks for?"""
    objective = attribute(s, p, OBJECTIVE)
    if objective < 0 or s.real[GAP] <= 0.0:
        return True
    return width(s, s.hold, lane, objective) <= gap_at(s, lower(s, s.hold, lane, objective))


@native
def gap_at(s, value):
    """How closely a search with a GAP tells an objective of about this value."""
    return max(s.real[GAP], s.real[SHARE] * abs(value))


@native
def worth_solving(s, p, lane):
    """Is nothing to be gained by waiting: does every zero in the box count as a solution, or is the box small?"""
    objective = attribute(s, p, OBJECTIVE)
    if objective >= 0 and attribute(s, p, CLOSED) == 0:
        best = min(s.real[PROVED], s.real[TENTATIVE])
        return lower(s, s.hold, lane, objective) >= best - s.real[SIMULTANEITY]
    return largest_share(s, p, lane) < _WORTH_SOLVING


@native
def largest_share(s, p, lane):
    """The width of the lane's box against its domain."""
    largest = 0.0
    for j in range(attribute(s, p, SEARCHED)):
        largest = max(largest, share(s, p, s.hold, lane, j))
    return largest


@native
def divisible(s, boxes, k, j):
    lo, hi = lower(s, boxes, k, j), upper(s, boxes, k, j)
    return lo < 0.5 * (lo + hi) < hi


@native
def widest_share(s, p, lane):
    """The variable that is widest against its domain, -1 if none is to be halved."""
    best, chosen = -1.0, -1
    for j in range(attribute(s, p, SEARCHED)):
        if j != s.idle[lane] and divisible(s, s.hold, lane, j) and share(s, p, s.hold, lane, j) > best:
            best, chosen = share(s, p, s.hold, lane, j), j
    return chosen


@native
def widest(s, p, lane):
    """The variable that is widest against its domain, or moves the point furthest where that one hardly moves it; -1 if none
    that moves it can be halved.
    """
    chosen = widest_share(s, p, lane)
    if chosen < 0 or not spatial(s, p):
        return chosen
    stretch(s, p, lane)
    least = s.real[TOLERANCE] * s.space[p]
    if s.goal[chosen] > least:
        return chosen
    best, chosen = least, -1
    for j in range(attribute(s, p, SEARCHED)):
        if divisible(s, s.hold, lane, j) and s.goal[j] > best:
            best, chosen = s.goal[j], j
    return chosen


@native
def steepest(s, p, lane):
    """The variable of greatest scaled width s_j w_j, s_j the sum over the rows of |df_i/dx_j| (Snyder 1993, Section 3.2).

    Where slopes say nothing, or a variable was neglected for too long, the one that is widest against its domain.
    """
    fallback = widest_share(s, p, lane)
    if s.count[NEWTON] == 0 or fallback < 0:
        return fallback
    n = attribute(s, p, VARIABLES)
    best, chosen = 0.0, -1
    for j in range(attribute(s, p, SEARCHED)):
        effect = 0.0
        for i in range(attribute(s, p, ROWS)):
            at = 2 * (n * i + j) * LANES + lane
            size = max(abs(s.M[at]), abs(s.M[at + LANES]))
            effect += size if size < np.inf else 0.0
        effect *= width(s, s.hold, lane, j)
        if effect > best and divisible(s, s.hold, lane, j):
            best, chosen = effect, j
    if chosen < 0 or share(s, p, s.hold, lane, chosen) * _NEGLECTED < share(s, p, s.hold, lane, fallback):
        neglected = widest(s, p, lane)
        return neglected if neglected >= 0 or chosen < 0 else chosen
    return chosen


@native
def split(s, p, lane, j):
    """Queue the halves of the lane's box along variable j; a box that cannot be halved is kept as located."""
    if j < 0:
        record(s, p, LOCATED, s.hold, lane, s.hold, lane)
        return
    lo, hi = lower(s, s.hold, lane, j), upper(s, s.hold, lane, j)
    middle = 0.5 * (lo + hi)
    for half in range(2):
        copy_box(s, p, s.hold, lane, s.wide, 0)
        s.wide[2 * j] = lo if half == 0 else middle
        s.wide[2 * j + 1] = middle if half == 0 else hi
        i = push(s, p, s.wide, 0)
        s.horizon[i] = s.until[lane]
