"""exp and log: proved error bounds, enclosures against Arb, ends of the range, decorations and point functions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from codegen.emit.elementary import exponential
from codegen.emit.elementary.exponential import EXP_LARGEST, LARGEST, LN2_HIGH, LN2_LOW
from tests.lanes import VectorFunction

from .quotient_analysis import octaves, split, used
from .tightness import excess_increasing, point_error, sizes


@pytest.mark.parametrize("sign", [1, -1])
def test_exp_error_is_proved(sign: int) -> None:
    """The reduction neglects at most 2^-85 (next test) and |low| is below 2^-33."""
    def core(L, x):  # type: ignore[no-untyped-def]
        r, low = split(L, x if sign > 0 else L.neg(x), 2.0 ** -33)
        return exponential.exp_core(L, r, low)

    ratio = used(core, lambda x: (sign * x).exp(), octaves(2.0 ** -60, 0.3467, 16, 18), inherited=2.0 ** -85)
    assert 0.25 < ratio <= 1.0


def test_reduction_by_ln2() -> None:
    """k LN2_HIGH is exact; k LN2_LOW rounded up, times e^r, is off by less than 2^-85; r + low is 0 for x = 0 alone."""
    with ctx.workprec(256):
        assert abs(arb.const_log2() - arb(LN2_HIGH) - arb(LN2_LOW)) < arb(2) ** -102
    for k in range(1, 1078):
        assert Fraction(k * LN2_HIGH) == k * Fraction(LN2_HIGH)
        product = k * Fraction(LN2_LOW)
        low = k * LN2_LOW if Fraction(k * LN2_LOW) >= product else math.nextafter(k * LN2_LOW, 1.0)
        assert low < 2.0 ** -33
        assert (Fraction(low) - product + Fraction(k, 2 ** 102)) * Fraction(3, 2) < Fraction(1, 2 ** 85)
        assert (Fraction(low) * 2 ** 54).denominator > 1      # so it is not -r, a multiple of 2^-54


@pytest.mark.parametrize("k", [0, 1, -1, -2, 1024])
@pytest.mark.parametrize("sign", [1, -1])
def test_log_error_is_proved(k: int, sign: int) -> None:
    """For larger k the terms of f and f^2 stay and the high part grows, so the ratio falls; f is 0 or at least 2^-53."""
    def core(L, x):  # type: ignore[no-untyped-def]
        return exponential.log_core(L, L.const(float(k)), x if sign > 0 else L.neg(x))

    top = math.sqrt(2) - 1 + 1e-9 if sign > 0 else 1 - math.sqrt(0.5) + 1e-9
    ratio = used(core, lambda x: (1 + sign * x).log() + k * arb.const_log2(), octaves(2.0 ** -53, top))
    assert ratio <= 1.0
    if (k, sign) == (0, 1):
        assert ratio > 0.25


def test_exp_is_close() -> None:
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.uniform(-746, EXP_LARGEST, 1500), rng.uniform(-1, 1, 1000), sizes(rng, 500, -1070, -1),
                        rng.uniform(-746, -707, 500), np.arange(-1074, 1024) * math.log(2)])
    assert excess_increasing(exponential.exp, lambda v: v.exp(), x) <= 2


def test_exp_at_the_ends() -> None:
    beyond = math.nextafter(EXP_LARGEST, math.inf)
    assert beyond > 1024 * Fraction(math.log(2))
    cases = [(-math.inf, -math.inf), (-math.inf, -1e300), (0.0, 0.0), (-0.0, beyond), (beyond, math.inf), (1e300, 1e305)]
    want = [(0.0, 5e-324), (0.0, 5e-324), (1.0, 1.0), (1.0, math.inf), (LARGEST, math.inf), (LARGEST, math.inf)]
    lo, hi = np.array(cases[1:]).T
    n, h = VectorFunction(exponential.exp, 2, 2)(-lo, hi)
    assert list(zip(-n, h, strict=True)) == want[1:]


def test_log_is_close() -> None:
    rng = np.random.default_rng(2)
    x = np.concatenate([np.exp(rng.uniform(-708, 709, 1500)), 1 + sizes(rng, 1000, -52, -2), 2.0 ** np.arange(-1074, 1024),
                        rng.integers(1, 2 ** 52, 200) * 5e-324, [0.5 ** 0.5, 2.0 ** 0.5, LARGEST]])
    assert excess_increasing(exponential.log, lambda v: v.log(), x) <= 2


def test_log_at_the_ends() -> None:
    inf = math.inf
    cases = [(-inf, inf), (-1.0, -0.5), (-1.0, 0.0), (-0.0, -0.0), (0.0, 1.0), (-3.0, 1.0), (1.0, 1.0), (1.0, inf)]
    want = [(-inf, inf), (-inf, inf), (-inf, inf), (-inf, inf), (-inf, 0.0), (-inf, 0.0), (0.0, 0.0), (0.0, inf)]
    lo, hi = np.array(cases).T
    n, h = VectorFunction(exponential.log, 2, 2)(-lo, hi)
    assert list(zip(-n, h, strict=True)) == want
    level, = VectorFunction(exponential.log_level, 2, 1)(-lo, hi)
    assert list(level) == [0, 0, 0, 0, 0, 0, 3, 3]


def test_points() -> None:
    rng = np.random.default_rng(3)
    assert point_error(exponential.exp_point, lambda v: v.exp(), rng.uniform(-745, 709, 1000)) < 1.5
    assert point_error(exponential.log_point, lambda v: v.log(), np.abs(sizes(rng, 1000, -1074, 1000))) < 1.5
    x = np.array([-math.inf, -1000.0, 0.0, 1000.0, math.inf, math.nan, -1.0])
    for emit, f in ((exponential.exp_point, np.exp), (exponential.log_point, np.log)):
        value, = VectorFunction(emit, 1, 1, rounding="nearest")(x)
        with np.errstate(all="ignore"):
            assert np.allclose(value, f(x), rtol=1e-15, atol=0, equal_nan=True)


def test_x_log_x_is_close() -> None:
    """At points and on boxes round 1/e, against Arb; the least value is a bound where 1/e may be in the box."""
    rng = np.random.default_rng(11)
    near_one = 1 + sizes(rng, 500, -50, -2)
    x = np.abs(np.concatenate([sizes(rng, 2000, -1020, 1010), rng.uniform(0.1, 3, 2000), near_one, exponential.INVERSE_E]))
    lo = np.concatenate([x, 1 / math.e - rng.uniform(0, 0.3, 500), np.zeros(500)])
    hi = np.concatenate([x, 1 / math.e + rng.uniform(0, 0.3, 500), np.abs(sizes(rng, 500, -1000, 3))])
    n, h = VectorFunction(exponential.entropy, 2, 2)(-lo, hi)
    with ctx.workprec(1200):
        turn = (-arb(1)).exp()
        for a, b, below, above in zip(lo, hi, -n, h, strict=True):
            ends = [arb(v) * arb(v).log() if v else arb(0) for v in (a, b)]
            least = -turn if arb(a) < turn < arb(b) else min(ends)
            assert arb(below) <= least and max(ends) <= arb(above)
            for bound, exact in ((below, least), (above, max(ends))):
                assert abs(bound - float(exact)) <= 5 * math.ulp(float(exact))


def test_x_log_x_at_the_ends() -> None:
    """0 is a bound at 0, the whole line where it is defined nowhere, level 3 for positive boxes alone."""
    inf = math.inf
    lo, hi = np.array([0.0, -1.0, -1.0, 0.0, 0.5, 2.0, -inf]), np.array([0.25, 0.25, 0.0, 0.0, inf, inf, inf])
    n, h = VectorFunction(exponential.entropy, 2, 2)(-lo, hi)
    assert h.tolist() == [0.0, 0.0, inf, inf, inf, inf, inf] and (n[:2] <= 0.3465735902799727).all() and (n[2:4] == inf).all()
    assert -0.3465735902799727 <= -n[4] <= -0.34657 and 1.386 < -n[5] <= 1.3862943611198907 and n[6] == exponential.INVERSE_E[1]
    level, = VectorFunction(exponential.log_level, 2, 1)(-lo, hi)
    assert level.tolist() == [0.0, 0.0, 0.0, 0.0, 3.0, 3.0, 0.0]
    value, = VectorFunction(exponential.entropy_point, 1, 1, rounding="nearest")(np.array([0.0, -1.0, 1.0, math.e]))
    assert np.isnan(value[:2]).all() and value[2] == 0.0 and abs(value[3] - math.e) < 1e-15
