"""Which leaves of a combined body may meet, and where: its tree of unions and intersections, evaluated on boxes round each face.

One kernel tells of boxes in the frame of a face which leaves may be zero there, which of their bounds may be met, and what of them may be
on the surface of the body. So it takes no code for each edge and vertex to prove that most of them are not there, and to tell where the
others are.
"""

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from codegen.from_sympy import convert
from codegen.graph.expr import Expr, reachable
from codegen.graph.meanvalue import mean_value_form
from codegen.kernel import Kernel
from codegen.machine.tiers import compile_busy
from generative import ImplicitBody, ImplicitSurface
from generative.implicit import Combination, Piece

from ..bodies.cells import Cell, end_of
from ..bodies.extent import box_of
from ..bodies.implicit_parts import Implicit, is_side
from ..bodies.numbers import Numbers
from ..search.paving import Paving
from .frame import Frame, all_of, any_of
from .placed_implicit import PlacedImplicit

Window = tuple[float, float]
Plane = tuple[int, int, Any]
"""A side of bounds: the number of the frame, of the coordinate in it, and its value there."""

# Effort only: what is left is kept. Boxes round a face are halved until there are so many, and not beyond so many times.
_MANY, _ROUNDS = 512, 24


class _Look(NamedTuple):
    """Boxes (n, 4, 2) round a face; which of the leaves and sides of bounds (n, leaves + sides) may be met there; and which of the leaves
    (n, leaves) may there be on the surface of the body.
    """

    boxes: np.ndarray
    met: np.ndarray
    shown: np.ndarray

    def those(self, which: np.ndarray) -> "_Look":
        return _Look(*(a[which] for a in self))

    @property
    def crowded(self) -> np.ndarray:
        """(n,): may there be more than the one face?"""
        return np.asarray(self.met.sum(axis=1) > 1)


