"""Bodies that stay in contact and are followed by differential equations, against closed forms."""

import math
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

from collide import Mesh, Outcome, RigidBody, World
from collide.search.budget import Budget
from collide.world.contact.closed_forms import OnFace
from collide.world.contact.manifold import ContactConstraint, Side, manifold, separating
from collide.world.contact_solver.forces import ActiveConstraint
from collide.world.dynamics.equations import MotionEquations
from collide.world.dynamics.guard_set import GuardSet
from collide.world.dynamics.projection import lifted
from collide.world.dynamics.steady_contact import ContactMode
from collide.world.motion.state import BodyState
from collide.world.shapes.polyhedral import polyhedral
from collide.world.shapes.simple import Flat
from collide.world.simulation import contact_motion, impact_points
from collide.world.simulation.event_queue import PairKey
from generative import ParametricSurface, Rigid, t, u, v
from models.shapes.solids import box, cylinder

from ..scenes import BALL, FLOOR, cube, set_up

GRAVITY = (0, 0, -10)


def block(*sizes):
    unit = cube()
    return Mesh(unit.arrays[0] * sizes, unit.triangles)


def corners(run, k, moment):
    """Of body k, a mesh, at a time."""
    state = run.state(moment)
    w, a = state.quaternions[k][0], state.quaternions[k][1:]
    points = run.world.bodies[k].shape.arrays[0]
    return state.positions[k] + points + 2 * np.cross(a, np.cross(a, points) + w * points)


def modes(run, body):
    return [rest.mode for rest in run.rests if rest.body == body]


def turning(speed):
    return Rigid(rotation=sp.Matrix([[sp.cos(speed * t), -sp.sin(speed * t), 0], [sp.sin(speed * t), sp.cos(speed * t), 0], [0, 0, 1]]))


def tipped(angle, friction):
    """A block of sides 1/2, 1 and 2 that stands on an edge, out of the vertical by an angle."""
    half = np.array([0.25, 0.5, 1.0])
    low = half[0] * math.sin(angle) + half[2] * math.cos(angle)
    bodies = [RigidBody(FLOOR, fixed=True),
              RigidBody(block(0.5, 1, 2), position=(0, 0, low), orientation=(math.cos(angle / 2), 0, math.sin(angle / 2), 0), mass=2)]
    return World(bodies, gravity=GRAVITY, friction=friction, restitution=0.0)


def test_an_edge_bounces_no_more_once_it_rises_by_less_than_a_billionth_of_the_size():
    """By what it closes with before each hit: it rises by (e v)^2 / 2 g. The first hit is one of a block that falls over."""
    world, sides = tipped(0.05, 0.6), np.array([0.5, 1, 2])
    run = World(world.bodies, gravity=GRAVITY, friction=0.6, restitution=0.5).run(until=0.5)
    rises = []
    for event in run.events:
        before = run.state(event.time[0] - 1e-9)
        arms = event.points - before.positions[1]
        rises.append((0.5 * (before.velocities[1] + np.cross(before.spins[1], arms))[:, 2].min()) ** 2 / 20)
    assert run.outcome is Outcome.FINISHED and len(rises) > 5
    assert [rise < 1e-9 * np.linalg.norm(sides / 2) for rise in rises] == [False] * (len(rises) - 1) + [True]


