"""Flights in doubles, against a solver of differential equations, and as formulas, against their doubles."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

from collide.world.motion import rotation
from collide.world.motion.ballistic import RotationKind, flight
from collide.world.motion.polynomial import place_of
from collide.world.motion.state import Inertia
from collide.world.motion.templates import motion_of
from generative import t

ZERO = np.zeros(3)
CASES = {"ball": (np.diag([2.0, 2.0, 2.0]), (0.3, -1.0, 0.5), RotationKind.SPIN),
         "about an axis": (np.diag([1.0, 2.0, 2.5]), (0, 0, 1.5), RotationKind.SPIN),
         "top": (np.diag([1.0, 1.0, 0.4]), (0.3, -1.0, 2.5), RotationKind.TOP),
         "flat top": (np.diag([1.8, 1.0, 1.0]), (0.3, -1.0, 0.5), RotationKind.TOP),
         "tumbling": (np.diag([1.0, 2.0, 2.5]), (0.3, -1.0, 0.5), RotationKind.SERIES)}  # fmt: skip
TILT = rotation.matrix(np.array([0.5, -0.3, 0.8, 0.1]))


def solved(inertia, turn, spin, change, until):
    """The rotation and the spin at a time, by Euler's equations and quaternions."""
    def rates(s, y):
        q, w = y[:4], y[4:]
        r = rotation.matrix(q)
        world = r @ inertia @ r.T
        turning = change if change.any() else np.linalg.solve(world, -np.cross(w, world @ w))
        return np.concatenate([rotation.times(np.array([0.0, *w]), q) / 2, turning])

    found = solve_ivp(rates, (0.0, until), [*rotation.quaternion(turn), *spin], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    return rotation.matrix(found[:4]), found[4:]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("turn", [np.eye(3), TILT])
def test_free_rotation(name, turn):
    inertia, spin, gait = CASES[name]
    inertia = Inertia(inertia)
    own = turn @ np.array(spin, float)
    found = flight(1.0, ZERO, ZERO, ZERO, turn, own, inertia)
    assert found.gait is gait
    after = min(2.0, found.until - 1.0)
    rotated, w = solved(inertia.matrix, turn, own, ZERO, after)
    np.testing.assert_allclose(found.turn_at(1.0 + after), rotated, atol=3e-12)
    np.testing.assert_allclose(found.spin_at(1.0 + after), w, atol=3e-12)


def test_a_series_goes_on_where_it_ends():
    inertia, spin, _ = CASES["tumbling"]
    course = flight(0.0, ZERO, ZERO, ZERO, TILT, np.array(spin), Inertia(inertia))
    while course.until < 3.0:
        course = course.again(course.until)
    np.testing.assert_allclose(course.turn_at(3.0), solved(inertia, TILT, np.array(spin), ZERO, 3.0)[0], atol=1e-11)


def test_a_top_without_torque_turns_as_jacobi_says():
    # Euler's equations, from a spin in the plane of the least and the greatest axis (Landau and Lifshitz, Section 37).
    a, b, c = 1.0, 2.0, 2.5
    course = flight(0.0, ZERO, ZERO, ZERO, np.eye(3), np.array([0.6, 0.0, 1.2]), Inertia(np.diag([a, b, c])))
    energy, momentum = a * 0.6**2 + c * 1.2**2, (a * 0.6) ** 2 + (c * 1.2) ** 2
    assert momentum > energy * b
    rate = np.sqrt((c - b) * (momentum - energy * a) / (a * b * c))
    square = (b - a) * (energy * c - momentum) / ((c - b) * (momentum - energy * a))
    middle = np.sqrt((energy * c - momentum) / (b * (c - b)))
    for moment in np.linspace(0, 10 * 4 * ellipk(square) / rate, 60):
        while course.until < moment:
            course = course.again(course.until)
        sn, cn, dn, _ = ellipj(rate * moment, square)
        turn = course.turn_at(moment)
        spin = turn.T @ course.spin_at(moment)
        np.testing.assert_allclose(spin, [0.6 * cn, middle * sn, 1.2 * dn], atol=1e-9)
        assert spin @ (np.array([a, b, c]) * spin) == pytest.approx(energy, rel=1e-12)
        np.testing.assert_allclose(turn @ (np.array([a, b, c]) * spin), [a * 0.6, 0.0, c * 1.2], atol=1e-9)


@pytest.mark.parametrize("spin", [(0.0, 0.0, 0.0), (0.3, -1.0, 0.5)])
def test_a_spin_that_changes_evenly(spin):
    inertia, change = np.eye(3), np.array([0.5, 0.0, 1.0])
    course = flight(0.0, ZERO, ZERO, ZERO, TILT, np.array(spin), Inertia(inertia), change)
    until = min(course.until, 1.0)
    np.testing.assert_allclose(course.turn_at(until), solved(inertia, TILT, np.array(spin), change, until)[0], atol=1e-12)
    np.testing.assert_array_equal(course.turned_on(until).centre, course.centre)


@pytest.mark.parametrize("name", CASES)
def test_formulas_are_what_the_doubles_are(name):
    inertia, spin, _ = CASES[name]
    middle = np.array([0.1, 0.2, -0.3])
    course = flight(0.5, np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.0, -1.0]), np.array([0.0, 0.0, -10.0]), TILT, np.array(spin, float),
                    Inertia(inertia))
    motion, time = motion_of(course, middle), min(0.9, course.until)
    there = np.array([float(e.xreplace({t: time})) for e in motion.entries])
    np.testing.assert_allclose(there[:9].reshape(3, 3), course.turn_at(time), atol=1e-14)
    np.testing.assert_allclose(there[9:], course.centre_at(time) - course.turn_at(time) @ middle, atol=1e-14)


@pytest.mark.parametrize("name", CASES)
def test_places_at_many_times_are_those_at_each(name):
    inertia, spin, gait = CASES[name]
    course = flight(0.5, np.ones(3), np.array(spin), np.array([0, 0, -10.0]), TILT, TILT @ np.array(spin, float), Inertia(inertia))
    assert course.gait is gait
    times = np.linspace(0.2, 0.9, 5)
    for found, one in zip(course.places(times), zip(*(place_of(course, time) for time in times.tolist()), strict=True), strict=True):
        np.testing.assert_allclose(found, one, atol=1e-14)


def test_quaternions_are_those_of_matrices():
    rng = np.random.default_rng(0)
    for q in [*rng.normal(size=(50, 4)), *np.eye(4)]:
        own = rotation.quaternion(rotation.matrix(q))
        assert abs(abs(own @ q) / np.linalg.norm(q) - 1.0) < 1e-15


def test_quaternions_of_many_matrices_are_those_of_each():
    turns = [rotation.matrix(q) for q in [*np.random.default_rng(0).normal(size=(50, 4)), *np.eye(4)]]
    np.testing.assert_allclose(rotation.quaternions(np.array(turns)), [rotation.quaternion(r) for r in turns], atol=1e-15)
