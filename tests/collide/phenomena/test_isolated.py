"""Isolated contacts beside curves and patches of contact of the same two faces, nearer to these than samples are to each other.

A surface z = h(x, y) comes down on the plane z = 0, where h is a product of squares: it meets the plane at t = 1 where a factor is 0.
"""

import numpy as np
import pytest
import sympy as sp

import collide
from generative import ImplicitSurface, ParametricSurface, Rigid, t, u, v, x, y, z

Q = sp.Rational
TILT = Rigid(rotation=[3, 1, 2, 1], translation=[Q(1, 7), Q(2, 9), Q(1, 3)], normalize=True)
CIRCLE, ELLIPSE = (u**2 + v**2 - 1) ** 2, (u**2 + 4 * v**2 - 1) ** 2
DISC, AXES = sp.Max(0, u**2 + v**2 - 1) ** 2, (u * v) ** 2
NEAR, FAR = (Q(11, 10), Q(1, 7)), (Q(-1, 3), Q(1, 5))


def bodies(curve, points, kinds):
    """The surface and the plane, each parametric (p) or implicit (i)."""
    h = curve * sp.prod((u - a) ** 2 + (v - b) ** 2 for a, b in points)
    wave = ParametricSurface([u, v, h], {u: (-Q(3, 2), Q(3, 2)), v: (-Q(3, 2), Q(3, 2))})
    floor = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})
    if kinds[0] == "i":
        wave = ImplicitSurface(h.subs({u: x, v: y}, simultaneous=True) - z, bounds=[(-Q(3, 2), Q(3, 2)), (-Q(3, 2), Q(3, 2)), (-1, 9)])
    if kinds[1] == "i":
        floor = ImplicitSurface(z, bounds=[(-2, 2), (-2, 2), (-1, 1)])
    return wave.moved(Rigid(translation=[0, 0, 1 - t])).moved(TILT), floor.moved(TILT)


def flat(c):
    """The points of contact in the plane."""
    return (c.points - np.array(TILT.apply((0, 0, 0)), float)) @ np.array(TILT.rotation.evalf(30), float)


@pytest.mark.parametrize(("curve", "points", "spacing", "kinds"), [
    (CIRCLE, (NEAR, FAR), 0.2, "pp"),
    (CIRCLE, (NEAR, FAR), 0.3, "pp"),
    (CIRCLE, (NEAR, FAR), 0.3, "ip"),
    (CIRCLE, (NEAR, FAR), 0.3, "pi"),
    (CIRCLE, (NEAR, FAR), 0.3, "ii"),
    (CIRCLE, (NEAR,), 0.8, "pp"),
    (CIRCLE, ((Q(9, 10), 0), (Q(23, 25), Q(1, 20))), 0.5, "pp"),  # near each other, too
    (CIRCLE, ((Q(11, 200), Q(17, 20)), (Q(3, 100), Q(161, 200))), 0.8, "pp"),  # nearer to each other than boxes are searched
    (ELLIPSE, ((Q(1, 10), Q(3, 5)), (0, Q(2, 5))), 0.5, "pp"),
    (AXES, ((Q(1, 5), Q(1, 7)),), 0.5, "pp"),  # where two lines cross
    (DISC, ((Q(6, 5), Q(1, 10)),), 0.5, "pp"),  # beside a patch
    (CIRCLE**2, ((Q(5, 4), 0),), 0.7, "pp"),
])
def test_an_isolated_contact_beside_samples_is_listed_and_proved(curve, points, spacing, kinds):
    c = collide.first_contact(bodies(curve, points, kinds), (0, 2), spacing=spacing, simultaneity=1e-3)
    assert c.status is collide.Status.CONTACT and c.time[0] <= 1 <= c.time[1] and c.clear_until <= 1
    at = flat(c)
    for a, b in points:
        k = np.linalg.norm(at - [float(a), float(b), 0.0], axis=1).argmin()
        assert abs(at[k] - [float(a), float(b), 0.0]).max() < 1e-6 and c.proved[k]
    assert abs(at[:, 2]).max() < 2e-3


@pytest.mark.parametrize("spacing", [0.2, 0.5])
def test_the_curve_is_sampled_as_ever(spacing):
    """Every point of the circle has a sample within the spacing, and no more samples than twice its length in spacings."""
    c = collide.first_contact(bodies(CIRCLE, (NEAR, FAR), "pp"), (0, 2), spacing=spacing, simultaneity=1e-6)
    at = flat(c)[~c.proved]
    assert abs(np.hypot(at[:, 0], at[:, 1]) - 1).max() < 1e-4 and abs(at[:, 2]).max() < 1e-6
    angle = np.linspace(0, 2 * np.pi, 1000)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    reach = np.linalg.norm(circle[:, None] - at[None, :, :2], axis=2).min(axis=1)
    assert reach.max() <= spacing + 1e-6 and len(at) <= 4 * np.pi / spacing


def test_beside_a_regular_curve_the_search_is_no_longer():
    """Where the Jacobian tells that all zeros near a sample lie on the curve its samples stand for all boxes there."""
    alone = collide.first_contact(bodies(CIRCLE, (), "pp"), (0, 2), spacing=0.05, simultaneity=1e-3)
    coarse = collide.first_contact(bodies(CIRCLE, (), "pp"), (0, 2), spacing=0.1, simultaneity=1e-3)
    assert alone.iterations < 8 * len(alone) + coarse.iterations
