"""The native loop of `narrow_phase.bounding_trees`: best first over pairs of nodes of two trees, stretch of time by stretch.

The key of a pair is a time before which what its nodes hold is apart. The pair with the least one is taken: the larger of two nodes that
can be divided is, and the pairs with its halves are moved on in time from there. Leaves belong to groups. Pairs of groups are found in the
order of the times of their first leaves; other nodes of the same pair of groups are passed over.

A node holds a part of a surface within a ball, and between two planes. In a stretch the centres of two balls differ by d(s), up to an
error of E + s^2 A / 2 at most (`stretches_loop`). So along a unit vector n they are farther apart than n d(s) - E - s^2 A / 2, which is a
parabola. Roundings of what is computed here, some hundred of relative error 2^-53, are part of E. And while `normals_loop` tells that what
two nodes hold does not touch for the first time they are as good as apart, if only that is asked.
"""

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Floats, Grid, Ints, array

from ....culling.queued_pairs import queued, taken
from .normals_loop import SHORTER, SLANT, TreesMemory, averted_for, parting_for
from .stretches_loop import put_stretch

FINISHED, NEED_ROOM, NEED_FOUND = 0, 1, 2
# Effort: how often a pair is moved on at most, and the share of what is left of the stretch that is worth another time.
_TRIES, _WORTH = 6, 0.02
# Nodes are looked at along their normals if both together are so thin, against their radii. Effort only.
_FLAT = 0.5
# Nodes of groups are divided no further where one is at most so much larger than the other.
_ALIKE = 2.0


class NearingMemory(TreesMemory):
    """The trees are the caller's."""

    unset = ("room", "found_room")

    room: int
    found_room: int
    anew: int                       # 1: only where bodies touch for the first time
    root: int                       # of the heap of pairs
    unused: int                     # pairs in `free`
    found: int                      # pairs of groups
    stretch: int                    # the present one, and whether its pairs are queued
    begun: int
    first: float                    # when the first pair of groups may meet; infinite: none is found yet
    stride: float                   # so long after that the search ends,
    soon: float                     # if that is before this time; else at once
    limit: float                    # in the present stretch
    until: float                    # all pairs of groups are found that may meet before
    child1: Ints = array("nodes")           # the first of two children; of leaves -1
    child2: Ints = array("nodes")
    group1: Ints = array("nodes")           # -1: of no group
    group2: Ints = array("nodes")
    groups: int                             # of the second body
    seen: Ints = array("pairs")             # of pairs of groups: 1 for those found in this stretch
    # queued pairs
    both: Grid[int] = array("room", 2)  # nodes
    key: Floats = array("room")
    child: Ints = array("room")         # pairing heap
    sibling: Ints = array("room")
    free: Ints = array("room")          # a stack of unused ones
    # found ones
    hits: Grid[int] = array("found_room", 2)
    when: Floats = array("found_room")


@native
def begin_nearing(s: NearingMemory) -> int:
    """Forget what was found before."""
    forget(s)
    s.found, s.stretch, s.begun = 0, 0, 0
    s.first, s.until = np.inf, s.ends[s.stretches]
    return 0


@native
def nearing(s: NearingMemory) -> int:
    """Goes on until all pairs of groups are found that may meet in so long from the first one on; why it stopped."""
    while s.stretch < s.stretches:
        if s.begun == 0:
            begin_stretch(s)
        reason = through_stretch(s)
        if reason != FINISHED:
            return reason
        if s.root >= 0:
            s.until, s.stretch = s.ends[s.stretch] + s.key[s.root], s.stretches
        s.stretch += 1
        s.begun = 0
    return FINISHED


@native
def begin_stretch(s: NearingMemory) -> None:
    """Queue the pair of both roots, if they may meet in the stretch."""
    put_stretch(s, s.stretch)
    forget(s)
    s.limit = s.first + s.stride - s.ends[s.stretch]
    s.root, s.unused, s.begun = -1, s.room, 1
    for i in range(s.room):
        s.free[i] = i
    consider(s, 0, 0, 0.0)


