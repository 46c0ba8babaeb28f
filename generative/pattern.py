"""Patterns: formulas with symbols in place of their numbers, so that what is derived from a formula is derived once for all numbers.

A curve or surface of a file is a pattern with its numbers. Its SymPy formula is written when it is wanted; values in doubles and enclosures
need the pattern alone.
"""

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.constants import enclose
from codegen.from_sympy import convert
from codegen.given import lambdified
from codegen.graph.expr import Expr, ExprPool
from codegen.walk import replaced

from .symbols import Parameter, derivative, u

Samples = Callable[..., Sequence[float]]


class Pattern(NamedTuple):
    """Formulas, and the symbols in them that stand for numbers."""

    formulas: tuple[Any, ...]
    symbols: tuple[Parameter, ...] = ()

    def written(self, numbers: Sequence[Any]) -> tuple[Any, ...]:
        """The formulas with exact numbers: doubles stand for the rational numbers that they hold."""
        values = dict(zip(self.symbols, map(exactly, numbers), strict=True))
        return tuple(replaced(e, values) for e in self.formulas)

    def nodes(self, known: dict[Any, Expr], numbers: Sequence[Expr], pool: ExprPool) -> list[Expr]:
        """The formulas as nodes of a graph, with nodes for their variables and numbers."""
        return convert(self.formulas, {**known, **dict(zip(self.symbols, numbers, strict=True))}, pool)


def exactly(number: Any) -> Any:
    """A number of SymPy, or the rational number that a double or a fraction is."""
    if isinstance(number, sp.Basic):
        return number
    return sp.Rational(*number.as_integer_ratio())


def bounds(numbers: Sequence[Any]) -> np.ndarray:
    """(2, n): doubles below and above exact numbers; a double is both."""
    return np.array([(e, e) if isinstance(e, float) else _bounds(e) for e in numbers], float).reshape(-1, 2).T


def _bounds(number: Any) -> tuple[float, float]:
    if not isinstance(number, Fraction):
        return enclose(exactly(number))
    near = float(number)
    below = math.nextafter(near, -math.inf) if near > number else near
    return below, math.nextafter(near, math.inf) if near < number else near


@functools.lru_cache(maxsize=512)
def sampler(pattern: Pattern, variables: tuple[Any, ...], module: str) -> Samples:
    """A function of the variables and the numbers, doubles or, for the `module` "numpy", arrays: the values of the formulas, and then of
    their derivatives by each variable in turn.
    """
    slopes = [derivative(e, s) for s in variables for e in pattern.formulas]
    return lambdified([*variables, *pattern.symbols], [*pattern.formulas, *slopes], module)


def sampled(pattern: Pattern, numbers: Sequence[Sequence[Any]], parameters: np.ndarray) -> np.ndarray:
    """(m, n, 6): the three coordinates and then their derivatives by u, in doubles, of m curves of a pattern at the parameters (m, n)."""
    columns = np.array(numbers, float).T[:, :, None]
    found = np.empty((*parameters.shape, 6))
    for k, e in enumerate(sampler(pattern, (u,), "numpy")(parameters, *columns)):
        found[:, :, k] = e
    return found
