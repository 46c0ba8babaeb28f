"""Is there a contact near a box that was accepted for its size? A local solve, or Newton's method from its middle, and a proof."""

import numpy as np

from codegen.machine.loops import call_kernel, native

from ...search.native.layout import EXISTS
from ..kernel import MEASURES
from ..local import differentiate, estimate
from ..loop import address, fresh
from ..memory import LANES, MEASURE, POINTS, UPPER
from ..proof import choose, look, prove, within
from .contacts_memory import EARLIEST, FIRST, NEIGHBOURS, SIMULTANEITY
from .neighbours import beside

# Steps of the local solve are no longer.
_REACH = 1e-3
# Of Newton's method, from a box as small as the tolerance.
_STEPS = 4
# The square of the cosine of two directions that count as one.
_NEARLY = 0.999


@native
def copy_patch(s, k, node, side):
    """Patch k as a node, and as the data of one side of a pair."""
    points = s.count[POINTS]
    at = node * (points + MEASURES) * LANES
    for c in range(points):
        w = s.heavy[k * points + c]
        s.weights[side * points + c] = w
        s.node[at + LANES * c + 3] = w
        s.node[at + LANES * c + 7] = 0.0
        for i in range(3):
            place, rate = s.patch[3 * (2 * k * points + c) + i], s.patch[3 * ((2 * k + 1) * points + c) + i]
            s.q[3 * (2 * side * points + c) + i] = place
            s.q[3 * ((2 * side + 1) * points + c) + i] = rate
            s.node[at + LANES * c + i] = w * place
            s.node[at + LANES * c + 4 + i] = w * rate
    call_kernel(s.count[MEASURE], address(s, node))
    for i in range(4):
        s.rectangle[4 * node + i] = i % 2
    fresh(s, node, 0)


@native
def confirm(s, k, box, a, b):
    """Try to prove a contact near an accepted box, and take it in its place."""
    copy_patch(s, s.root[a], 0, 0)
    copy_patch(s, s.root[b], 1, 1)
    s.real[UPPER] = np.inf
    proved = look(s, box, _REACH / (s.rectangle[4 * a + 1] - s.rectangle[4 * a]))
    if not proved:
        proved = settle_near(s, k, a, b, s.window[2 * box])
    outward(s, k)
    if proved and s.x[4] <= s.limit[FIRST] + s.limit[SIMULTANEITY]:
        s.kind[k] = EXISTS
        proved_box(s, k)
        s.limit[EARLIEST] = min(s.limit[EARLIEST], s.real[UPPER])
        for i in range(3):
            s.place[3 * k + i] = s.S[i]


@native
def outward(s, k):
    """The direction in which the first body approaches: about minus the multipliers, or the first surface's normal if that is near."""
    along, square, length = 0.0, 0.0, 0.0
    for i in range(3):
        n = s.S[3 + (i + 1) % 3] * s.S[6 + (i + 2) % 3] - s.S[3 + (i + 2) % 3] * s.S[6 + (i + 1) % 3]
        s.direction[3 * k + i] = n
        along -= n * s.multiplier[i]
        square += n * n
        length += s.multiplier[i] * s.multiplier[i]
    near = along * along > _NEARLY * square * length
    for i in range(3):
        if not near:
            s.direction[3 * k + i] = -s.multiplier[i]
        elif along < 0.0:
            s.direction[3 * k + i] = -s.direction[3 * k + i]


@native
def settle_near(s, k, a, b, t):
    """`settle` in the patches of the box itself, or where it is at their sides, in their neighbours, which own the contact then."""
    first, second = beside(s, a, 0, t), beside(s, b, 1, t)
    for i in range(first):
        for j in range(second):
            m, n = i, NEIGHBOURS + j
            copy_patch(s, s.near_patch[m], 0, 0)
            copy_patch(s, s.near_patch[n], 1, 1)
            for c in range(2):
                s.guess[c], s.guess[2 + c] = s.near_at[2 * m + c], s.near_at[2 * n + c]
            s.guess[4] = t
            if settle(s):
                s.owner[2 * k], s.owner[2 * k + 1] = s.near_patch[m], s.near_patch[n]
                return True
    return False


@native
def settle(s):
    """Newton's method for S1 = S2 from a guess in three unknowns, and a proof. Tried with the most independent unknowns, then with
    those of the second patch alone, and of the first, which stay inside where the other patch ends.

    The other variables stay: so it converges where contacts form a curve or a patch, too.
    """
    for frozen in range(3):
        for i in range(5):
            s.x[i] = s.guess[i]
            s.held[i] = 1 if i // 2 == frozen - 1 else 0
        s.held[4] = -1 if s.x[4] <= 0.0 else 0
        if frozen == 0:
            estimate(s)
        differentiate(s)
        if choose(s) and solved(s) and prove(s):
            return True
    return False


@native
def solved(s):
    for _ in range(_STEPS):
        if not solve_three(s):
            return False
        differentiate(s)
    for i in range(5):
        if not 0.0 <= s.x[i] <= 1.0:
            return False
    return True


@native
def solve_three(s):
    """A step in the unknowns `columns`, by Cramer's rule."""
    a, b, c = s.columns[0], s.columns[1], s.columns[2]
    whole = minor(s, a, b, c)
    if whole == 0.0:
        return False
    first, second, third = minor(s, 5, b, c), minor(s, a, 5, c), minor(s, a, b, 5)
    s.x[a] -= first / whole
    s.x[b] -= second / whole
    s.x[c] -= third / whole
    return True


@native
def minor(s, a, b, c):
    """The determinant of three columns of the derivative, column 5 being F."""
    total = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        total += entry(s, i, a) * (entry(s, j, b) * entry(s, k, c) - entry(s, k, b) * entry(s, j, c))
    return total


@native
def entry(s, i, j):
    return s.F[i] if j == 5 else s.G[5 * i + j]


@native
def proved_box(s, k):
    """The box that a proof of `proof` is about: frozen variables thin, the others as the operator returned them."""
    for j in range(5):
        s.found[10 * k + 2 * j] = s.x[j]
        s.found[10 * k + 2 * j + 1] = s.x[j]
    for lane in range(LANES):
        if s.flag[lane] > 0.5 and within(s, lane):
            for m in range(3):
                j = s.columns[m]
                s.found[10 * k + 2 * j] = -s.K[2 * m * LANES + lane]
                s.found[10 * k + 2 * j + 1] = s.K[(2 * m + 1) * LANES + lane]
            return
