"""Contact of corners, edges and faces, of which some are curved: bodies roll on rims, teeter and turn over edges, as closed forms and other
coordinates tell.
"""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

from collide import Outcome, RigidBody, World
from collide.world.contact.feature_pairs import between
from collide.world.dynamics.steady_contact import ContactMode
from collide.world.features.features import features
from collide.world.motion.rotation import matrix
from collide.world.motion.state import BodyState
from generative import ImplicitSurface, ParametricSurface, u, v, x, y, z
from models.shapes.quadrics import sphere
from models.shapes.solids import box, cone, cylinder

from ..scenes import FLOOR

GRAVITY = (0, 0, -10)
CAN = cylinder(radius=1, height=2)


def about(axis, angle):
    axis = np.array(axis, float) / np.linalg.norm(axis)
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)])


def rims(state, k):
    """The height of the lowest points of both rims of the can."""
    turn, height = matrix(state.quaternions[k]), state.positions[k, 2]
    return [float(height + h * turn[2, 2] - math.hypot(turn[2, 0], turn[2, 1])) for h in (0, 2)]


def fall(*bodies, until, friction=0.9):
    return World([RigidBody(FLOOR, fixed=True), *bodies], gravity=GRAVITY, friction=friction, restitution=0.0).run(until=until)


def test_euler_s_disk_goes_round_steadily():
    """A disk without thickness whose centre stays where it is: W^2 = m g r / (I sin a), I across (e.g. McDonald 2000)."""
    tilt = 0.5
    q = about((0, 1, 0), tilt)
    turn = matrix(q)
    low, axis = turn @ [1, 0, 0], turn @ [0, 0, 1]
    turning = math.sqrt(10 / (0.25 * math.sin(tilt)))
    # It turns about the way to the contact, so that its axis goes round the vertical.
    round_, own = np.cross([0, 0, 1], axis), np.cross(low, axis)
    spin = turning * (round_ @ own) / (own @ own) * low
    disk = RigidBody(cylinder(radius=1, height=sp.Rational(1, 10)), position=(0, 0, math.sin(tilt)), orientation=q, spin=spin,
                     mass=1, centre=(0, 0, 0), inertia=np.diag([0.25, 0.25, 0.5]))
    run = fall(disk, until=0.6)
    assert run.outcome is Outcome.FINISHED and not run.events and [r.mode for r in run.rests] == [ContactMode.ROLLING]
    for moment in (0.2, 0.4, 0.6):
        state, angle = run.state(moment), turning * moment
        np.testing.assert_allclose(state.positions[1], [0, 0, math.sin(tilt)], atol=1e-9)
        np.testing.assert_allclose(matrix(state.quaternions[1]) @ [0, 0, 1],
                                   [math.sin(tilt) * math.cos(angle), math.sin(tilt) * math.sin(angle), math.cos(tilt)], atol=1e-9)


def test_a_can_and_a_cone_roll_on_their_sides():
    """They touch along lines, which are followed at their ends. The cone goes round its tip."""
    half = math.atan(0.5)
    tipped = about((0, 1, 0), math.pi / 2 + half)
    turn = matrix(tipped)
    line, axis = turn @ [1, 0, -2], turn @ [0, 0, -1]
    assert abs(line[2]) < 1e-12
    round_, own = np.cross([0, 0, 1], axis), np.cross(line, axis)
    spin = 0.5 * (round_ @ own) / (own @ own) * line
    shape = cone(radius=1, height=2)
    at = -turn @ [0, 0, 2] + [0, 8, 0]
    rolling = RigidBody(shape, position=at, orientation=tipped, spin=spin,
                        velocity=np.cross(spin, turn @ (RigidBody(shape).centre - [0, 0, 2])))
    can = RigidBody(CAN, position=(0, 1, 1), orientation=about((1, 0, 0), math.pi / 2), velocity=(2, 0, 0), spin=(0, 2, 0))
    run = fall(can, rolling, until=0.5)
    assert run.outcome is Outcome.FINISHED and sorted(r.mode.value for r in run.rests) == ["rolls", "rolls"]
    state = run.state(0.5)
    np.testing.assert_allclose(state.positions[1], [1, 1, 1], atol=1e-9)
    np.testing.assert_allclose(rims(state, 1), 0.0, atol=1e-9)
    turn = matrix(state.quaternions[2])
    np.testing.assert_allclose(state.positions[2] + turn @ [0, 0, 2], [0, 8, 0], atol=1e-9)
    angle = math.atan2(axis[1], axis[0]) + 0.25
    np.testing.assert_allclose(turn @ [0, 0, -1], [math.cos(half) * math.cos(angle), math.cos(half) * math.sin(angle), math.sin(half)],
                               atol=1e-9)


