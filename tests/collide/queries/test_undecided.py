"""Zeros proved by a change of sign, and the reasons why boxes are left undecided."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb, ctx, fmpq

import collide
from collide import ZerosStatus
from collide.queries.undecided import Reason

x, y = sp.symbols("x y", real=True)


@pytest.mark.parametrize(("f", "ends", "truth"), [
    (sp.exp(x) - sp.Integer(10)**300, (0, 709), lambda: 300 * arb(10).log()),
    (sp.exp(x) - sp.Integer(10)**300, (0, 800), lambda: 300 * arb(10).log()),
    (x**3 - sp.Rational(1, 10**90), (-1, 1), lambda: arb(fmpq(1, 10**30))),
    (sp.exp(-x) - sp.Rational(1, 10**200), (0, 700), lambda: 200 * arb(10).log()),
])  # fmt: skip
def test_steep_and_flat_zeros_are_proved(f: Any, ends: tuple[int, int], truth: Any) -> None:
    found = collide.solve(f, {x: ends})
    lo, hi = (Fraction(float(e)) for e in found.boxes[0, 0])
    bits, ctx.prec = ctx.prec, 200
    try:
        inside = arb(fmpq(*lo.as_integer_ratio())) < truth() < arb(fmpq(*hi.as_integer_ratio()))
    finally:
        ctx.prec = bits
    assert found.status is ZerosStatus.COMPLETE and len(found) == 1 and inside and found.reasons == ()


@pytest.mark.parametrize(("equations", "domain", "reason", "words"), [
    (x**2, {x: (-1, 1)}, Reason.DOUBLE, "derivatives are singular"), (sp.Abs(x), {x: (-1, 1)}, Reason.JUMP, "kink"),
    ((sp.exp(x) - 1) / x - 1, {x: (-1, 1)}, Reason.QUOTIENT, "numerator and its denominator"),
    (sp.sqrt(x), {x: (0, 3)}, Reason.BORDER, "border of the domain"),
    (1 / x - 5 * sp.Abs(x) / x**2, {x: (-1, 1)}, Reason.POLE, "at or near a pole"),
    (sp.sqrt(sp.sin(x) ** 2 - 1), {x: (0, 3)}, Reason.UNDEFINED, "not known to be defined"),
    ([x**2 + y**2 - 1, x - 1], {x: (-2, 2), y: (-2, 2)}, Reason.DOUBLE, "singular"),
    ([sp.atan(10**15 * (x - sp.Rational(7, 10))), y - sp.Rational(1, 2)], {x: (0, 2), y: (0, 1)}, Reason.OPEN, "smaller tolerance"),
    ([x * y, x - 1, y], {x: (-2, 2), y: (-2, 2)}, Reason.MANY, "more equations than variables"),
])  # fmt: skip
def test_an_undecided_box_has_a_reason(equations: Any, domain: Any, reason: Reason, words: str) -> None:
    found = collide.solve(equations, domain)
    assert found.status is ZerosStatus.UNRESOLVED and set(found.reasons) == {reason} and len(found.reasons) == int((~found.proved).sum())
    assert words in found.summary() and "Undecided: 1" in found.summary()


@pytest.mark.parametrize(("f", "zeros"), [
    (sp.floor(x) - 1, [(1, 2)]), (sp.Max(x, 0), [(-3, 0)]), (sp.sign(x) - 1, [(0, 4)]),
    (sp.Piecewise((0, x < sp.Rational(3, 10)), (x - 1, True)), [(-3, 0.3), (1, 1)]), (sp.floor(sp.sqrt(x) / 4 + 1) - 1, [(0, 4)]),
])  # fmt: skip
def test_a_set_of_zeros_with_an_interior_ends_the_search(f: Any, zeros: list[tuple[float, float]]) -> None:
    """Its box is listed, to the tolerance, and is not proved to hold one zero alone."""
    found = collide.solve(f, {x: (-3, 4)}, budget=collide.Budget(boxes=1000))
    assert found.status is ZerosStatus.UNRESOLVED and set(found.reasons) == {Reason.FILLED} and "collide.pave" in found.summary()
    boxes = sorted(tuple(box) for box in found.boxes[:, 0].tolist())
    assert all(a <= lo and hi <= b and b - a <= hi - lo + 2e-9 for (a, b), (lo, hi) in zip(boxes, zeros, strict=True))
    assert not found.proved[[b - a > 1e-6 for a, b in found.boxes[:, 0]]].any()


def test_a_condition_that_begins_to_fail_at_a_zero_is_the_reason() -> None:
    found = collide.solve(x**3 + x - 2 * sp.sqrt(2) - sp.sqrt(2), {x: (0, 2)}, at_least=x <= sp.sqrt(2))
    assert found.status is ZerosStatus.UNRESOLVED and found.reasons == (Reason.CONDITION,) and "conditions hold" in found.summary()


def test_conditions_cut_a_set_of_zeros() -> None:
    found = collide.solve(sp.floor(x) - 1, {x: (0, 3)}, at_least=x < sp.Rational(3, 2), budget=collide.Budget(boxes=1000))
    assert found.reasons == (Reason.FILLED,) and np.allclose(found.boxes, [[[1, 1.5]]], rtol=0, atol=2e-9)


def test_a_spent_search_names_a_set_of_zeros_with_an_interior() -> None:
    found = collide.solve([sp.floor(x) - 1, sp.floor(y) - 1], {x: (0, 3), y: (0, 4)}, budget=collide.Budget(boxes=1000))
    assert found.status is ZerosStatus.BUDGET_SPENT and found.reasons == () and "every point is a zero" in found.summary()


def test_a_jump_over_zero_is_no_zero() -> None:
    """The signs differ, but the function is not continuous: as 1/x and sign(x)."""
    for f in (sp.sign(x), sp.sign(x) * (1 + x**2), sp.Piecewise((-1, x < 0), (1, True)) + x / 9):
        assert not collide.solve(f, {x: (-1, 2)}, budget=collide.Budget(boxes=3000)).proved.any()
