"""A contact of parts of two bodies, of which one may be curved, tracked on both of them (Snyder 1993, Equation 7)."""

import math

import numpy as np

from .contact import Course, Place
from .jets import At, Jet, Lost, Part
from .meeting import Meeting, across, growth, on_face, rates, step, turning

# Against size: a step of Newton's method after which a place is known to a rounding, and the longest; how many; and a surface so flat that
# it is not seen where it touches. Places from which others are found are rounded to so many bits. From points that are dense, so many
# steps lead to a contact that there is.
_CLOSE, _STRIDE, _STEPS, _FLAT, _BITS, _SOON = 1e-8, 0.2, 60, 1e-7, 24, 12


class OnSmooth:
    """Two parts of bodies touch where their tangents are the same, or where they cross, if both are edges; round the first, if it is a
    point, goes a ball of a `radius`, or 0. The second is a face, unless the first is an edge or a ball. `side`: 1 if the normal of the
    second, or of the first's tangent and the second's, goes to the first. `start`: places from which those that touch are found; `size`:
    of the smaller body.
    """

    def __init__(self, one: Part, other: Part, start: tuple[At, At], radius: float, side: float, size: float) -> None:
        self.one, self.other, self.radius, self.side, self.size = one, other, radius, side, size
        # What was found last is near to what is asked for next, and changes no more than roundings of that.
        self.start = self.at = start
        # Places of bodies at several times that were asked for at once, and of the contact.
        self.known: list[tuple[Place, Place, tuple[At, At]]] = []

    def again(self) -> "OnSmooth":
        """The same contact from where it is now."""
        first, second = (tuple(_rounded(e, self.size) for e in at) for at in self.at)
        return OnSmooth(self.one, self.other, (first, second), self.radius, self.side, self.size)

    def course(self, one: Place, other: Place) -> Course:
        found = self._met(one, other)
        by, at = rates(found, one, other)
        moving = other.at(found.other.point) + at @ found.other.along
        return Course(found.other.point, found.normal, float(found.way @ found.normal) - self.radius, moving,
                      turning(found, one, other, by, at))

    def courses(self, one: Place, other: Place, m: int) -> list[Course]:
        """At m times, of which each is found from the one before, or from that of the last time if the bodies were nearer to there."""
        found, now = list[Course](), list[tuple[Place, Place, tuple[At, At]]]()
        for k in range(m):
            at = one.of(k), other.of(k)
            near = [rows[j] for rows, j in ((now, k - 1), (self.known, k)) if 0 <= j < len(rows)]
            if near:
                self.at = min(near, key=lambda e: sum(self._off(a, b) for a, b in zip(at, e[:2], strict=True)))[2]
            found.append(self.course(*at))
            now.append((*at, self.at))
        self.known = now if m > 1 else self.known
        return found

    def _off(self, one: Place, other: Place) -> float:
        """About how far points of a body are from one place to another."""
        return _length(one.centre - other.centre) + self.size * math.hypot(*(one.turn - other.turn).ravel().tolist())

    def _met(self, one: Place, other: Place) -> Meeting:
        """From where it was last; if nothing near that is it, as where a step was too long, from where it was at first."""
        for a, b in dict.fromkeys((self.at, self.start)):
            found = self._from(one, other, a, b, _STEPS)
            if found is not None and self._parts(found[0]):
                self.at = found[1:]
                return found[0]
        raise Lost("a contact")

    def found(self, one: Place, other: Place) -> bool:
        """Is it soon found from where it begins, and not where the gap bends the other way there?"""
        if not self._parts(self._meeting(one, other, *self.start)):
            return False
        found = self._from(one, other, *self.start, _SOON)
        if found is not None:
            self.at = found[1:]
        return found is not None and self._parts(found[0])

    def _from(self, one: Place, other: Place, a: At, b: At, steps: int) -> tuple[Meeting, At, At] | None:
        """By Newton's method for the least gap."""
        for _ in range(steps):
            found = self._meeting(one, other, a, b)
            try:
                by = step(found)
            except np.linalg.LinAlgError:
                return None
            first, second = by[:len(found.one.along)], by[len(found.one.along):]
            way = max(_length(first @ found.one.along), _length(second @ found.other.along))
            if not math.isfinite(way):
                return None
            share = min(1.0, _STRIDE * self.size / max(way, 1e-300))
            a, b = self.one.moved(a, share * first), self.other.moved(b, share * second)
            if way <= _CLOSE * self.size:
                return self._meeting(one, other, a, b), a, b
        return None

    def _meeting(self, one: Place, other: Place, a: At, b: At) -> Meeting:
        meet = on_face if self.other.dimension == 2 else across
        return meet(_placed(self.one.jet(a), one), _placed(self.other.jet(b), other), self.side)

    def _parts(self, found: Meeting) -> bool:
        """Does the gap grow with the distance from the contact, so that the place is told well?"""
        grown = growth(found)
        bends = len(found.one.along) > 0 and found.bend is not None
        return grown.least > _FLAT * max(grown.most, 1.0 / self.size if bends else 1.0)

    def outside(self, one: Place, other: Place) -> float:
        """How far the contact is outside the border of a part."""
        self._met(one, other)
        return max(part.beyond(at) for part, at in zip((self.one, self.other), self.at, strict=True))

    def lies(self, one: Place, other: Place) -> bool:
        """Is it where a curved edge crosses another edge, and stays in the plane of contact?"""
        found = self._met(one, other)
        bends = [j.bent[0, 0] for j in (found.one, found.other) if len(j.along) == 1 and j.bent.any() and found.bend is None]
        return any(abs(e @ found.normal) <= _FLAT * _length(e) for e in bends)

    def normals(self, one: Place, other: Place) -> tuple[np.ndarray, np.ndarray]:
        """(m, 3) of each body: outward, of its faces that meet where it touches."""
        return self.one.normals(self.at[0]) @ one.turn.T, self.other.normals(self.at[1]) @ other.turn.T


def _placed(jet: Jet, place: Place) -> Jet:
    turn = place.turn.T
    return Jet(place.centre + jet.point @ turn, jet.along @ turn, jet.bent @ turn, jet.normal @ turn)


def _length(way: np.ndarray) -> float:
    return math.hypot(*way.tolist())


def _rounded(e: float, size: float) -> float:
    unit = math.ldexp(1.0, math.frexp(max(size, 1e-300))[1] - _BITS)
    return round(e / unit) * unit
