"""A lower bound of the time of contact in a box, from bounds of second order along chosen directions.

Let E(x, t) be a difference of points (or any m functions) over a box X of n - 1 variables x and a window W = [t0,
t1] of one more, the time, and n a vector. Every common zero of E is a zero of f = n . E, and by Taylor's theorem,
for x in X and t0 + s in W, with c in X,

    f(x, t0)     = n . (E(c) + sum_j E_j(c) (x_j - c_j) + 1/2 sum_ij E_ij(y) (x_i - c_i) (x_j - c_j)),  y in X, all at t0,
    f(x, t0 + s) = f(x, t0) + n . E_t(x, t0) s + 1/2 n . E_tt(x, t0 + r) s^2,                            0 <= r <= s.

So if A > 0 bounds f or -f at t0 from below over X, B its time derivative over X at t0, and C <= 0 the second one over
X and W, there is no zero before t0 + s, s being the positive zero of A + B s + C s^2 / 2: s = A / (-B/2 + sqrt((B/2)^2 -
A C / 2)). The direction may be any vector, so it is chosen in ordinary arithmetic; what is bounded is f for the
vector of doubles that came out. Good ones are normal to two of the tangents E_j.

Everything is rounded upward, lower bounds as negatives. Interval vectors are taken as m +- r with m in doubles. The
radii of E and E_j are of rounding size and those of E_ij are of higher order; all are folded into one vector rho,
which costs three multiplications a direction.
"""

import functools
import math
import threading
from collections.abc import Sequence
from typing import NamedTuple

from . import cache
from .lanes import WIDTH, Lanes, Module
from .native import Code, add_entry, host, llvm_version, object_code

Value = str
Vector = list[Value]
Ball = tuple[Vector, Vector]
"""Middles and radii."""

_alive: list[Code] = []
_lock = threading.Lock()


def time_bound(n: int, time: int, m: int, pairs: Sequence[tuple[int, int]], quick: bool = False) -> int:
    """Address of ``void(Z, T, N, out)``: a lower bound of the time of any common zero in a box.

    Z    (2 n, 2)  the box: n intervals, number `time` the window; then n points of it, as thin intervals: the
                   centre, and the beginning of the window in the place of the time
    T    intervals of m entries: E over the box and the window, over the box at the beginning, E at the centre, E_j there
         for every variable j but the time, E_ij for each (i, j) of `pairs` over the box at the beginning, E_t likewise,
         E_tt over the box and the window
    N    (m,)      one direction to try
    out  (n,)      the bound, which means "none in the window" where it lies beyond; then the size of |E_j| r_j for every
                   variable j but the time, in order
    `quick`: see `Kernel`.
    """
    return _compiled(n, time, m, tuple(pairs), quick)


@functools.cache
def _compiled(n: int, time: int, m: int, pairs: tuple[tuple[int, int], ...], quick: bool) -> int:
    key = cache.key("time bound", f"{n} {time} {m} {pairs} {quick}", "\0".join(host()), llvm_version())
    code = cache.load(key)
    if code is None:
        code = object_code(kernel_text(Shape(n, time, m, pairs)), opt=0 if quick else 2)
        cache.store(key, code)
    with _lock:
        _alive.append(Code(code, ("kernel",)))
        return _alive[-1].address["kernel"]


class Frame(NamedTuple):
    """A direction in some frame: itself, its negative, and bounds of the sizes of its entries."""

    n: Vector
    minus: Vector
    size: Vector


