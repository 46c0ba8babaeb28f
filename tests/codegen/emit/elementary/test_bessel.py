"""The quotients g_k of spherical Bessel functions against Arb: values and ranges."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from codegen.emit.elementary import bessel
from codegen.machine.native import machine
from tests.lanes import VectorFunction

from .referee import ball, excess, same_bits

ORDERS = [0, 1, 2, 5, 8]
BITS = 1200


def value(k: int, x: float) -> arb:
    """g_k(x) by the recurrence from cos x and sin(x)/x, in enough bits for |x| > 2^-30; g_k(0) exactly."""
    if x == 0:
        return 1 / arb(math.prod(range(1, 2 * k + 2, 2)))
    t = ball(x)
    before, here = t.cos(), t.sin() / t
    for j in range(k):
        before, here = here, ((2 * j + 1) * here - before) / t**2
    return here


def interval(k: int) -> VectorFunction:
    return VectorFunction(lambda L, n, h: bessel.sinc(L, n, h, k), 2, 2)


def points(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    special = [0.0, -0.0, 2.0**20, 0.5, -8.5]
    return np.concatenate([rng.uniform(-20, 20, 500), np.exp2(rng.uniform(-25, 20, 500)), special])


def test_sinc_is_enclosed_within_four_ulp() -> None:
    x = points(1)
    n, h = interval(0)(-x, x)
    with ctx.workprec(BITS):
        assert max(max(excess(a, -value(0, t)), excess(b, value(0, t))) for a, b, t in zip(n, h, x, strict=True)) <= 4.0


@pytest.mark.parametrize("k", ORDERS)
def test_points_are_enclosed(k: int) -> None:
    """To 2^-40 of the amplitude, the root of y^2 + y'^2."""
    x = points(2)
    n, h = interval(k)(-x, x)
    with ctx.workprec(BITS):
        for a, b, t in zip(n, h, x, strict=True):
            y, slope = value(k, t), ball(t) * value(k + 1, t)
            room = (y**2 + slope**2).sqrt() * arb(2) ** -40
            assert not ball(a) < -y and not ball(b) < y
            assert ball(a) + y < room and ball(b) - y < room


@pytest.mark.parametrize("k", ORDERS)
def test_boxes_are_enclosed(k: int) -> None:
    """Every sample is enclosed; boxes left of the first extremum are as tight as their ends."""
    rng = np.random.default_rng(3)
    lo = rng.uniform(-20, 20, 300)
    hi = lo + 10.0 ** rng.uniform(-6, 1.5, 300)
    n, h = interval(k)(-lo, hi)
    first = bessel._first_extremum(k)
    with ctx.workprec(BITS):
        for a, b, s, t in zip(n, h, lo, hi, strict=True):
            samples = [value(k, u) for u in np.linspace(s, t, 9)] + ([value(k, 0.0)] if s <= 0 <= t else [])
            assert all(not ball(a) < -y and not ball(b) < y for y in samples)
            if s >= 0 and t <= first:
                assert ball(a) + samples[-1] < abs(value(k, 0.0)) * arb(2) ** -40


def test_extrema_within_a_box() -> None:
    """The least value of sinc, at 4.4934094579, is enclosed by boxes around it, and to the square of their width."""
    extremum = 4.493409457909064
    width = 10.0 ** -np.arange(1.0, 9.0)
    n, _ = interval(0)(-(extremum - width), extremum + width / 2)
    least = math.sin(extremum) / extremum
    assert (n >= -least * (1 - 2.0**-52)).all() and (n <= -least + width**2 / 2 + 2.0**-50).all()


@pytest.mark.parametrize("k", ORDERS)
def test_beyond_the_reduction(k: int) -> None:
    lo = np.array([-math.inf, 3e6, -1e300, 1.0, 0.0, -2e6])
    hi = np.array([math.inf, math.inf, 1e308, math.inf, 1e9, -1.5e6])
    n, h = interval(k)(-lo, hi)
    assert not np.isnan(n + h).any()
    peak = float(bessel._coefficient(k, 0)) * (1 + 2.0**-50)
    assert (h <= peak).all() and (h[[0, 2, 4]] >= float(bessel._coefficient(k, 0))).all()
    assert (h[[1, 5]] <= 2.0 ** (-20 * (k + 1)) * 1.01).all() and (n[[1, 5]] == h[[1, 5]]).all()


@pytest.mark.parametrize("k", [*ORDERS, 12])
def test_first_extremum_is_before_the_zero(k: int) -> None:
    """g_k falls up to there: g_(k+1) is positive, by a walk in steps that the bound |g'| <= x g_(k+2)(0) allows."""
    end = bessel._first_extremum(k)
    with ctx.workprec(BITS):
        x = 0.125
        steepest = end * value(k + 2, 0.0)
        while x < end:
            here = value(k + 1, x)
            assert here > 0
            x += max(float((here / steepest).lower()), 1e-3) * 0.999


def perturbed(k: int, m: int) -> Fraction:
    exact = Fraction((-1) ** m, 2**m * math.factorial(m) * math.prod(range(1, 2 * m + 2 * k + 2, 2)))
    return exact * (1 + Fraction(m == 2, 2**30))


def test_series_error_notices_a_wrong_coefficient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bessel, "_coefficient", perturbed)
    with pytest.raises(AssertionError):
        test_points_are_enclosed(5)


@pytest.mark.parametrize("k", ORDERS)
def test_point_operation(k: int) -> None:
    """To 2^-40 of the amplitude; NaN beyond the reduction."""
    x = points(4)
    emit: Callable[..., tuple[str]] = lambda L, t: bessel.sinc_point(L, t, k)  # noqa: E731
    point = VectorFunction(emit, 1, 1, rounding="nearest")
    with ctx.workprec(BITS):
        for v, t in zip(point(x)[0], x, strict=True):
            amplitude = (value(k, t) ** 2 + (ball(t) * value(k + 1, t)) ** 2).sqrt()
            assert abs(ball(v) - value(k, t)) < amplitude * arb(2) ** -40
    assert np.isnan(point(np.array([math.inf, math.nan, 2.0**51]))[0]).all()


@pytest.mark.skipif(machine() != "x86_64", reason="compares two x86-64 targets")
def test_the_same_bits_in_narrow_registers() -> None:
    lo = np.random.default_rng(5).uniform(-20, 20, 300)
    assert same_bits(lambda L, n, h: bessel.sinc(L, n, h, 3), 2, 2, (-lo, lo + 0.5))
