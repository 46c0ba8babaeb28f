"""The search for the first contact of linear primitives: windows of time, eight at once, the earliest first.

A query starts with eight windows of its time span. Of those the kernel does not exclude the earliest is taken: if the
kernel proves a contact in it and it is short enough, it is the answer, because everything before is excluded; else it is cut
in eight. A query that gets too fine is left undecided, one that takes too many calls is given up.

Points on straight trajectories take their windows as they are; rigid motions are first turned into a table of controls (see
`motion_windows`), which for the first eight windows, the same for all queries, is kept.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

FIELDS = {
    "count": int,     # (COUNTS,): see below
    "real": float,    # (REALS,)
    "clock": float,   # (6 + 2 PARAMETERS, 8): windows of time, their beginnings and ends, and numbers of the query, as -lo and hi
    "a": float,       # (8,): beginnings of windows, within `clock`
    "b": float,       # (8,): ends
    "numbers": float,  # parameters of the motion kernel
    "raw": float,     # what it writes
    "table": float,   # controls of the motions
    "first": float,   # the same for the first windows
    "out": float,     # (3, 8)
    "stack": float,   # (ROOM, COLUMNS): windows to search, the earliest on top: both ends, status, parameters
    "answer": float,  # (4,): bracket and parameters of the contact of one query
    "time": float,    # (n, 2) of ANSWER numbers a query, as these too:
    "parameters": float,  # (n, 2)
    "verdict": int,   # (n,)
    "tests": int,     # (n,)
    "values": float,  # (n, PARAMETERS): of the symbols of the motions
    "given": float,   # (n, BYTES / 8): the queries
}  # fmt: skip

# Addresses of the kernels (MOTION is 0 for straight trajectories), of the first query and the present one, its bytes, and calls of the
# kernel; LEFT: how many queries are neither hit nor missed. PARAMETERS: how many numbers of its own the motions have in every query.
# AGAIN: 1 where the queries that were given up go on from where they were.
KERNEL, FIRST, QUERY, BYTES, MOTION, CONTROL, MOST_CALLS, CALLS, LEFT, PARAMETERS, AGAIN, COUNTS = range(12)
# Windows below SHORTEST are near the resolution of doubles.
TOLERANCE, SHORTEST, BEGINNING, END, REALS = 0, 1, 2, 3, 4
MISS, HIT, UNDECIDED, GIVEN_UP, NOT_FINITE = 0, 1, 2, 3, 4
LANES, ROOM, COLUMNS, ANSWER = 8, 256, 5, 6
# Coordinates up to this are searched: no product of four of them and of a direction of degree two to three overflows.
LARGEST = 2.0**100
# Calls of the kernel after which Python may look for Ctrl-C: some hundredths of a second.
SLICE = 50_000


@native
def search(s, first, last, most):
    """Search queries from `first` to `last` - 1, which come one after the other, until a slice is over; the next one, or `last`. There
    are at most so many calls of the kernel; where these do not suffice, a query is given up, or not begun.
    """
    if first == 0:
        s.count[LEFT] = 0
        if s.count[MOTION] != 0 and s.count[PARAMETERS] == 0:
            cut(s, s.real[BEGINNING], s.real[END])
            call_kernel(s.count[MOTION], s.clock, s.numbers, s.raw)
            call_kernel(s.count[CONTROL], s.clock, s.raw, s.first)
    calls = 0
    for q in range(first, last):
        if calls >= most:
            return q
        s.count[QUERY] = s.count[FIRST] + q * s.count[BYTES]
        if s.count[AGAIN] == 0:
            calls += ask(s, q, s.real[BEGINNING], 1, most - calls)
        elif s.verdict[ANSWER * q] == GIVEN_UP:
            calls += ask(s, q, s.time[ANSWER * q], 0, most - calls)
        if s.verdict[ANSWER * q] > HIT:
            s.count[LEFT] += 1
        if calls >= SLICE:
            return q + 1
    return last


@native
def ask(s, q, beginning, kept, most):
    """Search query q from `beginning`; the calls it took, which are at most so many."""
    for k in range(s.count[PARAMETERS]):
        x = s.values[s.count[PARAMETERS] * q + k]
        for lane in range(LANES):
            s.clock[(6 + 2 * k) * LANES + lane] = -x
            s.clock[(7 + 2 * k) * LANES + lane] = x
    s.count[CALLS] = 0
    verdict = beyond(s, q)
    if verdict == MISS:
        verdict = first_contact(s, beginning, s.real[END], kept if s.count[PARAMETERS] == 0 else 0, most)
    s.verdict[ANSWER * q] = verdict
    s.tests[ANSWER * q] = LANES * s.count[CALLS] + (s.tests[ANSWER * q] if s.count[AGAIN] != 0 else 0)
    for k in range(2):
        s.time[ANSWER * q + k] = s.answer[k] if verdict != MISS else np.nan
        s.parameters[ANSWER * q + k] = s.answer[2 + k] if verdict != MISS else np.nan
    return s.count[CALLS]


@native
def beyond(s, q):
    """UNDECIDED where a coordinate is too large to be searched, NOT_FINITE where one is; else MISS, as nothing is known of contact."""
    verdict = MISS
    for k in range(q * s.count[BYTES] // 8, (q + 1) * s.count[BYTES] // 8):
        if not abs(s.given[k]) <= LARGEST:
            verdict = max(verdict, UNDECIDED if abs(s.given[k]) < np.inf else NOT_FINITE)
    return verdict


@native
def first_contact(s, beginning, end, kept, most):
    """The present query from `beginning` to `end`: MISS; or with its bracket and parameters in `answer` HIT, UNDECIDED, if at the
    finest there is still neither, or GIVEN_UP, after `most` calls at the latest. `kept`: is this the span of the whole search?
    """
    s.count[CALLS] = 1
    most = min(most, s.count[MOST_CALLS])
    top = expand(s, 0, beginning, end, kept)
    # Of the last window in which a contact is proved: its place on the stack. What is left of it is there and above.
    floor = ROOM
    while top > 0:
        top -= 1
        a, b = s.stack[top * COLUMNS], s.stack[top * COLUMNS + 1]
        if s.stack[top * COLUMNS + 2] == 2.0:
            floor = top
        last = s.stack[floor * COLUMNS + 1] if floor < top else b
        proved = floor <= top and last - a <= s.real[TOLERANCE]
        if proved or b - a < s.real[SHORTEST] or s.count[CALLS] >= most:
            s.answer[0], s.answer[1] = a, last if proved else b
            for k in range(2):
                s.answer[2 + k] = min(max(s.stack[top * COLUMNS + 3 + k], 0.0), 1.0)
            if proved:
                return HIT
            if b - a < s.real[SHORTEST]:
                return UNDECIDED
            s.answer[1] = end
            return GIVEN_UP
        top = expand(s, top, a, b, 0)
        s.count[CALLS] += 1
        if top <= floor < ROOM:
            # All of a window is excluded in which contact is proved: such ends no answer can have (`answers.consistency`).
            s.answer[0], s.answer[1] = last, a
            return HIT
    return MISS


@native
def cut(s, a, b):
    """Eight windows with common ends that cover a window."""
    width = (b - a) / LANES
    for lane in range(LANES):
        s.a[lane] = min(a + width * lane, b)
        s.b[lane] = b if lane == LANES - 1 else min(a + width * (lane + 1), b)
        s.clock[lane], s.clock[2 * LANES + lane], s.clock[4 * LANES + lane] = -s.a[lane], -s.a[lane], -s.b[lane]
        s.clock[LANES + lane] = s.b[lane]


@native
def expand(s, top, a, b, kept):
    """Test the eight parts of a window, and stack those not excluded, the earliest on top; the new height."""
    cut(s, a, b)
    if s.count[MOTION] == 0:
        call_kernel(s.count[KERNEL], s.count[QUERY], s.a, s.b, s.out)
    elif kept == 1:
        call_kernel(s.count[KERNEL], s.count[QUERY], s.first, s.out)
    else:
        call_kernel(s.count[MOTION], s.clock, s.numbers, s.raw)
        call_kernel(s.count[CONTROL], s.clock, s.raw, s.table)
        call_kernel(s.count[KERNEL], s.count[QUERY], s.table, s.out)
    for lane in range(LANES - 1, -1, -1):
        if s.out[lane] > 0.0:
            s.stack[top * COLUMNS] = s.a[lane]
            s.stack[top * COLUMNS + 1] = s.b[lane]
            for k in range(3):
                s.stack[top * COLUMNS + 2 + k] = s.out[k * LANES + lane]
            top += 1
    return top
