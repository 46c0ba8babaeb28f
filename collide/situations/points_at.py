"""Points of two parametric parts at parameters: how far they are from each other, and where they come together, approximately."""

import numpy as np

from ..culling.boxes_apart import greatest_lengths
from ..search.problem import Problem

# Steps of Newton's method, and the powers of 1/2 to multiples of which parameters are rounded: surfaces whose formulas are simple often
# touch there, and their difference is then exactly zero.
_STEPS, _POWERS = 12, (0, 2, 6, 12, 20, 30)


def approached(problem: Problem, at: np.ndarray, domain: np.ndarray) -> np.ndarray:
    """Parameters from `at` on at which the difference of positions, the equations of `problem`, is least, approximately; within the domain
    (n, 2), with the objective as it is.
    """
    n, rows, objective = len(problem.variables), len(problem.rows), problem.objective
    free = [j for j in range(n) if j != objective]
    parameters = problem.parameters.mean(axis=1) if len(problem.parameters) else None
    at = np.clip(at, *domain.T)
    for _ in range(_STEPS):
        values = problem.point_kernel.points(at[None], parameters=parameters)[0]
        slopes = values[rows:].reshape(rows, n)[:3, free]
        if not (np.isfinite(values).all() and np.isfinite(slopes).all()):
            break
        at[free] -= np.linalg.lstsq(slopes, values[:3], rcond=1e-9)[0]
        at = np.clip(at, *domain.T)
    return at


def rounded(problem: Problem, at: np.ndarray, domain: np.ndarray) -> np.ndarray:
    """(k, n): these parameters, and with few binary digits, within the domain."""
    places = np.array([at, *(np.ldexp(np.round(np.ldexp(at, k)), -k) for k in _POWERS)])
    if problem.objective is not None:
        places[:, problem.objective] = at[problem.objective]
    return np.clip(places, *domain.T)


def distances_at(problem: Problem, places: np.ndarray) -> np.ndarray:
    """(k,): upper bounds of the distances of the points at places (k, n)."""
    known = tuple(problem.parameters.T) if len(problem.parameters) else None
    lo, hi, level = problem.range_kernel.decorated(places, places, parameters=known)
    sizes = np.maximum(np.abs(lo[:, :3]), np.abs(hi[:, :3]))
    far = greatest_lengths(sizes)
    far[(level[:, :3] < 1).any(axis=1) | ~np.isfinite(far)] = np.inf
    return np.asarray(far)
