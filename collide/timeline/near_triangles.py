"""Meetings of meshes: pairs of triangles, as far in time as they are asked for.

A meeting of all triangles of a mesh stands for those of single ones (`culling.descent`). Where faces tell when bodies meet, these are of
faces alone; else an edge and a vertex is looked at where one of the triangles is that stand for it.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..bodies.cells import Cell
from ..bodies.extent import Extent
from ..bodies.mesh import Mesh
from ..bodies.mesh_cells import Triangles
from ..bodies.mesh_rows import FACE, Slots
from ..bodies.numbers import Numbers
from ..bodies.parts import faces_of
from ..culling.broad_phase import Window
from ..culling.descent import Descent


def is_bundle(m: Any) -> bool:
    """Whether a meeting stands for those of single triangles."""
    return isinstance(m.first, Triangles) or isinstance(m.second, Triangles)


class CellPairs(NamedTuple):
    """n pairs of cells: their kinds (n, 2) as in `mesh_rows`, and their numbers (n, 2), of a cell of no mesh FACE and 0; and the times (n,)
    before which they are *proved* apart.
    """

    kinds: np.ndarray
    numbers: np.ndarray
    begin: np.ndarray

    def some(self, chosen: slice | np.ndarray) -> "CellPairs":
        return CellPairs(*(array[chosen] for array in self))


_NONE = CellPairs(np.empty((0, 2), np.int64), np.empty((0, 2), np.int64), np.empty(0))


@dataclass(eq=False)
class Bundle:
    """The meetings of single cells that `whole`, a meeting, stands for: those found so far as rows, in the order in which they may meet."""

    whole: Any
    descent: Descent
    sided: bool = False
    found: CellPairs = _NONE
    _read: int = 0

    @staticmethod
    def of(m: Any, extent: Callable[[int, Cell], Extent], shared: int, window: Window, sided: bool) -> "Bundle":
        """`extent`: where a cell of a body is; its motion begins with so many factors that are left out, as of the other body. `sided`:
        whether the sides of vertices count.
        """
        parts = extent(m.label[0], m.first).seen(shared), extent(m.label[1], m.second).seen(shared)
        return Bundle(m, Descent((m.first, m.second), parts, window), sided)

    def until(self, time: float) -> CellPairs:
        """All pairs that may meet up to a time."""
        self.descent.until(time)
        self._take()
        return self.found.some(self.found.begin <= time)

    def more(self, count: int) -> float:
        """Finds so many pairs of triangles more; the time up to which all are found."""
        self.descent.more(count)
        self._take()
        return self.descent.horizon

    def meetings(self, rows: CellPairs) -> list[Any]:
        """One of each row."""
        m, end = self.whole, self.whole.window[1]
        return [replace(m, first=_cell(m.first, *a), second=_cell(m.second, *b), window=(begin, end)) for a, b, begin in zip(
            *np.stack([rows.kinds, rows.numbers], axis=-1).transpose(1, 0, 2).tolist(), rows.begin.tolist(), strict=True)]

    def _take(self) -> None:
        pairs, times = self.descent.pairs[self._read:], self.descent.times[self._read:]
        if not len(pairs):
            return
        self._read += len(pairs)
        m = self.whole
        first, second = (_slots(cell, k, m.closed, self.sided) for cell, k in zip((m.first, m.second), pairs.T, strict=True))
        k, a, b = np.nonzero(first.there[:, :, None] & second.there[:, None])
        new = CellPairs(np.stack([first.kinds[k, a], second.kinds[k, b]], axis=1),
                   np.stack([first.numbers[k, a], second.numbers[k, b]], axis=1), times[k])
        self.found = CellPairs(*map(np.concatenate, zip(self.found, new, strict=True)))


def _slots(cell: Cell, triangles: np.ndarray, faces: bool, sided: bool) -> Slots:
    """The triangles of a mesh, and, unless `faces` alone, the edges and vertices for which they stand; of another cell, that itself."""
    if isinstance(cell, Triangles) and not faces:
        return cell.slots(triangles, sided)
    return Slots(triangles[:, None], np.full((len(triangles), 1), FACE), np.full((len(triangles), 1), True))


def _cell(cell: Cell, kind: int, number: int) -> Cell:
    return cell.cell(kind, number) if isinstance(cell, Triangles) else cell


def faces_at(bodies: Sequence[Any], extent: Callable[[int, Cell], Extent], moment: float, shared: int = 0,
             ) -> list[tuple[Cell, Cell]] | None:
    """The pairs of faces of two bodies that may meet at a moment, of meshes those of triangles; None, which is all, where neither is one.
    `extent`: where a cell of body 0 or 1 is; `shared` as in `Bundle.of`.
    """
    if not any(isinstance(body, Mesh) for body in bodies):
        return None
    found: list[tuple[Cell, Cell]] = []
    for a, b in itertools.product(*map(faces_of, bodies)):
        descent = Descent((a, b), (extent(0, a).seen(shared), extent(1, b).seen(shared)), as_window((moment, moment)))
        descent.until(math.inf)
        found += [(_cell(a, FACE, i), _cell(b, FACE, j)) for i, j in descent.pairs.tolist()]
    return found


def as_window(window: Window) -> Window:
    """A window, or a moment as a short one."""
    return window if window[0] < window[1] else (window[0], float(np.nextafter(window[0], np.inf)))


def own_columns(m: Any, numbers: Sequence[Numbers]) -> list[slice]:
    """The columns, among the parameters of a situation, which begin with the `numbers` of both sides, of those that its two cells have of
    their own: last in those of either side.
    """
    ends = np.cumsum([len(own.intervals) for own in numbers[:2]]).tolist()
    return [slice(end - len(cell.own.intervals), end) for end, cell in zip(ends, (m.first, m.second), strict=True)]
