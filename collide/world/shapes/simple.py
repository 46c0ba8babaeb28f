"""Simple geometry of a shape: spheres, flat faces, and the bounding radius."""

import contextlib
import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from codegen.kernel import compile
from generative import ImplicitBody, ImplicitSurface, ParametricSurface, u, v, x, y, z
from generative.changes import pieces_of

from ...bodies.mesh import Mesh
from ...bodies.parts import is_closed
from ...bodies.surface_points import extent
from ..mass.implicit import sides_of
from ..mass.integrators import triangles_of as mesh_triangles
from ..mass.properties import deforms, mass_properties

# Cells along each side of a face; normals of triangles that differ by less are those of one flat face.
_CELLS, _SAME = 24, 1e-9
# Corners no further apart, against the size of the shape, are one.
_ONE = 1e-12
# Where distances are compared, along both parameters.
_PARTS = 0.3125, 0.71875


@dataclass(frozen=True, eq=False)
class Flat:
    """A flat face: its unit normal, the level of its plane along it, the border (m, 2, 3) of segments, empty if it has none, and the
    numbers of the triangles or patches that it is.
    """

    normal: np.ndarray
    level: float
    border: np.ndarray
    cells: tuple[int, ...] = (0,)

    def moved(self, turn: np.ndarray, shift: np.ndarray) -> "Flat":
        normal = turn @ self.normal
        return Flat(normal, self.level + float(normal @ shift), self.border @ turn.T + shift, self.cells)


def ball_radius(shape: Any, middle: tuple[float, float, float]) -> float | None:
    """The radius of a shape that is proved to be a ball round its centre of mass; else None."""
    found = exact_ball(shape, middle)
    return None if found is None else float(sp.sqrt(found[1]))


@functools.lru_cache(maxsize=512)
def exact_ball(shape: Any, middle: tuple[float, float, float]) -> tuple[tuple[Any, Any, Any], Any] | None:
    """The centre and the square of the radius of a shape that is proved to be a ball round this point, except for rounding; else None."""
    if deforms(shape):
        return None
    a, b, c = map(_rational, middle)
    square = None
    if isinstance(shape, ParametricSurface):
        square = _constant_distance(shape, (a, b, c))
    elif isinstance(shape, ImplicitSurface) and shape.expression.is_polynomial(x, y, z):
        square = _sphere(shape, (a, b, c))
    return None if square is None else ((a, b, c), square)


def _constant_distance(shape: ParametricSurface, middle: tuple[Any, Any, Any]) -> Any:
    square = sum((e - m) ** 2 for e, m in zip(shape.expressions, middle, strict=True))
    found = square if _varies(square, shape) or sp.count_ops(square) >= 200 else _simplified(square)
    if found.free_symbols or not is_closed(shape):
        return None
    # A closed surface on a sphere covers all of it, if it has a volume.
    with contextlib.suppress(ValueError):
        return found if mass_properties(shape).volume > 2.0 * float(found) ** 1.5 else None
    return None


def _simplified(square: Any) -> Any:
    """The same; in most cases squares of sines are all that there is to do, in a thirtieth of the time."""
    expanded = sp.expand(square)
    plain = sp.expand(expanded.replace(_is_even_sine, lambda e: (1 - sp.cos(e.base.args[0]) ** 2) ** (e.exp / 2)))
    return sp.trigsimp(expanded) if plain.free_symbols else plain


def _is_even_sine(e: Any) -> bool:
    return bool(e.is_Pow and isinstance(e.base, sp.sin) and e.exp.is_Integer and e.exp > 0 and e.exp % 2 == 0)


def _varies(square: Any, shape: ParametricSurface) -> bool:
    """Whether the square of a distance has other values at other points, in doubles. A ball that seems to be none is searched as others
    are.
    """
    ends = [[float(e) for e in shape.domain[s]] for s in (u, v)]
    at = [[lo + part * (hi - lo) for lo, hi in ends] for part in _PARTS]
    values = compile([square], [u, v], quick=True).points(np.array(at))
    return bool(np.ptp(values) > _SAME * np.abs(values).max())


