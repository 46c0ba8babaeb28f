"""log Gamma, Gamma and polygamma functions: values against Arb, ranges, ends of the domain, coefficients."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from codegen.emit.elementary import gamma
from codegen.emit.elementary.gamma import LEAST, LEAST_AT, LEAST_LOG
from codegen.emit.lanes import Emit
from codegen.machine.native import machine
from tests.lanes import VectorFunction

from .referee import ball, same_bits

Real = Callable[[arb], arb]
ORDERS = [0, 1, 2, 5, 20]


def psi(n: int) -> Real:
    return (lambda a: a.digamma()) if n == 0 else lambda a: (-1) ** (n + 1) * arb(n + 1).gamma() * arb(n + 1).zeta(a)


# Emitter, referee, point emitter, allowed width relative to the larger of the value and 1.
FUNCTIONS: dict[str, tuple[Emit, Real, Emit, float]] = {
    "loggamma": (gamma.loggamma, lambda a: a.lgamma(), gamma.loggamma_point, 1e-13),
    "gamma": (gamma.gamma, lambda a: a.gamma(), gamma.gamma_point, 2e-12),
    **{f"psi{n}": (lambda L, *x, n=n: gamma.polygamma(L, *x, n), psi(n), lambda L, x, n=n: gamma.polygamma_point(L, x, n),
                   2e-14 if n < 3 else 1e-11 if n < 9 else 1e-3) for n in ORDERS},
}  # fmt: skip


@pytest.fixture(params=FUNCTIONS)
def function(request: pytest.FixtureRequest) -> tuple[Emit, Real, Emit, float]:
    return FUNCTIONS[request.param]


def points() -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.concatenate([rng.uniform(0, 9, 300), rng.uniform(9, 171, 200), 2.0 ** rng.uniform(-40, 40, 100), np.arange(1.0, 25),
                           [8.0, 1e-310, 1e300], LEAST_AT, np.nextafter([1.0, 2.0, 8.0], 0), np.nextafter([1.0, 2.0], 3)])


def test_values_are_enclosed(function: tuple[Emit, Real, Emit, float]) -> None:
    emit, f, point, width = function
    x = points()
    n, h = VectorFunction(emit, 2, 2)(-x, x)
    (values,) = VectorFunction(point, 1, 1, rounding="nearest")(x)
    with ctx.workprec(600):
        for a, b, v, t in zip(n, h, values, x, strict=True):
            y = f(ball(t)) if t < 1e5 or emit is not gamma.gamma else arb(10) ** 400
            assert y.is_finite() and not (a < math.inf and ball(a) < -y) and not (b < math.inf and ball(b) < y), t
            if max(abs(a), abs(b)) < 1e300:
                room = width * max(1, abs(float(y)))
                assert b + a <= room and abs(v - float(y)) <= room, t


def test_boxes_are_enclosed(function: tuple[Emit, Real, Emit, float]) -> None:
    """As tight as values at their ends and, inside, at the least value."""
    emit, f, _, width = function
    rng = np.random.default_rng(2)
    lo = rng.uniform(0.01, 12, 300)
    hi = lo + 10.0 ** rng.uniform(-6, 1, 300)
    n, h = VectorFunction(emit, 2, 2)(-lo, hi)
    with ctx.workprec(200):
        for a, b, s, t in zip(n, h, lo, hi, strict=True):
            inside = [LEAST_AT[0]] if s < LEAST_AT[0] < t else []
            values = [f(ball(u)) for u in [*np.linspace(s, t, 7), *inside]]
            assert all(not ball(a) < -y and not ball(b) < y for y in values)
            least, most = min(map(float, values)), max(map(float, values))
            assert -a >= least - width * max(1, abs(least)) and b <= most + width * max(1, abs(most))


def test_ends_of_the_domain() -> None:
    inf = math.inf
    lo, hi = np.array([-inf, 0.0, -1.0, -1.0, 5.0, 1e300]), np.array([inf, inf, -0.5, 2.0, inf, 1e308])
    bounds = {name: VectorFunction(FUNCTIONS[name][0], 2, 2)(-lo, hi) for name in ("loggamma", "gamma", "psi0", "psi1", "psi2")}
    found = {name: list(zip((-n).tolist(), h.tolist(), strict=True)) for name, (n, h) in bounds.items()}
    assert found["loggamma"][:4] == [(LEAST_LOG, inf), (LEAST_LOG, inf), (-inf, inf), (LEAST_LOG, inf)] and found["loggamma"][4][1] == inf
    assert found["gamma"][:4] == [(-inf, inf), (LEAST, inf), (-inf, inf), (-inf, inf)]
    assert found["gamma"][5][1] == inf and 23.9 < found["gamma"][4][0] < 24.0
    assert found["psi0"][:3] == [(-inf, inf)] * 3 and found["psi0"][3][0] == -inf and 0.42 < found["psi0"][3][1] < 0.423
    assert found["psi1"][:3] == [(0, inf), (0, inf), (-inf, inf)] and found["psi1"][4][0] == 0
    assert found["psi2"][:3] == [(-inf, 0), (-inf, 0), (-inf, inf)] and found["psi2"][4][1] == 0
    for name in found:
        (values,) = VectorFunction(FUNCTIONS[name][2], 1, 1, rounding="nearest")(np.array([0.0, -1.5, math.nan, inf]))
        assert np.isnan(values[:3]).all() and not np.isnan(values[3])


def test_the_least_values() -> None:
    with ctx.workprec(200):
        assert ball(LEAST_AT[0]).digamma() < 0 < ball(LEAST_AT[1]).digamma() and LEAST_AT[1] == math.nextafter(LEAST_AT[0], 2)
        place = arb("1.46163214496836234126265954232572132846819620400644629")
        assert ball(LEAST_LOG) < place.lgamma() and ball(LEAST) < place.gamma()
        assert place.gamma() - ball(LEAST) < 2.0**-53 and place.lgamma() - ball(LEAST_LOG) < 2.0**-55


def test_coefficients_are_stirlings() -> None:
    assert gamma.coefficients(-1)[:4] == [Fraction(1, 12), Fraction(-1, 360), Fraction(1, 1260), Fraction(-1, 1680)]
    assert gamma.coefficients(0)[:3] == [Fraction(1, 12), Fraction(-1, 120), Fraction(1, 252)]
    with ctx.workprec(100):
        for k, b in enumerate(gamma.bernoulli(23)):
            assert arb(fmpq(b.numerator, b.denominator)).overlaps(arb.bernoulli(k))


def test_what_is_left_out_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two terms the last one carries most of the width, and without it values are lost."""
    monkeypatch.setattr(gamma, "coefficients", lambda order, known=gamma.coefficients: [*known(order)[:2], Fraction(0)])
    with pytest.raises(AssertionError):
        test_values_are_enclosed(FUNCTIONS["psi1"])


@pytest.mark.skipif(machine() != "x86_64", reason="compares two x86-64 targets")
def test_the_same_bits_in_narrow_registers() -> None:
    lo = np.random.default_rng(6).uniform(-1, 20, 200)
    for name in ("loggamma", "gamma", "psi1"):
        assert same_bits(FUNCTIONS[name][0], 2, 2, (-lo, lo + 0.5))
