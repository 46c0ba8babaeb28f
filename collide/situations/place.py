"""Parts on one expression graph: the variables of a pair of parts, where each part is, how it moves, where it is zero.

A parametric part brings its parameters as variables, and its position in the world is a function of them. An implicit
part brings equations. Where both are implicit, the first brings as variables the coordinates of space in its own frame,
x1, y1, z1, so that its bounds are the domain; on a side of these one of them is a constant.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from codegen.from_sympy import convert
from codegen.graph.expr import Expr
from codegen.graph.vectors import Vector, cross, subtract
from codegen.time_bounds.moving_bodies import Moving, moving
from generative import u, v

from ..bodies.parts import Parametric, Path
from .frame import Frame, Local
from .placed_implicit import PlacedImplicit


class PlacedParametric:
    """A parametric part with variables of its own; `side` (1 or 2) is in their names."""

    def __init__(self, part: Parametric, frame: Frame, side: int) -> None:
        self.part, self.frame, self.side, self.known = part, frame, side, frame.known(side)
        count = part.dimension
        columns = zip(part.names[:count], part.domain, part.periods, part.border, part.polar[:count], strict=True)
        self.own = [frame.variable(f"{name}{side}", ends, period, border, polar) for name, ends, period, border, polar in columns]
        self._at = {part.path: self._nodes(part.path)}
        self.position = self._vector(part.surface.expressions, part.path)

    def _nodes(self, path: Path) -> list[Expr]:
        own, symbols = dict(zip(self.part.symbols, self.own, strict=True)), self.frame.symbols[self.side - 1]
        return [self.frame.parameter(e, self.side) if e.free_symbols <= set(symbols) else
                convert([e], {**self.known, **own}, self.frame.pool)[0] for e in path]

    def _vector(self, expressions: Sequence[Any], path: Path) -> Vector:
        if path not in self._at:
            self._at[path] = self._nodes(path)
        at = self._at[path]
        a, b, c = convert(expressions, {**self.known, u: at[0], v: at[1]}, self.frame.pool)
        return a, b, c

    @cached_property
    def local(self) -> Local:
        surface = self.part.surface
        return Local(surface.motion, self.known, self._vector(surface.body, self.part.path))

    @cached_property
    def _partials(self) -> list[Vector]:
        return [(d[0], d[1], d[2]) for d in self.frame.derivatives(self.position, [*self.own, self.frame.time])]

    def moving(self) -> Moving | None:
        """Shape and motion apart; None where a body deforms in another way than by functions of the time alone."""
        surface, motion, own = self.part.surface, self.part.surface.motion, [e.value for e in self.own]
        if surface.deforming:
            return moving(self.position, own, self.frame.spatial)
        entries = convert(motion.entries, self.known, self.frame.pool)
        return Moving(self.local.at, entries[:9], entries[9:], own, rigid=True)

    @property
    def tangents(self) -> list[Vector]:
        return self._partials[:-1]

    @property
    def velocity(self) -> Vector:
        return self._partials[-1]

    @cached_property
    def outward(self) -> list[Vector]:
        """The outward directions, one a face that meets here, not normalized."""
        if len(self.own) == 2:
            a, b = self.tangents
            return [cross(b, a) if self.part.surface.flipped else cross(a, b)]
        return [self._vector(surface.normal, path) for surface, path in self.part.outward]


Placed = PlacedParametric | PlacedImplicit


def place(parts: tuple[Any, Any], frame: Frame) -> tuple[Placed, Placed]:
    """Both parts of a pair: parametric ones first, since implicit ones are functions of their positions."""
    first, second = parts
    if isinstance(first, Parametric):
        a: Placed = PlacedParametric(first, frame, 1)
        if isinstance(second, Parametric):
            return a, PlacedParametric(second, frame, 2)
        return a, PlacedImplicit(second, frame, 2, (a.local, a.position))
    if isinstance(second, Parametric):
        b = PlacedParametric(second, frame, 2)
        return PlacedImplicit(first, frame, 1, (b.local, b.position)), b
    carrier = PlacedImplicit(first, frame, 1)
    return carrier, PlacedImplicit(second, frame, 2, (carrier.local, carrier.position))


def contact_equations(a: Placed, b: Placed) -> tuple[Expr, ...]:
    """What is zero exactly where the parts meet (Snyder 1993, Equations 1, 4, 8, 11, 13)."""
    if isinstance(a, PlacedParametric) and isinstance(b, PlacedParametric):
        return subtract(a.position, b.position)
    return tuple(e for p in (a, b) if isinstance(p, PlacedImplicit) for e in p.values)
