"""Contact situations of two places on a sheet: one problem for each pair of families, whose instances are the pairs of surfaces.

Faces are closed: they stand for their sides, too, or else (`held`) sides and corners are situations of their own, a parameter of a
surface being held at an end of its domain.
"""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.constants import enclose
from codegen.from_sympy import convert
from codegen.graph.expr import Expr
from codegen.graph.vectors import Vector
from generative import u, v

from ..search.problem import Problem
from ..situations.contact import placed_situation
from ..situations.frame import Frame, all_of
from ..situations.place import PlacedParametric
from .glue import Join
from .injective import NEAR
from .sheet import SheetPiece, SurfaceFamily, hosted

Held = tuple[int | None, ...]
"""The end at which each of u1, v1, u2, v2 is held, or None."""

FREE: Held = (None, None, None, None)


class SheetPair(NamedTuple):
    """Two pieces of a sheet, and their joins (none where they share nothing)."""

    first: SheetPiece
    second: SheetPiece
    joins: tuple[Join, ...]

    @property
    def label(self) -> tuple[int, int]:
        return self.first.body, self.second.body

    @property
    def pieces(self) -> tuple[SheetPiece, SheetPiece]:
        return self.first, self.second

    @property
    def outer(self) -> np.ndarray:
        return np.concatenate([self.first.outer, self.second.outer])

    @property
    def inner(self) -> np.ndarray:
        return np.concatenate([self.first.inner, self.second.inner])

    @property
    def border(self) -> list[tuple[bool, bool]]:
        return [*self.first.border, *self.second.border]

    @property
    def periods(self) -> list[float]:
        return [float(p) for p in (*self.first.periods, *self.second.periods)]


