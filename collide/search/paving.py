"""Paving: a set is covered with boxes, which are halved, and left out where a test proves what is asked, until none is left.

Set inversion by interval analysis (Jaulin and Walter 1993, SIVIA), a level at a time: every test is one call of a kernel on an array.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from codegen.deadline import check


class Paving:
    """Levels of boxes (k, n, 2), of which each is to say what it leaves in doubt::

        for boxes in paving:
            paving.keep(boxes[in_doubt])

    What is kept is divided for the next level: halved across each of `axes` in turn, None for the widest side. It ends where nothing is
    kept; or, with what was kept last in `left`, where the next level and the `small` boxes would be more than `most`, or all levels
    together more than `examined`. `integers` (n,): which variables are, whose ends are. Raises `TimeUp` when the time of the caller is up.
    """

    def __init__(self, boxes: np.ndarray, *, axes: Sequence[int | None] = (None,), most: float = math.inf,
                 examined: float = math.inf, integers: np.ndarray | None = None) -> None:
        self.left, self.small, self._integers = boxes, boxes[:0], integers
        self._axes, self._most, self._examined = axes, most, examined

    def __iter__(self) -> Iterator[np.ndarray]:
        examined = len(self.left)
        while len(self.left):
            check()
            yield self.left
            count = len(self.left) << len(self._axes)
            examined += count
            if count + len(self.small) > self._most or examined > self._examined:
                return
            self.left = divided(self.left, *self._axes, integers=self._integers)

    def keep(self, boxes: np.ndarray, small: np.ndarray | None = None) -> None:
        """The boxes of this level that are to be divided; those that are `small` are put aside."""
        self.left = boxes
        if small is not None:
            self.small = np.concatenate([self.small, small])

    @property
    def done(self) -> bool:
        """Whether all but the `small` boxes is proved."""
        return not len(self.left)


def divided(boxes: np.ndarray, *axes: int | None, integers: np.ndarray | None = None) -> np.ndarray:
    """All halves of boxes (k, n, 2) across each of `axes` in turn, None for the widest side; they cover it, whatever the rounding of the
    middle. `integers` (n,): sides of which only the integers count, split between two of them.
    """
    rows = np.arange(len(boxes))
    for axis in axes:
        across = (boxes[..., 1] - boxes[..., 0]).argmax(axis=1) if axis is None else axis
        lower, upper = boxes.copy(), boxes.copy()
        lower[rows, across, 1] = upper[rows, across, 0] = boxes[rows, across].mean(axis=1)
        if integers is not None:
            lower[rows, across, 1] = np.where(integers[across], np.floor(lower[rows, across, 1]), lower[rows, across, 1])
            upper[rows, across, 0] = np.where(integers[across], lower[rows, across, 1] + 1, upper[rows, across, 0])
        boxes, rows = np.concatenate([lower, upper]), np.arange(2 * len(boxes))
    return boxes
