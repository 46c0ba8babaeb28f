"""Intersections of implicit bodies in runs: their faces and edges, against closed forms and the same body made of parametric patches."""

import numpy as np
import pytest
import sympy as sp

from collide import Outcome, RigidBody, World
from collide.world.rotation import matrix
from collide.world.tracked.creases import Crease, Facet
from collide.world.tracked.features import features
from generative import ImplicitSurface, x, y, z
from models.shapes.blobs import drilled_ball, lens
from models.shapes.solids import biconvex_lens

from .scenes import FLOOR


def ball(a, b, c):
    return ImplicitSurface((x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2 - 1, bounds=[(-3, 3)] * 3)


def test_the_rim_of_a_lens_is_a_circle_between_two_caps():
    found = features(lens(), (0.0, 0.0, 0.25))
    assert [type(part) for part in found.parts] == [Crease, Facet, Facet] and found.convex
    rim, *caps = found.parts
    at = rim.moved(rim.cells, np.full((len(rim.cells), 1), 0.05))
    jet = rim.jet(at)
    np.testing.assert_allclose(np.linalg.norm(at[:, :2], axis=1), 0.8, atol=1e-14)
    np.testing.assert_allclose(at[:, 2], 0, atol=1e-14)
    np.testing.assert_allclose(jet.point, at - [0, 0, 0.25], atol=1e-15)
    # The tangent goes round the circle, and the curvature, 1 / 0.8, to its middle.
    np.testing.assert_allclose((jet.along[:, 0] * at).sum(axis=1), 0, atol=1e-14)
    np.testing.assert_allclose(jet.bent[:, 0, 0], -at / 0.64, atol=1e-13)
    for point in at[:3]:
        normals = rim.normals(point)
        np.testing.assert_allclose(np.sort(normals[:, 2]), [-0.6, 0.6], atol=1e-14)
        np.testing.assert_allclose(normals[:, :2], np.tile(point[:2], (2, 1)), atol=1e-14)
    for cap in caps:
        assert (np.linalg.norm(cap.points[:, :2], axis=1) <= 0.8 + 1e-12).all() and (cap.beyond(cap.cells) <= 0).all()


def test_what_has_corners_or_hollows_is_not_told_by_edges():
    assert features(drilled_ball(), (0.0, 0.0, 0.0)) is None
    corners = ball(0, 0, 0) & ball(sp.Rational(1, 2), 0, 0) & ball(sp.Rational(1, 4), sp.Rational(1, 2), 0)
    assert features(corners, (0.25, 0.1, 0.0)) is None


@pytest.mark.parametrize("speed", [0, sp.Rational(1, 2)])
def test_an_implicit_lens_rolls_as_one_of_patches(speed):
    """It hits a floor with its rim, and rolls and slips on caps and rim; never deeper than 1e-9, at closed forms of its lowest point."""
    runs, times = [], np.linspace(0, 0.8, 400)
    for shape in (biconvex_lens(), lens()):
        body = RigidBody(shape, position=(0, 0, 0.9), orientation=(1, 0.3, 0.1, 0), velocity=(speed, 0, 0), mass=1, centre=(0, 0, 0),
                         inertia=np.diag([0.12, 0.12, 0.16]))
        run = World([RigidBody(FLOOR, fixed=True), body], gravity=(0, 0, -10), friction=0.3, restitution=0.3).run(until=0.8)
        state = run.state(times)
        down = np.array([-matrix(q)[2] for q in state.quaternions[:, 1]])
        across = np.hypot(down[:, 0], down[:, 1])
        low = np.where(across <= 0.8, 1 - 0.6 * np.abs(down[:, 2]), 0.8 * across)
        assert run.outcome is Outcome.FINISHED and (state.positions[:, 1, 2] - low).min() > -1e-9
        assert np.diff(run.energy(times)).max() < 1e-9
        runs.append(state)
    np.testing.assert_allclose(runs[0].positions, runs[1].positions, atol=1e-8)
    np.testing.assert_allclose(runs[0].spins, runs[1].spins, atol=1e-7)
