"""The closest points of two convex polyhedra: a walk over Voronoi regions from the features of the last step (Lin and Canny 1991).

Features are vertices, edges and triangles. Points p and q of two of them are closest if n = q - p is at right angles to both, and no point
of either body lies further along n, or against it. Bodies are convex, so it is enough that no neighbour of the features does: each point
lies in the Voronoi region of the other's feature. If a neighbour does, the feature grows by it, and the closest points of the larger
features are on parts of them, and nearer. So the distance falls with every step, and nothing is seen twice: there are no cycles, also
where the bodies penetrate. Where a triangle is looked at from within its body, the segment from its point to the other body leaves the
body by a nearer triangle, or ends inside.

All of this is written once and runs twice. As machine code in doubles every sign comes with a bound of its rounding error; what is proved
is proved. As Python on rationals, with `unit`, `tiny`, `spin` and `shift` zero and `slack` one, all signs are exact; that decides the rest.
"""

import numpy as np

from codegen.machine.loops import native

from .feature_distance import corners, critical, nearest
from .memory import BAD, DOUBT, MEET, ON, PROVED, E, F, M, N, WalkMemory, X, Y, Z, cross, dot, error, measure, put_all, put_points

# Columns of poses are orthonormal up to this; translations are no larger.
ORTHONORMAL, LARGEST = 1e-6, 2.0**100


@native
def look(s: WalkMemory, side: int) -> None:
    """Look for a neighbour of the feature of a body that lies further towards the other one. `doubt` if rounding hides it."""
    for k in range(3):
        x = s.pose[side, k] * s.v[N, 0] + s.pose[side, 3 + k] * s.v[N, 1] + s.pose[side, 6 + k] * s.v[N, 2]
        s.v[Y, k] = x if side == 0 else -x
    measure(s, Y, 4 * s.radius[N] + (s.unit + 2 * s.spin[side]) * s.norm[N])
    slot, s.flat = s.slot[side], 1
    if s.dim[side] == 0:
        k = s.after[s.twin[slot]]
        ask(s, side, slot, s.after[slot], slot)
        while k != slot:
            ask(s, side, k, s.after[k], k)
            k = s.after[s.twin[k]]
    elif s.dim[side] == 1:
        other = s.twin[slot]
        ask(s, side, slot, s.after[s.after[slot]], slot)
        ask(s, side, slot, s.after[s.after[other]], other)
    if s.dim[side] < 2 and s.flat == 1:
        # All neighbours lie in a plane at right angles to n: it is looked at from outside, or from within.
        plane(s, Z, slot)
        if dot(s, Y, Z) < 0:
            s.inner = 1 + side


@native
def ask(s: WalkMemory, side: int, base: int, tip: int, grown: int) -> None:
    """About the vertex where half-edge `tip` starts, seen from that of `base`, which is of the feature."""
    a, b = s.start[base], s.start[tip]
    x, y, z = s.vertex[b, 0] - s.vertex[a, 0], s.vertex[b, 1] - s.vertex[a, 1], s.vertex[b, 2] - s.vertex[a, 2]
    norm = abs(x) + abs(y) + abs(z)
    value = s.v[Y, 0] * x + s.v[Y, 1] * y + s.v[Y, 2] * z
    off = s.slack * (norm * s.radius[Y] + 2 * s.unit * s.norm[Y] * norm) + s.tiny
    if value < 0:
        s.flat = 0
    if value > off:
        if s.better < 0 or value > s.gain * norm:
            s.better, s.grown, s.gain = side, grown, value / norm
    elif value + off > 0:
        s.doubt = 1


