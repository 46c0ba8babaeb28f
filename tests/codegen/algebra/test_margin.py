"""Minima and maxima of quadrics as programs: bounds hold the values at points of boxes, in exact rationals."""

from fractions import Fraction

import numpy as np
import pytest

from codegen.algebra.margin import TERMS, Margin
from codegen.graph.signs import LARGEST


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


def joined(margin, how):
    """What the margin of two functions is, and of their values."""
    ways = {"both": (lambda a, b: margin.least(a, margin.opposite(b)), lambda a, b: min(a, -b)),
            "either": (lambda a, b: margin.greatest(margin.opposite(a), b), lambda a, b: max(-a, b)),
            "nested": (lambda a, b: margin.least(margin.greatest(a, b), margin.greatest(margin.opposite(a), margin.opposite(b))),
                       lambda a, b: min(max(a, b), max(-a, -b))),
            "hidden": (lambda a, b: margin.least(margin.greatest(margin.zero(), a), b), lambda a, b: min(max(0, a), b))}
    return ways[how]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("how", ["both", "either", "nested", "hidden"])
def test_what_is_cut_off_boxes_holds_no_point_where_the_value_is_not_negative(how, seed):
    rng = np.random.default_rng([seed, 1])
    wide = rng.random((10, 2)) * [[-1e-3, 1e-3]] * (seed % 2)
    quadric = rng.normal(size=(10, 1)) * (rng.random((10, 1)) < 0.8) + wide
    plane, centre = rng.normal(size=(4, 1)) + np.array([0.0, 1e-3]), np.round(rng.normal(size=3), 3)
    margin = Margin()
    function, truth = joined(margin, how)
    margin.end(function(margin.quadric(quadric, centre.tolist()), margin.plane(plane)))
    lo = rng.normal(size=(100, 3))
    hi = lo + 4 * rng.random((100, 3)) * 10.0 ** rng.integers(-1, 1, size=(100, 1))
    low, high, left = margin.narrowed(lo, hi)
    assert (low >= lo).all() and (high <= hi).all() and ((low > lo) | (high < hi)).any()
    for k in range(len(lo)):
        for _ in range(20):
            at = drawn(rng, np.stack([lo[k], hi[k]], axis=1))
            a = value(drawn(rng, quadric), [c - Fraction(m) for c, m in zip(at, centre.tolist(), strict=True)])
            if truth(a, value([0] * 6 + drawn(rng, plane), at)) >= 0:
                assert left[k] and all(low[k, j] <= at[j] <= high[k, j] for j in range(3))


def test_a_box_is_cut_where_a_plane_leaves_it():
    """x + y >= 3 in [0, 2]^3 leaves [1, 2]^2 x [0, 2]; of x + y >= 3 or z <= 1 nothing is known, unless z > 1; x + y >= 5 leaves none."""
    for end, floor, box, truth in ((-3, None, (0, 2), [[1, 2], [1, 2], [0, 2]]), (-3, 1, (0, 2), [[0, 2], [0, 2], [0, 2]]),
                                   (-3, -1, (0, 2), [[1, 2], [1, 2], [0, 2]]), (-5, None, (0, 2), None)):
        margin = Margin()
        plane = margin.plane(np.repeat([[1.0], [1.0], [0.0], [end]], 2, axis=1))
        other = plane if floor is None else margin.greatest(plane, margin.plane(np.repeat([[0.0], [0.0], [-1.0], [floor]], 2, axis=1)))
        margin.end(other)
        low, high, left = margin.narrowed(np.full((1, 3), float(box[0])), np.full((1, 3), float(box[1])))
        assert left[0] == (truth is not None)
        if truth is not None:
            assert np.abs(np.stack([low[0], high[0]], axis=1) - truth).max() < 1e-12


def test_a_box_is_cut_where_a_quadric_leaves_it():
    """x^2 >= 0.09 in [0, 1] leaves [0.3, 1] and some, for any centre; x^2 + y^2 + z^2 <= 1 in [0, 4] x [0, 0.1]^2 ends beyond 1."""
    square = np.repeat([1.0, 0, 0, 0, 0, 0, 0, 0, 0, -0.09], 2).reshape(10, 2)
    for centre in (0.0, 0.75):
        moved = square.copy()
        moved[6], moved[9] = 2 * centre, centre**2 - 0.09
        margin = Margin()
        margin.end(margin.quadric(moved, [centre, 0.0, 0.0]))
        low, high, left = margin.narrowed(np.zeros((1, 3)), np.ones((1, 3)))
        assert left[0] and 0.15 < low[0, 0] < 0.3 and high[0, 0] == 1 and (low[0, 1:] == 0).all() and (high[0, 1:] == 1).all()
    ball = Margin()
    ball.end(ball.opposite(ball.quadric(np.repeat([1.0, 1, 1, 0, 0, 0, 0, 0, 0, -1], 2).reshape(10, 2), [0.0] * 3)))
    low, high, left = ball.narrowed(np.zeros((1, 3)), np.array([[4.0, 0.1, 0.1]]))
    assert left[0] and (low[0] == 0).all() and 1 < high[0, 0] < 2
