"""Meetings at a moment proved by signs: a body's function has both in one box of another body's surface.

Where the function of an implicit body, on the parameters of another body's surface, is continuous on a box that lies in the domain, and is
negative at one corner and positive at another, it is zero on the segment between them: the intermediate value theorem. That holds also
where it has no derivative, as distance functions of boxes have none on the surface itself.
"""

import itertools

import numpy as np

from codegen.kernel import Kernel

from ..search.problem import Problem
from ..search.search import Search

# The level of a function that is defined and continuous on a whole box.
_CONTINUOUS = 2


def changes_sign(search: Search) -> bool:
    """Whether a box that a search has left, or located, is proved to hold a zero of the only equation by its signs."""
    return any(_holds_zero(problem, np.concatenate([search.boxes(p, search.numbers(p)), search.open(p)]))
               for p, problem in enumerate(search.problems) if len(problem.equations) == 1)


def _holds_zero(problem: Problem, boxes: np.ndarray) -> bool:
    """Whether one of the boxes (k, n, 2) is proved to hold a zero that is feasible."""
    boxes = boxes[((boxes[..., 0] >= problem.inner[:, 0]) & (boxes[..., 1] <= problem.inner[:, 1])).all(axis=1)]
    if not len(boxes):
        return False
    (function,) = problem.equations
    pool = function.pool
    inside = pool.constant(1) if problem.feasible is None else pool.where(problem.feasible, pool.constant(1), pool.constant(0))
    kernel = Kernel([function, inside], problem.variables, [f"p{k}" for k in range(len(problem.parameters))], quick=True)
    values = (problem.parameters[:, 0], problem.parameters[:, 1]) if len(problem.parameters) else None
    low, _, level = kernel.decorated(boxes[..., 0], boxes[..., 1], parameters=values)
    boxes = boxes[(level[:, 0] >= _CONTINUOUS) & (low[:, 1] == 1)]
    above, below = np.zeros(len(boxes), bool), np.zeros(len(boxes), bool)
    for ends in itertools.product(range(2), repeat=boxes.shape[1]):
        corner = np.stack([boxes[:, j, end] for j, end in enumerate(ends)], axis=1)
        low, high = kernel.interval(corner, corner, parameters=values)
        above |= low[:, 0] > 0
        below |= high[:, 0] < 0
    return bool((above & below).any())
