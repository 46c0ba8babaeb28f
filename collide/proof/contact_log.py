"""Logs of `first_contact`: until when all surfaces are apart, and that two of them meet."""

import math
import os
from collections.abc import Sequence
from typing import Any

import flint
import numpy as np

from ..answers.contacts import Contacts, Status
from ..moment.start import Start
from .checker.problem import above, below
from .log import Alive, Log
from .statement import Statement
from .trees import Stuck

# By how much less than what the search found a log proves, as parts of the time span, and the most steps of a tree then: at first little,
# or else much, and from there on less and less; and how long after a contact surfaces are seen to cross.
_FIRST, _GAPS = (2.0**-30, 40_000), ((2.0**-7, 150_000), (2.0**-13, 100_000), (2.0**-20, 40_000), (2.0**-26, 30_000))
_LATER = (2.0**-36, 2.0**-30, 2.0**-24, 2.0**-18, 2.0**-14, 2.0**-10)


class ContactLog(Log):
    def __init__(self, path: str | os.PathLike[str], bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float]) -> None:
        super().__init__(path)
        self.bodies, self.time, self.span = bodies, time, span
        Statement("contact", bodies, time[:1], span)

    def claims(self, found: Contacts, alive: Alive) -> list[str]:
        n, states = len(self.bodies), dict(found.start.items())
        pairs = {(i, j) for i in range(n) for j in range(i + 1, n)}
        claimed = {pair for pair in pairs if states.get(pair) is Start.DISJOINT or pair in found.undecided}
        if not claimed:
            self.said = ["no two bodies are proved apart at the beginning."]
            return []
        self.statement = Statement("contact", self.bodies, self.time[:1], self.span, sorted(pairs - claimed))
        self.begin(self.statement.lines)
        return [*self._cleared(found, alive), *self._met(found)]

    def _cleared(self, found: Contacts, alive: Alive) -> list[str]:
        begin, apart = below(self.problem.moment(0)), found.status is Status.NO_CONTACT
        until = above(flint.arb(self.span[1])) if apart else min(found.clear_until, self.span[1])
        first = {(int(i), int(j)) for i, j in found.pairs}
        best = list[str]()
        # Where contacts form curves a tree that ends so shortly before them has too many steps.
        gaps = ((0.0, _GAPS[0][1]), *_GAPS) if apart else (*[_FIRST] * bool(found.proved.any()), *_GAPS)
        for gap, most in gaps:
            end = until - gap * (self.span[1] - self.span[0])
            try:
                if begin < end:
                    best = [f"clear {end.hex()}", *self.pairs("common point", (), (begin, end), first, most, alive)]
            except Stuck:
                if best:
                    break
            if best and gap <= _FIRST[0]:
                break
        if best:
            self.said.append(f"that there is no contact until t = {float.fromhex(best[0].split()[1])!r}")
        return best

    def _met(self, found: Contacts) -> list[str]:
        """Near a contact surfaces have a point in common a little later."""
        if found.status is not Status.CONTACT or found.time is None:
            return []
        for after in _LATER:
            moment = found.time[1] + after * (self.span[1] - self.span[0])
            for k in np.flatnonzero(found.exists)[:4]:
                lines = self._crossing(found, int(k), moment, math.sqrt(after))
                if lines:
                    self.said.append(f"that there is one at t = {moment!r}")
                    return lines
        return []

    def _crossing(self, found: Contacts, k: int, moment: float, reach: float) -> list[str]:
        sides = []
        for body, at in zip(found.pairs[k].tolist(), found.uv[k], strict=True):
            own, face = self.statement.faces[body], int(at["face"])
            sides.append([(piece, []) for piece in own] if face < 0 else [(own[face], [float(at["u"]), float(at["v"])])])
        for a, near in sides[0]:
            for b, other in sides[1]:
                point = near + other or found.points[k].tolist()
                line = self.solution(("common point", a, b), point, reach, [(moment, moment)])
                if line:
                    return [f"meet {a} {b}", line]
        return []
