import random

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

from generative import IDENTITY, Motion, Rigid, Screw, axis_angle, euler, t
from generative.products import Product
from generative.turns import _turn, unit


def numbers(matrix, time=0.0):
    return np.array(matrix.subs(t, time).evalf(25).tolist(), dtype=float)


def agree(a: Motion, b: Motion, times=(0.0, 0.3, 1.7)):
    for time in times:
        np.testing.assert_allclose(numbers(a.rotation, time), numbers(b.rotation, time), atol=1e-14)
        np.testing.assert_allclose(numbers(a.translation, time), numbers(b.translation, time), atol=1e-14)


MOTIONS = {
    "quaternion": Rigid(rotation=[1, t, 2, sp.Rational(1, 3)], translation=[t, 0, 3 - t**2]),
    "matrix": Rigid(rotation=axis_angle([1, 2, 2], t), translation=[1, t, 0]),
    "screw": Screw(axis=[1, 1, 0], point=[1, 2, 3], angle=sp.sin(t), advance=t / 2),
    "constant": Rigid(rotation=[[0, -1, 0], [1, 0, 0], [0, 0, 1]]),
}


@pytest.mark.parametrize("motion", MOTIONS.values(), ids=MOTIONS)
def test_a_motion_is_rigid_and_its_inverse_undoes_it(motion):
    rotation = numbers(motion.rotation, 0.7)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(rotation) > 0
    agree(motion @ motion.inverse(), IDENTITY)
    agree(motion.inverse() @ motion, IDENTITY)


def test_composition_does_the_right_motion_first():
    a, b = MOTIONS["quaternion"], MOTIONS["screw"]
    p = [sp.Integer(1), sp.Integer(-2), sp.Rational(1, 2)]
    both, apart = (a @ b).apply(p), a.apply(b.apply(p))
    for one, other in zip(both, apart, strict=True):
        assert sp.N((one - other).subs(t, sp.Rational(3, 5)), 20) == pytest.approx(0, abs=1e-18)
    assert IDENTITY @ a is a and a @ IDENTITY is a


def test_quaternions_of_any_length_agree_with_scipy():
    q = np.array([0.3, -1.2, 0.5, 2.0])
    ours = numbers(Rigid(rotation=q, normalize=True).rotation)
    np.testing.assert_allclose(ours, Rotation.from_quat(q, scalar_first=True).as_matrix(), atol=1e-15)
    matrix = Rigid(rotation=q, normalize=True).rotation
    assert (matrix * matrix.T).applyfunc(sp.nsimplify) == sp.eye(3)  # exactly orthogonal: no float was rounded


@pytest.mark.parametrize("order", ["xyz", "zyx", "ZXZ", "y", "XY"])
def test_euler_angles_follow_scipy(order):
    angles = [0.3, -1.1, 2.0][:len(order)]
    reference = Rotation.from_euler(order, angles if len(order) > 1 else angles[0]).as_matrix()
    np.testing.assert_allclose(numbers(euler(order, angles)), reference, atol=1e-15)


def test_axis_angle_follows_scipy():
    axis = np.array([1.0, 2.0, -2.0])
    np.testing.assert_allclose(numbers(axis_angle(axis, 1.25)), Rotation.from_rotvec(1.25 * axis / 3).as_matrix(),
                               atol=1e-15)


def test_a_screw_keeps_its_axis_and_advances_along_it():
    screw = Screw(axis=[0, 3, 4], point=[1, 1, 0], angle=t, advance=2 * t)
    start = sp.Matrix([1, 1, 0]) + 7 * sp.Matrix([0, 3, 4])
    moved = numbers(sp.Matrix(screw.apply(list(start))), 1.0)
    np.testing.assert_allclose(moved[:, 0], [1, 1 + 21 + 1.2, 28 + 1.6], atol=1e-13)


def test_a_motion_seen_from_another_body():
    a, b = MOTIONS["screw"], MOTIONS["quaternion"]
    agree(b @ a.seen_from(b), a)
    agree(a.seen_from(a), IDENTITY)


def test_a_unit_quaternion_in_floating_point_is_taken():
    unit = Rotation.from_euler("xyz", [0.3, 0.2, 1]).as_quat(scalar_first=True)
    matrix = Rigid(rotation=unit).rotation
    assert (matrix * matrix.T).applyfunc(sp.nsimplify) == sp.eye(3)