@native
def forget(s: NearingMemory) -> None:
    """No pair of groups is found in this stretch."""
    for i in range(s.found):
        s.seen[s.hits[i, 0] * s.groups + s.hits[i, 1]] = 0


@native
def through_stretch(s: NearingMemory) -> int:
    """All that may meet up to the limit in the present stretch; why it stopped."""
    while s.root >= 0 and s.key[s.root] <= s.limit:
        if s.unused < 2:
            return NEED_ROOM
        if s.found >= s.found_room:
            return NEED_FOUND
        i = taken(s)
        a, b, time = s.both[i, 0], s.both[i, 1], s.key[i]
        if known(s, a, b):
            continue
        if ended(s, a, b):
            found(s, s.group1[a], s.group2[b], time)
        elif s.child2[b] < 0 or (s.child1[a] >= 0 and s.node1[a, 3] >= s.node2[b, 3]):
            consider(s, s.child1[a], b, time)
            consider(s, s.child1[a] + 1, b, time)
        else:
            consider(s, a, s.child2[b], time)
            consider(s, a, s.child2[b] + 1, time)
    return FINISHED


@native
def ended(s: NearingMemory, a: int, b: int) -> bool:
    """Whether a pair need be divided no further. Where one was found already, nodes of groups need not."""
    if s.child1[a] < 0 and s.child2[b] < 0:
        return True
    if s.first == np.inf or s.group1[a] < 0 or s.group2[b] < 0:
        return False
    first, second = s.node1[a, 3], s.node2[b, 3]
    return first <= _ALIKE * second and second <= _ALIKE * first


@native
def known(s: NearingMemory, a: int, b: int) -> bool:
    """Whether the pair of groups to which two nodes belong is found."""
    first, second = s.group1[a], s.group2[b]
    return first >= 0 and second >= 0 and s.seen[first * s.groups + second] != 0


@native
def found(s: NearingMemory, first: int, second: int, time: float) -> None:
    if s.first == np.inf:
        s.first = s.ends[s.stretch] + time
        s.stride = s.stride if s.first < s.soon else 0.0
        s.limit = time + s.stride
    s.seen[first * s.groups + second] = 1
    s.hits[s.found, 0], s.hits[s.found, 1], s.when[s.found] = first, second, s.ends[s.stretch] + time
    s.found += 1


@native
def consider(s: NearingMemory, a: int, b: int, time: float) -> None:
    """Queue a pair, which is apart before a time, by the time up to which it is proved apart, if that is before the end."""
    if known(s, a, b):
        return
    time = moved_on(s, a, b, time)
    if time < s.last:
        queued(s, a, b, time)


@native
def moved_on(s: NearingMemory, a: int, b: int, time: float) -> float:
    """The time until which two balls are apart from a time on. Infinite: to the end of the stretch."""
    for i in range(3):
        place, speed = s.place[i], s.place[3 + i]
        for j in range(3):
            first, second, k = s.node1[a, j], s.node2[b, j], 3 * i + j
            place += s.turn[18 + k] * second - s.turn[k] * first
            speed += s.turn[27 + k] * second - s.turn[9 + k] * first
        s.way[i], s.way[3 + i] = place, speed
    reach = s.node1[a, 3] + s.node2[b, 3] + s.error
    for _ in range(_TRIES):
        step = apart_for(s, reach, time)
        time += step
        if not step > _WORTH * (s.last - time):
            break
    if time < s.last and s.node1[a, 4] + s.node2[b, 4] < _FLAT * (s.node1[a, 3] + s.node2[b, 3]):
        for k in range(_TRIES):
            step = flat_apart_for(s, a, b, time, k % 2)
            time += step
            if k > 0 and not step > _WORTH * (s.last - time):
                break
    if s.anew != 0:
        if time < s.last and s.slant1[a] * s.slant2[b] < 1.0:
            time += averted_for(s, a, b, time)
        for side in range(2):
            slant = s.slant1[a] if side == 0 else s.slant2[b]
            if time < s.last and slant < 1.0:
                time += parting_for(s, a, b, time, side)
    return time


