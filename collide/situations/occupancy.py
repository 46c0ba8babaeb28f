"""Leaves of a combined body that may meet, and where: its tree of unions and intersections, evaluated on boxes round all faces at once.

Of a box in the frame of a face it is told which leaves may be zero there, which sides of their bounds may be met, and what of them may be
on the surface of the body; of its halves, only what was in doubt. So it takes no code for each edge and vertex to prove that most of them
are not there, and to tell where the others are, and no time for what is far apart.
"""

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from codegen.deadline import check
from codegen.machine.tiers import compile_busy
from generative import ImplicitBody, x, y, z
from generative.combination import Combination

from ..bodies.cells import Cell, Side, end_of
from ..bodies.implicit_parts import Candidates, Implicit, is_side, may_meet
from ..bodies.numbers import Numbers
from ..search.paving import divided
from .formula import LeafFormula, Node
from .placed_leaves import PlacedLeaves, leaves_of

Window = tuple[float, float]
Plane = tuple[int, int, Any]
"""A side of bounds: the number of the frame, of the coordinate in it, and its value there."""

# Effort only: what is left is kept. Boxes round a face are halved until there are so many, at a first look and closely, and not beyond so
# many times each.
_SOME, _MANY, _ROUNDS = 32, 512, 24


class _Look(NamedTuple):
    """Boxes (n, 4, 2) round the faces of leaves `own` (n,); which functions of leaves may be >= 0 there, `up`, and <= 0, `down`
    (n, leaves); which of the leaves and sides of bounds may be met (n, leaves + sides); and which leaves may be on the surface of the body
    (n, leaves).
    """

    boxes: np.ndarray
    own: np.ndarray
    up: np.ndarray
    down: np.ndarray
    met: np.ndarray
    shown: np.ndarray

    def those(self, which: np.ndarray) -> "_Look":
        return _Look(*(a[which] for a in self))


class _Face(NamedTuple):
    """Boxes round the face of a leaf, and which of them have the same `met` and `shown`, as bits of integers."""

    look: _Look
    kinds: dict[tuple[int, int], np.ndarray]


