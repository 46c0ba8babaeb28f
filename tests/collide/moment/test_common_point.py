"""Points that two surfaces have in common by exact values; and first contacts of bodies that touch and never cross."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import collide
from collide.bodies.numbers import NONE, Numbers
from collide.moment.common_point import have_in_common, simplest
from generative import ImplicitSurface, Parameter, ParametricSurface, Rigid, primitives, solids, t, u, v, x, y, z

Q = sp.Rational
BALL = primitives.ball(1)
TORUS = ParametricSurface([(2 + sp.cos(v)) * sp.cos(u), (2 + sp.cos(v)) * sp.sin(u), sp.sin(v)], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})


def placed(body, *where):
    return body.moved(Rigid(translation=list(where)))


def cylinder(low, high):
    bounds = [(-2, 2), (-2, 2), (low - 1, high + 1)]
    return ImplicitSurface(x**2 + y**2 - 1, bounds) & ImplicitSurface(z - high, bounds) & ImplicitSurface(low - z, bounds)


@pytest.mark.parametrize("lo, hi, found", [(0.3, 0.4, Q(1, 3)), (-0.7, -0.6, Q(-2, 3)), (-1.5, 2.5, -1), (3.14159, 3.1416, Q(355, 113)),
                                           (0.5, 0.5, Q(1, 2)), (-0.25, 0.0, 0), (2.0**-60, 2.0**-59, Q(1, 2**60))])
def test_the_simplest_fraction_has_the_least_denominator(lo, hi, found):
    assert lo <= simplest(lo, hi) <= hi and simplest(lo, hi).denominator <= Q(found).q
    assert not any(-(-Fraction(lo) * k // 1) <= Fraction(hi) * k for k in range(1, min(simplest(lo, hi).denominator, 1000)))


@pytest.mark.parametrize("second, place, known", [
    (placed(BALL, 2, 0, 0), (1, 0, 0), True), (placed(BALL, 2 + Q(1, 10**20), 0, 0), (1, 0, 0), False),
    (placed(TORUS, 4, 0, 0), (1, 0, 0), True), (placed(solids.sphere(1), 2, 0, 0), (1, 0, 0), True),
    (placed(TORUS, 4, 0, 0), (Q(3, 5), Q(4, 5), 0), False), (BALL - placed(BALL, 2, 0, 0), (1, 0, 0), True),
    (BALL & placed(BALL, 2, 0, 0), (1, 0, 0), False)])
def test_a_point_is_on_both_by_exact_values(second, place, known):
    assert have_in_common([(BALL, NONE), (second, NONE)], [Fraction(e) for e in place], Fraction(0)) is known


def test_with_a_range_of_a_parameter_no_point_is_known():
    """An egg turns back at a distance r - 1/2 from a ball, for r from 1/2 to 1."""
    r = Parameter("r")
    oval = ImplicitSurface(x**2 / 4 + y**2 + z**2 - 1, [(-3, 3)] * 3)
    for egg in (oval, solids.sphere(1)):
        moved = placed(egg, 0, 0, Q(3, 2) + r + (t - 1) ** 2)
        found = collide.first_contact([BALL, moved], (0, 2), parameters={r: (Q(1, 2), 1)}, budget=20)
        assert found.clear_until <= 1 and found.status.name != "NO_CONTACT"
        exact = collide.first_contact([BALL, moved], (0, 2), parameters={r: Q(1, 2)}, budget=20)
        assert exact.status.name == "CONTACT" and exact.time.lo <= 1 <= exact.time.hi


def test_nothing_is_known_of_numbers_within_bounds():
    r = Parameter("r")
    wide = Numbers([r], (), np.array([[1.0, 2.0]]))
    assert not have_in_common([(primitives.ball(1), NONE), (ImplicitSurface(x**2 + y**2 + z**2 - r, [(-3, 3)] * 3), wide)],
                              [Fraction(1), Fraction(0), Fraction(0)], Fraction(0))


def test_a_touch_just_after_the_end_of_the_span_does_not_count():
    """An oval turns back on a ball at t = 1, the double after the end; the simplest time near what is located is 1."""
    oval = ImplicitSurface(x**2 / 4 + y**2 + z**2 - 1, [(-3, 3)] * 3)
    end = math.nextafter(1.0, 0.0)
    found = collide.first_contact([BALL, placed(oval, 0, 0, 2 + (t - 1) ** 2)], (0, end))
    assert found.status.name == "UNRESOLVED" and found.clear_until <= end


def test_a_peg_falls_into_its_own_bore():
    """They touch along a circle at t = 2, and everywhere in the bore after that, but never cross."""
    plate = primitives.block((4, 4, 1)) - cylinder(-1, 1)
    found = collide.first_contact([placed(cylinder(0, 1), 0, 0, Q(5, 2) - t), plate], (0, 3), budget=120)
    assert found.status is collide.Status.CONTACT and Q(found.time.lo) <= 2 <= Q(found.time.hi) and found.time.hi - found.time.lo < 1e-12
    assert len(found.points) > 50 and abs((found.points[:, :2]**2).sum(axis=1) - 1).max() < 1e-6


@pytest.mark.parametrize("gap, status", [(0, "CONTACT"), (Q(1, 10**8), "NO_CONTACT")])
def test_a_ring_comes_down_on_a_floor_and_goes_up_again(gap, status):
    floor = placed(primitives.block((8, 8, 1)), 0, 0, -Q(3, 2) - gap - (t - Q(1, 3)) ** 2)
    found = collide.first_contact([TORUS, floor], (0, 1))
    assert found.status.name == status
    if status == "CONTACT":
        assert Q(found.time.lo) <= Q(1, 3) <= Q(found.time.hi) and found.time.hi - found.time.lo < 1e-6 and len(found.points) > 50


@pytest.mark.parametrize("height, status", [
    (sp.Piecewise((Q(3, 2) - t, t < Q(1, 2)), (5, True)), "UNRESOLVED"), (sp.Piecewise((Q(3, 2) - t, t <= Q(1, 2)), (5, True)), "CONTACT"),
    (Q(3, 2) - t + 3 * sp.floor(t + Q(1, 2)), "UNRESOLVED"), (sp.Piecewise((5, t < Q(1, 2)), (t + Q(1, 2), True)), "CONTACT")])
def test_at_a_jump_the_formula_that_holds_counts(height, status):
    """A ball that would touch a floor at 1/2, and jumps away then, touches it only if it jumps after that."""
    found = collide.first_contact([placed(BALL, 0, 0, height), placed(primitives.block((4, 4, 1)), 0, 0, -Q(1, 2))], (0, 1))
    assert found.status.name == status and found.time.lo <= 0.5 <= found.time.hi
