"""Derivative kernels against SymPy's derivatives, evaluated by Arb, and against Clarke's gradient at kinks."""

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import ctx

import codegen
from codegen.emit import lower
from codegen.from_sympy import from_sympy
from codegen.functions import Chebyshev, SphericalBesselQuotient
from codegen.graph.evaluate import evaluate

from .arb_arithmetic import ArbArithmetic, exact, point, surely_outside
from .boxes import Array, samples

x, y = sp.symbols("x y", real=True)
SMOOTH: list[Any] = [
    x**3 * y - 2 * x, x / (1 + y**2), x**-2 * y, sp.sqrt(x**2 + y), (x**2 + 1) ** sp.Rational(3, 2), sp.exp(x * y),
    sp.log(x**2 + y**2), sp.sin(x * y) * sp.cos(y), sp.tan(x), sp.asin(x / 4), sp.acos(x * y / 8), sp.atan(x / y),
    sp.atan2(y, x), sp.sinh(x) * sp.tanh(y), sp.cosh(x - y), sp.asinh(x * y), sp.acosh(x**2 + 1), sp.atanh(x / 5),
    sp.sinc(x * y), SphericalBesselQuotient(2, x + y), Chebyshev(x / 3, 1, 2, sp.Rational(1, 3), -1, y),
    sp.erf(x * y), sp.erfc(x), sp.gamma(x + y), sp.loggamma(x), sp.polygamma(1, y),
    sp.Si(x + y), sp.besselj(0, x * y), sp.besselj(1, x), sp.besselj(3, x - y),
    (x**2 + 1) ** y, sp.Abs(x) ** 3, sp.log(x + 5, 10) / y, sp.sec(x / 3) + sp.cot(y),
]  # fmt: skip
PIECES: list[Any] = [
    sp.Abs(x * y), sp.Max(x, 2 * y), sp.Min(x**2, y, 1), sp.sign(x) * y, sp.floor(x) * y, sp.Heaviside(x) * y**2,
    sp.Piecewise((x**2, x < y), (y**3, sp.And(x > 1, y > 0)), (x * y, True)),
]  # fmt: skip


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(lower, "OUTLINE", 0)
    old, ctx.prec = ctx.prec, 200
    yield
    ctx.prec = old


def boxes(seed: int, rows: int) -> tuple[Array, Array]:
    """Moderate boxes, a third of them tiny, some points."""
    rng = np.random.default_rng(seed)
    centre = rng.choice([rng.uniform(-3.5, 3.5, (rows, 2)), rng.integers(-6, 7, (rows, 2)) / 2.0])
    radius = rng.choice([0.0, 1e-12, 1e-3, 0.3, 1.0], (rows, 1)) * rng.random((rows, 2))
    return centre - radius, centre + radius


def values(expressions: list[Any], at: tuple[float, ...]) -> list[Any]:
    return [p.ball for p in evaluate(from_sympy(expressions, [x, y]), ArbArithmetic(), [point(c) for c in at])]


def assert_contained(expressions: list[Any], lo: Array, hi: Array, out_lo: Array, out_hi: Array, rows: Any) -> None:
    rng = random.Random(1)
    for row in np.flatnonzero(rows.any(axis=1)):
        columns = [samples(rng, a, b, 3) for a, b in zip(lo[row], hi[row], strict=True)]
        for at in zip(*columns, strict=True):
            for k, ball in enumerate(values(expressions, at)):
                assert not (rows[row, k] and surely_outside(ball, out_lo[row, k], out_hi[row, k])), (expressions[k], at)


def within_pieces(derivative: Any) -> Any:
    """The derivative away from jumps, where those of floor and sign are 0."""
    return derivative.replace(sp.DiracDelta, lambda *_: sp.Integer(0)).replace(sp.Derivative, lambda *_: sp.Integer(0))


def test_derivatives_contain_sympys_derivative() -> None:
    outputs = SMOOTH + PIECES
    kernel = codegen.compile(outputs, [x, y])
    lo, hi = boxes(1, 250)
    out_lo, out_hi, level = kernel.jacobian().decorated(lo, hi)
    derivatives = [within_pieces(sp.diff(e, v)) for e in outputs for v in (x, y)]
    assert level.max() == 3
    # A derivative is claimed where its function is proved differentiable on the box.
    assert_contained(derivatives, lo, hi, out_lo, out_hi, level > 0)


