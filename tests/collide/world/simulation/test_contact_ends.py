"""Ends of motions in contact: those that come are counted, and those that are only expected are not."""

from typing import Any

import numpy as np

from collide import Outcome, RigidBody, World
from models.shapes.quadrics import sphere
from models.shapes.solids import box

from ..scenes import FLOOR


def _springs(state: Any) -> np.ndarray:
    forces = np.zeros((3, 3))
    forces[1, 0], forces[2] = -20.0 * state.positions[1, 0], -3.0 * (state.positions[2] - [5, 0, 0]) - 0.2 * state.velocities[2]
    return forces


def test_an_end_that_is_expected_at_every_bounce_of_another_body_comes_once() -> None:
    """A spring slows a block, which stops about when a ball beside it has bounced for the last time."""
    bodies = [RigidBody(FLOOR, fixed=True), RigidBody(box(), position=(1, 0, 0.5), mass=1),
              RigidBody(sphere(), position=(5.2, 0, 1.3), mass=1, velocity=(0, 0.4, 0))]
    run = World(bodies, gravity=(0, 0, -10), restitution=0.4, friction=0.3, forces=_springs).run(until=0.6, budget=600)
    assert run.outcome is Outcome.FINISHED, run.reason
    # Without the ball it goes by x'' = -20 x + 3.
    assert abs(run.state(0.4).positions[1, 0] - (0.15 + 0.85 * np.cos(0.4 * np.sqrt(20.0)))) < 1e-9
