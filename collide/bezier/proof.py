"""Contacts proposed by local solves, proved, and used as upper bounds of the time of the earliest one.

The proof takes three unknowns, t and two free parameters (three parameters where t is held at 0), and freezes the others at
doubles in [0, 1], held ones at their bounds. The Krawczyk operator on a small box around the point, for three equations in
three unknowns with the frozen values put in, proves a zero in the box: a contact of the two patches if the box lies in the
domain. Eight sizes of the box are tried at once. The upper end of the time is an upper bound of the earliest contact's.
"""

from codegen.machine.loops import call_kernel, native

from .local import descend, differentiate, estimate, hold
from .memory import LANES, Candidate, PairsMemory

# These, but for MARGIN, decide only what is tried.
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
# The search stops this much below the tolerance, so that the bracket is no wider in spite of rounding: a hundredth of
# 1e-12, the least tolerance, is some 45 units in the last place of a time up to 1.
MARGIN = 0.99


@native
def look(s: PairsMemory, box: Candidate, reach: float) -> bool:
    """A local solve from the middle of a box, with steps of at most `reach` of its width, and a proof: is there a better
    upper bound now?
    """
    for j in range(4):
        s.x[j] = 0.5 * (box.lo(j) + box.hi(j))
        s.held[j] = 0
    s.x[4] = box.begin
    s.held[4] = 0
    if not estimate(s):
        return False
    hold(s, box)
    if not descend(s, min(_LONGEST, reach * box.widest())) or s.x[4] >= s.proved - _BETTER * s.tolerance:
        return False
    return prove(s)


@native
def determinant(s: PairsMemory, a: int, b: int, c: int) -> float:
    """The absolute value of the determinant of three columns of the derivative, over the product of the sizes of the columns."""
    scale = 1.0
    for k in range(3):
        j = a if k == 0 else b if k == 1 else c
        scale *= longest(s, j)
    if scale <= 0.0:
        return 0.0
    d = s.G[0, a] * (s.G[1, b] * s.G[2, c] - s.G[2, b] * s.G[1, c])
    d -= s.G[0, b] * (s.G[1, a] * s.G[2, c] - s.G[2, a] * s.G[1, c])
    d += s.G[0, c] * (s.G[1, a] * s.G[2, b] - s.G[2, a] * s.G[1, b])
    return abs(d) / scale


@native
def longest(s: PairsMemory, j: int) -> float:
    """The size of a column of the derivative."""
    return max(abs(s.G[0, j]), abs(s.G[1, j]), abs(s.G[2, j]))


@native
def choose(s: PairsMemory) -> bool:
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
def prove(s: PairsMemory) -> bool:
    """Prove a contact at x; then it is the new upper bound, and its normal a direction of tests. Tell whether it was proved."""
    differentiate(s)
    if not choose(s):
        return False
    place_boxes(s)
    enclose(s)
    for lane in range(LANES):
        for m in range(3):
            j = s.columns[m]
            s.c[m, lane] = s.C[j, lane]
            s.Y.put(m, lane, s.X.lo(j, lane), s.X.hi(j, lane))
            for i in range(3):
                s.A.put(3 * i + m, lane, s.J.lo(5 * i + j, lane), s.J.hi(5 * i + j, lane))
    call_kernel(s.krawczyk, s.A, s.f, s.c, s.Y, s.K, s.flag)
    for lane in range(LANES):
        if s.flag[lane] > 0.5 and within(s, lane):
            upper = s.x[4] if s.held[4] != 0 else s.K.hi(2, lane)
            if upper < s.proved:
                accept(s, upper)
                return True
            return False
    return False


@native
def enclose(s: PairsMemory) -> None:
    call_kernel(s.enclose, s.present.q, s.present.weights, s.C, s.X, s.f, s.J)
    widen(s)


@native
def widen(s: PairsMemory) -> None:
    """Widen f by the error of both surfaces, and J by that of their derivatives, where the control points given are in error.

    A surface in error by e at every control point, and with a time derivative in error by e, is in error by e, and its
    derivatives in u and v by 2 degree e. `error`, relative to the size, is at least twice what is meant, so that the sums may
    round to nearest.
    """
    if s.error > 0.0:
        error = s.error * s.scale
        for lane in range(LANES):
            for i in range(3):
                s.f.widen(i, lane, 2.0 * error)
            for k in range(15):
                s.J.widen(k, lane, 2.0 * (1 + s.degree) * error)


@native
def place_boxes(s: PairsMemory) -> None:
    """Points and boxes of the proof: thin except in the three unknowns, whose widths grow from lane to lane."""
    for lane in range(LANES):
        for j in range(5):
            s.C[j, lane] = s.x[j]
            s.X.put(j, lane, s.x[j], s.x[j])
    reach = longest(s, 4)
    for m in range(3):
        j = s.columns[m]
        width = _SMALLEST
        if j < 4:
            width *= min(max(reach / longest(s, j), 1.0), 1e3)
        for lane in range(LANES):
            s.X.put(j, lane, max(s.x[j] - width, 0.0), min(s.x[j] + width, 1.0))
            width *= _RATIO


