"""A contact that is kept, as a function of the state of its two bodies: its point and normal, and how they go on."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..outline import Flat
from ..rotation import cross


class Place(NamedTuple):
    """Where a body is and how it moves: a point of it, its turn, the velocity of the point, and its spin, in the world."""

    centre: np.ndarray
    turn: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray

    def at(self, point: np.ndarray) -> np.ndarray:
        """The velocity of what is there."""
        return self.velocity + cross(self.spin, point - self.centre)


class Course(NamedTuple):
    """Of a contact: its point, the unit normal to the first body, how far the bodies are apart there, and the rates of the first two."""

    point: np.ndarray
    normal: np.ndarray
    gap: float
    moving: np.ndarray
    turning: np.ndarray


@dataclass(frozen=True, eq=False)
class OnFace:
    """Round a point of the first body, as seen from its centre, a ball of a `radius`, or 0, touches a flat face of the second one."""

    point: np.ndarray
    radius: float
    face: Flat

    def course(self, one: Place, other: Place) -> Course:
        arm, normal = one.turn @ self.point, other.turn @ self.face.normal
        turning = cross(other.spin, normal)
        middle = one.centre + arm
        gap = float(normal @ (middle - other.centre)) - self.face.level - self.radius
        moving = one.velocity + cross(one.spin, arm) - self.radius * turning
        return Course(middle - self.radius * normal, normal, gap, moving, turning)

    def outside(self, one: Place, other: Place) -> float:
        """How far the point is outside the border of the face; less than 0 inside it."""
        return outside(self.face, other.turn.T @ (one.centre + one.turn @ self.point - other.centre))


@dataclass(frozen=True, eq=False)
class OnBall:
    """Balls of two radii round points of the bodies, as seen from their centres, touch."""

    point: np.ndarray
    radius: float
    other_point: np.ndarray
    other_radius: float

    def course(self, one: Place, other: Place) -> Course:
        arm, arm2 = one.turn @ self.point, other.turn @ self.other_point
        way = one.centre + arm - other.centre - arm2
        speed = one.velocity + cross(one.spin, arm) - other.velocity - cross(other.spin, arm2)
        far = float(np.linalg.norm(way))
        normal = way / far
        turning = (speed - (normal @ speed) * normal) / far
        point = other.centre + arm2 + self.other_radius * normal
        return Course(point, normal, far - self.radius - self.other_radius,
                      other.velocity + cross(other.spin, arm2) + self.other_radius * turning, turning)

    def outside(self, one: Place, other: Place) -> float:
        return -np.inf


@dataclass(frozen=True, eq=False)
class OnEdge:
    """An edge (2, 3) of the first body crosses one of the second, each as seen from its centre; `side`: which of the two normals across
    both goes to the first body.
    """

    edge: np.ndarray
    other_edge: np.ndarray
    side: float

    def course(self, one: Place, other: Place) -> Course:
        (a, along), (b, across) = (self._line(self.edge, one), self._line(self.other_edge, other))
        upright = cross(along, across)
        size = np.linalg.norm(upright)
        normal = self.side * upright / size
        s, _, gap = np.linalg.solve(np.column_stack([along, -across, -normal]), b - a)
        point = a + s * along
        turned = cross(cross(one.spin, along), across) + cross(along, cross(other.spin, across))
        turning = self.side * (turned - (turned @ normal) * normal) / size
        # The point moves along both edges, besides moving with each.
        between = other.at(point) - one.at(point)
        slides = np.linalg.solve(np.column_stack([along, -across, normal]), between)
        return Course(point, normal, float(gap), one.at(point) + slides[0] * along, turning)

    def _line(self, edge: np.ndarray, place: Place) -> tuple[np.ndarray, np.ndarray]:
        return place.centre + place.turn @ edge[0], place.turn @ (edge[1] - edge[0])

    def outside(self, one: Place, other: Place) -> float:
        """How far the crossing is beyond the end of an edge."""
        (a, along), (b, across) = (self._line(self.edge, one), self._line(self.other_edge, other))
        s, r, _ = np.linalg.solve(np.column_stack([along, -across, cross(along, across)]), b - a)
        return max(float(np.linalg.norm(e)) * max(-x, x - 1.0) for e, x in ((along, s), (across, r)))


def outside(face: Flat, point: np.ndarray) -> float:
    """How far a point in the plane of a face is outside its border; less than 0, and no more than how deep, inside it."""
    if not len(face.border):
        return -np.inf
    begin, along = face.border[:, 0], face.border[:, 1] - face.border[:, 0]
    part = np.clip(np.einsum("ni,ni->n", point - begin, along) / np.einsum("ni,ni->n", along, along), 0.0, 1.0)
    near = float(np.linalg.norm(point - begin - part[:, None] * along, axis=1).min())
    # The border is crossed an odd number of times by a ray in the plane.
    way = along[np.argmax(np.einsum("ni,ni->n", along, along))]
    up = np.cross(face.normal, way)
    lo, hi = (face.border[:, k] - point for k in (0, 1))
    below, above = lo @ up, hi @ up
    crossing = (below > 0) != (above > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = (lo @ way) - below * ((hi - lo) @ way) / (above - below)
    inside = np.count_nonzero(crossing & (at > 0)) % 2
    return -near if inside else near
