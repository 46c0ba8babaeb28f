"""Forms of one variable that occurs more than once: bounds hold values of Arb, and are narrow."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb

import codegen

from ..arb_arithmetic import exact, surely_outside

x, y = sp.symbols("x y", real=True)

# A formula, a box, the formula of Arb's numbers, its range on the box, and how much wider the bounds may be.
FORMULAS: list[tuple[Any, tuple[float, float], Callable[[Any], Any], tuple[float, float], float]] = [
    (3 * x**2 - 2 * x**3, (0, 1), lambda a: 3 * a**2 - 2 * a**3, (0, 1), 1.1),
    (x**-12 - x**-6, (1, 1.5), lambda a: a**-12 - a**-6, (-0.25, 0), 3.4),
    (x / (1 + x), (0, 10), lambda a: a / (1 + a), (0, 10 / 11), 1.12),
    (x * sp.exp(-x), (0, 2), lambda a: a * (-a).exp(), (0, np.exp(-1)), 1.1),
    (sp.sin(x) * sp.cos(x), (0, 2), lambda a: a.sin() * a.cos(), (0.5 * np.sin(4), 0.5), 1.1),
    (x * sp.Abs(x) - x, (-1, 2), lambda a: a * abs(a) - a, (-0.25, 2), 1.4),
    (sp.sqrt(x) - x, (0, 1), lambda a: a.sqrt() - a, (0, 0.25), 2.0),
]  # fmt: skip


@pytest.mark.parametrize(("f", "ends", "truth", "values", "most"), FORMULAS)
def test_divided_bounds_hold_and_are_narrow(f: Any, ends: tuple[float, float], truth: Callable[[Any], Any], values: tuple[float, float],
                                            most: float) -> None:
    kernel = codegen.compile([f], [x], form="divided", quick=True)
    rng = np.random.default_rng(3)
    boxes = np.sort(rng.uniform(*ends, (40, 2)), axis=1)
    boxes[0] = ends
    boxes[1] = boxes[2, 0]
    lo, hi = kernel.interval(boxes[:, :1], boxes[:, 1:])
    for (a, b), least, greatest in zip(boxes, lo[:, 0], hi[:, 0], strict=True):
        for part in (0, Fraction(1, 7), Fraction(1, 2), Fraction(9, 11), 1):
            value = truth(exact(Fraction(a) + part * (Fraction(b) - Fraction(a))))
            assert isinstance(value, arb) and not surely_outside(value, least, greatest)
    natural = codegen.compile([f], [x], quick=True).interval(boxes[:, :1], boxes[:, 1:])
    assert (natural[0] <= lo).all() and (hi <= natural[1]).all()
    assert hi[0, 0] - lo[0, 0] <= most * (values[1] - values[0])


def test_unbounded_boxes_jumps_and_several_variables_stay_sound() -> None:
    kernel = codegen.compile([x / (1 + x), sp.floor(x) + x, x * y - x], [x, y], form="divided", quick=True)
    lo, hi, level = kernel.decorated([[0.0, 0.0], [0.5, 1.0]], [[np.inf, 1.0], [2.5, 2.0]])
    assert (lo[0] <= [0, 0, -1e300]).all() and hi[0, 0] >= 1 and hi[0, 1] == np.inf
    assert (lo[1] <= [1 / 3, 0.5, 0]).all() and (hi[1] >= [5 / 7, 4.5, 2.5]).all() and level[1, 1] == 1
    slopes = codegen.compile([x / (1 + x)], [x], form="divided", quick=True).jacobian().interval([[0.0]], [[1.0]])
    assert slopes[0][0, 0] <= 0.25 and slopes[1][0, 0] >= 1