def _sphere(shape: ImplicitSurface, middle: tuple[Any, Any, Any]) -> Any:
    p = sp.Poly(shape.expression, x, y, z)
    centred = sp.Poly(p.as_expr().subs({s: s + m for s, m in zip((x, y, z), middle, strict=True)}, simultaneous=True), x, y, z)
    a, level = centred.coeff_monomial(x**2), centred.coeff_monomial(1)
    if not (a > 0 and level < 0 and sp.expand(centred.as_expr() - a * (x**2 + y**2 + z**2) - level) == 0):
        return None
    # It is what lies within the bounds.
    own = shape.motion.rotation.T * (sp.Matrix(middle) - sp.Matrix(shape.motion.translation))
    within = all((m - lo) ** 2 > -level / a and (hi - m) ** 2 > -level / a and lo < m < hi
                 for m, (lo, hi) in zip(own, shape.bounds, strict=True))
    return -level / a if within else None


def _rational(e: float) -> Any:
    """A centre of mass is computed in doubles: one that is simple except for rounding is taken to be so, and what is found is proved."""
    simple = Fraction(e).limit_denominator(1 << 20)
    return sp.Rational(simple.numerator, simple.denominator) if abs(float(simple) - e) <= 1e-13 else sp.Rational(e)


@functools.lru_cache(maxsize=512)
def flats(shape: Any) -> tuple[Flat, ...]:
    """The flat faces of a shape, in its own coordinates: triangles, affine patches, and half-spaces of intersections; none of one that
    deforms.
    """
    if deforms(shape):
        return ()
    if isinstance(shape, Mesh):
        return _of_triangles(mesh_triangles(shape))
    if isinstance(shape, ImplicitBody):
        sides = sides_of(shape)
        return _half_space(shape) if sides is None else _of_triangles(sides)
    found = [(corners, k) for k, face in enumerate(pieces_of(shape)) for corners in [_flat_patch(face)] if corners is not None]
    return _flat_polygons([corners for corners, _ in found], np.array([_normal(corners) for corners, _ in found]), [k for _, k in found])


def _flat_patch(face: ParametricSurface) -> np.ndarray | None:
    """The corners (m, 3) of a patch that is linear in each parameter, and in one plane: it is what lies between them."""
    e = sp.Matrix(face.expressions)
    if any(s.free_symbols or s != 0 for s in (*e.diff(u, 2), *e.diff(v, 2))):
        return None
    corners = _corners(face)
    size = float(np.abs(corners).max())
    corners = corners[np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) > _ONE * size]
    if len(corners) < 3:
        return None
    middle = {s: (lo + hi) / 2 for s, (lo, hi) in face.domain.items()}
    normal = np.array([float(n) for n in sp.Matrix(face.normal).subs(middle)])
    normal /= np.linalg.norm(normal)
    if np.abs((corners - corners[0]) @ normal).max() > _ONE * size:
        return None
    return corners if _normal(corners) @ normal > 0.0 else corners[::-1]


def corners_of(shape: Any) -> np.ndarray:
    """(n, 3): all corners of the patches or triangles of a shape whose faces are flat: it is in their hull, except for rounding."""
    return mesh_triangles(shape).reshape(-1, 3) if isinstance(shape, Mesh) else np.concatenate([_corners(f) for f in pieces_of(shape)])


def triangles_of(shape: Any) -> np.ndarray:
    """(n, 3, 3): the triangles of a mesh, or those of the patches of a solid whose faces are flat."""
    if isinstance(shape, Mesh):
        return mesh_triangles(shape)
    found = np.array([[c[[0, k, k + 1]] for k in (1, 2)] for c in map(_corners, pieces_of(shape))]).reshape(-1, 3, 3)
    sides = np.linalg.norm(found - np.roll(found, 1, axis=1), axis=2)
    return found[sides.min(axis=1) > 0.0]


