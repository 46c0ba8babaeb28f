"""Laws of trajectories, for each kind of motion: rates are derivatives, bounds hold, and times asked at once agree with one by one."""

import math

import numpy as np
import pytest
import sympy as sp

from collide.world.motion.ballistic import RotationKind, flight
from collide.world.motion.polynomial import Polynomial
from collide.world.motion.prescribed import Prescribed
from collide.world.motion.rotation import matrix
from collide.world.motion.state import Inertia
from collide.world.motion.trajectory import Trajectory
from generative import Rigid, t

ZERO, TURN = np.zeros(3), matrix(np.array([0.4, -0.2, 0.7, 0.5]))
FALL = np.array([0.0, 0.5, -9.0])


def ballistic(moments: tuple[float, float, float], spin: tuple[float, float, float]) -> Trajectory:
    return flight(0.5, np.array([1.0, -2.0, 0.3]), np.array([0.2, 3.0, -1.0]), FALL, TURN, np.array(spin), Inertia(np.diag(moments)))


def polynomial() -> Trajectory:
    rng = np.random.default_rng(4)
    sizes = 4.0 ** -np.arange(12)[:, None]
    return Polynomial(0.5, 1.5, rng.normal(size=3), TURN, rng.normal(size=(12, 3)) * sizes, 0.2 * rng.normal(size=(12, 4)) * sizes,
                      Inertia(np.eye(3)))


def prescribed() -> Trajectory:
    c, s = sp.cos(t + t**2 / 5), sp.sin(t + t**2 / 5)
    return Prescribed(Rigid(rotation=[[c, -s, 0], [s, c, 0], [0, 0, 1]], translation=[sp.sin(3 * t), t**2, 1 - t]))


KINDS = {"ball": lambda: ballistic((2, 2, 2), (0.3, -1, 0.5)), "principal axis": lambda: ballistic((1, 2, 2.5), (0, 0, 0)),
         "top": lambda: ballistic((1, 1, 0.4), (0.3, -1, 2.5)), "tumbling": lambda: ballistic((1, 2, 2.5), (0.3, -0.2, 0.4)),
         "polynomial": polynomial, "prescribed": prescribed}  # fmt: skip
TIMES = np.linspace(0.55, 0.9, 8)
STEP = 1e-5


@pytest.fixture(params=list(KINDS))
def motion(request: pytest.FixtureRequest) -> Trajectory:
    return KINDS[request.param]()


def test_the_cases_are_of_all_kinds() -> None:
    made = [KINDS[name]() for name in KINDS]
    assert {type(m).__name__ for m in made} == {"Ballistic", "Polynomial", "Prescribed"}
    assert {m.gait for m in made if m.ballistic} == {RotationKind.SPIN, RotationKind.TOP, RotationKind.SERIES}  # type: ignore[attr-defined]


def test_times_at_once_agree_with_one_by_one(motion: Trajectory) -> None:
    found, rates = motion.places(TIMES), motion.rates_along(TIMES)
    for k, time in enumerate(TIMES.tolist()):
        each = motion.centre_at(time), motion.turn_at(time), motion.velocity_at(time), motion.spin_at(time)
        for all_, one in zip(found, each, strict=True):
            np.testing.assert_allclose(all_[k], one, atol=1e-12)
        np.testing.assert_allclose(rates[k], motion.rates_at(time), atol=1e-12)
        np.testing.assert_allclose(rates[k, :3], motion.acceleration_at(time), atol=1e-12)


def test_velocities_and_spins_are_derivatives(motion: Trajectory) -> None:
    before, now, after = (motion.places(TIMES + h) for h in (-STEP, 0.0, STEP))
    np.testing.assert_allclose((after.centre - before.centre) / (2 * STEP), now.velocity, atol=1e-7)
    w = (after.turn - before.turn) / (2 * STEP) @ np.swapaxes(now.turn, 1, 2)
    np.testing.assert_allclose(np.stack([w[:, 2, 1], w[:, 0, 2], w[:, 1, 0]], axis=1), now.spin, atol=1e-7)


def test_rates_are_derivatives(motion: Trajectory) -> None:
    before, after = (motion.places(TIMES + h) for h in (-STEP, STEP))
    change = np.concatenate([after.velocity - before.velocity, after.spin - before.spin], axis=1) / (2 * STEP)
    np.testing.assert_allclose(motion.rates_along(TIMES), change, atol=1e-6)


def test_turns_are_rotations(motion: Trajectory) -> None:
    turns = motion.places(TIMES).turn
    np.testing.assert_allclose(turns @ np.swapaxes(turns, 1, 2), np.broadcast_to(np.eye(3), turns.shape), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(turns), 1.0, atol=1e-12)


def test_the_pace_bounds_velocities_and_spins(motion: Trajectory) -> None:
    lo, hi, turning = motion.pace(0.55, 0.9)
    found = motion.places(np.linspace(0.55, 0.9, 200))
    assert (found.velocity >= lo - 1e-12).all() and (found.velocity <= hi + 1e-12).all()
    assert np.linalg.norm(found.spin, axis=1).max() <= turning + 1e-12
    assert all(math.isclose(motion.turning_at(s), np.linalg.norm(motion.spin_at(s)), rel_tol=0.5, abs_tol=1e-12) for s in (0.55, 0.9))


def test_facts(motion: Trajectory) -> None:
    assert motion.finite and not motion.still and motion.span > 0.4
    assert not (motion.ballistic and motion.solved)


def test_a_body_at_rest_is_still() -> None:
    rest = flight(0.0, ZERO, ZERO, ZERO, TURN, ZERO, Inertia(np.eye(3)))
    assert rest.still and not rest.rates_along(TIMES).any()
