"""Tricubic B-splines: against exact rationals, and against the slow reference."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from scipy.interpolate import BSpline

import codegen
from codegen.functions.lattices import Coefficients, TricubicSpline
from codegen.graph import lattices
from codegen.reference.interpreter import interpret
from codegen.time_bounds.advance import with_bounds

x, y, z = sp.symbols("x y z", real=True)
TABLE = np.random.default_rng(3).normal(size=(4, 5, 6))
ORIGIN, SPACING = (0.1, -0.2, 0.3), (0.5, 0.75, 0.3)
SPLINE = TricubicSpline(x, y, z, Coefficients(TABLE, ORIGIN, SPACING))
OUTPUTS = [SPLINE, SPLINE.diff(x), SPLINE.diff(y, z), SPLINE.diff(x, 2), SPLINE.diff(z, 3), SPLINE.diff(x, 3, y, 3, z, 3)]


def boxes(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points, boxes of all sizes, boxes at knots, and such as reach far beyond the lattice."""
    rng = np.random.default_rng(4)
    lo = rng.uniform(-1.5, 4.5, (count, 3))
    hi = lo + 10.0 ** rng.uniform(-13, 1, (count, 3))
    hi[:20] = lo[:20]
    lo[20:40] = np.array(ORIGIN) + np.array(SPACING) * rng.integers(-1, 5, (20, 3))
    hi[20:40] = lo[20:40] + rng.choice([0.0, 1e-3, 0.5], (20, 3))
    lo[40], hi[40], hi[41] = -np.inf, np.inf, 1e300
    return lo, hi


def test_numbers_are_exact_and_those_of_scipy() -> None:
    knots = [o + h * np.arange(-3, n + 1) for o, h, n in zip(ORIGIN, SPACING, TABLE.shape, strict=True)]
    for point in ((0.3, 0.4, 0.7), (0.15, 0.1, 0.95), (0.5, 1.0, 0.5)):
        value = TABLE
        for axis in (2, 1, 0):
            value = BSpline(knots[axis], np.moveaxis(value, axis, 0), 3)(point[axis])
        exact = SPLINE.subs(dict(zip((x, y, z), map(sp.Rational, point), strict=True)))
        assert exact.is_Rational and abs(float(exact) - float(value)) < 1e-14
        assert abs(SPLINE.args[3].lattice.coefficients - TABLE).max() == 0 and abs(float(SPLINE.approx(*point)) - float(value)) < 1e-14
    assert abs(SPLINE.subs({x: sp.sqrt(2) / 3, y: sp.pi / 9, z: 1}).evalf(30) - SPLINE.approx(2**0.5 / 3, np.pi / 9, 1)) < 1e-14


def test_it_is_constant_far_away() -> None:
    assert SPLINE.subs({x: 10**9, y: -(10**9), z: 10**9}) == sp.Rational(float(TABLE[-1, 0, -1]))
    assert SPLINE.diff(x).subs({x: 9, y: sp.Rational(1, 3), z: 1}) == 0 and SPLINE.diff(x, 4) == 0


def test_derivatives_are_difference_quotients() -> None:
    at, step = {x: sp.Rational(1, 3), y: sp.Rational(2, 7), z: sp.Rational(5, 8)}, sp.Rational(1, 10**6)
    for f, s in ((SPLINE, x), (SPLINE.diff(y), y), (SPLINE.diff(x, z), z), (SPLINE.diff(y, 2), y)):
        later, before = (f.subs({**at, s: at[s] + e}) for e in (step, -step))
        assert abs(f.diff(s).subs(at) - (later - before) / (2 * step)) < 1e-8
    assert SPLINE.subs(x, 2 * x).diff(x) == 2 * SPLINE.diff(x).subs(x, 2 * x)


def test_kernels_enclose_exact_values_and_the_reference() -> None:
    """And so does code that is interpreted, and that of another process."""
    lo, hi = boxes(120)
    kernel, quick = (codegen.compile(OUTPUTS, [x, y, z], quick=q) for q in (False, True))
    low, high, level = kernel.decorated(lo, hi)
    for other in (quick, pickle.loads(pickle.dumps(kernel))):
        assert all((p == q).all() for p, q in zip(other.decorated(lo, hi), (low, high, level), strict=True))
    below, above, known = interpret(kernel.outputs, lo, hi)
    # Places in the lattice are rounded, so a box that ends at a knot may count as one across it.
    assert (low <= below).all() and (above <= high).all() and (level <= known).all() and (level == known).mean() > 0.9
    rng = np.random.default_rng(5)
    for a, b, p, q in zip(lo, hi, low, high, strict=True):
        for share in (rng.random(3), rng.integers(0, 2, 3)):
            point = np.clip(np.clip(a, -1e3, 1e3) * (1 - share) + np.clip(b, -1e3, 1e3) * share, a, b)
            values = [lattices.exact(e.value, tuple(map(Fraction, point))) for e in OUTPUTS]  # type: ignore[arg-type]
            assert all(Fraction(r) <= v <= Fraction(s) for r, v, s in zip(p, values, q, strict=True))


