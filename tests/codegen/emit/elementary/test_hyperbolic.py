"""Hyperbolic functions and inverses: proved errors, tightness against Arb, ends of the ranges, decorations, points."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_series, ctx

from codegen.emit.elementary import exponential, hyperbolic, power
from codegen.emit.elementary.exponential import LARGEST
from codegen.emit.elementary.hyperbolic import COSH_ERROR, EXPM1_ERROR, SINH_ERROR, TINY_ERROR
from codegen.emit.lanes import Emit, Lanes
from codegen.machine.native import machine
from tests.lanes import VectorFunction

from .quotient_analysis import octaves, split, used
from .tightness import excess, excess_increasing, point_error, same_bits, sizes

INF = math.inf


def proved_ratio(name: str, k: int, sign: int) -> float:
    """Largest ratio of the proved error of `weighted_sum` to the bound in the code, with r of the given sign.

    For k = 0 and |r| < 2^-30, sinh and tanh have a bound of their own; for k > 0 `reduce_by_ln2` neglects 2^-85.
    """
    q = 2.0 ** -k if name == "tanh" else 4.0 ** -k
    minus, plus, one = (1 - q, (1 - (1 - q)) - q), (1 + q, q - ((1 + q) - 1)), (1.0, 0.0)
    constant, even, odd, error, side = {
        "sinh": (minus, minus[0], plus, SINH_ERROR, -1), "cosh": (plus, plus[0], minus, COSH_ERROR, 1),
        "tanh": (minus, 1.0, one, EXPM1_ERROR, -1)}[name]

    def core(L, x):  # type: ignore[no-untyped-def]
        r, low = split(L, x if sign > 0 else L.neg(x), 2.0 ** -33 if k else 0.0)
        pairs = [tuple(L.const(v) for v in pair) for pair in (constant, odd)]
        return hyperbolic.weighted_sum(L, r, low, pairs[0], L.const(even), pairs[1], error)

    def exact(x: arb_series) -> arb_series:
        return (sign * x).exp() + side * arb(q) * (1 if name == "tanh" else (-sign * x).exp())

    return used(core, exact, octaves(2.0 ** -30 if k == 0 else 2.0 ** -60, 0.3467, 16, 6), inherited=2.0 ** -83 if k else 0.0)


@pytest.mark.parametrize("name", ["sinh", "cosh", "tanh"])
def test_weighted_sum_error_is_proved(name: str) -> None:
    """q only scales coefficients, and from k = 27 (53 for tanh) on it is below the roundings: these k bound the others."""
    ratios = [proved_ratio(name, k, sign) for k, sign in ((0, 1), (1, 1), (1, -1), (2, -1), (10, -1), (27, -1), (53, -1))]
    assert 0.25 < max(ratios) <= 1.0


def test_small_arguments_are_their_own_values() -> None:
    """|f(a) - a| < TINY_ERROR a for a < TINY: a^3/2 bounds it for all four odd functions, by their series."""
    assert hyperbolic.TINY ** 2 / 2 < TINY_ERROR
    with ctx.workprec(256):
        a = arb(hyperbolic.TINY)
        for f in (arb.sinh, arb.tanh, arb.asinh, arb.atanh):
            assert abs(f(a) / a - 1) < a ** 2 / 2
        assert abs((2 * arb(hyperbolic.LARGE)).log() - arb(hyperbolic.LARGE).asinh()) < arb(2) ** -61
        assert abs((2 * arb(hyperbolic.LARGE)).log() - arb(hyperbolic.LARGE).acosh()) < arb(2) ** -61
    assert exponential.LOG_ERROR + 2.0 ** -61 <= hyperbolic.LOG1P_ERROR


def doubled_sums(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    high = np.abs(sizes(rng, count, -60, 60))
    return high, high * rng.uniform(-(2.0 ** -50), 2.0 ** -50, count)


def test_quotient_and_root() -> None:
    """Both are right to 2^-98, for low parts up to 2^-50 of the high ones."""
    rng = np.random.default_rng(1)
    (a, a_low), (b, b_low) = doubled_sums(rng, 500), doubled_sums(rng, 500)
    t = VectorFunction(lambda L, p, q, r, s: hyperbolic.quotient(L, (p, q), (r, s)), 4, 2)(a, a_low, b, b_low)
    g = VectorFunction(hyperbolic.root, 2, 2)(a, a_low)
    for k in range(500):
        p, q = Fraction(a[k]) + Fraction(a_low[k]), Fraction(b[k]) + Fraction(b_low[k])
        assert abs((Fraction(t[0][k]) + Fraction(t[1][k])) * q / p - 1) < Fraction(1, 2 ** 97)
        assert abs((Fraction(g[0][k]) + Fraction(g[1][k])) ** 2 / p - 1) < Fraction(1, 2 ** 97)


def test_log1p_doubled() -> None:
    """The low part counts: larger ones than the code makes show it."""
    rng = np.random.default_rng(6)
    u = np.concatenate([np.abs(sizes(rng, 500, -60, 56)), rng.uniform(0, 3, 500)])
    u_low = u * rng.uniform(-(2.0 ** -40), 2.0 ** -40, len(u))

    def emit(L: Lanes, a: str, b: str) -> tuple[str, ...]:
        return hyperbolic.log1p_doubled(L, a, b, L.mask_const(False), a)

    high, low, error = VectorFunction(emit, 2, 3)(u, u_low)
    with ctx.workprec(256):
        for a, b, h, rest, e in zip(u, u_low, high, low, error, strict=True):
            assert abs((1 + arb(float(a)) + arb(float(b))).log() - arb(float(h)) - arb(float(rest))) <= arb(float(e))


RANGES: list[tuple[str, Callable[[np.random.Generator], np.ndarray]]] = [
    ("sinh", lambda rng: np.concatenate([rng.uniform(-711, 711, 500), rng.uniform(-2, 2, 700), sizes(rng, 300, -1074, 3)])),
    ("tanh", lambda rng: np.concatenate([rng.uniform(-40, 40, 500), rng.uniform(-2, 2, 700), sizes(rng, 300, -1074, 3)])),
    ("asinh", lambda rng: np.concatenate([rng.uniform(-3, 3, 700), sizes(rng, 600, -1074, 1023), sizes(rng, 300, -35, 35)])),
    ("acosh", lambda rng: np.concatenate([rng.uniform(1, 3, 700), 1 + np.abs(sizes(rng, 600, -52, 1023)), [1.0]])),
    ("atanh", lambda rng: np.concatenate([rng.uniform(-1, 1, 700), sizes(rng, 400, -1074, -1),
                                          1 - 2.0 ** -rng.uniform(1, 53, 300)]))]


@pytest.mark.parametrize(("name", "arguments"), RANGES)
def test_is_close(name: str, arguments: Callable[[np.random.Generator], np.ndarray]) -> None:
    x = arguments(np.random.default_rng(2))
    x = x[np.abs(x) < 1] if name == "atanh" else x[np.abs(x) < 710.4] if name == "sinh" else x
    assert excess_increasing(getattr(hyperbolic, name), getattr(arb, name), x) <= 4


def test_cosh_is_close() -> None:
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.uniform(-710, 710, 500), rng.uniform(-2, 2, 700), sizes(rng, 300, -55, 3)])
    n, h = VectorFunction(hyperbolic.cosh, 2, 2)(-x, x)
    y = rng.permutation(x)
    lo, hi = np.minimum(x, y), np.maximum(x, y)
    wide_n, wide_h = VectorFunction(hyperbolic.cosh, 2, 2)(-lo, hi)
    least = np.where((lo <= 0) & (hi >= 0), 0.0, np.minimum(np.abs(lo), np.abs(hi)))
    greatest = np.maximum(np.abs(lo), np.abs(hi))
    with ctx.workprec(256):
        assert max(excess(n, h, *([arb(float(v)).cosh() for v in x],) * 2)) <= 4
        ends = [[arb(float(v)).cosh() for v in values] for values in (least, greatest)]
        assert max(excess(wide_n, wide_h, *ends)) <= 4


ENDS: list[tuple[str, tuple[float, float], tuple[float, float]]] = [
    ("sinh", (-INF, INF), (-INF, INF)), ("sinh", (0.0, 0.0), (0.0, 0.0)), ("sinh", (1e5, 1e300), (LARGEST, INF)),
    ("sinh", (-1e300, -711.0), (-INF, -LARGEST)), ("cosh", (-INF, INF), (1.0, INF)), ("cosh", (0.0, 0.0), (1.0, 1.0)),
    ("cosh", (711.0, 2.0 ** 20), (LARGEST, INF)), ("tanh", (-INF, INF), (-1.0, 1.0)), ("tanh", (0.0, 0.0), (0.0, 0.0)),
    ("tanh", (100.0, 2.0 ** 20), (1 - 2.0 ** -53, 1.0)), ("asinh", (-INF, INF), (-INF, INF)), ("asinh", (0.0, 0.0), (0.0, 0.0)),
    ("acosh", (1.0, INF), (0.0, INF)), ("acosh", (-INF, 1.0), (0.0, 0.0)), ("acosh", (-2.0, 0.5), (-INF, INF)),
    ("atanh", (-1.0, 1.0), (-INF, INF)), ("atanh", (0.0, 0.0), (0.0, 0.0)), ("atanh", (-INF, 0.0), (-INF, 0.0)),
    ("atanh", (1.0, 2.0), (-INF, INF)), ("atanh", (-2.0, -1.0), (-INF, INF)), ("atanh", (0.0, 3.0), (0.0, INF))]


@pytest.mark.parametrize(("name", "box", "want"), ENDS)
def test_at_the_ends(name: str, box: tuple[float, float], want: tuple[float, float]) -> None:
    n, h = VectorFunction(getattr(hyperbolic, name), 2, 2)(np.array([-box[0]]), np.array([box[1]]))
    assert (-n[0], h[0]) == want


@pytest.mark.skipif(machine() != "x86_64", reason="compares two x86-64 processors")
@pytest.mark.parametrize("emit", [hyperbolic.sinh, hyperbolic.tanh, hyperbolic.acosh, exponential.exp,
                                  exponential.log, power.pow])
def test_same_bits_on_a_narrower_machine(emit: Emit) -> None:
    ends = np.sort(sizes(np.random.default_rng(5), 800, -10, 9).reshape(4, 200).T.reshape(-1, 2))
    n, h = -ends[:, 0], ends[:, 1]
    assert same_bits(emit, *([n[::2], h[::2], n[1::2], h[1::2]] if emit is power.pow else [n, h]))


def test_levels() -> None:
    def level(emit: Emit, lo: float, hi: float) -> float:
        return float(VectorFunction(emit, 2, 1)(np.array([-lo]), np.array([hi]))[0][0])

    acosh, atanh = hyperbolic.acosh_level, hyperbolic.atanh_level
    assert [level(acosh, lo, 3.0) for lo in (1.5, 1.0, 0.5, -INF)] == [3, 2, 0, 0]
    assert [level(atanh, *box) for box in ((-0.9, 0.9), (-1.0, 0.5), (0.5, 1.0), (-INF, INF))] == [3, 0, 0, 0]


@pytest.mark.parametrize("name", ["sinh", "cosh", "tanh", "asinh", "acosh", "atanh"])
def test_points(name: str) -> None:
    rng = np.random.default_rng(4)
    emit = getattr(hyperbolic, f"{name}_point")
    x = np.concatenate([rng.uniform(-3, 3, 300), sizes(rng, 200, -50, 9)])
    x = 1 + np.abs(x) if name == "acosh" else x[np.abs(x) < 1] if name == "atanh" else x
    assert point_error(emit, getattr(arb, name), x) < 2
    special = np.array([-INF, -1000.0, -2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 1000.0, 1e300, INF, math.nan])
    value, = VectorFunction(emit, 1, 1, rounding="nearest")(special)
    with np.errstate(all="ignore"):
        name = name.replace("asinh", "arcsinh").replace("acosh", "arccosh").replace("atanh", "arctanh")
        assert np.allclose(value, getattr(np, name)(special), rtol=1e-15, atol=0, equal_nan=True)
