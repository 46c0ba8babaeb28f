"""The queues of boxes: pairing heaps over shared memory, one a problem.

Nodes are indices into the arrays `key`, `child` and `sibling`; -1 is the empty heap. Any number of heaps share the
arrays, so every problem has a queue of its own without memory of its own (Fredman, Sedgewick, Sleator and Tarjan
1986).
"""

from typing import Protocol

import numpy as np

from codegen.machine.loops import native
from codegen.machine.structures import Box, Floats, Ints

from .layout import ProblemRow, SearchMemory


class Heaps(Protocol):
    """Memory with such heaps."""

    key: Floats
    child: Ints
    sibling: Ints


@native
def meld(s: Heaps, a: int, b: int) -> int:
    """One heap from two. Ties are broken by index, so that boxes that begin together, as at a tip, are taken in an order that ends (by
    measurement: not so where the older one comes first).
    """
    if a < 0:
        return b
    if b < 0:
        return a
    # Which one is first cannot be predicted, so it is not a branch.
    exchanged = (s.key[b] < s.key[a]) | ((s.key[b] == s.key[a]) & (b < a))
    first = b if exchanged else a
    second = a if exchanged else b
    s.sibling[second] = s.child[first]
    s.child[first] = second
    return first


@native
def without_root(s: Heaps, root: int) -> int:
    """The heap without its root: the children melded in pairs from the left, then the pairs from the right."""
    pairs = -1
    a = s.child[root]
    while a >= 0:
        b = s.sibling[a]
        following = -1
        if b >= 0:
            following = s.sibling[b]
            s.sibling[b] = -1
        s.sibling[a] = -1
        pair = meld(s, a, b)
        s.sibling[pair] = pairs
        pairs = pair
        a = following
    heap = -1
    while pairs >= 0:
        following = s.sibling[pairs]
        s.sibling[pairs] = -1
        heap = meld(s, heap, pairs)
        pairs = following
    return heap


@native
def copy_box(s: SearchMemory, p: ProblemRow, source: Box, target: Box) -> None:
    """One box of problem p becomes another."""
    for j in range(p.variables):
        target.put(j, source.lo(j), source.hi(j))


@native
def push(s: SearchMemory, p: ProblemRow, box: Box) -> int:
    """Queue a box; its index. Boxes come first by the lower (or upper) end of the objective;
    without one, the widest.

    By the lower end, all boxes that begin before the least objective are examined and no others, and what is cleared moves on. By the upper
    end as many are: once u is known, which local solves mostly see to early, all boxes end there, and those that come first are those last
    queued. What this order gained along curves of contacts was not its own: boxes that begin long before u were contracted there,
    beside those that begin at it, and it left the time before it was well known to edges and vertices. `node_pairs.marching` and
    `loop.bracketed` see to both in either order.
    """
    s.unused -= 1
    i = s.free[s.unused]
    queued, objective = s.box[i], p.objective
    copy_box(s, p, box, queued)
    if objective >= 0:
        s.key[i] = queued.hi(objective) if s.upper_first != 0 else queued.lo(objective)
    else:
        s.key[i] = 0.0
        for j in range(p.variables):
            s.key[i] = min(s.key[i], queued.lo(j) - queued.hi(j))
    s.child[i] = -1
    s.sibling[i] = -1
    s.halved[i, 0] = -1
    s.halved[i, 1] = -1
    s.tests[i] = 0
    s.settled[i] = 0
    s.horizon[i] = np.inf
    s.solved_at[i] = np.inf
    s.pair[i, 0] = -1
    s.pair[i, 1] = -1
    p.root = meld(s, p.root, i)
    s.open += 1
    return i


@native
def pop(s: SearchMemory, p: ProblemRow) -> int:
    """Take the first box of problem p; its index is free again, its contents stay until the next push."""
    i = p.root
    p.root = without_root(s, i)
    s.free[s.unused] = i
    s.unused += 1
    s.open -= 1
    return i


@native
def list_queued(s: SearchMemory, p: ProblemRow) -> int:
    """The indices of the boxes in the queue of problem p, each before those below it, in `free` behind those that are free; how many."""
    begin = s.unused
    end = begin
    if p.root >= 0:
        s.free[end] = p.root
        end += 1
    at = begin
    while at < end:
        i = s.free[at]
        if s.child[i] >= 0:
            s.free[end] = s.child[i]
            end += 1
        if s.sibling[i] >= 0:
            s.free[end] = s.sibling[i]
            end += 1
        at += 1
    return end - begin


@native
def first_problem(s: SearchMemory) -> int:
    """The number of the problem whose first box comes before those of the others; -1 when all queues are empty."""
    best = -1
    for p in range(s.problems):
        root = s.problem[p].root
        if root >= 0 and (best < 0 or s.key[root] < s.key[s.problem[best].root]):
            best = p
    return best
