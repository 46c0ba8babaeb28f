"""Derivatives on the graph: against SymPy's derivative in Arb, Clarke's gradient at kinks, decorations, growth."""

import random
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx
from sympy.codegen.cfunctions import fma

import codegen
from codegen.from_sympy import from_sympy
from codegen.functions import Chebyshev, SphericalBesselQuotient
from codegen.graph.autodiff import RULES, jacobian, partials
from codegen.graph.evaluate import evaluate
from codegen.graph.expr import ARITY, BOOLEAN, ExprPool, reachable
from tests.codegen.arb_arithmetic import ArbArithmetic, point

x, y, z = sp.symbols("x y z", real=True)
VARIABLES = [x, y, z]

SMOOTH = [
    x + y - z, x * y * z, x / y, -x / (y * z), x**7 * y**-2, x ** sp.Rational(4, 3), x**y, 2**x, sp.sqrt(x * y + z),
    sp.exp(x * y), sp.log(x + y), sp.log(x, y), sp.sin(x * y), sp.cos(x - z), sp.tan(x * z), sp.asin(x * y), sp.acos(x * y),
    sp.atan(x / y), sp.atan2(x, y - z), sp.sinh(x * y), sp.cosh(x - y), sp.tanh(x * z), sp.asinh(x / z), sp.acosh(1 + x * y),
    sp.atanh(x * y), SphericalBesselQuotient(1, x * y), sp.sinc(x + y), sp.sec(x), sp.cot(y), sp.coth(z),
    Chebyshev(x * y, 1, sp.Rational(1, 3), 2, z, x), fma(x, y, z * x),
    sp.erf(x * y), sp.erfc(x), sp.gamma(x + y), sp.loggamma(x), sp.polygamma(1, y),
    sp.Si(x + y), sp.besselj(0, x * y), sp.besselj(1, x), sp.besselj(3, x - y),
    sp.sin(sp.sqrt(x**2 + y**2)) / (1 + sp.exp(-z)) + sp.Piecewise((x**2, x < 5), (y, True)),
    sp.Abs(x + 1) * y, sp.Max(x, y + 2) * z, sp.Min(x, y + 2) ** 2, sp.sign(x) * y, sp.floor(5 + x / 10) * y, sp.Heaviside(x) * z,
]  # fmt: skip


@pytest.fixture(autouse=True)
def precision() -> Any:
    old, ctx.prec = ctx.prec, 200
    yield
    ctx.prec = old


def agree(graph: list[Any], expected: list[Any], rounds: int = 2) -> None:
    rng = random.Random(3)
    for _ in range(rounds):
        at = [rng.uniform(0.1, 0.9) for _ in VARIABLES]
        exact = {s: sp.Rational(*v.as_integer_ratio()) for s, v in zip(VARIABLES, at, strict=True)}
        for e, found in zip(expected, evaluate(graph, ArbArithmetic(), [point(v) for v in at]), strict=True):
            wanted = arb(str(sp.N(sp.sympify(e).subs(exact), 40)))
            assert found.ball is not None and abs(found.ball - wanted) < 1e-30 * (1 + abs(wanted)), (e, found.ball, wanted)


def known(e: Any, s: Any) -> Any:
    """SymPy's derivative; what it leaves of sign, Heaviside and floor is 0 where the sample points lie."""
    return sp.diff(e, s).replace(lambda d: isinstance(d, (sp.DiracDelta, sp.Derivative, sp.Subs)), lambda _: sp.Integer(0))


def test_first_derivatives_are_sympys() -> None:
    pool = ExprPool()
    outputs = from_sympy(SMOOTH, VARIABLES, pool=pool)
    rows = partials(outputs, [pool.variable(k) for k in range(3)])
    agree([d for row in rows for d in row], [known(e, s) for e in SMOOTH for s in VARIABLES])


def test_second_derivatives_are_sympys() -> None:
    some = SMOOTH[3:9] + SMOOTH[12:20] + SMOOTH[25:32]
    pool = ExprPool()
    variables = [pool.variable(k) for k in range(3)]
    rows = jacobian(jacobian(from_sympy(some, VARIABLES, pool=pool), variables[:2]), variables[:2])
    agree(rows, [sp.diff(e, s, q) for e in some for s in (x, y) for q in (x, y)], rounds=1)


