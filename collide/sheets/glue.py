"""Joins of the surfaces of a sheet: sides and corners that are proved to be the same curve, or point, at all times.

A `Join` puts the parameters of one surface on the plane of parameters of another, where they continue those beyond the side that both
share; beyond a shared corner they lie in the opposite quarter. A surface is joined to itself: by the identity, and where it closes by
its period.
"""

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from codegen.deadline import interruptible
from generative import u, v

from ..culling.sweep import sweep_and_prune
from .sheet import SheetPiece

# A side or corner of a piece: (number of the parameter, end) and (end of u, end of v).
Side = tuple[int, int]
Corner = tuple[int, int]
# Where sides are compared before anything is proved: shares of their length, the same from both ends.
_SHARES = (0.0, 0.3125, 0.6875, 1.0)
# Points as near as this, against the size of the sheet, may be the same; what they are is proved.
_NEAR = 1e-9


@dataclass(frozen=True)
class Join:
    """(u, v) of the second surface lie at rates[k] own[source[k]] + offset[k] of the parameter k of the first. `across`, per
    parameter of the first: 1 if they lie beyond its upper end, -1 beyond its lower end, 0 neither.
    """

    source: tuple[int, int] = (0, 1)
    rates: tuple[Any, Any] = (sp.Integer(1), sp.Integer(1))
    offset: tuple[Any, Any] = (sp.Integer(0), sp.Integer(0))
    across: tuple[int, int] = (0, 0)

    def at(self, own: Sequence[Any]) -> tuple[Any, Any]:
        a, b = (r * own[s] + o for s, r, o in zip(self.source, self.rates, self.offset, strict=True))
        return a, b

    def shifted(self, shift: tuple[Any, Any]) -> "Join":
        return replace(self, offset=(self.offset[0] + shift[0], self.offset[1] + shift[1]))


def joins(pieces: Sequence[SheetPiece], span: tuple[float, float]) -> dict[tuple[int, int], tuple[Join, ...]]:
    """The joins of every pair (i, j), i <= j, of pieces that have some; of (i, i) at least the identity."""
    found: dict[tuple[int, int], list[Join]] = {(k, k): [Join()] for k in range(len(pieces))}
    points = _sampled(pieces, span)
    near = _NEAR * np.abs(points[np.isfinite(points)]).max(initial=0.0)
    for (i, side), (j, other), reverse in _alike_sides(pieces, points, near):
        if _same_side(pieces[i], side, pieces[j], other, reverse):
            made = side_join(pieces[i], side, pieces[j], other, reverse)
            found.setdefault((i, j), []).append(made)
            if i == j:
                found[i, j].append(side_join(pieces[i], other, pieces[i], side, reverse))
    for (i, corner), (j, other) in _alike_corners(points, near):
        known = list(_with_periods(pieces[i], found.get((i, j), [])))
        place, own = _corner(pieces[i], corner), _corner(pieces[j], other)
        if not any(_equal(join.at(own), place) for join in known) and _same_corner(pieces[i], corner, pieces[j], other):
            found.setdefault((i, j), []).append(corner_join(pieces[i], corner, pieces[j], other))
            if i == j:
                found[i, j].append(corner_join(pieces[i], other, pieces[i], corner))
    return {pair: tuple(_with_periods(pieces[pair[0]], known)) for pair, known in found.items()}


def _with_periods(first: SheetPiece, known: Sequence[Join]) -> Iterator[Join]:
    """The joins, and the same whole periods of the first surface away."""
    for join in known:
        steps = [(-p, 0, p) if p and not c else (0,) for p, c in zip(first.periods, join.across, strict=True)]
        yield from (join.shifted(shift) for shift in itertools.product(*steps))


# -- sides --------------------------------------------------------------------------------------------------------


def side_join(first: SheetPiece, side: Side, second: SheetPiece, other: Side, reverse: bool) -> Join:
    """The join along a common side, whose parameters are in proportion; `reverse`: they run in opposite directions."""
    (a, end), b = side, other[0]
    along, beside = 1 - a, 1 - b
    lo, hi = second.domain[beside]
    rate = _size(first, along) / _size(second, beside) * (-1 if reverse else 1)
    rates, offset, source, across = [rate, rate], [first.domain[along][0] - rate * (hi if reverse else lo)] * 2, [beside, beside], [0, 0]
    rates[a], offset[a] = _beyond(first, side, second, other)
    source[a], across[a] = b, 2 * end - 1
    return Join((source[0], source[1]), (rates[0], rates[1]), (offset[0], offset[1]), (across[0], across[1]))