@native
def leave(s: WalkMemory) -> int:
    """The segment from the feature that is looked at from within to the closest point of the other body: the triangle by which it leaves
    becomes the feature. MEET if it does not.
    """
    side = s.inner - 1
    # In the frame of the body, times the determinant of the rotation: X the point on the feature, Y the other, E from X to Y.
    put_points(s)
    volume = 0 * s.weight[0]
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        s.v[Y, k], s.v[X, k] = 0, 0
        for c in range(3):
            a, b = (c + 1) % 3, (c + 2) % 3
            minor = s.pose[side, 3 * a + i] * s.pose[side, 3 * b + j] - s.pose[side, 3 * a + j] * s.pose[side, 3 * b + i]
            s.v[Y, k] += minor * (s.point[1 - side, c] - s.pose[side, 9 + c])
            s.v[X, k] += minor * (s.point[side, c] - s.pose[side, 9 + c])
            volume += minor * s.pose[side, 3 * c + k] if k == 0 else 0
        s.v[E, k] = s.v[Y, k] - s.v[X, k]
    least, found = volume, -1
    for slot in range(s.begin[side], s.begin[side + 1], 3):
        plane(s, F, slot)
        i = s.start[slot]
        down = dot(s, E, F)
        if down > 0:
            for k in range(3):
                s.v[Z, k] = volume * s.vertex[i, k] - s.v[X, k]
            when = dot(s, Z, F) / down
            if found < 0 or when < least or (when == least and holds(s, slot, when, volume)):
                least, found = when, slot
    if found < 0 or least >= 1:
        return MEET
    s.slot[side], s.dim[side] = found, 2
    return ON


@native
def plane(s: WalkMemory, row: int, slot: int) -> None:
    """A normal of a triangle, in the frame of its body."""
    i, j, k = s.start[slot], s.start[s.after[slot]], s.start[s.after[s.after[slot]]]
    for c in range(3):
        a, b = (c + 1) % 3, (c + 2) % 3
        s.v[row, c] = ((s.vertex[j, a] - s.vertex[i, a]) * (s.vertex[k, b] - s.vertex[i, b])
                       - (s.vertex[j, b] - s.vertex[i, b]) * (s.vertex[k, a] - s.vertex[i, a]))


@native
def holds(s: WalkMemory, slot: int, when: float, volume: float) -> bool:
    """Whether X + when E, a point of the plane of a triangle with normal F, is on that triangle."""
    for side in range(3):
        i, j = s.start[slot + side], s.start[slot + (side + 1) % 3]
        for k in range(3):
            s.v[Y, k] = s.vertex[j, k] - s.vertex[i, k]
            s.v[Z, k] = s.v[X, k] + when * s.v[E, k] - volume * s.vertex[i, k]
        cross(s, M, Y, Z)
        if dot(s, M, F) < 0:
            return False
    return True


@native
def walk(s: WalkMemory) -> int:
    """From the present features to the closest ones: PROVED; MEET, the bodies have a common point; DOUBT, in doubles."""
    margins(s)
    outcome, last, s.steps = step(s), s.square, s.steps + 1
    while outcome == ON:
        outcome = step(s)
        s.steps += 1
        if outcome != MEET and not s.square < last:
            return DOUBT
        last = s.square
    return outcome


@native
def margins(s: WalkMemory) -> None:
    """Bound the error of a difference of places."""
    s.far = s.spin[0] * s.width[0] + s.shift[0] + s.spin[1] * s.width[1] + s.shift[1]
    for side in range(2):
        shift = max(abs(s.pose[side, 9]), abs(s.pose[side, 10]), abs(s.pose[side, 11]))
        s.far += 2 * s.unit * (s.slack * 2 * s.width[side] + shift)


@native
def step(s: WalkMemory) -> int:
    """The closest points of the present features, and the features to go on with; or why there are none."""
    put_all(s)
    s.square, s.inner = -1, 0
    if s.dim[0] + s.dim[1] <= 2:
        s.square = critical(s, corners(s.dim[0]), corners(s.dim[1]))
    if s.square < 0:
        s.square = nearest(s)
    if not s.square > 0:
        return MEET if s.square == 0 else DOUBT
    if s.inner != 0:
        return leave(s)
    s.doubt, s.better = 1 - s.sure, -1
    look(s, 0)
    look(s, 1)
    if s.better < 0 and s.inner != 0:
        return leave(s)
    if s.better < 0:
        return DOUBT if s.doubt != 0 else PROVED
    s.slot[s.better] = s.grown
    s.dim[s.better] += 1
    return ON


