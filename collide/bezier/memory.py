"""The memory of the search for Bezier pairs. A block of lanes holds one vector of 8 doubles a quantity, as the kernels take them."""

from codegen.machine.structures import LANES as LANES
from codegen.machine.structures import Box, Floats, Grid, Intervals, Ints, LaneArray, Row, Structure, Table, array, native, table


class PatchPair(Row):
    """A pair of patches, and what is found of it."""

    verdict: int
    tests: int
    proved: int                                    # is a contact before the end of `time` proved?
    q: Grid[float] = array(2, 2, "points", 3)      # patch, (control points, velocities), point, xyz
    weights: Grid[float] = array(2, "points")      # not read for polynomial patches
    time: Floats = array(2)
    parameters: Floats = array(4)                  # u1, v1, u2, v2


class Subpatch(Row):
    """A subpatch: see `kernel`."""

    child: int                                     # the first of two halves, which are neighbours; -1 before they are made
    depth: int
    radius: float                                  # see `kernel.radius`
    rectangle: Box = array(2, 2)                   # u, v
    vectors: LaneArray = array("record", LANES)        # control points and measures


class Candidate(Row):
    """A subpatch of each patch, and a window of time: a box of the search."""

    first: Subpatch
    second: Subpatch
    begin: float
    end: float

    @native
    def lo(self, j: int) -> float:
        """The lower end of one of the four parameters."""
        return self.first.rectangle.lo(j) if j < 2 else self.second.rectangle.lo(j - 2)

    @native
    def hi(self, j: int) -> float:
        return self.first.rectangle.hi(j) if j < 2 else self.second.rectangle.hi(j - 2)

    @native
    def widest(self) -> float:
        """The largest width of a parameter."""
        width = 0.0
        for j in range(4):
            width = max(width, self.hi(j) - self.lo(j))
        return width


class PairsMemory(Structure):
    """The memory of a search, in which the data of the pairs are the caller's."""

    unset = ("node_room", "box_room")

    pair: Table[PatchPair] = table("pairs")
    node: Table[Subpatch] = table("node_room")
    box: Table[Candidate] = table("box_room")
    present: PatchPair
    measure: int                                   # kernels
    split_u: int
    split_v: int
    test: int
    test_halves: int
    test_both: int
    evaluate: int
    enclose: int
    krawczyk: int
    neighbourhood: int
    certificate: int
    points: int                                    # of a patch
    record: int                                    # and of a node, with its measures
    rational: int
    degree: int                                    # the larger one
    node_room: int
    box_room: int
    nodes: int
    used: int                                      # boxes that were ever used,
    unused: int                                    # of them in `free`,
    open: int                                      # and in `heap`
    most: int                                      # tests of a pair at most
    tests: int
    tolerance: float
    scale: float                                   # the size of the patches,
    ratio: float                                   # and of their weights
    error: float                                   # see `proof.widen`; mostly 0
    proved: float                                  # the upper bound of the time,
    cut: float                                     # the beginning of the earliest window that is dropped for being too late,
    certified: float                               # and a lower bound of the time of the contacts in `region`
    heap: Ints = array("box_room")                 # a binary heap of boxes by their keys
    key: Floats = array("box_room")
    free: Ints = array("box_room")                 # a stack of boxes that are unused again
    # blocks for the kernels, and numbers
    T: Floats = array(4)                           # see `kernel.test`
    windows: Grid[float] = array(2, 4)             # of up to four pairs of nodes: beginnings, and minus the ends
    C: LaneArray = array(5, LANES)                     # points,
    X: Intervals = array(5, 2, LANES)              # boxes,
    f: Intervals = array(3, 2, LANES)              # S1 - S2 at the points,
    J: Intervals = array(3, 5, 2, LANES)           # and its derivatives over the boxes
    c: LaneArray = array(3, LANES)                     # the same for the three unknowns of a proof
    Y: Intervals = array(3, 2, LANES)
    A: Intervals = array(3, 3, 2, LANES)
    K: Intervals = array(3, 2, LANES)
    flag: Floats = array(LANES)
    # the local solve
    x: Floats = array(5)                           # u1, v1, u2, v2, t
    held: Ints = array(5)                          # -1 held at its lower bound, 1 at its upper one, 0 free
    uv: Floats = array(2)                          # where `evaluate` is asked,
    E: LaneArray = array(6, LANES)                     # and what it writes
    S: Grid[float] = array(2, 6, 3)                # each patch's S, S_u, S_v, S_uu, S_uv, S_vv at a time
    R: Grid[float] = array(2, 3, 3)                # its velocity, and the derivatives u and v of that
    F: Floats = array(3)                           # S1 - S2
    G: Grid[float] = array(3, 5)                   # its derivatives
    multiplier: Floats = array(3)
    normal: Floats = array(LANES)                  # first that of the best contact so far
    H: Grid[float] = array(5, 5)                   # the second derivative of multiplier . F
    W: Grid[float] = array(3, 9)                   # see `newton_step.constrained`
    Z: Grid[float] = array(2, 5)                   # directions along which F stays
    d: Floats = array(5)                           # the step
    columns: Ints = array(3)                       # the unknowns of a proof
    best: Floats = array(5)                        # the proved contact
    # its certificate, see `certificate`
    M: Intervals = array(5, 5, 2, LANES)           # H there
    slopes: Grid[float] = array(3, 5, 2)           # G there,
    offset: Grid[float] = array(3, 2)              # f there,
    inverse: Grid[float] = array(3, 3)             # Y there,
    dual: Floats = array(3)                        # and m there
    order: Ints = array(5)
    side: Floats = array(2)
    bound: Floats = array(LANES)
    region: Box = array(5, 2)                      # begins after 1 in time where there is none


# Verdicts: as `batch.statuses`, and too little memory.
MISS, CONTACT, UNRESOLVED, SPENT, NO_ROOM = 0, 1, 2, 3, 4
