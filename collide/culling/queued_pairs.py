"""The queue of pairs of nodes of two trees, for native loops that go down both best first.

The key of a pair is a time before which what its nodes hold is apart.
"""

from typing import Protocol

from codegen.machine.loops import native
from codegen.machine.structures import Grid, Ints

from ..search.native.queue import Heaps, meld, without_root


class QueuedPairs(Heaps, Protocol):
    """Memory with such a queue: a heap of pairs `both` (n, 2) with the root `root`, and a stack `free` of `unused` places for them."""

    root: int
    unused: int
    both: Grid[int]
    free: Ints


@native
def queued(s: QueuedPairs, a: int, b: int, time: float) -> None:
    s.unused -= 1
    i = s.free[s.unused]
    s.both[i, 0], s.both[i, 1], s.key[i] = a, b, time
    s.child[i], s.sibling[i] = -1, -1
    s.root = meld(s, s.root, i)


@native
def taken(s: QueuedPairs) -> int:
    """The first pair; its place is free again, its contents stay until the next one is queued."""
    i = s.root
    s.root = without_root(s, i)
    s.free[s.unused] = i
    s.unused += 1
    return i
