"""Faces and edges of combined implicit bodies: the part of each leaf on the body, and edges where two leaves meet (Snyder 1993, Section
4.1.3: solids as such combinations).

Inside and outside of a body are told by those of its leaves. Where one leaf is zero there is a face if the body is inside wherever that is,
and outside else; where two are there is an edge that sticks out if it is inside wherever both are, and nowhere else.

A place on either is the point itself. On an edge F = G = 0 the tangent is across both normals, and the curvature c follows from what both
surfaces bend along it: n c = -t H t / |grad F| for each of them.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.kernel import Kernel, compile
from generative import ImplicitBody, ImplicitSurface, x, y, z
from generative.combination import Combination

from ..motion.rotation import crosses
from .curved import LevelSet
from .local_geometry import LocalGeometry, away, dots, inverse, lows, onto, products

# Against the size of a surface, a step to it that is none, and steps; of a chord, how far an edge that is straight is from it.
_ON, _STEPS, _STRAIGHT = 1e-15, 60, 1e-12
# Points of a face are no nearer to each other than about that, against their spacing.
_THIN = 0.5
# An edge is followed with so many steps to the place that is farthest along a direction.
_NEWTON = 6


class Sides:
    """The leaves of a body, by their numbers, and how its inside follows from theirs."""

    def __init__(self, body: ImplicitBody) -> None:
        self.leaves = tuple(dict.fromkeys(body.leaves))
        self._tree, self._kernel = self._node(body), field(self.leaves)

    def _node(self, body: ImplicitBody) -> Any:
        if isinstance(body, Combination):
            return np.minimum if body.operation == "union" else np.maximum, [self._node(child) for child in body.children]
        assert isinstance(body, ImplicitSurface), "what is no combination is a leaf"
        return self.leaves.index(body)

    def heights(self, at: np.ndarray) -> np.ndarray:
        """(m, leaves): how far points are outside of each, about."""
        rows = self._kernel.points(at).reshape(len(at), -1, 4)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(rows[..., 0] / np.linalg.norm(rows[..., 1:], axis=2))

    def off(self, own: Sequence[int], heights: np.ndarray) -> np.ndarray:
        """(m,): how far points on some leaves are from where the body is inside wherever all these are, and outside where one is not; less
        than 0 there.
        """
        found = self._outside(self._tree, heights, dict.fromkeys(own, -np.inf))
        for out in own:
            found = np.maximum(found, -self._outside(self._tree, heights, dict.fromkeys(own, -np.inf) | {out: np.inf}))
        return found

    def _outside(self, node: Any, heights: np.ndarray, known: dict[int, float]) -> np.ndarray:
        """(m,): how far points are outside of the body, where it is known of some leaves that they are."""
        if isinstance(node, int):
            return np.full(len(heights), known[node]) if node in known else heights[:, node]
        combine, children = node
        return functools.reduce(combine, (self._outside(child, heights, known) for child in children))


class Facet(LevelSet):
    """The part of a leaf on the body."""

    def __init__(self, sides: Sides, own: int, middle: np.ndarray) -> None:
        leaf = sides.leaves[own]
        super().__init__(leaf, middle)
        self.straight = _flat(leaf)
        self._sides, self._which = sides, (own,)
        _, first = np.unique(np.round(self.cells / (_THIN * self.spacing)), axis=0, return_index=True)
        self.all_cells = self.cells[np.sort(first)]
        self.cells = self.all_cells[self.beyond(self.all_cells) <= 0.0]
        self.points = self.cells - middle

    def beyond(self, at: np.ndarray) -> np.ndarray:
        return np.maximum(super().beyond(at), self._sides.off(self._which, self._sides.heights(at)))


class Line:
    """The curve on which two leaves are zero."""

    def __init__(self, sides: Sides, own: tuple[int, int], size: float) -> None:
        self.sides, self.own, self.leaves, self._size = sides, own, tuple(sides.leaves[k] for k in own), size
        self._kernel = field(self.leaves, True)

    def rows(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(m, 2), (m, 2, 3), (m, 2, 3, 3): values, gradients and second derivatives of both."""
        rows = self._kernel.points(at).reshape(len(at), 2, 13)
        return rows[..., 0], rows[..., 1:4], rows[..., 4:].reshape(len(at), 2, 3, 3)

    def onto(self, points: np.ndarray) -> np.ndarray:
        """By Newton's method, each time by the least step; NaN where it is not found."""
        def way(at: np.ndarray) -> np.ndarray:
            values, slopes, _ = self.rows(at)
            with np.errstate(all="ignore"):
                return -dots(np.swapaxes(slopes, 1, 2), dots(inverse(products(slopes, slopes)), values))

        return onto(points, way, _ON * self._size, _STEPS)

    def tangents(self, at: np.ndarray) -> np.ndarray:
        """(m, 3), of length 1."""
        slopes = self.rows(at)[1]
        along = crosses(slopes[:, 0], slopes[:, 1])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(along / np.linalg.norm(along, axis=1)[:, None])

    def off(self, at: np.ndarray) -> np.ndarray:
        """The distance of a place from where the body has an edge that sticks out."""
        return self.sides.off(self.own, self.sides.heights(at))