class Shape:
    """Sizes, and where things wait in the scratch memory. `sides`: frames in which second derivatives and ranges are
    given, here one, that of E itself; `side` says which one for each pair.
    """

    def __init__(self, n: int, time: int, m: int, pairs: tuple[tuple[int, int], ...], sides: int = 1) -> None:
        self.n, self.time, self.m, self.pairs = n, time, m, pairs
        self.variables = [j for j in range(n) if j != time]
        self.place: dict[tuple[str, int], int] = {}
        self.size = 0
        self.put("best", 1, 1)
        self.put("finite", 1, 1)
        self.put("doubt", 1, 1)
        self.sides, self.side = sides, [0] * len(pairs)
        for name in ("E", "B", "C", "rho", "rhoB", "rhoC"):
            self.put(name, 1, m)
        self.put("range", sides, m)
        self.put("rhorange", sides, m)
        self.put("D", len(self.variables), m)
        self.put("H", len(pairs), m)
        self.put("rhoH", len(pairs), m)
        self.put("r", len(self.variables), 1)
        self.put("w", len(pairs), 1)
        self.directions = self.size

    def put(self, name: str, count: int, length: int) -> None:
        for k in range(count):
            self.place[name, k] = self.size
            self.size += length

    def load(self, L: Lanes, name: str, k: int = 0, length: int | None = None) -> Vector:
        return [L.load("%s", self.place[name, k] + i) for i in range(self.m if length is None else length)]

    def store(self, L: Lanes, name: str, k: int, values: Sequence[Value]) -> None:
        for i, value in enumerate(values):
            L.store("%s", self.place[name, k] + i, value)

    def store_ball(self, L: Lanes, name: str, k: int, ball: Ball, radius: str) -> None:
        self.store(L, name, k, ball[0])
        self.store(L, radius, k, ball[1])

    def prepare(self, L: Lanes) -> None:
        """Radii of the box, and every interval as m +- r, into the scratch memory."""
        read, reach = Reader(L, self.m), radii(L, self)
        weights = [weight(L, self, reach, pair) for pair in self.pairs]
        self.store_ball(L, "range", 0, read.vector(self.m), "rhorange")
        middle, rho = read.vector(self.m)
        self.store(L, "E", 0, middle)
        for q, r in enumerate(reach):
            middle, radius = read.vector(self.m)
            self.store(L, "D", q, middle)
            rho = [L.fma(r, x, total) for x, total in zip(radius, rho, strict=True)]
        for q in range(len(weights)):
            self.store_ball(L, "H", q, read.vector(self.m), "rhoH")
        for name in ("B", "C"):
            self.store_ball(L, name, 0, read.vector(self.m), "rho" + name)
        self.store(L, "rho", 0, rho)
        self.settle(L, read.finite, reach, weights, apart(L, self))

    def settle(self, L: Lanes, finite: Value, reach: Sequence[Value], weights: Sequence[Value], none: Value) -> None:
        """What is common to all preparations. `none`: lanes without a zero, which advance for ever."""
        for q, r in enumerate(reach):
            self.store(L, "r", q, [r])
            finite = L.add(finite, r)
        for q, w in enumerate(weights):
            self.store(L, "w", q, [w])
        self.store(L, "finite", 0, [finite])
        self.store(L, "doubt", 0, [L.const(0.0)])
        self.store(L, "best", 0, [L.select(none, L.const(-math.inf), L.const(0.0))])

    def frames(self, L: Lanes, n: Vector) -> tuple[list[Frame], Value]:
        """The direction as every side sees it, and a bound of what its rounding there may add to n . E."""
        return [Frame(n, [L.neg(x) for x in n], [L.abs(x) for x in n])], L.const(0.0)

    def range(self, L: Lanes, frames: Sequence[Frame], n: Frame) -> tuple[Value, Value]:
        """Upper bounds of n . E and of -n . E from the ranges alone."""
        high: Value | None = None
        low: Value | None = None
        for k, f in enumerate(frames):
            wide, rho = self.load(L, "range", k), self.load(L, "rhorange", k)
            high, low = dot(L, f.n, wide, high), dot(L, f.minus, wide, low)
            high, low = dot(L, f.size, rho, high), dot(L, f.size, rho, low)
        assert high is not None and low is not None
        return high, low


