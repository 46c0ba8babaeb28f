"""Motions made of pieces: derivatives by time are known on either side of a change, not across it."""

import math

import pytest
import sympy as sp

from collide import Budget, Status, first_contact
from collide.breaks import stage_ends
from generative import Rigid, axis_angle, keyframes, t

from .contact_scenes import FLOOR, TILT, TURNED, Q, ball, move

# To and fro along x: at 4, 21/10, past the origin's ball at a distance of 1/10, and into it.
POSES = [(4, 0), (Q(21, 10), 0), (3, 2), (0, 0)]


def through(places, times):
    return keyframes([Rigid(rotation=axis_angle([0, 0, 1], Q(k, 5)), translation=[x, y, 0]) for k, (x, y) in enumerate(places)], times)


def test_stages_end_beside_the_changes():
    moved = ball().moved(through(POSES, [0, Q(1, 3), 1, 2]))
    ends = stage_ends([moved, FLOOR], (0.0, 2.0))
    assert ends == [math.nextafter(e, side) for e in (1 / 3, 1.0) for side in (-math.inf, math.inf)]
    assert all(a < Q(1, 3) < b for a, b in [ends[:2]]) and not stage_ends([ball().moved(move(t, 0, 0)), FLOOR], (0.0, 2.0))


def test_contact_after_two_keyframes():
    """The centre of the ball goes the way of screws from (3, 2) to (0, 0): it is 2 from the origin first where a screw says so."""
    motion = through(POSES, [0, Q(1, 3), 1, 2])
    c = first_contact([ball().moved(TILT).moved(motion), ball().moved(TURNED)], (0, 2), budget=Budget(boxes=100_000))
    x, y, z = (sp.lambdify(t, e, "mpmath") for e in motion.apply((0, 0, 0)))
    distance = [math.sqrt(x(s) ** 2 + y(s) ** 2 + z(s) ** 2) for s in (c.time.lo, c.time.hi)]
    assert c.status is Status.CONTACT and c.proved.all() and c.time.lo > 1 and c.time.hi - c.time.lo < 1e-9
    assert distance[0] >= 2 - 1e-12 and distance[1] <= 2 + 1e-12
    assert all(x(s / 1000) ** 2 + y(s / 1000) ** 2 + z(s / 1000) ** 2 > 4 for s in range(int(1000 * c.time.lo)))


@pytest.mark.parametrize("depth, status", [(Q(1, 10**6), Status.CONTACT), (-Q(1, 100), Status.NO_CONTACT)])
def test_a_turn_back_at_a_keyframe(depth, status):
    there_and_back = keyframes([Rigid(translation=[x, 0, 0]) for x in (4, 2 - depth, 4)], [0, Q(1, 3), 2])
    c = first_contact([ball().moved(TILT).moved(there_and_back), ball().moved(TURNED)], (0, 2), budget=Budget(boxes=100_000))
    assert c.status is status
    if status is Status.CONTACT:
        assert Q(c.time.lo) <= Q(2, 3) / (2 + depth) <= Q(c.time.hi)
