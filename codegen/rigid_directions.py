"""The bound of `directions` for two rigid bodies, from their shapes and their motions apart.

Let E = P1 - P2 + T with P_k = R_k(t) b_k(x), T = T1 - T2. What is wide, the ranges and second derivatives of b_k over
the box, stays in the frame of its body, and the direction is turned into that frame: n . R_k b = m . b with m = R_k^T n. So
nothing is wrapped in a box of another frame, and a direction costs a few multiplications more instead of every second
derivative nine interval multiplications. Rotations are products of middles and radii: R b lies within |R| rb + rR (|b| +
rb) of the product of the middles.

The rounding of m by at most rm adds at most rm . |b| to a bound; it is of the size of 1e-16, and one term for each body
covers all of its vectors.
"""

import functools
import threading
from collections.abc import Sequence

from . import cache
from .directions import Ball, Frame, Reader, Shape, Vector, dot, kernel_text, radii, weight
from .lanes import Lanes
from .native import Code, host, llvm_version, object_code

Value = str

_alive: list[Code] = []
_lock = threading.Lock()

FIXED, TURNED, TURNING = 0, 1, 2
"""What a rotation is: the identity, constant, a function of time."""


def rigid_time_bound(owners: Sequence[int], turns: Sequence[int], pairs: Sequence[tuple[int, int]], rough: bool = False,
                     quick: bool = False) -> int:
    """Address of ``void(Z, T, N, out)`` as `directions.time_bound`, for contact of two rigid bodies in space.

    `owners`: for each variable but the time, which comes last, the body (0 or 1) it belongs to. `turns`: FIXED, TURNED or
    TURNING for each body. T holds, for each body, b over the box, b at the centre, b_j there for each of its variables,
    b_ij over the box for its `pairs`; then, for each body that is not FIXED, R at the beginning of the window, and for one
    that is TURNING R' there, R'' over the window, R over the window; at last T, T' at the beginning, T'' and T over the
    window. Matrices are row-major, those of the second body negated. `rough`: T ends with an interval that is unbounded where
    a b may not be differentiable twice, in space; there the ranges alone count, which need no derivative of b. `quick`: see `Kernel`.
    """
    return _compiled(tuple(owners), tuple(turns), tuple(pairs), rough, quick)


@functools.cache
def _compiled(owners: tuple[int, ...], turns: tuple[int, ...], pairs: tuple[tuple[int, int], ...], rough: bool, quick: bool) -> int:
    key = cache.key("rigid time bound", f"{owners} {turns} {pairs} {rough} {quick}", "\0".join(host()), llvm_version())
    code = cache.load(key)
    if code is None:
        code = object_code(kernel_text(_RigidShape(owners, turns, pairs, rough)), opt=0 if quick else 2)
        cache.store(key, code)
    with _lock:
        _alive.append(Code(code, ("kernel",)))
        return _alive[-1].address["kernel"]


class _Turn:
    """R as middles, their sizes, and radii."""

    def __init__(self, L: Lanes, read: Reader) -> None:
        entries = [read.vector() for _ in range(3)]
        self.middle, self.radius = [e[0] for e in entries], [e[1] for e in entries]
        self.size = [[L.abs(x) for x in row] for row in self.middle]


