"""The solutions of a search: whether a box counts as one, how it is recorded, and what follows for the bound on the objective."""

from codegen.machine.loops import call_kernel, native

from .boxes import at_border, encloses_one, inside_region, load_all, lower, period, upper
from .layout import (
    ALONE,
    BEST,
    CLEAR,
    EQUATIONS,
    EXISTS,
    IMAGE,
    LANES,
    OBJECTIVE,
    PARAMETERS,
    PROVED,
    RANGE,
    ROWS,
    SOLUTIONS,
    TENTATIVE,
    UNIQUE,
    VARIABLES,
)
from .queue import attribute, copy_box


@native
def feasible(s, p, boxes, k):
    """Does box k lie in the domain (but for periodic variables), and do the inequalities hold on all of it?"""
    for j in range(attribute(s, p, VARIABLES)):
        if period(s, p, j) == 0.0:
            if lower(s, boxes, k, j) < lower(s, s.inner, p, j) or upper(s, boxes, k, j) > upper(s, s.inner, p, j):
                return False
    load_all(s, p, boxes, k)
    call_kernel(attribute(s, p, RANGE), s.X, attribute(s, p, PARAMETERS), s.F)
    return s.F[2 * attribute(s, p, ROWS) * LANES] <= -1.0


@native
def impossible(s, p, boxes, k):
    """Does box k lie outside the domain, or do the inequalities hold nowhere in it?"""
    for j in range(attribute(s, p, VARIABLES)):
        if period(s, p, j) == 0.0:
            if upper(s, boxes, k, j) < lower(s, s.domain, p, j) or lower(s, boxes, k, j) > upper(s, s.domain, p, j):
                return True
    load_all(s, p, boxes, k)
    call_kernel(attribute(s, p, RANGE), s.X, attribute(s, p, PARAMETERS), s.F)
    return s.F[(2 * attribute(s, p, ROWS) + 1) * LANES] <= 0.0


@native
def may_hold_zero(s, p, lane):
    """Does the range of the rows hold 0, and may the inequalities hold?"""
    rows = attribute(s, p, EQUATIONS) if at_border(s, p, s.before, lane) else attribute(s, p, ROWS)
    return hold_zero(s, rows, lane) and s.F[(2 * attribute(s, p, ROWS) + 1) * LANES + lane] > 0.0


@native
def hold_zero(s, rows, lane):
    """Do the ranges of the first rows hold 0?"""
    for i in range(rows):
        if s.F[2 * i * LANES + lane] < 0.0 or s.F[(2 * i + 1) * LANES + lane] < 0.0:
            return False
    return True


@native
def improve(s, p, boxes, k):
    """Box k is proved to hold a feasible zero: the bound u falls to its objective."""
    objective = attribute(s, p, OBJECTIVE)
    if objective >= 0 and upper(s, boxes, k, objective) < s.real[PROVED]:
        s.real[PROVED] = upper(s, boxes, k, objective)
        copy_box(s, p, boxes, k, s.best, 0)
        s.count[BEST] = p


@native
def image_of(s, p, boxes, k, places, at):
    """Bounds of the points of space that both bodies can reach in box k, as place number `at`."""
    load_all(s, p, boxes, k)
    call_kernel(attribute(s, p, IMAGE), s.X, attribute(s, p, PARAMETERS), s.image)
    shared_image(s, 0, places, at)


@native
def shared_image(s, lane, places, at):
    """What both bodies' images in a lane share, as place number `at`."""
    for c in range(3):
        places[6 * at + 2 * c] = -min(s.image[2 * c * LANES + lane], s.image[(2 * c + 6) * LANES + lane])
        places[6 * at + 2 * c + 1] = min(s.image[(2 * c + 1) * LANES + lane], s.image[(2 * c + 7) * LANES + lane])


@native
def record(s, p, kind, boxes, k, regions, r):
    """Keep a solution: box k, and region r in which a UNIQUE one is the only zero."""
    new = s.count[SOLUTIONS]
    s.count[SOLUTIONS] = new + 1
    copy_box(s, p, boxes, k, s.found, new)
    copy_box(s, p, regions, r, s.region, new)
    s.kind[new] = kind
    s.owner[new] = p
    if attribute(s, p, IMAGE) != 0:
        image_of(s, p, s.found, new, s.place, new)
    objective = attribute(s, p, OBJECTIVE)
    if objective >= 0 and not (kind == ALONE and impossible(s, p, s.found, new)):
        if kind >= EXISTS:
            improve(s, p, s.found, new)
        else:
            s.real[TENTATIVE] = min(s.real[TENTATIVE], upper(s, s.found, new, objective))
        if kind != UNIQUE:
            s.real[CLEAR] = min(s.real[CLEAR], lower(s, s.found, new, objective))


@native
def solved_before(s, p):
    """Is `centre` in the uniqueness box of a solution?"""
    for j in range(attribute(s, p, VARIABLES)):
        s.tight[2 * j] = s.centre[j]
        s.tight[2 * j + 1] = s.centre[j]
    for solution in range(s.count[SOLUTIONS]):
        if encloses_one(s, solution) and s.owner[solution] == p and inside_region(s, p, s.tight, 0, solution):
            return True
    return False
