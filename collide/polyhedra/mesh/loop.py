"""The search for the first contact of two meshes: best first over pairs of nodes of their trees.

The key of a pair is a time before which its nodes are apart. The pair with the least one is taken: if a node can be split, the two
pairs with its children are tested in eight windows, from that time to the earliest contact known; their keys are where the first
window begins in which they may meet. Two triangles are searched for contacts of the vertices and edges they stand for, by
`loop`; where that takes long, they are queued again with the time that was reached. What begins no earlier than a known
contact ends is dropped, so the search ends with the first one.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native
from codegen.machine.structures import Floats, Grid, Ints, Rows, View, array

from ...culling.queued_pairs import queued, taken
from ..primitives.loop import GIVEN_UP, HIT, LANES, MISS, cut, first_contact
from .screw_rejection_loop import BODY, EDGE, EDGES, FACE, PAIR, VERTEX, ScrewMemory, nodes_refused, of_parts, of_triangle, refused, sweep

# What a query is about: vertex p of the first and the second triangle, p and 3 + p; edges p and q, 6 + 3 p + q; MEET, the triangles.
MEET, BEST, RECORDS = 15, 8, 64
FINISHED, SLICE, NEED_ROOM, DECIDE, SPENT = 0, 1, 2, 3, 4


class MeshMemory(ScrewMemory):
    """The memory of a search, in which the data of a mesh are the caller's."""

    unset = ("box_room",)

    boxes: int                     # kernels
    meeting: int
    vertex_face: int
    face_vertex: int
    edge_edge: int
    exact: int                     # is what moves rigidly decided exactly, too?
    root: int                      # of the heap of pairs
    unused: int                    # pairs in `free`
    recorded: int
    tested: int                    # windows of time,
    most: int                      # of which there are no more,
    asked: int                     # queries,
    leaves: int                    # and pairs of triangles
    cut: float                     # no contact is left after it that matters,
    least: float                   # none is before it except in open pairs,
    later: float                   # and before it none of the present triangles
    best: Grid[float] = array(2, BEST)     # the proved contact that ends first, and what begins first of the others: see `note`
    record: Grid[int] = array(RECORDS, 3)  # queries to be decided exactly: two triangles and what of them,
    doubt: Grid[float] = array(RECORDS, 2)  # and where there may be a contact
    q: Floats = array(36)                  # the points of a query
    # of each mesh
    node1: Rows[View] = array("nodes", 12)
    node2: Rows[View] = array("nodes", 12)
    tree1: Ints = array("nodes")           # children: see `bodies.mesh.Tree`
    tree2: Ints = array("nodes")
    size1: Floats = array("nodes")
    size2: Floats = array("nodes")
    corner1: Grid[int] = array("triangles", 3)
    corner2: Grid[int] = array("triangles", 3)
    owned1: Grid[int] = array("triangles", 6)
    owned2: Grid[int] = array("triangles", 6)
    vertex1: Grid[float] = array("vertices", 6)
    vertex2: Grid[float] = array("vertices", 6)
    # queued pairs
    both: Grid[int] = array("box_room", 2)  # nodes
    key: Floats = array("box_room")
    child: Ints = array("box_room")         # pairing heap
    sibling: Ints = array("box_room")
    free: Ints = array("box_room")          # a stack of unused ones


@native
def start(s: MeshMemory) -> int:
    """Queue the pair of both roots."""
    s.root = -1
    queued(s, 0, 0, s.beginning)
    return 0


