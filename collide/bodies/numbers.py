"""The numbers of a body that is a member of a family: exact, and as intervals for kernels."""

import functools
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import sympy as sp

from codegen.constants import enclose, enclose_all, framed, written
from codegen.from_sympy import convert
from codegen.graph.expr import Expr, ExprPool
from codegen.kernel import Kernel, compile
from generative.body import called
from generative.family import parameters_in
from generative.resting import Member


class Numbers:
    """Values of `symbols`: `exact` SymPy numbers (none where only intervals are known), and `intervals` (p, 2) that hold them. An exact
    number None is the double that is its interval, or is not known, where that is wider: then it is the symbol.
    """

    def __init__(self, symbols: Sequence[Any] = (), exact: Sequence[Any] = (), intervals: np.ndarray | None = None) -> None:
        self.symbols, self._exact = tuple(symbols), tuple(exact)
        self.intervals = enclose_all(exact) if intervals is None else intervals

    @functools.cached_property
    def exact(self) -> tuple[Any, ...]:
        return tuple(written(e) if e is not None else sp.Rational(lo) if lo == hi else s for s, e, (lo, hi) in zip(
            self.symbols, self._exact, self.intervals.tolist(), strict=True)) if self._exact else ()

    @functools.cached_property
    def are_exact(self) -> bool:
        """Whether the exact number of each symbol is known."""
        return len(self.exact) == len(self.symbols) and not any(e.free_symbols for e in self.exact)

    @property
    def parameters(self) -> tuple[np.ndarray, np.ndarray] | None:
        """As kernels take them."""
        return (self.intervals[:, 0], self.intervals[:, 1]) if self.symbols else None

    @property
    def middles(self) -> np.ndarray | None:
        return self.intervals.mean(axis=1) if self.symbols else None

    @functools.cached_property
    def pairs(self) -> tuple[tuple[Any, Any], ...]:
        """The symbols, each with its exact number."""
        return tuple(zip(self.symbols, self.exact, strict=True))

    def only(self, symbols: Collection[Any]) -> "Numbers":
        """Those of some symbols, in the order that they have here."""
        kept = [k for k, s in enumerate(self.symbols) if s in symbols]
        return Numbers([self.symbols[k] for k in kept], [self._exact[k] for k in kept if self._exact], self.intervals[kept])

    def enclose(self, e: Any) -> tuple[float, float]:
        """Bounds of a number, or of an expression of the symbols."""
        known = self._known(e)
        if known is not None:
            return known
        none = np.empty((1, 0))
        (lo,), (hi,) = (bound[0] for bound in end_kernel(e, self.symbols).interval(none, none, parameters=self.parameters))
        return float(lo), float(hi)

    @functools.cached_property
    def _at(self) -> dict[Any, tuple[int, bool]]:
        """The places of the symbols: looked up once, as all of them are hashed for that."""
        return _places(self.symbols)

    def _known(self, e: Any) -> tuple[float, float] | None:
        """Bounds of a number, or of a symbol or its opposite."""
        place = self._at.get(e)
        if place is None:
            return enclose(e) if _is_number(e) else None
        k, opposite = place
        lo, hi = self.intervals[k].tolist()
        return (-hi, -lo) if opposite else (lo, hi)

    def enclose_all(self, expressions: Sequence[Any]) -> np.ndarray:
        """(k, 2): bounds of numbers and of expressions of the symbols; of those that are no symbols of either sign by one kernel."""
        found, others = np.empty((len(expressions), 2)), list[int]()
        for k, e in enumerate(expressions):
            known = self._known(e)
            if known is None:
                others.append(k)
            else:
                found[k] = known
        if others:
            none, kernel = np.empty((1, 0)), ends_kernel(tuple(expressions[k] for k in others), self.symbols)
            found[others] = np.stack([end[0] for end in kernel.interval(none, none, parameters=self.parameters)], axis=1)
        return found

    def bounds(self, ends: Sequence[tuple[Any, Any]]) -> tuple[np.ndarray, np.ndarray]:
        """As `patch.bounds`, of ends that may contain the symbols. Parts of a body ask for those of the same domains."""
        key = tuple(map(tuple, ends))
        if key not in self._bounds:
            self._bounds[key] = framed([(self.enclose(lo), self.enclose(hi)) for lo, hi in key])
        outer, inner = self._bounds[key]
        return outer.copy(), inner.copy()

    @functools.cached_property
    def _bounds(self) -> dict[tuple[Any, ...], tuple[np.ndarray, np.ndarray]]:
        return {}

    def known(self, pool: ExprPool) -> dict[Any, Expr]:
        """The symbols as constants on a graph."""
        return {s: convert([e], {}, pool)[0] for s, e in zip(self.symbols, self.exact, strict=True)}


NONE = Numbers()


@functools.lru_cache(maxsize=4096)
def _is_number(e: Any) -> bool:
    """Whether an expression has no symbols; bodies ask this of the ends of domains over and over."""
    return not getattr(e, "free_symbols", None)


@functools.lru_cache(maxsize=512)
def _places(symbols: tuple[Any, ...]) -> dict[Any, tuple[int, bool]]:
    """The place of each symbol, and of its opposite."""
    return {sign * s: (k, sign < 0) for k, s in enumerate(symbols) for sign in (1, -1)}


@functools.lru_cache(maxsize=1 << 12)
def both(first: Numbers, second: Numbers) -> Numbers:
    """The numbers of a body, and then those that a part of it has of its own."""
    if not second.symbols:
        return first
    exact = (*first._exact, *second._exact) if len(first._exact) == len(first.symbols) else ()
    return Numbers((*first.symbols, *second.symbols), exact, np.concatenate([first.intervals, second.intervals]))


@functools.lru_cache(maxsize=1 << 14)
def numbers_of(member: Member) -> Numbers:
    return Numbers(member.symbols, member.data) if member.symbols else NONE


@functools.lru_cache(maxsize=256)
def ends_kernel(expressions: tuple[Any, ...], symbols: tuple[Any, ...]) -> Kernel:
    return compile(list(expressions), [], symbols, quick=True)


@functools.lru_cache(maxsize=512)
def end_kernel(e: Any, symbols: tuple[Any, ...]) -> Kernel:
    return compile([e], [], symbols, quick=True)


def check_numbers(bodies: Sequence[Any], members: Sequence[Member], values: Collection[Any] = ()) -> None:
    """Refuses parameters without `values`; `contact_batch` takes these. `members`: the bodies as those of families."""
    for k, (body, member) in enumerate(zip(bodies, members, strict=True)):
        free = member.free if member.data else parameters_in(body)
        if not free <= set(values):
            raise ValueError(f"{called(bodies, k)} contains the parameter {min(free, key=str)}; give it values in contact_batch, or "
                             "substitute a number")
