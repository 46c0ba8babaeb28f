"""Choice of the plane that splits a region of an index: across a box with many faces, else the plane of one of its pieces."""

import numpy as np

from codegen.machine.loops import native

from .fragments import BuildMemory
from .tree import CELL, FACE, LINE, POINT, evaluate

# A box with more pieces of faces is cut if none of its halves has nearly all of them; so many pieces are tried, and the best one splits; a
# box is cut between its faces, not quite in the middle, which may be a place of symmetry.
_FEW, _TRIED, _NEAR_HALF = 30, 6, 0.4921875
_ROUNDED = 2.0**-50


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
    """Whether there is a way to cut a box with many faces that puts less of them on the larger side."""
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
    """1 above, -1 below, 0 on both sides, 2 on the plane, except for rounding."""
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
