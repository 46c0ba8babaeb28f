"""Values are equal by what they are made of, whatever made them, and do not carry hashes into other processes."""

import pickle

import pytest
import sympy as sp

from generative import Curve, ImplicitSurface, ParametricSurface, Rigid, Screw, Solid, t, u, union, v, x, y, z

SHEET = ParametricSurface([u, v, 0], {u: (0, 1), v: (0, 1)})
BALL = ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2)] * 3)
VALUES = [SHEET, BALL, union(BALL, BALL.moved(Rigid(translation=[t, 0, 0]))), Solid([SHEET]), Curve([u, 0, 0], (0, 1)),
          Rigid(translation=[0, 0, t])]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_equals_its_copies_and_nothing_else(value):
    hash(value)
    state = pickle.dumps(value)
    assert b"_hash" not in state
    copy = pickle.loads(state)
    assert copy == value and hash(copy) == hash(value) and copy is not value
    assert [other for other in VALUES if other == value] == [value] and value != "text"


def test_the_same_motion_written_in_two_ways_is_one():
    screw, rigid = Screw(axis=[0, 0, 1], advance=t), Rigid(translation=[0, 0, t])
    assert screw == rigid and hash(screw) == hash(rigid) and screw != Rigid(translation=[0, 0, 2 * t])
    assert SHEET.moved(screw) == SHEET.moved(rigid) != SHEET != ParametricSurface([u, v, sp.Rational(1, 2)], SHEET.domain)
