"""Contact throughout a window of time: a common point of two surfaces is followed, and *proved* to exist at every moment.

Of the variables x of the contact equations f(x, t) = 0 as many are solved for as there are equations; the others are given functions of
t. Round a point c(t) that moves with the velocity that the equations ask for, the operator of Krawczyk, -C f(c(t), t) + (I - C J) Y, maps
a box Y round 0 into its own interior, J being an enclosure of the derivatives in a box H that holds c(t) + Y throughout the window; so for
each t the equations have a zero in c(t) + Y. By the mean value theorem f(c(t), t) lies in f(c, m) + (J c' + f_t) (t - m), where m is the
middle of the window. All of this is rounded outwards; where windows begin and end, and c, c', C and Y, are chosen freely.
"""

import functools
import itertools
import math

import numpy as np

from codegen.graph.expr import Expr
from codegen.kernel import Kernel

from ..bodies.members import fixed_kernel
from ..search.clock import Clock
from ..search.problem import Problem

# All of these decide only effort: windows that are tried at once, against the last one that was proved; the size of Y against the least one
# that may do, and at least, against the size of the domain.
_STEPS = 2.0 ** np.arange(2, -6, -1)
_LARGER, _LEAST = 2.0, 2.0**-44
# By how much H is widened, against the sizes of its ends: more than all roundings on the way to them.
_ROUNDINGS = 2.0**-46


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
    return float(at[time]), left_domain


