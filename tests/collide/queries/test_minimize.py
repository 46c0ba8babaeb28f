"""Global minima: published problems, closed forms, and brackets that no sampled feasible point undercuts."""

import math
import random
import sys
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from collide.queries.alternatives import alternatives
from collide.queries.formulas import read_domain
from collide.queries.minimize import _problem
from collide.queries.minimum import Minimum, MinimumStatus
from collide.search.feasible_points import _exactly, _feasible_values
from tests import problems

from .test_solve import digits, holds

x, y, z = sp.symbols("x y z", real=True)
third = sp.Rational(1, 3)
PROGRAMS = {p.name: p for p in problems.programs()}


def bracketed(m: Minimum, value: Any) -> bool:
    with mpmath.workdps(40):
        exact, error = digits(value)
        return bool(m.bracket.lo <= exact + error and exact - error <= m.bracket.hi)


def conditions(p: problems.Program) -> list[Any]:
    return [g if getattr(g, "is_Boolean", False) else g >= 0 for g in p.at_least]


@pytest.mark.parametrize("name", PROGRAMS)
def test_published_programs(name: str) -> None:
    """The bracket is narrow and holds the known minimum; every known minimizer lies in a box; the point is feasible."""
    p = PROGRAMS[name]
    m = collide.minimize(p.objective, p.domain, equal=p.equal, at_least=p.at_least)
    assert m.status is MinimumStatus.OPTIMAL and bracketed(m, p.minimum)
    assert m.bracket.hi - m.bracket.lo <= 1.01e-8 * max(1.0, abs(m.bracket.hi))
    for point in p.minimizers:
        assert any(holds(box, point) for box in m.boxes), f"no box holds {point}"
    assert m.point is not None and m.feasible is not None
    at = dict(zip(p.domain, map(sp.Float, m.point.tolist()), strict=True))
    assert abs(p.objective.subs(at) - m.bracket.hi) <= 1e-6 * max(1.0, abs(m.bracket.hi))
    assert all(abs(h.subs(at)) < 1e-9 for h in p.equal)
    assert all(g.subs(at) >= -1e-9 * 1e3 for g in p.at_least if not getattr(g, "is_Boolean", False))


@pytest.mark.parametrize("name", ["six-hump camel", "Branin", "Goldstein-Price", "HS10", "HS12", "HS24", "HS29", "HS43", "disjunction"])
def test_no_sampled_point_undercuts_the_bracket(name: str) -> None:
    p = PROGRAMS[name]
    m = collide.minimize(p.objective, p.domain, equal=p.equal, at_least=p.at_least)
    symbols = list(p.domain)
    f, ok = sp.lambdify(symbols, p.objective, "numpy"), sp.lambdify(symbols, sp.And(*conditions(p)), "numpy")
    rng = np.random.default_rng(5)
    for spread in (1.0, 1e-2, 1e-4):
        centre = m.boxes[0].mean(axis=1)
        ends = np.array([[float(lo), float(hi)] for lo, hi in p.domain.values()])
        sample = centre + spread * (rng.uniform(ends[:, 0], ends[:, 1], (20000, len(symbols))) - centre)
        values = f(*sample.T)[np.broadcast_to(ok(*sample.T), 20000)]
        assert not len(values) or values.min() >= m.bracket.lo - 1e-12 * max(1.0, abs(m.bracket.lo))


@pytest.mark.parametrize("seed", range(12))
def test_random_quadratics_over_a_disc(seed: int) -> None:
    """Indefinite quadratics over a disc: the minimum from 4000 directions of the rim and the inner stationary point."""
    rng = random.Random(seed)
    a, b, c, d, e = (sp.Rational(rng.randint(-50, 50), 10) for _ in range(5))
    objective = a * x**2 + b * x * y + c * y**2 + d * x + e * y
    m = collide.minimize(objective, {x: (-2, 2), y: (-2, 2)}, at_least=[1 - x**2 - y**2])
    f = sp.lambdify([x, y], objective, "numpy")
    angle = np.linspace(0, 2 * np.pi, 40001)
    radius = np.linspace(0, 1, 101)[:, None]
    least = f(radius * np.cos(angle[::40]), radius * np.sin(angle[::40])).min()
    least = min(least, f(np.cos(angle), np.sin(angle)).min())
    assert m.status is MinimumStatus.OPTIMAL
    assert m.bracket.lo <= least + 1e-12 and least - 1e-3 <= m.bracket.hi <= least + 1e-7


