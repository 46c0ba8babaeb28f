"""Runs of worlds against what is known in closed form, and what a run promises."""

import math

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Outcome, RigidBody, World
from collide.search.budget import Budget
from collide.world.dynamics.steady_contact import ContactMode
from collide.world.motion.rotation import matrix
from collide.world.simulation import contact_sides, transitions
from collide.world.simulation.event_queue import PairKey
from generative import ParametricSurface, Rigid, t, u, v
from models.shapes.polyhedra import dodecahedron
from models.shapes.solids import box
from tests.sampled import worlds

from .scenes import BALL, EGG, FLOOR, RING, WALL, cube, set_up, slope

SLOPE = 0.5


def times(run):
    return np.array([event.time[0] for event in run.events])


def dropped(height, shape=BALL, **options):
    floor, ball = RigidBody(FLOOR, fixed=True), RigidBody(shape, position=(0, 0, 1 + height), mass=2.0)
    return World([floor, ball], gravity=(0, 0, -10), **options)


def test_a_ball_bounces_infinitely_often_and_rests():
    run = dropped(0.8, restitution=0.5).run(until=3.0)
    assert run.outcome is Outcome.FINISHED and run.until == 3.0
    assert len(run.events) >= 40
    np.testing.assert_allclose(times(run)[:40], 1.2 - 0.8 * 0.5 ** np.arange(40), rtol=0, atol=1e-12)
    assert all(event.proved.all() for event in run.events[:10])
    (rest,) = run.rests
    assert rest.mode is ContactMode.REST and rest.body == 1 and abs(rest.time - 1.2) < 1e-12
    np.testing.assert_allclose(run.state(2.0).positions[1], [0, 0, 1], atol=1e-12)
    energies = [run.energy(float(s)) for s in np.linspace(0, 3, 50)]
    assert np.diff(energies).max() <= 1e-12 and energies[0] == pytest.approx(2.0 * 10 * 1.8)


@pytest.mark.parametrize(("ratio", "hits"), [(1, 3), (100, 31)])
def test_blocks_count_pi(ratio, hits):
    bodies = [RigidBody(WALL, fixed=True), RigidBody(BALL, position=(2, 0, 0), mass=1),
              RigidBody(BALL, position=(5, 0, 0), velocity=(-1, 0, 0), mass=ratio)]
    run = World(bodies, gravity=(0, 0, 0)).run(until=1000.0)
    assert run.outcome is Outcome.FINISHED and len(run.events) == hits == int(math.pi * math.sqrt(ratio))
    assert run.energy(1000.0) == pytest.approx(ratio / 2, rel=1e-13)
    assert all(event.proved.all() for event in run.events)


@pytest.mark.parametrize("gap", [sp.Rational(1, 10), sp.Rational(3, 10)])
def test_a_ball_comes_to_rest_on_another_that_rests_on_a_floor(gap):
    """Each of infinitely many bounces of the upper ball sets off infinitely many of the lower one."""
    balls = [RigidBody(BALL, position=(0, 0, 1 + k * (2 + gap)), density=1) for k in range(2)]
    run = World([RigidBody(FLOOR, fixed=True), *balls], gravity=(0, 0, -10), restitution=0.2).run(until=1.0)
    assert run.outcome is Outcome.FINISHED
    assert run.events[0].time[0] == pytest.approx(math.sqrt(float(gap) / 5.0), rel=1e-12)
    assert {r.body for r in run.rests} == {1, 2}
    assert run.state(1.0).positions[1:, 2] == pytest.approx([1.0, 3.0], abs=1e-9)
    assert not run.state(1.0).velocities.any()
    assert np.diff([run.energy(float(s)) for s in np.linspace(0.0, 1.0, 200)]).max() < 1e-9


