"""Bodies that come to lie on a circle of a smooth surface, or where faces go on in each other: against closed forms."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

from collide import Outcome, RigidBody, World
from collide.world.contact.coplanar_curves import SAMPLES
from collide.world.contact.feature_pairs import between
from collide.world.dynamics.steady_contact import ContactMode
from collide.world.features.contact_circles import rings
from collide.world.features.features import features
from collide.world.features.straight import CurvedEdge
from collide.world.motion.rotation import matrix
from collide.world.motion.state import BodyState
from generative import ParametricSurface, u, v
from models.shapes.machine import capsule
from models.shapes.quadrics import ellipsoid
from models.shapes.rings import implicit_torus, torus
from models.shapes.solids import box, cylinder

from ..scenes import FLOOR

GRAVITY = (0, 0, -10)


def modes(run, body):
    return [rest.mode for rest in run.rests if rest.body == body]


def rings_of(shape, middle=(0.0, 0.0, 0.0)):
    return [ring for part in features(shape, middle).parts for ring in rings(part)]


@pytest.mark.parametrize("shape", [torus(major=2, minor=sp.Rational(1, 2)), implicit_torus(major=2, minor=sp.Rational(1, 2))])
def test_a_torus_touches_planes_along_two_circles(shape):
    middle = (0.1, -0.3, 0.2)
    found = sorted(rings_of(shape, middle), key=lambda ring: ring.level)
    for ring, side in zip(found, (-1, 1) if found[0].normal[2] < 0 else (1, -1), strict=True):
        np.testing.assert_allclose(ring.normal, [0, 0, side], atol=1e-13)
        np.testing.assert_allclose(ring.centre, [-0.1, 0.3, 0.5 * side - 0.2], atol=1e-13)
        assert ring.radius == pytest.approx(2, abs=1e-13)
        np.testing.assert_allclose(np.linalg.norm(ring.points - ring.centre, axis=1), 2, rtol=1e-14)


def test_circles_are_told_of_surfaces_of_revolution_whose_planes_are_beside_them():
    """A tube whose profile has two lowest places, of which one is higher; and what is none, or has no such circle."""
    size = sp.Rational(3, 10) + sp.cos(3 * v) / 20 + sp.sin(v) / 40
    tube = ParametricSurface([(1 + size * sp.cos(v)) * sp.cos(u), (1 + size * sp.cos(v)) * sp.sin(u), size * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
    found, angles = rings_of(tube), np.linspace(0, 2 * np.pi, 100001)
    heights = (0.3 + np.cos(3 * angles) / 20 + np.sin(angles) / 40) * np.sin(angles)
    assert sorted(ring.level for ring in found) == pytest.approx([-heights.min(), heights.max()], abs=1e-8)
    for shape in (ellipsoid(), cylinder(radius=1, height=1), capsule()):
        assert not rings_of(shape)


@pytest.mark.parametrize("shape", [torus(major=1, minor=sp.Rational(3, 10)), implicit_torus(major=1, minor=sp.Rational(3, 10))])
def test_a_torus_that_is_tilted_ever_less_is_seen_to_touch(shape):
    """At one point, the height of whose centre is R sin a + r: the gap hardly grows along the circle there."""
    still, own, floor = np.zeros(3), features(shape, (0.0, 0.0, 0.0)), features(box(sizes=(10, 10, 1)), (0.0, 0.0, 0.5))
    for k, tilt in enumerate((1e-5, 1e-2, 1e-4, 1e-6)):
        turn, tilted = (matrix(np.array(q)) for q in ((math.cos(k), 0, 0, math.sin(k)), (math.cos(tilt / 2), math.sin(tilt / 2), 0, 0)))
        place = BodyState(np.array([0, 0, 0.3 + math.sin(tilt)]), turn @ tilted @ turn, still, still)
        found = between(own, floor, place, BodyState(still, np.eye(3), still, still), 1.3)
        assert min(near.gap for near in found) == pytest.approx(0, abs=1e-14)


def test_a_torus_that_falls_flat_bounces_flat_and_lies():
    body = RigidBody(torus(major=1, minor=sp.Rational(1, 4)), position=(0, 0, 1.05))
    run = World([RigidBody(FLOOR, fixed=True), body], gravity=GRAVITY, restitution=0.5, friction=0.5).run(until=1.3)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.REST]
    assert run.rests[-1].time == pytest.approx(1.2, abs=2e-8)
    for k in range(5):
        # Of contact along a whole circle a search narrows no more than the time.
        assert run.events[k].time[0] == pytest.approx(0.4 * (3 - 2 * 0.5**k), abs=2e-8)
        assert len(run.events[k].points) == SAMPLES and run.events[k].impulses.sum(axis=0)[:2] == pytest.approx([0, 0], abs=1e-12)
    np.testing.assert_allclose(run.state(1.3).positions[1], [0, 0, 0.25], atol=1e-9)


@pytest.mark.parametrize("shape", [torus(major=1, minor=sp.Rational(1, 4)), implicit_torus(major=1, minor=sp.Rational(1, 4))])
def test_a_torus_that_spins_on_its_circle_is_slowed_by_all_of_it(shape):
    """w' = -mu g m R / I, with all of the weight on a circle of radius R."""
    body = RigidBody(shape, position=(0, 0, 0.25), centre=(0, 0, 0), spin=(0, 0, 4), mass=1, inertia=np.diag([0.6, 0.6, 0.8]))
    run = World([RigidBody(FLOOR, fixed=True), body], gravity=GRAVITY, restitution=0.0, friction=0.4).run(until=1.0)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.SLIDING, ContactMode.REST] and not run.events
    assert run.rests[-1].time == pytest.approx(0.8, abs=1e-9)
    for moment in (0.2, 0.6, 0.9):
        np.testing.assert_allclose(run.state(moment).spins[1], [0, 0, max(4 - 5 * moment, 0)], atol=1e-9)
        np.testing.assert_allclose(run.state(moment).positions[1], [0, 0, 0.25], atol=1e-9)


