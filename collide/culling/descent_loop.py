"""The native loop of `descent`: best first over pairs of nodes of two trees.

The key of a pair is a time before which its nodes are proved apart. The pair with the least one is taken: if a node can be divided, the
pairs with its children are moved on in time from there (`approach_loop`), and queued if they may meet before the window ends; pairs of
triangles are found in the order of their times. A face has a tree, too, over the cells of a grid; another cell is a tree of one leaf.
"""


from codegen.machine.loops import native
from codegen.machine.structures import LANES, Floats, Grid, Intervals, Ints, Rows, View, array

from .approach_loop import ApproachMemory, MovingPart, advanced
from .queued_pairs import queued, taken

MESH, FACE = 1, 2
# Numbers of a block of cells.
_BLOCK = 48
FINISHED, SLICE, NEED_ROOM, NEED_FOUND = 0, 1, 2, 3
# Pairs that are tested before the clock is looked at.
_SLICE = 5000
# All of these decide only effort: whatever is not proved apart is kept. A cell of a face that is so much larger than a triangle is divided.
# The first step of a pair against what is left of the window, and
# how many fourths of it the last one is; and tries of a pair. Of pairs of triangles both are more.
_SHARE = 8.0
_FINEST, _LEAF_FINEST, _TRIES, _LEAF_TRIES = 6, 9, 16, 48
# By how much the middle of two numbers is widened, against it, and at least.
_WIDER, _LEAST = 2.0**-52, 2.0**-1000


class DescentMemory(ApproachMemory):
    """The memory of a descent; what belongs to a mesh is the caller's."""

    unset = ("box_room", "found_room")

    tree_of1: int                  # what the cell is: MESH or FACE, or 0 for a cell that is a leaf itself
    tree_of2: int
    root: int                      # of the heap of pairs
    unused: int                    # pairs in `free`
    found: int                     # pairs of triangles
    found_room: int
    limit: float                   # pairs that may meet only after it wait
    end: float                     # of the window
    node1: Rows[View] = array("nodes", 12)
    node2: Rows[View] = array("nodes", 12)
    tree1: Ints = array("nodes")           # children: see `bodies.mesh.Tree`
    tree2: Ints = array("nodes")
    size1: Floats = array("nodes")
    size2: Floats = array("nodes")
    radius1: Floats = array("nodes")       # of the balls round the boxes
    radius2: Floats = array("nodes")
    corner1: Grid[int] = array("nodes", 3)
    corner2: Grid[int] = array("nodes", 3)
    vertex1: Grid[float] = array("nodes", 6)
    vertex2: Grid[float] = array("nodes", 6)
    centre: Rows[Intervals] = array(2, 3, 2, LANES)
    seen: Ints = array("triangles")        # of triangles that are compared with a face: 1 for those found
    whole: Ints = array(2)                 # how many cells a face has at first,
    kept: Grid[float] = array(2, 48)       # and the first block of these
    corners: Grid[float] = array(3, 3)     # of a triangle
    least: Grid[float] = array(3, 3)       # bounds of the middles of its sides
    most: Grid[float] = array(3, 3)
    # queued pairs
    both: Grid[int] = array("box_room", 2)  # nodes
    key: Floats = array("box_room")
    child: Ints = array("box_room")         # pairing heap
    sibling: Ints = array("box_room")
    free: Ints = array("box_room")          # a stack of unused ones
    # found ones
    hits: Grid[int] = array("found_room", 2)
    when: Floats = array("found_room")      # a time before which they are proved apart


@native
def begin_descent(s: DescentMemory) -> int:
    """Queue the pair of both roots, if they may meet from the time in `time` on."""
    s.root = -1
    consider(s, 0, 0, s.time[0])
    return 0


@native
def descend(s: DescentMemory, wanted: int) -> int:
    """Goes on until so many pairs of triangles are found, or all that may meet up to the limit; why it stopped."""
    tested = 0
    while s.root >= 0 and s.found < wanted and s.key[s.root] <= s.limit:
        if tested >= _SLICE:
            return SLICE
        if s.unused < 2:
            return NEED_ROOM
        if s.found >= s.found_room:
            return NEED_FOUND
        i = taken(s)
        a, b, time = s.both[i, 0], s.both[i, 1], s.key[i]
        if known(s, a, b):
            continue
        if ended(s, a, b):
            found(s, a, b, time)
        else:
            divide(s, a, b, time)
            tested += 2
    return FINISHED


@native
def ended(s: DescentMemory, a: int, b: int) -> bool:
    """Whether a pair need be divided no further. Triangles need not, nor do cells of a face that are smaller than the triangle."""
    first = s.tree1[a] < 0 or (s.tree_of1 == FACE and s.tree2[b] < 0 and s.size1[a] < _SHARE * s.size2[b])
    second = s.tree2[b] < 0 or (s.tree_of2 == FACE and s.tree1[a] < 0 and s.size2[b] < _SHARE * s.size1[a])
    return first and second


@native
def known(s: DescentMemory, a: int, b: int) -> bool:
    """Whether the pair is about a triangle that was found with another cell of the same face."""
    if s.tree_of2 == FACE and s.tree1[a] < 0:
        return s.seen[-1 - s.tree1[a]] != 0
    if s.tree_of1 == FACE and s.tree2[b] < 0:
        return s.seen[-1 - s.tree2[b]] != 0
    return False


