"""Triangle meshes of moving bodies, for pictures: approximate, in floating point. Also polyhedra from mesh files.

A rigid surface is meshed once in its own frame and its vertices are moved; a deforming one is evaluated at every time. Parametric
surfaces are sampled on a grid as fine, in each direction, as their bending asks for; implicit surfaces by marching tetrahedra.
"""

import html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from .brep import Solid
from .implicit import ImplicitBody, ImplicitSurface
from .motion import Motion
from .polyhedron import polyhedron
from .surface import ParametricSurface
from .symbols import t, u, v, x, y, z

Vertices = np.ndarray
"""(n, 3) float64."""

Triangles = np.ndarray
"""(m, 3) int32, indices of vertices."""


@dataclass(frozen=True)
class MovingMesh:
    """`at(time)` gives the vertices and triangles in the world; the triangles change only if `remeshed`."""

    at: Callable[[float], tuple[Vertices, Triangles]]
    remeshed: bool = False
    static: bool = False


def tessellate(body: Any, *, times: Iterable[float] = (0.0,), deviation: float = 4e-4, cells: int = 40) -> list[MovingMesh]:
    """Meshes of a body, one a face.

    `deviation` is the wanted distance between a chord and the surface, relative to the size of the surface; `times` are where a
    deforming surface is looked at to choose its grid; `cells` is the number of cells a side for implicit surfaces.
    """
    if isinstance(body, Solid):
        return [mesh for face in body.faces for mesh in tessellate(face, times=times, deviation=deviation)]
    if isinstance(body, ParametricSurface):
        return [_parametric(body, times, deviation)]
    if isinstance(body, ImplicitSurface):
        return [_implicit(body, (), cells)]
    if isinstance(body, ImplicitBody):
        return [_implicit(piece.leaf, [(b, -1) for b in piece.outside] + [(b, 1) for b in piece.inside], cells)
                for piece in body.pieces]
    raise TypeError(f"a body is a ParametricSurface, an implicit surface or a Solid, got {type(body).__name__}")


def approx_function(expressions: Sequence[Any], symbols: Sequence[sp.Symbol]) -> Callable[..., np.ndarray]:
    """A NumPy function of arrays, one a symbol, that approximates the expressions; they are stacked along the last axis."""
    # NumPy functions refuse integers of more than 64 bits, of which exact rationals may be made.
    large = {n: sp.Float(n, 20) for e in expressions for n in sp.sympify(e).atoms(sp.Rational) if max(abs(n.p), n.q) >= 2**53}
    plain = [sp.sympify(e).xreplace(large) for e in expressions]
    function = sp.lambdify(list(symbols), plain, modules=[_FUNCTIONS, "numpy"], cse=True)

    def evaluate(*values: Any) -> np.ndarray:
        shape = np.broadcast_shapes(*(np.shape(value) for value in values))
        with np.errstate(all="ignore"):
            return np.stack([np.broadcast_to(np.asarray(e, dtype=float), shape) for e in function(*values)], axis=-1)

    return evaluate


def polyhedron_from_file(path: str | PathLike[str], *, most: int = 2000) -> Solid:
    """The polyhedron of a triangle mesh file: STL, OBJ or PLY (read by trimesh), vertices at the same place merged.

    Raises ValueError for a file that is no mesh, has holes or flipped faces, or more than `most` triangles.
    """
    try:
        import trimesh
    except ImportError as error:
        raise ImportError("mesh files need trimesh: pip install 'generative-collision[mesh]'") from error
    source = Path(path)
    if not source.is_file():
        raise FileNotFoundError(f"there is no mesh file {source}")
    try:
        mesh = trimesh.load_mesh(source, process=True)
        triangles, vertices = np.asarray(mesh.faces), np.asarray(mesh.vertices)
    except Exception as error:  # the readers of the formats raise whatever comes up
        raise ValueError(f"{source.name} cannot be read as a mesh: {error}") from error
    if not 4 <= len(triangles) <= most:
        raise ValueError(f"{source.name} holds {len(triangles)} triangles; a polyhedron takes 4 to {most}")
    return polyhedron(vertices.tolist(), triangles.tolist())