class Occupancy:
    """Where the parts of a combined body with these numbers may be within a span of time."""

    def __init__(self, body: ImplicitBody, numbers: Numbers, span: Window) -> None:
        self._tree, self._numbers, self._span = _tree(body), numbers, span
        self._round = functools.cache(self._looked_round)

    def boxes(self, part: Cell) -> np.ndarray:
        """(n, 4, 2): boxes in the frame of its first leaf that hold all points of a part; none where it is proved to be nowhere."""
        leaves, sides = self._tree.numbers(part)
        look, kinds = self._round(leaves[0])
        bits, shown = sum(1 << k for k in (*leaves, *sides)), sum(1 << k for k in leaves)
        rows = [at for (met, seen), at in kinds.items() if met & bits == bits and seen & shown]
        return look.boxes[np.concatenate(rows)] if rows else look.boxes[:0]

    def may_hold(self, part: Cell, boxes: np.ndarray) -> np.ndarray:
        """(n,): which of boxes (n, 4, 2) in the frame of its first leaf may hold a point of a part."""
        leaves, sides = self._tree.numbers(part)
        lo, hi, true = self._told(boxes, leaves[0], leaves + sides)
        inside, shown = true[:, leaves], true[:, [len(self._tree.leaves) + k for k in leaves]]
        return np.asarray(((lo <= 0) & (hi >= 0)).all(axis=1) & inside.all(axis=1) & shown.any(axis=1))

    def _looked_round(self, k: int) -> tuple[_Look, dict[tuple[int, int], np.ndarray]]:
        """Boxes round the face of leaf k, smaller ones where it may meet others; and which of them have the same `met` and `shown`, as bits
        of integers.
        """
        own = box_of(Implicit("", self._tree.leaves[k:k + 1], ()), self._numbers)
        paving, looks = Paving(np.concatenate([own, [self._span]])[None], most=_MANY), list[_Look]()
        for boxes in itertools.islice(paving, _ROUNDS + 1):
            look = self._look(boxes, k)
            looks.append(look.those(look.met[:, k] & look.shown.any(axis=1)))
            paving.keep(looks[-1].boxes[looks[-1].crowded])
            compile_busy()
        parts = [*(look.those(~look.crowded) for look in looks[:-1]), looks[-1]]
        whole = _Look(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
        return whole, _grouped(whole)

    def _look(self, boxes: np.ndarray, k: int) -> _Look:
        """What is met in boxes in the frame of leaf k."""
        tree, count = self._tree, len(self._tree.leaves)
        lo, hi, true = self._told(boxes, k, slice(None))
        zero = (lo <= 0) & (hi >= 0)
        zero[:, :count] &= true[:, :count]
        # A side counts where a leaf that ends there does.
        zero[:, count:] &= zero[:, :count].astype(np.float32) @ tree.has > 0
        return _Look(boxes, zero, zero[:, :count] & true[:, count:])

    def _told(self, boxes: np.ndarray, k: int, wanted: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of boxes in the frame of leaf k: bounds of what is zero on the `wanted` leaves and sides; and what may be true."""
        tree = self._tree
        kernel, _ = tree.kernel(tree.frames[k], self._numbers.symbols)
        lo, hi = kernel.interval(boxes[..., 0], boxes[..., 1], parameters=self._numbers.parameters)
        rows = len(tree.leaves) + len(tree.planes)
        return lo[:, :rows][:, wanted], hi[:, :rows][:, wanted], hi[:, rows:] > 0


occupancy = functools.lru_cache(maxsize=128)(Occupancy)


def is_moving(body: ImplicitBody, numbers: Numbers) -> bool:
    """May its shape depend on the time?"""
    return _tree(body).kernel(0, numbers.symbols)[1]


class _Tree:
    """The leaves of a body, the number of the frame of each, the sides of bounds at which leaves end, and which have which
    (leaves, sides).
    """

    def __init__(self, body: ImplicitBody) -> None:
        self.leaves, self._pieces = tuple(dict.fromkeys(body.leaves)), body.pieces
        self._number = {leaf: k for k, leaf in enumerate(self.leaves)}
        self._carried = {leaf.motion: leaf for leaf in self.leaves}
        self.frames = [list(self._carried).index(leaf.motion) for leaf in self.leaves]
        sides = [[(frame, c, leaf.bounds[c][end]) for c, end in itertools.product(range(3), (0, 1)) if not is_side(leaf, c, end)]
                 for leaf, frame in zip(self.leaves, self.frames, strict=True)]
        self.planes: list[Plane] = list(dict.fromkeys(itertools.chain(*sides)))
        self.has = np.array([[plane in own for plane in self.planes] for own in sides], np.float32).reshape(len(sides), -1)
        self.kernel = functools.lru_cache(maxsize=64)(self._made)

    def numbers(self, part: Cell) -> tuple[list[int], list[int]]:
        """The numbers of what a part lies on: of leaves, and of sides, which come after all leaves."""
        leaves = [self._number[leaf] for leaf in part.leaves]
        planes = [(self.frames[leaves[k]], c, end_of(part, (k, c, end))) for k, c, end in part.sides]
        return leaves, [len(self.leaves) + self.planes.index(plane) for plane in planes]

    def _made(self, own: int, symbols: tuple[Any, ...]) -> tuple[Kernel, bool]:
        """Of coordinates in the frame `own` and the time: what is zero on leaves and on sides; 1 or 0 for within the bounds of each leaf or
        not; and for on the surface of the body or not, of points of each leaf. And whether any of it depends on the time.
        """
        frame = Frame(3, (0, 1), symbols=(symbols, ()))
        pool, known = frame.pool, frame.known(1)
        placed = PlacedImplicit(Implicit("", (list(self._carried.values())[own],), ()), frame, 1)
        at = [placed.coordinates(leaf) for leaf in self._carried.values()]
        values = [placed.value(leaf) for leaf in self.leaves]
        sides = [at[f][c] - convert([end], known, pool)[0] for f, c, end in self.planes]
        close = mean_value_form(values, [pool.variable(k) for k in range(4)])
        within = [all_of(pool, [pool.node("le", *pair) for c, ends in zip(at[f], leaf.bounds, strict=True)
                                for lo, hi in [convert(ends, known, pool)] for pair in ((lo, c), (c, hi))])
                  for leaf, f in zip(self.leaves, self.frames, strict=True)]
        shown = _shown(self._pieces, dict(zip(self.leaves, close, strict=True)))
        one, zero = pool.constant(1), pool.constant(0)
        truths = [one if truth is None else pool.where(truth, one, zero) for truth in (*within, *(shown[leaf] for leaf in self.leaves))]
        kernel = Kernel([*close, *sides, *truths], ["x", "y", "z", "t"], [str(s) for s in symbols], quick=True)
        return kernel, frame.time in reachable([*values, *sides, *truths])


_tree = functools.lru_cache(maxsize=128)(_Tree)


def _shown(pieces: Sequence[Piece], known: dict[ImplicitBody, Expr]) -> dict[ImplicitSurface, Expr | None]:
    """Of each leaf, with the functions of leaves `known`, where points of it are on the surface of the body; None for everywhere."""
    pool, found = next(iter(known.values())).pool, dict[ImplicitSurface, list[Expr | None]]()
    zero = pool.constant(0)
    for piece in pieces:
        conditions = [pool.node("le", zero, _level(b, known)) for b in piece.outside]
        conditions += [pool.node("le", _level(b, known), zero) for b in piece.inside]
        found.setdefault(piece.leaf, []).append(all_of(pool, conditions) if conditions else None)
    return {leaf: None if None in own else any_of(pool, [e for e in own if e is not None]) for leaf, own in found.items()}


def _level(body: ImplicitBody, known: dict[ImplicitBody, Expr]) -> Expr:
    """The function of a body."""
    if body not in known:
        assert isinstance(body, Combination)
        first, *others = [_level(child, known) for child in body.children]
        known[body] = functools.reduce(functools.partial(first.pool.node, "min" if body.operation == "union" else "max"), others, first)
    return known[body]


def _grouped(look: _Look) -> dict[tuple[int, int], np.ndarray]:
    """The numbers of the boxes that have the same `met` and `shown`."""
    packed = [np.packbits(bits, axis=1, bitorder="little") for bits in (look.met, look.shown)]
    kinds: dict[tuple[int, int], list[int]] = {}
    for row, (met, shown) in enumerate(zip(*packed, strict=True)):
        kinds.setdefault((int.from_bytes(met.tobytes(), "little"), int.from_bytes(shown.tobytes(), "little")), []).append(row)
    return {kind: np.array(rows) for kind, rows in kinds.items()}