def test_a_can_topples_onto_its_side():
    """From its rim, as a pendulum with the floor under it: until the other rim lands, and then it rolls."""
    tilt = 1.0
    can = RigidBody(CAN, position=(math.cos(tilt) * -1, 0, math.sin(tilt)), orientation=about((0, 1, 0), tilt), spin=(0, 0.2, 0),
                    velocity=np.cross((0, 0.2, 0), matrix(about((0, 1, 0), tilt)) @ [-1, 0, 1]))
    run = fall(can, until=0.8)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 1
    heavy = (3 + 4) / 12 + 2

    def rates(_, state):
        return state[1], 10 * math.sqrt(2) * math.sin(state[0] - math.pi / 4) / heavy

    def down(_, state):
        return state[0] - math.pi / 2

    down.terminal = True
    found = solve_ivp(rates, (0, 3), (tilt, 0.2), method="DOP853", rtol=1e-13, atol=1e-13, events=down)
    assert run.events[0].time[0] == pytest.approx(float(found.t[-1]), abs=1e-8)
    for moment in np.linspace(0, 0.8, 60):
        assert min(rims(run.state(float(moment)), 1)) > -1e-9
    assert np.diff([run.energy(float(s)) for s in np.linspace(0, 0.8, 60)]).max() < 1e-9


def test_a_block_teeters_on_a_cylinder():
    """T = (I + m (h^2 + R^2 a^2)) a'^2 / 2 and V = m g ((R + h) cos a + R a sin a), without slip: from two edges that roll over it."""
    first = 0.25
    q = about((0, 1, 0), first)
    drum = RigidBody(cylinder(radius=1, height=4), orientation=about((1, 0, 0), math.pi / 2), position=(0, 2, 0), fixed=True)
    up, along = matrix(q) @ [0, 0, 1], matrix(q) @ [1, 0, 0]
    block = RigidBody(box(), position=1.5 * up - first * along, orientation=q, mass=1)
    run = World([drum, block], gravity=GRAVITY, friction=0.9, restitution=0.0).run(until=0.5)

    def rates(_, state):
        a, w = state
        return w, -(a * w * w + 10 * (a * math.cos(a) - 0.5 * math.sin(a))) / (1 / 6 + 0.25 + a * a)

    found = solve_ivp(rates, (0, 0.5), (first, 0), method="DOP853", rtol=1e-13, atol=1e-14, dense_output=True).sol
    assert run.outcome is Outcome.FINISHED and not run.events
    for moment in (0.25, 0.5):
        q = run.state(moment).quaternions[1]
        assert 2 * math.atan2(q[2], q[0]) == pytest.approx(float(found(moment)[0]), abs=1e-9)


