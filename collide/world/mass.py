"""Mass properties of bodies: volume, centre and inertia, by the divergence theorem over the faces.

The volume integral of a monomial is that of a vector field over the surface, whose normal S_u x S_v comes with the area. Faces are
integrated by Gauss's rule over panels, which are divided where halves tell something else: in doubles, not enclosed.
"""

import functools
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from codegen.given import shown
from codegen.kernel import compile
from generative import ImplicitBody, ImplicitSurface, ParametricSurface, Solid, u, v, x, y, z
from generative.changes import pieces_of
from generative.implicit import Combination
from generative.symbols import exact

from ..bodies.mesh import Mesh

# Points of the rule along each side of a panel; panels are divided until halves change an integral by no more than this part of it, or so
# many times.
_POINTS, _CLOSE, _LEVELS = 12, 1e-13, 9
# Radii of implicit bodies may have kinks all over, so panels are divided less often: to about 1e-6 then.
_CREASED = 5
# A centre nearer to an axis than this, against the size, is on it.
_NOTHING = 1e-14
# Rays are cut into so many pieces, in which the surface is looked for; against its area, the sum of normals that counts as zero.
_PIECES, _OPEN = 48, 1e-9
# The integrals: of 1, x, y, z, xx, yy, zz, yz, zx, xy over the volume.
_MOMENTS = 10


@dataclass(frozen=True, eq=False)
class MassProperties:
    """`volume`; `centre` (3,) of mass; `inertia` (3, 3) about the centre for density 1, along the axes of the shape's own coordinates.

    In doubles: `error` estimates the relative error of the volume by what the last refinement changed. Not a bound.
    """

    volume: float
    centre: np.ndarray
    inertia: np.ndarray
    error: float


def mass_properties(shape: Any) -> MassProperties:
    """Volume, centre and inertia of a body of density 1, approximately: to about 1e-12 for smooth faces.

    `shape`: a closed ParametricSurface, a Solid, a closed Mesh (whose integrals are exact but for rounding), or an implicit body every ray
    from the middle of whose bounds meets its surface once. It is taken at rest, in its own coordinates, a constant motion included.

    Raises TypeError for what is no body, and ValueError for one that moves or deforms, is not closed, or has parameters.

    >>> import sympy as sp
    >>> from collide import mass_properties
    >>> from generative import ParametricSurface, u, v
    >>> ball = ParametricSurface([sp.cos(u) * sp.cos(v), sp.sin(u) * sp.cos(v), sp.sin(v)], {u: (0, 2 * sp.pi), v: (-sp.pi / 2, sp.pi / 2)})
    >>> bool(abs(mass_properties(ball).volume / (4 / 3 * float(sp.pi)) - 1) < 1e-12)
    True
    """
    check_rigid(shape, "mass_properties takes bodies: the shape")
    return _properties(shape)


@functools.lru_cache(maxsize=512)
def _properties(shape: Any) -> MassProperties:
    if isinstance(shape, Mesh):
        moments, area, error = _mesh_moments(shape)
    elif isinstance(shape, ImplicitBody):
        moments, area, error = _implicit_moments(shape)
    else:
        moments, area, error = _face_moments(pieces_of(shape))
    normals, moments = moments[:3], moments[3:]
    if np.abs(normals).max() > _OPEN * area:
        raise ValueError("the surface is not closed, so it encloses no volume")
    moments = moments * np.sign(moments[0])
    if not moments[0] > 0.0:
        raise ValueError("the surface encloses no volume")
    centre = moments[1:4] / moments[0]
    # What is nothing but rounding is nothing.
    centre = np.where(np.abs(centre) > _NOTHING * np.cbrt(moments[0]), centre, 0.0)
    return MassProperties(float(moments[0]), centre, _about(moments[4:], moments[0], centre), float(error))


def check_rigid(shape: Any, owner: str) -> None:
    """Refuses what is no body, and bodies that move or deform by themselves."""
    if not isinstance(shape, (ParametricSurface, ImplicitBody, Solid, Mesh)):
        raise TypeError(f"{owner} is {shown(shape)}; bodies are ParametricSurface, ImplicitSurface, Solid and Mesh values")
    symbols = set[Any]()
    if isinstance(shape, Mesh):
        symbols |= set(shape.motion.symbols)
    for piece in () if isinstance(shape, Mesh) else pieces_of(shape):
        formulas = piece.body if isinstance(piece, ParametricSurface) else (piece.body,)
        symbols |= set(piece.motion.symbols).union(*(e.free_symbols for e in formulas))
    others = symbols - {u, v, x, y, z}
    if others:
        raise ValueError(f"{owner} contains {min(others, key=str)}: it must be rigid and at rest, and have all its numbers")


def _about(second: np.ndarray, volume: float, centre: np.ndarray) -> np.ndarray:
    """The inertia about the centre, of the integrals of xx, yy, zz, yz, zx, xy."""
    xx, yy, zz, yz, zx, xy = second
    products = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]) - volume * np.outer(centre, centre)
    return np.asarray(np.trace(products) * np.eye(3) - products)


