"""Matrices with parameters in motions: what stretches for a value that is asked about is refused, and rotations are proved."""

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Status
from generative import Parameter, Rigid, Screw, euler, primitives, solids, t

R = sp.Rational
E, F = Parameter("e"), Parameter("f")
STRETCHED = [[1, -E, 0], [E, 1, 0], [0, 0, 1]]
CAYLEY = [[(1 - E**2) / (1 + E**2), -2 * E / (1 + E**2), 0], [2 * E / (1 + E**2), (1 - E**2) / (1 + E**2), 0], [0, 0, 1]]
PAIR = [[F, -E, 0], [E, F, 0], [0, 0, 1]]
FAR = primitives.ball(1).moved(Rigid(translation=[0, 4, 0]))


def bar(rotation, *more):
    """A bar of radius 1/4 from the origin to (2, 0, 0), turned about z."""
    body = solids.capsule(R(1, 4), 2).moved(Rigid(rotation=[[0, 0, 1], [0, 1, 0], [-1, 0, 0]]))
    for motion in (Rigid(rotation=rotation), *more):
        body = body.moved(motion)
    return body


def asked(rotation, parameters):
    """The distance of the bar and the ball by each query, which must agree."""
    bodies = [bar(rotation), FAR]
    found = collide.clearance(bodies, (0, 1), parameters=parameters).bracket
    assert collide.first_contact(bodies, (0, 1), parameters=parameters).status is Status.NO_CONTACT
    return found


@pytest.mark.parametrize(("value", "says"), [
    (R(1, 2), "in the motion of body 0, the matrix is no rotation: R R.T differs from the identity by 0.25$"),
    ((0, 1), r"by 0.25 \(with e = 1/2, in the ranges of the parameters\)"), ((-1, 1), "with e = -1")])
def test_what_stretches_is_refused(value, says):
    for query in (collide.first_contact, collide.clearance):
        with pytest.raises(ValueError, match=says):
            query([bar(STRETCHED), FAR], (0, 1), parameters={E: value})


def test_what_is_no_rotation_between_ends_and_middle_is_refused():
    bump = E * (E - 1) * (2 * E - 1)
    with pytest.raises(ValueError, match="not proved to be a rotation for all values of e in their ranges; give it by axis_angle"):
        asked([[1 + bump, 0, 0], [0, 1, 0], [0, 0, 1]], {E: (0, 1)})


def test_a_mirror_image_is_refused():
    with pytest.raises(ValueError, match="its determinant is -1"):
        asked([[E, 0, 0], [0, 1, 0], [0, 0, 1]], {E: -1})


@pytest.mark.parametrize(("rotation", "angle"), [
    (CAYLEY, 2 * np.arctan(0.5)), ([[sp.sqrt(1 - E**2), -E, 0], [E, sp.sqrt(1 - E**2), 0], [0, 0, 1]], np.arcsin(0.5)),
    (euler("z", [E]), 0.5), ([sp.cos(E), 0, 0, sp.sin(E)], 1.0)], ids=["Cayley", "root", "euler", "quaternion"])
def test_rotations_are_proved_for_ranges(rotation, angle):
    """Nearest for e = 1/2, where the axis is at the angle."""
    found, along = asked(rotation, {E: (0, R(1, 2))}), min(2, 4 * np.sin(angle))
    least = np.hypot(along * np.cos(angle), 4 - along * np.sin(angle)) - 1.25
    assert found.lo - 1e-12 <= least <= found.hi + 1e-12 and found.hi - found.lo < 1e-6


def test_numbers_that_belong_together_are_taken():
    found = asked(PAIR, {E: R(3, 5), F: R(4, 5)})
    assert found.lo <= np.hypot(1.6, 4 - 1.2) - 1.25 <= found.hi
    with pytest.raises(ValueError, match=r"differs from the identity by 0\.28"):
        asked(PAIR, {E: (R(3, 5), 1), F: R(4, 5)})


def test_factors_and_doubles_are_looked_at_one_by_one():
    """A turn by a matrix of doubles, which is a rotation up to rounding, between two that hold the parameter."""
    cosine, sine = float(np.cos(0.3)), float(np.sin(0.3))
    doubles = Rigid(rotation=[[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])
    turned = bar(CAYLEY, doubles, Screw([0, 0, 1], angle=E), Rigid(rotation=[[cosine * sp.cos(E), -sine * sp.cos(E), -sp.sin(E)], [
        sine, cosine, 0], [cosine * sp.sin(E), -sine * sp.sin(E), sp.cos(E)]]))
    assert collide.clearance([turned, FAR], (0, 1), parameters={E: (0, R(1, 8))}).verdict is None


@pytest.mark.parametrize("query", [collide.contact_batch, collide.clearance_batch])
def test_rows_are_looked_at(query):
    bodies = [bar(PAIR, Rigid(translation=[0, 0, t])), FAR]
    rows = {E: np.array([0.6, 1.0, 0.0, -1.0]), F: np.array([0.8, 0.0, 1.0, 0.0])}
    assert len(query(bodies, (0, 1), parameters=rows)) == 4
    rows[E][2] = 1e-6
    assert len(query(bodies, (0, 1), parameters=rows)) == 4
    rows[E][2] = 2e-6
    with pytest.raises(ValueError, match="the matrix in the motion of body 0 is no rotation in row 2"):
        query(bodies, (0, 1), parameters=rows)
