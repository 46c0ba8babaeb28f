"""Common parts of the bounds of the time of contact: midpoints and radii, directions to try, the step in time.

All bounds are rounded upward, lower bounds as negatives. For a direction n and a difference E of points, let n . E or -n . E be at
least A > 0 at the beginning t0 of a window, its time derivative there at least B, and its second one in the window at least
C <= 0. By Taylor's theorem it has no zero before t0 + s, s being the positive zero of A + B s + C s^2 / 2:

    s = A / (-B/2 + sqrt((B/2)^2 - A C / 2)).
"""

import math
from collections.abc import Mapping, Sequence

from ..emit.lanes import Lanes

Value = str
Vector = list[Value]
Ball = tuple[Vector, Vector]
"""Middles and radii."""

# The square of the sine of an angle between planes that are taken as parallel: other directions are then worth more.
_PARALLEL = 2.0**-40


class Reader:
    """Reads intervals of a block one after the other; `finite` becomes infinite or NaN if one taken as m +- r is unbounded."""

    def __init__(self, L: Lanes, position: int = 0, pointer: str = "%T") -> None:
        self.L, self.position, self.pointer, self.finite = L, position, pointer, L.const(0.0)

    def ends(self) -> tuple[Value, Value]:
        """-lo and hi."""
        self.position += 1
        return self.L.load(self.pointer, 2 * self.position - 2), self.L.load(self.pointer, 2 * self.position - 1)

    def interval(self) -> tuple[Value, Value]:
        """The middle, in doubles, and a radius that covers the interval from there."""
        L = self.L
        n, h = self.ends()
        middle = L.mul(L.const(0.5), L.sub(h, n))
        radius = L.max(L.sub(h, middle), L.add(middle, n))
        self.note(middle, radius)
        return middle, radius

    def note(self, middle: Value, radius: Value) -> None:
        self.finite = self.L.add(self.finite, self.L.add(self.L.abs(middle), radius))

    def vector(self, m: int = 3) -> Ball:
        both = [self.interval() for _ in range(m)]
        return [a for a, _ in both], [b for _, b in both]


