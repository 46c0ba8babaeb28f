"""Lower bound of the time of contact of two parts: the native loop of `broad_phase`.

A pair of parts goes on in time in steps that grow where the two are proved apart throughout, or farther from each other than a distance,
and shrink where they are not: by balls round moving centres, or by cells of the parts in a frame that turns with either of them. The loop
decides freely which windows are tried. What is claimed of a window rests on bounds made by kernels, and on comparisons of these;
`balls_meet` and `cells_far` bound the rounding of their own.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native
from codegen.machine.structures import LANES, Floats, Grid, Intervals, Row, Rows, Structure, Table, array, table

ENTRIES = 12


class MovingPart(Row):
    """A part of a body: the kernel of its motion with numbers, its centre, its cells; the kernel of its shape, with numbers, if it deforms,
    or 0: its cells are in parameters then, with room for the time.
    """

    move: int
    numbers: int
    centre: int
    cells: int
    first: int                     # block of `grid`
    shape: int
    shape_numbers: int
    radius: float                  # of the ball round the centre


class ApproachMemory(Structure):
    unset, quick = ("grids", "images"), True

    part: Table[MovingPart] = table("parts")
    pairs: int
    blocks: int                    # the most of a part
    rigid: int                     # kernels that carry points and that turn motions (see `approach`)
    turn: int
    closely: int                   # 1 where balls are compared with cells, too
    backward: int                  # 1 where time runs backward
    required: float                # pairs are apart that are farther from each other than this
    tries: int                     # before a pair is left,
    finest: int                    # and halvings of the first step
    pair: Grid[int] = array("pairs", 2)
    time: Floats = array("pairs")  # up to here, or backward down to here, a pair is proved apart
    goal: Floats = array("pairs")
    step: Floats = array("pairs")  # the first one
    grid: Rows[Intervals] = array("grids", 3, 2, LANES)      # cells
    clock: Intervals = array(1, 2, LANES)
    motion: Rows[Intervals] = array(2, ENTRIES, 2, LANES)    # rotations, row by row, and translations
    frame: Intervals = array(9, 2, LANES)                    # a matrix
    around: Intervals = array(3, 2, LANES)                   # a box round all images of the first part
    turned: Rows[Intervals] = array(2, ENTRIES, 2, LANES)    # both motions times this matrix
    cell: Intervals = array(3, 2, LANES)
    image: Rows[Intervals] = array("images", 3, 2, LANES)    # where the cells are; those of the second part from `blocks` on


# Distances are compared in ordinary arithmetic: fewer than 2^5 operations of relative error 2^-53 each. A rotation given as a matrix may
# be off by 1e-12 of a length. Both stay within this margin. Squares of what is no shorter than _TINY do not underflow.
MARGIN, _TINY = 1.0 + 2.0**-36, 2.0**-500
# Effort: how steps grow and shrink; a matrix with entries beyond the last, whose products might overflow, is not used, since any will do.
_LONGER, _SHORTER, _LARGEST = 2.0, 0.25, 1e300


@native
def approach(s: ApproachMemory) -> int:
    """Move the times of all pairs on; a pair is left at its goal, or where steps are too short."""
    for k in range(s.pairs):
        step, shortest, tries = s.step[k], s.step[k], 0
        for _ in range(s.finest):
            shortest *= 0.5
        while tries < s.tries and step >= shortest and s.time[k] != s.goal[k]:
            tries += 1
            step *= _LONGER if advanced(s, k, step) else _SHORTER
    return 0


@native
def advanced(s: ApproachMemory, k: int, step: float) -> bool:
    """Whether a pair is proved apart for one step more."""
    a, b = s.part[s.pair[k, 0]], s.part[s.pair[k, 1]]
    if s.backward != 0:
        until = max(s.time[k] - step, s.goal[k])
        gone = apart(s, a, b, until, s.time[k])
    else:
        until = min(s.time[k] + step, s.goal[k])
        gone = apart(s, a, b, s.time[k], until)
    if gone:
        s.time[k] = until
    return gone


@native
def apart(s: ApproachMemory, a: MovingPart, b: MovingPart, begin: float, end: float) -> bool:
    """Whether two parts are proved apart throughout a window of time."""
    for lane in range(LANES):
        s.clock.put(0, lane, begin, end)
    call_kernel(a.move, s.clock, a.numbers, s.motion[0])
    call_kernel(b.move, s.clock, b.numbers, s.motion[1])
    if not balls_meet(s, a, b):
        return True
    for side in range(2):
        turn(s, s.motion[side])
        place(s, a, s.turned[0], 0)
        place(s, b, s.turned[1], s.blocks)
        if cells_far(s, a.cells, b.cells) if s.required > 0.0 else cells_apart(s, a.cells, b.cells):
            return True
        if s.closely != 0 and (ball_apart(s, a, s.turned[0], b.cells, s.blocks) or ball_apart(s, b, s.turned[1], a.cells, 0)):
            return True
    return False


@native
def balls_meet(s: ApproachMemory, a: MovingPart, b: MovingPart) -> bool:
    """Whether the balls round the moving centres R O + T may meet. (Snyder 1993, Section 6; the printed formula omits R.)"""
    reach = max((a.radius + b.radius + s.required) * MARGIN, _TINY)
    if not reach < np.inf:
        return True
    first, second = s.image[0], s.image[s.blocks]
    call_kernel(s.rigid, s.motion[0], a.centre, first)
    call_kernel(s.rigid, s.motion[1], b.centre, second)
    square = 0.0
    for k in range(3):
        gap = max(0.0, max(first.lo(k, 0) - second.hi(k, 0), second.lo(k, 0) - first.hi(k, 0)))
        square += gap * gap
    return not square > reach * reach


@native
def turn(s: ApproachMemory, motion: Intervals) -> None:
    """Both motions times a matrix, about the inverse of the rotation of one: where the images of points by it differ, so do the points,
    whatever the matrix.
    """
    for i in range(3):
        for j in range(3):
            value = motion.middle(3 * j + i, 0)
            if not abs(value) < _LARGEST:
                value = 0.0
            for lane in range(LANES):
                s.frame.put(3 * i + j, lane, value, value)
    call_kernel(s.turn, s.frame, s.motion[0], s.turned[0])


@native
def place(s: ApproachMemory, part: MovingPart, motion: Intervals, first: int) -> None:
    """The images of the cells of a part, from block `first` on."""
    for k in range((part.cells + LANES - 1) // LANES):
        cells = s.grid[part.first + k]
        if part.shape != 0:
            deform(s, part, cells)
            cells = s.cell
        call_kernel(s.rigid, motion, cells, s.image[first + k])


@native
def deform(s: ApproachMemory, part: MovingPart, cells: Intervals) -> None:
    """Cells of a part that deforms, in the window of `clock`."""
    for lane in range(LANES):
        cells.put(2, lane, s.clock.lo(0, lane), s.clock.hi(0, lane))
    call_kernel(part.shape, cells, part.shape_numbers, s.cell)


@native
def ball_apart(s: ApproachMemory, a: MovingPart, motion: Intervals, cells: int, first: int) -> bool:
    """Whether the ball of one part meets none of the images of cells, from block `first` on, of the other."""
    if not a.radius < np.inf:
        return False
    stretch, reach = lengthened(s), max((a.radius + s.required) * MARGIN, _TINY)
    call_kernel(s.rigid, motion, a.centre, s.cell)
    for j in range(cells):
        b, q, square = s.image[first + j // LANES], j % LANES, 0.0
        for k in range(3):
            gap = max(0.0, max(s.cell.lo(k, 0) - b.hi(k, q), b.lo(k, q) - s.cell.hi(k, 0)))
            square += gap * gap
        if not square > reach * reach * stretch * MARGIN:
            return False
    return True


@native
def lengthened(s: ApproachMemory) -> float:
    """The square of how much the matrix N of `frame` lengthens any vector at most: the greatest sum of absolute values in a row of N N^T.
    """
    stretch = 0.0
    for i in range(3):
        total = 0.0
        for j in range(3):
            product = 0.0
            for k in range(3):
                product += s.frame.hi(3 * i + k, 0) * s.frame.hi(3 * j + k, 0)
            total += abs(product)
        stretch = max(stretch, total)
    return stretch


@native
def cells_far(s: ApproachMemory, first: int, second: int) -> bool:
    """Whether all images of cells of the first part are farther from those of the second than `required`, before the matrix of `frame`."""
    reach = max(s.required * MARGIN, _TINY)
    far = reach * reach * lengthened(s) * MARGIN
    for j in range(second):
        b, q = s.image[s.blocks + j // LANES], j % LANES
        for i in range(first):
            a, p, square = s.image[i // LANES], i % LANES, 0.0
            for k in range(3):
                gap, other = a.lo(k, p) - b.hi(k, q), b.lo(k, q) - a.hi(k, p)
                if other > gap:
                    gap = other
                if gap > 0.0:
                    square += gap * gap
            if not square > far:
                return False
    return True


@native
def cells_apart(s: ApproachMemory, first: int, second: int) -> bool:
    """Whether no two images of cells share a point. Those of the second part that meet no box round the first are passed over."""
    surround(s, first)
    for j in range(second):
        b, q, near = s.image[s.blocks + j // LANES], j % LANES, True
        for k in range(3):
            if s.around.lo(k, 0) > b.hi(k, q) or b.lo(k, q) > s.around.hi(k, 0):
                near = False
                break
        if near and meets_one(s, first, b, q):
            return False
    return True


@native
def surround(s: ApproachMemory, first: int) -> None:
    """A box round the images of the cells of the first part; an end that is not known may be anywhere."""
    for k in range(3):
        lo, hi = np.inf, -np.inf
        for i in range(first):
            a, p = s.image[i // LANES], i % LANES
            if not a.lo(k, p) >= lo:
                lo = a.lo(k, p) if a.lo(k, p) < lo else -np.inf
            if not a.hi(k, p) <= hi:
                hi = a.hi(k, p) if a.hi(k, p) > hi else np.inf
        s.around.put(k, 0, lo, hi)


@native
def meets_one(s: ApproachMemory, first: int, b: Intervals, q: int) -> bool:
    """Whether a box shares a point with one of the images of the cells of the first part."""
    for i in range(first):
        a, p, separate = s.image[i // LANES], i % LANES, False
        for k in range(3):
            if a.lo(k, p) > b.hi(k, q) or b.lo(k, q) > a.hi(k, p):
                separate = True
                break
        if not separate:
            return True
    return False
