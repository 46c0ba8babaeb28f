"""Bodies under forces, against closed forms."""

import math

import numpy as np
import pytest
import sympy as sp

from collide import Outcome, RigidBody, World
from collide.world.dynamics.equations import MotionEquations
from collide.world.dynamics.picard import INTEGRAL, NODES, POINTS, followed
from collide.world.motion.ballistic import flight
from collide.world.motion.polynomial import onset
from collide.world.motion.state import BodyState, Inertia, Particulars
from generative import Rigid, t

from ..scenes import BALL, EGG, FLOOR

ZERO = np.zeros(3)


def spring(state):
    """Between the last two bodies, of stiffness 2 and length 6."""
    found = np.zeros((len(state.positions), 3))
    way = state.positions[-1] - state.positions[-2]
    found[-2] = 2.0 * (np.linalg.norm(way) - 6.0) * way / np.linalg.norm(way)
    found[-1] = -found[-2]
    return found


def test_a_spring_swings():
    world = World([RigidBody(BALL, mass=1), RigidBody(BALL, position=(7, 0, 0), mass=3)], gravity=(0, 0, 0), forces=spring)
    run = world.run(until=5.0)
    assert run.outcome is Outcome.FINISHED and not run.events
    # It swings about the length 6 by the reduced mass 3/4.
    for moment in np.linspace(0, 5, 9):
        state = run.state(float(moment))
        far = 6.0 + math.cos(math.sqrt(2 / 0.75) * moment)
        np.testing.assert_allclose(state.positions[:, 0], [5.25 - 0.75 * far, 5.25 + 0.25 * far], atol=1e-10)
        np.testing.assert_allclose(run.momentum(float(moment)), np.zeros((2, 3)), atol=1e-9)


def test_a_spring_drives_balls_together_and_they_hit():
    world = World([RigidBody(BALL, mass=1, velocity=(3, 0, 0)), RigidBody(BALL, position=(6, 0, 0), velocity=(-3, 0, 0), mass=1)],
                  gravity=(0, 0, 0), forces=spring)
    # The distance is 6 - 3 sin(2 t), whose least value is 3: they do not meet; with more speed they do.
    assert not world.run(until=3.0).events
    fast = World([RigidBody(BALL, mass=1, velocity=(5, 0, 0)), RigidBody(BALL, position=(6, 0, 0), velocity=(-5, 0, 0), mass=1)],
                 gravity=(0, 0, 0), forces=spring).run(events=2)
    first, second = (e.time[0] for e in fast.events)
    assert first == pytest.approx(math.asin(0.8) / 2, abs=1e-10)
    assert second - first == pytest.approx(math.pi / 2 + math.asin(0.8), abs=1e-9)
    assert all(e.proved.all() for e in fast.events)


def test_drag_slows_a_fall():
    drag = 0.5
    world = World([RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 11), mass=2)], gravity=(0, 0, -10),
                  forces=lambda state: -drag * state.velocities)
    run = world.run(events=1)
    # Height 10 = v (s - T (1 - exp(-s / T))), with T = m / drag and v = g T.
    s, scale = sp.Symbol("s"), 2 / drag
    when = float(sp.nsolve(10 * scale * (s - scale * (1 - sp.exp(-s / scale))) - 10, s, 1.5, prec=30))
    assert run.events[0].time[0] == pytest.approx(when, abs=1e-10)
    np.testing.assert_allclose(run.events[0].impulses, [[0, 0, 2 * 2 * 10 * scale * (1 - math.exp(-when / scale))]], rtol=1e-10)


def test_torques_turn():
    particulars = Particulars(True, 2.0, ZERO, Inertia(np.diag([1.0, 2.0, 4.0])), 1.0)

    class Still:
        centre_at = velocity_at = spin_at = staticmethod(lambda t: ZERO)
        turn_at = staticmethod(lambda t: np.eye(3))
        places = staticmethod(lambda times: BodyState(*(np.repeat(e[None], len(times), axis=0) for e in (ZERO, np.eye(3), ZERO, ZERO))))

    system = MotionEquations(lambda state: np.array([[[0, 0, 0], [0, 0, 8.0 * state.time]]]), [particulars], ZERO)
    (course,) = system.courses(0.0, [Still()])
    s = course.until
    np.testing.assert_allclose(course.spin_at(s), [0, 0, s**2], atol=1e-9)
    angle = s**3 / 3
    turn = [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]
    np.testing.assert_allclose(course.turn_at(s)[:2, :2], turn, atol=1e-10)
    lo, hi, until = course.box(0.0, 1.0, ZERO)
    assert (lo <= -1).all() and (hi >= 1).all() and until == s


def test_without_forces_it_is_free_flight():
    bodies = [RigidBody(EGG, position=(0, 0, 0), velocity=(1, 0, 0), spin=(0.3, -1.0, 0.5)),
              RigidBody(EGG, position=(4, 0.5, 0), velocity=(-1, 0, 0), spin=(0.2, 0.1, 0.7))]
    free = World(bodies, gravity=(0, 0, 0)).run(until=3.0)
    forced = World(bodies, gravity=(0, 0, 0), forces=lambda state: np.zeros((2, 3))).run(until=3.0)
    assert len(free.events) == len(forced.events) >= 1
    np.testing.assert_allclose([e.time[0] for e in forced.events], [e.time[0] for e in free.events], atol=1e-8)
    for name in ("positions", "quaternions", "velocities", "spins"):
        np.testing.assert_allclose(getattr(forced.state(3.0), name), getattr(free.state(3.0), name), atol=1e-7)


