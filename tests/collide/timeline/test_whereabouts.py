"""Candidate regions never leave out the nearest parts: distances known in closed form."""

from typing import Any

import numpy as np
import pytest
import sympy as sp

import collide
from collide import DistanceStatus
from collide.bodies.parts import parts_of
from generative import Rigid, primitives, t

# A block with a bite out of it: at x > 0 it is the block alone.
BODY = primitives.block([2, 3, 4]) - primitives.ball(1).moved(Rigid(translation=[-1, -1, -2]))
BALL = primitives.ball(sp.Rational(1, 4))


def at(*place: Any) -> Any:
    return BALL.moved(Rigid(translation=[sp.sympify(e) for e in place]))


@pytest.mark.parametrize(("place", "nearest", "feature"), [
    ((3, sp.Rational(1, 3), sp.Rational(1, 4)), (1, 1 / 3, 1 / 4), "face"),
    ((3, 3, sp.Rational(1, 4)), (1, 3 / 2, 1 / 4), "edge"),
    ((3, 2, sp.Rational(7, 2)), (1, 3 / 2, 2), "vertex"),
])
def test_the_nearest_part_is_found_among_hundreds(place: Any, nearest: tuple[float, ...], feature: str) -> None:
    assert len(parts_of(BODY)) > 100
    answer = collide.distance(BODY, at(*place))
    exact = float(np.linalg.norm(np.array(place, float) - nearest)) - 0.25
    assert answer.status is DistanceStatus.MEASURED and answer.bracket.lo - 1e-12 <= exact <= answer.bracket.hi + 1e-12
    assert answer.unique.tolist() == [True] and np.allclose(answer.points[0, 0], nearest, atol=1e-6)
    assert answer.features[0][0].startswith(feature)


def test_of_a_span_of_time_the_moment_is_found_too() -> None:
    """A ball that flies by a corner: nearest at t = 3/4, where it is at (2, 5/2, 3)."""
    late = 4 * (t - sp.Rational(3, 4))
    answer = collide.clearance([BODY, at(2 + late, sp.Rational(5, 2) - late, 3)], time=(0, 1))
    exact = 3**0.5 - 0.25
    assert answer.status is DistanceStatus.MEASURED and answer.bracket.lo - 1e-12 <= exact <= answer.bracket.hi + 1e-12
    assert answer.unique.tolist() == [True]
    assert np.allclose(answer.times[0], 0.75, atol=1e-6) and np.allclose(answer.points[0, 0], [1.0, 1.5, 2.0], atol=1e-6)


def test_bodies_of_many_parts_that_meet_are_said_to() -> None:
    assert collide.distance(BODY, at(1, sp.Rational(3, 2), 2)).status is DistanceStatus.MEETING


def test_of_several_pairs_the_one_that_meets_is_told_and_else_the_nearest_one() -> None:
    """A second block like it, and a ball: it flies into the first block, or between both, from 1/64 and 1/128 away from their
    sides 1/256 nearer to the second."""
    other = BODY.moved(Rigid(translation=[4, 0, 0]))
    meeting = collide.clearance([BODY, other, at(2 - 2 * t, sp.Rational(1, 3), sp.Rational(1, 4))], time=(0, 1))
    assert meeting.status is DistanceStatus.MEETING and meeting.pairs.tolist() == [[0, 2]]
    sides = [BODY, other.moved(Rigid(translation=[sp.Rational(-2) + sp.Rational(1, 2) + sp.Rational(3, 128), 0, 0])),
             at(1 + sp.Rational(1, 4) + sp.Rational(1, 64) + t / 64, sp.Rational(1, 3), sp.Rational(1, 4))]
    near = collide.clearance(sides, time=(0, sp.Rational(1, 4)))
    assert near.status is DistanceStatus.MEASURED and near.bracket.lo <= 1 / 256 <= near.bracket.hi
    assert {tuple(pair) for pair in near.pairs.tolist()} == {(1, 2)}
