"""Solutions of differential equations against Taylor's series in Arb, and closed forms."""

import mpmath
import numpy as np
import pytest
import sympy as sp
from flint import arb

import codegen
from codegen.from_sympy import flow_of
from codegen.initial_value import march
from codegen.operators import DefiniteIntegral, Inverse
from generative import ode, ode_span, t
from generative.ode import ProvedSpan
from tests.initial_values import KEPLER, LORENZ, PENDULUM, Case, Referee, x, y, z

PERIOD = 6.6999756643704527
"""4 K(sin(1/2)): of the pendulum from an angle of 1."""


def solved(case: Case, end: float, **options: int) -> codegen.Kernel:
    return codegen.compile(ode(case.rates, case.states, case.start, (t, 0, end), **options), [t])


def at(kernel: codegen.Kernel, time: float) -> tuple[np.ndarray, np.ndarray]:
    lo, hi, level = kernel.decorated([[time]], [[time]])
    assert (level == 3).all()
    return lo[0], hi[0]


@pytest.mark.parametrize(("case", "end", "count", "width"),
                         [(PENDULUM, 10.0, 300, 2e-13), (LORENZ, 4.0, 60, 1e-10), (KEPLER, 6.0, 25, 1e-12)])
def test_boxes_hold_the_solution(case: Case, end: float, count: int, width: float) -> None:
    kernel, referee, rng = solved(case, end), Referee(case), np.random.default_rng(1)
    times = rng.uniform(0, end, count)
    below, above = times - rng.choice([0.0, 1e-9, 0.3], count), times + rng.choice([0.0, 1e-6, 0.5], count)
    lo, hi, level = kernel.decorated(np.clip(below, 0, end)[:, None], np.clip(above, 0, end)[:, None])
    assert (level == 3).all()
    for time, low, high in zip(times, lo, hi, strict=True):
        for true, a, b in zip(referee.at(time), low, high, strict=True):
            assert a <= true <= b
    lo, hi = kernel.interval(times[:, None], times[:, None])
    assert (hi - lo).max() < width


def test_pendulum_has_its_known_value_and_period() -> None:
    kernel = solved(PENDULUM, 10.0)
    lo, hi = at(kernel, 10.0)
    assert arb(lo[0]) <= arb("-0.998949814623850653") and arb("-0.998949814623850651") <= arb(hi[0])
    assert hi[0] - lo[0] < 1e-12
    before, after = at(kernel, PERIOD - 1e-12), at(kernel, PERIOD + 1e-12)
    assert before[0][1] > 0 > after[1][1], "the speed changes its sign there"


def test_lorenz_to_20() -> None:
    kernel, true = solved(LORENZ, 20.0), Referee(LORENZ).at(20.0)
    lo, hi = at(kernel, 20.0)
    assert all(a <= e <= b for a, e, b in zip(lo, true, hi, strict=True)) and (hi - lo).max() < 1e-3


def test_kepler_returns() -> None:
    """Eccentricity 0.6, from the pericentre."""
    solution = ode(KEPLER.rates, KEPLER.states, [sp.Rational(2, 5), 0, 0, 2], (t, 0, 2 * sp.pi))
    kernel = codegen.compile([e.subs(t, 2 * sp.pi * t) for e in solution], [t])
    lo, hi = at(kernel, 1.0)
    assert (lo <= [0.4, 0, 0, 2]).all() and (hi >= [0.4, 0, 0, 2]).all() and (hi - lo)[:2].max() < 1e-11


def test_a_top_without_torque_is_enclosed_for_ten_turns() -> None:
    """By Jacobi's functions (Landau and Lifshitz, Section 37); the enclosures of energy and momentum hold the first values throughout."""
    a, b, c = sp.Integer(1), sp.Integer(2), sp.Rational(5, 2)
    rates = [(b - c) / a * y * z, (c - a) / b * z * x, (a - b) / c * x * y]
    spin = ode(rates, [x, y, z], [sp.Rational(3, 5), 0, sp.Rational(6, 5)], (t, 0, 91))
    energy, momentum = (sum(i**k * w**2 for i, w in zip((a, b, c), spin, strict=True)) for k in (1, 2))
    with mpmath.workdps(30):
        least, most = mpmath.mpf("3.96"), mpmath.mpf("9.36")
        rate = mpmath.sqrt((c - b) * (most - least * a) / (a * b * c))
        square = (b - a) * (least * c - most) / ((c - b) * (most - least * a))
        sizes, names = (0.6, mpmath.sqrt((least * c - most) / (b * (c - b))), 1.2), ("cn", "sn", "dn")
        assert 90 < 40 * mpmath.ellipk(square) / rate < 91
        times = np.linspace(0, float(40 * mpmath.ellipk(square) / rate), 60)
        lo, hi = codegen.compile([*spin, energy, momentum], [t]).interval(times[:, None], times[:, None])
        for time, low, high in zip(times.tolist(), lo, hi, strict=True):
            for n in range(3):
                true = mpmath.mpf(sizes[n]) * mpmath.ellipfun(names[n], rate * time, m=square)
                assert low[n] - 1e-16 <= true <= high[n] + 1e-16
    assert (lo[:, 3] <= 3.96).all() and (hi[:, 3] >= 3.96).all() and (lo[:, 4] <= 9.36).all() and (hi[:, 4] >= 9.36).all()
    assert (hi - lo).max() < 1e-9


