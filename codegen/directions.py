"""A lower bound of the time of contact in a box, from bounds of second order along chosen directions.

Let E(x, t) be a difference of points (or any m functions) over a box X of n - 1 variables x and a window W = [t0,
t1] of one more, the time, and n a vector. Every common zero of E is a zero of f = n . E, and by Taylor's theorem,
for x in X and t0 + s in W, with c in X,

    f(x, t0)     = n . (E(c) + sum_j E_j(c) (x_j - c_j) + 1/2 sum_ij E_ij(y) (x_i - c_i) (x_j - c_j)),  y in X, all at t0,
    f(x, t0 + s) = f(x, t0) + n . E_t(x, t0) s + 1/2 n . E_tt(x, t0 + r) s^2,                            0 <= r <= s.

So if A > 0 bounds f or -f at t0 from below over X, B its time derivative over X at t0, and C <= 0 the second one over
X and W, there is no zero before t0 + s, s being the positive zero of A + B s + C s^2 / 2: s = A / (-B/2 + sqrt((B/2)^2 -
A C / 2)). The direction may be any vector, so it is chosen in ordinary arithmetic; what is bounded is f for the
vector of doubles that came out. Good ones are normal to two of the tangents E_j: see `shared/fast-solver.md`.

Everything is rounded upward, lower bounds as negatives. Interval vectors are taken as m +- r with m in doubles. The
radii of E and E_j are of rounding size and those of E_ij are of higher order; all are folded into one vector rho,
which costs three multiplications a direction.
"""

import functools
import math
import threading
from collections.abc import Sequence

from . import cache
from .lanes import WIDTH, Lanes, Module
from .native import Code, add_entry, host, llvm_version, object_code

Value = str
Vector = list[Value]

_alive: list[Code] = []
_lock = threading.Lock()


def time_bound(n: int, time: int, m: int, pairs: Sequence[tuple[int, int]]) -> int:
    """Address of ``void(Z, T, N, out)``: a lower bound of the time of any common zero in a box.

    Z    (2 n, 2)  the box: n intervals, number `time` the window; then n points of it, as thin intervals: the
                   centre, and the beginning of the window in the place of the time
    T    intervals of m entries: E over the box and the window (not used), over the box at the beginning, E at the centre, E_j there for every variable j but the
         time, E_ij for each (i, j) of `pairs` over the box at the beginning, E_t likewise, E_tt over the box and the window
    N    (m,)      one direction to try
    out  (n,)      the bound, which means "none in the window" where it lies beyond; then the size of |E_j| r_j for every
                   variable j but the time, in order
    """
    return _compiled(n, time, m, tuple(pairs))


@functools.cache
def _compiled(n: int, time: int, m: int, pairs: tuple[tuple[int, int], ...]) -> int:
    key = cache.key("time bound", f"{n} {time} {m} {pairs}", "\0".join(host()), llvm_version())
    code = cache.load(key)
    if code is None:
        code = object_code(_text(_Shape(n, time, m, pairs)))
        cache.store(key, code)
    with _lock:
        _alive.append(Code(code, ("kernel",)))
        return _alive[-1].address["kernel"]


class _Shape:
    """Sizes, and where things wait in the scratch memory."""

    def __init__(self, n: int, time: int, m: int, pairs: tuple[tuple[int, int], ...]) -> None:
        self.n, self.time, self.m, self.pairs = n, time, m, pairs
        self.variables = [j for j in range(n) if j != time]
        self.place: dict[tuple[str, int], int] = {}
        self.size = 0
        self.put("best", 1, 1)
        self.put("finite", 1, 1)
        for name in ("range", "E", "B", "C", "rhorange", "rho", "rhoB", "rhoC"):
            self.put(name, 1, m)
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


def _text(shape: _Shape) -> str:
    module = Module()
    L = module.lanes()
    _direction(L, shape)
    module.add("direction", "define internal void @direction(ptr noalias %s, ptr noalias %n) #2 {\n"
               + "\n".join(L.lines) + "\n  ret void\n}")
    L = module.lanes()
    _prepare(L, shape)
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


