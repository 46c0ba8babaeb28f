"""Thinning: where contacts form curves or surfaces, samples stand for boxes near them, unless these may hold an isolated contact.

Snyder 1993, Fig. 6, drops every box within `spacing` of a point that was accepted; its footnote 10 calls the isolated
contacts lost by that minor. Here a box is dropped only if the zeros in it lie on the curve (or surface) of the sample that
stands for it: in the hull of the box and the sample the Jacobian has a rank so large that the zeros there lie on one graph
over one variable (or two). A box of which this is not known is searched on, down to a small share of `spacing`.
"""

from codegen.machine.loops import call_kernel, native
from codegen.machine.structures import Box

from .boxes import at_border, centre_as_box, keep_clear, load_lane, shift_into
from .layout import EXISTS, GONE, LANES, LATE, LOCATED, UNIQUE, WANTED, ProblemRow, SearchMemory
from .local_solve import restore
from .manifolds import on_one_manifold
from .solutions import shared_image
from .tangents import nullity

# A sample this near, squared and against the spacing, forbids another one: at the end of a curve, just as far as the spacing from the
# last sample, there must be one more.
_NEARER = 0.9
# Against the spacing, the size of an image to which samples of other problems of the two bodies count. (Measured: tests/benchmarks/
# constants.py, 1/256 to 1/16 are alike but for a spinning cylinder, 1.5 to 0.8.)
_TINY = 1.0 / 64.0
# Likewise, the size of an image that is not searched for isolated contacts beside a sample of its own problem. It is what
# `first_contact` says of `spacing`. (Measured likewise: 1/32 takes 1.8 times as many, 1/2 takes 5 % fewer.)
_FINE = 1.0 / 8.0
# Against the largest in the domain, a slope that is but rounding where the zeros form a curve or surface: seven digits above the
# rounding of a sum of products. (Measured: a quarter and four times are alike.)
_NO_SLOPE = 1e-9


@native
def begin(s: SearchMemory, p: ProblemRow, box: Box) -> float:
    """The least objective of a box, where there is one."""
    objective = p.objective
    return box.lo(objective) if objective >= 0 else 0.0


@native
def near_sample(s: SearchMemory, p: ProblemRow, whole: bool, moment: float) -> int:
    """The nearest point accepted before to which the image `near` is close: all of it within `spacing`, or else its middle, and by a
    little more; -1 for none.

    A sample counts in its own problem, lest it hide an isolated contact of another, and in the others of the two bodies for whole
    images that are tiny: an isolated contact that can be proved was found before its box got there. What is left is where edges
    lie in faces, or on each other, of which rounding lets nothing be proved. A sample counts for boxes that begin at `moment` if
    it is not later than they may be (Snyder 1993, footnote 9). The squared distance has fewer than ten roundings, each
    by less than 2e-16 of it, so the points of a whole image that passes are proved to be near.
    """
    tiny = whole and small_image(s, _TINY)
    limit, chosen = (1.0 - 1e-14 if whole else _NEARER) * s.spacing ** 2, -1
    nearest, surface = limit, False
    for k in range(s.solutions):
        if s.kind[k] == UNIQUE or not (s.owner[k] == p.number or (tiny and s.kind[k] == EXISTS and (
                s.problem[s.owner[k]].label == p.label))):
            continue
        square = distance_squared(s, k, whole, limit)
        if not square < limit or too_late_for(s, k, moment):
            continue
        if not whole:
            return k
        of_surface = s.kind[k] == EXISTS and dimension(s, s.problem[s.owner[k]], k) == 2
        if (of_surface and not surface) or (square < nearest and of_surface == surface):
            nearest, chosen, surface = square, k, of_surface
    return chosen


@native
def distance_squared(s: SearchMemory, k: int, whole: bool, limit: float) -> float:
    """From sample k to the farthest point of the image `near`, or to its middle; no less than the limit where that is not less.

    A place that is only located may be anywhere in its bounds, which are wide while a motion jumps: what has nearly the same bounds is near
    it, whatever more is searched.
    """
    square = 0.0
    for c in range(3):
        middle, wide = s.place[k].middle(c), whole and s.kind[k] == LOCATED
        lo = s.near.lo(c) - (s.place[k].lo(c) if wide else middle)
        hi = s.near.hi(c) - (s.place[k].hi(c) if wide else middle)
        square += max(abs(lo), abs(hi)) ** 2 if whole else (0.5 * (lo + hi)) ** 2
        if not square < limit:
            return square
    return square


@native
def too_late_for(s: SearchMemory, k: int, moment: float) -> bool:
    """Whether sample k is later than the times that are simultaneous with this moment."""
    objective = s.problem[s.owner[k]].objective
    return objective >= 0 and s.found[k].lo(objective) > moment + s.simultaneity


@native
def small_image(s: SearchMemory, share: float) -> bool:
    """Whether the image `near` is smaller than this share of the distance of samples."""
    for c in range(3):
        if not s.near.width(c) < share * s.spacing:
            return False
    return True


@native
def see(s: SearchMemory, p: ProblemRow) -> None:
    """The images of the boxes in `hold`, all lanes at once."""
    for lane in range(LANES):
        load_lane(s, p, s.hold[lane], lane)
    call_kernel(p.image, s.X, p.parameters, s.image)


@native
def close_to_sample(s: SearchMemory, p: ProblemRow, lane: int, whole: bool) -> int:
    """The accepted point to which the image of the lane's box is close, all of it or its middle; -1 for none."""
    shared_image(s, lane, s.near)
    return near_sample(s, p, whole, begin(s, p, s.hold[lane]))


