"""Rows of two patches, of which the least distance is one problem each: searched by the hundred in native code, which holds no lock.

What takes long there, meets a pole, or may be a place where surfaces meet, is left to the search of single rows.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..bodies.cells import Cell
from ..bodies.numbers import Numbers
from ..bodies.parts import parts_of
from ..culling.boxes_apart import greatest_lengths
from ..search.clock import CONVERTING, Clock
from ..search.native.layout import LANES
from ..search.options import Options
from ..search.prepare import prepare
from ..search.problem import Problem, formula_kernel
from ..search.rows import Instances, RowSearch, Told
from ..situations.distance import both_points, nearest
from ..timeline.nearest import Asked
from ..timeline.neighbourhood import SMALL, WIDTH
from .rows import RowFamilies

# How closely a distance near 0 is told: rows in which it is that small are left.
_ANY = 2.0**-1000
# Against the distance of some two points, that up to which is searched: the nearest ones lie well inside.
_ROOM = 2.0
# Effort only: steps of each row, those that take more being few.
_STEPS = 2000
# More than the memory of such a search, which is that of some hundred rows and of the boxes of one of them.
_BYTES = 1 << 28
# The shares of the ranges of variables at which these points are.
_SHARES = np.array([0.5, 0.25, 0.75, 0.3])


class RowBrackets(NamedTuple):
    """Brackets of the rows `numbers` (k,): `bracket` (k, 2) of the distance, the upper end infinite where it is only known that it is not
    less; at `times` (k, 2) and `points` (k, 2, 3); `tests` (k,).
    """

    numbers: np.ndarray
    bracket: np.ndarray
    times: np.ndarray
    points: np.ndarray
    tests: np.ndarray


def searched_together(rows: RowFamilies, asked: Asked, clock: Clock) -> Iterator[RowBrackets]:
    """The brackets of those rows that are decided, some at a time; nothing if the rows are not of this kind."""
    if not rows.quick or rows.creased or rows.ignored or not rows.count or not _affordable(rows, clock):
        return
    faces = [[p for p in parts_of(m.body) if p.dimension == 2 or p.around is not None] for m in rows.members]
    if any(len(own) > 1 for own in faces):
        return
    with clock.doing(CONVERTING):
        problem = _problem(rows, faces[0][0], faces[1][0])
        if problem.late:
            return
        prepare(problem, "auto")
        instances, size = _instances(rows, problem)
        chosen = np.flatnonzero(np.isfinite(size) & (size > 0.0) & (instances.bounded() == problem.bounded))
        instances.outer[:, -1, 1] = instances.inner[:, -1, 1] = asked.reach if asked.reach < math.inf else _ROOM * size
        search = RowSearch(problem, Options(tolerance=WIDTH, first_only=asked.reach < math.inf), _ANY, asked.tolerance, _STEPS)
    for told in search.told(instances.some(chosen), clock):
        with clock.reporting():
            numbers = chosen[told.first:told.first + len(told.finished)]
            yield _known(problem, instances.some(numbers), numbers, told, _decided(told, size[numbers], asked))


def _affordable(rows: RowFamilies, clock: Clock) -> bool:
    """Whether enough boxes are left, whatever the rows take, and enough bytes. In between neither are counted."""
    budget = clock.budget
    most = math.inf if budget.boxes is None else budget.boxes - clock.boxes
    return rows.count * _STEPS * LANES <= most and (budget.bytes is None or budget.bytes > _BYTES)


def _problem(rows: RowFamilies, first: Cell, second: Cell) -> Problem:
    """That of the first row."""
    numbers = [Numbers(m.symbols, [None if e in rows.values else e for e in m.data], values[0])
               for m, values in zip(rows.members, rows.numbers, strict=True)]
    return nearest(first, second, (numbers[0], numbers[1]), rows.time, 1.0, (0, 1), False, (0.0, 0.0, 0.0), {}, ())


def _instances(rows: RowFamilies, problem: Problem) -> tuple[Instances, np.ndarray]:
    """The rows, without an end of the distance; and (n,) how far from each other some two points are, from above."""
    count, own = rows.count, np.concatenate(rows.numbers, axis=1)
    rest = problem.parameters[own.shape[1]:]
    numbers = np.concatenate([own, np.broadcast_to(rest, (count, *rest.shape))], axis=1)
    none = np.zeros((count, 1, 2))
    outer, inner = np.concatenate([rows.outer, none], axis=1), np.concatenate([rows.inner, none], axis=1)
    kernel = formula_kernel(problem.gap, problem.variables, len(problem.parameters))
    size = np.full(count, math.inf)
    for share in _SHARES:
        at = np.clip((1.0 - share) * inner[..., 0] + share * inner[..., 1], inner[..., 0], inner[..., 1])
        lo, hi, level = kernel.decorated(at, at, parameters=(numbers[..., 0], numbers[..., 1]) if numbers.shape[1] else None)
        far = greatest_lengths(np.maximum(np.abs(lo), np.abs(hi)))
        size = np.fmin(size, np.where((level > 0).all(axis=1), far, math.inf))
    return Instances(outer, inner, numbers), size


def _decided(told: Told, size: np.ndarray, asked: Asked) -> np.ndarray:
    """(n,): whether the row is decided, and is no place where surfaces may meet."""
    if asked.reach < math.inf:
        return told.finished & ((told.proved == math.inf) | (told.proved < asked.reach))
    close = told.proved - told.least <= asked.tolerance * told.proved
    return told.finished & (told.proved < math.inf) & (told.least > SMALL * size) & close


def _known(problem: Problem, rows: Instances, numbers: np.ndarray, told: Told, decided: np.ndarray) -> RowBrackets:
    own, found = numbers[decided], np.isfinite(told.proved[decided])
    bracket = np.stack([np.minimum(told.least, told.proved)[decided], told.proved[decided]], axis=1)
    bracket[~found, 0] = rows.outer[decided, -1, 1][~found]
    boxes, times, points = told.boxes[decided][found], np.full((len(own), 2), math.nan), np.full((len(own), 2, 3), math.nan)
    middles = np.clip(boxes.mean(axis=2), *np.moveaxis(rows.outer[decided][found], 2, 0))
    values = rows.numbers[decided][found].mean(axis=2)
    points[found] = both_points(problem).points(middles, parameters=values if values.shape[1] else None).reshape(-1, 2, 3)
    times[found] = boxes[:, problem.variables.index("t")]
    return RowBrackets(own, bracket, times, points, told.iterations[decided])
