"""Bodies whose motions follow splines of time, or keyframes, in stages between the knots: the same formulas, with other numbers in each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from generative.family import family_of
from generative.knots import Slot, between, knots_of, splines_of
from generative.rest import carrier
from generative.resting import Member

from .numbers import Numbers
from .parameters import Ranges, in_ranges

Window = tuple[float, float]


class Staged:
    """`members`: the bodies as members of families, of which those that follow splines have the numbers of each stage (`table`). `ends`
    (n + 1,) are those of n stages of a time span; `free` as of `in_ranges`.
    """

    def __init__(self, bodies: Sequence[Any], time: tuple[Any, Any], span: Window, ranges: Ranges) -> None:
        self._time, self.members, self._slots = time, list[Member](), list[dict[Any, Slot]]()
        knots = [np.empty(0)]
        for body in bodies:
            # What bodies are in their own frames is known once: they must not deform, and one motion must carry all of them.
            followed = splines_of(body) if carrier(body) is not None else None
            found = between(body) if followed else None
            self.members.append(family_of(body) if found is None else found.member)
            self._slots.append({} if found is None else found.slots)
            knots += [knots_of(e)[1:-1] for e in followed or ()]
        inner = np.unique(np.concatenate(knots))
        self.ends = np.array([span[0], *inner[(span[0] < inner) & (inner < span[1])], *([span[1]] if span[0] < span[1] else [])])
        self._fixed, self.free = in_ranges([_without(m, slots) for m, slots in zip(self.members, self._slots, strict=True)], ranges)
        self._tables = [self._table(k) for k in range(len(bodies))]
        self._numbers = dict[tuple[int, int], Numbers]()

    def __len__(self) -> int:
        return max(1, len(self.ends) - 1)

    def span(self, stage: int) -> tuple[Any, Any]:
        """The exact ends of a stage."""
        if len(self) == 1:
            return self._time
        lo, hi = (sp.Rational(e) for e in self.ends[stage:stage + 2].tolist())
        return self._time[0] if stage == 0 else lo, self._time[1] if stage == len(self) - 1 else hi

    def table(self, body: int) -> np.ndarray | None:
        """(n, p, 2): the numbers of a body in each stage; None if they stay the same."""
        return self._tables[body]

    def numbers(self, body: int, stage: int = 0) -> Numbers:
        table = self._tables[body]
        if table is None:
            return self._fixed[body]
        if (body, stage) not in self._numbers:
            slots = self._slots[body]
            exact = [None if e in slots else known for e, known in zip(self.members[body].data, self._fixed[body]._exact, strict=True)]
            self._numbers[body, stage] = Numbers(self.members[body].symbols, exact, table[stage])
        return self._numbers[body, stage]

    def _table(self, body: int) -> np.ndarray | None:
        if not self._slots[body]:
            return None
        table = np.repeat(self._fixed[body].intervals[None], len(self), axis=0)
        for j, e in enumerate(self.members[body].data):
            if e in self._slots[body]:
                table[:, j] = self._slots[body][e].at(self.ends[:len(self)])
        return table


def _without(member: Member, slots: dict[Any, Slot]) -> Member:
    """With no numbers for those that differ from stage to stage."""
    if not slots:
        return member
    return Member(member.body, member.symbols, tuple(sp.Integer(0) if e in slots else e for e in member.data))
