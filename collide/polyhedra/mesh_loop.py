"""The search for the first contact of two meshes: best first over pairs of nodes of their trees.

The key of a pair is a time before which its nodes are apart. The pair with the least one is taken: if a node can be split, the two
pairs with its children are tested in eight windows, from that time to the earliest contact known; their keys are where the first
window begins in which they may meet. Two triangles are searched for contacts of the vertices and edges they stand for, by
`loop`; where that takes long, they are queued again with the time that was reached. What begins no earlier than a known
contact ends is dropped, so the search ends with the first one.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from ..search.native.queue import meld, without_root
from . import loop as linear_loop
from .loop import BEGINNING, CALLS, CONTROL, END, GIVEN_UP, HIT, KERNEL, LANES, MISS, MOST_CALLS, MOTION, TOLERANCE, cut, first_contact

FIELDS = {
    **linear_loop.FIELDS,
    "tally": int,      # (TALLIES,): see below
    "bound": float,    # (BOUNDS,)
    "best": float,     # (2, ANSWER): the proved contact that ends first, and what begins first of the others: see `note`
    "record": int,     # (RECORDS, 3): queries to be decided exactly: two triangles and what of them
    "q": float,        # (36,): the points of a query, which `loop` finds at its address
    # of each mesh
    "tree1": int, "tree2": int,          # children: see `mesh_tree.Tree`
    "size1": float, "size2": float,
    "corner1": int, "corner2": int,      # (m, 3)
    "owned1": int, "owned2": int,        # (m, 6)
    "vertex1": float, "vertex2": float,  # (n, 6)
    # queued pairs
    "pair": int,       # (boxes, 2): nodes
    "key": float,      # (boxes,)
    "child": int,      # (boxes,): pairing heap
    "sibling": int,    # (boxes,)
    "free": int,       # (boxes,): a stack of unused ones
}  # fmt: skip

# Addresses of kernels and of the boxes of both trees; the heap; and counts. MOST: of tests, all in all.
(BOXES, MEETING, VERTEX_FACE, FACE_VERTEX, EDGE_EDGE, NODES1, NODES2, ROOT, FREE, RECORDED, TESTS, QUERIES, LEAVES, MOST,
 TALLIES) = range(15)
# No contact is left after CUT that matters; none is before LEAST except in open pairs. LATER: before it none of the present triangles.
CUT, LEAST, LATER, BOUNDS = 0, 1, 2, 3
# What a query is about: vertex p of the first and the second triangle, p and 3 + p; edges p and q, 6 + 3 p + q; MEET, the triangles.
MEET, ANSWER, RECORDS = 15, 8, 64
FINISHED, SLICE, NEED_ROOM, DECIDE, SPENT = 0, 1, 2, 3, 4
_BYTES = 8 * 12


@native
def start(s):
    """Queue the pair of both roots."""
    s.tally[ROOT] = -1
    push(s, 0, 0, s.real[BEGINNING])
    return 0


@native
def search(s, tests):
    """Take pairs until so many tests are done; why it stopped. With DECIDE there are records, to be noted and taken away; with SPENT too
    few tests are left for the next pair.
    """
    enough = s.tally[TESTS] + tests
    while s.tally[TESTS] < enough:
        i = s.tally[ROOT]
        if i < 0 or s.key[i] >= s.bound[CUT]:
            return FINISHED
        if s.tally[TESTS] + 2 * LANES > s.tally[MOST]:
            return SPENT
        if s.tally[FREE] < 2:
            return NEED_ROOM
        s.tally[ROOT] = without_root(s, i)
        s.free[s.tally[FREE]] = i
        s.tally[FREE] += 1
        a, b, time = s.pair[2 * i], s.pair[2 * i + 1], s.key[i]
        if s.tree1[a] < 0 and s.tree2[b] < 0:
            s.bound[LATER] = np.inf
            triangles(s, -1 - s.tree1[a], -1 - s.tree2[b], time)
            if s.bound[LATER] < np.inf:
                push(s, a, b, s.bound[LATER])
            if s.tally[RECORDED] > 0:
                return DECIDE
        else:
            split(s, a, b, time)
    return SLICE


@native
def push(s, a, b, time):
    s.tally[FREE] -= 1
    i = s.free[s.tally[FREE]]
    s.pair[2 * i], s.pair[2 * i + 1], s.key[i] = a, b, time
    s.child[i], s.sibling[i] = -1, -1
    s.tally[ROOT] = meld(s, s.tally[ROOT], i)


@native
def windows(s, time):
    """Eight windows from `time` to the end of what matters, and the motions in them."""
    cut(s, time, min(s.bound[CUT], s.real[END]))
    if s.count[MOTION] != 0:
        call_kernel(s.count[MOTION], s.clock, s.numbers, s.raw)
        call_kernel(s.count[CONTROL], s.clock, s.raw, s.table)


@native
def split(s, a, b, time):
    """Queue the pairs of the larger node's children and the other node that may meet."""
    windows(s, time)
    second = s.tree1[a] < 0 or (s.tree2[b] >= 0 and s.size2[b] > s.size1[a])
    for k in range(2):
        if second:
            test(s, a, s.tree2[b] + k)
        else:
            test(s, s.tree1[a] + k, b)


