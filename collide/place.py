"""Parts on one expression graph: the variables of a pair of parts, where each part is, how it moves, where it is zero.

A parametric part brings its parameters as variables, and its position in the world is a function of them. An implicit
part brings equations. Where both are implicit, the first brings as variables the coordinates of space in its own frame,
x1, y1, z1, so that its bounds are the domain; on a side of these one of them is a constant.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from codegen.autodiff import partials
from codegen.expr import Expr, ExprPool, reachable, substitute
from codegen.from_sympy import convert
from codegen.meanvalue import mean_value_form
from generative import ImplicitBody, ImplicitSurface, Motion, t, u, v, x, y, z
from generative.implicit import Combination, Piece

from .implicit_parts import Implicit
from .moving_bodies import Moving, moving
from .parts import Parametric, Path
from .patch import Vector, cross, dot, enclose, subtract


@dataclass
class Frame:
    """The variables and parameters of one problem, as they are created. Time comes last, so `spatial`, how many come before it, is known
    first. `symbols` stand for numbers of the first body, of the second, and maybe of contacts known between them; `late` are the
    parameters that are expressions of those, (number, body 1 or 2, expression).
    """

    spatial: int
    time_span: tuple[Any, Any]
    pool: ExprPool = field(default_factory=ExprPool)
    names: list[str] = field(default_factory=list)
    ends: list[tuple[Any, Any]] = field(default_factory=list)
    periods: list[float] = field(default_factory=list)
    borders: list[tuple[bool, bool]] = field(default_factory=list)
    polar: list[tuple[float, float]] = field(default_factory=list)
    values: list[tuple[float, float]] = field(default_factory=list)
    moment: float | None = None
    literal: bool = False
    symbols: tuple[tuple[Any, ...], ...] = ((), ())
    late: list[tuple[int, int, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.values += [(math.nan, math.nan)] * self.slots

    @property
    def slots(self) -> int:
        """The first so many parameters are the symbols."""
        return sum(map(len, self.symbols))

    def known(self, side: int) -> dict[Any, Expr]:
        """The symbols of a body (1 or 2), or of contacts (3), and the time as nodes."""
        first = sum(map(len, self.symbols[:side - 1]))
        return {**{s: self.pool.parameter(first + k) for k, s in enumerate(self.symbols[side - 1])}, t: self.time}

    @property
    def time(self) -> Expr:
        """The last variable, or a constant where the problem is about one moment."""
        return self.pool.variable(self.spatial) if self.moment is None else self.pool.constant(self.moment)

    def variable(self, name: str, ends: tuple[Any, Any], period: float = 0.0, border: tuple[bool, bool] = (False, False),
                 polar: tuple[Any, Any] = (None, None)) -> Expr:
        node = self.pool.variable(len(self.names))
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
        return [*self.ends, self.time_span]

    def borders_array(self) -> np.ndarray:
        return np.array([*self.borders, (False, False)], int)

    def derivatives(self, outputs: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
        """One column of partial derivatives a variable."""
        rows = partials(outputs, variables)
        return [[row[k] for row in rows] for k in range(len(variables))]


class Local(NamedTuple):
    """A point in the frame of a body that moves by `motion`; `known` are the nodes of its symbols."""

    motion: Motion
    known: dict[Any, Expr]
    at: Vector


def _vector(coordinates: Sequence[Expr]) -> Vector:
    a, b, c = coordinates
    return a, b, c


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


class PlacedImplicit:
    """An implicit part as functions of a point of the other part, or, as the carrier, of coordinates in its own frame."""

    def __init__(self, part: Implicit, frame: Frame, side: int, other: "Placed | None" = None) -> None:
        self.part, self.frame, self.known = part, frame, frame.known(side)
        self.carrier = other is None
        self.own: list[Expr] = []
        self._seen: dict[Motion, Vector] = {}
        if other is None:
            leaf = part.leaves[0]
            at = [self._coordinate(k, ends) for k, ends in enumerate(leaf.bounds)]
            self.local = Local(leaf.motion, self.known, (at[0], at[1], at[2]))
            self._seen[leaf.motion] = self.local.at
            self.position = self._vector(leaf.motion.apply((x, y, z)), at)
        else:
            self.local, self.position = other.local, other.position
        self.values = [*(self.value(leaf) for leaf in part.leaves), *self._beyond_sides()]

    def _coordinate(self, k: int, ends: tuple[Any, Any]) -> Expr:
        """Coordinate k of the carrier: a variable, or the constant that it is on a side of the bounds."""
        fixed = [side for side in self.part.sides if side[:2] == (0, k)]
        if fixed:
            return self._number(self.part.end(fixed[0]))
        self.own.append(self.frame.variable(f"{'xyz'[k]}1", ends))
        return self.own[-1]

    def _number(self, e: Any) -> Expr:
        return convert([e], self.known, self.frame.pool)[0]

    def _beyond_sides(self) -> list[Expr]:
        """How far the point is beyond each side of the bounds that the part lies on, but for those on which a coordinate is constant."""
        return [self.coordinates(self.part.leaves[side[0]])[side[1]] - self._number(self.part.end(side))
                for side in self.part.sides if not (self.carrier and side[0] == 0)]

    def _vector(self, expressions: Sequence[Any], at: Sequence[Expr]) -> Vector:
        a, b, c = convert(expressions, self._known(at), self.frame.pool)
        return a, b, c

    def _known(self, at: Sequence[Expr]) -> dict[Any, Expr]:
        return {**self.known, **dict(zip((x, y, z), at, strict=True))}

    def coordinates(self, leaf: ImplicitSurface) -> Vector:
        """The point in the frame of a leaf."""
        if leaf.motion not in self._seen:
            direct = leaf.motion.is_identity or self.local.motion.is_identity
            self._seen[leaf.motion] = self._vector(leaf.coordinates, self.position) if direct else self._between(leaf.motion)
        return self._seen[leaf.motion]

    def _between(self, motion: Motion) -> Vector:
        """The point in the frame of `motion`, as A p + b with A = R2^T R1 and b = R2^T (T1 - T2): functions of the time alone.

        Where both bodies are in one frame that is tilted, or turns, A is but for rounding what it is without that frame. Of a point in
        the world that would not be seen, since its coordinates forget that they vary together.
        """
        entries = [convert(m.entries, known, self.frame.pool) for m, known in ((self.local.motion, self.local.known), (motion, self.known))]
        (first, shift), (second, away) = ((e[:9], e[9:]) for e in entries)
        columns = [*(_vector(first[k::3]) for k in range(3)), subtract(_vector(shift), _vector(away))]
        rows = [[self._close(dot(_vector(second[k::3]), column)) for column in columns] for k in range(3)]
        return _vector([dot(_vector(row[:3]), self.local.at) + row[3] for row in rows])

    def _close(self, e: Expr) -> Expr:
        """A function of the time, enclosed to second order too: of a sum that hardly varies the terms may."""
        time = self.frame.time
        return mean_value_form([e], [time])[0] if time.op == "variable" and time in reachable([e]) else e

    def value(self, leaf: ImplicitSurface) -> Expr:
        return convert([leaf.body], self._known(self.coordinates(leaf)), self.frame.pool)[0]

    @cached_property
    def outward(self) -> list[Vector]:
        """The gradients in the world, one a leaf."""
        result = []
        for leaf in self.part.leaves:
            (a,), (b,), (c,), _ = self._derivatives([leaf.body], self.coordinates(leaf))
            result.append(self._turned(leaf.motion, (a, b, c)))
        return result

    def _turned(self, motion: Motion, local: Vector) -> Vector:
        if motion.is_identity:
            return local
        return self._vector(motion.turn((x, y, z)), local)

    @property
    def tangents(self) -> list[Vector]:
        """The direction of an edge."""
        if self.part.dimension != 1:
            return []
        zero, one = self.frame.pool.constant(0), self.frame.pool.constant(1)
        sides = []
        for k, c, _ in self.part.sides:
            axis = [one if i == c else zero for i in range(3)]
            sides.append(self._turned(self.part.leaves[k].motion, (axis[0], axis[1], axis[2])))
        return [cross(*self.outward, *sides)]

    @cached_property
    def velocity(self) -> Vector:
        """Of the material point that is here: the body's motion, without its deformation."""
        leaf = self.part.leaves[0]
        a, b, c = self._derivatives(leaf.motion.apply((x, y, z)), self.coordinates(leaf))[3]
        return a, b, c

    @cached_property
    def deformation(self) -> list[Expr]:
        """dF/dt of each leaf at a point that moves along with the body."""
        return [self._derivatives([leaf.body], self.coordinates(leaf))[3][0] for leaf in self.part.leaves]

    def _derivatives(self, expressions: Sequence[Any], at: Vector) -> list[list[Expr]]:
        """Partial derivatives of expressions of x, y, z and t by each of these, at a point: on the graph, since SymPy has none of `floor`,
        and impulses for those of `sign`.
        """
        free = [self.frame.pool.variable(self.frame.spatial + 1 + k) for k in range(4)]
        formulas = convert(expressions, {**self.known, **dict(zip((x, y, z, t), free, strict=True))}, self.frame.pool)
        actual = dict(zip((e.index for e in free), [*at, self.frame.time], strict=True))
        return [substitute(column, actual) for column in self.frame.derivatives(formulas, free)]

    # -- where the part is --------------------------------------------------------------------------------------

    def bounds(self) -> list[Expr]:
        """lo <= coordinate <= hi, in the frame of every leaf whose bounds are not the domain, but on the sides that the part lies on."""
        pool, conditions = self.frame.pool, []
        # Leaves that move together share sides.
        fixed = {(self.part.leaves[side[0]].motion, side[1], self.part.end(side)) for side in self.part.sides}
        for k, leaf in enumerate(self.part.leaves):
            for c, coordinate in enumerate(self.coordinates(leaf)):
                if not (self.carrier and k == 0) and not any((leaf.motion, c, end) in fixed for end in leaf.bounds[c]):
                    low, high = convert(leaf.bounds[c], self.known, pool)
                    conditions += [pool.node("le", low, coordinate), pool.node("le", coordinate, high)]
        return conditions

    def on_surface(self) -> Expr | None:
        """Is the point on the surface of the whole body: on the piece of one of the leaves (Snyder 1993, Section 2.2)?"""
        pieces = [self._on_piece(p) for p in self.part.pieces]
        if any(p is None for p in pieces):
            return None
        return any_of(self.frame.pool, [p for p in pieces if p is not None])

    def _on_piece(self, piece: Piece) -> Expr | None:
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


