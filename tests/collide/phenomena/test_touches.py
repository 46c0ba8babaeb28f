"""Bodies that come to touch and never cross: of curved ones no proof, but few boxes, a narrow bracket of the time, and words that say what
it is; of flat faces an exact answer.
"""

import numpy as np
import pytest
import sympy as sp

from collide import Budget, Start, Status, first_contact
from generative import ParametricSurface, Rigid, axis_angle, t, u, v
from models.shapes.patches import plane_patch
from tests.collide.contact_scenes import FLOOR, TILT, TURNED, Q, ball, box, move, sphere

WALL, PLATE = FLOOR.moved(TILT), plane_patch(width=8, depth=8).moved(TILT)
WORDS = "rounding cannot tell a touch from a near miss"


def over(height):
    return move(Q(1, 9), Q(1, 13), height)


def swinging(lift=0):
    """A ball on an arm of length 2 whose lowest point is `lift` above -5/2 where the arm hangs down, at pi/2."""
    arm = Rigid(rotation=axis_angle([0, 1, 0], sp.cos(t) / 2))
    return ball(Q(1, 2)).moved(move(0, 0, -2)).moved(arm).moved(move(0, 0, lift)).moved(TILT), FLOOR.moved(move(0, 0, -Q(5, 2))).moved(TILT)


NEAREST = (t - Q(13, 17)) ** 2
SCENES = {
    # two bodies, the moment at which they touch, where, in the frame TILT, and by how much a point near there may be off
    "a ball on a wall": ((ball().moved(TURNED).moved(over(1 + NEAREST)).moved(TILT), WALL), Q(13, 17), (Q(1, 9), Q(1, 13), 0), 1e-3),
    "an implicit ball on a patch": ((sphere().moved(over(1 + NEAREST)).moved(TILT), PLATE), Q(13, 17), (Q(1, 9), Q(1, 13), 0), 1e-3),
    "a pendulum": (swinging(), sp.pi / 2, (0, 0, -Q(5, 2)), 1e-3),
    "balls that pass each other": ((ball().moved(TURNED).moved(move(2, t - 1, 0)).moved(TILT), ball().moved(TILT)), 1, (1, 0, 0), 1e-3),
    "implicit balls that pass": ((sphere().moved(move(2, t - 1, 0)).moved(TILT), sphere().moved(TILT)), 1, (1, 0, 0), 1e-3),
}


@pytest.mark.parametrize("name", SCENES)
def test_what_touches_for_a_moment_is_located_in_few_boxes(name):
    bodies, moment, place, reach = SCENES[name]
    c = first_contact(bodies, (0, 2), budget=Budget(seconds=None, boxes=30_000))
    if name != "a pendulum":
        # These are decided exactly in the end (`test_round_pairs`).
        assert c.unique.tolist() == [True] and Q(c.time.lo) <= moment <= Q(c.time.hi) and np.ptp(c.time) < 1e-15
        return
    assert c.status is Status.UNRESOLVED and not c.existence.any() and c.start[0, 1] is Start.DISJOINT
    assert Q(c.clear_until) <= moment <= Q(c.time.hi) and c.time.lo == c.clear_until and c.time.hi - c.time.lo < 3e-6
    assert WORDS in c.summary()
    away = c.points @ np.array(TILT.rotation, float) - np.array(place, float)
    assert len(c) and np.linalg.norm(away, axis=1).max() < reach


@pytest.mark.parametrize("gap", [Q(1, 10**6), Q(1, 10**9)])
@pytest.mark.parametrize("name", ["near", "through"])
def test_what_all_but_touches_is_decided(name, gap):
    """A little higher, or lower, than in a touch: no contact, or one, proved, at the angle whose cosine is (2 - gap) / 2 from below."""
    bodies = swinging(gap if name == "near" else -gap)
    c = first_contact(bodies, (0, 3), budget=Budget(seconds=None, boxes=30_000))
    if name == "near":
        assert c.status is Status.NO_CONTACT
        return
    moment = sp.acos(2 * sp.acos((2 - gap) / 2))
    assert c.status is Status.CONTACT and c.proved.all() and WORDS not in c.summary()
    assert sp.Rational(c.time.lo) <= moment <= sp.Rational(c.time.hi) and c.time.hi - c.time.lo < 1e-9


@pytest.mark.parametrize("aside", [0, sp.sqrt(2) / 2])
def test_what_comes_again_after_a_touch(aside):
    """An egg touches at 13/17, and lands for good at 1 + 13/17: the bracket holds both where the first one may be no touch, since its place
    is no simple one.
    """
    (_, lower), moment, _, _ = SCENES["a ball on a wall"]
    height = 1 + NEAREST * (1 - t + Q(13, 17))
    egg = ParametricSurface([2 * sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], ball().domain)
    upper = egg.moved(move(aside, 0, 0)).moved(over(height)).moved(TILT)
    c = first_contact([upper, lower], (0, 2), budget=Budget(seconds=None, boxes=60_000))
    assert c.status is Status.CONTACT and ("about t = 0.7647058" in c.summary()) is bool(aside)
    if not aside:
        assert Q(c.time.lo) <= moment <= Q(c.time.hi) and c.time.hi - c.time.lo < 1e-6
        return
    assert 0 <= moment - Q(c.time.lo) < 1e-6 and Q(c.time.hi) >= moment + 1 and c.time.hi < moment + 1 + 1e-6


@pytest.mark.parametrize("height", [1 + NEAREST, 1 + NEAREST * (1 - t + Q(13, 17))], ids=["up again", "once more"])
def test_touches_of_flat_faces_are_proved(height):
    """A box comes down onto another at 13/17, and goes up again."""
    bodies = box(1, 1, 1).moved(over(height)).moved(TILT), box(3, 3, 1).moved(TILT)
    c = first_contact(bodies, (0, 2), spacing=0.25, budget=Budget(seconds=None, boxes=30_000))
    assert c.status is Status.CONTACT and c.exists.all() and c.start[0, 1] is Start.DISJOINT
    assert c.clear_until <= 13 / 17 <= c.time.hi < c.clear_until + 1e-15
    away = c.points @ np.array(TILT.rotation, float) - np.array((Q(1, 9), Q(1, 13), Q(1, 2)), float)
    assert np.abs(np.ptp(away, axis=0) - (1, 1, 0)).max() < 1e-12 and np.abs(away).max() < 0.5 + 1e-12


def test_another_contact_just_after_a_touch_is_proved():
    """Two balls over a wall: one touches it at 13/17, the other comes down on it a millionth of a second later."""
    moment = Q(13, 17)
    touching = ball().moved(TURNED).moved(over(1 + NEAREST)).moved(TILT)
    falling = ball().moved(move(4, 0, 1 + moment + Q(1, 10**6) - t)).moved(TILT)
    c = first_contact([touching, falling, PLATE], (0, 2), budget=Budget(seconds=None, boxes=60_000))
    assert c.status is Status.CONTACT and Q(c.time.lo) <= moment and Q(c.time.hi) >= moment + Q(1, 10**6) and c.time.hi - c.time.lo < 5e-6
