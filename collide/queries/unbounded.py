"""Domains of `solve` with infinite ends: they become finite, beyond which it is *proved* that there is no zero.

Beyond a power M of two lies the set x >= M, or x <= -M. It holds no zero if the contractor of the equations and conditions leaves nothing
of it, where each other variable is anywhere in its domain; or if that of the equations in u = 1/|x| leaves nothing of [0, 1/M], where those
that are rational in x are multiplied by their denominators. An end that has become finite helps with the next.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.contractor import contract
from codegen.given import expression, shown
from codegen.sympy_rules import UnsupportedExpression

from .formulas import Domain, read_conditions, read_domain, read_functions

# All powers of two from 1 on whose reciprocals are normal doubles.
_POWERS = np.ldexp(1.0, np.arange(1023))
_ENDS = (-math.inf, math.inf)


def finite_ends(domain: Any, equations: Any, at_least: Any) -> tuple[Any, tuple[str, ...]]:
    """The domain with finite ends, and a sentence where they are proved ones; ValueError where none is proved."""
    if not isinstance(domain, Mapping) or not (left := _infinite(domain)):
        return domain, ()
    box = read_domain({x: _filled_in(x, ends) if any((x, k) in left for k in range(2)) else ends for x, ends in domain.items()})
    system = read_functions(equations, box, "equations"), read_conditions(at_least, box)
    ends, found = box.outer.copy(), {x: list(pair) for x, pair in domain.items()}
    for x, k in left:
        ends[box.symbols.index(x), k] = _ENDS[k]
    while left:
        proved = [(x, k) for x, k in left if _end(box, system, ends, x, k, found)]
        if not proved:
            names = ", ".join(dict.fromkeys(str(x) for x, _ in left))
            raise ValueError(f"the domain of {names} must have two finite real ends, as it is not proved that no zero lies beyond some; "
                             f"got {shown(domain[left[0][0]])}; give the ends between which zeros are wanted")
        left = [end for end in left if end not in proved]
    words = ", ".join(f"{x} in [{lo}, {hi}]" for x, (lo, hi) in found.items() if [lo, hi] != list(domain[x]))
    return {x: tuple(pair) for x, pair in found.items()}, (f"No zero lies beyond {words}: proved.",)


def _infinite(domain: Mapping[Any, Any]) -> list[tuple[Any, int]]:
    """The ends (symbol, 0 or 1) that are infinite, each on its own side."""
    kinds = tuple, list, np.ndarray
    pairs = [(x, pair) for x, pair in domain.items() if isinstance(x, sp.Symbol) and isinstance(pair, kinds) and len(pair) == 2]
    return [(x, k) for x, pair in pairs for k in range(2) if pair[k] in (_ENDS[k], (-sp.oo, sp.oo)[k])]


def _filled_in(x: Any, pair: Sequence[Any]) -> tuple[Any, Any]:
    """Finite ends in the place of infinite ones, by which formulas are read."""
    lo, hi = (expression(e, f"an end of the domain of {x}") for e in pair)
    low = sp.Min(0, hi if hi.is_finite else 0) - 1 if lo.is_infinite else lo
    return low, sp.Max(0, low) + 1 if hi.is_infinite else hi


def _end(box: Domain, system: tuple[Sequence[Any], Sequence[Any]], ends: np.ndarray, x: Any, k: int, found: dict[Any, list[Any]]) -> bool:
    """Whether an end of x is proved; then it is put into `ends` and `found`."""
    j, sign = box.symbols.index(x), (-1, 1)[k]
    other = sign * ends[j, 1 - k]
    powers = _POWERS[other < _POWERS]
    slabs = np.repeat(ends[None], len(powers), axis=0)
    slabs[:, j, 1 - k] = sign * powers
    u = sp.Dummy("u", positive=True)
    reciprocal = slabs.copy()
    reciprocal[:, j] = np.stack([np.zeros(len(powers)), 1 / powers], axis=1)
    rational = [sp.fraction(sp.together(f.subs(x, sign / u)))[0] for f in system[0] if f.is_rational_function(x)]
    excluded = _excluded([*map(_zero, system[0]), *system[1]], box.symbols, slabs)
    excluded |= _excluded([*map(_zero, rational)], [u if s == x else s for s in box.symbols], reciprocal)
    if not excluded.any():
        return False
    least = powers[excluded].min()
    ends[j, k], found[x][k] = sign * least, sign * sp.Integer(int(least))
    return True


def _zero(f: Any) -> Any:
    return sp.Eq(f, 0, evaluate=False)


def _excluded(conditions: Sequence[Any], symbols: Sequence[Any], boxes: np.ndarray) -> np.ndarray:
    """Whether it is proved that boxes (k, n, 2) hold no point at which all conditions are true: (k,)."""
    try:
        lo, _ = contract(conditions, symbols)(boxes[:, :, 0], boxes[:, :, 1])
    except (UnsupportedExpression, ValueError):
        return np.zeros(len(boxes), bool)
    return np.asarray(np.isnan(lo).any(axis=1))
