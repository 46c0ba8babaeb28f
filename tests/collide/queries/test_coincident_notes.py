"""Sentences about leaves that count as two surfaces though they are, or may be, one: in the answers of all queries, and only where due."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide.moment.pairs import Pairs
from collide.queries.coincident_notes import coincident_notes, may_be_proportional
from collide.queries.rows import RowFamilies
from generative import Parameter, Rigid, axis_angle, primitives, t

Q = sp.Rational
FEW = collide.Budget(boxes=3000)
p = Parameter("p")


def box(lo, hi):
    return primitives.block([sp.S(b) - a for a, b in zip(lo, hi, strict=True)]).moved(
        Rigid(translation=[(sp.S(a) + b) / 2 for a, b in zip(lo, hi, strict=True)]))


BALL = primitives.ball(Q(1, 10)).moved(Rigid(translation=[Q(1, 2), Q(1, 2), 2 - t]))
LOWER = box((0, 0, 0), (1, 1, Q(1, 2)))
NEARLY = (box((0, 0, 0), (1, 1, Q(0.1) + Q(0.2))) | box((0, 0, Q(0.3)), (1, 1, 1))).named("wall")
SLIDING = LOWER | box((0, 0, Q(1, 2)), (1, 1, 1)).moved(Rigid(translation=[t, 0, 0]))
LIFTED = LOWER | box((2, 2, Q(1, 2)), (3, 3, 1)).moved(Rigid(translation=[0, 0, t - Q(1, 3)]))
HIGH = LOWER | box((0, 0, p), (1, 1, p + 1))
TURNED = box((-1, -1, 0), (1, 1, 1)) - box((-1, -1, Q(1, 2)), (1, 1, 1)).moved(Rigid(rotation=axis_angle([0, 0, 1], p)))


def notes(body, time=(0, 1), ranges=None):
    return " ".join(coincident_notes([BALL, body], time, ranges))


def test_each_kind_has_its_sentence():
    assert 'Body 1 ("wall") has leaves that are nearly one surface, 5 and 10 ' in notes(NEARLY)
    assert "Body 1 is taken as it is written" in notes(SLIDING) and "5 and 10" in notes(SLIDING)
    assert "may coincide at single moments" in notes(LIFTED) and "5 and 10" in notes(LIFTED)
    assert "5 and 10" not in notes(LIFTED, (Q(1, 2), 1))
    assert "5 and 10" in notes(HIGH, ranges={p: (Q(1, 4), 1)}) and notes(HIGH, ranges={p: (Q(3, 4), 1)}) == ""


@pytest.mark.parametrize("body", [BALL, LOWER, LOWER | box((0, 0, Q(1, 2)), (1, 1, 1)),
                                  LOWER | box((0, 0, Q(1, 2) + Q(1, 10**9)), (1, 1, 1)),
                                  (LOWER | box((2, 0, 0), (3, 1, 1))).moved(Rigid(rotation=axis_angle([1, 2, 3], t))),
                                  LOWER - primitives.ball(Q(1, 3)).moved(Rigid(translation=[0, 0, t]))])
def test_bodies_of_which_all_is_decided_have_none(body):
    assert notes(body) == ""


def test_answers_have_the_sentences():
    for answer in (collide.first_contact([BALL, NEARLY], (0, 2), budget=FEW), collide.distance(BALL, NEARLY, budget=FEW),
                   collide.clearance([BALL, NEARLY], (0, 1), budget=FEW), collide.contacts_during([BALL, NEARLY], (0, 1), budget=FEW)):
        assert any("nearly one surface" in note for note in answer.notes) and "nearly one surface" in answer.summary()
    ball = BALL.moved(Rigid(translation=[0, 0, p]))
    for batch in (collide.contact_batch, collide.clearance_batch):
        assert any("nearly one surface" in note for note in batch([ball, NEARLY], (0, 2), parameters={p: [0.0]}, budget=FEW).notes)
    ranges = {p: (Q(1, 4), 1)}
    for answer in (collide.first_contact([BALL, HIGH], (0, 2), parameters=ranges, budget=FEW),
                   collide.critical_value([BALL, HIGH], (0, 2), ranges, budget=FEW)):
        assert sum("single values of parameters" in note for note in answer.notes) == 1


def test_rows_in_which_an_angle_lets_leaves_coincide_are_regularized():
    ball = primitives.ball(Q(1, 10)).moved(Rigid(translation=[3 - 2 * t, 0, Q(3, 4)]))
    angles = {p: np.array([0.0, 0.5])}
    assert RowFamilies([ball, TURNED], (0, 3), (0.0, 3.0), angles, Pairs(2)).coincident.tolist() == [True, False]
    assert not collide.contact_batch([ball, TURNED], (0, 3), parameters=angles).hit.any()


def test_values_that_are_proportional_are_never_excluded():
    rng = np.random.default_rng(5)
    first = rng.normal(size=(200, 1, 5))
    second = first * rng.normal(size=(200, 1, 1))
    wide = rng.random((200, 2, 5)) * 0.1
    values = np.concatenate([first, second], axis=1)
    assert may_be_proportional(values - wide, values + wide, [(0, 1)]).all()
    assert may_be_proportional(np.full((1, 2, 5), np.nan), np.full((1, 2, 5), np.nan), [(0, 1)]).all()
    assert not may_be_proportional(np.array([[[1.0, 2], [1, 3]]]), np.array([[[1.0, 2], [1, 3]]]), [(0, 1)]).any()