def test_oscillator_for_many_periods_both_ways() -> None:
    q, p = ode([y, -x], [x, y], [1, 0], (t, 0, -300, 300))
    lo, hi = codegen.compile([q - sp.cos(t), p + sp.sin(t)], [t]).interval([[-300.0], [300.0]], [[-300.0], [300.0]])
    assert (lo <= 0).all() and (hi >= 0).all() and (hi - lo).max() < 1e-11


def test_nothing_is_said_beyond_a_pole() -> None:
    (solution,) = ode([x**2], [x], [1], (t, 0, 2))
    kernel, told = codegen.compile(solution, [t]), ode_span(solution)
    assert 0.999 < told.span.hi < 1 and "beyond" in told.after and told.before == ""
    times = np.array([0.5, 0.9, 0.99])
    lo, hi = kernel.interval(times[:, None], times[:, None])
    assert (lo[:, 0] <= 1 / (1 - times)).all() and (1 / (1 - times) <= hi[:, 0]).all()
    lo, hi, level = kernel.decorated([[0.5], [1.0], [1.5]], [[1.0], [1.0], [1.6]])
    assert (level == 0).all() and (lo == -np.inf).all() and (hi == np.inf).all()
    assert np.isnan(kernel.points([[1.0], [3.0]])).all()


def test_equations_that_end_and_kinks() -> None:
    """sqrt(x) from 1 down to 0, where it ends; |x - 2| is passed by no step, as the solution comes to a kink."""
    (falling,), (kinked,) = (ode([rate], [x], [1], (t, 0, 9)) for rate in (-sp.sqrt(x), 1 + abs(x - 2)))
    assert 1.5 < ode_span(falling).span.hi <= 2
    assert ode_span(kinked).span.hi < sp.log(2) and ode_span(kinked).after


@pytest.mark.parametrize(("rate", "exact", "end"), [
    (1 + x**2, sp.tan(t), 1.5), (sp.exp(x), -sp.log(1 - t), 0.9), (sp.sqrt(1 - x**2), sp.sin(t), 1.5), (-1000 * x + t, (
        sp.exp(-1000 * t) - 1 + 1000 * t) / 10**6, 0.25)])
def test_states_that_begin_at_zero(rate: sp.Expr, exact: sp.Expr, end: float) -> None:
    kernel = codegen.compile([ode([rate], [x], [0], (t, 0, end))[0] - exact], [t])
    lo, hi = kernel.interval([[end / 2], [end]], [[end / 2], [end]])
    assert (lo <= 0).all() and (hi >= 0).all() and (hi - lo).max() < 1e-11


def test_rates_with_integrals_and_inverses_of_states() -> None:
    """The integral of e^s up to x is e^x - 1, that of cos s from t to x a difference of sines, and the inverse of s^3 at x^3 is x."""
    s = sp.Symbol("s", real=True)
    rates = [DefiniteIntegral(sp.exp(s), s, 0, x), DefiniteIntegral(sp.cos(s), s, t, x), Inverse(s**3, s, x**3, sp.Rational(1, 2), 4)]
    found = [ode([rate], [x], [1], (t, 0, 0.25))[0] for rate in rates]
    (sines,) = ode([sp.sin(x) - sp.sin(t)], [x], [1], (t, 0, 0.25))
    true = [-sp.log(1 - (1 - sp.exp(-1)) * sp.exp(t)), sines, sp.exp(t)]
    lo, hi, level = codegen.compile([a - b for a, b in zip(found, true, strict=True)], [t]).decorated([[0.25]], [[0.25]])
    assert (lo <= 0).all() and (hi >= 0).all() and (hi - lo).max() < 1e-9 and (level == 3).all()


def test_without_a_first_step_nothing_is_known() -> None:
    (solution,), (large,) = ode([sp.log(x)], [x], [-1], (t, 0, 9)), ode([x], [x], [10**400], (t, 0, 1))
    assert codegen.compile(large, [t]).decorated([[0.5]], [[0.5]])[2] == 0
    lo, hi, level = codegen.compile(solution, [t]).decorated([[0.0]], [[0.0]])
    assert (lo, hi, level) == (-np.inf, np.inf, 0)
    with pytest.raises(ValueError, match="nothing is proved"):
        ode_span(solution)


def test_steps_are_limited() -> None:
    solution, _ = ode(PENDULUM.rates, PENDULUM.states, PENDULUM.start, (t, 0, 10), steps=5)
    told: ProvedSpan = ode_span(solution)
    assert told.after.startswith("the limit of 5 steps") and 1 < told.span.hi < 3


