"""Points at which leaves of combined bodies are tangent, or have a corner, against all that is near them."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Kind
from collide.moment.exact_sides import ExactSide, exact_side
from generative import ImplicitSurface, Rigid, intersection, primitives, union, x, y, z

Q = sp.Rational
WIDE = [(-3, 3)] * 3


def half(e):
    return ImplicitSurface(e, WIDE)


BALL, OTHER, ROD = half(x**2 + y**2 + z**2 - 1), half((x - 2)**2 + y**2 + z**2 - 1), half(x**2 + y**2 - 1)
CONE, BEYOND, LEAST = half(x**2 + y**2 - z**2), half(1 - x), half(x**2 + y**2 + z**2)
CASES = {
    "balls that touch, intersected": (BALL & OTHER, (1, 0, 0), Kind.OUT), "their complement": (~(BALL & OTHER), (1, 0, 0), Kind.IN),
    "balls that touch, united": (BALL | OTHER, (1, 0, 0), Kind.FACE),
    "a ball without one that touches": (BALL - OTHER, (1, 0, 0), Kind.FACE),
    "cylinders that touch": (ROD & half((x - 2)**2 + y**2 - 1), (1, 0, 1), Kind.OUT),
    "a cylinder without one round it": (half((x - Q(1, 2))**2 + y**2 - Q(1, 4)) - ROD, (1, 0, 0), Kind.OUT),
    "a ball and a box beside it": (BALL & primitives.block((1, 1, 1)).moved(Rigid(translation=[Q(3, 2), 0, 0])), (1, 0, 0), Kind.OUT),
    "a ball and its tangent plane": (BALL & BEYOND, (1, 0, 0), Kind.OUT), "a ball in a tube": (BALL - ROD, (0, 1, 0), Kind.OUT),
    "a cone's tip": (CONE, (0, 0, 0), Kind.FACE), "half a cone's tip": (CONE & half(-z), (0, 0, 0), Kind.FACE),
    "a point": (LEAST, (0, 0, 0), Kind.OUT), "all but a point": (~LEAST, (0, 0, 0), Kind.IN),
    "two edges": (half(x * y), (0, 0, 0), Kind.FACE),
}


@pytest.mark.parametrize("name", CASES)
def test_tangent_leaves(name):
    body, point, kind = CASES[name]
    assert collide.classify(body, [[float(e) for e in point]])[0] is kind


def test_planes_that_meet_a_cone_in_its_tip_are_left_open_or_out():
    assert exact_side(CONE & half(2 * z - x) & half(-2 * z - x), [0, 0, 0], 0) in (ExactSide.OUTSIDE, ExactSide.OPEN)


KINKED = {
    "an edge of a box": (half(sp.Max(sp.Abs(x) - 1, sp.Abs(y) - 1, sp.Abs(z) - 1)) & half(3 - x - 2 * y), (1, 1, 0)),
    "its corner": (half(sp.Max(sp.Abs(x) - 1, sp.Abs(y) - 1, sp.Abs(z) - 1)) & half(6 - x - 2 * y - 3 * z), (1, 1, 1)),
    "two slopes": (half(sp.Piecewise((x - y, x > 0), (-x - y, True))) & half(y - x / 2), (0, 0, 0)),
    "a wedge": (half(sp.Abs(x) - y) & half(y - x / 2), (0, 0, 0)),
}


@pytest.mark.parametrize("name", KINKED)
def test_where_a_leaf_has_a_kink_its_slopes_prove_nothing(name):
    """SymPy has one slope there. These bodies have no interior near the point."""
    body, point = KINKED[name]
    assert exact_side(body, point, 0) in (ExactSide.OUTSIDE, ExactSide.OPEN)
    assert collide.classify(body, [[float(e) for e in point]])[0] in (Kind.OUT, Kind.UNRESOLVED)


def test_slopes_count_where_a_leaf_is_differentiable():
    ball = half(sp.sqrt(x**2 + y**2 + z**2 + 3) - 2)
    assert exact_side(ball, (1, 0, 0), 0) is ExactSide.SURFACE


@pytest.mark.parametrize("seed", range(40))
def test_what_is_told_of_random_tangent_leaves_holds_for_points_near(seed):
    rng = np.random.default_rng(seed)
    leaves = [half(_random_leaf(rng)) for _ in range(rng.integers(1, 4))]
    body = leaves[0]
    for leaf in leaves[1:]:
        body = (union, intersection)[rng.integers(2)](body, leaf)
    side = exact_side(body, [0, 0, 0], 0)
    # Tangent leaves part by the square of the distance from the point.
    near = rng.normal(size=(4000, 3)) * 1e-3 ** np.array([2, 1, 1])
    around = np.concatenate([near, rng.normal(size=(1000, 3)) * 1e-4])
    values = np.asarray(sp.lambdify((x, y, z), body.expression, "numpy")(*around.T))
    assert not (side is ExactSide.OUTSIDE and (values < 0).any()) and not (side is ExactSide.INSIDE and (values > 0).any())
    assert side is not ExactSide.SURFACE or ((values < 0).any() and (values > 0).any())


def _random_leaf(rng):
    """A surface through the origin, mostly at right angles to x there."""
    slope, *form = rng.choice([-2, -1, 0, 1, 1, 2], size=5).tolist()
    bent = form[0] * y**2 + form[1] * z**2 + form[2] * y * z + form[3] * x**2 + int(rng.integers(-1, 2)) * y**3
    return slope * x + bent if slope * x + bent != 0 else x
