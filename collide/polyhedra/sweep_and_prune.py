"""Overlapping pairs of many moving boxes, from step to step: sweep and prune with coherence (Baraff 1992; Ponamgi, Manocha and Lin 1995).

The ends of all boxes stand in order along each axis. Boxes that move a little change that order a little, so it is mended by exchanges
of neighbours (insertion sort). A lower end that passes an upper one downwards begins an overlap on this axis, an upper one that passes a
lower one downwards ends it, and every two ends whose order changed are exchanged once. So a pair that overlaps now and did not before is
met on each axis that told it apart before; it is reported on the first of them, by the boxes themselves, and no set of pairs is kept.
Ends are only compared: no pair is missed, none is wrong.
"""

from typing import Any

import numpy as np

from codegen.given import doubles
from codegen.machine.loop_runtime import compiled
from codegen.machine.loops import native
from codegen.machine.memory import Memory, Number, OwnsMemory
from codegen.machine.structures import Floats, Grid, Ints, Structure, array

from ..culling.sweep import sweep_and_prune

DONE, TOO_FAR, NO_ROOM, NO_BOX = 0, 1, 2, 3
# Exchanges a box and step after which sorting anew is cheaper; pairs that begin or end in a step, at first.
_FAR, _ROOM = 4000, 1 << 10


class SweepPruneMemory(Structure):
    count: int                                  # boxes
    room: int                                   # for pairs
    most: int                                   # exchanges on an axis
    begun: int
    ended: int
    old: Grid[float] = array("count", 6)        # 2 axis: the lower, 2 axis + 1: the upper end
    new: Grid[float] = array("count", 6)
    swept: Grid[float] = array("count", 8)      # from the lower of both to the upper of both: one line of memory a box
    order: Ints = array("ends")                 # axis after axis; 2 i is the lower and 2 i + 1 the upper end of box i
    value: Floats = array("ends")
    begin: Grid[int] = array("room", 2)
    end: Grid[int] = array("room", 2)


@native
def apart_now(s: SweepPruneMemory, i: int, j: int) -> int:
    """The first axis on which two boxes are apart, or 3."""
    for axis in range(3):
        if (s.new[i, 2 * axis] > s.new[j, 2 * axis + 1]) | (s.new[j, 2 * axis] > s.new[i, 2 * axis + 1]):
            return axis
    return 3


@native
def apart_before(s: SweepPruneMemory, i: int, j: int) -> int:
    for axis in range(3):
        if (s.old[i, 2 * axis] > s.old[j, 2 * axis + 1]) | (s.old[j, 2 * axis] > s.old[i, 2 * axis + 1]):
            return axis
    return 3


