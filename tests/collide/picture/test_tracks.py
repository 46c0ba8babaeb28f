"""Keys of motions: few, and what is between them is near the motion."""

import numpy as np
import pytest
import sympy as sp

from collide.picture.drawing import places
from collide.picture.tracks import poses_of, quaternions, thinned, track
from generative import Rigid, Screw, axis_angle, t
from generative.mesh import approx_motion

CORNERS = np.array([[0.5, 0, 0], [0, -0.5, 0.1], [0.2, 0.2, -0.4]])


@pytest.mark.parametrize(("motion", "most"), [
    (Rigid(), 1), (Rigid(translation=[1, 2, 3]), 1), (Rigid(translation=[t, 2 * t, 1]), 2), (Rigid(translation=[0, 0, 3 - 5 * t**2]), 80),
    (Screw([1, 2, 2], angle=9 * t, advance=t), 160),
    (Rigid(rotation=axis_angle([0, 0, 1], 400 * t), translation=[sp.sin(9 * t), 0, 0]), 6000),
])  # fmt: skip
def test_what_lies_between_keys_is_near_the_motion(motion, most):
    known = track(poses_of(motion), (0.0, 1.5), 1e-3, 0.5)
    assert len(known[0]) <= most
    times = np.random.default_rng(3).uniform(0, 1.5, 300)
    turns, shifts = approx_motion(motion)(times)
    assert np.abs(places(known, times, CORNERS) - (CORNERS @ np.swapaxes(turns, 1, 2) + shifts[:, None]).reshape(-1, 3)).max() < 3e-3


def test_where_a_motion_is_not_finite_the_last_pose_stays():
    times, poses = track(poses_of(Rigid(translation=[sp.sqrt(1 - t), 0, 0])), (0.0, 2.0), 1e-3, 1.0)
    assert np.isfinite(poses).all() and times[-1] == 2 and abs(poses[-1, 0]) < 0.1


def test_thinning_keeps_the_ends_and_the_corner():
    times, poses = np.linspace(0, 1, 101), np.zeros((101, 7))
    poses[:, 0], poses[:, 3] = np.abs(np.linspace(-1, 1, 101)), 1
    np.testing.assert_allclose(thinned(times, poses, 1e-6, 1.0)[0], [0, 0.5, 1])


def test_quaternions():
    turns = np.array([np.eye(3), np.diag([1.0, -1, -1]), np.full((3, 3), np.nan)])
    np.testing.assert_allclose(np.abs(quaternions(turns)), [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]], atol=1e-12)