# -- small still pictures for notebooks ---------------------------------------------------------------------------------

VIEW = np.array([0.58, -0.74, 0.34]) / np.linalg.norm([0.58, -0.74, 0.34])
LIGHT = np.array([0.3, -0.5, 0.81]) / np.linalg.norm([0.3, -0.5, 0.81])
COLOURS = ((63, 127, 191), (224, 128, 58), (79, 160, 107), (141, 107, 181))


def svg(bodies: Sequence[Any], times: Sequence[float] = (0.0,), *, size: int = 190, deviation: float = 4e-3) -> str:
    """A shaded picture of bodies, at each of the times, as SVG text: triangles painted from back to front, seen from `VIEW`."""
    drawn = [(k, *mesh.at(time)) for k, body in enumerate(bodies) for mesh in tessellate(body, deviation=deviation, cells=16)
             for time in times]
    corners = np.concatenate([vertices[triangles] for _, vertices, triangles in drawn])
    colours = np.concatenate([np.full(len(triangles), k % len(COLOURS)) for k, _, triangles in drawn])
    right = np.cross([0.0, 0.0, 1.0], VIEW)
    right /= np.linalg.norm(right)
    flat = np.stack([corners @ right, -corners @ np.cross(VIEW, right)], axis=-1)
    lo, hi = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    flat = 0.5 * size + (flat - 0.5 * (lo + hi)) * (0.94 * size / max(float((hi - lo).max()), 1e-300))
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    bright = 0.45 + 0.55 * abs(normal @ LIGHT) / np.maximum(np.linalg.norm(normal, axis=1), 1e-300)
    shade = (np.array(COLOURS)[colours] * bright[:, None]).astype(int)
    paths = []
    for k in np.argsort(corners.mean(axis=1) @ VIEW, kind="stable"):
        colour = "#{:02x}{:02x}{:02x}".format(*shade[k])
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in flat[k])
        paths.append(f'<polygon points="{points}" fill="{colour}" stroke="{colour}" stroke-width=".4"/>')
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" style="flex:none">{"".join(paths)}</svg>'


def card(bodies: Sequence[Any], text: str, times: Sequence[float] = (0.0,)) -> str:
    """The rich display of a value in a notebook: its small picture beside its text, the middle of a long one left out."""
    if len(text) > 400:
        text = f"{text[:280]} ... {len(text) - 380} characters ... {text[-100:]}"
    return (f'<div style="display:flex;align-items:center;gap:1em">{svg(bodies, times)}'
            f'<code style="white-space:pre-wrap">{html.escape(text)}</code></div>')


_FUNCTIONS = {"Chebyshev": lambda s, *c: np.polynomial.chebyshev.chebval(s, np.array(c, dtype=float))}


def approx_motion(motion: Motion) -> Callable[[float], tuple[np.ndarray, np.ndarray]]:
    """time -> (rotation (3, 3), translation (3,)), approximately."""
    function = approx_function([*motion.rotation, *motion.translation], [t])

    def evaluate(time: float) -> tuple[np.ndarray, np.ndarray]:
        entries = function(time)
        return entries[:9].reshape(3, 3), entries[9:]

    return evaluate


def _moving(local: Callable[[float], tuple[Vertices, Triangles]], motion: Motion, deforming: bool, remeshed: bool) -> MovingMesh:
    """A mesh in the body's frame, carried by the motion; kept if it does not deform."""
    place = approx_motion(motion)
    kept = None if deforming else local(0.0)

    def at(time: float) -> tuple[Vertices, Triangles]:
        vertices, triangles = local(time) if kept is None else kept
        rotation, translation = place(time)
        return vertices @ rotation.T + translation, triangles

    return MovingMesh(at, remeshed=deforming and remeshed, static=motion.is_constant and not deforming)


