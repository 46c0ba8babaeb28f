"""The worlds of the catalogue: that they run, and what is known of them."""

import html

import numpy as np
import pytest

import collide
from collide.search.budget import Budget
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
            assert (corners @ collide.world.rotation.matrix(q).T + at)[:, 2].min() > -1e-9


def test_marbles_fall_through_the_funnel() -> None:
    run = run_of(WORLDS["marbles-in-funnel"])
    assert run.outcome is Outcome.FINISHED and all(e.proved.all() for e in run.events) and len(run.events) > 10
    energies = [run.energy(t) for t in (0.0, *(e.time[1] for e in run.events))]
    assert max(np.diff(energies)) <= 1e-9


def test_the_top_nods_evenly_and_the_other_turns_over() -> None:
    run = run_of(WORLDS["thrown-tops"])
    turns = [collide.world.rotation.matrix(run.state(t).quaternions[1]) for t in np.linspace(0, 2, 100)]
    middle = np.array([r[1, 1] for r in turns])
    assert run.outcome is Outcome.FINISHED and middle.min() < -0.9 and middle.max() > 0.9
    np.testing.assert_allclose(run.energy(2.0), run.energy(0.0), rtol=1e-12)


def test_two_fruits_hit_the_lobster_and_not_before() -> None:
    """At every hit, and between, no point of a fruit is in the lobster."""
    bodies = [collide.RigidBody(**body) for body in pile(4)[:1] + pile(4)[3:]]
    run = collide.World(bodies, restitution=0.7).run(events=2)
    assert run.outcome is Outcome.FINISHED and all(e.proved.all() for e in run.events)
    grid = np.meshgrid(np.linspace(0, 2 * np.pi, 80), np.linspace(-np.pi / 2, np.pi / 2, 80))
    for k, body in enumerate(bodies[1:], 1):
        points = approx_function(body.shape.expressions, [u, v])(*grid).reshape(-1, 3)
        for t in (*np.linspace(0, run.until, 20), *(e.time[0] for e in run.events)):
            state = run.state(min(t, run.until))
            at = points @ collide.world.rotation.matrix(state.quaternions[k]).T + state.positions[k]
            assert lobster().body.approx(*at.T).min() > -1e-9
    assert len(fruits()) == 3 and voxels()[0].size > 10_000


@pytest.mark.parametrize("name", ["newtons-cradle", "marbles-in-funnel"])
def test_the_command_plays_worlds(name: str, tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    from collide import __main__ as command

    assert command.main([name, "--html", str(tmp_path / "run.html")]) == 0
    assert html.escape(WORLDS[name].title) in (tmp_path / "run.html").read_text() and "came to its end" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        command.main([name, "--json", "-"])
