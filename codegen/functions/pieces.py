"""Formulas that bound functions: by monotone pieces, by known extremes, by tables.

A formula of a point is a pair, a lower bound and an upper one, which differ where a series is cut off. `Tabled` stands for a function of
`codegen.emit.elementary.tabled`, monotone and with a proved error.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp
from sympy.functions.elementary.piecewise import ExprCondPair

from . import _Function
from .primitives import Primitive, primitive_ends, primitive_places

Formula = Callable[[Any], Any]
Both = Callable[[Any], tuple[Any, Any]]


class Tabled(_Function):
    """``Tabled(name, x)`` is a tabled function, of the symbol that has its name."""

    def _eval_is_real(self) -> bool | None:
        return True if self.args[1].is_real else None


class Hull(_Function):
    """``Hull(a, b)`` is any number between a and b; at points, a."""

    def _eval_is_real(self) -> bool | None:
        return True


class TabledSine(_Function):
    """``TabledSine(x)`` is Si x as `codegen.emit.elementary.tabulated` bounds it."""

    def _eval_is_real(self) -> bool | None:
        return True if self.args[0].is_real else None


class ThreeTerm(_Function):
    """``ThreeTerm(s, t, n, x, a, b)`` is f_n with f_0 = a, f_1 = b, f_(k+1) = s (2 k/x) f_k + t f_(k-1), for a number n >= 0.

    As a formula of SymPy it would have a part for every way down to f_0.
    """

    def _eval_is_real(self) -> bool | None:
        return True


class BesselRatios(_Function):
    """``BesselRatios(n, x)`` is I_n(x)/I_0(x), x > 0: the product of r_k = I_(k+1)/I_k = x / (2 (k + 1) + x r_(k+1)), which are between 0
    and 1. A step divides an uncertainty of r by (2 k/x + r)^2, which is (1 + k^2/x^2) or more.
    """

    def _eval_is_real(self) -> bool | None:
        return True


def _basic(e: Any) -> Any:
    """A formula or a condition as SymPy has it; of Python's own there are integers and truth values. TypeError for other numbers."""
    return e if isinstance(e, sp.Basic) else sp.true if e is True else sp.false if e is False else sp.Integer(operator.index(e))


def table(name: str, x: Any) -> Any:
    return Tabled(sp.Symbol(name), x)


class Cases(sp.Piecewise):  # type: ignore[misc]
    """A Piecewise that is taken as it stands: no other forms of it are looked for."""


def cases(*pairs: tuple[Any, Any]) -> Any:
    """As they are: SymPy would compare all parts, and take conditions with choices in them apart."""
    return sp.Basic.__new__(Cases, *(sp.Tuple.__new__(ExprCondPair, _basic(e), _basic(c)) for e, c in pairs))


def above(a: Any, b: Any) -> Any:
    """a > b, as it is."""
    return sp.StrictGreaterThan(a, b, evaluate=False)


def least(*parts: Any) -> Any:
    return sp.Basic.__new__(sp.Min, *map(_basic, parts))


def most(*parts: Any) -> Any:
    return sp.Basic.__new__(sp.Max, *map(_basic, parts))


def halves(low: Sequence[tuple[Any, Any]], high: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    return cases(*low), cases(*high)


def declared(name: str, both: Both, bounds: Sequence[Any], slope: Any = None, inverse: Sequence[Any] = (), level: int = 1) -> Primitive:
    """A function of one argument; `slope` is a formula of argument and value. With one it is differentiable, else of the `level`."""
    x, _ = primitive_places(1)
    return Primitive(name, 1, 3 if slope is not None else level, bounds, [both(x)[0]], [] if slope is None else [slope], inverse)


def monotone(name: str, both: Both, slope: Any = None, rising: bool = True, inverse: Sequence[Any] = (), level: int = 1) -> Primitive:
    lo, hi = primitive_ends(1)
    ends = (lo, hi) if rising else (hi, lo)
    return declared(name, both, [both(ends[0])[0], both(ends[1])[1]], slope, inverse, level)


def odd(positive: Both) -> Both:
    """From a function of x >= 0."""
    def both(x: Any) -> tuple[Any, Any]:
        low, high = positive(abs(x))
        return halves([(low, x >= 0), (-high, True)], [(high, x >= 0), (-low, True)])

    return both


def swinging(both: Both, lo: Any, hi: Any, place: Formula, first: Any) -> tuple[Any, Any]:
    """The range over lo >= 0 of a function whose extremes from lo on, at place(first), place(first + 1), ..., lie between those before."""
    near, after = place(first), place(first + 1)
    low, high = ([both(e)[k] for e in (lo, hi, near, after)] for k in range(2))
    return (cases((least(*low[:2]), hi < near), (least(*low[:3]), hi < after), (least(*low), True)),
            cases((most(*high[:2]), hi < near), (most(*high[:3]), hi < after), (most(*high), True)))


def curved(both: Both, slope: Both, size: Any, bend: Any, lo: Any, hi: Any) -> tuple[Any, Any]:
    """The range over [lo, hi] of a function with |f| <= size and |f''| <= bend there. f' has no zero in it if it has one sign at both ends
    and |f'(lo)| + |f'(hi)| > bend (hi - lo); else f is at most bend (hi - lo)^2 / 8 beyond its values at the ends.
    """
    (a, b), (s, r) = (both(lo), both(hi)), (slope(lo), slope(hi))
    reach = bend * (hi - lo)
    excess = reach * (hi - lo) / 8
    rising = above(least(s[0], r[0], s[0] + r[0] - reach), 0)
    falling = above(0, most(s[1], r[1], s[1] + r[1] + reach))
    low = cases((a[0], rising), (b[0], falling), (most(least(a[0], b[0]) - excess, -size), True))
    high = cases((b[1], rising), (a[1], falling), (least(most(a[1], b[1]) + excess, size), True))
    return low, high


def joined(left: tuple[Any, Any], right: tuple[Any, Any], lo: Any, hi: Any, at: Any) -> tuple[Any, Any]:
    """The range over [lo, hi] from those on both sides of a place."""
    return (cases((right[0], lo >= at), (left[0], hi <= at), (least(left[0], right[0]), True)),
            cases((right[1], lo >= at), (left[1], hi <= at), (most(left[1], right[1]), True)))


def odd_swinging(name: str, positive: Both, place: Formula, first: Formula, slope: Formula) -> Primitive:
    """An odd function that swings from x = 0 on: `first` of the least x is the number of the first extreme."""
    (lo, hi), (x, _) = primitive_ends(1), primitive_places(1)

    def over(a: Any, b: Any) -> tuple[Any, Any]:
        return swinging(positive, a, b, place, first(a))

    right, left = over(most(lo, 0), most(hi, 0)), over(most(-hi, 0), most(-lo, 0))
    return declared(name, odd(positive), joined((-left[1], -left[0]), right, lo, hi, 0), slope(x))
