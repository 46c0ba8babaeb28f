"""Planes of contacts, and the corners of bodies beside them, which may land there."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contact.coplanar_curves import low
from ..contact_solver.forces import ContactDynamics
from ..motion.rotation import crosses
from ..shapes.polyhedral import Polyhedral
from .equations import MotionEquations

# Against size: corners that are no higher are in the plane of a contact; and how deep these may come.
IN_PLANE, DEEP = 1e-9, 1e-10
# Against the height up to which an edge lies in a plane, where it has risen from it.
_TILTED = 1.2


@dataclass(frozen=True, eq=False)
class Plane:
    """Corners (m, 3) of a body that are on their `side` of a contact's plane, seen from the centre of mass, how low each may come, and how
    high, of samples of an edge that lies there.
    """

    contact: int
    body: int
    side: float
    corners: np.ndarray
    least: np.ndarray
    most: np.ndarray


def heights(c: int, side: float, corners: np.ndarray, motion: ContactDynamics, place: Any) -> np.ndarray:
    """(..., m), of m corners of the first body above the plane of the second one; if `side` is -1, of corners of the second one below the
    plane of the first.
    """
    normal = motion.frames[..., c, 0, :]
    point = motion.points[..., c, :] - (motion.gaps[..., c, None] * normal if side > 0.0 else 0.0)
    at = corners @ np.swapaxes(place.turn, -1, -2) + (place.centre - point)[..., None, :]
    return np.asarray(side * (at @ normal[..., None])[..., 0])


def corner_planes(system: MotionEquations, shapes: dict[int, Polyhedral], motion: ContactDynamics, places: dict[int, Any],
                  size: float) -> tuple[list[Plane], set[tuple[int, int]]]:
    """The planes of all contacts of corners, edges and faces, with the corners beside them; and contacts with a body that has corners
    beyond the plane. `shapes`: of polyhedral bodies.
    """
    planes, around = list[Plane](), set[tuple[int, int]]()
    for c, kept in enumerate(system.kept):
        for body, side, flat in zip(kept.link.pair, (1.0, -1.0), kept.link.flats, strict=True):
            shape = shapes.get(body, flat)
            if shape is not None and not kept.link.contact.tracked:
                rises = _TILTED if body not in shapes else math.inf
                high = heights(c, side, shape.corners, motion, places[body])
                if (high < -IN_PLANE * size).any():
                    around.add((c, body))
                planes.append(_plane(c, body, side, shape.corners, high, size, rises, kept.loose))
    return planes, around


def _plane(c: int, body: int, side: float, corners: np.ndarray, high: np.ndarray, size: float, rises: float, loose: bool) -> Plane:
    own = high >= -IN_PLANE * size
    # Neighbours of a sample that touches are hardly higher.
    lying = own & (high <= _TILTED * low(corners, size)) & (rises < math.inf)
    # A hopping body is not projected onto the plane, so overhanging corners that start below it keep their depth as tolerance.
    least = np.where((high > IN_PLANE * size) & ~lying, 0.0, (np.minimum(high, 0.0) if loose else 0.0) - DEEP * size)
    most = np.where(lying, rises * low(corners[lying], size) if lying.any() else 0.0, math.inf)
    return Plane(c, body, side, corners[own], least[own], most[own])


def time_to_land(system: MotionEquations, planes: Sequence[Plane], size: float, now: float, courses: Sequence[Any]) -> float:
    """The time, in doubles, until a corner lands that is not in a plane. Where to look only."""
    (places, motion, _, rates), found = system.look(now, courses), math.inf
    rates = rates + system.answer(now, courses).change.reshape(-1, 6)
    for plane in planes:
        high = heights(plane.contact, plane.side, plane.corners, motion, places[plane.body]) - plane.least
        at = plane.corners @ places[plane.body].turn.T + places[plane.body].centre
        ways, signs = np.zeros((2, *at.shape)), (1.0, -1.0)
        for k, sign in zip((plane.body, sum(system.kept[plane.contact].link.pair) - plane.body), signs, strict=True):
            arm, rate = at - places[k].centre, rates[system.row[k]] if k in system.row else np.zeros(6)
            moving = crosses(places[k].spin, arm)
            ways += sign * np.array([places[k].velocity + moving, rate[:3] + crosses(rate[3:], arm) + crosses(places[k].spin, moving)])
        speed, pull = plane.side * ways @ motion.frames[plane.contact, 0]
        with np.errstate(all="ignore"):
            times = 2.0 * high / (np.sqrt(speed * speed - 2.0 * pull * high) - speed)
        found = min([found, *times[(high > IN_PLANE * size) & (times > 0.0)].tolist()])
    return found
