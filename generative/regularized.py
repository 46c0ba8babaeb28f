"""Regularized sets as trees: unions and intersections of half-sets, whose functions have the right sign also where several are zero.

A set that is combined of others counts as the closure of its interior (Requicha and Voelcker 1977; Tilove 1980). Trees of minima and maxima
do not tell it where one surface occurs with both of its sides: of two boxes that share a wall the minimum is 0 on the wall, though both
sides of it are inside. Here a tree is rewritten until its sign is that of the regularized set, negative in its interior, positive outside
it, and 0 on its boundary, wherever surfaces cross.

A literal k > 0 is the set G_k < 0, and -k the set G_k > 0. For a surface h that occurs on both sides in different operands, the tree S is
the union of three (Shannon 1949): h and S where h holds, the complement of h and S where h does not hold, and the intersection of both.
Where G_h = 0, the third is negative exactly if both sides are inside. Trees in which each surface occurs on one side, and these, have the
right sign: a tree on one side grows with G_h, so it is 0 there exactly if its signs on both sides differ.

Level sets of one function are nested: where G - 1 < 0, also G - 2 < 0. So boxes side by side become one box.
"""

from collections.abc import Iterable, Sequence

# Unions and intersections that are made at most. A body for which that is too few is left as it is given.
_MOST = 20_000


class Untold(Exception):
    """A tree for which regularizing takes more unions and intersections than are made, or leaves that are one surface, but in no box."""


class Node:
    """A union, or an intersection, of literals and nodes: each is made once, so equal ones are the same object."""

    __slots__ = ("children", "literals", "union")

    def __init__(self, union: bool, children: tuple["Tree", ...]) -> None:
        self.union, self.children = union, children
        self.literals: frozenset[int] = frozenset().union(*(c.literals if isinstance(c, Node) else (c,) for c in children))


Tree = bool | int | Node
"""True: everything; False: nothing; a literal; or a node."""


class Trees:
    """Trees over literals. `nested`: chains of numbers k of surfaces, of each chain the sets G_k < 0 hold the earlier ones."""

    def __init__(self, nested: Iterable[Sequence[int]]) -> None:
        self._wider, self._narrower, self._known = dict[int, frozenset[int]](), dict[int, frozenset[int]](), dict[object, Tree]()
        for chain in nested:
            for at, k in enumerate(chain):
                self._narrower[k], self._wider[k] = frozenset(chain[:at + 1]), frozenset(chain[at:])

    def made(self, union: bool, parts: Iterable[Tree]) -> Tree:
        """The union or intersection, without what is seen to be of no account: beside a literal others are as they are where it does not
        hold, in a union, or where it holds, in an intersection.
        """
        left, done = self._flat(union, parts), set[int]()
        while not isinstance(left, bool):
            new = next((c for c in left if isinstance(c, int) and c not in done), None)
            if new is None:
                break
            done.add(new)
            left = self._flat(union, [c if c == new else self.where(c, new, not union) for c in left])
        if isinstance(left, bool):
            return left
        return left[0] if len(left) == 1 else self._node(union, tuple(left))

    def _flat(self, union: bool, parts: Iterable[Tree]) -> list[Tree] | bool:
        """The operands, each once; or what the whole is if one of them says so, or if there is none."""
        found = dict[Tree, None]()
        for part in parts:
            if isinstance(part, bool):
                if part is union:
                    return union
            elif isinstance(part, Node) and part.union is union:
                found.update(dict.fromkeys(part.children))
            else:
                found[part] = None
        return list(found) or not union

    def _node(self, union: bool, children: tuple[Tree, ...]) -> Node:
        key = union, frozenset(children)
        if key not in self._known:
            if len(self._known) > _MOST:
                raise Untold
            self._known[key] = Node(union, children)
        node = self._known[key]
        assert isinstance(node, Node)
        return node

    def where(self, tree: Tree, literal: int, holds: bool) -> Tree:
        """The tree where a literal holds, or does not hold."""
        if isinstance(tree, bool):
            return tree
        inside = (literal > 0) is holds
        told = (self._wider if inside else self._narrower)[abs(literal)]
        if isinstance(tree, int):
            return tree if abs(tree) not in told else (tree > 0) is inside
        if not any(abs(k) in told for k in tree.literals):
            return tree
        key = tree, abs(literal), inside
        if key not in self._known:
            if len(self._known) > _MOST:
                raise Untold
            self._known[key] = self.made(tree.union, [self.where(c, literal, holds) for c in tree.children])
        return self._known[key]

    def regular(self, tree: Tree) -> Tree:
        """The regularized tree of one whose operands need not be."""
        if not isinstance(tree, Node):
            return tree
        key = tree, "regular"
        if key not in self._known:
            self._known[key] = self._regular(tree)
        return self._known[key]

    def _regular(self, tree: Node) -> Tree:
        units = [u for u in map(self.regular, tree.children) if u is not (not tree.union)]
        while not any(u is tree.union for u in units) and (split := self._on_both_sides(units)) is not None:
            surface, own = split
            whole = self._divided(self.made(tree.union, own), surface)
            units = [u for u in (whole, *(u for u in units if u not in own)) if u is not (not tree.union)]
        return self.made(tree.union, units)

    @staticmethod
    def _on_both_sides(units: Sequence[Tree]) -> tuple[int, list[Tree]] | None:
        """A surface on both sides of which there are units, several in all, and these; the one with the fewest."""
        found = dict[int, list[Tree]]()
        for unit in units:
            for k in unit.literals if isinstance(unit, Node) else (unit,):
                found.setdefault(k, []).append(unit)
        both = {k: list(dict.fromkeys(found[k] + found[-k])) for k in found if k > 0 and -k in found}
        several = [(k, own) for k, own in both.items() if len(own) > 1]
        return min(several, key=lambda e: (len(e[1]), e[0])) if several else None

    def _divided(self, tree: Tree, surface: int) -> Tree:
        """The regularized tree by both sides of a surface."""
        inside, outside = (self.regular(self.where(tree, surface, holds)) for holds in (True, False))
        if inside is outside:
            return inside
        both = self.regular(self.made(False, (inside, outside)))
        sides = self.made(False, (surface, inside)), self.made(False, (-surface, outside))
        return self.made(True, self._needed([both, *sides]))

    def _needed(self, parts: Sequence[Tree]) -> list[Tree]:
        """Without parts that lie in others."""
        left = [part for part in parts if part is not False]
        for part in list(left):
            if any(other is not part and self._lies_in(part, other) for other in left):
                left.remove(part)
        return left

    def _lies_in(self, part: Tree, other: Tree) -> bool:
        """Is a part, seen by its operands alone, in another one?"""
        if isinstance(part, bool) or isinstance(other, bool):
            return part is False or other is True
        return all(any(self._implies(a, b) for a in _operands(part)) for b in _operands(other))

    def _implies(self, a: Tree, b: Tree) -> bool:
        if isinstance(a, Node) or isinstance(b, Node):
            return a is b
        return (a > 0) is (b > 0) and abs(b) in (self._wider if a > 0 else self._narrower)[abs(a)]


def _operands(part: Tree) -> tuple[Tree, ...]:
    """Those of an intersection; else the part alone."""
    return part.children if isinstance(part, Node) and not part.union else (part,)

