"""Extent of parts of implicit surfaces, and presence of their edges and vertices (see `implicit_parts`)."""

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.deadline import check
from codegen.graph.expr import reachable
from codegen.kernel import Kernel
from codegen.machine.tiers import compile_busy
from generative import ImplicitBody, ImplicitSurface
from generative.implicit import BoundaryPiece

from ..bodies.cells import Cell, Side, end_of
from ..bodies.extent import box_of
from ..bodies.implicit_parts import Candidates, is_large
from ..bodies.numbers import Numbers
from ..search.paving import Paving, divided
from .carriers import carrier_of
from .frame import Frame
from .joint_replay import JointReplay, on_part, other_sides
from .occupancy import Occupancy, Window, occupancy, tree_of
from .part_margin import Measure
from .placed_leaves import moves
from .quadrics import quadrics
from .replay import Proofs, Test

# Effort only: what is left is kept.
# Boxes are halved until so many are left, and not beyond so many times; those at the ends of their hull so many times more.
_MANY, _ROUNDS, _FINER = 256, 24, 7
# Then slabs are cut off its ends, of widths down to such a power of 1/2 of its own, at most so many times; of parts of large bodies fewer.
_SHAVES, _FEWER = 30, 8
# And of what must be told apart from what it nearly touches, down to a rounding.
_MOST = 52
_AT_REST = 0.0, 0.0


def without_absent(parts: Sequence[Cell], numbers: Numbers, span: Window) -> tuple[Cell, ...]:
    """The parts of a body with these numbers that may have a point within the span of time: the others are proved empty."""
    if isinstance(parts, Candidates):
        return _found(parts, numbers, span if moves(parts.body, numbers) else (0.0, 0.0))
    parts = tuple(parts)
    if not any(_doubtful(part) for part in parts):
        return parts
    return _present_ones(parts, numbers, (0.0, 0.0) if is_still(parts) else span)


@functools.lru_cache(maxsize=1024)
def is_still(parts: Sequence[Cell]) -> bool:
    """Whether parts are those of an implicit body that does not deform, whose leaves move together, or of a parametric one."""
    leaves = parts.leaves if isinstance(parts, Candidates) else [leaf for part in parts for leaf in part.leaves]
    return all(leaf.motion == leaves[0].motion and not leaf.deforming for leaf in leaves)


@functools.lru_cache(maxsize=512)
def _found(parts: Candidates, numbers: Numbers, span: Window) -> tuple[Cell, ...]:
    """The parts found of a body of many leaves, all looked at together. The parts are looked at again once they come near another body
    (`where`).
    """
    return tuple(occupancy(parts.body, numbers, span).parts(parts))


@functools.lru_cache(maxsize=512)
def _present_ones(parts: tuple[Cell, ...], numbers: Numbers, span: Window) -> tuple[Cell, ...]:
    """Edges are looked at first, since a vertex is where edges meet."""
    together = span == _AT_REST and is_still(parts) and not is_large(parts[0].body)
    known = _replayed(parts, numbers) if together else {}
    edges = _edges_of(parts)
    absent, left = [False] * len(parts), list[Cell]()
    for k, part in enumerate(parts):
        check()
        if _doubtful(part):
            absent[k] = any(absent[j] for j in edges[k]) or (known[part] if part in known else where(part, numbers, span)) is None
        if not absent[k]:
            left.append(part)
    return tuple(left)


@functools.lru_cache(maxsize=256)
def _edges_of(parts: tuple[Cell, ...]) -> list[list[int]]:
    """The edges listed before each edge or vertex that hold it."""
    found, edges = list[list[int]](), dict[frozenset[Any], int]()
    for k, part in enumerate(parts):
        on = frozenset([*part.leaves, *(_plane(part, side) for side in part.sides)]) if _doubtful(part) else frozenset()
        found.append([edges[pair] for edge in itertools.combinations(on, 2) if (pair := frozenset(edge)) in edges])
        edges |= {on: k} if len(on) == 2 else {}
    return found


