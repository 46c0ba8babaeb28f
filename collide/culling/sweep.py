"""Pairs of overlapping boxes: sweep and prune along one axis (Six, Wood 1982), in columns across the others.

Only ends are compared, never rounded: every pair that overlaps is found, once, and no other.
"""

import math
from collections.abc import Sequence

import numpy as np

from codegen.deadline import check
from codegen.machine.loop_runtime import compiled
from codegen.machine.memory import Memory

from .sweep_loop import MORE, SweepMemory, pairs

# Pairs that are found in one call of native code.
_ROOM = 1 << 18
Range = tuple[np.ndarray, np.ndarray]
"""The first and the last column that each box reaches."""


def sweep_and_prune(lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Pairs (k, 2) of boxes (n, 3) that overlap, in any order."""
    return Sweep(lo, hi).pairs()


class Sweep:
    """Boxes (n, 3), those of one group in order along the axis of widest spread, in each column across it. `groups`: (n,) numbers, default
    one group.
    """

    def __init__(self, lo: np.ndarray, hi: np.ndarray, groups: np.ndarray | None = None) -> None:
        # An end that is not known may be anywhere.
        self.lo, self.hi = np.where(np.isnan(lo), -np.inf, lo), np.where(np.isnan(hi), np.inf, hi)
        axis, *across = _axes(self.lo)
        grids = [_columns(self.lo[:, k], self.hi[:, k]) for k in across]
        self._ranges = [reach for reach, _ in grids]
        row, self._column = _entries(self._ranges)
        key = np.ravel_multi_index(tuple(self._column), [count for _, count in grids])
        if groups is not None:
            key += math.prod(count for _, count in grids) * groups[row]
        # In each column by lower ends: a box meets along the axis those after it that start before it ends.
        starts = np.sort(self.lo[:, axis])
        ranks = np.searchsorted(starts, self.lo[:, axis]), np.searchsorted(starts, self.hi[:, axis], "right")
        begin, end = (key * (len(starts) + 1) + rank[row] for rank in ranks)
        self._order = np.argsort(begin, kind="stable")
        last = np.searchsorted(begin[self._order], end[self._order])
        self._counts, self._row = np.maximum(last - np.arange(1, len(last) + 1), 0), row

    @property
    def tests(self) -> int:
        """The pairs of one group and column that overlap along the axis: so many are tested on the others."""
        return int(self._counts.sum())

    def pairs(self) -> np.ndarray:
        """Pairs (k, 2) of boxes of one group that overlap, each found in the first column that both reach."""
        order, row = self._order, self._row[self._order]
        memory = Memory(SweepMemory, {"entries": len(order), "room": min(self.tests, _ROOM)})
        memory["box"][:, :3], memory["box"][:, 3:] = self.lo[row], self.hi[row]
        memory["number"][:], memory["after"][:] = row, self._counts
        for k, ((first, _), column) in enumerate(zip(self._ranges, self._column, strict=True)):
            memory["first"][:, k], memory["column"][:, k] = first[row], column[order]
        found, more = [], MORE
        while more == MORE:
            check()
            more = compiled(pairs)(memory.address)
            found.append(memory["pair"][:memory.number("found")].copy())
        return np.concatenate(found)


def numbered(counts: np.ndarray) -> np.ndarray:
    """0, 1, ... for each of the counts, one after the other."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def _axes(lo: np.ndarray) -> list[int]:
    """The axes, that of widest spread first."""
    spread = np.ptp(np.where(np.isfinite(lo), lo, 0.0), axis=0) if len(lo) else np.zeros(3)
    return list(np.argsort(-spread, kind="stable").tolist())


def _columns(lo: np.ndarray, hi: np.ndarray) -> tuple[Range, int]:
    """Columns along an axis about as wide as a box, so that all boxes together reach a few times as many as there are boxes.

    The number of a column never decreases along the axis, whatever the rounding: boxes that overlap have a column in common.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        width = hi - lo
        known = np.isfinite(width)
        begin, spread = (lo[known].min(), np.ptp(lo[known])) if known.any() else (0.0, 0.0)
        usual = np.sqrt((width[known]**2).mean()) if known.any() else np.inf
        count = int(min(math.sqrt(len(lo)), spread / usual)) if 0.0 < usual < spread < np.inf else 1
        if count == 1:
            none = np.zeros(len(lo), np.int64)
            return (none, none), 1
        first, last = (np.clip(np.floor((ends - begin) / spread * count), 0, count - 1).astype(np.int64) for ends in (lo, hi))
    return (first, last), count


def _entries(ranges: Sequence[Range]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Boxes, each once for every column that it reaches, and the numbers of that column along both axes."""
    (first, last), (begin, end) = ranges
    deep = end - begin + 1
    counts = (last - first + 1) * deep
    row, number = np.repeat(np.arange(len(counts)), counts), numbered(counts)
    return row, [first[row] + number // deep[row], begin[row] + number % deep[row]]