@native
def passed(s: SweepPruneMemory, axis: int, e: int, f: int) -> None:
    """End e moves below end f, of which one is a lower and one an upper end."""
    i, j = min(e // 2, f // 2), max(e // 2, f // 2)
    if e % 2 == 0:
        if apart_now(s, i, j) == 3 and apart_before(s, i, j) == axis:
            if s.begun < s.room:
                s.begin[s.begun, 0], s.begin[s.begun, 1] = i, j
            s.begun += 1
    elif apart_before(s, i, j) == 3 and apart_now(s, i, j) == axis:
        if s.ended < s.room:
            s.end[s.ended, 0], s.end[s.ended, 1] = i, j
        s.ended += 1


@native
def exchange(s: SweepPruneMemory) -> int:
    """Mend the order along all axes; the pairs that begin and end are noted."""
    s.begun, s.ended = 0, 0
    for i in range(s.count):
        for axis in range(3):
            # Not "greater": a NaN is in no order.
            if not s.new[i, 2 * axis] <= s.new[i, 2 * axis + 1]:
                return NO_BOX
            s.swept[i, 2 * axis] = min(s.old[i, 2 * axis], s.new[i, 2 * axis])
            s.swept[i, 2 * axis + 1] = max(s.old[i, 2 * axis + 1], s.new[i, 2 * axis + 1])
    for axis in range(3):
        if mend(s, axis, 2 * ((axis + 1) % 3), 2 * ((axis + 2) % 3)) < 0:
            return TOO_FAR
    return NO_ROOM if max(s.begun, s.ended) > s.room else DONE


@native
def mend(s: SweepPruneMemory, axis: int, p: int, q: int) -> int:
    """Insertion sort along an axis; negative where it takes too many exchanges. Where ends are equal, lower ones come first.

    `p`, `q`: where the other axes are in a box. Almost all pairs are told apart there by all that they sweep over.
    """
    left, first = s.most, 2 * s.count * axis
    for k in range(first, first + 2 * s.count):
        e = s.order[k]
        i, side = e // 2, e % 2
        x, at = s.new[i, 2 * axis + side], k
        low_p, high_p, low_q, high_q = s.swept[i, p], s.swept[i, p + 1], s.swept[i, q], s.swept[i, q + 1]
        while at > first:
            before, f = s.value[at - 1], s.order[at - 1]
            if (x > before) | ((x == before) & (side >= f % 2)):
                break
            j = f // 2
            if ((low_p <= s.swept[j, p + 1]) & (s.swept[j, p] <= high_p) & (low_q <= s.swept[j, q + 1]) & (s.swept[j, q] <= high_q)):
                if side != f % 2:
                    passed(s, axis, e, f)
            s.order[at], s.value[at] = f, before
            at -= 1
        s.order[at], s.value[at] = e, x
        left -= k - at
        if left < 0:
            return -1
    return left


class SweepAndPrune(OwnsMemory):
    """Axis-aligned boxes, with the overlapping pairs, which are kept track of while the boxes move.

    Parameters
    ----------
    boxes : array_like, (n, 3, 2)
        Lower and upper ends along each axis, which may be infinite. Boxes are closed: those that touch overlap.

    Raises
    ------
    ValueError
        For arrays of another shape, NaN, a lower end above the upper one, and another number of boxes than before.

    Notes
    -----
    The method is sweep and prune with coherence (Baraff 1992; Ponamgi, Manocha and Lin 1995).

    A step costs a pass over the ends, and one exchange for every two ends whose order along an axis changed. Where boxes jump so far that
    this is more than sorting, they are sorted anew. A copy, also one that is pickled, goes on by itself from where the original is.

    Examples
    --------
    >>> import numpy as np
    >>> apart = np.array([[[0, 1]] * 3, [[2, 3]] * 3], float)
    >>> begun, ended = SweepAndPrune(apart).update(np.array([[[0, 1]] * 3, [[1, 3]] * 3], float))
    >>> begun.tolist(), len(ended)
    ([[0, 1]], 0)
    """

    _begun, _ended = Number[int](SweepPruneMemory, "begun"), Number[int](SweepPruneMemory, "ended")
    _room = Number[int](SweepPruneMemory, "room")

    def __init__(self, boxes: Any) -> None:
        rows = _rows(boxes, None)
        _check(rows)
        n = len(rows)
        self.arrays = Memory(SweepPruneMemory, {"count": n, "ends": 6 * n, "room": _ROOM})
        self.arrays.set("most", _FAR * n)
        self.arrays["new"][:] = self.arrays["old"][:] = rows
        self._sort()

    @property
    def boxes(self) -> np.ndarray:
        """(n, 3, 2): those of the last step."""
        return np.array(self.arrays["old"]).reshape(-1, 3, 2)

    @property
    def pairs(self) -> np.ndarray:
        """(m, 2): the boxes i < j that overlap, in order."""
        return _overlapping(self.arrays["old"])

    def update(self, boxes: Any) -> tuple[np.ndarray, np.ndarray]:
        """Move all boxes, and list the pairs whose overlap changed.

        Parameters
        ----------
        boxes : array_like, (n, 3, 2)
            All boxes, as they are now.

        Returns
        -------
        begun, ended : ndarray, (m, 2)
            Pairs i < j, in order: those that overlap from now on, and those that no longer do. Exact.
        """
        new, old = self.arrays["new"], self.arrays["old"]
        new[:] = _rows(boxes, len(old))
        outcome = compiled(exchange)(self.arrays.address)
        if outcome == NO_BOX:
            _check(new)
        if outcome == DONE:
            found = tuple(_in_order(self.arrays[name][:count]) for name, count in (("begin", self._begun), ("end", self._ended)))
        else:
            found = self._compared()
        old[:] = new
        return found[0], found[1]

    def _compared(self) -> tuple[np.ndarray, np.ndarray]:
        """By all pairs before and now, where exchanges do not do."""
        while self._room < max(self._begun, self._ended):
            self.arrays.double("room")
        self._sort()
        before, now = (_overlapping(self.arrays[name]) for name in ("old", "new"))
        keys = [pairs[:, 0] << 32 | pairs[:, 1] for pairs in (before, now)]
        return now[~np.isin(keys[1], keys[0])], before[~np.isin(keys[0], keys[1])]

    def _sort(self) -> None:
        ends = self.arrays["new"].reshape(-1, 3, 2).transpose(1, 0, 2).reshape(3, -1)
        order = np.lexsort((np.broadcast_to(np.arange(ends.shape[1]) % 2, ends.shape), ends), axis=1)
        self.arrays["order"][:], self.arrays["value"][:] = order.ravel(), np.take_along_axis(ends, order, axis=1).ravel()


def _rows(boxes: Any, count: int | None) -> np.ndarray:
    """Boxes as rows of six ends."""
    ends = doubles(boxes, "boxes", "(n, 3, 2)")
    if ends.ndim != 3 or ends.shape[1:] != (3, 2):
        raise ValueError(f"boxes must have the shape (n, 3, 2), lower and upper ends along each axis, got {ends.shape}")
    if count is not None and len(ends) != count:
        raise ValueError(f"there are {count} boxes, got {len(ends)}")
    return ends.reshape(-1, 6)


def _check(ends: np.ndarray) -> None:
    wrong = np.flatnonzero(~(ends[:, ::2] <= ends[:, 1::2]).all(axis=1))
    if len(wrong):
        raise ValueError(f"box {wrong[0]} has a lower end above the upper one, or NaN: {ends[wrong[0]].reshape(3, 2).tolist()}")


def _overlapping(ends: np.ndarray) -> np.ndarray:
    return _in_order(np.sort(sweep_and_prune(ends[:, ::2], ends[:, 1::2]), axis=1))


def _in_order(pairs: np.ndarray) -> np.ndarray:
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
