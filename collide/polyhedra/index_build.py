"""The tree of an index is made: regions are split until none of them has a piece of the boundary left in it (Vanecek 1990, 2.1 and 5).

A region is open and convex: a part of space, of a plane in it, or of a line in that. Its pieces are the parts of faces, edges and vertices
that lie in it: convex polygons, with two corners if they are parts of edges, and one if they are vertices. A box with many faces is cut in
two at right angles to its longest side, any other region by the plane of one of its pieces. The pieces in that plane go to the middle
child, where edges, and on a line vertices, split further; those that cross it are cut. A leaf of a plane is a face if there is a piece of
it left, and so is an edge; in space what is above a face is outside.

The signs at corners are known where they belong to the triangle or the edge that gives the plane, or proved by rounding; else they are
asked for, and decided in integers. So every plane cuts the region that it splits, which `index_walk` builds on.
"""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Grid, Ints, array

from .index_tree import (
    ABOVE,
    BELOW,
    CELL,
    EDGE,
    FACE,
    IN,
    LINE,
    NOTHING,
    ON,
    OUT,
    POINT,
    SIDE,
    UNDECIDED,
    UNKNOWN,
    VERTEX,
    TreeMemory,
    evaluate,
    leaf,
    side,
)

DONE, NEED_ROOM, DECIDE = 0, 1, 2
# A box with more pieces of faces is cut if none of its halves has nearly all of them; so many pieces are tried, and the best one splits; a
# box is cut between its faces, not quite in the middle, which may be a place of symmetry.
_FEW, _TRIED, _NEAR_HALF = 30, 6, 0.4921875
_ROUNDED = 2.0**-50


