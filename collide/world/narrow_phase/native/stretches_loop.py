"""Two bodies in flight over a stretch of time, for `bounding_trees_loop`: how their centres come together, and how they turn.

In a stretch a rotation is R + s R' + s^2 R'' / 2, with R and R' of its beginning and R'' enclosed, s being the time from its beginning on.
So of two points, each fixed to one of the bodies at a place a or b about its centre, the difference is d(s) = D + s V + s^2 g / 2, with D
and V made of a, b, R and R', up to an error of E + s^2 A / 2 at most.

Bounds of R'' and of what R and R' may be out come from a kernel; other sums and products are rounded, of which E has room for some hundred.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native
from codegen.machine.structures import LANES, Floats, Grid, Intervals, Ints, Rows, Structure, array

from ...shapes.margins import ROUNDINGS, WIDER

# Entries of a rotation. So many stretches have their lanes at once, each two: for its beginning, and for all of it. Effort only: there are
# so many at most.
_NINE, _AT_ONCE, STRETCHES = 9, LANES // 2, 32
# Of a flight: its beginning, the centre, the velocity and the acceleration, and the sizes of the largest coordinates of these.
_START, _CENTRE, _VELOCITY, _ACCELERATION, _LARGEST = 0, 1, 4, 7, 10
# Products and sums of some ten terms are rounded: by less than this share of the sum of their sizes.
_ROUNDING = 1e-14
# More than sqrt(1 / 2): rotations are so but for some roundings.
_SPINNING = 0.7072


class StretchesMemory(Structure):
    """Bodies 0 and 1. `turning`: kernels of their rotations and of the first two derivatives, with `numbers`, the addresses of theirs; 0 of
    a body that looks the same however it turns, or does not turn, whose rotation is in `still`.
    """

    stretches: int
    ends: Floats = array(33)            # of stretches of time, one more than these
    flight: Grid[float] = array(2, 13)
    turning: Ints = array(2)
    numbers: Ints = array(2)
    still: Grid[float] = array(2, 9)
    reach: Floats = array(2)            # no place about the centre is farther from that
    clock: Intervals = array(1, 2, LANES)
    rotation: Rows[Intervals] = array(2, 27, 2, LANES)
    # the present stretch
    last: float                         # its end, from its beginning on
    error: float                        # E
    bend: float                         # A
    drift: float                        # V may be so far out
    place: Floats = array(9)            # of the centre of body 1 as seen from that of body 0: where it is, its velocity and acceleration
    turn: Floats = array(36)            # R and R' of both bodies
    whirl: Floats = array(2)            # bounds of the size of the derivatives of rotations
    pace: Floats = array(2)             # no point moves faster by the turn, against its distance from the centre, as the stretch begins,
    jerk: Floats = array(2)             # and that grows no faster
    skew: Floats = array(2)             # how far rotations may be from what is computed of them


@native
def put_stretch(s: StretchesMemory, k: int) -> None:
    """Make stretch k the present one; those before it were."""
    begin, end = s.ends[k], s.ends[k + 1]
    if k % _AT_ONCE == 0:
        for j in range(_AT_ONCE):
            first = min(k + j, s.stretches - 1)
            s.clock.put(0, j, s.ends[first], s.ends[first])
            s.clock.put(0, _AT_ONCE + j, s.ends[first], s.ends[first + 1])
        for side in range(2):
            if s.turning[side] != 0:
                call_kernel(s.turning[side], s.clock, s.numbers[side], s.rotation[side])
    s.last, s.error, s.bend, s.drift = end - begin, 0.0, 0.0, 0.0
    for i in range(9):
        s.place[i] = 0.0
    sizes, until = 0.0, abs(end)
    for side in range(2):
        put_path(s, side, begin, end)
        sizes += put_turn(s, side, k % _AT_ONCE, until)
    sizes += over(s, total(s, 0), total(s, 3), total(s, 6))
    s.error = (s.error + _ROUNDING * sizes) * WIDER
    s.drift = (s.drift + _ROUNDING * (total(s, 3) + s.last * total(s, 6))) * WIDER
    s.bend *= WIDER


@native
def put_path(s: StretchesMemory, side: int, begin: float, end: float) -> None:
    """Put the position of the centre of a body as the stretch begins, its motion, and by how much these may be out."""
    flown, sign = begin - s.flight[side, _START], 1.0 if side == 1 else -1.0
    half = flown * flown / 2.0
    for i in range(3):
        centre, velocity, acceleration = s.flight[side, _CENTRE + i], s.flight[side, _VELOCITY + i], s.flight[side, _ACCELERATION + i]
        s.place[i] += sign * (centre + flown * velocity + half * acceleration)
        s.place[3 + i] += sign * (velocity + flown * acceleration)
        s.place[6 + i] += sign * acceleration
    place, speed, force = s.flight[side, _LARGEST], s.flight[side, _LARGEST + 1], s.flight[side, _LARGEST + 2]
    tau = max(abs(flown), abs(end - s.flight[side, _START]))
    # As in `broad_phase.boxes.sizes`; it is out by ten times so many roundings, and counts twice.
    places = place + tau * speed + tau * tau * force + (abs(end) + tau) * speed
    s.error += 20.0 * ROUNDINGS * over(s, places, speed + abs(flown) * force, force)
    s.drift += 20.0 * ROUNDINGS * (speed + tau * force)


@native
def total(s: StretchesMemory, first: int) -> float:
    return abs(s.place[first]) + abs(s.place[first + 1]) + abs(s.place[first + 2])


@native
def over(s: StretchesMemory, place: float, speed: float, force: float) -> float:
    """The distance that a motion goes in the stretch, at most, that has these sizes of its place, velocity and acceleration."""
    return place + s.last * (speed + 0.5 * s.last * force)


@native
def put_turn(s: StretchesMemory, side: int, lane: int, until: float) -> float:
    """R and R' of a body, and by how much these may be out; the size of what is made of them."""
    first, second, third, speed = ROUNDINGS, 0.0, 0.0, 0.0
    if s.turning[side] == 0:
        for i in range(_NINE):
            s.turn[18 * side + i], s.turn[18 * side + _NINE + i] = s.still[side, i], 0.0
    else:
        rotation = s.rotation[side]
        for k in range(2 * _NINE):
            s.turn[18 * side + k] = rotation.middle(k, lane)
        first, second = 0.5 * length(rotation, 0, lane, 0), 0.5 * length(rotation, _NINE, lane, 0)
        third, speed = length(rotation, 2 * _NINE, _AT_ONCE + lane, 1), length(rotation, _NINE, lane, 2)
    s.whirl[side], s.skew[side] = speed + s.last * third, over(s, first, second, third)
    # The derivative of a rotation is a cross product with the spin, of whose size that length is the square root of 2 times, after it.
    s.pace[side], s.jerk[side] = _SPINNING * speed + second, third
    reach = s.reach[side]
    s.error += reach * (first + s.last * second + ROUNDINGS * until * speed)
    s.bend += reach * third
    s.drift += reach * (second + ROUNDINGS * (until * third + speed))
    return reach * (2.0 + s.last * speed)


@native
def length(rotation: Intervals, first: int, lane: int, what: int) -> float:
    """The length of nine entries in a row as a vector, and a little more: 0 of their widths, 1 of the greatest sizes in them, 2 of their
    middles.
    """
    found = 0.0
    for k in range(first, first + _NINE):
        entry = abs(rotation.middle(k, lane))
        if what == 0:
            entry = rotation.width(k, lane)
        elif what == 1:
            entry = rotation.magnitude(k, lane)
        found += entry * entry
    return np.sqrt(found) * WIDER
