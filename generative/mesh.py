"""Triangle meshes of moving bodies, for pictures: approximate, in floating point. Also polyhedra from mesh files.

A rigid surface is meshed once in its own frame and its vertices are moved; a deforming one is evaluated at every time. Parametric
surfaces are sampled on a grid as fine, in each direction, as their bending asks for; implicit surfaces are those of `contour`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from .brep import Solid
from .contour import approx_motion as approx_motion
from .contour import contour
from .implicit import ImplicitBody
from .marching import Triangles, Vertices
from .mesh_file import polyhedron_from_file as polyhedron_from_file
from .motion import Motion
from .numeric import approx_function as approx_function
from .resting import member_at_numbers
from .surface import ParametricSurface
from .symbols import double, t, u, v
from .triangulated import Triangulated


@dataclass(frozen=True)
class MovingMesh:
    """A mesh `local` in the frame that `motion` carries, as a function of the time if it is `deforming`, with other triangles at each
    time if it is `remeshed`. One that deforms cannot be pickled.
    """

    local: Callable[[float], tuple[Vertices, Triangles]]
    motion: Motion
    deforming: bool = False
    remeshed: bool = False

    @property
    def static(self) -> bool:
        """Whether the mesh is the same at all times."""
        return self.motion.is_constant and not self.deforming

    def __copy__(self) -> "MovingMesh":
        return self

    def __deepcopy__(self, memo: Any) -> "MovingMesh":
        return self

    def __getstate__(self) -> dict[str, Any]:
        if self.deforming:
            raise TypeError("the mesh of a deforming body is a function of the time, which cannot be pickled; tessellate the body again")
        return {name: value for name, value in vars(self).items() if name != "place"}

    @cached_property
    def place(self) -> Callable[[Any], tuple[np.ndarray, np.ndarray]]:
        """See `approx_motion`."""
        return approx_motion(self.motion)

    def at(self, time: float) -> tuple[Vertices, Triangles]:
        """Vertices and triangles in the world."""
        vertices, triangles = self.local(time)
        rotation, translation = self.place(time)
        return vertices @ rotation.T + translation, triangles


def tessellate(body: Any, *, times: Iterable[float] = (0.0,), deviation: float = 4e-4, error: float = 0.0,
               cells: int = 16) -> list[MovingMesh]:
    """Meshes of a body, one a face.

    Chords may be as far from the surface as `deviation` of its size, or `error`, if that is more; this is estimated, not proved. `times`
    are where a deforming surface is looked at to choose its grid; `cells` is the least number of cells a side for implicit surfaces.
    """
    at = tuple(times)

    def allowed(size: float) -> float:
        return max(deviation * size, error)

    if isinstance(body, Solid):
        return [_parametric(face, at, allowed) for face in body.faces]
    if isinstance(body, ParametricSurface):
        return [_parametric(body, at, allowed)]
    if isinstance(body, ImplicitBody):
        found = ((piece.leaf, *contour(piece, at, allowed, cells)) for piece in body.faces)
        return [_moving(local, leaf.motion, changes, changes) for leaf, local, changes in found]
    if isinstance(body, Triangulated):
        return [_moving(lambda time: body.arrays, body.motion, False, False)]
    raise TypeError(f"a body is a ParametricSurface, an implicit surface or a Solid, got {type(body).__name__}")


def enclosing(faces: Sequence[ParametricSurface]) -> int:
    """The sign of the volume that closed faces enclose at t = 0: -1 if it is clearly negative, 0 if it vanishes.

    By Gauss' theorem and the midpoint rule.
    """
    samples, weights = [], []
    for face in faces:
        at = [np.linspace(double(lo), double(hi), 49)[1::2] for lo, hi in face.domain.values()]
        family = member_at_numbers(face)
        values = _places_and_normals(family.body, family.symbols)(*np.meshgrid(*at), 0.0, *map(double, family.numbers))
        samples.append(values[np.isfinite(values).all(axis=-1)])
        weights.append(np.full(len(samples[-1]), (at[0][1] - at[0][0]) * (at[1][1] - at[1][0])))
    points, normals = np.split(np.concatenate(samples), 2, axis=1)
    offsets, weight = points - points.mean(axis=0), np.concatenate(weights)
    parts = weight * (offsets * normals).sum(axis=1)
    # The volume of a body is some part of its area times its size; rounding leaves far less than this.
    if abs(parts.sum()) <= 1e-12 * (weight * np.linalg.norm(offsets, axis=1) * np.linalg.norm(normals, axis=1)).sum():
        return 0
    return -1 if parts.sum() < -0.05 * np.abs(parts).sum() else 1


@lru_cache(maxsize=256)
def _places_and_normals(face: ParametricSurface, symbols: tuple[Any, ...]) -> Callable[..., np.ndarray]:
    """One function for all faces of a family."""
    return approx_function([*face.expressions, *face.normal], [u, v, t, *symbols])


VIEW = np.array([0.58, -0.74, 0.34]) / np.linalg.norm([0.58, -0.74, 0.34])
"""From a body towards the eye, in all pictures."""


def _moving(local: Callable[[float], tuple[Vertices, Triangles]], motion: Motion, deforming: bool, remeshed: bool) -> MovingMesh:
    """A mesh in the body's frame, carried by the motion; kept if it does not deform."""
    if deforming:
        return MovingMesh(local, motion, True, remeshed)
    return MovingMesh(_Still(*local(0.0)), motion)


@dataclass(frozen=True, eq=False)
class _Still:
    """The same mesh at all times."""

    vertices: Vertices
    triangles: Triangles

    def __call__(self, time: float) -> tuple[Vertices, Triangles]:
        return self.vertices, self.triangles


