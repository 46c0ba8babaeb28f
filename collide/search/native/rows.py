"""Instances of one problem, searched one after the other: the same formulas with other numbers.

Each begins with the memory as it was at the beginning, so that what is found of one does not depend on those before it.
"""

import numpy as np

from codegen.machine.loops import call_kernel, native

from .layout import ALONE, FINISHED, LANES, UNTOLD, ProblemRow, SearchMemory
from .queue import copy_box, push
from .solutions import impossible


@native
def search_rows(s: SearchMemory, first: int, last: int, searching: int) -> int:
    """Search the instances `first` to `last` - 1 of problem 0 by `run`, whose address is given."""
    for k in range(first, last):
        call_kernel(s.copying, s.zero, s.first, s.zero_bytes)
        call_kernel(s.copying, s.free, s.first_free, s.free_bytes)
        begin_row(s, s.problem[0], k)
        call_kernel(searching, s.own, s.most_steps)
        tell_row(s, s.problem[0], k)
    return 0


@native
def begin_row(s: SearchMemory, p: ProblemRow, k: int) -> None:
    """Problem 0 becomes an instance of itself, with its whole domain queued."""
    outer, inner, numbers = s.row_outer[k], s.row_inner[k], s.row_numbers[k]
    copy_box(s, p, outer, p.domain)
    copy_box(s, p, inner, p.inner)
    for i in range(s.numbers):
        middle = 0.5 * (numbers.lo(i) + numbers.hi(i))
        for lane in range(LANES):
            s.given.put(i, lane, numbers.lo(i), numbers.hi(i))
            s.given_points[i, lane] = middle
    for i in range(s.viewed):
        for lane in range(LANES):
            s.view[i, lane] = s.row_view[k, i]
    push(s, p, outer)


@native
def tell_row(s: SearchMemory, p: ProblemRow, k: int) -> None:
    """State of an instance: contact, and a place where it is proved; or that there is none."""
    first, least, objective, known = -1, np.inf, p.objective, False
    for i in range(s.solutions):
        if s.kind[i] == ALONE and impossible(s, p, s.found[i]):
            continue
        begin = s.found[i].lo(objective)
        if begin <= s.proved and begin < least:
            first = i
            least = begin
    left = s.clear if p.root < 0 else min(s.clear, s.key[p.root])
    s.row_found[k, 0] = s.proved
    s.row_found[k, 1] = left
    s.row_found[k, 2] = least
    s.row_found[k, 3] = 1.0 * s.iterations
    if s.proved < np.inf and s.best.hi(objective) == s.proved:
        copy_box(s, p, s.best, s.row_box[k])
        known = True
    elif first >= 0:
        copy_box(s, p, s.found[first], s.row_box[k])
        known = s.kind[first] != ALONE
    nothing = first < 0 and not (s.proved < np.inf) and not (s.clear < np.inf)
    s.row_end[k] = s.reason
    if s.reason == FINISHED and not nothing and not (known and s.proved < np.inf):
        s.row_end[k] = UNTOLD
