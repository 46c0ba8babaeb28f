"""The solutions of a search: whether a box counts as one, how it is recorded, and what follows for the bound on the objective."""

from codegen.machine.loops import call_kernel, native
from codegen.machine.structures import Box

from .boxes import at_border, centre_as_box, encloses_one, inside_region, load_all
from .layout import ALONE, EXISTS, LANES, UNIQUE, ProblemRow, SearchMemory
from .queue import copy_box


@native
def feasible(s: SearchMemory, p: ProblemRow, box: Box) -> bool:
    """Whether the box lies in the domain (periodic variables aside), and the inequalities hold on all of it."""
    for j in range(p.variables):
        if p.period[j] == 0.0:
            if box.lo(j) < p.inner.lo(j) or box.hi(j) > p.inner.hi(j):
                return False
    load_all(s, p, box)
    call_kernel(p.range, s.X, p.parameters, s.F)
    measure(s, p, p.rows)
    return s.F.lo(p.rows, 0) >= 1.0


@native
def impossible(s: SearchMemory, p: ProblemRow, box: Box) -> bool:
    """Whether the box lies outside the domain, or the inequalities hold nowhere in it."""
    for j in range(p.variables):
        if p.period[j] == 0.0:
            if box.hi(j) < p.domain.lo(j) or box.lo(j) > p.domain.hi(j):
                return True
    load_all(s, p, box)
    call_kernel(p.range, s.X, p.parameters, s.F)
    measure(s, p, p.rows)
    return s.F.hi(p.rows, 0) <= 0.0


@native
def measure(s: SearchMemory, p: ProblemRow, truth: int) -> None:
    """Whether the points of parts in X are on the surfaces of their bodies. The inequalities in F, at `truth`, hold no longer where that is
    in doubt, and fails where they are not.
    """
    for k in range(2):
        if p.margin[k] != 0:
            call_kernel(p.place[k], s.X, p.parameters, s.at)
            call_kernel(p.margin[k], s.at, p.parameters, s.measured, p.measures[k])
            for lane in range(LANES):
                if s.measured.hi(0, lane) < 0.0:
                    s.F.put(truth, lane, 0.0, 0.0)
                elif not (s.measured.lo(0, lane) >= 0.0):
                    s.F.put(truth, lane, 0.0, s.F.hi(truth, lane))


@native
def measure_left(s: SearchMemory, p: ProblemRow) -> None:
    """Call `measure`, unless it is known of all lanes that the equations have no zero, or the inequalities fail."""
    left = False
    for lane in range(LANES):
        left = left or (hold_zero(s, p.equations, lane) and s.F.hi(p.rows, lane) > 0.0)
    if left:
        measure(s, p, p.rows)


@native
def may_hold_zero(s: SearchMemory, p: ProblemRow, lane: int) -> bool:
    """Whether the range of the rows holds 0, and the inequalities may hold."""
    rows = p.equations if at_border(s, p, s.before[lane]) else p.rows
    return hold_zero(s, rows, lane) and s.F.hi(p.rows, lane) > 0.0


@native
def hold_zero(s: SearchMemory, rows: int, lane: int) -> bool:
    """Whether the ranges of the first rows hold 0."""
    for i in range(rows):
        if s.F.lo(i, lane) > 0.0 or s.F.hi(i, lane) < 0.0:
            return False
    return True


@native
def full_of_zeros(s: SearchMemory, p: ProblemRow, lane: int) -> bool:
    """Whether each equation is exactly 0 wherever it is defined in the box, and the inequalities hold on all of it."""
    if p.objective >= 0 or s.F.lo(p.rows, lane) < 1.0:
        return False
    for i in range(p.equations):
        if s.F.lo(i, lane) != 0.0 or s.F.hi(i, lane) != 0.0:
            return False
    return True


@native
def improve(s: SearchMemory, p: ProblemRow, box: Box) -> None:
    """Box k is proved to hold a feasible zero: the bound u falls to its objective."""
    objective = p.objective
    if objective >= 0 and box.hi(objective) < s.proved:
        s.proved = box.hi(objective)
        copy_box(s, p, box, s.best)
        s.best_problem = p.number


@native
def image_of(s: SearchMemory, p: ProblemRow, box: Box, place: Box) -> None:
    """Bounds of the points of space that both bodies can reach in the box, as `place`."""
    load_all(s, p, box)
    call_kernel(p.image, s.X, p.parameters, s.image)
    shared_image(s, 0, place)


@native
def shared_image(s: SearchMemory, lane: int, place: Box) -> None:
    """The intersection of both bodies' images in a lane, as `place`."""
    for c in range(3):
        place.put(c, max(s.image.lo(c, lane), s.image.lo(c + 3, lane)), min(s.image.hi(c, lane), s.image.hi(c + 3, lane)))


@native
def record(s: SearchMemory, p: ProblemRow, kind: int, box: Box, region: Box) -> None:
    """Keep a solution: its box, and the region in which a UNIQUE one is the only zero."""
    new = s.solutions
    s.solutions = new + 1
    copy_box(s, p, box, s.found[new])
    copy_box(s, p, region, s.region[new])
    s.kind[new] = kind
    s.owner[new] = p.number
    s.dimension[new] = -1
    if p.image != 0:
        image_of(s, p, s.found[new], s.place[new])
    objective = p.objective
    if objective >= 0 and not (kind == ALONE and impossible(s, p, s.found[new])):
        if kind >= EXISTS:
            improve(s, p, s.found[new])
        else:
            s.tentative = min(s.tentative, s.found[new].hi(objective))
        if kind != UNIQUE:
            s.clear = min(s.clear, s.found[new].lo(objective))


@native
def solved_before(s: SearchMemory, p: ProblemRow) -> bool:
    """Whether `centre` is in the uniqueness box of a solution."""
    centre_as_box(s, p)
    for solution in range(s.solutions):
        if encloses_one(s, solution) and s.owner[solution] == p.number and inside_region(s, p, s.tight, solution):
            return True
    return False
