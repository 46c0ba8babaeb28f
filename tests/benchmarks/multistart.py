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
from codegen.machine.memory import Memory
from codegen.machine.structures import LANES, Box, Floats, Grid, Ints, LaneArray, Structure, array

N, TIME = 5, 4


class StartsMemory(Structure):
    kernel: int
    starts: int
    begun: int                                # of them
    evaluations: int
    most: int                                 # of a start
    arrived: int
    earliest: float
    box: Box = array(N, 2)
    start: Grid[float] = array("starts", N)
    number: LaneArray = array("numbers", LANES)
    point: LaneArray = array(N, LANES)
    value: LaneArray = array(3 + 3 * N, LANES)    # S1 - S2 and its derivatives
    kept: Grid[float] = array(LANES, N)       # the last contact of each lane,
    slope: Grid[float] = array(LANES, N)      # where it goes from there,
    pace: Floats = array(LANES)               # and the length of its step, in units of the slope
    trial: Ints = array(LANES)                # evaluations since then,
    spent: Ints = array(LANES)                # and since the start
    stage: Ints = array(LANES)                # below
    held: Ints = array(N)                     # is this variable kept at the end of its range?
    move: Floats = array(N)
    square: Grid[float] = array(3, 3)
    right: Floats = array(3)
    solution: Floats = array(3)
    best: Floats = array(N)                   # the earliest contact


IDLE, RESTORING, SLIDING = range(3)
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
    memory = Memory(StartsMemory, {"starts": len(starts), "numbers": len(numbers)})
    memory["start"][:], memory["number"][:], memory["box"][:] = starts, np.asarray(numbers, float)[:, None], box
    for name, value in (("kernel", formula.block_address("points")), ("most", longest), ("earliest", np.inf)):
        memory.set(name, value)
    compiled(search)(memory.address)
    return Earliest(memory.number("earliest"), memory["best"].copy(), memory.number("arrived"), memory.number("evaluations"))


@native
def search(s: StartsMemory) -> int:
    """All starts."""
    working = True
    while working:
        working = False
        for lane in range(LANES):
            if s.stage[lane] == IDLE and s.begun < s.starts:
                begin(s, lane)
            if s.stage[lane] != IDLE:
                working = True
                s.evaluations += 1
        call_kernel(s.kernel, s.point, s.number, s.value)
        for lane in range(LANES):
            if s.stage[lane] != IDLE:
                follow(s, lane)
    return 0


@native
def begin(s: StartsMemory, lane: int) -> None:
    """The next start."""
    for j in range(N):
        s.point[j, lane] = s.start[s.begun, j]
    s.begun += 1
    s.stage[lane], s.trial[lane], s.spent[lane] = RESTORING, 0, 0


@native
def follow(s: StartsMemory, lane: int) -> None:
    """One evaluation further: a contact is kept where it is earlier than the last one, and the next point chosen."""
    size = 0.0
    for i in range(3):
        size = max(size, abs(s.value[i, lane]))
    s.trial[lane] += 1
    s.spent[lane] += 1
    if size < CONTACT:
        if s.stage[lane] == RESTORING:
            s.arrived += 1
            keep(s, lane, FIRST)
        elif s.point[TIME, lane] < s.kept[lane, TIME]:
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
            s.right[i] = s.value[i, lane]
        project(s, lane, 0.0)
        for j in range(N):
            s.point[j, lane] = inside(s, j, s.point[j, lane] + s.move[j])


@native
def keep(s: StartsMemory, lane: int, pace: float) -> None:
    """This contact, and the way from it to earlier ones: minus the part of the axis of time that keeps S1 = S2 to first order."""
    for j in range(N):
        s.kept[lane, j] = s.point[j, lane]
    if s.kept[lane, TIME] < s.earliest:
        s.earliest = s.kept[lane, TIME]
        for j in range(N):
            s.best[j] = s.kept[lane, j]
    for i in range(3):
        s.right[i] = -s.value[3 + N * i + TIME, lane]
    project(s, lane, -1.0)
    for j in range(N):
        s.slope[lane, j] = s.move[j]
    s.stage[lane], s.pace[lane] = SLIDING, pace
    stride(s, lane)


@native
def shorten(s: StartsMemory, lane: int) -> None:
    """The step has led to nothing earlier."""
    s.pace[lane] *= 0.25
    stride(s, lane)


@native
def stride(s: StartsMemory, lane: int) -> None:
    """Take the step; at its end where it is too short to matter."""
    length = 0.0
    for j in range(N):
        length = max(length, abs(s.slope[lane, j]))
    if not s.pace[lane] * length > LAST or s.spent[lane] >= s.most:
        s.stage[lane] = IDLE
        return
    s.pace[lane] = min(s.pace[lane], 0.5 / length)
    s.trial[lane] = 0
    for j in range(N):
        s.point[j, lane] = inside(s, j, s.kept[lane, j] + s.pace[lane] * s.slope[lane, j])


@native
def inside(s: StartsMemory, j: int, x: float) -> float:
    """The nearest value within the range of variable j."""
    return min(max(x, s.box.lo(j)), s.box.hi(j))


@native
def project(s: StartsMemory, lane: int, along: float) -> None:
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
                s.move[j] -= s.value[3 + N * i + j, lane] * s.solution[i]
            if s.held[j] == 1:
                s.move[j] = 0.0
            x = s.point[j, lane]
            if (x <= s.box.lo(j) and s.move[j] < 0.0) or (x >= s.box.hi(j) and s.move[j] > 0.0):
                s.held[j] = 1
                again = True
        if not again:
            return
    for j in range(N):
        s.move[j] = 0.0


@native
def solve(s: StartsMemory, lane: int) -> None:
    """(J J^T) y = `right` for the columns of J that are not held; y is the `solution`."""
    trace = 0.0
    for i in range(3):
        for k in range(3):
            total = 0.0
            for j in range(N):
                if s.held[j] == 0:
                    total += s.value[3 + N * i + j, lane] * s.value[3 + N * k + j, lane]
            s.square[i, k] = total
        trace += s.square[i, i]
    for i in range(3):
        s.square[i, i] += DAMPING * trace + 1e-300
    a, b, c, d, e, f = s.square[0, 0], s.square[0, 1], s.square[0, 2], s.square[1, 1], s.square[1, 2], s.square[2, 2]
    p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
    determinant = a * p + b * q + c * r
    x, y, z = s.right[0], s.right[1], s.right[2]
    s.solution[0] = (p * x + q * y + r * z) / determinant
    s.solution[1] = (q * x + (a * f - c * c) * y + (b * c - a * e) * z) / determinant
    s.solution[2] = (r * x + (b * c - a * e) * y + (a * d - b * b) * z) / determinant
