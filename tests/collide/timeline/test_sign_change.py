"""Zeros by signs: distance functions of boxes, which have no derivative on the surface; jumps, poles and conditions that deny them."""

from typing import Any

import numpy as np
import pytest
import sympy as sp

import collide
from codegen.from_sympy import convert
from codegen.graph.expr import ExprPool
from collide.search.options import Options
from collide.search.problem import Problem
from collide.search.search import Search
from collide.timeline.sign_change import changes_sign
from generative import ImplicitSurface, ParametricSurface, Rigid, t, u, v, x, y, z

BOX = np.array([[-1.0, 2.0], [-3.0, 1.0]])


@pytest.mark.parametrize(("f", "condition", "proved"), [
    (sp.sqrt(sp.Max(u, 0) ** 2) + sp.Min(u, v, 0), None, True), (u + v, None, True), (u + v, sp.Le(u, 2), True),
    (u + v, sp.Le(u, 1), False), (1 / u, None, False), (sp.floor(u) + sp.Rational(1, 2), None, False), (u**2 + v**2, None, False),
    (u**2 - 2 * u - 4, None, False),
])  # fmt: skip
def test_signs_prove_zeros_of_continuous_functions(f: Any, condition: Any, proved: bool) -> None:
    pool = ExprPool()
    nodes = {u: pool.variable(0), v: pool.variable(1)}
    feasible = None if condition is None else convert([condition], nodes, pool)[0]
    problem = Problem(("u", "v"), BOX, BOX, equations=tuple(convert([f], nodes, pool)), feasible=feasible)
    assert changes_sign(Search([problem], Options())) == proved


def test_a_ball_meets_the_edge_of_a_distance_function_of_a_box() -> None:
    """The ball of radius 1/2 falls beside the middle of the box, and meets its edge where 0.2^2 + h^2 = 1/4."""
    q = [abs(x) - 1, abs(y) - sp.Rational(1, 2), abs(z) - sp.Rational(3, 4)]
    box = ImplicitSurface(sp.sqrt(sum(sp.Max(e, 0) ** 2 for e in q)) + sp.Min(sp.Max(*q), 0), bounds=[(-2, 2)] * 3)
    half = [sp.cos(u) * sp.cos(v) / 2, sp.sin(u) * sp.cos(v) / 2, sp.sin(v) / 2]
    ball = ParametricSurface(half, {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    found = collide.first_contact([ball.moved(Rigid(translation=[sp.Rational(6, 5), 0, 3 - t])), box], time=(0, 3))
    assert found.status is collide.Status.CONTACT and found.time.lo <= 2.25 - 0.21**0.5 <= found.time.hi < found.time.lo + 1e-5
