"""Curved surfaces that stay in contact: their contact is tracked on both of them, against closed forms and other coordinates."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

from collide import Outcome, RigidBody, World
from collide.world.dynamics.steady_contact import ContactMode
from collide.world.motion.rotation import matrix
from generative import ImplicitSurface, ParametricSurface, u, v, x, y, z

from ..scenes import BALL, FLOOR, RING

GRAVITY = (0, 0, -10)


def ellipsoid(a, b, c):
    return ParametricSurface([a * sp.cos(u) * sp.cos(v), b * sp.sin(u) * sp.cos(v), c * sp.sin(v)],
                             {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})


def about(axis, angle):
    axis = np.array(axis, float) / np.linalg.norm(axis)
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)])


def low(semiaxes, q):
    """How far below its centre an ellipsoid reaches."""
    return float(np.linalg.norm(np.array(semiaxes) * (matrix(q).T @ [0, 0, 1])))


def modes(run, body):
    return [rest.mode for rest in run.rests if rest.body == body]


@pytest.mark.parametrize("shape", [ellipsoid(2, sp.Rational(3, 2), 1),
                                   ImplicitSurface(x**2 / 4 + 4 * y**2 / 9 + z**2 - 1, bounds=[(-3, 3)] * 3)])
def test_an_ellipsoid_rocks_without_slip_as_one_angle_tells(shape):
    """Rolling in a plane, with the height h(a) of the centre: T = (m (h^2 + h'^2) + I) a'^2 / 2. Its pole is at the floor in the middle."""
    first = 0.3
    q = about((0, 1, 0), first)
    body = RigidBody(shape, position=(0, 0, low((2, 1.5, 1), q)), orientation=q, mass=1, inertia=np.diag([0.65, 1.0, 1.25]))
    run = World([RigidBody(FLOOR, fixed=True), body], gravity=GRAVITY, friction=0.9, restitution=0.0).run(until=0.8)

    def rates(_, state):
        angle, speed = state
        h = math.sqrt((2 * math.sin(angle))**2 + math.cos(angle)**2)
        slope = 3 * math.sin(angle) * math.cos(angle) / h
        bend = (3 * math.cos(2 * angle) - slope * slope) / h
        return speed, (-10 * slope - (h + bend) * slope * speed * speed) / (h * h + slope * slope + 1)

    found = solve_ivp(rates, (0, 0.8), (first, 0), method="DOP853", rtol=1e-13, atol=1e-14, dense_output=True).sol
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.ROLLING] and not run.events
    for moment in (0.2, 0.5, 0.8):
        state = run.state(moment)
        assert 2 * math.atan2(state.quaternions[1, 2], state.quaternions[1, 0]) == pytest.approx(found(moment)[0], abs=1e-9)
        assert state.spins[1, 1] == pytest.approx(found(moment)[1], abs=1e-9)
        assert state.positions[1, 2] == pytest.approx(low((2, 1.5, 1), state.quaternions[1]), abs=1e-9)


def test_a_slightly_rocking_ellipsoid_has_the_period_of_a_pendulum():
    """w^2 = m g (R - h) / (I + m h^2), where R = a^2 / c is the radius of curvature."""
    small = 1e-4
    q = about((0, 1, 0), small)
    body = RigidBody(ellipsoid(2, sp.Rational(3, 2), 1), position=(0, 0, low((2, 1.5, 1), q)), orientation=q)
    run = World([RigidBody(FLOOR, fixed=True), body], gravity=GRAVITY, friction=0.9, restitution=0.0).run(until=0.6)
    speed = math.sqrt(10 * (4 - 1) / ((4 + 1) / 5 + 1))
    for moment in (0.2, 0.4, 0.6):
        assert 2 * run.state(moment).quaternions[1, 2] == pytest.approx(small * math.cos(speed * moment), abs=1e-10)


def spinning(tilt, offset, spin, turning, friction):
    """A ball with its mass above its middle, if `offset` is more than 0, that spins about its axis, which turns about the vertical."""
    q = about((1, 0, 0), tilt)
    axis = matrix(q) @ [0, 0, 1]
    across = spin - turning * math.cos(tilt)
    whirl = across * axis + np.array([0, 0, turning])
    body = RigidBody(ellipsoid(1, 1, 1), position=(0, 0, 1), orientation=q, mass=2, centre=(0, 0, offset), inertia=np.diag([0.8, 0.8, 0.5]),
                     spin=whirl)
    return World([RigidBody(FLOOR, fixed=True), body], gravity=GRAVITY, friction=friction, restitution=0.0)


def test_a_top_on_its_tip_goes_round_steadily():
    """Without friction: I1 W^2 cos(a) - I3 w W + m g l = 0."""
    tilt, offset, spin = 0.5, 0.25, 12.0
    square, middle, last = 0.8 * math.cos(tilt), -0.5 * spin, 2 * 10 * offset
    turning = (-middle - math.sqrt(middle * middle - 4 * square * last)) / (2 * square)
    run = spinning(tilt, offset, spin, turning, 0.0).run(until=0.5)
    assert run.outcome is Outcome.FINISHED and not run.events
    for moment in (0.1, 0.3, 0.5):
        axis = matrix(run.state(moment).quaternions[1]) @ [0, 0, 1]
        round_ = turning * moment
        np.testing.assert_allclose(axis, [math.sin(tilt) * math.sin(round_), -math.sin(tilt) * math.cos(round_), math.cos(tilt)], atol=1e-8)


def test_jellett_s_constant_is_kept_under_friction():
    """Of a tippe top: the angular momentum along the way from the centre of mass to the contact."""
    run = spinning(0.4, -0.2, 10.0, 0.0, 0.3).run(until=0.15)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.SLIDING]
    kept, energies = [], []
    for moment in np.linspace(0, 0.15, 6).tolist():
        state = run.state(moment)
        turn = matrix(state.quaternions[1])
        momentum = turn @ np.diag([0.8, 0.8, 0.5]) @ turn.T @ state.spins[1]
        kept.append(momentum @ (turn @ [0, 0, 0.2] - [0, 0, 1]))
        energies.append(run.energy(moment))
        assert state.positions[1, 2] == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(kept, kept[0], rtol=1e-9)
    assert np.diff(energies).max() < 0.0


def test_a_ball_leaves_a_ring_where_a_particle_leaves_a_sphere():
    """Over the tube, which lies flat: at cos(a) = 2/3 + v^2 / (3 g (r + rho)), without friction. The ring is not convex."""
    speed, far = 0.5, 0.3 + 1.0
    bodies = [RigidBody(RING, fixed=True), RigidBody(BALL, position=(1, 0, far), velocity=(speed, 0, 0))]
    run = World(bodies, gravity=GRAVITY, restitution=0.0).run(until=1.0)
    cosine = 2 / 3 + speed**2 / (3 * 10 * far)
    # a' = sqrt(v^2 + 2 g far (1 - cos a)) / far, from the top on.
    angles, weights = np.polynomial.legendre.leggauss(40)
    last = math.acos(cosine)
    when = last / 2 * float(weights @ (far / np.sqrt(speed**2 + 20 * far * (1 - np.cos(last * (angles + 1) / 2)))))
    assert run.outcome is Outcome.FINISHED and not run.events
    before, after = run.state(when - 1e-3), run.state(when + 0.05)
    assert np.hypot(before.positions[1, 0] - 1, before.positions[1, 2]) == pytest.approx(far, abs=1e-9)
    assert np.hypot(after.positions[1, 0] - 1, after.positions[1, 2]) > far + 1e-6
    assert run.state(when).positions[1, 0] == pytest.approx(1 + far * math.sin(last), abs=1e-8)


def test_an_ellipsoid_that_rolls_slips_from_when_friction_is_too_little_on():
    """Friction takes no more of what the floor gives than its part, and all of that as soon as there is a slip: with a slip that grows from
    none on, whose direction friction has.
    """
    semiaxes, q, spin = np.array([0.75, 0.5, 0.4]), [-0.054694, -0.50765, 0.85817, -0.053335], np.array([-0.952411, 1.441079, -0.719025])
    q = np.array(q) / np.linalg.norm(q)
    height = low(semiaxes, q)
    way = -matrix(q) @ (semiaxes**2 * matrix(q).T[:, 2]) / height
    egg = RigidBody(ellipsoid(*map(sp.Rational, ("3/4", "1/2", "2/5"))), position=(0, 0, height), orientation=q,
                    velocity=np.cross(way, spin), spin=spin, mass=1)
    run = World([RigidBody(FLOOR, fixed=True), egg], gravity=GRAVITY, friction=0.2, restitution=0.0).run(until=0.1)
    assert run.outcome is Outcome.FINISHED and modes(run, 1)[-2:] == [ContactMode.ROLLING, ContactMode.SLIDING]
    # Windows are as long as the motion is smooth, even where the slip is so small that its direction may turn at once.
    assert len(run.courses(1)) < 10
    times = np.linspace(0, 0.1, 101)
    states = [run.state(float(s)) for s in times]
    speeds = np.diff([s.velocities[1] for s in states], axis=0)
    parts = np.hypot(speeds[:, 0], speeds[:, 1]) / (speeds[:, 2] + 10 * np.diff(times))
    slips, begun = times[:-1] > run.rests[-1].time, times[1:] < run.rests[-1].time
    assert 0.01 < run.rests[-1].time < 0.03 and parts[begun].max() < 0.2
    np.testing.assert_allclose(parts[slips], 0.2, rtol=1e-4)
    for state, change in zip(states[:-1], speeds, strict=True):
        turn = matrix(state.quaternions[1])
        foot = -turn @ (semiaxes**2 * turn[2]) / low(semiaxes, state.quaternions[1])
        slip = (state.velocities[1] + np.cross(state.spins[1], foot))[:2]
        if np.linalg.norm(slip) > 1e-3:
            assert slip @ change[:2] < -0.999 * np.linalg.norm(slip) * np.linalg.norm(change[:2])


def test_a_wheel_rolls_on_and_an_egg_rests():
    q = about((1, 0, 0), math.pi / 2)
    wheel = RigidBody(RING, position=(0, 0, 1.3), orientation=q, velocity=(2.6, 0, 0), spin=(0, 2, 0))
    egg = RigidBody(ellipsoid(1, sp.Rational(3, 4), sp.Rational(1, 2)), position=(0, -4, 0.5))
    run = World([RigidBody(FLOOR, fixed=True), wheel, egg], gravity=GRAVITY, friction=0.5, restitution=0.0).run(until=1.0)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.ROLLING] and modes(run, 2) == [ContactMode.REST]
    np.testing.assert_allclose(run.state(1.0).positions[1], [2.6, 0, 1.3], atol=1e-9)
    np.testing.assert_allclose(run.state(1.0).positions[2], [0, -4, 0.5], atol=1e-12)


def test_an_egg_comes_down_on_an_implicit_ring_and_slides_off():
    """It rolls at first. Of such a ring it is known how far points are from it."""
    ring = ImplicitSurface((x**2 + y**2 + z**2 + sp.Rational(15, 4))**2 - 16 * (x**2 + y**2), [(-3, 3), (-3, 3), (-1, 1)])
    egg = RigidBody(ellipsoid(1, sp.Rational(3, 4), sp.Rational(1, 2)), position=(2.02, 0.3, 1.3), spin=(0.3, 0.2, 1))
    run = World([RigidBody(ring, fixed=True), egg], restitution=0.3, friction=0.3).run(until=1.8)
    assert run.outcome is Outcome.FINISHED and len(run.events) > 5 and modes(run, 1) == [ContactMode.ROLLING, ContactMode.SLIDING]
    around, along = np.meshgrid(np.linspace(0, 2 * np.pi, 120), np.linspace(-np.pi / 2, np.pi / 2, 120))
    points = np.stack([np.cos(around) * np.cos(along), 0.75 * np.sin(around) * np.cos(along), np.sin(along) / 2], axis=-1).reshape(-1, 3)
    for moment in np.linspace(0, 1.8, 200):
        state = run.state(moment)
        at = points @ matrix(state.quaternions[1]).T + state.positions[1]
        assert np.hypot(np.hypot(at[:, 0], at[:, 1]) - 2, at[:, 2]).min() > 0.5 - 1e-9
    energies = [run.energy(moment) for moment in np.linspace(0, 1.8, 200)]
    assert np.diff(energies).max() < 1e-9 * energies[0]


def test_a_wheel_rolls_in_a_valley_as_a_pendulum():
    """A torus whose outer rim, of radius a, rolls in a hollow cylinder of radius R: (1 + I / (m a^2)) (R - a) p'' = -g sin p."""
    valley = ImplicitSurface(16 - x**2 - z**2, bounds=[(-5, 5), (-5, 5), (-5, 0)])
    first, arm = 0.6, 4 - 1.3
    wheel = RigidBody(RING, position=(arm * math.sin(first), 0, -arm * math.cos(first)), orientation=about((1, 0, 0), math.pi / 2),
                      mass=1, inertia=np.diag([0.6, 0.6, 1.1]))
    run = World([RigidBody(valley, fixed=True), wheel], gravity=GRAVITY, friction=0.9, restitution=0.0).run(until=2.0)
    heavy = (1 + 1.1 / 1.3**2) * arm
    found = solve_ivp(lambda _, s: (s[1], -10 * math.sin(s[0]) / heavy), (0, 2), (first, 0), method="DOP853", rtol=1e-13, atol=1e-14,
                      dense_output=True).sol
    assert run.outcome is Outcome.FINISHED and not run.events and modes(run, 1) == [ContactMode.ROLLING]
    for moment in (0.7, 1.4, 2.0):
        angle = found(moment)[0]
        np.testing.assert_allclose(run.state(moment).positions[1], [arm * math.sin(angle), 0, -arm * math.cos(angle)], atol=1e-8)


@pytest.mark.parametrize("groove", [ImplicitSurface(z - sp.sqrt(x**2 + 1), bounds=[(-3, 3), (-9, 9), (0, 4)]),
                                    ParametricSurface([u, v, sp.sqrt(u**2 + 1)], {u: (-2, 2), v: (-9, 9)})], ids=["implicit", "parametric"])
def test_an_egg_slides_down_a_groove_on_two_points(groove):
    """It touches at x = 3/4 and x = -3/4: with slope 3/5 there, its centre is 5/4 above these, and its section of radius sqrt(34) / 4."""
    radius = sp.sqrt(34) / 4
    egg = RigidBody(ellipsoid(radius, 2, radius), position=(0, -3, 2.5), mass=1, inertia=np.diag([1.0, 0.5, 1.0]))
    run = World([RigidBody(groove, fixed=True), egg], gravity=(0, 1, -10), restitution=0.0).run(until=2.0)
    assert run.outcome is Outcome.FINISHED and not run.events and modes(run, 1)[-1] is ContactMode.SLIDING
    for moment in (1.0, 2.0):
        state = run.state(moment)
        np.testing.assert_allclose(state.positions[1], [0, -3 + moment**2 / 2, 2.5], atol=1e-8)
        np.testing.assert_allclose(state.spins[1], 0, atol=1e-8)


def _support(a):
    """Of the ellipse with semiaxes 3/2 and 1, and its two derivatives."""
    h = np.sqrt(2.25 * np.cos(a)**2 + np.sin(a)**2)
    slope = -1.25 * np.sin(a) * np.cos(a) / h
    return h, slope, (-1.25 * np.cos(2 * a) - slope * slope) / h


def test_a_ball_that_hops_along_a_spinning_ellipsoid_slides_on_it_and_leaves():
    """In free flight, where only the turning surface draws them together. In the plane, by the angle a of the normal against the long axis
    and the spin w of the ellipsoid, with its support h(a), c = h + 1, p = c + h'' and the reduced mass m: T = m (p^2 a'^2 + 2 p c a' w +
    w^2 (c^2 + h'^2)) / 2 + I w^2 / 2; T and J = dT/dw stay. The ball's centre goes with (p a' + c w) along the surface and -h' w off it.
    """
    m, inertia = 2 / 3, 0.65
    bodies = [RigidBody(ellipsoid(sp.Rational(3, 2), 1, 1), mass=2, inertia=np.diag([0.4, 0.6, inertia]), spin=(0, 0, 2)),
              RigidBody(BALL, mass=1, position=(0.05, 2.001, 0), velocity=(0, -0.05, 0))]
    run = World(bodies, gravity=(0, 0, 0), restitution=0.5).run(until=0.6)
    assert run.outcome is Outcome.FINISHED and modes(run, 0) == modes(run, 1) == [ContactMode.SLIDING]
    begin = run.rests[0].time
    last = run.events[-1].time
    assert last[0] <= begin <= last[1] and len(run.events) < 15

    def gaps(times):
        state = run.state(times)
        way = state.positions[:, 1, :2] - state.positions[:, 0, :2]
        turned = 2 * np.arctan2(state.quaternions[:, 0, 3], state.quaternions[:, 0, 0])
        a = np.arctan2(way[:, 1], way[:, 0]) - turned
        own = [way[:, 0] * np.cos(turned) + way[:, 1] * np.sin(turned), way[:, 1] * np.cos(turned) - way[:, 0] * np.sin(turned)]
        for _ in range(30):
            h, slope, bend = _support(a)
            along, off = own[1] * np.cos(a) - own[0] * np.sin(a), own[0] * np.cos(a) + own[1] * np.sin(a)
            a = a + (along - slope) / (off + bend)
        return off - h - 1, a, turned

    def rates(a):
        h, slope, bend = _support(a)
        c, p = h + 1, h + 1 + bend
        straight, both, turn = m * p * p, m * p * c, m * (c * c + slope * slope) + inertia
        rate = -np.sqrt((2 * energy - momentum**2 / turn) / (straight - both * both / turn))
        return rate, (momentum - both * rate) / turn

    def force(_, state):
        h, slope, bend = _support(state[0])
        rate, spin = rates(state[0])
        spinning = rates(state[0] + 1e-30j)[1].imag / 1e-30 * rate
        return -bend * rate * spin - slope * spinning - ((h + 1 + bend) * rate + (h + 1) * spin) * (rate + spin)

    state = run.state(begin + 1e-3)
    way, speed = (e[1, :2] - e[0, :2] for e in (state.positions, state.velocities))
    spin = state.spins[0, 2]
    energy = m * speed @ speed / 2 + inertia * spin**2 / 2
    momentum = m * (way[0] * speed[1] - way[1] * speed[0]) + inertia * spin
    start = [e[0] for e in gaps(np.array([begin + 1e-3]))[1:]]
    force.terminal = True
    found = solve_ivp(lambda _, s: rates(s[0]), (begin + 1e-3, 3.0), start, method="DOP853", rtol=1e-12, atol=1e-13, events=force,
                      dense_output=True)
    leaves = found.t_events[0][0]
    for moment in np.linspace(begin + 1e-3, leaves - 1e-3, 7):
        gap, a, turned = gaps(np.array([moment]))
        assert abs(gap[0]) < 1e-12 and np.allclose([a[0], turned[0]], found.sol(moment), rtol=0, atol=1e-10)
    after = gaps(leaves + np.array([1e-3, 1e-2, 0.1]))[0]
    assert (np.diff(after) > 0).all() and after[0] > 0
    times = np.linspace(0, 0.6, 501)
    assert gaps(times)[0].min() > -1e-9 and np.diff(run.energy(times)).max() < 1e-10
