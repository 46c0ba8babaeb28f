"""Which triangles of two meshes come within a distance at two poses: down both trees of boxes, then pair by pair.

Boxes are told apart along the line between their centres and along their own axes. Columns of rotations are orthonormal up to 1e-6, for
which lengths are taken longer by `LONGER`; that covers rounding, too. For triangles any direction n proves that they are apart: no point of
one is nearer to the other than the least n . (b - a) of corners, over the length of n.
"""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Floats, Grid, Ints, array

from .closest_features import nearest
from .closest_loop import load, margins
from .closest_memory import E, F, M, N, WalkMemory, X, Y, Z, cross, difference, dot, edge, error, measure, put_all

DONE, NO_ROOM = 0, 1
APART, NEAR, OPEN = 0, 1, 2
LONGER, STACK = 1.0001, 256
# What few roundings make of a length.
LONGER_BY_ROUNDING = 1.0 + 2.0**-40


class NearMemory(WalkMemory):
    centre1: Grid[float] = array("nodes1", 3)      # of the trees of both: box and ball, children as in `Tree`
    centre2: Grid[float] = array("nodes2", 3)
    half1: Grid[float] = array("nodes1", 4)        # half extents, and the radius
    half2: Grid[float] = array("nodes2", 4)
    tree1: Ints = array("nodes1")
    tree2: Ints = array("nodes2")
    stack: Grid[int] = array(STACK, 2)
    room: int
    found: int
    pair: Grid[int] = array("room", 2)             # triangles that came near
    verdict: Ints = array("room")
    away: Grid[float] = array("room", 3)           # along which they were apart last, or 0
    distance: float
    column: Grid[float] = array(2, 9)              # columns of rotations
    across: Floats = array(3)


@native
def descend(s: NearMemory, row: int) -> int:
    """Pairs of triangles whose boxes come within the distance."""
    load(s, row)
    for side in range(2):
        for i in range(3):
            for j in range(3):
                s.column[side, 3 * j + i] = s.pose[side, 3 * i + j]
    s.found, s.stack[0, 0], s.stack[0, 1] = 0, 0, 0
    top = 1
    while top > 0:
        top -= 1
        a, b = s.stack[top, 0], s.stack[top, 1]
        if boxes_apart(s, a, b):
            continue
        if s.tree1[a] < 0 and s.tree2[b] < 0:
            if s.found == s.room:
                return NO_ROOM
            s.pair[s.found, 0], s.pair[s.found, 1] = -1 - s.tree1[a], -1 - s.tree2[b]
            s.away[s.found, 0], s.away[s.found, 1], s.away[s.found, 2] = 0.0, 0.0, 0.0
            s.found += 1
        else:
            second = s.tree1[a] < 0 or (s.tree2[b] >= 0 and s.half2[b, 3] > s.half1[a, 3])
            for k in range(2):
                s.stack[top, 0] = a if second else s.tree1[a] + k
                s.stack[top, 1] = s.tree2[b] + k if second else b
                top += 1
    return DONE


@native
def boxes_apart(s: NearMemory, a: int, b: int) -> bool:
    square = 0.0
    for k in range(3):
        p = s.pose[0, 9 + k] + (s.pose[0, 3 * k] * s.centre1[a, 0] + s.pose[0, 3 * k + 1] * s.centre1[a, 1]
                                + s.pose[0, 3 * k + 2] * s.centre1[a, 2])
        q = s.pose[1, 9 + k] + (s.pose[1, 3 * k] * s.centre2[b, 0] + s.pose[1, 3 * k + 1] * s.centre2[b, 1]
                                + s.pose[1, 3 * k + 2] * s.centre2[b, 2])
        s.across[k] = q - p
        square += (q - p)**2
    reach = LONGER * (s.distance + s.half1[a, 3] + s.half2[b, 3]) + s.far
    if square > reach * reach:
        return True
    for side in range(2):
        for k in range(3):
            away, wide = 0.0, s.distance
            for c in range(3):
                away += s.column[side, 3 * k + c] * s.across[c]
            for j in range(3):
                mixed = 0.0
                for c in range(3):
                    mixed += s.column[side, 3 * k + c] * s.column[1 - side, 3 * j + c]
                wide += abs(mixed) * (s.half2[b, j] if side == 0 else s.half1[a, j])
            wide += (s.half1[a, k] + 1e-5 * s.half1[a, 3]) if side == 0 else (s.half2[b, k] + 1e-5 * s.half2[b, 3])
            if abs(away) > LONGER * wide + s.far:
                return True
    return False


