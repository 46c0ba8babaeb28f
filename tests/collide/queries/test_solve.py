"""All zeros of systems: against published and closed-form zeros, planted zeros, and Newton's method in 40 digits."""

import math
import random
import sys
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

import collide
from collide.queries.solve import ZerosStatus
from tests import problems

x, y = sp.symbols("x y", real=True)
SYSTEMS = {s.name: s for s in problems.systems()}


def digits(value: Any) -> tuple[mpmath.mpf, mpmath.mpf]:
    """A known value in 40 digits, and its uncertainty: none for exact ones, one unit of the last place for printed ones."""
    with mpmath.workdps(40):
        if isinstance(value, str):
            places = len(value.lower().split("e")[0].partition(".")[2]) - int((value.lower() + "e0").split("e")[1])
            return mpmath.mpf(value), mpmath.mpf(10) ** -places
        return mpmath.mpf(str(sp.N(sp.sympify(value), 40))), mpmath.mpf(10) ** -35


def holds(box: np.ndarray, point: Any) -> bool:
    with mpmath.workdps(40):
        return all(lo - error <= value <= hi + error for (lo, hi), (value, error) in zip(box.tolist(), map(digits, point), strict=True))


def refined(system: problems.System, start: np.ndarray) -> list[mpmath.mpf]:
    """A zero near `start` by Newton's method in 40 digits."""
    symbols = list(system.domain)
    f = sp.lambdify(symbols, list(system.equations), "mpmath")
    with mpmath.workdps(40):
        found = mpmath.findroot(lambda *p: f(*p), [mpmath.mpf(v) for v in start.tolist()], tol=1e-60, verify=False)
        return list(found)


@pytest.mark.parametrize("name", SYSTEMS)
def test_published_systems(name: str) -> None:
    """Every known zero is found, none is invented, and regular ones are proved."""
    s = SYSTEMS[name]
    r = collide.solve(s.equations, s.domain, at_least=s.at_least)
    assert r.status is (ZerosStatus.UNRESOLVED if s.singular else ZerosStatus.COMPLETE)
    assert len(r) == s.count and r.proved.all() == (not s.singular)
    for zero in s.zeros:
        assert sum(holds(box, zero) for box in r.boxes) == 1, f"{zero} is not in exactly one of {r.boxes.tolist()}"


