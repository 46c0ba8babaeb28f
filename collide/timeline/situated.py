"""Two cells of moving bodies as equations over a window of time, with the numbers of these bodies."""

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.walk import free_symbols
from generative import ImplicitBody, ImplicitSurface, Solid
from generative.changes import pieces_of
from generative.products import Product, common

from ..bodies.cells import Cell, whole_of
from ..bodies.extent import Extent, extent_of
from ..bodies.implicit_parts import is_large
from ..bodies.motions import divided as divided_motion
from ..bodies.numbers import NONE, Numbers, both
from ..bodies.parts import ends_of
from ..culling.broad_phase import Shared, Window
from ..moment.pairs import Pair, Starts
from ..moment.start import Start
from ..search.problem import Problem
from ..situations.contact import member, situation, with_numbers
from ..situations.part_nearby import nearby
from ..situations.presence import where
from ..situations.tracking import KnownContact
from .near_triangles import own_columns

Features = tuple[Pair, str, str]


@dataclass(frozen=True, eq=False)
class Meeting:
    """Two parts of the bodies `label` = (i, j) that may meet within `window`. `closed`: faces that stand for their borders, too."""

    label: Pair
    first: Cell
    second: Cell
    window: Window
    closed: bool = False

    @property
    def features(self) -> Features:
        """The key of a meeting among those of a scene, where a face may have several parts."""
        return self.label, self.first.feature, self.second.feature


class Situated:
    """Bodies with numbers over a span of time, what is known of how they begin, and the situations of two of their cells."""

    bodies: tuple[Any, ...]
    numbers: tuple[Numbers, ...]
    time: tuple[Any, Any]
    span: Window
    # Is tangency used, and may faces stand for their borders? `many`: there are so many situations that kernels had better be shared.
    tangency: bool
    closed: bool
    many: bool
    tracked: dict[Pair, tuple[tuple[KnownContact, ...], Numbers]]
    states: Starts
    # Pairs whose surfaces are proved apart at the beginning, where it is not decided whether one body encloses the other; pairs that touch
    # as the span begins, and part at once; and those that are searched from before the beginning.
    undecided: set[Pair]
    parted: set[Pair]
    early: frozenset[Pair]
    # A moment at which bodies may meet that count as apart: what they do there need not be tangent.
    unproved: float
    _carriers: list[Any]
    _kinds: dict[Any, tuple[Problem, tuple[Numbers, ...]]]

    def problem(self, m: Meeting, span: Window) -> Problem:
        """The situation over a span of time; only incoming contacts count unless the bodies start apart."""
        whole, numbers = self.kind(m) if m.first.of or m.second.of else self._whole(m)
        window = max(m.window[0], span[0]), min(m.window[1], span[1])
        border = closed_border(m.first, m.second, window[0] <= self.unproved) if m.closed else None
        return over(whole, (m.first, m.second), numbers, window, border)

    def _whole(self, m: Meeting) -> tuple[Problem, tuple[Numbers, ...]]:
        """The situation over all of the scene's span, and its numbers."""
        build = member if self.many or not (m.closed or self.faces(m)) else situation
        first, second = cells = self.nearby(m.label, (m.first, m.second))
        numbers = self.situation_numbers(m.label, cells)
        whole = build(whole_of(first), whole_of(second), **self.named(m.label, cells))
        margins = tuple(cell.margin for cell in cells if cell.measured)
        named = {"label": m.label, "features": (m.first.feature, m.second.feature), "margins": margins}
        return with_numbers(whole, numbers, self.time).with_data(**named), numbers

    def nearby(self, label: Pair, cells: tuple[Cell, Cell]) -> tuple[Cell, Cell]:
        """Parts of a pair of bodies as they are searched, of which one has many leaves: with conditions on few of these, or measured."""
        if not any(is_large(cell.body) for cell in cells):
            return cells
        first, second = (nearby(part, numbers) for part, numbers in zip(cells, self.pair_numbers(label), strict=True))
        return first, second

    def kind(self, m: Meeting) -> tuple[Problem, tuple[Numbers, ...]]:
        """The situation of a meeting of cells of a mesh: all of a kind differ in numbers of their own alone, which come last in those of
        either side.
        """
        key = m.label, *(whole_of(cell) if cell.of else cell for cell in (m.first, m.second))
        if key not in self._kinds:
            self._kinds[key] = self._whole(m)
        whole, numbers = self._kinds[key]
        values = whole.parameters.copy()
        for cell, columns in zip((m.first, m.second), own_columns(m, numbers), strict=True):
            values[columns] = cell.own.intervals
        return whole.with_data(parameters=values, features=(m.first.feature, m.second.feature)), numbers

    def named(self, label: Pair, cells: tuple[Cell, Cell]) -> dict[str, Any]:
        """The key of the situation of two parts of a pair of bodies, beside the parts. With symbols the span is data, so it is left out."""
        symbols = tuple(numbers.symbols for numbers in self.situation_numbers(label, cells))
        named = {"time": (0, 1) if any(symbols) else self.time, "tangency": self.tangency,
                 "incoming": not self.apart(label), "tracked": self._known(label)[0], "symbols": symbols}
        return named | ({"shared": self.shared(label)} if self.shared(label) else {})

    def situation_numbers(self, label: Pair, cells: tuple[Cell, Cell]) -> tuple[Numbers, ...]:
        """The numbers of two parts as their situations take them: of the first, the second, known contacts, and a motion in common."""
        pair = tuple(both(n, cell.own) if cell.mover is None else cell.own for n, cell in zip(self.pair_numbers(label), cells, strict=True))
        shared = self.shared(label)
        if not shared:
            return *pair, self._known(label)[1]
        (before, first), (_, second) = (divided_numbers(self.bodies[k], own, shared) for k, own in zip(label, pair, strict=True))
        return first, second, self._known(label)[1], before

    def _known(self, label: Pair) -> tuple[tuple[KnownContact, ...], Numbers]:
        """The tracked contacts of two bodies, and their numbers."""
        return self.tracked.get(label, ((), NONE))

    def shared(self, label: Pair) -> int:
        """The number of factors that the motions of two bodies begin with in common; 0 where contacts are known, which have places in the
        world, and of implicit bodies of many leaves.
        """
        first, second = (self._carriers[k] for k in label)
        if label in self.tracked or first is None or second is None or any(_has_movers(self.bodies[k]) for k in label):
            return 0
        return common(first, second)

    @property
    def _frames(self) -> Shared | None:
        """The same of arrays of bodies; None where no pair has anything in common."""
        if sum(isinstance(m, Product) for m in self._carriers) < 2:
            return None
        return lambda i, j: np.array([self.shared(label) for label in zip(i.tolist(), j.tolist(), strict=True)], np.int64)

    def pair_numbers(self, label: Pair) -> tuple[Numbers, Numbers]:
        """The numbers of two bodies."""
        return self.numbers[label[0]], self.numbers[label[1]]

    def apart(self, label: Pair) -> bool:
        """Whether two bodies count as apart where their search begins: proved so, or as to their surfaces, where no more is known."""
        return self.states[label] is Start.DISJOINT or label in self.early or label in self.undecided or label in self.parted

    def by_faces(self, label: Pair) -> bool:
        """Whether the closed faces of two bodies tell when they meet."""
        apart = self.apart(label) and label not in self.tracked
        return self.closed and apart and not any(isinstance(self.bodies[k], ImplicitBody) for k in label)

    @staticmethod
    def faces(m: Meeting) -> bool:
        return m.first.is_face and m.second.is_face

    def extent(self, body: int, part: Cell, place: Callable[..., np.ndarray | None] = where) -> Extent:
        """The extent of a part; `place` tells where implicit ones are."""
        return placed(part, self.numbers[body], place(part, self.numbers[body], self.span) if part.leaves else None)


