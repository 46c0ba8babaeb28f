"""Existence of a contact near a box that was accepted for its size: a local solve, or Newton's method from its middle, and a proof."""

import numpy as np

from codegen.machine.loops import native

from ...search.native.layout import EXISTS
from ..local import differentiate, estimate
from ..loop import copy_point, whole
from ..memory import LANES, Candidate, Subpatch
from ..proof import choose, look, prove, within
from .contacts_memory import AcceptedBox, BezierPatchRow, ContactsMemory
from .neighbours import beside

# Steps of the local solve are no longer.
_REACH = 1e-3
# Of Newton's method, from a box as small as the tolerance.
_STEPS = 4
# The square of the cosine of two directions that count as one.
_NEARLY = 0.999


@native
def copy_patch(s: ContactsMemory, patch: BezierPatchRow, node: Subpatch, side: int) -> None:
    """A patch as a node, and as the data of one side of the pair."""
    for c in range(s.points):
        s.present.weights[side, c] = patch.heavy[c]
        for i in range(3):
            s.present.q[side, 0, c, i], s.present.q[side, 1, c, i] = patch.net[0, c, i], patch.net[1, c, i]
        copy_point(node.vectors, s.present, side, c, patch.heavy[c])
    whole(s, node)


@native
def confirm(s: ContactsMemory, contact: AcceptedBox, box: Candidate) -> None:
    """Try to prove a contact near an accepted box, and take it in its place."""
    copy_patch(s, contact.first, s.node[0], 0)
    copy_patch(s, contact.second, s.node[1], 1)
    s.proved = np.inf
    proved = look(s, box, _REACH / box.first.rectangle.width(0))
    if not proved:
        proved = settle_near(s, contact, box)
    outward(s, contact)
    if proved and s.x[4] <= s.first + s.simultaneity:
        contact.kind = EXISTS
        proved_box(s, contact)
        s.earliest = min(s.earliest, s.proved)
        for i in range(3):
            contact.place[i] = s.S[0, 0, i]


@native
def outward(s: ContactsMemory, contact: AcceptedBox) -> None:
    """The direction in which the first body approaches: about minus the multipliers, or the first surface's normal if that is near."""
    along, square, length = 0.0, 0.0, 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        n = s.S[0, 1, j] * s.S[0, 2, k] - s.S[0, 1, k] * s.S[0, 2, j]
        contact.direction[i] = n
        along -= n * s.multiplier[i]
        square += n * n
        length += s.multiplier[i] * s.multiplier[i]
    near = along * along > _NEARLY * square * length
    for i in range(3):
        if not near:
            contact.direction[i] = -s.multiplier[i]
        elif along < 0.0:
            contact.direction[i] = -contact.direction[i]


@native
def settle_near(s: ContactsMemory, contact: AcceptedBox, box: Candidate) -> bool:
    """`settle` in the patches of the box itself, or where it is at their sides, in their neighbours, which own the contact then."""
    first, second = beside(s, box.first, 0, box.begin), beside(s, box.second, 1, box.begin)
    for i in range(first):
        for j in range(second):
            a, b = s.patch[s.near_patch[0, i]], s.patch[s.near_patch[1, j]]
            copy_patch(s, a, s.node[0], 0)
            copy_patch(s, b, s.node[1], 1)
            for c in range(2):
                s.guess[c], s.guess[2 + c] = s.near_at[0, i, c], s.near_at[1, j, c]
            s.guess[4] = box.begin
            if settle(s):
                contact.first, contact.second = a, b
                return True
    return False


@native
def settle(s: ContactsMemory) -> bool:
    """Newton's method for S1 = S2 from a guess in three unknowns, and a proof. Tried with the most independent unknowns, then with
    those of the second patch alone, and of the first, which stay inside where the other patch ends.

    The other variables stay: so it converges where contacts form a curve or a patch, too.
    """
    for frozen in range(3):
        for i in range(5):
            s.x[i] = s.guess[i]
            s.held[i] = 1 if i // 2 == frozen - 1 else 0
        s.held[4] = -1 if s.x[4] <= 0.0 else 0
        if frozen == 0:
            estimate(s)
        differentiate(s)
        if choose(s) and solved(s) and prove(s):
            return True
    return False


@native
def solved(s: ContactsMemory) -> bool:
    for _ in range(_STEPS):
        if not solve_three(s):
            return False
        differentiate(s)
    for i in range(5):
        if not 0.0 <= s.x[i] <= 1.0:
            return False
    return True


@native
def solve_three(s: ContactsMemory) -> bool:
    """A step in the unknowns `columns`, by Cramer's rule."""
    a, b, c = s.columns[0], s.columns[1], s.columns[2]
    whole = minor(s, a, b, c)
    if whole == 0.0:
        return False
    first, second, third = minor(s, 5, b, c), minor(s, a, 5, c), minor(s, a, b, 5)
    s.x[a] -= first / whole
    s.x[b] -= second / whole
    s.x[c] -= third / whole
    return True


@native
def minor(s: ContactsMemory, a: int, b: int, c: int) -> float:
    """The determinant of three columns of the derivative, column 5 being F."""
    total = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        total += entry(s, i, a) * (entry(s, j, b) * entry(s, k, c) - entry(s, k, b) * entry(s, j, c))
    return total


@native
def entry(s: ContactsMemory, i: int, j: int) -> float:
    return s.F[i] if j == 5 else s.G[i, j]


@native
def proved_box(s: ContactsMemory, contact: AcceptedBox) -> None:
    """The box that a proof of `proof` is about: frozen variables thin, the others as the operator returned them."""
    for j in range(5):
        contact.found.put(j, s.x[j], s.x[j])
    for lane in range(LANES):
        if s.flag[lane] > 0.5 and within(s, lane):
            for m in range(3):
                contact.found.put(s.columns[m], s.K.lo(m, lane), s.K.hi(m, lane))
            return
