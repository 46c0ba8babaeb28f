"""A contact that is kept, as a function of the state of its two bodies: its point and normal, and how they go on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from ..motion.rotation import crosses
from ..motion.state import BodyState
from ..shapes.simple import Flat, outside


class ContactState(NamedTuple):
    """The state of a contact: its point, the unit normal to the first body, how far the bodies are apart there, and the rates of the first
    two; with an axis of times if the places have one.
    """

    point: np.ndarray
    normal: np.ndarray
    gap: Any
    moving: np.ndarray
    turning: np.ndarray


class ContactGeometry(Protocol):
    """One place where two bodies touch, as a function of their states: `OnFace`, `OnBall` and `OnEdge` in closed form, and `OnSmooth`,
    whose two places are tracked by Newton's method. States may be those of m times.
    """

    @property
    def tracked(self) -> bool:
        """Whether it is found by Newton's method, and is then all that touches there."""
        ...

    @property
    def lying(self) -> Sequence[np.ndarray]:
        """Points (k, 3) of curves of the first body that may come to lie in the plane of contact, a set for each."""
        ...

    def course(self, one: BodyState, other: BodyState) -> ContactState:
        """Point, normal and gap, and their rates."""
        ...

    def outside(self, one: BodyState, other: BodyState) -> Any:
        """The distance of the contact beyond the border of its parts; not above 0 within."""
        ...

    def flattens(self, one: BodyState, other: BodyState) -> bool:
        """Whether the bodies are about to touch along a curve there."""
        ...

    def again(self) -> Self:
        """The same contact, found from where it is now."""
        ...


class ClosedForm:
    """A contact that depends on nothing but the states."""

    tracked, lying = False, ()

    def flattens(self, one: BodyState, other: BodyState) -> bool:
        return False

    def again(self) -> Self:
        return self


@dataclass(frozen=True, eq=False)
class OnFace(ClosedForm):
    """Round a point of the first body, as seen from its centre, a ball of a `radius`, or 0, touches a flat face of the second one."""

    point: np.ndarray
    radius: float
    face: Flat

    def courses(self, points: np.ndarray, one: BodyState, other: BodyState) -> ContactState:
        """At m times, of other points (k, 3) like this one: (m, k) and (m, k, 3)."""
        one, other = (BodyState(*(e[:, None] for e in place)) for place in (one, other))
        arm, normal = (one.turn @ points[..., None])[..., 0], (other.turn @ self.face.normal[:, None])[..., 0]
        shape = arm.shape
        found = self._course(arm, normal, one, other)
        return ContactState(*(np.broadcast_to(e, shape[:e.ndim]) for e in found))

    def course(self, one: BodyState, other: BodyState) -> ContactState:
        return self._course(one.turn @ self.point, other.turn @ self.face.normal, one, other)

    def _course(self, arm: np.ndarray, normal: np.ndarray, one: BodyState, other: BodyState) -> ContactState:
        turning = crosses(other.spin, normal)
        middle = one.centre + arm
        gap = _dot(normal, middle - other.centre) - self.face.level - self.radius
        moving = one.velocity + crosses(one.spin, arm) - self.radius * turning
        return ContactState(middle - self.radius * normal, normal, gap, moving, turning)

    def outside(self, one: BodyState, other: BodyState) -> Any:
        """The distance of the point outside the border of the face; less than 0 inside it."""
        return outside(self.face, _seen(other, one.centre + one.turn @ self.point) - self.radius * self.face.normal)


@dataclass(frozen=True, eq=False)
class OnBall(ClosedForm):
    """Balls of two radii round points of the bodies, as seen from their centres, touch."""

    point: np.ndarray
    radius: float
    other_point: np.ndarray
    other_radius: float

    def course(self, one: BodyState, other: BodyState) -> ContactState:
        arm, arm2 = one.turn @ self.point, other.turn @ self.other_point
        way = one.centre + arm - other.centre - arm2
        speed = one.velocity + crosses(one.spin, arm) - other.velocity - crosses(other.spin, arm2)
        far = np.sqrt(_dot(way, way))[..., None]
        normal = way / far
        turning = (speed - _dot(normal, speed)[..., None] * normal) / far
        point = other.centre + arm2 + self.other_radius * normal
        return ContactState(point, normal, far[..., 0] - self.radius - self.other_radius,
                      other.velocity + crosses(other.spin, arm2) + self.other_radius * turning, turning)

    def outside(self, one: BodyState, other: BodyState) -> Any:
        return np.full(one.centre.shape[:-1], -np.inf)


@dataclass(frozen=True, eq=False)
class OnEdge(ClosedForm):
    """An edge (2, 3) of the first body crosses one of the second, each as seen from its centre; `side`: which of the two normals across
    both goes to the first body.
    """

    edge: np.ndarray
    other_edge: np.ndarray
    side: float

    def course(self, one: BodyState, other: BodyState) -> ContactState:
        (a, along), (b, across) = (self._line(self.edge, one), self._line(self.other_edge, other))
        upright = crosses(along, across)
        size = np.sqrt(_dot(upright, upright))[..., None]
        normal = self.side * upright / size
        found = _parts((along, -across, -normal), b - a)
        point = a + found[..., :1] * along
        turned = crosses(crosses(one.spin, along), across) + crosses(along, crosses(other.spin, across))
        turning = self.side * (turned - _dot(turned, normal)[..., None] * normal) / size
        # The point moves along both edges, besides moving with each.
        slides = _parts((along, -across, normal), other.at(point) - one.at(point))
        return ContactState(point, normal, found[..., 2], one.at(point) + slides[..., :1] * along, turning)

    def _line(self, edge: np.ndarray, place: BodyState) -> tuple[np.ndarray, np.ndarray]:
        return place.centre + place.turn @ edge[0], place.turn @ (edge[1] - edge[0])

    def outside(self, one: BodyState, other: BodyState) -> Any:
        """The distance of the crossing beyond the end of an edge."""
        (a, along), (b, across) = (self._line(self.edge, one), self._line(self.other_edge, other))
        found = _parts((along, -across, crosses(along, across)), b - a)
        beyond = [np.sqrt(_dot(e, e)) * np.maximum(-x, x - 1.0) for e, x in ((along, found[..., 0]), (across, found[..., 1]))]
        return np.maximum(*beyond)


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray((a * b).sum(axis=-1))


def _parts(axes: tuple[np.ndarray, np.ndarray, np.ndarray], way: np.ndarray) -> np.ndarray:
    """(..., 3): the numbers with which three vectors add up to another one."""
    return np.asarray(np.linalg.solve(np.stack(axes, axis=-1), way[..., None])[..., 0])


def _seen(place: BodyState, point: np.ndarray) -> np.ndarray:
    """A point in the coordinates of a body."""
    return np.asarray(((point - place.centre)[..., None, :] @ place.turn)[..., 0, :])
