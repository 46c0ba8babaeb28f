"""Smooth surfaces near a point of them: the point, the tangents there, and how these bend.

A place on a surface is a row of numbers: on a parametric one the number of a chart and two parameters, of which those near a pole are
the smooth ones of `pole_chart`; on an implicit one the point itself.
"""

import functools
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile
from generative import ImplicitSurface, ParametricSurface, u, v, x, y, z
from generative.chart import is_pole, pole_chart, pole_rate
from generative.seams import period

from ...bodies.parts import is_closed, sides
from ..motion.rotation import crosses, frames
from .local_geometry import LocalGeometry, onto

# Cells along each parameter of what is looked at to find a place. A chart is left at its end, and taken at this part of it.
_CELLS, _TAKEN = 32, 0.5
# Of an implicit surface, so many points tell whether it is convex; and so many that are nearest to one where a value is least.
_MANY, _AROUND = 400, 12
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

    def inside(self, rows: np.ndarray) -> np.ndarray:
        """Places (m, 2) by u and v as those in the smooth parameters."""
        far = (rows[:, self.symbol] - self.pole) * self.inward
        rho = np.tan(self.rate * far / 2.0) if self.rate else far
        angle = 2.0 * math.pi * (rows[:, 1 - self.symbol] - self.first) / self.period
        return np.stack([rho * np.cos(angle), rho * np.sin(angle)], axis=1)

    def far(self, rows: np.ndarray) -> np.ndarray:
        """(m,): from the pole."""
        rho = np.hypot(rows[:, 0], rows[:, 1])
        return 2.0 * np.arctan(rho) / self.rate if self.rate else rho

    def outside(self, rows: np.ndarray) -> np.ndarray:
        """The other way round."""
        found = np.empty(rows.shape)
        found[:, self.symbol] = self.pole + self.inward * self.far(rows)
        found[:, 1 - self.symbol] = self.first + self.period * (np.arctan2(rows[:, 1], rows[:, 0]) % (2.0 * math.pi)) / (2.0 * math.pi)
        return found


class CurvedPatch:
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
        away = (self.points - self.points[0]) @ self.jet(self.start(np.zeros(1, int))).normal[0]
        self.straight = bool(np.abs(away).max() <= _SAME * np.abs(self.points).max())

    def _by_chart(self, at: np.ndarray) -> Iterator[tuple[Chart, np.ndarray]]:
        for n, chart in enumerate(self.charts):
            which = np.flatnonzero(at[:, 0] == n)
            if len(which):
                yield chart, which

    def jet(self, at: np.ndarray) -> LocalGeometry:
        rows, normals = np.full((len(at), 18), np.nan), np.full((len(at), 3), np.nan)
        for chart, which in self._by_chart(at):
            own = rows[which] = chart.kernel.points(at[which, 1:])
            normals[which] = chart.side * crosses(own[:, 3:6], own[:, 6:9])
        with np.errstate(divide="ignore", invalid="ignore"):
            normals /= np.sqrt((normals * normals).sum(axis=1))[:, None]
        return LocalGeometry(rows[:, :3] - self.middle, rows[:, 3:9].reshape(-1, 2, 3), rows[:, 9:].reshape(-1, 3, 3)[:, _SYMMETRIC],
                             normals)

    def moved(self, at: np.ndarray, by: np.ndarray) -> np.ndarray:
        found = np.column_stack([at[:, 0], at[:, 1:] + by])
        for chart, which in self._by_chart(at):
            gone = which if chart is self.charts[0] else which[chart.far(found[which, 1:]) > chart.reach]
            if chart is self.charts[0]:
                found[gone] = self._near_pole(found[gone, 1:])
            else:
                found[gone, 0], found[gone, 1:] = 0.0, chart.outside(found[gone, 1:])
        return found

    def _near_pole(self, rows: np.ndarray) -> np.ndarray:
        found = np.column_stack([np.zeros(len(rows)), rows])
        for n, chart in enumerate(self.charts[1:], 1):
            near = (found[:, 0] == 0.0) & ((rows[:, chart.symbol] - chart.pole) * chart.inward < _TAKEN * chart.reach)
            if near.any():
                found[near, 0], found[near, 1:] = n, chart.inside(rows[near])
        return found

    def beyond(self, at: np.ndarray) -> np.ndarray:
        if not self._borders:
            return np.full(len(at), -np.inf)
        rows, lengths = at[:, 1:].copy(), np.ones((len(at), 2))
        for chart, which in self._by_chart(at):
            if chart is self.charts[0]:
                lengths[which] = np.linalg.norm(self.jet(at[which]).along, axis=2)
            else:
                rows[which] = chart.outside(rows[which])
        off = [lengths[:, s] * (rows[:, s] - self.ends[s, end]) * (1.0 if end else -1.0) for s, end in self._borders]
        return np.asarray(np.max(off, axis=0))

    def start(self, which: np.ndarray) -> np.ndarray:
        """Places in cells."""
        return self._near_pole(self.cells[which])

    def normals(self, at: np.ndarray) -> np.ndarray:
        return np.empty((0, 3)) if self.two_sided else self.jet(at[None]).normal

    def heights(self, points: np.ndarray) -> np.ndarray:
        off, nearest = self._tree.query(points)
        normals, bends = self._bends
        way, bend = points - self.points[nearest], bends[nearest]
        high = np.einsum("ni,ni->n", way, normals[nearest])
        high -= np.einsum("ni,nij,nj->n", way, bend, way) / 2.0
        found = np.where(off <= np.abs(high) + self.spacing, high, off)
        return np.abs(found) if self.two_sided else found

    def toward(self, points: np.ndarray) -> np.ndarray:
        return self.start(np.asarray(self._tree.query(points)[1]))

    @functools.cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self.points)

    @functools.cached_property
    def _bends(self) -> tuple[np.ndarray, np.ndarray]:
        """At each of the points the normal (n, 3), and the second fundamental form (n, 3, 3) of ways in space."""
        jet = self.jet(self.start(np.arange(len(self.points))))
        back = np.linalg.pinv(jet.along)
        return jet.normal, back @ (jet.bent @ jet.normal[:, None, :, None])[..., 0] @ np.swapaxes(back, 1, 2)

    def lows(self, values: np.ndarray) -> np.ndarray:
        grid = values.reshape(-1, _CELLS, _CELLS)
        around = np.pad(np.pad(grid, ((0, 0), (1, 1), (0, 0)), "wrap" if self._seams[0] else "edge"), ((0, 0), (0, 0), (1, 1)),
                        "wrap" if self._seams[1] else "edge")
        low = np.ones_like(grid, bool)
        for i in range(3):
            for j in range(3):
                low &= grid <= around[:, i:i + _CELLS, j:j + _CELLS]
        return low.reshape(values.shape)


