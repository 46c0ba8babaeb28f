"""Collisions of bodies as problems for the search: Snyder 1993, Sections 2 and 3.2."""

from dataclasses import replace
from typing import Any

import numpy as np

from codegen.expr import Expr, ExprPool
from generative import ParametricSurface, u, v

from .patch import Patch, bounds, dot, period, subtract
from .problem import Problem

VARIABLES = ("u1", "v1", "u2", "v2", "t")
_TIME = 4


def contact_problem(first: ParametricSurface, second: ParametricSurface, time: tuple[Any, Any], *, tangency: bool = True,
                    label: tuple[int, int] = (0, 1)) -> Problem:
    """The earliest contact of two parametric surfaces in the variables u1, v1, u2, v2, t.

    Equations: S1 - S2 = 0 (Eq. 1). Necessary conditions, with `tangency`: S1_u . N2 = S1_v . N2 = 0 (Eq. 2), which
    the first contact of bodies that start apart satisfies at points where both surfaces are smooth: used where both
    are proved differentiable on the whole box, and not at a border that is no seam.
    """
    pool = ExprPool()
    x = [pool.variable(k) for k in range(5)]
    a, b = Patch(first, x[0], x[1], x[_TIME]), Patch(second, x[2], x[3], x[_TIME])
    outer, inner = bounds([first.domain[u], first.domain[v], second.domain[u], second.domain[v], time])
    periods = np.array([period(s, w) for s in (first, second) for w in (u, v)] + [0.0])
    border = np.repeat(periods[:, None] == 0.0, 2, axis=1)
    border[_TIME] = False
    return Problem(VARIABLES, outer, inner, equations=subtract(a.position, b.position),
                   necessary=_tangency(a, b) if tangency else (), objective=_TIME, border=border, period=periods,
                   image=(*a.position, *b.position), label=label)


def with_incoming(problem: Problem, first: ParametricSurface, second: ParametricSurface) -> Problem:
    """The same problem restricted to incoming contacts (Eq. 3): the bodies approach, and their outward normals
    oppose each other.
    """
    x = problem.coordinates
    a, b = Patch(first, x[0], x[1], x[_TIME]), Patch(second, x[2], x[3], x[_TIME])
    pool = x[0].pool
    zero = pool.constant(0)
    approach = dot(subtract(a.velocity, b.velocity), a.normal)
    opposed = -dot(a.normal, b.normal)
    return replace(problem, feasible=pool.node("and", pool.node("le", zero, approach), pool.node("le", zero, opposed)))


def at_time(problem: Problem, moment: float) -> Problem:
    """The same equations at one moment, without an objective and without necessary conditions: do the surfaces meet
    then?
    """
    outer, inner = problem.outer.copy(), problem.inner.copy()
    outer[_TIME] = inner[_TIME] = moment
    return replace(problem, outer=outer, inner=inner, necessary=(), feasible=None)


def _tangency(a: Patch, b: Patch) -> tuple[Expr, ...]:
    """The tangents of the first surface against the normal of the second, trusted only where both surfaces are
    differentiable.
    """
    rows = []
    for tangent in a.tangents:
        row = dot(tangent, b.normal)
        for coordinate in (*a.position, *b.position):
            row = row.pool.trusted(row, coordinate, 3)
        rows.append(row)
    return tuple(rows)
