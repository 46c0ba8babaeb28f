"""Roughly where two bodies may be nearest: parts of them that lie elsewhere are not searched.

The faces of an implicit body are closed: together they hold all its edges and vertices, of which there may be hundreds. Pairs of faces
are searched a little by the equations of their distance alone, without those of a critical distance, which do not hold where a face ends.
In the boxes that are left lie all nearest points: parts of the bodies that reach into none of them hold none.
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..bodies.cells import Cell
from ..search.problem import Problem
from ..search.search import Search
from ..situations.distance import both_points


@dataclass(frozen=True, eq=False)
class Whereabouts:
    """Boxes that hold pairs of points of two bodies (k, 2, 3, 2), at times (k, 2), which are `least` (k,) from each other at least; and of
    each body which of its leaves and sides may be met there (k, n), as `Occupancy` numbers them, where that is known. `slices` (s, 2) are
    those of the time.
    """

    points: np.ndarray
    times: np.ndarray
    least: np.ndarray
    met: tuple[np.ndarray, np.ndarray]
    slices: np.ndarray

    def within(self, upper: float) -> "Whereabouts":
        """Those that may be as near as that."""
        near = self.least <= upper
        return replace(self, points=self.points[near], times=self.times[near], least=self.least[near],
                       met=(self.met[0][near], self.met[1][near]))

    @functools.cached_property
    def when(self) -> tuple[np.ndarray, np.ndarray]:
        """The boxes and the slices (p,) that have times in common, by their numbers: few, where boxes are short."""
        earlier, later = (self.times[:, None, end] for end in (0, 1))
        rows, columns = np.nonzero((earlier <= self.slices[:, 1]) & (later >= self.slices[:, 0]))
        return rows, columns

    def reached(self, side: int, boxes: np.ndarray, on: Sequence[int] = ()) -> np.ndarray:
        """(p,): whether boxes (slices, 3, 2) round a part of body `side`, which lies on the leaves and sides of these numbers, reach into
        each of them when it has times in common with a slice (`when`). What is not known to be apart does.
        """
        rows, columns = self.when
        found = np.asarray(self.met[side][:, list(on)].all(axis=1))[rows]
        for axis in range(3):
            own, around = self.points[:, side, axis], boxes[:, axis]
            some = np.flatnonzero(found)
            here, there = own[rows[some]], around[columns[some]]
            found[some] = ~((here[:, 0] > there[:, 1]) | (here[:, 1] < there[:, 0]))
        return found


def together(parts: Sequence[Whereabouts]) -> Whereabouts:
    """Those of searches of the same bodies."""
    points, times, least = (np.concatenate(arrays) for arrays in zip(*((w.points, w.times, w.least) for w in parts), strict=True))
    first, second = (np.concatenate([w.met[side] for w in parts]) for side in (0, 1))
    return Whereabouts(points, times, least, (first, second), parts[0].slices)


def is_closed(part: Cell) -> bool:
    """Whether a part is one of those whose union is the whole surface."""
    return not part.leaves or part.dimension == 2


def common(parts: Sequence[Cell], faces: Sequence[Cell], boxes: np.ndarray) -> tuple[list[Cell], np.ndarray]:
    """Edges and vertices, each with what boxes (faces, slices, 3, 2) round the faces that it lies on have in common; without those that lie
    on faces that are not there, or are apart.
    """
    numbers = {face.leaves[0]: i for i, face in enumerate(faces)}
    found, around = list[Cell](), [np.empty((0, *boxes.shape[1:]))]
    for part in parts:
        if all(leaf in numbers for leaf in part.leaves):
            own = boxes[[numbers[leaf] for leaf in part.leaves]]
            box = np.stack([own[..., 0].max(axis=0), own[..., 1].min(axis=0)], axis=-1)
            if (box[..., 0] <= box[..., 1]).all(axis=-1).any():
                found.append(part)
                around.append(box[None])
    return found, np.concatenate(around)


def left_of(search: Search) -> Iterator[tuple[Problem, np.ndarray]]:
    """Boxes of each problem in which such a search has left open that nearest points are: its domain where it left any to samples near."""
    found, lost = search.possible_ones(), search.latest_left > -math.inf or bool(search.left)
    for k, p in enumerate(search.problems):
        own = found[search.arrays["owner"][found] == k]
        yield p, p.outer[None] if lost else np.concatenate([search.open(k), search.boxes(k, own)])


def whereabouts(p: Problem, boxes: np.ndarray, slices: np.ndarray, met: Callable[[int, np.ndarray], np.ndarray]) -> Whereabouts:
    """The whereabouts that such boxes of a problem tell, in a span of time with these slices; `met`: which leaves and sides of a body may
    be met in boxes (k, 4, 2) of its first leaf.
    """
    values = tuple(p.parameters.T) if len(p.parameters) else None
    points = np.stack(both_points(p).interval(boxes[..., 0], boxes[..., 1], parameters=values), axis=-1).reshape(-1, 2, 3, 2)
    times = boxes[:, p.variables.index("t")] if "t" in p.variables else np.tile([slices[0, 0], slices[-1, 1]], (len(boxes), 1))
    own = [[p.variables.index(f"{name}{side}") for name in "xyz" if f"{name}{side}" in p.variables] for side in (1, 2)]
    first, second = (met(side, np.concatenate([boxes[:, columns], times[:, None]], axis=1)) for side, columns in enumerate(own))
    return Whereabouts(points, times, boxes[:, -1, 0], (first, second), slices)
