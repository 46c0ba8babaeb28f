"""Sine, cosine and tangent against Arb; error bounds by the error analysis."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_series, ctx

from codegen.emit.elementary import far_reduction, trigonometric
from codegen.emit.lanes import Emit
from codegen.machine.native import machine
from tests.lanes import VectorFunction

from .error_analysis import used
from .referee import BITS, ball, excess, largest_error, largest_excess, largest_excess_on_boxes, same_bits, sizes

LIMIT, LARGEST = trigonometric.LIMIT, math.ldexp(2.0 - 2.0**-52, 1023)
# The double that comes nearest to a multiple of pi/2 (J.-M. Muller, Elementary functions, 2016, 11.2).
NEAREST = math.ldexp(6381956970095103, 797)
RANGE = 0.7853981633974483 + 2.0**-20
FUNCTIONS = [("sin", arb.sin), ("cos", arb.cos), ("tan", arb.tan)]

PRECISE = 1500
"""Bits in which the largest doubles have a fraction of a turn."""


def integer(x: arb) -> int:
    """Its floor."""
    return int(str(x.floor().unique_fmpz()))


def points(seed: int, count: int = 1500) -> np.ndarray:
    """Arguments of all sizes, and the doubles nearest to multiples of pi/4."""
    rng = np.random.default_rng(seed)
    near = np.array([k * math.pi / 4 for k in [*range(-20, 20), 12345, 834_000, -834_000]])
    special = np.array([0.0, -0.0, 1e-300, -1e-200, LIMIT, -LIMIT, np.nextafter(LIMIT, math.inf), NEAREST, -NEAREST, LARGEST, -LARGEST])
    large = sizes(rng, count, 20, 1024)
    return np.concatenate([large, rng.uniform(-10, 10, count), sizes(rng, count, -40, 20), sizes(rng, count // 4, -1000, -40),
                           near, special])


def reduction_low(x: arb) -> arb:
    """|r'| <= 2^-51 |r| + 2^-82 (two roundings of r, and the product of k by the last part of pi/2)."""
    return x * arb(2) ** -51 + arb(2) ** -82


def distance_from_multiples(limit: int) -> arb:
    """The least |x - k pi/2| of doubles 1/2 <= x <= 2^limit: continued fractions of (pi/2)/ulp in every binade.

    Convergents are the best approximations of the second kind, so the convergent of the largest denominator k within
    the binade has the least distance there.
    """
    with ctx.workprec(max(BITS, 2 * limit + 200)):
        return min((_distance_in_binade(e) for e in range(-1, limit)), key=lambda d: float(d))


def _distance_in_binade(e: int) -> arb:
    alpha = arb.pi() / 2 * arb(2) ** (52 - e)
    most = float(arb(2) ** 53 / alpha) + 1
    x, (p, q), (before_p, before_q) = alpha, (1, 0), (0, 1)
    best = arb(1)
    while True:
        term = integer(x)
        p, q, before_p, before_q = term * p + before_p, term * q + before_q, p, q
        if q > most:
            return best * arb(2) ** (e - 52)
        best, x = abs(q * alpha - p), 1 / (x - term)


def test_no_double_is_closer_to_a_multiple_of_half_pi() -> None:
    """The reductions argue with 2^-61, that by integers with 2^-62 of a quarter turn."""
    assert distance_from_multiples(1024) > arb(2) ** -61


def test_parts_of_half_pi() -> None:
    """Each part but the last is a multiple of 2^-32, 2^-64, 2^-96 of at most 33 bits; less than 2^-159 is left out."""
    for part, quantum in zip(trigonometric.HALF_PI, (32, 64, 96), strict=False):
        scaled = Fraction(part) * 2**quantum
        assert scaled.denominator == 1 and abs(scaled) < 2**33
    with ctx.workprec(BITS):
        assert abs(arb.pi() / 2 - sum(map(ball, trigonometric.HALF_PI))) < arb(2) ** -159


def test_bits_of_two_over_pi() -> None:
    """Each row is right to its last limb."""
    with ctx.workprec(PRECISE):
        for k, row in enumerate(far_reduction._words()):
            limbs = [int(word - 2.0**52) for word in row]
            value = sum(limb << 32 * j for j, limb in enumerate(reversed(limbs)))
            exact = 2 / arb.pi() * arb(2) ** (32 * k + 192)
            assert value == integer(exact) % 2**256