def test_a_block_that_is_tipped_falls_as_a_pendulum():
    run = tipped(0.5, 100.0).run(events=1)
    assert modes(run, 1)[0] is ContactMode.ROCKING and len(run.events) == 1
    # About its edge: m r g (cos a - cos b) = I w^2 / 2, where a and b are angles of the line from the edge to the centre.
    m, r, first = 2.0, math.hypot(0.25, 1.0), 0.5 - math.atan(0.25)
    inertia = m * (0.5**2 + 2.0**2) / 12 + m * r * r
    speed = math.sqrt(2 * m * r * 10 / inertia)
    last = math.pi / 2 - math.atan(0.25)
    when = float(mpmath.quad(lambda s: 2 / (speed * mpmath.sqrt(mpmath.sinc(s * s / 2) * mpmath.sin(first + s * s / 2))),
                             [0, mpmath.sqrt(last - first)]))
    assert run.events[0].time[0] == pytest.approx(when, abs=1e-9)
    before = run.state(run.events[0].time[0] - 1e-9).spins[1][1]
    assert before == pytest.approx(speed * math.sqrt(math.cos(first) - math.cos(last)), abs=1e-7)
    for moment in np.linspace(0, when - 1e-9, 7):
        assert run.energy(float(moment)) == pytest.approx(run.energy(0.0), rel=1e-9)
        assert corners(run, 1, float(moment))[:, 2].min() == pytest.approx(0.0, abs=1e-9)


def test_a_block_that_slides_over_a_rim_tips():
    table = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})
    bodies = [RigidBody(table, fixed=True), RigidBody(cube(), position=(0, 0, 0.5), velocity=(3, 0, 0))]
    run = World(bodies, gravity=GRAVITY, friction=0.1, restitution=0.0).run(until=1.2)
    assert run.outcome is Outcome.FINISHED and not run.events
    # Friction holds it up as if its centre were 1/10 of its height further: it tips at 3 t - t^2 / 2 = 2 - 1/20.
    over = 3 - math.sqrt(5.1)
    np.testing.assert_allclose(run.state(over).positions[1], [1.95, 0, 0.5], atol=1e-9)
    assert abs(run.state(over).spins[1][1]) < 1e-6 and run.state(over + 0.1).spins[1][1] > 0.1
    # Nothing of it is in the table: what is below is beyond the rim.
    for moment in np.linspace(0, 1.2, 25):
        found = corners(run, 1, float(moment))
        assert not ((found[:, 2] < -1e-9) & (found[:, 0] < 2 - 1e-9)).any()
    assert np.diff([run.energy(float(s)) for s in np.linspace(0, 1.2, 25)]).max() < 1e-9


def test_a_block_stands_on_a_box_and_rocks_on_it():
    """The upper face of the box is meant, not the lower one that is parallel; two of the block's four corners leave, and come back."""
    floor = RigidBody(box(sizes=(60, 40, 1)), fixed=True, position=(0, 0, -0.5))
    body = RigidBody(block(0.3, 1.2, 2.9), position=(0, 0, 1.45), velocity=(1.3, 0, 0))
    run = World([floor, body], gravity=GRAVITY, friction=0.3, restitution=0.1).run(until=1.5)
    assert run.outcome is Outcome.FINISHED and modes(run, 1)[:2] == [ContactMode.SLIDING, ContactMode.ROCKING] and run.events
    assert all(corners(run, 1, float(s))[:, 2].min() > -1e-9 for s in np.linspace(0, 1.5, 60))
    assert np.diff([run.energy(float(s)) for s in np.linspace(0, 1.5, 60)]).max() < 1e-9


def test_a_block_that_slides_over_a_rim_that_is_round_tips():
    """When its centre is beyond the point of the circle that is farthest that way, as beyond a straight rim."""
    bodies = [RigidBody(cylinder(radius=2), fixed=True), RigidBody(cube(), position=(0, 0, 2.5), velocity=(3, 0, 0))]
    run = World(bodies, gravity=GRAVITY, friction=0.1, restitution=0.0).run(until=1.2, budget=Budget(seconds=None))
    assert run.outcome is Outcome.FINISHED and not run.events
    over = 3 - math.sqrt(5.1)
    np.testing.assert_allclose(run.state(over).positions[1], [1.95, 0, 2.5], atol=1e-9)
    assert abs(run.state(over).spins[1][1]) < 1e-5 and run.state(over + 0.1).spins[1][1] > 0.1
    for moment in np.linspace(0, 1.2, 25):
        found = corners(run, 1, float(moment))
        assert not ((found[:, 2] < 2 - 1e-9) & (np.hypot(found[:, 0], found[:, 1]) < 2 - 1e-9)).any()
    assert np.diff([run.energy(float(s)) for s in np.linspace(0, 1.2, 25)]).max() < 1e-9


