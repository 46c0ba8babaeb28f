"""Unions, intersections and differences of implicit bodies as a tree.

A complement is carried down to the leaves (De Morgan), so a tree consists of surfaces, unions and intersections only.
The tree is kept, because the creases of a combined surface lie where two of its leaves meet.

A combined body is the closure of its interior, a regularized set (Requicha and Voelcker 1977; Tilove 1980), and its surface is the boundary
of that. So two bodies side by side have no wall between them, a cut as long as its plate is thick leaves no lid, and a body without itself
is empty. The operation, children, leaves, pieces and expression of a combination are those of a tree with the right sign everywhere, in
which leaves that are one surface are one leaf (`coincident`, `joined`, `regularized`).
"""

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import sympy as sp

from codegen.given import shown
from codegen.walk import DEEPEST, free_symbols

from .body import checked_name
from .coincident import Surfaces, frames_of, samples, surfaces_of
from .implicit import BoundaryPiece, ImplicitBody, ImplicitSurface
from .joined import all_or_nothing, joined
from .motion import Motion
from .regularized import Node, Tree, Trees, Untold
from .symbols import latex, x, y, z


class LeafComparison(NamedTuple):
    """The leaves of a combination, in the order in which they were given, as surfaces.

    `tree`: the regularized body. `literals`: for each leaf the number of its surface, negative if it has the other side inside. `doubtful`:
    pairs of leaves that count as two surfaces without a proof that they are two. `as_written`: why the tree stays as it is written though
    some leaves are one surface; empty where it is regularized.
    """

    tree: "Combination"
    literals: Sequence[int]
    doubtful: Sequence[tuple[int, int]]
    as_written: str = ""