def test_a_cradle_sends_one_ball_off():
    bodies = [RigidBody(BALL, position=(-5, 0, 0), velocity=(1, 0, 0)), *(RigidBody(BALL, position=(2 * k, 0, 0)) for k in range(4))]
    run = World(bodies, gravity=(0, 0, 0)).run(until=5.0)
    np.testing.assert_allclose(times(run), 3.0, atol=1e-12)
    np.testing.assert_allclose(run.state(5.0).velocities, [[0, 0, 0]] * 4 + [[1, 0, 0]], atol=1e-14)
    assert run.state(5.0).positions[4, 0] == pytest.approx(8.0, abs=1e-12)


def ellipse():
    """A wall such that the centre of the ball, of radius 1/4, stays in the ellipse x^2 / 4 + y^2 = 1; and the ball."""
    radius = sp.Rational(1, 4)
    length = sp.sqrt(sp.sin(u) ** 2 * 4 + sp.cos(u) ** 2)
    wall = ParametricSurface([2 * sp.cos(u) + radius * sp.cos(u) / length, sp.sin(u) + 2 * radius * sp.sin(u) / length, v],
                             {u: (0, 2 * sp.pi), v: (-1, 1)})
    return wall, ParametricSurface([radius * e for e in BALL.body], BALL.domain)


def test_a_billiard_in_an_ellipse():
    wall, ball = ellipse()
    bodies = [RigidBody(wall, fixed=True), RigidBody(ball, position=(0.3, 0.1, 0), velocity=(0.8, 0.6, 0))]
    run = World(bodies, gravity=(0, 0, 0)).run(events=6)
    assert len(run.events) == 6
    foci, products = np.array([[math.sqrt(3), 0, 0], [-math.sqrt(3), 0, 0]]), []
    for moment in [0.0, *times(run)]:
        state = run.state(moment)
        products.append(np.prod(np.cross(state.positions[1] - foci, state.velocities[1])[:, 2]))
        assert (state.positions[1, 0] / 2) ** 2 + state.positions[1, 1] ** 2 <= 1 + 1e-12
    np.testing.assert_allclose(products, products[0], rtol=1e-11)


def test_through_one_focus_and_through_the_other_next():
    wall, ball = ellipse()
    bodies = [RigidBody(wall, fixed=True), RigidBody(ball, position=(math.sqrt(3), 0, 0), velocity=(0.28, 0.96, 0))]
    run = World(bodies, gravity=(0, 0, 0)).run(events=2)
    for event, focus in zip(run.events, (-math.sqrt(3), math.sqrt(3)), strict=True):
        state = run.state(event.time[1])
        moment = np.cross(state.positions[1] - [focus, 0, 0], state.velocities[1])
        np.testing.assert_allclose(moment, 0.0, atol=1e-10)


@pytest.mark.parametrize(("friction", "acceleration", "mode"), [
    (1.0, 50 / 7 * math.sin(SLOPE), ContactMode.ROLLING), (0.1, 10 * (math.sin(SLOPE) - 0.1 * math.cos(SLOPE)), ContactMode.SLIDING),
    (0.0, 10 * math.sin(SLOPE), ContactMode.SLIDING),
])  # fmt: skip
def test_a_ball_on_a_slope(friction, acceleration, mode):
    bodies = [RigidBody(slope(SLOPE), fixed=True), RigidBody(BALL, position=(math.sin(SLOPE), 0, math.cos(SLOPE)))]
    run = World(bodies, gravity=(0, 0, -10), restitution=0.0, friction=friction).run(until=1.0)
    assert run.outcome is Outcome.FINISHED and run.rests[0].mode is mode and not run.events
    assert np.linalg.norm(run.state(1.0).velocities[1]) == pytest.approx(acceleration, rel=1e-12)
    if not friction or mode is ContactMode.ROLLING:
        assert run.energy(1.0) == pytest.approx(run.energy(0.0), rel=1e-12)