@native
def judge(s: NearMemory, row: int) -> int:
    """Of the pairs found which are within the distance at the poses of a row; OPEN where rounding leaves it open. How many are."""
    load(s, row)
    margins(s)
    left = 0
    for k in range(s.found):
        s.verdict[k] = triangles(s, k)
        left += 1 if s.verdict[k] == OPEN else 0
    return left


@native
def triangles(s: NearMemory, k: int) -> int:
    """A pair: along the direction in which it was apart last, then by its middles, and by the nearest points."""
    show(s, k)
    for c in range(3):
        s.v[N, c] = s.away[k, c]
    if told_apart(s):
        return APART
    for c in range(3):
        s.v[N, c] = (s.place[3, c] + s.place[4, c] + s.place[5, c]) - (s.place[0, c] + s.place[1, c] + s.place[2, c])
    if told_apart(s):
        return keep(s, k)
    for side in range(2):
        for i in range(3):
            if surely_crosses(s, side, i):
                return NEAR
    s.square = -1
    s.square = nearest(s)
    if s.square < 0:
        return OPEN
    show(s, k)
    # Either side of a triangle may look at the other one.
    for _ in range(2):
        if told_apart(s):
            return keep(s, k)
        for c in range(3):
            s.v[N, c] = -s.v[N, c]
    return NEAR if np.sqrt(s.square) * LONGER_BY_ROUNDING + 8.0 * s.far <= s.distance else OPEN


@native
def show(s: NearMemory, k: int) -> None:
    """The places of the corners of a pair."""
    s.slot[0], s.slot[1] = 3 * s.pair[k, 0], s.begin[1] + 3 * s.pair[k, 1]
    s.dim[0], s.dim[1] = 2, 2
    put_all(s)


@native
def keep(s: NearMemory, k: int) -> int:
    for c in range(3):
        s.away[k, c] = s.v[N, c]
    return APART


@native
def told_apart(s: NearMemory) -> bool:
    """Are the triangles further apart than the distance, along row N, whatever it is?"""
    measure(s, N, 0.0)
    s.radius[N] = 0.0
    size = np.sqrt(dot(s, N, N)) * LONGER_BY_ROUNDING
    for i in range(3):
        for j in range(3, 6):
            difference(s, i, j)
            if not dot(s, X, N) - error(s, X, N) > size * s.distance * LONGER_BY_ROUNDING:
                return False
    return True


@native
def surely_crosses(s: NearMemory, side: int, k: int) -> bool:
    """Does a side of one triangle cross the other, whatever the rounding?"""
    i, far, j = 3 * side + k, 3 * side + (k + 1) % 3, 3 * (1 - side)
    edge(s, E, 1 - side, j, j + 1)
    edge(s, F, 1 - side, j, j + 2)
    cross(s, M, E, F)
    difference(s, j, i)
    begin, off = dot(s, X, M), error(s, X, M)
    difference(s, j, far)
    end = dot(s, X, M)
    if not (abs(begin) > off and abs(end) > error(s, X, M) and (begin > 0.0) != (end > 0.0)):
        return False
    edge(s, N, side, i, far)
    up, down = 0, 0
    for m in range(3):
        difference(s, i, j + m)
        for c in range(3):
            s.v[Y, c] = s.v[X, c]
        measure(s, Y, s.far)
        difference(s, i, j + (m + 1) % 3)
        cross(s, Z, Y, X)
        turn, off = dot(s, Z, N), error(s, Z, N)
        up += 1 if turn > off else 0
        down += 1 if turn < -off else 0
    return up == 3 or down == 3