class Combination(ImplicitBody):
    """A union (minimum of the functions) or an intersection (maximum) of implicit bodies.

    Parameters
    ----------
    operation : str
        'union' or 'intersection'.
    children : sequence of ImplicitBody
        The operands.
    name : str, optional
        The name in results.
    regular : bool, default True
        Whether the tree is known to have the right sign everywhere. Else it is regularized when it is first used.

    Notes
    -----
    The body is the closure of the interior of the set that the tree describes (Requicha and Voelcker 1977; Tilove 1980). Leaves that their
    formulas prove to be one surface count as one, within a box round the bounds of all of them.
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
            return _compared(self).tree
        body, motion = self._source
        return self if body._regular is body else body._regular._carried_by(motion)

    @property
    def comparison(self) -> LeafComparison | None:
        """The comparison of its leaves; None where the tree is known to be regular."""
        if not self._as_given:
            return None
        return _compared(self) if self._source is None else self._source[0].comparison

    @property
    def operation(self) -> str:
        return self._regular._operation

    @property
    def children(self) -> tuple[ImplicitBody, ...]:
        return self._regular._children

    @property
    def given(self) -> tuple[ImplicitBody, ...]:
        """The operands as they were given."""
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
    def pieces(self) -> tuple[BoundaryPiece, ...]:
        result = []
        for k, child in enumerate(self.children):
            others = self.children[:k] + self.children[k + 1:]
            outside, inside = (others, ()) if self.operation == "union" else ((), others)
            result += [BoundaryPiece(p.leaf, p.outside + outside, p.inside + inside) for p in child.pieces]
        return tuple(result)

    @cached_property
    def faces(self) -> tuple[BoundaryPiece, ...]:
        """The pieces of which no two have an area in common: those of leaves that are one surface with one side inside are one piece.

        Such a piece is where the body is inside on the inner side of the leaf, and not on the outer one. A tree that is not regularized
        has walls, which both sides of a leaf have in common: there these are the pieces.
        """
        told = self.comparison
        often = Counter(p.leaf for p in self.pieces)
        if told is not None and told.as_written:
            return self.pieces
        whole = {leaf: _face(self, leaf) for leaf, times in often.items() if times > 1}
        alone = [p for p in self.pieces if p.leaf not in whole]
        return (*alone, *(p for p in whole.values() if p is not None))

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

    def changed_motions(self, change: Callable[[Motion], Motion]) -> "Combination":
        """The regular tree with other motions of its leaves, by which their places among each other stay."""
        return Combination(self.operation, [c.changed_motions(change) for c in self.children], name=self.name)

    @cached_property
    def samples(self) -> list[tuple[Any, ...]]:
        """Values of the leaves as they were given, as formulas of parameters and the time; none where no leaf changes against others."""
        leaves = given_leaves(self)
        frames = frames_of(leaves)
        changes = any(frame.symbols or free_symbols(leaf.body) - {x, y, z} for leaf, frame in zip(leaves, frames, strict=True))
        return samples(leaves, frames) if changes and self._as_given else []

    @property
    def together(self) -> bool:
        """Whether its leaves keep their shapes and relative places at all times, since one motion carries them all."""
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


ImplicitBody._tree = Combination


def _operands(operation: str, child: ImplicitBody) -> tuple[ImplicitBody, ...]:
    """The operands of a nested combination of the same kind; the child itself otherwise."""
    return child._children if isinstance(child, Combination) and child._operation == operation else (child,)


@functools.lru_cache(maxsize=1024)
def _compared(body: Combination) -> LeafComparison:
    """The comparison of leaves, and a tree that has the right sign everywhere; the body itself where its own tree has."""
    leaves = given_leaves(body)
    frames = frames_of(leaves)
    found = surfaces_of(leaves, frames)
    told = LeafComparison(body, found.literals, found.doubtful)
    if len(found.members) == len(leaves):
        _keep_parts(body)
        return told
    try:
        return told._replace(tree=_regularized(body, leaves, frames, found))
    except Untold as why:
        return told._replace(as_written=str(why))


def _keep_parts(body: Combination) -> None:
    """Lets the parts of a body whose leaves are all different surfaces be as they are, without a comparison of their own."""
    for part in body._children:
        if isinstance(part, Combination):
            part.__dict__.setdefault("_regular", part)
            _keep_parts(part)


def _regularized(body: Combination, leaves: Sequence[ImplicitSurface], frames: Sequence[Motion], found: Surfaces) -> Combination:
    trees, literals = Trees(found.nested), dict(zip(map(id, leaves), found.literals, strict=True))
    tree = trees.regular(_tree_of(body, trees, literals))
    if isinstance(tree, bool):
        return Combination("union", [all_or_nothing(tree, leaves[0])], name=body.name)
    known = {abs(k) for k in (tree.literals if isinstance(tree, Node) else (tree,))}
    own = {k: joined([(leaves[n], frames[n]) for n in found.members[k]], found.literals[found.members[k][0]] > 0) for k in known}
    own |= {-k: leaf.complement() for k, leaf in own.items()}
    whole = _grown(tree, own, body.name)
    return whole if isinstance(whole, Combination) else Combination("union", [whole], name=body.name)


def given_leaves(body: ImplicitBody) -> list[ImplicitSurface]:
    """The leaves in the order in which they were given, those that are one surface each."""
    if isinstance(body, Combination):
        return [leaf for child in body._children for leaf in given_leaves(child)]
    assert isinstance(body, ImplicitSurface), "a body that is not a combination is a leaf"
    return [body]


def _face(body: Combination, leaf: ImplicitSurface) -> BoundaryPiece | None:
    """The part of a leaf on which a body is inside on the inner side alone; None where there is none."""
    inner, outer = (_where(body, leaf, inside) for inside in (True, False))
    if inner is False or outer is True:
        return None
    return BoundaryPiece(leaf, *(() if isinstance(side, bool) else (side,) for side in (outer, inner)))


def _where(body: ImplicitBody, leaf: ImplicitSurface, inside: bool) -> ImplicitBody | bool:
    """A body on one side of a leaf, near it: without the leaf. True: everything; False: nothing."""
    if isinstance(body, Combination):
        union = body.operation == "union"
        parts = [_where(child, leaf, inside) for child in body.children]
        left = [part for part in parts if not isinstance(part, bool)]
        if union in (part for part in parts if isinstance(part, bool)):
            return union
        if not left:
            return not union
        return left[0] if len(left) == 1 else Combination(body.operation, left)
    assert isinstance(body, ImplicitSurface), "a body that is not a combination is a leaf"
    return body if not leaf.same_surface(body) else inside is (body == leaf)


def _tree_of(body: ImplicitBody, trees: Trees, literals: Mapping[int, int]) -> Tree:
    if isinstance(body, Combination):
        return trees.made(body._operation == "union", [_tree_of(child, trees, literals) for child in body._children])
    return literals[id(body)]


def _grown(tree: Tree, own: Mapping[int, ImplicitSurface], name: str | None = None) -> ImplicitBody:
    if isinstance(tree, Node):
        return Combination("union" if tree.union else "intersection", [_grown(child, own) for child in tree.children], name=name)
    return own[tree]
