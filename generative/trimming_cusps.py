"""Strips in cusps: where a loop comes back along the way that it came, with no angle, as at a rounded edge that runs out.

Triangles do not reach into a cusp. The strip between both pieces is a cell of its own, up to where it is `_THIN` times as high as at its
other end; the loop goes across there.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from .curve import Curve
from .pattern import Pattern
from .symbols import Parameter, u
from .trimming_pieces import Corner, LoopPiece, TrimCell, along, corner_of

# Strips end where they are so thin, against their other end; pieces leave a point in one direction if its sine is below this.
THIN, _ALIKE = 1e-9, 1e-6
# A strip reaches so far along the shorter piece, which turns by no more than this.
_SHARE, _TURN = 0.6, 0.5
# Where a piece has a height is found by cutting ranges in 32 so often.
_SECTIONS = 11

_N = tuple(Parameter(f"n{k}") for k in range(4))
SEGMENT = Pattern((_N[0] + u * (_N[2] - _N[0]), _N[1] + u * (_N[3] - _N[1]), sp.S.Zero), _N)
"""The straight line between two points, over 0 to 1."""


@dataclass(frozen=True, eq=False)
class Chord(LoopPiece):
    """The straight line from an end of a piece, `begin`, to where the next piece begins."""

    begin: Corner

    def halves(self) -> list[LoopPiece]:
        return [self]


def without_cusps(loops: Sequence[Sequence[LoopPiece]], scale: np.ndarray) -> tuple[list[list[LoopPiece]], list[TrimCell]]:
    """The loops, outer ones counterclockwise and holes clockwise, with chords across their cusps, and strips behind these."""
    found, strips = list[list[LoopPiece]](), list[TrimCell]()
    for loop in loops:
        pieces = list(loop)
        k = 0
        while k < len(pieces) > 1:
            cut = _cut(pieces[k - 1], pieces[k], scale, -4 * (len(strips) + 1))
            if cut is not None:
                before, chord, after, strip = cut
                pieces[k - 1], pieces[k] = before, after
                pieces.insert(k, chord)
                strips.append(strip)
                k += 1
            k += 1
        found.append(pieces)
    return found, strips


def _cut(before: LoopPiece, after: LoopPiece, scale: np.ndarray, number: int) -> tuple[LoopPiece, Chord, LoopPiece, TrimCell] | None:
    """The pieces that meet at a cusp without their ends there, the chord between, and the strip behind it."""
    inward, way = -before.sampled[1][-1] * scale, after.sampled[1][0] * scale
    sizes = np.hypot(*inward) * np.hypot(*way)
    if inward @ way <= 0.0 or abs(inward[0] * way[1] - inward[1] * way[0]) > _ALIKE * sizes:
        return None
    tip, axis = after.sampled[0][0] * scale, way / np.hypot(*way)
    back = before.back
    ends = [_SHARE * float(((_slightly(p).sampled[0][-1] * scale) - tip) @ axis) for p in (back, after)]
    far = min(ends)
    if not far > 0.0:
        return None
    places = [place_of(p, lambda q: (q * scale - tip) @ axis, far) for p in (back, after)]
    across = np.array([-axis[1], axis[0]])
    heights = [float((_at(p, s) * scale - tip) @ across) for p, s in zip((back, after), places, strict=True)]
    height = heights[0] - heights[1]
    if height <= 0.0:
        return None

    def thickness(x: float) -> float:
        own = [(_at(p, place_of(p, lambda q: (q * scale - tip) @ axis, x)) * scale - tip) @ across for p in (back, after)]
        return float(own[0] - own[1])

    near = far
    while thickness(near) > THIN * height and near > 1e-12 * far:
        near *= 0.5
    first = [place_of(p, lambda q: (q * scale - tip) @ axis, 2.0 * near) for p in (back, after)]
    mine, its = LoopPiece(after.curve, first[1], places[1]), LoopPiece(back.curve, first[0], places[0])
    rest, onward = LoopPiece(before.curve, before.first, places[0]), LoopPiece(after.curve, places[1], after.last)
    a, b = rest.sampled[0][-1].tolist(), onward.sampled[0][0].tolist()
    chord = Chord(Curve.of_pattern(SEGMENT, [*a, *b], (0, 1)), 0.0, 1.0, corner_of(rest, 1))
    strip = TrimCell(along(mine), along(its), (number, number + 1, number + 2, number + 3))
    return (rest, chord, onward, strip) if strip.grows else None


def _slightly(piece: LoopPiece) -> LoopPiece:
    """The beginning of a piece where it turns by little."""
    while piece.turning > _TURN:
        piece = piece.halves()[0]
    return piece


def _at(piece: LoopPiece, place: float) -> np.ndarray:
    return piece.curve.sampled([place])[0, :2]


def place_of(piece: LoopPiece, height: Any, least: float) -> float:
    """The parameter nearest to the beginning of a piece where a height of points (n, 2) that grows along it is at least this."""
    near, far = float(piece.first), float(piece.last)
    for _ in range(_SECTIONS):
        places = np.linspace(near, far, 33)
        above = height(piece.curve.sampled(places.tolist())[:, :2]) >= least
        k = max(int(np.argmax(above)), 1)
        near, far = float(places[k - 1]), float(places[k])
    return far