def _corners(face: ParametricSurface) -> np.ndarray:
    (a, b), (c, d) = face.domain[u], face.domain[v]
    return np.array([[e.subs({u: p, v: q}) for e in face.expressions] for p, q in ((a, c), (b, c), (b, d), (a, d))], float)


def _normal(corners: np.ndarray) -> np.ndarray:
    """The unit normal of a polygon (m, 3) in a plane, seen from where it goes round counterclockwise."""
    found = np.cross(corners[1:-1] - corners[0], corners[2:] - corners[0]).sum(axis=0)
    return np.asarray(found / np.linalg.norm(found))


def _half_space(body: ImplicitBody) -> tuple[Flat, ...]:
    """A half-space ends at its bounds; where it is not seen how, its border is not known."""
    leaf = body.leaves[0]
    slopes = [sp.diff(leaf.expression, s) for s in (x, y, z)]
    if leaf is not body or any(s.free_symbols for s in slopes):
        return ()
    normal, level = np.array([float(s) for s in slopes]), -float(leaf.expression.subs({x: 0, y: 0, z: 0}))
    size, k = float(np.linalg.norm(normal)), int(np.argmax(np.abs(normal)))
    if not leaf.motion.is_identity or np.count_nonzero(normal) > 1:
        return (Flat(normal / size, level / size, np.empty((0, 2, 3))),)
    ends = [[float(e) for e in pair] for pair in leaf.bounds]
    corners = np.full((4, 3), level / normal[k])
    for row, (a, b) in zip(corners, ((0, 0), (1, 0), (1, 1), (0, 1)), strict=True):
        row[(k + 1) % 3], row[(k + 2) % 3] = ends[(k + 1) % 3][a], ends[(k + 2) % 3][b]
    return (Flat(normal / size, level / size, np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)),)


def _of_triangles(corners: np.ndarray) -> tuple[Flat, ...]:
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return _flat_polygons(list(corners), normals / np.linalg.norm(normals, axis=1, keepdims=True), range(len(corners)))


def _flat_polygons(polygons: Sequence[np.ndarray], normals: np.ndarray, cells: Sequence[int]) -> tuple[Flat, ...]:
    """Polygons (m, 3) in one plane are one face; its border are the edges that one of them has alone."""
    if not len(polygons):
        return ()
    levels = np.einsum("ni,ni->n", normals, np.array([p[0] for p in polygons]))
    size = max(float(np.abs(np.concatenate(polygons)).max()), 1e-300)
    keys = np.round(np.column_stack([normals, levels / size]) / _SAME).astype(int)
    groups: dict[tuple[int, ...], list[int]] = {}
    for k, key in enumerate(map(tuple, keys.tolist())):
        groups.setdefault(key, []).append(k)
    return tuple(Flat(normals[own[0]], float(levels[own[0]]), _border([polygons[k] for k in own], size), tuple(cells[k] for k in own))
                 for own in groups.values())


def _border(polygons: Sequence[np.ndarray], size: float) -> np.ndarray:
    if len(polygons) > 1:
        # One that is given twice is there once.
        polygons = list({p[np.lexsort(p.T)].tobytes(): p for p in polygons}.values())
    sides = np.concatenate([np.stack([p, np.concatenate([p[1:], p[:1]])], axis=1) for p in polygons])
    if len(polygons) == 1:
        return sides
    alone = _alone(sides, size)
    cut = _cut(alone, size)
    return alone if len(cut) == len(alone) else _straight(_alone(cut, size), size)


def _alone(sides: np.ndarray, size: float) -> np.ndarray:
    """The sides that are not sides of two polygons."""
    keys = [frozenset(map(tuple, side)) for side in np.round(sides / (_ONE * size)).tolist()]
    count = Counter(keys)
    return sides[[count[key] == 1 for key in keys]]


