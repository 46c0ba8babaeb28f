"""Leaves that are one surface as one leaf, within a box round the bounds of all of them."""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from .implicit import Bounds, ImplicitSurface
from .motion import Motion
from .regularized import Untold
from .symbols import t, x

# By so little of their size, on each side, bounds that are turned by numbers that are rounded are widened.
_WIDER = 64


def joined(leaves: Sequence[tuple[ImplicitSurface, Motion]], upright: bool) -> ImplicitSurface:
    """One leaf for leaves, each with its frame, that are one surface, within a box round the bounds of all; `upright`: it is inside where
    the first one is.
    """
    first, frame = leaves[0]
    boxes = dict.fromkeys(leaf.bounds if own == frame else _seen(leaf.bounds, frame.inverse() @ own) for leaf, own in leaves)
    bounds = tuple(_hull([box[c] for box in boxes]) for c in range(3)) if len(boxes) > 1 else first.bounds
    whole = first if bounds == first.bounds else ImplicitSurface(first.body, bounds, motion=first.motion, name=first.name)
    return whole if upright else whole.complement()


def _seen(bounds: Bounds, way: Motion) -> Bounds:
    """A box round bounds that are turned and shifted, at all times; of numbers that are no fractions a wider one."""
    first, second, third = (_reach(row, shift, bounds) for row, shift in zip(way.rotation.tolist(), way.translation, strict=True))
    return first, second, third


def _reach(row: Sequence[Any], shift: Any, bounds: Bounds) -> tuple[Any, Any]:
    """Between which values row . p + shift is, of points p within bounds."""
    if shift.has(t):
        raise Untold("these leaves shift against each other in time, so no box holds them at all times")
    whole = any(e.has(t) for e in row)
    if whole:
        # The row is of length 1.
        far = sum(float(sp.Max(abs(lo), abs(hi))) ** 2 for lo, hi in bounds) ** 0.5
        row, bounds = (sp.S.One, sp.S.Zero, sp.S.Zero), ((sp.Rational(-far), sp.Rational(far)), *bounds[1:])
    rounded = whole or not all(e.is_Rational or e.free_symbols for e in (*row, shift))
    if rounded:
        row, shift = [sp.Rational(float(e)) for e in row], sp.Rational(float(shift))
    lows, highs = zip(*((sp.Min(r * lo, r * hi), sp.Max(r * lo, r * hi)) for r, (lo, hi) in zip(row, bounds, strict=True)), strict=True)
    lo, hi = sum(lows) + shift, sum(highs) + shift
    more = (hi - lo) / _WIDER if rounded else sp.S.Zero
    return lo - more, hi + more


def _hull(ranges: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    return sp.Min(*(lo for lo, _ in ranges)), sp.Max(*(hi for _, hi in ranges))


def all_or_nothing(everything: bool, leaf: ImplicitSurface) -> ImplicitSurface:
    """A body without a surface, within the bounds of a leaf: with a function that is nowhere 0."""
    nothing = ImplicitSurface(x**2 + 1, leaf.bounds, motion=leaf.motion)
    return nothing.complement() if everything else nothing