@pytest.mark.parametrize("bounds", [lattices.Bounds.ROUGH, lattices.Bounds.POINT])
def test_quick_bounds_enclose_exact_values(bounds: lattices.Bounds) -> None:
    lo, hi = boxes(120)
    kernel = codegen.compile(OUTPUTS, [x, y, z])
    low, high = codegen.Kernel(with_bounds(kernel.outputs, bounds), ["x", "y", "z"]).interval(lo, hi)
    rng = np.random.default_rng(7)
    for a, b, p, q in zip(lo, hi, low, high, strict=True):
        for share in (rng.random(3), rng.integers(0, 2, 3), np.full(3, 0.5)):
            point = np.clip(np.clip(a, -1e3, 1e3) * (1 - share) + np.clip(b, -1e3, 1e3) * share, a, b)
            for e, r, s in zip(OUTPUTS, p, q, strict=True):
                value = lattices.exact(e.value, tuple(map(Fraction, point)))  # type: ignore[arg-type]
                assert r <= value <= s
    if bounds is lattices.Bounds.POINT:
        assert (high - low)[:20, :4].max() < 1e-10 and (hi - lo).max() > 9 and np.isinf(high[:, 0]).any()
    else:
        assert np.isfinite(high).all()


def test_enclosures_are_tight_where_boxes_are_small() -> None:
    lo = np.random.default_rng(6).uniform(0, 1.5, (200, 3))
    kernel = codegen.compile(OUTPUTS[:3], [x, y, z])
    for size in (0.0, 1e-9, 1e-4):
        low, high = kernel.interval(lo, lo + size)
        assert ((high - low).max(axis=0) < 1e-11 + size * np.array([40, 120, 400])).all()
    exact = [[float(lattices.exact(e.value, tuple(map(Fraction, p)))) for e in OUTPUTS[:3]] for p in lo]  # type: ignore[arg-type]
    assert np.abs(kernel.points(lo) - exact).max() < 1e-12 and np.isnan(kernel.points([[np.nan, 0, 0]])).all()


def test_levels_know_knots() -> None:
    """Within a cell all is differentiable; across a knot second derivatives have kinks, and third ones jump."""
    level = codegen.compile([SPLINE.diff(x), SPLINE.diff(x, 2), SPLINE.diff(x, 3), SPLINE.diff(y, 3)], [x, y, z]).decorated(
        [[0.2, 0.0, 0.0], [0.5, 0.0, 0.0]], [[0.3, 0.1, 0.1], [0.7, 0.1, 0.1]])[2]
    assert level.tolist() == [[3, 3, 3, 3], [3, 2, 1, 3]]


def test_equal_lattices_are_equal() -> None:
    again = TricubicSpline(x, y, z, Coefficients(TABLE.copy(), ORIGIN, SPACING))
    assert again == SPLINE == pickle.loads(pickle.dumps(SPLINE)) != TricubicSpline(x, y, z, Coefficients(TABLE))
    assert str(SPLINE) == "TricubicSpline(x, y, z, 4*5*6 coefficients)" and "coefficients" in sp.latex(SPLINE)


@pytest.mark.parametrize("given, words", [
    ((np.zeros((3, 3)),), "have the shape"), ((np.zeros((2, 2, 2)), (0, 0)), "have the shape"),
    ((np.full((2, 2, 2), np.nan),), "at most"), ((TABLE, (0, 0, 0), (1, 0, 1)), "positive"),
    ((TABLE, (0, 0, 0), (1, 1e-99, 1)), "from 1e-60"),
])
def test_bad_coefficients(given: tuple[object, ...], words: str) -> None:
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=words):
        Coefficients(*given)
    with pytest.raises(ValueError, match="three arguments"):
        TricubicSpline(x, y, z, x)
