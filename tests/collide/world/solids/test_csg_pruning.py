"""Combined bodies in one frame, without leaves that have no part in their surface."""

import numpy as np
import pytest
import sympy as sp

from collide.world.solids.csg_pruning import plain_of
from generative import ImplicitSurface, Rigid, Screw, primitives, t, x, y, z
from generative.motion import IDENTITY

HALF, FIFTH = sp.Rational(1, 2), sp.Rational(1, 5)
SLANTED = Rigid(rotation=[4, 1, 0, 0], normalize=True)
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


@pytest.mark.parametrize(("shape", "leaves"), [
    (primitives.block((4, 2, 1)) - HOLE.moved(Rigid(translation=(0, 0, -2))).moved(SLANTED), 7),
    (primitives.block() | primitives.round_cylinder(FIFTH, 1).moved(SLANTED), 9),
    # A cylinder that its bounds cut off would go on in wider ones.
    (primitives.block() | ImplicitSurface(x**2 + y**2 - FIFTH**2, bounds=[(-1, 1), (-1, 1), (0, 1)]).moved(SLANTED), None)])  # fmt: skip
def test_leaves_that_are_turned(shape, leaves):
    found = plain_of(shape)
    if leaves is None:
        assert found is shape
    else:
        assert len(found.leaves) == leaves and {leaf.motion for leaf in found.leaves} == {IDENTITY}
        points = np.random.default_rng(0).uniform(-1.5, 1.5, (20000, 3))
        assert (inside(found, points) == inside(shape, points)).all()


def test_what_moves_otherwise_is_left_as_it_is():
    ball = primitives.ball(1)
    assert plain_of(ball) == ball
    driven = primitives.block() | ball.moved(Screw(axis=(0, 0, 1), point=(2, 0, 0), angle=t))
    assert plain_of(driven) is driven
