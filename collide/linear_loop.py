"""The search for the first contact of linear primitives: windows of time, eight at once, the earliest first.

A query starts with eight windows of [0, 1]. Of those the kernel does not exclude the earliest is taken: if the kernel
proves a contact in it and it is short enough, it is the answer, because everything before is excluded; else it is cut
in eight. All ends are multiples of 2**-48, exact in doubles. A query that takes too long or gets too fine is left undecided.
"""

from codegen.loops import call_kernel, native

FIELDS = {
    "count": int,     # KERNEL, QUERIES: addresses of the kernel and of the queries
    "real": float,    # TOLERANCE
    "a": float,       # (8,) window ends
    "b": float,       # (8,)
    "out": float,     # (3, 8)
    "stack": float,   # (ROOM, COLUMNS): windows to search, the earliest on top: both ends, status, parameters
    "time": float,    # (n, 2)
    "parameters": float,  # (n, 2)
    "verdict": int,   # (n,)
    "tests": int,     # (n,)
}  # fmt: skip

KERNEL, QUERIES = 0, 1
MISS, HIT, UNDECIDED = 0, 1, 2
LANES, ROOM, COLUMNS = 8, 256, 5
# Windows of 2**-45 are near the resolution of doubles; 20 calls are twice what a contact at 1e-9 takes.
_SHORTEST, _CALLS = 2.0**-45, 20
_BYTES = 24 * 8


@native
def search(s, queries):
    """Search all queries; the number of those left undecided."""
    undecided = 0
    for q in range(queries):
        s.verdict[q] = decide(s, q)
        if s.verdict[q] == UNDECIDED:
            undecided += 1
    return undecided


@native
def decide(s, q):
    """One query: MISS, HIT with its bracket, or UNDECIDED."""
    top = expand(s, q, 0, 0.0, 1.0)
    calls = 1
    while top > 0:
        top -= 1
        a, b = s.stack[top * COLUMNS], s.stack[top * COLUMNS + 1]
        if s.stack[top * COLUMNS + 2] == 2.0 and b - a <= s.real[0]:
            s.time[2 * q], s.time[2 * q + 1] = a, b
            for k in range(2):
                s.parameters[2 * q + k] = min(max(s.stack[top * COLUMNS + 3 + k], 0.0), 1.0)
            s.tests[q] = LANES * calls
            return HIT
        if calls >= _CALLS or b - a < _SHORTEST:
            s.tests[q] = LANES * calls
            return UNDECIDED
        top = expand(s, q, top, a, b)
        calls += 1
    s.tests[q] = LANES * calls
    return MISS


@native
def expand(s, q, top, a, b):
    """Test the eight parts of a window, and stack those not excluded, the earliest on top; the new height."""
    width = (b - a) / LANES
    for lane in range(LANES):
        s.a[lane] = a + width * lane
        s.b[lane] = a + width * (lane + 1)
    call_kernel(s.count[KERNEL], s.count[QUERIES] + q * _BYTES, s.a, s.b, s.out)
    for lane in range(LANES - 1, -1, -1):
        if s.out[lane] > 0.0:
            s.stack[top * COLUMNS] = s.a[lane]
            s.stack[top * COLUMNS + 1] = s.b[lane]
            for k in range(3):
                s.stack[top * COLUMNS + 2 + k] = s.out[k * LANES + lane]
            top += 1
    return top
