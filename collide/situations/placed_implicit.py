"""Implicit parts on the expression graph: where they are zero, how they move, and which points are on the surface of their body."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from codegen.from_sympy import convert
from codegen.graph.expr import Expr, substitute
from codegen.graph.meanvalue import mean_value_form
from codegen.graph.vectors import Vector, cross
from generative import ImplicitBody, ImplicitSurface, Motion, t, x, y, z
from generative.combination import Combination
from generative.implicit import BoundaryPiece

from ..bodies.cells import Cell, end_of
from ..bodies.motions import carried, divided, entries_of, turned, way_between
from .frame import Frame, Local, all_of, any_of


class PlacedImplicit:
    """An implicit part as functions of a point of the `other` part, in that one's frame and in the world; without it, as the carrier, of
    coordinates in its own frame. `shared`: see `PlacedParametric`; all leaves of the body have one motion then.
    """

    def __init__(self, part: Cell, frame: Frame, side: int, other: tuple[Local, Vector] | None = None, shared: int = 0) -> None:
        self.part, self.frame, self.side, self.known, self.shared = part, frame, side, frame.known(side), shared
        self.carrier = other is None
        self.own: list[Expr] = []
        self._seen: dict[Motion, Vector] = {}
        if other is None:
            leaf = part.leaves[0]
            at = [self._coordinate(k, ends) for k, ends in enumerate(leaf.bounds)]
            self.local = Local(self._motion(leaf), self.known, (at[0], at[1], at[2]))
            self._seen[leaf.motion] = self.local.at
            self.position = self._vector(self._mover(leaf).apply((x, y, z)), self._carried(leaf))
        else:
            self.local, self.position = other
        self.values = [*(self.value(leaf) for leaf in part.leaves), *self._beyond_sides()]

    def _coordinate(self, k: int, ends: tuple[Any, Any]) -> Expr:
        """Coordinate k of the carrier: a variable, or the constant that it is on a side of the bounds."""
        fixed = [side for side in self.part.sides if side[:2] == (0, k)]
        if fixed:
            return self._number(end_of(self.part, fixed[0]))
        self.own.append(self.frame.variable(f"{'xyz'[k]}{self.side}", ends))
        return self.own[-1]

    def _number(self, e: Any) -> Expr:
        return convert([e], self.known, self.frame.pool)[0]

    def _beyond_sides(self) -> list[Expr]:
        """The amounts by which the point is beyond each side of the bounds that the part lies on, except those on which a coordinate is
        constant.
        """
        return [self.coordinates(self.part.leaves[side[0]])[side[1]] - self._number(end_of(self.part, side))
                for side in self.part.sides if not (self.carrier and side[0] == 0)]

    def _vector(self, expressions: Sequence[Any], at: Sequence[Expr]) -> Vector:
        a, b, c = convert(expressions, self._known(at), self.frame.pool)
        return a, b, c

    def _known(self, at: Sequence[Expr]) -> dict[Any, Expr]:
        return {**self.known, **dict(zip((x, y, z), at, strict=True))}

    def coordinates(self, leaf: ImplicitSurface) -> Vector:
        """The point in the frame of a leaf."""
        if leaf.motion not in self._seen:
            if self.part.mover is not None:
                self._seen[leaf.motion] = carried(self._way_to(leaf), self.local.at)
                return self._seen[leaf.motion]
            direct = not self.shared and (leaf.motion.is_identity or self.local.motion.is_identity)
            self._seen[leaf.motion] = self._vector(leaf.coordinates, self.position) if direct else self._between(self._motion(leaf))
        return self._seen[leaf.motion]

    def _between(self, motion: Motion) -> Vector:
        """The point in the frame of `motion`."""
        return carried(self._way(motion), self.local.at)

    def _way(self, motion: Motion) -> list[Expr]:
        """A = R2^T R1, row after row, and b = R2^T (T1 - T2), functions of the time alone: in the frame of `motion` the point is A p + b.

        Where both bodies are in one frame that is tilted, or turns, A is but for rounding what it is without that frame. Of a point in
        the world that would not be seen, since its coordinates forget that they vary together.
        """
        moves = (self.local.motion, self.local.known), (motion, self.known)
        first, second = (entries_of(m, known, self.frame.pool, self.frame.time) for m, known in moves)
        way, time = way_between(first, second), self.frame.time
        # Enclosed to second order too: of a sum that hardly varies the terms may.
        return mean_value_form(way, [time]) if time.op == "variable" else way

    def _motion(self, leaf: ImplicitSurface) -> Motion:
        """That of a leaf, without what is shared."""
        return divided(leaf.motion, self.shared)[1] if self.shared else leaf.motion

    # -- frames that one motion carries ---------------------------------------------------------------------------

    def _mover(self, leaf: ImplicitSurface) -> Motion:
        """The motion of the frame in which the leaf keeps its place: of a part by itself that of the leaf."""
        return self._motion(leaf) if self.part.mover is None else self.part.mover

    def _rest(self, leaf: ImplicitSurface) -> list[Expr] | None:
        """The entries of the way from the frame of a leaf into the one that moves; None where they are one."""
        if self._mover(leaf) == self._motion(leaf):
            return None
        return convert(leaf.motion.factors[-1].entries, self.known, self.frame.pool)

    def _carried(self, leaf: ImplicitSurface) -> Vector:
        """The point in the frame that moves."""
        rest = self._rest(leaf)
        return self.coordinates(leaf) if rest is None else carried(rest, self.coordinates(leaf))

    def _way_to(self, leaf: ImplicitSurface) -> list[Expr]:
        """As `_way`, into the frame of a leaf, from the part's own frame, or by the one that moves: only there the time matters."""
        rest = self._rest(leaf)
        way = self._rest(self.part.leaves[0]) if self.carrier else self._into_moving
        if way is None:
            way = [self.frame.pool.constant(int(k in (0, 4, 8))) for k in range(12)]
        return way if rest is None else way_between(way, rest)

    @cached_property
    def _into_moving(self) -> list[Expr]:
        assert self.part.mover is not None
        return self._way(self.part.mover)

    def value(self, leaf: ImplicitSurface) -> Expr:
        return convert([leaf.body], self._known(self.coordinates(leaf)), self.frame.pool)[0]

    @cached_property
    def outward(self) -> list[Vector]:
        """The gradients in the world, one a leaf."""
        result = []
        for leaf in self.part.leaves:
            (a,), (b,), (c,), _ = self._derivatives([leaf.body], self.coordinates(leaf))
            result.append(self._turned(leaf, (a, b, c)))
        return result

    def _turned(self, leaf: ImplicitSurface, local: Vector) -> Vector:
        rest, motion = self._rest(leaf), self._mover(leaf)
        within = local if rest is None else turned(rest, local)
        return within if motion.is_identity else self._vector(motion.turn((x, y, z)), within)

    @property
    def tangents(self) -> list[Vector]:
        """The direction of an edge."""
        if self.part.dimension != 1:
            return []
        zero, one = self.frame.pool.constant(0), self.frame.pool.constant(1)
        sides = []
        for k, c, _ in self.part.sides:
            axis = [one if i == c else zero for i in range(3)]
            sides.append(self._turned(self.part.leaves[k], (axis[0], axis[1], axis[2])))
        return [cross(*self.outward, *sides)]

    @cached_property
    def velocity(self) -> Vector:
        """The velocity of the material point that is here: the body's motion, without its deformation."""
        leaf = self.part.leaves[0]
        a, b, c = self._derivatives(self._mover(leaf).apply((x, y, z)), self._carried(leaf))[3]
        return a, b, c

    @cached_property
    def deformation(self) -> list[Expr]:
        """dF/dt of each leaf at a point that moves along with the body."""
        return [self._derivatives([leaf.body], self.coordinates(leaf))[3][0] for leaf in self.part.leaves]

    def _derivatives(self, expressions: Sequence[Any], at: Vector) -> list[list[Expr]]:
        """Partial derivatives of expressions of x, y, z and t by each of these, at a point: on the graph, since SymPy has none of `floor`,
        and impulses for those of `sign`.
        """
        free = [self.frame.pool.variable(self.frame.spatial + len(self.frame.further) + k) for k in range(4)]
        formulas = convert(expressions, {**self.known, **dict(zip((x, y, z, t), free, strict=True))}, self.frame.pool)
        actual = dict(zip((e.index for e in free), [*at, self.frame.time], strict=True))
        return [substitute(column, actual) for column in self.frame.derivatives(formulas, free)]

    def moving(self) -> None:
        """Its shape is no function of its parameters."""

    # -- where the part is --------------------------------------------------------------------------------------

    def conditions(self) -> list[Expr]:
        """The conditions that hold of those points, of all where its values are zero, that are on the part."""
        shown = self.on_surface()
        return [*self.bounds(), *self._within(), *([] if shown is None else [shown])]

    def _within(self) -> list[Expr]:
        """In the box of the part."""
        pool, at = self.frame.pool, self.coordinates(self.part.leaves[0])
        ends = [convert(pair, self.known, pool) for pair in self.part.within]
        return [e for (low, high), c in zip(ends, at, strict=False) for e in (pool.node("le", low, c), pool.node("le", c, high))]

    def bounds(self) -> list[Expr]:
        """lo <= coordinate <= hi, in the frame of every leaf whose bounds are not the domain, but on the sides that the part lies on.
        Bounds that vary are not the domain, but within it.
        """
        conditions: list[Expr] = []
        # Leaves that move together share sides.
        fixed = {(self.part.leaves[side[0]].motion, side[1], end_of(self.part, side)) for side in self.part.sides}
        for k, leaf in enumerate(self.part.leaves):
            if k in self.part.unbounded:
                continue
            for c, coordinate in enumerate(self.coordinates(leaf)):
                domain = self.carrier and k == 0 and not self.frame.varies(leaf.bounds[c], self.side)
                if not domain and not any((leaf.motion, c, end) in fixed for end in leaf.bounds[c]):
                    conditions += self.frame.between(coordinate, leaf.bounds[c], self.side)
        return conditions

    def on_surface(self) -> Expr | None:
        """The condition that the point is on the surface of the whole body: on the piece of one of the leaves (Snyder 1993, Section 2.2).
        None where that is always so, or is measured.
        """
        if self.part.measured:
            return None
        pieces = [self._on_piece(p) for p in self.part.pieces]
        if any(p is None for p in pieces):
            return None
        return any_of(self.frame.pool, [p for p in pieces if p is not None])

    def _on_piece(self, piece: BoundaryPiece) -> Expr | None:
        pool = self.frame.pool
        zero = pool.constant(0)
        conditions = [pool.node("le", zero, self._level(b)) for b in piece.outside]
        conditions += [pool.node("le", self._level(b), zero) for b in piece.inside]
        return all_of(pool, conditions) if conditions else None

    def _level(self, body: ImplicitBody) -> Expr:
        """The function of a body; exactly zero for the leaves that this part lies on."""
        pool = self.frame.pool
        if isinstance(body, ImplicitSurface):
            return pool.constant(0) if any(leaf.same_surface(body) for leaf in self.part.leaves) else self.value(body)
        assert isinstance(body, Combination)
        total, *others = [self._level(c) for c in body.children]
        for other in others:
            total = pool.node("min" if body.operation == "union" else "max", total, other)
        return total


def coordinates_of(part: Cell) -> int:
    """The number of coordinates of its first leaf that are variables where the part is the carrier."""
    return 3 - sum(k == 0 for k, _, _ in part.sides)