def test_every_operation_has_a_rule() -> None:
    chosen = {"min", "max", "where", "choice", "restricted", "either", "guarded", "trusted", "refined"}
    binding, lowered = {"integral", "inverse"}, {"midpoint", "centre", "hull", "sum", "union", "captured", "loop"}
    assert set(ARITY) - BOOLEAN - chosen - binding - lowered == set(RULES)


def test_bounds_of_derivatives_hold_difference_quotients() -> None:
    """Mean value theorem: (f(b) - f(a)) / (b - a) lies in the bounds of f' over [a, b], kinks included."""
    functions = [sp.Abs(x), sp.Max(x, -2 * x), sp.Min(x**2, 1), sp.Abs(sp.Abs(x) - 1), sp.Max(x, 0, x - 1), sp.Abs(sp.sin(3 * x)),
                 sp.sqrt(1 + x**2), sp.Piecewise((x, x < 0), (2 * x, True)), sp.Max(sp.Min(x, 1), -1), sp.Abs(x) ** 3]  # fmt: skip
    slopes = codegen.compile(functions, [x]).jacobian()
    rng = np.random.default_rng(5)
    a, b = np.sort(rng.uniform(-2, 2, (2, 200)), axis=0)
    a[:20], b[:20] = 0.0, np.abs(b[:20])
    a[20:40], b[20:40] = -np.abs(a[20:40]), 0.0
    lo, hi = slopes.interval(a[:, None], b[:, None])
    values = sp.lambdify(x, functions, "numpy")
    left, right = (np.array([np.broadcast_to(v, a.shape) for v in values(p)]) for p in (a, b))
    wide = b > a + 1e-3
    quotient = ((right - left) / np.where(wide, b - a, 1)).T
    assert ((lo <= quotient + 1e-9) & (quotient <= hi + 1e-9))[wide].all()


def test_clarkes_gradient_inside_a_box() -> None:
    lo, hi = codegen.compile([sp.Abs(x), sp.Max(x, 3 * x), sp.Min(x, y)], [x, y]).jacobian().interval([[-1.0, -1.0]], [[1.0, 1.0]])
    assert lo[0].tolist() == [-1, 0, 1, 0, 0, 0] and hi[0].tolist() == [1, 0, 3, 0, 1, 1]


@pytest.mark.parametrize("box", [(0.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (-0.0, -0.0)])
def test_clarkes_gradient_where_the_kink_is_an_end(box: tuple[float, float]) -> None:
    kernel = codegen.compile([sp.Abs(x), sp.Max(x, 3 * x), sp.Min(x, 3 * x), sp.Max(x, 0)], [x]).jacobian()
    lo, hi = kernel.interval([[box[0]]], [[box[1]]])
    assert lo[0].tolist() == [-1, 1, 1, 0] and hi[0].tolist() == [1, 3, 3, 1]


def test_derivatives_are_decorated_by_their_function() -> None:
    kernel = codegen.compile([sp.Abs(x), sp.floor(x), sp.sqrt(x), sp.Piecewise((x, x < 1), (x**2, True)), x**3], [x]).jacobian()
    _, _, level = kernel.decorated([[-1.0], [0.5], [2.25]], [[1.0], [1.5], [2.5]])
    assert level.tolist() == [[0, 0, 0, 0, 3], [3, 0, 3, 0, 3], [3, 3, 3, 3, 3]]


def test_growth_is_linear() -> None:
    pool = ExprPool()
    a, b = pool.variable(0), pool.variable(1)
    sizes = []
    for depth in (100, 200, 20_000):
        w = a
        for _ in range(depth):
            w = pool.node("sin", w * b)
        sizes.append(len(reachable(jacobian([w], [a, b]))) / depth)
    assert max(sizes) < 1.2 * min(sizes) < 20


def test_structural_zeros_and_constants() -> None:
    pool = ExprPool()
    a, b = pool.variable(0), pool.variable(1)
    ((by_a, by_b), (one, zero)) = partials([pool.node("floor", a) * 3 + b, a], [a, b])
    assert by_a.value == 0 and by_b.value == 1 and one.value == 1 and zero.value == 0
    assert partials([], [a]) == []