def test_forced_runs_are_saved_and_driven_bodies_are_seen(tmp_path):
    lift = RigidBody(FLOOR, motion=Rigid(translation=[0, 0, -20 + t]))
    # A ball that hangs on the driven one.
    world = World([lift, RigidBody(BALL, mass=1)], gravity=(0, 0, 0),
                  forces=lambda state: np.array([ZERO, -(state.positions[1] - state.positions[0] - [0, 0, 20])]))
    run = world.run(until=2.0)
    np.testing.assert_allclose(run.state(2.0).positions[1], [0, 0, 2.0 - math.sin(2.0)], atol=1e-10)
    run.save(tmp_path / "run.json")
    loaded = world.load(tmp_path / "run.json")
    for moment in (0.5, 2.0):
        assert loaded.state(moment).positions.tobytes() == run.state(moment).positions.tobytes()
        own = run.motion(1).changed(lambda e, at=moment: e.xreplace({t: sp.Rational(at)})).entries
        np.testing.assert_allclose([float(e) for e in own[9:]], run.state(moment).positions[1], atol=1e-13)


@pytest.mark.parametrize(("restitution", "events"), [(0.0, 1), (0.01, 2)])
def test_a_ball_comes_to_rest_under_forces(restitution, events):
    run = World([RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 2))], gravity=(0, 0, -10), restitution=restitution,
                forces=lambda state: -state.velocities).run(until=3.0)
    assert run.outcome is Outcome.FINISHED and len(run.events) >= events
    assert run.state(3.0).positions[1, 2] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(("forces", "error", "what"), [
    (3.0, TypeError, "a function of its state"), (lambda state: [1.0, 2.0], ValueError, "of shape"),
    (lambda state: np.full((1, 3), np.nan), ValueError, "finite numbers"), (lambda state: "up", ValueError, "the forces must be"),
])  # fmt: skip
def test_forces_that_are_none_are_refused(forces, error, what):
    with pytest.raises(error, match=what):
        World([RigidBody(BALL)], forces=forces).run(until=1.0)


def test_forces_that_nothing_follows_end_the_run(monkeypatch):
    monkeypatch.setattr("collide.world.dynamics.equations._TRIES", 3)
    run = World([RigidBody(BALL)], forces=lambda state: [[0.0, 0.0, 1e40]]).run(until=1.0)
    assert run.outcome is Outcome.UNRESOLVED and run.until == 0.0
    assert run.reason.startswith("At t = 0.0, body 0 cannot be followed") and "change so much" in run.reason


def test_forces_may_jump():
    # Half a second one way, and then the other.
    world = World([RigidBody(BALL, mass=1)], gravity=(0, 0, 0), forces=lambda state: [[1.0 if state.time < 0.5 else -1.0, 0, 0]])
    run = world.run(until=1.0)
    np.testing.assert_allclose(run.state(1.0).positions[0], [0.25, 0, 0], atol=1e-9)


def test_forces_are_not_certified():
    with pytest.raises(ValueError, match="without forces"):
        World([RigidBody(BALL)], forces=lambda state: state.velocities).run(until=1.0, certified=True)


def test_what_follows_from_a_change_is_all_that_does():
    rng = np.random.default_rng(0)
    bend, change = rng.normal(size=(NODES, 6, 6)) - 40 * np.eye(6), rng.normal(size=(NODES, 6))
    found = followed(0.5 * INTEGRAL, bend, change)
    np.testing.assert_allclose(found - 0.5 * INTEGRAL @ np.einsum("kab,kb->ka", bend, found), change, atol=1e-12)
    np.testing.assert_allclose(INTEGRAL @ POINTS**9, POINTS**10 / 10, atol=1e-15)


def test_a_motion_begins_with_the_state_of_a_flight_and_with_its_rates():
    centre, velocity, spin = np.array([1.0, 2.0, 3.0]), np.array([0.3, 0.0, -2.0]), np.array([1.0, 2.0, -0.5])
    course = flight(0.0, centre, velocity, np.array([0.0, 0.0, -10.0]), np.eye(3), spin, Inertia(np.diag([1.0, 2.0, 2.5])))
    begun = onset(course, 0.2, 1.2, course.rates_at(0.2))
    np.testing.assert_allclose(begun.rates_at(0.2), course.rates_at(0.2), rtol=1e-13)
    np.testing.assert_allclose(begun.centre_at(0.2001), course.centre_at(0.2001), rtol=1e-14)
    # What it does not know of is of the third order in the angle.
    np.testing.assert_allclose(begun.turn_at(0.2001), course.turn_at(0.2001), atol=1e-11)
    np.testing.assert_allclose(begun.velocity_at(0.2001), course.velocity_at(0.2001), rtol=1e-13)
    np.testing.assert_allclose(begun.spin_at(0.2001), course.spin_at(0.2001), atol=1e-7)
