"""The memory of the methods of Chen et al. 2024, beyond that of the search for one pair."""

from codegen.machine.structures import Box, Floats, Grid, Ints, LaneArray, Row, Rows, Table, array, table

from ..memory import LANES, PairsMemory

# Nodes 0 and 1 are copies of the two patches whose contact is being proved.
SPARE = 2
NEIGHBOURS = 4


class AxesMemory(PairsMemory):
    axes: Rows[LaneArray] = array(2, 3, LANES)         # two groups of eight
    apart: Rows[LaneArray] = array(2, 4, LANES)        # of each group what `apart.apart` writes
    period: Floats = array(2)                      # in which two nodes may meet


class BezierPatchRow(Row):
    body: int                                      # whose it is
    net: Grid[float] = array(2, "points", 3)       # control points and velocities
    heavy: Floats = array("points")                # weights


class AcceptedBox(Row):
    """An accepted box, or what was proved in it."""

    kind: int                                      # LOCATED or EXISTS
    first: BezierPatchRow
    second: BezierPatchRow
    found: Box = array(5, 2)                       # u1, v1, u2, v2, t
    place: Floats = array(3)
    direction: Floats = array(3)                   # out of the first body, of any length; 0 where none is known


class ContactsMemory(AxesMemory):
    """There is one pair, whose contact is being proved."""

    patch: Table[BezierPatchRow] = table("patches")
    contact: Table[AcceptedBox] = table("contact_room")
    patches: int
    contacts: int
    contact_room: int
    spacing: float
    simultaneity: float
    step: float                                    # boxes that begin in one step of time come in any order
    first: float                                   # the earliest that was accepted or proved,
    earliest: float                                # and that was proved
    clear: float                                   # the beginning of the earliest box that was accepted or thinned
    root: Ints = array("node_room")                # the patch a node is a part of
    # a contact being proved
    guess: Floats = array(5)                       # where
    near_patch: Grid[int] = array(2, NEIGHBOURS)   # patches that hold the place, of each side,
    near_at: Grid[float] = array(2, NEIGHBOURS, 2)  # and their parameters there
    middle: Floats = array(3)
