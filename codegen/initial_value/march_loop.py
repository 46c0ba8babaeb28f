"""The native loop from step to step (see `march`): bounds are those of kernels, which round outwards; all other arithmetic is in plain
doubles and decides what is tried. What must be exact of it says why.
"""


from ..machine.loops import call_kernel, native
from ..machine.structures import LANES
from .march_columns import along_columns
from .march_memory import MarchMemory, give, is_finite
from .march_states import advanced

ROOM_LEFT, ARRIVED, NO_STEP = 0, 1, 2
"""Reasons for which the loop came back: all cells are filled, the end is reached, or no step is proved."""

# The remainder may be such a part of what is open of the states; a step is at most so much longer than the one before, and no longer than
# this: a longer one would magnify denormal numbers.
_OPEN, _LONGER, LONGEST = 2.0**-8, 1.5, 2.0**20
# States that are so wide, in proportion, take steps so short that widths stay about linear: over boxes high coefficients are overestimated.
_WIDE, _BENT = 2.0**-20, 0.02
# So often a step is halved, and for each length so many boxes are tried.
_HALVINGS, _BOXES = 24, 3
# A step that is shorter than this part of the whole way, or of the time so far, ends the march.
_SHORTEST = 2.0**-44
_TINY, _NOTHING, _FINE, _RELATIVE = 2.0**-1000, 2.0**-900, 2.0**-48, 2.0**-52


@native
def march(s: MarchMemory) -> int:
    while s.count < s.room:
        if not abs(s.at) < abs(s.end):
            return ARRIVED
        if not step(s):
            return NO_STEP
    return ROOM_LEFT


@native
def step(s: MarchMemory) -> bool:
    """A step, where one is proved."""
    if not begin(s):
        return False
    shortest, length, backward = min(_SHORTEST * max(abs(s.way), abs(s.at)), 0.5 * LONGEST), longest_good(s), s.end < 0.0
    for _ in range(_HALVINGS):
        s.after = s.at - length if backward else s.at + length
        if length < shortest or abs(s.after - s.at) < 0.5 * length:
            return False
        if proved(s) and small_rest(s, length):
            return advanced(s)
        length *= 0.5
    return False


@native
def begin(s: MarchMemory) -> bool:
    """The coefficients at the time `at`: of m, over the box of all states, and along the columns; their sizes and widths."""
    for i in range(s.n):
        if not is_finite(s.box[i, 0], s.box[i, 1]):
            return False
    first = 0
    while first <= s.columns:
        if not along_columns(s, first):
            return False
        first += LANES
    for k in range(s.terms):
        s.size[k], s.width[k] = 0.0, 0.0
        for i in range(s.n):
            put(s, k * s.n + i, s.x[k, i, 0], s.x[k, i, 1])
            s.size[k] = max(s.size[k], max(abs(s.x[k, i, 0]), abs(s.x[k, i, 1])))
            s.width[k] = max(s.width[k], s.x[k, i, 1] - s.x[k, i, 0])
    if not s.width[0] > _WIDE * s.size[0]:
        for k in range(s.terms):
            s.width[k] = 0.0
    return True


@native
def put(s: MarchMemory, k: int, lo: float, hi: float) -> None:
    """Argument k of the polynomial over the box."""
    for lane in range(LANES):
        s.over_box.put(k, lane, lo, hi)


@native
def taken(s: MarchMemory) -> bool:
    """The coefficients that were found, as `over`; False where they are not proved, or not finite."""
    for k in range(1, s.terms):
        for i in range(s.n):
            j = (k - 1) * s.n + i
            lo, hi = s.judged.lo(j, 0), s.judged.hi(j, 0)
            if not (is_finite(lo, hi) and s.judged.level(j, 0) == 3.0):
                return False
            s.over[k, i, 0], s.over[k, i, 1] = lo, hi
    return True


@native
def longest_good(s: MarchMemory) -> float:
    """About the longest step in which the last terms stay small, and the widths of all but the first, of three bits: sums of such steps are
    exact.
    """
    most, length = min(s.way, min(_LONGER * s.last, LONGEST)), 1.0
    while length <= most:
        length *= 2.0
    while 0.5 * length > most:
        length *= 0.5
    while length > _SHORTEST * most and (length > most or not is_good(s, length)):
        length *= 0.5
    part = 1.75
    while part > 1.0 and not (length * part <= most and is_good(s, length * part)):
        part -= 0.25
    return length * part