def _parametric(surface: ParametricSurface, times: Iterable[float], deviation: float) -> MovingMesh:
    function = approx_function(surface.body, [u, v, t])
    ends = [[float(end) for end in surface.domain[s]] for s in (u, v)]

    def sample(time: float, counts: Sequence[int]) -> np.ndarray:
        lines = [np.linspace(lo, hi, n) for (lo, hi), n in zip(ends, counts, strict=True)]
        return function(*np.meshgrid(*lines, indexing="ij"), time)

    looks = list(times) if surface.deforming else [0.0]
    trials = [sample(time, (65, 65)) for time in looks]
    counts = [max(_count(trial, axis, deviation) for trial in trials) for axis in (0, 1)]
    triangles = _grid_triangles(counts[0], counts[1], flipped=surface.flipped)
    keep, triangles = _weld([sample(time, counts).reshape(-1, 3) for time in looks], triangles)
    return _moving(lambda time: (sample(time, counts).reshape(-1, 3)[keep], triangles), surface.motion, surface.deforming, False)


def _count(sample: np.ndarray, axis: int, deviation: float) -> int:
    """Grid lines along an axis such that chords, off by |second difference| / 8, deviate by no more than asked; 2 to 97."""
    size = float(np.linalg.norm(np.ptp(sample.reshape(-1, 3), axis=0)))
    bend = float(np.linalg.norm(np.diff(sample, 2, axis=axis), axis=-1).max())
    cells = (sample.shape[axis] - 1) * np.sqrt(bend / (8 * deviation * max(size, 1e-300)))
    return int(np.clip(np.ceil(cells), 1, 96)) + 1


