"""Loops of pieces cut along lines of constant u or v, as at the knots of a spline surface."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.optimize import brentq

from ..trimming_pieces import LoopPiece
from .curves import Unread, moved, segment

Loop = list[LoopPiece]
_SAMPLES = 33
# Against the range of a coordinate, what is nearer to the line than this is on it.
_ON = 1e-9


def clipped(loops: Sequence[Loop], axis: int, value: float, above: bool) -> list[Loop]:
    """The region inside loops where coordinate `axis` is above `value` or below it, as loops that run along the line there."""
    found: list[Loop] = []
    chains: list[Loop] = []
    for loop in loops:
        pieces = [part for c in loop for part in _cut(c, axis, value)]
        kept = [(_middle(c)[axis] > value) == above for c in pieces]
        if all(kept):
            found.append(pieces)
        elif any(kept):
            first = next(k for k in range(len(pieces)) if kept[k] and not kept[k - 1])
            run: Loop = []
            for k in range(len(pieces)):
                if kept[(first + k) % len(pieces)]:
                    run.append(pieces[(first + k) % len(pieces)])
                elif run:
                    chains.append(run)
                    run = []
            chains += [run] if run else []
    return found + _linked(chains, 1 - axis)


def _linked(chains: list[Loop], along: int) -> list[Loop]:
    """Chains that begin and end on a line, joined along it: between its first and second point, its third and fourth, and all further
    pairs.
    """
    places = sorted([(_end(c[0], 0)[along], k, 0) for k, c in enumerate(chains)] + [(_end(c[-1], 1)[along], k, 1)
                                                                                  for k, c in enumerate(chains)])
    partner = {}
    for (_, k, end), (_, j, other) in zip(places[::2], places[1::2], strict=True):
        partner[k, end], partner[j, other] = (j, other), (k, end)
    left, found = set(range(len(chains))), []
    while left:
        k = start = min(left)
        loop: Loop = []
        while True:
            left.discard(k)
            loop += chains[k]
            j, end = partner[k, 1]
            if end != 0:
                raise Unread("its loops run along a knot line in a way that is not understood")
            a, b = _end(chains[k][-1], 1), _end(chains[j][0], 0)
            if (a != b).any():
                loop.append(segment(a, b))
            k = j
            if k == start or k not in left:
                break
        found.append(loop)
    return found


def _cut(c: LoopPiece, axis: int, value: float) -> Loop:
    """A piece cut where it crosses the line; its ends there are moved onto it, by less than rounding."""
    first, last = float(c.first), float(c.last)

    def height(s: float) -> float:
        return float(c.curve.sampled([first + s * (last - first)])[0, axis]) - value

    places = np.linspace(0.0, 1.0, _SAMPLES).tolist()
    heights = (c.curve.sampled(first + np.array(places) * (last - first))[:, axis] - value).tolist()
    near = _ON * (1.0 + max(map(abs, heights)))
    if max(map(abs, heights)) <= near or min(heights) > near or max(heights) < -near:
        return [c]
    roots = [brentq(height, a, b, xtol=1e-15) for (a, b), (p, q) in zip(pairwise(places), pairwise(heights), strict=True)
             if p * q < 0.0 and abs(p) > near and abs(q) > near]
    roots += [s for s, h in list(zip(places, heights, strict=True))[1:-1] if abs(h) <= near]
    inside = [first + s * (last - first) for s in sorted(set(roots)) if min(s, 1.0 - s) > _ON]
    return [_onto(LoopPiece(c.curve, a, b), axis, value, near) for a, b in pairwise([c.first, *inside, c.last])]


def _onto(c: LoopPiece, axis: int, value: float, near: float) -> LoopPiece:
    points, _ = c.sampled
    off = np.zeros((2, 2))
    off[:, axis] = value - points[[0, -1], axis]
    off[np.abs(off) > near] = 0.0
    return moved(c, *off) if off.any() else c


def _middle(c: LoopPiece) -> np.ndarray:
    return c.sampled[0][4]


def _end(c: LoopPiece, k: int) -> np.ndarray:
    return c.sampled[0][-k]