class Matrix:
    """The rows of a matrix as middles and radii, {column: value} without zeros."""

    def __init__(self, read: Reader, columns: int, entries: Sequence[int], rows: int = 3) -> None:
        self.middle: list[dict[int, Value]] = [{} for _ in range(rows)]
        self.radius: list[dict[int, Value]] = [{} for _ in range(rows)]
        for e in entries:
            self.middle[e // columns][e % columns], self.radius[e // columns][e % columns] = read.interval()


def half_width(L: Lanes, n: int, j: int) -> Value:
    """The reach of interval j of the n at %Z from its point, which is thin interval n + j."""
    c = L.load("%Z", 2 * (n + j) + 1)
    return L.max(L.sub(L.load("%Z", 2 * j + 1), c), L.add(L.load("%Z", 2 * j), c))


def dot(L: Lanes, a: Sequence[Value], b: Sequence[Value], start: Value | None = None) -> Value:
    """An upper bound of a . b (+ start)."""
    total = L.mul(a[0], b[0]) if start is None else L.fma(a[0], b[0], start)
    for x, y in zip(a[1:], b[1:], strict=True):
        total = L.fma(x, y, total)
    return total


def unbounded(L: Lanes, finite: Value) -> Value:
    """Infinity where a sum of sizes is infinite or NaN, 0 elsewhere."""
    return L.select(L.isnan(L.mul(L.const(0.0), finite)), L.const(math.inf), L.const(0.0))


def row_product(L: Lanes, row: Mapping[int, Value], b: Vector | Mapping[int, Value], start: Value | None = None) -> Value:
    """An upper bound of the product of a row and a vector (+ start)."""
    if not row:
        return L.const(0.0) if start is None else start
    return dot(L, list(row.values()), [b[j] for j in row], start)


def product(L: Lanes, matrix: Matrix, b: Ball, start: Ball) -> Ball:
    """start + A b, as middles and radii: a sum and that of its negatives differ by no less than their rounding."""
    minus = [L.neg(x) for x in b[0]]
    most = [L.add(L.abs(x), r) for x, r in zip(*b, strict=True)]
    middle, radius = [], []
    for i, row in enumerate(matrix.middle):
        upper = row_product(L, row, b[0], start[0][i])
        lower = row_product(L, row, minus, L.neg(start[0][i]))
        middle.append(upper)
        wide = row_product(L, {j: L.abs(x) for j, x in row.items()}, b[1], start[1][i])
        radius.append(L.add(row_product(L, matrix.radius[i], most, wide), L.add(upper, lower)))
    return middle, radius


def added(L: Lanes, a: Ball, b: Ball) -> Ball:
    middle, radius = [], []
    for x, y, r, q in zip(a[0], b[0], a[1], b[1], strict=True):
        upper, lower = L.add(x, y), L.add(L.neg(x), L.neg(y))
        middle.append(upper)
        radius.append(L.add(L.add(r, q), L.add(upper, lower)))
    return middle, radius


def signed(L: Lanes, a: Ball, positive: bool) -> Ball:
    return a if positive else ([L.neg(x) for x in a[0]], a[1])


def largest(L: Lanes, vector: Sequence[Value]) -> Value:
    """The largest size of an entry."""
    size = L.abs(vector[0])
    for x in vector[1:]:
        size = L.max(L.abs(x), size)
    return size


def normals(L: Lanes, tangents: Sequence[Vector]) -> list[Vector]:
    """The cross products of all pairs, in ordinary arithmetic: directions, of which nothing is claimed.

    Of two pairs of tangents to nearly parallel planes the products across have but one direction. Pieces in one plane are parted by
    normals to their sides within it, so there each tangent is multiplied with the normal of the first plane instead.
    """
    found = {(i, j): _cross(L, a, b) for i, a in enumerate(tangents) for j, b in enumerate(tangents) if i < j}
    if len(tangents) != 4:
        return list(found.values())
    first, second = found[0, 1], found[2, 3]
    sine, lengths = _cross(L, first, second), [dot(L, x, x) for x in (first, second)]
    parallel = L.lt(dot(L, sine, sine), L.mul(L.mul(L.const(_PARALLEL), lengths[0]), lengths[1]))
    for across, tangent in zip(((0, 2), (1, 3), (0, 3), (1, 2)), tangents, strict=True):
        found[across] = [L.select(parallel, x, y) for x, y in zip(_cross(L, first, tangent), found[across], strict=True)]
    return list(found.values())


def _cross(L: Lanes, a: Vector, b: Vector) -> Vector:
    return [L.fma(a[p], b[q], L.neg(L.mul(a[q], b[p]))) for p, q in ((1, 2), (2, 0), (0, 1))]


def step(L: Lanes, n: Vector, high: Value, low: Value, rate: Ball, push: Ball,
         other: tuple[Value, Value] | None = None) -> tuple[Value, Value, Vector]:
    """Minus the gap A and minus the step s, for n . E in [-low, high] and its time derivatives in n . `rate` and n . `push`; and
    about what of the gap the second one used up, -C s^2 / 2, and A again. `other`: upper bounds of the first derivative and of its negative
    that are known besides.

    `L.max` yields its second operand where a NaN meets, and the bounds stand second, so a NaN reaches the step.
    """
    zero, half = L.const(0.0), L.const(0.5)
    size = [L.abs(x) for x in n]
    # Where high < 0 take -n, so that a > 0 in either case.
    opposite = L.lt(high, zero)
    minus_a = L.select(opposite, high, low)
    turned = [L.select(opposite, x, L.neg(x)) for x in n]
    b = dot(L, turned, rate[0], dot(L, size, rate[1]))
    if other is not None:
        b = L.min(L.select(opposite, *other), b)
    b = L.mul(half, b)
    c = half_push(L, turned, size, push)
    advance = minus_step(L, minus_a, b, c)
    return minus_a, advance, used_up(L, minus_a, advance, c)


def half_push(L: Lanes, turned: Vector, size: Vector, push: Ball) -> Value:
    """-C / 2, 0 at least, `turned` being minus the direction and `size` the sizes of its entries."""
    return L.mul(L.const(0.5), L.max(L.const(0.0), dot(L, turned, push[0], dot(L, size, push[1]))))


def minus_step(L: Lanes, minus_a: Value, b: Value, c: Value) -> Value:
    """-s for -A, b = -B / 2 and c = -C / 2, none of which is too small: none too small either."""
    return L.div(minus_a, L.add(b, L.sqrt(L.fma(b, b, L.mul(L.neg(minus_a), c)))))


def used_up(L: Lanes, minus_a: Value, advance: Value, c: Value) -> Vector:
    """About what of the gap the second derivative used up, and the gap."""
    return [L.mul(c, L.mul(advance, advance)), L.neg(minus_a)]
