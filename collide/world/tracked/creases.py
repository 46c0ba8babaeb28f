"""Intersections of convex implicit bodies: of each face what is within the others, and edges where two of them meet (Snyder 1993, Section
4.1.3: solids as such combinations).

A place on either is the point itself. On an edge F = G = 0 the tangent is across both normals, and the curvature c is told by what both
surfaces bend along it: n c = -t H t / |grad F| for each of them.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile
from generative import ImplicitSurface, x, y, z
from generative.implicit import Combination

from ..implicit_mass import signs
from ..rotation import crosses
from .jets import Jet, Part, away, onto
from .meeting import dots, inverse, products
from .smooth import Level

# Against the size of a surface, a step to it that is none, and steps; points that are nearest to one; how far apart points are at least,
# and from where they are found, against the spacing of those of a face.
_ON, _STEPS, _AROUND, _THIN, _BESIDE = 1e-15, 60, 4, 0.5, 2.0


class Facet(Level):
    """What of an implicit surface is within `others`."""

    def __init__(self, surface: ImplicitSurface, middle: np.ndarray, others: Sequence[ImplicitSurface]) -> None:
        super().__init__(surface, middle)
        self.all_cells, self._others = self.cells, _field(others) if others else None
        inside = self.beyond(self.cells) <= 0.0
        self.cells, self.points = self.cells[inside], self.points[inside]

    def beyond(self, at: np.ndarray) -> np.ndarray:
        return np.maximum(super().beyond(at), _outside(self._others, at))


class Crease:
    """Where two implicit surfaces meet within `others`. `near` (n, 3): points from which it is found."""

    dimension, straight = 1, False

    def __init__(self, pair: tuple[ImplicitSurface, ImplicitSurface], middle: np.ndarray, others: Sequence[ImplicitSurface],
                 near: np.ndarray, spacing: float) -> None:
        self.middle, self.spacing = middle, spacing
        self._kernel, self._others = _field(pair, True), _field(others) if others else None
        self._size = float(np.abs(near).max(initial=1e-300))
        found = self._onto(near)
        found = found[np.isfinite(found).all(axis=1)]
        self.cells = _thinned(found, _THIN * spacing)
        self.points = self.cells - middle
        # Of one that ends at a third surface, it is not known what is at that corner.
        far = self.beyond(self.cells)
        self.whole = bool((far < -spacing).all())
        self.none = bool((far > spacing).all()) or not len(self.cells)

    def _rows(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(m, 2), (m, 2, 3), (m, 2, 3, 3): values, gradients and second derivatives of both."""
        rows = self._kernel.points(at).reshape(len(at), 2, 13)
        return rows[..., 0], rows[..., 1:4], rows[..., 4:].reshape(len(at), 2, 3, 3)

    def _onto(self, points: np.ndarray) -> np.ndarray:
        """By Newton's method, each time by the least step; NaN where it is not found."""
        def way(at: np.ndarray) -> np.ndarray:
            values, slopes, _ = self._rows(at)
            with np.errstate(all="ignore"):
                return -dots(np.swapaxes(slopes, 1, 2), dots(inverse(products(slopes, slopes)), values))

        return onto(points, way, _ON * self._size, _STEPS)

    def jet(self, at: np.ndarray) -> Jet:
        _, slopes, second = self._rows(at)
        with np.errstate(all="ignore"):
            sizes = np.sqrt((slopes * slopes).sum(axis=2))
            normals = slopes / sizes[..., None]
            along = crosses(normals[:, 0], normals[:, 1])
            along /= np.sqrt((along * along).sum(axis=1))[:, None]
            bends = -np.einsum("mkij,mi,mj->mk", second, along, along) / sizes
            bent = dots(np.swapaxes(normals, 1, 2), dots(inverse(products(normals, normals)), bends))
        return Jet(at - self.middle, along[:, None], bent[:, None, None], np.zeros((len(at), 3)))

    def moved(self, at: np.ndarray, by: np.ndarray) -> np.ndarray:
        return self._onto(at + (by[:, None] @ self.jet(at).along)[:, 0])

    def beyond(self, at: np.ndarray) -> np.ndarray:
        return _outside(self._others, at)

    def start(self, which: np.ndarray) -> np.ndarray:
        return self.cells[which]

    def normals(self, at: np.ndarray) -> np.ndarray:
        slopes = self._rows(at[None])[1][0]
        return np.asarray(slopes / np.linalg.norm(slopes, axis=1)[:, None])

    def heights(self, points: np.ndarray) -> np.ndarray:
        return away(self.points, points)[0]

    def toward(self, points: np.ndarray) -> np.ndarray:
        return self.start(away(self.points, points)[1])

    @functools.cached_property
    def _around(self) -> np.ndarray:
        far = np.linalg.norm(self.points[:, None] - self.points, axis=2)
        return np.argsort(far, axis=1, kind="stable")[:, 1:_AROUND + 1]

    def lows(self, values: np.ndarray) -> np.ndarray:
        low = np.ones(values.shape, bool)
        for nearest in self._around.T:
            low &= values <= values[:, nearest]
        return low


def faces_and_edges(body: Combination, middle: np.ndarray) -> tuple[Part, ...] | None:
    """Of an intersection of convex bodies that has no corners; None of others."""
    leaves = [c for c in body.children if isinstance(c, ImplicitSurface)]
    plain = body.operation == "intersection" and len(leaves) == len(body.children)
    if not plain or any(leaf.deforming or signs(leaf) != (1,) or _flat(leaf) for leaf in leaves):
        return None
    facets = [Facet(leaf, middle, [other for other in leaves if other is not leaf]) for leaf in leaves]
    if not all(facet.convex for facet in facets):
        return None
    found: list[Part] = [facet for facet in facets if len(facet.points)]
    for i, one in enumerate(facets):
        for j in range(i):
            near = one.all_cells[np.abs(_outside(_field([leaves[j]]), one.all_cells)) <= _BESIDE * one.spacing]
            edge = Crease((leaves[i], leaves[j]), middle, [leaves[k] for k in range(len(leaves)) if k not in (i, j)], near, one.spacing)
            if not (edge.none or edge.whole):
                return None
            found += [edge] if edge.whole else []
    return tuple(sorted(found, key=lambda part: part.dimension))


def _flat(leaf: ImplicitSurface) -> bool:
    return all(not sp.diff(leaf.expression, s).free_symbols for s in (x, y, z))


def _field(leaves: Sequence[ImplicitSurface], bends: bool = False) -> Kernel:
    """Values and gradients of functions, one after the other, or also second derivatives."""
    rows: list[Any] = []
    for leaf in leaves:
        slopes = [sp.diff(leaf.expression, s) for s in (x, y, z)]
        rows += [leaf.expression, *slopes, *((sp.diff(e, s) for e in slopes for s in (x, y, z)) if bends else ())]
    return compile(rows, [x, y, z], quick=True)


def _outside(field: Kernel | None, at: np.ndarray) -> np.ndarray:
    """(m,): how far points are outside of one of some bodies, about."""
    if field is None or not len(at):
        return np.full(len(at), -np.inf)
    rows = field.points(at).reshape(len(at), -1, 4)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((rows[..., 0] / np.linalg.norm(rows[..., 1:], axis=2)).max(axis=1))


def _thinned(points: np.ndarray, least: float) -> np.ndarray:
    """Some of points (n, 3), so that none of these is nearer to another one."""
    kept = np.empty((0, 3))
    while len(points):
        kept = np.concatenate([kept, points[:1]])
        points = points[np.linalg.norm(points - points[0], axis=1) >= least]
    return kept
