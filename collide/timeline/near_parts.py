"""Meetings of bodies of many leaves: pairs of parts, as far in time as they are asked for.

At first each leaf stands for all parts of which it is the first. Where these may meet the other body soonest they are found, and then it is
looked at more closely where each of them is: so what comes near late, or never, is not looked at. Whatever is looked at more closely holds
all points that it had, so what is proved apart stays so.
"""

import functools
import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from codegen.deadline import check

from ..bodies.cells import Cell
from ..bodies.extent import Extent
from ..bodies.implicit_parts import Candidates
from ..bodies.numbers import Numbers
from ..culling.broad_phase import Window, closer
from ..situations.presence import hull, near, occupancy_of, where

Placing = Callable[[Cell, np.ndarray | None], Extent]
"""The extent of a part that is in a box in the frame of its first leaf."""

# Effort only: so many pairs are looked at more closely at a time.
_AT_ONCE = 16


@dataclass(eq=False)
class Group:
    """Parts that may meet another body: in `extent` are a `part`, or all parts on a leaf; `leaf` is that in the body `side`, where it may
    be looked at more closely.
    """

    extent: Extent
    part: Cell
    side: "LeafBody | None" = None
    leaf: int = -1

    @functools.cached_property
    def finer(self) -> "list[Group]":
        """The same, looked at more closely."""
        return [self] if self.side is None else self.side.finer(self)


class LeafBody:
    """A body of many leaves with these numbers in a span of time."""

    def __init__(self, candidates: Candidates, numbers: Numbers, span: Window, placed: Placing) -> None:
        self._candidates, self._numbers, self._span, self._placed = candidates, numbers, span, placed
        self._occupancy = occupancy_of(candidates.body, numbers, span)

    def groups(self) -> list[Group]:
        """One a leaf that is seen."""
        found = ((k, face, self._occupancy.outline(k)) for k, face in enumerate(self._candidates.faces))
        return [Group(self._placed(face, hull(boxes)), face, self, k) for k, face, boxes in found if len(boxes)]

    def look_closely(self, leaves: Iterable[int]) -> None:
        """At all of these leaves together, which is faster."""
        self._occupancy.look_closely(leaves)

    def finer(self, group: Group) -> list[Group]:
        """The parts of which a leaf is the first, and of a part where it is."""
        if group.leaf >= 0:
            parts = self._occupancy.parts(self._candidates, [group.leaf])
            return [Group(self._placed(p, near(p, self._numbers, self._span)), p, self) for p in parts]
        box = where(group.part, self._numbers, self._span)
        return [] if box is None else [Group(self._placed(group.part, box), group.part)]


class _Open(NamedTuple):
    """A pair of groups that may meet from `begin` to `end`. The number makes all of them comparable."""

    begin: float
    number: int
    pair: tuple[Group, Group]
    end: float


class NearParts:
    """The meetings of the parts of two bodies, (first part, second part, window): `found` so far, in the order in which they may meet.

    `met`: the pairs of `groups` of either body, by their numbers, those of the second after those of the first, that may meet at all, and
    when.
    """

    def __init__(self, groups: Sequence[Group], met: dict[tuple[int, int], Window]) -> None:
        self.found: list[tuple[Cell, Cell, Window]] = []
        self._number = itertools.count()
        self._open = [_Open(lo, next(self._number), (groups[a], groups[b]), hi) for (a, b), (lo, hi) in met.items()]
        heapq.heapify(self._open)

    @property
    def horizon(self) -> float:
        """The time up to which all meetings are found."""
        return self._open[0].begin if self._open else math.inf

    def until(self, time: float) -> list[tuple[Cell, Cell, Window]]:
        """All meetings that may begin up to a time."""
        while self._open and self.horizon <= time:
            self._look()
        return [found for found in self.found if found[2][0] <= time]

    def more(self, count: int) -> float:
        """Finds so many meetings more; the time up to which all are found."""
        goal = len(self.found) + count
        while self._open and len(self.found) < goal:
            self._look()
        return self.horizon

    def _look(self) -> None:
        """Looks more closely at some of the pairs that may meet soonest."""
        check()
        taken = [heapq.heappop(self._open) for _ in range(min(_AT_ONCE, len(self._open)))]
        for side in {group.side for one in taken for group in one.pair if group.side is not None}:
            side.look_closely(sorted({g.leaf for one in taken for g in one.pair if g.side is side and g.leaf >= 0}))
        finer = list[_Open]()
        for one in taken:
            (first, second), window = one.pair, (one.begin, one.end)
            if first.side is second.side is None:
                self.found.append((first.part, second.part, window))
            else:
                finer += (one._replace(pair=pair) for pair in itertools.product(first.finer, second.finer))
        windows = closer([(a.extent, b.extent) for _, _, (a, b), _ in finer], [one.begin for one in finer], [one.end for one in finer])
        for one, (lo, hi) in zip(finer, windows, strict=True):
            if lo < hi:
                heapq.heappush(self._open, _Open(lo, next(self._number), one.pair, hi))