@native
def search(s: MeshMemory, tests: int) -> int:
    """Take pairs until so many tests are done; why it stopped. With DECIDE there are records, to be noted and taken away; with SPENT too
    few tests are left for the next pair.
    """
    enough = s.tested + tests
    while s.tested < enough:
        i = s.root
        if i < 0 or s.key[i] >= s.cut:
            return FINISHED
        if s.tested + 2 * LANES > s.most:
            return SPENT
        if s.unused < 2:
            return NEED_ROOM
        taken(s)
        a, b, time = s.both[i, 0], s.both[i, 1], s.key[i]
        if s.tree1[a] < 0 and s.tree2[b] < 0:
            s.later = np.inf
            triangles(s, -1 - s.tree1[a], -1 - s.tree2[b], time)
            if s.later < np.inf:
                queued(s, a, b, s.later)
            if s.recorded > 0:
                return DECIDE
        else:
            split(s, a, b, time)
    return SLICE


@native
def windows(s: MeshMemory, time: float) -> None:
    """Eight windows from `time` to the end of what matters, and the motions in them."""
    cut(s, time, min(s.cut, s.end))
    if s.motion != 0:
        call_kernel(s.motion, s.clock, s.numbers, s.raw)
        call_kernel(s.control, s.clock, s.raw, s.controls)


@native
def split(s: MeshMemory, a: int, b: int, time: float) -> None:
    """Queue the pairs of the larger node's children and the other node that may meet."""
    windows(s, time)
    if s.screw != 0:
        sweep(s, time, min(s.cut, s.end))
    second = s.tree1[a] < 0 or (s.tree2[b] >= 0 and s.size2[b] > s.size1[a])
    for k in range(2):
        if second:
            test(s, a, s.tree2[b] + k)
        else:
            test(s, s.tree1[a] + k, b)


@native
def test(s: MeshMemory, a: int, b: int) -> None:
    """Queue a pair by the first window in which it may meet."""
    if s.screw != 0 and nodes_refused(s, a, b):
        return
    s.tested += LANES
    if s.motion == 0:
        call_kernel(s.boxes, s.node1[a], s.node2[b], s.a, s.b, s.out)
    else:
        call_kernel(s.boxes, s.node1[a], s.node2[b], s.controls, s.out)
    for lane in range(LANES):
        if s.out[0, lane] > 0.0:
            queued(s, a, b, s.a[lane])
            return
    return


@native
def triangles(s: MeshMemory, i: int, j: int, time: float) -> None:
    """Note the contacts of two triangles from `time` on."""
    s.leaves += 1
    if s.screw != 0 and turned_past(s, i, j, time):
        return
    for p in range(3):
        if s.owned1[i, p] != 0 and not (s.screw != 0 and refused(s, VERTEX + p, BODY, FACE)):
            point1(s, 0, s.corner1[i, p])
            for k in range(3):
                point2(s, 1 + k, s.corner2[j, k])
            ask(s, s.vertex_face, i, j, p, time)
        if s.owned2[j, p] != 0 and not (s.screw != 0 and refused(s, 0, BODY + VERTEX + p, FACE)):
            point2(s, 0, s.corner2[j, p])
            for k in range(3):
                point1(s, 1 + k, s.corner1[i, k])
            ask(s, s.face_vertex, i, j, 3 + p, time)
        if s.owned1[i, 3 + p] != 0:
            for q in range(3):
                if s.owned2[j, 3 + q] != 0 and not (s.screw != 0 and refused(s, EDGE + p, BODY + EDGE + q, EDGES)):
                    edge(s, i, j, p, q)
                    ask(s, s.edge_edge, i, j, 6 + 3 * p + q, time)
    if time == s.beginning:
        meet(s, i, j, time)


@native
def turned_past(s: MeshMemory, i: int, j: int, time: float) -> bool:
    """Whether the screw keeps two triangles apart from `time` on. Else the data of their parts are put ready."""
    sweep(s, time, min(s.cut, s.end))
    for k in range(3):
        for c in range(5):
            s.corner[k, c] = s.around1[s.corner1[i, k], c]
            s.corner[3 + k, c] = s.around2[s.corner2[j, k], c]
    of_triangle(s, 0, 0)
    of_triangle(s, BODY, 3)
    if refused(s, 0, BODY, PAIR):
        return True
    of_parts(s)
    return False


