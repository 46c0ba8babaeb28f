"""State of a run: its bodies and pairs, what is in the queue, and what has happened.

The modules of this room hold functions of it, each of which imports those that it builds on: boxes, searches, the rates of gaps, points of
contact, motions in contact, the transitions of pairs, and the loop. A step that does not come to its end is undone: tables note how they
change, and the few numbers are kept.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from codegen.interval import Interval
from generative.body import called

from ...answers.contact_regions import RegionChange, RegionState
from ...answers.contacts import Contacts
from ..broad_phase.boxes import MovingBoxes
from ..broad_phase.sphere_bounds import Far
from ..contact.tracked_pair import found_last
from ..contact_solver.impact import Law
from ..dynamics.equations import Forces, MotionEquations
from ..dynamics.guard_set import GuardHit
from ..dynamics.steady_contact import ContactMode
from ..event import Event
from ..journal import Noted, Undoable
from ..motion.moving_body import MovingBody
from ..motion.state import Particulars
from ..narrow_phase.time_of_impact import bounds_of
from ..reason import Activity, Reason, WorkKind
from .event_queue import BodyKey, EventKind, EventQueue, Key, PairKey
from .pair import Manifold, PairTable


@dataclass(frozen=True)
class ModeChange:
    """Change of mode: from `time` on `body` stays in contact, and rests, rolls, slides or rocks, as `mode` says: at the end of infinitely
    many bounces, where there were any.
    """

    time: float
    body: int
    mode: ContactMode


class ContactRegion(NamedTuple):
    """A region in which bodies `pair` = (i, j) stay in contact: its `number`, the times of its `begin` and `end`, None as long as it lasts,
    and points (k, 3) of it at its begin, whose hull it is if it is flat.
    """

    number: int
    pair: tuple[int, int]
    begin: float
    end: float | None
    points: np.ndarray


class BodyContact(NamedTuple):
    """Motion of a body in contact. `leaving`: it ends at the border of a face; `end`: the guard that ends it, and `owners`, the pairs that
    move with it, if it is followed; `mode`: how it stays in contact; `since`: a time, and how many motions of it ended at once since then.
    """

    leaving: bool = False
    end: GuardHit | None = None
    owners: tuple[PairKey, ...] = ()
    mode: ContactMode | None = None
    since: tuple[float, int] = (-math.inf, 0)


_NONE = BodyContact()


class BodyContacts(Undoable[int, BodyContact]):
    """Motions in contact by the number of the body."""

    def __missing__(self, key: int) -> BodyContact:
        return _NONE


class RegionStates(Undoable[tuple[int, int], RegionState]):
    """The contact regions of pairs of bodies."""

    def __missing__(self, key: tuple[int, int]) -> RegionState:
        return RegionState()


class Saved(NamedTuple):
    """The values that restore a run to the beginning of a step, besides the tables that note their changes."""

    now: float
    begun: bool
    at_once: int
    over: str
    since_asked: int
    events: int
    rests: int
    tracked: Any
    regions: tuple[int, int]


class Simulation:
    """A run up to a time, `now`. `events`, and bodies that came to `rests`.

    `law`: the response of contacts; `coefficients`: restitution and friction of two bodies; `forces`: those besides `gravity`, if any.
    `near`: the bodies that come near each other; `far`: until when pairs are apart, however they turn; `bounds`: providers of that, and of
    where they may meet; `queue`: what is to be done;
    `pairs`: all that is known of pairs; `contacts`: motions of bodies in contact; `steps`: how long a time is tried at once by bodies that
    are followed, of those that turn, and others. `regions`: contact regions of pairs now; `region_begins`, `region_changes`: those that
    there were, by their numbers, and how they changed. `activity`: what the run did last; `over`: why nothing can come any more; `stuck`:
    why it cannot go on.
    """

    def __init__(
        self,
        actors: Sequence[MovingBody],
        law: Law,
        coefficients: Callable[[int, int], tuple[float, float]],
        start: float,
        forces: Forces | None = None,
        gravity: np.ndarray | None = None,
    ) -> None:
        self.actors, self.now, self.start = actors, start, start
        self.law, self.coefficients, self.forces = law, coefficients, forces
        self.gravity = np.zeros(3) if gravity is None else gravity
        self.particulars: list[Particulars] = []
        self.near, self.far, self.queue = MovingBoxes(len(actors)), Far(), EventQueue(self.versions)
        self.bounds = bounds_of(self.near, self.far)
        self.pairs, self.contacts = PairTable(), BodyContacts()
        self.steps: Undoable[tuple[int, bool], float] = Undoable()
        self.events: list[Event] = []
        self.rests: list[ModeChange] = []
        self.regions, self.region_begins, self.region_changes = RegionStates(), list[ContactRegion](), list[RegionChange]()
        self.begun, self.at_once, self.stuck, self.over, self.since_asked = False, 0, "", "", 0
        self.activity = Activity(WorkKind.SET_UP, tuple(range(len(actors))), start)
        # While it is not told yet what hops: what has begun.
        self.waiting: list[tuple[MotionEquations, Sequence[PairKey]]] | None = None
        # The latest question for velocities at contacts, which is asked again and again.
        self.asked: tuple[tuple[Any, ...], np.ndarray] = (), np.empty((0, 3))
        self.before: list[Any] = []
        for actor in self.actors:
            actor.before = self.before

    # -- undo -------------------------------------------------------------------------------------------------------------

    def snapshot(self) -> Saved:
        """The state that a step may change, so that a step that does not come to its end can be undone; of bodies and tables, the changes
        are noted.
        """
        self.before.clear()
        for known in self._noted():
            known.mark()
        links = [e for key in self.pairs.touched for e in self.touch(key).links]
        links += [k.link for key in self.pairs.followed for k in self.pairs[key].constraints]
        tracked = found_last(link.contact for link in links)
        return Saved(self.now, self.begun, self.at_once, self.over, self.since_asked, len(self.events), len(self.rests), tracked,
                     (len(self.region_begins), len(self.region_changes)))

    def restore(self, saved: Saved) -> None:
        """The run as it was at a snapshot, the latest one."""
        self.now, self.begun, self.at_once, self.over, self.since_asked = saved[:5]
        del self.events[saved.events :], self.rests[saved.rests :]
        del self.region_begins[saved.regions[0] :], self.region_changes[saved.regions[1] :]
        self.pairs.changed.clear()
        for known in self._noted():
            known.undo()
        for actor, *was in reversed(self.before):
            actor.undone(*was)
        for contact, *known in saved.tracked:
            contact.recall(*known)
        self.before.clear()

    def _noted(self) -> tuple[Noted, ...]:
        return self.near, self.queue, self.pairs, self.contacts, self.steps, self.far.known, self.regions

    # -- bodies and pairs -------------------------------------------------------------------------------------------------

    def called(self, k: int) -> str:
        """The name of a body in messages."""
        return called([a.rigid for a in self.actors], k)

    def size(self, key: PairKey) -> float:
        """The radius of the smaller of two bodies, of those that are free."""
        one, other = self.actors[key.i], self.actors[key.j]
        return min(one.radius, other.radius) if one.free and other.free else one.radius if one.free else other.radius

    def versions(self, key: Key) -> tuple[int, ...]:
        """The versions of the motions of a body, or of two."""
        if isinstance(key, BodyKey):
            return (self.actors[key.body].version,)
        return self.actors[key.i].version, self.actors[key.j].version

    def all_courses(self) -> list[Any]:
        """The present motion of each body."""
        return [a.course for a in self.actors]

    def push(self, time: float, kind: EventKind, key: Key, found: Contacts | None = None) -> None:
        """Put what is to be done into the queue."""
        self.queue.push(time, kind, key, found)

    def touch(self, key: PairKey) -> Manifold:
        """The latest contact of a pair."""
        return self.pairs.manifold(key)

    def put(self, key: PairKey, manifold: Manifold | None) -> None:
        """A pair touches; or what touched is forgotten."""
        self.pairs[key] = self.pairs[key].touched(manifold)

    # -- words ------------------------------------------------------------------------------------------------------------

    def reason(self, bodies: Iterable[int], obstacle: str, advice: str, time: float | Interval | None = None) -> Reason:
        """The reason why the run cannot go on from now, or another time."""
        return Reason.of(self.called, bodies, self.now if time is None else time, obstacle, advice)

    def turn_to(self, work: WorkKind, bodies: Iterable[int]) -> None:
        """Note an activity."""
        self.activity = Activity(work, tuple(bodies), self.now)


def ordered(actors: Sequence[MovingBody], pair: tuple[int, int]) -> tuple[int, int]:
    """A pair in the order of the kinds of its bodies: pairs of one kind share code."""
    i, j = pair
    return (i, j) if (actors[i].shape_number, i) <= (actors[j].shape_number, j) else (j, i)