@native
def within(s: PairsMemory, lane: int) -> bool:
    """Whether the box of the lane lies in the unit cube."""
    for m in range(3):
        if s.Y.lo(m, lane) < 0.0 or s.Y.hi(m, lane) > 1.0:
            return False
    return True


@native
def accept(s: PairsMemory, upper: float) -> None:
    s.proved = upper
    for j in range(5):
        s.best[j] = s.x[j]
    s.region.put_lo(4, 2.0)
    arrange(s)
    largest = max(abs(s.multiplier[0]), abs(s.multiplier[1]), abs(s.multiplier[2]))
    if largest > 0.0:
        for i in range(3):
            s.normal[i] = s.multiplier[i] * s.scale / largest


# -- the certificate ----------------------------------------------------------------------------------------------


@native
def certify(s: PairsMemory, widest: float) -> None:
    """Find a box round the best contact, at most so wide, in which none is earlier, see `certificate`; it is `region` then."""
    if s.region.lo(4) < 2.0 or s.side[0] > 1.0 or s.ratio > _UNEQUAL or (s.error > 0.0 and s.rational != 0):
        return
    place_regions(s, widest)
    call_kernel(s.neighbourhood, s.present.q, s.present.weights, s.inverse, s.X, s.J, s.M)
    widen_neighbourhood(s)
    call_kernel(s.certificate, s.best, s.X, s.offset, s.J, s.M, s.slopes, s.inverse, s.dual, s.order, s.side, s.bound)
    for lane in range(LANES):
        if s.bound[lane] > s.proved - MARGIN * s.tolerance:
            s.certified = s.bound[lane]
            for j in range(5):
                s.region.put(j, s.X.lo(j, lane), s.X.hi(j, lane))
            return


@native
def widen_neighbourhood(s: PairsMemory) -> None:
    """As `widen`, of polynomial patches: second derivatives are in error by 4 degree^2 e, those in u and t by 2 degree e."""
    if s.error > 0.0:
        error = s.error * s.scale
        for lane in range(LANES):
            for i in range(3):
                row = abs(s.inverse[i, 0]) + abs(s.inverse[i, 1]) + abs(s.inverse[i, 2])
                for j in range(5):
                    s.J.widen(5 * i + j, lane, 2.0 * (1 + s.degree) * error * row)
        error *= abs(s.dual[0]) + abs(s.dual[1]) + abs(s.dual[2])
        for lane in range(LANES):
            for k in range(25):
                s.M.widen(k, lane, 4.0 * s.degree * s.degree * error)


@native
def arrange(s: PairsMemory) -> None:
    """For the certificate: order the unknowns, invert the columns of the basic ones, take the multipliers for which L' vanishes
    in them, and keep the derivatives from the smallest box of the proof. No certificate is to be tried where `side` is 2.
    """
    rest = 3
    for i in range(3):
        s.offset[i, 0], s.offset[i, 1] = -s.f.lo(i, 0), s.f.hi(i, 0)
        for j in range(5):
            s.slopes[i, j, 0], s.slopes[i, j, 1] = -s.J.lo(5 * i + j, 0), s.J.hi(5 * i + j, 0)
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
        s.inverse[0, i] = s.G[j, b] * s.G[k, c] - s.G[k, b] * s.G[j, c]
        s.inverse[1, i] = s.G[j, c] * s.G[k, a] - s.G[k, c] * s.G[j, a]
        s.inverse[2, i] = s.G[j, a] * s.G[k, b] - s.G[k, a] * s.G[j, b]
    d = s.G[0, a] * s.inverse[0, 0] + s.G[1, a] * s.inverse[0, 1] + s.G[2, a] * s.inverse[0, 2]
    largest = 0.0
    for m in range(3):
        for i in range(3):
            s.inverse[m, i] /= d
            largest = max(largest, abs(s.inverse[m, i]))
    for i in range(3):
        s.dual[i] = -s.inverse[2, i]
    if s.held[4] != 0 or not largest * s.scale < _STEEPEST:
        s.side[0] = 2.0


@native
def place_regions(s: PairsMemory, widest: float) -> None:
    """Boxes round the best contact, smaller from lane to lane; in time as far as the parameters move the points."""
    fastest, rate = 0.0, max(abs(s.slopes[0, 4, 1]), abs(s.slopes[1, 4, 1]), abs(s.slopes[2, 4, 1]))
    for i in range(3):
        for j in range(4):
            fastest = max(fastest, abs(s.slopes[i, j, 0]))
    width, share = widest, fastest / rate
    for lane in range(LANES):
        for j in range(5):
            reach = width * share if j == 4 else width
            s.X.put(j, lane, max(s.best[j] - reach, 0.0), min(s.best[j] + reach, 1.0))
        width *= _NARROWER


@native
def certified(s: PairsMemory, box: Candidate) -> bool:
    """Whether the certificate holds for all of a box."""
    if box.begin < s.region.lo(4):
        return False
    for j in range(4):
        if box.lo(j) < s.region.lo(j) or box.hi(j) > s.region.hi(j):
            return False
    return True