def _throughout(problem: Problem, at: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (n, variables) near zeros at the times (n,); whether a box round each zero is *proved* to hold one at every moment from that
    of `at` until then; and whether all of it is inside.
    """
    time, rows, n = problem.objective, len(problem.equations), len(problem.variables)
    assert time is not None
    space = [j for j in range(n) if j != time]
    middles, velocity = _moving(problem, at, 0.5 * (at[time] + ends), space)
    slopes = _at(problem, middles)[1]
    free = _independent(slopes[-1], space, problem.outer[:, 1] - problem.outer[:, 0])
    order = [*free, *(j for j in space if j not in free), time]
    inverse = np.linalg.pinv(slopes[:, :, free])
    low, high = (bound[:, :rows] for bound in _interval(problem.range_kernel, problem, middles, middles))
    windows = np.stack([np.minimum(at[time], ends), np.maximum(at[time], ends)], axis=1)
    half = np.maximum(windows[:, 1] - middles[:, time], middles[:, time] - windows[:, 0])

    def mapped(reach: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """H, and what the operator makes of Y."""
        wide = np.abs(velocity) * half[:, None]
        wide[:, free] += reach
        wide += _ROUNDINGS * (np.abs(middles) + wide)
        lo, hi = middles - wide, middles + wide
        lo[:, time], hi[:, time] = windows.T
        between = [bound.reshape(len(ends), -1, n)[:, :rows, order].reshape(len(ends), -1)
                   for bound in _interval(problem.slope_kernel, problem, lo, hi)]
        points = [velocity[:, order[:-1]], middles[:, [time]], inverse.reshape(len(ends), -1)]
        sides = ([low, between[0], *points, windows[:, :1], -reach], [high, between[1], *points, windows[:, 1:], reach])
        return lo, hi, *_krawczyk(rows, n - 1).interval(*(np.concatenate(side, axis=1) for side in sides))

    none = np.zeros((len(ends), rows))
    with np.errstate(invalid="ignore", over="ignore"):
        *_, below, above = mapped(none)
        reach = _LARGER * np.maximum(-below, above) + _LEAST * (np.abs(middles) + (problem.outer[:, 1] - problem.outer[:, 0]))[:, free]
        reach[~np.isfinite(reach)] = 0.0
        lo, hi, below, above = mapped(reach)
    found = middles + velocity * (ends - middles[:, time])[:, None]
    found[:, time] = ends
    return found, np.asarray(((-reach < below) & (above < reach)).all(axis=1)), _inside(problem, lo, hi)


def _moving(problem: Problem, at: np.ndarray, times: np.ndarray, space: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, variables) near zeros at these times, and about how they move, as little as can be; that of the time itself is 0."""
    time, points, velocity = problem.objective, np.tile(at, (len(times), 1)), np.zeros((len(times), len(at)))
    values, slopes = _at(problem, at[None])
    velocity[:, space] = -(np.linalg.pinv(slopes[0][:, space]) @ slopes[0][:, time])
    points += velocity * (times - at[time])[:, None]
    points[:, time] = times
    values, slopes = _at(problem, points)
    steps = np.linalg.pinv(slopes[:, :, space]) @ np.stack([values, slopes[:, :, time]], axis=-1)
    points[:, space] -= steps[..., 0]
    velocity[:, space] = -steps[..., 1]
    lost = ~np.isfinite(points).all(axis=1)
    points[lost], velocity[lost] = at, 0.0
    points[:, time] = times
    return points, velocity


def _at(problem: Problem, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The equations (n, rows) and their derivatives (n, rows, variables) at points, approximately; zeros where they have none."""
    values = problem.parameters.mean(axis=1) if len(problem.parameters) else None
    rows, every = len(problem.equations), len(problem.rows)
    found = problem.point_kernel.points(points, parameters=values)
    found[~np.isfinite(found)] = 0.0
    return found[:, :rows], found[:, every:].reshape(len(points), every, -1)[:, :rows]


def _interval(kernel: Kernel, problem: Problem, lo: np.ndarray, hi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return kernel.interval(lo, hi, parameters=tuple(problem.parameters.T) if len(problem.parameters) else None)


def _inside(problem: Problem, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """The boxes that lie in the domain, periodic variables and the time aside, with all inequalities true throughout."""
    assert problem.period is not None
    bound = problem.period == 0.0
    bound[problem.objective] = False
    within = ((lo >= problem.inner[:, 0]) & (hi <= problem.inner[:, 1]))[:, bound].all(axis=1)
    return np.asarray(within & (problem.ranges(lo, hi)[0][:, -1] >= 1.0))


def _independent(slopes: np.ndarray, space: list[int], extents: np.ndarray) -> list[int]:
    """The variables in which the equations are most independent, as many as there are equations."""
    choices = list(itertools.combinations(space, len(slopes)))
    sizes = np.abs(np.linalg.det(np.moveaxis((slopes * extents)[:, choices], 1, 0)))
    return list(choices[int(np.argmax(sizes))])


@functools.cache
def _krawczyk(n: int, m: int) -> Kernel:
    """-C f + (I - C J) Y of n equations in m variables and the time, where f is f(c, m) + (J c' + f_t) (t - m). The variables are f(c, m);
    J, row after row, the variables that are solved for first and the time last; c'; m; C, row after row; t; Y.
    """
    def write(*w: Expr) -> list[Expr]:
        given = iter(w)
        f, jacobian = [next(given) for _ in range(n)], [[next(given) for _ in range(m + 1)] for _ in range(n)]
        velocity, middle = [next(given) for _ in range(m)], next(given)
        inverse = [[next(given) for _ in range(n)] for _ in range(n)]
        time, *box = given
        moved = [f[k] + _sum(row[m], *(row[j] * velocity[j] for j in range(m))) * (time - middle) for k, row in enumerate(jacobian)]
        found = []
        for i, row in enumerate(inverse):
            turned = [_sum(*(row[k] * jacobian[k][j] for k in range(n))) for j in range(n)]
            rest = _sum(*((int(i == j) - turned[j]) * box[j] for j in range(n)))
            found.append(rest - _sum(*(row[k] * moved[k] for k in range(n))))
        return found

    return fixed_kernel(n + n * (m + 1) + m + 1 + n * n + 1 + n, write)


def _sum(first: Expr, *others: Expr) -> Expr:
    return functools.reduce(lambda a, b: a + b, others, first)
