"""Simple geometry of shapes: balls, flat faces and their borders, and the bounding radius."""

import numpy as np
import pytest
import sympy as sp

from collide import Mesh
from collide.world.dynamics.steady_contact import leaving
from collide.world.shapes.simple import ball_radius, flats, reach
from generative import ImplicitSurface, ParametricSurface, primitives, solids, u, v
from models.shapes import polyhedra

from ..scenes import BALL, EGG, FLOOR, RING, cube

NONE = (0.0, 0.0, 0.0)


@pytest.mark.parametrize(("shape", "middle", "radius"), [
    (BALL, NONE, 1.0), (BALL.placed(translation=[1.5, 0.25, -3]), (1.5, 0.25, -3.0), 1.0), (BALL, (0.0, 0.0, 0.1), None), (EGG, NONE, None),
    (primitives.ball(2, (1, 2, 3)), (1.0, 2.0, 3.0), 2.0), (primitives.ball(2), (0.5, 0.0, 0.0), None), (cube(), NONE, None),
])  # fmt: skip
def test_balls_are_seen(shape, middle, radius):
    assert ball_radius(shape, middle) == radius


@pytest.mark.parametrize(("shape", "faces", "sides"), [
    (FLOOR, 1, 4), (cube(), 6, 4), (primitives.block((1, 2, 3)), 6, 4), (primitives.half_space(), 1, 4), (solids.rounded_box(), 6, 4),
    (primitives.half_space((1, 1, 0)), 1, 0), (RING, 0, 0), (BALL, 0, 0),
])  # fmt: skip
def test_flat_faces(shape, faces, sides):
    found = flats(shape)
    assert len(found) == faces
    for face in found:
        assert np.linalg.norm(face.normal) == pytest.approx(1.0) and face.border.shape == (sides, 2, 3)
        np.testing.assert_allclose(face.border @ face.normal, face.level, atol=1e-12)


@pytest.mark.parametrize(("shape", "sides"), [
    (polyhedra.prism(sides=5), [4] * 5 + [5] * 2), (polyhedra.dodecahedron(), [5] * 12), (polyhedra.octahedron(), [3] * 8),
    (polyhedra.wedge(), [3] * 2 + [4] * 3),
])  # fmt: skip
def test_faces_with_any_number_of_corners(shape, sides):
    found = flats(shape)
    assert sorted(len(f.border) for f in found) == sides
    corners = np.concatenate([f.border.reshape(-1, 3) for f in found])
    for face in found:
        # Normals point outward, and a border's segments go round.
        assert (corners @ face.normal).max() == pytest.approx(face.level, abs=1e-12)
        ends = [{tuple(p) for p in np.round(face.border[:, k], 9).tolist()} for k in (0, 1)]
        assert ends[0] == ends[1] and len(ends[0]) == len(face.border)


def test_triangles_that_are_given_twice_are_there_once():
    corners, triangles = cube().arrays
    twice = flats(Mesh(corners, np.concatenate([triangles, np.roll(triangles, 1, axis=1)])))
    borders = [[{frozenset(map(tuple, side)) for side in f.border.tolist()} for f in found] for found in (flats(cube()), twice)]
    assert borders[0] == borders[1]


def test_what_is_bent_is_not_flat_though_its_corners_are_in_a_plane():
    for body in ([u, v, u**2], [u, v, u * v * (1 - u) * (1 + v)]):
        assert not flats(ParametricSurface(body, {u: (-1, 1), v: (-1, 1)}))


@pytest.mark.parametrize(("shape", "far"), [(EGG, 1.0), (RING, 1.3), (cube(), np.sqrt(0.75)), (BALL, 1.0)])
def test_a_shape_is_within_its_reach(shape, far):
    assert far <= reach(shape, NONE) <= 1.2 * far


def test_where_a_point_leaves_a_face():
    (face,) = flats(ParametricSurface([u, v, 0], {u: (-2, 2), v: (-1, 1)}))
    point, forward = np.array([1.0, 0.5, 0.0]), np.array([1.0, 0.0, 0.0])
    assert leaving(face, point, forward, np.zeros(3)) == pytest.approx(1.0)
    assert leaving(face, point, -forward, 2 * forward) == pytest.approx((1 + np.sqrt(5)) / 2)
    assert leaving(face, point, np.zeros(3), np.array([0.0, 1.0, 0.0])) == pytest.approx(1.0)
    assert leaving(face, point, np.zeros(3), np.zeros(3)) == np.inf


def test_a_ball_is_seen_in_another_formula():
    other = ParametricSurface([2 * sp.sin(v) * sp.cos(u), 2 * sp.sin(v) * sp.sin(u), 1 + 2 * sp.cos(v)], {u: (0, 2 * sp.pi), v: (0, sp.pi)})
    assert ball_radius(other, (0.0, 0.0, 1.0)) == 2.0


def test_a_part_of_a_sphere_is_no_ball():
    cap = ParametricSurface(BALL.body, {u: (0, 2 * sp.pi), v: (0, sp.pi / 2)})
    assert ball_radius(cap, NONE) is None
    small = primitives.ball(2)
    assert ball_radius(small, NONE) == 2.0
    assert ball_radius(ImplicitSurface(small.body, [(-1, 3), (-3, 3), (-3, 3)]), NONE) is None
