"""The search for the first contact of linear primitives: windows of time, eight at once, the earliest first.

A query starts with eight windows of its time span. Of those the kernel does not exclude the earliest is taken: if the
kernel proves a contact in it and it is short enough, it is the answer, because everything before is excluded; else it is cut
in eight. A query that gets too fine is left undecided, one that takes too many calls is given up.

Points on straight trajectories take their windows as they are; rigid motions are first turned into a table of controls (see
`motion_windows`), which for the first eight windows, the same for all queries, is kept.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native
from codegen.machine.structures import LANES as LANES
from codegen.machine.structures import Floats, Grid, Intervals, LaneArray, Structure, array

from ...bodies.mesh import LARGEST as LARGEST

# Windows to search, and numbers of an answer.
ROOM, ANSWER = 256, 6


class LinearMemory(Structure):
    """The arrays that have the size `queries` are the caller's, one after the other `ANSWER` numbers a query, or what was given."""

    kernel: int                    # addresses: of the kernel,
    first: int                     # of the first query
    query: int                     # and the present one,
    bytes: int                     # which has so many;
    motion: int                    # of the kernel of the motions, 0 for straight trajectories,
    control: int                   # of what makes controls of them (see `motion_windows`),
    numbers: int                   # and of its parameters
    most_calls: int                # of the kernel
    calls: int
    left: int                      # queries that are neither hit nor missed
    symbols: int                   # how many numbers of its own the motions have in every query
    again: int                     # 1 where the queries that were given up go on from where they were
    tolerance: float
    shortest: float                # windows below are near the resolution of doubles
    beginning: float
    end: float
    clock: Intervals = array("clocks", 2, LANES)  # windows of time, their beginnings and ends, and numbers of the query
    a: Floats = array(LANES)                      # beginnings of windows
    b: Floats = array(LANES)                      # and ends
    raw: LaneArray = array("raws", LANES)             # what the kernel of the motions writes
    controls: LaneArray = array("entries", LANES)
    first_controls: LaneArray = array("entries", LANES)  # in the first windows
    out: LaneArray = array(3, LANES)
    window: Grid[float] = array(ROOM, 2)          # a stack of windows to search, the earliest on top,
    status: Floats = array(ROOM)                  # what is known of each,
    place: Grid[float] = array(ROOM, 2)           # and parameters
    answer: Floats = array(4)                     # bracket and parameters of the contact of one query
    time: Grid[float] = array("queries", ANSWER)
    parameters: Grid[float] = array("queries", ANSWER)
    verdict: Grid[int] = array("queries", ANSWER)
    tests: Grid[int] = array("queries", ANSWER)
    values: Grid[float] = array("queries", "symbols")  # of the symbols of the motions
    given: Floats = array("queries")


MISS, HIT, UNDECIDED, GIVEN_UP, NOT_FINITE = 0, 1, 2, 3, 4
# Calls of the kernel after which Python may look for Ctrl-C: some hundredths of a second.
SLICE = 50_000


@native
def search(s: LinearMemory, first: int, last: int, most: int) -> int:
    """Search queries from `first` to `last` - 1, which come one after the other, until a slice is over; the next one, or `last`. There
    are at most so many calls of the kernel; where these do not suffice, a query is given up, or not begun.
    """
    if first == 0:
        s.left = 0
        if s.motion != 0 and s.symbols == 0:
            cut(s, s.beginning, s.end)
            call_kernel(s.motion, s.clock, s.numbers, s.raw)
            call_kernel(s.control, s.clock, s.raw, s.first_controls)
    calls = 0
    for q in range(first, last):
        if calls >= most:
            return q
        s.query = s.first + q * s.bytes
        if s.again == 0:
            calls += ask(s, q, s.beginning, 1, most - calls)
        elif s.verdict[q, 0] == GIVEN_UP:
            calls += ask(s, q, s.time[q, 0], 0, most - calls)
        if s.verdict[q, 0] > HIT:
            s.left += 1
        if calls >= SLICE:
            return q + 1
    return last


