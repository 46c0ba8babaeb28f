"""Pairs kept apart in many rows at once: random arms against dense samples of forward kinematics in doubles, and closed forms."""

from itertools import combinations

import numpy as np
import pytest
import sympy as sp

from collide.culling.core_contacts import rows_decided
from collide.culling.poses_apart import cover_of
from generative import Chain, Parameter, ParametricSurface, Rigid, Screw, primitives, revolute, solids, t, u, v
from tests.arms import arm, gaps

R = sp.Rational
SPAN = np.array([0.0, 1.0])


def pairs_apart(bodies, pairs, symbols, rows, span):
    return rows_decided(bodies, pairs, symbols, rows, span, 1e-6).apart


BEGIN, WAY = ([Parameter(f"{name}{k}") for k in range(6)] for name in ("a", "b"))


@pytest.mark.parametrize("seed", [1, 4])
def test_random_arms(seed):
    """No row with a sampled gap below 0 is called apart; all but a few with one beyond 1/16 are."""
    made, count = arm(seed), 40
    bodies = made.chain.at({f"joint {k}": a + b * t for k, (a, b) in enumerate(zip(BEGIN, WAY, strict=True))})
    rows = np.random.default_rng(seed).normal(size=(count, 12))
    pairs = np.array([pair for pair in combinations(range(6), 2) if pair[1] > pair[0] + 1])
    apart = pairs_apart(bodies, pairs, [*BEGIN, *WAY], rows, SPAN)
    least = np.stack([gaps(made, np.stack([row[:6], row[6:]], axis=1), np.linspace(0, 1, 400))[0].min(axis=1) for row in rows])
    assert not (apart & (least <= 0)).any()
    assert (least <= 0).any() and (apart | (least < 1 / 16)).mean() > 0.97


def test_each_row_by_itself():
    """The bits of a row are the same alone and among others."""
    made = arm(2)
    bodies = made.chain.at({f"joint {k}": a + b * t for k, (a, b) in enumerate(zip(BEGIN, WAY, strict=True))})
    rows, pairs = np.random.default_rng(7).normal(size=(12, 12)), np.array([(0, 2), (1, 4), (0, 5)])
    whole = pairs_apart(bodies, pairs, [*BEGIN, *WAY], rows, SPAN)
    for k, row in enumerate(rows):
        assert (pairs_apart(bodies, pairs, [*BEGIN, *WAY], row[None], SPAN)[0] == whole[k]).all()


def test_what_lasts_a_moment_between_samples():
    """A ball that comes back in a hundredth of the span: it meets the other where its height, 2 - 3 exp(-(200 (t - 1/3))^2), is below 1."""
    height = 2 - WAY[0] * sp.exp(-(200 * (t - R(1, 3))) ** 2)
    ball = solids.sphere(R(1, 2))
    bodies = [ball, ball.moved(Rigid(translation=[0, 0, height]))]
    apart = pairs_apart(bodies, np.array([[0, 1]]), WAY[:1], np.array([[3.0], [0.5], [1.01]]), SPAN)
    assert apart[:, 0].tolist() == [False, True, False]


def test_a_place_that_differs_in_each_row():
    """A body at rest is elsewhere in each row: spheres of radius 1/2, whose centres are so far from each other."""
    ball = solids.sphere(R(1, 2))
    bodies, far = [ball, ball.moved(Rigid(translation=[0, WAY[0], 0]))], np.array([[0.5], [1.5], [0.9], [-2.0], [1.0]])
    assert pairs_apart(bodies, np.array([[0, 1]]), WAY[:1], far, SPAN)[:, 0].tolist() == [False, True, False, True, False]


def test_motions_that_jump_are_not_known():
    """The floor of 2 t + 1/2 is 1 in the middle half: a derivative of 0 says nothing of it."""
    ball, jump = solids.sphere(R(1, 2)), 3 - 3 * sp.floor(2 * t + R(1, 2)) + WAY[0]
    bodies = [ball, ball.moved(Rigid(translation=[0, 0, jump]))]
    assert not pairs_apart(bodies, np.array([[0, 1]]), WAY[:1], np.array([[0.0]]), SPAN).any()


def test_what_is_not_looked_at_and_what_turns_with_the_other():
    ball, wave = primitives.ball(R(1, 2)), ParametricSurface([u, v, t * u], {u: (-1, 1), v: (-1, 1)})
    sized = ParametricSurface([BEGIN[0] * u, v, 0], {u: (-1, 1), v: (-1, 1)})
    assert cover_of(ball) is cover_of(wave) is cover_of(sized) is None
    far = solids.sphere(R(1, 2)).moved(Rigid(translation=[0, 0, 9]))
    bodies = [ball, wave, sized, far]
    assert not pairs_apart(bodies, np.array([(0, 3), (1, 3), (2, 3)]), BEGIN[:1], np.ones((2, 1)), SPAN).any()
    turn = Screw([0, 0, 1], angle=1000 * BEGIN[0] * t)
    rod = [solids.capsule(R(1, 4), 1).moved(Rigid(translation=[k, 0, 0])).moved(turn) for k in (0, 1)]
    assert pairs_apart(rod, np.array([(0, 1)]), BEGIN[:1], np.ones((1, 1)), SPAN).all()


def test_covers_hold_surfaces():
    rng = np.random.default_rng(0)
    for body in (solids.capsule(R(1, 8), 2), solids.box((1, 2, 5)), solids.cylinder(1, 4), solids.sphere(2)):
        cover = cover_of(body)
        for face in body.faces:
            at = [rng.uniform(float(lo), float(hi), 300) for lo, hi in (face.domain[u], face.domain[v])]
            points = np.stack(np.broadcast_arrays(*(sp.lambdify((u, v), e, "numpy")(*at) for e in face.body)), axis=1)
            inside = np.linalg.norm(points[:, None] - cover.centres, axis=2) <= cover.radii * (1 + 1e-12)
            assert inside.any(axis=1).all()


def test_all_that_is_within_reach_of_a_turn():
    """A link of length 1 that turns by a whole turn passes what is near its circle, and nothing else; by half a turn, what is behind."""
    link = solids.capsule(R(1, 16), 1).moved(Rigid(rotation=[[0, 0, 1], [0, 1, 0], [-1, 0, 0]]))
    (swung,) = Chain({"link": link}, [revolute("turn", "base", "link")]).at({"turn": 2 * sp.pi * t * WAY[0]})
    posts = [solids.sphere(R(1, 16)).moved(Rigid(translation=[0, -x, 0])) for x in (1, R(9, 8), R(3, 2))]
    apart = pairs_apart([swung, *posts], np.array([(0, k) for k in (1, 2, 3)]), WAY[:1], np.array([[1.0], [0.5]]), SPAN)
    assert apart.tolist() == [[False, False, True], [True, True, True]]
