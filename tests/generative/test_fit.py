"""Fits against NumPy's Chebyshev module, SciPy's rotations, closed forms, and their own statements."""

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

from generative import Curve, curve, u
from generative.fit import (
    chebyshev_curve,
    chebyshev_motion,
    chebyshev_motion_of,
    double_reflection,
    interpolating_curve,
    motion_through,
    rotation_minimizing_up,
)
from generative.mesh import approx_function, approx_motion
from generative.sweep import sweep
from tests.models.test_shapes import quadrature


def circle(at):
    return np.stack([np.cos(at), np.sin(at), 0 * at], axis=1)


def sample(c, at):
    return approx_function(c.expressions, [u])(np.asarray(at, float))


def test_a_proved_bound_holds_and_is_not_far_off():
    for degree in (4, 8, 12):
        fit = chebyshev_curve(circle, (0, 2), degree=degree, derivative_bound=1.0)
        at = np.linspace(0, 2, 400)
        error = np.linalg.norm(sample(fit.value, at) - circle(at), axis=1).max()
        assert error <= fit.error < 10 * error + 1e-14 and "proved" in fit.statement


def test_the_degree_grows_until_the_tolerance_is_met_and_follows_numpy():
    fit = chebyshev_curve(circle, (0, 6), tolerance=1e-10)
    at = np.linspace(0, 6, 301)
    assert np.linalg.norm(sample(fit.value, at) - circle(at), axis=1).max() < 2e-10 and "measured" in fit.statement
    degree = int(fit.statement.split()[-1])
    theirs = np.polynomial.chebyshev.Chebyshev.interpolate(np.cos, degree, (0, 6))
    np.testing.assert_allclose(sample(fit.value, at)[:, 0], theirs(at), atol=1e-13)


def test_an_interpolating_curve_is_exact_at_its_points():
    points = np.random.default_rng(1).normal(size=(6, 3))
    fit = interpolating_curve(points)
    for k, piece in enumerate(fit.value):
        assert [sp.Rational(float(c)) for c in points[k]] == [sp.nsimplify(e) for e in piece.at(k)]
        assert [sp.Rational(float(c)) for c in points[k + 1]] == [sp.nsimplify(e) for e in piece.at(k + 1)]
    for a, b in zip(fit.value[:-1], fit.value[1:], strict=True):
        joint = a.domain[1]
        assert [e.subs(u, joint) for e in a.tangent] == [e.subs(u, joint) for e in b.tangent]
    ring = interpolating_curve(circle(np.arange(12) * np.pi / 6), closed=True).value
    assert len(ring) == 12 and ring[-1].at(12) == ring[0].at(0)
    joined = curve.piecewise(ring)
    np.testing.assert_allclose(np.linalg.norm(sample(joined, np.linspace(0, 12, 77)), axis=1), 1, atol=2e-3)


def trajectory(times):
    """Scalar-first quaternions and translations of a tumbling flight, with a change of sign of the quaternion within."""
    turn = Rotation.from_euler("xyz", np.stack([times, 0.3 * np.sin(times), 2 * times], axis=1))
    return turn.as_quat(scalar_first=True), np.stack([times, np.cos(times), 1 - times**2], axis=1)


def pose_error(motion, times):
    """The largest angle and distance, through SciPy's Rotation."""
    quaternions, translations = trajectory(times)
    errors, place = [], approx_motion(motion)
    for q, p, time in zip(quaternions, translations, times, strict=True):
        rotation, translation = place(time)
        errors.append((Rotation.from_matrix(rotation) * Rotation.from_quat(q, scalar_first=True).inv()).magnitude())
        errors.append(np.linalg.norm(translation - p))
    return max(errors)


def test_a_motion_through_samples_is_exact_at_them():
    times = np.linspace(0, 3, 13)
    fit = motion_through(times, *trajectory(times))
    assert pose_error(fit.value, times) < 1e-14 and fit.error == 0
    assert pose_error(fit.value, np.linspace(0, 3, 31)) < 5e-3


def test_a_motion_through_samples_of_a_plane_motion():
    """Coordinates that stay zero are as good as others: turns about z by more than pi, along the x axis."""
    times = np.arange(4.0)
    turns = np.stack([np.cos(times), 0 * times, 0 * times, np.sin(times)], 1)
    moved = motion_through(times, turns, np.stack([times, 0 * times, 0 * times], 1))
    rotation, translation = approx_motion(moved.value)(2.0)
    np.testing.assert_allclose(rotation, Rotation.from_euler("z", 4.0).as_matrix(), atol=1e-15)
    np.testing.assert_allclose(translation, [2, 0, 0], atol=1e-15)


