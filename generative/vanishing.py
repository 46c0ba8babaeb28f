"""Numbers and formulas that are zero exactly, though they are not written as 0."""

from typing import Any

import sympy as sp

from .symbols import NOT_REAL

# Only differences of fewer operations are simplified, and only if they are about zero when this number stands for their symbols.
_SIMPLIFIED, _SAMPLE = 200, sp.Rational(3, 7)


def vanishes(e: Any) -> bool:
    """Whether an expression is seen to be zero exactly."""
    if e == 0 or sp.expand(e) == 0:
        return True
    if e.has(*NOT_REAL):
        return False
    sample = e.xreplace(dict.fromkeys(e.free_symbols, _SAMPLE))
    return bool(e.count_ops() < _SIMPLIFIED and abs(sp.N(sample)) < 1e-12 and sp.simplify(e) == 0)
