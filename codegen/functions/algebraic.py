"""Real algebraic numbers of SymPy as roots of polynomials between rational numbers."""

from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

# Digits of a root when it is told from others, and of intervals that hold one each.
_DIGITS, _CLOSE = 60, sp.Rational(1, 10**50)


class IsolatedRoot(NamedTuple):
    """`whole` plus the only root of the polynomial with the coefficients of x^0, x^1, ... between `lo` and `hi`, from 0 to 1. `lo` and
    `hi` are the root if they are equal.
    """

    whole: int
    lo: Fraction
    hi: Fraction
    coefficients: tuple[int, ...]


def root_of(e: Any) -> IsolatedRoot | None:
    """A `CRootOf` or an `AlgebraicNumber`; None if it is not real, or too near to another root, or to an integer."""
    if not e.is_real:
        return None
    x = sp.Dummy("x")
    poly = e.poly if isinstance(e, sp.CRootOf) else e.minpoly
    value = (e if isinstance(e, sp.CRootOf) else e.as_expr()).evalf(_DIGITS)
    whole = sp.floor(value)
    moved = sp.Poly(poly.as_expr().subs(poly.gen, x + whole), x)
    near = sp.Rational(value) - whole
    found = [ends for ends, _ in moved.intervals(eps=_CLOSE) if ends[0] - _CLOSE <= near <= ends[1] + _CLOSE]
    if len(found) != 1:
        return None
    lo, hi = sp.Max(found[0][0], 0), found[0][1]
    if lo != hi and moved(lo) * moved(hi) >= 0:
        return None
    coefficients = reversed(moved.clear_denoms(convert=True)[1].all_coeffs())
    return IsolatedRoot(int(whole), _fraction(lo), _fraction(hi), tuple(map(int, coefficients)))


def _fraction(x: Any) -> Fraction:
    return Fraction(int(x.p), int(x.q))
