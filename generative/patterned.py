"""Formulas of surfaces that are patterns with numbers: they are made when they are wanted, and enclosed without that."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.graph.expr import ExprPool
from codegen.graph.meanvalue import mean_value_form
from codegen.kernel import Kernel, compile

from .pattern import Pattern, bounds
from .surface import Deferred, ParametricSurface
from .symbols import t, u, v


class Patterned(Deferred):
    """The three formulas of a pattern of u and v, with its numbers."""

    def __init__(self, pattern: Pattern, numbers: Sequence[Any]) -> None:
        self.pattern, self.numbers = pattern, tuple(numbers)
        super().__init__(functools.partial(_written, pattern, self.numbers), ("pattern", pattern, self.numbers),
                         enclosed=functools.partial(_enclosed, pattern, self.numbers))


def is_apart(surface: ParametricSurface, first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Whether a surface is *proved*, by enclosures and without its formulas, to have different points at two places (u, v), exact numbers.
    False where it is not, or where its formulas are not deferred.
    """
    source = surface.source
    if not isinstance(source, Deferred) or source.enclosed is None:
        return False
    (kernel, numbers), ends = source.enclosed, [bounds(place) for place in (first, second)]
    at = [np.array([[*own[k], 0.0] for own in ends]) for k in (0, 1)]
    lo, hi = kernel.interval(*at, parameters=(numbers[:, 0], numbers[:, 1]))
    return bool(((lo[0] > hi[1]) | (lo[1] > hi[0])).any())


def _written(pattern: Pattern, numbers: tuple[Any, ...]) -> tuple[Any, Any, Any]:
    a, b, c = pattern.written(numbers)
    return a, b, c


def _enclosed(pattern: Pattern, numbers: tuple[Any, ...]) -> tuple[Kernel, np.ndarray]:
    return _kernel(pattern), bounds(numbers).T.copy()


@functools.lru_cache(maxsize=256)
def _kernel(pattern: Pattern) -> Kernel:
    """The kernel of u, v and t that all surfaces of a pattern share."""
    pool = ExprPool()
    at = [pool.variable(k) for k in (0, 1)]
    place = pattern.nodes(dict(zip((u, v), at, strict=True)), [pool.parameter(k) for k in range(len(pattern.symbols))], pool)
    return compile(mean_value_form(place, at), [u, v, t], [f"n{k}" for k in range(len(pattern.symbols))], quick=True)
