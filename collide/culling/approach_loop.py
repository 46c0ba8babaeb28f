"""Until when two parts are proved apart: the native loop of `broad_phase`.

A pair of parts goes on in time in steps that grow where the two are proved apart throughout, and shrink where they are not: by balls round
moving centres, or by cells of the parts in a frame that turns with either of them. The loop decides freely which windows are tried. What is
claimed of a window rests on bounds made by kernels, and on comparisons of these; `balls_meet` bounds the rounding of its own.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

LANES, ENTRIES = 8, 12

FIELDS = {
    "count": int,     # (COUNTS,)
    "part": int,      # (parts, COLUMNS)
    "radius": float,  # (parts,): of the balls
    "pair": int,      # (pairs, 2)
    "time": float,    # (pairs,): up to here, or backward down to here, a pair is proved apart
    "goal": float,    # (pairs,)
    "step": float,    # (pairs,): the first one
    "grid": float,    # (blocks, 3, 2, LANES): cells of parts that deform, in their parameters; and room for the time
    "clock": float,   # (2, LANES)
    "motion": float,  # (2, ENTRIES, 2, LANES): rotations, row by row, and translations
    "frame": float,   # (9, 2, LANES): a matrix
    "turned": float,  # (2, ENTRIES, 2, LANES): both motions times this matrix
    "cell": float,    # (3, 2, LANES)
    "image": float,   # (2, blocks, 3, 2, LANES): where the cells are
}  # fmt: skip

# Kernels that carry points and that turn motions (see `approach`); whether time runs backward; tries, and halvings of the first step,
# before a pair is left; addresses of arrays; the length of half of `image`.
RIGID, TURN, BACKWARD, TRIES, FINEST, GRIDS, MOTIONS, TURNS, CELL, IMAGES, STRIDE, COUNTS = range(12)
# Of a part: the kernel of its motion and the numbers of that; its centre; how many cells, and where they are, if it does not deform; else
# the kernel of its shape, with numbers, and its first block in `grid`.
MOVE, NUMBERS, CENTRE, CELLS, RESTING, SHAPE, SHAPE_NUMBERS, GRID, COLUMNS = range(9)
# Numbers of three intervals, and of a motion.
_POINT, _MOTION = 3 * 2 * LANES, ENTRIES * 2 * LANES

# Distances are compared in ordinary arithmetic: fewer than 2^5 operations of relative error 2^-53 each. A rotation given as a matrix may
# be off by 1e-12 of a length. Both stay within this margin. Squares of what is no shorter than _TINY do not underflow.
MARGIN, _TINY = 1.0 + 2.0**-36, 2.0**-500
_LONGER, _SHORTER, _LARGEST = 2.0, 0.25, 1e300


@native
def approach(s, pairs):
    """Move the times of all pairs on; a pair is left at its goal, or where steps are too short."""
    for k in range(pairs):
        step, shortest, tries = s.step[k], s.step[k], 0
        for _ in range(s.count[FINEST]):
            shortest *= 0.5
        while tries < s.count[TRIES] and step >= shortest and s.time[k] != s.goal[k]:
            tries += 1
            step *= _LONGER if advanced(s, k, step) else _SHORTER
    return 0


@native
def advanced(s, k, step):
    """Is a pair proved apart for one step more?"""
    a, b = s.pair[2 * k], s.pair[2 * k + 1]
    if s.count[BACKWARD] != 0:
        until = max(s.time[k] - step, s.goal[k])
        gone = apart(s, a, b, until, s.time[k])
    else:
        until = min(s.time[k] + step, s.goal[k])
        gone = apart(s, a, b, s.time[k], until)
    if gone:
        s.time[k] = until
    return gone


@native
def apart(s, a, b, begin, end):
    """Are two parts proved apart throughout a window of time?"""
    for lane in range(LANES):
        s.clock[lane], s.clock[LANES + lane] = -begin, end
    first, second = COLUMNS * a, COLUMNS * b
    call_kernel(s.part[first + MOVE], s.clock, s.part[first + NUMBERS], s.count[MOTIONS])
    call_kernel(s.part[second + MOVE], s.clock, s.part[second + NUMBERS], s.count[MOTIONS] + 8 * _MOTION)
    if not balls_meet(s, a, b):
        return True
    for side in range(2):
        turn(s, side)
        place(s, first, 0)
        place(s, second, 1)
        if cells_apart(s, s.part[first + CELLS], s.part[second + CELLS]):
            return True
    return False


@native
def balls_meet(s, a, b):
    """May the balls round the moving centres R O + T meet? (Snyder 1993, Section 6; the printed formula omits R.)"""
    reach = max((s.radius[a] + s.radius[b]) * MARGIN, _TINY)
    if not reach < np.inf:
        return True
    call_kernel(s.count[RIGID], s.count[MOTIONS], s.part[COLUMNS * a + CENTRE], s.count[IMAGES])
    call_kernel(s.count[RIGID], s.count[MOTIONS] + 8 * _MOTION, s.part[COLUMNS * b + CENTRE], s.count[IMAGES] + 8 * s.count[STRIDE])
    square = 0.0
    for k in range(3):
        p = 2 * LANES * k
        q = s.count[STRIDE] + p
        gap = max(0.0, max(-s.image[p] - s.image[q + LANES], -s.image[q] - s.image[p + LANES]))
        square += gap * gap
    return not square > reach * reach


@native
def turn(s, side):
    """Both motions times a matrix, about the inverse of the rotation of one: where the images of points by it differ, so do the points,
    whatever the matrix.
    """
    for i in range(3):
        for j in range(3):
            at = side * _MOTION + 2 * LANES * (3 * j + i)
            value = 0.5 * (s.motion[at + LANES] - s.motion[at])
            if not abs(value) < _LARGEST:
                value = 0.0
            for lane in range(LANES):
                at = 2 * LANES * (3 * i + j) + lane
                s.frame[at], s.frame[at + LANES] = -value, value
    call_kernel(s.count[TURN], s.frame, s.motion, s.turned)


@native
def place(s, part, side):
    """The images of the cells of a part."""
    motion, image = s.count[TURNS] + 8 * side * _MOTION, s.count[IMAGES] + 8 * side * s.count[STRIDE]
    for k in range((s.part[part + CELLS] + LANES - 1) // LANES):
        at = s.part[part + RESTING] + 8 * _POINT * k
        if s.part[part + SHAPE] != 0:
            deform(s, part, s.part[part + GRID] + k)
            at = s.count[CELL]
        call_kernel(s.count[RIGID], motion, at, image + 8 * _POINT * k)


@native
def deform(s, part, block):
    """Cells of a part that deforms, in the window of `clock`."""
    for k in range(2 * LANES):
        s.grid[_POINT * block + 4 * LANES + k] = s.clock[k]
    call_kernel(s.part[part + SHAPE], s.count[GRIDS] + 8 * _POINT * block, s.part[part + SHAPE_NUMBERS], s.count[CELL])


@native
def cells_apart(s, first, second):
    """Do no two images of cells share a point?"""
    for i in range(first):
        p = i // LANES * _POINT + i % LANES
        for j in range(second):
            q = s.count[STRIDE] + j // LANES * _POINT + j % LANES
            separate = False
            for k in range(3):
                low, high = 2 * LANES * k, 2 * LANES * k + LANES
                if -s.image[p + low] > s.image[q + high] or -s.image[q + low] > s.image[p + high]:
                    separate = True
                    break
            if not separate:
                return False
    return True
