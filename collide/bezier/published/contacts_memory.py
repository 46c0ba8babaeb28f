"""The memory of `contacts`, beyond that of the search for one pair."""

from ..memory import FIELDS as PAIR_FIELDS

FIELDS = {
    **PAIR_FIELDS,
    "patch": float,    # (patches, 2, N+1, M+1, 3): control points and velocities
    "heavy": float,    # (patches, N+1, M+1): weights
    "body": int,       # (patches,): whose it is
    "root": int,       # (nodes,): the patch a node is a part of
    "state": int,      # (STATES,): see below
    "limit": float,    # (LIMITS,): see below
    "found": float,    # (solutions, 5, 2): u1, v1, u2, v2, t
    "place": float,    # (solutions, 3)
    "direction": float,  # (solutions, 3): out of the first body, of any length; 0 where none is known
    "kind": int,       # (solutions,): LOCATED or EXISTS
    "owner": int,      # (solutions, 2): patches
    # a contact being proved
    "guess": float,    # (5,): where
    "near_patch": int,  # (2, NEIGHBOURS): patches that hold the place, of each side
    "near_at": float,  # (2, NEIGHBOURS, 2): and their parameters there
    "middle": float,   # (3,)
}  # fmt: skip
PATCHES, SOLUTIONS, ROOM_SOLUTIONS, STATES = range(4)
# FIRST: the earliest that was accepted or proved; EARLIEST: proved.
SEPARATION, SIMULTANEITY, STEP, FIRST, EARLIEST, CLEAR, LIMITS = range(7)
# Nodes 0 and 1 are copies of the two patches whose contact is being proved.
SPARE = 2
NEIGHBOURS = 4
SIZES = {"state": STATES, "limit": LIMITS, "guess": 5, "near_patch": 2 * NEIGHBOURS, "near_at": 4 * NEIGHBOURS, "middle": 3}
