"""Derivatives and levels on boxes that touch a switch, against limits from both sides."""

from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen
from codegen.from_sympy import from_sympy
from codegen.graph.autodiff import jacobian
from codegen.graph.expr import ExprPool
from codegen.reference.interpreter import interpret

x, y = sp.symbols("x y", real=True)
SIZE = sp.Piecewise((-x, x < 0), (x, True))
INSIDE = sp.And(x > -1, x < 0)


@pytest.mark.parametrize("size", [SIZE, sp.Piecewise((-x, x <= 0), (x, True)), sp.Piecewise((x, x >= 0), (-x, x < 0)), x * sp.sign(x),
                                  sp.Piecewise((x, sp.Not(x < 0)), (-x, True)), sp.Piecewise((-x, sp.Or(INSIDE, x <= -1)), (x, True)),
                                  x * sp.Piecewise((-1, x < 0), (1, True)),
                                  sp.Piecewise((x, sp.Piecewise((-1, x < 0), (1, True)) > 0), (-x, True)),
                                  x * (2 * sp.Heaviside(x) - 1)])  # fmt: skip
def test_the_absolute_value_has_clarkes_gradient_however_it_is_written(size: Any) -> None:
    lo, hi = np.array([[0.0], [0.0], [-0.5], [-0.5], [0.25]]), np.array([[0.0], [0.5], [0.0], [0.5], [0.5]])
    kernel = codegen.compile([size], [x])
    below, above, level = kernel.jacobian().decorated(lo, hi)
    assert (below[:4] <= -1).all() and (above[:4] >= 1).all() and level[:, 0].tolist() == [0, 0, 0, 0, 3]
    assert (below[4, 0], above[4, 0]) == (1, 1)
    assert (kernel.decorated(lo, hi)[2][:4] <= 2).all()
    sparse = kernel.jacobian(sparse=True).interval(lo, hi)
    assert (sparse[0] == below).all() and (sparse[1] == above).all()


def test_a_removable_singularity_is_not_a_derivative_of_zero() -> None:
    f = sp.Piecewise((y * (sp.exp(x) - 1) / x, sp.Ne(x, 0)), (y, True))
    kernel = codegen.compile([f], [x, y])
    lo, hi, level = kernel.jacobian().decorated([[0.0, 1.0]], [[0.0, 2.0]])
    assert lo[0, 0] == 0.5 and hi[0, 0] == 1 and level[0].tolist() == [3, 3]
    assert [e.item() for e in kernel.decorated([[0.0, 1.0]], [[0.0, 2.0]])] == [1, 2, 3]


@pytest.mark.parametrize(("formula", "least", "greatest"), [
    (y * sp.floor(x), 0, 1), (y * sp.ceiling(x), 1, 2), (y * sp.sign(x - 1), -1, 1), (y * sp.Heaviside(x - 1), 0, 1),
    (y * sp.Mod(x, 1), 0, 1), (y * sp.frac(x), 0, 1), (y * sp.Piecewise((2, sp.Eq(x, 1)), (5, True)), 2, 5),
])  # fmt: skip
def test_the_factor_beside_a_jump_counts_from_both_sides(formula: Any, least: float, greatest: float) -> None:
    """d/dy on boxes that touch x = 1 at an end."""
    kernel = codegen.compile([formula], [x, y]).jacobian()
    for a, b in ((1.0, 1.0), (1.0, 1.25), (0.75, 1.0)):
        lo, hi, level = kernel.decorated([[a, 0.0]], [[b, 0.0]])
        assert lo[0, 1] <= least and hi[0, 1] >= greatest and level[0, 1] == 0
    inner = kernel.decorated([[1.25, 0.0]], [[1.5, 0.0]])
    assert inner[2][0, 1] == 3 and inner[1][0, 1] - inner[0][0, 1] <= 0.25


def test_the_cut_of_the_angle_counts_from_both_sides() -> None:
    kernel = codegen.compile([y * sp.atan2(y, x)], [x, y]).jacobian()
    lo, hi = kernel.interval([[-2.0, 0.0]], [[-1.0, 0.0]])
    assert lo[0, 1] <= -3.14159 and hi[0, 1] >= 3.14159


def test_second_derivatives_have_both_sides_of_a_switch() -> None:
    """x^2 and 3 x^2 meet with their slopes; the second derivative is 2 or 6."""
    kernel = codegen.compile([sp.Piecewise((x**2, x <= 0), (3 * x**2, True)), x * sp.Abs(x)], [x])
    for second in (kernel.hessian(), kernel.jacobian().jacobian(), kernel.hessian(sparse=True)):
        lo, hi, level = second.decorated([[0.0], [-1.0]], [[0.0], [0.0]])
        assert (lo <= [2, -2]).all() and (hi >= [6, 2]).all() and not level.any()


def test_the_reference_and_both_kinds_of_code_agree() -> None:
    pool = ExprPool()
    formulas = [SIZE, sp.Piecewise((y, INSIDE), (x * y, True)), y * sp.floor(x), y * sp.atan2(y, x),
                sp.Piecewise((x, sp.Eq(x, y)), (y, True))]
    outputs = jacobian(from_sympy(formulas, [x, y], pool=pool), [pool.variable(0), pool.variable(1)])
    lo = np.array([[a, b] for a in (-1.0, -0.5, 0.0, 0.25) for b in (-1.0, 0.0)])
    for width in ([0.0, 0.0], [0.25, 0.0], [0.5, 1.0], [1.0, 0.5]):
        expected = interpret(outputs, lo, lo + width)
        for quick in (True, False):
            found = codegen.compile(outputs, [pool.variable(0), pool.variable(1)], quick=quick).decorated(lo, lo + width)
            assert (found[2] == expected[2]).all()
            assert all(np.allclose(a, b, rtol=1e-15, atol=0) for a, b in zip(found[:2], expected[:2], strict=True))


def test_points_have_the_branch_that_holds() -> None:
    kernel = codegen.compile([sp.Piecewise((sp.sin(x) / x, sp.Ne(x, 0)), (1, True)), y * sp.floor(x)], [x, y]).jacobian()
    assert kernel.points([[0.0, 1.0]])[0].tolist() == [0, 0, 0, 0] and kernel.points([[1.0, 1.0]])[0, 3] == 1