@native
def ask(s: LinearMemory, q: int, beginning: float, kept: int, most: int) -> int:
    """Search query q from `beginning`; the calls it took, which are at most so many."""
    for k in range(s.symbols):
        for lane in range(LANES):
            s.clock.put(3 + k, lane, s.values[q, k], s.values[q, k])
    s.calls = 0
    verdict = beyond(s, q)
    if verdict == MISS:
        verdict = first_contact(s, beginning, s.end, kept if s.symbols == 0 else 0, most)
    s.verdict[q, 0] = verdict
    s.tests[q, 0] = LANES * s.calls + (s.tests[q, 0] if s.again != 0 else 0)
    for k in range(2):
        s.time[q, k] = s.answer[k] if verdict != MISS else np.nan
        s.parameters[q, k] = s.answer[2 + k] if verdict != MISS else np.nan
    return s.calls


@native
def beyond(s: LinearMemory, q: int) -> int:
    """UNDECIDED where a coordinate is too large to be searched, NOT_FINITE where one is; else MISS, as nothing is known of contact."""
    verdict = MISS
    for k in range(q * s.bytes // 8, (q + 1) * s.bytes // 8):
        if not abs(s.given[k]) <= LARGEST:
            verdict = max(verdict, UNDECIDED if abs(s.given[k]) < np.inf else NOT_FINITE)
    return verdict


@native
def first_contact(s: LinearMemory, beginning: float, end: float, kept: int, most: int) -> int:
    """The present query from `beginning` to `end`: MISS; or with its bracket and parameters in `answer` HIT, UNDECIDED, if at the
    finest there is still neither, or GIVEN_UP, after `most` calls at the latest. `kept`: is this the span of the whole search?
    """
    s.calls = 1
    most = min(most, s.most_calls)
    top = expand(s, 0, beginning, end, kept)
    # Of the last window in which a contact is proved: its place on the stack. What is left of it is there and above.
    floor = ROOM
    while top > 0:
        top -= 1
        a, b = s.window[top, 0], s.window[top, 1]
        if s.status[top] == 2.0:
            floor = top
        last = s.window[floor, 1] if floor < top else b
        proved = floor <= top and last - a <= s.tolerance
        if proved or b - a < s.shortest or s.calls >= most:
            s.answer[0], s.answer[1] = a, last if proved else b
            for k in range(2):
                s.answer[2 + k] = min(max(s.place[top, k], 0.0), 1.0)
            if proved:
                return HIT
            if b - a < s.shortest:
                return UNDECIDED
            s.answer[1] = end
            return GIVEN_UP
        top = expand(s, top, a, b, 0)
        s.calls += 1
        if top <= floor < ROOM:
            # All of a window is excluded in which contact is proved: such ends no answer can have (`answers.consistency`).
            s.answer[0], s.answer[1] = last, a
            return HIT
    return MISS


@native
def cut(s: LinearMemory, a: float, b: float) -> None:
    """Eight windows with common ends that cover a window."""
    width = (b - a) / LANES
    for lane in range(LANES):
        s.a[lane] = min(a + width * lane, b)
        s.b[lane] = b if lane == LANES - 1 else min(a + width * (lane + 1), b)
        s.clock.put(0, lane, s.a[lane], s.b[lane])
        s.clock.put(1, lane, s.a[lane], s.a[lane])
        s.clock.put(2, lane, s.b[lane], s.b[lane])


@native
def expand(s: LinearMemory, top: int, a: float, b: float, kept: int) -> int:
    """Test the eight parts of a window, and stack those not excluded, the earliest on top; the new height."""
    cut(s, a, b)
    if s.motion == 0:
        call_kernel(s.kernel, s.query, s.a, s.b, s.out)
    elif kept == 1:
        call_kernel(s.kernel, s.query, s.first_controls, s.out)
    else:
        call_kernel(s.motion, s.clock, s.numbers, s.raw)
        call_kernel(s.control, s.clock, s.raw, s.controls)
        call_kernel(s.kernel, s.query, s.controls, s.out)
    for lane in range(LANES - 1, -1, -1):
        if s.out[0, lane] > 0.0:
            s.window[top, 0], s.window[top, 1], s.status[top] = s.a[lane], s.b[lane], s.out[0, lane]
            s.place[top, 0], s.place[top, 1] = s.out[1, lane], s.out[2, lane]
            top += 1
    return top
