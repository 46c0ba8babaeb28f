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


def beside(way, budget=0.6):
    """A ball at 10 + `way` on the x axis beside one at 3: the clearance is 5 + `way`."""
    return collide.clearance_range([primitives.ball(1).moved(Rigid(translation=[10 + way, 0, 0])), primitives.ball(1, (3, 0, 0))], (0, 4),
                                   budget=budget)


@pytest.mark.parametrize(("way", "greatest"), [(3 * sp.floor(t), 17.0), (sp.sqrt(t - 1), 5 + 3**0.5), (1 / (t - 2)**2, float("inf"))])
def test_motions_without_bounds_are_left_open(way, greatest):
    found = beside(way)
    assert found.status in (collide.DistanceStatus.UNRESOLVED, collide.DistanceStatus.BUDGET_SPENT)
    assert found.greatest.lo <= greatest <= found.greatest.hi and found.greatest.lo < float("inf")
    assert bool(found.notes) == (found.greatest.hi == float("inf")) == ("no upper bound" in found.summary())
    assert found.least.bracket.lo <= 5.25


def test_a_jump_counts_as_way():
    """The ball stands 5 farther for a short time, with no speed at any."""
    found = beside(sp.Piecewise((0, t < R(13, 10)), (5, t < R(131, 100)), (0, True)), 5.0)
    assert found.greatest.lo <= 10 <= found.greatest.hi


def test_a_bend_has_its_greatest_clearance():
    found = beside(sp.Piecewise((t, t < R(17, 10)), (R(17, 5) - t, True)), 20.0)
    assert found.status is collide.DistanceStatus.MEASURED and found.greatest.lo <= 6.7 <= found.greatest.hi <= 6.703


@pytest.mark.parametrize(("way", "at"), [(sp.sqrt(t - 1), 0.5), (1 / (t - 2)**2, 2.0)])
def test_a_distance_where_a_motion_is_not_defined_is_left_open(way, at):
    balls = primitives.ball(1).moved(Rigid(translation=[10 + way, 0, 0])), primitives.ball(1, (3, 0, 0))
    found = collide.distance(*balls, at=at, budget=0.3)
    assert found.status is collide.DistanceStatus.BUDGET_SPENT and found.bracket.hi == float("inf")


def test_bad_questions_are_refused():
    bowl = ParametricSurface([u, v, t * u**2], {u: (-1, 1), v: (-1, 1)})
    with pytest.raises(ValueError, match="takes rigid bodies, but body 0 deforms"):
        collide.clearance_range([bowl, primitives.ball()], (0, 1))
    with pytest.raises(ValueError, match="at least two bodies"):
        collide.clearance_range([primitives.ball()], (0, 1))
