"""Times of impact: providers for kinds of bodies, the cheapest first (`CLOSED_FORMS`, `bounds_of`, `SEARCH`).

Each is asked for many pairs in one call. Closed forms (`SeparatingPlanes`, `SphereGaps`) raise the bound, and prove the contact that ends
it. `BoundingSpheres` and `BoundingTrees` raise the bound alone; the latter also encloses the places where bodies may meet then.
`IntervalSearch` takes any two bodies.
"""

import math
from collections.abc import Sequence
from typing import Protocol

from ...answers.contacts import Contacts
from ...moment.region import Region
from ...search.clock import Clock
from ..broad_phase.boxes import MovingBoxes
from ..broad_phase.sphere_bounds import Far
from ..motion.moving_body import MovingBody
from . import bounding_trees, separating_planes, spheres
from .pair_batch import PairBatch, Separations
from .search import meet


class TimeOfImpact(Protocol):
    """A provider. It raises the bounds up to which pairs are proved apart, and proves the contacts that end them, or either, or neither."""

    def accepts(self, one: MovingBody, other: MovingBody) -> bool:
        """Whether it knows both bodies, in this order and the other."""
        ...

    def separated_until(self, pairs: PairBatch) -> Separations:
        """The times until which pairs that it accepts are *proved* apart from the beginning of a window on; from then on, or since a later
        time, until which they are proved to be `allowed` deep in each other at most.
        """
        ...

    def first_contacts(self, pairs: PairBatch, apart: Separations, clock: Clock | None = None) -> list[Contacts | None]:
        """The contacts of pairs that come together where they are not known to be apart any more, *proved*; None where there is no proof.
        A search counts against the clock, and its answer may be that there is no contact, or that this is not decided.
        """
        ...


class SeparatingPlanes:
    """Planes between bodies of flat faces (`separating_planes`)."""

    def accepts(self, one: MovingBody, other: MovingBody) -> bool:
        return separating_planes.accepts(one, other)

    def separated_until(self, pairs: PairBatch) -> Separations:
        return Separations.of([separating_planes.parted(*e) for e in _windows(pairs)])

    def first_contacts(self, pairs: PairBatch, apart: Separations, clock: Clock | None = None) -> list[Contacts | None]:
        return [separating_planes.met(*e) for e in _ends(pairs, apart)]


class SphereGaps:
    """Polynomials of the gaps of balls, to each other or to what is fixed and flat (`spheres`)."""

    def accepts(self, one: MovingBody, other: MovingBody) -> bool:
        return spheres.accepts(one, other)

    def separated_until(self, pairs: PairBatch) -> Separations:
        return Separations.of([spheres.parted(*e) for e in _windows(pairs)])

    def first_contacts(self, pairs: PairBatch, apart: Separations, clock: Clock | None = None) -> list[Contacts | None]:
        return [spheres.met(*e) for e in _ends(pairs, apart)]


class BoundsOnly:
    """A provider that proves no contacts."""

    def first_contacts(self, pairs: PairBatch, apart: Separations, clock: Clock | None = None) -> list[Contacts | None]:
        return [None] * len(pairs)


class BoundingSpheres(BoundsOnly):
    """Spheres round bodies in flight, beside each other or the box of a fixed body. Bounds are kept (`far`) with the paths of centres."""

    def __init__(self, near: MovingBoxes, far: Far) -> None:
        self.near, self.far = near, far

    def accepts(self, one: MovingBody, other: MovingBody) -> bool:
        return bool(one.course.ballistic and other.course.ballistic)

    def separated_until(self, pairs: PairBatch) -> Separations:
        windows = [(a, b) for a, b in pairs.windows.tolist()]
        rows = zip(pairs.numbers, pairs.one, pairs.other, windows, strict=True)
        return Separations.bounds(pairs.windows[:, 0].tolist(), [self._until(*e) for e in rows])

    def _until(self, numbers: tuple[int, int], one: MovingBody, other: MovingBody, window: tuple[float, float]) -> float:
        still = numbers[0] if one.rigid.fixed else numbers[1] if other.rigid.fixed else None
        return self.far.until(numbers, (one, other), None if still is None else self.near.box(still), window)


class BoundingTrees(BoundsOnly):
    """Trees of spheres round parts of surfaces of bodies in flight (`bounding_trees`), of which not all is known otherwise."""

    def accepts(self, one: MovingBody, other: MovingBody) -> bool:
        flying = one.course.ballistic and other.course.ballistic
        return bool(flying) and not all(a.ball or a.rigid.fixed for a in (one, other))

    def separated_until(self, pairs: PairBatch) -> Separations:
        until, horizons, regions = list[float](), list[float](), list[Region | None]()
        for one, other, (begin, end), stride, soon in zip(pairs.one, pairs.other, pairs.windows.tolist(), pairs.strides.tolist(),
                                                          pairs.soon.tolist(), strict=True):
            found = bounding_trees.near(one, other, (begin, end), stride, soon)
            told = found is not None and (found.region is None or found.until < found.horizon)
            until.append(found.until if found is not None and told else -math.inf)
            horizons.append(found.horizon if found is not None and told else -math.inf)
            regions.append(found.region if found is not None and told else None)
        return Separations.bounds(pairs.windows[:, 0].tolist(), until, horizons, regions)


class IntervalSearch:
    """The search of `first_contact`, for any two bodies. It knows no bound beforehand."""

    def accepts(self, one: MovingBody, other: MovingBody) -> bool:
        return True

    def separated_until(self, pairs: PairBatch) -> Separations:
        return Separations.bounds(pairs.windows[:, 0].tolist(), pairs.windows[:, 0].tolist())

    def first_contacts(self, pairs: PairBatch, apart: Separations, clock: Clock | None = None) -> list[Contacts | None]:
        assert clock is not None, "a search counts against a clock"
        sides = pairs.sides or [(a.moving, b.moving) for a, b in zip(pairs.one, pairs.other, strict=True)]
        windows = zip(apart.until.tolist(), pairs.windows[:, 1].tolist(), strict=True)
        rows = zip(sides, windows, pairs.starts, pairs.sizes.tolist(), pairs.regions, strict=True)
        return [meet(*both, window, start, size, clock, region) for both, window, start, size, region in rows]


CLOSED_FORMS: tuple[TimeOfImpact, ...] = SeparatingPlanes(), SphereGaps()
SEARCH: TimeOfImpact = IntervalSearch()


def bounds_of(near: MovingBoxes, far: Far) -> tuple[BoundingSpheres, BoundingTrees]:
    """The providers of bounds of a run, by its boxes and the bounds that are kept."""
    return BoundingSpheres(near, far), BoundingTrees()


def closed_form_of(one: MovingBody, other: MovingBody) -> TimeOfImpact | None:
    """The closed form for two bodies; None where there is none."""
    return next((p for p in CLOSED_FORMS if p.accepts(one, other)), None)


def _windows(pairs: PairBatch) -> list[tuple[MovingBody, MovingBody, tuple[float, float], float, float]]:
    windows = [(a, b) for a, b in pairs.windows.tolist()]
    return list(zip(pairs.one, pairs.other, windows, pairs.allowed.tolist(), pairs.strides.tolist(), strict=True))


def _ends(pairs: PairBatch,
          apart: Separations) -> Sequence[tuple[MovingBody, MovingBody, separating_planes.Parted, float, float, float]]:
    ends = pairs.windows[:, 1].tolist()
    return list(zip(pairs.one, pairs.other, apart.rows(), ends, pairs.sizes.tolist(), pairs.least.tolist(), strict=True))
