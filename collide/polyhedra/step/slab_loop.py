"""Pairs of moving parts that some direction tells apart, in native code. See `candidates`."""

from codegen.machine.loops import native
from codegen.machine.structures import Grid, Ints, Structure, array

DIRECTIONS = 13


class SlabMemory(Structure):
    unset = ("pairs",)
    slack: float
    one: Grid[float] = array("ones", 52)        # the least heights of a part along each direction, at both ends; then the greatest ones
    other: Grid[float] = array("others", 52)
    pairs: int
    pair: Grid[int] = array("pairs", 2)         # a part of `one`, and one of `other`
    near: Ints = array("pairs")                 # does no direction tell them apart?


@native
def compare(s: SlabMemory) -> int:
    for row in range(s.pairs):
        s.near[row] = 1 if near(s, s.pair[row, 0], s.pair[row, 1]) else 0
    return 0


@native
def near(s: SlabMemory, i: int, j: int) -> bool:
    """No direction tells two parts apart that is the same one, with the same side, at both ends."""
    for d in range(DIRECTIONS):
        k, n = 2 * d, 2 * (DIRECTIONS + d)
        if s.one[i, k] > s.other[j, n] + s.slack and s.one[i, k + 1] > s.other[j, n + 1] + s.slack:
            return False
        if s.other[j, k] > s.one[i, n] + s.slack and s.other[j, k + 1] > s.one[i, n + 1] + s.slack:
            return False
    return True
