"""Contacts of several moving Bezier patches by the method of Chen et al. 2024, Algorithms 2 and 3, on one queue.

A box is a subpatch of two patches of different bodies and a window of time: the period in which, along the 15 axes of their
oriented boxes, the hulls of their control points meet. The axes are taken at the beginning of the window. The four parameters
are bisected together; a box narrower than the tolerance is accepted. What is ours: periods are rounded so that nothing is lost
(`apart`); boxes come by the beginning of the window up to a small step of time, and the narrowest of those first, so that
contact along a curve is reached without breaking all of it into the finest boxes; an accepted box thins out those within the
spacing of it, as in Snyder et al. 1993, Section 3.2; and in it the existence of a contact is tried to prove (`confirm`).

Only what `apart` says discards a box. Whatever is accepted or thinned lowers `clear`, before which no contact is left out.
"""

import numpy as np

from codegen.machine.loops import native

from ...search.native.layout import FINISHED, LOCATED, NEED_BOXES, NEED_SOLUTIONS, SLICE
from ..heap import enqueue, first_box, pop
from ..loop import CENTRE, VARIATION_U, VARIATION_V, measured
from ..memory import Candidate, Subpatch
from .axes import meeting, oriented_axes
from .baseline import quarters
from .confirm import confirm, copy_patch
from .contacts_memory import SPARE, ContactsMemory
from .neighbours import root

# More than halvings that lead to any tolerance; a power of two, so that keys are exact for steps of time of 2**-42 and longer.
_DEPTHS = 1024.0


@native
def start(s: ContactsMemory) -> int:
    """Nodes of all patches, and a box for every pair of different bodies that may meet; how many."""
    s.nodes = SPARE + s.patches
    for k in range(s.patches):
        copy_patch(s, s.patch[k], s.node[SPARE + k], 0)
        s.root[SPARE + k] = k
    for i in range(s.patches):
        for j in range(i + 1, s.patches):
            if s.patch[i].body != s.patch[j].body:
                test(s, s.node[SPARE + i], s.node[SPARE + j], 0.0, 1.0)
    return s.open


@native
def run(s: ContactsMemory, steps: int) -> int:
    """Up to so many boxes; why it stopped."""
    for _ in range(steps):
        if s.open == 0:
            return FINISHED
        if s.nodes + 12 > s.node_room or s.used + 16 > s.box_room + s.unused:
            return NEED_BOXES
        if s.contacts >= s.contact_room:
            return NEED_SOLUTIONS
        box = first_box(s)
        pop(s)
        if box.begin > s.first + s.simultaneity:
            continue
        if thinned(s, box):
            s.clear = min(s.clear, box.begin)
        elif box.first.rectangle.width(0) < s.tolerance:
            accept(s, box)
        else:
            divide(s, box)
    return SLICE


@native
def divide(s: ContactsMemory, box: Candidate) -> None:
    a, b, begin, end = box.first, box.second, box.begin, box.end
    first, second = quarters(s, a), quarters(s, b)
    for part in range(16):
        i, j = first + part // 4, second + part % 4
        s.root[i], s.root[j] = s.root[a.number], s.root[b.number]
        test(s, s.node[i], s.node[j], begin, end)


@native
def test(s: ContactsMemory, a: Subpatch, b: Subpatch, begin: float, end: float) -> None:
    """Queue a box if the nodes may meet in the window: by the step of time in which that begins, in a step the finer first."""
    s.tests += 1
    oriented_axes(s, a, b, begin)
    if meeting(s, a, b, begin, end, 2) and s.period[0] <= s.first + s.simultaneity:
        enqueue(s, a, b, s.period[0], s.period[1], np.floor(s.period[0] / s.step) - a.depth / _DEPTHS)


# -- contacts -----------------------------------------------------------------------------------------------------


@native
def thinned(s: ContactsMemory, box: Candidate) -> bool:
    """Whether all of the first subpatch is within the spacing of a contact of the same bodies."""
    a, t = box.first, box.begin
    first, second, across = root(s, a).body, root(s, box.second).body, 0.0
    for i in range(3):
        e = measured(s, a, VARIATION_U, i, t) + measured(s, a, VARIATION_V, i, t)
        across += e * e
    for k in range(s.contacts):
        contact = s.contact[k]
        if contact.first.body == first and contact.second.body == second:
            square = 0.0
            for i in range(3):
                d = measured(s, a, CENTRE, i, t) - contact.place[i]
                square += d * d
            if np.sqrt(square) + np.sqrt(across) < s.spacing:
                return True
    return False


@native
def accept(s: ContactsMemory, box: Candidate) -> None:
    """A new contact, located or proved to exist."""
    contact, a, b, t = s.contact[s.contacts], box.first, box.second, box.begin
    s.contacts += 1
    contact.kind, contact.first, contact.second = LOCATED, root(s, a), root(s, b)
    for j in range(4):
        contact.found.put(j, box.lo(j), box.hi(j))
    contact.found.put(4, t, box.end)
    for i in range(3):
        contact.place[i] = 0.5 * (measured(s, a, CENTRE, i, t) + measured(s, b, CENTRE, i, t))
        contact.direction[i] = 0.0
    s.clear, s.first = min(s.clear, t), min(s.first, t)
    confirm(s, contact, box)
