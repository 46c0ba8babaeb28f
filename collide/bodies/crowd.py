"""Many parts of bodies at once: where they are, one call for all of a family."""

import functools
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .extent import Extent, carried
from .members import enclose


class Crowd:
    """Many parts at once: arrays with one row for each part `which` and time interval (rows, 2)."""

    def __init__(self, parts: Sequence[Extent]) -> None:
        self.parts = tuple(parts)
        placing = [p.placing for p in self.parts]
        self._kernels, self._family = _kinds([kernel for kernel, _ in placing])
        self._shapes, self._shape = _kinds([p.still for p in self.parts])
        self.most = max((len(p.grid) for p in self._shapes), default=1)
        self.deforming = np.array([p.deforming for p in self._shapes], bool)[self._shape]
        # The parts of each family, and the place of each part in its own.
        members = np.split(np.argsort(self._family, kind="stable"), np.cumsum(np.bincount(self._family))[:-1])
        self._numbers = [np.stack([placing[k].numbers for k in own.tolist()]) for own in members]
        self._place = np.empty(len(self.parts), np.int64)
        for own in members:
            self._place[own] = np.arange(len(own))

    @cached_property
    def ball(self) -> np.ndarray:
        return np.stack([p.ball for p in self._shapes])[self._shape]

    def motions(self, which: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Rotations and translations (rows, 12, 2), enclosed: one call for every family of motions."""
        out = np.empty((len(which), 12, 2))
        family = self._family[which]
        for k, kernel in enumerate(self._kernels):
            rows = np.flatnonzero(family == k)
            if len(rows):
                out[rows] = enclose(kernel, times[rows, None], self._numbers[k][self._place[which[rows]]])
        return out

    def balls(self, which: np.ndarray, motion: np.ndarray) -> np.ndarray:
        """Balls round the moving centres as rows (3 lower ends, 3 upper ends of the centre, radius)."""
        centre = np.repeat(self.ball[which, None, :3, None], 2, axis=3)
        moved = carried(motion, centre)[:, 0]
        return np.column_stack([moved[..., 0], moved[..., 1], self.ball[which, 3]])

    def cells(self, which: np.ndarray, times: np.ndarray) -> np.ndarray:
        """(rows, cells, 3, 2): the cells of each part in its own frame, the last one repeated to make their number equal."""
        out = self._resting[self._shape[which]]
        for k, rows in self._deforming(which):
            out[rows] = self._padded(self.parts[k].cells(times[rows]))
        return out

    def hulls(self, which: np.ndarray, times: np.ndarray) -> np.ndarray:
        """(rows, 1, 3, 2): a box round the cells of each part."""
        out = self._hulls[self._shape[which]]
        for k, rows in self._deforming(which):
            out[rows] = _hull(self.parts[k].cells(times[rows]))
        return out

    def _deforming(self, which: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """The parts that deform, each with its rows."""
        return ((k, np.flatnonzero(which == k)) for k in np.unique(which[self.deforming[which]]).tolist())

    @cached_property
    def _hulls(self) -> np.ndarray:
        return _hull(self._resting)

    @cached_property
    def _resting(self) -> np.ndarray:
        return np.concatenate([self._padded(np.zeros((1, 1, 3, 2)) if p.deforming else p.resting[None]) for p in self._shapes])

    def _padded(self, cells: np.ndarray) -> np.ndarray:
        return np.concatenate([cells, np.repeat(cells[:, -1:], self.most - cells.shape[1], axis=1)], axis=1)


def _hull(cells: np.ndarray) -> np.ndarray:
    """(rows, 1, 3, 2): boxes round cells (rows, cells, 3, 2)."""
    return np.stack([cells[..., 0].min(axis=1), cells[..., 1].max(axis=1)], axis=-1)[:, None]


@functools.lru_cache(maxsize=8)
def crowd_of(parts: tuple[Extent, ...]) -> Crowd:
    """The parts of a scene, of which the same are asked for again and again."""
    return Crowd(parts)


def _kinds(items: Sequence[Any]) -> tuple[list[Any], np.ndarray]:
    """The different ones of some items, and which of these each one is."""
    different = {item: k for k, item in enumerate(dict.fromkeys(items))}
    return list(different), np.array([different[item] for item in items], np.int64)
