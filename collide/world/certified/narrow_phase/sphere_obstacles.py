"""Obstacles for the centre of a ball.

A ball touches a flat face when its centre is one radius from the plane, over the face; or from the line of an edge, beside it; or from a
corner. So the first of these moments is when it first touches.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from generative import ImplicitBody, ParametricSurface, u, v
from generative.changes import pieces_of

from ....bodies.mesh import Mesh
from ...rigid_body import RigidBody
from ...shapes.simple import exact_ball
from ..arithmetic.enclosures import matrix, number, vector


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A point, a line or a plane through `origin` (3,): the distance from it is the length of `across` (3, 3), a projection, of the
    difference to that. `sides`: normals and levels; what it belongs to is nearest where normal . centre > level for all of them. `radius`:
    of a ball about the point.
    """

    origin: np.ndarray
    across: np.ndarray
    sides: tuple[tuple[np.ndarray, Any], ...]
    radius: Any


_ALL = np.array([[number(int(i == j)) for j in range(3)] for i in range(3)], object)


def point(at: np.ndarray, radius: Any = None) -> Obstacle:
    return Obstacle(at, _ALL, (), number(0) if radius is None else radius)


def ball_of(rigid: RigidBody) -> tuple[np.ndarray, Any] | None:
    """The centre at the start and the radius of a body that is a ball; else None."""
    a, b, c = rigid.centre.tolist()
    found = exact_ball(rigid.shape, (a, b, c))
    if found is None:
        return None
    return matrix(vector(rigid.orientation.tolist())) @ vector(found[0]) + vector(rigid.position.tolist()), number(found[1]).sqrt()


def obstacles_of(rigid: RigidBody) -> list[Obstacle] | None:
    """The obstacles that a fixed body is for balls: a ball, or flat faces with their edges and corners; None for others."""
    ball = ball_of(rigid)
    if ball is not None:
        return [point(*ball)]
    if isinstance(rigid.shape, (Mesh, ImplicitBody)):
        return None
    faces = [_corners(face) for face in pieces_of(rigid.shape)]
    if any(face is None for face in faces):
        return None
    rings = [face for face in faces if face is not None]
    turn, shift = matrix(vector(rigid.orientation.tolist())), vector(rigid.position.tolist())
    placed = {corner: turn @ vector(corner) + shift for ring in rings for corner in ring}
    # Faces share edges and corners, which are told by their exact coordinates.
    edges = {frozenset(pair): pair for ring in rings for pair in itertools.pairwise([*ring, ring[0]])}
    return [*(_plane([placed[c] for c in ring]) for ring in rings), *(_line(placed[a], placed[b]) for a, b in edges.values()),
            *map(point, placed.values())]


Corner = tuple[Any, Any, Any]


def _corners(face: ParametricSurface) -> list[Corner] | None:
    """The corners of a parallelogram, in order; None for other faces."""
    e = sp.Matrix(face.expressions)
    if any(s.free_symbols for s in (*e.diff(u), *e.diff(v))):
        return None
    (a, b), (c, d) = (face.domain[s] for s in (u, v))
    found = [e.subs({u: x, v: y}) for x, y in ((a, c), (b, c), (b, d), (a, d))]
    return [(m[0], m[1], m[2]) for m in found]


def _plane(ring: list[np.ndarray]) -> Obstacle:
    normal = np.cross(ring[1] - ring[0], ring[3] - ring[0])
    inward = [np.cross(normal, b - a) for a, b in itertools.pairwise([*ring, ring[0]])]
    sides = tuple((n, n @ corner) for n, corner in zip(inward, ring, strict=True))
    return Obstacle(ring[0], np.outer(normal, normal) / (normal @ normal), sides, number(0))


def _line(a: np.ndarray, b: np.ndarray) -> Obstacle:
    along = b - a
    return Obstacle(a, _ALL - np.outer(along, along) / (along @ along), ((along, along @ a), (-along, -along @ b)), number(0))
