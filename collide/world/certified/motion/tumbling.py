"""Rotation of a body with three different moments of inertia: validated Taylor series of Euler's equations.

In the frame of the body its angular momentum obeys m' = m x (J m), J the inverse of its inertia, and the quaternion of its turn since a
moment s' = s w / 2, w = J m, s = 1 then. As m x (a m) = 0 for every number a, the coefficients are bounded by those of a majorant: with c
the norm of J - a, |m_k| <= |m| l^k, l = c |m|, and |s_k| <= (W/2) (W/2 + l) ... (W/2 + (k - 1) l) / k!, W = |J| |m|, which holds at all
times, since |m| is constant. So Lagrange's remainder of Taylor's polynomial is bounded for any step.

What is not known of m at the start grows by exp(l t) at most: the difference d of two solutions obeys d' = d x w + m x (J - a) d + a m x d,
and of these terms only the second one changes its length. So series are of points, and balls are put round what they tell.
"""

import bisect
import math
import operator
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from flint import acb, arb, arb_poly, ctx

from codegen.deadline import check

from ..arithmetic.enclosures import matrix, product

# How far beyond its ends a step holds, bits for each power of a series, and steps of one flight.
_BEYOND, _BITS_A_TERM, _MOST = arb(2) ** -4, 3, 4096


class _Node(NamedTuple):
    """The motion from the time `begin` on: a quaternion `turn` (4,) and the momentum (3,) in the body, points, and how far `off` and
    `beside` these the true ones are.
    """

    begin: Any
    turn: np.ndarray
    off: Any
    momentum: np.ndarray
    beside: Any


