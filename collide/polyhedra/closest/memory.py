"""The memory of the walk to the closest points (`voronoi_walk`), and its vectors, with bounds of their errors.

Errors. `radius` of a vector bounds that of each of its components, `norm` is the sum of their sizes. With u = 2**-53, `unit` = 4 u: a
product of two vectors, dot or a component of cross, is off by at most |x| r(y) + |y| r(x) + 3 r(x) r(y) of what came in, and 3 u |x| |y| of
rounding; `tiny` covers what underflows, and `slack` the rounding of the bound itself. Numbers of poses are off by `spin` and `shift`.
"""

from codegen.machine.loops import native
from codegen.machine.structures import Floats, Grid, Ints, Structure, array

PROVED, DOUBT, MEET, ON, BAD = 0, 1, 2, 3, 4
# Rows of vectors.
X, E, F, M, N, Y, Z, ROWS = 0, 1, 2, 3, 4, 5, 6, 7


class WalkMemory(Structure):
    vertex: Grid[float] = array("vertices", 3)    # of both bodies, in their frames
    start: Ints = array("slots")                  # half-edges of both: see `Convex`
    after: Ints = array("slots")
    twin: Ints = array("slots")
    begin: Ints = array(3)                        # of a body's half-edges
    width: Floats = array(2)                      # no vertex of a body has a larger sum of sizes
    pose: Grid[float] = array(2, 12)              # rotation by rows, and translation
    spin: Floats = array(2)
    shift: Floats = array(2)
    unit: float
    tiny: float
    slack: float
    # Features: that of a body, of this dimension, is the start, the whole, or the triangle of a half-edge.
    dim: Ints = array(2)
    slot: Ints = array(2)
    number: Ints = array(6)                       # their corners: numbers of vertices, places in the world, weights of the closest points
    place: Grid[float] = array(6, 3)
    weight: Floats = array(6)
    members: Ints = array(8)                      # of a set of corners, as bits: how many, and which; where to begin so that they are first
    member: Grid[int] = array(8, 3)
    turn: Ints = array(8)
    v: Grid[float] = array(ROWS, 3)
    radius: Floats = array(ROWS)
    norm: Floats = array(ROWS)
    far: float                                    # error of a difference of places of both bodies
    sure: int                                     # are the closest points inside the features, provably?
    inner: int                                    # 1 + the body whose triangle is looked at from within, or 0
    doubt: int
    flat: int                                     # do all neighbours of a feature lie in one plane with it?
    better: int                                   # the body whose feature grows, by what, and how good that is
    grown: int
    gain: float
    square: float                                 # of the distance
    low: float                                    # bounds of the distance
    high: float
    steps: int
    point: Grid[float] = array(2, 3)              # the closest ones
    lowest: Grid[float] = array(24, 8)            # numbers of both poses in eight windows of time, one after the other
    highest: Grid[float] = array(24, 8)
    # Poses (4, 4) of both bodies, one step a row, and what was found: bounds of the distance, and features.
    given: Grid[float] = array("rows", 32)
    bound: Grid[float] = array("rows", 2)
    feature: Grid[int] = array("rows", 4)
    row: int


@native
def dot(s: WalkMemory, i: int, j: int) -> float:
    return s.v[i, 0] * s.v[j, 0] + s.v[i, 1] * s.v[j, 1] + s.v[i, 2] * s.v[j, 2]


@native
def error(s: WalkMemory, i: int, j: int) -> float:
    """A bound of the error of the dot product, and of each component of the cross product."""
    known = s.norm[i] * s.radius[j] + s.norm[j] * s.radius[i] + 3 * s.radius[i] * s.radius[j] + s.unit * s.norm[i] * s.norm[j]
    return s.slack * known + s.tiny


@native
def measure(s: WalkMemory, row: int, radius: float) -> None:
    s.norm[row] = abs(s.v[row, 0]) + abs(s.v[row, 1]) + abs(s.v[row, 2])
    s.radius[row] = s.slack * radius + s.tiny


@native
def cross(s: WalkMemory, row: int, i: int, j: int) -> None:
    for k in range(3):
        a, b = (k + 1) % 3, (k + 2) % 3
        s.v[row, k] = s.v[i, a] * s.v[j, b] - s.v[i, b] * s.v[j, a]
    measure(s, row, error(s, i, j))


@native
def edge(s: WalkMemory, row: int, side: int, i: int, j: int) -> None:
    """From corner i to corner j, of one body. Entries of rotations are at most 1.01."""
    a, b = s.number[i], s.number[j]
    x, y, z = s.vertex[b, 0] - s.vertex[a, 0], s.vertex[b, 1] - s.vertex[a, 1], s.vertex[b, 2] - s.vertex[a, 2]
    for k in range(3):
        s.v[row, k] = s.pose[side, 3 * k] * x + s.pose[side, 3 * k + 1] * y + s.pose[side, 3 * k + 2] * z
    measure(s, row, (2 * s.unit + s.spin[side]) * (abs(x) + abs(y) + abs(z)))


@native
def difference(s: WalkMemory, i: int, j: int) -> None:
    """Row X: from corner i to corner j, of different bodies."""
    for k in range(3):
        s.v[X, k] = s.place[j, k] - s.place[i, k]
    measure(s, X, s.far)


@native
def put(s: WalkMemory, side: int, k: int, slot: int) -> None:
    """Corner k of a body is where a half-edge starts."""
    i = s.start[slot]
    s.number[3 * side + k] = i
    for c in range(3):
        s.place[3 * side + k, c] = (s.pose[side, 3 * c] * s.vertex[i, 0] + s.pose[side, 3 * c + 1] * s.vertex[i, 1]
                                    + s.pose[side, 3 * c + 2] * s.vertex[i, 2] + s.pose[side, 9 + c])


@native
def put_all(s: WalkMemory) -> None:
    for side in range(2):
        slot = s.slot[side]
        for k in range(s.dim[side] + 1):
            put(s, side, k, slot)
            slot = s.after[slot]


@native
def put_points(s: WalkMemory) -> None:
    """The closest points by their weights, in doubles."""
    for side in range(2):
        for c in range(3):
            s.point[side, c] = 0
            for k in range(3 * side, 3 * side + s.dim[side] + 1):
                s.point[side, c] += s.weight[k] * s.place[k, c]
