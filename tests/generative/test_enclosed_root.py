"""Zeros that Krawczyk's test proves, against numbers known in closed form; and no zero where there is none, or a double one."""

from fractions import Fraction

import pytest
import sympy as sp

from generative.enclosed_root import enclosed_root

a, b = sp.symbols("a b", real=True)


@pytest.mark.parametrize("equations, unknowns, near, true", [
    ([a**2 - 2], [a], [1.3], [sp.sqrt(2)]),
    ([a**2 - 2], [a], [-1.3], [-sp.sqrt(2)]),
    ([a**2 + b**2 - 4, a - b * sp.sqrt(3)], [a, b], [1.5, 1.5], [sp.sqrt(3), 1]),
    ([sp.exp(a) - b, sp.cos(b)], [a, b], [0.4, 1.5], [sp.log(sp.pi / 2), sp.pi / 2]),
])
def test_zeros_are_enclosed(equations, unknowns, near, true):
    found = enclosed_root(equations, unknowns, near)
    assert found is not None
    for (lo, hi), value in zip(found, true, strict=True):
        exact = Fraction(str(sp.N(value, 40)))
        assert Fraction(lo) <= exact <= Fraction(hi) and hi - lo < 1e-14


@pytest.mark.parametrize("equations, near", [([a**2 + 1], [0.5]), ([a**2], [0.1]), ([sp.Abs(a) - a], [0.0]), ([sp.log(a) + 40], [-1.0])])
def test_what_is_no_simple_zero_is_not_proved(equations, near):
    assert enclosed_root(equations, [a], near) is None
