"""Eight windows of time of one edge-edge or vertex-face query of two bodies that move rigidly, each by any motion.

The vectors of the query are carried along by the controls of the motions over the windows, so the bounds of `straight_kernel` hold
for them; the volume at the moments a and b is computed from the motions there, without the bound of what is in between.
"""

import functools

from codegen.emit.interval_vectors import DirectionProducts, Exact, Vector, cross, dot, middle, plus, splat
from codegen.emit.lanes import Lanes
from codegen.machine.straight_line import straight_line

from .motion_windows import AT_END, AT_START, CONTINUOUS, ENTRIES, SANE, SIDES, entry
from .straight_kernel import EDGES, StraightWindow, apart, conclude


@functools.cache
def moving_window_kernel(face: bool, swapped: bool = False) -> int:
    """Address of ``void(Q, table, out)``: as `straight_kernel.window_kernel`, for two bodies that move as `table` says (see
    `motion_windows`), Q being the 12 doubles of four points in the frames of their bodies, none larger than
    `loop.LARGEST`. `swapped`: the first part of the query belongs to the second body.
    """
    return straight_line("moving linear window", (face, swapped), "Q table out", lambda module, L: _write_moving(L, face, swapped))


def _write_moving(L: Lanes, face: bool, swapped: bool) -> None:
    q = [[splat(L, "%Q", 3 * k + i) for i in range(3)] for k in range(4)]
    owners = [int((k >= (1 if face else 2)) != swapped) for k in range(4)]
    reach = [[(L.sub(x, y), L.sub(y, x)) for x, y in zip(q[i], q[j], strict=True)] for i, j in EDGES[face]]
    points, edges, gaps = [], [], []
    for side in SIDES:
        bodies = [MotionControls(L, body, side) for body in (0, 1)]
        place = [bodies[owner].point(p) for owner, p in zip(owners, q, strict=True)]
        e, f = (bodies[owners[i]].vector(v) for (i, _), v in zip(EDGES[face], reach, strict=True))
        edges.append((e, f))
        points.append(place)
        gaps.append(apart(L, face, place))
    volumes = [dot(L, gaps[side], cross(L, *edges[side])) for side in (AT_START, AT_END)]
    query = StraightWindow(L, face, (points[0], points[1]), edges[:2])
    query.ends = volumes[0], volumes[1]
    half = L.const(0.5)
    query.sane, query.continuous = (L.gt(L.load("%table", k), half) for k in (SANE, CONTINUOUS))
    conclude(L, query)


class MotionControls:
    """The controls, or values, of a motion at one end of the window."""

    def __init__(self, L: Lanes, body: int, side: int) -> None:
        self.L = L
        entries = [entry(L, body, k, side) for k in range(ENTRIES)]
        self.rows, self.shift = [entries[3 * i:3 * i + 3] for i in range(3)], entries[9:]
        self.size = [[L.max(*x) for x in row] for row in self.rows]

    def point(self, p: Exact) -> Vector:
        d = DirectionProducts(self.L, p)
        return [plus(self.L, d.dot(row), x) for row, x in zip(self.rows, self.shift, strict=True)]

    def vector(self, v: Vector) -> Vector:
        """R v of an interval vector v no wider than a rounding: R m and at most |R| r off, for doubles m and |v - m| <= r."""
        L = self.L
        m = middle(L, v)
        d = DirectionProducts(L, m)
        r = [L.max(L.sub(h, x), L.add(n, x)) for (n, h), x in zip(v, m, strict=True)]
        out = []
        for row, size in zip(self.rows, self.size, strict=True):
            off = L.fma(size[0], r[0], L.fma(size[1], r[1], L.mul(size[2], r[2])))
            n, h = d.dot(row)
            out.append((L.add(n, off), L.add(h, off)))
        return out
