"""Implicit bodies fitted to voxels: a tricubic B-spline through, or near, values on a grid."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline, make_lsq_spline

from codegen.functions.lattices import Coefficients, TricubicSpline
from codegen.given import doubles, shown

from .fitted import Fit
from .implicit import ImplicitSurface
from .symbols import x, y, z

_FEWEST = 4


def implicit(values: Any, origin: Any = (0, 0, 0), spacing: Any = 1, *, level: float = 0.0, inside: str = "below",
             cells: Sequence[int] | None = None, name: str | None = None) -> Fit:
    """The implicit body whose function is a tricubic B-spline through `values` (a, b, c), minus `level`: Snyder 1993, Figures 15 and 16.

    Value [i, j, k] is that at `origin` + (i, j, k) `spacing`, three numbers or one. What is `inside`: where values are "below" the level,
    as of signed distances, or "above", as of densities. The function is a `TricubicSpline`, a polynomial between grid points and twice
    continuously differentiable, with second derivatives of 0 across the sides of the grid, which are the bounds of the body; a body that
    reaches them ends there. `cells`: three numbers of cells, fewer than values: the function is then the spline of so many cells that
    comes nearest to the values (least squares).

    `Fit.error` is the largest difference at the grid points, which is *measured*; between them the values say nothing. The coefficients are
    then exact: all that is asked of the body is about just this function.

    Raises ValueError for fewer than four values a side, values and numbers that are not finite, a spacing that is not positive, too many
    cells, and if no value is inside or none is outside.
    """
    data, start, step = _given(values, origin, spacing)
    if inside not in ("below", "above"):
        raise ValueError(f'what is inside of a fit to voxels is "below" or "above" the level, got {shown(inside)}')
    data = (data - level) * (1.0 if inside == "below" else -1.0)
    if not np.isfinite(level) or not data.min() < 0.0 < data.max():
        raise ValueError(f"voxels are inside and outside of a body, but none is on one side of the level {shown(level)}")
    counts = [n - 1 for n in data.shape] if cells is None else _counts(cells, data.shape)
    array = data
    for axis, count in enumerate(counts):
        array = _fitted(array, axis, count, cells is None)
    places = [n - 1 for n in data.shape]
    knots = [h * m / n for h, m, n in zip(step, places, counts, strict=True)]
    function = TricubicSpline(x, y, z, Coefficients(array, start, knots))
    at = np.meshgrid(*(o + h * np.arange(m + 1) for o, h, m in zip(start, step, places, strict=True)), indexing="ij")
    error = float(np.abs(function.approx(*at) - data).max())
    bounds = [(o, o + h * m) for o, h, m in zip(start.tolist(), step.tolist(), places, strict=True)]
    kind = "through" if cells is None else "of least squares near"
    return Fit(ImplicitSurface(function, bounds, name=name), error, f"measured at {data.size} values, {kind} which it is")


def _given(values: Any, origin: Any, spacing: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    data = doubles(values, "voxels", "(a, b, c)")
    if data.ndim != 3 or min(data.shape) < _FEWEST or not np.isfinite(data).all():
        raise ValueError(f"voxels are finite numbers (a, b, c), at least {_FEWEST} a side, got an array of shape {data.shape}")
    start, step = doubles(origin, "the origin of voxels", "(3,)"), np.zeros(3) + doubles(spacing, "the spacing of voxels", "() or (3,)")
    if start.shape != (3,) or step.shape != (3,) or not np.isfinite([start, step]).all() or not (step > 0.0).all():
        raise ValueError(f"voxels have an origin of three finite numbers, and a positive spacing, got {shown(origin)} and {shown(spacing)}")
    return data, start, step


def _counts(cells: Any, shape: Sequence[int]) -> list[int]:
    given = [*cells] if isinstance(cells, Sequence) else []
    if len(given) != 3 or not all(isinstance(n, int) and 0 < n <= m - 3 for n, m in zip(given, shape, strict=True)):
        raise ValueError(f"the cells of a fit to voxels are three positive integers, at least three less than the values a side, "
                         f"{tuple(shape)}, got {shown(cells)}")
    return given


def _fitted(data: np.ndarray, axis: int, cells: int, through: bool) -> np.ndarray:
    """The coefficients along an axis, cells + 3 of them."""
    rows, places = np.moveaxis(data, axis, 0), np.arange(data.shape[axis], dtype=float)
    knots = places[-1] / cells * np.arange(-3, cells + 4)
    spline = make_interp_spline(places, rows, 3, knots, bc_type="natural") if through else make_lsq_spline(places, rows, knots)
    return np.moveaxis(spline.c, 0, axis)
