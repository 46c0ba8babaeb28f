"""Formulas that bound functions: by monotone pieces, by known extremes, by tables.

A formula of a point is a pair, a lower bound and an upper one, which differ where a series is cut off. `Tabled` stands for a function of
`codegen.emit.elementary.tabled`, monotone and with a proved error.
"""

from collections.abc import Callable, Sequence
from typing import Any

import sympy as sp

from . import _Function
from .primitives import Primitive, primitive_ends, primitive_places

Formula = Callable[[Any], Any]
Both = Callable[[Any], tuple[Any, Any]]


class Tabled(_Function):
    """``Tabled(name, x)`` is a tabled function, of the symbol that has its name."""

    def _eval_is_real(self) -> bool | None:
        return True if self.args[1].is_real else None


def table(name: str, x: Any) -> Any:
    return Tabled(sp.Symbol(name), x)


def cases(*pairs: tuple[Any, Any]) -> Any:
    """As they are: SymPy would compare all parts."""
    return sp.Piecewise(*pairs, evaluate=False)


def least(*parts: Any) -> Any:
    return sp.Min(*parts, evaluate=False)


def most(*parts: Any) -> Any:
    return sp.Max(*parts, evaluate=False)


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
