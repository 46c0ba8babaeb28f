"""`joint_travel` against closed forms: a lever between balls, and a slider-crank whose piston meets a stop."""

import math

import pytest
import sympy as sp

import collide
from generative import Chain, Rigid, curve, loops, plane, primitives, prismatic, revolute, sweep, t

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


def test_bodies_that_begin_inside_each_other_are_not_called_free():
    """A ball of radius 1/4 leaves one of radius 1: their surfaces, apart at the start, cross from s = 3/4 to 5/4."""
    slider = Chain({"slide": primitives.ball(R(1, 4))}, [prismatic("s", "base", "slide", axis=(1, 0, 0), limits=(-5, 5))])
    found = collide.joint_travel(slider, "s", {"s": 0}, [primitives.ball(1), primitives.ball(R(1, 4), (3, 0, 0)).named("stop")])
    assert found.status is collide.Status.UNRESOLVED and found.free == (0, 0)
    assert found.not_apart == {(0, 1): collide.Start.OVERLAPPING}
    assert "No range of joint s is proved free: bodies slide and 1 are overlapping at the start" in found.summary()
    assert found.stops[1].lo <= 2.5 <= found.stops[1].hi


def test_a_lever_that_overlaps_a_ball_at_the_start_is_not_called_free():
    found = collide.joint_travel(hinge(limits=(-1, 3)), "hinge", {"hinge": 0}, [primitives.ball(R(1, 4), (1, 0, 0))])
    assert found.status is collide.Status.UNRESOLVED and found.free == (0, 0) and list(found.not_apart) == [(0, 1)]
    assert "proved free from" not in found.summary() and "UNRESOLVED" in repr(found)


def test_bodies_at_rest_may_come_from_a_generator():
    """Two balls in one place are at rest: they are not asked about against each other."""
    balls = [primitives.ball(R(1, 4), (1, 0, 0))] * 2
    found = collide.joint_travel(hinge(), "hinge", {"hinge": 1}, (b for b in balls), limits=(1, 2))
    assert found.status is collide.Status.NO_CONTACT and found.free == (1, 2) and not found.not_apart


@pytest.mark.parametrize("make, message", [
    (lambda: collide.joint_travel(LEVER, "hinge", {"hinge": 1}), "takes a generative.Chain"),
    (lambda: collide.joint_travel(hinge(), "elbow", {"hinge": 1}), "one of hinge, and takes all their values, got 'elbow'"),
    (lambda: collide.joint_travel(hinge(), "hinge", {"hinge": 1}), r"has no limits: give limits=\(lo, hi\)"),
    (lambda: collide.joint_travel(hinge(), "hinge", {"hinge": 1}, limits=(2, 3)), r"starts at 1, outside of its limits \(2, 3\)"),
    (lambda: collide.joint_travel(hinge(), "hinge", {"hinge": 1}, [LEVER, plane.disc(1 + t).named("fly")], limits=(1, 2)),
     r'body 1 \("fly"\) of others moves or deforms with t'),
    (lambda: collide.joint_travel(hinge(), "hinge", {"hinge": 1}, [primitives.ball(1).moved(Rigid(translation=[0, 0, t]))], limits=(1, 2)),
     "body 0 of others moves or deforms with t"),
])
def test_bad_questions_are_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()