def _replayed(parts: tuple[Cell, ...], numbers: Numbers) -> dict[Cell, np.ndarray | None]:
    """The boxes of `where` of all parts at rest of which a kept proof holds. `_where` is told of those that are there."""
    parts = tuple(part for part in parts if part.leaves)
    found = _joint(parts, numbers.symbols).found([_proofs(part) for part in parts], numbers)
    for k, box in found.items():
        if box is not None:
            _, _, used = _kernel(parts[k].leaves, parts[k].pieces, other_sides(parts[k]), numbers.symbols)
            told = _told(parts[k], _shape(numbers, used))
            told += [] if told else [box]
    return {parts[k]: box for k, box in found.items()}


@functools.lru_cache(maxsize=256)
def _joint(parts: tuple[Cell, ...], symbols: tuple[Any, ...]) -> JointReplay:
    return JointReplay(parts, symbols)


@functools.lru_cache(maxsize=4096)
def _told(part: Cell, numbers: Numbers) -> list[np.ndarray]:
    """Room for the box of `where` at rest."""
    return []


def _doubtful(part: Cell) -> bool:
    """Edges and vertices of implicit bodies: where they reach their bounds, or several functions are zero, which may be so nowhere."""
    return bool(part.leaves) and part.dimension < 2


def _plane(part: Cell, side: Side) -> tuple[Any, ...]:
    return part.leaves[side[0]].motion, side[1], end_of(part, side)


def _occupancy(part: Cell, numbers: Numbers, span: Window) -> Occupancy:
    assert part.body is not None
    return occupancy_of(part.body, numbers, span)


def occupancy_of(body: ImplicitBody, numbers: Numbers, span: Window) -> Occupancy:
    """The occupancy of the parts of a body within a span of time."""
    return occupancy(body, numbers, span if moves(body, numbers) else (0.0, 0.0))


@functools.lru_cache(maxsize=4096)
def boxes_of(part: Cell, numbers: Numbers, span: Window) -> np.ndarray:
    """(n, 4, 2): boxes in the frame of its first leaf that hold all points of a part of a large body within a span of time."""
    return _occupancy(part, numbers, span).boxes(part)


def near(part: Cell, numbers: Numbers, span: Window) -> np.ndarray | None:
    """A box as of `where`, or None, at a first look: for parts of large bodies it takes no more than one for all parts together."""
    if not is_large(part.body):
        return where(part, numbers, span)
    boxes = boxes_of(part, numbers, span)
    return hull(boxes) if len(boxes) else None


def outline(part: Cell, numbers: Numbers, span: Window) -> np.ndarray | None:
    """A box as of `where`, or None, for faces; those of large bodies are looked at but briefly."""
    if not is_large(part.body):
        return where(part, numbers, span)
    occupied = _occupancy(part, numbers, span)
    boxes = occupied.outline(*occupied.numbers(part))
    return hull(boxes) if len(boxes) else None


def where(part: Cell, numbers: Numbers, span: Window) -> np.ndarray | None:
    """(3, 2): a box in the frame of the first leaf that holds all points of the part within a span of time; None if there are none."""
    if is_large(part.body):
        assert part.body is not None
        return _where(part, numbers, span if moves(part.body, numbers) else (0.0, 0.0))
    _, moving, used = _kernel(part.leaves, part.pieces, other_sides(part), numbers.symbols)
    return _where(part, _shape(numbers, used), span if moving else (0.0, 0.0))


def closely(part: Cell, numbers: Numbers, span: Window) -> np.ndarray | None:
    """A box as of `where`, or None, of a face as closely as roundings let it be told; those of large bodies are looked at but briefly."""
    if is_large(part.body):
        return outline(part, numbers, span)
    _, moving, used = _kernel(part.leaves, part.pieces, other_sides(part), numbers.symbols)
    return where(part, numbers, span) if moving else _closely(part, _shape(numbers, used))


