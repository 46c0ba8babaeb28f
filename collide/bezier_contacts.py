"""Contacts of several moving Bezier patches by the method of Chen et al. 2024, Algorithms 2 and 3, on one queue.

A box is a subpatch of two patches of different bodies and a window of time: the period in which, along the 15 axes of their
oriented boxes, the hulls of their control points meet. The axes are taken at the beginning of the window. The four parameters
are bisected together; a box narrower than the tolerance is accepted. What is ours: periods are rounded so that nothing is lost
(`bezier_apart`); boxes come by the beginning of the window up to a small step of time, and the narrowest of those first, so that
contact along a curve is reached without breaking all of it into the finest boxes; an accepted box thins out those within the
separation of it, as in Snyder et al. 1993, Section 3.2; and in it the existence of a contact is tried to prove (`bezier_confirm`).

Only what `bezier_apart` says discards a box. Whatever is accepted or thinned lowers CLEAR, before which no contact is left out.
"""

import numpy as np

from codegen.loops import call_kernel, native

from .bezier_baseline import axis, crossed, quarters
from .bezier_confirm import confirm, copy_patch
from .bezier_contacts_memory import CLEAR, FIRST, PATCHES, ROOM_SOLUTIONS, SEPARATION, SIMULTANEITY, SOLUTIONS, SPARE, STEP
from .bezier_loop import address, measured
from .bezier_memory import FREE, LANES, NODES, OPEN, ROOM_BOXES, ROOM_NODES, TEST, TESTS, TOLERANCE, USED
from .layout import FINISHED, LOCATED, NEED_BOXES, NEED_SOLUTIONS, SLICE


@native
def start(s):
    """Nodes of all patches, and a box for every pair of different bodies that may meet; how many."""
    patches = s.state[PATCHES]
    s.count[NODES] = SPARE + patches
    for k in range(patches):
        copy_patch(s, k, SPARE + k, 0)
        s.root[SPARE + k] = k
    for i in range(patches):
        for j in range(i + 1, patches):
            if s.body[i] != s.body[j]:
                s.count[TESTS] += 1
                if meeting(s, SPARE + i, SPARE + j, 0.0, 1.0):
                    push(s, SPARE + i, SPARE + j, s.out[0], s.out[1])
    return s.count[OPEN]


@native
def run(s, steps):
    """Up to so many boxes; why it stopped."""
    for _ in range(steps):
        if s.count[OPEN] == 0:
            return FINISHED
        if s.count[NODES] + 12 > s.count[ROOM_NODES] or s.count[USED] + 16 > s.count[ROOM_BOXES] + s.count[FREE]:
            return NEED_BOXES
        if s.state[SOLUTIONS] >= s.state[ROOM_SOLUTIONS]:
            return NEED_SOLUTIONS
        box = pop(s)
        a, b = s.pair[2 * box], s.pair[2 * box + 1]
        tl, th = s.window[2 * box], s.window[2 * box + 1]
        if tl > s.limit[FIRST] + s.limit[SIMULTANEITY]:
            continue
        if thinned(s, a, b, tl):
            s.limit[CLEAR] = min(s.limit[CLEAR], tl)
        elif s.rectangle[4 * a + 1] - s.rectangle[4 * a] < s.real[TOLERANCE]:
            accept(s, box, a, b, tl, th)
        else:
            divide(s, a, b, tl, th)
    return SLICE


@native
def divide(s, a, b, tl, th):
    first, second = quarters(s, a), quarters(s, b)
    for part in range(16):
        i, j = first + part // 4, second + part % 4
        s.root[i], s.root[j] = s.root[a], s.root[b]
        s.count[TESTS] += 1
        if meeting(s, i, j, tl, th) and s.out[0] <= s.limit[FIRST] + s.limit[SIMULTANEITY]:
            push(s, i, j, s.out[0], s.out[1])


# -- the period of intersection -----------------------------------------------------------------------------------


@native
def meeting(s, a, b, tl, th):
    """The period in which the hulls of two nodes may meet along all 15 axes, into `out`; is there one?

    Each axis removes a proved period. What is left is enclosed by one interval, as in Algorithm 3.
    """
    axes_of(s, a, b, tl)
    s.T[0] = tl
    s.T[1] = th
    s.T[2] = s.radius[a] + s.radius[b]
    call_kernel(s.count[TEST], address(s, a), address(s, b), s.D, s.T, s.J)
    for i in range(3 * LANES):
        s.D[i] = s.D[3 * LANES + i]
    for i in range(4 * LANES):
        s.X[i] = s.J[i]
    call_kernel(s.count[TEST], address(s, a), address(s, b), s.D, s.T, s.J)
    for i in range(4 * LANES):
        s.J[4 * LANES + i] = s.X[i]
    changed = True
    while changed and tl <= th:
        changed = False
        for block in range(0, 8, 2):
            for lane in range(LANES):
                begin, stop = s.J[block * LANES + lane], s.J[(block + 1) * LANES + lane]
                if begin <= stop:
                    if begin <= tl and stop > tl:
                        tl = stop
                        changed = True
                    if stop >= th and begin < th:
                        th = begin
                        changed = True
                    if begin <= tl and stop >= th:
                        return False
    s.out[0] = tl
    s.out[1] = th
    return tl <= th