def test_a_ball_that_slides_rolls_in_the_end():
    bodies = [RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 1), velocity=(2, 0, 0))]
    run = World(bodies, gravity=(0, 0, -10), friction=0.2).run(until=2.0)
    assert [rest.mode for rest in run.rests] == [ContactMode.SLIDING, ContactMode.ROLLING]
    assert run.rests[1].time == pytest.approx(2 * 2 / (7 * 0.2 * 10), rel=1e-12)
    np.testing.assert_allclose(run.state(2.0).velocities[1], [10 / 7, 0, 0], atol=1e-12)
    np.testing.assert_allclose(run.state(2.0).spins[1], [0, 10 / 7, 0], atol=1e-12)


def test_what_rolls_still_hits_and_falls_off_the_border():
    table = ParametricSurface([u, v, 0], {u: (-5, 5), v: (-5, 5)})
    bodies = [RigidBody(table, fixed=True), RigidBody(BALL, position=(0, 0, 1), velocity=(4, 0, 0)), RigidBody(BALL, position=(3, 0, 1))]
    run = World(bodies, gravity=(0, 0, -10), restitution=1.0).run(until=1.5)
    assert run.outcome is Outcome.FINISHED
    assert times(run) == pytest.approx([0.25])
    state = run.state(1.5)
    # The second ball leaves the table at x = 5, half a second after the hit, and falls.
    assert state.positions[2] == pytest.approx([3 + 4 * 1.25, 0, 1 - 5 * 0.75**2])
    assert state.positions[1] == pytest.approx([1, 0, 1], abs=1e-9)


def test_a_box_slides_and_stops():
    bodies = [RigidBody(FLOOR, fixed=True), RigidBody(cube(), position=(0, 0, 0.5), velocity=(2, 0, 0))]
    run = World(bodies, gravity=(0, 0, -10), friction=0.2).run(until=2.0)
    assert [rest.mode for rest in run.rests] == [ContactMode.SLIDING, ContactMode.REST]
    np.testing.assert_allclose(run.state(2.0).positions[1], [1, 0, 0.5], atol=1e-9)


def test_a_box_lands_and_slides_on_a_box():
    """Nothing is asked of the other faces of the lower one beyond the end of the slide."""
    floor = RigidBody(box(sizes=(10, 10, 1)), position=(0, 0, -0.5), fixed=True)
    body = RigidBody(box(sizes=(1, 1, 1)), position=(0, 0, 0.7), velocity=(1, 0, 0), density=1)
    run = World([floor, body], gravity=(0, 0, -10), restitution=0.0, friction=0.25).run(until=1.0, budget=60)
    (hit,) = run.events
    speed = 1.0 - 0.25 * 2.0
    assert hit.time[0] == pytest.approx(0.2, rel=1e-12)
    assert [r.mode for r in run.rests] == [ContactMode.SLIDING, ContactMode.REST]
    assert run.rests[1].time == pytest.approx(0.2 + speed / 2.5, rel=1e-12)
    assert run.state(1.0).positions[1] == pytest.approx([0.2 + speed**2 / 5.0, 0.0, 0.5], abs=1e-12)


@pytest.mark.parametrize("tilt", [5e-11, 2e-10])
def test_cubes_with_sides_in_one_plane_land_on_each_other_with_hardly_any_tilt(tilt):
    """Edges that cross at corners, or whose faces go on in each other, have directions that say nothing."""
    box = RigidBody(cube(), position=(0.4, 0, 1.2), orientation=(1, 0, tilt, 0), density=1)
    run = World([RigidBody(cube(), fixed=True), box], restitution=0.3, friction=0.4).run(until=0.5, budget=60)
    assert run.outcome is Outcome.FINISHED
    assert run.state(0.5).positions[1] == pytest.approx([0.4, 0.0, 1.0], abs=1e-8)
    for hit in run.events:
        assert np.abs(hit.normals - [0.0, 0.0, 1.0]).max() < 1e-3
    assert np.diff([run.energy(float(s)) for s in np.linspace(0.0, 0.5, 200)]).max() < 1e-9


