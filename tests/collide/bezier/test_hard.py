"""Bezier pairs in degenerate and nearly degenerate contact, against closed forms."""

import math

import numpy as np
import pytest

from collide import Budget, Status
from tests.collide.bezier_patches import bowl, cone, one, pair, paraboloid, square, tilted, trough

FALL = (0.0, 0.0, -1.0)
HARD = {
    "parallel plates": (tilted(square(0.5), FALL), tilted(square(0.0, 0.5)), 100),
    "a line": (tilted(trough() + [0, 0, 0.5], FALL), tilted(square(0.0, 2.0)), 1000),
    "a collapsed side": (tilted(cone() + [0, 0, 0.5], FALL), tilted(square(0.0, 2.0)), 200),
    "a point": (tilted(np.zeros((3, 3, 3)) + [0.3, 0.2, 0.63], FALL), tilted(bowl()), 200),
}  # fmt: skip


@pytest.mark.parametrize("name", HARD)
def test_hard_contacts(name):
    a, b, budget = HARD[name]
    r, time = one(pair(a, b), budget=Budget(boxes=budget))
    assert r.hit[0] and time[0] <= 0.5 + 1e-15 and 0.5 - 1e-15 <= time[1] <= time[0] + 1e-6


@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
@pytest.mark.parametrize("ratio", [0.9, 0.99, 0.999])
@pytest.mark.parametrize("turned", [False, True])
def test_ball_in_a_bowl(ratio, turned, tolerance):
    """Only a certificate ends this early: 10,609, 101,777 and 813,473 tests without one at 1e-6 (not turned)."""
    ball = paraboloid(1.0, (0.13, -0.21), 0.3) if turned else paraboloid(1.0)
    low = paraboloid(ratio, (-0.07, 0.11), -0.2) if turned else paraboloid(ratio)
    r, time = one(pair(tilted(ball + [0, 0, 0.5], FALL), tilted(low)), tolerance=tolerance, budget=Budget(boxes=1000))
    assert r.status[0] is Status.CONTACT and r.proved[0]
    assert time[0] <= 0.5 + 2e-15 and 0.5 - 2e-15 <= time[1] <= time[0] + tolerance


@pytest.mark.parametrize("gap", [1e-7, 1e-10])
def test_a_ball_at_rest_just_above_a_bowl(gap):
    a, b = tilted(paraboloid(1.0, (0.13, -0.21), 0.3) + [0, 0, gap]), tilted(paraboloid(0.5, (-0.07, 0.11), -0.2))
    assert one(pair(a, b))[0].status[0] is Status.NO_CONTACT


@pytest.mark.parametrize("velocity", [FALL, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0)])
def test_touching_at_the_start(velocity):
    r, time = one(pair(tilted(paraboloid(1.0, (0.13, -0.21), 0.3), velocity), tilted(paraboloid(0.5, (-0.07, 0.11), -0.2))))
    assert r.hit[0] and time[0] <= 2e-15  # the tilt is rounded


def test_contact_over_a_surface_is_bracketed():
    """Identical curved patches: work grows as one over the tolerance, and the budget ends it."""
    r, time = one(pair(tilted(bowl() + [0, 0, 0.5], FALL), tilted(bowl())), budget=Budget(boxes=50_000))
    assert r.status[0] is Status.BUDGET_SPENT and r.proved[0]
    assert 0.49 < time[0] <= 0.5 <= time[1] + 1e-15 and time[1] < 0.5 + 1e-12


@pytest.mark.parametrize(("height", "status"), [(1e-6, Status.NO_CONTACT), (0.0, Status.UNRESOLVED), (-1e-6, Status.CONTACT)])
def test_grazing(height, status):
    """A bowl passes over a plate at a height; its lowest point is over the plate from t = 1/4 on."""
    r, time = one(pair(tilted(bowl() + [-3, 0, height], (6, 0, 0)), tilted(square(0.0, 1.5))))
    assert r.status[0] is status
    if r.hit[0]:  # its border meets the border of the plate: x^2 = -height before its middle does
        assert time[0] <= 0.25 - math.sqrt(-height) / 6 + 1e-12 <= time[1] + 1e-11
