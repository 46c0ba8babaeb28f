"""Turns whose entries are made when one is asked for: entries, enclosures and formulas, against Rodrigues' formula in Arb."""

import copy
import pickle
from typing import Any

import flint
import numpy as np
import pytest
import sympy as sp

from codegen.constants import enclose_all
from codegen.constants import written as written_number
from collide.bodies.numbers import numbers_of
from generative import ParametricSurface, Rigid, axis_angle, pose, t, u, v
from generative.family import member_of
from generative.resting import written
from generative.turns import Turn

HALF = sp.Rational(1, 2)
AXES = [(0, 0, 1), (0, 0, -2), (3, 0, 0), (0, HALF, 0), (3, 4, 0), (-1, 0, 1), (0, 2, -5), (1, 1, 1), (1, 2, 3),
        (-HALF, sp.Rational(1, 3), 1), (10**17 + 1, 1, 10**9), (1, 0, 10**30)]
ANGLES = [HALF, sp.Integer(1), sp.Integer(-3), sp.Rational(7, 10), sp.Rational(1, 2**40), sp.Rational(1234567, 1000), sp.Integer(10) ** 12]


def _arb(number: Any) -> flint.arb:
    return flint.arb(flint.fmpq(int(number.p), int(number.q)))


def _rodrigues(axis: Any, angle: Any) -> list[flint.arb]:
    """The entries, with 400 bits."""
    with flint.ctx.workprec(400):
        a = [_arb(sp.sympify(e)) for e in axis]
        length = (a[0] ** 2 + a[1] ** 2 + a[2] ** 2).sqrt()
        n, (s, c) = [e / length for e in a], _arb(angle).sin_cos()
        cross = [[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]]
        return [n[i] * n[j] * (1 - c) + (c if i == j else 0) + cross[i][j] * s for i in range(3) for j in range(3)]


@pytest.mark.parametrize("axis", AXES)
def test_entries_and_enclosures_are_those_of_rodrigues(axis: Any) -> None:
    for angle in ANGLES:
        turn = axis_angle(axis, angle)
        assert isinstance(turn, Turn)
        known = _rodrigues(axis, angle)
        found = enclose_all(turn.entries)
        for exact, (lo, hi), entry in zip(known, found.tolist(), turn.entries, strict=True):
            assert not exact < lo and not exact > hi
            assert hi - lo <= 2.0**-46 * abs(lo)
            if entry in (0, 1):
                assert exact.contains(int(entry)) and exact.rad() < 1e-90
        formulas, numbers = turn.formulas
        values = [float(sp.N(written_number(e), 30)) for e in numbers]
        again = written(formulas, [sp.Float(e) for e in values])
        assert np.allclose([float(e) for e in again], [float(e.mid()) for e in known], rtol=0, atol=1e-15)
        assert float(sp.N(turn[1, 0], 30)) == pytest.approx(float(known[3].mid()), abs=1e-15)


def test_it_is_the_matrix_of_its_entries() -> None:
    turn, whole = axis_angle((1, 2, 2), HALF), axis_angle((1, 2, 2), HALF).written
    assert turn == whole and whole == turn and hash(turn) == hash(whole)
    assert type(turn.T) is type(turn * turn) is sp.ImmutableMatrix
    assert sp.simplify(turn * turn.T) == sp.eye(3) and turn.shape == (3, 3) and turn.func(*turn.args) == whole
    assert turn.xreplace({HALF: sp.Integer(0)}) == sp.eye(3)
    assert str(turn) == str(whole) and sp.latex(turn) == sp.latex(whole)
    for other in (pickle.loads(pickle.dumps(turn)), copy.copy(turn), copy.deepcopy(turn)):
        assert isinstance(other, Turn) and other == turn


def test_other_turns_have_their_entries_at_once() -> None:
    for angle in (sp.Integer(0), sp.pi / 3, t, sp.sqrt(2)):
        assert not isinstance(axis_angle((1, 2, 2), angle), Turn)
    assert axis_angle((0, 0, 1), sp.pi / 2) == sp.Matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    with pytest.raises(ValueError, match="zero vector"):
        axis_angle((0, 0, 0), HALF)


def test_a_new_pose_of_a_known_kind_writes_no_entries() -> None:
    shape = ParametricSurface([u, v, u * v], {u: (0, 1), v: (0, 1)})
    kinds = set()
    for axis, angle in (((1, 2, 3), HALF), ((1, 1, 1), sp.Integer(1)), ((7, -5, 1), sp.Rational(12345, 10007))):
        motion = Rigid(axis_angle(axis, angle), [HALF, HALF, sp.Rational(77, 3) - t])
        member = member_of(shape.moved(motion))
        kinds.add(member.body)
        assert numbers_of(member).intervals.shape == (len(member.symbols), 2)
        assert motion.symbols == {t} and not motion.is_identity and hash(motion) == hash(Rigid(axis_angle(axis, angle), motion.translation))
        assert "written" not in motion.rotation.__dict__
        entries = [e.xreplace(dict(numbers_of(member).pairs)) for e in member.body.motion.entries]
        assert [sp.expand(a - b) for a, b in zip(entries, motion.entries, strict=True)] == [0] * 12
    assert len(kinds) == 1


def test_turns_that_are_composed_move_points_alike() -> None:
    first, second = Rigid(axis_angle((1, 2, 3), HALF), [1, 0, 0]), Rigid(axis_angle((3, 0, 4), 2), [0, 1, t])
    plain = [Rigid(sp.Matrix(m.rotation), m.translation) for m in (first, second)]
    point = (sp.Rational(1, 3), 2, -1)
    for made, other in ((first @ second, plain[0] @ plain[1]), (first.inverse(), plain[0].inverse()), (second.at(3), plain[1].at(3)),
                        (first @ pose(translation=[1, 2, 3]), plain[0] @ pose(translation=[1, 2, 3]))):
        assert made.apply(point) == other.apply(point)


def test_a_turn_about_the_opposite_axis_by_the_opposite_angle_is_the_same() -> None:
    one, other = (Rigid(rotation=axis_angle([a * e for e in (-1, 2, 0)], a * sp.Rational(3, 7))) for a in (1, -1))
    assert one == other and hash(one) == hash(other) and one.rotation == other.rotation
