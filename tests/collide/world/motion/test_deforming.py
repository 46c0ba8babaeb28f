"""Driven bodies whose shapes hold t: the velocity of their surface counts at impacts. Closed forms by hand."""

import pickle
import re

import numpy as np
import pytest
import sympy as sp

from collide import RigidBody, World
from collide.world.motion.deforming import Deforming
from collide.world.run import Outcome
from generative import IDENTITY, ImplicitSurface, Parameter, ParametricSurface, primitives, t, u, v, x, y, z

SQUARE = {u: (-2, 2), v: (-2, 2)}


def ball(**state):
    return RigidBody(primitives.ball(sp.Rational(1, 2)), mass=2.0, **state)


def hit(surface, run_until=2.0, gravity=(0, 0, 0), **state):
    world = World([RigidBody(surface, fixed=True, friction=1), ball(friction=1, **state)], gravity=gravity)
    return world.run(run_until)


def test_a_rising_plate_throws_a_ball():
    """z = t^2 reaches the ball's foot at t = 1 with speed 2, and throws it at 4; it comes again at t = 3."""
    run = hit(ParametricSurface([u, v, t**2], SQUARE), 2.5, position=(0, 0, 1.5))
    (event,) = run.events
    assert event.proved.all() and event.time[0] <= 1.0 <= event.time[1] and np.ptp(event.time) < 1e-12
    np.testing.assert_allclose(run.state(2.0).velocities[1], [0, 0, 4], atol=1e-12)
    assert not run.world.bodies[0].fixed and run.world.bodies[0].motion is not None


def test_a_swelling_implicit_ball_pushes_along_its_normal():
    """The radius 1 + t/2 grows by 1/2: it reaches 5/2 at t = 3, and a ball at rest leaves with speed 1."""
    swelling = ImplicitSurface(x**2 + y**2 + z**2 - (1 + t / 2) ** 2, bounds=[(-5, 5)] * 3)
    run = hit(swelling, 3.5, position=(1.8, 2.4, 0))
    (event,) = run.events
    assert event.time[0] <= 3.0 <= event.time[1] and np.ptp(event.time) < 1e-12
    np.testing.assert_allclose(run.state(3.5).velocities[1], [0.6, 0.8, 0], atol=1e-12)


def test_a_belt_takes_a_ball_along_by_friction():
    """Points of the plate move at 1/4. The ball sticks: it leaves with 2/7 of that, and rolls on it."""
    run = hit(ParametricSurface([u + t / 4, v, 0], {u: (-5, 5), v: (-2, 2)}), position=(0, 0, 1.5), velocity=(0, 0, -1))
    state = run.state(2.0)
    np.testing.assert_allclose(state.velocities[1], [1 / 14, 0, 1], atol=1e-12)
    np.testing.assert_allclose(state.spins[1], [0, -5 / 14, 0], atol=1e-12)


def test_each_hit_turns_the_relative_velocity_of_a_waving_sheet():
    wave = sp.exp(-(u**2) - v**2) * sp.sin(3 * t) / 2
    world = World([RigidBody(ParametricSurface([u, v, wave], SQUARE), fixed=True), ball(position=(0.1, 0, 2))], restitution=0.8)
    run = world.run(1.7)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 2
    for event in run.events:
        (p,), moment = event.points, event.time[0]
        height = np.exp(-p[0] ** 2 - p[1] ** 2) / 2
        assert abs(p[2] - height * np.sin(3 * moment)) < 1e-9
        slope = -2.0 * p[:2] * p[2]
        normal = np.array([*-slope, 1.0]) / np.sqrt(1.0 + slope @ slope)
        drive = 3.0 * height * np.cos(3 * moment) * normal[2]
        before, after = (run.state(at).velocities[1] @ normal - drive for at in (moment - 1e-9, event.time[1] + 1e-9))
        assert abs(after + 0.8 * before) < 1e-6


def test_bounds_hold_the_speed_and_the_extent_of_all_points():
    shapes = (ParametricSurface([(1 + t**2) * sp.cos(u), (2 + t) * sp.sin(u), v], {u: (0, 2 * sp.pi), v: (-1, 1)}),
              ImplicitSurface(x**2 / (1 + t**2) ** 2 + y**2 / (2 + t) ** 2 - 1, bounds=[(-4, 4), (-5, 5), (-1, 1)]))
    angles = np.linspace(0, 2 * np.pi, 400)
    for course in (Deforming(IDENTITY, shape, 0.0) for shape in shapes):
        moments = np.linspace(0.5, 1.0, 9)[:, None]
        speeds = np.hypot(2 * moments * np.cos(angles), np.sin(angles))
        far = np.hypot((1 + moments**2) * np.cos(angles), (2 + moments) * np.sin(angles))
        if isinstance(course.shape, ImplicitSurface):
            a, b = 1 + moments**2, 2 + moments
            along = 2 * moments * np.cos(angles) ** 2 / a + np.sin(angles) ** 2 / b
            speeds = np.abs(along) / np.hypot(np.cos(angles) / a, np.sin(angles) / b)
        assert speeds.max() <= course.growth(0.5, 1.0) < 10.0 * speeds.max()
        assert np.hypot(far.max(), 1.0) <= course.reach(0.5, 1.0) < 3.0 * far.max()
        lo, hi, until = course.box(0.5, course.radius, np.zeros(3))
        assert until > 0.5 and (hi > 1.0).all() and (lo < -1.0 + 1e-9).all()


def test_only_what_is_driven_deforms_as_given():
    swelling = ParametricSurface([u, v, t], SQUARE)
    with pytest.raises(ValueError, match="fixed=True or driven by motion="):
        RigidBody(swelling, mass=1.0)
    with pytest.raises(ValueError, match="must be rigid and at rest, and have all its numbers"):
        RigidBody(ParametricSurface([u, v, Parameter("a")], SQUARE), fixed=True)


def test_runs_of_deforming_bodies_are_kept_and_copied(tmp_path):
    run = hit(ParametricSurface([u, v, t**2], SQUARE), 1.5, position=(0, 0, 1.5))
    run.save(tmp_path / "run.json")
    for other in (run.world.load(tmp_path / "run.json"), pickle.loads(pickle.dumps(run))):
        np.testing.assert_array_equal(other.state(1.2).velocities, run.state(1.2).velocities)
    run.save_html(tmp_path / "run.html")
    assert re.search(r'"frames": ?[2-9]', (tmp_path / "run.html").read_text())
