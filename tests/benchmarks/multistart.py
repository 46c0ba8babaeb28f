"""The earliest contact that a local method finds from many random starts: a referee that shares no idea with the search.

From each start a method of Gauss and Newton restores S1 = S2 by steps of least norm, in ordinary arithmetic and within the box;
from there the point slides along the solutions towards earlier times by steepest descent, each step restored again, until no step
leads on. It proves nothing: what it finds is a contact to within rounding, and what it does not find may still be there.

Eight starts at a time go through the compiled formula, and a lane that is done takes the next one.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import codegen
from codegen.machine.loop_runtime import compiled
from codegen.machine.loops import call_kernel, native

FIELDS = {
    "count": int,     # (COUNTS,): see below
    "real": float,    # (REALS,)
    "box": float,     # (5, 2)
    "start": float,   # (starts, 5)
    "number": float,  # (numbers, 8)
    "point": float,   # (5, 8)
    "value": float,   # (18, 8): S1 - S2 and its derivatives
    "kept": float,    # (8, 5): the last contact of each lane
    "slope": float,   # (8, 5): where it goes from there
    "pace": float,    # (8,): the length of its step, in units of the slope
    "trial": int,     # (8,): evaluations since then
    "spent": int,     # (8,): evaluations since the start
    "stage": int,     # (8,): below
    "held": int,      # (5,): is this variable kept at the end of its range?
    "move": float,    # (5,)
    "square": float,  # (3, 3)
    "right": float,   # (3,)
    "best": float,    # (5,): the earliest contact
}  # fmt: skip
KERNEL, STARTS, NEXT, EVALUATIONS, MOST, ARRIVED, COUNTS = range(7)
BEST, REALS = range(2)
IDLE, RESTORING, SLIDING = range(3)
LANES, N, TIME = 8, 5, 4
# Evaluations after which a start, and a step of a slide, has not reached a contact; |S1 - S2| of a contact; how much a step adds
# to the diagonal of J J^T at least, and in proportion to the largest entry; first and last length of a step of a slide.
ATTEMPTS, CORRECTIONS, CONTACT, DAMPING, FIRST, LAST = 20, 6, 1e-11, 1e-13, 0.1, 1e-7

# Evaluations for a start, and for the best one in the end.
LONGEST, BEST_ONE = 200, 20_000


class Earliest(NamedTuple):
    """The earliest contact found, inf for none; where (u1, v1, u2, v2, t); how many starts reached one; evaluations."""

    time: float
    point: np.ndarray
    arrived: int
    evaluations: int


def kernel(difference: Sequence[Any], variables: Sequence[Any], numbers: Sequence[Any]) -> codegen.Kernel:
    """S1 - S2 (three formulas) of u1, v1, u2, v2, t, and its derivatives."""
    value = codegen.compile(difference, variables, numbers)
    return codegen.Kernel([*value.outputs, *value.jacobian().outputs], value.variables, value.parameters)


def earliest(formula: codegen.Kernel, numbers: np.ndarray, box: np.ndarray, starts: int, rng: np.random.Generator) -> Earliest:
    """From `starts` points drawn uniformly from the box (5, 2); the best then goes on for as long as it gets anywhere."""
    first = slides(formula, numbers, box, box[:, 0] + rng.random((starts, N)) * (box[:, 1] - box[:, 0]), LONGEST)
    if not first.arrived:
        return first
    last = slides(formula, numbers, box, first.point[None], BEST_ONE)
    return last._replace(arrived=first.arrived, evaluations=first.evaluations + last.evaluations)


def slides(formula: codegen.Kernel, numbers: np.ndarray, box: np.ndarray, starts: np.ndarray, longest: int) -> Earliest:
    """From these points (n, 5), with so many evaluations each."""
    arrays = {"start": starts, "box": np.ascontiguousarray(box, float), "number": np.repeat(np.asarray(numbers, float)[:, None], LANES, 1)}
    sizes = {"count": COUNTS, "real": REALS, "point": N * LANES, "value": 18 * LANES, "kept": LANES * N, "slope": LANES * N, "pace": LANES,
             "trial": LANES, "spent": LANES, "stage": LANES, "held": N, "move": N, "square": 9, "right": 3, "best": N}
    arrays |= {name: np.zeros(size, FIELDS[name]) for name, size in sizes.items()}
    arrays["count"][[KERNEL, STARTS, MOST]] = formula.block_address("points"), len(starts), longest
    arrays["real"][BEST] = np.inf
    addresses = np.array([arrays[name].ctypes.data for name in FIELDS])
    compiled(search, 0, tuple(FIELDS.items()))(addresses.ctypes.data)
    count = arrays["count"]
    return Earliest(float(arrays["real"][BEST]), arrays["best"], int(count[ARRIVED]), int(count[EVALUATIONS]))


@native
def search(s):
    """All starts."""
    working = True
    while working:
        working = False
        for lane in range(LANES):
            if s.stage[lane] == IDLE and s.count[NEXT] < s.count[STARTS]:
                begin(s, lane)
            if s.stage[lane] != IDLE:
                working = True
                s.count[EVALUATIONS] += 1
        call_kernel(s.count[KERNEL], s.point, s.number, s.value)
        for lane in range(LANES):
            if s.stage[lane] != IDLE:
                follow(s, lane)
    return 0


@native
def begin(s, lane):
    """The next start."""
    for j in range(N):
        s.point[j * LANES + lane] = s.start[s.count[NEXT] * N + j]
    s.count[NEXT] += 1
    s.stage[lane], s.trial[lane], s.spent[lane] = RESTORING, 0, 0


@native
def follow(s, lane):
    """One evaluation further: a contact is kept where it is earlier than the last one, and the next point chosen."""
    size = 0.0
    for i in range(3):
        size = max(size, abs(s.value[i * LANES + lane]))
    s.trial[lane] += 1
    s.spent[lane] += 1
    if size < CONTACT:
        if s.stage[lane] == RESTORING:
            s.count[ARRIVED] += 1
            keep(s, lane, FIRST)
        elif s.point[TIME * LANES + lane] < s.kept[lane * N + TIME]:
            keep(s, lane, 2.0 * s.pace[lane])
        else:
            shorten(s, lane)
    elif s.trial[lane] >= (ATTEMPTS if s.stage[lane] == RESTORING else CORRECTIONS) or not size < 1e300:
        if s.stage[lane] == RESTORING:
            s.stage[lane] = IDLE
        else:
            shorten(s, lane)
    else:
        for i in range(3):
            s.right[i] = s.value[i * LANES + lane]
        project(s, lane, 0.0)
        for j in range(N):
            s.point[j * LANES + lane] = inside(s, j, s.point[j * LANES + lane] + s.move[j])


@native
def keep(s, lane, pace):
    """This contact, and the way from it to earlier ones: minus the part of the axis of time that keeps S1 = S2 to first order."""
    for j in range(N):
        s.kept[lane * N + j] = s.point[j * LANES + lane]
    if s.kept[lane * N + TIME] < s.real[BEST]:
        s.real[BEST] = s.kept[lane * N + TIME]
        for j in range(N):
            s.best[j] = s.kept[lane * N + j]
    for i in range(3):
        s.right[i] = -s.value[(3 + N * i + TIME) * LANES + lane]
    project(s, lane, -1.0)
    for j in range(N):
        s.slope[lane * N + j] = s.move[j]
    s.stage[lane], s.pace[lane] = SLIDING, pace
    stride(s, lane)


@native
def shorten(s, lane):
    """The step has led to nothing earlier."""
    s.pace[lane] *= 0.25
    stride(s, lane)


@native
def stride(s, lane):
    """Take the step; at its end where it is too short to matter."""
    length = 0.0
    for j in range(N):
        length = max(length, abs(s.slope[lane * N + j]))
    if not s.pace[lane] * length > LAST or s.spent[lane] >= s.count[MOST]:
        s.stage[lane] = IDLE
        return
    s.pace[lane] = min(s.pace[lane], 0.5 / length)
    s.trial[lane] = 0
    for j in range(N):
        s.point[j * LANES + lane] = inside(s, j, s.kept[lane * N + j] + s.pace[lane] * s.slope[lane * N + j])


@native
def inside(s, j, x):
    """The nearest value within the range of variable j."""
    return min(max(x, s.box[2 * j]), s.box[2 * j + 1])


@native
def project(s, lane, along):
    """`move` = along e - J^T (J J^T)^-1 r for the axis of time e and r = `right` where all variables are free: the step of least norm
    with J move = along J e - r. Variables at an end of their range that it would leave are held, until none would.

    For held ones e and the columns of J count as 0, so r has to be that of the free ones: where time is held there is no way along it.
    """
    for j in range(N):
        s.held[j] = 0
    for _ in range(N):
        if s.held[TIME] == 1 and along != 0.0:
            break
        solve(s, lane)
        again = False
        for j in range(N):
            s.move[j] = along if j == TIME else 0.0
            for i in range(3):
                s.move[j] -= s.value[(3 + N * i + j) * LANES + lane] * s.square[i]
            if s.held[j] == 1:
                s.move[j] = 0.0
            x = s.point[j * LANES + lane]
            if (x <= s.box[2 * j] and s.move[j] < 0.0) or (x >= s.box[2 * j + 1] and s.move[j] > 0.0):
                s.held[j] = 1
                again = True
        if not again:
            return
    for j in range(N):
        s.move[j] = 0.0


@native
def solve(s, lane):
    """(J J^T) y = `right` for the columns of J that are not held; y into the first three of `square`."""
    trace = 0.0
    for i in range(3):
        for k in range(3):
            total = 0.0
            for j in range(N):
                if s.held[j] == 0:
                    total += s.value[(3 + N * i + j) * LANES + lane] * s.value[(3 + N * k + j) * LANES + lane]
            s.square[3 * i + k] = total
        trace += s.square[4 * i]
    for i in range(3):
        s.square[4 * i] += DAMPING * trace + 1e-300
    a, b, c, d, e, f = s.square[0], s.square[1], s.square[2], s.square[4], s.square[5], s.square[8]
    p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
    determinant = a * p + b * q + c * r
    x, y, z = s.right[0], s.right[1], s.right[2]
    s.square[0] = (p * x + q * y + r * z) / determinant
    s.square[1] = (q * x + (a * f - c * c) * y + (b * c - a * e) * z) / determinant
    s.square[2] = (r * x + (b * c - a * e) * y + (a * d - b * b) * z) / determinant
