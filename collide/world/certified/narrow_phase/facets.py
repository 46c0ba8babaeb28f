"""Polyhedra and balls as balls of Arb's, where a flight takes them at a time, with their velocities; and the same in doubles."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import arb

from ...motion import rotation
from ..arithmetic.enclosures import matrix, nearest
from ..motion.ballistic import NONE, Flight
from .polyhedron import Point, Polyhedron, Ring, ball


@dataclass(frozen=True, eq=False)
class Moved:
    """Vectors (..., 3), or numbers (...), `at` all times of a ball of times, and their `rate` then."""

    at: Any
    rate: Any

    def __sub__(self, other: "Moved") -> "Moved":
        return Moved(self.at - other.at, self.rate - other.rate)

    def __getitem__(self, k: Any) -> "Moved":
        return Moved(self.at[k], self.rate[k])

    def __neg__(self) -> "Moved":
        return Moved(-self.at, -self.rate)

    def dot(self, other: "Moved") -> "Moved":
        return Moved(_dot(self.at, other.at), _dot(self.rate, other.at) + _dot(self.at, other.rate))

    def cross(self, other: "Moved") -> "Moved":
        return Moved(cross(self.at, other.at), cross(self.rate, other.at) + cross(self.at, other.rate))

    def times(self, factor: "Moved") -> "Moved":
        """Each vector by a number of its own."""
        own, rate = np.asarray(factor.at)[..., None], np.asarray(factor.rate)[..., None]
        return Moved(self.at * own, self.rate * own + self.at * rate)

    def less(self, length: Any) -> "Moved":
        return Moved(self.at - length, self.rate)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The cross product, as NumPy's, which takes longer."""
    (x, y, z), (p, q, r) = (a[..., k] for k in range(3)), (b[..., k] for k in range(3))
    return np.stack([y * r - z * q, z * p - x * r, x * q - y * p], axis=-1)


def _dot(a: Any, b: Any) -> Any:
    return (a * b).sum(axis=-1)


@dataclass(frozen=True, eq=False)
class ConvexForm:
    """A polyhedron, or a ball: points no further than `radius` from its only corner. `corners` (m, 3) against the centre of mass, `normals`
    (f, 3) of its faces, units, outward; `edges` (e, 2) and `rings` of corners. `whole`: its surface is that of the hull of the corners.
    `names`: their exact coordinates, of a polyhedron.
    """

    corners: np.ndarray
    normals: np.ndarray
    edges: np.ndarray
    rings: tuple[Ring, ...]
    radius: Any
    whole: bool
    names: tuple[Point, ...] = ()

    @cached_property
    def rough(self) -> tuple[np.ndarray, np.ndarray]:
        return nearest(self.corners), nearest(self.normals)

    @cached_property
    def central(self) -> bool:
        """Whether it is a ball about the centre of mass, which turns about itself."""
        return len(self.corners) == 1 and all(e.is_zero() for e in self.corners[0])


def form_of(shape: Polyhedron, middle: np.ndarray) -> ConvexForm:
    corners = np.array([[ball(e) for e in p] for p in shape.corners], object)
    normals = np.array([np.cross(corners[b] - corners[a], corners[c] - corners[a]) for a, b, c, *_ in shape.faces], object).reshape(-1, 3)
    for n in normals:
        n /= (n @ n).sqrt()
    return ConvexForm(corners - middle, normals, np.array(shape.edges, int).reshape(-1, 2), shape.faces, arb(0), shape.whole, shape.corners)


def form_of_ball(centre: np.ndarray, radius: Any) -> ConvexForm:
    return ConvexForm(centre[None], np.empty((0, 3), object), np.empty((0, 2), int), (), radius, True)


@dataclass(frozen=True, eq=False)
class PlacedForm:
    """A form at all times of a ball: `corners` and `normals` in the world."""

    form: ConvexForm
    corners: Moved
    normals: Moved

    def edge(self, k: int) -> tuple[Moved, Moved]:
        """The start of an edge, and the vector from there to its end."""
        a, b = self.form.edges[k]
        return self.corners[a], self.corners[b] - self.corners[a]

    def but_edge(self, k: int) -> Moved:
        return self.but(self.form.edges[k])

    def but(self, ends: Any) -> Moved:
        """The corners except some."""
        return self.corners[[k for k in range(len(self.form.corners)) if k not in ends]]


class MovingForm:
    """A form that moves by a flight, or rests."""

    def __init__(self, form: ConvexForm, flight: Flight, still: bool) -> None:
        self.form, self.flight = form, flight
        self._still = self._placed(flight.start, True) if still else None

    def placed(self, time: Any) -> PlacedForm:
        return self._still or self._placed(time)

    def _placed(self, time: Any, still: bool = False) -> PlacedForm:
        flight, form = self.flight, self.form
        if still or form.central:
            turn, spin = flight.placed, NONE
        else:
            turn = matrix(flight.turn_at(time))
            spin = turn @ (flight.inertia.inverse @ (turn.T @ flight.momentum))
        at, velocity = (flight.centre, NONE) if still else (flight.at(time), flight.velocity_at(time))
        out, normals = form.corners @ turn.T, form.normals @ turn.T
        return PlacedForm(form, Moved(out + at, cross(spin, out) + velocity), Moved(normals, cross(spin, normals)))

    def rough(self, time: float) -> tuple[np.ndarray, np.ndarray]:
        """Corners and normals in doubles."""
        if self._still is not None:
            return nearest(self._still.corners.at), nearest(self._still.normals.at)
        corners, normals = self.form.rough
        turn = np.eye(3) if self.form.central else rotation.matrix(nearest(self.flight.turn_at(arb(time))))
        return corners @ turn.T + nearest(self.flight.at(arb(time))), normals @ turn.T

    def until(self, time: float) -> float:
        """The time up to which one series tells how it turns."""
        tumbling = None if self._still is not None or self.form.central else self.flight.tumbling
        return math.inf if tumbling is None else tumbling.until(time)
