"""Cells between curves in the plane of u and v, into which the region inside closed loops is cut.

Where cells are is found in doubles; `trimmed` proves that they are.
"""

import itertools
from collections.abc import Sequence

import numpy as np
import sympy as sp

from .pattern import exactly
from .triangulation import Triangle, crossing_sides, triangulation, winding
from .trimming_cusps import THIN, Chord, place_of, without_cusps
from .trimming_pieces import CellBorder, Coordinate, Corner, LoopPiece, TrimCell, along, corner_of, point, sample, straight

# A piece turns by no more than this, radian; so many rounds of halving pieces.
_TURN, _ROUNDS = 1.7, 9
# Points beside pieces are taken after so many rounds.
_PATIENCE = 3
# Two triangles become one cell where its determinant varies by no more than this factor.
_VARIES = 12.0
# Points beside a piece are so far from it, against its length.
_INWARDS = 0.4
_UNCUT = "the region inside the loops could not be cut into cells: do the loops touch or cross, or pieces of one meet without an angle?"
class _Plan:
    """Pieces of loops, and triangles between their ends."""

    def __init__(self, loops: Sequence[Sequence[LoopPiece]], scale: Sequence[float]) -> None:
        self.scale = np.array(scale)
        loops, self.strips = without_cusps(loops, self.scale)
        self.loops = [[part for piece in loop for part in _flat_enough(piece)] for loop in loops]
        self.beside = False

    def cells(self) -> list[TrimCell]:
        """Cells in doubles; ValueError where none are found."""
        for k in range(_ROUNDS):
            found, bad = self._attempt()
            if not bad:
                return found + self.strips
            self.beside = self.beside or (bool(found) and k >= _PATIENCE)
            numbers = itertools.count()
            self.loops = [[part for piece in loop for part in (piece.halves() if next(numbers) in bad else [piece])] for loop in self.loops]
        raise ValueError(_UNCUT)

    def _attempt(self) -> tuple[list[TrimCell], set[int]]:
        """Cells, and the pieces that must be halved before there are cells everywhere."""
        self.pieces = pieces = [piece for loop in self.loops for piece in loop]
        sample(pieces)
        self.corners: list[Corner] = [piece.begin if isinstance(piece, Chord) else corner_of(piece, 0) for piece in pieces]
        self.near = np.array([piece.sampled[0][0] for piece in pieces])
        rings, begin = [], 0
        for loop in self.loops:
            rings.append(list(range(begin, begin + len(loop))))
            begin += len(loop)
        crossing = crossing_sides(self.near * self.scale, rings)
        if crossing:
            curved = {k for k in crossing if not pieces[k].straight}
            if not curved:
                raise ValueError(_UNCUT)
            return [], curved
        self.follows = {(ring[k - 1], ring[k]): ring[k - 1] for ring in rings for k in range(len(ring))}
        if self.beside:
            for place in self._beside(rings):
                self.corners.append(point(*place))
                self.near = np.vstack([self.near, place])
        triangles = triangulation(self.near * self.scale, rings)
        triangles = [part for triangle in triangles for part in self._starred(triangle)]
        single = [self._pointed(triangle) for triangle in triangles]
        bad = {side.number for cell in single if cell.varies == float("inf") for side in (cell.low,) if side.number is not None}
        if not bad and any(cell.varies == float("inf") for cell in single):
            raise ValueError("a triangle between the ends of pieces has no area")
        return (single if bad else self._merged(triangles, single)), bad

    def _beside(self, rings: Sequence[Sequence[int]]) -> list[list[float]]:
        """Points inside, each beside a piece that bulges inwards: from other corners not all of such a piece may be seen."""
        outlines = [np.concatenate([self.pieces[k].sampled[0][:-1] for k in ring]).tolist() for ring in rings]
        found = []
        for piece in self.pieces:
            if piece.straight:
                continue
            points = piece.sampled[0] * self.scale
            chord = points[-1] - points[0]
            way = np.array([-chord[1], chord[0]])
            bulge = float(((points - points[0]) @ way).max() / (chord @ chord))
            if bulge <= 1e-6:
                continue
            place = ((points[0] + 0.5 * chord + max(_INWARDS, 2.0 * bulge) * way) / self.scale).tolist()
            if sum(winding(outline, *place) for outline in outlines) > 0:
                found.append(place)
        return found

    def _curved(self, a: int, b: int) -> bool:
        return (a, b) in self.follows and not self.pieces[a].straight

    def _starred(self, triangle: Triangle) -> list[Triangle]:
        """A triangle, or three round its centre where more than one of its sides is curved."""
        a, b, c = triangle
        if sum(self._curved(*side) for side in ((a, b), (b, c), (c, a))) < 2:
            return [triangle]
        middle = self.near[list(triangle)].mean(axis=0)
        self.corners.append(point(*middle.tolist()))
        self.near = np.vstack([self.near, middle])
        centre = len(self.near) - 1
        return [(a, b, centre), (b, c, centre), (c, a, centre)]

    def border(self, a: int, b: int) -> CellBorder:
        """From point a to point b: a piece of a loop, or a straight line."""
        if (a, b) in self.follows and not isinstance(self.pieces[a], Chord):
            return along(self.pieces[a], a)
        return straight(self.corners[a], self.corners[b])

    def _pointed(self, triangle: Triangle) -> TrimCell:
        """A triangle as a cell over its curved side, or its longest one."""
        a, b, c = triangle
        turned = [(a, b, c), (b, c, a), (c, a, b)]

        def rank(way: Triangle) -> tuple[bool, bool, float]:
            side = (self.near[way[1]] - self.near[way[0]]) * self.scale
            return self._curved(way[0], way[1]), (way[0], way[1]) in self.follows, float(side @ side)

        a, b, c = max(turned, key=rank)
        return TrimCell(self.border(a, b), straight(self.corners[c], self.corners[c]), (a, b, c))

    def _merged(self, triangles: Sequence[Triangle], single: Sequence[TrimCell]) -> list[TrimCell]:
        """Cells with two triangles each, the most even ones first, and the triangles that are left."""
        users: dict[tuple[int, int], int] = {(a, b): k for k, t in enumerate(triangles) for a, b in zip(t, (*t[1:], t[0]), strict=True)}
        found = []
        for (a, b), k in users.items():
            other = users.get((b, a))
            if other is not None and a < b:
                (c,), (d,) = set(triangles[k]) - {a, b}, set(triangles[other]) - {a, b}
                cell = self._strip((a, d, b, c))
                if cell is not None:
                    found.append((cell.varies, k, other, cell))
        found.sort(key=lambda e: e[:3])
        free, cells = set(range(len(triangles))), []
        for _, k, other, cell in found:
            if k in free and other in free:
                free -= {k, other}
                cells.append(cell)
        return cells + [single[k] for k in sorted(free)]

    def _strip(self, ring: tuple[int, int, int, int]) -> TrimCell | None:
        """The cell of four corners, between opposite sides of which the other two are straight."""
        ways = [ring, (*ring[1:], ring[0])]
        for a, b, c, d in sorted(ways, key=lambda w: -sum(self._curved(*side) for side in ((w[0], w[1]), (w[2], w[3])))):
            if self._curved(b, c) or self._curved(d, a):
                continue
            cell = TrimCell(self.border(a, b), self.border(c, d).back, (a, b, c, d))
            if cell.varies <= _VARIES:
                return cell
        return None