def test_a_ball_on_a_turntable_goes_round_by_two_sevenths():
    speed, at, velocity = 2.0, np.array([2.0, 0, 1]), np.array([0.5, 0.3, 0])
    slip = np.cross([0, 0, speed], at) - velocity
    ball = RigidBody(BALL, position=at, velocity=velocity, spin=(slip[1], -slip[0], 0))
    run = World([RigidBody(FLOOR, motion=turning(2)), ball], gravity=GRAVITY, friction=0.9, restitution=0.0).run(until=1.5)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.ROLLING]
    for moment in (0.4, 1.0, 1.5):
        angle = 2 / 7 * speed * moment
        there = [0.5 * math.cos(angle) - 0.3 * math.sin(angle), 0.5 * math.sin(angle) + 0.3 * math.cos(angle), 0]
        np.testing.assert_allclose(run.state(moment).velocities[1], there, atol=2e-9)


@pytest.mark.parametrize(("push", "mode", "far"), [(sp.Rational(3, 2), ContactMode.REST, 3.0), (5, ContactMode.SLIDING, 6.0)])
def test_a_table_that_speeds_up_carries_a_block_or_slips_away(push, mode, far):
    table = RigidBody(FLOOR, motion=Rigid(translation=[push * t**2 / 2, 0, 0]))
    run = World([table, RigidBody(cube(), position=(0, 0, 0.5))], gravity=GRAVITY, friction=0.3, restitution=0.0).run(until=2.0)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [mode]
    np.testing.assert_allclose(run.state(2.0).positions[1], [far, 0, 0.5], atol=1e-9)


def test_a_pusher_pushes():
    pusher = RigidBody(cube(), motion=Rigid(translation=[-2 + t / 2, 0, sp.Rational(1, 2)]))
    bodies = [RigidBody(FLOOR, fixed=True), pusher, RigidBody(cube(0.4), position=(0, 0, 0.4))]
    run = World(bodies, gravity=GRAVITY, friction=0.3, restitution=0.0).run(until=3.0)
    assert run.outcome is Outcome.FINISHED and modes(run, 2) == [ContactMode.REST, ContactMode.SLIDING]
    assert run.events[0].time[0] == pytest.approx(2.2, abs=1e-9)
    np.testing.assert_allclose(run.state(3.0).positions[2], [0.4, 0, 0.4], atol=1e-8)


def test_a_spring_and_friction_stop_a_block():
    """Each half swing takes 2 mu m g / k = 3 / 10 of the amplitude: from 1 to -7/10, 4/10, -1/10, where friction holds it."""
    def spring(state):
        return np.array([[0, 0, 0], [-20.0 * state.positions[1, 0], 0, 0]])

    bodies = [RigidBody(FLOOR, fixed=True), RigidBody(cube(), position=(1, 0, 0.5), mass=1)]
    run = World(bodies, gravity=GRAVITY, friction=0.3, restitution=0.0, forces=spring).run(until=2.5)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.SLIDING] * 3 + [ContactMode.REST]
    half, pull = math.pi / math.sqrt(20), 3 / 20
    np.testing.assert_allclose([rest.time for rest in run.rests], half * np.arange(4), atol=1e-9)
    for moment in (0.3, 0.9, 1.7, 2.4):
        turns = min(int(moment / half), 3)
        side, wide = (-1) ** turns, 1 - pull - 2 * pull * turns
        place = side * pull + side * wide * math.cos(math.sqrt(20) * (moment - turns * half)) if turns < 3 else -0.1
        assert run.state(moment).positions[1, 0] == pytest.approx(place, abs=1e-8)


