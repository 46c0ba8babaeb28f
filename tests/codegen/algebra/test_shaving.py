"""Rules by slices: monotone functions are undone to the last places, and no solution is lost, also in choices."""

from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import acb, arb, ctx

import codegen
from codegen.functions import Chebyshev

from ..arb_arithmetic import exact

x, y = sp.symbols("x y", real=True)
# Functions of one variable with a value, a box in which it is taken once, and where, in Arb.
SOLVED = [
    (sp.erf(x), HALF := sp.Rational(1, 2), (-np.inf, np.inf), lambda: arb(0.5).erfinv()),
    (sp.erfc(x), HALF, (-np.inf, np.inf), lambda: arb(0.5).erfcinv()),
    (sp.gamma(x), 24, (2.0, np.inf), lambda: arb(5)), (sp.loggamma(x), 0, (1.5, 1e300), lambda: arb(2)),
    (sp.digamma(x), 0, (1e-9, 1e300), lambda: arb("1.46163214496836234126265954232572132846819620400644629")),
    (sp.besselj(0, x), 0, (0.0, 4.0), lambda: arb.bessel_j_zero(arb(0), 1) if hasattr(arb, "bessel_j_zero") else
     arb("2.40482555769577276862163187932645464312424490914596713570699909059676583867714")),
    (sp.atan2(x, 1), 1, (0.0, 9.0), lambda: arb(1).tan()), (Chebyshev(x, 0, 0, 0, 1), HALF, (0.8, 9.0), lambda: (arb.pi() / 9).cos()),
    (sp.airyai(x), sp.airyai(0), (-0.5, 1e6), lambda: arb(0)), (sp.polylog(2, x), sp.zeta(2), (0.0, 1.0), lambda: arb(1)),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "value", "box", "solution"), SOLVED, ids=[str(s[0]) for s in SOLVED])
def test_monotone_functions_are_undone(formula: Any, value: Any, box: tuple[float, float], solution: Any) -> None:
    (lo,), (hi,) = codegen.contract(sp.Eq(formula, value, evaluate=False), [x])([[box[0]]], [[box[1]]])
    with ctx.workprec(150):
        at = solution()
        assert not at < exact(lo[0]) and not at > exact(hi[0]) and hi[0] - lo[0] < 1e-13 * max(1.0, abs(lo[0]))


KEPT = [
    (sp.gamma(x), lambda a: a.gamma(), (0.1, 9.0)), (sp.sinc(x), lambda a: a.sinc(), (-20.0, 20.0)),
    (sp.besselj(3, x), lambda a: a.bessel_j(arb(3)), (-30.0, 30.0)), (sp.Si(x), lambda a: a.si(), (-30.0, 30.0)),
    (sp.airyai(x), lambda a: a.airy_ai(), (-9.0, 5.0)), (sp.polygamma(1, x), lambda a: acb(a).polygamma(acb(1)).real, (0.1, 9.0)),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "value", "among"), KEPT, ids=[str(k[0]) for k in KEPT])
def test_solutions_survive(formula: Any, value: Any, among: tuple[float, float]) -> None:
    """The value at a point is a parameter, so one contractor serves all points."""
    p, rng = sp.Symbol("p", real=True), np.random.default_rng(4)
    c = codegen.contract(sp.Eq(formula, p), [x], [p])
    at = rng.uniform(*among, 200)
    with ctx.workprec(120):
        values = [value(exact(a)) for a in at]
        given = [[float(v.lower()), float(v.upper())] for v in values]
    low, high = np.nextafter([g[0] for g in given], -np.inf), np.nextafter([g[1] for g in given], np.inf)
    lo, hi = at - rng.choice([0, 0.1, 5], 200) * rng.random(200), at + rng.choice([0, 0.1, 5], 200) * rng.random(200)
    new_lo, new_hi = c(lo[:, None], hi[:, None], parameters=(low[:, None], high[:, None]))
    assert (new_lo[:, 0] <= at).all() and (at <= new_hi[:, 0]).all()
    assert (new_hi - new_lo < 0.5 * (hi - lo)[:, None]).sum() > 20


def test_choices_narrow_where_a_branch_is_excluded() -> None:
    """The branch that is not taken demands nothing: log x is not defined for x < 0."""
    f = sp.Piecewise((-x, x < 0), (sp.log(x) - 9, True))
    c = codegen.contract(sp.Eq(f, y), [x, y])
    lo, hi = c([[-5.0, 2.0], [-5.0, -9.0], [0.5, -9.0], [-5.0, 6.0]], [[3.0, 3.0], [3.0, -8.5], [3.0, -9.0], [3.0, 7.0]])
    assert (lo[0, 0], hi[0, 0]) == (-3.0, -2.0)
    assert lo[1, 0] >= 0 and 1.6 < hi[1, 0] < 1.65 and lo[2, 0] == pytest.approx(1) and hi[2, 0] == pytest.approx(1)
    assert np.isnan(lo[3]).all()
    lo, hi = codegen.contract(sp.Eq(sp.Piecewise((sp.sqrt(x), x > y)), 2), [x, y])([[0.0, 1.0]], [[9.0, 20.0]])
    assert (lo[0, 0], hi[0, 0], hi[0, 1]) == (4.0, 4.0, 4.0)


def test_points_of_both_branches_survive() -> None:
    f = sp.Piecewise((x + 3, x < y), (sp.sqrt(x - y) * x, True))
    c, rng = codegen.contract(sp.Eq(f, sp.Symbol("z")), [x, y, sp.Symbol("z")]), np.random.default_rng(6)
    at = rng.uniform(-4, 4, (400, 2))
    with np.errstate(invalid="ignore"):
        value = np.where(at[:, 0] < at[:, 1], at[:, 0] + 3, np.sqrt(at[:, 0] - at[:, 1]) * at[:, 0])
    at = np.column_stack([at, value])
    slack = 1e-12 * np.array([0.0, 0.0, 1.0])
    lo, hi = at - rng.choice([0, 3.0], (400, 3)) - slack, at + rng.choice([0, 3.0], (400, 3)) + slack
    low, high = c(lo, hi)
    assert (low <= at + 1e-12).all() and (high >= at - 1e-12).all()
