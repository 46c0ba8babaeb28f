"""Proof that closed outlines in the plane lie apart from each other.

Curves are cut into arcs, and boxes that enclose arcs of two outlines are compared (Snyder 1992, interval subdivision). Boxes that are apart
prove arcs apart; those that are not are halved, the narrowest first, until both are as narrow as the gap asked for.
"""

from collections.abc import Sequence

import numpy as np

from codegen import compile
from codegen.constants import enclose
from codegen.kernel import Kernel

from .curve import Curve
from .symbols import u

NamedCurve = tuple[Curve, str]
# Pairs of boxes that are halved at once.
_BATCH = 1 << 9


def meeting(outlines: Sequence[Sequence[NamedCurve]], gap: float) -> tuple[str, str] | None:
    """The names of two curves of different outlines that are not proved apart: they meet, or come nearer than about `gap` times the size of
    all outlines. None: all outlines are *proved* apart.
    """
    arcs = _Arcs([c for outline in outlines for c, _ in outline])
    owner = np.repeat(np.arange(len(outlines)), [len(outline) for outline in outlines])
    found = arcs.near(owner, gap)
    names = [name for outline in outlines for _, name in outline]
    return None if found is None else (names[found[0]], names[found[1]])


class _Arcs:
    """Arcs of curves, rows (curve, first, last) with the parameter from `first` to `last`, and the boxes that enclose them."""

    def __init__(self, curves: Sequence[Curve]) -> None:
        self.kernels: list[Kernel] = [compile(list(c.expressions[:2]), (u,), (), quick=True) for c in curves]
        ends = [(enclose(c.domain[0])[0], enclose(c.domain[1])[1]) for c in curves]
        self.whole = np.array([(k, *pair) for k, pair in enumerate(ends)])

    def boxes(self, rows: np.ndarray) -> np.ndarray:
        """(n, 2, 2): the ends in x and y."""
        found = np.empty((len(rows), 2, 2))
        order = np.argsort(rows[:, 0], kind="stable")
        for own in np.split(order, np.flatnonzero(np.diff(rows[order, 0])) + 1):
            found[own, :, 0], found[own, :, 1] = self.kernels[int(rows[own[0], 0])].interval(rows[own, 1:2], rows[own, 2:3])
        return found

    def _size(self) -> float:
        """The extent of some points of all curves. (Boxes of whole curves may be unbounded, since denominators may be zero in them.)"""
        places = [self.whole[:, 1] + share * (self.whole[:, 2] - self.whole[:, 1]) for share in (0.0, 0.25, 0.5, 0.75)]
        found = np.concatenate([self.boxes(np.column_stack([self.whole[:, 0], at, at])) for at in places])
        return float((found[..., 1].max(axis=0) - found[..., 0].min(axis=0)).max())

    def near(self, owner: np.ndarray, gap: float) -> tuple[int, int] | None:
        """Two curves of different owners with arcs that are not told apart, the first one in order."""
        boxes, least = self.boxes(self.whole), gap * self._size()
        near = [i + np.flatnonzero(_meet(boxes[i], boxes[i:]) & (owner[i:] != owner[i])) for i in range(len(boxes))]
        pairs = np.array([(i, j) for i, own in enumerate(near) for j in own.tolist()], np.int64)
        waiting = self.whole[pairs.reshape(-1, 2)]
        while len(waiting):
            waiting, now = waiting[:-_BATCH], waiting[-_BATCH:]
            # All four pairs of halves.
            halves = [_halves(now[:, side]) for side in (0, 1)]
            split = np.stack([np.stack([a, b], axis=1) for a in halves[0] for b in halves[1]], axis=1).reshape(-1, 2, 3)
            at = np.stack([self.boxes(split[:, side]) for side in (0, 1)], axis=1)
            open_ = _meet(at[:, 0], at[:, 1])
            split, width = split[open_], (at[..., 1] - at[..., 0]).max(axis=(1, 2))[open_]
            stuck = ((split[..., 1] + split[..., 2]) / 2 == split[..., 1]).any(axis=1)
            if len(done := np.flatnonzero((width <= least) | stuck)):
                first, second = split[done[0], :, 0].astype(int).tolist()
                return first, second
            waiting = np.concatenate([waiting, split[np.argsort(-width, kind="stable")]])
        return None


def _meet(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n,) bool: whether boxes are not apart."""
    return np.asarray(~((a[..., 0] > b[..., 1]) | (b[..., 0] > a[..., 1])).any(axis=-1))


def _halves(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    middle = (rows[:, 1] + rows[:, 2]) / 2
    return np.column_stack([rows[:, :2], middle]), np.column_stack([rows[:, 0], middle, rows[:, 2]])