def test_a_small_bounce_goes_on_where_a_spring_shakes_another_ball():
    """Its motion is followed in steps that end before the bounce does, which takes 2 v / g."""
    def spring(state):
        return -1e9 * (state.positions - [30, 0, 20]) * (np.arange(3) == 2)[:, None]

    bodies = [RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 1), velocity=(0, 0, 5e-4)),
              RigidBody(BALL, position=(30.001, 0, 20), mass=1)]
    run = World(bodies, gravity=(0, 0, -10), restitution=0.0, forces=spring).run(until=1.2e-4)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.REST]
    assert run.rests[0].time == pytest.approx(1e-4, rel=1e-9) and run.state(1.2e-4).positions[1, 2] == pytest.approx(1.0, abs=1e-12)


def test_a_ball_rolls_on_under_drag():
    bodies = [RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 1), velocity=(3, 1, 0), spin=(-1, 3, 0.5), mass=2)]
    run = World(bodies, gravity=GRAVITY, friction=0.8, restitution=0.0, forces=lambda state: -0.4 * state.velocities).run(until=3.0)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.ROLLING]
    # (1 + 2/5) m v' = -0.4 v.
    for moment in (0.5, 1.7, 3.0):
        np.testing.assert_allclose(run.state(moment).velocities[1], np.array([3, 1, 0]) * math.exp(-moment / 7), atol=1e-9)
        np.testing.assert_allclose(run.state(moment).positions[1, :2], np.array([3, 1]) * 7 * (1 - math.exp(-moment / 7)), atol=1e-9)


def test_a_table_that_tilts_lets_a_block_go():
    """It turns with the table up to the angle of friction, but for what turning does: 1/100 of g at most."""
    angle, half = t / 8, 0.1
    table = RigidBody(FLOOR, motion=Rigid(rotation=sp.Matrix([[sp.cos(angle), 0, sp.sin(angle)], [0, 1, 0],
                                                               [-sp.sin(angle), 0, sp.cos(angle)]])))
    bodies = [table, RigidBody(cube(half), position=(0, 0, half), velocity=(half / 8, 0, 0), spin=(0, 1 / 8, 0))]
    run = World(bodies, gravity=GRAVITY, friction=0.2, restitution=0.0).run(until=2.0)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.REST, ContactMode.SLIDING] and not run.events
    assert run.rests[1].time == pytest.approx(8 * math.atan(0.2), rel=1e-3)


def test_dominoes_hit_one_another():
    bodies = [RigidBody(FLOOR, fixed=True)]
    bodies += [RigidBody(block(0.5, 1, 2), position=(k, 0, 1), mass=1, spin=(0, 1.5 * (k == 0), 0),
                         velocity=(1.5 * (k == 0), 0, 0.375 * (k == 0))) for k in range(2)]
    run = World(bodies, gravity=GRAVITY, friction=0.5, restitution=0.0).run(until=0.3)
    assert run.outcome is Outcome.FINISHED and modes(run, 1)[0] is ContactMode.ROCKING
    # The first one's upper edge is half a thickness of gap away: it turns until sin(b) = 1/4, with w^2 from its fall.
    inertia, r, lean = (0.5**2 + 2.0**2) / 12 + 17 / 16, math.hypot(0.25, 1.0), -math.atan(0.25)
    until = math.asin(0.25)
    when = float(mpmath.quad(lambda b: 1 / mpmath.sqrt(2.25 + 20 * r * (mpmath.cos(lean) - mpmath.cos(lean + b)) / inertia), [0, until]))
    first = run.events[0]
    assert first.time[0] == pytest.approx(when, abs=1e-9) and first.pairs[0].tolist() == [1, 2]
    np.testing.assert_allclose(first.points[:2, [0, 2]], [[0.75, 2 * math.cos(until)]] * 2, atol=1e-8)
    assert run.state(0.3).spins[2][1] > 0.1
    assert np.diff([run.energy(float(s)) for s in np.linspace(0, 0.3, 31)]).max() < 1e-9
    for moment in np.linspace(0, 0.3, 7):
        one, other = (corners(run, k, float(moment)) for k in (1, 2))
        assert min(one[:, 2].min(), other[:, 2].min()) > -1e-9