def test_a_box_falls_on_two_with_sides_in_the_same_planes():
    """A pyramid without tilt: planes that hold a side of each body are none between them, and what is symmetric stays so."""
    boxes = [RigidBody(cube(), position=p, density=1) for p in ((-0.6, 0, 0.5), (0.6, 0, 0.5), (0, 0, 1.7))]
    run = World([RigidBody(FLOOR, fixed=True), *boxes], restitution=0.1, friction=0.5).run(until=0.5, budget=60)
    assert run.outcome is Outcome.FINISHED
    left, right, top = run.state(0.5).positions[1:]
    assert left[0] == pytest.approx(-right[0], abs=1e-9) and abs(left[0] + 0.6) < 1e-5
    assert [*left[1:], *right[1:]] == pytest.approx([0, 0.5] * 2, abs=1e-9)
    assert top == pytest.approx([0.0, 0.0, 1.5], abs=1e-9)
    assert not run.state(0.5).velocities.any() and np.diff([run.energy(float(s)) for s in np.linspace(0.0, 0.5, 200)]).max() < 1e-9


def test_the_centre_of_a_ball_tells_which_way_its_normal_goes():
    """Where bodies slide along each other a search may list one contact with a normal and with its opposite."""
    world = World([RigidBody(cube(), fixed=True), RigidBody(BALL, position=(1.5, 0.1, 0.2))])
    simulation = set_up(world)
    point, normals = np.array([[0.5, 0.1, 0.2]] * 2), np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    assert contact_sides.refuted(simulation, PairKey(0, 1), point, normals).tolist() == [False, True]
    assert contact_sides.refuted(simulation, PairKey(1, 0), point, normals).tolist() == [True, False]


def test_motions_are_those_of_bodies_of_any_kind():
    """Also of a fixed solid, which has several faces."""
    fixed = RigidBody(cube(), fixed=True, position=(0, 0, -4), orientation=(0.6, 0, 0, 0.8))
    run = World([fixed, RigidBody(cube(), position=(0, 0, 3), mass=1)]).run(until=0.5)
    for k in (0, 1):
        motion, state = run.motion(k), run.state(0.5)
        np.testing.assert_allclose(np.array(motion.translation.subs(t, 0.5), float).ravel(), state.positions[k], atol=1e-12)
        np.testing.assert_allclose(np.array(motion.rotation.subs(t, 0.5), float), matrix(state.quaternions[k]), atol=1e-12)


def test_states_at_many_times_are_those_at_each():
    run = World([RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 3), velocity=(1, 0, 0))], restitution=0.5).run(until=2.0)
    times = np.linspace(0.0, 2.0, 6).reshape(2, 3)
    state, energy, momentum = run.state(times), run.energy(times), run.momentum(times)
    assert state.positions.shape == (2, 3, 2, 3) and energy.shape == (2, 3) and momentum.shape == (2, 3, 2, 3)
    assert np.array_equal(state.time, times) and np.array_equal(state.velocities[1, 2], run.state(2.0).velocities)
    assert np.array_equal(momentum[0, 1], run.momentum(times[0, 1])) and energy[1, 0] == run.energy(times[1, 0])


def test_driven_bodies_follow_their_motion():
    lift = RigidBody(FLOOR, motion=Rigid(translation=[0, 0, t]))
    run = World([lift, RigidBody(BALL, position=(0, 0, 3))], gravity=(0, 0, 0)).run(until=4.0)
    assert times(run) == pytest.approx([2.0])
    np.testing.assert_allclose(run.state(4.0).velocities, [[0, 0, 1], [0, 0, 2]], atol=1e-12)
    assert run.motion(0) == lift.motion


@pytest.mark.parametrize("seed", [1, 4])
def test_random_worlds(seed):
    run = worlds.world(seed, most=4).run(until=4.0)
    assert run.outcome is Outcome.FINISHED and run.events
    assert list(worlds.wrong(run)) == []


