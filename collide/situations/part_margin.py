"""Parts of bodies whose leaves are quadrics: which points of them are on the surface of the body, measured by one function.

A body is made of its leaves by minima (unions) and maxima (intersections). Where the leaves that a part lies on are 0, the body's
function F is 0 at points of the part's pieces: what a leaf is united with is >= 0 there, so the leaf is the minimum, and so on up the
tree. And where F is 0, the point is on the surface of the body, by that leaf which makes F 0. So -|F|, the least of F and -F, is not
negative exactly on the surface. Leaves of which it is known which sign they have throughout a box are left out of F.
"""

import functools
from collections.abc import Sequence

import numpy as np

from codegen.algebra.margin import Margin, Pair

from ..bodies.cells import Cell
from .occupancy import LeafTree
from .quadrics import Quadrics

Signs = tuple[np.ndarray, np.ndarray]
"""(leaves,) each: which functions of leaves may be >= 0 in a box, and which <= 0."""

# No point is on the surface.
_NOWHERE = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [-1.0, -1.0]])


class Measure:
    """A measure of a part of a body in a box, in which leaves have these `signs`, by coordinates in the frame of its first leaf: the least
    of what is added.
    """

    def __init__(self, part: Cell, tree: LeafTree, quadrics: Quadrics, signs: Signs) -> None:
        (self._leaves, self._planes), self._tree, self._quadrics = tree.numbers(part), tree, quadrics
        self._frame, self._margin, self._found = int(quadrics.frames[self._leaves[0]]), Margin(), list[Pair]()
        own = {k for leaf in self._leaves for k in tree.alike[leaf]}
        up, down = (np.array(may) for may in signs)
        told = tree.total.copy()
        told[list(own)] = False
        up[~told] = down[~told] = True
        self._own, self._doubt = own, np.flatnonzero(up & down)
        self._formula = tree.formula.reduced(up, down)
        self._leaf = functools.cache(self._made)

    def on_surface(self) -> bool:
        """Not negative exactly on the surface of the body, where the leaves of the part are 0; False if that cannot be measured."""
        if self._formula is None:
            self._found.append(self._margin.plane(_NOWHERE))
            return True
        usable, needed = self._quadrics.usable(self._frame), self._formula.needed()
        if not all(usable[k] for k in self._doubt[needed].tolist() if k not in self._own):
            return False
        value = self._formula.folded(lambda k: self._leaf(int(self._doubt[k])), self._margin.least, self._margin.greatest)
        if set(self._doubt[needed].tolist()) - self._own:
            self._found.append(self._thin(value))
        return True

    def within_bounds(self, leaves: Sequence[int]) -> None:
        """Not negative exactly within the bounds of leaves of the part, by their numbers there."""
        self._found += [self._quadrics.within(self._margin, self._frame, self._leaves[k]) for k in leaves]

    def on_leaves(self) -> bool:
        """Not negative exactly where the leaves of the part are 0, and on its sides; False if that cannot be measured."""
        usable = self._quadrics.usable(self._frame)
        if not all(usable[k] for k in self._leaves):
            return False
        self._found += [self._thin(self._quadrics.add(self._margin, self._frame, k)) for k in self._leaves]
        planes = (self._tree.planes[k - len(self._tree.total)] for k in self._planes)
        self._found += [self._thin(self._quadrics.beyond(self._margin, self._frame, *plane)) for plane in planes]
        return True

    def made(self) -> Margin | None:
        """None if it is never negative."""
        return self._margin.end(functools.reduce(self._margin.least, self._found)) if self._found else None

    def _made(self, leaf: int) -> Pair:
        return self._margin.zero() if leaf in self._own else self._quadrics.add(self._margin, self._frame, leaf)

    def _thin(self, value: Pair) -> Pair:
        """-|value|"""
        return self._margin.least(value, self._margin.opposite(value))