class Crease:
    """An edge of a body through points `cells` (n, 3), in order; `closed`, or from the first to the last."""

    dimension, smooth = 1, False

    def __init__(self, line: Line, middle: np.ndarray, cells: np.ndarray, closed: bool) -> None:
        self._line, self.middle, self.cells, self.closed = line, middle, cells, closed
        self.points = cells - middle
        chords = np.linalg.norm(np.diff(cells, axis=0, append=cells[:1] if closed else cells[-1:]), axis=1)
        self.spacing, self._lengths = float(chords.max()), np.concatenate([[0.0], np.cumsum(chords if closed else chords[:-1])])
        way = (cells - cells[0]) @ np.linalg.svd(cells - cells[0], full_matrices=False)[2][0]
        off = np.linalg.norm(cells - cells[0], axis=1) ** 2 - way**2
        self.straight = bool(np.abs(off).max() <= _STRAIGHT * self._lengths[-1] ** 2)

    def jet(self, at: np.ndarray) -> LocalGeometry:
        _, slopes, second = self._line.rows(at)
        with np.errstate(all="ignore"):
            sizes = np.sqrt((slopes * slopes).sum(axis=2))
            normals = slopes / sizes[..., None]
            along = crosses(normals[:, 0], normals[:, 1])
            along /= np.sqrt((along * along).sum(axis=1))[:, None]
            bends = -np.einsum("mkij,mi,mj->mk", second, along, along) / sizes
            bent = dots(np.swapaxes(normals, 1, 2), dots(inverse(products(normals, normals)), bends))
        return LocalGeometry(at - self.middle, along[:, None], bent[:, None, None], np.zeros((len(at), 3)))

    def moved(self, at: np.ndarray, by: np.ndarray) -> np.ndarray:
        return self._line.onto(at + (by[:, None] @ self.jet(at).along)[:, 0])

    def beyond(self, at: np.ndarray) -> np.ndarray:
        return self._line.off(at)

    def start(self, which: np.ndarray) -> np.ndarray:
        return self.cells[which]

    def normals(self, at: np.ndarray) -> np.ndarray:
        slopes = self._line.rows(at[None])[1][0]
        return np.asarray(slopes / np.linalg.norm(slopes, axis=1)[:, None])

    def heights(self, points: np.ndarray) -> np.ndarray:
        return away(self.points, points)[0]

    def toward(self, points: np.ndarray) -> np.ndarray:
        return self.start(away(self.points, points)[1])

    def lows(self, values: np.ndarray) -> np.ndarray:
        return lows(values, self.closed)

    def spread(self, count: int, way: np.ndarray | None) -> np.ndarray:
        """See `CurvedEdge.spread`."""
        along, first = self._lengths[-1] * np.arange(count + (not self.closed)) / count, None
        if way is not None and self.closed:
            k = int(np.argmax(self.points @ way))
            first = self._farthest(self.cells[k], way)
            along = along + self._lengths[k] + (first - self.cells[k]) @ self._line.tangents(self.cells[k:k + 1])[0]
        ring = np.concatenate([self.cells, self.cells[:1]]) if self.closed else self.cells
        along = along % self._lengths[-1] if self.closed else along
        places = self._line.onto(np.stack([np.interp(along, self._lengths, c) for c in ring.T], axis=1))
        if first is not None:
            places[0] = first
        return np.asarray(places - self.middle)

    def _farthest(self, at: np.ndarray, way: np.ndarray) -> np.ndarray:
        """Along a direction, from a place near that (Newton's method)."""
        place = at[None]
        for _ in range(_NEWTON):
            jet = self.jet(place)
            slope, bend = float(jet.along[0, 0] @ way), float(jet.bent[0, 0, 0] @ way)
            after = self.moved(place, np.array([[-slope / bend if bend < 0.0 else 0.0]]))
            place = after if np.isfinite(after).all() else place
        return np.asarray(place[0])


def _flat(leaf: ImplicitSurface) -> bool:
    return all(not sp.diff(leaf.expression, s).free_symbols for s in (x, y, z))


def field(leaves: Sequence[ImplicitSurface], bends: bool = False) -> Kernel:
    """Values and gradients of functions, one after the other, or also second derivatives."""
    rows: list[Any] = []
    for leaf in leaves:
        slopes = [sp.diff(leaf.expression, s) for s in (x, y, z)]
        rows += [leaf.expression, *slopes, *((sp.diff(e, s) for e, s in itertools.product(slopes, (x, y, z))) if bends else ())]
    return compile(rows, [x, y, z], quick=True)
