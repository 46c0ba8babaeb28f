"""Flows from boxes of starts: one equation by both ends, several by parts of the start; closed forms are the truth."""

import numpy as np
import pytest
import sympy as sp

import codegen
from codegen.initial_value.merged import _between, _overlaps
from generative import ode, ode_span, t

x, y = sp.symbols("x y", real=True)
TIMES = np.linspace(0, 4, 41)[:, None]


def bounds(f: sp.Expr, times: np.ndarray = TIMES) -> tuple[np.ndarray, np.ndarray]:
    lo, hi, level = codegen.compile([f], [t], quick=True).decorated(times, times)
    assert (level == 3).all()
    return lo[:, 0], hi[:, 0]


def test_one_equation_lies_between_both_ends_of_its_start() -> None:
    """x' = -x^3 from 0 to 1: x = s / sqrt(2 s^2 t + 1). Its derivative is that of each of them."""
    (f,) = ode([-x**3], [x], start=[(0, 1)], time=(t, 0, 4))
    lo, hi = bounds(f)
    down, up = bounds(f.diff(t))
    for s in np.linspace(0, 1, 9):
        truth = s / np.sqrt(2 * s**2 * TIMES[:, 0] + 1)
        assert ((lo <= truth + 1e-12) & (truth - 1e-12 <= hi)).all()
        assert ((down <= -truth**3 + 1e-12) & (-truth**3 - 1e-12 <= up)).all()
    top = 1 / np.sqrt(2 * TIMES[:, 0] + 1)
    assert (hi - lo <= 1.1 * top).all()


def test_a_start_and_a_time_of_both_signs() -> None:
    """x' = x from [-1, 2], both ways."""
    (f,) = ode([x], [x], start=[(-1, 2)], time=(t, 0, -1, 1))
    lo, hi = bounds(f, np.linspace(-1, 1, 11)[:, None])
    grown = np.exp(np.linspace(-1, 1, 11))
    assert (hi - lo <= 3.7 * grown).all()
    assert (lo <= -grown + 1e-12).all() and (2 * grown - 1e-12 <= hi).all()


def test_nothing_is_said_where_solutions_may_part() -> None:
    """x' = 3 |x|^(2/3) has many solutions through 0, which lies between the starts."""
    (f,) = ode([3 * sp.cbrt(x**2)], [x], start=[(-1, 1)], time=(t, 0, 1))
    with pytest.raises(ValueError, match=r".*"):
        ode_span(f)


def test_a_start_is_divided_where_it_must_be() -> None:
    rates, start = [y, (1 - x**2) * y - x], [(sp.Rational(13, 10), sp.Rational(3, 2)), (sp.Rational(-1, 10), sp.Rational(1, 10))]
    whole, parted = (ode(rates, [x, y], start=start, time=(t, 0, 3), divisions=n) for n in (1, 40))
    assert ode_span(whole[0]).span.hi < 3 <= ode_span(parted[0]).span.hi
    times = np.linspace(0, 3, 7)[:, None]
    from scipy.integrate import solve_ivp

    kernel = codegen.compile(parted, [t], quick=True)
    lo, hi = kernel.interval(times, times)
    for corner in np.random.default_rng(2).uniform([1.3, -0.1], [1.5, 0.1], (8, 2)):
        found = solve_ivp(lambda s, z: [z[1], (1 - z[0]**2) * z[1] - z[0]], (0, 3), corner, t_eval=times[:, 0], rtol=1e-11, atol=1e-12).y.T
        assert ((lo <= found + 1e-8) & (found - 1e-8 <= hi)).all()


def test_cells_that_overlap_and_cells_that_are_cut() -> None:
    g, m = _overlaps(np.array([0.0, 1.0, 2.0]), np.array([-1.0, 0.5, 1.0, 3.0]))
    assert list(zip(g.tolist(), m.tolist(), strict=True)) == [(0, 0), (0, 1), (1, 2)]
    (f,) = ode([x], [x], start=[1], time=(t, 0, 2))
    from codegen.from_sympy import flow_of
    from codegen.graph.flows import table

    cells = table(flow_of(f.problem))
    cut = _between(cells, 0.25, 1.5)
    assert cut.ends[0] == 0.25 and cut.ends[-1] == 1.5 and len(cut.base) == len(cut.ends) - 1 <= len(cells.base)
