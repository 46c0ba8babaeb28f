"""Initial value problems, and a referee of their solutions: Taylor's series of order 30 in Arb, 200 bits, with short steps."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sympy as sp
from flint import arb, arb_series, ctx

x, y, z, vx, vy = sp.symbols("x y z vx vy", real=True)

BITS, ORDER = 200, 30


class Case(NamedTuple):
    """A system in SymPy, and the same in Arb's power series; `step`: of the referee."""

    rates: Sequence[Any]
    states: Sequence[Any]
    start: Sequence[int]
    in_arb: Callable[..., Sequence[Any]]
    step: str = "1/8"


def _kepler(x: Any, y: Any, vx: Any, vy: Any) -> Sequence[Any]:
    square = x * x + y * y
    cube = square * square.sqrt()
    return vx, vy, -x / cube, -y / cube


CUBE = (x**2 + y**2) ** sp.Rational(3, 2)
PENDULUM = Case([y, -sp.sin(x)], [x, y], [1, 0], lambda x, y: (y, -x.sin()))
LORENZ = Case([10 * (y - x), x * (28 - z) - y, x * y - sp.Rational(8, 3) * z], [x, y, z], [1, 1, 1],
              lambda x, y, z: (10 * (y - x), x * (28 - z) - y, x * y - arb(8) / 3 * z), "1/32")
KEPLER = Case([vx, vy, -x / CUBE, -y / CUBE], [x, y, vx, vy], [1, 0, 0, 1], _kepler, "1/8")


class Referee:
    """The solution at times from 0 on, far more accurate than doubles, though not validated."""

    def __init__(self, case: Case, start: Sequence[Any] | None = None) -> None:
        self.case = case
        ctx.prec = BITS
        numerator, denominator = map(int, case.step.split("/"))
        self.step = arb(numerator) / denominator
        self.series = [self._series([arb(e) for e in start or case.start])]

    def _series(self, at: Sequence[Any]) -> list[Any]:
        """x_(k+1) = f_k / (k + 1), one coefficient after the other."""
        coefficients = [[e] for e in at]
        ctx.cap = ORDER + 2
        for k in range(ORDER):
            rates = self.case.in_arb(*(arb_series(c, prec=k + 1) for c in coefficients))
            for c, rate in zip(coefficients, rates, strict=True):
                c.append(rate[k].mid() / (k + 1))
        return coefficients

    def at(self, time: float) -> list[Any]:
        """The states at a time, as Arb numbers."""
        ctx.prec = BITS
        cell = int((arb(time) / self.step).mid().floor().unique_fmpz())
        while len(self.series) <= cell:
            self.series.append(self._series([self._value(c, self.step) for c in self.series[-1]]))
        return [self._value(c, arb(time) - cell * self.step) for c in self.series[cell]]

    @staticmethod
    def _value(c: Sequence[Any], z: Any) -> Any:
        total = arb(0)
        for a in reversed(c):
            total = total * z + a
        return total.mid()
