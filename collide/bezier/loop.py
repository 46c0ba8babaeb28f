"""The search for the earliest contact of two moving Bezier patches: best first over pairs of subpatches.

A box is a subpatch of each patch and a window of time; the first box of the heap has the earliest window. It is split,
and each part tested, which contracts its window from both sides (`kernel.test`), so time is never halved. From
time to time a local solve proposes a contact, which a proof turns into an upper bound of the time (`proof`). The
search ends when no window begins more than the tolerance before that bound. Nothing here needs rounding: windows come
from the kernel, and the answer is the interval from the least of all beginnings to the proved bound.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native
from codegen.machine.structures import LaneArray

from .heap import first_box, pop, push
from .kernel import MEASURES
from .memory import CONTACT, MISS, NO_ROOM, SPENT, UNRESOLVED, Candidate, PairsMemory, PatchPair, Subpatch
from .proof import MARGIN, certified, certify, look

# Subpatches within this factor of size are split together.
_ALIKE = 3.0
# Below this part of the tolerance, relative to the size of the patches, boxes are no longer split.
_FINEST = 0.01
# The first local solve; the others each after twice as many boxes. Its steps may be so many widths of the box.
_FIRST_LOOK, _NEAR, _FAR = 16, 2.0, np.inf
# A certificate is tried for boxes up to so many times as wide, where the time is still so many tolerances off.
_REGION, _WORTH = 4.0, 100.0
_AFTER = 4
# As in `kernel.radius`.
_LEAST, _UNIT = 2.0**-900, 2.0**-52
# Of the five vectors of `kernel.measure`.
ALONG_U, ALONG_V, CENTRE, VARIATION_U, VARIATION_V = range(MEASURES)


@native
def search(s: PairsMemory, first: int, last: int) -> int:
    """Solve the problems from `first` to `last` - 1; the number of the one that needs more memory, or `last`."""
    for k in range(first, last):
        s.present = s.pair[k]
        verdict = solve(s, s.present)
        s.present.verdict, s.present.tests = verdict, s.tests
        if verdict == NO_ROOM:
            return k
    return last


@native
def solve(s: PairsMemory, pair: PatchPair) -> int:
    load(s, pair)
    s.tests += 1
    test(s, s.test, s.node[0], s.node[1], s.node[0], s.node[1], 0.0, 1.0)
    if s.windows[0, 0] > -s.windows[1, 0]:
        return MISS
    push(s, s.node[0], s.node[1], s.windows[0, 0], -s.windows[1, 0])
    pops, next_look, next_certificate = 0, _FIRST_LOOK, 0
    while s.open > 0:
        box = first_box(s)
        if box.begin >= s.proved - MARGIN * s.tolerance:
            return conclude(s, pair, CONTACT, box.begin)
        if certified(s, box):
            s.cut = min(s.cut, s.certified)
            pop(s)
            continue
        pops += 1
        if pops >= next_look:
            next_look *= 2
            if not holds_best(s, box) and look(s, box, _NEAR):
                next_certificate = pops + _AFTER
                continue
        if pops >= next_certificate and s.proved < np.inf and s.proved - box.begin > _WORTH * s.tolerance:
            next_certificate = pops + pops // 2
            certify(s, _REGION * box.widest())
        if s.tests >= s.most:
            return conclude(s, pair, SPENT, box.begin)
        if s.nodes + 4 > s.node_room or s.used + 4 > s.box_room + s.unused:
            return NO_ROOM
        size_a, size_b = size(s, box.first, box.begin), size(s, box.second, box.begin)
        if max(size_a, size_b) <= _FINEST * s.tolerance * s.scale:
            if look(s, box, _NEAR) or look(s, box, _FAR):
                continue
            return conclude(s, pair, UNRESOLVED, box.begin)
        pop(s)
        divide(s, box, size_a, size_b)
    if s.proved < np.inf:
        return conclude(s, pair, CONTACT, np.inf)
    return MISS


@native
def load(s: PairsMemory, pair: PatchPair) -> None:
    """Both whole patches as nodes 0 and 1, and an empty heap."""
    s.nodes, s.used, s.unused, s.open, s.tests = 2, 0, 0, 0, 0
    s.proved, s.cut = np.inf, np.inf
    s.region.put_lo(4, 2.0)
    largest, velocity, heaviest, lightest = _LEAST, 0.0, 1.0, 1.0
    if s.rational != 0:
        heaviest, lightest = 0.0, np.inf
    for side in range(2):
        for c in range(s.points):
            w = 1.0
            if s.rational != 0:
                w = pair.weights[side, c]
                heaviest = max(heaviest, w)
                lightest = min(lightest, w)
            for i in range(3):
                largest = max(largest, abs(pair.q[side, 0, c, i]))
                velocity = max(velocity, abs(pair.q[side, 1, c, i]))
            copy_point(s.node[side].vectors, pair, side, c, w)
    s.scale = largest + velocity
    s.ratio = heaviest / lightest
    for side in range(2):
        whole(s, s.node[side])
    for i in range(3):
        s.normal[i] = 0.0


@native
def copy_point(vectors: LaneArray, pair: PatchPair, side: int, c: int, w: float) -> None:
    """Control point c, of weight w, of one patch of a pair, as that of a node."""
    for i in range(3):
        vectors[c, i], vectors[c, 4 + i] = w * pair.q[side, 0, c, i], w * pair.q[side, 1, c, i]
    vectors[c, 3], vectors[c, 7] = w, 0.0


@native
def whole(s: PairsMemory, node: Subpatch) -> None:
    """A node whose control points are those of a patch."""
    call_kernel(s.measure, node.vectors)
    for side in range(2):
        node.rectangle.put(side, 0.0, 1.0)
    fresh(s, node, 0)


@native
def fresh(s: PairsMemory, node: Subpatch, depth: int) -> None:
    """A node without halves; its radius, by the formula of `kernel.radius`, and the errors of what was given."""
    node.child, node.depth = -1, depth
    node.radius = (2.0 * (2.0 * (1 + depth * s.degree) + 6.0) * s.ratio * _UNIT + s.error) * s.scale


@native
def measured(s: PairsMemory, node: Subpatch, which: int, i: int, t: float) -> float:
    """Coordinate i of one of the vectors of a node, at time t."""
    return node.vectors[s.points + which, i] + t * node.vectors[s.points + which, 4 + i]


@native
def extent(s: PairsMemory, node: Subpatch, variation: int, t: float) -> float:
    """A size of the node along u or v."""
    largest = 0.0
    for i in range(3):
        largest = max(largest, measured(s, node, variation, i, t))
    return largest


@native
def size(s: PairsMemory, node: Subpatch, t: float) -> float:
    return max(extent(s, node, VARIATION_U, t), extent(s, node, VARIATION_V, t))


@native
def test(s: PairsMemory, kernel: int, e: Subpatch, f: Subpatch, a: Subpatch, b: Subpatch, begin: float, end: float) -> None:
    """Test parts of node e, the first of them a, with parts of node f, the first of them b; see `kernel.test` for `windows`."""
    s.T[0], s.T[1] = begin, end
    s.T[2] = a.radius + b.radius
    s.T[3] = 1.0 if s.proved < np.inf else 0.0
    call_kernel(kernel, e.vectors, f.vectors, a.vectors, b.vectors, s.normal, s.T, s.windows)


@native
def halves(s: PairsMemory, node: Subpatch, t: float) -> int:
    """The number of the first of the two halves of a node; they are made along its longer side when first wanted."""
    if node.child < 0:
        first = s.nodes
        s.nodes += 2
        along_v = extent(s, node, VARIATION_V, t) > extent(s, node, VARIATION_U, t)
        halve(s, node, first, 1 if along_v else 0)
        node.child = first
    return node.child


@native
def halve(s: PairsMemory, node: Subpatch, first: int, along_v: int) -> None:
    """Halve a node along u or v."""
    call_kernel(s.split_v if along_v != 0 else s.split_u, node.vectors, s.node[first].vectors, s.node[first + 1].vectors)
    middle = node.rectangle.middle(along_v)
    for k in range(2):
        half = s.node[first + k]
        for side in range(2):
            half.rectangle.put(side, node.rectangle.lo(side), node.rectangle.hi(side))
        if k == 0:
            half.rectangle.put_hi(along_v, middle)
        else:
            half.rectangle.put_lo(along_v, middle)
        fresh(s, half, node.depth + 1)


@native
def divide(s: PairsMemory, box: Candidate, size_a: float, size_b: float) -> None:
    """Split the larger subpatch of a box, or both if they are of like size, and test the parts."""
    a, b, begin, end = box.first, box.second, box.begin, min(box.end, s.proved)
    swapped = size_a * _ALIKE < size_b
    if swapped:
        a, b, size_a, size_b = b, a, size_b, size_a
    first, second, parts = halves(s, a, begin), b.number, 1
    if size_b * _ALIKE >= size_a:
        second, parts = halves(s, b, begin), 2
    test(s, s.test_both if parts == 2 else s.test_halves, a, b, s.node[first], s.node[second], begin, end)
    s.tests += 2 * parts
    latest = s.proved - MARGIN * s.tolerance
    for k in range(2 * parts):
        begin, end = s.windows[0, k], -s.windows[1, k]
        if begin <= end:
            if begin >= latest:
                s.cut = min(s.cut, begin)
            elif swapped:
                push(s, s.node[second], s.node[first + k], begin, end)
            else:
                push(s, s.node[first + k // parts], s.node[second + k % parts], begin, end)


@native
def holds_best(s: PairsMemory, box: Candidate) -> bool:
    """Whether the best contact so far is in the box."""
    if s.proved == np.inf:
        return False
    for j in range(4):
        if s.best[j] < box.lo(j) or s.best[j] > box.hi(j):
            return False
    return True


@native
def conclude(s: PairsMemory, pair: PatchPair, verdict: int, begin: float) -> int:
    """Write the answer: no contact before the bound found, and a proved one before the upper bound, if there is any."""
    pair.time[0] = min(begin, s.cut)
    pair.time[1] = min(s.proved, pair.time[0] + MARGIN * s.tolerance if verdict == UNRESOLVED else 1.0)
    pair.proved = 1 if s.proved < np.inf and verdict != UNRESOLVED else 0
    box = first_box(s)
    for j in range(4):
        pair.parameters[j] = s.best[j] if s.proved < np.inf else 0.5 * (box.lo(j) + box.hi(j))
    return verdict
