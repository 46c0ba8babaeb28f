"""Parameters of the points of a patch that are nearest to given points, in doubles: from a grid, by steps of Gauss and Newton."""

import functools

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile
from generative import ParametricSurface, t, u, v

_FINE, _STEPS = 48, 30


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


@functools.lru_cache(maxsize=64)
def _kernel(face: ParametricSurface) -> Kernel:
    e = face.expressions
    return compile([*e, *(sp.diff(c, s) for s in (u, v) for c in e)], [u, v, t], quick=True)


def _values(kernel: Kernel, at: np.ndarray, time: float) -> np.ndarray:
    """(k, 3, 3): S, S_u and S_v."""
    return np.asarray(kernel.points(np.column_stack([at, np.full(len(at), time)]))).reshape(-1, 3, 3)
