"""Kernels that separate two nodes of trees of boxes in eight windows of time, and test two triangles at the beginning.

Straight trajectories: every coordinate of a point lies between the ends of its node's box, which move linearly. So if along an
axis one box is beyond the other at both ends of a window, it is in between.

Rigid motions (see `motion_windows`): with centre c and half extents r of a node in its frame, n . x lies within n . (R c + T) +-
sum_j r_j |n . R_j| for its points x, R_j being the columns of R. All of this for average controls is at least as far apart as
the average of what it is for the controls at both ends, since |.| is convex: so if n separates the nodes there, with
the same sign, it does throughout. Directions tried: between the centres, and the axes of both nodes (Gottschalk, Lin and Manocha
1996, without the products of axes).
"""

import functools
from collections.abc import Sequence

from codegen.emit.interval_vectors import (
    DirectionProducts,
    Exact,
    Interval,
    Value,
    Vector,
    between,
    cross,
    dot,
    exact_cross,
    exact_minus,
    middle,
    splat,
)
from codegen.emit.lanes import Lanes
from codegen.machine.straight_line import straight_line

from ..primitives.motion_windows import AT_START, END, SANE, START
from ..primitives.moving_kernel import MotionControls
from ..primitives.straight_kernel import DEAD, PROVED, UNKNOWN, placed


@functools.cache
def straight_boxes() -> int:
    """Address of ``void(A, B, a, b, out)``: A and B the 12 doubles of a node, a and b window ends within [0, 1]; out: DEAD or UNKNOWN."""
    return straight_line("straight boxes", (), "A B a b out", lambda module, L: _write_straight(L))


@functools.cache
def rigid_boxes() -> int:
    """Address of ``void(A, B, table, out)``: the same for nodes in the frames of the two bodies of `table`."""
    return straight_line("rigid boxes", (), "A B table out", lambda module, L: _write_rigid(L))


@functools.cache
def meeting(moving: bool) -> int:
    """Address of ``void(Q, a, out)``, or ``void(Q, table, out)`` if `moving`: at the beginnings of the windows, do the closed triangles
    meet? Q: three points of the first and three of the second, as 6 doubles each. DEAD: they are disjoint; PROVED: an edge of
    one strictly crosses the other; UNKNOWN.
    """
    return straight_line("meeting triangles", (moving,), f"Q {'table' if moving else 'a'} out", lambda module, L: _write_meeting(L, moving))


def _store(L: Lanes, dead: Value, proved: Value) -> None:
    L.store("%out", 0, L.select(dead, L.const(DEAD), L.select(proved, L.const(PROVED), L.const(UNKNOWN))))


def _write_straight(L: Lanes) -> None:
    zero, nothing = L.const(0.0), L.mask_const(False)
    nodes = [[splat(L, pointer, k) for k in range(12)] for pointer in ("%A", "%B")]
    moments = [L.load("%a", 0), L.load("%b", 0)]
    dead = nothing
    for first, second in (nodes, nodes[::-1]):
        for i in range(3):
            beyond = L.mask_const(True)
            for moment in moments:
                # Upper bounds of the first one's upper end and of minus the second one's lower end.
                upper = L.fma(moment, L.sub(first[9 + i], first[3 + i]), first[3 + i])
                lower = L.fma(moment, L.sub(second[i], second[6 + i]), L.neg(second[i]))
                beyond = L.both(beyond, L.lt(L.add(upper, lower), zero))
            dead = L.either(dead, beyond)
    _store(L, dead, nothing)


class _Node:
    """A box carried along: at both ends the centre and the columns of the rotation."""

    def __init__(self, L: Lanes, pointer: str, body: int) -> None:
        ends = [[splat(L, pointer, 3 * k + i) for i in range(3)] for k in range(2)]
        half = L.const(0.5)
        middles = [L.mul(half, L.add(x, y)) for x, y in zip(*ends, strict=True)]
        self.reach = [L.max(L.sub(h, c), L.sub(c, low)) for low, h, c in zip(*ends, middles, strict=True)]
        carried = [MotionControls(L, body, side) for side in (START, END)]
        self.centre = [c.point(middles) for c in carried]
        self.columns = [[[row[j] for row in c.rows] for j in range(3)] for c in carried]

    def extent(self, d: DirectionProducts, end: int, start: Value) -> Value:
        """An upper bound of sum_j r_j |n . R_j|, plus `start`."""
        L = d.L
        for r, column in zip(self.reach, self.columns[end], strict=True):
            start = L.fma(r, L.max(*d.dot(column)), start)
        return start


