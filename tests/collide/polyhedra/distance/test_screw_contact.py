"""Meshes on motions fitted by screws, against the motion itself, closed forms, and edges moved at random by what they may be off."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status, screw_contact
from collide.polyhedra.distance.screw_contact import goes_through
from generative import Rigid, Screw, axis_angle, fit, t

CORNERS = np.array([[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 1]], float)
TRIANGLES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
BODY, PLATE = (CORNERS, TRIANGLES), ([[-4, -4, -1], [4, -4, -1], [0, 4, -1]], [[0, 1, 2]])
SWING = Rigid(rotation=axis_angle([0, 1, 0], t**2))


@pytest.mark.parametrize("tolerance", [1e-1, 1e-3])
def test_a_swing_meets_a_plate(tolerance):
    """Its corner (2, 0, 0) comes to z = -1 where sin t^2 = 1/2, and comes down at 2 t cos t^2 times 2 there."""
    swing = fit.screws(SWING, (0, 1), CORNERS, tolerance=tolerance)
    found = screw_contact(BODY, PLATE, swing)
    true = np.sqrt(np.pi / 6)
    assert found.status is Status.CONTACT and found.clear_until == found.time.lo <= true <= found.time.hi
    assert found.time.hi - found.time.lo <= 2 * swing.error / (4 * true * np.cos(np.pi / 6)) * 1.5 + 1e-5
    assert f"{len(swing.segments)} screws follow" in found.summary()


def test_what_misses_by_more_than_the_error_and_by_less():
    """At t = 1 the corner is at z = -2 sin 1."""
    swing = fit.screws(SWING, (0, 1), CORNERS, tolerance=1e-2)
    for gap, status in ((1.1, Status.NO_CONTACT), (0.5, Status.UNRESOLVED)):
        level = -2 * np.sin(1) - gap * swing.error
        found = screw_contact(BODY, ([[-4, -4, level], [4, -4, level], [0, 4, level]], [[0, 1, 2]]), swing)
        assert found.status is status and (found.time is None or found.clear_until == found.time.lo > 0.9)
        assert found.clear_until <= 1.0 and (status is Status.UNRESOLVED or found.clear_until == 1.0)


@pytest.mark.parametrize("seed", range(2))
def test_the_bracket_holds_the_contact_of_the_motion(seed):
    g = np.random.default_rng(seed)
    axis, speed = g.normal(size=3).tolist(), g.uniform(0.5, 1.5, 3)
    course = Rigid(rotation=axis_angle(axis, speed[0] * t + sp.sin(2 * t) / 3), translation=[3 - speed[1] * t, sp.cos(t) - 1, 0.2 * t**2])
    true = collide.mesh_mesh(BODY, BODY, motions=(course, Rigid()), time=(0, 2), tolerance=1e-8)
    found = screw_contact(BODY, BODY, fit.screws(course, (0, 2), CORNERS, tolerance=5e-2), 1e-3)
    if true.status is Status.NO_CONTACT:
        assert found.status is not Status.CONTACT
    else:
        assert found.status is not Status.NO_CONTACT and found.clear_until <= true.time.hi
        assert found.status is not Status.CONTACT or found.time.intersects(true.time)
        assert seed or found.status is Status.CONTACT


def test_edges_that_go_through_do_so_wherever_they_are():
    g = np.random.default_rng(0)
    edges, faces, off = g.normal(size=(3000, 3, 3)), g.normal(size=(3000, 3, 3)), 0.1
    sure = goes_through(edges, faces, off)
    assert 20 < sure.sum() < 1000
    for _ in range(200):
        way = g.normal(size=edges.shape)
        moved = edges + off * way / np.linalg.norm(way, axis=2)[..., None]
        assert goes_through(moved, faces, 0.0)[sure].all()
    assert not goes_through(edges, faces * [1, 1, 0], 1e9).any()


def test_one_screw_and_no_error_to_speak_of():
    turn = fit.screws(Screw([0, 0, 1], angle=t), (0, 1), CORNERS, tolerance=1e-3)
    wall = [[-4, 1.5, -4], [4, 1.5, -4], [0, 1.5, 9]], [[0, 1, 2]]
    found = screw_contact(BODY, wall, turn)
    assert found.status is Status.CONTACT and found.time.lo <= np.arcsin(0.75) <= found.time.hi <= found.time.lo + 1e-3


def test_budgets_and_bad_input():
    swing = fit.screws(SWING, (0, 1), CORNERS, tolerance=1e-2)
    found = screw_contact(BODY, PLATE, swing, budget=collide.Budget(boxes=1))
    assert found.status is Status.BUDGET_SPENT and found.time.hi == 1.0 and found.clear_until <= np.sqrt(np.pi / 6)
    with pytest.raises(TypeError, match=r"generative\.fit\.screws"):
        screw_contact(BODY, PLATE, SWING)
    with pytest.raises(ValueError, match="vertex 3 of the first mesh"):
        screw_contact((CORNERS * [1, 1, 1 + 1e-9], TRIANGLES), PLATE, swing)
    with pytest.raises(ValueError, match="second mesh has a motion"):
        screw_contact(BODY, collide.Mesh(*PLATE).moved(SWING), swing)
    with pytest.raises(ValueError, match="tolerance"):
        screw_contact(BODY, PLATE, swing, 0)
    assert screw_contact((CORNERS, np.zeros((0, 3), int)), PLATE, swing).status is Status.NO_CONTACT
