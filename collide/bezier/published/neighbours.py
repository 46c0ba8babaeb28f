"""Patches that meet at the sides of another one of the same body: a contact on their common side is one of each of them.

Which of them an accepted box belongs to is chance; its proof may need the neighbour, as a proof takes place inside a patch.
"""

from codegen.machine.loops import call_kernel, native

from ..local import quotient
from ..loop import address, size
from ..memory import EVALUATE
from .contacts_memory import NEIGHBOURS, PATCHES, SPARE

# So many sizes of a box away from its middle a neighbour's point, as far from the side, may be.
_AWAY = 3.0


@native
def beside(s, node, side, t):
    """The patches round the middle of a node, as `near_patch` and `near_at`, its own first: how many.

    Looked for are patches with the same parameter along the common side, and one minus the other across it; what others are there is
    not found. Nothing is claimed of what is.
    """
    own = s.root[node]
    u, v = 0.5 * (s.rectangle[4 * node] + s.rectangle[4 * node + 1]), 0.5 * (s.rectangle[4 * node + 2] + s.rectangle[4 * node + 3])
    note(s, side, 0, own, u, v)
    place(s, own, u, v, t)
    for i in range(3):
        s.middle[i] = s.S[i]
    count, away = 1, _AWAY * size(s, node, t)
    for patch in range(s.state[PATCHES]):
        for flip in range(1, 4):
            across_u, across_v = flip % 2 == 1, flip // 2 == 1
            possible = (not across_u or at_end(s, node, 0)) and (not across_v or at_end(s, node, 1))
            if possible and count < NEIGHBOURS and s.body[patch] == s.body[own]:
                a, b = 1.0 - u if across_u else u, 1.0 - v if across_v else v
                place(s, patch, a, b, t)
                if max(abs(s.S[0] - s.middle[0]), abs(s.S[1] - s.middle[1]), abs(s.S[2] - s.middle[2])) < away:
                    note(s, side, count, patch, a, b)
                    count += 1
    return count


@native
def at_end(s, node, along_v):
    return s.rectangle[4 * node + 2 * along_v] <= 0.0 or s.rectangle[4 * node + 2 * along_v + 1] >= 1.0


@native
def note(s, side, k, patch, u, v):
    at = NEIGHBOURS * side + k
    s.near_patch[at] = patch
    s.near_at[2 * at], s.near_at[2 * at + 1] = u, v


@native
def place(s, patch, u, v, t):
    """The point of a patch, approximately, as the first of `S`."""
    s.T[0], s.T[1] = u, v
    call_kernel(s.count[EVALUATE], address(s, SPARE + patch), s.T, s.E)
    quotient(s, 0, t)
