"""Pairs of triangles in the order of time: none that comes near is missing, and none before its time."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide.bodies.extent import extent_of
from collide.bodies.numbers import numbers_of
from collide.bodies.parts import faces_of
from collide.culling.descent import Descent
from generative import ParametricSurface, Rigid, Screw, t, u, v
from generative.family import member_of
from generative.mesh import approx_motion

from ..meshes import R, ball, distances, terrain

TURN = Rigid(translation=[0, 0, 2 - t]) @ Screw([1, 2, 3], angle=2 * t)
TORUS = ParametricSurface([(R(1, 2) + R(1, 8) * sp.cos(v)) * sp.cos(u), (R(1, 2) + R(1, 8) * sp.cos(v)) * sp.sin(u), R(1, 8) * sp.sin(v)],
                          {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})


def descent(first, second, window):
    members = [member_of(body) for body in (first, second)]
    cells = [faces_of(m.body)[0] for m in members]
    parts = [extent_of(c, numbers_of(m)) for c, m in zip(cells, members, strict=True)]
    return Descent(tuple(cells), tuple(parts), window)


@pytest.mark.parametrize("swapped", [False, True])
def test_no_triangle_near_a_ball_is_missing(swapped):
    """(Fails with a ball smaller than the body, where the middles of sides are taken for all of a triangle, and where a child is left out.)
    """
    mesh = terrain(21).moved(TURN.inverse())
    body = ball(R(1, 5)).moved(Screw([0, 1, 0], point=[R(1, 5), 0, 0], angle=t))
    corners = mesh.vertices[mesh.triangles, :3]
    pair = (body, mesh) if swapped else (mesh, body)
    found = descent(*pair, (0.0, 3.0))
    found.until(np.inf)
    begins = dict(zip(found.pairs[:, int(swapped)].tolist(), found.times.tolist(), strict=True))
    assert len(begins) == len(found.pairs) and (np.diff(found.times) >= 0).all()
    place, frame = approx_motion(body.motion), approx_motion(mesh.motion)
    touched = 0
    for time in np.linspace(0, 3, 400):
        (_, centre), (turn, shift) = place(time), frame(time)
        near = np.flatnonzero(distances(corners, turn.T @ (centre - shift)) <= 0.2)
        touched += len(near)
        assert all(begins[k] <= time for k in near.tolist())
    assert touched > 1000


def test_no_triangle_that_a_torus_crosses_is_missing():
    """(Fails where a triangle counts as found before it is, and where cells of the torus are in the wrong order in its tree.)"""
    mesh = terrain(41)
    found = descent(mesh, TORUS.moved(TURN), (0.0, 3.0))
    found.until(np.inf)
    begins = dict(zip(found.pairs[:, 0].tolist(), found.times.tolist(), strict=True))
    corners, place, touched = mesh.vertices[mesh.triangles, :3], approx_motion(TURN), 0
    for time in np.linspace(1, 3, 200):
        turn, shift = place(time)
        px, py, pz = np.moveaxis((corners - shift) @ turn, 2, 0)
        inside = (np.hypot(px, py) - 0.5)**2 + pz**2 < 1 / 64
        # What has a corner inside and one outside is crossed.
        crossed = np.flatnonzero(inside.any(axis=1) & ~inside.all(axis=1))
        touched += len(crossed)
        assert all(begins[k] <= time for k in crossed.tolist())
    assert touched > 1000


def test_triangles_are_found_as_far_as_they_are_asked_for():
    mesh, body = terrain(41), ball(R(1, 5)).moved(Rigid(translation=[R(1, 10), 0, 2 - t]))
    every, some = descent(body, mesh, (0.0, 3.0)), descent(body, mesh, (0.0, 3.0))
    every.until(np.inf)
    some.more(5)
    assert some.found == 5 and some.horizon <= every.times[5]
    some.until(1.8)
    known = every.pairs[every.times <= 1.8]
    np.testing.assert_array_equal(np.sort(some.pairs[:, 1]), np.sort(known[:, 1]))
    assert every.horizon == np.inf and descent(body, mesh, (0.0, 1.0)).found == 0


def test_two_meshes_and_meshes_of_one_triangle():
    flat = collide.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    for motion, time in ((Rigid(translation=[0, 0, 2 - t]), 2.0), (Rigid(translation=[2 - t, 0, R(1, 100)]), np.inf)):
        found = descent(flat.moved(motion), flat, (0.0, 3.0))
        found.until(np.inf)
        assert (len(found.times) == 0) if time == np.inf else (found.times[0] <= 2.0 and found.times[0] > 1.99)