def _has_movers(body: Any) -> bool:
    """Whether a body is an implicit one whose frames are told from the one that moves them all."""
    return isinstance(body, ImplicitBody) and (is_large(body) or len({leaf.motion for leaf in body.leaves}) > 1)


def placed(part: Cell, numbers: Numbers, box: np.ndarray | None) -> Extent:
    """The extent of a part that is in a box, if one is known."""
    return extent_of(part, numbers, None if box is None else tuple(map(tuple, box.tolist())))


@functools.lru_cache(maxsize=1024)
def closed_border(first: Cell, second: Cell, unproved: bool) -> np.ndarray:
    """Tangency is not used at any end of the faces: there may be an edge. Nor where time begins, if they may cross then (`unproved`)."""
    return np.array([*ends_of(first), *ends_of(second), (unproved, False)], int)


@functools.lru_cache(maxsize=4096)
def divided_numbers(body: Any, numbers: Numbers, shared: int) -> tuple[Numbers, Numbers]:
    """The numbers of the first factors of a motion, and those of all else. Some may be in both, as the knots that joints have in common."""
    first, rest = divided_motion(pieces_of(body)[0].motion, shared)
    alone = first.symbols - rest.symbols - _shape_symbols(body)
    return numbers.only(first.symbols), numbers.only(set(numbers.symbols) - alone)


def _shape_symbols(body: Any) -> set[Any]:
    """The symbols of the formulas of a body in its own frame."""
    found = [e for p in pieces_of(body) for e in (itertools.chain((p.body,), *p.bounds) if isinstance(p, ImplicitSurface) else
                                                  itertools.chain(p.body, *p.domain.values()))]
    if isinstance(body, Solid):
        found += [e for edge in body.edges for e in itertools.chain(edge.domain, *edge.paths)]
        found += [e for vertex in body.vertices for e in itertools.chain(*vertex.points)]
    return free_symbols(*found)


def over(problem: Problem, parts: tuple[Cell, Cell], numbers: tuple[Numbers, ...], window: Window, border: np.ndarray | None) -> Problem:
    """The problem, with the same kernels, over a window of time and the domains of parts of those it was built for; with other
    borders, where they are given.
    """
    limits = {problem.variables.index("t"): window}
    for side, part in enumerate(parts, 1):
        if part.whole and part.domain is not part.whole.domain:
            columns = [problem.variables.index(f"{name}{side}") for name in part.names]
            limits |= zip(columns, numbers[side - 1].bounds(part.domain)[0], strict=True)
    if border is None and all(ends[0] <= problem.outer[j, 0] and ends[1] >= problem.outer[j, 1] for j, ends in limits.items()):
        return problem
    outer, inner = problem.outer.copy(), problem.inner.copy()
    for box, (j, ends) in itertools.product((outer, inner), limits.items()):
        box[j] = max(box[j, 0], ends[0]), min(box[j, 1], ends[1])
    return problem.with_data(outer=outer, inner=inner, border=problem.border if border is None else border)