@pytest.mark.parametrize(("off", "count"), [(0.0, 4), (5e-9, 4), (1e-6, 0)])
def test_the_point_of_a_hit_may_be_of_a_time_just_before(off, count):
    """Bodies that fly together move on within the bracket of a hit; where their corners touch is told by where the bodies are."""
    zero = np.zeros(3)
    sides = [Side(BodyState(np.array(at), np.eye(3), zero, zero), polyhedral(shape, (0.0, 0.0, 0.0)), None)
             for shape, at in ((block(0.5, 0.5, 1), (0, 0, 1.5)), (block(2, 2, 2), (0, 0, 0)))]
    assert len(manifold(0, 1, *sides, np.array([0.1, 0, 1 + off]), np.array([0, 0, 1.0]), 0.6)) == count


def test_a_ball_thrown_across_an_incline_slips_until_it_rolls():
    """Its slip u turns downhill: u' = a e - b u / |u|, so that b |u| + a u_e falls by b^2 - a^2 in a unit of time, down to 0."""
    angle, friction, speed = 0.3, 0.2, 1.5
    across = RigidBody(BALL, position=(0, 0, 1), velocity=(0, speed, 0), mass=1)
    down = 10 * np.array([math.sin(angle), 0, -math.cos(angle)])
    run = World([RigidBody(FLOOR, fixed=True), across], gravity=tuple(down), friction=friction, restitution=0.0).run(until=1.0)
    a, b = 10 * math.sin(angle), 35 * friction * math.cos(angle)
    when = b * speed / (b * b - a * a)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.SLIDING, ContactMode.ROLLING]
    assert run.rests[1].time == pytest.approx(when, abs=2e-6)
    for part in (0.3, 0.7, 0.95):
        state = run.state(part * when)
        slip = state.velocities[1] - np.cross(state.spins[1], [0, 0, 1])
        assert b * np.linalg.norm(slip) + a * slip[0] == pytest.approx((1 - part) * b * speed, abs=1e-8)
    fast = run.state(when + 0.1).velocities[1] - run.state(when).velocities[1]
    np.testing.assert_allclose(fast, [5 / 7 * a * 0.1, 0, 0], atol=1e-5)


@pytest.mark.parametrize("spin", [3.0, 0.2])
def test_a_plate_that_slides_and_turns_stops_to_do_both_at_once(spin):
    plate = RigidBody(block(1, 1, 0.02), position=(0, 0, 0.01), velocity=(1, 0.2, 0), spin=(0, 0, spin), mass=1)
    run = World([RigidBody(FLOOR, fixed=True), plate], gravity=GRAVITY, friction=0.3, restitution=0.0).run(until=1.0)
    assert run.outcome is Outcome.FINISHED and list(dict.fromkeys(modes(run, 1))) == [ContactMode.SLIDING, ContactMode.REST]
    feet = np.array([[x, y, -0.01] for x in (-0.5, 0.5) for y in (-0.5, 0.5)])

    def rates(_, now):
        """Of its place, angle, velocity and spin: corners carry loads of the least squares that let it stay flat."""
        angle, velocity, turning = now[2], now[3:5], now[5]
        at = feet @ [[math.cos(angle), math.sin(angle), 0], [-math.sin(angle), math.cos(angle), 0], [0, 0, 1]]
        slips = np.column_stack([velocity[0] - turning * at[:, 1], velocity[1] + turning * at[:, 0], np.zeros(4)])
        pushes = [0, 0, 1] - 0.3 * slips / np.linalg.norm(slips, axis=1)[:, None]
        turns = np.cross(at, pushes)
        loads = np.linalg.pinv(np.column_stack([pushes[:, 2], turns[:, :2]]).T) @ [10, 0, 0]
        return [*velocity, turning, *(loads @ pushes[:, :2]), loads @ turns[:, 2] * 6]

    when = run.rests[-1].time
    until = when - 1e-3
    found = solve_ivp(rates, (0, until), [0, 0, 0, 1, 0.2, spin], rtol=1e-11, atol=1e-13, method="DOP853").y[:, -1]
    state = run.state(until)
    np.testing.assert_allclose([*state.positions[1][:2], *state.velocities[1][:2], state.spins[1][2]], [*found[:2], *found[3:]], atol=1e-8)
    # It stops to do both at once: what is left of both is gone at that time.
    assert np.linalg.norm(found[3:5]) > 1e-4 and abs(found[5]) > 1e-6
    np.testing.assert_allclose(run.state(when).velocities[1], 0, atol=1e-5)


