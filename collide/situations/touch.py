"""Points of two parts that touch, or nearly do, which are proved to be as near to each other as rounding lets them be.

In the equation D . D = d^2 of a distance d, a d that is nearly 0 is told only to the square root of what rounding leaves open. So D = 0
and F = 0, or F = 0 and the conditions of a critical distance, are solved by Newton's method, in plain doubles, F being the functions of
implicit parts. What is claimed is proved: each implicit part has one function F there, which changes its sign along a short segment in one
coordinate, on which it is continuous: so it has a zero on it (Bolzano). The difference D of any points of the segments is enclosed, and
so is that of the two zeros.
"""

import numpy as np

from codegen.graph.autodiff import partials
from codegen.kernel import Kernel

from ..culling.boxes_apart import greatest_lengths
from ..search.problem import Problem, formula_kernel

# Against the largest one, a singular value that is rounding.
_SINGULAR = 1e-13
# Steps of Newton's method, each of which halves the error at least where surfaces touch without crossing; and halves of segments that are
# tried, against 1 + |x|.
_STEPS, _HALVES = 60, 2.0 ** np.arange(-52, -28, 3)


def brought_together(problem: Problem, at: np.ndarray) -> np.ndarray | None:
    """A box (variables, 2) of a distance `problem`, near values `at` of its variables, which is proved to hold points of both parts, with
    the distance 0 to what encloses theirs; None if nothing is proved. A distance without a bound, which D and F do not have, is left out.
    """
    at = np.where(np.isfinite(at), at, 0.0)
    count = len(problem.gap) - 3
    sides = [[j for j, name in enumerate(problem.variables[:-1]) if name in (f"x{side}", f"y{side}", f"z{side}")] for side in (1, 2)]
    implicit = [own for own in sides if own]
    if count != len(implicit):
        return None
    boxes = [_proved(problem, place, implicit) for place in (_solved(problem, at, False), _solved(problem, at, True))]
    return min((box for box in boxes if box is not None), key=lambda box: float(box[-1, 1]), default=None)


def _proved(problem: Problem, at: np.ndarray, implicit: list[list[int]]) -> np.ndarray | None:
    """Such a box round `at`; `implicit`: the coordinates of each implicit part."""
    box = np.repeat(at[:, None], 2, axis=1)
    for k, own in enumerate(implicit):
        ends = _change_of_sign(problem, at, 3 + k, own)
        if ends is None:
            return None
        box[ends[0]] = ends[1:]
    return _with_distance(problem, box)


def _slopes(problem: Problem) -> tuple[Kernel, Kernel]:
    """D and F; and in plain doubles with their Jacobian by all variables but the distance."""
    if "gap and slopes" not in problem.built:
        rows = partials(problem.gap, problem.coordinates[:-1])
        outputs = [*problem.gap, *(d for row in rows for d in row)]
        problem.built["gap and slopes"] = tuple(formula_kernel(own, problem.variables, len(problem.parameters))
                                                for own in (problem.gap, outputs))
    first, second = problem.built["gap and slopes"]
    return first, second


def _solved(problem: Problem, at: np.ndarray, critical: bool) -> np.ndarray:
    """The point where D and F are zero, about; or F and the conditions of a critical distance."""
    n, inner = len(problem.variables) - 1, problem.inner
    m, first = (len(problem.rows), 1) if critical else (len(problem.gap), 0)
    kernel = problem.point_kernel if critical else _slopes(problem)[1]
    values = problem.parameters.mean(axis=1) if len(problem.parameters) else None
    at, best, least = at.copy(), at.copy(), np.inf
    for _ in range(_STEPS):
        found = kernel.points(at[None], parameters=values)[0]
        if not np.isfinite(found).all():
            break
        size = float(np.abs(found[first:m]).max())
        if size < least:
            best, least = at.copy(), size
        at[:n] -= np.linalg.lstsq(found[m:].reshape(m, -1)[first:, :n], found[first:m], rcond=_SINGULAR)[0]
        at = np.clip(at, inner[:, 0], inner[:, 1])
    return best


def _change_of_sign(problem: Problem, at: np.ndarray, k: int, own: list[int]) -> tuple[int, float, float] | None:
    """A coordinate among those of a part, and the ends of a segment along it, on which function k of `gap` has a zero."""
    m, n = len(problem.gap), len(problem.variables) - 1
    middle = problem.parameters.mean(axis=1) if len(problem.parameters) else None
    slopes = _slopes(problem)[1].points(at[None], parameters=middle)[0, m:].reshape(m, n)[k]
    j = max(own, key=lambda i: abs(slopes[i]))
    halves = _HALVES * (1.0 + abs(at[j]))
    ends = np.repeat(at[None], 3 * len(halves), axis=0).reshape(3, len(halves), -1)
    ends[0, :, j] -= halves
    ends[1, :, j] += halves
    lo, hi = ends.copy(), ends.copy()
    lo[2, :, j], hi[2, :, j] = ends[0, :, j], ends[1, :, j]
    known = tuple(problem.parameters.T) if len(problem.parameters) else None
    shape = 3, len(halves)
    low, high, level = (array[:, k].reshape(shape) for array in _slopes(problem)[0].decorated(
        lo.reshape(-1, n + 1), hi.reshape(-1, n + 1), parameters=known))
    signs = ((high[0] < 0) & (low[1] > 0)) | ((low[0] > 0) & (high[1] < 0))
    for i in np.flatnonzero(signs & (level[2] >= 2))[:1].tolist():
        return j, float(ends[0, i, j]), float(ends[1, i, j])
    return None


def _with_distance(problem: Problem, box: np.ndarray) -> np.ndarray | None:
    """The box with the distances of points in it from 0 on; None if it does not lie within the domain, or is not feasible throughout, or
    if formulas have no bound there. (The distance in the box that comes may be infinite.)
    """
    known = tuple(problem.parameters.T) if len(problem.parameters) else None
    box[-1] = 0.0
    lo, hi, level = _slopes(problem)[0].decorated(box[None, :, 0], box[None, :, 1], parameters=known)
    far = float(greatest_lengths(np.maximum(np.abs(lo), np.abs(hi))[:, :3])[0])
    if not far < np.inf:
        return None
    box[-1] = 0.0, far
    feasible, _ = problem.range_kernel.interval(box[None, :, 0], box[None, :, 1], parameters=known)
    inside = ((box >= problem.inner[:, :1]) & (box <= problem.inner[:, 1:]))[:-1].all()
    return box if inside and feasible[0, -1] >= 1.0 and (level[:, :3] >= 1).all() else None