def test_derivative_points_approximate_sympys_derivative() -> None:
    jacobian = codegen.compile(SMOOTH, [x, y]).jacobian()
    at = np.random.default_rng(3).uniform(0.3, 2.5, (40, 2))
    derivatives = [sp.diff(e, v) for e in SMOOTH for v in (x, y)]
    for row, found in zip(at, jacobian.points(at), strict=True):
        for e, value, ball in zip(derivatives, found, values(derivatives, tuple(row)), strict=True):
            if ball is not None and ball.is_finite():
                assert abs(value - float(ball)) <= 1e-11 * (1 + abs(float(ball))), (e, row)


def test_second_derivatives() -> None:
    outputs = [x**3 * y, sp.sin(x * y), sp.exp(x) / y, Chebyshev(x, 1, 2, 3, 4), sp.sinc(x), sp.atan2(y, x)]
    second = codegen.compile(outputs, [x, y]).jacobian().jacobian()
    lo, hi = boxes(5, 150)
    out_lo, out_hi, level = second.decorated(lo, hi)
    derivatives = [sp.diff(e, v, w) for e in outputs for v in (x, y) for w in (x, y)]
    assert_contained(derivatives, lo, hi, out_lo, out_hi, level > 0)


@pytest.mark.parametrize(("expression", "box", "gradient"), [
    (sp.Abs(x), [(-1, 1), (0, 0)], [(-1, 1), (0, 0)]),
    (sp.Abs(x - y), [(0, 1), (0, 1)], [(-1, 1), (-1, 1)]),
    (sp.Max(x, 2 * x), [(-1, 1), (0, 0)], [(1, 2), (0, 0)]),
    (sp.Min(x, 0), [(-1e-9, 1e-9), (0, 0)], [(0, 1), (0, 0)]),
    (sp.Max(x, y, x + y), [(-1, 1), (-1, 1)], [(0, 1), (0, 1)]),
    (sp.Max(sp.Abs(x), y), [(-1, 1), (-1, 1)], [(-1, 1), (0, 1)]),
])  # fmt: skip
def test_a_box_around_a_kink_contains_clarkes_gradient(expression: Any, box: list[Any], gradient: list[Any]) -> None:
    ends = np.array(box, float).T
    lo, hi, level = codegen.compile([expression], [x, y]).jacobian().decorated(ends[:1], ends[1:])
    for k, (least, greatest) in enumerate(gradient):
        assert lo[0, k] <= least and hi[0, k] >= greatest
    assert (level == 0).all()


def test_mean_value_theorem_holds_across_kinks() -> None:
    """f(p) - f(q) lies in F'(X)(p - q) for all p, q of a box on which f is proved continuous."""
    outputs = [sp.Abs(x) * y, sp.Max(x, y**2), sp.Min(sp.Abs(x - y), sp.sin(x)), sp.Abs(sp.Abs(x) - 1),
               sp.sqrt(sp.Abs(x) + 1)]
    kernel = codegen.compile(outputs, [x, y])
    lo, hi = boxes(9, 200)
    _, _, level = kernel.decorated(lo, hi)
    slope_lo, slope_hi = (s.reshape(len(lo), -1, 2) for s in kernel.jacobian().interval(lo, hi))
    rng = random.Random(2)
    for row in range(len(lo)):
        p, q = ([samples(rng, a, b, 1)[0] for a, b in zip(lo[row], hi[row], strict=True)] for _ in range(2))
        f, g = values(outputs, tuple(p)), values(outputs, tuple(q))
        for k in np.flatnonzero(level[row] >= 2):
            below, above = increment(slope_lo[row, k], slope_hi[row, k], p, q)
            assert not (f[k] - g[k] < below or f[k] - g[k] > above), (outputs[k], p, q)


def increment(slope_lo: Array, slope_hi: Array, p: list[float], q: list[float]) -> list[Any]:
    """Exact bounds of the product of the slopes and p - q."""
    steps = [Fraction(a) - Fraction(b) for a, b in zip(p, q, strict=True)]
    terms = [sorted((Fraction(a) * d, Fraction(b) * d)) for a, b, d in zip(slope_lo, slope_hi, steps, strict=True)]
    return [exact(sum((t[end] for t in terms), Fraction(0))) for end in (0, 1)]


def test_a_box_that_touches_a_kink_gets_the_whole_gradient_there() -> None:
    """Clarke's gradient of |x| at 0 is [-1, 1], also where 0 is an end of the box, or all of it; likewise at a tie of max."""
    lo, hi = np.array([[0.0], [-2.0], [0.0]]), np.array([[1.0], [0.0], [0.0]])
    slopes = codegen.compile([sp.Abs(x), sp.Max(x, 2 * x)], [x]).jacobian().interval(lo, hi)
    np.testing.assert_array_equal(slopes[0], [[-1.0, 1.0]] * 3)
    np.testing.assert_array_equal(slopes[1], [[1.0, 2.0]] * 3)
