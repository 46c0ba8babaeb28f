"""Answers by robot against closed forms: links, joint values at contacts, and where the margin is least along a path."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status
from generative import Chain, Parameter, ParametricSurface, Rigid, primitives, prismatic, revolute, solids, t, u, v

R = sp.Rational
TURN = {"turn": t, "slide": R(1, 2)}


def arm(name):
    """A ball of radius 1/4 at (2 + slide, 0, 0), turned about z, and a second one at its root."""
    hand = solids.sphere(R(1, 4))
    return Chain({f"{name} base": hand, f"{name} hand": hand}, [
        revolute("turn", f"{name} base", f"{name} arm"),
        prismatic("slide", f"{name} arm", f"{name} hand", axis=(1, 0, 0), origin=Rigid(translation=[2, 0, 0]))])


def wall(y):
    return ParametricSurface([u, y, v], {u: (-5, 5), v: (-5, 5)}, name="wall")


def test_a_contact_names_link_and_joint_values():
    """The hand meets the wall y = 1 where 5/2 sin t + 1/4 = 1."""
    robot = arm("left")
    found = collide.first_contact([*robot.at(TURN), wall(1)], (0, 1), ignore=robot.ignore)
    states = found.by_robot({"left": (robot, TURN)})["left"]
    assert found.status is Status.CONTACT and len(states) == 1
    met, when = states[0], math.asin(0.3)
    assert (met.link, met.body, met.other, met.row, met.distance) == ("left hand", "left hand", "wall", 0, (0, 0))
    assert met.time.lo - 1e-15 <= when <= met.time.hi + 1e-15 and met.joints["slide"] == (0.5, 0.5)
    assert met.joints["turn"].lo - 1e-15 <= when <= met.joints["turn"].hi + 1e-15 and met.joints["turn"].width < 1e-6
    assert np.allclose(met.point, [2.5 * math.cos(when), 1, 0], atol=1e-5)
    assert "left hand and wall at t = 0.304" in repr(met)
    located = replace(found, existence=np.array([False]), proved=np.array([False]), status=Status.UNRESOLVED)
    assert located.by_robot({"left": (robot, TURN)})["left"][0].distance == (0, math.inf)


def test_a_contact_of_two_robots_is_one_of_both():
    """Hands meet at (5/2, 0) between roots 5 apart, where both come back to the line: 5 - 2 (2 + s) = 1/2 for s = 1/4."""
    left, right = arm("left"), arm("right")
    first, second = {"turn": 0, "slide": t / 8}, {"turn": sp.pi, "slide": t / 8}
    bodies = [*left.at(first), *right.at(second, base=Rigid(translation=[5, 0, 0]))]
    found = collide.first_contact(bodies, (0, 3), ignore=[*left.ignore, *right.ignore])
    states = found.by_robot({"left": (left, first), "right": (right, second)})
    assert [len(own) for own in states.values()] == [1, 1]
    for robot, own in states.items():
        assert own[0].link == f"{robot} hand" and own[0].joints["slide"].lo - 1e-9 <= 0.25 <= own[0].joints["slide"].hi + 1e-9
        assert np.allclose(own[0].point, [2.5, 0, 0], atol=1e-6)
    assert states["left"][0].other == "right hand" and states["right"][0].joints["turn"].width < 1e-14


def test_joint_errors_are_those_of_the_worst_case():
    """Slide 1/2 + e: met earliest for the largest e, at sin t = 3/4 / (5/2 + e)."""
    e, robot = Parameter("e"), arm("left")
    values = {"turn": t, "slide": R(1, 2) + e}
    found = collide.first_contact([*robot.at(values), wall(1)], (0, 1), ignore=robot.ignore, parameters={e: (-R(1, 8), R(1, 8))})
    (met,) = found.by_robot({"left": (robot, values)})["left"]
    when = math.asin(0.75 / 2.625)
    assert met.joints["slide"].lo <= 0.625 <= met.joints["slide"].hi and met.joints["slide"].width < 1e-6
    assert met.joints["turn"].lo - 1e-12 <= when <= met.joints["turn"].hi + 1e-12


def test_the_least_margin_along_a_path_has_its_joint_values():
    """The hand is 13/4 - 5/2 cos(t - 1) - 1/4 from the plane x = 13/4, least at t = 1: 1/2."""
    robot = arm("left")
    values = {"turn": t - 1, "slide": R(1, 2)}
    plane = ParametricSurface([R(13, 4), u, v], {u: (-5, 5), v: (-5, 5)}, name="plane")
    bodies = [robot.at(values)[1], plane]
    profile = collide.clearance_profile(bodies, (0, 3), 6)
    states = profile.by_robot({"left": (robot, values)})["left"]
    assert [s.row for s in states] == list(range(6)) and {s.link for s in states} == {"left hand"}
    for state, (lo, hi) in zip(states, [(k / 2, (k + 1) / 2) for k in range(6)], strict=True):
        nearest = min(max(1.0, lo), hi)
        assert state.distance.lo - 1e-12 <= 3.25 - 2.5 * math.cos(nearest - 1) - 0.25 <= state.distance.hi + 1e-12
    least = min(states, key=lambda s: s.distance.lo)
    assert abs(least.joints["turn"].midpoint) < 0.1 and least.distance.lo <= 0.5 <= least.distance.hi
    clear = collide.clearance(bodies, (0, 3))
    (state,) = clear.by_robot({"left": (robot, values)})["left"]
    assert state.joints["turn"].lo <= 1e-6 and state.joints["turn"].hi >= -1e-6 and state.joints["turn"].width < 1e-3
    assert np.allclose(state.point, [2.75, 0, 0], atol=1e-3)


def test_a_distance_at_a_moment_and_poses_without_a_time():
    robot, angle = arm("left"), Parameter("angle")
    here, still = {"turn": t, "slide": 0}, {"turn": angle, "slide": 0}
    hand = robot.at(here)[1]
    (state,) = collide.distance(hand, primitives.ball(1).moved(Rigid(translation=[0, 5, 0])), at=1).by_robot({"a": (robot, here)})["a"]
    assert state.joints["turn"] == (1, 1) and state.other == "body 1"
    found = collide.clearance([robot.at(still)[1], wall(3)], parameters={angle: (0, R(1, 2))})
    (state,) = found.by_robot({"a": (robot, still)})["a"]
    assert state.joints["turn"].lo <= 0.5 <= state.joints["turn"].hi and state.time == (0, 0)


def test_what_is_refused():
    robot = arm("left")
    found = collide.clearance([*robot.at(TURN), wall(4)], (0, 1), ignore=robot.ignore)
    with pytest.raises(ValueError, match=r"robots are given as \{name: \(chain, values of its joints\)\}, got"):
        found.by_robot({"left": robot})
    with pytest.raises(ValueError, match="no body that was asked about is one of robot right, whose bodies are right base, right hand"):
        found.by_robot({"right": (arm("right"), TURN)})
    with pytest.raises(ValueError, match='several bodies of robots are called "left base"'):
        found.by_robot({"one": (robot, TURN), "two": (robot, TURN)})
    with pytest.raises(ValueError, match="the values of a chain are one for each of its joints"):
        found.by_robot({"left": (robot, {"turn": t})})
