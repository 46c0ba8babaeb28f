"""Answers where SymPy's formulas are real and a narrower convention would not be: no solution is denied."""

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

import codegen
import collide
from collide import MinimumStatus, SubpavingStatus, ZerosStatus

x, n = sp.symbols("x n", real=True)
HALF = sp.Rational(1, 2)
DIGAMMA = [1.4616321449683623, -0.5040830082644554, -1.5734984731623905, -2.6107208684441446]


def held(r: Any, *places: tuple[float, ...]) -> bool:
    """Does each place lie in a box?"""
    return all(((r.boxes[:, :, 0] <= np.add(at, 1e-9)) & (r.boxes[:, :, 1] >= np.subtract(at, 1e-9))).all(axis=1).any() for at in places)


def test_zeros_of_digamma_below_zero_are_found() -> None:
    r = collide.solve(sp.digamma(x), {x: (-3, 3)})
    assert r.status is not ZerosStatus.NO_SOLUTION and r.proved.sum() == 4 and held(r, *((a,) for a in DIGAMMA))
    r = collide.solve(sp.polygamma(1, x) - 10, {x: (-sp.Rational(9, 10), 2)})
    assert r.proved.sum() == 3
    for box in r.boxes[r.proved]:
        at = mpmath.findroot(lambda s: mpmath.polygamma(1, s) - 10, box[0].mean())
        assert box[0, 0] - 1e-15 <= at <= box[0, 1] + 1e-15


def test_powers_of_negative_bases_are_not_denied() -> None:
    r = collide.solve([x**n - 4, n - 2], {x: (-5, 5), n: (1, 3)})
    assert r.status is ZerosStatus.UNRESOLVED and held(r, (2, 2), (-2, 2))
    assert collide.solve(x**x + 1, {x: (-2, -HALF)}).status is ZerosStatus.UNRESOLVED
    m = collide.minimize(x**n, {x: (-2, 2), n: (3, 4)}, budget=collide.Budget(boxes=2000))
    assert m.status is not MinimumStatus.OPTIMAL and m.bracket[0] <= -8
    lo, hi = codegen.contract(sp.Eq(x**n, 9), [x, n])([[-4.0, 1.0]], [[-1.0, 3.0]])
    assert lo[0, 0] <= -3 <= hi[0, 0] and lo[0, 1] <= 2 <= hi[0, 1]
    p = collide.pave(sp.Eq(x**n, 9), {x: (-4, -1), n: (1, 3)}, eps=0.25)
    assert p.status is SubpavingStatus.PAVED and any((b[:, 0] <= [-3, 2]).all() and (b[:, 1] >= [-3, 2]).all() for b in p.border)
    assert collide.solve(0**x - 1, {x: (-1, 1)}).status is not ZerosStatus.NO_SOLUTION


@pytest.mark.parametrize(("assumed", "ends", "words"), [
    ({"integer": True}, (HALF / 2, HALF), "to be an integer, and there is none"), ({"even": True}, (0, 5), "assumed to be even"),
    ({"rational": True}, (0, 5), "to be rational"),
    ({"irrational": True}, (0, 5), "assumed not to be"), ({"imaginary": True}, (0, 5), "not to be a real number"),
    ({"commutative": False}, (0, 5), "not to commute"), ({"positive": True}, (-2, -1), "to be positive, but its domain is from -2 to -1"),
    ({"negative": True}, (0, 2), "to be negative"), ({"prime": True}, (0, 5), "assumed to be prime"),
    ({"nonnegative": True}, (-2, -1), "to be nonnegative"),
])  # fmt: skip
def test_assumptions_that_the_domain_does_not_have_are_refused(assumed: dict[str, bool], ends: tuple[int, int], words: str) -> None:
    s = sp.Symbol("s", **assumed)
    for ask in (lambda: collide.solve(2 * s - 3, {s: ends}), lambda: collide.minimize((s - 5 * HALF)**2, {s: ends}),
                lambda: collide.maximize(s**2, {s: ends}), lambda: collide.pave(sp.Le(s**2, 3, evaluate=False), {s: ends}, eps=0.5)):
        with pytest.raises(ValueError, match=words):
            ask()


def test_a_sign_that_the_domain_has_is_none() -> None:
    p = sp.Symbol("p", positive=True)
    assert collide.solve(sp.sqrt(p**2) - 1, {p: (0, 2)}).status is ZerosStatus.COMPLETE


def test_one_equation_in_two_unknowns_names_pave() -> None:
    with pytest.raises(ValueError, match=r"collide\.pave covers those"):
        collide.solve(x**2 + n**2 - 1, {x: (-2, 2), n: (-2, 2)})


@pytest.mark.parametrize(("condition", "status"), [
    (x > HALF, ZerosStatus.NO_SOLUTION), (2 * x > 1, ZerosStatus.NO_SOLUTION), (sp.Not(x <= HALF), ZerosStatus.NO_SOLUTION),
    (x >= HALF, ZerosStatus.COMPLETE), (x > HALF - 1, ZerosStatus.COMPLETE),
])  # fmt: skip
def test_strict_conditions_of_zeros_are_strict(condition: Any, status: ZerosStatus) -> None:
    assert collide.solve(2 * x - 1, {x: (-2, 2)}, at_least=[condition]).status is status
