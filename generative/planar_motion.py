"""Motions that keep the plane z = 0: turns about z and shifts along x and y, seen in exact arithmetic."""

import functools
from typing import Any

import sympy as sp

from .motion import Motion
from .products import AlongZ


@functools.lru_cache(maxsize=1024)
def keeps_plane(motion: Motion) -> bool:
    """Whether a motion is seen to keep the plane z = 0 and its sides.

    Factor by factor: `normal` is the direction z of the world as the frame after the factors so far sees it, and `height` how far its
    origin is from the plane. A joint turns about, or shifts along, the z axis of its frame: it must turn about the normal, or shift across
    it.
    """
    normal, height = (sp.Integer(0), sp.Integer(0), sp.Integer(1)), sp.Integer(0)
    for factor in motion.factors:
        if isinstance(factor, AlongZ):
            angle, advance = factor.formulas
            if not ((angle == 0 or (_zero(normal[0]) and _zero(normal[1]))) and (advance == 0 or _zero(normal[2]))):
                return False
        elif factor.is_constant:
            height += sum(n * e for n, e in zip(normal, factor.translation, strict=True))
            normal = tuple(sum(n * e for n, e in zip(normal, factor.rotation.col(k), strict=True)) for k in range(3))
        elif not (_zero(normal[2] - 1) and _keeps(factor)):
            return False
    return _zero(normal[2] - 1) and _zero(height)


def _keeps(motion: Motion) -> bool:
    r, d = motion.rotation, motion.translation
    return all(_zero(e) for e in (r[0, 2], r[1, 2], r[2, 0], r[2, 1], r[2, 2] - 1, d[2]))


def _zero(e: Any) -> bool:
    return bool(e.is_zero or sp.expand(e).is_zero or (e.has(sp.sin, sp.cos) and sp.trigsimp(sp.expand(e)).is_zero))