def test_equality_constraints_lie_on_the_surface() -> None:
    """The point of the sphere nearest to a plane's point: closed form."""
    m = collide.minimize(x + 2 * y + 3 * z, dict.fromkeys((x, y, z), (-2, 2)), equal=[x**2 + y**2 + z**2 - 1])
    assert m.status is MinimumStatus.OPTIMAL and bracketed(m, -sp.sqrt(14)) and len(m.boxes) == 1
    assert holds(m.boxes[0], [-1 / sp.sqrt(14), -2 / sp.sqrt(14), -3 / sp.sqrt(14)])


def test_infeasible_is_proved() -> None:
    domain = {x: (-2, 2), y: (-2, 2)}
    m = collide.minimize(x + y, domain, equal=[x**2 + y**2 - 5, x - y - 10])
    assert m.status is MinimumStatus.INFEASIBLE and len(m.boxes) == 0 and m.point is None
    assert collide.minimize(x, domain, at_least=[x**2 + y**2 - 100]).status is MinimumStatus.INFEASIBLE
    assert collide.minimize(x, domain, at_least=[sp.Rational(1, 2) - x, x - sp.Rational(501, 1000)]).status is MinimumStatus.INFEASIBLE
    assert collide.minimize(x, domain, at_least=[sp.false]).status is MinimumStatus.INFEASIBLE


def test_constraints_that_touch_are_not_called_infeasible() -> None:
    """x <= 1/3 and x >= 1/3 leave one point, which is no double."""
    m = collide.minimize(x**2, {x: (-1, 2)}, at_least=[third - x, x - third])
    assert m.status is not MinimumStatus.INFEASIBLE and m.bracket.lo <= 1 / 9 <= m.bracket.hi
    m = collide.minimize(x, {x: (-2, 2), y: (-2, 2)}, equal=[x**3 - y**2])
    assert m.bracket.lo <= 0 <= m.bracket.hi and m.bracket.lo > -1e-6
    assert any(holds(box, [0, 0]) for box in m.boxes)


def test_kinks_and_jumps() -> None:
    """The necessary conditions say nothing at kinks and jumps: the bracket holds all the same."""
    m = collide.minimize(sp.Abs(x - third) + sp.Abs(y), {x: (-1, 1), y: (-1, 2)})
    assert m.status is MinimumStatus.OPTIMAL and m.bracket.lo <= 0 <= m.bracket.hi and holds(m.boxes[0], [third, 0])
    m = collide.minimize(sp.Max(x, 1 - x), {x: (-3, 3)})
    assert m.status is MinimumStatus.OPTIMAL and bracketed(m, sp.Rational(1, 2))
    m = collide.minimize(sp.sqrt(x), {x: (-1, 1)})
    assert m.bracket.lo <= 0 <= m.bracket.hi
    m = collide.minimize(sp.floor(x) + x**2, {x: (-2, 3)}, budget=5)
    assert m.bracket.lo <= -1 <= m.bracket.hi + 1e-12
    m = collide.minimize(sp.Piecewise((x, x < third), (x - 1, True)), {x: (0, 1)}, budget=5)
    assert m.bracket.lo <= float(third) - 1 <= m.bracket.hi + 1e-6


def test_unbounded_below() -> None:
    m = collide.minimize(1 / x, {x: (-1, 1)}, budget=2)
    assert m.bracket.lo == -math.inf and m.status is not MinimumStatus.OPTIMAL


def test_values_that_are_cut_off_are_those_of_no_feasible_point() -> None:
    """-exp(1000 x) goes on below -1e300, where nothing is searched."""
    m = collide.minimize(-sp.exp(1000 * x), {x: (-1, 2)}, budget=collide.Budget(boxes=20_000))
    assert m.bracket.lo == -math.inf and m.status is not MinimumStatus.OPTIMAL
    assert m.bracket.hi >= -1.000002e300 and 1000 * m.point[0] < 300 * math.log(10) + 1e-5