@native
def edge(s: MeshMemory, i: int, j: int, p: int, q: int) -> None:
    point1(s, 0, s.corner1[i, p])
    point1(s, 1, s.corner1[i, (p + 1) % 3])
    point2(s, 2, s.corner2[j, q])
    point2(s, 3, s.corner2[j, (q + 1) % 3])


@native
def point1(s: MeshMemory, k: int, vertex: int) -> None:
    """A vertex of the first mesh as point k of the query, at the beginning and, behind all four, at the end."""
    for c in range(3):
        s.q[3 * k + c], s.q[12 + 3 * k + c] = s.vertex1[vertex, c], s.vertex1[vertex, 3 + c]


@native
def point2(s: MeshMemory, k: int, vertex: int) -> None:
    for c in range(3):
        s.q[3 * k + c], s.q[12 + 3 * k + c] = s.vertex2[vertex, c], s.vertex2[vertex, 3 + c]


@native
def ask(s: MeshMemory, kernel: int, i: int, j: int, part: int, time: float) -> None:
    """The query in `q`, as far as it matters."""
    end = min(s.cut, s.end)
    if time > end:
        return
    most = (s.most - s.tested) // LANES
    if most == 0:
        s.later = min(s.later, time)
        return
    s.kernel = kernel
    s.asked += 1
    verdict = first_contact(s, time, end, 0, most)
    s.tested += LANES * s.calls
    if verdict == GIVEN_UP and (s.motion != 0 or s.calls < s.most_calls):
        s.later = min(s.later, s.answer[0])
    elif verdict == HIT or (verdict != MISS and s.motion != 0 and s.exact == 0):
        note(s, verdict, i, j, part)
    elif verdict != MISS:
        defer(s, i, j, part)
    return


@native
def defer(s: MeshMemory, i: int, j: int, part: int) -> None:
    """A query for the exact method; its `answer` tells where there may be a contact."""
    k = s.recorded
    s.doubt[k, 0], s.doubt[k, 1] = s.answer[0], s.answer[1]
    s.record[k, 0], s.record[k, 1], s.record[k, 2] = i, j, part
    s.recorded += 1


@native
def note(s: MeshMemory, verdict: int, i: int, j: int, part: int) -> None:
    """The bracket and the parameters in `answer`: what begins first, and of the proved ones what ends first. Where nothing is
    proved, it may still be that something else meets, provably, within the tolerance.
    """
    begin, end = s.answer[0], s.answer[1]
    s.least = min(s.least, begin)
    row = 0 if verdict == HIT else 1
    if (row == 0 and end < s.best[0, 1]) or (row == 1 and begin < s.best[1, 0]):
        for k in range(4):
            s.best[row, k] = s.answer[k]
        s.best[row, 4], s.best[row, 5], s.best[row, 6] = i, j, part
        s.best[row, 7] = verdict
    if row == 0:
        s.cut = min(s.cut, end)
    else:
        s.cut = min(s.cut, max(begin + s.tolerance, end))


@native
def meet(s: MeshMemory, i: int, j: int, time: float) -> None:
    """Test whether the triangles meet at the beginning in more than a vertex or an edge with an edge."""
    for k in range(3):
        for c in range(6):
            s.q[6 * k + c] = s.vertex1[s.corner1[i, k], c]
            s.q[18 + 6 * k + c] = s.vertex2[s.corner2[j, k], c]
    windows(s, time)
    if s.motion == 0:
        call_kernel(s.meeting, s.q, s.a, s.out)
    else:
        call_kernel(s.meeting, s.q, s.controls, s.out)
    s.answer[0], s.answer[1], s.answer[2], s.answer[3] = time, time, np.inf, np.inf
    if s.out[0, 0] == 2.0:
        note(s, HIT, i, j, MEET)
    elif s.out[0, 0] == 1.0:
        if s.motion == 0 or s.exact != 0:
            defer(s, i, j, MEET)
        else:
            note(s, 2, i, j, MEET)
