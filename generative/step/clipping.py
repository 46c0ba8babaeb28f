"""Loops of curves cut along lines of constant u or v, as at the knots of a spline surface."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp
from scipy.optimize import brentq

from codegen.given import lambdified

from ..curve import Curve, line
from ..symbols import u

Loop = list[Curve]
_SAMPLES = 33
# Against the range of a coordinate, what is nearer to the line than this is on it.
_ON = 1e-9


def clipped(loops: Sequence[Loop], axis: int, value: Any, above: bool) -> list[Loop]:
    """The region inside loops where coordinate `axis` is above `value` or below it, as loops that run along the line there."""
    found: list[Loop] = []
    chains: list[Loop] = []
    for loop in loops:
        pieces = [part for c in loop for part in _cut(c, axis, value)]
        kept = [_middle(c)[axis] > float(value) if above else _middle(c)[axis] < float(value) for c in pieces]
        if all(kept):
            found.append(pieces)
        elif any(kept):
            first = next(k for k in range(len(pieces)) if kept[k] and not kept[k - 1])
            turned = [*zip(pieces[first:], kept[first:], strict=True), *zip(pieces[:first], kept[:first], strict=True)]
            run: Loop = []
            for c, own in [*turned, (None, False)]:
                if own:
                    run.append(c)  # type: ignore[arg-type]
                elif run:
                    chains.append(run)
                    run = []
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
                raise ValueError("the loops run along a knot line in a way that is not understood")
            a, b = chains[k][-1].at(chains[k][-1].domain[1]), chains[j][0].at(chains[j][0].domain[0])
            if a != b:
                loop.append(line(a, b))
            k = j
            if k == start or k not in left:
                break
        found.append(loop)
    return found


def _cut(c: Curve, axis: int, value: Any) -> Loop:
    """A curve cut where it crosses the line; its ends there are moved onto it, by less than rounding."""
    lo, hi = map(float, c.domain)
    function = lambdified([u], [c.expressions[axis] - value], "math")

    def height(s: float) -> float:
        return float(function(s)[0])

    places = np.linspace(lo, hi, _SAMPLES).tolist()
    heights = [height(s) for s in places]
    near = _ON * (1.0 + max(map(abs, heights)))
    if max(map(abs, heights)) <= near:
        return [c]
    roots = [brentq(height, a, b, xtol=1e-15) for (a, p), (b, q) in zip(pairwise(places), pairwise(heights), strict=True)
             if p * q < 0.0 and height(a) * height(b) < 0.0 and abs(p) > near and abs(q) > near]
    roots += [s for s, h in list(zip(places, heights, strict=True))[1:-1] if abs(h) <= near]
    inside = (s for s in sorted(set(roots)) if min(s - lo, hi - s) > _ON * (hi - lo))
    ends = [c.domain[0], *map(sp.Rational, inside), c.domain[1]]
    return [_onto(Curve(c.expressions, (a, b)), axis, value, near) for a, b in pairwise(ends)]


def _onto(c: Curve, axis: int, value: Any, near: float) -> Curve:
    ends = [c.at(e)[axis] for e in c.domain]
    off = [value - e if abs(float(e - value)) <= near else sp.S.Zero for e in ends]
    if not any(off):
        return c
    lo, hi = c.domain
    share = (u - lo) / (hi - lo)
    moved = list(c.expressions)
    moved[axis] = moved[axis] + off[0] * (1 - share) + off[1] * share
    return Curve(moved, c.domain)


def _middle(c: Curve) -> tuple[float, ...]:
    return tuple(float(e) for e in c.at(sum(c.domain) / 2))


def _end(c: Curve, k: int) -> tuple[float, ...]:
    return tuple(float(e) for e in c.at(c.domain[k]))
