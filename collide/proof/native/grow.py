"""Trees of steps that show that a system has no solution in a box: eight boxes at a time, those first that begin first."""

from codegen.machine.loops import native
from codegen.machine.structures import LANES

from ...search.native.queue import meld, without_root
from .evaluate import at_trials, evaluate, over_boxes
from .memory import AT, DEPTHS, DIVIDED, INSIDE, MEAN, OPEN, OVER, SINGLE, ProverMemory, slope_of
from .steps import convex, mean_value, natural, single, weigh_rows

# Second derivatives are looked at whenever a box is divided so many times.
_EVERY = 2
# How many boxes these are worth, each of which costs as much as a division and what comes of it; and of how many one is tried for all that.
_TRIES, _AGAIN = 12, 32
# A box is divided in time where it is known to be empty before, if that is such a part of it; of that so much is sure for the checker.
_SHARE = 0.3
_SURE = 0.99
GROWN, SLICE, FULL, STUCK = 0, 1, 2, 3


@native
def grow(s: ProverMemory, blocks: int) -> int:
    """So many blocks of boxes; GROWN when no box is open."""
    for _ in range(blocks):
        if s.root < 0:
            return GROWN
        if s.used + 2 * LANES > s.room:
            return FULL
        count, first = _taken(s), s.used
        _examine(s)
        for lane in range(count):
            if s.verdict[lane] != OPEN:
                _exclude(s, lane)
            elif not _divide(s, lane):
                return STUCK
        while first < s.used:
            _sieve(s, first, min(s.used - first, LANES))
            first += LANES
    return GROWN if s.root < 0 else SLICE


@native
def _taken(s: ProverMemory) -> int:
    """Eight boxes from the heap; where there are fewer, the first one fills the lanes."""
    count = 0
    for lane in range(LANES):
        if s.root >= 0:
            s.node[lane] = s.root
            s.root = without_root(s, s.root)
            count += 1
        else:
            s.node[lane] = s.node[0]
        k = s.node[lane]
        for j in range(s.n):
            s.lo[j, lane], s.hi[j, lane] = s.box[k].lo(j), s.box[k].hi(j)
            s.point[j, lane] = s.near[k, j]
            s.trial[j, lane] = 0.5 * (s.box[k].lo(j) + s.box[k].hi(j))
        s.verdict[lane] = OPEN
    return count


@native
def _examine(s: ProverMemory) -> None:
    for lane in range(LANES):
        s.part[s.node[lane]] = _listed(s, lane)
        if s.part[s.node[lane]] >= 0:
            s.verdict[lane] = INSIDE
    over_boxes(s)
    evaluate(s, 1, OVER)
    at_trials(s)
    evaluate(s, 1, AT)
    waiting, bent = 0, 0
    weigh_rows(s)
    for lane in range(LANES):
        for j in range(s.n):
            if s.point[j, lane] != s.point[j, lane]:
                s.point[j, lane] = s.trial[j, lane] + s.step[j, lane]
        if s.verdict[lane] == OPEN:
            natural(s, lane)
        waiting += 1 if s.verdict[lane] == OPEN else 0
    if waiting > 0:
        mean_value(s)
        _keep_weights(s)
        for lane in range(LANES):
            if s.verdict[lane] != OPEN or not _worth(s, lane):
                s.tried[lane] = 0
            bent += s.tried[lane]
        if bent > 0:
            convex(s)
            for lane in range(LANES):
                if s.tried[lane] != 0:
                    d = min(s.depth[s.node[lane]], DEPTHS - 1)
                    s.tries[d] += 1
                    s.wins[d] += 1 if s.verdict[lane] != OPEN else 0
    else:
        _keep_weights(s)


@native
def _worth(s: ProverMemory, lane: int) -> bool:
    """Whether second derivatives are looked at. Where boxes of this depth are too large for them, or too near a contact, few are tried."""
    k = s.node[lane]
    d = min(s.depth[k], DEPTHS - 1)
    if s.tried[lane] == 0 or s.depth[k] % _EVERY != 0:
        return False
    s.asked[d] += 1
    return s.tries[d] < _TRIES * (1 + s.wins[d]) or s.asked[d] % _AGAIN == 0


@native
def _keep_weights(s: ProverMemory) -> None:
    """Keep the weights of steps that are found."""
    for lane in range(LANES):
        if s.verdict[lane] != OPEN:
            for r in range(s.m):
                s.weights[s.node[lane], r] = s.weight[r, lane]


@native
def _listed(s: ProverMemory, lane: int) -> int:
    """The number of the listed box that a box lies in; -1: none."""
    for k in range(s.listed):
        within = True
        for j in range(s.n):
            within = within & (s.inner[k].lo(j) <= s.lo[j, lane]) & (s.hi[j, lane] <= s.inner[k].hi(j))
        if within:
            return k
    return -1


