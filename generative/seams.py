"""Seams: borders at which a surface closes on itself."""

import functools
from typing import Any

import sympy as sp

from codegen.deadline import interruptible

from .surface import ParametricSurface


def period(surface: ParametricSurface, symbol: Any) -> float:
    """The length of the domain of `symbol` where the surface is proved to close on itself along it, else 0.

    Proved: the symbol occurs only inside sines and cosines of k symbol + (something else) with k times the length a
    multiple of 2 pi, so the map, with all its derivatives, has the length of the domain as a period.
    """
    return _period(surface.resting, symbol)


@functools.lru_cache(maxsize=1024)
@interruptible()
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