def test_a_block_swings_in_a_bowl():
    """On four corners, without friction, about the middle of the sphere."""
    bowl = ParametricSurface([2 * sp.cos(u) * sp.sin(v), 2 * sp.sin(u) * sp.sin(v), -2 * sp.cos(v)], {u: (0, 2 * sp.pi), v: (0, sp.pi / 2)})
    far, first = math.sqrt(3.5) - 0.5, 0.2
    q = about((0, 1, 0), first)
    block = RigidBody(box(), position=matrix(q) @ [0, 0, -far], orientation=q)
    run = World([RigidBody(bowl, fixed=True), block], gravity=GRAVITY, friction=0.0, restitution=0.0).run(until=0.3)
    found = solve_ivp(lambda _, s: (s[1], -10 * far * math.sin(s[0]) / (far**2 + 1 / 6)), (0, 0.3), (first, 0), method="DOP853", rtol=1e-13,
                      atol=1e-14)
    assert run.outcome is Outcome.FINISHED and not run.events
    q = run.state(0.3).quaternions[1]
    assert 2 * math.atan2(q[2], q[0]) == pytest.approx(found.y[0, -1], abs=1e-9)


@pytest.mark.parametrize("friction", [0.0, 0.8])
def test_a_ball_turns_over_an_edge(friction):
    """Without friction as a particle over a cylinder, until cos a = 2/3 + v^2 / (3 g r); else it rolls at first: 7/10 v^2 + g r cos a."""
    speed, table = 1.5, box(sizes=(4, 4, 2))
    ball = RigidBody(sphere(), position=(1.5, 0, 2), velocity=(speed, 0, 0), spin=(0, speed * (friction > 0), 0))
    run = World([RigidBody(table, fixed=True), ball], gravity=GRAVITY, friction=friction, restitution=0.0).run(until=0.9)
    assert run.outcome is Outcome.FINISHED
    begin, heavy = 0.5 / speed, 1.4 if friction else 1.0
    found = solve_ivp(lambda _, s: (s[1], 10 * math.sin(s[0]) / heavy), (begin, 0.9), (0, speed), method="DOP853", rtol=1e-13, atol=1e-14,
                      dense_output=True).sol
    last = math.acos(2 / 3 + speed**2 / 30)
    for moment in np.linspace(begin, 0.9, 60):
        way = run.state(float(moment)).positions[1] - [2, 0, 1]
        angle = float(found(moment)[0])
        # It begins to slip before it leaves.
        if angle < (0.25 if friction else last):
            np.testing.assert_allclose(way, [math.sin(angle), 0, math.cos(angle)], atol=1e-9)
        else:
            assert np.hypot(way[0], way[2]) > 1 - 1e-9
    assert np.hypot(way[0], way[2]) > 1.01


def test_a_ball_goes_from_an_edge_onto_a_face():
    """Without friction its centre swings round the edge, up to where it is straight above the face, and slides from there."""
    r, g, begin, border = 0.5, 10.0, 0.7, math.pi / 4
    edge = np.array([0.0, 0.0, 5.0 * math.sqrt(2.0)])
    roof = RigidBody(box(sizes=(10, 10, 10)), fixed=True, orientation=about((0, 1, 0), border))
    ball = RigidBody(sphere(radius=sp.Rational(1, 2)), mass=1, position=edge + r * np.array([math.sin(begin), 0.0, math.cos(begin)]))
    run = World([roof, ball], gravity=(0, 0, -g), restitution=0.0).run(until=1.0)
    assert run.outcome is Outcome.FINISHED and not run.events

    def left(_, y):
        return y[0] - border

    left.terminal = True
    swing = solve_ivp(lambda _, y: [y[1], g / r * math.sin(y[0])], (0, 5), [begin, 0.0], rtol=1e-12, atol=1e-14, events=left)
    at, speed = swing.t[-1], r * swing.y[1, -1]
    down, out = np.array([1, 0, -1]) / math.sqrt(2.0), np.array([1, 0, 1]) / math.sqrt(2.0)
    for moment in np.linspace(at, 1.0, 6):
        slid = speed * (moment - at) + g * math.sin(border) * (moment - at) ** 2 / 2
        np.testing.assert_allclose(run.state(float(moment)).positions[1], edge + slid * down + r * out, atol=1e-8)


