"""Where a point is of an implicit body, in rational arithmetic: by the signs of its leaves there, and where some are 0, near there."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from generative import ImplicitBody, ImplicitSurface, t, x, y, z
from generative.combination import Combination

from ..polyhedra.location.index import Kind

# Directions in which it is looked from a point at which leaves are 0.
_WAYS = [way for way in itertools.product(range(-3, 4), repeat=3) if any(way)]
Signs = Mapping[ImplicitSurface, int]


def by_formulas(body: ImplicitBody, place: np.ndarray, moment: float) -> Kind:
    """IN or OUT by the sign of its function. FACE is proved by two directions on the two sides of a leaf that is 0, and on one side of all
    others, the one into the body, the other out of it: then parts of both that have an interior reach the point. UNRESOLVED where rational
    arithmetic is not enough.
    """
    numbers = dict(zip((x, y, z, t), map(sp.Rational, (*place.tolist(), moment)), strict=True))
    levels = {leaf: leaf.expression.xreplace(numbers) for leaf in body.leaves}
    if not all(level.is_Rational for level in levels.values()):
        return Kind.UNRESOLVED
    signs = {leaf: int(sp.sign(level)) for leaf, level in levels.items()}
    sign = _sign(body, signs)
    if sign:
        return Kind.IN if sign < 0 else Kind.OUT
    return Kind.FACE if _ends_there(body, signs, numbers) else Kind.UNRESOLVED


def _sign(body: ImplicitBody, signs: Signs) -> int:
    if isinstance(body, Combination):
        return (min if body.operation == "union" else max)(_sign(child, signs) for child in body.children)
    assert isinstance(body, ImplicitSurface), "what is no combination is a leaf"
    return signs[body]


def _ends_there(body: ImplicitBody, signs: Signs, numbers: Mapping[Any, Any]) -> bool:
    """Is a point proved to be on the surface, on a leaf that is 0 there and within its bounds?"""
    zero = [leaf for leaf, sign in signs.items() if not sign]
    slopes = [[e.xreplace(numbers) for e in leaf.gradient] for leaf in zero]
    if not all(e.is_Rational for own in slopes for e in own):
        return False
    near = ([int(sp.sign(sum(a * b for a, b in zip(own, way, strict=True)))) for own in slopes] for way in _WAYS)
    found = {sector: _sign(body, {**signs, **dict(zip(zero, sector, strict=True))}) for sector in map(tuple, near) if all(sector)}
    for leaf in zero:
        flips = [-1 if leaf.same_surface(other) else 1 for other in zero]
        across = (found.get(tuple(a * b for a, b in zip(sector, flips, strict=True)), sign) for sector, sign in found.items())
        if _is_within(leaf, numbers) and any(a != b for a, b in zip(found.values(), across, strict=True)):
            return True
    return False


def _is_within(leaf: ImplicitSurface, numbers: Mapping[Any, Any]) -> bool:
    """Is a point seen to be within the bounds of a leaf?"""
    places = (c.xreplace(numbers) for c in leaf.coordinates)
    return all((lo <= c) == True and (c <= hi) == True for c, (lo, hi) in zip(places, leaf.bounds, strict=True))  # noqa: E712
