"""The worlds of the catalogue: that they run, and what is known of them."""

import html
from collections.abc import Iterable

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import collide
from collide.search.budget import Budget
from collide.world.dynamics.steady_contact import ContactMode
from collide.world.run import Outcome, Run
from generative import u, v
from generative.mesh import approx_function
from models.scenes import WORLDS
from models.scenes.fruits import fruits, lobster, pile, voxels
from models.scenes.worlds import WorldScene


def run_of(scene: WorldScene, **limits: object) -> Run:
    world = collide.World([collide.RigidBody(**body) for body in scene.bodies], **scene.options)
    return world.run(**{**scene.run, **limits})


def test_worlds_are_complete() -> None:
    for name, scene in WORLDS.items():
        assert scene.name == name and scene.title and scene.source and scene.known and len(scene.bodies) > 1
        assert repr(scene) == f"WorldScene({name!r}: {scene.title})" and set(scene.run) <= {"until", "events"}


def test_the_cradle_sends_one_ball_off() -> None:
    run = run_of(WORLDS["newtons-cradle"])
    assert run.outcome is Outcome.FINISHED
    np.testing.assert_allclose(run.state(6.0).velocities, [[0, 0, 0]] * 4 + [[1, 0, 0]], atol=1e-14)


def test_the_gradient_of_two_balls_in_line() -> None:
    """Equal balls of radius 1 swap their velocities: after the time 1 the second is at x1 + v1 + 2, whose gradient by (x1, x2, v1, v2) is
    (1, 0, 1, 0) (Nimble issue #97). It is linear, so central differences have it but for rounding.
    """
    ball = WORLDS["newtons-cradle"].bodies[0]["shape"]

    def end(state: np.ndarray) -> float:
        bodies = [collide.RigidBody(ball, position=(x, 0, 0), velocity=(speed, 0, 0)) for x, speed in state.reshape(2, 2).T.tolist()]
        run = collide.World(bodies, gravity=(0, 0, 0)).run(until=1.0)
        assert len(run.events) == 1 and run.events[0].proved.all()
        return float(run.state(1.0).positions[1, 0])

    start, step = np.array([-2.5, 0.0, 1.0, 0.0]), 2.0**-6
    gradient = [(end(start + step * way) - end(start - step * way)) / (2 * step) for way in np.eye(4)]
    np.testing.assert_allclose(gradient, [1, 0, 1, 0], atol=1e-9)


def test_parts_travel_along_a_feeder() -> None:
    """Against steps of a microsecond of Coulomb's law under the trough: no part leaves it, and both travel alike."""
    run = run_of(WORLDS["vibratory-feeder"], until=0.1)
    place, speed, step = 0.0, 0.0, 1e-6
    for time in ((k + 0.5) * step for k in range(100_000)):
        trough, pull = 60 * np.cos(60 * time) / 250, -3600 * np.sin(60 * time) / 250
        grip, slip = 0.5 * (9.81 + 0.6 * pull), speed - trough
        if abs(slip) < 1e-5 and abs(pull) <= grip:
            speed, force = trough, pull
        else:
            force = -grip * np.sign(slip)
        speed += force * step
        place += speed * step
    moved = run.state(0.1).positions[1:, 0] - run.state(0.0).positions[1:, 0]
    assert run.outcome is Outcome.FINISHED and not run.events and place > 1e-3
    np.testing.assert_allclose(moved, [place] * 2, atol=3e-6)
    assert [(r.begin, r.end) for r in run.regions] == [(0.0, None)] * 2


def test_dominoes_fall_one_against_the_next() -> None:
    run = run_of(WORLDS["dominoes"], budget=Budget(seconds=None))
    assert run.outcome is Outcome.FINISHED
    first = [next(e.time[0] for e in run.events if [k, k + 1] in e.pairs.tolist()) for k in (1, 2, 3)]
    assert first == sorted(first) and np.diff([run.energy(float(s)) for s in np.linspace(0, run.until, 200)]).max() < 1e-9
    corners = np.array([[x, y, z] for x in (-0.125, 0.125) for y in (-0.5, 0.5) for z in (-1.0, 1.0)])
    for moment in np.linspace(0, run.until, 60):
        state = run.state(float(moment))
        leans = 2 * np.arctan2(state.quaternions[1:, 2], state.quaternions[1:, 0])
        # Each leans on the next one, behind it, and none is in the floor.
        assert (np.diff(leans) <= 1e-9).all()
        for q, at in zip(state.quaternions[1:], state.positions[1:], strict=True):
            assert (corners @ collide.world.motion.rotation.matrix(q).T + at)[:, 2].min() > -1e-9


