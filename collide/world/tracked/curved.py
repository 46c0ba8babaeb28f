"""A contact of curved surfaces, tracked on both of them (Snyder 1993, Equation 7)."""

import math
from typing import NamedTuple

import numpy as np

from ..rotation import cross
from .contact import Course, Place
from .smooth import At, Jet, Lost, Part, Patch, Plane

# Against size: a step of Newton's method after which a place is known to a rounding, and the longest; how many; and a surface so flat that
# it is not seen where it touches. Places from which others are found are rounded to so many bits.
_CLOSE, _STRIDE, _STEPS, _FLAT, _BITS = 1e-8, 0.2, 60, 1e-7, 24
# Places that are farther apart, against size, are two.
_APART = 1e-6


class Meeting(NamedTuple):
    """The jets of two parts in the world, the `normal` to the first one, from the point of the second to that of the first `way`, and the
    derivatives of the conditions by the parameters of both.
    """

    one: Jet
    other: Jet
    normal: np.ndarray
    bend: np.ndarray
    way: np.ndarray
    wanting: np.ndarray
    slope: np.ndarray


class OnSmooth:
    """Two parts of bodies touch where their tangents are the same; round the first, if it is a point, goes a ball of a `radius`. `side`: 1
    if the normal of the second goes to the first. `start`: places from which those that touch are found; `size`: of the smaller body.
    """

    def __init__(self, one: Part, other: Part, start: tuple[At, At], radius: float, side: float, size: float) -> None:
        self.one, self.other, self.radius, self.side, self.size = one, other, radius, side, size
        # What was found last is near to what is asked for next, and changes no more than roundings of that.
        self.start = self.at = start

    def again(self) -> "OnSmooth":
        """The same contact from where it is now."""
        first, second = (tuple(_rounded(e, self.size) for e in at) for at in self.at)
        return OnSmooth(self.one, self.other, (first, second), self.radius, self.side, self.size)

    def course(self, one: Place, other: Place) -> Course:
        found = self._met(one, other)
        moved = np.concatenate([
            found.one.along @ cross(other.spin, found.normal) + _across(one.spin, found.one.along) @ found.normal,
            _across(other.spin, found.other.along) @ found.way + found.other.along @ (_speed(one, found.one) - _speed(other, found.other))])
        rates = -np.linalg.solve(found.slope, moved)[len(found.one.along):]
        point, normal = found.other.point, found.normal
        moving = _speed(other, found.other) + rates @ found.other.along
        turning = cross(other.spin, normal) + rates @ found.bend
        return Course(point, normal, float(found.way @ normal) - self.radius, moving, turning)

    def _met(self, one: Place, other: Place) -> Meeting:
        """From where it was last; if nothing near that is it, as where a step was too long, from where it was at first."""
        for a, b in (self.at, self.start):
            found = self._from(one, other, a, b)
            if found is not None and _parts(found[0], self.size):
                self.at = found[1:]
                return found[0]
        raise Lost("a contact")

    def _from(self, one: Place, other: Place, a: At, b: At) -> tuple[Meeting, At, At] | None:
        """By Newton's method for the least gap."""
        for _ in range(_STEPS):
            found = self._meeting(one, other, a, b)
            try:
                by = _step(found)
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
        first, second = _placed(self.one.jet(a), one), _placed(self.other.jet(b), other)
        normal, way = self.side * second.normal, first.point - second.point
        inner = second.along @ second.along.T
        # How the normal of the second part turns along it (Weingarten).
        bend = -_inverse(inner) @ (second.bent @ normal) @ second.along
        wanting = np.concatenate([first.along @ normal, second.along @ way])
        slope = np.block([[first.bent @ normal, first.along @ bend.T], [second.along @ first.along.T, second.bent @ way - inner]])
        return Meeting(first, second, normal, bend, way, wanting, slope)

    def regular(self, one: Place, other: Place) -> bool:
        """Is it seen where they touch, and do they not cross there?"""
        try:
            self._met(one, other)
        except Lost:
            return False
        return True

    def outside(self, one: Place, other: Place) -> float:
        """How far the contact is outside the border of a part."""
        self._met(one, other)
        return max(part.beyond(at) for part, at in zip((self.one, self.other), self.at, strict=True))

    def others(self, one: Place, other: Place) -> "list[tuple[OnSmooth, float]]":
        """Where else the parts come near each other, as contacts, and how far they are apart there: of a part that is not convex."""
        own, place, from_place = (self.one, one, other) if isinstance(self.one, Patch) else (self.other, other, one)
        if not isinstance(own, Patch) or own.convex or (isinstance(self.one, Patch) and not isinstance(self.other, Plane)):
            return []
        away = self._distances(own.points @ place.turn.T + place.centre, one, other)
        self._met(one, other)
        found, taken = [], [own.jet(self.at[0 if own is self.one else 1]).point]
        for k in own.lows(away):
            at = own.start(k)
            start = (at, self._nearest(own, at, place, from_place)) if own is self.one else (self.at[0], at)
            contact = OnSmooth(self.one, self.other, start, self.radius, self.side, self.size)
            try:
                gap = contact.course(one, other).gap
            except (Lost, np.linalg.LinAlgError):
                continue
            point = own.jet(contact.at[0 if own is self.one else 1]).point
            if contact.outside(one, other) <= 0.0 and all(np.linalg.norm(point - p) > _APART * self.size for p in taken):
                taken.append(point)
                found.append((contact, gap))
        return found

    def _distances(self, points: np.ndarray, one: Place, other: Place) -> np.ndarray:
        """(n,): of points of a curved part from the other part, a plane or a point, but for a constant."""
        if isinstance(self.other, Plane):
            return np.asarray(points @ (other.turn @ self.other.face.normal))
        return np.asarray(np.linalg.norm(points - one.centre - one.turn @ self.one.jet(()).point, axis=1))

    def _nearest(self, own: Patch, at: At, place: Place, other: Place) -> At:
        assert isinstance(self.other, Plane)
        return self.other.place(other.turn.T @ (place.centre + place.turn @ own.jet(at).point - other.centre))


