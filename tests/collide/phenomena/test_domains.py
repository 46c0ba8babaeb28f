"""Surfaces whose formulas are undefined on a part of their domain, or on all of it."""

import pytest
import sympy as sp

from collide import Budget, Status, first_contact, solve
from generative import ImplicitSurface, ParametricSurface, Solid, t, u, v, x, y, z
from tests.collide.contact_scenes import Q, ball, move, sphere

SQUARE = {u: (-1, 1), v: (-1, 1)}
CUBE = [(-1, 1)] * 3
QUICK = Budget(seconds=30, boxes=100_000)


def patch(height):
    return ParametricSurface([u, v, height], SQUARE)


def meet(floor, dx=Q(1, 7), dy=Q(1, 5), other=None):
    """A ball of radius 1/2 that comes down from (dx, dy, 3) at speed 2."""
    return first_contact([(other or ball(Q(1, 2))).moved(move(dx, dy, 3 - 2 * t)), floor], time=(0, 2), budget=QUICK)


@pytest.mark.parametrize("height", [sp.sqrt(-1 - u**2), sp.log(-1 - u**2 - v**2), sp.sqrt(-1 - v**2) / u, sp.asin(2 + v**2),
                                    sp.Piecewise((sp.sqrt(-1 - u**2), u > 0), (sp.log(-2 - v**2), True))], ids=str)
def test_a_formula_that_is_undefined_everywhere_is_refused(height):
    with pytest.raises(ValueError, match="the formula of body 1 is undefined everywhere on its domain"):
        meet(patch(height))
    with pytest.raises(ValueError, match="the formula of face 0 of body 1 is undefined everywhere"):
        meet(Solid([patch(height)]))


@pytest.mark.parametrize("body, fault", [(z + sp.sqrt(-1 - x**2), "the formula of body 1 is undefined everywhere"),
                                         (sp.log(x - 2) + z, "the formula of body 1 is undefined everywhere"),
                                         (x**2 + 2 * x * y + y**2, "the normal of body 1 vanishes everywhere")], ids=str)
def test_implicit_bodies_without_a_surface_are_refused(body, fault):
    with pytest.raises(ValueError, match=fault):
        meet(ImplicitSurface(body, bounds=CUBE))


def test_a_surface_that_is_flat_or_undefined_at_some_moment_only_is_taken():
    """The patch opens from a point at time 0; the other one is there from time 1 on."""
    assert meet(ParametricSurface([u * t, v * t, 0 * u], SQUARE)).status is Status.CONTACT
    c = meet(patch(sp.sqrt(t - 1)), dx=0, dy=0)
    # The bottom of the ball, 5/2 - 2 t, meets the plane z = sqrt(t - 1) at t = 1 + s^2, s = (sqrt(5) - 1) / 4.
    truth = float(1 + ((sp.sqrt(5) - 1) / 4) ** 2)
    assert c.status is Status.CONTACT and c.time.lo <= truth + 1e-15 and truth - 1e-15 <= c.time.hi < truth + 1e-9


@pytest.mark.parametrize("lower", [patch(sp.sqrt(1 - u**2 - v**2)), ImplicitSurface(z - sp.sqrt(1 - x**2 - y**2), bounds=[(-2, 2)] * 3)],
                         ids=["parametric", "implicit"])
@pytest.mark.parametrize("upper", [ball(Q(1, 2)), sphere(Q(1, 2), 1)], ids=["parametric", "implicit"])
def test_a_hemisphere_as_the_graph_of_a_root(lower, upper):
    """Centres 3/2 apart at the time of contact; and a ball that passes beside is proved to miss."""
    c = meet(lower, other=upper)
    truth = float((3 - sp.sqrt(Q(9, 4) - Q(1, 49) - Q(1, 25))) / 2)
    assert c.status is Status.CONTACT and c.proved.tolist() == [True]
    assert c.time.lo <= truth + 1e-15 and truth - 1e-15 <= c.time.hi < c.time.lo + 1e-9
    assert meet(lower, dx=Q(11, 10), dy=Q(11, 10), other=upper).status is Status.NO_CONTACT


def test_a_ball_beside_the_part_that_there_is_misses_it():
    assert meet(patch(sp.asin(2 * u)), dx=Q(-11, 10)).status is Status.NO_CONTACT
    assert meet(patch(sp.log(u)), dx=Q(-4, 5), dy=0).status is Status.NO_CONTACT


def test_zeros_of_formulas_with_partial_domains():
    """asin(2 a) = b = acos(3 a) at a = 1 / sqrt(13): cos(asin 2 a) = 3 a."""
    a, b = sp.symbols("a b", real=True)
    r = solve([sp.asin(2 * a) - b, b - sp.acos(3 * a)], {a: (-1, 1), b: (-10, 10)}, budget=QUICK)
    assert r.proved.tolist() == [True]
    assert r.boxes[0, 0, 0] <= float(1 / sp.sqrt(13)) + 1e-16 and float(1 / sp.sqrt(13)) - 1e-16 <= r.boxes[0, 0, 1]


def test_an_implicit_plane_whose_height_is_any_function_of_the_time():
    """SymPy does not take 1 / sqrt(1 + t^2) for the coefficient of a polynomial in x, y and z. The ball touches at 5/2 - 2 t."""
    height = 1 / sp.sqrt(1 + t**2)
    found = meet(ImplicitSurface(z - height, bounds=CUBE))
    assert found.status is Status.CONTACT
    assert found.time.lo <= float(sp.nsolve(Q(5, 2) - 2 * t - height, t, 1)) <= found.time.hi
