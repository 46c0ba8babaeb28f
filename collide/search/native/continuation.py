"""Samples spread evenly over a curve or surface of contacts: from one sample to the next, at the distance `spacing`.

At a sample the rows have a Jacobian of short rank: its kernel (at a fixed objective) is tangent to the set of contacts. A
step along it, and a local solve from there, lead to the next sample. A curve is followed both ways; where its ends come
closer than two steps, one sample halves what is left between them. On a surface the six neighbours in a lattice of
equilateral triangles are tried, which fits up to curvature. All this is ordinary arithmetic: it only supplies candidates
for `prove`, in a good order, and what it misses the search samples later.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .boxes import cut, too_late
from .layout import EXISTS, LANES, LEFT_OUT, ProblemRow, SearchMemory
from .prove import prove
from .sample import load_reached, solve_locally
from .solutions import image_of, shared_image
from .tangents import NO_SLOPE, find_kernel

# The step of a difference quotient, against the domain: its error, that share of the curvature, is far below what steps may be off by. The
# numbers below lay samples out, and claim nothing.
_SMALL = 1e-5
# Lengths of a step against what was wanted: the shortest and longest that will do. How often a step is tried
# (measured: tests/benchmarks/constants.py, once takes 2 % more, 16 times no less).
_SHORTEST, _LONGEST, _TRIALS = 0.95, 1.05, 4
# How near another sample may be, against the spacing, and where a gap between two ends of a curve is large enough
# for one more.
_NEAR, _GAP = 0.8, 1.05
# Likewise, against half the spacing, beside a sample that is left out: in a gap of a curve; on a surface in wide gaps only.
_NEAR_CURVE, _NEAR_SURFACE = 0.9, 1.5
# Of 60 degrees.
_SINE = 0.8660254037844386


@native
def walk(s: SearchMemory) -> None:
    """Sample round the next solution that was not yet walked from.

    A sample that is left out for a better one, up to half a spacing from it, would leave a gap of three halves: so beside it half
    steps are taken.
    """
    k = s.walked
    s.walked = k + 1
    if s.kind[k] == EXISTS and s.mending == 0:
        sample_round(s, k, s.spacing)
    elif s.kind[k] == LEFT_OUT:
        sample_round(s, k, 0.5 * s.spacing)


@native
def sample_round(s: SearchMemory, k: int, distance: float) -> None:
    """Samples at a distance from sample k, where no other one is near."""
    p = s.problem[s.owner[k]]
    if p.image == 0 or p.point == 0 or p.objective < 0:
        return
    n = p.variables
    if p.rows < n or not s.spacing < 1e300 or too_late(s, p, s.found[k]):
        return
    for j in range(n):
        s.base[j] = s.found[k].middle(j)
    if find_kernel(s, p):
        free = orthonormal(s, p)
        if free > 0:
            aim(s, p, k, free, distance)
            follow(s, p, k, free)


# -- tangents -----------------------------------------------------------------------------------------------------


@native
def orthonormal(s: SearchMemory, p: ProblemRow) -> int:
    """Scale the vectors in `along` to move the point in space by one and at right angles to each other, their images in
    `heading`; how many of them move it at all.
    """
    n, free = p.variables, 0
    differentiate(s, p)
    for q in range(2):
        if q == 1 and free == 1:
            share = product(s, 0, 1)
            for j in range(n):
                s.along[n + j] -= share * s.along[j]
            for c in range(3):
                s.heading[1, c] -= share * s.heading[0, c]
        length = np.sqrt(product(s, q, q))
        if length > NO_SLOPE * s.spacing:
            for j in range(n):
                s.along[free * n + j] = s.along[q * n + j] / length
            for c in range(3):
                s.heading[free, c] = s.heading[q, c] / length
            free += 1
    return free


@native
def product(s: SearchMemory, a: int, b: int) -> float:
    """The scalar product of two vectors in `heading`."""
    return s.heading[a, 0] * s.heading[b, 0] + s.heading[a, 1] * s.heading[b, 1] + s.heading[a, 2] * s.heading[b, 2]


@native
def differentiate(s: SearchMemory, p: ProblemRow) -> None:
    """Store the velocity of the point in space along the vectors in `along` in `heading`, and its position in `spot`."""
    n = p.variables
    for lane in range(LANES):
        for j in range(n):
            step = _SMALL * s.along[(lane - 1) * n + j] if 1 <= lane <= 2 else 0.0
            s.X.put(j, lane, s.base[j] + step, s.base[j] + step)
    call_kernel(p.image, s.X, p.parameters, s.image)
    for lane in range(3):
        shared_image(s, lane, s.near)
        for c in range(3):
            middle = s.near.middle(c)
            if lane == 0:
                s.spot[c] = middle
            else:
                s.heading[lane - 1, c] = (middle - s.spot[c]) / _SMALL


# -- steps --------------------------------------------------------------------------------------------------------


@native
def aim(s: SearchMemory, p: ProblemRow, k: int, free: int, distance: float) -> None:
    """Directions for the steps, as long as the distance, from solution k, as combinations of the vectors in `along`: both ways along a
    curve; on a surface at angles of 60 degrees, one of them towards the nearest sample.
    """
    toward, across = 1.0, 0.0
    other = nearest(s, p, k)
    if free == 2 and other >= 0:
        a, b = share_along(s, other, 0), share_along(s, other, 1)
        length = np.sqrt(a * a + b * b)
        if length > 0.0:
            toward, across = a / length, b / length
    for lane in range(LANES):
        cosine = (1.0, -1.0)[lane % 2] if free == 1 else (1.0, 0.5, -0.5, -1.0, -0.5, 0.5, 1.0, 1.0)[lane]
        sine = 0.0 if free == 1 else _SINE * (0.0, 1.0, 1.0, 0.0, -1.0, -1.0, 0.0, 0.0)[lane]
        s.aim[lane, 0] = toward * cosine - across * sine
        s.aim[lane, 1] = toward * sine + across * cosine
        s.going[lane] = 1 if lane < (2 if free == 1 else 6) else 0
        s.pace[lane] = distance
        s.goal[lane] = distance


@native
def share_along(s: SearchMemory, k: int, q: int) -> float:
    """The distance to solution k from `spot` along a vector in `heading`."""
    to = s.place[k]
    return ((to.middle(0) - s.spot[0]) * s.heading[q, 0] + (to.middle(1) - s.spot[1]) * s.heading[q, 1]
            + (to.middle(2) - s.spot[2]) * s.heading[q, 2])


@native
def nearest(s: SearchMemory, p: ProblemRow, k: int) -> int:
    """The sample nearest to `spot`, of those that count near number k; -1 for none."""
    best, chosen = np.inf, -1
    for other in range(s.solutions):
        if counts(s, p, k, other) and distance_squared(s, other) < best:
            best, chosen = distance_squared(s, other), other
    return chosen


@native
def counts(s: SearchMemory, p: ProblemRow, k: int, other: int) -> bool:
    """Whether it is another sample of problem p. Near a sample k that is left out all others of the two bodies count."""
    q = s.problem[s.owner[other]]
    mine = s.kind[other] == EXISTS and q.number == p.number
    if s.kind[k] == LEFT_OUT:
        mine = s.kind[other] >= EXISTS and q.label == p.label
    return mine and other != k and not too_late(s, q, s.found[other])


@native
def gap_at(s: SearchMemory, p: ProblemRow, k: int, other: int) -> float:
    """The gap in which `spot` lies, between sample `other` and the nearest one on the opposite side."""
    best = np.inf
    for third in range(s.solutions):
        if counts(s, p, k, third):
            side = 0.0
            for c in range(3):
                side += (s.place[third].middle(c) - s.spot[c]) * (s.place[other].middle(c) - s.spot[c])
            if side < 0.0:
                best = min(best, distance_squared(s, third))
    return np.sqrt(best) + np.sqrt(distance_squared(s, other))


@native
def distance_squared(s: SearchMemory, k: int) -> float:
    """From `spot` to solution k."""
    square = 0.0
    for c in range(3):
        square += (s.place[k].middle(c) - s.spot[c]) ** 2
    return square


@native
def follow(s: SearchMemory, p: ProblemRow, k: int, free: int) -> None:
    """Take the steps of all lanes, and shorten or lengthen them until they end at the wanted distance."""
    n = p.variables
    for _ in range(_TRIALS):
        busy = False
        for lane in range(LANES):
            busy = busy or s.going[lane] != 0
            for j in range(n):
                step = s.pace[lane] * (s.aim[lane, 0] * s.along[j] + s.aim[lane, 1] * s.along[n + j])
                s.point[j, lane] = within(s, p, j, s.base[j] + step)
        if not busy:
            return
        solve_locally(s, p)
        for lane in range(LANES):
            s.going[lane] = s.going[lane] if s.converged[lane] > 0.5 else 0
            for j in range(n):
                s.reached[lane, j] = s.point[j, lane]
        for lane in range(LANES):
            if s.going[lane] != 0:
                judge(s, p, k, lane, free)


@native
def within(s: SearchMemory, p: ProblemRow, j: int, x: float) -> float:
    """x in the domain of variable j; a periodic variable wraps."""
    lo, hi = p.inner.lo(j), p.inner.hi(j)
    if x < lo:
        x += p.period[j]
    elif x > hi:
        x -= p.period[j]
    return min(max(x, lo), hi)


@native
def judge(s: SearchMemory, p: ProblemRow, k: int, lane: int, free: int) -> None:
    """Accept the point that a lane reached, or set the length of its next step, or give it up."""
    if not timely(s, p, lane):
        s.going[lane] = 0
        return
    length = np.sqrt(distance_squared(s, k))
    if not _SHORTEST * s.goal[lane] <= length <= _LONGEST * s.goal[lane]:
        s.pace[lane] *= min(max(s.goal[lane] / length, 0.25), 2.0) if length > 0.0 else 2.0
        return
    other = nearest(s, p, k)
    apart = _NEAR if s.kind[k] != LEFT_OUT else (_NEAR_CURVE if free == 1 else _NEAR_SURFACE)
    near = other >= 0 and distance_squared(s, other) < (apart * s.goal[lane]) ** 2
    if s.kind[k] == LEFT_OUT and free == 1 and other >= 0 and not near:
        near = gap_at(s, p, k, other) <= _GAP * s.spacing
    s.going[lane] = 0
    if not near:
        prove(s, p, True)
    elif free == 1 and s.goal[lane] == s.spacing:
        gap = between(s, k, other)
        if gap > _GAP * s.spacing:
            s.goal[lane] = 0.5 * gap
            s.pace[lane] *= 0.5 * gap / length
            s.going[lane] = 1


@native
def timely(s: SearchMemory, p: ProblemRow, lane: int) -> bool:
    """Write the point that a lane reached into `centre`, its place into `spot`. Return whether it is early enough."""
    objective = p.objective
    load_reached(s, p, lane)
    image_of(s, p, s.tight, s.near)
    for c in range(3):
        s.spot[c] = s.near.middle(c)
    return s.centre[objective] <= cut(s)


@native
def between(s: SearchMemory, a: int, b: int) -> float:
    """The distance of two solutions in space."""
    square = 0.0
    for c in range(3):
        square += (s.place[a].middle(c) - s.place[b].middle(c)) ** 2
    return np.sqrt(square)
