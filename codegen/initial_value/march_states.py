"""The states at the end of a step that `march_loop` proved.

The next Q is in plain doubles. Its columns are at right angles but for roundings, since each is freed twice of those before, and taken only
if enough of it is left; of n unit vectors one always is. What roundings leave is enclosed by the kernel `turned`.
"""

import numpy as np

from ..machine.loops import call_kernel, native
from ..machine.structures import LANES
from .march_cells import noted
from .march_columns import moved_columns
from .march_memory import MarchMemory, give, is_finite

# A column that the others leave less of than this part is none of a basis.
_LEFT = 2.0**-26


@native
def advanced(s: MarchMemory) -> bool:
    """The cell of a proved step, and the states at its end."""
    first = 0
    while first <= s.columns:
        if not moved_columns(s, first):
            return False
        first += LANES
    if not noted(s):
        return False
    middles(s)
    orthogonal(s)
    return turned(s)


@native
def middles(s: MarchMemory) -> None:
    """Write the middles of the states, and of the columns."""
    for i in range(s.n):
        s.vector[i] = 0.5 * s.next[i, 0] + 0.5 * s.next[i, 1]
        for j in range(s.columns):
            s.basis[j, i] = 0.5 * s.moves[j, i, 0] + 0.5 * s.moves[j, i, 1]


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
    """Whether a vector, of `basis` or a unit one, is not spanned by the columns that are made. If so, it becomes the next one."""
    n, size, left = s.n, 0.0, 0.0
    for k in range(n):
        s.work[k] = (s.basis[which, k] if own else 1.0) if own or k == which else 0.0
        size += s.work[k] * s.work[k]
    for _ in range(2):
        for j in range(made):
            part = 0.0
            for k in range(n):
                part += s.work[k] * s.frame[j, k]
            for k in range(n):
                s.work[k] -= part * s.frame[j, k]
    for k in range(n):
        left += s.work[k] * s.work[k]
    left = np.sqrt(left)
    if not left > _LEFT * np.sqrt(size):
        return False
    for k in range(n):
        s.frame[made, k] = s.work[k] / left
    return True


@native
def turned(s: MarchMemory) -> bool:
    """The next C, r, x - m and x, at the end of the step. False where they are not finite."""
    n, k = s.n, 0
    for j in range(n, s.columns):
        for i in range(n):
            s.frame[j, i] = s.basis[j, i]
    for i in range(n):
        k = give(s, k, s.next[i, 0], s.next[i, 1])
    for i in range(n):
        k = give(s, k, s.vector[i], s.vector[i])
    for j in range(s.twice):
        for i in range(n):
            k = give(s, k, s.moves[j, i, 0], s.moves[j, i, 1])
    for j in range(s.twice):
        for i in range(n):
            k = give(s, k, s.frame[j, i], s.frame[j, i])
    for j in range(s.twice):
        k = give(s, k, s.r[j, 0], s.r[j, 1])
    call_kernel(s.turned, s.given, s.none, s.found)
    for i in range(n):
        s.m[i] = s.vector[i]
        s.r[i, 0], s.r[i, 1] = s.found.lo(i, 0), s.found.hi(i, 0)
        s.off[i, 0], s.off[i, 1] = s.found.lo(n + i, 0), s.found.hi(n + i, 0)
        s.box[i, 0], s.box[i, 1] = s.found.lo(2 * n + i, 0), s.found.hi(2 * n + i, 0)
        for j in range(3):
            if not is_finite(s.found.lo(n * j + i, 0), s.found.hi(n * j + i, 0)):
                return False
    s.count += 1
    s.last, s.at = abs(s.after - s.at), s.after
    return True
