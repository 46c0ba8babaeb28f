"""Integrals and inverse functions as operations: bounds hold Arb's values, levels are true, points are close, SymPy agrees."""

import pickle
import random
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import acb, arb, ctx

import codegen
from codegen.from_sympy import from_sympy
from codegen.graph.expr import ExprPool, reachable, substitute
from codegen.graph.taylor import taylor
from codegen.kernel import Kernel
from codegen.operators import DefiniteIntegral, Inverse, mpmath_function
from codegen.reference.interpreter import interpret
from codegen.sympy_rules import UnsupportedExpression

s, w, x, b = sp.symbols("s w x b", real=True)
Formula = Callable[[Any, Any], Any]


def root(z: Any) -> Any:
    """The square root; not finite where a complex ball meets its cut, as Arb's quadrature wants to be told."""
    return z.sqrt(analytic=True) if isinstance(z, acb) else z.sqrt()


# The integrand in s and x, the same for Arb's complex balls, and its derivative by x.
INTEGRANDS: dict[str, tuple[Any, Formula, Formula]] = {
    "ellipse": (sp.sqrt(x**2 * sp.sin(s) ** 2 + 1), lambda z, p: root(p**2 * z.sin() ** 2 + 1),
                lambda z, p: p * z.sin() ** 2 / root(p**2 * z.sin() ** 2 + 1)),
    "bell": (sp.exp(-x * s**2), lambda z, p: (-p * z**2).exp(), lambda z, p: -(z**2) * (-p * z**2).exp()),
    "rational": (1 / (1 + x**2 * s**2), lambda z, p: 1 / (1 + p**2 * z**2), lambda z, p: -2 * p * z**2 / (1 + p**2 * z**2) ** 2),
    "wave": (s * sp.cos(s * x), lambda z, p: z * (z * p).cos(), lambda z, p: -(z**2) * (z * p).sin()),
}  # fmt: skip


def arb_integral(f: Formula, p: float, lo: float, hi: float) -> arb:
    """Arb's enclosure of the integral of f(s, p) from lo to hi: quadrature over the complex plane (Johansson 2018)."""
    old, ctx.prec = ctx.prec, 120
    try:
        value = acb.integral(lambda z, _: f(z, acb(p)), acb(lo), acb(hi)).real
        assert value.rad() < 1e-13
        return value
    finally:
        ctx.prec = old


def outside(value: arb, lo: float, hi: float) -> bool:
    return bool(value < arb(lo)) or bool(value > arb(hi))


def boxes(seed: int, rows: int, *ranges: tuple[float, float]) -> tuple[np.ndarray, np.ndarray]:
    rng = random.Random(seed)
    centre = np.array([[rng.uniform(*r) for r in ranges] for _ in range(rows)])
    radius = np.array([[10 ** rng.uniform(-9, -0.2) * rng.choice([0, 1]) for _ in ranges] for _ in range(rows)])
    return centre - radius, centre + radius


@pytest.mark.parametrize("name", INTEGRANDS)
@pytest.mark.parametrize("panels", [1, 5])
def test_bounds_of_integrals_and_their_derivatives_hold_arbs_values(name: str, panels: int) -> None:
    """Few panels, so that the remainder matters; both limits vary, in either order."""
    formula, f, f_x = INTEGRANDS[name]
    kernel = codegen.compile([DefiniteIntegral(formula, s, w, b, panels)], [x, w, b])
    lo, hi = boxes(1, 40, (0.2, 2.5), (-2, 2), (-2, 2))
    bounds, slopes = kernel.decorated(lo, hi), kernel.jacobian().decorated(lo, hi)
    rng = random.Random(2)
    for row in range(len(lo)):
        assert bounds[2][row, 0] == 3
        p, start, end = (float(np.clip(rng.uniform(c, d), c, d)) for c, d in zip(lo[row], hi[row], strict=True))
        assert not outside(arb_integral(f, p, start, end), bounds[0][row, 0], bounds[1][row, 0])
        true = [arb_integral(f_x, p, start, end), -f(arb(start), arb(p)), f(arb(end), arb(p))]
        for k in range(3):
            assert not outside(true[k], slopes[0][row, k], slopes[1][row, k])


