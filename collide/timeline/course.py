"""Bodies that follow splines of time, or keyframes: what they are between two knots, and across one; and in which stages any come near.

All pieces of a motion are members of one family. So a stage is a row of numbers for kernels that all stages share, and boxes round all
bodies in all stages are enclosed at once.
"""

import itertools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from codegen.constants import enclose as number
from codegen.deadline import check
from generative.family import family_of
from generative.knots import Between, between, knots_of, splines_of
from generative.resting import Member
from generative.symbols import Parameter

from ..bodies.extent import Extent, swept
from ..bodies.members import enclose
from ..bodies.numbers import Numbers, numbers_of
from ..bodies.thickened import Shift, shifted, shifts_of
from ..culling.broad_phase import Asked, Window
from ..culling.sweep import Sweep

# So many stages are looked at closely at a time.
_TOGETHER = 1 << 8

PartPair = tuple[int, int, int, int]
"""A body, a part of it, another body, and a part of that, by their numbers."""
Wanted = Callable[[int, int, int, int], bool]


class Held(NamedTuple):
    """The bodies as members of families, their numbers, and the window in which these formulas hold; and whether a knot is in it."""

    bodies: tuple[Any, ...]
    numbers: tuple[Numbers, ...]
    window: Window
    across: bool = False


class Course:
    """The course of bodies in time: `ends` (n + 1,) are those of n stages of a span, in each of which every body follows one piece of its
    splines.
    """

    def __init__(self, bodies: Sequence[Any], span: Window, values: Mapping[Any, float] | None = None, shift: Shift = Shift.NONE) -> None:
        """`values`: doubles for parameters, which edges and vertices of solids must not have. `shift`: of solids with gaps, in every piece.
        """
        self._given, self.values, self._shifts = tuple(bodies), values or {}, shifts_of(bodies, shift)
        self._splines = [splines_of(body) or () for body in bodies]
        inner = [knots_of(e)[1:-1] for e in dict.fromkeys(e for own in self._splines for e in own)]
        self._knots = np.unique(np.concatenate([np.empty(0), *inner]))
        self.ends = np.array([span[0], *self._knots[(span[0] < self._knots) & (self._knots < span[1])], span[1]])
        self._between = [self._shifted(k, between(body) if own else Between(family_of(body), {}))
                         for k, (body, own) in enumerate(zip(bodies, self._splines, strict=True))]
        self._tables = [self._table(body, self.ends[:-1]) for body in self._between]

    def piece(self, k: int) -> Held:
        """Stage k."""
        numbers = [self._numbers(b.member, None if table is None else table[k])
                   for b, table in zip(self._between, self._tables, strict=True)]
        return Held(tuple(b.member.body for b in self._between), tuple(numbers), self._around(self.ends[k], "right"))

    def across(self, knot: float) -> Held:
        """The pieces before and after a knot."""
        bodies, numbers = [], []
        for k, (body, own, usual) in enumerate(zip(self._given, self._splines, self._between, strict=True)):
            there = frozenset(e for e in own if knot in knots_of(e)[1:-1])
            found = self._shifted(k, between(body, there)) if own else usual
            table = self._table(found, np.array([np.nextafter(knot, -np.inf)]))
            bodies.append(found.member.body)
            numbers.append(self._numbers(found.member, None if table is None else table[0]))
        window = self._around(float(np.nextafter(knot, -np.inf)), "right")[0], self._around(knot, "right")[1]
        return Held(tuple(bodies), tuple(numbers), window, True)

    def _shifted(self, k: int, body: Between) -> Between:
        return Between(shifted(body.member, k, self._shifts), body.slots)

    def _table(self, body: Between, begins: np.ndarray) -> np.ndarray | None:
        """(n, p, 2): the numbers of a body from so many times on; None if they stay the same."""
        if not body.slots:
            return None
        table = np.empty((len(begins), len(body.member.data), 2))
        for j, e in enumerate(body.member.data):
            slot = body.slots.get(e)
            table[:, j] = self._number(e) if slot is None else slot.at(begins)
        return table

    def _number(self, e: Any) -> tuple[float, float]:
        return self._shifts[e] if e in self._shifts else (self.values[e], self.values[e]) if e in self.values else number(e)

    def _numbers(self, member: Member, intervals: np.ndarray | None) -> Numbers:
        """The numbers of a stage, or of all; those of its piece are doubles."""
        if intervals is None and not member.free:
            return numbers_of(member)
        own = np.array([self._number(e) for e in member.data]) if intervals is None else intervals
        return Numbers(member.symbols, [None if isinstance(e, Parameter) else e for e in member.data], own)

    def _around(self, time: float, side: str) -> Window:
        """The knots round a time."""
        at = int(np.searchsorted(self._knots, time, side))  # type: ignore[call-overload]
        knots = np.concatenate([[-np.inf], self._knots, [np.inf]])
        return float(knots[at]), float(knots[at + 1])

    def near(self, parts: Sequence[Sequence[Extent]], asked: Asked, wanted: Wanted) -> Iterator[tuple[int, list[PartPair]]]:
        """The stages in which parts of bodies come near each other, in order, each with the pairs that do, by the numbers of body and part.
        Of others it is *proved* that they do not meet then. `asked`: of bodies, which pairs are looked at, `wanted`: and of their parts.

        Boxes round whole bodies come first; a body goes on to boxes round its parts in those stages alone in which it comes near another.
        """
        stages = [np.arange(len(self.ends) - 1)] * len(parts)
        found = _pairs([_hull(self._boxes(k, own, stages[k], False))[None] for k, own in enumerate(parts)], stages, asked)
        stages = [np.unique(found[(found[:, [1, 3]] == k).any(axis=1), 0]) for k in range(len(parts))]
        for first in range(0, len(self.ends) - 1, _TOGETHER):
            check()
            some = [own[(own >= first) & (own < first + _TOGETHER)] for own in stages]
            found = _pairs([self._boxes(k, own, some[k], True) for k, own in enumerate(parts)], some, asked)
            for stage, rows in itertools.groupby(found.tolist(), operator.itemgetter(0)):
                near = [(i, p, j, q) for _, i, p, j, q in rows if wanted(i, p, j, q)]
                if near:
                    yield stage, near

    def _boxes(self, body: int, parts: Sequence[Extent], stages: np.ndarray, closely: bool) -> np.ndarray:
        """(n, stages, 3, 2): boxes that hold the parts of a body throughout stages; not `closely`, they hold several parts."""
        times, table = np.stack([self.ends[stages], self.ends[stages + 1]], axis=1), self._tables[body]
        groups: dict[Any, list[Extent]] = {}
        for k, part in enumerate(parts):
            groups.setdefault(k if closely else part.motion, []).append(part)
        motions: dict[Any, np.ndarray] = {}
        boxes = np.empty((len(groups), len(stages), 3, 2))
        for out, own in zip(boxes, groups.values(), strict=True):
            kernel, numbers = own[0].placing
            if own[0].motion not in motions:
                motions[own[0].motion] = enclose(kernel, times[:, None], numbers if table is None else table[stages][:, own[0].moving])
            every = [part.cells(times) if part.deforming else part.resting[None] for part in own]
            if not closely:
                every = [_hull(np.stack(np.broadcast_arrays(*(_hull(np.moveaxis(c, 1, 0)) for c in every))))[:, None]]
            cells = np.broadcast_to(every[0], (len(stages), *every[0].shape[1:]))
            out[:] = swept(motions[own[0].motion], cells)
        return boxes


