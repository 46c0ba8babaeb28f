"""Values and slopes on boxes against exact rationals and 40 digits, and the numbers of polynomials as doubles."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp

from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool
from codegen.kernel import Kernel
from collide.sheets import sheet
from collide.sheets.slopes import slopes, values
from generative import ParametricSurface, t, u, v

POLYNOMIAL = u**3 * (1 - v) ** 2 + 3 * u * (1 - u) ** 2 * v * t**2 - (u - 2 * v) ** 2 / 7 + t
OTHERS = [POLYNOMIAL, u * sp.sin(3 * v + t) + v**3, sp.sqrt(2 + u * v * t), abs(u - sp.Rational(1, 3)) * v]


@pytest.mark.parametrize("f", OTHERS, ids=str)
def test_enclosures_hold_sampled_values(f):
    rng = np.random.default_rng(3)
    pool = ExprPool()
    (node,) = convert([f], dict(zip((u, v, t), map(pool.variable, range(3)), strict=True)), pool)
    kernel = Kernel([values(node), *slopes(node)], ("u", "v", "t"))
    middle, radius = rng.uniform(0.1, 0.9, (60, 3)), 10.0 ** rng.uniform(-9, -0.5, (60, 1))
    low, high = middle - radius, middle + radius
    bounds = kernel.interval(low, high)
    exact = [sp.lambdify([u, v, t], e, "mpmath") for e in (f, sp.diff(f, u), sp.diff(f, v))]
    with mpmath.workdps(40):
        for lo, hi, a, b in zip(*bounds, low, high, strict=True):
            for share in (*rng.uniform(0, 1, (4, 3)), np.zeros(3), np.ones(3)):
                at = [mpmath.mpf(p) + mpmath.mpf(s) * (mpmath.mpf(q) - mpmath.mpf(p)) for p, q, s in zip(a, b, share, strict=True)]
                assert all(mpmath.mpf(p) <= e(*at) <= mpmath.mpf(q) for p, q, e in zip(lo, hi, exact, strict=True))


def test_slopes_of_a_polynomial_are_narrow():
    """On half the domain the natural extension is many times as wide as the range; the expansion hardly."""
    pool = ExprPool()
    (node,) = convert([POLYNOMIAL], dict(zip((u, v, t), map(pool.variable, range(3)), strict=True)), pool)
    lo, hi = Kernel(slopes(node), ("u", "v", "t")).interval([[0.25, 0.25, 0.25]], [[0.75, 0.75, 0.75]])
    grid = np.stack(np.meshgrid(*[np.linspace(0.25, 0.75, 21)] * 3, indexing="ij")).reshape(3, -1)
    for k, s in enumerate((u, v)):
        sampled = sp.lambdify([u, v, t], sp.diff(POLYNOMIAL, s))(*grid)
        assert (hi - lo)[0, k] < 2 * np.ptp(sampled)


def test_numbers_of_polynomials_are_enclosed():
    surface = ParametricSurface([u / 3 + t * u * v / 7, v + u**2 / 10, sp.Rational(1, 3) - v * t], {u: (0, 1), v: (0, sp.Rational(2, 3))})
    piece = sheet.piece_of(surface, 0)
    corner = {(0, 0): [0, 0, Fraction(1, 3)], (2, 1): [Fraction(1, 3), Fraction(11, 10), Fraction(1, 3)]}
    net = piece.numbers.reshape(2, 3, 2, 3, 2)
    for (i, j), exact in corner.items():
        for x, (lo, hi) in zip(exact, net[0, i, j], strict=True):
            assert Fraction(lo) <= x <= Fraction(hi) and hi <= np.nextafter(lo, np.inf)
            assert (lo == hi) == (Fraction(float(x)) == x)
