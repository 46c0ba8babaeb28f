"""Kernels for pairs of moving Bezier patches, one set for each pair of degrees: measure, split, test, evaluate.

A patch of degrees (N, M) whose control points P move at velocities V is a node: (N+1)(M+1) vectors of 8 doubles in row order
(u first), each (w Px, w Py, w Pz, w, w Vx, w Vy, w Vz, 0) with the weight w, 1 for polynomial patches; then five vectors made
from them (`measure`): mean difference of the corners along u and along v, mean of the corners, and the largest total
variation of the control polygon along u and along v, for each coordinate. So a subdivision is an average of vectors, a
test multiplies the eight directions, one a lane, by single numbers, and all coordinates are evaluated at once.

Rounding. A node's control points are doubles. The exact control points of the patch over the node's rectangle differ from
them, and the products with a direction from the exact ones, by no more than |n|_1 times the radius R that the caller
supplies: see `radius`.
"""

import functools
import itertools
from collections.abc import Sequence

from codegen.emit.interval_vectors import Value, splat
from codegen.emit.lanes import Lanes, Module
from codegen.machine.straight_line import straight_line

MEASURES = 5  # see `measure`
# More than all denormal roundings of a test together, each below 2**-1074.
UNDERFLOW = 2.0**-1000


def radius(size: float, ratio: float, degree: int, depth: int) -> float:
    """Bound R: the lower end of n . S over a node, as `test` computes it from control points, is in error by at most |n|_1 R.

    `size` is the largest |P| + |V| of a coordinate (at least 2**-900), `ratio` the largest weight over the least, `degree`
    the larger degree, `depth` the number of halvings. With u = 2**-52 bounding the relative error of an operation:
    a weighted control point has an error of 1 u; a halving is `degree` rounds of averages (sums in error by u, halves
    exact), of numbers bounded by the largest weighted control point, so numerators and weights have errors of (1 +
    depth degree) u times the largest; the product with a direction takes three roundings for P, three for V, one to
    add t V with 0 <= t <= 1: 4 u |n|_1 (|P| + |V|); a division by the weight, at least the least one, multiplies
    absolute errors by `ratio` at most, adds the weight's own relative error, and 1 u. In all (2 (1 + depth degree) + 6) ratio u
    |n|_1 size, up to a factor 1 + 2**-40; twice that is taken, so that this function may be evaluated to nearest.
    """
    return 2.0 * (2.0 * (1 + depth * degree) + 6.0) * ratio * 2.0**-52 * size


@functools.cache
def measure(N: int, M: int, rational: bool) -> int:
    """Address of ``void(node)``: the five vectors after the control points."""

    def write(module: Module, L: Lanes) -> None:
        _measure(L, "%node", [[L.load("%node", i * (M + 1) + j) for j in range(M + 1)] for i in range(N + 1)], rational)

    return straight_line("bezier measure", (N, M, rational), "node", write)


@functools.cache
def split(N: int, M: int, rational: bool, along_v: bool) -> int:
    """Address of ``void(node, first, second)``: the halves of a node, measured, by de Casteljau's algorithm."""

    def write(module: Module, L: Lanes) -> None:
        c = [[L.load("%node", i * (M + 1) + j) for j in range(M + 1)] for i in range(N + 1)]
        if along_v:
            halves = [_halve(L, row) for row in c]
            parts = [[h[k] for h in halves] for k in range(2)]
        else:
            halves = [_halve(L, [c[i][j] for i in range(N + 1)]) for j in range(M + 1)]
            parts = [[[halves[j][k][i] for j in range(M + 1)] for i in range(N + 1)] for k in range(2)]
        for name, part in zip(("%first", "%second"), parts, strict=True):
            for i in range(N + 1):
                for j in range(M + 1):
                    L.store(name, i * (M + 1) + j, part[i][j])
            _measure(L, name, part, rational)

    return straight_line("bezier split", (N, M, rational, along_v), "node first second", write)


