"""Conversion from SymPy: what each class becomes, exact constants, and what is refused with which sentence."""

import random
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx
from sympy.codegen.cfunctions import fma

import codegen
from codegen.from_sympy import from_sympy
from codegen.functions import Chebyshev, SphericalBesselQuotient, cosc
from codegen.graph.evaluate import evaluate
from codegen.graph.expr import ExprPool, reachable
from codegen.sympy_rules import SUPPORTED, UnsupportedExpression

from .arb_arithmetic import ArbArithmetic, point

x, y, z = sp.symbols("x y z", real=True)
a = sp.Symbol("a", real=True)

# With arguments in (0.1, 0.9), where all of these are defined.
EXPRESSIONS = [
    x + y + z - 3, x * y / z, -x, x**2 * y**-3, x ** sp.Rational(5, 3), x**y, 2**x, sp.sqrt(x) ** 3, 1 / sp.sqrt(x * y),
    x * sp.log(x), -x**3 * sp.log(x) / y, sp.sqrt(x) * y * sp.log(x), x ** sp.Rational(5, 2) * sp.log(x),
    x ** sp.Rational(1, 3) * sp.log(x),
    x * sp.log(x) * sp.log(y) * y**2, sp.log(x) ** 2 * x, sp.log(x) * y, x**-1 * sp.log(x), sp.sin(x * y) ** 2 * sp.log(sp.sin(x * y)),
    x**0.5, x**2.0, (x - y) ** 3.0, (x - 2) ** 2.0, x**-1.0, x**2.5,
    sp.Abs(x - y), sp.sign(x - y), sp.Min(x, y, z), sp.Max(x, y, 2 * z), sp.floor(5 * x), sp.ceiling(5 * x), sp.frac(3 * x),
    sp.Mod(7 * x, y), sp.exp(x), sp.exp(-x / y), sp.E**x, sp.log(x), sp.log(x, 2), sp.log(x, y), sp.sin(x), sp.cos(x), sp.tan(x),
    sp.asin(x), sp.acos(x), sp.atan(x), sp.atan2(y, x - y), sp.sinh(x), sp.cosh(x), sp.tanh(x), sp.asinh(x), sp.acosh(1 + x),
    sp.atanh(x), sp.sec(x), sp.csc(x), sp.cot(x), sp.sech(x), sp.csch(x), sp.coth(x), sp.sinc(x), sp.sinc(x - y), cosc(x),
    sp.erf(x), sp.erfc(y), sp.gamma(x), sp.loggamma(y), sp.digamma(x), sp.polygamma(2, x), sp.Si(x), sp.besselj(0, x), sp.besselj(2, x * y),
    SphericalBesselQuotient(2, x), Chebyshev(x, 1, 2, sp.Rational(1, 3), y), sp.Heaviside(x - y), sp.Heaviside(x - y, 0),
    fma(x, y, z), sp.pi * x, sp.GoldenRatio * x, sp.EulerGamma + x, sp.Catalan * x, x + sp.E,
    sp.Piecewise((x, x < y), (y, sp.Eq(x, y)), (z, True)), sp.Piecewise((x, x <= y), (z**2, x > y)),
    sp.Piecewise((1, (x > y) & (y > z)), (2, sp.Or(x >= z, sp.Not(y < z))), (3, True)),
    sp.Piecewise((x, sp.Ne(x, y)), (2, True)), sp.Piecewise((x, sp.ITE(x > y, y > z, x > z)), (y, True)),
    sp.Piecewise((x, sp.Implies(x > y, y > z)), (y, True)), sp.Piecewise((x, sp.Xor(x > y, y > z, x > z)), (y, True)),
    sp.Piecewise((x, sp.Equivalent(x > y, y > z, x > z)), (y, True)), sp.Piecewise((x, sp.Xor(x > y, y > z)), (y, True)),
]  # fmt: skip


def number(e: Any, exact: dict[Any, Any]) -> Any:
    """SymPy's value to 35 digits."""
    return sp.N(e.replace(fma, lambda p, q, r: p * q + r).subs(exact), 35)


