"""Domains of `solve` and `minimize` with infinite ends: they become finite, beyond which it is *proved* that there is no solution.

Beyond a power M of two lies the set x >= M, or x <= -M. It holds no zero if the contractor of the equations and conditions leaves nothing
of it, where each other variable is anywhere in its domain; or if that of the equations in u = 1/|x| leaves nothing of [0, 1/M], where those
that are rational in x are multiplied by their denominators. An end that has become finite helps with the next.

No minimizer of f has f > U, where U is the value of a feasible point: so f <= U is a condition for minimizers, where a search of a part of
the domain proves such a point. A rational inequality N/D >= 0 in u, D = u^k E(u) without another factor u, is N E >= 0 where u > 0 and E
is not 0, and so for u >= 0.
"""

import math
from collections.abc import Callable, Mapping, Sequence
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
# How far from 0 a feasible point is looked for, one after another: everyday numbers, then all whose squares are exact, then any.
_PARTS = (2**4, 2**26, 2**300)


def has_infinite_ends(domain: Any) -> bool:
    """Whether a domain has an infinite end on its own side."""
    return isinstance(domain, Mapping) and bool(_infinite(domain))


def filled_in(domain: Mapping[Any, Any]) -> dict[Any, Any]:
    """A domain with finite ends in the place of infinite ones, by which formulas are read."""
    left = _infinite(domain)
    return {x: _filled_in(x, ends, 1) if any((x, k) in left for k in range(2)) else ends for x, ends in domain.items()}


def some_value(domain: Mapping[Any, Any], value: Callable[[dict[Any, Any]], float]) -> float:
    """The least `value` of larger and larger parts of the domain that is finite: of a feasible point. Infinite if there is none."""
    left = _infinite(domain)
    for size in _PARTS:
        found = value({x: _filled_in(x, ends, size) if any((x, k) in left for k in range(2)) else ends for x, ends in domain.items()})
        if found < math.inf:
            return found
    return math.inf


def finite_ends(domain: Any, equations: Any, at_least: Any, solution: str = "zero") -> tuple[Any, tuple[str, ...]]:
    """The domain with finite ends, and a sentence where they are proved ones; ValueError where none is proved. `solution`: the word for
    a point that the equations and conditions are true of.
    """
    if not has_infinite_ends(domain):
        return domain, ()
    left, box = _infinite(domain), read_domain(filled_in(domain))
    system = read_functions(equations, box, "equations"), read_conditions(at_least, box)
    ends, found = box.outer.copy(), {x: list(pair) for x, pair in domain.items()}
    for x, k in left:
        ends[box.symbols.index(x), k] = _ENDS[k]
    while left:
        proved = [(x, k) for x, k in left if _end(box, system, ends, x, k, found)]
        if not proved:
            names = ", ".join(dict.fromkeys(str(x) for x, _ in left))
            raise ValueError(f"the domain of {names} must have two finite real ends, as it is not proved that no {solution} lies "
                             f"beyond some; got {shown(domain[left[0][0]])}; give the ends between which {solution}s are wanted")
        left = [end for end in left if end not in proved]
    words = ", ".join(f"{x} in [{lo}, {hi}]" for x, (lo, hi) in found.items() if [lo, hi] != list(domain[x]))
    return {x: tuple(pair) for x, pair in found.items()}, (f"No {solution} lies beyond {words}: proved.",)


def _infinite(domain: Mapping[Any, Any]) -> list[tuple[Any, int]]:
    """The ends (symbol, 0 or 1) that are infinite, each on its own side."""
    kinds = tuple, list, np.ndarray
    pairs = [(x, pair) for x, pair in domain.items() if isinstance(x, sp.Symbol) and isinstance(pair, kinds) and len(pair) == 2]
    return [(x, k) for x, pair in pairs for k in range(2) if pair[k] in (_ENDS[k], (-sp.oo, sp.oo)[k])]


def _filled_in(x: Any, pair: Sequence[Any], size: int) -> tuple[Any, Any]:
    """Finite ends in the place of infinite ones, `size` beyond 0 and the other end; integers are those of doubles."""
    size = min(size, 2**52) if x.is_integer else size
    lo, hi = (expression(e, f"an end of the domain of {x}") for e in pair)
    low = sp.Min(0, hi if hi.is_finite else 0) - size if lo.is_infinite else lo
    return low, sp.Max(0, low) + size if hi.is_infinite else hi


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
    rational = [_zero(sp.fraction(sp.together(f.subs(x, sign / u)))[0]) for f in system[0] if f.is_rational_function(x)]
    excluded = _excluded([*map(_zero, system[0]), *system[1]], box.symbols, slabs)
    rational += [s for c in system[1] if (s := _in_reciprocal(c, x, sign, u)) is not None]
    excluded |= _excluded([*rational], [u if s == x else s for s in box.symbols], reciprocal)
    if not excluded.any():
        return False
    least = powers[excluded].min()
    ends[j, k], found[x][k] = sign * least, sign * sp.Integer(int(least))
    return True


def _in_reciprocal(condition: Any, x: Any, sign: int, u: Any) -> Any:
    """An inequality that is rational in x as one in u >= 0, without its denominator; None for any other condition."""
    if not isinstance(condition, (sp.Ge, sp.Gt, sp.Le, sp.Lt)):
        return None
    f = condition.gts - condition.lts
    if not f.is_rational_function(x):
        return None
    numerator, denominator = sp.fraction(sp.together(f.subs(x, sign / u)))
    rest = sp.Poly(denominator, u)
    while rest.nth(0) == 0:
        rest = rest.quo(sp.Poly(u, u))
    return sp.Ge(sp.expand(numerator * rest.as_expr()), 0, evaluate=False)


def _zero(f: Any) -> Any:
    return sp.Eq(f, 0, evaluate=False)


def _excluded(conditions: Sequence[Any], symbols: Sequence[Any], boxes: np.ndarray) -> np.ndarray:
    """Whether it is proved that boxes (k, n, 2) hold no point at which all conditions are true: (k,)."""
    try:
        lo, _ = contract(conditions, symbols)(boxes[:, :, 0], boxes[:, :, 1])
    except (UnsupportedExpression, ValueError):
        return np.zeros(len(boxes), bool)
    return np.asarray(np.isnan(lo).any(axis=1))
