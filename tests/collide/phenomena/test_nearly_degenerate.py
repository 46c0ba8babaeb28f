"""Contacts that are isolated only just: bodies that all but touch along a curve, and formulas with a kink on an axis."""

import numpy as np
import pytest
import sympy as sp

import collide
from generative import ImplicitSurface, ParametricSurface, Rigid, axis_angle, t, u, v, x, y, z
from generative.primitives import ball, half_space, round_cone
from models.scenes.literature import tube_on_cushion

Q = sp.Rational
TILTED = Rigid(rotation=axis_angle([1, 2, 3], Q(7, 10)), translation=[Q(1, 7), Q(2, 9), Q(1, 3)])
RING, TUBE = 1, Q(1, 4)
IMPLICIT = ImplicitSurface((x**2 + y**2 + z**2 + RING**2 - TUBE**2) ** 2 - 4 * RING**2 * (x**2 + y**2), [(-2, 2), (-2, 2), (-1, 1)])
ACROSS = RING + TUBE * sp.cos(v)
PARAMETRIC = ParametricSurface([ACROSS * sp.cos(u), ACROSS * sp.sin(u), TUBE * sp.sin(v)], {u: (0, 2 * sp.pi), v: (0, 2 * sp.pi)})
BUDGET = collide.Budget(boxes=600_000, seconds=None)


@pytest.mark.parametrize("frame", [Rigid(), TILTED], ids=["straight", "tilted"])
@pytest.mark.parametrize("bodies", [(IMPLICIT, IMPLICIT), (PARAMETRIC, IMPLICIT), (PARAMETRIC, PARAMETRIC)],
                         ids=["implicit", "mixed", "parametric"])
@pytest.mark.parametrize("beside", [Q(1, 500), Q(1, 10**4), Q(1, 10**5)])
def test_tori_that_are_nearly_coaxial(bodies, beside, frame):
    """One comes down on the other, its axis `beside` that one's: their middle circles cross where both are exactly 1/2 apart in height, at
    the time 5/2. Elsewhere they are up to `beside` from each other across, and the tori touch later by the square of that at most.
    """
    drop = Rigid(translation=[beside, 0, 3 - t])
    c = collide.first_contact([bodies[0].moved(drop).moved(frame), bodies[1].moved(frame)], (0, 4), budget=BUDGET)
    assert c.status is collide.Status.CONTACT and c.existence.all()
    assert c.clear_until <= 2.5 <= c.time.hi and c.time.lo <= 2.5 and c.time.hi - c.time.lo < 2e-6
    rotation, shift = (np.array(m.evalf(30), float) for m in (frame.rotation, frame.translation))
    points = (c.points - shift.ravel()) @ rotation
    # Contacts up to 1e-6 after the first are listed: then the tori share lenses as deep as that, and wider than they are deep.
    assert np.abs(np.hypot(points[:, 0], points[:, 1]) - 1).max() < 1e-3 + float(beside) and np.abs(points[:, 2] - 0.25).max() < 1e-5
    # The two of the first moment are among them, or samples that stand for them.
    for side in (-1, 1):
        assert np.linalg.norm(points - [float(beside) / 2, side, 0.25], axis=1).min() < 0.05


@pytest.mark.parametrize("beside", [Q(1, 10**6), Q(1, 10**5)])
def test_a_tube_that_is_hardly_moved_touches_a_cushion(beside):
    """Displaced along the ridge it touches nowhere but at one end of its own: earlier, by little more than the slope there tells."""
    tube, cushion = tube_on_cushion.bodies
    c = collide.first_contact([tube.moved(Rigid(translation=[beside, beside / 2, 0])), cushion], (0, 3), budget=BUDGET)
    assert c.status is collide.Status.CONTACT and c.existence.all() and c.time.hi - c.time.lo < 2e-6
    assert 2 - 2 * float(beside) < c.time.hi < 2


def test_a_cone_is_searched_along_its_axis():
    """Where its formula has a kink nothing is known of derivatives across: a ball passes its tip, and one meets its side."""
    cone = round_cone(Q(1, 2), 1)
    passing = ball(Q(1, 4)).moved(Rigid(translation=[2 - t, 0, 1 + Q(1, 4) + Q(1, 100)]))
    c = collide.first_contact([passing.moved(TILTED), cone.moved(TILTED)], (0, 4), budget=BUDGET)
    assert c.status is collide.Status.NO_CONTACT
    meeting = ball(Q(1, 4)).moved(Rigid(translation=[Q(1, 2), 0, 2 - t]))
    c = collide.first_contact([meeting.moved(TILTED), cone.moved(TILTED)], (0, 4), budget=collide.Budget(boxes=10_000, seconds=None))
    # The side 2 rho + z = 1 is 1/4 away from the centre (1/2, 0, z) where z = sqrt(5) / 4.
    truth = float(2 - sp.sqrt(5) / 4)
    assert c.status is collide.Status.CONTACT and c.time.lo <= truth <= c.time.hi < c.time.lo + 1e-6


def test_a_cone_comes_down_on_half_a_ring():
    """Its rim meets the upper half of a torus, and its axis comes near that before: many boxes hold the kink."""
    turn, ring = axis_angle([1, 0, 0], Q(5, 2)), (Q(7, 10), Q(1, 5))
    cone = round_cone(Q(1, 2), 1).moved(Rigid(rotation=turn)).moved(Rigid(translation=[0, Q(1, 9), 2 - t]))
    torus = ImplicitSurface((x**2 + y**2 + z**2 + ring[0] ** 2 - ring[1] ** 2) ** 2 - 4 * ring[0] ** 2 * (x**2 + y**2), [(-1, 1)] * 3)
    half = torus - half_space((0, 0, 1), 0, size=1)
    c = collide.first_contact([cone.moved(TILTED), half.moved(TILTED)], (0, 2), budget=collide.Budget(boxes=40_000, seconds=None))
    # On the rim (cos u / 2, sin u / 2, 0), turned and lowered, the torus' function f and df/du are zero.
    rim = sp.Matrix(turn) * sp.Matrix([sp.cos(u) / 2, sp.sin(u) / 2, 0]) + sp.Matrix([0, Q(1, 9), 2 - t])
    f = torus.body.xreplace(dict(zip((x, y, z), rim, strict=True)))
    low = sp.nsolve([f, sp.diff(f, u)], [u, t], [4.7, 1.63], prec=30)
    assert c.status is collide.Status.CONTACT and c.features[0] == ("edge 0", "face 0")
    assert c.time.lo <= low[1] <= c.time.hi < c.time.lo + 1e-9
