"""Checks at sampled points: they refuse what is seen to be wrong there, and prove nothing about the points between."""

from itertools import chain
from typing import Any

import numpy as np
import sympy as sp

from .numeric import approx_function
from .surface import ParametricSurface
from .symbols import parameters_of, t, text, u, v

FLAT = 1e-14
"""Area of a cell of the sample, relative to the sizes of the surface and of its coordinates, that floating-point rounding may make."""


def two_dimensional(operator: str, surface: ParametricSurface) -> ParametricSurface:
    """The surface itself. ValueError if it is seen to be a line or a point at the times 0, 1/3 and 1, as that of a degenerate profile. If
    it contains a `Parameter`, nothing is tested.
    """
    if parameters_of(*surface.body, *chain(*surface.domain.values())):
        return surface
    function = approx_function(surface.body, [u, v, t])
    grid = np.meshgrid(*(np.linspace(float(lo), float(hi), 9) for lo, hi in surface.domain.values()), indexing="ij")
    if not any(_has_area(function(*grid, time)) for time in ((0.0, 1 / 3, 1.0) if surface.deforming else (0.0,))):
        raise ValueError(f"{operator} makes no surface of these: what comes out is only a line or a point; check for a profile without "
                         "width, a scale of zero or two curves that coincide")
    return surface


def _has_area(points: np.ndarray) -> bool:
    """Whether a cell of a grid of points (n, m, 3) has an area beyond rounding. True if that cannot be decided."""
    if not np.isfinite(points).all():
        return True
    cells = np.cross(points[1:, 1:] - points[:-1, :-1], points[1:, :-1] - points[:-1, 1:])
    flat = points.reshape(-1, 3)
    return bool(np.linalg.norm(cells, axis=-1).max() > FLAT * np.abs(flat).max() * np.ptp(flat, axis=0).max())


def check_range(name: Any, parameter: Any, bounds: tuple[Any, Any], domain: dict[Any, tuple[Any, Any]]) -> None:
    """Refuses a new parameter that leaves `bounds` at a point of a grid of 17 x 17. Floats find the point, and 30 digits decide."""
    if parameters_of(parameter, *bounds, *chain(*domain.values())):
        return
    grid = [[lo + (hi - lo) * sp.Rational(k, 16) for k in range(17)] for lo, hi in domain.values()]
    values = approx_function([parameter], [u, v])(*np.meshgrid(*(np.array(side, float) for side in grid), indexing="ij"))[..., 0]
    lo, hi = bounds
    for outside in (float(lo) - values, values - float(hi)):
        i, j = np.unravel_index(np.argmax(np.nan_to_num(outside, nan=-np.inf)), outside.shape)
        if not outside[i, j] > 1e-9 * float(hi - lo):
            continue
        value = sp.N(parameter.xreplace({u: grid[0][i], v: grid[1][j]}), 30)
        if value.is_Number and (value < lo or value > hi):
            raise ValueError(f"the new {name} leaves the surface's domain {text(bounds)}: it is {float(value):.6g} at u = "
                             f"{text(grid[0][i])}, v = {text(grid[1][j])}; correct it, or use the formula there with beyond=True")