def test_a_capsule_falls_over_from_one_end_to_the_other():
    """It rolls on the ball at one end, T = (m (r^2 + l^2 / 4 + r l sin a) + I) a'^2 / 2, until the other one lands; the angular momentum
    about that is kept. There is no edge where a ball goes on in a tube.
    """
    radius, length, inertia, first = 0.2, 0.5, 0.1, 0.2
    shape = capsule(radius=sp.Rational(1, 5), length=sp.Rational(1, 2))
    assert [p.smooth for p in features(shape, (0.0, 0.0, 0.25)).parts if isinstance(p, CurvedEdge)] == [True, True]
    half = math.pi / 4 - first / 2
    high = radius + length / 2 * math.sin(first)
    body = RigidBody(shape, centre=(0, 0, 0.25), position=(-0.25 * math.cos(first), 0, high - 0.25 * math.sin(first)), mass=1,
                     orientation=(math.cos(half), 0, math.sin(half), 0), inertia=np.diag([inertia, inertia, 0.02]))
    run = World([RigidBody(FLOOR, fixed=True), body], gravity=GRAVITY, friction=100.0, restitution=0.0).run(until=0.3)

    def rate(s):
        angle = first - s * s
        moving = radius**2 + length**2 / 4 + radius * length * math.sin(angle) + inertia
        return 2 * s / math.sqrt(10 * length * (math.sin(first) - math.sin(angle)) / moving)

    when = quad(rate, 0, math.sqrt(first), epsabs=1e-12, epsrel=1e-12)[0]
    before = math.sqrt(10 * length * math.sin(first) / (radius**2 + length**2 / 4 + inertia))
    after = before * (inertia + radius**2 - length**2 / 4) / (inertia + radius**2 + length**2 / 4)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 1
    assert run.events[0].time[0] == pytest.approx(when, abs=1e-8)
    for side, speed in ((-1e-7, before), (1e-7, after)):
        np.testing.assert_allclose(run.state(when + side).spins[1], [0, speed, 0], atol=2e-5)
    ends = np.array([[0, 0, 0], [0, 0, 0.5]])
    for moment in np.linspace(0, 0.3, 50):
        state = run.state(float(moment))
        assert (state.positions[1] + ends @ matrix(state.quaternions[1]).T)[:, 2].min() == pytest.approx(radius, abs=1e-9)