class _RigidShape(Shape):
    def __init__(self, owners: tuple[int, ...], turns: tuple[int, ...], pairs: tuple[tuple[int, int], ...], rough: bool) -> None:
        super().__init__(len(owners) + 1, len(owners), 3, pairs, sides=2)
        self.owners, self.turns, self.rough = owners, turns, rough
        self.side = [owners[i] for i, _ in pairs]
        self.put("R", 6, 3)
        self.put("rhoR", 6, 3)
        self.put("slack", 2, 3)
        self.put("apart", 1, 3)
        self.put("rhoapart", 1, 3)
        self.directions = self.size

    def prepare(self, L: Lanes) -> None:
        read, reach = Reader(L, 0), radii(L, self)
        weights = [weight(L, self, reach, pair) for pair in self.pairs]
        ranges: list[Ball] = []
        centres: list[Ball] = []
        slopes: dict[int, Ball] = {}
        for side in (0, 1):
            ranges.append(read.vector())
            centres.append(read.vector())
            slopes.update({j: read.vector() for j, owner in enumerate(self.owners) if owner == side})
            slack = [L.abs(x) for x in ranges[side][0]]
            for q in [q for q, k in enumerate(self.side) if k == side]:
                ball = read.vector()
                self.store_ball(L, "H", q, ball, "rhoH")
                slack = [L.fma(L.abs(x), weights[q], y) for x, y in zip(ball[0], slack, strict=True)]
            self.store_ball(L, "range", side, ranges[side], "rhorange")
            self.store(L, "slack", side, slack)
        turns: list[list[_Turn | None]] = []
        for side in (0, 1):
            count = (0, 1, 4)[self.turns[side]]
            found: list[_Turn | None] = [_Turn(L, read) for _ in range(count)]
            for i in range(3 if count else 0):
                first = found[0]
                assert first is not None
                self.store(L, "R", 3 * side + i, first.middle[i])
                self.store(L, "rhoR", 3 * side + i, first.radius[i])
            turns.append([*found, *[None] * (4 - count)])
        shifts = [read.vector() for _ in range(4)]
        self._at_the_centre(L, read, reach, turns, centres, slopes, shifts[0])
        self.store_ball(L, "apart", 0, shifts[0], "rhoapart")
        for k, name in ((1, "B"), (2, "C")):
            self.store_ball(L, name, 0, self._moved(L, read, [turns[s][k] for s in (0, 1)], ranges, shifts[k], turning=True), "rho" + name)
        last = [turns[s][3] if self.turns[s] == TURNING else turns[s][0] for s in (0, 1)]
        window = self._moved(L, read, last, ranges, shifts[3], turning=False)
        none = L.mask_const(False)
        for middle, radius in zip(*window, strict=True):
            none = L.either(none, L.gt(L.abs(middle), radius))
        self.settle(L, read.finite, reach, weights, none)
        if self.rough:
            self.store(L, "doubt", 0, [L.load("%T", 2 * read.position + 1)])

    def _at_the_centre(self, L: Lanes, read: Reader, reach: Sequence[Value], turns: Sequence[Sequence[_Turn | None]],
                       centres: Sequence[Ball], slopes: dict[int, Ball], shift: Ball) -> None:
        """E and its derivatives there, in the world, and the sum of their radii."""
        middle, rho = self._moved(L, read, [turns[s][0] for s in (0, 1)], centres, shift, turning=False)
        self.store(L, "E", 0, middle)
        for j, owner in enumerate(self.owners):
            nothing = [L.const(0.0)] * 3
            turn = turns[owner][0]
            ball = _turned(L, turn, slopes[j], (nothing, nothing)) if turn else _signed(L, slopes[j], owner == 0)
            self.store(L, "D", j, ball[0])
            rho = [L.fma(reach[j], x, total) for x, total in zip(ball[1], rho, strict=True)]
            for x, y in zip(*ball, strict=True):
                read.note(x, y)
        self.store(L, "rho", 0, rho)

    def _moved(self, L: Lanes, read: Reader, turns: Sequence[_Turn | None], points: Sequence[Ball], shift: Ball, turning: bool) -> Ball:
        """R_1 b_1 + R_2 b_2 + T, the second matrix being negated. `turning`: without a matrix there is no term."""
        total = shift
        for side in (0, 1):
            turn = turns[side]
            if turn is not None:
                total = _turned(L, turn, points[side], total)
            elif not turning:
                total = _sum(L, _signed(L, points[side], side == 0), total)
        for x, y in zip(*total, strict=True):
            read.note(x, y)
        return total

    def frames(self, L: Lanes, n: Vector) -> tuple[list[Frame], Value]:
        minus, size = [L.neg(x) for x in n], [L.abs(x) for x in n]
        result, slack = [], L.const(0.0)
        for side in (0, 1):
            if self.turns[side] == FIXED:
                own, opposite = (n, minus) if side == 0 else (minus, n)
                result.append(Frame(own, opposite, size))
                continue
            rows = [self.load(L, "R", 3 * side + k) for k in range(3)]
            spread = [self.load(L, "rhoR", 3 * side + k) for k in range(3)]
            turned, most, rounding = [], [], []
            for j in range(3):
                column = [row[j] for row in rows]
                upper, lower = dot(L, n, column), dot(L, minus, column)
                turned.append(upper)
                rounding.append(dot(L, size, [row[j] for row in spread], L.add(upper, lower)))
                most.append(L.add(L.abs(upper), rounding[j]))
            result.append(Frame(turned, [L.neg(x) for x in turned], most))
            slack = dot(L, rounding, self.load(L, "slack", side), slack)
        return result, slack

    def range(self, L: Lanes, frames: Sequence[Frame], n: Frame) -> tuple[Value, Value]:
        high, low = super().range(L, frames, n)
        shift, rho = self.load(L, "apart"), self.load(L, "rhoapart")
        high, low = dot(L, n.n, shift, high), dot(L, n.minus, shift, low)
        return dot(L, n.size, rho, high), dot(L, n.size, rho, low)


def _turned(L: Lanes, turn: _Turn, b: Ball, start: Ball) -> Ball:
    """start + R b, as middles and radii: the difference of the roundings of a sum and of its negative is one of them."""
    minus = [L.neg(x) for x in b[0]]
    most = [L.add(L.abs(x), r) for x, r in zip(*b, strict=True)]
    middle, radius = [], []
    for i in range(3):
        upper = dot(L, turn.middle[i], b[0], start[0][i])
        lower = dot(L, turn.middle[i], minus, L.neg(start[0][i]))
        middle.append(upper)
        wide = dot(L, turn.size[i], b[1], start[1][i])
        radius.append(L.add(dot(L, turn.radius[i], most, wide), L.add(upper, lower)))
    return middle, radius


def _sum(L: Lanes, a: Ball, b: Ball) -> Ball:
    middle, radius = [], []
    for x, y, r, q in zip(a[0], b[0], a[1], b[1], strict=True):
        upper, lower = L.add(x, y), L.add(L.neg(x), L.neg(y))
        middle.append(upper)
        radius.append(L.add(L.add(r, q), L.add(upper, lower)))
    return middle, radius


def _signed(L: Lanes, a: Ball, positive: bool) -> Ball:
    return a if positive else ([L.neg(x) for x in a[0]], a[1])