@native
def axes_of(s, a, b, t):
    """Equation 21 for both nodes at a time, and the nine cross products."""
    for side in range(2):
        node = b if side == 1 else a
        axis(s, 3 * side, measured(s, node, 0, 0, t), measured(s, node, 0, 1, t), measured(s, node, 0, 2, t))
        axis(s, 3 * side + 1, measured(s, node, 1, 0, t), measured(s, node, 1, 1, t), measured(s, node, 1, 2, t))
        crossed(s, 3 * side + 1, 3 * side, 3 * side + 1)
        crossed(s, 3 * side + 2, 3 * side, 3 * side + 1)
    for i in range(3):
        for j in range(3):
            crossed(s, 6 + 3 * i + j, i, 3 + j)
    crossed(s, 15, 0, 3)


# -- contacts -----------------------------------------------------------------------------------------------------


@native
def thinned(s, a, b, t):
    """Is everything of the first subpatch within the separation of a contact of the same bodies?"""
    across = 0.0
    for i in range(3):
        e = measured(s, a, 3, i, t) + measured(s, a, 4, i, t)
        across += e * e
    for k in range(s.state[SOLUTIONS]):
        i, j = s.owner[2 * k], s.owner[2 * k + 1]
        if s.body[i] == s.body[s.root[a]] and s.body[j] == s.body[s.root[b]]:
            square = 0.0
            for c in range(3):
                d = measured(s, a, 2, c, t) - s.place[3 * k + c]
                square += d * d
            if np.sqrt(square) + np.sqrt(across) < s.limit[SEPARATION]:
                return True
    return False


@native
def accept(s, box, a, b, tl, th):
    """A new contact, located or proved to exist."""
    k = s.state[SOLUTIONS]
    s.state[SOLUTIONS] += 1
    s.owner[2 * k], s.owner[2 * k + 1] = s.root[a], s.root[b]
    for i in range(4):
        at = 4 * (b if i > 1 else a) + 2 * (i % 2)
        s.found[10 * k + 2 * i], s.found[10 * k + 2 * i + 1] = s.rectangle[at], s.rectangle[at + 1]
    s.found[10 * k + 8], s.found[10 * k + 9] = tl, th
    for i in range(3):
        s.place[3 * k + i] = 0.5 * (measured(s, a, 2, i, tl) + measured(s, b, 2, i, tl))
        s.direction[3 * k + i] = 0.0
    s.kind[k] = LOCATED
    s.limit[CLEAR] = min(s.limit[CLEAR], tl)
    s.limit[FIRST] = min(s.limit[FIRST], tl)
    confirm(s, k, box, a, b)


# -- the heap -----------------------------------------------------------------------------------------------------


@native
def before(s, a, b):
    """Boxes come by the step of time, then the finer first, then the later made."""
    if s.step[a] != s.step[b]:
        return s.step[a] < s.step[b]
    first, second = s.depth[s.pair[2 * a]], s.depth[s.pair[2 * b]]
    return first > second or (first == second and a > b)


@native
def push(s, a, b, tl, th):
    box = s.count[USED]
    if s.count[FREE] > 0:
        s.count[FREE] -= 1
        box = s.free[s.count[FREE]]
    else:
        s.count[USED] += 1
    s.pair[2 * box], s.pair[2 * box + 1] = a, b
    s.window[2 * box], s.window[2 * box + 1] = tl, th
    s.step[box] = np.floor(tl / s.limit[STEP])
    i = s.count[OPEN]
    s.count[OPEN] += 1
    while i > 0:
        above = (i - 1) // 2
        if not before(s, box, s.heap[above]):
            break
        s.heap[i] = s.heap[above]
        i = above
    s.heap[i] = box


@native
def pop(s):
    """Remove the first box; its number is free again, its contents stay until the next push."""
    first = s.heap[0]
    s.free[s.count[FREE]] = first
    s.count[FREE] += 1
    s.count[OPEN] -= 1
    last = s.heap[s.count[OPEN]]
    i = 0
    while 2 * i + 1 < s.count[OPEN]:
        below = 2 * i + 1
        if below + 1 < s.count[OPEN] and before(s, s.heap[below + 1], s.heap[below]):
            below += 1
        if not before(s, s.heap[below], last):
            break
        s.heap[i] = s.heap[below]
        i = below
    s.heap[i] = last
    return first
