"""Corners, edges and faces of a shape, as parts of it that can touch: `contact.feature_pairs` finds contacts by them."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from generative import ImplicitBody, ImplicitSurface, ParametricSurface, Solid, u, v
from generative.combination import Combination

from ...bodies.cells import Parametric
from ...bodies.mesh import Mesh
from ...bodies.parts import parts_of
from ..mass.properties import deforms
from ..shapes.polyhedral import Polyhedral, polyhedral
from ..shapes.simple import Flat, outside
from .concavity import Way, thickness, way
from .crease_tracing import faces_and_edges
from .curved import CurvedPatch, LevelSet
from .local_geometry import Part, units
from .straight import CornerPoint, CurvedEdge, FlatPlane, StraightSegment

# Against size: what is on a plane; and of a face, so many points tell whether a shape is on one side of it.
_SAME, _MANY = 1e-9, 200
# Against size: a step into a face from its border.
_INWARD = 1e-6


@dataclass(frozen=True, eq=False)
class Features:
    """`parts` of a shape, seen from its centre of mass. `convex`: all of it is on the inner side of each face, as far as many points tell;
    `strictly`: one closed smooth surface, that is; `radius`: of a ball round the only part. `within` (n, 4): normals and levels of planes
    that hold what is convex and has edges. `polyhedron`: the same by its corners, of what is flat. `thick`: of others that are not convex
    how far it is from a face through the body to another one, at least, as far as many points tell; 0 where that is not known.
    """

    parts: tuple[Part, ...]
    convex: bool
    strictly: bool
    radius: float = 0.0
    within: np.ndarray = field(default_factory=lambda: np.empty((0, 4)))
    polyhedron: Polyhedral | None = None
    thick: float = math.inf

    @property
    def flat(self) -> bool:
        return not any(isinstance(p, (CurvedPatch, LevelSet)) for p in self.parts)

    @functools.cached_property
    def followed(self) -> bool:
        """Whether its parts tell where it touches: those of a curved one that is not convex do if it is one surface, or closed."""
        faces = [p for p in self.parts if p.dimension == 2]
        return self.flat or self.convex or (len(faces) == 1 and isinstance(faces[0], (CurvedPatch, LevelSet))) or self.thick > 0.0


def ball(radius: float) -> Features:
    return Features((CornerPoint(np.zeros(3)),), True, True, radius)


@functools.lru_cache(maxsize=256)
def features(shape: Any, middle: tuple[float, float, float]) -> Features | None:
    """None if its parts are not known as formulas, or flat, or if they deform."""
    if deforms(shape):
        return None
    flat = polyhedral(shape, middle)
    if flat is not None:
        return _of_flat(flat)
    at = np.array(middle)
    if isinstance(shape, ImplicitSurface):
        level = LevelSet(shape, at)
        return Features((level,), level.convex, level.convex)
    if isinstance(shape, Combination):
        parts = faces_and_edges(shape, at)
        return None if parts is None else _of_parts(parts) or Features(parts, False, False, thick=thickness(_curved(parts)))
    if isinstance(shape, (Mesh, ImplicitBody)) or not isinstance(shape, (ParametricSurface, Solid)):
        return None
    known = sorted((part for part in parts_of(shape) if isinstance(part, Parametric)), key=lambda p: p.dimension)
    parts = tuple(_part(part, at) for part in known)
    if len(parts) == 1 and isinstance(parts[0], CurvedPatch) and parts[0].convex:
        return Features(parts, True, True)
    if any(isinstance(p, CurvedPatch) and p.two_sided for p in parts):
        return Features(parts, False, False, thick=0.0)
    return _of_parts(parts) or _not_convex(known, parts)


def _of_parts(parts: tuple[Part, ...]) -> Features | None:
    """None of those that are not convex."""
    within = _tangents(parts)
    points = np.concatenate([p.points for p in parts])
    inner = (points @ within[:, :3].T - within[:, 3]).max() <= _SAME * np.abs(points).max()
    return Features(parts, True, False, within=within) if inner else None


def _curved(parts: Sequence[Part]) -> list[CurvedPatch | LevelSet]:
    return [p for p in parts if isinstance(p, (CurvedPatch, LevelSet))]


def _not_convex(known: Sequence[Parametric], parts: tuple[Part, ...]) -> Features:
    """Without edges that are hollow, and corners where such end."""
    edges = [(part, p) for part, p in zip(known, parts, strict=True) if isinstance(p, CurvedEdge)]
    ways = {p: way(part) for part, p in edges}
    ends = np.array([p.jet(np.array([[e]])).point[0] for p in ways if ways[p] is Way.IN for e in (p.lo, p.hi)]).reshape(-1, 3)
    size = max(float(np.abs(p.points).max()) for p in parts)
    left = tuple(p for p in parts if not (ways.get(p) is Way.IN or (isinstance(p, CornerPoint) and (  # type: ignore[call-overload]
        np.linalg.norm(ends - p.point, axis=1) <= _SAME * size).any())))
    return Features(left, False, False, thick=0.0 if Way.BOTH in ways.values() else thickness(_curved(parts)))


def _of_flat(flat: Polyhedral) -> Features:
    """Without edges that are hollow, and corners where such end, which touch nothing that is curved."""
    corners, faces = flat.corners, flat.faces
    size = float(np.abs(corners).max()) if len(corners) else 1.0
    outward = [_outward((a + b) / 2.0, flat, size, 2) for a, b in flat.edges]
    hollow = [len(normals) > 0 and _hollow(edge, flat, size) for edge, normals in zip(flat.edges, outward, strict=True)]
    ends = flat.edges[hollow].reshape(-1, 3)
    parts: list[Part] = [CornerPoint(c, _outward(c, flat, size, 3)) for c in corners
                         if not (np.linalg.norm(ends - c, axis=1) <= _SAME * size).any()]
    parts += [StraightSegment(a, b - a, normals) for (a, b), normals, e in zip(flat.edges, outward, hollow, strict=True) if not e]
    parts += [FlatPlane(f, len(faces) == 1) for f in faces]
    if len(faces) == 1:
        return Features(tuple(parts), True, False, polyhedron=flat)
    within = np.array([[*f.normal, f.level] for f in faces])
    inner = bool((corners @ within[:, :3].T - within[:, 3]).max() <= _SAME * size)
    return Features(tuple(parts), inner, False, within=within if inner else np.empty((0, 4)), polyhedron=flat)


def _on(point: np.ndarray, flat: Polyhedral, size: float) -> list[Flat]:
    """The faces that a point is on."""
    return [f for f in flat.faces if abs(f.normal @ point - f.level) <= _SAME * size and outside(f, point) <= _SAME * size]


def _outward(point: np.ndarray, flat: Polyhedral, size: float, least: int) -> np.ndarray:
    """The normals of the faces that a point is on; none of fewer than `least`, as at the border of an open surface."""
    found = [f.normal for f in _on(point, flat, size)]
    return np.array(found) if len(found) >= least else np.empty((0, 3))


def _hollow(edge: np.ndarray, flat: Polyhedral, size: float) -> bool:
    """Whether a face goes up from the plane of the other one, at an edge."""
    middle = edge.mean(axis=0)
    one, other = _on(middle, flat, size)[:2]
    inward = np.cross(one.normal, edge[1] - edge[0])
    inward *= _INWARD * size / np.linalg.norm(inward)
    return bool((inward if outside(one, middle + inward) < 0.0 else -inward) @ other.normal > 0.0)


def _part(part: Parametric, middle: np.ndarray) -> Part:
    if part.dimension == 2:
        return CurvedPatch(part.surface, middle, part.two_sided)
    if part.dimension == 1:
        return CurvedEdge(part, middle)
    a, b = part.path
    point = np.array([float(e) for e in _at(part.surface.expressions, a, b)]) - middle
    rows = [] if part.two_sided else [[float(e) for e in _at(face.normal, *way)] for face, way in part.outward]
    return CornerPoint(point, units(np.array(rows).reshape(-1, 3)))


def _at(formulas: Any, a: Any, b: Any) -> list[Any]:
    return [e.xreplace({u: a, v: b}) for e in formulas]


def _tangents(parts: tuple[Part, ...]) -> np.ndarray:
    """(n, 4): normals and levels of planes at points of curved faces."""
    rows = [np.empty((0, 4))]
    for part in _curved(parts):
        jet = part.jet(part.start(np.arange(0, len(part.points), max(1, len(part.points) // _MANY))))
        rows.append(np.column_stack([jet.normal, (jet.normal * jet.point).sum(axis=1)]))
    return np.concatenate(rows)
