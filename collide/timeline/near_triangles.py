"""Meetings of meshes: pairs of triangles, as far in time as they are asked for.

A meeting of all triangles of a mesh stands for those of single ones (`culling.descent`). Where faces tell when bodies meet, these are of
faces alone; else an edge and a vertex is looked at where one of the triangles is that stand for it.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..bodies.cells import Cell
from ..bodies.extent import Extent
from ..bodies.mesh import Mesh
from ..bodies.mesh_cells import Triangles
from ..bodies.parts import faces_of
from ..culling.broad_phase import Window
from ..culling.descent import Descent


def is_bundle(m: Any) -> bool:
    """Does a meeting stand for those of single triangles?"""
    return isinstance(m.first, Triangles) or isinstance(m.second, Triangles)


@dataclass(eq=False)
class Bundle:
    """The meetings of single cells that `whole`, a meeting, stands for: those found so far, in the order in which they may meet."""

    whole: Any
    descent: Descent
    sided: bool = False
    found: list[Any] = field(default_factory=list)
    _read: int = 0

    @staticmethod
    def of(m: Any, extent: Callable[[int, Cell], Extent], shared: int, window: Window, sided: bool) -> "Bundle":
        """`extent`: where a cell of a body is; its motion begins with so many factors that are left out, as of the other body. `sided`: do
        the sides of vertices count?
        """
        parts = extent(m.label[0], m.first).seen(shared), extent(m.label[1], m.second).seen(shared)
        return Bundle(m, Descent((m.first, m.second), parts, window), sided)

    def until(self, time: float) -> list[Any]:
        """All meetings that may begin up to a time."""
        self.descent.until(time)
        self._take()
        return [m for m in self.found if m.window[0] <= time]

    def more(self, count: int) -> float:
        """Finds so many pairs of triangles more; the time up to which all meetings are found."""
        self.descent.more(count)
        self._take()
        return self.descent.horizon

    def _take(self) -> None:
        pairs, times = self.descent.pairs[self._read:].tolist(), self.descent.times[self._read:].tolist()
        self._read += len(pairs)
        for pair, time in zip(pairs, times, strict=True):
            self.found += self._meetings(pair, time)

    def _meetings(self, pair: Iterable[int], begin: float) -> Iterable[Any]:
        m = self.whole
        sides = [_cells(cell, k, m.closed, self.sided) for cell, k in zip((m.first, m.second), pair, strict=True)]
        return (replace(m, first=a, second=b, window=(begin, m.window[1])) for a, b in itertools.product(*sides))


def _cells(cell: Cell, k: int, faces: bool, sided: bool) -> list[Cell]:
    """A triangle of a mesh, and, but for `faces` alone, the edges and vertices for which it stands; of another cell, that itself."""
    own = cell.owned(k, sided) if isinstance(cell, Triangles) and not faces else ()
    return [_face(cell, k), *own]


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
        found += [(_face(a, i), _face(b, j)) for i, j in descent.pairs.tolist()]
    return found


def _face(cell: Cell, k: int) -> Cell:
    return cell.face(k) if isinstance(cell, Triangles) else cell


def as_window(window: Window) -> Window:
    """A window, or a moment as a short one."""
    return window if window[0] < window[1] else (window[0], float(np.nextafter(window[0], np.inf)))
