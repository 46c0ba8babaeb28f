"""Cans that lie on all of a rim, come to lie so, or rise from it: against closed forms and reduced equations."""

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from collide import Outcome, RigidBody, World
from collide.world.contact.coplanar_curves import SAMPLES, sampled
from collide.world.contact.feature_pairs import between, deeper
from collide.world.dynamics.steady_contact import ContactMode
from collide.world.features.features import features
from collide.world.motion.rotation import matrix
from collide.world.motion.state import BodyState
from models.shapes.solids import box, cone, cylinder

from ..scenes import FLOOR

GRAVITY = (0, 0, -10)


def modes(run, body):
    return [rest.mode for rest in run.rests if rest.body == body]


def rims(run, moment, radius, height, count=720):
    """Points of both rims of the can, the second body."""
    state, angles = run.state(moment), 2 * np.pi * np.arange(count) / count
    own = [np.stack([radius * np.cos(angles), radius * np.sin(angles), np.full(count, z)], axis=1) for z in (0, height)]
    return state.positions[1] + np.concatenate(own) @ matrix(state.quaternions[1]).T


def well(run, radius, height, times):
    """Is the can never in the floor, and does it never gain energy?"""
    low = min(rims(run, float(s), radius, height)[:, 2].min() for s in times)
    return low > -1e-9 and np.diff([run.energy(float(s)) for s in times]).max() < 1e-9


def test_a_can_that_spins_upright_stops_as_a_ring_does():
    """All of its weight is on the rim: w' = -mu g m r / I, I = m r^2 / 2."""
    can = RigidBody(cylinder(radius=1, height=1), spin=(0, 0, 4))
    run = World([RigidBody(FLOOR, fixed=True), can], gravity=GRAVITY, restitution=0.0, friction=0.5).run(until=0.6)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.SLIDING, ContactMode.REST] and not run.events
    assert run.rests[-1].time == pytest.approx(0.4, abs=1e-9)
    for moment in (0.1, 0.3, 0.5):
        np.testing.assert_allclose(run.state(moment).spins[1], [0, 0, max(4 - 10 * moment, 0)], atol=1e-9)
        np.testing.assert_allclose(run.state(moment).positions[1], 0, atol=1e-9)


def test_a_can_that_falls_flat_bounces_flat():
    can = RigidBody(cylinder(radius=1, height=1), position=(0, 0, 0.8))
    run = World([RigidBody(FLOOR, fixed=True), can], gravity=GRAVITY, restitution=0.5, friction=0.5).run(until=1.3)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.REST]
    assert run.rests[-1].time == pytest.approx(1.2, abs=1e-9)
    for k in range(5):
        assert run.events[k].time[0] == pytest.approx(0.4 * (3 - 2 * 0.5**k), abs=1e-12)
        assert len(run.events[k].points) == SAMPLES and run.events[k].impulses.sum(axis=0)[:2] == pytest.approx([0, 0], abs=1e-12)
    np.testing.assert_allclose(run.state(1.3).positions[1], 0, atol=1e-9)


def test_a_can_lands_on_its_rim_and_rocks_over_as_housner_s_block():
    """In a plane, about one point of its rim, then about the other one: the angular momentum about this is kept when it lands."""
    radius, height, first = 0.4, 2.0, 0.15
    mass, inertia = 1.0, 0.6
    arm, still = math.hypot(radius, height / 2), math.atan(2 * radius / height)
    can = RigidBody(cylinder(radius=0.4, height=2), position=(0, 0, radius * math.sin(first)), centre=(0, 0, 1), mass=mass,
                    orientation=(math.cos(first / 2), 0, math.sin(first / 2), 0), inertia=np.diag([inertia, inertia, 0.08]))
    run = World([RigidBody(FLOOR, fixed=True), can], gravity=GRAVITY, friction=100.0, restitution=0.0).run(until=0.9)
    about = inertia + mass * arm * arm
    pull = 2 * mass * 10 * arm / about

    def taking(top):
        """The time from an angle at rest down to none: the way from there goes as a square."""
        def rate(s):
            return 2 * s / math.sqrt(pull * (math.cos(still - top) - math.cos(still - top + s * s)))
        return quad(rate, 0, math.sqrt(top), epsabs=1e-12, epsrel=1e-12)[0]

    when, before = taking(first), math.sqrt(pull * (math.cos(still - first) - math.cos(still)))
    after = before * (1 - 2 * mass * radius * radius / about)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 1
    assert run.events[0].time[0] == pytest.approx(when, abs=1e-8)
    for side, speed in ((-1e-7, before), (1e-7, after)):
        np.testing.assert_allclose(run.state(run.events[0].time[0] + side).spins[1], [0, -speed, 0], atol=2e-6)
    # It rises until its energy is used up.
    highest = when + taking(still - math.acos(math.cos(still) + after * after / pull))
    np.testing.assert_allclose(run.state(highest).spins[1], 0, atol=1e-5)
    assert well(run, radius, height, np.linspace(0, 0.9, 200))


