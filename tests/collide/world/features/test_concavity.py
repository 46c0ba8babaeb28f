"""Curved solids that are not convex: tubes, cups and spools, whose edges are rims and creases, in contact with a floor."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide.world.features.features import features
from collide.world.features.straight import CurvedEdge
from generative import ParametricSurface, u, v
from generative.sew import sew
from models.shapes.solids import box

TENTH, HALF = sp.Rational(1, 10), sp.Rational(1, 2)
FLOOR = collide.RigidBody(box(sizes=(10, 10, 1)), position=(0, 0, -0.5), fixed=True)


def side(radius, low, high, inward=False):
    return ParametricSurface([radius * sp.cos(u), radius * sp.sin(u), v], {u: (0, 2 * sp.pi), v: (low, high)}, flipped=inward)


def ring(inner, outer, height, up):
    return ParametricSurface([v * sp.cos(u), v * sp.sin(u), height], {u: (0, 2 * sp.pi), v: (inner, outer)}, flipped=up)


def tube(outer=HALF, inner=4 * TENTH, height=1):
    return sew([side(outer, 0, height), side(inner, 0, height, True), ring(inner, outer, 0, False), ring(inner, outer, height, True)])


def cup():
    return sew([side(HALF, 0, 1), side(4 * TENTH, TENTH, 1, True), ring(0, HALF, 0, False), ring(0, 4 * TENTH, TENTH, True),
                ring(4 * TENTH, HALF, 1, True)])


def spool():
    """A small disc and a large one on an axle."""
    return sew([side(3 * TENTH, 0, 2 * TENTH), side(TENTH, 2 * TENTH, 8 * TENTH), side(HALF, 8 * TENTH, 1), ring(0, 3 * TENTH, 0, False),
                ring(TENTH, 3 * TENTH, 2 * TENTH, True), ring(TENTH, HALF, 8 * TENTH, False), ring(0, HALF, 1, True)])


@pytest.mark.parametrize(("shape", "rims", "thick"), [(tube(), 4, 0.1), (cup(), 3, 0.1), (spool(), 4, 0.2)])
def test_edges_that_are_hollow_touch_nothing(shape, rims, thick):
    found = features(shape, (0.0, 0.0, 0.0))
    assert not found.convex and found.followed
    assert sum(isinstance(p, CurvedEdge) for p in found.parts) == rims
    assert found.thick == pytest.approx(thick, rel=1e-3)


def test_a_tube_that_slides_on_its_side_rolls():
    """Its moment is m (R^2 + r^2) / 2: it slips until the speed is 1 / (1 + (R^2 + r^2) / (2 R^2)) of what it was."""
    body = collide.RigidBody(tube(), position=(0, 0.5, 0.5), orientation=(1, 1, 0, 0), velocity=(1, 0, 0))
    run = collide.World([body, FLOOR], restitution=0.3, friction=0.4).run(until=0.25, budget=100.0)
    assert run.outcome is collide.Outcome.FINISHED
    last, rolling = run.state(0.25), 1.0 / 1.82
    assert last.velocities[0] == pytest.approx([rolling, 0, 0], abs=1e-8) and last.spins[0] == pytest.approx([0, 2 * rolling, 0], abs=1e-8)
    assert run.rests[-1].time == pytest.approx((1.0 - rolling) / (0.4 * 9.81), rel=1e-6)
    assert last.positions[0, 2] == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize(("shape", "turn"), [(tube(), (1, 0, 0, 0)), (cup(), (0, 1, 0, 0))])
def test_rings_land_flat_and_rest(shape, turn):
    body = collide.RigidBody(shape, position=(0, 0, 0.05 + turn[1]), orientation=turn)
    run = collide.World([body, FLOOR], restitution=0.2, friction=0.4).run(until=0.5, budget=100.0)
    assert run.outcome is collide.Outcome.FINISHED
    assert run.state(0.5).positions[0] == pytest.approx([0, 0, turn[1]], abs=1e-9)
    assert not run.state(0.5).velocities[0].any()


def test_a_spool_falls_onto_its_larger_disc_and_leans_on_both():
    """On its side it touches with both rims: the axis is inclined by the angle whose sine is 0.2 over the distance of these points."""
    body = collide.RigidBody(spool(), position=(0, -0.5, 0.55), orientation=(1, 0.9, 0, 0))
    run = collide.World([body, FLOOR], restitution=0.2, friction=0.4).run(until=1.0, budget=100.0)
    assert run.outcome is collide.Outcome.FINISHED
    times = np.linspace(0, 1, 2001)
    state = run.state(times)
    i, j = state.quaternions[:, 0, 1:3].T
    along = 1 - 2 * (i * i + j * j)
    across = np.sqrt(np.maximum(1 - along * along, 0))
    low = [state.positions[:, 0, 2] + height * along - radius * across for height, radius in ((0, 0.3), (0.2, 0.3), (0.8, 0.5), (1, 0.5))]
    assert np.min(low) > -1e-9
    assert (np.diff(run.energy(times)) < 1e-9).all()
    assert low[0][-1] == pytest.approx(0, abs=1e-8) and low[3][-1] > 1e-3
