"""Motions through keyframes as one formula with numbers, against screws by matrix logarithms (SciPy); contacts against closed forms."""

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import expm, logm

import collide
from generative import IDENTITY, Product, Rigid, axis_angle, keyframes, pose, primitives, t
from generative.backwards import backwards
from generative.keyframed import Keyframed, between
from generative.knots import Slot, splines_of
from generative.mesh import approx_motion
from generative.symbols import Parameter
from models.shapes.quadrics import sphere
from tests.problems import Q


def random_poses(seed, count):
    g = np.random.default_rng(seed)
    return [Rigid(g.integers(-9, 10, 4).tolist(), g.integers(-3, 4, 3).tolist(), normalize=True) for _ in range(count)]


TURN = Rigid(axis_angle([1, 2, 3], Q(3, 10)), [0, 0, 1])
WAYS = {
    "far": random_poses(1, 6),
    "exact": [TURN, Rigid(axis_angle([1, 2, 3], Q(3, 1000)), [0, 1, 0]), Rigid(axis_angle([3, 1, 1], 3), [1, 0, 0])],
    "straight and turning": [IDENTITY, Rigid(translation=[1, 2, 0]), Rigid([1, 1, 0, 0], [1, 0, 2], normalize=True)],
    "straight": [TURN, Rigid(TURN.rotation, [1, 0, 0]), Rigid(TURN.rotation, [1, 1, 0])],
}


def matrix(motion):
    return np.vstack([np.column_stack([part[0] if part.ndim == 3 else part for part in approx_motion(motion)(0.0)]), [0, 0, 0, 1]])


def numbers(motion, across):
    """The formula of pieces, and what its symbols stand for."""
    slots = {}

    def named(kind, later, begin, end):
        values = motion.knots[:, None] if kind == "knots" else getattr(motion, kind)
        found = [Parameter(f"{kind}{later}_{k}") for k in range(begin, end)]
        slots.update({s: Slot(motion.knots, values[:, k], later) for k, s in enumerate(found, begin)})
        return found

    return between(motion, t, named, across), slots


@pytest.mark.parametrize("across", [False, True], ids=["between knots", "across a knot"])
@pytest.mark.parametrize("poses", WAYS.values(), ids=WAYS)
def test_all_pieces_are_one_formula_with_their_numbers(poses, across):
    motion = keyframes(poses, [0, 1, 3, 4, 6, 7][:len(poses)])
    assert motion.is_numeric
    formula, slots = numbers(motion, across)
    value = sp.lambdify([t, *slots], list(formula.entries))
    placed = [matrix(p) for p in poses]
    logs = [logm(b @ np.linalg.inv(a)) for a, b in pairwise(placed)]
    for k in range(across, len(poses) - 1):
        begin = motion.knots[k - across]
        for time in np.linspace(begin, motion.knots[k + 1], 4):
            own = np.array([slot.at(np.array([begin]))[0] for slot in slots.values()])
            assert (own[:, 0] <= own[:, 1]).all() and (own[:, 1] - own[:, 0] < 1e-12).all()
            j = k - 1 if time < motion.knots[k] else k
            share = (time - motion.knots[j]) / (motion.knots[j + 1] - motion.knots[j])
            wanted = np.real(expm(share * logs[j]) @ placed[j])
            found = np.array(value(time, *own.mean(axis=1)), float)
            np.testing.assert_allclose(found, np.append(wanted[:3, :3], wanted[:3, 3]), atol=1e-11)


def test_what_is_not_clear_keeps_its_formulas():
    turned = Rigid(axis_angle([0, 0, 1], sp.pi))
    half = keyframes([IDENTITY, turned, IDENTITY], [0, 1, 2])
    assert half.is_exact and half.screws is None and splines_of(sphere(radius=1).moved(half)) == ()
    rounded = Rigid(np.array(TURN.rotation.tolist(), float))
    for poses, times in (([IDENTITY, TURN, IDENTITY], [0, Q(1, 3), 2]), ([IDENTITY, rounded, IDENTITY], [0, 1, 2])):
        assert isinstance(keyframes(poses, times), Rigid) and not Keyframed(poses, sp.sympify(times)).is_numeric


def test_products_keep_it_as_a_factor():
    way = keyframes(random_poses(2, 3), [0, 1, 2])
    for whole, at in ((TURN @ way, TURN @ way.at(Q(1, 2))), (way @ TURN, way.at(Q(1, 2)) @ TURN), (pose(None, [1, 0, 0]) @ way, None)):
        assert isinstance(whole, Product) and way in whole.factors
        if at is not None:
            np.testing.assert_allclose(matrix(whole.at(Q(1, 2))), matrix(at), atol=1e-13)
    assert keyframes([TURN, TURN, TURN], [0, 1, 2]) == TURN and IDENTITY @ way == way == way @ IDENTITY
    ball = sphere(radius=1).moved(way)
    assert splines_of(backwards(ball)) == (keyframes(random_poses(2, 3)[::-1], [-2, -1, 0]),)


@pytest.mark.parametrize("deep", [Q(1, 100), 0, -Q(1, 100)], ids=["into it", "touching", "past it"])
def test_a_ball_that_turns_back_at_a_keyframe(deep):
    """It comes down from 3 to 1 - deep at t = 1, and goes up again; the ground's ball reaches up to 0, it has radius 1."""
    way = keyframes([Rigid(translation=[0, 0, h]) for h in (3, 1 - deep, 3)], [0, 1, 2])
    found = collide.first_contact([sphere(radius=1).moved(way), sphere(radius=1).moved(Rigid(translation=[0, 0, -1]))], time=(0, 2))
    if deep > 0:
        assert found.status is collide.Status.CONTACT and found.time.lo <= 2 / (2 + float(deep)) <= found.time.hi
    else:
        assert found.status is not collide.Status.CONTACT and found.clear_until >= (0.999999 if deep == 0 else 2.0)


def test_an_arm_between_keyframes_against_its_closed_form():
    """A ball at the end of an arm of length 2 turns about z by one radian a second, in pieces; a ball stands in its way."""
    angles = [Q(k, 8) for k in range(9)]
    way = keyframes([Rigid(axis_angle([0, 0, 1], a)) for a in angles], [float(a) for a in angles])
    arm = sphere(radius=Q(251, 1000)).moved(Rigid(translation=[2, 0, 0])).moved(way)
    still = primitives.ball(Q(1, 4), [2 * sp.cos(Q(9, 10)), 2 * sp.sin(Q(9, 10)), 0])
    # They touch when the chord of the angle between them is the sum of their radii.
    met = 0.9 - 2 * np.arcsin(0.501 / 4)
    found = collide.first_contact([arm, still], time=(0, 1))
    assert found.status is collide.Status.CONTACT and found.time.lo <= met <= found.time.hi and found.time.hi - found.time.lo < 1e-5
