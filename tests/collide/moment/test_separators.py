"""Surfaces close to each other all over, proved apart by a function of space that tells them apart."""

import numpy as np
import pytest
import sympy as sp

from collide import Budget, Start, Status, first_contact
from collide.bodies.numbers import NONE
from collide.bodies.parts import faces_of
from collide.moment.separators import separated
from collide.moment.start import start_of
from collide.search.clock import Clock
from generative import ImplicitSurface, ParametricSurface, t, u, v, x, y, z
from tests.collide.contact_scenes import TILT, TURNED, Q, ball, cylinder, move, sphere

TORUS = {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)}


def torus(thickness):
    ring = 1 + thickness * sp.cos(v)
    return ParametricSurface([ring * sp.cos(u), ring * sp.sin(u), thickness * sp.sin(v)], TORUS)


def ellipsoid(level):
    return ImplicitSurface(2 * x**2 + 3 * y**2 + z**2 - level, bounds=[(-2, 2)] * 3)


def shells(gap):
    """Each inside another one of the same shape."""
    return {"balls": (ball().moved(TILT), ball(1 + gap).moved(TURNED)), "a ball in an implicit one": (ball().moved(TILT), sphere(1 + gap)),
            "implicit balls": (sphere().moved(TILT), sphere(1 + gap)), "a shaft in a bearing": (
                cylinder(1, 2).moved(TILT), cylinder(1 + gap, 4).moved(move(0, 0, -1)).moved(TILT)),
            "implicit ellipsoids": (ellipsoid(1).moved(TILT), ellipsoid(1 + gap).moved(TILT))}  # fmt: skip


@pytest.mark.parametrize("name", shells(1))
def test_a_body_in_a_shell_that_is_hardly_larger(name):
    """Decided in some hundred thousand boxes of one surface each; of pairs of places there would be some 1e7."""
    clock = Clock(Budget(seconds=None, boxes=2_000_000))
    found = start_of(*shells(Q(1, 10**5))[name], 0.0, 1e-9, clock)
    assert found.state is Start.OVERLAPPING and found.apart


def test_tori_are_told_apart_by_a_polynomial_of_degree_four():
    faces = [faces_of(body)[0] for body in (torus(Q(3, 10)).moved(TILT), torus(Q(31, 100)).moved(TILT))]
    assert separated(*faces, 0.0, (NONE, NONE), Clock(Budget()))


@pytest.mark.parametrize("aside", [Q(1, 1000), Q(11, 10000), Q(1, 500), Q(1, 20)])
@pytest.mark.parametrize("name", shells(1))
def test_surfaces_that_touch_or_cross_are_never_told_apart(name, aside):
    """A body moved within its shell by as much as that is larger, or by more."""
    first, second = shells(Q(1, 1000))[name]
    ways = {"implicit ellipsoids": move(0, 0, aside), "a shaft in a bearing": TILT @ move(aside, 0, 0) @ TILT.inverse()}
    first = first.moved(ways.get(name, move(aside, 0, 0)))
    clock = Clock(Budget(seconds=None, boxes=300_000))
    assert not all(separated(a, b, 0.0, (NONE, NONE), clock) for a in faces_of(first) for b in faces_of(second))


def test_faces_with_kinks_and_places_without_a_value():
    """A roof over a roof, and a surface that is undefined on a part of its domain."""
    roof = ParametricSurface([u, v, sp.Abs(u)], {u: (-1, 1), v: (-1, 1)})
    pair = [faces_of(body)[0] for body in (roof, roof.moved(move(0, 0, Q(1, 10))))]
    assert not separated(pair[0], pair[0], 0.0, (NONE, NONE), Clock(Budget(seconds=None, boxes=100_000)))
    half = ParametricSurface([u, v, sp.sqrt(u)], {u: (-1, 1), v: (-1, 1)})
    pair[0] = faces_of(half.moved(move(0, 0, -3)))[0]
    assert not separated(*pair, 0.0, (NONE, NONE), Clock(Budget(seconds=None, boxes=100_000)))


def test_a_ball_that_drifts_in_its_shell_meets_nothing_anew():
    gap = Q(1, 10**5)
    bodies = [ball().moved(TILT).moved(move(gap * t / 2, 0, 0)), ball(1 + gap)]
    c = first_contact(bodies, (0, 1), budget=Budget(seconds=None, boxes=3_000_000))
    assert c.start == {(0, 1): Start.OVERLAPPING} and c.status is Status.NO_CONTACT and np.isclose(c.clear_until, 1.0)
