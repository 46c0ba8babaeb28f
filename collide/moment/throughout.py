"""Do two surfaces meet throughout a window of time? A point that they have in common is followed, and *proved* to exist at every moment.

At a moment as many variables of the contact equations are solved for as there are equations, the others held still. In a window the time is
an interval: the operator of Krawczyk, x - C f(x, [t]) + (I - C J(X, [t])) (X - x), maps the box X into its own interior, so for each t of
the window the equations have a zero in X. It is rounded outwards; where windows begin and end, and where X lies, is decided freely.
"""

import functools
import itertools
import math

import numpy as np

from codegen.graph.expr import Expr
from codegen.kernel import Kernel

from ..bodies.extent import fixed_kernel
from ..search.drive import Clock
from ..search.problem import Problem

# All of these decide only effort: windows that are tried at once, against the last one that was proved; steps of Newton's method; the
# radius of X against the step that the interval f would take, and a least one against the size of the domain.
_STEPS = 2.0 ** np.arange(1, -6, -1)
_NEWTON, _LARGER, _LEAST = 2, 2.0, 2.0**-44


def follow(problem: Problem, at: np.ndarray, end: float, least: float, clock: Clock) -> tuple[float, bool]:
    """A zero of a problem of `situations.contact.at_time`, near `at` (variables,), followed from its time towards `end`, backwards if that
    comes before: the time when it was left, and whether that was because it leaves the domain, or its inequalities.

    At every moment from the time of `at` to that one the bodies are *proved* to meet. It is left where windows become shorter than `least`.
    """
    time, left_domain = problem.objective, False
    assert time is not None
    step = abs(end - at[time])
    while not clock.exceeded() and at[time] != end and step >= least:
        left = abs(end - at[time])
        steps = np.unique(np.minimum(step * _STEPS, left))[::-1]
        ends = np.where(steps == left, end, at[time] + math.copysign(1.0, end - at[time]) * steps)
        points, mapped, inside = _throughout(problem, at, ends)
        held, left_domain = mapped & inside, bool((mapped & ~inside).any())
        step = float(steps[np.argmax(held)] if held.any() else 0.5 * steps[-1])
        if held.any():
            at = points[np.argmax(held)]
            at[time] = ends[np.argmax(held)]
    return float(at[time]), left_domain


def _throughout(problem: Problem, at: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (n, variables) half way to each of the times (n,); whether a box round each is *proved* to hold a zero at every moment until
    then; and whether all of the box is inside.
    """
    time, rows, n = problem.objective, len(problem.equations), len(problem.variables)
    assert time is not None
    windows = np.stack([np.minimum(at[time], ends), np.maximum(at[time], ends)], axis=1)
    points = np.tile(at, (len(ends), 1))
    points[:, time] = windows.mean(axis=1)
    space = [j for j in range(n) if j != time]
    for _ in range(_NEWTON):
        values, slopes = _at(problem, points)
        points[:, space] -= (np.linalg.pinv(slopes[:, :, space]) @ values[..., None])[..., 0]
        points[~np.isfinite(points).all(axis=1)] = at
    slopes = _at(problem, points)[1]
    free = _independent(slopes[-1], space, problem.outer[:, 1] - problem.outer[:, 0])
    inverse = np.linalg.pinv(slopes[:, :, free])
    lo, hi = points.copy(), points.copy()
    lo[:, time], hi[:, time] = windows.T
    low, high = (bound[:, :rows] for bound in _interval(problem.range_kernel, problem, lo, hi))
    with np.errstate(invalid="ignore", over="ignore"):
        step = np.abs((inverse @ (0.5 * (low + high))[..., None])[..., 0]) + (np.abs(inverse) @ (0.5 * (high - low))[..., None])[..., 0]
        reach = _LARGER * step + _LEAST * (np.abs(points[:, free]) + (problem.outer[free, 1] - problem.outer[free, 0]))
    reach[~np.isfinite(reach)] = 0.0
    lo[:, free] -= reach
    hi[:, free] += reach
    slopes_lo, slopes_hi = (bound.reshape(len(ends), -1, n)[:, :rows, free] for bound in _interval(problem.slope_kernel, problem, lo, hi))
    given = [(points[:, free], points[:, free]), (lo[:, free], hi[:, free]), (low, high),
             *((a.reshape(len(ends), -1), b.reshape(len(ends), -1)) for a, b in ((slopes_lo, slopes_hi), (inverse, inverse)))]
    below, above = _krawczyk(rows).interval(*(np.concatenate(side, axis=1) for side in zip(*given, strict=True)))
    mapped = ((lo[:, free] < below) & (above < hi[:, free])).all(axis=1)
    return points, np.asarray(mapped), _inside(problem, lo, hi)


def _at(problem: Problem, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The equations (n, rows) and their derivatives (n, rows, variables) at points, approximately; zeros where they have none."""
    values = problem.parameters.mean(axis=1) if len(problem.parameters) else None
    rows, every = len(problem.equations), len(problem.rows)
    found = np.nan_to_num(problem.point_kernel.points(points, parameters=values), nan=0.0, posinf=0.0, neginf=0.0)
    return found[:, :rows], found[:, every:].reshape(len(points), every, -1)[:, :rows]


def _interval(kernel: Kernel, problem: Problem, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return kernel.interval(lo, hi, parameters=tuple(problem.parameters.T) if len(problem.parameters) else None)


def _inside(problem: Problem, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Which boxes lie in the domain, but for periodic variables and the time, with all inequalities true throughout?"""
    assert problem.period is not None
    bound = problem.period == 0.0
    bound[problem.objective] = False
    within = ((lo >= problem.inner[:, 0]) & (hi <= problem.inner[:, 1]))[:, bound].all(axis=1)
    return np.asarray(within & (_interval(problem.range_kernel, problem, lo, hi)[0][:, -1] >= 1.0))


def _independent(slopes: np.ndarray, space: list[int], extents: np.ndarray) -> list[int]:
    """The variables in which the equations are most independent, as many as there are equations."""
    scaled = slopes * extents
    return list(max(itertools.combinations(space, len(slopes)), key=lambda own: abs(np.linalg.det(scaled[:, list(own)]))))


@functools.cache
def _krawczyk(n: int) -> Kernel:
    """x - C f + (I - C J) (X - x), of x, X, f, J and C, row after row."""
    def write(*w: Expr) -> list[Expr]:
        x, box, f, (slopes, inverse) = w[:n], w[n:2 * n], w[2 * n:3 * n], (w[3 * n + k * n * n:3 * n + (k + 1) * n * n] for k in range(2))
        found = []
        for i in range(n):
            row = [inverse[n * i + k] for k in range(n)]
            total = x[i] - sum((row[k] * f[k] for k in range(1, n)), row[0] * f[0])
            for j in range(n):
                product = sum((row[k] * slopes[n * k + j] for k in range(1, n)), row[0] * slopes[j])
                total = total + (int(i == j) - product) * (box[j] - x[j])
            found.append(total)
        return found

    return fixed_kernel(3 * n + 2 * n * n, write)
