"""A common point followed in time. The referee: when two balls cross is known in closed form."""

import math

import numpy as np
import pytest
import sympy as sp

from collide.bodies.numbers import numbers_of
from collide.moment import throughout
from collide.moment.start import Start, common_points, surfaces_at
from collide.moment.throughout import follow
from collide.search.budget import Budget
from collide.search.clock import Clock
from generative import ParametricSurface, Rigid, Screw, t, u, v
from generative.family import member_of
from generative.primitives import ball

BALL = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
PASSING = Rigid(translation=[t - 3, sp.Rational(1, 2), 0])
TURNING = PASSING @ Screw([1, 2, 2], angle=t / 2)
FIRST, LAST = 3 - math.sqrt(3.75), 3 + math.sqrt(3.75)


def at_moment(first, second, moment):
    """The two as members of families, and what names a point that they have in common."""
    members = [member_of(b) for b in (first, second)]
    numbers = numbers_of(members[0]), numbers_of(members[1])
    return members[0].body, members[1].body, moment, 1e-9, Clock(Budget()), numbers


@pytest.mark.parametrize("bodies", [(BALL, BALL.moved(PASSING)), (ball(), BALL.moved(PASSING)), (ball(), ball().moved(TURNING))])
def test_a_point_is_followed_for_as_long_as_balls_cross_and_no_longer(bodies):
    a, b, moment, tolerance, clock, numbers = at_moment(*bodies, 2.5)
    met = surfaces_at(a, b, moment, tolerance, clock, None, numbers)
    assert met.state is Start.OVERLAPPING
    problem = met.search.problems[met.search.best_problem]
    at = met.search.arrays["best"][:len(problem.variables)].mean(axis=1)
    begin, end = (follow(problem, at, to, 1e-8, clock)[0] for to in (0.0, 6.0))
    assert FIRST <= begin <= FIRST + 1e-6 and LAST - 1e-6 <= end <= LAST
    assert follow(problem, at, 4.0, 1e-8, clock)[0] == 4.0


def test_what_is_proved_of_windows_is_seen_at_moments_in_them():
    """Windows of all lengths, from starts near a zero and not: where a box is proved to hold one throughout, Newton's method finds it."""
    a, b, moment, tolerance, clock, numbers = at_moment(BALL, BALL.moved(TURNING), 2.5)
    ((problem, at), *_) = common_points(a, b, moment, tolerance, clock, numbers)
    rng, proved = np.random.default_rng(5), 0
    for _ in range(60):
        start = at + np.append(rng.normal(0, 10.0 ** rng.uniform(-6, -1), 4), 0)
        ends = moment + rng.choice([-1, 1]) * 10.0 ** rng.uniform(-6, 0.6, 8)
        _, mapped, inside = throughout._throughout(problem, start, ends)
        for end, held in zip(ends, mapped & inside, strict=True):
            proved += held
            assert not held or FIRST <= end <= LAST, "beyond that the balls have nothing in common"
    assert proved > 50


def test_points_in_common_lie_far_from_each_other_on_both_surfaces():
    a, b, moment, tolerance, clock, numbers = at_moment(BALL, BALL.moved(Rigid(translation=[t, 0, 0])), 1.0)
    points = common_points(a, b, moment, tolerance, clock, numbers)
    places = np.array([[np.cos(p[0]) * np.cos(p[1]), np.sin(p[0]) * np.cos(p[1]), np.sin(p[1])] for _, p in points])
    assert len(points) > 3 and np.allclose(places[:, 0], 0.5, atol=1e-6)