def pair_problem(pair: SheetPair, span: tuple[float, float], held: Held = FREE, *, tangency: bool = True, closed: bool = True) -> Problem:
    """The earliest contact of a pair within a span of time, at different places; with parameters held at ends of their domains, that of
    a side or a corner. `closed`: at its sides, tangent planes need not agree.
    """
    whole = _template(pair.first.shape, pair.second.shape, len(pair.joins), tuple(end is not None for end in held), tangency,
                      (*pair.first.names, *pair.second.names))
    own = [k for k in range(4) if held[k] is None]
    outer, inner = (np.concatenate([ends[own], [span]]) for ends in (pair.outer, pair.inner))
    border = [(closed or (k // 2, k % 2, end) not in _open_ends(pair)) and pair.border[k][end] for k in own for end in (0, 1)]
    numbers = [pair.first.numbers, pair.second.numbers, _ends(pair, held), _coefficients(pair.joins, pair.first.domain)]
    at = [(pair.first, held[:2]), (pair.second, held[2:])]
    features = _feature(*at[0]), _feature(*at[1])
    return whole.instance(np.concatenate(numbers), outer, inner, label=pair.label, features=features,
                          held=tuple(_held(*side) for side in at), period=np.array([*(pair.periods[k] for k in own), 0.0]),
                          border=np.array([*border, False, False], int).reshape(-1, 2) if any(border) else None)


def at_start(pair: SheetPair, moment: float) -> Problem:
    """The pair at one moment, to tell whether its places meet then. The inner domain stays clear of the sides, so that what is proved is a
    crossing.
    """
    begin = pair_problem(pair, (moment, moment), tangency=False)
    inner = begin.inner.copy()
    assert begin.period is not None
    inner += (begin.period == 0.0)[:, None] * (inner[:, 1] - inner[:, 0])[:, None] * [1e-9, -1e-9]
    inner[-1] = moment
    return begin.instance(begin.parameters, begin.outer, inner)


def _open_ends(pair: SheetPair) -> set[tuple[int, int, int]]:
    """The sides (0 or 1 for the surface, parameter, end) that are situations of their own."""
    return {(side, a, end) for side, piece in enumerate(pair.pieces) for a, end in piece.edges}


def _feature(piece: SheetPiece, held: Sequence[int | None]) -> str:
    """The name of a face, a side or a corner: edges and vertices are numbered as those of a patch are by `first_contact`."""
    at = [(k, end) for k, end in enumerate(held) if end is not None]
    if len(at) == 2:
        return f"vertex {_corners(piece).index((at[0][1], at[1][1]))}"
    return f"edge {piece.edges.index(at[0])}" if at else "face 0"


def _held(piece: SheetPiece, held: Sequence[int | None]) -> tuple[tuple[Any, int], ...]:
    """The ends of parameters at which these are held, or round which they are smooth."""
    ends = [(s, end) for s, end in zip((u, v), held, strict=True) if end is not None]
    return tuple(ends) if piece.pole is None else (piece.pole,)


def _corners(piece: SheetPiece) -> list[tuple[int, int]]:
    """The corners as (end of u, end of v), in the order in which the edges reach them."""
    ends = [(end, w) if a == 0 else (w, end) for a, end in piece.edges for w in (0, 1)]
    return list(dict.fromkeys(ends))


def _ends(pair: SheetPair, held: Held) -> np.ndarray:
    ends = [enclose(p.domain[k % 2][end]) for k, end in enumerate(held) for p in [pair.pieces[k // 2]] if end is not None]
    return np.array(ends).reshape(-1, 2)


@functools.lru_cache(maxsize=512)
def _coefficients(joins: tuple[Join, ...], domain: tuple[tuple[Any, Any], ...]) -> np.ndarray:
    """The factors of u2, v2, 1 and of the first's parameter in the difference of the two places, for each join and each parameter of the
    plane, against the size of the domain.
    """
    rows: list[tuple[float, float]] = []
    for join in joins:
        for k, (lo, hi) in enumerate(domain):
            factors = [join.rates[k] if join.source[k] == own else sp.Integer(0) for own in (0, 1)]
            rows += [enclose(e / (hi - lo)) for e in (*factors, join.offset[k], -1)]
    return np.array(rows).reshape(-1, 2)


# -- templates ----------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def _template(first: SurfaceFamily, second: SurfaceFamily, joins: int, held: tuple[bool, ...], tangency: bool,
              names: tuple[str, ...]) -> Problem:
    """The problem of two families; parameters: the numbers of both, the ends at which parameters are held, and those of the joins."""
    spatial = held.count(False)
    frame = Frame(spatial, (0, 1))
    counts = first.parameters, second.parameters
    frame.values += [(0.0, 0.0)] * (sum(counts) + sum(held))
    ends = iter(range(sum(counts), sum(counts) + sum(held)))
    placed = [PlacedShape(shape, frame, (names[2 * k] + str(k + 1), names[2 * k + 1] + str(k + 1)), sum(counts[:k]),
                          [next(ends) if h else None for h in held[2 * k:2 * k + 2]]) for k, shape in enumerate((first, second))]
    feasible = _distinct(frame, [*placed[0].at, *placed[1].at], joins)
    return placed_situation(placed[0], placed[1], frame, tangency=tangency, feasible=feasible, fast=tangency and spatial == 4,
                            slots=len(frame.values))


def _distinct(frame: Frame, at: Sequence[Expr], joins: int) -> Expr | None:
    """The condition that two places are proved different: on the plane of each join, farther apart than half the distance of neighbours."""
    if not joins:
        return None
    pool, first = frame.pool, len(frame.values)
    frame.values += [(0.0, 0.0)] * (8 * joins)
    square = convert([(NEAR / 2) ** 2], {}, pool)[0]
    conditions = []
    for join in range(joins):
        total = None
        for k in (0, 1):
            a, b, c, d = (pool.parameter(first + 8 * join + 4 * k + i) for i in range(4))
            part = pool.power_integer(a * at[2] + b * at[3] + c + d * at[k], 2)
            total = part if total is None else total + part
        assert total is not None
        conditions.append(pool.node("le", square, total))
    return all_of(pool, conditions)


class _Family(NamedTuple):
    dimension: int
    two_sided: bool = True
    planar: bool = False

    @property
    def is_face(self) -> bool:
        return self.dimension == 2


class PlacedShape(PlacedParametric):
    """A family with variables of its own except for the parameters that are held, whose values are the parameters numbered `held`."""

    def __init__(self, shape: SurfaceFamily, frame: Frame, names: tuple[str, str], first: int, held: Sequence[int | None]) -> None:
        self.shape, self.frame, self.first = shape, frame, first
        self.at = [frame.variable(name, (0, 1)) if number is None else frame.pool.parameter(number)
                   for name, number in zip(names, held, strict=True)]
        self.own = [node for node, number in zip(self.at, held, strict=True) if number is None]
        self.part: Any = _Family(len(self.own))
        self.position = self._hosted(shape.position)

    def _hosted(self, outputs: Sequence[Expr]) -> Vector:
        return hosted(outputs, self.frame.pool, [*self.at, self.frame.time], self.first)

    @functools.cached_property
    def outward(self) -> list[Vector]:
        return [self._hosted(self.shape.normal)]
