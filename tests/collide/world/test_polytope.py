"""Intersections of half-spaces as solids, and a die that is thrown."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide.world.polytope import solid_of
from generative import ImplicitSurface, ParametricSurface, Rigid, primitives, u, v, x, y, z

HALF, TENTH = sp.Rational(1, 2), sp.Rational(1, 10)
CUT = ImplicitSurface(x + y + z - HALF, bounds=[(-1, 1)] * 3)
FAR = ImplicitSurface(x + y + z - 5, bounds=[(-5, 5)] * 3)


@pytest.mark.parametrize(("shape", "faces", "corners"), [
    (primitives.block((TENTH, 1, sp.Rational(1, 3))), 6, 8), (primitives.block((1, 1, 1)) & CUT, 7, 7),
    (primitives.block((1, 1, 1)) & FAR, 6, 8),
    (primitives.block((1, 1, 1)).moved(Rigid(rotation=[HALF] * 4, translation=[1, 2, 3])), 6, 8),
])  # fmt: skip
def test_all_faces_and_corners_are_exact(shape, faces, corners):
    solid = solid_of(shape)
    assert len(solid.faces) == faces
    found = {tuple(e.subs({u: a, v: b}) for e in face.expressions) for face in solid.faces for a in (0, 1) for b in (0, 1)}
    assert len(found) == corners
    assert all(max(leaf.expression.subs(dict(zip((x, y, z), p, strict=True))) for leaf in shape.leaves) == 0 for p in found)


@pytest.mark.parametrize("shape", [
    primitives.ball(1), primitives.half_space(), primitives.block((1, 1, 1)) - primitives.block((HALF, HALF, 2)),
    primitives.block((1, 1, 1)) | CUT, primitives.block((1, 1, 1)) & ImplicitSurface(x - sp.sqrt(2) / 4, bounds=[(-1, 1)] * 3),
    ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)}),
])  # fmt: skip
def test_other_shapes_are_left_as_they_are(shape):
    assert solid_of(shape) is None


def test_a_die_that_is_thrown_comes_to_rest_on_a_face():
    """After a hundred hits of corners and edges; its last energy is that of its centre half a side above the floor."""
    floor = ParametricSurface([10 * u - 5, 10 * v - 5, 0], {u: (0, 1), v: (0, 1)})
    die = collide.RigidBody(primitives.block((1, 1, 1)), position=(0, 0, 3), spin=(1, 2, 3))
    run = collide.World([die, collide.RigidBody(floor, fixed=True)], restitution=0.5, friction=0.3).run(until=2.5, budget=200.0)
    assert run.outcome is collide.Outcome.FINISHED
    assert run.energy(2.5) == pytest.approx(9.81 / 2, rel=1e-9)
    assert (np.diff([run.energy(s) for s in np.linspace(0, 2.5, 501)]) < 1e-9).all()
