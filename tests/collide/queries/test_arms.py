"""Arms of capsules that move by polynomials, against the distances of their segments in doubles at many times."""

import numpy as np
import pytest
import sympy as sp

import collide
from generative import Chain, Rigid, fixed, primitives, prismatic, revolute, solids, t
from tests.arms import arm, gaps, polynomials, segment_distances, segments, values

TIMES = np.linspace(0, 1, 20001)
# Between two samples a gap closes no further than this: speeds of these arms are below it times 20,000.
STEP = 2e-3


def first_hits(made, coefficients):
    """The first sample at which two links that start apart overlap, or infinity; the least gap of these; and do all start apart?"""
    found, _ = gaps(made, coefficients, TIMES)
    apart = found[found[:, 0] > 0]
    hit = (apart <= 0).any(axis=0)
    return (TIMES[np.argmax(hit)] if hit.any() else np.inf), apart.min(initial=np.inf), len(apart) == len(found)


@pytest.mark.parametrize("joints, which, seed", [(4, 3, 0), (4, 3, 3), (5, 30, 0), (5, 31, 0), (6, 7, 2), (6, 1, 1)])
def test_an_arm_meets_itself_when_the_samples_say(joints, which, seed):
    made, coefficients = arm(which, joints), polynomials(seed, joints)
    answer = collide.first_contact(made.chain.at(values(coefficients)), time=(0, 1), ignore=made.chain.ignore, budget=60)
    first, gap, all_apart = first_hits(made, coefficients)
    assert answer.clear_until <= first
    if np.isfinite(first):
        assert answer.status.name == "CONTACT"
    if all_apart and answer.status.name == "CONTACT":
        assert gap < STEP and answer.time[0] <= first and (answer.time[1] >= first - 1e-4 or not np.isfinite(first))


def test_an_arm_meets_an_obstacle_when_the_samples_say():
    made, coefficients = arm(7, joints=3), polynomials(8, joints=3, degree=2)
    at = np.array([0.5, 0.25, 0.5])
    bodies = [*made.chain.at(values(coefficients)), solids.capsule(0.125, 0.5).moved(Rigid(translation=at.tolist()))]
    first, second = segments(made, coefficients, TIMES)
    ends = np.tile(at, (len(TIMES), 1)), np.tile(at + [0, 0, 0.5], (len(TIMES), 1))
    gap = np.min([segment_distances(first[k], second[k], *ends) - made.radii[k] - 0.125 for k in range(3)], axis=0)
    answer = collide.first_contact(bodies, time=(0, 1), ignore=made.chain.ignore, budget=60)
    assert gap[0] > 0 and (gap <= 0).any(), "the scene is one in which the arm comes to the obstacle"
    assert answer.status.name == "CONTACT" and answer.time[0] - 1e-4 <= TIMES[np.argmax(gap <= 0)] <= answer.time[1] + 1e-4
    # The point is on both capsules, in the world, and the normal is the direction from one axis to the other.
    k, point, moment = answer.pairs[0][0], np.asarray(answer.points[0]), np.array([np.mean(answer.time)])
    a, b = (e[k] for e in segments(made, coefficients, moment))
    zero = np.zeros((1, 3))
    for p, q, radius in ((a, b, made.radii[k]), (at[None], at[None] + [0, 0, 0.5], 0.125)):
        assert segment_distances(p, q, point + zero, point + zero + 1e-9)[0] == pytest.approx(radius, abs=1e-6)


def test_links_that_share_joints_are_seen_from_a_frame_that_moves_with_them():
    """Two links of a hand on an arm that turns fast: what they do to each other does not depend on the arm, nor does the answer."""
    finger, root = solids.capsule(0.125, 1), Rigid(translation=[3, 0, 0])
    joints = [revolute("arm", "base", "palm"), revolute("a", "palm", "left", axis=(0, 1, 0), origin=Rigid(translation=[-1, 0, 0])),
              revolute("b", "palm", "right", axis=(0, 1, 0), origin=Rigid(translation=[1, 0, 0]))]
    hand = Chain({"left": finger, "right": finger}, joints)
    answers = [collide.first_contact(hand.at({"arm": turn, "a": t, "b": -t}, base=root), time=(0, 1.5))
               for turn in (0, 5 * t + sp.Rational(1, 3))]
    # The tips, of radius 1/8 about (sin t - 1, 0, cos t), meet the mirror plane where sin t = 7/8.
    for answer in answers:
        assert answer.time[0] <= np.arcsin(0.875) + 1e-12 and answer.time[1] >= np.arcsin(0.875) - 1e-12
        assert np.ptp(answer.time) < 1e-6
    still, turning = (np.asarray(answer.points[0]) for answer in answers)
    angle = 5 * np.mean(answers[1].time) + 1 / 3
    away = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    assert still == pytest.approx([3, 0, np.cos(np.arcsin(0.875))], abs=1e-6)
    assert turning == pytest.approx([3, 0, 0] + away @ (still - [3, 0, 0]), abs=1e-6)
    normals = [np.asarray(answer.normals[0]) for answer in answers]
    assert abs(normals[1] @ away @ normals[0]) == pytest.approx(1, abs=1e-6)


def test_links_that_are_welded_are_at_rest():
    ball = primitives.ball(0.5)
    chain = Chain({"a": ball, "b": ball, "c": ball}, [revolute("j", "r", "a"), fixed("w", "a", "b", origin=Rigid(translation=[0.5, 0, 0])),
                                                      prismatic("s", "r", "c", origin=Rigid(translation=[0, 0, 3]))])
    answer = collide.first_contact(chain.at({"j": t, "s": -t}), time=(0, 3))
    # At t = 2 the ball comes down on the first one, and an eighth before on neither.
    assert np.array_equal(answer.pairs, [(0, 2)]) and answer.time[0] <= 2 <= answer.time[1]