def integrands(point: Iterable[Any], normal: Iterable[Any]) -> list[Any]:
    """Of a point and the normal there, with the area: the normal, and what integrates to the moments over the volume."""
    a, b, c = point
    n, m, k = normal
    return [n, m, k, (a * n + b * m + c * k) / 3, a * a * n / 2, b * b * m / 2, c * c * k / 2, a**3 * n / 3, b**3 * m / 3, c**3 * k / 3,
            b * b * c * m / 2, c * c * a * k / 2, a * a * b * n / 2]


def _mesh_moments(mesh: Mesh) -> tuple[np.ndarray, float, float]:
    if not mesh.closed:
        raise ValueError(f"the surface is not closed, so it encloses no volume: the mesh has a hole at {mesh.hole}")
    return _triangle_moments(triangles_of(mesh))


def triangles_of(mesh: Mesh) -> np.ndarray:
    """(n, 3, 3): the corners of its triangles, where its constant motion puts them."""
    vertices, triangles = mesh.arrays
    motion = [float(e) for e in mesh.motion.entries]
    return np.asarray((vertices @ np.reshape(motion[:9], (3, 3)).T + motion[9:])[triangles])


def _triangle_moments(corners: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Those of tetrahedra from the origin to triangles (n, 3, 3)."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
    six = np.linalg.det(corners)
    total = corners.sum(axis=1)
    products = np.einsum("nki,nkj->nij", corners, corners) + np.einsum("ni,nj->nij", total, total)
    second = np.einsum("n,nij->ij", six, products) / 120
    moments = [*normals.sum(axis=0), six.sum() / 6, *(six[:, None] * total).sum(axis=0) / 24, *np.diag(second), second[1, 2], second[2, 0],
               second[0, 1]]
    return np.array(moments), float(np.linalg.norm(normals, axis=1).sum()), 1e-15


def _face_moments(faces: Iterable[Any]) -> tuple[np.ndarray, float, float]:
    total, area, error = np.zeros(3 + _MOMENTS), 0.0, 0.0
    for face in faces:
        point, normal = face.expressions, face.normal
        kernel = compile([*integrands(point, normal), sp.sqrt(sum(e * e for e in normal))], [u, v], quick=True)
        ends = np.array([[float(e) for e in face.domain[s]] for s in (u, v)])
        moments, own = _integral(kernel.points, ends)
        total, area, error = total + moments[:-1], area + float(moments[-1]), error + float(own[3])
    return total, area, error / max(abs(total[3]), 1e-300)


def _integral(f: Callable[[np.ndarray], np.ndarray], domain: np.ndarray, levels: int = _LEVELS) -> tuple[np.ndarray, np.ndarray]:
    """The integral of f over a rectangle (2, 2), and how much the last refinement changed it."""
    panels = _quarters(domain[None])
    coarse = _gauss(f, panels)
    total, error = np.zeros_like(coarse[0]), np.zeros_like(coarse[0])
    for level in range(levels):
        finer = _quarters(panels)
        values = _gauss(f, finer).reshape(len(panels), 4, -1)
        change = np.abs(values.sum(axis=1) - coarse)
        scale = np.abs(total) + np.abs(values).sum(axis=(0, 1))
        good = (change <= _CLOSE * scale).all(axis=1) | (level == levels - 1)
        total, error = total + values[good].sum(axis=(0, 1)), error + change[good].sum(axis=0)
        panels, coarse = finer.reshape(-1, 4, 2, 2)[~good].reshape(-1, 2, 2), values[~good].reshape(-1, len(total))
        if not len(panels):
            break
    return total, error


def _quarters(panels: np.ndarray) -> np.ndarray:
    """(4 n, 2, 2) of (n, 2, 2), the four of each one after the other."""
    middle = panels.mean(axis=2)
    ends = [np.stack([np.stack([panels[:, k, 0], middle[:, k]], 1), np.stack([middle[:, k], panels[:, k, 1]], 1)]) for k in (0, 1)]
    return np.stack([np.stack([ends[0][i], ends[1][j]], 1) for i, j in itertools.product((0, 1), repeat=2)], 1).reshape(-1, 2, 2)


def _gauss(f: Callable[[np.ndarray], np.ndarray], panels: np.ndarray) -> np.ndarray:
    """(n, values): the integral over each panel by one rule."""
    nodes, weights = np.polynomial.legendre.leggauss(_POINTS)
    half = (panels[:, :, 1] - panels[:, :, 0]) / 2
    at = panels.mean(axis=2)[:, :, None] + half[:, :, None] * nodes
    places = np.stack([np.repeat(at[:, 0], _POINTS, 1), np.tile(at[:, 1], (1, _POINTS))], axis=-1)
    values = np.asarray(f(places.reshape(-1, 2))).reshape(len(panels), _POINTS**2, -1)
    both = np.outer(weights, weights).ravel()
    return np.asarray(np.einsum("nkv,k,n->nv", values, both, half.prod(axis=1)))


# -- implicit bodies --------------------------------------------------------------------------------------------------


def _implicit_moments(body: ImplicitBody) -> tuple[np.ndarray, float, float]:
    """By rays from the middle of the bounds: of a star-shaped body the moments are integrals of powers of its radius over directions. A
    convex polyhedron is that of its corners.
    """
    sides = sides_of(body)
    if sides is not None:
        return _triangle_moments(sides)
    origin, reach = _middle(body)
    value = compile([body.expression], [x, y, z], quick=True)

    def moments(angles: np.ndarray) -> np.ndarray:
        a, b = angles.T
        directions = np.stack([np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)], axis=1)
        r = _radii(lambda p: np.asarray(value.points(p))[:, 0], origin, directions, reach)[:, None]
        d, solid = directions, np.cos(b)[:, None]
        pairs = np.concatenate([d**2, d[:, [1, 2, 0]] * d[:, [2, 0, 1]]], axis=1)
        return np.asarray(np.concatenate([r**3 / 3, r**4 / 4 * d, r**5 / 5 * pairs], axis=1) * solid)

    found, error = _integral(moments, np.array([[0.0, 2 * np.pi], [-np.pi / 2, np.pi / 2]]), _CREASED)
    moved = _shifted(found, origin)
    return np.concatenate([np.zeros(3), moved]), 1.0, float(error[0] / found[0])


