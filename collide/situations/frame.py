"""The expression graph of a pair of parts: their variables and numbers, and what stands for a point."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from codegen.constants import enclose
from codegen.from_sympy import convert
from codegen.graph.autodiff import partials
from codegen.graph.expr import Expr, ExprPool
from codegen.graph.vectors import Vector
from generative import Motion, t


@dataclass
class Frame:
    """The variables and parameters of one problem, as they are created. Those `further` than space come last, the time among them and the
    objective at the end, so `spatial`, how many come before them, is known first. `symbols` stand for numbers of the first body, of the
    second, and maybe of contacts known between them, and of a motion that both have in common; `free` names the further variables that
    some of those are, "" for others. `late` are the parameters that are expressions of symbols, (number, body 1 or 2, expression).
    `asked`: the time is no variable, but the last symbol. `hulls`: see `Problem`. `observer`: the entries of a motion from which both
    bodies are seen, if there is one.
    """

    spatial: int
    time_span: tuple[Any, Any]
    pool: ExprPool = field(default_factory=ExprPool)
    names: list[str] = field(default_factory=list)
    ends: list[tuple[Any, Any]] = field(default_factory=list)
    periods: list[float] = field(default_factory=list)
    borders: list[tuple[bool, bool]] = field(default_factory=list)
    polar: list[tuple[float, float]] = field(default_factory=list)
    hulls: list[int] = field(default_factory=list)
    values: list[tuple[float, float]] = field(default_factory=list)
    asked: bool = False
    literal: bool = False
    symbols: tuple[tuple[Any, ...], ...] = ((), ())
    late: list[tuple[int, int, Any]] = field(default_factory=list)
    further: tuple[str, ...] = ("t",)
    free: tuple[tuple[str, ...], ...] = ()
    observer: list[Expr] | None = None

    def __post_init__(self) -> None:
        self.values += [(math.nan, math.nan)] * self.slots

    @property
    def slots(self) -> int:
        """The first so many parameters are the symbols."""
        return sum(map(len, self.symbols))

    def known(self, side: int) -> dict[Any, Expr]:
        """The symbols of a body (1 or 2), of contacts (3), or of a common motion (4), and the time as nodes."""
        first, free = sum(map(len, self.symbols[:side - 1])), self._free(side)
        own = {s: self.beyond(free[s]) if s in free else self.pool.parameter(first + k) for k, s in enumerate(self.symbols[side - 1])}
        return {**own, t: self.time}

    def _free(self, side: int) -> dict[Any, str]:
        """The symbols of a body that are variables."""
        names = zip(self.symbols[side - 1], self.free[side - 1], strict=True) if side <= len(self.free) else ()
        return {s: name for s, name in names if name}

    def varies(self, ends: tuple[Any, Any], side: int) -> bool:
        """Whether ends of a range depend on variables."""
        free = self._free(side).keys()
        return bool(free) and any(getattr(e, "free_symbols", set()) & free for e in ends)

    def between(self, e: Expr, ends: tuple[Any, Any], side: int) -> list[Expr]:
        """It lies between these ends."""
        low, high = convert(ends, self.known(side), self.pool)
        return [self.pool.node("le", low, e), self.pool.node("le", e, high)]

    def beyond(self, name: str) -> Expr:
        """A further variable."""
        return self.pool.variable(self.spatial + self.further.index(name))

    @property
    def time(self) -> Expr:
        """A further variable, or a parameter where the problem is about one moment."""
        return self.pool.parameter(self.slots - 1) if self.asked else self.beyond("t")

    def variable(self, name: str, ends: tuple[Any, Any], period: float = 0.0, border: tuple[bool, bool] = (False, False),
                 polar: tuple[Any, Any] = (None, None)) -> Expr:
        node = self.pool.variable(len(self.names))
        if name[-1] in "12" and self.varies(ends, int(name[-1])):
            self.hulls.append(len(self.names))
        self.names.append(name)
        self.ends.append(ends)
        self.periods.append(period)
        self.borders.append(border)
        self.polar.append((-math.inf if polar[0] is None else enclose(polar[0])[0], math.inf if polar[1] is None else enclose(polar[1])[1]))
        return node

    def parameter(self, number: Any, side: int) -> Expr:
        """An exact number, or an expression of the symbols of a body, as a kernel parameter: parts that differ in it alone share their
        kernels.
        """
        if number.free_symbols & self._free(side).keys():
            return convert([number], self.known(side), self.pool)[0]
        if number.free_symbols:
            self.late.append((len(self.values), side, number))
            self.values.append((math.nan, math.nan))
        elif self.literal:
            return convert([number], {}, self.pool)[0]
        else:
            self.values.append(enclose(number))
        return self.pool.parameter(len(self.values) - 1)

    @property
    def all_ends(self) -> list[tuple[Any, Any]]:
        return [*self.ends, *[(0, 1)] * (len(self.further) - 1), self.time_span]

    def borders_array(self) -> np.ndarray:
        return np.array([*self.borders, *[(False, False)] * len(self.further)], int)

    def derivatives(self, outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
        """One column of partial derivatives a variable."""
        rows = partials(outputs, variables)
        return [[row[k] for row in rows] for k in range(len(variables))]


class Local(NamedTuple):
    """A point in the frame of a body that moves by `motion`; `known` are the nodes of its symbols."""

    motion: Motion
    known: dict[Any, Expr]
    at: Vector


def as_vector(coordinates: Sequence[Expr]) -> Vector:
    a, b, c = coordinates
    return a, b, c


def all_of(pool: ExprPool, conditions: Sequence[Expr]) -> Expr:
    return _folded(pool, "and", conditions)


def any_of(pool: ExprPool, conditions: Sequence[Expr]) -> Expr:
    return _folded(pool, "or", conditions)


def _folded(pool: ExprPool, operation: str, conditions: Sequence[Expr]) -> Expr:
    total = conditions[0]
    for c in conditions[1:]:
        total = pool.node(operation, total, c)
    return total
