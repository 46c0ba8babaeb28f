"""Boxes in columns, in order along one axis: those that overlap are found in native code. See `sweep`."""

from codegen.machine.loops import native
from codegen.machine.structures import Grid, Ints, Structure, array

DONE, MORE = 0, 1
# So many tests, and the budget is looked at again.
TESTS = 1 << 22


class SweepMemory(Structure):
    unset = ("room",)
    entries: int
    box: Grid[float] = array("entries", 6)    # a box for each column that it reaches: lower ends, upper ends,
    number: Ints = array("entries")           # its number,
    after: Ints = array("entries")            # how many of those behind it overlap along the axis,
    column: Grid[int] = array("entries", 2)   # this column,
    first: Grid[int] = array("entries", 2)    # and the first one that the box reaches
    at: int                                   # the box, and the one behind it, that are tested next
    beyond: int
    found: int
    room: int
    pair: Grid[int] = array("room", 2)


@native
def pairs(s: SweepMemory) -> int:
    """Find pairs until the room is full, or many were tested: MORE, then; each in the first column that both boxes reach."""
    s.found, left = 0, TESTS
    while s.at < s.entries:
        i, last = s.at, s.after[s.at]
        while s.beyond < last:
            if s.found == s.room or left == 0:
                return MORE
            s.beyond += 1
            left -= 1
            j = i + s.beyond
            if overlap(s, i, j) and s.column[i, 0] == max(s.first[i, 0], s.first[j, 0]) and s.column[i, 1] == max(
                    s.first[i, 1], s.first[j, 1]):
                s.pair[s.found, 0], s.pair[s.found, 1] = s.number[i], s.number[j]
                s.found += 1
        s.at, s.beyond = i + 1, 0
    return DONE


@native
def overlap(s: SweepMemory, i: int, j: int) -> bool:
    return (s.box[i, 0] <= s.box[j, 3] and s.box[j, 0] <= s.box[i, 3] and s.box[i, 1] <= s.box[j, 4] and s.box[j, 1] <= s.box[i, 4]
            and s.box[i, 2] <= s.box[j, 5] and s.box[j, 2] <= s.box[i, 5])
