"""Seams: borders at which a surface closes on itself."""

import functools
import math
from typing import Any

import sympy as sp

from codegen.deadline import interruptible

from .patterned import is_apart
from .surface import ParametricSurface
from .symbols import u, v


def period(surface: ParametricSurface, symbol: Any) -> float:
    """The length of the domain of `symbol` where the surface is proved to close on itself along it, else 0.

    Proved: the symbol occurs only inside sines and cosines of k symbol + (something else) with k times the length a
    multiple of 2 pi, so the map, with all its derivatives, has the length of the domain as a period.
    """
    return float(length_of(surface, symbol)) if turns(surface, symbol) else 0.0


def length_of(surface: ParametricSurface, symbol: Any) -> Any:
    lo, hi = surface.domain[symbol]
    return hi - lo


def turns(surface: ParametricSurface, symbol: Any) -> int:
    """The number of times the surface is proved to repeat along the domain of `symbol`, as `period` proves that it closes; 0 where it does
    not.

    From 2 on it covers each of its points so often.
    """
    return _turns(surface.resting, symbol)


@functools.lru_cache(maxsize=1024)
@interruptible()
def _turns(surface: ParametricSurface, symbol: Any) -> int:
    length, found = length_of(surface, symbol), 0
    if length.free_symbols or is_apart(surface, *_ends(surface, symbol)):
        return 0
    for e in surface.body:
        waves = [w for w in e.atoms(sp.sin, sp.cos) if w.has(symbol)]
        if e.xreplace({w: sp.Dummy() for w in waves}).has(symbol):
            return 0
        for w in waves:
            whole = _whole_turns(w.args[0], symbol, length)
            if not whole:
                return 0
            found = math.gcd(found, whole)
    # What does not depend on the symbol closes at once.
    return found or 1


def _ends(surface: ParametricSurface, symbol: Any) -> list[tuple[Any, Any]]:
    """The places at both ends of a parameter, in the middle of the other one."""
    lo, hi = surface.domain[v if symbol is u else u]
    middle = (lo + hi) / 2
    return [(end, middle) if symbol is u else (middle, end) for end in surface.domain[symbol]]


def _whole_turns(argument: Any, symbol: Any, length: Any) -> int:
    """The turns of an angle along the domain, if they are whole ones; else 0."""
    k = sp.diff(argument, symbol)
    number = k * length / (2 * sp.pi)
    return abs(int(number)) if not k.free_symbols and number.is_integer else 0