@functools.lru_cache(maxsize=4096)
def _closely(part: Cell, numbers: Numbers) -> np.ndarray | None:
    box, span = _where(part, numbers, (0.0, 0.0)), (0.0, 0.0)
    return box if box is None or not part.pieces else _shaved(_first_look(part, numbers, span)[1], box.copy(), span, _MOST)


def _first_look(part: Cell, numbers: Numbers, span: Window) -> tuple[np.ndarray, Test, bool]:
    """Boxes (n, 4, 2) that hold the part, what tells of their halves whether they may, and whether it tells quickly."""
    if is_large(part.body):
        measured = _measured(part, numbers)
        return boxes_of(part, numbers, span), measured or _occupancy(part, numbers, span).test(part), measured is not None
    kernel, *_ = _kernel(part.leaves, part.pieces, other_sides(part), numbers.symbols)
    return np.concatenate([box_of(part, numbers), [span]])[None], functools.partial(_kept, kernel, numbers), True


def _measured(part: Cell, numbers: Numbers) -> Test | None:
    """The test of a part of a large body whose leaves are quadrics that keep their places to each other; None for others."""
    assert part.body is not None
    shared = None if moves(part.body, numbers) else carrier_of(part.body, numbers)
    if shared is None:
        return None
    tree, known = tree_of(part.body), quadrics(part.body, numbers, shared)
    measure = Measure(part, tree, known, _occupancy(part, numbers, (0.0, 0.0)).doubts(part))
    if not (measure.on_leaves() and measure.on_surface()):
        return None
    measure.within_bounds(range(len(part.leaves)))
    margin = measure.made()
    assert margin is not None
    return lambda boxes: margin.bounds(boxes[:, :3, 0], boxes[:, :3, 1])[1] >= 0.0


def _kept(kernel: Kernel, numbers: Numbers, boxes: np.ndarray) -> np.ndarray:
    lo, hi = kernel.interval(boxes[..., 0], boxes[..., 1], parameters=numbers.parameters)
    return np.asarray((lo[:, :-1] <= 0).all(axis=1) & (hi[:, :-1] >= 0).all(axis=1) & (hi[:, -1] > 0))


@functools.lru_cache(maxsize=4096)
def _where(part: Cell, numbers: Numbers, span: Window) -> np.ndarray | None:
    told = _told(part, numbers) if span == _AT_REST else []
    if told:
        return told[0]
    boxes, test, quick = _first_look(part, numbers, span)
    if is_large(part.body):
        return _searched(part, boxes, test, quick, span)
    proofs, whole = _proofs(part), boxes[0]
    known, found = proofs.replayed(test, whole)
    if not known:
        found = _searched(part, boxes, test, quick, span)
        proofs.note(test, whole, found)
    return found


@functools.lru_cache(maxsize=4096)
def _proofs(part: Cell) -> Proofs:
    return Proofs()


def _searched(part: Cell, boxes: np.ndarray, test: Test, quick: bool, span: Window) -> np.ndarray | None:
    """The box of `where`, of boxes that hold the part."""
    # The kernel of a large body is called for every part of it.
    compile_busy()
    paving = Paving(boxes, most=2 * _MANY)
    for boxes in itertools.islice(paving, _ROUNDS + 1):
        paving.keep(boxes[test(boxes)])
    boxes = paving.left
    # What is left out by closer bounds of tests that take long takes less to be searched.
    for axis in tuple(range(3)) * (_FINER if quick else 0):
        if not len(boxes):
            return None
        boxes = _sharpened(test, boxes, axis)
    if not len(boxes):
        return None
    return _shaved(test, hull(boxes), span, _FEWER if is_large(part.body) else _SHAVES) if part.pieces and quick else hull(boxes)


