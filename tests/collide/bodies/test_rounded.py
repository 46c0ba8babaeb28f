"""Balls and capsules are recognised by their formulas (`collide.bodies.rounded`), and points of patches found (`nearest_parameters`)."""

from fractions import Fraction as F

import numpy as np
import pytest
import sympy as sp

from collide.bodies.nearest_parameters import nearest_parameters
from collide.bodies.rounded import plane_within, rounded_of
from generative import ImplicitSurface, ParametricSurface, Rigid, primitives, solids, t, u, v, x, y, z

ROUND, HALF = {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)}, {u: (0, 2 * sp.pi), v: (0, sp.pi / 2)}


def sphere(radius=1, centre=(0, 0, 0), domain=ROUND):
    way = sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)
    return ParametricSurface([c + radius * e for c, e in zip(centre, way, strict=True)], domain)


@pytest.mark.parametrize(("body", "core", "square"), [
    (sphere(), [(0, 0, 0)], 1),
    (sphere(sp.Rational(1, 3), (1, 2, sp.Rational(1, 7))), [(1, 2, F(1, 7))], F(1, 9)),
    (solids.sphere(2).moved(Rigid(translation=[t, 0, 0])), [(0, 0, 0)], 4),
    (primitives.ball(2, (1, 2, 3)), [(1, 2, 3)], 4),
    (ImplicitSurface(3 * (x**2 + y**2 + z**2) - 6 * x - 3, [(-3, 3)] * 3), [(1, 0, 0)], 2),
    (solids.capsule(sp.Rational(1, 2), 3), [(0, 0, 0), (0, 0, 3)], F(1, 4)),
])
def test_a_rounded_body_is_recognised(body, core, square):
    found = rounded_of(body)
    assert found is not None and [tuple(p) for p in found.core] == core and found.square == square


@pytest.mark.parametrize("body", [
    sphere(domain=HALF),
    ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v) + v / 10**6], ROUND),
    ParametricSurface([e * (1 + t) for e in sphere().body], ROUND),
    ImplicitSurface(x**2 + y**2 + z**2 - 1, [(-2, 2), (-2, 2), (0, 2)]),
    ImplicitSurface(x**2 + y**2 + z**4 - 1, [(-2, 2)] * 3),
    solids.cylinder(1, 1), solids.box((1, 1, 1)),
])
def test_others_are_not(body):
    assert rounded_of(body) is None


def test_the_nearest_point_of_a_patch():
    """From points outside a sphere towards its centre, by longitude and latitude."""
    at = np.array([[0.5, 0.2], [4.0, -1.1], [6.1, 0.7]])
    way = np.stack([np.cos(at[:, 0]) * np.cos(at[:, 1]), np.sin(at[:, 0]) * np.cos(at[:, 1]), np.sin(at[:, 1])], axis=1)
    far, found, slopes = nearest_parameters(sphere(2), 2.5 * way, 0.0)
    np.testing.assert_allclose(found, at, atol=1e-9)
    np.testing.assert_allclose(far, 0.5, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(slopes[:, 0], axis=1), 2 * np.cos(at[:, 1]), atol=1e-9)


def test_a_plane_within_bounds_is_a_polygon():
    """x + y + z = 0 cuts the cube |x|, |y|, |z| <= 1 in a regular hexagon with area 3 sqrt(3)."""
    cube = ((sp.Integer(-1), sp.Integer(1)),) * 3
    corners = np.array(plane_within(x + y + z, cube), float)
    area = 0.5 * np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
    np.testing.assert_allclose(area, 3 * np.ones(3), atol=1e-12)
    assert len(corners) == 6 and plane_within(x * y, cube) is None and plane_within(x - 2, cube) is None