def test_a_chebyshev_motion_states_its_error_at_the_samples():
    times = np.linspace(0, 3, 200)
    fit = chebyshev_motion(times, *trajectory(times), tolerance=1e-8)
    assert 0.2 * fit.error < pose_error(fit.value, times) <= 1.0001 * fit.error <= 1.0001e-8
    assert pose_error(fit.value, np.linspace(0, 3, 31)) < 1e-7
    rotation, _ = approx_motion(fit.value)(1.7)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-15)


def test_a_chebyshev_motion_of_a_function():
    def pose(times):
        half = times / 2
        return np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1), np.stack([times, times**2, 0 * times], axis=1)

    fit = chebyshev_motion_of(pose, (0, 2), tolerance=1e-12)
    rotation, translation = approx_motion(fit.value)(1.25)
    np.testing.assert_allclose(rotation, Rotation.from_euler("z", 1.25).as_matrix(), atol=1e-12)
    np.testing.assert_allclose(translation, [1.25, 1.25**2, 0], atol=1e-12)


KNOT = Curve([sp.sin(u) + 2 * sp.sin(2 * u), sp.cos(u) - 2 * sp.cos(2 * u), -sp.sin(3 * u)], (0, 2 * sp.pi))


def test_a_rotation_minimizing_frame_of_a_helix_turns_against_its_torsion():
    """Against the Frenet frame of a helix the least turning frame turns by minus torsion times length (Bishop 1975)."""
    helix = curve.helix(1, 2 * sp.pi, 1)  # torsion 1/2, length 2 sqrt(2) pi
    at = np.linspace(0, 2 * np.pi, 1025)
    frames = double_reflection(helix, at, [-1, 0, 0])  # the principal normal at the start
    normal, tangent = np.stack([-np.cos(at), -np.sin(at), 0 * at], axis=1), approx_function(helix.tangent, [u])(at) / np.sqrt(2)
    angle = np.unwrap(np.arctan2(np.sum(frames * np.cross(tangent, normal), axis=1), np.sum(frames * normal, axis=1)))
    np.testing.assert_allclose(angle, -at / np.sqrt(2), atol=1e-9)
    fit = rotation_minimizing_up(helix, [-1, 0, 0])
    series = approx_function(fit.value, [u])(at)
    np.testing.assert_allclose(series, frames, atol=fit.error + 1e-9)


def test_a_tube_about_a_knot_that_no_fixed_up_direction_serves():
    fit = rotation_minimizing_up(KNOT, tolerance=1e-5)
    assert fit.error < 3e-5
    tube = sweep(curve.circle(sp.Rational(1, 5)), KNOT, up=fit.value)
    length = np.linalg.norm(approx_function(KNOT.tangent, [u])(np.linspace(0, 2 * np.pi, 4001)[:-1]), axis=1).mean() * 2 * np.pi
    assert quadrature(tube)[0] == pytest.approx(2 * np.pi / 5 * length, rel=1e-6)


@pytest.mark.parametrize("make, message", [
    (lambda: chebyshev_curve(circle, derivative_bound=1.0), "give degree= too"),
    (lambda: chebyshev_curve(lambda at: np.sign(circle(at)), (-1, 1)), "degree 128 still misses .* too rough"),
    (lambda: chebyshev_curve(circle, degree=0), "the degree of a fit must be an integer of at least 1, got 0"),
    (lambda: chebyshev_motion_of(trajectory, (0, 1), degree=2.5), "must be an integer of at least 1, got 2.5"),
    (lambda: chebyshev_curve(lambda at: at), "one row a parameter"),
    (lambda: interpolating_curve([[0, 0, 0]]), "at least two points"),
    (lambda: interpolating_curve([[0, 0, 0], [1, 0, 0]], [1, 0]), "must increase, but number 1, 0, follows 1"),
    (lambda: motion_through([0, 1], np.eye(4)[:2], np.zeros((2, 3))), "n >= 3"),
    (lambda: motion_through([0, 1, 2], 2 * np.eye(4)[[0, 0, 0]], np.zeros((3, 3))), "quaternion 0 has length 2"),
    (lambda: chebyshev_motion(np.arange(9), *trajectory(np.arange(9.0))), "still misses a sample"),
    (lambda: chebyshev_motion(np.arange(9), *trajectory(np.arange(9.0)), degree=9), "a degree from 1 to 6"),
    (lambda: rotation_minimizing_up(KNOT, steps=7), "even number"),
    (lambda: rotation_minimizing_up(curve.line([0, 0, 0], [0, 0, 1]), [0, 0, 2]), "runs along the path"),
    (lambda: rotation_minimizing_up(Curve([u**2, u**3, 0], (0, 1))), "stands still"),
])  # fmt: skip
def test_misuse_says_what_to_do(make, message):
    with pytest.raises(ValueError, match=message):
        make()
