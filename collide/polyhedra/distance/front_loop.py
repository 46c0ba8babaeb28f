"""Triangles of two meshes within a distance of each other, and the distance of the meshes, from pose to pose.

What is kept is a front: pairs of nodes of both trees, such that each pair of triangles is below exactly one of them. A pair of nodes has a
direction along which it was apart when it was looked at last, by `key` - `moved`; `moved` is the sum of the ways by which points of both
can have come nearer since. Only when that may have reached the limit is it looked at again: first along the same direction, then along new
ones; then it is divided, until it is a pair of triangles. So a step costs what has changed.

All is seen from the second body: r = B'(x - y) for points x and y in the world, B the rotation of the second pose. Along a direction m of
length 1 no two points are nearer than the least m . r. Numbers of poses are orthonormal up to `skew`, so x and y are as far from each other
as |r|, up to a factor 1 + 2 skew, and points of the second body lie where they do in its own frame up to 2 skew times their size. `blur`
holds that and all roundings of r, of which there are less than fifty of 2**-53 times the sizes of both bodies and of the shift.
"""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Floats, Grid, Ints, array

from ..closest.memory import BAD, WalkMemory
from ..closest.voronoi_walk import load, margins
from .triangle_distance import NearestMemory, nearest
from .triangles_cross_rounded import NEAR, verdict

DONE, NO_ROOM, REFUSED = 0, 1, 2
STACK = 256
_BLUR, _TINY = 2.0**-47, 2.0**-500
# More than roundings of squares that underflow make of lengths; above and below few roundings.
_MORE, _LESS = 1.0 + 2.0**-50, 1.0 - 2.0**-50


class NearMemory(WalkMemory, NearestMemory):
    centre1: Grid[float] = array("nodes1", 3)      # of the trees of both: boxes, children as in `Tree`
    centre2: Grid[float] = array("nodes2", 3)
    half1: Grid[float] = array("nodes1", 4)        # half extents, and the radius
    half2: Grid[float] = array("nodes2", 4)
    tree1: Ints = array("nodes1")
    tree2: Ints = array("nodes2")
    reach: Floats = array(2)                       # no corner of a box has a larger sum of sizes
    turn_by: Floats = array(9)                     # the first body seen from the second, by rows
    shift_by: Floats = array(3)
    last: Floats = array(12)                       # the same in the last step
    skew: float
    blur: float
    moved: float
    stack: Grid[int] = array(STACK, 2)
    top: int
    count: int                                     # of the front
    at: int
    room: int
    pair: Grid[int] = array("room", 2)
    key: Floats = array("room")
    axis: Grid[float] = array("room", 4)           # the direction, and how far the second goes along it
    hits: int                                      # pairs of triangles that are not known to be further apart than the limit
    hit: Grid[int] = array("room", 2)
    verdict: Ints = array("room")
    distance: float
    seeking: int                                   # is the least distance looked for, not all pairs within the distance?
    limit: float
    upper: float                                   # two points of r as near as that,
    best: Floats = array(6)
    first: int                                     # on these triangles, and none nearer than this
    second: int
    lower: float
    m: Floats = array(3)
    support: float


@native
def begin(s: NearMemory, row: int) -> int:
    """The poses of a row; REFUSED for what are none."""
    blurred = s.blur
    if load(s, row) == BAD:
        return REFUSED
    margins(s)
    see(s)
    most = 0.0
    for corner in range(8):
        square = 0.0
        for i in range(3):
            way = s.shift_by[i] - s.last[9 + i]
            for j in range(3):
                x = s.half1[0, j] if corner // (1 if j == 0 else 2 * j) % 2 != 0 else -s.half1[0, j]
                way += (s.turn_by[3 * i + j] - s.last[3 * i + j]) * (s.centre1[0, j] + x)
            square += way * way
        most = max(most, square)
    # Ways of points are convex functions of them.
    s.moved = (s.moved + (np.sqrt(most) * _MORE + s.blur + blurred)) * _MORE
    for k in range(9):
        s.last[k] = s.turn_by[k]
    for k in range(3):
        s.last[9 + k] = s.shift_by[k]
    s.hits, s.at, s.top = 0, s.count - 1, 0
    s.limit, s.upper, s.lower = np.inf if s.seeking != 0 else s.distance * (1.0 + 4.0 * s.skew), np.inf, np.inf
    return DONE


@native
def see(s: NearMemory) -> None:
    size, off = 0.0, 0.0
    for i in range(3):
        s.shift_by[i] = 0.0
        for c in range(3):
            s.shift_by[i] += s.pose[1, 3 * c + i] * (s.pose[0, 9 + c] - s.pose[1, 9 + c])
        size += abs(s.pose[0, 9 + i] - s.pose[1, 9 + i])
        for j in range(3):
            own, other = 0.0, 0.0
            for c in range(3):
                other += s.pose[1, 3 * c + i] * s.pose[0, 3 * c + j]
                own += s.pose[1, 3 * c + i] * s.pose[1, 3 * c + j]
            s.turn_by[3 * i + j] = other
            off = max(off, abs(own - (1.0 if i == j else 0.0)))
    s.skew = off + 2.0 * s.unit
    s.blur = _BLUR * (s.reach[0] + s.reach[1] + size) + 2.0 * s.skew * s.reach[1] + _TINY