def _write_rigid(L: Lanes) -> None:
    zero = L.const(0.0)
    nodes = [_Node(L, pointer, body) for body, pointer in enumerate(("%A", "%B"))]
    apart = [between(L, nodes[1].centre[end], nodes[0].centre[end]) for end in (0, 1)]
    pairs = [apart, *([node.columns[0][j], node.columns[1][j]] for node in nodes for j in range(3))]
    dead = L.mask_const(False)
    for first, last in pairs:
        d = DirectionProducts(L, [L.add(x, y) for x, y in zip(middle(L, first), middle(L, last), strict=True)])
        signs = [L.mask_const(True)] * 2
        for end in (0, 1):
            extent = nodes[1].extent(d, end, nodes[0].extent(d, end, zero))
            signs = [L.both(mask, L.lt(L.add(x, extent), zero)) for mask, x in zip(signs, d.dot(apart[end]), strict=True)]
        dead = L.either(dead, L.either(*signs))
    _store(L, L.both(dead, L.gt(L.load("%table", SANE), L.const(0.5))), L.mask_const(False))


# -- triangles at one moment ----------------------------------------------------------------------------------------


def _write_meeting(L: Lanes, moving: bool) -> None:
    q = [[splat(L, "%Q", 6 * k + i) for i in range(6)] for k in range(6)]
    if moving:
        bodies = [MotionControls(L, body, AT_START) for body in (0, 1)]
        points = [bodies[k // 3].point(p[:3]) for k, p in enumerate(q)]
        sane = L.gt(L.load("%table", SANE), L.const(0.5))
    else:
        points = [placed(L, p[:3], p[3:], L.load("%a", 0)) for p in q]
        sane = L.mask_const(True)
    first, second = points[:3], points[3:]
    dead, proved = L.mask_const(False), L.mask_const(False)
    for n in _directions(L, [middle(L, p) for p in points]):
        dead = L.either(dead, _separated(L, DirectionProducts(L, n), first, second))
    for face, other in ((first, second), (second, first)):
        for k in range(3):
            proved = L.either(proved, _crosses(L, other[k], other[(k + 1) % 3], face))
    _store(L, L.both(dead, sane), L.both(proved, sane))


def _directions(L: Lanes, points: Sequence[Exact]) -> list[Exact]:
    """Disjoint triangles are separated by one of these: the normals, products of their edges, and normals within the plane."""
    edges = [[exact_minus(L, part[(k + 1) % 3], part[k]) for k in range(3)] for part in (points[:3], points[3:])]
    normals = [exact_cross(L, part[0], part[1]) for part in edges]
    found = [*normals, *(exact_cross(L, e, f) for e in edges[0] for f in edges[1])]
    return found + [exact_cross(L, e, n) for part, n in zip(edges, normals, strict=True) for e in part]


def _separated(L: Lanes, d: DirectionProducts, first: Sequence[Vector], second: Sequence[Vector]) -> Value:
    lows, highs = ([functools.reduce(L.max, [d.dot(p)[end] for p in part]) for part in (first, second)] for end in (0, 1))
    zero = L.const(0.0)
    return L.either(L.lt(L.add(highs[0], lows[1]), zero), L.lt(L.add(lows[0], highs[1]), zero))


def _crosses(L: Lanes, p: Vector, q: Vector, face: Sequence[Vector]) -> Value:
    """Whether p and q are strictly on both sides of the plane of the face, and its edges all turn the same way round the line pq."""
    a, b, c = face
    normal = cross(L, between(L, a, b), between(L, a, c))
    sides = [dot(L, normal, between(L, a, x)) for x in (p, q)]
    along = between(L, p, q)
    spokes = [between(L, p, x) for x in face]
    turns = [dot(L, along, cross(L, spokes[k], spokes[(k + 1) % 3])) for k in range(3)]
    through = L.either(_strict(L, [sides[0], sides[1][::-1]], 0), _strict(L, [sides[0], sides[1][::-1]], 1))
    return L.both(through, L.either(_strict(L, turns, 0), _strict(L, turns, 1)))


def _strict(L: Lanes, values: Sequence[Interval], end: int) -> Value:
    """All positive (end 0) or all negative (end 1)."""
    return functools.reduce(L.both, [L.lt(x[end], L.const(0.0)) for x in values])