@native
def bounds(s: WalkMemory) -> None:
    """Bound the distance that was proved, in doubles."""
    size = np.sqrt(dot(s, N, N))
    off = 2 * s.radius[N] + s.unit * size
    if s.dim[0] + s.dim[1] < 2:
        s.low, s.high = size - s.slack * off, size + s.slack * off
    else:
        height, wide = abs(dot(s, X, M)), s.slack * error(s, X, M)
        s.low = (height - wide) / (size + off) * (1 - s.unit)
        s.high = (height + wide) / (size - off) * (1 + s.unit) if off < size else np.inf
    s.low = max(s.low, 0.0)


@native
def load(s: WalkMemory, row: int) -> int:
    """The poses of a step; BAD where columns are not orthonormal up to 1e-6, right-handed, and finite."""
    for side in range(2):
        at = 16 * side
        s.spin[side], s.shift[side] = 0.0, 0.0
        for i in range(3):
            for j in range(3):
                s.pose[side, 3 * i + j] = s.given[row, at + 4 * i + j]
            s.pose[side, 9 + i] = s.given[row, at + 4 * i + 3]
            if not (abs(s.given[row, at + 4 * i + 3]) <= LARGEST and s.given[row, at + 12 + i] == 0.0):
                return BAD
        volume = 0.0
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            square, mixed = 0.0, 0.0
            for c in range(3):
                square += s.pose[side, 3 * c + i]**2
                mixed += s.pose[side, 3 * c + i] * s.pose[side, 3 * c + j]
            minor = s.pose[side, 3 + j] * s.pose[side, 6 + k] - s.pose[side, 3 + k] * s.pose[side, 6 + j]
            volume += s.pose[side, i] * minor
            if not (abs(square - 1.0) <= ORTHONORMAL and abs(mixed) <= ORTHONORMAL):
                return BAD
        if not (volume > 0.0 and s.given[row, at + 15] == 1.0):
            return BAD
    return PROVED


@native
def at(s: WalkMemory, row: int) -> int:
    """Walk at the poses of a row."""
    if load(s, row) != PROVED:
        return BAD
    outcome = walk(s)
    put_points(s)
    return outcome


@native
def note(s: WalkMemory, row: int) -> int:
    """Note the features and the bounds that were proved."""
    bounds(s)
    s.bound[row, 0], s.bound[row, 1] = s.low, s.high
    for side in range(2):
        s.feature[row, side], s.feature[row, 2 + side] = s.dim[side], s.slot[side]
    return PROVED


@native
def each(s: WalkMemory, first: int, end: int) -> int:
    """Walk from row to row, and note what is proved; the row of any other outcome is `row`."""
    for k in range(first, end):
        outcome = at(s, k)
        s.row = k
        if outcome != PROVED:
            return outcome
        note(s, k)
    return PROVED


@native
def windows(s: WalkMemory) -> int:
    """The number of windows of time, of eight one after the other, in which the present features are proved to be the closest ones."""
    one, two, first, second = s.dim[0], s.dim[1], s.slot[0], s.slot[1]
    for lane in range(8):
        for side in range(2):
            enclose(s, side, lane)
        margins(s)
        outcome = step(s) if max(s.spin[0], s.spin[1]) < 0.1 else DOUBT
        if outcome != PROVED or s.slot[0] != first or s.slot[1] != second or s.dim[0] != one or s.dim[1] != two:
            s.dim[0], s.dim[1], s.slot[0], s.slot[1] = one, two, first, second
            return lane
    return 8


@native
def enclose(s: WalkMemory, side: int, lane: int) -> None:
    """The pose of a body in a window: the middle, and what it may be off by."""
    s.spin[side], s.shift[side] = 0.0, 0.0
    for k in range(12):
        low, high = s.lowest[12 * side + k, lane], s.highest[12 * side + k, lane]
        middle = 0.5 * (low + high)
        off = s.slack * max(high - middle, middle - low)
        s.pose[side, k] = middle
        if k < 9:
            s.spin[side] = max(s.spin[side], off)
        else:
            s.shift[side] = max(s.shift[side], off)
