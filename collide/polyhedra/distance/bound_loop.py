"""The distance of two triangle meshes while their vertices move straight from one place to another: a lower bound over that whole time, and
an upper one, which two points have in the middle of it.

Nodes of the trees are as far from each other as their boxes at least. Of two triangles the nearest points are found in the middle of the
time, in plain doubles. Along a direction n, divided by its length, the triangles are apart by the least of n . (b - a) for their corners
a and b, at any time and whatever n is: n is taken from one of those points to the other, and turns with one of the meshes. The places are
off by `off` at most, both together, which includes all roundings of them; the roundings here are less than `_ROUNDED` of what is
compared, and are taken off.
"""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Floats, Grid, Ints, Rows, View, array

from .triangle_distance import NearestMemory, nearest

FINISHED, NEED_ROOM = 0, 1
_ROUNDED, _FEW = 2.0**-46, 2.0**-48
# Sums of squares above this have not lost digits below the smallest doubles, nor have lengths above its root; and more than any such loss.
_FAITHFUL, _SHORT, _DENORMAL = 2.0**-960, 2.0**-480, 2.0**-1000


class DistanceMemory(NearestMemory):
    off: float
    share: float                            # of the upper bound, by which the lower one may be less
    reach: float                            # what is farther apart does not matter
    upper: float                            # the least distance of two points known,
    best: Floats = array(6)                 # these points,
    first: int                              # and the triangles that they are on
    second: int
    # both meshes, the second behind the first: vertices at rest, and where they are at the beginning and at the end
    rest: Grid[float] = array("vertices", 3)
    vertex: Grid[float] = array("vertices", 6)
    corner: Grid[int] = array("triangles", 3)
    node: Rows[View] = array("nodes", 12)
    tree: Ints = array("nodes")             # children: see `bodies.mesh.Tree`
    size: Floats = array("nodes")
    split_at: int                           # the first vertex,
    second_root: int                        # and the root of the second mesh
    vertices: int
    nodes: int
    motion: Grid[float] = array(6, 12)      # of each mesh: at the beginning, at the end, and how far it may be from between these
    turning: int                            # do the meshes turn?
    turn: Grid[float] = array(4, 9)         # how the first one has turned at the beginning and the end, against the middle; and the second
    # pairs of nodes that wait
    top: int
    wait: Grid[int] = array("wait_room", 2)
    key: Floats = array("wait_room")
    # pairs of triangles that are left
    count: int
    pair: Grid[int] = array("pair_room", 2)
    lower: Floats = array("pair_room")
    wait_room: int
    pair_room: int
    examined: int


@native
def limit(s: DistanceMemory) -> float:
    return min(s.upper * (1.0 - s.share), s.reach)


@native
def begin(s: DistanceMemory) -> int:
    s.wait[0, 0], s.wait[0, 1], s.key[0], s.top, s.count = 0, s.second_root, 0.0, 1, 0
    for n in range(s.nodes - 1, -1, -1):
        fit(s, n)
    return 0


@native
def fit(s: DistanceMemory, n: int) -> None:
    """The box of a node, whose children have theirs."""
    i = s.tree[n]
    for c in range(12):
        k, is_low = c % 3 + (3 if c >= 6 else 0), c % 6 < 3
        if i < 0:
            x, y, z = s.vertex[s.corner[-1 - i, 0], k], s.vertex[s.corner[-1 - i, 1], k], s.vertex[s.corner[-1 - i, 2], k]
            s.node[n].at[c] = min(x, min(y, z)) if is_low else max(x, max(y, z))
        else:
            x, y = s.node[i].at[c], s.node[i + 1].at[c]
            s.node[n].at[c] = min(x, y) if is_low else max(x, y)
    return