def test_reduction_of_large_arguments() -> None:
    """To 2^-97 in relation and 2^-135, r' is small, and the quarter turns are right modulo 2^32."""
    x = np.concatenate([sizes(np.random.default_rng(9), 3000, 20, 1024), [LIMIT, -LIMIT, NEAREST, -NEAREST, LARGEST, -LARGEST]])
    high, low, k = VectorFunction(far_reduction.far_reduction, 1, 3)(x)
    assert (np.abs(low) <= 2.0**-51 * np.abs(high)).all()
    with ctx.workprec(PRECISE):
        for value, r, r_low, turns in zip(x, high, low, k.view(np.int64), strict=True):
            exact = arb(value) / (arb.pi() / 2)
            count = integer(exact + 0.5)
            assert int(turns) % 2**32 == count % 2**32
            rest = arb(value) - count * (arb.pi() / 2)
            assert abs(rest - r - arb(r_low)) <= abs(rest) * arb(2) ** -97 + arb(2) ** -135


def sine_used() -> float:
    return used(trigonometric._sine_core, arb_series.sin, 2.0**-61, RANGE, reduction_low,
                lambda x: x * trigonometric.REDUCTION_ERROR / 2)


def cosine_used() -> float:
    return used(trigonometric._cosine_core, arb_series.cos, 2.0**-61, RANGE, reduction_low,
                lambda x: x * trigonometric.SMALL_COSINE_ERROR / 2)


@pytest.mark.parametrize("ratio", [sine_used, cosine_used])
def test_error_bounds(ratio: Callable[[], float]) -> None:
    """Proved, and tight to a factor of 4."""
    assert 0.25 < ratio() <= 1.0


@pytest.mark.parametrize(("name", "ratio"), [("SINE", sine_used), ("COSINE", cosine_used)])
def test_error_bounds_notice_a_wrong_coefficient(
        name: str, ratio: Callable[[], float], monkeypatch: pytest.MonkeyPatch) -> None:
    coefficients = list(getattr(trigonometric, name))
    coefficients[2] *= 1 + 2.0**-30
    monkeypatch.setattr(trigonometric, name, tuple(coefficients))
    assert ratio() > 1.0


def test_error_bound_of_the_tangent() -> None:
    """sin r falls below r/1.111 and cos r below 1/1.415 nowhere; the tangent's bound uses both, rounded up."""
    with ctx.workprec(BITS):
        r = ball(RANGE)
        assert r / r.sin() < 1.111 and 1 / r.cos() < 1.415
    assert trigonometric.TANGENT_ERROR >= 1.111 * trigonometric.SINE_ERROR * 1.005 + 1.415 * trigonometric.COSINE_ERROR


@pytest.mark.parametrize(("name", "exact"), FUNCTIONS)
def test_points_are_enclosed_within_four_ulp(name: str, exact: Callable[[arb], arb]) -> None:
    assert largest_excess(getattr(trigonometric, name), exact, points(1)) <= 4.0


@pytest.mark.parametrize(("name", "exact"), FUNCTIONS)
def test_tiny_points_are_enclosed(name: str, exact: Callable[[arb], arb]) -> None:
    """Where products and quotients underflow, the tangent is wider by some units of 2^-1074."""
    tiny = np.concatenate([sizes(np.random.default_rng(8), 500, -1074, -1000), [5e-324, -5e-324, 2.0**-1022]])
    assert largest_excess(getattr(trigonometric, name), exact, tiny) <= (8.0 if name == "tan" else 2.0)


def range_of(exact: Callable[[arb], arb], shift: float) -> Callable[[float, float], tuple[arb, arb]]:
    """Range of a sine whose largest values are at (shift + 2m) pi, its least at (shift + 2m + 1) pi."""

    def hull(lo: float, hi: float) -> tuple[arb, arb]:
        with ctx.workprec(PRECISE):
            first, last = ball(lo) / arb.pi() - shift, ball(hi) / arb.pi() - shift
            values = [exact(ball(lo)), exact(ball(hi))]
            # An extremum is passed where the number of those below it differs (no double but 0 is a multiple of pi/2).
            top = integer(last / 2) > integer(first / 2) or lo == 0.0 == shift
            bottom = integer((last - 1) / 2) > integer((first - 1) / 2)
        return (arb(-1) if bottom else min(values, key=float), arb(1) if top else max(values, key=float))

    return hull


