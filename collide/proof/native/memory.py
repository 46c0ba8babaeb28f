"""The memory of the prover. Entries of jets are numbered: values, then derivatives, then second ones, row by row."""

from codegen.machine.loops import native
from codegen.machine.structures import LANES, Boxes, Floats, Grid, Ints, Structure, array

BALL = 2 * LANES
"""Numbers of a ball in a register: middles of all lanes, then radii."""
DEPTHS = 128
"""Depths that are told apart."""
OVER, AT, NEW, FACE = 0, 1, 2, 3
"""Places of jets: over boxes, at points, at other points, over faces of boxes."""
SINGLE, NATURAL, MEAN, CONVEX, DIVIDED, INSIDE, OPEN = range(7)
"""Verdicts on a box."""
ROUNDED = 1.0 + 1e-6
"""Radii are taken so much larger, for roundings of Arb."""


class ProverMemory(Structure):
    unset = ("room",)
    quick = False

    n: int                             # variables
    m: int                             # rows,
    equations: int                     # of which so many are equations
    scaled: int                        # are rows of different sizes?
    nearest: int                       # are points looked for at which rows hold most nearly?
    objective: int                     # boxes come first by the beginning of this variable; -1: by their numbers
    entries: int
    base: int                          # address of the first register
    used: int                          # boxes of the tree
    root: int                          # of the heap of boxes that are not divided or excluded
    room: int
    listed: int                        # boxes in which nothing need be excluded
    registers: int
    steps: int
    ball: Grid[float] = array("registers", BALL)
    code: Grid[int] = array("steps", 4)        # operation, result, and two operands
    begin: Ints = array(5)                     # of the tape of numbers, of those of values and of both derivatives, and the end
    call: Ints = array(32)                     # addresses of operations
    where: Grid[int] = array(2, "entries")     # registers of the entries, -1 for those that are 0
    jet: Grid[float] = array(4, "entries", BALL)
    lo: Grid[float] = array("n", LANES)        # eight boxes, and faces of these
    hi: Grid[float] = array("n", LANES)
    face_lo: Grid[float] = array("n", LANES)
    face_hi: Grid[float] = array("n", LANES)
    point: Grid[float] = array("n", LANES)
    trial: Grid[float] = array("n", LANES)
    step: Grid[float] = array("n", LANES)
    weight: Grid[float] = array("m", LANES)
    first: Grid[float] = array("m", LANES)     # weights of the nearest points of linearized rows
    scale: Grid[float] = array("m", LANES)
    rest: Grid[float] = array("m", LANES)      # what linearized rows leave, and 1 / squares of slopes
    inverse: Grid[float] = array("n", LANES)
    soon: Floats = array(LANES)                # before this time a row alone may exclude it
    tried: Ints = array(LANES)                 # are second derivatives looked at?
    asked: Ints = array(DEPTHS)                # how often they might be at each depth, how often they were, and how often that did
    tries: Ints = array(DEPTHS)
    wins: Ints = array(DEPTHS)
    reach: Floats = array(LANES)               # before this time the mean value with these excludes a box
    square: Floats = array(LANES)              # the weight of the squares of equations
    bend: Floats = array(LANES)
    best: Floats = array(LANES)
    length: Floats = array(LANES)
    node: Ints = array(LANES)                  # which boxes these are, and what is said of them
    verdict: Ints = array(LANES)
    slope: Floats = array("n")
    spread: Floats = array("n")
    H: Grid[float] = array("n", "n")           # a symmetric matrix, its radii, and what elimination makes of both
    R: Grid[float] = array("n", "n")
    L: Grid[float] = array("n", "n")
    M: Grid[float] = array("n", "n")
    inner: Boxes = array("lists", "n", 2)      # the boxes that are listed
    key: Floats = array("room")
    child: Ints = array("room")
    sibling: Ints = array("room")
    box: Boxes = array("room", "n", 2)
    kind: Ints = array("room")
    part: Ints = array("room")                 # its lower half; the upper one comes next. Or which listed box it lies in
    by: Ints = array("room")                   # the variable by which it is divided, and where
    depth: Ints = array("room")
    cut: Floats = array("room")
    near: Grid[float] = array("room", "n")     # a point where rows are least, nearly
    weights: Grid[float] = array("room", "m")  # of the step that excludes it
    more: Grid[float] = array("room", 2)       # square and bend


@native
def slope_of(s: ProverMemory, r: int, i: int) -> int:
    """The entry of a derivative."""
    return s.m + r * s.n + i


@native
def second_of(s: ProverMemory, r: int, i: int, j: int) -> int:
    return s.m + s.m * s.n + (r * s.n + i) * s.n + j
