"""Implicit surfaces F(x, y, z) = 0, positive outside, and the base that they share with combined bodies.

All guarantees concern the space inside the bounds, which are given in body coordinates and move with the body. `combination` builds unions,
intersections and differences as trees of these surfaces.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from codegen.given import TEXT, shown
from codegen.walk import survey

from .body import Body, checked_name
from .motion import IDENTITY, Motion
from .symbols import derivative, formula, interval, items, latex, t, text, x, y, z

Bounds = tuple[tuple[Any, Any], tuple[Any, Any], tuple[Any, Any]]


class ImplicitBody(Body):
    """Common base of implicit surfaces and their combinations: ``a | b``, ``a & b``, ``a - b``, ``~a``."""

    # The class of unions and intersections. `combination`, which builds on this module, sets it.
    _tree: ClassVar[Callable[..., "ImplicitBody"]]

    @property
    def expression(self) -> Any:
        """F in world coordinates: positive outside, negative inside, an expression in x, y, z (and t)."""
        raise NotImplementedError

    @property
    def leaves(self) -> tuple["ImplicitSurface", ...]:
        """The implicit surfaces at the leaves of the tree."""
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

    def changed(self, change: Callable[[Any], Any]) -> "ImplicitBody":
        """The body with all formulas of leaves, bounds and motions changed. Leaves that were two surfaces may be one then."""
        raise NotImplementedError

    def changed_motions(self, change: Callable[[Motion], Motion]) -> "ImplicitBody":
        """This body with other motions of its leaves, by which their places among each other stay."""
        raise NotImplementedError

    @property
    def pieces(self) -> tuple["BoundaryPiece", ...]:
        """For each leaf the part of its surface that can be on the surface of the whole (Snyder 1993, Section 2.2)."""
        raise NotImplementedError

    @property
    def faces(self) -> tuple["BoundaryPiece", ...]:
        """Pieces of which no two have an area in common, which together are the surface."""
        return self.pieces

    def __or__(self, other: "ImplicitBody") -> "ImplicitBody":
        return union(self, other)

    def __and__(self, other: "ImplicitBody") -> "ImplicitBody":
        return intersection(self, other)

    def __sub__(self, other: "ImplicitBody") -> "ImplicitBody":
        return difference(self, other)

    def __invert__(self) -> "ImplicitBody":
        return self.complement()


@dataclass(frozen=True)
class BoundaryPiece:
    """The points of `leaf` = 0 with every body of `outside` >= 0 and every body of `inside` <= 0 there."""

    leaf: "ImplicitSurface"
    outside: tuple[ImplicitBody, ...] = ()
    inside: tuple[ImplicitBody, ...] = ()


class ImplicitSurface(ImplicitBody):
    """The surface F = 0 of an expression in x, y, z (and t, for one that deforms), positive outside, within `bounds`.

    `bounds` are three pairs of numbers, for x, y and z, in body coordinates, or {x: pair, ...}: the surface is closed, and ends
    where it reaches them.
    `name`: what results call it. Immutable; `moved` gives a new surface.

    >>> from generative import ImplicitSurface, x, y, z
    >>> ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2)] * 3)
    ImplicitSurface(x**2 + y**2 + z**2 - 1, bounds=[(-2, 2), (-2, 2), (-2, 2)])
    """

    def __init__(self, expression: Any, bounds: Any = None, *, motion: Motion = IDENTITY, name: str | None = None) -> None:
        if isinstance(bounds, Mapping) and bounds.keys() == {x, y, z}:
            bounds = [bounds[s] for s in (x, y, z)]
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
        return t in survey(self.body).symbols

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
    def pieces(self) -> tuple[BoundaryPiece, ...]:
        return (BoundaryPiece(self),)

    def moved(self, motion: Motion) -> "ImplicitSurface":
        """This surface carried along by `motion`, after the motion it has already."""
        if not isinstance(motion, Motion):
            raise TypeError(f"a surface moves by a Motion, such as Rigid or Screw, got {shown(motion)}")
        placed = ImplicitSurface.__new__(ImplicitSurface)
        placed._body, placed._bounds, placed._motion, placed._name = self._body, self._bounds, motion @ self._motion, self._name
        return placed

    def at(self, time: Any) -> "ImplicitSurface":
        """This surface with t replaced by a number or by an expression of t."""
        body = self.body.xreplace({t: formula(time, [t], "a time")})
        return ImplicitSurface(body, self.bounds, motion=self.motion.at(time), name=self.name)

    def complement(self) -> "ImplicitSurface":
        """The same surface with inside and outside exchanged."""
        return ImplicitSurface(self._negative, self.bounds, motion=self.motion, name=self.name)

    def changed(self, change: Callable[[Any], Any]) -> "ImplicitSurface":
        bounds = [tuple(map(change, ends)) for ends in self.bounds]
        return ImplicitSurface(change(self.body), bounds, motion=self.motion.changed(change), name=self.name)

    def changed_motions(self, change: Callable[[Motion], Motion]) -> "ImplicitSurface":
        return ImplicitSurface(self.body, self.bounds, motion=change(self.motion), name=self.name)

    def same_surface(self, other: "ImplicitSurface") -> bool:
        """Whether `other` is this surface, or its complement."""
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


def union(*bodies: ImplicitBody, name: str | None = None) -> ImplicitBody:
    """The points inside at least one of the bodies, with those between them: the closure of its interior."""
    return _combine("union", bodies, name)


def intersection(*bodies: ImplicitBody, name: str | None = None) -> ImplicitBody:
    """The closure of the interior of what is inside all of the bodies: where they only touch, nothing."""
    return _combine("intersection", bodies, name)


def difference(body: ImplicitBody, *taken_away: ImplicitBody, name: str | None = None) -> ImplicitBody:
    """The closure of what is inside the first body and outside all others: faces that coincide leave no skin."""
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
        return ImplicitBody._tree(operation, bodies, name=name, regular=False)
    return bodies[0] if name is None else bodies[0].named(name)
