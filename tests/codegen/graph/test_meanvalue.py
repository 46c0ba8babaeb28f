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

CLAMPED = sp.Min(sp.Max(x, 0), 1)


def clamped(a: arb) -> arb:
    return a.max(arb(0)).min(arb(1))


# A formula, a box, the formula of Arb's numbers, its range on the box, and how much wider the bounds may be.
FORMULAS: list[tuple[Any, tuple[float, float], Callable[[Any], Any], tuple[float, float], float]] = [
    (3 * x**2 - 2 * x**3, (0, 1), lambda a: 3 * a**2 - 2 * a**3, (0, 1), 1.06),
    (x**-12 - x**-6, (1, 1.5), lambda a: a**-12 - a**-6, (-0.25, 0), 2.6),
    (x / (1 + x), (0, 10), lambda a: a / (1 + a), (0, 10 / 11), 1.12),
    (x * sp.exp(-x), (0, 2), lambda a: a * (-a).exp(), (0, np.exp(-1)), 1.05),
    (sp.sin(x) * sp.cos(x), (0, 2), lambda a: a.sin() * a.cos(), (0.5 * np.sin(4), 0.5), 1.02),
    (x * sp.Abs(x) - x, (-1, 2), lambda a: a * abs(a) - a, (-0.25, 2), 1.01),
    (3 * CLAMPED**2 - 2 * CLAMPED**3, (-0.5, 1.5), lambda a: 3 * clamped(a) ** 2 - 2 * clamped(a) ** 3, (0, 1), 1.75),
    (sp.sqrt(x) - x, (0, 1), lambda a: a.sqrt() - a, (0, 0.25), 1.5),
]  # fmt: skip


@pytest.mark.parametrize("form", ["bicentred", "divided"])
@pytest.mark.parametrize(("f", "ends", "truth", "values", "most"), FORMULAS)
def test_bounds_hold_and_are_narrow(f: Any, ends: tuple[float, float], truth: Callable[[Any], Any], values: tuple[float, float],
                                    most: float, form: str) -> None:
    kernel = codegen.compile([f], [x], form=form, quick=True)
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
    assert form != "divided" or hi[0, 0] - lo[0, 0] <= most * (values[1] - values[0])


# Where they are proved monotone: a formula, a box, whether it rises.
MONOTONE = [(x**-12 - x**-6, (1.3125, 1.328125), True), (3 * x**2 - 2 * x**3, (0.25, 0.5), True), (x * sp.exp(-x), (2, 2.25), False),
            (sp.sqrt(x) - x, (0.5, 0.75), False), (x - sp.sin(x) / 2, (-20, 30), True)]


@pytest.mark.parametrize(("f", "ends", "rises"), MONOTONE)
def test_bicentred_bounds_of_monotone_formulas_are_those_of_the_ends(f: Any, ends: tuple[float, float], rises: bool) -> None:
    lo, hi = (float(e[0, 0]) for e in codegen.compile([f], [x], form="bicentred").interval([[ends[0]]], [[ends[1]]]))
    least, greatest = (f.subs(x, sp.Rational(e)).evalf(40) for e in (ends if rises else ends[::-1]))
    assert lo <= least and greatest <= hi
    assert hi - lo <= float(greatest - least) * (1 + 1e-13)


def test_bicentred_bounds_of_several_variables() -> None:
    """Each variable has a centre of its own: an end where its slope has one sign, else a place within the box."""
    f = x * y - x - y + sp.exp(y - x)
    lo, hi = codegen.compile([f, sp.Integer(3) + 0 * x, x - y], [x, y], form="bicentred").interval([[1.5, 0.5]], [[1.625, 0.625]])
    natural = codegen.compile([f], [x, y]).interval([[1.5, 0.5]], [[1.625, 0.625]])
    values = np.array([float(f.subs({x: a, y: b})) for a in np.linspace(1.5, 1.625, 9) for b in np.linspace(0.5, 0.625, 9)])
    assert (lo[0, 0] <= values).all() and (values <= hi[0, 0]).all()
    assert lo[0, 1:].tolist() == [3, 0.875] and hi[0, 1:].tolist() == [3, 1.125]
    assert hi[0, 0] - lo[0, 0] < 1.3 * np.ptp(values) < 0.6 * (natural[1] - natural[0])[0, 0]


@pytest.mark.parametrize("form", ["bicentred", "divided"])
def test_unbounded_boxes_jumps_and_several_variables_stay_sound(form: str) -> None:
    kernel = codegen.compile([x / (1 + x), sp.floor(x) + x, x * y - x], [x, y], form=form, quick=True)
    lo, hi, level = kernel.decorated([[0.0, 0.0], [0.5, 1.0]], [[np.inf, 1.0], [2.5, 2.0]])
    assert (lo[0] <= [0, 0, -1e300]).all() and hi[0, 0] >= 1 and hi[0, 1] == np.inf
    assert (lo[1] <= [1 / 3, 0.5, 0]).all() and (hi[1] >= [5 / 7, 4.5, 2.5]).all() and level[1, 1] == 1
    slopes = codegen.compile([x / (1 + x)], [x], form=form, quick=True).jacobian().interval([[0.0]], [[1.0]])
    assert slopes[0][0, 0] <= 0.25 and slopes[1][0, 0] >= 1
