"""Combined bodies in one frame, without leaves that have no part in their surface."""

import numpy as np
import pytest
import sympy as sp

from collide.world.plain import plain_of
from generative import Rigid, Screw, primitives, t, x, y, z

HALF = sp.Rational(1, 2)
HOLE = primitives.round_cylinder(HALF, 4)
PLATE = primitives.block((4, 2, 1)) - HOLE.moved(Rigid(translation=(1, 0, -2)))


def inside(body, points):
    either = {"Min": lambda *a: np.minimum.reduce(a), "Max": lambda *a: np.maximum.reduce(a)}
    value = sp.lambdify((x, y, z), body.expression, [either, "numpy"])
    return value(*points.T) < 0


@pytest.mark.parametrize(("shape", "leaves"), [
    (PLATE, 7), (PLATE.moved(Rigid(rotation=[HALF] * 4, translation=(1, 2, 3))), 7),
    # A hole with a bottom; a ball that sticks out of the block, and one inside of it.
    (primitives.block((4, 2, 1)) - HOLE.moved(Rigid(translation=(1, 0, 0))), 8),
    (primitives.block() | primitives.ball(sp.Rational(3, 5)), 7),
    (primitives.block() | primitives.ball(sp.Rational(2, 5)), 6),
    # What is cut off is nowhere near.
    (primitives.block() | (primitives.ball(HALF, (5, 0, 0)) & primitives.half_space()), 8),
    (primitives.block() - primitives.ball(HALF, (5, 0, 0)), 6),
])  # fmt: skip
def test_the_same_points(shape, leaves):
    found = plain_of(shape)
    assert len(found.leaves) == leaves and len({leaf.motion for leaf in found.leaves}) == 1
    points = np.random.default_rng(0).uniform(-6, 6, (20000, 3))
    same = inside(shape, points)
    assert same.any() and (inside(found, points) == same).all()


def test_what_moves_otherwise_is_left_as_it_is():
    turned = primitives.block() - primitives.ball(HALF).moved(Rigid(rotation=[2, 1, 0, 0], normalize=True, translation=(HALF, 0, 0)))
    assert plain_of(turned) is turned
    ball = primitives.ball(1)
    assert plain_of(ball) is ball
    driven = primitives.block() | ball.moved(Screw(axis=(0, 0, 1), point=(2, 0, 0), angle=t))
    assert plain_of(driven) is driven