def test_bounds_are_tight_at_points_and_to_first_order_in_the_limits() -> None:
    formula = INTEGRANDS["ellipse"][0]
    kernel = codegen.compile([DefiniteIntegral(formula.subs(x, 1), s, 0, b)], [b])
    ends = np.array([[0.1], [1.0], [3.0], [6.0]])
    lo, hi = kernel.interval(ends, ends)
    assert (hi - lo < 1e-11).all()
    for radius in (1e-2, 1e-4):
        lo, hi = kernel.interval(ends - radius, ends + radius)
        speed = np.sqrt(1 + np.sin(ends) ** 2)
        assert (hi - lo >= 2 * radius * (speed - 2 * radius)).all() and (hi - lo <= 2 * radius * (speed + 2 * radius)).all()


def test_points_are_close() -> None:
    for formula, f, _ in INTEGRANDS.values():
        kernel = codegen.compile([DefiniteIntegral(formula, s, w, b)], [x, w, b])
        for p, start, end in ((0.5, -1.0, 2.0), (1.5, 2.0, -1.5)):
            assert abs(kernel.points([[p, start, end]])[0, 0] - float(arb_integral(f, p, start, end))) < 1e-12


def test_twice_the_panels_shrink_the_bounds_a_thousandfold() -> None:
    widths = []
    for panels in (4, 8):
        lo, hi = codegen.compile([DefiniteIntegral(sp.exp(sp.sin(s)), s, 0, b, panels)], [b]).interval([[3.0]], [[3.0]])
        widths.append(float(hi[0, 0] - lo[0, 0]))
    assert widths[1] * 1000 < widths[0]


def test_kinks_and_jumps_of_the_integrand_keep_the_bounds_and_lower_the_level() -> None:
    """The high order is not used on a panel with a kink: Gauss's rule misses the integral of |s - 1/3| there."""
    third = sp.Rational(1, 3)
    cases = [(sp.Abs(s - x), lambda p: p**2 / 2 + (1 - p) ** 2 / 2, 2), (sp.sign(s - x), lambda p: 1 - 2 * p, 1),
             (sp.Max(s, x) ** 2, lambda p: p**3 + (1 - p**3) / 3, 2), (sp.Abs(s - 2 * x), lambda p: 2 * p - 0.5, 3)]
    for formula, value, level in cases:
        kernel = codegen.compile([DefiniteIntegral(formula, s, 0, 1, 3)], [x])
        for at in (float(third), 0.6, 0.95) if level < 3 else (0.6, 0.9):
            lo, hi, found = kernel.decorated([[at]], [[at]])
            assert lo[0, 0] <= value(at) + 1e-15 and value(at) - 1e-15 <= hi[0, 0]
            assert found[0, 0] == level


def test_an_integrand_that_is_not_defined_everywhere_gives_the_whole_line() -> None:
    for formula, start, end in ((1 / s, -1, x), (sp.log(s), 0, x), (sp.sqrt(s - x / 2), 0, 1), (sp.tan(s), 0, 2 * x)):
        kernel = codegen.compile([DefiniteIntegral(formula, s, start, end)], [x])
        lo, hi, level = kernel.decorated([[0.5], [0.9]], [[1.0], [0.9]])
        assert (lo == -np.inf).all() and (hi == np.inf).all() and (level == 0).all()


def test_unbounded_limits_stay_sound() -> None:
    lo, hi = codegen.compile([DefiniteIntegral(sp.exp(-(s**2)), s, 0, x)], [x]).interval([[-np.inf], [0.0]], [[np.inf], [np.inf]])
    assert (lo[:, 0] <= [-0.8862269, 0.0]).all() and (hi[:, 0] >= 0.8862269).all() and not np.isnan([lo, hi]).any()