def test_a_slip_that_begins_is_not_led_aside_by_what_counts_as_none():
    """A block that is let go on a slope steeper than friction holds, with a millionth of a speed across."""
    down = 10 * np.array([math.sin(0.4), 0, -math.cos(0.4)])
    block_on_slope = RigidBody(cube(0.5), position=(0, 0, 0.5), velocity=(0, 1e-6, 0), mass=1)
    run = World([RigidBody(FLOOR, fixed=True), block_on_slope], gravity=tuple(down), friction=0.3, restitution=0.0,
                forces=lambda state: np.zeros((2, 3))).run(until=0.5)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [ContactMode.SLIDING]
    fast = 10 * (math.sin(0.4) - 0.3 * math.cos(0.4))
    np.testing.assert_allclose(run.state(0.5).velocities[1], [fast / 2, 0, 0], atol=2e-6)



@pytest.mark.parametrize(("shape", "height", "mode"), [(BALL, 1.0, ContactMode.ROLLING), (block(0.2, 0.2, 1), 0.5, ContactMode.ROCKING)])
def test_what_begins_to_move_does_not_rest(shape, height, mode):
    """On a slope on which it rolls, or tips over its lower edge, from the first moment on."""
    down = 10 * np.array([math.sin(0.4), 0, -math.cos(0.4)])
    run = World([RigidBody(FLOOR, fixed=True), RigidBody(shape, position=(0, 0, height), mass=1)], gravity=tuple(down), friction=0.9,
                restitution=0.0, forces=lambda state: np.zeros((2, 3))).run(until=0.1)
    assert run.outcome is Outcome.FINISHED and modes(run, 1) == [mode] and "rest" not in run.summary()


def test_what_was_once_found_to_end_ends():
    """Also if roundings decide at the limit of friction, and it is found good at the next look."""
    class Unsure(GuardSet):
        def __init__(self):
            self.looks, self.signs = 0, []

        def first_bad(self, times, courses):
            self.looks += 1
            late = times > 0.3
            return (int(np.argmax(late)) if self.looks < 3 and late.any() else len(times)), None

        def lands(self, time, courses):
            return None

    found = Unsure().end(0.0, 1.0, [])
    assert found is not None and found.time == pytest.approx(0.3, abs=1e-2) and found.reason is None


@pytest.mark.parametrize("given", [(0, 1, 0), (np.nan, np.nan, np.nan)])
def test_at_an_edge_a_ball_has_the_normal_from_its_centre(given):
    """Where a search gives that of a face that ends there, or none, by which the ball would count as deep behind that face."""
    way, point = np.array([math.sqrt(0.5), math.sqrt(0.5), 0]), np.array([0.5, 0.5, 0])
    bodies = [RigidBody(cube()), RigidBody(BALL, position=point + way)]
    found = SimpleNamespace(points=point[None], normals=np.array([given], float), existence=np.zeros(1, bool), time=None)
    for order, normal in ((bodies, way), (bodies[::-1], -way)):
        assert np.allclose(impact_points.manifold_of(set_up(World(order)), found, PairKey(0, 1)).normals, normal)


