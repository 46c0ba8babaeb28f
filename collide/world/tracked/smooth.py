"""Smooth surfaces near a point of them: the point, the tangents there, and how these bend.

A place on a surface is a tuple of numbers: on a parametric one the number of a chart and two parameters, of which those near a pole are
the smooth ones of `pole_chart`; on an implicit one the point itself.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile
from generative import ImplicitSurface, ParametricSurface, u, v, x, y, z
from generative.chart import is_pole, pole_chart, pole_rate
from generative.seams import period

from ...bodies.parts import is_closed, sides
from ..impact import frame
from ..rotation import cross
from .jets import At, Jet, Lost, some

# Cells along each parameter of what is looked at to find a place. A chart is left at its end, and taken at this part of it.
_CELLS, _TAKEN = 32, 0.5
# Of an implicit surface, so many points tell whether it is convex.
_MANY = 400
# Against the size of a surface, heights that are none; and so many steps are tried to it.
_SAME, _STEPS = 1e-9, 60


class Chart(NamedTuple):
    """A kernel of a surface, its tangents and second derivatives; 1, or -1 if its normal is not S_u x S_v; of one round a pole: at which
    end of which parameter (0: u), the value there, in which direction the parameter goes from it, how far the chart reaches, and by which
    factor distances are in sines and cosines, or 0; of the other parameter, the least value and the period.
    """

    kernel: Kernel
    side: float
    symbol: int = -1
    pole: float = 0.0
    inward: float = 1.0
    reach: float = 0.0
    rate: float = 0.0
    first: float = 0.0
    period: float = 0.0

    def inside(self, row: np.ndarray) -> At:
        """A place (2,) by u and v as one in the smooth parameters."""
        far = (row[self.symbol] - self.pole) * self.inward
        rho = math.tan(self.rate * far / 2.0) if self.rate else far
        angle = 2.0 * math.pi * (row[1 - self.symbol] - self.first) / self.period
        return rho * math.cos(angle), rho * math.sin(angle)

    def far(self, p: float, q: float) -> float:
        """From the pole."""
        rho = math.hypot(p, q)
        return 2.0 * math.atan(rho) / self.rate if self.rate else rho

    def outside(self, p: float, q: float) -> At:
        """The other way round."""
        row = [0.0, 0.0]
        row[self.symbol] = self.pole + self.inward * self.far(p, q)
        row[1 - self.symbol] = self.first + self.period * (math.atan2(q, p) % (2.0 * math.pi)) / (2.0 * math.pi)
        return row[0], row[1]


class Patch:
    """A parametric surface; `two_sided`: of a body of which no side is the inside."""

    dimension = 2

    def __init__(self, surface: ParametricSurface, middle: np.ndarray, two_sided: bool) -> None:
        self.middle, self.two_sided = middle, two_sided
        self.ends = np.array([[float(e) for e in surface.domain[s]] for s in (u, v)])
        self.charts = [_chart(surface), *_round_poles(surface)]
        self._borders = [(int(s is v), end) for s, end in sides(surface) if not is_pole(surface, s, end)]
        self._seams = [period(surface, s) > 0.0 for s in (u, v)]
        steps = [np.linspace(lo, hi, _CELLS + 1) for lo, hi in self.ends]
        self.cells = np.stack(np.meshgrid(*((e[1:] + e[:-1]) / 2.0 for e in steps), indexing="ij"), axis=-1).reshape(-1, 2)
        found = self.charts[0].kernel.points(self.cells)
        self.points = found[:, :3] - middle
        widths = np.linalg.norm(found[:, 3:9].reshape(-1, 2, 3), axis=2).max(axis=0) * (self.ends[:, 1] - self.ends[:, 0])
        self.spacing = float(np.linalg.norm(widths)) / _CELLS
        self.convex = is_closed(surface) and _convex(found, self.charts[0].side)
        away = (self.points - self.points[0]) @ self.jet(self.start(0)).normal
        self.straight = bool(np.abs(away).max() <= _SAME * np.abs(self.points).max())

    def jet(self, at: At) -> Jet:
        chart = self.charts[int(at[0])]
        row = chart.kernel.points(np.array([at[1:]]))[0]
        along = row[3:9].reshape(2, 3)
        normal = chart.side * cross(*along)
        return Jet(row[:3] - self.middle, along, row[9:].reshape(3, 3)[_SYMMETRIC], normal / np.linalg.norm(normal))

    def moved(self, at: At, by: np.ndarray) -> At:
        a, b = at[1] + float(by[0]), at[2] + float(by[1])
        if at[0]:
            chart = self.charts[int(at[0])]
            return (at[0], a, b) if chart.far(a, b) <= chart.reach else (0.0, *chart.outside(a, b))
        return self._near_pole(a, b)

    def _near_pole(self, a: float, b: float) -> At:
        for n, chart in enumerate(self.charts[1:], 1):
            if ((a, b)[chart.symbol] - chart.pole) * chart.inward < _TAKEN * chart.reach:
                return float(n), *chart.inside(np.array([a, b]))
        return 0.0, a, b

    def beyond(self, at: At) -> float:
        if not self._borders:
            return -math.inf
        row = at[1:] if not at[0] else self.charts[int(at[0])].outside(*at[1:])
        lengths = np.linalg.norm(self.jet(at).along, axis=1) if not at[0] else np.ones(2)
        return max(float(lengths[s] * (row[s] - self.ends[s, end])) * (1.0 if end else -1.0) for s, end in self._borders)

    def start(self, k: int) -> At:
        """A place in a cell."""
        return self._near_pole(*self.cells[k].tolist())

    def normals(self, at: At) -> np.ndarray:
        return np.empty((0, 3)) if self.two_sided else self.jet(at).normal[None]

    def lows(self, values: np.ndarray) -> list[int]:
        if self.convex:
            return [int(np.argmin(values))]
        grid = values.reshape(_CELLS, _CELLS)
        around = np.pad(np.pad(grid, ((1, 1), (0, 0)), "wrap" if self._seams[0] else "edge"), ((0, 0), (1, 1)),
                        "wrap" if self._seams[1] else "edge")
        low = np.ones_like(grid, bool)
        for i in range(3):
            for j in range(3):
                low &= grid <= around[i:i + _CELLS, j:j + _CELLS]
        return some(low.ravel())


_SYMMETRIC = np.array([[0, 1], [1, 2]])


class Level:
    """A smooth implicit surface."""

    dimension, two_sided, straight = 2, False, False

    def __init__(self, surface: ImplicitSurface, middle: np.ndarray) -> None:
        f = surface.expression
        slopes = [sp.diff(f, s) for s in (x, y, z)]
        self.middle = middle
        self._kernel = compile([f, *slopes, *(sp.diff(e, s) for e in slopes for s in (x, y, z))], [x, y, z], quick=True)
        ends = np.array([[float(e) for e in pair] for pair in surface.bounds])
        self._own = np.array(surface.motion.rotation, float), np.array(surface.motion.translation, float).ravel(), ends
        steps = [np.linspace(lo, hi, _CELLS + 1) for lo, hi in ends]
        grid = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 3) @ self._own[0].T + self._own[1]
        cell = np.linalg.norm(np.ptp(ends, axis=1)) / _CELLS
        values = self._kernel.points(grid)
        with np.errstate(divide="ignore", invalid="ignore"):
            near = np.abs(values[:, 0]) <= cell * np.linalg.norm(values[:, 1:4], axis=1)
        self.cells = np.array([found for e in grid[near] if (found := self._on(e)) is not None]).reshape(-1, 3)
        self.points, self.spacing = self.cells - middle, float(cell)
        # Surfaces that are seen from one side by a plane at each of many points.
        some = self.cells[::max(1, len(self.cells) // _MANY)]
        normals = self._kernel.points(some)[:, 1:4]
        heights = np.einsum("mi,nmi->nm", normals, some[:, None] - some[None])
        self.convex = bool(len(self.cells)) and bool(heights.max() <= _SAME * np.abs(heights).max())

    def _on(self, point: np.ndarray) -> np.ndarray | None:
        """The surface along the slope from a point."""
        for _ in range(_STEPS):
            row = self._kernel.points(point[None])[0]
            step = row[0] * row[1:4] / (row[1:4] @ row[1:4])
            point = point - step
            if np.abs(step).max() <= 1e-15 * np.abs(self._own[2]).max():
                return point
        return None

    def jet(self, at: At) -> Jet:
        row = self._kernel.points(np.array([at]))[0]
        size = float(np.linalg.norm(row[1:4]))
        axes = frame(row[1:4] / size)
        bend = axes[1:] @ row[4:].reshape(3, 3) @ axes[1:].T / size
        return Jet(np.array(at) - self.middle, axes[1:], -bend[:, :, None] * axes[0], axes[0])

    def moved(self, at: At, by: np.ndarray) -> At:
        found = self._on(np.array(at) + by @ self.jet(at).along)
        if found is None:
            raise Lost("an implicit surface")
        a, b, c = found.tolist()
        return a, b, c

    def beyond(self, at: At) -> float:
        turn, shift, ends = self._own
        own = turn.T @ (np.array(at) - shift)
        return float(np.maximum(ends[:, 0] - own, own - ends[:, 1]).max())

    def start(self, k: int) -> At:
        a, b, c = self.cells[k].tolist()
        return a, b, c

    def normals(self, at: At) -> np.ndarray:
        return self.jet(at).normal[None]

    def lows(self, values: np.ndarray) -> list[int]:
        return [int(np.argmin(values))]


Curved = Patch | Level


def _chart(surface: ParametricSurface, **known: Any) -> Chart:
    e = surface.expressions
    first = [[sp.diff(c, s) for c in e] for s in (u, v)]
    second = [sp.diff(c, s) for row, s in ((first[0], u), (first[0], v), (first[1], v)) for c in row]
    return Chart(compile([*e, *first[0], *first[1], *second], [u, v], quick=True), -1.0 if surface.flipped else 1.0, **known)


def _round_poles(surface: ParametricSurface) -> list[Chart]:
    found = []
    for s, end in sides(surface):
        other = v if s is u else u
        if not is_pole(surface, s, end) or not period(surface, other):
            continue
        chart = pole_chart(surface, s, end)
        if chart is not None:
            pole, first, last = (float(e) for e in (surface.domain[s][end], *surface.domain[other]))
            found.append(_chart(chart[0], symbol=int(s is v), pole=pole, inward=-1.0 if end else 1.0, reach=abs(float(chart[1]) - pole),
                                rate=pole_rate(surface, s, end), first=first, period=last - first))
    return found


def _convex(found: np.ndarray, side: float) -> bool:
    """Does a closed surface bend to one side at many points of it?"""
    along, second = found[:, 3:9].reshape(-1, 2, 3), found[:, 9:].reshape(-1, 3, 3)
    normals = side * np.cross(along[:, 0], along[:, 1])
    e, f, g = np.einsum("nki,ni->kn", second, normals)
    return bool((e < 0.0).all() and (e * g - f * f > 0.0).all())
