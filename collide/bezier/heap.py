"""The boxes to search, in a heap: the least key first."""

from codegen.machine.loops import native

from .memory import Candidate, PairsMemory, Subpatch


@native
def before(s: PairsMemory, t: float, a: int, i: int) -> bool:
    """Whether box a with key t comes before entry i. Ties come by number, so that a run is reproducible."""
    return t < s.key[i] or (t == s.key[i] and a > s.heap[i])


@native
def put(s: PairsMemory, i: int, box: int, key: float) -> None:
    """A box with its key as entry i."""
    s.heap[i] = box
    s.key[i] = key


@native
def first_box(s: PairsMemory) -> Candidate:
    return s.box[s.heap[0]]


@native
def push(s: PairsMemory, a: Subpatch, b: Subpatch, begin: float, end: float) -> None:
    """A box, by the beginning of its window."""
    enqueue(s, a, b, begin, end, begin)


@native
def enqueue(s: PairsMemory, a: Subpatch, b: Subpatch, begin: float, end: float, key: float) -> None:
    """A box of subpatches a and b and a window of time, by a key."""
    new = s.used
    if s.unused > 0:
        s.unused -= 1
        new = s.free[s.unused]
    else:
        s.used += 1
    box = s.box[new]
    box.first, box.second, box.begin, box.end = a, b, begin, end
    i = s.open
    s.open += 1
    while i > 0:
        above = (i - 1) // 2
        if not before(s, key, new, above):
            break
        put(s, i, s.heap[above], s.key[above])
        i = above
    put(s, i, new, key)


@native
def pop(s: PairsMemory) -> None:
    """Remove the first box; its number is free again, its contents stay until the next push."""
    s.free[s.unused] = s.heap[0]
    s.unused += 1
    s.open -= 1
    size = s.open
    last, t = s.heap[size], s.key[size]
    i = 0
    while 2 * i + 1 < size:
        below = 2 * i + 1
        if below + 1 < size and before(s, s.key[below + 1], s.heap[below + 1], below):
            below += 1
        if before(s, t, last, below):
            break
        put(s, i, s.heap[below], s.key[below])
        i = below
    put(s, i, last, t)
