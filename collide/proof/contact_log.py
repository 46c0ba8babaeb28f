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

# By how much less than what the search found a log proves, as parts of the time span; the most boxes of all trees, at first and then;
# and how long after a contact surfaces are seen to cross.
_GAPS, _MOST, _MORE = (2.0**-7, 2.0**-10, 2.0**-13, 2.0**-16, 2.0**-20, 2.0**-26, 2.0**-30), 150_000, 30_000
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
        """Until when there is no contact. Where contacts are isolated, or there is none, trees end just before them at once. Others would
        have too many steps: there they end much before them first, and then ever nearer, while that leads further.
        """
        apart, length = found.status is Status.NO_CONTACT, self.span[1] - self.span[0]
        last = above(flint.arb(self.span[1])) if apart else min(found.clear_until, self.span[1])
        until, best = -math.inf, list[str]()
        for gap in _GAPS[-1:] if apart or found.proved.any() else _GAPS:
            end = last - (0.0 if apart else gap * length)
            reached, lines = self._cleared_until(found, end, _MORE if best else _MOST, alive)
            if not reached > until:
                break
            until, best = reached, lines
            if until < end or len(lines) > _MORE:
                break
        if best:
            self.said.append(f"that there is no contact until t = {until!r}")
        return best

    def _cleared_until(self, found: Contacts, end: float, most: int, alive: Alive) -> tuple[float, list[str]]:
        """How far trees come that end then."""
        begin, until, steps = below(self.problem.moment(0)), end, 0
        ends = dict[tuple[int, int], float]()
        for a, b in self.pairs({(int(i), int(j)) for i, j in found.pairs}):
            if not begin < until:
                return -math.inf, []
            grower, ends[a, b] = self.grower(("common point", a, b)), until
            open_from = grower.grow(self.domain(("common point", a, b), [(begin, until)]), most - steps, alive)
            steps += grower.used
            until = min(until, math.nextafter(open_from, -math.inf))
        return until, [] if not begin < until else [f"clear {until.hex()}", *(line for (a, b), last in sorted(ends.items()) for line in (
            f"pair {a} {b} {last.hex()}", *self.grower(("common point", a, b)).lines(until)))]


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
