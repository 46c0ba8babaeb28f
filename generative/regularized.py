"""Regularized sets as trees: unions and intersections of half-sets, whose functions have the right sign also where several are zero.

A set that is combined of others counts as the closure of its interior (Requicha and Voelcker 1977; Tilove 1980). Trees of minima and maxima
do not tell it where one surface occurs with both of its sides: of two boxes that share a wall the minimum is 0 on the wall, though both
sides of it are inside. Here a tree is rewritten until its sign is that of the regularized set, negative in its interior, positive outside
it, and 0 on its boundary, wherever surfaces cross.

A literal k > 0 is the set G_k < 0, and -k the set G_k > 0. Level sets of one function are nested: where G - 1 < 0, also G - 2 < 0. Surfaces
that occur on both sides in different operands, of one such chain, divide space into layers, in each of which the tree S is another one (as
Shannon 1949 has it for one surface). S is the union of the layers, each with its tree, and of runs of neighbouring layers, each with the
intersection of their trees. Where a surface between two layers is 0, the run of both is negative exactly if both sides are inside. Trees in
which each surface occurs on one side, and these, have the right sign: a tree on one side grows with G_h, so it is 0 there exactly if its
signs on both sides differ. Runs that lie in others are left out, so boxes side by side become one box.
"""

from collections.abc import Iterable, Sequence

# Unions and intersections that are made at most. A body that takes more is left as it is given, and answers say so.
_MOST = 20_000
# Of so many layers all runs are made, of more those of two.
_LAYERS = 24


class Untold(Exception):
    """The reason for which a tree is left as it is written: regularizing takes too many operations, or no box holds leaves that are one
    surface.
    """


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
        self._chains = [*map(tuple, nested)]
        for chain in self._chains:
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
        """The operands, each once; or the whole as a truth value, if one of them decides it, or if there is none."""
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
                raise Untold(f"regularizing it takes more than {_MOST} unions and intersections")
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
                raise Untold(f"regularizing it takes more than {_MOST} unions and intersections")
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
        while not any(u is tree.union for u in units) and (found := self._on_both_sides(units)) is not None:
            surfaces, own = found
            whole = self._layered(self.made(tree.union, own), surfaces)
            units = [u for u in (whole, *(u for u in units if u not in own)) if u is not (not tree.union)]
        return self.made(tree.union, units)

    def _on_both_sides(self, units: Sequence[Tree]) -> tuple[list[int], list[Tree]] | None:
        """Surfaces of a chain on both sides of which there are units, of each several, and these; of the chain with the fewest."""
        beside = dict[int, dict[Tree, None]]()
        for unit in units:
            for k in unit.literals if isinstance(unit, Node) else (unit,):
                beside.setdefault(k, {})[unit] = None
        both = {k: {**own, **beside[-k]} for k, own in beside.items() if k > 0 and -k in beside}
        divided = ([k for k in chain if len(both.get(k, ())) > 1] for chain in self._chains)
        found = [(surfaces, list(dict.fromkeys(u for k in surfaces for u in both[k]))) for surfaces in divided if surfaces]
        return min(found, key=lambda e: len(e[1])) if found else None

    def _layered(self, tree: Tree, surfaces: Sequence[int]) -> Tree:
        """The regularized tree by the layers between surfaces, each of which has the earlier ones inside."""
        layers = [self.regular(self._between(tree, *ends)) for ends in _ends(surfaces)]
        runs = list[Tree]()
        for first, whole in enumerate(layers):
            for last in range(first, len(layers) if len(layers) <= _LAYERS else min(first + 2, len(layers))):
                whole = whole if last == first else self.regular(self.made(False, (whole, layers[last])))
                if whole is False:
                    break
                runs.append(self.made(False, [*_sides(surfaces, first, last), whole]))
        return self.made(True, self._needed(runs))

    def _between(self, tree: Tree, inner: int | None, outer: int | None) -> Tree:
        tree = tree if inner is None else self.where(tree, inner, False)
        return tree if outer is None else self.where(tree, outer, True)

    def _needed(self, parts: Sequence[Tree]) -> list[Tree]:
        """Without parts that lie in others."""
        left = [part for part in parts if part is not False]
        for part in list(left):
            if any(other is not part and self._lies_in(part, other) for other in left):
                left.remove(part)
        return left

    def _lies_in(self, part: Tree, other: Tree) -> bool:
        """Whether a part, by its operands alone, lies in another one."""
        if isinstance(part, bool) or isinstance(other, bool):
            return part is False or other is True
        return all(any(self._implies(a, b) for a in _operands(part)) for b in _operands(other))

    def _implies(self, a: Tree, b: Tree) -> bool:
        if isinstance(a, Node) or isinstance(b, Node):
            return a is b
        return (a > 0) is (b > 0) and abs(b) in (self._wider if a > 0 else self._narrower)[abs(a)]


def _ends(surfaces: Sequence[int]) -> list[tuple[int | None, int | None]]:
    """The surface that each layer is outside of, and the one that it is inside of."""
    return list(zip((None, *surfaces), (*surfaces, None), strict=True))


def _sides(surfaces: Sequence[int], first: int, last: int) -> list[int]:
    """The literals of a run of layers."""
    return [*(-k for k in surfaces[first - 1:first] if first), *surfaces[last:last + 1]]


def _operands(part: Tree) -> tuple[Tree, ...]:
    """The operands of an intersection; else the part alone."""
    return part.children if isinstance(part, Node) and not part.union else (part,)

