"""Proofs of where parts are, kept for bodies of the same family: boxes that a part of one of them was proved to be absent from are tested
first for the same part of others, all of them in one call.

Boxes are kept in shares of the box that the bounds of a part leave to it, so they fit bodies of all sizes. Each test proves of the body at
hand that nothing is in its own boxes; what was found of others only says where to look. A part that is kept, though it may not be there, is
found to be so by a small box that the test does not tell from it: then no search would do, as tests of larger boxes tell less.
"""

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..search.paving import Paving, divided

Test = Callable[[np.ndarray], np.ndarray]
"""A function that tells which of boxes (k, 4, 2) may hold a point of a part."""

# Effort only: a proof of more boxes, or one more proof of a part, is not kept. Boxes that hold parts are kept wider by so many shares.
_BOXES, _PROOFS, _WIDER = 128, 4, 2.0**-36
# How often a box is halved along each axis that is left as small, and how many of these are.
_HALVINGS, _SMALL = 30, 4
_UNIT = np.tile([0.0, 1.0], (4, 1))


class Proof(NamedTuple):
    """In shares of a box: boxes (n, 4, 2) in which nothing is; the box (4, 2) that they leave of it, None where they cover it; and small
    boxes (m, 4, 2) in that, which may hold something.
    """

    empty: np.ndarray
    left: np.ndarray | None
    small: np.ndarray


class Proofs:
    """Those of a part of the bodies of a family."""

    def __init__(self) -> None:
        self.kept = list[Proof]()

    def replayed(self, test: Test, whole: np.ndarray) -> tuple[bool, np.ndarray | None]:
        """Whether one of them is a proof for the part in the box `whole` (4, 2), too; and the box (3, 2) that it leaves of it, None for
        none.
        """
        for proof in self.kept:
            kept = test(placed(np.concatenate([proof.empty, proof.small]), whole))
            if not kept[:len(proof.empty)].any() and (proof.left is None or kept[len(proof.empty):].any()):
                return True, None if proof.left is None else placed(proof.left, whole)[:3]
        return False, None

    def note(self, test: Test, whole: np.ndarray, left: np.ndarray | None) -> None:
        """Keeps a proof that the part, in the box `whole`, is nowhere, or in the box `left` (3, 2), a little widened."""
        shares = None if left is None else _shares(left, whole)
        found = None if len(self.kept) >= _PROOFS else _proved(test, whole, shares)
        if found is not None:
            self.kept.append(Proof(found, shares, _UNIT[:0].reshape(0, 4, 2) if shares is None else _small(test, whole, shares)))


def placed(shares: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Boxes (..., 4, 2) in shares of a box (4, 2), or of one each. Boxes that cover it in shares cover it here, too: places are monotonic
    in shares, in spite of roundings, and so many for each share of an axis.
    """
    lo, hi = whole[..., :1], whole[..., 1:]
    return np.asarray(np.where(shares == 1.0, hi, np.clip(lo + shares * (hi - lo), lo, hi)))


def _shares(box: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """(4, 2): a box (3, 2) in shares, widened; all of the time."""
    found, (lo, hi) = _UNIT.copy(), whole[:3].T
    reach = np.where(hi > lo, hi - lo, 1.0)
    found[:3, 0] = np.where(hi > lo, np.clip((box[:, 0] - lo) / reach - _WIDER, 0.0, 1.0), 0.0)
    found[:3, 1] = np.where(hi > lo, np.clip((box[:, 1] - lo) / reach + _WIDER, 0.0, 1.0), 1.0)
    return found


def _proved(test: Test, whole: np.ndarray, left: np.ndarray | None) -> np.ndarray | None:
    """Boxes in shares that cover all but a box `left`, and in which nothing is; None if they would be too many."""
    paving, empty = Paving(_UNIT[None] if left is None else _around(left), most=_BOXES), list[np.ndarray]()
    for boxes in paving:
        kept = test(placed(boxes, whole))
        empty.append(boxes[~kept])
        paving.keep(boxes[kept])
    found = np.concatenate(empty) if empty else np.empty((0, 4, 2))
    return found if paving.done and len(found) <= _BOXES else None


def _small(test: Test, whole: np.ndarray, left: np.ndarray) -> np.ndarray:
    """(n, 4, 2): some small boxes in shares, within a box, in which the test leaves something; they hold all of the time. They are wider
    than roundings, so that they hold the same part of other bodies. None are left where smaller boxes prove that nothing is there.
    """
    boxes = left[None]
    for axis in tuple(range(3)) * _HALVINGS:
        if not len(boxes):
            break
        if boxes[0, axis, 1] - boxes[0, axis, 0] <= 4 * _WIDER:
            continue
        halves = divided(boxes, axis)
        boxes = halves[test(placed(halves, whole))][:_SMALL]
    return boxes


def _around(left: np.ndarray) -> np.ndarray:
    """(n, 4, 2): boxes that cover the unit box except another one, which share no more than their borders."""
    slabs, rest = list[np.ndarray](), _UNIT.copy()
    for axis, end in itertools.product(range(3), (0, 1)):
        if left[axis, end] != rest[axis, end]:
            slab = rest.copy()
            slab[axis, 1 - end] = rest[axis, end] = left[axis, end]
            slabs.append(slab)
            # The slab ends where all began.
            slab[axis, end] = float(end)
    return np.array(slabs).reshape(-1, 4, 2)