def test_where_cans_touch_is_as_their_circles_tell():
    """A can stands on its rim in any position: the lowest points of its circles are the contacts, those of the faces none."""
    rng = np.random.default_rng(7)
    still, floor, parts = np.zeros(3), features(FLOOR, (0.0, 0.0, 0.0)), features(CAN, (0.0, 0.0, 1.0))
    assert parts.convex and not parts.strictly and [p.dimension for p in parts.parts] == [1, 1, 2, 2, 2]
    for _ in range(20):
        turn = matrix(rng.normal(size=4))
        lows = [side * turn[2, 2] - math.hypot(turn[2, 0], turn[2, 1]) for side in (-1, 1)]
        places = BodyState(np.array([0, 0, -min(lows)]), turn, still, still), BodyState(still, np.eye(3), still, still)
        found = between(parts, floor, *places, 1.0)
        assert min(near.gap for near in found) == pytest.approx(0.0, abs=1e-12)
        assert len(found) == 1 or max(near.gap for near in found) == pytest.approx(max(lows) - min(lows), abs=1e-12)


def test_parts_beyond_a_body_are_not_in_it():
    """A block on a drum: its corners touch, but the rim of the drum is not in the block, though it is below the planes of its sides."""
    still, drum, block = np.zeros(3), features(cylinder(radius=2), (0.0, 0.0, 0.0)), features(box(), (0.0, 0.0, 0.0))
    for shift in (0.0, 0.03):
        places = BodyState(still, np.eye(3), still, still), BodyState(np.array([shift, 0.0, 2.5]), np.eye(3), still, still)
        found = between(drum, block, *places, 1.0)
        assert [near.contact.one.dimension for near in found] == [0] * 4 and all(abs(near.gap) < 1e-12 for near in found)


def test_where_boxes_are_nearest_planes_part_them():
    """A place where convex bodies are nearest is told by the plane between them: all corners are beyond it, on both sides."""
    rng, still, parts = np.random.default_rng(11), np.zeros(3), features(box(), (0.0, 0.0, 0.0))
    corners, count = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]), 0
    for _ in range(30):
        turns, way = [matrix(q / np.linalg.norm(q)) for q in rng.normal(size=(2, 4))], rng.normal(size=3)
        one, other = (corners @ turn.T for turn in turns)
        shift = (np.max(one @ way) - np.min(other @ way) + 0.005 * np.linalg.norm(way)) * way / (way @ way)
        places = [BodyState(at, turn, still, still) for at, turn in zip((still, shift), turns, strict=True)]
        for near in between(parts, parts, *places, 1.0):
            normal = near.contact.course(*(places[::-1] if near.turned else places)).normal * (1 if near.turned else -1)
            assert np.min((other + shift) @ normal) - np.max(one @ normal) == pytest.approx(near.gap, abs=1e-12)
            count += 1
    assert count >= 3


def test_a_superquadric_rolls_but_not_over_where_it_is_flat():
    """x^4 + y^4 + z^4 = 1 reaches as far as (|a|^(4/3) + |b|^(4/3) + |c|^(4/3))^(3/4) along (a, b, c)."""
    shape = ImplicitSurface(x**4 + y**4 + z**4 - 1, bounds=[(-1.5, 1.5)] * 3)

    def body(q):
        return RigidBody(shape, position=(0, 0, low(q)), orientation=q, mass=1, inertia=np.eye(3) / 2)

    def low(q):
        return float((np.abs(matrix(q)[2]) ** (4 / 3)).sum() ** 0.75)

    run = fall(body(about((1, 2, 3), 0.9)), until=0.4)
    assert run.outcome is Outcome.FINISHED
    states = [run.state(float(s)) for s in np.linspace(0, 0.4, 20)]
    np.testing.assert_allclose([s.positions[1, 2] for s in states], [low(s.quaternions[1]) for s in states], atol=1e-9)
    np.testing.assert_allclose([run.energy(float(s)) for s in np.linspace(0, 0.4, 20)], run.energy(0.0), rtol=1e-10)
    run = fall(body(about((0, 1, 0), 0.3)), until=0.4)
    assert run.outcome is Outcome.UNRESOLVED and "stay in contact" in run.reason
