"""Contacts proposed by local solves, proved, and used as upper bounds of the time of the earliest one.

The proof takes three unknowns, t and two free parameters (three parameters where t is held at 0), and freezes the others at
doubles in [0, 1], held ones at their bounds. The Krawczyk operator on a small box around the point, for three equations in
three unknowns with the frozen values put in, proves a zero in the box: a contact of the two patches if the box lies in the
domain. Eight sizes of the box are tried at once. The upper end of the time is an upper bound of the earliest contact's.
"""

from codegen.loops import call_kernel, native

from .bezier_local import descend, differentiate, estimate, hold
from .bezier_memory import DEGREE, ENCLOSE, ERROR, KRAWCZYK, LANES, POINTS, PROBLEM, QUERIES, SCALE, SOLVES, UPPER, WEIGHTS

# Half widths of the boxes of a proof: 2**-46, eight times more in each lane.
_SMALLEST, _RATIO = 2.0**-46, 8.0
# Below this a determinant of the three columns, each scaled to 1, means no regular system.
_FLAT = 1e-9
# No step of a local solve is longer.
_LONGEST = 0.3


@native
def look(s, box, reach):
    """A local solve from the middle of a box, with steps of at most `reach` of its width, and a proof: is there a better
    upper bound now?
    """
    s.count[SOLVES] += 1
    widest = 0.0
    for i in range(4):
        at = 4 * s.pair[2 * box + i // 2] + 2 * (i % 2)
        widest = max(widest, s.rectangle[at + 1] - s.rectangle[at])
        s.x[i] = 0.5 * (s.rectangle[at] + s.rectangle[at + 1])
        s.held[i] = 0
    s.x[4] = s.window[2 * box]
    s.held[4] = 0
    if not estimate(s):
        return False
    hold(s, box)
    if not descend(s, min(_LONGEST, reach * widest)) or s.x[4] >= s.real[UPPER]:
        return False
    return prove(s)


@native
def determinant(s, a, b, c):
    """Of three columns of the derivative, over the product of their sizes."""
    scale = 1.0
    for k in range(3):
        j = a if k == 0 else b if k == 1 else c
        scale *= max(abs(s.G[j]), abs(s.G[5 + j]), abs(s.G[10 + j]))
    if scale <= 0.0:
        return 0.0
    d = s.G[a] * (s.G[5 + b] * s.G[10 + c] - s.G[10 + b] * s.G[5 + c])
    d -= s.G[b] * (s.G[5 + a] * s.G[10 + c] - s.G[10 + a] * s.G[5 + c])
    d += s.G[c] * (s.G[5 + a] * s.G[10 + b] - s.G[10 + a] * s.G[5 + b])
    return abs(d) / scale


@native
def choose(s):
    """The three unknowns among the free variables whose columns are most independent; t is one if it is free."""
    best = _FLAT
    for a in range(3):
        for b in range(a + 1, 4):
            for c in range(b + 1, 5):
                if s.held[a] == 0 and s.held[b] == 0 and s.held[c] == 0 and (c == 4 or s.held[4] != 0):
                    d = determinant(s, a, b, c)
                    if d > best:
                        best = d
                        s.columns[0], s.columns[1], s.columns[2] = a, b, c
    return best > _FLAT


@native
def prove(s):
    """Prove a contact at x; then it is the new upper bound, and its normal a direction of tests. Was it proved?"""
    differentiate(s)
    if not choose(s):
        return False
    place_boxes(s)
    k = s.count[PROBLEM]
    points = s.count[POINTS]
    call_kernel(s.count[ENCLOSE], s.count[QUERIES] + k * points * 96, s.count[WEIGHTS] + k * points * 16, s.C, s.X, s.f, s.J)
    widen(s)
    for lane in range(LANES):
        for m in range(3):
            j = s.columns[m]
            s.c[m * LANES + lane] = s.C[j * LANES + lane]
            for end in range(2):
                s.Y[(2 * m + end) * LANES + lane] = s.X[(2 * j + end) * LANES + lane]
                for i in range(3):
                    s.A[(2 * (3 * i + m) + end) * LANES + lane] = s.J[(2 * (5 * i + j) + end) * LANES + lane]
    call_kernel(s.count[KRAWCZYK], s.A, s.f, s.c, s.Y, s.K, s.flag)
    for lane in range(LANES):
        if s.flag[lane] > 0.5 and within(s, lane):
            upper = s.x[4] if s.held[4] != 0 else s.K[5 * LANES + lane]
            if upper < s.real[UPPER]:
                accept(s, upper)
                return True
            return False
    return False


@native
def widen(s):
    """Where the control points given are in error: f by the error of both surfaces, J by that of their derivatives.

    A surface in error by e at every control point, and with a time derivative in error by e, is in error by e, and its
    derivatives in u and v by 2 degree e. ERROR is at least twice what is meant, so that the sums may round to nearest.
    """
    if s.real[ERROR] > 0.0:
        error = s.real[ERROR] * s.real[SCALE]
        for i in range(6 * LANES):
            s.f[i] += 2.0 * error
        for i in range(30 * LANES):
            s.J[i] += 2.0 * (1 + s.count[DEGREE]) * error


@native
def place_boxes(s):
    """Points and boxes of the proof: thin but for the three unknowns, whose widths grow from lane to lane."""
    for lane in range(LANES):
        for j in range(5):
            s.C[j * LANES + lane] = s.x[j]
            s.X[2 * j * LANES + lane] = -s.x[j]
            s.X[(2 * j + 1) * LANES + lane] = s.x[j]
    reach = max(abs(s.G[4]), abs(s.G[9]), abs(s.G[14]))
    for m in range(3):
        j = s.columns[m]
        width = _SMALLEST
        if j < 4:
            own = max(abs(s.G[j]), abs(s.G[5 + j]), abs(s.G[10 + j]))
            width *= min(max(reach / own, 1.0), 1e3)
        for lane in range(LANES):
            s.X[2 * j * LANES + lane] = min(width - s.x[j], 0.0)
            s.X[(2 * j + 1) * LANES + lane] = min(s.x[j] + width, 1.0)
            width *= _RATIO


@native
def within(s, lane):
    """Does the box of the lane lie in the unit cube?"""
    for m in range(3):
        if s.Y[2 * m * LANES + lane] > 0.0 or s.Y[(2 * m + 1) * LANES + lane] > 1.0:
            return False
    return True


@native
def accept(s, upper):
    s.real[UPPER] = upper
    for i in range(4):
        s.best[i] = s.x[i]
    largest = max(abs(s.multiplier[0]), abs(s.multiplier[1]), abs(s.multiplier[2]))
    if largest > 0.0:
        for i in range(3):
            s.normal[i] = s.multiplier[i] * s.real[SCALE] / largest