def test_nested_integrals_sympys_integral_and_parameters() -> None:
    disk = DefiniteIntegral(DefiniteIntegral(s * w * b, w, 0, s), s, 0, x)
    assert disk.variable.dummy_index == 1
    sympys = sp.Integral(s * w * b, (w, 0, s), (s, 0, x))
    kernel = codegen.compile([disk, sympys], [x], parameters=[b])
    lo, hi = kernel.interval([[1.5]], [[1.5]], parameters=([2.0], [2.0]))
    exact = 2 * 1.5**4 / 8
    assert (lo <= exact).all() and (exact <= hi).all() and (hi - lo < 1e-14).all()
    assert np.allclose(kernel.points([[1.5]], parameters=[2.0]), exact, rtol=1e-14)
    assert len({id(e) for e in kernel.outputs}) == 1
    lo, hi = kernel.jacobian().interval([[1.5]], [[1.5]], parameters=([2.0], [2.0]))
    assert (lo <= 1.5**3).all() and (hi >= 1.5**3).all() and (hi - lo < 1e-12).all()


def test_the_variable_is_bound() -> None:
    area = DefiniteIntegral(x * sp.sin(s), s, 0, s)
    assert area.free_symbols == {x, s} and area == DefiniteIntegral(x * sp.sin(s), s, 0, s)
    assert area.xreplace({s: sp.pi}) == DefiniteIntegral(x * sp.sin(s), s, 0, sp.pi) == area.subs(s, sp.pi)
    inner = DefiniteIntegral(s * w, w, 0, b)
    nested = DefiniteIntegral(b * s, s, 0, 1).xreplace({b: inner})
    assert nested.has(inner) and nested.doit() is not None and nested.free_symbols == {s, b}
    assert from_sympy([DefiniteIntegral(sp.cos(s), s, 0, x)], [x])[0].op == "integral"
    both = DefiniteIntegral(sp.cos(s), s, 0, x) - DefiniteIntegral(sp.cos(w), w, 0, x)
    assert (codegen.compile([both], [x]).points([[1.0]]) == 0).all()


def test_symbolic_derivatives_are_those_of_closed_forms() -> None:
    for integrand, start, end in ((sp.sin(s * x), x, x**2), (s**2 * x + sp.exp(s), -x, 2 * x), (x / (1 + s**2), 0, x)):
        ours, closed = DefiniteIntegral(integrand, s, start, end), sp.integrate(integrand, (s, start, end))
        for order in (1, 2):
            assert abs((ours.diff(x, order) - closed.diff(x, order)).subs(x, sp.Rational(7, 5)).evalf(30)) < 1e-25


def test_printing_and_values() -> None:
    integral, inverse = DefiniteIntegral(sp.sin(s) / (2 + s), s, 0, x), Inverse(s**3 + s, s, x, -2, 2)
    assert str(integral) == "DefiniteIntegral(sin(s)/(s + 2), s, 0, x)" and r"\int\limits_{0}^{x}" in sp.latex(integral)
    assert str(inverse) == "Inverse(s**3 + s, s, x, -2, 2)" and r"\mapsto" in sp.latex(inverse) and r"^{2}" in sp.latex(inverse**2)
    assert abs(integral.subs(x, 2).evalf(30) - sp.Integral(sp.sin(s) / (2 + s), (s, 0, 2)).evalf(30)) < 1e-29
    assert abs(inverse.subs(x, 2).evalf(30) - 1) < 1e-29
    assert DefiniteIntegral(x, s, 0, 2) == 2 * x and DefiniteIntegral(sp.sin(s), s, x, x) == 0


def test_bad_input_is_refused() -> None:
    for make, message in ((lambda: DefiniteIntegral(s, s, 0, 1, 0), "panels must be an integer from 1"),
                          (lambda: DefiniteIntegral(s, 2 * s, 0, 1), "needs a symbol as its variable"),
                          (lambda: Inverse(x, s, b, 0, 1), "does not depend on it")):  # fmt: skip
        with pytest.raises((ValueError, TypeError), match=message):
            make()
    with pytest.raises(UnsupportedExpression, match="needs two finite limits"):
        codegen.compile([sp.Integral(sp.exp(-(s**2)), (s, 0, sp.oo)) * x], [x])


# -- Taylor coefficients ----------------------------------------------------------------------------------------------

