"""Parts of combined bodies by their kinds: what those have in common that differ in numbers alone.

A part is given by the formulas of the leaves that matter there, by the motion of the whole body, and by where the frames of the leaves are
in what moves so: all numbers in these are symbols, in an order of their own. So it does not matter which leaves of which body they are, and
what is derived from the formulas of a kind, code above all, is derived once.
"""

import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from codegen.walk import replaced
from generative import ImplicitBody, ImplicitSurface, Motion, Rigid, t
from generative.family import symbols_of
from generative.implicit import Combination, Piece
from generative.products import Product
from generative.template import Reader, write

from ..bodies.cells import Side
from ..bodies.implicit_parts import Implicit
from ..bodies.numbers import Numbers

Tree = int | tuple[Any, ...]
"""The number of a leaf, or an operation and the trees of its operands."""


class _Leaf(NamedTuple):
    """The instructions of its function, and of the ends of its bounds if the part lies on it, which have so many numbers; and the number of
    its frame, -1 for the one that all are carried in.
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


def of_kind(part: Implicit, body: ImplicitBody, numbers: Numbers, box: np.ndarray, unbounded: Iterable[int]) -> Implicit | None:
    """A part of a body with these numbers as one of its kind, with numbers of its own alone, in a box (3, 2) in the frame of its first
    leaf, which is a condition; None where it is not known that its leaves keep their places in what moves. All of the box is within the
    bounds of the leaves `unbounded`.
    """
    shared = carrier_of(body, numbers)
    if shared is None:
        return None
    mover = _product(part.leaves[0].motion.factors[:shared])
    moving = [s for s in numbers.symbols if s in mover.symbols]
    reading = _Reading(part.leaves, shared)
    pieces = tuple((reading.number(p.leaf), tuple(map(reading.tree, p.outside)), tuple(map(reading.tree, p.inside)))
                   for p in part.pieces)
    kind = _Kind(_renamed(mover, tuple(moving)), len(moving), tuple(reading.leaves), len(part.leaves), len(reading.frames), pieces,
                 part.sides, tuple(unbounded), part.two_sided)
    entries = [e for motion in reading.frames for e in motion.factors[-1].entries]
    whole = _made(kind)
    return replace(whole, own=_numbers(numbers, [*moving, *reading.numbers, *entries], box), whole=whole)


@functools.lru_cache(maxsize=256)
def carrier_of(body: ImplicitBody, numbers: Numbers) -> int | None:
    """With how many factors do the motions of all leaves begin that carry them, each after at most one that is constant? None where they
    differ in more, or where it is not seen that these turn and do not stretch.
    """
    motions = list(dict.fromkeys(leaf.motion for leaf in body.leaves))
    columns = zip(*(m.factors for m in motions), strict=False)
    count = len(list(itertools.takewhile(lambda column: len(set(column)) == 1, columns)))
    alike = count > 0 and all(len(m.factors) <= count + 1 and not any(t in f.symbols for f in m.factors[count:]) for m in motions)
    known = alike and not any(leaf.deforming for leaf in body.leaves) and _turns(_product(motions[0].factors[:count]), numbers)
    return count if known else None


@functools.lru_cache(maxsize=256)
def _turns(motion: Motion, numbers: Numbers) -> bool:
    """Is it seen by expanding the formulas that R^T R is the identity?"""
    if len(numbers.exact) < len(numbers.symbols):
        return False
    known = dict(numbers.pairs)
    return all(_orthogonal(sp.ImmutableMatrix(3, 3, [replaced(e, known) for e in factor.entries[:9]])) for factor in motion.factors)


@functools.lru_cache(maxsize=256)
def _orthogonal(rotation: sp.ImmutableMatrix) -> bool:
    waves = {w.args[0] for w in rotation.atoms(sp.sin, sp.cos)}
    names = {angle: sp.symbols(f"c{k} s{k}") for k, angle in enumerate(waves)}
    flat = rotation.xreplace({f(angle): e for angle, pair in names.items() for f, e in zip((sp.cos, sp.sin), pair, strict=True)})
    return all(_vanishes(e, list(names.values())) for e in flat.T * flat - sp.eye(3))


def _vanishes(e: Any, waves: Sequence[tuple[Any, Any]]) -> bool:
    """Is a polynomial of cosines and sines zero because their squares add up to 1?"""
    e = sp.expand(e)
    for cosine, sine in waves:
        if not e.is_polynomial(cosine, sine):
            return False
        e = sp.expand(sp.rem(e, sine**2 + cosine**2 - 1, sine)) if e.has(sine) else e
    return bool(e == 0)


class _Reading:
    """Leaves read into formulas and `numbers`, each once, the first ones those that a part lies `on`, with their bounds; and the motions
    with a frame of their own, which have a factor after the first `shared`.
    """

    def __init__(self, on: Sequence[ImplicitSurface], shared: int) -> None:
        self.leaves, self.numbers = list[_Leaf](), list[Any]()
        self.frames: dict[Motion, int] = {}
        self._on, self._shared, self._number = on, shared, dict[ImplicitSurface, int]()
        for leaf in on:
            self._add(leaf, tuple(e for ends in leaf.bounds for e in ends))

    def number(self, leaf: ImplicitSurface) -> int:
        """Of a leaf, which is read if it is not known; that of the part's own leaf where it is the same surface."""
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
        formulas, numbers = _read((leaf.body, *ends))
        frame = -1 if len(leaf.motion.factors) == self._shared else self.frames.setdefault(leaf.motion, len(self.frames))
        self._number[leaf] = len(self.leaves)
        self.leaves.append(_Leaf(formulas, len(numbers), frame))
        self.numbers += numbers