def _cut(sides: np.ndarray, size: float) -> np.ndarray:
    """At ends of others that are on them, as where polygons have a part of a side in common."""
    ends, found = np.unique(sides[:, 0], axis=0), list[np.ndarray]()
    for a, b in sides:
        way, length = ends - a, float(np.linalg.norm(b - a))
        along = way @ (b - a) / length
        off = np.linalg.norm(way - along[:, None] * (b - a) / length, axis=1)
        on = (off <= _ONE * size) & (along > _ONE * size) & (along < length - _ONE * size)
        points = np.concatenate([a[None], ends[on][np.argsort(along[on])], b[None]])
        found.append(np.stack([points[:-1], points[1:]], axis=1))
    return np.concatenate(found)


def _straight(sides: np.ndarray, size: float) -> np.ndarray:
    """With those that go on straight as one, of a border that goes one way round, and once through each of its ends."""
    left = {tuple(key): side for key, side in zip(np.round(sides[:, 0] / (_ONE * size)).tolist(), sides, strict=True)}
    if len(left) < len(sides):
        return sides
    for key in list(left):
        a, b = left.get(key, sides[0])
        after = tuple(np.round(b / (_ONE * size)).tolist())
        while key in left and after != key and after in left:
            c = left[after][1]
            if np.linalg.norm(np.cross(b - a, c - b)) > _ONE * size * size or (b - a) @ (c - b) < 0.0:
                break
            left[key], b = np.array([a, c]), c
            del left[after]
            after = tuple(np.round(b / (_ONE * size)).tolist())
    return np.array(list(left.values()))


@functools.lru_cache(maxsize=512)
def reach(shape: Any, middle: tuple[float, float, float]) -> float:
    """A radius of a ball round a point that holds the shape, rounded up."""
    radius = ball_radius(shape, middle)
    if radius is not None:
        return radius
    if isinstance(shape, (Mesh, ImplicitBody)):
        box = extent(shape, 0.0)
        return float(np.linalg.norm(np.abs(box - np.array(middle)[:, None]).max(axis=1))) * (1.0 + 1e-15)
    return max(_face_reach(face, middle) for face in pieces_of(shape))


def _face_reach(face: ParametricSurface, middle: tuple[float, float, float]) -> float:
    square = sum((e - sp.Rational(m)) ** 2 for e, m in zip(face.expressions, middle, strict=True))
    kernel = compile([square], [u, v], quick=True)
    ends = [np.linspace(float(lo), float(hi), _CELLS + 1) for lo, hi in (face.domain[s] for s in (u, v))]
    low, high = (np.stack(np.meshgrid(*(e[part] for e in ends), indexing="ij"), axis=-1).reshape(-1, 2)
                 for part in (slice(None, -1), slice(1, None)))
    _, hi = kernel.interval(np.nextafter(low, -np.inf), np.nextafter(high, np.inf))
    return float(np.sqrt(hi.max())) * (1.0 + 1e-15)


def outside(face: Flat, point: np.ndarray) -> Any:
    """The distance by which a point (..., 3) in the plane of a face is outside its border; inside it less than 0, and no more than the
    depth.
    """
    if not len(face.border):
        return np.full(point.shape[:-1], -np.inf)
    begin, along = face.border[:, 0], face.border[:, 1] - face.border[:, 0]
    way = point[..., None, :] - begin
    lengths = (along * along).sum(axis=-1)
    off = way - np.clip((way * along).sum(axis=-1) / lengths, 0.0, 1.0)[..., None] * along
    near = np.sqrt((off * off).sum(axis=-1)).min(axis=-1)
    # The border is crossed an odd number of times by a ray in the plane.
    ray = along[np.argmax(lengths)]
    up = np.cross(face.normal, ray)
    lo, hi = (face.border[:, k] - point[..., None, :] for k in (0, 1))
    below, above = lo @ up, hi @ up
    crossing = (below > 0) != (above > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = (lo @ ray) - below * ((hi - lo) @ ray) / (above - below)
    inside = np.count_nonzero(crossing & (at > 0), axis=-1) % 2
    return np.where(inside, -near, near)
