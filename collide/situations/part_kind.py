"""Parts of combined bodies by their kinds: what those have in common that differ in numbers alone.

A part is given by the formulas of the leaves that matter there, by the motion of the whole body, and by where the frames of the leaves are
in what moves so: all numbers in these are symbols, in an order of their own. So it does not matter which leaves of which body they are, and
what is derived from the formulas of a kind, code above all, is derived once.
"""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.algebra.margin import TERMS, Margin
from codegen.walk import replaced
from generative import ImplicitBody, ImplicitSurface, Motion, Rigid, x, y, z
from generative.combination import Combination
from generative.implicit import BoundaryPiece
from generative.products import Product
from generative.resting import symbols_of
from generative.template import read, write

from ..bodies.cells import Side
from ..bodies.implicit_parts import Implicit
from ..bodies.motions import renamed
from ..bodies.numbers import Numbers
from .carriers import carrier_of, product_of
from .placed_leaves import coefficients_of

Tree = int | tuple[Any, ...]
"""The number of a leaf, or an operation and the trees of its operands."""


class _Leaf(NamedTuple):
    """The instructions of its function, and of the ends of its bounds if the part lies on it, which have so many numbers; and the number of
    its frame, -1 for the one that all are carried in where there is no other.
    """

    formulas: Any
    numbers: int
    frame: int


class _Kind(NamedTuple):
    """All of a part but its numbers. `motion` has so many symbols `moving`; the first leaves are those that the part lies `on`. `pieces`:
    of each its leaf, what it is outside of, and what inside. `open`: the leaves whose bounds need not be asked for.
    """

    motion: Motion
    moving: int
    leaves: tuple[_Leaf, ...]
    on: int
    frames: int
    pieces: tuple[tuple[int, tuple[Tree, ...], tuple[Tree, ...]], ...]
    sides: tuple[Side, ...]
    open: tuple[int, ...]
    two_sided: bool
    measured: bool


def of_kind(part: Implicit, body: ImplicitBody, numbers: Numbers, box: np.ndarray, measured: bool, margin: Margin | None,
            unbounded: Iterable[int]) -> Implicit | None:
    """A part of a body with these numbers as one of its kind, with numbers of its own alone, in a box (3, 2) in the frame of its first
    leaf, which is a condition; None where it is not known that its leaves keep their places in what moves. `measured`, `margin` and
    `unbounded`: see `Implicit`.
    """
    shared = carrier_of(body, numbers)
    if shared is None:
        return None
    mover = product_of(part.leaves[0].motion.factors[:shared])
    moving = [s for s in numbers.symbols if s in mover.symbols]
    reading = _Reading(part.leaves, shared, len({leaf.motion for leaf in body.leaves}) > 1)
    pieces = () if measured else tuple((reading.number(p.leaf), tuple(map(reading.tree, p.outside)), tuple(map(reading.tree, p.inside)))
                                       for p in part.pieces)
    kind = _Kind(renamed(mover, tuple(moving)), len(moving), tuple(reading.leaves), len(part.leaves), len(reading.frames), pieces,
                 part.sides, tuple(unbounded), part.two_sided, measured)
    entries = [e for frame in reading.frames for e in (frame.factors[shared].entries if len(frame.factors) > shared else _IDENTITY)]
    whole = _made(kind)
    return replace(whole, own=_numbers(numbers, [*moving, *reading.numbers, *entries], box), whole=whole, margin=margin)


class _Reading:
    """Leaves read into formulas and `numbers`, each once, the first ones those that a part lies `on`, with their bounds; and the motions
    of leaves with a frame of their own: of all those that it lies on, where there are `several`, after the first `shared` factors.
    """

    def __init__(self, on: Sequence[ImplicitSurface], shared: int, several: bool) -> None:
        self.leaves, self.numbers = list[_Leaf](), list[Any]()
        self.frames = list[Motion]()
        self._on, self._shared, self._several, self._number = on, shared, several, dict[ImplicitSurface, int]()
        for leaf in on:
            self._add(leaf, tuple(e for ends in leaf.bounds for e in ends))

    def number(self, leaf: ImplicitSurface) -> int:
        """The number of a leaf, which is read if it is not known; that of the part's own leaf where it is the same surface."""
        if leaf not in self._number:
            same = next((k for k, own in enumerate(self._on) if own.same_surface(leaf)), None)
            if same is not None:
                return same
            self._add(leaf, ())
        return self._number[leaf]

    def tree(self, body: ImplicitBody) -> Tree:
        if isinstance(body, Combination):
            return body.operation, *map(self.tree, body.children)
        assert isinstance(body, ImplicitSurface)
        return self.number(body)

    def _add(self, leaf: ImplicitSurface, ends: tuple[Any, ...]) -> None:
        formulas, numbers = _upright(leaf.body, ends) or _read((leaf.body, *ends))
        frame = self._frame(leaf.motion, bool(ends)) if self._several else -1
        self._number[leaf] = len(self.leaves)
        self.leaves.append(_Leaf(formulas, len(numbers), frame))
        self.numbers += numbers

    def _frame(self, motion: Motion, own: bool) -> int:
        """The number of a frame: a new one for what the part lies on, so that it is all one whether leaves there share a frame."""
        if own or motion not in self.frames:
            self.frames.append(motion)
            return len(self.frames) - 1
        return self.frames.index(motion)


