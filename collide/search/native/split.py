"""Fate of a contracted box, and the variable along which it is split."""

import numpy as np

from codegen.machine.loops import call_kernel, native
from codegen.machine.structures import Box

from .boxes import load_all, share, too_late
from .layout import AGAIN, GONE, LANES, LATE, LOCATED, SMALLEST, SPLIT, ProblemRow, SearchMemory
from .queue import copy_box, push
from .solutions import record

# Effort only, but for the last (measured: tests/benchmarks/constants.py, a quarter to four times).
# The ratio of widths below which a contracted box is searched again before it is split. (Measured: 0.15 takes 6 to 17 % fewer in
# the mean, most of it by implicit cones; 0.9 is alike within 2 %.)
_PROGRESS = 0.6
# A box this small against its domain probably holds a zero if it holds none for sure: a local solve is worth its
# time. (Measured: alike.)
_WORTH_SOLVING = 0.05
# A variable this much wider than the one with the greatest effect is split first, here and in `march`. (Measured: within 1 %.)
NEGLECTED = 100.0
# Where the objective's range asks for it, a box is divided until it is this much smaller than the tolerance. (Measured: alike.)
_FINEST = 1e-4
# No box is wanted narrower than this share of where it is, four to eight units in the last place: soon it could not be halved.
_ROUNDINGS = 2.0**-50


@native
def verdict(s: SearchMemory, p: ProblemRow, lane: int) -> int:
    """Decide the fate of the contracted box of a lane."""
    if s.alive[lane] < 0.5 or too_late(s, p, s.hold[lane]):
        return GONE
    progress = 1.0
    note_idle(s, p, lane)
    for j in range(p.searched):
        old = s.before[lane].width(j)
        if old > 0.0:
            progress = min(progress, s.hold[lane].width(j) / old)
    if (within_tolerance(s, p, lane, 1.0) or shrunk_to_a_point(s, p, lane)) and (within_tolerance(s, p, lane, _FINEST) or fine(s, p, lane)):
        # A box that has just shrunk may be seen to hold no zero.
        return SMALLEST if progress >= _PROGRESS else AGAIN
    if s.sampling != 0 and worth_solving(s, p, lane):
        return LATE
    return AGAIN if progress < _PROGRESS else SPLIT


@native
def tolerance(s: SearchMemory, p: ProblemRow, box: Box, j: int) -> float:
    """The width of variable j that counts as small where the box is: the tolerance, of a domain that is narrower than 1 that share."""
    rounding = _ROUNDINGS * max(abs(box.lo(j)), abs(box.hi(j)))
    return max(s.tolerance * min(1.0, p.domain.width(j)), rounding)


@native
def within_tolerance(s: SearchMemory, p: ProblemRow, lane: int, share: float) -> bool:
    """Whether the lane's box is no wider than a share of the tolerance."""
    for j in range(p.searched):
        if j != s.idle[lane] and s.hold[lane].width(j) > share * tolerance(s, p, s.hold[lane], j):
            return False
    return True


@native
def measure_space(s: SearchMemory, p: ProblemRow) -> None:
    """The size of the smaller body of problem p when the domain begins, but no more than 1, into `space`."""
    p.space = 1.0
    if not spatial(s, p):
        return
    load_all(s, p, p.domain)
    objective = p.objective
    for lane in range(LANES):
        s.X.put(objective, lane, p.domain.lo(objective), p.domain.lo(objective))
    call_kernel(p.image, s.X, p.parameters, s.image)
    for body in range(2):
        size = 0.0
        for c in range(3 * body, 3 * body + 3):
            size = max(size, s.image.width(c, 0))
        if size > 0.0:
            p.space = min(p.space, size)


@native
def note_idle(s: SearchMemory, p: ProblemRow, lane: int) -> None:
    """Note a variable that is in necessary conditions alone and of whose conditions nothing is known, as the angle between gradients at a
    kink. Variables that move the point in space do not count.
    """
    s.idle[lane] = -1
    if s.newton == 0 or p.equations == p.rows or spatial(s, p):
        return
    for j in range(p.searched):
        idle = j != p.objective
        for i in range(p.rows):
            size = s.M.magnitude(p.variables * i + j, lane)
            idle = idle and (size == 0.0 if i < p.equations else size == np.inf)
        if idle:
            s.idle[lane] = j


@native
def stretch(s: SearchMemory, p: ProblemRow, lane: int) -> None:
    """Store in `moved` how far each variable alone moves the point in space of either body; the objective, at least by its own width. X and
    `image` are overwritten.
    """
    n = p.variables
    for k in range(LANES):
        for j in range(n):
            lo, hi = s.hold[lane].lo(j), s.hold[lane].hi(j)
            middle = min(max(0.5 * (lo + hi), lo), hi)
            s.X.put(j, k, lo if j == k else middle, hi if j == k else middle)
    call_kernel(p.image, s.X, p.parameters, s.image)
    for k in range(n):
        s.moved[k] = s.hold[lane].width(k) if k == p.objective else 0.0
        for c in range(6):
            s.moved[k] = max(s.moved[k], s.image.width(c, k))