def _beyond(first: SheetPiece, side: Side, second: SheetPiece, other: Side) -> tuple[Any, Any]:
    """Rate and offset of what lies beyond a side of the first: inward in the second is outward in the first."""
    (a, end), (b, far) = side, other
    rate = _size(first, a) / _size(second, b) * (1 if end != far else -1)
    return rate, first.domain[a][end] - rate * second.domain[b][far]


def _size(piece: SheetPiece, k: int) -> Any:
    lo, hi = piece.domain[k]
    return hi - lo


def _alike_sides(pieces: Sequence[SheetPiece], points: np.ndarray, near: float) -> Iterator[tuple[tuple[int,
                                                                                                        Side], tuple[int, Side], bool]]:
    """Pairs of different sides that seem to be the same curve, and whether they run in opposite directions."""
    owners = [(i, side) for i, piece in enumerate(pieces) for side in piece.edges]
    curves = np.array([points[i, 2 * a + end] for i, (a, end) in owners]).reshape(-1, 2, len(_SHARES), 3)
    for p, q in _close(curves[:, 0].mean(axis=1), near):
        for reverse in (False, True):
            if np.abs(curves[p] - curves[q][:, ::-1 if reverse else 1]).max() <= near:
                yield owners[p], owners[q], reverse


@interruptible()
def _same_side(first: SheetPiece, side: Side, second: SheetPiece, other: Side, reverse: bool) -> bool:
    """Whether two sides are *proved* to be the same curve, with parameters in proportion."""
    if first.net and second.net:
        return all(np.array_equal(a, b[:, ::-1] if reverse else b) for a, b in zip(_row(first, side), _row(second, other), strict=True))
    if first.surface is None or second.surface is None:
        return False
    return all(map(_vanishes, side_difference(first, side, second, other, reverse)))


def side_difference(first: SheetPiece, side: Side, second: SheetPiece, other: Side, reverse: bool) -> list[Any]:
    """The first side minus the second, with parameters in proportion, as formulas of the parameter along the first and of t."""
    join = side_join(first, side, second, other, reverse)
    own: list[Any] = [None, None]
    for k, s in enumerate((u, v)):
        own[join.source[k]] = (s - join.offset[k]) / join.rates[k]
    edge = {(u, v)[side[0]]: first.domain[side[0]][side[1]]}
    return [(e - f).xreplace(edge) for e, f in zip(first.expressions, _moved(second, own), strict=True)]


def _row(piece: SheetPiece, side: Side) -> list[np.ndarray]:
    """The control points and velocities (2, n, 3), and weights (1, n, 1), of a side."""
    arrays = [piece.net[0], *(w[None, ..., None] for w in piece.net[1:])]
    return [np.take(a, -side[1], axis=1 + side[0]) for a in arrays]


def folds(first: SheetPiece, second: SheetPiece, known: Sequence[Join]) -> Iterator[tuple[Join, tuple[Any, Any]]]:
    """Common corners of two sides that both surfaces share: the join that puts the second on the first, so that they agree on both sides,
    and the place of the corner.
    """
    for a, b in itertools.product(known, known):
        if first is second or not (a.across[0] and not a.across[1] and b.across[1] and not b.across[0]) or a.source[1] == b.source[0]:
            continue
        corner = first.domain[0][max(a.across[0], 0)], first.domain[1][max(b.across[1], 0)]
        own: list[Any] = [None, None]
        own[a.source[0]], own[b.source[1]] = (corner[0] - a.offset[0]) / a.rates[0], (corner[1] - b.offset[1]) / b.rates[1]
        join = Join((b.source[0], a.source[1]), (b.rates[0], a.rates[1]), (b.offset[0], a.offset[1]))
        if _equal(join.at(own), corner):
            yield join, corner


# -- corners ------------------------------------------------------------------------------------------------------


def corner_join(first: SheetPiece, corner: Corner, second: SheetPiece, other: Corner) -> Join:
    """The join beyond a common corner."""
    (p, r), (q, s) = (_beyond(first, (k, corner[k]), second, (k, other[k])) for k in (0, 1))
    return Join(rates=(p, q), offset=(r, s), across=(2 * corner[0] - 1, 2 * corner[1] - 1))