@pytest.fixture(scope="module")
def graph() -> tuple[list[Any], ExprPool]:
    pool = ExprPool()
    return from_sympy(EXPRESSIONS, [x, y, z], pool=pool), pool


def test_the_graph_means_what_sympy_means(graph: tuple[list[Any], ExprPool]) -> None:
    """SymPy's value to 30 digits against the graph in Arb, at random points."""
    old, ctx.prec = ctx.prec, 200
    rng = random.Random(1)
    try:
        for _ in range(3):
            at = [rng.uniform(0.1, 0.9) for _ in range(3)]
            exact = {s: sp.Rational(*v.as_integer_ratio()) for s, v in zip((x, y, z), at, strict=True)}
            balls = evaluate(graph[0], ArbArithmetic(), [point(v) for v in at])
            for e, found in zip(EXPRESSIONS, balls, strict=True):
                wanted = number(e, exact)
                # A Float in an expression makes SymPy itself compute with 15 digits.
                error = 1e-13 if e.has(sp.Float) else 1e-28
                assert found.ball is not None and abs(found.ball - arb(str(wanted))) < error * (1 + abs(arb(str(wanted)))), e
    finally:
        ctx.prec = old


def test_bounds_hold_what_sympy_means() -> None:
    kernel = codegen.compile(EXPRESSIONS, [x, y, z])
    at = np.random.default_rng(2).uniform(0.1, 0.9, (2, 3))
    lo, hi = kernel.interval(at, at)
    points = kernel.points(at)
    for row in range(len(at)):
        exact = {s: sp.Rational(*float(v).as_integer_ratio()) for s, v in zip((x, y, z), at[row], strict=True)}
        for k, e in enumerate(EXPRESSIONS):
            wanted = float(number(e, exact))
            slack = 1e-15 * (1 + abs(wanted))
            assert lo[row, k] - slack <= wanted <= hi[row, k] + slack, e
            assert hi[row, k] - lo[row, k] <= 1e-12 * (1 + abs(wanted)), e
            assert abs(points[row, k] - wanted) <= 1e-12 * (1 + abs(wanted)), e


def test_float_exponents_are_the_numbers_they_hold() -> None:
    """SymPy keeps x**2.0 apart from x**2, but both are defined below 0."""
    kernel = codegen.compile([x**2.0, x**-3.0, x**0.5], [x])
    lo, hi, level = kernel.decorated([[-2.0], [4.0]], [[1.0], [4.0]])
    assert lo[0, 0] == 0 and hi[0, 0] == 4 and level[0, 0] == 3
    assert lo[0, 1] == -np.inf and hi[0, 1] == np.inf
    assert lo[1].tolist() == [16, 1 / 64, 2] and hi[1].tolist() == [16, 1 / 64, 2]


def test_constants_arrive_exact() -> None:
    pool = ExprPool()
    third, tenth, long = from_sympy([sp.Rational(1, 3), sp.Float(0.1), sp.Float("0.1", 50)], [], pool=pool)
    assert third.value == Fraction(1, 3) and tenth.value == Fraction(0.1)
    assert abs(long.value - Fraction(1, 10)) < Fraction(1, 10**49)
    assert from_sympy([0.1, 3, sp.Integer(2) ** 100], [])[0].value == Fraction(0.1)


def test_nested_sequences_and_matrices_are_flattened_row_major() -> None:
    matrix = sp.Matrix([[x, y], [x * y, 1]])
    for given in (matrix, sp.ImmutableMatrix(matrix), sp.Array([[x, y], [x * y, 1]]), [[x, y], (x * y, 1)],
                  [sp.Matrix([x, y]), [x * y], 1], np.array([[x, y], [x * y, 1]], dtype=object)):
        ops = [e.op for e in from_sympy(given, [x, y])]
        assert ops == ["variable", "variable", "mul", "constant"]
    assert [e.op for e in from_sympy(x, [x])] == ["variable"]


