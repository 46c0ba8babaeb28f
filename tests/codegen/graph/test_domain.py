"""Conditions that tell where formulas are undefined, against their domains in closed form."""

import numpy as np
import pytest
import sympy as sp

from codegen.from_sympy import from_sympy
from codegen.graph.domain import domain
from codegen.graph.expr import ExprPool
from codegen.kernel import Kernel

a, b = sp.symbols("a b", real=True)
Q = sp.Rational

# A formula, and a relation that holds exactly where it is defined.
DOMAINS = [
    (sp.sqrt(a - b**2), sp.Ge(a, b**2)),
    (sp.log(1 - a**2 - b), sp.Gt(1 - a**2 - b, 0)),
    (sp.asin(2 * a) + b, sp.Le(sp.Abs(a), Q(1, 2))),
    (sp.acos(a + b), sp.Le(sp.Abs(a + b), 1)),
    (sp.acosh(3 * a) * b, sp.Ge(3 * a, 1)),
    (sp.atanh(a * b), sp.Lt(sp.Abs(a * b), 1)),
    ((a + b) ** Q(1, 3), sp.Ge(a + b, 0)),
    (sp.sqrt(sp.log(a) + b), sp.And(a > 0, sp.Ge(sp.log(sp.Max(a, Q(1, 10**9))) + b, 0))),
    (sp.Piecewise((sp.sqrt(a), a > b), (sp.log(b), True)), sp.Or(sp.And(a > b, a >= 0), sp.And(a <= b, b > 0))),
    (sp.Piecewise((a, a > 0), (b, b > 1)), sp.Or(a > 0, b > 1)),
    (sp.exp(a) + sp.sqrt(a**2 + b**2), sp.true),
    (sp.Max(sp.sqrt(a), b), sp.Ge(a, 0)),
]


def condition_kernel(e, divisions=False):
    pool = ExprPool()
    condition = domain(from_sympy([e], [a, b], pool=pool), divisions)
    return None if condition is None else Kernel([pool.where(condition, pool.constant(1), pool.constant(0))], ["a", "b"], quick=True)


@pytest.mark.parametrize("e, relation", DOMAINS, ids=str)
def test_a_box_that_is_proved_outside_the_domain_holds_no_point_of_it(e, relation):
    """Where the relation holds at a point, no box round the point is excluded; boxes well outside are."""
    kernel = condition_kernel(e)
    if kernel is None:
        assert relation == sp.true
        return
    rng = np.random.default_rng(3)
    at = rng.uniform(-2, 2, (400, 2))
    holds = sp.lambdify([a, b], relation, "math")
    inside = np.array([bool(holds(*p)) for p in at.tolist()])
    assert inside.any() and not inside.all()
    excluded = {}
    for reach in (0.0, 1e-3, 0.5):
        _, hi = kernel.interval(at - reach, at + reach)
        excluded[reach] = hi[:, 0] <= 0
        assert not (excluded[reach] & inside).any()
    near = np.array([[holds(*(p + d)) for d in 0.02 * rng.uniform(-1, 1, (20, 2))] for p in at])
    assert excluded[1e-3][~near.any(axis=1) & ~inside].all()


def test_divisors_that_are_zero_everywhere_count_where_asked_for():
    e = 1 / sp.Max(0, a)
    assert condition_kernel(e) is None
    _, hi = condition_kernel(e, divisions=True).interval([[-2, 0], [-2, 0]], [[-1, 1], [1, 1]])
    assert hi[:, 0].tolist() == [0.0, 1.0]


def test_a_long_chain_of_choices_is_cut_off_and_excludes_nothing_wrongly():
    e = sp.Piecewise(*((sp.sqrt(a - k), a < k + 1) for k in range(60)), (a, True))
    _, hi = condition_kernel(e).interval([[70.0, 0.0], [-3.0, 0.0]], [[71.0, 0.0], [-2.0, 0.0]])
    assert hi[0, 0] == 1.0 and hi[1, 0] == 0.0
