"""Matrices of formulas that are proved to be orthogonal, by algebra with the squares of sines and cosines."""

import functools
from collections.abc import Sequence
from typing import Any

import sympy as sp

from .symbols import t


@functools.lru_cache(maxsize=1024)
def is_orthogonal(matrix: sp.ImmutableMatrix, tolerance: float = 0.0) -> bool:
    """Whether it is seen by expanding the formulas that no entry of R^T R - I is larger than the tolerance, for all values of the symbols
    for which R is defined.
    """
    waves = {w.args[0] for w in matrix.atoms(sp.sin, sp.cos)}
    names = {angle: sp.symbols(f"c{k} s{k}") for k, angle in enumerate(waves)}
    flat = matrix.xreplace({f(angle): e for angle, pair in names.items() for f, e in zip((sp.cos, sp.sin), pair, strict=True)})
    # Most that stretch, as by an axis in doubles, do so where cosines are 0 and sines are 1, which is quickly seen.
    some = flat.xreplace({t: sp.S.One, **{e: sp.Integer(k) for pair in names.values() for k, e in enumerate(pair)}})
    if all(e.is_Rational for e in some) and max(map(abs, some.T * some - sp.eye(3))) > tolerance:
        return False
    return all(_is_small(e, list(names.values()), tolerance) for e in flat.T * flat - sp.eye(3))


def _is_small(e: Any, waves: Sequence[tuple[Any, Any]], tolerance: float) -> bool:
    """Whether a function of cosines and sines is within the tolerance because their squares add up to 1."""
    whole, below = sp.fraction(sp.together(e))
    e = sp.expand(whole)
    for cosine, sine in waves:
        if not e.is_polynomial(cosine, sine):
            return False
        e = sp.expand(sp.rem(e, sine**2 + cosine**2 - 1, sine)) if e.has(sine) else e
    names = [name for pair in waves for name in pair]
    if e == 0 or not tolerance or not below.is_Rational or e.free_symbols - {*names}:
        return bool(e == 0)
    # Sines and cosines are 1 at most.
    terms = sp.Poly(e, *names).coeffs() if names else [e]
    return all(c.is_Rational for c in terms) and bool(sum(map(abs, terms)) <= abs(below) * sp.Rational(tolerance))
