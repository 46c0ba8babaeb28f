"""Motions that others begin with are left out of bodies of all kinds: `relative`."""

import pytest
import sympy as sp

from collide import Mesh
from generative import Chain, ParametricSurface, Rigid, Screw, axis_angle, difference, primitives, revolute, solids, t, u, v
from generative.changes import pieces_of
from generative.relative import leading, made_of, seen_within

ELLIPSOID = ParametricSurface([sp.cos(u) * sp.sin(v), 2 * sp.sin(u) * sp.sin(v), 3 * sp.cos(v)], {u: (0, 2 * sp.pi), v: (0, sp.pi)})
TABLE = Rigid(rotation=axis_angle([1, 2, 2], 5 * t), translation=[t, 0, 1])
SHIFT = Screw([0, 1, 0], [1, 0, 0], sp.pi / 3)
SLIDE = Rigid(translation=[0, 0, t**2])
KINDS = {
    "patch": ELLIPSOID, "solid": solids.capsule(1, 2),
    "combination": difference(primitives.block((2, 2, 2)), primitives.ball(1).moved(Rigid(translation=[1, 0, 0]))),
    "mesh": Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_left_out_of_a_body_and_put_back_is_the_body(kind: str) -> None:
    """Compared by where the pieces take a point, at some times."""
    body = KINDS[kind].moved(SHIFT).moved(SLIDE).moved(TABLE)
    assert leading(body)[:2] == (TABLE, SLIDE)
    for count in range(1, len(leading(body)) + 1):
        seen = seen_within(body, count)
        back = seen
        for motion in reversed(leading(body)[:count]):
            back = back.moved(motion)
        for piece, whole in zip(pieces_of(back), pieces_of(body), strict=True):
            for time in (0, sp.Rational(3, 7)):
                places = [m.motion.at(time).apply((1, 2, 3)) for m in (piece, whole)]
                assert all(sp.simplify(a - b) == 0 for a, b in zip(*places, strict=True))


def test_the_motions_of_links_are_those_of_joints() -> None:
    bar = solids.capsule(sp.Rational(1, 8), 1)
    joints = [revolute(f"q{k}", f"l{k}", f"l{k + 1}", axis=(0, 1, 0), origin=Rigid(translation=[0, 0, k])) for k in range(3)]
    arm = Chain({f"l{k}": bar for k in range(4)}, joints)
    bodies = arm.at({f"q{k}": (k + 1) * t for k in range(3)})
    second, third = leading(bodies[2]), leading(bodies[3])
    moving = [m for m in third if not m.is_constant]
    assert len(moving) == 3 and [m for m in second if not m.is_constant] == moving[:2]
    assert made_of(Rigid()) == () and made_of(SHIFT) == (SHIFT,)
