"""Runs of events alone that end because nothing can come any more."""

import numpy as np
import pytest

from collide import Outcome, RigidBody, World
from collide.world.broad_phase.no_more_contacts import departed
from collide.world.motion.moving_body import MovingBody
from generative import ParametricSurface, u, v

from ..scenes import BALL, EGG


def test_balls_that_have_hit_each_other_are_gone_for_ever():
    bodies = [RigidBody(BALL, position=(0, 0, 0), velocity=(1, 0, 0)), RigidBody(BALL, position=(5, 0.5, 0), spin=(0, 0, 1))]
    run = World(bodies, gravity=(0, 0, -10), restitution=0.7).run(events=5, budget=20)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 1 and "for ever" in run.reason and "for ever" in str(run.summary())
    # It can still be asked where they are later on.
    on = run.resumed(until=run.until + 1)
    assert on.outcome is Outcome.FINISHED and not on.reason and len(on.events) == 1


def test_what_rolls_off_a_table_is_gone():
    table = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})
    bodies = [RigidBody(table, fixed=True), RigidBody(BALL, position=(0, 0, 1), velocity=(4, 0, 0), spin=(0, 4, 0)),
              RigidBody(EGG, position=(9, 0, 30), spin=(1, 2, 3))]
    run = World(bodies, gravity=(0, 0, -10), restitution=0.0, friction=0.5).run(events=5, budget=30)
    assert run.outcome is Outcome.FINISHED and not run.events and "for ever" in run.reason and 0.5 < run.until < 30.0


def test_what_comes_back_is_waited_for():
    """Thrown up, beyond the box of the floor at first."""
    floor = ParametricSurface([u, v, 0], {u: (-2, 2), v: (-2, 2)})
    run = World([RigidBody(floor, fixed=True), RigidBody(BALL, position=(0, 0, 3), velocity=(0, 0, 40))], gravity=(0, 0, -10)).run(events=2)
    assert run.outcome is Outcome.FINISHED and len(run.events) == 2 and not run.reason


@pytest.mark.parametrize("seed", range(20))
def test_bodies_that_are_gone_stay_apart(seed):
    """At many times, on a scale that grows, balls are never as near as their radii; and what never is that is mostly seen to be so."""
    rng = np.random.default_rng(seed)
    gravity = (0, 0, -10) if seed % 2 else (0, 0, 0)
    found = []
    for _ in range(20):
        places, speeds = 6 * rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
        box = RigidBody(ParametricSurface([u, v, 0], {u: (-3, 3), v: (-3, 3)}), position=(0, 0, -3), fixed=True)
        bodies = [box, *(RigidBody(BALL, position=p, velocity=w) for p, w in zip(places, speeds, strict=True))]
        actors = [MovingBody(b, np.array(gravity, float)) for b in bodies]
        for a in actors:
            a.begin(0.0)
        edges = np.array([[0, 0, 0], *[[-1e9] * 3] * 3], float), np.array([[0, 0, 0], *[[-1e9] * 3] * 3], float)
        edges[0][0], edges[1][0] = (-3, -3, -3), (3, 3, -3)
        times = np.concatenate([[0.0], np.geomspace(1e-3, 1e5, 4000)])
        centres = np.array([a.course.centre + times[:, None] * a.course.velocity + times[:, None]**2 / 2 * a.course.acceleration
                            for a in actors[1:]])
        near = min(np.linalg.norm(centres[i] - centres[j], axis=1).min() for i in range(3) for j in range(i)) - 2
        near = min(near, (np.linalg.norm(np.maximum(0, np.maximum(edges[0][0] - centres, centres - edges[1][0])), axis=2) - 1).min())
        gone = departed(actors, lambda k, edges=edges: (edges[0][k], edges[1][k]), 0.0)
        assert not gone or near > 0.0
        found.append(gone)
    assert any(found) or seed % 2
