"""Contacts without crossing, or in one plane, under rigid motions: decided exactly, at times known in closed form."""

import itertools
import math

import numpy as np
import pytest
import sympy as sp

import collide
from collide.polyhedra.exact.motion import exact_motion
from generative import Rigid, Screw, axis_angle, t

Q = sp.Rational
HERE = Rigid()
TILTED = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10)), translation=[Q(1, 7), Q(2, 9), Q(1, 3)])
TURNING = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10) + t / 3), translation=[t, 0, t**2])
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
SIDES = np.array([corners for a, b, c, d in QUADS for corners in ((a, b, c), (a, c, d))])


def box(x=1.0, y=1.0, z=1.0):
    return collide.Mesh(np.array(list(itertools.product(*((-0.5 * e, 0.5 * e) for e in (x, y, z))))), SIDES)


def slide(*shift):
    return Rigid(translation=shift)


CUBE, BAR = box(), box(0.75, 1.0, 1.0)  # a corner of the bar is 5/8 from its middle
FALL = 3 - t**2 / 2
# The bar turns about its long edge direction; from a wall at 5/8 its corner keeps away but for one moment.
GRAZE = math.atan2(4, 3)
CASES = {
    "flat on flat": (CUBE, slide(Q(1, 3), Q(1, 5), 3 - t), CUBE, 2),
    "offset by a side": (CUBE, slide(3 - t, 1, Q(1, 2)), CUBE, 2),
    "offset by two sides": (CUBE, slide(3 - t, 1, 1), CUBE, 2),
    "flush": (CUBE, slide(3 - t, 1, 0), CUBE, 2),
    "by tenths": (CUBE, slide(3 - Q(7, 10) * t, 1, Q(1, 10)), CUBE, Q(20, 7)),
    "a hair beside": (CUBE, slide(3 - t, 1 + Q(1, 10**30), 0), CUBE, None),
    "a hair within": (CUBE, slide(3 - t, 1 - Q(1, 10**30), 0), CUBE, 2),
    "falling flush": (CUBE, slide(1, Q(1, 3), FALL), CUBE, 2),
    "down to a touch, and up": (CUBE, slide(Q(1, 3), Q(1, 3), 1 + (t - 1) ** 2 / 9), CUBE, 1),
    "down to less than a touch": (CUBE, slide(Q(1, 3), Q(1, 3), 1 + Q(1, 10**25) + (t - 1) ** 2), CUBE, None),
    "a corner grazes": (BAR, Screw(axis=[0, 0, 1], angle=t), CUBE, GRAZE, slide(Q(1, 2) + Q(5, 8), 0, 0)),
    "a corner turns past": (BAR, Screw(axis=[0, 0, 1], angle=t), CUBE, None, slide(Q(1, 2) + Q(5, 8) + Q(1, 10**25), 0, 0)),
    "turning in one plane": (CUBE, Screw(axis=[0, 0, -3], point=[Q(1, 2), Q(-1, 2), 0], angle=t) @ slide(0, 0, 1), CUBE, math.pi / 4,
                             slide(Q(3, 2), Q(-1, 2), 0)),
}  # fmt: skip


@pytest.mark.parametrize("frame", [HERE, TILTED, TURNING], ids=["here", "tilted", "turning"])
@pytest.mark.parametrize("name", CASES)
def test_touches_are_decided(name, frame):
    first, motion, second, moment, *still = CASES[name]
    for way in (1, -1):
        found = collide.mesh_mesh(*(first, second)[::way], motions=(frame @ motion, frame @ (still or [HERE])[0])[::way], time=(0, 4),
                                  tolerance=1e-11)
        assert found.status is (collide.Status.NO_CONTACT if moment is None else collide.Status.CONTACT)
        if moment is not None:
            assert found.time.lo - 1e-15 <= moment <= found.time.hi + 1e-15 and found.time.hi - found.time.lo <= 1e-11


def test_the_first_of_two_motions_as_the_second_one_sees_it():
    """Places by polynomials, against the formulas in 30 digits."""
    motions = [(TURNING @ CASES["falling flush"][1], TURNING), (TILTED @ Screw([1, 2, 2], [1, 0, 2], Q(1, 3) - 2 * t), TILTED),
               (Screw([1, 2, 3], [1, 0, 2], 5 + t / 2), slide(Q(1, 3), 0, 1)), (Screw([1, 2, 2], [1, 0, 2], 3 + t / 2), HERE)]
    for first, second in motions:
        known = exact_motion(first, second)
        window = known.window(0.25, 3.0)
        seen = second.inverse() @ first
        for at in (Q(0), Q(1, 3), Q(1)):
            place = window.place([1.5, 0.25, -2.0], at)
            ends = [window.ends[0] + (window.ends[1] - window.ends[0]) * at]
            moment = ends[0] if known.turn is None else (2 * sp.atan(sp.sqrt(known.turn.square) * sp.Rational(ends[0]))
                                                         + window.half_turns * sp.pi - known.turn.begin) / known.turn.speed
            image = [e.subs(t, moment).evalf(30) for e in seen.apply([Q(3, 2), Q(1, 4), -2])]
            assert max(abs(sp.Rational(p) - e) for p, e in zip(place, image, strict=True)) < 1e-25


def test_other_motions_have_no_such_form():
    for motion in (Screw([0, 0, 1], angle=t, advance=t), Screw([0, 0, 1], angle=t**2), slide(sp.sqrt(2), 0, t), slide(sp.exp(t), 0, 0)):
        assert exact_motion(motion, HERE) is None
