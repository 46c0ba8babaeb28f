"""Global maxima: against closed forms, and against the minimum of minus the function."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import collide
from collide import Maximum, MaximumStatus

x, y = sp.symbols("x y", real=True)


@pytest.mark.parametrize(("objective", "options", "greatest"), [
    (x * (1 - x), {}, sp.Rational(1, 4)), (x + y, {"at_least": [1 - x**2 - y**2]}, sp.sqrt(2)),
    (x - y, {"equal": [x**2 + y**2 - 1]}, sp.sqrt(2)),
    (-sp.Abs(x - sp.Rational(1, 3)), {}, 0), (sp.sin(3 * x) * sp.cos(y), {}, 1), (x * y, {"at_least": [x < y]}, 4),
])  # fmt: skip
def test_the_greatest_value_is_in_the_bracket(objective: Any, options: dict[str, Any], greatest: Any) -> None:
    m = collide.maximize(objective, {x: (-2, 2), y: (-2, 2)}, **options)
    assert isinstance(m, Maximum) and m.status is MaximumStatus.OPTIMAL and m.bracket.lo <= m.bracket.hi
    assert m.bracket.lo - 1e-15 <= float(greatest) <= m.bracket.hi + 1e-15 and m.bracket.hi - m.bracket.lo <= 1e-7
    assert m.feasible is not None and ((m.feasible >= -2) & (m.feasible <= 2)).all()
    words = m.summary()
    assert "global maximum" in words and "The maximum lies in" in words and "maximizers" in words and "minim" not in words
    assert repr(m).startswith("Maximum(OPTIMAL") and "maximum" in m._repr_html_()


def test_it_is_minus_the_minimum_of_minus_the_function() -> None:
    f, domain = x**3 - 3 * x * y + sp.cos(y), {x: (-1, 2), y: (-1, 1)}
    most, least = collide.maximize(f, domain), collide.minimize(-f, domain)
    assert most.bracket == (-least.bracket.hi, -least.bracket.lo) and np.array_equal(most.boxes, least.boxes)


def test_without_a_feasible_point_or_a_search_nothing_is_claimed() -> None:
    m = collide.maximize(x, {x: (0, 1)}, at_least=[x - 2])
    assert m.status is MaximumStatus.INFEASIBLE and m.bracket == (-np.inf, -np.inf) and m.point is None
    m = collide.maximize(1 / x, {x: (-1, 1)}, budget=collide.Budget(boxes=100))
    assert m.bracket.hi == np.inf and "maximum" in m.summary()


@pytest.mark.parametrize(("objective", "words"), [([x, x**2], "maximize takes one objective, got 2"), (sp.Eq(x, 1), "belongs to equal=")])
def test_errors_teach(objective: Any, words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        collide.maximize(objective, {x: (0, 1)})


def test_a_log_is_that_of_the_minimum_of_minus_the_function(tmp_path: Path) -> None:
    pytest.importorskip("flint")
    m = collide.maximize(x * (1 - x), {x: (0, 1)}, log=tmp_path / "max.proof")
    checked = collide.check(tmp_path / "max.proof")
    assert checked.status.name == "ACCEPTED" and "minimum of minus the objective" in m.notes[-1] and "The log proves" in m.notes[0]
