"""Compiled Chebyshev series: containment against exact polynomials, tightness against the reference, Appendix B's misprint."""

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx

import codegen
from codegen.functions import Chebyshev
from codegen.reference.interpreter import interpret
from tests.codegen.arb_arithmetic import exact

x = sp.Symbol("x", real=True)
INF = np.inf
ORDERS = [1, 2, 3, 4, 5, 8, 13]


@pytest.fixture(autouse=True)
def precision() -> Any:
    old, ctx.prec = ctx.prec, 300
    yield
    ctx.prec = old


def series(order: int, *coefficients: Any) -> Any:
    return Chebyshev(x, *(coefficients or [0] * order + [1]))


def value(at: Fraction | float, c: Sequence[Any]) -> Fraction:
    """sum c_k T_k(at), exact, by the three-term recurrence."""
    at = Fraction(at)
    total, before, now = Fraction(0), at, Fraction(1)
    for ck in c:
        total, before, now = total + Fraction(ck) * now, now, 2 * at * now - before
    return total


def boxes(seed: int, count: int, reach: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    centre = np.cos(rng.uniform(0, np.pi, (count, 1))) * reach
    radius = np.exp(rng.uniform(-30, 0, (count, 1)))
    radius[::10] = 0
    return np.clip(centre - radius, -reach, reach), np.clip(centre + radius, -reach, reach)


@pytest.fixture(scope="module")
def basis() -> codegen.Kernel:
    return codegen.compile([series(k) for k in ORDERS], [x])


@pytest.fixture(scope="module")
def coefficients() -> list[list[float]]:
    rng = random.Random(4)
    return [[rng.uniform(-1, 1) * 0.7**k for k in range(order + 1)] for order in ORDERS]


@pytest.fixture(scope="module")
def mixed(coefficients: list[list[float]]) -> codegen.Kernel:
    return codegen.compile([series(0, *c) for c in coefficients], [x])


@pytest.mark.parametrize("reach", [1.0, 1.0 + 2**-50, 2.0, 1e10])
def test_bounds_hold_exact_values(mixed: codegen.Kernel, basis: codegen.Kernel, coefficients: list[list[float]], reach: float) -> None:
    lo, hi = boxes(1, 60, reach)
    bounds = [(*kernel.interval(lo, hi), c) for kernel, c in ((mixed, coefficients), (basis, [[0] * k + [1] for k in ORDERS]))]
    for row in range(len(lo)):
        inside = [lo[row, 0], hi[row, 0], *np.linspace(lo[row, 0], hi[row, 0], 5)[1:-1]]
        for out_lo, out_hi, c in bounds:
            for k, ck in enumerate(c):
                for at in inside:
                    v = value(float(at), ck)
                    assert Fraction(out_lo[row, k]) <= v <= Fraction(out_hi[row, k]), (ck, lo[row], hi[row], at)


def test_the_range_of_a_basis_polynomial_is_tight(basis: codegen.Kernel) -> None:
    """Ends and extrema: within k^2 ulp of the exact range."""
    for reach in (1.0, 1.5):
        lo, hi = boxes(2, 400, reach)
        out_lo, out_hi = basis.interval(lo, hi)
        ref_lo, ref_hi, _ = interpret(basis.outputs, lo[:60], hi[:60])
        slack = np.array([4 * k * k for k in ORDERS]) * 2.0**-52 * np.maximum(1, np.abs(ref_hi) + np.abs(ref_lo))
        assert (out_lo[:60] >= ref_lo - slack).all() and (out_hi[:60] <= ref_hi + slack).all()
        assert reach > 1 or ((out_lo >= -1).all() and (out_hi <= 1).all())


def test_series_are_as_tight_as_the_reference(mixed: codegen.Kernel) -> None:
    lo, hi = boxes(3, 80)
    out_lo, out_hi, level = mixed.decorated(lo, hi)
    ref_lo, ref_hi, ref_level = interpret(mixed.outputs, lo, hi)
    assert (out_lo <= ref_lo).all() and (out_hi >= ref_hi).all() and (level == ref_level).all() and (level == 3).all()
    assert (ref_lo - out_lo < 1e-13).all() and (out_hi - ref_hi < 1e-13).all()


@pytest.mark.parametrize("order", [2, 3, 4, 5, 7])
def test_the_extremum_at_cos_pi_i_over_n_has_the_sign_of_i(order: int) -> None:
    """Appendix B prints another parity for odd n."""
    kernel = codegen.compile(series(order), [x])
    for i in range(1, order):
        at = float(np.cos(np.pi * i / order))
        ((lo,),), ((hi,),) = kernel.interval([[at - 1e-3]], [[at + 1e-3]])
        assert (lo == -1 and -1 < hi < -0.9) if i % 2 else (hi == 1 and 0.9 < lo < 1)
        ((lo,),), ((hi,),) = kernel.interval([[at - 2e-16]], [[at + 2e-16]])
        assert (lo == -1) if i % 2 else (hi == 1)


def test_the_first_term_is_the_whole_c0() -> None:
    kernel = codegen.compile([series(0, 3, 1), series(0, 3, 0, 0)], [x])
    lo, hi = kernel.interval([[0.0]], [[0.0]])
    assert lo.tolist() == hi.tolist() == [[3, 3]]


def test_outside_the_unit_interval_the_polynomials_go_on(basis: codegen.Kernel) -> None:
    above = np.nextafter(1.0, 2)
    lo, hi = basis.interval([[1.0], [-above], [3.0]], [[above], [-1.0], [3.0]])
    for k, order in enumerate(ORDERS):
        one = [0] * order + [1]
        assert hi[0, k] >= value(above, one) > 1 and lo[0, k] <= 1 and hi[0, k] < 1 + 1e-12
        (end,) = [value(-above, one)]
        assert Fraction(lo[1, k]) <= end <= Fraction(hi[1, k])
        assert hi[2, k] == pytest.approx(float(value(3, one))) and lo[2, k] == pytest.approx(float(value(3, one)))


def test_infinite_ends(basis: codegen.Kernel) -> None:
    lo, hi, level = basis.decorated([[-INF], [-INF], [2.0], [0.0]], [[INF], [-2.0], [INF], [INF]])
    assert not np.isnan(lo).any() and not np.isnan(hi).any() and (level == 3).all()
    for k, order in enumerate(ORDERS):
        odd = order % 2 == 1
        assert (lo[0, k], hi[0, k]) == (-INF if odd else -1, INF)
        assert lo[2, k] == pytest.approx(float(value(2, [0] * order + [1]))) and hi[2, k] == INF
        assert (lo[1, k] == -INF) if odd else (hi[1, k] == INF)
        assert hi[3, k] == INF and lo[3, k] <= (0 if order == 1 else -1 if order > 2 else value(0, [0, 0, 1]))
    lo, hi = codegen.compile(series(0, 1, -1, 2, -3), [x]).interval([[-INF]], [[INF]])
    assert (lo[0, 0], hi[0, 0]) == (-INF, INF)


def test_a_monotone_series_is_spanned_by_its_ends() -> None:
    """exp by its Chebyshev series: the sum of the ranges would be far wider."""
    c = np.polynomial.chebyshev.chebinterpolate(np.exp, 12).tolist()
    lo, hi = boxes(5, 100)
    for sign in (1, -1):
        out_lo, out_hi = codegen.compile(series(0, *(sign * v for v in c)), [x]).interval(lo, hi)
        ends = np.sort(np.concatenate([sign * np.exp(lo), sign * np.exp(hi)], axis=1), axis=1)
        narrow = ((hi - lo) < 0.5)[:, 0]
        assert (np.abs(out_lo[:, 0] - ends[:, 0]) < 1e-10)[narrow].all()
        assert (np.abs(out_hi[:, 0] - ends[:, 1]) < 1e-10)[narrow].all()


def test_derivatives_are_the_series_of_the_derivative(mixed: codegen.Kernel, coefficients: list[list[float]]) -> None:
    first = mixed.jacobian()
    second = first.jacobian()
    lo, hi = boxes(6, 25, 1.25)
    for order, kernel in ((1, first), (2, second)):
        out_lo, out_hi, level = kernel.decorated(lo, hi)
        assert (level == 3).all()
        at = 0.5 * (lo + hi)[:, 0]
        for k, c in enumerate(coefficients):
            wanted = np.polynomial.chebyshev.chebval(at, np.polynomial.chebyshev.chebder(c, order))
            size = 1e-12 * (1 + np.abs(wanted))
            assert (out_lo[:, k] <= wanted + size).all() and (wanted <= out_hi[:, k] + size).all()
            assert np.allclose(kernel.points(at[:, None])[:, k], wanted, rtol=1e-11, atol=1e-12)


def test_difference_quotients_lie_in_the_derivative(mixed: codegen.Kernel, coefficients: list[list[float]]) -> None:
    lo, hi = boxes(7, 50)
    out_lo, out_hi = mixed.jacobian().interval(lo, hi)
    for row in np.flatnonzero(hi[:, 0] > lo[:, 0]):
        a, b = Fraction(lo[row, 0]), Fraction(hi[row, 0])
        for k, c in enumerate(coefficients):
            slope = (value(b, c) - value(a, c)) / (b - a)
            assert Fraction(out_lo[row, k]) <= slope <= Fraction(out_hi[row, k])


def test_coefficients_as_parameters(coefficients: list[list[float]]) -> None:
    c = coefficients[4]
    symbols = sp.symbols(f"c:{len(c)}", real=True)
    kernel = codegen.compile(series(0, *symbols), [x], symbols)
    lo, hi = boxes(8, 40, 1.5)
    fixed = codegen.compile(series(0, *c), [x])
    wide_lo, wide_hi = kernel.interval(lo, hi, parameters=(c, c))
    fixed_lo, fixed_hi = fixed.interval(lo, hi)
    assert np.allclose(wide_lo, fixed_lo, rtol=1e-12, atol=1e-12) and np.allclose(wide_hi, fixed_hi, rtol=1e-12, atol=1e-12)
    assert np.allclose(kernel.points(lo, parameters=c), fixed.points(lo), rtol=1e-13, atol=1e-13)
    rng = np.random.default_rng(9)
    clo = np.array(c) - rng.uniform(0, 0.1, (40, len(c)))
    chi = np.array(c) + rng.uniform(0, 0.1, (40, len(c)))
    out_lo, out_hi = kernel.interval(lo, hi, parameters=(clo, chi))
    for row in range(40):
        for _ in range(6):
            ck = [rng.choice([p, q, 0.5 * (p + q)]) for p, q in zip(clo[row], chi[row], strict=True)]
            at = rng.choice([lo[row, 0], hi[row, 0], 0.5 * (lo[row, 0] + hi[row, 0])])
            assert Fraction(out_lo[row, 0]) <= value(float(at), ck) <= Fraction(out_hi[row, 0])
    # d/dc_k of the series is T_k.
    by_coefficient = codegen.compile(series(0, *symbols), symbols, [x]).jacobian().points([c], parameters=[0.3])[0]
    assert np.allclose(by_coefficient, [np.cos(k * np.arccos(0.3)) for k in range(len(c))])


def test_points_approximate(mixed: codegen.Kernel, coefficients: list[list[float]]) -> None:
    at = np.random.default_rng(10).uniform(-1.2, 1.2, (50, 1))
    wanted = np.stack([np.polynomial.chebyshev.chebval(at[:, 0], c) for c in coefficients], axis=1)
    assert np.allclose(mixed.points(at), wanted, rtol=1e-11, atol=1e-14)
    assert np.isnan(mixed.points([[np.nan]])).all()


def test_the_argument_may_be_a_formula() -> None:
    y = sp.Symbol("y", real=True)
    kernel = codegen.compile(Chebyshev(sp.sin(x) * y, 1, sp.Rational(1, 3), -1, sp.sqrt(2)), [x, y])
    lo, hi = kernel.interval([[0.3, 0.5]], [[0.3, 0.5]])
    argument = exact(0.3).sin() / 2
    total = 1 + argument / 3 - (2 * argument**2 - 1) + arb(2).sqrt() * (4 * argument**3 - 3 * argument)
    assert exact(lo[0, 0]) <= total <= exact(hi[0, 0]) and hi[0, 0] - lo[0, 0] < 1e-14
