"""Extent of parts of bodies: their points in a frame of their own, in cells, and the motions that carry them."""

import functools
import weakref
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from codegen.from_sympy import convert
from codegen.given import expression
from codegen.graph.expr import ExprPool
from codegen.graph.meanvalue import second_order_form
from codegen.kernel import Kernel
from codegen.walk import survey
from generative import Motion, ParametricSurface, t, u, v, x, y, z
from generative.products import Product
from generative.surface import Deferred

from .cells import Cell, end_of
from .members import KernelMember, enclose, fixed_kernel, formula_member, motion_member, occurring, path_cells
from .mesh_cells import Triangles
from .motions import divided, row_times
from .numbers import NONE, Numbers, both

# Cells of a part, by the number of its parameters.
_GRID: dict[int, tuple[int, ...]] = {0: (), 1: (16,), 2: (4, 4), 3: (2, 2, 4)}
# Cells of a face whose formulas are written when they are wanted: each pair of faces that is proved apart saves that.
_WRITTEN_LATER = (8, 8)
# Cells of a face along a parameter in the tree that triangles are compared with: a power of 2. Effort only.
_LEVELS = 6
# The ball of a part is taken from a grid this much finer.
_FINER = 4


Box = tuple[tuple[float, float], ...]


_first: "weakref.WeakValueDictionary[tuple[Any, ...], Extent]" = weakref.WeakValueDictionary()
"""The first of the parts of one shape that was asked for where it is in its own frame."""