@native
def apart_for(s: NearingMemory, reach: float, time: float) -> float:
    """The time for which two balls are apart from a time on, along the way from one to the other at that time. Infinite: to the end."""
    square, toward, pull = 0.0, 0.0, 0.0
    for i in range(3):
        d = s.way[i] + time * (s.way[3 + i] + 0.5 * time * s.place[6 + i])
        square += d * d
        toward += d * (s.way[3 + i] + time * s.place[6 + i])
        pull += d * s.place[6 + i]
    size = np.sqrt(square)
    if not size > reach:
        return 0.0
    return positive_for(s, time, size - reach, toward / size, pull / size)


@native
def flat_apart_for(s: NearingMemory, a: int, b: int, time: float, side: int) -> float:
    """The same of two nodes along the normal of one of them at that time. What a node holds reaches along a unit vector that makes an angle
    with its normal no farther than its thickness times the cosine and its radius times the sine; both change with its turn.
    """
    along, other, d, toward, pull, size = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        first, second = 0.0, 0.0
        for j in range(3):
            k = 3 * i + j
            first += (s.turn[k] + time * s.turn[9 + k]) * s.node1[a, 5 + j]
            second += (s.turn[18 + k] + time * s.turn[27 + k]) * s.node2[b, 5 + j]
        n, m = first if side == 0 else second, second if side == 0 else first
        size += n * n
        along += n * m
        other += m * m
        d += n * (s.way[i] + time * (s.way[3 + i] + 0.5 * time * s.place[6 + i]))
        toward += n * (s.way[3 + i] + time * s.place[6 + i])
        pull += n * s.place[6 + i]
    size, other = np.sqrt(size), np.sqrt(other)
    if not (size > 0.5 and other > 0.5):
        return 0.0
    cosine = min(1.0, abs(along) / (size * other))
    sine = np.sqrt(1.0 - cosine * cosine) + SLANT
    sign = (1.0 if d > 0.0 else -1.0) / size
    one, two = s.node1[a, 4], s.node2[b, 4]
    if side == 0:
        two = min(s.node2[b, 3], two + sine * s.node2[b, 3])
        one += SLANT * s.node1[a, 3]
    else:
        one = min(s.node1[a, 3], one + sine * s.node1[a, 3])
        two += SLANT * s.node2[b, 3]
    # Normals are turned by the rotation at this time but for its error, and as time goes on by no more than it changes.
    turns = s.node1[a, 3] * s.whirl[0] + s.node2[b, 3] * s.whirl[1]
    skew = s.node1[a, 3] * s.skew[0] + s.node2[b, 3] * s.skew[1]
    return positive_for(s, time, sign * d - one - two - skew - s.error, sign * toward - turns, sign * pull)


@native
def positive_for(s: NearingMemory, time: float, gap: float, speed: float, pull: float) -> float:
    """The time for which, from a time on, gap + speed r + pull r^2 / 2 is greater than what d may be out. Infinite: to the end.

    It is g + h r - k r^2 / 2 at least, with k >= 0: if that is positive now and then, it is so in between.
    """
    g, rest = gap - 0.5 * s.bend * time * time, s.last - time
    if not g > 0.0:
        return 0.0
    h, k = speed - s.bend * time, max(0.0, s.bend - pull)
    if g + rest * (h - 0.5 * k * rest) > 0.0:
        return np.inf
    step = SHORTER * 2.0 * g / (np.sqrt(h * h + 2.0 * k * g) - h)
    return step if g + step * (h - 0.5 * k * step) > 0.0 else 0.0
