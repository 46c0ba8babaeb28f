"""Proofs of where parts are, replayed for all parts of a body at once: by one call of one kernel (see `replay`)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.graph.domain import domain
from codegen.graph.expr import Expr, ExprPool
from codegen.graph.meanvalue import mean_value_form
from codegen.kernel import Kernel
from generative import ImplicitSurface
from generative.implicit import BoundaryPiece

from ..bodies.cells import Cell, Side, end_of
from ..bodies.implicit_parts import Implicit
from ..bodies.numbers import Numbers
from .frame import Frame, all_of
from .placed_implicit import PlacedImplicit
from .replay import Proof, Proofs, placed

_STILL = 0.0, 0.0


def on_part(leaves: tuple[ImplicitSurface, ...], pieces: tuple[BoundaryPiece, ...], sides: tuple[Side, ...], frame: Frame,
            ) -> tuple[list[Expr], list[Expr], Expr]:
    """The functions that are zero where leaves and these sides meet, of coordinates of the first leaf and the time: in mean-value forms,
    and plain. And 1 or 0 for on the surface of the body or not.

    The forms, near a side that a surface all but reaches, tell it from 0 in boxes of the size of the square root of the gap.
    """
    placed_part, pool = PlacedImplicit(Implicit("", leaves, pieces, sides=sides), frame, 1), frame.pool
    known = [placed_part.on_surface(), domain(placed_part.values)]
    conditions = [*placed_part.bounds(), *(c for c in known if c is not None)]
    one, zero = pool.constant(1), pool.constant(0)
    condition = pool.where(all_of(pool, conditions), one, zero) if conditions else one
    return mean_value_form(placed_part.values, [pool.variable(k) for k in range(4)]), placed_part.values, condition


def other_sides(part: Cell) -> tuple[Side, ...]:
    """The sides that are not those of the first leaf."""
    return tuple(side for side in part.sides if side[0] != 0)


class JointReplay:
    """The proofs of the parts of the bodies of a family that do not move in the frame that their leaves have in common; it has these
    `symbols`.
    """

    def __init__(self, parts: Sequence[Cell], symbols: tuple[Any, ...]) -> None:
        pool, outputs, ends = ExprPool(), dict[Expr, int](), dict[Any, int]()
        self._values, self._condition = list[list[int]](), list[int]()
        for part in parts:
            values, _, condition = on_part(part.leaves, part.pieces, other_sides(part), Frame(3, (0, 1), pool, symbols=(symbols, ())))
            self._values.append([outputs.setdefault(e, len(outputs)) for e in values])
            self._condition.append(outputs.setdefault(condition, len(outputs)))
        self._kernel = Kernel(list(outputs), ["x", "y", "z", "t"], [str(s) for s in symbols], quick=True)
        self._end = np.array([[[ends.setdefault(e, len(ends)) for e in pair] for pair in _box(part)] for part in parts])
        self._ends, self._outputs = list(ends), len(outputs)
        self._proofs = list[tuple[int, Proof]]()

    def found(self, proofs: Sequence[Proofs], numbers: Numbers) -> dict[int, np.ndarray | None]:
        """The parts of a member, by their numbers, of which a proof holds, and the box (3, 2) that it leaves of each; None for none."""
        self._take([(k, proof) for k, kept in enumerate(proofs) for proof in kept.kept])
        if not self._proofs:
            return {}
        whole = self._wholes(numbers)
        boxes = placed(self._shares, whole[self._part])
        lo, hi = self._kernel.interval(boxes[..., 0], boxes[..., 1], parameters=numbers.parameters)
        zero, there = (lo <= 0) & (hi >= 0), hi > 0
        kept = (zero | ~self._is_value).all(axis=1) & (there | ~self._is_condition).all(axis=1)
        count = len(self._proofs)
        filled = np.bincount(self._proof[kept & self._is_empty], minlength=count) > 0
        seen = np.bincount(self._proof[kept & ~self._is_empty], minlength=count) > 0
        holds = ~filled & (seen | self._absent)
        found = dict[int, np.ndarray | None]()
        for j in np.flatnonzero(holds).tolist():
            k, proof = self._proofs[j]
            if k not in found:
                found[k] = None if proof.left is None else placed(proof.left, whole[k])[:3]
        return found

    def _wholes(self, numbers: Numbers) -> np.ndarray:
        """(parts, 4, 2): as `box_of`, at rest."""
        ends = numbers.enclose_all(self._ends)
        space = np.stack([ends[self._end[..., 0], 0], ends[self._end[..., 1], 1]], axis=-1)
        return np.concatenate([space, np.broadcast_to(_STILL, (len(space), 1, 2))], axis=1)

    def _take(self, proofs: list[tuple[int, Proof]]) -> None:
        """Puts the boxes of proofs one after the other."""
        if len(proofs) == len(self._proofs):
            return
        self._proofs = proofs
        self._shares = np.concatenate([boxes for _, proof in proofs for boxes in (proof.empty, proof.small)])
        sizes = np.array([(len(proof.empty), len(proof.small)) for _, proof in proofs])
        self._proof = np.repeat(np.arange(len(proofs)), sizes.sum(axis=1))
        self._is_empty = np.repeat(np.tile([True, False], len(proofs)), sizes.ravel())
        self._part = np.array([k for k, _ in proofs])[self._proof]
        self._absent = np.array([proof.left is None for _, proof in proofs])
        value, condition = np.zeros((2, len(self._values), self._outputs), bool)
        for k, (values, last) in enumerate(zip(self._values, self._condition, strict=True)):
            value[k, values], condition[k, last] = True, True
        self._is_value, self._is_condition = value[self._part], condition[self._part]


def _box(part: Cell) -> list[tuple[Any, Any]]:
    """The ends of what the bounds of the first leaf leave of space to a part."""
    found = [*part.leaves[0].bounds]
    for side in part.sides:
        if side[0] == 0:
            found[side[1]] = end_of(part, side), end_of(part, side)
    return found