STARTS = ((0.9, 1.0), (0.9, 1.01), (1.0, 1.004), (1.1, 1.0), (1.1, 1.01))
"""Angles at the start, and strengths k of the pendulum x'' = -k sin x: with the time slower by the square root of k all are alike."""


def test_ranges_of_start_values_hold_all_solutions() -> None:
    """The strength as a third state, which stands still."""
    kernel = codegen.compile(ode([y, -z * sp.sin(x), 0], [x, y, z], [(0.9, 1.1), 0, (1, 1.01)], (t, 0, 4))[:2], [t])
    times = np.linspace(0, 4, 9)
    lo, hi = kernel.interval(times[:, None], times[:, None])
    for start, strength in STARTS:
        referee, root = Referee(PENDULUM, [start, 0]), strength**0.5
        for time, low, high in zip(times, lo, hi, strict=True):
            angle, speed = referee.at(time * root)
            assert low[0] <= angle <= high[0] and low[1] <= speed * root <= high[1]
    assert (hi - lo).max() < 0.6


def test_symbols_with_ranges_are_variables() -> None:
    """x' = -k x from z: z exp(-k t), with its derivatives by all three."""
    k = sp.Symbol("k", real=True)
    (decay,) = ode([-k * x], [x], [z], (t, 0, 2), ranges={z: (0.9, 1.1), k: (1, 1.05)})
    kernel, exact = (codegen.compile([e], [t, z, k]) for e in (decay, z * sp.exp(-k * t)))
    lo = np.array([[1.5, 0.9, 1.0], [1.0, 1.0, 1.01], [0.0, 1.0, 1.05], [0.5, 1.1, 1.03]])
    for ours, true in ((kernel, exact), (kernel.jacobian(), exact.jacobian())):
        for width in ([0.0, 0.0, 0.0], [0.25, 0.0, 0.0]):
            low, high, level = ours.decorated(lo, lo + width)
            a, b = true.interval(lo, lo)
            assert (low <= b).all() and (a <= high).all() and (level == 3).all()
    low, high = kernel.interval(lo, lo)
    assert (high - low).max() < 0.02
    outside = np.array([[1.0, 0.8, 1.0], [1.0, 1.0, 1.3], [ode_span(decay).span.hi + 0.1, 1.0, 1.0]])
    low, high, level = kernel.decorated(outside, outside)
    assert (level == 0).all() and (low == -np.inf).all() and (high == np.inf).all()
    assert kernel.decorated([[1.0, 0.8, 1.0]], [[1.0, 1.0, 1.0]])[2] == 0, "a part of the box is outside"


@pytest.mark.parametrize(("case", "end"), [(PENDULUM, 10.0), (LORENZ, 1.0)])
def test_remainders_of_long_steps_are_enclosed(case: Case, end: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With steps so long that remainders are far larger than rounding."""
    for name in ("_TERM", "_REST"):
        monkeypatch.setattr(march, name, 2.0**-10)
    table, referee = march.integrated(flow_of(ode(case.rates, case.states, case.start, (t, 0, end))[0].problem)), Referee(case)
    assert 1e-12 < table.error.max() < 1
    for time in np.linspace(0, end, 60).tolist():
        k = np.searchsorted(table.ends, time, "right") - 1
        for true, c, error in zip(referee.at(time), table.coefficients[k], table.error[k], strict=True):
            value = sum(arb(float(e)) * (arb(time) - float(table.base[k])) ** j for j, e in enumerate(c))
            assert abs(value - true) <= arb(float(error)) + arb(2) ** -150


def test_a_box_that_is_not_proved_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A margin of nothing leaves no box inside of which the solution would stay."""
    monkeypatch.setattr(march, "_MARGIN", -0.5)
    case = Case([y, -sp.cos(x)], [x, y], [1, 0], PENDULUM.in_arb)
    with pytest.raises(ValueError, match="nothing is proved"):
        ode_span(ode(case.rates, case.states, case.start, (t, 0, 1))[0])


@pytest.mark.parametrize(("case", "end"), [(PENDULUM, 10.0), (LORENZ, 20.0), (KEPLER, 6.0),
                                           (Case([y, -x], [x, y], [1, 0], lambda x, y: (y, -x), "1/4"), 100.0)])
def test_of_100_000_boxes_none_leaves_the_solution_out(case: Case, end: float) -> None:
    """A quarter of them each: at random times, of all widths down to none, and so many with an end at the time itself."""
    kernel, referee, rng = solved(case, end), Referee(case), np.random.default_rng(2)
    times = np.sort(rng.uniform(0, end, 25_000))
    left, right = (rng.uniform(0, 1, times.size) ** 20 * end * rng.integers(0, 2, times.size) for _ in range(2))
    lo, hi = kernel.interval(np.maximum(times - left, 0)[:, None], np.minimum(times + right, end)[:, None])
    for time, low, high in zip(times.tolist(), lo.tolist(), hi.tolist(), strict=True):
        assert all(a <= true <= b for a, true, b in zip(low, referee.at(time), high, strict=True)), time
