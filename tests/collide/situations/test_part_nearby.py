"""Parts of bodies of many leaves, with conditions on the leaves in doubt near them alone."""

import functools
import math

import numpy as np
import pytest
import sympy as sp

from collide import Status, first_contact
from collide.bodies.implicit_parts import implicit_parts
from collide.bodies.numbers import numbers_of
from collide.situations import part_nearby, presence
from collide.situations.part_nearby import nearby
from generative import Rigid, axis_angle, t, x, y, z
from generative.combination import Combination
from generative.family import member_of
from generative.primitives import ball, block
from tests.benchmarks.assembly_scenes import geneva
from tests.collide.contact_scenes import Q, sphere
from tests.sampled.drawn import combined

DIMPLE, BALL, ASIDE = Q(3, 10), Q(2, 5), Q(1, 8)


@functools.cache
def plate():
    """24 round dimples in the upper side, z = 0, of a plate: 30 leaves in 25 frames."""
    whole = block((6, 4, 1)).moved(Rigid(translation=[0, 0, -Q(1, 2)]))
    for i in range(6):
        for j in range(4):
            turn = axis_angle([1, 2, 3], Q(i + j, 5))
            whole = whole - ball(DIMPLE).moved(Rigid(rotation=turn, translation=[i - Q(5, 2), j - Q(3, 2), 0]))
    return whole


def rim():
    """When a ball that falls over a dimple, beside its centre, meets the rim: what is nearest is nearest to the centre of the ball."""
    answer = first_contact([sphere(BALL).moved(Rigid(translation=[Q(1, 2) + ASIDE, Q(1, 2), 1 - t])), plate()], time=(0, 1))
    truth = 1 - math.sqrt(BALL**2 - (DIMPLE - ASIDE) ** 2)
    met = answer.status is Status.CONTACT and answer.time.lo <= truth * (1 + 1e-14) and truth * (1 - 1e-14) <= answer.time.hi
    return met, answer


def test_a_ball_meets_the_rim_of_one_of_24_dimples():
    assert len(plate().leaves) == 30
    met, answer = rim()
    assert met and answer.proved.tolist() == [True]
    assert np.allclose(answer.points[0], [0.8, 0.5, 0.0], atol=1e-9)


def test_a_box_that_does_not_hold_its_part_is_seen_in_the_answer(monkeypatch):
    part_nearby._nearby.cache_clear()
    monkeypatch.setattr(part_nearby, "roomy", lambda box, whole: np.stack([box[:, 0], box[:, 0] + (box[:, 1] - box[:, 0]) / 8], axis=1))
    try:
        assert not rim()[0]
    finally:
        part_nearby._nearby.cache_clear()


def test_round_a_point_there_is_room():
    at = np.repeat([[0.25], [-0.5], [1e-3]], 2, axis=1)
    box = part_nearby.roomy(at, np.array([[-1.0, 1.0]] * 3))
    assert (box[:, 0] < at[:, 0] - 1e-6).all() and (box[:, 1] > at[:, 1] + 1e-6).all()


def test_a_corner_of_a_block_is_proved_to_hit_a_body_of_many_leaves():
    cut = block((1, 1, 1)).moved(Rigid(translation=[0, 0, -Q(1, 2)]))
    for centre in ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)):
        cut = cut - ball(Q(3, 5)).moved(Rigid(translation=centre))
    turn = axis_angle([2, 1, 0], Q(3, 5))
    lowest = min(float(sp.N((turn * sp.Matrix([a, b, c]))[2], 20)) / 8 for a in (-1, 1) for b in (-1, 1) for c in (-1, 1))
    falling = block((Q(1, 4), Q(1, 4), Q(1, 4))).moved(Rigid(rotation=turn)).moved(Rigid(translation=[0, 0, 1 - t]))
    answer = first_contact([falling, cut], time=(0, 1))
    assert answer.status is Status.CONTACT and answer.proved.tolist() == [True]
    assert answer.time.lo <= 1 + lowest + 1e-15 and 1 + lowest - 1e-15 <= answer.time.hi and answer.time.hi - answer.time.lo < 1e-12


def test_a_pin_enters_a_slot_in_few_boxes():
    """The flat sides of pin and wheel lie in one plane: where they do not meet is seen by contracting boxes."""
    answer = geneva(1)()
    assert answer.status is Status.CONTACT and answer.iterations < 60_000


def level(body, at):
    """The function of a body where those of leaves have these values."""
    if not isinstance(body, Combination):
        return at[body]
    own = [level(child, at) for child in body.children]
    return np.min(own, axis=0) if body.operation == "union" else np.max(own, axis=0)


def on(piece, at):
    return np.all([level(b, at) >= 0 for b in piece.outside] + [level(b, at) <= 0 for b in piece.inside] + [np.ones(POINTS, bool)], axis=0)


POINTS = 400


@pytest.mark.parametrize("seed", [0, 1])
def test_in_its_box_a_part_is_on_the_surface_where_the_whole_tree_says_so(seed):
    """At drawn points of the boxes, of which the parts are found by functions of the leaves in doubles."""
    rng = np.random.default_rng([seed, 14])
    given = combined(rng, 10).body.moved(Rigid(rotation=axis_angle([0, 0, 1], t), translation=[t, 0, 0]))
    member = member_of(given)
    numbers, parts = numbers_of(member), implicit_parts(member.body)
    left = presence.without_absent(parts, numbers, (0.0, 1.0))
    looked = 0
    for k in rng.permutation(len(left))[:25]:
        part, near = left[k], nearby(left[k], numbers)
        if near is part:
            continue
        known = dict(numbers.pairs) | {t: sp.S.Zero}
        box = near.own.intervals[-6:, 0].reshape(3, 2)
        place = presence.where(part, numbers, (0.0, 0.0))
        assert (box[:, 0] <= place[:, 0]).all() and (place[:, 1] <= box[:, 1]).all()
        inside = rng.uniform(box[:, 0], box[:, 1], (POINTS, 3)).T
        world = sp.lambdify((x, y, z), [e.xreplace(known) for e in part.leaves[0].motion.apply((x, y, z))])(*inside)
        at = values(member.body.leaves, known, world)
        clear = np.min([np.abs(v) for v in at.values()], axis=0) > 1e-9
        # What is measured is so where the leaves of the part are 0.
        at |= {leaf: np.zeros(POINTS) for leaf in at if any(own.same_surface(leaf) for own in part.leaves)}
        whole = np.any([on(p, at) for p in part.pieces], axis=0)
        for leaf in part.leaves * (not part.sides):
            own = sp.lambdify((x, y, z), [e.xreplace(known) for e in leaf.coordinates])(*world)
            ends = ([float(e.xreplace(known)) for e in pair] for pair in leaf.bounds)
            whole &= np.all([(lo <= c) & (c <= hi) for c, (lo, hi) in zip(own, ends, strict=True)], axis=0)
        below, above = near.margin.bounds(inside.T, inside.T) if near.margin else (np.zeros(POINTS), np.zeros(POINTS))
        assert near.measured and ((above >= 0) == whole)[clear].all() and ((below >= 0) == whole)[clear].all()
        looked += 1
    assert looked > 5


def values(leaves, known, world):
    """Of each leaf, in the world."""
    return {leaf: np.broadcast_to(sp.lambdify((x, y, z), leaf.expression.xreplace(known))(*world), POINTS)
            for leaf in dict.fromkeys(leaves)}
