"""A parametric surface on an expression graph: position, derivatives, normal, domain in doubles, and proved seams."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from codegen.autodiff import partials
from codegen.expr import Expr, ExprPool
from codegen.from_sympy import convert
from codegen.kernel import Kernel
from codegen.reference import enclose_constant
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
    return enclose_constant(convert([number], {}, ExprPool())[0])


def bounds(ends: Sequence[tuple[Any, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Exact intervals as doubles: arrays (n, 2) that enclose them and that lie within them."""
    enclosed = [(enclose(lo), enclose(hi)) for lo, hi in ends]
    outer = np.array([(lo[0], hi[1]) for lo, hi in enclosed])
    inner = np.array([(lo[1], hi[0]) for lo, hi in enclosed])
    return outer, np.where(inner[:, :1] <= inner[:, 1:], inner, outer)


@functools.lru_cache(maxsize=1024)
def period(surface: ParametricSurface, symbol: Any) -> float:
    """The length of the domain of `symbol` where the surface is proved to close on itself along it, else 0.

    Proved: the symbol occurs only inside sines and cosines of k symbol + (something else) with k times the length a
    multiple of 2 pi, so the map, with all its derivatives, has the length of the domain as a period.
    """
    lo, hi = surface.domain[symbol]
    length = hi - lo
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


@functools.lru_cache(maxsize=256)
def _normal_kernel(surface: ParametricSurface) -> Kernel:
    pool = ExprPool()
    patch = Patch(surface, pool.variable(0), pool.variable(1), pool.variable(2))
    return Kernel(patch.normal, ("u", "v", "t"))


def unit_normal(surface: ParametricSurface, at: np.ndarray) -> np.ndarray | None:
    """The outward unit normal at (u, v, t), approximately; None where the normal vanishes."""
    n = _normal_kernel(surface).points(at[None])[0]
    length = float(np.linalg.norm(n))
    return n / length if 0 < length < np.inf else None
