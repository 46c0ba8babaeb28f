"""Patterns (`pattern`): formulas, samples and enclosures of the same numbers agree with exact rational arithmetic."""

from fractions import Fraction

import numpy as np
import sympy as sp

from generative.curve import Curve
from generative.pattern import Pattern, bounds, exactly, sampled
from generative.symbols import Parameter, u

A, B = Parameter("a"), Parameter("b")
PARABOLA = Pattern((A * u, B * u**2, sp.S.Zero), (A, B))


def test_formulas_hold_the_doubles_exactly() -> None:
    curve = Curve.of_pattern(PARABOLA, [0.1, 0.3], (0, 1))
    assert curve.expressions == (sp.Rational(0.1) * u, sp.Rational(0.3) * u**2, 0)
    assert curve == Curve(curve.expressions, (0, 1)) and curve.at(2)[1] == 4 * sp.Rational(0.3)


def test_samples_of_several_curves_are_values_and_derivatives() -> None:
    rows = sampled(PARABOLA, [[1.0, 2.0], [4.0, 0.5]], np.array([[0.0, 0.5], [1.0, 3.0]]))
    assert rows[0, 1].tolist() == [0.5, 0.5, 0.0, 1.0, 2.0, 0.0]
    assert rows[1, 1].tolist() == [12.0, 4.5, 0.0, 4.0, 3.0, 0.0]


def test_bounds_hold_exact_numbers() -> None:
    numbers = [0.1, Fraction(1, 3), Fraction(1, 4), sp.pi, sp.Rational(2, 3)]
    low, high = bounds(numbers)
    assert low[0] == high[0] == 0.1 and low[2] == high[2] == 0.25
    assert all(Fraction(a) < Fraction(p, q) < Fraction(b) for a, b, (p, q) in zip(low[[1, 4]], high[[1, 4]], [(1, 3), (2, 3)], strict=True))
    assert low[3] < exactly(sp.pi) < high[3]