def test_negative_exponents_share_one_division() -> None:
    (e,) = from_sympy([x / (y * z)], [x, y, z])
    assert [n.op for n in reachable([e])].count("div") == 1


def test_deep_sympy_trees_do_not_overflow() -> None:
    w: Any = x
    for k in range(3000):
        w = sp.Add(sp.Mul(w, y, evaluate=False), sp.Integer(k % 7 - 3), evaluate=False)
    (e,) = from_sympy([w], [x, y])
    assert len(reachable([e])) > 5000


def test_shared_subexpressions_do_not_blow_up() -> None:
    w: Any = x
    for _ in range(200):
        w = sp.Add(sp.Mul(w, w, evaluate=False), y, evaluate=False)
    (e,) = from_sympy([w], [x, y])
    assert len(reachable([e])) == 402


@pytest.mark.parametrize(("expression", "message"), [
    (x + z, "free symbol z is neither variable nor parameter; list it"),
    (sp.Symbol("x") + 1, "same symbol|other assumptions"),
    (sp.mathieuc(1, 2, x), r"cannot compile mathieuc: mathieuc\(1, 2, x\); no bounds of mathieuc are known"),
    (sp.Function("f")(x), r"cannot compile f: f\(x\)"),
    (sp.Derivative(sp.Function("f")(x), x), "SymPy has no formula for this derivative"),
    (sp.Derivative(sp.sin(x), x) + 1, r"cannot compile Derivative\(sin\(x\), x\): it is not evaluated yet; call .doit\(\)"),
    (sp.Subs(x**2, x, y), "it is not evaluated yet"),
    (sp.diff(sp.sign(x) * x**2, x), r"cannot compile DiracDelta\(x\): .* take its derivatives by `jacobian`"),
    (sp.diff(sp.floor(2 * x), x), r"cannot compile Subs\(Derivative"),
    (sp.Integral(sp.sin(x * y), x), "cannot compile Integral.*needs two finite limits"),
    (sp.I * x, "I is not a finite real constant"), (x + sp.oo, "oo is not a finite"), (sp.nan, "nan is not a finite"),
    (sp.zoo * x, "zoo is not a finite"), (x + float("inf"), "is not a finite"),
    (SphericalBesselQuotient(y, x), "order of SphericalBesselQuotient"), (sp.besselj(y, x), "order of besselj must be an integer from 0"),
    (sp.polygamma(21, x), "order of polygamma must be an integer from 0 to 20"),
    (sp.besselj(sp.Rational(1, 3), x), "order of besselj must be an integer from 0"),
])  # fmt: skip
def test_what_has_no_inclusion_function_is_refused(expression: Any, message: str) -> None:
    with pytest.raises(UnsupportedExpression, match=message):
        from_sympy([expression], [x, y])
    with pytest.raises(ValueError, match=message):
        codegen.compile([expression], [x, y])


def test_bad_symbols_are_refused() -> None:
    with pytest.raises(TypeError, match="must be a SymPy Symbol, got 'x'"):
        from_sympy([x], ["x"])
    with pytest.raises(ValueError, match="x is listed twice"):
        from_sympy([x], [x, y], [x])
    with pytest.raises(TypeError, match="must be a SymPy Symbol"):
        from_sympy([x], [x + 1])


def test_parameters_are_told_from_variables() -> None:
    (e,) = from_sympy([a * x], [x], [a])
    assert {n.op for n in reachable([e])} == {"variable", "parameter", "mul"}
    assert "sin" in SUPPORTED and "Chebyshev" in SUPPORTED and "Piecewise" in SUPPORTED


@pytest.mark.parametrize("assumed", [{"integer": True}, {"real": True}])
def test_a_power_with_a_symbol_is_that_of_sympy_for_negative_bases_too(assumed: dict[str, bool]) -> None:
    n = sp.Symbol("n", **assumed)
    kernel = codegen.compile([x**n, x**3], [x], parameters=[n])
    lo, hi, level = kernel.decorated([[-2.0], [2.0]], [[-2.0], [2.0]], parameters=([3.0], [3.0]))
    assert level[:, 0].tolist() == [1, 3] and lo[0, 0] <= -8 <= hi[0, 0] < -7.9
    assert lo[1, 0] <= 8 <= hi[1, 0] and (lo[:, 1] == [-8, 8]).all() and (hi[:, 1] == [-8, 8]).all()