def _corner(piece: SheetPiece, corner: Corner) -> tuple[Any, Any]:
    return piece.domain[0][corner[0]], piece.domain[1][corner[1]]


def _alike_corners(points: np.ndarray, near: float) -> Iterator[tuple[tuple[int, Corner], tuple[int, Corner]]]:
    """Pairs of different corners that seem to be the same point."""
    at = points[:, :2][:, :, :, [0, -1]].transpose(0, 1, 3, 2, 4).reshape(-1, 2, 3)
    for p, q in _close(at[:, 0], near):
        if np.abs(at[p] - at[q]).max() <= near:
            yield (p // 4, (p // 2 % 2, p % 2)), (q // 4, (q // 2 % 2, q % 2))


@interruptible()
def _same_corner(first: SheetPiece, corner: Corner, second: SheetPiece, other: Corner) -> bool:
    if first.net and second.net:
        a, b = (p.net[0][:, -c[0], -c[1]] for p, c in ((first, corner), (second, other)))
        return bool(np.array_equal(a, b))
    if first.surface is None or second.surface is None:
        return False
    ends = (_moved(p, _corner(p, c)) for p, c in ((first, corner), (second, other)))
    return all(_vanishes(e - f) for e, f in zip(*ends, strict=True))


def repeats(piece: SheetPiece, known: Sequence[Join]) -> bool:
    """Whether the formulas of a surface go on beyond its sides as these joins of it with itself say, so that places of the whole plane of
    parameters are those of the surface.
    """
    return all(map(functools.partial(_repeats, piece), known))


def _repeats(piece: SheetPiece, join: Join) -> bool:
    if join.source != (0, 1) or any(r not in (1, -1) for r in join.rates):
        return False
    turned = all(r == 1 or lo + hi == o for r, o, (lo, hi) in zip(join.rates, join.offset, piece.domain, strict=True))
    moved = _moved(piece, join.at((u, v)))
    return turned and all(_vanishes(e - f) for e, f in zip(moved, piece.expressions, strict=True))


# -- what is the same ---------------------------------------------------------------------------------------------


def _sampled(pieces: Sequence[SheetPiece], span: tuple[float, float]) -> np.ndarray:
    """(pieces, 4 sides, 2 times, shares, 3): points of the sides (u, 0), (u, 1), (v, 0), (v, 1), at two times."""
    out = np.empty((len(pieces), 4, 2, len(_SHARES), 3))
    moments = [span[0] + share * (span[1] - span[0]) for share in (0.0, 0.71)]
    for k, piece in enumerate(pieces):
        lo, hi = piece.outer.T
        share = [(end, s) if a == 0 else (s, end) for a, end in itertools.product((0, 1), (0, 1)) for s in _SHARES]
        at = np.repeat((lo + np.array(share) * (hi - lo)).reshape(4, 1, len(_SHARES), 2), 2, axis=1)
        time = np.broadcast_to(np.array(moments)[None, :, None, None], (4, 2, len(_SHARES), 1))
        rows = np.concatenate([at, time], axis=3).reshape(-1, 3)
        out[k] = piece.shape.place.points(rows, parameters=piece.numbers.mean(axis=1)).reshape(out.shape[1:])
    return out


def _close(points: np.ndarray, near: float) -> Iterator[tuple[int, int]]:
    """Pairs (p, q), p < q, of rows of points (n, 3) that are close."""
    finite = np.flatnonzero(np.isfinite(points).all(axis=1))
    if not len(finite):
        return
    pairs = np.sort(finite[sweep_and_prune(points[finite] - near, points[finite] + near)], axis=1)
    yield from (tuple(pair) for pair in pairs[np.lexsort(pairs.T[::-1])].tolist())


def _moved(piece: SheetPiece, own: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(e.xreplace({u: own[0], v: own[1]}) for e in piece.expressions)


def _equal(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return all(p == q or sp.expand(p - q) == 0 for p, q in zip(a, b, strict=True))


def _vanishes(e: Any) -> bool:
    """Whether e is shown to be zero. At some points first, in numbers: most sides do not coincide."""
    symbols = sorted(e.free_symbols, key=str)
    for k in range(1, 4):
        at = {s: sp.Rational(7 * k + 3 * j, 31) for j, s in enumerate(symbols)}
        if abs(complex(e.xreplace(at).evalf(20))) > 1e-9:
            return False
    return bool(sp.expand(e) == 0 or sp.simplify(e) == 0)