@native
def place(s: DistanceMemory) -> int:
    """Place the vertices at both ends of a window. `off`: how far both meshes together may be from a straight path between, with the
    roundings of a place, and of a point between three corners.
    """
    s.off = 0.0
    for side in range(2):
        own, total, large = 0.0, 0.0, 0.0
        for v in range(0 if side == 0 else s.split_at, s.split_at if side == 0 else s.vertices):
            squared, added = 0.0, 0.0
            for k in range(3):
                wide = 0.0
                for end in range(2):
                    x, size = s.motion[3 * side + end, 9 + k], abs(s.motion[3 * side + end, 9 + k])
                    far = s.motion[3 * side + 2, 9 + k]
                    for j in range(3):
                        part = s.motion[3 * side + end, 3 * k + j] * s.rest[v, j]
                        x += part
                        size += abs(part)
                        far += s.motion[3 * side + 2, 3 * k + j] * abs(s.rest[v, j])
                    s.vertex[v, 3 * end + k] = x
                    wide, large = max(wide, far + size * _FEW), max(large, abs(x))
                squared, added = squared + wide * wide, added + wide
            own, total = max(own, squared), max(total, added)
        s.off += (np.sqrt(own) if own > _FAITHFUL else total) * (1.0 + _ROUNDED) + large * _ROUNDED + _DENORMAL
    return 0


@native
def search(s: DistanceMemory) -> int:
    """All pairs of triangles that may be near; those that are left stay in `pair`."""
    while s.top > 0:
        if s.top + 2 > s.wait_room or s.count + 1 > s.pair_room:
            return NEED_ROOM
        s.top -= 1
        a, b, key = s.wait[s.top, 0], s.wait[s.top, 1], s.key[s.top]
        if key < limit(s):
            if s.tree[a] < 0 and s.tree[b] < 0:
                triangles(s, -1 - s.tree[a], -1 - s.tree[b])
            else:
                split(s, a, b)
    return FINISHED


@native
def again(s: DistanceMemory, pairs: int) -> int:
    """Those of the first so many pairs, at other times, that are left."""
    s.count = 0
    for k in range(pairs):
        triangles(s, s.pair[k, 0], s.pair[k, 1])
    return FINISHED


@native
def split(s: DistanceMemory, a: int, b: int) -> None:
    """The nearer of the two pairs comes first."""
    second = s.tree[a] < 0 or (s.tree[b] >= 0 and s.size[b] > s.size[a])
    i, j = (a if second else s.tree[a]), (s.tree[b] if second else b)
    k, m = (a if second else i + 1), (j + 1 if second else b)
    s.examined += 2
    near, far = boxes(s, i, j), boxes(s, k, m)
    if near > far:
        i, k = k, i
        j, m = m, j
        near, far = far, near
    push(s, k, m, far)
    push(s, i, j, near)


@native
def push(s: DistanceMemory, a: int, b: int, key: float) -> None:
    if key < limit(s):
        s.wait[s.top, 0], s.wait[s.top, 1], s.key[s.top] = a, b, key
        s.top += 1
    return


@native
def boxes(s: DistanceMemory, a: int, b: int) -> float:
    """A lower bound of the distance of two nodes."""
    total, most = 0.0, 0.0
    for k in range(3):
        one = min(s.node[b].at[k] - s.node[a].at[3 + k], s.node[b].at[6 + k] - s.node[a].at[9 + k])
        other = min(s.node[a].at[k] - s.node[b].at[3 + k], s.node[a].at[6 + k] - s.node[b].at[9 + k])
        gap = max(max(one, other), 0.0)
        total, most = total + gap * gap, max(most, gap)
    return max((np.sqrt(total) if total > _FAITHFUL else most) * (1.0 - _ROUNDED) - s.off, 0.0)


@native
def triangles(s: DistanceMemory, i: int, j: int) -> None:
    for k in range(3):
        for c in range(3):
            u, v = s.corner[i, k], s.corner[j, k]
            s.t[k, c] = 0.5 * (s.vertex[u, c] + s.vertex[u, 3 + c])
            s.t[3 + k, c] = 0.5 * (s.vertex[v, c] + s.vertex[v, 3 + c])
    nearest(s)
    s.examined += 1
    upper = far(s) * (1.0 + _ROUNDED) + s.off
    if upper < s.upper:
        s.upper, s.first, s.second = upper, i, j
        for c in range(6):
            s.best[c] = s.near[c]
    lower = apart(s, i, j)
    if lower < limit(s):
        s.pair[s.count, 0], s.pair[s.count, 1], s.lower[s.count] = i, j, lower
        s.count += 1
    return


