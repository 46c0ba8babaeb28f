"""Two motions without turns against each other, one of which shifts by rational functions of the time, seen from the other."""

import functools
from fractions import Fraction
from typing import Any

import sympy as sp

from generative import Motion, Rigid, t

from .motion import ExactMotion

_DEGREE = 8


@functools.lru_cache(maxsize=256)
def rational_shift(first: Motion, second: Motion) -> ExactMotion | None:
    """The first of two motions seen from the second, with the common denominator as its scale; None where they turn, where
    coefficients are irrational, and for others. The scale may vanish or be negative.
    """
    if not (first.multiplied and second.multiplied) or (first.symbols | second.symbols) - {t}:
        return None
    turn = second.rotation.T * first.rotation
    if not all(e.is_Rational for e in (*first.rotation, *second.rotation)):
        return None
    shift = [sp.together(e) for e in second.rotation.T * (first.translation - second.translation)]
    if not all(e.is_rational_function(t) for e in shift):
        return None
    parts = [sp.fraction(sp.cancel(e)) for e in shift]
    try:
        below = functools.reduce(sp.lcm, (sp.Poly(d, t, domain=sp.QQ) for _, d in parts))
        above = [sp.Poly(n, t, domain=sp.QQ) * below.quo(sp.Poly(d, t, domain=sp.QQ)) for n, d in parts]
    except (sp.PolynomialError, sp.CoercionFailed):
        return None
    if max(p.degree() for p in (below, *above)) > _DEGREE:
        return None
    scale = _coefficients(below)
    entries = [*([_fraction(e) * c for c in scale] for e in turn), *map(_coefficients, above)]
    motion = Rigid._unchecked(sp.ImmutableMatrix(turn), shift)
    return ExactMotion(motion, (entries, entries), scale, None)


def negative(known: ExactMotion) -> ExactMotion:
    """The same motion, with entries and scale times -1."""
    entries = [[-c for c in p] for p in known.entries[0]]
    return known._replace(entries=(entries, entries), scale=[-c for c in known.scale])


def _coefficients(p: Any) -> list[Fraction]:
    return [_fraction(c) for c in reversed(p.all_coeffs())]


def _fraction(e: Any) -> Fraction:
    return Fraction(int(e.p), int(e.q))
