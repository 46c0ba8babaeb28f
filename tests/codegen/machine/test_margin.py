"""Minima and maxima of quadrics as programs: bounds hold the values at points of boxes, in exact rationals."""

from fractions import Fraction

import numpy as np
import pytest

from codegen.graph.signs import LARGEST
from codegen.machine.margin import TERMS, Margin


def value(coefficients, point):
    return sum(c * point[0] ** i * point[1] ** j * point[2] ** k for c, (i, j, k) in zip(coefficients, TERMS, strict=True))


def drawn(rng, intervals):
    """An exact number of each interval."""
    return [Fraction(lo) + Fraction(rng.random()) * (Fraction(hi) - Fraction(lo)) for lo, hi in intervals.tolist()]


def boxes(rng):
    lo = rng.normal(size=(11, 3))
    return lo, lo + rng.random((11, 3)) * 10.0 ** rng.integers(-12, 1)


@pytest.mark.parametrize("seed", range(12))
def test_bounds_hold_the_values(seed):
    rng = np.random.default_rng(seed)
    wide = rng.random((10, 2)) * [[-1e-3, 1e-3]] * (seed % 2)
    quadric = rng.normal(size=(10, 1)) * (rng.random((10, 1)) < 0.8) + wide
    plane, centre = np.sort(rng.normal(size=(4, 2)), axis=1), np.round(rng.normal(size=3), 3)
    margin = Margin()
    first, second = margin.quadric(quadric, centre.tolist()), margin.plane(plane)
    thin = margin.least(first, margin.opposite(first))
    margin.end(margin.greatest(margin.least(second, margin.zero()), thin))
    lo, hi = boxes(rng)
    below, above = margin.bounds(lo, hi)
    for k in range(len(lo)):
        for _ in range(20):
            at = drawn(rng, np.stack([lo[k], hi[k]], axis=1))
            one = value(drawn(rng, quadric), [c - Fraction(m) for c, m in zip(at, centre.tolist(), strict=True)])
            other = value([0] * 6 + drawn(rng, plane), at)
            assert Fraction(below[k]) <= max(min(other, 0), -abs(one)) <= Fraction(above[k])


def test_a_ball_is_told_apart_to_second_order():
    """About its centre x^2 + y^2 + z^2 - 1 has its range; about another point it has it but for the square of the size of the box."""
    ball = np.repeat([1.0, 1, 1, 0, 0, 0, 0, 0, 0, -1], 2).reshape(10, 2)
    for centre, loss in (([0.0, 0, 0], 1e-12), ([0.3, -0.2, 0.5], 2e-6)):
        moved = ball.copy()
        moved[6:9], moved[9] = np.repeat(2 * np.array(centre), 2).reshape(3, 2), np.dot(centre, centre) - 1
        margin = Margin()
        margin.end(margin.quadric(moved, centre))
        lo, hi = np.array([[0.5, 0.5, 0.5]]), np.array([[0.501, 0.501, 0.501]])
        below, above = margin.bounds(lo, hi)
        assert below[0] <= 3 * 0.25 - 1 <= below[0] + loss and above[0] - loss <= 3 * 0.501**2 - 1 <= above[0]


def test_of_boxes_too_large_nothing_is_told():
    margin = Margin()
    margin.end(margin.plane(np.ones((4, 2))))
    lo, hi = np.array([[0, 0, -np.inf], [np.nan, 0, 0], [2 * LARGEST, 0, 0]]), np.array([[0, np.inf, 0], [0, 0, 0], [3 * LARGEST, 0, 0]])
    below, above = margin.bounds(lo, hi)
    assert (below == -np.inf).all() and (above == np.inf).all()