RANGES = [("sin", range_of(arb.sin, 0.5)), ("cos", range_of(arb.cos, 0.0))]


def boxes(seed: int, count: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    lo = np.concatenate([rng.uniform(-20, 20, count), rng.uniform(-2 * LIMIT, 2 * LIMIT, count // 3), sizes(rng, count // 3, 20, 55)])
    last = sizes(rng, 20, 55, 1024)
    hi = np.concatenate([lo + 10.0 ** rng.uniform(-12, 1.2, len(lo)), np.nextafter(last, math.inf), [LIMIT + 1, 2 * LIMIT]])
    return np.concatenate([lo, last, [LIMIT - 1, -1.0]]), hi


@pytest.mark.parametrize(("name", "hull"), RANGES)
def test_boxes_are_enclosed_within_four_ulp(name: str, hull: Callable[[float, float], tuple[arb, arb]]) -> None:
    assert largest_excess_on_boxes(getattr(trigonometric, name), hull, *boxes(2)) <= 4.0


def test_sincos_has_the_bits_of_sin_and_cos() -> None:
    lo, hi = boxes(3, 300)
    both = VectorFunction(trigonometric.sincos, 2, 4)(-lo, hi)
    apart = (*VectorFunction(trigonometric.sin, 2, 2)(-lo, hi), *VectorFunction(trigonometric.cos, 2, 2)(-lo, hi))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(both, apart, strict=True))


def test_exact_values() -> None:
    zero = np.array([0.0, -0.0])
    for name, value in (("sin", 0.0), ("cos", 1.0), ("tan", 0.0)):
        n, h = VectorFunction(getattr(trigonometric, name), 2, 2)(-zero, zero)
        assert (n == -value).all() and (h == value).all()


@pytest.mark.parametrize(("name", "wide"), [("sin", 1.0), ("cos", 1.0), ("tan", math.inf)])
def test_wide_boxes(name: str, wide: float) -> None:
    """The wide answer, and no NaN, where a box is wider than its extrema are counted, also where all 2^32 of them are passed."""
    turns = 2.0**31 * math.pi
    lo = np.array([-math.inf, -math.inf, 0.0, 2 * LIMIT, -1e300, 1e300, 0.1, -LARGEST, 1e16, -1.0, LARGEST, -math.inf])
    hi = np.array([math.inf, 0.1, math.inf, 3 * LIMIT, -1e299, 1e308, 3 * LIMIT, LARGEST, 1e16 + turns, turns - 1.0, math.inf, -LARGEST])
    n, h = VectorFunction(getattr(trigonometric, name), 2, 2)(-lo, hi)
    assert (n == wide).all() and (h == wide).all()


def test_tangent_of_boxes() -> None:
    """The whole line and level 0 where the box holds a pole, else level 3 and both ends tight."""
    lo, hi = boxes(4)
    n, h = VectorFunction(trigonometric.tan, 2, 2)(-lo, hi)
    level, = VectorFunction(trigonometric.tan_level, 2, 1)(-lo, hi)
    with ctx.workprec(PRECISE):
        for a, b, x, y, known in zip(n, h, lo, hi, level, strict=True):
            piece = [integer(ball(t) / arb.pi() + 0.5) for t in (x, y)]
            if piece[0] != piece[1]:
                assert a == b == math.inf and known == 0.0
            else:
                assert known == 3.0 and max(excess(a, -ball(x).tan()), excess(b, ball(y).tan())) <= 4.0


@pytest.mark.parametrize(("name", "exact"), FUNCTIONS)
def test_point_operations(name: str, exact: Callable[[arb], arb]) -> None:
    emit = getattr(trigonometric, f"{name}_point")
    assert largest_error(emit, exact, points(5)) <= 2.0
    undefined = np.array([math.inf, -math.inf, math.nan])
    assert np.isnan(VectorFunction(emit, 1, 1, rounding="nearest")(undefined)[0]).all()


@pytest.mark.skipif(machine() != "x86_64", reason="compares two x86-64 targets")
@pytest.mark.parametrize(("name", "results"), [("sincos", 4), ("tan", 2), ("tan_level", 1)])
def test_the_same_bits_in_narrow_registers(name: str, results: int) -> None:
    lo, hi = boxes(7, 300)
    emit: Emit = getattr(trigonometric, name)
    assert same_bits(emit, 2, results, (-lo, hi))
