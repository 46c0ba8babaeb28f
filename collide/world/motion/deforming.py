"""Trajectory of a driven body whose shape depends on time: bounds of its extent and of the speed of its points, and its surface velocity.

Points of a parametric surface keep their parameters, so they move with the derivative S_t of the map (Snyder 1993, Equation 1). Points of
an implicit surface F = 0 have no names: they move along the normal, with -F_t grad F / |grad F|^2.
"""

import functools
from typing import Any

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile
from generative import ImplicitBody, ImplicitSurface, Motion, ParametricSurface, t, u, v, x, y, z

from ...bodies.nearest_parameters import nearest_parameters
from ...bodies.numbers import NONE
from ...bodies.surface_points import faces, grid, position_kernel, space_kernel
from .prescribed import Prescribed

# A box of the body is good for so much time, against that in which a point moves about its size.
_SOON, _SHORTEST = 0.5, 1e-6
# Cells along each axis, in which an implicit surface is looked for.
_CELLS = 20
# A point is on a leaf of a combined body that is no farther from it, against the size of the body.
_ON = 1e-6


class Deforming(Prescribed):
    """A given motion of a shape that holds t. `radius`: a bound of the distance of its points from the origin at a time."""

    def __init__(self, motion: Motion, shape: Any, start: float) -> None:
        super().__init__(motion)
        self.shape, self.start = shape, start
        self.radius = self.reach(start, start)

    def __reduce__(self) -> tuple[Any, ...]:
        return Deforming, (self.motion, self.shape, self.start)

    def reach(self, begin: float, end: float) -> float:
        """A bound of the distance of all points from the origin of the shape, over a time."""
        return max(_norm(*e(begin, end)) for e in _extents(self.shape))

    def growth(self, begin: float, end: float) -> float:
        """A bound of the speed of all points in the coordinates of the shape, over a time; inf where none is known, as of combined bodies.
        """
        return max(_norm(*e(begin, end)) for e in _rates(self.shape))

    def spread(self, begin: float, end: float, turning: float) -> float:
        """A bound of the speed of all points against the origin of the shape, which turns at most so fast."""
        return (turning * self.reach(begin, end) if turning else 0.0) + self.growth(begin, end)

    def box(self, start: float, radius: float, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """A box that holds the body from `start` on, and until when."""
        speed = float(np.linalg.norm(self.velocity_at(start))) + self.turning_at(start) * self.radius + self.growth(start, start)
        until = start + max(_SOON * self.radius / speed if 0.0 < speed < np.inf else _SOON, _SHORTEST)
        lo, hi = self._place.interval(np.array([[start]]), np.array([[until]]))
        reach = self.reach(start, until)
        return lo[0, 9:] - reach, hi[0, 9:] + reach, until

    def surface_velocity(self, points: np.ndarray, t: float) -> np.ndarray:
        """(k, 3): velocities by which the deformation moves the surface, at points (k, 3) of it, in the world; an approximation."""
        turn = self.turn_at(t)
        return np.asarray(_velocities(self.shape, (points - self.centre_at(t)) @ turn, t) @ turn.T)


def _products(cuts: np.ndarray) -> np.ndarray:
    """(n^3, 3): all points with one of each column (n, 3) of numbers as coordinate."""
    return np.stack(np.meshgrid(*cuts.T, indexing="ij"), axis=-1).reshape(-1, 3)


def _norm(lo: np.ndarray, hi: np.ndarray) -> float:
    """The largest length of vectors of boxes (n, 3), rounded up."""
    return float(np.sqrt((np.maximum(np.abs(lo), np.abs(hi)) ** 2).sum(axis=1)).max()) * (1.0 + 1e-14)


# -- bounds -------------------------------------------------------------------------------------------------------------


class _OverFace:
    """Three formulas of u, v and t over a face."""

    def __init__(self, face: ParametricSurface, kernel: Kernel) -> None:
        self.cells, self.kernel = grid(face, NONE), kernel

    def __call__(self, begin: float, end: float) -> tuple[np.ndarray, np.ndarray]:
        lo, hi = (np.column_stack([self.cells[..., k], np.full(len(self.cells), e)]) for k, e in ((0, begin), (1, end)))
        return self.kernel.interval(lo, hi)


class _OverBounds:
    """The bounds of an implicit surface."""

    def __init__(self, leaf: ImplicitSurface) -> None:
        self.ends, _ = NONE.bounds(leaf.bounds)
        self.kernel = space_kernel(tuple(leaf.motion.apply((x, y, z))), ())

    def __call__(self, begin: float, end: float) -> tuple[np.ndarray, np.ndarray]:
        at = np.concatenate([self.ends, [(begin, end)]])[None]
        return self.kernel.interval(at[..., 0], at[..., 1])


class _OverLevel:
    """Normal speeds of an implicit surface: bounds of F_t / |grad F| where F may be 0; inf where the gradient may vanish."""

    def __init__(self, leaf: ImplicitSurface) -> None:
        self.extent, self.kernel = _OverBounds(leaf), _leaf_kernel(leaf)

    def __call__(self, begin: float, end: float) -> tuple[np.ndarray, np.ndarray]:
        lo, hi = (e[0] for e in self.extent(begin, end))
        cuts = np.linspace(lo, hi, _CELLS + 1)
        ends = ((cuts[:-1], begin), (cuts[1:], end))
        low, high = self.kernel.interval(*(np.column_stack([(c := _products(part)), np.full(len(c), e)]) for part, e in ends))
        on = ~((low[:, 0] > 0.0) | (high[:, 0] < 0.0))
        low, high = low[on], high[on]
        least = np.maximum(np.maximum(low[:, 1:4], -high[:, 1:4]), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            speeds = np.maximum(np.abs(low[:, 4]), np.abs(high[:, 4])) / (np.linalg.norm(least, axis=1) * (1.0 - 1e-14))
        top = np.nan_to_num(speeds, nan=np.inf).max(initial=0.0)
        return np.zeros((1, 3)), np.array([[top, 0.0, 0.0]])


@functools.lru_cache(maxsize=64)
def _extents(shape: Any) -> tuple[Any, ...]:
    if isinstance(shape, ImplicitBody):
        return tuple(map(_OverBounds, shape.leaves))
    return tuple(_OverFace(f, position_kernel(f, ())) for f in faces(shape))


@functools.lru_cache(maxsize=64)
def _rates(shape: Any) -> tuple[Any, ...]:
    if isinstance(shape, ImplicitSurface):
        return (_OverLevel(shape),)
    if isinstance(shape, ImplicitBody):
        # Creases of leaves may be faster than these are along their normals.
        return (lambda begin, end: (np.zeros((1, 3)), np.full((1, 3), np.inf)),)
    return tuple(_OverFace(f, _rate_kernel(f)) for f in faces(shape))


# -- surface velocity ---------------------------------------------------------------------------------------------------


def _velocities(shape: Any, points: np.ndarray, time: float) -> np.ndarray:
    if isinstance(shape, ImplicitBody):
        return np.array([_of_leaves(shape, p, time) for p in points]).reshape(-1, 3)
    found = [_on_face(face, points, time) for face in faces(shape)]
    nearest = np.argmin([far for far, _ in found], axis=0)
    return np.array([found[n][1][k] for k, n in enumerate(nearest)]).reshape(-1, 3)


def _on_face(face: ParametricSurface, points: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Distances (k,) of points from a face, and S_t (k, 3) at the nearest points of it."""
    far, at, _ = nearest_parameters(face, points, time)
    return far, np.asarray(_rate_kernel(face).points(np.column_stack([at, np.full(len(at), time)])))


@functools.lru_cache(maxsize=64)
def _rate_kernel(face: ParametricSurface) -> Kernel:
    return compile([sp.diff(e, t) for e in face.expressions], [u, v, t], quick=True)


@functools.lru_cache(maxsize=64)
def _leaf_kernel(leaf: ImplicitSurface) -> Kernel:
    F = leaf.expression
    return space_kernel((F, *(sp.diff(F, s) for s in (x, y, z, t))), ())


def _of_leaves(body: ImplicitBody, point: np.ndarray, time: float) -> np.ndarray:
    """The least velocity with which a point stays on all the leaves that it is on."""
    values = np.array([np.asarray(_leaf_kernel(leaf).points(np.array([[*point, time]])))[0] for leaf in body.leaves])
    slopes = np.linalg.norm(values[:, 1:4], axis=1)
    far = np.abs(values[:, 0]) / slopes
    own = values[far <= far.min() + _ON * float(np.linalg.norm(point) + 1e-300)]
    return np.asarray(np.linalg.lstsq(own[:, 1:4], -own[:, 4], rcond=None)[0])