@native
def thin(s: SearchMemory, p: ProblemRow, used: int) -> None:
    """Drop the late boxes of which all of the image is near an accepted point. Those that may hold an isolated contact beside it keep the
    number of that point in `beside`, which is -1 for all others.
    """
    for lane in range(LANES):
        s.beside[lane] = -1
    if p.image == 0:
        return
    see(s, p)
    doubtful = False
    for lane in range(used):
        if s.action[lane] >= LATE:
            s.beside[lane] = close_to_sample(s, p, lane, True)
            if s.final[lane] != WANTED:
                s.final[lane] = 1 if small_image(s, _FINE) else 0
            if s.beside[lane] >= 0 and not may_hide(s, p, lane, s.beside[lane]):
                drop(s, p, lane)
            doubtful = doubtful or s.beside[lane] >= 0
    if doubtful:
        drop_on_manifolds(s, p)


@native
def drop(s: SearchMemory, p: ProblemRow, lane: int) -> None:
    """A sample stands for the box of a lane."""
    keep_clear(s, p, s.hold[lane])
    s.action[lane] = GONE
    s.beside[lane] = -1


@native
def may_hide(s: SearchMemory, p: ProblemRow, lane: int, k: int) -> bool:
    """Whether the lane's box, with its image in `near`, may hold an isolated contact beside sample k. False for samples of other problems,
    which have their own boxes, where only located points are known, and where no condition isolates contacts.
    """
    if s.kind[k] != EXISTS or s.owner[k] != p.number or p.rows < p.variables:
        return False
    return not at_border(s, p, s.hold[lane])


@native
def dimension(s: SearchMemory, p: ProblemRow, k: int) -> int:
    """The dimension of the set of zeros round sample k, as its Jacobian has it."""
    if s.dimension[k] < 0:
        for j in range(p.variables):
            s.base[j] = s.found[k].middle(j)
        s.dimension[k] = nullity(s, p, _NO_SLOPE)
    return s.dimension[k]


@native
def drop_on_manifolds(s: SearchMemory, p: ProblemRow) -> None:
    """Drop the boxes with a sample `beside` them whose zeros lie on one curve with it, or, where it is one of a surface, on one surface."""
    for lane in range(LANES):
        load_lane(s, p, s.hold[lane], lane)
        if s.beside[lane] >= 0 and dimension(s, p, s.beside[lane]) == 1:
            extend(s, p, lane, s.found[s.beside[lane]])
    call_kernel(p.slope, s.X, p.parameters, s.M)
    flat = False
    for lane in range(LANES):
        s.manifold[lane] = 0
        if s.beside[lane] >= 0:
            free = dimension(s, p, s.beside[lane])
            s.manifold[lane] = free if on_one_manifold(s, p, lane, free) else 0
            flat = flat or s.manifold[lane] == 2
    if flat:
        look_at_middles(s, p)
    for lane in range(LANES):
        if s.manifold[lane] != 0:
            drop(s, p, lane)


@native
def look_at_middles(s: SearchMemory, p: ProblemRow) -> None:
    """Look whether zeros near the middles of boxes lie on surfaces. That zeros lie on one surface says little: where a sample is one of a
    surface of zeros, and no point in which curves of them cross, a zero of the equations near the middle of the box lies on such a surface,
    too. `manifold` becomes 0 in lanes where it does not.
    """
    for lane in range(LANES):
        for j in range(p.variables):
            s.point[j, lane] = s.hold[lane].middle(j)
    restore(s, p)
    for lane in range(LANES):
        s.manifold[lane] = s.manifold[lane] if s.converged[lane] > 0.5 or s.manifold[lane] == 1 else 0
        for j in range(p.variables):
            s.reached[lane, j] = s.point[j, lane]
    for lane in range(LANES):
        if s.manifold[lane] == 2:
            for j in range(p.variables):
                s.base[j] = s.reached[lane, j]
            s.manifold[lane] = 2 if nullity(s, p, _NO_SLOPE) >= 2 else 0


@native
def drop_final(s: SearchMemory, p: ProblemRow, used: int) -> None:
    """Drop the boxes beside samples that are small, in which a last local solve was made, unless it found an isolated contact."""
    for lane in range(used):
        if s.beside[lane] >= 0 and s.final[lane] == 1:
            drop(s, p, lane)


@native
def drop_beside(s: SearchMemory, p: ProblemRow, lane: int) -> None:
    """`centre` is a zero that could not be proved to be isolated, found from the lane's box. Drop the box if the zeros in it lie on one
    curve with that one.
    """
    for j in range(p.variables):
        s.base[j] = s.centre[j]
    if nullity(s, p, _NO_SLOPE) != 1:
        return
    centre_as_box(s, p)
    load_lane(s, p, s.hold[lane], lane)
    extend(s, p, lane, s.tight)
    call_kernel(p.slope, s.X, p.parameters, s.M)
    if on_one_manifold(s, p, lane, 1):
        drop(s, p, lane)


@native
def extend(s: SearchMemory, p: ProblemRow, lane: int, box: Box) -> None:
    """The hull of the box in a lane of X and a box of problem p, which may be a period away."""
    for j in range(p.variables):
        lo, hi = box.lo(j), box.hi(j)
        shift = shift_into(s, p, j, 0.5 * (lo + hi), s.X.middle(j, lane))
        s.X.put(j, lane, min(s.X.lo(j, lane), lo + shift), max(s.X.hi(j, lane), hi + shift))
