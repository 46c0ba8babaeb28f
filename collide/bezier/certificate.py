"""The certificate: no contact in a box round a proposed one is earlier than it, up to rounding.

Let c = (u1, v1, u2, v2, t) be the proposed contact and F = S1 - S2. Three unknowns, t among them, are *basic*: their
columns of F' are independent. The other two are *free*, or *held* at a bound of their domain. With multipliers m every
contact y = c + d in the box has the time t = L(y), L = t + m . F, since F(y) = 0; by Taylor's formula

    L(y) = L(c) + L'(c) . d + d . (m . F'') d / 2,     second derivatives somewhere in the box.

It is F that bounds d: by the mean value theorem 0 = Y F(y) = Y F(c) + (Y F') d with F' row by row somewhere in the box and
Y about the inverse of the basic columns. Let A = Y F' in the basic columns and R in the others, |A - 1| <= b < 1 in the
maximum norm with some positive unit of each unknown. Then the basic part of d is -K (the other part of d) - e,
where A K = R and A e = Y F(c). So |e| <= |Y F(c)| / (1 - b) and |K| <= |R| / (1 - b) in this norm, and K = R - (A - 1) K
differs from R by no more than |A - 1| times such a bound. Put in, d . (m .
F'') d becomes a quadratic form Q of the two others and terms in e. If

    Q is positive semidefinite in those that are free, and
    for each that is held, L' inwards outweighs Q: L'_j >= -Q_jj r_j / 2 - |Q_jk| r_k  (half the last where k is held too)

then t >= L(c) - (|L'| r in the other directions) - (terms in e): what is lost is all of the order
of rounding where c is a solution of the conditions of Karush, Kuhn and Tucker. No penalty, as in an augmented Lagrangian, is
needed. Computed with intervals throughout, eight boxes at a time.
"""

import functools

from codegen.emit.elementary.arithmetic import magnitudes, multiply
from codegen.emit.interval_vectors import Interval, Value, minus, negative, plus, splat
from codegen.emit.lanes import Lanes
from codegen.machine.straight_line import straight_line

# The largest |A - 1|.
_LARGEST = 0.5


@functools.cache
def certificate() -> int:
    """Address of ``void(c, X, f, J, H, G, Y, m, order, side, out)`` for eight boxes.

    c (5,): doubles; X (5, 2): boxes that hold it; J (3, 5, 2), H (5, 5, 2): enclosures of Y F' and of m . F'' over X. f (3,
    2), G (3, 5, 2): doubles, enclosures of F(c) and F'(c). Y (3, 3) and m (3,) are doubles. order (5,): integers,
    the basic unknowns, t the last of them, and the other two; side (2,): 1.0 for one of these that is held at its lower
    bound, -1.0 at its upper one, 0.0 for a free one. out: a lower bound of the time of every contact in the box, not above the
    box, -inf where none was found. Sizes must be such that products of six of them with Y stay finite.
    """
    return straight_line("bezier certificate", (), "c X f J H G Y m order side out", lambda module, L: _Certificate(L).write())


