"""What is kept of each step: polynomials with bounds of all that they leave out (see `graph.flows.Table`)."""

import marshal
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..graph.flows import Table
from ..machine.memory import Memory
from .series import ORDER

Array = np.ndarray

# Sums and products of numbers that are not negative, rounded to nearest, are below the exact ones by less than this part; and what is lost
# to denormal numbers, times powers of steps up to `march_loop.LONGEST`.
_ABOVE, _DENORMAL = 1.0 + 2.0**-40, 2.0**-500


class Cells(NamedTuple):
    """Steps from s to `after` = s + h (N,), h enclosed (N, 2): enclosures of the coefficients at s (N, d + 1, n, 2), those of orders 2 and
    d + 1 over the whole step (N, 2, n, 2), and the range in it (N, n, 2).
    """

    s: Array
    after: Array
    h: Array
    kept: Array
    over: Array
    inside: Array

    @classmethod
    def copied(cls, memory: Memory) -> "Cells":
        """Those that a march has in its memory."""
        count, n = memory.number("count"), memory.number("n")
        cell, kept, over, inside = (memory[name][:count].copy() for name in ("cell", "cell_kept", "cell_over", "cell_inside"))
        return cls(cell[:, 0], cell[:, 1], cell[:, 2:], kept.reshape(count, ORDER + 1, n, 2), over.reshape(count, 2, n, 2), inside)

    @classmethod
    def of(cls, n: int, parts: "Sequence[Cells]") -> "Cells":
        """Cells one after the other."""
        none = cls(*(np.empty((0, *shape)) for shape in ((), (), (2,), (ORDER + 1, n, 2), (2, n, 2), (n, 2))))
        return cls(*(np.concatenate(arrays) for arrays in zip(none, *parts, strict=True)))


def gathered(sides: Sequence[Cells], reason: tuple[str, str]) -> Table:
    """The table of the cells before the start and after it.

    What its polynomials leave out: the errors of the coefficients, and Lagrange's remainder.
    """
    before, after = sides
    cells = Cells(*(np.concatenate([a[::-1], b]) for a, b in zip(before, after, strict=True)))
    ends = np.concatenate([np.minimum(cells.s, cells.after), np.maximum(cells.s, cells.after)[-1:]])
    low, high = cells.kept[..., 0], cells.kept[..., 1]
    middle = 0.5 * low + 0.5 * high
    off = np.maximum(np.maximum(high - middle, middle - low), 0.0) * _ABOVE
    bend, rest = (np.abs(cells.over[:, k]).max(axis=-1) for k in (0, 1))
    orders, powers = np.arange(ORDER + 1.0)[:, None], _powers(np.abs(cells.h).max(axis=1))[..., None]
    error = (off * powers[:, :-1]).sum(axis=1) + rest * powers[:, -1]
    slope_error = (orders[1:] * off[:, 1:] * powers[:, :-2]).sum(axis=1) + (ORDER + 1) * rest * powers[:, -2]
    return Table(ends, cells.s, middle.swapaxes(1, 2).copy(), error * _ABOVE + _DENORMAL, slope_error * _ABOVE + _DENORMAL,
                 2 * bend * _ABOVE + _DENORMAL, cells.inside, reason)


def packed(table: Table) -> bytes:
    """A table as bytes."""
    return marshal.dumps(([(np.shape(a), np.asarray(a, float).tobytes()) for a in table[:-1]], table.reason), 2)


def unpacked(data: bytes) -> Table:
    arrays, reason = marshal.loads(data)
    ends, base, c, error, slope_error, bend, found = (np.frombuffer(numbers).reshape(shape) for shape, numbers in arrays)
    return Table(ends, base, c, error, slope_error, bend, found, reason)


def _powers(h: Array) -> Array:
    """h^0, ..., h^(d + 1) (N, d + 2), by products: the same bits everywhere."""
    found = [np.ones(len(h))]
    for _ in range(ORDER + 1):
        found.append(found[-1] * h)
    return np.stack(found, axis=1)
