"""Fruits, and a lobster made of voxels, for the world "fruit-tracing" after Snyder et al. 1993, Figures 15 and 16. All data are ours."""

import functools
from typing import Any

import numpy as np
import sympy as sp

from generative import ImplicitSurface, ParametricSurface, fit, u, v

from ..shapes.quadrics import LATITUDE, TURN
from ..shapes.rings import bumpy_sphere
from ..shapes.swept import egg

# Of the lobster: balls that are joined to tubes, from one place (x, y, z) with a radius to another. Left and right are alike.
_SPACING, _BOX, _BLEND = 0.15, ((-3.15, 3.15), (-2.25, 2.25), (-0.75, 1.05)), 14.0
_MIDDLE = ((0.9, 0, 0.25, 0.42, -0.2, 0, 0.2, 0.5), (-0.2, 0, 0.2, 0.5, -1.2, 0, 0.15, 0.36), (-1.2, 0, 0.15, 0.36, -2.2, 0, 0.1, 0.26),
           (-2.2, 0, 0.1, 0.26, -2.6, 0, 0.05, 0.24), (0.9, 0, 0.25, 0.42, 1.5, 0, 0.3, 0.18))
_SIDE = ((0.6, 0.3, 0.2, 0.22, 1.2, 1.0, 0.2, 0.2), (1.2, 1.0, 0.2, 0.2, 1.9, 1.1, 0.25, 0.3), (1.9, 1.1, 0.25, 0.3, 2.6, 0.75, 0.3, 0.17),
         (1.9, 1.2, 0.25, 0.3, 2.65, 1.2, 0.3, 0.15), (-2.4, 0.1, 0.05, 0.2, -2.75, 0.5, 0.05, 0.2),
         (0.3, 0.3, 0.1, 0.16, 0.4, 1.1, 0.2, 0.15), (0.4, 1.1, 0.2, 0.15, 0.5, 1.75, -0.35, 0.14),
         (-0.2, 0.3, 0.1, 0.16, -0.3, 1.1, 0.2, 0.15), (-0.3, 1.1, 0.2, 0.15, -0.4, 1.75, -0.35, 0.14),
         (-0.7, 0.3, 0.1, 0.16, -1.0, 1.0, 0.2, 0.15), (-1.0, 1.0, 0.2, 0.15, -1.2, 1.6, -0.35, 0.14))


def voxels() -> tuple[np.ndarray, tuple[float, float, float], float]:
    """Values that grow with the distance to the lobster, 0 at its surface; their origin, and their spacing."""
    axes = [lo + _SPACING * np.arange(round((hi - lo) / _SPACING) + 1) for lo, hi in _BOX]
    at = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    tubes = np.array([*_MIDDLE, *_SIDE, *_SIDE]).reshape(-1, 2, 4)
    tubes[len(_MIDDLE) + len(_SIDE):, :, 1] *= -1.0
    far = np.array([_tube(at, *ends) for ends in tubes])
    return -np.log(np.exp(-_BLEND * far).sum(axis=0)) / _BLEND, (_BOX[0][0], _BOX[1][0], _BOX[2][0]), _SPACING


def _tube(at: np.ndarray, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """About the distance to a tube whose radius changes evenly."""
    along = end[:3] - begin[:3]
    share = np.clip((at - begin[:3]) @ along / (along @ along), 0.0, 1.0)
    return np.asarray(np.linalg.norm(at - begin[:3] - share[..., None] * along, axis=-1) - begin[3] - share * (end[3] - begin[3]))


@functools.cache
def lobster() -> ImplicitSurface:
    """The body fitted to `voxels`: a tricubic B-spline, about 6 long and 4 wide."""
    values, origin, spacing = voxels()
    found: ImplicitSurface = fit.implicit(values, origin, spacing, name="lobster").value
    return found


def banana(*, bend: Any = 1, radius: Any = sp.Rational(1, 5), half: Any = sp.Rational(3, 5)) -> ParametricSurface:
    """A circle of radius `radius` cos v, swept along an arc of radius `bend` through the angles `half` sin v: smooth at its ends, too."""
    out, angle = bend + radius * sp.cos(v) * sp.cos(u), half * sp.sin(v)
    return ParametricSurface([out * sp.cos(angle) - bend, radius * sp.cos(v) * sp.sin(u), out * sp.sin(angle)], {u: TURN, v: LATITUDE})


@functools.cache
def fruits() -> tuple[ParametricSurface, ...]:
    """Bumpy and swept ones."""
    return (bumpy_sphere(radius=sp.Rational(1, 4), bump=sp.Rational(1, 24)), banana(), egg(radius=sp.Rational(1, 4)))


def pile(count: int) -> list[dict[str, Any]]:
    """Bodies as `collide.RigidBody` takes them: so many fruits above the lobster, layer by layer, turned and spinning anyhow."""
    rng, found = np.random.default_rng(16), [{"shape": lobster(), "fixed": True}]
    for k in range(count):
        layer, place = divmod(k, 20)
        at = np.array([1.25 * (place % 5 - 2), 1.1 * (place // 5 - 1.5), 2.2 + 1.3 * layer])
        found.append({"shape": fruits()[k % 3], "position": (at + rng.uniform(-0.1, 0.1, 3)).tolist(),
                      "orientation": rng.normal(size=4).tolist(), "spin": rng.normal(size=3).tolist(),
                      "velocity": (0.2 * rng.normal(size=3)).tolist()})
    return found