@functools.lru_cache(maxsize=4096)
def _read(expressions: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    reader = Reader()
    return reader.read(expressions), reader.numbers


@functools.lru_cache(maxsize=256)
def _product(factors: tuple[Motion, ...]) -> Motion:
    return factors[0] if len(factors) == 1 else Product(*factors)


@functools.lru_cache(maxsize=256)
def _renamed(motion: Motion, symbols: tuple[Any, ...]) -> Motion:
    """The motion with the first symbols of families in the place of these."""
    names = dict(zip(symbols, symbols_of(len(symbols)), strict=True))
    return motion.changed(lambda e: replaced(e, names))


@functools.lru_cache(maxsize=4096)
def _made(kind: _Kind) -> Implicit:
    """The part with symbols for all numbers."""
    count = kind.moving + sum(leaf.numbers for leaf in kind.leaves) + 12 * kind.frames
    symbols = iter(symbols_of(count + 6)[kind.moving:])
    own = [[next(symbols) for _ in range(leaf.numbers)] for leaf in kind.leaves]
    rests = [[next(symbols) for _ in range(12)] for _ in range(kind.frames)]
    motions = [*(Product(kind.motion, Rigid._unchecked(sp.ImmutableMatrix(3, 3, e[:9]), e[9:])) for e in rests), kind.motion]
    leaves = [_leaf(leaf, numbers, motions[leaf.frame]) for leaf, numbers in zip(kind.leaves, own, strict=True)]
    pieces = [Piece(leaves[k], *(tuple(_grown(tree, leaves) for tree in trees) for trees in sides)) for k, *sides in kind.pieces]
    low, high = zip(*[(next(symbols), next(symbols)) for _ in range(3)], strict=True)
    return Implicit("", tuple(leaves[:kind.on]), tuple(pieces), kind.two_sided, kind.sides, within=tuple(zip(low, high, strict=True)),
                    mover=kind.motion, unbounded=kind.open)


def _leaf(leaf: _Leaf, numbers: Sequence[Any], motion: Motion) -> ImplicitSurface:
    instructions, outputs = leaf.formulas
    body, *ends = (write(instructions, numbers)[k] for k in outputs)
    return ImplicitSurface(body, [ends[:2], ends[2:4], ends[4:]] if ends else [(-1, 1)] * 3, motion=motion)


def _grown(tree: Tree, leaves: Sequence[ImplicitSurface]) -> ImplicitBody:
    return leaves[tree] if isinstance(tree, int) else Combination(tree[0], [_grown(child, leaves) for child in tree[1:]])


def _numbers(given: Numbers, expressions: Sequence[Any], box: np.ndarray) -> Numbers:
    """Those of a part: of its formulas, and then the ends of its box."""
    place = _places(given.symbols)
    known = [place.get(e) for e in expressions]
    intervals = [given.intervals[k].tolist() if k is not None else given.enclose(e) for k, e in zip(known, expressions, strict=True)]
    pairs = dict(given.pairs)
    exact = [given.exact[k] if k is not None else replaced(e, pairs) for k, e in zip(known, expressions, strict=True)]
    ends = np.repeat(box.reshape(-1, 1), 2, axis=1)
    return Numbers(symbols_of(len(exact) + 6), [*exact, *[None] * 6], np.concatenate([np.reshape(intervals, (-1, 2)), ends]))


@functools.lru_cache(maxsize=256)
def _places(symbols: tuple[Any, ...]) -> dict[Any, int]:
    return {s: k for k, s in enumerate(symbols)}