@native
def test(s, a, b):
    """Queue a pair by the first window in which it may meet."""
    s.tally[TESTS] += LANES
    first, second = s.tally[NODES1] + a * _BYTES, s.tally[NODES2] + b * _BYTES
    if s.count[MOTION] == 0:
        call_kernel(s.tally[BOXES], first, second, s.a, s.b, s.out)
    else:
        call_kernel(s.tally[BOXES], first, second, s.table, s.out)
    for lane in range(LANES):
        if s.out[lane] > 0.0:
            push(s, a, b, s.a[lane])
            return
    return


@native
def triangles(s, i, j, time):
    """Note the contacts of two triangles from `time` on."""
    s.tally[LEAVES] += 1
    for p in range(3):
        if s.owned1[6 * i + p] != 0:
            point1(s, 0, s.corner1[3 * i + p])
            for k in range(3):
                point2(s, 1 + k, s.corner2[3 * j + k])
            ask(s, s.tally[VERTEX_FACE], i, j, p, time)
        if s.owned2[6 * j + p] != 0:
            point2(s, 0, s.corner2[3 * j + p])
            for k in range(3):
                point1(s, 1 + k, s.corner1[3 * i + k])
            ask(s, s.tally[FACE_VERTEX], i, j, 3 + p, time)
        if s.owned1[6 * i + 3 + p] != 0:
            for q in range(3):
                if s.owned2[6 * j + 3 + q] != 0:
                    edge(s, i, j, p, q)
                    ask(s, s.tally[EDGE_EDGE], i, j, 6 + 3 * p + q, time)
    if time == s.real[BEGINNING]:
        meet(s, i, j, time)


@native
def edge(s, i, j, p, q):
    point1(s, 0, s.corner1[3 * i + p])
    point1(s, 1, s.corner1[3 * i + (p + 1) % 3])
    point2(s, 2, s.corner2[3 * j + q])
    point2(s, 3, s.corner2[3 * j + (q + 1) % 3])


@native
def point1(s, k, vertex):
    """A vertex of the first mesh as point k of the query, at the beginning and, behind all four, at the end."""
    for c in range(3):
        s.q[3 * k + c], s.q[12 + 3 * k + c] = s.vertex1[6 * vertex + c], s.vertex1[6 * vertex + 3 + c]


@native
def point2(s, k, vertex):
    for c in range(3):
        s.q[3 * k + c], s.q[12 + 3 * k + c] = s.vertex2[6 * vertex + c], s.vertex2[6 * vertex + 3 + c]


@native
def ask(s, kernel, i, j, part, time):
    """The query in `q`, as far as it matters."""
    end = min(s.bound[CUT], s.real[END])
    if time > end:
        return
    most = (s.tally[MOST] - s.tally[TESTS]) // LANES
    if most == 0:
        s.bound[LATER] = min(s.bound[LATER], time)
        return
    s.count[KERNEL] = kernel
    s.tally[QUERIES] += 1
    verdict = first_contact(s, time, end, 0, most)
    s.tally[TESTS] += LANES * s.count[CALLS]
    if verdict == GIVEN_UP and (s.count[MOTION] != 0 or s.count[CALLS] < s.count[MOST_CALLS]):
        s.bound[LATER] = min(s.bound[LATER], s.answer[0])
    elif verdict == HIT or (verdict != MISS and s.count[MOTION] != 0):
        note(s, verdict, i, j, part)
    elif verdict != MISS:
        defer(s, i, j, part)
    return


@native
def defer(s, i, j, part):
    """A straight query for the exact method."""
    k = s.tally[RECORDED]
    s.record[3 * k], s.record[3 * k + 1], s.record[3 * k + 2] = i, j, part
    s.tally[RECORDED] += 1


@native
def note(s, verdict, i, j, part):
    """The bracket and the parameters in `answer`: what begins first, and of the proved ones what ends first. Where nothing is
    proved, it may still be that something else meets, provably, within the tolerance.
    """
    begin, end = s.answer[0], s.answer[1]
    s.bound[LEAST] = min(s.bound[LEAST], begin)
    row = 0 if verdict == HIT else 1
    if (row == 0 and end < s.best[1]) or (row == 1 and begin < s.best[ANSWER]):
        for k in range(4):
            s.best[ANSWER * row + k] = s.answer[k]
        s.best[ANSWER * row + 4], s.best[ANSWER * row + 5], s.best[ANSWER * row + 6] = i, j, part
        s.best[ANSWER * row + 7] = verdict
    if row == 0:
        s.bound[CUT] = min(s.bound[CUT], end)
    else:
        s.bound[CUT] = min(s.bound[CUT], max(begin + s.real[TOLERANCE], end))


@native
def meet(s, i, j, time):
    """Do the triangles meet at the beginning in more than a vertex or an edge with an edge?"""
    for k in range(3):
        for c in range(6):
            s.q[6 * k + c] = s.vertex1[6 * s.corner1[3 * i + k] + c]
            s.q[18 + 6 * k + c] = s.vertex2[6 * s.corner2[3 * j + k] + c]
    windows(s, time)
    if s.count[MOTION] == 0:
        call_kernel(s.tally[MEETING], s.q, s.a, s.out)
    else:
        call_kernel(s.tally[MEETING], s.q, s.table, s.out)
    s.answer[0], s.answer[1], s.answer[2], s.answer[3] = time, time, np.inf, np.inf
    if s.out[0] == 2.0:
        note(s, HIT, i, j, MEET)
    elif s.out[0] == 1.0:
        if s.count[MOTION] == 0:
            defer(s, i, j, MEET)
        else:
            note(s, 2, i, j, MEET)