@native
def anew(s: NearMemory) -> int:
    """The front is the pair of the roots."""
    s.count, s.at, s.top, s.moved, s.stack[0, 0], s.stack[0, 1] = 0, -1, 1, 0.0, 0, 0
    return DONE


@native
def seek(s: NearMemory) -> int:
    """From the triangles that were nearest in the last step."""
    look(s, s.first, s.second)
    return DONE


@native
def step(s: NearMemory) -> int:
    """Through the front, from its end on: what is put behind it has been looked at. NO_ROOM: with more of it, go on."""
    if dig(s) == NO_ROOM:
        return NO_ROOM
    while s.at >= 0:
        k = s.at
        s.at -= 1
        if not s.key[k] * _LESS > (s.moved + s.limit) * _MORE:
            a, b = s.pair[k, 0], s.pair[k, 1]
            low = along(s, a, s.axis[k, 0], s.axis[k, 1], s.axis[k, 2], s.axis[k, 3])
            if low > s.limit:
                s.key[k] = low + s.moved
            else:
                last = s.count - 1
                s.pair[k, 0], s.pair[k, 1], s.key[k] = s.pair[last, 0], s.pair[last, 1], s.key[last]
                for c in range(4):
                    s.axis[k, c] = s.axis[last, c]
                s.count -= 1
                s.stack[0, 0], s.stack[0, 1], s.top = a, b, 1
                if dig(s) == NO_ROOM:
                    return NO_ROOM
    return DONE


@native
def dig(s: NearMemory) -> int:
    """Pairs that wait: to the front, or divided."""
    while s.top > 0:
        if s.count == s.room or s.hits == s.room:
            return NO_ROOM
        s.top -= 1
        a, b = s.stack[s.top, 0], s.stack[s.top, 1]
        low = boxes(s, a, b)
        if low > s.limit:
            keep(s, a, b, low)
        elif s.tree1[a] < 0 and s.tree2[b] < 0:
            keep(s, a, b, triangles(s, a, b))
        else:
            divide(s, a, b)
    return DONE


@native
def keep(s: NearMemory, a: int, b: int, low: float) -> None:
    """Along the direction m."""
    k = s.count
    s.pair[k, 0], s.pair[k, 1], s.key[k], s.axis[k, 3] = a, b, max(low, 0.0) + s.moved, s.support
    for c in range(3):
        s.axis[k, c] = s.m[c]
    s.count += 1


@native
def divide(s: NearMemory, a: int, b: int) -> None:
    """The nearer half is looked at first."""
    second = s.tree1[a] < 0 or (s.tree2[b] >= 0 and s.half2[b, 3] > s.half1[a, 3])
    i, j = (a if second else s.tree1[a]), (s.tree2[b] if second else b)
    k, n = (a if second else i + 1), (j + 1 if second else b)
    if balls(s, i, j) > balls(s, k, n):
        i, j, k, n = k, n, i, j
    s.stack[s.top, 0], s.stack[s.top, 1], s.stack[s.top + 1, 0], s.stack[s.top + 1, 1] = k, n, i, j
    s.top += 2


@native
def balls(s: NearMemory, a: int, b: int) -> float:
    square = 0.0
    for i in range(3):
        square += between(s, a, b, i)**2
    return np.sqrt(square) - s.half1[a, 3] - s.half2[b, 3]


@native
def between(s: NearMemory, a: int, b: int, i: int) -> float:
    """A coordinate of the middle of one box, seen from that of the other."""
    x = s.turn_by[3 * i] * s.centre1[a, 0] + s.turn_by[3 * i + 1] * s.centre1[a, 1] + s.turn_by[3 * i + 2] * s.centre1[a, 2]
    return x + s.shift_by[i] - s.centre2[b, i]


@native
def boxes(s: NearMemory, a: int, b: int) -> float:
    """A lower bound of the distance of two nodes along m: from each box to the box round the other one that has the same axes."""
    x, y, z = between(s, a, b, 0), between(s, a, b, 1), between(s, a, b, 2)
    one, other = 0.0, 0.0
    for k in range(3):
        own = x if k == 0 else (y if k == 1 else z)
        wide = s.half2[b, k] + (abs(s.turn_by[3 * k]) * s.half1[a, 0] + abs(s.turn_by[3 * k + 1]) * s.half1[a, 1]
                                + abs(s.turn_by[3 * k + 2]) * s.half1[a, 2])
        s.near[k] = own - wide if own > wide else (own + wide if own < -wide else 0.0)
        one += s.near[k] * s.near[k]
        own = s.turn_by[k] * x + s.turn_by[3 + k] * y + s.turn_by[6 + k] * z
        wide = s.half1[a, k] + (abs(s.turn_by[k]) * s.half2[b, 0] + abs(s.turn_by[3 + k]) * s.half2[b, 1]
                                + abs(s.turn_by[6 + k]) * s.half2[b, 2])
        s.near[3 + k] = own - wide if own > wide else (own + wide if own < -wide else 0.0)
        other += s.near[3 + k] * s.near[3 + k]
    if max(one, other) <= s.limit * s.limit:
        return -1.0
    for k in range(3):
        back = s.turn_by[3 * k] * s.near[3] + s.turn_by[3 * k + 1] * s.near[4] + s.turn_by[3 * k + 2] * s.near[5]
        s.m[k] = s.near[k] if one >= other else back
    return directed(s, a, b)


