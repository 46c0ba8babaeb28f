"""Touch without crossing, decided exactly: balls, capsules and flat bodies. Times and places by hand, or by rationals.

Of `collide.queries.round_pairs`, `polyhedra.flat.core_distance`, `polyhedra.exact.rational_shift` and `answers.gap_bounds`.
"""

from fractions import Fraction as F

import numpy as np
import pytest
import sympy as sp

from collide import Status, first_contact
from collide.polyhedra.exact.motion import exact_motion
from collide.polyhedra.exact.rational_shift import negative, rational_shift
from collide.polyhedra.flat.core_distance import Core, nearest_points, nearing, part_pairs, start_apart
from generative import IDENTITY, ImplicitSurface, ParametricSurface, Rigid, primitives, solids, t, u, v, x, y, z

FLOOR = ParametricSurface([u, v, 0], {u: (-3, 3), v: (-3, 3)})
HALF, R = sp.Rational(1, 2), sp.Rational
LYING = Rigid(rotation=sp.Matrix([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]), translation=[0, 0, 0])
SPIN = sp.Matrix([[sp.cos(t), -sp.sin(t), 0], [sp.sin(t), sp.cos(t), 0], [0, 0, 1]])


def at(body, *place):
    return body.moved(Rigid(translation=list(place)))


def ball(radius=1):
    return primitives.ball(radius)


@pytest.mark.parametrize(("first", "second", "when", "where"), [
    (at(ball(), 0, 0, 1 + (t - 1) ** 2), FLOOR, 1, (0, 0, 0)),
    (at(ball(), 2 * t - 2, 0, 0), at(ball(), 0, 0, 2), 1, (0, 0, 1)),
    (at(ball(), 2 / (1 + t) - 1, 0, 0), at(ball(), 0, 2, 0), 1, (0, 1, 0)),
    (ball().moved(Rigid(rotation=SPIN, translation=[0, 0, 1 + (t**2 - HALF) ** 2])), FLOOR, 2**-0.5, (0, 0, 0)),
    (at(ball(3), 3 + (t - 1), 3 - (t - 1), 2), solids.box((2, 2, 2)), 1, (1, 1, 1)),
    (at(ball(), 1 + R(3, 5) + R(4, 5) * (t - 1), 0, 1 + R(4, 5) - R(3, 5) * (t - 1)), solids.box((2, 2, 2)), 1, (1, 0, 1)),
    (at(solids.capsule(HALF, 2), 0, 0, HALF + (t - 1) ** 2), FLOOR, 1, (0, 0, 0)),
])
def test_a_touch_is_decided(first, second, when, where):
    found = first_contact([first, second], (0, 2))
    assert found.status is Status.CONTACT and len(found) == 1 and found.unique.all()
    assert found.time[0] <= when <= found.time[1] and np.ptp(found.time) < 1e-15 and found.clear_until >= when - 1e-15
    np.testing.assert_allclose(found.points[0], where, atol=1e-9)
    assert found.boxes[0].shape == (len(found.variables[0]), 2) and found.summary()


def test_a_miss_that_no_double_can_tell_is_one():
    found = first_contact([at(ball(), 0, 0, 1 + R(1, 10**30) + (t - 1) ** 2), FLOOR], (0, 2))
    assert found.status is Status.NO_CONTACT and "proved not to touch" in found.summary()


def test_a_lying_capsule_touches_along_its_line():
    found = first_contact([at(solids.capsule(HALF, 2).moved(LYING), 0, 0, HALF + (t - 1) ** 2), FLOOR], (0, 2), spacing=0.5)
    assert found.status is Status.CONTACT and found.exists.all() and not found.unique.any()
    assert abs(np.ptp(found.points[:, 0]) - 2.0) < 1e-14 and np.diff(np.sort(found.points[:, 0])).max() <= 0.5 + 1e-12


def test_a_touch_before_a_contact_of_others_comes_first():
    other = at(ball(HALF), 2, 2, 2 - t)
    found = first_contact([at(ball(), 0, 0, 1 + (t - 1) ** 2), FLOOR, other], (0, 2))
    assert found.pairs.tolist() == [[0, 1]] and found.time[0] <= 1 <= found.time[1] and not found.notes


