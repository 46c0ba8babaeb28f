"""Guards of landings: what is apart, or hops, comes to touch."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from codegen.deadline import check

from ..contact.closed_forms import ContactGeometry
from ..contact.feature_pairs import alone, deeper
from ..contact.tracked_pair import OnSmooth
from ..contact_solver.forces import ActiveConstraint
from ..features.features import Features
from .guards import Guard, GuardReason, MotionAt, Signs, first_of
from .planes import DEEP, Plane, heights
from .projection import ROUNDING


class Landing(Guard, Protocol):
    """A guard that ends a motion where something lands."""

    def landing(self, at: MotionAt) -> Iterator[tuple[int, np.ndarray]]:
        """Contacts, and (m,) whether something lands at each time in whose plane, or between whose bodies."""
        ...


class CornersLand:
    """No corner comes into the plane of a contact."""

    reason = GuardReason.LANDS

    def __init__(self, planes: Sequence[Plane]) -> None:
        self.planes = planes

    def landing(self, at: MotionAt) -> Iterator[tuple[int, np.ndarray]]:
        return ((p.contact, least <= 0.0) for p, least in zip(self.planes, self._least(at), strict=True))

    def look(self, at: MotionAt, count: int) -> Signs:
        values = [*self._least(at)]
        return Signs(min((first_of(e <= 0.0, count) for e in values), default=count), values)

    def _least(self, at: MotionAt) -> Iterator[np.ndarray]:
        for p in self.planes:
            yield (heights(p.contact, p.side, p.corners, at.motion, at.places[p.body]) - p.least).min(axis=-1, initial=1.0)


class HopsLand:
    """A body that hops does not come down, and is no deeper than contacts may be."""

    reason = GuardReason.LANDS

    def __init__(self, kept: Sequence[ActiveConstraint], size: float) -> None:
        self.kept, self.size = kept, size

    def landing(self, at: MotionAt) -> Iterator[tuple[int, np.ndarray]]:
        for c, kept in enumerate(self.kept):
            if kept.loose:
                # What falls lands when it is seen to be in what it hopped from, or hops would go on for ever, from ever the same depth.
                falls = (at.motion.speeds[:, c, 0] < -kept.still) & (at.motion.gaps[:, c] <= -ROUNDING * self.size)
                yield c, np.asarray(falls | (at.motion.gaps[:, c] <= -DEEP * self.size))

    def look(self, at: MotionAt, count: int) -> Signs:
        return Signs(min((first_of(down, count) for _, down in self.landing(at)), default=count), [at.motion.gaps + ROUNDING * self.size])


class PartsLand:
    """Bodies in contact touch nowhere else: curved ones, and such of rims that lie flat."""

    reason = GuardReason.LANDS

    def __init__(self, kept: Sequence[ActiveConstraint], parts: Callable[[int], Features | None], size: float) -> None:
        self.kept, self.size = kept, size
        self.pairs = _pairs_elsewhere(kept, parts)

    def landing(self, at: MotionAt) -> Iterator[tuple[int, np.ndarray]]:
        for (i, j), (c, one, other) in self.pairs.items():
            check()
            lying = any(k.link.flats != (None, None) for k in self.kept if set(k.link.pair) == {i, j})
            first = deeper(one, other, at.places[i], at.places[j], self.size, DEEP * self.size, lying)
            yield c, np.arange(len(at.motion.gaps)) >= first

    def look(self, at: MotionAt, count: int) -> Signs:
        return Signs(min((first_of(down, count) for _, down in self.landing(at)), default=count))


def _pairs_elsewhere(kept: Sequence[ActiveConstraint],
                     parts: Callable[[int], Features | None]) -> dict[tuple[int, int], tuple[int, Features, Features]]:
    """The first contact of pairs that may touch elsewhere, too, and their parts."""
    found = dict[tuple[int, int], tuple[int, Features, Features]]()
    for c, first in enumerate(kept):
        i, j = first.link.pair
        rims = first.link.flats != (None, None)
        if (rims or first.link.contact.tracked) and (i, j) not in found and (j, i) not in found:
            one, other = parts(i), parts(j)
            assert one is not None and other is not None, "a contact of parts is of bodies that have them"
            if not (alone(one, other) or (rims and one.convex and other.convex)):
                own = [k.link.contact for k in kept if set(k.link.pair) == {i, j}]
                found[i, j] = c, one, _facing(other, own) if one.convex else other
    return found


def _facing(body: Features, kept: Sequence[ContactGeometry]) -> Features:
    """The parts of the second body of contacts that may touch a convex one elsewhere: of a convex body, a flat face alone, if it touches
    with that.
    """
    found = [c.other if isinstance(c, OnSmooth) else None for c in kept]
    face = found[0]
    if face is None or not body.convex or face.dimension < 2 or not face.straight or any(e is not face for e in found):
        return body
    return replace(body, parts=(face,))
