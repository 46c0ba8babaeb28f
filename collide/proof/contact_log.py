"""Logs of `first_contact`: until when all surfaces are apart, and that two of them meet."""

import itertools
import math
import os
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import flint
import numpy as np

from ..answers.contacts import Contacts, Status
from ..bodies.thickened import shifted_in_ranges
from ..moment.start import Start
from .checker.problem import Case, Part, above
from .existence import only_one
from .log import Alive, Halved, Log
from .statement import Ranges, named, stated

# By how much less than what the search found a log proves, as parts of the time span, with the most boxes of all trees; likewise of
# contacts that are not isolated; and which part is near enough there.
_ISOLATED, _CURVES, _ENOUGH = ((2.0**-30, 150_000),), ((2.0**-30, 60_000), (2.0**-7, 150_000)), 2.0**-20
# How long after a contact surfaces are seen to cross.
_LATER = (2.0**-36, 2.0**-30, 2.0**-24, 2.0**-18, 2.0**-14, 2.0**-10)
Place = tuple[Part, list[float]]
"""A part of a body, and the parameters of a place on it; of one with an equation none."""
# Of how many contacts it is shown that they are alone; and how near to an end a parameter is held there.
_MANY, _EDGE = 16, 1e-7


class ContactLog(Log):
    def __init__(self, path: str | os.PathLike[str], bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float],
                 ranges: Ranges | None = None) -> None:
        """Solids with gaps are stated as shifted by parameters (`bodies.thickened`): the log is about all shifts."""
        super().__init__(path)
        self.bodies, shifts = shifted_in_ranges(bodies)
        self.span, self.ranges = span, {**(ranges or {}), **shifts}
        self.statement = stated("contact", self.bodies, time, span, ranges=self.ranges)

    def claims(self, found: Contacts, alive: Alive) -> list[str]:
        n, states = len(self.bodies), dict(found.start.items())
        pairs = {(i, j) for i in range(n) for j in range(i + 1, n)}
        claimed = {pair for pair in pairs if states.get(pair) is Start.DISJOINT or pair in found.nesting}
        if not claimed:
            self.said = ["no two bodies are proved apart at the beginning."]
            return []
        self.begin([*self.statement.lines, *(f"except {i} {j}" for i, j in sorted(pairs - claimed))])
        return [*self._cleared(found, alive), *self._met(found), *self._alone(found)]

    def _cleared(self, found: Contacts, alive: Alive) -> list[str]:
        """The lines on the time until which there is no contact: trees end just before contacts. Where contacts are not isolated that may
        be too many steps: trees stop where they have come near enough, and end much before contacts if they do not come far.
        """
        apart, length = found.status is Status.NO_CONTACT, self.span[1] - self.span[0]
        last = above(flint.arb(self.span[1])) if apart else min(found.clear_until, self.span[1])
        isolated = apart or bool(found.proved.any())
        until, best = -math.inf, list[str]()
        for gap, most in _ISOLATED if isolated else _CURVES:
            if last - until > gap * length:
                end, enough = last - (0.0 if apart else gap * length), math.inf if isolated else last - _ENOUGH * length
                until, best = max((until, best), self._cleared_until(found, end, enough, most, alive))
        if best:
            self.said.append(f"that there is no contact until t = {until!r}")
        return best

    def _cleared_until(self, found: Contacts, end: float, enough: float, most: int, alive: Alive) -> tuple[float, list[str]]:
        """The time to which trees come that end at `end`, or need come to `enough` only; and their lines."""
        begin, until, steps = self.begins, end, 0
        trees = dict[tuple[Part, Part], tuple[float, Halved]]()
        for a, b in self.pairs({(int(i), int(j)) for i, j in found.pairs}):
            if not begin < until:
                return -math.inf, []
            tree = self.halved(Case((a, b)), (begin, until), most - steps, alive, enough=enough)
            trees[a, b], steps = (until, tree), steps + tree.used
            until = min(until, math.nextafter(tree.open_from, -math.inf))
        told = until if until == self.domain(Case((a, b)))[-1][1] else math.nextafter(until, -math.inf)
        return told, [] if not begin < told else [f"none {told.hex()}", *(
            line for (a, b), (last, tree) in sorted(trees.items()) for line in self.pair(a, b, last, tree.lines(told)))]

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

    def _alone(self, found: Contacts) -> list[str]:
        """The lines on isolated contacts: each is the only one in a box."""
        lines = list[str]()
        for k in np.flatnonzero(found.proved)[:0 if self.ranges else _MANY].tolist():
            places = [self._places(found, k, side, 0.5 * sum(map(float, found.boxes[k][-1]))) for side in (0, 1)]
            for a, b in itertools.product(*places):
                # Which piece of an implicit body is meant is not told; and one piece is no pair.
                known = all(own[1] or len(self.statement.faces[int(body)]) == 1 for own, body in zip((a, b), found.pairs[k], strict=True))
                line = self._only(found, k, a, b) if known and a[0][0] != b[0][0] else None
                if line:
                    lines += [f"one {named(a[0])} {named(b[0])}", line]
                    break
        if lines:
            self.said.append(f"that {len(lines) // 2} of the contacts are each the only one in a box")
        return lines

    def _only(self, found: Contacts, k: int, a: Place, b: Place) -> str | None:
        """Both lines of a box in which the contact at these places is the only one."""
        *ends, _ = self.problem.ranges(Case((a[0], b[0])))
        point = np.array([*(a[1] + b[1] or found.points[k].tolist()), 0.5 * sum(map(float, found.boxes[k][-1]))])
        held = {i: min(map(float, ends[i]), key=lambda end: abs(end - point[i])) for i in range(len(ends))}
        held = {i: end for i, end in held.items() if abs(end - point[i]) < _EDGE}
        faces = [i for i in held if "face" in found.features[k][0 if i < len(a[1]) else 1]]
        if faces or not all(any(e == flint.arb(end) for e in ends[i]) for i, end in held.items()):
            # At a seam, or just at a border: no box round it lies in the domain. Or at an edge that is at no double.
            return None
        free = [i for i in range(len(ends)) if i not in held]
        for i, end in held.items():
            point[i] = end
        case = Case((a[0], b[0]), None, tuple(free))
        found_one = only_one(self.grower(case), self.test(case), point, np.array(self.families.inner(case)), [*free, len(ends)])
        return found_one[0] if found_one else None

    def _piece(self, own: list[int], face: int) -> int:
        """That of a face; a patch with creases is one piece, and several faces."""
        return own[face] if len(own) > 1 else own[0]

    def _crossing(self, found: Contacts, k: int, moment: float, reach: float) -> list[str]:
        known = found.parameters[k] if found.parameters else {}
        # The contact is one of the bodies as they are, whose shift is 0.
        values = [0.5 * sum(known[s]) if s in known else 0.0 for s in self.ranges]
        for (a, near), (b, other) in itertools.product(*(self._places(found, k, side, moment) for side in (0, 1))):
            point = self._start(near, other) or found.points[k].tolist()
            line = self.solution(Case((a, b)), [*point, *values], reach, moment)
            if line:
                return [f"some {named(a)} {named(b)}", line]
        return []

    def _places(self, found: Contacts, k: int, side: int, moment: float) -> list[Place]:
        """Parts of a body that may meet the other there, each with its parameters; of implicit bodies with none."""
        body = int(found.pairs[k, side])
        own = self.statement.faces[body]
        if body in self.statement.meshes:
            return [((*own, *part), uv) for part, uv in self.statement.meshes[body].nearest(found.points[k], moment)]
        at = found.uv[k, side]
        face = int(at["face"])
        return [((piece,), []) for piece in own] if face < 0 else [((self._piece(own, face),), [float(at["u"]), float(at["v"])])]

    def _start(self, near: list[float], other: list[float]) -> list[float]:
        """Two places as the log speaks of them."""
        return near + other


class MeshLog(ContactLog):
    """The log of two meshes, whose answer tells of one contact."""

    def claims(self, found: Any, alive: Alive) -> list[str]:
        hit = int(found.status is Status.CONTACT)
        told: Any = SimpleNamespace(
            status=found.status, start={(0, 1): Start.DISJOINT}, nesting=frozenset(), time=found.time, clear_until=found.clear_until,
            proved=np.ones(hit, bool), exists=np.ones(hit, bool), pairs=np.array([[0, 1]])[:hit], points=found.point[None][:hit],
            features=[found.features][:hit], boxes=[np.array([found.time])][:hit], parameters=[{}])
        return super().claims(told, alive)