def test_marbles_fall_through_the_funnel() -> None:
    run = run_of(WORLDS["marbles-in-funnel"])
    assert run.outcome is Outcome.FINISHED and all(e.proved.all() for e in run.events) and len(run.events) > 10
    energies = [run.energy(t) for t in (0.0, *(e.time[1] for e in run.events))]
    assert max(np.diff(energies)) <= 1e-9


def test_the_top_nods_evenly_and_the_other_turns_over() -> None:
    run = run_of(WORLDS["thrown-tops"])
    turns = [collide.world.motion.rotation.matrix(run.state(t).quaternions[1]) for t in np.linspace(0, 2, 100)]
    middle = np.array([r[1, 1] for r in turns])
    assert run.outcome is Outcome.FINISHED and middle.min() < -0.9 and middle.max() > 0.9
    np.testing.assert_allclose(run.energy(2.0), run.energy(0.0), rtol=1e-12)


def test_the_tippe_top_turns_over() -> None:
    """Jellett's constant, the angular momentum along the way from the centre of mass to the contact, is kept; the mass rises meanwhile."""
    run = run_of(WORLDS["tippe-top"], budget=Budget(seconds=None))
    assert run.outcome is Outcome.FINISHED and not run.events
    top = run.world.bodies[1]
    kept, heights, energies = [], [], []
    for moment in np.linspace(0, run.until, 41):
        state = run.state(float(moment))
        turn = collide.world.motion.rotation.matrix(state.quaternions[1])
        kept.append(turn @ top.inertia @ turn.T @ state.spins[1] @ (turn @ [0, 0, 0.3] - [0, 0, 1]))
        heights.append(float((turn @ [0, 0, 1])[2]))
        energies.append(run.energy(float(moment)))
        assert abs(state.positions[1, 2] - 1.0) < 1e-9
    np.testing.assert_allclose(kept, kept[0], rtol=1e-9)
    assert heights[0] > 0.95 and heights[-1] < -0.5 and np.diff(energies).max() < 1e-9


