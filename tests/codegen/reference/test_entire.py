"""Series of entire functions against Arb: Taylor coefficients, tight values, ranges that reach their extrema."""

import math
import random
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_series, ctx, fmpq
from mpmath import libmp

from codegen.reference.directed import Format, to_float
from codegen.reference.entire import ERF, SI, Entire, bessel, complement, entire_range, taylor, value

FUNCTIONS: dict[str, tuple[Entire, Callable[[arb], arb]]] = {
    "erf": (ERF, lambda a: a.erf()), "Si": (SI, lambda a: a.si()),
    **{f"J{n}": (bessel(n), lambda a, n=n: a.bessel_j(arb(n))) for n in (0, 1, 3, 30)}}  # fmt: skip
SLOPES: dict[str, Callable[[arb_series], arb_series]] = {
    "erf": lambda s: (-s * s).exp() * 2 / arb.pi().sqrt(), "Si": lambda s: s.sin() / s}


def exact(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_tight(name: str) -> None:
    f, arbs = FUNCTIONS[name]
    rng = random.Random(name)
    with ctx.workprec(4000):
        for x in [0.0, 5e-324, 64.0, *(2.0 ** rng.uniform(-300, 5) for _ in range(20)), *(rng.uniform(0, 90) for _ in range(20))]:
            if name == "erf" and x > 30:
                continue
            lo, hi = map(to_float, value(f, libmp.from_float(x)))
            y = arbs(exact(Fraction(x)))
            assert not y < arb(lo) and not y > arb(hi) and hi <= math.nextafter(lo, math.inf)
            below, above = value(f, libmp.from_float(x), Format(200))
            width = libmp.mpf_sub(above, below)
            assert width == libmp.fzero or width[2] + width[3] <= above[2] + above[3] - 199


@pytest.mark.parametrize("name", SLOPES)
def test_coefficients(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    f, _ = FUNCTIONS[name]
    rng = random.Random(name)
    for c in [Fraction(0), Fraction(1, 2), Fraction(6), *(Fraction(rng.uniform(0.5, 6)) for _ in range(5))]:
        bounds = taylor(f, c, 15)
        monkeypatch.setattr(ctx, "cap", 20)
        with ctx.workprec(400):
            slopes = SLOPES[name](arb_series([exact(c), 1], prec=17)) if c or name == "erf" else None
            for k in range(15):
                sinc = arb(0) if k % 2 else arb((-1) ** (k // 2)) / arb(k + 2).gamma()
                exactly = (sinc if slopes is None else slopes[k]) / (k + 1)
                lo, hi = map(exact, bounds[k + 1])
                assert not exactly < lo and not exactly > hi and hi - lo < arb(2) ** -180 * (1 + abs(exactly)), (c, k)


@pytest.mark.parametrize("order", [0, 1, 3])
def test_coefficients_of_bessel_functions(order: int) -> None:
    """The first two from the recurrences of derivatives."""
    for c in (Fraction(1, 2), Fraction(7), Fraction(60)):
        value_, slope, half_bend = taylor(bessel(order), c, 2)
        with ctx.workprec(300):
            j = {k: exact(c).bessel_j(arb(k)) for k in range(order - 2, order + 3)}
            for bounds, y in ((value_, j[order]), (slope, (j[order - 1] - j[order + 1]) / 2),
                              (half_bend, (j[order - 2] - 2 * j[order] + j[order + 2]) / 8)):
                lo, hi = map(exact, bounds)
                assert not y < lo and not y > hi and hi - lo < arb(2) ** -150


@pytest.mark.parametrize("name", ["Si", "J0", "J1", "J3"])
def test_ranges_reach_their_extrema(name: str) -> None:
    f, arbs = FUNCTIONS[name]
    for a, b in ((0.5, 5.0), (2.0, 9.0), (-3.0, 8.0), (-7.0, -1.0), (50.0, 55.0), (-1e-300, 1e-300), (0.0, 0.0)):
        lo, hi = map(to_float, entire_range(f, libmp.from_float(a), libmp.from_float(b)))
        values = [float(arbs(arb(float(x)))) for x in np.linspace(a, b, 400)] + ([float(arbs(arb(0)))] if a <= 0 <= b else [])
        assert lo <= min(values) + 1e-15 and max(values) - 1e-15 <= hi
        assert max(min(values) - lo, hi - max(values)) < 1e-4
    lo, hi = map(to_float, entire_range(f, libmp.from_float(3.0), libmp.finf))
    assert lo <= min(float(arbs(arb(x) / 10)) for x in range(30, 400)) and hi >= max(float(arbs(arb(x) / 10)) for x in range(30, 400))


def test_erf_at_the_ends() -> None:
    ends = [(-math.inf, math.inf), (7.0, 8.0), (40.0, 1e300), (-math.inf, -40.0)]
    found = [tuple(map(to_float, entire_range(ERF, libmp.from_float(a), libmp.from_float(b)))) for a, b in ends]
    assert found == [(-1, 1), (1 - 2.0**-53, 1), (1 - 2.0**-53, 1), (-1, -1 + 2.0**-53)]


def test_complements_are_tight() -> None:
    rng = random.Random(1)
    with ctx.workprec(4000):
        for x in [0.0, 5e-324, -5e-324, *(rng.uniform(-10, 29) for _ in range(40))]:
            lo, hi = map(to_float, complement(libmp.from_float(x)))
            y = exact(Fraction(x)).erfc()
            assert arb(lo) <= y <= arb(hi) and hi <= math.nextafter(lo, math.inf)
    assert [tuple(map(to_float, complement(libmp.from_float(x)))) for x in (40.0, math.inf, -40.0)] == [
        (0, 5e-324), (0, 5e-324), (math.nextafter(2, 0), 2)]