def test_bounds_of_powers_hold_sympys_values_at_integers() -> None:
    """(-5)**3 to (-5)**2 and 0**0 among them; what is no real number is undefined."""
    y = sp.Symbol("y", real=True)
    kernel = codegen.compile([x**y, (-1)**y, 0**y], [x, y])
    rng = random.Random(3)
    for _ in range(200):
        base, power = sp.Rational(rng.randint(-8, 8), 2), sp.Integer(rng.randint(-4, 4))
        room = [rng.choice([0.0, 0.0, 0.5, 2.0]) for _ in range(4)]
        box = [[float(base) - room[0], float(power) - room[1]]], [[float(base) + room[2], float(power) + room[3]]]
        lo, hi, level = kernel.decorated(*box)
        for k, e in enumerate((sp.Pow(base, power), sp.Pow(-1, power), sp.Pow(0, power))):
            assert not e.is_finite or lo[0, k] <= e <= hi[0, k], (base, power, box, lo, hi)
            assert not (level[0, k] and k == 0 and (not e.is_finite or (box[0][0][0] < 0 and room[1] + room[3] > 0))), (box, level)
    found = kernel.points([[-2.0, 3.0], [-2.0, 2.0], [0.0, 0.0], [0.0, 0.5], [2.0, 0.5], [-2.0, 0.5]])[:, 0]
    assert found[:4].tolist() == [-8, 4, 1, 0] and abs(found[4] - 2**0.5) < 1e-15 and np.isnan(found[5])
    size = codegen.compile([sp.Abs(x)**y], [x, y])
    lo, hi, level = size.decorated([[-2.0, 1.0], [0.0, 0.0], [0.0, -2.0], [0.0, -1.0]], [[1.0, 2.0], [0.0, 0.0], [0.0, -2.0], [1.0, 1.0]])
    assert level[:, 0].tolist() == [2, 2, 0, 0] and (lo[1, 0], hi[1, 0]) == (1, 1) and lo[3, 0] <= 0 and hi[0, 0] < 4.1
    plain = codegen.compile([sp.Symbol("p", positive=True)**y, 2**y, sp.exp(x)**y, x**sp.pi], [sp.Symbol("p", positive=True), x, y])
    assert not any(e.op == "where" for e in reachable(plain.outputs))


@pytest.mark.parametrize("order", [0, 1, 2, 3, 7, 20])
def test_polygamma_is_reflected_below_zero(order: int) -> None:
    kernel = codegen.compile([sp.polygamma(order, x)], [x])
    rng = random.Random(order)
    for _ in range(30):
        at = sp.Rational(rng.randint(-4000, 2000), 1024)
        lo, hi, level = kernel.decorated([[float(at)]], [[float(at)]])
        if at <= 0 and at.q == 1:
            assert level[0, 0] == 0
            continue
        with mpmath.workdps(60):
            true = mpmath.polygamma(order, mpmath.mpf(at.p) / at.q)
            assert lo[0, 0] <= true <= hi[0, 0] and level[0, 0] == 3
    lo, hi, level = kernel.decorated([[-0.7]], [[0.3]])
    assert lo[0, 0] <= mpmath.polygamma(order, -0.5) <= hi[0, 0] and level[0, 0] == 0


@pytest.mark.parametrize("assumed", [{"imaginary": True}, {"commutative": False}, {"infinite": True}])
def test_symbols_that_are_no_real_numbers_are_refused(assumed: dict[str, bool]) -> None:
    s = sp.Symbol("s", **assumed)
    with pytest.raises(ValueError, match="the symbol s is assumed not to"):
        codegen.compile([s**2], [s])