@pytest.mark.parametrize(("corners", "shift"), [([0, 1, 2, 3], [0, 0, 1e-10, 0, 0, 0]), ([0], None)])
def test_what_landed_too_deep_is_lifted_by_the_least_change(corners, shift):
    """By the mass matrix M: of one corner with the row n of its height, by 1e-10 M^-1 n / (n M^-1 n)."""
    simulation = set_up(World([RigidBody(FLOOR, fixed=True), RigidBody(cube(), position=(0, 0, 0.5), mass=3)], gravity=GRAVITY))
    foot = np.array([[x, y, -0.5] for x in (-0.5, 0.5) for y in (-0.5, 0.5)])
    face = Flat(np.array([0.0, 0, 1]), 0.0, np.empty((0, 2, 3)))
    kept = [ActiveConstraint(ContactConstraint((1, 0), OnFace(foot[k], 0.0, face)), 0.0, None, 0.0) for k in corners]
    for actor in simulation.actors:
        actor.begin(0.0)
    body = simulation.actors[1]
    courses = [simulation.actors[0].course, body.course.again(0.0, centre=np.array([0, 0, 0.5 - 1e-10]))]
    system = MotionEquations(None, simulation.particulars, np.zeros(3), [1], kept)
    if shift is None:
        row = np.array([0, 0, 1, *np.cross(foot[0], [0, 0, 1])])
        moved = row / np.repeat([3, 3 / 6], 3)
        shift = 1e-10 * moved / (row @ moved)
    np.testing.assert_allclose(lifted(system, 0.0, courses, 1.0), [shift], atol=1e-15)
    assert lifted(system, 0.0, [courses[0], body.course], 1.0) is None


def test_corners_that_meet_have_a_direction_which_separates_the_bodies():
    one, other = (polyhedral(cube(), (0.0, 0.0, 0.0)).moved(np.eye(3), np.array(shift)) for shift in ((0, 0, 0), (1, 0.25, 1)))
    for way, normal in (((0, 0, -3), (0, 0, -1)), ((-2, 0, 1), (-1, 0, 0))):
        np.testing.assert_allclose(separating(other, one, np.array(way), 1e-9, 1e-9), normal, atol=1e-15)
    assert separating(one, other.moved(np.eye(3), np.array([-0.1, 0, -0.1])), np.array([0, 0, 1]), 1e-9, 1e-9) is None


def test_blocks_whose_parallel_edges_meet_hit_each_other():
    """The lower edge of one comes down on the edge of the other, a bit along it, where a search finds no normal of its own."""
    angle = 0.4
    place, turned = (0.5 + math.sqrt(0.5) * math.sin(angle - math.pi / 4), 0.1, 1.5), (math.cos(angle / 2), 0, math.sin(angle / 2), 0)
    bodies = [RigidBody(cube(), fixed=True), RigidBody(cube(), position=place, orientation=turned, mass=1)]
    run = World(bodies, gravity=GRAVITY, restitution=0.5).run(events=1)
    low = math.sqrt(0.5) * math.cos(angle - math.pi / 4)
    assert run.events[0].time[0] == pytest.approx(math.sqrt(0.2 * (1 - low)), abs=1e-9)
    np.testing.assert_allclose(run.events[0].normals, [[0, 0, 1]], atol=1e-12)


def test_what_would_be_moved_far_so_as_not_to_be_in_each_other_is_no_hit(monkeypatch):
    """So a wrong normal of a contact moves nothing."""
    monkeypatch.setattr(contact_motion, "lifted", lambda system, *_: np.full((len(system.free), 6), 1e-3))
    bodies = [RigidBody(FLOOR, fixed=True), RigidBody(block(1, 1, 1), position=(0, 0, 1), orientation=(1, 0.1, 0.2, 0.3))]
    run = World(bodies, gravity=GRAVITY).run(until=1.0)
    assert run.outcome is Outcome.UNRESOLVED and not run.events and "body 0 and body 1 hit each other" in run.reason
