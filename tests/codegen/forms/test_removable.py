"""Quotients whose parts vanish together: bounds, levels and derivatives against Arb's power series."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb_series, ctx

import codegen
from codegen.reference.interpreter import interpret

from ..arb_arithmetic import exact, surely_outside

x, t = sp.symbols("x t", real=True)

# A quotient, the place where its parts vanish, and the parts as functions of a power series.
QUOTIENTS: dict[str, tuple[Any, float, Callable[[Any], tuple[Any, Any]]]] = {
    "sinc": (sp.sin(x) / x, 0, lambda s: (s.sin(), s)),
    "one minus cosine": ((1 - sp.cos(x)) / x**2, 0, lambda s: (1 - s.cos(), s * s)),
    "expm1": ((sp.exp(x) - 1) / x, 0, lambda s: (s.exp() - 1, s)),
    "log1p": (sp.log(1 + x) / x, 0, lambda s: ((s + 1).log(), s)),
    "second order": ((sp.exp(x) - 1 - x) / x**2, 0, lambda s: (s.exp() - 1 - s, s * s)),
    "tangent": (sp.tan(x) / x, 0, lambda s: (s.tan(), s)),
    "arcsine": (sp.asin(x) / x, 0, lambda s: (s.asin(), s)),
    "Bernoulli": (x / (sp.exp(x) - 1), 0, lambda s: (s, s.exp() - 1)),
    "Planck": (x**3 / (sp.exp(x) - 1), 0, lambda s: (s * s * s, s.exp() - 1)),
    "Langevin": (sp.coth(x) - 1 / x, 0, lambda s: (s * (s.exp() + (-s).exp()) - s.exp() + (-s).exp(), s * (s.exp() - (-s).exp()))),
    "derivative of sinc": (sp.cos(x) / x - sp.sin(x) / x**2, 0, lambda s: (s * s.cos() - s.sin(), s * s)),
    "cotangent": (1 / x - sp.cot(x), 0, lambda s: (s.sin() - s * s.cos(), s * s.sin())),
    "at one": (sp.log(x) / (x - 1), 1, lambda s: (s.log(), s - 1)),
    "at three": ((x**3 - 27) / (sp.sqrt(x + 1) - 2), 3, lambda s: (s * s * s - 27, (s + 1).sqrt() - 2)),
}

LIMITS = {"one minus cosine": sp.Rational(1, 2), "second order": sp.Rational(1, 2), "at three": 108, "Planck": 0, "Langevin": 0,
          "derivative of sinc": 0, "cotangent": 0}


@pytest.fixture(autouse=True)
def _precise() -> Any:
    bits, terms = ctx.prec, ctx.cap
    ctx.prec, ctx.cap = 700, 12
    yield
    ctx.prec, ctx.cap = bits, terms


def truths(parts: Callable[[Any], tuple[Any, Any]], at: Fraction, place: float) -> list[Any]:
    """The value and two derivatives, as balls. At the place itself coefficients that vanish exactly are divided out."""
    above, below = parts(arb_series([exact(at), 1]))
    n, d = ([above[k] for k in range(12)], [below[k] for k in range(12)])
    while at == place and d[0].contains(0):
        n, d = n[1:], d[1:]
    series = arb_series(n) / arb_series(d)
    return [series[k] * math.factorial(k) for k in range(3)]


def boxes(place: float) -> list[tuple[float, float]]:
    """Thin and wide ones that hold the place, touch it and lie near it, and points."""
    sizes = [2.0**-k for k in (1, 4, 10, 20, 30, 45)]
    found = [(place, place), *((place - r, place + r) for r in sizes), *((place, place + r) for r in sizes)]
    return found + [(place + sign * r, place + sign * r + w * r) for r in sizes for sign in (1, -1) for w in (0.0, 2.0**-30, 0.25)]


@pytest.mark.parametrize("name", QUOTIENTS)
def test_bounds_hold_values_and_derivatives(name: str) -> None:
    quotient, place, parts = QUOTIENTS[name]
    kernels = [codegen.compile([quotient], [x], quick=True)]
    kernels += [kernels[0].jacobian(), kernels[0].hessian()]
    lo, hi = (np.array(ends).reshape(-1, 1) for ends in zip(*boxes(place), strict=True))
    bounds = [kernel.interval(lo, hi) for kernel in kernels]
    for row, (a, b) in enumerate(zip(lo[:, 0], hi[:, 0], strict=True)):
        for part in (0, Fraction(1, 3), Fraction(5, 8), 1):
            at = Fraction(a) + part * (Fraction(b) - Fraction(a))
            for order, (truth, (least, most)) in enumerate(zip(truths(parts, at, place), bounds, strict=True)):
                if order or at != place or a < b:
                    assert not surely_outside(truth, least[row, 0], most[row, 0]), (name, order, a, b, float(at))


@pytest.mark.parametrize("name", QUOTIENTS)
def test_bounds_near_the_place_are_narrow(name: str) -> None:
    """Of boxes of width r, bounds are of that order; they are differentiable where the place is not in them, and of level 0 with it."""
    quotient, place, _ = QUOTIENTS[name]
    kernel = codegen.compile([quotient], [x], quick=True)
    r = 2.0 ** -np.arange(6, 50, 4.0).reshape(-1, 1)
    for lo, hi, level in ((place - r, place + r, 0), (place + r, place + 2 * r, 3)):
        for made, proved in ((kernel, level), (kernel.jacobian(), level)):
            a, b, levels = made.decorated(lo, hi)
            assert (b - a < 100 * r + 1e-15 * np.maximum(np.abs(a), 100)).all() and (levels == proved).all(), (name, made)


@pytest.mark.parametrize("name", QUOTIENTS)
def test_a_piecewise_with_the_limit_is_the_whole_function(name: str) -> None:
    quotient, place, parts = QUOTIENTS[name]
    value, slope, _ = truths(parts, Fraction(place), place)
    limit = LIMITS.get(name, 1)
    for whole in (sp.Piecewise((quotient, sp.Ne(x, place)), (limit, True)), sp.Piecewise((limit, sp.Eq(x - place, 0)), (quotient, True))):
        kernel = codegen.compile([whole], [x], quick=True)
        for made, truth in ((kernel, value), (kernel.jacobian(), slope)):
            lo, hi, level = made.decorated([[place], [place - 1e-3]], [[place], [place + 1e-3]])
            assert (level == 3).all() and (hi - lo < [[1e-12], [0.1]]).all()
            assert not any(surely_outside(truth, a, b) for a, b in zip(lo[:, 0], hi[:, 0], strict=True))
            assert made.points([[place]])[0, 0] == pytest.approx(float(truth), abs=1e-9)


def test_points_keep_their_digits() -> None:
    """At 1e-8, 1 - cos x is 0 or 1e-16 in doubles. Undefined stays undefined."""
    for name in ("one minus cosine", "second order", "expm1", "Langevin", "at one"):
        quotient, place, parts = QUOTIENTS[name]
        at = place + 2.0 ** -np.arange(1.0, 50.0, 3.0)
        values = codegen.compile([quotient], [x], quick=True).points(at.reshape(-1, 1))[:, 0]
        for a, value in zip(at, values, strict=True):
            truth = float(truths(parts, Fraction(a), place)[0])
            assert value == pytest.approx(truth, rel=2e-11, abs=1e-300), (name, a)
        assert np.isnan(codegen.compile([quotient], [x], quick=True).points([[place]])).all()


def test_another_value_than_the_limit_is_a_jump() -> None:
    kernel = codegen.compile([sp.Piecewise((sp.sin(x) / x, sp.Ne(x, 0)), (2, True))], [x])
    lo, hi, level = kernel.decorated([[-0.1], [0.0]], [[0.1], [0.0]])
    assert lo[0, 0] > 0.99 and hi[0, 0] == 2 and level[0, 0] == 1 and lo[1, 0] == hi[1, 0] == 2


def test_kinks_and_several_variables() -> None:
    clip = codegen.compile([sp.Max(sp.Min(x, 1), -1) / x], [x])
    lo, hi, level = clip.decorated([[-0.5], [-3.0], [0.5], [2.0]], [[0.5], [3.0], [3.0], [4.0]])
    assert (lo[:2] >= 0).all() and (hi[:3] == 1).all() and lo[0, 0] == 1 and (lo[3, 0], hi[3, 0]) == (0.25, 0.5)
    wave = codegen.compile([sp.sin(t * x) / x, sp.sin(t * x) / (t * x), sp.sin(sp.sqrt(t**2 + x**2)) / sp.sqrt(t**2 + x**2)], [x, t])
    lo, hi, _ = wave.decorated([[-0.1, 2.0]], [[0.1, 3.0]])
    assert (lo[0] >= [1.8, 0.95, 0.0]).all() and (hi[0] <= [3.01, 1.001, 0.5]).all()
    # A sign has both values, and no limit.
    lo, hi, level = codegen.compile([sp.Abs(x) / x], [x]).decorated([[-1.0]], [[1.0]])
    assert lo[0, 0] <= -1 and hi[0, 0] >= 1 and level[0, 0] == 0


def test_a_place_that_is_no_rational_number() -> None:
    kernel = codegen.compile([sp.sin(x) / (x - sp.pi), sp.sin(sp.pi * x) / (x - 1)], [x])
    lo, hi, level = kernel.decorated([[3.1], [0.9]], [[3.2], [1.1]])
    assert lo[0, 0] >= -1 - 1e-15 and hi[0, 0] < -0.99 and lo[1, 1] >= -3.1416 and hi[1, 1] < -3.08 and (level[0, 0], level[1, 1]) == (0, 0)


def test_the_interpreters_have_the_same_bits() -> None:
    """The machine code, the program of single operations and the slow reference, which rounds tightly."""
    outputs = codegen.compile([QUOTIENTS["sinc"][0], sp.Piecewise((QUOTIENTS["expm1"][0], x > 0)), sp.cot(x), sp.frac(x)], [x])
    quick = codegen.compile([QUOTIENTS["sinc"][0], sp.Piecewise((QUOTIENTS["expm1"][0], x > 0)), sp.cot(x), sp.frac(x)], [x], quick=True)
    lo, hi = (np.array(e).reshape(-1, 1) for e in zip(*boxes(0.0), strict=True))
    for kernel, other in ((outputs, quick), (outputs.jacobian(), quick.jacobian())):
        found, same, tight = kernel.decorated(lo, hi), other.decorated(lo, hi), interpret(kernel.outputs, lo, hi)
        assert all(np.array_equal(a, b) for a, b in zip(found, same, strict=True))
        assert (found[0] <= tight[0]).all() and (tight[1] <= found[1]).all()


def test_no_other_formula_is_changed() -> None:
    """Quotients without a common zero, or with one that is not proved, are the graphs that they were."""
    norm = sp.sqrt(x**2 + t**2)
    for e, count in ((sp.cos(x) / x, 3), (x / (1 + x**2), 5), (sp.sin(x) / x**2, 4), (x / norm, 7), ((1 + t * x) / (1 + x), 7)):
        assert repr(codegen.compile([e], [x, t])).endswith(f"{count} operations>"), e


def test_a_part_without_a_value_is_no_nonnegative_factor() -> None:
    """Where the condition fails the whole line is the answer, whatever the sign of the formula is where it holds."""
    e = sp.Piecewise((x**2, x < 1)) * sp.Abs(t) * sp.exp(t)
    for quick in (True, False):
        kernel = codegen.compile([e], [x, t], quick=quick)
        lo, hi, level = kernel.decorated([[2.0, 0.0], [2.0, 1.0], [0.5, 1.0]], [[3.0, 1.0], [3.0, 2.0], [2.0, 1.0]])
        assert not np.isnan(lo).any() and not np.isnan(hi).any() and level[:, 0].tolist() == [0, 0, 0]
        assert (lo[1, 0], hi[1, 0]) == (-np.inf, np.inf) and lo[2, 0] <= 0.25 * math.e and hi[2, 0] >= math.e
