"""The native loop of `sweeps`: projected Gauss-Seidel over contacts, each with a force along its normal and two directions across."""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Floats, Grid, Ints, Structure, array

# What of a contact is found: its normal force and its friction; a force along its `column`; its friction alone, which is `limit` at most.
STICKS, SLIPS, RUBS = 0, 1, 2


class SweepsMemory(Structure):
    """k contacts; `rates` (3 k,) change by `moves` (3 k, 3 k) times `force`. Sweeps end where no force changes by more than `same` times
    the largest one, or the largest of `limit`.
    """

    contacts: int
    rows: int
    sweeps: int
    same: float
    most: float                             # the largest change in a sweep
    kind: Ints = array("contacts")
    friction: Floats = array("contacts")
    limit: Floats = array("contacts")
    column: Grid[float] = array("contacts", 3)
    moves: Grid[float] = array("rows", "rows")
    rates: Floats = array("rows")
    force: Floats = array("rows")
    wanted: Floats = array(3)


@native
def sweep(s: SweepsMemory) -> int:
    """Sweep, so many times at most. Return whether nothing changes any more."""
    for _ in range(s.sweeps):
        s.most = 0.0
        size = 0.0
        for c in range(s.contacts):
            if s.kind[c] == SLIPS:
                slip(s, c)
            else:
                stick(s, c)
            put(s, c)
            size = max(size, s.limit[c])
        for i in range(s.rows):
            size = max(size, abs(s.force[i]))
        if s.most <= s.same * size:
            return 1
    return 0


@native
def put(s: SweepsMemory, c: int) -> None:
    for j in range(3):
        change = s.wanted[j] - s.force[3 * c + j]
        s.force[3 * c + j] = s.wanted[j]
        s.most = max(s.most, abs(change))
        for i in range(s.rows):
            s.rates[i] += s.moves[i, 3 * c + j] * change


@native
def slip(s: SweepsMemory, c: int) -> None:
    """Along a column."""
    first, moved = 3 * c, 0.0
    for j in range(3):
        moved += s.moves[first, first + j] * s.column[c, j]
    normal = max(0.0, s.force[first] - s.rates[first] / moved) if moved > 0.0 else s.force[first]
    for j in range(3):
        s.wanted[j] = normal * s.column[c, j]


@native
def stick(s: SweepsMemory, c: int) -> None:
    """Along the normal first, then friction within its disc."""
    first, limit = 3 * c, s.limit[c]
    for j in range(3):
        s.wanted[j] = s.force[first + j]
    if s.kind[c] == STICKS:
        if not s.moves[first, first] > 0.0:
            return
        s.wanted[0] = max(0.0, s.force[first] - s.rates[first] / s.moves[first, first])
        limit = s.friction[c] * s.wanted[0]
    if not limit > 0.0:
        s.wanted[1], s.wanted[2] = 0.0, 0.0
        return
    change = s.wanted[0] - s.force[first]
    a, b, d = s.moves[first + 1, first + 1], s.moves[first + 1, first + 2], s.moves[first + 2, first + 2]
    one = s.rates[first + 1] + s.moves[first + 1, first] * change - a * s.force[first + 1] - b * s.force[first + 2]
    two = s.rates[first + 2] + s.moves[first + 2, first] * change - b * s.force[first + 1] - d * s.force[first + 2]
    in_disc(s, a, b, d, one, two, limit)


@native
def in_disc(s: SweepsMemory, a: float, b: float, d: float, one: float, two: float, limit: float) -> None:
    """The p, |p| <= limit, with the least p [[a, b], [b, d]] p / 2 + (one, two) p, into `wanted`; the matrix is positive."""
    # Its eigenvectors are (x, y) and (-y, x).
    mean, half = 0.5 * (a + d), 0.5 * (a - d)
    wide = np.sqrt(half * half + b * b)
    x, y = half + wide, b
    if half < 0.0:
        x, y = b, wide - half
    size = length(x, y)
    if not size > 0.0:
        x, size = 1.0, 1.0
    x /= size
    y /= size
    large = mean + wide
    small = (a * d - b * b) / large
    u, v = x * one + y * two, x * two - y * one
    lo, hi = 0.0, 0.0
    if not length(u / large, v / small) <= limit:
        hi = length(u, v) / limit
        middle = 0.5 * hi
        while lo < middle and middle < hi:
            if length(u / (large + middle), v / (small + middle)) > limit:
                lo = middle
            else:
                hi = middle
            middle = 0.5 * (lo + hi)
    p, q = -u / (large + hi), -v / (small + hi)
    short = limit / length(p, q) if hi > 0.0 else 1.0
    s.wanted[1], s.wanted[2] = short * (x * p - y * q), short * (y * p + x * q)


@native
def length(a: float, b: float) -> float:
    return np.sqrt(a * a + b * b)
