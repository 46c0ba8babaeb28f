"""The intersection period of Chen et al. 2024 (Algorithm 3) for eight axes at once, for the comparison with our method.

Along an axis the control points of both patches are lines in time. The patches are apart while the least of one set lies above
the largest of the other: a concave function of t is positive, so this is one interval. Its ends are zeros of a piecewise
linear function, found exactly by Newton's method in a few steps: the tangent at a point outside meets zero before the
function does. An end that has not converged counts as no interval. The margins of a millionth of the paper are replaced by
the bound of rounding errors of `bezier_kernel.radius`; Newton's steps themselves are not rounded outward, so this method, as
published, gives no guarantee in floating point.
"""

import functools

from codegen.lanes import Lanes

from .interval_vectors import Value, kernel, splat

_STEPS = 3
Line = tuple[Value, Value]


@functools.cache
def period(count: int) -> int:
    """Address of ``void(A, B, n, T, out)``: A and B nodes of polynomial patches with `count` control points, n (3,) blocks of
    axes, T: tl, th, R. out (4,): beginning and end of the time in which the second patch is above the first, and below it;
    empty where the end does not exceed the beginning.
    """
    return kernel(f"bezier period {count}", lambda L, module: _write(L, count))


def _write(L: Lanes, count: int) -> str:
    n = [L.load("%n", k) for k in range(3)]
    tl, th, R = (splat(L, "%T", k) for k in range(3))
    one_norm = L.add(L.add(L.abs(n[0]), L.abs(n[1])), L.abs(n[2]))
    slack = L.mul(one_norm, R)
    lines = [[_line(L, pointer, c, n) for c in range(count)] for pointer in ("%A", "%B")]
    for k, (below, above) in enumerate(((0, 1), (1, 0))):
        start = _end(L, lines[below], lines[above], slack, tl, th, 1.0)
        stop = _end(L, lines[below], lines[above], slack, th, tl, -1.0)
        L.store("%out", 2 * k, start)
        L.store("%out", 2 * k + 1, stop)
    return "A B n T out"


@functools.cache
def swept(count: int) -> int:
    """The same for the bounding boxes of the volumes swept from tl to th, as the traditional method takes them: either the
    whole window or nothing.
    """
    return kernel(f"bezier swept {count}", lambda L, module: _swept(L, count))


def _swept(L: Lanes, count: int) -> str:
    n = [L.load("%n", k) for k in range(3)]
    tl, th, R = (splat(L, "%T", k) for k in range(3))
    slack = L.mul(L.add(L.add(L.abs(n[0]), L.abs(n[1])), L.abs(n[2])), R)
    extents = []
    for pointer in ("%A", "%B"):
        ends = [L.fma(t, v, p) for p, v in (_line(L, pointer, c, n) for c in range(count)) for t in (tl, th)]
        extents.append((functools.reduce(L.min, ends), functools.reduce(L.max, ends)))
    for k, (below, above) in enumerate(((0, 1), (1, 0))):
        apart = L.gt(L.sub(L.sub(extents[above][0], extents[below][1]), slack), L.const(0.0))
        L.store("%out", 2 * k, tl)
        L.store("%out", 2 * k + 1, L.select(apart, L.add(th, L.const(1.0)), L.sub(tl, L.const(1.0))))
    return "A B n T out"


def _line(L: Lanes, pointer: str, c: int, n: list[Value]) -> Line:
    """Product with the axis at time 0, and its rate."""
    x = [splat(L, pointer, 8 * c + k) for k in (0, 1, 2, 4, 5, 6)]
    return (L.fma(n[2], x[2], L.fma(n[1], x[1], L.mul(n[0], x[0]))), L.fma(n[2], x[5], L.fma(n[1], x[4], L.mul(n[0], x[3]))))


def _gap(L: Lanes, below: list[Line], above: list[Line], slack: Value, t: Value) -> Line:
    """The least above minus the largest below at t, and its slope."""
    ends = []
    for lines, better in ((above, L.lt), (below, L.gt)):
        value, rate = L.fma(t, lines[0][1], lines[0][0]), lines[0][1]
        for p, v in lines[1:]:
            q = L.fma(t, v, p)
            wins = better(q, value)
            value, rate = L.select(wins, q, value), L.select(wins, v, rate)
        ends.append((value, rate))
    (high, up), (low, down) = ends
    return L.sub(L.sub(high, low), slack), L.sub(up, down)


def _end(L: Lanes, below: list[Line], above: list[Line], slack: Value, t: Value, other: Value, sign: float) -> Value:
    """The end of the interval of positive gap next to t; beyond `other` where there is none."""
    zero, beyond = L.const(0.0), L.add(other, L.const(sign))
    for _ in range(_STEPS):
        g, slope = _gap(L, below, above, slack, t)
        rising = L.gt(L.mul(slope, L.const(sign)), zero)
        moved = L.select(rising, L.sub(t, L.div(g, slope)), beyond)
        t = L.select(L.gt(g, zero), t, moved)
    g, _ = _gap(L, below, above, slack, t)
    return L.select(L.ge(g, L.neg(slack)), t, beyond)
