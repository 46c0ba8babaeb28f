"""Orthogonal polynomials, which SymPy expands: the change of the basis is exact, and bounds hold exact values."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen
from codegen.forms.polynomials import in_chebyshevs

x, HALF = sp.Symbol("x", real=True), sp.Rational(1, 2)
POLYNOMIALS = {"legendre": sp.legendre(20, x), "chebyshevt": sp.chebyshevt(14, x), "chebyshevu": sp.chebyshevu(11, x),
               "gegenbauer": sp.gegenbauer(12, HALF, x), "jacobi": sp.jacobi(9, 1, 2, x), "shifted": sp.expand(sp.legendre(9, 2 * x - 1))}


def exactly(f: Any, at: float) -> Fraction:
    total = Fraction(0)
    for c in sp.Poly(f, x).all_coeffs():
        total = total * Fraction(at) + Fraction(int(c.p), int(c.q))
    return total


def test_the_basis_is_changed_exactly() -> None:
    c = [Fraction(k * k - 3, k + 1) for k in range(8)]
    m, h = Fraction(2, 3), Fraction(5, 7)
    again = sum(sp.Rational(a.numerator, a.denominator) * sp.chebyshevt(k, (x - sp.Rational(2, 3)) * sp.Rational(7, 5))
                for k, a in enumerate(in_chebyshevs(c, m, h)))
    assert sp.expand(again - sum(sp.Rational(a.numerator, a.denominator) * x**k for k, a in enumerate(c))) == 0


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_bounds_and_points_are_tight(name: str) -> None:
    f, rng = POLYNOMIALS[name], np.random.default_rng(3)
    made = codegen.compile([f], [x])
    lo = rng.uniform(0 if name == "shifted" else -1, 1, 60)
    low, high, level = made.decorated(lo[:, None], lo[:, None])
    points = made.points(lo[:, None])
    for a, p, q, y in zip(lo, low[:, 0], high[:, 0], points[:, 0], strict=True):
        value = exactly(f, a)
        assert Fraction(p) <= value <= Fraction(q) and q - p < 1e-12 and abs(float(value) - y) < 4e-14
    assert (level == 3).all()
    hi = np.minimum(lo + rng.random(60), 1.0)
    low, high = made.interval(lo[:, None], hi[:, None])
    for a, b, p, q in zip(lo, hi, low[:, 0], high[:, 0], strict=True):
        values = [exactly(f, t) for t in np.linspace(a, b, 9).clip(a, b)]
        assert all(Fraction(p) <= v <= Fraction(q) for v in values) and max(-p, q) < 60


def test_beyond_the_interval_and_derivatives() -> None:
    f = POLYNOMIALS["legendre"]
    made = codegen.compile([f], [x])
    for a, b in ((1.5, 1.75), (-3.0, -2.5), (0.5, 2.0)):
        low, high = made.interval([[a]], [[b]])
        assert all(Fraction(low[0, 0]) <= exactly(f, t) <= Fraction(high[0, 0]) for t in np.linspace(a, b, 9))
    (slope,) = made.jacobian().points([[0.625]])[0]
    assert slope == pytest.approx(float(exactly(sp.diff(f, x), 0.625)), rel=1e-11)
