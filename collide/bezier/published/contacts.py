"""Contacts of several moving Bezier patches by the method of Chen et al. 2024, Algorithms 2 and 3, on one queue.

A box is a subpatch of two patches of different bodies and a window of time: the period in which, along the 15 axes of their
oriented boxes, the hulls of their control points meet. The axes are taken at the beginning of the window. The four parameters
are bisected together; a box narrower than the tolerance is accepted. What is ours: periods are rounded so that nothing is lost
(`apart`); boxes come by the beginning of the window up to a small step of time, and the narrowest of those first, so that
contact along a curve is reached without breaking all of it into the finest boxes; an accepted box thins out those within the
separation of it, as in Snyder et al. 1993, Section 3.2; and in it the existence of a contact is tried to prove (`confirm`).

Only what `apart` says discards a box. Whatever is accepted or thinned lowers CLEAR, before which no contact is left out.
"""

import numpy as np

from codegen.machine.loops import native

from ...search.native.layout import FINISHED, LOCATED, NEED_BOXES, NEED_SOLUTIONS, SLICE
from ..heap import enqueue, pop
from ..loop import measured
from ..memory import FREE, NODES, OPEN, ROOM_BOXES, ROOM_NODES, TESTS, TOLERANCE, USED
from .axes import meeting, oriented_axes
from .baseline import quarters
from .confirm import confirm, copy_patch
from .contacts_memory import CLEAR, FIRST, PATCHES, ROOM_SOLUTIONS, SEPARATION, SIMULTANEITY, SOLUTIONS, SPARE, STEP

# More than halvings that lead to any tolerance; a power of two, so that keys are exact for steps of time of 2**-42 and longer.
_DEPTHS = 1024.0


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
                oriented_axes(s, SPARE + i, SPARE + j, 0.0)
                if meeting(s, SPARE + i, SPARE + j, 0.0, 1.0, 2):
                    put(s, SPARE + i, SPARE + j)
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
        box = s.heap[0]
        pop(s)
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
        oriented_axes(s, i, j, tl)
        if meeting(s, i, j, tl, th, 2) and s.out[0] <= s.limit[FIRST] + s.limit[SIMULTANEITY]:
            put(s, i, j)


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


@native
def put(s, a, b):
    """Queue the box whose window is in `out`: by the step of time in which that begins, in a step the finer first."""
    enqueue(s, a, b, s.out[0], s.out[1], np.floor(s.out[0] / s.limit[STEP]) - s.depth[a] / _DEPTHS)