@dataclass(frozen=True, eq=False)
class Extent:
    """A part of a body: the points body(path(symbols), t) over the box `domain` (p, 2) of its symbols, carried by `motion`, with `numbers`
    in the place of the symbols of a family.

    `body` is three expressions of u, v and t, or encloses these without formulas (`Deferred`), `path` two of the symbols. Without a body
    the points are the box itself. A part whose body depends on t deforms.
    """

    body: tuple[Any, ...] | Deferred | None
    path: tuple[Any, ...]
    symbols: tuple[Any, ...]
    domain: np.ndarray
    motion: Motion
    numbers: Numbers = NONE

    @cached_property
    def deforming(self) -> bool:
        return isinstance(self.body, tuple) and any(expression(e).has(t) for e in self.body)

    @cached_property
    def still(self) -> "Extent":
        """The same part of another body, or of this one: what no motion changes is known once for all bodies of a shape."""
        formulas = (*(self.body if isinstance(self.body, tuple) else ()), *self.path)
        used = occurring(formulas, self.numbers.symbols) if formulas else []
        numbers = tuple(self.numbers.symbols[k] for k in used), self.numbers.intervals[used].tobytes()
        return _first.setdefault((self.body, self.path, self.symbols, self.domain.shape, self.domain.tobytes(), numbers), self)

    def seen(self, shared: int) -> "Extent":
        """The same part without so many of the first factors of its motion: as it is seen from a frame that moves by these."""
        return _seen(self, shared) if shared else self

    @cached_property
    def shape(self) -> KernelMember:
        """The body in u, v and t: parts of one surface share it, whatever their paths."""
        assert self.body is not None
        if isinstance(self.body, Deferred):
            assert self.body.enclosed is not None
            return KernelMember(*self.body.enclosed)
        return formula_member(self.body, (u, v, t), self.numbers)

    def on_surface(self, grid: np.ndarray) -> np.ndarray:
        """(cells, 2, 2): the cells of a grid in u and v."""
        return grid if self.path == self.symbols else path_cells(self.path, self.symbols, grid, self.numbers)

    def _points(self, cells: np.ndarray, times: np.ndarray) -> np.ndarray:
        """(rows, cells, 3, 2): where the cells of a grid are in the time intervals (rows, 2)."""
        at = self.on_surface(cells)
        rows = np.concatenate([np.tile(at, (len(times), 1, 1)), np.repeat(times, len(at), axis=0)[:, None]], axis=1)
        return self.shape.enclose(rows).reshape(len(times), len(at), 3, 2)

    @cached_property
    def grid(self) -> np.ndarray:
        """(cells, p, 2): a grid that covers the domain exactly; one empty cell for a point."""
        return self._grid(self._counts)

    @property
    def _counts(self) -> tuple[int, ...]:
        return _WRITTEN_LATER if isinstance(self.body, Deferred) and len(self.domain) == 2 else _GRID[len(self.domain)]

    def _grid(self, counts: tuple[int, ...]) -> np.ndarray:
        if not counts:
            return np.empty((1, 0, 2))
        index = _index(counts)
        found = np.empty((index.shape[1], len(counts), 2))
        for k, ((lo, hi), n) in enumerate(zip(self.domain, counts, strict=True)):
            e = np.linspace(lo, hi, n + 1)
            e[0], e[-1] = lo, hi
            found[:, k, 0], found[:, k, 1] = e[index[k]], e[index[k] + 1]
        return found

    def cells(self, times: np.ndarray) -> np.ndarray:
        """Boxes (rows, cells, 3, 2) in the part's own frame that hold it throughout each of the time intervals (rows, 2)."""
        if not self.deforming:
            return np.broadcast_to(self.resting, (len(times), *self.resting.shape))
        return self._points(self.grid, times)

    @cached_property
    def resting(self) -> np.ndarray:
        """The cells (cells, 3, 2) of a part that does not deform."""
        return self._from_finer() if isinstance(self.body, Deferred) else self._enclosed(self.grid)

    def _from_finer(self) -> np.ndarray:
        """The same, each the hull of those of a finer grid: quotients have wide bounds, or none, over large cells."""
        counts = self._counts
        fine = self._enclosed(self._grid(tuple(_FINER * n for n in counts)))
        blocks = fine.reshape(*(k for n in counts for k in (n, _FINER)), 3, 2)
        within = tuple(range(1, 2 * len(counts), 2))
        return np.stack([blocks[..., 0].min(axis=within), blocks[..., 1].max(axis=within)], axis=-1).reshape(-1, 3, 2)

    def _enclosed(self, grid: np.ndarray) -> np.ndarray:
        if self.body is None:
            return grid
        return self._points(grid, np.zeros((1, 2)))[0]

    @cached_property
    def ball(self) -> np.ndarray:
        """Centre and radius (4,) of a ball that holds the part in its own frame, except for rounding; infinite if it deforms."""
        if self.deforming:
            return np.array([0.0, 0.0, 0.0, np.inf])
        cells = self._enclosed(self._grid(tuple(_FINER * n for n in _GRID[len(self.domain)])))
        lo, hi = cells[..., 0].min(axis=0), cells[..., 1].max(axis=0)
        if not np.isfinite([lo, hi]).all():
            return np.array([0.0, 0.0, 0.0, np.inf])
        centre = 0.5 * (lo + hi)
        far = np.maximum(np.abs(cells[..., 0] - centre), np.abs(cells[..., 1] - centre))
        with np.errstate(over="ignore"):  # an infinite radius, as of no ball
            return np.append(centre, np.sqrt((far**2).sum(axis=1)).max())

    @cached_property
    def reach(self) -> float:
        """A radius round the centre of the ball that holds the part, too, except for rounding, and is closer for curved ones."""
        if not isinstance(self.body, tuple) or len(self.domain) < 2 or not np.isfinite(self.ball[3]):
            return float(self.ball[3])
        kernel = _distances(self.body, self.path, self.symbols, self.numbers.symbols)
        known = np.concatenate([self.numbers.intervals, np.repeat(self.ball[:3, None], 2, axis=1)])
        far = enclose(kernel, self._grid(tuple(2 * _FINER * n for n in _GRID[2])), known)[:, 0, 1].max()
        return float(min(self.ball[3], np.sqrt(far)))

    @cached_property
    def tree(self) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
        """Boxes (nodes, 12), children and sizes, as of the tree of a mesh, over equal cells of a face that does not deform; None of others.
        The two halves of node k, by u and by v in turn, are 2 k + 1 and 2 k + 2.
        """
        if self.body is None or self.deforming or len(self.domain) != 2:
            return None
        count = 1 << _LEVELS
        level = self._enclosed(self._grid((count, count))).reshape(count, count, 3, 2)
        levels = [level]
        while level.shape[:2] != (1, 1):
            pairs = (level[:, ::2], level[:, 1::2]) if level.shape[1] > level.shape[0] // 2 else (level[::2], level[1::2])
            level = np.stack([np.minimum(pairs[0][..., 0], pairs[1][..., 0]), np.maximum(pairs[0][..., 1], pairs[1][..., 1])], axis=-1)
            levels.append(level)
        boxes = np.concatenate([_in_turn(level) for level in reversed(levels)]).swapaxes(1, 2).reshape(-1, 6)
        children = 2 * np.arange(len(boxes)) + 1
        children[len(boxes) // 2:] = -1
        return np.tile(boxes, 2), children, 2.0 * (boxes[:, 3:] - boxes[:, :3]).sum(axis=1)

    @cached_property
    def placing(self) -> KernelMember:
        """The rotation and translation of the motion, twelve numbers, as a function of t."""
        if isinstance(self.motion, Product):
            return motion_member(self.motion, self.numbers)
        return formula_member(self.motion.entries, (t,), self.numbers)

    @cached_property
    def moving(self) -> list[int]:
        """The numbers, by their places, that `placing` takes, where they are symbols: of a product those of its factors alone."""
        used = self.motion.symbols if isinstance(self.motion, Product) else self.numbers.symbols
        return [k for k, s in enumerate(self.numbers.symbols) if s in used]


@functools.lru_cache(maxsize=64)
def _index(counts: tuple[int, ...]) -> np.ndarray:
    """(p, cells): the places of all cells of a grid along each parameter, the last one fastest."""
    return np.indices(counts).reshape(len(counts), -1)


@functools.lru_cache(maxsize=512)
def _distances(body: tuple[Any, ...], path: tuple[Any, ...], symbols: tuple[Any, ...], names: tuple[Any, ...]) -> Kernel:
    """The square of the distance of a point of a surface from a place, by second-order forms; the place comes last of the parameters."""
    pool, count = ExprPool(), len(names)
    known = {s: pool.parameter(k) for k, s in enumerate(names)}
    at = convert(list(path), {**known, **{s: pool.variable(k) for k, s in enumerate(symbols)}}, pool)
    apart = [e - pool.parameter(count + k) for k, e in enumerate(convert(list(body), {**known, u: at[0], v: at[1]}, pool))]
    square = sum((pool.power_integer(e, 2) for e in apart[1:]), pool.power_integer(apart[0], 2))
    formed = second_order_form([square], [pool.variable(k) for k in range(len(symbols))])
    return Kernel(formed, [f"x{k}" for k in range(len(symbols))], [f"p{k}" for k in range(count + 3)], quick=True)


@functools.lru_cache(maxsize=1 << 14)
def _seen(part: Extent, shared: int) -> Extent:
    return replace(part, motion=divided(part.motion, shared)[1])


def _in_turn(level: np.ndarray) -> np.ndarray:
    """Cells (a, b, 3, 2) of a grid, a and b being powers of 2, in the order in which halving by the first and by the second index meets
    them.
    """
    bits = [(n.bit_length() - 1) for n in level.shape[:2]]
    axes = sorted([(k, 0) for k in range(bits[0])] + [(k, 1) for k in range(bits[1])])
    order = [k if side == 0 else bits[0] + k for k, side in axes]
    halves = level.reshape(*(2,) * sum(bits), 3, 2)
    return halves.transpose(*order, sum(bits), sum(bits) + 1).reshape(-1, 3, 2)


def carried(motion: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Cells (rows, cells, 3, 2) carried by motions (rows, 12, 2): R p + T, enclosed."""
    lo, hi = _carried_ends(motion, cells)
    return np.stack([lo, hi], axis=-1).swapaxes(0, 1)


def swept(motion: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """(rows, 3, 2): boxes that hold all cells (rows, cells, 3, 2) of a row carried by its motion (rows, 12, 2)."""
    lo, hi = _carried_ends(motion, cells)
    return np.stack([lo.min(axis=0), hi.max(axis=0)], axis=-1)


def _carried_ends(motion: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The lower and the upper ends of carried cells, (2, cells, rows, 3): in this order extremes over the cells of a row cost little."""
    rows, count = cells.shape[:2]
    ends = np.empty((2, count, rows, 15))
    for k in range(2):
        ends[k, ..., :12], ends[k, ..., 12:] = motion[..., k], cells[..., k].swapaxes(0, 1)
    return np.reshape(_rigid_kernel().interval(*ends.reshape(2, count * rows, 15)), (2, count, rows, 3))


@functools.cache
def _rigid_kernel() -> Kernel:
    """R p + T in the 9 entries of R, the 3 of T and the 3 of p."""
    return fixed_kernel(15, lambda *w: [row_times(w[3 * i:3 * i + 3], w[12:]) + w[9 + i] for i in range(3)])


def box_of(part: Cell, numbers: Numbers = NONE) -> np.ndarray:
    """(3, 2): what the bounds of the first leaf leave of space to an implicit part, in the frame of that leaf."""
    box, _ = numbers.bounds(part.leaves[0].bounds)
    for side in part.sides:
        if side[0] == 0:
            box[side[1]] = numbers.enclose(end_of(part, side))
    return box


@functools.lru_cache(maxsize=1 << 15)
def extent_of(part: Cell, numbers: Numbers = NONE, box: Box | None = None) -> Extent:
    """The extent of a part; an implicit one is somewhere in `box` in the frame of its first leaf, or, where that is not known, within its
    bounds. Of all triangles of a mesh it is a box.
    """
    if isinstance(part, Triangles):
        return Extent(None, (), (x, y, z), part.box, part.mesh.motion, numbers)
    if part.leaves:
        return Extent(None, (), (x, y, z), box_of(part, numbers) if box is None else np.array(box), part.leaves[0].motion, numbers)
    numbers = both(numbers, part.own)
    return Extent(_source(part.surface), part.path, part.symbols, numbers.bounds(part.domain)[0], part.surface.motion, numbers)


@functools.lru_cache(maxsize=1 << 14)
def surface_extent(surface: ParametricSurface, numbers: Numbers = NONE) -> Extent:
    """The extent of a whole surface."""
    return Extent(_source(surface), (u, v), (u, v), numbers.bounds(list(surface.domain.values()))[0], surface.motion, numbers)


def _source(surface: ParametricSurface) -> tuple[Any, ...] | Deferred:
    """The formulas of a surface, or what encloses it without them, and has no symbols but u and v."""
    source = surface.source
    if isinstance(source, Deferred) and source.enclosed is not None and not any(survey(e).symbols - {u, v} for e in source.ingredients):
        return source
    return tuple(surface.body)
