"""erf, erfc, J_n and Si from tables: every row against Arb, values, ranges, what is told beyond the tables."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from codegen.emit.elementary import tabulated
from codegen.emit.elementary.tabulated import ERF, ERFC, SI, CellTable, bessel_table
from codegen.emit.lanes import Emit
from codegen.machine.native import machine
from tests.lanes import VectorFunction

from .referee import ball, excess, largest_excess, same_bits, sizes

ORDERS = [0, 1, 2, 5, 40]
Real = Callable[[arb], arb]
FUNCTIONS: dict[str, tuple[CellTable, Real, Emit]] = {
    "erf": (ERF, lambda a: a.erf(), tabulated.erf), "erfc": (ERFC, lambda a: a.erfc(), tabulated.erfc),
    "Si": (SI, lambda a: a.si(), tabulated.sine_integral),
    **{f"J{n}": (bessel_table(n), lambda a, n=n: a.bessel_j(arb(n)), lambda L, *x, n=n: tabulated.bessel_j(L, *x, n)) for n in ORDERS},
}  # fmt: skip


@pytest.fixture(params=FUNCTIONS)
def function(request: pytest.FixtureRequest) -> tuple[CellTable, Real, Emit]:
    return FUNCTIONS[request.param]


def exact(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def test_rows(function: tuple[CellTable, Real, Emit]) -> None:
    """The polynomial of a row, without its roundings, is as near as is said; at the ends of its cell and inside."""
    table, f, _ = function
    rng = np.random.default_rng(1)
    with ctx.workprec(300):
        for k, (high, low, slope, slope_low, *c, standing, growing) in enumerate(tabulated.rows(table)):
            assert len(c) == table.degree - 1 and (k > 0 or standing == 0.0 or high)
            for share in (-0.5, 0.5, *rng.uniform(-0.5, 0.5, 2), 2.0**-40):
                t = Fraction(share) * table.width
                found = ball(high) + ball(low) + (ball(slope) + ball(slope_low)) * exact(t)
                found += sum((ball(x) * exact(t) ** (j + 2) for j, x in enumerate(c)), arb(0))
                assert abs(found - f(exact(k * table.width + t))) < ball(standing) + ball(growing) * abs(exact(t))
                assert standing + growing * abs(float(t)) < 2.0**-52


def points(table: CellTable, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    ends = np.arange(-table.limit, table.limit + 0.1, float(table.width) / 2)
    return np.concatenate([rng.uniform(-table.limit, table.limit, 300), sizes(rng, 100, -1074, 1), np.nextafter(ends, 0), ends])


def test_values_are_enclosed(function: tuple[CellTable, Real, Emit]) -> None:
    table, f, emit = function
    x = points(table, 2)
    n, h = VectorFunction(emit, 2, 2)(-x, x)
    with ctx.workprec(2400):
        for a, b, v in zip(n, h, x, strict=True):
            y = f(ball(v))
            assert not ball(a) < -y and not ball(b) < y
            assert ball(a) + y < 2.0**-51 and ball(b) - y < 2.0**-51


def test_erf_is_close() -> None:
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.uniform(-6, 6, 500), sizes(rng, 300, -1000, 2), rng.uniform(6, 9, 20)])
    assert largest_excess(tabulated.erf, lambda a: a.erf(), x) <= 3.0


def test_erfc_is_close() -> None:
    """Beyond the table to 2 10^-4 of it; there it falls to the least double."""
    rng = np.random.default_rng(7)
    x = np.concatenate([rng.uniform(-7, 8, 500), sizes(rng, 100, -1000, 2), np.nextafter(np.arange(0, 8, 1 / 32), 0)])
    assert largest_excess(tabulated.erfc, lambda a: a.erfc(), x) <= 8.0
    x = np.concatenate([rng.uniform(8, 26, 200), [8 + 2.0**-50]])
    n, h = VectorFunction(tabulated.erfc, 2, 2)(-x, x)
    with ctx.workprec(2000):
        assert all(-ball(a) <= ball(v).erfc() <= ball(b) for a, b, v in zip(n, h, x, strict=True))
    assert (h + n < 2e-4 * h).all()
    lo, hi = np.array([-math.inf, 5.0, 30.0, 1e300, 27.0, 26.0]), np.array([math.inf, math.inf, 1e300, 1e305, 27.5, 27.0])
    n, h = VectorFunction(tabulated.erfc, 2, 2)(-lo, hi)
    assert (n[:5] == 0).all() and n[5] < 0 and h[0] == 2 and (h[2:4] == 5e-324).all() and h[4] < 1e-318


def test_boxes_are_enclosed(function: tuple[CellTable, Real, Emit]) -> None:
    """Small ones to the square of their width."""
    table, f, emit = function
    rng = np.random.default_rng(4)
    lo = rng.uniform(-table.limit, table.limit, 400)
    hi = lo + 10.0 ** rng.uniform(-9, 1.5, 400)
    n, h = VectorFunction(emit, 2, 2)(-lo, hi)
    with ctx.workprec(300):
        for a, b, s, t in zip(n, h, lo, hi, strict=True):
            values = [f(ball(u)) for u in np.linspace(s, t, 9)] + ([f(arb(0))] if s <= 0 <= t else [])
            assert all(not ball(a) < -y and not ball(b) < y for y in values)
            if max(abs(s), abs(t)) <= table.limit:
                room = max(2.0**-51, (t - s) ** 2 / 8)
                assert -a > min(float(y) for y in values) - room and b < max(float(y) for y in values) + room


def test_extrema_within_a_box() -> None:
    """The first extrema of J_0 and of Si, by boxes that end beside them."""
    width = 10.0 ** -np.arange(1.0, 8.0)
    for name, place, sign in (("J0", 3.8317059702075125, -1), ("Si", math.pi, 1)):
        _, f, emit = FUNCTIONS[name]
        n, h = VectorFunction(emit, 2, 2)(width - place, place + width / 2)
        for found, w in zip(h if sign > 0 else n, width, strict=True):
            assert -1e-16 < float(ball(found) - sign * f(ball(place))) < w * w


@pytest.mark.parametrize("n", ORDERS)
def test_everywhere_and_nowhere_near(n: int) -> None:
    """Bounds that hold everywhere are those of the largest values of J_n, or near them."""
    lo, hi = np.array([-math.inf, 65.0, -1e300, 0.0]), np.array([math.inf, 66.0, 1e308, 1e9])
    below, above = VectorFunction(FUNCTIONS[f"J{n}"][2], 2, 2)(-lo, hi)
    with ctx.workprec(200):
        size = max(abs(FUNCTIONS[f"J{n}"][1](arb(x) / 20)) for x in range(20 * n // 2, 20 * (n + 10)))
    assert not np.isnan(below + above).any() and (above >= float(size) - 1e-9).all() and (below <= 0.68).all()
    assert (above < 1.2 * float(size)).all()


def test_beyond_the_tables() -> None:
    n, h = VectorFunction(tabulated.erf, 2, 2)(np.array([-7.0, 8.0, math.inf, 0.0]), np.array([9.0, -7.5, math.inf, math.inf]))
    assert (-n).tolist() == [1 - 2.0**-53, -1, -1, 0] and h.tolist() == [1, -1 + 2.0**-53, 1, 1]
    lo, hi = np.array([100.0, -math.inf, -1.0, 1e300, -200.0]), np.array([1e6, -100.0, math.inf, math.inf, 1.0])
    n, h = VectorFunction(tabulated.sine_integral, 2, 2)(-lo, hi)
    assert np.allclose(-n, [math.pi / 2 - 0.01, -math.pi / 2 - 0.01, -1.8519370519824665, math.pi / 2, -1.8519370519824665])
    assert np.allclose(h, [math.pi / 2 + 0.01, -math.pi / 2 + 0.01, 1.8519370519824665, math.pi / 2, 1.8519370519824665])
    with ctx.workprec(200):
        for x in (64.5, 100.0, 1e5, 1e15):
            below, above = VectorFunction(tabulated.sine_integral, 2, 2)(np.array([-x]), np.array([x]))
            assert excess(below[0], -ball(x).si()) >= 0 and excess(above[0], ball(x).si()) >= 0


@pytest.mark.parametrize("change", ["coefficient", "derivative"])
def test_a_wrong_table_is_noticed(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = tabulated._row

    def row(table: CellTable, k: int) -> list[float]:
        found = honest(table, k)
        found[4 if change == "coefficient" else -1] *= 1 + 2.0**-30 if change == "coefficient" else 2.0**-9
        return found

    monkeypatch.setattr(tabulated, "rows", lambda table: [row(table, k) for k in range(1 + int(table.limit / table.width))])
    with pytest.raises(AssertionError):
        test_values_are_enclosed(FUNCTIONS["Si"])


def test_points(function: tuple[CellTable, Real, Emit]) -> None:
    table, f, _ = function
    names = {"erf": tabulated.erf_point, "erfc": tabulated.erfc_point, "sine_integral": tabulated.sine_integral_point}
    emit = names.get(table.name) or (lambda L, x: tabulated.bessel_j_point(L, x, table.function.power))
    x = points(table, 5)
    point = VectorFunction(emit, 1, 1, rounding="nearest")
    with ctx.workprec(200):
        assert all(abs(ball(v) - f(ball(t))) < 2.0**-51 for v, t in zip(point(x)[0], x, strict=True))
    (beyond,) = point(np.array([math.nan, 65.0, -math.inf]))
    limits = {"erf": [1.0, -1.0], "erfc": [0.0, 2.0]}.get(table.name)
    assert np.isnan(beyond[0]) and (np.isnan(beyond).all() if limits is None else beyond[1:].tolist() == limits)


@pytest.mark.skipif(machine() != "x86_64", reason="compares two x86-64 targets")
def test_the_same_bits_in_narrow_registers() -> None:
    lo = np.random.default_rng(6).uniform(-20, 20, 300)
    for name in ("erf", "Si", "J2"):
        assert same_bits(FUNCTIONS[name][2], 2, 2, (-lo, lo + 0.5))
