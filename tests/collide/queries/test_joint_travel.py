"""`joint_travel` against closed forms: a lever between balls, and a slider-crank whose piston meets a stop."""

import math

import pytest
import sympy as sp

import collide
from generative import Chain, Rigid, curve, loops, primitives, prismatic, revolute, sweep

R = sp.Rational
LEVER = sweep.ruled(curve.line((0, 0, -1), (1, 0, -1)), curve.line((0, 0, 1), (1, 0, 1)))


def hinge(**options):
    return Chain({"lever": LEVER}, [revolute("hinge", "base", "lever", **options)])


def test_a_lever_between_two_balls():
    """Balls of radius 1/4 whose centres are 1/2 away: tangent to the lever at asin(1/2) from their directions."""
    balls = [primitives.ball(R(1, 4), (R(1, 2), 0, 0)), primitives.ball(R(1, 4), (0, R(1, 2), 0))]
    found = collide.joint_travel(hinge(limits=(-3, 3)), "hinge", {"hinge": R(4, 5)}, balls)
    assert found.status is collide.Status.CONTACT
    for stop, true in zip(found.stops, (math.pi / 6, math.pi / 3), strict=True):
        assert stop.lo <= true <= stop.hi and stop.hi - stop.lo < 1e-9
    assert found.free.lo <= found.stops[0].hi and found.stops[1].lo <= found.free.hi and "stopped above" in found.summary()


def test_limits_are_reached_where_nothing_stops():
    found = collide.joint_travel(hinge(), "hinge", {"hinge": 1}, [primitives.ball(R(1, 4), (1, 0, 0))], limits=(1, 3))
    assert found.free == (1, 3) and found.stops == (None, None) and found.contacts[0] is None
    assert found.status is collide.Status.NO_CONTACT and "reaches its limit 3 above" in found.summary()


def test_a_crank_turns_until_its_piston_meets_the_stop():
    joints = [revolute("turn", "frame", "crank"), revolute("wrist", "crank", "rod", origin=Rigid(translation=[1, 0, 0])),
              prismatic("slide", "frame", "piston", axis=(1, 0, 0))]
    loop = loops.loop(loops.pin("rod", (3, 0, 0), "piston", (0, 0, 0)), driver="turn", near={"turn": 0, "wrist": 0, "slide": 4})
    engine = Chain({"piston": primitives.ball(R(1, 4))}, joints, loops=[loop])
    found = collide.joint_travel(engine, "turn", {"turn": 3}, [primitives.ball(R(1, 4), (R(17, 4), 0, 0))], limits=(0, 7))
    true = math.acos((1 + 3.75**2 - 9) / 7.5)
    for stop, value in zip(found.stops, (true, 2 * math.pi - true), strict=True):
        assert stop.lo - 1e-12 <= value <= stop.hi + 1e-12 and stop.hi - stop.lo < 1e-9


@pytest.mark.parametrize("make, message", [
    (lambda: collide.joint_travel(LEVER, "hinge", {"hinge": 1}), "takes a generative.Chain"),
    (lambda: collide.joint_travel(hinge(), "elbow", {"hinge": 1}), "one of hinge, and takes all their values, got 'elbow'"),
    (lambda: collide.joint_travel(hinge(), "hinge", {"hinge": 1}), r"has no limits: give limits=\(lo, hi\)"),
    (lambda: collide.joint_travel(hinge(), "hinge", {"hinge": 1}, limits=(2, 3)), r"starts at 1, outside of its limits \(2, 3\)"),
])
def test_bad_questions_are_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()
