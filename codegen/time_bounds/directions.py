"""A lower bound of the time of contact in a box, from bounds of second order along chosen directions.

Let E(x, t) be a difference of points (or any m functions) over a box X of n - 1 variables x and a window W = [t0,
t1] of one more, the time, and n a vector. Every common zero of E is a zero of f = n . E, and by Taylor's theorem,
for x in X and t0 + s in W, with c in X,

    f(x, t0)     = n . (E(c) + sum_j E_j(c) (x_j - c_j) + 1/2 sum_ij E_ij(y) (x_i - c_i) (x_j - c_j)),  y in X, all at t0,
    f(x, t0 + s) = f(x, t0) + n . E_t(x, t0) s + 1/2 n . E_tt(x, t0 + r) s^2,                            0 <= r <= s.

So lower bounds of f or -f at t0 over X, of its time derivative over X at t0, and of the second one over X and W give a time
before which there is no zero (`step`). The direction may be any vector, so it is chosen in ordinary arithmetic; what
is bounded is f for the vector of doubles that came out. Good ones are normal to two of the tangents E_j.

A single function that is positive at one point of X at t0, and known to have no zero in X before the first contact, is not negative in X
at t0 if that comes no sooner: then no first contact comes before the positive zero of B s + C s^2 / 2, B > 0 being a bound of the
time derivative at t0. (At t0 itself the derivative at a first contact would not be positive.) So boxes where bodies part need not be small.

Everything is rounded upward, lower bounds as negatives. Interval vectors are taken as m +- r with m in doubles. The
radii of E and E_j are of rounding size and those of E_ij are of higher order; all are folded into one vector rho,
which costs three multiplications a direction.
"""

import math
from collections.abc import Sequence

from ..emit.lanes import Lanes, Module
from ..machine.straight_line import straight_line
from .step import Ball, Reader, Value, Vector, dot, half_push, half_width, largest, normals, step
from .trials import DirectionTrials


def time_bound(n: int, time: int, m: int, pairs: Sequence[tuple[int, int]], quick: bool = False) -> int:
    """Address of ``void(Z, T, N, out)``: a lower bound of the time of any common zero in a box.

    Z    (2 n, 2)  the box: n intervals, number `time` the window; then n points of it, as thin intervals: the
                   centre, and the beginning of the window in the place of the time
    T    intervals of m entries: E over the box and the window, over the box at the beginning, E at the centre, E_j there
         for every variable j but the time, E_ij for each (i, j) of `pairs` over the box at the beginning, E_t likewise,
         E_tt over the box and the window
    N    (m,)      one direction to try; of a single function 1 in lanes where it is known that it has no zero in the box before the first
                   contact, which comes no sooner than the window begins, and 0 in others: then the bound is one for first contacts
    out  (n + 1,)  the bound, which means "none in the window" where it lies beyond; then the size of |E_j| r_j + |E_jj| r_j^2 / 2 for
                   every variable j but the time, in order, NaN where one is unbounded; about which share of the gap was used up by the
                   second derivative by time, infinity where derivatives are unbounded
    `quick`: see `straight_line`.
    """
    shape = n, time, m, tuple(pairs)
    return straight_line("time bound", shape, "Z T N out", lambda module, L: Bound(*shape).write(module, L), quick=quick)


