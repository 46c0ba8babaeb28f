"""`clearance_profile` against a closed form, and its chart; `clearance` without a time span."""

import pickle

import numpy as np
import pytest
import sympy as sp

import collide
from collide import DistanceStatus
from generative import Chain, Parameter, ParametricSurface, Rigid, revolute, solids, t, u, v

R = sp.Rational


def ball(place):
    body = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    return body.moved(Rigid(translation=place))


def test_each_part_holds_the_closed_form():
    """Balls of radius 1 whose centres are sqrt(9 + t^2) apart, and a third one far away."""
    found = collide.clearance_profile([ball([0, 0, 0]).named("still"), ball([3, t, 0]).named("passing"), ball([0, 50, 0])], (-2, 2), 8)
    ends = found.ends
    assert ends.tolist() == np.linspace(-2, 2, 9).tolist() and (found.pairs == [0, 1]).all()
    nearest = np.where(ends[:-1] * ends[1:] > 0, np.minimum(np.abs(ends[:-1]), np.abs(ends[1:])), 0)
    truth = np.sqrt(9 + nearest**2) - 2
    lo, hi = found.bracket.T
    assert (lo <= truth + 1e-15).all() and (truth <= hi + 1e-15).all() and (hi - lo <= 0.021 * hi).all()
    assert found.nearest_of("passing").tolist() == list(range(8)) and abs(found.least().moment) < 0.5
    assert "still and passing" in found.summary()


def test_the_chart_has_a_band_and_dots():
    found = collide.clearance_profile([ball([0, 0, 0]), ball([3, t, 0])], (0, 1), 3)
    high, low, dots = found.chart().data
    assert len(high.x) == 6 and np.array_equal(low.y, np.repeat(found.bracket[:, 0], 2)) and len(dots.x) == 3


def test_a_spent_budget_leaves_parts_open():
    found = collide.clearance_profile([ball([0, 0, 0]), ball([3, t, 0])], (0, 1), 3, budget=collide.Budget(boxes=1))
    assert len(found) == 3 and (found.bracket[:, 0] >= 0).all()
    assert found.parts[-1].status is DistanceStatus.BUDGET_SPENT


def test_parts_must_be_a_number():
    with pytest.raises(ValueError, match="parts must be a positive whole number, got 0"):
        collide.clearance_profile([ball([0, 0, 0]), ball([3, t, 0])], (0, 1), 0)


def test_poses_without_a_time():
    """A bar of radius 1/8 that turns about z, up to 0.1 either way, beside a ball: all angles at once."""
    angle = Parameter("angle")
    bar = solids.capsule(R(1, 8), 1).moved(Rigid(rotation=[[0, 0, 1], [0, 1, 0], [-1, 0, 0]]))
    arm = Chain({"bar": bar}, [revolute("turn", "base", "bar")])
    bodies = [*arm.at({"turn": angle}), ball([1, 2, 0])]
    # The end of the axis of the bar is nearest to the centre of the ball, the more so the farther it is turned.
    least = float(np.hypot(1 - np.cos(0.1), 2 - np.sin(0.1))) - 1.125
    found = collide.clearance(bodies, parameters={angle: (-R(1, 10), R(1, 10))})
    assert found.bracket.lo <= least <= found.bracket.hi < least + 1e-6
    assert collide.clearance(bodies, at_least=least - 0.01, parameters={angle: (-R(1, 10), R(1, 10))}).verdict is True
    assert collide.clearance(bodies, at_least=least + 0.01, parameters={angle: (-R(1, 10), R(1, 10))}).verdict is False


def test_bodies_that_move_need_a_time():
    with pytest.raises(ValueError, match=r"body 1 depends on t, so clearance needs the time span that is meant: time=\(first, last\)"):
        collide.clearance([ball([0, 0, 0]), ball([3, t, 0])])


def test_a_clearance_has_lower_bounds_in_parts_of_its_span():
    """Two balls of radius 1 come from 1 apart to touch: in each quarter the least distance is that at its end."""
    answer = collide.clearance([ball([0, 0, 3 - t]), ball([0, 0, 0])], (0, 1), at_least=R(1, 10))
    times, lower = pickle.loads(pickle.dumps(answer)).profile(4)
    np.testing.assert_array_equal(times, [0, 0.25, 0.5, 0.75])
    assert (lower <= [0.75, 0.5, 0.25, 0.0]).all() and (lower[:3] > 0.97 * np.array([0.75, 0.5, 0.25])).all()