def _prepare(L: Lanes, shape: _Shape) -> None:
    """Radii of the box, and every interval as m +- r, into the scratch memory."""
    zero, half = L.const(0.0), L.const(0.5)
    m, k = shape.m, len(shape.variables)
    finite = zero
    position = m

    def interval() -> tuple[Value, Value]:
        """The next interval of T: its middle, in doubles, and a radius that covers it from there."""
        nonlocal position, finite
        n, h = L.load("%T", 2 * position), L.load("%T", 2 * position + 1)
        position += 1
        middle = L.mul(half, L.sub(h, n))
        radius = L.max(L.sub(h, middle), L.add(middle, n))
        finite = L.add(finite, L.add(L.abs(middle), radius))
        return middle, radius

    def vector() -> tuple[Vector, Vector]:
        both = [interval() for _ in range(m)]
        return [a for a, _ in both], [b for _, b in both]

    radii = []
    for j in shape.variables:
        c = L.load("%Z", 2 * (shape.n + j) + 1)
        radii.append(L.max(L.sub(L.load("%Z", 2 * j + 1), c), L.add(L.load("%Z", 2 * j), c)))
    weights = [_weight(L, shape, radii, pair) for pair in shape.pairs]
    middle, rho = vector()
    shape.store(L, "range", 0, middle)
    shape.store(L, "rhorange", 0, rho)
    middle, rho = vector()
    shape.store(L, "E", 0, middle)
    for name, scales in (("D", radii), ("H", weights)):
        for q, scale in enumerate(scales):
            middle, radius = vector()
            shape.store(L, name, q, middle)
            if name == "H":
                shape.store(L, "rhoH", q, radius)
            else:
                rho = [L.fma(scale, r, total) for r, total in zip(radius, rho, strict=True)]
    for name in ("B", "C"):
        middle, radius = vector()
        shape.store(L, name, 0, middle)
        shape.store(L, "rho" + name, 0, radius)
    shape.store(L, "rho", 0, rho)
    for q in range(k):
        shape.store(L, "r", q, [radii[q]])
        finite = L.add(finite, radii[q])
    for q, w in enumerate(weights):
        shape.store(L, "w", q, [w])
    shape.store(L, "finite", 0, [finite])
    shape.store(L, "best", 0, [zero])


def _weight(L: Lanes, shape: _Shape, radii: Sequence[Value], pair: tuple[int, int]) -> Value:
    """The largest size of (x_i - c_i)(x_j - c_j), or of half the square."""
    a, b = (radii[shape.variables.index(j)] for j in pair)
    product = L.mul(a, b)
    return L.mul(L.const(0.5), product) if pair[0] == pair[1] else product


def _directions(L: Lanes, shape: _Shape) -> list[Vector]:
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


def _dot(L: Lanes, a: Sequence[Value], b: Sequence[Value], start: Value | None = None) -> Value:
    """An upper bound of a . b (+ start)."""
    total = L.mul(a[0], b[0]) if start is None else L.fma(a[0], b[0], start)
    for x, y in zip(a[1:], b[1:], strict=True):
        total = L.fma(x, y, total)
    return total


def _direction(L: Lanes, shape: _Shape) -> None:
    """Lower `best`, which is minus the largest advance so far, by this direction.

    `L.max` yields its second operand where a NaN meets, and the bounds stand second, so a NaN reaches the last comparison,
    which then says that nothing is known. A direction that is not finite is no direction.
    """
    zero, half = L.const(0.0), L.const(0.5)
    n = [L.load("%n", i) for i in range(shape.m)]
    minus, size = [L.neg(x) for x in n], [L.abs(x) for x in n]
    middle = shape.load(L, "E")
    high, low = _dot(L, n, middle), _dot(L, minus, middle)
    spread = _dot(L, size, shape.load(L, "rho"))
    for q in range(len(shape.variables)):
        d, (r,) = shape.load(L, "D", q), shape.load(L, "r", q, 1)
        spread = L.fma(L.max(_dot(L, minus, d), _dot(L, n, d)), r, spread)
    for q, (i, j) in enumerate(shape.pairs):
        h, (w,) = shape.load(L, "H", q), shape.load(L, "w", q, 1)
        radius = _dot(L, size, shape.load(L, "rhoH", q))
        upper, lower = _dot(L, n, h, radius), _dot(L, minus, h, radius)
        if i == j:
            high, low = L.fma(L.max(zero, upper), w, high), L.fma(L.max(zero, lower), w, low)
        else:
            spread = L.fma(L.max(lower, upper), w, spread)
    wide, within = shape.load(L, "range"), _dot(L, size, shape.load(L, "rhorange"))
    high = L.min(_dot(L, n, wide, within), L.add(high, spread))
    low = L.min(_dot(L, minus, wide, within), L.add(low, spread))
    # n . E lies in [-low, high]: where high < 0 take -n, so that a > 0 in either case.
    opposite = L.lt(high, zero)
    minus_a = L.select(opposite, high, low)
    turned = [L.select(opposite, x, y) for x, y in zip(n, minus, strict=True)]
    b = L.mul(half, _dot(L, turned, shape.load(L, "B"), _dot(L, size, shape.load(L, "rhoB"))))
    c = L.mul(half, L.max(zero, _dot(L, turned, shape.load(L, "C"), _dot(L, size, shape.load(L, "rhoC")))))
    root = L.sqrt(L.fma(b, b, L.mul(L.neg(minus_a), c)))
    advance = L.div(minus_a, L.add(b, root))
    total = L.load("%s", shape.place["finite", 0])
    for x in size:
        total = L.add(total, x)
    valid = L.both(L.lt(minus_a, zero), L.lt(total, L.const(math.inf)))
    best = L.load("%s", shape.place["best", 0])
    L.store("%s", shape.place["best", 0], L.min(L.select(valid, advance, zero), best))


def _finish(L: Lanes, shape: _Shape) -> None:
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
