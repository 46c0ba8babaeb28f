"""Chen et al. 2024, Algorithms 1 and 2, as published: the baselines that the search of `loop` is compared with.

Boxes of the four parameters are bisected in all of them at once, triangular patches at the middles of their sides; each of the
16 parts keeps the period in which its two bounding boxes intersect, and the box whose period begins first comes next. A box
narrower than the tolerance is accepted.
The axes are those of the bounding boxes: of the world, or the 15 of two oriented boxes, at t = 0 as printed or at the
beginning of the box's own period. In the traditional method (Algorithm 1) the boxes bound the volumes swept in the
window, and time is bisected too.

Rational patches are polynomial ones of weighted points and weights: halves and quarters are averages of those, and with positive
weights a patch lies in the hull of its points at every time, which is all that the method asks for.

The margins of a millionth of the paper are replaced by the bound of rounding errors of `kernel.radius`, so what a box
leaves out is proved to be free of contact.
"""

from codegen.machine.loops import call_kernel, native

from ..heap import pop, push
from ..loop import address, begin, cut, fresh
from ..memory import (
    BUDGET,
    FREE,
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
    TESTS,
    TOLERANCE,
    UNRESOLVED,
    USED,
)
from .axes import meeting, oriented_axes, world_axes

WORLD, ORIENTED_AT_ZERO, ORIENTED = 0, 1, 2
# Added to these: bisect time.
TRADITIONAL = 10


@native
def baseline(s, first, last, axes):
    """As `loop.search`."""
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
        parts, middle = 2 if axes >= TRADITIONAL else 1, 0.5 * (tl + th)
        for part in range(16 * parts):
            i, j, half = part // 4 % 4, part % 4, part // 16
            s.count[TESTS] += 1
            if period(s, first + i, second + j, middle if half == 1 else tl, middle if half < parts - 1 else th, axes % TRADITIONAL):
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
def period(s, a, b, tl, th, axes):
    """The period in which the bounding boxes of two nodes intersect, into `out`; is there one?"""
    if axes == WORLD:
        world_axes(s)
        return meeting(s, a, b, tl, th, 1)
    oriented_axes(s, a, b, tl if axes == ORIENTED else 0.0)
    return meeting(s, a, b, tl, th, 2)
