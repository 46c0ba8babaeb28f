"""Logs of `self_contact`: until when no two different places of surfaces meet, and that some do then.

A surface that closes on itself is continued beyond its seam.
Places near each other are told apart by the derivatives of one surface over a box that holds both (a step `d`), others as those of two
bodies.
"""

import itertools
import math
import operator
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from generative import ParametricSurface, u, v

from ..answers.contacts import Contacts, Status
from ..moment.start import Start
from .checker.problem import Box, Case, Part, above
from .contact_log import ContactLog
from .log import Alive
from .statement import stated
from .trees import Stuck, short

# By how much less than what the search found a log proves, as parts of the time span; the most boxes, and how small they become.
_GAPS, _MOST, _SMALLEST = (2.0**-30, 2.0**-10, 2.0**-7), 100_000, 2.0**-16
U1, V1 = sp.symbols("u1 v1", real=True)
# Part of all sizes that numbers of the prover may be off.
_SPARE = 1e-6
# How far from each other the places are that a log of a closed surface is about, as a part of its period: more than half.
_REACH = sp.Rational(9, 16)


class SelfLog(ContactLog):
    """The log of surfaces that are not joined, or of one that closes on itself: its formulas go on beyond its sides, and repeat.

    The log is of the surface continued by somewhat more than half of a period, and of places that are no farther from each other than that:
    of any two places of the surface such are there, and the places that are joined are not among them.
    """

    def __init__(self, path: str | os.PathLike[str], bodies: Sequence[Any], time: Sequence[Any], span: tuple[float, float],
                 closing: Sequence[Any] = ()) -> None:
        """`closing`: joins of the one surface with itself, in both directions (`sheets.glue.repeated`)."""
        self.closing, reach = closing, tuple[Any, ...]()
        if closing:
            body, reach = _continued(bodies[0], closing)
            bodies = [body]
        super().__init__(path, bodies, time, span)
        self.statement = stated("contact", bodies, time, span, itself=_compared(reach))

    def claims(self, found: Contacts, alive: Alive) -> list[str]:
        if Start.UNKNOWN in found.start.values():
            self.said = ["surfaces may touch at the beginning."]
            return []
        self.begin(self.statement.lines)
        return [*self._cleared(found, alive), *self._met(found)]

    def _cleared(self, found: Contacts, alive: Alive) -> list[str]:
        apart, begin = found.status is Status.NO_CONTACT, self.begins
        for gap in _GAPS:
            until = above(arb(self.span[1])) if apart else min(found.clear_until, self.span[1]) - gap * (self.span[1] - self.span[0])
            self.used, lines = 0, list[str]()
            try:
                for a, b in self.problem.tuples() if begin < until else ():
                    root = self.domain(Case((a, b)), (begin, until))
                    lines += self.pair(a, b, until, self._divided(a, b, tuple(root), alive))
            except Stuck:
                continue
            if lines:
                told = until if apart else math.nextafter(until, -math.inf)
                self.said.append(f"that different places do not meet until t = {told!r}")
                return [f"none {told.hex()}", *lines]
        return []

    def _start(self, near: Sequence[float], other: Sequence[float]) -> list[float]:
        """Two places as near each other as joins bring them, u of the first the lesser one."""
        ends = [lo for lo, _ in self.ends(0)]
        images = [(p, [float(x) for x in way.at(q)]) for p, q in ((near, other), (other, near)) for way in self.closing]
        pairs = [(p, q) for p, q in [(near, other), (other, near), *images] if p[0] <= q[0] and all(map(operator.ge, q, ends))]
        return [*itertools.chain(*min(pairs, key=lambda pair: math.dist(*pair)))]

    def _divided(self, a: Part, b: Part, root: Box, alive: Alive) -> list[str]:
        """The tree over a box of two places."""
        lines, stack = list[str](), [root]
        size = np.ptp(np.array(root), axis=1)
        while stack:
            box = stack.pop()
            if a != b or _apart(box):
                lines += self._grown(a, b, box, alive)
                continue
            step, k = self._embedded(a, box)
            if step:
                lines.append(step)
                continue
            self.used += 1
            if box[k][1] - box[k][0] < _SMALLEST * size[k] or self.used > _MOST or not alive():
                raise Stuck
            middle = 0.5 * (box[k][0] + box[k][1])
            lines.append(f"s {k} {short(middle)}")
            stack += [(*box[:k], ends, *box[k + 1:]) for ends in ((middle, box[k][1]), (box[k][0], middle))]
        return lines

    def _grown(self, a: Part, b: Part, box: Box, alive: Alive) -> list[str]:
        tree = self.grower(Case((a, b))).grow(box, _MOST - self.used, alive)
        self.used += tree.used
        return tree.lines()

    def _embedded(self, a: Part, box: Box) -> tuple[str, int]:
        """A step that shows that places in a box differ in space, if there is one; and by which variable it is divided else: that with
        which tangents change most.
        """
        ends, grower = np.array(box), self.grower(Case((a, a)))
        ends[2:4] = np.stack([np.minimum(ends[:2, 0], ends[2:4, 0]), np.maximum(ends[:2, 1], ends[2:4, 1])], axis=1)
        points = np.tile(ends.mean(axis=1), (2 * len(ends) - 3, 1))
        for k in range(2, len(ends)):
            points[2 * k - 3:2 * k - 1, k] = ends[k]
        points[:, :2], ends[:2] = points[:, 2:4], ends[2:4]
        mid, rad = grower.balls(np.vstack([points, ends[:, 0]]), np.vstack([points, ends[:, 1]]), 1)
        (*slopes, over), (*_, off) = (x[:, grower.m:].reshape(len(x), -1, grower.n)[:, :3, :2] for x in (mid, rad))
        lengths = np.linalg.norm(slopes[0], axis=0)
        if not (np.isfinite(slopes).all() and lengths.all()):
            raise Stuck
        matrix = lengths[:, None]**2 * np.linalg.pinv(slopes[0])
        change = np.linalg.norm(np.array(slopes[1:]) - slopes[0], axis=1) / lengths
        k = 2 + int(change.max(axis=1).argmax()) // 2
        k -= 2 if k < 4 and np.ptp(box[k - 2]) > np.ptp(box[k]) else 0
        return " ".join(["d", *map(short, matrix.ravel())]) if _positive_definite(matrix @ over, abs(matrix) @ off) else "", k