@native
def is_good(s: MarchMemory, h: float) -> bool:
    power, largest, last, wide, bent = 1.0, 0.0, 0.0, 0.0, 0.0
    for k in range(s.terms):
        term = s.size[k] * power
        largest = max(largest, term)
        if k >= s.terms - 3:
            last = max(last, term)
        if k < 2:
            wide += s.width[k] * power
        else:
            bent += s.width[k] * power
        power *= h
    return last <= s.least_term * largest and bent <= _BENT * wide


@native
def small_rest(s: MarchMemory, h: float) -> bool:
    """Whether the remainder is about as small as rounding in the states of the step, or as what is open of them."""
    rest, states, open_ = 0.0, 0.0, 0.0
    for i in range(s.n):
        rest = max(rest, max(abs(s.over[s.terms - 1, i, 0]), abs(s.over[s.terms - 1, i, 1])))
        states = max(states, max(abs(s.inside[i, 0]), abs(s.inside[i, 1])))
        open_ = max(open_, s.off[i, 1] - s.off[i, 0])
    for _ in range(s.terms - 1):
        rest *= h
    return rest <= max(s.least_rest * states, _OPEN * open_) or rest < _NOTHING


@native
def difference(s: MarchMemory) -> None:
    """The step from `at` to `after`, enclosed. The error of a difference is a double, and this is it (Knuth): where it is 0, and it is with
    short steps, the difference is exact. Else it is below 2^-53 |h|, so h -+ 2^-52 |h|, rounded, lie beyond.
    """
    h = s.after - s.at
    back = h - s.after
    error = (s.after - (h - back)) - (s.at + back)
    wide = 0.0 if error == 0.0 else _RELATIVE * abs(h)
    s.h_lo, s.h_hi = h - wide, h + wide


@native
def proved(s: MarchMemory) -> bool:
    """A box that all solutions stay in for the whole step, `inside`, and coefficients `over` it."""
    difference(s)
    last, begin, end = s.terms - 1, min(s.at, s.after), max(s.at, s.after)
    for i in range(s.n):
        size = max(abs(s.x[last, i, 0]), abs(s.x[last, i, 1]))
        s.over[last, i, 0], s.over[last, i, 1] = 2.0 * s.x[last, i, 0] - size, 2.0 * s.x[last, i, 1] + size
    if not spread(s):
        return False
    for _ in range(_BOXES):
        k = give(s, 0, begin, end)
        for i in range(s.n):
            lo, hi = s.inside[i, 0], s.inside[i, 1]
            margin = s.margin * (hi - lo) + _FINE * max(abs(lo), abs(hi)) + _TINY
            s.trial[i, 0], s.trial[i, 1] = lo - margin, hi + margin
            if not is_finite(s.trial[i, 0], s.trial[i, 1]):
                return False
            k = give(s, k, s.trial[i, 0], s.trial[i, 1])
        call_kernel(s.coefficients, s.given, s.none, s.judged)
        if not (taken(s) and spread(s)):
            return False
        held = True
        for i in range(s.n):
            held = held and s.trial[i, 0] < s.inside[i, 0] and s.inside[i, 1] < s.trial[i, 1]
        if held:
            return True
    return False


@native
def spread(s: MarchMemory) -> bool:
    """The range `inside` of Taylor's polynomial, with the last of `over` for its remainder, for the numbers from 0 to the step, in as many
    parts as there are lanes; these share their ends, so they leave nothing out. False where it is not finite.
    """
    last, k = s.terms - 1, s.terms * s.n
    for i in range(s.n):
        put(s, last * s.n + i, s.over[last, i, 0], s.over[last, i, 1])
    most, lo, share = max(0.0, s.h_hi), min(0.0, s.h_lo), 0.0
    length = most - lo
    for lane in range(LANES):
        share += 1.0 / LANES
        hi = most if lane == LANES - 1 else most - (1.0 - share) * length
        s.over_box.put(k, lane, lo, hi)
        lo = hi
    call_kernel(s.polynomial, s.over_box, s.none, s.found)
    for i in range(s.n):
        s.inside[i, 0], s.inside[i, 1] = s.found.lo(i, 0), s.found.hi(i, 0)
        for lane in range(LANES):
            lo, hi = s.found.lo(i, lane), s.found.hi(i, lane)
            if not is_finite(lo, hi):
                return False
            s.inside[i, 0], s.inside[i, 1] = min(s.inside[i, 0], lo), max(s.inside[i, 1], hi)
    return True