class Bound(DirectionTrials):
    """Writes the kernel."""

    def __init__(self, n: int, time: int, m: int, pairs: tuple[tuple[int, int], ...]) -> None:
        super().__init__()
        self.n, self.time, self.m, self.pairs = n, time, m, pairs
        self.variables = [j for j in range(n) if j != time]
        self.put(r=len(self.variables), w=len(pairs), E=m, rho=m, **{f"D{q}": m for q in range(len(self.variables))})
        self.put_balls(range=m, B=m, C=m, **{f"H{q}": m for q in range(len(pairs))})

    def write(self, module: Module, L: Lanes) -> None:
        self.prepare(L)
        self.try_all(module, L, self.chosen(L))
        if self.m == 1:
            self.leave(L)
        self.finish(L)

    # -- preparation ------------------------------------------------------------------------------------------------

    def prepare(self, L: Lanes) -> None:
        """Radii of the box, and every interval as m +- r, into the scratch memory."""
        read, reach = Reader(L, self.m), [half_width(L, self.n, j) for j in self.variables]
        self.store_ball(L, "range", read.vector(self.m))
        middle, rho = read.vector(self.m)
        self.store(L, "E", middle)
        finite = self.keep_derivatives(L, read, reach, rho, ("B", "C"))
        self.store(L, "finite", [finite])
        self.begin(L, self.apart(L))

    def keep_derivatives(self, L: Lanes, read: Reader, reach: Sequence[Value], rho: Vector, others: Sequence[str] = ()) -> Value:
        """E_j and E_ij and other vectors as they are read, radii folded into `rho`; a sum that is finite where all are."""
        for q, r in enumerate(reach):
            middle, radius = read.vector(self.m)
            self.keep_slope(L, q, (middle, radius))
            rho = [L.fma(r, x, total) for x, total in zip(radius, rho, strict=True)]
        for q, pair in enumerate(self.pairs):
            self.store_ball(L, f"H{q}", read.vector(self.m))
            self.store(L, "w", [self.weight(L, reach, pair)], q)
        for name in others:
            self.store_ball(L, name, read.vector(self.m))
        self.store(L, "rho", rho)
        finite = read.finite
        for q, r in enumerate(reach):
            self.store(L, "r", [r], q)
            finite = L.add(finite, r)
        return finite

    def keep_slope(self, L: Lanes, q: int, slope: Ball) -> None:
        self.store(L, f"D{q}", slope[0])

    def apart(self, L: Lanes) -> Value:
        """The lanes without a zero, which advance for ever: the interval of E over the box and the window does not hold 0."""
        zero = L.const(0.0)
        mask = L.mask_const(False)
        for i in range(self.m):
            mask = L.either(mask, L.lt(L.min(L.load("%T", 2 * i), L.load("%T", 2 * i + 1)), zero))
        return mask

    def weight(self, L: Lanes, reach: Sequence[Value], pair: tuple[int, int]) -> Value:
        """The largest size of (x_i - c_i)(x_j - c_j), or of half the square."""
        a, b = (reach[self.variables.index(j)] for j in pair)
        product = L.mul(a, b)
        return L.mul(L.const(0.5), product) if pair[0] == pair[1] else product

    def chosen(self, L: Lanes) -> list[Vector]:
        """The vectors to try, by ordinary arithmetic. In space: the given one, the difference E itself, and the normals of all pairs of
        tangents. Of two functions: each alone, and combinations whose gradients cancel as far as they do. Else the single functions,
        the given vector and E.
        """
        zero, one = L.const(0.0), L.const(1.0)
        single = [[one if i == k else zero for i in range(self.m)] for k in range(self.m)]
        if self.m == 2:
            return single + self.combinations(L)
        found = [[L.load("%N", i) for i in range(self.m)], self.load(L, "E")]
        if self.m != 3:
            return single + (found if self.m > 1 else [])
        return found + normals(L, [self.load(L, f"D{q}") for q in range(len(self.variables))])

    def combinations(self, L: Lanes) -> list[Vector]:
        """With the gradients g and h of two functions, scaled by the box: those at right angles to h and to g, and one that vanishes
        where they are opposed, as those of two bodies are where they first touch.
        """
        scaled = [[L.mul(self.load(L, f"D{q}")[i], self.number(L, "r", q)) for q in range(len(self.variables))] for i in range(2)]
        gg, gh, hh = (dot(L, scaled[i], scaled[j]) for i, j in ((0, 0), (0, 1), (1, 1)))
        return [[hh, L.neg(gh)], [L.neg(gh), gg], [L.sqrt(hh), L.sqrt(gg)]]

    # -- one direction ------------------------------------------------------------------------------------------------

    def one_direction(self, L: Lanes, n: Vector) -> None:
        """One that is not finite is none."""
        high, low, total = self.extremes(L, n)
        minus_a, advance, curved = step(L, n, high, low, self.ball(L, "B"), self.ball(L, "C"))
        self.improve(L, L.both(L.lt(minus_a, L.const(0.0)), L.lt(total, L.const(math.inf))), advance, curved)

    def leave(self, L: Lanes) -> None:
        """By the sign of E at the centre and that of its derivative by time, in lanes where that suffices."""
        zero, (rate, push) = L.const(0.0), (self.ball(L, name) for name in ("B", "C"))
        positive, negative = (L.lt(L.load("%T", 4 + k), zero) for k in range(2))
        turned = [L.select(positive, L.const(-1.0), L.const(1.0))]
        b = dot(L, turned, rate[0], rate[1][0])
        known = L.both(L.both(L.either(positive, negative), L.lt(L.const(0.5), L.load("%N", 0))),
                       L.both(L.lt(b, zero), L.lt(self.number(L, "finite"), L.const(math.inf))))
        self.improve(L, known, L.div(b, half_push(L, turned, [L.const(1.0)], push)), [zero, L.const(1.0)])

    def extremes(self, L: Lanes, n: Vector) -> tuple[Value, Value, Value]:
        """Upper bounds of f and of -f; and a sum that is finite where all that they rest on is."""
        minus, size = [L.neg(x) for x in n], [L.abs(x) for x in n]
        high, low = self.expanded(L, n, minus, size)
        wide, rho = self.ball(L, "range")
        spread = dot(L, size, rho)
        high, low = L.min(dot(L, n, wide, spread), high), L.min(dot(L, minus, wide, spread), low)
        total = self.number(L, "finite")
        for x in size:
            total = L.add(total, x)
        return high, low, total

    def expanded(self, L: Lanes, n: Vector, minus: Vector, size: Vector) -> tuple[Value, Value]:
        """Upper bounds of f and of -f by Taylor's theorem."""
        zero = L.const(0.0)
        middle = self.load(L, "E")
        high, low = dot(L, n, middle), dot(L, minus, middle)
        spread = dot(L, size, self.load(L, "rho"))
        for q in range(len(self.variables)):
            d = self.load(L, f"D{q}")
            spread = L.fma(L.max(dot(L, minus, d), dot(L, n, d)), self.number(L, "r", q), spread)
        for q, (i, j) in enumerate(self.pairs):
            h, w = self.load(L, f"H{q}"), self.number(L, "w", q)
            radius = dot(L, size, self.load(L, f"rhoH{q}"))
            upper, lower = dot(L, n, h, radius), dot(L, minus, h, radius)
            if i == j:
                high, low = L.fma(L.max(zero, upper), w, high), L.fma(L.max(zero, lower), w, low)
            else:
                spread = L.fma(L.max(lower, upper), w, spread)
        return L.add(high, spread), L.add(low, spread)

    def beginning(self, L: Lanes) -> Value:
        """The time from which on time is bounded."""
        return L.load("%Z", 2 * (self.n + self.time) + 1)

    def finish(self, L: Lanes) -> None:
        """t0 plus the best advance, rounded down; and how far the difference changes along each variable."""
        L.store("%out", 0, L.neg(L.add(L.neg(self.beginning(L)), self.number(L, "best"))))
        L.store("%out", self.n, self.share_used(L))
        for q, j in enumerate(self.variables):
            slopes, unknown = self.load(L, f"D{q}"), []
            total = L.mul(largest(L, slopes), self.number(L, "r", q))
            if (j, j) in self.pairs:
                p = self.pairs.index((j, j))
                unknown = self.load(L, f"rhoH{p}")
                bends = [L.add(L.abs(x), rho) for x, rho in zip(self.load(L, f"H{p}"), unknown, strict=True)]
                total = L.fma(largest(L, bends), self.number(L, "w", p), total)
            # A maximum drops a NaN. Where a derivative of any function is unbounded, the size is NaN: not known.
            for x in [*slopes, *unknown]:
                total = L.fma(L.const(0.0), x, total)
            L.store("%out", 1 + q, total)