def test_motions_are_those_of_the_states():
    world = dropped(0.8, restitution=0.5)
    run = world.run(events=3)
    motion = run.motion(1)
    for moment in (0.1, 0.5, 0.9):
        there = [float(e.xreplace({t: sp.Rational(moment)})) for e in motion.entries]
        np.testing.assert_allclose(there[9:], run.state(moment).positions[1], atol=1e-15)
    first = collide.first_contact([FLOOR, BALL.moved(motion)], time=(0, 0.6))
    assert first.time[0] <= run.events[0].time[1] and run.events[0].time[0] <= first.time[1]


def test_runs_are_reproducible_go_on_and_are_saved(tmp_path):
    world = dropped(0.8, restitution=0.5)
    whole, part = world.run(until=2.0), world.run(events=4)
    on = part.resumed(until=2.0)
    assert [e.time for e in whole.events] == [e.time for e in on.events]
    whole.save(tmp_path / "run.json")
    loaded = world.load(tmp_path / "run.json")
    assert [e.time for e in loaded.events] == [e.time for e in whole.events] and loaded.rests == whole.rests
    for run in (on, loaded):
        for moment in (0.3, 1.1, 2.0):
            assert run.state(moment).positions.tobytes() == whole.state(moment).positions.tobytes()
            assert run.state(moment).quaternions.tobytes() == whole.state(moment).quaternions.tobytes()
    with pytest.raises(ValueError, match="loaded"):
        loaded.resumed(until=3.0)
    with pytest.raises(ValueError, match="holds no run"):
        World([RigidBody(BALL)]).load(tmp_path / "run.json")


def test_a_spent_budget_is_an_outcome_that_can_be_gone_on_with():
    world = dropped(0.8, EGG, restitution=0.5)
    run = world.run(until=2.0, budget=Budget(seconds=None, boxes=20))
    assert run.outcome is Outcome.BUDGET_SPENT and run.reason
    on = run.resumed(until=2.0)
    assert on.outcome is Outcome.FINISHED
    assert [e.time for e in on.events] == [e.time for e in world.run(until=2.0).events]


def test_a_run_that_ends_before_its_first_step_has_the_state_of_the_start(tmp_path, monkeypatch):
    """By its budget, and by Ctrl-C while it is set up."""
    world = dropped(0.8, EGG, restitution=0.5)
    whole = world.run(until=2.0)
    actors, calls = World._actors, []

    def interrupted(self):
        calls.append(self)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return actors(self)

    runs = [world.run(until=2.0, budget=Budget(seconds=None, boxes=1))]
    monkeypatch.setattr(World, "_actors", interrupted)
    runs.append(world.run(until=2.0))
    monkeypatch.undo()
    assert "interrupted" in runs[1].reason
    for run in runs:
        assert run.outcome is Outcome.BUDGET_SPENT and run.until == 0.0 and not run.events
        np.testing.assert_array_equal(run.state(0.0).positions, [[0, 0, 0], [0, 0, 1.8]])
        assert run.energy(0.0) == whole.energy(0.0)
        run.save(tmp_path / "run.json")
        np.testing.assert_array_equal(world.load(tmp_path / "run.json").state(0.0).positions, run.state(0.0).positions)
        assert [e.time for e in run.resumed(until=2.0).events] == [e.time for e in whole.events]


def test_own_laws():
    def stop(impact):
        for k in range(len(impact.contacts)):
            which = np.array([k])
            impact.apply(which, np.column_stack([impact.repel(which, np.zeros(1)), np.zeros((1, 2))]))

    bodies = [RigidBody(WALL, fixed=True), RigidBody(BALL, position=(3, 0, 0), velocity=(-1, 1, 0))]
    run = World(bodies, gravity=(0, 0, 0), response=stop).run(until=3.0)
    np.testing.assert_allclose(run.state(3.0).velocities[1], [0, 1, 0], atol=1e-14)


