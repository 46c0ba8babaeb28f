"""Pieces of loops in the plane of u and v, and cells between two of them.

A cell lies between two borders over the same parameter s from 0 to 1, each a straight line, a piece of a loop or a point: its points are
(1 - w) L(s) + w H(s), w from 0 to 1. Here pieces and cells are looked at in doubles; their formulas are written when they are wanted.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from .curve import Curve
from .pattern import exactly, sampled
from .seams import turns
from .surface import ParametricSurface
from .symbols import u, v

# Shares of a border at which it is looked at in doubles.
SHARES = np.linspace(0.0, 1.0, 9)

Path = tuple[Any, Any]


@dataclass(frozen=True)
class LoopPiece:
    """A curve in the plane of u and v between two of its parameters, exact numbers or doubles."""

    curve: Curve
    first: Any
    last: Any

    @property
    def key(self) -> tuple[Any, ...]:
        """All that its path is made of."""
        return self.curve.pattern, self.curve.numbers, self.first, self.last

    @cached_property
    def path(self) -> Path:
        """u and v as expressions of u from 0 to 1."""
        first = exactly(self.first)
        a, b, _ = self.curve.at(first + u * (exactly(self.last) - first))
        return a, b

    @cached_property
    def ends(self) -> tuple[Path, Path]:
        (a, b, _), (c, d, _) = self.curve.at(exactly(self.first)), self.curve.at(exactly(self.last))
        return (a, b), (c, d)

    @cached_property
    def sampled(self) -> tuple[np.ndarray, np.ndarray]:
        """Some of its points and of its derivatives by the share of the way, (9, 2) each."""
        first, last = float(self.first), float(self.last)
        rows = self.curve.sampled(first + SHARES * (last - first))
        return rows[:, :2], rows[:, 3:5] * (last - first)

    @cached_property
    def straight(self) -> bool:
        """Whether it is seen to be a straight line at constant speed, in doubles."""
        _, slopes = self.sampled
        return bool(np.abs(slopes - slopes[0]).max() <= 1e-12 * np.abs(slopes).max())

    @cached_property
    def closes(self) -> bool:
        """Whether it is a closed curve that is proved to have the length of its range as a period."""
        points, _ = self.sampled
        if np.abs(points[0] - points[-1]).max() > 1e-9 * np.ptp(points, axis=0).max():
            return False
        a, b, _ = self.curve.expressions
        ends = sorted((exactly(self.first), exactly(self.last)))
        return turns(ParametricSurface([a, b, 0], {u: ends, v: (0, 1)}), u) == 1

    @property
    def turning(self) -> float:
        """About the angle by which it turns."""
        _, slopes = self.sampled
        ways = np.arctan2(slopes[:, 1], slopes[:, 0])
        return float(np.abs((np.diff(ways) + np.pi) % (2 * np.pi) - np.pi).sum())

    @property
    def back(self) -> "LoopPiece":
        return LoopPiece(self.curve, self.last, self.first)

    def halves(self) -> list["LoopPiece"]:
        middle = (self.first + self.last) / 2
        return [LoopPiece(self.curve, self.first, middle), LoopPiece(self.curve, middle, self.last)]

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


def sample(pieces: Iterable[LoopPiece]) -> None:
    """Look at pieces in doubles, all that have the same pattern at once."""
    groups: dict[Any, list[LoopPiece]] = {}
    for piece in pieces:
        if "sampled" not in piece.__dict__ and piece.curve.numbers:
            groups.setdefault(piece.curve.pattern, []).append(piece)
    for own in groups.values():
        ends = np.array([(float(p.first), float(p.last)) for p in own])
        lengths = ends[:, 1:] - ends[:, :1]
        rows = sampled(own[0].curve.pattern, [p.curve.numbers for p in own], ends[:, :1] + SHARES * lengths)
        rows[:, :, 3:] *= lengths[:, :, None]
        for piece, row in zip(own, rows, strict=True):
            piece.__dict__["sampled"] = row[:, :2], row[:, 3:5]


class Coordinate(NamedTuple):
    """A coordinate of a point: that of an end (0 or 1) of a piece, or a double."""

    near: float
    piece: LoopPiece | None = None
    end: int = 0
    axis: int = 0

    @property
    def key(self) -> tuple[Any, ...]:
        """All that it is made of."""
        return (self.near,) if self.piece is None else (self.piece.key, self.end, self.axis)

    @property
    def exact(self) -> Any:
        return sp.Rational(self.near) if self.piece is None else self.piece.ends[self.end][self.axis]


Corner = tuple[Coordinate, Coordinate]


def corner_of(piece: LoopPiece, end: int) -> Corner:
    """An end of a piece."""
    a, b = piece.sampled[0][-end].tolist()
    return Coordinate(a, piece, end, 0), Coordinate(b, piece, end, 1)


@dataclass(frozen=True, eq=False)
class CellBorder:
    """A side of a cell, from s = 0 to 1: a `piece` of a loop, or the straight line between two corners. `number`: that of the piece."""

    points: np.ndarray
    slopes: np.ndarray
    piece: LoopPiece | None = None
    corners: tuple[Corner, Corner] | None = None
    number: int | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """All that its path is made of."""
        return self.piece.key if self.piece is not None else tuple(c.key for corner in self.corners or () for c in corner)

    @cached_property
    def path(self) -> Path:
        """Two expressions of u, which is s."""
        if self.piece is not None:
            return self.piece.path
        assert self.corners is not None
        first, last = (tuple(c.exact for c in corner) for corner in self.corners)
        a, b = (p + u * (q - p) for p, q in zip(first, last, strict=True))
        return a, b

    @property
    def back(self) -> "CellBorder":
        piece, corners = self.piece and self.piece.back, self.corners and self.corners[::-1]
        return CellBorder(self.points[::-1], -self.slopes[::-1], piece, corners, self.number)


def along(piece: LoopPiece, number: int | None = None) -> CellBorder:
    """A piece as a border."""
    return CellBorder(*piece.sampled, piece, None, number)


def straight(first: Corner, last: Corner) -> CellBorder:
    """The straight line between two corners as a border."""
    begin, end = (np.array([c.near for c in corner]) for corner in (first, last))
    way = end - begin
    return CellBorder(begin + SHARES[:, None] * way, np.tile(way, (len(SHARES), 1)), None, (first, last))


def point(a: float, b: float) -> Corner:
    """The point with these coordinates."""
    return Coordinate(a), Coordinate(b)


_ZERO, _ONE = sp.S.Zero, sp.S.One
# The low side, that at s = 1, the high one and that at s = 0, counterclockwise, as expressions of u in the parameters of a cell.
_SIDES: tuple[Path, ...] = (u, _ZERO), (_ONE, u), (1 - u, _ONE), (_ZERO, 1 - u)


@dataclass(frozen=True, eq=False)
class TrimCell:
    """The points between two borders. `corners`: the numbers of the ends of the low border, and then of the end or ends of the high one,
    counterclockwise. `closed`: both borders are closed curves, or the high one is a point.
    """

    low: CellBorder
    high: CellBorder
    corners: tuple[int, ...]
    closed: bool = False

    @cached_property
    def _determinants(self) -> np.ndarray:
        across = self.high.points - self.low.points
        found = np.array([s[:, 0] * across[:, 1] - s[:, 1] * across[:, 0] for s in (self.low.slopes, self.high.slopes)])
        return found[:1] if self.pointed else found

    @property
    def pointed(self) -> bool:
        """Whether the high border is a point."""
        return len(self.corners) == 3

    @cached_property
    def varies(self) -> float:
        """The factor by which the determinant of the map varies, about; infinite where it is not positive."""
        low, high = float(self._determinants.min()), float(self._determinants.max())
        return high / low if low > 1e-9 * high > 0.0 else math.inf

    @property
    def grows(self) -> bool:
        """Whether its determinant is seen to be positive, by more than rounding."""
        return bool(self._determinants.min() > 1e-12 * self._determinants.max())

    @property
    def key(self) -> tuple[Any, ...]:
        """All that its map is made of."""
        return self.low.key, self.high.key

    @property
    def path(self) -> Path:
        """The map: two expressions of u, which is s, and of v, which is w."""
        a, b = (e + v * (h - e) for e, h in zip(self.low.path, self.high.path, strict=True))
        return a, b

    @property
    def sides(self) -> Sequence[tuple[tuple[int, int], Path]]:
        """Its straight or curved sides counterclockwise: the numbers of the corners, and the side."""
        if self.closed:
            return [((0, 0), _SIDES[0]), ((1, 1), _SIDES[2])][:1 if self.pointed else 2]
        paths = (_SIDES[0], _SIDES[1], _SIDES[3]) if self.pointed else _SIDES
        return list(zip(zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True), paths, strict=True))
