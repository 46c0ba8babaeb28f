"""First time at which a polynomial falls through zero.

Coefficients are balls, and what is said holds for all numbers in them.

From the left one goes on by steps in which the polynomial is proved to be positive, until it is proved to fall, and to be negative soon
after: then there is exactly one zero in between, which Newton's method encloses.
"""

from collections.abc import Sequence
from typing import Any

from flint import arb

# Steps to the first zero, and of Newton's method; and by how much a step is shorter than it may be, so that roundings do not matter.
_STEPS, _NEWTON, _SHORTER = 400, 40, 1 - arb(2) ** -20
# A zero is looked for at once within so many times the distance that the slope tells.
_NEAR = 4


class Unclear(Exception):
    """Doubt whether there is a zero soon after `time`: the digits do not suffice, or there is a double one."""

    def __init__(self, time: Any) -> None:
        super().__init__()
        self.time = time


def value(p: Sequence[Any], x: Any) -> Any:
    """The value of a polynomial by Horner's rule, lowest coefficient first."""
    found = arb(0)
    for c in reversed(p):
        found = found * x + c
    return found


def derivative(p: Sequence[Any]) -> list[Any]:
    return [k * c for k, c in enumerate(p)][1:]


def moved(p: Sequence[Any], a: Any) -> list[Any]:
    """The coefficients in x - a."""
    found = list(p)
    for k in range(len(p) - 1):
        for j in range(len(p) - 2, k - 1, -1):
            found[j] = found[j] + a * found[j + 1]
    return found


def first_fall(p: Sequence[Any], begin: Any, end: Any) -> tuple[Any, Any] | None:
    """The first zero after `begin` of a polynomial that is positive there, a ball that holds it and no other one, and a later moment until
    which the polynomial falls, and is negative then; None if there is no zero up to `end` (None: ever). Raises Unclear.
    """
    at = begin.upper()
    for _ in range(_STEPS):
        if end is not None and at > end:
            return None
        q = moved(p, at)
        if not q[0] > 0:
            break
        if all(c >= 0 for c in q[1:]):
            return None
        found = _near(q)
        if found is not None:
            beyond = (at + found[1]).lower()
            if not value(p, beyond) < 0:
                raise Unclear(at)
            return at + found[0], beyond
        # Of the terms that may fall each takes an equal part of the value, at most.
        falls = [(k, -c.lower()) for k, c in enumerate(q) if k and not c >= 0]
        step = min((q[0].lower() / (len(falls) * c)).root(k).lower() for k, c in falls) * _SHORTER
        last, at = at, (at + step).lower()
        if not at > last:
            break
    raise Unclear(at)


def _near(q: Sequence[Any]) -> tuple[Any, Any] | None:
    """The first zero after 0, if it is soon, and a moment beyond it up to which the polynomial falls."""
    if not q[1] < 0:
        return None
    far, slope = (-_NEAR * q[0] / q[1]).upper(), derivative(q)
    x = arb(0).union(far)
    if not (value(slope, x) < 0 and value(q, far) < 0):
        return None
    for _ in range(_NEWTON):
        middle = x.mid()
        closer = x.intersection(middle - value(q, middle) / value(slope, x))
        if not 2 * closer.rad() < x.rad():
            return closer, far
        x = closer
    return x, far