def _hull(boxes: np.ndarray) -> np.ndarray:
    """(..., 3, 2): boxes round those (n, ..., 3, 2) along the first axis."""
    return np.stack([boxes[..., 0].min(axis=0), boxes[..., 1].max(axis=0)], axis=-1)


def _pairs(boxes: Sequence[np.ndarray], stages: Sequence[np.ndarray], asked: Asked) -> np.ndarray:
    """(n, 5): stage, body and part, another body and part, of which boxes (parts, stages, 3, 2) meet, in order."""
    body = np.repeat(np.arange(len(boxes)), [own.shape[0] * own.shape[1] for own in boxes])
    part = np.concatenate([np.repeat(np.arange(own.shape[0]), own.shape[1]) for own in boxes])
    when = np.concatenate([np.tile(own, len(of)) for own, of in zip(stages, boxes, strict=True)])
    every = np.concatenate([own.reshape(-1, 3, 2) for own in boxes])
    # Boxes are in the order of their bodies.
    first, second = np.sort(Sweep(every[..., 0], every[..., 1], when).pairs(), axis=1).T
    met = body[first] != body[second]
    first, second = first[met], second[met]
    met = asked(body[first], body[second])
    first, second = first[met], second[met]
    found = np.stack([when[first], body[first], part[first], body[second], part[second]], axis=1)
    return found[np.lexsort(found.T[::-1])]


def course_of(bodies: Sequence[Any], span: Window, shift: Shift = Shift.NONE) -> Course | None:
    """The course of bodies of which some follow splines of time; None if none does."""
    return Course(bodies, span, shift=shift) if any(map(splines_of, bodies)) else None
