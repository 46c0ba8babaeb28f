"""Implicit surfaces F(x, y, z) = 0, positive outside, and their unions, intersections and differences as a tree.

A complement is carried down to the leaves (De Morgan), so a tree consists of surfaces, unions and intersections only.
The tree is kept, because the creases of a combined surface lie where two of its leaves meet. All guarantees concern
what lies inside the bounds, which are given in body coordinates and move with the body.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from codegen.given import TEXT, shown
from codegen.walk import DEEPEST

from .body import Body, checked_name
from .motion import IDENTITY, Motion
from .symbols import derivative, formula, interval, items, latex, t, text, x, y, z

Bounds = tuple[tuple[Any, Any], tuple[Any, Any], tuple[Any, Any]]


class ImplicitBody(Body):
    """Common base of implicit surfaces and their combinations: ``a | b``, ``a & b``, ``a - b``, ``~a``."""

    @property
    def expression(self) -> Any:
        """F in world coordinates: positive outside, negative inside, an expression in x, y, z (and t)."""
        raise NotImplementedError

    @property
    def leaves(self) -> tuple["ImplicitSurface", ...]:
        """The implicit surfaces that it is made of."""
        raise NotImplementedError

    def moved(self, motion: Motion) -> "ImplicitBody":
        """This body carried along by `motion`, after the motions its leaves have already."""
        raise NotImplementedError

    def at(self, time: Any) -> "ImplicitBody":
        """This body with t replaced by a number or by an expression of t."""
        raise NotImplementedError

    def complement(self) -> "ImplicitBody":
        """The same surface with inside and outside exchanged."""
        raise NotImplementedError

    @property
    def pieces(self) -> tuple["Piece", ...]:
        """One a leaf: where that leaf's surface can be part of the surface of the whole (Snyder 1993, Section 2.2)."""
        raise NotImplementedError

    def __or__(self, other: "ImplicitBody") -> "ImplicitBody":
        return union(self, other)

    def __and__(self, other: "ImplicitBody") -> "ImplicitBody":
        return intersection(self, other)

    def __sub__(self, other: "ImplicitBody") -> "ImplicitBody":
        return difference(self, other)

    def __invert__(self) -> "ImplicitBody":
        return self.complement()


@dataclass(frozen=True)
class Piece:
    """The points of `leaf` = 0 with every body of `outside` >= 0 and every body of `inside` <= 0 there."""

    leaf: "ImplicitSurface"
    outside: tuple[ImplicitBody, ...] = ()
    inside: tuple[ImplicitBody, ...] = ()


class ImplicitSurface(ImplicitBody):
    """The surface F = 0 of an expression in x, y, z (and t, for one that deforms), positive outside, within `bounds`.

    `bounds` are three pairs of numbers, for x, y and z, in body coordinates: the surface is closed, and ends where it reaches them.
    `name`: what results call it. Immutable; `moved` gives a new surface.

    >>> from generative import ImplicitSurface, x, y, z
    >>> ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2)] * 3)
    ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2), (-2, 2), (-2, 2)])
    """

    def __init__(self, expression: Any, bounds: Any = None, *, motion: Motion = IDENTITY, name: str | None = None) -> None:
        if not isinstance(bounds, Iterable) or isinstance(bounds, (*TEXT, Mapping)) or len(bounds := items(bounds, "bounds")) != 3:
            raise ValueError(f"an implicit surface needs bounds=[(xlo, xhi), (ylo, yhi), (zlo, zhi)], got {shown(bounds)}")
        if not isinstance(motion, Motion):
            raise TypeError(f"a surface moves by a Motion, such as Rigid or Screw, got {shown(motion)}")
        self._body = formula(expression, [x, y, z, t], "an implicit surface")
        if not self._body.has(x, y, z):
            raise ValueError(f"the implicit surface {self._body} = 0 contains none of x, y and z")
        bx, by, bz = (interval(b, f"the bound of {s}") for b, s in zip(bounds, "xyz", strict=True))
        self._bounds: Bounds = (bx, by, bz)
        self._motion, self._name = motion, checked_name(name)

    @property
    def body(self) -> Any:
        """F in body coordinates."""
        return self._body

    @property
    def bounds(self) -> Bounds:
        """Three pairs of exact numbers, in body coordinates: the surface is what lies within them."""
        return self._bounds

    @property
    def motion(self) -> Motion:
        return self._motion

    @property
    def deforming(self) -> bool:
        """Whether F in body coordinates depends on time."""
        return bool(self.body.has(t))

    @cached_property
    def coordinates(self) -> tuple[Any, Any, Any]:
        """Body coordinates of the world point (x, y, z): rotation^T ((x, y, z) - translation)."""
        if self.motion.is_identity:
            return x, y, z
        shifted = [s - d for s, d in zip((x, y, z), self.motion.translation, strict=True)]
        return self.motion.inverse().turn(shifted)

    @cached_property
    def expression(self) -> Any:
        return self.body.xreplace(dict(zip((x, y, z), self.coordinates, strict=True)))

    @cached_property
    def gradient(self) -> tuple[Any, Any, Any]:
        """The outward direction in the world: rotation times the gradient in the body's frame."""
        change = dict(zip((x, y, z), self.coordinates, strict=True))
        return self.motion.turn([derivative(self.body, s).xreplace(change) for s in (x, y, z)])

    @property
    def leaves(self) -> tuple["ImplicitSurface", ...]:
        return (self,)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return (Piece(self),)

    def moved(self, motion: Motion) -> "ImplicitSurface":
        """This surface carried along by `motion`, after the motion it has already."""
        if not isinstance(motion, Motion):
            raise TypeError(f"a surface moves by a Motion, such as Rigid or Screw, got {shown(motion)}")
        return ImplicitSurface(self.body, self.bounds, motion=motion @ self.motion, name=self.name)

    def at(self, time: Any) -> "ImplicitSurface":
        """This surface with t replaced by a number or by an expression of t."""
        body = self.body.xreplace({t: formula(time, [t], "a time")})
        return ImplicitSurface(body, self.bounds, motion=self.motion.at(time), name=self.name)

    def complement(self) -> "ImplicitSurface":
        """The same surface with inside and outside exchanged."""
        return ImplicitSurface(self._negative, self.bounds, motion=self.motion, name=self.name)

    def same_surface(self, other: "ImplicitSurface") -> bool:
        """Is `other` this surface, or its complement?"""
        if self is other:
            return True
        return (self.bounds, self.motion) == (other.bounds, other.motion) and other.body in (self.body, self._negative)

    @cached_property
    def _negative(self) -> Any:
        return -self.body

    def _key(self) -> tuple[Any, ...]:
        return self.body, self.bounds, self.motion

    def __repr__(self) -> str:
        moved = "" if self.motion.is_identity else f".moved({self.motion!r})"
        return f"ImplicitSurface({text(self.body)}, bounds={text(list(self.bounds))}{self._named_in_repr()}){moved}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {latex(self.expression)} = 0$"