def coordinates_of(part: Implicit) -> int:
    """How many coordinates of its first leaf are variables where the part is the carrier."""
    return 3 - sum(k == 0 for k, _, _ in part.sides)


Placed = PlacedParametric | PlacedImplicit


def all_of(pool: ExprPool, conditions: Sequence[Expr]) -> Expr:
    return _folded(pool, "and", conditions)


def any_of(pool: ExprPool, conditions: Sequence[Expr]) -> Expr:
    return _folded(pool, "or", conditions)


def _folded(pool: ExprPool, operation: str, conditions: Sequence[Expr]) -> Expr:
    total = conditions[0]
    for c in conditions[1:]:
        total = pool.node(operation, total, c)
    return total


def place(parts: tuple[Any, Any], frame: Frame) -> tuple[Placed, Placed]:
    """Both parts of a pair: parametric ones first, since implicit ones are functions of their positions."""
    first, second = parts
    if isinstance(first, Parametric):
        a: Placed = PlacedParametric(first, frame, 1)
        if isinstance(second, Parametric):
            return a, PlacedParametric(second, frame, 2)
        return a, PlacedImplicit(second, frame, 2, a)
    if isinstance(second, Parametric):
        b = PlacedParametric(second, frame, 2)
        return PlacedImplicit(first, frame, 1, b), b
    carrier = PlacedImplicit(first, frame, 1)
    return carrier, PlacedImplicit(second, frame, 2, carrier)


def contact_equations(a: Placed, b: Placed) -> tuple[Expr, ...]:
    """What is zero exactly where the parts meet (Snyder 1993, Equations 1, 4, 8, 11, 13)."""
    if isinstance(a, PlacedParametric) and isinstance(b, PlacedParametric):
        return subtract(a.position, b.position)
    return tuple(e for p in (a, b) if isinstance(p, PlacedImplicit) for e in p.values)