def _middle(body: ImplicitBody) -> tuple[np.ndarray, float]:
    """A point in the middle of the bounds, and how far these reach from any point in them."""
    bounds = [[[float(exact(e)) for e in ends] for ends in piece.bounds] for piece in body.leaves]
    motion = [float(e) for e in body.leaves[0].motion.entries]
    origin = np.reshape(motion[:9], (3, 3)) @ np.mean(bounds, axis=(0, 2)) + motion[9:]
    return origin, 2.0 * max(float(np.linalg.norm(np.ptp(own, axis=1))) for own in bounds)


def _planes(body: ImplicitBody) -> np.ndarray | None:
    """(n, 4): a, b, c, d of a x + b y + c z + d <= 0, of an intersection of half-spaces; None for other bodies."""
    if isinstance(body, Combination) and body.operation == "union":
        return None
    if not isinstance(body, ImplicitSurface):
        parts = [_planes(child) for child in body.children] if isinstance(body, Combination) else [None]
        known = [p for p in parts if p is not None]
        return np.concatenate(known) if len(known) == len(parts) else None
    e = body.expression
    slopes = [sp.diff(e, s) for s in (x, y, z)]
    if any(slope.free_symbols for slope in slopes):
        return None
    return np.array([[*map(float, slopes), float(e.xreplace(dict.fromkeys((x, y, z), sp.Integer(0))))]])


def sides_of(body: ImplicitBody) -> np.ndarray | None:
    """(n, 3, 3): triangles round an intersection of half-spaces that is bounded; None for other bodies."""
    from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

    planes = _planes(body)
    if planes is None:
        return None
    try:
        corners = HalfspaceIntersection(planes, _middle(body)[0]).intersections
        found = ConvexHull(corners)
    except (QhullError, ValueError):
        return None
    triangles = corners[found.simplices]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    inward = np.einsum("ni,ni->n", normals, found.equations[:, :3]) < 0
    return np.asarray(np.where(inward[:, None, None], triangles[:, ::-1], triangles))


def _shifted(moments: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Moments about a point as those about zero."""
    volume, first, (xx, yy, zz, yz, zx, xy) = moments[0], moments[1:4], moments[4:]
    second = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    second = second + np.outer(first, origin) + np.outer(origin, first) + volume * np.outer(origin, origin)
    return np.array([volume, *(first + volume * origin), *np.diag(second), second[1, 2], second[2, 0], second[0, 1]])


def _radii(value: Callable[[np.ndarray], np.ndarray], origin: np.ndarray, directions: np.ndarray, reach: float) -> np.ndarray:
    """How far the surface is along each direction; ValueError where it is not met once."""
    cuts = np.linspace(0.0, reach, _PIECES + 1)
    at = origin + directions[:, None] * cuts[:, None]
    inside = (value(at.reshape(-1, 3)) < 0).reshape(len(directions), -1)
    changes = inside[:, 1:] != inside[:, :-1]
    if not (inside[:, 0].all() and (changes.sum(axis=1) == 1).all()):
        raise ValueError("not every ray from the middle of the bounds meets the surface once, so no volume is integrated")
    first = changes.argmax(axis=1)
    lo, hi = cuts[first], cuts[first + 1]
    for _ in range(60):
        middle = (lo + hi) / 2
        within = value(origin + directions * middle[:, None]) < 0
        lo, hi = np.where(within, middle, lo), np.where(within, hi, middle)
    return np.asarray((lo + hi) / 2)
