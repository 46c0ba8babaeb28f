"""Contents of pages: each mesh once, vertices where they are, moments of deforming bodies; and marks of contacts."""

import base64

import numpy as np
import pytest
import sympy as sp

from collide.picture.drawing import Drawing, view_of
from collide.picture.marks import sorted_out
from collide.picture.scenes import part_shown, scene_of
from generative import ImplicitSurface, ParametricSurface, Rigid, axis_angle, primitives, t, u, v, x, y, z
from models.scenes import SCENES
from models.shapes.quadrics import sphere
from tests.collide.answers.test_contacts import contacts

TURNING = Rigid(rotation=axis_angle([0, 0, 1], t))


def drawn(*bodies, span=(0.0, 1.0), deviation=2e-3):
    drawing = Drawing(span)
    for k, body in enumerate(bodies):
        drawing.add_body(k, body, deviation)
    return drawing


def vertices_of(shape):
    rows = np.frombuffer(base64.b64decode(shape["vertices"]), [("p", "<u2", 4), ("n", "i1", 4)]).reshape(shape["frames"], shape["count"])
    return np.array(shape["lo"]) + np.array(shape["range"]) * rows["p"][..., :3] / 65535.0, rows["n"][..., :3] / 127.0


def test_equal_bodies_are_stored_once():
    drawing = drawn(*(sphere().moved(Rigid(translation=[3 * k - t, 0, 0])) for k in range(20)), sphere(radius=2))
    assert len(drawing.parts) == 21 and len(drawing.shapes) == 2 and len(drawing.data()["parts"][0]["poses"]) < 100


def test_vertices_and_normals_are_those_of_the_surface():
    points, normals = vertices_of(drawn(sphere()).shapes[0])
    assert np.abs(np.linalg.norm(points, axis=-1) - 1).max() < 1e-4
    assert np.abs((points * normals).sum(axis=-1) - 1).max() < 0.02


def test_what_deforms_has_moments_and_what_is_cut_by_others_is_made_anew():
    wave = ParametricSurface([u, v, sp.sin(9 * t) * u**2], {u: (-1, 1), v: (-1, 1)})
    (shape,) = drawn(wave).shapes
    points, _ = vertices_of(shape)
    assert 17 <= shape["frames"] <= 129
    np.testing.assert_allclose(points[-1, :, 2], np.sin(9) * points[-1, :, 0] ** 2, atol=1e-4)
    ball = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2)] * 3)
    parts = drawn(ball - primitives.ball().moved(Rigid(translation=[2 - t, 0, 0]))).parts
    assert len(parts) > 20 and all(a["to"] > a["from"] for a in parts)


def test_a_body_cut_by_others_that_move_with_it_is_kept():
    """The Geneva wheel: the cylinder without the slots, and the sides of the four slots, which are two meshes: opposite slots have planes
    in common, which count with the first of them.
    """
    wheel = primitives.round_cylinder(1, sp.Rational(1, 5))
    for quarter in range(4):
        turn = Rigid(rotation=axis_angle([0, 0, 1], quarter * sp.pi / 2))
        wheel = wheel - primitives.block((1, sp.Rational(1, 5), 1)).moved(Rigid(translation=[sp.Rational(9, 10), 0, 0])).moved(turn)
    drawing = drawn(wheel.moved(TURNING))
    assert len(drawing.parts) == 5 and len(drawing.shapes) == 3
    points, _ = vertices_of(drawing.shapes[0])
    px, py, _ = points[0].T
    assert not ((np.abs(py) < 0.09) & (px > 0.45)).any() and abs(np.hypot(px, py).max() - 1) < 1e-2
    assert np.allclose(view_of(drawing.cloud(np.linspace(0, 1, 5))), (0.12, -0.42, 0.9))  # flat, seen from above


@pytest.mark.parametrize(("points", "curves", "patches", "alone"), [
    ([[np.cos(a), np.sin(a), 0] for a in np.linspace(0, 6.2, 40)], 1, 0, 0), ([[i, j, 0] for i in range(6) for j in range(6)], 0, 1, 0),
    ([[0, 0, 0], [9, 0, 0]], 0, 0, 2),
    ([[i + 40 * k, 0, 0] for i in range(9) for k in (0, 1)], 2, 0, 0),
])  # fmt: skip
def test_samples_of_curves_and_patches_are_told_apart(points, curves, patches, alone):
    k = len(points)
    seen = contacts(bodies=SCENES["tori-crossed"].bodies, points=np.array(points, float), normals=np.tile([0, 0, 1.0], (k, 1)),
                    proved=np.zeros(k, bool), existence=np.ones(k, bool), pairs=np.tile([0, 1], (k, 1)),
                    features=[("face 0", "face 0")] * k,
                    boxes=[np.array([[0, 1.0]] * 4 + [[1.751, 1.752]])] * k, variables=[("u1", "v1", "u2", "v2", "t")] * k)
    one, groups = sorted_out(seen)
    assert [len(one), sum(c for _, c in groups), sum(not c for _, c in groups)] == [alone, curves, patches]
    assert "scene" in scene_of(seen)


def test_the_part_of_the_time_that_is_shown():
    assert part_shown(0.5, 1, (0, 2)) == "shown: t = 0.5 to 1, of 0 to 2" and part_shown(1, 1, (0, 2)) == "at t = 1"


def test_a_large_floor_at_rest_does_not_make_the_rest_small():
    floor = ParametricSurface([u, v, 0], {u: (-99, 99), v: (-99, 99)})
    drawing = drawn(floor, sphere().moved(Rigid(translation=[0, 0, 3 - t])))
    assert np.abs(drawing.cloud([0.0, 1.0])).max() < 5