def cells(loops: Sequence[Sequence[LoopPiece]], scale: Sequence[float]) -> list[TrimCell]:
    """Cells of the region between loops, outer ones counterclockwise and holes clockwise; lengths along u and v are multiplied by `scale`.

    Raises ValueError where loops cross or no cells are found.
    """
    whole = _ring(loops)
    return [whole] if whole is not None else _columns(loops) or _Plan(loops, scale).cells()


def _columns(loops: Sequence[Sequence[LoopPiece]]) -> list[TrimCell]:
    """The region as strips across, where one loop runs along a line of constant u or v, and back along curves above that: none if not.

    Curves may come down to the line with no angle. There the cells end where they are `THIN` times as high as they are long.
    """
    for axis in (0, 1) if len(loops) == 1 else ():
        ways = [_monotone(piece, axis) for piece in loops[0]]
        sides = [[piece for piece, way in zip(loops[0], ways, strict=True) if way == sign] for sign in (1, -1)]
        for base, above in (sides, sides[::-1]) if None not in ways and all(sides) else ():
            levels = np.concatenate([piece.sampled[0][:, 1 - axis] for piece in base])
            if np.ptp(levels) > 1e-12 * (1.0 + np.abs(levels).max()):
                continue
            high = max(float(np.abs(piece.sampled[0][:, 1 - axis] - levels[0]).max()) for piece in above)
            if any(piece.straight and np.abs(piece.sampled[0][[0, -1], 1 - axis] - levels[0]).min() < THIN * high for piece in above):
                continue
            parts = [part for piece in above for part in _flat_enough(piece)]
            level = corner_of(base[0], 0)[1 - axis]
            found = [_column(part, level, axis, high, 4 * k) for k, part in enumerate(parts)]
            if all(cell.grows for cell in found):
                return found
    return []


