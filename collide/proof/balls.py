"""Arrays of balls, middle and radius: the arithmetic of the checker, done for thousands of boxes at once, nearly.

Nothing rests on it: the prover looks with it for steps that Arb will verify. So rounding is not bounded here, and steps are taken only
where something is to spare.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

_HALF_TURN = np.pi
# Arb encloses sin and cos of wide balls with 30 bits.
_WIDE = 2e-9


class Balls:
    """Middles and radii, arrays of one shape or scalars; None for radii that are 0."""

    __slots__ = ("mid", "rad")
    __array_ufunc__ = None

    def __init__(self, mid: Any, rad: Any = None) -> None:
        self.mid, self.rad = mid, rad

    def __add__(self, other: Any) -> "Balls":
        o = _balls(other)
        return Balls(self.mid + o.mid, _sum(self.rad, o.rad))

    def __sub__(self, other: Any) -> "Balls":
        o = _balls(other)
        return Balls(self.mid - o.mid, _sum(self.rad, o.rad))

    def __mul__(self, other: Any) -> "Balls":
        o = _balls(other)
        if self.rad is None:
            return Balls(self.mid * o.mid, None if o.rad is None else abs(self.mid) * o.rad)
        if o.rad is None:
            return Balls(self.mid * o.mid, self.rad * abs(o.mid))
        return Balls(self.mid * o.mid, abs(self.mid) * o.rad + self.rad * (abs(o.mid) + o.rad))

    def __neg__(self) -> "Balls":
        return Balls(-self.mid, self.rad)

    def __truediv__(self, other: Any) -> "Balls":
        return self * _balls(other)._inverse()

    def __rtruediv__(self, other: Any) -> "Balls":
        return self._inverse() * other

    def __rsub__(self, other: Any) -> "Balls":
        return Balls(other - self.mid, self.rad)

    __radd__, __rmul__ = __add__, __mul__

    def _inverse(self) -> "Balls":
        middle = 1 / np.where(self.mid == 0, np.nan, self.mid)
        if self.rad is None:
            return Balls(middle)
        away = abs(self.mid) - self.rad
        return Balls(middle, self.rad * abs(middle) / np.where(away > 0, away, np.nan))

    @property
    def lo(self) -> Any:
        return self.mid if self.rad is None else self.mid - self.rad

    @property
    def hi(self) -> Any:
        return self.mid if self.rad is None else self.mid + self.rad

    def sin(self) -> "Balls":
        return _wave(self, np.sin, 0.5 * _HALF_TURN)

    def cos(self) -> "Balls":
        return _wave(self, np.cos, 0.0)

    def max(self, other: "Balls") -> "Balls":
        return between(np.maximum(self.lo, other.lo), np.maximum(self.hi, other.hi))

    def min(self, other: "Balls") -> "Balls":
        return between(np.minimum(self.lo, other.lo), np.minimum(self.hi, other.hi))

    def floor(self) -> "Balls":
        return between(np.floor(self.lo), np.floor(self.hi))

    def __getattr__(self, name: str) -> Callable[[], "Balls"]:
        """Any other function of Arb, one element after the other."""
        def function() -> "Balls":
            mids, rads = np.broadcast_arrays(self.mid, 0.0 if self.rad is None else self.rad)
            done = [getattr(arb(m, r) if m == m and r == r else arb("nan"), name)() for m, r in zip(mids.flat, rads.flat, strict=True)]
            middle = np.array([float(y.mid()) for y in done]).reshape(mids.shape)
            return Balls(middle, None if self.rad is None else np.array([float(y.rad()) for y in done]).reshape(mids.shape))
        return function


def between(lo: Any, hi: Any) -> Balls:
    return Balls(0.5 * (lo + hi), 0.5 * (hi - lo))


def _balls(x: Any) -> Balls:
    return x if isinstance(x, Balls) else Balls(float(x))


def _sum(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a + b


def radius(x: Balls) -> Any:
    return 0.0 * x.mid if x.rad is None else x.rad


def _wave(x: Balls, f: Any, crest: float) -> Balls:
    """sin or cos, which is 1 at `crest`."""
    if x.rad is None:
        return Balls(f(x.mid))
    lo, hi = x.lo, x.hi
    a, b = f(lo), f(hi)
    turn, low = 2 * _HALF_TURN, crest + _HALF_TURN
    top = np.floor((hi - crest) / turn) >= np.ceil((lo - crest) / turn)
    bottom = np.floor((hi - low) / turn) >= np.ceil((lo - low) / turn)
    tight = between(np.where(bottom, -1.0, np.minimum(a, b)), np.where(top, 1.0, np.maximum(a, b)))
    return Balls(tight.mid, np.minimum(tight.rad + _WIDE, 1.01 * x.rad))


class Vector:
    """What rules need beside: as `formulas.Arb`, of arrays."""

    @staticmethod
    def constant(value: Fraction | str) -> Balls:
        if isinstance(value, str):
            return Balls(np.float64(np.pi if value == "pi" else np.e))
        return Balls(np.float64(float(value)))

    @staticmethod
    def square(x: Balls) -> Balls:
        y = x * x
        if x.rad is None:
            return y
        most, crosses = (abs(x.mid) + x.rad) ** 2, abs(x.mid) <= x.rad
        return Balls(np.where(crosses, 0.5 * most, y.mid), np.where(crosses, 0.5 * most, y.rad))

    @staticmethod
    def absolute(x: Balls) -> Balls:
        return Balls(abs(x.mid)) if x.rad is None else between(np.maximum(abs(x.mid) - x.rad, 0.0), abs(x.mid) + x.rad)

    @staticmethod
    def sign(x: Balls) -> Balls:
        rad = radius(x)
        sure, nan = abs(x.mid) > rad, 0.0 * (x.mid + rad)
        return Balls(np.where(sure, np.sign(x.mid), 0.0) + nan, np.where(sure, 0.0, 1.0) + nan)

    @staticmethod
    def choose(s: Balls, yes: Balls, no: Balls, either: Callable[[Balls, Balls], Balls]) -> Balls:
        e, rad = either(yes, no), radius(s)
        one, other = (rad == 0) & (s.mid == 1), (rad == 0) & (s.mid == -1)
        parts = ((yes.mid, no.mid, e.mid), (radius(yes), radius(no), radius(e)))
        return Balls(*(np.where(one, y, np.where(other, n, x)) for y, n, x in parts))

    @staticmethod
    def hull(a: Balls, b: Balls) -> Balls:
        return between(np.minimum(a.lo, b.lo), np.maximum(a.hi, b.hi))

    @staticmethod
    def undefined(a: Balls, b: Balls) -> Balls:
        return Balls(np.float64(np.nan), np.float64(np.nan))
