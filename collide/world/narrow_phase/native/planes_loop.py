"""The native loop of `narrow_phase.separating_planes`: how long planes separate two moving bodies of corners, step by step.

Of a time on, each corner is at X + r V + r^2 W / 2 after a time r, with W in an enclosure of its second derivative over a window of time
(Taylor's theorem). Along a direction N + r N', which is that of a face of one body, or across an edge of each, as they turn at first, the
corner is at
    N X + r (N V + N' X) + r^2 (N' V + N W / 2 + r N' W / 2).
Of two corners the difference of these is at least g + h r - k r^2, k >= 0. As long as that is positive for all pairs of corners, a plane
across the direction is between the bodies, and between all that is in the hulls of their corners. Of all directions, the one that lasts
longest is taken, for the longest of some windows in which it does, and from its end on the next step is made.

Motions and their derivatives are enclosed by kernels. Other sums and products have less than 32 roundings each, of relative error 2^-53;
what these may come to is part of the `error`, by which bodies must be further apart.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native
from codegen.machine.structures import LANES, Floats, Grid, Intervals, Ints, Rows, Structure, array

from ...motion.pose_kernels import ROWS

FINISHED, NEAR, TIRED = 0, 1, 2
# Lane 0 is the beginning, the others are windows from there on, each a quarter of the one before.
WINDOWS, _SHORTER = LANES - 1, 0.25
_ROUNDING, _WIDER = 32.0 * 2.0**-53, 1.0 + 2.0**-20
# Roots of parabolas are shortened by so much before they are looked at.
_SOONER = 1.0 - 2.0**-20
# Effort: so many steps; and the next one looks at so many times as much as the last one came to at most.
_STEPS, _FURTHER = 400, 1024.0
# Directions of edges that are parallel but for so much say nothing. Effort only.
_PARALLEL = 1e-9


class PlanesMemory(Structure):
    """Bodies 0 and 1. `moving`: kernels of their motions and of the first two derivatives, with `numbers`, the addresses of theirs; 0 of a
    body that does not move, whose place the caller puts into `pose`.
    """

    first: int                          # corners of body 0; those of body 1 come after
    corners: int
    normals: int                        # directions: normals of both bodies; then edges of body 0; then those of body 1
    own: int                            # normals of body 0
    edges: int                          # normals, and edges of body 0
    axes: int
    corner: Grid[float] = array("corners", 3)
    axis: Grid[float] = array("axes", 3)
    reach: Floats = array(2)            # no corner is farther from the origin of its coordinates
    moving: Ints = array(2)
    numbers: Ints = array(2)
    clock: Intervals = array(1, 2, LANES)
    pose: Rows[Intervals] = array(2, 36, 2, LANES)
    now: float                          # proved so far
    end: float
    allowed: float                      # until they are apart, they may be so deep in each other
    stride: float                       # as long as it is, steps are no longer, and four times as long each time
    apart: float                        # since when they are proved apart
    gap: float                          # the greatest at `now`, and its direction from body 0 to body 1
    best: Floats = array(3)
    error: float
    slips: float                        # the error of velocities
    pace: float                         # of any corners, and how it grows
    pull: float
    width: Floats = array(7)            # of windows
    known: Ints = array(7)              # whether second derivatives are bounded there
    at: Grid[float] = array("corners", 3)
    speed: Grid[float] = array("corners", 3)
    bent: Grid[float] = array(7, "corners", 4)  # the middle of the second derivative, and how far it may be from that
    way: Floats = array(6)              # N and N'
    alpha: Floats = array("corners")
    beta: Floats = array("corners")
    kappa: Floats = array("corners")
    omega: Floats = array("corners")


@native
def parting(s: PlanesMemory) -> int:
    """Goes on to the end, or until it is not told that the bodies are apart, or they come near each other; why it stopped."""
    rest, s.gap = s.end - s.now, -np.inf
    for _ in range(_STEPS):
        put(s, min(s.end - s.now, rest if s.allowed == 0.0 else min(rest, s.stride)))
        step = longest(s)
        if s.allowed > 0.0 and s.gap > 2.0 * s.error:
            # From now on they are apart.
            s.allowed, s.apart, rest = 0.0, s.now, s.end - s.now
            continue
        whole = step > 0.0 and step >= s.width[0]
        if not (whole or step * (s.pace + step * s.pull) > 0.25 * s.error):
            return NEAR
        s.stride *= 4.0
        rest = _FURTHER * step
        s.now = s.clock.hi(0, 1) if whole else min(s.now + step, s.end)
        if s.now >= s.end:
            return FINISHED
    return TIRED


@native
def put(s: PlanesMemory, rest: float) -> None:
    """Put the positions of corners now, and their motions in windows of at most so long a time."""
    s.clock.put(0, 0, s.now, s.now)
    for k in range(WINDOWS):
        until = min(s.now + rest, s.end)
        s.clock.put(0, 1 + k, s.now, until)
        s.width[k], s.known[k] = until - s.now, 1
        rest *= _SHORTER
    s.error, s.slips, s.pace, s.pull, sizes = 0.0, 0.0, 0.0, 0.0, 0.0
    for side in range(2):
        if s.moving[side] != 0:
            call_kernel(s.moving[side], s.clock, s.numbers[side], s.pose[side])
        pose, reach = s.pose[side], s.reach[side]
        place, pace = length(pose, 9, 3, 0, 2), length(pose, ROWS + 9, 3, 0, 2) + reach * length(pose, ROWS, 9, 0, 2)
        s.error += length(pose, 9, 3, 0, 0) + reach * length(pose, 0, 9, 0, 0) + _ROUNDING * (place + reach)
        s.slips += length(pose, ROWS + 9, 3, 0, 0) + reach * length(pose, ROWS, 9, 0, 0) + _ROUNDING * pace
        s.pace += pace
        s.pull += length(pose, 2 * ROWS + 9, 3, 0, 2) + reach * length(pose, 2 * ROWS, 9, 0, 2)
        sizes += place
    # Times are rounded, too; and differences of places on both sides.
    s.error = (s.error + _ROUNDING * (sizes + s.pace * abs(s.now))) * _WIDER
    s.slips *= _WIDER
    for i in range(s.corners):
        put_corner(s, i, 0 if i < s.first else 1)


@native
def put_corner(s: PlanesMemory, i: int, side: int) -> None:
    """Put a corner as seen from the centre of body 0 now."""
    pose = s.pose[side]
    for j in range(3):
        at, speed = pose.middle(9 + j, 0) - s.pose[0].middle(9 + j, 0), pose.middle(ROWS + 9 + j, 0)
        for m in range(3):
            at += pose.middle(3 * j + m, 0) * s.corner[i, m]
            speed += pose.middle(ROWS + 3 * j + m, 0) * s.corner[i, m]
        s.at[i, j], s.speed[i, j] = at, speed
    for k in range(WINDOWS):
        far = 0.0
        for j in range(3):
            bent, wide = pose.middle(2 * ROWS + 9 + j, 1 + k), 0.5 * pose.width(2 * ROWS + 9 + j, 1 + k)
            for m in range(3):
                bent += pose.middle(2 * ROWS + 3 * j + m, 1 + k) * s.corner[i, m]
                wide += 0.5 * pose.width(2 * ROWS + 3 * j + m, 1 + k) * abs(s.corner[i, m])
            s.bent[k, i, j] = bent
            far += wide * wide
        s.bent[k, i, 3] = np.sqrt(far) * _WIDER
        if not far < np.inf:
            s.known[k] = 0


@native
def length(pose: Intervals, first: int, count: int, lane: int, what: int) -> float:
    """The length of some entries in a row as a vector, and a little more: 0 of half their widths, 2 of the greatest sizes in them."""
    found = 0.0
    for k in range(first, first + count):
        entry = 0.5 * pose.width(k, lane) if what == 0 else pose.magnitude(k, lane)
        found += entry * entry
    return np.sqrt(found) * _WIDER


@native
def longest(s: PlanesMemory) -> float:
    """The longest time for which any direction is known to part the bodies."""
    best, s.gap = 0.0, -np.inf
    for a in range(s.normals):
        along(s, a)
        best = parts(s, best)
    for a in range(s.normals, s.edges):
        for b in range(s.edges, s.axes):
            if across(s, a, b):
                best = parts(s, best)
    return best


@native
def along(s: PlanesMemory, a: int) -> None:
    """A normal as its body turns."""
    pose = s.pose[0 if a < s.own else 1]
    for j in range(3):
        way, turns = 0.0, 0.0
        for m in range(3):
            way += pose.middle(3 * j + m, 0) * s.axis[a, m]
            turns += pose.middle(ROWS + 3 * j + m, 0) * s.axis[a, m]
        s.way[j], s.way[3 + j] = way, turns


@native
def across(s: PlanesMemory, a: int, b: int) -> bool:
    """Across two edges as both bodies turn, if they are not parallel."""
    square = 0.0
    for j in range(3):
        k, m = (j + 1) % 3, (j + 2) % 3
        s.way[j] = edge(s, 0, a, k, 0) * edge(s, 1, b, m, 0) - edge(s, 0, a, m, 0) * edge(s, 1, b, k, 0)
        square += s.way[j] * s.way[j]
        s.way[3 + j] = (edge(s, 0, a, k, ROWS) * edge(s, 1, b, m, 0) - edge(s, 0, a, m, ROWS) * edge(s, 1, b, k, 0)
                        + edge(s, 0, a, k, 0) * edge(s, 1, b, m, ROWS) - edge(s, 0, a, m, 0) * edge(s, 1, b, k, ROWS))
    size = np.sqrt(square)
    if not size > _PARALLEL:
        return False
    for j in range(6):
        s.way[j] /= size
    return True


@native
def edge(s: PlanesMemory, side: int, a: int, j: int, row: int) -> float:
    """A coordinate of the direction of an edge in the world, or of its derivative."""
    pose = s.pose[side]
    return (pose.middle(row + 3 * j, 0) * s.axis[a, 0] + pose.middle(row + 3 * j + 1, 0) * s.axis[a, 1]
            + pose.middle(row + 3 * j + 2, 0) * s.axis[a, 2])


@native
def parts(s: PlanesMemory, best: float) -> float:
    """The time for which the present direction is known to part the bodies, if that is longer than the best that is known; else that."""
    high, low, top, least = -np.inf, np.inf, -np.inf, np.inf
    for i in range(s.corners):
        e = s.way[0] * s.at[i, 0] + s.way[1] * s.at[i, 1] + s.way[2] * s.at[i, 2]
        if i < s.first:
            high, low = max(high, e), min(low, e)
        else:
            top, least = max(top, e), min(least, e)
    gap = least - high
    if low - top > gap:
        gap = low - top
        for j in range(6):
            s.way[j] = -s.way[j]
    if gap > s.gap:
        s.gap = gap
        for j in range(3):
            s.best[j] = s.way[j]
    if not gap + s.allowed > s.error:
        return best
    for k in range(WINDOWS):
        if s.width[k] > best and s.known[k] != 0:
            best = max(best, parts_in(s, k))
    return best


@native
def parts_in(s: PlanesMemory, k: int) -> float:
    """The time within a window for which the present direction is known to part the bodies."""
    rest, one, two = s.width[k], 0.0, 0.0
    for j in range(3):
        one += s.way[j] * s.way[j]
        two += s.way[3 + j] * s.way[3 + j]
    one, two = np.sqrt(one) * _WIDER, np.sqrt(two) * _WIDER
    for i in range(s.corners):
        at, speed, turned, drift, bent, curl, size = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(3):
            at += s.way[j] * s.at[i, j]
            turned += s.way[3 + j] * s.at[i, j]
            speed += s.way[j] * s.speed[i, j]
            drift += s.way[3 + j] * s.speed[i, j]
            bent += s.way[j] * s.bent[k, i, j]
            curl += s.way[3 + j] * s.bent[k, i, j]
            size += abs(s.bent[k, i, j])
        far = s.bent[k, i, 3]
        s.alpha[i], s.beta[i], s.kappa[i] = at, speed + turned, drift + 0.5 * bent
        s.omega[i] = (0.5 * far * one + 0.5 * rest * (abs(curl) + two * far)
                      + _ROUNDING * (two * s.pace + one * size + rest * two * size)) * _WIDER
    error = ((one + rest * two) * (s.error + rest * s.slips)) * _WIDER - s.allowed
    for i in range(s.first):
        for j in range(s.first, s.corners):
            g, h = s.alpha[j] - s.alpha[i] - error, s.beta[j] - s.beta[i]
            bend = max(0.0, s.kappa[i] - s.kappa[j] + s.omega[i] + s.omega[j])
            if not g > 0.0:
                return 0.0
            if not g + rest * (h - bend * rest) > 0.0:
                step = min(rest, _SOONER * 2.0 * g / (np.sqrt(h * h + 4.0 * bend * g) - h))
                # A parabola that is bent down and positive at two times is so in between.
                rest = step if g + step * (h - bend * step) > 0.0 else 0.0
    return rest
