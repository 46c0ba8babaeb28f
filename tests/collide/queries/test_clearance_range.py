"""`clearance_range` against distances in closed form."""

import pytest
import sympy as sp

import collide
from generative import ParametricSurface, Rigid, Screw, primitives, solids, t, u, v

R = sp.Rational


def test_a_ball_on_a_circle_beside_another():
    """Centres are sqrt(5 - 4 cos t) apart, radii 1/4: from 1/2 to 5/2."""
    balls = [primitives.ball(R(1, 4), (1, 0, 0)).moved(Screw([0, 0, 1], angle=t)), primitives.ball(R(1, 4), (2, 0, 0))]
    found = collide.clearance_range(balls, (-1, 4), tolerance=0.01)
    assert found.status is collide.DistanceStatus.MEASURED
    assert found.least.bracket.lo <= 0.5 <= found.least.bracket.hi + 1e-12
    assert found.greatest.lo <= 2.5 <= found.greatest.hi and found.greatest.hi - found.greatest.lo <= 0.006
    assert abs(found.moment - 3.14159) < 0.2 and "greatest one" in found.summary()


def test_a_box_between_two_walls():
    """The nearest of all pairs counts: midway, 1 on both sides."""
    bodies = [solids.box((1, 1, 1)).moved(Rigid(translation=[t, 0, 0])),
              *(solids.box((1, 4, 4)).moved(Rigid(translation=[x, 0, 0])) for x in (-2, 2))]
    found = collide.clearance_range(bodies, (-1, 1), ignore=[(1, 2)], tolerance=0.05)
    assert found.greatest.lo <= 1 <= found.greatest.hi <= 1.05 and abs(found.moment) <= 0.05


def test_bad_questions_are_refused():
    bowl = ParametricSurface([u, v, t * u**2], {u: (-1, 1), v: (-1, 1)})
    with pytest.raises(ValueError, match="takes rigid bodies, but body 0 deforms"):
        collide.clearance_range([bowl, primitives.ball()], (0, 1))
    with pytest.raises(ValueError, match="at least two bodies"):
        collide.clearance_range([primitives.ball()], (0, 1))