def _upright(body: Any, ends: tuple[Any, ...]) -> tuple[Any, list[Any]] | None:
    """Planes, balls and cylinders in frames of their own are of one formula: a quadric without products of coordinates."""
    found = coefficients_of(body)
    if found is None or any(e != 0 for e in found[3:6]):
        return None
    known = dict(zip(symbols_of(7 + len(ends)), [*found[:3], *found[6:], *ends], strict=True))
    formulas, order = _UPRIGHT[len(ends)]
    return formulas, [known[s] for s in order]


@functools.lru_cache(maxsize=4096)
def _read(expressions: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    (formulas,), numbers = read([(expressions, False)])
    return formulas, list(numbers)


_POWERS = [powers for powers in TERMS if max(powers) == sum(powers)]
_QUADRIC = sum(s * x**i * y**j * z**k for s, (i, j, k) in zip(symbols_of(7), _POWERS, strict=True))
# With the ends of bounds, and without.
_UPRIGHT = {count: _read((_QUADRIC, *symbols_of(7 + count)[7:])) for count in (0, 6)}
_IDENTITY = tuple(sp.Integer(k in (0, 4, 8)) for k in range(12))


@functools.lru_cache(maxsize=4096)
def _made(kind: _Kind) -> Implicit:
    """The part with symbols for all numbers."""
    count = kind.moving + sum(leaf.numbers for leaf in kind.leaves) + 12 * kind.frames
    symbols = iter(symbols_of(count + 6)[kind.moving:])
    own = [[next(symbols) for _ in range(leaf.numbers)] for leaf in kind.leaves]
    rests = [[next(symbols) for _ in range(12)] for _ in range(kind.frames)]
    motions = [*(Product(kind.motion, Rigid._unchecked(sp.ImmutableMatrix(3, 3, e[:9]), e[9:])) for e in rests), kind.motion]
    leaves = [_leaf(leaf, numbers, motions[leaf.frame]) for leaf, numbers in zip(kind.leaves, own, strict=True)]
    pieces = [BoundaryPiece(leaves[k], *(tuple(_grown(tree, leaves) for tree in trees) for trees in sides)) for k, *sides in kind.pieces]
    low, high = zip(*[(next(symbols), next(symbols)) for _ in range(3)], strict=True)
    return Implicit("", tuple(leaves[:kind.on]), tuple(pieces), kind.two_sided, kind.sides, within=tuple(zip(low, high, strict=True)),
                    mover=kind.motion, unbounded=kind.open, measured=kind.measured)


def _leaf(leaf: _Leaf, numbers: Sequence[Any], motion: Motion) -> ImplicitSurface:
    instructions, outputs = leaf.formulas
    body, *ends = (write(instructions, numbers)[k] for k in outputs)
    return ImplicitSurface(body, [ends[:2], ends[2:4], ends[4:]] if ends else [(-1, 1)] * 3, motion=motion)


def _grown(tree: Tree, leaves: Sequence[ImplicitSurface]) -> ImplicitBody:
    return leaves[tree] if isinstance(tree, int) else Combination(tree[0], [_grown(child, leaves) for child in tree[1:]])


def _numbers(given: Numbers, expressions: Sequence[Any], box: np.ndarray) -> Numbers:
    """Those of a part: of its formulas, and then the ends of its box."""
    pairs = dict(given.pairs)
    exact = [pairs[e] if e in pairs else replaced(e, pairs) if e.free_symbols else e for e in expressions]
    ends = np.repeat(box.reshape(-1, 1), 2, axis=1)
    return Numbers(symbols_of(len(exact) + 6), [*exact, *[None] * 6], np.concatenate([given.enclose_all(expressions), ends]))
