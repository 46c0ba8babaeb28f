"""Kinks of the equations in time (`initial_value.crossed`, `forms.time_kinks`): closed forms on both sides of them."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import codegen
from codegen.initial_value.crossed import neighbours
from generative import ode, ode_span, t

x, y = sp.symbols("x y", real=True)
R = sp.Rational


def check(f: sp.Expr, truth: sp.Expr, times: np.ndarray, wide: float = 1e-12) -> None:
    lo, hi, level = codegen.compile([f, f.diff(t)], [t], quick=True).decorated(times[:, None], times[:, None])
    values = np.array([[float(sp.N(g.subs(t, sp.Rational(float(s))), 30)) for g in (truth, truth.diff(t))] for s in times])
    assert (level[:, 0] == 3).all()
    assert ((lo <= values + 1e-15 * (1 + abs(values))) & (values - 1e-15 * (1 + abs(values)) <= hi)).all()
    assert (hi - lo <= wide).all()


@pytest.mark.parametrize("kink", [R(1), R(1, 3), R(-1, 2), R(0)])
def test_a_kink_is_crossed(kink: sp.Rational) -> None:
    """x' = |t - k| from 0 at 0: x = (|t - k|(t - k) + |k| k) / 2."""
    (f,) = ode([sp.Abs(t - kink)], [x], start=[0], time=(t, 0, -2, 3))
    assert ode_span(f).before == ode_span(f).after == ""
    check(f, (sp.Abs(t - kink) * (t - kink) + abs(kink) * kink) / 2, np.array([-1.9, -0.7, -0.3, 0.1, 0.9, 1.1, 2.9]))


def test_several_kinks_and_a_piecewise() -> None:
    """x' = -x + Min(t, 1) - Max(t - 2, 0), and a state that is driven by a continuous Piecewise."""
    drive = sp.Piecewise((t, t < R(1, 3)), (R(2, 3) - t, t < R(7, 10)), (R(-1, 30), True))
    place, other = ode([-x + sp.Min(t, 1) - sp.Max(t - 2, 0), drive], [x, y], start=[0, 0], time=(t, 0, 3))
    assert ode_span(place).after == ""
    check(place, t - 1 + sp.exp(-t), np.array([0.2, 0.5, 0.9]))
    at_one = sp.exp(-1)
    check(place, 1 + (at_one - 1) * sp.exp(1 - t), np.array([1.1, 1.6, 1.9]))
    check(other, R(1, 18) + R(2, 3) * (t - R(1, 3)) - (t**2 - R(1, 9)) / 2, np.array([0.4, 0.6]))


def test_jumps_are_not_crossed() -> None:
    (f,) = ode([sp.Piecewise((1, t < 1), (2, True)) - x], [x], start=[0], time=(t, 0, 3))
    span = ode_span(f)
    assert 0.99 < span.span.hi <= 1 and span.after


def test_a_box_of_starts_crosses_too() -> None:
    place, speed = ode([y, -x + sp.Abs(t - R(1, 3))], [x, y], start=[(0, R(1, 100)), (1, R(101, 100))], time=(t, 0, 2))
    assert ode_span(place).after == ""
    lo, hi = codegen.compile([place, speed], [t], quick=True).interval([[2.0]], [[2.0]])
    assert (hi - lo < 0.06).all()


def test_one_equation_from_a_box_crosses_between_both_ends() -> None:
    """x' = |t - 1/3| from [0, 1]: no solution leaves the others."""
    (f,) = ode([sp.Abs(t - R(1, 3))], [x], start=[(0, 1)], time=(t, 0, 2))
    assert ode_span(f).after == ""
    lo, hi = codegen.compile([f], [t], quick=True).interval([[2.0]], [[2.0]])
    least = ((2 - 1 / 3)**2 + 1 / 9) / 2
    assert lo[0, 0] <= least <= least + 1 <= hi[0, 0] and hi[0, 0] - lo[0, 0] < 1.01


def test_neighbours_of_times() -> None:
    low, high = neighbours(Fraction(1, 3), True)
    assert Fraction(low) < Fraction(1, 3) < Fraction(high) and neighbours(Fraction(1, 3), False) == (high, low)
    assert neighbours(Fraction(1, 2), True) == (0.5, 0.5)