def test_a_law_of_ones_own_that_lets_bodies_go_into_each_other_ends_the_run():
    run = World([RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 2))], response=lambda impact: None).run(until=1.0)
    assert run.outcome is Outcome.UNRESOLVED and "body 0 and body 1 go into each other by the response" in run.reason and not run.events

    def wild(impact):
        impact.apply([0], [[1e300, 0.0, 0.0]])

    with pytest.raises(ValueError, match="gives body 0 and body 1 velocities that are not finite"):
        World([RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 2))], response=wild).run(until=1.0)
    with pytest.raises(ValueError, match=r"impulses of shape \(m, 3\)"):
        World([RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 2))], response=lambda i: i.apply(0, [1, 0, 0])).run(until=1.0)


@pytest.mark.parametrize(("first", "second", "by"), [
    (cube(), cube(), 0.0), (cube(), cube(), 0.5), (cube(), cube(0.25), 0.25), (BALL, BALL, 0.0), (RING, RING, 0.0),
    # Faces of five corners are two patches.
    (dodecahedron(), cube(0.125), 0.0),
    # It touches the other from within.
    (BALL, ParametricSurface([e / 2 for e in BALL.body], BALL.domain), 0.5),
])  # fmt: skip
@pytest.mark.parametrize("certified", [False, True])
def test_bodies_overlap_whose_surfaces_lie_on_each_other(first, second, by, certified):
    world = World([RigidBody(first), RigidBody(second, position=(by, 0, 0))], gravity=(0, 0, 0))
    with pytest.raises(ValueError, match="body 0 and body 1 overlap at the start"):
        world.run(until=1.0, certified=certified)


def test_a_run_is_loaded_by_its_own_world_alone(tmp_path):
    bodies = [RigidBody(FLOOR, fixed=True), RigidBody(BALL, position=(0, 0, 2))]
    run, path = World(bodies).run(events=np.int64(1)), tmp_path / "run"
    run.save(path)
    assert World(bodies).load(path).events[0].time == run.events[0].time
    for text in (None, "{}", "[", '{"bodies": 2}'):
        if text is not None:
            path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="holds no run of a world of these 2 bodies"):
            World(bodies[::-1]).load(path)


def overlapping(spin=(0, 0, 0), gravity=(0, 0, -9.81)):
    return World([RigidBody(BALL, spin=spin), RigidBody(RING.named("ring"), position=(1, 0, 0))], gravity=gravity).run(until=1.0)


@pytest.mark.parametrize(("make", "what"), [
    (lambda: RigidBody(BALL, mass=0), "mass of a rigid body must be a positive"),
    (lambda: RigidBody(BALL.named("pea"), density=-1), 'density of the rigid body "pea" must be a positive'),
    (lambda: RigidBody(BALL, inertia=np.diag([1, 1, -1])), "inertia of a rigid body must be positive"),
    (lambda: RigidBody(BALL, inertia=np.diag([1, 1, 3])), "that no body has"), (lambda: RigidBody(BALL, mass=1, density=1), "not both"),
    (lambda: RigidBody(BALL, mass=-1, fixed=True), "mass of a rigid body"), (lambda: RigidBody(BALL, spin=(1e200, 0, 0)), "squares"),
    (lambda: RigidBody(FLOOR), "needs its mass and inertia given: the surface is not closed"),
    (lambda: RigidBody(BALL, fixed=True, motion=Rigid()), "both fixed and driven"),
    (lambda: RigidBody(BALL, fixed=True, velocity=(1, 0, 0)), "is fixed, so"),
    (lambda: RigidBody(BALL, motion=Rigid(), spin=(1, 0, 0)), "is driven, so"),
    (lambda: RigidBody(BALL, restitution=1.5), "restitution of a rigid body must be a number from 0 to 1"),
    (lambda: RigidBody(BALL, friction=-1), "friction of a rigid body"),
    (lambda: RigidBody(BALL, position=(0, 0, math.nan)), "three finite"),
    (lambda: RigidBody(BALL, orientation=(0, 0, 0, 0)), "quaternion"),
    (lambda: RigidBody(BALL.moved(Rigid(translation=[t, 0, 0]))), "fixed=True or driven by motion="),
    (lambda: World([]), "at least one body"), (lambda: World([RigidBody(BALL)], gravity=(0, 0, math.inf)), "gravity"),
    (lambda: World([RigidBody(BALL)], restitution=2), "restitution of a world"),
    (lambda: World([RigidBody(BALL)], response="chaos"), "newton"),
    (lambda: World([RigidBody(BALL)]).run(), "until= a time, or events="),
    (lambda: World([RigidBody(BALL)]).run(until=-1), "finite time after"),
    (lambda: World([RigidBody(BALL)]).run(events=0), "positive integer"),
    (overlapping, r'body 0 and body 1 \("ring"\) overlap at the start'),
    (lambda: overlapping((0, 0, 1)), r'body 0 and body 1 \("ring"\) overlap at the start'),
    (lambda: overlapping((0, 0, 1), (0, 0, 0)), r'body 0 and body 1 \("ring"\) overlap at the start'),
    (lambda: World([RigidBody(BALL)]).run(until=1).state(2), "goes from t = 0 to t = 1"),
    (lambda: World([RigidBody(BALL)]).run(until=1).motion(1), "numbered from 0"),
])  # fmt: skip
def test_bad_input_is_refused_in_one_sentence(make, what):
    with pytest.raises(ValueError, match=what) as error:
        make()
    assert "\n" not in str(error.value) and ". " not in str(error.value)


