"""Bodies on carriers, and functions within functions: the form found is the same function as the formulas it was found in."""

import numpy as np
import pytest
import sympy as sp

from codegen.from_sympy import convert
from codegen.graph.evaluate import evaluate
from codegen.graph.expr import ExprPool, reachable
from codegen.time_bounds.composition import carried, composed
from generative import Rigid, axis_angle, t, u, v
from tests.codegen.exact_arithmetic import BLEND, TURN, Exact, nodes

COMPOSED = {
    "twist": ([(u**2 + v) * sp.cos(t * v), (u**2 + v) * sp.sin(t * v), v], 2),
    "root": ([u, v, sp.sqrt(1 + u * v + t)], 3),
    "shared": ([sp.sin(u) + t, sp.exp(t * sp.sin(u)), sp.sin(u) * v], 2),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_the_composed_form_is_the_same_function(name):
    expressions, functions = COMPOSED[name]
    found = composed(nodes(expressions), 2)
    assert found is not None and len(found.shape) == functions
    assert not any(e.op == "variable" and e.value == 2 for e in reachable(found.shape))
    assert {e.value for e in reachable(found.form) if e.op == "variable"} <= set(range(functions + 1))
    for point in np.random.default_rng(4).uniform(0.1, 0.9, (3, 3)):
        at = [sp.Float(float(x), 40) for x in point]
        values = evaluate(found.form, Exact(), [*evaluate(found.shape, Exact(), at), at[2]])
        for value, e in zip(values, expressions, strict=True):
            assert abs(sp.N(value - sp.sympify(e).subs({u: at[0], v: at[1], t: at[2]}), 40)) < sp.Float("1e-35")


WAVE = [u, v + t * u, sp.sin(u * v + t)]
SPUN = Rigid(rotation=axis_angle([0, 0, 1], t), translation=[t, 0, 1])
CARRIED = {
    "rotation": (Rigid(rotation=TURN, translation=[t, 0, sp.sin(t)]).apply(WAVE), 3, False),
    "rotation about an axis": (SPUN.apply([e + t * v for e in WAVE]), 3, False),
    "no carrier": ([sum(b * sp.sin((k + c + 2) * t) for k, b in enumerate(BLEND)) + v - t for c in range(3)], 3, True),
    "a line": ([t * WAVE[2], 2 * t * WAVE[2] + 1, WAVE[2] * sp.cos(t)], 1, False),
    "of the time alone": ([t, t**2, WAVE[2]], 1, True),
}


@pytest.mark.parametrize("name", CARRIED)
def test_the_carried_form_is_the_same_function(name):
    """With so many functions that deform, and the unit matrix where there is no carrier."""
    expressions, functions, still = CARRIED[name]
    position = nodes(expressions)
    inner, matrix, shift = carried(position, 2)
    assert len(inner) == functions and len(matrix) == 3 * functions
    assert not any(e.op == "variable" and e.value != 2 for e in reachable([*matrix, *shift]))
    assert still == (not any(e.op == "variable" for e in reachable(matrix)))
    for point in np.random.default_rng(5).uniform(0.1, 0.9, (3, 3)):
        at = [sp.Float(float(x), 40) for x in point]
        shape, rows, rest = (evaluate(part, Exact(), at) for part in (inner, matrix, shift))
        for i, e in enumerate(expressions):
            value = sum(rows[functions * i + j] * shape[j] for j in range(functions)) + rest[i]
            assert abs(sp.N(value - sp.sympify(e).subs({u: at[0], v: at[1], t: at[2]}), 40)) < sp.Float("1e-35")


def test_long_sums_are_taken_apart():
    terms = [sp.sin(k * u) * sp.cos(k * t) for k in range(1, 1500)]
    pool = ExprPool()
    total = pool.constant(0)
    for e in convert(terms, {u: pool.variable(0), t: pool.variable(2)}, pool):
        total = total + e
    assert len(carried([total], 2).inner) == 1


def test_functions_of_variables_alone_are_no_composition():
    assert composed(nodes([u, v, sp.sin(u * t)]), 2) is None
