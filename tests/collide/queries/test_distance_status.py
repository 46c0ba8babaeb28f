"""Which brackets of a distance count as decided, and formulas that have no bound somewhere."""

import pytest
import sympy as sp

import collide
from collide import DistanceStatus
from generative import ParametricSurface, u, v

PLATE = ParametricSurface([u, v, 0], {u: (-1, 1), v: (-1, 1)})


@pytest.mark.parametrize(("height", "least", "most"), [(sp.sin(u) / u, 1, 1 + sp.sin(1)), (u * sp.log(sp.Abs(u)), 0, 1)])
def test_formulas_without_a_bound_somewhere_leave_a_wide_bracket(height, least, most):
    """Intervals have no bound of the height at u = 0. This is an answer, not an error."""
    found = collide.distance(ParametricSurface([u, v, 1 + height], {u: (-1, 1), v: (-1, 1)}), PLATE, budget=5)
    assert found.status in (DistanceStatus.UNRESOLVED, DistanceStatus.BUDGET_SPENT)
    assert found.bracket[0] <= least and most - 1 <= found.bracket[1] <= most + 1e-9
