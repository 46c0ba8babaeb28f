"""What is kept of each step: polynomials with bounds of all that they leave out (see `graph.flows.Table`)."""

import marshal
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..graph.flows import Table
from .series import ORDER

Array = np.ndarray

# Sums and products of numbers that are not negative, rounded to nearest, are below the exact ones by less than this part; and what is lost
# to denormal numbers, times powers of steps up to 2^20.
_ABOVE, _DENORMAL = 1.0 + 2.0**-40, 2.0**-500
LONGEST = 2.0**20
"""A longer step would magnify denormal numbers."""


class Cell(NamedTuple):
    """A step from s to `after` = s + h: enclosures of the coefficients at s (d + 1, n, 2), those of orders 2 and d + 1 over the whole step
    (2, n, 2), and the range in it (n, 2).
    """

    s: float
    after: float
    h: Array
    kept: Array
    over: Array
    inside: Array


def gathered(n: int, sides: Sequence[Sequence[Cell]], reason: tuple[str, str]) -> Table:
    """The table of the cells before the start and after it."""
    cells = [*reversed(sides[0]), *sides[1]]
    ends = [min(c.s, c.after) for c in cells] + [max(c.s, c.after) for c in cells[-1:]]
    rows = [_row(c) for c in cells]
    shapes = [(n, ORDER + 1), (n,), (n,), (n,), (n, 2)]
    c, error, slope_error, bend, found = (np.array([row[k] for row in rows]).reshape(-1, *shape) for k, shape in enumerate(shapes))
    return Table(np.array(ends), np.array([c.s for c in cells]), c, error, slope_error, bend, found, reason)


def packed(table: Table) -> bytes:
    """A table as bytes."""
    return marshal.dumps(([(np.shape(a), np.asarray(a, float).tobytes()) for a in table[:-1]], table.reason), 2)


def unpacked(data: bytes) -> Table:
    arrays, reason = marshal.loads(data)
    ends, base, c, error, slope_error, bend, found = (np.frombuffer(numbers).reshape(shape) for shape, numbers in arrays)
    return Table(ends, base, c, error, slope_error, bend, found, reason)


def _row(cell: Cell) -> tuple[Array, ...]:
    """Coefficients, errors of value and slope, a bound of the second derivative, and the range.

    What is left out: the errors of the coefficients, and Lagrange's remainder.
    """
    low, high = cell.kept[..., 0], cell.kept[..., 1]
    middle = 0.5 * low + 0.5 * high
    off = np.maximum(np.maximum(high - middle, middle - low), 0.0) * _ABOVE
    rest = np.abs(cell.over[1]).max(axis=-1)
    k = np.arange(ORDER + 1.0)[:, None]
    powers = _powers(np.abs(cell.h).max())[:, None]
    error = sum(off * powers[:-1]) + rest * powers[-1]
    slope_error = sum(k[1:] * off[1:] * powers[:-2]) + (ORDER + 1) * rest * powers[-2]
    bend = 2 * np.abs(cell.over[0]).max(axis=-1)
    return middle.T, error * _ABOVE + _DENORMAL, slope_error * _ABOVE + _DENORMAL, bend * _ABOVE + _DENORMAL, cell.inside


def _powers(h: float) -> Array:
    """h^0, ..., h^(d + 1), by products: the same bits everywhere."""
    found = [1.0]
    for _ in range(ORDER + 1):
        found.append(found[-1] * h)
    return np.array(found)
