"""Event queue: the next thing to do, ordered by time."""

import heapq
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from codegen.interval import Interval

from ...answers.contacts import Contacts

WHOLE = -1
"""The `part` of a pair of whole bodies."""


class PairKey(NamedTuple):
    """Key of a pair: bodies i < j, or one of them and a numbered `part` of the other, of which a flat face is touched already."""

    i: int
    j: int
    part: int = WHOLE

    @property
    def bodies(self) -> tuple[int, int]:
        """The numbers of both bodies."""
        return self.i, self.j

    @property
    def whole(self) -> bool:
        """Whether the pair is one of whole bodies."""
        return self.part == WHOLE


class BodyKey(NamedTuple):
    """Key of a single body, of which an event is."""

    body: int

    @property
    def bodies(self) -> tuple[int]:
        """The number of the body."""
        return (self.body,)


Key = PairKey | BodyKey


class EventKind(Enum):
    """The reason why there is something to do: a proved contact, the end of a small bounce, of a box, of a series, of a motion in contact;
    or a pair may meet from then on.
    """

    HIT = 0
    BOUNCE = 1
    BOX = 2
    SERIES = 3
    HELD = 4
    LOOK = 5


@dataclass(order=True, slots=True)
class EventEntry:
    """An event at a time, of a pair or a body `key`, unless its version has changed; of a hit, the contacts `found`."""

    time: float
    order: int
    kind: EventKind = field(compare=False)
    key: Key = field(compare=False)
    versions: tuple[int, ...] = field(compare=False)
    found: Contacts | None = field(compare=False, default=None)

    @property
    def pair(self) -> PairKey:
        """The key of an event of a pair."""
        assert isinstance(self.key, PairKey)
        return self.key

    @property
    def body(self) -> int:
        """The number of the body of an event of one."""
        assert isinstance(self.key, BodyKey)
        return self.key.body

    @property
    def bracket(self) -> Interval:
        """The bracket of the time at which it comes."""
        return Interval(self.time, self.time) if self.found is None or self.found.time is None else self.found.time


class EventQueue:
    """A queue of entries, which notes what changes from a mark on (see `journal`). `versions`: the present ones of a key; entries of
    earlier ones are passed over.
    """

    def __init__(self, versions: Callable[[Key], tuple[int, ...]]) -> None:
        self._versions, self._order = versions, itertools.count()
        self._heap: list[EventEntry] = []
        # Entries since the mark, each with whether it went in; noted before it does, so that Ctrl-C may come in between.
        self._noted: list[tuple[EventEntry, bool]] = []

    def push(self, time: float, kind: EventKind, key: Key, found: Contacts | None = None) -> None:
        self.put_back(EventEntry(time, next(self._order), kind, key, self._versions(key), found))

    def put_back(self, entry: EventEntry) -> None:
        self._noted.append((entry, True))
        heapq.heappush(self._heap, entry)

    def next(self) -> EventEntry | None:
        """The next entry; it stays in the queue."""
        while self._heap and not self.holds(self._heap[0]):
            self.pop()
        return self._heap[0] if self._heap else None

    def pop(self) -> EventEntry:
        self._noted.append((self._heap[0], False))
        return heapq.heappop(self._heap)

    def holds(self, entry: EventEntry) -> bool:
        """Whether an entry is about the present motions."""
        return entry.versions == self._versions(entry.key)

    def __iter__(self) -> Iterator[EventEntry]:
        """All that count, in any order."""
        return filter(self.holds, self._heap)

    def mark(self) -> None:
        self._noted.clear()

    def undo(self) -> None:
        there = {entry.order: entry for entry in self._heap}
        for entry, added in reversed(self._noted):
            if added:
                there.pop(entry.order, None)
            else:
                there[entry.order] = entry
        self._heap = sorted(there.values())
        self._noted.clear()
