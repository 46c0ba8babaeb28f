"""Problems of any size: numbers and domains beyond what kernels are made for have other kernels, and bounds all the same."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import collide
from codegen.graph.expr import ExprPool
from codegen.graph.signs import LARGEST
from collide.search.problem import Problem
from generative import ParametricSurface, Rigid, t, u, v

Q = sp.Rational


def scaled(size: float, end: float = 2.0) -> Problem:
    """Zeros of p^2 x^2 - p x q between 0 and `end`."""
    pool = ExprPool()
    x, p, q = pool.variable(0), pool.parameter(0), pool.parameter(1)
    numbers = np.array([[size, size], [0.75, 0.75]])
    return Problem(("x",), np.array([[0.0, end]]), np.array([[0.0, end]]), (p * x * (p * x) - p * (x * q),), parameters=numbers)


def bounds(problem: Problem, lo: float, hi: float) -> tuple[float, float, float, float]:
    """Of the equation, and of its derivative."""
    parameters = problem.parameters[:, 0], problem.parameters[:, 1]
    value = problem.range_kernel.interval([[lo]], [[hi]], parameters=parameters)
    slope = problem.slope_kernel.interval([[lo]], [[hi]], parameters=parameters)
    return value[0][0, 0], value[1][0, 0], slope[0][0, 0], slope[1][0, 0]


@pytest.mark.parametrize(("size", "end"), [(3.0, 2.0), (2.0**40, 2.0), (1e200, 2.0), (3.0, 2.0**40), (-(2.0**33), 2.0)])
def test_numbers_and_domains_of_any_size_have_bounds(size: float, end: float) -> None:
    template = scaled(1.0)
    assert template.bounded
    box = np.array([[0.0, end]])
    problem = template.instance(np.array([[size, size], [0.75, 0.75]]), box, box)
    assert problem.bounded is (max(abs(size), end) <= LARGEST)
    lo, hi = end / 4, end / 2
    low, high, least, most = bounds(problem, lo, hi)
    p, q = Fraction(size), Fraction(0.75)
    for x in (Fraction(lo), Fraction(3 * hi + lo) / 4, Fraction(hi)):
        assert low <= p * x * (p * x) - p * x * q <= high
        assert least <= 2 * p * p * x - p * q <= most
    if abs(size) < 1e100:
        assert np.isfinite([low, high, least, most]).all(), "the fallback knows bounds"


def test_instances_share_kernels_with_those_of_their_kind() -> None:
    template = scaled(1.0)
    box = template.outer
    small, large, other = (template.instance(np.array([[s, s], [q, q]]), box, box) for s, q in ((5.0, 1.0), (1e12, 1.0), (2e12, -1.0)))
    assert small.range_kernel is template.range_kernel and large.range_kernel is other.range_kernel is not small.range_kernel
    assert small.range_kernel.bounded and not large.range_kernel.bounded


def test_what_was_derived_from_formulas_goes_with_them_and_not_with_others() -> None:
    problem = scaled(1.0)
    (e,) = problem.equations
    narrowed = replace(problem, outer=np.array([[0.0, 1.0]]), label=(2, 3))
    assert narrowed.range_kernel is problem.range_kernel and narrowed.parameter_blocks[0] is problem.parameter_blocks[0]
    assert bounds(replace(problem, equations=(-e,)), 0.5, 0.75)[:2] == tuple(-b for b in reversed(bounds(problem, 0.5, 0.75)[:2]))
    other = replace(problem, parameters=np.array([[2.0, 3.0], [0.5, 0.5]]))
    assert other.parameter_blocks[0][0, :, 0].tolist() == [-2.0, 3.0] and problem.parameter_blocks[0][0, :, 0].tolist() == [-1.0, 1.0]


def test_contact_of_bodies_that_are_far_away() -> None:
    """Two balls of radius 1 that close in at unit speed, 2^34 and more from the origin, where doubles are 2^-18 apart and less."""
    far = 2**34
    ball = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-Q(3, 2), Q(3, 2))})
    tilt = Rigid(rotation=[3, 1, 2, 1], normalize=True)
    first = ball.moved(tilt).moved(Rigid(translation=[far, 0, 0]))
    second = ball.moved(tilt).moved(Rigid(translation=[far + 4 - t, 0, 0]))
    budget = collide.Budget(seconds=20, boxes=20000)
    c = collide.first_contact([first, second], time=(0, 3), tolerance=1e-3, simultaneity=1e-3, budget=budget)
    assert c.status is not collide.Status.NO_CONTACT and c.time is not None and c.time.lo <= 2 <= c.time.hi
    assert 1.9 < c.clear_until <= 2
