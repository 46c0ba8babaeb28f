"""`free_box`: boxes of joint angles that are free, against forward kinematics at samples."""

import numpy as np
import pytest
import sympy as sp

import collide
from generative import Chain, Parameter, Rigid, revolute, solids

R = sp.Rational
A, B = Parameter("a"), Parameter("b")
ACROSS = Rigid(rotation=[[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
LIMITS = {A: (-1, 1), B: (-1, 1)}


def scene():
    """Two bars of radius 1/16 in a plane, and a post through it at (3/2, 1)."""
    bar, end = solids.capsule(R(1, 16), 1).moved(ACROSS), Rigid(translation=[1, 0, 0])
    arm = Chain({"upper": bar, "lower": bar}, [revolute("a", "base", "upper"), revolute("b", "upper", "lower", origin=end)])
    post = solids.capsule(R(1, 8), 2).moved(Rigid(translation=[R(3, 2), 1, -1]))
    return [*arm.at({"a": A, "b": B}), post], arm.ignore


def gap(a, b):
    """How far the post is from both bars."""
    places = np.linspace(0, 1, 101)
    first = places[:, None] * [np.cos(a), np.sin(a)]
    second = first[-1] + places[:, None] * [np.cos(a + b), np.sin(a + b)]
    return np.linalg.norm(np.concatenate([first, second]) - [1.5, 1], axis=1).min() - 1 / 16 - 1 / 8


def test_all_samples_of_the_box_are_free_and_it_is_no_small_one():
    bodies, ignored = scene()
    found = collide.free_box(bodies, R(1, 20), start={A: 0, B: 0}, limits=LIMITS, ignore=ignored)
    (a, b), rng = (found.box[s] for s in (A, B)), np.random.default_rng(1)
    assert found.verdict is True and found.clearance.verdict is True
    assert min(gap(*at) for at in rng.uniform([a.lo, b.lo], [a.hi, b.hi], (200, 2))) >= 0.05 - 1e-3
    assert a.lo == -1.0 == b.lo and a.hi - a.lo > 1.2 and "are proved to keep" in found.summary()
    # With either side longer by a quarter it is not free.
    for more in ((0.25, 0), (0, 0.25)):
        assert min(gap(*at) for at in rng.uniform([a.lo, b.lo], [a.hi + more[0], b.hi + more[1]], (500, 2))) < 0.05


def test_a_start_that_is_not_free_is_no_box():
    bodies, ignored = scene()
    found = collide.free_box(bodies, R(1, 20), start={A: R(588, 1000), B: 0}, limits=LIMITS, ignore=ignored)
    assert found.verdict is False and found.asked == 1 and found.box[A].lo == found.box[A].hi and "proved not to keep" in found.summary()


def test_a_start_beyond_its_limits_is_refused():
    bodies, ignored = scene()
    with pytest.raises(ValueError, match="the start of a must be one number within its limits, got 2"):
        collide.free_box(bodies, 1, start={A: 2, B: 0}, limits=LIMITS, ignore=ignored)
