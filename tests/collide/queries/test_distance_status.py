"""Brackets of a distance that count as decided, and formulas that have no bound somewhere."""

import math

import pytest
import sympy as sp

import collide
from collide import DistanceStatus
from collide.queries.distance import status_of
from collide.queries.distance_of_meshes import DistanceBounds
from collide.timeline.nearest import Asked
from generative import Parameter, ParametricSurface, Rigid, u, v

PLATE = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})


def test_formulas_without_a_bound_somewhere_leave_a_wide_bracket():
    """Intervals have no bound of the height at u = 0, where both parts vanish to the order 7. This is an answer, not an error."""
    found = collide.distance(ParametricSurface([u, v, 1 + sp.sin(u)**7 / u**7], {u: (-1, 1), v: (-1, 1)}), PLATE, budget=5)
    assert found.status in (DistanceStatus.UNRESOLVED, DistanceStatus.BUDGET_SPENT)
    assert found.bracket[0] <= 1 < 1 + math.sin(1)**7 - 1e-9 <= found.bracket[1] <= 2


def test_the_entropy_function_has_bounds_at_zero():
    """u log|u| is least at u = 1/e, with -1/e, and 0 at 0."""
    found = collide.distance(ParametricSurface([u, v, 1 + u * sp.log(sp.Abs(u))], {u: (-1, 1), v: (-1, 1)}), PLATE, budget=5)
    assert found.status is DistanceStatus.MEASURED
    assert found.bracket[0] <= 1 - math.exp(-1) <= found.bracket[1] <= found.bracket[0] + 1e-9


@pytest.mark.parametrize("least", [0.0, 5e-324, 1e-310, 1.0, 1e300])
def test_what_is_known_to_a_rounding_is_measured(least):
    """Whatever is asked for: no double lies strictly inside the bracket. With one inside it is as wide as it is."""
    above, tolerance = math.nextafter(least, math.inf), Asked(1e-17)
    assert status_of(DistanceBounds(least, above, True, False), tolerance) is DistanceStatus.MEASURED
    assert status_of(DistanceBounds(least, math.nextafter(above, math.inf), True, False), tolerance) is DistanceStatus.UNRESOLVED


def test_a_parameter_of_another_body_keeps_its_range():
    """Also where surfaces are found to meet at a value, and where the budget is spent."""
    h, w = Parameter("h"), Parameter("w")
    bowl = ParametricSurface([u, v, u**2 + v**2 - 1], {u: (-1, 1), v: (-1, 1)})
    bodies = [bowl.moved(Rigid(translation=[0, 0, h])), PLATE, bowl.moved(Rigid(translation=[9, 0, w]))]
    for heights, budget in (((sp.Rational(1, 2), 2), 20), ((2, 3), 20), ((2, 3), collide.Budget(boxes=30))):
        found = collide.clearance(bodies, (0, 1), parameters={h: heights, w: (0, 1)}, budget=budget)
        assert len(found.parameters) and all(tuple(at[w]) == (0.0, 1.0) for at in found.parameters)
