"""Tricubic B-splines as an operation: ``tricubic(x, y, z)`` is the sum of c_abc B(r - a) B(s - b) B(q - c), or a partial derivative of it.

r = (x - origin) / spacing + 3, s and q likewise, are places in the lattice; cell i holds r from i to i + 1, where the basis functions of
the coefficients i - 3, ..., i, all of the cardinal cubic B-spline, do not vanish. Beyond the first and the last coefficient all are like
these: so the function is defined everywhere, twice continuously differentiable, and constant far away.

The value of the operation, bytes, says which function it is: the `orders` of derivatives by x, y and z, up to 3, the `Lattice`, and
which `Bounds` there are over boxes.
"""

import functools
import itertools
import marshal
from enum import IntEnum
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

Orders = tuple[int, int, int]
DEGREE = 3


class Lattice(NamedTuple):
    """`data`: the coefficients as bytes of doubles, row by row, of the `shape`; all numbers are exact."""

    shape: tuple[int, int, int]
    origin: tuple[float, float, float]
    spacing: tuple[float, float, float]
    data: bytes

    @property
    def coefficients(self) -> np.ndarray:
        return np.frombuffer(self.data, np.float64).reshape(self.shape)


class Bounds(IntEnum):
    """The way a function is bounded over a box: as well as is known; as in small boxes alone, by its value and the size of all coefficients
    near by; by tables alone, which does not get better in boxes smaller than a cell. The last two take a fraction of the time.
    """

    CLOSE = 0
    POINT = 1
    ROUGH = 2


def encoded(orders: Orders, lattice: Lattice, bounds: Bounds = Bounds.CLOSE) -> bytes:
    """The value of a node."""
    return marshal.dumps((orders, *lattice, int(bounds)), 2)


@functools.lru_cache(maxsize=256)
def decoded(value: bytes) -> tuple[Orders, Lattice]:
    orders, *lattice, _ = marshal.loads(value)
    return orders, Lattice(*lattice)


@functools.lru_cache(maxsize=256)
def bounds_of(value: bytes) -> Bounds:
    return Bounds(marshal.loads(value)[-1])


@functools.lru_cache(maxsize=256)
def bounded(value: bytes, bounds: Bounds) -> bytes:
    """The same function with such bounds."""
    return encoded(*decoded(value), bounds)


@functools.lru_cache(maxsize=1024)
def raised(value: bytes, axis: int) -> bytes | None:
    """The value of the derivative along an axis; None where it is 0 in every cell."""
    orders, lattice = decoded(value)
    if orders[axis] == DEGREE:
        return None
    a, b, c = (n + (k == axis) for k, n in enumerate(orders))
    return encoded((a, b, c), lattice, bounds_of(value))


def weights(tau: Any, order: int) -> list[Any]:
    """The weights of the coefficients of a cell, after so many differences of these, at tau of 0 to 1: not negative, and 1 in all."""
    rest = 1 - tau
    if order == 0:
        square = tau * tau
        return [rest * rest * rest / 6, (square * (3 * tau - 6) + 4) / 6, ((3 - 3 * tau) * square + 3 * tau + 1) / 6, square * tau / 6]
    if order == 1:
        return [rest * rest / 2, tau * rest + (tau * 0 + 1) / 2, tau * tau / 2]
    return [rest, tau] if order == 2 else [tau * 0 + 1]


def scale(orders: Orders, spacing: tuple[float, ...]) -> Fraction:
    """The factor that makes differences of coefficients derivatives."""
    total = Fraction(1)
    for n, h in zip(orders, spacing, strict=True):
        total /= Fraction(h) ** n
    return total


def exact(value: bytes, point: tuple[Fraction, Fraction, Fraction]) -> Fraction:
    """The value at a point; at a knot where it jumps that of the later cell."""
    orders, lattice = decoded(value)
    cells, taus = zip(*(place(lattice, k, x) for k, x in enumerate(point)), strict=True)
    block = differences(lattice, [(i, i) for i in cells], orders)
    own = [weights(tau, n) for tau, n in zip(taus, orders, strict=True)]
    places = itertools.product(*map(range, block.shape))
    return sum((own[0][a] * own[1][b] * own[2][c] * block[a, b, c] for a, b, c in places), Fraction(0)) * scale(orders, lattice.spacing)


def place(lattice: Lattice, axis: int, x: Fraction) -> tuple[int, Fraction]:
    """The cell of a coordinate, and where in it."""
    r = (x - Fraction(lattice.origin[axis])) / Fraction(lattice.spacing[axis]) + DEGREE
    r = min(max(r, Fraction(0)), Fraction(lattice.shape[axis] + DEGREE))
    cell = r.numerator // r.denominator
    return cell, r - cell


def differences(lattice: Lattice, cells: list[tuple[int, int]], orders: Orders) -> np.ndarray:
    """The coefficients of the cells from first to last along each axis, exactly, and their differences."""
    around = np.ix_(*(np.clip(np.arange(a - DEGREE, b + 1), 0, n - 1) for (a, b), n in zip(cells, lattice.shape, strict=True)))
    block = np.array([Fraction(x) for x in lattice.coefficients[around].ravel().tolist()], object)
    block = block.reshape([b - a + DEGREE + 1 for a, b in cells])
    for axis, n in enumerate(orders):
        block = np.diff(block, n, axis=axis)
    return block