def test_border_and_corner_minimizers() -> None:
    m = collide.minimize(x + y, {x: (third, 1), y: (sp.pi / 4, 3)})
    assert m.status is MinimumStatus.OPTIMAL and bracketed(m, third + sp.pi / 4) and holds(m.boxes[0], [third, sp.pi / 4])
    m = collide.minimize(-x**2, {x: (-1, 1)})
    assert bracketed(m, -1) and len(m.boxes) == 2 and m.unique.all()


def test_logical_combinations() -> None:
    domain = {x: (-3, 3), y: (-3, 3)}
    outside = sp.Not(sp.And(sp.Abs(x) < 1, sp.Abs(y) < 2))
    m = collide.minimize(x**2 + y**2, domain, at_least=[outside])
    assert m.status is MinimumStatus.OPTIMAL and bracketed(m, 1) and len(m.boxes) == 2
    m = collide.minimize((x - 2)**2 + y**2, domain, at_least=[sp.Or(sp.Eq(x, y), x <= -1)])
    assert bracketed(m, 2) and holds(m.boxes[0], [1, 1])
    m = collide.minimize(x, domain, at_least=[x > 1])
    assert bracketed(m, 1)


def test_a_choice_adds_no_points_where_it_changes() -> None:
    """x > 0 and x <= 0 exclude each other; closed, they would share x = 0, where the lesser of both alternatives is not asked for."""
    domain = {x: (-1, 1), y: (-1, 1)}
    choice = sp.ITE(x > 0, y >= x, y >= -x)
    m = collide.minimize(x + y, domain, at_least=[choice])
    assert m.status is MinimumStatus.OPTIMAL and bracketed(m, 0)
    m = collide.minimize((x - 1)**2 + y, domain, at_least=[sp.Xor(x >= 0, y >= 0), x >= -third])
    # x >= 0 and y <= 0, or x <= 0 and y >= 0: the least is at (1, -1).
    assert m.status is MinimumStatus.OPTIMAL and bracketed(m, -1)
    m = collide.minimize(x**2 + (y - 1)**2, {x: (-1, 1), y: (0, 1)}, at_least=[sp.Equivalent(x > third, y > third)])
    assert m.status is MinimumStatus.OPTIMAL and bracketed(m, third**2)
    m = collide.minimize(y, domain, at_least=[x >= 0, x <= 0])
    assert m.status is MinimumStatus.OPTIMAL and bracketed(m, -1)


@pytest.mark.parametrize("strict", [[x > y, y >= x], [x > y, 2 * y >= 2 * x], [y < x, sp.exp(y) >= sp.exp(x)],
                                    [sp.And(x > y, 2 * y >= 2 * x)], [x > y, sp.Or(y >= x, y >= 2)], [sp.Not(x <= y), y >= x],
                                    [x - y > 0, x - y <= 0]])  # fmt: skip
def test_a_strict_inequality_is_read_as_closed_however_it_is_written(strict: list[Any]) -> None:
    m = collide.minimize(x + y, {x: (0, 1), y: (0, 1)}, at_least=strict)
    assert m.status in (MinimumStatus.OPTIMAL, MinimumStatus.UNRESOLVED) and m.bracket[0] <= 0 and m.status is not MinimumStatus.INFEASIBLE
    assert any("Strict inequalities were read as closed: " in note and "> 0 as >= 0" in note for note in m.notes)
    assert not collide.minimize(x + y, {x: (0, 1), y: (0, 1)}, at_least=[x >= y]).notes


def test_alternatives_are_a_disjunctive_normal_form() -> None:
    terms = alternatives([sp.Or(x >= 0, y >= 0), sp.Not(sp.Or(x > 1, y > 1))])
    assert {t.at_least for t in terms} == {(x, 1 - x, 1 - y), (y, 1 - x, 1 - y)}
    assert alternatives([]) == [((), ())]