def test_time_can_be_replaced():
    motion = MOTIONS["quaternion"]
    assert motion.at(2).is_constant and not motion.is_constant
    assert motion.at(2 * t).translation[2] == 3 - 4 * t**2


def test_values_compare_and_hash():
    assert Rigid(translation=[0, 0, t]) == Rigid(translation=[0, 0, t]) != Rigid(translation=[0, 0, -t])
    assert len({Rigid(translation=[0, 0, t]), Rigid(translation=[0, 0, t]), IDENTITY}) == 2
    with pytest.raises(AttributeError):
        IDENTITY.rotation = sp.eye(3)


def test_display():
    assert repr(Rigid(translation=[0.1, 0, 3 - t])) == "Rigid(translation=[0.1, 0, 3 - t])"
    assert "\\mapsto" in MOTIONS["screw"]._repr_latex_()


@pytest.mark.parametrize("make, message", [
    (lambda: Rigid(rotation=[0, 0, 0, 0]), "is no rotation"),
    (lambda: Rigid(rotation=[1, 1, 0, 0]), "length 1.41421, not 1; pass normalize=True"),
    (lambda: Rigid(rotation=[1, 0, 0]), "3 x 3 matrix or a quaternion"),
    (lambda: Rigid(rotation=np.eye(2)), "3 x 3 matrix or a quaternion"),
    (lambda: Rigid(rotation=np.diag([1, 1, 1.001])), "differs from the identity by 0.002"),
    (lambda: Rigid(rotation=np.diag([1, 1, -1])), "mirror image"),
    (lambda: Rigid(translation=[0, 0]), "vector of 3 expressions, got 2"),
    (lambda: Rigid(translation=[0, 0, sp.Symbol("t")]), "import t from generative"),
    (lambda: Rigid(translation=[0, 0, sp.Symbol("s")]), "the symbol s means nothing in a translation"),
    (lambda: Rigid(translation=[0, 0, float("nan")]), "not a finite real"),
    (lambda: Rigid(translation=[0, 0, sp.I * t]), "not a finite real"),
    (lambda: Screw(axis=[0, 0, 0], angle=t), "must not be the zero vector"),
    (lambda: axis_angle([1, 0, t], 1), "the symbol t means nothing"),
    (lambda: euler("xZ", [1, 2]), "one angle a letter"),
])
def test_misuse_says_what_to_do(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_what_moves_of_a_motion_is_told_from_the_constant_one_before_it():
    fall, place = Rigid(rotation=axis_angle([0, 0, 1], t), translation=[0, t, 0]), Rigid(translation=[1, 2, 3])
    turned = Rigid(rotation=axis_angle([1, 0, 0], 1))
    assert fall.mover == (fall @ place).mover == (fall @ (place @ turned)).mover == ((fall @ place) @ turned).mover == fall
    assert (place @ (fall @ turned)).mover == place @ fall
    assert place.mover.is_identity and (place @ turned).mover.is_identity
    # A motion before another one that moves is no part of what is constant.
    assert (place @ fall).mover == place @ fall != (turned @ fall).mover
    assert (fall @ fall).mover == fall @ fall
    assert Product(fall, place).mover == fall and Product(fall, place, fall, turned).mover == Product(fall, place, fall)


def test_turns_about_rational_axes_are_those_of_the_general_formula():
    """To the same expressions: what SymPy makes of I + sin(angle) K + (1 - cos(angle)) K^2."""
    rng = random.Random(5)
    for angle in (t, 2 * t / 3 + sp.Rational(1, 7), sp.Rational(5, 7), sp.pi / 3, sp.pi, sp.pi / 12, sp.sqrt(2), sp.Integer(0), -t,
                  sp.asin(t)):
        for _ in range(4):
            axis = [sp.Rational(rng.randint(-9, 9), rng.randint(1, 9)) for _ in range(2)] + [sp.Rational(rng.randint(1, 9), 7)]
            assert axis_angle(axis, angle) == sp.ImmutableMatrix(_turn(unit(axis), angle))
    with pytest.raises(ValueError, match="must not be the zero vector"):
        axis_angle((0, 0, 0), 1)
