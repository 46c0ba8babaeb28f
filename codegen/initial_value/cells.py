"""The table of the cells that marches left, and tables as bytes."""

import marshal
from collections.abc import Sequence

import numpy as np

from ..graph.flows import FlowTable
from .series import ORDER

Array = np.ndarray

KEPT = ("cell", "c", "error", "slope_error", "bend", "range")
"""Arrays of `MarchMemory`, a row a cell."""


def gathered(n: int, parts: Sequence[tuple[Array, ...]], reason: tuple[str, str]) -> FlowTable:
    """The table of cells of n states, in the order of time whatever the order and the direction of their steps."""
    none = tuple(np.empty((0, *shape)) for shape in ((2,), (n, ORDER + 1), (n,), (n,), (n,), (n, 2)))
    cell, *found = (np.concatenate(arrays) for arrays in zip(none, *parts, strict=True))
    ends = np.sort(cell, axis=1)
    order = np.argsort(ends[:, 0])
    ends = ends[order]
    c, error, slope_error, bend, inside = (array[order] for array in found)
    return FlowTable(np.concatenate([ends[:, 0], ends[-1:, 1]]), cell[order, 0], c, error, slope_error, bend, inside, reason)


def packed(table: FlowTable) -> bytes:
    """A table as bytes."""
    return marshal.dumps(([(np.shape(a), np.asarray(a, float).tobytes()) for a in table[:-1]], table.reason), 2)


def unpacked(data: bytes) -> FlowTable:
    arrays, reason = marshal.loads(data)
    ends, base, c, error, slope_error, bend, found = (np.frombuffer(numbers).reshape(shape) for shape, numbers in arrays)
    return FlowTable(ends, base, c, error, slope_error, bend, found, reason)
