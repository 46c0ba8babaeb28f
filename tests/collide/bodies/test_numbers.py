"""Numbers of families as doubles. The referee is exact integer arithmetic."""

import math
import random
from fractions import Fraction

import numpy as np
import sympy as sp

from codegen.constants import enclose
from collide.bodies.numbers import Numbers
from generative import Parameter


def sign(x, factor, root):
    """The sign of x - factor sqrt(root), exactly."""
    x = Fraction(x)
    if x * factor <= 0:
        return (x > factor) - (x < factor) if root else (x > 0) - (x < 0)
    larger = x * x - factor * factor * root
    return (1 if x > 0 else -1) * ((larger > 0) - (larger < 0))


def test_rational_numbers_and_their_multiples_of_roots_are_enclosed_tightly():
    rng = random.Random(1)
    cases = [(Fraction(rng.randint(-10**digits, 10**digits), rng.randint(1, 10**rng.randint(1, 40))), rng.choice([1, 2, 3, 10**31 + 33]))
             for digits in range(1, 41) for _ in range(5)]
    cases += [(Fraction(0), 1), (Fraction(1, 2), 1), (Fraction(0.1), 1), (Fraction(2**60 + 1), 1), (Fraction(-7, 3), 2),
              (Fraction(1, 2), 2), (Fraction(1, 10**160), 1), (Fraction(10**160), 3)]
    for factor, root in cases:
        lo, hi = enclose(sp.Rational(factor.numerator, factor.denominator) * sp.sqrt(root))
        assert sign(lo, factor, root) <= 0 <= sign(hi, factor, root)
        assert hi == lo or hi == math.nextafter(lo, math.inf)
        assert hi > lo or sign(lo, factor, root) == 0


def test_ends_that_are_expressions_of_numbers():
    a, b = Parameter("a"), Parameter("b")
    numbers = Numbers([a, b], [sp.Rational(1, 3), sp.sqrt(2)])
    outer, inner = numbers.bounds([(a, b), (-a, a + b), (0, sp.pi)])
    exact = [(Fraction(1, 3), 1, 0, 2), (Fraction(-1, 3), 1, Fraction(1, 3), 2)]
    for row, (lo, _, shift, root) in enumerate(exact):
        assert sign(outer[row, 0], lo, 1) <= 0 <= sign(inner[row, 0], lo, 1)
        assert sign(Fraction(inner[row, 1]) - shift, 1, root) <= 0 <= sign(Fraction(outer[row, 1]) - shift, 1, root)
    assert np.all(outer[:, 0] <= inner[:, 0]) and np.all(inner[:, 1] <= outer[:, 1]) and np.all(np.ptp(outer - inner, axis=0) < 1e-15)
