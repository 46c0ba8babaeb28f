"""Proof that the maps of cells have positive determinants (see `trimmed`), by one kernel for all cells with borders of the same patterns.

The determinant is linear in w, so it is enough that L' x (H - L) and H' x (H - L) are positive for all s from 0 to 1; where H is a point
the determinant is the first times 1 - w. Numbers of the borders are parameters of the kernel. Corners at ends of pieces are enclosed by it.
"""

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from codegen.graph.autodiff import partials
from codegen.graph.expr import Expr, ExprPool, substitute
from codegen.graph.meanvalue import mean_value_form
from codegen.kernel import Kernel, compile

from .pattern import Pattern, bounds
from .symbols import t, u, v
from .trimming_pieces import CellBorder, Coordinate, LoopPiece, TrimCell

# So often ranges of s are halved, and there are so many at most.
_HALVINGS, _MOST = 40, 4096
_UNPROVED = "the region inside the loops is not proved to be cut into cells: pieces of the loops meet without an angle, or nearly"

Ends = dict[tuple[LoopPiece, int], np.ndarray]
Kind = tuple[Pattern | None, Pattern | None, bool]


def prove(cells: Sequence[TrimCell]) -> None:
    """Prove that determinants of all cells are positive, over ranges of s that are halved where that is needed; ValueError where that is
    not proved.
    """
    ends = enclosed(c for cell in cells for border in (cell.low, cell.high) for corner in border.corners or () for c in corner)
    kinds: dict[Kind, list[np.ndarray]] = {}
    for cell in cells:
        row = np.hstack([_numbers(border, ends) for border in (cell.low, cell.high)])
        kinds.setdefault((_pattern(cell.low), _pattern(cell.high), cell.pointed), []).append(row)
    for kind, rows in kinds.items():
        _prove_alike(kind, np.array(rows))


def enclosed_cell(surface: Pattern, numbers: Sequence[Any], cell: TrimCell) -> tuple[Kernel, np.ndarray]:
    """A kernel of s, w and t, which all cells of borders of the same patterns share, that encloses the points of a surface over a cell; and
    its parameters (p, 2).
    """
    borders = cell.low, cell.high
    ends = enclosed(c for border in borders for corner in border.corners or () for c in corner)
    own = np.hstack([bounds(numbers), *(_numbers(border, ends) for border in borders)]).T.copy()
    return _values(surface, _pattern(cell.low), _pattern(cell.high)), own


@functools.lru_cache(maxsize=256)
def _values(surface: Pattern, low: Pattern | None, high: Pattern | None) -> Kernel:
    pool = ExprPool()
    s, w = pool.variable(0), pool.variable(1)
    below, begin = _path(low, s, len(surface.symbols), pool)
    above, count = _path(high, s, begin, pool)
    at = mean_value_form([a + w * (b - a) for a, b in zip(below, above, strict=True)], [s, w])
    # The surface over the box of u and v, which is what the borders leave of it.
    own = [pool.variable(k) for k in (3, 4)]
    place = mean_value_form(surface.nodes(dict(zip((u, v), own, strict=True)), [pool.parameter(k) for k in range(len(surface.symbols))],
                                          pool), own)
    return compile(substitute(place, {e.index: a for e, a in zip(own, at, strict=True)}), [u, v, t], _names(count), quick=True)


def _prove_alike(kind: Kind, numbers: np.ndarray) -> None:
    """Prove it of cells of one kind, with their numbers, (n, 2, p)."""
    kernel = _conditions(kind)
    count = 1 if kind[2] else 2
    places = np.linspace(0.0, 1.0, 5)
    ranges = np.tile(np.stack([places[:-1], places[1:]], axis=1), (len(numbers), 1))
    owners = np.repeat(np.arange(len(numbers)), 4)
    for _ in range(_HALVINGS):
        own = np.ascontiguousarray(numbers[owners].transpose(1, 0, 2))
        low, _, regular = kernel.decorated(ranges[:, :1].copy(), ranges[:, 1:].copy(), parameters=(own[0], own[1]))
        left = ~((low[:, :count] > 0.0).all(axis=1) & (regular[:, count:] >= 3).all(axis=1))
        if not left.any():
            return
        ranges, owners = ranges[left], owners[left]
        if len(ranges) > _MOST * len(numbers):
            break
        middle = ranges.mean(axis=1)
        ranges = np.concatenate([np.stack([ranges[:, 0], middle], axis=1), np.stack([middle, ranges[:, 1]], axis=1)])
        owners = np.concatenate([owners, owners])
    raise ValueError(_UNPROVED)