def _halve(L: Lanes, c: Sequence[Value]) -> tuple[list[Value], list[Value]]:
    first, second, row = [c[0]], [c[-1]], list(c)
    while len(row) > 1:
        row = [L.mul(L.const(0.5), L.add(a, b)) for a, b in itertools.pairwise(row)]
        first.append(row[0])
        second.append(row[-1])
    return first, second[::-1]


def _shuffled(L: Lanes, x: Value, order: Sequence[int]) -> Value:
    mask = ", ".join(f"i32 {k}" for k in order)
    return L.emit(f"shufflevector {L.vector} {x}, {L.vector} poison, <{L.width} x i32> <{mask}>")


def over_weight(L: Lanes, x: Value) -> Value:
    """A control point and its velocity, both of which a node holds times the weight."""
    return L.div(x, _shuffled(L, x, [3] * 8))


def _measure(L: Lanes, pointer: str, c: list[list[Value]], rational: bool) -> None:
    """In ordinary arithmetic: directions and sizes only steer the search."""
    if rational:
        c = [[over_weight(L, x) for x in row] for row in c]
    N, M = len(c) - 1, len(c[0]) - 1
    half = L.const(0.5)
    a, b, d, e = c[0][0], c[0][M], c[N][0], c[N][M]
    along_u = L.mul(half, L.sub(L.add(d, e), L.add(a, b)))
    along_v = L.mul(half, L.sub(L.add(b, e), L.add(a, d)))
    centre = L.mul(L.const(0.25), L.add(L.add(a, b), L.add(d, e)))
    lines_u = [[c[i][j] for i in range(N + 1)] for j in range(M + 1)]
    for k, value in enumerate([along_u, along_v, centre, _variation(L, lines_u), _variation(L, c)]):
        L.store(pointer, (N + 1) * (M + 1) + k, value)


def _variation(L: Lanes, lines: list[list[Value]]) -> Value:
    totals = []
    for line in lines:
        total = L.const(0.0)
        for a, b in itertools.pairwise(line):
            total = L.add(total, L.abs(L.sub(b, a)))
        totals.append(total)
    return functools.reduce(L.max, totals)


# -- the test -----------------------------------------------------------------------------------------------------


@functools.cache
def test(N: int, M: int, rational: bool, parts_a: int = 1, parts_b: int = 1) -> int:
    """Address of ``void(E, F, A, B, n, T, out)``: contracts the windows of time in which pairs of nodes may touch.

    A and B begin `parts_a` and `parts_b` (1 or 2) nodes that follow each other, halves of E and F or E and F themselves: the
    directions come from E and F, so that they and the products of each half serve all pairs. n (8,): a further direction.
    T: tl, th, R (the sum of the radii of A and B), with 0 <= tl <= th <= 1, and 1 if n is to be used, 0 for the difference
    of the centres at th instead. out (2, 4): for each pair, the first of A with the second of B after its first, a new tl
    and a new -th; tl > th if there is no contact in the window. Every contact in the old window is in the new one.

    For a direction n of doubles and straight trajectories g(t) = min n . S1 - max n . S2 over control points is concave
    in t and positive only where there is no contact (hull property; weights are positive), and so with -n. With
    lower bounds g(tl) >= a, g(th) >= b: both positive: no contact. Only a > 0: g is above the chord from (tl, a) to (th,
    b), hence positive before the chord's zero; it becomes tl, rounded down. Only b > 0: th, in the same way.
    """
    return straight_line("bezier test", (N, M, rational, parts_a, parts_b), "E F A B n T out",
                         lambda module, L: _test(L, N, M, rational, parts_a, parts_b))


