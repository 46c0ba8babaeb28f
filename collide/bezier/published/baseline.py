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

from ..heap import first_box, pop, push
from ..loop import fresh, halve, load
from ..memory import MISS, NO_ROOM, SPENT, UNRESOLVED, PatchPair, Subpatch
from .axes import meeting, oriented_axes, world_axes
from .contacts_memory import AxesMemory

WORLD, ORIENTED_AT_ZERO, ORIENTED = 0, 1, 2
# Added to these: bisect time.
TRADITIONAL = 10


@native
def baseline(s: AxesMemory, first: int, last: int, axes: int) -> int:
    """As `loop.search`."""
    for k in range(first, last):
        s.present = s.pair[k]
        verdict = solve(s, s.present, axes)
        s.present.verdict, s.present.tests = verdict, s.tests
        if verdict == NO_ROOM:
            return k
    return last


@native
def solve(s: AxesMemory, pair: PatchPair, axes: int) -> int:
    load(s, pair)
    s.tests = 1
    if not meet(s, s.node[0], s.node[1], 0.0, 1.0, axes):
        return MISS
    push(s, s.node[0], s.node[1], s.period[0], s.period[1])
    while s.open > 0:
        box = first_box(s)
        a, b, begin, end = box.first, box.second, box.begin, box.end
        if abs(a.rectangle.width(0)) < s.tolerance:
            return answer(s, pair, a, b, begin, UNRESOLVED)
        if s.tests >= s.most:
            return answer(s, pair, a, b, begin, SPENT)
        if s.nodes + 12 > s.node_room or s.used + 32 > s.box_room + s.unused:
            return NO_ROOM
        pop(s)
        first, second = quarters(s, a), quarters(s, b)
        parts, middle = 2 if axes >= TRADITIONAL else 1, 0.5 * (begin + end)
        for part in range(16 * parts):
            i, j, half = s.node[first + part // 4 % 4], s.node[second + part % 4], part // 16
            s.tests += 1
            if meet(s, i, j, middle if half == 1 else begin, middle if half < parts - 1 else end, axes % TRADITIONAL):
                push(s, i, j, s.period[0], s.period[1])
    return MISS


@native
def answer(s: AxesMemory, pair: PatchPair, a: Subpatch, b: Subpatch, begin: float, verdict: int) -> int:
    pair.time[0], pair.time[1] = begin, begin + s.tolerance
    for i in range(2):
        pair.parameters[i], pair.parameters[2 + i] = a.rectangle.lo(i), b.rectangle.lo(i)
    return verdict


@native
def quarters(s: AxesMemory, node: Subpatch) -> int:
    """The number of the first of the four quarters of a node; of a tensor-product patch, its halves come before them in memory."""
    if node.child < 0:
        half = s.nodes
        s.nodes += 6
        node.child = half + 2
        if s.split_v == 0:
            quarter_triangle(s, node, half + 2)
        else:
            halve(s, node, half, 0)
            halve(s, s.node[half], half + 2, 1)
            halve(s, s.node[half + 1], half + 4, 1)
    return node.child


@native
def quarter_triangle(s: AxesMemory, node: Subpatch, first: int) -> None:
    """Quarter a triangular patch. Its rectangle says where the corner w = 1 is, and the way from there to the others, negative in
    the middle part.
    """
    call_kernel(s.split_u, node.vectors, s.node[first].vectors)
    for part in range(4):
        for side in range(2):
            start = node.rectangle.lo(side)
            half = 0.5 * node.rectangle.width(side)
            corner = start + half if part == side or part == 3 else start
            s.node[first + part].rectangle.put(side, corner, corner - half if part == 3 else corner + half)
        fresh(s, s.node[first + part], node.depth + 1)


@native
def meet(s: AxesMemory, a: Subpatch, b: Subpatch, begin: float, end: float, axes: int) -> bool:
    """The period in which the bounding boxes of two nodes intersect; whether there is one."""
    if axes == WORLD:
        world_axes(s)
        return meeting(s, a, b, begin, end, 1)
    oriented_axes(s, a, b, begin if axes == ORIENTED else 0.0)
    return meeting(s, a, b, begin, end, 2)