@pytest.mark.parametrize("name", [n for n, s in SYSTEMS.items() if not s.singular])
def test_proved_boxes_hold_a_zero(name: str) -> None:
    """An independent Newton iteration converges into each proved box, or within its roundings of it."""
    s = SYSTEMS[name]
    r = collide.solve(s.equations, s.domain)
    for box, point in zip(r.boxes, r.points, strict=True):
        zero = refined(s, point)
        with mpmath.workdps(40):
            assert all(lo <= v <= hi for v, (lo, hi) in zip(zero, box.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(20))
def test_planted_zeros(seed: int) -> None:
    """(x - a)(x - b) = (y - c)(y - d) = 0, mixed by a random matrix: four zeros, those in the domain are listed."""
    rng = random.Random(seed)
    a, b, c, d = (sp.Rational(rng.randint(-3000, 3000), 1000) for _ in range(4))
    p, q = (x - a) * (x - b), (y - c) * (y - d)
    m = [rng.randint(1, 9) for _ in range(2)]
    r = collide.solve([p + m[0] * q, m[1] * p - q], {x: (-2, sp.Rational(5, 2)), y: (-2, 2)}, budget=20)
    inside = {(u, v) for u in (a, b) for v in (c, d) if -2 <= u <= sp.Rational(5, 2) and -2 <= v <= 2}
    for zero in inside:
        assert any(holds(box, zero) for box in r.boxes)
    assert r.status in (ZerosStatus.COMPLETE, ZerosStatus.NO_SOLUTION) and len(r) == len(inside)


def test_no_solution_is_proved() -> None:
    r = collide.solve([x**2 + y**2 + sp.Rational(1, 10**6), x - y], {x: (-2, 2), y: (-2, 2)})
    assert r.status is ZerosStatus.NO_SOLUTION and r.boxes.shape == (0, 2, 2) and "No zero" in r.summary()


def test_near_miss_and_near_double_zero() -> None:
    """x^2 = 1e-12 has two zeros 2e-6 apart, x^2 = -1e-12 has none."""
    domain = {x: (-1, 2)}
    assert len(collide.solve([x**2 - sp.Rational(1, 10**12)], domain)) == 2
    assert collide.solve([x**2 + sp.Rational(1, 10**12)], domain).status is ZerosStatus.NO_SOLUTION


def test_conditions() -> None:
    domain = {x: (-2, 2), y: (-2, 2)}
    circle = [x**2 + y**2 - 1, x - y]
    assert len(collide.solve(circle, domain, at_least=x)) == 1
    assert len(collide.solve(circle, domain, at_least=[x > 0, y < 0])) == 0
    assert len(collide.solve(circle, domain, at_least=[sp.Or(x > 0, y < 0)])) == 2
    assert len(collide.solve(circle, domain, at_least=[sp.Not(sp.And(x > 0, y > 0))])) == 1


def test_active_condition_is_undecided() -> None:
    """At the zeros the condition holds with equality: nothing is proved, and nothing is lost."""
    r = collide.solve([x**2 + y**2 - 1, x - y], {x: (-2, 2), y: (-2, 2)}, at_least=[x**2 - sp.Rational(1, 2)])
    assert r.status is ZerosStatus.UNRESOLVED and len(r) == 2 and not r.proved.any()


def test_zero_on_the_border_is_listed() -> None:
    r = collide.solve([sp.sin(x)], {x: (0, 1)})
    assert len(r) == 1 and r.boxes[0, 0, 0] <= 0 <= r.boxes[0, 0, 1] and math.isclose(r.points[0, 0], 0, abs_tol=1e-9)


def test_overdetermined() -> None:
    """More equations than variables are located; the same as an implied one is proved."""
    circle, half = [x**2 + y**2 - 1, x - y], x**2 - sp.Rational(1, 2)
    domain = {x: (-2, 2), y: (-2, 2)}
    r = collide.solve([*circle, half], domain)
    assert r.status is ZerosStatus.UNRESOLVED and len(r) == 2
    r = collide.solve(circle, domain, implied=[half])
    assert r.status is ZerosStatus.COMPLETE and len(r) == 2
    assert collide.solve([*circle, x - 1], domain).status is ZerosStatus.NO_SOLUTION


def test_equations_as_relations_and_matrices() -> None:
    domain = {x: (-2, 2), y: (-2, 2)}
    assert len(collide.solve([sp.Eq(x**2 + y**2, 1), sp.Eq(x, y)], domain)) == 2
    assert len(collide.solve(sp.Matrix([x**2 + y**2 - 1, x - y]), domain)) == 2


def test_not_differentiable_and_undefined() -> None:
    """A kink at the zero is located; a function undefined on part of the domain has its zeros where it is defined."""
    r = collide.solve([sp.Abs(x - sp.Rational(1, 3))], {x: (-1, 1)})
    assert len(r) == 1 and holds(r.boxes[0], [sp.Rational(1, 3)])
    r = collide.solve([sp.log(x)], {x: (-1, 3)})
    assert r.status is ZerosStatus.COMPLETE and holds(r.boxes[0], [1])
    assert collide.solve([1 / x], {x: (-1, 1)}).status is not ZerosStatus.COMPLETE
    assert not collide.solve([sp.floor(x) + sp.Rational(1, 2)], {x: (-1, 2)}).proved.any()


@pytest.mark.parametrize("method", ["newton", "krawczyk", "subdivision"])
def test_methods_agree(method: str) -> None:
    s = SYSTEMS["Himmelblau"]
    r = collide.solve(s.equations, s.domain, method=method)
    assert r.status is ZerosStatus.COMPLETE and len(r) == 4


def test_regions_hold_one_zero_each() -> None:
    r = collide.solve(SYSTEMS["Himmelblau"].equations, SYSTEMS["Himmelblau"].domain)
    assert np.all(r.regions[:, :, 0] <= r.boxes[:, :, 0]) and np.all(r.boxes[:, :, 1] <= r.regions[:, :, 1])
    for region in r.regions:
        assert sum(np.all((region[:, 0] <= p) & (p <= region[:, 1])) for p in r.points) == 1


def test_spent_budget_still_covers_all_zeros() -> None:
    s = SYSTEMS["six-revolute kinematics"]
    whole = collide.solve(s.equations, s.domain)
    r = collide.solve(s.equations, s.domain, budget=collide.Budget(boxes=8))
    assert r.status in (ZerosStatus.BUDGET_SPENT, ZerosStatus.COMPLETE)
    for box in whole.boxes:
        assert any(np.all((b[:, 0] <= box[:, 1]) & (box[:, 0] <= b[:, 1])) for b in r.boxes)


MANY = [sp.sin(10 * x) * sp.cos(10 * y) - sp.sin(5 * x * y), sp.cos(7 * x * y) - sp.sin(9 * x + y)]


@pytest.mark.parametrize("refused", [False, True])
def test_a_limit_of_memory_is_a_spent_budget(monkeypatch: pytest.MonkeyPatch, refused: bool) -> None:
    """Thousands of zeros, of which every one stays within the boxes listed, proved or undecided."""
    if refused:
        def grow(self: Any) -> None:
            raise MemoryError

        monkeypatch.setattr("collide.search.search.Search.grow_boxes", grow)
        monkeypatch.setattr("collide.search.search.Search.grow_solutions", grow)
    r = collide.solve(MANY, {x: (-30, 30), y: (-30, 30)}, budget=collide.Budget(seconds=60, bytes=None if refused else 2_000_000))
    assert r.status is ZerosStatus.BUDGET_SPENT and r.proved.any() and not r.proved.all()
    rng = np.random.default_rng(8)
    f = sp.lambdify([x, y], MANY, "mpmath")
    held = 0
    for start in rng.uniform(-29, 29, (12, 2)):
        try:
            zero = [float(e) for e in mpmath.findroot(f, start.tolist())]
        except (ValueError, ZeroDivisionError):
            continue
        if max(map(abs, zero)) < 29:
            held += 1
            assert ((r.boxes[:, :, 0] - 1e-9 <= zero) & (zero <= r.boxes[:, :, 1] + 1e-9)).all(axis=1).any()
    assert held > 3


def test_repeatable() -> None:
    s = SYSTEMS["Bratu 10"]
    first, second = (collide.solve(s.equations, s.domain) for _ in range(2))
    assert np.array_equal(first.boxes, second.boxes) and first.iterations == second.iterations


z = sp.Symbol("z", real=True)


@pytest.mark.parametrize(("arguments", "options", "message"), [
    (([x**2 - y], {x: (0, 1), y: (0, 1)}), {}, "1 equation in 2 variables"),
    (([x - z], {x: (0, 1)}), {}, "the free symbol z has no domain; list it as z: "),
    (([sp.Symbol("x") - 1], {x: (0, 1)}), {}, "other assumptions"),
    (([x], {}), {}, "at least one symbol"),
    (([x], {x: (1, 0)}), {}, "lo < hi"),
    (([x], {x: (1, 1)}), {}, "lo < hi"),
    (([x], {x: (sp.oo, 0)}), {}, "two finite real ends"),
    (([x], {x: (0, math.nan)}), {}, "two finite real ends"),
    (([x], {x: 3}), {}, "a pair"),
    (([x], {"x": (0, 1)}), {}, "must be a SymPy Symbol"),
    (([x], {x: (0, 1)}), {"tolerance": math.nan}, "tolerance must be a positive number"),
    (([x], {x: (0, 1)}), {"tolerance": 0}, "tolerance must be a positive number"),
    (([x], {x: (0, 1)}), {"method": "magic"}, "method must be one of"),
    (([x > 0], {x: (0, 1)}), {}, "equations must be real formulas"),
    (([sp.Eq(1, 1)], {x: (0, 1)}), {}, "equations must be real formulas"),
    (([x], {x: (0, 1)}), {"at_least": ["x > 0"]}, "not as text"),
    (([x], {x: (0, 1)}), {"at_least": sp.I}, "a condition is a formula g"),
    (([x], {x: (0, 1)}), {"at_least": sp.nan}, "a condition is a formula g"),
    (([x], {x: (0, 1)}), {"method": ["auto"]}, "method must be one of"),
    (([x], {x: (0, 1)}), {"tolerance": sp.Rational(1, 10**400)}, "tolerance must be a positive number"),
    (([x], {x: (None, 1)}), {}, "got None"),
    (([x], {x: ("0", 1)}), {}, "not as text"),
    (((e for e in [x]), {x: (0, 1)}), {}, "type generator"),
    (([x, 0 * y], {x: (0, 1), y: (0, 1)}), {}, "1 equation in 2 variables"),
    (([x, x - 1], {x: (0, 1)}), {"implied": [x]}, "exactly 1 independent"),
])  # fmt: skip
def test_bad_input(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        collide.solve(*arguments, **options)


def test_the_region_of_a_zero_holds_no_other_one():
    """Pairs of zeros at every distance on the scale of the regions in which uniqueness is tried, against closed forms."""
    for k in range(24):
        apart = sp.Rational(round(1e6 * 10 ** (-4 + k / 8)), 10**6)
        r = collide.solve([x**2 - apart**2, y - x / 3 - x**3], {x: (-sp.Rational(9, 10), 1), y: (-2, 2)})
        assert r.proved.all() and len(r.boxes) == 2
        ends = sorted((float(b[0, 0]), float(b[0, 1])) for b in r.boxes)
        for (lo, hi), zero in zip(ends, (-apart, apart), strict=True):
            assert lo <= zero <= hi


def test_a_budget_holds_where_every_box_stays_open():
    """An equation that always holds leaves a segment of zeros, in as many boxes as the budget allows: they are merged in time."""
    r = collide.solve([(x + 1) ** 2 - x**2 - 2 * x - 1, y], {x: (-2, 2), y: (-2, 2)}, budget=collide.Budget(seconds=60, boxes=200_000))
    assert not r.proved.any() and (r.boxes[:, 0, 0].min(), r.boxes[:, 0, 1].max()) == (-2, 2)
    assert len(r.boxes) <= 2000 and (r.boxes[:, 1, 0] <= 0).all() and (r.boxes[:, 1, 1] >= 0).all()
    # All of the segment is covered.
    ends = r.boxes[np.argsort(r.boxes[:, 0, 0]), 0]
    assert (ends[1:, 0] <= np.maximum.accumulate(ends[:, 1])[:-1]).all()


def test_an_interrupt_before_the_search_leaves_the_domain(monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["collide.queries.solve"], "_problem", interrupted)
    r = collide.solve([x**2 + y**2 - 1, x - y], {x: (-2, 2), y: (0, sp.pi)})
    assert r.status is ZerosStatus.BUDGET_SPENT and not r.proved.any() and r.summary()
    assert r.boxes[0, 0].tolist() == [-2, 2] and r.boxes[0, 1, 0] == 0 and r.boxes[0, 1, 1] >= sp.pi


def test_poles_are_told_from_zeros() -> None:
    s = sp.Symbol("s", real=True)
    r = collide.solve(sp.tan(s), {s: (-1, 10)})
    assert r.status is ZerosStatus.COMPLETE and len(r) == 4
    assert np.allclose(np.sort(r.points[:, 0]), [0, np.pi, 2 * np.pi, 3 * np.pi])
    assert collide.solve(1 / s, {s: (-1, 1)}).status is ZerosStatus.NO_SOLUTION