SMOOTH = [sp.sin(s) * sp.exp(s), sp.cos(s) / (2 + s**3), sp.sqrt(1 + s + s**2), (1 + s) ** sp.Rational(5, 3), sp.tan(s) ** 2,
          sp.atan(2 * s), sp.log(3 + s) ** 3, sp.sinc(s + 1), sp.asinh(s) - sp.tanh(s), sp.atan2(s + 2, 1 + s**2),
          sp.Abs(s - 3) * sp.Max(s, -5),
          sp.asin(s / 2) + sp.acosh(s + 3), sp.cosh(s) ** sp.cos(s), DefiniteIntegral(sp.sin(w * s), w, s, 2),
          Inverse(w**3 + w * (2 + s), w, s, -3, 3)]  # fmt: skip


@pytest.mark.parametrize("formula", SMOOTH, ids=str)
def test_taylor_coefficients_are_mpmaths(formula: Any) -> None:
    pool = ExprPool()
    (root,) = from_sympy([formula], [s], pool=pool)
    leaf = pool.variable(0)
    bound = pool.node("bound", value=7)
    coefficients = taylor(substitute([root], {leaf.index: bound})[0], bound, pool.variable(1), 6)
    kernel = Kernel([pool.constant(0) if c is None else c for c in coefficients], ["unused", "s"])
    with mpmath.workdps(40):
        f = mpmath_function(formula, [s])
        true = mpmath.taylor(f, mpmath.mpf(0.375), 6)
    assert np.allclose(kernel.points([[0.0, 0.375]])[0], [float(c) for c in true], rtol=1e-9, atol=1e-11)
    lo, hi = kernel.interval([[0.0, 0.375]], [[0.0, 0.375]])
    assert all(lo[0, k] - 1e-14 <= c <= hi[0, k] + 1e-14 for k, c in enumerate(map(float, true)))


# -- inverse functions ------------------------------------------------------------------------------------------------

INVERSES: dict[str, tuple[Any, Callable[[Any, Any], Any], float, float]] = {
    "cubic": (s**3 + x * s, lambda a, p: a**3 + p * a, -2, 2), "falling": (-sp.sinh(s) - x, lambda a, p: -mpmath.sinh(a) - p, -2, 2),
    "wide": (s**3 + s + x, lambda a, p: a**3 + a + p, -10, 10), "log": (x * sp.log(s), lambda a, p: p * mpmath.log(a), 0.05, 8),
    "length": (DefiniteIntegral(sp.sqrt(1 + x * sp.cos(w) ** 2), w, 0, s, 8),
               lambda a, p: mpmath.quad(lambda q: mpmath.sqrt(1 + p * mpmath.cos(q) ** 2), [0, a]), -1, 4),
}  # fmt: skip


@pytest.mark.parametrize("name", INVERSES)
def test_bounds_of_inverses_and_their_derivatives_hold_true_values(name: str) -> None:
    """True values are made forwards: s first, then y = f(s), outward in the box of y."""
    formula, f, first, last = INVERSES[name]
    kernel = codegen.compile([Inverse(formula, s, b, sp.Rational(first), sp.Rational(last))], [x, b])
    rng = random.Random(5)
    rows = [(rng.uniform(0.5, 2), rng.uniform(0.9 * first + 0.1 * last, 0.1 * first + 0.9 * last)) for _ in range(16)]
    with mpmath.workdps(30):
        image = [f(mpmath.mpf(a), mpmath.mpf(p)) for p, a in rows]
        slope = [mpmath.diff(lambda q, p=p: f(q, mpmath.mpf(p)), mpmath.mpf(a)) for p, a in rows]
        by_x = [-mpmath.diff(lambda q, a=a: f(mpmath.mpf(a), q), mpmath.mpf(p)) / c for (p, a), c in zip(rows, slope, strict=True)]
    centre = np.array([[p, float(y)] for (p, _), y in zip(rows, image, strict=True)])
    radius = np.array([[10 ** rng.uniform(-12, -2), 10 ** rng.uniform(-12, -2)] for _ in rows])
    lo, hi, level = kernel.decorated(centre - radius, centre + radius)
    slopes = kernel.jacobian().decorated(centre - radius, centre + radius)
    assert (level == 3).all() and (slopes[2] == 3).all()
    for k, (_, a) in enumerate(rows):
        assert lo[k, 0] <= a <= hi[k, 0]
        for column, true in ((0, by_x[k]), (1, 1 / slope[k])):
            slack = 1e-12 * abs(true)  # of the numerical derivative
            assert slopes[0][k, column] <= true + slack and true - slack <= slopes[1][k, column]
        assert hi[k, 0] - lo[k, 0] < 30 * radius[k].sum() * (1 + 1 / abs(float(slope[k]))) + 1e-6
    assert np.allclose(kernel.points(centre)[:, 0], [a for _, a in rows], rtol=0, atol=1e-10)


