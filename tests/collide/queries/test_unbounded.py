"""Zeros and least values on the whole line or half of it: closed forms, and domains that stay refused."""

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp

import collide
from collide import MinimumStatus, ZerosStatus
from collide.queries.unbounded import finite_ends

x, y, u = sp.symbols("x y u", real=True)
n, q = sp.Symbol("n", integer=True), sp.Symbol("q", negative=True)
LINE = (-sp.oo, sp.oo)


@pytest.mark.parametrize(("equations", "domain", "zeros"), [
    (x**3 - x, {x: LINE}, [[-1], [0], [1]]), (u**3 - u, {u: (-math.inf, 1 / 2)}, [[-1], [0]]),
    ([x**2 + y**2 - 1, x - y], {x: LINE, y: LINE}, [[-math.sqrt(0.5)] * 2, [math.sqrt(0.5)] * 2]),
    ([x * y - 1, x - 4 * y], {x: LINE, y: np.array(LINE, float)}, [[-2, -0.5], [2, 0.5]]),
    (sp.exp(x) - sp.Integer(10)**300, {x: (0, sp.oo)}, [[300 * math.log(10)]]),
    ((x - 3) / (x**2 + 1), {x: (2, sp.oo)}, [[3]]),
    (n**2 - 49, {n: LINE}, [[-7], [7]]), (q**2 - 49, {q: (-sp.oo, 5)}, [[-7]]),
])  # fmt: skip
def test_zeros_on_the_line(equations: Any, domain: Any, zeros: Any) -> None:
    found = collide.solve(equations, domain)
    assert found.status is ZerosStatus.COMPLETE and "No zero lies beyond" in found.summary()
    boxes = found.boxes[np.lexsort(found.boxes[:, ::-1, 0].T)]
    assert len(boxes) == len(zeros) and np.allclose(boxes.mean(axis=2), zeros, rtol=1e-12, atol=1e-12)


def test_all_zeros_of_a_line_and_a_wave_are_found() -> None:
    """sin x = x/10 has seven zeros, none beyond 10."""
    found = collide.solve(sp.sin(x) - x / 10, {x: LINE})
    assert found.status is ZerosStatus.COMPLETE and len(found) == 7 and np.allclose(np.sin(found.points), found.points / 10, atol=1e-12)


def test_a_condition_may_end_a_domain() -> None:
    found = collide.solve(sp.sin(x), {x: LINE}, at_least=10 - x**2)
    assert found.status is ZerosStatus.COMPLETE and np.allclose(np.sort(found.points[:, 0]), [-math.pi, 0, math.pi])


@pytest.mark.parametrize("f", [sp.sin(x), x - x**2 * sp.sin(x), sp.exp(-x), sp.sin(1 / x), 1 / x], ids=str)
def test_no_end_is_proved_where_zeros_go_on_or_values_come_near_zero(f: Any) -> None:
    with pytest.raises(ValueError, match="the domain of x must have two finite real ends, as it is not proved that no zero lies beyond"):
        collide.solve(f, {x: (1, sp.oo)})


def test_ends_enclose_all_roots_of_polynomials() -> None:
    """Roots are rational, so known exactly; poles are others."""
    rng = np.random.default_rng(4)
    for _ in range(4):
        roots = [sp.Rational(int(p), int(r)) for p, r in zip(rng.integers(-1000, 1000, 3), rng.integers(1, 9, 3), strict=True)]
        f = sp.expand(sp.prod(x - r for r in roots)) / sp.expand((x - 1001) * (x + 7))
        (lo, hi), notes = finite_ends({x: LINE}, f, ())[0][x], finite_ends({x: LINE}, f, ())[1]
        assert lo <= min(roots) and max(roots) <= hi and notes


def test_bad_ends_and_logs_are_refused(tmp_path: Any) -> None:
    with pytest.raises(TypeError, match="an end of the domain of x"):
        collide.solve(x, {x: (-sp.oo, "1")})
    with pytest.raises(ValueError, match="domain with infinite ends"):
        collide.solve(x**2 - 2, {x: LINE}, log=tmp_path / "log")


@pytest.mark.parametrize(("f", "domain", "limits", "least"), [
    (x**2 - 3 * x, {x: LINE}, {}, -9 / 4), (x**4 - 5 * x, {x: LINE}, {}, -15 / 4 * (5 / 4) ** (1 / 3)),
    ((1 - x) ** 2 + 100 * (y - x**2) ** 2, {x: LINE, y: (-math.inf, math.inf)}, {}, 0),
    (x / (1 + x**2), {x: LINE}, {}, -1 / 2), (-1 / (1 + (x - 5) ** 2), {x: LINE}, {}, -1),
    ((3 - x) / (x**2 + 7), {x: (0, sp.oo)}, {}, -1 / 14),
    (x + y, {x: (0, sp.oo), y: (0, sp.oo)}, {"at_least": x * y - 1}, 2), (x**2, {x: LINE}, {"at_least": sp.Gt(x, 100)}, 10000),
    (x**2 + y, {x: LINE, y: LINE}, {"equal": y - x**4}, 0), ((n - sp.Rational(5, 2)) ** 2, {n: LINE}, {}, 1 / 4),
    (q**2 - q, {q: (-sp.oo, -2)}, {}, 6),
])  # fmt: skip
def test_least_values_on_the_line(f: Any, domain: Any, limits: Any, least: float) -> None:
    found = collide.minimize(f, domain, **limits)
    assert found.status is MinimumStatus.OPTIMAL and "No best point lies beyond" in found.summary()
    rounding = 1e-15 * abs(least)
    assert found.bracket.lo <= least + rounding and least - rounding <= found.bracket.hi < least + 1e-6 * max(1, abs(least))


def test_the_greatest_value_of_a_line_is_in_its_bracket() -> None:
    found = collide.maximize(sp.exp(-(x**2)) - y**2, {x: LINE, y: LINE})
    assert found.status.name == "OPTIMAL" and found.bracket.lo <= 1 <= found.bracket.hi


def test_no_point_of_the_line_may_be_feasible() -> None:
    found = collide.minimize(x**2, {x: LINE}, equal=x**2 + 1)
    assert found.status is MinimumStatus.INFEASIBLE


@pytest.mark.parametrize("f", [x, sp.exp(-x), sp.sin(x), -(x**2), 1 / x], ids=str)
def test_least_values_that_are_not_reached_or_come_again_are_refused(f: Any) -> None:
    with pytest.raises(ValueError, match="not proved that no best point lies beyond some"):
        collide.minimize(f, {x: (1, sp.oo) if f != x else LINE})


def test_no_log_of_an_infinite_domain(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match="domain with infinite ends"):
        collide.minimize(x**2, {x: LINE}, log=tmp_path / "log")


def test_a_spent_budget_leaves_the_line() -> None:
    found = collide.minimize(x**2, {x: LINE}, equal=sp.sin(x) - 2 + sp.cos(x * x), budget=collide.Budget(seconds=1e-6))
    assert found.status is MinimumStatus.BUDGET_SPENT and found.bracket == (-math.inf, math.inf) and not np.isfinite(found.boxes).any()
