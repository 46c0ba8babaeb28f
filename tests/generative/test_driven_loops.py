"""Closed chains that several joints drive (`driven_loops`), against closed forms of their mechanisms."""

import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from generative import Chain, Parameter, Rigid, loops, prismatic, revolute, solids, t
from tests.generative.test_loops import BAR, R, at, holds


def five_bar(couplers, near, bodies=None, **options):
    """Cranks of length 1 at 0 and at 2 on the x axis, and couplers whose ends are pinned to each other."""
    joints = [revolute("left", "ground", "A"), revolute("elbow", "A", "B", origin=at(1, 0, 0)),
              revolute("right", "ground", "C", origin=at(2, 0, 0)), revolute("wrist", "C", "D", origin=at(1, 0, 0))]
    pin = loops.pin("B", (couplers, 0, 0), "D", (couplers, 0, 0))
    return Chain(bodies or {"A": BAR, "B": BAR}, joints, loops=[loops.loop(pin, driver=("left", "right"), near=near, **options)])


def tip(couplers, left, right):
    """The ends p and q of the cranks, and the point above them where the couplers meet, as complex numbers."""
    p, q = mpmath.expj(left), 2 + mpmath.expj(right)
    apart = q - p
    return p, q, (p + q) / 2 + 1j * apart / abs(apart) * mpmath.sqrt(couplers**2 - abs(apart) ** 2 / 4)


NEAR = {"left": 2, "right": 1, "elbow": R(-6, 5), "wrist": 1}


def test_a_five_bar_with_two_motors_moves_as_its_closed_form():
    chain = five_bar(2, NEAR, span=(-1, 3))
    assert chain.values == ("left", "right") and chain.loops[0].drivers == ("left", "right")
    values = chain.joint_values({"left": 2 + sp.sin(t) / 2, "right": R(5, 4) + t / 4})

    def elbow(s):
        left, right = 2 + mpmath.sin(s) / 2, mpmath.mpf(5) / 4 + s / 4
        p, _, meets = tip(2, left, right)
        return mpmath.arg((meets - p) / mpmath.expj(left))

    def wrist(s):
        left, right = 2 + mpmath.sin(s) / 2, mpmath.mpf(5) / 4 + s / 4
        _, q, meets = tip(2, left, right)
        return mpmath.arg((meets - q) / mpmath.expj(right))

    times = np.linspace(-1, 3, 9)
    holds(values["elbow"], elbow, times)
    holds(values["wrist"], wrist, times)


def test_numbers_for_all_motors_are_a_pose():
    chain = five_bar(2, NEAR)
    found = chain.joint_values_at({"left": R(5, 2), "right": R(1, 2)}, 0)
    with mpmath.workdps(30):
        left = mpmath.mpf(5) / 2
        p, _, meets = tip(2, left, mpmath.mpf(1) / 2)
        true = mpmath.arg((meets - p) / mpmath.expj(left))
        assert found["elbow"].lo <= true <= found["elbow"].hi and found["elbow"].hi - found["elbow"].lo < 1e-12
    assert chain.joint_values_at({"left": 2, "right": 1}, 0)["elbow"].lo == pytest.approx(-1.28418178692841)


def test_dead_points_between_two_motors_are_named():
    """The ends of the cranks are 2 + 2 cos(a) apart, and couplers of 3/2 reach 3: up to a = pi/3."""
    near = {"left": sp.pi - R(3, 2), "right": R(3, 2), "elbow": R(-4, 5), "wrist": R(4, 5)}
    angle = R(3, 2) - t / 2
    chain, last = five_bar(R(3, 2), near, span=(0, 2)), 3 - 2 * sp.pi / 3
    with pytest.raises(ValueError, match=r"not proved regular over its span, where t goes from 0 to 2, but .*: dead point at t = ") as told:
        chain.joint_values({"left": sp.pi - angle, "right": angle})
    assert float(str(told.value).split("dead point at t = ")[1].split(" ")[0]) == pytest.approx(float(last), abs=1e-12)
    with pytest.raises(ValueError, match=r"on the straight way from its assembly, where the share of the way goes from 0 to 1, but"):
        chain.joint_values({"left": sp.pi - R(1, 2), "right": R(1, 2)})
    assert five_bar(R(3, 2), near, span=(0, R(9, 10))).joint_values({"left": sp.pi - angle, "right": angle})


def test_two_legs_in_the_plane_carry_a_point():
    """Legs from (0, 0) and (3, 0) whose lengths are given: their ends meet at x = (9 + a^2 - b^2)/6."""
    joints = [revolute("one", "ground", "A"), prismatic("first leg", "A", "B", axis=(1, 0, 0)),
              revolute("two", "ground", "C", origin=at(3, 0, 0)), prismatic("second leg", "C", "D", axis=(1, 0, 0))]
    near = {"first leg": 2, "second leg": 2, "one": R(7, 10), "two": R(12, 5)}
    loop = loops.loop(loops.pin("B", (0, 0, 0), "D", (0, 0, 0)), driver=("first leg", "second leg"), near=near, span=(0, 1))
    chain = Chain({"A": BAR}, joints, loops=[loop])
    values = chain.joint_values({"first leg": 2 + t / 2, "second leg": 2 + t**2})

    def angle(s):
        a, b = 2 + s / 2, 2 + s**2
        x = (9 + a**2 - b**2) / 6
        return mpmath.acos(x / a)

    holds(values["one"], angle, np.linspace(0, 1, 5))


def test_first_contact_of_what_two_motors_move():
    """The tip, a ball of radius 1/8, comes down on a ball below it as the motors turn apart alike: the tip stays at x = 1."""
    ball = solids.sphere(R(1, 8)).moved(Rigid(translation=[2, 0, 0]))
    near = {"left": sp.pi - R(3, 2), "right": R(3, 2), "elbow": R(-11, 10), "wrist": R(11, 10)}
    chain = five_bar(2, near, {"B": ball})
    angle = R(3, 2) - t
    (moving,) = chain.at({"left": sp.pi - angle, "right": angle})
    low = solids.sphere(R(1, 8)).moved(Rigid(translation=[1, R(3, 2), 0]))
    found = collide.first_contact([moving, low], (0, R(3, 2)))

    def apart(s):
        a = mpmath.mpf(3) / 2 - s
        return mpmath.sin(a) + mpmath.sqrt(4 - (1 + mpmath.cos(a)) ** 2) - mpmath.mpf(7) / 4

    with mpmath.workdps(30):
        true = mpmath.findroot(apart, (0.5, 1.2), solver="bisect")
        assert found.time.lo <= true <= found.time.hi and found.time.hi - found.time.lo < 1e-9


def test_what_several_motors_cannot_do_is_refused():
    with pytest.raises(ValueError, match=r"numbers or formulas of t alone; substitute a number for speed"):
        five_bar(2, NEAR).joint_values({"left": 2 + Parameter("speed") * t, "right": 1})
    with pytest.raises(ValueError, match=r"has 2 closing equations for 1 joints that follow"):
        loop = loops.loop(loops.pin("B", (2, 0, 0), "D", (2, 0, 0)), driver=("left", "right", "elbow"), near=NEAR)
        Chain({"A": BAR}, five_bar(2, NEAR).joints, loops=[loop])
    with pytest.raises(ValueError, match="near gives values of the driving joint"):
        loops.loop(loops.pin("B", (2, 0, 0), "D", (2, 0, 0)), driver=("left", "other"), near=NEAR)