def test_inverses_that_are_not_proved_have_level_0() -> None:
    square, cubic, jump = (Inverse(f, s, x, -1, 1) for f in (s**2, s**3, s + sp.floor(s) / 8))
    kernel = codegen.compile([square, cubic, jump], [x])
    lo, hi, level = kernel.decorated([[0.25]], [[0.25]])
    assert (level == 0).all() and (lo <= -1).all() and (hi >= 1).all()


def test_values_outside_the_range_are_undefined() -> None:
    kernel = codegen.compile([Inverse(s**3 + s, s, x, -1, 1)], [x])
    at = np.array([[-2.5], [-2.0], [1.9], [2.0], [2.1]])
    lo, hi, level = kernel.decorated(at, at)
    assert level[:, 0].tolist() == [0, 0, 3, 0, 0] and (lo[level == 0] <= -1).all() and (hi[level == 0] >= 1).all()
    assert np.isnan(kernel.points(at)[:, 0]).tolist() == [True, False, False, False, True]
    level = kernel.decorated([[1.5]], [[2.5]])[2]
    assert level[0, 0] == 0


def test_an_integral_inverted_at_the_same_integral_is_known() -> None:
    length = DefiniteIntegral(sp.sqrt(1 + s**2), s, 0, w)
    assert Inverse(length, w, 0, -1, 4) == 0 and Inverse(length, w, length.subs(w, 3), -1, 4) == 3
    assert Inverse(length, w, length.subs(w, 5), -1, 4) != 5


# -- kernels ------------------------------------------------------------------------------------------------------------


def test_bits_do_not_depend_on_the_processor() -> None:
    formula = [DefiniteIntegral(sp.sqrt(1 + x * sp.sin(s) ** 2), s, 0, b, 4), Inverse(s**3 + x * s, s, b, -2, 2)]
    here, there = (codegen.compile(formula, [x, b], cpu=cpu) for cpu in (None, "x86-64-v3"))
    lo, hi = boxes(7, 20, (0.5, 2), (-1, 1))
    for a, c in zip(here.decorated(lo, hi), there.decorated(lo, hi), strict=True):
        assert a.tobytes() == c.tobytes()


def test_kernels_agree_with_the_reference() -> None:
    """Two evaluations of one graph: each in its own rounding, so both within rounding of one another."""
    formula = [DefiniteIntegral(sp.Abs(s - x) * sp.sin(s), s, 0, b, 3), DefiniteIntegral(sp.exp(s * x), s, x, b, 2)]
    kernel = codegen.compile(formula, [x, b])
    lo, hi = boxes(9, 4, (0.5, 1), (1, 2))
    ours, reference = kernel.decorated(lo, hi), interpret(kernel.outputs, lo, hi)
    assert (ours[2] == reference[2]).all()
    assert np.allclose(ours[0], reference[0], rtol=1e-12, atol=1e-13) and np.allclose(ours[1], reference[1], rtol=1e-12, atol=1e-13)


def test_operators_work_in_other_forms_and_pickle() -> None:
    kernel = codegen.compile([DefiniteIntegral(s * x - (s * x) ** 2, s, 0, 1)], [x], form="mean-value")
    again = pickle.loads(pickle.dumps(kernel))
    natural = codegen.compile([DefiniteIntegral(s * x - (s * x) ** 2, s, 0, 1)], [x])
    lo, hi = again.interval([[1.0]], [[1.01]])
    wide = natural.interval([[1.0]], [[1.01]])
    assert wide[0][0, 0] <= lo[0, 0] <= 1 / 6 and hi[0, 0] - lo[0, 0] < 0.5 * (wide[1][0, 0] - wide[0][0, 0])
    assert any(e.op == "integral" for e in reachable(kernel.outputs))
