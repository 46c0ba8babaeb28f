import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

from generative import IDENTITY, Rigid, Screw, axis_angle, t
from generative.keyframed import keyframes
from generative.mesh import approx_motion
from generative.screw import interpolate_poses, screw_of


def assert_pose(motion, time, pose):
    for ours, wanted in zip(approx_motion(motion)(time), approx_motion(pose)(0.0), strict=True):
        np.testing.assert_allclose(ours, wanted, atol=1e-14)


def random_pose(generator):
    return Rigid(rotation=generator.integers(-5, 6, 4).tolist(),
                 translation=generator.integers(-3, 4, 3).tolist(), normalize=True)


@pytest.mark.parametrize("seed", range(5))
def test_both_poses_are_hit(seed):
    generator = np.random.default_rng(seed)
    first, second = random_pose(generator), random_pose(generator)
    motion = interpolate_poses(first, second, (1, 3))
    assert_pose(motion, 1.0, first)
    assert_pose(motion, 3.0, second)
    # Half way the rotation is scipy's geodesic mean, and the motion is rigid.
    a, b = (Rotation.from_matrix(approx_motion(p)(0.0)[0]) for p in (first, second))
    half = Rotation.from_rotvec(0.5 * (b * a.inv()).as_rotvec()) * a
    np.testing.assert_allclose(approx_motion(motion)(2.0)[0], half.as_matrix(), atol=1e-13)


@pytest.mark.parametrize("second", [
    Rigid(translation=[1, -2, 2]),
    Rigid(rotation=[0, 1, 2, 2], translation=[1, 0, 3], normalize=True),
    Rigid(rotation=axis_angle([1, 1, 0], sp.pi), translation=[0, 0, 1]),
    Rigid(rotation=axis_angle([1, 1, 1], 2 * sp.pi / 3)),
    IDENTITY,
], ids=["translation", "half turn", "half turn with roots", "third of a turn", "rest"])
def test_special_cases_are_exact(second):
    assert_pose(interpolate_poses(IDENTITY, second), 1.0, second)
    assert_pose(interpolate_poses(IDENTITY, second), 0.0, IDENTITY)


def test_poses_in_floating_point():
    pose = Rigid(rotation=Rotation.from_euler("xyz", [0.3, 0.2, 1e-7]).as_matrix(), translation=[0.1, 0.2, 0.3])
    assert_pose(interpolate_poses(IDENTITY, pose), 1.0, pose)


@pytest.mark.parametrize("turn", [0, 1e-12, 1e-9, 1e-7, 1e-3, 0.1, np.pi, np.pi - 1e-8, np.pi - 1e-3, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_equal_and_opposite_orientations_in_floating_point(seed, turn):
    """Rounded matrices of no turn at all, and of half a turn: their antisymmetric parts are noise."""
    generator = np.random.default_rng(seed)
    axis, begin = generator.normal(size=3), Rotation.random(random_state=seed)
    end = Rotation.from_rotvec(turn * axis / np.linalg.norm(axis)) * begin
    first, second = (Rigid(rotation=r.as_matrix(), translation=generator.normal(size=3)) for r in (begin, end))
    motion = interpolate_poses(first, second)
    assert_pose(motion, 0.0, first)
    assert_pose(motion, 1.0, second)


def test_a_small_turn_goes_along_the_same_screw():
    end = Screw(axis=[1, 2, 2], point=[1, 0, 2], angle=sp.Rational(1, 9), advance=2)
    assert_pose(interpolate_poses(IDENTITY, end), 0.3, Screw([1, 2, 2], [1, 0, 2], sp.Rational(3, 90), sp.Rational(3, 5)))


def test_the_screw_of_a_screw_is_that_screw():
    axis, point, angle, advance = screw_of(Screw(axis=[0, 0, 1], point=[2, 1, 0], angle=1, advance=sp.Rational(1, 2)).at(0))
    assert [sp.N(e, 15) for e in (*axis, *point)] == pytest.approx([0, 0, 1, 2, 1, 0])
    assert sp.N(angle) == pytest.approx(1) and sp.N(advance) == pytest.approx(0.5)


def test_keyframes_pass_through_all_poses():
    poses = [IDENTITY, Rigid(translation=[1, 0, 0]), Rigid(rotation=[1, 1, 0, 0], translation=[1, 1, 0], normalize=True)]
    motion = keyframes(poses, [0, 1, 3])
    for time, pose in zip((0.0, 1.0, 3.0), poses, strict=True):
        assert_pose(motion, time, pose)


@pytest.mark.parametrize("make, message", [
    (lambda: interpolate_poses(IDENTITY, Rigid(translation=[t, 0, 0])), "constant poses"),
    (lambda: interpolate_poses(IDENTITY, IDENTITY, (1, 0)), "empty or reversed"),
    (lambda: keyframes([IDENTITY], [0]), "at least two poses"),
])
def test_misuse_says_what_to_do(make, message):
    with pytest.raises(ValueError, match=message):
        make()