def test_spent_budget_keeps_the_bracket() -> None:
    p = PROGRAMS["Goldstein-Price"]
    m = collide.minimize(p.objective, p.domain, budget=collide.Budget(boxes=8))
    assert m.bracket.lo <= 3 <= m.bracket.hi
    if m.status is not MinimumStatus.OPTIMAL:
        assert m.status is MinimumStatus.BUDGET_SPENT and "budget" in m.summary()


def test_a_limit_of_memory_keeps_the_bracket() -> None:
    p = PROGRAMS["Branin"]
    m = collide.minimize(p.objective, p.domain, budget=collide.Budget(bytes=1000))
    assert m.status is MinimumStatus.BUDGET_SPENT and bracketed(m, p.minimum)


def test_repeatable() -> None:
    p = PROGRAMS["HS71"]
    first, second = (collide.minimize(p.objective, p.domain, equal=p.equal, at_least=p.at_least) for _ in range(2))
    assert first.bracket == second.bracket and np.array_equal(first.boxes, second.boxes)


@pytest.mark.parametrize(("arguments", "options", "message"), [
    ((x + z, {x: (0, 1)}), {}, "the free symbol z has no domain"),
    (([x, x], {x: (0, 1)}), {}, "one objective"),
    ((x, {x: (-sp.oo, 0)}), {}, "two finite real ends"),
    ((x, {x: (0, 1)}), {"tolerance": -1}, "tolerance must be a positive number"),
    ((x, {x: (0, 1)}), {"width": math.nan}, "width must be a positive number"),
    ((x, {x: (0, 1)}), {"at_least": [sp.Ne(x, 0)]}, "excludes single values"),
    ((x, {x: (0, 1)}), {"at_least": [sp.Interval(0, 1)]}, "a condition is a formula"),
    ((x, {x: (0, 1)}), {"at_least": "x > 0"}, "not as text"),
    ((x, {x: (0, 1)}), {"equal": [z]}, "the free symbol z has no domain"),
    ((x > 0, {x: (0, 1)}), {}, "the objective must be"),
    ((sp.Eq(x, 1), {x: (0, 1)}), {}, "the objective must be a real formula, got .*belongs to equal="),
])  # fmt: skip
def test_bad_input(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        collide.minimize(*arguments, **options)


def test_an_interrupt_before_the_search_leaves_the_domain(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["collide.queries.minimize"], "_problem", interrupted)
    m = collide.minimize(x * y, {x: (-2, 2), y: (0, 1)}, at_least=[x + y])
    assert m.status is MinimumStatus.BUDGET_SPENT and m.bracket == (-math.inf, math.inf) and m.point is None
    assert m.boxes.tolist() == [[[-2, 2], [0, 1]]] and m.summary()


def test_equations_that_say_nothing_are_left_out() -> None:
    m = collide.minimize(x, {x: (-1, 1)}, equal=[0 * x, sp.Integer(0)])
    assert m.status is MinimumStatus.OPTIMAL and m.bracket.lo <= -1 <= m.bracket.hi


@pytest.mark.parametrize(("objective", "domain", "minimum"), [
    (sp.floor(x) + x, (-2, 2), -4), (sp.frac(x), (-2, 2), 0), (sp.Piecewise((x, x < 0), (x - 5, True)), (-2, 2), -5),
    (sp.asin(x) + x, (-3, 3), -1 - sp.pi / 2), (sp.acosh(x), (-3, 3), 0), (sp.Heaviside(x - 1, 1) * (-x), (-3, 1), -1),
], ids=str)  # fmt: skip
def test_minima_at_jumps_and_infinite_slopes(objective: Any, domain: Any, minimum: Any) -> None:
    """No existence test succeeds there: the point itself is evaluated."""
    m = collide.minimize(objective, {x: domain})
    assert m.status is MinimumStatus.OPTIMAL and sp.Rational(m.bracket.lo) <= minimum <= sp.Rational(m.bracket.hi)
    assert m.feasible is not None and objective.subs(x, sp.Rational(m.feasible[0, 0])) <= sp.Rational(m.bracket.hi)


def test_a_minimum_where_a_slope_is_infinite_ends_the_search() -> None:
    """No test of existence succeeds there, so points are looked at while the search goes on, not only at its end."""
    r = collide.minimize(sp.sqrt(x) + y**2, {x: (-5, 5), y: (-1, 1)}, budget=collide.Budget(boxes=200_000))
    assert r.status is MinimumStatus.OPTIMAL and r.bracket == (0, 0) and r.iterations < 10_000
    assert any(holds(box, (0, 0)) for box in r.boxes)


def test_the_valley_of_bukin_is_closed() -> None:
    """Bukin's function 6 is 0 at (-10, 1) alone, and bounds in doubles end there at 1e-6: a root halves the digits of what vanishes."""
    bukin = 100 * sp.sqrt(sp.Abs(y - x**2 / 100)) + sp.Abs(x + 10) / 100
    r = collide.minimize(bukin, {x: (-15, -5), y: (-3, 3)}, budget=collide.Budget(boxes=20_000))
    assert r.status is MinimumStatus.OPTIMAL and r.bracket.lo == 0 <= r.bracket.hi <= 1e-8 and any(holds(box, (-10, 1)) for box in r.boxes)
    assert r.point is not None
    with mpmath.workdps(50):
        at = dict(zip((x, y), map(sp.Rational, r.point.tolist()), strict=True))
        assert 0 <= sp.N(bukin.subs(at), 50) <= sp.Rational(r.bracket.hi)


def test_points_are_evaluated_exactly_where_functions_are_defined() -> None:
    """To rounding, by rational arithmetic; without a bound beyond the domain of the function."""
    problem = _problem(sp.sqrt(sp.Abs(x / 3 - y)) + sp.log(y), [], [], read_domain({x: (-3, 3), y: (-3, 3)}))
    assert problem is not None
    lo, hi = _exactly(problem.equations[0], [0.3, 0.1])
    exact = sp.sqrt(sp.Abs(sp.Rational(0.3) / 3 - sp.Rational(0.1))) + sp.log(sp.Rational(0.1))
    assert sp.Rational(lo) < sp.N(exact, 40) < sp.Rational(hi) and hi == math.nextafter(lo, math.inf)
    assert _exactly(problem.equations[0], [1.0, -1.0]) == (-math.inf, math.inf)


def test_points_are_feasible_only_where_all_is_defined_and_holds() -> None:
    """Min(1, log x) + 2 where x = y, sqrt(y) <= 1 and y <= 2: at a pole, where it is undefined, off the equation, beyond the limit."""
    box = read_domain({x: (-2, 2), y: (-2, 2)})
    problem = _problem(sp.Min(1, sp.log(x)) + 2, [x - y], [1 - sp.sqrt(y), 2 - y], box)
    points = np.array([[0, 0], [-1, -1], [0.5, math.nextafter(0.5, 0)], [1.5, 1.5], [0.5, 0.5], [1, 1], [-1, 1]], float)
    assert problem is not None
    values = _feasible_values(problem, points)
    assert np.isinf(values[[0, 1, 2, 3, 6]]).all() and values[5] == 2
    assert values[4] - 1e-15 < 2 - math.log(2) <= values[4]


def test_entropies_on_boxes_that_begin_at_zero() -> None:
    """x^a log x is least at exp(-1/a), and of three shares in all 1 the even ones have the least sum of q log q."""
    q = sp.symbols("q0:3", real=True)
    for f, domain, equal, least in [
        (x * sp.log(x), {x: (0, 1)}, [], -math.exp(-1)), (sp.sqrt(x) * sp.log(x), {x: (0, 1)}, [], -2 * math.exp(-1)),
        (x**2 * sp.log(x), {x: (0, 1)}, [], -math.exp(-1) / 2),
        (sum(s * sp.log(s) for s in q), dict.fromkeys(q, (0, 1)), [sum(q) - 1], -math.log(3)),
    ]:
        m = collide.minimize(f, domain, equal=equal, budget=60)
        assert m.status == MinimumStatus.OPTIMAL and m.bracket.lo - 1e-15 <= least <= m.bracket.hi + 1e-15