class BuildMemory(TreeMemory):
    # the mesh
    vertex: Grid[float] = array("vertices", 3)
    corner: Grid[int] = array("triangles", 3)
    face: Ints = array("triangles")             # of a triangle
    plane: Grid[float] = array("triangles", 5)  # normal, error, length
    flat: Grid[int] = array("triangles", 2)     # axis, steep: see `entities.Planes`
    end: Grid[int] = array("edges", 2)
    edge: Ints = array("edges")                 # the number of the merged one
    face_at: Ints = array("faces_at")
    first_at: Ints = array("begins")
    # corners of pieces
    corners: int
    x: Grid[float] = array("corner_room", 4)    # where, and how far that may be off
    of: Ints = array("corner_room")             # the vertex it is, or -1
    along: Ints = array("corner_room")          # what goes on to the next: an edge of the mesh, or -1 - n for the plane of node n
    sign: Ints = array("corner_room")
    # pieces: the first corner, how many, and a triangle, an edge of the mesh or a vertex
    pieces: int
    piece: Grid[int] = array("piece_room", 3)
    # regions to be split: node and place where it belongs, dimension, its pieces, k of a plane or line, is it a box
    regions: int
    region: Grid[int] = array("region_room", 7)
    box: Grid[float] = array("region_room", 6)
    # corners whose signs are asked for, and their pieces
    asked: int
    ask: Grid[int] = array("corner_room", 2)
    chosen: int                                 # the region on top has its node already
    # pieces of faces on planes, with their nodes; empty parts of boxes: node and child
    faces: int
    on_plane: Grid[int] = array("piece_room", 2)
    empties: int
    empty: Grid[int] = array("node_room", 2)
    wall: Grid[float] = array("node_room", 6)   # the box that a node cuts
    crossed: int                                # 1 + a triangle that lies on another, and that one
    other: int
    corner_room: int
    piece_room: int
    node_room: int
    region_room: int


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
def choose(s: BuildMemory, t: int) -> None:
    """The next node splits the region on top."""
    n = s.nodes
    s.child[s.region[t, 0], s.region[t, 1]] = n
    first, last, dimension = s.region[t, 3], s.region[t, 4], s.region[t, 2]
    if dimension == 3 and s.region[t, 6] == 1 and cut_box(s, t, n):
        s.nodes = n + 1
        return
    # In a plane the edges go first.
    corners = 3 if dimension == 3 else 1
    if dimension == 2:
        for q in range(first, last):
            corners = 2 if s.piece[q, 1] == 2 else corners
    fit = 0
    for q in range(first, last):
        fit += 1 if min(s.piece[q, 1], 3) == corners else 0
    step, seen, best, least = max(fit // _TRIED, 1), 0, -1, 0
    for q in range(first, last):
        if min(s.piece[q, 1], 3) == corners:
            if seen % step == 0:
                write(s, t, n, q)
                costs = 0 if fit == 1 else cost(s, n, first, last)
                if best < 0 or costs < least:
                    best, least = q, costs
            seen += 1
    write(s, t, n, best)
    s.nodes = n + 1
    return


@native
def cut_box(s: BuildMemory, t: int, n: int) -> bool:
    """Is there a way to cut a box with many faces that puts less of them on the larger side?"""
    best, least = -1, 0
    for k in range(3):
        faces = halves(s, t, n, k)
        if faces > 0 and (best < 0 or faces < least):
            best, least = k, faces
    if best < 0:
        return False
    halves(s, t, n, best)
    for j in range(6):
        s.wall[n, j] = s.box[t, j]
    return True


@native
def halves(s: BuildMemory, t: int, n: int, k: int) -> int:
    """The plane across a box; faces on both of its sides together, and how uneven they are; 0 if it is not worth while."""
    lo, hi = np.inf, -np.inf
    for q in range(s.region[t, 3], s.region[t, 4]):
        for c in range(s.piece[q, 0], s.piece[q, 0] + s.piece[q, 1]):
            lo, hi = min(lo, s.x[c, k]), max(hi, s.x[c, k])
    at = lo + (hi - lo) * _NEAR_HALF
    if not s.box[t, k] < at < s.box[t, 3 + k]:
        return 0
    axis_node(s, n, k, at, 1.0)
    s.what[n, 0], s.what[n, 1], s.what[n, 2] = CELL, 0, k
    above, below, faces = 0, 0, 0
    for q in range(s.region[t, 3], s.region[t, 4]):
        if s.piece[q, 1] >= 3:
            where = about(s, n, q)
            faces += 1
            above += 1 if 0 <= where <= 1 else 0
            below += 1 if where <= 0 else 0
    if faces <= _FEW or 20 * max(above, below) > 17 * faces:
        return 0
    return above + below + abs(above - below)


@native
def about(s: BuildMemory, n: int, q: int) -> int:
    """1 above, -1 below, 0 on both sides, 2 on the plane, but for rounding."""
    lowest, highest = np.inf, -np.inf
    for c in range(s.piece[q, 0], s.piece[q, 0] + s.piece[q, 1]):
        evaluate(s, n, s.x[c, 0], s.x[c, 1], s.x[c, 2], s.x[c, 3])
        v = 0.0 if abs(s.v) <= s.bound else s.v
        lowest, highest = min(lowest, v), max(highest, v)
    return 0 if lowest < 0.0 and highest > 0.0 else 1 if highest > 0.0 else -1 if lowest < 0.0 else 2


@native
def cost(s: BuildMemory, n: int, first: int, last: int) -> int:
    """Pieces that are cut count, and more of them on one side than on the other."""
    above, below, cut = 0, 0, 0
    for q in range(first, last):
        where = about(s, n, q)
        above += 1 if where == 1 else 0
        below += 1 if where == -1 else 0
        cut += 1 if where == 0 else 0
    return 3 * cut + abs(above - below)


@native
def axis_node(s: BuildMemory, n: int, k: int, at: float, way: float) -> None:
    for j in range(3):
        s.normal[n, j], s.anchor[n, j] = 0.0, 0.0
    s.normal[n, k], s.anchor[n, k], s.axis[n] = way, at, k
    s.error[n], s.length[n], s.size[n] = 0.0, 1.0, 1.0


@native
def write(s: BuildMemory, t: int, n: int, q: int) -> None:
    """The plane of piece q as node n."""
    number, corners, dimension, k = s.piece[q, 2], s.piece[q, 1], s.region[t, 2], s.region[t, 5]
    s.what[n, 1] = number
    if corners >= 3:
        write_face(s, n, number)
    elif corners == 2:
        write_line(s, n, number, k)
    else:
        j = k if dimension == 1 else (k + 1) % 3
        axis_node(s, n, j, s.vertex[number, j], 1.0)
        s.what[n, 0], s.what[n, 2] = POINT, j
    return


@native
def write_face(s: BuildMemory, n: int, triangle: int) -> None:
    k, a = s.flat[triangle, 0], s.corner[triangle, 0]
    s.what[n, 0], s.what[n, 2] = FACE, s.flat[triangle, 1]
    if k >= 0:
        axis_node(s, n, k, s.vertex[a, k], 1.0 if s.plane[triangle, k] > 0.0 else -1.0)
    else:
        s.axis[n], s.error[n], s.length[n], s.size[n] = -1, s.plane[triangle, 3], s.plane[triangle, 4], 0.0
        for j in range(3):
            s.normal[n, j], s.anchor[n, j] = s.plane[triangle, j], s.vertex[a, j]
            s.size[n] += abs(s.plane[triangle, j]) * 1.01


@native
def write_line(s: BuildMemory, n: int, edge: int, k: int) -> None:
    """The plane of an edge that is parallel to axis k."""
    i, j, a, b = (k + 1) % 3, (k + 2) % 3, s.end[edge, 0], s.end[edge, 1]
    x, y = s.vertex[a, j] - s.vertex[b, j], s.vertex[b, i] - s.vertex[a, i]
    s.what[n, 0], s.what[n, 2] = LINE, k
    if x == 0.0:
        axis_node(s, n, j, s.vertex[a, j], 1.0 if y > 0.0 else -1.0)
    elif y == 0.0:
        axis_node(s, n, i, s.vertex[a, i], 1.0 if x > 0.0 else -1.0)
    else:
        for c in range(3):
            s.anchor[n, c] = s.vertex[a, c]
        s.normal[n, i], s.normal[n, j], s.normal[n, k] = x, y, 0.0
        s.axis[n], s.length[n], s.size[n] = -1, np.sqrt(x * x + y * y), (abs(x) + abs(y)) * 1.01
        s.error[n] = max(abs(x), abs(y)) * _ROUNDED * 2.0


# -- signs ----------------------------------------------------------------------------------------------------------------


@native
def signs(s: BuildMemory, t: int) -> None:
    """Of all corners in the region, by the node that was made last."""
    n = s.nodes - 1
    s.asked = 0
    for q in range(s.region[t, 3], s.region[t, 4]):
        begin, count = s.piece[q, 0], s.piece[q, 1]
        for c in range(count):
            i = begin + c
            s.sign[i] = 0
            if not on_plane(s, n, q, i, begin + (c + count - 1) % count):
                s.sign[i] = side(s, n, s.x[i, 0], s.x[i, 1], s.x[i, 2], s.x[i, 3])
            if s.sign[i] == UNDECIDED:
                s.ask[s.asked, 0], s.ask[s.asked, 1] = i, q
                s.asked += 1


@native
def on_plane(s: BuildMemory, n: int, q: int, i: int, before: int) -> bool:
    """Is corner i in the plane because of what it is: a vertex of it, or a point of an edge in it?"""
    if s.of[i] >= 0:
        return belongs(s, n, s.of[i])
    if s.piece[q, 1] == 2:
        return holds(s, n, s.piece[q, 2])
    return (s.along[i] >= 0 and holds(s, n, s.along[i])) or (s.along[before] >= 0 and holds(s, n, s.along[before]))


@native
def holds(s: BuildMemory, n: int, edge: int) -> bool:
    if s.what[n, 0] == LINE and s.edge[edge] >= 0 and s.edge[edge] == s.edge[s.what[n, 1]]:
        return True
    return belongs(s, n, s.end[edge, 0]) and belongs(s, n, s.end[edge, 1])


@native
def belongs(s: BuildMemory, n: int, vertex: int) -> bool:
    k, number = s.axis[n], s.what[n, 1]
    if k >= 0:
        return s.vertex[vertex, k] == s.anchor[n, k]
    if s.what[n, 0] == LINE:
        return s.end[number, 0] == vertex or s.end[number, 1] == vertex
    for f in range(s.first_at[vertex], s.first_at[vertex + 1]):
        if s.face_at[f] == s.face[number]:
            return True
    return False


# -- splitting ------------------------------------------------------------------------------------------------------------


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


@native
def take(s: BuildMemory, n: int, q: int, child: int) -> None:
    """What of a piece is in a child of the region."""
    begin, count = s.piece[q, 0], s.piece[q, 1]
    lowest, highest = 0, 0
    for i in range(begin, begin + count):
        lowest, highest = min(lowest, s.sign[i]), max(highest, s.sign[i])
    way = 1 if child == ABOVE else -1
    if child == ON:
        if lowest == 0 and highest == 0:
            keep(s, begin, count, s.piece[q, 2])
            if count >= 3:
                s.on_plane[s.faces, 0], s.on_plane[s.faces, 1] = n, s.pieces - 1
                s.faces += 1
    elif (child == ABOVE and highest > 0) or (child == BELOW and lowest < 0):
        if lowest < 0 and highest > 0:
            fresh = s.corners
            if count == 2:
                clip_edge(s, n, begin, way)
            else:
                clip_face(s, n, begin, count, way)
            keep(s, fresh, s.corners - fresh, s.piece[q, 2])
        else:
            keep(s, begin, count, s.piece[q, 2])
    return


@native
def keep(s: BuildMemory, begin: int, count: int, number: int) -> None:
    s.piece[s.pieces, 0], s.piece[s.pieces, 1], s.piece[s.pieces, 2] = begin, count, number
    s.pieces += 1


@native
def clip_edge(s: BuildMemory, n: int, begin: int, way: int) -> None:
    for c in range(2):
        if s.sign[begin + c] == way:
            copy(s, begin + c, s.along[begin + c])
        else:
            cut(s, n, begin + c, begin + 1 - c, -1 - n)
    return


@native
def clip_face(s: BuildMemory, n: int, begin: int, count: int, way: int) -> None:
    """What lies on one side of the plane, in which a side of it is new."""
    for c in range(count):
        i, j = begin + c, begin + (c + 1) % count
        here, there = way * s.sign[i], way * s.sign[j]
        if here >= 0:
            copy(s, i, -1 - n if here == 0 and there < 0 else s.along[i])
        if here > 0 and there < 0:
            cut(s, n, i, j, -1 - n)
        elif here < 0 and there > 0:
            cut(s, n, i, j, s.along[i])
    return


@native
def copy(s: BuildMemory, i: int, along: int) -> None:
    k = s.corners
    for j in range(4):
        s.x[k, j] = s.x[i, j]
    s.of[k], s.along[k], s.sign[k] = s.of[i], along, 0
    s.corners = k + 1


@native
def cut(s: BuildMemory, n: int, i: int, j: int, along: int) -> None:
    """A new corner where the line from corner i to corner j meets the plane.

    Its share of the way is v / (v - w) for the values v, w of the corners, which have different signs: if both are off by less than
    their size, by d at most, it is off by d / (|v| + |w| - 2 d) and roundings; else the point is somewhere between them.
    """
    k = s.corners
    evaluate(s, n, s.x[i, 0], s.x[i, 1], s.x[i, 2], s.x[i, 3])
    v, d = s.v, s.bound
    evaluate(s, n, s.x[j, 0], s.x[j, 1], s.x[j, 2], s.x[j, 3])
    w, d = s.v, max(d, s.bound)
    known = v * w < 0.0 and min(abs(v), abs(w)) > d
    share = v / (v - w) if known else 0.5
    off = min(d / (abs(v) + abs(w) - 2.0 * d) + _ROUNDED, 1.0) if known else 0.5
    far, size = 0.0, 0.0
    for c in range(3):
        far = max(far, abs(s.x[j, c] - s.x[i, c]))
        size = max(size, max(abs(s.x[i, c]), abs(s.x[j, c])))
        s.x[k, c] = s.x[i, c] + share * (s.x[j, c] - s.x[i, c])
    s.x[k, 3] = 1.001 * (far * off + max(s.x[i, 3], s.x[j, 3]) + size * _ROUNDED)
    s.of[k], s.along[k], s.sign[k] = -1, along, 0
    s.corners = k + 1
