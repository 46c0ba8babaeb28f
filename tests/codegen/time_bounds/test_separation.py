"""Shapes and motions apart: the separated form equals the formulas it was found in, with as few functions as there need be."""

import numpy as np
import pytest
import sympy as sp

from codegen.graph.evaluate import evaluate
from codegen.graph.expr import reachable
from codegen.time_bounds.separation import factored, separated
from generative import Rigid, t, u, v
from tests.codegen.exact_arithmetic import BLEND, TURN, Exact, nodes

BODY = (u, v**2, sp.sin(u) / (2 + v))
SEPARABLE = {
    "translation": (Rigid(translation=[t, t**2, 3]).apply(BODY), 3),
    "rotation": (Rigid(rotation=TURN, translation=[t, 0, sp.sin(t)]).apply(BODY), 3),
    "scaling": ([e * (1 + sp.exp(t)) for e in BODY], 3),
    "one function": ([t * sp.sin(u * v), sp.cos(t) * sp.sin(u * v), t**2], 1),
    "standing waves": ([u, v, sp.sin(t) * sp.sin(u) * sp.sin(v) + sp.cos(2 * t) * u * v], 4),
    "travelling waves": ([u, v, sp.cos(3 * u + v - 5 * t) + sp.exp(u - t)], 5),
    "squares": ([u, v, (u + t) ** 2 * (v - t)], 5),
    "control points": ([sum(b * sp.sin((k + c + 2) * t) for k, b in enumerate(BLEND)) + v for c in range(3)], 4),
    "straight control points": ([sum(b * (k - c + t * (k + 2 * c)) for k, b in enumerate(BLEND)) * v for c in range(3)], 4),
    "quotients": ([u / (1 + t**2), (v + t) / (1 + u**2), (u * t + v) / (3 + sp.sin(t))], 4),
}

INSEPARABLE = {
    "twist": [u * sp.cos(t * v), u * sp.sin(t * v), v],
    "root": [u, v, sp.sqrt(u + t)],
    "nothing but the time": [t, t**2, sp.Integer(1)],
    "many": [sum(sp.sin(k * u) * sp.sin((k + i) * t) for k in range(1, 23)) for i in range(3)],
}


@pytest.mark.parametrize("name", SEPARABLE)
def test_the_separated_form_is_the_same_function(name):
    expressions, functions = SEPARABLE[name]
    position = nodes(expressions)
    found = separated(position, 2)
    assert found is not None and len(found.shape) == functions and len(found.matrix) == 3 * functions
    assert not any(e.op == "variable" and e.value == 2 for e in reachable(found.shape))
    assert not any(e.op == "variable" and e.value != 2 for e in reachable([*found.matrix, *found.shift]))
    rng = np.random.default_rng(3)
    for point in rng.uniform(0.1, 0.9, (3, 3)):
        at = [sp.Float(float(x), 40) for x in point]
        shape, matrix, shift = (evaluate(part, Exact(), at) for part in found)
        for i, e in enumerate(expressions):
            value = sum(matrix[functions * i + j] * shape[j] for j in range(functions)) + shift[i]
            assert abs(sp.N(value - sp.sympify(e).subs({u: at[0], v: at[1], t: at[2]}), 40)) < sp.Float("1e-35")


@pytest.mark.parametrize("name", INSEPARABLE)
def test_what_is_not_separable_has_no_such_form(name):
    assert separated(nodes(INSEPARABLE[name]), 2) is None


def test_products_are_told_by_their_factors():
    expressions = [(1 - u)**3 * v**2, 3 * u * (1 - u)**2 * v**2, -(1 - u)**3 * sp.sin(v), 3 * u * (1 - u)**2, sp.sin(v), sp.Integer(2)]
    found = factored(nodes(expressions), (0, 1))
    assert found is not None and len(found.first) == 3 and len(found.second) == 3
    assert all(e.op != "variable" or e.value == 0 for e in reachable(found.first))
    assert all(e.op != "variable" or e.value == 1 for e in reachable(found.second))
    at = [sp.Rational(3, 7), sp.Rational(2, 5), sp.Integer(0)]
    first, second, scales = (evaluate(part, Exact(), at) for part in (found.first, found.second, found.scales))
    for e, (i, j), scale in zip(expressions, found.pairs, scales, strict=True):
        assert sp.simplify(scale * first[i] * second[j] - e.subs({u: at[0], v: at[1]})) == 0


def test_what_is_no_product_has_no_factors():
    assert factored(nodes([u * v, sp.sin(u * v)]), (0, 1)) is None
