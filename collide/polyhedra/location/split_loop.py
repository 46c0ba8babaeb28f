"""The tree of an index is made: regions are split until none of them has a piece of the boundary left in it (Vanecek 1990, 2.1 and 5).

A region is open and convex: a part of space, of a plane in it, or of a line in that. Its pieces are the parts of faces, edges and vertices
that lie in it: convex polygons, with two corners if they are parts of edges, and one if they are vertices. A box with many faces is cut in
two at right angles to its longest side, any other region by the plane of one of its pieces. The pieces in that plane go to the middle
child, where edges, and on a line vertices, split further; those that cross it are cut. A leaf of a plane is a face if there is a piece of
it left, and so is an edge; in space what is above a face is outside.
"""

from codegen.machine.loops import native

from .fragments import BuildMemory, signs, take
from .split_planes import choose
from .tree import ABOVE, BELOW, CELL, EDGE, IN, LINE, NOTHING, ON, OUT, POINT, SIDE, UNKNOWN, VERTEX, leaf

DONE, NEED_ROOM, DECIDE = 0, 1, 2


@native
def build(s: BuildMemory) -> int:
    while s.regions > 0:
        t = s.regions - 1
        if s.chosen == 0:
            if lacks_room(s, t):
                return NEED_ROOM
            if is_leaf(s, t):
                s.regions = t
                continue
            choose(s, t)
            s.chosen = 1
            signs(s, t)
            if s.asked > 0:
                return DECIDE
        s.chosen = 0
        split(s, t)
    return DONE


@native
def lacks_room(s: BuildMemory, t: int) -> bool:
    count = s.region[t, 4] - s.region[t, 3]
    own = 0
    for q in range(s.region[t, 3], s.region[t, 4]):
        own += s.piece[q, 1]
    return (s.corners + 2 * own + 4 * count > s.corner_room or s.pieces + 2 * count > s.piece_room or s.nodes + 2 > s.node_room
            or t + 3 > s.region_room)


@native
def is_leaf(s: BuildMemory, t: int) -> bool:
    """A plane with no edge or vertex, or a line with no vertex: it is labelled by what is there."""
    dimension, found = s.region[t, 2], NOTHING
    if dimension == 3:
        return False
    for q in range(s.region[t, 3], s.region[t, 4]):
        if s.piece[q, 1] <= dimension:
            return False
    for q in range(s.region[t, 3], s.region[t, 4]):
        if dimension == 2:
            own = leaf(SIDE, s.face[s.piece[q, 2]])
            if found != NOTHING and own != found:
                s.crossed, s.other = 1 + s.piece[q, 2], (-8 - found) // 4
            found = own
        elif s.piece[q, 1] == 2:
            own = leaf(EDGE, s.edge[s.piece[q, 2]])
            found = own if found == NOTHING else max(found, own)
    s.child[s.region[t, 0], s.region[t, 1]] = found
    return True


@native
def split(s: BuildMemory, t: int) -> None:
    """The region on top by the last node, whose signs are known."""
    n, dimension, first, last, axis = s.nodes - 1, s.region[t, 2], s.region[t, 3], s.region[t, 4], s.region[t, 5]
    kind, k = s.what[n, 0], s.what[n, 2]
    if kind == LINE:
        # Along the line it is one of the two others that changes.
        i, j = (k + 1) % 3, (k + 2) % 3
        k = i if abs(s.normal[n, j]) > abs(s.normal[n, i]) else j
    elif kind == POINT:
        k = (axis + 2) % 3
    s.regions = t
    for way in range(3):
        child = ABOVE if way == 0 else BELOW if way == 1 else ON
        begin = s.pieces
        for q in range(first, last):
            take(s, n, q, child)
        if s.pieces == begin:
            label_empty(s, n, child, dimension)
        elif child != ON:
            push(s, n, child, dimension, begin, axis)
        elif dimension == 1:
            s.child[n, ON] = leaf(VERTEX, s.piece[begin, 2])
        else:
            push(s, n, child, dimension - 1, begin, k)
    return


@native
def push(s: BuildMemory, n: int, child: int, dimension: int, begin: int, axis: int) -> None:
    """A region to be split later: of a box, a half of it."""
    t, is_half = s.regions, s.what[n, 0] == CELL and child != ON
    s.region[t, 0], s.region[t, 1], s.region[t, 2], s.region[t, 3], s.region[t, 4] = n, child, dimension, begin, s.pieces
    s.region[t, 5], s.region[t, 6] = axis, 1 if is_half else 0
    if is_half:
        for j in range(6):
            s.box[t, j] = s.wall[n, j]
        s.box[t, s.axis[n] + (0 if child == ABOVE else 3)] = s.anchor[n, s.axis[n]]
    s.regions = t + 1


@native
def label_empty(s: BuildMemory, n: int, child: int, dimension: int) -> None:
    s.child[n, child] = NOTHING
    if dimension == 3 and child != ON:
        if s.what[n, 0] == CELL:
            s.child[n, child] = UNKNOWN
            s.empty[s.empties, 0], s.empty[s.empties, 1] = n, child
            s.empties += 1
        else:
            s.child[n, child] = OUT if child == ABOVE else IN
    return