@native
def far(s: DistanceMemory) -> float:
    """An upper bound, except for rounding, of the distance of the nearest points."""
    if s.squared > _FAITHFUL:
        return np.sqrt(s.squared)
    return abs(s.near[3] - s.near[0]) + abs(s.near[4] - s.near[1]) + abs(s.near[5] - s.near[2])


@native
def apart(s: DistanceMemory, i: int, j: int) -> float:
    """Along the direction of the nearest points, as it is, or carried along by one of the meshes, how far two triangles are from each other
    at least.
    """
    x, y, z = s.near[3] - s.near[0], s.near[4] - s.near[1], s.near[5] - s.near[2]
    best = along(s, i, j, x, y, z, x, y, z)
    for k in range(2 * s.turning):
        if best < limit(s):
            best = max(best, along(s, i, j, turned(s, 2 * k, 0, x, y, z), turned(s, 2 * k, 1, x, y, z), turned(s, 2 * k, 2, x, y, z),
                                   turned(s, 2 * k + 1, 0, x, y, z), turned(s, 2 * k + 1, 1, x, y, z), turned(s, 2 * k + 1, 2, x, y, z)))
    return best


@native
def turned(s: DistanceMemory, k: int, row: int, x: float, y: float, z: float) -> float:
    return s.turn[k, 3 * row] * x + s.turn[k, 3 * row + 1] * y + s.turn[k, 3 * row + 2] * z


@native
def along(s: DistanceMemory, i: int, j: int, x0: float, y0: float, z0: float, x1: float, y1: float, z1: float) -> float:
    """By a direction that goes from (x0, y0, z0) to (x1, y1, z1): its product with a difference of corners is a polynomial of degree two in
    time, and no less than its least coefficient in Bernstein form.
    """
    length = max(np.sqrt(x0 * x0 + y0 * y0 + z0 * z0), np.sqrt(x1 * x1 + y1 * y1 + z1 * z1))
    if not length > _SHORT:
        return 0.0
    low, size = np.inf, 0.0
    for m in range(3):
        if m == 1 and x0 == x1 and y0 == y1 and z0 == z1:
            continue
        first, second = -np.inf, np.inf
        for k in range(3):
            u, v = s.corner[i, k], s.corner[j, k]
            first = max(first, coefficient(s, u, m, x0, y0, z0, x1, y1, z1))
            second = min(second, coefficient(s, v, m, x0, y0, z0, x1, y1, z1))
            size = max(size, max(reach(s, u), reach(s, v)))
        low = min(low, second - first)
    # Dot products of vectors no longer than 2 size are off by some roundings of them; so is the quotient.
    low = low / length
    return max(low - abs(low) * _ROUNDED - size * _FEW - s.off, 0.0)


@native
def coefficient(s: DistanceMemory, v: int, m: int, x0: float, y0: float, z0: float, x1: float, y1: float, z1: float) -> float:
    if m == 1:
        return 0.5 * (product(s, v, 3, x0, y0, z0) + product(s, v, 0, x1, y1, z1))
    return product(s, v, 0, x0, y0, z0) if m == 0 else product(s, v, 3, x1, y1, z1)


@native
def product(s: DistanceMemory, v: int, e: int, x: float, y: float, z: float) -> float:
    """The dot product of a direction and a vertex at the beginning (e = 0) or the end (3), as seen from the first of the nearest points."""
    return x * (s.vertex[v, e] - s.near[0]) + y * (s.vertex[v, e + 1] - s.near[1]) + z * (s.vertex[v, e + 2] - s.near[2])


@native
def reach(s: DistanceMemory, v: int) -> float:
    far = 0.0
    for k in range(3):
        far = max(far, max(abs(s.vertex[v, k] - s.near[k]), abs(s.vertex[v, 3 + k] - s.near[k])))
    return far
