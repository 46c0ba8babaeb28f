"""Blocks of interval matrices and vectors in memory, and their products with numbers: what the kernels of `linear` share."""

from collections.abc import Sequence

from ..emit.elementary.arithmetic import add
from ..emit.lanes import Lanes

Value = str
Interval = tuple[Value, Value]


def read(L: Lanes, pointer: str, position: int) -> Interval:
    return L.load(pointer, 2 * position), L.load(pointer, 2 * position + 1)


def write(L: Lanes, pointer: str, position: int, x: Interval) -> None:
    L.store(pointer, 2 * position, x[0])
    L.store(pointer, 2 * position + 1, x[1])


def from_centre(L: Lanes, n: int) -> list[Interval]:
    """X - c, rounded outward."""
    return [(L.add(xn, c), L.sub(xh, c)) for (xn, xh), c in
            ((read(L, "%X", j), L.load("%c", j)) for j in range(n))]


def scale(L: Lanes, y: Value, n: Value, h: Value) -> Interval:
    """y [lo, hi] for numbers y: each end is the larger of two products. 0 * inf stands for 0, as in `multiply`."""
    zero, minus = L.const(0.0), L.neg(y)

    def end(p: Value, q: Value) -> Value:
        product = L.mul(y, p)
        return L.max(L.mul(minus, q), L.select(L.isnan(product), zero, product))

    return end(n, h), end(h, n)


def dot(L: Lanes, y: Sequence[Value], column: Sequence[Interval]) -> Interval:
    total: Interval = (L.const(0.0), L.const(0.0))
    for yk, x in zip(y, column, strict=True):
        total = add(L, *total, *scale(L, yk, *x))
    return total