class Combination(ImplicitBody):
    """A union (minimum of the functions) or an intersection (maximum) of implicit bodies."""

    def __init__(self, operation: str, children: Sequence[ImplicitBody], *, name: str | None = None) -> None:
        if operation not in ("union", "intersection"):
            raise ValueError(f"a combination is a 'union' or an 'intersection', got {shown(operation)}")
        self._operation, self._name = operation, checked_name(name)
        self._children = tuple(part for child in children for part in _operands(operation, child))
        self._together = False
        self._nesting: int = 1 + max((c._nesting for c in self._children if isinstance(c, Combination)), default=0)
        if self._nesting > DEEPEST:
            raise ValueError(f"unions and intersections must nest in each other at most {DEEPEST} times, got {self._nesting}; write the "
                             "body as a union of intersections, which nests twice")

    @property
    def operation(self) -> str:
        return self._operation

    @property
    def children(self) -> tuple[ImplicitBody, ...]:
        return self._children

    @cached_property
    def expression(self) -> Any:
        parts = [c.expression for c in self.children]
        # Unevaluated: SymPy would spend long on comparing the operands.
        return (sp.Min if self.operation == "union" else sp.Max)(*parts, evaluate=False)

    @cached_property
    def leaves(self) -> tuple[ImplicitSurface, ...]:  # type: ignore[override]
        return tuple(leaf for c in self.children for leaf in c.leaves)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        result = []
        for k, child in enumerate(self.children):
            others = self.children[:k] + self.children[k + 1:]
            outside, inside = (others, ()) if self.operation == "union" else ((), others)
            result += [Piece(p.leaf, p.outside + outside, p.inside + inside) for p in child.pieces]
        return tuple(result)

    def moved(self, motion: Motion) -> "Combination":
        return Combination(self.operation, [c.moved(motion) for c in self.children], name=self.name)

    def at(self, time: Any) -> "Combination":
        return Combination(self.operation, [c.at(time) for c in self.children], name=self.name)

    def complement(self) -> "Combination":
        other = "intersection" if self.operation == "union" else "union"
        return Combination(other, [c.complement() for c in self.children], name=self.name)

    @property
    def together(self) -> bool:
        """Do its leaves keep their shapes and their places to each other, whatever the time, since one motion carries them all?"""
        return self._together or (len({leaf.motion.mover for leaf in self.leaves}) == 1 and not any(leaf.deforming for leaf in self.leaves))

    def _carried_along(self) -> "Combination":
        """The same, known to be `together`: the formulas of a family do not show it."""
        made = Combination.__new__(Combination)
        made.__dict__ |= self.__getstate__() | {"_together": True}
        return made

    def _key(self) -> tuple[Any, ...]:
        return self.operation, self.children, self._together

    def __repr__(self) -> str:
        return f"{self.operation}({', '.join(map(repr, self.children))}{self._named_in_repr()})"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {latex(self.expression)} = 0$"


def union(*bodies: ImplicitBody, name: str | None = None) -> ImplicitBody:
    """The points inside at least one of the bodies."""
    return _combine("union", bodies, name)


def intersection(*bodies: ImplicitBody, name: str | None = None) -> ImplicitBody:
    """The points inside all of the bodies."""
    return _combine("intersection", bodies, name)


def difference(body: ImplicitBody, *taken_away: ImplicitBody, name: str | None = None) -> ImplicitBody:
    """The points inside the first body and outside all others."""
    return _combine("intersection", (body, *(complement(b) for b in taken_away)), name)


def complement(body: ImplicitBody) -> ImplicitBody:
    """Inside and outside exchanged; the bounds stay, since the surface does."""
    _combine("union", (body,))
    return body.complement()


def _combine(operation: str, bodies: Sequence[ImplicitBody], name: str | None = None) -> ImplicitBody:
    for b in bodies:
        if not isinstance(b, ImplicitBody):
            raise TypeError(f"{operation} combines implicit surfaces only, got {type(b).__name__}")
    if not bodies:
        raise ValueError(f"{operation} needs at least one implicit surface")
    if len(bodies) > 1:
        return Combination(operation, bodies, name=name)
    return bodies[0] if name is None else bodies[0].named(name)


def _operands(operation: str, child: ImplicitBody) -> tuple[ImplicitBody, ...]:
    """The operands of a nested combination of the same kind; the child itself otherwise."""
    return child.children if isinstance(child, Combination) and child.operation == operation else (child,)
