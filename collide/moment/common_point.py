"""Points that are proved to be on the surfaces of two bodies at a moment, by exact values of their formulas.

Where surfaces touch and never cross, as a peg in the bore that it fills, rounding cannot tell the touch from a near miss. But bodies are
drawn with simple numbers, so often some point of the touch has rational coordinates at a rational time, and exact arithmetic tells.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from generative import ImplicitBody, ParametricSurface, Solid, t, u, v

from ..bodies.nearest_parameters import nearest_parameters
from ..bodies.numbers import Numbers
from ..bodies.parameters import substituted
from .exact_sides import ExactSide, exact_side

# How far parameters in doubles are from the ones of a point, against their range: what is tried, not what is proved.
_CLOSE = 2.0**-20


def simplest(lo: float, hi: float) -> Fraction:
    """The fraction of least denominator within two finite ends."""
    below, above = Fraction(lo), Fraction(hi)
    terms = list[int]()
    while True:
        whole = math.ceil(below)
        if whole <= above:
            found = Fraction(whole)
            for term in reversed(terms):
                found = term + 1 / found
            return found
        terms.append(whole - 1)
        below, above = 1 / (above - (whole - 1)), 1 / (below - (whole - 1))


def have_in_common(sides: Sequence[tuple[Any, Numbers]], place: Sequence[Fraction], moment: Fraction) -> bool:
    """Whether a point is *proved* to be on the surfaces of bodies with numbers at a moment. False where that is not known."""
    if not all(numbers.are_exact for _, numbers in sides):
        return False
    implicit_first = sorted(sides, key=lambda side: not isinstance(side[0], ImplicitBody))
    return all(_is_on(body, dict(numbers.pairs), place, moment) for body, numbers in implicit_first)


def _is_on(body: Any, known: Mapping[Any, Any], place: Sequence[Fraction], moment: Fraction) -> bool:
    if isinstance(body, ImplicitBody):
        return exact_side(body, place, moment, known) is ExactSide.SURFACE
    faces = body.faces if isinstance(body, Solid) else [body] if isinstance(body, ParametricSurface) else []
    return any(_is_on_patch(substituted(face, known), place, moment) for face in faces)


def _is_on_patch(face: ParametricSurface, place: Sequence[Fraction], moment: Fraction) -> bool:
    """Whether the patch has the point at parameters that are simple numbers, or such multiples of pi."""
    if not all(e.is_number for s in (u, v) for e in face.domain[s]):
        return False
    _, (at,), _ = nearest_parameters(face, np.array([place], float), float(moment))
    exact = [sp.Rational(e.numerator, e.denominator) for e in place]
    for pair in itertools.product(*(list(_near(float(e), *face.domain[s])) for e, s in zip(at, (u, v), strict=True))):
        numbers = {u: pair[0], v: pair[1], t: sp.Rational(moment.numerator, moment.denominator)}
        if all(sp.expand(e.xreplace(numbers) - own) == 0 for e, own in zip(face.expressions, exact, strict=True)):
            return True
    return False


def _near(value: float, lo: Any, hi: Any) -> Iterator[Any]:
    """Simple numbers near a parameter that are proved to be within its range."""
    reach = _CLOSE * float(hi - lo)
    for unit in (sp.S.One, sp.pi):
        near = simplest((value - reach) / float(unit), (value + reach) / float(unit))
        exact = unit * sp.Rational(near.numerator, near.denominator)
        if (lo <= exact) == True and (exact <= hi) == True:  # noqa: E712
            yield exact