def _test(L: Lanes, N: int, M: int, rational: bool, parts_a: int, parts_b: int) -> None:
    points = (N + 1) * (M + 1)
    tl, th, R = (splat(L, "%T", k) for k in range(3))
    n = _directions(L, points, tl, th)
    one_norm = L.add(L.add(L.abs(n[0]), L.abs(n[1])), L.abs(n[2]))
    slack = L.fma(one_norm, R, L.const(UNDERFLOW))
    a, b = ([_projected(L, p, k * (points + MEASURES), points, n, tl, th, rational) for k in range(parts)]
            for p, parts in (("%A", parts_a), ("%B", parts_b)))
    windows = [_window(L, first, second, slack, tl, th) for first in a for second in b]
    unused = [L.const(0.0)] * (4 - len(windows))
    rows = [*(w[0] for w in windows), *unused, *(L.neg(w[1]) for w in windows), *unused]
    L.store("%out", 0, _maxima(L, rows))


def _directions(L: Lanes, points: int, tl: Value, th: Value) -> list[Value]:
    """Directions for two nodes: both normals, the four cross products of tangents of different nodes, the difference of centres, n."""
    measures = [[L.load(p, points + k) for p in ("%E", "%F")] for k in range(3)]
    (u1, u2), (v1, v2), centres = ([_at(L, x, tl) for x in pair] for pair in measures)
    apart = L.sub(*centres)
    late = L.sub(*(_at(L, x, th) for x in measures[2]))
    last = L.select(L.gt(splat(L, "%T", 3), L.const(0.0)), L.load("%n", 0), late)
    first, second = [], []
    for i in range(3):
        tangents = _picked(L, _picked(L, u1, u2, [i, 8 + i, i, i, 0, 0, 0, 0]), v1, [0, 1, 2, 3, 8 + i, 8 + i, 0, 0])
        first.append(_picked(L, tangents, _picked(L, apart, last, [i, 8 + i] * 4), [0, 1, 2, 3, 4, 5, 8, 9]))
        second.append(_picked(L, _picked(L, v2, u2, [0, i, 8 + i, i, 8 + i, i, 0, 0]), v1, [8 + i, 1, 2, 3, 4, 5, 6, 7]))
    crossed = "<" + ", ".join("i1 true" if k < 6 else "i1 false" for k in range(8)) + ">"
    return [L.select(crossed, L.fma(first[i], second[j], L.neg(L.mul(first[j], second[i]))), first[k])
            for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1)))]


def _at(L: Lanes, x: Value, t: Value) -> Value:
    """A measure at a time, in its first three lanes."""
    return L.fma(t, _shuffled(L, x, [4, 5, 6, 7] * 2), x)


def _picked(L: Lanes, a: Value, b: Value, order: Sequence[int]) -> Value:
    """Lanes of a, numbered from 0, and of b, numbered from 8."""
    mask = ", ".join(f"i32 {k}" for k in order)
    return L.emit(f"shufflevector {L.vector} {a}, {L.vector} {b}, <{L.width} x i32> <{mask}>")


