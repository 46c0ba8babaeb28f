"""Contacts proposed by local solves, proved, and used as upper bounds of the time of the earliest one.

The proof takes three unknowns, t and two free parameters (three parameters where t is held at 0), and freezes the others at
doubles in [0, 1], held ones at their bounds. The Krawczyk operator on a small box around the point, for three equations in
three unknowns with the frozen values put in, proves a zero in the box: a contact of the two patches if the box lies in the
domain. Eight sizes of the box are tried at once. The upper end of the time is an upper bound of the earliest contact's.
"""


from codegen.machine.loops import call_kernel, native

from .local import descend, differentiate, estimate, hold
from .memory import (
    CERTIFICATE,
    CERTIFIED,
    DEGREE,
    ENCLOSE,
    ERROR,
    KRAWCZYK,
    LANES,
    NEIGHBOURHOOD,
    POINTS,
    PROBLEM,
    QUERIES,
    RATIO,
    RATIONAL,
    SCALE,
    SOLVES,
    TOLERANCE,
    UPPER,
    WEIGHTS,
)

# Half widths of the boxes of a proof: 2**-46, eight times more in each lane.
_SMALLEST, _RATIO = 2.0**-46, 8.0
# Below this a determinant of the three columns, each scaled to 1, means no regular system.
_FLAT = 1e-9
# No step of a local solve is longer.
_LONGEST = 0.3
# How much smaller the next box of a certificate is. Inverses larger than this are not used.
_NARROWER, _STEEPEST = 0.5, 2.0**60
# With weights that differ more there is no certificate.
_UNEQUAL = 2.0**20
# A contact earlier by less than this share of the tolerance is no better.
_BETTER = 0.01
# The search stops this much below the tolerance, so that the bracket is no wider in spite of rounding.
MARGIN = 0.99


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
    if not descend(s, min(_LONGEST, reach * widest)) or s.x[4] >= s.real[UPPER] - _BETTER * s.real[TOLERANCE]:
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
    enclose(s)
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
def enclose(s):
    call_kernel(s.count[ENCLOSE], s.count[QUERIES] + s.count[PROBLEM] * s.count[POINTS] * 96,
                s.count[WEIGHTS] + s.count[PROBLEM] * s.count[POINTS] * 16, s.C, s.X, s.f, s.J)
    widen(s)


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
    for i in range(5):
        s.best[i] = s.x[i]
    s.region[8] = -2.0
    arrange(s)
    largest = max(abs(s.multiplier[0]), abs(s.multiplier[1]), abs(s.multiplier[2]))
    if largest > 0.0:
        for i in range(3):
            s.normal[i] = s.multiplier[i] * s.real[SCALE] / largest


# -- the certificate ----------------------------------------------------------------------------------------------


@native
def certify(s, widest):
    """Find a box round the best contact, at most so wide, in which none is earlier, see `certificate`; it is `region` then."""
    if s.region[8] > -2.0 or s.side[0] > 1.0 or s.real[RATIO] > _UNEQUAL or (s.real[ERROR] > 0.0 and s.count[RATIONAL] != 0):
        return
    place_regions(s, widest)
    call_kernel(s.count[NEIGHBOURHOOD], s.count[QUERIES] + s.count[PROBLEM] * s.count[POINTS] * 96,
                s.count[WEIGHTS] + s.count[PROBLEM] * s.count[POINTS] * 16, s.inverse, s.X, s.J, s.M)
    widen_neighbourhood(s)
    call_kernel(s.count[CERTIFICATE], s.best, s.X, s.offset, s.J, s.M, s.slopes, s.inverse, s.dual, s.order, s.side, s.bound)
    for lane in range(LANES):
        if s.bound[lane] > s.real[UPPER] - MARGIN * s.real[TOLERANCE]:
            s.real[CERTIFIED] = s.bound[lane]
            for i in range(10):
                s.region[i] = s.X[i * LANES + lane]
            return


@native
def widen_neighbourhood(s):
    """As `widen`, of polynomial patches: second derivatives are in error by 4 degree^2 e, those in u and t by 2 degree e."""
    if s.real[ERROR] > 0.0:
        error, degree = s.real[ERROR] * s.real[SCALE], s.count[DEGREE]
        for i in range(3):
            row = abs(s.inverse[3 * i]) + abs(s.inverse[3 * i + 1]) + abs(s.inverse[3 * i + 2])
            for k in range(10 * LANES):
                s.J[10 * LANES * i + k] += 2.0 * (1 + degree) * error * row
        error *= abs(s.dual[0]) + abs(s.dual[1]) + abs(s.dual[2])
        for i in range(50 * LANES):
            s.M[i] += 4.0 * degree * degree * error


@native
def arrange(s):
    """For the certificate: order the unknowns, invert the columns of the basic ones, take the multipliers for which L' vanishes
    in them, and keep the derivatives from the smallest box of the proof. No certificate is to be tried where `side` is 2.
    """
    rest = 3
    for i in range(30):
        s.slopes[i] = s.J[i * LANES]
    for i in range(6):
        s.offset[i] = s.f[i * LANES]
    for m in range(3):
        s.order[m] = s.columns[m]
    for j in range(4):
        if j != s.columns[0] and j != s.columns[1]:
            s.order[rest] = j
            s.side[rest - 3] = -1.0 * s.held[j]
            rest += 1
    a, b, c = s.order[0], s.order[1], s.order[2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        s.inverse[i] = s.G[5 * j + b] * s.G[5 * k + c] - s.G[5 * k + b] * s.G[5 * j + c]
        s.inverse[3 + i] = s.G[5 * j + c] * s.G[5 * k + a] - s.G[5 * k + c] * s.G[5 * j + a]
        s.inverse[6 + i] = s.G[5 * j + a] * s.G[5 * k + b] - s.G[5 * k + a] * s.G[5 * j + b]
    d = s.G[a] * s.inverse[0] + s.G[5 + a] * s.inverse[1] + s.G[10 + a] * s.inverse[2]
    largest = 0.0
    for i in range(9):
        s.inverse[i] /= d
        largest = max(largest, abs(s.inverse[i]))
    for i in range(3):
        s.dual[i] = -s.inverse[6 + i]
    if s.held[4] != 0 or not largest * s.real[SCALE] < _STEEPEST:
        s.side[0] = 2.0


@native
def place_regions(s, widest):
    """Boxes round the best contact, smaller from lane to lane; in time as far as the parameters move the points."""
    fastest, rate = 0.0, max(abs(s.slopes[9]), abs(s.slopes[19]), abs(s.slopes[29]))
    for i in range(3):
        for j in range(4):
            fastest = max(fastest, abs(s.slopes[10 * i + 2 * j]))
    width, share = widest, fastest / rate
    for lane in range(LANES):
        for j in range(5):
            reach = width * share if j == 4 else width
            s.X[2 * j * LANES + lane] = min(reach - s.best[j], 0.0)
            s.X[(2 * j + 1) * LANES + lane] = min(s.best[j] + reach, 1.0)
        width *= _NARROWER


@native
def certified(s, box):
    """Does the certificate hold for all of a box?"""
    if s.window[2 * box] < -s.region[8]:
        return False
    for i in range(4):
        at = 4 * s.pair[2 * box + i // 2] + 2 * (i % 2)
        if s.rectangle[at] < -s.region[2 * i] or s.rectangle[at + 1] > s.region[2 * i + 1]:
            return False
    return True
