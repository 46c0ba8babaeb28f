"""Bounces too low to be searched, under forces that change while they last: nothing gets deeper than contacts are kept to."""

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp

from collide import Outcome, RigidBody, Run, World
from models.shapes.quadrics import sphere

from ..scenes import FLOOR


def _pressed(force: Callable[[float], float], speed: float, until: float) -> Run:
    """A ball of radius 1/2 and mass 1 that leaves a floor, and a force that presses it down."""
    ball = RigidBody(sphere(radius=sp.Rational(1, 2)), position=(0, 0, 0.5), velocity=(0, 0, speed), mass=1.0)
    return World([RigidBody(FLOOR, fixed=True), ball], gravity=(0, 0, 0), restitution=0.5,
                 forces=lambda s: np.array([[0, 0, 0], [0, 0, force(s.time)]])).run(until=until, budget=600)


@pytest.mark.parametrize("speed, force", [(1e-3, lambda t: -10.0 * (1.0 + 0.99 * np.sin(3000.0 * t))),
                                          (1e-5, lambda t: -1e-4 - 1e4 * t)])
def test_a_low_bounce_ends_when_the_ball_is_down_though_the_force_changes(speed: float, force: Callable[[float], float]) -> None:
    run = _pressed(force, speed, 1e-3)
    assert run.outcome is Outcome.FINISHED, run.reason
    # The last part of each bounce is where it would be too deep.
    before = np.concatenate([e.time[0] - 1e-5 * np.linspace(0, 1, 50) ** 3 for e in run.events])
    times = np.unique(np.clip(np.concatenate([np.linspace(0.0, 1e-3, 1000), before]), 0.0, 1e-3))
    assert (run.state(times).positions[:, 1, 2] - 0.5).min() > -1e-12