def _parametric(surface: ParametricSurface, times: Sequence[float], allowed: Callable[[float], float]) -> MovingMesh:
    function = approx_function(surface.body, [u, v, t])
    ends = [[float(end) for end in surface.domain[s]] for s in (u, v)]

    def sample(time: float, counts: Sequence[int]) -> np.ndarray:
        lines = [np.linspace(lo, hi, n) for (lo, hi), n in zip(ends, counts, strict=True)]
        values = function(*np.meshgrid(*lines, indexing="ij"), time)
        return np.where(np.isfinite(values), values, np.nan)

    looks = times if surface.deforming else (0.0,)
    counts = _counts(looks, sample, allowed)
    triangles = grid_triangles(counts[0], counts[1], flipped=surface.flipped)
    keep, triangles = _weld([sample(time, counts).reshape(-1, 3) for time in looks], triangles)
    return _moving(lambda time: (sample(time, counts).reshape(-1, 3)[keep], triangles), surface.motion, surface.deforming, False)


# Samples along each parameter that tell how fine a grid must be; where it must be finer than they are, four times as many; and grid lines.
_TRIAL, _MOST = 65, 512


def _counts(times: Sequence[float], sample: Callable[[float, Sequence[int]], np.ndarray], allowed: Callable[[float], float]) -> list[int]:
    """Grid lines along u and v that deviate by no more than is allowed."""
    shape = [_TRIAL, _TRIAL]
    while True:
        trials = [sample(time, shape) for time in times]
        counts = [max(_count(trial, axis, allowed(_size(trial))) for trial in trials) for axis in (0, 1)]
        finer = [4 * n - 3 if count > n and n == _TRIAL else n for count, n in zip(counts, shape, strict=True)]
        if finer == shape:
            return _against_twist(trials, counts, allowed)
        shape = finer


def _count(sample: np.ndarray, axis: int, allowed: float) -> int:
    """Grid lines along an axis such that chords, off by |second difference| / 8, deviate by no more than allowed."""
    bend = _largest(np.linalg.norm(np.diff(sample, 2, axis=axis), axis=-1))
    cells = (sample.shape[axis] - 1) * np.sqrt(bend / (8 * max(allowed, 1e-300)))
    return int(np.clip(np.ceil(cells), 1, _MOST)) + 1


def _largest(values: np.ndarray) -> float:
    """The largest of the finite values; 0 if there is none."""
    return float(values[np.isfinite(values)].max(initial=0.0))


def _size(sample: np.ndarray) -> float:
    """The diagonal of the box round the finite points of a sample."""
    points = sample.reshape(-1, 3)
    points = points[np.isfinite(points).all(axis=1)]
    return float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0


def _against_twist(trials: Sequence[np.ndarray], counts: Sequence[int], allowed: Callable[[float], float]) -> list[int]:
    """More grid lines, of the fewer kind first, where a cell between straight lines is not flat.

    The two diagonals of a cell pass each other at half of the normal part of its twist p11 - p10 - p01 + p00.
    """
    needed = 0.0
    for p in trials:
        twist = p[1:, 1:] - p[1:, :-1] - p[:-1, 1:] + p[:-1, :-1]
        normal = np.cross(p[1:, 1:] - p[:-1, :-1], p[:-1, 1:] - p[1:, :-1])
        apart = np.abs((twist * normal).sum(axis=-1)) / np.maximum(np.linalg.norm(normal, axis=-1), 1e-300)
        needed = max(needed, _largest(apart) * apart.size / (4 * max(allowed(_size(p)), 1e-300)))
    few, many = sorted(n - 1 for n in counts)
    few = max(few, int(np.ceil(min(needed / many, np.sqrt(needed)))))
    many = max(many, int(np.ceil(needed / few)))
    few, many = min(few, _MOST) + 1, min(many, _MOST) + 1
    return [few, many] if counts[0] <= counts[1] else [many, few]


def grid_triangles(rows: int, columns: int, *, flipped: bool = False) -> Triangles:
    """Two triangles a cell of a grid of rows x columns vertices, counterclockwise as seen from S_u x S_v."""
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    first = np.stack([corner, corner + columns, corner + columns + 1], axis=1)
    second = np.stack([corner, corner + columns + 1, corner + 1], axis=1)
    triangles = np.concatenate([first, second]).astype(np.int32)
    return triangles[:, ::-1] if flipped else triangles


def _weld(samples: Sequence[Vertices], triangles: Triangles) -> tuple[np.ndarray, Triangles]:
    """Vertices that coincide in all samples (seams, poles) become one, so that shading is smooth across; (kept, triangles).

    Not so where that joins triangles of opposite senses, as at the seam of a one-sided strip: there shading would pass through black.
    Triangles with a corner where the surface is not finite are left out.
    """
    stacked = np.concatenate(samples, axis=1)
    triangles = triangles[np.isfinite(stacked).all(axis=1)[triangles].all(axis=1)]
    scale = 1e-7 * max(_size(samples[0]), 1e-300)
    _, keep, new = np.unique(np.round(stacked / scale), axis=0, return_index=True, return_inverse=True)
    welded = new.ravel()[triangles]
    a, b, c = welded.T
    welded = welded[(a != b) & (b != c) & (c != a)]
    edges = (welded * len(keep) + np.roll(welded, -1, axis=1)).ravel()
    one_sided = len(np.unique(edges)) < len(edges)
    return (np.arange(len(stacked)), triangles) if one_sided else (keep, welded.astype(np.int32))
