"""Pair of bodies: one record of all that is known of it, seven states, and its transitions as pure functions.

A `Pair` is replaced, never changed; `PairTable` is the only table of them. Each method of `Pair` that returns one is a transition, named by
what has happened to the two bodies.
"""

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from ...moment.start import Start
from ..contact.manifold import ContactConstraint
from ..contact_solver.forces import ActiveConstraint
from ..journal import Undoable
from ..motion.templates import QueryBody
from ..shapes.simple import Flat
from .event_queue import PairKey


@dataclass(frozen=True, eq=False)
class Manifold:
    """The contact manifold of two bodies at a time: points and normals (k, 3), from the first to the second, and whether that was found by
    a search. `face`: the number of the body that touches with a flat face, and that, in the world. `links`: these contacts as they can be
    followed.
    """

    time: float
    points: np.ndarray
    normals: np.ndarray
    proved: np.ndarray
    face: tuple[int, Flat] | None = None
    links: tuple[ContactConstraint, ...] = ()


class PairState(IntEnum):
    """The claim about a pair, for the motions of its record.

    UNKNOWN claims nothing. SEPARATE: no contact before `until`. PARTING, from a touch: no new contact before `until` (Snyder 1993,
    Section 2). TOUCHING: the manifold holds at this moment, and the response is pending. The others are held, which are not searched.
    BOUNCING: the gap follows its acceleration until it closes. STEADY: it rests, rolls or slides in closed form, or stays closed as long as
    another pair bounces. FOLLOWED: its constraints are in a solved motion.
    """

    UNKNOWN = 0
    SEPARATE = 1
    PARTING = 2
    TOUCHING = 3
    BOUNCING = 4
    STEADY = 5
    FOLLOWED = 6


class Pair(NamedTuple):
    """All that is known of two bodies.

    `until`: a time before which the claim of the state holds, for `motions`, the versions of both motions; of a held pair these are the
    motions for which it is held. `impact`: a time before which it has no contact, where the next one is in the queue. `apart_at`: the time
    at which a pair that parted is proved apart. `doubtful`: of a parting one, whether it is UNKNOWN once it is no longer parting. `pull`:
    the acceleration at which bodies come together that left each other over a border, or hopping. `manifold`: the latest contact.
    `constraints`: those by which it is followed. `others`: a body and the parts of it that are searched while the pair is held, since they
    do not touch. `height`: of a low bounce, the latest time at which its height is known, and that.
    """

    state: PairState = PairState.SEPARATE
    until: float = -math.inf
    motions: tuple[int, ...] | None = None
    impact: float | None = None
    apart_at: float | None = None
    doubtful: bool = False
    pull: float | None = None
    manifold: Manifold | None = None
    constraints: tuple[ActiveConstraint, ...] = ()
    others: tuple[int, list[QueryBody]] | None = None
    height: tuple[float, float] | None = None

    @property
    def held(self) -> bool:
        """Whether the pair is not searched, since it bounces a little or stays in contact."""
        return self.state >= PairState.BOUNCING

    @property
    def start(self) -> Start | None:
        """State of the pair as a search begins; None if that is to be found out."""
        return Start.TOUCHING if self.state is PairState.PARTING else None if self.state is PairState.UNKNOWN else Start.DISJOINT

    # -- searched ---------------------------------------------------------------------------------------------------------

    def clear(self, until: float, motions: tuple[int, ...], impact: float | None = None) -> "Pair":
        """The claim is proved up to a time; `impact`: up to when there is no contact, where one follows."""
        # The most frequent one, and so without `_replace`.
        return Pair(self.state, until, motions, impact, *self[4:])

    def moved_otherwise(self) -> "Pair":
        """A motion changed: the claim is of earlier ones."""
        return self._replace(until=-math.inf, motions=None, impact=None, apart_at=None)

    def unsure(self) -> "Pair":
        """Nothing is claimed, or, of a parting pair, nothing will be once it no longer parts."""
        if self.state is PairState.UNKNOWN:
            return self
        return self._replace(doubtful=True) if self.state is PairState.PARTING else self._replace(state=PairState.UNKNOWN)

    def sure(self) -> "Pair":
        """The pair after it was looked at: the doubt is over."""
        if self.state is PairState.UNKNOWN:
            return self._replace(state=PairState.SEPARATE, doubtful=False)
        return self._replace(doubtful=False) if self.doubtful else self

    def separates(self) -> "Pair":
        """A parting pair parts no longer: it is separate, or in doubt."""
        if self.state is not PairState.PARTING:
            return self
        return self._replace(state=PairState.UNKNOWN if self.doubtful else PairState.SEPARATE, doubtful=False)

    def apart_from(self, time: float) -> "Pair":
        """The pair as proved apart at a time."""
        return self._replace(apart_at=time)

    # -- in contact -------------------------------------------------------------------------------------------------------

    def touched(self, manifold: Manifold | None) -> "Pair":
        """The pair as it touches, or with what touched forgotten."""
        return self._replace(manifold=manifold)

    def hits(self) -> "Pair":
        """The pair as it touches; how it goes on is decided next."""
        return self._replace(state=PairState.TOUCHING, until=-math.inf, motions=None, impact=None, doubtful=False, height=None)

    def holds(self, state: PairState, motions: tuple[int, ...], others: tuple[int, list[QueryBody]] | None) -> "Pair":
        """The pair as it stays in contact, or nearly, and is not searched as long as it moves like that."""
        return self._replace(state=state, until=-math.inf, motions=motions, impact=None, doubtful=False, others=others)

    def bounces(self, height: tuple[float, float]) -> "Pair":
        """The pair as it bounces a little: its height at a time."""
        return self._replace(state=PairState.BOUNCING, height=height)

    def goes_on(self, motions: tuple[int, ...]) -> "Pair":
        """A held pair moves on as it did, by other formulas."""
        return self._replace(motions=motions)

    def follows(self, constraints: tuple[ActiveConstraint, ...]) -> "Pair":
        """Its contacts are followed by these constraints; by none from now on."""
        return self._replace(constraints=constraints)

    def parts(self) -> "Pair":
        """The pair as it parts from its contact."""
        doubtful = self.doubtful or self.state is PairState.UNKNOWN
        if self.held:
            return self._replace(state=PairState.PARTING, until=-math.inf, motions=None, doubtful=doubtful, height=None)
        return self._replace(state=PairState.PARTING, doubtful=doubtful, height=None)

    def leaves(self, pull: float) -> "Pair":
        """The pair as it parts over the border of a face."""
        return self.touched(None).pulled(pull if pull > 0.0 else self.pull).parts()

    def lets_go(self, pull: float) -> "Pair":
        """A contact that was followed is beyond a border."""
        return self.leaves(pull)._replace(constraints=(), others=None)

    def pulled(self, pull: float | None) -> "Pair":
        """The pair as it comes together again by an acceleration, if at all."""
        return self._replace(pull=pull)


