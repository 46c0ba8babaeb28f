"""Patches that meet at the sides of another one of the same body: a contact on their common side is one of each of them.

Which of them an accepted box belongs to is chance; its proof may need the neighbour, as a proof takes place inside a patch.
"""

from codegen.machine.loops import native

from ..local import evaluate
from ..loop import size
from ..memory import Subpatch
from .contacts_memory import NEIGHBOURS, SPARE, BezierPatchRow, ContactsMemory

# So many sizes of a box away from its middle a neighbour's point, as far from the side, may be.
_AWAY = 3.0


@native
def root(s: ContactsMemory, node: Subpatch) -> BezierPatchRow:
    """The patch a node is a part of."""
    return s.patch[s.root[node.number]]


@native
def beside(s: ContactsMemory, node: Subpatch, side: int, t: float) -> int:
    """The patches round the middle of a node, as `near_patch` and `near_at`, its own first: how many.

    Looked for are patches with the same parameter along the common side, and one minus the other across it; what others are there is
    not found. Nothing is claimed of what is.
    """
    own, u, v = root(s, node), node.rectangle.middle(0), node.rectangle.middle(1)
    note(s, side, 0, own, u, v)
    point(s, own, u, v, t)
    for i in range(3):
        s.middle[i] = s.S[0, 0, i]
    count, away = 1, _AWAY * size(s, node, t)
    for k in range(s.patches):
        patch = s.patch[k]
        for flip in range(1, 4):
            across_u, across_v = flip % 2 == 1, flip // 2 == 1
            possible = (not across_u or at_end(node, 0)) and (not across_v or at_end(node, 1))
            if possible and count < NEIGHBOURS and patch.body == own.body:
                a, b = 1.0 - u if across_u else u, 1.0 - v if across_v else v
                point(s, patch, a, b, t)
                if max(abs(s.S[0, 0, 0] - s.middle[0]), abs(s.S[0, 0, 1] - s.middle[1]), abs(s.S[0, 0, 2] - s.middle[2])) < away:
                    note(s, side, count, patch, a, b)
                    count += 1
    return count


@native
def at_end(node: Subpatch, along_v: int) -> bool:
    return node.rectangle.lo(along_v) <= 0.0 or node.rectangle.hi(along_v) >= 1.0


@native
def note(s: ContactsMemory, side: int, k: int, patch: BezierPatchRow, u: float, v: float) -> None:
    s.near_patch[side, k] = patch.number
    s.near_at[side, k, 0], s.near_at[side, k, 1] = u, v


@native
def point(s: ContactsMemory, patch: BezierPatchRow, u: float, v: float, t: float) -> None:
    """A point of a patch, approximately, as the first of `S`."""
    evaluate(s, s.node[SPARE + patch.number], 0, u, v, t)
