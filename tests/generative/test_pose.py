"""Poses given as arrays: the same as `Rigid` of the same numbers, of one family, and refused alike."""

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

from generative import Rigid, axis_angle, pose, primitives, solids, t
from generative.family import member_of
from generative.products import Pose

RNG = np.random.default_rng(0)
QUATERNIONS = [q / np.linalg.norm(q) for q in RNG.normal(size=(4, 4))]


@pytest.mark.parametrize("q", QUATERNIONS)
def test_a_pose_is_the_exact_motion_of_its_numbers(q):
    place = RNG.normal(size=3)
    for rotation in (q, q.tolist(), Rotation.from_quat(q, scalar_first=True).as_matrix(), None):
        made, rigid = pose(rotation, place), Rigid(rotation, place)
        assert isinstance(made.factors[0], Pose)
        assert (made.rotation, made.translation) == (rigid.rotation, rigid.translation)
        assert made.entries == rigid.entries and made.is_constant and not made.is_identity
    assert pose(3 * q, place, normalize=True).rotation == Rigid(3 * q, normalize=True).rotation


def test_bodies_at_other_poses_are_of_one_family():
    for body in (solids.capsule(), primitives.ball(), primitives.block(), solids.capsule().faces[0]):
        first, second, third = (body.placed(q, RNG.normal(size=3)) for q in QUATERNIONS[:3])
        # That numbers are 0 or 1 does not show.
        assert len({id(member_of(b).body) for b in (first, second, third, body.placed(None, (0, 0, 1)))}) == 1
        assert member_of(body.placed(None, (0, 0, 1)).moved(Rigid(translation=[0, 0, t]))).body != member_of(first).body
    assert solids.capsule(name="cup").placed(QUATERNIONS[0]).name == "cup"
    ball = primitives.ball().placed(None, (1, 2, 3)).placed(axis_angle((0, 0, 1), sp.pi / 2), (0, 0, 1))
    assert [sp.simplify(e) for e in ball.motion.apply((0, 0, 0))] == [-2, 1, 4]


@pytest.mark.parametrize("rotation, translation, message", [
    ([1, 0, 0, float("nan")], (0, 0, 0), "not a finite real"),
    (None, (0, float("inf"), 0), "not a finite real"),
    (np.diag([1.0, 1.0, 1.0 + 1e-11]), (0, 0, 0), "the matrix is no rotation: R R.T differs from the identity by 2e-11"),
    (np.diag([1.0, 1.0, -1.0]), (0, 0, 0), "its determinant is -1"),
    ([1, 1e-5, 0, 0], (0, 0, 0), "the quaternion has length 1, not 1"),
    ([2, 0, 0, 0], (0, 0, 0), "the quaternion has length 2, not 1"),
    (np.eye(2), (0, 0, 0), "must be a 3 x 3 matrix or a quaternion"),
    (None, (0, 0), "a translation must be a vector of 3 expressions, got 2"),
    (None, "abc", "a translation must be a vector of 3 expressions"),
])
def test_what_is_no_pose_is_refused(rotation, translation, message):
    with pytest.raises((TypeError, ValueError), match=message):
        solids.capsule().placed(rotation, translation)


@pytest.mark.parametrize("defect", [2e-13, 4e-13, -4e-13])
def test_a_rotation_may_be_off_by_roundings(defect):
    matrix = np.diag([1.0, 1.0, 1.0 + defect])
    assert pose(matrix).entries == Rigid(matrix).entries
