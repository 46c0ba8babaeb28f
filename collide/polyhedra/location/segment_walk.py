"""A segment goes down the tree of an index, in rational numbers: it comes in pieces, open intervals of it and single points between them.

At a node a piece is cut where it meets the plane. What is on the plane is classified as points are (`point_walk`).
"""

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..exact.planes import Point, place, value
from .nodes import IndexTree
from .point_walk import better

_ZERO, _ONE = Fraction(0), Fraction(1)


class SegmentPiece(NamedTuple):
    """The points at `begin` < s < `end` of a segment, or the one at `begin` = `end`; and the leaf that they come to."""

    begin: Fraction
    end: Fraction
    leaf: int = 0


class HomogeneousSegment:
    """From `first` to `last`, two homogeneous points of which W is the same."""

    def __init__(self, tree: IndexTree, first: Point, last: Point, tolerance: float = 0.0) -> None:
        self.tree, self.ends, self.tolerance = tree, (first, last), tolerance
        self.children = tree.child

    def at(self, s: Fraction) -> tuple[Fraction, Fraction, Fraction]:
        """A point of it."""
        mixed = [s.numerator * q + (s.denominator - s.numerator) * p for p, q in zip(*self.ends, strict=True)]
        return place((mixed[0], mixed[1], mixed[2], mixed[3]), self.tree.entities.scaled.bits)

    def pieces(self) -> list[SegmentPiece]:
        """All of it, in order: as few pieces as there are."""
        whole = [SegmentPiece(_ZERO, _ZERO)]
        if self.ends[0] != self.ends[1]:
            whole += [SegmentPiece(_ZERO, _ONE), SegmentPiece(_ONE, _ONE)]
        return _joined([found for piece in whole for found in self.down(0, piece, True)])

    def down(self, n: int, piece: SegmentPiece, clean: bool) -> list[SegmentPiece]:
        """A piece from node n on; `clean`: it is in the region, not on its border."""
        if n < 0:
            return [piece._replace(leaf=n)]
        above, on, below = self.children[n].tolist()
        found = list[SegmentPiece]()
        for part, side in self._sides(n, piece):
            if side:
                found += self.down(above if side > 0 else below, part, clean)
            else:
                for own in self.down(on, part, False):
                    if clean and own.leaf <= -8:
                        found.append(own)
                    else:
                        found += _least([own], self.down(above, own, False), self.down(below, own, False))
        return found

    def _sides(self, n: int, piece: SegmentPiece) -> Iterator[tuple[SegmentPiece, int]]:
        """The parts of a piece above (1), on and below the plane of a node, in order."""
        plane = self.tree.plane(n)
        a, b = (value(plane, end) for end in self.ends)
        within = self.tree.within(n, self.tolerance) * self.ends[0][3] if self.tolerance else 0
        first, last = (a * (s.denominator - s.numerator) + b * s.numerator for s in (piece.begin, piece.end))
        if min(a, b) > within or (not within and min(first, last) >= 0 < max(first, last)):
            yield piece, 1
        elif max(a, b) < -within or (not within and max(first, last) <= 0 > min(first, last)):
            yield piece, -1
        elif not within and first == last == 0:
            yield piece, 0
        else:
            cuts = sorted({Fraction(level - a) / (b - a) for level in (within, -within)}) if a != b else []
            marks = [piece.begin, *(s for s in cuts if piece.begin < s < piece.end), piece.end]
            for k, (begin, end) in enumerate(itertools.pairwise(marks)):
                if k:
                    yield SegmentPiece(begin, begin), 0
                middle = a + (begin + end) / 2 * (b - a)
                yield SegmentPiece(begin, end), 0 if abs(middle) <= within else 1 if middle > 0 else -1


def _least(*layers: Sequence[SegmentPiece]) -> list[SegmentPiece]:
    """Several classifications of one piece as one, of least dimension everywhere."""
    found = list(layers[0])
    for layer in layers[1:]:
        marks = sorted({s for p in (*found, *layer) for s in (p.begin, p.end)})
        points = layer[0].begin == layer[-1].end
        cells = [SegmentPiece(marks[0], marks[0])] if points else [cell for k, (a, b) in enumerate(itertools.pairwise(marks))
                                                            for cell in ([SegmentPiece(a, a)] if k else []) + [SegmentPiece(a, b)]]
        found = [c._replace(leaf=better(_leaf(found, c), _leaf(layer, c))) for c in cells]
    return found


def _leaf(pieces: Sequence[SegmentPiece], cell: SegmentPiece) -> int:
    """The leaf that a cell is in."""
    if cell.begin == cell.end:
        return next(p.leaf for p in pieces if p.begin == cell.begin == p.end or p.begin < cell.begin < p.end)
    return next(p.leaf for p in pieces if p.begin <= cell.begin < cell.end <= p.end)


def _joined(pieces: Sequence[SegmentPiece]) -> list[SegmentPiece]:
    """Neighbours of one leaf as one."""
    found = [pieces[0]]
    for p in pieces[1:]:
        if p.leaf == found[-1].leaf:
            found[-1] = found[-1]._replace(end=p.end)
        else:
            found.append(p)
    return found
