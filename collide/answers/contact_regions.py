"""Contact regions over time: numbers that they keep, and how they begin, merge, split and end."""

from collections.abc import Hashable, Sequence
from enum import Enum
from typing import Any, NamedTuple, Protocol

import numpy as np

from codegen.given import shown

from ..given import is_number


class RegionEvent(Enum):
    """BIRTH: a region that was none. MERGE: several became one. SPLIT: one became several. DEATH: a region is no more."""

    BIRTH = "birth"
    MERGE = "merge"
    SPLIT = "split"
    DEATH = "death"

    def __repr__(self) -> str:
        return f"RegionEvent.{self.name}"


class RegionChange(NamedTuple):
    """A change of contact regions: the `time` at which it was seen, its `kind`, and the numbers of the regions `before` and `after` it. Of
    several that merge the least number goes on. Of those that one splits into, the one with most of its contacts keeps the number.
    """

    time: float
    kind: RegionEvent
    before: tuple[int, ...]
    after: tuple[int, ...]


class Footprint(NamedTuple):
    """The marks by which a region is recognised: its contacts, as pairs of features, and the pairs of faces that meet there."""

    contacts: frozenset[Hashable]
    faces: frozenset[Hashable]


class RegionState(NamedTuple):
    """The regions of two bodies at a time: their numbers, and what they are recognised by."""

    numbers: tuple[int, ...] = ()
    known: tuple[Footprint, ...] = ()

    def onward(self, footprints: Sequence[Footprint], time: float, free: int) -> tuple["RegionState", tuple[RegionChange, ...]]:
        """The state at a later time, and what has changed since then. New regions are numbered from `free` on."""
        after, found = [-1] * len(footprints), list[RegionChange]()
        for old, new in groups(self.known, footprints):
            before = tuple(sorted(self.numbers[k] for k in old))
            shares = [len(footprints[k].contacts & frozenset().union(*(self.known[j].contacts for j in old))) for k in new]
            heir = new[int(np.argmax(shares))] if before and new else -1
            for k in new:
                after[k], free = (before[0], free) if k == heir else (free, free + 1)
            found += _changes(time, before, tuple(after[k] for k in new))
        return RegionState(tuple(after), tuple(footprints)), tuple(found)


class TouchLike(Protocol):
    """An answer of `touch`."""

    @property
    def contacts(self) -> Sequence[Any]: ...

    @property
    def regions(self) -> np.ndarray: ...

    @property
    def faces(self) -> Sequence[frozenset[tuple[int, int]]]: ...


class RegionTracker:
    """Contact regions of two polyhedra, from pose to pose.

    `numbers` (r,): those of the present regions, in the order of `Touch.faces`. `history`: all changes so far.

    Notes
    -----
    A region goes on as each one that has a contact of the same two entities; if there is none, as those with a pair of faces in common that
    have no other successor, or predecessor. This *approximates*: changes between two poses that undo each other are not seen, and a region
    that has moved to other faces from one pose to the next ends, and another one begins. At each pose the regions are those of `touch`.

    Examples
    --------
    A slab comes down on two steps, and slides off one of them.

    >>> from collide import Mesh, RegionTracker, touch
    >>> from generative import IDENTITY, Rigid
    >>> faces = [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6],
    ...          [3, 0, 4], [3, 4, 7]]
    >>> def box(x0, x1, z0, z1):
    ...     return [[x, y, z] for z in (z0, z1) for x, y in ((x0, 0), (x1, 0), (x1, 1), (x0, 1))]
    >>> steps = Mesh(box(0, 1, 0, 1) + box(2, 3, 0, 1), faces + [[k + 8 for k in f] for f in faces])
    >>> slab = Mesh(box(0, 3, 1, 2), faces)
    >>> tracker = RegionTracker()
    >>> for time, (x, z) in enumerate([(0, 1), (0, 0), (1.5, 0)]):
    ...     changes = tracker.update(touch(slab, steps, (Rigid(translation=[x, 0, z]), IDENTITY)), time)
    >>> [(c.time, c.kind.name, c.before, c.after) for c in tracker.history]
    [(1.0, 'BIRTH', (), (0,)), (1.0, 'BIRTH', (), (1,)), (2.0, 'DEATH', (0,), ())]
    """

    def __init__(self) -> None:
        self.history: tuple[RegionChange, ...] = ()
        self._state, self._next, self._time = RegionState(), 0, -np.inf

    def update(self, touch: TouchLike, time: float) -> tuple[RegionChange, ...]:
        """Take the answer of `touch` at a later time.

        Parameters
        ----------
        touch : Touch
            An answer about the same two bodies. Bodies that penetrate each other have no regions.
        time : float
            Not before that of the last answer.

        Returns
        -------
        tuple of RegionChange
            The changes since the last answer.

        Raises
        ------
        TypeError
            For anything but an answer of `touch`.
        ValueError
            For a time that is not finite, or goes back.
        """
        if not all(hasattr(touch, name) for name in ("contacts", "regions", "faces")):
            raise TypeError(f"a tracker of regions takes answers of collide.touch, got {shown(touch)}")
        if not (is_number(time) and np.isfinite(float(time)) and time >= self._time):
            raise ValueError(f"a time is a finite number, not before that of the last answer, {self._time:g}, got {shown(time)}")
        own = [frozenset((c[0], c[1]) for c, r in zip(touch.contacts, touch.regions.tolist(), strict=True) if r == k)
               for k in range(len(touch.faces))]
        self._time = float(time)
        known = [Footprint(*pair) for pair in zip(own, touch.faces, strict=True)]
        self._state, found = self._state.onward(known, self._time, self._next)
        self._next = max([self._next, *(n + 1 for n in self.numbers)])
        self.history += found
        return found

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of the present regions."""
        return self._state.numbers

    def __repr__(self) -> str:
        return f"RegionTracker({len(self.numbers)} regions, {len(self.history)} changes)"


def _changes(time: float, before: tuple[int, ...], after: tuple[int, ...]) -> list[RegionChange]:
    if not before:
        return [RegionChange(time, RegionEvent.BIRTH, (), (n,)) for n in after]
    if not after:
        return [RegionChange(time, RegionEvent.DEATH, (n,), ()) for n in before]
    kept = (min(before),)
    merged = [RegionChange(time, RegionEvent.MERGE, before, kept)] if len(before) > 1 else []
    return merged + ([RegionChange(time, RegionEvent.SPLIT, kept, after)] if len(after) > 1 else [])


def groups(old: Sequence[Footprint], new: Sequence[Footprint]) -> list[tuple[list[int], list[int]]]:
    """Regions before and after that go on as each other, each in one group; those alone come last, the old ones first."""
    links = [(j, k) for j, a in enumerate(old) for k, b in enumerate(new) if a.contacts & b.contacts]
    known = {j for j, _ in links}, {k for _, k in links}
    links += [(j, k) for j, a in enumerate(old) for k, b in enumerate(new) if j not in known[0] and k not in known[1] and a.faces & b.faces]
    found = list[tuple[set[int], set[int]]]()
    for j, k in links:
        same = [g for g in found if j in g[0] or k in g[1]]
        found = [g for g in found if g not in same]
        found.append(({j}.union(*(g[0] for g in same)), {k}.union(*(g[1] for g in same))))
    lone: list[tuple[list[int], list[int]]] = [([j], []) for j in range(len(old)) if not any(j in g[0] for g in found)]
    born: list[tuple[list[int], list[int]]] = [([], [k]) for k in range(len(new)) if not any(k in g[1] for g in found)]
    return [*((sorted(a), sorted(b)) for a, b in found), *lone, *born]