def _grid_triangles(rows: int, columns: int, *, flipped: bool) -> Triangles:
    """Two triangles a cell of a grid of rows x columns vertices, counterclockwise as seen from S_u x S_v."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    first = np.stack([corner, corner + columns, corner + columns + 1], axis=1)
    second = np.stack([corner, corner + columns + 1, corner + 1], axis=1)
    triangles = np.concatenate([first, second]).astype(np.int32)
    return triangles[:, ::-1] if flipped else triangles


def _weld(samples: Sequence[Vertices], triangles: Triangles) -> tuple[np.ndarray, Triangles]:
    """Vertices that coincide in all samples (seams, poles) become one, so that shading is smooth across; (kept, triangles)."""
    stacked = np.concatenate(samples, axis=1)
    scale = 1e-7 * max(float(np.ptp(samples[0], axis=0).max()), 1e-300)
    _, keep, new = np.unique(np.round(stacked / scale), axis=0, return_index=True, return_inverse=True)
    triangles = new.ravel()[triangles].astype(np.int32)
    a, b, c = triangles.T
    return keep, triangles[(a != b) & (b != c) & (c != a)]


def _implicit(leaf: ImplicitSurface, conditions: Sequence[tuple[ImplicitBody, int]], cells: int) -> MovingMesh:
    """The zero set of a leaf within its bounds, without the triangles where sign * (another body's function) > 0."""
    function = approx_function([leaf.body], [x, y, z, t])
    seen = leaf.motion.apply((x, y, z))
    others = [sign * body.expression.xreplace(dict(zip((x, y, z), seen, strict=True))) for body, sign in conditions]
    keep = [approx_function([e], [x, y, z, t]) for e in others]
    grid = np.meshgrid(*(np.linspace(float(lo), float(hi), cells + 1) for lo, hi in leaf.bounds), indexing="ij")

    def local(time: float) -> tuple[Vertices, Triangles]:
        vertices, triangles = marching_tetrahedra(np.stack(grid, axis=-1), function(*grid, time)[..., 0])
        for condition in keep:
            vertices, triangles = _clipped(vertices, triangles, condition(*vertices.T, time)[..., 0])
        return vertices, triangles

    changing = leaf.deforming or any(b.deforming or b.motion != leaf.motion for body, _ in conditions for b in body.leaves)
    return _moving(local, leaf.motion, changing, True)


def _clipped(vertices: Vertices, triangles: Triangles, value: np.ndarray) -> tuple[Vertices, Triangles]:
    """The part of a mesh where the linear interpolant of `value`, given at the vertices, is at most zero."""
    inside = value[triangles] <= 0
    count = inside.sum(axis=1)
    cut = (count == 1) | (count == 2)
    # Corners turned so that the one that differs from the two others comes first.
    odd = np.argmax(inside[cut] == (count[cut] == 1)[:, None], axis=1)
    a, b, c = np.take_along_axis(triangles[cut], (odd[:, None] + np.arange(3)) % 3, axis=1).T
    new = [vertices[a] + (value[a] / (value[a] - value[other]))[:, None] * (vertices[other] - vertices[a]) for other in (b, c)]
    ab = len(vertices) + np.arange(len(a))
    ac, tip = ab + len(a), count[cut] == 1
    pieces = [triangles[count == 3], np.stack([a, ab, ac], axis=1)[tip], np.stack([ab, b, c], axis=1)[~tip],
              np.stack([ab, c, ac], axis=1)[~tip]]
    return np.concatenate([vertices, *new]), np.concatenate(pieces).astype(np.int32)


# The six tetrahedra of a cube round its diagonal from corner 0 to corner 7 (Kuhn), corners numbered 4 i + 2 j + k.
_TETRAHEDRA = np.array([[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]])


def marching_tetrahedra(grid: np.ndarray, values: np.ndarray) -> tuple[Vertices, Triangles]:
    """The zero set of the piecewise linear interpolant of `values` (a, b, c) at the points `grid` (a, b, c, 3).

    Triangles are counterclockwise as seen from the positive side.
    """
    index: np.ndarray = np.arange(values.size).reshape(values.shape)
    corners = np.stack([index[i:index.shape[0] - 1 + i, j:index.shape[1] - 1 + j, k:index.shape[2] - 1 + k].ravel()
                        for i in (0, 1) for j in (0, 1) for k in (0, 1)], axis=1)
    value, point = values.ravel(), grid.reshape(-1, 3)
    corners = corners[(value[corners].min(axis=1) <= 0) & (value[corners].max(axis=1) > 0)]
    tetrahedra = corners[:, _TETRAHEDRA].reshape(-1, 4)
    inside = value[tetrahedra] <= 0
    # Corners sorted so that those inside come first: the cut is a triangle (1 or 3 inside) or a quadrilateral (2 inside).
    order = np.argsort(~inside, axis=1, kind="stable")
    tetrahedra, count = np.take_along_axis(tetrahedra, order, axis=1), inside.sum(axis=1)
    cuts = {1: [[(0, 1), (0, 2), (0, 3)]], 3: [[(3, 0), (3, 1), (3, 2)]],
            2: [[(0, 2), (0, 3), (1, 3)], [(0, 2), (1, 3), (1, 2)]]}
    edges = np.concatenate([tetrahedra[count == n][:, triangle] for n, triangles in cuts.items() for triangle in triangles])
    keys, triangles = np.unique(np.sort(edges, axis=2).reshape(-1, 2), axis=0, return_inverse=True)
    a, b = keys.T
    share = (value[a] / (value[a] - value[b]))[:, None]
    vertices = point[a] + share * (point[b] - point[a])
    return vertices, _oriented(vertices, triangles.reshape(-1, 3).astype(np.int32), edges, point, value)


def _oriented(vertices: Vertices, triangles: Triangles, edges: np.ndarray, point: np.ndarray, value: np.ndarray) -> Triangles:
    """Turn the triangles whose normal does not look along a cut edge from its inside end to its outside end."""
    a, b = edges[:, :, 0], edges[:, :, 1]
    outward = (np.where((value[a] <= 0)[..., None], 1, -1) * (point[b] - point[a])).sum(axis=1)
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    wrong = np.einsum("ij,ij->i", np.cross(q - p, r - p), outward) < 0
    triangles[wrong] = triangles[wrong][:, ::-1]
    return triangles
