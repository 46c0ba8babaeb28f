"""A contact of parts of two bodies, of which one may be curved, tracked on both of them (Snyder 1993, Equation 7)."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..features.contact_circles import lying
from ..features.local_geometry import LocalGeometry, Lost, Part, dots, spread_of
from ..features.normal_cone import aside
from ..motion.state import BodyState
from .closed_forms import ContactState
from .closest_points import ClosestJets, across, growth, on_face, rates, sizes, step, turning

# Against size: a step of Newton's method after which a place is known to a rounding, and the longest; how many; a surface so flat that it
# is not seen where it touches, and an edge that is so along a flat face. Places from which others are found are rounded to so many bits.
# From points that are dense, so many steps lead to a contact that there is.
_CLOSE, _STRIDE, _STEPS, _FLAT, _TILTED, _BITS, _SOON = 1e-8, 0.2, 60, 1e-7, 5e-8, 24, 12
# A contact is about to be one along a curve where the least curvature of the gap is so much of the greatest.
_FLATTENS = 1e-5
# Against size: a contact is found at once from one whose bodies are no further from where they are.
_NEAR = 0.05


class KnownContacts(NamedTuple):
    """Contacts that were found: where one body is in the coordinates of the other (m, 12), and the places on both (m, :)."""

    way: np.ndarray
    first: np.ndarray
    second: np.ndarray


def found_last(contacts: Iterable[object]) -> list[tuple["OnSmooth", tuple[np.ndarray, np.ndarray], KnownContacts | None]]:
    """The arguments of `OnSmooth.recall` for contacts of curved surfaces: from these they are found next, which matters for roundings."""
    return [(c, c.at, c.known) for c in contacts if isinstance(c, OnSmooth)]


class OnSmooth:
    """Two parts of bodies touch where their tangents are the same, or where they cross, if both are edges; round the first, if it is a
    point, goes a ball of a `radius`, or 0. The second is a face, unless the first is an edge or a ball. `side`: 1 if the normal of the
    second, or of the first's tangent and the second's, goes to the first. `start`: places (:,) from which those that touch are found;
    `size`: of the smaller body.
    """

    tracked = True

    def __init__(self, one: Part, other: Part, start: tuple[np.ndarray, np.ndarray], radius: float, side: float, size: float) -> None:
        self.one, self.other, self.radius, self.side, self.size = one, other, radius, side, size
        # What was found last is near to what is asked for next, and changes no more than roundings of that.
        self.start = self.at = start
        # Of times that were asked for at once.
        self.known: KnownContacts | None = None
        # May all of a curved edge come to lie on a flat face, or of a circle on a curved one? The points of such.
        self.lying = lying(one) if other.dimension == 2 and other.straight else ()
        self.wide = max([size, *map(spread_of, self.lying)])

    @property
    def may_lie(self) -> bool:
        return len(self.lying) > 0

    def recall(self, at: tuple[np.ndarray, np.ndarray], known: KnownContacts | None) -> None:
        """As if nothing had been asked since then (see `found_last`)."""
        self.at, self.known = at, known

    def again(self) -> "OnSmooth":
        """The same contact from where it is now."""
        first, second = (_rounded(at, self.size) for at in self.at)
        return OnSmooth(self.one, self.other, (first, second), self.radius, self.side, self.size)

    def course(self, one: BodyState, other: BodyState) -> ContactState:
        many = one.centre.ndim > 1
        one, other = (one.lane(), other.lane()) if not many else (one, other)
        found = self._met(one, other)
        by, at = rates(found, one, other)
        moving = other.at(found.other.point) + (at[:, None] @ found.other.along)[:, 0]
        course = ContactState(found.other.point, found.normal, (found.way * found.normal).sum(axis=1) - self.radius, moving,
                        turning(found, one, other, by, at))
        return course if many else ContactState(*(e[0] for e in course))

    def outside(self, one: BodyState, other: BodyState) -> Any:
        """The distance of the contact outside the border of a part; or, against size, of its normal outside those of the faces that meet in
        an edge or a corner: beyond these one of the faces is nearer.
        """
        many = one.centre.ndim > 1
        one, other = (one.lane(), other.lane()) if not many else (one, other)
        a, b, met = self._places(one, other)
        found = self.past(a, b, met.normal, one, other)
        return found if many else float(found[0])

    def past(self, a: np.ndarray, b: np.ndarray, normal: np.ndarray, one: BodyState, other: BodyState) -> np.ndarray:
        """The same as `outside`, of places that are known, and the normals there, at m times."""
        found = np.maximum(self.one.beyond(a), self.other.beyond(b))
        if not self.radius:
            found = np.maximum(found, self.size * aside(self.one, a, -normal, one))
        return np.maximum(found, self.size * aside(self.other, b, normal, other))

    def _met(self, one: BodyState, other: BodyState) -> ClosestJets:
        return self._places(one, other)[2]

    def _places(self, one: BodyState, other: BodyState) -> tuple[np.ndarray, np.ndarray, ClosestJets]:
        """At m times, each from the nearest that is known; if nothing near that is it, as where a step was too long, from where it was at
        first.
        """
        way, begin = self._way(one, other), [np.stack([at[k] for at in (self.at, self.start)]) for k in (0, 1)]
        if len(way) == 1:
            a, b = self._tried(one, other, begin[0][:1], begin[1][:1])
        else:
            a, b = self._in_turn(one, other, way)
        found = self._meeting(one, other, a, b)
        bad = ~self._parts(found)
        if bad.any():
            rows, few = np.flatnonzero(bad), one.of(bad)
            a[rows], b[rows] = self._tried(few, other.of(bad), *(np.repeat(e[1:], len(rows), axis=0) for e in begin))
            found = self._meeting(one, other, a, b)
            if not self._parts(found).all():
                raise Lost("a contact")
        self.at = a[-1], b[-1]
        if len(way) > 1:
            self.known = KnownContacts(way, a, b)
        return a, b, found

    def _in_turn(self, one: BodyState, other: BodyState, way: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Those that are near to known ones at once; else one after the other."""
        if not np.isfinite(way).all():
            raise Lost("a contact")
        m = len(way)
        a, b = np.empty((m, len(self.at[0]))), np.empty((m, len(self.at[1])))
        known = self.known or KnownContacts(np.empty((0, way.shape[1])), a[:0], b[:0])
        left = np.arange(m)
        if not len(known.way):
            a[0], b[0] = (e[0] for e in self._tried(one.of([0]), other.of([0]), self.at[0][None], self.at[1][None]))
            known, left = KnownContacts(way[:1], a[:1], b[:1]), left[1:]
        while len(left):
            off = sizes(way[left, None] - known.way)
            nearest = off.argmin(axis=1)
            far = off[np.arange(len(left)), nearest]
            which = far <= max(_NEAR * self.size, far.min())
            rows, nearest = left[which], nearest[which]
            a[rows], b[rows] = self._tried(one.of(rows), other.of(rows), known.first[nearest], known.second[nearest])
            known = KnownContacts(*(np.concatenate([e, f[rows]]) for e, f in zip(known, (way, a, b), strict=True)))
            left = left[~which]
        return a, b

    def _way(self, one: BodyState, other: BodyState) -> np.ndarray:
        """(m, 12): where the first body is in the coordinates of the second, so that points of it are about so far apart."""
        back = np.swapaxes(other.turn, 1, 2)
        turned = back @ one.turn
        return np.concatenate([dots(back, one.centre - other.centre), self.size * turned.reshape(len(turned), 9)], axis=1)

    def _tried(self, one: BodyState, other: BodyState, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By Newton's method for the least gap; NaN where it does not come to an end."""
        return self._from(one, other, a, b, _STEPS)

    def found(self, one: BodyState, other: BodyState, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The contact, from places (m, :) near to it at m times, and the gap there, or infinity if it is not soon found from there, or if
        the gap bends the other way there.
        """
        gaps, first, second = np.full(len(a), np.inf), np.full(a.shape, np.nan), np.full(b.shape, np.nan)
        right = self._parts(self._meeting(one, other, a, b))
        first[right], second[right] = self._from(one.of(right), other.of(right), a[right], b[right], _SOON)
        rows = np.flatnonzero(right & np.isfinite(first).all(axis=1) & np.isfinite(second).all(axis=1))
        found = self._meeting(one.of(rows), other.of(rows), first[rows], second[rows])
        gaps[rows] = np.where(self._parts(found), (found.way * found.normal).sum(axis=1) - self.radius, np.inf)
        return first, second, gaps

    def _from(self, one: BodyState, other: BodyState, a: np.ndarray, b: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
        first, second, left, k = np.full(a.shape, np.nan), np.full(b.shape, np.nan), np.arange(len(a)), self.one.dimension
        for _ in range(steps if len(a) else 0):
            found = self._meeting(one, other, a, b)
            by = step(found)
            with np.errstate(over="ignore", invalid="ignore"):
                way = np.maximum(*(sizes((e[:, None] @ part.along)[:, 0])
                                   for e, part in ((by[:, :k], found.one), (by[:, k:], found.other))))
            share = np.minimum(1.0, _STRIDE * self.size / np.maximum(way, 1e-300))[:, None]
            a, b = self.one.moved(a, share * by[:, :k]), self.other.moved(b, share * by[:, k:])
            there = way <= _CLOSE * self.size
            first[left[there]], second[left[there]] = a[there], b[there]
            on = ~there & np.isfinite(way)
            if not on.any():
                break
            if not on.all():
                left, a, b, one, other = left[on], a[on], b[on], one.of(on), other.of(on)
        return first, second

    def _meeting(self, one: BodyState, other: BodyState, a: np.ndarray, b: np.ndarray) -> ClosestJets:
        meet = on_face if self.other.dimension == 2 else across
        return meet(_placed(self.one.jet(a), one), _placed(self.other.jet(b), other), self.side)

    def _parts(self, found: ClosestJets) -> np.ndarray:
        """(m,): whether the gap grows with the distance from the contact, so that the place is well known."""
        grown = growth(found)
        bends = found.one.along.shape[1] > 0 and found.bend is not None
        with np.errstate(invalid="ignore"):
            if self.may_lie:
                # What is nearly in a plane is tracked until that is where it lies.
                return np.asarray(grown.least > _TILTED / self.wide)
            return np.asarray(grown.least > _FLAT * np.maximum(grown.most, 1.0 / self.wide if bends else 1.0))

    def flattens(self, one: BodyState, other: BodyState) -> bool:
        """Whether the gap grows so little along one direction that parts are about to touch along a curve, or all over. Of an edge that may
        lie on a face it is known what comes then.
        """
        grown = growth(self._met(one.lane(), other.lane()))
        return not self.may_lie and bool(grown.least[0] <= _FLATTENS * max(float(grown.most[0]), 1.0 / self.size))

    def lies(self, one: BodyState, other: BodyState) -> bool:
        """Whether it is where a curved edge crosses another edge, and stays in the plane of contact."""
        found = self._met(one.lane(), other.lane())
        bends = [j.bent[0, 0, 0] for j in (found.one, found.other) if j.along.shape[1] == 1 and j.bent.any() and found.bend is None]
        return any(abs(e @ found.normal[0]) <= _FLAT * float(sizes(e)) for e in bends)

    def normals(self, one: BodyState, other: BodyState) -> tuple[np.ndarray, np.ndarray]:
        """(j, 3) of each body: outward, of its faces that meet where it touches."""
        return self.one.normals(self.at[0]) @ one.turn.T, self.other.normals(self.at[1]) @ other.turn.T


def _placed(jet: LocalGeometry, place: BodyState) -> LocalGeometry:
    turn = np.swapaxes(place.turn, 1, 2)
    point, normal = ((e[:, None] @ turn)[:, 0] for e in (jet.point, jet.normal))
    return LocalGeometry(place.centre + point, jet.along @ turn, jet.bent @ turn[:, None], normal)


def _rounded(at: np.ndarray, size: float) -> np.ndarray:
    unit = np.ldexp(1.0, np.frexp(min(max(size, 1e-300), 1.0))[1] - _BITS)
    return np.asarray(np.round(at / unit) * unit)
