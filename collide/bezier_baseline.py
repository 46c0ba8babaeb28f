"""Chen et al. 2024, Algorithms 1 and 2, as published: the baselines that the search of `bezier_loop` is compared with.

Boxes of the four parameters are bisected in all of them at once, triangular patches at the middles of their sides; each of the
16 parts keeps the period in which its two bounding boxes intersect, and the box whose period begins first comes next. A box
narrower than the tolerance is accepted.
The axes are those of the bounding boxes: of the world, or the 15 of two oriented boxes, at t = 0 as printed or at the
beginning of the box's own period. In the traditional method (Algorithm 1) the boxes bound the volumes swept in the
window, and time is bisected too.
"""

from codegen.loops import call_kernel, native

from .bezier_loop import address, begin, fresh, measured, pop, push
from .bezier_memory import (
    BUDGET,
    FREE,
    LANES,
    MISS,
    NO_ROOM,
    NODES,
    OPEN,
    PROBLEM,
    ROOM_BOXES,
    ROOM_NODES,
    SPENT,
    SPLIT_U,
    SPLIT_V,
    TEST,
    TESTS,
    TOLERANCE,
    UNRESOLVED,
    USED,
)

WORLD, ORIENTED_AT_ZERO, ORIENTED = 0, 1, 2
# Added to these: bisect time.
TRADITIONAL = 10


@native
def baseline(s, first, last, axes):
    """As `bezier_loop.search`."""
    for k in range(first, last):
        s.count[PROBLEM] = k
        s.verdict[k] = solve(s, k, axes)
        s.tests[k] = s.count[TESTS]
        if s.verdict[k] == NO_ROOM:
            return k
    return last


@native
def solve(s, k, axes):
    begin(s, k)
    s.count[TESTS] = 1
    if not period(s, 0, 1, 0.0, 1.0, axes):
        return MISS
    push(s, 0, 1, s.out[0], s.out[1])
    while s.count[OPEN] > 0:
        box = s.heap[0]
        a, b = s.pair[2 * box], s.pair[2 * box + 1]
        tl, th = s.window[2 * box], s.window[2 * box + 1]
        if abs(s.rectangle[4 * a + 1] - s.rectangle[4 * a]) < s.real[TOLERANCE]:
            return answer(s, k, a, b, tl, UNRESOLVED)
        if s.count[TESTS] >= s.count[BUDGET]:
            return answer(s, k, a, b, tl, SPENT)
        if s.count[NODES] + 12 > s.count[ROOM_NODES] or s.count[USED] + 32 > s.count[ROOM_BOXES] + s.count[FREE]:
            return NO_ROOM
        pop(s)
        first, second = quarters(s, a), quarters(s, b)
        parts = 2 if axes >= TRADITIONAL else 1
        for part in range(16 * parts):
            i, j, half = part // 4 % 4, part % 4, part // 16
            s.count[TESTS] += 1
            width = (th - tl) / parts
            if period(s, first + i, second + j, tl + half * width, tl + (half + 1) * width, axes % TRADITIONAL):
                push(s, first + i, second + j, s.out[0], s.out[1])
    return MISS


@native
def answer(s, k, a, b, tl, verdict):
    s.time[2 * k] = tl
    s.time[2 * k + 1] = tl + s.real[TOLERANCE]
    for i in range(2):
        s.parameters[4 * k + i] = s.rectangle[4 * a + 2 * i]
        s.parameters[4 * k + 2 + i] = s.rectangle[4 * b + 2 * i]
    return verdict


@native
def quarters(s, node):
    """The first of the four quarters of a node; of a tensor-product patch, its halves come before them in memory."""
    if s.child[node] < 0:
        half = s.count[NODES]
        s.count[NODES] += 6
        s.child[node] = half + 2
        if s.count[SPLIT_V] == 0:
            cut_triangle(s, node, half + 2)
        else:
            cut(s, node, half, 0)
            cut(s, half, half + 2, 1)
            cut(s, half + 1, half + 4, 1)
    return s.child[node]


