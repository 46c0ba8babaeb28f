"""How a body with three different moments of inertia turns: validated Taylor series of Euler's equations.

In the frame of the body its spin obeys I w' = (I w) x w, and the quaternion of its turn since a moment q' = q w / 2, q = 1 then. Over a
step a box is proved to hold the solution (Picard's operator maps it into itself), and Taylor's polynomial, with the coefficient of the
last power from that box, holds the solution (Lohner 1988; Nedialkov, Jackson and Corliss 1999). At first the angular momentum, which is
constant, tells the spin.
"""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb, ctx

from codegen.deadline import check

from .enclosures import matrix, product

# Steps that are tried, each shorter than the one before; how far beyond its ends a step holds; bits of a quaternion for each power of a
# series; and steps of one flight.
_STEPS, _BEYOND, _BITS_A_TERM, _MOST = tuple(0.75**k for k in range(40)), arb(2) ** -4, 3, 4096
_INFLATED, _TRIES, _ROUGH = arb(1.125), 12, 64


class Tumbling:
    """From the time `start` on, with a quaternion (4,) then, a constant angular momentum (3,) in the world, and the inertia (3, 3) of the
    frame, and its inverse.
    """

    def __init__(self, start: Any, turn: np.ndarray, momentum: np.ndarray, inertia: np.ndarray, inverse: np.ndarray) -> None:
        self.momentum, self.inertia, self.inverse = momentum, inertia, inverse
        self.spin = inverse @ (matrix(turn).T @ momentum)
        self._nodes: list[tuple[Any, np.ndarray, np.ndarray]] = [(start, turn, self.spin)]
        self._series: list[tuple[np.ndarray, Any]] = []

    def turn_at(self, time: Any) -> np.ndarray:
        """The quaternion at a time, a ball, before or after the start."""
        for k in range(_MOST):
            begin, turn, spin = self._nodes[k]
            if k == len(self._series):
                self._series.append(self.series(spin, max(8, ctx.prec // _BITS_A_TERM)))
            (coefficients, step), tau = self._series[k], time - begin
            if _while(step).contains(tau):
                return product(turn, _at(coefficients[:, 3:], tau))
            if tau < 0:
                # Back in time everything turns the other way.
                return Tumbling(-begin, turn, -self.momentum, self.inertia, self.inverse).turn_at(-time)
            if not tau.rad() < _BEYOND * step:
                break
            if k + 1 == len(self._nodes):
                after = _at(coefficients, step)
                self._nodes.append((begin + step, product(turn, after[3:]), after[:3]))
        return np.array([arb("nan")] * 4, object)

    def series(self, w: np.ndarray, terms: int, small: Any = None) -> tuple[np.ndarray, Any]:
        """The coefficients (terms + 1, 7) of spin and quaternion since a moment at which the spin is w, the last of which hold those of the
        remainders; and for how long they hold, from a little before that moment on. `small`: what the last terms may be at most; None: what
        the digits tell.
        """
        check()
        one = np.array([arb(1), arb(0), arb(0), arb(0)], object)
        speed = max(float(abs(e).upper()) for e in w) or 1.0
        points, most = self._coefficients(w, one, terms), 2.0**-ctx.prec if small is None else small
        # About as long as the last term allows.
        term = max(float(abs(e).upper()) for e in points[-1])
        first = min(1.0 / speed, (most / term) ** (1.0 / terms)) if term > 0.0 else 1.0 / speed
        for part in _STEPS:
            step = arb(part * first)
            # What is left out is small, so few digits of it do.
            with ctx.workprec(_ROUGH):
                box = self._held(w, one, _while(step))
                last = self._coefficients(*box, terms)[-1] if box is not None else [arb("nan")]
            if all((abs(e) * ((1 + _BEYOND) * step) ** terms).upper() <= most for e in last):
                return np.array([*points[:-1], last], object), step
        return np.array([[arb("nan")] * 7] * (terms + 1), object), arb(1)

    def _coefficients(self, w: np.ndarray, q: np.ndarray, terms: int) -> np.ndarray:
        """(terms + 1, 7): Taylor's, of the spin and the quaternion."""
        spins, momenta, turns = ([[e] for e in a] for a in (w, self.inertia @ w, q))
        for k in range(terms):
            new = self.inverse @ np.array(_crossed(momenta, spins), object) / (k + 1)
            more = np.array(_product(turns, spins), object) / (2 * (k + 1))
            for rows, values in ((spins, new), (momenta, self.inertia @ new), (turns, more)):
                for row, e in zip(rows, values, strict=True):
                    row.append(e)
        return np.array([*spins, *turns], object).T

    def _held(self, w: np.ndarray, q: np.ndarray, time: Any) -> tuple[np.ndarray, np.ndarray] | None:
        """Boxes of the spin and of the quaternion that hold these during a time, from given ones; None if that is not proved."""
        spins, turns = w, q
        for _ in range(_TRIES):
            rates = self.inverse @ np.cross(self.inertia @ spins, spins), product(turns, np.array([arb(0), *spins], object)) / 2
            new = [a + time * rate for a, rate in zip((w, q), rates, strict=True)]
            if all(x.contains_interior(y) for x, y in zip([*spins, *turns], [*new[0], *new[1]], strict=True)):
                return new[0], new[1]
            spins, turns = (np.array([_wider(y) for y in a], object) for a in new)
        return None


def _while(step: Any) -> Any:
    """For how long a series holds."""
    return (-_BEYOND * step).union((1 + _BEYOND) * step)


def _wider(x: Any) -> Any:
    return x.mid() + arb(0, 1) * (x.rad() * _INFLATED + arb(2) ** -ctx.prec)


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """The coefficient of a product of series that all terms of them make."""
    return sum(map(operator.mul, a, b[::-1]))


def _crossed(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    return [_dot(a[(i + 1) % 3], b[(i + 2) % 3]) - _dot(a[(i + 2) % 3], b[(i + 1) % 3]) for i in range(3)]


def _product(q: Sequence[Any], w: Sequence[Any]) -> list[Any]:
    """Of a quaternion and a vector."""
    real, *rest = q
    across = _crossed(rest, w)
    return [-sum(_dot(rest[i], w[i]) for i in range(3)), *(_dot(real, w[i]) + across[i] for i in range(3))]


def _at(coefficients: np.ndarray, tau: Any) -> np.ndarray:
    found = coefficients[-1]
    for row in coefficients[-2::-1]:
        found = row + tau * found
    return np.asarray(found)
