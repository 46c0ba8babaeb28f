"""Integer and real powers: proved error of the doubled logarithm, enclosures against Arb and exact rationals."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from codegen.emit.elementary import power
from tests.lanes import VectorFunction

from .quotient_analysis import octaves, split, used
from .tightness import excess, ordinal, sizes

INF = math.inf


@pytest.mark.parametrize(("k", "sign"), [(0, 1), (0, -1), (1, -1), (-1, 1), (2, -1), (1024, 1)])
def test_logarithm_error_is_proved(k: int, sign: int) -> None:
    """s is known as s_high + s_low with |s_low| < 2^-50 |s|; the ratio falls with larger k."""
    def core(L, x):  # type: ignore[no-untyped-def]
        x = x if sign > 0 else L.neg(x)
        s, s_low = split(L, x, float((L.ball.abs_upper() * arb(2) ** -50).upper()) * (1 + 1e-15))
        return power.log_from_quotient(L, L.const(float(k)), s, s_low)

    ratio = used(core, lambda s: sign * ((1 + s) / (1 - s)).log() + k * arb.const_log2(), octaves(2.0 ** -54, 0.17158, 32, 4))
    assert ratio <= 1.0
    if k == 0:
        assert ratio > 0.25


def test_exponent_error() -> None:
    """An error d of the exponent makes e^r d (1 + d) at most, e^r < 1.4145; products and sums of doubled numbers add 2^-98."""
    needed = 1.4145 * (1 + 2.0 ** -40) * (power.LOG_ERROR + 2.0 ** -98)
    assert needed <= power.EXPONENT_ERROR < 4 * needed


def test_quotient_doubled() -> None:
    rng = np.random.default_rng(1)
    f = np.concatenate([rng.uniform(-0.2929, 0.4143, 500), sizes(rng, 500, -53, -2)])
    s, low = VectorFunction(power.quotient_doubled, 1, 2)(f)
    for v, a, b in zip(f, s, low, strict=True):
        exact = Fraction(v) / (2 + Fraction(v))
        assert abs(Fraction(a) + Fraction(b) - exact) <= abs(exact) * Fraction(1, 2 ** 98)
        assert abs(Fraction(b)) <= abs(exact) * Fraction(1, 2 ** 50)


def test_two_thirds() -> None:
    rest = Fraction(2, 3) - Fraction(power.TWO_THIRDS) - Fraction(power.TWO_THIRDS_LOW)
    assert abs(rest) < Fraction(1, 2 ** 104)


def corner_powers(box: np.ndarray) -> tuple[arb, arb]:
    values = [arb(float(x)) ** arb(float(y)) for x, y in itertools.product(box[:2], box[2:])]
    low, high = values[0], values[0]
    for v in values[1:]:
        low, high = (v if v < low else low), (v if v > high else high)
    return low, high


def check(boxes: np.ndarray, allowed: int) -> None:
    n, h = VectorFunction(power.pow, 4, 2)(-boxes[:, 0], boxes[:, 1], -boxes[:, 2], boxes[:, 3])
    with ctx.workprec(256):
        lower, upper = zip(*map(corner_powers, boxes), strict=True)
        assert max(excess(n, h, list(lower), list(upper))) <= allowed


@pytest.mark.parametrize(("spread", "largest"), [(0.4, 1.0), (5.0, 700.0), (700.0, 700.0)])
def test_pow_is_close_at_points(spread: float, largest: float) -> None:
    rng = np.random.default_rng(2)
    x = np.exp(rng.uniform(-spread, spread, 800))
    y = rng.uniform(-largest, largest, 800) / np.log(x)
    check(np.stack([x, x, y, y], axis=1), 4)


def test_pow_is_close_on_boxes() -> None:
    rng = np.random.default_rng(3)
    x, y = np.sort(np.exp(rng.uniform(-4, 4, (1500, 2)))), np.sort(rng.uniform(-100, 100, (1500, 2)))
    y[::3] = np.sort(rng.normal(size=(500, 2)))
    check(np.hstack([x, y]), 4)


def test_pow_near_overflow_and_underflow_encloses() -> None:
    rng = np.random.default_rng(4)
    x = np.exp(rng.uniform(-5, 5, 1000))
    z = np.concatenate([rng.uniform(708, 709.782, 500), rng.uniform(-745, -708, 500)])
    y = z / np.log(x)
    n, h = VectorFunction(power.pow, 4, 2)(-x, x, -y, y)
    with ctx.workprec(256):
        for k in range(len(x)):
            value = arb(float(x[k])) ** arb(float(y[k]))
            assert arb(float(-n[k])) <= value
            assert value <= arb(float(h[k])) or h[k] == INF
            assert ordinal(float(h[k])) - ordinal(float(-n[k])) <= 8 or z[k] > 709.7


CASES: list[tuple[tuple[float, float, float, float], tuple[float, float], float]] = [
    ((0.0, 0.0, 1.0, 2.0), (0.0, 0.0), 2), ((-2.0, 0.0, -1.0, 2.0), (0.0, 0.0), 0), ((0.0, 0.0, -1.0, 0.0), (-INF, INF), 0),
    ((-2.0, -1.0, 1.0, 2.0), (-INF, INF), 0), ((0.0, 1.0, 0.5, 2.0), (0.0, 1.0), 2), ((-1.0, 1.0, 2.0, 3.0), (0.0, 1.0), 0),
    ((0.0, 1.0, -1.0, 1.0), (0.0, INF), 0), ((1.0, 1.0, -INF, INF), (1.0, 1.0), 3), ((0.0, INF, 0.0, 0.0), (1.0, 1.0), 0),
    ((1.0, INF, 0.0, INF), (1.0, INF), 3), ((2.0, 3.0, -INF, 0.0), (0.0, 1.0), 3), ((5.0, 7.0, 0.0, 0.0), (1.0, 1.0), 3),
    ((0.0, 0.5, 0.0, 1e300), (0.0, 1.0), 0), ((2.0, 1e300, 1e300, 1e301), (1.0, INF), 3)]


@pytest.mark.parametrize(("box", "want", "level"), CASES)
def test_pow_at_the_ends(box: tuple[float, float, float, float], want: tuple[float, float], level: float) -> None:
    arguments = [np.array([v]) for v in (-box[0], box[1], -box[2], box[3])]
    n, h = VectorFunction(power.pow, 4, 2)(*arguments)
    if box[0] >= 2.0 and box[2] > 1e200:
        assert -n[0] > 1e308              # y log x beyond the range: a large lower end, not the largest
        assert h[0] == INF
    else:
        assert (-n[0], h[0]) == want
    assert VectorFunction(power.pow_level, 4, 1)(*arguments)[0] == level


def test_pow_with_an_underflowing_exponent() -> None:
    """y log x is too small for a double: the ends lie on the right sides of 1."""
    x, y = np.array([1 + 2.0 ** -52, 1 - 2.0 ** -53]), np.array([2.0 ** -1050, 2.0 ** -1050])
    n, h = VectorFunction(power.pow, 4, 2)(-x, x, -y, y)
    assert h[0] == 1 + 2.0 ** -52
    assert -n[0] <= 1.0
    assert -n[1] == 1 - 2.0 ** -53
    assert h[1] >= 1.0


def test_pow_point() -> None:
    rng = np.random.default_rng(5)
    x = np.exp(rng.uniform(-20, 20, 500))
    y = rng.uniform(-700, 700, 500) / np.log(x)
    value, = VectorFunction(power.pow_point, 2, 1, rounding="nearest")(x, y)
    with ctx.workprec(256):
        for v, a, b in zip(value, x, y, strict=True):
            assert abs(arb(float(v)) - arb(float(a)) ** arb(float(b))) < 4 * math.ulp(v)
    cases = np.array(list(itertools.product([0.0, -0.0, 0.5, 1.0, 2.0, INF, -1.0], [-INF, -2.0, 0.0, 1.5, INF])))
    value, = VectorFunction(power.pow_point, 2, 1, rounding="nearest")(*cases.T)
    with np.errstate(all="ignore"):
        want = np.where(cases[:, 0] < 0, math.nan, np.abs(cases[:, 0]) ** cases[:, 1])
    assert np.allclose(value, want, rtol=1e-15, equal_nan=True)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 7, 8, 13])
def test_power_integer(k: int) -> None:
    """Encloses, and is off by less than 2 k 2^-52: v_(i+j) has the relative errors of v_i and v_j and one rounding."""
    rng = np.random.default_rng(6)
    ends = np.sort(np.stack([sizes(rng, 1500, -1074 // k - 3, 1024 // k), sizes(rng, 1500, -6, 6)], axis=1))
    ends[::5] = np.sort(rng.normal(size=(300, 2)))
    n, h = VectorFunction(lambda L, n, h: power.power_integer(L, n, h, k), 2, 2)(-ends[:, 0], ends[:, 1])
    for a, b, low, high in zip(ends[:, 0], ends[:, 1], -n, h, strict=True):
        values = [Fraction(a) ** k, Fraction(b) ** k] + ([Fraction(0)] if a <= 0 <= b else [])
        assert Fraction(low) <= min(values)
        assert high == INF or Fraction(high) >= max(values)
        slack = Fraction(2 * k, 2 ** 52)
        tiny = Fraction(2 * k, 2 ** 1074) * max(1, abs(Fraction(a)), abs(Fraction(b))) ** k
        assert min(values) - Fraction(low) <= abs(min(values)) * slack + tiny
        assert high == INF or Fraction(high) - max(values) <= abs(max(values)) * slack + tiny
    unbounded = VectorFunction(lambda L, n, h: power.power_integer(L, n, h, k), 2, 2)
    n, h = unbounded(np.array([INF, 0.0, INF]), np.array([INF, INF, 0.0]))
    assert list(h) == [INF, INF, INF if k % 2 == 0 else 0.0]
    assert list(n) == [0.0, 0.0, 0.0] if k % 2 == 0 else [INF, 0.0, INF]


def test_square_is_two_products() -> None:
    """The tight enclosure, one rounding an end."""
    ends = np.sort(sizes(np.random.default_rng(7), 1000, -20, 20).reshape(-1, 2))
    n, h = VectorFunction(lambda L, n, h: power.power_integer(L, n, h, 2), 2, 2)(-ends[:, 0], ends[:, 1])
    least = np.where((ends[:, 0] <= 0) & (ends[:, 1] >= 0), 0.0, np.min(np.abs(ends), axis=1))
    greatest = np.max(np.abs(ends), axis=1)
    with ctx.workprec(256):
        squares = [[arb(float(v)) ** 2 for v in values] for values in (least, greatest)]
        assert max(excess(n, h, *squares)) == 0


def test_power_integer_point() -> None:
    x = sizes(np.random.default_rng(8), 100, -10, 10)
    value, = VectorFunction(lambda L, x: power.power_integer_point(L, x, 7), 1, 1, rounding="nearest")(x)
    assert np.allclose(value, x ** 7, rtol=1e-15)