_SYMMETRIC = np.array([[0, 1], [1, 2]])


class LevelSet:
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
        found = self._onto(grid[near])
        self.cells = found[np.isfinite(found).all(axis=1)]
        self.points, self.spacing = self.cells - middle, float(cell)
        # Surfaces that are seen from one side by a plane at each of many points.
        some = self.cells[::max(1, len(self.cells) // _MANY)]
        normals = self._kernel.points(some)[:, 1:4]
        heights = np.einsum("mi,nmi->nm", normals, some[:, None] - some[None])
        self.convex = bool(len(self.cells)) and bool(heights.max() <= _SAME * np.abs(heights).max())

    def _onto(self, points: np.ndarray) -> np.ndarray:
        """The surface along the slope from points (n, 3); NaN where it is not found."""
        def way(at: np.ndarray) -> np.ndarray:
            rows = self._kernel.points(at)
            with np.errstate(all="ignore"):
                return np.asarray(-(rows[:, 0] / np.einsum("ni,ni->n", rows[:, 1:4], rows[:, 1:4]))[:, None] * rows[:, 1:4])

        return onto(points, way, 1e-15 * float(np.abs(self._own[2]).max()), _STEPS)

    def jet(self, at: np.ndarray) -> LocalGeometry:
        rows = self._kernel.points(at)
        with np.errstate(divide="ignore", invalid="ignore"):
            sizes = np.linalg.norm(rows[:, 1:4], axis=1)[:, None]
            axes = frames(rows[:, 1:4] / sizes)
            across = axes[:, 1:]
            bend = across @ rows[:, 4:].reshape(-1, 3, 3) @ np.swapaxes(across, 1, 2) / sizes[:, None]
        return LocalGeometry(at - self.middle, across, -bend[..., None] * axes[:, None, None, 0], axes[:, 0])

    def moved(self, at: np.ndarray, by: np.ndarray) -> np.ndarray:
        return self._onto(at + (by[:, None] @ self.jet(at).along)[:, 0])

    def beyond(self, at: np.ndarray) -> np.ndarray:
        turn, shift, ends = self._own
        own = (at - shift) @ turn
        return np.asarray(np.maximum(ends[:, 0] - own, own - ends[:, 1]).max(axis=1))

    def start(self, which: np.ndarray) -> np.ndarray:
        return self.cells[which]

    def normals(self, at: np.ndarray) -> np.ndarray:
        return self.jet(at[None]).normal

    def heights(self, points: np.ndarray) -> np.ndarray:
        rows = self._kernel.points(points + self.middle)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(rows[:, 0] / np.linalg.norm(rows[:, 1:4], axis=1))

    def toward(self, points: np.ndarray) -> np.ndarray:
        return self._onto(points + self.middle)

    @functools.cached_property
    def _around(self) -> np.ndarray:
        """(n, k): of each point, those that are nearest to it."""
        from scipy.spatial import cKDTree

        return np.asarray(cKDTree(self.points).query(self.points, min(_AROUND, len(self.points)))[1])[:, 1:]

    def lows(self, values: np.ndarray) -> np.ndarray:
        low = np.ones(values.shape, bool)
        for nearest in self._around.T:
            low &= values <= values[:, nearest]
        return low


Curved = CurvedPatch | LevelSet


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
    """Whether a closed surface bends to one side at many points of it."""
    along, second = found[:, 3:9].reshape(-1, 2, 3), found[:, 9:].reshape(-1, 3, 3)
    normals = side * np.cross(along[:, 0], along[:, 1])
    e, f, g = np.einsum("nki,ni->kn", second, normals)
    return bool((e < 0.0).all() and (e * g - f * f > 0.0).all())
