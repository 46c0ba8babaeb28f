"""Parts on one expression graph: the variables of a pair of parts, where each part is, how it moves, where it is zero.

A parametric part brings its parameters as variables, and its position in the world is a function of them. An implicit
part brings equations. Where both are implicit, the first brings as variables the coordinates of space in its own frame,
x1, y1, z1, so that its bounds are the domain; on a side of these one of them is a constant.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from codegen.from_sympy import convert
from codegen.graph.expr import Expr
from codegen.graph.vectors import Vector, cross, subtract
from codegen.time_bounds.moving_bodies import MovingShape, moving
from generative import Motion, u, v
from generative.products import Product

from ..bodies.cells import Cell
from ..bodies.motions import carried, divided, entries_of, turned
from .frame import Frame, Local
from .placed_implicit import PlacedImplicit


class PlacedParametric:
    """A parametric part with variables of its own; `side` (1 or 2) is in their names. `shared`: so many of the first factors of its motion
    are left out, which the other part has, too: all is seen from a frame that moves by these.
    """

    # It is not given by equations, and the other part may be a function of its position.
    values: Sequence[Expr] = ()
    deformation: Sequence[Expr] = ()
    carrier = True
    shared = 0
    # Is it a face whose outward direction is that of another surface, a plane?
    flat = False

    def __init__(self, part: Cell, frame: Frame, side: int, shared: int = 0) -> None:
        self.part, self.frame, self.side, self.known, self.shared = part, frame, side, frame.known(side), shared
        self._moves: dict[Motion, list[Expr]] = {}
        count = part.dimension
        self.flat = count == 2 and part.outward[0][0] is not part.surface
        columns = zip(part.names[:count], part.domain, part.periods, part.border, part.polar[:count], strict=True)
        self.own = [frame.variable(f"{name}{side}", ends, period, border, polar) for name, ends, period, border, polar in columns]
        self._at = {part.path: self._nodes(part.path)}
        self.position = self._in_world(part.surface, part.path, carried)

    def _nodes(self, path: tuple[Any, ...]) -> list[Expr]:
        own, symbols = dict(zip(self.part.symbols, self.own, strict=True)), self.frame.symbols[self.side - 1]
        return [self.frame.parameter(e, self.side) if e.free_symbols <= set(symbols) else
                convert([e], {**self.known, **own}, self.frame.pool)[0] for e in path]

    def _vector(self, expressions: Sequence[Any], path: tuple[Any, ...]) -> Vector:
        if path not in self._at:
            self._at[path] = self._nodes(path)
        at = self._at[path]
        a, b, c = convert(expressions, {**self.known, u: at[0], v: at[1]}, self.frame.pool)
        return a, b, c

    def _in_world(self, surface: Any, path: tuple[Any, ...], by: Callable[..., Vector]) -> Vector:
        """The point of a surface at a path, `carried`, or its normal, `turned`; by a product of motions that is multiplied on the graph."""
        turns = by is turned
        if not isinstance(surface.motion, Product):
            return self._vector(surface.normal if turns else surface.expressions, path)
        return by(self._entries(surface.motion), self._vector(surface.body_normal if turns else surface.body, path))

    def _entries(self, motion: Motion) -> list[Expr]:
        if motion not in self._moves:
            seen = divided(motion, self.shared)[1] if isinstance(motion, Product) else motion
            self._moves[motion] = entries_of(seen, self.known, self.frame.pool, None)
        return self._moves[motion]

    @cached_property
    def local(self) -> Local:
        surface = self.part.surface
        motion = divided(surface.motion, self.shared)[1] if self.shared else surface.motion
        return Local(motion, self.known, self._vector(surface.body, self.part.path))

    @cached_property
    def _partials(self) -> list[Vector]:
        return [(d[0], d[1], d[2]) for d in self.frame.derivatives(self.position, [*self.own, self.frame.time])]

    def moving(self) -> MovingShape | None:
        """Shape and motion apart; None where a body deforms in another way than by functions of the time alone."""
        surface, motion, own = self.part.surface, self.part.surface.motion, [e.value for e in self.own]
        if surface.deforming:
            return moving(self.position, own, self.frame.spatial)
        entries = self._entries(motion)
        return MovingShape(self.local.at, entries[:9], entries[9:], own, rigid=True)

    @property
    def tangents(self) -> list[Vector]:
        return self._partials[:-1]

    @property
    def velocity(self) -> Vector:
        return self._partials[-1]

    @cached_property
    def outward(self) -> list[Vector]:
        """The outward directions, one a face that meets here, not normalized. That of a triangle of a mesh vanishes nowhere."""
        if len(self.own) == 2 and not self.flat:
            a, b = self.tangents
            return [cross(b, a) if self.part.surface.flipped else cross(a, b)]
        return [self._in_world(surface, path, turned) for surface, path in self.part.outward]

    def conditions(self) -> list[Expr]:
        """None beside the domain."""
        return []


Placed = PlacedParametric | PlacedImplicit


def place(parts: tuple[Cell, Cell], frame: Frame, shared: int = 0) -> tuple[Placed, Placed]:
    """Both parts of a pair: parametric ones first, since implicit ones are functions of their positions. `shared`: see
    `PlacedParametric`.
    """
    first, second = parts
    if shared:
        motion = first.leaves[0].motion if first.leaves else first.surface.motion
        # Its numbers are those of the first body, which the second has under other names.
        frame.observer = entries_of(divided(motion, shared)[0], frame.known(4), frame.pool, frame.time)
    if first.leaves and not second.leaves:
        b = _placed(second, frame, 2, None, shared)
        return _placed(first, frame, 1, b, shared), b
    a = _placed(first, frame, 1, None, shared)
    return a, _placed(second, frame, 2, a, shared)


def _placed(part: Cell, frame: Frame, side: int, other: Placed | None, shared: int) -> Placed:
    if not part.leaves:
        return PlacedParametric(part, frame, side, shared)
    return PlacedImplicit(part, frame, side, None if other is None else (other.local, other.position), shared)


def in_world(placed: Placed, at: Vector, turns: bool = False) -> Vector:
    """A point, or (`turns`) a direction, in the world, where a pair is seen from a frame that moves with both."""
    observer = placed.frame.observer
    return at if observer is None else (turned if turns else carried)(observer, at)


def contact_equations(a: Placed, b: Placed) -> tuple[Expr, ...]:
    """The expressions that are zero exactly where the parts meet (Snyder 1993, Equations 1, 4, 8, 11, 13)."""
    apart = (*a.values, *b.values) or subtract(a.position, b.position)
    # In the plane z = 0, in which both move, also where they are seen from a frame that moves in it.
    return apart[:2] if a.part.planar and b.part.planar else apart