class _Certificate:
    def __init__(self, L: Lanes) -> None:
        self.L = L
        self.order = [self._integer("%order", k) for k in range(5)]
        self.reach = [self._reach(k) for k in self.order]
        self.m = [splat(L, "%m", i) for i in range(3)]
        self.slope = [self._slope(k) for k in self.order]

    def _integer(self, pointer: str, position: int) -> str:
        at = self.L.emit(f"getelementptr inbounds i64, ptr {pointer}, i64 {position}")
        return self.L.emit(f"load i64, ptr {at}")

    def _load(self, pointer: str, position: str) -> Value:
        at = self.L.emit(f"getelementptr inbounds {self.L.vector}, ptr {pointer}, i64 {position}")
        return self.L.emit(f"load {self.L.vector}, ptr {at}, align 8")

    def _interval(self, pointer: str, position: str) -> Interval:
        n = self.L.emit(f"mul i64 {position}, 2")
        return self._load(pointer, n), self._load(pointer, self.L.emit(f"add i64 {n}, 1"))

    def _entry(self, pointer: str, row: str, column: str) -> Interval:
        """An entry of a matrix with five columns."""
        start = self.L.emit(f"mul i64 {row}, 5")
        return self._interval(pointer, self.L.emit(f"add i64 {start}, {column}"))

    def _reach(self, k: str) -> Value:
        """The largest |x - c| in a box."""
        c, (n, h) = splat(self.L, "%c", k), self._interval("%X", k)
        return self.L.max(self.L.add(n, c), self.L.sub(h, c))

    def _slope(self, k: str) -> Interval:
        """A derivative of m . F at c."""
        L, twice = self.L, self.L.emit(f"mul i64 {k}, 2")
        column = []
        for i in range(3):
            at = L.emit(f"add i64 {twice}, {10 * i}")
            column.append((splat(L, "%G", at), splat(L, "%G", L.emit(f"add i64 {at}, 1"))))
        return self._product([self.m], column)[0]

    def write(self) -> None:
        L, one = self.L, self.L.const(1.0)
        y = [[splat(L, "%Y", 3 * i + k) for k in range(3)] for i in range(3)]
        f = [(splat(L, "%f", 2 * i), splat(L, "%f", 2 * i + 1)) for i in range(3)]
        columns = [[self._entry("%J", str(i), k) for i in range(3)] for k in self.order]
        for i in range(3):
            columns[i][i] = minus(L, columns[i][i], (L.neg(one), one))
        difference = [[self._size(columns[k][i]) for k in range(3)] for i in range(3)]
        self.units = self._units(difference[2])
        b = self._norm([self._sum([L.mul(x, w) for x, w in zip(row, self.units, strict=True)]) for row in difference])
        sound = L.le(b, L.const(_LARGEST))
        # 1 - b rounded down; one over it rounded up.
        inverse = L.div(one, L.neg(L.sub(b, one)))
        e = self._bounds(self._product(y, f), inverse)
        k = [self._solution(column, difference, inverse) for column in columns[3:]]
        h = [[self._entry("%H", i, j) for j in self.order] for i in self.order]
        hz = [[self._less(h[i][3 + j], h[i][:3], k[j]) for j in range(2)] for i in range(5)]
        q = [[self._less(hz[3 + i][j], [row[j] for row in hz[:3]], k[i]) for j in range(2)] for i in range(2)]
        certain, lost = self._others(q)
        lost = L.add(lost, self._lost(e, h, hz))
        # Minus the bound, rounded up; nothing is claimed of what lies behind the box. Of a NaN, `max` leaves its second operand alone.
        bound = L.sub(L.add(lost, self._product([self.m], f)[0][0]), splat(L, "%c", 4))
        bound = L.max(L.neg(self._interval("%X", "4")[1]), bound)
        good = L.both(L.both(sound, certain), L.lt(bound, one))
        L.store("%out", 0, L.select(good, L.neg(bound), L.const(float("-inf"))))

    def _lost(self, e: list[Value], h: list[list[Interval]], hz: list[list[Interval]]) -> Value:
        """A bound of the loss by L' in the basic unknowns and by the terms in e."""
        L, one = self.L, self.L.const(1.0)
        lost = L.const(0.0)
        slope = [*self.slope[:2], plus(L, self.slope[2], (L.neg(one), one))]
        for m in range(3):
            lost = L.fma(self._size(slope[m]), self.reach[m], lost)
            for j in range(2):
                lost = L.fma(L.mul(e[m], self._size(hz[m][j])), self.reach[3 + j], lost)
            for i in range(3):
                lost = L.fma(L.mul(e[m], e[i]), self._size(h[m][i]), lost)
        return lost

    def _others(self, q: list[list[Interval]]) -> tuple[str, Value]:
        """Whether the conditions hold, and a bound of the loss in the two unknowns that are not basic."""
        L, zero = self.L, self.L.const(0.0)
        side = [splat(L, "%side", j) for j in range(2)]
        held = [L.either(L.lt(s, zero), L.gt(s, zero)) for s in side]
        mixed = self._size(q[0][1])
        certain, lost = L.mask_const(True), zero
        for j in range(2):
            k = 1 - j
            share = L.mul(mixed, L.select(held[k], L.const(0.5), L.const(1.0)))
            # Minus the lower bounds of L' inwards and of Q_jj.
            inwards = L.select(L.lt(side[j], zero), self.slope[3 + j][1], self.slope[3 + j][0])
            needed = L.fma(share, self.reach[3 + k], L.mul(L.mul(L.const(0.5), L.max(q[j][j][0], zero)), self.reach[3 + j]))
            outweighed = L.le(L.add(inwards, needed), zero)
            convex = L.le(q[j][j][0], zero)
            certain = L.both(certain, self._choose(held[j], outweighed, convex))
            lost = L.add(lost, L.select(held[j], zero, L.mul(self._size(self.slope[3 + j]), self.reach[3 + j])))
        # The product of the lower bounds, rounded down, against the square.
        product = L.neg(L.mul(q[0][0][0], L.neg(q[1][1][0])))
        definite = L.ge(product, L.mul(mixed, mixed))
        return L.both(certain, L.either(L.either(*held), definite)), lost

    def _choose(self, mask: str, a: str, b: str) -> str:
        return self.L.either(self.L.both(mask, a), self.L.both(self.L.invert(mask), b))

    def _size(self, x: Interval) -> Value:
        return magnitudes(self.L, *x)[1]

    def _largest(self, values: list[Value]) -> Value:
        return functools.reduce(self.L.max, values)

    def _sum(self, values: list[Value]) -> Value:
        return functools.reduce(self.L.add, values)

    def _product(self, y: list[list[Value]], x: list[Interval]) -> list[Interval]:
        """A matrix of doubles times a vector."""
        L = self.L
        out = []
        for row in y:
            terms = [multiply(L, L.neg(r), r, *c, guard=False) for r, c in zip(row, x, strict=True)]
            out.append(functools.reduce(lambda a, b: plus(L, a, b), terms))
        return out

    def _units(self, last: list[Value]) -> list[Value]:
        """Units of the basic unknowns: their reach, and such a unit of time that the last row of A - 1 adds little to its norm."""
        L = self.L
        time = self._sum([L.mul(x, w) for x, w in zip(last[:2], self.reach[:2], strict=True)])
        return [*self.reach[:2], L.fma(L.const(4.0), time, L.mul(L.const(2.0**-10), self.reach[2]))]

    def _norm(self, sizes: list[Value]) -> Value:
        """The maximum norm, in the units."""
        return self._largest([self.L.div(x, w) for x, w in zip(sizes, self.units, strict=True)])

    def _bounds(self, x: list[Interval], inverse: Value) -> list[Value]:
        """Bounds of the solution z of A z = x."""
        norm = self.L.mul(self._norm([self._size(c) for c in x]), inverse)
        return [self.L.mul(norm, w) for w in self.units]

    def _solution(self, column: list[Interval], difference: list[list[Value]], inverse: Value) -> list[Interval]:
        """K from a column R, within |A - 1| times a bound of K."""
        L, bounds = self.L, self._bounds(column, inverse)
        errors = [self._sum([L.mul(x, z) for x, z in zip(row, bounds, strict=True)]) for row in difference]
        return [plus(L, x, (error, error)) for x, error in zip(column, errors, strict=True)]

    def _less(self, start: Interval, row: list[Interval], k: list[Interval]) -> Interval:
        """start - row . k."""
        for a, b in zip(row, k, strict=True):
            start = plus(self.L, start, negative(multiply(self.L, *a, *b, guard=False)))
        return start
