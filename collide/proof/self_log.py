"""Logs of `self_contact`: until when no two different places of surfaces meet, and that some do then.

Places near each other are told apart by the derivatives of one surface over a box that holds both (a step `d`), others as those of two
bodies.
"""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb

from ..answers.contacts import Contacts, Status
from ..moment.start import Start
from .checker.check import Box
from .checker.problem import Part, above, below
from .checker.rules import side
from .contact_log import ContactLog
from .log import Alive
from .statement import Statement
from .trees import Stuck, short

# By how much less than what the search found a log proves, as parts of the time span; the most boxes, and how small they become.
_GAPS, _MOST, _SMALLEST = (2.0**-30, 2.0**-20, 2.0**-13, 2.0**-7), 100_000, 2.0**-7


class SelfLog(ContactLog):
    """Of surfaces that are not joined."""

    def __init__(self, path: str | os.PathLike[str], bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float]) -> None:
        super().__init__(path, bodies, time, span)
        self.statement = Statement("contact", bodies, time[:1], span, itself=True)

    def claims(self, found: Contacts, alive: Alive) -> list[str]:
        if Start.UNKNOWN in found.start.values():
            self.said = ["surfaces may touch at the beginning."]
            return []
        self.begin(self.statement.lines)
        return [*self._cleared(found, alive), *self._met(found)]

    def _cleared(self, found: Contacts, alive: Alive) -> list[str]:
        apart, begin = found.status is Status.NO_CONTACT, below(self.problem.moment(0))
        for gap in _GAPS:
            until = above(arb(self.span[1])) if apart else min(found.clear_until, self.span[1]) - gap * (self.span[1] - self.span[0])
            self.used, lines = 0, list[str]()
            try:
                for a, b in self.problem.pairs() if begin < until else ():
                    root = self.domain(("common point", a, b), [(begin, until)])
                    lines += [f"pair {a[0]} {b[0]} {until.hex()}", *self._divided(a, b, tuple(root), alive)]
            except Stuck:
                continue
            if lines:
                self.said.append(f"that different places do not meet until t = {until!r}")
                return [f"clear {until.hex()}", *lines]
        return []

    def _divided(self, a: Part, b: Part, root: Box, alive: Alive) -> list[str]:
        """The tree over a box of two places."""
        lines, stack = list[str](), [root]
        size = np.ptp(np.array(root), axis=1)
        while stack:
            box = stack.pop()
            if a != b or _apart(box):
                lines += self._grown(a, b, box, alive)
                continue
            step = self._embedded(a, box)
            if step:
                lines.append(step)
                continue
            wide = np.ptp(np.array(box), axis=1) / size
            k = int(wide.argmax())
            if wide[k] < _SMALLEST or not alive():
                raise Stuck
            middle = 0.5 * (box[k][0] + box[k][1])
            lines.append(f"s {k} {short(middle)}")
            stack += [(*box[:k], ends, *box[k + 1:]) for ends in ((middle, box[k][1]), (box[k][0], middle))]
        return lines

    def _grown(self, a: Part, b: Part, box: Box, alive: Alive) -> list[str]:
        grower = self.grower(("common point", a, b))
        if grower.grow(box, _MOST - self.used, alive) < np.inf:
            raise Stuck
        self.used += grower.used
        return grower.lines()

    def _embedded(self, a: Part, box: Box) -> str | None:
        """A step that shows that places in a box differ in space, if the checker finds so."""
        system = "common point", a, a
        middle = np.array(box).mean(axis=1)
        middle[:2] = middle[2:4] = 0.5 * (middle[:2] + middle[2:4])
        slope = self.grower(system).jets(middle[None])[1][0, :3, :2]
        if not np.isfinite(slope).all():
            return None
        matrix = np.linalg.pinv(slope).ravel().tolist()
        follows = self.problem.different(system, [side(*ends) for ends in box], [arb(y) for y in matrix])
        return " ".join(["d", *map(short, matrix)]) if follows else None


def _apart(box: Box) -> bool:
    """Are two places farther from each other, in one parameter, than half as far as they reach in it?"""
    return any(max(p[0] - q[1], q[0] - p[1]) > 0.5 * max(p[1] - p[0], q[1] - q[0]) for p, q in zip(box[:2], box[2:4], strict=True))