@native
def spatial(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether every variable moves the point in space. The angle between two implicit surfaces does not."""
    return p.image != 0 and p.objective >= 0 and p.angle < 0


@native
def shrunk_to_a_point(s: SearchMemory, p: ProblemRow, lane: int) -> bool:
    """Whether the box is as small as the tolerance. Variables that barely move the point, as at the tip of a cone, do not count."""
    narrow = False
    for j in range(p.searched):
        narrow = narrow or (p.domain.width(j) > 0.0 and s.hold[lane].width(j) <= tolerance(s, p, s.hold[lane], j))
    if not narrow or not spatial(s, p):
        return False
    stretch(s, p, lane)
    for j in range(p.searched):
        if s.hold[lane].width(j) > tolerance(s, p, s.hold[lane], j) and s.moved[j] > s.tolerance * p.space:
            return False
    return True


@native
def fine(s: SearchMemory, p: ProblemRow, lane: int) -> bool:
    """Whether the range of the objective in the box is no wider than `gap` asks for."""
    objective = p.objective
    if objective < 0 or s.gap <= 0.0:
        return True
    return s.hold[lane].width(objective) <= gap_at(s, s.hold[lane].lo(objective))


@native
def gap_at(s: SearchMemory, value: float) -> float:
    """The width to which a search with a `gap` resolves an objective of about this value."""
    return max(s.gap, s.share * abs(value))


@native
def worth_solving(s: SearchMemory, p: ProblemRow, lane: int) -> bool:
    """Whether nothing is gained by waiting: every zero in the box counts as a solution, or the box is small."""
    objective = p.objective
    if objective >= 0 and p.closed == 0:
        best = min(s.proved, s.tentative)
        return s.hold[lane].lo(objective) >= best - s.simultaneity
    return largest_share(s, p, lane) < _WORTH_SOLVING


@native
def largest_share(s: SearchMemory, p: ProblemRow, lane: int) -> float:
    """The width of the lane's box against its domain."""
    largest = 0.0
    for j in range(p.searched):
        largest = max(largest, share(s, p, s.hold[lane], j))
    return largest


@native
def divisible(s: SearchMemory, box: Box, j: int) -> bool:
    lo, hi = box.lo(j), box.hi(j)
    return lo < 0.5 * (lo + hi) < hi


@native
def widest_share(s: SearchMemory, p: ProblemRow, lane: int) -> int:
    """The variable that is widest against its domain, -1 if none is to be halved."""
    best, chosen = -1.0, -1
    for j in range(p.searched):
        if j != s.idle[lane] and divisible(s, s.hold[lane], j) and share(s, p, s.hold[lane], j) > best:
            best, chosen = share(s, p, s.hold[lane], j), j
    return chosen


@native
def widest(s: SearchMemory, p: ProblemRow, lane: int) -> int:
    """The variable that is widest against its domain, or moves the point furthest where that one moves it too little; -1 if none that moves
    it can be halved.
    """
    chosen = widest_share(s, p, lane)
    if chosen < 0 or not spatial(s, p):
        return chosen
    stretch(s, p, lane)
    least = s.tolerance * p.space
    if s.moved[chosen] > least:
        return chosen
    best, chosen = least, -1
    for j in range(p.searched):
        if divisible(s, s.hold[lane], j) and s.moved[j] > best:
            best, chosen = s.moved[j], j
    return chosen


@native
def steepest(s: SearchMemory, p: ProblemRow, lane: int) -> int:
    """The variable of greatest scaled width s_j w_j, s_j the sum over the rows of |df_i/dx_j| (Snyder 1993, Section 3.2).

    Where slopes say nothing, or a variable was neglected for too long, the one that is widest against its domain.
    """
    fallback = widest_share(s, p, lane)
    if s.newton == 0 or fallback < 0:
        return fallback
    best, chosen = 0.0, -1
    for j in range(p.searched):
        effect = 0.0
        for i in range(p.rows):
            size = s.M.magnitude(p.variables * i + j, lane)
            effect += size if size < np.inf else 0.0
        effect *= s.hold[lane].width(j)
        if effect > best and divisible(s, s.hold[lane], j):
            best, chosen = effect, j
    if chosen < 0 or share(s, p, s.hold[lane], chosen) * NEGLECTED < share(s, p, s.hold[lane], fallback):
        neglected = widest(s, p, lane)
        return neglected if neglected >= 0 or chosen < 0 else chosen
    return chosen


@native
def split(s: SearchMemory, p: ProblemRow, lane: int, j: int) -> None:
    """Queue the halves of the lane's box along variable j; a box that cannot be halved, or is full of zeros, is kept as located."""
    if j < 0 or s.filled[lane] == 1:
        record(s, p, LOCATED, s.hold[lane], s.hold[lane])
        return
    lo, middle, hi = s.hold[lane].lo(j), s.hold[lane].middle(j), s.hold[lane].hi(j)
    for half in range(2):
        copy_box(s, p, s.hold[lane], s.wide)
        s.wide.put(j, lo if half == 0 else middle, middle if half == 0 else hi)
        i = push(s, p, s.wide)
        s.horizon[i] = s.until[lane]
        s.solved_at[i] = s.tried_at[lane]
