"""Piecewise formulas by conditions on one variable: bounds by the parts where branches hold, cover, continuity."""

from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen
from codegen.forms.choices import chosen
from codegen.graph.expr import ExprPool

x, y = sp.symbols("x y", real=True)
P, R = sp.Piecewise, sp.Rational
SMOOTHSTEP = P((0, x < 0), (3 * x**2 - 2 * x**3, x < 1), (1, True))
SPLINE = sp.interpolating_spline(3, x, [0, 1, 2, 3, 4], [0, 1, 0, 1, 0])
HAT = sp.bspline_basis(1, (0, 1, 2), 0, x)


def bounds(f: Any, lo: float, hi: float) -> tuple[float, float, int]:
    low, high, level = codegen.compile([f], [x], quick=True).decorated([[lo]], [[hi]])
    return float(low[0, 0]), float(high[0, 0]), int(level[0, 0])


@pytest.mark.parametrize(("f", "box", "wanted"), [
    (P((x**2, x < 0), (x**3, True)), (-1, 1), (0, 1, 2)), (P((sp.sqrt(x), x > 0), (0, True)), (-1, 4), (0, 2, 2)),
    (P((x, x < 1), (x + 1, True)), (0, 2), (0, 3, 1)), (P((1 / x, sp.Abs(x) > 1), (x, True)), (2, 4), (R(1, 4), R(1, 2), 3)),
    (P((-x, x <= -1), (sp.sqrt(1 - x**2), x < 1), (x - 1, True)), (-2, 2), (0, 2, 1)), (HAT, (R(1, 2), R(3, 2)), (R(1, 2), 1, 2)),
    (P((x, (x > 1) | (x < -1)), (5, True)), (2, 3), (2, 3, 3)), (P((7, sp.Eq(x, 1)), (x, True)), (0, 1), (0, 7, 1)),
    (P((1 / x, x > 1), (1 / (x - 1), x < 0)), (-3, -1), (R(-1, 2), R(-1, 4), 3))],
    ids=["powers", "root", "jump", "abs", "circle", "hat", "or", "point", "gap"])
def test_bounds_are_those_of_the_parts(f: Any, box: tuple[float, float], wanted: tuple[float, float, int]) -> None:
    lo, hi, level = bounds(f, *map(float, box))
    assert level == wanted[2] and wanted[0] - 1e-14 <= lo <= wanted[0] and wanted[1] <= hi <= wanted[1] + 1e-14


def test_a_spline_without_an_else_is_bounded_across_its_knots() -> None:
    lo, hi, level = bounds(SPLINE, 1.5, 2.5)
    assert level >= 2 and -20 < lo <= 0 <= hi < 20
    assert bounds(SPLINE, 3.5, 4.5)[2] == 0


@pytest.mark.parametrize("f", [SMOOTHSTEP, SPLINE, HAT, P((sp.exp(x), x < 0), (sp.cos(x), x < 3), (x, True)),
                               P((sp.sqrt(x)**2, x < -1), (x, True))])
def test_bounds_hold_sampled_values(f: Any) -> None:
    rng = np.random.default_rng(4)
    lo = rng.uniform(0, 3.5, (200, 1))
    hi = lo + rng.exponential(0.4, (200, 1)).clip(max=0.5)
    kernel = codegen.compile([f], [x], quick=True)
    jacobian = kernel.jacobian()
    low, high, level = kernel.decorated(lo, hi)
    slope = jacobian.interval(lo, hi)
    for a, b in rng.uniform(0, 1, (8, 2)):
        p, q = lo + a * (hi - lo), lo + b * (hi - lo)
        values, others = (np.array([[float(sp.N(f.subs(x, sp.Float(float(z)))))] for z in at[:, 0]]) for at in (p, q))
        assert ((low - 1e-12 <= values) & (values <= high + 1e-12)).all()
        change = (values - others) / np.where(p == q, 1, p - q)
        assert ((slope[0] - 1e-6 <= change) & (change <= slope[1] + 1e-6))[level >= 2].all()


def test_other_variables_and_other_conditions() -> None:
    kernel = codegen.compile([P((x * y, x < 1), (y, True)), P((x, x < y), (y, True))], [x, y], quick=True)
    lo, hi, level = kernel.decorated([[0.0, 2.0]], [[3.0, 2.0]])
    assert (lo.tolist(), hi.tolist(), level.tolist()) == ([[0, 0]], [[2, 3]], [[2, 1]])


def test_a_value_by_complex_numbers_makes_no_sum() -> None:
    """sqrt(x)^2 is -1 at -1 for SymPy, and so both branches seem to meet; it has no value there, and the sum of both none at all."""
    assert bounds(P((sp.sqrt(x)**2 * sp.exp(x - x), x < -1), (x, True)), -1.0, -0.5)[:2] == (-1, -0.5)
    pool = ExprPool()
    s = pool.variable(0)
    below, condition = pool.power_integer(pool.node("sqrt", s), 2), pool.node("lt", s, pool.constant(-1))
    f = chosen(pool.where(condition, below, s), [below, s], [condition, pool.node("true")])
    lo, hi, _ = codegen.Kernel([f], ["s"], quick=True).decorated([[-1.0]], [[-0.5]])
    assert lo[0, 0] == -1 and hi[0, 0] == -0.5
