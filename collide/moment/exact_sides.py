"""Sides of implicit bodies that points are on, in rational arithmetic: by the signs of leaves there, and where some are 0, near there."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.kernel import compile
from generative import ImplicitBody, ImplicitSurface, t, x, y, z
from generative.combination import Combination

# Directions of rays from a point at which leaves are 0.
_WAYS = [way for way in itertools.product(range(-3, 4), repeat=3) if any(way)]
# The level of a function that is differentiable on a whole box.
_DIFFERENTIABLE = 3
# Leaves that are 0 at one point, beyond which their 2**n signs are not gone through.
_MOST = 10
Signs = Mapping[ImplicitSurface, int]
NOTHING: Mapping[Any, Any] = {}


class ExactSide(Enum):
    """The side of a body that a point is proved to be on; `OPEN` where rational arithmetic is not enough."""

    INSIDE = "inside"
    SURFACE = "surface"
    OUTSIDE = "outside"
    OPEN = "open"


def exact_side(body: ImplicitBody, place: Sequence[Any], moment: Any, known: Mapping[Any, Any] = NOTHING) -> ExactSide:
    """The side of a rational point at a rational time by the sign of the function of the body, and where that is 0, by the signs that
    leaves can have near the point. `known`: exact values of symbols of the body.

    SURFACE is proved by two rays on the two sides of a leaf that is 0, and on one side of all others, the one into the body, the other out
    of it: then parts of both that have an interior reach the point. OUTSIDE and INSIDE are proved by all signs that leaves may have near
    the point: where leaves are tangent, some are impossible.
    """
    numbers = dict(known) | dict(zip((x, y, z, t), map(sp.Rational, (*place, moment)), strict=True))
    levels = {leaf: leaf.expression.xreplace(numbers) for leaf in body.leaves}
    if not all(level.is_Rational for level in levels.values()):
        return ExactSide.OPEN
    signs = {leaf: int(sp.sign(level)) for leaf, level in levels.items()}
    sign = _sign(body, signs)
    if sign:
        return ExactSide.INSIDE if sign < 0 else ExactSide.OUTSIDE
    germs = {leaf: _germ(leaf, numbers) for leaf, own in signs.items() if not own}
    if _ends_there(body, signs, germs, numbers):
        return ExactSide.SURFACE
    near = {_sign(body, {**signs, **dict(zip(germs, sector, strict=True))}) for sector in _possible(list(germs.values()))}
    return ExactSide.OUTSIDE if near == {1} else ExactSide.INSIDE if near == {-1} else ExactSide.OPEN


def _sign(body: ImplicitBody, signs: Signs) -> int:
    if isinstance(body, Combination):
        return (min if body.operation == "union" else max)(_sign(child, signs) for child in body.children)
    assert isinstance(body, ImplicitSurface), "a body that is not a combination is a leaf"
    return signs[body]


class _Germ(NamedTuple):
    """A function round a point at which it is 0: its homogeneous parts there, from the first degree on, as far as they are known; `whole`:
    there are no others.
    """

    parts: Sequence[Any]
    whole: bool

    def along(self, way: Sequence[int]) -> int:
        """The sign of the function on a ray, near the point; 0 where it is not known."""
        values = (part(*way) for part in self.parts)
        return next((int(sp.sign(value)) for value in values if value), 0)

    @property
    def slope(self) -> Any:
        return sp.Matrix([self.parts[0].coeff_monomial(s) for s in (x, y, z)]) if self.parts else sp.zeros(3, 1)


def _germ(leaf: ImplicitSurface, numbers: Mapping[Any, Any]) -> _Germ:
    """A polynomial as all its parts; of another function the first part alone, if it is proved differentiable there, and its slopes are
    rational.
    """
    formula = leaf.expression.xreplace({s: e for s, e in numbers.items() if s not in (x, y, z)})
    if formula.is_polynomial(x, y, z):
        whole = sp.Poly(formula.xreplace({s: s + numbers[s] for s in (x, y, z)}), x, y, z)
        degrees = range(1, whole.total_degree() + 1)
        parts = [{powers: c for powers, c in whole.terms() if sum(powers) == degree} for degree in degrees]
        known = all(c.is_Rational for c in whole.coeffs())
        return _Germ([sp.Poly(part or {(0, 0, 0): 0}, x, y, z, domain="QQ") for part in parts] if known else [], known)
    slopes = [e.xreplace(numbers) for e in leaf.gradient]
    known = all(e.is_Rational for e in slopes) and _is_differentiable(formula, [float(numbers[s]) for s in (x, y, z)])
    return _Germ([sp.Poly(sum(e * s for e, s in zip(slopes, (x, y, z), strict=True)), x, y, z, domain="QQ")] if known else [], False)


def _is_differentiable(formula: Any, place: Sequence[float]) -> bool:
    """Whether a function of x, y and z is proved differentiable at a point, which is one of the doubles next to these, or between them."""
    near = np.array([[math.nextafter(c, end) for c in place] for end in (-math.inf, math.inf)])
    return bool(compile([formula], [x, y, z], quick=True).decorated(near[:1], near[1:])[2][0, 0] >= _DIFFERENTIABLE)


def _ends_there(body: ImplicitBody, signs: Signs, germs: Mapping[ImplicitSurface, _Germ], numbers: Mapping[Any, Any]) -> bool:
    """Whether a point is proved to be on the surface, on a leaf that is 0 there and within its bounds."""
    zero = list(germs)
    near = (tuple(germ.along(way) for germ in germs.values()) for way in _WAYS) if all(g.parts for g in germs.values()) else ()
    found = {sector: _sign(body, {**signs, **dict(zip(zero, sector, strict=True))}) for sector in dict.fromkeys(near) if all(sector)}
    for leaf in zero:
        flips = [-1 if leaf.same_surface(other) else 1 for other in zero]
        across = (found.get(tuple(a * b for a, b in zip(sector, flips, strict=True)), sign) for sector, sign in found.items())
        if _is_within(leaf, numbers) and any(a != b for a, b in zip(found.values(), across, strict=True)):
            return True
    return False


def _possible(germs: Sequence[_Germ]) -> Iterator[tuple[int, ...]]:
    """All signs that functions may have together at points near by at which none is 0, which are dense."""
    if len(germs) <= _MOST:
        never = [own for pair in itertools.combinations_with_replacement(range(len(germs)), 2) for own in _impossible(germs, *pair)]
        for sector in itertools.product((-1, 1), repeat=len(germs)):
            if not any(all(sector[k] == sign for k, sign in own.items()) for own in never):
                yield sector
    else:
        yield from ((-1,) * len(germs), (1,) * len(germs))


def _impossible(germs: Sequence[_Germ], a: int, b: int) -> Iterator[dict[int, int]]:
    """Signs of two functions F and G that none near the point has: with tangent surfaces F - r G has no slope, for a number r, and where it
    is nowhere negative, F < 0 < r G is impossible. With a = b these are signs of one function that has no slope itself.
    """
    first, second = germs[a], germs[b]
    ratio = sp.S.Zero if a == b else _ratio(first.slope, second.slope)
    if ratio is None or not (first.whole and second.whole) or (a == b and any(first.slope)):
        return
    parts = [p - q * ratio for p, q in itertools.zip_longest(first.parts, second.parts, fillvalue=sp.Poly(0, x, y, z, domain="QQ"))]
    for side in (1, -1):
        if _nowhere_negative([part * side for part in parts]):
            yield {a: -side} if a == b else {a: -side, b: side * int(sp.sign(ratio))}


def _ratio(first: Any, second: Any) -> Any:
    """The number r with first = r second, of vectors that are not 0; None if there is none."""
    if not any(first) or not any(second) or any(first.cross(second)):
        return None
    return first.dot(second) / second.dot(second)


def _nowhere_negative(parts: Sequence[Any]) -> bool:
    """Whether a polynomial without a first part is proved to be nowhere negative near the point: by its second part alone, where that is
    positive in all directions, or where there is no other.
    """
    if len(parts) < 2:
        return False
    form = sp.hessian(parts[1].as_expr(), (x, y, z))
    alone = all(part.is_zero for part in parts[2:])
    return bool(form.is_positive_semidefinite if alone and any(form) else form.is_positive_definite)


def _is_within(leaf: ImplicitSurface, numbers: Mapping[Any, Any]) -> bool:
    """Whether a point is seen to be within the bounds of a leaf."""
    places = (c.xreplace(numbers) for c in leaf.coordinates)
    bounds = ([end.xreplace(numbers) for end in ends] for ends in leaf.bounds)
    return all((lo <= c) == True and (c <= hi) == True for c, (lo, hi) in zip(places, bounds, strict=True))  # noqa: E712