def _pattern(border: CellBorder) -> Pattern | None:
    return None if border.piece is None else border.piece.curve.pattern


def _numbers(border: CellBorder, ends: Ends) -> np.ndarray:
    """(2, p): bounds of the numbers of a border: those of its curve and the ends of its range, or the coordinates of two corners."""
    if border.piece is not None:
        return _of_piece(border.piece)
    assert border.corners is not None
    return np.array([_bounds_of(c, ends) for corner in border.corners for c in corner]).T


def _of_piece(piece: LoopPiece) -> np.ndarray:
    return bounds([*piece.curve.numbers, piece.first, piece.last])


def _bounds_of(c: Coordinate, ends: Ends) -> Sequence[float]:
    return (c.near, c.near) if c.piece is None else ends[c.piece, c.end][:, c.axis].tolist()


def enclosed(coordinates: Iterable[Coordinate]) -> Ends:
    """Bounds of the ends of pieces, (2, 2) each, by one kernel for all pieces of a pattern."""
    wanted = dict.fromkeys((c.piece, c.end) for c in coordinates if c.piece is not None)
    kinds: dict[Pattern, list[tuple[LoopPiece, int]]] = {}
    for piece, end in wanted:
        kinds.setdefault(piece.curve.pattern, []).append((piece, end))
    found: Ends = {}
    for pattern, own in kinds.items():
        numbers = np.array([_of_piece(piece) for piece, _ in own]).transpose(1, 0, 2).copy()
        places = np.array([[float(end)] for _, end in own])
        low, high = _places(pattern).interval(places, places, parameters=(numbers[0], numbers[1]))
        found |= dict(zip(own, np.stack([low, high], axis=1), strict=True))
    return found


@functools.lru_cache(maxsize=256)
def _places(pattern: Pattern) -> Kernel:
    pool = ExprPool()
    s = pool.variable(0)
    path, count = _path(pattern, s, 0, pool)
    return compile(path, [u], _names(count), quick=True)


@functools.lru_cache(maxsize=256)
def _conditions(kind: Kind) -> Kernel:
    """Functions of s that must be positive; then both borders, which must be differentiable."""
    pool = ExprPool()
    s = pool.variable(0)
    low, begin = _path(kind[0], s, 0, pool)
    high, count = _path(kind[1], s, begin, pool)
    across = [h - e for e, h in zip(low, high, strict=True)]
    positive = []
    for border in [low] if kind[2] else [low, high]:
        (a,), (b,) = partials(border, [s])
        positive.append(a * across[1] - b * across[0])
    return compile([*mean_value_form(positive, [s]), *low, *high], [u], _names(count), quick=True)


def _path(pattern: Pattern | None, s: Expr, begin: int, pool: ExprPool) -> tuple[list[Expr], int]:
    """A border of a cell as two functions of s, whose numbers are parameters from `begin` on, and where those of others begin."""
    if pattern is None:
        a, b, c, d = (pool.parameter(begin + k) for k in range(4))
        return [a + s * (c - a), b + s * (d - b)], begin + 4
    count = len(pattern.symbols)
    *numbers, first, last = (pool.parameter(begin + k) for k in range(count + 2))
    path = Pattern(pattern.formulas[:2], pattern.symbols).nodes({u: first + s * (last - first)}, numbers, pool)
    return path, begin + count + 2


def _names(count: int) -> list[str]:
    return [f"n{k}" for k in range(count)]
