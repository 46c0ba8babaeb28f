"""Pieces of the boundary in the tree of an index: the signs of their corners by a plane, and their parts on its sides.

The signs at corners are known where they belong to the triangle or the edge that gives the plane, or proved by rounding; else they are
asked for, and decided in integers. So every plane cuts the region that it splits, which `point_walk` builds on.
"""

from codegen.machine.loops import native
from codegen.machine.structures import Grid, Ints, array

from .tree import ABOVE, BELOW, LINE, ON, UNDECIDED, TreeMemory, evaluate, side

_ROUNDED = 2.0**-50


class BuildMemory(TreeMemory):
    # the mesh
    vertex: Grid[float] = array("vertices", 3)
    corner: Grid[int] = array("triangles", 3)
    face: Ints = array("triangles")             # of a triangle
    plane: Grid[float] = array("triangles", 5)  # normal, error, length
    flat: Grid[int] = array("triangles", 2)     # axis, steep: see `brep.Planes`
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
def signs(s: BuildMemory, t: int) -> None:
    """Find the signs of all corners in the region, by the node that was made last."""
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
    """Whether corner i is in the plane because of its origin: a vertex of it, or a point of an edge in it."""
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


@native
def take(s: BuildMemory, n: int, q: int, child: int) -> None:
    """Take the part of a piece that is in a child of the region."""
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
    """Clip a face to one side of the plane, in which the part has a new side."""
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