def _shaved(test: Test, hull: np.ndarray, span: Window, shaves: int) -> np.ndarray | None:
    """A box (3, 2) without slabs at its ends that are proved to hold no point of the part: of all widths that are a power of 2 against the
    box the greatest, again and again. So the pieces of combined bodies that end at planes, or lie in planes, have close bounds.
    """
    for _ in range(shaves):
        box = np.concatenate([hull, [span]])
        slabs = np.tile(box, (3, 2, shaves, 1, 1))
        for axis, (lo, hi) in enumerate(hull):
            width = (hi - lo) * 0.5 ** np.arange(shaves)
            slabs[axis, 0, :, axis, 1], slabs[axis, 1, :, axis, 0] = np.minimum(lo + width, hi), np.maximum(hi - width, lo)
        kept = test(slabs.reshape(-1, 4, 2)).reshape(3, 2, shaves)
        if not kept[:, :, 0].all():
            return None
        if kept.all():
            break
        for axis, end in np.argwhere(~kept.all(axis=2)).tolist():
            hull[axis, end] = slabs[axis, end, int(np.argmin(kept[axis, end])), axis, 1 - end]
        if (hull[:, 0] > hull[:, 1]).any():
            return None
    return hull


def _sharpened(test: Test, boxes: np.ndarray, axis: int) -> np.ndarray:
    """The boxes, those at either end of their hull along an axis without the outer or inner half where that holds no point; all of them if
    too many would be left.
    """
    lo, hi = hull(boxes)[axis]
    ends = (boxes[:, axis, 0] <= lo) | (boxes[:, axis, 1] >= hi)
    halves = divided(boxes[ends], axis)
    found = np.concatenate([boxes[~ends], halves[test(halves)]])
    return found if len(found) <= 2 * _MANY else boxes


def hull(boxes: np.ndarray) -> np.ndarray:
    """(3, 2): the box round boxes (n, 4, 2) of places and times."""
    return np.stack([boxes[:, :3, 0].min(axis=0), boxes[:, :3, 1].max(axis=0)], axis=1)


@functools.lru_cache(maxsize=1024)
def _kernel(leaves: tuple[ImplicitSurface, ...], pieces: tuple[BoundaryPiece, ...], sides: tuple[Side, ...], symbols: tuple[Any, ...],
            ) -> tuple[Kernel, bool, tuple[int, ...]]:
    """A kernel of what is zero where leaves and these sides meet, and of 1 or 0 for on the surface or not (`on_part`); whether any of it
    depends on the time; and which of the symbols it or the bounds depend on.
    """
    frame = Frame(3, (0, 1), symbols=(symbols, ()))
    forms, values, condition = on_part(leaves, pieces, sides, frame)
    kernel, outputs = Kernel([*forms, condition], ["x", "y", "z", "t"], [str(s) for s in symbols], quick=True), [*values, condition]
    reached = reachable(outputs)
    free = set().union(*(e.free_symbols for leaf in leaves for ends in leaf.bounds for e in ends))
    used = {int(e.value) for e in reached if e.op == "parameter"} | {k for k, s in enumerate(symbols) if s in free}
    return kernel, frame.time in reached, tuple(sorted(k for k in used if k < len(symbols)))


def _shape(numbers: Numbers, used: tuple[int, ...]) -> Numbers:
    """The numbers with zeros for those that are not used, the same object for equal ones: bodies that differ but in the numbers of their
    motions have one shape.
    """
    if len(used) == len(numbers.symbols):
        return _same(numbers.symbols, numbers.intervals.tobytes())
    intervals = np.zeros_like(numbers.intervals)
    intervals[list(used)] = numbers.intervals[list(used)]
    return _same(numbers.symbols, intervals.tobytes())


@functools.lru_cache(maxsize=4096)
def _same(symbols: tuple[Any, ...], intervals: bytes) -> Numbers:
    return Numbers(symbols, (), np.frombuffer(intervals).reshape(-1, 2))
