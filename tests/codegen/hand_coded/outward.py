"""Intervals with ends in Arb, of 200 bits: what inclusions by hand are written in. An end is a ball, of which the outer side counts."""

import math
from collections.abc import Callable
from typing import NamedTuple

from flint import arb

Function = Callable[[arb], arb]


class V(NamedTuple):
    """The real numbers between two balls."""

    lo: arb
    hi: arb

    def __add__(self, other: "V | int | arb") -> "V":  # type: ignore[override]
        o = other if isinstance(other, V) else V(arb(other), arb(other))
        return V(self.lo + o.lo, self.hi + o.hi)

    def __neg__(self) -> "V":
        return V(-self.hi, -self.lo)

    def __sub__(self, other: "V | int | arb") -> "V":
        return self + (-other)

    def __mul__(self, other: "V | int | arb") -> "V":  # type: ignore[override]
        o = other if isinstance(other, V) else V(arb(other), arb(other))
        return hull(*(a * b for a in self for b in o))

    __radd__, __rmul__ = __add__, __mul__  # type: ignore[assignment]

    def __rsub__(self, other: "V | int | arb") -> "V":
        return -self + other

    def __truediv__(self, other: "V | int | arb") -> "V":
        """By numbers of one sign."""
        o = other if isinstance(other, V) else V(arb(other), arb(other))
        return hull(*(a / b for a in self for b in o))

    def __abs__(self) -> "V":
        return V(arb(0).max(self.lo).max(-self.hi), (-self.lo).max(self.hi))

    def __pow__(self, n: int) -> "V":
        base = abs(self) if n % 2 == 0 else self
        return V(base.lo**n, base.hi**n)


def hull(*values: arb) -> V:
    lo = hi = values[0]
    for x in values[1:]:
        lo, hi = lo.min(x), hi.max(x)
    return V(lo, hi)


def joined(*ranges: V) -> V:
    return hull(*(end for r in ranges for end in r))


def rising(f: Function, x: V) -> V:
    return V(f(x.lo), f(x.hi))


def falling(f: Function, x: V) -> V:
    return V(f(x.hi), f(x.lo))


def turning(f: Function, x: V, *places: arb) -> V:
    """The range of a function that is monotone between these places: its values at the ends, and at the places inside."""
    inside = [p for p in map(arb, places) if not (p < x.lo or p > x.hi)]
    return hull(f(x.lo), f(x.hi), *map(f, inside))


def sin(x: V) -> V:
    return _wave(turning(lambda a: a.sin(), x, *_halves(x, arb(1) / 2)))


def cos(x: V) -> V:
    return _wave(turning(lambda a: a.cos(), x, *_halves(x, arb(0))))


def _wave(y: V) -> V:
    """An end that may be beyond -1 or 1 is that."""
    return V(y.lo if y.lo > -1 else arb(-1), y.hi if y.hi < 1 else arb(1))


def _halves(x: V, shift: arb) -> list[arb]:
    """The (k + shift) pi within x."""
    first, last = (math.floor(float((end / arb.pi() - shift).mid())) for end in x)
    return [(k + shift) * arb.pi() for k in range(first - 1, last + 3)]


def sqrt(x: V) -> V:
    return V(x.lo.max(arb(0)).sqrt(), x.hi.sqrt())


def exp(x: V) -> V:
    return rising(lambda a: a.exp(), x)


def least(x: V, y: V) -> V:
    return V(x.lo.min(y.lo), x.hi.min(y.hi))


def most(x: V, y: V) -> V:
    return V(x.lo.max(y.lo), x.hi.max(y.hi))


def doubles(x: V) -> tuple[float, float]:
    """The double at most, and the double at least."""
    return _below(x.lo), -_below(-x.hi)


def _below(x: arb) -> float:
    found = float(x.lower())
    return found if arb(found) <= x else math.nextafter(found, -math.inf)