def test_what_are_no_bodies_are_refused():
    with pytest.raises(TypeError, match="takes RigidBody values"):
        World([BALL])
    with pytest.raises(TypeError, match="bodies are"):
        RigidBody("ball")


def test_a_page_plays_the_run(tmp_path):
    run = dropped(0.8, restitution=0.5).run(until=2.0)
    run.save_html(tmp_path / "run.html", title="A <ball>")
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert "A &lt;ball&gt;" in text and "@" not in text.split("<script")[0] and "http" not in text
    assert len(text) < 2_000_000 and "iframe" in run._repr_html_()


def test_boxes_touch_without_overlap_at_the_start():
    bodies = [RigidBody(FLOOR, fixed=True), RigidBody(cube(), position=(0, 0, 0.5))]
    run = World(bodies, gravity=(0, 0, -10), restitution=0.5).run(until=1.0)
    assert run.outcome is Outcome.FINISHED and run.rests[0].mode is ContactMode.REST


def test_an_interrupted_run_goes_on_as_if_it_had_not_been(monkeypatch):
    world, calls = dropped(0.8, restitution=0.5), []
    after = transitions.after

    def interrupted(self, keys):
        after(self, keys)
        calls.append(keys)
        if len(calls) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(transitions, "after", interrupted)
    run = world.run(until=2.0)
    assert run.outcome is Outcome.BUDGET_SPENT and "interrupted" in run.reason and len(run.events) == 2
    monkeypatch.undo()
    assert [e.time for e in run.resumed(until=2.0).events] == [e.time for e in world.run(until=2.0).events]


def test_a_turned_mesh_that_was_hit_is_searched_on():
    """Boxes round the two still meet just after the hit; then triangles tell whether they are apart."""
    ball, block = RigidBody(BALL, position=(-3, 0.2, 0.1), velocity=(2, 0, 0)), RigidBody(cube(), orientation=(1, 0.3, 0.2, 0.5))
    run = World([ball, block], gravity=(0, 0, 0), restitution=0.5).run(until=3.0)
    assert run.outcome is Outcome.FINISHED and [event.pairs.tolist() for event in run.events] == [[[0, 1]]]
    np.testing.assert_allclose(run.momentum(3.0), run.momentum(0.0), atol=1e-12)
    state = run.state(3.0)
    assert np.linalg.norm(state.positions[1] - state.positions[0]) > 1.9


def test_rings_hit_patches():
    """The middle of a patch lies on it, and does not say that a normal is wrong by the little that it is out: so a run ended here."""
    from tests.benchmarks.world import boxed

    run = boxed("balls and tori", 30).run(events=1)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 1 and abs(run.events[0].time[0] - 0.1525547) < 1e-6
