"""Implicit surfaces F(x, y, z) = 0, positive outside, and their unions, intersections and differences as a tree.

A complement is carried down to the leaves (De Morgan), so a tree consists of surfaces, unions and intersections only.
The tree is kept, because the creases of a combined surface lie where two of its leaves meet. All guarantees concern
what lies inside the bounds, which are given in body coordinates and move with the body.

A combined body is the closure of its interior, a regularized set (Requicha and Voelcker 1977; Tilove 1980), and its surface is the boundary
of that: so a wall between two bodies side by side is none, a cut as long as what it goes through leaves no lid, and a body without itself
is empty. What is asked of a combination, its operation, children, leaves, pieces and expression, is that of a tree with the right sign
everywhere, in which leaves that are one surface are one leaf (`coincident`, `regularized`).
"""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from codegen.given import TEXT, shown
from codegen.walk import DEEPEST

from .body import Body, checked_name
from .coincident import coincidences, frames_of, surfaces_of
from .motion import IDENTITY, Motion
from .regularized import Node, Tree, Trees, Untold
from .symbols import derivative, formula, interval, items, latex, t, text, x, y, z

# By so little of their size, on each side, bounds that are turned by numbers that are rounded are widened.
_WIDER = 64

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

    def changed(self, change: Callable[[Any], Any]) -> "ImplicitBody":
        """This body with all formulas of its leaves, of their bounds and motions changed: leaves may be one surface then that were not."""
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

    def changed(self, change: Callable[[Any], Any]) -> "ImplicitSurface":
        bounds = [tuple(map(change, ends)) for ends in self.bounds]
        return ImplicitSurface(change(self.body), bounds, motion=self.motion.changed(change), name=self.name)

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
    """A union (minimum of the functions) or an intersection (maximum) of implicit bodies.

    Parameters
    ----------
    operation : str
        'union' or 'intersection'.
    children : sequence of ImplicitBody
        What is combined.
    name : str, optional
        What results call it.
    regular : bool, default True
        Is the tree known to have the right sign everywhere? Else it is regularized once it is asked for.

    Notes
    -----
    The body is the closure of the interior of what is combined (Requicha and Voelcker 1977; Tilove 1980). Leaves that are proved by their
    formulas to be one surface count as one, within a box round the bounds of all of them.
    """

    def __init__(self, operation: str, children: Sequence[ImplicitBody], *, name: str | None = None, regular: bool = True) -> None:
        if operation not in ("union", "intersection"):
            raise ValueError(f"a combination is a 'union' or an 'intersection', got {shown(operation)}")
        self._operation, self._name = operation, checked_name(name)
        self._children = tuple(part for child in children for part in _operands(operation, child))
        self._together = False
        self._as_given = not regular
        self._source: tuple[Combination, Motion] | None = None
        self._nesting: int = 1 + max((c._nesting for c in self._children if isinstance(c, Combination)), default=0)
        if self._nesting > DEEPEST:
            raise ValueError(f"unions and intersections must nest in each other at most {DEEPEST} times, got {self._nesting}; write the "
                             "body as a union of intersections, which nests twice")

    @cached_property
    def _regular(self) -> "Combination":
        """The same body as a tree that has the right sign everywhere; this one where it does."""
        if not self._as_given:
            return self
        if self._source is None:
            return _regularized(self)
        body, motion = self._source
        return self if body._regular is body else body._regular._carried_by(motion)

    @property
    def operation(self) -> str:
        return self._regular._operation

    @property
    def children(self) -> tuple[ImplicitBody, ...]:
        return self._regular._children

    @property
    def given(self) -> tuple[ImplicitBody, ...]:
        """What it was made of."""
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
        if not isinstance(motion, Motion):
            raise TypeError(f"a surface moves by a Motion, such as Rigid or Screw, got {shown(motion)}")
        made = self._carried_by(motion)
        made._source = self, motion
        return made

    def _carried_by(self, motion: Motion) -> "Combination":
        return self._with(self._operation, [c.moved(motion) for c in self._children])

    def _with(self, operation: str, children: Sequence[ImplicitBody]) -> "Combination":
        return Combination(operation, children, name=self.name, regular=not self._as_given)

    def at(self, time: Any) -> "Combination":
        return self._with(self._operation, [c.at(time) for c in self._children])

    def complement(self) -> "Combination":
        other = "intersection" if self._operation == "union" else "union"
        return self._with(other, [c.complement() for c in self._children])

    def changed(self, change: Callable[[Any], Any]) -> "Combination":
        if self._source is None:
            return self._with(self._operation, [c.changed(change) for c in self._children])
        body, motion = self._source
        return body.changed(change).moved(motion.changed(change))

    @cached_property
    def coincidences(self) -> tuple[tuple[Any, ...], ...]:
        """Formulas of parameters that are 0 where two leaves are one surface that are not one for most numbers."""
        leaves = _given_leaves(self)
        return tuple(own for own in coincidences(leaves, frames_of(leaves)) if not any(e.has(t) for e in own)) if self._as_given else ()

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
        return self._operation, self._children, self._together, self._as_given

    def __repr__(self) -> str:
        return f"{self._operation}({', '.join(map(repr, self._children))}{self._named_in_repr()})"

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
        return Combination(operation, bodies, name=name, regular=False)
    return bodies[0] if name is None else bodies[0].named(name)


