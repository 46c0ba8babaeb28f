"""Times at which two moving Bezier patches are apart along an axis, for eight axes at once, with proof (Chen et al. 2024,
Algorithm 3).

Along an axis the control points of both patches, of rational patches as well, are lines in time. The patches are apart while
the least of one set lies above the largest of the other: where a concave function g of t is positive. Newton's method from
outside the interval where g exceeds a margin finds an end of it in a few steps, g being piecewise linear. What is claimed of
an end does not rest on these steps: a lower bound of g there, rounded, has to be positive. Between two such ends g, being
concave, is positive too.

Rounding is that of `kernel.radius`: the product with an axis takes three roundings for positions and three for
velocities, a division by the weight one, adding t times the velocity one; so |n|_1 R bounds the errors of g, and the
last sum is rounded towards no claim.
"""

import functools

from codegen.emit.interval_vectors import Value, splat
from codegen.emit.lanes import Lanes
from codegen.machine.straight_line import straight_line

from ..kernel import UNDERFLOW

_STEPS = 3
Line = tuple[Value, Value]


@functools.cache
def apart(count: int, rational: bool) -> int:
    """Address of ``void(A, B, n, T, out)``: A and B nodes (see `kernel`) of `count` control points, n (3,) blocks of axes,
    T: tl, th, R, the sum of the radii of both nodes, with 0 <= tl <= th <= 1.

    out (4,) blocks: start and stop of a period within [tl, th] in which B lies above A, and of one in which B lies below A. Where
    start <= stop the patches are *proved* not to meet in the closed period; start > stop: nothing is known.
    """
    return straight_line("bezier apart", (count, rational), "A B n T out", lambda module, L: _apart(L, count, rational))


@functools.cache
def swept(count: int, rational: bool) -> int:
    """The same for the bounding boxes of the volumes swept from tl to th, as the traditional method (Algorithm 1) takes them: either
    the whole window or nothing.
    """
    return straight_line("bezier swept", (count, rational), "A B n T out", lambda module, L: _swept(L, count, rational))


def _read(L: Lanes, count: int, rational: bool) -> tuple[Value, Value, Value, list[list[Line]]]:
    """tl, th, the slack of every axis, and the lines of A and of B along it."""
    n = [L.load("%n", k) for k in range(3)]
    tl, th, R = (splat(L, "%T", k) for k in range(3))
    one_norm = L.add(L.add(L.abs(n[0]), L.abs(n[1])), L.abs(n[2]))
    slack = L.fma(one_norm, R, L.const(UNDERFLOW))
    return tl, th, slack, [[_line(L, pointer, c, n, rational) for c in range(count)] for pointer in ("%A", "%B")]


def _apart(L: Lanes, count: int, rational: bool) -> None:
    tl, th, slack, lines = _read(L, count, rational)
    for k, (below, above) in enumerate(((0, 1), (1, 0))):
        L.store("%out", 2 * k, _end(L, lines[below], lines[above], slack, tl, th, 1.0))
        L.store("%out", 2 * k + 1, _end(L, lines[below], lines[above], slack, th, tl, -1.0))


def _swept(L: Lanes, count: int, rational: bool) -> None:
    tl, th, slack, lines = _read(L, count, rational)
    ends = [[L.fma(t, v, p) for p, v in part for t in (tl, th)] for part in lines]
    least, most = ([functools.reduce(better, part) for part in ends] for better in (L.min, L.max))
    for k, (below, above) in enumerate(((0, 1), (1, 0))):
        apart = L.lt(L.add(L.sub(most[below], least[above]), slack), L.const(0.0))
        L.store("%out", 2 * k, tl)
        L.store("%out", 2 * k + 1, L.select(apart, th, L.sub(tl, L.const(1.0))))


def _line(L: Lanes, pointer: str, c: int, n: list[Value], rational: bool) -> Line:
    """Product with the axis at time 0, and its rate."""
    x = [splat(L, pointer, 8 * c + k) for k in range(8)]
    place = L.fma(n[2], x[2], L.fma(n[1], x[1], L.mul(n[0], x[0])))
    rate = L.fma(n[2], x[6], L.fma(n[1], x[5], L.mul(n[0], x[4])))
    return (L.div(place, x[3]), L.div(rate, x[3])) if rational else (place, rate)


def _gap(L: Lanes, below: list[Line], above: list[Line], slack: Value, t: Value) -> Line:
    """Minus a lower bound of g at t, and about the slope of g."""
    ends = []
    for lines, better in ((above, L.lt), (below, L.gt)):
        value, rate = L.fma(t, lines[0][1], lines[0][0]), lines[0][1]
        for p, v in lines[1:]:
            q = L.fma(t, v, p)
            wins = better(q, value)
            value, rate = L.select(wins, q, value), L.select(wins, v, rate)
        ends.append((value, rate))
    (high, up), (low, down) = ends
    return L.add(L.sub(low, high), slack), L.sub(up, down)


def _end(L: Lanes, below: list[Line], above: list[Line], slack: Value, t: Value, other: Value, sign: float) -> Value:
    """The end of the period next to t; beyond `other` where none is proved."""
    zero, first, beyond = L.const(0.0), t, L.add(other, L.const(sign))
    for _ in range(_STEPS):
        minus, slope = _gap(L, below, above, slack, t)
        rising = L.gt(L.mul(slope, L.const(sign)), zero)
        # Aimed at g = slack, where the bound is clearly positive.
        moved = L.select(rising, L.add(t, L.div(L.add(minus, slack), slope)), beyond)
        t = L.select(L.lt(minus, zero), t, moved)
    minus, _ = _gap(L, below, above, slack, t)
    inside = L.both(L.le(L.mul(first, L.const(sign)), L.mul(t, L.const(sign))), L.le(L.mul(t, L.const(sign)), L.mul(other, L.const(sign))))
    return L.select(L.both(L.lt(minus, zero), inside), t, beyond)
