"""Quotients of linear formulas of one part, which `forms.identities` writes with that part once."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen
from codegen.forms.identities import _linear
from codegen.graph.expr import ExprPool

x, y = sp.symbols("x y", real=True)
R = sp.Rational
INF = np.inf


@pytest.mark.parametrize(("f", "box", "wanted"), [
    (x / (1 + x), (0, INF), (0, 1)), (x / (1 + x), (0, 10), (0, R(10, 11))), ((2 - 3 * x) / (5 - 4 * x), (2, 3), (1, R(4, 3))),
    ((1 - x) / (1 + x), (0, INF), (-1, 1)), (x**2 / (1 + x**2), (-3, 3), (0, R(9, 10))), (2 * (x - 1) / (x + 3), (-1, 1), (-2, 0)),
    (sp.exp(x) / (1 + 2 * sp.exp(x)), (0, 800), (R(1, 3), R(1, 2))), (x / (x - 1), (2, INF), (1, 2))])
def test_bounds_are_tight(f: Any, box: tuple[float, float], wanted: tuple[Any, Any]) -> None:
    lo, hi, level = (a[0, 0] for a in codegen.compile([f], [x], quick=True).decorated([[box[0]]], [[box[1]]]))
    assert level == 3
    assert wanted[0] - 1e-14 <= lo <= wanted[0] and wanted[1] <= hi <= wanted[1] + 1e-14


@pytest.mark.parametrize(("f", "wanted"), [
    (x - 2 * sp.floor(x / 2 + R(1, 2)), (-1, 1)), (x - sp.floor(x), (0, 1)), (3 * sp.floor(x / 3) - x + 1, (-2, 1)),
    (sp.floor(-x) + x, (-1, 0)), (x + 5 - 4 * sp.floor((x + 1) / 4), (4, 8)), (sp.Abs(x - 2 * sp.floor(x / 2 + R(1, 2))), (0, 1))])
def test_repetitions_stay_within_a_cell(f: Any, wanted: tuple[int, int]) -> None:
    """Also at places where the formula jumps, and the same bounds as before where it does not."""
    rng = np.random.default_rng(8)
    lo = rng.uniform(-20, 20, (40, 1))
    hi = lo + rng.choice([0.0, 0.25, 2.0, 50.0], (40, 1))
    low, high = codegen.compile([f], [x]).interval(lo, hi)
    assert (low >= wanted[0]).all() and (high <= wanted[1]).all()
    for a, b, least, greatest in zip(lo[:, 0], hi[:, 0], low[:, 0], high[:, 0], strict=True):
        for part in (Fraction(0), Fraction(1, 3), Fraction(6, 7), Fraction(1)):
            value = f.subs(x, R(Fraction(a) + part * (Fraction(b) - Fraction(a))))
            assert least <= value <= greatest
    thin = codegen.compile([f], [x]).interval(lo, lo)
    assert (thin[1] - thin[0] < 1e-13).all()


def test_other_sums_with_steps_have_no_cell() -> None:
    lo, hi = codegen.compile([x - 3 * sp.floor(x / 2), x + sp.floor(x), y - sp.floor(x)], [x, y]).interval([[7.0, 0.0]], [[7.5, 0.0]])
    assert lo[0].tolist() == [-2.0, 14.0, -7.0] and hi[0].tolist() == [-1.5, 14.5, -7.0]


def test_poles_stay_poles() -> None:
    for f in (x / (1 + x), (1 - x) / (2 + 2 * x)):
        lo, hi, level = codegen.compile([f], [x], quick=True).decorated([[-2.0]], [[0.0]])
        assert (lo[0, 0], hi[0, 0], level[0, 0]) == (-INF, INF, 0)


def test_linear_parts() -> None:
    pool = ExprPool()
    u, v = pool.variable(0), pool.variable(1)
    for e, a, b in ((u, 1, 0), (2 - 3 * u, -3, 2), (-(u * Fraction(1, 2) + 1), Fraction(-1, 2), -1), (3 * (u - 4) + 1, 3, -11),
                    (u * v + 5, 1, 5)):
        part, slope, start = _linear(e)
        assert part in (u, u * v) and (slope, start) == (a, b)