def _placed(jet: Jet, place: Place) -> Jet:
    turn = place.turn.T
    return Jet(place.centre + jet.point @ turn, jet.along @ turn, jet.bent @ turn, jet.normal @ turn)


def _speed(place: Place, jet: Jet) -> np.ndarray:
    return place.at(jet.point)


def _across(spin: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.array([cross(spin, row) for row in rows]).reshape(-1, 3)


def _length(way: np.ndarray) -> float:
    return math.sqrt(float(way @ way))


class Growth(NamedTuple):
    """How the gap changes along the first part, while the second one follows; along the second, if the first is a point: the slope (2,) and
    the second derivative (2, 2) by the parameters, the lengths' products (2, 2), and the least and the greatest curvature.
    """

    slope: np.ndarray
    second: np.ndarray
    lengths: np.ndarray
    least: float
    most: float


def _growth(found: Meeting) -> Growth:
    k, slope, wanting = len(found.one.along), found.slope, found.wanting
    if k:
        follows = slope[:k, k:] @ _inverse(slope[k:, k:])
        first, second = wanting[:k] - follows @ wanting[k:], slope[:k, :k] - follows @ slope[k:, :k]
    else:
        first, second = -wanting, -slope
    along = found.one.along if k else found.other.along
    lengths = along @ along.T
    ((e, f), (_, g)), ((a, b), (c, d)) = lengths.tolist(), second.tolist()
    area = e * g - f * f
    mean, product = (a * g - (b + c) * f + d * e) / (2.0 * area), (a * d - b * c) / area
    apart = math.sqrt(max(mean * mean - product, 0.0))
    most = mean + math.copysign(apart, mean)
    least = product / most if most else 0.0
    return Growth(first, second, lengths, min(least, most), max(least, most))


def _step(found: Meeting) -> np.ndarray:
    """To the least gap, also from where the gap does not bend that way."""
    growth, k = _growth(found), len(found.one.along)
    if growth.least > 0.0:
        by = -_inverse(growth.second) @ growth.slope
    else:
        root = np.linalg.inv(np.linalg.cholesky(growth.lengths))
        bends, axes = np.linalg.eigh(root @ growth.second @ root.T)
        by = -root.T @ axes @ (axes.T @ (root @ growth.slope) / np.maximum(np.abs(bends), 1e-300))
    return np.concatenate([by, -_inverse(found.slope[k:, k:]) @ (found.wanting[k:] + found.slope[k:, :k] @ by)]) if k else by


def _inverse(matrix: np.ndarray) -> np.ndarray:
    """Of (2, 2); of one that has none, what is not finite."""
    (a, b), (c, d) = matrix.tolist()
    size = a * d - b * c
    return np.array([[d, -b], [-c, a]]) / size if size else np.full((2, 2), math.nan)


def _parts(found: Meeting, size: float) -> bool:
    """Does the gap grow with the distance from the contact, so that the place is told well?"""
    growth = _growth(found)
    return growth.least > _FLAT * max(growth.most, 1.0 / size if len(found.one.along) else 1.0)


def _rounded(e: float, size: float) -> float:
    unit = math.ldexp(1.0, math.frexp(max(size, 1e-300))[1] - _BITS)
    return round(e / unit) * unit
