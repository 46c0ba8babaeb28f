"""The queues of boxes: pairing heaps over shared memory, one a problem.

Nodes are indices into the arrays `key`, `child` and `sibling`; -1 is the empty heap. Any number of heaps share the
arrays, so every problem has a queue of its own without memory of its own (Fredman, Sedgewick, Sleator and Tarjan
1986).
"""

import numpy as np

from codegen.machine.loops import native

from .layout import COLUMNS, FREE, NO_PLAN, OBJECTIVE, OPEN, PROBLEMS, ROOT, STRIDE, UPPER_FIRST, VARIABLES


@native
def attribute(s, p, name):
    """An entry of the table of problems."""
    return s.table[p * COLUMNS + name]


@native
def meld(s, a, b):
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
def without_root(s, root):
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
def copy_box(s, p, source, i, target, k):
    """target[k] = source[i], boxes of problem p."""
    n = s.count[STRIDE]
    for j in range(2 * attribute(s, p, VARIABLES)):
        target[2 * n * k + j] = source[2 * n * i + j]


@native
def push(s, p, source, k):
    """Queue box k of the array `source`; its index. Boxes come first by the lower (or upper) end of the objective;
    without one, the widest.

    By the lower end, all boxes that begin before the least objective are examined and no others, and what is cleared moves on. By the upper
    end as many are: once u is known, which local solves mostly see to early, all boxes end there, and those that come first are those last
    queued. What this order gained along curves of contacts was not its own: boxes that begin long before u were contracted there,
    beside those that begin at it, and it left the time before it was well known to edges and vertices. `node_pairs.marching` and
    `loop.bracketed` see to both in either order.
    """
    s.count[FREE] -= 1
    i = s.free[s.count[FREE]]
    copy_box(s, p, source, k, s.box, i)
    n = s.count[STRIDE]
    objective = attribute(s, p, OBJECTIVE)
    if objective >= 0:
        s.key[i] = s.box[2 * (n * i + objective) + s.count[UPPER_FIRST]]
    else:
        s.key[i] = 0.0
        for j in range(attribute(s, p, VARIABLES)):
            s.key[i] = min(s.key[i], s.box[2 * (n * i + j)] - s.box[2 * (n * i + j) + 1])
    s.child[i] = -1
    s.sibling[i] = -1
    s.plan[i] = NO_PLAN
    s.horizon[i] = np.inf
    s.pair[2 * i] = -1
    s.pair[2 * i + 1] = -1
    s.table[p * COLUMNS + ROOT] = meld(s, attribute(s, p, ROOT), i)
    s.count[OPEN] += 1
    return i


@native
def pop(s, p):
    """Take the first box of problem p; its index is free again, its contents stay until the next push."""
    i = attribute(s, p, ROOT)
    s.table[p * COLUMNS + ROOT] = without_root(s, i)
    s.free[s.count[FREE]] = i
    s.count[FREE] += 1
    s.count[OPEN] -= 1
    return i


@native
def list_queued(s, p):
    """The indices of the boxes in the queue of problem p, each before those below it, in `free` behind those that are free; how many."""
    begin = s.count[FREE]
    end = begin
    if attribute(s, p, ROOT) >= 0:
        s.free[end] = attribute(s, p, ROOT)
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
def first_problem(s):
    """The problem whose first box comes before those of the others; -1 when all queues are empty."""
    best = -1
    for p in range(s.count[PROBLEMS]):
        root = attribute(s, p, ROOT)
        if root >= 0 and (best < 0 or s.key[root] < s.key[attribute(s, best, ROOT)]):
            best = p
    return best