class Occupancy:
    """The places where the parts of a combined body with these numbers may be within a span of time."""

    def __init__(self, body: ImplicitBody, numbers: Numbers, span: Window) -> None:
        self._tree, self._placed, self._span = tree_of(body), PlacedLeaves(body, numbers), span
        self._planes = np.array([numbers.enclose(end) for _, _, end in self._tree.planes]).reshape(-1, 2)
        # The frame of each side, and its coordinate there.
        self._sides = np.array([plane[:2] for plane in self._tree.planes], np.int64).reshape(-1, 2).T
        self._close: dict[int, _Face] = {}

    def outline(self, leaf: int) -> np.ndarray:
        """(n, 4, 2): some boxes in the frame of a leaf that hold all of it that is on the surface of the body, and all parts on it of which
        it is the first leaf.
        """
        return self._outline.boxes[self._outline.own == leaf]

    def boxes(self, part: Cell) -> np.ndarray:
        """(n, 4, 2): boxes in the frame of its first leaf that hold all points of a part; none where it is proved to be nowhere."""
        return self._rows(part).boxes

    def _rows(self, part: Cell) -> _Look:
        leaves, sides = self._tree.numbers(part)
        self.look_closely(leaves[:1])
        look, kinds = self._close[leaves[0]]
        bits, shown = sum(1 << k for k in (*leaves, *sides)), sum(1 << k for k in leaves)
        rows = [at for (met, seen), at in kinds.items() if met & bits == bits and seen & shown]
        return look.those(np.concatenate(rows) if rows else np.zeros(0, int))

    def parts(self, candidates: Candidates, first: Sequence[int] | None = None) -> Iterator[Implicit]:
        """The parts that may have a point, in the order of the candidates: all, or those of which one of these leaves is the `first`."""
        first = range(len(self._placed.leaves)) if first is None else first
        self.look_closely(first)
        found = set[tuple[tuple[int, ...], tuple[Side, ...]]]()
        for k in first:
            for met, seen in self._close[k].kinds:
                found |= self._tree.chosen(k, met, seen)
        tree, on, known = self._tree, {part: self._tree.on(*part) for part in found}, set(first)
        edges = {own for own in on.values() if len(own) == 2}
        for part in sorted(found, key=lambda part: (len(part[0]) + len(part[1]), len(part[1]) > 0, *part)):
            # A vertex is where edges meet, of which those are known that are on these leaves first.
            if len(on[part]) < 3 or all(frozenset(pair) in edges for pair in itertools.combinations(on[part], 2)
                                        if min(pair) in known and tree.is_edge(pair)):
                yield candidates.part(*part)

    def numbers(self, part: Cell) -> list[int]:
        """The numbers of the leaves, and after all of these of the sides, that a part lies on."""
        leaves, sides = self._tree.numbers(part)
        return leaves + sides

    def met(self, boxes: np.ndarray, leaf: int) -> np.ndarray:
        """(n, leaves + sides): which of them may be met in boxes (n, 4, 2) in the frame of a leaf."""
        doubt = np.ones((len(boxes), len(self._placed.leaves)), bool)
        return self._look(boxes, np.full(len(boxes), leaf), doubt, doubt).met

    def signs(self, part: Cell, box: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(leaves,) each: whether the function of a leaf may be >= 0 in a box (3, 2) in the frame of the first leaf of a part, and <= 0."""
        (first, *_), _ = self._tree.numbers(part)
        boxes, every = np.concatenate([box, [self._span]])[None], np.ones((1, len(self._placed.leaves)), bool)
        up, down = self._placed.signs(boxes, self._placed.frames[[first]], every)
        return up[0], down[0]

    def within_bounds(self, part: Cell, box: np.ndarray) -> list[int]:
        """The leaves of a part, by their numbers there, whose bounds hold a box (3, 2) in the frame of the first one."""
        (first, *others), _ = self._tree.numbers(part)
        frames = self._placed.frames
        boxes, asked = np.concatenate([box, [self._span]])[None], np.isin(np.arange(frames.max() + 1), frames[[first, *others]])[None]
        at = self._placed.coordinates(boxes, frames[[first]], asked)[0]
        return [k for k, leaf in enumerate((first, *others)) if _holds(self._placed.inner[leaf], at[frames[leaf]])]

    def doubts(self, part: Cell) -> tuple[np.ndarray, np.ndarray]:
        """(leaves,) each: whether the function of a leaf may be >= 0 where a part is, and <= 0."""
        rows = self._rows(part)
        return np.asarray(rows.up.any(axis=0)), np.asarray(rows.down.any(axis=0))

    def test(self, part: Cell) -> "Test":
        """The test of whether boxes in the frame of the first leaf of a part may hold a point of it."""
        return Test(self._tree, self._placed, self._planes, self.doubts(part), part)

    def look_closely(self, leaves: Iterable[int]) -> None:
        """Looks at boxes round the faces of these leaves, smaller ones where they may meet others: at all together, which is faster."""
        new = [k for k in leaves if k not in self._close]
        if new:
            looks = self._levels(self._outline.those(np.isin(self._outline.own, new)), _MANY)
            whole = _Look(*(np.concatenate(arrays) for arrays in zip(*looks, strict=True)))
            for k in new:
                own = whole.those(whole.own == k)
                self._close[k] = _Face(own, _grouped(own))

    @functools.cached_property
    def _outline(self) -> _Look:
        """Boxes round all faces."""
        count = len(self._placed.leaves)
        boxes = np.concatenate([self._placed.bounds, np.tile([[self._span]], (count, 1, 1))], axis=1)
        own, doubt = np.arange(count), np.ones((count, count), bool)
        looks = self._levels(self._look(boxes, own, doubt, doubt), _SOME)
        return _Look(*(np.concatenate(arrays) for arrays in zip(*looks, strict=True)))

    def _levels(self, look: _Look, most: int) -> Iterator[_Look]:
        """Boxes that are not halved again, a level at a time. Those round one face are never more than `most`."""
        count = len(self._placed.leaves)
        for level in itertools.count():
            look = look.those(look.met[np.arange(len(look.own)), look.own] & look.shown.any(axis=1))
            crowded = look.met.sum(axis=1) > 1
            again = crowded & (2 * np.bincount(look.own[crowded], minlength=count) <= most)[look.own] & (level < _ROUNDS)
            yield look.those(~again)
            look = look.those(again)
            if not len(look.own):
                return
            check()
            compile_busy()
            look = self._look(divided(look.boxes, None), *(np.concatenate([a, a]) for a in (look.own, look.up, look.down)))

    def _look(self, boxes: np.ndarray, own: np.ndarray, up: np.ndarray, down: np.ndarray) -> _Look:
        """A look at what is met in boxes round faces, of which it is known which leaves are in doubt, `up` and `down`."""
        tree, placed, doubt = self._tree, self._placed, up & down
        frames = placed.frames[own]
        signs = placed.signs(boxes, frames, doubt)
        up, down = (known & told for known, told in zip((up, down), signs, strict=True))
        zero = up & down
        # Few are in doubt.
        rows, leaves = np.nonzero(zero)
        asked = np.zeros((len(boxes), placed.frames.max() + 1), bool)
        asked[rows, placed.frames[leaves]] = True
        at = placed.coordinates(boxes, frames, asked)
        held = zero[rows, leaves] = _meet(at[rows, placed.frames[leaves]], placed.bounds[leaves]).all(axis=1)
        # A side counts where a leaf that ends there does.
        sides = np.zeros((len(boxes), len(tree.planes) + 1), bool)
        sides[rows[held, None], tree.ends[leaves[held]]] = True
        sides = sides[:, :-1]
        rows, planes = np.nonzero(sides)
        sides[rows, planes] = _meet(at[rows, self._sides[0][planes], self._sides[1][planes]], self._planes[planes])
        return _Look(boxes, own, up, down, np.concatenate([zero, sides], axis=1), zero & tree.formula.shown(up, down))


class Test:
    """A test of whether boxes in the frame of the first leaf of a part may hold a point of it. Of leaves whose functions have one sign
    where the part is, which `doubts` tell, nothing is asked.
    """

    def __init__(self, tree: "LeafTree", placed: PlacedLeaves, planes: np.ndarray, doubts: tuple[np.ndarray, np.ndarray],
                 part: Cell) -> None:
        leaves, sides = tree.numbers(part)
        up, down = doubts
        up[leaves] = down[leaves] = True
        doubt = np.flatnonzero(up & down)
        self._placed, self._formula = placed.only(doubt), tree.formula.reduced(up, down)
        self._leaves, self._own = np.searchsorted(doubt, leaves), placed.frames[leaves[0]]
        numbers = [k - len(placed.leaves) for k in sides]
        self._planes, self._ends = [tree.planes[k] for k in numbers], planes[numbers]
        self._frames = np.isin(np.arange(placed.frames.max() + 1), [*placed.frames[leaves], *(f for f, _, _ in self._planes)])

    def __call__(self, boxes: np.ndarray) -> np.ndarray:
        """(n,)"""
        if self._formula is None:
            return np.zeros(len(boxes), bool)
        placed, own = self._placed, np.full(len(boxes), self._own)
        at = placed.coordinates(boxes, own, np.tile(self._frames, (len(boxes), 1)))
        held = _meet(at[:, placed.frames[self._leaves]], placed.bounds[self._leaves]).all(axis=(1, 2))
        held &= _meet(at[:, [f for f, _, _ in self._planes], [c for _, c, _ in self._planes]], self._ends).all(axis=1)
        up, down = placed.signs(boxes, own, np.repeat(np.asarray(held)[:, None], len(placed.leaves), axis=1))
        held &= (up & down)[:, self._leaves].all(axis=1)
        return np.asarray(held & self._formula.shown(up, down)[:, self._leaves].any(axis=1))


occupancy = functools.lru_cache(maxsize=128)(Occupancy)


def _meet(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether intervals (..., 2) have points in common."""
    return np.asarray((a[..., 0] <= b[..., 1]) & (a[..., 1] >= b[..., 0]))


def _holds(outer: np.ndarray, box: np.ndarray) -> bool:
    return bool((outer[:, 0] <= box[:, 0]).all() and (box[:, 1] <= outer[:, 1]).all())


class LeafTree:
    """The leaves of a body, the sides of bounds at which they end, and what it is made of them. `ends` (leaves, 6): the sides of each leaf,
    by their numbers; the number of all of them stands for none.
    """

    def __init__(self, body: ImplicitBody) -> None:
        self._leaves, motions = leaves_of(body)
        self._number = {leaf: k for k, leaf in enumerate(self._leaves)}
        self._frames = [motions.index(leaf.motion) for leaf in self._leaves]
        ends = [*itertools.product(range(3), (0, 1))]
        self._sides = [{(frame, c, leaf.bounds[c][end]): (c, end) for c, end in ends if not is_side(leaf, c, end)}
                       for leaf, frame in zip(self._leaves, self._frames, strict=True)]
        self.planes: list[Plane] = list(dict.fromkeys(itertools.chain(*self._sides)))
        number = {plane: k for k, plane in enumerate(self.planes)}
        self.ends = np.array([[*map(number.__getitem__, own), *[len(number)] * (6 - len(own))] for own in self._sides])
        surfaces: dict[Any, list[int]] = {}
        for k, leaf in enumerate(self._leaves):
            surfaces.setdefault((leaf.bounds, leaf.motion, frozenset((leaf.body, leaf.complement().body))), []).append(k)
        # Of which leaves the function is defined everywhere, so that a sign says what it is; and of each those that are the same surface.
        self.total = np.array([bool(leaf.body.is_polynomial(x, y, z)) and not leaf.deforming for leaf in self._leaves])
        self.alike = {k: own for own in surfaces.values() for k in own}
        nodes: list[Node] = []
        self.formula = LeafFormula(len(self._leaves), nodes, self._add(body, nodes))
        self.chosen = functools.lru_cache(maxsize=1 << 14)(self._chosen)

    def _add(self, body: ImplicitBody, nodes: list[Node]) -> int:
        if not isinstance(body, Combination):
            return self._number[body]  # type: ignore[index]
        nodes.append((body.operation == "union", [self._add(child, nodes) for child in body.children]))
        return len(self._leaves) + len(nodes) - 1

    def numbers(self, part: Cell) -> tuple[list[int], list[int]]:
        """The numbers of what a part lies on: of leaves, and of sides, which come after all leaves."""
        leaves = [self._number[leaf] for leaf in part.leaves]
        planes = [(self._frames[leaves[k]], c, end_of(part, (k, c, end))) for k, c, end in part.sides]
        return leaves, [len(self._leaves) + self.planes.index(plane) for plane in planes]

    def _chosen(self, first: int, met: int, seen: int) -> frozenset[tuple[tuple[int, ...], tuple[Side, ...]]]:
        """The parts on a leaf, and on others that come after it, that may be in a box with these leaves and sides met, and leaves seen."""
        count, found = len(self._leaves), list[tuple[tuple[int, ...], tuple[Side, ...]]]()
        later = [k for k in range(first + 1, count) if met >> k & 1]
        planes = [plane for k, plane in enumerate(self.planes, count) if met >> k & 1]
        for others in itertools.chain(*(itertools.combinations(later, size) for size in range(3))):
            chosen = (first, *others)
            if any(seen >> k & 1 for k in chosen) and all(self._may_meet(a, b) for a, b in itertools.combinations(chosen, 2)):
                owners = ((plane, [k for k, leaf in enumerate(chosen) if plane in self._sides[leaf]]) for plane in planes)
                sides = sorted((k[0], *self._sides[chosen[k[0]]][plane]) for plane, k in owners if k)
                found += [(chosen, own) for size in range(4 - len(chosen)) for own in itertools.combinations(sides, size)
                          if len({side[:2] for side in own}) == size]
        return frozenset(found)

    def _may_meet(self, a: int, b: int) -> bool:
        return may_meet(self._leaves[a], self._leaves[b])

    def on(self, chosen: tuple[int, ...], sides: tuple[Side, ...]) -> frozenset[Any]:
        """The leaves and planes that a part lies on."""
        values = [(self._frames[chosen[k]], c, self._leaves[chosen[k]].bounds[c][end]) for k, c, end in sides]
        return frozenset([*chosen, *(len(self._leaves) + self.planes.index(plane) for plane in values)])

    def is_edge(self, pair: tuple[int, int]) -> bool:
        """Whether two leaves, or a leaf and a side of its own, name an edge."""
        a, b = sorted(pair)
        count = len(self._leaves)
        return b < count or (a < count and b - count in self.ends[a])


tree_of = functools.lru_cache(maxsize=128)(LeafTree)


def _grouped(look: _Look) -> dict[tuple[int, int], np.ndarray]:
    """The numbers of the boxes that have the same `met` and `shown`."""
    packed = [np.packbits(bits, axis=1, bitorder="little") for bits in (look.met, look.shown)]
    kinds: dict[tuple[bytes, bytes], list[int]] = {}
    for row, (met, shown) in enumerate(zip(*packed, strict=True)):
        kinds.setdefault((met.tobytes(), shown.tobytes()), []).append(row)
    return {(int.from_bytes(met, "little"), int.from_bytes(shown, "little")): np.array(rows) for (met, shown), rows in kinds.items()}