def _monotone(piece: LoopPiece, axis: int) -> int | None:
    """1 or -1 where a coordinate grows or falls along a piece, 0 where it is constant; None for others."""
    points, slopes = piece.sampled
    if np.ptp(points[:, axis]) <= 1e-12 * np.abs(points).max():
        return 0
    return 1 if (slopes[:, axis] > 0).all() else -1 if (slopes[:, axis] < 0).all() else None


def _column(piece: LoopPiece, level: Coordinate, axis: int, high: float, number: int) -> TrimCell:
    """The strip between a piece and the line at a level, to the left of the piece."""
    ends = [piece.first, piece.last]
    height = np.abs(piece.sampled[0][:, 1 - axis] - level.near)
    for k in (0, 1):
        if height[-k] < THIN * high:
            ends[k] = _high_enough(piece, level.near, axis, THIN * high, k)
    own = LoopPiece(piece.curve, *ends)
    first, last = (tuple(level if k != axis else c for k, c in enumerate(corner_of(own, end))) for end in (0, 1))
    return TrimCell(along(own), straight(first, last), (number, number + 1, number + 2, number + 3))  # type: ignore[arg-type]


def _high_enough(piece: LoopPiece, level: float, axis: int, least: float, end: int) -> float:
    """Nearest to an end, a parameter of a piece where it is higher than this above a level."""
    own = piece if end == 0 else piece.back
    return place_of(own, lambda points: np.abs(points[:, 1 - axis] - level), least)


def _ring(loops: Sequence[Sequence[LoopPiece]]) -> TrimCell | None:
    """The region as one closed cell: between two closed curves, or between one and its centre, where that is seen to work."""
    if len(loops) > 2 or any(len(loop) != 1 or not loop[0].closes for loop in loops):
        return None
    outer, *inner = sorted((loop[0] for loop in loops), key=lambda p: -float(np.ptp(p.sampled[0], axis=0).max()))
    if not inner:
        centre = point(*outer.sampled[0][:-1].mean(axis=0).tolist())
        cell = TrimCell(along(outer), straight(centre, centre), (0, 0, 1), True)
    else:
        cell = TrimCell(along(outer), along(_alongside(inner[0], outer)), (0, 0, 1, 1), True)
    return cell if cell.varies <= _VARIES else None


def _alongside(inner: LoopPiece, outer: LoopPiece) -> LoopPiece:
    """A closed curve run through as another one is round it, from where that is nearest."""
    back = inner.back
    (mine, _), (its, _) = back.sampled, outer.sampled
    centre = mine[:-1].mean(axis=0)
    (a, b), (c, d) = mine[0] - centre, its[0] - centre
    shift = float(np.arctan2(d, c) - np.arctan2(b, a)) % (2 * np.pi) / (2 * np.pi)
    if min(shift, 1.0 - shift) < 1e-12:
        return back
    # Counterclockwise, as the outer one is.
    first, last = exactly(back.first), exactly(back.last)
    step = sp.Rational(shift) * (last - first)
    return LoopPiece(back.curve, first + step, last + step)


def _flat_enough(piece: LoopPiece) -> list[LoopPiece]:
    if piece.turning <= _TURN:
        return [piece]
    return [part for half in piece.halves() for part in _flat_enough(half)]


def oriented(loops: Sequence[Sequence[LoopPiece]]) -> list[list[LoopPiece]]:
    """The loops with outer ones counterclockwise and holes clockwise, by how many others each is in."""
    sample(piece for loop in loops for piece in loop)
    rings = [np.concatenate([piece.sampled[0][:-1] for piece in loop]).tolist() for loop in loops]
    found = []
    for k, (loop, ring) in enumerate(zip(loops, rings, strict=True)):
        depth = sum(winding(other, *ring[0]) != 0 for j, other in enumerate(rings) if j != k)
        area = sum(a * d - c * b for (a, b), (c, d) in zip(ring, [*ring[1:], ring[0]], strict=True))
        forwards = (area > 0) == (depth % 2 == 0)
        found.append(list(loop) if forwards else [p.back for p in reversed(loop)])
    return found
