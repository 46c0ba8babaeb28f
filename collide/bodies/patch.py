"""A parametric surface on an expression graph: position, derivatives, normal, domain in doubles, and proved seams."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from codegen.from_sympy import convert
from codegen.graph.autodiff import partials
from codegen.graph.expr import Expr, ExprPool
from codegen.reference.interpreter import enclose_constant
from generative import ParametricSurface, t, u, v

Vector = tuple[Expr, Expr, Expr]


@dataclass(frozen=True, eq=False)
class Patch:
    """`surface` with its parameters as the given variable nodes."""

    surface: ParametricSurface
    u: Expr
    v: Expr
    time: Expr

    @cached_property
    def position(self) -> Vector:
        a, b, c = convert(self.surface.expressions, {u: self.u, v: self.v, t: self.time}, self.u.pool)
        return a, b, c

    @cached_property
    def _partials(self) -> list[Vector]:
        """S_u, S_v and S_t."""
        rows = partials(self.position, [self.u, self.v, self.time])
        return [(rows[0][k], rows[1][k], rows[2][k]) for k in range(3)]

    @property
    def tangents(self) -> tuple[Vector, Vector]:
        return self._partials[0], self._partials[1]

    @property
    def velocity(self) -> Vector:
        return self._partials[2]

    @cached_property
    def normal(self) -> Vector:
        """S_u x S_v, reversed for a flipped surface: outward, not normalized."""
        a, b = self.tangents
        return cross(b, a) if self.surface.flipped else cross(a, b)


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def dot(a: Vector, b: Vector) -> Expr:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def subtract(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@functools.lru_cache(maxsize=4096, typed=True)
def enclose(number: Any) -> tuple[float, float]:
    """The tight double enclosure of an exact real number."""
    known = _root(number) if isinstance(number, sp.Basic) else None
    return known or enclose_constant(convert([number], {}, ExprPool())[0])


def _root(number: Any) -> tuple[float, float] | None:
    """The tight enclosure of a rational number, or of one times the square root of an integer, by integers; None for others.

    A double is compared with the number exactly, and moved to its neighbour where it is on the wrong side.
    """
    factors = sp.Mul.make_args(number)
    factor, root = (factors[0], factors[-1]) if len(factors) == 2 else (number, sp.S.One)
    if not factor.is_Rational or not (root == 1 or (root.is_Pow and root.exp == sp.S.Half and root.base.is_Integer)):
        return None
    p, q, d = int(factor.p), int(factor.q), int(root.base if root.is_Pow else 1)
    above, below = p * p * d, q * q
    try:
        size = abs(p) / q if d == 1 else math.sqrt(above / below)
    except OverflowError:
        return None
    if not 1e-150 < size < 1e150 and p:
        return None
    low = high = size
    while _sign(low, above, below) > 0:
        low = math.nextafter(low, 0.0)
    while _sign(high, above, below) < 0:
        high = math.nextafter(high, math.inf)
    while low < high and _sign(math.nextafter(low, math.inf), above, below) <= 0:
        low = math.nextafter(low, math.inf)
    while low < high and _sign(math.nextafter(high, 0.0), above, below) >= 0:
        high = math.nextafter(high, 0.0)
    return (low, high) if p >= 0 else (-high, -low)


def _sign(x: float, above: int, below: int) -> int:
    """The sign of x^2 - above / below, exactly, for x >= 0."""
    n, m = x.as_integer_ratio()
    left, right = n * n * below, m * m * above
    return (left > right) - (left < right)


def bounds(ends: Sequence[tuple[Any, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Exact intervals as doubles: arrays (n, 2) that enclose them and that lie within them. An end with free symbols is NaN."""
    return framed([(_end(lo), _end(hi)) for lo, hi in ends])


def _end(e: Any) -> tuple[float, float]:
    return (math.nan, math.nan) if getattr(e, "free_symbols", None) else enclose(e)


def framed(ends: Sequence[tuple[tuple[float, float], tuple[float, float]]]) -> tuple[np.ndarray, np.ndarray]:
    """From enclosures of both ends of intervals: arrays (n, 2) that enclose these and that lie within them."""
    outer = np.array([(lo[0], hi[1]) for lo, hi in ends]).reshape(-1, 2)
    inner = np.array([(lo[1], hi[0]) for lo, hi in ends]).reshape(-1, 2)
    return outer, np.where(inner[:, :1] <= inner[:, 1:], inner, outer)


def period(surface: ParametricSurface, symbol: Any) -> float:
    """The length of the domain of `symbol` where the surface is proved to close on itself along it, else 0.

    Proved: the symbol occurs only inside sines and cosines of k symbol + (something else) with k times the length a
    multiple of 2 pi, so the map, with all its derivatives, has the length of the domain as a period.
    """
    return _period(surface.resting, symbol)


@functools.lru_cache(maxsize=1024)
def _period(surface: ParametricSurface, symbol: Any) -> float:
    lo, hi = surface.domain[symbol]
    length = hi - lo
    if length.free_symbols:
        return 0.0
    for e in surface.body:
        waves = [w for w in e.atoms(sp.sin, sp.cos) if w.has(symbol)]
        if not all(_whole_turns(w.args[0], symbol, length) for w in waves):
            return 0.0
        if e.xreplace({w: sp.Dummy() for w in waves}).has(symbol):
            return 0.0
    return float(length)


def _whole_turns(argument: Any, symbol: Any, length: Any) -> bool:
    k = sp.diff(argument, symbol)
    if k.free_symbols:
        return False
    return bool((k * length / (2 * sp.pi)).is_integer)
