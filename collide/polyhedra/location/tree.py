"""The tree of an index, in native code: its nodes, their planes, and the side on which a point is.

A node splits a space, a plane or a line by a plane: that of a triangle (FACE), one at right angles to an axis (CELL), within a plane that
of an edge which is parallel to an axis k (LINE), or one through a vertex at right angles to an axis (POINT). Its children are what is
above, on and below. The value of a point x is n . (x - a), of which n is rounded, and a is a vertex. It is off by no more than `error`
times the size of x - a, and exact where the plane is at right angles to an axis; what rounding leaves open is decided in integers.
"""

from codegen.machine.loops import native
from codegen.machine.structures import Floats, Grid, Ints, Structure, array

FACE, CELL, LINE, POINT = 0, 1, 2, 3
# What a leaf is; entities are below: see `leaf`.
NOTHING, OUT, IN, UNKNOWN = -1, -2, -3, -4
VERTEX, EDGE, SIDE = 0, 1, 2
ABOVE, ON, BELOW = 0, 1, 2
UNDECIDED = 2
_ROUNDED, _TINY = 2.0**-51, 2.0**-990


class TreeMemory(Structure):
    nodes: int
    tolerance: float
    v: float                                    # the value last asked for,
    bound: float                                # and how far it may be off
    normal: Grid[float] = array("node_room", 3)
    anchor: Grid[float] = array("node_room", 3)
    error: Floats = array("node_room")
    length: Floats = array("node_room")         # of the normal
    size: Floats = array("node_room")           # and the sum of its components
    axis: Ints = array("node_room")             # to which the plane is at right angles, or -1
    what: Grid[int] = array("node_room", 3)     # kind, and a triangle, an edge of the mesh or a vertex; k of LINE
    child: Grid[int] = array("node_room", 3)


@native
def leaf(kind: int, number: int) -> int:
    return -8 - 4 * number - kind


@native
def evaluate(s: TreeMemory, n: int, x: float, y: float, z: float, r: float) -> None:
    """The value of all points no further than r from (x, y, z) in any coordinate."""
    k = s.axis[n]
    if k >= 0:
        d = (x if k == 0 else y if k == 1 else z) - s.anchor[n, k]
        s.v = d * s.normal[n, k]
        s.bound = (r + abs(d) * _ROUNDED) * 1.001 if r > 0.0 or s.tolerance > 0.0 else 0.0
    else:
        a, b, c = x - s.anchor[n, 0], y - s.anchor[n, 1], z - s.anchor[n, 2]
        s.v = s.normal[n, 0] * a + s.normal[n, 1] * b + s.normal[n, 2] * c
        s.bound = s.error[n] * (abs(a) + abs(b) + abs(c) + 3.0 * r) + s.size[n] * r + _TINY
    return


@native
def side(s: TreeMemory, n: int, x: float, y: float, z: float, r: float) -> int:
    """1 above, 0 on, -1 below, or UNDECIDED; within the tolerance is on."""
    evaluate(s, n, x, y, z, r)
    within = s.tolerance * s.length[n]
    if s.v - s.bound > within:
        return 1
    if s.v + s.bound < -within:
        return -1
    if abs(s.v) + s.bound <= within:
        return 0
    return UNDECIDED