class Tumbling:
    """The tumbling of a body from the time `start` on, with a quaternion (4,) of length 1 then, a constant angular momentum (3,) in the
    world, and the inverse (3, 3) of the inertia in the frame.
    """

    def __init__(self, start: Any, turn: np.ndarray, momentum: np.ndarray, inverse: np.ndarray) -> None:
        self.start, self.turn, self.momentum, self.inverse = start, turn, momentum, inverse
        self.own = matrix(turn).T @ momentum
        self._nodes = [_Node(start, _middle(turn), _spread(turn), _middle(self.own), _spread(self.own))]
        self._series: list[tuple[list[Any], Any]] = []
        self._ends: list[float] = []

    @cached_property
    def _sizes(self) -> tuple[Any, Any]:
        """Bounds of the norms of J - a and of J: the spectral ones where J is diagonal, else Frobenius's."""
        diagonal = [self.inverse[k, k] for k in range(3)]
        if self._straight:
            least, most = (diagonal[0].min(diagonal[1]).min(diagonal[2]), diagonal[0].max(diagonal[1]).max(diagonal[2]))
            return ((most - least) / 2).upper(), most.upper()
        less = self.inverse - np.diag([sum(diagonal) / 3] * 3)
        return _length(less.ravel()), _length(self.inverse.ravel())

    @cached_property
    def _straight(self) -> bool:
        return all(self.inverse[i, j].is_zero() for i in range(3) for j in range(3) if i != j)

    @cached_property
    def _backward(self) -> "Tumbling":
        """Back in time everything turns the other way."""
        return Tumbling(-self.start, self.turn, -self.momentum, self.inverse)

    def turn_at(self, time: Any) -> np.ndarray:
        """The quaternion at a time, a ball, before or after the start."""
        k = self._place(float(time.mid()))
        if k < 0:
            return self._backward.turn_at(-time)
        (series, step), tau = self._series[k], time - self._nodes[k].begin
        return self._turned(self._nodes[k], series, tau) if _while(step).contains(tau) else np.array([arb("nan")] * 4, object)

    def until(self, time: float) -> float:
        """The time up to which one series tells the turn from a time on, which is after the start."""
        k = self._place(time)
        return math.inf if k < 0 else self._ends[k]

    def _place(self, time: float) -> int:
        """The number of the series that holds at a time, -1 if that is before the first one."""
        if not self._series:
            self._add(self._nodes[0])
        while len(self._ends) < _MOST and time >= self._ends[-1]:
            node = self._next(self._nodes[-1], *self._series[-1])
            self._nodes.append(node)
            self._add(node)
        first = self._nodes[0].begin - _BEYOND * self._series[0][1]
        return min(bisect.bisect_right(self._ends, time), len(self._ends) - 1) if first < time else -1

    def _add(self, node: _Node) -> None:
        rows, step = self.series(node.momentum, max(8, ctx.prec // _BITS_A_TERM))
        self._series.append(([arb_poly(column) for column in rows.T.tolist()], step))
        self._ends.append(float((node.begin + step).mid()))

    def _turned(self, node: _Node, series: list[Any], tau: Any) -> np.ndarray:
        found = product(node.turn, np.array([p(tau) for p in series[3:]], object))
        return found + arb(0, 1) * self._off(node, tau)

    def _off(self, node: _Node, tau: Any) -> Any:
        """The distance of the quaternion of a series of points from the true one, at most: |s' - s| grows by half the difference of the
        spins.
        """
        (least, most), far = self._sizes, abs(tau).upper()
        grown = node.beside * (least * _length(node.momentum) * far).exp()
        return (node.off + (1 + node.off) * most / 2 * far * grown).upper()

    def _next(self, node: _Node, series: list[Any], step: Any) -> _Node:
        turn, momentum = self._turned(node, series, step), np.array([p(step) for p in series[:3]], object)
        beside = node.beside * (self._sizes[0] * _length(node.momentum) * step).exp() + _spread(momentum)
        middle = _middle(turn)
        off = self._off(node, step) + _length(product(node.turn, np.array([p(step) for p in series[3:]], object)) - middle)
        return _Node(node.begin + step, middle, off.upper(), _middle(momentum), beside.upper())

    def series(self, momentum: np.ndarray, terms: int, small: Any = None) -> tuple[np.ndarray, Any]:
        """The coefficients (terms + 1, 7) of momentum and quaternion since a moment at which the momentum in the body is this, the last of
        which hold those of the remainders at any time; and a step in which these are small enough. `small`: what the last terms may be at
        most; None: what the digits tell.
        """
        check()
        (least, most), size = self._sizes, _length(momentum)
        rate, half = (least * size).upper(), (most * size / 2).upper()
        last = arb(1)
        for k in range(terms):
            last = (last * (half + k * rate) / (k + 1)).upper()
        ends = [*[(size * rate**terms).upper()] * 3, *[last] * 4]
        limit = (arb(2) ** -ctx.prec if small is None else arb(small)) / (1 + _BEYOND) ** terms
        step = (limit / last.max(rate**terms)).root(terms).lower() if last > 0 else arb(1)
        rows = self._coefficients(momentum, terms)
        rows[-1] = [arb(0, 1) * e for e in ends]
        return rows, step

    def _coefficients(self, momentum: np.ndarray, terms: int) -> np.ndarray:
        """(terms + 1, 7): Taylor's. A quaternion is a + b j, of complex numbers a and b; so is a spin, with the one i w_1."""
        own = self.inverse
        m, w = [[e] for e in momentum], [[e] for e in own @ momentum]
        a, b, along = [acb(1)], [acb(0)], [acb(0, w[0][0])]
        across, mirrored = [acb(w[1][0], w[2][0])], [acb(w[1][0], -w[2][0])]
        for k in range(terms):
            new = np.array(_crossed(m, w), object) / (k + 1)
            turning = _dot(along, a) - _dot(mirrored, b), _dot(across, a) - _dot(along, b)
            spin = [own[i, i] * e for i, e in enumerate(new)] if self._straight else own @ new
            sides = acb(0, spin[0]), acb(spin[1], spin[2]), acb(spin[1], -spin[2])
            for row, e in zip((*m, *w, a, b, along, across, mirrored), (*new, *spin, *(e / (2 * (k + 1)) for e in turning), *sides),
                              strict=True):
                row.append(e)
        turns = [[e.real for e in a], [e.imag for e in a], [e.real for e in b], [e.imag for e in b]]
        return np.array([*m, *turns], object).T


def _while(step: Any) -> Any:
    """The span of time over which a series holds."""
    return (-_BEYOND * step).union((1 + _BEYOND) * step)


def _middle(v: np.ndarray) -> np.ndarray:
    return np.array([e.mid() for e in v], object)


def _spread(v: np.ndarray) -> Any:
    """The distance of a vector from its middle, at most."""
    return _length(np.array([e.rad() for e in v], object))


def _length(v: np.ndarray) -> Any:
    """An upper bound."""
    return sum(abs(e).upper() ** 2 for e in v).sqrt().upper()


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """The coefficient of a product of series that all terms of them make."""
    return sum(map(operator.mul, a, b[::-1]))


def _crossed(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [_dot(a[(i + 1) % 3], b[(i + 2) % 3]) - _dot(a[(i + 2) % 3], b[(i + 1) % 3]) for i in range(3)]
