"""The boxes to search, in a heap: the least key first."""

from codegen.machine.loops import native

from .memory import FREE, OPEN, USED


@native
def before(s, t, a, i):
    """Does box a with key t come before entry i? Ties come by number, so that a run is reproducible."""
    return t < s.key[i] or (t == s.key[i] and a > s.heap[i])


@native
def put(s, i, box, key):
    """A box with its key as entry i."""
    s.heap[i] = box
    s.key[i] = key


@native
def push(s, a, b, tl, th):
    """A box, by the beginning of its window."""
    enqueue(s, a, b, tl, th, tl)


@native
def enqueue(s, a, b, tl, th, key):
    """A box of subpatches a and b and a window of time, by a key."""
    box = s.count[USED]
    if s.count[FREE] > 0:
        s.count[FREE] -= 1
        box = s.free[s.count[FREE]]
    else:
        s.count[USED] += 1
    s.pair[2 * box], s.pair[2 * box + 1] = a, b
    s.window[2 * box], s.window[2 * box + 1] = tl, th
    i = s.count[OPEN]
    s.count[OPEN] += 1
    while i > 0:
        above = (i - 1) // 2
        if not before(s, key, box, above):
            break
        put(s, i, s.heap[above], s.key[above])
        i = above
    put(s, i, box, key)


@native
def pop(s):
    """Remove the first box; its number is free again, its contents stay until the next push."""
    s.free[s.count[FREE]] = s.heap[0]
    s.count[FREE] += 1
    s.count[OPEN] -= 1
    size = s.count[OPEN]
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
