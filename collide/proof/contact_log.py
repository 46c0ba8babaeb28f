"""Logs of `first_contact`: until when all surfaces are apart, and that two of them meet."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import flint
import numpy as np

from ..answers.contacts import Contacts, Status
from ..moment.start import Start
from .balls import Vector
from .checker.check import BITS, FIRST
from .checker.problem import Problem, above, below
from .existence import found_solution, inner
from .statement import Statement
from .trees import Grower, Stuck

# By how much less than what the search found a log proves, as parts of the time span; and the most steps of a tree then.
_GAPS = ((2.0**-30, 20_000), (2.0**-20, 20_000), (2.0**-14, 40_000), (2.0**-10, 60_000), (2.0**-7, 100_000))


class ContactLog:
    """Writes the log of an answer; made before the search, so that what cannot be written is refused then."""

    def __init__(self, path: str | os.PathLike[str], bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float]) -> None:
        self.path, self.bodies, self.time, self.span = path, bodies, time, span
        Statement("contact", bodies, time[:1], span)

    def write(self, found: Contacts, alive: Callable[[], bool]) -> str:
        """Writes the log, and says in a sentence what it proves, or why there is none."""
        with flint.ctx.workprec(BITS):
            lines = self._lines(found, alive)
            if isinstance(lines, str):
                if os.path.exists(self.path):
                    os.remove(self.path)
                return lines
            part = f"{os.fspath(self.path)}.part"
            with open(part, "w", encoding="ascii") as file:
                file.writelines(f"{line}\n" for line in lines)
            os.replace(part, self.path)
        return self.said

    def _lines(self, found: Contacts, alive: Callable[[], bool]) -> list[str] | str:
        states = dict(found.start.items())
        n = len(self.bodies)
        pairs = {(i, j) for i in range(n) for j in range(i + 1, n)}
        claimed = {pair for pair in pairs if states.get(pair) is Start.DISJOINT or pair in found.undecided}
        if not claimed:
            return "No log was written: no two bodies are apart at the beginning."
        self.statement = Statement("contact", self.bodies, self.time[:1], self.span, sorted(pairs - claimed))
        self.problem, self.quick = Problem(self.statement.lines), Problem(self.statement.lines, Vector)
        cleared = self._cleared(found, alive)
        met = self._met(found)
        if not cleared and not met:
            return "No log was written: no proof in the steps of a log was found."
        return [FIRST, *self.statement.lines, *cleared, *met, "end"]

    # -- clear until ----------------------------------------------------------------------------------------------

    def _cleared(self, found: Contacts, alive: Callable[[], bool]) -> list[str]:
        begin = below(self.problem.moment(0))
        apart = found.status is Status.NO_CONTACT
        until = max(self.span[1], above(flint.arb(self.span[1]))) if apart else min(found.clear_until, self.span[1])
        for gap, most in ((0.0, _GAPS[-1][1]), *_GAPS) if apart else _GAPS:
            end = until - gap * (self.span[1] - self.span[0])
            if not begin < end:
                break
            try:
                lines = [f"clear {float(end).hex()}", *self._trees((begin, end), found, most, alive)]
            except Stuck:
                continue
            self.said = f"The log proves that there is no contact until t = {end!r}."
            return lines
        self.said = "The log proves nothing about when there is no contact."
        return []

    def _trees(self, span: tuple[float, float], found: Contacts, most: int, alive: Callable[[], bool]) -> Iterator[str]:
        """The trees of all pairs of pieces; those of bodies in contact are grown first, since they fail first."""
        met = {(int(i), int(j)) for i, j in found.pairs}
        pairs = [*self.problem.pairs()]
        order = sorted(pairs, key=lambda pair: tuple(self.problem.pieces[k].body for k in pair) not in met)
        trees = {}
        for a, b in order:
            system, ranges = self.quick.system("common point", a, b)
            root = [(below(lo), above(hi)) for lo, hi in ranges]
            trees[a, b] = Grower(system, scaled=len(root) != 4).grow([*root, span], most, alive)
        for a, b in pairs:
            yield f"pair {a} {b}"
            yield from trees[a, b]

    # -- contact --------------------------------------------------------------------------------------------------

    def _met(self, found: Contacts) -> list[str]:
        if found.status is not Status.CONTACT or found.time is None:
            return []
        scale = self.span[1] - self.span[0]
        for after in (2.0**-36, 2.0**-30, 2.0**-24, 2.0**-18, 2.0**-14, 2.0**-10):
            moment = float(found.time[1]) + after * scale
            for k in np.flatnonzero(found.exists)[:4]:
                line = self._crossing(found, int(k), moment, math.sqrt(after))
                if line:
                    self.said += f" It proves that there is one at t = {moment!r}."
                    return line
        return []

    def _crossing(self, found: Contacts, k: int, moment: float, reach: float) -> list[str]:
        """Near a contact surfaces have a point in common a little later."""
        bodies = [int(i) for i in found.pairs[k]]
        sides = [[self.statement.faces[body][max(int(uv["face"]), 0)]] if int(uv["face"]) >= 0 else self.statement.faces[body]
                 for body, uv in zip(bodies, found.uv[k], strict=True)]
        for a in sides[0]:
            for b in sides[1]:
                line = self._solution(found, k, a, b, moment, reach)
                if line:
                    return [f"meet {a} {b}", line]
        return []

    def _solution(self, found: Contacts, k: int, a: int, b: int, moment: float, reach: float) -> str | None:
        system, ranges = self.problem.system("common point", a, b)
        quick, _ = self.quick.system("common point", a, b)
        uv = [[float(at["u"]), float(at["v"])] for at, piece in zip(found.uv[k], (a, b), strict=True)
              if not self.problem.pieces[piece].equations]
        near = [w for at in uv for w in at] if uv else [float(w) for w in found.points[k]]
        root = [*inner(ranges), (moment, moment)]
        size = np.array([hi - lo for lo, hi in root])
        return found_solution(Grower(quick, scaled=False), system, root, np.array([*near, moment]), reach * size, [len(root) - 1])


