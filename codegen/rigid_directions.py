"""A lower bound of the time of contact of two rigid bodies in a box, from Taylor models of their shapes and from their motions.

Let E = P1 - P2 = R1 b1 + R2 b2 + T, with the second matrix negated, each b_k within the convex hull of control points,
widened by rho (`taylor_models`). For a direction n, a vector of doubles, n . R b = m . b with m = R^T n: so what is wide stays
in the frame of its body, a shape is evaluated once for all motions, and a direction costs a few products. Let A > 0 bound
n . E or -n . E from below over the box at t0, the beginning of the window, B its time derivative n . (R1' b1 + R2' b2 + T') over
the box at t0, and C <= 0 the second one, n . (R1'' b1 + R2'' b2 + T''), over the box and the window: `time_advance` makes a step of
these. Nor is there a contact in the window where R1 b1 + R2 b2 + T, over box and window, excludes 0.

Rounding. Everything is rounded upward, with relative errors below u = 2^-52. Computed, m is wrong by at most 3.1 u N, N =
sum_i |n_i| |R_ij|, and by sum_i |n_i| rad R_ij; the product with a control point by another 3.1 u N . |P|. With `size` no less
than |P| + rho in any coordinate both together are at most |n| . g, g_i = sum_j (8 u |R_ij| + rad R_ij) size_j, and likewise for
the product with T and with the middle of the difference. Errors of underflow, a few hundred of
2^-1074 each multiplied by at most 2^500, are below 2^-500; a direction or a body beyond 2^500 is not used. Further sums
round the way they are wanted.
"""

import math
from collections.abc import Sequence

from .lanes import Lanes, Module
from .straight_line import straight_line
from .taylor_models import Model
from .time_advance import Ball, Reader, Value, Vector, dot, normals, step

FIXED, TURNED, TURNING = 0, 1, 2
"""What a rotation is: the identity, constant, a function of time."""

_LARGEST, _TINY, _EIGHT_UNITS = 2.0**500, 2.0**-500, 2.0**-49


def rigid_time_bound(models: tuple[Model, Model], turns: tuple[int, int], quick: bool = False) -> int:
    """Address of ``void(A, B, M, W, N, out)``: a lower bound of the time of any contact of eight pairs of boxes.

    A, B  (length,)   the records of the two boxes (`taylor_models.record_kernel`)
    M     intervals:  for each body that is not FIXED, R at t0, and for one that is TURNING R' there, R'' over the window, R over
                      the window; at last T, T' at t0, T'' and T over the window. Matrices are row-major, those of the second body
                      negated
    W     (2, 2)      the window as an interval, and its beginning t0 as a thin one
    N     (3,)        one direction to try
    out   (2,)        the bound, which means "none in the window" where it lies beyond; about which share of the gap the second
                      derivative by time used up, so that a shorter window would serve better
    `quick`: see `Kernel`.
    """
    return straight_line("rigid time bound", (models, turns), "A B M W N out", lambda module, L: _Pair(models, turns).write(module, L),
                         quick=quick)


class _Turn:
    """R as middles and radii."""

    def __init__(self, read: Reader) -> None:
        entries = [read.vector() for _ in range(3)]
        self.middle, self.radius = [e[0] for e in entries], [e[1] for e in entries]