def kernel_text(shape: Shape) -> str:
    module = Module()
    L = module.lanes()
    _one_direction(L, shape)
    module.add("direction", "define internal void @direction(ptr noalias %s, ptr noalias %n) #2 {\n"
               + "\n".join(L.lines) + "\n  ret void\n}")
    L = module.lanes()
    shape.prepare(L)
    directions = _directions(L, shape)
    for k, direction in enumerate(directions):
        for i, value in enumerate(direction):
            L.store("%s", shape.directions + k * shape.m + i, value)
    for k in range(len(directions)):
        at = L.emit(f"getelementptr {L.vector}, ptr %s, i64 {shape.directions + k * shape.m}")
        L.lines.append(f"  call void @direction(ptr %s, ptr {at})")
    _finish(L, shape)
    size = shape.directions + len(directions) * shape.m
    arguments = "ptr %Z, ptr %T, ptr %N, ptr %out"
    module.add("body", f"define internal void @body({arguments}) #2 {{\n  %s = alloca {L.vector}, i64 {size}, align {8 * WIDTH}\n"
               + "\n".join(L.lines) + "\n  ret void\n}")
    add_entry(module, "kernel", "body", arguments, arguments)
    return module.text()


# -- preparation --------------------------------------------------------------------------------------------------


class Reader:
    """Reads intervals of T one after the other, as m +- r; `finite` becomes infinite or NaN if one of them is unbounded."""

    def __init__(self, L: Lanes, position: int) -> None:
        self.L, self.position, self.finite = L, position, L.const(0.0)

    def interval(self) -> tuple[Value, Value]:
        """The middle, in doubles, and a radius that covers the interval from there."""
        L = self.L
        n, h = L.load("%T", 2 * self.position), L.load("%T", 2 * self.position + 1)
        self.position += 1
        middle = L.mul(L.const(0.5), L.sub(h, n))
        radius = L.max(L.sub(h, middle), L.add(middle, n))
        self.note(middle, radius)
        return middle, radius

    def note(self, middle: Value, radius: Value) -> None:
        self.finite = self.L.add(self.finite, self.L.add(self.L.abs(middle), radius))

    def vector(self, m: int = 3) -> Ball:
        both = [self.interval() for _ in range(m)]
        return [a for a, _ in both], [b for _, b in both]


def radii(L: Lanes, shape: Shape) -> list[Value]:
    """How far the box reaches from the centre in every variable but the time."""
    result = []
    for j in shape.variables:
        c = L.load("%Z", 2 * (shape.n + j) + 1)
        result.append(L.max(L.sub(L.load("%Z", 2 * j + 1), c), L.add(L.load("%Z", 2 * j), c)))
    return result


def apart(L: Lanes, shape: Shape) -> Value:
    """Where an interval of E over the box and the window does not hold 0: the mask of lanes without a zero."""
    zero = L.const(0.0)
    mask = L.mask_const(False)
    for i in range(shape.m):
        mask = L.either(mask, L.lt(L.min(L.load("%T", 2 * i), L.load("%T", 2 * i + 1)), zero))
    return mask


def weight(L: Lanes, shape: Shape, radii: Sequence[Value], pair: tuple[int, int]) -> Value:
    """The largest size of (x_i - c_i)(x_j - c_j), or of half the square."""
    a, b = (radii[shape.variables.index(j)] for j in pair)
    product = L.mul(a, b)
    return L.mul(L.const(0.5), product) if pair[0] == pair[1] else product


def _directions(L: Lanes, shape: Shape) -> list[Vector]:
    """The vectors to try, by ordinary arithmetic: the given one, the difference E itself, and in space the normals of
    all pairs of tangents, elsewhere the single functions.
    """
    zero, one = L.const(0.0), L.const(1.0)
    found = [[L.load("%N", i) for i in range(shape.m)], shape.load(L, "E")]
    if shape.m != 3:
        return [[one if i == k else zero for i in range(shape.m)] for k in range(shape.m)] + (found if shape.m > 1 else [])
    tangents = [shape.load(L, "D", q) for q in range(len(shape.variables))]
    for i, a in enumerate(tangents):
        for b in tangents[i + 1:]:
            found.append([L.fma(a[p], b[q], L.neg(L.mul(a[q], b[p]))) for p, q in ((1, 2), (2, 0), (0, 1))])
    return found


