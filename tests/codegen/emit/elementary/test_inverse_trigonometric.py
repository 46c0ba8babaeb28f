"""Arc functions and atan2 against Arb; error bounds by the error analysis."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from flint import arb, arb_series, ctx

from codegen.emit.elementary import inverse_trigonometric
from codegen.emit.lanes import Emit
from codegen.machine.native import machine
from tests.lanes import VectorFunction

from .error_analysis import used
from .referee import BITS, ball, excess, largest_error, largest_excess, same_bits, sizes


def inherited(x: arb) -> arb:
    """What the error bounds leave to z + z' itself. The callers add a rounding of the low part, which is below
    z - atan z < z^3/3 and asin z - z < z^3/5."""
    return x * inverse_trigonometric.SMALL_ERROR / 2


def arctangent_used() -> float:
    return used(inverse_trigonometric._arctangent_core, arb_series.atan, 2.0**-40, math.tan(math.pi / 8) + 2.0**-20,
                lambda x: 6 * x * arb(2) ** -52, lambda x: inherited(x) + x**3 / 3 * arb(2) ** -52)


def arcsine_used() -> float:
    return used(inverse_trigonometric._arcsine_core, arb_series.asin, 2.0**-40, 0.5,
                lambda x: x * arb(2) ** -51, lambda x: inherited(x) + x**3 / 5 * arb(2) ** -52)


@pytest.mark.parametrize("ratio", [arctangent_used, arcsine_used])
def test_error_bounds(ratio: Callable[[], float]) -> None:
    """Proved, and tight to a factor of 4."""
    assert 0.25 < ratio() <= 1.0


@pytest.mark.parametrize(("name", "ratio"), [("ARCTANGENT", arctangent_used), ("ARCSINE", arcsine_used)])
def test_error_bounds_notice_a_wrong_coefficient(
        name: str, ratio: Callable[[], float], monkeypatch: pytest.MonkeyPatch) -> None:
    coefficients = list(getattr(inverse_trigonometric, name))
    coefficients[2] *= 1 + 2.0**-30
    monkeypatch.setattr(inverse_trigonometric, name, tuple(coefficients))
    assert ratio() > 1.0


def test_constants() -> None:
    with ctx.workprec(BITS):
        quarter = ball(inverse_trigonometric.QUARTER_PI) + ball(inverse_trigonometric.QUARTER_PI_LOW)
        assert abs(arb.pi() / 4 - quarter) < arb(2) ** -110
        assert 0 < ball(inverse_trigonometric.PI_ABOVE) - arb.pi() < arb(2) ** -51
    assert (inverse_trigonometric.QUARTER_PI * 2.0**50).is_integer()


def sines(seed: int) -> np.ndarray:
    """Numbers of [-1, 1], crowded at 0, at both ends and where the polynomial changes."""
    rng = np.random.default_rng(seed)
    near_one = 1 - np.exp2(rng.uniform(-53, -1, 500))
    near_half = 0.5 + rng.uniform(-1e-14, 1e-14, 100)
    special = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 5e-324, -5e-324]
    anywhere = np.concatenate([rng.uniform(-1, 1, 1000), sizes(rng, 500, -1074, 0)])
    return np.concatenate([anywhere, near_one, -near_one, near_half, special])


def tangents(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    edge = inverse_trigonometric.TANGENT_OF_EIGHTH_PI
    special = [0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, edge, 1 / edge, np.finfo(float).max]
    return np.concatenate([rng.uniform(-4, 4, 1500), sizes(rng, 1000, -1074, 1023.9), special])


CASES = [("asin", arb.asin, sines), ("acos", arb.acos, sines), ("atan", arb.atan, tangents)]


@pytest.mark.parametrize(("name", "exact", "points"), CASES)
def test_points_are_enclosed_within_four_ulp(
        name: str, exact: Callable[[arb], arb], points: Callable[[int], np.ndarray]) -> None:
    assert largest_excess(getattr(inverse_trigonometric, name), exact, points(1)) <= 4.0


@pytest.mark.parametrize(("name", "exact", "points"), CASES)
def test_point_operations(name: str, exact: Callable[[arb], arb], points: Callable[[int], np.ndarray]) -> None:
    emit = getattr(inverse_trigonometric, f"{name}_point")
    assert largest_error(emit, exact, points(2)) <= 2.0
    undefined = np.array([math.nan] if name == "atan" else [math.nan, 1.0000001, -2.0, math.inf])
    assert np.isnan(VectorFunction(emit, 1, 1, rounding="nearest")(undefined)[0]).all()


def test_arc_tangent_of_the_whole_line() -> None:
    n, h = VectorFunction(inverse_trigonometric.atan, 2, 2)(np.array([math.inf]), np.array([math.inf]))
    with ctx.workprec(BITS):
        assert excess(n[0], arb.pi() / 2) <= 4.0 and excess(h[0], arb.pi() / 2) <= 4.0


@pytest.mark.parametrize("name", ["asin", "acos"])
def test_domain(name: str) -> None:
    """The part of the box in [-1, 1] counts; a box beyond it gives the whole line."""
    lo = np.array([-math.inf, -3.0, 1.0, -2.0, 0.5, 1.5, -math.inf, np.nextafter(1.0, 2.0)])
    hi = np.array([math.inf, -1.0, 2.0, 0.5, 1.0, 2.0, -1.01, math.inf])
    n, h = VectorFunction(getattr(inverse_trigonometric, name), 2, 2)(-lo, hi)
    inner = VectorFunction(getattr(inverse_trigonometric, name), 2, 2)(-np.clip(lo, -1, 1), np.clip(hi, -1, 1))
    assert (n[:5] == inner[0][:5]).all() and (h[:5] == inner[1][:5]).all()
    assert (n[5:] == math.inf).all() and (h[5:] == math.inf).all()
    level, = VectorFunction(getattr(inverse_trigonometric, f"{name}_level"), 2, 1)(
        np.array([0.9, 1.0, 0.5, 1.0, 1.1, -1.5, math.inf]), np.array([0.9, 0.5, 1.0, 1.0, 0.0, 2.0, math.inf]))
    assert level.tolist() == [3.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0]


def test_angles_of_points_are_enclosed_within_four_ulp() -> None:
    """A vector at a time, sizes far apart included; quotients below 2^-1000 may cost more ulps."""
    rng = np.random.default_rng(3)
    y = np.concatenate([rng.uniform(-4, 4, 2000), sizes(rng, 2000, -1074, 1024), rng.uniform(-4, 4, 50), np.zeros(50)])
    x = np.concatenate([rng.uniform(-4, 4, 2000), sizes(rng, 2000, -1074, 1024), np.zeros(50),
                        sizes(rng, 50, -1074, 1024)])
    y[-50:] = np.where(x[-50:] < 0, 5e-324, 0.0)
    n, h = VectorFunction(inverse_trigonometric.atan2, 4, 2)(-y, y, -x, x)
    with ctx.workprec(BITS):
        for a, b, v, u in zip(n, h, y, x, strict=True):
            angle = arb.atan2(ball(v), ball(u))
            worst = max(excess(a, -angle), excess(b, angle))
            assert worst <= 4.0 or abs(b) < 2.0**-1000


ENDS = [-math.inf, -1e308, -3.0, -1.0, -1e-300, -0.0, 0.0, 5e-324, 0.7, 2.0, 1e300, math.inf]
INTERVALS = [(a, b) for a, b in itertools.product(ENDS, ENDS) if a <= b and a < math.inf and b > -math.inf]
BOXES = np.array([(*y, *x) for y, x in itertools.product(INTERVALS, INTERVALS)])


def samples(lo: float, hi: float) -> list[float]:
    """Finite numbers of [lo, hi], its ends among them unless they are infinite."""
    inside = [t for t in (*ENDS, 1.5, -1.5, 1e-5) if lo <= t <= hi and math.isfinite(t)]
    return [*inside, min(max(max(lo, -1.7e308) / 2 + min(hi, 1.7e308) / 2, lo), hi)]


def test_angles_of_boxes() -> None:
    """Boxes of special ends: every sampled angle is enclosed; both ends are reached to 0.8 unless the box is unbounded,
    meets the cut or is a segment of the x-axis that ends at the origin; the level says what it must; the origin alone
    is undefined."""
    columns = (-BOXES[:, 0], BOXES[:, 1], -BOXES[:, 2], BOXES[:, 3])
    n, h = VectorFunction(inverse_trigonometric.atan2, 4, 2)(*columns)
    level, = VectorFunction(inverse_trigonometric.atan2_level, 4, 1)(*columns)
    assert not np.isnan(n + h).any()
    for a, b, known, (yl, yh, xl, xh) in zip(n, h, level, BOXES, strict=True):
        angles = [math.atan2(v + 0.0, u) for v in samples(yl, yh) for u in samples(xl, xh) if u != 0 or v != 0]
        origin, cut = yl <= 0 <= yh and xl <= 0 <= xh, yl <= 0 <= yh and xl < 0
        assert known == (0.0 if origin else 1.0 if cut else 3.0)
        if not angles:
            assert a == b == math.inf
            continue
        low, high = min(angles), max(angles)
        assert -a <= low + 2.0**-50 * abs(low) and b >= high - 2.0**-50 * abs(high)
        if np.isfinite([yl, yh, xl, xh]).all() and (yl >= 0 or not cut) and (yl < yh or 0 not in (xl, xh)):
            assert low + a <= 0.8 and b - high <= 0.8


def test_angles_of_random_boxes_are_those_of_corners() -> None:
    """Away from the cut the enclosure is the hull of the enclosures of corners, wherever both are defined."""
    rng = np.random.default_rng(4)
    yl, xl = rng.uniform(-2, 2, 2000), rng.uniform(-2, 2, 2000)
    yh, xh = yl + 10.0 ** rng.uniform(-8, 0.5, 2000), xl + 10.0 ** rng.uniform(-8, 0.5, 2000)
    keep = (xl > 0) | (yl > 0) | (yh < 0)
    yl, yh, xl, xh = yl[keep], yh[keep], xl[keep], xh[keep]
    angle = VectorFunction(inverse_trigonometric.atan2, 4, 2)
    n, h = angle(-yl, yh, -xl, xh)
    corners = [angle(-y, y, -x, x) for y, x in itertools.product((yl, yh), (xl, xh))]
    assert (n == np.max([c[0] for c in corners], axis=0)).all()
    assert (h == np.max([c[1] for c in corners], axis=0)).all()


def test_angle_of_points() -> None:
    rng = np.random.default_rng(5)
    y, x = rng.uniform(-3, 3, 2000), rng.uniform(-3, 3, 2000)
    point = VectorFunction(inverse_trigonometric.atan2_point, 2, 1, rounding="nearest")
    assert (np.abs(point(y, x)[0] - np.arctan2(y, x)) <= 2.0**-51 * np.abs(np.arctan2(y, x))).all()
    assert np.isnan(point(np.array([0.0, math.nan, 1.0]), np.array([0.0, 1.0, math.nan]))[0]).all()
    assert point(np.array([0.0]), np.array([-1.0]))[0][0] == math.pi


@pytest.mark.skipif(machine() != "x86_64", reason="compares two x86-64 targets")
@pytest.mark.parametrize("name", ["asin", "acos", "atan"])
def test_the_same_bits_in_narrow_registers(name: str) -> None:
    lo = np.sort(np.random.default_rng(6).uniform(-1.1, 1.1, 300))
    emit: Emit = getattr(inverse_trigonometric, name)
    assert same_bits(emit, 2, 2, (-lo, lo + 0.1))


@pytest.mark.skipif(machine() != "x86_64", reason="compares two x86-64 targets")
def test_the_same_bits_of_angles() -> None:
    assert same_bits(inverse_trigonometric.atan2, 4, 2, tuple(np.abs(np.random.default_rng(7).normal(size=(4, 300)))))
