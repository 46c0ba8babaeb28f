"""Samples spread evenly over a curve or surface of contacts: from one sample to the next, at the distance `separation`.

At a sample the rows have a Jacobian of short rank: its kernel (at a fixed objective) is tangent to the set of contacts. A
step along it, and a local solve from there, lead to the next sample. A curve is followed both ways; where its ends come
closer than two steps, one sample halves what is left between them. On a surface the six neighbours in a lattice of
equilateral triangles are tried, which fits up to curvature. All this is ordinary arithmetic: it only supplies candidates
for `prove`, in a good order, and what it misses the search samples later.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .boxes import cut, lower, period, too_late, upper
from .layout import (
    EXISTS,
    IMAGE,
    LABEL,
    LANES,
    LEFT_OUT,
    MENDING,
    OBJECTIVE,
    PARAMETERS,
    POINT,
    ROWS,
    SEPARATION,
    SOLUTIONS,
    STRIDE,
    VARIABLES,
    WALKED,
)
from .prove import prove
from .queue import attribute
from .sample import load_reached, solve_locally
from .solutions import image_of, shared_image
from .tangents import NO_SLOPE, find_kernel

# The step of a difference quotient.
_SMALL = 1e-5
# Lengths of a step against what was wanted: the shortest and longest that will do. How often a step is tried.
_SHORTEST, _LONGEST, _TRIALS = 0.95, 1.05, 4
# How near another sample may be, against the separation, and where a gap between two ends of a curve is large enough
# for one more.
_NEAR, _GAP = 0.8, 1.05
# Likewise, against half the separation, beside a sample that is left out: in a gap of a curve; on a surface in wide gaps only.
_NEAR_CURVE, _NEAR_SURFACE = 0.9, 1.5
# Of 60 degrees.
_SINE = 0.8660254037844386


@native
def walk(s):
    """Sample round the next solution that was not yet walked from.

    A sample that is left out for a better one, up to half a separation from it, would leave a gap of three halves: so beside it half
    steps are taken.
    """
    k = s.count[WALKED]
    s.count[WALKED] = k + 1
    if s.kind[k] == EXISTS and s.count[MENDING] == 0:
        sample_round(s, k, s.real[SEPARATION])
    elif s.kind[k] == LEFT_OUT:
        sample_round(s, k, 0.5 * s.real[SEPARATION])


@native
def sample_round(s, k, distance):
    """Samples at a distance from sample k, where no other one is near."""
    p = s.owner[k]
    if attribute(s, p, IMAGE) == 0 or attribute(s, p, POINT) == 0 or attribute(s, p, OBJECTIVE) < 0:
        return
    n = attribute(s, p, VARIABLES)
    if attribute(s, p, ROWS) < n or not s.real[SEPARATION] < 1e300 or too_late(s, p, s.found, k):
        return
    for j in range(n):
        s.base[j] = 0.5 * (lower(s, s.found, k, j) + upper(s, s.found, k, j))
    if find_kernel(s, p):
        free = orthonormal(s, p)
        if free > 0:
            aim(s, p, k, free, distance)
            follow(s, p, k, free)


# -- tangents -----------------------------------------------------------------------------------------------------


@native
def orthonormal(s, p):
    """Scale the vectors in `along` to move the point in space by one and at right angles to each other, their images in
    `heading`; how many of them move it at all.
    """
    n, free = attribute(s, p, VARIABLES), 0
    differentiate(s, p)
    for q in range(2):
        if q == 1 and free == 1:
            share = product(s, 0, 1)
            for j in range(n):
                s.along[n + j] -= share * s.along[j]
            for c in range(3):
                s.heading[3 + c] -= share * s.heading[c]
        length = np.sqrt(product(s, q, q))
        if length > NO_SLOPE * s.real[SEPARATION]:
            for j in range(n):
                s.along[free * n + j] = s.along[q * n + j] / length
            for c in range(3):
                s.heading[3 * free + c] = s.heading[3 * q + c] / length
            free += 1
    return free


@native
def product(s, a, b):
    """The scalar product of two vectors in `heading`."""
    return s.heading[3 * a] * s.heading[3 * b] + s.heading[3 * a + 1] * s.heading[3 * b + 1] + s.heading[3 * a + 2] * s.heading[3 * b + 2]


@native
def differentiate(s, p):
    """How the point in space moves along the vectors in `along`, into `heading`, and where it is, into `spot`."""
    n = attribute(s, p, VARIABLES)
    for lane in range(LANES):
        for j in range(n):
            step = _SMALL * s.along[(lane - 1) * n + j] if 1 <= lane <= 2 else 0.0
            s.X[2 * j * LANES + lane] = -(s.base[j] + step)
            s.X[(2 * j + 1) * LANES + lane] = s.base[j] + step
    call_kernel(attribute(s, p, IMAGE), s.X, attribute(s, p, PARAMETERS), s.image)
    for lane in range(3):
        shared_image(s, lane, s.near, 0)
        for c in range(3):
            middle = 0.5 * (s.near[2 * c] + s.near[2 * c + 1])
            if lane == 0:
                s.spot[c] = middle
            else:
                s.heading[3 * (lane - 1) + c] = (middle - s.spot[c]) / _SMALL


# -- steps --------------------------------------------------------------------------------------------------------


@native
def aim(s, p, k, free, distance):
    """Directions for the steps, as long as the distance, from solution k, as combinations of the vectors in `along`: both ways along a
    curve; on a surface at angles of 60 degrees, one of them towards the nearest sample.
    """
    toward, across = 1.0, 0.0
    other = nearest(s, p, k)
    if free == 2 and other >= 0:
        for c in range(3):
            s.near[c] = 0.5 * (s.place[6 * other + 2 * c] + s.place[6 * other + 2 * c + 1]) - s.spot[c]
        a = s.near[0] * s.heading[0] + s.near[1] * s.heading[1] + s.near[2] * s.heading[2]
        b = s.near[0] * s.heading[3] + s.near[1] * s.heading[4] + s.near[2] * s.heading[5]
        length = np.sqrt(a * a + b * b)
        if length > 0.0:
            toward, across = a / length, b / length
    for lane in range(LANES):
        cosine = (1.0, -1.0)[lane % 2] if free == 1 else (1.0, 0.5, -0.5, -1.0, -0.5, 0.5, 1.0, 1.0)[lane]
        sine = 0.0 if free == 1 else _SINE * (0.0, 1.0, 1.0, 0.0, -1.0, -1.0, 0.0, 0.0)[lane]
        s.aim[2 * lane] = toward * cosine - across * sine
        s.aim[2 * lane + 1] = toward * sine + across * cosine
        s.trial[lane] = 1 if lane < (2 if free == 1 else 6) else 0
        s.pace[lane] = distance
        s.goal[lane] = distance


@native
def nearest(s, p, k):
    """The sample nearest to `spot`, of those that count near number k; -1 for none."""
    best, chosen = np.inf, -1
    for other in range(s.count[SOLUTIONS]):
        if counts(s, p, k, other) and distance_squared(s, other) < best:
            best, chosen = distance_squared(s, other), other
    return chosen


@native
def counts(s, p, k, other):
    """Is it another sample of problem p? Near a sample k that is left out all others of the two bodies count."""
    q = s.owner[other]
    mine = s.kind[other] == EXISTS and q == p
    if s.kind[k] == LEFT_OUT:
        mine = s.kind[other] >= EXISTS and attribute(s, q, LABEL) == attribute(s, p, LABEL)
    return mine and other != k and not too_late(s, q, s.found, other)


@native
def gap_at(s, p, k, other):
    """The gap in which `spot` lies, between sample `other` and the nearest one on the opposite side."""
    best = np.inf
    for third in range(s.count[SOLUTIONS]):
        if counts(s, p, k, third):
            side = 0.0
            for c in range(3):
                side += (centre_of(s, third, c) - s.spot[c]) * (centre_of(s, other, c) - s.spot[c])
            if side < 0.0:
                best = min(best, distance_squared(s, third))
    return np.sqrt(best) + np.sqrt(distance_squared(s, other))


@native
def centre_of(s, k, c):
    """Coordinate c of solution k."""
    return 0.5 * (s.place[6 * k + 2 * c] + s.place[6 * k + 2 * c + 1])


@native
def distance_squared(s, k):
    """From `spot` to solution k."""
    square = 0.0
    for c in range(3):
        square += (0.5 * (s.place[6 * k + 2 * c] + s.place[6 * k + 2 * c + 1]) - s.spot[c]) ** 2
    return square


@native
def follow(s, p, k, free):
    """Take the steps of all lanes, and shorten or lengthen them until they end at the wanted distance."""
    n = attribute(s, p, VARIABLES)
    for _ in range(_TRIALS):
        busy = False
        for lane in range(LANES):
            busy = busy or s.trial[lane] != 0
            for j in range(n):
                step = s.pace[lane] * (s.aim[2 * lane] * s.along[j] + s.aim[2 * lane + 1] * s.along[n + j])
                s.point[j * LANES + lane] = within(s, p, j, s.base[j] + step)
        if not busy:
            return
        solve_locally(s, p)
        for lane in range(LANES):
            s.trial[lane] = s.trial[lane] if s.flag[lane] > 0.5 else 0
            for j in range(n):
                s.reached[s.count[STRIDE] * lane + j] = s.point[j * LANES + lane]
        for lane in range(LANES):
            if s.trial[lane] != 0:
                judge(s, p, k, lane, free)


@native
def within(s, p, j, x):
    """x in the domain of variable j; a periodic variable wraps."""
    lo, hi = lower(s, s.inner, p, j), upper(s, s.inner, p, j)
    if x < lo:
        x += period(s, p, j)
    elif x > hi:
        x -= period(s, p, j)
    return min(max(x, lo), hi)


@native
def judge(s, p, k, lane, free):
    """Accept the point that a lane reached, or set the length of its next step, or give it up."""
    if not timely(s, p, lane):
        s.trial[lane] = 0
        return
    length = np.sqrt(distance_squared(s, k))
    if not _SHORTEST * s.goal[lane] <= length <= _LONGEST * s.goal[lane]:
        s.pace[lane] *= min(max(s.goal[lane] / length, 0.25), 2.0) if length > 0.0 else 2.0
        return
    other = nearest(s, p, k)
    apart = _NEAR if s.kind[k] != LEFT_OUT else (_NEAR_CURVE if free == 1 else _NEAR_SURFACE)
    near = other >= 0 and distance_squared(s, other) < (apart * s.goal[lane]) ** 2
    if s.kind[k] == LEFT_OUT and free == 1 and other >= 0 and not near:
        near = gap_at(s, p, k, other) <= _GAP * s.real[SEPARATION]
    s.trial[lane] = 0
    if not near:
        prove(s, p, True)
    elif free == 1 and s.goal[lane] == s.real[SEPARATION]:
        gap = between(s, k, other)
        if gap > _GAP * s.real[SEPARATION]:
            s.goal[lane] = 0.5 * gap
            s.pace[lane] *= 0.5 * gap / length
            s.trial[lane] = 1


@native
def timely(s, p, lane):
    """The point that a lane reached into `centre`, its place into `spot`; is it early enough?"""
    objective = attribute(s, p, OBJECTIVE)
    load_reached(s, p, lane)
    image_of(s, p, s.tight, 0, s.near, 0)
    for c in range(3):
        s.spot[c] = 0.5 * (s.near[2 * c] + s.near[2 * c + 1])
    return s.centre[objective] <= cut(s)


@native
def between(s, a, b):
    """The distance of two solutions in space."""
    square = 0.0
    for c in range(3):
        at = 0.5 * (s.place[6 * a + 2 * c] + s.place[6 * a + 2 * c + 1])
        square += (at - 0.5 * (s.place[6 * b + 2 * c] + s.place[6 * b + 2 * c + 1])) ** 2
    return np.sqrt(square)
