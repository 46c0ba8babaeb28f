"""Feasible points found by evaluation alone: at jumps, and where slopes are infinite, no test of existence succeeds, but a point may do."""

import itertools
from collections.abc import Sequence

import numpy as np

from codegen.constants import enclose_graph
from codegen.graph.expr import Expr, reachable, substitute
from codegen.kernel import Kernel

from .problem import Problem
from .search import Search

# Boxes that are looked at, those of the least objective; and variables up to which all their corners and middles of sides are.
_BOXES, _ALL = 500, 3


def lower_by_points(s: Search, n: int) -> None:
    """Lower the proved bound of `minimize`, in n variables, to the objective at a point of a box that is left and *proved* feasible.

    The bounds of a formula that is defined at a point hold its value there: so the point is feasible if those of inequalities
    begin at 0 or above, and those of equations are 0.
    """
    for p, problem in enumerate(s.problems):
        boxes = np.concatenate([s.boxes(p, s.numbers(p)), s.open(p)])
        order = np.argsort(boxes[:, n, 0], kind="stable")[:_BOXES]
        points = _points(boxes[order, :n], problem.inner[:n])
        if not len(points):
            continue
        values = _feasible_values(problem, points)
        best = int(values.argmin())
        if values[best] < s.proved:
            s.proved, s.arrays["best"][:n] = values[best], points[best, :, None]
    _lower_exactly(s, n)


def _lower_exactly(s: Search, n: int) -> None:
    """Lower the proved bound to the objective at the best point, evaluated with as many bits as it takes to round it.

    A kernel of doubles loses half of the digits where a root vanishes: the enclosure of sqrt(abs(y - x**2/100)) at (10, 1) ends at 1e-8.
    """
    best = s.arrays["best"][:n]
    if s.proved < np.inf and (best[:, 0] == best[:, 1]).all():
        s.proved = min(s.proved, _exactly(s.problems[0].equations[0], best[:, 0].tolist())[1])


def _exactly(function: Expr, point: Sequence[float]) -> tuple[float, float]:
    """The double enclosure of a function of variables at a point, those beyond it 0; infinite where it is not proved to be defined."""
    values = {e.index: e.pool.constant(point[e.value] if e.value < len(point) else 0) for e in reachable([function]) if e.op == "variable"}
    return enclose_graph(substitute([function], values)[0])


def _points(boxes: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Corners and middles of boxes (k, n, 2), moved into the domain: (points, n); none if no double lies in the domain."""
    if (inner[:, 0] > inner[:, 1]).any():
        return np.empty((0, len(inner)))
    n = len(inner)
    ends = np.stack([boxes[..., 0], 0.5 * boxes[..., 0] + 0.5 * boxes[..., 1], boxes[..., 1]])
    choices = itertools.product(range(3), repeat=n) if n <= _ALL else ((k,) * n for k in range(3))
    points = [ends[choice, :, range(n)].T for choice in choices]
    return np.clip(np.concatenate(points), inner[:, 0], inner[:, 1])


def _feasible_values(problem: Problem, points: np.ndarray) -> np.ndarray:
    """Upper bounds of the objective at points; infinite where a point is not proved feasible.

    The equations f - w, h and g - s are f, h and g where w and s are 0. What w and s would have to be must lie in their domains, as where
    these are cut off.
    """
    n, e = points.shape[1], len(problem.equations)
    begin = e - sum(name.startswith("slack") for name in problem.variables[n:])
    at = np.zeros((len(points), len(problem.variables)))
    at[:, :n] = points
    lo, hi, level = Kernel(problem.equations, problem.variables, quick=True).decorated(at, at)
    zero = ((lo == 0) & (hi == 0))[:, 1:begin].all(axis=1)
    most = problem.inner[n + 1:n + 1 + e - begin, 1]
    within = (lo[:, 0] >= problem.inner[n, 0]) & (hi[:, 0] <= problem.inner[n, 1]) & (hi[:, begin:] <= most).all(axis=1)
    feasible = (level > 0).all(axis=1) & zero & within & (lo[:, begin:] >= 0).all(axis=1)
    return np.where(feasible, hi[:, 0], np.inf)