# -- one direction ------------------------------------------------------------------------------------------------


def dot(L: Lanes, a: Sequence[Value], b: Sequence[Value], start: Value | None = None) -> Value:
    """An upper bound of a . b (+ start)."""
    total = L.mul(a[0], b[0]) if start is None else L.fma(a[0], b[0], start)
    for x, y in zip(a[1:], b[1:], strict=True):
        total = L.fma(x, y, total)
    return total


def _one_direction(L: Lanes, shape: Shape) -> None:
    """Lower `best`, which is minus the largest advance so far, by this direction.

    `L.max` yields its second operand where a NaN meets, and the bounds stand second, so a NaN reaches the last comparison,
    which then says that nothing is known. A direction that is not finite is no direction.
    """
    zero, half = L.const(0.0), L.const(0.5)
    n = [L.load("%n", i) for i in range(shape.m)]
    minus, size = [L.neg(x) for x in n], [L.abs(x) for x in n]
    frames, slack = shape.frames(L, n)
    middle = shape.load(L, "E")
    high, low = dot(L, n, middle), dot(L, minus, middle)
    spread = dot(L, size, shape.load(L, "rho"), slack)
    for q in range(len(shape.variables)):
        d, (r,) = shape.load(L, "D", q), shape.load(L, "r", q, 1)
        spread = L.fma(L.max(dot(L, minus, d), dot(L, n, d)), r, spread)
    for q, (i, j) in enumerate(shape.pairs):
        h, (w,) = shape.load(L, "H", q), shape.load(L, "w", q, 1)
        f = frames[shape.side[q]]
        radius = dot(L, f.size, shape.load(L, "rhoH", q))
        upper, lower = dot(L, f.n, h, radius), dot(L, f.minus, h, radius)
        if i == j:
            high, low = L.fma(L.max(zero, upper), w, high), L.fma(L.max(zero, lower), w, low)
        else:
            spread = L.fma(L.max(lower, upper), w, spread)
    (doubt,) = shape.load(L, "doubt", 0, 1)
    spread = L.add(spread, doubt)
    highest, lowest = shape.range(L, frames, Frame(n, minus, size))
    high = L.min(L.add(highest, slack), L.add(high, spread))
    low = L.min(L.add(lowest, slack), L.add(low, spread))
    # n . E lies in [-low, high]: where high < 0 take -n, so that a > 0 in either case.
    opposite = L.lt(high, zero)
    minus_a = L.select(opposite, high, low)
    turned = [L.select(opposite, x, y) for x, y in zip(n, minus, strict=True)]
    b = L.mul(half, dot(L, turned, shape.load(L, "B"), dot(L, size, shape.load(L, "rhoB"))))
    c = L.mul(half, L.max(zero, dot(L, turned, shape.load(L, "C"), dot(L, size, shape.load(L, "rhoC")))))
    root = L.sqrt(L.fma(b, b, L.mul(L.neg(minus_a), c)))
    advance = L.div(minus_a, L.add(b, root))
    total = L.load("%s", shape.place["finite", 0])
    for x in size:
        total = L.add(total, x)
    valid = L.both(L.lt(minus_a, zero), L.lt(total, L.const(math.inf)))
    best = L.load("%s", shape.place["best", 0])
    L.store("%s", shape.place["best", 0], L.min(L.select(valid, advance, zero), best))


def _finish(L: Lanes, shape: Shape) -> None:
    """t0 plus the best advance, rounded down; and the sizes of the steps along the tangents."""
    t0 = L.load("%Z", 2 * (shape.n + shape.time) + 1)
    best = L.load("%s", shape.place["best", 0])
    L.store("%out", 0, L.neg(L.add(L.neg(t0), best)))
    for q in range(len(shape.variables)):
        d, (r,) = shape.load(L, "D", q), shape.load(L, "r", q, 1)
        size = L.abs(d[0])
        for x in d[1:]:
            size = L.max(L.abs(x), size)
        L.store("%out", 1 + q, L.mul(size, r))
