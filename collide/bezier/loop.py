"""The search for the earliest contact of two moving Bezier patches: best first over pairs of subpatches.

A box is a subpatch of each patch and a window of time; the first box of the heap has the earliest window. It is split,
and each part tested, which contracts its window from both sides (`kernel.test`), so time is never halved. From
time to time a local solve proposes a contact, which a proof turns into an upper bound of the time (`proof`). The
search ends when no window begins more than the tolerance before that bound. Nothing here needs rounding: windows come
from the kernel, and the answer is the interval from the least of all beginnings to the proved bound.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .heap import pop, push
from .kernel import MEASURES
from .memory import (
    BASE,
    BUDGET,
    CERTIFIED,
    CONTACT,
    CUT,
    DEGREE,
    ERROR,
    FREE,
    LANES,
    MEASURE,
    MISS,
    NO_ROOM,
    NODES,
    OPEN,
    POINTS,
    PROBLEM,
    RATIO,
    RATIONAL,
    ROOM_BOXES,
    ROOM_NODES,
    SCALE,
    SOLVES,
    SPENT,
    SPLIT_U,
    SPLIT_V,
    TEST,
    TEST_BOTH,
    TEST_HALVES,
    TESTS,
    TOLERANCE,
    UNRESOLVED,
    UPPER,
    USED,
)
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


@native
def search(s, first, last):
    """Solve the problems from `first` to `last` - 1; the number of the one that needs more memory, or `last`."""
    for k in range(first, last):
        s.count[PROBLEM] = k
        s.verdict[k] = solve(s, k)
        s.tests[k] = s.count[TESTS]
        if s.verdict[k] == NO_ROOM:
            return k
    return last


@native
def solve(s, k):
    begin(s, k)
    s.count[TESTS] += 1
    window(s, s.count[TEST], 0, 1, 0, 1, 0.0, 1.0)
    if s.out[0] > -s.out[4]:
        return MISS
    push(s, 0, 1, s.out[0], -s.out[4])
    pops, next_look, next_certificate = 0, _FIRST_LOOK, 0
    while s.count[OPEN] > 0:
        box = s.heap[0]
        tl = s.window[2 * box]
        if tl >= s.real[UPPER] - MARGIN * s.real[TOLERANCE]:
            return conclude(s, k, CONTACT, tl)
        if certified(s, box):
            s.real[CUT] = min(s.real[CUT], s.real[CERTIFIED])
            pop(s)
            continue
        pops += 1
        if pops >= next_look:
            next_look *= 2
            if not holds_best(s, box) and look(s, box, _NEAR):
                next_certificate = pops + _AFTER
                continue
        if pops >= next_certificate and s.real[UPPER] < np.inf and s.real[UPPER] - tl > _WORTH * s.real[TOLERANCE]:
            next_certificate = pops + pops // 2
            certify(s, _REGION * widest(s, box))
        if s.count[TESTS] >= s.count[BUDGET]:
            return conclude(s, k, SPENT, tl)
        if s.count[NODES] + 4 > s.count[ROOM_NODES] or s.count[USED] + 4 > s.count[ROOM_BOXES] + s.count[FREE]:
            return NO_ROOM
        size_a, size_b = size(s, s.pair[2 * box], tl), size(s, s.pair[2 * box + 1], tl)
        if max(size_a, size_b) <= _FINEST * s.real[TOLERANCE] * s.real[SCALE]:
            if look(s, box, _NEAR) or look(s, box, _FAR):
                continue
            return conclude(s, k, UNRESOLVED, tl)
        pop(s)
        divide(s, box, size_a, size_b)
    if s.real[UPPER] < np.inf:
        return conclude(s, k, CONTACT, np.inf)
    return MISS


@native
def begin(s, k):
    """Both whole patches as nodes 0 and 1, and an empty heap."""
    s.count[NODES] = 2
    s.count[USED] = 0
    s.count[FREE] = 0
    s.count[OPEN] = 0
    s.count[TESTS] = 0
    s.count[SOLVES] = 0
    s.real[UPPER] = np.inf
    s.real[CUT] = np.inf
    s.region[8] = -2.0
    largest, velocity, heaviest, lightest = _LEAST, 0.0, 1.0, 1.0
    points = s.count[POINTS]
    if s.count[RATIONAL] != 0:
        heaviest, lightest = 0.0, np.inf
    for patch in range(2):
        at = patch * (points + MEASURES) * LANES
        for c in range(points):
            w = 1.0
            if s.count[RATIONAL] != 0:
                w = s.weights[(2 * k + patch) * points + c]
                heaviest = max(heaviest, w)
                lightest = min(lightest, w)
            place, rate = 3 * ((4 * k + 2 * patch) * points + c), 3 * ((4 * k + 2 * patch + 1) * points + c)
            for i in range(3):
                s.node[at + LANES * c + i] = w * s.q[place + i]
                s.node[at + LANES * c + 4 + i] = w * s.q[rate + i]
                largest = max(largest, abs(s.q[place + i]))
                velocity = max(velocity, abs(s.q[rate + i]))
            s.node[at + LANES * c + 3] = w
            s.node[at + LANES * c + 7] = 0.0
        call_kernel(s.count[MEASURE], address(s, patch))
        s.rectangle[4 * patch], s.rectangle[4 * patch + 1] = 0.0, 1.0
        s.rectangle[4 * patch + 2], s.rectangle[4 * patch + 3] = 0.0, 1.0
    s.real[SCALE] = largest + velocity
    s.real[RATIO] = heaviest / lightest
    for patch in range(2):
        fresh(s, patch, 0)
    for i in range(3):
        s.normal[i] = 0.0


@native
def fresh(s, node, depth):
    """A node without halves; its radius, by the formula of `kernel.radius`, and the errors of what was given."""
    s.child[node] = -1
    s.depth[node] = depth
    s.radius[node] = (2.0 * (2.0 * (1 + depth * s.count[DEGREE]) + 6.0) * s.real[RATIO] * _UNIT + s.real[ERROR]) * s.real[SCALE]


@native
def address(s, node):
    return s.count[BASE] + node * (s.count[POINTS] + MEASURES) * LANES * 8


@native
def measured(s, node, which, i, t):
    """Coordinate i of one of the vectors of a node, at time t."""
    at = (node * (s.count[POINTS] + MEASURES) + s.count[POINTS] + which) * LANES
    return s.node[at + i] + t * s.node[at + 4 + i]


@native
def extent(s, node, along_v, t):
    """A size of the node along u or v."""
    largest = 0.0
    for i in range(3):
        largest = max(largest, measured(s, node, 3 + along_v, i, t))
    return largest


@native
def size(s, node, t):
    return max(extent(s, node, 0, t), extent(s, node, 1, t))


@native
def window(s, kernel, e, f, a, b, tl, th):
    """Test parts a of node e with parts b of node f; the new windows are in `out`, see `kernel.test`."""
    s.T[0] = tl
    s.T[1] = th
    s.T[2] = s.radius[a] + s.radius[b]
    s.T[3] = 1.0 if s.real[UPPER] < np.inf else 0.0
    call_kernel(kernel, address(s, e), address(s, f), address(s, a), address(s, b), s.normal, s.T, s.out)


@native
def halves(s, node, t):
    """The first of the two halves of a node; they are made along its longer side when first wanted."""
    if s.child[node] < 0:
        first = s.count[NODES]
        s.count[NODES] += 2
        along_v = extent(s, node, 1, t) > extent(s, node, 0, t)
        cut(s, node, first, 1 if along_v else 0)
        s.child[node] = first
    return s.child[node]


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
def divide(s, box, size_a, size_b):
    """Split the larger subpatch of a box, or both if they are of like size, and test the parts."""
    a, b = s.pair[2 * box], s.pair[2 * box + 1]
    tl, th = s.window[2 * box], min(s.window[2 * box + 1], s.real[UPPER])
    swapped = size_a * _ALIKE < size_b
    if swapped:
        a, b, size_a, size_b = b, a, size_b, size_a
    first, second, parts = halves(s, a, tl), b, 1
    if size_b * _ALIKE >= size_a:
        second, parts = halves(s, b, tl), 2
    window(s, s.count[TEST_BOTH] if parts == 2 else s.count[TEST_HALVES], a, b, first, second, tl, th)
    s.count[TESTS] += 2 * parts
    latest = s.real[UPPER] - MARGIN * s.real[TOLERANCE]
    for k in range(2 * parts):
        tl, th = s.out[k], -s.out[4 + k]
        if tl <= th:
            if tl >= latest:
                s.real[CUT] = min(s.real[CUT], tl)
            elif swapped:
                push(s, second, first + k, tl, th)
            else:
                push(s, first + k // parts, second + k % parts, tl, th)


@native
def widest(s, box):
    """The largest width of a parameter."""
    width = 0.0
    for i in range(4):
        at = 4 * s.pair[2 * box + i // 2] + 2 * (i % 2)
        width = max(width, s.rectangle[at + 1] - s.rectangle[at])
    return width


@native
def holds_best(s, box):
    """Is the best contact so far in the box?"""
    if s.real[UPPER] == np.inf:
        return False
    for i in range(4):
        at = 4 * s.pair[2 * box + i // 2] + 2 * (i % 2)
        if s.best[i] < s.rectangle[at] or s.best[i] > s.rectangle[at + 1]:
            return False
    return True


@native
def conclude(s, k, verdict, tl):
    """Write the answer: no contact before the bound found, and a proved one before the upper bound, if there is any."""
    lower = min(tl, s.real[CUT])
    upper = s.real[UPPER]
    s.time[2 * k] = lower
    s.time[2 * k + 1] = min(upper, lower + MARGIN * s.real[TOLERANCE] if verdict == UNRESOLVED else 1.0)
    if upper < np.inf and verdict != UNRESOLVED:
        s.proved[k] = 1
    for i in range(4):
        s.parameters[4 * k + i] = s.best[i]
    if upper == np.inf:
        box = s.heap[0]
        for i in range(4):
            at = 4 * s.pair[2 * box + i // 2] + 2 * (i % 2)
            s.parameters[4 * k + i] = 0.5 * (s.rectangle[at] + s.rectangle[at + 1])
    return verdict