def test_other_bodies_touch_or_miss_by_less_than_a_proved_distance():
    """An ellipsoid whose lowest point goes down to 1e-13, and back."""
    oval = ImplicitSurface(x**2 / 4 + y**2 + z**2 - 1, [(-3, 3), (-2, 2), (-2, 2)])
    miss = R(1, 10**13)
    found = first_contact([at(oval, 0, 0, 1 + miss + (t - 1) ** 2), FLOOR], (0, 2))
    if found.status is Status.UNRESOLVED:
        assert (found.gap_bounds >= 1e-13).all() and found.gap_bounds.min() < 1.1e-13
        assert "They touch, or miss each other by less than 1." in found.summary()
    touching = first_contact([at(oval, sp.sqrt(2) / 2, 0, 1 + (t - 1) ** 2), FLOOR], (0, 2))
    assert touching.status is Status.UNRESOLVED and 0 < touching.gap_bounds.min() < 1e-14


def test_other_bodies_touch_where_they_have_a_point_of_simple_numbers_in_common():
    oval = ImplicitSurface(x**2 / 4 + y**2 + z**2 - 1, [(-3, 3), (-2, 2), (-2, 2)])
    found = first_contact([at(oval, 0, 0, 1 + (t - 1) ** 2), FLOOR], (0, 2))
    assert found.status is Status.CONTACT and found.time.hi == 1 and not found.notes and abs(found.points).max() < 1e-6


def test_parts_are_nearest_where_closed_forms_say():
    """A corner moves past an edge of a triangle: distances squared of 2 over the face, then of the edge, from rationals."""
    triangle = Core([(0, 0, 0), (4, 0, 0), (0, 4, 0)], [(0, 1), (0, 2), (1, 2)], [(0, 1, 2)])
    point = Core([(0, 0, 0)], [], [])
    window = rational_shift(Rigid(translation=[1, 1, 3 - 2 * t]), IDENTITY).window(0.0, 1.0)
    met = nearing(list(part_pairs(point, triangle, F(4), window)))
    assert met is not None and window.time(met.at) == (0.5, 0.5) and [len(p.second) for p in met.parts] == [3] and not met.touches
    one, other = nearest_points(met.parts[0], np.array([[1.0, 1, 2]]), np.array(triangle.corners, float))
    np.testing.assert_allclose([one, other], [[1, 1, 2], [1, 1, 0]])
    beside = rational_shift(Rigid(translation=[1, -2 + t, 0]), IDENTITY).window(0.0, 1.0)
    met = nearing(list(part_pairs(point, triangle, F(9, 4), beside)))
    assert met is not None and window.time(met.at) == (0.5, 0.5) and {len(p.second) for p in met.parts} == {2}
    assert not start_apart(list(part_pairs(point, triangle, F(4), beside)))


def test_segments_are_nearest_inside_or_at_their_ends():
    one, other = Core([(-1, 0, 0), (1, 0, 0)], [(0, 1)], []), Core([(0, -1, 0), (0, 1, 0)], [(0, 1)], [])
    across = rational_shift(Rigid(translation=[0, 0, 3 - 2 * t]), IDENTITY).window(0.0, 1.0)
    met = nearing(list(part_pairs(one, other, F(4), across)))
    assert met is not None and across.time(met.at) == (0.5, 0.5) and [(len(p.first), len(p.second)) for p in met.parts] == [(2, 2)]
    along = rational_shift(Rigid(translation=[4 - 2 * t, 0, 0]), IDENTITY).window(0.0, 1.0)
    met = nearing(list(part_pairs(one, other, F(4), along)))
    assert met is not None and along.time(met.at) == (0.5, 0.5) and all(len(p.first) == 1 for p in met.parts)


def test_rational_motions_are_seen_exactly():
    moved = Rigid(translation=[1 / (1 + t), t / (2 + t), 3])
    known = rational_shift(moved, Rigid(translation=[0, 0, t]))
    window = known.window(0.0, 1.0)
    assert window.place((0, 0, 0), F(1, 2)) == [F(2, 3), F(1, 5), F(5, 2)]
    assert negative(known).window(0.0, 1.0).place((1, 0, 0), F(1, 2)) == [F(5, 3), F(1, 5), F(5, 2)]
    assert rational_shift(Rigid(rotation=SPIN, translation=[0, 0, 0]), IDENTITY) is None and exact_motion(moved, IDENTITY) is None


def test_irrational_places_are_left_to_the_search():
    """The ball touches an edge from t = 2 on, which rational numbers do not tell."""
    off = 1 + sp.sqrt(2) / 2
    moved = at(ball(), t - 3, off, off)
    assert rational_shift(IDENTITY, moved.motion) is None and rational_shift(moved.motion, IDENTITY) is None
    found = first_contact([solids.box((2, 2, 2)), moved], (0, 6), budget=30)
    assert found.status in (Status.UNRESOLVED, Status.CONTACT) and found.time[0] <= 2 + 1e-9