def _maxima(L: Lanes, rows: list[Value]) -> Value:
    """The largest lane of each of eight vectors."""
    for step in (1, 2, 4):
        kept = [k + 8 * (k // step % 2) - step * (k // step % 2) for k in range(8)]
        rows = [L.max(_picked(L, a, b, kept), _picked(L, a, b, [k + step for k in kept]))
                for a, b in zip(rows[::2], rows[1::2], strict=True)]
    return rows[0]


def _window(L: Lanes, first: list[tuple[Value, Value]], second: list[tuple[Value, Value]], slack: Value,
            tl: Value, th: Value) -> tuple[Value, Value]:
    """The contracted window of each direction."""
    new_tl, new_th = tl, th
    for one, other in ((first, second), (second, first)):
        # Minus the lower bounds of the gap at both times.
        a, b = (L.add(L.sub(other[k][1], one[k][0]), slack) for k in range(2))
        new_tl, new_th = _contract(L, a, b, tl, th, new_tl, new_th)
    return new_tl, new_th


def _projected(L: Lanes, pointer: str, first: int, count: int, n: list[Value], tl: Value, th: Value,
               rational: bool) -> list[tuple[Value, Value]]:
    """Least and largest product of the control points with n, at tl and at th, in error as `radius` says."""
    ranges: list[tuple[Value, Value]] = []
    for c in range(first, first + count):
        x = [splat(L, pointer, 8 * c + k) for k in (0, 1, 2, 4, 5, 6)]
        p = L.fma(n[2], x[2], L.fma(n[1], x[1], L.mul(n[0], x[0])))
        v = L.fma(n[2], x[5], L.fma(n[1], x[4], L.mul(n[0], x[3])))
        at = [L.fma(tl, v, p), L.fma(th, v, p)]
        if rational:
            w = splat(L, pointer, 8 * c + 3)
            at = [L.div(y, w) for y in at]
        ranges = [(L.min(y, r[0]), L.max(y, r[1])) for y, r in zip(at, ranges, strict=True)] if ranges else [(y, y) for y in at]
    return ranges


def _contract(L: Lanes, a: Value, b: Value, tl: Value, th: Value, new_tl: Value, new_th: Value) -> tuple[Value, Value]:
    """-a and -b are lower bounds of a concave gap at tl and th."""
    zero = L.const(0.0)
    early, late = L.lt(a, zero), L.lt(b, zero)
    width = L.neg(L.sub(tl, th))  # rounded down
    # With the positive bound g and the other one h: the zero of the chord is g / (g - h) of the width away.
    g, h = L.select(early, a, b), L.select(early, b, a)
    share = L.div(g, L.sub(h, g))  # minus the share, rounded up
    tl_zero, th_zero = L.neg(L.fma(width, share, L.neg(tl))), L.fma(width, share, th)
    none = L.both(early, late)
    new_tl = L.max(L.select(none, L.const(2.0), L.select(early, tl_zero, tl)), new_tl)
    new_th = L.min(L.select(L.both(late, L.invert(early)), th_zero, th), new_th)
    return new_tl, new_th


# -- points -------------------------------------------------------------------------------------------------------


@functools.cache
def evaluate(N: int, M: int) -> int:
    """Address of ``void(node, x, out)``: x: u and v; out (6, 8): the sum of the control vectors with the Bernstein
    polynomials, and its derivatives u, v, uu, uv, vv. Approximates.
    """
    return straight_line("bezier evaluate", (N, M), "node x out", lambda module, L: _evaluate(L, N, M))


def _evaluate(L: Lanes, N: int, M: int) -> None:
    c = [[L.load("%node", i * (M + 1) + j) for j in range(M + 1)] for i in range(N + 1)]
    u, v = splat(L, "%x", 0), splat(L, "%x", 1)
    along_v = [_derivatives(L, row, v) for row in c]
    value, dv, dvv = ([row[k] for row in along_v] for k in range(3))
    s, su, suu = _derivatives(L, value, u)
    sv, suv, _ = _derivatives(L, dv, u)
    svv, _, _ = _derivatives(L, dvv, u)
    for k, x in enumerate((s, su, sv, suu, suv, svv)):
        L.store("%out", k, x)


def _derivatives(L: Lanes, c: list[Value], x: Value) -> list[Value]:
    """Value and two derivatives of a Bezier curve by de Casteljau's algorithm."""
    degree, rows = len(c) - 1, [c]
    while len(rows[-1]) > 1:
        rows.append([L.fma(x, L.sub(b, a), a) for a, b in zip(rows[-1][:-1], rows[-1][1:], strict=True)])
    first = second = L.const(0.0)
    if degree >= 1:
        a, b = rows[degree - 1]
        first = L.mul(L.const(float(degree)), L.sub(b, a))
    if degree >= 2:
        a, b, d = rows[degree - 2]
        second = L.mul(L.const(float(degree * (degree - 1))), L.sub(L.sub(d, b), L.sub(b, a)))
    return [rows[degree][0], first, second]
