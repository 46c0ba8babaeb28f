"""Enclosed values of joints at a time against Arb and exact rationals, and what is refused."""

from fractions import Fraction

import flint
import numpy as np
import pytest
import sympy as sp

from generative import Chain, Parameter, fit, prismatic, revolute, solids, t

R = sp.Rational
BALL = solids.sphere(1)
CHAIN = Chain({"arm": BALL, "hand": [BALL, BALL.named("thumb")]},
              [revolute("turn", "base", "arm"), prismatic("slide", "arm", "hand"),
               revolute("follower", "base", "wheel", follows=("turn", -2, R(1, 3)))])


def test_values_at_a_time_enclose_those_of_arb():
    found = CHAIN.joint_values_at({"turn": sp.sin(t), "slide": sp.exp(-t)}, R(1, 3))
    with flint.ctx.workprec(200):
        third = flint.arb(1) / 3
        true = {"turn": third.sin(), "slide": (-third).exp(), "follower": third - 2 * third.sin()}
        assert list(found) == ["turn", "slide", "follower"]
        for name, (lo, hi) in found.items():
            assert flint.arb(lo) < true[name] < flint.arb(hi) and hi - lo < 1e-14


def test_values_in_a_span_enclose_each_of_them():
    samples = np.array([[0.0, 1.0], [1.0, -2.0], [3.0, 0.5], [2.5, 1.0]])
    turn, slide = fit.joint_motion(range(4), samples).value
    found = CHAIN.joint_values_at({"turn": turn, "slide": slide}, np.array([0.75, 1.25]))
    assert found["turn"].lo <= 1 <= found["turn"].hi
    # The cubic through four samples, in rationals (the spline without knots at the second and last but one sample is that cubic).
    for name, column in zip(("turn", "slide"), samples.T, strict=True):
        cubic = sp.interpolate([*zip(range(4), map(R, column.tolist()), strict=True)], t)
        for time in (R(3, 4), 1, R(9, 8), R(5, 4)):
            value = Fraction(str(cubic.subs(t, time)))
            assert Fraction(found[name].lo) - Fraction(1, 10**14) <= value <= Fraction(found[name].hi) + Fraction(1, 10**14)
        assert found[name].width < 4


def test_constant_values_are_exact_and_chains_without_joints_have_none():
    assert CHAIN.joint_values_at({"turn": 0.1, "slide": 2}, 7)["turn"] == (0.1, 0.1)
    assert Chain({"one": BALL}, []).joint_values_at({}, (0, 1)) == {}


@pytest.mark.parametrize("time", [None, (1, 0), float("nan"), (float("nan"), 1), sp.oo, t, sp.I, "1", ("1", "2"), (0, 1, 2)])
def test_a_time_is_finite_and_in_order(time):
    with pytest.raises(ValueError, match="a finite time, or from a first to a last one, got"):
        CHAIN.joint_values_at({"turn": t, "slide": 0}, time)


def test_what_has_no_value_is_refused_by_the_name_of_the_joint():
    with pytest.raises(ValueError, match="joint slide is not proved to have a value"):
        CHAIN.joint_values_at({"turn": t, "slide": sp.sqrt(t)}, (-1, R(-1, 2)))
    with pytest.raises(ValueError, match="got the parameter a;"):
        CHAIN.joint_values_at({"turn": Parameter("a") * t, "slide": 0}, 1)


def test_bodies_know_their_links():
    assert [CHAIN.link_of(b.name) for b in CHAIN.at({"turn": 0, "slide": 0})] == ["arm", "hand", "hand"]
    with pytest.raises(ValueError, match="bodies of this chain are arm, hand 0, hand thumb; 'table' is none"):
        CHAIN.link_of("table")