class _Pair:
    """Writes the kernel. Vectors wait in scratch memory, at `place`."""

    def __init__(self, models: tuple[Model, Model], turns: tuple[int, int]) -> None:
        self.models, self.turns = models, turns
        self.place: dict[str, int] = {}
        self.scratch = 0
        for name, length in (("best", 1), ("curved", 1), ("finite", 1), ("doubt", 1), ("T", 3), ("g", 3), ("size", 3),
                             ("E", 3), ("rhoE", 3), ("B", 3), ("rhoB", 3), ("C", 3), ("rhoC", 3), ("R0", 9), ("R1", 9), ("directions", 24)):
            self.place[name] = self.scratch
            self.scratch += length

    def load(self, L: Lanes, name: str, length: int = 3, start: int = 0) -> Vector:
        return [L.load("%s", self.place[name] + start + i) for i in range(length)]

    def store(self, L: Lanes, name: str, values: Sequence[Value], start: int = 0) -> None:
        for i, value in enumerate(values):
            L.store("%s", self.place[name] + start + i, value)

    def ball(self, L: Lanes, name: str) -> Ball:
        return self.load(L, name), self.load(L, "rho" + name)

    def body(self, L: Lanes, side: int, position: int, length: int = 3) -> Vector:
        return [L.load("%A" if side == 0 else "%B", position + i) for i in range(length)]

    def write(self, module: Module, L: Lanes) -> None:
        inner = module.lanes()
        self.one_direction(inner)
        module.add("direction", "define internal void @direction(ptr noalias %A, ptr noalias %B, ptr noalias %s, ptr noalias %n) #2 {\n"
                   + "\n".join(inner.lines) + "\n  ret void\n}")
        L.lines.append(f"  %s = alloca {L.vector}, i64 {self.scratch}, align 64")
        tangents = self.prepare(L)
        directions = [[L.load("%N", i) for i in range(3)], self.load(L, "E"), *normals(L, tangents)]
        for k, direction in enumerate(directions):
            self.store(L, "directions", direction, 3 * k)
        for k in range(len(directions)):
            at = L.emit(f"getelementptr {L.vector}, ptr %s, i64 {self.place['directions'] + 3 * k}")
            L.lines.append(f"  call void @direction(ptr %A, ptr %B, ptr %s, ptr {at})")
        best = self.load(L, "best", 1)[0]
        L.store("%out", 0, L.neg(L.add(L.load("%W", 2), best)))
        L.store("%out", 1, self.load(L, "curved", 1)[0])

    # -- preparation ------------------------------------------------------------------------------------------------

    def prepare(self, L: Lanes) -> list[Vector]:
        """What all directions share, into the scratch memory; the tangents in the world, in ordinary arithmetic."""
        read = Reader(L, 0, "%M")
        turns = [[_Turn(read) for _ in range((0, 1, 4)[turn])] for turn in self.turns]
        shifts = [read.vector() for _ in range(4)]
        boxes = [(self.body(L, k, m.middle), self.body(L, k, m.reach)) for k, m in enumerate(self.models)]
        for box in boxes:
            for x, y in zip(*box, strict=True):
                read.note(x, y)
        first = [turn[0] if turn else None for turn in turns]
        self.keep(L, "E", self.moved(L, read, first, boxes, shifts[0], turning=False))
        for k, name in ((1, "B"), (2, "C")):
            rates = [turn[k] if len(turn) > 1 else None for turn in turns]
            self.keep(L, name, self.moved(L, read, rates, boxes, shifts[k], turning=True))
        last = [turn[-1] if turn else None for turn in turns]
        window = self.moved(L, read, last, boxes, shifts[3], turning=False)
        self.errors(L, read, first, shifts[0])
        none = L.mask_const(False)
        for x, y in zip(*window, strict=True):
            none = L.either(none, L.gt(L.abs(x), y))
        self.store(L, "curved", [L.const(0.0)])
        self.store(L, "best", [L.select(none, L.const(-math.inf), L.const(0.0))])
        self.store(L, "doubt", [L.add(*(self.body(L, k, m.doubt, 1)[0] for k, m in enumerate(self.models)))])
        for k, turn in enumerate(first):
            if turn is not None:
                self.store(L, f"R{k}", [x for row in turn.middle for x in row])
        return [_turned(L, first[k], tangent) for k in (0, 1) for tangent in self.tangents(L, k)]

    def keep(self, L: Lanes, name: str, ball: Ball) -> None:
        self.store(L, name, ball[0])
        self.store(L, "rho" + name, ball[1])

    def errors(self, L: Lanes, read: Reader, first: Sequence[_Turn | None], shift: Ball) -> None:
        """g, and `size`, the sum of the sizes of what a direction is multiplied with, where the rounding of that is unwanted."""
        units = L.const(_EIGHT_UNITS)
        sizes = [self.body(L, k, m.size) for k, m in enumerate(self.models)]
        total, g = [], []
        for i in range(3):
            size, error = L.add(L.abs(shift[0][i]), L.abs(self.load(L, "E", 1, i)[0])), shift[1][i]
            for k, turn in enumerate(first):
                if turn is None:
                    size = L.add(sizes[k][i], size)
                    continue
                for j in range(3):
                    size = L.fma(L.abs(turn.middle[i][j]), sizes[k][j], size)
                    error = L.fma(turn.radius[i][j], sizes[k][j], error)
            total.append(size)
            g.append(L.fma(units, size, error))
        finite = read.finite
        for x in [*total, *g, *sizes[0], *sizes[1]]:
            finite = L.add(finite, x)
        self.store(L, "T", shift[0])
        self.store(L, "size", total)
        self.store(L, "g", g)
        self.store(L, "finite", [finite])

    def moved(self, L: Lanes, read: Reader, turns: Sequence[_Turn | None], points: Sequence[Ball], shift: Ball, turning: bool) -> Ball:
        """R_1 b_1 + R_2 b_2 + T. `turning`: without a matrix there is no term."""
        total = shift
        for k, turn in enumerate(turns):
            if turn is not None:
                total = _product(L, turn, points[k], total)
            elif not turning:
                total = _sum(L, _signed(L, points[k], k == 0), total)
        for x, y in zip(*total, strict=True):
            read.note(x, y)
        return total

    def tangents(self, L: Lanes, k: int) -> list[Vector]:
        """Mean differences of the corners of the control net along each parameter, in the frame of the body."""
        p, q = self.models[k].both
        (low, right), (left, high) = [[self.body(L, k, 3 * ((q + 1) * p * a + q * b)) for b in (0, 1)] for a in (0, 1)]
        along = [(left, right), (right, left)][:len(self.models[k].degrees)]
        return [[L.sub(L.add(high[i], end[i]), L.add(low[i], start[i])) for i in range(3)] for end, start in along]

    # -- one direction ------------------------------------------------------------------------------------------------

    def one_direction(self, L: Lanes) -> None:
        """Lower `best`, which is minus the largest advance so far, by this direction."""
        zero, tiny = L.const(0.0), L.const(_TINY)
        n = [L.load("%n", i) for i in range(3)]
        size = [L.abs(x) for x in n]
        total = L.add(dot(L, size, self.load(L, "size")), dot(L, size, [L.const(1.0)] * 3))
        spread = dot(L, size, self.load(L, "g"), L.add(self.load(L, "doubt", 1)[0], tiny))
        middle = dot(L, n, self.load(L, "T"))
        high, low = middle, L.neg(middle)
        for k, model in enumerate(self.models):
            m = self.seen(L, n, k)
            highest, lowest = self.hull(L, m, k, model)
            high, low = L.add(highest, high), L.sub(low, lowest)
            spread = dot(L, [L.abs(x) for x in m], self.body(L, k, model.rho), spread)
        centre = dot(L, n, self.load(L, "E"))
        wide = dot(L, size, self.load(L, "rhoE"), L.add(dot(L, size, self.load(L, "g")), tiny))
        high = L.min(L.add(high, spread), L.add(centre, wide))
        low = L.min(L.add(low, spread), L.sub(wide, centre))
        minus_a, advance, curved = step(L, n, high, low, self.ball(L, "B"), self.ball(L, "C"))
        valid = L.both(L.lt(minus_a, zero), L.lt(L.add(total, self.load(L, "finite", 1)[0]), L.const(_LARGEST)))
        best = self.load(L, "best", 1)[0]
        advance = L.select(valid, advance, zero)
        better = L.lt(advance, best)
        self.store(L, "best", [L.select(better, advance, best)])
        self.store(L, "curved", [L.select(better, curved, self.load(L, "curved", 1)[0])])

    def seen(self, L: Lanes, n: Vector, k: int) -> Vector:
        """The direction in the frame of body k."""
        if self.turns[k] == FIXED:
            return n if k == 0 else [L.neg(x) for x in n]
        rows = self.load(L, f"R{k}", 9)
        return [dot(L, n, [rows[3 * i + j] for i in range(3)]) for j in range(3)]

    def hull(self, L: Lanes, m: Vector, k: int, model: Model) -> tuple[Value, Value]:
        """The greatest and the least product with a control point."""
        highest = lowest = dot(L, m, self.body(L, k, 0))
        for point in range(1, model.points):
            x = dot(L, m, self.body(L, k, 3 * point))
            highest, lowest = L.max(x, highest), L.min(x, lowest)
        return highest, lowest


def _turned(L: Lanes, turn: _Turn | None, b: Vector) -> Vector:
    return b if turn is None else [dot(L, row, b) for row in turn.middle]


def _product(L: Lanes, turn: _Turn, b: Ball, start: Ball) -> Ball:
    """start + R b, as middles and radii: a sum and that of its negatives differ by no less than their rounding."""
    minus = [L.neg(x) for x in b[0]]
    most = [L.add(L.abs(x), r) for x, r in zip(*b, strict=True)]
    middle, radius = [], []
    for i in range(3):
        upper = dot(L, turn.middle[i], b[0], start[0][i])
        lower = dot(L, turn.middle[i], minus, L.neg(start[0][i]))
        middle.append(upper)
        wide = dot(L, [L.abs(x) for x in turn.middle[i]], b[1], start[1][i])
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