@native
def _exclude(s: ProverMemory, lane: int) -> None:
    k = s.node[lane]
    s.kind[k] = s.verdict[lane]
    if s.verdict[lane] == SINGLE:
        s.more[k, 0] = s.bend[lane]


@native
def _divide(s: ProverMemory, lane: int) -> bool:
    """Two halves, by the variable that changes the rows most, or along the border of a listed box."""
    j = _widest(s, lane)
    at = 0.5 * (s.lo[j, lane] + s.hi[j, lane])
    t, most = s.n - 1, 0.0
    until = max(s.reach[lane], s.soon[lane])
    if s.objective >= 0 and until - s.lo[t, lane] > _SHARE * (s.hi[t, lane] - s.lo[t, lane]):
        return _cut(s, lane, t, s.lo[t, lane] + _SURE * (until - s.lo[t, lane]), s.reach[lane] == until)
    for b in range(s.listed):
        if _near(s, b, lane):
            for i in range(s.n):
                size = s.hi[i, lane] - s.lo[i, lane]
                low, high = s.inner[b].lo(i), s.inner[b].hi(i)
                if low - s.lo[i, lane] > most * size and low < s.hi[i, lane]:
                    j, at, most = i, low, (low - s.lo[i, lane]) / size
                if s.hi[i, lane] - high > most * size and high > s.lo[i, lane]:
                    j, at, most = i, high, (s.hi[i, lane] - high) / size
    return _cut(s, lane, j, at, False)


@native
def _cut(s: ProverMemory, lane: int, j: int, at: float, empty: bool) -> bool:
    """Cut a box in two at a number. `empty`: whether the lower part is empty by the first weights."""
    if not (s.lo[j, lane] < at and at < s.hi[j, lane]):
        return False
    k = s.node[lane]
    s.kind[k], s.by[k], s.cut[k], s.part[k] = DIVIDED, j, at, s.used
    for half in range(2):
        _add(s, lane, j, at, half)
        if empty and half == 0:
            s.kind[s.used - 1] = MEAN
            for r in range(s.m):
                s.weights[s.used - 1, r] = s.first[r, lane]
    return True


@native
def _sieve(s: ProverMemory, first: int, count: int) -> None:
    """Queue the new boxes in which no row alone tells that there is no solution."""
    for lane in range(LANES):
        k = first + min(lane, count - 1)
        s.node[lane] = k
        for j in range(s.n):
            s.lo[j, lane], s.hi[j, lane] = s.box[k].lo(j), s.box[k].hi(j)
    over_boxes(s)
    evaluate(s, 0, OVER)
    for lane in range(count):
        k = s.node[lane]
        s.verdict[lane] = OPEN
        if s.kind[k] == OPEN:
            single(s, lane)
            if s.verdict[lane] == OPEN:
                _queue(s, k)
            else:
                _exclude(s, lane)


@native
def _near(s: ProverMemory, b: int, lane: int) -> bool:
    """Whether a box and a listed one have more than their borders in common."""
    for j in range(s.n):
        if not (s.inner[b].lo(j) < s.hi[j, lane] and s.lo[j, lane] < s.inner[b].hi(j)):
            return False
    return True


@native
def _add(s: ProverMemory, lane: int, j: int, at: float, half: int) -> None:
    k = s.used
    for i in range(s.n):
        s.box[k].put(i, s.lo[i, lane], s.hi[i, lane])
        s.near[k, i] = s.point[i, lane]
    if half == 0:
        s.box[k].put_hi(j, at)
    else:
        s.box[k].put_lo(j, at)
    s.kind[k], s.depth[k] = OPEN, s.depth[s.node[lane]] + 1
    s.used += 1


@native
def _queue(s: ProverMemory, k: int) -> None:
    s.key[k] = s.box[k].lo(s.objective) if s.objective >= 0 else -1.0 * s.depth[k]
    s.child[k], s.sibling[k] = -1, -1
    s.root = meld(s, s.root, k)


@native
def _widest(s: ProverMemory, lane: int) -> int:
    """The variable that changes the rows most; of those whose effect is unknown the widest."""
    best, most, unknown = 0, -1.0, False
    for j in range(s.n):
        half = 0.5 * (s.hi[j, lane] - s.lo[j, lane])
        total = 0.0
        for r in range(s.m):
            k = slope_of(s, r, j)
            d = (abs(s.jet[OVER, k, lane]) + s.jet[OVER, k, LANES + lane]) * s.scale[r, lane]
            total += d * d
        known = total < 1e300
        reach = total * half * half if known else half
        if (not known and not unknown) or (reach > most and known == (not unknown)):
            best, most = j, reach
            unknown = unknown or not known
    return best