def test_a_can_that_slides_and_turns_is_slowed_as_all_of_its_rim_is():
    """Its centre of mass is high, so it presses more where it goes to, and turns aside. Pressures are those of least squares that keep it
    upright: a sum of what the normal and both torques are made of, of which friction has a part.
    """
    mu, mass, radius, high = 0.4, 1.0, 1.0, 0.5
    angles = 2 * np.pi * np.arange(2000) / 2000
    arms = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def rates(_, state):
        speed, spin = state[:2], state[2]
        slips = speed + spin * np.stack([-arms[:, 1], arms[:, 0]], axis=1)
        way = -mu * slips / np.linalg.norm(slips, axis=1)[:, None]
        rows = np.stack([np.ones(2000), arms[:, 1] + high * way[:, 1], -arms[:, 0] - high * way[:, 0]])
        pressures = np.linalg.lstsq(rows, [mass * 10, 0, 0], rcond=None)[0]
        force = pressures @ way
        return *(force / mass), pressures @ (arms[:, 0] * way[:, 1] - arms[:, 1] * way[:, 0]) / (mass * radius * radius / 2)

    can = RigidBody(cylinder(radius=1, height=1), mass=mass, velocity=(1, 0, 0), spin=(0, 0, 3))
    run = World([RigidBody(FLOOR, fixed=True), can], gravity=GRAVITY, restitution=0.0, friction=mu).run(until=0.15)
    found = solve_ivp(rates, (0, 0.15), (1, 0, 3), rtol=1e-8, atol=1e-10).y[:, -1]
    state = run.state(0.15)
    assert run.outcome is Outcome.FINISHED and found[1] < -0.01
    np.testing.assert_allclose([*state.velocities[1][:2], state.spins[1][2]], found, atol=2e-5)
    np.testing.assert_allclose([state.positions[1][2], *state.spins[1][:2]], 0, atol=1e-9)


def test_samples_are_even_and_begin_at_the_farthest_point():
    can = features(cylinder(radius=2, height=1), (0.0, 0.0, 0.5))
    way = np.array([-3.0, 4.0, 7.0]) / 5
    corners = sampled(can, way).corners
    for high in (-0.5, 0.5):
        own = corners[np.abs(corners[:, 2] - high) < 1e-12]
        assert len(own) == SAMPLES and np.abs(own - [-1.2, 1.6, high]).max(axis=1).min() < 1e-9
        np.testing.assert_allclose(np.linalg.norm(own[:, :2], axis=1), 2, rtol=1e-14)
        np.testing.assert_allclose(np.diff(np.unwrap(np.sort(np.arctan2(own[:, 1], own[:, 0])))), 2 * np.pi / SAMPLES, rtol=1e-9)


def test_a_tip_is_seen_below_a_plane():
    """A cone on its side, whose tip is lower: what is above it is not in the cone. Cones fell through floors there."""
    still, floor = np.zeros(3), features(box(sizes=(10, 10, 1)), (0.0, 0.0, 0.5))
    tip = features(cone(radius=1, height=2), (0.0, 0.0, 0.5))
    for tilt, depth in ((0.0, 1e-9), (1e-3, 1e-4), (0.3, 0.1)):
        angle = math.pi / 2 + math.atan(0.5) + tilt
        turn = np.array([[1, 0, 0], [0, math.cos(angle), -math.sin(angle)], [0, math.sin(angle), math.cos(angle)]])
        places = BodyState(np.array([0, 0, -depth]) - turn @ [0, 0, 1.5], turn, still, still), BodyState(still, np.eye(3), still, still)
        found = between(tip, floor, *places, 1.0)
        assert min(near.gap for near in found) == pytest.approx(-depth, rel=1e-6)
        assert deeper(tip, floor, *(place.lane() for place in places), 1.0, depth / 2) == 0