@native
def directed(s: NearMemory, a: int, b: int) -> float:
    """Give m the length 1, and no more except for rounding."""
    size = np.sqrt(s.m[0] * s.m[0] + s.m[1] * s.m[1] + s.m[2] * s.m[2])
    if not (1e-100 < size < 1e100):
        s.m[0], s.m[1], s.m[2] = 1.0, 0.0, 0.0
        size = 1.0
    for k in range(3):
        s.m[k] = s.m[k] / size
    i = s.tree2[b]
    if i < 0:
        s.support = -np.inf
        for k in range(3):
            v = s.start[s.begin[1] + 3 * (-1 - i) + k]
            s.support = max(s.support, s.m[0] * s.vertex[v, 0] + s.m[1] * s.vertex[v, 1] + s.m[2] * s.vertex[v, 2])
    else:
        s.support = 0.0
        for k in range(3):
            s.support += s.m[k] * s.centre2[b, k] + abs(s.m[k]) * s.half2[b, k]
    return along(s, a, s.m[0], s.m[1], s.m[2], s.support)


@native
def along(s: NearMemory, a: int, x: float, y: float, z: float, support: float) -> float:
    """A lower bound of the distance, along a direction, of a node of the first body from a set with this `support` in it."""
    p = s.turn_by[0] * x + s.turn_by[3] * y + s.turn_by[6] * z
    q = s.turn_by[1] * x + s.turn_by[4] * y + s.turn_by[7] * z
    r = s.turn_by[2] * x + s.turn_by[5] * y + s.turn_by[8] * z
    i, low = s.tree1[a], np.inf
    if i < 0:
        for k in range(3):
            v = s.start[3 * (-1 - i) + k]
            low = min(low, p * s.vertex[v, 0] + q * s.vertex[v, 1] + r * s.vertex[v, 2])
    else:
        low = p * s.centre1[a, 0] + q * s.centre1[a, 1] + r * s.centre1[a, 2]
        low -= abs(p) * s.half1[a, 0] + abs(q) * s.half1[a, 1] + abs(r) * s.half1[a, 2]
    low = low + (x * s.shift_by[0] + y * s.shift_by[1] + z * s.shift_by[2]) - support
    return low - s.blur if low < 0.0 else low * _LESS - s.blur


@native
def triangles(s: NearMemory, a: int, b: int) -> float:
    """Two triangles, by their nearest points; they are a hit if that does not tell them apart."""
    i, j = -1 - s.tree1[a], -1 - s.tree2[b]
    low = look(s, a, b)
    if low > s.limit:
        return low
    if s.seeking != 0 and low > 0.0:
        s.lower = min(s.lower, low)
        return low
    s.slot[0], s.slot[1] = 3 * i, s.begin[1] + 3 * j
    far = (np.sqrt(s.squared) * _MORE + s.blur) * (1.0 + 2.0 * s.skew) * _MORE
    s.hit[s.hits, 0], s.hit[s.hits, 1], s.verdict[s.hits] = i, j, verdict(s, far <= s.distance and s.seeking == 0)
    if s.seeking != 0 and s.verdict[s.hits] == NEAR:
        s.limit = 0.0
    s.hits += 1
    return low


@native
def look(s: NearMemory, a: int, b: int) -> float:
    """The nearest points of two triangles, of which it is noted if none are nearer; and what the triangles are apart at least."""
    i, j = 3 * (-1 - s.tree1[a]), s.begin[1] + 3 * (-1 - s.tree2[b])
    for k in range(3):
        v, w = s.start[i + k], s.start[j + k]
        for c in range(3):
            x = s.turn_by[3 * c] * s.vertex[v, 0] + s.turn_by[3 * c + 1] * s.vertex[v, 1] + s.turn_by[3 * c + 2] * s.vertex[v, 2]
            s.t[k, c], s.t[3 + k, c] = x + s.shift_by[c], s.vertex[w, c]
    nearest(s)
    for c in range(3):
        s.m[c] = s.near[c] - s.near[3 + c]
    high = np.sqrt(s.squared) * _MORE + s.blur
    if s.seeking != 0 and high < s.upper:
        s.upper, s.first, s.second = high, a, b
        s.limit = min(s.limit, high)
        for c in range(6):
            s.best[c] = s.near[c]
    return directed(s, a, b)
