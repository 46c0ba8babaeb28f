"""Inclusion functions of the results of every operator: they contain sampled points, and their derivatives match SymPy's.

The operators are those of `models.operators`, so that one that is drawn in the gallery is tested here.
"""

import numpy as np
import pytest
import sympy as sp

import codegen
from generative import ImplicitBody, ParametricSurface, Solid, t, u, v, x, y, z
from generative.mesh import approx_function
from models import operators

HEAVY = {"sweep, least turning"}
"""Chebyshev series of high degree under roots: minutes to compile; the same operators are tested by other entries."""
PARTS = operators.CURVES, operators.SURFACES, operators.SOLIDS, operators.IMPLICIT
MADE = {name: make for part in PARTS for name, make in part.items() if name not in HEAVY}


def formulas(body):
    """(expressions, symbols, box) of a body."""
    if isinstance(body, list):
        return formulas(body[-1])
    if isinstance(body, Solid):
        return formulas(body.faces[0])
    if isinstance(body, ParametricSurface):
        return list(body.expressions), [u, v], [body.domain[u], body.domain[v]]
    leaf = body.leaves[0]
    return [body.expression], [x, y, z], list(leaf.bounds)


def check(expressions, symbols, box, jacobian=True):
    """32 random boxes of several sizes, 8 points in each."""
    generator = np.random.default_rng(8)
    lo, hi = (np.array([float(pair[k]) for pair in box]) for k in (0, 1))
    size = (hi - lo) * generator.choice([1e-6, 1e-2, 0.3], (32, 1))
    low = lo + generator.uniform(0, 1, (32, len(symbols))) * (hi - lo - size)
    kernel = codegen.compile(expressions, symbols)
    kernels = [(kernel, approx_function(expressions, symbols))]
    if jacobian:
        kernels.append((kernel.jacobian(), approx_function([sp.diff(e, s) for e in expressions for s in symbols], symbols)))
    for compiled, function in kernels:
        bounds = compiled.interval(low, low + size)
        for share in generator.uniform(0, 1, (8, len(symbols))):
            values = function(*(low + share * size).T)
            slack = 1e-9 * (1 + abs(values))  # the referee is ordinary floating point
            known = np.isfinite(values)
            assert known.mean() > 0.9
            assert ((bounds[0] - slack <= values) & (values <= bounds[1] + slack))[known].all()
    assert np.isfinite(kernel.interval(low[size[:, 0] < 1e-3 * (hi - lo)[0]], (low + size)[size[:, 0] < 1e-3 * (hi - lo)[0]])[0]).all()


KINKED = {"piecewise", "keyframes", "motion_through"}
"""Their derivatives jump, and so are not compared."""


@pytest.mark.parametrize("name", MADE)
def test_an_operator(name):
    body = MADE[name]()
    check(*formulas(body), jacobian=not isinstance(body, ImplicitBody) and name not in KINKED)


@pytest.mark.parametrize("name", operators.MOTIONS)
def test_a_motion(name):
    motion = operators.MOTIONS[name]()
    check([*motion.rotation, *motion.translation], [t], [(0, 1)], jacobian=name not in KINKED)
