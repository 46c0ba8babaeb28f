"""Vectors of intervals in emitted code: the few operations that the kernels for Bezier patches and linear primitives share.

An interval is (-lo, hi), rounded upward (see `codegen.emit.elementary.arithmetic`). Ends must be finite: callers see to it that
nothing overflows, by scaling or by bounds on the input.
"""

from collections.abc import Sequence

from .elementary import arithmetic
from .lanes import Lanes

Value = str
Interval = tuple[Value, Value]
Vector = list[Interval]
Exact = list[Value]
"""A vector of doubles."""


def splat(L: Lanes, pointer: str, position: int | str) -> Value:
    """Entry `position`, a number or a value of 64 bits, of an array of doubles, in every lane."""
    at = L.emit(f"getelementptr inbounds double, ptr {pointer}, i64 {position}")
    x = L.emit(f"load double, ptr {at}, align 8")
    one = L.emit(f"insertelement {L.vector} poison, double {x}, i64 0")
    return L.emit(f"shufflevector {L.vector} {one}, {L.vector} poison, <{L.width} x i32> zeroinitializer")


def negative(x: Interval) -> Interval:
    return x[1], x[0]


def plus(L: Lanes, x: Interval, y: Interval) -> Interval:
    return L.add(x[0], y[0]), L.add(x[1], y[1])


def minus(L: Lanes, x: Interval, y: Interval) -> Interval:
    return L.add(x[0], y[1]), L.add(x[1], y[0])


def times(L: Lanes, x: Interval, y: Interval) -> Interval:
    return arithmetic.multiply(L, *x, *y, guard=False)


def between(L: Lanes, a: Vector, b: Vector) -> Vector:
    """b - a."""
    return [minus(L, y, x) for x, y in zip(a, b, strict=True)]


def dot(L: Lanes, a: Vector, b: Vector) -> Interval:
    total = times(L, a[0], b[0])
    for x, y in zip(a[1:], b[1:], strict=True):
        total = arithmetic.fma(L, *x, *y, *total, guard=False)
    return total


def cross(L: Lanes, a: Vector, b: Vector) -> Vector:
    out = []
    for i, j in ((1, 2), (2, 0), (0, 1)):
        out.append(arithmetic.fma(L, *a[i], *b[j], *negative(times(L, a[j], b[i])), guard=False))
    return out


class DirectionProducts:
    """Products of interval vectors with a vector of doubles: of each sign the ends that matter are known beforehand."""

    def __init__(self, L: Lanes, n: Exact) -> None:
        zero = L.const(0.0)
        self.L, self.n = L, n
        self.positive, self.negative = [L.max(x, zero) for x in n], [L.max(L.neg(x), zero) for x in n]

    def times(self, i: int, x: Interval) -> Interval:
        L, p, m = self.L, self.positive[i], self.negative[i]
        return L.fma(p, x[0], L.mul(m, x[1])), L.fma(p, x[1], L.mul(m, x[0]))

    def upper(self, x: Vector) -> Value:
        """An upper bound of n . x."""
        L = self.L
        total = L.mul(self.positive[0], x[0][1])
        total = L.fma(self.negative[0], x[0][0], total)
        for i in (1, 2):
            total = L.fma(self.positive[i], x[i][1], total)
            total = L.fma(self.negative[i], x[i][0], total)
        return total

    def minus_lower(self, x: Vector) -> Value:
        """Minus a lower bound of n . x, which is an upper bound of n . (-x)."""
        return self.upper([negative(c) for c in x])

    def dot(self, x: Vector) -> Interval:
        return self.minus_lower(x), self.upper(x)

    def cross(self, x: Vector) -> Vector:
        """x × n."""
        L = self.L
        return [minus(L, self.times(j, x[i]), self.times(i, x[j])) for i, j in ((1, 2), (2, 0), (0, 1))]


def middle(L: Lanes, x: Vector) -> Exact:
    """Points of the box, near its middle."""
    half = L.const(0.5)
    return [L.mul(half, L.sub(h, n)) for n, h in x]


def exact_cross(L: Lanes, a: Sequence[Value], b: Sequence[Value]) -> Exact:
    """a × b in ordinary arithmetic: a direction, of which nothing is claimed."""
    return [L.fma(a[i], b[j], L.neg(L.mul(a[j], b[i]))) for i, j in ((1, 2), (2, 0), (0, 1))]


def exact_minus(L: Lanes, a: Sequence[Value], b: Sequence[Value]) -> Exact:
    return [L.sub(x, y) for x, y in zip(a, b, strict=True)]
