"""The states at the end of a step that `march_loop` proved, and what is kept of it.

The next Q is in plain doubles. Its columns are at right angles but for roundings, since each is freed twice of those before, and taken only
if enough of it is left; of n unit vectors one always is. What roundings leave is enclosed by the kernel `turned`.
"""

import numpy as np

from ..machine.loops import call_kernel, native
from .march_memory import MarchMemory, give, is_finite

# A column that the others leave less of than this part is none of a basis.
_LEFT = 2.0**-26


@native
def advanced(s: MarchMemory) -> bool:
    """The cell of a proved step, and the states at its end."""
    n, last = s.n, s.terms - 1
    k = give(s, 0, s.at, s.at)
    for i in range(n):
        k = give(s, k, s.box[i, 0], s.box[i, 1])
    for i in range(n):
        k = give(s, k, s.m[i], s.m[i])
    k = give(s, k, s.h_lo, s.h_hi)
    for i in range(n):
        k = give(s, k, s.over[last, i, 0], s.over[last, i, 1])
    k = give_matrices(s, k)
    for i in range(n):
        k = give(s, k, s.off[i, 0], s.off[i, 1])
    call_kernel(s.advance, s.given, s.none, s.kept)
    for j in range(n + 2 * n * n + s.values):
        if not is_finite(s.kept.lo(j, 0), s.kept.hi(j, 0)):
            return False
    middles(s)
    orthogonal(s)
    if not turned(s):
        return False
    note(s)
    move(s)
    return True


@native
def give_matrices(s: MarchMemory, k: int) -> int:
    """C and Q."""
    for i in range(s.n):
        for j in range(s.n):
            k = give(s, k, s.c[i, j], s.c[i, j])
    for i in range(s.n):
        for j in range(s.n):
            k = give(s, k, s.q[i, j], s.q[i, j])
    return k


@native
def middles(s: MarchMemory) -> None:
    """Of the states, of J C, and of the columns of J Q, as rows of `basis`."""
    n = s.n
    for i in range(n):
        s.vector[i] = 0.5 * s.kept.lo(i, 0) + 0.5 * s.kept.hi(i, 0)
        for j in range(n):
            at, then = n + n * i + j, n + n * n + n * i + j
            s.mid_c[i, j] = 0.5 * s.kept.lo(at, 0) + 0.5 * s.kept.hi(at, 0)
            s.basis[j, i] = 0.5 * s.kept.lo(then, 0) + 0.5 * s.kept.hi(then, 0)


@native
def orthogonal(s: MarchMemory) -> None:
    """The next Q: columns at right angles to each other, those first that r makes longest; what is left by unit vectors."""
    n, made = s.n, 0
    for i in range(n):
        open_, total = s.r[i, 1] - s.r[i, 0], 0.0
        for k in range(n):
            total += s.basis[i, k] * s.basis[i, k]
        s.weight[i] = total * open_ * open_
    for turn in range(2 * n):
        best = turn - n
        if turn < n:
            best = 0
            for i in range(1, n):
                if s.weight[i] > s.weight[best]:
                    best = i
            s.weight[best] = -1.0
        if made < n and joins(s, best, made, turn < n):
            made += 1


@native
def joins(s: MarchMemory, which: int, made: int, own: bool) -> bool:
    """Is a vector, of `basis` or a unit one, not spanned by the columns that are made? Then it becomes the next one."""
    n, size, left = s.n, 0.0, 0.0
    for k in range(n):
        s.work[k] = (s.basis[which, k] if own else 1.0) if own or k == which else 0.0
        size += s.work[k] * s.work[k]
    for _ in range(2):
        for j in range(made):
            part = 0.0
            for k in range(n):
                part += s.work[k] * s.q[k, j]
            for k in range(n):
                s.work[k] -= part * s.q[k, j]
    for k in range(n):
        left += s.work[k] * s.work[k]
    left = np.sqrt(left)
    if not left > _LEFT * np.sqrt(size):
        return False
    for k in range(n):
        s.q[k, made] = s.work[k] / left
    return True


@native
def turned(s: MarchMemory) -> bool:
    """The next r, x - m and x."""
    n, k = s.n, 0
    for i in range(n):
        k = give(s, k, s.kept.lo(i, 0), s.kept.hi(i, 0))
    for i in range(n):
        k = give(s, k, s.vector[i], s.vector[i])
    for j in range(n, n + 2 * n * n):
        k = give(s, k, s.kept.lo(j, 0), s.kept.hi(j, 0))
    for i in range(n):
        for j in range(n):
            s.c[i, j] = s.mid_c[i, j]
    k = give_matrices(s, k)
    for i in range(n):
        k = give(s, k, s.r0[i, 0], s.r0[i, 1])
    for i in range(n):
        k = give(s, k, s.r[i, 0], s.r[i, 1])
    call_kernel(s.turned, s.given, s.none, s.found)
    for j in range(3 * n):
        if not is_finite(s.found.lo(j, 0), s.found.hi(j, 0)):
            return False
    return True


@native
def note(s: MarchMemory) -> None:
    """What is kept of the step."""
    n, first, row = s.n, s.n + 2 * s.n * s.n, s.count
    s.cell[row, 0], s.cell[row, 1], s.cell[row, 2], s.cell[row, 3] = s.at, s.after, s.h_lo, s.h_hi
    for j in range(s.values):
        s.cell_kept[row, j, 0], s.cell_kept[row, j, 1] = s.kept.lo(first + j, 0), s.kept.hi(first + j, 0)
    for i in range(n):
        s.cell_over[row, i, 0], s.cell_over[row, i, 1] = s.over[2, i, 0], s.over[2, i, 1]
        s.cell_over[row, n + i, 0], s.cell_over[row, n + i, 1] = s.over[s.terms - 1, i, 0], s.over[s.terms - 1, i, 1]
        s.cell_inside[row, i, 0], s.cell_inside[row, i, 1] = s.inside[i, 0], s.inside[i, 1]
    s.count += 1


@native
def move(s: MarchMemory) -> None:
    """To the end of the step."""
    n = s.n
    for i in range(n):
        s.m[i] = s.vector[i]
        s.r[i, 0], s.r[i, 1] = s.found.lo(i, 0), s.found.hi(i, 0)
        s.off[i, 0], s.off[i, 1] = s.found.lo(n + i, 0), s.found.hi(n + i, 0)
        s.box[i, 0], s.box[i, 1] = s.found.lo(2 * n + i, 0), s.found.hi(2 * n + i, 0)
    s.last, s.at = abs(s.after - s.at), s.after