@native
def cut_triangle(s, node, first):
    """Quarter a triangular patch. Its rectangle says where the corner w = 1 is, and the way from there to the others, negative in
    the middle part.
    """
    call_kernel(s.count[SPLIT_U], address(s, node), address(s, first))
    for part in range(4):
        for side in range(2):
            start = s.rectangle[4 * node + 2 * side]
            half = 0.5 * (s.rectangle[4 * node + 2 * side + 1] - start)
            corner = start + half if part == side or part == 3 else start
            s.rectangle[4 * (first + part) + 2 * side] = corner
            s.rectangle[4 * (first + part) + 2 * side + 1] = corner - half if part == 3 else corner + half
        fresh(s, first + part, s.depth[node] + 1)


@native
def cut(s, node, first, along_v):
    """Halve a node along u or v."""
    call_kernel(s.count[SPLIT_V] if along_v != 0 else s.count[SPLIT_U], address(s, node), address(s, first), address(s, first + 1))
    side = 2 * along_v
    middle = 0.5 * (s.rectangle[4 * node + side] + s.rectangle[4 * node + side + 1])
    for half in range(2):
        for i in range(4):
            s.rectangle[4 * (first + half) + i] = s.rectangle[4 * node + i]
        s.rectangle[4 * (first + half) + side + 1 - half] = middle
        fresh(s, first + half, s.depth[node] + 1)


@native
def axis(s, k, x, y, z):
    """Axis k of 16: two groups of three blocks."""
    at = 3 * LANES * (k // LANES) + k % LANES
    s.D[at] = x
    s.D[at + LANES] = y
    s.D[at + 2 * LANES] = z


@native
def crossed(s, k, i, j):
    """Axis k is the cross product of axes i and j."""
    a, b = 3 * LANES * (i // LANES) + i % LANES, 3 * LANES * (j // LANES) + j % LANES
    x1, y1, z1 = s.D[a], s.D[a + LANES], s.D[a + 2 * LANES]
    x2, y2, z2 = s.D[b], s.D[b + LANES], s.D[b + 2 * LANES]
    axis(s, k, y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2)


@native
def period(s, a, b, tl, th, axes):
    """The period in which the bounding boxes of two nodes intersect, into `out`; is there one?"""
    groups = 1
    for k in range(16):
        axis(s, k, 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
    if axes != WORLD:
        groups = 2
        t = tl if axes == ORIENTED else 0.0
        for side in range(2):
            node = a if side == 0 else b
            axis(s, 3 * side, measured(s, node, 0, 0, t), measured(s, node, 0, 1, t), measured(s, node, 0, 2, t))
            axis(s, 3 * side + 1, measured(s, node, 1, 0, t), measured(s, node, 1, 1, t), measured(s, node, 1, 2, t))
            crossed(s, 3 * side + 1, 3 * side, 3 * side + 1)
            crossed(s, 3 * side + 2, 3 * side, 3 * side + 1)
        for i in range(3):
            for j in range(3):
                crossed(s, 6 + 3 * i + j, i, 3 + j)
    s.T[0] = tl
    s.T[1] = th
    s.T[2] = s.radius[a] + s.radius[b]
    call_kernel(s.count[TEST], address(s, a), address(s, b), s.D, s.T, s.J)
    for i in range(3 * LANES):
        s.D[i] = s.D[3 * LANES + i]
    if groups == 2:
        for i in range(4 * LANES):
            s.X[i] = s.J[i]
        call_kernel(s.count[TEST], address(s, a), address(s, b), s.D, s.T, s.J)
        for i in range(4 * LANES):
            s.J[4 * LANES + i] = s.X[i]
    for _ in range(4):
        before, after = tl, th
        for block in range(0, 4 * groups, 2):
            for lane in range(LANES):
                start, stop = s.J[block * LANES + lane], s.J[(block + 1) * LANES + lane]
                if start < stop:
                    if start <= tl:
                        tl = max(tl, stop)
                    if stop >= th:
                        th = min(th, start)
        if tl > th or (tl == before and th == after):
            break
    s.out[0] = tl
    s.out[1] = th
    return tl <= th
