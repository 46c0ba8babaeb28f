"""Pairs of parts that a search for the least distance looks at, and their problems.

Of two bodies that turn into themselves about one axis, one is sliced (`bodies.turning`), once the search seems to take long.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.deadline import check
from generative import t

from ..bodies.cells import Cell
from ..bodies.implicit_parts import is_large
from ..bodies.mesh_cells import Faces
from ..bodies.parameters import variable_of
from ..bodies.surface_points import FEW
from ..bodies.turning import Turning, shared, sliced, turnings
from ..culling.boxes_apart import least_distances
from ..culling.broad_phase import closer
from ..culling.turned_boxes import placed, turned_distances
from ..moment.pairs import Pair
from ..search.problem import Problem
from ..situations.distance import nearest
from ..situations.presence import without_absent
from .neighbourhood import SMALL, Neighbourhood

# Beyond the box round an implicit part, against its size, what it is searched in reaches, and no less than a small part of all: so what is
# enclosed lies inside, also of a vertex, whose box is a point.
_ROOM = 0.01
# Effort only: of so many boxes the distances are found at a time.
_AT_ONCE = 1 << 18
# Effort only: of so many times the pairs that are looked at first it is asked which promise as much, up to so many digits.
_ALIKE, _DIGITS = 16, 6
# Effort only: of at most so many pairs of parts the boxes are looked at in a turned frame, too.
_TURNED = 1 << 14


class NearMeeting(NamedTuple):
    """Two parts of the bodies `label`, which come as near as `least` at most, within `window`, which is in a `stage`."""

    label: Pair
    first: Cell
    second: Cell
    least: float
    window: tuple[float, float]
    stage: int = 0


@dataclass(frozen=True, eq=False)
class NearPartPairs(Sequence[NearMeeting]):
    """Pairs of parts by numbers, each a meeting that is made where it is asked for: of a mesh there may be very many. `least` (n,) bounds
    distances from below; `promise` (n,): the less, the sooner they are looked at; `pairs` (n, 4): which of the `labels`, the parts of its
    bodies, and the stage, that `make` takes.
    """

    labels: Sequence[Pair]
    least: np.ndarray
    promise: np.ndarray
    pairs: np.ndarray
    make: Callable[[Pair, int, int, int], NearMeeting]

    def __len__(self) -> int:
        return len(self.least)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return self._some(np.arange(len(self))[k])
        label, i, j, stage = self.pairs[k].tolist()
        return self.make(self.labels[label], i, j, stage)

    def _some(self, which: np.ndarray) -> "NearPartPairs":
        return replace(self, least=self.least[which], promise=self.promise[which], pairs=self.pairs[which])

    def within(self, reach: float) -> "NearPartPairs":
        """Those that may be as near."""
        return self._some(self.least <= reach)

    def nearest_first(self) -> "NearPartPairs":
        return self._some(np.argsort(self.least, kind="stable"))

    def promising(self, count: int) -> list[NearMeeting]:
        """So many that may hold the nearest points: of those that promise alike, vertices and edges before the faces that they end."""
        some = self._some(np.argsort(self.promise, kind="stable")[:_ALIKE * count])
        shares = some.promise / (float(some.promise.max(initial=0.0)) or 1.0)
        order = [(round(float(share), _DIGITS), m.first.dimension + m.second.dimension) for share, m in zip(shares, some, strict=True)]
        return [some[k] for k in sorted(range(len(some)), key=order.__getitem__)[:count]]

    def without(self, label: Pair) -> "NearPartPairs":
        """Those of other bodies."""
        return self._some(np.array([other != label for other in self.labels], bool)[self.pairs[:, 0]])


class Meetings(Neighbourhood):
    """Their parts, two by two."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._ways = dict[Pair, tuple[float, ...]]()
        # Of pairs of bodies that turn into themselves about one axis: which of them (0 or 1) is sliced, how it turns, and the slice.
        self.turned, self._asked = dict[Pair, tuple[int, Turning, Sequence[Cell]]](), set[Pair]()

    def near(self, labels: Sequence[Pair], upper: float, closed: bool = False) -> NearPartPairs:
        """The pairs of parts of pairs of bodies that may be as near as `upper`, and lie where nearest points may be as far as that is
        known; or of `closed` parts only, all of them.
        """
        least, promise, pairs = [np.empty(0)], [np.empty(0)], [np.empty((0, 4), np.int64)]
        for k, label in enumerate(labels):
            if label in self.turned and not closed:
                found = hope = np.zeros(len(self._sliced(label)))
                own = np.arange(len(found))[:, None] * [1, 0, 0]
            else:
                found, hope, own = self._least(label, upper, closed)
            least.append(found)
            promise.append(hope)
            pairs.append(np.column_stack([np.full(len(found), k), own]))
        make = functools.partial(self._meeting, upper, closed)
        return NearPartPairs(labels, np.concatenate(least), np.concatenate(promise), np.concatenate(pairs), make)

    def nearer(self, meetings: Sequence[NearMeeting], reach: float) -> list[NearMeeting]:
        """Those of the meetings that may come as near as `reach`, each in a window outside of which it is *proved* that they do not."""
        if not reach < math.inf or self.span[0] == self.span[1]:
            return [*meetings]
        moving = [k for k, m in enumerate(meetings) if m.label not in self.turned and m.window[0] < m.window[1]]
        extents = [(self._extent(m.label[0], m.first, m.stage), self._extent(m.label[1], m.second, m.stage))
                   for m in map(meetings.__getitem__, moving)]
        windows = closer(extents, [meetings[k].window[0] for k in moving], [meetings[k].window[1] for k in moving], reach)
        known = dict(zip(moving, windows, strict=True))
        found = [m._replace(window=known.get(k, m.window)) for k, m in enumerate(meetings)]
        return [m for k, m in enumerate(found) if k not in known or m.window[0] < m.window[1]]

    def _least(self, label: Pair, upper: float, closed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same of one pair of bodies: how near (n,) parts come in stages (n, 3) at most, and what they promise (n,)."""
        chosen = [self._chosen(label, side, closed) for side in (0, 1)]
        rows, columns = (np.array(list(own), np.int64) for own in chosen)
        (first, second), all_of = ([*own.values()] for own in chosen), closed or label not in self.whereabouts
        some = max(1, _AT_ONCE // max(1, len(columns) * len(self.slices)))
        least, promise, pairs = [np.empty(0)], [np.empty(0)], [np.empty((0, 3), np.int64)]
        begins = np.searchsorted(self.stages, np.arange(1 if self.rests(label) else len(self.staged)))
        others, turned = self._boxes[label[1]][columns], self._turned(label)
        for begin in range(0, len(rows) if len(columns) else 0, some):
            check()
            own = rows[begin:begin + some]
            far = np.minimum.reduceat(least_distances(self._boxes[label[0]][own][:, None], others[None]), begins, axis=2)
            hope = far
            if turned is not None:
                far, hope = np.maximum(far, turned[0][own][:, columns, None]), turned[1][own][:, columns, None]
            i, j, stage = np.nonzero(far <= upper)
            if not all_of:
                both = [bool((first[begin + a] & second[b]).any()) for a, b in zip(i.tolist(), j.tolist(), strict=True)]
                i, j, stage = i[both], j[both], stage[both]
            least.append(far[i, j, stage])
            promise.append(hope[i, j, stage])
            pairs.append(np.column_stack([own[i], columns[j], stage]))
        return np.concatenate(least), np.concatenate(promise), np.concatenate(pairs)

    def _turned(self, label: Pair) -> tuple[np.ndarray, np.ndarray] | None:
        """(n, m): how near the parts of two bodies come at a moment at most, by boxes in a turned frame, and what they promise; None where
        that is not asked: of few pairs, of very many, and of meshes and crowded bodies.
        """
        count = math.prod(len(self._parts[k]) for k in label)
        if len(self.slices) > 1 or not FEW < count <= _TURNED or any(self._is_listed_roughly(k) for k in label):
            return None
        first, second = (placed([self._extent(k, part) for part in self._parts[k]], self.span[0]) for k in label)
        return turned_distances(first, second)

    def _is_listed_roughly(self, k: int) -> bool:
        """Whether the parts of a body are triangles, or those that a crowded body may have."""
        return k in self.crowded or isinstance(self._parts[k], Faces)

    def _meeting(self, upper: float, closed: bool, label: Pair, i: int, j: int, stage: int) -> NearMeeting:
        if label in self.turned and not closed:
            return self._sliced(label)[i]
        now = np.flatnonzero(self.stages == stage)
        gaps = least_distances(self._boxes[label[0]][i, now], self._boxes[label[1]][j, now])
        when = now[gaps <= upper]
        window = self.window(label, stage) if self.rests(label) else (float(self.slices[when[0], 0]), float(self.slices[when[-1], 1]))
        return NearMeeting(label, self._parts[label[0]][i], self._parts[label[1]][j], float(gaps.min()), window, stage)

    def _sliced(self, label: Pair) -> list[NearMeeting]:
        side, _, own = self.turned[label]
        return [NearMeeting(label, *((other, part) if side else (part, other)), 0.0, self.span)
                for part in own for other in self.present(label[1 - side])]

    def _chosen(self, label: Pair, side: int, closed: bool) -> Mapping[int, np.ndarray]:
        if label in self.whereabouts and not closed:
            return self.reached(label, side)
        return dict.fromkeys(range(self.closed[label[side]] if closed else len(self._parts[label[side]])), np.ones(1, bool))

    def problem(self, m: NearMeeting, reach: float, many: bool, critical: bool = True) -> Problem:
        numbers = self.part_numbers(m.label[0], m.stage), self.part_numbers(m.label[1], m.stage)
        free = tuple(self.names[k] for k in m.label) if self.ranges else ()
        names = {name for one in free for name in one}
        ranges = {variable_of(s): ends for s, ends in self.ranges.items() if variable_of(s) in names}
        found = nearest(m.first, m.second, numbers, self.staged.span(m.stage), reach, self.relative.given(m.label), many,
                        self._way(m.label), ranges, free, critical)
        limits = {} if self.span[0] == self.span[1] else {"t": m.window}
        for k, side, part in ((m.label[0], 1, m.first), (m.label[1], 2, m.second)):
            if part.leaves:
                box = self._extent(k, part).domain
                room = max(_ROOM * float(np.ptp(box, axis=1).max()), SMALL * self.size)
                limits |= {f"{name}{side}": (lo - room, hi + room) for name, (lo, hi) in zip("xyz", box.tolist(), strict=True)}
        outer, inner = found.outer.copy(), found.inner.copy()
        for j in range(len(outer) - 1):
            lo, hi = limits.get(found.variables[j], (-math.inf, math.inf))
            for box in (outer, inner):
                box[j] = max(box[j, 0], lo), min(box[j, 1], hi)
        return found.with_data(outer=outer, inner=inner)

    def _way(self, label: Pair) -> tuple[float, ...]:
        """About the direction from one body to the other when the time begins."""
        if label not in self._ways:
            first, second = (np.nan_to_num(self.around[k, 0], posinf=0.0, neginf=0.0).mean(axis=1) for k in label)
            self._ways[label] = tuple((first - second).tolist())
        return self._ways[label]

    # -- slices -------------------------------------------------------------------------------------------------------

    def slice(self, labels: Sequence[Pair]) -> bool:
        """Slice the bodies of these pairs that turn into themselves about an axis of the other one; return whether there is one, of those
        that were not asked about before.
        """
        for label in [label for label in labels if label not in self._asked]:
            first, second = (self._turnings(k) for k in label)
            found = shared(first, second, self.staged.span(0)[0] if self.span[0] == self.span[1] else t)
            if found is not None and not any(part.sides for k in label for part in self.present(k)):
                side, turning = found
                k = label[side]
                parts = sliced(self.bodies[k], turning, self._known(k))
                self.turned[label] = side, turning, without_absent(parts, self.numbers[k], self.span)
        fresh = not (self.turned.keys() & set(labels)) <= self._asked
        self._asked.update(labels)
        return fresh

    def _turnings(self, k: int) -> Sequence[Turning]:
        return () if k in self.flat or is_large(self.bodies[k]) else turnings(self.bodies[k], self._known(k))

    def present(self, k: int) -> Sequence[Cell]:
        """The parts of a body, of crowded ones without those that are not there. Of a surface that ends at its bounds some have sides."""
        return without_absent(self._candidates(k), self.numbers[k], self.span) if k in self.crowded else self._parts[k]

    def _known(self, k: int) -> dict[Any, Any]:
        """The numbers of a body by their symbols; symbols of both bodies for those that are variables, and its own for unknown ones."""
        free = self.free[k] or [""] * len(self.numbers[k].symbols)
        return {s: sp.Symbol(name, real=True) if name else sp.Dummy(real=True) if e == s else e
                for (s, e), name in zip(self.numbers[k].pairs, free, strict=True)}

    def turned_back(self, m: NearMeeting, box: Mapping[str, np.ndarray]) -> list[Problem]:
        """The problems of whole bodies near a solution for a slice, in the box `box`: what no turn changes is as it is there."""
        if m.label not in self.turned:
            return [self.problem(m, self.reach(m.label), False)]
        side, turning, _ = self.turned[m.label]
        turned, other = (m.second, m.first) if side else (m.first, m.second)
        still = () if turning.round else ("u", "v", "xyz"[turning.axis])
        kept = {name for name in box if name[-1] not in "12"} | {f"{name}{side + 1}" for name in still}
        problems = []
        for part in (part for part in self.present(m.label[side]) if part.feature == turned.feature):
            problem = self.problem(m._replace(first=other if side else part, second=part if side else other), self.reach(m.label), False)
            outer, inner = problem.outer.copy(), problem.inner.copy()
            for j, name in enumerate(problem.variables[:-1]):
                if name in kept and name in box:
                    room = SMALL * float(np.ptp(inner[j])) + float(np.ptp(box[name]))
                    for ends in (outer, inner):
                        ends[j] = max(ends[j, 0], box[name][0] - room), min(ends[j, 1], box[name][1] + room)
            problems.append(problem.with_data(outer=outer, inner=inner))
        return problems
