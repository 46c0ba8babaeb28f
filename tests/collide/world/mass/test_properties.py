"""Mass properties, against closed forms."""

import math

import numpy as np
import pytest
import sympy as sp

from collide import RigidBody, World, mass_properties
from generative import ImplicitSurface, ParametricSurface, Rigid, Solid, primitives, solids, t, u, v, x, y, z

from ..scenes import BALL, EGG, RING, cube

ANGLE = Rigid(rotation=[sp.Rational(1, 2)] * 4, translation=[1, 2, 3])


@pytest.mark.parametrize(("shape", "volume", "centre", "moments"), [
    (BALL, 4 * math.pi / 3, (0, 0, 0), (0.4, 0.4, 0.4)),
    (EGG, math.pi / 2, (0, 0, 0), ((0.75**2 + 0.25) / 5, (1 + 0.25) / 5, (1 + 0.75**2) / 5)),
    (RING, 2 * math.pi**2 * 0.09, (0, 0, 0), (0.5 + 0.625 * 0.09, 0.5 + 0.625 * 0.09, 1 + 0.75 * 0.09)),
    (RING.moved(ANGLE), 2 * math.pi**2 * 0.09, (1, 2, 3), (1 + 0.75 * 0.09, 0.5 + 0.625 * 0.09, 0.5 + 0.625 * 0.09)),
    (cube(), 1.0, (0, 0, 0), (1 / 6, 1 / 6, 1 / 6)),
    (cube().placed(translation=[1, 0, 0]), 1.0, (1, 0, 0), (1 / 6, 1 / 6, 1 / 6)),
    (primitives.block((1, 2, 3)), 6.0, (0, 0, 0), (13 / 12, 10 / 12, 5 / 12)),
    (primitives.ball(2, (1, 2, 3)), 32 * math.pi / 3, (1, 2, 3), (1.6, 1.6, 1.6)),
    (solids.capsule(sp.Rational(1, 2), 1), math.pi * 5 / 12, (0, 0, 0.5), None),
])  # fmt: skip
def test_closed_forms(shape, volume, centre, moments):
    found = mass_properties(shape)
    assert found.volume == pytest.approx(volume, rel=1e-12)
    np.testing.assert_allclose(found.centre, centre, atol=1e-12)
    assert found.error < 1e-10
    if moments is not None:
        np.testing.assert_allclose(found.inertia / volume, np.diag(moments), atol=1e-12)


HALF, QUARTER = sp.Rational(1, 2), sp.Rational(1, 4)
# Of radii 1 and 1/4, moved, and with bounds that it touches.
RING_FORMULA = (sp.sqrt(x**2 + y**2) - 1) ** 2 + z**2 - QUARTER**2
RINGS = (ImplicitSurface(RING_FORMULA, bounds=[(-2, 2), (-2, 2), (-1, 1)]).moved(ANGLE),
         ImplicitSurface(RING_FORMULA, bounds=[(-5 * QUARTER, 5 * QUARTER)] * 2 + [(-QUARTER, QUARTER)]))


@pytest.mark.parametrize(("shape", "centre", "axis"), [(RINGS[0], (1, 2, 3), 0), (RINGS[1], (0, 0, 0), 2)])
def test_smooth_implicit_bodies_that_are_not_convex(shape, centre, axis):
    found = mass_properties(shape)
    assert abs(found.volume / (math.pi**2 / 8) - 1) < 1e-12 and found.error < 1e-8
    np.testing.assert_allclose(found.centre, centre, atol=1e-12)
    moments = np.full(3, 1 / 2 + 5 / 128)
    moments[axis] = 1 + 3 / 64
    np.testing.assert_allclose(found.inertia / found.volume, np.diag(moments), atol=1e-12)


@pytest.mark.parametrize(("shape", "volume", "centre"), [
    (primitives.block((1, 1, 1)) - primitives.block((HALF, HALF, 2)), 3 / 4, (0, 0, 0)),
    (primitives.block((1, 1, 1)) - primitives.block((HALF,) * 3).moved(Rigid(translation=[QUARTER, 0, 0])), 7 / 8, (-1 / 28, 0, 0)),
    (primitives.ball(1) - primitives.ball(HALF, (QUARTER, 0, 0)), 7 * math.pi / 6, (-1 / 28, 0, 0)),
    (primitives.ball(1) & primitives.ball(1, (1, 0, 0)), 5 * math.pi / 12, (1 / 2, 0, 0)),
    (primitives.ball(1) | primitives.ball(1, (1, 0, 0)), 9 * math.pi / 4, (1 / 2, 0, 0)),
    (primitives.ball(1) | primitives.ball(1, (3, 0, 0)), 8 * math.pi / 3, (3 / 2, 0, 0)),
])  # fmt: skip
def test_implicit_bodies_that_no_point_sees_all_of(shape, volume, centre):
    found = mass_properties(shape)
    assert found.volume == pytest.approx(volume, rel=1e-12)
    np.testing.assert_allclose(found.centre, centre, atol=1e-12)


@pytest.mark.parametrize(("shape", "volume", "moment"), [
    (primitives.block((1, 1, 1)) - ImplicitSurface(x**2 + y**2 - QUARTER**2, bounds=[(-1, 1), (-1, 1), (-3, 3)]), 1 - math.pi / 16,
     (1 / 6 - math.pi / 512) / (1 - math.pi / 16)),
])  # fmt: skip
def test_the_error_that_is_told_of_a_drilled_block(shape, volume, moment):
    found = mass_properties(shape)
    assert abs(found.volume / volume - 1) < found.error < 1e-4
    assert found.inertia[2, 2] / found.volume == pytest.approx(moment, rel=found.error)


def test_an_inside_out_surface_has_the_same_properties():
    turned = ParametricSurface(BALL.body, BALL.domain, flipped=True)
    assert mass_properties(turned).volume == pytest.approx(4 * math.pi / 3, rel=1e-13)


@pytest.mark.parametrize(("shape", "what"), [
    (ParametricSurface([u, v, u * v], {u: (0, 1), v: (0, 1)}), "not closed"), (BALL.moved(Rigid(translation=[t, 0, 0])), "at rest"),
    (ParametricSurface([sp.cos(u), sp.sin(u), v], {u: (0, 2 * sp.pi), v: (-1, 1)}), "v = -1 of face 0 meets no other side"),
    (Solid([ParametricSurface([sp.cos(u), sp.sin(u), v], {u: (0, 2 * sp.pi), v: (-1, 1)})]), "not closed"),
    (primitives.half_space(), "not closed"), (primitives.ball(1) & primitives.ball(1, (3, 0, 0)), "no volume"),
])  # fmt: skip
def test_what_has_no_volume_is_refused(shape, what):
    with pytest.raises(ValueError, match=what):
        mass_properties(shape)


def test_what_is_no_body_is_refused():
    with pytest.raises(TypeError, match="bodies are"):
        mass_properties("ball")


def test_notes_name_leaves_that_may_be_one_surface():
    above = Rigid(translation=[0, 0, 1 + sp.Rational(1, 10**14)])
    nearly = primitives.block((1, 1, 1)) | primitives.block((1, 1, 1)).moved(above)
    assert "nearly one surface" in mass_properties(nearly).notes[0] and mass_properties(primitives.block((1, 1, 1))).notes == ()
    run = World([RigidBody(nearly)], gravity=[0, 0, 0]).run(until=0.1)
    assert "nearly one surface" in run.notes[0] and run.notes[0] in run.summary()