@native
def found(s: DescentMemory, a: int, b: int, time: float) -> None:
    """Note a pair of triangles; a face itself is number 0."""
    first, second = 0, 0
    if s.tree_of1 == MESH:
        first = -1 - s.tree1[a]
    if s.tree_of2 == MESH:
        second = -1 - s.tree2[b]
    if s.tree_of2 == FACE:
        s.seen[first] = 1
    if s.tree_of1 == FACE:
        s.seen[second] = 1
    s.hits[s.found, 0], s.hits[s.found, 1], s.when[s.found] = first, second, time
    s.found += 1


@native
def divide(s: DescentMemory, a: int, b: int, time: float) -> None:
    """Queue the pairs of the larger node's children and the other node that may meet. A face is divided when it comes to triangles."""
    larger = s.tree_of1 == FACE or (s.tree_of2 == MESH and s.size2[b] > s.size1[a])
    second = s.tree1[a] < 0 or (s.tree2[b] >= 0 and larger)
    for k in range(2):
        if second:
            consider(s, a, s.tree2[b] + k, time)
        else:
            consider(s, s.tree1[a] + k, b, time)


@native
def consider(s: DescentMemory, a: int, b: int, time: float) -> None:
    """Queue a pair by the time up to which it is proved apart, if that is before the end."""
    if s.tree_of1 != 0:
        put_first(s, a)
    if s.tree_of2 != 0:
        put_second(s, b)
    finest, most = _FINEST, _TRIES
    if ended(s, a, b):
        finest, most = _LEAF_FINEST, _LEAF_TRIES
    s.time[0], s.goal[0] = time, s.end
    step, shortest, tries = s.end - time, s.end - time, 0
    for _ in range(finest):
        shortest *= 0.25
    while tries < most and step >= shortest and s.time[0] != s.end:
        tries += 1
        gone = advanced(s, 0, step)
        step *= 2.0 if gone else 0.25
        if tries == 1 and not gone and not advanced(s, 0, shortest):
            # They meet as the window begins.
            step = 0.0
    if s.time[0] < s.end:
        queued(s, a, b, s.time[0])


@native
def put_first(s: DescentMemory, node: int) -> None:
    """The first part becomes a node of its tree."""
    if s.tree_of1 == FACE and node == 0:
        put_cells(s, s.part[0], 0)
    else:
        put_box(s, s.part[0], s.node1[node])
    if s.tree_of1 == MESH:
        s.part[0].radius = s.radius1[node]
        put_centre(s.node1[node], s.centre[0])
    if s.tree_of1 == MESH and s.tree1[node] < 0:
        for i in range(3):
            for k in range(3):
                s.corners[i, k] = s.vertex1[s.corner1[-1 - s.tree1[node], i], k]
        put_triangle(s, s.part[0])


@native
def put_second(s: DescentMemory, node: int) -> None:
    if s.tree_of2 == FACE and node == 0:
        put_cells(s, s.part[1], 1)
    else:
        put_box(s, s.part[1], s.node2[node])
    if s.tree_of2 == MESH:
        s.part[1].radius = s.radius2[node]
        put_centre(s.node2[node], s.centre[1])
    if s.tree_of2 == MESH and s.tree2[node] < 0:
        for i in range(3):
            for k in range(3):
                s.corners[i, k] = s.vertex2[s.corner2[-1 - s.tree2[node], i], k]
        put_triangle(s, s.part[1])


@native
def put_box(s: DescentMemory, part: MovingPart, box: View) -> None:
    """The cell of a part is a box. The ball of a face stays that round all of it."""
    part.cells = 1
    cells = s.grid[part.first]
    for k in range(3):
        for lane in range(LANES):
            cells.put(k, lane, box.at[k], box.at[3 + k])


@native
def put_cells(s: DescentMemory, part: MovingPart, side: int) -> None:
    """The cells of a face are all that it had at first: those of one box were put in the place of the first ones."""
    part.cells = s.whole[side]
    cells = s.grid[part.first]
    for j in range(_BLOCK):
        cells.at[j] = s.kept[side, j]


@native
def put_centre(box: View, centre: Intervals) -> None:
    """The centre of a part is the middle of a box."""
    for k in range(3):
        middle = 0.5 * (box.at[k] + box.at[3 + k])
        for lane in range(LANES):
            centre.put(k, lane, middle, middle)


@native
def put_triangle(s: DescentMemory, part: MovingPart) -> None:
    """The cells of a part are boxes round four parts of a triangle: those at its corners, and that between the middles of its sides."""
    part.cells = 4
    cells = s.grid[part.first]
    for i in range(3):
        for k in range(3):
            middle = 0.5 * (s.corners[i, k] + s.corners[(i + 1) % 3, k])
            wide = abs(middle) * _WIDER + _LEAST
            s.least[i, k], s.most[i, k] = middle - wide, middle + wide
    for k in range(3):
        for i in range(3):
            j = (i + 2) % 3
            cells.put(k, i, min(s.corners[i, k], min(s.least[i, k], s.least[j, k])), max(s.corners[i, k], max(s.most[i, k], s.most[j, k])))
        cells.put(k, 3, min(s.least[0, k], min(s.least[1, k], s.least[2, k])), max(s.most[0, k], max(s.most[1, k], s.most[2, k])))


