"""Arguments of `ode`, taken and refused."""

import re
from typing import Any

import numpy as np
import pytest
import sympy as sp

from codegen import Interval
from generative import ode, ode_span, t
from generative.numeric import approx_function
from tests.initial_values import x, y

k = sp.Symbol("k", real=True)


@pytest.mark.parametrize(("arguments", "message"), [
    (([y], [x, y], [1, 0], (t, 0)), "as many rates and start values as states, got 1 and 2 for 2"),
    (([], [], [], (t, 0)), "as many rates"),
    (("y", [x], [1], (t, 0)), "the rates of ode must be a list"),
    (([y, "x"], [x, y], [1, 0], (t, 0)), "not as text"),
    (([y, sp.I], [x, y], [1, 0], (t, 0)), "a rate of ode must be a real formula"),
    (([y, -x], [x, x], [1, 0], (t, 0)), "a symbol of its own"),
    (([y, -x], [x, 3], [1, 0], (t, 0)), "are symbols, got 3"),
    (([y, -x], [x, y], [1, x], (t, 0)), "must not depend on the states or the time"),
    (([y, -x], [x, y], [1, (2, 1)], (t, 0)), "empty or reversed"),
    (([y, -x], [x, y], [1, 0], (t,)), "the time of ode is (t, t0)"),
    (([y, -x], [x, y], [1, 0], t), "the time of ode must be a list"),
    (([y, -x], [x, y], [1, 0], (t, t)), "must not depend on the time"),
    (([y, -x], [x, y], [1, 0], (t, 0, k)), "needs numbers as its ends"),
    (([y, -x], [x, y], [1, 0], (t, 0, sp.oo)), "must be a real formula"),
])
def test_bad_input_is_refused_in_one_sentence(arguments: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        ode(*arguments)


@pytest.mark.parametrize("steps", [0, 2.5, True])
def test_steps_are_a_positive_number(steps: Any) -> None:
    with pytest.raises(ValueError, match="positive number of steps"):
        ode([x], [x], [1], (t, 0), steps=steps)


def test_start_at_any_time() -> None:
    """x' = x t from 1 at pi: exp((t^2 - pi^2) / 2)."""
    (f,) = ode([x * t], [x], [1], (t, sp.pi, 2, 4))
    at = np.array([2.0, 3.0, 4.0])
    assert np.abs(approx_function([f], [t])(at)[:, 0] / np.exp((at**2 - np.pi**2) / 2) - 1).max() < 1e-13
    assert f.subs(t, sp.pi) == 1 and ode_span(f).span.contains(Interval(-1.14, 0.85))


def test_span_is_told_of_solutions_only() -> None:
    with pytest.raises(ValueError, match="a function that ode made, got 2"):
        ode_span(2 * t / t)
    with pytest.raises(ValueError, match="substitute numbers"):
        ode_span(ode([k * x], [x], [1], (t, 0))[0])


def test_symbols_become_numbers_later() -> None:
    (f,) = ode([k * x], [x], [1], (t, 0, 2))
    assert f.free_symbols == {t, k} and np.isclose(approx_function([f.subs(k, 2)], [t])(np.array(1.0))[0], np.exp(2))
