"""Unions and intersections of leaves, of whose functions only the signs are known."""

import functools
from collections.abc import Callable
from typing import TypeVar

import numpy as np

Value = TypeVar("Value")
Node = tuple[bool, list[int]]
"""Whether a node is a union, and the leaves and nodes of which it is made."""

_NEGATIVE, _POSITIVE = -1, -2


class LeafFormula:
    """The formula of so many leaves. `nodes` are numbered after the leaves, each after its children."""

    def __init__(self, count: int, nodes: list[Node], root: int) -> None:
        self._count, self._nodes, self._root = count, nodes, root

    def shown(self, up: np.ndarray, down: np.ndarray) -> np.ndarray:
        """(n, leaves): whether points of a leaf may be on the surface of the body where its functions may be >= 0, `up`, and <= 0, `down`.
        """
        ups, downs = list(np.ascontiguousarray(up.T)), list(np.ascontiguousarray(down.T))
        for union, children in self._nodes:
            own, other = np.stack([ups[k] for k in children]), np.stack([downs[k] for k in children])
            ups.append(own.all(axis=0) if union else own.any(axis=0))
            downs.append(other.any(axis=0) if union else other.all(axis=0))
        found = np.zeros((self._count + len(self._nodes), len(up)), bool)
        found[self._root] = True
        for k, (union, children) in reversed([*enumerate(self._nodes, self._count)]):
            hidden = ~np.stack([(ups if union else downs)[child] for child in children])
            others = hidden.sum(axis=0) - hidden
            for child, hiding in zip(children, others, strict=True):
                found[child] |= found[k] & (hiding == 0)
        return found[:self._count].T

    def reduced(self, up: np.ndarray, down: np.ndarray) -> "LeafFormula | None":
        """That of the leaves alone that may be both >= 0, `up`, and <= 0, `down` (leaves,), where all others are as these say; None where
        none of these leaves is shown.

        What has a sign is neutral to the node that it is in, and left out, or gives that node its sign, and hides all leaves in it.
        """
        doubt = up & down
        told = np.where(doubt, np.cumsum(doubt) - 1, np.where(up, _POSITIVE, _NEGATIVE)).tolist()
        count, nodes = int(doubt.sum()), list[Node]()
        for union, children in self._nodes:
            own = [told[k] for k in children]
            ruling, neutral = (_NEGATIVE, _POSITIVE) if union else (_POSITIVE, _NEGATIVE)
            left = [k for k in own if k >= 0]
            if ruling in own or not left:
                told.append(ruling if ruling in own else neutral)
            elif len(left) == 1:
                told.append(left[0])
            else:
                nodes.append((union, left))
                told.append(count + len(nodes) - 1)
        return LeafFormula(count, nodes, told[self._root]) if told[self._root] >= 0 else None

    def needed(self) -> list[int]:
        """The leaves that its root is made of."""
        found = set[int]()
        self.folded(lambda k: found.add(k), lambda a, b: None, lambda a, b: None)
        return sorted(found)

    def folded(self, leaf: Callable[[int], Value], least: Callable[[Value, Value], Value], greatest: Callable[[Value, Value], Value],
               ) -> Value:
        """The value of the root: those of leaves by their numbers, the least of each two in unions, the greatest in intersections."""
        def value(k: int) -> Value:
            if k < self._count:
                return leaf(k)
            union, children = self._nodes[k - self._count]
            return functools.reduce(least if union else greatest, map(value, children))

        return value(self._root)
