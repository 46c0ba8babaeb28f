"""Integer variables in `solve`, `minimize`, `maximize`, `pave` and `contract`, against every integer tried one by one."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

import codegen
import collide
from collide import MinimumStatus, SubpavingStatus, ZerosStatus

x, y = sp.symbols("x y", real=True)
n, m, k = sp.symbols("n m k", integer=True)
HALF = sp.Rational(1, 2)


def test_all_sums_of_three_squares_are_found() -> None:
    found = collide.solve(n**2 + m**2 + k**2 - 1001, {n: (0, 40), m: (0, 40), k: (0, 40)})
    tried = {t for t in itertools.product(range(33), repeat=3) if sum(e * e for e in t) == 1001}
    assert found.status is ZerosStatus.COMPLETE and {tuple(map(int, p)) for p in found.points} == tried and len(found) == len(tried)


def test_reals_and_integers_are_solved_together() -> None:
    found = collide.solve(x**2 - n, {x: (-3, 3), n: (HALF, 5)})
    truth = sorted((sign * math.sqrt(i), i) for i in range(1, 6) for sign in (-1, 1))
    assert found.status is ZerosStatus.COMPLETE and np.allclose(sorted(map(tuple, found.points)), truth, atol=1e-12)
    found = collide.solve([x**n - 4, n - 2], {x: (-5, 5), n: (1, 3)})
    assert found.status is ZerosStatus.COMPLETE and sorted(found.points[:, 0].round(9)) == [-2, 2]
    assert collide.solve(2 * n - 3, {n: (-5, 5)}).status is ZerosStatus.NO_SOLUTION
    assert collide.solve([x - n, x - n - HALF], {x: (0, 9), n: (0, 9)}).status is ZerosStatus.NO_SOLUTION


def test_a_curve_of_zeros_in_the_reals_is_undecided_and_conditions_hold() -> None:
    """n = 0 leaves no equation for x."""
    found = collide.solve(n * (x - 1), {x: (0, 3), n: (0, 2)})
    assert found.status is ZerosStatus.UNRESOLVED and found.proved.sum() == 2 and (found.boxes[~found.proved][0] == [[0, 3], [0, 0]]).all()
    found = collide.solve(x**2 - n, {x: (-3, 3), n: (1, 5)}, at_least=[x > 0, n > 2])
    assert found.status is ZerosStatus.COMPLETE and np.allclose(sorted(found.points[:, 0]), np.sqrt([3, 4, 5]))


@pytest.mark.parametrize(("objective", "ends", "conditions", "equal"), [
    ((n - 5 * HALF)**2, ((-10, 10),), [], []),
    (-5 * n - 4 * m, ((0, 100), (0, 100)), [24 - 6 * n - 4 * m, 6 - n - 2 * m], []),
    ((n**2 + m - 11)**2 + (n + m**2 - 7)**2, ((-50, 50), (-50, 50)), [n + m <= 4], []),
    (n**3 - 7 * n * m + m**2, ((-9, 9), (-20, 20)), [sp.Or(n * m >= 30, n < -5)], []),
    (3 * n + 5 * m, ((0, 40), (0, 40)), [], [7 * n + 4 * m - 101]),
    ((-1)**n * n + sp.Rational(1, 3) * m**2 - m, ((-6, 6), (-3, 5)), [m > 1, sp.Ne(n, -5)], []),
])  # fmt: skip
def test_minima_over_integers_are_those_of_all_that_are_tried(objective: Any, ends: tuple[tuple[int, int], ...], conditions: list[Any],
                                                             equal: list[Any]) -> None:
    symbols = (n, m)[:len(ends)]
    value = sp.lambdify(symbols, objective)
    keeps = sp.lambdify(symbols, [c if isinstance(c, sp.logic.boolalg.Boolean) else c >= 0 for c in conditions])
    zero = sp.lambdify(symbols, equal)
    points = [tuple(map(Fraction, p)) for p in itertools.product(*(range(a, b + 1) for a, b in ends))]
    values = {p: value(*p) for p in points if all(keeps(*p)) and not any(zero(*p))}
    least = min(values.values())
    found = collide.minimize(objective, dict(zip(symbols, ends, strict=True)), equal=equal, at_least=conditions)
    assert found.status is MinimumStatus.OPTIMAL and found.bracket.lo <= least <= found.bracket.hi
    assert found.point is not None and values[tuple(map(Fraction, found.point))] <= Fraction(found.bracket.hi)
    for p in (p for p, v in values.items() if v == least):
        assert any(all(lo <= e <= hi for e, (lo, hi) in zip(p, box, strict=True)) for box in found.boxes), p


def test_mixed_minima() -> None:
    found = collide.minimize((x - sp.Rational(1, 3))**2 + (n - sp.pi)**2 + x * n, {x: (-5, 5), n: (-100, 100)})
    each = [(1 / 3 - i / 2, i) for i in range(-9, 11)]
    truth = min((a - 1 / 3)**2 + (i - math.pi)**2 + a * i for a, i in each)
    assert found.status is MinimumStatus.OPTIMAL and found.bracket.lo - 1e-12 <= truth <= found.bracket.hi + 1e-12
    found = collide.minimize(x**n, {x: (-2, 2), n: (3, 4)})
    assert found.status is MinimumStatus.OPTIMAL and found.bracket.lo <= -8 <= found.bracket.hi and found.point.tolist() == [-2, 3]
    found = collide.maximize(n * x - x**2, {x: (0, 10), n: (0, 4)}, at_least=[x + n <= 5])
    assert found.status is collide.MaximumStatus.OPTIMAL and found.bracket.lo <= 3 <= found.bracket.hi
    assert found.point.round(9).tolist() == [1, 4]
    assert collide.minimize(n + m, {n: (0, 5), m: (0, 5)}, equal=[2 * n + 4 * m - 7]).status is MinimumStatus.INFEASIBLE


def test_a_budget_ends_a_search_over_integers_with_what_is_proved() -> None:
    found = collide.minimize((n * m - 391)**2 + sp.sin(n * m), {n: (2, 900), m: (2, 900)}, budget=collide.Budget(boxes=40))
    assert found.status is MinimumStatus.BUDGET_SPENT and found.bracket.lo <= math.sin(391) and len(found.boxes)
    found = collide.solve(n * m * k - 30031, {n: (2, 900), m: (2, 900), k: (1, 900)}, budget=collide.Budget(boxes=3))
    assert found.status is ZerosStatus.BUDGET_SPENT and len(found.boxes) and not found.proved.all()


def test_paving_counts_integers() -> None:
    disc = collide.pave(x**2 + n**2 <= 4, {x: (-3, 3), n: (-3, 3)}, eps=0.01)
    area = 4 + 4 * math.sqrt(3)
    assert disc.status is SubpavingStatus.PAVED and disc.volume.lo <= area <= disc.volume.hi <= disc.volume.lo + 0.2
    ring = collide.pave(sp.Eq(n**2 + m**2, 25), {n: (-6, 6), m: (-6, 6)}, eps=0.01)
    tried = {(a, b) for a in range(-6, 7) for b in range(-6, 7) if a * a + b * b == 25}
    assert len(ring.border) == len(tried) and {tuple(map(int, b[:, 0])) for b in ring.border} == tried


def test_contractors_round_integers_inwards() -> None:
    halves = codegen.contract(sp.Eq(x, n / 2), [x, n])
    lo, hi = halves([[0.2, -3.4], [0.6, -3.4]], [[0.9, 3.7], [0.9, 3.7]])
    assert lo[0].tolist() == hi[0].tolist() == [0.5, 1.0] and np.isnan([lo[1], hi[1]]).all()
    # The complement is one among integers, too.
    lo, hi = (~halves)([[0.2, -3.4]], [[0.9, 3.7]])
    assert lo[0].tolist() == [0.2, -3] and hi[0].tolist() == [0.9, 3]
    lo, hi = codegen.contract(sp.Eq(x**n, 9), [x, n])([[-4, 1.2]], [[-1, 4]])
    assert lo[0, 0] <= -3 <= hi[0, 0] and lo[0, 1] <= 2 <= hi[0, 1]


def test_signs_cut_the_domain_with_a_sentence() -> None:
    p, q = sp.Symbol("p", positive=True), sp.Symbol("q", nonzero=True, real=True)
    found = collide.solve(p**2 - 1, {p: (-2, 2)})
    assert found.status is ZerosStatus.COMPLETE and len(found) == 1 and "p is assumed to be positive" in found.summary()
    assert "assumed to be positive" in collide.minimize((p + 1)**2, {p: (-2, 2)}).summary()
    assert collide.minimize((p + 1)**2, {p: (-2, 2)}).bracket.lo >= 1 - 1e-7
    assert "assumed to be positive" in collide.pave(p**2 <= 2, {p: (-2, 2)}, eps=0.1).summary()
    # q is not 0: that zero is not proved.
    found = collide.solve(q * (q - 1), {q: (-2, 2)})
    assert [round(float(e), 9) for e in found.points[found.proved][:, 0]] == [1]


def test_what_integers_cannot_do_is_said(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match="no log can be written of integer variables, such as n"):
        collide.solve(n - 1, {n: (0, 3)}, log=tmp_path / "log")
    with pytest.raises(ValueError, match="up to 2\\*\\*53"):
        collide.solve(n - 1, {n: (0, 2**60)})
    with pytest.raises(ValueError, match="1 equation in 2 variables"):
        collide.solve(x * y - n, {x: (0, 3), y: (0, 3), n: (0, 3)})
