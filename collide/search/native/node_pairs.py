"""Boxes of two bodies whose shape and motion are apart, for `march`: pairs of nodes of two trees (`body_trees`), of which one or both
are halved.
"""

import numpy as np

from codegen.machine.loops import native

from .body_trees import ask, make_halves, model, node_size, put_side, seed
from .boxes import at_border, known, too_late, trim
from .layout import LANES, ProblemRow, SearchMemory
from .queue import copy_box, pop
from .split import tolerance

# The smaller node is halved together with the larger one if it is at least this share as long. No more than 1, so that the
# larger one always is. Effort only (measured: tests/benchmarks/constants.py, 1/8 to 1 are alike on the whole, 0.6 to 2.6 in scenes).
_ALIKE = 0.5
# Boxes that are this small against their domain are left to `search.step`, but at a border where tangency is not known: of a curve along
# which surfaces meet, tangency leaves points. Effort only (measured likewise: a quarter takes 8 to 13 % more
# in the mean; four times as much takes 9 to 12 % less, but twice as many on implicit tori).
_SMALL = 0.05
# Likewise of a single equation, where parts that leave are told at once. (Measured on fruits that fall onto a body of voxels: 0.01 takes a
# quarter more boxes in all, 0.05 as many as this, of which steps take longer.)
_SMALLER = 0.025


@native
def marching(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether the first box of problem p is one for `march`: large, and not yet in sight of the proved bound.

    None is once contact is proved, but not that it is isolated. Round an isolated contact bounds along directions leave a few boxes of
    every size; along a curve of contacts they leave the more the smaller the boxes are. Contraction makes those three to eight times
    fewer (measured), and a step of it takes two to four times as long as one of `march`.
    """
    if p.taylor == 0 or unlikely_isolated(s):
        return False
    i = p.root
    if s.settled[i] != 0:
        return False
    if s.box[i].lo(p.objective) >= min(s.proved, s.tentative) - s.simultaneity:
        return False
    least = 0.0 if at_border(s, p, s.box[i]) else _SMALL if p.possible == 0 else _SMALLER
    for j in range(p.placing):
        if s.box[i].width(j) > max(tolerance(s, p, s.box[i], j), least * p.domain.width(j)):
            return True
    return False


@native
def unlikely_isolated(s: SearchMemory) -> bool:
    """Whether u stands for a contact at which time is least nearby, and which is proved, but not to be isolated. In general position one
    inside two faces is proved to be so at once.
    """
    return s.proved_along < np.inf and s.proved_along <= s.proved + s.simultaneity


@native
def wanted(s: SearchMemory, p: ProblemRow, i: int) -> bool:
    """Whether box i, which was popped, is still to be searched."""
    if too_late(s, p, s.box[i]):
        return False
    trim(s, p, s.box[i])
    return at_border(s, p, s.box[i]) or not known(s, p, s.box[i])


@native
def take_pairs(s: SearchMemory, p: ProblemRow) -> int:
    """First pairs of nodes, or the pairs of their halves, in `before` and `both`; how many."""
    popped, used = 0, 0
    while p.root >= 0 and marching(s, p):
        i = p.root
        choose_sides(s, p, i, popped, used + 4 <= LANES)
        lanes = (1 + s.sides[popped, 0]) * (1 + s.sides[popped, 1])
        if used + lanes > LANES:
            break
        pop(s, p)
        if wanted(s, p, i):
            copy_box(s, p, s.box[i], s.hold[popped])
            s.parents[popped, 0] = s.pair[i, 0]
            s.parents[popped, 1] = s.pair[i, 1]
            s.later[popped] = s.horizon[i]
            s.repeat[popped] = s.tests[i]
            used += lanes
            popped += 1
    for side in range(2):
        seed(s, p, side, popped)
        asked = 0
        for k in range(popped):
            if s.sides[k, side] != 0:
                asked = ask(s, asked, s.parents[k, side])
        make_halves(s, p, side, asked)
    used = 0
    for k in range(popped):
        used = combine(s, p, k, used)
    return used


@native
def choose_sides(s: SearchMemory, p: ProblemRow, i: int, k: int, room: bool) -> None:
    """Store the nodes of box i that are to be halved in `sides` of pair k: the larger one, or both if they are of like size and there is
    `room`. A box that comes from no tree is tested first.
    """
    s.sides[k, 0] = 0
    s.sides[k, 1] = 0
    if s.pair[i, 0] < 0 or s.tests[i] > 0:
        return
    a, b = node_size(s, p, 0, s.pair[i, 0]), node_size(s, p, 1, s.pair[i, 1])
    s.sides[k, 0] = 1 if a >= _ALIKE * b and a >= 0.0 else 0
    s.sides[k, 1] = 1 if b >= _ALIKE * a and b >= 0.0 else 0
    if s.sides[k, 0] + s.sides[k, 1] == 2 and not room:
        s.sides[k, 1 if a >= b else 0] = 0


@native
def pair_settled(s: SearchMemory, p: ProblemRow, lane: int) -> bool:
    """Whether both nodes of the pair in a lane are within the tolerance."""
    largest = max(node_size(s, p, 0, s.both[lane, 0]), node_size(s, p, 1, s.both[lane, 1]))
    return largest <= s.tolerance * p.space


@native
def combine(s: SearchMemory, p: ProblemRow, k: int, used: int) -> int:
    """The pairs of (halves of) the nodes of pair k into the lanes from `used` on; the number of lanes used then."""
    for first in range(1 + s.sides[k, 0]):
        for second in range(1 + s.sides[k, 1]):
            for j in range(p.own[0] + p.own[1], p.variables):
                s.before[used].put(j, s.hold[k].lo(j), s.hold[k].hi(j))
            s.tested[used] = s.repeat[k]
            s.until[used] = s.later[k]
            place_side(s, p, 0, k, first, used)
            place_side(s, p, 1, k, second, used)
            used += 1
    return used


@native
def place_side(s: SearchMemory, p: ProblemRow, side: int, k: int, half: int, lane: int) -> None:
    """The node of one side of pair k, or one of its halves, into a lane of `before` and `both`."""
    node = s.parents[k, side]
    if s.sides[k, side] != 0:
        node = s.halves[node] + half
    s.both[lane, side] = node
    first = side * p.own[0]
    for j in range(p.own[side]):
        s.before[lane].put(first + j, s.rectangle[node].lo(j), s.rectangle[node].hi(j))


@native
def model_boxes(s: SearchMemory, p: ProblemRow) -> None:
    """The polynomial models of the boxes in X, which come from no tree."""
    first = 0
    for side in range(2):
        d = p.own[side]
        for j in range(d):
            for lane in range(LANES):
                put_side(s, p, side, j, lane, s.X.lo(first + j, lane), s.X.hi(first + j, lane))
        if side == 0:
            model(s, p, side, s.A)
        else:
            model(s, p, side, s.B)
        first += d