_NEW = Pair()


class PairTable(Undoable[PairKey, Pair]):
    """All pairs; one that was never seen is SEPARATE, with nothing proved. `held`, `touched`, `followed`: the keys of pairs that are held,
    have a manifold, or constraints, each in the order in which they came to be so. `changed`: those whose contact has changed in a step.
    """

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[PairKey, None] = {}
        self.touched: dict[PairKey, None] = {}
        self.followed: dict[PairKey, None] = {}
        self.changed: set[PairKey] = set()
        self._marked = self._orders()

    def __missing__(self, key: PairKey) -> Pair:
        return _NEW

    def __setitem__(self, key: PairKey, pair: Pair) -> None:
        before = self.get(key, _NEW)
        super().__setitem__(key, pair)
        if before.state is not pair.state:
            _enter(self.held, key, before.held, pair.held)
            if before.held or pair.held:
                self.changed.add(key)
        if before.manifold is not pair.manifold:
            if pair.held:
                self.changed.add(key)
            _enter(self.touched, key, before.manifold is not None, pair.manifold is not None)
        if before.constraints is not pair.constraints:
            _enter(self.followed, key, bool(before.constraints), bool(pair.constraints))

    def manifold(self, key: PairKey) -> Manifold:
        """The latest contact of a pair that has touched."""
        found = self[key].manifold
        assert found is not None
        return found

    def height(self, key: PairKey) -> tuple[float, float]:
        """The latest time at which the height of a low bounce is known, and that height."""
        found = self[key].height
        assert found is not None
        return found

    def _orders(self) -> tuple[dict[PairKey, None], dict[PairKey, None], dict[PairKey, None]]:
        return dict(self.held), dict(self.touched), dict(self.followed)

    def mark(self) -> None:
        super().mark()
        self._marked = self._orders()

    def undo(self) -> None:
        super().undo()
        self.held, self.touched, self.followed = (dict(e) for e in self._marked)


def _enter(order: dict[PairKey, None], key: PairKey, before: bool, now: bool) -> None:
    if now and not before:
        order[key] = None
    elif before and not now:
        order.pop(key, None)