def _operands(operation: str, child: ImplicitBody) -> tuple[ImplicitBody, ...]:
    """The operands of a nested combination of the same kind; the child itself otherwise."""
    return child._children if isinstance(child, Combination) and child._operation == operation else (child,)


@functools.lru_cache(maxsize=1024)
def _regularized(body: Combination) -> Combination:
    """A tree that has the right sign everywhere, wherever surfaces cross; the body itself where its tree has."""
    leaves = _given_leaves(body)
    frames = frames_of(leaves)
    found = surfaces_of(leaves, frames)
    if len(found.members) == len(leaves):
        return body
    trees, literals = Trees(found.nested), dict(zip(map(id, leaves), found.literals, strict=True))
    try:
        tree = trees.regular(_tree_of(body, trees, literals))
        if isinstance(tree, bool):
            return Combination("union", [_all_or_nothing(tree, leaves[0])], name=body.name)
        known = {abs(k) for k in (tree.literals if isinstance(tree, Node) else (tree,))}
        own = {k: _joined([(leaves[n], frames[n]) for n in found.members[k]], found.literals[found.members[k][0]] > 0) for k in known}
    except Untold:
        return body
    own |= {-k: leaf.complement() for k, leaf in own.items()}
    whole = _grown(tree, own, body.name)
    return whole if isinstance(whole, Combination) else Combination("union", [whole], name=body.name)


def _given_leaves(body: ImplicitBody) -> list[ImplicitSurface]:
    if isinstance(body, Combination):
        return [leaf for child in body._children for leaf in _given_leaves(child)]
    assert isinstance(body, ImplicitSurface), "what is no combination is a leaf"
    return [body]


def _tree_of(body: ImplicitBody, trees: Trees, literals: Mapping[int, int]) -> Tree:
    if isinstance(body, Combination):
        return trees.made(body._operation == "union", [_tree_of(child, trees, literals) for child in body._children])
    return literals[id(body)]


def _joined(leaves: Sequence[tuple[ImplicitSurface, Motion]], upright: bool) -> ImplicitSurface:
    """One leaf for leaves, each with its frame, that are one surface, within a box round the bounds of all; `upright`: it is inside where
    the first one is.
    """
    first, frame = leaves[0]
    boxes = dict.fromkeys(leaf.bounds if own == frame else _seen(leaf.bounds, frame.inverse() @ own) for leaf, own in leaves)
    bounds = tuple(_hull([box[c] for box in boxes]) for c in range(3)) if len(boxes) > 1 else first.bounds
    whole = first if bounds == first.bounds else ImplicitSurface(first.body, bounds, motion=first.motion, name=first.name)
    return whole if upright else whole.complement()


def _seen(bounds: Bounds, way: Motion) -> Bounds:
    """A box round bounds that are turned and shifted, at all times; of numbers that are no fractions a wider one."""
    first, second, third = (_reach(row, shift, bounds) for row, shift in zip(way.rotation.tolist(), way.translation, strict=True))
    return first, second, third


def _reach(row: Sequence[Any], shift: Any, bounds: Bounds) -> tuple[Any, Any]:
    """Between which values row . p + shift is, of points p within bounds."""
    if shift.has(t):
        raise Untold
    whole = any(e.has(t) for e in row)
    if whole:
        # The row is of length 1.
        far = sum(float(sp.Max(abs(lo), abs(hi))) ** 2 for lo, hi in bounds) ** 0.5
        row, bounds = (sp.S.One, sp.S.Zero, sp.S.Zero), ((sp.Rational(-far), sp.Rational(far)), *bounds[1:])
    rounded = whole or not all(e.is_Rational or e.free_symbols for e in (*row, shift))
    if rounded:
        row, shift = [sp.Rational(float(e)) for e in row], sp.Rational(float(shift))
    lows, highs = zip(*((sp.Min(r * lo, r * hi), sp.Max(r * lo, r * hi)) for r, (lo, hi) in zip(row, bounds, strict=True)), strict=True)
    lo, hi = sum(lows) + shift, sum(highs) + shift
    more = (hi - lo) / _WIDER if rounded else sp.S.Zero
    return lo - more, hi + more


def _hull(ranges: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    return sp.Min(*(lo for lo, _ in ranges)), sp.Max(*(hi for _, hi in ranges))


def _all_or_nothing(everything: bool, leaf: ImplicitSurface) -> ImplicitSurface:
    """A body without a surface, within the bounds of a leaf: with a function that is nowhere 0."""
    nothing = ImplicitSurface(x**2 + 1, leaf.bounds, motion=leaf.motion)
    return nothing.complement() if everything else nothing


def _grown(tree: Tree, own: Mapping[int, ImplicitSurface], name: str | None = None) -> ImplicitBody:
    if isinstance(tree, Node):
        return Combination("union" if tree.union else "intersection", [_grown(child, own) for child in tree.children], name=name)
    return own[tree]