def _positive_definite(middle: np.ndarray, radius: np.ndarray) -> bool:
    """Whether every matrix (2, 2) of a ball has a positive definite symmetric part, and something to spare for the roundings of Arb."""
    most, spread = middle + middle.T, (radius + radius.T) * (1 + _SPARE)
    first, second = (most - spread).diagonal() - _SPARE * abs(most).max()
    return bool(first > 0 and second > (abs(most[0, 1]) + spread[0, 1])**2 / first)


def _apart(box: Box) -> bool:
    """Whether two places are farther from each other, in one parameter, than half as far as they reach in it."""
    return any(max(p[0] - q[1], q[0] - p[1]) > 0.5 * max(p[1] - p[0], q[1] - q[0]) for p, q in zip(box[:2], box[2:4], strict=True))


def _compared(reach: Sequence[Any]) -> list[Any]:
    """The expressions that are <= 0 for two places of one surface that the log is about: u of the first is the lesser one; how far they are
    apart.
    """
    return [u - U1, *(size - most for size, most in zip((U1 - u, sp.Max(V1 - v, v - V1)), reach, strict=False))]


def _continued(body: Any, closing: Sequence[Any]) -> tuple[ParametricSurface, tuple[Any, ...]]:
    """A surface continued beyond its sides where it repeats; and by how much at most u and v of places differ that the log is about."""
    domain, reach = dict(body.domain), []
    for k, s in enumerate((u, v)):
        lo, hi = body.domain[s]
        periods = [abs(way.offset[k]) for way in closing if way.rates[k] == 1 and way.offset[k] != 0]
        reach.append(min(periods) * _REACH if periods else hi - lo)
        domain[s] = lo, hi + (reach[k] if periods else 0)
    return ParametricSurface(body.body, domain, motion=body.motion), tuple(reach)
