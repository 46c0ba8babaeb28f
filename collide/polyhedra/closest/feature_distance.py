"""Closest points of two features: vertices, edges and triangles of two bodies.

Native, and on rationals: see `voronoi_walk`.
"""

from codegen.machine.loops import native

from .memory import E, F, M, N, WalkMemory, X, Y, Z, cross, difference, dot, edge, error, measure, put_all


@native
def critical(s: WalkMemory, first: int, second: int) -> float:
    """The square of the distance of two features, sets of corners, if the closest points of their lines or planes are inside of them; else
    -1. Row N is then along the difference of these points, from the first to the second.
    """
    m, n = s.members[first], s.members[second]
    if m + n > 4:
        return -1.0
    i, j = s.member[first, 0], 3 + s.member[second, 0]
    for k in range(6):
        s.weight[k] = 0
    s.weight[i], s.weight[j] = 1, 1
    s.inner, s.sure = 0, 1
    difference(s, i, j)
    if m == 2 and n == 2:
        return of_edges(s, i, s.member[first, 1], j, 3 + s.member[second, 1])
    if m == 1 and n == 1:
        for k in range(3):
            s.v[N, k] = s.v[X, k]
        measure(s, N, s.radius[X])
        return dot(s, N, N)
    side, which = 0, first
    if m == 1:
        side, which = 1, second
        for k in range(3):
            s.v[X, k] = -s.v[X, k]
    corner = 3 * side + s.member[which, 0]
    if max(m, n) == 2:
        return of_edge(s, side, corner, 3 * side + s.member[which, 1])
    return of_face(s, side, corner, 3 * side + s.member[which, 1], 3 * side + s.member[which, 2])


@native
def of_edge(s: WalkMemory, side: int, i: int, j: int) -> float:
    """A vertex of the other body, at X from corner i, and an edge."""
    edge(s, E, side, i, j)
    along, square = dot(s, X, E), dot(s, E, E)
    if not 0 < along < square:
        return -1.0
    off, wide = error(s, X, E), error(s, E, E)
    share = along / square
    s.sure = 1 if (along > off) & (square - along > s.slack * (off + wide) + s.unit * square) & (square > 2 * wide) else 0
    s.weight[i], s.weight[j] = 1 - share, share
    for k in range(3):
        x = s.v[X, k] - share * s.v[E, k]
        s.v[N, k] = x if side == 0 else -x
    moved = (off + share * wide) / (square - wide) + s.unit * share if s.sure != 0 else 0 * share
    measure(s, N, s.radius[X] + s.radius[E] + moved * (s.norm[E] + s.radius[E]) + s.unit * (s.norm[X] + s.norm[E]))
    return dot(s, N, N)


@native
def of_face(s: WalkMemory, side: int, i: int, j: int, k: int) -> float:
    """A vertex of the other body, at X from corner i, and a triangle."""
    edge(s, E, side, i, j)
    edge(s, F, side, i, k)
    cross(s, M, E, F)
    cross(s, Y, X, F)
    cross(s, Z, E, X)
    square, b, c = dot(s, M, M), dot(s, Y, M), dot(s, Z, M)
    a = square - b - c
    if not (square > 0 and a > 0 and b > 0 and c > 0):
        return -1.0
    off_b, off_c = error(s, Y, M), error(s, Z, M)
    off_a = s.slack * (off_b + off_c + error(s, M, M)) + s.unit * (square + b + c)
    height = dot(s, X, M)
    s.inner = 0 if height >= 0 else 1 + side
    s.sure = 1 if (a > off_a) & (b > off_b) & (c > off_c) & (height > error(s, X, M)) else 0
    s.weight[i], s.weight[j], s.weight[k] = a / square, b / square, c / square
    along(s, side == 0)
    return height * height / square


@native
def of_edges(s: WalkMemory, i: int, j: int, k: int, m: int) -> float:
    """An edge of each body, X from the beginning of one to that of the other."""
    edge(s, E, 0, i, j)
    edge(s, F, 1, k, m)
    cross(s, M, E, F)
    cross(s, Y, X, F)
    cross(s, Z, X, E)
    square, a, b = dot(s, M, M), dot(s, Y, M), dot(s, Z, M)
    if not (0 < a < square and 0 < b < square):
        return -1.0
    off_a, off_b, wide = error(s, Y, M), error(s, Z, M), error(s, M, M)
    wide = s.slack * (wide + off_a + off_b) + s.unit * square
    height = dot(s, X, M)
    s.sure = 1 if (a > off_a) & (b > off_b) & (square - a > wide) & (square - b > wide) & (abs(height) > error(s, X, M)) else 0
    share, other = a / square, b / square
    s.weight[i], s.weight[j], s.weight[k], s.weight[m] = 1 - share, share, 1 - other, other
    along(s, height > 0)
    return height * height / square


@native
def along(s: WalkMemory, forward: bool) -> None:
    """Row N is row M, or minus that."""
    for k in range(3):
        s.v[N, k] = s.v[M, k] if forward else -s.v[M, k]
    s.radius[N], s.norm[N] = s.radius[M], s.norm[M]


@native
def nearest(s: WalkMemory) -> float:
    """Both features become those parts of them that hold the closest points, and the square of the distance, 0 where an edge crosses a
    triangle; -1 where rounding leaves none.
    """
    if s.dim[0] + s.dim[1] == 3 and crossing(s, 0 if s.dim[0] == 1 else 1, 0):
        return 0.0
    least, first, second = s.square, 0, 0
    for a in range(1, corners(s.dim[0]) + 1):
        for b in range(1, corners(s.dim[1]) + 1):
            square = critical(s, a, b)
            if square >= 0 and (first == 0 or square < least):
                least, first, second = square, a, b
    if first == 0:
        return -1.0
    for side in range(2):
        which = first if side == 0 else second
        for _ in range(s.turn[which]):
            s.slot[side] = s.after[s.slot[side]]
        s.dim[side] = s.members[which] - 1
    put_all(s)
    return critical(s, corners(s.dim[0]), corners(s.dim[1]))


@native
def corners(dim: int) -> int:
    """The set of all corners of a feature, as bits."""
    return 1 if dim == 0 else (3 if dim == 1 else 7)


@native
def crossing(s: WalkMemory, side: int, k: int) -> bool:
    """Whether the edge from corner k of this body crosses the triangle of the other. Corners on the plane are other features' business."""
    i, far, j = 3 * side + k, 3 * side + (k + 1) % 3, 3 * (1 - side)
    edge(s, E, 1 - side, j, j + 1)
    edge(s, F, 1 - side, j, j + 2)
    cross(s, M, E, F)
    difference(s, j, i)
    begin = dot(s, X, M)
    difference(s, j, far)
    end = dot(s, X, M)
    if begin * end >= 0:
        return False
    edge(s, N, side, i, far)
    up, down = 0, 0
    for m in range(3):
        difference(s, i, j + m)
        for c in range(3):
            s.v[Y, c] = s.v[X, c]
        difference(s, i, j + (m + 1) % 3)
        cross(s, Z, Y, X)
        turn = dot(s, Z, N)
        up += 1 if turn > 0 else 0
        down += 1 if turn < 0 else 0
    share = begin / (begin - end)
    for m in range(6):
        s.weight[m] = 0
    s.weight[i], s.weight[far] = 1 - share, share
    return up == 0 or down == 0
