"""Parameters of the points of patches and solids that are nearest to given points, in doubles: from a grid, by steps of Gauss and Newton.
"""

import functools
from typing import Any

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile
from generative import ParametricSurface, Solid, t, u, v

_FINE, _STEPS, _COARSE, _FEW = 48, 30, 8, 10
_SMALLEST = 1e-300


def nearest_parameters(face: ParametricSurface, points: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances (k,) of points from a patch at a time, u and v (k, 2) of the nearest points, and the tangents (k, 2, 3) there."""
    kernel, ends = _kernel(face), np.array([[float(e) for e in face.domain[s]] for s in (u, v)])
    at = np.stack(np.meshgrid(*(np.linspace(lo, hi, _FINE + 1) for lo, hi in ends.tolist()), indexing="ij"), axis=-1).reshape(-1, 2)
    places = _values(kernel, at, time)[:, 0]
    found = at[np.argmin(np.linalg.norm(places[None] - points[:, None], axis=2), axis=1)]
    for _ in range(_STEPS):
        values = _values(kernel, found, time)
        slopes = np.linalg.pinv(np.swapaxes(values[:, 1:], 1, 2))
        found = np.clip(found + np.einsum("kij,kj->ki", slopes, points - values[:, 0]), ends[:, 0], ends[:, 1])
    values = _values(kernel, found, time)
    return np.linalg.norm(values[:, 0] - points, axis=1), found, values[:, 1:]


def nearest_faces(body: Any, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The faces (k,) of a body that does not deform that are nearest to points (k, 3) in its own frame, and u and v (k, 2) there, about. Of
    each point as if it were alone.
    """
    resting = body.resting
    faces = resting.faces if isinstance(resting, Solid) else [resting]
    found = [_nearest_coarsely(face, points) for face in faces]
    which = np.argmin(np.stack([far for far, _ in found]), axis=0)
    return which, np.stack([at for _, at in found])[which, np.arange(len(points))]


def _nearest_coarsely(face: ParametricSurface, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Squares of distances (k,) of points (k, 3) from a patch, and u and v (k, 2), in few steps from a coarse grid."""
    kernel, ends = _kernel(face), np.array([[float(e) for e in face.domain[s]] for s in (u, v)])
    at = np.stack(np.meshgrid(*(np.linspace(lo, hi, _COARSE + 1) for lo, hi in ends.tolist()), indexing="ij"), axis=-1).reshape(-1, 2)
    found = at[np.argmin(_square(_values(kernel, at, 0.0)[None, :, 0] - points[:, None]), axis=1)]
    for _ in range(_FEW):
        place, a, b = _values(kernel, found, 0.0).transpose(1, 0, 2)
        way = points - place
        aa, ab, bb, wa, wb = _square(a), (a * b).sum(axis=1), _square(b), (way * a).sum(axis=1), (way * b).sum(axis=1)
        # A tangent of no length, as at a pole, leaves its parameter as it is.
        whole = np.maximum(aa * bb - ab * ab, _SMALLEST)
        step = np.stack([bb * wa - ab * wb, aa * wb - ab * wa], axis=1) / whole[:, None]
        found = np.clip(found + step, ends[:, 0], ends[:, 1])
    return _square(_values(kernel, found, 0.0)[:, 0] - points), found


def _square(vectors: np.ndarray) -> np.ndarray:
    return np.asarray((vectors * vectors).sum(axis=-1))


@functools.lru_cache(maxsize=64)
def _kernel(face: ParametricSurface) -> Kernel:
    e = face.expressions
    return compile([*e, *(sp.diff(c, s) for s in (u, v) for c in e)], [u, v, t], quick=True)


def _values(kernel: Kernel, at: np.ndarray, time: float) -> np.ndarray:
    """(k, 3, 3): S, S_u and S_v."""
    return np.asarray(kernel.points(np.column_stack([at, np.full(len(at), time)]))).reshape(-1, 3, 3)