def test_the_rattleback_turns_round() -> None:
    """The equations of an ellipsoid that rolls without slip, in its own coordinates, with up g and the way to the contact r = -B g / h,
    h^2 = g B g, B the squares of the semiaxes: d/dt((I + r^2 - r r) w) = ... by SciPy, and the energy.
    """
    scene = WORLDS["rattleback"]
    run = run_of(scene, budget=Budget(seconds=None))
    assert run.outcome is Outcome.FINISHED and not run.events
    inertia, squares, gravity = np.array(scene.bodies[1]["inertia"]), np.array([1.0, 1 / 16, 1 / 25]), 9.81

    def rates(_: float, state: np.ndarray) -> np.ndarray:
        w, up = state[:3], state[3:6]
        high = np.sqrt(up @ (squares * up))
        way = -squares * up / high
        turned = -np.cross(w, up)
        moved = -squares * turned / high + squares * up * (up @ (squares * turned)) / high**3
        # v = -w x r; the force of the floor is v' + w x v + g up, and turns the body by r x that.
        v = -np.cross(w, way)
        known = -np.cross(w, moved) + np.cross(w, v) + gravity * up
        system = inertia + way @ way * np.eye(3) - np.outer(way, way)
        return np.concatenate([np.linalg.solve(system, np.cross(way, known) - np.cross(w, inertia @ w)), turned])

    begin = np.array([*scene.bodies[1]["spin"], 0.0, 0.0, 1.0])
    last = 1.0
    found = solve_ivp(rates, (0, last), begin, method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
    state = run.state(last)
    turn = collide.world.motion.rotation.matrix(state.quaternions[1])
    np.testing.assert_allclose(turn.T @ state.spins[1], found[:3], atol=1e-7)
    np.testing.assert_allclose(turn.T @ [0, 0, 1], found[3:], atol=1e-8)
    assert run.state(0.0).spins[1, 2] < -2.9 and max(run.state(float(t)).spins[1, 2] for t in np.linspace(0, run.until, 100)) > 0.5
    energies = [run.energy(float(t)) for t in np.linspace(0.0, run.until, 40)]
    np.testing.assert_allclose(energies, energies[0], rtol=1e-9)


def test_the_disk_and_the_block_move_as_closed_forms_tell() -> None:
    disk, block = (run_of(WORLDS[name], until=until) for name, until in (("euler-s-disk", 0.3), ("teetering-block", 0.25)))
    angle = 0.3 * np.sqrt(4 * 9.81 / np.sin(0.5))
    axis = collide.world.motion.rotation.matrix(disk.state(0.3).quaternions[1]) @ [0, 0, 1]
    np.testing.assert_allclose(axis, [np.sin(0.5) * np.cos(angle), np.sin(0.5) * np.sin(angle), np.cos(0.5)], atol=1e-9)
    heavy, q = (4 + 0.25) / 12 + 1 / 16, block.state(0.25).quaternions[1]
    found = solve_ivp(lambda _, s: (s[1], -(s[0] * s[1]**2 + 9.81 * (s[0] * np.cos(s[0]) - np.sin(s[0]) / 4)) / (heavy + s[0]**2)),
                      (0, 0.25), (0.4, 0.0), method="DOP853", rtol=1e-13, atol=1e-14).y[0, -1]
    assert abs(2 * np.arctan2(q[2], q[0]) - found) < 1e-9


def outside_lobster(bodies: list[collide.RigidBody], run: collide.Run, moments: Iterable[float]) -> bool:
    """Are all of many points of the other bodies outside the first one, at all of these times?"""
    grid = np.meshgrid(np.linspace(0, 2 * np.pi, 80), np.linspace(-np.pi / 2, np.pi / 2, 80))
    for k, body in enumerate(bodies[1:], 1):
        points = approx_function(body.shape.expressions, [u, v])(*grid).reshape(-1, 3)
        for t in moments:
            state = run.state(min(t, run.until))
            at = points @ collide.world.motion.rotation.matrix(state.quaternions[k]).T + state.positions[k]
            if not lobster().body.approx(*at.T).min() > -1e-9:
                return False
    return True


def test_two_fruits_hit_the_lobster_and_not_before() -> None:
    """At every hit, and between, no point of a fruit is in the lobster."""
    bodies = [collide.RigidBody(**body) for body in pile(4)[:1] + pile(4)[3:]]
    run = collide.World(bodies, restitution=0.7).run(events=2)
    assert run.outcome is Outcome.FINISHED and all(e.proved.all() for e in run.events)
    assert outside_lobster(bodies, run, [*np.linspace(0, run.until, 20), *(e.time[0] for e in run.events)])
    assert len(fruits()) == 3 and voxels()[0].size > 10_000


def test_fruits_come_to_slide_on_the_lobster() -> None:
    """A bent and a bumpy one: neither they nor the lobster are convex."""
    bodies = [collide.RigidBody(**pile(27)[k]) for k in (0, 25, 26)]
    run = collide.World(bodies, restitution=0.5).run(until=1.0)
    assert run.outcome is Outcome.FINISHED and {rest.mode for rest in run.rests} == {ContactMode.SLIDING}
    moments = np.linspace(0.6, run.until, 100)
    assert outside_lobster(bodies, run, moments.tolist())
    energies = [run.energy(float(t)) for t in moments]
    assert np.diff(energies).max() < 1e-10 * energies[0]


@pytest.mark.parametrize("name", ["newtons-cradle", "marbles-in-funnel"])
def test_the_command_plays_worlds(name: str, tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    from collide import __main__ as command

    assert command.main([name, "--html", str(tmp_path / "run.html")]) == 0
    assert html.escape(WORLDS[name].title) in (tmp_path / "run.html").read_text() and "came to its end" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        command.main([name, "--json", "-"])
